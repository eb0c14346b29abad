//! Posts by id, read in batches and cached.

use std::collections::HashMap;
use std::sync::Arc;

use actix_web::web;
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use sqlx::{PgConnection, PgPool};

use super::models::{Post, PostId, head};
use crate::db::batched_lookup::{BatchedLookup, LookupQuery};
use crate::web::cache::page_cache::bounded_cache;
use crate::web::error::AppError;
use crate::web::request::current_user::{CurrentUser, UserId};
use crate::web::state::AppState;

/// Key of a batched lookup: the post id, and the id of the current user or `None` for anonymous visitors.
type LookupKey = (PostId, Option<UserId>);

/// Batched lookup of posts for JSON responses. Texts are cached, because they are long and change rarely; without the
/// cache a lookup takes twice as long.
#[derive(Clone, Debug)]
pub struct PostLookup {
    state: web::Data<AppState>,
    primary: BatchedLookup<LookupKey, CurrentPost>,
    /// Lookups on the replicas, in the order of [`Replicas`](crate::db::Replicas).
    replicas: Vec<BatchedLookup<LookupKey, CurrentPost>>,
}

/// Maximum size of the cached texts, in bytes.
const CACHE_BYTES: u64 = 16 << 20;

/// Approximate size of a cached post without its texts, in bytes.
const ENTRY_OVERHEAD_BYTES: usize = 1_024;

impl PostLookup {
    /// Must be called inside a Tokio runtime.
    pub fn new(state: &web::Data<AppState>) -> Self {
        let cache = Arc::new(bounded_cache(CACHE_BYTES, ByteWeighter));
        let start = |pool, availability| BatchedLookup::start(pool, availability, CachedPosts(cache.clone()));
        Self {
            primary: start(&state.lookup_pool, &state.availability),
            replicas: state
                .replicas
                .all()
                .iter()
                .map(|replica| start(&replica.lookup_pool, &replica.availability))
                .collect(),
            state: state.clone(),
        }
    }

    /// Finds a post. Flagged URLs are removed for users who cannot change the post.
    pub async fn find(&self, id: PostId, reader: Option<&CurrentUser>) -> Result<Post, AppError> {
        let replica = self.state.replica_for(reader).and_then(|replica| self.replicas.get(replica.index));
        let lookup = replica.unwrap_or(&self.primary);
        let current = lookup.find((id, reader.map(|reader| reader.id))).await?.ok_or(AppError::NotFound)?;
        let may_change = reader.is_some_and(|reader| current.stored.post.head.is_editable_by(reader));
        let post = current.post();
        Ok(if may_change { post } else { current.stored.without_flagged_links(post) })
    }
}

/// Cache key: post id, and the transaction ids (`xmin`) of the last writes to the rows of the post and of its author,
/// whose name is part of the cached post.
type RowVersion = (PostId, i64);

struct CachedPosts(Arc<Cache<RowVersion, Arc<StoredPost>, ByteWeighter>>);

#[derive(Clone)]
struct ByteWeighter;

impl Weighter<RowVersion, Arc<StoredPost>> for ByteWeighter {
    fn weight(&self, _: &RowVersion, stored: &Arc<StoredPost>) -> u64 {
        let masked = stored.masked_content.as_ref().map_or(0, String::len);
        let bytes = ENTRY_OVERHEAD_BYTES + stored.post.content.len() + stored.post.content_html.len() + masked;
        u64::try_from(bytes).unwrap_or(u64::MAX)
    }
}

impl LookupQuery<LookupKey, CurrentPost> for CachedPosts {
    /// Maximum number of posts in one batch, which limits the memory for their long texts.
    const MAX_BATCH_SIZE: usize = 32;

    async fn find(
        &self,
        connection: &mut PgConnection,
        keys: Vec<LookupKey>,
    ) -> sqlx::Result<HashMap<LookupKey, CurrentPost>> {
        let ratings = current_ratings(connection, &keys).await?;
        let mut posts: HashMap<LookupKey, Arc<StoredPost>> = HashMap::new();
        let mut missing = Vec::new();
        for (key, ratings) in &ratings {
            match self.0.get(&ratings.version) {
                Some(cached) => drop(posts.insert(*key, cached)),
                None => missing.push(*key),
            }
        }
        // This query may return a newer version of a post than the first query, and does not return posts that were
        // deleted or unpublished in the meantime.
        for (key, post) in stored_posts(connection, &missing).await? {
            let post = Arc::new(post);
            self.0.insert(post.version, post.clone());
            posts.insert(key, post);
        }
        let current = ratings.into_iter().filter_map(|(key, ratings)| {
            let stored = posts.remove(&key)?;
            Some((key, CurrentPost { ratings, stored }))
        });
        Ok(current.collect())
    }
}

/// Cached post with the current ratings.
#[derive(Clone, Debug)]
struct CurrentPost {
    ratings: Ratings,
    stored: Arc<StoredPost>,
}

impl CurrentPost {
    fn post(&self) -> Post {
        let (mut post, ratings) = (self.stored.post.clone(), &self.ratings);
        (post.head.average_rating, post.head.rating_count) = (ratings.average_rating, ratings.rating_count);
        (post.head.steady_rating, post.head.steady_weight) = (ratings.steady_rating, ratings.steady_weight);
        post.head.my_rating = ratings.my_rating;
        post
    }
}

