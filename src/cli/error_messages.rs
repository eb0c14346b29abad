//! Error messages of the site on the command line.

use crate::web::error::AppError;

/// Error with the message that a user of the site would see.
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
