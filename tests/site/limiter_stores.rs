//! Behavior that all stores of limiter states share, in memory and in `PostgreSQL`.

use std::sync::Arc;

use chrono::{DateTime, TimeDelta};
use evenkeel::db::clock::Clock;
use evenkeel::db::commit;
use evenkeel::db::limiter_states;
use evenkeel::db::limiter_states::{KeyedLimit, LimiterStateError, LockedStates};
use evenkeel_limiters::combined_limits::{CombinedDecision, NamedLimit};
use evenkeel_limiters::stores::{self, CheckAllError, MemoryStore, StoreError};
use evenkeel_limiters::{
    AnyLimiter, AnyState, Decision, Ema, EmaParams, Event, LeakyBucket, LeakyBucketParams, Limiter as _, RateClass,
    RateClassParams, Surge, SurgeParams, Timestamp,
};
use futures_util::future::join_all;
use sqlx::postgres::PgPoolOptions;
use sqlx::{Connection as _, PgConnection, PgPool};

use crate::support::DatabaseLease;

#[path = "../../crates/limiters/tests/limiters/store_suite.rs"]
mod store_suite;

/// Store under test, with a clock that the test sets.
#[derive(Clone)]
enum Store {
    MemoryStore(Arc<MemoryStore<(&'static str, String), AnyState>>, Clock),
    Postgres(PgPool, Clock),
}

/// Decision (allowed or not), the deciding limit, milliseconds until a retry, and the remaining cost.
type Answer = (bool, String, u128, Option<u64>);

impl Store {
    /// Returns all stores. The lease keeps their database alive.
    async fn all() -> (Vec<Self>, DatabaseLease) {
        let clock = || Clock::fixed(DateTime::from_timestamp(1_767_268_800, 0).unwrap());
        let lease = DatabaseLease::take().await;
        let pool = PgPoolOptions::new().max_connections(16).connect_lazy_with(lease.options.clone());
        (vec![Self::MemoryStore(Arc::new(MemoryStore::new(100_000)), clock()), Self::Postgres(pool, clock())], lease)
    }

    fn wait(&self, ms: i64) {
        let (Self::MemoryStore(_, clock) | Self::Postgres(_, clock)) = self;
        clock.advance(TimeDelta::milliseconds(ms));
    }

    /// Checks several limits together. `None` if the cost exceeds a limit.
    async fn check(&self, limits: &[(&str, AnyLimiter)], cost: u32) -> Option<Answer> {
        let verdict = match self {
            Self::MemoryStore(memory, clock) => {
                let limits: Vec<_> = limits
                    .iter()
                    .map(|(name, limiter)| ((kind(limiter), (*name).to_owned()), NamedLimit { name, limiter }))
                    .collect();
                let event =
                    Event::at_unix_millis(clock.now().unwrap().timestamp_millis()).with_cost(cost).with_value(3);
                match memory.check_all(&limits, event) {
                    Ok(verdict) => verdict,
                    Err(CheckAllError::Cost(_)) => return None,
                    Err(error) => panic!("{error}"),
                }
            }
            Self::Postgres(pool, clock) => {
                let limits: Vec<_> = limits
                    .iter()
                    .map(|(key, limiter)| KeyedLimit {
                        key: (*key).to_owned(),
                        limit: NamedLimit { name: key, limiter },
                    })
                    .collect();
                let event = Event::at_unix_millis(0).with_cost(cost).with_value(3);
                let mut connection = pool.acquire().await.unwrap();
                match check(&mut connection, &limits, event, clock).await {
                    Ok(verdict) => verdict,
                    Err(LimiterStateError::Cost(_)) => return None,
                    Err(error) => panic!("{error}"),
                }
            }
        };
        let decision = verdict.decision;
        Some((decision.allowed, verdict.limit.to_owned(), decision.retry_after.as_millis(), decision.remaining))
    }

    async fn reset(&self, key: &str) {
        match self {
            Self::MemoryStore(memory, _) => memory.remove(&("leaky_bucket", key.to_owned())),
            Self::Postgres(pool, _) => {
                let reset = sqlx::query("delete from limiter_states where limiter = 'leaky_bucket' and key = $1");
                reset.bind(key).execute(pool).await.unwrap();
            }
        }
    }

    /// Deletes expired states. Returns the number of remaining keys.
    async fn forget(&self, limiter: &AnyLimiter) -> i64 {
        match self {
            Self::MemoryStore(memory, clock) => {
                let now = Timestamp::from_unix_millis(clock.now().unwrap().timestamp_millis());
                memory.remove_expired(|_| limiter, now);
                i64::try_from(memory.len()).unwrap()
            }
            Self::Postgres(pool, clock) => {
                limiter_states::delete_expired(&mut pool.acquire().await.unwrap(), clock, 1_000).await.unwrap();
                sqlx::query_scalar("select count(*) from limiter_states").fetch_one(pool).await.unwrap()
            }
        }
    }
}

/// Checks several limits for one event in a transaction: all of them are charged, or none.
async fn check<'a>(
    connection: &mut PgConnection,
    limits: &[KeyedLimit<'a, AnyLimiter>],
    event: Event,
    clock: &Clock,
) -> Result<CombinedDecision<'a>, LimiterStateError> {
    let mut transaction = connection.begin().await?;
    let keys: Vec<&str> = limits.iter().map(|limit| limit.key.as_str()).collect();
    let requested = limits.iter().map(|KeyedLimit { key, limit }| KeyedLimit { key: key.clone(), limit: *limit });
    let mut locked = LockedStates::lock(&mut transaction, requested, clock).await?;
    let now = clock.read(&mut transaction).await?;
    let verdict = locked.check(&keys, Event { time: Timestamp::from_unix_millis(now.timestamp_millis()), ..event })?;
    locked.store(&mut transaction, now, TimeDelta::zero()).await?;
    commit(transaction).await?;
    Ok(verdict)
}

fn kind(limiter: &AnyLimiter) -> &'static str {
    evenkeel_limiters::Limiter::name(limiter)
}

