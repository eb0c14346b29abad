//! URLs below `/rate/classes/`.

use crate::web::routing::route::Route;

pub const CLASSES: Route = Route::new("/rate/classes/").without_rate_limit();
pub const STATUS_EVENTS: Route = Route::new("/rate/classes/events/").without_rate_limit().always_json();
