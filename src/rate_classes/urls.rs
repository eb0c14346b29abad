//! URLs below `/rate/classes/`.

use crate::web::routing::route::Route;

pub const CLASSES: Route = Route::new("/rate/classes/").uncounted();
pub const EVENTS: Route = Route::new("/rate/classes/events/").uncounted().always_json();
