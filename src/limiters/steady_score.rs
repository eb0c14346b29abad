//! The steady score: what a crowd does not move. No limiter, as it refuses nobody.

use serde::{Deserialize, Serialize};

use super::limiter::{InvalidParameter, require};

/// Parameters of a [`SteadyScore`]. Each field says what is allowed, and then its default.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SteadyScoreParams {
    /// How many times the usual weight a day may weigh. At least 0; 1.5.
    pub factor: f64,
    /// Ratings that a day may always weigh. Above 0; 2.
    pub least: f64,
    /// Days after which what was usual counts a third (e-folding time). Above 0; 28.
    pub memory_days: f64,
    /// How far a busy day's mean may be from the score, in stars. At least 0; 0.4.
    pub shift: f64,
    /// Added to `shift`, divided by the square root of the number of ratings: a margin for few. At least 0; 1.5.
    pub noise: f64,
    /// With less weight than this no day is odd. At least 0; 10.
    pub evidence: f64,
}

impl Default for SteadyScoreParams {
    fn default() -> Self {
        Self { factor: 1.5, least: 2.0, memory_days: 28.0, shift: 0.4, noise: 1.5, evidence: 10.0 }
    }
}

/// What is known of an account when it rates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Account {
    /// It had rated something else on an earlier day.
    Known,
    /// It had not.
    Fresh,
}

/// Ratings of one kind of account on one day.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tally {
    /// How many there are.
    pub count: i64,
    /// The sum of their stars.
    pub sum: i64,
}

/// The ratings of one day.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DayTally {
    /// Those of known accounts.
    pub known: Tally,
    /// Those of fresh accounts.
    pub fresh: Tally,
}

/// A day, and what its ratings weigh.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SteadyDay {
    /// Which day, as a number of days since 1970-01-01.
    pub day: i64,
    /// Its ratings. Those that were changed on a later day have left it.
    pub ratings: DayTally,
    /// What a rating of a known account weighs, from 0 to 1.
    pub known_weight: f64,
    /// What a rating of a fresh account weighs, from 0 to 1.
    pub fresh_weight: f64,
    /// Whether a person has left the day out: it weighs nothing for now.
    pub voided: bool,
}

/// What is remembered of one key. It has the days that are over as sums only; each of these days is given to the caller
/// when it is over, who needs it to take a rating back or to void the day.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SteadyScoreState {
    /// What the days that are over weigh together.
    pub weight: f64,
    /// The sum of their stars, each times what it weighs.
    pub sum: f64,
    /// What a day usually weighs.
    pub usual: f64,
    /// The day that is not over, as a number of days since 1970-01-01. `None` before the first rating.
    pub day: Option<i64>,
    /// The ratings of that day.
    pub open: DayTally,
}

/// The score, and how much it rests on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Steady {
    /// The weighted mean of the stars; `None` while nothing has weight.
    pub score: Option<f64>,
    /// The sum of all weights, at most the number of ratings.
    pub weight: f64,
}

/// How a day's ratings count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DayStanding {
    /// Each weighs 1.
    Whole,
    /// The day is busy: all together weigh no more than the limit.
    Busy,
    /// The day is busy, and only known accounts speak.
    BusyKnown,
    /// The day is busy and of another mind: nothing of it counts.
    Odd,
    /// A person has left it out.
    Voided,
}

