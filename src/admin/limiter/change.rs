//! Form that sets a limiter override: limiter, parameters and reason.

use std::collections::BTreeMap;

use actix_session::Session;
use actix_web::http::StatusCode;
use actix_web::web;
use askama::Template;
use serde::Serialize;

use super::candidate::{Candidate, DEFAULT, gate_of, is_limiter, message, names_of, scope_of, title, what};
use super::context::Context;
use super::parameters;
use super::parameters::Parameter;
use crate::admin::urls;
use crate::blog_posts::PostId;
use crate::i18n::{Phrase, filters};
use crate::page;
use crate::phrase;
use crate::rate::RatingLimiter;
use crate::rate::limiter::overrides;
use crate::rate::limiter::overrides::{Choice, ChoiceId, New, Scope};
use crate::users::{Accounts, Password};
use crate::web::error::AppError;
use crate::web::request::body::Payload;
use crate::web::request::field::{Field, Fields, Input, Optional, Reason};
use crate::web::request::query::Query;
use crate::web::request::visitor::CurrentUser;
use crate::web::response::form::Form;
use crate::web::response::layout::Layout;
use crate::web::response::text::query_of;
use crate::web::response::view::{Answer, Done, View, submit};
use crate::web::state::AppState;
use evenkeel_limiters::AnyLimiter;

#[derive(Debug)]
pub struct NewChoice {
    scope: Scope,
    wanted: Candidate,
    reason: Reason,
    seen: Option<i64>,
    password: Option<Password>,
}

impl Input for NewChoice {
    fn read(fields: &mut Fields) -> Option<Self> {
        let (scope, wanted) = (fields.take_if_there::<Optional<PostId>>("post"), Candidate::read(fields));
        let (reason, seen) = (fields.take("reason"), fields.take_if_there::<Optional<ChoiceId>>("seen"));
        let password = Password::again(fields)?;
        Some(Self {
            scope: scope?.and_then(|post| post.0),
            wanted: wanted?,
            reason: reason?,
            seen: seen?.and_then(|seen| seen.0).map(|ChoiceId(id)| id),
            password,
        })
    }
}

#[derive(Debug, Serialize)]
pub struct Choosing {
    post: Option<PostId>,
    limiter: String,
    params: BTreeMap<String, serde_json::Value>,
    /// Id of the active override. Clients send it back, so that concurrent changes are detected.
    seen: Option<i64>,
    #[serde(skip)]
    parameters: Vec<Parameter>,
}

#[derive(Template)]
#[template(path = "admin/choose.html")]
pub struct ChoosePage {
    layout: Layout,
    form: Form,
    data: Choosing,
    /// Title of the post; `None` for a site-wide override.
    title: Option<String>,
    in_force: &'static str,
    /// Second step of the form: the parameters are confirmed, and the form asks for a reason and if necessary the
    /// password.
    is_sure: bool,
    needs_password: bool,
}

page!(ChoosePage, data: Choosing);

impl ChoosePage {
    /// Limiters that can be selected, each with the URL of its form.
    fn kinds(&self) -> Vec<(&'static str, String)> {
        let names = [DEFAULT].into_iter().chain(AnyLimiter::NAMES.iter().copied()).chain([RatingLimiter::OFF]);
        let post = self.data.post.map(|post| post.0.to_string());
        let path = |name| {
            let query = query_of(&[("limiter", Some(name)), ("post", post.as_deref())]);
            format!("{}{query}", urls::CHOOSE.pattern)
        };
        names.map(|name| (name, path(name))).collect()
    }

    fn path(&self) -> String {
        self.data.post.map(|post| format!("/blogs/{post}/")).unwrap_or_default()
    }

    fn is_kind(&self, name: &str) -> bool {
        self.data.limiter == name
    }

    fn is_default(&self) -> bool {
        self.is_kind(DEFAULT)
    }

    fn what(&self) -> Phrase {
        match (self.data.limiter.as_str(), self.data.post) {
            (DEFAULT, None) => phrase!("limiter-of-settings"),
            (DEFAULT, Some(_)) => phrase!("limiter-of-site"),
            (limiter, _) => what(limiter),
        }
    }

    /// Value of a parameter field: the submitted text, or else the current value.
    fn value_of<'a>(&'a self, parameter: &'a Parameter) -> &'a str {
        match self.form.value(&parameter.name) {
            "" if !self.form.is_rejected() => &parameter.value,
            typed => typed,
        }
    }

