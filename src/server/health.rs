//! Answers load balancers and monitors: is the process alive, and can it serve? Any Host header, no session.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use actix_web::http::StatusCode;
use actix_web::http::header::{CACHE_CONTROL, ContentType};
use actix_web::{HttpResponse, HttpResponseBuilder, Responder, web};
use tokio::sync::Mutex;
use tokio::time::Instant;

use crate::background::Background;
use crate::rate::RateWriter;
use crate::web::state::AppState;

/// How long an answer about readiness is kept. Anybody may ask, and each new answer costs a transaction.
const KEPT_FOR: Duration = Duration::from_millis(500);

/// Whether an instance is ready.
#[derive(Debug)]
pub struct Health {
    background: Background,
    /// Whether the instance was told to stop but still serves: load balancers should send it no new clients.
    is_draining: AtomicBool,
    /// When it was last tried whether a rating could be written, and the result.
    last: Mutex<Option<(Instant, Result<(), String>)>>,
}

impl Health {
    #[must_use]
    pub fn new(background: Background) -> Self {
        Self { background, is_draining: AtomicBool::default(), last: Mutex::default() }
    }

    /// From now on it is not ready.
    pub fn drain(&self) {
        self.is_draining.store(true, Ordering::Relaxed);
    }

    /// Whether all background tasks run and a rating could be written now. The rating writer tries it on its own connection.
    async fn is_ready(&self, state: &AppState, writer: &RateWriter) -> bool {
        let availability = &state.availability;
        let is_unavailable = availability.is_down() || availability.is_read_only();
        if self.is_draining.load(Ordering::Relaxed) || is_unavailable || self.background.is_any_down() {
            return false;
        }
        let mut last = self.last.lock().await;
        let before = last.take();
        if let Some((at, found)) = before.as_ref().filter(|(at, _)| at.elapsed() < KEPT_FOR) {
            let is_ready = found.is_ok();
            *last = Some((*at, found.clone()));
            return is_ready;
        }
        let found = writer.is_ready().await;
        if let Err(cause) = &found
            && before.is_none_or(|(_, before)| before != found)
        {
            tracing::error!(error = cause, "readiness check failed");
        }
        let is_ready = found.is_ok();
        *last = Some((Instant::now(), found));
        is_ready
    }
}

pub async fn alive() -> impl Responder {
    text(StatusCode::OK).body("alive\n")
}

/// Answers only whether the instance is ready: the reasons are for the log.
pub async fn ready(
    health: web::Data<Health>,
    state: web::Data<AppState>,
    writer: web::Data<RateWriter>,
) -> impl Responder {
    if health.is_ready(&state, &writer).await {
        return text(StatusCode::OK).body("ready\n");
    }
    text(StatusCode::SERVICE_UNAVAILABLE).insert_header(("Retry-After", "5")).body("not ready\n")
}

fn text(status: StatusCode) -> HttpResponseBuilder {
    let mut response = HttpResponse::build(status);
    response.content_type(ContentType::plaintext()).insert_header((CACHE_CONTROL, "no-store"));
    response
}
