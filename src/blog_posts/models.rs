//! Models of posts and their authors.

use crate::web::routing::operation::QueryParameter;
use chrono::{DateTime, Utc};
use evenkeel_markdown::Simplification;
use schemars::{JsonSchema, json_schema};
use serde::Serialize;
use sqlx::postgres::PgRow;
use sqlx::{FromRow, Row as _};

use super::editor::input::PostStatus;
use super::rendering::links;
use super::slug::slugify;
use super::urls;
use crate::i18n::{Locale, Phrase, TextLanguage};
use crate::phrase;
use crate::score::DisplayedScore;
use crate::web::request::current_user::{CurrentUser, UserId};
use crate::web::request::form_field::Field as _;
use crate::web::request::id::id;

id! {
    PostId
}

const MAX_IDS: usize = 100;

pub fn parse_post_ids(text: &str) -> Result<Vec<PostId>, Phrase> {
    let ids: Result<Vec<PostId>, Phrase> = text.split(',').map(PostId::from_text).collect();
    let ids = ids.ok().filter(|ids| ids.len() <= MAX_IDS);
    ids.ok_or_else(|| phrase!("invalid-post-ids", most = MAX_IDS))
}

pub fn post_ids_parameter() -> QueryParameter {
    let description = format!("Ids of at most {MAX_IDS} posts, separated by commas");
    QueryParameter::new(
        "ids",
        description,
        json_schema!({ "type": "string", "pattern": "^[1-9][0-9]{0,17}(,[1-9][0-9]{0,17})*$" }),
    )
}

#[derive(Clone, Debug, PartialEq, Eq, JsonSchema, Serialize)]
pub struct Author {
    pub id: UserId,
    pub username: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub display_name: Option<String>,
}

impl Author {
    pub fn new(id: i64, username: String, display_name: Option<String>) -> Self {
        Self { id: UserId(id), username, display_name }
    }

    pub fn name(&self) -> &str {
        self.display_name.as_deref().unwrap_or(&self.username)
    }
}

/// Fields of a post that lists, pages and JSON responses share.
#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize)]
pub struct PostHeader {
    pub id: PostId,
    pub title: String,
    pub slug: String,
    /// Language of the text; `None` if it is unknown.
    pub language: Option<TextLanguage>,
    pub status: PostStatus,
    pub tags: Vec<String>,
    pub author: Author,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
    /// Publication time; `None` for a draft.
    pub published_at: Option<DateTime<Utc>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub publish_at: Option<DateTime<Utc>>,
    /// Id of the report case by which staff took the post down. The post cannot be published while this id is set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub withheld_by: Option<i64>,
    pub average_rating: f64,
    pub rating_count: i64,
    /// Steady score ([`evenkeel_limiters::SteadyScore`]); `None` before the first rating that counts.
    pub steady_rating: Option<f64>,
    /// Sum of the weights of the ratings in the steady score, where each rating has a weight from 0 to 1; 0 before the
    /// first rating that counts.
    pub steady_weight: f64,
    /// Rating of the post by the current user, in stars; `None` if the user has not rated the post.
    #[schemars(range(min = 1, max = 5))]
    pub my_rating: Option<i16>,
}

impl PostHeader {
    /// Returns whether `user` may change the post: authors can change their own posts, and staff can change all posts.
    pub fn is_editable_by(&self, user: &CurrentUser) -> bool {
        user.is_staff() || user.id == self.author.id
    }

    pub fn displayed_score(&self, shown: DisplayedScore) -> Option<f64> {
        shown.select_score(self.steady_rating, self.average_rating, self.rating_count)
    }

    pub fn is_draft(&self) -> bool {
        self.status == PostStatus::Draft
    }

    /// Value of the `lang` attribute. An empty value means an unknown language; without the attribute, the language of
    /// the page would apply.
    pub fn lang(&self) -> &'static str {
        self.language.map_or("", TextLanguage::tag)
    }

    pub fn text_direction(&self) -> &'static str {
        self.language.map_or("auto", TextLanguage::direction)
    }

    /// Path of the page that tells the author why staff took the post down.
    pub fn takedown_case_path(&self) -> Option<String> {
        self.withheld_by.map(|case| format!("/reports/{case}/"))
    }

    pub fn path(&self) -> String {
        urls::post_path_with_slug(self.id, &self.slug)
    }

    pub fn published_or_created_at(&self) -> &DateTime<Utc> {
        self.published_at.as_ref().unwrap_or(&self.created_at)
    }
}

