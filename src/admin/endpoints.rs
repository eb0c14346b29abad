//! Endpoints of the admin area.

use super::{admin_list, audit_log, bulk_actions, dashboard, limit_overrides, limiter, lists, reports, urls, users};
use crate::web::routing::endpoint::Endpoint;

#[must_use]
pub fn endpoints() -> Vec<Endpoint> {
    vec![
        Endpoint::new(urls::ADMIN).get(dashboard::show),
        Endpoint::new(urls::LIMITER).get(limiter::show),
        Endpoint::new(urls::SET_OVERRIDE).get(limiter::set_override_form).post(limiter::set_override),
        Endpoint::new(urls::WITHDRAW_OVERRIDE).post(limiter::withdraw_override),
        Endpoint::new(urls::REPLAY).get(limiter::replay),
        Endpoint::new(urls::LIMIT_OVERRIDES).get(limit_overrides::show).post(limit_overrides::set),
        Endpoint::new(urls::END_LIMIT_OVERRIDE).post(limit_overrides::end),
        Endpoint::new(urls::USERS).get(users::list),
        Endpoint::new(urls::USER_ACTION).get(users::user_action_form).post(users::apply_user_action),
        Endpoint::new(urls::USER).get(users::show),
        Endpoint::new(urls::REPORT_CASES).get(admin_list::show::<reports::CaseList>),
        Endpoint::new(urls::REPORT_CASE).get(reports::show).post(reports::decide),
        Endpoint::new(urls::POSTS).get(admin_list::show::<lists::PostList>),
        Endpoint::new(urls::RATINGS).get(admin_list::show::<lists::RatingList>),
        Endpoint::new(urls::TAGS).get(admin_list::show::<lists::TagList>),
        Endpoint::new(urls::FLAGGED_LINKS).get(admin_list::show::<lists::FlaggedLinkList>),
        Endpoint::new(urls::ZOMBIE_PAUSES).get(lists::show_zombie_pauses),
        Endpoint::new(urls::SESSIONS).get(admin_list::show::<lists::SessionList>),
        Endpoint::new(urls::TOKENS).get(admin_list::show::<lists::TokenList>),
        Endpoint::new(urls::INVITATIONS).get(admin_list::show::<lists::InvitationList>),
        Endpoint::new(urls::LIMITER_STATES).get(admin_list::show::<lists::LimiterStateList>),
        Endpoint::new(urls::MAILS).get(admin_list::show::<lists::PendingMailList>),
        Endpoint::new(urls::BULK_ACTION).get(bulk_actions::bulk_action_form).post(bulk_actions::apply_bulk_action),
        Endpoint::new(urls::AUDIT_LOG).get(admin_list::show::<audit_log::AuditLogList>),
    ]
}
