//! Admin list of rating pauses: users who cannot rate a post after thousands of failed attempts.

use chrono::{DateTime, Utc};
use serde::Serialize;

use crate::admin::admin_list::{
    ActionChoice, AdminList, DisplayPart, FilterValues, ListFilter, RowDisplay, begin_with_custom_query_plans,
};
use crate::admin::bulk_actions::BulkAction;
use crate::admin::urls;
use crate::i18n::PhraseValue;
use crate::phrase;
use crate::web::error::AppError;
use crate::web::request::current_user::CurrentUser;
use crate::web::response::pagination::{Direction, Pager, ResultPage, SortKey};
use crate::web::routing::route::Route;
use crate::web::state::AppState;

#[derive(Debug, Serialize)]
pub struct ZombiePauseRow {
    post: i64,
    title: Option<String>,
    #[serde(skip)]
    user_id: i64,
    user: String,
    paused_at: DateTime<Utc>,
}

#[derive(Default)]
pub struct ZombiePauseList;

impl AdminList for ZombiePauseList {
    type Row = ZombiePauseRow;

    const ROUTE: Route = urls::ZOMBIE_PAUSES;
    const NAME: &'static str = "pauses";
    const HEADER: &'static [&'static str] = &["post", "title", "user", "paused_at"];

    fn filters(&self) -> Vec<ListFilter> {
        vec![
            ListFilter::text_filter("user", phrase!("label-user")),
            ListFilter::text_filter("post", phrase!("label-post")),
        ]
    }

    async fn page(
        &self,
        state: &AppState,
        typed: &FilterValues,
        pager: &Pager<'_>,
    ) -> Result<ResultPage<ZombiePauseRow>, AppError> {
        let (user, post) = (typed.find_user(state, "user").await?.map(|user| user.0), typed.post_id()?);
        let position = pager.position(SortKey::max_time());
        let rows = sqlx::query_as!(
            ZombiePauseRow,
            r#"select z.blog_id as post, case when p.status = 'published' then p.title end as title, z.user_id,
                u.username as user, z.paused_at as "paused_at!"
            from zombie_pauses z join blog_posts p on p.id = z.blog_id join users u on u.id = z.user_id
            where z.paused_at is not null and z.unpaused_at is null
                and ($1::bigint is null or z.user_id = $1) and ($2::bigint is null or z.blog_id = $2)
                and case when $5 then (z.paused_at, z.user_id) > ($3, $4) else (z.paused_at, z.user_id) < ($3, $4) end
            order by case when $5 then z.paused_at end, case when $5 then z.user_id end, z.paused_at desc, z.user_id desc
            limit $6"#,
            user,
            post,
            position.sort_time(),
            position.id,
            position.side == Direction::Before,
            pager.limit(),
        );
        let rows = rows.fetch_all(&mut *begin_with_custom_query_plans(&state.pool).await?).await?;
        Ok(pager.page_from_rows(rows, |row| (SortKey::Time(row.paused_at), row.user_id)))
    }

    fn entry(&self, row: &ZombiePauseRow, _: DateTime<Utc>) -> RowDisplay {
        RowDisplay {
            id: format!("pause-{}-{}", row.user_id, row.post),
            pick: Some(format!("{}:{}", row.user_id, row.post)),
            head: vec![DisplayPart::Strong(row.user.clone()), DisplayPart::post_link(row.post, row.title.as_ref())],
            facts: vec![DisplayPart::Html(phrase!("pauses-started-at", time = PhraseValue::Minute(row.paused_at)))],
            ..RowDisplay::default()
        }
    }

    fn actions(&self, user: &CurrentUser) -> (&'static str, Vec<ActionChoice>) {
        BulkAction::choices_for(user, &[BulkAction::LiftPauses])
    }
}
