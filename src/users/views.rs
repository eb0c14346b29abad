//! Signing in and out, and changing the password.

use actix_session::Session;
use actix_web::http::StatusCode;
use actix_web::http::header::{CACHE_CONTROL, LOCATION, VARY};
use actix_web::{HttpResponse, Responder, web};
use askama::Template;

use super::Accounts;
use super::device::Device;
use super::mails;
use super::models::{self, Account, User};
use super::names::Username;
use super::password::{Password, Verified};
use super::session::{self, Begun, adopt};
use super::urls::author;
use crate::page;
use crate::web::address::FRONT;
use crate::web::client::Client;
use crate::web::error::AppError;
use crate::web::field::{Field as _, Fields, Input, Typed};
use crate::web::form::Form;
use crate::web::format::Format;
use crate::web::layout::{Layout, next_path};
use crate::web::payload::{Nothing, Payload};
use crate::web::purpose::Purpose;
use crate::web::query::Query;
use crate::web::state::AppState;
use crate::web::text::encode_query;
use crate::web::view::{Answer, Done, View, submit};
use crate::web::visitor::CurrentUser;

#[derive(Template)]
#[template(path = "users/login.html")]
pub struct LoginPage {
    layout: Layout,
    form: Form,
    next: String,
    /// What the reader wants to do then.
    purpose: Option<Purpose>,
}

page!(LoginPage, form: Form);

impl LoginPage {
    /// `next` as a query's value.
    fn encoded_next(&self) -> String {
        encode_query(&self.next)
    }

    async fn new(state: &AppState, layout: Layout, form: Form, next: String) -> Self {
        let purpose = (state.purposes.0)(state.pool.clone(), next.clone()).await;
        Self { layout, form, next, purpose }
    }
}

#[derive(Template)]
#[template(path = "users/password_change.html")]
pub struct PasswordChangePage {
    layout: Layout,
    form: Form,
}

page!(PasswordChangePage, form: Form);

#[derive(Debug)]
pub struct Login {
    username: Option<Username>,
    password: Option<Password>,
}

impl Input for Login {
    fn read(fields: &mut Fields) -> Option<Self> {
        let (username, password) = (fields.take::<Typed>("username"), fields.take::<Typed>("password"));
        let (username, password) = (Username::from_text(&username?.0), Password::from_text(&password?.0));
        Some(Self { username: username.ok(), password: password.ok() })
    }
}

#[derive(Debug)]
pub struct PasswordChange {
    old: Option<Password>,
    new: Password,
}

impl Input for PasswordChange {
    fn read(fields: &mut Fields) -> Option<Self> {
        let (old, new) = (fields.take::<Typed>("old_password"), fields.take("new_password"));
        Some(Self { old: Password::from_text(&old?.0).ok(), new: new? })
    }
}

pub async fn login_form(layout: Layout, query: Query, state: web::Data<AppState>) -> impl Responder {
    View::new(LoginPage::new(&state, layout, Form::default(), next_path(&query)).await)
}

pub async fn login(
    payload: Payload<Login>,
    (from, old, query, format): ((Client, Device), Option<CurrentUser>, Query, Format),
    layout: Layout,
    session: Session,
    (state, accounts): (web::Data<AppState>, web::Data<Accounts>),
) -> Result<Answer<User, LoginPage>, AppError> {
    let next = next_path(&query);
    let login = async |login| {
        let (user, begun) = authenticate(&state, &accounts, from, login, old).await?;
        adopt(&session, begun)?;
        tracing::info!(user_id = user.id.0, "signed in");
        let message = format!("Welcome back, {}.", user.username);
        Ok(Done::new(StatusCode::OK, user, next.clone()).message(message))
    };
    let page = async |form: Form, _: &AppError| Some(LoginPage::new(&state, layout, form, next.clone()).await);
    submit(payload, format, login, page).await
}

