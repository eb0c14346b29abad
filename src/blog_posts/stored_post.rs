//! Posts by id, as JSON responses and the editor need them.

use std::collections::HashMap;

use sqlx::{PgConnection, PgPool};

use super::models::{Post, PostId, head};
use crate::db::batched_lookup::{BatchedLookup, LookupQuery};
use crate::web::error::AppError;
use crate::web::request::current_user::{CurrentUser, UserId};
use crate::web::state::AppState;

/// Id of a post, and the id of the current user or `None` for anonymous visitors.
type PostKey = (PostId, Option<UserId>);

/// Post as stored, including flagged URLs.
#[derive(Clone, Debug)]
struct StoredPost {
    post: Post,
    /// Markdown source with flagged URLs masked; `None` if no URL is flagged.
    masked_content: Option<String>,
}

/// Loads posts for JSON responses to signed-in users, in batches. Responses to anonymous visitors are cached as a whole.
#[derive(Clone, Debug)]
pub struct PostLoader(BatchedLookup<PostKey, StoredPost>);

impl PostLoader {
    /// Must be called inside a Tokio runtime.
    pub fn new(state: &AppState) -> Self {
        Self(BatchedLookup::start(&state.lookup_pool, PostQuery))
    }

    /// Finds a post as the reader may see it.
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
        let Self { post, masked_content } = self;
        if reader.is_some_and(|reader| post.head.is_editable_by(reader)) {
            return post;
        }
        let flagged = post.unsafe_links.unwrap_or_default();
        Post {
            content: masked_content.unwrap_or(post.content),
            cover: post.cover.filter(|cover| !flagged.contains(cover)),
            unsafe_links: None,
            ..post
        }
    }
}

/// Finds a post as the reader may see it.
pub async fn find_post(pool: &PgPool, id: PostId, reader: Option<&CurrentUser>) -> Result<Post, AppError> {
    Ok(read_post(pool, id, reader).await?.visible_to(reader))
}

/// Finds a post as stored, including flagged URLs.
pub async fn find_stored_post(pool: &PgPool, id: PostId, reader: Option<&CurrentUser>) -> Result<Post, AppError> {
    read_post(pool, id, reader).await.map(|stored| stored.post)
}

async fn read_post(pool: &PgPool, id: PostId, reader: Option<&CurrentUser>) -> Result<StoredPost, AppError> {
    let key = (id, reader.map(|reader| reader.id));
    read_posts(&mut *pool.acquire().await?, &[key]).await?.remove(&key).ok_or(AppError::NotFound)
}

/// Reads published posts and the users' own drafts. `limit 1` forces an index lookup for each row, even if the tables
/// were small when the query was planned.
#[expect(clippy::too_many_lines, reason = "one query, and one struct made of it")]
async fn read_posts(connection: &mut PgConnection, keys: &[PostKey]) -> sqlx::Result<HashMap<PostKey, StoredPost>> {
    let (posts, readers): (Vec<i64>, Vec<Option<i64>>) =
        keys.iter().map(|(post, reader)| (post.0, reader.map(|UserId(id)| id))).unzip();
    let rows = sqlx::query!(
        r#"select key.reader, p.id, p.title, p.status, p.tags, p.author_id, u.username, u.display_name, p.created_at,
            p.updated_at, p.published_at, p.publish_at, p.withheld_by, p.own_slug, p.own_excerpt, p.language,
            p.own_language, p.cover, p.content, p.content_html, p.version,
            l.suspected as "flagged?", l.masked_content as "masked_content?",
            coalesce(t.average_rating, 0) as "average_rating!", coalesce(t.rating_count, 0) as "rating_count!",
            t.steady_rating as "steady_rating?", coalesce(t.steady_weight, 0) as "steady_weight!",
            r.rating as "my_rating?"
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
        where p.status = 'published' or p.author_id = key.reader"#,
        &posts,
        &readers as &[Option<i64>],
    );
    let stored = rows.fetch_all(connection).await?.into_iter().map(|row| {
        let key = (PostId(row.id), row.reader.map(UserId));
        let post = Post {
            head: head!(row),
            content_html: row.content_html,
            content: row.content,
            cover: row.cover,
            own_slug: row.own_slug,
            own_excerpt: row.own_excerpt,
            own_language: row.own_language,
            version: row.version,
            notice: None,
            unsafe_links: Some(row.flagged.unwrap_or_default()),
        };
        (key, StoredPost { post, masked_content: row.masked_content })
    });
    Ok(stored.collect())
}
