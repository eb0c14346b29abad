//! Average of star ratings that resists brigading. See [`SteadyScore`].

mod contribution;
mod days;
mod state;

use alloc::vec::Vec;

#[cfg(not(feature = "std"))]
use num_traits::Float as _;
use serde::{Deserialize, Serialize};

pub use self::contribution::{CountedShares, PeriodStatus, ScoreContribution};
pub use self::days::RatingDays;
use self::state::star_mut;
pub use self::state::{DayRatings, OpenPeriod, ScorePeriod, SteadyScoreState, WeightedStars};
use super::limiter::{InvalidParameter, validate_parameter};

/// Parameters of a [`SteadyScore`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SteadyScoreParams {
    /// Maximum weight of a period, as a multiple of the usual weight for its length. At least 0; default 1.5.
    pub factor: f64,
    /// Minimum weight limit of a period, in ratings, which applies even if fewer ratings are usual. Above 0; default 3.
    pub least: f64,
    /// Time constant with which the usual daily weight is learned, in days. Above 0; default 28.
    pub memory_days: f64,
    /// Tolerated distance in stars between the average of a period and the reference score, for periods of any size. At
    /// least 0; default 0.1.
    pub shift: f64,
    /// Additional tolerance for small periods: this number of stars, divided by the square root of the number of
    /// ratings, is added to `shift`. At least 0; default 2.
    pub noise: f64,
    /// Threshold for overrepresented stars: a number of stars is overrepresented in a period if its count exceeds the
    /// usual count `u` by more than `spread * sqrt(u)`. At least 0; default 4.
    pub spread: f64,
    /// Fraction of the usual number of ratings at or below which a period indicates a change of opinion. It is compared
    /// with the ratings that remain after the excess ratings of overrepresented stars are removed. The removed ratings are
    /// then held back instead of dropped, up to the usual number of ratings and within the weight limit. Above 0; default
    /// 0.5.
    pub turnover: f64,
    /// Weight, in ratings, below which a post is new. Each day of a new post is a period of its own, and its periods
    /// may differ more from the reference score. Above 0; default 15.
    pub young: f64,
    /// Total weight up to which the ratings of a new post are not limited. At least 0; default 40.
    pub first: f64,
    /// Minimum number of ratings for a period to end at the end of the day; a smaller period ends at the end of the week.
    /// At least 1; default 20.
    pub period_ratings: i64,
    /// Ratings that are held back start to count when their weight is this multiple of the counted weight; at twice
    /// this multiple all of them count. Above 0; default 2.
    pub outweigh: f64,
    /// Maximum counted weight, in ratings, with which the weight of held back ratings is compared (see `outweigh`).
    /// Above 0; default 150.
    pub evidence: f64,
}

impl Default for SteadyScoreParams {
    fn default() -> Self {
        Self {
            factor: 1.5,
            least: 3.0,
            memory_days: 28.0,
            shift: 0.1,
            noise: 2.0,
            spread: 4.0,
            turnover: 0.5,
            young: 15.0,
            first: 40.0,
            period_ratings: 20,
            outweigh: 2.0,
            evidence: 150.0,
        }
    }
}

/// Steady score of a post.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Score {
    /// Weighted average of the stars; `None` while no rating counts.
    pub score: Option<f64>,
    /// Sum of the weights of all ratings, at most the number of ratings.
    pub weight: f64,
}

