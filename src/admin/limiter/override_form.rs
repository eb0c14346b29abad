//! Admin page that sets a limiter override for the site or a post, and compares the limiters on recent ratings.

use std::collections::BTreeMap;

use actix_session::Session;
use actix_web::web;
use askama::Template;
use schemars::JsonSchema;
use serde::Serialize;

use super::comparison::{DEFAULT_DAYS, ErrorPlot, LimiterComparison, MAX_DAYS};
use super::limiter_input::{LimiterInput, active_limiter_message, is_limiter_name, parameter_names, scope_from_query};
use crate::admin::urls;
use crate::audit_log::ReasonField;
use crate::blog_posts::PostId;
use crate::blog_posts::models::find_published_title;
use crate::i18n::{Phrase, filters, to_ascii_digits};
use crate::rate::RatingLimiter;
use crate::rate::limiter::overrides::{
    self, ExpectedOverride, LimiterOverride, NO_OVERRIDE, NewOverride, OverrideId, OverrideScope,
};
use crate::rate::limiter::parameters::{self, Parameter};
use crate::state::AppState;
use crate::text::query_string;
use crate::users::Password;
use crate::web::error::AppError;
use crate::web::request::body::Payload;
use crate::web::request::current_user::CurrentUser;
use crate::web::request::form_field::{Field, Fields, FormInput, OptionalField};
use crate::web::request::query::Query;
use crate::web::response::form::Form;
use crate::web::response::layout::Layout;
use crate::web::response::view::{ActionResult, FormResponse, PageResponse, handle_form};
use crate::web::state::CoreState;
use crate::{page, phrase};

#[derive(Debug)]
pub struct OverrideForm {
    scope: OverrideScope,
    wanted: LimiterInput,
    reason: ReasonField,
    expected: ExpectedOverride,
    password: Option<Password>,
}

impl FormInput for OverrideForm {
    fn read(fields: &mut Fields) -> Option<Self> {
        let (scope, input) = (fields.take_optional::<OptionalField<PostId>>("post"), LimiterInput::from_fields(fields));
        let (reason, seen) = (fields.take("reason"), fields.take_optional::<OptionalField<OverrideId>>("seen"));
        let password = Password::take_current_password(fields)?;
        Some(Self {
            scope: scope?.and_then(|post| post.0),
            wanted: input?,
            reason: reason?,
            expected: seen?
                .map_or(ExpectedOverride::Any, |seen| ExpectedOverride::Displayed(seen.0.map(|OverrideId(id)| id))),
            password,
        })
    }

    fn describe(fields: &mut Fields) {
        fields.take_optional::<OptionalField<PostId>>("post");
        LimiterInput::describe(fields);
        fields.take::<ReasonField>("reason");
        fields.take_optional::<OptionalField<OverrideId>>("seen");
        let _ = Password::take_current_password(fields);
    }
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct OverrideFormData {
    post: Option<PostId>,
    limiter: String,
    params: BTreeMap<String, serde_json::Value>,
    /// ID of the override that was active when the form was rendered. Clients submit this ID, so that the server
    /// detects concurrent changes.
    seen: Option<i64>,
    /// Ratings that the limiters would have refused; `None` after a rejected form.
    comparison: Option<LimiterComparison>,
    #[serde(skip)]
    parameters: Vec<Parameter>,
}

#[derive(Template)]
#[template(path = "admin/choose.html")]
pub struct OverridePage {
    layout: Layout,
    form: Form,
    data: OverrideFormData,
    /// Title of the post; `None` for a site-wide override.
    title: Option<String>,
    in_force: &'static str,
    needs_password: bool,
}

page!(OverridePage, data: OverrideFormData);

impl OverridePage {
    /// Key of each limiter, the URL of its form, and its description.
    fn kinds(&self) -> Vec<(&'static str, String, Phrase)> {
        let names = [NO_OVERRIDE].into_iter().chain(RatingLimiter::names());
        let post = self.data.post.map(|post| post.0.to_string());
        let path = |name| {
            let query = query_string(&[("limiter", Some(name)), ("post", post.as_deref())]);
            format!("{}{query}", urls::SET_OVERRIDE.pattern)
        };
        names.map(|name| (name, path(name), self.describe(name))).collect()
    }

    fn path(&self) -> String {
        self.data.post.map(|post| format!("/blogs/{post}/")).unwrap_or_default()
    }

    fn is_kind(&self, name: &str) -> bool {
        self.data.limiter == name
    }

    fn is_default(&self) -> bool {
        self.is_kind(NO_OVERRIDE)
    }

    fn what(&self) -> Phrase {
        self.describe(&self.data.limiter)
    }

    fn describe(&self, limiter: &str) -> Phrase {
        match (limiter, self.data.post) {
            (NO_OVERRIDE, None) => phrase!("limiter-same-as-settings"),
            (NO_OVERRIDE, Some(_)) => phrase!("limiter-same-as-site"),
            (limiter, _) => RatingLimiter::title_of(limiter).attribute("what"),
        }
    }

    /// Submitted value of a parameter, or its current value before the first submission.
    fn value_of<'a>(&'a self, parameter: &'a Parameter) -> &'a str {
        match self.form.value(&parameter.name) {
            "" if !self.form.is_rejected() => &parameter.value,
            typed => typed,
        }
    }