/// A mean of stars in which a day can only weigh so much. It refuses nobody: every rating is counted in the exact
/// average, and this score stands beside that. Each rating costs the same, however many there are.
///
/// Time is cut into days (of UTC, say). How much a day weighs is settled when it is over:
///
/// - `usual` is a moving average of what a day weighed, and `limit = max(least, factor · usual)`.
/// - A day with no more ratings than `limit` weighs as many as it has.
/// - A **busy** day has more, and weighs `limit`. Only *known* accounts speak on it, where there is one: those that had
///   rated something else on an earlier day. The others are *fresh*.
/// - An **odd** day is busy and of another mind: its mean is further than `shift + noise / √n` from the score, which has
///   a weight of at least `evidence`. It weighs nothing, so that what is usual does not grow by it.
///
/// `score = weighted sum of stars / weight`. The day that is not over counts as it stands, so that a reader sees
/// a rating at once on an ordinary day. A change leaves the day on which the rating was counted, with what it weighed
/// there, and arrives anew. A person may void a day that is over, and restore it.
///
/// # A worked example
///
/// Eight days with two ratings of four stars each leave a weight of 16 and a score of 4. `usual` is `2 · (1 − e^(−8/28))`
/// or 0.50, so that the limit is 2 a day. On the ninth day 2,000 come with one star: the day is busy, and its mean is 3
/// away from the score, more than `0.4 + 1.5 / √2000`. It weighs nothing; the score is 4.
///
/// ```
/// use evenkeel::limiters::{Account, DayStanding, SteadyScore, SteadyScoreParams, SteadyScoreState};
///
/// let steady = SteadyScore::new(SteadyScoreParams::default())?;
/// let mut state = SteadyScoreState::default();
/// for rating in 0..16 {
///     state = steady.rate(&state, rating / 2, 4, Account::Known).0;
/// }
/// for _ in 0..2_000 {
///     state = steady.rate(&state, 8, 1, Account::Fresh).0;
/// }
/// assert_eq!(steady.score(&state).score, Some(4.0));
/// assert_eq!(steady.open_day(&state).standing(), DayStanding::Odd);
/// # Ok::<(), evenkeel::limiters::InvalidParameter>(())
/// ```
///
/// # What it cannot do
///
/// - Whoever knows what is usual for a key, and stays below it for two months, moves the score as honest ratings would:
///   three a day beside ten honest ones, 0.37 of 0.39 stars. Two ratings a day always count, however few are usual.
/// - A real change of taste that comes all at once is followed late, and where more come each day than `limit`, perhaps
///   never: each of those days is odd, and teaches nothing. (What is usual grows slowly: ten a day from the beginning are
///   busy for months.) A mean learned faster follows it, and lets a crowd of five a day pass as well: one of the two has to be
///   disbelieved.
/// - A launch weighs little: its first days are busy, however many agree. A crowd that comes within the first hours moves
///   the score by 0.3 stars.
/// - It is a little away from the plain average where there is no crowd, as busy days weigh less than they have ratings.
///
/// Figures are of traffic made from a seed: `evenkeel replay --scenario all`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SteadyScore {
    params: SteadyScoreParams,
}

impl SteadyScore {
    /// # Errors
    /// Names the first parameter that is out of its range.
    pub fn new(params: SteadyScoreParams) -> Result<Self, InvalidParameter> {
        let not_negative = |value: f64| value >= 0.0 && value.is_finite();
        let positive = |value: f64| value > 0.0 && value.is_finite();
        require(not_negative(params.factor), "factor", "a number, at least 0")?;
        require(positive(params.least), "least", "a number above 0")?;
        require(positive(params.memory_days), "memory_days", "a number of days above 0")?;
        require(not_negative(params.shift), "shift", "a number of stars, at least 0")?;
        require(not_negative(params.noise), "noise", "a number of stars, at least 0")?;
        require(not_negative(params.evidence), "evidence", "a number, at least 0")?;
        Ok(Self { params })
    }

    /// What it was made from.
    #[must_use]
    pub fn params(&self) -> &SteadyScoreParams {
        &self.params
    }

    /// Counts a rating that arrives on `day`. Returns the day before it that was not over yet, if it is over now. A day
    /// before that one means that the clock was set back: the rating is then counted on the day that is not over.
    #[must_use]
    pub fn rate(
        &self,
        state: &SteadyScoreState,
        day: i64,
        stars: u8,
        account: Account,
    ) -> (SteadyScoreState, Option<SteadyDay>) {
        let (mut next, over) = self.begin_day(state, day);
        next.open.add(account, 1, stars);
        (next, over)
    }

