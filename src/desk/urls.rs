//! Addresses below `/admin/`.

use crate::web::address::Address;
use crate::web::role::Role;

pub const DESK: Address = Address::at("/admin/").staff(Role::Moderator);
/// Who did what.
pub const LOG: Address = Address::at("/admin/log/").staff(Role::Admin);
