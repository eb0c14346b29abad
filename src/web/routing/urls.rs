//! URLs of the files in `static/`.

use super::route::Route;

pub const STATIC_FILE: Route = Route::at("/static/{name}").without_session();

/// The path of a static file. With the hash of its content in the query, it may be cached for a year.
#[must_use]
pub fn static_file(name: &str, hash: Option<&str>) -> String {
    let query = hash.map(|hash| format!("?v={hash}")).unwrap_or_default();
    format!("{}{query}", STATIC_FILE.pattern.replace("{name}", name))
}
