//! Addresses below `/admin/`.

use crate::web::address::Address;

pub const DESK: Address = Address::at("/admin/");
/// Who did what.
pub const LOG: Address = Address::at("/admin/log/");
