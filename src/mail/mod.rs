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
