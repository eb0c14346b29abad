//! Reading what clients send: bodies as a form or as JSON, query strings, ids in paths.
//!
//! A type says once how it is read ([`Input`], [`Field`]) and holds only valid values afterwards. All
//! fields are checked before anything is answered, so that a person sees everything at once, and what
//! was typed stays at hand for showing the form again.

use std::collections::BTreeMap;
use std::future::ready;
use std::rc::Rc;
use std::time::Duration;

use actix_web::dev;
use actix_web::http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, HeaderMap};
use actix_web::{FromRequest, HttpRequest, mime, web};
use futures_util::future::LocalBoxFuture;
use futures_util::{FutureExt as _, StreamExt as _};
use percent_encoding::percent_decode_str;
use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, Visitor};
use serde_json::Value;
use tokio::sync::Semaphore;
use tokio::task::yield_now;
use tokio::time::timeout;

use crate::rate_classes::Refused;
use crate::users::CurrentUser;
use crate::users::session::confirm;
use crate::web::connection::Link;
use crate::web::deadline::{self, Deadline};
use crate::web::error::{AppError, FieldErrors};
use crate::web::state::AppState;

/// A body with more fields than any form of ours has is not worth reading on.
const MAX_FIELDS: usize = 32;

/// Something that can be read from a body.
pub trait Input: Sized {
    /// The longest body that is read. Percent-encoding may triple a text.
    const MAX_BYTES: usize = 16 * 1024;

    /// Takes the fields it knows. `None` when one of them was not valid; `fields` has noted why.
    fn read(fields: &mut Fields) -> Option<Self>;
}

/// Something that can be read from one field. An `Err` completes a sentence about the field.
pub trait Field: Sized {
    /// What is said where the field is not there at all.
    const MISSING: &str = "This field is required.";

    /// # Errors
    /// What is allowed, in words for a person.
    fn from_text(text: &str) -> Result<Self, String>;

    /// JSON has types of its own: a text has to be a string, and a number may not come as one.
    ///
    /// # Errors
    /// As [`from_text`](Self::from_text).
    fn from_json(value: &Value) -> Result<Self, String> {
        value.as_str().ok_or_else(|| "This has to be a string.".to_owned()).and_then(Self::from_text)
    }
}

/// A body, read as the type that the client said it is.
#[derive(Debug)]
pub struct Payload<T> {
    value: Result<T, AppError>,
    typed: BTreeMap<String, String>,
}

impl<T> Payload<T> {
    /// The input, or what is wrong with it; and with either, what was typed.
    pub fn into_parts(self) -> (Result<T, AppError>, BTreeMap<String, String>) {
        (self.value, self.typed)
    }

    /// # Errors
    /// `invalid` or `malformed`, with what is wrong.
    pub fn valid(self) -> Result<T, AppError> {
        self.value
    }
}

impl<T: Input + 'static> FromRequest for Payload<T> {
    type Error = AppError;
    type Future = LocalBoxFuture<'static, Result<Self, AppError>>;

    fn from_request(request: &HttpRequest, payload: &mut dev::Payload) -> Self::Future {
        let kind = BodyKind::of(request.headers());
        let announced = announced_length(request.headers());
        let body = web::Payload::from_request(request, payload);
        let deadline = Deadline::of(request);
        let refused = Refused::of(request);
        let link = request.conn_data::<Rc<Link>>().cloned();
        let user = CurrentUser::of(request).zip(request.app_data::<web::Data<AppState>>().cloned());
        Box::pin(async move {
            let kind = kind?;
            if announced.is_some_and(|length| length > T::MAX_BYTES) {
                return Err(AppError::TooLarge { limit: T::MAX_BYTES });
            }
            let body = body.await.map_err(|_| AppError::Malformed("The body could not be read."))?;
            let receiving = link.as_ref().map(Link::receive);
            if let Some(error) = refused {
                let Some(bytes) = collect_for_form(body, T::MAX_BYTES).await else { return Err(error) };
                return Ok(Self { value: Err(error), ..read(kind, &bytes) });
            }
            let (bytes, was_awaited) = collect_in_time(body, T::MAX_BYTES, deadline).await?;
            drop(receiving);
            // Whoever has signed out while the body was on its way does not act any more.
            if let Some((user, state)) = user.filter(|_| was_awaited) {
                confirm(&state.pool, &user).await?;
            }
            Ok(read(kind, &bytes))
        })
    }
}

