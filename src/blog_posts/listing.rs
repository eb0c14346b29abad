//! Summaries of posts in paginated lists: filters, order and search results.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use evenkeel_markdown::image_name::ImageName;
use schemars::JsonSchema;
use serde::Serialize;
use sqlx::{FromRow, PgExecutor, PgPool, Postgres, QueryBuilder};

use super::models::{PostHeader, PostId, post_columns};
use super::search::highlight::{HighlightFragment, Highlighter, find_matching_words};
use super::search::{SearchMatch, SearchResult};
use crate::i18n::TextLanguage;
use crate::page_cache::ByteSize;
use crate::score::DisplayedScore;
use crate::state::AppState;
use crate::web::request::current_user::{CurrentUser, UserId};
use crate::web::response::pagination::{Direction, Pager, ResultPage, SortKey};
use evenkeel_limiters::SteadyScore;

pub const PAGE_SIZE: usize = 20;
/// Minimum width of a cover in pixels: twice the displayed width, for screens with a high resolution.
pub const THUMBNAIL_WIDTH: u32 = 288;

/// Order of a list of posts: by a sort key in descending order, and by descending id if keys are equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PostOrder {
    New,
    Top,
    Relevance,
}

#[derive(Clone, Debug, FromRow, JsonSchema, Serialize)]
pub struct PostSummary {
    #[serde(flatten)]
    #[sqlx(flatten)]
    pub head: PostHeader,
    pub excerpt: String,
    /// Path or URL of the cover image.
    #[serde(skip)]
    cover: Option<String>,
    #[serde(skip)]
    pub reading_minutes: i32,
    /// Title and snippet of a search result, split into matching and other parts.
    #[serde(skip)]
    #[sqlx(skip)]
    pub found: Option<[Vec<HighlightFragment>; 2]>,
    /// Displayed score: steady score or average, depending on the site's settings.
    #[serde(skip)]
    #[sqlx(skip)]
    pub score: Option<f64>,
    /// True if the displayed score has enough ratings that a brigade cannot move it.
    #[serde(skip)]
    #[sqlx(skip)]
    pub is_protected: bool,
    /// Sort key of the list of top-rated posts.
    #[serde(skip)]
    top: f64,
}

/// Conditions of a list of posts. The default selects all published posts.
#[derive(Clone, Debug, Default)]
pub struct PostFilter {
    pub author: Option<UserId>,
    pub tag: Option<String>,
    pub language: Option<TextLanguage>,
    pub since: Option<DateTime<Utc>>,
    pub ids: Option<Vec<PostId>>,
    /// Selects the author's drafts instead of published posts.
    pub drafts: bool,
    /// Selects drafts that the author deleted instead of other drafts.
    pub deleted: bool,
}

impl PostFilter {
    fn push_conditions(&self, query: &mut QueryBuilder<Postgres>) {
        query.push(match (self.drafts, self.deleted) {
            (false, _) => " where p.status = 'published' and not p.is_page",
            (true, false) => " where p.status = 'draft' and p.deleted_at is null",
            (true, true) => " where p.status = 'draft' and p.deleted_at is not null",
        });
        if let Some(author) = self.author {
            query.push(" and p.author_id = ").push_bind(author.0);
        }
        if let Some(tag) = &self.tag {
            query.push(" and p.tags @> array[").push_bind(tag.clone()).push("]");
        }
        if let Some(language) = self.language {
            query.push(" and p.language = ").push_bind(language.tag());
        }
        if let Some(since) = self.since {
            query.push(" and p.published_at >= ").push_bind(since);
        }
        if let Some(ids) = &self.ids {
            query.push(" and p.id = any(").push_bind(ids.clone()).push(")");
        }
    }
}

pub async fn list_posts(
    executor: impl PgExecutor<'_>,
    shown: DisplayedScore,
    reader: Option<&CurrentUser>,
    filter: &PostFilter,
    order: PostOrder,
    pager: &Pager<'_>,
) -> sqlx::Result<ResultPage<PostSummary>> {
    // Sort key and id are columns of the same table, so that one index covers both.
    let (key, id) = match order {
        PostOrder::Top => (top_column(shown), "t.blog_id"),
        PostOrder::New | PostOrder::Relevance if filter.drafts => ("p.updated_at", "p.id"),
        PostOrder::New | PostOrder::Relevance => ("p.published_at", "p.id"),
    };
    let time = |head: &PostHeader| head.published_at.unwrap_or(head.updated_at);
    let rank = |summary: &PostSummary| match order {
        PostOrder::Top => SortKey::Number(summary.top),
        PostOrder::New | PostOrder::Relevance => SortKey::Time(time(&summary.head)),
    };
    let position = pager.position(if order == PostOrder::Top { SortKey::max_number() } else { SortKey::max_time() });
    let mut query = select_summaries(shown, reader, filter.drafts);
    filter.push_conditions(&mut query);
    let (compare, direction) = if position.side == Direction::After { (" < (", " desc") } else { (" > (", "") };
    query.push(" and (").push(key).push(", ").push(id).push(")").push(compare);
    match position.rank {
        SortKey::Time(time) => query.push_bind(time),
        SortKey::Number(number) => query.push_bind(number),
    };
    query.push(", ").push_bind(position.id).push(format!(") order by {key}{direction}, {id}{direction}"));
    query.push(" limit ").push_bind(pager.limit());
    let rows: Vec<PostSummary> = query.build_query_as().fetch_all(executor).await?;
    let rows = rows.into_iter().map(|row| row.with_score(shown)).collect();
    Ok(pager.page_from_rows(rows, |summary| (rank(summary), summary.head.id.0)))
}

