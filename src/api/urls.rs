//! URLs of the description of the API.

use crate::web::routing::route::Route;

pub const SCHEMA: Route = Route::new("/api/schema/").always_json();
pub const DOCS: Route = Route::new("/api/docs/");
