//! Actions on rating pauses. Row keys have the format `user:post`.

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use sqlx::PgConnection;

use super::action::{ActionContext, ActionProperties, ActionTarget, RowAction, SkipReason};
use crate::admin::urls;
use crate::audit_log::AuditAction;
use crate::blog_posts::PostId;
use crate::phrase;
use crate::rate::models::RatingKey;
use crate::rate::zombie_pauses::models::{pause_pairs, unpause_pairs};
use crate::web::error::AppError;
use crate::web::request::current_user::UserId;

/// Skips pairs of user and post whose pause was lifted after `grace_start`.
async fn find_pauses(
    connection: &mut PgConnection,
    keys: &[String],
    are_paused: bool,
    grace_start: DateTime<Utc>,
) -> sqlx::Result<Vec<ActionTarget>> {
    let (users, posts) = RatingKey::unzip_ids(&parse_keys(keys));
    // Locks the posts first, as the rating writer does.
    sqlx::query!("select from rating_totals where blog_id = any($1) order by blog_id for no key update", &posts)
        .execute(&mut *connection)
        .await?;
    let rows = sqlx::query!(
        r#"select z.user_id || ':' || z.blog_id as "pick!", u.username, z.user_id, z.blog_id, z.unpaused_at
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
        ..ActionTarget::new(row.pick, row.username)
    });
    Ok(rows.collect())
}

fn rating_keys(rows: &[ActionTarget]) -> Vec<RatingKey> {
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

pub(super) struct Pause;

#[async_trait(?Send)]
impl RowAction for Pause {
    fn properties(&self) -> ActionProperties {
        ActionProperties {
            lists: vec![urls::ZOMBIE_PAUSES],
            inverse: Some("lift_pauses"),
            ..ActionProperties::new("pause", AuditAction::PauseRatings)
        }
    }

    async fn find_rows(&self, context: &mut ActionContext<'_>, keys: &[String]) -> Result<Vec<ActionTarget>, AppError> {
        let now = context.state.clock.read(&mut *context.connection).await?;
        let grace = grace(context);
        Ok(find_pauses(&mut *context.connection, keys, false, now - grace).await?)
    }

    async fn apply(&self, context: &mut ActionContext<'_>, rows: &mut [ActionTarget]) -> Result<(), AppError> {
        if !context.state.pauses.is_enabled() {
            return Err(AppError::invalid_field("act", phrase!("invalid-pauses-off")));
        }
        let now = context.state.clock.read(&mut *context.connection).await?;
        let grace = grace(context);
        pause_pairs(&mut *context.connection, &rating_keys(rows), now, grace).await?;
        Ok(())
    }
}

/// Time after the end of a pause during which the user is not paused again.
fn grace(context: &ActionContext<'_>) -> TimeDelta {
    TimeDelta::milliseconds(context.state.pauses.rules().params().grace_ms)
}

pub(super) struct LiftPauses;

#[async_trait(?Send)]
impl RowAction for LiftPauses {
    fn properties(&self) -> ActionProperties {
        ActionProperties {
            lists: vec![urls::ZOMBIE_PAUSES],
            ..ActionProperties::new("lift_pauses", AuditAction::LiftPause)
        }
    }

    async fn find_rows(&self, context: &mut ActionContext<'_>, keys: &[String]) -> Result<Vec<ActionTarget>, AppError> {
        Ok(find_pauses(&mut *context.connection, keys, true, DateTime::<Utc>::MAX_UTC).await?)
    }

    async fn apply(&self, context: &mut ActionContext<'_>, rows: &mut [ActionTarget]) -> Result<(), AppError> {
        let now = context.state.clock.read(&mut *context.connection).await?;
        unpause_pairs(&mut *context.connection, &rating_keys(rows), now).await?;
        Ok(())
    }
}
