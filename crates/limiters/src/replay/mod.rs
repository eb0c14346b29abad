//! Replay of rating histories through limiters and scores, to compare limiters and parameters.
//!
//! ```
//! use evenkeel_limiters::replay::{Replay, ReplayHistory, ScoreKind};
//! use evenkeel_limiters::{AnyLimiter, LeakyBucket, LeakyBucketParams};
//!
//! let csv = "post,time,rating,kind\na,0,4,honest\na,1,1,brigade\na,1,1,brigade\n";
//! let history = ReplayHistory::read_csv(csv.as_bytes())?;
//! let bucket = LeakyBucket::new(LeakyBucketParams { capacity: 2, ..Default::default() })?;
//! let mut replay = Replay::new("leaky_bucket", [AnyLimiter::LeakyBucket(bucket)], &ScoreKind::ALL, false);
//! for (post, ratings) in history.posts() {
//!     replay.replay_post(post, ratings, &[], |_, _, _| ())?;
//! }
//! let result = replay.into_result();
//! assert_eq!((result.honest_refused, result.brigade), (0, 2));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod brigades;
mod history;
mod scenarios;
mod score_csv;
mod scores;
mod unusual_activity;

use alloc::borrow::ToOwned as _;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use serde::Serialize;

pub use self::brigades::mark_brigades;
pub use self::history::{InvalidCsvRow, PastRating, ReplayHistory};
pub use self::scenarios::{SCENARIOS, Scenario};
pub use self::score_csv::ComputedScores;
pub use self::scores::ScoreKind;
use self::scores::{RunningScore, mean, to_f64};
use self::unusual_activity::UnusualActivitySimulation;
use crate::combined_limits::{self, NamedLimit};
use crate::{AnyLimiter, AnyState, Event, InvalidCost, Limiter as _};

/// Result of replaying one post through one limiter.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct PostReplayResult {
    /// Name of the post in the data.
    pub post: String,
    /// Number of ratings that probably do not belong to a brigade.
    pub honest: u64,
    /// Number of `honest` ratings that the limiter would have refused.
    pub honest_refused: u64,
    /// Number of ratings that probably belong to a brigade.
    pub brigade: u64,
    /// Number of `brigade` ratings that the limiter would have admitted.
    pub brigade_admitted: u64,
    /// Average of the ratings that do not belong to a brigade.
    pub honest_average: Option<f64>,
    /// Average of the admitted ratings.
    pub admitted_average: Option<f64>,
    /// Final scores of the post, one for each kind of score.
    pub scores: Vec<PostScore>,
}

/// Final value of one score for one post, after all its ratings were replayed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct PostScore {
    /// Kind of the score.
    pub score: ScoreKind,
    /// Final score; `None` if no rating counts.
    pub shown: Option<f64>,
    /// Difference, in stars, between this score and the same score computed from all honest ratings, after the last
    /// rating.
    pub moved: Option<f64>,
    /// Largest difference, in stars, after any rating, between this score and the same score computed from all honest
    /// ratings.
    pub moved_peak: f64,
    /// Difference, in stars, between the score without any brigade ratings and the average of all honest ratings.
    pub honest_bias: Option<f64>,
}

/// Result of replaying a whole history through one limiter. A percentage is `None` if the history has no ratings of
/// that kind.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct ReplayResult {
    /// Name of the limiter.
    pub limiter: String,
    /// Number of honest ratings.
    pub honest: u64,
    /// Number of honest ratings that the limiter refused.
    pub honest_refused: u64,
    /// Number of brigade ratings.
    pub brigade: u64,
    /// Number of brigade ratings that the limiter admitted.
    pub brigade_admitted: u64,
    /// Percentage of the honest ratings that the limiter refused.
    pub honest_refused_percent: Option<f64>,
    /// Percentage of the brigade ratings that the limiter admitted.
    pub brigade_admitted_percent: Option<f64>,
    /// Mean, over all posts, of the difference in stars between the average of the admitted ratings and the average of
    /// all honest ratings.
    pub average_moved: Option<f64>,
    /// Effect of the brigade on each score.
    pub scores: Vec<ScoreDeviationStats>,
    /// Percentage of hours in which the pages of the posts would display the notice of unusual ratings if there were no
    /// brigade ratings.
    pub honest_notice_percent: Option<f64>,
    /// Results of each post; empty unless the replay was created with `by_post`.
    pub posts: Vec<PostReplayResult>,
}

/// Statistics, over all posts, of the difference in stars between a score and the same score computed from honest
/// ratings only (see [`PostScore`]).
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct ScoreDeviationStats {
    /// Kind of the score.
    pub score: ScoreKind,
    /// Mean difference, over all posts, at the end of their histories.
    pub moved_mean: Option<f64>,
    /// 95th percentile, over all posts, of the difference between the final scores with and without the brigade.
    pub moved_p95: Option<f64>,
    /// Largest difference for any post at any time in its history.
    pub moved_peak: f64,
    /// Mean over all posts of [`PostScore::honest_bias`].
    pub honest_bias: Option<f64>,
}

