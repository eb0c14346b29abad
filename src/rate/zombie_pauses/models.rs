//! Queries that read and lift zombie pauses, which block a user from rating a post after thousands of failed attempts.
//! The rating writer inserts the pauses.

use chrono::{DateTime, TimeDelta, Utc};
use serde::Serialize;
use sqlx::PgPool;

use super::unpause_link::UnpauseLink;
use crate::blog_posts::PostId;
use crate::db::clock::Clock;
use crate::rate::models::RatingKey;
use crate::web::error::AppError;
use crate::web::request::current_user::CurrentUser;
use evenkeel_limiters::{UnpauseSummary, ZombiePause};

/// Active pause of a user and post.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pause {
    /// Start of the pause, in milliseconds since the Unix epoch. The start identifies the pause among all pauses of the
    /// same user and post.
    pub since_ms: i64,
    /// Database time at which the pause was read, in milliseconds since the Unix epoch.
    pub read_at_ms: i64,
}

#[derive(Debug, Serialize)]
pub struct PausedPost {
    pub blog: PostId,
    /// Title of the post; `None` if the post is not published any more and the user is not its author.
    pub title: Option<String>,
    pub paused_at: DateTime<Utc>,
}

pub async fn find_active_pause(pool: &PgPool, clock: &Clock, pair: RatingKey) -> sqlx::Result<Option<Pause>> {
    let row = sqlx::query!(
        r#"select paused_at as "paused_at!", coalesce($3, clock_timestamp()) as "now!" from zombie_pauses
        where user_id = $1 and blog_id = $2 and paused_at is not null and unpaused_at is null"#,
        pair.user.0,
        pair.post.0,
        clock.now(),
    );
    let row = row.fetch_optional(pool).await?;
    Ok(row.map(|row| Pause { since_ms: row.paused_at.timestamp_millis(), read_at_ms: row.now.timestamp_millis() }))
}

/// Reads the latest pauses of a user, newest first and at most `most`. Also returns the total number of the user's
/// pauses, and the database time.
pub async fn list_pauses(
    pool: &PgPool,
    clock: &Clock,
    user: &CurrentUser,
    most: usize,
) -> sqlx::Result<(Vec<PausedPost>, i64, DateTime<Utc>)> {
    let rows = sqlx::query!(
        r#"select z.blog_id, case when p.status = 'published' or p.author_id = z.user_id then p.title end as "title?",
            z.paused_at as "paused_at!", count(*) over () as "count!",
            coalesce($3, clock_timestamp()) as "now!"
        from zombie_pauses z join blog_posts p on p.id = z.blog_id
        where z.user_id = $1 and z.paused_at is not null and z.unpaused_at is null
        order by z.paused_at desc, z.blog_id desc limit $2"#,
        user.id.0,
        i64::try_from(most).unwrap_or(i64::MAX),
        clock.now(),
    );
    let rows = rows.fetch_all(pool).await?;
    let (count, now) = rows.first().map_or((0, DateTime::default()), |row| (row.count, row.now));
    let posts = rows
        .into_iter()
        .map(|row| PausedPost { blog: PostId(row.blog_id), title: row.title, paused_at: row.paused_at })
        .collect();
    Ok((posts, count, now))
}

/// Account and post of an unpause link, for its confirmation page.
#[derive(Debug, Serialize)]
pub struct UnpauseLinkDetails {
    pub username: String,
    /// Title of the post; `None` if the post is not published any more and the user is not its author.
    pub title: Option<String>,
    /// Number of active pauses of the account, all of which the link lifts.
    pub paused: i64,
}

/// Reads the account and post of an unpause link; `None` if the pause has ended.
pub async fn find_unpause_link_details(pool: &PgPool, link: &UnpauseLink) -> sqlx::Result<Option<UnpauseLinkDetails>> {
    sqlx::query_as!(
        UnpauseLinkDetails,
        r#"select u.username, case when p.status = 'published' or p.author_id = z.user_id then p.title end as "title?", (
            select count(*) from zombie_pauses where user_id = $1 and paused_at is not null and unpaused_at is null
        ) as "paused!"
        from zombie_pauses z join users u on u.id = z.user_id join blog_posts p on p.id = z.blog_id
        where z.user_id = $1 and z.blog_id = $2 and z.unpaused_at is null and z.paused_at = $3"#,
        link.pair.user.0,
        link.pair.post.0,
        DateTime::from_timestamp_millis(link.paused_at_ms),
    )
    .fetch_optional(pool)
    .await
}

/// Lifts all pauses of the link's user in batches, as long as the pause in the link is active. The pause in the link is
/// lifted last: if one request cannot lift all pauses, the user can open the link again. Returns the posts whose pauses
/// were lifted.
pub async fn unpause_posts(
    pool: &PgPool,
    clock: &Clock,
    limiter: &ZombiePause,
    link: UnpauseLink,
) -> Result<(Vec<PostId>, UnpauseSummary), AppError> {
    let most = limiter.max_unpaused();
    let batch = limiter.params().batch_size.min(most);
    let mut lifted = Vec::new();
    while lifted.len() < most {
        let some = unpause_some(pool, clock, &link, false, batch).await?;
        lifted.extend_from_slice(&some);
        if some.len() < batch {
            lifted.extend(unpause_some(pool, clock, &link, true, 1).await?);
            break;
        }
    }
    let count = lifted.len();
    Ok((lifted, UnpauseSummary { count, more: count >= most }))
}

/// Lifts either the pause in the link (if `named` is true) or up to `most` other pauses of the same user. Locks the
/// rows in order of post id, to prevent deadlocks between concurrent requests of one account.
async fn unpause_some(
    pool: &PgPool,
    clock: &Clock,
    link: &UnpauseLink,
    named: bool,
    most: usize,
) -> sqlx::Result<Vec<PostId>> {
    let blogs = sqlx::query_scalar!(
        r#"with chosen as (
            select z.ctid from zombie_pauses z
            where z.user_id = $1 and z.paused_at is not null and z.unpaused_at is null and exists (
                select from zombie_pauses named
                where named.user_id = $1 and named.blog_id = $2 and named.paused_at = $3 and named.unpaused_at is null
            )
                and (z.blog_id = $2) = $6
            order by z.blog_id limit $4 for no key update of z
        )
        update zombie_pauses z set unpaused_at = greatest(z.paused_at, coalesce($5, clock_timestamp()))
        -- By the places of the rows, which are locked: a join was at times planned as a scan for each of them.
        where z.ctid = any(array(select ctid from chosen))
        returning z.blog_id"#,
        link.pair.user.0,
        link.pair.post.0,
        DateTime::from_timestamp_millis(link.paused_at_ms),
        i64::try_from(most).unwrap_or(i64::MAX),
        clock.now(),
        named,
    );
    Ok(blogs.fetch_all(pool).await?.into_iter().map(PostId).collect())
}

/// Deletes rows of `zombie_pauses` whose failures have all expired and whose pause, if any, was lifted longer ago than
/// the grace period. Returns the number of deleted rows.
pub async fn delete_expired(pool: &PgPool, clock: &Clock, rules: &ZombiePause) -> sqlx::Result<u64> {
    let swept = sqlx::query!(
        r#"delete from zombie_pauses using (select coalesce($1, clock_timestamp()) as now) clock
        where coalesce(tat_ns, 0) <= extract(epoch from clock.now) * 1000000000
            and (paused_at is null or unpaused_at <= clock.now - make_interval(secs => $2))"#,
        clock.now(),
        TimeDelta::milliseconds(rules.params().grace_ms).as_seconds_f64(),
    );
    Ok(swept.execute(pool).await?.rows_affected())
}
