//! Queries of single posts: for pages, as JSON, and for editing.

use std::collections::HashMap;

use chrono::{DateTime, TimeDelta, Utc};
use sqlx::types::Json;
use sqlx::{PgConnection, PgPool};

use super::models::{Post, PostId, head};
use super::page::unusual::UnusualRatings;
use super::page::{Article, ExcludedRatings, Neighbour, ScoreSummary};
use super::rendering::Source;
use crate::db::Availability;
use crate::db::clock::Clock;
use crate::db::lookup::{Find, Lookup};
use crate::markdown::Heading;
use crate::score::hours::RatingHour;
use crate::score::periods::steady_state;
use crate::web::error::AppError;
use crate::web::request::visitor::{CurrentUser, UserId};
use evenkeel_limiters::Usual;

/// A post, and the user who reads it; `None` for anonymous users.
type Key = (PostId, Option<UserId>);

/// Posts as JSON, looked up in batches: one query for all requests that wait.
#[derive(Clone, Debug)]
pub struct Posts(Lookup<Key, StoredPost>);

struct ByKey;

impl Find<Key, StoredPost> for ByKey {
    /// Texts may be long, and all of a batch are in memory at once.
    const MAX_GROUP: usize = 32;

    async fn find(&self, connection: &mut PgConnection, keys: Vec<Key>) -> sqlx::Result<HashMap<Key, StoredPost>> {
        stored_posts(connection, &keys).await
    }
}

impl Posts {
    /// Has to be called inside a tokio runtime.
    #[must_use]
    pub fn new(pool: &PgPool, availability: &Availability) -> Self {
        Self(Lookup::start(pool, availability, ByKey))
    }

    /// Finds a post. Flagged links are removed from it for users who may not change it.
    ///
    /// # Errors
    /// `not_found` if there is no such post, or it is somebody else's draft; `busy`; `unavailable`.
    pub async fn find(&self, id: PostId, reader: Option<&CurrentUser>) -> Result<Post, AppError> {
        let stored = self.0.find((id, reader.map(|reader| reader.id))).await?.ok_or(AppError::NotFound)?;
        let may_change = reader.is_some_and(|reader| stored.post.head.may_be_changed_by(reader));
        Ok(if may_change { stored.post } else { stored.without_flagged_links() })
    }
}

/// A post as its author wrote it.
#[derive(Clone, Debug)]
struct StoredPost {
    post: Post,
    /// Content without flagged links, if it differs.
    masked_content: Option<String>,
}

impl StoredPost {
    fn without_flagged_links(self) -> Post {
        let Self { post, masked_content } = self;
        let flagged = post.unsafe_links.unwrap_or_default();
        Post {
            content: masked_content.unwrap_or(post.content),
            cover: post.cover.filter(|cover| !flagged.contains(cover)),
            unsafe_links: None,
            ..post
        }
    }
}

