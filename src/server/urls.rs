//! URLs of the health checks.

use crate::web::routing::route::Route;

pub const HEALTHZ: Route = Route::new("/healthz").without_session().health_check();
pub const READYZ: Route = Route::new("/readyz").without_session().health_check();
