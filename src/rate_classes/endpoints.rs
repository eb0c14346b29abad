//! Endpoints of rate classes.

use super::{urls, views};
use crate::web::routing::endpoint::Endpoint;

#[must_use]
pub fn endpoints() -> Vec<Endpoint> {
    vec![Endpoint::at(urls::CLASSES).get(views::classes), Endpoint::at(urls::EVENTS).get(views::events)]
}
