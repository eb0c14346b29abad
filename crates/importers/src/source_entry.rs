//! Entries of an import source, such as posts, and entries that are not imported.

use std::path::PathBuf;

use chrono::{DateTime, Utc};

#[derive(Debug)]
pub enum SourceEntry {
    Post(Box<SourcePost>),
    /// Post that cannot be imported, and the reason.
    Invalid {
        location: String,
        why: String,
    },
    /// Entry of a type that is not imported. The text is the plural name of the type, such as `attachments`.
    Other(&'static str),
    /// Skipped entry that a user may expect to be imported, such as a file without front matter. `why` is shown to the
    /// user.
    Skipped {
        location: String,
        kind: &'static str,
        why: &'static str,
    },
}

#[derive(Debug, Default)]
pub struct SourcePost {
    /// File path, title or number of the post in the source, for messages.
    pub location: String,
    pub title: String,
    pub slug: Option<String>,
    /// Login name, slug or name that identifies the author in the source.
    pub author: Option<String>,
    /// Display name of the author on the old site.
    pub author_display_name: Option<String>,
    /// Content in Markdown.
    pub text: String,
    pub tags: Vec<String>,
    pub excerpt: Option<String>,
    pub cover: Option<String>,
    pub language: Option<String>,
    /// True for a page such as an imprint, which is not listed with the posts.
    pub is_page: bool,
    /// True if the post was public or scheduled to become public.
    pub is_public: bool,
    pub created_at: Option<DateTime<Utc>>,
    pub updated_at: Option<DateTime<Utc>>,
    pub published_at: Option<DateTime<Utc>>,
    /// Path of the Markdown file relative to the root of the site, used to resolve links between files.
    pub path: Option<String>,
    /// Folder of the Markdown file, used to resolve relative image paths.
    pub folder: Option<PathBuf>,
    /// Old URLs of the post: absolute URLs, or paths on the old site.
    pub old_urls: Vec<String>,
    /// URL prefixes of the old site, such as `https://example.com`.
    pub old_site_prefixes: Vec<String>,
    /// Messages about differences between the imported post and the original.
    pub remarks: Vec<String>,
}

/// Message for a published post that is imported as a draft, because access to the post or to a part of it was
/// restricted.
pub fn restricted_post_message(is_gated: bool) -> String {
    let what = if is_gated { "a part of the post" } else { "the post" };
    format!("imported as a draft, because access to {what} was restricted")
}
