//! What happens at the addresses of ratings.

use actix_web::http::StatusCode;
use actix_web::http::header::CACHE_CONTROL;
use actix_web::{HttpResponse, web};
use askama::Template;
use serde::Serialize;
use serde_json::json;

use super::models::{self, ChangedRate, NewRate, Rate, RatedPost, Stars};
use super::writer::{Act, RateWriter};
use crate::blog_posts::cursor::{Cursor, Order, Slice, page_path};
use crate::blog_posts::models::find_for_page;
use crate::blog_posts::views::{PostPage, RatingFailure, RatingForm};
use crate::users::CurrentUser;
use crate::web::error::AppError;
use crate::web::payload::{Field as _, Id, Payload, Query};
use crate::web::state::AppState;
use crate::web::view::{Answer, Done, Format, Layout, Page, View};

pub async fn create(
    payload: Payload<NewRate>,
    (layout, format): (Layout, Format),
    state: web::Data<AppState>,
    writer: web::Data<RateWriter>,
) -> Result<Answer<Rate, PostPage>, AppError> {
    let (new, typed) = payload.into_parts();
    let typed_as = |name: &str| typed.get(name).map_or("", String::as_str);
    // The post's page can be shown again as soon as it is known which one it is.
    let (blog, stars) = (Id::from_text(typed_as("blog")).ok(), Stars::from_text(typed_as("rating")).ok());
    let Some(user) = &layout.user else { return Err(sign_in_first(blog, stars)) };
    let created = match new {
        Ok(NewRate { blog, rating }) => writer.submit(Act::Create, user.id, blog, rating).await,
        Err(error) => Err(error),
    };
    match created {
        Ok(rate) => Ok(Answer::Left(done(StatusCode::CREATED, rate, "Your rating of {} is saved."))),
        Err(error) => refused(&state, layout, format, (blog, stars), error).await,
    }
}

pub async fn change(
    payload: Payload<ChangedRate>,
    blog: Id,
    (layout, format): (Layout, Format),
    state: web::Data<AppState>,
    writer: web::Data<RateWriter>,
) -> Result<Answer<Rate, PostPage>, AppError> {
    let (changed, typed) = payload.into_parts();
    let stars = typed.get("rating").and_then(|text| Stars::from_text(text).ok());
    let Some(user) = &layout.user else { return Err(sign_in_first(Some(blog), stars)) };
    let changed = match changed {
        Ok(ChangedRate { rating }) => writer.submit(Act::Change, user.id, blog, rating).await,
        Err(error) => Err(error),
    };
    match changed {
        Ok(rate) => Ok(Answer::Left(done(StatusCode::OK, rate, "Your rating is now {}."))),
        Err(error) => refused(&state, layout, format, (Some(blog), stars), error).await,
    }
}

fn done(status: StatusCode, rate: Rate, message: &str) -> Done<Rate> {
    let stars = match rate.rating.get() {
        1 => "1 star".to_owned(),
        stars => format!("{stars} stars"),
    };
    let location = format!("/blogs/{}/", rate.blog);
    Done::new(status, rate, location).message(message.replace("{}", &stars))
}

/// The chosen star survives the sign-in.
fn sign_in_first(blog: Option<Id>, stars: Option<Stars>) -> AppError {
    let next = blog.map(|Id(blog)| match stars {
        Some(stars) => format!("/blogs/{blog}/?stars={}", stars.get()),
        None => format!("/blogs/{blog}/"),
    });
    AppError::NotSignedIn { next }
}

/// For a person: the post's page again, with the star still chosen and the reason beside it.
async fn refused(
    state: &AppState,
    layout: Layout,
    format: Format,
    (blog, stars): (Option<Id>, Option<Stars>),
    error: AppError,
) -> Result<Answer<Rate, PostPage>, AppError> {
    let Some(blog) = blog.filter(|_| format == Format::Html) else { return Err(error) };
    // Without the post there is no page to show: then the first error is the one to tell.
    let Ok(post) = find_for_page(&state.pool, &state.clock, blog, layout.user.as_ref()).await else {
        return Err(error);
    };
    let detail = match &error {
        AppError::Invalid(errors) => errors.values().flatten().cloned().collect::<Vec<_>>().join(" "),
        other => other.detail(),
    };
    let link = if let AppError::Paused { link } = &error { Some(link.clone()) } else { None };
    let failure = Some(RatingFailure { title: error.title(), detail, link, retry_after: error.retry_after() });
    let chosen = stars.and_then(|stars| u8::try_from(stars.get()).ok());
    let rating = RatingForm { chosen, failure };
    let page = PostPage::new(state, layout, post, rating);
    Ok(Answer::Right(View::rejected(page, error)))
}

/// One's own ratings.
#[derive(Debug, Serialize)]
pub struct RatedPosts {
    results: Vec<RatedPost>,
    next: Option<String>,
    previous: Option<String>,
}

#[derive(Template)]
#[template(path = "rate/mine.html")]
pub struct MinePage {
    layout: Layout,
    data: RatedPosts,
}

impl Page for MinePage {
    type Data = RatedPosts;

    fn data(&self) -> &RatedPosts {
        &self.data
    }
}

pub async fn mine(
    user: CurrentUser,
    layout: Layout,
    query: Query,
    state: web::Data<AppState>,
) -> Result<View<MinePage>, AppError> {
    let cursor = query.get("cursor")?.map(|text| Cursor::decode(&text, Order::New, &state.keys)).transpose()?;
    let Slice { results, next, previous } = models::own(&state.pool, &user, cursor).await?;
    let path = |cursor: Option<Cursor>| cursor.map(|cursor| page_path("/rate/mine/", &cursor, &state.keys));
    let data = RatedPosts { results, next: path(next), previous: path(previous) };
    Ok(View::new(MinePage { layout, data }))
}

/// Always JSON.
pub async fn blog_rating(blog: Id, state: web::Data<AppState>) -> Result<HttpResponse, AppError> {
    let rating = models::stats(&state.pool, blog).await?;
    Ok(HttpResponse::Ok().insert_header((CACHE_CONTROL, "no-cache")).json(rating))
}

/// Always JSON.
pub async fn user_rating(user: CurrentUser, blog: Id, state: web::Data<AppState>) -> Result<HttpResponse, AppError> {
    let rating = models::of_user(&state.pool, &user, blog).await?;
    Ok(HttpResponse::Ok().insert_header((CACHE_CONTROL, "no-store")).json(json!({ "user_rating": rating })))
}
