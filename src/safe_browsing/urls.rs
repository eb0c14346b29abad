//! URLs below `/links/`.

use crate::web::routing::route::Route;

/// Warning page of a flagged URL.
pub const WARNING_PAGE: Route = Route::new("/links/{hash}/");

/// Path of the warning page for this URL hash.
pub fn warning_path(hash: &str) -> String {
    WARNING_PAGE.pattern.replace("{hash}", hash)
}
