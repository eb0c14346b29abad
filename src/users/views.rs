//! What happens at the addresses of accounts.

use actix_session::Session;
use actix_web::http::StatusCode;
use actix_web::http::header::CACHE_CONTROL;
use actix_web::{HttpResponse, Responder, web};
use askama::Template;
use sqlx::PgConnection;

use super::models::{self, Account, Email, User, Username};
use super::password::{Checked, EASY_TO_GUESS, Password};
use super::session::{self, Begun, CurrentUser, adopt};
use crate::web::client::Client;
use crate::web::error::AppError;
use crate::web::form::Form;
use crate::web::payload::{Field, Fields, Input, Nothing, Payload, Query};
use crate::web::state::AppState;
use crate::web::view::{Answer, Done, Layout, Page, View, encode_query, next_path};

#[derive(Template)]
#[template(path = "users/register.html")]
pub struct RegisterPage {
    layout: Layout,
    form: Form,
    next: String,
}

#[derive(Template)]
#[template(path = "users/login.html")]
pub struct LoginPage {
    layout: Layout,
    form: Form,
    next: String,
}

#[derive(Template)]
#[template(path = "users/password_change.html")]
pub struct PasswordChangePage {
    layout: Layout,
    form: Form,
}

/// A page that is nothing but its form.
macro_rules! form_page {
    ($page:ty) => {
        impl Page for $page {
            type Data = Form;

            fn data(&self) -> &Form {
                &self.form
            }
        }
    };
}

/// The `next` of a page as a query's value.
macro_rules! encoded_next {
    ($page:ty) => {
        impl $page {
            fn encoded_next(&self) -> String {
                encode_query(&self.next)
            }
        }
    };
}

encoded_next!(RegisterPage);
encoded_next!(LoginPage);
form_page!(RegisterPage);
form_page!(LoginPage);
form_page!(PasswordChangePage);

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

/// What is typed at sign-in. A name or password that could never exist is simply wrong.
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

/// Any text at all.
struct Typed(String);

