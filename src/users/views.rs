//! Sign-out, password change, and account data of the signed-in user.

use actix_session::Session;
use actix_web::http::header::{CACHE_CONTROL, HeaderName, HeaderValue, LOCATION, VARY};
use actix_web::{HttpRequest, HttpResponse, Responder, web};
use askama::Template;
use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;

use super::emails;
use super::models::{self, Account, Profile, User};
use super::password::Password;
use super::reauthentication::ReauthenticationInput;
use super::sessions::device::Device;
use super::sessions::{NewSessionId, set_session_cookie};
use super::tokens::models::revoke_all;
use super::two_factor::models::is_enabled;
use super::urls::{self, author_path};
use crate::access::ApiScope;
use crate::audit_log::{AuditAction, NewEntry};
use crate::i18n::filters;
use crate::state::AppState;
use crate::web::error::AppError;
use crate::web::request::body::{NoInput, Payload};
use crate::web::request::client::Client;
use crate::web::request::current_user::CurrentUser;
use crate::web::request::form_field::{Fields, FormInput, YesOrNo};
use crate::web::request::format::ResponseFormat;
use crate::web::response::form::Form;
use crate::web::response::layout::Layout;
use crate::web::response::view::{ActionResult, EmptyResult, FormResponse, PageResponse, VARY_HEADERS, handle_form};
use crate::web::routing::route::FRONT_PAGE;
use crate::{page, phrase};

#[derive(Template)]
#[template(path = "users/password_change.html")]
pub struct PasswordChangePage {
    layout: Layout,
    form: Form,
    asks_code: bool,
}

page!(PasswordChangePage, form: Form);

#[derive(Debug)]
pub struct PasswordChange {
    old: ReauthenticationInput,
    new: Password,
    ends_tokens: bool,
}

impl FormInput for PasswordChange {
    fn read(fields: &mut Fields) -> Option<Self> {
        let (old, new) = (ReauthenticationInput::from_fields(fields, "old_password"), fields.take("new_password"));
        let ends_tokens = fields.take_optional("end_tokens").map(|ends| ends.is_some_and(|YesOrNo(ends)| ends));
        Some(Self { old: old?, new: new?, ends_tokens: ends_tokens? })
    }
}

pub async fn redirect_to_password_change() -> HttpResponse {
    HttpResponse::Found().insert_header((LOCATION, urls::PASSWORD_CHANGE.pattern)).finish()
}

/// The header `Clear-Site-Data` deletes the data that the browser stored for the site, so that the next user of a
/// shared computer cannot see it.
pub async fn logout(_: NoInput, session: Session, user: Option<CurrentUser>, request: HttpRequest) -> HttpResponse {
    if let Some(user) = user {
        tracing::info!(user_id = user.id.0, "signed out");
    }
    session.purge();
    let mut response =
        EmptyResult::no_content(FRONT_PAGE).with_message(phrase!("done-signed-out")).respond_to(&request);
    let header_name = HeaderName::from_static("clear-site-data");
    response.headers_mut().insert(header_name, HeaderValue::from_static("\"storage\""));
    response
}

pub async fn password_change_form(
    layout: Layout,
    user: CurrentUser,
    state: web::Data<AppState>,
) -> Result<PageResponse<PasswordChangePage>, AppError> {
    let asks_code = is_enabled(&state.pool, user.id).await?;
    Ok(PageResponse::new(PasswordChangePage { layout, form: Form::default(), asks_code }))
}

pub async fn password_change(
    payload: Payload<PasswordChange>,
    user: CurrentUser,
    device: Device,
    layout: Layout,
    client: Client,
    session: Session,
    state: web::Data<AppState>,
) -> Result<FormResponse<Account, PasswordChangePage>, AppError> {
    let change = async |change| {
        let (account, begun) = change_password(&state, &user, client, device.clone(), change).await?;
        state.mail.wake_delivery();
        set_session_cookie(&session, begun)?;
        tracing::info!(user_id = user.id.0, "password changed");
        let message = phrase!("done-password-changed");
        Ok(ActionResult::new(account, FRONT_PAGE).with_message(message))
    };
    let page = async |form, _: &AppError| {
        let asks_code = is_enabled(&state.pool, user.id).await.ok()?;
        Some(PasswordChangePage { layout, form, asks_code })
    };
    handle_form(payload, change, page).await
}

async fn change_password(
    state: &AppState,
    user: &CurrentUser,
    client: Client,
    device: Device,
    PasswordChange { old, new, ends_tokens }: PasswordChange,
) -> Result<(Account, NewSessionId), AppError> {
    let account = models::find_account(&state.pool, user.id).await?;
    let version = state.accounts.reauthenticate(state, user, client, "old_password", old).await?;
    let hash =
        state.accounts.hasher.hash_new_password(user.id.into(), new, &[&account.user.username, &account.email]).await?;
    let hash = hash.map_err(|weakness| AppError::invalid_field("new_password", weakness))?;
    let (user, sessions) = (user.clone(), state.accounts.sessions.clone());
    state
        .transaction(async move |connection, state| {
            let changed = models::change_password(connection, user.id, version, &hash, Some(&user.session)).await?;
            let Some(version) = changed else {
                user.check_credential(&state.pool).await?;
                return Err(AppError::invalid_field("old_password", phrase!("invalid-concurrent-change")));
            };
            if ends_tokens {
                revoke_all(connection, user.id).await?;
            }
            emails::enqueue(connection, state, user.id, emails::password_changed_email).await?;
            let entry = NewEntry::new(AuditAction::ChangePassword).for_user(user.id);
            entry.insert(&user, connection, &state.clock).await?;
            Ok((account, sessions.create_session(connection, user.id, version, None, &device).await?))
        })
        .await
}

/// Account of the user. API tokens without the scope `account` get only its public part.
#[derive(JsonSchema, Serialize)]
pub struct OwnAccount {
    #[serde(flatten)]
    user: User,
    #[serde(flatten)]
    profile: Profile,
    #[serde(skip_serializing_if = "Option::is_none")]
    email: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    email_confirmed: Option<bool>,
    /// Time of the scheduled deletion, if one was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    delete_at: Option<DateTime<Utc>>,
    /// `true` if the posts are deleted together with the account.
    #[serde(skip_serializing_if = "Option::is_none")]
    delete_posts: Option<bool>,
}

/// Redirects browsers to the user's author page.
pub async fn show_current_user(
    user: CurrentUser,
    format: ResponseFormat,
    state: web::Data<AppState>,
) -> Result<HttpResponse, AppError> {
    if format == ResponseFormat::Html {
        let mut response = HttpResponse::SeeOther();
        response.insert_header((CACHE_CONTROL, "no-store")).insert_header((VARY, VARY_HEADERS));
        return Ok(response.insert_header((LOCATION, author_path(&user.username))).finish());
    }
    let account = models::find_account(&state.pool, user.id).await?;
    let mut response = HttpResponse::Ok();
    response.insert_header((CACHE_CONTROL, "no-store"));
    let is_visible = user.scopes.is_none_or(|scopes| scopes.allows(ApiScope::Account));
    let Account { user, profile, email, email_confirmed, delete_at, delete_posts } = account;
    Ok(response.json(OwnAccount {
        user,
        profile,
        email: Some(email).filter(|_| is_visible),
        email_confirmed: Some(email_confirmed).filter(|_| is_visible),
        delete_at: delete_at.filter(|_| is_visible),
        delete_posts: delete_posts.filter(|_| is_visible),
    }))
}
