//! Request body extractors for JSON, URL-encoded and multipart forms, with limits on size and time.

use std::collections::BTreeMap;
use std::future::ready;
use std::pin::pin;
use std::time::Duration;

use actix_web::http::header::{CONTENT_LENGTH, HeaderMap};
use actix_web::web::{self, Bytes};
use actix_web::{FromRequest, HttpRequest, dev};
use futures_util::FutureExt as _;
use futures_util::future::LocalBoxFuture;
use tokio::sync::Semaphore;
use tokio::task::yield_now;
use tokio::time::timeout;

use super::current_user::{CurrentUser, UserId};
use super::form_field::{Fields, FormInput};
use super::format::{BodyKind, ResponseFormat};
use super::upload::{self, parse_multipart};
use crate::i18n::Phrase;
use crate::permits::Permits;
use crate::web::error::AppError;
use crate::web::response::rate_limit::RateLimited;
use crate::web::routing::operation::{Describe, Operation, RequestBody};
use crate::web::state::CoreState;
use crate::web::time_limits::TimeLimits;

#[derive(Debug)]
pub struct Payload<T> {
    value: Result<T, AppError>,
    submitted: BTreeMap<String, String>,
    format: ResponseFormat,
}

impl<T> Payload<T> {
    pub fn into_parts(self) -> (Result<T, AppError>, BTreeMap<String, String>) {
        (self.value, self.submitted)
    }

    pub fn format(&self) -> ResponseFormat {
        self.format
    }

    pub fn is_valid(&self) -> bool {
        self.value.is_ok()
    }

    /// Adds a field error to input that is already invalid. Does nothing if the input is valid.
    pub fn add_error(&mut self, name: &str, message: Phrase) {
        if let Err(AppError::Invalid(errors)) = &mut self.value {
            errors.entry(name.to_owned()).or_default().push(message);
        }
    }

    pub fn submitted_values(&self) -> &BTreeMap<String, String> {
        &self.submitted
    }

    pub fn submitted_value(&self, name: &str) -> &str {
        self.submitted.get(name).map_or("", String::as_str)
    }

    pub fn into_result(self) -> Result<T, AppError> {
        self.value
    }
}

fn short_type_name<T>() -> &'static str {
    let name = std::any::type_name::<T>();
    name.rsplit("::").next().unwrap_or(name)
}

impl<T: FormInput> Describe for Payload<T> {
    fn describe(operation: &mut Operation) {
        operation.body =
            Some(RequestBody { name: short_type_name::<T>(), schema: Fields::body_schema::<T>, has_file: T::HAS_FILE });
    }
}

impl<T: FormInput + 'static> FromRequest for Payload<T> {
    type Error = AppError;
    type Future = LocalBoxFuture<'static, Result<Self, AppError>>;

    fn from_request(request: &HttpRequest, payload: &mut dev::Payload) -> Self::Future {
        let announced = content_length(request.headers());
        let body = web::Payload::from_request(request, payload);
        let (limited, times) = (RateLimited::for_request(request), TimeLimits::for_request(request));
        let kind = BodyKind::from_headers(request.headers());
        let (user, state) = (CurrentUser::for_request(request), request.app_data::<web::Data<CoreState>>().cloned());
        let uploads = match &kind {
            Ok(BodyKind::Multipart) if T::HAS_FILE => Some(uploads(request)),
            _ => None,
        };
        let (headers, format) = (request.headers().clone(), ResponseFormat::for_request(request));
        Box::pin(async move {
            let (kind, uploads) = (kind?, uploads.transpose()?);
            let limit = T::MAX_BYTES + if uploads.is_some() { upload::MAX_FILE_BYTES } else { 0 };
            if announced.is_some_and(|length| length > limit) {
                return Err(AppError::TooLarge { limit });
            }
            let body = body.await.map_err(|_| AppError::Malformed("malformed-body"))?;
            if let Some(limited) = limited {
                let Some(bytes) = collect_rate_limited(body, limit).await else { return Err(limited.into()) };
                return Ok(Self { value: Err(limited.into()), ..read(Fields::parse(kind, &bytes), format) });
            }
            let permit = match uploads {
                Some((uploads, user)) => Some(uploads.acquire(user.into()).await?),
                None => None,
            };
            let bytes = collect_in_time(body, limit, times, user.zip(state)).await?;
            let fields = match kind {
                BodyKind::Multipart => parse_multipart(&headers, bytes, permit).await.and_then(Fields::from_parts),
                kind => Fields::parse(kind, &bytes),
            };
            Ok(read(fields, format))
        })
    }
}

