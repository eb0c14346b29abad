//! Ratings, their keys, and the requests that write them.

use chrono::{DateTime, Utc};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde_json::Value;
use sqlx::PgPool;

use crate::blog_posts::PostId;
use crate::i18n::{Phrase, to_ascii_digits};
use crate::phrase;
use crate::rate::error::RateError;
use crate::web::error::AppError;
use crate::web::request::current_user::{CurrentUser, UserId};
use crate::web::request::form_field::{Field, integer_or_string_schema, number_text};

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

    /// Array index for the number of stars, from 0 to 4.
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
        integer_or_string_schema(&Self::json_schema(&mut SchemaGenerator::default()))
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
    /// Submitted stars; `None` for a withdrawal.
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
