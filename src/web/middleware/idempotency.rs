//! Header `Idempotency-Key`: a program can repeat a request whose response it has not received, without the risk that
//! the request takes effect twice. The header follows the IETF draft `draft-ietf-httpapi-idempotency-key-header`.

use std::cell::RefCell;
use std::rc::Rc;

use crate::web::request::format::ResponseFormat;
use actix_web::body::{BoxBody, MessageBody, to_bytes};
use actix_web::dev::{self, ServiceRequest, ServiceResponse};
use actix_web::http::StatusCode;
use actix_web::http::header::{CONTENT_TYPE, HeaderName, HeaderValue, SET_COOKIE};
use actix_web::middleware::Next;
use actix_web::{HttpMessage as _, HttpResponse, mime, web};
use futures_util::StreamExt as _;
use sha2::{Digest as _, Sha256};
use tracing::Instrument as _;

use crate::db::idempotency::{Attempt, BeginOutcome, IdempotencyKey, StoredResponse};
use crate::phrase;
use crate::web::connection::deadline::{Deadline, REQUEST_TIME_LIMITS, TimeLimits};
use crate::web::error::{AppError, ErrorText, FeatureError, error_text};
use crate::web::request::body::for_each_chunk;
use crate::web::request::current_user::CurrentUser;
use crate::web::request::upload;
use crate::web::response::rate_limit::RateLimited;
use crate::web::routing::route::Route;
use crate::web::state::AppState;

pub const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// Header of a response that was stored for an earlier request with the same key.
pub const IDEMPOTENT_REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");

/// Error codes of idempotency keys.
pub const ERRORS: [&str; 3] = ["request_in_progress", "response_lost", "key_reused"];

/// Maximum length of a key in bytes.
const MAX_KEY_BYTES: usize = 255;

/// Maximum size of the body of a repeated request, in bytes.
const MAX_BODY_BYTES: usize = upload::MAX_FILE_BYTES + (2 << 20);

#[derive(Debug, thiserror::Error)]
pub enum IdempotencyError {
    /// 409 `request_in_progress`: another attempt of the request has not ended.
    #[error("a request with the same idempotency key is in progress")]
    InProgress,
    /// 409 `response_lost`: the request has taken effect, but its response was not stored because of a fault.
    #[error("the response to the request with this idempotency key was lost")]
    ResponseLost,
    /// 422 `key_reused`: the user has sent a different request with the same key.
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

/// Processes a request with an idempotency key at most once, and responds to its repetitions with the first response.
/// Requests that are rejected or fail have no effect, so that they can be repeated with the same key.
pub async fn handle_idempotency_key(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, actix_web::Error> {
    let key = match key_of(&request) {
        Ok(Some(key)) => key,
        Ok(None) => return next.call(request).await.map(ServiceResponse::map_into_boxed_body),
        Err(error) => return Ok(request.error_response(error)),
    };
    // In a task of its own, which a client that disconnects does not cancel: the client can get the response later.
    let handled = actix_web::rt::spawn(handle_key(request, next, key).in_current_span()).await;
    handled.map_err(|panic| AppError::Internal(panic.to_string()))?
}

async fn handle_key(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
    key: IdempotencyKey,
) -> Result<ServiceResponse<BoxBody>, actix_web::Error> {
    let Some(state) = request.app_data::<web::Data<AppState>>().cloned() else {
        return Ok(request.error_response(AppError::Internal("no application state".to_owned())));
    };
    match Attempt::begin(&state.pool, &state.clock, key).await {
        Ok(BeginOutcome::New(attempt)) => process(request, next, attempt, state).await,
        Ok(BeginOutcome::Completed(response)) => Ok(replay(request, response).await),
        Ok(BeginOutcome::InProgress) => Ok(request.error_response(AppError::from(IdempotencyError::InProgress))),
        Ok(BeginOutcome::ResponseLost) => Ok(request.error_response(AppError::from(IdempotencyError::ResponseLost))),
        Err(error) => Ok(request.error_response(AppError::from(error))),
    }
}

/// Returns the key of a request. `None` if the header is missing or does not apply, or if the request will be rejected
/// because of a rate limit.
fn key_of(request: &ServiceRequest) -> Result<Option<IdempotencyKey>, AppError> {
    let Some(header) = request.headers().get(IDEMPOTENCY_KEY) else { return Ok(None) };
    let applies = Route::for_request(request.request())
        .is_some_and(|route| route.accepts_idempotency_key(request.method()))
        && RateLimited::for_request(request.request()).is_none();
    let Some(user) = CurrentUser::for_request(request.request()).filter(|_| applies) else { return Ok(None) };
    let text = header.to_str().unwrap_or_default();
    // The draft requires a string in quotes, but most clients omit the quotes.
    let key = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text);
    if key.is_empty() || key.len() > MAX_KEY_BYTES || !key.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'"') {
        return Err(AppError::Malformed("malformed-idempotency-key"));
    }
    Ok(Some(IdempotencyKey { user_id: user.id.0, hash: Sha256::digest(key).into() }))
}

