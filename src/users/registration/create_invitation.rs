//! List of the invitation links, and creation of a link for a limited number of registrations and a limited time.

use actix_web::web;
use askama::Template;
use schemars::{Schema, json_schema};

use super::models::{self, Invitation, InvitationList, InvitedRole, NewInvitation};
use crate::access::Role;
use crate::i18n::{Phrase, PhraseValue, filters};
use crate::site::policy::RegistrationPolicy;
use crate::state::AppState;
use crate::users::email_address::EmailAddress;
use crate::users::urls;
use crate::web::error::AppError;
use crate::web::request::body::Payload;
use crate::web::request::current_user::CurrentUser;
use crate::web::request::form_field::{Field, Fields, FormInput, IntegerUpTo, OptionalField};
use crate::web::response::form::Form;
use crate::web::response::layout::Layout;
use crate::web::response::view::{ActionResult, FormResponse, PageResponse, handle_form};
use crate::web::state::CoreState;
use crate::{page, phrase};

impl Field for InvitedRole {
    fn from_text(text: &str) -> Result<Self, Phrase> {
        text.parse().map_err(|_| phrase!("invalid-choice"))
    }

    fn schema() -> Schema {
        json_schema!({ "type": "string", "enum": ["reader", "author", "moderator"], "description": "By default `reader`" })
    }
}

impl FormInput for NewInvitation {
    fn read(fields: &mut Fields) -> Option<Self> {
        let (max_uses, days) = (fields.take("max_uses"), fields.take("days"));
        let (role, email) =
            (fields.take_optional("role"), fields.take_optional::<OptionalField<EmailAddress>>("email"));
        let (IntegerUpTo::<1_000>(max_uses), IntegerUpTo::<365>(days)) = (max_uses?, days?);
        let email = email?.and_then(|OptionalField(email)| email).map(|email| email.as_str().to_owned());
        Some(Self { max_uses, days, role: role?.unwrap_or_default(), email })
    }
}

/// A link with a role, or to a person, is for one registration.
fn check(state: &CoreState, user: &CurrentUser, new: NewInvitation) -> Result<NewInvitation, AppError> {
    user.require_staff()?;
    if new.role == InvitedRole::Moderator && !user.has_role(Role::Owner) {
        return Err(AppError::invalid_field("role", phrase!("invalid-invited-role")));
    }
    if new.email.is_some() && !state.mail.is_enabled() {
        return Err(AppError::invalid_field("email", phrase!("invalid-no-mail-server")));
    }
    let is_single = new.email.is_some() || new.role == InvitedRole::Moderator;
    Ok(NewInvitation { max_uses: if is_single { 1 } else { new.max_uses }, ..new })
}

#[derive(Template)]
#[template(path = "users/invitations.html")]
pub struct InvitationsPage {
    layout: Layout,
    form: Form,
    data: InvitationList,
    registration: RegistrationPolicy,
    has_mail: bool,
}

impl InvitationsPage {
    fn roles(&self) -> impl Iterator<Item = InvitedRole> {
        let is_owner = self.layout.user.as_ref().is_some_and(|user| user.has_role(Role::Owner));
        InvitedRole::ALL.into_iter().filter(move |role| is_owner || *role != InvitedRole::Moderator)
    }
}

page!(InvitationsPage, data: InvitationList);

async fn page(state: &CoreState, user: &CurrentUser, layout: Layout, form: Form) -> sqlx::Result<InvitationsPage> {
    let data = models::latest(state, user).await?;
    let (registration, has_mail) = (state.site().policy.registration, state.mail.is_enabled());
    Ok(InvitationsPage { layout, form, data, registration, has_mail })
}

pub async fn list_invitations(
    user: CurrentUser,
    layout: Layout,
    state: web::Data<AppState>,
) -> Result<PageResponse<InvitationsPage>, AppError> {
    user.require_staff()?;
    let form = Form::prefilled(&[("max_uses", "1"), ("days", "7"), ("role", "reader"), ("email", "")]);
    Ok(PageResponse::new(page(&state, &user, layout, form).await?))
}

pub async fn create_invitation(
    payload: Payload<NewInvitation>,
    user: CurrentUser,
    layout: Layout,
    state: web::Data<AppState>,
) -> Result<FormResponse<Invitation, InvitationsPage, 201>, AppError> {
    let act = async |new: NewInvitation| {
        let invitation = models::create(&state, &user, check(&state, &user, new)?).await?;
        let role = invitation.role.name();
        tracing::info!(user_id = user.id.0, invitation_id = invitation.id.0, role, "invitation created");
        let time = PhraseValue::Minute(invitation.expires_at);
        let message = match &invitation.email {
            Some(email) => phrase!("done-invitation-sent", email = email.as_str(), time = time),
            None => phrase!("done-invitation-created", time = time),
        };
        Ok(ActionResult::new(invitation, urls::INVITATIONS.pattern).with_message(message))
    };
    let shown = async |form: Form, _: &AppError| {
        if !user.is_staff() {
            return None;
        }
        page(&state, &user, layout, form).await.ok()
    };
    handle_form(payload, act, shown).await
}
