//! Admin list of published posts with flagged URLs.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;

use crate::admin::admin_list::{
    AdminList, DisplayPart, FilterValues, ListColumn, ListFilter, ListResult, RowDisplay, begin_with_custom_query_plans,
};
use crate::admin::urls;
use crate::web::response::pagination::{Direction, Pager, SortKey};
use crate::web::routing::route::Route;
use crate::web::state::CoreState;

#[derive(Debug, JsonSchema, Serialize)]
pub struct FlaggedLinkRow {
    post: i64,
    title: String,
    author: String,
    /// Flagged URLs in the post. Pages do not link to these URLs directly.
    suspected: Vec<String>,
}

#[derive(Default)]
pub struct FlaggedLinkList;

impl AdminList for FlaggedLinkList {
    type Row = FlaggedLinkRow;

    const ROUTE: Route = urls::FLAGGED_LINKS;
    const NAME: &'static str = "warnings";
    const HEADER: &'static str = "post title author suspected";
    const COLUMNS: &'static [ListColumn] =
        &[ListColumn::new("column-post"), ListColumn::new("label-author"), ListColumn::new("column-flagged-urls")];

    fn filters() -> Vec<ListFilter> {
        Vec::new()
    }

    async fn page(&self, state: &CoreState, _: &FilterValues, pager: &Pager<'_>) -> ListResult<FlaggedLinkRow> {
        let position = pager.position(SortKey::max_time());
        let rows = sqlx::query_as!(
            FlaggedLinkRow,
            "select l.post_id as post, p.title, u.username as author, l.suspected
            from post_links l join blog_posts p on p.id = l.post_id join users u on u.id = p.author_id
            where l.suspected <> '{}' and p.status = 'published' and case when $2 then l.post_id > $1 else l.post_id < $1 end
            order by case when $2 then l.post_id end, l.post_id desc limit $3",
            position.id,
            position.side == Direction::Before,
            pager.limit(),
        );
        let rows = rows.fetch_all(&mut *begin_with_custom_query_plans(&state.pool).await?).await?;
        Ok(pager.page_from_rows(rows, |row| (SortKey::max_time(), row.post)))
    }

    fn entry(&self, row: &FlaggedLinkRow, _: DateTime<Utc>) -> RowDisplay {
        RowDisplay {
            id: format!("post-{}", row.post),
            key: Some(row.post.to_string()),
            cells: vec![
                vec![DisplayPart::post_link(row.post, Some(&row.title))],
                vec![DisplayPart::user_link(&row.author)],
                row.suspected.iter().cloned().map(DisplayPart::Plain).collect(),
            ],
        }
    }
}
