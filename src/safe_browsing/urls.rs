//! URLs below `/links/`.

use crate::web::routing::route::Route;

/// Warning page of a flagged URL.
pub const SUSPECTED: Route = Route::at("/links/{hash}/");

/// Path of the warning page for this URL hash.
#[must_use]
pub fn suspected(hash: &str) -> String {
    SUSPECTED.pattern.replace("{hash}", hash)
}
