//! Page of an author: profile and posts.

use actix_web::{Either, HttpRequest, HttpResponse, web};
use askama::Template;
use evenkeel_markdown::render_plain;
use schemars::JsonSchema;
use serde::Serialize;
use sqlx::PgPool;

use super::listing::{self, PAGE_SIZE, PostFilter, PostOrder, PostSummary};
use super::rendering::Renderer;
use super::show_post::permanent_redirect;
use crate::i18n::filters;
use crate::page;
use crate::permits::Requester;
use crate::state::AppState;
use crate::users::Username;
use crate::users::models::{self as users, Profile, User, find_by_username};
use crate::web::error::AppError;
use crate::web::request::current_user::{CurrentUser, UserId};
use crate::web::request::query::Query;
use crate::web::response::layout::Layout;
use crate::web::response::pagination::{Pager, ResultPage};
use crate::web::response::view::PageResponse;

#[derive(Debug, JsonSchema, Serialize)]
pub struct AuthorProfile {
    #[serde(flatten)]
    user: User,
    #[serde(flatten)]
    introduction: AuthorBio,
    posts: ResultPage<PostSummary>,
    /// Number of published posts.
    post_count: i64,
    /// True on a user's own page if the user may not rate some posts for now, after too many failed attempts.
    #[serde(skip)]
    has_paused: bool,
    /// True if the user is approved to publish. Set only if the viewer is staff and the site requires approval for
    /// publishing.
    #[serde(skip_serializing_if = "Option::is_none")]
    approved: Option<bool>,
}

#[derive(Template)]
#[template(path = "blog_posts/by_author.html")]
pub struct AuthorPage {
    layout: Layout,
    data: AuthorProfile,
}

impl AuthorPage {
    fn author_name(&self) -> &str {
        self.data.introduction.display_name.as_deref().unwrap_or(&self.data.user.username)
    }

    fn is_own(&self) -> bool {
        self.layout.user.as_ref().is_some_and(|user| user.id == self.data.user.id)
    }
}

page!(AuthorPage, data: AuthorProfile, list data.posts);

/// Public profile of an author, in which warnings replace flagged URLs.
#[derive(Debug, Default, JsonSchema, Serialize)]
pub struct AuthorBio {
    pub display_name: Option<String>,
    pub about: Option<String>,
    pub about_html: Option<String>,
    pub link: Option<String>,
    /// Path of the avatar image.
    pub avatar: Option<String>,
}

impl AuthorBio {
    pub async fn render(profile: Profile, renderer: &Renderer, requester: Requester) -> Self {
        let Profile { display_name, about, link, avatar, .. } = profile;
        if about.is_none() && link.is_none() {
            return Self { display_name, avatar, ..Self::default() };
        }
        let text = about.clone().unwrap_or_default();
        let Ok((html, checked_links)) = renderer.render_preview(requester, &text, link.as_deref()).await else {
            // If the renderer is overloaded, shows the biography as plain text, without the profile link.
            return Self { display_name, avatar, about_html: about.as_deref().map(render_plain), ..Self::default() };
        };
        Self {
            display_name,
            avatar,
            about_html: about.is_some().then_some(html.html),
            about: about.map(|about| html.masked.unwrap_or(about)),
            link: link.filter(|link| !checked_links.flagged.contains(link)),
        }
    }
}

pub(super) async fn find_author(pool: &PgPool, name: &str) -> Result<User, AppError> {
    let name = Username::parse_lenient(name).map_err(|_| AppError::NotFound)?;
    find_by_username(pool, &name).await
}

/// Page of an author. Other spellings of the username redirect to its canonical path.
pub async fn show_author(
    reader: Option<CurrentUser>,
    requester: Requester,
    layout: Layout,
    request: HttpRequest,
    query: Query,
    username: web::Path<String>,
    state: web::Data<AppState>,
) -> Result<Either<PageResponse<AuthorPage>, HttpResponse>, AppError> {
    let pool = state.read_pool(reader.as_ref()).await;
    let user = find_author(pool, &username).await?;
    if request.path() != user.path() {
        return Ok(Either::Right(permanent_redirect(&request, &user.path(), false)));
    }
    let pager = Pager::new(user.path(), &query, &state.keys, PAGE_SIZE)?;
    let filter = PostFilter { author: Some(user.id), ..PostFilter::default() };
    let posts =
        listing::list_posts(pool, state.site().score_shown, reader.as_ref(), &filter, PostOrder::New, &pager).await?;
    let has_paused = match &reader {
        Some(reader) if reader.id == user.id => has_paused_ratings(pool, user.id).await?,
        _ => false,
    };
    let introduction = AuthorBio::render(users::find_profile(pool, user.id).await?, &state.renderer, requester).await;
    let decides = state.site().policy.publishing.has_authors() && reader.is_some_and(|reader| reader.is_staff());
    let post_count = count_posts(pool, user.id).await?;
    let approved = if decides { users::find_publishing_approval(pool, user.id).await? } else { None };
    Ok(Either::Left(PageResponse::new(AuthorPage {
        layout,
        data: AuthorProfile { user, introduction, posts, post_count, has_paused, approved },
    })))
}

async fn count_posts(pool: &PgPool, author: UserId) -> sqlx::Result<i64> {
    let count = sqlx::query_scalar!(
        r#"select count(*) as "count!" from blog_posts where author_id = $1 and status = 'published' and not is_page"#,
        author.0,
    );
    count.fetch_one(pool).await
}

async fn has_paused_ratings(pool: &PgPool, user: UserId) -> sqlx::Result<bool> {
    let paused = sqlx::query_scalar!(
        r#"select exists (
            select from zombie_pauses where user_id = $1 and paused_at is not null and unpaused_at is null
        ) as "paused!""#,
        user.0
    );
    paused.fetch_one(pool).await
}
