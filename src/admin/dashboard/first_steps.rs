//! Checklist for the owner of a new site, which ticks itself off.

use actix_web::web;
use schemars::{Schema, json_schema};
use serde::Serialize;
use sqlx::PgConnection;

use crate::access::Role;
use crate::admin::urls;
use crate::blog_posts::urls::CREATE_POST;
use crate::i18n::Phrase;
use crate::phrase;
use crate::site;
use crate::state::AppState;
use crate::users::urls::INVITATIONS;
use crate::web::error::AppError;
use crate::web::request::body::Payload;
use crate::web::request::current_user::CurrentUser;
use crate::web::request::form_field::{Field, Fields, FormInput};
use crate::web::response::view::EmptyResult;
use crate::web::state::CoreState;

/// Name of the row in `site_settings` that lists skipped steps and steps whose page was opened, separated by spaces.
const SKIPPED: &str = "FIRST_STEPS";
const NAMES: [&str; 6] = ["name", "people", "post", "invite", "mail", "limiter"];

#[derive(Debug, Serialize)]
pub struct FirstStep {
    pub name: &'static str,
    pub path: Option<&'static str>,
    pub is_done: bool,
}

impl FirstStep {
    pub fn label(&self) -> Phrase {
        Phrase::new(format!("first-step-{}", self.name))
    }

    pub fn hint(&self) -> Phrase {
        Phrase::new(format!("first-step-{}-hint", self.name))
    }
}

/// Empty for other staff, and once all steps are done or skipped.
pub async fn first_steps(
    connection: &mut PgConnection,
    state: &AppState,
    user: &CurrentUser,
) -> sqlx::Result<Vec<FirstStep>> {
    let skipped = skipped_steps(state);
    if !user.has_role(Role::Owner) || NAMES.iter().all(|name| skipped.contains(name)) {
        return Ok(Vec::new());
    }
    let existing = sqlx::query!(
        r#"select exists (select from blog_posts where status = 'published' and not is_page) as "has_post!",
            exists (select from invitations) as "has_invitation!",
            exists (select from limiter_overrides) as "has_override!""#
    );
    let existing = existing.fetch_one(connection).await?;
    let is_set = |name| state.settings.site.value(name).is_some();
    let steps = NAMES.map(|name| {
        let (path, is_done) = match name {
            "name" => (Some(urls::SITE_SETTINGS.pattern), is_set("SITE_NAME")),
            "people" => (Some(urls::SITE_SETTINGS.pattern), is_set("REGISTRATION") || is_set("PUBLISHING")),
            "post" => (Some(CREATE_POST.pattern), existing.has_post),
            "invite" => (Some(INVITATIONS.pattern), existing.has_invitation),
            "mail" => (None, state.mail.is_enabled()),
            _ => (Some(urls::LIMITER.pattern), existing.has_override),
        };
        FirstStep { name, path, is_done: is_done || skipped.contains(&name) }
    });
    let is_over = steps.iter().all(|step| step.is_done);
    Ok(if is_over { Vec::new() } else { steps.into() })
}

/// Name of a step, or `all`.
#[derive(Debug)]
pub struct SkippedStep(&'static str);

impl Field for SkippedStep {
    fn from_text(text: &str) -> Result<Self, Phrase> {
        let name = NAMES.into_iter().chain(["all"]).find(|name| *name == text);
        name.map(Self).ok_or_else(|| phrase!("invalid-choice"))
    }

    fn schema() -> Schema {
        let names: Vec<&str> = NAMES.into_iter().chain(["all"]).collect();
        json_schema!({ "type": "string", "enum": names })
    }
}

impl FormInput for SkippedStep {
    fn read(fields: &mut Fields) -> Option<Self> {
        fields.take("step")
    }
}

pub async fn skip(
    payload: Payload<SkippedStep>,
    user: CurrentUser,
    state: web::Data<AppState>,
) -> Result<EmptyResult, AppError> {
    let SkippedStep(step) = payload.into_result()?;
    user.require_role(Role::Owner)?;
    save(&state, step).await?;
    Ok(EmptyResult::no_content(urls::ADMIN.pattern))
}

/// Marks a step as done, because the owner has opened its page. Errors are only logged, so that the page is still shown.
pub async fn mark_done(state: &AppState, user: &CurrentUser, step: &'static str) {
    if user.has_role(Role::Owner)
        && !skipped_steps(state).contains(&step)
        && let Err(error) = save(state, step).await
    {
        tracing::warn!(%error, step, "first step of the dashboard not marked as done");
    }
}

fn skipped_steps(state: &AppState) -> Vec<&'static str> {
    let skipped = state.settings.site.value(SKIPPED).unwrap_or_default();
    NAMES.into_iter().filter(|name| skipped.split(' ').any(|skipped| skipped == *name)).collect()
}

async fn save(state: &AppState, step: &'static str) -> Result<(), AppError> {
    let skipped = skipped_steps(state);
    let is_skipped = |name: &&str| step == "all" || *name == step || skipped.contains(name);
    let names: Vec<&str> = NAMES.into_iter().filter(is_skipped).collect();
    let save = async move |connection: &mut PgConnection, _: &CoreState| {
        Ok(site::store(connection, SKIPPED, Some(&names.join(" "))).await?)
    };
    state.transaction(save).await?;
    state.settings.site.reload(&state.pool).await?;
    Ok(())
}