    async fn load(
        state: &AppState,
        layout: Layout,
        form: Form,
        scope: OverrideScope,
        limiter: Option<String>,
        user: &CurrentUser,
    ) -> Result<Self, AppError> {
        let title = match scope {
            Some(post) => Some(find_published_title(&state.pool, post).await?.ok_or(AppError::NotFound)?),
            None => None,
        };
        let now = state.active_limiters.current_limiters(&state.pool).await?;
        let rating_limiter = scope.map_or(now.site_limiter(), |post| now.post_limiter(post));
        let limiter = limiter.filter(|name| is_limiter_name(name)).unwrap_or_else(|| rating_limiter.name().to_owned());
        // The form of the active limiter starts with its active parameters instead of the parameters from the settings.
        let shown = Some(rating_limiter.clone()).filter(|_| rating_limiter.name() == limiter);
        let shown = shown.or_else(|| state.all_settings.rate.rating_limiter(&limiter));
        let parameters = shown.as_ref().map(parameters::configurable_parameters).transpose()?.unwrap_or_default();
        let seen = overrides::active_override(&mut *state.pool.acquire().await?, scope).await?.map(|choice| choice.id);
        let data = OverrideFormData {
            post: scope,
            limiter,
            params: parameters.iter().map(|one| (one.name.clone(), one.json_value())).collect(),
            seen,
            comparison: None,
            parameters,
        };
        let needs_password = !user.is_confirmed;
        Ok(Self { layout, form, data, title, in_force: rating_limiter.name(), needs_password })
    }
}

fn form_values(query: &Query) -> Result<(Option<String>, BTreeMap<String, String>), AppError> {
    let limiter = query.get("limiter")?;
    let mut typed = BTreeMap::new();
    for name in parameter_names(limiter.as_deref().unwrap_or_default()).into_iter().chain(["days".to_owned()]) {
        typed.extend(query.get(&name)?.map(|value| (name, value)));
    }
    Ok((limiter, typed))
}

pub async fn set_override_form(
    user: CurrentUser,
    layout: Layout,
    query: Query,
    state: web::Data<AppState>,
) -> Result<PageResponse<OverridePage>, AppError> {
    let (limiter, typed) = form_values(&query)?;
    let (scope, selected, days) = match compared_limiter(&query, &state) {
        Ok(compared) => compared,
        Err(error @ AppError::Invalid(_)) => {
            let (form, scope) = (Form::rejected(typed, &error), scope_from_query(&query).unwrap_or_default());
            let page = OverridePage::load(&state, layout, form, scope, limiter, &user).await?;
            return Ok(PageResponse::invalid_form_response(page, error));
        }
        Err(error) => return Err(error),
    };
    let mut page = OverridePage::load(&state, layout, Form::with_values(typed), scope, limiter, &user).await?;
    page.data.comparison = Some(LimiterComparison::new(&state, scope, selected, days).await?);
    Ok(PageResponse::new(page))
}

fn compared_limiter(query: &Query, state: &AppState) -> Result<(OverrideScope, Option<RatingLimiter>, u32), AppError> {
    let days = query.get("days")?.map_or(Ok(DEFAULT_DAYS), |text| to_ascii_digits(text.trim()).parse()).ok();
    let days = days.filter(|days| (1..=MAX_DAYS).contains(days));
    let days = days.ok_or_else(|| AppError::invalid_field("days", phrase!("invalid-whole-number", most = MAX_DAYS)))?;
    let input = LimiterInput::from_query(query)?;
    let selected = input.map(|input| input.build_rating_limiter(&state.all_settings.rate)).transpose()?.flatten();
    Ok((scope_from_query(query)?, selected, days))
}

/// Every instance applies the override starting with its next batch of ratings.
pub async fn set_override(
    payload: Payload<OverrideForm>,
    user: CurrentUser,
    layout: Layout,
    session: Session,
    state: web::Data<AppState>,
) -> Result<FormResponse<LimiterOverride, OverridePage, 201>, AppError> {
    let (scope, limiter) = (
        OptionalField::<PostId>::from_text(payload.submitted_value("post")),
        payload.submitted_value("limiter").to_owned(),
    );
    let act = async |OverrideForm { scope, wanted: input, reason, expected, password }: OverrideForm| {
        let rating_limiter = input.build_rating_limiter(&state.all_settings.rate)?;
        state.accounts.require_recent_password(&state, &session, &user, password).await?;
        let (by, new) = (
            user.clone(),
            NewOverride { scope, limiter: rating_limiter, reason: reason.as_str().to_owned(), expected },
        );
        let settings = state.all_settings.rate.clone();
        let act = async move |connection: &mut sqlx::PgConnection, state: &CoreState| {
            overrides::add_override(connection, &state.clock, (&by).into(), &settings, new).await?;
            overrides::active_override(connection, scope).await?.ok_or(AppError::NotFound)
        };
        let choice = state.transaction(act).await?;
        tracing::info!(user_id = user.id.0, post_id = choice.post, limiter = choice.limiter, "limiter override set");
        let message = active_limiter_message(&state, scope, "chosen").await?;
        Ok(ActionResult::new(choice, urls::LIMITER.pattern).with_message(message))
    };
    let page = async |form: Form, _: &AppError| {
        let limiter = Some(limiter).filter(|limiter| !limiter.is_empty());
        OverridePage::load(&state, layout, form, scope.ok()?.0, limiter, &user).await.ok()
    };
    handle_form(payload, act, page).await
}
