//! How often one may try to sign in or register.
//!
//! Attempts are counted in `PostgreSQL`, exactly and across instances, before any password is hashed. No account is
//! ever locked: buckets leak, and guesses from elsewhere do not count against an owner in a network that they have
//! signed in from before. From a network that is new to an account one may have to wait while others keep guessing; but
//! whoever is told to wait has a place in a queue, which nobody pushes back.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};
use serde_json::json;
use sqlx::{PgConnection, PgPool};

use super::models::Username;
use crate::database::clock::{Clock, MAX_BACKWARD_MS};
use crate::database::limiter_states::{KeyedLimit, Locked, StoreError, lock_rows};
use crate::limiters::together::Limit;
use crate::limiters::{Event, InvalidParameter, LeakyBucket, LeakyBucketParams, Limiter as _};
use crate::site::metrics::Guarded;
use crate::web::client::Client;
use crate::web::error::AppError;
use crate::web::state::AppState;

/// How long a network from which an account was signed in to is known.
const KNOWN_FOR: TimeDelta = TimeDelta::days(30);

const MINUTE_MS: i64 = 60_000;

/// The buckets that attempts are counted in.
#[derive(Clone, Debug)]
pub struct Throttle {
    /// One account from one network: 10 at once, then one a minute.
    pair: LeakyBucket,
    /// All accounts from one network: 50 at once, then one in 6 seconds.
    network: LeakyBucket,
    /// Attempts to register from one network: 20 at once, then one in 3 minutes.
    registration: LeakyBucket,
    /// New accounts from one network: 8 at once, then one in 10 minutes.
    accounts: LeakyBucket,
}

impl Throttle {
    /// # Errors
    /// None: the parameters are constants.
    pub fn new() -> Result<Self, InvalidParameter> {
        let bucket = |capacity, leak_period_ms| {
            let params =
                LeakyBucketParams { capacity, leak_amount: 1, leak_period_ms, max_backward_ms: MAX_BACKWARD_MS };
            LeakyBucket::new(params)
        };
        Ok(Self {
            pair: bucket(10, MINUTE_MS)?,
            network: bucket(50, MINUTE_MS / 10)?,
            registration: bucket(20, 3 * MINUTE_MS)?,
            accounts: bucket(8, 10 * MINUTE_MS)?,
        })
    }

    /// Counts an attempt to sign in.
    ///
    /// # Errors
    /// `sign_in_limited`, with when to come back.
    pub async fn sign_in(&self, state: &AppState, client: Client, username: Option<&Username>) -> Result<(), AppError> {
        let network = client.network().to_string();
        let mut limits = vec![(format!("login:{network}"), &self.network)];
        let mut place = None;
        // A name that could never exist has no account to guess at.
        if let Some(username) = username {
            let account = state.keys.account_tag(username.key());
            limits.push((pair_key(&account, &network), &self.pair));
            if !is_known(state, username, &network).await? {
                let group = neighbourhood(client.network());
                place = Some(Place {
                    queue: format!("queue:{account}"),
                    key: format!("place:{account}:{network}"),
                    group: format!("group:{account}:{group}"),
                });
            }
        }
        count(state, limits, place).await
    }

    /// Counts somebody who is signed in and says their password.
    ///
    /// # Errors
    /// `sign_in_limited`, with when to come back.
    pub async fn confirm(&self, state: &AppState, user: i64) -> Result<(), AppError> {
        count(state, vec![(format!("confirm:{user}"), &self.pair)], None).await
    }

    /// Counts an attempt to register.
    ///
    /// # Errors
    /// `sign_in_limited`, with when to come back.
    pub async fn register(&self, state: &AppState, client: Client) -> Result<(), AppError> {
        count(state, vec![(format!("register:{}", client.network()), &self.registration)], None).await
    }

    /// Counts an account that is about to be made, in its own transaction: one that is not made is not counted.
    ///
    /// # Errors
    /// `sign_in_limited`, with when to come back.
    pub async fn account(
        &self,
        connection: &mut PgConnection,
        state: &AppState,
        client: Client,
    ) -> Result<(), AppError> {
        if !state.settings.sign_in_throttle {
            return Ok(());
        }
        let key = format!("accounts:{}", client.network());
        let limit = KeyedLimit { key: key.clone(), limit: Limit { name: "accounts", limiter: &self.accounts } };
        let mut locked = Locked::lock(connection, [limit], &state.clock).await?;
        let now = state.clock.read(connection).await?;
        let verdict = locked.check(&[&key], Event::at(now.timestamp_millis()));
        let decision = verdict.map_err(|error| AppError::Unavailable(Some(error.into())))?.decision;
        if !decision.allowed {
            return Err(AppError::SignInLimited { retry_after_ms: decision.retry_after_ms });
        }
        Ok(locked.store(connection, now).await?)
    }

