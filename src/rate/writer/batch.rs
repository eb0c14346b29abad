//! Decides which ratings of a batch are admitted and which are refused, without I/O.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::time::Duration;

use chrono::{DateTime, Utc};

use crate::blog_posts::PostId;
use crate::db::limiter_states::{LimiterStateError, LockedStates};
use crate::rate::limiter::RatingLimiters;
use crate::rate::models::{RatingKey, RatingOperation, RatingRequest, Stars};
use crate::rate::zombie_pauses::{Pause, ZombiePauses};
use crate::web::request::current_user::UserId;
use evenkeel_limiters::{
    AnyLimiter, DayRatings, Decision, Event, PauseAction, RatingDays, SteadyScore, SteadyScoreState, ZombiePauseState,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The post does not exist or is not published.
    NotFound,
    NotRated,
    OwnPost,
    /// The post accepts no ratings. Existing ratings can still be withdrawn.
    RatingsClosed,
    AlreadyRated,
    RateLimited {
        retry_after: Duration,
    },
    EditLimited {
        retry_after: Duration,
    },
    Paused(Pause),
    Busy,
    Unavailable,
}

/// Rows that the transaction has read under its locks.
#[derive(Default)]
pub struct BatchRows {
    /// Time of the database server, which is the time of all ratings in the batch.
    pub now: DateTime<Utc>,
    pub ratings: HashMap<RatingKey, ExistingRating>,
    /// Numbers of failed attempts, and pauses, by user and post.
    pub pauses: HashMap<RatingKey, ZombiePauseState>,
    /// Users and posts whose rating the post's limiter has refused in the current clock hour.
    pub refused: HashSet<RatingKey>,
    /// Ratings that were withdrawn in the last 30 days. A new rating by the user then counts as a change.
    pub withdrawn: HashSet<RatingKey>,
    /// Users whose rows other transactions have locked. Waiting for the locks would delay the whole batch.
    pub locked_users: HashSet<UserId>,
    pub erased_users: HashSet<UserId>,
}

/// Rows that the transaction has locked and read, and the changes that it will write.
pub struct Batch<'a> {
    pub rows: BatchRows,
    pub authors: HashMap<PostId, UserId>,
    /// Posts that accept no ratings.
    pub closed_posts: HashSet<PostId>,
    pub scores: BatchScores,
    /// Rules of pauses; `None` if pausing is disabled.
    pub zombie_pauses: Option<&'a ZombiePauses>,
    /// False if the hourly maximum of recorded refusals is reached.
    pub records_refusals: bool,
    pub limiters: &'a RatingLimiters,
    pub states: LockedStates<'a, AnyLimiter>,
    pub changes: BatchChanges,
}

/// Change of a row in `rating_totals`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TotalsChange {
    pub stars: [i64; 5],
    pub admitted: i64,
    pub refused: i64,
    /// Ratings among `admitted` that changed or followed an earlier rating of the user.
    pub changed: i64,
    pub refused_changes: i64,
    /// Users whose new rating was refused, by stars. Each user counts at most once an hour.
    pub refused_stars: [i64; 5],
    pub score: SteadyScoreState,
}

#[derive(Debug, Default)]
pub struct BatchChanges {
    /// New stars of each rating, and the day on which the score counts it.
    pub ratings: BTreeMap<RatingKey, (Stars, i64)>,
    pub withdrawn: BTreeSet<RatingKey>,
    pub posts: BTreeMap<PostId, TotalsChange>,
    /// Rows of `score_days`: post id and ratings of one day.
    pub days: Vec<(i64, DayRatings)>,
    pub pauses: BTreeMap<RatingKey, ZombiePauseState>,
    /// Actions to count in the metrics.
    pub pause_actions: Vec<PauseAction>,
    /// Ratings that were refused for the first time in the current clock hour.
    pub refused: BTreeMap<RatingKey, Stars>,
}

