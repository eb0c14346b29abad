//! Models of posts and their authors, and the statements that read a post by its id.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use schemars::{JsonSchema, Schema, json_schema};
use serde::Serialize;
use sqlx::postgres::PgRow;
use sqlx::{FromRow, PgConnection, PgPool, Row as _};

use super::urls::{self, slugify};
use crate::db::batched_lookup::{BatchedLookup, LookupQuery};
use crate::i18n::{Phrase, TextLanguage};
use crate::phrase;
use crate::score::DisplayedScore;
use crate::web::error::AppError;
use crate::web::request::current_user::{CurrentUser, UserId};
use crate::web::request::form_field::Field;
use crate::web::request::id::id;
use crate::web::routing::operation::QueryParameter;
use crate::web::state::CoreState;

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
    pub fn name(&self) -> &str {
        self.display_name.as_deref().unwrap_or(&self.username)
    }
}

#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, JsonSchema, Serialize, strum::EnumString, strum::IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum PostStatus {
    /// Draft, which only its author can see.
    Draft,
    #[default]
    Published,
}

impl PostStatus {
    pub fn name(self) -> &'static str {
        self.into()
    }
}

impl Field for PostStatus {
    fn from_text(text: &str) -> Result<Self, Phrase> {
        text.parse().map_err(|_| phrase!("invalid-status"))
    }

