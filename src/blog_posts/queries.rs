//! Queries that read a single post: for its page, as JSON, and for editing.

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use evenkeel_markdown::Heading;
use sqlx::types::Json;
use sqlx::{FromRow, PgConnection, PgPool};

use super::models::{Post, PostHeader, PostId, post_columns};
use super::post_detail::{AdjacentPost, LatestExclusion, PostDetail};
use super::rendering::PostText;
use super::stored_post::find_stored_post;
use crate::blog_posts::post_detail::unusual_ratings::UnusualRatings;
use crate::db::clock::Clock;
use crate::score::contributions::{OwnRatingContribution, total_contribution};
use crate::score::hourly_ratings::HourlyRatings;
use crate::score::rating_days::SteadyStateValue;
use crate::web::error::AppError;
use crate::web::request::current_user::CurrentUser;
use evenkeel_limiters::{SteadyScoreState, UsualActivity};

pub async fn find_editable_post(pool: &PgPool, id: PostId, user: &CurrentUser) -> Result<Post, AppError> {
    let post = find_stored_post(pool, id, Some(user)).await?;
    if post.head.is_editable_by(user) { Ok(post) } else { Err(AppError::Forbidden) }
}

#[derive(Clone, Debug)]
pub struct PostSource {
    pub source: PostText,
    pub cover: Option<String>,
    pub version: i32,
}

/// `None` if the post is not published.
pub async fn find_published_title(pool: &PgPool, PostId(id): PostId) -> sqlx::Result<Option<String>> {
    sqlx::query_scalar!("select title from blog_posts where id = $1 and status = 'published'", id)
        .fetch_optional(pool)
        .await
}

pub async fn find_post_source(pool: &PgPool, PostId(id): PostId) -> sqlx::Result<PostSource> {
    let row = sqlx::query!("select title, content, own_language, cover, version from blog_posts where id = $1", id);
    let row = row.fetch_one(pool).await?;
    Ok(PostSource {
        source: PostText {
            title: row.title,
            content: row.content,
            own_language: row.own_language.and_then(|own| own.parse().ok()),
        },
        cover: row.cover,
        version: row.version,
    })
}

/// Maximum age of a rejected rating that can cause a warning about unusual ratings.
const UNUSUAL_MAX_AGE: TimeDelta = TimeDelta::hours(4);
const UNUSUAL_HOURS: i64 = 48;

#[derive(FromRow)]
struct DetailRow {
    #[sqlx(flatten)]
    head: PostHeader,
    avatar: Option<String>,
    is_unpublished: Option<bool>,
    cover: Option<String>,
    content_html: String,
    outline: Json<Vec<Heading>>,
    excerpt: String,
    reading_minutes: i32,
    stars: Vec<i64>,
    steady: Option<SteadyStateValue>,
    now: DateTime<Utc>,
    has_refusals: bool,
    counted_on: Option<NaiveDate>,
}

const FIND_POST_DETAIL: &str = concat!(
    "select ",
    post_columns!(),
    ", u.avatar, p.status = 'draft' and p.unpublished_version = p.version as is_unpublished,
        case when not exists (
            select from post_links where post_id = p.id and p.cover = any(suspected)
        ) then p.cover end as cover,
        p.content_html, p.outline, p.excerpt, p.reading_minutes,
        array[coalesce(t.stars_1, 0), coalesce(t.stars_2, 0), coalesce(t.stars_3, 0), coalesce(t.stars_4, 0),
            coalesce(t.stars_5, 0)] as stars,
        t.steady, clock.now,
        exists (
            select from rating_hours
            where blog_id = p.id and refused > refused_changes and hour > clock.now - $4::interval
        ) as has_refusals, r.counted_on
    from (select coalesce($3, clock_timestamp()) as now) as clock, blog_posts p
        join users u on u.id = p.author_id
        left join rating_totals t on t.blog_id = p.id
        left join rates r on r.blog_id = p.id and r.user_id = $2
    where p.id = $1 and (p.status = 'published' or p.author_id = $2)"
);

pub async fn find_post_detail(
    pool: &PgPool,
    clock: &Clock,
    PostId(id): PostId,
    reader: Option<&CurrentUser>,
) -> Result<PostDetail, AppError> {
    // Uses one connection for all queries, because waiting for a second connection would keep the long text in memory.
    let connection = &mut *pool.acquire().await?;
    let row = sqlx::query_as::<_, DetailRow>(FIND_POST_DETAIL)
        .bind(id)
        .bind(reader.map(|reader| reader.id))
        .bind(clock.now())
        .bind(UNUSUAL_MAX_AGE);
    let row = row.fetch_optional(&mut *connection).await?.ok_or(AppError::NotFound)?;
    let [earlier, later] = match row.head.published_at {
        Some(at) => adjacent_posts(connection, id, at).await?,
        None => [None, None],
    };
    let state = row.steady.map(SteadyScoreState::from).unwrap_or_default();
    let latest_exclusion = if state.excluded > 0 { find_latest_exclusion(connection, id).await? } else { None };
    let own_rating = match row.head.my_rating.zip(row.counted_on) {
        Some((rating, day)) => OwnRatingContribution::read(connection, &state, id, rating, day).await?,
        None => None,
    };
    let hours =
        if row.has_refusals { HourlyRatings::read_latest(connection, id, UNUSUAL_HOURS).await? } else { Vec::new() };
    let usual = UsualActivity { per_day: state.usual, score: row.head.steady_rating };
    Ok(PostDetail {
        contribution: total_contribution(&state, row.head.rating_count),
        latest_exclusion,
        own_rating,
        unusual_ratings: UnusualRatings::detect(row.now, &hours, usual),
        head: row.head,
        content_html: row.content_html,
        outline: row.outline.0,
        excerpt: row.excerpt,
        cover: row.cover,
        avatar: row.avatar,
        reading_minutes: row.reading_minutes,
        stars: row.stars.try_into().unwrap_or_default(),
        earlier,
        later,
        is_unpublished: row.is_unpublished.unwrap_or(false),
    })
}

async fn adjacent_posts(
    connection: &mut PgConnection,
    id: i64,
    published_at: DateTime<Utc>,
) -> sqlx::Result<[Option<AdjacentPost>; 2]> {
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
        let neighbour = AdjacentPost { id: PostId(row.id), title: row.title, own_slug: row.own_slug };
        neighbours[usize::from(row.is_later)] = Some(neighbour);
    }
    Ok(neighbours)
}

async fn find_latest_exclusion(connection: &mut PgConnection, id: i64) -> sqlx::Result<Option<LatestExclusion>> {
    let row = sqlx::query!(
        "select d.day, m.reason from score_days d join moderations m on m.id = d.moderation_id
        where d.blog_id = $1 order by d.day desc limit 1",
        id,
    );
    Ok(row.fetch_optional(connection).await?.map(|row| LatestExclusion { last: row.day, reason: row.reason }))
}
