//! Rating types, and queries that read ratings.

use chrono::{DateTime, Utc};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde_json::Value;
use sqlx::PgPool;

use crate::blog_posts::{self, PostId};
use crate::i18n::{Phrase, to_ascii_digits};
use crate::phrase;
use crate::rate::error::RateError;
use crate::web::error::AppError;
use crate::web::request::current_user::{CurrentUser, UserId};
use crate::web::request::form_field::{Field, Fields, FormInput, number_text, or_in_quotes};
use crate::web::response::pagination::{Direction, Pager, ResultPage, SortKey};

/// Number of stars, from 1 to 5.
#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(transparent)]
#[schemars(inline)]
pub struct Stars(#[schemars(range(min = 1, max = 5))] i16);

impl Stars {
    pub fn new(stars: i64) -> Option<Self> {
        i16::try_from(stars).ok().filter(|stars| (1..=5).contains(stars)).map(Self)
    }

    pub fn get(self) -> i16 {
        self.0
    }

    pub fn value(self) -> u8 {
        u8::try_from(self.0).unwrap_or(0)
    }

    /// From 0 to 4.
    pub fn index(self) -> usize {
        usize::try_from(self.0 - 1).unwrap_or(0)
    }
}

impl Field for Stars {
    const MISSING: &'static str = "invalid-stars";

    /// Accepts a single digit only: the rating form never submits `05` or `+5`.
    fn from_text(text: &str) -> Result<Self, Phrase> {
        let digit = Some(to_ascii_digits(text)).filter(|text| text.len() == 1).and_then(|text| text.parse().ok());
        digit.and_then(Self::new).ok_or_else(|| phrase!(Self::MISSING))
    }

    fn from_json(value: &Value) -> Result<Self, Phrase> {
        Self::from_text(&number_text(value))
    }

    fn schema() -> Schema {
        or_in_quotes(&Self::json_schema(&mut SchemaGenerator::default()))
    }
}

/// Unique key of a rating.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RatingKey {
    pub user: UserId,
    pub post: PostId,
}

impl RatingKey {
    /// Returns user ids and post ids, as arrays for `unnest`.
    pub fn unzip_ids<'a>(pairs: impl IntoIterator<Item = &'a Self>) -> (Vec<i64>, Vec<i64>) {
        pairs.into_iter().map(|pair| (pair.user.0, pair.post.0)).unzip()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RatingOperation {
    Create(Stars),
    Change(Stars),
    Withdraw,
}

impl RatingOperation {
    /// `None` for a withdrawal.
    pub fn stars(self) -> Option<Stars> {
        match self {
            Self::Create(stars) | Self::Change(stars) => Some(stars),
            Self::Withdraw => None,
        }
    }

    /// Edits require an existing rating, and count in the limit on changes.
    pub fn is_edit(self) -> bool {
        !matches!(self, Self::Create(_))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RatingRequest {
    pub operation: RatingOperation,
    pub pair: RatingKey,
}

/// Rating of a post by a user.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema, Serialize)]
pub struct Rating {
    pub id: i64,
    pub user: UserId,
    pub blog: PostId,
    pub rating: Stars,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
}

#[derive(Clone, Copy, Debug)]
pub struct NewRating {
    pub blog: PostId,
    pub rating: Stars,
}

impl FormInput for NewRating {
    fn read(fields: &mut Fields) -> Option<Self> {
        let (blog, rating) = (fields.take("blog"), fields.take("rating"));
        Some(Self { blog: blog?, rating: rating? })
    }
}

/// Clients of `BitPin-Blog` also send `blog`, which must be the post in the URL.
#[derive(Clone, Copy, Debug)]
pub struct RatingChange {
    pub blog: Option<PostId>,
    pub rating: Stars,
}

impl FormInput for RatingChange {
    fn read(fields: &mut Fields) -> Option<Self> {
        let (blog, rating) = (fields.take_optional("blog"), fields.take("rating"));
        Some(Self { blog: blog?, rating: rating? })
    }
}

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

/// Number of stars that the user gave a post.
#[derive(Debug, JsonSchema, Serialize)]
pub struct OwnRating {
    pub user_rating: Stars,
}

/// In the order of their ids. Posts that are not published are omitted.
pub async fn list_rating_stats(pool: &PgPool, blogs: &[PostId]) -> sqlx::Result<Vec<PostRatingStats>> {
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

pub async fn find_own_rating(pool: &PgPool, user: &CurrentUser, PostId(blog): PostId) -> Result<Stars, AppError> {
    let rating = sqlx::query_scalar!(
        r#"select r.rating as "rating?" from blog_posts p left join rates r on r.blog_id = p.id and r.user_id = $1
        where p.id = $2 and p.status = 'published'"#,
        user.id.0,
        blog
    );
    let rating = rating.fetch_optional(pool).await?.ok_or(AppError::NotFound)?;
    Ok(Stars(rating.ok_or(RateError::NotRated)?))
}

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

pub const PAGE_SIZE: usize = 50;

/// Latest first. Ratings of unpublished posts are omitted.
pub async fn list_own_ratings(
    pool: &PgPool,
    user: &CurrentUser,
    pager: &Pager<'_>,
) -> sqlx::Result<ResultPage<RatedPost>> {
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