/// Checks a name and a password. An unknown name and a wrong password take the same work and get the same answer.
async fn authenticate(
    state: &AppState,
    accounts: &Accounts,
    (client, device): (Client, Device),
    login: Login,
    old: Option<CurrentUser>,
) -> Result<(User, Begun), AppError> {
    accounts.throttle.sign_in(client, login.username.as_ref()).await?;
    let found = match &login.username {
        Some(username) => models::credentials(&state.pool, username).await?,
        None => None,
    };
    let stored = found.as_ref().map(|found| found.password_hash.as_str());
    // Something too short or too long to be a password is replaced, and verified all the same: that takes the same
    // work.
    let (password, possible) = match login.password {
        Some(password) => (password, true),
        None => (Password::impossible(), false),
    };
    let verified = accounts.hasher.verify(password.clone(), stored).await?;
    let (Some(found), Some(username)) = (found.filter(|_| possible && verified != Verified::Wrong), login.username)
    else {
        tracing::info!("sign-in failed");
        return Err(AppError::WrongCredentials);
    };
    if verified == Verified::RightButWeak {
        let hash = accounts.hasher.rehash(password).await?;
        models::rehash(&state.pool, found.user.id, &found.password_hash, &hash).await?;
    }
    let Accounts { throttle, sessions, .. } = accounts.clone();
    state
        .in_one_transaction(async move |connection, _| {
            throttle.succeeded(connection, client, &username, found.user.id).await?;
            let begun =
                sessions.begin(connection, found.user.id, found.session_version, (old.as_ref(), &device)).await?;
            Ok((found.user, begun))
        })
        .await
}

pub async fn logout(_: Nothing, session: Session, user: Option<CurrentUser>) -> impl Responder {
    if let Some(user) = user {
        tracing::info!(user_id = user.id.0, "signed out");
    }
    session.purge();
    Done::no_content(FRONT).message("You are signed out.")
}

pub async fn password_change_form(layout: Layout, _: CurrentUser) -> impl Responder {
    View::new(PasswordChangePage { layout, form: Form::default() })
}

pub async fn password_change(
    payload: Payload<PasswordChange>,
    (user, device): (CurrentUser, Device),
    (layout, format): (Layout, Format),
    session: Session,
    (state, accounts): (web::Data<AppState>, web::Data<Accounts>),
) -> Result<Answer<Account, PasswordChangePage>, AppError> {
    let change = async |change| {
        let (account, begun) = change_password(&state, &accounts, (&user, device.clone()), change).await?;
        adopt(&session, begun)?;
        tracing::info!(user_id = user.id.0, "password changed");
        let message = "Your password is changed. You are signed out everywhere else.";
        Ok(Done::new(StatusCode::OK, account, FRONT).message(message))
    };
    submit(payload, format, change, async |form, _| Some(PasswordChangePage { layout, form })).await
}

async fn change_password(
    state: &AppState,
    accounts: &Accounts,
    (user, device): (&CurrentUser, Device),
    PasswordChange { old, new }: PasswordChange,
) -> Result<(Account, Begun), AppError> {
    let account = models::account(&state.pool, user.id).await?;
    let version = accounts.confirm(&state.pool, user.id, ("old_password", old)).await?;
    let hash = accounts.hasher.hash_new(new, &[&account.user.username, &account.email]).await?;
    let hash = hash.map_err(|weakness| AppError::field("new_password", weakness))?;
    let (user, sessions) = (user.clone(), accounts.sessions.clone());
    state
        .in_one_transaction(async move |connection, state| {
            let changed = models::change_password(connection, user.id, version, &hash, Some(&user.session)).await?;
            let Some(version) = changed else {
                session::still_exists(&state.pool, &user).await?;
                return Err(AppError::field("old_password", "This was changed a moment ago."));
            };
            if state.mail.is_on() && account.email_confirmed {
                let mail = mails::password_changed(state, (&account.user.username, &account.email))?;
                state.mail.leave(connection, &state.clock, &mail).await?;
                state.mail.send_now();
            }
            Ok((account, sessions.begin(connection, user.id, version, (None, &device)).await?))
        })
        .await
}

/// Always JSON.
/// For people, their own page.
pub async fn me(user: CurrentUser, format: Format, state: web::Data<AppState>) -> Result<HttpResponse, AppError> {
    if format == Format::Html {
        let mut response = HttpResponse::SeeOther();
        response.insert_header((CACHE_CONTROL, "no-store")).insert_header((VARY, "Accept, Cookie"));
        return Ok(response.insert_header((LOCATION, author(&user.username))).finish());
    }
    let account = models::account(&state.pool, user.id).await?;
    Ok(HttpResponse::Ok().insert_header((CACHE_CONTROL, "no-store")).json(account))
}
