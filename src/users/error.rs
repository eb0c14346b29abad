//! Errors of user accounts.

use std::time::Duration;

use crate::i18n::{Phrase, format_duration};
use crate::phrase;
use crate::web::error::{ErrorText, FeatureError, LinkProblem, SECONDS_PER_DAY, error_text, retry_after_seconds};

#[derive(Debug, thiserror::Error)]
pub enum AccountError {
    /// The response does not reveal if the username or the password is wrong.
    #[error("unknown username or wrong password")]
    WrongCredentials,
    /// `proof` is a token that replaces the password for five minutes.
    #[error("a two-factor code is required")]
    SecondFactorNeeded { proof: String },
    #[error("the two-factor code is wrong, expired or already used")]
    WrongCode,
    /// The sign-in token `proof` has expired, or the password has changed.
    #[error("the password must be entered again")]
    SignInAgain,
    #[error("too many attempts to sign in or register; retry after {retry_after:?}")]
    SignInLimited { retry_after: Duration },
    #[error("link from a mail rejected: {0:?}")]
    MailLink(LinkProblem),
    /// Another account has confirmed an address of the same mailbox.
    #[error("another account has confirmed the email address")]
    EmailInUse,
    #[error("registration is closed")]
    RegistrationClosed,
    #[error("registration requires an invitation")]
    InvitationNeeded,
    #[error("invitation rejected: {0:?}")]
    Invitation(LinkProblem),
    #[error("the site already has an owner")]
    HasOwner,
    #[error("the action would leave the site without an owner")]
    LastOwner,
    #[error("the grace period is over, and the account is being deleted")]
    GracePeriodOver,
    #[error("too many exports of personal data; retry after {retry_after:?}")]
    ExportLimited { retry_after: Duration },
    #[error("too many reports of posts; retry after {retry_after:?}")]
    ReportsLimited { retry_after: Duration },
    #[error("the site sends no mail, because SMTP_URL is not set")]
    NoMail,
}

impl FeatureError for AccountError {
    fn error_text(&self) -> ErrorText {
        let wait = || format_duration(self.retry_after().unwrap_or(1));
        match self {
            Self::WrongCredentials => error_text(401, "wrong_credentials", phrase!("error-wrong-credentials")),
            Self::SecondFactorNeeded { .. } => {
                error_text(401, "second_factor_needed", phrase!("error-second-factor-needed"))
            }
            Self::WrongCode => error_text(401, "wrong_code", phrase!("error-wrong-code")),
            Self::SignInAgain => error_text(401, "sign_in_again", phrase!("error-sign-in-again")),
            Self::SignInLimited { .. } => {
                error_text(429, "sign_in_limited", phrase!("error-sign-in-limited", wait = wait()))
            }
            Self::MailLink(LinkProblem::Invalid | LinkProblem::WrongUser) => {
                error_text(400, "link_invalid", phrase!("error-mail-link-invalid"))
            }
            Self::MailLink(LinkProblem::Expired) => error_text(410, "link_expired", phrase!("error-mail-link-expired")),
            Self::MailLink(LinkProblem::Used) => error_text(410, "link_used", phrase!("error-mail-link-used")),
            Self::EmailInUse => error_text(409, "email_in_use", phrase!("error-email-in-use")),
            Self::RegistrationClosed => error_text(403, "registration_closed", phrase!("error-registration-closed")),
            Self::InvitationNeeded => error_text(403, "invitation_needed", phrase!("error-invitation-needed")),
            Self::Invitation(LinkProblem::Invalid | LinkProblem::WrongUser) => {
                error_text(400, "link_invalid", phrase!("error-invitation-invalid"))
            }
            Self::Invitation(LinkProblem::Expired) => {
                error_text(410, "link_expired", phrase!("error-invitation-expired"))
            }
            Self::Invitation(LinkProblem::Used) => error_text(410, "link_used", phrase!("error-invitation-used")),
            Self::HasOwner => error_text(410, "has_owner", phrase!("error-has-owner")),
            Self::LastOwner => error_text(409, "last_of_staff", phrase!("error-last-owner")),
            Self::GracePeriodOver => error_text(410, "week_is_over", phrase!("error-deletion-started")),
            Self::ExportLimited { .. } => {
                error_text(429, "export_limited", phrase!("error-export-limited", wait = wait()))
            }
            Self::ReportsLimited { .. } => {
                error_text(429, "reports_limited", phrase!("error-reports-limited", wait = wait()))
            }
            Self::NoMail => error_text(503, "no_mail", phrase!("error-no-mail")),
        }
    }

    fn retry_after(&self) -> Option<i64> {
        match self {
            Self::SignInLimited { retry_after }
            | Self::ReportsLimited { retry_after }
            | Self::ExportLimited { retry_after } => Some(retry_after_seconds(*retry_after, SECONDS_PER_DAY)),
            _ => None,
        }
    }

    fn help(&self) -> Option<Phrase> {
        match self {
            Self::MailLink(_) => Some(phrase!("error-see-account")),
            Self::HasOwner => Some(phrase!("error-see-sign-in")),
            _ => None,
        }
    }
}
