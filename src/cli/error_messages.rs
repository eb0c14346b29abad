//! Conversion of application errors to messages for the command line.

use crate::web::error::AppError;

/// Validation errors become `field: message`, separated by semicolons.
pub fn to_command_error(error: AppError) -> anyhow::Error {
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
