//! A queue for each account, for attempts to sign in from networks that are new to it: 30 at once, then one a minute.
//! An attempt that comes too early is promised the next free moment, and keeps it whatever others do meanwhile. (This
//! is the generic cell rate algorithm, except that it puts off what it would refuse.)

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::json;
use sqlx::PgConnection;

use crate::db::clock::Clock;
use crate::db::limiter_states::lock_rows;

const MINUTE_MS: i64 = 60_000;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Queue {
    /// When all attempts that were let in or put off would be through, at one a minute. Milliseconds since the Unix
    /// epoch.
    free_at_ms: i64,
    /// When the last attempt came, in milliseconds since the Unix epoch.
    seen_at_ms: i64,
}

const AT_ONCE: i64 = 30;
/// Nobody is put off for longer than this: then the queue is full.
const LONGEST_WAIT_MS: i64 = 24 * 60 * MINUTE_MS;
/// A place is kept for so long after its moment.
const KEPT_MS: i64 = 60 * MINUTE_MS;

/// The most places that the networks of one neighbourhood may have at once, so that one owner of many networks does not
/// fill the queue.
const MAX_OF_A_GROUP: usize = 4;

/// The keys of three rows: a queue, one network's place in it, and the places of its neighbourhood.
#[derive(Debug)]
pub struct PlaceKeys {
    queue: String,
    key: String,
    group: String,
}

impl PlaceKeys {
    /// The place of a network in the queue of an account.
    #[must_use]
    pub fn new(account: &str, network: IpAddr) -> Self {
        Self {
            queue: format!("queue:{account}"),
            key: format!("place:{account}:{network}"),
            group: format!("group:{account}:{}", neighbourhood(network)),
        }
    }
}

/// The group of networks that one owner may well have all of: 256 addresses of IPv4, 65,536 networks of IPv6.
fn neighbourhood(network: IpAddr) -> IpAddr {
    match network {
        IpAddr::V4(address) => Ipv4Addr::from_bits(address.to_bits() >> 8 << 8).into(),
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() >> 80 << 80).into(),
    }
}

/// The answer to an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    Now,
    /// It has a place in the queue: its turn is at this moment, in milliseconds since the Unix epoch.
    At(i64),
    /// The queue is full: it may come back after so many milliseconds, and has no place.
    Full(i64),
}

impl Queue {
    /// Whether it is an attempt's turn, given the moment that it was promised before, if any.
    fn turn(&mut self, promised: Option<i64>, now_ms: i64) -> Turn {
        // If the clock was set back, so is the queue: everything is as far away as it was.
        self.free_at_ms = self.free_at_ms.saturating_sub(self.seen_at_ms.saturating_sub(now_ms).max(0));
        self.seen_at_ms = now_ms;
        // No promised moment can be later than the end of the queue.
        let promised = promised.map(|at| at.min(self.free_at_ms.saturating_sub(AT_ONCE * MINUTE_MS)));
        match promised {
            Some(at) if at > now_ms => return Turn::At(at),
            // It is not counted again: that was done when the moment was promised.
            Some(at) if now_ms - at <= KEPT_MS => return Turn::Now,
            _ => (),
        }
        let free_at_ms = self.free_at_ms.max(now_ms).saturating_add(MINUTE_MS);
        let at = free_at_ms.saturating_sub(AT_ONCE * MINUTE_MS);
        if at - now_ms > LONGEST_WAIT_MS {
            return Turn::Full(at - now_ms - LONGEST_WAIT_MS);
        }
        self.free_at_ms = free_at_ms;
        if at <= now_ms { Turn::Now } else { Turn::At(at) }
    }
}

/// A queue and a place in it whose rows are locked until the transaction ends.
pub struct LockedQueue {
    queue: Queue,
    promised: Option<i64>,
    /// The moments that were promised to its neighbourhood.
    of_group: Vec<i64>,
}

const QUEUE: &str = "sign_in_queue";
const PLACE: &str = "sign_in_place";
const GROUP: &str = "sign_in_group";

impl LockedQueue {
    pub async fn lock(connection: &mut PgConnection, place: &PlaceKeys, clock: &Clock) -> sqlx::Result<Self> {
        let wanted = [(QUEUE, &place.queue), (PLACE, &place.key), (GROUP, &place.group)];
        let wanted = wanted.into_iter().map(|(limiter, key)| (limiter.to_owned(), key.clone())).collect();
        let mut stored = lock_rows(connection, wanted, clock).await?;
        let queue = stored.remove(&place.queue).and_then(|stored| serde_json::from_value(stored).ok());
        let promised = stored.remove(&place.key).and_then(|stored| stored.as_i64());
        let of_group = stored.remove(&place.group).and_then(|stored| serde_json::from_value(stored).ok());
        Ok(Self { queue: queue.unwrap_or_default(), promised, of_group: of_group.unwrap_or_default() })
    }

