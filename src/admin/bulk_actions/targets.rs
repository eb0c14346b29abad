//! Finds and locks the rows that a bulk action affects, applies the action, and writes the audit log entries.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use sqlx::PgConnection;

use super::bulk_action::BulkAction;
use crate::audit_log::{AuditAction, NewEntry};
use crate::blog_posts::{self, PostId, published_event};
use crate::phrase;
use crate::rate::models::RatingKey;
use crate::rate::zombie_pauses;
use crate::users::emails;
use crate::users::models::lock_account;
use crate::web::error::AppError;
use crate::web::request::current_user::{CurrentUser, UserId};
use crate::web::request::role::Role;
use crate::web::state::AppState;
use crate::webhooks::queue;

/// Row that a bulk action can be applied to.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct ActionTarget {
    /// Key of the row, as submitted in the form.
    pub pick: String,
    /// Readable name, such as a title or username.
    pub label: String,
    #[serde(skip)]
    pub user: Option<UserId>,
    #[serde(skip)]
    pub post: Option<i64>,
    /// Additional details of the audit log entry.
    #[serde(skip)]
    pub details: Value,
}

struct TargetRow {
    pick: String,
    label: String,
    user_id: Option<i64>,
    post_id: Option<i64>,
    details: Value,
}

impl From<TargetRow> for ActionTarget {
    fn from(TargetRow { pick, label, user_id, post_id, details }: TargetRow) -> Self {
        Self { pick, label, user: user_id.map(UserId), post: post_id, details }
    }
}

/// Returns the selected rows that this user may apply the action to. The rows stay locked until the transaction ends.
pub async fn lock_targets(
    connection: &mut PgConnection,
    state: &AppState,
    by: &CurrentUser,
    action: BulkAction,
    picks: &[String],
) -> sqlx::Result<Vec<ActionTarget>> {
    // Before rows of the account, such as its sessions: the entries of the audit log refer to the account.
    lock_account(connection, by.id, None).await?;
    let ids: Vec<i64> = picks.iter().filter_map(|pick| pick.parse().ok()).collect();
    let rows = match action {
        BulkAction::Unpublish | BulkAction::Publish => posts(connection, &ids, action == BulkAction::Unpublish).await?,
        BulkAction::EndSessions => sessions(connection, by, picks).await?,
        BulkAction::Pause | BulkAction::LiftPauses => {
            pauses(connection, picks, action == BulkAction::LiftPauses).await?
        }
        BulkAction::EndInvitations => invitations(connection, state, &ids).await?,
        BulkAction::SendMails | BulkAction::DeleteMails => mails(connection, &ids).await?,
        BulkAction::SendWebhooks => webhook_deliveries(connection, state, &ids).await?,
        BulkAction::DeleteLimiterStates => states(connection, picks).await?,
        BulkAction::ResetLimiter => rating_limiters(connection, &ids).await?,
    };
    Ok(rows.into_iter().map(ActionTarget::from).collect())
}

/// Returns the selected posts that staff can unpublish or publish. Staff can publish only drafts that staff unpublished
/// and that have not changed since; only the author can publish other drafts.
async fn posts(connection: &mut PgConnection, ids: &[i64], are_published: bool) -> sqlx::Result<Vec<TargetRow>> {
    let rows = sqlx::query_as!(
        TargetRow,
        r#"select id::text as "pick!", title as label, author_id as user_id, id as post_id, '{}'::jsonb as "details!"
        from blog_posts where id = any($1) and case when $2 then status = 'published'
            else status = 'draft' and withheld_by is null and unpublished_version = version end
        order by id for no key update"#,
        ids,
        are_published,
    );
    rows.fetch_all(connection).await
}

