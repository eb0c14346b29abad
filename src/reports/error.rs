//! Errors of reports.

use crate::phrase;
use crate::web::error::{AppProblem, ErrorText, error_text};

#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// 409 `already_reported`: this reader has reported this post, and it is not decided yet.
    #[error("already reported")]
    AlreadyReported,
    /// 409 `enough_reports`: very many have reported this post, and it is not decided yet.
    #[error("enough reports")]
    EnoughReports,
    /// 409 `no_appeal`: there is nothing to appeal against, or it is too late.
    #[error("no appeal")]
    NoAppeal,
    /// 403 `not_your_case`: staff whom a case concerns do not decide it.
    #[error("not your case")]
    NotYourCase,
    /// 409 `already_decided`: somebody else of the staff was faster, or the last word is said.
    #[error("already decided")]
    AlreadyDecided,
    /// 409 `post_changed`: the post that staff decide about says something else by now.
    #[error("post changed")]
    PostChanged,
}

impl AppProblem for ReportError {
    fn words(&self) -> ErrorText {
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
