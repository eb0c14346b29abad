//! Creation of the first staff account on a site without staff. Requires a setup code that the server prints at
//! start-up, so that the first visitor cannot take over the site.

use actix_session::Session;
use actix_web::http::StatusCode;
use actix_web::web;
use askama::Template;

use super::{Registration, Way, judge_password};
use crate::i18n::filters;
use crate::page;
use crate::phrase;
use crate::users::Accounts;
use crate::users::error::AccountError;
use crate::users::models;
use crate::users::models::User;
use crate::users::registration;
use crate::users::sessions::adopt;
use crate::users::sessions::device::Device;
use crate::users::urls;
use crate::web::error::AppError;
use crate::web::request::body::Payload;
use crate::web::request::field::{Fields, Input, Typed};
use crate::web::request::query::Query;
use crate::web::request::visitor::CurrentUser;
use crate::web::response::form::Form;
use crate::web::response::layout::Layout;
use crate::web::response::view::{Answer, Done, View, submit};
use crate::web::routing::route::FRONT;
use crate::web::state::AppState;

#[derive(Template)]
#[template(path = "users/owner.html")]
pub struct OwnerPage {
    layout: Layout,
    form: Form,
}

page!(OwnerPage, form: Form);

#[derive(Debug)]
pub struct Claim {
    code: String,
    registration: Registration,
}

impl Input for Claim {
    fn read(fields: &mut Fields) -> Option<Self> {
        let (code, registration) = (fields.take::<Typed>("code"), Registration::read(fields));
        Some(Self { code: code?.0, registration: registration? })
    }
}

/// Single-use setup code: each use changes the number of claims, and with it the code.
async fn code(state: &AppState) -> sqlx::Result<String> {
    let claims =
        sqlx::query_scalar!(r#"select count(*) as "claims!" from owner_claims"#).fetch_one(&state.pool).await?;
    // Usernames contain no spaces, so the code never equals a username's fingerprint, which may be in the log.
    Ok(state.keys.fingerprint(&format!("the code of owner {claims}")))
}

/// URL of the setup form with the code; `None` if the site has staff.
pub async fn link(state: &AppState) -> sqlx::Result<Option<String>> {
    if models::has_staff(&mut *state.pool.acquire().await?).await? {
        return Ok(None);
    }
    let path = format!("{}?code={}", urls::OWNER.pattern, code(state).await?);
    Ok(Some(state.settings.url(&path)))
}

async fn is_open(state: &AppState) -> Result<(), AppError> {
    if models::has_staff(&mut *state.pool.acquire().await?).await? {
        Err(AccountError::HasOwner.into())
    } else {
        Ok(())
    }
}

pub async fn form(layout: Layout, query: Query, state: web::Data<AppState>) -> Result<View<OwnerPage>, AppError> {
    is_open(&state).await?;
    let form = Form::of(&[("code", &query.get("code")?.unwrap_or_default())]);
    Ok(View::new(OwnerPage { layout, form }))
}

pub async fn create(
    mut payload: Payload<Claim>,
    device: Device,
    old: Option<CurrentUser>,
    layout: Layout,
    session: Session,
    state: web::Data<AppState>,
    accounts: web::Data<Accounts>,
) -> Result<Answer<User, OwnerPage>, AppError> {
    is_open(&state).await?;
    judge_password(&accounts, &mut payload).await;
    let locale = layout.locale;
    let act = async |Claim { code, registration }| {
        accounts.throttle.register(device.client).await?;
        // Fingerprints are compared instead of the codes, to prevent a timing attack.
        let right = crate::users::registration::first_staff::code(&state).await?;
        if state.keys.fingerprint(code.trim()) != state.keys.fingerprint(&right) {
            // A concurrent request may have used the code to create the account: `has_owner` is the better error then.
            is_open(&state).await?;
            return Err(AppError::field("code", phrase!("invalid-owner-code")));
        }
        let (user, begun, _) =
            registration::create(&state, &accounts, device, registration, locale, old, Way::Owner).await?;
        adopt(&session, begun)?;
        tracing::info!(user_id = user.id.0, "owner account created");
        state.mail.send_now();
        state.pages.clear();
        let (message, path) = (phrase!("done-owner", name = user.username.as_str()), user.path());
        Ok(Done::new(StatusCode::CREATED, user, FRONT).resource(path).message(message))
    };
    submit(payload, act, async |form, error: &AppError| {
        (!matches!(error.app(), Some(AccountError::HasOwner))).then_some(OwnerPage { layout, form })
    })
    .await
}
