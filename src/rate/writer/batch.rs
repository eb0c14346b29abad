//! Decides a batch of ratings. It is a pure step on what the transaction has locked and read.

use std::collections::{BTreeMap, HashMap, HashSet};

use chrono::{DateTime, Utc};
use serde_json::{Map, Value};

use super::scores::{Rated, Scores};
use super::submission::{Act, Item, Refusal};
use crate::blog_posts::PostId;
use crate::db::limiter_states::{Locked, StoreError};
use crate::rate::limiter::rating_limiter::{Gates, post_key};
use crate::rate::models::{Pair, Stars};
use crate::rate::zombie_pauses::Pause;
use crate::web::request::visitor::UserId;
use evenkeel_limiters::{AnyLimiter, Decision, Event, ScorePeriod, SteadyScoreState, ZombiePause, ZombiePauseState};

/// What is known of the posts and pairs of a batch, all of it locked.
pub struct Facts<'a> {
    /// The authors of the posts that exist.
    pub authors: HashMap<PostId, UserId>,
    /// The ratings that exist.
    pub ratings: HashMap<Pair, Rated>,
    /// The scores of the posts.
    pub scores: Scores,
    /// What is remembered of the pairs' failures, and the limiter that judges these. Without a limiter nobody is
    /// paused.
    pub pauses: HashMap<Pair, ZombiePauseState>,
    pub zombie_pause: Option<&'a ZombiePause>,
    /// Users whose rows other transactions have locked.
    pub locked_users: HashSet<UserId>,
    /// Users whose accounts were erased.
    pub erased_users: HashSet<UserId>,
    /// The pairs whose rating was added or changed earlier in this clock hour.
    pub rated: HashSet<Pair>,
    /// The pairs whose rating the post's limiter refused earlier in this clock hour.
    pub refused: HashSet<Pair>,
    /// Whether refused ratings are still recorded in this clock hour; false after a flood of them.
    pub records_refusals: bool,
    /// The limiters that ratings have to pass, and the locked states of these.
    pub gates: &'a Gates,
    pub states: Locked<'a, AnyLimiter>,
    pub now: DateTime<Utc>,
}

/// What changes in the row of a post's totals.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Totals {
    /// By how much the counter of each number of stars changes.
    pub stars: [i64; 5],
    /// Ratings that passed the post's gate, and those that did not.
    pub admitted: i64,
    pub refused: i64,
    /// Those of them that are changes.
    pub changed: i64,
    pub refused_changes: i64,
    /// People whose new rating was refused, by its stars; each once an hour.
    pub refused_stars: [i64; 5],
    /// The new state of the post's limiter under the limiter's name, and the id of the limiter choice it belongs to
    /// under `choice`; empty if the state has not changed.
    pub gate: Map<String, Value>,
    /// State of the steady score after the batch.
    pub score: SteadyScoreState,
}

/// What is to be written.
#[derive(Debug, Default)]
pub struct Writes {
    /// At most one for each pair, with the day on which the score counts it.
    pub ratings: BTreeMap<Pair, (Stars, i64)>,
    pub posts: BTreeMap<PostId, Totals>,
    /// Ended periods of scores that are new or have changed, by the ids of their posts.
    pub periods: Vec<(i64, ScorePeriod)>,
    /// The new states of pairs that have failed or succeeded.
    pub pauses: BTreeMap<Pair, ZombiePauseState>,
    /// The pairs that were refused for the first time in this hour, and the ratings that they tried.
    pub refused: BTreeMap<Pair, Stars>,
}

/// Decides `items` in the order they arrived.
///
/// # Errors
/// If the state of a gate cannot be written.
pub fn decide(items: &[Item], facts: &mut Facts<'_>) -> sqlx::Result<(Vec<Result<(), Refusal>>, Writes)> {
    let mut writes = Writes::default();
    let outcomes = items.iter().map(|item| decide_one(item, facts, &mut writes)).collect();
    for post in facts.authors.keys() {
        if let Some((limiter, state)) = facts.states.changed(&post_key(*post))? {
            let gate = &mut writes.posts.entry(*post).or_default().gate;
            gate.insert(limiter.to_owned(), state);
            gate.extend(facts.gates.choice_of(*post).map(|choice| ("choice".to_owned(), choice.into())));
        }
    }
    for (post, totals) in &mut writes.posts {
        totals.score = facts.scores.state_of(*post);
    }
    writes.periods = facts.scores.changed_periods();
    Ok((outcomes, writes))
}

