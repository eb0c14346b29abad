//! For balancers and monitors: is the process alive, and can it serve? Any Host, no session.

use actix_web::http::header::CACHE_CONTROL;
use actix_web::web::{self, ServiceConfig};
use actix_web::{HttpResponse, Responder};

use crate::database;
use crate::state::AppState;
use crate::urls::Methods;

pub fn configure(config: &mut ServiceConfig) {
    config.service(Methods::at("/healthz").get(alive).resource()).service(Methods::at("/readyz").get(ready).resource());
}

async fn alive() -> impl Responder {
    HttpResponse::Ok().insert_header((CACHE_CONTROL, "no-store")).body("alive\n")
}

/// Ready when the database answers and has exactly this program's migrations. Says no more than that.
async fn ready(state: web::Data<AppState>) -> impl Responder {
    let mut response = match database::is_migrated(&state.pool).await {
        Ok(true) => return HttpResponse::Ok().insert_header((CACHE_CONTROL, "no-store")).body("ready\n"),
        Ok(false) => {
            tracing::error!("not ready: the database's migrations are not this program's");
            HttpResponse::ServiceUnavailable()
        }
        Err(error) => {
            tracing::error!(%error, "not ready: the database does not answer");
            HttpResponse::ServiceUnavailable()
        }
    };
    response.insert_header((CACHE_CONTROL, "no-store")).insert_header(("Retry-After", "5")).body("not ready\n")
}