/// An average of star ratings in which every period has a limited weight, so that a brigade can hardly move it.
///
/// No rating is refused: every rating counts in the exact average, and the steady score is shown in addition. All users
/// are treated alike. Adding a rating takes constant time and memory.
///
/// 1. Ratings are grouped into periods of at most a calendar week. A period also ends at the end of the day on which it
///    reaches 20 ratings, and each day of a new post is a period of its own. The weight of a period is at most 1.5
///    times the usual weight for its length.
/// 2. If the average of a period is far from the reference score (a slow average of all periods), and many more ratings
///    than usual have a certain number of stars, only the usual number of them counts. The excess ratings are dropped if
///    the period has more ratings than usual in total, and held back otherwise.
/// 3. If the average is still far from the reference score, the period is held back. Ratings that are held back start
///    to count when they have twice the weight of the other ratings, and fully count at four times that weight.
/// 4. Ratings of a new post are not limited until they weigh 40 together. The weight above the limits is reduced if
///    later ratings differ from the first ones.
///
/// The state depends only on the current ratings and the days on which they were first given. A changed rating keeps its
/// day, and a withdrawn rating has no effect. If a rating of an earlier day changes,
/// [`compute_state`](Self::compute_state) recomputes the state from the ratings per day. An account therefore never has
/// more influence than one rating.
///
/// The reference model in Python, `tests/limiters/steady_score.py`, states the formulas and generates the test vectors.
///
/// # Example
///
/// After thirty days with a rating of four stars and a rating of five stars each, a brigade sends 2,000 ratings of one
/// star in a day. The score does not change.
///
/// ```
/// use evenkeel_limiters::{PeriodStatus, SteadyScore, SteadyScoreParams, SteadyScoreState};
///
/// let steady = SteadyScore::new(SteadyScoreParams::default())?;
/// let mut state = SteadyScoreState::default();
/// for rating in 0..60 {
///     state = steady.add_rating(&state, rating / 2, if rating % 2 == 0 { 4 } else { 5 }).0;
/// }
/// for _ in 0..2_000 {
///     state = steady.add_rating(&state, 30, 1).0;
/// }
/// assert_eq!(steady.score(&state).score, Some(4.5));
/// let period = steady.open_period(&state).unwrap();
/// assert_eq!(period.status(steady.counted_shares(&state)), PeriodStatus::Surge);
/// # Ok::<(), evenkeel_limiters::InvalidParameter>(())
/// ```
///
/// # Bound
///
/// If `N` ratings of a post have the same stars, then `m` further ratings move the score by at most
/// `4 m / min(N + m, 40)`: each rating weighs at most 1, and all of them together weigh at least `min(N + m, 40)`.
///
/// # Limits of the method
///
/// - A post with fewer than 40 ratings is not protected: its ratings are not limited.
/// - A lasting change of opinion starts to count when twice as many ratings support it as the score has weight (at
///   most 300 ratings), and fully counts at twice that number.
/// - Ratings at the usual rate that differ little from the score move the score as much as they move the average.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SteadyScore {
    params: SteadyScoreParams,
}

/// Weights of the open period, totals of the post including the open period, and the values that update `usual` and
/// `typical` when the period ends.
#[derive(Default)]
struct EvaluatedPeriod {
    period: ScorePeriod,
    regular: WeightedStars,
    provisional: WeightedStars,
    held: WeightedStars,
    /// Weight of the period with which the usual daily weight is updated.
    usual_weight: f64,
    /// Weights of the period, by stars, with which the typical ratings are updated.
    learned: [f64; 5],
}

/// Numbers of ratings, by stars, that [`SteadyScore::trim`] keeps and removes.
struct Trimmed {
    kept: [f64; 5],
    removed: [f64; 5],
}

impl SteadyScore {
    /// Validates the parameters, and creates a score calculation.
    ///
    /// # Errors
    /// Returns an error that names the first parameter out of its range.
    pub fn new(params: SteadyScoreParams) -> Result<Self, InvalidParameter> {
        let not_negative = |value: f64| value >= 0.0 && value.is_finite();
        let positive = |value: f64| value > 0.0 && value.is_finite();
        validate_parameter(not_negative(params.factor), "factor", "a number of at least 0")?;
        validate_parameter(positive(params.least), "least", "a number above 0")?;
        validate_parameter(positive(params.memory_days), "memory_days", "a number of days above 0")?;
        validate_parameter(not_negative(params.shift), "shift", "at least 0 stars")?;
        validate_parameter(not_negative(params.noise), "noise", "at least 0 stars")?;
        validate_parameter(params.shift + params.noise > 0.0, "noise", "above 0 if shift is 0")?;
        validate_parameter(not_negative(params.spread), "spread", "a number of at least 0")?;
        validate_parameter(positive(params.turnover), "turnover", "a number above 0")?;
        validate_parameter(positive(params.young), "young", "a number above 0")?;
        validate_parameter(not_negative(params.first), "first", "at least 0 ratings")?;
        validate_parameter(params.period_ratings >= 1, "period_ratings", "at least 1 rating")?;
        validate_parameter(positive(params.outweigh), "outweigh", "a number above 0")?;
        validate_parameter(positive(params.evidence), "evidence", "a number above 0")?;
        Ok(Self { params })
    }