    /// Begins a day without a rating, so that the one that is not over ends, if it is before that. [`rate`](Self::rate)
    /// does this itself.
    #[must_use]
    pub fn begin_day(&self, state: &SteadyScoreState, day: i64) -> (SteadyScoreState, Option<SteadyDay>) {
        let Some(open) = state.day else { return (SteadyScoreState { day: Some(day), ..*state }, None) };
        if day <= open {
            return (*state, None);
        }
        let over = self.open_day(state);
        let (weight, sum) = over.weighed();
        let memory = self.params.memory_days;
        let learned = state.usual - (-1.0 / memory).exp_m1() * (weight - state.usual);
        let silent_days = real(day.saturating_sub(open).saturating_sub(1));
        let next = SteadyScoreState {
            weight: state.weight + weight,
            sum: state.sum + sum,
            usual: learned * (-silent_days / memory).exp(),
            day: Some(day),
            open: DayTally::default(),
        };
        (next, Some(over))
    }

    /// Takes back a rating that was counted on the day that is not over.
    #[must_use]
    pub fn take_back(&self, state: &SteadyScoreState, stars: u8, account: Account) -> SteadyScoreState {
        let mut next = *state;
        next.open.add(account, -1, stars);
        next
    }

    /// Takes back a rating that was counted on a day that is over. Returns that day without it.
    #[must_use]
    pub fn take_back_from(
        &self,
        state: &SteadyScoreState,
        over: &SteadyDay,
        stars: u8,
        account: Account,
    ) -> (SteadyScoreState, SteadyDay) {
        let mut day = *over;
        day.ratings.add(account, -1, stars);
        (state.replaced(over, &day), day)
    }

    /// Leaves a day that is over out of the score, or takes it in again. What is usual stays as it was learned.
    #[must_use]
    pub fn void(&self, state: &SteadyScoreState, over: &SteadyDay, voided: bool) -> (SteadyScoreState, SteadyDay) {
        let day = SteadyDay { voided, ..*over };
        (state.replaced(over, &day), day)
    }

    /// The score now. The day that is not over counts as it stands.
    #[must_use]
    pub fn score(&self, state: &SteadyScoreState) -> Steady {
        let (weight, sum) = self.open_day(state).weighed();
        let (weight, sum) = (state.weight + weight, state.sum + sum);
        Steady { score: (weight > ROUNDING).then_some(sum / weight), weight }
    }

    /// The day that is not over, with what its ratings would weigh if no more came.
    #[must_use]
    pub fn open_day(&self, state: &SteadyScoreState) -> SteadyDay {
        let (known_weight, fresh_weight) = self.weights(state);
        let day = state.day.unwrap_or_default();
        SteadyDay { day, ratings: state.open, known_weight, fresh_weight, voided: false }
    }

    /// Ratings that a day may weigh by what is usual now.
    #[must_use]
    pub fn limit(&self, state: &SteadyScoreState) -> f64 {
        self.params.least.max(self.params.factor * state.usual)
    }

    /// What one rating of a known and one of a fresh account weighs on the open day.
    fn weights(&self, state: &SteadyScoreState) -> (f64, f64) {
        let DayTally { known, fresh } = state.open;
        let all = Tally { count: known.count.saturating_add(fresh.count), sum: known.sum.saturating_add(fresh.sum) };
        let limit = self.limit(state);
        let known_only = real(all.count) > limit && known.count > 0;
        let heard = if known_only { known } else { all };
        if heard.count <= 0 || self.is_odd(state, heard, limit) {
            return (0.0, 0.0);
        }
        let weight = (limit / real(heard.count)).min(1.0);
        (weight, if known_only { 0.0 } else { weight })
    }

    /// Whether so many, with such stars, are of another mind than those before them. Sums of weights are rounded: what
    /// is equal but for that counts as equal, so that a recount finds the same days odd.
    fn is_odd(&self, state: &SteadyScoreState, heard: Tally, limit: f64) -> bool {
        let SteadyScoreParams { shift, noise, evidence, .. } = self.params;
        let (count, mean) = (real(heard.count), real(heard.sum) / real(heard.count));
        let away = (mean - state.sum / state.weight).abs();
        state.weight >= evidence - ROUNDING && count > limit && away > shift + noise / count.sqrt() + ROUNDING
    }
}

/// More than rounding adds up to. A weight below this is what is left of ratings that were taken back.
const ROUNDING: f64 = 1e-9;

