//! URLs of images.

use crate::web::routing::route::{RequestClass, Route};

/// List of the user's images, and uploads.
pub const IMAGES: Route = Route::new("/images/").class(RequestClass::Write);
pub const FILE: Route = Route::new("/images/{name}").without_session();
pub const DELETE: Route = Route::new("/images/{name}/delete/").class(RequestClass::Write);
