//! Rate limiting and backoff of requests to the Safe Browsing server, with one state in the database for all instances.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use sqlx::types::Json;
use sqlx::{PgConnection, PgPool};

use crate::db::clock::{Clock, saturating_add};
use crate::db::{commit, is_transient_error};
use evenkeel_limiters::{Pacer, PacerState};

/// If the outcome of a request is not reported within this time, the request counts as failed.
const LEASE: TimeDelta = TimeDelta::minutes(2);

/// Time between two attempts to report an outcome while the database is unavailable.
const REPORT_INTERVAL: Duration = Duration::from_secs(2);

/// Maximum remaining time of a stored lease. A lease that ends later is invalid and ignored.
const MAX_LEASE: TimeDelta = TimeDelta::hours(24);

#[derive(Clone, Debug)]
pub struct RequestPacer {
    method: &'static str,
    pacer: Pacer,
    clock: Clock,
}

#[derive(Debug)]
#[must_use = "the outcome of the request must be reported"]
pub struct RequestPermit {
    /// End of the lease. The time identifies the lease, because another instance may take a new lease after this time.
    until: DateTime<Utc>,
}

#[derive(Debug)]
pub enum PaceDecision {
    Granted(RequestPermit),
    /// No request may be sent before `until`, because of backoff, a wait required by the server, or a pending request
    /// of another instance.
    Wait {
        until: DateTime<Utc>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestOutcome {
    /// Valid response, with the minimum wait that the server requires.
    Answered { wait: Option<TimeDelta> },
    /// The server sent no response or an invalid response.
    Failed,
}

struct StoredPace {
    state: PacerState,
    leased_until: Option<DateTime<Utc>>,
    now: DateTime<Utc>,
}

impl RequestPacer {
    /// Uses the backoff parameters of the Safe Browsing protocol.
    pub fn new(method: &'static str, clock: Clock) -> Self {
        Self { method, pacer: Pacer::default(), clock }
    }

    /// Pacing state; `None` before the first request.
    pub async fn read_state(&self, pool: &PgPool) -> sqlx::Result<Option<PacerState>> {
        let state = sqlx::query_scalar!(
            r#"select state as "state: Json<PacerState>" from request_paces where method = $1"#,
            self.method
        );
        Ok(state.fetch_optional(pool).await?.map(|Json(mut state)| {
            // `check` limits a stored wait to the maximum, whatever time is passed.
            let _ = self.pacer.check(&mut state, i64::MAX);
            state
        }))
    }

    /// Delays the first request after start-up by a random time of up to one minute. A longer wait in the database
    /// remains in effect.
    pub async fn resume(&self, pool: &PgPool) -> sqlx::Result<()> {
        let mut transaction = pool.begin().await?;
        let stored = self.lock(&mut transaction).await?;
        let state =
            self.pacer.resume(&stored.state, stored.now.timestamp_millis(), rand::random()).unwrap_or(stored.state);
        self.save(&mut transaction, state, stored.leased_until).await?;
        commit(transaction).await
    }

    pub async fn acquire(&self, pool: &PgPool) -> sqlx::Result<PaceDecision> {
        let mut transaction = pool.begin().await?;
        let StoredPace { mut state, leased_until, now } = self.lock(&mut transaction).await?;
        let now_ms = now.timestamp_millis();
        match leased_until {
            Some(until) if until > now => return Ok(PaceDecision::Wait { until }),
            // The instance that held the lease did not report an outcome. Safe Browsing may have
            // received the request and asked clients to wait, so the request counts as failed.
            Some(_) => state = self.pacer.record_failure(&state, now_ms, rand::random()).unwrap_or(state),
            None => {}
        }
        let decision = self.pacer.check(&mut state, now_ms);
        let wait = TimeDelta::from_std(decision.retry_after).unwrap_or(TimeDelta::MAX);
        let until = saturating_add(now, if decision.allowed { LEASE } else { wait });
        self.save(&mut transaction, state, decision.allowed.then_some(until)).await?;
        commit(transaction).await?;
        Ok(if decision.allowed { PaceDecision::Granted(RequestPermit { until }) } else { PaceDecision::Wait { until } })
    }

    /// If the database is unavailable, tries again until the lease ends.
    pub async fn report_outcome_with_retries(
        &self,
        pool: &PgPool,
        permit: &RequestPermit,
        outcome: RequestOutcome,
    ) -> sqlx::Result<()> {
        let deadline = tokio::time::Instant::now() + LEASE.to_std().unwrap_or_default();
        loop {
            match self.report_outcome(pool, permit, outcome).await {
                Err(error)
                    if tokio::time::Instant::now() + REPORT_INTERVAL < deadline && is_transient_error(&error) =>
                {
                    tokio::time::sleep(REPORT_INTERVAL).await;
                }
                reported => return reported,
            }
        }
    }

    /// A report after the end of the lease is ignored, because the next `acquire` counts the request as failed.
    pub async fn report_outcome(
        &self,
        pool: &PgPool,
        permit: &RequestPermit,
        outcome: RequestOutcome,
    ) -> sqlx::Result<()> {
        let mut transaction = pool.begin().await?;
        let stored = self.lock(&mut transaction).await?;
        if stored.leased_until != Some(permit.until) {
            return Ok(());
        }
        let now_ms = stored.now.timestamp_millis();
        let state = match outcome {
            RequestOutcome::Answered { wait } => {
                self.pacer.record_success(now_ms, wait.map(|wait| wait.num_milliseconds()))
            }
            RequestOutcome::Failed => {
                self.pacer.record_failure(&stored.state, now_ms, rand::random()).unwrap_or(stored.state)
            }
        };
        self.save(&mut transaction, state, None).await?;
        commit(transaction).await
    }

    /// Locks the stored pacing state until the transaction ends. Inserts the initial state if none is stored.
    async fn lock(&self, connection: &mut PgConnection) -> sqlx::Result<StoredPace> {
        let now = self.clock.read(&mut *connection).await?;
        let fresh = self.pacer.initial_state(now.timestamp_millis(), rand::random());
        let fresh = fresh.unwrap_or_else(|_| self.pacer.record_success(now.timestamp_millis(), None));
        let row = sqlx::query!(
            r#"insert into request_paces as pace (method, state) values ($1, $2)
            on conflict (method) do update set method = pace.method
            returning state as "state: Json<PacerState>",
                case when leased_until between 'epoch' and $3 then leased_until end as leased_until"#,
            self.method,
            Json(fresh) as _,
            saturating_add(now, MAX_LEASE),
        );
        let row = row.fetch_one(&mut *connection).await?;
        // Reads the clock again, because waiting for the lock may have taken time.
        Ok(StoredPace { state: row.state.0, leased_until: row.leased_until, now: self.clock.read(connection).await? })
    }

    async fn save(
        &self,
        connection: &mut PgConnection,
        state: PacerState,
        leased_until: Option<DateTime<Utc>>,
    ) -> sqlx::Result<()> {
        let saved = sqlx::query!(
            "update request_paces set state = $2, leased_until = $3 where method = $1",
            self.method,
            Json(state) as _,
            leased_until,
        );
        saved.execute(connection).await.map(drop)
    }
}