/// Posts of a list for a signed-in reader. All but the reader's own ratings is cached.
pub async fn list_cached_posts(
    state: &AppState,
    reader: &CurrentUser,
    filter: &PostFilter,
    order: PostOrder,
    pager: &Pager<'_>,
) -> sqlx::Result<ResultPage<PostSummary>> {
    // Uses one connection for both queries: a second one could be unavailable for seconds if the database is slow.
    let connection = &mut *state.pool.acquire().await?;
    let load = list_posts(&mut *connection, state.site().score_shown, None, filter, order, pager);
    let mut page = state.post_cache.lists.get_or_load(&pager.current_path(), load).await?.as_ref().clone();
    let ids: Vec<i64> = page.results.iter().map(|post| post.head.id.0).collect();
    let own =
        sqlx::query!("select blog_id, rating from rates where user_id = $1 and blog_id = any($2)", reader.id.0, &ids,);
    for rating in own.fetch_all(connection).await? {
        if let Some(post) = page.results.iter_mut().find(|post| post.head.id.0 == rating.blog_id) {
            post.head.my_rating = Some(rating.rating);
        }
    }
    Ok(page)
}

pub async fn list_search_results(
    pool: &PgPool,
    shown: DisplayedScore,
    reader: Option<&CurrentUser>,
    search_result: &SearchResult,
    order: PostOrder,
    pager: &Pager<'_>,
) -> sqlx::Result<ResultPage<PostSummary>> {
    let rank = |hit: &SearchMatch| match (order, shown) {
        (PostOrder::Top, DisplayedScore::Steady) => hit.steady_top,
        (PostOrder::Top, DisplayedScore::Average) => hit.top_score,
        (PostOrder::New, _) => hit.published_s,
        (PostOrder::Relevance, _) => hit.relevance,
    };
    let position = pager.position(SortKey::max_number());
    let SortKey::Number(from) = position.rank else {
        return Ok(pager.page_from_rows(Vec::new(), |_| (position.rank, 0)));
    };
    let mut matches = search_result.matches.clone();
    matches.sort_by(|one, other| rank(other).total_cmp(&rank(one)).then(other.id.cmp(&one.id)));
    if position.side == Direction::Before {
        matches.reverse();
    }
    let beyond = |hit: &SearchMatch| {
        let compared = rank(hit).total_cmp(&from).then(hit.id.cmp(&position.id));
        if position.side == Direction::After { compared.is_lt() } else { compared.is_gt() }
    };
    let some: Vec<SearchMatch> = matches.into_iter().filter(beyond).take(PAGE_SIZE + 1).collect();
    let ids: Vec<i64> = some.iter().map(|hit| hit.id).collect();
    let highlighters = find_matching_words(pool, &ids, &search_result.stems).await?;
    let mut query = select_summaries(shown, reader, false);
    query.push(" where p.status = 'published' and p.id = any(").push_bind(ids).push(")");
    let rows: Vec<PostSummary> = query.build_query_as().fetch_all(pool).await?;
    let rows = rows.into_iter().map(|row| row.with_score(shown).with_highlights(&highlighters));
    let mut rows: HashMap<i64, PostSummary> = rows.map(|row| (row.head.id.0, row)).collect();
    let ranked = some.iter().filter_map(|hit| Some((rows.remove(&hit.id)?, rank(hit)))).collect();
    let page = pager.page_from_rows(ranked, |(summary, rank)| (SortKey::Number(*rank), summary.head.id.0));
    let results = page.results.into_iter().map(|(summary, _)| summary).collect();
    Ok(ResultPage { results, next: page.next, previous: page.previous, partial: search_result.is_partial })
}

impl ByteSize for ResultPage<PostSummary> {
    fn byte_size(&self) -> usize {
        let texts = |post: &PostSummary| post.excerpt.len() + post.head.title.len() + post.head.slug.len();
        self.results.iter().map(|post| texts(post) + 2 * size_of::<PostSummary>()).sum()
    }
}

/// Begins the query for a list of posts, without `where` and `order by`.
fn select_summaries(shown: DisplayedScore, reader: Option<&CurrentUser>, drafts: bool) -> QueryBuilder<Postgres> {
    let mut query =
        QueryBuilder::new(concat!("select ", post_columns!(), ", p.excerpt, p.cover, p.reading_minutes, coalesce("));
    query.push(top_column(shown)).push(", 0) as top from blog_posts p join users u on u.id = p.author_id");
    // Uses an outer join only for drafts, which may have no totals: an outer join prevents use of the score index.
    query.push(if drafts { " left join" } else { " join" }).push(
        " rating_totals t on t.blog_id = p.id
            left join rates r on r.blog_id = p.id and r.user_id = ",
    );
    query.push_bind(reader.map(|reader| reader.id));
    query
}

impl PostSummary {
    /// Cover image, if it is an uploaded image.
    pub fn cover_image_name(&self) -> Option<ImageName> {
        self.cover.as_deref().and_then(ImageName::from_path)
    }

    fn with_score(self, shown: DisplayedScore) -> Self {
        let is_protected =
            shown == DisplayedScore::Steady && self.head.steady_weight >= SteadyScore::default().params().first;
        Self { score: self.head.displayed_score(shown), is_protected, ..self }
    }

    fn with_highlights(self, highlighters: &HashMap<i64, Highlighter>) -> Self {
        let highlighter = highlighters.get(&self.head.id.0);
        let found = highlighter.map(|words| [words.highlight(&self.head.title), words.snippet(&self.excerpt)]);
        Self { found, ..self }
    }
}

fn top_column(shown: DisplayedScore) -> &'static str {
    match shown {
        DisplayedScore::Steady => "t.steady_top",
        DisplayedScore::Average => "t.top_score",
    }
}
