//! URLs below `/admin/`.

use crate::web::request::role::Role;
use crate::web::routing::route::{Class, Route};

pub const ADMIN: Route = Route::at("/admin/").staff(Role::Moderator);
pub const USERS: Route = Route::at("/admin/users/").staff(Role::Moderator);
/// Bulk actions on user accounts: block, sign out, change role.
pub const ACT_ON_USERS: Route = Route::at("/admin/users/act/").class(Class::Account).staff(Role::Moderator);
pub const REPORTS: Route = Route::at("/admin/reports/").staff(Role::Moderator);
/// Report case with its decision form.
pub const REPORT: Route = Route::at("/admin/reports/{id}/").class(Class::Account).staff(Role::Moderator);
pub const POSTS: Route = Route::at("/admin/posts/").staff(Role::Moderator);
pub const RATINGS: Route = Route::at("/admin/ratings/").staff(Role::Moderator);
pub const TAGS: Route = Route::at("/admin/tags/").staff(Role::Moderator);
/// Published posts with flagged URLs.
pub const WARNINGS: Route = Route::at("/admin/links/").staff(Role::Moderator);
/// Users paused from rating a post after too many failed attempts.
pub const PAUSES: Route = Route::at("/admin/pauses/").staff(Role::Moderator);
pub const SESSIONS: Route = Route::at("/admin/sessions/").staff(Role::Admin);
pub const INVITATIONS: Route = Route::at("/admin/invitations/").staff(Role::Moderator);
pub const STATES: Route = Route::at("/admin/limiter/states/").staff(Role::Admin);
/// Pending mails.
pub const MAILS: Route = Route::at("/admin/mails/").staff(Role::Admin);
/// Confirmation form and handler of bulk actions on list rows.
pub const ACT: Route = Route::at("/admin/act/").class(Class::Account).staff(Role::Moderator);
pub const LOG: Route = Route::at("/admin/log/").staff(Role::Admin);
/// Active rating limiter and its overrides.
pub const LIMITER: Route = Route::at("/admin/limiter/").staff(Role::Moderator);
/// Form that sets a limiter override.
pub const CHOOSE: Route = Route::at("/admin/limiter/choose/").class(Class::Account).staff(Role::Admin);
/// Withdraws a limiter override.
pub const UNDO: Route = Route::at("/admin/limiter/undo/").class(Class::Account).staff(Role::Admin);
/// Replay of recent ratings through other limiters.
pub const REPLAY: Route = Route::at("/admin/limiter/replay/").staff(Role::Admin);
