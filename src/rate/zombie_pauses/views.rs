//! Views that list and lift zombie pauses.

use actix_web::web;
use askama::Template;
use schemars::JsonSchema;
use serde::Serialize;

use super::Pause;
use super::models::{self, PausedPost, UnpauseLinkDetails};
use super::unpause_link::UnpauseLink;
use crate::blog_posts;
use crate::i18n::filters;
use crate::rate::error::RateError;
use crate::rate::models::RatingKey;
use crate::rate::urls;
use crate::state::AppState;
use crate::web::error::{AppError, LinkProblem};
use crate::web::request::body::NoInput;
use crate::web::request::current_user::CurrentUser;
use crate::web::request::query::Query;
use crate::web::response::layout::Layout;
use crate::web::response::view::{ActionResult, PageResponse};
use crate::web::state::CoreState;
use crate::{page, phrase};

/// Posts that the current user cannot rate because of pauses.
#[derive(Debug, JsonSchema, Serialize)]
pub struct PausedPosts {
    results: Vec<PausedPost>,
    /// Total number of pauses of the user. `results` contains only the latest pauses.
    count: i64,
    /// URL that lifts all pauses of the user; `None` if the user has no pauses.
    unpause_url: Option<String>,
}

#[derive(Template)]
#[template(path = "rate/paused.html")]
pub struct ZombiePausesPage {
    layout: Layout,
    data: PausedPosts,
    path: Option<String>,
}

page!(ZombiePausesPage, data: PausedPosts);

#[derive(Template)]
#[template(path = "rate/unpause.html")]
pub struct UnpausePage {
    layout: Layout,
    data: UnpauseLinkDetails,
    token: String,
}

page!(UnpausePage, data: UnpauseLinkDetails);

pub async fn list(
    user: CurrentUser,
    layout: Layout,
    state: web::Data<AppState>,
) -> Result<PageResponse<ZombiePausesPage>, AppError> {
    let most = state.pauses.rules.params().page_size;
    let (results, count, now) = models::list_pauses(&state.pool, &state.clock, user.id, most).await?;
    let latest = results.first().map(|post| {
        let pause = Pause { since_ms: post.paused_at.timestamp_millis(), read_at_ms: now.timestamp_millis() };
        state.pauses.unpause_path(RatingKey { user: user.id, post: post.blog }, pause)
    });
    let unpause_url = latest.as_ref().map(|path| state.settings.absolute_url(path));
    Ok(PageResponse::new(ZombiePausesPage { layout, data: PausedPosts { results, count, unpause_url }, path: latest }))
}

/// A GET request does not lift pauses, because link scanners and link previews also send GET requests.
pub async fn unpause_form(
    user: Option<CurrentUser>,
    layout: Layout,
    query: Query,
    state: web::Data<AppState>,
) -> Result<PageResponse<UnpausePage>, AppError> {
    let (link, token) = link(&query, user.as_ref(), &state).await?;
    let most = state.pauses.rules.params().page_size;
    let subject = models::find_unpause_link_details(&state.pool, &state.clock, &link, most).await?;
    let data = subject.ok_or(RateError::UnpauseLink(LinkProblem::Used))?;
    Ok(PageResponse::new(UnpausePage { layout, data, token }))
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct UnpausedPosts {
    /// Number of posts that the user can rate again.
    unpaused: usize,
    /// `true` if the user has more pauses, which the link can end, too.
    more: bool,
}

/// A spawned task lifts the pauses, so that a client that disconnects does not interrupt it.
pub async fn unpause(
    _: NoInput,
    user: Option<CurrentUser>,
    query: Query,
    state: web::Data<AppState>,
) -> Result<ActionResult<UnpausedPosts>, AppError> {
    let (link, _) = link(&query, user.as_ref(), &state).await?;
    let rules = state.pauses.rules;
    let (pool, clock) = (state.pool.clone(), state.clock.clone());
    let unpausing = tokio::spawn(async move { models::unpause_posts(&pool, &clock, &rules, link).await });
    let unpaused = unpausing.await??;
    if unpaused.count == 0 {
        return Err(RateError::UnpauseLink(LinkProblem::Used).into());
    }
    tracing::info!(user_id = link.pair.user.0, count = unpaused.count, "rating pauses lifted");
    let message = match (unpaused.count, unpaused.more) {
        (count, false) => phrase!("done-unpaused", count = count),
        (count, true) => phrase!("done-unpaused-partly", count = count),
    };
    let next = if user.is_some() { urls::PAUSED_POSTS.pattern } else { blog_posts::urls::FRONT_PAGE.pattern };
    let data = UnpausedPosts { unpaused: unpaused.count, more: unpaused.more };
    Ok(ActionResult::new(data, next).with_message(message))
}

/// Rejects the link if another user is signed in.
async fn link(query: &Query, user: Option<&CurrentUser>, state: &CoreState) -> Result<(UnpauseLink, String), AppError> {
    let token = query.get("token")?.ok_or(RateError::UnpauseLink(LinkProblem::Invalid))?;
    // The signature is verified before the query that reads the time, so that forged links cost no query.
    let claims = UnpauseLink::verify_signature(&token, &state.keys).map_err(RateError::UnpauseLink)?;
    let now = state.now().await?;
    let link = claims.verify(now).map_err(RateError::UnpauseLink)?;
    if user.is_some_and(|user| user.id != link.pair.user) {
        return Err(RateError::UnpauseLink(LinkProblem::WrongUser).into());
    }
    Ok((link, token))
}
