//! URLs below `/admin/`.

use crate::web::request::role::Role;
use crate::web::routing::route::{Class, Route};

pub const ADMIN: Route = Route::at("/admin/").staff(Role::Moderator);
/// Accounts.
pub const USERS: Route = Route::at("/admin/users/").staff(Role::Moderator);
/// Blocks some of them, signs them out, makes them staff.
pub const ACT_ON_USERS: Route = Route::at("/admin/users/act/").class(Class::Account).staff(Role::Moderator);
/// Reports of posts.
pub const REPORTS: Route = Route::at("/admin/reports/").staff(Role::Moderator);
/// A case, and where it is decided.
pub const REPORT: Route = Route::at("/admin/reports/{id}/").class(Class::Account).staff(Role::Moderator);
pub const POSTS: Route = Route::at("/admin/posts/").staff(Role::Moderator);
pub const RATINGS: Route = Route::at("/admin/ratings/").staff(Role::Moderator);
pub const TAGS: Route = Route::at("/admin/tags/").staff(Role::Moderator);
/// Posts with suspected links.
pub const WARNINGS: Route = Route::at("/admin/links/").staff(Role::Moderator);
/// Readers who cannot rate a post for now.
pub const PAUSES: Route = Route::at("/admin/pauses/").staff(Role::Moderator);
pub const SESSIONS: Route = Route::at("/admin/sessions/").staff(Role::Admin);
pub const INVITATIONS: Route = Route::at("/admin/invitations/").staff(Role::Moderator);
/// Limiter states.
pub const STATES: Route = Route::at("/admin/limiter/states/").staff(Role::Admin);
/// Mails that wait.
pub const MAILS: Route = Route::at("/admin/mails/").staff(Role::Admin);
/// Does something to rows of these.
pub const ACT: Route = Route::at("/admin/act/").class(Class::Account).staff(Role::Moderator);
/// Audit log.
pub const LOG: Route = Route::at("/admin/log/").staff(Role::Admin);
/// Active limiter.
pub const LIMITER: Route = Route::at("/admin/limiter/").staff(Role::Moderator);
/// Chooses another one.
pub const CHOOSE: Route = Route::at("/admin/limiter/choose/").class(Class::Account).staff(Role::Admin);
/// Takes a choice back.
pub const UNDO: Route = Route::at("/admin/limiter/undo/").class(Class::Account).staff(Role::Admin);
/// Replay of recent ratings through other limiters.
pub const REPLAY: Route = Route::at("/admin/limiter/replay/").staff(Role::Admin);