/// Replay of posts through limiters that must all admit a rating. Without a limiter, all ratings are admitted.
#[derive(Debug)]
pub struct Replay {
    name: String,
    limiters: Vec<AnyLimiter>,
    scores: Vec<ScoreKind>,
    /// True if the results of each post are recorded, in addition to the totals.
    by_post: bool,
    /// Start of the evaluated time, in milliseconds since the Unix epoch. Earlier ratings are processed by limiters and
    /// scores, but are not counted in the results.
    since_ms: i64,
    tally: Tally,
    moved: Vec<f64>,
    by_score: Vec<Vec<PostScore>>,
    /// Number of hours in which the notice of unusual ratings is displayed, and total number of hours.
    notices: (u64, u64),
    posts: Vec<PostReplayResult>,
}

impl Replay {
    /// Creates a replay. `by_post` records the results of each post, in addition to the totals.
    pub fn new(
        name: impl Into<String>,
        limiters: impl IntoIterator<Item = AnyLimiter>,
        scores: &[ScoreKind],
        by_post: bool,
    ) -> Self {
        let limiters = limiters.into_iter().collect();
        let (name, scores, by_score) = (name.into(), scores.to_vec(), vec![Vec::new(); scores.len()]);
        let (tally, moved, notices, posts) = Default::default();
        Self { name, limiters, scores, by_post, since_ms: i64::MIN, tally, moved, by_score, notices, posts }
    }

    /// Restricts the results to ratings since `since_ms`. Limiters and scores also process earlier ratings.
    pub fn with_results_since(self, since_ms: i64) -> Self {
        Self { since_ms, ..self }
    }

    /// Replays the ratings of a post in chronological order. `excluded_days` contains the days excluded by moderators. Calls
    /// `told` for each rating with the limiter's decision and the scores after the rating.
    pub fn replay_post(
        &mut self,
        post: &str,
        entries: &[PastRating],
        excluded_days: &[i64],
        mut told: impl FnMut(&PastRating, bool, &[Option<f64>]),
    ) -> Result<(), InvalidCost> {
        let mut all = PostSimulation::new(&self.limiters, &self.scores);
        let mut honest = PostSimulation::new(&[], &self.scores);
        let mut honest_alone = PostSimulation::new(&self.limiters, &self.scores);
        let (mut tally, mut peaks) = (Tally::default(), vec![0.0_f64; self.scores.len()]);
        let mut notices = UnusualActivitySimulation::default();
        for entry in entries {
            let admitted = all.rate(entry)?;
            let is_counted = entry.time_ms >= self.since_ms;
            if is_counted {
                tally.count(entry, admitted);
            }
            if !entry.brigade {
                honest.rate(entry)?;
                notices.add_rating(entry, honest_alone.rate(entry)?);
            }
            let shown = all.shown();
            for ((peak, shown), honest) in peaks.iter_mut().zip(&shown).zip(&honest.scores) {
                if is_counted {
                    *peak = peak.max(distance(*shown, honest.current()).unwrap_or(0.0));
                }
            }
            told(entry, admitted, &shown);
        }
        let shown = [&mut all, &mut honest, &mut honest_alone].map(|course| course.shown_without(excluded_days));
        let (told, hours) = notices.finish();
        self.notices = (self.notices.0 + told, self.notices.1 + hours);
        self.add(post, tally, &shown, &peaks);
        Ok(())
    }

    /// Adds a post to the results. `shown` contains the final scores of three simulations: of all ratings, of honest
    /// ratings without a limiter, and of honest ratings with the limiter.
    fn add(&mut self, post: &str, tally: Tally, shown: &[Vec<Option<f64>>; 3], peaks: &[f64]) {
        let [all, honest, honest_alone] = shown;
        let average = mean(to_f64(tally.honest_stars), tally.honest[0] + tally.honest[1]);
        let of = |(index, score): (usize, &ScoreKind)| PostScore {
            score: *score,
            shown: all[index],
            moved: distance(all[index], honest[index]),
            moved_peak: peaks[index],
            honest_bias: distance(honest_alone[index], average),
        };
        let scores: Vec<PostScore> = self.scores.iter().enumerate().map(of).collect();
        for (all, score) in self.by_score.iter_mut().zip(&scores) {
            all.push(*score);
        }
        self.tally.add(&tally);
        let outcome = tally.into_result(post, scores);
        self.moved.extend(distance(outcome.admitted_average, outcome.honest_average));
        if self.by_post {
            self.posts.push(outcome);
        }
    }

