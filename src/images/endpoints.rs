//! URL configuration of images.

use super::{urls, views};
use crate::web::routing::endpoint::Endpoint;

#[must_use]
pub fn endpoints() -> Vec<Endpoint> {
    vec![Endpoint::new(urls::IMAGES).get(views::list).post(views::add), Endpoint::new(urls::DELETE).post(views::delete)]
}

/// Routes of the public image files, which are served without a session.
#[must_use]
pub fn files() -> Vec<Endpoint> {
    vec![Endpoint::new(urls::FILE).get(views::file)]
}
