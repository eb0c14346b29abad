//! Account deletion with a grace period of 7 days.

use actix_session::Session;
use actix_web::web;
use askama::Template;
use chrono::{DateTime, TimeDelta, Utc};
use schemars::{JsonSchema, Schema, json_schema};
use serde::Serialize;
use sqlx::PgConnection;

use super::emails::Recipient;
use super::error::AccountError;
use super::models::{self, Account};
use super::reauthentication::ReauthenticationInput;
use super::two_factor::models::is_enabled;
use super::urls::DELETED_AUTHOR_NAME;
use super::{emails, urls};
use crate::audit_log::{Actor, AuditAction, NewEntry};
use crate::db::commit;
use crate::i18n::{Phrase, PhraseValue, filters};
use crate::state::AppState;
use crate::web::error::AppError;
use crate::web::request::body::{NoInput, Payload};
use crate::web::request::client::Client;
use crate::web::request::current_user::{CurrentUser, UserId};
use crate::web::request::form_field::{Field, Fields, FormInput};
use crate::web::response::form::Form;
use crate::web::response::layout::Layout;
use crate::web::response::view::{ActionResult, FormResponse, PageResponse, handle_form};
use crate::web::routing::route::FRONT_PAGE;
use crate::web::state::CoreState;
use crate::{page, phrase};

const GRACE_PERIOD: TimeDelta = TimeDelta::days(7);

#[derive(Template)]
#[template(path = "users/delete.html")]
pub struct DeleteAccountPage {
    layout: Layout,
    form: Form,
    data: Account,
    asks_code: bool,
}

page!(DeleteAccountPage, data: Account);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PostDeletionChoice {
    /// Keeps published posts. Drafts are deleted.
    Keep,
    Delete,
}

impl Field for PostDeletionChoice {
    const MISSING: &'static str = "invalid-posts-choice";

    fn from_text(text: &str) -> Result<Self, Phrase> {
        match text {
            "keep" => Ok(Self::Keep),
            "delete" => Ok(Self::Delete),
            _ => Err(phrase!(Self::MISSING)),
        }
    }

    fn schema() -> Schema {
        json_schema!({ "type": "string", "enum": ["keep", "delete"] })
    }
}

#[derive(Debug)]
pub struct DeletionForm {
    posts: PostDeletionChoice,
    again: ReauthenticationInput,
}

impl FormInput for DeletionForm {
    fn read(fields: &mut Fields) -> Option<Self> {
        let (posts, again) = (fields.take("posts"), ReauthenticationInput::from_fields(fields, "current_password"));
        Some(Self { posts: posts?, again: again? })
    }
}

#[derive(Clone, Copy, Debug, JsonSchema, Serialize)]
pub struct ScheduledDeletion {
    delete_at: DateTime<Utc>,
}

pub async fn deletion_form(
    user: CurrentUser,
    layout: Layout,
    state: web::Data<AppState>,
) -> Result<PageResponse<DeleteAccountPage>, AppError> {
    let data = models::find_account(&state.pool, user.id).await?;
    let asks_code = is_enabled(&state.pool, user.id).await?;
    Ok(PageResponse::new(DeleteAccountPage { layout, form: Form::default(), data, asks_code }))
}

/// A repeated request can change whether the posts are kept, but not the deletion date.
pub async fn request_deletion(
    payload: Payload<DeletionForm>,
    user: CurrentUser,
    layout: Layout,
    client: Client,
    session: Session,
    state: web::Data<AppState>,
) -> Result<FormResponse<ScheduledDeletion, DeleteAccountPage, 202>, AppError> {
    let act = async |DeletionForm { posts, again }: DeletionForm| {
        let version = state.accounts.reauthenticate(&state, &user, client, "current_password", again).await?;
        let delete_at = schedule_deletion(&state, &user, version, posts).await?;
        session.purge();
        tracing::info!(user_id = user.id.0, "account deletion requested");
        let message = phrase!("done-deletion-scheduled", time = PhraseValue::Minute(delete_at));
        Ok(ActionResult::new(ScheduledDeletion { delete_at }, FRONT_PAGE).with_message(message))
    };
    let page = async |form: Form, _: &AppError| {
        let data = models::find_account(&state.pool, user.id).await.ok()?;
        let asks_code = is_enabled(&state.pool, user.id).await.ok()?;
        Some(DeleteAccountPage { layout, form, data, asks_code })
    };
    handle_form(payload, act, page).await
}

