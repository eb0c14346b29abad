//! Addresses below `/links/`.

use crate::web::routing::route::Address;

/// The page that stands before an address that is suspected.
pub const SUSPECTED: Address = Address::at("/links/{hash}/");

/// The page before the address with this hash.
#[must_use]
pub fn suspected(hash: &str) -> String {
    SUSPECTED.pattern.replace("{hash}", hash)
}