impl Batch<'_> {
    /// Decides the requests in order of arrival, and collects the rows to write in `changes`.
    pub fn decide_ratings(&mut self, requests: &[RatingRequest]) -> Vec<Result<(), Refusal>> {
        let outcomes = requests.iter().map(|request| self.decide_one(request)).collect();
        self.changes.days = self.scores.finish();
        for (post, totals) in &mut self.changes.posts {
            totals.score = self.scores.score_state(*post);
        }
        outcomes
    }

    fn decide_one(&mut self, request: &RatingRequest) -> Result<(), Refusal> {
        let pair = request.pair;
        let author = *self.authors.get(&pair.post).ok_or(Refusal::NotFound)?;
        if self.rows.locked_users.contains(&pair.user) || self.rows.erased_users.contains(&pair.user) {
            return Err(Refusal::Unavailable);
        }
        // As in Boulder, a pause applies to new requests only: the user can still change or withdraw an existing rating.
        let pause = self.pause_of(pair);
        if let Some(pause) = pause {
            return if request.operation.is_edit() { self.rate(request, author) } else { Err(Refusal::Paused(pause)) };
        }
        let outcome = self.rate(request, author);
        self.update_pause(pair, &outcome);
        outcome
    }

    fn pause_of(&self, pair: RatingKey) -> Option<Pause> {
        self.zombie_pauses?;
        let since_ms = self.rows.pauses.get(&pair).filter(|state| state.is_paused())?.paused_at_ms?;
        Some(Pause { since_ms, read_at_ms: self.rows.now.timestamp_millis() })
    }

    /// Refusals by a limiter do not count as failures, because many users may be rating the post at once.
    fn update_pause(&mut self, pair: RatingKey, outcome: &Result<(), Refusal>) {
        let Some(pauses) = self.zombie_pauses else { return };
        let state = self.rows.pauses.get(&pair).copied();
        let next = match (outcome, state) {
            (Err(Refusal::OwnPost | Refusal::AlreadyRated), state) => {
                let Some(limiter) = pauses.limiter_for(pair.user) else { return };
                let (next, decision) =
                    limiter.record_failure(&state.unwrap_or_default(), self.rows.now.timestamp_millis());
                self.changes.pause_actions.push(decision.action);
                next
            }
            (Ok(()), Some(state)) => pauses.default_limiter().record_success(&state).0,
            _ => return,
        };
        if state != Some(next) {
            self.rows.pauses.insert(pair, next);
            self.changes.pauses.insert(pair, next);
        }
    }

    fn rate(&mut self, request: &RatingRequest, author: UserId) -> Result<(), Refusal> {
        let RatingRequest { pair, operation, .. } = *request;
        if author == pair.user {
            return Err(Refusal::OwnPost);
        }
        if self.closed_posts.contains(&pair.post) && operation.stars().is_some() {
            return Err(Refusal::RatingsClosed);
        }
        match (operation, self.rows.ratings.get(&pair)) {
            (RatingOperation::Create(_), Some(_)) => return Err(Refusal::AlreadyRated),
            (RatingOperation::Change(_) | RatingOperation::Withdraw, None) => return Err(Refusal::NotRated),
            (RatingOperation::Change(stars), Some(old)) if old.stars == stars => return Ok(()),
            _ => (),
        }
        let passed = self.check_limiters(request);
        match passed {
            Ok(()) => self.count(pair, operation.stars()),
            Err(Refusal::RateLimited { .. }) => self.count_refusal(pair, operation.stars()),
            Err(_) => (),
        }
        passed
    }

    /// `stars` is `None` for a withdrawal.
    fn count_refusal(&mut self, pair: RatingKey, stars: Option<Stars>) {
        let totals = self.changes.posts.entry(pair.post).or_default();
        totals.refused += 1;
        let Some(stars) = stars else {
            totals.refused_changes += 1;
            return;
        };
        let is_first =
            self.records_refusals && !self.rows.refused.contains(&pair) && !self.changes.refused.contains_key(&pair);
        if is_first {
            self.changes.refused.insert(pair, stars);
        }
        if self.rows.ratings.contains_key(&pair) {
            totals.refused_changes += 1;
        } else if is_first {
            totals.refused_stars[stars.index()] += 1;
        }
    }

    fn count(&mut self, pair: RatingKey, stars: Option<Stars>) {
        let totals = self.changes.posts.entry(pair.post).or_default();
        totals.admitted += 1;
        totals.changed += i64::from(self.rows.ratings.contains_key(&pair) || self.rows.withdrawn.contains(&pair));
        let old = self.rows.ratings.remove(&pair);
        if let Some(old) = old {
            totals.stars[old.stars.index()] -= 1;
            self.scores.change_rating(pair.post, old, stars);
        }
        let Some(stars) = stars else {
            self.changes.withdrawn.insert(pair);
            return;
        };
        totals.stars[stars.index()] += 1;
        // A changed rating stays on the day on which it was first given.
        let day = old.and_then(|old| old.counted_on).unwrap_or_else(|| self.scores.add_rating(pair.post, stars));
        self.rows.ratings.insert(pair, ExistingRating { stars, counted_on: Some(day) });
        self.changes.ratings.insert(pair, (stars, day));
    }

    /// Checks the user's limit on changes first, so that the limiter of the post does not count a refused change.
    fn check_limiters(&mut self, request: &RatingRequest) -> Result<(), Refusal> {
        let rating_limiters = self.limiters;
        let event = Event::at_unix_millis(self.rows.now.timestamp_millis());
        let existing = self.rows.ratings.get(&request.pair).map(|rating| rating.stars);
        let stars = request.operation.stars().or(existing);
        let event = stars.map_or(event, |stars| event.with_value(stars.value()));
        let is_edit = request.operation.is_edit();
        let own = rating_limiters.edit_limit(request.pair).filter(|_| is_edit).map(|limit| limit.key);
        let own: Vec<&str> = own.iter().map(String::as_str).collect();
        // Fails closed: if a limiter state is unreadable, the rating is refused.
        let unavailable = |_| Refusal::Unavailable;
        let decision = self.states.peek(&own, event).map_err(unavailable)?.decision;
        if !decision.allowed {
            return Err(Refusal::EditLimited { retry_after: decision.retry_after });
        }
        if rating_limiters.applies_to(request.pair.post, request.operation) {
            let decision = self.check_post_limiter(request, event).map_err(unavailable)?;
            if !decision.allowed {
                return Err(Refusal::RateLimited { retry_after: decision.retry_after });
            }
        }
        self.states.check(&own, event).map_err(unavailable)?;
        Ok(())
    }

    /// Counts the rating of each user once in 30 days, and an attempt before it at most once in a clock hour (changes
    /// and withdrawals are known only with `RATING_EDIT_LIMIT=on`). Otherwise a few accounts could block the ratings of
    /// all users, or teach the limiter that surges are normal.
    fn check_post_limiter(&mut self, request: &RatingRequest, event: Event) -> Result<Decision, LimiterStateError> {
        let pair = request.pair;
        let keys: Vec<String> = self.limiters.post_limits(pair.post).map(|limit| limit.key).collect();
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        // A change, or a new rating after a withdrawal, was counted when the user first rated.
        let was_counted = request.operation.is_edit() || self.rows.withdrawn.contains(&pair);
        if was_counted || self.changes.ratings.contains_key(&pair) || self.changes.withdrawn.contains(&pair) {
            return Ok(self.states.peek(&keys, event)?.decision);
        }
        // A rating refused earlier in this hour is already counted as an attempt, but not as a rating.
        if self.rows.refused.contains(&pair) || self.changes.refused.contains_key(&pair) {
            return Ok(self.states.check_retry(&keys, event)?.decision);
        }
        // A refusal that is not recorded is not counted, because a retry would be counted again. Refused withdrawals
        // are never recorded.
        let is_recorded = self.records_refusals && request.operation != RatingOperation::Withdraw;
        let verdict = if is_recorded {
            self.states.check(&keys, event)
        } else {
            self.states.check_and_discard_refusal(&keys, event)
        };
        Ok(verdict?.decision)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExistingRating {
    pub stars: Stars,
    /// Day on which the score counts the rating, in days since 1970-01-01; `None` if the score excludes the rating.
    pub counted_on: Option<i64>,
}

/// Updates of the steady scores of the posts in a batch.
#[derive(Debug, Default)]
pub struct BatchScores {
    rules: SteadyScore,
    today: i64,
    states: HashMap<PostId, SteadyScoreState>,
    /// Posts whose score may have to be recomputed: a rating of an earlier day changes, or a rating is withdrawn.
    days: HashMap<PostId, RatingDays>,
    /// Days in `days` whose ratings were changed.
    changed: BTreeSet<(PostId, i64)>,
    /// Completed days of posts that are not in `days`.
    ended: Vec<(i64, DayRatings)>,
}

impl BatchScores {
    /// `today` is a number of days since 1970-01-01.
    pub fn new(today: i64, states: HashMap<PostId, SteadyScoreState>, days: HashMap<PostId, RatingDays>) -> Self {
        Self { today, states, days, ..Self::default() }
    }

    /// Returns the day on which the rating counts.
    pub fn add_rating(&mut self, post: PostId, stars: Stars) -> i64 {
        if let Some(days) = self.days.get_mut(&post) {
            let day = days.add_rating(self.today, stars.value());
            self.changed.insert((post, day));
            return day;
        }
        let (state, ended) = self.rules.add_rating(&self.score_state(post), self.today, stars.value());
        self.ended.extend(ended.map(|day| (post.0, day)));
        self.states.insert(post, state);
        state.latest_day().map_or(self.today, |latest| latest.day)
    }

    /// Withdraws the rating if `stars` is `None`.
    pub fn change_rating(&mut self, post: PostId, rating: ExistingRating, stars: Option<Stars>) {
        let Some(day) = rating.counted_on else { return };
        let (old, new) = (rating.stars.value(), stars.map(Stars::value));
        let state = self.score_state(post);
        if let Some(days) = self.days.get_mut(&post) {
            days.change_rating(day, old, new);
            self.changed.insert((post, day));
        } else if let Some(state) = new.and_then(|new| self.rules.change_latest_day(&state, day, old, new)) {
            self.states.insert(post, state);
        } else {
            tracing::error!(
                post_id = post.0,
                "cannot update score: the changed rating is missing from the stored score state"
            );
        }
    }

    /// State of the score, valid only after [`finish`](Self::finish) if ratings of earlier days were changed.
    pub fn score_state(&self, post: PostId) -> SteadyScoreState {
        self.states.get(&post).copied().unwrap_or_default()
    }

    /// Returns the days to store: days that are over, and earlier days with changed ratings.
    pub fn finish(&mut self) -> Vec<(i64, DayRatings)> {
        let mut stored = core::mem::take(&mut self.ended);
        for (post, days) in &self.days {
            let changed = self.changed.range((*post, i64::MIN)..=(*post, i64::MAX)).map(|(_, day)| *day);
            let mut changed: BTreeSet<i64> = changed.collect();
            if changed.is_empty() {
                continue;
            }
            let state = self.rules.compute_state(days.iter());
            let before = self.states.insert(*post, state).and_then(|before| before.latest_day());
            changed.extend(before.map(|latest| latest.day));
            let latest = state.latest_day().map(|latest| latest.day);
            let earlier = changed.into_iter().filter(|day| Some(*day) != latest);
            stored.extend(earlier.filter_map(|day| Some((post.0, days.get(day)?))));
        }
        stored
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use evenkeel_limiters::{LeakyBucket, LeakyBucketParams};

    const TODAY: i64 = 20_717;
    const YESTERDAY: DayRatings = DayRatings { day: TODAY - 1, stars: [0, 1, 0, 0, 0], excluded: false };

    fn written(day: i64, stars: i64) -> (Stars, i64) {
        (Stars::new(stars).unwrap(), day)
    }

    fn scores() -> BatchScores {
        let state = SteadyScore::default().compute_state([&YESTERDAY]);
        let posts = [1, 2].map(PostId);
        let days = posts.map(|post| (post, RatingDays::new([], &state)));
        BatchScores::new(TODAY, posts.map(|post| (post, state)).into(), days.into())
    }

    fn pair(user: i64, post: i64) -> RatingKey {
        RatingKey { user: UserId(user), post: PostId(post) }
    }

    fn item(operation: fn(Stars) -> RatingOperation, user: i64, post: i64, stars: i64) -> RatingRequest {
        RatingRequest { operation: operation(Stars::new(stars).unwrap()), pair: pair(user, post) }
    }

    /// Two posts by user 10, both rated with 2 stars by user 20. The limiter state of post 2 is unreadable.
    fn batch(rating_limiters: &RatingLimiters) -> Batch<'_> {
        let change = |blog| item(RatingOperation::Change, 20, blog, 2);
        let item = |blog| item(RatingOperation::Create, 20, blog, 2);
        let all = [item(1), item(2), change(1), change(2), RatingRequest { pair: pair(30, 1), ..change(1) }];
        let mut states =
            LockedStates::with_initial_states(all.iter().flat_map(|item| rating_limiters.limits_for_request(item)));
        states.corrupt_state("post:2:leaky_bucket");
        let ratings = [1, 2].map(|post| {
            (pair(20, post), ExistingRating { stars: Stars::new(2).unwrap(), counted_on: Some(TODAY - 1) })
        });
        let now = DateTime::from_timestamp(1_790_000_000, 0).unwrap();
        Batch {
            rows: BatchRows { now, ratings: HashMap::from(ratings), ..BatchRows::default() },
            authors: HashMap::from([(PostId(1), UserId(10)), (PostId(2), UserId(10))]),
            closed_posts: HashSet::new(),
            scores: scores(),
            zombie_pauses: None,
            records_refusals: true,
            limiters: rating_limiters,
            states,
            changes: BatchChanges::default(),
        }
    }

    fn rating_limiters(capacity: i64, on_edit: bool, edit: bool) -> RatingLimiters {
        let params = LeakyBucketParams { capacity, ..Default::default() };
        let limiter = AnyLimiter::LeakyBucket(LeakyBucket::new(params).unwrap());
        RatingLimiters::new(limiter.into(), on_edit, edit).unwrap()
    }

    #[test]
    fn every_item_is_decided_alone_in_the_order_of_the_contract() {
        let rating_limiters = rating_limiters(1, true, true);
        let items = [
            item(RatingOperation::Create, 30, 9, 5),
            item(RatingOperation::Create, 10, 1, 5),
            item(RatingOperation::Create, 20, 1, 5),
            item(RatingOperation::Change, 30, 1, 5),
            item(RatingOperation::Change, 20, 1, 2),
            item(RatingOperation::Create, 30, 1, 5),
            item(RatingOperation::Create, 30, 1, 4),
            item(RatingOperation::Create, 31, 1, 4),
            item(RatingOperation::Create, 30, 2, 4),
        ];
        let mut batch = batch(&rating_limiters);
        let outcomes = batch.decide_ratings(&items);
        let writes = batch.changes;
        assert_eq!(
            outcomes,
            [
                Err(Refusal::NotFound),
                Err(Refusal::OwnPost),
                Err(Refusal::AlreadyRated),
                Err(Refusal::NotRated),
                Ok(()),
                Ok(()),
                Err(Refusal::AlreadyRated),
                Err(Refusal::RateLimited { retry_after: Duration::from_millis(100) }),
                Err(Refusal::Unavailable),
            ]
        );
        assert_eq!(writes.ratings, BTreeMap::from([(pair(30, 1), written(TODAY, 5))]));
        let totals = &writes.posts[&PostId(1)];
        assert_eq!((totals.stars, totals.admitted, totals.refused), ([0, 0, 0, 0, 1], 1, 1));
        assert_eq!(writes.posts.len(), 1);
    }

    #[test]
    fn several_changes_of_a_pair_fold_to_one_write() {
        let rating_limiters = rating_limiters(20, true, true);
        let items = [
            item(RatingOperation::Create, 30, 1, 5),
            item(RatingOperation::Change, 30, 1, 1),
            item(RatingOperation::Change, 20, 1, 3),
        ];
        let mut batch = batch(&rating_limiters);
        let outcomes = batch.decide_ratings(&items);
        let writes = batch.changes;
        assert_eq!(outcomes, [Ok(()); 3]);
        assert_eq!(
            writes.ratings,
            BTreeMap::from([(pair(20, 1), written(TODAY - 1, 3)), (pair(30, 1), written(TODAY, 1)),])
        );
        assert_eq!(writes.posts[&PostId(1)].stars, [1, -1, 1, 0, 0]);
        // The changed rating of user 20 stays on its day.
        let score = writes.posts[&PostId(1)].score;
        let shown = SteadyScore::default().score(&score);
        assert_eq!((shown.score, shown.weight), (Some(2.0), 2.0));
        assert_eq!(score.latest_day().map(|latest| (latest.day, latest.stars)), Some((TODAY, [1, 0, 0, 0, 0])));
        assert_eq!(writes.days[0], (1, DayRatings { stars: [0, 0, 1, 0, 0], ..YESTERDAY }));
    }

    #[test]
    fn first_rating_of_a_new_day_stores_the_previous_day() {
        let rating_limiters = rating_limiters(20, true, true);
        let mut batch = batch(&rating_limiters);
        // The post is rated today, and the batch is decided on the next day.
        batch.scores.add_rating(PostId(1), Stars::new(5).unwrap());
        batch.scores.finish();
        let state = batch.scores.score_state(PostId(1));
        batch.scores = BatchScores::new(TODAY + 1, HashMap::from([(PostId(1), state)]), HashMap::new());
        batch.decide_ratings(&[item(RatingOperation::Create, 30, 1, 1), item(RatingOperation::Change, 30, 1, 4)]);
        let writes = batch.changes;
        assert_eq!(writes.days, [(1, DayRatings { day: TODAY, stars: [0, 0, 0, 0, 1], excluded: false })]);
        let latest = writes.posts[&PostId(1)].score.latest_day();
        assert_eq!(latest.map(|latest| (latest.day, latest.stars)), Some((TODAY + 1, [0, 0, 0, 1, 0])));
        assert_eq!(writes.ratings[&pair(30, 1)], written(TODAY + 1, 4));
    }

    #[test]
    fn withdrawn_rating_leaves_totals_and_score_and_passes_the_limits_of_changes() {
        let rating_limiters = rating_limiters(1, true, true);
        let mut batch = batch(&rating_limiters);
        let withdraw = |user| RatingRequest { operation: RatingOperation::Withdraw, pair: pair(user, 1) };
        let outcomes = batch.decide_ratings(&[withdraw(20), withdraw(20), withdraw(10)]);
        assert_eq!(outcomes, [Ok(()), Err(Refusal::NotRated), Err(Refusal::OwnPost)]);
        let totals = &batch.changes.posts[&PostId(1)];
        assert_eq!((totals.stars, totals.admitted, totals.changed), ([0, -1, 0, 0, 0], 1, 1));
        assert_eq!(SteadyScore::default().score(&totals.score).score, None);
        assert_eq!(batch.changes.days[0], (1, DayRatings { stars: [0; 5], ..YESTERDAY }));
        assert_eq!(
            (&batch.changes.ratings, &batch.changes.withdrawn),
            (&BTreeMap::new(), &BTreeSet::from([pair(20, 1)]))
        );
        // The withdrawal did not fill the post's leaky bucket; a new rating does.
        assert_eq!(batch.decide_ratings(&[item(RatingOperation::Create, 40, 1, 5)]), [Ok(())]);
        batch.rows.ratings.insert(pair(30, 1), ExistingRating { stars: Stars::new(5).unwrap(), counted_on: None });
        let refused = batch.decide_ratings(&[withdraw(30)]);
        assert_eq!(refused, [Err(Refusal::RateLimited { retry_after: Duration::from_millis(100) })]);
        let totals = &batch.changes.posts[&PostId(1)];
        assert_eq!((totals.refused, totals.refused_changes, batch.changes.refused.len()), (1, 1, 0));
    }

    #[test]
    fn changes_pass_freely_where_the_setting_says_so() {
        let rating_limiters = rating_limiters(1, false, true);
        let mut batch = batch(&rating_limiters);
        let items = [
            item(RatingOperation::Create, 30, 1, 5),
            item(RatingOperation::Change, 20, 1, 3),
            item(RatingOperation::Change, 20, 2, 3),
        ];
        assert_eq!(batch.decide_ratings(&items), [Ok(()); 3]);
    }

    #[test]
    fn a_reader_changes_one_rating_a_few_times_and_others_are_not_charged_for_it() {
        let rating_limiters = rating_limiters(100, true, true);
        let mut batch = batch(&rating_limiters);
        let changes: Vec<RatingRequest> =
            [1, 3, 4, 5].map(|stars| item(RatingOperation::Change, 20, 1, stars)).to_vec();
        let limited = Err(Refusal::EditLimited { retry_after: Duration::from_mins(10) });
        assert_eq!(batch.decide_ratings(&changes), [Ok(()), Ok(()), Ok(()), limited]);
        let others = [
            item(RatingOperation::Create, 30, 1, 5),
            item(RatingOperation::Change, 30, 1, 4),
            item(RatingOperation::Change, 20, 1, 4),
        ];
        assert_eq!(batch.decide_ratings(&others), [Ok(()); 3]);
    }
}