fn decide_one(item: &Item, facts: &mut Facts<'_>, writes: &mut Writes) -> Result<(), Refusal> {
    let pair = item.pair;
    let author = *facts.authors.get(&pair.post).ok_or(Refusal::NotFound)?;
    if facts.locked_users.contains(&pair.user) || facts.erased_users.contains(&pair.user) {
        return Err(Refusal::Unavailable);
    }
    if let Some(pause) = pause_of(pair, facts) {
        return Err(Refusal::Paused(pause));
    }
    let outcome = rate(item, author, facts, writes);
    remember(pair, &outcome, facts, writes);
    outcome
}

fn pause_of(pair: Pair, facts: &Facts<'_>) -> Option<Pause> {
    facts.zombie_pause?;
    let since_ms = facts.pauses.get(&pair).filter(|state| state.is_paused())?.paused_at_ms?;
    Some(Pause { since_ms, seen_ms: facts.now.timestamp_millis() })
}

/// Remembers what came of an attempt. A failure for which the client itself is to blame counts against its pair, a
/// success for it. A refusal by a gate counts as neither: an honest reader among a crowd is no zombie.
fn remember(pair: Pair, outcome: &Result<(), Refusal>, facts: &mut Facts<'_>, writes: &mut Writes) {
    let Some(limiter) = facts.zombie_pause else { return };
    let state = facts.pauses.get(&pair).copied();
    let next = match (outcome, state) {
        (Err(Refusal::OwnPost | Refusal::AlreadyRated), state) => {
            limiter.fail(&state.unwrap_or_default(), facts.now.timestamp_millis()).0
        }
        (Ok(()), Some(state)) => limiter.success(&state).0,
        _ => return,
    };
    if state != Some(next) {
        facts.pauses.insert(pair, next);
        writes.pauses.insert(pair, next);
    }
}

fn rate(item: &Item, author: UserId, facts: &mut Facts<'_>, writes: &mut Writes) -> Result<(), Refusal> {
    let Item { pair, stars, .. } = *item;
    if author == pair.user {
        return Err(Refusal::OwnPost);
    }
    match (item.act, facts.ratings.get(&pair)) {
        (Act::Create, Some(_)) => return Err(Refusal::AlreadyRated),
        (Act::Change, None) => return Err(Refusal::NotFound),
        (Act::Change, Some(old)) if old.stars == stars => return Ok(()),
        _ => (),
    }
    match pass_gates(item, facts, writes) {
        Ok(()) => {
            count(pair, stars, facts, writes);
            Ok(())
        }
        Err(refusal) => {
            if let Refusal::RateLimited { .. } = refusal {
                refuse(pair, stars, facts, writes);
            }
            Err(refusal)
        }
    }
}

/// Records that the post's gate has refused a rating.
fn refuse(pair: Pair, stars: Stars, facts: &Facts<'_>, writes: &mut Writes) {
    let totals = writes.posts.entry(pair.post).or_default();
    totals.refused += 1;
    let is_first = facts.records_refusals && !facts.refused.contains(&pair) && !writes.refused.contains_key(&pair);
    if is_first {
        writes.refused.insert(pair, stars);
    }
    if facts.ratings.contains_key(&pair) {
        totals.refused_changes += 1;
    } else if is_first {
        totals.refused_stars[stars.index()] += 1;
    }
}

/// Counts a rating that has passed all limits.
fn count(pair: Pair, stars: Stars, facts: &mut Facts<'_>, writes: &mut Writes) {
    let old = facts.ratings.get(&pair).copied();
    let totals = writes.posts.entry(pair.post).or_default();
    totals.admitted += 1;
    if let Some(old) = old {
        totals.changed += 1;
        totals.stars[old.stars.index()] -= 1;
    }
    totals.stars[stars.index()] += 1;
    let day = facts.scores.count(pair.post, stars, old);
    facts.ratings.insert(pair, Rated { stars, counted_on: Some(day) });
    writes.ratings.insert(pair, (stars, day));
}

/// Asks the limiters of a rating: first the user's own limit of changes, then the post's limiter, which does not see what
/// the user's own limit refuses.
fn pass_gates(item: &Item, facts: &mut Facts<'_>, writes: &Writes) -> Result<(), Refusal> {
    let event = Event::at(facts.now.timestamp_millis()).with_value(item.stars.value());
    let own = facts.gates.of_change(item.pair).filter(|_| item.act == Act::Change).map(|limit| limit.key);
    let own: Vec<&str> = own.iter().map(String::as_str).collect();
    // A rating whose limiters cannot be asked is refused, never let through.
    let unavailable = |_| Refusal::Unavailable;
    let answer = facts.states.peek(&own, event).map_err(unavailable)?.decision;
    if !answer.allowed {
        return Err(Refusal::EditLimited { retry_after_ms: answer.retry_after_ms });
    }
    if facts.gates.guards(item.pair.post, item.act)
        && let Some(post) = facts.gates.post_limit(item.pair.post)
    {
        let answer = ask_post(&post.key, item.pair, event, facts, writes).map_err(unavailable)?;
        if !answer.allowed {
            return Err(Refusal::RateLimited { retry_after_ms: answer.retry_after_ms });
        }
    }
    facts.states.check(&own, event).map_err(unavailable)?;
    Ok(())
}

