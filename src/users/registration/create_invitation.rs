//! List of the invitation links, and creation of a link for a limited number of registrations and a limited time.

use actix_web::web;
use askama::Template;

use super::models::{self, Invitation, InvitationList};
use crate::i18n::{PhraseValue, filters};
use crate::site::policy::RegistrationPolicy;
use crate::state::AppState;
use crate::users::urls;
use crate::web::error::AppError;
use crate::web::request::body::Payload;
use crate::web::request::current_user::CurrentUser;
use crate::web::request::form_field::{Fields, FormInput, IntegerUpTo};
use crate::web::response::form::Form;
use crate::web::response::layout::Layout;
use crate::web::response::view::{ActionResult, FormResponse, PageResponse, handle_form};
use crate::web::state::CoreState;
use crate::{page, phrase};

#[derive(Clone, Copy, Debug)]
pub struct NewInvitation {
    max_uses: i32,
    days: i32,
}

impl FormInput for NewInvitation {
    fn read(fields: &mut Fields) -> Option<Self> {
        let (max_uses, days) = (fields.take("max_uses"), fields.take("days"));
        let (IntegerUpTo::<1_000>(max_uses), IntegerUpTo::<365>(days)) = (max_uses?, days?);
        Some(Self { max_uses, days })
    }
}

#[derive(Template)]
#[template(path = "users/invitations.html")]
pub struct InvitationsPage {
    layout: Layout,
    form: Form,
    data: InvitationList,
    registration: RegistrationPolicy,
}

page!(InvitationsPage, data: InvitationList);

async fn page(state: &CoreState, layout: Layout, form: Form) -> sqlx::Result<InvitationsPage> {
    let data = models::latest(state).await?;
    Ok(InvitationsPage { layout, form, data, registration: state.site().policy.registration })
}

pub async fn list_invitations(
    user: CurrentUser,
    layout: Layout,
    state: web::Data<AppState>,
) -> Result<PageResponse<InvitationsPage>, AppError> {
    user.require_staff()?;
    let form = Form::prefilled(&[("max_uses", "1"), ("days", "7")]);
    Ok(PageResponse::new(page(&state, layout, form).await?))
}

pub async fn create_invitation(
    payload: Payload<NewInvitation>,
    user: CurrentUser,
    layout: Layout,
    state: web::Data<AppState>,
) -> Result<FormResponse<Invitation, InvitationsPage, 201>, AppError> {
    let act = async |NewInvitation { max_uses, days }| {
        user.require_staff()?;
        let invitation = models::create(&state, &user, max_uses, days).await?;
        tracing::info!(user_id = user.id.0, invitation_id = invitation.id.0, max_uses, days, "invitation created");
        let message = phrase!("done-invitation-created", time = PhraseValue::Minute(invitation.expires_at));
        Ok(ActionResult::new(invitation, urls::INVITATIONS.pattern).with_message(message))
    };
    let shown = async |form: Form, _: &AppError| {
        if !user.is_staff() {
            return None;
        }
        page(&state, layout, form).await.ok()
    };
    handle_form(payload, act, shown).await
}
