//! Endpoints of the admin area.

use super::{actions, audit_log, dashboard, limiter, list, lists, reports, urls, users};
use crate::web::routing::endpoint::Endpoint;

#[must_use]
pub fn endpoints() -> Vec<Endpoint> {
    vec![
        Endpoint::at(urls::ADMIN).get(dashboard::show),
        Endpoint::at(urls::LIMITER).get(limiter::show),
        Endpoint::at(urls::CHOOSE).get(limiter::form).post(limiter::choose),
        Endpoint::at(urls::UNDO).post(limiter::undo),
        Endpoint::at(urls::REPLAY).get(limiter::replay),
        Endpoint::at(urls::USERS).get(users::list),
        Endpoint::at(urls::ACT_ON_USERS).get(users::form).post(users::act),
        Endpoint::at(urls::REPORTS).get(list::show::<reports::Cases>),
        Endpoint::at(urls::REPORT).get(reports::show).post(reports::decide),
        Endpoint::at(urls::POSTS).get(list::show::<lists::Posts>),
        Endpoint::at(urls::RATINGS).get(list::show::<lists::Ratings>),
        Endpoint::at(urls::TAGS).get(list::show::<lists::Tags>),
        Endpoint::at(urls::WARNINGS).get(list::show::<lists::Warnings>),
        Endpoint::at(urls::PAUSES).get(list::show::<lists::Pauses>),
        Endpoint::at(urls::SESSIONS).get(list::show::<lists::Sessions>),
        Endpoint::at(urls::INVITATIONS).get(list::show::<lists::Invitations>),
        Endpoint::at(urls::STATES).get(list::show::<lists::States>),
        Endpoint::at(urls::MAILS).get(list::show::<lists::Mails>),
        Endpoint::at(urls::ACT).get(actions::form).post(actions::act),
        Endpoint::at(urls::LOG).get(list::show::<audit_log::Log>),
    ]
}
