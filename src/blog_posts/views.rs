//! What happens at the addresses of posts.

use actix_web::http::StatusCode;
use actix_web::http::header::{CACHE_CONTROL, LOCATION, VARY};
use actix_web::{Either, HttpRequest, HttpResponse, Responder, web};
use askama::Template;
use percent_encoding::percent_decode_str;
use serde::Serialize;
use serde_json::{Value, json};

use super::cursor::{Cursor, Order, page_path};
use super::listing::{self, Filter, Listing, Summary};
use super::models::{self, Draft, NewPost, Post, Tags};
use super::search::{Found, Search};
use crate::markdown::{Rendered, Simplified};
use crate::users::models::{User, find_by_name};
use crate::users::{CurrentUser, Username};
use crate::web::error::AppError;
use crate::web::form::Form;
use crate::web::payload::{Field as _, Id, Nothing, Payload, Query};
use crate::web::state::AppState;
use crate::web::view::{Answer, Done, Format, Layout, Page, View, query_of};

/// A page of a list, as the contract has it.
#[derive(Debug, Serialize)]
pub struct PostList {
    results: Vec<Summary>,
    next: Option<String>,
    previous: Option<String>,
    /// Of a search: whether there may be more than what was found.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    partial: bool,
}

impl PostList {
    fn new(listing: Listing, base: &str, state: &AppState) -> Self {
        let path = |cursor: Option<Cursor>| cursor.map(|cursor| page_path(base, &cursor, &state.keys));
        Self { next: path(listing.next), previous: path(listing.previous), results: listing.results, partial: false }
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
    tag: Option<String>,
    /// What was searched for; empty for nothing.
    q: String,
    /// What became of the search.
    found: Found,
    data: PostList,
}

impl ListPage {
    fn heading(&self) -> String {
        match (&self.tag, self.order) {
            _ if !self.q.is_empty() => "Search".to_owned(),
            (Some(tag), _) => format!("#{tag}"),
            (None, Order::Top) => "Best rated".to_owned(),
            (None, _) => "Latest posts".to_owned(),
        }
    }

    /// The same list in another order.
    fn path(&self, order: &str) -> String {
        format!("/blogs/{}", query_of(&[("tag", self.tag.as_deref()), ("order", Some(order))]))
    }

    fn feed_query(&self) -> String {
        query_of(&[("tag", self.tag.as_deref())])
    }
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

impl ProfilePage {
    fn is_own(&self) -> bool {
        self.layout.user.as_ref().is_some_and(|user| user.id == self.data.user.id)
    }
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

/// What its author has not published yet.
#[derive(Template)]
#[template(path = "blog_posts/drafts.html")]
pub struct DraftsPage {
    layout: Layout,
    data: PostList,
}

impl Page for DraftsPage {
    type Data = PostList;

    fn data(&self) -> &PostList {
        &self.data
    }

    fn link(&self) -> Option<String> {
        self.data.link()
    }
}

/// A post with the form to rate it.
#[derive(Template)]
#[template(path = "blog_posts/show.html")]
pub struct PostPage {
    layout: Layout,
    data: Post,
    rating: RatingForm,
    public_url: String,
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
    pub fn new(state: &AppState, layout: Layout, data: Post, rating: RatingForm) -> Self {
        Self { layout, data, rating, public_url: state.settings.public_url.clone() }
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

    /// What a search engine may know: nothing that the page does not say.
    fn json_ld(&self) -> String {
        let post = &self.data;
        let mut data = json!({
            "@context": "https://schema.org",
            "@type": "BlogPosting",
            "headline": post.title,
            "description": post.excerpt,
            "url": format!("{}{}", self.public_url, post.path()),
            "datePublished": post.published_at,
            "dateModified": post.updated_at,
            "keywords": post.tags,
            "author": { "@type": "Person", "name": post.author.username,
                "url": format!("{}{}", self.public_url, crate::users::models::author_path(&post.author.username)) },
        });
        if post.rating_count >= MANY_ENOUGH {
            data["aggregateRating"] = json!({
                "@type": "AggregateRating",
                "ratingValue": (post.average_rating * 10.0).round() / 10.0,
                "ratingCount": post.rating_count,
                "bestRating": 5,
                "worstRating": 1,
            });
        }
        // Inside of a script element only this could end it.
        data.to_string().replace('<', "\\u003c")
    }
}

/// Ratings from which an average says something.
const MANY_ENOUGH: i64 = 3;

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
    /// Whether others see it already.
    published: bool,
    /// What it would look like.
    preview: Option<Rendered>,
    /// What somebody else has saved in between.
    theirs: Option<Post>,
}

impl WritePage {
    fn new(layout: Layout, form: Form, id: Option<i64>, published: bool) -> Self {
        Self { layout, form, id, published, preview: None, theirs: None }
    }