impl DayTally {
    /// Ratings of all accounts.
    #[must_use]
    pub fn count(&self) -> i64 {
        self.known.count.saturating_add(self.fresh.count)
    }

    /// The sum of the stars of all accounts.
    #[must_use]
    pub fn sum(&self) -> i64 {
        self.known.sum.saturating_add(self.fresh.sum)
    }

    fn add(&mut self, account: Account, count: i64, stars: u8) {
        let tally = match account {
            Account::Known => &mut self.known,
            Account::Fresh => &mut self.fresh,
        };
        // Never below 0, even if what is taken back is not what was counted.
        tally.count = tally.count.saturating_add(count).max(0);
        let sum = tally.sum.saturating_add(count * i64::from(stars)).max(0);
        tally.sum = if tally.count == 0 { 0 } else { sum };
    }
}

impl SteadyDay {
    /// What the day weighs, and the sum of its stars, each times what it weighs.
    #[must_use]
    pub fn weighed(&self) -> (f64, f64) {
        if self.voided {
            return (0.0, 0.0);
        }
        let DayTally { known, fresh } = self.ratings;
        let sum = |known: i64, fresh: i64| self.known_weight * real(known) + self.fresh_weight * real(fresh);
        (sum(known.count, fresh.count), sum(known.sum, fresh.sum))
    }

    /// How its ratings count.
    #[must_use]
    pub fn standing(&self) -> DayStanding {
        let heard = [self.known_weight, self.fresh_weight].map(|weight| weight > 0.0);
        match heard {
            _ if self.voided => DayStanding::Voided,
            _ if self.ratings.count() <= 0 => DayStanding::Whole,
            [false, _] => DayStanding::Odd,
            [true, false] if self.ratings.fresh.count > 0 => DayStanding::BusyKnown,
            _ if self.known_weight < 1.0 => DayStanding::Busy,
            _ => DayStanding::Whole,
        }
    }
}

impl SteadyScoreState {
    /// The sums after one of the days that are over has changed.
    fn replaced(&self, before: &SteadyDay, after: &SteadyDay) -> Self {
        let ((weight_before, sum_before), (weight, sum)) = (before.weighed(), after.weighed());
        Self { weight: self.weight + (weight - weight_before), sum: self.sum + (sum - sum_before), ..*self }
    }
}

