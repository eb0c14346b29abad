//! Withdraw a rating.

use actix_web::web;

use super::error::RateError;
use super::models::{Rating, RatingOperation};
use super::rate_post::{build_rating_result, build_repeated_result, rate_error, render_post_with_error, submit};
use crate::blog_posts::PostId;
use crate::blog_posts::show_post::PostPage;
use crate::phrase;
use crate::state::AppState;
use crate::web::error::AppError;
use crate::web::request::body::NoInput;
use crate::web::request::current_user::CurrentUser;
use crate::web::request::format::ResponseFormat;
use crate::web::response::form::Form;
use crate::web::response::layout::Layout;
use crate::web::response::view::{FormResponse, handle_form};

pub async fn withdraw(
    input: NoInput,
    post: PostId,
    user: CurrentUser,
    format: ResponseFormat,
    layout: Layout,
    state: web::Data<AppState>,
) -> Result<FormResponse<Rating, PostPage>, AppError> {
    let withdraw = async |_| {
        let written = submit(&state, RatingOperation::Withdraw, &user, post).await;
        if format == ResponseFormat::Html && matches!(rate_error(&written), Some(RateError::NotRated)) {
            return Ok(build_repeated_result(post, phrase!("done-rating-removed")));
        }
        Ok(build_rating_result(written?, "done-rating-withdrawn"))
    };
    let page = async |_: Form, error: &AppError| render_post_with_error(&state, layout, &user, post, None, error).await;
    handle_form(input.into_payload(format), withdraw, page).await
}
