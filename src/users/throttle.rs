//! How often one may try to sign in or register.
//!
//! Attempts are counted in `PostgreSQL`, exactly and across instances, before any password is hashed. No account is
//! ever locked: buckets leak, and guesses from elsewhere do not count against an owner in a network that they have
//! signed in from before. (From a new network an owner may have to wait while somebody keeps guessing.)

use chrono::TimeDelta;
use sqlx::PgPool;

use super::models::Username;
use crate::client::Client;
use crate::clock::Clock;
use crate::error::AppError;
use crate::limiters::stores::postgres::{self, KeyedLimit, StoreError};
use crate::limiters::together::Limit;
use crate::limiters::{Event, InvalidParameter, LeakyBucket, LeakyBucketParams, Limiter as _};
use crate::metrics::Guarded;
use crate::state::AppState;

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
    /// One account from all networks that are new to it: 30 at once, then one a minute.
    account: LeakyBucket,
    /// Registrations from one network: 20 at once, then one in 3 minutes.
    registration: LeakyBucket,
}

impl Throttle {
    /// # Errors
    /// None: the parameters are constants.
    pub fn new() -> Result<Self, InvalidParameter> {
        let bucket = |capacity, leak_period_ms| {
            LeakyBucket::new(LeakyBucketParams { capacity, leak_amount: 1, leak_period_ms, ..Default::default() })
        };
        Ok(Self {
            pair: bucket(10, MINUTE_MS)?,
            network: bucket(50, MINUTE_MS / 10)?,
            account: bucket(30, MINUTE_MS)?,
            registration: bucket(20, 3 * MINUTE_MS)?,
        })
    }

    /// Counts an attempt to sign in.
    ///
    /// # Errors
    /// `sign_in_limited`, with when to come back.
    pub async fn sign_in(&self, state: &AppState, client: Client, username: Option<&Username>) -> Result<(), AppError> {
        let network = client.network().to_string();
        let mut limits = vec![(format!("login:{network}"), &self.network)];
        // A name that could never exist has no account to guess at.
        if let Some(username) = username {
            let account = state.keys.account_tag(username.key());
            limits.push((pair_key(&account, &network), &self.pair));
            if !is_known(state, username, &network).await? {
                limits.push((format!("login:{account}"), &self.account));
            }
        }
        count(state, limits).await
    }

    /// Counts somebody who is signed in and says their password.
    ///
    /// # Errors
    /// `sign_in_limited`, with when to come back.
    pub async fn confirm(&self, state: &AppState, user: i64) -> Result<(), AppError> {
        count(state, vec![(format!("confirm:{user}"), &self.pair)]).await
    }

    /// Counts an attempt to register.
    ///
    /// # Errors
    /// `sign_in_limited`, with when to come back.
    pub async fn register(&self, state: &AppState, client: Client) -> Result<(), AppError> {
        count(state, vec![(format!("register:{}", client.network()), &self.registration)]).await
    }

    /// Somebody signed in or registered: the account's count from this network begins anew, and the network is
    /// known to it.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn succeeded(
        &self,
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
        .execute(&state.pool)
        .await?;
        Ok(())
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
async fn count(state: &AppState, limits: Vec<(String, &LeakyBucket)>) -> Result<(), AppError> {
    if !state.settings.sign_in_throttle {
        return Ok(());
    }
    let limits: Vec<(String, LeakyBucket)> = limits.into_iter().map(|(key, limiter)| (key, *limiter)).collect();
    let counted = tokio::spawn(check(state.pool.clone(), state.clock.clone(), limits)).await;
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

/// When to come back, unless it was allowed.
async fn check(pool: PgPool, clock: Clock, limits: Vec<(String, LeakyBucket)>) -> Result<Option<i64>, StoreError> {
    let limits: Vec<_> = limits
        .iter()
        .map(|(key, limiter)| KeyedLimit { key: key.clone(), limit: Limit { name: "sign_in", limiter } })
        .collect();
    let mut connection = pool.acquire().await?;
    let decision = postgres::check(&mut connection, &limits, Event::at(0), &clock).await?.decision;
    Ok((!decision.allowed).then_some(decision.retry_after_ms))
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
