//! Form state for rendering: field values and errors.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::i18n::Phrase;
use crate::phrase;
use crate::web::error::{AppError, FieldErrors};

/// State of a form: empty, prefilled, or rejected with errors. Only the field values are serialized, so that API
/// clients see the accepted fields.
#[derive(Clone, Debug, Default, JsonSchema, Serialize)]
#[serde(transparent)]
pub struct Form {
    values: BTreeMap<String, String>,
    #[serde(skip)]
    errors: FieldErrors,
    /// Title and detail of an error that concerns the whole form.
    #[serde(skip)]
    failure: Option<(Phrase, Phrase)>,
    #[serde(skip)]
    retry_after: Option<i64>,
}

/// Label of a field: the Fluent message `label-<name>`, or the name itself if there is none.
pub fn label(name: &str) -> Phrase {
    let label = phrase!(format!("label-{}", name.replace('_', "-")));
    if label.is_in_catalogue() { label } else { phrase!("verbatim", text = name) }
}

impl Form {
    pub fn prefilled(values: &[(&str, &str)]) -> Self {
        let values = values.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Self { values, ..Self::default() }
    }

    /// Keeps the submitted values, except passwords.
    pub fn rejected(mut typed: BTreeMap<String, String>, error: &AppError) -> Self {
        typed.retain(|name, _| !name.contains("password"));
        let retry_after = error.retry_after();
        match error {
            AppError::Invalid(errors) => Self { values: typed, errors: errors.clone(), ..Self::default() },
            other => {
                let words = other.error_text();
                let failure = Some((words.title, words.detail));
                Self { values: typed, failure, retry_after, ..Self::default() }
            }
        }
    }

    pub fn with_values(typed: BTreeMap<String, String>) -> Self {
        Self { values: typed, ..Self::default() }
    }

    pub fn set(&mut self, name: &str, value: String) {
        self.values.insert(name.to_owned(), value);
    }

    pub fn value(&self, name: &str) -> &str {
        self.values.get(name).map_or("", String::as_str)
    }

    pub fn is_checked(&self, name: impl AsRef<str>) -> bool {
        !self.value(name.as_ref()).is_empty()
    }

    pub fn field_errors(&self, name: &str) -> &[Phrase] {
        self.errors.get(name).map_or(&[], Vec::as_slice)
    }

    pub fn errors(&self) -> &FieldErrors {
        &self.errors
    }

    pub fn error_title(&self) -> Phrase {
        self.failure.as_ref().map_or_else(|| phrase!("error-invalid"), |(title, _)| title.clone())
    }

    pub fn error_detail(&self) -> Option<&Phrase> {
        self.failure.as_ref().map(|(_, detail)| detail)
    }

    /// Seconds until the form can be submitted again.
    pub fn retry_after(&self) -> Option<i64> {
        self.retry_after
    }

    pub fn is_rejected(&self) -> bool {
        self.failure.is_some() || !self.errors.is_empty()
    }
}
