//! For balancers and monitors: is the process alive, and can it serve? Any Host, no session.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use actix_web::http::header::CACHE_CONTROL;
use actix_web::web;
use actix_web::{HttpResponse, Responder};
use tokio::sync::Mutex;
use tokio::time::Instant;

use crate::rate::RateWriter;
use crate::site::urls::Methods;
use crate::web::state::AppState;

/// An answer about readiness is good for so long, whoever asks: everybody may, and each costs a transaction.
const KEPT_FOR: Duration = Duration::from_millis(500);

#[must_use]
pub fn urls() -> Vec<Methods> {
    let mut urls = alive_urls();
    urls.push(Methods::at("/readyz").any_host().get(ready));
    urls
}

/// What is there as soon as the process is.
#[must_use]
pub fn alive_urls() -> Vec<Methods> {
    vec![Methods::at("/healthz").any_host().get(alive)]
}

/// The last answer about readiness, and when it was found. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Readiness(Arc<Mutex<Option<Known>>>);

type Known = (Instant, Result<(), String>);

async fn alive() -> impl Responder {
    HttpResponse::Ok().insert_header((CACHE_CONTROL, "no-store")).body("alive\n")
}

/// Ready when a rating could be written now: the writer is asked, through its own connection. Says no more than that.
async fn ready(state: web::Data<AppState>, writer: web::Data<RateWriter>) -> impl Responder {
    if state.draining.load(Ordering::Relaxed) || state.availability.is_down() {
        return not_ready();
    }
    let mut known = state.readiness.0.lock().await;
    let old = known.take();
    let found = match old {
        Some((at, ref found)) if at.elapsed() < KEPT_FOR => (at, found.clone()),
        _ => {
            let found = writer.is_ready().await;
            let is_news = old.is_none_or(|(_, old)| old != found);
            if let Err(cause) = found.as_ref()
                && is_news
            {
                tracing::error!(cause, "not ready");
            }
            (Instant::now(), found)
        }
    };
    let is_ready = found.1.is_ok();
    *known = Some(found);
    drop(known);
    if is_ready { HttpResponse::Ok().insert_header((CACHE_CONTROL, "no-store")).body("ready\n") } else { not_ready() }
}

fn not_ready() -> HttpResponse {
    let mut response = HttpResponse::ServiceUnavailable();
    response.insert_header((CACHE_CONTROL, "no-store")).insert_header(("Retry-After", "5")).body("not ready\n")
}
