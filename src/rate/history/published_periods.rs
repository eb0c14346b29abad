//! Periods of a post's steady score, published so that anyone can recompute the score.

use std::collections::HashMap;

use chrono::NaiveDate;
use schemars::JsonSchema;
use serde::Serialize;
use sqlx::PgPool;

use crate::blog_posts::PostId;
use crate::i18n::{Phrase, PhraseValue};
use crate::phrase;
use crate::rate::moderation::find_exclusion_reasons;
use crate::score::contributions::OwnRatingContribution;
use crate::score::rating_days::{date_from_epoch_days, read_days_of_post, read_state};
use crate::web::error::AppError;
use crate::web::request::current_user::UserId;
use crate::web::response::csv;
use evenkeel_limiters::{CountedShares, PeriodStatus, ScoreContribution, ScorePeriod, SteadyScore};

/// Maximum number of published periods, the latest periods first.
const MAX_PERIODS: usize = 4_000;

/// Period of the steady score. The score is the sum of `weighted_sum` over all periods, divided by the sum of `weight`.
/// In each period, `weight`, `held_back`, `limited`, `surge` and `excluded` add up to `ratings`. These numbers can be
/// fractional, because a rating can count in part.
#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize)]
pub struct PublishedPeriod {
    /// Day (UTC) of the first rating in the period.
    pub day: NaiveDate,
    /// Day (UTC) of the latest rating in the period.
    pub until: NaiveDate,
    /// Number of ratings in the period.
    pub ratings: i64,
    /// Average of the ratings in the period, in stars.
    pub average: f64,
    /// Weight of the period in the score, as a number of ratings.
    pub weight: f64,
    /// Sum of the stars of the ratings, each times its weight in the score.
    pub weighted_sum: f64,
    /// Number of ratings that do not count towards the score yet, but may count later.
    pub held_back: f64,
    /// Number of ratings above the weight limit of the period.
    pub limited: f64,
    /// Number of ratings that were dropped, because unusually many ratings with their number of stars arrived.
    pub surge: f64,
    /// Number of ratings that staff excluded.
    pub excluded: f64,
    /// Reason why the ratings of the period do not fully count towards the score, or `None` if they fully count.
    pub reason: Option<PeriodStatus>,
    /// Reason that staff gave for excluding the period.
    pub because: Option<String>,
}

impl PublishedPeriod {
    fn new(period: &ScorePeriod, counted: CountedShares, reasons: &HashMap<NaiveDate, String>) -> Option<Self> {
        let average = period.average()?;
        let ScoreContribution { weight, held_back, limited, surge, excluded } = period.contribution(counted);
        let period_status = period.status(counted);
        let day = date_from_epoch_days(period.first_day);
        Some(Self {
            day,
            until: date_from_epoch_days(period.last_day),
            ratings: period.count(),
            average,
            weight,
            weighted_sum: period.weighted_sum(counted),
            held_back,
            limited,
            surge,
            excluded,
            reason: Some(period_status).filter(|period_status| *period_status != PeriodStatus::Whole),
            because: reasons.get(&day).filter(|_| period.excluded).cloned(),
        })
    }

    pub fn description(&self) -> Phrase {
        match self.reason {
            Some(PeriodStatus::Surge) => phrase!("score-period-surge"),
            Some(PeriodStatus::HeldBack) => phrase!("score-period-held-back"),
            Some(PeriodStatus::Excluded) => phrase!("score-period-excluded"),
            Some(PeriodStatus::Limited) => phrase!("score-period-limited"),
            Some(PeriodStatus::Whole) | None => phrase!("score-period-whole"),
        }
    }

    pub fn days(&self) -> Phrase {
        phrase!("score-period-days", from = self.day, until = self.until, one = self.day == self.until)
    }

    pub fn format_days_without_year(&self) -> Phrase {
        let [from, until] = [self.day, self.until].map(PhraseValue::MonthAndDay);
        phrase!("score-period-days", from = from, until = until, one = self.day == self.until)
    }

    /// Number of ratings that do not count because more arrived than usual.
    pub fn not_counted(&self) -> f64 {
        self.limited + self.surge
    }

    /// Number of ratings that do not count now, for any reason.
    pub fn without_weight(&self) -> f64 {
        self.held_back + self.not_counted() + self.excluded
    }

    /// True if at least half of the ratings do not count, for a reason other than the weight limit of the period.
    pub fn is_mostly_without_weight(&self) -> bool {
        let is_limited = self.reason == Some(PeriodStatus::Limited);
        #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
        let is_most = self.without_weight() >= 0.5 * self.ratings as f64;
        is_most && !is_limited
    }
}

/// Reads the periods in chronological order. The last period is still open.
pub async fn read(pool: &PgPool, PostId(post): PostId) -> sqlx::Result<Vec<PublishedPeriod>> {
    let reasons = find_exclusion_reasons(pool, PostId(post)).await?;
    let connection = &mut *pool.acquire().await?;
    let state = read_state(connection, post).await?;
    let days = read_days_of_post(connection, post, &state).await?;
    let rules = SteadyScore::default();
    let (state, periods) = rules.compute_periods(days.iter());
    let counted = rules.counted_shares(&state);
    let latest = &periods[periods.len().saturating_sub(MAX_PERIODS)..];
    Ok(latest.iter().filter_map(|period| PublishedPeriod::new(period, counted, &reasons)).collect())
}

pub async fn read_own_rating_contribution(
    pool: &PgPool,
    PostId(post): PostId,
    UserId(user): UserId,
) -> sqlx::Result<Option<OwnRatingContribution>> {
    let mut connection = pool.acquire().await?;
    let rate = sqlx::query!(
        r#"select rating, counted_on as "day!" from rates
        where blog_id = $1 and user_id = $2 and counted_on is not null"#,
        post,
        user,
    );
    let Some(rate) = rate.fetch_optional(&mut *connection).await? else { return Ok(None) };
    let state = read_state(&mut connection, post).await?;
    OwnRatingContribution::read(&mut connection, &state, post, rate.rating, rate.day).await
}

/// Column names of the CSV file, equal to the JSON field names.
const HEADER: [&str; 12] = [
    "day",
    "until",
    "ratings",
    "average",
    "weight",
    "weighted_sum",
    "held_back",
    "limited",
    "surge",
    "excluded",
    "reason",
    "because",
];

/// Escapes reasons, so that spreadsheets do not interpret them as formulas.
pub fn to_csv(periods: &[PublishedPeriod]) -> Result<String, AppError> {
    let guarded = |period: &PublishedPeriod| PublishedPeriod {
        because: period.because.as_deref().map(csv::escape_formula),
        ..period.clone()
    };
    csv::to_csv(&HEADER, periods.iter().map(guarded))
}