/// Finds published posts, and drafts of their readers. (`limit 1` has each row looked up by its index, however few or many
/// there were when this was planned.)
#[expect(clippy::too_many_lines, reason = "one query, and one struct made of it")]
async fn stored_posts(connection: &mut PgConnection, keys: &[Key]) -> sqlx::Result<HashMap<Key, StoredPost>> {
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

/// Finds a post as its author wrote it.
///
/// # Errors
/// `not_found` if there is no such post, or it is somebody else's draft.
pub async fn post(pool: &PgPool, id: PostId, reader: Option<&CurrentUser>) -> Result<Post, AppError> {
    let key = (id, reader.map(|reader| reader.id));
    let mut found = stored_posts(&mut *pool.acquire().await?, &[key]).await?;
    Ok(found.remove(&key).ok_or(AppError::NotFound)?.post)
}

/// Finds a post that `user` is about to change.
///
/// # Errors
/// `not_found`, or `forbidden` for somebody else's post.
pub async fn post_to_change(pool: &PgPool, id: PostId, user: &CurrentUser) -> Result<Post, AppError> {
    let post = post(pool, id, Some(user)).await?;
    if post.head.may_be_changed_by(user) { Ok(post) } else { Err(AppError::Forbidden) }
}

/// Source text of a post, with the fields that [`replace_text`](super::changes::replace_text) needs.
#[derive(Clone, Debug)]
pub struct PostSource {
    pub source: Source,
    pub cover: Option<String>,
    pub version: i32,
}

/// Reads the source text of a post.
///
/// # Errors
/// If the database fails, or there is no such post.
pub async fn source(pool: &PgPool, PostId(id): PostId) -> sqlx::Result<PostSource> {
    let row = sqlx::query!("select title, content, own_language, cover, version from blog_posts where id = $1", id);
    let row = row.fetch_one(pool).await?;
    Ok(PostSource {
        source: Source {
            title: row.title,
            content: row.content,
            own_language: row.own_language.and_then(|own| own.parse().ok()),
        },
        cover: row.cover,
        version: row.version,
    })
}

/// Hours after a refused rating in which a page may say that ratings are unusual.
const UNUSUAL_FOR: TimeDelta = TimeDelta::hours(4);

/// Reads a post for its page.
///
/// # Errors
/// `not_found` if there is no such post, or it is somebody else's draft.
#[expect(clippy::too_many_lines, reason = "one query, and one struct made of it")]
pub async fn page(
    pool: &PgPool,
    clock: &Clock,
    PostId(id): PostId,
    reader: Option<&CurrentUser>,
) -> Result<Article, AppError> {
    // One connection for all queries: a request that waited for a second one would hold its long text meanwhile.
    let connection = &mut *pool.acquire().await?;
    let row = sqlx::query!(
        r#"select p.id, p.title, p.status, p.tags, p.author_id, u.username, u.display_name, u.avatar, p.created_at,
            p.updated_at, p.published_at, p.publish_at, p.withheld_by, p.own_slug, p.language,
            p.status = 'draft' and p.unpublished_version = p.version as "is_unpublished?",
            case when not exists (
                select from post_links where post_id = p.id and p.cover = any(suspected)
            ) then p.cover end as cover,
            p.content_html, p.outline as "outline: Json<Vec<Heading>>", p.excerpt, p.reading_minutes,
            coalesce(t.average_rating, 0) as "average_rating!", coalesce(t.rating_count, 0) as "rating_count!",
            t.steady_rating as "steady_rating?", coalesce(t.steady_weight, 0) as "steady_weight!",
            r.rating as "my_rating?",
            array[coalesce(t.stars_1, 0), coalesce(t.stars_2, 0), coalesce(t.stars_3, 0), coalesce(t.stars_4, 0),
                coalesce(t.stars_5, 0)] as "stars!",
            coalesce(t.steady_regular_weight, 0) as "steady_regular_weight!",
            coalesce(t.steady_regular_stars, 0) as "steady_regular_stars!",
            coalesce(t.steady_provisional_weight, 0) as "steady_provisional_weight!",
            coalesce(t.steady_provisional_stars, 0) as "steady_provisional_stars!",
            coalesce(t.steady_held_weight, 0) as "steady_held_weight!",
            coalesce(t.steady_held_stars, 0) as "steady_held_stars!", coalesce(t.steady_usual, 0) as "steady_usual!",
            t.steady_since as "steady_since?", t.steady_ended_on as "steady_ended_on?",
            coalesce(t.steady_reference, 0) as "steady_reference!", coalesce(t.steady_known, 0) as "steady_known!",
            t.steady_first_day as "steady_first_day?", t.steady_last_day as "steady_last_day?",
            coalesce(t.steady_count, 0) as "steady_count!", coalesce(t.steady_stars, 0) as "steady_stars!",
            clock.now as "now!",
            exists (
                select from rating_history
                where blog_id = p.id and refused > refused_changes and hour > clock.now - $4::interval
            ) as "has_refusals!",
            exists (select from score_periods where blog_id = p.id and excluded) as "has_excluded!"
        from (select coalesce($3, clock_timestamp()) as now) as clock, blog_posts p
            join users u on u.id = p.author_id
            left join rating_totals t on t.blog_id = p.id
            left join rates r on r.blog_id = p.id and r.user_id = $2
        where p.id = $1 and (p.status = 'published' or p.author_id = $2)"#,
        id,
        reader.map(|reader| reader.id.0),
        clock.now(),
        UNUSUAL_FOR as _,
    );
    let row = row.fetch_optional(&mut *connection).await?.ok_or(AppError::NotFound)?;
    let [earlier, later] = match row.published_at {
        Some(at) => neighbours(connection, id, at).await?,
        None => [None, None],
    };
    let excluded = if row.has_excluded { excluded_ratings(connection, id).await? } else { None };
    let hours = if row.has_refusals { latest_hours(connection, id).await? } else { Vec::new() };
    let usual = Usual { per_day: row.steady_usual, score: row.steady_rating };
    Ok(Article {
        score: ScoreSummary::new(&steady_state!(row), row.rating_count, excluded),
        unusual: UnusualRatings::at(row.now, &hours, usual),
        head: head!(row),
        content_html: row.content_html,
        outline: row.outline.0,
        excerpt: row.excerpt,
        cover: row.cover,
        avatar: row.avatar,
        minutes: row.reading_minutes,
        stars: row.stars.try_into().unwrap_or_default(),
        earlier,
        later,
        is_unpublished: row.is_unpublished.unwrap_or(false),
    })
}

/// Reads the posts that were published just before and after a post.
async fn neighbours(
    connection: &mut PgConnection,
    id: i64,
    published_at: DateTime<Utc>,
) -> sqlx::Result<[Option<Neighbour>; 2]> {
    let rows = sqlx::query!(
        r#"(select id as "id!", title as "title!", own_slug, false as "is_later!" from blog_posts
            where status = 'published' and (published_at, id) < ($1, $2) order by published_at desc, id desc limit 1)
        union all
        (select id, title, own_slug, true from blog_posts
            where status = 'published' and (published_at, id) > ($1, $2) order by published_at, id limit 1)"#,
        published_at,
        id,
    );
    let mut neighbours = [None, None];
    for row in rows.fetch_all(connection).await? {
        let neighbour = Neighbour { id: PostId(row.id), title: row.title, own_slug: row.own_slug };
        neighbours[usize::from(row.is_later)] = Some(neighbour);
    }
    Ok(neighbours)
}

