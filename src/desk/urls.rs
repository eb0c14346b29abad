//! Addresses below `/admin/`.

use crate::web::address::{Address, Class};
use crate::web::role::Role;

pub const DESK: Address = Address::at("/admin/").staff(Role::Moderator);
/// Accounts.
pub const USERS: Address = Address::at("/admin/users/").staff(Role::Moderator);
/// Blocks some of them, signs them out, makes them staff.
pub const ACT_ON_USERS: Address = Address::at("/admin/users/act/").class(Class::Account).staff(Role::Moderator);
/// What readers report.
pub const REPORTS: Address = Address::at("/admin/reports/").staff(Role::Moderator);
/// A case, and where it is decided.
pub const REPORT: Address = Address::at("/admin/reports/{id}/").class(Class::Account).staff(Role::Moderator);
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
