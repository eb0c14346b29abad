//! URLs of image files and of the pages on which users manage their images.

use crate::web::routing::route::{RequestClass, Route};

/// List of the user's images (GET), and uploads of images (POST).
pub const IMAGES: Route = Route::new("/images/").class(RequestClass::Write);
pub const FILE: Route = Route::new("/images/{name}").without_session();
pub const DELETE: Route = Route::new("/images/{name}/delete/").class(RequestClass::Write);
