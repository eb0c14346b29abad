//! Email messages with a plain-text and an HTML body.

use chrono::{DateTime, TimeDelta, Utc};
use lettre::Message;
use lettre::message::header::{ContentType, HeaderName, HeaderValue};
use lettre::message::{Mailbox, MultiPart, SinglePart};
use sqlx::types::Json;

use evenkeel_limiters::PacerState;

#[derive(Clone, Debug)]
pub struct Mail {
    /// Type of the email for the log, such as `password_reset`.
    pub kind: &'static str,
    pub to: String,
    pub subject: String,
    pub text: String,
    pub html: String,
    /// Time after which an unsent email is deleted.
    pub expires_in: TimeDelta,
}

/// Row of the `outbox` table.
#[derive(Clone, Debug)]
pub(super) struct StoredMail {
    pub id: i64,
    pub kind: String,
    pub recipient: String,
    pub subject: String,
    pub body_text: String,
    pub body_html: String,
    pub created_at: DateTime<Utc>,
    /// Backoff of this email; `None` before the first failure.
    pub pace: Option<Json<PacerState>>,
}

#[derive(Debug, thiserror::Error)]
#[error("cannot build the mail: {0}")]
pub(super) struct MessageError(String);

impl StoredMail {
    /// The Message-ID is the same on every retry.
    pub fn build_message(&self, from: &Mailbox) -> Result<Message, MessageError> {
        let unwritable = |error: &dyn std::fmt::Display| MessageError(error.to_string());
        let to: Mailbox = with_ascii_domain(&self.recipient)
            .parse()
            .map_err(|error: lettre::address::AddressError| unwritable(&error))?;
        let id = format!("<{}.{}@{}>", self.id, self.created_at.timestamp_micros(), from.email.domain());
        let part = |kind, body: &str| SinglePart::builder().header(kind).body(body.to_owned());
        let mut message = Message::builder()
            .from(from.clone())
            .to(to)
            .subject(&self.subject)
            .date(self.created_at.into())
            .message_id(Some(id))
            .multipart(
                MultiPart::alternative()
                    .singlepart(part(ContentType::TEXT_PLAIN, &self.body_text))
                    .singlepart(part(ContentType::TEXT_HTML, &self.body_html)),
            )
            .map_err(|error| unwritable(&error))?;
        // Marks the email as automatic, so that it triggers no out-of-office replies (RFC 3834).
        let automatic = HeaderName::new_from_ascii_str("Auto-Submitted");
        message.headers_mut().insert_raw(HeaderValue::new(automatic, "auto-generated".to_owned()));
        Ok(message)
    }
}

/// Writes the domain of an email address in ASCII (Punycode), because many mail servers do not support SMTPUTF8.
pub(super) fn with_ascii_domain(address: &str) -> String {
    let ascii = |(local, domain)| Some(format!("{local}@{}", idna::domain_to_ascii(domain).ok()?));
    address.rsplit_once('@').and_then(ascii).unwrap_or_else(|| address.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn domains_are_written_in_ascii() {
        assert_eq!(with_ascii_domain("ann@bücher.example"), "ann@xn--bcher-kva.example");
        assert_eq!(with_ascii_domain("ann@example.com"), "ann@example.com");
    }
}