#[expect(clippy::cast_precision_loss, reason = "no key has 2^53 ratings")]
fn real(number: i64) -> f64 {
    number as f64
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn steady() -> SteadyScore {
        SteadyScore::new(SteadyScoreParams::default()).unwrap()
    }

    /// A key and the days of it that are over, as somebody keeps them who uses the score.
    #[derive(Clone, Default)]
    struct Kept {
        state: SteadyScoreState,
        over: Vec<SteadyDay>,
    }

    impl Kept {
        /// Returns the day on which the rating was counted.
        fn rate(&mut self, day: i64, stars: u8, account: Account) -> i64 {
            let (state, over) = steady().rate(&self.state, day, stars, account);
            self.state = state;
            self.over.extend(over);
            state.day.unwrap()
        }

        fn take_back(&mut self, day: i64, stars: u8, account: Account) {
            if self.state.day == Some(day) {
                self.state = steady().take_back(&self.state, stars, account);
            } else {
                self.change(day, |state, over| steady().take_back_from(state, over, stars, account));
            }
        }

        fn void(&mut self, day: i64, voided: bool) {
            self.change(day, |state, over| steady().void(state, over, voided));
        }

        fn change(&mut self, day: i64, act: impl Fn(&SteadyScoreState, &SteadyDay) -> (SteadyScoreState, SteadyDay)) {
            let over = self.over.iter_mut().find(|over| over.day == day).unwrap();
            (self.state, *over) = act(&self.state, over);
        }

        fn score(&self) -> Steady {
            steady().score(&self.state)
        }
    }

    fn assert_same(one: Steady, other: Steady) {
        let score = |steady: Steady| steady.score.unwrap_or_default();
        assert_eq!(one.score.is_some(), other.score.is_some(), "{one:?} {other:?}");
        assert!((score(one) - score(other)).abs() <= 1e-9, "{one:?} {other:?}");
        assert!((one.weight - other.weight).abs() <= 1e-9, "{one:?} {other:?}");
    }

    /// The rule as it is told, from a list of all ratings: nothing is added up as one goes.
    #[derive(Default)]
    struct SlowRecount {
        ratings: Vec<(i64, u8, Account)>,
        weights: std::collections::BTreeMap<i64, (f64, f64)>,
        voided: Vec<i64>,
        usual: f64,
        open: Option<i64>,
    }

    impl SlowRecount {
        fn total(&self, day: i64, weights: (f64, f64)) -> (f64, f64) {
            let of_day = self.ratings.iter().filter(|(counted, ..)| *counted == day && !self.voided.contains(&day));
            of_day.fold((0.0, 0.0), |(weight, sum), (_, stars, account)| {
                let one = if *account == Account::Known { weights.0 } else { weights.1 };
                (weight + one, sum + one * f64::from(*stars))
            })
        }

        fn over(&self) -> (f64, f64) {
            let totals = self.weights.iter().map(|(day, weights)| self.total(*day, *weights));
            totals.fold((0.0, 0.0), |all, day| (all.0 + day.0, all.1 + day.1))
        }

        fn weights_of_open_day(&self) -> (f64, f64) {
            let limit = 2.0_f64.max(1.5 * self.usual);
            let of = |account| {
                let stars =
                    self.ratings.iter().filter(move |rating| Some(rating.0) == self.open && rating.2 == account);
                stars.map(|rating| f64::from(rating.1)).collect::<Vec<f64>>()
            };
            let (known, fresh) = (of(Account::Known), of(Account::Fresh));
            let all = [known.clone(), fresh].concat();
            #[expect(clippy::cast_precision_loss, reason = "a handful")]
            let count = |stars: &[f64]| stars.len() as f64;
            let only_known = count(&all) > limit && !known.is_empty();
            let heard = if only_known { known } else { all };
            let (weight, sum) = self.over();
            let away = (heard.iter().sum::<f64>() / count(&heard) - sum / weight).abs();
            let much = away > 0.4 + 1.5 / count(&heard).sqrt() + 1e-9;
            let odd = weight >= 10.0 - 1e-9 && count(&heard) > limit && much;
            let each = if odd || heard.is_empty() { 0.0 } else { (limit / count(&heard)).min(1.0) };
            (each, if only_known { 0.0 } else { each })
        }

        fn rate(&mut self, day: i64, stars: u8, account: Account) {
            let open = *self.open.get_or_insert(day);
            if day > open {
                let weights = self.weights_of_open_day();
                let weighed = self.total(open, weights).0;
                self.weights.insert(open, weights);
                self.usual += (1.0 - (-1.0_f64 / 28.0).exp()) * (weighed - self.usual);
                (open + 1..day).for_each(|_| self.usual *= (-1.0_f64 / 28.0).exp());
                self.open = Some(day);
            }
            self.ratings.push((self.open.unwrap(), stars, account));
        }

        fn score(&self) -> Steady {
            let (weight, sum) = self.over();
            let open = self.open.map_or((0.0, 0.0), |open| self.total(open, self.weights_of_open_day()));
            let (weight, sum) = (weight + open.0, sum + open.1);
            Steady { score: (weight > 1e-9).then_some(sum / weight), weight }
        }
    }

    fn account() -> impl Strategy<Value = Account> {
        prop_oneof![Just(Account::Known), Just(Account::Fresh)]
    }

    #[derive(Clone, Debug)]
    enum Act {
        Rate { days_on: i64, stars: u8, account: Account, times: usize },
        Change { which: usize, stars: u8 },
        Void { which: usize, voided: bool },
    }

    fn act() -> impl Strategy<Value = Act> {
        let rate = (prop_oneof![4 => Just(0i64), 4 => Just(1), 1 => -3i64..40], 1u8..=5, account(), 1usize..12)
            .prop_map(|(days_on, stars, account, times)| Act::Rate { days_on, stars, account, times });
        let change = (any::<usize>(), 1u8..=5).prop_map(|(which, stars)| Act::Change { which, stars });
        let void = (any::<usize>(), any::<bool>()).prop_map(|(which, voided)| Act::Void { which, voided });
        prop_oneof![8 => rate, 2 => change, 1 => void]
    }

    proptest! {
        #[test]
        fn equals_a_slow_recount_of_all_ratings_and_stays_within_their_stars(acts in prop::collection::vec(act(), 1..50)) {
            let (mut kept, mut slow, mut day) = (Kept::default(), SlowRecount::default(), 20_000);
            for act in acts {
                match act {
                    Act::Rate { days_on, stars, account, times } => {
                        day += days_on;
                        for _ in 0..times {
                            kept.rate(day, stars, account);
                            slow.rate(day, stars, account);
                        }
                    }
                    Act::Change { which, stars } if !slow.ratings.is_empty() => {
                        let (counted, old, account) = slow.ratings.remove(which % slow.ratings.len());
                        kept.take_back(counted, old, account);
                        kept.rate(day, stars, account);
                        slow.rate(day, stars, account);
                    }
                    Act::Void { which, voided } if !kept.over.is_empty() => {
                        let over = kept.over[which % kept.over.len()].day;
                        kept.void(over, voided);
                        slow.voided.retain(|day| *day != over);
                        slow.voided.extend(voided.then_some(over));
                    }
                    _ => (),
                }
                assert_same(kept.score(), slow.score());
                prop_assert!((kept.state.usual - slow.usual).abs() <= 1e-9);
                if let Some(score) = kept.score().score {
                    let stars = slow.ratings.iter().map(|rating| f64::from(rating.1));
                    let (least, most) = stars.fold((5.0_f64, 1.0_f64), |(least, most), stars| (least.min(stars), most.max(stars)));
                    prop_assert!((least - 1e-9..=most + 1e-9).contains(&score), "{score}");
                }
            }
        }

        #[test]
        fn the_order_within_a_day_does_not_matter(
            (given, shuffled) in prop::collection::vec((1u8..=5, account()), 1..40)
                .prop_flat_map(|day| (Just(day.clone()), Just(day).prop_shuffle())),
        ) {
            let scored = |day: &[(u8, Account)]| {
                let mut kept = Kept::default();
                (0..12).for_each(|rating| { kept.rate(rating, 4, Account::Known); });
                for (stars, account) in day {
                    kept.rate(12, *stars, *account);
                }
                kept.state
            };
            prop_assert_eq!(scored(&given), scored(&shuffled));
        }

        #[test]
        fn a_change_is_a_leaving_and_an_arrival(stars in 1u8..=5, old in 1u8..=5, on in 0i64..20, account in account()) {
            let (mut changed, mut anew) = (Kept::default(), Kept::default());
            for day in 0..20 {
                for kept in [&mut changed, &mut anew] { kept.rate(day, 4, Account::Known); }
                if day == on { changed.rate(day, old, account); }
            }
            // With so few a day no day is busy: a rating that has left is as one that was never there, but for what is
            // usual, which its day has taught.
            changed.take_back(on, old, account);
            changed.rate(20, stars, account);
            anew.rate(20, stars, account);
            assert_same(changed.score(), anew.score());
        }

        #[test]
        fn voiding_and_restoring_cancel_out(acts in prop::collection::vec((0i64..2, 1u8..=5, account()), 1..60), which: usize) {
            let (mut kept, mut day) = (Kept::default(), 0);
            for (days_on, stars, account) in acts {
                day += days_on;
                kept.rate(day, stars, account);
            }
            kept.rate(day + 1, 3, Account::Known);
            let (before, over) = (kept.clone(), kept.over[which % kept.over.len()]);
            kept.void(over.day, true);
            let once = kept.clone();
            kept.void(over.day, true);
            prop_assert_eq!(kept.state, once.state);
            prop_assert!((before.score().weight - over.weighed().0 - kept.score().weight).abs() <= 1e-9);
            kept.void(over.day, false);
            assert_same(kept.score(), before.score());
            prop_assert_eq!(kept.over, before.over);
        }

        #[test]
        fn a_state_survives_json(acts in prop::collection::vec((0i64..40, 1u8..=5, account()), 1..60)) {
            let (mut kept, mut day) = (Kept::default(), 0);
            for (days_on, stars, account) in acts {
                day += days_on;
                kept.rate(day, stars, account);
                let json = serde_json::to_string(&(kept.state, &kept.over)).unwrap();
                let (state, over): (SteadyScoreState, Vec<SteadyDay>) = serde_json::from_str(&json).unwrap();
                prop_assert_eq!((state, &over), (kept.state, &kept.over));
            }
        }

        #[test]
        fn survives_any_state_and_any_rating(
            numbers: (f64, f64, f64), day: Option<i64>, counts: (i64, i64, i64, i64), at: i64, stars: u8, account in account(),
        ) {
            let (known, fresh) = (Tally { count: counts.0, sum: counts.1 }, Tally { count: counts.2, sum: counts.3 });
            let (weight, sum, usual) = numbers;
            let state = SteadyScoreState { weight, sum, usual, day, open: DayTally { known, fresh } };
            let (next, over) = steady().rate(&state, at, stars, account);
            let over = over.unwrap_or_else(|| steady().open_day(&state));
            let _ = (over.weighed(), over.standing());
            let _ = steady().take_back(&state, stars, account);
            let (next, over) = steady().take_back_from(&next, &over, stars, account);
            let (next, _) = steady().void(&next, &over, true);
            let _ = steady().score(&next);
        }
    }

    #[test]
    fn taking_back_what_was_never_counted_leaves_nothing_below_zero() {
        let mut kept = Kept::default();
        kept.rate(0, 1, Account::Known);
        kept.rate(1, 2, Account::Known);
        kept.take_back(0, 5, Account::Known);
        kept.take_back(0, 5, Account::Fresh);
        assert_eq!((kept.over[0].ratings, kept.over[0].weighed()), (DayTally::default(), (0.0, 0.0)));
        assert_eq!(kept.score(), Steady { score: Some(2.0), weight: 1.0 });
    }

    #[test]
    fn a_day_says_how_it_counts() {
        let mut kept = Kept::default();
        let standing = |kept: &Kept| steady().open_day(&kept.state).standing();
        let mut known = Kept::default();
        for _ in 0..3 {
            known.rate(0, 5, Account::Known);
        }
        assert_eq!(standing(&known), DayStanding::Busy);
        assert_eq!(standing(&kept), DayStanding::Whole);
        for (stars, account, expected) in [
            (5, Account::Fresh, DayStanding::Whole),
            (5, Account::Fresh, DayStanding::Whole),
            (5, Account::Fresh, DayStanding::Busy),
            (5, Account::Known, DayStanding::BusyKnown),
        ] {
            kept.rate(0, stars, account);
            assert_eq!(standing(&kept), expected);
        }
        for day in 1..10 {
            kept.rate(day, 5, Account::Known);
            kept.rate(day, 5, Account::Known);
        }
        for _ in 0..9 {
            kept.rate(10, 1, Account::Known);
        }
        assert_eq!(standing(&kept), DayStanding::Odd);
        kept.void(3, true);
        assert_eq!(kept.over[3].standing(), DayStanding::Voided);
    }

    #[test]
    fn invalid_parameters_are_named() {
        let named = |params| SteadyScore::new(params).unwrap_err().name;
        let valid = SteadyScoreParams::default();
        assert_eq!(named(SteadyScoreParams { factor: -0.5, ..valid }), "factor");
        assert_eq!(named(SteadyScoreParams { least: 0.0, ..valid }), "least");
        assert_eq!(named(SteadyScoreParams { memory_days: f64::NAN, ..valid }), "memory_days");
        assert_eq!(named(SteadyScoreParams { shift: f64::INFINITY, ..valid }), "shift");
        assert_eq!(named(SteadyScoreParams { noise: -1.0, ..valid }), "noise");
        assert_eq!(named(SteadyScoreParams { evidence: -1.0, ..valid }), "evidence");
        assert_eq!(*steady().params(), valid);
    }
}
