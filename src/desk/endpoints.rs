//! What is at which address.

use super::{deeds, front, limiter, lists, log, reports, urls, users};
use crate::web::endpoint::Endpoint;

#[must_use]
pub fn endpoints() -> Vec<Endpoint> {
    vec![
        Endpoint::at(urls::DESK).get(front::show),
        Endpoint::at(urls::LIMITER).get(limiter::show),
        Endpoint::at(urls::CHOOSE).get(limiter::form).post(limiter::choose),
        Endpoint::at(urls::UNDO).post(limiter::undo),
        Endpoint::at(urls::REPLAY).get(limiter::replay),
        Endpoint::at(urls::USERS).get(users::list),
        Endpoint::at(urls::ACT_ON_USERS).get(users::form).post(users::act),
        Endpoint::at(urls::REPORTS).get(reports::list),
        Endpoint::at(urls::REPORT).get(reports::show).post(reports::decide),
        Endpoint::at(urls::POSTS).get(lists::show::<lists::Posts>),
        Endpoint::at(urls::RATINGS).get(lists::show::<lists::Ratings>),
        Endpoint::at(urls::TAGS).get(lists::show::<lists::Tags>),
        Endpoint::at(urls::WARNINGS).get(lists::show::<lists::Warnings>),
        Endpoint::at(urls::PAUSES).get(lists::show::<lists::Pauses>),
        Endpoint::at(urls::SESSIONS).get(lists::show::<lists::Sessions>),
        Endpoint::at(urls::STATES).get(lists::show::<lists::States>),
        Endpoint::at(urls::MAILS).get(lists::show::<lists::Mails>),
        Endpoint::at(urls::ACT).get(deeds::form).post(deeds::act),
        Endpoint::at(urls::LOG).get(log::list),
    ]
}
