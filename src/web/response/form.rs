//! A form as it is shown: what was typed and what is wrong with it.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::i18n::Phrase;
use crate::phrase;
use crate::web::error::{AppError, FieldErrors};

/// A form: empty, filled in beforehand, or rejected and shown again. Serialised it is only its values, so a program
/// that asks for the form's address sees which fields it may send.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(transparent)]
pub struct Form {
    values: BTreeMap<String, String>,
    #[serde(skip)]
    errors: FieldErrors,
    /// What is wrong with it as a whole: a few words, and a sentence.
    #[serde(skip)]
    failure: Option<(Phrase, Phrase)>,
    #[serde(skip)]
    retry_after: Option<i64>,
}

/// A field's label: the message `label-` and its name. What has none is called by its name.
#[must_use]
pub fn label(name: &str) -> Phrase {
    let label = phrase!(format!("label-{}", name.replace('_', "-")));
    if label.is_known() { label } else { phrase!("verbatim", text = name) }
}

impl Form {
    /// A form with these values to begin with.
    #[must_use]
    pub fn of(values: &[(&str, &str)]) -> Self {
        let values = values.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Self { values, ..Self::default() }
    }

    /// The form again, with what was typed (passwords excepted) and why it was not accepted.
    #[must_use]
    pub fn rejected(mut typed: BTreeMap<String, String>, error: &AppError) -> Self {
        typed.retain(|name, _| !name.contains("password"));
        let retry_after = error.retry_after();
        match error {
            AppError::Invalid(errors) => Self { values: typed, errors: errors.clone(), ..Self::default() },
            other => {
                let words = other.words();
                let failure = Some((words.title, words.detail));
                Self { values: typed, failure, retry_after, ..Self::default() }
            }
        }
    }

    /// The form again, as it was typed.
    #[must_use]
    pub fn typed(typed: BTreeMap<String, String>) -> Self {
        Self { values: typed, ..Self::default() }
    }

    /// Changes what is in a field.
    pub fn set(&mut self, name: &str, value: String) {
        self.values.insert(name.to_owned(), value);
    }

    /// What is in the field.
    #[must_use]
    pub fn value(&self, name: &str) -> &str {
        self.values.get(name).map_or("", String::as_str)
    }

    /// What is wrong with the field.
    #[must_use]
    pub fn errors_of(&self, name: &str) -> &[Phrase] {
        self.errors.get(name).map_or(&[], Vec::as_slice)
    }

    /// What is wrong with each field, for the summary on top.
    #[must_use]
    pub fn errors(&self) -> &FieldErrors {
        &self.errors
    }

    /// What is wrong, in a few words.
    #[must_use]
    pub fn problem(&self) -> Phrase {
        self.failure.as_ref().map_or_else(|| phrase!("error-invalid"), |(title, _)| title.clone())
    }

    /// What is wrong with the form as a whole.
    #[must_use]
    pub fn failure(&self) -> Option<&Phrase> {
        self.failure.as_ref().map(|(_, detail)| detail)
    }

    /// Seconds after which it can be sent again.
    #[must_use]
    pub fn retry_after(&self) -> Option<i64> {
        self.retry_after
    }

    #[must_use]
    pub fn is_rejected(&self) -> bool {
        self.failure.is_some() || !self.errors.is_empty()
    }
}
