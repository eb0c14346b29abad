//! What is at which address.

use super::{limiter, log, reports, urls, users, views};
use crate::web::endpoint::Endpoint;

#[must_use]
pub fn endpoints() -> Vec<Endpoint> {
    vec![
        Endpoint::at(urls::DESK).get(views::front),
        Endpoint::at(urls::LIMITER).get(limiter::show),
        Endpoint::at(urls::CHOOSE).get(limiter::form).post(limiter::choose),
        Endpoint::at(urls::UNDO).post(limiter::undo),
        Endpoint::at(urls::REPLAY).get(limiter::replay),
        Endpoint::at(urls::USERS).get(users::list),
        Endpoint::at(urls::ACT_ON_USERS).get(users::form).post(users::act),
        Endpoint::at(urls::REPORTS).get(reports::list),
        Endpoint::at(urls::REPORT).get(reports::show).post(reports::decide),
        Endpoint::at(urls::LOG).get(log::list),
    ]
}
