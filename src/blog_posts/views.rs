//! Views for reading posts: lists, search results, author pages and single posts.

use actix_web::http::header::{CACHE_CONTROL, LOCATION, VARY};
use actix_web::{Either, HttpRequest, HttpResponse, web};
use askama::Template;
use percent_encoding::percent_decode_str;
use schemars::JsonSchema;
use serde::Serialize;
use sqlx::PgPool;

use super::listing::author_bio::AuthorBio;
use super::listing::list_query::ListQuery;
use super::listing::sidebar::{self, Introduction, Suggestions};
use super::listing::{self, PAGE_SIZE, PostFilter, PostOrder, PostSummary};
use super::models::PostId;
use super::post_detail::page::{PostPage, RatingForm};
use super::queries;
use super::quota::TextUsage;
use super::search::SearchResult;
use super::stored_post::find_post;
use super::urls::{self};
use crate::i18n::{Language, Phrase, TextLanguage, filters};
use crate::site_policy::PublishingPolicy;
use crate::state::AppState;
use crate::users::Username;
use crate::users::models::{self as users, User, find_by_username, has_staff};
use crate::web::error::AppError;
use crate::web::permits::Requester;
use crate::web::request::current_user::{CurrentUser, UserId};
use crate::web::request::format::ResponseFormat;
use crate::web::request::query::Query;
use crate::web::response::layout::Layout;
use crate::web::response::pagination::{Pager, ResultPage};
use crate::web::response::text::query_string;
use crate::web::response::view::{PageResponse, VARY_HEADERS, json_response};
use crate::web::state::CoreState;
use crate::{page, phrase};

#[derive(Template)]
#[template(path = "blog_posts/list.html")]
pub struct PostListPage {
    layout: Layout,
    wanted: ListQuery,
    /// Search result with an empty list of matches: the matching posts are in `data`.
    search_result: SearchResult,
    /// Number of matches of the search.
    count: usize,
    suggestions: Suggestions,
    /// Empty for searches, for lists of a tag, and if the latest posts are in the same language.
    languages: Vec<TextLanguage>,
    data: ResultPage<PostSummary>,
    /// True on a new site that has no posts and no staff.
    is_new_site: bool,
    /// Present on the first page of all posts, for visitors who have not signed in.
    introduction: Option<Introduction>,
}

impl PostListPage {
    fn heading(&self) -> Phrase {
        match (&self.wanted.filter.tag, self.wanted.order) {
            _ if self.wanted.search.is_some() => phrase!("search-label"),
            (Some(tag), _) => phrase!("list-tag", tag = tag.as_str()),
            (None, PostOrder::Top) => phrase!("list-top"),
            (None, _) => phrase!("list-new"),
        }
    }

    fn language_links(&self) -> Vec<(TextLanguage, String)> {
        let path = |language| self.wanted.path_with(Some(language), self.wanted.order);
        self.languages.iter().map(|language| (*language, path(*language))).collect()
    }

    fn feed_query(&self) -> String {
        query_string(&[("tag", self.wanted.filter.tag.as_deref())])
    }
}

page!(PostListPage, data: ResultPage<PostSummary>, list data);

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

    fn is_staff(&self) -> bool {
        self.layout.user.as_ref().is_some_and(CurrentUser::is_staff)
    }

    fn is_own(&self) -> bool {
        self.layout.user.as_ref().is_some_and(|user| user.id == self.data.user.id)
    }
}

page!(AuthorPage, data: AuthorProfile, list data.posts);

#[derive(Template)]
#[template(path = "blog_posts/drafts.html")]
pub struct DraftsPage {
    layout: Layout,
    data: ResultPage<PostSummary>,
    /// `None` for staff, who have no quota.
    quota: Option<Phrase>,
}

page!(DraftsPage, data: ResultPage<PostSummary>, list data);

pub async fn list(
    reader: Option<CurrentUser>,
    requester: Requester,
    layout: Layout,
    format: ResponseFormat,
    query: Query,
    state: web::Data<AppState>,
) -> Result<PageResponse<PostListPage>, AppError> {
    let list_query = ListQuery::parse(&query)?;
    let pager = Pager::new(list_query.path(), &query, &state.keys, PAGE_SIZE)?;
    let pool = state.read_pool(reader.as_ref()).await;
    let (data, search_result) =
        find_posts(pool, &state, requester, reader.as_ref(), layout.locale.language, &list_query, &pager).await?;
    let has_languages =
        format == ResponseFormat::Html && list_query.search.is_none() && list_query.filter.tag.is_none();
    let languages = if has_languages { sidebar::list_languages(pool).await? } else { Vec::new() };
    let suggestions = match &list_query.search {
        Some(search) if format == ResponseFormat::Html => Suggestions::for_search(pool, search.as_str()).await?,
        _ => Suggestions::default(),
    };
    // The front page of anonymous visitors is cached for a second, which limits the queries for the introduction.
    let has_introduction =
        format == ResponseFormat::Html && reader.is_none() && list_query.is_default() && data.previous.is_none();
    let introduction =
        if has_introduction { Some(Introduction::load(pool, &state, layout.locale.language).await?) } else { None };
    let is_empty = data.results.is_empty() && list_query.is_default();
    Ok(PageResponse::new(PostListPage {
        introduction,
        is_new_site: is_empty && !has_staff(&mut *pool.acquire().await?).await?,
        count: search_result.matches.len(),
        search_result: SearchResult { matches: Vec::new(), ..search_result },
        layout,
        wanted: list_query,
        suggestions,
        languages,
        data,
    }))
}

