//! What happens at the addresses of posts.

use actix_web::http::StatusCode;
use actix_web::{Responder, web};
use askama::Template;
use serde::Serialize;

use super::cursor::{Cursor, Order};
use super::models::{self, Listing, NewPost, Post, Summary};
use crate::error::AppError;
use crate::form::Form;
use crate::payload::{Field as _, Id, Nothing, Payload, Query};
use crate::state::AppState;
use crate::users::models::User;
use crate::users::{CurrentUser, Username};
use crate::view::{Answer, Done, Layout, Page, View};

/// A page of a list, as the contract has it.
#[derive(Debug, Serialize)]
pub struct PostList {
    results: Vec<Summary>,
    next: Option<String>,
    previous: Option<String>,
}

impl PostList {
    fn new(listing: Listing, base: &str, state: &AppState) -> Self {
        let path = |cursor: Option<Cursor>| cursor.map(|cursor| models::page_path(base, &cursor, &state.keys));
        Self { next: path(listing.next), previous: path(listing.previous), results: listing.results }
    }

    fn link(&self) -> Option<String> {
        let next = self.next.as_ref().map(|path| format!("<{path}>; rel=\"next\""));
        let previous = self.previous.as_ref().map(|path| format!("<{path}>; rel=\"prev\""));
        let links: Vec<String> = next.into_iter().chain(previous).collect();
        (!links.is_empty()).then(|| links.join(", "))
    }
}

#[derive(Template)]
#[template(path = "blog_posts/list.html")]
pub struct ListPage {
    layout: Layout,
    order: Order,
    data: PostList,
}

impl Page for ListPage {
    type Data = PostList;

    fn data(&self) -> &PostList {
        &self.data
    }

    fn link(&self) -> Option<String> {
        self.data.link()
    }
}

/// A user and their posts.
#[derive(Debug, Serialize)]
pub struct Profile {
    #[serde(flatten)]
    user: User,
    posts: PostList,
}

#[derive(Template)]
#[template(path = "blog_posts/by_author.html")]
pub struct ProfilePage {
    layout: Layout,
    data: Profile,
}

impl Page for ProfilePage {
    type Data = Profile;

    fn data(&self) -> &Profile {
        &self.data
    }

    fn link(&self) -> Option<String> {
        self.data.posts.link()
    }
}

/// A post with the form to rate it.
#[derive(Template)]
#[template(path = "blog_posts/show.html")]
pub struct PostPage {
    layout: Layout,
    data: Post,
    rating: RatingForm,
}

/// The stars that are chosen, and why they were not accepted.
#[derive(Debug, Default)]
pub struct RatingForm {
    pub chosen: Option<u8>,
    pub failure: Option<RatingFailure>,
}

#[derive(Debug)]
pub struct RatingFailure {
    pub title: &'static str,
    pub detail: String,
    /// Seconds after which the reader can try again.
    pub retry_after: Option<i64>,
    /// Where the reader can do something about it.
    pub link: Option<String>,
}

impl PostPage {
    #[must_use]
    pub fn new(layout: Layout, data: Post, rating: RatingForm) -> Self {
        Self { layout, data, rating }
    }

    fn is_author(&self) -> bool {
        self.layout.user.as_ref().is_some_and(|user| user.id == self.data.author.id)
    }

    fn may_change(&self) -> bool {
        self.layout.user.as_ref().is_some_and(|user| self.data.may_be_changed_by(user))
    }

    fn is_chosen(&self, stars: &u8) -> bool {
        let chosen = self.rating.chosen.map(i16::from).or(self.data.my_rating);
        chosen == Some(i16::from(*stars))
    }
}

impl Page for PostPage {
    type Data = Post;

    fn data(&self) -> &Post {
        &self.data
    }
}

/// For a new post, and for changing one.
#[derive(Template)]
#[template(path = "blog_posts/form.html")]
pub struct WritePage {
    layout: Layout,
    form: Form,
    /// None for a new post.
    id: Option<i64>,
}

impl Page for WritePage {
    type Data = Form;

    fn data(&self) -> &Form {
        &self.form
    }
}

#[derive(Template)]
#[template(path = "blog_posts/delete.html")]
pub struct DeletePage {
    layout: Layout,
    data: Post,
}

impl Page for DeletePage {
    type Data = Post;

    fn data(&self) -> &Post {
        &self.data
    }
}

pub async fn list(layout: Layout, query: Query, state: web::Data<AppState>) -> Result<impl Responder, AppError> {
    let (order, base) = match query.get("order")?.as_deref() {
        None | Some("new") => (Order::New, "/blogs/"),
        Some("top") => (Order::Top, "/blogs/?order=top"),
        Some(_) => return Err(AppError::field("order", "Choose `new` or `top`.")),
    };
    let cursor = cursor(&query, order, &state)?;
    let listing = models::list(&state.pool, layout.user.as_ref(), order, cursor).await?;
    Ok(View::new(ListPage { layout, order, data: PostList::new(listing, base, &state) }))
}