    /// Parameters of the score.
    #[must_use]
    pub fn params(&self) -> &SteadyScoreParams {
        &self.params
    }

    /// Counts a rating that is first given on `day` (days since 1970-01-01, UTC). For the first rating of a new day, also
    /// returns the ratings of the previous day, which the caller has to store.
    ///
    /// A `day` before the latest day means that the clock was set back; the rating is then counted on the latest day.
    #[must_use]
    pub fn add_rating(&self, state: &SteadyScoreState, day: i64, stars: u8) -> (SteadyScoreState, Option<DayRatings>) {
        let latest = state.latest_day();
        let day = latest.map_or(day, |latest| day.max(latest.day));
        let mut ratings = DayRatings { day, ..DayRatings::default() };
        if let Some(count) = ratings.count_mut(stars) {
            *count = 1;
        }
        (self.add_day(state, &ratings).0, latest.filter(|latest| latest.day < day))
    }

    /// Changes the stars of a rating that was given on the latest day. Returns `None` if `day` is not the latest day or
    /// has no rating of `old` stars. The state must then be [computed](Self::compute_state).
    #[must_use]
    pub fn change_latest_day(&self, state: &SteadyScoreState, day: i64, old: u8, new: u8) -> Option<SteadyScoreState> {
        let mut open = state.open.filter(|open| open.last_day == day)?;
        for stars in [&mut open.stars, &mut open.last_day_stars] {
            *star_mut(stars, old).filter(|count| **count > 0)? -= 1;
            let count = star_mut(stars, new)?;
            *count = count.saturating_add(1);
        }
        Some(SteadyScoreState { open: Some(open), ..*state })
    }

