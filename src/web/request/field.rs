//! Reads the fields of a body into types. Each type says once how it is read, and holds only valid values afterwards.
//! All fields are checked before the answer, so that a person sees all mistakes at once.

use std::collections::BTreeMap;

use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, Visitor};
use serde_json::Value;

use super::format::BodyKind;
use super::query::{MAX_FIELDS, pairs};
use super::upload::{MAX_FILE, Part, Upload};
use crate::i18n::{self, Phrase};
use crate::phrase;
use crate::web::error::{AppError, FieldErrors};
use crate::web::response::text::one_line;

/// Something that can be read from a body.
pub trait Input: Sized {
    /// The greatest length of the body in bytes. (Percent-encoding may make a text three times as long.)
    const MAX_BYTES: usize = 16 * 1024;

    /// Whether one of the fields may be a file. Only those who are signed in may send one.
    const HAS_FILE: bool = false;

    /// Takes the fields it knows. `None` when one of them was not valid; `fields` has noted why.
    fn read(fields: &mut Fields) -> Option<Self>;
}

/// A type that can be read from one field.
pub trait Field: Sized {
    /// The message that says so where the field is not there at all.
    const MISSING: &'static str = "invalid-missing";

    /// # Errors
    /// A sentence for a person that says what is allowed.
    fn from_text(text: &str) -> Result<Self, Phrase>;

    /// Reads a JSON value. By default it has to be a string; types that are no text read their own JSON type, and
    /// refuse a number that is written as a string.
    ///
    /// # Errors
    /// As [`from_text`](Self::from_text).
    fn from_json(value: &Value) -> Result<Self, Phrase> {
        value.as_str().ok_or_else(|| phrase!("invalid-no-string")).and_then(Self::from_text)
    }

    /// Reads a file. By default there may be none.
    ///
    /// # Errors
    /// As [`from_text`](Self::from_text).
    fn from_file(_: Upload) -> Result<Self, Phrase> {
        Err(phrase!("invalid-no-file-field"))
    }
}

/// A field that may be empty: blank text and JSON's `null` say that there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Optional<T>(pub Option<T>);

impl<T: Field> Field for Optional<T> {
    fn from_text(text: &str) -> Result<Self, Phrase> {
        if text.trim().is_empty() { Ok(Self(None)) } else { T::from_text(text).map(|value| Self(Some(value))) }
    }

    fn from_json(value: &Value) -> Result<Self, Phrase> {
        match value {
            Value::Null => Ok(Self(None)),
            Value::String(text) if text.trim().is_empty() => Ok(Self(None)),
            value => T::from_json(value).map(|value| Self(Some(value))),
        }
    }

    /// A browser sends an empty file where none was chosen.
    fn from_file(file: Upload) -> Result<Self, Phrase> {
        if file.bytes.is_empty() { Ok(Self(None)) } else { T::from_file(file).map(|value| Self(Some(value))) }
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
    File(Upload),
}

impl Fields {
    /// The fields of a form with files.
    pub(crate) fn of_parts(parts: Vec<(String, Part)>) -> Result<Self, AppError> {
        let values = unique(parts.into_iter().map(|(name, part)| match part {
            Part::Text(text) => (name, FieldValue::Text(unix_lines(&text))),
            Part::File(file) => (name, FieldValue::File(file)),
        }))?;
        Ok(Self { values, errors: FieldErrors::new() })
    }

    pub(crate) fn parse(kind: BodyKind, bytes: &[u8]) -> Result<Self, AppError> {
        let text = std::str::from_utf8(bytes).map_err(|_| AppError::Malformed("malformed-not-utf8"))?;
        let values = match kind {
            BodyKind::Multipart => return Err(AppError::UnsupportedType),
            BodyKind::Form => {
                let pairs = pairs(text)?;
                unique(pairs.into_iter().map(|(name, value)| (name, FieldValue::Text(unix_lines(&value)))))?
            }
            BodyKind::Json => {
                let object = serde_json::from_str::<Object>(text);
                object.map_err(|_| AppError::Malformed("malformed-json"))?.0
            }
        };
        Ok(Self { values, errors: FieldErrors::new() })
    }

    /// The field's value, or `None` after noting what is wrong with it.
    pub fn take<T: Field>(&mut self, name: &str) -> Option<T> {
        let value = match self.values.remove(name) {
            None => Err(phrase!(T::MISSING)),
            Some(FieldValue::Text(text)) if text.contains('\0') => Err(phrase!("invalid-null")),
            Some(FieldValue::Json(Value::String(text))) if text.contains('\0') => Err(phrase!("invalid-null")),
            Some(FieldValue::Text(text)) => T::from_text(&text),
            Some(FieldValue::Json(value)) => T::from_json(&value),
            Some(FieldValue::File(file)) => T::from_file(file),
        };
        value.map_err(|message| self.note(name, message)).ok()
    }

