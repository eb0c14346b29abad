//! Average of star ratings that resists brigading. See [`SteadyScore`].

mod contribution;
mod state;

#[cfg(not(feature = "std"))]
use num_traits::Float as _;
use serde::{Deserialize, Serialize};

pub use self::contribution::{CountedShares, PeriodStatus, ScoreContribution};
use self::state::withdrawn;
pub use self::state::{OpenPeriod, ScorePeriod, SteadyScoreState, WeightedStars};
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
    /// Weight, in ratings, below which a post is new. Each day of a new post is a period of its own, and its periods
    /// may differ more from the reference score. Above 0; default 15.
    pub young: f64,
    /// Total weight up to which the ratings of a new post are not limited. At least 0; default 40.
    pub first: f64,
    /// Number of ratings from which a period ends at the end of the day; with fewer ratings it ends at the end of the
    /// week. At least 1; default 20.
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
/// 1. Ratings are grouped into periods of at most a calendar week. A day with 20 or more ratings, and each day of a new
///    post, is a period of its own. The weight of a period is at most 1.5 times the usual weight for its length.
/// 2. A period whose average is far from the reference score (a slow average of all periods) is held back. If the
///    period also has more ratings than usual, its ratings are dropped. Otherwise they start to count when the held
///    back periods have twice the weight of the other periods, and fully count at four times that weight.
/// 3. Ratings of a new post are not limited until they weigh 40 together. The part of this weight that is above the
///    limits decreases to the extent that later ratings contradict it.
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
/// assert_eq!(steady.current_period(&state).status(steady.counted_shares(&state)), PeriodStatus::Surge);
/// # Ok::<(), evenkeel_limiters::InvalidParameter>(())
/// ```
///
/// # Bound
///
/// If all `N` ratings of a post have the same stars, and none was changed, withdrawn or excluded, then `m` further
/// ratings move the score by at most `4 m / min(N + m, 40)`: each rating weighs at most 1, and all of them together
/// weigh at least `min(N + m, 40)`.
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

/// Open period with its fractions, and the sums and averages that would result if the period ended now.
struct Judged {
    period: ScorePeriod,
    /// Total weight and stars of the ratings that always count, including the open period.
    regular: WeightedStars,
    provisional: WeightedStars,
    held: WeightedStars,
    /// Weight of the open period that is used to learn the usual daily weight.
    usual_weight: f64,
    reference: f64,
    known: f64,
}