/// Asks a post's limiter, which counts each user at most twice in a clock hour: at the first attempt, and when a retry is
/// admitted. Otherwise repeated attempts of a single account could close a post to all users, or teach the limiter that
/// surges are normal.
fn ask_post(
    key: &str,
    pair: Pair,
    event: Event,
    facts: &mut Facts<'_>,
    writes: &Writes,
) -> Result<Decision, StoreError> {
    // Admitted in this hour: the limiter has to be open, but a further change is not counted.
    if facts.rated.contains(&pair) || writes.ratings.contains_key(&pair) {
        return Ok(facts.states.peek(&[key], event)?.decision);
    }
    // Refused in this hour: counted as an attempt, but not yet as a rating.
    if facts.refused.contains(&pair) || writes.refused.contains_key(&pair) {
        return facts.states.check_retry(key, event);
    }
    // A refusal that is not recorded could be counted twice.
    let verdict =
        if facts.records_refusals { facts.states.check(&[key], event) } else { facts.states.admit(&[key], event) };
    Ok(verdict?.decision)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rate::limiter::rating_limiter::Gate;
    use evenkeel_limiters::{LeakyBucket, LeakyBucketParams, SteadyScore, WeightedStars};

    const TODAY: i64 = 20_717;
    /// An ended period with the rating of user 20.
    const YESTERDAY: ScorePeriod = ScorePeriod {
        first_day: TODAY - 1,
        last_day: TODAY - 1,
        count: 1,
        stars: 2,
        regular: 1.0,
        provisional: 0.0,
        held: 0.0,
        dropped: 0.0,
        excluded: false,
    };

    fn written(day: i64, stars: i64) -> (Stars, i64) {
        (Stars::new(stars).unwrap(), day)
    }

    /// Scores of the posts 1 and 2, which nobody has rated today.
    fn scores() -> Scores {
        let regular = WeightedStars { weight: 1.0, stars: 2.0 };
        let state =
            SteadyScoreState { regular, known: 1.0, reference: 2.0, since: Some(TODAY - 1), ..Default::default() };
        let posts = [1, 2].map(PostId);
        Scores::new(TODAY, HashMap::from(posts.map(|post| (post, state))), posts.map(|post| (post, YESTERDAY)))
    }

    fn pair(user: i64, post: i64) -> Pair {
        Pair { user: UserId(user), post: PostId(post) }
    }

    fn item(act: Act, user: i64, post: i64, stars: i64) -> Item {
        Item { act, pair: pair(user, post), stars: Stars::new(stars).unwrap() }
    }

    /// Post 1 by user 10; user 20 has rated it with 2 stars. Post 2 is the same, with a broken gate.
    fn facts(gates: &Gates) -> Facts<'_> {
        let item = |blog| item(Act::Create, 20, blog, 2);
        let change = |blog| Item { act: Act::Change, ..item(blog) };
        let all = [item(1), item(2), change(1), change(2), Item { pair: pair(30, 1), ..change(1) }];
        let mut states = Locked::fresh(all.iter().flat_map(|item| gates.of(item)));
        states.make_unreadable("post:2");
        Facts {
            authors: HashMap::from([(PostId(1), UserId(10)), (PostId(2), UserId(10))]),
            ratings: HashMap::from(
                [1, 2]
                    .map(|post| (pair(20, post), Rated { stars: Stars::new(2).unwrap(), counted_on: Some(TODAY - 1) })),
            ),
            scores: scores(),
            pauses: HashMap::new(),
            zombie_pause: None,
            locked_users: HashSet::new(),
            erased_users: HashSet::new(),
            rated: HashSet::new(),
            refused: HashSet::new(),
            records_refusals: true,
            gates,
            states,
            now: DateTime::from_timestamp(1_790_000_000, 0).unwrap(),
        }
    }

    fn gates(capacity: i64, on_edit: bool, edit: bool) -> Gates {
        let params = LeakyBucketParams { capacity, ..Default::default() };
        let limiter = Some(AnyLimiter::LeakyBucket(LeakyBucket::new(params).unwrap()));
        Gates::new(Gate { limiter }, on_edit, edit).unwrap()
    }

    #[test]
    fn every_item_is_decided_alone_in_the_order_of_the_contract() {
        let gates = gates(1, true, true);
        let items = [
            item(Act::Create, 30, 9, 5),
            item(Act::Create, 10, 1, 5),
            item(Act::Create, 20, 1, 5),
            item(Act::Change, 30, 1, 5),
            item(Act::Change, 20, 1, 2),
            item(Act::Create, 30, 1, 5),
            item(Act::Create, 30, 1, 4),
            item(Act::Create, 31, 1, 4),
            item(Act::Create, 30, 2, 4),
        ];
        let (outcomes, writes) = decide(&items, &mut facts(&gates)).unwrap();
        assert_eq!(
            outcomes,
            [
                Err(Refusal::NotFound),
                Err(Refusal::OwnPost),
                Err(Refusal::AlreadyRated),
                Err(Refusal::NotFound),
                Ok(()),
                Ok(()),
                Err(Refusal::AlreadyRated),
                Err(Refusal::RateLimited { retry_after_ms: 100 }),
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
        let gates = gates(20, true, true);
        let items = [item(Act::Create, 30, 1, 5), item(Act::Change, 30, 1, 1), item(Act::Change, 20, 1, 3)];
        let (outcomes, writes) = decide(&items, &mut facts(&gates)).unwrap();
        assert_eq!(outcomes, [Ok(()); 3]);
        assert_eq!(
            writes.ratings,
            BTreeMap::from([(pair(20, 1), written(TODAY, 3)), (pair(30, 1), written(TODAY, 1)),])
        );
        assert_eq!(writes.posts[&PostId(1)].stars, [1, -1, 1, 0, 0]);
        // The rating that was changed has left yesterday; the ones that stand now are counted today.
        let score = writes.posts[&PostId(1)].score;
        let shown = SteadyScore::default().score(&score);
        assert_eq!((shown.score, shown.weight), (Some(2.0), 2.0));
        assert_eq!(score.open.map(|open| (open.first_day, open.count, open.stars)), Some((TODAY, 2, 4)));
        let emptied = ScorePeriod { count: 0, stars: 0, ..YESTERDAY };
        assert_eq!(writes.periods, [(1, emptied)]);
    }

    #[test]
    fn a_period_ends_with_the_first_rating_of_the_next_even_within_a_batch() {
        let gates = gates(20, true, true);
        let mut facts = facts(&gates);
        // Ratings of today that were not written yet: then tomorrow begins.
        facts.scores.count(PostId(1), Stars::new(5).unwrap(), None);
        let state = facts.scores.state_of(PostId(1));
        facts.scores = Scores::new(TODAY + 1, HashMap::from([(PostId(1), state)]), []);
        let (_, writes) = decide(&[item(Act::Create, 30, 1, 1), item(Act::Change, 30, 1, 4)], &mut facts).unwrap();
        let periods: Vec<_> = writes.periods.iter().map(|(_, period)| (period.first_day, period.stars)).collect();
        assert_eq!(periods, [(TODAY, 5)]);
        let open = writes.posts[&PostId(1)].score.open;
        assert_eq!(open.map(|open| (open.first_day, open.count, open.stars)), Some((TODAY + 1, 1, 4)));
        assert_eq!(writes.ratings[&pair(30, 1)], written(TODAY + 1, 4));
    }

    #[test]
    fn changes_pass_freely_where_the_setting_says_so() {
        let gates = gates(1, false, true);
        let mut facts = facts(&gates);
        let items = [item(Act::Create, 30, 1, 5), item(Act::Change, 20, 1, 3), item(Act::Change, 20, 2, 3)];
        assert_eq!(decide(&items, &mut facts).unwrap().0, [Ok(()); 3]);
    }

    #[test]
    fn a_reader_changes_one_rating_a_few_times_and_others_are_not_charged_for_it() {
        let gates = gates(100, true, true);
        let mut facts = facts(&gates);
        let changes: Vec<Item> = [1, 3, 4, 5].map(|stars| item(Act::Change, 20, 1, stars)).to_vec();
        let limited = Err(Refusal::EditLimited { retry_after_ms: 600_000 });
        assert_eq!(decide(&changes, &mut facts).unwrap().0, [Ok(()), Ok(()), Ok(()), limited]);
        let others = [item(Act::Create, 30, 1, 5), item(Act::Change, 30, 1, 4), item(Act::Change, 20, 1, 4)];
        assert_eq!(decide(&others, &mut facts).unwrap().0, [Ok(()); 3]);
    }
}