/// Calls the handler and stores its response.
async fn process(
    mut request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
    attempt: Attempt,
    state: web::Data<AppState>,
) -> Result<ServiceResponse<BoxBody>, actix_web::Error> {
    let fingerprint = Rc::new(RefCell::new(Fingerprint::begin(&request)));
    hash_body(&mut request, fingerprint.clone());
    let deadline = Deadline::for_request(request.request()).unwrap_or_else(Deadline::for_new_request);
    let calling = attempt.scope(next.call(request));
    let response = match deadline.run_until_deadline(calling).await {
        Some(Ok(response)) if response.status() < StatusCode::BAD_REQUEST => response.map_into_boxed_body(),
        other => {
            let is_rejected = matches!(&other, Some(Ok(response)) if response.status().is_client_error());
            report(attempt.abandon(&state.pool, is_rejected).await);
            let error = AppError::Unavailable(Some(anyhow::anyhow!("the request exceeded its time limit")));
            return other.unwrap_or_else(|| Err(error.into())).map(ServiceResponse::map_into_boxed_body);
        }
    };
    let (request, response) = response.into_parts();
    let (head, body) = response.into_parts();
    let body = to_bytes(body).await.map_err(|error| AppError::Internal(error.to_string()))?;
    let headers = head.headers().iter().filter(|(name, _)| **name != SET_COOKIE);
    let headers = headers.filter_map(|(name, value)| Some((name.to_string(), value.to_str().ok()?.to_owned())));
    let stored = StoredResponse {
        fingerprint: fingerprint.take().finish(),
        status: head.status().as_u16(),
        headers: headers.collect(),
        body: body.to_vec(),
    };
    report(attempt.complete(&state.pool, &stored).await);
    Ok(ServiceResponse::new(request, head.set_body(BoxBody::new(body))))
}

/// Logs that the outcome of an attempt could not be stored. The response to the client is not affected.
fn report(stored: sqlx::Result<()>) {
    if let Err(error) = stored {
        tracing::warn!(%error, "the outcome of a request with an idempotency key was not stored");
    }
}

/// Responds with a stored response if the repeated request is equal to the first one, and with `key_reused` otherwise.
async fn replay(mut request: ServiceRequest, stored: StoredResponse) -> ServiceResponse<BoxBody> {
    let mut fingerprint = Fingerprint::begin(&request);
    let (deadline, times) = (Deadline::for_request(request.request()), fingerprint.time_limits());
    let read = match request.extract::<web::Payload>().await {
        Ok(payload) => {
            for_each_chunk(payload, MAX_BODY_BYTES, times, deadline, |chunk| fingerprint.update(chunk)).await
        }
        Err(error) => return request.error_response(error),
    };
    if let Err(error) = read {
        return request.error_response(error);
    }
    if fingerprint.finish() != stored.fingerprint {
        return request.error_response(AppError::from(IdempotencyError::KeyReused));
    }
    let mut response = HttpResponse::new(StatusCode::from_u16(stored.status).unwrap_or(StatusCode::OK));
    for (name, value) in &stored.headers {
        if let (Ok(name), Ok(value)) = (HeaderName::try_from(name), HeaderValue::try_from(value)) {
            response.headers_mut().append(name, value);
        }
    }
    response.headers_mut().insert(IDEMPOTENT_REPLAYED, HeaderValue::from_static("true"));
    request.into_response(response.set_body(BoxBody::new(stored.body)))
}