    pub fn turn(&mut self, now_ms: i64) -> Turn {
        self.of_group.retain(|at| (now_ms..=now_ms + LONGEST_WAIT_MS).contains(at));
        let (before, had_place) = (self.queue, self.promised);
        let turn = self.queue.turn(had_place, now_ms);
        self.promised = None;
        if let Turn::At(at) = turn {
            if had_place != Some(at) && self.of_group.len() >= MAX_OF_A_GROUP {
                // Its neighbourhood has all the places that it may have: nothing is promised.
                self.queue = before;
                let first = self.of_group.iter().min().copied().unwrap_or(at);
                return Turn::Full((first - now_ms).max(1_000));
            }
            if had_place != Some(at) {
                self.of_group.push(at);
            }
            self.promised = Some(at);
        }
        turn
    }

    pub async fn store(
        &self,
        connection: &mut PgConnection,
        place: &PlaceKeys,
        now: DateTime<Utc>,
    ) -> sqlx::Result<()> {
        let queue = serde_json::to_value(self.queue).map_err(|error| sqlx::Error::Encode(error.into()))?;
        sqlx::query!(
            r#"update limiter_states s
            set state = new.state, updated_at = $5::timestamptz, expires_at = $5::timestamptz + interval '3 days'
            from (values
                ($1::text, $2::text, $6::jsonb), ($3::text, $4::text, $7::jsonb), ($8::text, $9::text, $10::jsonb)
            ) as new (limiter, key, state)
            where s.limiter = new.limiter and s.key = new.key"#,
            QUEUE,
            place.queue,
            PLACE,
            place.key,
            now,
            queue,
            json!(self.promised),
            GROUP,
            place.group,
            json!(self.of_group),
        )
        .execute(connection)
        .await?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_790_000_000_000;

    #[test]
    fn a_place_in_the_queue_is_not_pushed_back() {
        let mut queue = Queue::default();
        for _ in 0..AT_ONCE {
            assert_eq!(queue.turn(None, NOW), Turn::Now);
        }
        let Turn::At(mine) = queue.turn(None, NOW) else { panic!("a place") };
        assert_eq!(mine, NOW + MINUTE_MS);
        // Others come every second, and are behind me.
        for second in 1..60 {
            let now = NOW + second * 1_000;
            assert!(matches!(queue.turn(None, now), Turn::At(at) if at > mine));
            assert_eq!(queue.turn(Some(mine), now), Turn::At(mine));
        }
        assert_eq!(queue.turn(Some(mine), mine), Turn::Now);
        assert_eq!(queue.turn(Some(mine), mine + KEPT_MS), Turn::Now);
        // Later it is counted anew, as everybody is.
        let before = queue.free_at_ms;
        queue.turn(Some(mine), mine + KEPT_MS);
        assert_eq!(queue.free_at_ms, before);
        queue.turn(Some(mine), mine + KEPT_MS + 1);
        assert!(queue.free_at_ms > before);
    }

    #[test]
    fn no_more_than_one_a_minute_is_let_in_whoever_waits_and_whoever_does_not() {
        let (mut queue, mut let_in) = (Queue::default(), 0);
        let mut places = vec![None; 40];
        for second in 0..7_200 {
            let now = NOW + second * 1_000;
            for promised in &mut places {
                match queue.turn(*promised, now) {
                    Turn::Now => (let_in, *promised) = (let_in + 1, None),
                    Turn::At(at) => *promised = Some(at),
                    Turn::Full(_) => (),
                }
            }
        }
        assert!((AT_ONCE + 119..=AT_ONCE + 121).contains(&let_in), "{let_in}");
    }

    #[test]
    fn the_networks_of_one_neighbourhood_have_a_few_places() {
        let mut queue = Queue::default();
        for _ in 0..AT_ONCE {
            assert_eq!(queue.turn(None, NOW), Turn::Now);
        }
        let mut of_group = Vec::new();
        for number in 0..1_000 {
            let mut locked = LockedQueue { queue, promised: None, of_group: of_group.clone() };
            let turn = locked.turn(NOW);
            assert_eq!(matches!(turn, Turn::At(_)), number < MAX_OF_A_GROUP, "{turn:?}");
            (queue, of_group) = (locked.queue, locked.of_group);
        }
        // Somebody from elsewhere is behind these, and no further.
        let mut other = LockedQueue { queue, promised: None, of_group: Vec::new() };
        assert_eq!(other.turn(NOW), Turn::At(NOW + 5 * MINUTE_MS));
        let group = |address: &str| neighbourhood(address.parse().unwrap()).to_string();
        assert_eq!((group("192.0.2.7"), group("2001:db8:1:2::")), ("192.0.2.0".to_owned(), "2001:db8:1::".to_owned()));
    }

    #[test]
    fn a_queue_has_an_end_and_a_clock_that_is_set_back_freezes_nobody() {
        let mut queue = Queue::default();
        while queue.turn(None, NOW) != Turn::Full(MINUTE_MS) {}
        let mut queue = Queue::default();
        while queue.turn(None, NOW) == Turn::Now {}
        for before in [NOW - 1_000, NOW - 10 * LONGEST_WAIT_MS] {
            assert_eq!(queue.turn(Some(NOW + MINUTE_MS), before), Turn::At(before + MINUTE_MS));
        }
    }
}
