//! Warning levels from 0 to 100 %, which make the rate classes of a user stricter after confirmed abuse, as in OSCAR.

use chrono::{DateTime, Utc};
use sqlx::{PgConnection, PgPool};

use crate::db::clock::Clock;
use crate::web::request::current_user::UserId;

/// Points for a post that moderators took down, subtracted again if a decision restores the post.
pub const POST_TAKEN_DOWN: f64 = 20.0;
pub const RATINGS_PAUSED: f64 = 10.0;
pub const DISCONNECTED: f64 = 10.0;
pub const DECAY_PER_DAY: f64 = 5.0;

/// Maximum number of warning levels that an instance keeps in memory, the highest levels first.
const MAX_USERS: i64 = 10_000;

/// Adds `points`, which may be negative, to the warning levels. A level stays between 0 and 100.
pub async fn add_points(
    connection: &mut PgConnection,
    now: DateTime<Utc>,
    users: &[UserId],
    points: f64,
) -> sqlx::Result<()> {
    let users: Vec<i64> = users.iter().map(|user| user.0).collect();
    sqlx::query!(
        "insert into warning_levels as w (user_id, level, set_at)
        select id, greatest(0, $2::float8), $3 from unnest($1::bigint[]) id
        where $2::float8 > 0 or exists (select from warning_levels where user_id = id) order by id
        on conflict (user_id) do update set set_at = $3, level = least(100, greatest(0,
            greatest(0, w.level - $4::float8 * extract(epoch from $3::timestamptz - w.set_at)::float8 / 86400) + $2::float8))",
        &users,
        points,
        now,
        DECAY_PER_DAY,
    )
    .execute(connection)
    .await
    .map(drop)
}

/// Resets the warning level to 0. Returns false if the level was already 0.
pub async fn reset(connection: &mut PgConnection, UserId(user): UserId) -> sqlx::Result<bool> {
    let reset = sqlx::query!("delete from warning_levels where user_id = $1", user).execute(connection).await?;
    Ok(reset.rows_affected() > 0)
}

/// Lists warning levels in whole percent, without levels that round to 0.
pub(super) async fn list_levels(pool: &PgPool, clock: &Clock) -> sqlx::Result<Vec<(UserId, u8)>> {
    let rows = sqlx::query!(
        r#"select user_id, round(level)::int as "level!" from (
            select user_id,
                level - $2::float8 * extract(epoch from coalesce($1, clock_timestamp()) - set_at)::float8 / 86400 as level
            from warning_levels
        ) current where level >= 0.5 order by level desc limit $3"#,
        clock.now(),
        DECAY_PER_DAY,
        MAX_USERS,
    );
    let rows = rows.fetch_all(pool).await?.into_iter();
    Ok(rows.map(|row| (UserId(row.user_id), u8::try_from(row.level.clamp(0, 100)).unwrap_or_default())).collect())
}

pub async fn delete_expired(pool: &PgPool, clock: &Clock) -> sqlx::Result<()> {
    sqlx::query!(
        "delete from warning_levels
        where level <= $2::float8 * extract(epoch from coalesce($1, clock_timestamp()) - set_at)::float8 / 86400",
        clock.now(),
        DECAY_PER_DAY,
    )
    .execute(pool)
    .await
    .map(drop)
}
