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
    /// Time at which the queue becomes empty at a rate of one attempt per minute, in milliseconds since the Unix epoch.
    free_at_ms: i64,
    /// Time of the last attempt, in milliseconds since the Unix epoch.
    seen_at_ms: i64,
}

const BURST: i64 = 30;
/// Maximum delay of a deferred attempt, in milliseconds. If the next free slot is later, the queue is full.
const MAX_DELAY_MS: i64 = 24 * 60 * MINUTE_MS;
/// Time during which a reserved slot can be used, in milliseconds after the slot begins.
const SLOT_GRACE_MS: i64 = 60 * MINUTE_MS;

/// Maximum number of slots reserved by networks with the same /24 (IPv4) or /48 (IPv6) prefix, so that the owner of
/// many networks cannot fill the queue.
const MAX_SLOTS_PER_GROUP: usize = 4;

/// Keys of three rows of `limiter_states`: a queue, the slot of one network, and the slots of its neighbouring
/// networks.
#[derive(Debug)]
pub struct SignInSlotKeys {
    queue: String,
    slot: String,
    group: String,
}

impl SignInSlotKeys {
    pub fn new(account: &str, network: IpAddr) -> Self {
        Self {
            queue: format!("queue:{account}"),
            slot: format!("place:{account}:{network}"),
            group: format!("group:{account}:{}", network_group(network)),
        }
    }
}

