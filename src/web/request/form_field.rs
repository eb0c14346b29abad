//! Validation of form and JSON fields. All fields are validated, so that the user sees all errors at once.

use std::collections::BTreeMap;

use schemars::{Schema, json_schema};
use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, Visitor};
use serde_json::Value;

use super::format::BodyKind;
use super::query::{MAX_FIELDS, parse_pairs};
use super::upload::{FormPart, MAX_FILE_BYTES, UploadedFile};
use crate::i18n::{self, Phrase, to_ascii_digits};
use crate::phrase;
use crate::web::error::{AppError, FieldErrors};
use crate::web::routing::operation::BodySchema;

pub trait FormInput: Sized {
    /// Maximum body size in bytes. Percent-encoding can triple the size of a text.
    const MAX_BYTES: usize = 16 * 1024;
    /// `true` if a field may be a file. Only signed-in users can upload files.
    const HAS_FILE: bool = false;

    /// Parses the fields. Returns `None` if a field is invalid; `fields` then holds the errors.
    fn read(fields: &mut Fields) -> Option<Self>;

    /// Takes all fields to collect their schemas. Must be implemented if fields depend on the value of another field.
    fn describe(fields: &mut Fields) {
        Self::read(fields);
    }
}

pub trait Field: Sized {
    /// Fluent key of the error for a missing field.
    const MISSING: &'static str = "invalid-missing";

    fn from_text(text: &str) -> Result<Self, Phrase>;

    fn from_json(value: &Value) -> Result<Self, Phrase> {
        value.as_str().ok_or_else(|| phrase!("invalid-not-a-string")).and_then(Self::from_text)
    }

    fn schema() -> Schema;

    fn from_file(_: UploadedFile) -> Result<Self, Phrase> {
        Err(phrase!("invalid-file-not-accepted"))
    }
}

/// Optional field: blank text and JSON `null` are parsed as `None`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OptionalField<T>(pub Option<T>);

impl<T: Field> Field for OptionalField<T> {
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

    fn schema() -> Schema {
        let mut value = T::schema();
        let remarks = ["description", "examples"].map(|name| (name, value.remove(name)));
        let mut schema = json_schema!({ "anyOf": [value, { "type": "string", "maxLength": 0 }, { "type": "null" }] });
        for (name, remark) in remarks {
            if let Some(remark) = remark {
                schema.insert(name.to_owned(), remark);
            }
        }
        schema
    }

    /// Parses an empty file as `None`, because browsers send an empty file if no file was chosen.
    fn from_file(file: UploadedFile) -> Result<Self, Phrase> {
        if file.bytes.is_empty() { Ok(Self(None)) } else { T::from_file(file).map(|value| Self(Some(value))) }
    }
}

#[derive(Debug)]
pub struct Fields {
    values: BTreeMap<String, FieldValue>,
    errors: FieldErrors,
    /// Schemas of the fields that were taken; `None` while a request is parsed.
    schemas: Option<BodySchema>,
}

#[derive(Debug)]
enum FieldValue {
    Text(String),
    Json(Value),
    File(UploadedFile),
}

impl Fields {
    pub(crate) fn from_parts(parts: Vec<(String, FormPart)>) -> Result<Self, AppError> {
        let values = collect_unique(parts.into_iter().map(|(name, part)| match part {
            FormPart::Text(text) => (name, FieldValue::Text(normalize_newlines(&text))),
            FormPart::File(file) => (name, FieldValue::File(file)),
        }))?;
        Ok(Self { values, errors: FieldErrors::new(), schemas: None })
    }

    pub fn body_schema<T: FormInput>() -> BodySchema {
        let schemas = Some(BodySchema::default());
        let mut fields = Self { values: BTreeMap::new(), errors: FieldErrors::new(), schemas };
        T::describe(&mut fields);
        fields.schemas.unwrap_or_default()
    }

    pub(crate) fn parse(kind: BodyKind, bytes: &[u8]) -> Result<Self, AppError> {
        let text = std::str::from_utf8(bytes).map_err(|_| AppError::Malformed("malformed-not-utf8"))?;
        let values = match kind {
            BodyKind::Multipart => return Err(AppError::UnsupportedType),
            BodyKind::Form => {
                let pairs = parse_pairs(text)?;
                collect_unique(
                    pairs.into_iter().map(|(name, value)| (name, FieldValue::Text(normalize_newlines(&value)))),
                )?
            }
            BodyKind::Json => {
                let object = serde_json::from_str::<JsonObject>(text);
                object.map_err(|_| AppError::Malformed("malformed-json"))?.0
            }
        };
        Ok(Self { values, errors: FieldErrors::new(), schemas: None })
    }

