//! What happens where pauses are listed and lifted.

use actix_web::{Responder, web};
use askama::Template;
use serde::Serialize;
use serde_json::{Value, json};

use super::models::{self, PausedPost, Subject};
use super::token::Token;
use super::{Pause, Pauses};
use crate::users::CurrentUser;
use crate::web::error::{AppError, LinkProblem};
use crate::web::payload::{Nothing, Query};
use crate::web::state::AppState;
use crate::web::view::{Done, Layout, Page, View};

/// What a reader cannot rate for now.
#[derive(Debug, Serialize)]
pub struct PausedPosts {
    results: Vec<PausedPost>,
    /// Of which the latest are in `results`.
    count: i64,
    /// Where all of them can be lifted.
    unpause_url: Option<String>,
}

#[derive(Template)]
#[template(path = "rate/paused.html")]
pub struct PausedPage {
    layout: Layout,
    data: PausedPosts,
    /// As `unpause_url`, on this site.
    path: Option<String>,
}

impl Page for PausedPage {
    type Data = PausedPosts;

    fn data(&self) -> &PausedPosts {
        &self.data
    }
}

#[derive(Template)]
#[template(path = "rate/unpause.html")]
pub struct UnpausePage {
    layout: Layout,
    data: Subject,
    token: String,
}

impl Page for UnpausePage {
    type Data = Subject;

    fn data(&self) -> &Subject {
        &self.data
    }
}

/// The pauses of whoever is signed in.
pub async fn list(
    user: CurrentUser,
    layout: Layout,
    state: web::Data<AppState>,
    pauses: web::Data<Pauses>,
) -> Result<impl Responder, AppError> {
    let most = pauses.rules.params().page_size;
    let (results, count, now) = models::of_user(&state.pool, &state.clock, &user, most).await?;
    let latest = results.first().map(|post| {
        let pause = Pause { since_ms: post.paused_at.timestamp_millis(), seen_ms: now.timestamp_millis() };
        pauses.path((user.id, post.blog), pause)
    });
    let unpause_url = latest.as_ref().map(|path| format!("{}{path}", state.settings.public_url));
    Ok(View::new(PausedPage { layout, data: PausedPosts { results, count, unpause_url }, path: latest }))
}

/// Says what the link would do, with a button that does it. Links are followed by machines, too: nothing is changed.
pub async fn unpause_form(
    layout: Layout,
    query: Query,
    state: web::Data<AppState>,
) -> Result<impl Responder, AppError> {
    let (token, text) = token(&query, layout.user.as_ref(), &state).await?;
    let subject = models::subject(&state.pool, &token).await?;
    let data = subject.ok_or(AppError::UnpauseLink(LinkProblem::Used))?;
    Ok(View::new(UnpausePage { layout, data, token: text }))
}

/// Lifts the pauses of the link's account. In a task of its own: whoever hangs up does not end it half-way.
pub async fn unpause(
    _: Nothing,
    layout: Layout,
    query: Query,
    state: web::Data<AppState>,
    pauses: web::Data<Pauses>,
) -> Result<Done<Value>, AppError> {
    let (token, _) = token(&query, layout.user.as_ref(), &state).await?;
    let rules = pauses.rules;
    let (pool, clock) = (state.pool.clone(), state.clock.clone());
    let unpausing = tokio::spawn(async move { models::unpause(&pool, &clock, &rules, token).await });
    let (blogs, unpaused) = unpausing.await.map_err(|panic| AppError::Internal(panic.to_string()))??;
    pauses.lifted(token.user, &blogs);
    if unpaused.count == 0 {
        return Err(AppError::UnpauseLink(LinkProblem::Used));
    }
    tracing::info!(user_id = token.user, count = unpaused.count, "unpaused");
    let message = match (unpaused.count, unpaused.more) {
        (1, _) => "The pause is lifted. You can rate the post again.".to_owned(),
        (count, false) => format!("{count} pauses are lifted. You can rate these posts again."),
        (count, true) => format!("{count} pauses are lifted, and there may be more: use the link once more."),
    };
    let next = if layout.user.is_some() { "/rate/paused/" } else { "/" };
    let data = json!({ "unpaused": unpaused.count, "more": unpaused.more });
    Ok(Done::new(actix_web::http::StatusCode::OK, data, next).message(message))
}

/// The token of the link, if it is a good one and nobody else is signed in.
async fn token(query: &Query, user: Option<&CurrentUser>, state: &AppState) -> Result<(Token, String), AppError> {
    let text = query.get("token")?.ok_or(AppError::UnpauseLink(LinkProblem::Invalid))?;
    // What nobody signed is not worth a query.
    let claims = Token::open(&text, &state.keys).map_err(AppError::UnpauseLink)?;
    let now = state.clock.read(&mut *state.pool.acquire().await?).await?;
    let token = claims.verify(now).map_err(AppError::UnpauseLink)?;
    if user.is_some_and(|user| user.id != token.user) {
        return Err(AppError::UnpauseLink(LinkProblem::OfAnother));
    }
    Ok((token, text))
}