fn read<T: Input>(kind: BodyKind, bytes: &[u8]) -> Payload<T> {
    let mut fields = match Fields::parse(kind, bytes) {
        Ok(fields) => fields,
        Err(error) => return Payload { value: Err(error), typed: BTreeMap::new() },
    };
    let typed = fields.typed();
    let value = T::read(&mut fields);
    let errors = fields.into_errors();
    let value = match value {
        Some(value) if errors.is_empty() => Ok(value),
        _ => Err(AppError::Invalid(errors)),
    };
    Payload { value, typed }
}

/// For acts that take no input: no body, or one without fields. What is no form and no JSON is refused here, too.
#[derive(Debug)]
pub struct Nothing;

impl FromRequest for Nothing {
    type Error = AppError;
    type Future = LocalBoxFuture<'static, Result<Self, AppError>>;

    fn from_request(request: &HttpRequest, payload: &mut dev::Payload) -> Self::Future {
        let empty = matches!(payload, dev::Payload::None) && announced_length(request.headers()).unwrap_or(0) == 0;
        if let Some(error) = Refused::of(request) {
            return Box::pin(ready(Err(error)));
        }
        let body = (!empty).then(|| Payload::<Self>::from_request(request, payload));
        Box::pin(async move {
            match body {
                None => Ok(Self),
                Some(body) => body.await?.valid(),
            }
        })
    }
}

impl Input for Nothing {
    fn read(_: &mut Fields) -> Option<Self> {
        Some(Self)
    }
}

/// Limited requests whose bodies are awaited at once, and for how long: the form is shown again with what was typed. It
/// is not worth more, as a client that is too fast has sent it.
static LIMITED_FORMS: Semaphore = Semaphore::const_new(32);
const LIMITED_FORM: Duration = Duration::from_millis(500);

/// None where it does not come at once.
async fn collect_for_form(body: web::Payload, limit: usize) -> Option<Vec<u8>> {
    let _place = LIMITED_FORMS.try_acquire().ok()?;
    timeout(LIMITED_FORM, collect(body, limit)).await.ok()?.ok().map(|(bytes, _)| bytes)
}

/// The body, and whether it had to be waited for.
async fn collect_in_time(
    body: web::Payload,
    limit: usize,
    deadline: Option<Deadline>,
) -> Result<(Vec<u8>, bool), AppError> {
    if let Some(deadline) = &deadline {
        deadline.begin_body();
    }
    let bytes = timeout(deadline::BODY, collect(body, limit)).await.map_err(|_| AppError::Timeout)?;
    if let Some(deadline) = &deadline {
        deadline.end_body();
    }
    bytes
}

async fn collect(mut body: web::Payload, limit: usize) -> Result<(Vec<u8>, bool), AppError> {
    let (mut bytes, mut was_awaited) = (Vec::new(), false);
    loop {
        let mut here = body.next().now_or_never();
        if here.is_none() {
            // What came with the head is read after we were asked for the first time.
            yield_now().await;
            here = body.next().now_or_never();
        }
        let chunk = if let Some(chunk) = here {
            chunk
        } else {
            was_awaited = true;
            body.next().await
        };
        let Some(chunk) = chunk else { return Ok((bytes, was_awaited)) };
        let chunk = chunk.map_err(|_| AppError::Malformed("The body broke off."))?;
        if bytes.len() + chunk.len() > limit {
            return Err(AppError::TooLarge { limit });
        }
        bytes.extend_from_slice(&chunk);
    }
}

