//! Webhooks: HTTP requests that tell other servers about events of the site (Standard Webhooks).
//!
//! An event is queued in the transaction of the action that causes it, with one row for each webhook that subscribes to
//! it. A background task sends the queued events and retries failed attempts, so that each event arrives at least once.

mod address_policy;
pub mod delivery;
pub mod event;
pub mod models;
pub mod payload;
pub mod queue;
mod settings;
pub mod url;

pub use self::address_policy::AddressPolicy;
pub use self::event::WebhookEvent;
pub use self::settings::Settings;
