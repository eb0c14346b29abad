//! Zombie pauses as rows, and the statements that read, start, lift and delete them.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, TimeDelta, Utc};
use schemars::JsonSchema;
use serde::Serialize;
use sqlx::{PgConnection, PgPool};

use crate::blog_posts::PostId;
use crate::custom_limits::warnings;
use crate::db::clock::Clock;
use crate::rate::models::RatingKey;
use crate::web::request::current_user::UserId;
use evenkeel_limiters::ZombiePause;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pause {
    /// Start in milliseconds since the Unix epoch, which identifies the pause among all pauses of the user and post.
    pub since_ms: i64,
    /// Database time when the pause was read, in milliseconds since the Unix epoch.
    pub read_at_ms: i64,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct PausedPost {
    pub blog: PostId,
    /// Title of the post; `None` if the post is not published any more and the user is not its author.
    pub title: Option<String>,
    /// Time since which ratings of the post by this user are rejected.
    pub paused_at: DateTime<Utc>,
}

/// Returns the user's pauses, the newest first, the total number of the user's pauses, and the database time.
pub async fn list_pauses(
    pool: &PgPool,
    clock: &Clock,
    user: UserId,
    most: usize,
) -> sqlx::Result<(Vec<PausedPost>, i64, DateTime<Utc>)> {
    let rows = sqlx::query!(
        r#"select z.blog_id, case when p.status = 'published' or p.author_id = z.user_id then p.title end as "title?",
            z.paused_at as "paused_at!", count(*) over () as "count!",
            coalesce($3, clock_timestamp()) as "now!"
        from zombie_pauses z join blog_posts p on p.id = z.blog_id
        where z.user_id = $1 and z.paused_at is not null and z.unpaused_at is null
        order by z.paused_at desc, z.blog_id desc limit $2"#,
        user.0,
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

/// Pauses pairs, except pairs that are paused or were unpaused less than `grace` ago. Returns the pairs that changed.
///
/// Locks the posts first, in the same order as the rating writer, which reads and writes pauses under these locks.
pub async fn pause_pairs(
    connection: &mut PgConnection,
    pairs: &[RatingKey],
    now: DateTime<Utc>,
    grace: TimeDelta,
) -> sqlx::Result<Vec<RatingKey>> {
    let (users, posts) = RatingKey::unzip_ids(pairs);
    sqlx::query!("select from rating_totals where blog_id = any($1) order by blog_id for no key update", &posts)
        .execute(&mut *connection)
        .await?;
    let paused_before = paused_users(connection, &users).await?;
    let rows = sqlx::query!(
        r#"insert into zombie_pauses (user_id, blog_id, paused_at)
        -- Unpause links contain the start in milliseconds. Different starts keep the pages of the admin list apart.
        select u.id, t.blog_id, date_trunc('milliseconds', $3::timestamptz)
            - make_interval(secs => (row_number() over (order by u.id, t.blog_id) - 1)::float8 / 1000)
        from unnest($1::bigint[], $2::bigint[]) pair (user_id, blog_id)
            join users u on u.id = pair.user_id and u.erased_at is null join rating_totals t on t.blog_id = pair.blog_id
        order by u.id, t.blog_id
        on conflict on constraint zombie_pauses_pkey do update set paused_at = excluded.paused_at, unpaused_at = null
            where zombie_pauses.paused_at is null
                or zombie_pauses.unpaused_at <= $3 - make_interval(secs => $4)
        returning user_id, blog_id"#,
        &users,
        &posts,
        now,
        grace.as_seconds_f64(),
    );
    let rows = rows.fetch_all(&mut *connection).await?;
    let users: BTreeSet<UserId> = rows.iter().map(|row| UserId(row.user_id)).collect();
    let newly_paused: Vec<UserId> = users.difference(&paused_before).copied().collect();
    warnings::add_points(connection, now, &newly_paused, warnings::RATINGS_PAUSED).await?;
    Ok(rows.into_iter().map(|row| RatingKey { user: UserId(row.user_id), post: PostId(row.blog_id) }).collect())
}

async fn paused_users(connection: &mut PgConnection, users: &[i64]) -> sqlx::Result<BTreeSet<UserId>> {
    let paused = sqlx::query_scalar!(
        r#"select distinct user_id as "id: UserId" from zombie_pauses
        where user_id = any($1) and paused_at is not null and unpaused_at is null"#,
        users,
    );
    Ok(paused.fetch_all(connection).await?.into_iter().collect())
}

/// Lifts pauses, and returns the pairs that changed. When the last pause of a user ends, subtracts the points that the
/// pause added to the warning level, except points that have decayed.
pub async fn unpause_pairs(
    connection: &mut PgConnection,
    pairs: &[RatingKey],
    now: DateTime<Utc>,
) -> sqlx::Result<Vec<RatingKey>> {
    let (users, posts) = RatingKey::unzip_ids(pairs);
    let rows = sqlx::query!(
        "with locked as (
            select z.user_id, z.blog_id from zombie_pauses z
            where (z.user_id, z.blog_id) in (select * from unnest($1::bigint[], $2::bigint[]))
                and z.paused_at is not null and z.unpaused_at is null
            order by z.user_id, z.blog_id for no key update
        )
        update zombie_pauses z set unpaused_at = greatest(z.paused_at, $3) from locked
        where z.user_id = locked.user_id and z.blog_id = locked.blog_id
        returning z.user_id, z.blog_id, z.paused_at",
        &users,
        &posts,
        now,
    );
    let rows = rows.fetch_all(&mut *connection).await?;
    let still_paused = paused_users(connection, &users).await?;
    let mut paused_at = BTreeMap::<UserId, DateTime<Utc>>::new();
    for row in rows.iter().filter(|row| !still_paused.contains(&UserId(row.user_id))) {
        let at = row.paused_at.unwrap_or(now);
        paused_at.entry(UserId(row.user_id)).and_modify(|latest| *latest = at.max(*latest)).or_insert(at);
    }
    for (user, at) in paused_at {
        let days = (now - at).as_seconds_f64().max(0.0) / 86_400.0;
        let left = (warnings::RATINGS_PAUSED - days * warnings::DECAY_PER_DAY).max(0.0);
        warnings::add_points(connection, now, &[user], -left).await?;
    }
    Ok(rows.into_iter().map(|row| RatingKey { user: UserId(row.user_id), post: PostId(row.blog_id) }).collect())
}

/// Lists posts with failed attempts of the user, except posts with a pause.
pub async fn list_posts_with_failures(pool: &PgPool, clock: &Clock, UserId(user): UserId) -> sqlx::Result<Vec<PostId>> {
    let posts = sqlx::query_scalar!(
        "select blog_id from zombie_pauses
        where user_id = $1 and (paused_at is null or unpaused_at is not null)
            and tat_ns > extract(epoch from coalesce($2, clock_timestamp())) * 1000000000
        order by blog_id",
        user,
        clock.now(),
    );
    Ok(posts.fetch_all(pool).await?.into_iter().map(PostId).collect())
}

pub async fn list_paused_posts(pool: &PgPool, UserId(user): UserId) -> sqlx::Result<Vec<PostId>> {
    let posts = sqlx::query_scalar!(
        "select blog_id from zombie_pauses where user_id = $1 and paused_at is not null and unpaused_at is null
        order by blog_id",
        user,
    );
    Ok(posts.fetch_all(pool).await?.into_iter().map(PostId).collect())
}

pub async fn post_exists(pool: &PgPool, PostId(post): PostId) -> sqlx::Result<bool> {
    let exists =
        sqlx::query_scalar!(r#"select exists (select from rating_totals where blog_id = $1) as "exists!""#, post);
    exists.fetch_one(pool).await
}

/// Returns the username, title and post id of each pair.
pub async fn describe_pairs(pool: &PgPool, pairs: &[RatingKey]) -> sqlx::Result<Vec<(String, String, PostId)>> {
    let (users, posts) = RatingKey::unzip_ids(pairs);
    let rows = sqlx::query!(
        "select u.username, p.title, p.id from unnest($1::bigint[], $2::bigint[]) pair (user_id, blog_id)
            join users u on u.id = pair.user_id join blog_posts p on p.id = pair.blog_id
        order by u.id, p.id",
        &users,
        &posts,
    );
    Ok(rows.fetch_all(pool).await?.into_iter().map(|row| (row.username, row.title, PostId(row.id))).collect())
}

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
