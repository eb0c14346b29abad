//! URLs below `/links/`.

use crate::web::routing::route::Route;

pub const WARNING_PAGE: Route = Route::new("/links/{hash}/");