/// Prefix of the networks that one owner is likely to have: 256 addresses of IPv4 (/24), or 65,536 networks of IPv6
/// (/48).
fn network_group(network: IpAddr) -> IpAddr {
    match network {
        IpAddr::V4(address) => Ipv4Addr::from_bits(address.to_bits() >> 8 << 8).into(),
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() >> 80 << 80).into(),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueueDecision {
    Allowed,
    /// The attempt is deferred until this time, in milliseconds since the Unix epoch, and the slot at this time is
    /// reserved.
    Deferred(i64),
    /// The queue is full. The attempt may be repeated after this number of milliseconds, and no slot is reserved.
    Full(i64),
}

impl Queue {
    /// Decides whether an attempt is allowed, deferred or rejected. `promised` is the slot that an earlier attempt
    /// reserved, if any.
    fn decide(&mut self, promised: Option<i64>, now_ms: i64) -> QueueDecision {
        // If the clock was set back, the queue is moved back as well, so that all delays stay the same.
        self.free_at_ms = self.free_at_ms.saturating_sub(self.seen_at_ms.saturating_sub(now_ms).max(0));
        self.seen_at_ms = now_ms;
        // No reserved slot can be later than the end of the queue.
        let promised = promised.map(|at| at.min(self.free_at_ms.saturating_sub(BURST * MINUTE_MS)));
        match promised {
            Some(at) if at > now_ms => return QueueDecision::Deferred(at),
            // The attempt is not counted again: it was counted when the slot was reserved.
            Some(at) if now_ms - at <= SLOT_GRACE_MS => return QueueDecision::Allowed,
            _ => (),
        }
        let free_at_ms = self.free_at_ms.max(now_ms).saturating_add(MINUTE_MS);
        let at = free_at_ms.saturating_sub(BURST * MINUTE_MS);
        if at - now_ms > MAX_DELAY_MS {
            return QueueDecision::Full(at - now_ms - MAX_DELAY_MS);
        }
        self.free_at_ms = free_at_ms;
        if at <= now_ms { QueueDecision::Allowed } else { QueueDecision::Deferred(at) }
    }
}

/// Queue of an account, and the slot of one network in the queue. The rows of the queue and the slot stay locked until
/// the transaction ends.
pub struct LockedQueue {
    queue: Queue,
    promised: Option<i64>,
    /// Start times of the slots reserved by the neighbouring networks, in milliseconds since the Unix epoch.
    of_group: Vec<i64>,
}

const QUEUE: &str = "sign_in_queue";
const PLACE: &str = "sign_in_place";
const GROUP: &str = "sign_in_group";

impl LockedQueue {
    pub async fn lock(connection: &mut PgConnection, place: &SignInSlotKeys, clock: &Clock) -> sqlx::Result<Self> {
        let wanted = [(QUEUE, &place.queue), (PLACE, &place.slot), (GROUP, &place.group)];
        let wanted = wanted.into_iter().map(|(limiter, key)| (limiter.to_owned(), key.clone())).collect();
        let mut stored = lock_rows(connection, wanted, clock).await?;
        let queue = stored.remove(&place.queue).and_then(|stored| serde_json::from_value(stored).ok());
        let promised = stored.remove(&place.slot).and_then(|stored| stored.as_i64());
        let of_group = stored.remove(&place.group).and_then(|stored| serde_json::from_value(stored).ok());
        Ok(Self { queue: queue.unwrap_or_default(), promised, of_group: of_group.unwrap_or_default() })
    }

    pub fn decide(&mut self, now_ms: i64) -> QueueDecision {
        self.of_group.retain(|at| (now_ms..=now_ms + MAX_DELAY_MS).contains(at));
        let (before, had_place) = (self.queue, self.promised);
        let decision = self.queue.decide(had_place, now_ms);
        self.promised = None;
        if let QueueDecision::Deferred(at) = decision {
            if had_place != Some(at) && self.of_group.len() >= MAX_SLOTS_PER_GROUP {
                // The neighbouring networks have already reserved the maximum number of slots, so no further slot is
                // reserved.
                self.queue = before;
                let first = self.of_group.iter().min().copied().unwrap_or(at);
                return QueueDecision::Full((first - now_ms).max(1_000));
            }
            if had_place != Some(at) {
                self.of_group.push(at);
            }
            self.promised = Some(at);
        }
        decision
    }

    pub async fn store(
        &self,
        connection: &mut PgConnection,
        place: &SignInSlotKeys,
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
            place.slot,
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
    fn reserved_slot_is_not_delayed() {
        let mut queue = Queue::default();
        for _ in 0..BURST {
            assert_eq!(queue.decide(None, NOW), QueueDecision::Allowed);
        }
        let QueueDecision::Deferred(mine) = queue.decide(None, NOW) else { panic!("a place") };
        assert_eq!(mine, NOW + MINUTE_MS);
        // Later attempts, one per second, do not delay the reserved slot.
        for second in 1..60 {
            let now = NOW + second * 1_000;
            assert!(matches!(queue.decide(None, now), QueueDecision::Deferred(at) if at > mine));
            assert_eq!(queue.decide(Some(mine), now), QueueDecision::Deferred(mine));
        }
        assert_eq!(queue.decide(Some(mine), mine), QueueDecision::Allowed);
        assert_eq!(queue.decide(Some(mine), mine + SLOT_GRACE_MS), QueueDecision::Allowed);
        // After `SLOT_GRACE_MS` the attempt is counted as a new one.
        let before = queue.free_at_ms;
        queue.decide(Some(mine), mine + SLOT_GRACE_MS);
        assert_eq!(queue.free_at_ms, before);
        queue.decide(Some(mine), mine + SLOT_GRACE_MS + 1);
        assert!(queue.free_at_ms > before);
    }

    #[test]
    fn allows_one_attempt_per_minute_after_burst() {
        let (mut queue, mut let_in) = (Queue::default(), 0);
        let mut places = vec![None; 40];
        for second in 0..7_200 {
            let now = NOW + second * 1_000;
            for promised in &mut places {
                match queue.decide(*promised, now) {
                    QueueDecision::Allowed => (let_in, *promised) = (let_in + 1, None),
                    QueueDecision::Deferred(at) => *promised = Some(at),
                    QueueDecision::Full(_) => (),
                }
            }
        }
        assert!((BURST + 119..=BURST + 121).contains(&let_in), "{let_in}");
    }

    #[test]
    fn limits_slots_per_network_group() {
        let mut queue = Queue::default();
        for _ in 0..BURST {
            assert_eq!(queue.decide(None, NOW), QueueDecision::Allowed);
        }
        let mut of_group = Vec::new();
        for number in 0..1_000 {
            let mut locked = LockedQueue { queue, promised: None, of_group: of_group.clone() };
            let decision = locked.decide(NOW);
            assert_eq!(matches!(decision, QueueDecision::Deferred(_)), number < MAX_SLOTS_PER_GROUP, "{decision:?}");
            (queue, of_group) = (locked.queue, locked.of_group);
        }
        // An attempt from a network outside the group gets the next slot after the slots of the group.
        let mut other = LockedQueue { queue, promised: None, of_group: Vec::new() };
        assert_eq!(other.decide(NOW), QueueDecision::Deferred(NOW + 5 * MINUTE_MS));
        let group = |address: &str| network_group(address.parse().unwrap()).to_string();
        assert_eq!((group("192.0.2.7"), group("2001:db8:1:2::")), ("192.0.2.0".to_owned(), "2001:db8:1::".to_owned()));
    }

    #[test]
    fn queue_is_bounded_and_survives_clock_set_back() {
        let mut queue = Queue::default();
        while queue.decide(None, NOW) != QueueDecision::Full(MINUTE_MS) {}
        let mut queue = Queue::default();
        while queue.decide(None, NOW) == QueueDecision::Allowed {}
        for before in [NOW - 1_000, NOW - 10 * MAX_DELAY_MS] {
            assert_eq!(queue.decide(Some(NOW + MINUTE_MS), before), QueueDecision::Deferred(before + MINUTE_MS));
        }
    }
}
