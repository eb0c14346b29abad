//! URLs of the health checks.

use crate::web::routing::route::Route;

pub const HEALTHZ: Route = Route::at("/healthz").without_session().any_host();
pub const READYZ: Route = Route::at("/readyz").without_session().any_host();