/// Counts the ratings that staff excluded from the score, and reads the latest reason.
async fn excluded_ratings(connection: &mut PgConnection, id: i64) -> sqlx::Result<Option<ExcludedRatings>> {
    let row = sqlx::query!(
        r#"select s.last_day, m.reason, sum(s.count) over ()::bigint as "ratings!",
            exists (
                select from score_periods where blog_id = $1 and excluded and moderation_id <> s.moderation_id
            ) as "has_other_reasons!"
        from score_periods s join moderations m on m.id = s.moderation_id
        where s.blog_id = $1 and s.excluded order by s.first_day desc limit 1"#,
        id,
    );
    Ok(row.fetch_optional(connection).await?.map(|row| ExcludedRatings {
        ratings: row.ratings,
        last: row.last_day,
        reason: row.reason,
        has_other_reasons: row.has_other_reasons,
    }))
}

/// Reads the latest hours with ratings, the earliest first.
async fn latest_hours(connection: &mut PgConnection, id: i64) -> sqlx::Result<Vec<RatingHour>> {
    let hours = sqlx::query_as!(
        RatingHour,
        "select hour, admitted, refused, changed, refused_changes, refused_1, refused_2, refused_3, refused_4, refused_5,
            rating_count, rating_sum, steady_rating
        from (select * from rating_history where blog_id = $1 order by hour desc limit 48) as latest order by hour",
        id,
    );
    hours.fetch_all(connection).await
}
