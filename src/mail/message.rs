//! A mail, as text and as HTML.

use chrono::{DateTime, TimeDelta, Utc};
use lettre::Message;
use lettre::message::header::{ContentType, HeaderName, HeaderValue};
use lettre::message::{Mailbox, MultiPart, SinglePart};

/// What is to be sent.
#[derive(Clone, Debug)]
pub struct Mail {
    /// What it is about, for the log.
    pub kind: &'static str,
    pub to: String,
    pub subject: String,
    pub text: String,
    pub html: String,
    /// After this it is of no use.
    pub useful_for: TimeDelta,
}

/// A mail in the outbox.
#[derive(Clone, Debug)]
pub(super) struct StoredMail {
    pub id: i64,
    pub kind: String,
    pub recipient: String,
    pub subject: String,
    pub body_text: String,
    pub body_html: String,
    pub created_at: DateTime<Utc>,
}

/// A mail that cannot be written: an address that is none.
#[derive(Debug, thiserror::Error)]
#[error("the mail cannot be written: {0}")]
pub(super) struct Unwritable(String);

impl StoredMail {
    /// The whole message. However often it is made, its Message-ID is the same.
    pub fn message(&self, from: &Mailbox) -> Result<Message, Unwritable> {
        let unwritable = |error: &dyn std::fmt::Display| Unwritable(error.to_string());
        let to: Mailbox = self.recipient.parse().map_err(|error: lettre::address::AddressError| unwritable(&error))?;
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
        // Nobody's absence is to be answered (RFC 3834).
        let automatic = HeaderName::new_from_ascii_str("Auto-Submitted");
        message.headers_mut().insert_raw(HeaderValue::new(automatic, "auto-generated".to_owned()));
        Ok(message)
    }
}
