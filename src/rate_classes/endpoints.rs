//! Endpoints of rate classes.

use super::{urls, views};
use crate::web::routing::endpoint::Endpoint;

#[must_use]
pub fn endpoints() -> Vec<Endpoint> {
    vec![
        Endpoint::new(urls::CLASSES).get(views::list_classes),
        Endpoint::new(urls::STATUS_EVENTS).get(views::stream_status_events),
    ]
}
