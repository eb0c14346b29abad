//! Contribution of ratings to the steady score of their post, and the reasons why some ratings do not count.

use chrono::NaiveDate;
use schemars::JsonSchema;
use serde::Serialize;
use sqlx::PgConnection;

use super::rating_days::{date_from_epoch_days, days_since_epoch, read_days_of_post};
use crate::i18n::{Phrase, PhraseValue};
use crate::phrase;
use evenkeel_limiters::{PeriodStatus, ScoreContribution, SteadyScore, SteadyScoreState};

/// Contribution of all ratings of a post, equal to the sum over all its score periods.
pub fn total_contribution(state: &SteadyScoreState, ratings: i64) -> ScoreContribution {
    let rules = SteadyScore::default();
    let (weight, shares) = (rules.score(state).weight, rules.counted_shares(state));
    let open = rules.open_period(state).unwrap_or_default();
    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
    let [ratings, excluded] = [ratings, state.excluded].map(|count| count as f64);
    let held_back = (state.held.weight + open.held.iter().sum::<f64>()) * (1.0 - shares.held);
    let surge = state.dropped + open.dropped.iter().sum::<f64>();
    let limited = (ratings - weight - held_back - surge - excluded).max(0.0);
    ScoreContribution { weight, held_back, limited, surge, excluded }
}

/// Reasons why ratings do not count; empty if all count. Rounded numbers add up to the number of ratings.
pub fn explain_uncounted(contribution: &ScoreContribution) -> Vec<Phrase> {
    let [_, limited, surge, held_back, excluded] = round_contribution(contribution);
    let counts = [
        ("score-limited", limited),
        ("score-surge", surge),
        ("score-held-back", held_back),
        ("score-excluded", excluded),
    ];
    counts.into_iter().filter(|(_, count)| *count > 0).map(|(id, count)| phrase!(id, count = count)).collect()
}

/// Number of ratings that count, rounded as in [`explain_uncounted`].
pub fn counted_ratings(contribution: &ScoreContribution) -> i64 {
    round_contribution(contribution)[0]
}

/// Ratings that count, are limited, dropped, held back and excluded, in this order.
fn round_contribution(contribution: &ScoreContribution) -> [i64; 5] {
    let ScoreContribution { weight, held_back, limited, surge, excluded } = *contribution;
    round_parts([weight, limited, surge, held_back, excluded])
}

/// Largest remainder method: the parts add up to the rounded total.
pub fn round_parts<const N: usize>(parts: [f64; N]) -> [i64; N] {
    #[expect(clippy::cast_possible_truncation, reason = "counts are far below 2^53")]
    let whole = |part: f64| part as i64;
    // The tolerance keeps floating-point errors from turning 5 into 4.999… and then into 4.
    let mut rounded = parts.map(|part| whole((part + 1e-6).floor()));
    let missing = whole(parts.iter().sum::<f64>().round()) - rounded.iter().sum::<i64>();
    let mut order: [usize; N] = std::array::from_fn(|index| index);
    order.sort_by(|one, other| (parts[*other] + 1e-6).fract().total_cmp(&(parts[*one] + 1e-6).fract()));
    for index in order.into_iter().take(usize::try_from(missing).unwrap_or(0)) {
        rounded[index] += 1;
    }
    rounded
}

/// Contribution of a user's own rating to the score.
#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize)]
pub struct OwnRatingContribution {
    pub rating: i16,
    /// Day (UTC) on which the rating was first given, and on which the steady score counts it.
    pub day: NaiveDate,
    /// Parts of the rating; they add up to 1.
    #[serde(flatten)]
    pub contribution: ScoreContribution,
    /// Reason why the rating does not fully count, or `None` if it fully counts.
    pub reason: Option<PeriodStatus>,
    /// Last day (UTC) of the rating's period: until then, further ratings can change its contribution. `None` if the
    /// period has ended.
    pub open_until: Option<NaiveDate>,
}

