//! Endpoint of the personal data export.

use super::export;
use crate::users::urls;
use crate::web::routing::endpoint::Endpoint;

pub fn endpoints() -> Vec<Endpoint> {
    vec![
        Endpoint::new(urls::EXPORT_PERSONAL_DATA)
            .get("Export your data", export::export)
            .note("ZIP archive with JSON, Markdown and image files.")
            .errors(&["export_limited"])
            .file("application/zip"),
    ]
}
