//! Creation of the first owner account, with a setup code that the server prints at start-up.

use actix_session::Session;
use actix_web::web;
use askama::Template;

use super::account_creation::{Registration, RegistrationGrant, check_password_strength, create_account};
use crate::i18n::filters;
use crate::state::AppState;
use crate::users::error::AccountError;
use crate::users::sessions::set_session_cookie;
use crate::users::{Device, User, models, urls};
use crate::web::error::AppError;
use crate::web::request::body::Payload;
use crate::web::request::current_user::CurrentUser;
use crate::web::request::form_field::{Fields, FormInput, NonEmptyText};
use crate::web::request::query::Query;
use crate::web::response::form::Form;
use crate::web::response::layout::Layout;
use crate::web::response::view::{ActionResult, FormResponse, PageResponse, handle_form};
use crate::web::state::CoreState;
use crate::{page, phrase};

/// The dashboard shows the first steps of a new site.
const ADMIN: &str = "/admin/";

#[derive(Template)]
#[template(path = "users/owner.html")]
pub struct OwnerPage {
    layout: Layout,
    form: Form,
}

page!(OwnerPage, form: Form);

#[derive(Debug)]
pub struct FirstStaffInput {
    code: String,
    registration: Registration,
}

impl FormInput for FirstStaffInput {
    fn read(fields: &mut Fields) -> Option<Self> {
        let (code, registration) = (fields.take::<NonEmptyText>("code"), Registration::read(fields));
        Some(Self { code: code?.0, registration: registration? })
    }
}

/// The code depends on the number of rows in `owner_claims`, to which each use adds a row, so that a code works once.
async fn setup_code(state: &CoreState) -> sqlx::Result<String> {
    let claims =
        sqlx::query_scalar!(r#"select count(*) as "claims!" from owner_claims"#).fetch_one(&state.pool).await?;
    // The hashed text contains spaces, unlike any username. The code therefore never equals the fingerprint of a
    // username in the log.
    Ok(state.keys.fingerprint(&format!("the code of owner {claims}")))
}

/// Returns `None` if the site already has staff.
pub async fn setup_url(state: &CoreState) -> sqlx::Result<Option<String>> {
    if models::has_staff(&mut *state.pool.acquire().await?).await? {
        return Ok(None);
    }
    let path = format!("{}?code={}", urls::CREATE_OWNER.pattern, setup_code(state).await?);
    Ok(Some(state.settings.absolute_url(&path)))
}

async fn check_no_staff(state: &CoreState) -> Result<(), AppError> {
    if models::has_staff(&mut *state.pool.acquire().await?).await? {
        Err(AccountError::HasOwner.into())
    } else {
        Ok(())
    }
}

async fn check_setup_code(state: &CoreState, code: &str) -> Result<RegistrationGrant, AppError> {
    // Fingerprints are compared instead of the codes, to prevent a timing attack.
    let is_right = state.keys.fingerprint(code.trim()) == state.keys.fingerprint(&setup_code(state).await?);
    // If a concurrent request has already used this code to create the account, the code is no longer valid, and
    // `has_owner` is more helpful than an error about the code.
    check_no_staff(state).await?;
    if is_right {
        Ok(RegistrationGrant::Owner)
    } else {
        Err(AppError::invalid_field("code", phrase!("invalid-owner-code")))
    }
}

pub async fn owner_form(
    layout: Layout,
    query: Query,
    state: web::Data<AppState>,
) -> Result<PageResponse<OwnerPage>, AppError> {
    check_no_staff(&state).await?;
    let form = Form::prefilled(&[("code", &query.get("code")?.unwrap_or_default())]);
    Ok(PageResponse::new(OwnerPage { layout, form }))
}

pub async fn create_owner(
    mut payload: Payload<FirstStaffInput>,
    device: Device,
    old: Option<CurrentUser>,
    layout: Layout,
    session: Session,
    state: web::Data<AppState>,
) -> Result<FormResponse<User, OwnerPage, 201>, AppError> {
    if !payload.is_valid() {
        check_no_staff(&state).await?;
    }
    check_password_strength(&state.accounts, device.client, &mut payload).await;
    let locale = layout.locale;
    let act = async |FirstStaffInput { code, registration }| {
        state.accounts.throttle.count_registration(device.client).await?;
        let grant = check_setup_code(&state, &code).await;
        let (user, begun, _) = create_account(&state, device, registration, locale, old, grant).await?;
        set_session_cookie(&session, begun)?;
        tracing::info!(user_id = user.id.0, "owner account created");
        state.mail.wake_delivery();
        state.page_cache.invalidate();
        let (message, path) = (phrase!("done-owner", name = user.username.as_str()), user.path());
        Ok(ActionResult::new(user, ADMIN).with_resource_path(path).with_message(message))
    };
    handle_form(payload, act, async |form, error: &AppError| {
        (!matches!(error.downcast_ref(), Some(AccountError::HasOwner))).then_some(OwnerPage { layout, form })
    })
    .await
}
