//! Endpoints of reports.

use super::{urls, views};
use crate::web::routing::endpoint::Endpoint;

#[must_use]
pub fn endpoints() -> Vec<Endpoint> {
    vec![
        Endpoint::at(urls::REPORT).get(views::form).post(views::report),
        Endpoint::at(urls::MINE).get(views::list),
        // Must precede `/reports/{id}/`, which would match this path, too.
        Endpoint::at(urls::BY_LINK).get(views::show_by_link).post(views::appeal_by_link),
        Endpoint::at(urls::CASE).get(views::show),
        Endpoint::at(urls::APPEAL).post(views::appeal),
    ]
}
