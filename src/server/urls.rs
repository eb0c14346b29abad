//! URLs of the health checks.

use crate::web::routing::route::Route;

pub const HEALTHZ: Route = Route::new("/healthz").without_session().any_host();
pub const READYZ: Route = Route::new("/readyz").without_session().any_host();
