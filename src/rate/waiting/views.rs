//! Taking back a rating that waits.

use actix_web::web;

use super::rows;
use crate::blog_posts::{self, PostId};
use crate::phrase;
use crate::rate::models::{self, Pair};
use crate::web::error::AppError;
use crate::web::payload::Nothing;
use crate::web::state::AppState;
use crate::web::view::Done;
use crate::web::visitor::CurrentUser;

/// This is a task of its own, so that a client that hangs up does not end it half-way.
pub async fn take_back(
    _: Nothing,
    user: CurrentUser,
    post: PostId,
    state: web::Data<AppState>,
) -> Result<Done<()>, AppError> {
    let pool = state.pool.clone();
    let (reader, pair) = (user.clone(), Pair { user: user.id, post });
    let taking = tokio::spawn(async move { rows::take_back(&pool, pair).await });
    if !taking.await.map_err(|panic| AppError::Internal(panic.to_string()))?? {
        // `not_found` if there is none at all.
        models::of_user(&state.pool, &reader, post).await?;
        return Err(AppError::AlreadyCounted);
    }
    let page = blog_posts::urls::POST.path_for(post);
    Ok(Done::no_content(page).message_at_stars(phrase!("done-taken-back")))
}