    /// Computes the state of a post from all its ratings. `days` are in chronological order.
    #[must_use]
    pub fn compute_state<'a>(&self, days: impl IntoIterator<Item = &'a DayRatings>) -> SteadyScoreState {
        self.compute(days, |_| ())
    }

    /// Computes the periods of a post from all its ratings, in chronological order, with the state. The last period is
    /// the open period. `days` are in chronological order. Each excluded day is a period of its own, and ends the
    /// previous period.
    #[must_use]
    pub fn compute_periods<'a>(
        &self,
        days: impl IntoIterator<Item = &'a DayRatings>,
    ) -> (SteadyScoreState, Vec<ScorePeriod>) {
        let mut periods = Vec::new();
        let state = self.compute(days, |period| periods.push(period));
        periods.extend(self.open_period(&state));
        (state, periods)
    }

    fn compute<'a>(
        &self,
        days: impl IntoIterator<Item = &'a DayRatings>,
        mut end: impl FnMut(ScorePeriod),
    ) -> SteadyScoreState {
        let mut state = SteadyScoreState::default();
        for day in days.into_iter().filter(|day| day.count() > 0) {
            let (next, ended) = if day.excluded { self.end_period(&state) } else { self.add_day(&state, day) };
            state = next;
            if let Some(ended) = ended {
                end(ended);
            }
            if day.excluded {
                state.excluded = state.excluded.saturating_add(day.count());
                let DayRatings { day, stars, excluded } = *day;
                end(ScorePeriod { first_day: day, last_day: day, stars, excluded, ..ScorePeriod::default() });
            }
        }
        state
    }

    /// Adds the ratings of `day`, which is the latest day or later. Also returns the open period if it ended before `day`.
    fn add_day(&self, state: &SteadyScoreState, day: &DayRatings) -> (SteadyScoreState, Option<ScorePeriod>) {
        let (mut next, ended) = match state.open {
            Some(open) if day.day > self.last_possible_day(state, &open) => self.end_period(state),
            _ => (*state, None),
        };
        let mut open = next.open.unwrap_or_else(|| {
            let silent_days = next.ended_on.map_or(0, |ended_on| day.day.saturating_sub(ended_on).saturating_sub(1));
            next.usual *= (-to_f64(silent_days) / self.params.memory_days).exp();
            OpenPeriod { first_day: day.day, last_day: day.day, ..OpenPeriod::default() }
        });
        if day.day > open.last_day {
            (open.last_day, open.last_day_stars) = (day.day, [0; 5]);
        }
        for (index, count) in day.stars.iter().enumerate() {
            open.stars[index] = open.stars[index].saturating_add(*count);
            open.last_day_stars[index] = open.last_day_stars[index].saturating_add(*count);
        }
        next.since = next.since.or(Some(open.first_day));
        next.open = Some(open);
        (next, ended)
    }

    fn last_possible_day(&self, state: &SteadyScoreState, open: &OpenPeriod) -> i64 {
        if open.count() >= self.params.period_ratings || state.known < self.params.young {
            return open.last_day;
        }
        // Day 0 is a Thursday, and weeks end on Sunday.
        let week = open.first_day.saturating_add(3).div_euclid(7);
        week.saturating_mul(7).saturating_add(3).max(open.last_day)
    }

    /// Last day on which ratings are added to the open period, in days since 1970-01-01 (UTC), unless many further
    /// ratings end the period earlier. `None` if there is no open period.
    #[must_use]
    pub fn open_period_ends_on(&self, state: &SteadyScoreState) -> Option<i64> {
        state.open.map(|open| self.last_possible_day(state, &open))
    }

    /// Ends the open period and learns from it. Returns the new state and the ended period.
    fn end_period(&self, state: &SteadyScoreState) -> (SteadyScoreState, Option<ScorePeriod>) {
        let Some(open) = state.open else { return (*state, None) };
        let evaluated = self.evaluate(state);
        let length = to_f64(open.length_days());
        let age =
            to_f64(open.last_day.saturating_sub(state.since.unwrap_or(open.first_day)).saturating_add(1)).max(1.0);
        let step = (-(-length / self.params.memory_days).exp_m1()).max(length / age).min(1.0);
        let (typical, known) = self.learn(state, evaluated.learned, to_f64(open.count()));
        let next = SteadyScoreState {
            regular: evaluated.regular,
            provisional: evaluated.provisional,
            held: evaluated.held,
            dropped: state.dropped + evaluated.period.dropped.iter().sum::<f64>(),
            usual: state.usual + step * (evaluated.usual_weight / length - state.usual),
            typical,
            known,
            ended_on: Some(open.last_day),
            open: None,
            ..*state
        };
        (next, Some(evaluated.period))
    }

    /// Score of the post. The open period counts as if it ended now.
    #[must_use]
    pub fn score(&self, state: &SteadyScoreState) -> Score {
        let evaluated = self.evaluate(state);
        let shares = self.shares(&evaluated);
        let all =
            [(evaluated.regular, 1.0), (evaluated.provisional, shares.provisional), (evaluated.held, shares.held)];
        let (weight, stars) = all
            .iter()
            .fold((0.0, 0.0), |(weight, stars), (sum, share)| (weight + share * sum.weight, stars + share * sum.stars));
        Score { score: WeightedStars { weight, stars }.average(), weight }
    }

    /// Fractions of the provisional weight and of the held-back weight that count in the score at present.
    #[must_use]
    pub fn counted_shares(&self, state: &SteadyScoreState) -> CountedShares {
        self.shares(&self.evaluate(state))
    }

    fn shares(&self, EvaluatedPeriod { regular, provisional, held, .. }: &EvaluatedPeriod) -> CountedShares {
        let SteadyScoreParams { first, outweigh, evidence, .. } = self.params;
        let mut counted = CountedShares { provisional: 0.0, held: 0.0 };
        let mut other = regular.weight;
        if let Some(average) = provisional.average() {
            let conflict = regular.average().map_or(1.0, |regular_average| {
                ramp((average - regular_average).abs() / self.tolerance(regular.weight.max(1.0)))
            });
            let weight = clamp(first - conflict * regular.weight, 0.0, provisional.weight);
            counted.provisional = weight / provisional.weight;
            other += weight;
        }
        if held.weight > ROUNDING {
            let other = other.min(evidence);
            let released = if other > ROUNDING { held.weight / other / outweigh - 1.0 } else { 1.0 };
            counted.held = clamp(released, 0.0, 1.0);
        }
        counted
    }

    /// Open period with the weights that it would have if it ended now; `None` if there is no open period.
    #[must_use]
    pub fn open_period(&self, state: &SteadyScoreState) -> Option<ScorePeriod> {
        state.open.map(|_| self.evaluate(state).period)
    }

    /// Maximum tolerated distance in stars between the reference score and the average of `count` ratings.
    fn tolerance(&self, count: f64) -> f64 {
        self.params.shift + self.params.noise / count.sqrt()
    }

    /// Maximum weight of a period of `days` days, in ratings.
    #[must_use]
    pub fn weight_limit(&self, state: &SteadyScoreState, days: i64) -> f64 {
        self.params.least.max(self.params.factor * state.usual * to_f64(days))
    }

    fn evaluate(&self, state: &SteadyScoreState) -> EvaluatedPeriod {
        let SteadyScoreState { regular, provisional, held, .. } = *state;
        let Some(open) = state.open.filter(|open| open.count() > 0) else {
            return EvaluatedPeriod { regular, provisional, held, ..EvaluatedPeriod::default() };
        };
        let counts = open.stars.map(to_f64);
        let (limit, usual) = (self.weight_limit(state, open.length_days()), state.usual * to_f64(open.length_days()));
        let Trimmed { kept, removed } = self.trim(state, counts, usual);
        let (kept_count, removed_count) = (kept.iter().sum::<f64>(), removed.iter().sum::<f64>());
        let (part, surge) = (kept_count.min(limit), ramp(kept_count / limit));
        let deviation = average(kept).map_or(0.0, |average| self.deviation(state, kept_count, average));
        let held_removed = self.held_removed(removed_count, kept_count, usual, limit);
        // The following weights are those of one rating, not of the whole period.
        let kept_weight = share_of(part, kept_count);
        let (regular_weight, held_weight) = (kept_weight * (1.0 - deviation), kept_weight * deviation * (1.0 - surge));
        let removed_weight = share_of(held_removed, removed_count);
        let rest: [f64; 5] = core::array::from_fn(|index| counts[index] - regular_weight * kept[index]);
        let room = (self.params.first - regular.weight - provisional.weight).max(0.0);
        let provisional_share = share_of(room, rest.iter().sum()).min(1.0);
        let mut period = ScorePeriod {
            first_day: open.first_day,
            last_day: open.last_day,
            stars: open.stars,
            ..ScorePeriod::default()
        };
        for (index, rest) in rest.into_iter().enumerate() {
            let left = (1.0 - provisional_share) * rest;
            let held = (held_weight * kept[index] + removed_weight * removed[index]).min(left);
            let dropped = deviation * surge * kept[index] + (1.0 - removed_weight) * removed[index];
            period.regular[index] = regular_weight * kept[index];
            period.provisional[index] = provisional_share * rest;
            period.held[index] = held;
            period.dropped[index] = dropped.min(left - held).max(0.0);
        }
        EvaluatedPeriod {
            period,
            regular: regular.plus(period.regular),
            provisional: provisional.plus(period.provisional),
            held: held.plus(period.held),
            usual_weight: part * (1.0 - surge * deviation) + held_removed,
            learned: core::array::from_fn(|index| kept_weight * kept[index] + removed_weight * removed[index]),
        }
    }

    /// Splits the ratings of the open period into kept and removed ratings. If the average of the period deviates from the
    /// reference score, excess ratings of overrepresented stars are removed. `usual` is the usual number of ratings for a
    /// period of this length.
    fn trim(&self, state: &SteadyScoreState, counts: [f64; 5], usual: f64) -> Trimmed {
        let count = counts.iter().sum();
        let deviation = average(counts).map_or(0.0, |average| self.deviation(state, count, average));
        if deviation <= 0.0 {
            return Trimmed { kept: counts, removed: [0.0; 5] };
        }
        let excess: [f64; 5] = core::array::from_fn(|index| {
            let usual = usual * state.typical[index];
            deviation * ramp(counts[index] / (usual + self.params.spread * usual.sqrt()).max(1.0))
        });
        let without_excess = |of: &[f64; 5]| of.iter().zip(excess).map(|(of, excess)| (1.0 - excess) * of).sum::<f64>();
        let share = without_excess(&state.typical);
        let normal = if share > ROUNDING { usual.min(without_excess(&counts) / share) } else { usual };
        let removed: [f64; 5] =
            core::array::from_fn(|index| excess[index] * (counts[index] - normal * state.typical[index]).max(0.0));
        Trimmed { kept: core::array::from_fn(|index| counts[index] - removed[index]), removed }
    }

    /// Number of removed ratings that are held back; the rest is dropped. At most `usual - kept`. Falls to 0 while the
    /// number of ratings in the period rises from `usual` to 1.5 times `usual`. If few ratings were kept (see
    /// [`SteadyScoreParams::turnover`]), `limit` takes the place of `usual` in this range.
    fn held_removed(&self, removed: f64, kept: f64, usual: f64, limit: f64) -> f64 {
        if usual <= ROUNDING {
            return 0.0;
        }
        let few = 1.0 - ramp(kept / (self.params.turnover * usual));
        let many = usual + (limit - usual) * few;
        (removed * (1.0 - ramp((removed + kept) / many))).min((usual - kept).max(0.0))
    }

    /// Deviation of a period from the reference score: 0 within the tolerance, 1 from 1.5 times the tolerance. The
    /// provisional ratings of a post with few ratings count as part of the reference score. The deviation is
    /// proportionally smaller while the weight of the reference score is below `young`.
    fn deviation(&self, state: &SteadyScoreState, count: f64, average: f64) -> f64 {
        let SteadyScoreState { provisional, known, .. } = *state;
        if known <= ROUNDING {
            return 0.0;
        }
        let (mut weight, mut stars) = (known, known * sum_of_stars(state.typical));
        if let Some(provisional_average) = provisional.average() {
            let extra = clamp(self.params.first - known, 0.0, provisional.weight);
            (weight, stars) = (weight + extra, stars + extra * provisional_average);
        }
        let distance = (average - stars / weight).abs();
        ramp(distance / self.tolerance(count)) * (known / self.params.young).min(1.0)
    }

    /// Updates the typical ratings with an ended period of `count` ratings and their `weights` by stars. Returns the
    /// new `typical` and `known`. Up to the weight `young`, the typical ratings are a plain average. Above `young`, one
    /// period moves the reference score by at most the tolerance of the period.
    fn learn(&self, state: &SteadyScoreState, weights: [f64; 5], count: f64) -> ([f64; 5], f64) {
        let (mut typical, known) = (state.typical, state.known);
        let weight: f64 = weights.iter().sum();
        if weight <= ROUNDING {
            return (typical, known);
        }
        let shares = weights.map(|part| part / weight);
        let move_by = |typical: [f64; 5], step: f64| -> [f64; 5] {
            core::array::from_fn(|index| typical[index] + step * (shares[index] - typical[index]))
        };
        let free = clamp(self.params.young - known, 0.0, weight);
        if free > 0.0 {
            typical = move_by(typical, free / (known + free));
        }
        if weight > free {
            let distance = (sum_of_stars(shares) - sum_of_stars(typical)).abs().max(ROUNDING);
            let part = (self.tolerance(count) / distance).min(1.0);
            typical = move_by(typical, (weight - free) / (known + weight) * part);
        }
        (typical, known + weight)
    }
}

