//! Ratings of a post, aggregated by hour or by day.

use chrono::{DateTime, DurationRound as _, NaiveTime, TimeDelta, Timelike as _, Utc};
use schemars::JsonSchema;
use serde::Serialize;
use sqlx::PgPool;

use super::published_periods::{self, PublishedPeriod};
use crate::blog_posts::PostId;
use crate::db::clock::Clock;
use crate::i18n::{Locale, Phrase, PhraseValue};
use crate::phrase;
use crate::rate::moderation::Moderation;
use crate::score::contributions::OwnRatingContribution;
use crate::score::hourly_ratings::HourlyRatings;
use crate::web::error::AppError;
use evenkeel_limiters::ScoreContribution;

/// Maximum number of hours with ratings that are read, the latest hours first.
const MAX_HOURS: i64 = 24 * 92;

/// Maximum length in hours of a history that is shown by hour. Longer histories are aggregated by day.
const MAX_HOURLY_SPAN: i64 = 48;

#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema, Serialize, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum PeriodKind {
    Hour,
    Day,
}

impl PeriodKind {
    pub fn name(self) -> &'static str {
        self.into()
    }

    fn new(hours: &[HourlyRatings], since: Option<DateTime<Utc>>, read_at: DateTime<Utc>) -> Self {
        let (Some(first), Some(last)) = (hours.first(), hours.last()) else { return Self::Hour };
        let span = since.map_or(last.hour - first.hour, |since| read_at - since.max(first.hour));
        if span > TimeDelta::hours(MAX_HOURLY_SPAN) { Self::Day } else { Self::Hour }
    }

    pub(super) fn duration(self) -> TimeDelta {
        match self {
            Self::Hour => TimeDelta::hours(1),
            Self::Day => TimeDelta::days(1),
        }
    }

    pub(super) fn axis_label(self, time: DateTime<Utc>, locale: Locale) -> String {
        if self == Self::Day || time.hour() == 0 {
            locale.format_month_and_day(time.date_naive())
        } else {
            locale.format_time(time.hour(), 0)
        }
    }

    pub fn label(self, time: &DateTime<Utc>) -> Phrase {
        match self {
            Self::Day => phrase!("period-day", day = time.date_naive()),
            Self::Hour => phrase!("period-hour", time = PhraseValue::Hour(time.date_naive(), time.hour())),
        }
    }
}

/// Ratings of one hour or day.
#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize)]
pub struct Period {
    /// Start of the hour or day.
    pub from: DateTime<Utc>,
    /// Number of new and changed ratings that the rating limiter admitted.
    pub admitted: i64,
    /// Number of new and changed ratings that the rating limiter refused.
    pub refused: i64,
    /// Number of changes among the admitted ratings.
    pub changed: i64,
    /// Number of changes among the refused ratings.
    pub refused_changes: i64,
    /// Number of users whose new rating of one star was refused. Each user counts once per hour.
    pub refused_1: i64,
    /// Number of users whose new rating of two stars was refused. Each user counts once per hour.
    pub refused_2: i64,
    /// Number of users whose new rating of three stars was refused. Each user counts once per hour.
    pub refused_3: i64,
    /// Number of users whose new rating of four stars was refused. Each user counts once per hour.
    pub refused_4: i64,
    /// Number of users whose new rating of five stars was refused. Each user counts once per hour.
    pub refused_5: i64,
    /// Number of ratings of the post at the end of the period.
    pub rating_count: i64,
    /// Average of the ratings of the post at the end of the period, in stars.
    pub average_rating: f64,
    /// Average that the post would have had at the end of the period if the rating limiter had admitted every new
    /// rating.
    pub average_without_limiter: Option<f64>,
    /// Steady score at the end of the period. In a daily history, it is recomputed with the current weights; in an
    /// hourly history, it is the score that was displayed at that time.
    pub steady_rating: Option<f64>,
}

impl Period {
    pub(super) fn new_ratings(&self) -> i64 {
        self.admitted - self.changed
    }

