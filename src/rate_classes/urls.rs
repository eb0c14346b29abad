//! Addresses below `/rate/classes/`.

use crate::web::routing::route::Address;

pub const CLASSES: Address = Address::at("/rate/classes/").uncounted();
pub const EVENTS: Address = Address::at("/rate/classes/events/").uncounted().always_json();