    fn schema() -> Schema {
        json_schema!({ "type": "string", "enum": ["draft", "published"], "description": "By default `published` for a new post" })
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
    /// True for a page such as an imprint, which lists and feeds of posts omit.
    pub is_page: bool,
    /// False if users cannot add or change ratings of the post.
    pub accepts_ratings: bool,
    pub tags: Vec<String>,
    pub author: Author,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
    /// Publication time; `None` for a draft.
    pub published_at: Option<DateTime<Utc>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub publish_at: Option<DateTime<Utc>>,
    /// Time at which the author submitted the draft for a review by staff.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub submitted_at: Option<DateTime<Utc>>,
    /// Reason why staff returned the submitted post to its author.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub return_reason: Option<String>,
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

    /// False if no score is shown: the post accepts no ratings and has none.
    pub fn has_ratings(&self) -> bool {
        self.accepts_ratings || self.rating_count > 0
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

/// Columns of a [`PostHeader`], for statements that join the tables `blog_posts p`, `users u`, `rating_totals t` and
/// `rates r`. The row of `rates r` is the rating of the reader.
macro_rules! post_columns {
    () => {
        "p.id, p.title, p.status, p.tags, p.author_id, u.username, u.display_name, p.created_at, p.updated_at,
        p.published_at, p.publish_at, p.withheld_by, p.own_slug, p.language, p.is_page, p.accepts_ratings, p.submitted_at, p.return_reason,
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
            status: row.try_get::<&str, _>("status")?.parse().unwrap_or_default(),
            is_page: row.try_get("is_page")?,
            accepts_ratings: row.try_get("accepts_ratings")?,
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
            submitted_at: row.try_get("submitted_at")?,
            return_reason: row.try_get("return_reason")?,
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

/// Id of a post, and the id of the current user or `None` for anonymous visitors.
type PostKey = (PostId, Option<UserId>);

/// Post as stored, including flagged URLs.
#[derive(Clone, Debug, FromRow)]
struct StoredPost {
    reader: Option<UserId>,
    #[sqlx(flatten)]
    post: Post,
    suspected: Vec<String>,
    /// Markdown source with flagged URLs masked; `None` if no URL is flagged.
    masked_content: Option<String>,
}

/// Loads posts for JSON responses to signed-in users, in batches. Responses to anonymous visitors are cached as a whole.
#[derive(Clone, Debug)]
pub struct PostLoader(BatchedLookup<PostKey, StoredPost>);

impl PostLoader {
    /// Must be called inside a Tokio runtime.
    pub fn new(state: &CoreState) -> Self {
        Self(BatchedLookup::start(&state.lookup_pool, PostQuery))
    }

    pub async fn find(&self, id: PostId, reader: &CurrentUser) -> Result<Post, AppError> {
        let stored = self.0.find((id, Some(reader.id))).await?.ok_or(AppError::NotFound)?;
        Ok(stored.visible_to(Some(reader)))
    }
}

struct PostQuery;

impl LookupQuery<PostKey, StoredPost> for PostQuery {
    /// Maximum number of posts in one batch, which limits the memory for their long texts.
    const MAX_BATCH_SIZE: usize = 32;

    async fn find(
        &self,
        connection: &mut PgConnection,
        keys: Vec<PostKey>,
    ) -> sqlx::Result<HashMap<PostKey, StoredPost>> {
        read_posts(connection, &keys).await
    }
}

impl StoredPost {
    /// Removes flagged URLs for users who cannot change the post.
    fn visible_to(self, reader: Option<&CurrentUser>) -> Post {
        let Self { post, suspected, masked_content, .. } = self;
        if reader.is_some_and(|reader| post.head.is_editable_by(reader)) {
            return Post { unsafe_links: Some(suspected), ..post };
        }
        Post {
            content: masked_content.unwrap_or(post.content),
            cover: post.cover.filter(|cover| !suspected.contains(cover)),
            ..post
        }
    }
}

/// Finds a post. Removes flagged URLs unless the reader can edit the post.
pub async fn find_post(pool: &PgPool, id: PostId, reader: Option<&CurrentUser>) -> Result<Post, AppError> {
    Ok(read_post(pool, id, reader).await?.visible_to(reader))
}

/// Finds a post as stored, including flagged URLs.
pub async fn find_stored_post(pool: &PgPool, id: PostId, reader: Option<&CurrentUser>) -> Result<Post, AppError> {
    let StoredPost { post, suspected, .. } = read_post(pool, id, reader).await?;
    Ok(Post { unsafe_links: Some(suspected), ..post })
}

async fn read_post(pool: &PgPool, id: PostId, reader: Option<&CurrentUser>) -> Result<StoredPost, AppError> {
    let key = (id, reader.map(|reader| reader.id));
    read_posts(&mut *pool.acquire().await?, &[key]).await?.remove(&key).ok_or(AppError::NotFound)
}

/// Reads published posts and the users' own drafts. `limit 1` forces an index lookup for each row, even if the tables
/// were small when the query was planned.
async fn read_posts(connection: &mut PgConnection, keys: &[PostKey]) -> sqlx::Result<HashMap<PostKey, StoredPost>> {
    let (posts, readers): (Vec<PostId>, Vec<Option<UserId>>) = keys.iter().copied().unzip();
    let rows = sqlx::query_as::<_, StoredPost>(concat!(
        "select key.reader, ",
        post_columns!(),
        ", p.own_excerpt, p.own_language, p.cover, p.content, p.content_html, p.version,
            coalesce(l.suspected, '{}') as suspected, l.masked_content
        from unnest($1::bigint[], $2::bigint[]) as key (post, reader)
            cross join lateral (select * from blog_posts where id = key.post limit 1) as p
            cross join lateral (select username, display_name from users where id = p.author_id limit 1) as u
            left join lateral (
                select average_rating, rating_count, steady_rating, steady_weight from rating_totals
                where blog_id = key.post limit 1
            ) as t on true
            left join lateral (
                select rating from rates where blog_id = key.post and user_id = key.reader limit 1
            ) as r on true
            left join lateral (
                select suspected, masked_content from post_links where post_id = key.post limit 1
            ) as l on true
        where p.deleted_at is null and (p.status = 'published' or p.author_id = key.reader or p.submitted_at is not null
            and exists (select from users where id = key.reader and is_staff))"
    ));
    let rows = rows.bind(posts).bind(readers).fetch_all(connection).await?;
    Ok(rows.into_iter().map(|stored| ((stored.post.head.id, stored.reader), stored)).collect())
}

pub async fn find_editable_post(pool: &PgPool, id: PostId, user: &CurrentUser) -> Result<Post, AppError> {
    let post = find_stored_post(pool, id, Some(user)).await?;
    if post.head.is_editable_by(user) { Ok(post) } else { Err(AppError::Forbidden) }
}

/// Title of a post; `None` if the post is not published.
pub async fn find_published_title(pool: &PgPool, PostId(id): PostId) -> sqlx::Result<Option<String>> {
    sqlx::query_scalar!("select title from blog_posts where id = $1 and status = 'published'", id)
        .fetch_optional(pool)
        .await
}