/// Only signed-in users who are not rate limited may upload files.
fn uploads(request: &HttpRequest) -> Result<(Permits, UserId), AppError> {
    if let Some(limited) = RateLimited::for_request(request) {
        return Err(limited.into());
    }
    let user = CurrentUser::for_request(request).ok_or(AppError::NotSignedIn { next: None })?;
    let state = request.app_data::<web::Data<CoreState>>().ok_or(AppError::Busy)?;
    Ok((state.uploads.clone(), user.id))
}

fn read<T: FormInput>(fields: Result<Fields, AppError>, format: ResponseFormat) -> Payload<T> {
    let mut fields = match fields {
        Ok(fields) => fields,
        Err(error) => return Payload { value: Err(error), submitted: BTreeMap::new(), format },
    };
    let typed = fields.submitted_values();
    let value = T::read(&mut fields);
    let errors = fields.into_errors();
    let value = match value {
        Some(value) if errors.is_empty() => Ok(value),
        _ => Err(AppError::Invalid(errors)),
    };
    Payload { value, submitted: typed, format }
}

/// Extractor for requests without input: accepts no body, or a form or JSON object without fields.
#[derive(Debug)]
pub struct NoInput;

impl Describe for NoInput {}

impl FromRequest for NoInput {
    type Error = AppError;
    type Future = LocalBoxFuture<'static, Result<Self, AppError>>;

    fn from_request(request: &HttpRequest, payload: &mut dev::Payload) -> Self::Future {
        let empty = matches!(payload, dev::Payload::None) && content_length(request.headers()).unwrap_or(0) == 0;
        if let Some(limited) = RateLimited::for_request(request) {
            return Box::pin(ready(Err(limited.into())));
        }
        let body = (!empty).then(|| Payload::<Self>::from_request(request, payload));
        Box::pin(async move {
            match body {
                None => Ok(Self),
                Some(body) => body.await?.into_result(),
            }
        })
    }
}

impl NoInput {
    pub fn into_payload(self, format: ResponseFormat) -> Payload<Self> {
        Payload { value: Ok(self), submitted: BTreeMap::new(), format }
    }
}

impl FormInput for NoInput {
    fn read(_: &mut Fields) -> Option<Self> {
        Some(Self)
    }
}

/// Maximum number of concurrently read bodies of rate limited requests, which are read only to render the form again.
static LIMITED_BODIES_AT_ONCE: Semaphore = Semaphore::const_new(32);
const LIMITED_BODY_TIMEOUT: Duration = Duration::from_millis(500);

/// Returns `None` if the body is late, or if all permits of `LIMITED_BODIES_AT_ONCE` are taken.
async fn collect_rate_limited(body: web::Payload, limit: usize) -> Option<Bytes> {
    let _place = LIMITED_BODIES_AT_ONCE.try_acquire().ok()?;
    timeout(LIMITED_BODY_TIMEOUT, collect(body, limit)).await.ok()?.ok()
}

/// If the session ended while the body was arriving, the request must not be processed as a request of the user.
async fn collect_in_time(
    body: web::Payload,
    limit: usize,
    times: TimeLimits,
    user: Option<(CurrentUser, web::Data<CoreState>)>,
) -> Result<Bytes, AppError> {
    let mut collecting = pin!(collect(body, limit));
    let mut collected = collecting.as_mut().now_or_never();
    if collected.is_none() {
        // Bytes that arrived together with the head only become available after the first poll.
        yield_now().await;
        collected = collecting.as_mut().now_or_never();
    }
    if let Some(collected) = collected {
        return collected;
    }
    let bytes = timeout(times.body, collecting).await.map_err(|_| AppError::Timeout)??;
    if let Some((user, state)) = user {
        user.check_credential(&state.pool).await?;
    }
    Ok(bytes)
}

async fn collect(payload: web::Payload, limit: usize) -> Result<Bytes, AppError> {
    let bytes = payload.to_bytes_limited(limit).await.map_err(|_| AppError::TooLarge { limit })?;
    bytes.map_err(|_| AppError::Malformed("malformed-incomplete"))
}

