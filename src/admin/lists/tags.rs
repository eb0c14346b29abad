//! Admin list of tags, ordered by number of recent posts.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;

use crate::admin::admin_list::{AdminList, DisplayPart, FilterValues, ListColumn, ListFilter, ListResult, RowDisplay};
use crate::admin::urls;
use crate::blog_posts;
use crate::blog_posts::list_tags::RECENT_POSTS;
use crate::phrase;
use crate::text::{encode_query_value, query_string};
use crate::web::response::pagination::{Pager, ResultPage};
use crate::web::routing::route::Route;
use crate::web::state::CoreState;

#[derive(Debug, JsonSchema, Serialize)]
pub struct TagRow {
    tag: String,
    /// Number of recent posts with this tag.
    posts: i64,
}

#[derive(Default)]
pub struct TagList;

impl AdminList for TagList {
    type Row = TagRow;

    const ROUTE: Route = urls::TAGS;
    const NAME: &'static str = "tags";
    const HEADER: &'static str = "tag posts";
    const COLUMNS: &'static [ListColumn] = &[ListColumn::new("label-tag"), ListColumn::number("posts-title")];

    fn filters() -> Vec<ListFilter> {
        vec![ListFilter::text_filter("name", phrase!("label-name-starts"))]
    }

    async fn page(&self, state: &CoreState, typed: &FilterValues, pager: &Pager<'_>) -> ListResult<TagRow> {
        let rows = sqlx::query_as!(
            TagRow,
            r#"select tag as "tag!", count(*) as "posts!" from (
                select tags from blog_posts where status = 'published' order by published_at desc, id desc limit $1
            ) latest, unnest(tags) tag
            where $2::text is null or starts_with(tag, lower($2)) group by tag order by count(*) desc, tag limit $3"#,
            RECENT_POSTS,
            typed.get("name").map(str::trim),
            i64::try_from(pager.page_size().max(200)).unwrap_or(i64::MAX),
        );
        let results = rows.fetch_all(&state.pool).await?;
        Ok(ResultPage { results, next: None, previous: None, partial: false })
    }

    fn entry(&self, row: &TagRow, _: DateTime<Utc>) -> RowDisplay {
        let path = format!("{}{}", blog_posts::urls::POST_LIST.pattern, query_string(&[("tag", Some(&row.tag))]));
        let posts = format!("{}?tag={}", urls::POSTS.pattern, encode_query_value(&row.tag));
        #[expect(clippy::cast_precision_loss, reason = "counts are at most `RECENT_POSTS`")]
        RowDisplay {
            id: format!("tag-{}", row.tag),
            key: None,
            cells: vec![
                vec![DisplayPart::Link(path, row.tag.clone())],
                vec![DisplayPart::NumberLink(posts, row.posts as f64, 0, row.tag.clone())],
            ],
        }
    }
}
