//! List of the posts that the signed-in user cannot rate.

use actix_web::web;
use askama::Template;
use schemars::JsonSchema;
use serde::Serialize;

use super::models::{Pause, PausedPost, list_pauses};
use crate::i18n::filters;
use crate::page;
use crate::rate::models::RatingKey;
use crate::state::AppState;
use crate::web::error::AppError;
use crate::web::request::current_user::CurrentUser;
use crate::web::response::layout::Layout;
use crate::web::response::view::PageResponse;

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

pub async fn list(
    user: CurrentUser,
    layout: Layout,
    state: web::Data<AppState>,
) -> Result<PageResponse<ZombiePausesPage>, AppError> {
    let most = state.pauses.rules.params().page_size;
    let (results, count, now) = list_pauses(&state.pool, &state.clock, user.id, most).await?;
    let latest = results.first().map(|post| {
        let pause = Pause { since_ms: post.paused_at.timestamp_millis(), read_at_ms: now.timestamp_millis() };
        state.pauses.unpause_path(RatingKey { user: user.id, post: post.blog }, pause)
    });
    let unpause_url = latest.as_ref().map(|path| state.settings.absolute_url(path));
    Ok(PageResponse::new(ZombiePausesPage { layout, data: PausedPosts { results, count, unpause_url }, path: latest }))
}
