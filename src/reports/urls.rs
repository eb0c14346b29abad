//! URLs of reports.

use crate::web::routing::route::{Class, Route};

/// Reports a post. Whoever may only read may do that, too.
pub const REPORT: Route = Route::at("/blogs/{id}/report/").class(Class::Account);
/// What one has reported, and what was decided about one's posts.
pub const MINE: Route = Route::at("/reports/");
/// A case, for a guest who reported.
pub const BY_LINK: Route = Route::at("/reports/by_link/").class(Class::Account).secret_query();
/// A case, for those whom it concerns.
pub const CASE: Route = Route::at("/reports/{id}/");
/// Asks for another decision.
pub const APPEAL: Route = Route::at("/reports/{id}/appeal/").class(Class::Account);
