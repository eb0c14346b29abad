//! Admin list of published posts and of posts that staff unpublished or took down. Drafts are private to their authors.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;
use sqlx::PgConnection;

use crate::admin::admin_list::{
    AdminList, BadgeKind, DisplayPart, FilterValues, ListColumn, ListFilter, ListResult, RowDisplay,
    begin_with_custom_query_plans,
};
use crate::admin::urls;
use crate::phrase;
use crate::web::response::pagination::{Direction, Pager, SortKey};
use crate::web::routing::route::Route;
use crate::web::state::CoreState;

#[derive(Debug, JsonSchema, Serialize)]
pub struct PostRow {
    id: i64,
    title: String,
    /// Username of the author.
    author: String,
    /// `published`, `page` (a published page), `submitted`, `unpublished` or `taken_down`.
    status: String,
    /// Time of publication, or of the last change if staff unpublished the post or took it down.
    at: DateTime<Utc>,
    rating_count: i64,
    average_rating: Option<f64>,
    /// Steady score; `None` without ratings.
    steady_rating: Option<f64>,
    /// `true` if the post has an undecided report case.
    is_reported: bool,
    /// Id of the undecided report case.
    case: Option<i64>,
}

impl PostRow {
    /// Steady score, or the average rating if no rating counts in the steady score.
    fn score(&self) -> Option<f64> {
        self.steady_rating.or(self.average_rating).filter(|_| self.rating_count > 0)
    }
}

#[derive(Default)]
pub struct PostList;

impl AdminList for PostList {
    type Row = PostRow;

    const ROUTE: Route = urls::POSTS;
    const NAME: &'static str = "posts";
    const HEADER: &'static str = "id title author status at rating_count average_rating steady_rating is_reported case";
    const COLUMNS: &'static [ListColumn] = &[
        ListColumn::new("column-post"),
        ListColumn::new("label-status"),
        ListColumn::new("label-author"),
        ListColumn::new("column-changed-or-published").sorted_by("-at"),
        ListColumn::number("ratings-heading"),
        ListColumn::number("column-score"),
    ];
    const DEFAULT_ORDER: &'static str = "-at";

    fn filters() -> Vec<ListFilter> {
        let choices = vec![
            ("", phrase!("posts-published")),
            ("pages", phrase!("posts-pages")),
            ("submitted", phrase!("posts-submitted")),
            ("unpublished", phrase!("posts-unpublished")),
            ("taken_down", phrase!("posts-taken-down")),
        ];
        vec![
            ListFilter::choice_filter("status", phrase!("label-status"), choices),
            ListFilter::text_filter("author", phrase!("label-author")),
            ListFilter::text_filter("tag", phrase!("label-tag")),
        ]
    }

    async fn page(&self, state: &CoreState, typed: &FilterValues, pager: &Pager<'_>) -> ListResult<PostRow> {
        let author = typed.find_user(state, "author").await?.map(|author| author.0);
        let mut transaction = begin_with_custom_query_plans(&state.pool).await?;
        let tag = typed.get("tag");
        let status = typed.get("status");
        let ids = match status {
            Some("pages") => published(&mut transaction, author, tag, pager, true).await?,
            Some(status) => unpublished(&mut transaction, status, author, tag, pager).await?,
            None => published(&mut transaction, author, tag, pager, false).await?,
        };
        let rows = by_ids(&mut transaction, &ids).await?;
        Ok(pager.page_from_rows(rows, |row| (SortKey::Time(row.at), row.id)))
    }

    fn entry(&self, row: &PostRow, now: DateTime<Utc>) -> RowDisplay {
        let is_published = matches!(row.status.as_str(), "published" | "page" | "submitted");
        let title = if is_published {
            DisplayPart::post_link(row.id, Some(&row.title))
        } else {
            DisplayPart::Strong(row.title.clone())
        };
        let (kind, status) = match row.status.as_str() {
            "published" => (BadgeKind::Success, phrase!("posts-published")),
            "page" => (BadgeKind::Success, phrase!("posts-page")),
            "submitted" => (BadgeKind::Warning, phrase!("posts-submitted")),
            "taken_down" => (BadgeKind::Danger, phrase!("posts-taken-down")),
            _ => (BadgeKind::Warning, phrase!("posts-unpublished")),
        };
        let why = if is_published { phrase!("posts-view-report") } else { phrase!("posts-view-decision") };
        let case = row.case.map(|id| DisplayPart::Lead(urls::REPORT_CASE.path_for(id), why, row.title.clone()));
        let history = crate::rate::urls::RATING_HISTORY.path_for(row.id);
        let ratings = format!("{}?post={}", urls::RATINGS.pattern, row.id);
        #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
        let ratings = DisplayPart::NumberLink(ratings, row.rating_count as f64, 0, row.title.clone());
        let score = row.score().map(|score| DisplayPart::NumberLink(history, score, 1, row.title.clone()));
        RowDisplay {
            id: format!("post-{}", row.id),
            key: (row.status != "taken_down").then(|| row.id.to_string()),
            cells: vec![
                vec![title],
                std::iter::once(DisplayPart::Badge(kind, status)).chain(case).collect(),
                vec![DisplayPart::user_link(&row.author)],
                vec![DisplayPart::Time(row.at, now)],
                vec![ratings],
                score.into_iter().collect(),
            ],
        }
    }
}

