//! Selected rows of the bulk actions on rating pauses, with keys in the format `user:post`.

use chrono::{DateTime, Utc};
use sqlx::PgConnection;

use super::action::{ActionTarget, SkipReason};
use crate::blog_posts::PostId;
use crate::rate::models::RatingKey;
use crate::web::request::current_user::UserId;

/// Skips pairs of user and post whose pause was lifted after `grace_start`.
pub(super) async fn find_pauses(
    connection: &mut PgConnection,
    keys: &[String],
    are_paused: bool,
    grace_start: DateTime<Utc>,
) -> sqlx::Result<Vec<ActionTarget>> {
    let (users, posts) = RatingKey::unzip_ids(&parse_keys(keys));
    // Locks the posts first, as the rating writer does, to avoid deadlocks.
    sqlx::query!("select from rating_totals where blog_id = any($1) order by blog_id for no key update", &posts)
        .execute(&mut *connection)
        .await?;
    let rows = sqlx::query!(
        r#"select z.user_id || ':' || z.blog_id as "key!", u.username, z.user_id, z.blog_id, z.unpaused_at
        from zombie_pauses z join users u on u.id = z.user_id
        where (z.user_id, z.blog_id) in (select * from unnest($1::bigint[], $2::bigint[]))
            and (z.paused_at is not null and z.unpaused_at is null) = $3
        order by z.user_id, z.blog_id for no key update of z"#,
        &users,
        &posts,
        are_paused,
    );
    let rows = rows.fetch_all(connection).await?.into_iter().map(|row| ActionTarget {
        user: Some(UserId(row.user_id)),
        post: Some(row.blog_id),
        skipped: row.unpaused_at.filter(|at| *at > grace_start).map(|_| SkipReason::Grace),
        ..ActionTarget::new(row.key, row.username)
    });
    Ok(rows.collect())
}

pub(super) fn rating_keys(rows: &[ActionTarget]) -> Vec<RatingKey> {
    let pairs = rows.iter().filter_map(|row| row.user.zip(row.post));
    pairs.map(|(user, post)| RatingKey { user, post: PostId(post) }).collect()
}

fn parse_keys(keys: &[String]) -> Vec<RatingKey> {
    let pairs = keys.iter().filter_map(|key| key.split_once(':'));
    let parse = |(user, post): (&str, &str)| {
        Some(RatingKey { user: UserId(user.parse().ok()?), post: PostId(post.parse().ok()?) })
    };
    pairs.filter_map(parse).collect()
}