/// Columns of a [`PostHeader`] in every statement that reads posts: of the tables `blog_posts p` and `users u`, and of the
/// outer joined tables `rating_totals t` and `rates r`, which is the rating of the reader.
macro_rules! post_columns {
    () => {
        "p.id, p.title, p.status, p.tags, p.author_id, u.username, u.display_name, p.created_at, p.updated_at,
        p.published_at, p.publish_at, p.withheld_by, p.own_slug, p.language,
        coalesce(t.average_rating, 0) as average_rating, coalesce(t.rating_count, 0) as rating_count,
        t.steady_rating, coalesce(t.steady_weight, 0) as steady_weight, r.rating as my_rating"
    };
}

pub(super) use post_columns;

impl FromRow<'_, PgRow> for PostHeader {
    fn from_row(row: &PgRow) -> sqlx::Result<Self> {
        let title: String = row.try_get("title")?;
        let own_slug: Option<&str> = row.try_get("own_slug")?;
        Ok(Self {
            id: row.try_get("id")?,
            slug: slugify(own_slug.unwrap_or(&title)),
            title,
            language: row.try_get::<Option<&str>, _>("language")?.and_then(|tag| tag.parse().ok()),
            status: PostStatus::from_name(row.try_get("status")?),
            tags: row.try_get("tags")?,
            author: Author {
                id: row.try_get("author_id")?,
                username: row.try_get("username")?,
                display_name: row.try_get("display_name")?,
            },
            created_at: row.try_get("created_at")?,
            updated_at: row.try_get("updated_at")?,
            published_at: row.try_get("published_at")?,
            publish_at: row.try_get("publish_at")?,
            withheld_by: row.try_get("withheld_by")?,
            average_rating: row.try_get("average_rating")?,
            rating_count: row.try_get("rating_count")?,
            steady_rating: row.try_get("steady_rating")?,
            steady_weight: row.try_get("steady_weight")?,
            my_rating: row.try_get("my_rating")?,
        })
    }
}

#[derive(Clone, Debug, PartialEq, FromRow, JsonSchema, Serialize)]
pub struct Post {
    #[serde(flatten)]
    #[sqlx(flatten)]
    pub head: PostHeader,
    /// Markdown source.
    pub content: String,
    pub content_html: String,
    /// Path or URL of the cover image, for link previews.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cover: Option<String>,
    /// Slug set by the author; `None` if the slug is generated from the title.
    #[serde(skip)]
    pub own_slug: Option<String>,
    /// Excerpt set by the author; `None` if the excerpt is generated from the text.
    #[serde(rename = "excerpt", skip_serializing_if = "Option::is_none")]
    pub own_excerpt: Option<String>,
    /// Language set by the author; `None` if the language is detected from the title and the text.
    #[serde(skip)]
    pub own_language: Option<String>,
    /// Version number, incremented by each change to detect conflicting edits.
    pub version: i32,
    /// Warning about rendering or flagged URLs, for the author who just saved the post.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[sqlx(skip)]
    pub notice: Option<String>,
    /// Flagged URLs in the post; `None` for users who cannot change the post.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[sqlx(skip)]
    pub unsafe_links: Option<Vec<String>>,
}

pub fn simplification_notice(simplified: Simplification) -> Phrase {
    match simplified {
        Simplification::Code => phrase!("notice-much-code"),
        Simplification::Text => phrase!("notice-too-much"),
    }
}

/// Warning for the author about parts that were not rendered and about flagged URLs.
pub fn author_notice(simplified: Option<Simplification>, suspected: &[String], locale: Locale) -> Option<String> {
    let notices = [simplified.map(simplification_notice), links::flagged_urls_notice(suspected)];
    let notices: Vec<_> = notices.into_iter().flatten().map(|notices| notices.translate_to_text(locale)).collect();
    (!notices.is_empty()).then(|| notices.join(" "))
}