impl SteadyScore {
    /// Creates the score calculation from its parameters.
    ///
    /// # Errors
    /// Returns the first parameter that is out of range.
    pub fn new(params: SteadyScoreParams) -> Result<Self, InvalidParameter> {
        let not_negative = |value: f64| value >= 0.0 && value.is_finite();
        let positive = |value: f64| value > 0.0 && value.is_finite();
        validate_parameter(not_negative(params.factor), "factor", "a number of at least 0")?;
        validate_parameter(positive(params.least), "least", "a number above 0")?;
        validate_parameter(positive(params.memory_days), "memory_days", "a number of days above 0")?;
        validate_parameter(not_negative(params.shift), "shift", "at least 0 stars")?;
        validate_parameter(not_negative(params.noise), "noise", "at least 0 stars")?;
        validate_parameter(params.shift + params.noise > 0.0, "noise", "above 0 if shift is 0")?;
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

    /// Counts a rating on `day` (days since 1970-01-01, UTC). Also returns the period that this rating ended, which the
    /// caller has to store.
    ///
    /// A `day` before the latest day means that the clock was set back; the rating is then counted on the latest day.
    #[must_use]
    pub fn add_rating(&self, state: &SteadyScoreState, day: i64, stars: u8) -> (SteadyScoreState, Option<ScorePeriod>) {
        let (mut next, ended) = self.advance(state, day);
        let mut open = next.open.unwrap_or_else(|| {
            let day = day.max(next.ended_on.map_or(i64::MIN, |day| day.saturating_add(1)));
            let silent_days = next.ended_on.map_or(0, |ended_on| day.saturating_sub(ended_on).saturating_sub(1));
            next.usual *= (-to_f64(silent_days) / self.params.memory_days).exp();
            OpenPeriod { first_day: day, last_day: day, count: 0, stars: 0 }
        });
        open.last_day = open.last_day.max(day);
        open.count = open.count.saturating_add(1);
        open.stars = open.stars.saturating_add(stars.into());
        next.since = next.since.or(Some(open.first_day));
        next.open = Some(open);
        (next, ended)
    }

    fn advance(&self, state: &SteadyScoreState, day: i64) -> (SteadyScoreState, Option<ScorePeriod>) {
        match state.open {
            Some(open) if self.ends_before(state, &open, day) => self.end_period(state),
            _ => (*state, None),
        }
    }

    fn ends_before(&self, state: &SteadyScoreState, open: &OpenPeriod, day: i64) -> bool {
        day > self.last_possible_day(state, open)
    }

    fn last_possible_day(&self, state: &SteadyScoreState, open: &OpenPeriod) -> i64 {
        if open.count >= self.params.period_ratings || state.known < self.params.young {
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

    /// Ends the open period. [`add_rating`](Self::add_rating) calls this method for the first rating on a later day, if
    /// the period has enough ratings, the post is new or the week of the period is over.
    #[must_use]
    pub fn end_period(&self, state: &SteadyScoreState) -> (SteadyScoreState, Option<ScorePeriod>) {
        let Some(open) = state.open else { return (*state, None) };
        let judged = self.judge(state);
        let length = to_f64(open.length_days());
        let age =
            to_f64(open.last_day.saturating_sub(state.since.unwrap_or(open.first_day)).saturating_add(1)).max(1.0);
        let learned = (-(-length / self.params.memory_days).exp_m1()).max(length / age).min(1.0);
        let next = SteadyScoreState {
            regular: judged.regular,
            provisional: judged.provisional,
            held: judged.held,
            usual: state.usual + learned * (judged.usual_weight / length - state.usual),
            reference: judged.reference,
            known: judged.known,
            ended_on: Some(open.last_day),
            open: None,
            ..*state
        };
        (next, Some(judged.period))
    }

    /// Withdraws a rating from the open period.
    #[must_use]
    pub fn withdraw_rating(&self, state: &SteadyScoreState, stars: u8) -> SteadyScoreState {
        let mut next = *state;
        if let Some(open) = &mut next.open {
            (open.count, open.stars) = withdrawn(open.count, open.stars, stars);
        }
        next
    }

    /// Withdraws a rating from an ended period. Also returns that period without the rating.
    #[must_use]
    pub fn withdraw_rating_from_ended_period(
        &self,
        state: &SteadyScoreState,
        ended: &ScorePeriod,
        stars: u8,
    ) -> (SteadyScoreState, ScorePeriod) {
        let (count, sum) = withdrawn(ended.count, ended.stars, stars);
        let period = ScorePeriod { count, stars: sum, ..*ended };
        (state.with_period_replaced(ended, &period), period)
    }

    /// Excludes an ended period from the score, or includes the period again. The usual weight and the reference score
    /// that were learned from the period remain.
    #[must_use]
    pub fn set_period_excluded(
        &self,
        state: &SteadyScoreState,
        ended: &ScorePeriod,
        excluded: bool,
    ) -> (SteadyScoreState, ScorePeriod) {
        let period = ScorePeriod { excluded, ..*ended };
        (state.with_period_replaced(ended, &period), period)
    }

    /// Score of the post. The open period counts as if it ended now.
    #[must_use]
    pub fn score(&self, state: &SteadyScoreState) -> Score {
        let judged = self.judge(state);
        let shares = self.shares(&judged);
        let all = [(judged.regular, 1.0), (judged.provisional, shares.provisional), (judged.held, shares.held)];
        let (weight, stars) = all
            .iter()
            .fold((0.0, 0.0), |(weight, stars), (sum, share)| (weight + share * sum.weight, stars + share * sum.stars));
        Score { score: WeightedStars { weight, stars }.average(), weight }
    }

    /// Fractions of the provisional and held-back weight of the post that its score includes at present.
    #[must_use]
    pub fn counted_shares(&self, state: &SteadyScoreState) -> CountedShares {
        self.shares(&self.judge(state))
    }

    fn shares(&self, Judged { regular, provisional, held, .. }: &Judged) -> CountedShares {
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

    /// Open period with the fractions that it would have if it ended now; empty if there is no open period.
    #[must_use]
    pub fn current_period(&self, state: &SteadyScoreState) -> ScorePeriod {
        self.judge(state).period
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

    fn judge(&self, state: &SteadyScoreState) -> Judged {
        let SteadyScoreState { regular, provisional, held, reference, known, .. } = *state;
        let open = state.open.unwrap_or_default();
        let OpenPeriod { first_day, last_day, count, stars } = open;
        let period = ScorePeriod { first_day, last_day, count, stars, ..ScorePeriod::default() };
        if count <= 0 {
            return Judged { period, regular, provisional, held, usual_weight: 0.0, reference, known };
        }
        let (number, average) = (to_f64(count), to_f64(stars) / to_f64(count));
        let limit = self.weight_limit(state, open.length_days());
        let part = number.min(limit);
        let surge = ramp(number / limit);
        let deviation = self.deviation(state, number, average);
        let regular_part = part * (1.0 - deviation);
        let room = (self.params.first - regular.weight - provisional.weight).max(0.0);
        let provisional_part = (number - regular_part).min(room);
        let held_part = (part * deviation * (1.0 - surge)).min(number - regular_part - provisional_part);
        let period = ScorePeriod {
            regular: regular_part / number,
            provisional: provisional_part / number,
            held: held_part / number,
            dropped: (number * deviation * surge).min(number - regular_part - provisional_part - held_part) / number,
            ..period
        };
        let (reference, known) = self.learn(state, part, average, number);
        Judged {
            period,
            regular: regular.plus(regular_part, average),
            provisional: provisional.plus(provisional_part, average),
            held: held.plus(held_part, average),
            usual_weight: part * (1.0 - surge * deviation),
            reference,
            known,
        }
    }

    /// Deviation of a period from the reference score: 0 within the tolerance, 1 from 1.5 times the tolerance. The
    /// provisional ratings of a post with few ratings count as part of the reference score. The deviation is
    /// proportionally smaller while the weight of the reference score is below `young`.
    fn deviation(&self, state: &SteadyScoreState, count: f64, average: f64) -> f64 {
        let SteadyScoreState { provisional, reference, known, .. } = *state;
        if known <= ROUNDING {
            return 0.0;
        }
        let mut around = WeightedStars { weight: known, stars: known * reference };
        if let Some(provisional_average) = provisional.average() {
            around = around.plus(clamp(self.params.first - known, 0.0, provisional.weight), provisional_average);
        }
        let distance = (average - around.stars / around.weight).abs();
        ramp(distance / self.tolerance(count)) * (known / self.params.young).min(1.0)
    }

    /// Returns the reference score and its weight after a period of weight `part`. The reference score is the plain
    /// average until its weight is `young`. After that, no period moves it by more than the tolerance of the period, so
    /// that the difference between the reference scores of two rating histories never grows.
    fn learn(&self, state: &SteadyScoreState, part: f64, average: f64, count: f64) -> (f64, f64) {
        let SteadyScoreState { mut reference, known, .. } = *state;
        let free = clamp(self.params.young - known, 0.0, part);
        if free > 0.0 {
            reference += free / (known + free) * (average - reference);
        }
        if part > free {
            let tolerance = self.tolerance(count);
            reference += (part - free) / (known + part) * clamp(average - reference, -tolerance, tolerance);
        }
        (reference, known + part)
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

#[expect(clippy::cast_precision_loss, reason = "no post has 2^53 ratings")]
fn to_f64(number: i64) -> f64 {
    number as f64
}

#[cfg(test)]
mod tests;