impl OwnRatingContribution {
    /// Contribution of the rating; `None` if no period contains `day`.
    pub async fn read(
        connection: &mut PgConnection,
        state: &SteadyScoreState,
        post: i64,
        rating: i16,
        day: NaiveDate,
    ) -> sqlx::Result<Option<Self>> {
        let rules = SteadyScore::default();
        let number = days_since_epoch(day);
        let open = rules.open_period(state).filter(|open| open.first_day <= number);
        let open_until = rules.open_period_ends_on(state).filter(|_| open.is_some()).map(date_from_epoch_days);
        let period = if open.is_some() {
            open
        } else {
            let days = read_days_of_post(connection, post, state).await?;
            let periods = rules.compute_periods(days.iter()).1;
            periods.into_iter().find(|period| (period.first_day..=period.last_day).contains(&number))
        };
        let Some(period) = period else { return Ok(None) };
        let stars = u8::try_from(rating).unwrap_or_default();
        let contribution = period.contribution_per_rating(stars, rules.counted_shares(state));
        let reason = Some(contribution.status()).filter(|status| *status != PeriodStatus::Whole);
        Ok(Some(Self { rating, day, contribution, reason, open_until }))
    }

    pub fn explanation(&self) -> Vec<Phrase> {
        let id = match self.reason {
            None | Some(PeriodStatus::Whole) => return vec![phrase!("own-rating-counts")],
            Some(PeriodStatus::Limited) => "own-rating-limited",
            Some(PeriodStatus::Surge) => "own-rating-surge",
            Some(PeriodStatus::HeldBack) => "own-rating-held-back",
            Some(PeriodStatus::Excluded) => "own-rating-excluded",
        };
        let percent = (self.contribution.weight * 100.0).round();
        let share = phrase!("percent", percent = PhraseValue::Number(percent, 0));
        let counts = phrase!("own-rating-share", percent = share, none = percent < 1.0);
        let reason = phrase!(id, counts = counts, day = self.day);
        let change = self.open_until.map(|day| phrase!("own-rating-can-change", day = day));
        [reason].into_iter().chain(change).chain([phrase!("own-rating-average")]).collect()
    }
}

#[cfg(test)]
mod tests {
    use evenkeel_limiters::RatingDays;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn rounded_parts_add_up() {
        assert_eq!(round_parts([0.0; 3]), [0; 3]);
        assert_eq!(round_parts([10.4, 5.3, 4.3]), [11, 5, 4]);
        assert_eq!(round_parts([2.999_999_999, 1.0, 0.000_000_001]), [3, 1, 0]);
        assert_eq!(round_parts([100.0 / 3.0; 3]), [34, 33, 33]);
    }

    fn rate_post(days: &[(i64, u8, usize, bool)]) -> RatingDays {
        let (mut ratings, mut day) = (RatingDays::default(), 0);
        for (later, stars, count, is_excluded) in days {
            day += later;
            for _ in 0..*count {
                ratings.add_rating(day, *stars);
            }
            ratings.set_excluded(day, *is_excluded);
        }
        ratings
    }

    proptest! {
        /// The numbers on the page of a post equal the numbers of the published periods.
        #[test]
        fn total_is_the_sum_over_all_periods_for_each_reason(
            days in prop::collection::vec((1i64..9, 1u8..=5, prop_oneof![1usize..6, 20usize..90], prop::bool::weighted(0.1)), 1..40),
        ) {
            let rules = SteadyScore::default();
            let days = rate_post(&days);
            let (state, periods) = rules.compute_periods(days.iter());
            let ratings: i64 = days.iter().map(evenkeel_limiters::DayRatings::count).sum();
            let total = total_contribution(&state, ratings);
            let all = periods.iter().map(|period| period.contribution(rules.counted_shares(&state)));
            let sum = |part: fn(&ScoreContribution) -> f64| all.clone().map(|one| part(&one)).sum::<f64>();
            for (named, expected) in [
                (total.weight, sum(|one| one.weight)),
                (total.held_back, sum(|one| one.held_back)),
                (total.limited, sum(|one| one.limited)),
                (total.surge, sum(|one| one.surge)),
                (total.excluded, sum(|one| one.excluded)),
            ] {
                prop_assert!((named - expected).abs() < 1e-6, "{total:?} {named} {expected}");
            }
            prop_assert_eq!(round_contribution(&total).iter().sum::<i64>(), ratings);
        }
    }
}