    pub fn description(&self, kind: PeriodKind) -> Phrase {
        let average = Some(self.average_rating).filter(|_| self.rating_count > 0);
        let blocked = self.average_without_limiter.filter(|_| self.refused > 0);
        let scores = [("steady", self.steady_rating), ("average", average), ("blocked", blocked)];
        let phrase = phrase!(
            "period-words",
            when = kind.label(&self.from),
            new = self.new_ratings(),
            changed = self.changed,
            refused = self.refused,
        );
        scores.into_iter().fold(phrase, |phrase, (name, score)| {
            let text = score.map(|score| phrase!(format!("period-{name}"), score = PhraseValue::Number(score, 2)));
            phrase.with_argument(name, text.unwrap_or_else(|| phrase!("nothing")))
        })
    }
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct History {
    pub blog: PostId,
    pub period: PeriodKind,
    pub periods: Vec<Period>,
    /// Start of the selected time range; `None` for the whole history.
    #[serde(skip)]
    pub since: Option<DateTime<Utc>>,
    #[serde(skip)]
    pub read_at: DateTime<Utc>,
    /// First hour with ratings, even before the selected time range.
    #[serde(skip)]
    pub first_hour: Option<DateTime<Utc>>,
    /// True if a user's rating was refused at any time, even before the selected time range.
    #[serde(skip)]
    pub has_refused: bool,
    /// Last displayed steady score before the selected time range.
    #[serde(skip)]
    pub steady_before: Option<f64>,
    /// Average before the selected time range, including refused ratings.
    #[serde(skip)]
    pub average_before: Option<f64>,
    /// Periods of the steady score, in chronological order.
    pub days: Vec<PublishedPeriod>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mine: Option<OwnRatingContribution>,
    /// Decisions of moderators to exclude days from the score or include them again, in reverse chronological order.
    pub moderations: Vec<Moderation>,
}

impl History {
    pub async fn read(pool: &PgPool, clock: &Clock, id: PostId, days: Option<i64>) -> Result<Self, AppError> {
        let read_at = clock.read(&mut *pool.acquire().await?).await?;
        let since = days.map(|days| read_at - TimeDelta::days(days));
        let mut connection = pool.acquire().await?;
        let hours = HourlyRatings::read_latest(&mut connection, id.0, MAX_HOURS).await?;
        let refused = match hours.first() {
            Some(first) if i64::try_from(hours.len()) == Ok(MAX_HOURS) => {
                HourlyRatings::count_refused_before(&mut connection, id.0, first.hour).await?
            }
            _ => (0, 0),
        };
        drop(connection);
        let days = published_periods::read(pool, id).await?;
        Ok(Self::by_period(id, hours, refused, since, read_at)?.with_days(days))
    }

    pub fn contribution(&self) -> ScoreContribution {
        let total = |part: fn(&PublishedPeriod) -> f64| self.days.iter().map(part).sum::<f64>();
        ScoreContribution {
            weight: total(|day| day.weight),
            held_back: total(|day| day.held_back),
            limited: total(|day| day.limited),
            surge: total(|day| day.surge),
            excluded: total(|day| day.excluded),
        }
    }

    /// Sets the periods of the score and, in a daily history, the steady score at the end of each day.
    fn with_days(mut self, days: Vec<PublishedPeriod>) -> Self {
        if self.period == PeriodKind::Day {
            let scores = steady_score_series(&days);
            for period in &mut self.periods {
                let then = scores.partition_point(|(day, _)| *day <= period.from);
                period.steady_rating = then.checked_sub(1).map(|last| scores[last].1);
            }
        }
        Self { days, ..self }
    }

    /// Refused ratings before `since` or before the first hour still count in [`Period::average_without_limiter`]:
    /// `refused` contains the number of their users, and the sum of their stars.
    pub(super) fn by_period(
        blog: PostId,
        hours: Vec<HourlyRatings>,
        mut refused: (i64, i64),
        since: Option<DateTime<Utc>>,
        read_at: DateTime<Utc>,
    ) -> Result<Self, AppError> {
        let first_hour = hours.first().map(|hour| hour.hour);
        let period = PeriodKind::new(&hours, since, read_at);
        // A range ends with the current hour or day. As on the dashboard, 24 hours are this hour and the 23 before it.
        let since = since.map(|since| since.duration_trunc(period.duration()).unwrap_or(since) + period.duration());
        let is_shown = |hour: &HourlyRatings| since.is_none_or(|since| hour.hour >= since);
        let steady_before =
            hours.iter().filter(|hour| !is_shown(hour)).filter_map(|hour| hour.steady_rating).next_back();
        let mut periods: Vec<Period> = Vec::new();
        let mut average_before = None;
        for hour in hours {
            let from =
                hour.hour.duration_trunc(period.duration()).map_err(|error| AppError::Internal(error.to_string()))?;
            let tally = hour.tally();
            refused = (refused.0 + tally.refused, refused.1 + tally.refused_stars);
            if !is_shown(&hour) {
                average_before = Period::new(hour.hour, &hour, refused).average_without_limiter;
                continue;
            }
            let mut next = Period::new(from, &hour, refused);
            if let Some(last) = periods.pop_if(|last| last.from == from) {
                next.add(&last);
            }
            periods.push(next);
        }
        Ok(Self {
            blog,
            period,
            periods,
            since,
            read_at,
            first_hour,
            has_refused: refused.0 > 0,
            steady_before,
            average_before,
            days: Vec::new(),
            mine: None,
            moderations: Vec::new(),
        })
    }
}

impl Period {
    /// `refused` contains the number of users refused until the end of the period, and the sum of their stars.
    fn new(from: DateTime<Utc>, hour: &HourlyRatings, refused: (i64, i64)) -> Self {
        let (count, sum) = (hour.rating_count + refused.0, hour.rating_sum + refused.1);
        let HourlyRatings { refused_1, refused_2, refused_3, refused_4, refused_5, .. } = *hour;
        #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
        let average_without_limiter = (count > 0).then(|| sum as f64 / count as f64);
        Self {
            from,
            admitted: hour.admitted,
            refused: hour.refused,
            changed: hour.changed,
            refused_changes: hour.refused_changes,
            refused_1,
            refused_2,
            refused_3,
            refused_4,
            refused_5,
            rating_count: hour.rating_count,
            average_rating: hour.average().unwrap_or(0.0),
            average_without_limiter,
            steady_rating: hour.steady_rating,
        }
    }

