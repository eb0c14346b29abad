//! Rows of a list in the admin area, as an HTML table shows them.

use chrono::{DateTime, Utc};

use super::columns::ListColumn;
use crate::admin::urls;
use crate::i18n::Phrase;
use crate::phrase;

/// Meaning of a badge, which determines its color.
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

/// Part of a table cell in the admin area, such as a text, a link or a time.
#[derive(Clone, Debug)]
pub enum DisplayPart {
    /// URL or ID, displayed from left to right in every language.
    Plain(String),
    Said(Phrase),
    Number(i64),
    /// Link with a path, a number with this many decimal places as the link text, and the name of the linked object for
    /// screen readers.
    NumberLink(String, f64, usize, String),
    /// Short message that may contain a `<time>` element.
    Badge(BadgeKind, Phrase),
    /// First time, relative to the second. A future time is displayed as a date and time.
    Time(DateTime<Utc>, DateTime<Utc>),
    /// Label with an untranslated value, on a line of its own.
    Pair(Phrase, String),
    /// Label with a translated value, on a line of its own.
    Told(Phrase, Phrase),
    /// Free text by a user, as a quotation on a line of its own.
    Quote(String),
    /// Link with a path and an untranslated link text.
    Link(String, String),
    /// Link with a path, a translated link text, and the name of the linked object for screen readers.
    Lead(String, Phrase, String),
    Strong(String),
}

impl DisplayPart {
    pub fn user_link(name: &str) -> Self {
        Self::Link(urls::user_path(name), name.to_owned())
    }

    /// Creates a link to a post. The link text is the title, or a text with the post ID if there is no title.
    pub fn post_link(id: i64, title: Option<&String>) -> Self {
        let path = crate::blog_posts::urls::POST_BY_ID.path_for(id);
        match title {
            Some(title) => Self::Link(path, title.clone()),
            None => Self::Lead(path, phrase!("log-post", id = id.to_string()), String::new()),
        }
    }
}

/// List row as displayed on the HTML page.
#[derive(Clone, Debug, Default)]
pub struct RowDisplay {
    /// HTML `id` attribute, for links to the row.
    pub id: String,
    /// Key of the row in bulk actions; `None` if the row cannot be selected.
    pub pick: Option<String>,
    /// Cells of the row. The first cell names the row.
    pub cells: Vec<Vec<DisplayPart>>,
}

/// Header of a column, with a link that sorts the list by the column.
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
    /// Builds a table that cannot be sorted.
    pub fn unsorted(columns: &[ListColumn], rows: Vec<RowDisplay>) -> Self {
        Self { headers: columns.iter().map(ColumnHeader::unsorted).collect(), rows }
    }

    /// Returns `true` if bulk actions apply to at least one row.
    pub fn has_picks(&self) -> bool {
        self.rows.iter().any(|row| row.pick.is_some())
    }
}
