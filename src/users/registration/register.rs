//! Registration of an account, with an invitation if required, or by a claim of an imported account.

use actix_session::Session;
use actix_web::web;
use askama::Template;

use super::account_creation::{Registration, RegistrationGrant, check_password_strength, create_account};
use super::models::{InvitationTerms, check_may_register};
use super::unclaimed_accounts::find_unclaimed_account;
use crate::i18n::{Phrase, filters};
use crate::state::AppState;
use crate::users::error::AccountError;
use crate::users::sessions::set_session_cookie;
use crate::users::{Device, User};
use crate::web::error::AppError;
use crate::web::request::body::Payload;
use crate::web::request::current_user::CurrentUser;
use crate::web::request::query::Query;
use crate::web::response::form::Form;
use crate::web::response::layout::Layout;
use crate::web::response::view::{ActionResult, FormResponse, PageResponse, handle_form};
use crate::web::state::CoreState;
use crate::{page, phrase};

#[derive(Template)]
#[template(path = "users/register.html")]
pub struct RegisterPage {
    layout: Layout,
    form: Form,
    invitation: Option<String>,
    claimed: Option<String>,
    terms: Option<InvitationTerms>,
}

page!(RegisterPage, form: Form);

impl RegisterPage {
    fn title(&self) -> Phrase {
        if self.claimed.is_some() { phrase!("claim-title") } else { phrase!("register-title") }
    }
}

pub async fn register_form(
    layout: Layout,
    query: Query,
    state: web::Data<AppState>,
) -> Result<PageResponse<RegisterPage>, AppError> {
    let invitation = query.get("invitation")?;
    // The invitation is checked before the form is shown, so that nobody fills in the form with an invalid link.
    let grant = registration_grant(&state, invitation.as_deref()).await?;
    let (claimed, terms) = (grant.claimed_username().map(str::to_owned), grant.invitation_terms().cloned());
    let form = claimed.as_ref().map(|name| Form::prefilled(&[("username", name)])).unwrap_or_default();
    Ok(PageResponse::new(RegisterPage { layout, form, invitation, claimed, terms }))
}

async fn registration_grant(state: &CoreState, invitation: Option<&str>) -> Result<RegistrationGrant, AppError> {
    if let Some(token) = invitation
        && let Some((link, username)) = find_unclaimed_account(state, token).await?
    {
        return Ok(RegistrationGrant::Claim(link, username));
    }
    let terms = check_may_register(state, invitation).await?;
    Ok(RegistrationGrant::Invitation(invitation.map(str::to_owned), terms))
}

pub async fn register(
    mut payload: Payload<Registration>,
    device: Device,
    old: Option<CurrentUser>,
    query: Query,
    layout: Layout,
    session: Session,
    state: web::Data<AppState>,
) -> Result<FormResponse<User, RegisterPage, 201>, AppError> {
    let (next, invitation) = (layout.here.clone(), query.get("invitation")?);
    let grant = match registration_grant(&state, invitation.as_deref()).await {
        Err(error) if !payload.is_valid() => return Err(error),
        grant => grant,
    };
    let valid = grant.as_ref().ok();
    let claimed = valid.and_then(RegistrationGrant::claimed_username).map(str::to_owned);
    let terms = valid.and_then(RegistrationGrant::invitation_terms).cloned();
    check_password_strength(&state.accounts, device.client, &mut payload).await;
    let (locale, is_claim) = (layout.locale, claimed.is_some());
    let register = async |registration| {
        let (user, begun, is_mailed) = create_account(&state, device, registration, locale, old, grant).await?;
        set_session_cookie(&session, begun)?;
        tracing::info!(user_id = user.id.0, "user registered");
        state.mail.wake_delivery();
        let message = phrase!("done-registered", name = user.username.as_str(), mail = is_mailed);
        let path = user.path();
        // Authors who claim an account are redirected to their posts.
        let next = if is_claim { path.clone() } else { next };
        Ok(ActionResult::new(user, next).with_resource_path(path).with_message(message))
    };
    let page = async |form, error: &AppError| {
        let is_refused = matches!(error.downcast_ref(), Some(AccountError::Invitation(_)));
        (!is_refused).then_some(RegisterPage { layout, form, invitation, claimed, terms })
    };
    handle_form(payload, register, page).await
}
