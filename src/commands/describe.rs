//! What the site would answer, for whoever sits at the command line.

use crate::web::error::AppError;

/// An error in the words that a visitor of the site would get.
pub fn describe(error: AppError) -> anyhow::Error {
    match error {
        AppError::Invalid(errors) => {
            anyhow::anyhow!(
                errors
                    .iter()
                    .flat_map(|(name, messages)| messages.iter().map(move |message| format!("{name}: {message}")))
                    .collect::<Vec<_>>()
                    .join("; ")
            )
        }
        other => anyhow::anyhow!(other),
    }
}