fn announced_length(headers: &HeaderMap) -> Option<usize> {
    headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// The two types of bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyKind {
    Form,
    Json,
}

impl BodyKind {
    /// # Errors
    /// `unsupported_type` for every other or no type or charset, and for an encoded body.
    pub fn of(headers: &HeaderMap) -> Result<Self, AppError> {
        let encoded = headers.get(CONTENT_ENCODING).is_some_and(|encoding| encoding != "identity");
        let mut types = headers.get_all(CONTENT_TYPE);
        let content_type = types.next().and_then(|value| value.to_str().ok()).unwrap_or("");
        if types.next().is_some() {
            return Err(AppError::UnsupportedType);
        }
        let kind = content_type.parse::<mime::Mime>().map_err(|_| AppError::UnsupportedType)?;
        if encoded || kind.get_param(mime::CHARSET).is_some_and(|charset| charset != mime::UTF_8) {
            return Err(AppError::UnsupportedType);
        }
        match kind.essence_str() {
            "application/json" => Ok(Self::Json),
            "application/x-www-form-urlencoded" => Ok(Self::Form),
            _ => Err(AppError::UnsupportedType),
        }
    }
}

/// The fields of a body that have not been taken yet, and what was wrong with those that have.
#[derive(Debug)]
pub struct Fields {
    values: BTreeMap<String, FieldValue>,
    errors: FieldErrors,
}

#[derive(Debug)]
enum FieldValue {
    Text(String),
    Json(Value),
}

impl Fields {
    fn parse(kind: BodyKind, bytes: &[u8]) -> Result<Self, AppError> {
        let text = std::str::from_utf8(bytes).map_err(|_| AppError::Malformed("The body is not UTF-8."))?;
        let values = match kind {
            BodyKind::Form => {
                let pairs = pairs(text)?;
                unique(pairs.into_iter().map(|(name, value)| (name, FieldValue::Text(unix_lines(&value)))))?
            }
            BodyKind::Json => {
                let object = serde_json::from_str::<Object>(text);
                object.map_err(|_| AppError::Malformed("The body is not a JSON object with each field once."))?.0
            }
        };
        Ok(Self { values, errors: FieldErrors::new() })
    }

    /// The field's value, or `None` after noting what is wrong with it.
    pub fn take<T: Field>(&mut self, name: &str) -> Option<T> {
        let value = match self.values.remove(name) {
            None => Err(T::MISSING.to_owned()),
            Some(FieldValue::Text(text)) if text.contains('\0') => Err(NUL.to_owned()),
            Some(FieldValue::Json(Value::String(text))) if text.contains('\0') => Err(NUL.to_owned()),
            Some(FieldValue::Text(text)) => T::from_text(&text),
            Some(FieldValue::Json(value)) => T::from_json(&value),
        };
        value.map_err(|message| self.note(name, message)).ok()
    }

    /// As [`take`](Self::take), for a field that may be missing.
    pub fn take_if_there<T: Field>(&mut self, name: &str) -> Option<Option<T>> {
        if self.values.contains_key(name) { self.take(name).map(Some) } else { Some(None) }
    }

    /// Takes a field that does not matter here.
    pub fn ignore(&mut self, name: &str) {
        self.values.remove(name);
    }

    /// Notes what is wrong with a field.
    pub fn note(&mut self, name: &str, message: impl Into<String>) {
        self.errors.entry(name.to_owned()).or_default().push(message.into());
    }

    fn typed(&self) -> BTreeMap<String, String> {
        let text = |value: &FieldValue| match value {
            FieldValue::Text(text) | FieldValue::Json(Value::String(text)) => text.clone(),
            FieldValue::Json(other) => other.to_string(),
        };
        self.values.iter().map(|(name, value)| (name.clone(), text(value))).collect()
    }

