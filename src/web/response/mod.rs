//! Parts of a response: pages, forms, lists, messages.

pub mod chart;
pub mod csv;
pub mod form;
pub mod layout;
pub mod messages;
pub mod pagination;
pub mod rate_limit;
pub mod sign_in_reason;
pub mod site_identity;
pub mod text;
pub mod view;