    /// If the value is invalid, records the error and returns `None`.
    pub fn take<T: Field>(&mut self, name: &str) -> Option<T> {
        if let Some(schemas) = &mut self.schemas {
            schemas.add(name, T::schema(), true);
            return None;
        }
        let value = match self.values.remove(name) {
            None => Err(phrase!(T::MISSING)),
            Some(FieldValue::Text(text)) if text.contains('\0') => Err(phrase!("invalid-null-character")),
            Some(FieldValue::Json(Value::String(text))) if text.contains('\0') => {
                Err(phrase!("invalid-null-character"))
            }
            Some(FieldValue::Text(text)) => T::from_text(&text),
            Some(FieldValue::Json(value)) => T::from_json(&to_integer(value)),
            Some(FieldValue::File(file)) => T::from_file(file),
        };
        value.map_err(|message| self.add_error(name, message)).ok()
    }

    /// Like [`take`](Self::take), but returns `Some(None)` if the field is missing.
    pub fn take_optional<T: Field>(&mut self, name: &str) -> Option<Option<T>> {
        if let Some(schemas) = &mut self.schemas {
            schemas.add(name, T::schema(), false);
            return Some(None);
        }
        self.take_undocumented(name)
    }

    /// Takes a field that only the site's own HTML forms contain, and that the API does not document.
    pub fn take_undocumented<T: Field>(&mut self, name: &str) -> Option<Option<T>> {
        if self.values.contains_key(name) { self.take(name).map(Some) } else { Some(None) }
    }

    /// Discards a field, so that it is not reported as unknown.
    pub fn ignore_field(&mut self, name: &str) {
        self.values.remove(name);
    }

    pub fn ignore_remaining_fields(&mut self) {
        if let Some(schemas) = &mut self.schemas {
            schemas.ignores_others = true;
        }
        self.values.clear();
    }

    pub fn add_error(&mut self, name: &str, message: Phrase) {
        self.errors.entry(name.to_owned()).or_default().push(message);
    }

    /// Submitted texts. An uploaded file has the text `file`.
    pub(crate) fn submitted_values(&self) -> BTreeMap<String, String> {
        let text = |value: &FieldValue| match value {
            FieldValue::Text(text) | FieldValue::Json(Value::String(text)) => Some(text.clone()),
            FieldValue::Json(other) => Some(other.to_string()),
            FieldValue::File(file) => (!file.bytes.is_empty()).then(|| "file".to_owned()),
        };
        self.values.iter().filter_map(|(name, value)| Some((name.clone(), text(value)?))).collect()
    }

    pub(crate) fn into_errors(mut self) -> FieldErrors {
        // Clients written for Django send this field with every form. The site checks the origin of requests instead.
        self.values.remove("csrfmiddlewaretoken");
        for name in std::mem::take(&mut self.values).into_keys() {
            // Unknown field names are client input, so only the first 40 characters are echoed.
            self.add_error(&name.chars().take(40).collect::<String>(), phrase!("invalid-unknown-field"));
        }
        self.errors
    }
}

impl Field for UploadedFile {
    const MISSING: &'static str = "invalid-choose-file";

    fn from_text(text: &str) -> Result<Self, Phrase> {
        Err(if text.is_empty() { phrase!(Self::MISSING) } else { phrase!("invalid-not-a-file") })
    }

    fn from_json(_: &Value) -> Result<Self, Phrase> {
        Self::from_text(".")
    }

    fn schema() -> Schema {
        json_schema!({ "type": "string", "contentMediaType": "application/octet-stream", "format": "binary" })
    }

    fn from_file(file: Self) -> Result<Self, Phrase> {
        match file.bytes.len() {
            0 => Err(phrase!(Self::MISSING)),
            1..=MAX_FILE_BYTES => Ok(file),
            bytes => {
                #[expect(clippy::cast_precision_loss, reason = "what is left over is counted in megabytes")]
                let size = (bytes as f64 / f64::from(1 << 20) * 10.0).ceil() / 10.0;
                Err(phrase!(
                    "invalid-file-too-large",
                    most = MAX_FILE_BYTES >> 20,
                    size = i18n::PhraseValue::score(size)
                ))
            }
        }
    }
}

pub fn limit_chars(text: String, most: usize) -> Result<String, Phrase> {
    match text.chars().count() {
        count if count > most => Err(phrase!("invalid-too-many-characters", most = most, count = count)),
        _ => Ok(text),
    }
}

#[derive(Clone, Debug)]
pub struct NonEmptyText(pub String);

impl Field for NonEmptyText {
    fn from_text(text: &str) -> Result<Self, Phrase> {
        if text.is_empty() { Err(phrase!(Self::MISSING)) } else { Ok(Self(text.to_owned())) }
    }

    fn schema() -> Schema {
        json_schema!({ "type": "string", "minLength": 1 })
    }
}

#[derive(Clone, Copy, Debug)]
pub struct IntegerUpTo<const MOST: i32>(pub i32);

impl<const MOST: i32> Field for IntegerUpTo<MOST> {
    fn from_text(text: &str) -> Result<Self, Phrase> {
        let number = to_ascii_digits(text.trim()).parse().ok().filter(|number| (1..=MOST).contains(number));
        number.map(Self).ok_or_else(|| phrase!("invalid-whole-number", most = MOST))
    }