    fn into_errors(mut self) -> FieldErrors {
        for name in std::mem::take(&mut self.values).into_keys() {
            // Its name is the client's own text: shown back only in part.
            self.note(&name.chars().take(40).collect::<String>(), "There is no such field here.");
        }
        self.errors
    }
}

const NUL: &str = "This may not contain the null character.";

/// A JSON object whose fields are all different. serde's derive would take an array for it.
struct Object(BTreeMap<String, FieldValue>);

impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ObjectVisitor;
        impl<'de> Visitor<'de> for ObjectVisitor {
            type Value = Object;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object, A::Error> {
                let mut fields = BTreeMap::new();
                while let Some((name, value)) = map.next_entry::<String, Value>()? {
                    if fields.insert(name, FieldValue::Json(value)).is_some() || fields.len() > MAX_FIELDS {
                        return Err(A::Error::custom("a field twice, or too many"));
                    }
                }
                Ok(Object(fields))
            }
        }
        deserializer.deserialize_map(ObjectVisitor)
    }
}

/// The parameters of a query string; those that nobody asks for are ignored, however they look.
#[derive(Debug, Default)]
pub struct Query(String);

impl Query {
    /// # Errors
    /// `malformed` where it is there twice, or cannot be read.
    pub fn get(&self, name: &str) -> Result<Option<String>, AppError> {
        let mut values = split_pairs(&self.0).filter(|(key, _)| decode(key).is_ok_and(|key| key == name));
        let value = values.next().map(|(_, value)| decode(value)).transpose()?;
        if values.next().is_some() {
            return Err(AppError::Malformed("A parameter is there twice."));
        }
        if value.as_ref().is_some_and(|value| value.contains('\0')) {
            return Err(AppError::Malformed("A parameter contains a null character."));
        }
        Ok(value.filter(|value| !value.is_empty()))
    }

    /// All values of a parameter that may be there more than once.
    ///
    /// # Errors
    /// `malformed` where one cannot be read.
    pub fn all(&self, name: &str) -> Result<Vec<String>, AppError> {
        let values = split_pairs(&self.0).filter(|(key, _)| decode(key).is_ok_and(|key| key == name));
        values.map(|(_, value)| decode(value)).take(MAX_FIELDS).collect()
    }

    #[must_use]
    pub fn of(request: &HttpRequest) -> Self {
        Self(request.query_string().to_owned())
    }
}

impl FromRequest for Query {
    type Error = std::convert::Infallible;
    type Future = std::future::Ready<Result<Self, Self::Error>>;

    fn from_request(request: &HttpRequest, _: &mut dev::Payload) -> Self::Future {
        std::future::ready(Ok(Self::of(request)))
    }
}

/// The pairs of `application/x-www-form-urlencoded`. The usual parsers replace what is not UTF-8; we refuse it.
fn pairs(text: &str) -> Result<Vec<(String, String)>, AppError> {
    split_pairs(text).take(MAX_FIELDS + 1).map(|(name, value)| Ok((decode(name)?, decode(value)?))).collect()
}

fn split_pairs(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.split('&').filter(|part| !part.is_empty()).map(|part| part.split_once('=').unwrap_or((part, "")))
}

fn decode(part: &str) -> Result<String, AppError> {
    let spaced = part.replace('+', " ");
    let decoded = percent_decode_str(&spaced).decode_utf8().map(std::borrow::Cow::into_owned);
    decoded.map_err(|_| AppError::Malformed("A percent-encoded part is not UTF-8."))
}

fn unique<T>(pairs: impl IntoIterator<Item = (String, T)>) -> Result<BTreeMap<String, T>, AppError> {
    let mut fields = BTreeMap::new();
    for (name, value) in pairs {
        if fields.insert(name, value).is_some() {
            return Err(AppError::Malformed("A field or parameter is there twice."));
        }
    }
    if fields.len() > MAX_FIELDS {
        return Err(AppError::Malformed("There are too many fields or parameters."));
    }
    Ok(fields)
}

