//! URLs of the description of the API.

use crate::web::routing::route::Route;

/// Description of the API in JSON or YAML.
pub const SCHEMA: Route = Route::new("/api/schema/").always_json();
/// Reference of the API for people.
pub const DOCS: Route = Route::new("/api/docs/");