    /// Somebody signed in or registered: the account's count from this network begins anew, and the network is
    /// known to it.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn succeeded(
        &self,
        connection: &mut PgConnection,
        state: &AppState,
        client: Client,
        username: &Username,
        user: i64,
    ) -> Result<(), AppError> {
        let network = client.network().to_string();
        sqlx::query!(
            r#"with forgotten as (delete from limiter_states where limiter = $1 and key = $2)
            insert into sign_ins (user_id, network, seen_at) values ($3, $4, coalesce($5, clock_timestamp()))
            on conflict on constraint sign_ins_pkey do update set seen_at = excluded.seen_at"#,
            self.pair.name(),
            pair_key(&state.keys.account_tag(username.key()), &network),
            user,
            network,
            state.clock.now(),
        )
        .execute(connection)
        .await?;
        Ok(())
    }
}

/// A queue for one account, for attempts from networks that are new to it: 30 at once, then one a minute. Whoever finds it
/// full is given the next free moment; it is theirs, whatever others do meanwhile. (The generic cell rate algorithm, with
/// what it refuses put off instead.)
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Queue {
    /// When all that was let in or put off would have been, at one a minute. Milliseconds since the Unix epoch.
    free_at_ms: i64,
    /// The last attempt.
    seen_at_ms: i64,
}

const AT_ONCE: i64 = 30;
/// Nobody is put off for longer; then there is no place.
const LONGEST_WAIT_MS: i64 = 24 * 60 * MINUTE_MS;
/// A place is kept for so long after its moment.
const KEPT_MS: i64 = 60 * MINUTE_MS;

/// Places that the networks of one neighbourhood may have at once: one owner of many networks is not to be all the queue.
const MOST_OF_A_GROUP: usize = 4;

/// The rows of a queue, of one network's place in it, and of the places of its neighbourhood.
#[derive(Debug)]
struct Place {
    queue: String,
    key: String,
    group: String,
}

/// What one owner may well have all of: of IPv4 256 addresses, of IPv6 65,536 networks.
fn neighbourhood(network: IpAddr) -> IpAddr {
    match network {
        IpAddr::V4(address) => Ipv4Addr::from_bits(address.to_bits() >> 8 << 8).into(),
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() >> 80 << 80).into(),
    }
}

/// What is said to an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Turn {
    Now,
    /// At this moment there is a place for it. Milliseconds since the Unix epoch.
    At(i64),
    /// The queue is full: it may come back after so many milliseconds, and has no place.
    Full(i64),
}

impl Queue {
    /// Whose turn it is, given the moment that was promised before.
    fn turn(&mut self, promised: Option<i64>, now_ms: i64) -> Turn {
        // The clock was set back: everything is as far away as it was.
        self.free_at_ms -= (self.seen_at_ms - now_ms).max(0);
        self.seen_at_ms = now_ms;
        // No place is behind the end of the queue.
        let promised = promised.map(|at| at.min(self.free_at_ms - AT_ONCE * MINUTE_MS));
        match promised {
            Some(at) if at > now_ms => return Turn::At(at),
            // It has been counted when it was promised.
            Some(at) if now_ms - at <= KEPT_MS => return Turn::Now,
            _ => (),
        }
        let free_at_ms = self.free_at_ms.max(now_ms) + MINUTE_MS;
        let at = free_at_ms - AT_ONCE * MINUTE_MS;
        if at - now_ms > LONGEST_WAIT_MS {
            return Turn::Full(at - now_ms - LONGEST_WAIT_MS);
        }
        self.free_at_ms = free_at_ms;
        if at <= now_ms { Turn::Now } else { Turn::At(at) }
    }
}

fn pair_key(account: &str, network: &str) -> String {
    format!("login:{account}:{network}")
}

async fn is_known(state: &AppState, username: &Username, network: &str) -> sqlx::Result<bool> {
    let known = sqlx::query_scalar!(
        r#"select exists (
            select from sign_ins join users on users.id = sign_ins.user_id
            where username_key = $1 and network = $2
                and seen_at > coalesce($3, clock_timestamp()) - make_interval(secs => $4)
        ) as "known!""#,
        username.key(),
        network,
        state.clock.now(),
        KNOWN_FOR.as_seconds_f64(),
    );
    known.fetch_one(&state.pool).await
}

/// In a task of its own: whoever hangs up does not break the transaction off.
async fn count(state: &AppState, limits: Vec<(String, &LeakyBucket)>, place: Option<Place>) -> Result<(), AppError> {
    if !state.settings.sign_in_throttle {
        return Ok(());
    }
    let limits: Vec<(String, LeakyBucket)> = limits.into_iter().map(|(key, limiter)| (key, *limiter)).collect();
    let counted = tokio::spawn(check(state.pool.clone(), state.clock.clone(), limits, place)).await;
    if let Ok(Ok(retry_after_ms)) = &counted {
        state.decisions.count(Guarded::SignIn, retry_after_ms.is_none());
    }
    match counted {
        Ok(Ok(None)) => Ok(()),
        Ok(Ok(Some(retry_after_ms))) => {
            tracing::info!(retry_after_ms, "sign-in throttled");
            Err(AppError::SignInLimited { retry_after_ms })
        }
        Ok(Err(StoreError::Database(error))) => Err(error.into()),
        Ok(Err(error)) => Err(AppError::Unavailable(Some(error.into()))),
        Err(panic) => Err(AppError::Internal(panic.to_string())),
    }
}

