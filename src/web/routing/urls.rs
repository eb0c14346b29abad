//! URLs of static files.

use super::route::Route;

pub const STATIC_FILE: Route = Route::new("/static/{name}").without_session();

pub const FAVICON: Route = Route::new("/favicon.ico").without_session();

/// Style sheet with the accent color of the site.
pub const THEME: &str = "theme.css";

/// Returns the path of a static file. If the query contains the content hash, browsers may cache the file for one year.
pub fn static_file_path(name: &str, hash: Option<&str>) -> String {
    let query = hash.map(|hash| format!("?v={hash}")).unwrap_or_default();
    format!("{}{query}", STATIC_FILE.pattern.replace("{name}", name))
}