/// Tolerance for floating-point errors.
const ROUNDING: f64 = 1e-9;

/// Linear ramp: 0 for values up to 1, rising to 1 for values of 1.5 and more.
fn ramp(value: f64) -> f64 {
    clamp((value - 1.0) / 0.5, 0.0, 1.0)
}

/// Same as [`f64::clamp`], but does not panic if `low` is above `high` or NaN.
fn clamp(value: f64, low: f64, high: f64) -> f64 {
    value.min(high).max(low)
}

/// `part / whole`; 0 if `whole` is 0.
fn share_of(part: f64, whole: f64) -> f64 {
    if whole > ROUNDING { part / whole } else { 0.0 }
}

/// Sum of stars; `counts[i]` is the number or weight of ratings with `i + 1` stars.
fn sum_of_stars(counts: [f64; 5]) -> f64 {
    counts.iter().zip(1u8..).map(|(count, stars)| count * f64::from(stars)).sum()
}

/// Average stars, where `counts[i]` is the number or weight of ratings with `i + 1` stars; `None` if there are no
/// ratings.
fn average(counts: [f64; 5]) -> Option<f64> {
    let count: f64 = counts.iter().sum();
    (count > ROUNDING).then(|| sum_of_stars(counts) / count)
}

#[expect(clippy::cast_precision_loss, reason = "no post has 2^53 ratings")]
fn to_f64(number: i64) -> f64 {
    number as f64
}

#[cfg(test)]
mod tests;
