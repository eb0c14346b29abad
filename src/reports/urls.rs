//! URLs of reports.

use crate::web::routing::route::{RequestClass, Route};

/// Report form of a post. Blocked users may report, too.
pub const REPORT_POST: Route = Route::new("/blogs/{id}/report/").class(RequestClass::Account);
/// Cases of the user, as reporter or author.
pub const CASE_LIST: Route = Route::new("/reports/");
/// Case page for anonymous reporters, opened by a signed link.
pub const CASE_BY_LINK: Route = Route::new("/reports/by_link/").class(RequestClass::Account).secret_query();
/// Case page for reporters and authors.
pub const CASE: Route = Route::new("/reports/{id}/");
/// Appeal against a decision.
pub const APPEAL_CASE: Route = Route::new("/reports/{id}/appeal/").class(RequestClass::Account);