/// Leaky bucket for a burst of `capacity` events that leaks one event per second.
fn bucket(capacity: i64) -> AnyLimiter {
    let params = LeakyBucketParams { capacity, leak_amount: 1, leak_period_ms: 1_000, ..Default::default() };
    AnyLimiter::LeakyBucket(LeakyBucket::new(params).unwrap())
}

#[actix_web::test]
async fn all_stores_return_the_same_decisions() {
    let (stores, _lease) = Store::all().await;
    for store in &stores {
        let ann = [("ann", bucket(2))];
        assert_eq!(store.check(&ann, 1).await, Some((true, "ann".to_owned(), 0, Some(1))));
        assert_eq!(store.check(&ann, 1).await, Some((true, "ann".to_owned(), 0, Some(0))));
        assert_eq!(store.check(&ann, 1).await, Some((false, "ann".to_owned(), 1_000, Some(0))));
        assert_eq!(store.check(&[("ben", bucket(2))], 2).await, Some((true, "ben".to_owned(), 0, Some(0))));
        assert_eq!(store.check(&ann, 3).await, None);
        store.wait(999);
        assert_eq!(store.check(&ann, 1).await, Some((false, "ann".to_owned(), 1, Some(0))));
        store.wait(1);
        assert!(store.check(&ann, 1).await.unwrap().0);
        // The state of a key survives a change of its parameters.
        assert_eq!(store.check(&[("ann", bucket(5))], 1).await.unwrap().3, Some(2));
        store.reset("ann").await;
        assert_eq!(store.check(&ann, 1).await.unwrap().3, Some(1));
    }
}

