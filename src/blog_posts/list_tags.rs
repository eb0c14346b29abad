//! Index of the tags of published posts.

use actix_web::web;
use askama::Template;
use schemars::JsonSchema;
use serde::Serialize;
use sqlx::PgPool;

use super::search::folding::fold_case_and_accents;
use crate::i18n::filters;
use crate::page;
use crate::state::AppState;
use crate::web::error::AppError;
use crate::web::request::current_user::CurrentUser;
use crate::web::response::layout::Layout;
use crate::web::response::view::PageResponse;

/// Number of recent posts whose tags are counted, to bound the cost of the query on large sites.
pub const RECENT_POSTS: i64 = 5_000;
const MAX_TAGS: i64 = 1_000;

#[derive(Debug, JsonSchema, Serialize)]
pub struct TagCount {
    tag: String,
    /// Number of recent posts with this tag.
    posts: i64,
}

/// Most frequent tags of recent posts, in alphabetical order.
#[derive(Debug, JsonSchema, Serialize)]
pub struct TagIndex {
    results: Vec<TagCount>,
}

#[derive(Template)]
#[template(path = "blog_posts/tags.html")]
pub struct TagIndexPage {
    layout: Layout,
    data: TagIndex,
}

page!(TagIndexPage, data: TagIndex);

pub async fn list_tags(
    reader: Option<CurrentUser>,
    layout: Layout,
    state: web::Data<AppState>,
) -> Result<PageResponse<TagIndexPage>, AppError> {
    let pool = state.read_pool(reader.as_ref()).await;
    let mut results = count_tags(pool).await?;
    results.sort_by_cached_key(|TagCount { tag, .. }| (fold_case_and_accents(tag), tag.clone()));
    Ok(PageResponse::new(TagIndexPage { layout, data: TagIndex { results } }))
}

async fn count_tags(pool: &PgPool) -> sqlx::Result<Vec<TagCount>> {
    let tags = sqlx::query_as!(
        TagCount,
        r#"select tag as "tag!", count(*) as "posts!" from (
            select tags from blog_posts where status = 'published' and not is_page
            order by published_at desc, id desc limit $1
        ) latest, unnest(tags) tag group by tag order by count(*) desc, tag limit $2"#,
        RECENT_POSTS,
        MAX_TAGS,
    );
    tags.fetch_all(pool).await
}