    /// Where the browser keeps what is typed: by user and post.
    fn storage_key(&self) -> String {
        let user = self.layout.user.as_ref().map_or(0, |user| user.id);
        format!("{user}:{}", self.id.map_or_else(|| "new".to_owned(), |id| id.to_string()))
    }
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
    let (q, tag) = (query.get("q")?.unwrap_or_default(), tag(&query)?);
    let search = Search::new(&q)?;
    let (order, order_query) = match query.get("order")?.as_deref() {
        None | Some("new") if search.is_some() => (Order::Relevance, None),
        None | Some("new") => (Order::New, None),
        Some("top") => (Order::Top, Some("top")),
        Some(_) => return Err(AppError::field("order", "Choose `new` or `top`.")),
    };
    let cursor = cursor(&query, order, &state)?;
    let (listing, found) = match &search {
        None => {
            let filter = Filter { tag: tag.clone(), ..Filter::default() };
            let listing = listing::list(&state.pool, layout.user.as_ref(), &filter, order, cursor).await?;
            (listing, Found::default())
        }
        Some(search) => {
            let found = state.searcher.find(search, tag.as_deref()).await?;
            let listing = listing::list_found(&state.pool, layout.user.as_ref(), &found, order, cursor).await?;
            (listing, Found { matches: Vec::new(), ..found })
        }
    };
    let parameters = [("q", search.as_ref().map(Search::text)), ("tag", tag.as_deref()), ("order", order_query)];
    let base = format!("/blogs/{}", query_of(&parameters));
    let data = PostList { partial: found.is_partial, ..PostList::new(listing, &base, &state) };
    Ok(View::new(ListPage { layout, order, tag, q: q.trim().to_owned(), found, data }))
}

/// # Errors
/// `invalid` for what cannot be a tag.
pub(super) fn tag(query: &Query) -> Result<Option<String>, AppError> {
    let one = |text: String| Tags::one(&text).map_err(|problem| AppError::field("tag", problem));
    query.get("tag")?.map(one).transpose()
}

fn cursor(query: &Query, order: Order, state: &AppState) -> Result<Option<Cursor>, AppError> {
    query.get("cursor")?.map(|text| Cursor::decode(&text, order, &state.keys)).transpose()
}

/// In every case and form of the name there is one page; it is where the name is written as its owner does.
pub async fn by_author(
    layout: Layout,
    request: HttpRequest,
    query: Query,
    username: web::Path<String>,
    state: web::Data<AppState>,
) -> Result<Either<View<ProfilePage>, HttpResponse>, AppError> {
    let username = Username::from_text(&username).map_err(|_| AppError::NotFound)?;
    let cursor = cursor(&query, Order::New, &state)?;
    let user = find_by_name(&state.pool, &username).await?;
    if request.path() != user.path() {
        return Ok(Either::Right(moved(&request, &user.path(), false)));
    }
    let filter = Filter { author: Some(user.id), ..Filter::default() };
    let listing = listing::list(&state.pool, layout.user.as_ref(), &filter, Order::New, cursor).await?;
    let posts = PostList::new(listing, &user.path(), &state);
    Ok(Either::Left(View::new(ProfilePage { layout, data: Profile { user, posts } })))
}

pub async fn drafts(
    user: CurrentUser,
    layout: Layout,
    query: Query,
    state: web::Data<AppState>,
) -> Result<impl Responder, AppError> {
    let cursor = cursor(&query, Order::New, &state)?;
    let filter = Filter { author: Some(user.id), drafts: true, ..Filter::default() };
    let listing = listing::list(&state.pool, Some(&user), &filter, Order::New, cursor).await?;
    Ok(View::new(DraftsPage { layout, data: PostList::new(listing, "/blogs/drafts/", &state) }))
}

/// A post's page has its title in its address; programs stay with the id.
pub async fn show(
    id: Id,
    layout: Layout,
    request: HttpRequest,
    query: Query,
    state: web::Data<AppState>,
) -> Result<Either<View<PostPage>, HttpResponse>, AppError> {
    let post = match Format::of(&request) {
        Format::Json => models::find(&state.pool, id, layout.user.as_ref()).await?,
        Format::Html => models::find_for_page(&state.pool, &state.clock, id, layout.user.as_ref()).await?,
    };
    let slug = request.match_info().get("slug").map(|slug| percent_decode_str(slug).decode_utf8_lossy().into_owned());
    let canonical = match Format::of(&request) {
        Format::Json => slug.is_some().then(|| format!("/blogs/{}/", post.id)),
        Format::Html => (slug.as_ref() != Some(&post.slug)).then(|| post.path()),
    };
    if let Some(path) = canonical {
        return Ok(Either::Right(moved(&request, &path, post.is_draft())));
    }
    // A star chosen before signing in stays chosen. Anything else in its place is ignored, as a link may be old.
    let given = query.get("stars").ok().flatten();
    let chosen = (1..=5u8).find(|stars| given.as_ref() == Some(&stars.to_string()));
    let rating = RatingForm { chosen, failure: None };
    Ok(Either::Left(View::new(PostPage::new(&state, layout, post, rating))))
}

/// To the address that a post has now; the query goes with it.
fn moved(request: &HttpRequest, path: &str, secret: bool) -> HttpResponse {
    let query = request.uri().query().map(|query| format!("?{query}")).unwrap_or_default();
    HttpResponse::PermanentRedirect()
        .insert_header((LOCATION, format!("{path}{query}")))
        .insert_header((VARY, "Accept, Cookie"))
        // Titles change, and a draft's is nobody's business.
        .insert_header((CACHE_CONTROL, if secret { "no-store" } else { "no-cache" }))
        .finish()
}

pub async fn create_form(layout: Layout, _: CurrentUser) -> impl Responder {
    View::new(WritePage::new(layout, Form::of(&[("title", ""), ("tags", ""), ("content", "")]), None, false))
}

pub async fn create(
    payload: Payload<NewPost>,
    user: CurrentUser,
    layout: Layout,
    state: web::Data<AppState>,
) -> Result<Answer<Post, WritePage>, AppError> {
    let (post, typed) = payload.into_parts();
    let created = match post {
        Ok(post) => models::create(&state, &user, &post).await,
        Err(error) => Err(error),
    };
    Ok(match created {
        Ok(post) => {
            let message =
                saved(if post.is_draft() { "Your draft is saved." } else { "Your post is published." }, &post);
            let (location, resource) = (post.path(), format!("/blogs/{}/", post.id));
            Answer::Left(Done::new(StatusCode::CREATED, post, location).resource(resource).message(message))
        }
        Err(error) => {
            let page = WritePage::new(layout, Form::rejected(typed, &error), None, false);
            Answer::Right(View::rejected(page, error))
        }
    })
}

/// What was done, and what its author should know of it.
fn saved(done: &str, post: &Post) -> String {
    post.notice.map_or_else(|| done.to_owned(), |notice| format!("{done} {notice}"))
}

fn form_of(post: &Post) -> Form {
    let (tags, version) = (post.tags.join(", "), post.version.to_string());
    Form::of(&[("title", &post.title), ("tags", &tags), ("content", &post.content), ("version", &version)])
}

pub async fn edit_form(
    user: CurrentUser,
    id: Id,
    layout: Layout,
    state: web::Data<AppState>,
) -> Result<impl Responder, AppError> {
    let post = models::find_to_change(&state.pool, id, &user).await?;
    Ok(View::new(WritePage::new(layout, form_of(&post), Some(post.id), !post.is_draft())))
}

pub async fn edit(
    payload: Payload<NewPost>,
    user: CurrentUser,
    id: Id,
    layout: Layout,
    state: web::Data<AppState>,
) -> Result<Answer<Post, WritePage>, AppError> {
    let (change, typed) = payload.into_parts();
    // Whoever may not change it is told so first, and not what would be wrong with the change.
    let post = match models::find_to_change(&state.pool, id, &user).await {
        Err(error @ (AppError::NotFound | AppError::Forbidden)) if change.is_ok() => return Err(error),
        found => found.ok(),
    };
    let changed = match change {
        Ok(change) => save(&state, id, &user, post.as_ref(), &change).await,
        Err(error) => Err(error),
    };
    match changed {
        Ok(post) => {
            let message =
                saved(if post.is_draft() { "Your draft is saved." } else { "Your changes are saved." }, &post);
            Ok(Answer::Left(Done::new(StatusCode::OK, post.clone(), post.path()).message(message)))
        }
        Err(error @ (AppError::NotFound | AppError::Forbidden)) => Err(error),
        Err(error) => {
            let published = post.as_ref().is_some_and(|post| !post.is_draft());
            let mut page = WritePage::new(layout, Form::rejected(typed, &error), Some(id.0), published);
            if matches!(error, AppError::Conflict) {
                page.theirs = models::find_to_change(&state.pool, id, &user).await.ok();
                if let Some(theirs) = &page.theirs {
                    // Saved again, it replaces what is shown beside it, and nothing newer.
                    page.form.set("version", theirs.version.to_string());
                }
            }
            Ok(Answer::Right(View::rejected(page, error)))
        }
    }
}

async fn save(
    state: &AppState,
    id: Id,
    user: &CurrentUser,
    post: Option<&Post>,
    change: &NewPost,
) -> Result<Post, AppError> {
    if post.is_some_and(|post| !post.is_draft()) && change.is_draft() {
        return Err(AppError::field("status", "A published post cannot become a draft again."));
    }
    let simplified = models::update(state, user, id, change).await?;
    let post = models::find(&state.pool, id, Some(user)).await?;
    Ok(Post { notice: simplified.map(Simplified::notice), ..post })
}

/// What a text would look like. Without scripts the form comes back with it; `?post=` says which one that is.
pub async fn preview(
    payload: Payload<Draft>,
    layout: Layout,
    query: Query,
    format: Format,
    state: web::Data<AppState>,
) -> Result<Either<View<WritePage>, HttpResponse>, AppError> {
    let (draft, typed) = payload.into_parts();
    let post = query.get("post")?.and_then(|id| Id::from_text(&id).ok());
    if layout.user.is_none() {
        // Back to the form, where the browser has kept what was typed.
        let form = post.map_or_else(|| "/blogs/create/".to_owned(), |Id(id)| format!("/blogs/{id}/edit/"));
        return Err(AppError::NotSignedIn { next: Some(form) });
    }
    let rendered = match draft {
        Ok(Draft { content }) => state.renderer.render(content).await,
        Err(error) => Err(error),
    };
    if format == Format::Json {
        let rendered = rendered?;
        let mut data: Value = json!({ "content_html": rendered.html });
        if let Some(simplified) = rendered.simplified {
            data["notice"] = simplified.notice().into();
        }
        return Ok(Either::Right(HttpResponse::Ok().insert_header((CACHE_CONTROL, "no-store")).json(data)));
    }
    let post = match post {
        Some(id) => models::find(&state.pool, id, layout.user.as_ref()).await.ok(),
        None => None,
    };
    let (id, published) = (post.as_ref().map(|post| post.id), post.is_some_and(|post| !post.is_draft()));
    Ok(Either::Left(match rendered {
        Ok(rendered) => {
            let mut page = WritePage::new(layout, Form::typed(typed), id, published);
            page.preview = Some(rendered);
            View::new(page)
        }
        Err(error) => View::rejected(WritePage::new(layout, Form::rejected(typed, &error), id, published), error),
    }))
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
    models::delete(&state.pool, &user, id).await?;
    tracing::info!(user_id = user.id, post_id = post.id, "post deleted");
    let (message, next) = if post.is_draft() {
        ("The draft is deleted.", "/blogs/drafts/")
    } else {
        ("The post is deleted, with its ratings.", "/blogs/")
    };
    Ok(Done::no_content(next).message(message))
}
