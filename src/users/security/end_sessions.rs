//! List of the signed-in user's sessions, and view that ends one session or all other sessions.

use actix_session::Session;
use actix_web::web;
use askama::Template;
use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use crate::audit_log::{AuditAction, NewEntry};
use crate::db::commit;
use crate::i18n::filters;
use crate::state::AppState;
use crate::users::models::lock_account;
use crate::users::{Password, urls};
use crate::web::error::AppError;
use crate::web::request::body::Payload;
use crate::web::request::current_user::CurrentUser;
use crate::web::request::form_field::{Fields, FormInput, NonEmptyText};
use crate::web::response::form::Form;
use crate::web::response::layout::Layout;
use crate::web::response::view::{ActionResult, FormResponse, PageResponse, handle_form};
use crate::web::state::CoreState;
use crate::{page, phrase};

/// Number of most recently used sessions that the list shows.
const LISTED: i64 = 100;

#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct SessionInfo {
    /// Session id: first half of the token hash, which does not reveal the session cookie.
    pub id: String,
    /// Device name from `User-Agent`; `None` for sessions created before the name was stored.
    pub device: Option<String>,
    pub network: Option<String>,
    pub created_at: DateTime<Utc>,
    /// Time of the last request, accurate to five minutes.
    pub seen_at: DateTime<Utc>,
    /// True if this session was used for the current request.
    pub is_this: bool,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct SessionList {
    results: Vec<SessionInfo>,
}

#[derive(Template)]
#[template(path = "users/sessions.html")]
pub struct SessionsPage {
    layout: Layout,
    form: Form,
    data: SessionList,
    needs_password: bool,
}

page!(SessionsPage, data: SessionList);

/// Id of the session to end (`None`: all other sessions), and the password.
#[derive(Debug)]
pub struct EndSessionsInput(Option<String>, Option<Password>);

impl FormInput for EndSessionsInput {
    fn read(fields: &mut Fields) -> Option<Self> {
        let (session, password) =
            (fields.take_optional::<NonEmptyText>("session"), Password::take_current_password(fields));
        Some(Self(session?.map(|NonEmptyText(id)| id), password?))
    }
}

pub async fn list_sessions(
    user: CurrentUser,
    layout: Layout,
    state: web::Data<AppState>,
) -> Result<PageResponse<SessionsPage>, AppError> {
    Ok(PageResponse::new(page(&state, &user, layout, Form::default()).await?))
}

async fn page(state: &CoreState, user: &CurrentUser, layout: Layout, form: Form) -> Result<SessionsPage, AppError> {
    let results = sqlx::query_as!(
        SessionInfo,
        r#"select encode(substring(token_hash for 16), 'hex') as "id!", device, network, created_at, seen_at,
            token_hash = decode($2, 'hex') as "is_this!"
        from sessions where user_id = $1 and expires_at > coalesce($3, clock_timestamp())
        order by token_hash = decode($2, 'hex') desc, seen_at desc limit $4"#,
        user.id.0,
        user.session,
        state.clock.now(),
        LISTED,
    );
    let results = results.fetch_all(&state.pool).await?;
    Ok(SessionsPage { layout, form, data: SessionList { results }, needs_password: !user.is_confirmed })
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct EndedSessions {
    /// Number of sessions that were ended.
    ended: u64,
}

/// The next request of an ended session is anonymous.
pub async fn end_sessions(
    payload: Payload<EndSessionsInput>,
    user: CurrentUser,
    layout: Layout,
    session: Session,
    state: web::Data<AppState>,
) -> Result<FormResponse<EndedSessions, SessionsPage>, AppError> {
    let act = async |EndSessionsInput(session_id, password): EndSessionsInput| {
        let user = state.accounts.require_recent_password(&state, &session, &user, password).await?;
        delete_sessions(&state, &user, session_id).await
    };
    let again = async |form, _: &AppError| page(&state, &user, layout, form).await.ok();
    handle_form(payload, act, again).await
}

async fn delete_sessions(
    state: &CoreState,
    user: &CurrentUser,
    session_id: Option<String>,
) -> Result<ActionResult<EndedSessions>, AppError> {
    let ended = sqlx::query!(
        "delete from sessions where user_id = $1 and token_hash <> decode($2, 'hex')
            and ($3::text is null or encode(substring(token_hash for 16), 'hex') = $3)",
        user.id.0,
        user.session,
        session_id,
    );
    let mut transaction = state.pool.begin().await?;
    if !lock_account(&mut transaction, user.id, None).await? {
        return Err(AppError::NotSignedIn { next: None });
    }
    let ended = ended.execute(&mut *transaction).await?.rows_affected();
    if ended > 0 {
        let record =
            NewEntry::new(AuditAction::EndSessions).for_user(user.id).with_details(json!({ "sessions": ended }));
        record.insert(user, &mut transaction, &state.clock).await?;
    }
    commit(transaction).await?;
    tracing::info!(user_id = user.id.0, ended, "sessions ended");
    let message = match (&session_id, ended) {
        (Some(_), 0) => phrase!("done-session-already-ended"),
        (Some(_), _) => phrase!("done-session-ended"),
        (None, 0) => phrase!("sessions-no-others"),
        (None, count) => phrase!("done-sessions-ended", count = count),
    };
    Ok(ActionResult::new(EndedSessions { ended }, urls::SESSIONS.pattern).with_message(message))
}