fn content_length(headers: &HeaderMap) -> Option<usize> {
    headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::web::request::current_user::UserId;
    use crate::web::request::form_field::Field;

    #[derive(Debug, PartialEq)]
    struct Sample {
        id: UserId,
        name: String,
    }

    impl Field for String {
        fn from_text(text: &str) -> Result<Self, Phrase> {
            if text.is_empty() { Err(Phrase::new("invalid-missing")) } else { Ok(text.to_owned()) }
        }

        fn schema() -> schemars::Schema {
            schemars::json_schema!({ "type": "string", "minLength": 1 })
        }
    }

    impl FormInput for Sample {
        fn read(fields: &mut Fields) -> Option<Self> {
            let (id, name) = (fields.take("id"), fields.take("name"));
            Some(Self { id: id?, name: name? })
        }
    }

    fn json(text: &str) -> Result<Sample, AppError> {
        read(Fields::parse(BodyKind::Json, text.as_bytes()), ResponseFormat::Json).into_result()
    }

    fn form(text: &str) -> Result<Sample, AppError> {
        read(Fields::parse(BodyKind::Form, text.as_bytes()), ResponseFormat::Json).into_result()
    }

    fn invalid<T: std::fmt::Debug>(result: Result<T, AppError>) -> Vec<String> {
        match result {
            Err(AppError::Invalid(errors)) => errors.into_keys().collect(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn parses_the_same_input_from_form_and_json() {
        let expected = Sample { id: UserId(7), name: "سلام 👩‍💻".to_owned() };
        assert_eq!(json(r#"{"name": "سلام 👩‍💻", "id": 7}"#).unwrap(), expected);
        let encoded = percent_encoding::utf8_percent_encode("سلام 👩‍💻", percent_encoding::NON_ALPHANUMERIC);
        assert_eq!(form(&format!("id=7&name={encoded}")).unwrap(), expected);
        assert_eq!(form("id=7&name=a%0D%0Ab+c").unwrap().name, "a\nb c");
    }

    #[test]
    fn reports_all_invalid_fields() {
        assert_eq!(invalid(json("{}")), ["id", "name"]);
        assert_eq!(invalid(json(r#"{"id": "x", "name": 7, "author": 1}"#)), ["id", "name", "author"]);
        assert_eq!(invalid(json(r#"{"id": 7, "name": "a\u0000b"}"#)), ["name"]);
        assert_eq!(invalid(form("id=07&name=")), ["id", "name"]);
        for number in ["5.0", "5e0"] {
            assert_eq!(json(&format!(r#"{{"id": {number}, "name": "a"}}"#)).unwrap().id, UserId(5), "{number}");
        }
        for id in ["5.5", "1e300", "true", "null", "-1", "0", "9223372036854775808", "[7]", "\"07\""] {
            assert_eq!(invalid(json(&format!(r#"{{"id": {id}, "name": "a"}}"#))), ["id"], "{id}");
        }
        for id in ["%2B1", "0", "-1", "1e3", "9223372036854775808", "+7", "7+"] {
            assert_eq!(invalid(form(&format!("id={id}&name=a"))), ["id"], "{id}");
        }
    }

    #[test]
    fn rejects_malformed_bodies() {
        let deep = "[".repeat(100_000);
        let many = format!("{{{}}}", (0..40).map(|i| format!("\"f{i}\":1")).collect::<Vec<_>>().join(","));
        for text in ["[7, \"a\"]", r#"{"id":7,"id":7,"name":"a"}"#, "{", "", "7", r#"{"name":"\ud800"}"#, &deep, &many]
        {
            assert!(matches!(json(text), Err(AppError::Malformed(_))), "{}", text.chars().take(30).collect::<String>());
        }
        for text in ["id=7&id=7&name=a", "id=7&name=%FF", &"a=1&".repeat(40)] {
            assert!(matches!(form(text), Err(AppError::Malformed(_))), "{text}");
        }
        assert!(matches!(
            read::<Sample>(Fields::parse(BodyKind::Json, b"{\"id\":7,\"name\":\"\xff\"}"), ResponseFormat::Json)
                .into_result(),
            Err(AppError::Malformed(_))
        ));
    }
}