async fn find_posts(
    pool: &PgPool,
    state: &AppState,
    requester: Requester,
    reader: Option<&CurrentUser>,
    language: Language,
    list_query: &ListQuery,
    pager: &Pager<'_>,
) -> Result<(ResultPage<PostSummary>, SearchResult), AppError> {
    let Some(search) = &list_query.search else {
        let author = match &list_query.author {
            Some(name) => Some(find_author(pool, name).await?.id),
            None => None,
        };
        let filter = PostFilter { author, ..list_query.filter.clone() };
        let posts = listing::list_posts(pool, state.score_shown, reader, &filter, list_query.order, pager).await?;
        return Ok((posts, SearchResult::default()));
    };
    let search_result = state.searcher.search(requester, search, language, list_query.filter.tag.as_deref()).await?;
    let data =
        listing::list_search_results(pool, state.score_shown, reader, &search_result, list_query.order, pager).await?;
    Ok((data, search_result))
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
    let posts = listing::list_posts(pool, state.score_shown, reader.as_ref(), &filter, PostOrder::New, &pager).await?;
    let has_paused = match &reader {
        Some(reader) if reader.id == user.id => has_paused_ratings(pool, user.id).await?,
        _ => false,
    };
    let introduction = AuthorBio::render(users::find_profile(pool, user.id).await?, &state.renderer, requester).await;
    let decides =
        state.policy.publishing == PublishingPolicy::Approved && reader.is_some_and(|reader| reader.is_staff());
    let post_count = count_posts(pool, user.id).await?;
    let approved = if decides { users::find_publishing_approval(pool, user.id).await? } else { None };
    Ok(Either::Left(PageResponse::new(AuthorPage {
        layout,
        data: AuthorProfile { user, introduction, posts, post_count, has_paused, approved },
    })))
}

async fn count_posts(pool: &PgPool, author: UserId) -> sqlx::Result<i64> {
    let count = sqlx::query_scalar!(
        r#"select count(*) as "count!" from blog_posts where author_id = $1 and status = 'published'"#,
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

pub async fn list_drafts(
    user: CurrentUser,
    layout: Layout,
    query: Query,
    state: web::Data<AppState>,
) -> Result<PageResponse<DraftsPage>, AppError> {
    let pager = Pager::new(urls::DRAFTS.pattern, &query, &state.keys, PAGE_SIZE)?;
    let filter = PostFilter { author: Some(user.id), drafts: true, ..PostFilter::default() };
    let data =
        listing::list_posts(&state.pool, state.score_shown, Some(&user), &filter, PostOrder::New, &pager).await?;
    let usage = if user.is_staff() { None } else { Some(TextUsage::load(&state.pool, user.id).await?) };
    let quota = usage.map(|usage| usage.describe(state.text_quota_bytes));
    Ok(PageResponse::new(DraftsPage { layout, data, quota }))
}

/// HTML requests are redirected to the URL with the current slug, JSON requests to the URL without a slug.
pub async fn show(
    id: PostId,
    reader: Option<CurrentUser>,
    layout: Layout,
    request: HttpRequest,
    query: Query,
    state: web::Data<AppState>,
) -> Result<Either<PageResponse<PostPage>, HttpResponse>, AppError> {
    let slug = request.match_info().get("slug").map(|slug| percent_decode_str(slug).decode_utf8_lossy().into_owned());
    if ResponseFormat::for_request(&request) == ResponseFormat::Json {
        let post = match &reader {
            Some(reader) => state.posts.find(id, reader).await?,
            None => find_post(state.read_pool(None).await, id, None).await?,
        };
        return Ok(Either::Right(match slug {
            Some(_) => permanent_redirect(&request, &urls::POST_BY_ID.path_for(id), post.head.is_draft()),
            None => json_response(&request, &mut HttpResponse::Ok(), &post),
        }));
    }
    // Boxed, so that JSON requests do not allocate the larger future of the page.
    Box::pin(show_page(&request, id, slug.as_deref(), reader.as_ref(), layout, &query, &state)).await
}

async fn show_page(
    request: &HttpRequest,
    id: PostId,
    slug: Option<&str>,
    reader: Option<&CurrentUser>,
    layout: Layout,
    query: &Query,
    state: &CoreState,
) -> Result<Either<PageResponse<PostPage>, HttpResponse>, AppError> {
    let article = queries::find_post_detail(state.read_pool(reader).await, &state.clock, id, reader).await?;
    if slug != Some(&*article.head.slug) {
        return Ok(Either::Right(permanent_redirect(request, &article.head.path(), article.head.is_draft())));
    }
    // Stars selected before signing in stay selected. Invalid values in old links are ignored.
    let stars_parameter = query.get_undocumented("stars").ok().flatten();
    let chosen = (1..=5u8).find(|stars| stars_parameter.as_ref() == Some(&stars.to_string()));
    let rating = RatingForm { selected: chosen, failure: None };
    Ok(Either::Left(PageResponse::new(PostPage::load(state, layout, article, rating).await?)))
}

/// Keeps the query string. For visitors, the page cache has already removed undeclared parameters.
fn permanent_redirect(request: &HttpRequest, path: &str, secret: bool) -> HttpResponse {
    let query = request.uri().query().map(|query| format!("?{query}")).unwrap_or_default();
    HttpResponse::PermanentRedirect()
        .insert_header((LOCATION, format!("{path}{query}")))
        .insert_header((VARY, VARY_HEADERS))
        // Slugs change with titles. A redirect to a draft must not be cached, because the slug contains the title.
        .insert_header((CACHE_CONTROL, if secret { "no-store" } else { "no-cache" }))
        .finish()
}