async fn published(
    connection: &mut PgConnection,
    author: Option<i64>,
    tag: Option<&str>,
    pager: &Pager<'_>,
    only_pages: bool,
) -> sqlx::Result<Vec<i64>> {
    let position = pager.position(SortKey::max_time());
    let ids = sqlx::query_scalar!(
        "select id from blog_posts
        where status = 'published' and (is_page or not $7) and ($1::bigint is null or author_id = $1)
            and ($6::text is null or tags @> array[$6])
            and case when $4 then (published_at, id) > ($2, $3) else (published_at, id) < ($2, $3) end
        order by case when $4 then published_at end, case when $4 then id end, published_at desc, id desc limit $5",
        author,
        position.sort_time(),
        position.id,
        position.side == Direction::Before,
        pager.limit(),
        tag,
        only_pages,
    );
    ids.fetch_all(connection).await
}

/// Returns the IDs of drafts with a status: taken down by staff, submitted for a review, or unpublished by staff and not
/// changed since.
async fn unpublished(
    connection: &mut PgConnection,
    status: &str,
    author: Option<i64>,
    tag: Option<&str>,
    pager: &Pager<'_>,
) -> sqlx::Result<Vec<i64>> {
    let position = pager.position(SortKey::max_time());
    let ids = sqlx::query_scalar!(
        "select id from blog_posts
        where case $7 when 'taken_down' then withheld_by is not null
                when 'submitted' then status = 'draft' and submitted_at is not null
                else unpublished_version = version and withheld_by is null end
            and ($1::bigint is null or author_id = $1) and ($6::text is null or tags @> array[$6])
            and case when $4 then (updated_at, id) > ($2, $3) else (updated_at, id) < ($2, $3) end
        order by case when $4 then updated_at end, case when $4 then id end, updated_at desc, id desc limit $5",
        author,
        position.sort_time(),
        position.id,
        position.side == Direction::Before,
        pager.limit(),
        tag,
        status,
    );
    ids.fetch_all(connection).await
}

async fn by_ids(connection: &mut PgConnection, ids: &[i64]) -> sqlx::Result<Vec<PostRow>> {
    let rows = sqlx::query_as!(
        PostRow,
        r#"select p.id, p.title, u.username as author,
            case when p.withheld_by is not null then 'taken_down' when p.status = 'draft' and p.submitted_at is not null then 'submitted'
                when p.status = 'draft' then 'unpublished' when p.is_page then 'page' else 'published' end as "status!",
            coalesce(p.published_at, p.updated_at) as "at!", coalesce(t.rating_count, 0) as "rating_count!",
            t.average_rating as "average_rating?", t.steady_rating as "steady_rating?",
            exists (select from report_cases where blog_id = p.id and decided_at is null) as "is_reported!",
            coalesce(p.withheld_by, (select id from report_cases where blog_id = p.id and decided_at is null)) as "case?"
        from unnest($1::bigint[]) with ordinality as wanted (id, place)
            join blog_posts p on p.id = wanted.id join users u on u.id = p.author_id
            left join rating_totals t on t.blog_id = p.id order by place"#,
        ids,
    );
    rows.fetch_all(connection).await
}
