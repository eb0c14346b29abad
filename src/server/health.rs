//! Liveness and readiness checks, which accept any Host header and use no session.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use actix_web::http::StatusCode;
use actix_web::http::header::{CACHE_CONTROL, ContentType};
use actix_web::{HttpResponse, HttpResponseBuilder, web};
use tokio::sync::Mutex;
use tokio::time::Instant;

use crate::background_tasks::BackgroundTasks;
use crate::db::Availability;
use crate::rate::RatingWriter;
use crate::state::AppState;

/// Lifetime of a readiness result, which is cached because the endpoint is public and each check costs a transaction.
const CACHE_LIFETIME: Duration = Duration::from_millis(500);

#[derive(Debug)]
pub struct Health {
    background: BackgroundTasks,
    /// Set after SIGTERM, while requests are still served, so that load balancers send no new clients.
    is_draining: AtomicBool,
    /// Time and result of the last test write.
    last: Mutex<Option<(Instant, Result<(), String>)>>,
}

impl Health {
    pub fn new(background: BackgroundTasks) -> Self {
        Self { background, is_draining: AtomicBool::default(), last: Mutex::default() }
    }

    pub fn start_draining(&self) {
        self.is_draining.store(true, Ordering::Relaxed);
    }

    /// The rating writer performs the test write on its own database connection.
    async fn is_ready(&self, availability: &Availability, writer: &RatingWriter) -> bool {
        let is_unavailable = availability.is_down() || availability.is_read_only();
        if self.is_draining.load(Ordering::Relaxed) || is_unavailable || self.background.is_any_task_down() {
            return false;
        }
        let mut last = self.last.lock().await;
        if let Some((_, result)) = last.as_ref().filter(|(at, _)| at.elapsed() < CACHE_LIFETIME) {
            return result.is_ok();
        }
        let result = writer.check_ready().await;
        if let Err(cause) = &result
            && last.as_ref().is_none_or(|(_, before)| *before != result)
        {
            tracing::error!(error = cause, "readiness check failed");
        }
        let is_ready = result.is_ok();
        *last = Some((Instant::now(), result));
        is_ready
    }
}

pub async fn healthz() -> HttpResponse {
    plain_response(StatusCode::OK).body("alive\n")
}

/// The reason for a failed readiness check is logged, but not included in the public response.
pub async fn readyz(state: web::Data<AppState>) -> HttpResponse {
    if state.health.is_ready(&state.availability, &state.writer).await {
        return plain_response(StatusCode::OK).body("ready\n");
    }
    plain_response(StatusCode::SERVICE_UNAVAILABLE).insert_header(("Retry-After", "5")).body("not ready\n")
}

fn plain_response(status: StatusCode) -> HttpResponseBuilder {
    let mut response = HttpResponse::build(status);
    response.content_type(ContentType::plaintext()).insert_header((CACHE_CONTROL, "no-store"));
    response
}
