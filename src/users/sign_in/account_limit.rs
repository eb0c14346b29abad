//! Queue per account for sign-in attempts from networks that are new to the account: 30 at once, then one per minute.
//!
//! An attempt that comes too early reserves the next free slot, which later attempts cannot delay. This is the generic
//! cell rate algorithm (GCRA), except that it defers attempts instead of rejecting them.

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
    /// Time at which all allowed and deferred attempts have drained, at one per minute. Milliseconds since the Unix
    /// epoch.
    free_at_ms: i64,
    /// Time of the last attempt, in milliseconds since the Unix epoch.
    seen_at_ms: i64,
}

const AT_ONCE: i64 = 30;
/// Maximum delay of a deferred attempt, in milliseconds. If the next free slot is later, the queue is full.
const LONGEST_WAIT_MS: i64 = 24 * 60 * MINUTE_MS;
/// Time after its start during which a reserved slot can be used, in milliseconds.
const KEPT_MS: i64 = 60 * MINUTE_MS;

/// Maximum number of slots reserved by neighbouring networks, so that the owner of many networks cannot fill the queue.
const MAX_OF_A_GROUP: usize = 4;

/// Keys of three rows of `limiter_states`: a queue, the slot of one network, and the slots of its neighbouring
/// networks.
#[derive(Debug)]
pub struct PlaceKeys {
    queue: String,
    key: String,
    group: String,
}

impl PlaceKeys {
    #[must_use]
    pub fn new(account: &str, network: IpAddr) -> Self {
        Self {
            queue: format!("queue:{account}"),
            key: format!("place:{account}:{network}"),
            group: format!("group:{account}:{}", neighbourhood(network)),
        }
    }
}

/// Prefix of the networks that one owner is likely to have: 256 addresses of IPv4 (/24), or 65,536 networks of IPv6
/// (/48).
fn neighbourhood(network: IpAddr) -> IpAddr {
    match network {
        IpAddr::V4(address) => Ipv4Addr::from_bits(address.to_bits() >> 8 << 8).into(),
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() >> 80 << 80).into(),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    Now,
    /// The attempt is deferred to this time, in milliseconds since the Unix epoch. The slot is reserved.
    At(i64),
    /// The queue is full. The attempt may be repeated after this number of milliseconds, and no slot is reserved.
    Full(i64),
}

impl Queue {
    /// Decides about an attempt. `promised` is the slot reserved by an earlier attempt, if any.
    fn turn(&mut self, promised: Option<i64>, now_ms: i64) -> Turn {
        // If the clock was set back, the queue is moved back as well, so that all delays stay the same.
        self.free_at_ms = self.free_at_ms.saturating_sub(self.seen_at_ms.saturating_sub(now_ms).max(0));
        self.seen_at_ms = now_ms;
        // No reserved slot can be later than the end of the queue.
        let promised = promised.map(|at| at.min(self.free_at_ms.saturating_sub(AT_ONCE * MINUTE_MS)));
        match promised {
            Some(at) if at > now_ms => return Turn::At(at),
            // The attempt is not counted again: it was counted when the slot was reserved.
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

/// Queue of an account and slot of one network in it. Their rows are locked until the transaction ends.
pub struct LockedQueue {
    queue: Queue,
    promised: Option<i64>,
    /// Slots reserved by the neighbouring networks, in milliseconds since the Unix epoch.
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
                // The neighbouring networks have already reserved their maximum, so no slot is reserved.
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
        // Later attempts, one per second, do not delay the reserved slot.
        for second in 1..60 {
            let now = NOW + second * 1_000;
            assert!(matches!(queue.turn(None, now), Turn::At(at) if at > mine));
            assert_eq!(queue.turn(Some(mine), now), Turn::At(mine));
        }
        assert_eq!(queue.turn(Some(mine), mine), Turn::Now);
        assert_eq!(queue.turn(Some(mine), mine + KEPT_MS), Turn::Now);
        // After `KEPT_MS` the attempt is counted as a new one.
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
        // An attempt from another network is queued directly behind the group's slots.
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
