//! Parts of a response: pages, forms, lists, messages.

pub mod csv;
pub mod form;
pub mod layout;
pub mod messages;
pub mod pagination;
pub mod rate_limit;
pub mod sign_in_reason;
pub mod view;
