//! Endpoints of Safe Browsing warnings.

use super::{urls, views};
use crate::web::routing::endpoint::Endpoint;

pub fn endpoints() -> Vec<Endpoint> {
    vec![Endpoint::new(urls::WARNING_PAGE).get("Read a warning about a URL", views::show_warning)]
}
