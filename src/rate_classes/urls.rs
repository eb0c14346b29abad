//! URLs below `/rate/classes/`.

use crate::web::routing::route::Route;

pub const CLASSES: Route = Route::at("/rate/classes/").uncounted();
pub const EVENTS: Route = Route::at("/rate/classes/events/").uncounted().always_json();
