//! Page of the active rating limiter, and withdrawal of limiter overrides.

use actix_web::web;
use askama::Template;
use serde::Serialize;
use serde_json::{Map, Value};

use super::candidate::{message, what};
use super::parameters;
use super::parameters::Parameter;
use crate::admin::urls;
use crate::blog_posts::PostId;
use crate::i18n::{Phrase, filters};
use crate::page;
use crate::rate::limiter::overrides;
use crate::rate::limiter::overrides::{Choice, ChoiceId, Scope};
use crate::rate::{ActiveLimiters, RatingLimiter};
use crate::web::error::AppError;
use crate::web::request::body::Payload;
use crate::web::request::field::{Fields, Input, Optional};
use crate::web::request::role::Role;
use crate::web::request::visitor::CurrentUser;
use crate::web::response::layout::Layout;
use crate::web::response::view::{Done, View};
use crate::web::state::AppState;

/// Maximum number of overrides in the history.
const LISTED: i64 = 20;

/// Rating limiter with its parameters, for display and JSON.
#[derive(Clone, Debug, Serialize)]
pub struct Shown {
    /// Limiter name as in the settings, or `off`.
    limiter: &'static str,
    params: Map<String, Value>,
    #[serde(skip)]
    parameters: Vec<Parameter>,
}

impl Shown {
    fn of(gate: &RatingLimiter) -> Result<Self, AppError> {
        let parameters = gate.limiter.as_ref().map(parameters::of).transpose()?.unwrap_or_default();
        let params = gate.limiter.as_ref().map(overrides::params_of).transpose()?.unwrap_or_default();
        Ok(Self { limiter: gate.name(), params, parameters })
    }

    fn what(&self) -> Phrase {
        what(self.limiter)
    }
}

#[derive(Debug, Serialize)]
pub struct State {
    /// Active limiter of posts without an override.
    in_force: Shown,
    /// Override that set the active limiter; `None` if the settings apply.
    chosen: Option<Choice>,
    settings: Shown,
    /// Active overrides of individual posts.
    posts: Vec<Choice>,
    /// Most recent overrides, newest first.
    choices: Vec<Choice>,
}

#[derive(Template)]
#[template(path = "admin/limiter.html")]
pub struct LimiterPage {
    layout: Layout,
    data: State,
    may_choose: bool,
}

page!(LimiterPage, data: State);

pub async fn show(
    user: CurrentUser,
    layout: Layout,
    state: web::Data<AppState>,
    gates: web::Data<ActiveLimiters>,
) -> Result<View<LimiterPage>, AppError> {
    let in_force = Shown::of(gates.now(&state.pool).await?.of_site())?;
    let latest = overrides::in_force(&mut *state.pool.acquire().await?, None).await?;
    let data = State {
        in_force,
        chosen: latest.filter(|choice| choice.gate().is_some()),
        settings: Shown::of(gates.of_settings())?,
        posts: overrides::of_posts(&state.pool).await?,
        choices: overrides::history(&state.pool, LISTED).await?,
    };
    Ok(View::new(LimiterPage { layout, data, may_choose: user.is(Role::Admin) }))
}

/// Override to withdraw. `seen` is the override shown to the user: if another one has become active, the request is
/// rejected.
#[derive(Debug)]
pub struct Undo {
    scope: Scope,
    seen: i64,
}

impl Input for Undo {
    fn read(fields: &mut Fields) -> Option<Self> {
        let (scope, seen) = (fields.take_if_there::<Optional<PostId>>("post"), fields.take::<ChoiceId>("seen"));
        Some(Self { scope: scope?.and_then(|post| post.0), seen: seen?.0 })
    }
}

/// Withdraws the active override of a post or of the site.
pub async fn undo(
    payload: Payload<Undo>,
    user: CurrentUser,
    state: web::Data<AppState>,
    gates: web::Data<ActiveLimiters>,
) -> Result<Done<()>, AppError> {
    let Undo { scope, seen } = payload.valid()?;
    let by = user.clone();
    let act = async move |connection: &mut sqlx::PgConnection, state: &AppState| {
        overrides::undo(connection, &state.clock, &by, scope, seen).await
    };
    state.in_one_transaction(act).await?;
    tracing::info!(user_id = user.id.0, choice = seen, "limiter override undone");
    let message = message(&state, &gates, scope, "undone").await?;
    Ok(Done::no_content(urls::LIMITER.pattern).message(message))
}
