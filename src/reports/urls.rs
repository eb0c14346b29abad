//! Addresses of reports.

use crate::web::routing::route::{Address, Class};

/// Reports a post. Whoever may only read may do that, too.
pub const REPORT: Address = Address::at("/blogs/{id}/report/").class(Class::Account);
/// What one has reported, and what was decided about one's posts.
pub const MINE: Address = Address::at("/reports/");
/// A case, for a guest who reported.
pub const BY_LINK: Address = Address::at("/reports/by_link/").class(Class::Account).secret_query();
/// A case, for those whom it concerns.
pub const CASE: Address = Address::at("/reports/{id}/");
/// Asks for another decision.
pub const APPEAL: Address = Address::at("/reports/{id}/appeal/").class(Class::Account);
