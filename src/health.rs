//! For balancers and monitors: is the process alive, and can it serve? Any Host, no session.

use std::sync::atomic::Ordering;

use actix_web::http::header::CACHE_CONTROL;
use actix_web::web;
use actix_web::{HttpResponse, Responder};

use crate::database;
use crate::state::AppState;
use crate::urls::Methods;

#[must_use]
pub fn urls() -> Vec<Methods> {
    vec![Methods::at("/healthz").any_host().get(alive), Methods::at("/readyz").any_host().get(ready)]
}

async fn alive() -> impl Responder {
    HttpResponse::Ok().insert_header((CACHE_CONTROL, "no-store")).body("alive\n")
}

/// Ready when the database answers and has exactly this program's migrations. Says no more than that.
async fn ready(state: web::Data<AppState>) -> impl Responder {
    if state.draining.load(Ordering::Relaxed) {
        return not_ready();
    }
    match database::is_migrated(&state.pool).await {
        Ok(true) => HttpResponse::Ok().insert_header((CACHE_CONTROL, "no-store")).body("ready\n"),
        Ok(false) => {
            tracing::error!("not ready: the database's migrations are not this program's");
            not_ready()
        }
        Err(error) => {
            tracing::error!(%error, "not ready: the database does not answer");
            not_ready()
        }
    }
}

fn not_ready() -> HttpResponse {
    let mut response = HttpResponse::ServiceUnavailable();
    response.insert_header((CACHE_CONTROL, "no-store")).insert_header(("Retry-After", "5")).body("not ready\n")
}