#[actix_web::test]
async fn combined_limits_are_charged_all_or_none() {
    let ema = AnyLimiter::Ema(Ema::new(EmaParams::default()).unwrap());
    let surge = AnyLimiter::Surge(Surge::new(SurgeParams::default()).unwrap());
    let class = AnyLimiter::RateClass(RateClass::new(RateClassParams::default()).unwrap());
    let (stores, _lease) = Store::all().await;
    for store in &stores {
        let (reader, post) = (("reader", bucket(1)), ("post", bucket(10)));
        assert_eq!(store.check(&[reader, post], 1).await.unwrap().1, "reader");
        for _ in 0..5 {
            assert_eq!(store.check(&[post, reader], 1).await, Some((false, "reader".to_owned(), 1_000, Some(0))));
        }
        assert_eq!(store.check(&[post], 1).await.unwrap().3, Some(8));
        // Adaptive limiters learn from events that a later limit refuses, but not from those that an earlier limit has
        // refused.
        let learners = |suffix: &'static str| {
            [("gaps", ema), ("crowd", surge), ("client", class)]
                .map(|(name, limiter)| (name, format!("{name}{suffix}"), limiter))
        };
        for (suffix, is_reader_first) in [(" 1", true), (" 2", false)] {
            let reader = ("new reader", format!("new reader{suffix}"), bucket(3));
            let mut all: Vec<_> = learners(suffix).into_iter().collect();
            all.insert(if is_reader_first { 0 } else { 3 }, reader);
            let all: Vec<(&str, AnyLimiter)> = all.iter().map(|(_, key, limiter)| (key.as_str(), *limiter)).collect();
            let mut answers = Vec::new();
            for _ in 0..9 {
                answers.push(store.check(&all, 1).await.unwrap());
            }
            assert_eq!(answers.iter().filter(|answer| answer.0).count(), 3, "{answers:?}");
            assert!(answers[3].1.starts_with("new reader"), "{answers:?}");
            let last = if is_reader_first { "new reader" } else { "client" };
            assert!(answers[8].1.starts_with(last), "{answers:?}");
            assert_eq!(store.check(&all, 2).await, None);
        }
    }
}

#[actix_web::test]
async fn limits_of_one_event_need_distinct_keys() {
    let (_, lease) = Store::all().await;
    let pool = PgPool::connect_lazy_with(lease.options.clone());
    let (minute, day) = (bucket(1), bucket(10));
    let limits = [("minute", &minute), ("day", &day)]
        .map(|(name, limiter)| KeyedLimit { key: "ann".to_owned(), limit: NamedLimit { name, limiter } });
    let mut connection = pool.acquire().await.unwrap();
    let checked = check(&mut connection, &limits, Event::at_unix_millis(0), &Clock::Database).await;
    assert!(matches!(checked, Err(LimiterStateError::DuplicateKey(key)) if key == "ann"));
}

#[actix_web::test]
async fn keys_expire_only_when_expiry_admits_nothing_more() {
    let (stores, _lease) = Store::all().await;
    for store in &stores {
        let limiter = bucket(7_200);
        for key in ["a", "b", "c"] {
            store.check(&[(key, limiter)], 1).await.unwrap();
        }
        store.check(&[("full", limiter)], 7_200).await.unwrap();
        assert_eq!(store.forget(&limiter).await, 4);
        // Expiry times are rounded up to whole hours, so that updates rarely change the index.
        store.wait(3_600_000 + 1);
        assert_eq!(store.forget(&limiter).await, 1);
        assert_eq!(store.check(&[("full", limiter)], 1).await.unwrap().3, Some(3_599));
        store.wait(3 * 3_600_000);
        assert_eq!(store.forget(&limiter).await, 0);
    }
}

#[actix_web::test]
async fn concurrent_checks_neither_deadlock_nor_exceed_the_limit() {
    let (stores, _lease) = Store::all().await;
    for store in &stores {
        let keys = ["k1", "k2", "k3", "k4", "k5"];
        let checks = (0..400_usize).map(|number| {
            let store = store.clone();
            async move {
                // The keys are new and are locked in every order, which could deadlock.
                let (first, second) = (keys[number % 5], keys[(number / 5 + 1 + number % 5) % 5]);
                let mut limits = vec![(first, bucket(40)), (second, bucket(40))];
                limits.dedup_by_key(|(key, _)| *key);
                let allowed = store.check(&limits, 1).await.unwrap().0;
                (allowed, limits.len())
            }
        });
        let answers: Vec<(bool, usize)> =
            join_all(checks.map(actix_web::rt::spawn)).await.into_iter().map(Result::unwrap).collect();
        let charged: usize = answers.iter().filter(|(allowed, _)| *allowed).map(|(_, keys)| keys).sum();
        let mut remaining = 0;
        for key in keys {
            remaining += store.check(&[(key, bucket(40))], 0).await.unwrap().3.unwrap();
        }
        assert_eq!(u64::try_from(charged).unwrap() + remaining, 5 * 40);
        assert!(charged > 150, "{charged}");
    }
}