/// Browsers send every line end of a form as CR LF, whatever was typed.
fn unix_lines(text: &str) -> String {
    text.replace("\r\n", "\n")
}

/// The id of a row: 1 or more, in plain decimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id(pub i64);

const NO_ID: &str = "This has to be the id of something: a whole number, 1 or more.";

impl Field for Id {
    fn from_text(text: &str) -> Result<Self, String> {
        let digits = text.bytes().all(|byte| byte.is_ascii_digit()) && !text.starts_with('0');
        text.parse().ok().filter(|_| digits).map(Self).ok_or_else(|| NO_ID.to_owned())
    }

    fn from_json(value: &Value) -> Result<Self, String> {
        value.as_i64().filter(|id| *id >= 1).map(Self).ok_or_else(|| NO_ID.to_owned())
    }
}

/// The `{id}` of a path; anything that cannot be one is not found.
impl FromRequest for Id {
    type Error = AppError;
    type Future = std::future::Ready<Result<Self, AppError>>;

    fn from_request(request: &HttpRequest, _: &mut dev::Payload) -> Self::Future {
        let id = request.match_info().get("id").and_then(|text| Self::from_text(text).ok());
        std::future::ready(id.ok_or(AppError::NotFound))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq)]
    struct Sample {
        id: Id,
        name: String,
    }

    impl Field for String {
        fn from_text(text: &str) -> Result<Self, String> {
            if text.is_empty() { Err("Too short.".to_owned()) } else { Ok(text.to_owned()) }
        }
    }

    impl Input for Sample {
        fn read(fields: &mut Fields) -> Option<Self> {
            let (id, name) = (fields.take("id"), fields.take("name"));
            Some(Self { id: id?, name: name? })
        }
    }

    fn json(text: &str) -> Result<Sample, AppError> {
        read(BodyKind::Json, text.as_bytes()).valid()
    }

    fn form(text: &str) -> Result<Sample, AppError> {
        read(BodyKind::Form, text.as_bytes()).valid()
    }

    fn invalid<T: std::fmt::Debug>(result: Result<T, AppError>) -> Vec<String> {
        match result {
            Err(AppError::Invalid(errors)) => errors.into_keys().collect(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_same_input_is_read_from_a_form_and_from_json() {
        let expected = Sample { id: Id(7), name: "سلام 👩‍💻".to_owned() };
        assert_eq!(json(r#"{"name": "سلام 👩‍💻", "id": 7}"#).unwrap(), expected);
        let encoded = percent_encoding::utf8_percent_encode("سلام 👩‍💻", percent_encoding::NON_ALPHANUMERIC);
        assert_eq!(form(&format!("id=7&name={encoded}")).unwrap(), expected);
        assert_eq!(form("id=7&name=a%0D%0Ab+c").unwrap().name, "a\nb c");
    }

    #[test]
    fn every_wrong_field_is_named_at_once() {
        assert_eq!(invalid(json("{}")), ["id", "name"]);
        assert_eq!(invalid(json(r#"{"id": "7", "name": 7, "author": 1}"#)), ["id", "name", "author"]);
        assert_eq!(invalid(json(r#"{"id": 7, "name": "a\u0000b"}"#)), ["name"]);
        assert_eq!(invalid(form("id=07&name=")), ["id", "name"]);
        for id in ["5.0", "1e0", "true", "null", "-1", "0", "9223372036854775808", "[7]", "\"7\""] {
            assert_eq!(invalid(json(&format!(r#"{{"id": {id}, "name": "a"}}"#))), ["id"], "{id}");
        }
        for id in ["%2B1", "٣", "0", "-1", "1e3", "9223372036854775808", "+7", "7+"] {
            assert_eq!(invalid(form(&format!("id={id}&name=a"))), ["id"], "{id}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_malformed() {
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
            read::<Sample>(BodyKind::Json, b"{\"id\":7,\"name\":\"\xff\"}").valid(),
            Err(AppError::Malformed(_))
        ));
    }
}
