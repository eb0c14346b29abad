//! URLs below `/links/`.

use crate::web::routing::route::Route;

/// The page that stands before an address that is suspected.
pub const SUSPECTED: Route = Route::at("/links/{hash}/");

/// The page before the address with this hash.
#[must_use]
pub fn suspected(hash: &str) -> String {
    SUSPECTED.pattern.replace("{hash}", hash)
}