/// Store of single keys in `PostgreSQL`. The decisions use the times of the events.
struct PostgresStore(PgPool);

impl PostgresStore {
    /// Runs `act` on the locked state of a key, and stores the state if it has changed.
    async fn with_locked_state<R>(
        &self,
        key: &str,
        limiter: &LeakyBucket,
        event: Event,
        act: impl FnOnce(&mut LockedStates<'_, LeakyBucket>) -> Result<R, LimiterStateError>,
    ) -> Result<R, LimiterStateError> {
        let now = DateTime::from_timestamp_millis(event.time.unix_millis()).unwrap();
        let mut transaction = self.0.begin().await?;
        let limit = KeyedLimit { key: key.to_owned(), limit: NamedLimit { name: "", limiter } };
        let mut locked = LockedStates::lock(&mut transaction, [limit], &Clock::fixed(now)).await?;
        let result = act(&mut locked)?;
        locked.store(&mut transaction, now, TimeDelta::zero()).await?;
        commit(transaction).await?;
        Ok(result)
    }
}

fn store_error(error: LimiterStateError) -> StoreError<LimiterStateError> {
    match error {
        LimiterStateError::Cost(error) => StoreError::Cost(error),
        other => StoreError::Store(other),
    }
}

impl stores::Store<str, LeakyBucket> for PostgresStore {
    type Error = LimiterStateError;

    async fn check_event(
        &self,
        key: &str,
        limiter: &LeakyBucket,
        event: Event,
    ) -> Result<Decision, StoreError<LimiterStateError>> {
        let checked = self.with_locked_state(key, limiter, event, |locked| Ok(locked.check(&[key], event)?.decision));
        checked.await.map_err(store_error)
    }

    async fn peek_event(
        &self,
        key: &str,
        limiter: &LeakyBucket,
        event: Event,
    ) -> Result<Decision, StoreError<LimiterStateError>> {
        let peeked = self.with_locked_state(key, limiter, event, |locked| Ok(locked.peek(&[key], event)?.decision));
        peeked.await.map_err(store_error)
    }

    /// Reads and writes the row directly, because the site has no function that refunds events.
    async fn refund_event(&self, key: &str, limiter: &LeakyBucket, event: Event) -> Result<bool, LimiterStateError> {
        let mut transaction = self.0.begin().await?;
        let stored = sqlx::query_scalar("select state from limiter_states where key = $1 for update").bind(key);
        let Some(stored) = stored.fetch_optional(&mut *transaction).await? else { return Ok(false) };
        let mut state = limiter.restore::<serde_json::Value>(stored).unwrap();
        let refunded = limiter.refund(&mut state, event);
        let saved = limiter.save(&state, serde_json::value::Serializer).unwrap();
        sqlx::query("update limiter_states set state = $2 where key = $1")
            .bind(key)
            .bind(saved)
            .execute(&mut *transaction)
            .await?;
        commit(transaction).await?;
        Ok(refunded)
    }

    async fn reset(&self, key: &str) -> Result<(), LimiterStateError> {
        sqlx::query("delete from limiter_states where key = $1").bind(key).execute(&self.0).await?;
        Ok(())
    }
}

#[actix_web::test]
async fn postgresql_passes_the_tests_of_all_stores() {
    let lease = DatabaseLease::take().await;
    let pool = PgPoolOptions::new().max_connections(16).connect_lazy_with(lease.options.clone());
    store_suite::test_store(PostgresStore(pool), |bucket| bucket).await;
}
