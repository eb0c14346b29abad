//! Endpoints of rate classes.

use super::{urls, views};
use crate::web::routing::endpoint::Endpoint;

#[must_use]
pub fn endpoints() -> Vec<Endpoint> {
    vec![Endpoint::new(urls::CLASSES).get(views::classes), Endpoint::new(urls::EVENTS).get(views::events)]
}
