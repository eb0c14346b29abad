//! Idempotency keys: header `Idempotency-Key` of programs, and query parameter `once` of forms against double clicks.

use std::time::Duration;

use actix_web::body::{BoxBody, MessageBody, to_bytes};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::StatusCode;
use actix_web::http::header::{HeaderName, HeaderValue, SET_COOKIE};
use actix_web::middleware::Next;
use actix_web::{HttpResponse, web};
use sha2::{Digest as _, Sha256};
use tokio::time::{Instant, sleep, timeout};
use tracing::Instrument as _;

use crate::db::idempotency::{BeginOutcome, KeyedRequest, StoredResponse};
use crate::db::is_outcome_unknown;
use crate::phrase;
use crate::web::error::{AppError, ErrorText, FeatureError, error_text};
use crate::web::request::cookies::CookieName;
use crate::web::request::current_user::CurrentUser;
use crate::web::request::format::ResponseFormat;
use crate::web::request::query::Query;
use crate::web::response::rate_limit::RateLimited;
use crate::web::routing::route::Route;
use crate::web::state::CoreState;
use crate::web::time_limits::TimeLimits;

pub const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
pub const ONCE_FIELD: &str = "once";
/// Header of a response that was stored for an earlier request with the same key.
pub const IDEMPOTENT_REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");
const MAX_KEY_BYTES: usize = 255;
const MAX_WAIT: Duration = Duration::from_secs(3);
const POLL_INTERVAL: Duration = Duration::from_millis(50);

#[derive(Debug, thiserror::Error)]
pub enum IdempotencyError {
    #[error("a request with the same idempotency key is in progress")]
    InProgress,
    /// The request with this key was interrupted, and its outcome is unknown.
    #[error("the response to the request with this idempotency key was lost")]
    ResponseLost,
    #[error("the idempotency key was used for a different request")]
    KeyReused,
}

impl FeatureError for IdempotencyError {
    fn error_text(&self) -> ErrorText {
        match self {
            Self::InProgress => error_text(409, "request_in_progress", phrase!("error-request-in-progress")),
            Self::ResponseLost => error_text(409, "response_lost", phrase!("error-response-lost")),
            Self::KeyReused => error_text(422, "key_reused", phrase!("error-key-reused")),
        }
    }

    fn retry_after(&self) -> Option<i64> {
        matches!(self, Self::InProgress).then_some(1)
    }
}

/// Requests that are rejected or fail have no effect, so that they can be repeated with the same key.
pub async fn handle_idempotency_key(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, actix_web::Error> {
    let state = request.app_data::<web::Data<CoreState>>().cloned();
    let (keyed, state) = match (keyed_request(&request), state) {
        (Ok(Some(keyed)), Some(state)) => (keyed, state),
        (Ok(_), _) => return next.call(request).await.map(ServiceResponse::map_into_boxed_body),
        (Err(error), _) => return Ok(request.error_response(error)),
    };
    // Runs in its own task, so that a client that disconnects can get the response later.
    let handling = async move {
        match begin(&keyed, &state).await {
            Ok(None) => process(request, next, keyed, state).await,
            Ok(Some(stored)) => Ok(request.into_response(replay(stored))),
            Err(error) => Ok(request.error_response(error)),
        }
    };
    let handled = actix_web::rt::spawn(handling.in_current_span()).await;
    handled.map_err(AppError::from)?
}

/// Returns `None` if no idempotency key applies, or if the request will be rejected because of a rate limit.
fn keyed_request(request: &ServiceRequest) -> Result<Option<KeyedRequest>, AppError> {
    let applies = Route::for_request(request.request())
        .is_some_and(|route| route.accepts_idempotency_key(request.method()))
        && RateLimited::for_request(request.request()).is_none();
    let Some(user) = CurrentUser::for_request(request.request()).filter(|_| applies) else { return Ok(None) };
    let mut headers = request.headers().get_all(IDEMPOTENCY_KEY);
    let key = match headers.next() {
        Some(_) if headers.next().is_some() => return Err(AppError::Malformed("malformed-idempotency-key")),
        Some(header) => header.to_str().unwrap_or_default().to_owned(),
        None => match Query::for_request(request.request()).get_undocumented(ONCE_FIELD)? {
            Some(key) => key,
            None => return Ok(None),
        },
    };
    // The IETF draft of `Idempotency-Key` requires a string in quotes, but most clients omit the quotes.
    let key = key.strip_prefix('"').and_then(|key| key.strip_suffix('"')).unwrap_or(&key);
    if key.is_empty() || key.len() > MAX_KEY_BYTES || !key.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'"') {
        return Err(AppError::Malformed("malformed-idempotency-key"));
    }
    let format = ResponseFormat::for_request(request.request());
    let target = format!("{} {} {format:?}", request.method(), request.path());
    Ok(Some(KeyedRequest { user_id: user.id.0, key_hash: Sha256::digest(key).into(), target }))
}

