//! What every app needs to be asked and to answer. Knows no app.
//!
//! From the outside in:
//! - [`server`] and [`connections`]: HTTP, and how long clients may take
//! - [`finish`] and [`guard`]: every request, before and after its view
//! - [`address`] and [`endpoint`]: what an address is, and what is done there
//! - [`cached`] and [`page_cache`]: what guests were shown a moment ago
//! - [`payload`], [`field`], [`upload`] and [`query`]: what comes in
//! - [`view`], [`form`], [`paging`] and [`error`]: what goes out

pub mod address;
pub mod answered;
pub mod cached;
pub mod client;
pub mod connection;
pub mod connections;
pub mod cookies;
pub mod csv;
pub mod deadline;
pub mod endpoint;
pub mod error;
pub mod field;
pub mod finish;
pub mod form;
pub mod format;
pub mod guard;
pub mod host;
pub(crate) mod id;
pub mod identity;
pub mod layout;
pub mod limited;
pub mod locale;
pub mod messages;
pub mod page_cache;
pub mod paging;
pub mod payload;
pub mod purpose;
pub mod query;
pub mod role;
mod security_headers;
pub mod server;
pub mod settings;
mod spelling;
pub mod state;
pub mod static_files;
pub mod text;
pub mod trace;
pub mod traffic;
pub mod turns;
pub mod upload;
pub mod urls;
pub mod view;
pub mod visitor;

pub use self::spelling::canonical;
