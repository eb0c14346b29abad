//! Change a rating.

use actix_web::web;

use super::models::{Rating, RatingOperation, Stars};
use super::rate_post::{build_rating_result, render_post_with_error, sign_in_first, submit};
use crate::blog_posts::PostId;
use crate::blog_posts::show_post::PostPage;
use crate::phrase;
use crate::state::AppState;
use crate::web::error::AppError;
use crate::web::request::body::Payload;
use crate::web::request::current_user::CurrentUser;
use crate::web::request::form_field::{Field as _, Fields, FormInput};
use crate::web::response::form::Form;
use crate::web::response::layout::Layout;
use crate::web::response::view::{FormResponse, handle_form};

/// Clients of `BitPin-Blog` also send `blog`, which must be the post in the URL.
#[derive(Clone, Copy, Debug)]
pub struct RatingChange {
    pub blog: Option<PostId>,
    pub rating: Stars,
}

impl FormInput for RatingChange {
    fn read(fields: &mut Fields) -> Option<Self> {
        let (blog, rating) = (fields.take_optional("blog"), fields.take("rating"));
        Some(Self { blog: blog?, rating: rating? })
    }
}

pub async fn change(
    payload: Payload<RatingChange>,
    post: PostId,
    user: Option<CurrentUser>,
    layout: Layout,
    state: web::Data<AppState>,
) -> Result<FormResponse<Rating, PostPage>, AppError> {
    let chosen = Stars::from_text(payload.submitted_value("rating")).ok();
    let Some(user) = user else { return Err(sign_in_first(Some(post), chosen)) };
    let change = async |RatingChange { blog, rating }| {
        if blog.is_some_and(|blog| blog != post) {
            return Err(AppError::invalid_field("blog", phrase!("invalid-other-post", id = post.0.to_string())));
        }
        let rate = submit(&state, RatingOperation::Change(rating), &user, post).await?;
        Ok(build_rating_result(rate, "done-rating-changed"))
    };
    let page =
        async |_: Form, error: &AppError| render_post_with_error(&state, layout, &user, post, chosen, error).await;
    handle_form(payload, change, page).await
}
