//! Rows of a list in the admin area, as an HTML table shows them.

use chrono::{DateTime, Utc};

use super::columns::ListColumn;
use crate::admin::urls;
use crate::i18n::Phrase;
use crate::phrase;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadgeKind {
    Neutral,
    Info,
    Success,
    Warning,
    Danger,
}

impl BadgeKind {
    /// CSS class of the badge.
    pub fn name(self) -> &'static str {
        match self {
            Self::Neutral => "",
            Self::Info => "info",
            Self::Success => "success",
            Self::Warning => "warning",
            Self::Danger => "danger",
        }
    }
}

#[derive(Clone, Debug)]
pub enum DisplayPart {
    /// URL or ID, displayed from left to right in every language.
    Plain(String),
    Said(Phrase),
    Number(i64),
    /// Link with a number as its text: path, number, its decimals, and name of the linked object for screen readers.
    NumberLink(String, f64, usize, String),
    Badge(BadgeKind, Phrase),
    /// Event time, displayed relative to the current time unless the event is in the future, and current time.
    Time(DateTime<Utc>, DateTime<Utc>),
    /// Label with an untranslated value, on a line of its own.
    Pair(Phrase, String),
    /// Label with a translated value, on a line of its own.
    Told(Phrase, Phrase),
    Quote(String),
    /// Path and untranslated link text.
    Link(String, String),
    /// Path, translated link text, and name of the linked object for screen readers.
    Lead(String, Phrase, String),
    Strong(String),
}

impl DisplayPart {
    pub fn user_link(name: &str) -> Self {
        Self::Link(urls::user_path(name), name.to_owned())
    }

    pub fn post_link(id: i64, title: Option<&String>) -> Self {
        let path = crate::blog_posts::urls::POST_BY_ID.path_for(id);
        match title {
            Some(title) => Self::Link(path, title.clone()),
            None => Self::Lead(path, phrase!("log-post", id = id.to_string()), String::new()),
        }
    }
}

#[derive(Clone, Debug, Default)]
pub struct RowDisplay {
    /// HTML `id` attribute, for links to the row.
    pub id: String,
    /// Key of the row in bulk actions; `None` if the row cannot be selected.
    pub key: Option<String>,
    /// Cells of the row, of which the first one is the row header.
    pub cells: Vec<Vec<DisplayPart>>,
}

#[derive(Debug)]
pub struct ColumnHeader {
    pub title: Phrase,
    pub is_number: bool,
    /// Value of the attribute `aria-sort`, if the list is sorted by this column.
    pub sorted: Option<&'static str>,
    pub sort_path: Option<String>,
}

impl ColumnHeader {
    pub(super) fn unsorted(column: &ListColumn) -> Self {
        Self { title: phrase!(column.title), is_number: column.is_number, sorted: None, sort_path: None }
    }
}

#[derive(Debug)]
pub struct AdminTable {
    pub headers: Vec<ColumnHeader>,
    pub rows: Vec<RowDisplay>,
}

impl AdminTable {
    pub fn unsorted(columns: &[ListColumn], rows: Vec<RowDisplay>) -> Self {
        Self { headers: columns.iter().map(ColumnHeader::unsorted).collect(), rows }
    }

    pub fn is_selectable(&self) -> bool {
        self.rows.iter().any(|row| row.key.is_some())
    }
}
