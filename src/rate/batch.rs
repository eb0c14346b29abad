//! Deciding a batch of ratings: pure, on what the transaction has locked and read.

use std::collections::{BTreeMap, HashMap};

use chrono::{DateTime, Utc};

use super::gate;
use super::models::Stars;
use super::writer::{Act, Item, Refusal};
use crate::limiters::stores::postgres::Locked;
use crate::limiters::{AnyLimiter, Event};

/// A reader and a post.
pub type Pair = (i64, i64);

/// What is known of the posts and pairs of a batch, all of it locked.
pub struct Known<'a> {
    /// The authors of the posts that exist.
    pub authors: HashMap<i64, i64>,
    /// The ratings that exist.
    pub ratings: HashMap<Pair, Stars>,
    /// The gates that ratings have to pass, if there are any.
    pub gates: Option<Locked<'a, AnyLimiter>>,
    pub now: DateTime<Utc>,
    /// Whether changes have to pass the gate too.
    pub gate_on_edit: bool,
}

/// What is to be written.
#[derive(Debug, Default)]
pub struct Writes {
    /// At most one for each pair.
    pub ratings: BTreeMap<Pair, Stars>,
    /// How much each star's counter moves; at most one entry for each post.
    pub counters: BTreeMap<i64, [i64; 5]>,
}

/// Decides `items` in the order they arrived.
pub fn decide(items: &[Item], known: &mut Known<'_>) -> (Vec<Result<(), Refusal>>, Writes) {
    let mut writes = Writes::default();
    let outcomes = items.iter().map(|item| decide_one(item, known, &mut writes)).collect();
    (outcomes, writes)
}

fn decide_one(item: &Item, known: &mut Known<'_>, writes: &mut Writes) -> Result<(), Refusal> {
    let pair = (item.user, item.blog);
    let author = *known.authors.get(&item.blog).ok_or(Refusal::NotFound)?;
    if author == item.user {
        return Err(Refusal::OwnPost);
    }
    let old = known.ratings.get(&pair).copied();
    match (item.act, old) {
        (Act::Create, Some(_)) => return Err(Refusal::AlreadyRated),
        (Act::Change, None) => return Err(Refusal::NotFound),
        (Act::Change, Some(old)) if old == item.stars => return Ok(()),
        _ => (),
    }
    if item.act == Act::Create || known.gate_on_edit {
        pass_gate(item, known)?;
    }
    let counters = writes.counters.entry(item.blog).or_default();
    if let Some(old) = old {
        counters[old.index()] -= 1;
    }
    counters[item.stars.index()] += 1;
    known.ratings.insert(pair, item.stars);
    writes.ratings.insert(pair, item.stars);
    Ok(())
}

fn pass_gate(item: &Item, known: &mut Known<'_>) -> Result<(), Refusal> {
    let Some(gates) = &mut known.gates else { return Ok(()) };
    let event = Event::at(known.now.timestamp_millis()).with_value(item.stars.value());
    match gates.check(&[&gate::key(item.blog)], event) {
        // Never let through unguarded.
        Err(_) => Err(Refusal::Unavailable),
        Ok(verdict) if verdict.decision.allowed => Ok(()),
        Ok(verdict) => Err(Refusal::RateLimited { retry_after_ms: verdict.decision.retry_after_ms }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limiters::{LeakyBucket, LeakyBucketParams};

    fn item(act: Act, user: i64, blog: i64, stars: i64) -> Item {
        Item { act, user, blog, stars: Stars::new(stars).unwrap() }
    }

    /// Post 1 by user 10 with a gate for `capacity` ratings; user 20 has rated it with 2 stars. Post 2 has a broken gate.
    fn known(limiter: &AnyLimiter) -> Known<'_> {
        let mut gates = Locked::fresh([gate::limit(limiter, 1), gate::limit(limiter, 2)]);
        gates.make_unreadable(&gate::key(2));
        Known {
            authors: HashMap::from([(1, 10), (2, 10)]),
            ratings: HashMap::from([((20, 1), Stars::new(2).unwrap()), ((20, 2), Stars::new(2).unwrap())]),
            gates: Some(gates),
            now: DateTime::from_timestamp(1_790_000_000, 0).unwrap(),
            gate_on_edit: true,
        }
    }

    fn bucket(capacity: i64) -> AnyLimiter {
        AnyLimiter::LeakyBucket(LeakyBucket::new(LeakyBucketParams { capacity, ..Default::default() }).unwrap())
    }

    #[test]
    fn every_item_is_decided_alone_in_the_order_of_the_contract() {
        let limiter = bucket(1);
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
        let (outcomes, writes) = decide(&items, &mut known(&limiter));
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
        assert_eq!(writes.ratings, BTreeMap::from([((30, 1), Stars::new(5).unwrap())]));
        assert_eq!(writes.counters, BTreeMap::from([(1, [0, 0, 0, 0, 1])]));
    }

    #[test]
    fn several_changes_of_a_pair_fold_to_one_write() {
        let limiter = bucket(20);
        let items = [item(Act::Create, 30, 1, 5), item(Act::Change, 30, 1, 1), item(Act::Change, 20, 1, 3)];
        let (outcomes, writes) = decide(&items, &mut known(&limiter));
        assert_eq!(outcomes, [Ok(()), Ok(()), Ok(())]);
        assert_eq!(
            writes.ratings,
            BTreeMap::from([((20, 1), Stars::new(3).unwrap()), ((30, 1), Stars::new(1).unwrap())])
        );
        assert_eq!(writes.counters, BTreeMap::from([(1, [1, -1, 1, 0, 0])]));
    }

    #[test]
    fn changes_pass_freely_where_the_setting_says_so() {
        let limiter = bucket(1);
        let mut known = Known { gate_on_edit: false, ..known(&limiter) };
        let items = [item(Act::Create, 30, 1, 5), item(Act::Change, 20, 1, 3), item(Act::Change, 20, 2, 3)];
        assert_eq!(decide(&items, &mut known).0, [Ok(()), Ok(()), Ok(())]);
    }
}
