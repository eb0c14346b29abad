//! URLs of reports.

use crate::web::routing::route::{Class, Route};

/// Report form of a post. Blocked users may report, too.
pub const REPORT: Route = Route::at("/blogs/{id}/report/").class(Class::Account);
/// Cases of the user, as reporter or author.
pub const MINE: Route = Route::at("/reports/");
/// Case page for anonymous reporters, opened by a signed link.
pub const BY_LINK: Route = Route::at("/reports/by_link/").class(Class::Account).secret_query();
/// Case page for reporters and authors.
pub const CASE: Route = Route::at("/reports/{id}/");
/// Appeal against a decision.
pub const APPEAL: Route = Route::at("/reports/{id}/appeal/").class(Class::Account);
