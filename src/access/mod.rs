//! Roles, blocks, scopes of API tokens, and request classes. URLs declare which of them a request needs.

mod request_class;
mod role;
mod scope;

pub use self::request_class::RequestClass;
pub use self::role::{Role, UserBlock};
pub use self::scope::{ApiScope, ScopeSet};
