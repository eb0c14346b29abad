//! URLs of images.

use crate::web::routing::route::{Class, Route};

/// One's own, and where new ones are sent to.
pub const IMAGES: Route = Route::at("/images/").class(Class::Write);
/// A file of an image.
pub const FILE: Route = Route::at("/images/{name}").without_session();
pub const DELETE: Route = Route::at("/images/{name}/delete/").class(Class::Write);
