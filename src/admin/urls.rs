//! Addresses below `/admin/`.

use crate::web::request::role::Role;
use crate::web::routing::route::{Address, Class};

pub const ADMIN: Address = Address::at("/admin/").staff(Role::Moderator);
/// Accounts.
pub const USERS: Address = Address::at("/admin/users/").staff(Role::Moderator);
/// Blocks some of them, signs them out, makes them staff.
pub const ACT_ON_USERS: Address = Address::at("/admin/users/act/").class(Class::Account).staff(Role::Moderator);
/// What readers report.
pub const REPORTS: Address = Address::at("/admin/reports/").staff(Role::Moderator);
/// A case, and where it is decided.
pub const REPORT: Address = Address::at("/admin/reports/{id}/").class(Class::Account).staff(Role::Moderator);
pub const POSTS: Address = Address::at("/admin/posts/").staff(Role::Moderator);
pub const RATINGS: Address = Address::at("/admin/ratings/").staff(Role::Moderator);
pub const TAGS: Address = Address::at("/admin/tags/").staff(Role::Moderator);
/// Posts with suspected links.
pub const WARNINGS: Address = Address::at("/admin/links/").staff(Role::Moderator);
/// Readers who cannot rate a post for now.
pub const PAUSES: Address = Address::at("/admin/pauses/").staff(Role::Moderator);
pub const SESSIONS: Address = Address::at("/admin/sessions/").staff(Role::Admin);
pub const INVITATIONS: Address = Address::at("/admin/invitations/").staff(Role::Moderator);
/// What limiters remember.
pub const STATES: Address = Address::at("/admin/limiter/states/").staff(Role::Admin);
/// Mails that wait.
pub const MAILS: Address = Address::at("/admin/mails/").staff(Role::Admin);
/// Does something to rows of these.
pub const ACT: Address = Address::at("/admin/act/").class(Class::Account).staff(Role::Moderator);
/// Who did what.
pub const LOG: Address = Address::at("/admin/log/").staff(Role::Admin);
/// Which limiter is in force.
pub const LIMITER: Address = Address::at("/admin/limiter/").staff(Role::Moderator);
/// Chooses another one.
pub const CHOOSE: Address = Address::at("/admin/limiter/choose/").class(Class::Account).staff(Role::Admin);
/// Takes a choice back.
pub const UNDO: Address = Address::at("/admin/limiter/undo/").class(Class::Account).staff(Role::Admin);
/// What limiters would have done.
pub const REPLAY: Address = Address::at("/admin/limiter/replay/").staff(Role::Admin);
