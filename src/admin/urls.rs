//! URLs below `/admin/`.

use crate::access::{RequestClass, Role};
pub use crate::reports::urls::CASE_FOR_STAFF as REPORT_CASE;
use crate::text::encode_path_segment;
use crate::web::routing::route::Route;

pub const ADMIN: Route = Route::new("/admin/").requires_role(Role::Moderator);
pub const FIRST_STEPS: Route =
    Route::new("/admin/first-steps/").rate_class(RequestClass::Account).requires_role(Role::Owner);
pub const USERS: Route = Route::new("/admin/users/").requires_role(Role::Moderator);
pub const USER: Route = Route::new("/admin/users/{username}/").requires_role(Role::Moderator);
pub const REPORT_CASES: Route = Route::new("/admin/reports/").requires_role(Role::Moderator);
pub const POSTS: Route = Route::new("/admin/posts/").requires_role(Role::Moderator);
pub const RATINGS: Route = Route::new("/admin/ratings/").requires_role(Role::Moderator);
pub const TAGS: Route = Route::new("/admin/tags/").requires_role(Role::Moderator);
pub const FLAGGED_LINKS: Route = Route::new("/admin/links/").requires_role(Role::Moderator);
pub const ZOMBIE_PAUSES: Route = Route::new("/admin/pauses/").requires_role(Role::Moderator);
pub const SESSIONS: Route = Route::new("/admin/sessions/").requires_role(Role::Admin);
pub const TOKENS: Route = Route::new("/admin/tokens/").requires_role(Role::Admin);
pub const INVITATIONS: Route = Route::new("/admin/invitations/").requires_role(Role::Moderator);
pub const LIMITER_STATES: Route = Route::new("/admin/limiter/states/").requires_role(Role::Admin);
pub const MAILS: Route = Route::new("/admin/mails/").requires_role(Role::Admin);
pub const WEBHOOKS: Route = Route::new("/admin/webhooks/").rate_class(RequestClass::Account).requires_role(Role::Admin);
pub const WEBHOOK_DELIVERIES: Route = Route::new("/admin/webhooks/deliveries/").requires_role(Role::Admin);
pub const WEBHOOK: Route =
    Route::new("/admin/webhooks/{id}/").rate_class(RequestClass::Account).requires_role(Role::Admin);
pub const TEST_WEBHOOK: Route =
    Route::new("/admin/webhooks/{id}/test/").rate_class(RequestClass::Account).requires_role(Role::Admin);
pub const DELETE_WEBHOOK: Route =
    Route::new("/admin/webhooks/{id}/delete/").rate_class(RequestClass::Account).requires_role(Role::Admin);
pub const BULK_ACTION: Route =
    Route::new("/admin/act/").rate_class(RequestClass::Account).requires_role(Role::Moderator);
pub const AUDIT_LOG: Route = Route::new("/admin/log/").requires_role(Role::Admin);
pub const CUSTOM_LIMITS: Route =
    Route::new("/admin/limits/").rate_class(RequestClass::Account).requires_role(Role::Admin);
pub const END_CUSTOM_LIMIT: Route =
    Route::new("/admin/limits/{id}/end/").rate_class(RequestClass::Account).requires_role(Role::Admin);
pub const LIMITER: Route = Route::new("/admin/limiter/").requires_role(Role::Moderator);
pub const SET_OVERRIDE: Route =
    Route::new("/admin/limiter/choose/").rate_class(RequestClass::Account).requires_role(Role::Admin);
pub const WITHDRAW_OVERRIDE: Route =
    Route::new("/admin/limiter/undo/").rate_class(RequestClass::Account).requires_role(Role::Admin);

pub const SITE_SETTINGS: Route =
    Route::new("/admin/settings/").rate_class(RequestClass::Account).requires_role(Role::Owner);

pub fn user_path(username: &str) -> String {
    USER.pattern.replace("{username}", &encode_path_segment(username))
}