/// Ratings of a post, and the rating by the current user.
#[derive(Clone, Debug)]
struct Ratings {
    version: RowVersion,
    average_rating: f64,
    rating_count: i64,
    steady_rating: Option<f64>,
    steady_weight: f64,
    my_rating: Option<i16>,
}

/// Reads the ratings of published posts and of the users' own drafts. `limit 1` forces an index lookup for each row,
/// even if the tables were small when the query was planned.
async fn current_ratings(connection: &mut PgConnection, keys: &[LookupKey]) -> sqlx::Result<Vec<(LookupKey, Ratings)>> {
    let (posts, readers) = unzip_keys(keys);
    let rows = sqlx::query!(
        r#"select key.post as "post!", key.reader, p.written_by | u.written_by as "written_by!",
            coalesce(t.average_rating, 0) as "average_rating!", coalesce(t.rating_count, 0) as "rating_count!",
            t.steady_rating as "steady_rating?", coalesce(t.steady_weight, 0) as "steady_weight!",
            r.rating as "my_rating?"
        from unnest($1::bigint[], $2::bigint[]) as key (post, reader)
            cross join lateral (
                select status, author_id, xmin::text::bigint << 32 as written_by from blog_posts
                where id = key.post limit 1
            ) as p
            cross join lateral (
                select xmin::text::bigint as written_by from users where id = p.author_id limit 1
            ) as u
            left join lateral (
                select average_rating, rating_count, steady_rating, steady_weight from rating_totals
                where blog_id = key.post limit 1
            ) as t on true
            left join lateral (
                select rating from rates where blog_id = key.post and user_id = key.reader limit 1
            ) as r on true
        where p.status = 'published' or p.author_id = key.reader"#,
        &posts,
        &readers as &[Option<i64>],
    );
    let ratings = rows.fetch_all(connection).await?.into_iter().map(|row| {
        let ratings = Ratings {
            version: (PostId(row.post), row.written_by),
            average_rating: row.average_rating,
            rating_count: row.rating_count,
            steady_rating: row.steady_rating,
            steady_weight: row.steady_weight,
            my_rating: row.my_rating,
        };
        ((PostId(row.post), row.reader.map(UserId)), ratings)
    });
    Ok(ratings.collect())
}

fn unzip_keys(keys: &[LookupKey]) -> (Vec<i64>, Vec<Option<i64>>) {
    keys.iter().map(|(post, reader)| (post.0, reader.map(|UserId(id)| id))).unzip()
}

/// Post as stored, including flagged URLs.
#[derive(Clone, Debug)]
struct StoredPost {
    post: Post,
    /// Markdown source with flagged URLs masked; `None` if no URL is flagged.
    masked_content: Option<String>,
    version: RowVersion,
}

impl StoredPost {
    fn without_flagged_links(&self, post: Post) -> Post {
        let flagged = post.unsafe_links.unwrap_or_default();
        Post {
            content: self.masked_content.clone().unwrap_or(post.content),
            cover: post.cover.filter(|cover| !flagged.contains(cover)),
            unsafe_links: None,
            ..post
        }
    }
}

/// Reads published posts and the users' own drafts.
#[expect(clippy::too_many_lines, reason = "one query, and one struct made of it")]
async fn stored_posts(
    connection: &mut PgConnection,
    keys: &[LookupKey],
) -> sqlx::Result<HashMap<LookupKey, StoredPost>> {
    if keys.is_empty() {
        return Ok(HashMap::new());
    }
    let (posts, readers) = unzip_keys(keys);
    let rows = sqlx::query!(
        r#"select key.reader, (p.xmin::text::bigint << 32) | u.xmin::text::bigint as "written_by!", p.id, p.title, p.status, p.tags, p.author_id, u.username, u.display_name, p.created_at,
            p.updated_at, p.published_at, p.publish_at, p.withheld_by, p.own_slug, p.own_excerpt, p.language,
            p.own_language, p.cover, p.content, p.content_html, p.version,
            l.suspected as "flagged?", l.masked_content as "masked_content?",
            coalesce(t.average_rating, 0) as "average_rating!", coalesce(t.rating_count, 0) as "rating_count!",
            t.steady_rating as "steady_rating?", coalesce(t.steady_weight, 0) as "steady_weight!",
            r.rating as "my_rating?"
        from unnest($1::bigint[], $2::bigint[]) as key (post, reader)
            cross join lateral (select xmin, * from blog_posts where id = key.post limit 1) as p
            cross join lateral (select xmin, username, display_name from users where id = p.author_id limit 1) as u
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
        let version = (key.0, row.written_by);
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
        (key, StoredPost { post, masked_content: row.masked_content, version })
    });
    Ok(stored.collect())
}

/// Finds a post as stored, including flagged URLs.
pub async fn find_stored_post(pool: &PgPool, id: PostId, reader: Option<&CurrentUser>) -> Result<Post, AppError> {
    let key = (id, reader.map(|reader| reader.id));
    let mut found = stored_posts(&mut *pool.acquire().await?, &[key]).await?;
    Ok(found.remove(&key).ok_or(AppError::NotFound)?.post)
}
