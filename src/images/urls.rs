//! URLs of image files and of the pages on which users manage their images.

use crate::access::RequestClass;
use crate::web::routing::route::Route;

pub const IMAGE_LIST: Route = Route::new("/images/").rate_class(RequestClass::Write);
pub const IMAGE_FILE: Route = Route::new("/images/{name}").without_session();
pub const DELETE_IMAGE: Route = Route::new("/images/{name}/delete/").rate_class(RequestClass::Write);
