//! Admin page of the active rating limiter, and form handler that withdraws limiter overrides.

use actix_web::web;
use askama::Template;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use sqlx::PgPool;

use super::limiter_input::active_limiter_message;
use crate::access::Role;
use crate::admin::dashboard::first_steps::mark_done;
use crate::admin::urls;
use crate::blog_posts::PostId;
use crate::i18n::{Phrase, filters};
use crate::page;
use crate::rate::RatingLimiter;
use crate::rate::limiter::overrides::{self, ExpectedOverride, LimiterOverride, OverrideId, OverrideScope};
use crate::rate::limiter::parameters::{self, Parameter};
use crate::score::DisplayedScore;
use crate::state::AppState;
use crate::web::error::AppError;
use crate::web::request::body::Payload;
use crate::web::request::current_user::CurrentUser;
use crate::web::request::form_field::{Fields, FormInput, OptionalField};
use crate::web::request::query::Query;
use crate::web::response::layout::Layout;
use crate::web::response::view::{EmptyResult, PageResponse};
use crate::web::state::CoreState;

const MAX_HISTORY: i64 = 20;
const MAX_FOUND: i64 = 20;

/// Rating limiter with its parameters.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct LimiterView {
    /// Limiter name as in the settings, or `off`.
    limiter: &'static str,
    params: Map<String, Value>,
    #[serde(skip)]
    parameters: Vec<Parameter>,
}

impl LimiterView {
    fn new(rating_limiter: &RatingLimiter) -> Result<Self, AppError> {
        let parameters = parameters::configurable_parameters(rating_limiter)?;
        Ok(Self { limiter: rating_limiter.name(), params: parameters::editable_params(rating_limiter)?, parameters })
    }

    fn title(&self) -> Phrase {
        RatingLimiter::title_of(self.limiter)
    }
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct LimiterStatus {
    /// Active limiter of posts without an override.
    in_force: LimiterView,
    /// Override that set the active limiter; `None` if the settings apply.
    chosen: Option<LimiterOverride>,
    settings: LimiterView,
    /// Active overrides of individual posts.
    posts: Vec<LimiterOverride>,
    /// Most recent overrides, newest first.
    choices: Vec<LimiterOverride>,
    /// Published posts whose titles contain the text in the query parameter `title`; `None` without the parameter.
    #[serde(skip_serializing_if = "Option::is_none")]
    matching_posts: Option<Vec<MatchingPost>>,
}

/// Post that an override can be set for.
#[derive(Debug, JsonSchema, Serialize)]
pub struct MatchingPost {
    post: i64,
    title: String,
}

#[derive(Template)]
#[template(path = "admin/limiter.html")]
pub struct LimiterPage {
    layout: Layout,
    data: LimiterStatus,
    may_choose: bool,
    shows_steady_score: bool,
    /// Title that the user searched for.
    title: String,
}

page!(LimiterPage, data: LimiterStatus);

pub async fn show(
    user: CurrentUser,
    layout: Layout,
    query: Query,
    state: web::Data<AppState>,
) -> Result<PageResponse<LimiterPage>, AppError> {
    mark_done(&state, &user, "limiter").await;
    let title = query.get("title")?.unwrap_or_default();
    let matching_posts = match title.trim() {
        "" => None,
        title => Some(find_posts_by_title(&state.pool, title).await?),
    };
    let in_force = LimiterView::new(state.active_limiters.current_limiters(&state.pool).await?.site_limiter())?;
    let latest = overrides::active_override(&mut *state.pool.acquire().await?, None).await?;
    let data = LimiterStatus {
        in_force,
        chosen: latest.filter(|choice| choice.rating_limiter(&state.all_settings.rate).is_some()),
        settings: LimiterView::new(state.active_limiters.default_limiter())?,
        posts: overrides::list_post_overrides(&state.pool).await?,
        choices: overrides::list_overrides(&state.pool, MAX_HISTORY).await?,
        matching_posts,
    };
    let shows_steady_score = state.site().score_shown == DisplayedScore::Steady;
    Ok(PageResponse::new(LimiterPage {
        layout,
        data,
        may_choose: user.has_role(Role::Admin),
        shows_steady_score,
        title,
    }))
}

async fn find_posts_by_title(pool: &PgPool, title: &str) -> sqlx::Result<Vec<MatchingPost>> {
    let posts = sqlx::query_as!(
        MatchingPost,
        "select id as post, title from blog_posts
        where status = 'published' and strpos(lower(title), lower($1)) > 0 order by published_at desc, id desc limit $2",
        title,
        MAX_FOUND,
    );
    posts.fetch_all(pool).await
}

/// The request is rejected if `expected`, the override that the page displayed, is no longer active.
#[derive(Debug)]
pub struct WithdrawOverrideForm {
    scope: OverrideScope,
    expected: ExpectedOverride,
}

impl FormInput for WithdrawOverrideForm {
    fn read(fields: &mut Fields) -> Option<Self> {
        let scope = fields.take_optional::<OptionalField<PostId>>("post");
        let seen = fields.take_optional::<OverrideId>("seen");
        Some(Self {
            scope: scope?.and_then(|post| post.0),
            expected: seen?.map_or(ExpectedOverride::Any, |OverrideId(id)| ExpectedOverride::Displayed(Some(id))),
        })
    }
}

pub async fn withdraw_override(
    payload: Payload<WithdrawOverrideForm>,
    user: CurrentUser,
    state: web::Data<AppState>,
) -> Result<EmptyResult, AppError> {
    let WithdrawOverrideForm { scope, expected } = payload.into_result()?;
    let by = user.clone();
    let act = async move |connection: &mut sqlx::PgConnection, state: &CoreState| {
        overrides::undo_override(connection, &state.clock, (&by).into(), scope, expected).await
    };
    state.transaction(act).await?;
    tracing::info!(user_id = user.id.0, post_id = scope.map(|post| post.0), "limiter override removed");
    let message = active_limiter_message(&state, scope, "undone").await?;
    Ok(EmptyResult::no_content(urls::LIMITER.pattern).with_message(message))
}