    /// Total result of all replayed posts.
    pub fn into_result(self) -> ReplayResult {
        let scores = self.scores.iter().zip(self.by_score).map(|(score, posts)| {
            let mut moved: Vec<f64> = posts.iter().filter_map(|post| post.moved).collect();
            moved.sort_by(f64::total_cmp);
            let biases: Vec<f64> = posts.iter().filter_map(|post| post.honest_bias).collect();
            ScoreDeviationStats {
                score: *score,
                moved_mean: mean_of(&moved),
                moved_p95: moved.get((moved.len() * 95).div_ceil(100).saturating_sub(1)).copied(),
                moved_peak: posts.iter().map(|post| post.moved_peak).fold(0.0, f64::max),
                honest_bias: mean_of(&biases),
            }
        });
        let [honest_refused, honest_admitted] = self.tally.honest;
        let [brigade_refused, brigade_admitted] = self.tally.brigade;
        ReplayResult {
            limiter: self.name,
            honest: honest_refused + honest_admitted,
            honest_refused,
            brigade: brigade_refused + brigade_admitted,
            brigade_admitted,
            honest_refused_percent: percent(honest_refused, honest_refused + honest_admitted),
            brigade_admitted_percent: percent(brigade_admitted, brigade_refused + brigade_admitted),
            average_moved: mean_of(&self.moved),
            scores: scores.collect(),
            honest_notice_percent: unusual_activity::notice_percent(self.notices.0, self.notices.1),
            posts: self.posts,
        }
    }
}

/// Limiter states and scores of one post during a replay. The scores include only admitted ratings.
struct PostSimulation<'a> {
    limits: Vec<NamedLimit<'a, AnyLimiter>>,
    states: Vec<AnyState>,
    scores: Vec<RunningScore>,
}

impl<'a> PostSimulation<'a> {
    fn new(limiters: &'a [AnyLimiter], scores: &[ScoreKind]) -> Self {
        let limits = limiters.iter().map(|limiter| NamedLimit { name: limiter.name(), limiter }).collect();
        let states = vec![AnyState::default(); limiters.len()];
        Self { limits, states, scores: scores.iter().copied().map(RunningScore::new).collect() }
    }

    /// Returns true if the limiters admit the rating.
    fn rate(&mut self, entry: &PastRating) -> Result<bool, InvalidCost> {
        let event = Event::at_unix_millis(entry.time_ms).with_value(entry.rating);
        let admitted = combined_limits::check(&self.limits, &mut self.states, event)?.decision.allowed;
        for score in self.scores.iter_mut().filter(|_| admitted) {
            score.add_rating(entry);
        }
        Ok(admitted)
    }

    fn shown(&self) -> Vec<Option<f64>> {
        self.scores.iter().map(RunningScore::current).collect()
    }

    fn shown_without(&mut self, days: &[i64]) -> Vec<Option<f64>> {
        for score in &mut self.scores {
            for day in days {
                score.exclude_day(*day);
            }
        }
        self.shown()
    }
}

/// Absolute difference between two scores; `None` if either is missing.
fn distance(one: Option<f64>, other: Option<f64>) -> Option<f64> {
    Some((one? - other?).abs())
}

#[derive(Debug, Default)]
struct Tally {
    honest: [u64; 2],
    brigade: [u64; 2],
    honest_stars: u64,
    admitted_stars: u64,
}

impl Tally {
    fn count(&mut self, entry: &PastRating, admitted: bool) {
        let counts = if entry.brigade { &mut self.brigade } else { &mut self.honest };
        counts[usize::from(admitted)] += 1;
        self.honest_stars += if entry.brigade { 0 } else { u64::from(entry.rating) };
        self.admitted_stars += if admitted { u64::from(entry.rating) } else { 0 };
    }

    fn add(&mut self, other: &Self) {
        for at in [0, 1] {
            self.honest[at] += other.honest[at];
            self.brigade[at] += other.brigade[at];
        }
        self.honest_stars += other.honest_stars;
        self.admitted_stars += other.admitted_stars;
    }

    fn into_result(self, post: &str, scores: Vec<PostScore>) -> PostReplayResult {
        let [honest_refused, honest_admitted] = self.honest;
        let [brigade_refused, brigade_admitted] = self.brigade;
        let honest = honest_refused + honest_admitted;
        PostReplayResult {
            post: post.to_owned(),
            honest,
            honest_refused,
            brigade: brigade_refused + brigade_admitted,
            brigade_admitted,
            honest_average: mean(to_f64(self.honest_stars), honest),
            admitted_average: mean(to_f64(self.admitted_stars), honest_admitted + brigade_admitted),
            scores,
        }
    }
}

fn mean_of(values: &[f64]) -> Option<f64> {
    mean(values.iter().sum(), values.len() as u64)
}