/// Hash of a request: method, URL, format of the response, and body without the boundaries of multipart forms, which differ
/// each time that a client sends the same form.
#[derive(Debug, Default)]
struct Fingerprint {
    hash: Sha256,
    /// Boundary of a multipart form; empty for other bodies.
    boundary: Vec<u8>,
    /// Last bytes of the body so far, which may be the beginning of a boundary.
    rest: Vec<u8>,
}

impl Fingerprint {
    fn begin(request: &ServiceRequest) -> Self {
        let format = ResponseFormat::for_request(request.request());
        let content_type = request.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()?.parse().ok());
        let content_type = content_type.filter(|kind: &mime::Mime| kind.type_() == mime::MULTIPART);
        let boundary = content_type.as_ref().and_then(|kind| kind.get_param(mime::BOUNDARY));
        Self {
            hash: Sha256::new().chain_update(format!("{} {} {format:?}\n", request.method(), request.uri())),
            boundary: boundary.map(|boundary| boundary.as_str().as_bytes().to_vec()).unwrap_or_default(),
            rest: Vec::new(),
        }
    }

    /// Time limits for reading the body.
    fn time_limits(&self) -> TimeLimits {
        if self.boundary.is_empty() { REQUEST_TIME_LIMITS } else { upload::TIME_LIMITS }
    }

    fn update(&mut self, chunk: &[u8]) {
        let length = self.boundary.len();
        if length == 0 {
            return self.hash.update(chunk);
        }
        self.rest.extend_from_slice(chunk);
        let mut begin = 0;
        while let Some(offset) = self.rest[begin..].windows(length).position(|window| window == self.boundary) {
            self.hash.update(&self.rest[begin..begin + offset]);
            begin += offset + length;
        }
        let end = begin.max(self.rest.len().saturating_sub(length - 1));
        self.hash.update(&self.rest[begin..end]);
        self.rest.drain(..end);
    }

    fn finish(self) -> Vec<u8> {
        self.hash.chain_update(self.rest).finalize().to_vec()
    }
}

/// Adds the body of a request to its fingerprint while the handler reads it.
fn hash_body(request: &mut ServiceRequest, fingerprint: Rc<RefCell<Fingerprint>>) {
    let payload = request.take_payload();
    if matches!(payload, dev::Payload::None) {
        return;
    }
    let hashed = payload.inspect(move |chunk| {
        if let Ok(chunk) = chunk {
            fingerprint.borrow_mut().update(chunk);
        }
    });
    request.set_payload(dev::Payload::Stream { payload: Box::pin(hashed) });
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    #[test]
    fn boundaries_do_not_change_the_fingerprint() {
        let of = |boundary: &str, body: &str, chunk: usize| {
            let kind = format!("multipart/form-data; boundary={boundary}");
            let request = TestRequest::post().uri("/images/").insert_header(("content-type", kind)).to_srv_request();
            let mut fingerprint = Fingerprint::begin(&request);
            body.replace('|', boundary).as_bytes().chunks(chunk).for_each(|chunk| fingerprint.update(chunk));
            fingerprint.finish()
        };
        let body = "--|\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nab\r\n--|--\r\n";
        let expected = of("abc", body, 1_000);
        for chunk in 1..20 {
            assert_eq!(of("0123456789", body, chunk), expected, "{chunk}");
        }
        assert_ne!(of("abc", &body.replace("ab", "ac"), 7), expected);
    }
}
