//! Rating statistics of posts: averages, scores and numbers of ratings.

use actix_web::web;
use schemars::JsonSchema;
use serde::Serialize;
use sqlx::PgPool;

use crate::blog_posts::PostId;
use crate::blog_posts::models::parse_post_ids;
use crate::state::AppState;
use crate::web::error::AppError;
use crate::web::request::current_user::CurrentUser;
use crate::web::request::query::Query;
use crate::web::response::view::JsonResponse;

#[derive(Clone, Copy, Debug, JsonSchema, Serialize)]
pub struct StarCounts {
    #[serde(rename = "1")]
    pub one: i64,
    #[serde(rename = "2")]
    pub two: i64,
    #[serde(rename = "3")]
    pub three: i64,
    #[serde(rename = "4")]
    pub four: i64,
    #[serde(rename = "5")]
    pub five: i64,
}

#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct RatingStats {
    pub average_rating: f64,
    pub total_ratings: i64,
    /// Steady score and its weight. The score is `None` if no rating counts towards it.
    pub steady_rating: Option<f64>,
    pub steady_weight: f64,
    pub distribution: StarCounts,
}

/// Rating statistics of a post, with the id of the post.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct PostRatingStats {
    pub blog: PostId,
    #[serde(flatten)]
    pub stats: RatingStats,
}

/// Rating statistics of several posts.
#[derive(Debug, JsonSchema, Serialize)]
pub struct RatingStatsList {
    pub results: Vec<PostRatingStats>,
}

pub async fn show_rating_stats(
    reader: Option<CurrentUser>,
    blog: PostId,
    state: web::Data<AppState>,
) -> Result<JsonResponse<RatingStats>, AppError> {
    let post_stats =
        read_rating_stats(state.read_pool(reader.as_ref()).await, &[blog]).await?.pop().ok_or(AppError::NotFound)?;
    Ok(JsonResponse::public(post_stats.stats))
}

pub async fn list_rating_stats(
    reader: Option<CurrentUser>,
    query: Query,
    state: web::Data<AppState>,
) -> Result<JsonResponse<RatingStatsList>, AppError> {
    let ids = parse_post_ids(&query.get("ids")?.unwrap_or_default());
    let ids = ids.map_err(|problem| AppError::invalid_field("ids", problem))?;
    let results = read_rating_stats(state.read_pool(reader.as_ref()).await, &ids).await?;
    Ok(JsonResponse::public(RatingStatsList { results }))
}

/// Reads the statistics of published posts, in the order of the post ids.
async fn read_rating_stats(pool: &PgPool, blogs: &[PostId]) -> sqlx::Result<Vec<PostRatingStats>> {
    let rows = sqlx::query!(
        "select blog_id, average_rating, rating_count, steady_rating, steady_weight, stars_1, stars_2, stars_3, stars_4,
            stars_5
        from rating_totals join blog_posts on id = blog_id
        where blog_id = any($1) and status = 'published' order by blog_id",
        blogs as &[PostId],
    );
    let stats = rows.fetch_all(pool).await?.into_iter().map(|row| PostRatingStats {
        blog: PostId(row.blog_id),
        stats: RatingStats {
            average_rating: row.average_rating,
            total_ratings: row.rating_count,
            steady_rating: row.steady_rating,
            steady_weight: row.steady_weight,
            distribution: StarCounts {
                one: row.stars_1,
                two: row.stars_2,
                three: row.stars_3,
                four: row.stars_4,
                five: row.stars_5,
            },
        },
    });
    Ok(stats.collect())
}