/// Returns the selected sessions that `by` may end: own sessions, sessions of users who are not staff, and sessions of
/// staff with a lower role.
async fn sessions(connection: &mut PgConnection, by: &CurrentUser, picks: &[String]) -> sqlx::Result<Vec<TargetRow>> {
    let lower = Role::ALL.into_iter().filter(|role| by.outranks(Some(*role)));
    let lower: Vec<String> = lower.map(|role| role.name().to_owned()).collect();
    let rows = sqlx::query_as!(
        TargetRow,
        r#"select encode(substring(s.token_hash for 16), 'hex') as "pick!", concat_ws(' · ', u.username, s.device, s.network) as "label!",
            s.user_id as "user_id?", null::bigint as post_id, '{"sessions": 1}'::jsonb as "details!"
        -- A pick is the first half of a key: with it a range of keys is found.
        from (select distinct pick from unnest($1::text[]) pick where pick ~ '^[0-9a-f]{32}$') picked
            join sessions s on s.token_hash between decode(pick, 'hex') and decode(pick || repeat('ff', 16), 'hex')
            join users u on u.id = s.user_id and (not u.is_staff or u.staff_role = any($2) or u.id = $3)
        order by s.token_hash for update of s"#,
        picks,
        &lower,
        by.id.0,
    );
    rows.fetch_all(connection).await
}

/// Returns the selected pairs of user and post that are paused, or those that are not.
async fn pauses(connection: &mut PgConnection, picks: &[String], are_paused: bool) -> sqlx::Result<Vec<TargetRow>> {
    let (users, posts) = RatingKey::unzip_ids(&parse_pause_keys(picks));
    // Locks the posts first, as the rating writer does.
    sqlx::query!("select from rating_totals where blog_id = any($1) order by blog_id for no key update", &posts)
        .execute(&mut *connection)
        .await?;
    let rows = sqlx::query_as!(
        TargetRow,
        r#"select z.user_id || ':' || z.blog_id as "pick!", u.username as label, z.user_id as "user_id?", z.blog_id as "post_id?",
            '{}'::jsonb as "details!"
        from zombie_pauses z join users u on u.id = z.user_id
        where (z.user_id, z.blog_id) in (select * from unnest($1::bigint[], $2::bigint[]))
            and (z.paused_at is not null and z.unpaused_at is null) = $3
        order by z.user_id, z.blog_id for no key update of z"#,
        &users,
        &posts,
        are_paused,
    );
    rows.fetch_all(connection).await
}

async fn invitations(connection: &mut PgConnection, state: &AppState, ids: &[i64]) -> sqlx::Result<Vec<TargetRow>> {
    let rows = sqlx::query_as!(
        TargetRow,
        r#"select i.id::text as "pick!", concat(u.username, ' · ', i.taken, '/', i.seats) as "label!", null::bigint as user_id,
            null::bigint as post_id, jsonb_build_object('invitation', i.id) as "details!"
        from invitations i join users u on u.id = i.made_by
        where i.id = any($1) and i.taken < i.seats and i.expires_at > coalesce($2, clock_timestamp())
        order by i.id for no key update of i"#,
        ids,
        state.clock.now(),
    );
    rows.fetch_all(connection).await
}

async fn mails(connection: &mut PgConnection, ids: &[i64]) -> sqlx::Result<Vec<TargetRow>> {
    let rows = sqlx::query_as!(
        TargetRow,
        r#"select id::text as "pick!", recipient || ' · ' || kind as "label!", null::bigint as user_id, null::bigint as post_id,
            jsonb_build_object('mail', kind) as "details!"
        from outbox where id = any($1) and not handed_over order by id for update"#,
        ids,
    );
    rows.fetch_all(connection).await
}

/// Returns the selected deliveries of enabled webhooks that no instance is sending at this moment.
async fn webhook_deliveries(
    connection: &mut PgConnection,
    state: &AppState,
    ids: &[i64],
) -> sqlx::Result<Vec<TargetRow>> {
    let rows = sqlx::query_as!(
        TargetRow,
        r#"select d.id::text as "pick!", d.event || ' · ' || w.url as "label!", null::bigint as user_id,
            null::bigint as post_id, jsonb_build_object('webhook', w.url, 'event', d.event) as "details!"
        from webhook_deliveries d join webhooks w on w.id = d.webhook_id
        where d.id = any($1) and coalesce(d.leased_until <= coalesce($2, clock_timestamp()), true)
            and w.disabled_at is null order by d.id for update of d"#,
        ids,
        state.clock.now(),
    );
    rows.fetch_all(connection).await
}

