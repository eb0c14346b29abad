//! URLs of images.

use crate::web::routing::route::{Class, Route};

/// List of the user's images, and uploads.
pub const IMAGES: Route = Route::at("/images/").class(Class::Write);
pub const FILE: Route = Route::at("/images/{name}").without_session();
pub const DELETE: Route = Route::at("/images/{name}/delete/").class(Class::Write);
