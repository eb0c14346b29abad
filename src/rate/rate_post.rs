//! Rate a post, and the responses to all forms about a rating.

use actix_web::web;

use super::error::RateError;
use super::models::{Rating, RatingKey, RatingOperation, Stars, find_own_rating};
use crate::blog_posts::post_detail::find_post_detail;
use crate::blog_posts::show_post::{PostPage, RatingFailure, RatingForm};
use crate::blog_posts::{self, PostId};
use crate::i18n::Phrase;
use crate::phrase;
use crate::state::AppState;
use crate::users::rating_eligibility::find_missing_requirements;
use crate::web::error::{AppError, FeatureError};
use crate::web::request::body::Payload;
use crate::web::request::current_user::CurrentUser;
use crate::web::request::form_field::{Field as _, Fields, FormInput};
use crate::web::request::format::ResponseFormat;
use crate::web::response::form::Form;
use crate::web::response::layout::Layout;
use crate::web::response::view::{ActionResult, FormResponse, handle_form};
use crate::web::state::CoreState;

#[derive(Clone, Copy, Debug)]
pub struct NewRating {
    pub blog: PostId,
    pub rating: Stars,
}

impl FormInput for NewRating {
    fn read(fields: &mut Fields) -> Option<Self> {
        let (blog, rating) = (fields.take("blog"), fields.take("rating"));
        Some(Self { blog: blog?, rating: rating? })
    }
}

pub async fn create(
    payload: Payload<NewRating>,
    user: Option<CurrentUser>,
    format: ResponseFormat,
    layout: Layout,
    state: web::Data<AppState>,
) -> Result<FormResponse<Rating, PostPage, 201>, AppError> {
    // Parses the fields before validation, so that the post's page can show the error of an invalid form.
    let post = PostId::from_text(payload.submitted_value("blog")).ok();
    let chosen = Stars::from_text(payload.submitted_value("rating")).ok();
    let Some(user) = user else { return Err(sign_in_first(post, chosen)) };
    let create = async |NewRating { blog, rating }| {
        if let Some(missing) = find_missing_requirements(&state, user.id).await? {
            return Err(RateError::NotEligible(missing).into());
        }
        let written = submit(&state, RatingOperation::Create(rating), &user, blog).await;
        let is_repeated =
            format == ResponseFormat::Html && matches!(rate_error(&written), Some(RateError::AlreadyRated));
        if is_repeated && find_own_rating(&state.pool, &user, blog).await? == rating {
            return Ok(build_repeated_result(blog, phrase!("done-rated", stars = rating.get())));
        }
        Ok(build_rating_result(written?, "done-rated"))
    };
    let page =
        async |_: Form, error: &AppError| render_post_with_error(&state, layout, &user, post?, chosen, error).await;
    handle_form(payload, create, page).await
}

/// Submits a rating, and invalidates the page cache even if the rating is refused.
pub(super) async fn submit(
    state: &AppState,
    operation: RatingOperation,
    user: &CurrentUser,
    post: PostId,
) -> Result<Rating, AppError> {
    let written = state.writer.submit(operation, RatingKey { user: user.id, post }).await;
    state.page_cache.invalidate_throttled();
    written
}

pub(super) fn build_rating_result<const STATUS: u16>(
    rate: Rating,
    message: &'static str,
) -> ActionResult<Rating, STATUS> {
    let location = blog_posts::urls::POST_BY_ID.path_for(rate.blog);
    let message = phrase!(message, stars = rate.rating.get());
    ActionResult::new(rate, location).with_inline_message(message)
}

pub(super) fn rate_error<T>(result: &Result<T, AppError>) -> Option<&RateError> {
    result.as_ref().err().and_then(AppError::downcast_ref)
}

/// Redirects a browser that has submitted a form twice, as with a double click, to the post.
pub(super) fn build_repeated_result<const STATUS: u16>(post: PostId, message: Phrase) -> ActionResult<Rating, STATUS> {
    ActionResult::without_data(blog_posts::urls::POST_BY_ID.path_for(post)).with_inline_message(message)
}

/// `next` is the URL of the post with the selected stars.
pub(super) fn sign_in_first(post: Option<PostId>, chosen: Option<Stars>) -> AppError {
    let next = post.map(|post| {
        let stars = chosen.map(|stars| format!("?stars={}", stars.get())).unwrap_or_default();
        format!("{}{stars}", blog_posts::urls::POST_BY_ID.path_for(post))
    });
    AppError::NotSignedIn { next }
}

/// Renders the post's page with the error next to the stars. `None` if the user cannot read the post.
pub(super) async fn render_post_with_error(
    state: &CoreState,
    layout: Layout,
    user: &CurrentUser,
    post: PostId,
    chosen: Option<Stars>,
    error: &AppError,
) -> Option<PostPage> {
    let article = find_post_detail(&state.pool, &state.clock, post, Some(user)).await.ok()?;
    let words = error.error_text();
    let problem = error.downcast_ref();
    let detail: Vec<_> = match (error, problem, chosen) {
        (AppError::Invalid(errors), ..) => errors.values().flatten().cloned().collect(),
        (_, Some(RateError::PostRateLimited { .. }), Some(stars)) => {
            vec![phrase!("rating-not-submitted", stars = stars.get())]
        }
        (_, Some(RateError::EditLimited { .. }), Some(stars)) => {
            vec![phrase!("rating-change-not-saved", stars = stars.get())]
        }
        _ => vec![words.detail],
    };
    let current_rating = article.head.my_rating.map(|stars| phrase!("rating-still", stars = stars));
    let detail = current_rating.into_iter().chain(detail).collect();
    let link = problem.and_then(FeatureError::extension).map(|(_, link)| link.to_owned());
    let is_limited = matches!(problem, Some(RateError::PostRateLimited { .. } | RateError::EditLimited { .. }));
    let submit_later = chosen.map(Stars::value).filter(|_| is_limited);
    let retry_after = error.retry_after();
    let failure = Some(RatingFailure { title: words.title, detail, link, retry_after, submit_later });
    let rating = RatingForm { selected: chosen.map(Stars::value), failure };
    PostPage::load(state, layout, article, rating).await.ok()
}