async fn begin(keyed: &KeyedRequest, state: &CoreState) -> Result<Option<StoredResponse>, AppError> {
    let deadline = Instant::now() + MAX_WAIT;
    loop {
        match keyed.begin(&state.pool, &state.clock).await? {
            BeginOutcome::New => return Ok(None),
            BeginOutcome::Completed(response) => return Ok(Some(response)),
            BeginOutcome::InProgress if Instant::now() < deadline => sleep(POLL_INTERVAL).await,
            BeginOutcome::InProgress => return Err(IdempotencyError::InProgress.into()),
            BeginOutcome::OutcomeUnknown => return Err(IdempotencyError::ResponseLost.into()),
            BeginOutcome::KeyReused => return Err(IdempotencyError::KeyReused.into()),
        }
    }
}

async fn process(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
    keyed: KeyedRequest,
    state: web::Data<CoreState>,
) -> Result<ServiceResponse<BoxBody>, actix_web::Error> {
    let time_limit = TimeLimits::for_request(request.request()).total(true);
    let Ok(called) = timeout(time_limit, next.call(request)).await else {
        let error = anyhow::anyhow!("the request exceeded its time limit");
        return Err(AppError::Unavailable(Some(error)).into());
    };
    let response = match called {
        Ok(response) if response.status() < StatusCode::BAD_REQUEST => response.map_into_boxed_body(),
        other => {
            let error = match &other {
                Ok(response) => response.response().error(),
                Err(error) => Some(error),
            };
            let is_unknown = matches!(
                error.and_then(|error| error.as_error::<AppError>()),
                Some(AppError::Unavailable(Some(cause))) if is_outcome_unknown(cause)
            );
            if !is_unknown {
                report(keyed.delete(&state.pool).await);
            }
            return other.map(ServiceResponse::map_into_boxed_body);
        }
    };
    let (request, response) = response.into_parts();
    let (head, body) = response.into_parts();
    let body = to_bytes(body).await.map_err(|error| AppError::Internal(error.to_string()))?;
    let session_cookie = CookieName::Session.name(state.settings.production);
    let headers = head.headers().iter().filter_map(|(name, value)| {
        let value = value.to_str().ok()?;
        // Session cookies are not stored, so that the database never contains the secret of a session.
        let is_session = *name == SET_COOKIE && value.starts_with(session_cookie);
        (!is_session).then(|| (name.to_string(), value.to_owned()))
    });
    let stored = StoredResponse { status: head.status().as_u16(), headers: headers.collect(), body: body.to_vec() };
    report(keyed.store_response(&state.pool, &stored).await);
    Ok(ServiceResponse::new(request, head.set_body(BoxBody::new(body))))
}

fn report(stored: sqlx::Result<()>) {
    if let Err(error) = stored {
        tracing::warn!(%error, "the outcome of a request with an idempotency key was not stored");
    }
}

fn replay(stored: StoredResponse) -> HttpResponse {
    let mut response = HttpResponse::new(StatusCode::from_u16(stored.status).unwrap_or(StatusCode::OK));
    for (name, value) in &stored.headers {
        if let (Ok(name), Ok(value)) = (HeaderName::try_from(name), HeaderValue::try_from(value)) {
            response.headers_mut().append(name, value);
        }
    }
    response.headers_mut().insert(IDEMPOTENT_REPLAYED, HeaderValue::from_static("true"));
    response.set_body(BoxBody::new(stored.body))
}
