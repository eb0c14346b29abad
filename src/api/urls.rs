//! URLs of the `OpenAPI` document and its reference page.

use crate::web::routing::route::Route;

pub const SCHEMA: Route = Route::new("/api/schema/").always_json();
pub const DOCS: Route = Route::new("/api/docs/");
