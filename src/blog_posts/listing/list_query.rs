//! Query parameters of the list of posts: search, filters and order.

use crate::web::routing::operation::QueryParameter;
use chrono::{DateTime, Utc};
use schemars::json_schema;

use super::{PostFilter, PostOrder};
use crate::blog_posts::editor::input::Tags;
use crate::blog_posts::models::{PostId, parse_post_ids, post_ids_parameter};
use crate::blog_posts::search::SearchQuery;
use crate::blog_posts::urls;
use crate::i18n::TextLanguage;
use crate::phrase;
use crate::web::error::AppError;
use crate::web::request::query::Query;
use crate::web::response::text::{format_rfc3339, query_string};

#[derive(Clone, Debug)]
pub struct ListQuery {
    pub search: Option<SearchQuery>,
    /// Filter without its author, whose name is in `author`.
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
            language: language_from_query(query)?,
            since: since_from_query(query)?,
            ids: ids_from_query(query)?,
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

    /// `None` for the default order of the list.
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
    let one = |text: String| Tags::normalize_tag(&text).map_err(|problem| AppError::invalid_field("tag", problem));
    query.get("tag")?.map(one).transpose()
}

fn order_from_query(query: &Query, is_search: bool) -> Result<PostOrder, AppError> {
    match query.get("order")?.as_deref() {
        None | Some("best") if is_search => Ok(PostOrder::Relevance),
        None | Some("new") => Ok(PostOrder::New),
        Some("top") => Ok(PostOrder::Top),
        Some(_) => Err(AppError::invalid_field("order", phrase!("invalid-order", search = is_search))),
    }
}

fn language_from_query(query: &Query) -> Result<Option<TextLanguage>, AppError> {
    let Some(tag) = query.get("language")? else { return Ok(None) };
    let language = tag.parse().map_err(|_| AppError::invalid_field("language", phrase!("invalid-language-tag")))?;
    Ok(Some(language))
}

fn since_from_query(query: &Query) -> Result<Option<DateTime<Utc>>, AppError> {
    let Some(text) = query.get("since")? else { return Ok(None) };
    let time = DateTime::parse_from_rfc3339(text.trim());
    let time = time.map_err(|_| AppError::invalid_field("since", phrase!("invalid-time-with-zone")))?;
    Ok(Some(time.to_utc()))
}

fn ids_from_query(query: &Query) -> Result<Option<Vec<PostId>>, AppError> {
    let ids = query.get("ids")?.map(|text| parse_post_ids(&text));
    ids.transpose().map_err(|problem| AppError::invalid_field("ids", problem))
}
