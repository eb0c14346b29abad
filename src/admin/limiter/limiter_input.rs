//! Rating limiter in a submitted form or query string: its name, its parameters, and the post that it applies to.

use std::collections::{BTreeMap, BTreeSet};

use schemars::{Schema, json_schema};
use serde_json::Value;

use super::comparison::MAX_DAYS;
use crate::blog_posts::PostId;
use crate::i18n::Phrase;
use crate::phrase;
use crate::rate::limiter::overrides::{NO_OVERRIDE, OverrideScope};
use crate::rate::limiter::parameters::{self, ParameterValue};
use crate::rate::{RatingLimiter, Settings};
use crate::state::AppState;
use crate::web::error::AppError;
use crate::web::request::form_field::{Field, Fields, OptionalField};
use crate::web::request::query::Query;
use crate::web::routing::operation::QueryParameter;

#[derive(Clone, Debug)]
pub struct LimiterInput {
    /// Name of the limiter; `None` removes the override.
    pub limiter: Option<String>,
    pub params: BTreeMap<String, Value>,
}

pub fn is_limiter_name(name: &str) -> bool {
    name == NO_OVERRIDE || RatingLimiter::names().any(|limiter| limiter == name)
}

struct LimiterName(String);

impl Field for LimiterName {
    fn from_text(text: &str) -> Result<Self, Phrase> {
        match text {
            "" => Err(phrase!(Self::MISSING)),
            name if is_limiter_name(name) => Ok(Self(name.to_owned())),
            _ => Err(phrase!("invalid-limiter")),
        }
    }

    fn schema() -> Schema {
        json_schema!({ "type": "string", "enum": RatingLimiter::names().chain([NO_OVERRIDE]).collect::<Vec<_>>() })
    }
}

impl LimiterInput {
    pub fn from_fields(fields: &mut Fields) -> Option<Self> {
        let LimiterName(limiter) = fields.take("limiter")?;
        let mut params = BTreeMap::new();
        for name in parameter_names(&limiter) {
            params.extend(fields.take_optional::<ParameterValue>(&name)?.map(|ParameterValue(value)| (name, value)));
        }
        Some(Self { limiter: Some(limiter).filter(|limiter| limiter != NO_OVERRIDE), params })
    }

    /// Takes all fields of a limiter, so that the API description contains their schemas.
    pub fn describe(fields: &mut Fields) {
        fields.take::<LimiterName>("limiter");
        let names: BTreeSet<String> = RatingLimiter::names().flat_map(parameter_names).collect();
        for name in names {
            fields.take_optional::<ParameterValue>(&name);
        }
    }

    pub fn from_query(query: &Query) -> Result<Option<Self>, AppError> {
        let Some(limiter) = query.get("limiter")? else { return Ok(None) };
        if !is_limiter_name(&limiter) {
            return Err(AppError::invalid_field("limiter", phrase!("invalid-limiter")));
        }
        let mut params = BTreeMap::new();
        for name in parameter_names(&limiter) {
            let Some(text) = query.get(&name)? else { continue };
            let ParameterValue(value) =
                ParameterValue::from_text(&text).map_err(|message| AppError::invalid_field(&name, message))?;
            params.insert(name, value);
        }
        Ok(Some(Self { limiter: Some(limiter).filter(|limiter| limiter != NO_OVERRIDE), params }))
    }

    pub fn build_rating_limiter(&self, settings: &Settings) -> Result<Option<RatingLimiter>, AppError> {
        let Some(name) = &self.limiter else { return Ok(None) };
        let base = settings
            .rating_limiter(name)
            .ok_or_else(|| AppError::invalid_field("limiter", phrase!("invalid-limiter")))?;
        parameters::with_params(&base, &self.params).map(Some)
    }
}

pub fn parameter_names(limiter: &str) -> Vec<String> {
    let default = RatingLimiter::with_default_params(limiter);
    let parameters = default.and_then(|limiter| parameters::configurable_parameters(&limiter).ok()).unwrap_or_default();
    parameters.into_iter().map(|parameter| parameter.name).collect()
}

pub fn parameters() -> Vec<QueryParameter> {
    let names: Vec<&str> = RatingLimiter::names().chain([NO_OVERRIDE]).collect();
    vec![
        QueryParameter::choice("limiter", "Rating limiter", &names),
        QueryParameter::id("post", "Post that the limiter applies to; without it, the whole site"),
        QueryParameter::integer("days", "Number of compared days up to today", 1, MAX_DAYS.into()),
        QueryParameter::free_form("parameters", "Parameters of the limiter, each as a query parameter with its name"),
    ]
}

pub fn scope_from_query(query: &Query) -> Result<OverrideScope, AppError> {
    let post = query.get("post")?.unwrap_or_default();
    OptionalField::<PostId>::from_text(&post)
        .map(|post| post.0)
        .map_err(|message| AppError::invalid_field("post", message))
}

pub async fn active_limiter_message(state: &AppState, scope: OverrideScope, done: &str) -> Result<Phrase, AppError> {
    let active_limiters = state.active_limiters.current_limiters(&state.pool).await?;
    Ok(match scope {
        None => phrase!(
            format!("done-limiter-{done}"),
            limiter = RatingLimiter::title_of(active_limiters.site_limiter().name())
        ),
        Some(post) => phrase!(
            format!("done-limiter-{done}-post"),
            limiter = RatingLimiter::title_of(active_limiters.post_limiter(post).name()),
            post = post.0.to_string(),
        ),
    })
}