    /// Like [`take`](Self::take), for a field that may be missing: then it is `Some(None)`.
    pub fn take_if_there<T: Field>(&mut self, name: &str) -> Option<Option<T>> {
        if self.values.contains_key(name) { self.take(name).map(Some) } else { Some(None) }
    }

    /// Drops a field, so that it does not count as unknown.
    pub fn ignore(&mut self, name: &str) {
        self.values.remove(name);
    }

    /// Drops the fields that have not been taken, so that they do not count as unknown.
    pub fn ignore_others(&mut self) {
        self.values.clear();
    }

    /// Notes what is wrong with a field.
    pub fn note(&mut self, name: &str, message: Phrase) {
        self.errors.entry(name.to_owned()).or_default().push(message);
    }

    pub(crate) fn typed(&self) -> BTreeMap<String, String> {
        let text = |value: &FieldValue| match value {
            FieldValue::Text(text) | FieldValue::Json(Value::String(text)) => Some(text.clone()),
            FieldValue::Json(other) => Some(other.to_string()),
            FieldValue::File(_) => None,
        };
        self.values.iter().filter_map(|(name, value)| Some((name.clone(), text(value)?))).collect()
    }

    pub(crate) fn into_errors(mut self) -> FieldErrors {
        for name in std::mem::take(&mut self.values).into_keys() {
            // Its name is the client's own text: shown back only in part.
            self.note(&name.chars().take(40).collect::<String>(), phrase!("invalid-unknown-field"));
        }
        self.errors
    }
}

impl Field for Upload {
    const MISSING: &'static str = "invalid-choose-file";

    fn from_text(text: &str) -> Result<Self, Phrase> {
        Err(if text.is_empty() { phrase!(Self::MISSING) } else { phrase!("invalid-no-file") })
    }

    fn from_json(_: &Value) -> Result<Self, Phrase> {
        Self::from_text(".")
    }

    fn from_file(file: Self) -> Result<Self, Phrase> {
        match file.bytes.len() {
            0 => Err(phrase!(Self::MISSING)),
            1..=MAX_FILE => Ok(file),
            bytes => {
                #[expect(clippy::cast_precision_loss, reason = "what is left over is counted in megabytes")]
                let size = (bytes as f64 / f64::from(1 << 20) * 10.0).ceil() / 10.0;
                Err(phrase!("invalid-file-too-large", most = MAX_FILE >> 20, size = i18n::Value::score(size)))
            }
        }
    }
}

/// Any text that is not empty.
#[derive(Clone, Debug)]
pub struct Typed(pub String);

impl Field for Typed {
    fn from_text(text: &str) -> Result<Self, Phrase> {
        if text.is_empty() { Err(phrase!(Self::MISSING)) } else { Ok(Self(text.to_owned())) }
    }
}

/// Why somebody decided something: one line, for others to read.
#[derive(Clone, Debug)]
pub struct Reason(String);

impl Reason {
    const MAX_CHARS: usize = 300;

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Field for Reason {
    fn from_text(text: &str) -> Result<Self, Phrase> {
        let clean = one_line(text);
        match clean.as_str() {
            "" => Err(phrase!("invalid-no-reason")),
            _ if clean.chars().count() > Self::MAX_CHARS => {
                Err(phrase!("invalid-too-many-characters", most = Self::MAX_CHARS, count = clean.chars().count()))
            }
            _ => Ok(Self(clean)),
        }
    }
}

/// A JSON object in which no field comes twice. serde's derive would also accept an array.
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

fn unique<T>(pairs: impl IntoIterator<Item = (String, T)>) -> Result<BTreeMap<String, T>, AppError> {
    let mut fields = BTreeMap::new();
    for (name, value) in pairs {
        if fields.insert(name, value).is_some() {
            return Err(AppError::Malformed("malformed-twice"));
        }
    }
    if fields.len() > MAX_FIELDS {
        return Err(AppError::Malformed("malformed-too-many"));
    }
    Ok(fields)
}

/// Browsers send every line end of a form as CR LF, whatever was typed.
fn unix_lines(text: &str) -> String {
    text.replace("\r\n", "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_one_line_that_says_something() {
        assert_eq!(Reason::from_text("  bought\r\nratings\u{202e} ").unwrap().as_str(), "bought  ratings");
        assert!(Reason::from_text(" \n").is_err() && Reason::from_text(&"x".repeat(301)).is_err());
    }
}
