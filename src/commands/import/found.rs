//! What a source holds.

use std::path::PathBuf;

use chrono::{DateTime, Utc};

/// Something that stands in a source.
#[derive(Debug)]
pub enum Entry {
    Post(Box<Found>),
    /// A post that cannot be taken, and why.
    Refused {
        place: String,
        why: String,
    },
    /// Something else than a post: in the plural, such as `pages`.
    Other(&'static str),
    /// The same, that may be taken for a post, so that it is named.
    NoPost {
        place: String,
        kind: &'static str,
        why: &'static str,
    },
}

/// A post, as its source has it.
#[derive(Debug, Default)]
pub struct Found {
    /// Where it stands in the source, for people: a file, or a number.
    pub place: String,
    pub title: String,
    pub slug: Option<String>,
    /// What the source calls its author.
    pub author: Option<String>,
    /// The name that the source shows for the author.
    pub author_shown: Option<String>,
    /// Markdown.
    pub text: String,
    pub tags: Vec<String>,
    pub excerpt: Option<String>,
    pub cover: Option<String>,
    pub language: Option<String>,
    /// Whether everybody could read it, or was to from `published_at` on.
    pub is_public: bool,
    pub created_at: Option<DateTime<Utc>>,
    pub updated_at: Option<DateTime<Utc>>,
    pub published_at: Option<DateTime<Utc>>,
    /// Where addresses of pictures begin that are relative.
    pub folder: Option<PathBuf>,
    /// Old URLs of the post: absolute URLs, or paths.
    pub addresses: Vec<String>,
    /// What stands before the addresses of the old site.
    pub old_site: Vec<String>,
    /// What is not here as it was there, in words.
    pub remarks: Vec<String>,
}

/// Says of a post that was published why it is a draft here: some could not read it, or not all of it.
pub fn not_for_everybody(is_gated: bool) -> String {
    let what = if is_gated { "a part of it" } else { "it" };
    format!("{what} was not for everybody, and it is a draft here")
}
