//! URLs of reports.

use crate::access::{ApiScope, RequestClass, Role};
use crate::web::routing::route::Route;

/// Blocked users may also report posts.
pub const REPORT_POST: Route =
    Route::new("/blogs/{id}/report/").rate_class(RequestClass::Account).token_scope(ApiScope::Write);
pub const CASE_LIST: Route = Route::new("/reports/");
/// Case page for anonymous reporters, accessed with a signed link.
pub const CASE_BY_LINK: Route = Route::new("/reports/by_link/").rate_class(RequestClass::Account).secret_query();
pub const CASE: Route = Route::new("/reports/{id}/");
pub const APPEAL_CASE: Route =
    Route::new("/reports/{id}/appeal/").rate_class(RequestClass::Account).token_scope(ApiScope::Write);
pub const CASE_FOR_STAFF: Route =
    Route::new("/admin/reports/{id}/").rate_class(RequestClass::Account).requires_role(Role::Moderator);
