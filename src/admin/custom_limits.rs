//! Admin page of custom limits: request limits that replace the normal ones for one user or network.

use std::net::IpAddr;

use actix_web::web;
use askama::Template;
use chrono::TimeDelta;
use ipnet::IpNet;
use schemars::{JsonSchema, Schema, json_schema};
use serde::Serialize;
use serde_json::Value;

use super::admin_list::find_user_id;
use super::urls;
use crate::access::Role;
use crate::audit_log::ReasonField;
use crate::custom_limits::models::{self, CustomLimit, CustomLimitId, NewCustomLimit};
use crate::custom_limits::{Allowance, LimitName, Target, parse_network};
use crate::db::clock::saturating_add;
use crate::db::describe_error;
use crate::i18n::{Phrase, PhraseValue, filters, to_ascii_digits};
use crate::state::AppState;
use crate::web::error::AppError;
use crate::web::request::body::{NoInput, Payload};
use crate::web::request::current_user::{CurrentUser, UserId};
use crate::web::request::form_field::{Field, Fields, FormInput, IntegerUpTo, NonEmptyText, OptionalField};
use crate::web::response::form::Form;
use crate::web::response::layout::Layout;
use crate::web::response::view::{ActionResult, EmptyResult, FormResponse, PageResponse, handle_form};
use crate::web::state::CoreState;
use crate::{page, phrase};

const MAX_DAYS: i32 = 3_650;

impl Field for LimitName {
    fn from_text(text: &str) -> Result<Self, Phrase> {
        Self::by_name(text).ok_or_else(|| phrase!("invalid-choice"))
    }

    fn schema() -> Schema {
        json_schema!({ "type": "string", "enum": Self::ALL.map(Self::name) })
    }
}

impl Field for Allowance {
    fn from_text(text: &str) -> Result<Self, Phrase> {
        parse_allowance(&to_ascii_decimal(text))
    }

    fn from_json(value: &Value) -> Result<Self, Phrase> {
        value.as_str().map_or_else(|| parse_allowance(&value.to_string()), parse_allowance)
    }

    fn schema() -> Schema {
        json_schema!({
            "description": "Factor, or `exempt`",
            "anyOf": [{ "type": "number", "minimum": 0.01, "maximum": 1000 }, { "type": "string", "pattern": "^(exempt|[0-9]+([.][0-9]+)?)$" }]
        })
    }
}

fn parse_allowance(text: &str) -> Result<Allowance, Phrase> {
    let (least, most) = (Allowance::MIN_FACTOR, Allowance::MAX_FACTOR);
    let error =
        || phrase!("invalid-allowance", least = PhraseValue::Number(least, 2), most = PhraseValue::Number(most, 0));
    Allowance::parse(text.trim()).ok_or_else(error)
}

/// Converts German, Persian and Arabic decimals to ASCII. A comma before three or more digits may separate thousands.
fn to_ascii_decimal(text: &str) -> String {
    let text = to_ascii_digits(text.trim()).replace('٫', ".");
    match text.split_once(',') {
        Some((whole, decimals)) if decimals.len() < 3 => format!("{whole}.{decimals}"),
        _ => text,
    }
}

#[derive(Debug)]
pub struct OverrideInput {
    limit: LimitName,
    target: String,
    allowance: Allowance,
    days: Option<i32>,
    reason: ReasonField,
}

impl FormInput for OverrideInput {
    fn read(fields: &mut Fields) -> Option<Self> {
        let (limit, target) = (fields.take("limit"), fields.take::<NonEmptyText>("target"));
        let (allowance, days) =
            (fields.take("allowance"), fields.take_optional::<OptionalField<IntegerUpTo<MAX_DAYS>>>("days"));
        let reason = fields.take("reason");
        Some(Self {
            limit: limit?,
            target: target?.0,
            allowance: allowance?,
            days: days?.and_then(|days| days.0).map(|IntegerUpTo(days)| days),
            reason: reason?,
        })
    }
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct CustomLimitList {
    results: Vec<CustomLimit>,
}

#[derive(Template)]
#[template(path = "admin/limits.html")]
pub struct CustomLimitsPage {
    layout: Layout,
    form: Form,
    data: CustomLimitList,
}

page!(CustomLimitsPage, data: CustomLimitList);

impl CustomLimitsPage {
    async fn load(state: &CoreState, layout: Layout, form: Form) -> sqlx::Result<Self> {
        Ok(Self { layout, form, data: CustomLimitList { results: models::list_custom_limits(&state.pool).await? } })
    }

