//! Ratings of the signed-in user: list of all, and the rating of one post.

use actix_web::web;
use askama::Template;
use schemars::JsonSchema;
use serde::Serialize;
use sqlx::PgPool;

use super::models::{Rating, Stars, find_own_rating};
use super::urls;
use crate::blog_posts::{self, PostId};
use crate::i18n::filters;
use crate::page;
use crate::state::AppState;
use crate::web::error::AppError;
use crate::web::request::current_user::{CurrentUser, UserId};
use crate::web::request::query::Query;
use crate::web::response::layout::Layout;
use crate::web::response::pagination::{Direction, Pager, ResultPage, SortKey};
use crate::web::response::view::{JsonResponse, PageResponse};

const PAGE_SIZE: usize = 50;

/// Rating with the title of its post.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct RatedPost {
    #[serde(flatten)]
    pub rate: Rating,
    pub title: String,
    #[serde(skip)]
    own_slug: Option<String>,
}

impl RatedPost {
    pub fn path(&self) -> String {
        blog_posts::post_path(self.rate.blog, &self.title, self.own_slug.as_deref())
    }
}

#[derive(Template)]
#[template(path = "rate/mine.html")]
pub struct OwnRatingsPage {
    layout: Layout,
    data: ResultPage<RatedPost>,
}

page!(OwnRatingsPage, data: ResultPage<RatedPost>, list data);

pub async fn list_own_ratings(
    user: CurrentUser,
    layout: Layout,
    query: Query,
    state: web::Data<AppState>,
) -> Result<PageResponse<OwnRatingsPage>, AppError> {
    let pager = Pager::new(urls::OWN_RATINGS.pattern, &query, &state.keys, PAGE_SIZE)?;
    let data = read_own_ratings(&state.pool, &user, &pager).await?;
    Ok(PageResponse::new(OwnRatingsPage { layout, data }))
}

/// Reads the user's ratings of published posts, the latest rating first.
async fn read_own_ratings(pool: &PgPool, user: &CurrentUser, pager: &Pager<'_>) -> sqlx::Result<ResultPage<RatedPost>> {
    let position = pager.position(SortKey::max_time());
    let SortKey::Time(time) = position.rank else {
        return Ok(pager.page_from_rows(Vec::new(), |_| (position.rank, 0)));
    };
    let rows = sqlx::query!(
        r#"select r.id, r.user_id, r.blog_id, r.rating, r.created_at, r.updated_at, p.title, p.own_slug
        from rates r join blog_posts p on p.id = r.blog_id
        where r.user_id = $1 and p.status = 'published'
            and case when $5 then (r.updated_at, r.id) < ($2, $3) else (r.updated_at, r.id) > ($2, $3) end
        order by case when $5 then r.updated_at end desc, case when $5 then r.id end desc, r.updated_at, r.id
        limit $4"#,
        user.id.0,
        time,
        position.id,
        pager.limit(),
        position.side == Direction::After,
    );
    let rows = rows.fetch_all(pool).await?.into_iter().filter_map(|row| {
        let rating = Stars::new(i64::from(row.rating))?;
        let (user, blog) = (UserId(row.user_id), PostId(row.blog_id));
        let rate = Rating { id: row.id, user, blog, rating, created_at: row.created_at, updated_at: row.updated_at };
        Some(RatedPost { rate, title: row.title, own_slug: row.own_slug })
    });
    Ok(pager.page_from_rows(rows.collect(), |rated| (SortKey::Time(rated.rate.updated_at), rated.rate.id)))
}

/// Number of stars that the user gave a post.
#[derive(Debug, JsonSchema, Serialize)]
pub struct OwnRating {
    pub user_rating: Stars,
}

pub async fn show_own_rating(
    user: CurrentUser,
    blog: PostId,
    state: web::Data<AppState>,
) -> Result<JsonResponse<OwnRating>, AppError> {
    let user_rating = find_own_rating(&state.pool, &user, blog).await?;
    Ok(JsonResponse::private(OwnRating { user_rating }))
}
