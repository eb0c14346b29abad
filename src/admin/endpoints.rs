//! Endpoints of the admin area.

use super::admin_list::{describe, endpoint};
use super::bulk_actions::registry::action_names;
use super::{
    audit_log, bulk_actions, custom_limits, dashboard, limiter, lists, reports, site_settings, urls, users, webhooks,
};
use crate::web::routing::endpoint::Endpoint;
use crate::web::routing::operation::QueryParameter;

#[expect(clippy::too_many_lines, reason = "a table is read row by row")]
pub fn endpoints() -> Vec<Endpoint> {
    vec![
        Endpoint::new(urls::ADMIN).get("Read the dashboard", dashboard::show).note("Pending work, posts whose rating limiter refused ratings of many users, statistics of the last 24 hours and of the day before, versions, disk space."),
        Endpoint::new(urls::FIRST_STEPS).post("Skip a first step", dashboard::first_steps::skip).note("The step leaves the checklist of a new site on the dashboard."),
        Endpoint::new(urls::SITE_SETTINGS)
            .get("Read the site settings", site_settings::show)
            .post("Change site settings", site_settings::change).note("Fields that the request omits keep their values; empty ones get the default. Settings of environment variables cannot be changed.").errors(&["settings_changed"]),
        Endpoint::new(urls::LIMITER)
            .get("Read the rating limiters", limiter::show)
            .query([QueryParameter::text("title", "Finds published posts whose titles contain this text")]),
        Endpoint::new(urls::SET_OVERRIDE)
            .get("Compare rating limiters", limiter::set_override_form).form().note("Ratings of the last days that each limiter would have refused, and the form that chooses a limiter.")
            .query(limiter::parameters())
            .post("Set a limiter override", limiter::set_override).note("For the site, or with `post` for one post. The limiter `default` removes the override.")
            .errors(&["limiter_changed"]),
        Endpoint::new(urls::WITHDRAW_OVERRIDE)
            .post("Undo a limiter override", limiter::withdraw_override)
            .errors(&["limiter_changed"]),
        Endpoint::new(urls::CUSTOM_LIMITS)
            .get("List custom limits", custom_limits::show)
            .post("Set a custom limit", custom_limits::set).note("`target` is a username, an IP address or a network."),
        Endpoint::new(urls::END_CUSTOM_LIMIT).post("End a custom limit", custom_limits::end),
        describe::<users::Users>(Endpoint::new(urls::USERS).get("List users", users::list)),
        Endpoint::new(urls::USER).get("Read an account", users::show).note("For admins also the email address, sessions and audit log entries."),
        endpoint::<reports::CaseList>("List cases"),
        Endpoint::new(urls::REPORT_CASE)
            .get("Read a case as staff", reports::show)
            .errors(&["not_your_case"])
            .post("Decide a case", reports::decide).note("`keep` keeps the post; `rules` and `law` take it down because of the rules of the site or of the law.")
            .errors(&["already_decided", "not_your_case", "post_changed"]),
        endpoint::<lists::PostList>("List all posts"),
        endpoint::<lists::RatingList>("List ratings"),
        endpoint::<lists::TagList>("List all tags"),
        endpoint::<lists::FlaggedLinkList>("List flagged links"),
        describe::<lists::ZombiePauseList>(
            Endpoint::new(urls::ZOMBIE_PAUSES).get("List users with paused ratings", lists::show_zombie_pauses),
        ),
        endpoint::<lists::SessionList>("List all sessions"),
        endpoint::<lists::TokenList>("List all API tokens"),
        endpoint::<lists::InvitationList>("List all invitations"),
        endpoint::<lists::LimiterStateList>("List limiter states"),
        endpoint::<lists::PendingMailList>("List unsent mails"),
        Endpoint::new(urls::WEBHOOKS)
            .get("List webhooks", webhooks::list)
            .post("Create a webhook", webhooks::create).note("At most 20. The page of the webhook contains its secret."),
        endpoint::<webhooks::DeliveryList>("List webhook deliveries"),
        Endpoint::new(urls::WEBHOOK)
            .get("Read a webhook", webhooks::show)
            .post("Change a webhook", webhooks::change),
        Endpoint::new(urls::TEST_WEBHOOK).post("Test a webhook", webhooks::send_test).note("Sends the event `test` within seconds."),
        Endpoint::new(urls::DELETE_WEBHOOK).post("Delete a webhook", webhooks::delete).note("Also deletes its deliveries."),
        Endpoint::new(urls::BULK_ACTION)
            .get("Preview a bulk action", bulk_actions::bulk_action_form)
            .query([
                QueryParameter::choice("act", "Action", &action_names()),
                QueryParameter::repeated("selected", "Keys of the rows; usernames for actions on users", &[] as &[&str]),
            ])
            .post("Apply a bulk action", bulk_actions::apply_bulk_action).note("At most 100 rows of an admin list; applies to all of them or to none. Actions on users skip accounts of staff with the same or a higher role. `block` allows `days`; `role` needs `role`.")
            .errors(&["last_of_staff"]),
        endpoint::<audit_log::AuditLogList>("List audit log entries"),
    ]
}
