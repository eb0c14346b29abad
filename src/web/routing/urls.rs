//! URLs of static files.

use super::route::Route;
use crate::site::SiteImage;

pub const STATIC_FILE: Route = Route::new("/static/{name}").without_session();

pub const FAVICON: Route = Route::new("/favicon.ico").without_session();

/// Style sheet with the accent color of the site.
pub const THEME: &str = "theme.css";
pub const LOGO: &str = "logo";
pub const ICON: &str = "site-icon";
/// Minimum width of the files of uploaded logos and icons, in pixels.
const SITE_IMAGE_WIDTH: u32 = 240;

/// `name` is the name of the file below `/static/`.
pub fn site_image_path(image: &SiteImage, name: &str) -> String {
    match image {
        SiteImage::Uploaded(image) => image.path_for_width(SITE_IMAGE_WIDTH),
        SiteImage::File(file) => static_file_path(name, Some(&file.hash)),
    }
}

/// Returns the path of a static file. If the query contains the content hash, browsers may cache the file for one year.
pub fn static_file_path(name: &str, hash: Option<&str>) -> String {
    let query = hash.map(|hash| format!("?v={hash}")).unwrap_or_default();
    format!("{}{query}", STATIC_FILE.pattern.replace("{name}", name))
}