impl Field for Typed {
    fn from_text(text: &str) -> Result<Self, String> {
        if text.is_empty() { Err("This field is required.".to_owned()) } else { Ok(Self(text.to_owned())) }
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

pub async fn register_form(layout: Layout, query: Query) -> impl Responder {
    View::new(RegisterPage { layout, form: Form::default(), next: next_path(&query) })
}

pub async fn register(
    payload: Payload<Registration>,
    client: Client,
    layout: Layout,
    query: Query,
    session: Session,
    state: web::Data<AppState>,
) -> Result<Answer<User, RegisterPage>, AppError> {
    let (registration, typed) = payload.into_parts();
    let created = match registration {
        Ok(registration) => create(&state, client, registration, layout.user.clone()).await,
        Err(error) => Err(error),
    };
    match created {
        Ok((user, begun)) => {
            adopt(&session, begun)?;
            tracing::info!(user_id = user.id, "registered");
            let message = format!("Welcome, {}. You are signed in.", user.username);
            let path = user.path();
            Ok(Answer::Left(Done::new(StatusCode::CREATED, user, next_path(&query)).resource(path).message(message)))
        }
        Err(error) => {
            let page = RegisterPage { layout, form: Form::rejected(typed, &error), next: next_path(&query) };
            Ok(Answer::Right(View::rejected(page, error)))
        }
    }
}

async fn create(
    state: &AppState,
    client: Client,
    registration: Registration,
    old: Option<CurrentUser>,
) -> Result<(User, Begun), AppError> {
    let Registration { username, email, password } = registration;
    state.throttle.register(state, client).await?;
    let hash = state.hasher.hash_new(password, &[username.as_str(), email.as_str()]).await?;
    let hash = hash.ok_or_else(|| AppError::field("password", EASY_TO_GUESS))?;
    // An account without its session would be half an act: what was said to have failed would be taken next time.
    in_one_transaction(state, async move |connection, state| {
        state.throttle.account(connection, state, client).await?;
        let created = models::create(connection, &state.clock, (&username, &email, &hash), false).await?;
        state.throttle.succeeded(connection, state, client, &username, created.user.id).await?;
        let begun = session::begin(connection, state, created.user.id, created.session_version, old.as_ref()).await?;
        Ok((created.user, begun))
    })
    .await
}

/// Runs `act` in a transaction, in a task of its own: whoever hangs up does not break it off.
async fn in_one_transaction<T: Send + 'static>(
    state: &AppState,
    act: impl AsyncFnOnce(&mut PgConnection, &AppState) -> Result<T, AppError> + 'static,
) -> Result<T, AppError> {
    let state = state.clone();
    let acting = actix_web::rt::spawn(async move {
        let mut transaction = state.pool.begin().await?;
        let done = act(&mut transaction, &state).await?;
        transaction.commit().await?;
        Ok(done)
    });
    acting.await.map_err(|panic| AppError::Internal(panic.to_string()))?
}

pub async fn login_form(layout: Layout, query: Query) -> impl Responder {
    View::new(LoginPage { layout, form: Form::default(), next: next_path(&query) })
}

pub async fn login(
    payload: Payload<Login>,
    client: Client,
    layout: Layout,
    query: Query,
    session: Session,
    state: web::Data<AppState>,
) -> Result<Answer<User, LoginPage>, AppError> {
    let (login, typed) = payload.into_parts();
    let known = match login {
        Ok(login) => authenticate(&state, client, login, layout.user.clone()).await,
        Err(error) => Err(error),
    };
    match known {
        Ok((user, begun)) => {
            adopt(&session, begun)?;
            tracing::info!(user_id = user.id, "signed in");
            let message = format!("Welcome back, {}.", user.username);
            Ok(Answer::Left(Done::new(StatusCode::OK, user, next_path(&query)).message(message)))
        }
        Err(error) => {
            let page = LoginPage { layout, form: Form::rejected(typed, &error), next: next_path(&query) };
            Ok(Answer::Right(View::rejected(page, error)))
        }
    }
}

/// The same work and the same answer for an unknown name and for a wrong password.
async fn authenticate(
    state: &AppState,
    client: Client,
    login: Login,
    old: Option<CurrentUser>,
) -> Result<(User, Begun), AppError> {
    state.throttle.sign_in(state, client, login.username.as_ref()).await?;
    let found = match &login.username {
        Some(username) => models::credentials(&state.pool, username).await?,
        None => None,
    };
    let stored = found.as_ref().map(|found| found.password_hash.as_str());
    // What is too short or too long to be a password is checked all the same, as something else.
    let (password, possible) = match login.password {
        Some(password) => (password, true),
        None => (Password::impossible(), false),
    };
    let checked = state.hasher.check(password.clone(), stored).await?;
    let (Some(found), Some(username)) = (found.filter(|_| possible && checked != Checked::Wrong), login.username)
    else {
        tracing::info!("sign-in failed");
        return Err(AppError::WrongCredentials);
    };
    if checked == Checked::RightButWeak {
        let hash = state.hasher.rehash(password).await?;
        models::rehash(&state.pool, found.user.id, &found.password_hash, &hash).await?;
    }
    in_one_transaction(state, async move |connection, state| {
        state.throttle.succeeded(connection, state, client, &username, found.user.id).await?;
        let begun = session::begin(connection, state, found.user.id, found.session_version, old.as_ref()).await?;
        Ok((found.user, begun))
    })
    .await
}

pub async fn logout(_: Nothing, session: Session, user: Option<CurrentUser>) -> impl Responder {
    if let Some(user) = user {
        tracing::info!(user_id = user.id, "signed out");
    }
    session.purge();
    Done::no_content("/").message("You are signed out.")
}

pub async fn password_change_form(layout: Layout, _: CurrentUser) -> impl Responder {
    View::new(PasswordChangePage { layout, form: Form::default() })
}

pub async fn password_change(
    payload: Payload<PasswordChange>,
    user: CurrentUser,
    layout: Layout,
    session: Session,
    state: web::Data<AppState>,
) -> Result<Answer<Account, PasswordChangePage>, AppError> {
    let (change, typed) = payload.into_parts();
    let changed = match change {
        Ok(change) => change_password(&state, &user, change).await,
        Err(error) => Err(error),
    };
    match changed {
        Ok((account, begun)) => {
            adopt(&session, begun)?;
            tracing::info!(user_id = user.id, "password changed");
            let message = "Your password is changed. Everywhere else you are signed out.";
            Ok(Answer::Left(Done::new(StatusCode::OK, account, "/").message(message)))
        }
        Err(error) => {
            let page = PasswordChangePage { layout, form: Form::rejected(typed, &error) };
            Ok(Answer::Right(View::rejected(page, error)))
        }
    }
}

async fn change_password(
    state: &AppState,
    user: &CurrentUser,
    PasswordChange { old, new }: PasswordChange,
) -> Result<(Account, Begun), AppError> {
    let account = models::account(&state.pool, user.id).await?;
    let (stored, version) = models::password(&state.pool, user.id).await?;
    let wrong = || AppError::field("old_password", "This is not your present password.");
    let old = old.ok_or_else(wrong)?;
    state.throttle.confirm(state, user.id).await?;
    if state.hasher.check(old, Some(&stored)).await? == Checked::Wrong {
        return Err(wrong());
    }
    let hash = state.hasher.hash_new(new, &[&account.user.username, &account.email]).await?;
    let hash = hash.ok_or_else(|| AppError::field("new_password", EASY_TO_GUESS))?;
    let user = user.clone();
    in_one_transaction(state, async move |connection, state| {
        let changed = models::change_password(connection, user.id, version, &hash, Some(&user.session)).await?;
        let Some(version) = changed else {
            session::confirm(&state.pool, &user).await?;
            return Err(wrong());
        };
        Ok((account, session::begin(connection, state, user.id, version, None).await?))
    })
    .await
}

/// Always JSON.
pub async fn me(user: CurrentUser, state: web::Data<AppState>) -> Result<HttpResponse, AppError> {
    let account = models::account(&state.pool, user.id).await?;
    Ok(HttpResponse::Ok().insert_header((CACHE_CONTROL, "no-store")).json(account))
}
