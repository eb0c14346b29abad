//! URLs below `/links/`.

use crate::web::routing::route::Route;

pub const WARNING_PAGE: Route = Route::new("/links/{hash}/");

pub fn warning_path(hash: &str) -> String {
    WARNING_PAGE.pattern.replace("{hash}", hash)
}
