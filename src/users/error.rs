//! Errors of accounts.

use crate::i18n::Phrase;
use crate::phrase;
use crate::web::error::{AppProblem, DAY_S, ErrorText, LinkProblem, error_text, seconds};
use crate::web::response::text::duration;

#[derive(Debug, thiserror::Error)]
pub enum AccountError {
    /// 401 `wrong_credentials`: the same for an unknown name and a wrong password.
    #[error("wrong credentials")]
    WrongCredentials,
    /// 401 `second_factor_needed`: the password is right, and a code is needed. `proof` tells so for five minutes.
    #[error("second factor needed")]
    SecondFactorNeeded { proof: String },
    /// 401 `wrong_code`: not the code of the moment, or used before.
    #[error("wrong code")]
    WrongCode,
    /// 401 `sign_in_again`: the code came too long after the password.
    #[error("sign in again")]
    SignInAgain,
    /// 429 `sign_in_limited`: too many attempts to sign in or register.
    #[error("sign-in limited")]
    SignInLimited { retry_after_ms: i64 },
    /// A link from a mail that is of no use, and why.
    #[error("no link from a mail: {0:?}")]
    MailLink(LinkProblem),
    /// 403 `registration_closed`: nobody can register here.
    #[error("registration closed")]
    RegistrationClosed,
    /// 403 `invitation_needed`: registration is by invitation, and none came with this.
    #[error("invitation needed")]
    InvitationNeeded,
    /// An invitation that is of no use, and why.
    #[error("no invitation: {0:?}")]
    Invitation(LinkProblem),
    /// 410 `has_owner`: the owner's account was made before.
    #[error("has an owner")]
    HasOwner,
    /// 409 `last_of_staff`: nobody would run the site.
    #[error("last of staff")]
    LastOfStaff,
    /// 410 `week_is_over`: the account is being deleted.
    #[error("week is over")]
    WeekIsOver,
    /// 429 `export_limited`: too many downloads of one's data.
    #[error("export limited")]
    ExportLimited { retry_after_ms: i64 },
    /// 429 `reports_limited`: too many reports of posts.
    #[error("reports limited")]
    ReportsLimited { retry_after_ms: i64 },
    /// 503 `no_mail`: this site sends no mail.
    #[error("no mail")]
    NoMail,
}

impl AppProblem for AccountError {
    #[expect(clippy::too_many_lines, reason = "a table is read row by row")]
    fn words(&self) -> ErrorText {
        match self {
            Self::WrongCredentials => error_text(401, "wrong_credentials", phrase!("error-wrong-credentials")),
            Self::SecondFactorNeeded { .. } => {
                error_text(401, "second_factor_needed", phrase!("error-second-factor-needed"))
            }
            Self::WrongCode => error_text(401, "wrong_code", phrase!("error-wrong-code")),
            Self::SignInAgain => error_text(401, "sign_in_again", phrase!("error-sign-in-again")),
            Self::SignInLimited { .. } => error_text(
                429,
                "sign_in_limited",
                phrase!("error-sign-in-limited", wait = duration(self.retry_after().unwrap_or(1))),
            ),
            Self::MailLink(LinkProblem::Invalid | LinkProblem::OfAnother) => {
                error_text(400, "link_invalid", phrase!("error-mail-link-invalid"))
            }
            Self::MailLink(LinkProblem::Expired) => error_text(410, "link_expired", phrase!("error-mail-link-expired")),
            Self::MailLink(LinkProblem::Used) => error_text(410, "link_used", phrase!("error-mail-link-used")),
            Self::RegistrationClosed => error_text(403, "registration_closed", phrase!("error-registration-closed")),
            Self::InvitationNeeded => error_text(403, "invitation_needed", phrase!("error-invitation-needed")),
            Self::Invitation(LinkProblem::Invalid | LinkProblem::OfAnother) => {
                error_text(400, "link_invalid", phrase!("error-invitation-invalid"))
            }
            Self::Invitation(LinkProblem::Expired) => {
                error_text(410, "link_expired", phrase!("error-invitation-expired"))
            }
            Self::Invitation(LinkProblem::Used) => error_text(410, "link_used", phrase!("error-invitation-used")),
            Self::HasOwner => error_text(410, "has_owner", phrase!("error-has-owner")),
            Self::LastOfStaff => error_text(409, "last_of_staff", phrase!("error-last-of-staff")),
            Self::WeekIsOver => error_text(410, "week_is_over", phrase!("error-week-is-over")),
            Self::ExportLimited { .. } => error_text(
                429,
                "export_limited",
                phrase!("error-export-limited", wait = duration(self.retry_after().unwrap_or(1))),
            ),
            Self::ReportsLimited { .. } => error_text(
                429,
                "reports_limited",
                phrase!("error-reports-limited", wait = duration(self.retry_after().unwrap_or(1))),
            ),
            Self::NoMail => error_text(503, "no_mail", phrase!("error-no-mail")),
        }
    }

    fn retry_after(&self) -> Option<i64> {
        match self {
            Self::SignInLimited { retry_after_ms }
            | Self::ReportsLimited { retry_after_ms }
            | Self::ExportLimited { retry_after_ms } => Some(seconds(*retry_after_ms, DAY_S)),
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
