//! Request to delete the account after a grace period of 7 days.

use actix_session::Session;
use actix_web::web;
use askama::Template;
use chrono::{DateTime, TimeDelta, Utc};
use schemars::{JsonSchema, Schema, json_schema};
use serde::Serialize;

use crate::audit_log::{AuditAction, NewEntry};
use crate::db::commit;
use crate::i18n::{Phrase, PhraseValue, filters};
use crate::state::AppState;
use crate::users::error::AccountError;
use crate::users::models::{self, Account};
use crate::users::reauthentication::ReauthenticationInput;
use crate::users::two_factor::models::is_enabled;
use crate::users::{emails, urls};
use crate::web::error::AppError;
use crate::web::request::body::Payload;
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

impl DeleteAccountPage {
    async fn new(state: &CoreState, user: UserId, layout: Layout, form: Form) -> Result<Self, AppError> {
        let data = models::find_account(&state.pool, user).await?;
        Ok(Self { layout, form, data, asks_code: is_enabled(&state.pool, user).await? })
    }
}

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
    Ok(PageResponse::new(DeleteAccountPage::new(&state, user.id, layout, Form::default()).await?))
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
    let page = async |form, _: &AppError| DeleteAccountPage::new(&state, user.id, layout, form).await.ok();
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
    let (time, with_posts) = (PhraseValue::Minute(delete_at), posts == PostDeletionChoice::Delete);
    let phrase = phrase!("mail-deletion-scheduled", time = time, posts = with_posts);
    emails::enqueue(&mut transaction, state, user.id, "deletion_asked", phrase, Some(urls::LOGIN.pattern)).await?;
    NewEntry::new(AuditAction::AskForDeletion).for_user(user.id).insert(user, &mut transaction, &state.clock).await?;
    commit(transaction).await?;
    state.mail.wake_delivery();
    Ok(delete_at)
}
