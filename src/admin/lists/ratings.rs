//! Admin list of the ratings of one post or one user.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;
use sqlx::PgConnection;

use crate::admin::admin_list::{
    AdminList, DisplayPart, FilterValues, ListColumn, ListFilter, ListResult, RowDisplay, begin_with_custom_query_plans,
};
use crate::admin::urls;
use crate::phrase;
use crate::web::response::pagination::{Direction, Pager, SortKey};
use crate::web::routing::route::Route;
use crate::web::state::CoreState;

#[derive(Debug, JsonSchema, Serialize)]
pub struct RatingRow {
    #[serde(skip)]
    id: i64,
    post: i64,
    /// Title of the post; `None` if the post is not published.
    title: Option<String>,
    #[serde(skip)]
    user_id: i64,
    user: String,
    /// Registration time of the user.
    user_since: DateTime<Utc>,
    rating: i16,
    created_at: DateTime<Utc>,
    updated_at: DateTime<Utc>,
}

#[derive(Default)]
pub struct RatingList;

impl AdminList for RatingList {
    type Row = RatingRow;

    const ROUTE: Route = urls::RATINGS;
    const NAME: &'static str = "ratings";
    const HEADER: &'static str = "post title user user_since rating created_at updated_at";
    const COLUMNS: &'static [ListColumn] = &[
        ListColumn::new("label-user"),
        ListColumn::new("label-rating"),
        ListColumn::new("column-post"),
        ListColumn::new("column-rated"),
        ListColumn::new("column-changed"),
        ListColumn::new("column-account-created"),
    ];

    fn filters() -> Vec<ListFilter> {
        vec![
            ListFilter::text_filter("post", phrase!("label-post")),
            ListFilter::text_filter("user", phrase!("label-user")),
        ]
    }

    /// Ratings of a post are ordered by the registration time of the user, so that ratings by a group of new accounts
    /// are at the top. Without a filter the list is empty, because a list of all ratings would serve no purpose.
    async fn page(&self, state: &CoreState, typed: &FilterValues, pager: &Pager<'_>) -> ListResult<RatingRow> {
        let (post, user) = (typed.id("post")?, typed.find_user(state, "user").await?.map(|user| user.0));
        let mut transaction = begin_with_custom_query_plans(&state.pool).await?;
        let rows = match (post, user) {
            (None, None) => Vec::new(),
            (Some(post), user) => by_post(&mut transaction, post, user, pager).await?,
            (None, Some(user)) => by_user(&mut transaction, user, pager).await?,
        };
        let is_of_post = post.is_some();
        Ok(pager
            .page_from_rows(rows, |row| (SortKey::Time(row.updated_at), if is_of_post { row.user_id } else { row.id })))
    }

    fn entry(&self, row: &RatingRow, now: DateTime<Utc>) -> RowDisplay {
        let changed = (row.updated_at > row.created_at).then_some(DisplayPart::Time(row.updated_at, now));
        RowDisplay {
            id: format!("rating-{}", row.id),
            key: None,
            cells: vec![
                vec![DisplayPart::user_link(&row.user)],
                vec![DisplayPart::Said(phrase!("stars", count = row.rating))],
                vec![DisplayPart::post_link(row.post, row.title.as_ref())],
                vec![DisplayPart::Time(row.created_at, now)],
                changed.into_iter().collect(),
                vec![DisplayPart::Time(row.user_since, now)],
            ],
        }
    }
}

async fn by_post(
    connection: &mut PgConnection,
    post: i64,
    user: Option<i64>,
    pager: &Pager<'_>,
) -> sqlx::Result<Vec<RatingRow>> {
    let position = pager.position(SortKey::max_time());
    let rows = sqlx::query_as!(
        RatingRow,
        r#"select r.id, r.blog_id as post, case when p.status = 'published' then p.title end as title,
            r.user_id, u.username as user, u.created_at as user_since, r.rating, r.created_at, r.updated_at
        from rates r join blog_posts p on p.id = r.blog_id join users u on u.id = r.user_id
        where r.blog_id = $1 and ($2::bigint is null or r.user_id = $2)
            and case when $4 then r.user_id > $3 else r.user_id < $3 end
        order by case when $4 then r.user_id end, r.user_id desc limit $5"#,
        post,
        user,
        position.id,
        position.side == Direction::Before,
        pager.limit(),
    );
    rows.fetch_all(connection).await
}

async fn by_user(connection: &mut PgConnection, user: i64, pager: &Pager<'_>) -> sqlx::Result<Vec<RatingRow>> {
    let position = pager.position(SortKey::max_time());
    let rows = sqlx::query_as!(
        RatingRow,
        r#"select r.id, r.blog_id as post, case when p.status = 'published' then p.title end as title,
            r.user_id, u.username as user, u.created_at as user_since, r.rating, r.created_at, r.updated_at
        from rates r join blog_posts p on p.id = r.blog_id join users u on u.id = r.user_id
        where r.user_id = $1
            and case when $4 then (r.updated_at, r.id) > ($2, $3) else (r.updated_at, r.id) < ($2, $3) end
        order by case when $4 then r.updated_at end, case when $4 then r.id end, r.updated_at desc, r.id desc
        limit $5"#,
        user,
        position.sort_time(),
        position.id,
        position.side == Direction::Before,
        pager.limit(),
    );
    rows.fetch_all(connection).await
}