fn percent(part: u64, whole: u64) -> Option<f64> {
    mean(100.0 * to_f64(part), whole)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{LeakyBucket, LeakyBucketParams};

    fn replay(csv: &str, limiter: Option<LeakyBucketParams>) -> ReplayResult {
        let limiter = limiter.map(|params| AnyLimiter::LeakyBucket(LeakyBucket::new(params).unwrap()));
        let name = limiter.map_or("off", |limiter| limiter.name());
        let history = ReplayHistory::read_csv(csv.as_bytes()).unwrap();
        let scores = [ScoreKind::Average, ScoreKind::Steady];
        let mut replay = Replay::new(name, limiter, &scores, true);
        for (post, entries) in history.posts() {
            replay.replay_post(post, entries, &[], |_, _, _| ()).unwrap();
        }
        replay.into_result()
    }

    #[test]
    fn what_is_refused_admitted_and_moved_is_counted() {
        let csv = "post,time,rating,kind\n\
            a,0,4,honest\na,0.1,1,brigade\na,0.1,1,brigade\nb,1970-01-01T00:00:00Z,5,\nb,1970-01-01T00:00:00.1Z,2,honest\n";
        let off = replay(csv, None);
        assert_eq!((off.honest_refused_percent, off.brigade_admitted_percent), (Some(0.0), Some(100.0)));
        assert_eq!(off.average_moved, Some(1.0));
        let bucket = replay(csv, Some(LeakyBucketParams { capacity: 1, leak_amount: 5, ..Default::default() }));
        assert_eq!(bucket.honest_refused_percent, Some(100.0 / 3.0));
        assert_eq!((bucket.brigade_admitted_percent, bucket.average_moved), (Some(0.0), Some(0.75)));
        assert_eq!(bucket.posts[0].post, "a");
    }

    #[test]
    fn a_score_is_compared_with_itself_without_the_crowd() {
        // Two ratings a day for 24 days, followed by 50 brigade ratings on a Monday.
        let honest =
            (0..48).map(|n| format!("a,{},4,honest,{n}\nb,{},4,honest,{n}", 86_400 * (n / 2), 86_400 * (n / 2)));
        let crowd = (0..50).map(|n| format!("a,{},1,brigade,x{n}", 86_400 * 25 + n));
        let rows: Vec<String> =
            std::iter::once("post,time,rating,kind,user".to_owned()).chain(honest).chain(crowd).collect();
        let off = replay(&rows.join("\n"), None);
        let [average, steady] = off.scores[..] else { panic!("{off:?}") };
        let near = |value: Option<f64>, expected: f64| (value.unwrap() - expected).abs() < 1e-9;
        // The average of one of the two posts moves from 4 to 242/98. The steady score moves briefly, at the first
        // brigade ratings.
        let moved = 4.0 - 242.0 / 98.0;
        assert!(near(average.moved_mean, moved / 2.0) && near(average.moved_p95, moved));
        assert!(near(steady.moved_mean, 0.0) && near(steady.honest_bias, 0.0), "{steady:?}");
        assert!((0.001..0.1).contains(&steady.moved_peak), "{steady:?}");
        assert!(near(off.posts[0].scores[1].shown, 4.0) && near(Some(average.moved_peak), moved));
    }

    #[test]
    fn a_second_rating_of_a_reader_replaces_the_first() {
        let off = replay("post,time,rating,user\na,0,1,ann\na,90000,5,ann\na,90001,4,bob\na,90002,2,ann\n", None);
        let shown: Vec<Option<f64>> = off.posts[0].scores.iter().map(|score| score.shown).collect();
        assert_eq!((shown, off.posts[0].honest), (vec![Some(3.0), Some(3.0)], 4));
    }

    #[test]
    fn rows_come_in_any_order_across_and_within_posts() {
        let sorted = "post,time,rating\na,0,5\na,1,4\nb,0,3\nb,2,3\n";
        let mixed = "post,time,rating\nb,2,3\na,1,4\nb,0,3\na,0,5\n";
        let bucket = Some(LeakyBucketParams::default());
        assert_eq!(replay(sorted, bucket).average_moved, replay(mixed, bucket).average_moved);
        assert_eq!(replay(mixed, bucket).brigade_admitted_percent, None);
    }

    #[test]
    fn scenarios_are_the_same_each_time_and_differ_by_seed() {
        for Scenario { name, .. } in &SCENARIOS {
            let rows = |seed| Scenario::from_name(name).unwrap().generate_history(seed).len();
            let first = |seed| {
                let history = Scenario::from_name(name).unwrap().generate_history(seed);
                history.posts().next().unwrap().1.iter().map(|entry| entry.time_ms).sum::<i64>()
            };
            assert!(rows(1) > 100 && first(1) == first(1) && first(1) != first(2), "{name}");
        }
    }
}
