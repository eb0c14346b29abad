//! Two-factor status of the signed-in user, and setup of two-factor authentication with an authenticator app.

use actix_session::Session;
use actix_web::{Either, web};
use askama::Template;
use schemars::JsonSchema;
use serde::Serialize;

use crate::audit_log::{AuditAction, NewEntry};
use crate::db::commit;
use crate::i18n::filters;
use crate::state::AppState;
use crate::users::models::lock_sign_in;
use crate::users::reauthentication::wrong_code_error;
use crate::users::tokens::models::revoke_all;
use crate::users::two_factor::models::{self, TwoFactorStatus};
use crate::users::two_factor::totp::AuthenticatorApp;
use crate::users::{Password, emails, urls};
use crate::web::error::AppError;
use crate::web::request::body::Payload;
use crate::web::request::client::Client;
use crate::web::request::current_user::CurrentUser;
use crate::web::request::form_field::{Fields, FormInput, NonEmptyText, YesOrNo};
use crate::web::response::form::Form;
use crate::web::response::layout::Layout;
use crate::web::response::view::{ActionResult, FormResponse, PageResponse, RejectedForm, handle_form};
use crate::web::state::CoreState;
use crate::{page, phrase};

/// Two-factor status of the signed-in user, with secrets that no other user may see.
#[derive(Debug, JsonSchema, Serialize)]
pub struct TwoFactorDetails {
    #[serde(flatten)]
    standing: TwoFactorStatus,
    /// TOTP secret for the authenticator app. Like `url`, present only while the app is being set up.
    #[serde(skip_serializing_if = "Option::is_none")]
    secret: Option<String>,
    /// URL with the secret, which authenticator apps scan as a QR code.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    /// Recovery codes, present only in the response to the request that generated them.
    #[serde(skip_serializing_if = "Option::is_none")]
    new_codes: Option<Vec<String>>,
}

#[derive(Template)]
#[template(path = "users/second_factor.html")]
pub struct TwoFactorPage {
    layout: Layout,
    form: Form,
    data: TwoFactorDetails,
    /// QR code of the `otpauth` URL: width in modules, and SVG path.
    qr_code: Option<(usize, String)>,
}

page!(TwoFactorPage, data: TwoFactorDetails);

impl TwoFactorPage {
    pub async fn new(
        state: &CoreState,
        layout: Layout,
        form: Form,
        user: &CurrentUser,
        new_codes: Option<Vec<String>>,
    ) -> Result<Self, AppError> {
        let standing = models::find_two_factor_status(&state.pool, user.id).await?;
        let app = models::find_pending_authenticator_app(state, user).await?;
        let qr_code = app.as_ref().map(AuthenticatorApp::qr_code).transpose()?;
        let url = app.as_ref().map(AuthenticatorApp::otpauth_url).transpose()?;
        let data = TwoFactorDetails { standing, secret: app.map(|app| app.secret()), url, new_codes };
        Ok(Self { layout, form, data, qr_code })
    }
}

#[derive(Debug)]
pub struct PasswordInput(Option<Password>);

impl FormInput for PasswordInput {
    fn read(fields: &mut Fields) -> Option<Self> {
        let NonEmptyText(password) = fields.take("current_password")?;
        Some(Self(Password::parse_lenient(&password)))
    }
}

#[derive(Debug)]
pub struct SetupConfirmation {
    code: String,
    ends_tokens: bool,
}

impl FormInput for SetupConfirmation {
    fn read(fields: &mut Fields) -> Option<Self> {
        let code = fields.take::<NonEmptyText>("code").map(|NonEmptyText(code)| code);
        let ends_tokens = fields.take_optional("end_tokens").map(|ends| ends.is_some_and(|YesOrNo(ends)| ends));
        Some(Self { code: code?, ends_tokens: ends_tokens? })
    }
}

pub async fn show_two_factor(
    user: CurrentUser,
    layout: Layout,
    state: web::Data<AppState>,
) -> Result<PageResponse<TwoFactorPage>, AppError> {
    Ok(PageResponse::new(TwoFactorPage::new(&state, layout, Form::default(), &user, None).await?))
}

pub async fn begin_setup(
    payload: Payload<PasswordInput>,
    user: CurrentUser,
    layout: Layout,
    session: Session,
    state: web::Data<AppState>,
) -> Result<FormResponse<TwoFactorDetails, TwoFactorPage>, AppError> {
    let again = layout.clone();
    let act = async |PasswordInput(password): PasswordInput| {
        state.accounts.check_password(&state.pool, user.id, "current_password", password).await?;
        let user = state.accounts.sessions.rotate_id(&session, &user).await?;
        if !models::begin_setup(&state, &user).await? {
            return Err(AppError::invalid_field("current_password", phrase!("invalid-two-factor-on")));
        }
        let page = TwoFactorPage::new(&state, again.clone(), Form::default(), &user, None).await?;
        Ok(ActionResult::new(page.data, urls::SECOND_FACTOR.pattern))
    };
    let page = async |form, _: &AppError| TwoFactorPage::new(&state, layout, form, &user, None).await.ok();
    handle_form(payload, act, page).await
}

pub async fn confirm_setup(
    payload: Payload<SetupConfirmation>,
    user: CurrentUser,
    layout: Layout,
    client: Client,
    session: Session,
    state: web::Data<AppState>,
) -> Result<RecoveryCodesResponse, AppError> {
    let new_page = layout.clone();
    let act = async |SetupConfirmation { code, ends_tokens }: SetupConfirmation| {
        state.accounts.count_code_attempt(client, &user).await?;
        let mut transaction = state.pool.begin().await?;
        // A sign-in without a code must not create a session after the other sessions have ended.
        if !lock_sign_in(&mut transaction, user.id).await? {
            return Err(AppError::NotSignedIn { next: None });
        }
        let confirmed = models::confirm_setup(&mut transaction, &state, user.id, &code, &user.session).await?;
        let codes = confirmed.ok_or_else(wrong_code_error)?;
        if ends_tokens {
            revoke_all(&mut transaction, user.id).await?;
        }
        let phrase = phrase!("mail-two-factor-on");
        emails::enqueue_security_notice(&mut transaction, &state, user.id, "second_factor_on", phrase).await?;
        let entry = NewEntry::new(AuditAction::TurnOnSecondFactor).for_user(user.id);
        entry.insert(&user, &mut transaction, &state.clock).await?;
        commit(transaction).await?;
        state.mail.wake_delivery();
        // The user gets the recovery codes even if the session has ended meanwhile, or the database fails.
        if let Err(error) = state.accounts.sessions.rotate_id(&session, &user).await {
            error.log();
        }
        tracing::info!(user_id = user.id.0, "two-factor authentication enabled");
        let page = TwoFactorPage::new(&state, new_page, Form::default(), &user, Some(codes)).await?;
        Ok(PageResponse::new(page))
    };
    let page = async |form, _: &AppError| TwoFactorPage::new(&state, layout, form, &user, None).await.ok();
    handle_form(payload, act, page).await
}

/// Page with new recovery codes, or the rejected form.
pub type RecoveryCodesResponse = Either<PageResponse<TwoFactorPage>, RejectedForm<TwoFactorPage>>;
