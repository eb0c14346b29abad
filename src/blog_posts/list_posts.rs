//! List of posts on the front page and at `/blogs/`: search, filters and order.

use actix_web::web;
use askama::Template;
use chrono::{DateTime, Utc};
use schemars::json_schema;
use sqlx::PgPool;

use super::editor::input::Tags;
use super::listing::{self, PAGE_SIZE, PostFilter, PostOrder, PostSummary};
use super::models::{parse_post_ids, post_ids_parameter};
use super::search::{SearchQuery, SearchResult};
use super::show_author::find_author;
use super::sidebar::{self, FrequentTags, Introduction, MAX_TAGS, Suggestions};
use super::urls;
use crate::i18n::{Language, Phrase, TextLanguage, filters, format_rfc3339};
use crate::permits::Requester;
use crate::state::AppState;
use crate::text::query_string;
use crate::users::models::has_staff;
use crate::web::error::AppError;
use crate::web::request::current_user::CurrentUser;
use crate::web::request::format::ResponseFormat;
use crate::web::request::query::Query;
use crate::web::response::layout::Layout;
use crate::web::response::pagination::{Pager, ResultPage};
use crate::web::response::view::PageResponse;
use crate::web::routing::operation::QueryParameter;
use crate::web::routing::route::FRONT_PAGE;
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
    /// Languages offered as filters; empty for searches, lists of a tag, and if all latest posts are in one language.
    languages: Vec<TextLanguage>,
    data: ResultPage<PostSummary>,
    /// True on a new site that has no posts and no staff.
    is_new_site: bool,
    /// Introduction to the site, on the first page of all posts.
    introduction: Option<Introduction>,
    /// URL of the list without its filters, on the first page of all posts.
    canonical_url: Option<String>,
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
    let FrequentTags { tags, languages } = if has_languages {
        let language = layout.locale.language;
        let load = sidebar::list_frequent_tags(pool, language, MAX_TAGS);
        state.post_cache.frequent_tags.get_or_load(language.tag(), load).await?.as_ref().clone()
    } else {
        FrequentTags::default()
    };
    let suggestions = match &list_query.search {
        Some(search) if format == ResponseFormat::Html => Suggestions::for_search(pool, search.as_str()).await?,
        _ => Suggestions::default(),
    };
    let is_first = list_query.is_default() && data.previous.is_none();
    let introduction = match &reader {
        _ if format != ResponseFormat::Html || !is_first => None,
        Some(_) => Some(Introduction::compact(tags)),
        None => Some(Introduction::load(pool, &state, tags).await?),
    };
    let canonical_url = is_first.then(|| state.settings.absolute_url(FRONT_PAGE));
    let is_empty = data.results.is_empty() && list_query.is_default();
    Ok(PageResponse::new(PostListPage {
        introduction,
        canonical_url,
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
        let order = list_query.order;
        let posts = match reader {
            Some(reader) => listing::list_cached_posts(state, reader, &filter, order, pager).await?,
            None => listing::list_posts(pool, state.site().score_shown, None, &filter, order, pager).await?,
        };
        return Ok((posts, SearchResult::default()));
    };
    let search_result = state.searcher.search(requester, search, language, list_query.filter.tag.as_deref()).await?;
    let data =
        listing::list_search_results(pool, state.site().score_shown, reader, &search_result, list_query.order, pager)
            .await?;
    Ok((data, search_result))
}

#[derive(Clone, Debug)]
pub struct ListQuery {
    pub search: Option<SearchQuery>,
    /// Filter whose `author` is not set, because the field `author` of the query contains the username.
    pub filter: PostFilter,
    pub author: Option<String>,
    pub order: PostOrder,
}

pub fn parameters() -> Vec<QueryParameter> {
    vec![
        QueryParameter::text("q", "Searches titles, tags and texts; only `tag` and `order` can be combined with it"),
        QueryParameter::text("tag", "Posts with this tag"),
        QueryParameter::text("author", "Posts of the user with this username"),
        QueryParameter::text("language", "Posts in this language, such as `fa`"),
        QueryParameter::new(
            "since",
            "Posts that were published at this time, in RFC 3339 format, or later",
            json_schema!({ "type": "string", "format": "date-time" }),
        ),
        post_ids_parameter(),
        QueryParameter::choice(
            "order",
            "`new` for the latest posts first, `top` for the highest scores first, `best` for the best matches first. Only a search can have the order `best`, its default; the default of other lists is `new`",
            &["new", "top", "best"],
        ),
        QueryParameter::cursor(),
    ]
}

impl ListQuery {
    pub fn parse(query: &Query) -> Result<Self, AppError> {
        let search = SearchQuery::new(&query.get("q")?.unwrap_or_default())?;
        for name in ["author", "language", "since", "ids"] {
            if search.is_some() && query.get(name)?.is_some() {
                return Err(AppError::invalid_field(name, phrase!("invalid-with-search")));
            }
        }
        let filter = PostFilter {
            tag: tag_from_query(query)?,
            language: parse(query, "language", |tag| tag.parse().map_err(|_| phrase!("invalid-language-tag")))?,
            since: parse(query, "since", parse_time)?,
            ids: parse(query, "ids", parse_post_ids)?,
            ..PostFilter::default()
        };
        let order = order_from_query(query, search.is_some())?;
        Ok(Self { search, filter, author: query.get("author")?, order })
    }

    pub fn search_text(&self) -> &str {
        self.search.as_ref().map_or("", SearchQuery::as_str)
    }

    /// True if the list has all posts, the latest first.
    pub fn is_default(&self) -> bool {
        let PostFilter { tag, language, since, ids, .. } = &self.filter;
        let is_filtered = tag.is_some() || language.is_some() || since.is_some() || ids.is_some();
        !is_filtered && self.author.is_none() && self.search.is_none() && self.order == PostOrder::New
    }

    pub fn path(&self) -> String {
        self.path_with(self.filter.language, self.order)
    }

    /// Value of the query parameter for the order; `None` for the default order of the list.
    fn order_parameter(&self, order: PostOrder) -> Option<&'static str> {
        match order {
            PostOrder::Top => Some("top"),
            PostOrder::New if self.search.is_some() => Some("new"),
            PostOrder::New | PostOrder::Relevance => None,
        }
    }

    pub fn path_with(&self, language: Option<TextLanguage>, order: PostOrder) -> String {
        let since = self.filter.since.as_ref().map(format_rfc3339);
        let ids = self.filter.ids.as_ref().map(|ids| ids.iter().map(ToString::to_string).collect::<Vec<_>>().join(","));
        let parameters = query_string(&[
            ("q", self.search.as_ref().map(SearchQuery::as_str)),
            ("tag", self.filter.tag.as_deref()),
            ("author", self.author.as_deref()),
            ("language", language.map(TextLanguage::tag)),
            ("since", since.as_deref()),
            ("ids", ids.as_deref()),
            ("order", self.order_parameter(order)),
        ]);
        format!("{}{parameters}", urls::POST_LIST.pattern)
    }
}

pub fn tag_from_query(query: &Query) -> Result<Option<String>, AppError> {
    parse(query, "tag", Tags::normalize_tag)
}

fn parse<T>(
    query: &Query,
    name: &'static str,
    parse: impl FnOnce(&str) -> Result<T, Phrase>,
) -> Result<Option<T>, AppError> {
    query.get(name)?.map(|text| parse(&text)).transpose().map_err(|problem| AppError::invalid_field(name, problem))
}

fn parse_time(text: &str) -> Result<DateTime<Utc>, Phrase> {
    let time = DateTime::parse_from_rfc3339(text.trim()).map_err(|_| phrase!("invalid-time-with-zone"))?;
    Ok(time.to_utc())
}

fn order_from_query(query: &Query, is_search: bool) -> Result<PostOrder, AppError> {
    match query.get("order")?.as_deref() {
        None | Some("best") if is_search => Ok(PostOrder::Relevance),
        None | Some("new") => Ok(PostOrder::New),
        Some("top") => Ok(PostOrder::Top),
        Some(_) => Err(AppError::invalid_field("order", phrase!("invalid-order", search = is_search))),
    }
}