async fn states(connection: &mut PgConnection, picks: &[String]) -> sqlx::Result<Vec<TargetRow>> {
    let (limiters, keys) = parse_state_keys(picks);
    let rows = sqlx::query_as!(
        TargetRow,
        r#"select limiter || '/' || key as "pick!", key as label, null::bigint as user_id, null::bigint as post_id,
            jsonb_build_object('limiter', limiter, 'key', key, 'before', state) as "details!"
        from limiter_states
        where (limiter, key) in (select * from unnest($1::text[], $2::text[])) and limiter <> 'rate_class'
        order by limiter, key for update"#,
        &limiters,
        &keys,
    );
    rows.fetch_all(connection).await
}

/// Returns the selected posts whose rating limiter has a state. `user_id` is null, because the authors of these posts
/// are not notified.
async fn rating_limiters(connection: &mut PgConnection, ids: &[i64]) -> sqlx::Result<Vec<TargetRow>> {
    let rows = sqlx::query_as!(
        TargetRow,
        r#"select p.id::text as "pick!", p.title as label, null::bigint as user_id, p.id as "post_id?",
            jsonb_build_object('before', t.gates) as "details!"
        from rating_totals t join blog_posts p on p.id = t.blog_id
        where t.blog_id = any($1) and t.gates <> '{}' order by t.blog_id for no key update of t"#,
        ids,
    );
    rows.fetch_all(connection).await
}

/// Parses the row keys of rating pauses, which have the format `user:post`.
fn parse_pause_keys(picks: &[String]) -> Vec<RatingKey> {
    let pairs = picks.iter().filter_map(|pick| pick.split_once(':'));
    let parse = |(user, post): (&str, &str)| {
        Some(RatingKey { user: UserId(user.parse().ok()?), post: PostId(post.parse().ok()?) })
    };
    pairs.filter_map(parse).collect()
}

/// Parses the row keys of limiter states, which have the format `limiter/key`.
fn parse_state_keys(picks: &[String]) -> (Vec<String>, Vec<String>) {
    let pairs = picks.iter().filter_map(|pick| pick.split_once('/'));
    pairs.map(|(limiter, key)| (limiter.to_owned(), key.to_owned())).unzip()
}

/// Applies the action to these rows and writes an audit log entry for each row.
pub async fn apply_to_targets(
    connection: &mut PgConnection,
    state: &AppState,
    by: &CurrentUser,
    action: BulkAction,
    subjects: &[ActionTarget],
    reason: &str,
) -> Result<(), AppError> {
    let picks: Vec<String> = subjects.iter().map(|subject| subject.pick.clone()).collect();
    let ids: Vec<i64> = picks.iter().filter_map(|pick| pick.parse().ok()).collect();
    update_rows(&mut *connection, state, action, &picks, &ids).await?;
    for subject in subjects {
        notify_author(connection, state, by, action, subject, reason).await?;
        let mut details = subject.details.clone();
        details["reason"] = json!(reason);
        let record = NewEntry::new(audit_action(action)).with_details(details);
        let record = subject.user.into_iter().fold(record, NewEntry::for_user);
        let record = subject.post.into_iter().fold(record, NewEntry::for_post);
        record.insert(by, connection, &state.clock).await?;
    }
    Ok(())
}

/// Notifies the author that staff unpublished the post, and states the reason.
async fn notify_author(
    connection: &mut PgConnection,
    state: &AppState,
    by: &CurrentUser,
    action: BulkAction,
    subject: &ActionTarget,
    reason: &str,
) -> Result<(), AppError> {
    let Some((author, post)) = subject.user.zip(subject.post).filter(|(author, _)| *author != by.id) else {
        return Ok(());
    };
    if action != BulkAction::Unpublish {
        return Ok(());
    }
    let phrase = phrase!("mail-post-unpublished", title = subject.label.as_str(), reason = reason);
    let path = blog_posts::urls::POST_BY_ID.path_for(post);
    emails::enqueue(connection, state, author, |state, to| {
        emails::notification_email(state, to, "post_unpublished", phrase, &path)
    })
    .await
}

