//! Views that create, change and read ratings.

use actix_web::web;
use askama::Template;

use super::error::RateError;
use super::models::{
    self, NewRating, OwnRating, RatedPost, Rating, RatingChange, RatingKey, RatingOperation, RatingStats,
    RatingStatsList, Stars,
};
use super::urls;
use crate::blog_posts::models::parse_post_ids;
use crate::blog_posts::post_detail::find_post_detail;
use crate::blog_posts::show_post::{PostPage, RatingFailure, RatingForm};
use crate::blog_posts::{self, PostId};
use crate::i18n::{Phrase, filters};
use crate::state::AppState;
use crate::users::rating_eligibility::find_missing_requirements;
use crate::web::error::{AppError, FeatureError};
use crate::web::request::body::{NoInput, Payload};
use crate::web::request::current_user::CurrentUser;
use crate::web::request::form_field::Field as _;
use crate::web::request::format::ResponseFormat;
use crate::web::request::query::Query;
use crate::web::response::form::Form;
use crate::web::response::layout::Layout;
use crate::web::response::pagination::{Pager, ResultPage};
use crate::web::response::view::{ActionResult, FormResponse, JsonResponse, PageResponse, handle_form};
use crate::web::state::CoreState;
use crate::{page, phrase};

pub async fn create(
    payload: Payload<NewRating>,
    user: Option<CurrentUser>,
    format: ResponseFormat,
    layout: Layout,
    state: web::Data<AppState>,
) -> Result<FormResponse<Rating, PostPage, 201>, AppError> {
    // Parsed before validation, so that the post's page can show the error of an invalid form.
    let post = PostId::from_text(payload.submitted_value("blog")).ok();
    let chosen = Stars::from_text(payload.submitted_value("rating")).ok();
    let Some(user) = user else { return Err(sign_in_first(post, chosen)) };
    let create = async |NewRating { blog, rating }| {
        if let Some(missing) = find_missing_requirements(&state, user.id).await? {
            return Err(RateError::NotEligible(missing).into());
        }
        let pair = RatingKey { user: user.id, post: blog };
        let written = state.writer.submit(RatingOperation::Create(rating), pair).await;
        state.page_cache.invalidate_throttled();
        let is_repeated =
            format == ResponseFormat::Html && matches!(rate_error(&written), Some(RateError::AlreadyRated));
        if is_repeated && models::find_own_rating(&state.pool, &user, blog).await? == rating {
            return Ok(repeated(blog, phrase!("done-rated", stars = rating.get())));
        }
        Ok(done(written?, "done-rated"))
    };
    let page = async |_: Form, error: &AppError| refused(&state, layout, &user, post?, chosen, error).await;
    handle_form(payload, create, page).await
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
        let pair = RatingKey { user: user.id, post };
        let written = state.writer.submit(RatingOperation::Change(rating), pair).await;
        state.page_cache.invalidate_throttled();
        Ok(done(written?, "done-rating-changed"))
    };
    let page = async |_: Form, error: &AppError| refused(&state, layout, &user, post, chosen, error).await;
    handle_form(payload, change, page).await
}

pub async fn withdraw(
    input: NoInput,
    post: PostId,
    user: CurrentUser,
    format: ResponseFormat,
    layout: Layout,
    state: web::Data<AppState>,
) -> Result<FormResponse<Rating, PostPage>, AppError> {
    let withdraw = async |_| {
        let written = state.writer.submit(RatingOperation::Withdraw, RatingKey { user: user.id, post }).await;
        state.page_cache.invalidate_throttled();
        if format == ResponseFormat::Html && matches!(rate_error(&written), Some(RateError::NotRated)) {
            return Ok(repeated(post, phrase!("done-rating-removed")));
        }
        Ok(done(written?, "done-rating-withdrawn"))
    };
    let page = async |_: Form, error: &AppError| refused(&state, layout, &user, post, None, error).await;
    handle_form(input.into_payload(format), withdraw, page).await
}

fn done<const STATUS: u16>(rate: Rating, message: &'static str) -> ActionResult<Rating, STATUS> {
    let location = blog_posts::urls::POST_BY_ID.path_for(rate.blog);
    let message = phrase!(message, stars = rate.rating.get());
    ActionResult::new(rate, location).with_inline_message(message)
}

fn rate_error<T>(result: &Result<T, AppError>) -> Option<&RateError> {
    result.as_ref().err().and_then(AppError::downcast_ref)
}

/// For a form that a browser submitted again, as with a double click.
fn repeated<const STATUS: u16>(post: PostId, message: Phrase) -> ActionResult<Rating, STATUS> {
    ActionResult::without_data(blog_posts::urls::POST_BY_ID.path_for(post)).with_inline_message(message)
}

/// `next` is the URL of the post with the selected stars.
fn sign_in_first(post: Option<PostId>, chosen: Option<Stars>) -> AppError {
    let next = post.map(|post| {
        let stars = chosen.map(|stars| format!("?stars={}", stars.get())).unwrap_or_default();
        format!("{}{stars}", blog_posts::urls::POST_BY_ID.path_for(post))
    });
    AppError::NotSignedIn { next }
}

/// Renders the post's page with the error next to the stars. `None` if the user cannot read the post.
async fn refused(
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

#[derive(Template)]
#[template(path = "rate/mine.html")]
pub struct OwnRatingsPage {
    layout: Layout,
    data: ResultPage<RatedPost>,
}

page!(OwnRatingsPage, data: ResultPage<RatedPost>, list data);

pub async fn list_own_ratings(
    user: CurrentUser,
    layout: Layout,
    query: Query,
    state: web::Data<AppState>,
) -> Result<PageResponse<OwnRatingsPage>, AppError> {
    let pager = Pager::new(urls::OWN_RATINGS.pattern, &query, &state.keys, models::PAGE_SIZE)?;
    let data = models::list_own_ratings(&state.pool, &user, &pager).await?;
    Ok(PageResponse::new(OwnRatingsPage { layout, data }))
}

pub async fn show_rating_stats(
    reader: Option<CurrentUser>,
    blog: PostId,
    state: web::Data<AppState>,
) -> Result<JsonResponse<RatingStats>, AppError> {
    let post_stats = models::list_rating_stats(state.read_pool(reader.as_ref()).await, &[blog])
        .await?
        .pop()
        .ok_or(AppError::NotFound)?;
    Ok(JsonResponse::public(post_stats.stats))
}

pub async fn list_rating_stats(
    reader: Option<CurrentUser>,
    query: Query,
    state: web::Data<AppState>,
) -> Result<JsonResponse<RatingStatsList>, AppError> {
    let ids = parse_post_ids(&query.get("ids")?.unwrap_or_default());
    let ids = ids.map_err(|problem| AppError::invalid_field("ids", problem))?;
    let results = models::list_rating_stats(state.read_pool(reader.as_ref()).await, &ids).await?;
    Ok(JsonResponse::public(RatingStatsList { results }))
}

pub async fn show_own_rating(
    user: CurrentUser,
    blog: PostId,
    state: web::Data<AppState>,
) -> Result<JsonResponse<OwnRating>, AppError> {
    let user_rating = models::find_own_rating(&state.pool, &user, blog).await?;
    Ok(JsonResponse::private(OwnRating { user_rating }))
}
