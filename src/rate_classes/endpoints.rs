//! Endpoints of rate classes.

use super::views::RateClassList;
use super::{urls, views};
use crate::access::RequestClass;
use crate::web::routing::endpoint::Endpoint;
use crate::web::routing::operation::QueryParameter;

pub fn endpoints() -> Vec<Endpoint> {
    vec![
        Endpoint::new(urls::CLASSES)
            .get("List rate classes", views::list_classes)
            .note("Limits of each rate class, and the current status of the client.")
            .json::<RateClassList>(200),
        Endpoint::new(urls::STATUS_EVENTS)
            .get("Stream rate class changes", views::stream_status_events)
            .note("Server-sent events: `CHANGE`, `WARNING`, `LIMIT` and `CLEAR`.")
            .errors(&["not_found", "too_many_streams"])
            .query([QueryParameter::repeated(
                "class",
                "Rate classes; without it, all of them",
                &RequestClass::ALL.map(RequestClass::name),
            )])
            .file("text/event-stream"),
    ]
}
