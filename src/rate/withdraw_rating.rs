//! Withdraw a rating.

use actix_web::web;

use super::error::RateError;
use super::models::{Rating, RatingOperation};
use super::rate_post::{done, rate_error, refused, repeated, submit};
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
            return Ok(repeated(post, phrase!("done-rating-removed")));
        }
        Ok(done(written?, "done-rating-withdrawn"))
    };
    let page = async |_: Form, error: &AppError| refused(&state, layout, &user, post, None, error).await;
    handle_form(input.into_payload(format), withdraw, page).await
}
