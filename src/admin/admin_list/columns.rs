//! Filters, columns, and sort order of a list in the admin area.

use std::collections::BTreeMap;
use std::fmt::{self, Display};

use crate::i18n::Phrase;
use crate::phrase;
use crate::users::Username;
use crate::users::models::find_by_username;
use crate::web::error::AppError;
use crate::web::request::current_user::UserId;
use crate::web::request::id::parse_id;
use crate::web::state::CoreState;

#[derive(Clone, Debug)]
pub struct ListFilter {
    /// Name of the query parameter.
    pub name: &'static str,
    /// Label of the form field; `None` for a hidden filter, which only links can set.
    pub label: Option<Phrase>,
    /// Allowed values with their labels. Empty for a text field.
    pub choices: Vec<(&'static str, Phrase)>,
}

impl ListFilter {
    pub fn text_filter(name: &'static str, label: Phrase) -> Self {
        Self { name, label: Some(label), choices: Vec::new() }
    }

    pub fn hidden_filter(name: &'static str) -> Self {
        Self { name, label: None, choices: Vec::new() }
    }

    pub fn choice_filter(name: &'static str, label: Phrase, choices: Vec<(&'static str, Phrase)>) -> Self {
        Self { name, label: Some(label), choices }
    }

    pub(super) fn is_number(&self) -> bool {
        self.name == "post"
    }
}

#[derive(Clone, Copy, Debug)]
pub struct ListColumn {
    /// Message ID of the column header.
    pub title: &'static str,
    /// First `sort` value that the column header links to: a sort key, with a minus sign for descending order.
    pub(super) sort: Option<&'static str>,
    pub(super) is_number: bool,
}

impl ListColumn {
    pub const fn new(title: &'static str) -> Self {
        Self { title, sort: None, is_number: false }
    }

    pub const fn number(title: &'static str) -> Self {
        Self { title, sort: None, is_number: true }
    }

    pub const fn sorted_by(self, sort: &'static str) -> Self {
        Self { sort: Some(sort), ..self }
    }

    pub(super) fn sort_key(&self) -> Option<&'static str> {
        self.sort.map(|sort| sort.trim_start_matches('-'))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListOrder {
    pub key: &'static str,
    pub is_ascending: bool,
}

impl ListOrder {
    /// Parses `key` or `-key`, where `key` is the sort key of one of the columns.
    pub(super) fn parse(text: &str, columns: &[ListColumn]) -> Option<Self> {
        let key = text.trim_start_matches('-');
        let key = columns.iter().filter_map(ListColumn::sort_key).find(|name| *name == key)?;
        Some(Self { key, is_ascending: !text.starts_with('-') })
    }

    pub(super) fn reversed(self) -> Self {
        Self { is_ascending: !self.is_ascending, ..self }
    }
}

impl Display for ListOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", if self.is_ascending { "" } else { "-" }, self.key)
    }
}

#[derive(Clone, Debug, Default)]
pub struct FilterValues {
    pub(super) values: BTreeMap<String, String>,
    /// Requested sort order; `None` for the default order of the list.
    pub order: Option<ListOrder>,
}

impl FilterValues {
    pub fn get(&self, name: &str) -> Option<&str> {
        self.values.get(name).map(String::as_str)
    }

    pub fn id(&self, name: &str) -> Result<Option<i64>, AppError> {
        let no_id = || AppError::invalid_field(name, phrase!("invalid-id"));
        self.get(name).map(|text| parse_id(text).ok_or_else(no_id)).transpose()
    }

    pub async fn find_user(&self, state: &CoreState, field: &'static str) -> Result<Option<UserId>, AppError> {
        match self.get(field) {
            Some(name) => find_user_id(state, field, name).await.map(Some),
            None => Ok(None),
        }
    }
}

/// Returns a validation error for `field` if no user is called `name`.
pub async fn find_user_id(state: &CoreState, field: &str, name: &str) -> Result<UserId, AppError> {
    let nobody = || AppError::invalid_field(field, phrase!("invalid-no-such-user", name = name));
    let username = Username::parse_lenient(name).map_err(|_| nobody())?;
    match find_by_username(&state.pool, &username).await {
        Ok(user) => Ok(user.id),
        Err(AppError::NotFound) => Err(nobody()),
        Err(error) => Err(error),
    }
}