    async fn of(
        Context { state, gates, settings }: &Context,
        layout: Layout,
        form: Form,
        scope: Scope,
        limiter: Option<String>,
        user: &CurrentUser,
    ) -> Result<Self, AppError> {
        let title = match scope {
            Some(post) => Some(title(state, post).await?),
            None => None,
        };
        let now = gates.now(&state.pool).await?;
        let gate = scope.map_or(*now.of_site(), |post| *now.of_post(post));
        let limiter = limiter.filter(|name| is_limiter(name)).unwrap_or_else(|| gate.name().to_owned());
        // If the selected limiter is the active one, the form starts with its active parameters instead of those of the
        // settings.
        let shown = gate.limiter.filter(|_| gate.name() == limiter);
        let shown = shown.or_else(|| gate_of(settings, &limiter)?.limiter);
        let parameters = shown.as_ref().map(parameters::of).transpose()?.unwrap_or_default();
        let seen = overrides::in_force(&mut *state.pool.acquire().await?, scope).await?.map(|choice| choice.id);
        let data = Choosing {
            post: scope,
            limiter,
            params: parameters.iter().map(|one| (one.name.clone(), one.typed())).collect(),
            seen,
            parameters,
        };
        let needs_password = !user.is_confirmed;
        Ok(Self { layout, form, data, title, in_force: gate.name(), is_sure: false, needs_password })
    }
}

/// Limiter name and raw parameter values in a query, to fill in the form.
fn typed(query: &Query) -> Result<(Option<String>, BTreeMap<String, String>), AppError> {
    let limiter = query.get("limiter")?;
    let mut typed = BTreeMap::new();
    for name in names_of(limiter.as_deref().unwrap_or_default()).into_iter().chain(["days".to_owned()]) {
        typed.extend(query.get(&name)?.map(|value| (name, value)));
    }
    Ok((limiter, typed))
}

/// Renders the form with the errors of an invalid query.
pub async fn again(
    context: &Context,
    user: &CurrentUser,
    layout: Layout,
    query: &Query,
    error: AppError,
) -> Result<View<ChoosePage>, AppError> {
    let (limiter, typed) = typed(query)?;
    let scope = scope_of(query).unwrap_or_default();
    let page = ChoosePage::of(context, layout, Form::rejected(typed, &error), scope, limiter, user).await?;
    Ok(View::rejected(page, error))
}

pub async fn form(
    user: CurrentUser,
    layout: Layout,
    query: Query,
    context: Context,
) -> Result<View<ChoosePage>, AppError> {
    let asked = || {
        let wanted = Candidate::of_query(&query)?;
        wanted.map(|wanted| wanted.gate(&context.settings)).transpose()?;
        scope_of(&query)
    };
    let scope = match asked() {
        Ok(scope) => scope,
        Err(error @ AppError::Invalid(_)) => {
            return again(&context, &user, layout, &query, error).await;
        }
        Err(error) => return Err(error),
    };
    // The query contains the parameters of a replay, if the form was opened from one.
    let (limiter, typed) = typed(&query)?;
    let page = ChoosePage::of(&context, layout, Form::typed(typed), scope, limiter, &user).await?;
    Ok(View::new(ChoosePage { is_sure: query.get("sure")?.is_some(), ..page }))
}

/// Sets a limiter override. Every instance applies the override from its next batch of ratings.
pub async fn choose(
    payload: Payload<NewChoice>,
    user: CurrentUser,
    layout: Layout,
    session: Session,
    accounts: web::Data<Accounts>,
    context: Context,
) -> Result<Answer<Choice, ChoosePage>, AppError> {
    let (scope, limiter) = (Optional::<PostId>::from_text(payload.typed("post")), payload.typed("limiter").to_owned());
    let act = async |NewChoice { scope, wanted, reason, seen, password }: NewChoice| {
        let Context { state, gates, settings } = &context;
        let gate = wanted.gate(settings)?;
        accounts.look_twice(state, &session, &user, password).await?;
        let (by, new) = (user.clone(), New { scope, gate, reason: reason.as_str().to_owned(), seen });
        let act = async move |connection: &mut sqlx::PgConnection, state: &AppState| {
            overrides::choose(connection, &state.clock, &by, new).await?;
            overrides::in_force(connection, scope).await?.ok_or(AppError::NotFound)
        };
        let choice = state.in_one_transaction(act).await?;
        tracing::info!(user_id = user.id.0, post_id = choice.post, limiter = choice.limiter, "limiter override set");
        let message = message(state, gates, scope, "chosen").await?;
        Ok(Done::new(StatusCode::CREATED, choice, urls::LIMITER.pattern).message(message))
    };
    let page = async |form: Form, error: &AppError| {
        let limiter = Some(limiter).filter(|limiter| !limiter.is_empty());
        let page = ChoosePage::of(&context, layout, form, scope.ok()?.0, limiter, &user).await.ok()?;
        let is_of_page = |name: &String| ["reason", "current_password"].contains(&name.as_str());
        let is_sure = !matches!(error, AppError::Invalid(errors) if !errors.keys().all(is_of_page));
        Some(ChoosePage { is_sure, ..page })
    };
    submit(payload, act, page).await
}
