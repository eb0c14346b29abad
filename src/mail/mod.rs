//! Outgoing email: a transactional outbox table, and a background task that sends the queued emails.
//!
//! An email is sent at most once. Delivery is retried with backoff only while the email has certainly not been
//! delivered. If the outcome is unknown, for example because the connection was lost before the server acknowledged the
//! content, the email is dropped.

pub mod delivery;
mod message;
pub(crate) mod outbox;
mod settings;
mod smtp;

pub use self::message::Mail;
pub use self::outbox::Outbox;
pub use self::settings::{Encryption, Settings, SmtpServer, Transport};

/// Lets the mail server check the sender, without sending an email. Returns an error message if the check fails.
pub async fn find_server_problem(settings: &Settings) -> Option<String> {
    let Transport::Smtp(server) = &settings.transport else { return None };
    let checked = async {
        let mut connection = smtp::Connection::open(server).await?;
        let checked = connection.check_sender(&settings.from.email).await;
        connection.close().await;
        checked
    };
    let error = checked.await.err()?;
    Some(format!("SMTP_URL and MAIL_FROM: mails from {} cannot be sent: {error}", settings.from.email))
}
