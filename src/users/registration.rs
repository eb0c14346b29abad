//! Making an account.

use actix_session::Session;
use actix_web::http::StatusCode;
use actix_web::{Responder, web};
use askama::Template;
use sqlx::PgConnection;

use super::account::leave_confirmation;
use super::device::Device;
use super::mail_link::ConfirmLink;
use super::models::{self, Credentials, Email, User};
use super::names::Username;
use super::password::Password;
use super::session::{Begun, adopt};
use super::throttle::Throttle;
use super::{Accounts, invitations};
use crate::i18n::{Locale, filters};
use crate::page;
use crate::phrase;
use crate::web::client::Client;
use crate::web::error::AppError;
use crate::web::field::{Field as _, Fields, Input};
use crate::web::form::Form;
use crate::web::format::Format;
use crate::web::layout::{Layout, next_path};
use crate::web::payload::Payload;
use crate::web::query::Query;
use crate::web::state::AppState;
use crate::web::text::encode_query;
use crate::web::view::{Answer, Done, View, submit};
use crate::web::visitor::CurrentUser;

#[derive(Template)]
#[template(path = "users/register.html")]
pub struct RegisterPage {
    layout: Layout,
    form: Form,
    next: String,
    invitation: Option<String>,
}

page!(RegisterPage, form: Form);

impl RegisterPage {
    /// `next` as a query's value.
    fn encoded_next(&self) -> String {
        encode_query(&self.next)
    }
}

#[derive(Debug)]
pub struct Registration {
    username: Username,
    email: Email,
    password: Password,
}

impl Input for Registration {
    fn read(fields: &mut Fields) -> Option<Self> {
        let (username, email, password) = (fields.take("username"), fields.take("email"), fields.take("password"));
        Some(Self { username: username?, email: email?, password: password? })
    }
}

/// What lets somebody make an account.
#[derive(Clone, Debug)]
pub enum Way {
    /// With an invitation, where one is needed.
    Invitation(Option<String>),
    /// As the first of staff.
    Owner,
}

pub async fn register_form(
    layout: Layout,
    query: Query,
    state: web::Data<AppState>,
) -> Result<impl Responder, AppError> {
    let invitation = query.get("invitation")?;
    // A link that is of no use is told before a form is filled in.
    invitations::may_register(&state, invitation.as_deref()).await?;
    Ok(View::new(RegisterPage { layout, form: Form::default(), next: next_path(&query), invitation }))
}

/// Where something else is wrong the password is judged, too, so that all is said at once.
pub async fn judge_password<T>(accounts: &Accounts, payload: &mut Payload<T>) {
    if !payload.is_valid()
        && let Ok(password) = Password::from_text(payload.typed("password"))
        && let known = [payload.typed("username"), payload.typed("email")]
        && let Ok(Some(weakness)) = accounts.hasher.weakness(password, &known).await
    {
        payload.note("password", weakness);
    }
}

pub async fn register(
    mut payload: Payload<Registration>,
    (from, old, query, format): ((Client, Device), Option<CurrentUser>, Query, Format),
    layout: Layout,
    session: Session,
    (state, accounts): (web::Data<AppState>, web::Data<Accounts>),
) -> Result<Answer<User, RegisterPage>, AppError> {
    let (next, invitation) = (next_path(&query), query.get("invitation")?);
    invitations::may_register(&state, invitation.as_deref()).await?;
    judge_password(&accounts, &mut payload).await;
    let locale = layout.locale;
    let register = async |registration| {
        let way = Way::Invitation(invitation.clone());
        let (user, begun, is_mailed) = create(&state, &accounts, from, (registration, locale), (old, way)).await?;
        adopt(&session, begun)?;
        tracing::info!(user_id = user.id.0, "registered");
        state.mail.send_now();
        let message = phrase!("done-registered", name = user.username.as_str(), mail = is_mailed);
        let path = user.path();
        Ok(Done::new(StatusCode::CREATED, user, next.clone()).resource(path).message(message))
    };
    let page = async |form, error: &AppError| {
        let is_refused = matches!(error, AppError::Invitation(_));
        let (next, invitation) = (next.clone(), invitation.clone());
        (!is_refused).then_some(RegisterPage { layout, form, next, invitation })
    };
    submit(payload, format, register, page).await
}

/// Creates an account and a session of it. The last value says whether a mail asks to confirm the address.
///
/// # Errors
/// Says which field cannot be taken as it is, or why nobody can register in this way.
pub async fn create(
    state: &AppState,
    accounts: &Accounts,
    (client, device): (Client, Device),
    (registration, locale): (Registration, Locale),
    (old, way): (Option<CurrentUser>, Way),
) -> Result<(User, Begun, bool), AppError> {
    let Registration { username, email, password } = registration;
    if matches!(way, Way::Invitation(_)) {
        accounts.throttle.register(client).await?;
    }
    let hash = accounts.hasher.hash_new(password, &[username.as_str(), email.as_str()]).await?;
    let hash = hash.map_err(|weakness| AppError::field("password", weakness))?;
    // The account and its session are written together. Otherwise registering could fail after the account was made,
    // and the name would be taken on the next attempt.
    let Accounts { throttle, sessions, .. } = accounts.clone();
    state
        .in_one_transaction(async move |connection, state| {
            throttle.create_account(connection, client).await?;
            let (is_staff, invitation) = match way {
                Way::Owner => (true, models::claim(connection).await.map(|()| None)?),
                Way::Invitation(token) => (false, invitations::take_seat(connection, state, token.as_deref()).await?),
            };
            let created = models::create(connection, &state.clock, (&username, &email, &hash), is_staff).await?;
            models::set_language(connection, created.user.id, locale.language).await?;
            if is_staff {
                models::note_claim(connection, &state.clock, created.user.id).await?;
            }
            if let Some(id) = invitation {
                models::note_invitation(connection, created.user.id, id).await?;
            }
            throttle.succeeded(connection, client, &username, created.user.id).await?;
            let is_mailed = mail_first_link(connection, state, (&throttle, client), (&created, &email), locale).await?;
            let begun =
                sessions.begin(connection, created.user.id, created.session_version, (old.as_ref(), &device)).await?;
            Ok((created.user, begun, is_mailed))
        })
        .await
}

/// Queues the mail that asks a new account to confirm its address. False where the site sends no mail, or the address or the
/// network has had its share of mail: the owner can ask for the link later.
async fn mail_first_link(
    connection: &mut PgConnection,
    state: &AppState,
    (throttle, client): (&Throttle, Client),
    (created, email): (&Credentials, &Email),
    locale: Locale,
) -> Result<bool, AppError> {
    if !state.mail.is_on() || !throttle.first_mail(connection, client, email.as_str()).await? {
        return Ok(false);
    }
    let user = created.user.id;
    let made = models::new_mail_link(connection, user, created.session_version).await?.ok_or(AppError::NotFound)?;
    let link = ConfirmLink { user, id: made.id, email: made.email };
    leave_confirmation(connection, state, (&created.user.username, locale), &link).await?;
    Ok(true)
}
