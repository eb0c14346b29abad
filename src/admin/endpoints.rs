//! Endpoints of the admin area.

use super::{actions, audit_log, dashboard, limiter, list, lists, reports, urls, users};
use crate::web::routing::endpoint::Endpoint;

#[must_use]
pub fn endpoints() -> Vec<Endpoint> {
    vec![
        Endpoint::new(urls::ADMIN).get(dashboard::show),
        Endpoint::new(urls::LIMITER).get(limiter::show),
        Endpoint::new(urls::SET_OVERRIDE).get(limiter::set_override_form).post(limiter::set_override),
        Endpoint::new(urls::WITHDRAW_OVERRIDE).post(limiter::withdraw_override),
        Endpoint::new(urls::REPLAY).get(limiter::replay),
        Endpoint::new(urls::USERS).get(users::list),
        Endpoint::new(urls::USER_ACTION).get(users::user_action_form).post(users::apply_user_action),
        Endpoint::new(urls::REPORT_CASES).get(list::show::<reports::CaseList>),
        Endpoint::new(urls::REPORT_CASE).get(reports::show).post(reports::decide),
        Endpoint::new(urls::POSTS).get(list::show::<lists::PostList>),
        Endpoint::new(urls::RATINGS).get(list::show::<lists::RatingList>),
        Endpoint::new(urls::TAGS).get(list::show::<lists::TagList>),
        Endpoint::new(urls::FLAGGED_LINKS).get(list::show::<lists::FlaggedLinkList>),
        Endpoint::new(urls::ZOMBIE_PAUSES).get(list::show::<lists::ZombiePauseList>),
        Endpoint::new(urls::SESSIONS).get(list::show::<lists::SessionList>),
        Endpoint::new(urls::INVITATIONS).get(list::show::<lists::InvitationList>),
        Endpoint::new(urls::LIMITER_STATES).get(list::show::<lists::LimiterStateList>),
        Endpoint::new(urls::MAILS).get(list::show::<lists::PendingMailList>),
        Endpoint::new(urls::BULK_ACTION).get(actions::bulk_action_form).post(actions::apply_bulk_action),
        Endpoint::new(urls::AUDIT_LOG).get(list::show::<audit_log::AuditLogList>),
    ]
}
