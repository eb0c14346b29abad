//! Mail: written to a table with what it is about, and sent from there by a task of its own.
//!
//! A mail is sent at most once. It is tried again, later and later, as long as it was certainly not delivered; where
//! that is not known, as when a server is gone before it says that it has taken the text, it is given up.

pub mod delivery;
mod message;
mod outbox;
mod settings;
mod smtp;

pub use self::message::Mail;
pub use self::outbox::Outbox;
pub use self::settings::{Encryption, Server, Settings, Transport};