async fn schedule_deletion(
    state: &CoreState,
    user: &CurrentUser,
    version: i32,
    posts: PostDeletionChoice,
) -> Result<DateTime<Utc>, AppError> {
    let mut transaction = state.pool.begin().await?;
    models::lock_staff(&mut transaction).await?;
    if models::is_last_owner(&mut transaction, &state.clock, user.id).await? {
        return Err(AccountError::LastOwner.into());
    }
    models::lock_account_for_update(&mut transaction, user.id, None).await?;
    let delete_at = sqlx::query_scalar!(
        r#"with asked as (
            update users set delete_posts = $3,
                delete_at = coalesce(delete_at, coalesce($4, clock_timestamp()) + make_interval(secs => $5))
            where id = $1 and session_version = $2 and erased_at is null returning id, delete_at
        ), ended as (
            delete from sessions where user_id in (select id from asked)
        ), ended_tokens as (
            delete from api_tokens where user_id in (select id from asked)
        )
        select delete_at as "at!" from asked"#,
        user.id.0,
        version,
        posts == PostDeletionChoice::Delete,
        state.clock.now(),
        GRACE_PERIOD.as_seconds_f64(),
    );
    let delete_at = delete_at.fetch_optional(&mut *transaction).await?.ok_or(AppError::NotSignedIn { next: None })?;
    let mail = |state: &CoreState, to: &Recipient| {
        emails::deletion_scheduled_email(state, to, delete_at, posts == PostDeletionChoice::Delete)
    };
    emails::enqueue(&mut transaction, state, user.id, mail).await?;
    NewEntry::new(AuditAction::AskForDeletion).for_user(user.id).insert(user, &mut transaction, &state.clock).await?;
    commit(transaction).await?;
    state.mail.wake_delivery();
    Ok(delete_at)
}

pub async fn cancel_deletion(
    _: NoInput,
    user: CurrentUser,
    state: web::Data<AppState>,
) -> Result<ActionResult<Account>, AppError> {
    let was_cancelled = sqlx::query!(
        "update users set delete_at = null, delete_posts = null
        where id = $1 and delete_at > coalesce($2, clock_timestamp())",
        user.id.0,
        state.clock.now(),
    );
    let mut transaction = state.pool.begin().await?;
    let was_cancelled = was_cancelled.execute(&mut *transaction).await?.rows_affected() == 1;
    if was_cancelled {
        let entry = NewEntry::new(AuditAction::CancelDeletion).for_user(user.id);
        entry.insert(&user, &mut transaction, &state.clock).await?;
    }
    commit(transaction).await?;
    let account = models::find_account(&state.pool, user.id).await?;
    let message = match account.delete_at {
        Some(_) => return Err(AccountError::GracePeriodOver.into()),
        None if was_cancelled => phrase!("done-deletion-cancelled"),
        None => phrase!("done-no-deletion-scheduled"),
    };
    if was_cancelled {
        tracing::info!(user_id = user.id.0, "account deletion cancelled");
    }
    Ok(ActionResult::new(account, urls::ACCOUNT.pattern).with_message(message))
}

/// The `users` row stays, because ratings and posts reference it.
#[expect(clippy::too_many_lines, reason = "one statement")]
pub async fn erase_account(
    connection: &mut PgConnection,
    state: &CoreState,
    UserId(id): UserId,
) -> Result<(), AppError> {
    // This is a separate statement, so that the statements below see rows written by sign-ins that held a lock on the
    // account.
    let username = sqlx::query_scalar!("select username from users where id = $1 for update", id);
    let username = username.fetch_one(&mut *connection).await?;
    let now = state.clock.read(connection).await?;
    // The email is queued before the email address is erased.
    emails::enqueue(connection, state, UserId(id), emails::account_deleted_email).await?;
    sqlx::query!(
        "with sessions as (
            delete from sessions where user_id = $1
        ), tokens as (
            delete from api_tokens where user_id = $1
        ), requests as (
            delete from idempotent_requests where user_id = $1
        ), networks as (
            delete from sign_ins where user_id = $1
        ), factor as (
            delete from second_factors where user_id = $1
        ), codes as (
            delete from recovery_codes where user_id = $1
        ), pauses as (
            delete from zombie_pauses where user_id = $1
        ), limits as (
            delete from custom_limits where user_id = $1
        ), warning as (
            delete from warning_levels where user_id = $1
        ), shown as (
            delete from image_uses where user_id = $1
        ), images as (
            -- What their posts show stays as long as these do.
            delete from image_owners where user_id = $1
        ), decisions as (
            update moderations set moderator_id = null where moderator_id = $1
        ), refused as (
            delete from refused_ratings where user_id = $1
        ), limiter_overrides_of_user as (
            update limiter_overrides set chosen_by = null where chosen_by = $1
        ), reported as (
            update reports set user_id = null where user_id = $1
        ), cases as (
            update report_cases set author_id = nullif(author_id, $1), decided_by = nullif(decided_by, $1),
                deciders = array_remove(deciders, $1),
                final_by = nullif(final_by, $1)
            where author_id = $1 or decided_by = $1 or final_by = $1
        ), events as (
            update webhook_deliveries set data = jsonb_set(data, '{author}', to_jsonb($2::text))
            where event = 'post.published' and data ->> 'author' = $4
        ), acts as (
            update audit_log set actor_id = null, network = null where actor_id = $1
        )
        update users set username = $2, email = '', password_hash = '', email_confirmed_at = null, mailbox_key = null, is_staff = false,
            blocked_at = null, blocked_until = null, blocked_reason = null,
            is_approved = false, display_name = null, imported_as = null, about = null, link = null, time_zone = null, language = null, avatar = null,
            -- Nobody can have or look for these: they begin with a space.
            username_key = ' ' || id, username_skeleton = ' ' || id,
            session_version = session_version + 1, delete_at = null, delete_posts = null, erased_at = $3
        where id = $1",
        id,
        DELETED_AUTHOR_NAME,
        now,
        username,
    )
    .execute(&mut *connection)
    .await?;
    NewEntry::new(AuditAction::Erase).for_user(UserId(id)).insert(Actor::default(), connection, &state.clock).await?;
    Ok(())
}
