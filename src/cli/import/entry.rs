//! Entries of a source.

use std::path::PathBuf;

use chrono::{DateTime, Utc};

/// An entry of a source.
#[derive(Debug)]
pub enum Entry {
    Post(Box<SourcePost>),
    /// A post that cannot be imported, and the reason.
    Refused {
        location: String,
        why: String,
    },
    /// Kind of an entry that is not a post, in the plural, such as `pages`.
    Other(&'static str),
    /// An entry that could be mistaken for a post, and is therefore reported by its location.
    NoPost {
        location: String,
        kind: &'static str,
        why: &'static str,
    },
}

/// A post as the source contains it.
#[derive(Debug, Default)]
pub struct SourcePost {
    /// Location in the source for messages: a file, or a number.
    pub location: String,
    pub title: String,
    pub slug: Option<String>,
    /// Identifier of the author in the source.
    pub author: Option<String>,
    /// The name that the source shows for the author.
    pub author_shown: Option<String>,
    /// Markdown.
    pub text: String,
    pub tags: Vec<String>,
    pub excerpt: Option<String>,
    pub cover: Option<String>,
    pub language: Option<String>,
    /// True if the post was public, or scheduled to be.
    pub is_public: bool,
    pub created_at: Option<DateTime<Utc>>,
    pub updated_at: Option<DateTime<Utc>>,
    pub published_at: Option<DateTime<Utc>>,
    /// Base folder of relative image URLs.
    pub folder: Option<PathBuf>,
    /// Old URLs of the post: absolute URLs, or paths.
    pub addresses: Vec<String>,
    /// Prefixes of URLs of the old site.
    pub old_site: Vec<String>,
    /// Differences between the imported post and the original, as messages.
    pub remarks: Vec<String>,
}

/// Reason why a published post becomes a draft: it, or a part of it, was not public.
pub fn not_for_everybody(is_gated: bool) -> String {
    let what = if is_gated { "a part of it" } else { "it" };
    format!("{what} was not for everybody, and it is a draft here")
}
