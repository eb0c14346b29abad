//! Posts.

use chrono::{DateTime, Utc};
use serde::Serialize;

use super::editor::input::Status;
use super::rendering::links;
use super::urls;
use crate::i18n::{Locale, TextLanguage};
use crate::markdown::Simplified;
use crate::score::ScoreShown;
use crate::web::request::id::id;
use crate::web::request::visitor::{CurrentUser, UserId};

id! {
    /// The id of a post.
    PostId
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Author {
    pub id: UserId,
    pub username: String,
    /// What they want to be called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub display_name: Option<String>,
}

impl Author {
    #[must_use]
    pub fn new(id: i64, username: String, display_name: Option<String>) -> Self {
        Self { id: UserId(id), username, display_name }
    }

    /// The name that people read.
    #[must_use]
    pub fn shown(&self) -> &str {
        self.display_name.as_deref().unwrap_or(&self.username)
    }
}

/// What a list, a page and JSON all say of a post.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Head {
    pub id: PostId,
    pub title: String,
    pub slug: String,
    /// What it is in; none where that is not known.
    pub language: Option<TextLanguage>,
    pub status: Status,
    pub tags: Vec<String>,
    pub author: Author,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
    /// None for a draft.
    pub published_at: Option<DateTime<Utc>>,
    /// When a draft is to be published.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub publish_at: Option<DateTime<Utc>>,
    /// The case of reports by which staff took it down: while that stands, it is not published.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub withheld_by: Option<i64>,
    pub average_rating: f64,
    pub rating_count: i64,
    /// Steady score ([`evenkeel_limiters::SteadyScore`]) and its weight; `None` and 0 before the first rating that counts.
    pub steady_rating: Option<f64>,
    pub steady_weight: f64,
    /// The reader's own rating, if there is one.
    pub my_rating: Option<i16>,
}

impl Head {
    /// Authors may change their posts, and staff may change all.
    #[must_use]
    pub fn may_be_changed_by(&self, user: &CurrentUser) -> bool {
        user.is_staff() || user.id == self.author.id
    }

    /// The score that people are shown. None where no rating counts.
    #[must_use]
    pub fn score(&self, shown: ScoreShown) -> Option<f64> {
        shown.of(self.steady_rating, self.average_rating, self.rating_count)
    }

    #[must_use]
    pub fn is_draft(&self) -> bool {
        self.status == Status::Draft
    }

    /// For `lang`: without a language, that of the page is not this post's.
    #[must_use]
    pub fn lang(&self) -> &'static str {
        self.language.map_or("", TextLanguage::tag)
    }

    /// For `dir`.
    #[must_use]
    pub fn dir(&self) -> &'static str {
        self.language.map_or("auto", TextLanguage::direction)
    }

    /// Where its author is told why staff took it down.
    #[must_use]
    pub fn withheld_path(&self) -> Option<String> {
        self.withheld_by.map(|case| format!("/reports/{case}/"))
    }

    /// The page's address.
    #[must_use]
    pub fn path(&self) -> String {
        urls::page(self.id, &self.slug)
    }

    /// When it was published or, for a draft, begun.
    #[must_use]
    pub fn date(&self) -> &DateTime<Utc> {
        self.published_at.as_ref().unwrap_or(&self.created_at)
    }
}

/// The head of a post, from a row with all of its columns.
macro_rules! head {
    ($row:expr) => {
        $crate::blog_posts::models::Head {
            id: $crate::blog_posts::models::PostId($row.id),
            slug: $crate::blog_posts::slug::of($row.own_slug.as_ref().unwrap_or(&$row.title)),
            title: $row.title,
            language: $row.language.and_then(|tag| tag.parse().ok()),
            status: $crate::blog_posts::editor::input::Status::of(&$row.status),
            tags: $row.tags,
            author: $crate::blog_posts::models::Author::new($row.author_id, $row.username, $row.display_name),
            created_at: $row.created_at,
            updated_at: $row.updated_at,
            published_at: $row.published_at,
            publish_at: $row.publish_at,
            withheld_by: $row.withheld_by,
            average_rating: $row.average_rating,
            rating_count: $row.rating_count,
            steady_rating: $row.steady_rating,
            steady_weight: $row.steady_weight,
            my_rating: $row.my_rating,
        }
    };
}

pub(super) use head;

/// A whole post, with its text.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Post {
    #[serde(flatten)]
    pub head: Head,
    /// Markdown, as it was written.
    pub content: String,
    pub content_html: String,
    /// The address of an image for where the post is shared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cover: Option<String>,
    /// What the author has set instead of what is made from the title and the text.
    #[serde(skip)]
    pub own_slug: Option<String>,
    #[serde(rename = "excerpt", skip_serializing_if = "Option::is_none")]
    pub own_excerpt: Option<String>,
    #[serde(skip)]
    pub own_language: Option<String>,
    /// Counts up with every change.
    pub version: i32,
    /// What was left out when the post was rendered just now, to be told to whoever saved it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
    /// Where it leads that is suspected to be unsafe, for those who may change it; None for others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unsafe_links: Option<Vec<String>>,
}

/// What an author is told of a text that was just rendered: what was left out, and what is suspected.
#[must_use]
pub fn notice(simplified: Option<Simplified>, suspected: &[String], locale: Locale) -> Option<String> {
    let told = [simplified.map(Simplified::notice), links::notice(suspected)];
    let told: Vec<_> = told.into_iter().flatten().map(|told| told.text(locale)).collect();
    (!told.is_empty()).then(|| told.join(" "))
}