fn audit_action(action: BulkAction) -> AuditAction {
    match action {
        BulkAction::Unpublish => AuditAction::UnpublishPost,
        BulkAction::Publish => AuditAction::PublishPost,
        BulkAction::EndSessions => AuditAction::EndSessions,
        BulkAction::Pause => AuditAction::PauseRatings,
        BulkAction::LiftPauses => AuditAction::LiftPause,
        BulkAction::EndInvitations => AuditAction::EndInvitation,
        BulkAction::SendMails => AuditAction::SendMail,
        BulkAction::DeleteMails => AuditAction::DropMail,
        BulkAction::SendWebhooks => AuditAction::SendWebhook,
        BulkAction::DeleteLimiterStates | BulkAction::ResetLimiter => AuditAction::ForgetState,
    }
}

async fn update_rows(
    connection: &mut PgConnection,
    state: &AppState,
    action: BulkAction,
    picks: &[String],
    ids: &[i64],
) -> sqlx::Result<()> {
    let now = state.clock.read(connection).await?;
    let changed = match action {
        BulkAction::Unpublish => sqlx::query!(
            "update blog_posts set status = 'draft', updated_at = $2, version = version + 1, publish_at = null,
                first_published_at = coalesce(first_published_at, published_at), published_at = null,
                unpublished_version = version + 1 where id = any($1)",
            ids,
            now,
        ),
        BulkAction::Publish => return publish_posts(connection, state, ids, now).await,
        BulkAction::EndSessions => {
            sqlx::query!(
                "delete from sessions s using unnest($1::text[]) pick
                where s.token_hash between decode(pick, 'hex') and decode(pick || repeat('ff', 16), 'hex')",
                picks,
            )
        }
        BulkAction::Pause => {
            return zombie_pauses::models::pause_pairs(connection, &parse_pause_keys(picks), now).await.map(drop);
        }
        BulkAction::LiftPauses => {
            return zombie_pauses::models::unpause_pairs(connection, &parse_pause_keys(picks), now).await.map(drop);
        }
        BulkAction::EndInvitations => {
            sqlx::query!("update invitations set expires_at = $2 where id = any($1)", ids, now)
        }
        BulkAction::SendMails => sqlx::query!("update outbox set next_at = $2 where id = any($1)", ids, now),
        BulkAction::DeleteMails => sqlx::query!("delete from outbox where id = any($1)", ids),
        BulkAction::SendWebhooks => return queue::send_again(connection, ids, now).await,
        BulkAction::DeleteLimiterStates => return delete_limiter_states(connection, picks).await,
        BulkAction::ResetLimiter => sqlx::query!("update rating_totals set gates = '{}' where blog_id = any($1)", ids),
    };
    changed.execute(connection).await.map(drop)
}

async fn publish_posts(
    connection: &mut PgConnection,
    state: &AppState,
    ids: &[i64],
    now: DateTime<Utc>,
) -> sqlx::Result<()> {
    let published = sqlx::query!(
        "update blog_posts set status = 'published', updated_at = $2, version = version + 1, publish_at = null,
            published_at = coalesce(first_published_at, $2), unpublished_version = null where id = any($1)",
        ids,
        now,
    );
    published.execute(&mut *connection).await?;
    published_event::enqueue(connection, state, ids).await
}

async fn delete_limiter_states(connection: &mut PgConnection, picks: &[String]) -> sqlx::Result<()> {
    let (limiters, keys) = parse_state_keys(picks);
    let forgotten = sqlx::query!(
        "delete from limiter_states where (limiter, key) in (select * from unnest($1::text[], $2::text[]))",
        &limiters,
        &keys,
    );
    forgotten.execute(connection).await.map(drop)
}
