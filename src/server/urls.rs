//! Addresses for balancers and monitors.

use crate::web::routing::route::Address;

pub const HEALTHZ: Address = Address::at("/healthz").without_session().any_host();
pub const READYZ: Address = Address::at("/readyz").without_session().any_host();