fn cursor(query: &Query, order: Order, state: &AppState) -> Result<Option<Cursor>, AppError> {
    query.get("cursor")?.map(|text| Cursor::decode(&text, order, &state.keys)).transpose()
}

pub async fn by_author(
    layout: Layout,
    query: Query,
    username: web::Path<String>,
    state: web::Data<AppState>,
) -> Result<impl Responder, AppError> {
    let username = Username::from_text(&username).map_err(|_| AppError::NotFound)?;
    let cursor = cursor(&query, Order::New, &state)?;
    let (user, listing) = models::list_by_author(&state.pool, layout.user.as_ref(), &username, cursor).await?;
    let posts = PostList::new(listing, &user.path(), &state);
    Ok(View::new(ProfilePage { layout, data: Profile { user, posts } }))
}

pub async fn show(
    id: Id,
    layout: Layout,
    query: Query,
    state: web::Data<AppState>,
) -> Result<impl Responder, AppError> {
    let post = models::find(&state.pool, id, layout.user.as_ref()).await?;
    // A star chosen before signing in stays chosen. Anything else in its place is ignored, as a link may be old.
    let given = query.get("stars").ok().flatten();
    let chosen = (1..=5u8).find(|stars| given.as_ref() == Some(&stars.to_string()));
    Ok(View::new(PostPage::new(layout, post, RatingForm { chosen, failure: None })))
}

pub async fn create_form(layout: Layout, _: CurrentUser) -> impl Responder {
    View::new(WritePage { layout, form: Form::of(&[("title", ""), ("content", "")]), id: None })
}

pub async fn create(
    payload: Payload<NewPost>,
    user: CurrentUser,
    layout: Layout,
    state: web::Data<AppState>,
) -> Result<Answer<Post, WritePage>, AppError> {
    let (post, typed) = payload.into_parts();
    let created = match post {
        Ok(post) => models::create(&state.pool, &state.clock, &user, &post).await.map_err(AppError::from),
        Err(error) => Err(error),
    };
    Ok(match created {
        Ok(post) => {
            let location = format!("/blogs/{}/", post.id);
            Answer::Left(Done::new(StatusCode::CREATED, post, location).message("Your post is published."))
        }
        Err(error) => {
            let page = WritePage { layout, form: Form::rejected(typed, &error), id: None };
            Answer::Right(View::rejected(page, error))
        }
    })
}

pub async fn edit_form(
    user: CurrentUser,
    id: Id,
    layout: Layout,
    state: web::Data<AppState>,
) -> Result<impl Responder, AppError> {
    let post = models::find_to_change(&state.pool, id, &user).await?;
    let form = Form::of(&[("title", &post.title), ("content", &post.content)]);
    Ok(View::new(WritePage { layout, form, id: Some(post.id) }))
}

pub async fn edit(
    payload: Payload<NewPost>,
    user: CurrentUser,
    id: Id,
    layout: Layout,
    state: web::Data<AppState>,
) -> Result<Answer<Post, WritePage>, AppError> {
    let (change, typed) = payload.into_parts();
    let changed = match change {
        Ok(change) => save(&state, id, &user, &change).await,
        Err(error) => Err(error),
    };
    match changed {
        Ok(post) => {
            let location = format!("/blogs/{}/", post.id);
            Ok(Answer::Left(Done::new(StatusCode::OK, post, location).message("Your changes are saved.")))
        }
        Err(error @ (AppError::NotFound | AppError::Forbidden)) => Err(error),
        Err(error) => {
            let page = WritePage { layout, form: Form::rejected(typed, &error), id: Some(id.0) };
            Ok(Answer::Right(View::rejected(page, error)))
        }
    }
}

async fn save(state: &AppState, id: Id, user: &CurrentUser, change: &NewPost) -> Result<Post, AppError> {
    models::find_to_change(&state.pool, id, user).await?;
    models::update(&state.pool, &state.clock, id, change).await?;
    models::find(&state.pool, id, Some(user)).await
}

pub async fn delete_form(
    user: CurrentUser,
    id: Id,
    layout: Layout,
    state: web::Data<AppState>,
) -> Result<impl Responder, AppError> {
    let data = models::find_to_change(&state.pool, id, &user).await?;
    Ok(View::new(DeletePage { layout, data }))
}

/// The button of the page before is the confirmation.
pub async fn delete(
    _: Nothing,
    user: CurrentUser,
    id: Id,
    state: web::Data<AppState>,
) -> Result<impl Responder, AppError> {
    let post = models::find_to_change(&state.pool, id, &user).await?;
    models::delete(&state.pool, id).await?;
    tracing::info!(user_id = user.id, post_id = post.id, "post deleted");
    Ok(Done::no_content("/blogs/").message("The post is deleted, with its ratings."))
}
