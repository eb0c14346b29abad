//! Endpoints of reports.

use super::{urls, views};
use crate::web::routing::endpoint::Endpoint;

#[must_use]
pub fn endpoints() -> Vec<Endpoint> {
    vec![
        Endpoint::new(urls::REPORT_POST).get(views::report_form).post(views::report),
        Endpoint::new(urls::CASE_LIST).get(views::list),
        // This endpoint must precede `/reports/{id}/`, which also matches its path.
        Endpoint::new(urls::CASE_BY_LINK).get(views::show_by_link).post(views::appeal_by_link),
        Endpoint::new(urls::CASE).get(views::show),
        Endpoint::new(urls::APPEAL_CASE).post(views::appeal),
    ]
}
