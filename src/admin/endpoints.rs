//! Endpoints of the admin area.

use super::{actions, audit_log, dashboard, limiter, list, lists, reports, urls, users};
use crate::web::routing::endpoint::Endpoint;

#[must_use]
pub fn endpoints() -> Vec<Endpoint> {
    vec![
        Endpoint::new(urls::ADMIN).get(dashboard::show),
        Endpoint::new(urls::LIMITER).get(limiter::show),
        Endpoint::new(urls::SET_OVERRIDE).get(limiter::form).post(limiter::set_override),
        Endpoint::new(urls::WITHDRAW_OVERRIDE).post(limiter::withdraw_override),
        Endpoint::new(urls::REPLAY).get(limiter::replay),
        Endpoint::new(urls::USERS).get(users::list),
        Endpoint::new(urls::USER_ACTION).get(users::form).post(users::apply),
        Endpoint::new(urls::REPORTS).get(list::show::<reports::CaseList>),
        Endpoint::new(urls::REPORT).get(reports::show).post(reports::decide),
        Endpoint::new(urls::POSTS).get(list::show::<lists::Posts>),
        Endpoint::new(urls::RATINGS).get(list::show::<lists::Ratings>),
        Endpoint::new(urls::TAGS).get(list::show::<lists::Tags>),
        Endpoint::new(urls::FLAGGED_LINKS).get(list::show::<lists::FlaggedLinks>),
        Endpoint::new(urls::PAUSES).get(list::show::<lists::RatingPauses>),
        Endpoint::new(urls::SESSIONS).get(list::show::<lists::Sessions>),
        Endpoint::new(urls::INVITATIONS).get(list::show::<lists::Invitations>),
        Endpoint::new(urls::LIMITER_STATES).get(list::show::<lists::LimiterStates>),
        Endpoint::new(urls::MAILS).get(list::show::<lists::Mails>),
        Endpoint::new(urls::BULK_ACTION).get(actions::form).post(actions::apply),
        Endpoint::new(urls::AUDIT_LOG).get(list::show::<audit_log::AuditLogList>),
    ]
}