    /// Adds the counts of an earlier hour, and keeps the totals and averages of the later hour.
    fn add(&mut self, earlier: &Self) {
        self.admitted += earlier.admitted;
        self.refused += earlier.refused;
        self.changed += earlier.changed;
        self.refused_changes += earlier.refused_changes;
        self.refused_1 += earlier.refused_1;
        self.refused_2 += earlier.refused_2;
        self.refused_3 += earlier.refused_3;
        self.refused_4 += earlier.refused_4;
        self.refused_5 += earlier.refused_5;
    }
}

/// First day and steady score of each period, recomputed with the current weights.
pub(super) fn steady_score_series(days: &[PublishedPeriod]) -> Vec<(DateTime<Utc>, f64)> {
    let (mut weight, mut sum) = (0.0, 0.0);
    let score = |day: &PublishedPeriod| {
        (weight, sum) = (weight + day.weight, sum + day.weighted_sum);
        (weight > 1e-9).then(|| (day.day.and_time(NaiveTime::MIN).and_utc(), sum / weight))
    };
    days.iter().filter_map(score).collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Hour that begins `number` hours after 2026-01-01 00:00 UTC.
    pub fn sample_hour(
        number: i64,
        admitted: i64,
        refused_1: i64,
        rating_count: i64,
        rating_sum: i64,
    ) -> HourlyRatings {
        let begin = DateTime::from_timestamp(1_767_225_600, 0).unwrap();
        HourlyRatings::sample(begin + TimeDelta::hours(number), admitted, refused_1, rating_count, rating_sum)
    }

    pub fn sample_history(hours: Vec<HourlyRatings>) -> History {
        History::by_period(PostId(1), hours, (0, 0), None, DateTime::UNIX_EPOCH).unwrap()
    }

    #[test]
    fn a_short_history_is_shown_by_hour_and_a_long_one_by_day() {
        let short = sample_history(vec![sample_hour(0, 2, 0, 2, 8), sample_hour(5, 1, 3, 3, 9)]);
        assert_eq!((short.period, short.periods.len(), short.periods[1].average_rating), (PeriodKind::Hour, 2, 3.0));
        let long =
            sample_history(vec![sample_hour(1, 2, 0, 2, 8), sample_hour(20, 1, 3, 3, 9), sample_hour(60, 1, 0, 4, 14)]);
        assert_eq!((long.period, long.periods.len()), (PeriodKind::Day, 2));
        assert_eq!((long.periods[0].admitted, long.periods[0].refused, long.periods[0].average_rating), (3, 3, 3.0));
        assert!(sample_history(Vec::new()).periods.is_empty());
    }

    #[test]
    fn shorter_range_is_shown_by_hour_with_the_same_averages() {
        let hours = vec![sample_hour(0, 2, 3, 2, 8), sample_hour(90, 1, 0, 3, 12), sample_hour(92, 1, 4, 4, 16)];
        let all = sample_history(hours.clone());
        let range = {
            let (since, read_at) = (hours[1].hour - TimeDelta::minutes(9), hours[2].hour + TimeDelta::minutes(30));
            History::by_period(PostId(1), hours.clone(), (0, 0), Some(since), read_at).unwrap()
        };
        assert_eq!((all.period, range.period, range.periods.len()), (PeriodKind::Day, PeriodKind::Hour, 2));
        assert_eq!(range.periods[1].average_without_limiter, all.periods[1].average_without_limiter);
        let later = hours[2].hour + TimeDelta::days(30);
        let since = hours[1].hour - TimeDelta::days(1);
        let days = History::by_period(PostId(1), hours.clone(), (0, 0), Some(since), later).unwrap();
        assert_eq!((days.period, days.periods.len()), (PeriodKind::Day, 1));
        assert!(History::by_period(PostId(1), hours, (0, 0), Some(later), later).unwrap().periods.is_empty());
    }

    #[test]
    fn average_without_limiter_includes_refused_ratings() {
        let history =
            sample_history(vec![sample_hour(0, 2, 0, 2, 8), sample_hour(1, 0, 3, 2, 8), sample_hour(2, 1, 3, 3, 12)]);
        let averages: Vec<f64> = history.periods.iter().filter_map(|period| period.average_without_limiter).collect();
        assert_eq!(averages, [4.0, 11.0 / 5.0, 18.0 / 9.0]);
        assert!((history.periods[2].average_rating - 4.0).abs() < 1e-9);
    }
}
