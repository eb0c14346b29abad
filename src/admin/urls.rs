//! URLs below `/admin/`.

use crate::web::request::role::Role;
use crate::web::routing::route::{RequestClass, Route};

pub const ADMIN: Route = Route::new("/admin/").staff(Role::Moderator);
pub const USERS: Route = Route::new("/admin/users/").staff(Role::Moderator);
/// Bulk actions on user accounts: block, sign out, change role.
pub const USER_ACTION: Route = Route::new("/admin/users/act/").class(RequestClass::Account).staff(Role::Moderator);
pub const REPORTS: Route = Route::new("/admin/reports/").staff(Role::Moderator);
/// Page of a report case, with its decision form.
pub const REPORT: Route = Route::new("/admin/reports/{id}/").class(RequestClass::Account).staff(Role::Moderator);
pub const POSTS: Route = Route::new("/admin/posts/").staff(Role::Moderator);
pub const RATINGS: Route = Route::new("/admin/ratings/").staff(Role::Moderator);
pub const TAGS: Route = Route::new("/admin/tags/").staff(Role::Moderator);
/// List of published posts with flagged URLs.
pub const FLAGGED_LINKS: Route = Route::new("/admin/links/").staff(Role::Moderator);
/// List of rating pauses: users who are paused from rating a post after too many failed attempts.
pub const PAUSES: Route = Route::new("/admin/pauses/").staff(Role::Moderator);
pub const SESSIONS: Route = Route::new("/admin/sessions/").staff(Role::Admin);
pub const INVITATIONS: Route = Route::new("/admin/invitations/").staff(Role::Moderator);
pub const LIMITER_STATES: Route = Route::new("/admin/limiter/states/").staff(Role::Admin);
/// List of pending mails.
pub const MAILS: Route = Route::new("/admin/mails/").staff(Role::Admin);
/// Confirmation form and handler of bulk actions on list rows.
pub const BULK_ACTION: Route = Route::new("/admin/act/").class(RequestClass::Account).staff(Role::Moderator);
pub const AUDIT_LOG: Route = Route::new("/admin/log/").staff(Role::Admin);
/// Page that shows the active rating limiter and its overrides.
pub const LIMITER: Route = Route::new("/admin/limiter/").staff(Role::Moderator);
/// Form that sets a limiter override.
pub const SET_OVERRIDE: Route = Route::new("/admin/limiter/choose/").class(RequestClass::Account).staff(Role::Admin);
/// Handler that withdraws a limiter override.
pub const WITHDRAW_OVERRIDE: Route = Route::new("/admin/limiter/undo/").class(RequestClass::Account).staff(Role::Admin);
/// Replay of recent ratings through other limiters.
pub const REPLAY: Route = Route::new("/admin/limiter/replay/").staff(Role::Admin);