    fn limits() -> [(&'static str, Phrase); LimitName::ALL.len()] {
        LimitName::ALL.map(|limit| (limit.name(), Self::limit_label(limit.name())))
    }

    fn limit_label(limit: &str) -> Phrase {
        match limit {
            "sign_in" => phrase!("limits-sign-in"),
            "failed_ratings" => phrase!("limits-failed-ratings"),
            "write" => phrase!("class-write"),
            "rate" => phrase!("class-rate"),
            "account" => phrase!("class-account"),
            _ => phrase!("class-browse"),
        }
    }

    fn effect(one: &CustomLimit) -> Phrase {
        let Some(factor) = one.factor else { return phrase!("limits-exempt") };
        let text = factor.to_string();
        let decimals = text.split_once('.').map_or(0, |(_, decimals)| decimals.len());
        let decimals = u8::try_from(decimals).unwrap_or(u8::MAX);
        phrase!("limits-times", factor = PhraseValue::Number(factor, decimals))
    }

    fn is_over(&self, one: &CustomLimit) -> bool {
        one.expires_at.is_some_and(|time| time <= self.layout.now)
    }
}

pub async fn show(layout: Layout, state: web::Data<AppState>) -> Result<PageResponse<CustomLimitsPage>, AppError> {
    Ok(PageResponse::new(CustomLimitsPage::load(&state, layout, Form::default()).await?))
}

pub async fn set(
    payload: Payload<OverrideInput>,
    user: CurrentUser,
    layout: Layout,
    state: web::Data<AppState>,
) -> Result<FormResponse<CustomLimit, CustomLimitsPage, 201>, AppError> {
    let act = async |OverrideInput { limit, target, allowance, days, reason }: OverrideInput| {
        let target = find_target(&state, &target).await?;
        let by = user.clone();
        let set = async move |connection: &mut sqlx::PgConnection, state: &CoreState| {
            if let Target::User(id) = target {
                require_higher_role(connection, &by, id).await?;
            }
            let now = state.clock.read(connection).await?;
            let expires_at = days.map(|days| saturating_add(now, TimeDelta::days(days.into())));
            let reason = reason.as_str().to_owned();
            let new = NewCustomLimit { limit, target, allowance, reason, expires_at };
            let id = models::set_custom_limit(connection, &state.clock, (&by).into(), new).await?;
            Ok(models::find_custom_limit(connection, id).await?)
        };
        let set = state.transaction(set).await?;
        reload(&state).await;
        tracing::info!(user_id = user.id.0, limit = set.limit, target = set.target(), "custom limit set");
        let message = phrase!("done-custom-limit-set", target = set.target());
        Ok(ActionResult::new(set, urls::CUSTOM_LIMITS.pattern).with_message(message))
    };
    let page = async |form: Form, _: &AppError| CustomLimitsPage::load(&state, layout, form).await.ok();
    handle_form(payload, act, page).await
}

/// Users may change their own limits. The limits of staff require a higher role, or the role of an owner.
async fn require_higher_role(
    connection: &mut sqlx::PgConnection,
    by: &CurrentUser,
    user: UserId,
) -> Result<(), AppError> {
    let role = sqlx::query_scalar!("select staff_role from users where id = $1 and is_staff", user.0);
    let role = role.fetch_optional(connection).await?.as_deref().and_then(Role::from_name);
    if user == by.id || by.outranks(role) { Ok(()) } else { by.require_role(Role::Owner) }
}

/// Applies a committed change at once. If the database is unavailable, the periodic reload applies the change later.
async fn reload(state: &AppState) {
    if let Err(error) = state.custom_limits.reload(&state.pool, &state.clock).await {
        tracing::warn!(error = describe_error(&error), "custom limits not read; will be retried");
    }
}

async fn find_target(state: &CoreState, text: &str) -> Result<Target, AppError> {
    let text = text.trim();
    if text.parse::<IpNet>().is_ok() || text.parse::<IpAddr>().is_ok() {
        let invalid = || AppError::invalid_field("target", phrase!("invalid-network"));
        return parse_network(text).map(Target::Network).ok_or_else(invalid);
    }
    find_user_id(state, "target", text).await.map(Target::User)
}

pub async fn end(
    _: NoInput,
    user: CurrentUser,
    CustomLimitId(id): CustomLimitId,
    state: web::Data<AppState>,
) -> Result<EmptyResult, AppError> {
    let by = user.clone();
    let end = async move |connection: &mut sqlx::PgConnection, state: &CoreState| {
        let user = sqlx::query_scalar!("select user_id from custom_limits where id = $1", id);
        if let Some(user) = user.fetch_optional(&mut *connection).await?.flatten() {
            require_higher_role(connection, &by, UserId(user)).await?;
        }
        match models::end_custom_limits(connection, &state.clock, (&by).into(), &[id]).await? {
            0 => Err(AppError::NotFound),
            _ => Ok(()),
        }
    };
    state.transaction(end).await?;
    reload(&state).await;
    tracing::info!(user_id = user.id.0, id, "custom limit ended");
    let message = phrase!("done-custom-limit-ended");
    Ok(EmptyResult::no_content(urls::CUSTOM_LIMITS.pattern).with_message(message))
}
