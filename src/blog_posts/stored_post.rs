//! Posts by id, as JSON responses and the editor need them.

use std::collections::HashMap;

use sqlx::{FromRow, PgConnection, PgPool};

use super::models::{Post, PostId, post_columns};
use crate::db::batched_lookup::{BatchedLookup, LookupQuery};
use crate::web::error::AppError;
use crate::web::request::current_user::{CurrentUser, UserId};
use crate::web::state::CoreState;

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

/// Finds a post as the reader may see it.
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
        where p.status = 'published' or p.author_id = key.reader"
    ));
    let rows = rows.bind(posts).bind(readers).fetch_all(connection).await?;
    Ok(rows.into_iter().map(|stored| ((stored.post.head.id, stored.reader), stored)).collect())
}
