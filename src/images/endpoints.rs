//! URL configuration of images.

use super::{urls, views};
use crate::web::routing::endpoint::Endpoint;

#[must_use]
pub fn endpoints() -> Vec<Endpoint> {
    vec![
        Endpoint::new(urls::IMAGE_LIST).get(views::list).post(views::add),
        Endpoint::new(urls::DELETE_IMAGE).post(views::delete),
    ]
}

/// Routes of the public image files, which are served without a session.
#[must_use]
pub fn file_endpoints() -> Vec<Endpoint> {
    vec![Endpoint::new(urls::IMAGE_FILE).get(views::serve_file)]
}
