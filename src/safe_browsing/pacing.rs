//! The pace of requests to another service: one for each of its methods, kept in the database, so that all instances
//! together keep to it, and a restart is no way around it.

use chrono::{DateTime, TimeDelta, Utc};
use sqlx::types::Json;
use sqlx::{PgConnection, PgPool};

use crate::db::clock::{Clock, saturating_add};
use crate::db::commit;
use evenkeel_limiters::{Pacer, PacerState};

/// How long a request may take. Whoever has not said by then what became of it has failed.
const LEASE: TimeDelta = TimeDelta::minutes(2);

/// A stored lease that ends later than this from now is invalid and ignored.
const MAX_LEASE: TimeDelta = TimeDelta::hours(24);

/// The pace of one method.
#[derive(Clone, Debug)]
pub struct Pace {
    method: &'static str,
    pacer: Pacer,
    clock: Clock,
}

/// Leave to make one request.
#[derive(Debug)]
#[must_use = "what became of the request has to be said"]
pub struct Leave {
    /// Tells it from the leave that another instance has got after this one has ended.
    until: DateTime<Utc>,
}

/// Whether the request may be made.
#[derive(Debug)]
pub enum PaceAnswer {
    Granted(Leave),
    /// Not before this time; or somebody else is asking.
    Wait {
        until: DateTime<Utc>,
    },
}

/// What became of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Answered, with the wait that the service asks for.
    Answered { wait: Option<TimeDelta> },
    /// Not answered, or not as it should be.
    Failed,
}

/// What the database knows of the pace.
struct StoredPace {
    state: PacerState,
    leased_until: Option<DateTime<Utc>>,
    now: DateTime<Utc>,
}

impl Pace {
    /// The pace of the method, as the Safe Browsing protocol has it.
    #[must_use]
    pub fn new(method: &'static str, clock: Clock) -> Self {
        Self { method, pacer: Pacer::default(), clock }
    }

    /// When the next request may be made, and how many have failed in a row. None where nobody has begun.
    pub async fn standing(&self, pool: &PgPool) -> sqlx::Result<Option<PacerState>> {
        let state = sqlx::query_scalar!(
            r#"select state as "state: Json<PacerState>" from request_paces where method = $1"#,
            self.method
        );
        Ok(state.fetch_optional(pool).await?.map(|Json(mut state)| {
            // Shortens a stored wait that is too long. The time does not matter to that.
            let _ = self.pacer.check(&mut state, i64::MAX);
            state
        }))
    }

    /// Begins, or goes on after a restart: nothing is asked before a random moment within a minute.
    pub async fn wake(&self, pool: &PgPool) -> sqlx::Result<()> {
        let mut transaction = pool.begin().await?;
        let kept = self.lock(&mut transaction).await?;
        let state = self.pacer.wake(&kept.state, kept.now.timestamp_millis(), rand::random()).unwrap_or(kept.state);
        self.save(&mut transaction, state, kept.leased_until).await?;
        commit(transaction).await
    }

    /// Asks for leave to make a request now.
    pub async fn ask(&self, pool: &PgPool) -> sqlx::Result<PaceAnswer> {
        let mut transaction = pool.begin().await?;
        let StoredPace { mut state, leased_until, now } = self.lock(&mut transaction).await?;
        let now_ms = now.timestamp_millis();
        match leased_until {
            Some(until) if until > now => return Ok(PaceAnswer::Wait { until }),
            // Who was asking is gone. The service may have been asked, and may have asked for a wait.
            Some(_) => state = self.pacer.failure(&state, now_ms, rand::random()).unwrap_or(state),
            None => {}
        }
        let decision = self.pacer.check(&mut state, now_ms);
        let wait = TimeDelta::try_milliseconds(decision.retry_after_ms).unwrap_or(TimeDelta::MAX);
        let until = saturating_add(now, if decision.allowed { LEASE } else { wait });
        self.save(&mut transaction, state, decision.allowed.then_some(until)).await?;
        commit(transaction).await?;
        Ok(if decision.allowed { PaceAnswer::Granted(Leave { until }) } else { PaceAnswer::Wait { until } })
    }

    /// Says what became of the request. Too late, it says nothing: the next one who asked has counted it as a failure.
    pub async fn end(&self, pool: &PgPool, leave: Leave, outcome: Outcome) -> sqlx::Result<()> {
        let mut transaction = pool.begin().await?;
        let kept = self.lock(&mut transaction).await?;
        if kept.leased_until != Some(leave.until) {
            return Ok(());
        }
        let now_ms = kept.now.timestamp_millis();
        let state = match outcome {
            Outcome::Answered { wait } => self.pacer.success(now_ms, wait.map(|wait| wait.num_milliseconds())),
            Outcome::Failed => self.pacer.failure(&kept.state, now_ms, rand::random()).unwrap_or(kept.state),
        };
        self.save(&mut transaction, state, None).await?;
        commit(transaction).await
    }

    /// What is known of it, until the transaction ends for nobody else to change. It is begun where there is nothing.
    async fn lock(&self, connection: &mut PgConnection) -> sqlx::Result<StoredPace> {
        let now = self.clock.read(&mut *connection).await?;
        let fresh = self.pacer.start(now.timestamp_millis(), rand::random());
        let fresh = fresh.unwrap_or_else(|_| self.pacer.success(now.timestamp_millis(), None));
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
        // The time after the lock was taken: it may have been waited for.
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
