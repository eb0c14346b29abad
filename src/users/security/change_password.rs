//! Password change of the signed-in user.

use actix_session::Session;
use actix_web::http::header::LOCATION;
use actix_web::{HttpResponse, web};
use askama::Template;

use crate::audit_log::{AuditAction, NewEntry};
use crate::i18n::filters;
use crate::state::AppState;
use crate::users::models::{self, Account};
use crate::users::reauthentication::ReauthenticationInput;
use crate::users::sessions::{NewSessionId, set_session_cookie};
use crate::users::tokens::models::revoke_all;
use crate::users::two_factor::models::is_enabled;
use crate::users::{Device, Password, emails, urls};
use crate::web::error::AppError;
use crate::web::request::body::Payload;
use crate::web::request::current_user::CurrentUser;
use crate::web::request::form_field::{Fields, FormInput, YesOrNo};
use crate::web::response::form::Form;
use crate::web::response::layout::Layout;
use crate::web::response::view::{ActionResult, FormResponse, PageResponse, handle_form};
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
    session: Session,
    state: web::Data<AppState>,
) -> Result<FormResponse<Account, PasswordChangePage>, AppError> {
    let change = async |change| {
        let (account, begun) = change_password(&state, &user, device.clone(), change).await?;
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
    device: Device,
    PasswordChange { old, new, ends_tokens }: PasswordChange,
) -> Result<(Account, NewSessionId), AppError> {
    let account = models::find_account(&state.pool, user.id).await?;
    let version = state.accounts.reauthenticate(state, user, device.client, "old_password", old).await?;
    let words = [account.user.username.as_str(), &account.email];
    let hash = state.accounts.hasher.hash_new_password(user.id.into(), "new_password", new, &words).await?;
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
            emails::enqueue_password_changed(connection, state, user.id).await?;
            let entry = NewEntry::new(AuditAction::ChangePassword).for_user(user.id);
            entry.insert(&user, connection, &state.clock).await?;
            Ok((account, sessions.create_session(connection, user.id, version, None, &device).await?))
        })
        .await
}