    fn from_json(value: &Value) -> Result<Self, Phrase> {
        Self::from_text(&number_text(value))
    }

    fn schema() -> Schema {
        integer_or_string_schema(&json_schema!({ "type": "integer", "minimum": 1, "maximum": MOST }))
    }
}

/// Text of a JSON number, or of a number in quotes, as Django accepts it. Empty for other values.
pub fn number_text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.as_i64().map(|number| number.to_string()).unwrap_or_default(), str::to_owned)
}

/// Schema of an integer of at least 1, also in quotes. Without a `maximum`, quotes contain at most 18 digits.
pub fn integer_or_string_schema(integer: &Schema) -> Schema {
    let most = integer.get("maximum").and_then(Value::as_u64);
    let pattern = most.map_or_else(|| "^[1-9][0-9]{0,17}$".to_owned(), up_to_pattern);
    json_schema!({ "anyOf": [integer, { "type": "string", "pattern": pattern }] })
}

fn up_to_pattern(most: u64) -> String {
    let digits = most.to_string();
    let more = |count: usize| if count == 0 { String::new() } else { format!("[0-9]{{{count}}}") };
    let shorter = (1..digits.len()).map(|length| format!("[1-9]{}", more(length - 1)));
    let lower = digits.char_indices().filter_map(|(index, digit)| {
        let least = if index == 0 { '1' } else { '0' };
        let below = char::from(u8::try_from(digit).ok()? - 1);
        (digit > least).then(|| format!("{}[{least}-{below}]{}", &digits[..index], more(digits.len() - index - 1)))
    });
    let all: Vec<String> = shorter.chain(lower).chain([digits.clone()]).collect();
    format!("^({})$", all.join("|"))
}

#[derive(Clone, Copy, Debug)]
pub struct YesOrNo(pub bool);

impl Field for YesOrNo {
    fn from_text(text: &str) -> Result<Self, Phrase> {
        text.parse().map(Self).map_err(|_| phrase!("invalid-boolean"))
    }

    fn from_json(value: &Value) -> Result<Self, Phrase> {
        value.as_bool().map(Self).ok_or_else(|| phrase!("invalid-boolean"))
    }

    fn schema() -> Schema {
        json_schema!({ "type": "boolean" })
    }
}

/// JSON object without duplicate keys. A derived `Deserialize` would also accept an array.
struct JsonObject(BTreeMap<String, FieldValue>);

impl<'de> Deserialize<'de> for JsonObject {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ObjectVisitor;
        impl<'de> Visitor<'de> for ObjectVisitor {
            type Value = JsonObject;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a JSON object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<JsonObject, A::Error> {
                let mut fields = BTreeMap::new();
                while let Some((name, value)) = map.next_entry::<String, Value>()? {
                    if fields.insert(name, FieldValue::Json(value)).is_some() || fields.len() > MAX_FIELDS {
                        return Err(A::Error::custom("a field occurs twice, or there are too many fields"));
                    }
                }
                Ok(JsonObject(fields))
            }
        }
        deserializer.deserialize_map(ObjectVisitor)
    }
}

/// Converts a number such as `2.0` to `2`: JSON schemas count both as integers, and some languages write both alike.
fn to_integer(value: Value) -> Value {
    const MAX: f64 = 9_007_199_254_740_992.0;
    match value.as_f64().filter(|number| value.is_f64() && number.fract() == 0.0 && number.abs() <= MAX) {
        #[expect(clippy::cast_possible_truncation, reason = "the number is an integer of at most 2^53")]
        Some(number) => (number as i64).into(),
        None => value,
    }
}

fn collect_unique<T>(pairs: impl IntoIterator<Item = (String, T)>) -> Result<BTreeMap<String, T>, AppError> {
    let mut fields = BTreeMap::new();
    for (name, value) in pairs {
        if fields.insert(name, value).is_some() {
            return Err(AppError::Malformed("malformed-duplicate-field"));
        }
    }
    if fields.len() > MAX_FIELDS {
        return Err(AppError::Malformed("malformed-too-many"));
    }
    Ok(fields)
}

/// Converts CR LF to LF, because browsers submit all line breaks of a form as CR LF.
fn normalize_newlines(text: &str) -> String {
    text.replace("\r\n", "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_quotes_are_described() {
        for most in [1, 5, 10, 365, 1_000, 4_096] {
            let schema = integer_or_string_schema(&json_schema!({ "type": "integer", "minimum": 1, "maximum": most }));
            let validator = jsonschema::validator_for(schema.as_value()).unwrap();
            for number in 0..5_000 {
                let is_valid = validator.is_valid(&number.to_string().into());
                assert_eq!(is_valid, (1..=most).contains(&number), "{number} of {most}");
            }
        }
    }
}
