//! Parts of a request: client, user, format, body, query.

pub mod body;
pub mod client;
pub mod context;
pub mod credentials;
pub mod current_user;
pub mod form_field;
pub mod format;
pub mod host;
pub(crate) mod id;
pub mod if_match;
pub mod locale;
pub mod query;
pub mod upload;
