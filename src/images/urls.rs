//! Addresses of images.

use crate::web::routing::route::{Address, Class};

/// One's own, and where new ones are sent to.
pub const IMAGES: Address = Address::at("/images/").class(Class::Write);
/// A file of an image.
pub const FILE: Address = Address::at("/images/{name}").without_session();
pub const DELETE: Address = Address::at("/images/{name}/delete/").class(Class::Write);
