//! A form as it is shown: what was typed and what is wrong with it.

use std::collections::BTreeMap;

use serde::Serialize;

use super::error::{AppError, FieldErrors};

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
    failure: Option<(&'static str, String)>,
    #[serde(skip)]
    retry_after: Option<i64>,
}

/// A field's label, as its page has it: `new_password` is "New password".
#[must_use]
pub fn label(name: &str) -> String {
    let name = match name {
        "old_password" => "current_password",
        "email" => "e-mail",
        "from" => "first_day",
        "to" => "last_day",
        "reason" => "why",
        "content" => "text",
        "publish_at" => "publish_later",
        "slug" => "address",
        "cover" => "picture_of_the_post",
        "image" | "avatar" => "picture",
        "alt" => "what_it_shows",
        "posts" => "published_posts",
        name => name,
    };
    let spaced = name.replace('_', " ");
    let mut chars = spaced.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
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
                let failure = Some((words.title, words.detail.into_owned()));
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
    pub fn errors_of(&self, name: &str) -> &[String] {
        self.errors.get(name).map_or(&[], Vec::as_slice)
    }

    /// What is wrong with each field, for the summary on top.
    #[must_use]
    pub fn errors(&self) -> &FieldErrors {
        &self.errors
    }

    /// What is wrong, in a few words.
    #[must_use]
    pub fn problem(&self) -> &str {
        self.failure.as_ref().map_or("Please check your answers", |(title, _)| title)
    }

    /// What is wrong with the form as a whole.
    #[must_use]
    pub fn failure(&self) -> Option<&str> {
        self.failure.as_ref().map(|(_, detail)| detail.as_str())
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