/// When to come back, unless it was allowed. What is refused spends nothing.
async fn check(
    pool: PgPool,
    clock: Clock,
    limits: Vec<(String, LeakyBucket)>,
    place: Option<Place>,
) -> Result<Option<i64>, StoreError> {
    let keys: Vec<&str> = limits.iter().map(|(key, _)| key.as_str()).collect();
    let limit = |(key, limiter)| KeyedLimit { key: String::clone(key), limit: Limit { name: "sign_in", limiter } };
    let mut transaction = pool.begin().await?;
    let mut locked =
        Locked::lock(&mut transaction, limits.iter().map(|(key, limiter)| limit((key, limiter))), &clock).await?;
    // Always after those: whoever waits for one of these rows holds no other one that is wanted.
    let mut queue = match &place {
        Some(place) => Some(LockedQueue::lock(&mut transaction, place, &clock).await?),
        None => None,
    };
    let now = clock.read(&mut transaction).await?;
    let now_ms = now.timestamp_millis();
    let decision = locked.check(&keys, Event::at(now_ms))?.decision;
    if !decision.allowed {
        return Ok(Some(decision.retry_after_ms));
    }
    let turn = queue.as_mut().map_or(Turn::Now, |queue| queue.turn(now_ms));
    if let (Some(queue), Some(place)) = (&queue, &place) {
        queue.store(&mut transaction, place, now).await?;
    }
    if turn == Turn::Now {
        locked.store(&mut transaction, now).await?;
    }
    transaction.commit().await?;
    Ok(match turn {
        Turn::Now => None,
        Turn::At(at) => Some(at - now_ms),
        Turn::Full(wait) => Some(wait),
    })
}

/// A queue and a place in it whose rows are locked until the transaction ends.
struct LockedQueue {
    queue: Queue,
    promised: Option<i64>,
    /// The moments that were promised to its neighbourhood.
    of_group: Vec<i64>,
}

const QUEUE: &str = "sign_in_queue";
const PLACE: &str = "sign_in_place";
const GROUP: &str = "sign_in_group";

impl LockedQueue {
    async fn lock(connection: &mut PgConnection, place: &Place, clock: &Clock) -> sqlx::Result<Self> {
        let wanted = [(QUEUE, &place.queue), (PLACE, &place.key), (GROUP, &place.group)];
        let wanted = wanted.into_iter().map(|(limiter, key)| (limiter.to_owned(), key.clone())).collect();
        let mut stored = lock_rows(connection, wanted, clock).await?;
        let queue = stored.remove(&place.queue).and_then(|stored| serde_json::from_value(stored).ok());
        let promised = stored.remove(&place.key).and_then(|stored| stored.as_i64());
        let of_group = stored.remove(&place.group).and_then(|stored| serde_json::from_value(stored).ok());
        Ok(Self { queue: queue.unwrap_or_default(), promised, of_group: of_group.unwrap_or_default() })
    }

    fn turn(&mut self, now_ms: i64) -> Turn {
        self.of_group.retain(|at| (now_ms..=now_ms + LONGEST_WAIT_MS).contains(at));
        let (before, had_place) = (self.queue, self.promised);
        let turn = self.queue.turn(had_place, now_ms);
        self.promised = None;
        if let Turn::At(at) = turn {
            if had_place != Some(at) && self.of_group.len() >= MOST_OF_A_GROUP {
                // Its neighbours have all the places that there are for them: nothing is promised.
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

    async fn store(&self, connection: &mut PgConnection, place: &Place, now: DateTime<Utc>) -> sqlx::Result<()> {
        let queue = serde_json::to_value(self.queue).map_err(|error| sqlx::Error::Encode(error.into()))?;
        sqlx::query!(
            r#"update limiter_states s set state = new.state, updated_at = $5::timestamptz, expires_at = $5::timestamptz + interval '3 days'
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

/// Forgets networks that have not been seen for long. Returns how many.
///
/// # Errors
/// When the database cannot be asked.
pub async fn forget(state: &AppState) -> sqlx::Result<u64> {
    let forgotten = sqlx::query!(
        "delete from sign_ins where seen_at < coalesce($1, clock_timestamp()) - make_interval(secs => $2)",
        state.clock.now(),
        KNOWN_FOR.as_seconds_f64(),
    );
    Ok(forgotten.execute(&state.pool).await?.rows_affected())
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
            assert_eq!(matches!(turn, Turn::At(_)), number < MOST_OF_A_GROUP, "{turn:?}");
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
