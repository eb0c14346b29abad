//! Errors of reports.

use crate::phrase;
use crate::web::error::{ErrorText, FeatureError, error_text};

#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    #[error("the user has already reported the post")]
    AlreadyReported,
    #[error("the case has reached the maximum number of reports")]
    EnoughReports,
    #[error("there is no decision to appeal against, or the period for appeals is over")]
    NoAppeal,
    #[error("staff members cannot decide cases that they are involved in")]
    NotYourCase,
    #[error("the case is already decided")]
    AlreadyDecided,
    #[error("the post has changed since the staff member read it")]
    PostChanged,
}

impl FeatureError for ReportError {
    fn error_text(&self) -> ErrorText {
        match self {
            Self::AlreadyReported => error_text(409, "already_reported", phrase!("error-already-reported")),
            Self::EnoughReports => error_text(409, "enough_reports", phrase!("error-enough-reports")),
            Self::NoAppeal => error_text(409, "no_appeal", phrase!("error-no-appeal")),
            Self::NotYourCase => error_text(403, "not_your_case", phrase!("error-not-your-case")),
            Self::AlreadyDecided => error_text(409, "already_decided", phrase!("error-already-decided")),
            Self::PostChanged => error_text(409, "post_changed", phrase!("error-post-changed")),
        }
    }
}
