//! How often one may try to sign in or register.
//!
//! Attempts are counted in `PostgreSQL`, exactly and across instances, before any password is hashed. No account is
//! ever locked. Buckets leak, and guesses from elsewhere do not count against owners in a network that they have signed
//! in from before. Those who come from a network that is new to the account may have to wait while others keep
//! guessing; but whoever is told to wait has a place in a queue, which nobody pushes back.

use std::sync::Arc;

use chrono::TimeDelta;
use sqlx::{PgConnection, PgPool};

use super::account_limit::{LockedQueue, PlaceKeys, Turn};
use crate::db::clock::{Clock, MAX_BACKWARD_MS};
use crate::db::commit;
use crate::db::limiter_states::{self, KeyedLimit, Locked, StoreError};
use crate::decisions::{Decisions, Guarded};
use crate::signing::Keys;
use crate::users::error::AccountError;
use crate::users::models::folded_address;
use crate::users::registration::username::Username;
use crate::web::error::AppError;
use crate::web::request::client::Client;
use crate::web::request::visitor::UserId;
use crate::web::state::AppState;
use evenkeel_limiters::together::Limit;
use evenkeel_limiters::{Event, InvalidParameter, LeakyBucket, LeakyBucketParams, Limiter as _};

/// How long a network stays known to an account that was signed in to from there.
const KNOWN_FOR: TimeDelta = TimeDelta::days(30);

const MINUTE_MS: i64 = 60_000;

const DAY_MS: i64 = 24 * 60 * MINUTE_MS;

/// The buckets that attempts are counted in.
#[derive(Clone, Debug)]
pub struct Throttle {
    enabled: bool,
    pool: PgPool,
    clock: Clock,
    keys: Keys,
    decisions: Arc<Decisions>,
    /// One account from one network: 10 at once, then one a minute.
    pair: LeakyBucket,
    /// All accounts from one network: 50 at once, then one in 6 seconds.
    network: LeakyBucket,
    /// Attempts to register from one network, reports, and mails that one network causes: 20 at once, then one in 3 minutes.
    registration: LeakyBucket,
    /// New accounts from one network: 8 at once, then one in 10 minutes.
    accounts: LeakyBucket,
    /// Mails to one address, mails that one account asks for, and exports of it: 3 at once, then one in 20 minutes.
    seldom: LeakyBucket,
    /// Wrong codes of one account that its owner is not notified of: 2 at once, then one a day.
    wrong_codes: LeakyBucket,
    /// Mails about wrong codes to one account: one a day.
    wrong_code_mails: LeakyBucket,
}

impl Throttle {
    pub fn new(enabled: bool, state: &AppState, decisions: Arc<Decisions>) -> Result<Self, InvalidParameter> {
        let bucket = |capacity, leak_period_ms| {
            let params =
                LeakyBucketParams { capacity, leak_amount: 1, leak_period_ms, max_backward_ms: MAX_BACKWARD_MS };
            LeakyBucket::new(params)
        };
        Ok(Self {
            enabled,
            pool: state.pool.clone(),
            clock: state.clock.clone(),
            keys: state.keys.clone(),
            decisions,
            pair: bucket(10, MINUTE_MS)?,
            network: bucket(50, MINUTE_MS / 10)?,
            registration: bucket(20, 3 * MINUTE_MS)?,
            accounts: bucket(8, 10 * MINUTE_MS)?,
            seldom: bucket(3, 20 * MINUTE_MS)?,
            wrong_codes: bucket(2, DAY_MS)?,
            wrong_code_mails: bucket(1, DAY_MS)?,
        })
    }

    /// Counts an attempt to sign in.
    ///
    /// # Errors
    /// `sign_in_limited`, with when to come back.
    pub async fn sign_in(&self, client: Client, username: Option<&Username>) -> Result<(), AppError> {
        let network = client.network().to_string();
        let mut limits = vec![(format!("login:{network}"), &self.network)];
        let mut place = None;
        // A name that could never exist has no account to guess at.
        if let Some(username) = username {
            let account = self.keys.fingerprint(username.key());
            limits.push((pair_key(&account, &network), &self.pair));
            if !self.is_known(username, &network).await? {
                place = Some(PlaceKeys::new(&account, client.network()));
            }
        }
        self.count(limits, place).await
    }

    /// Counts an attempt of a user who is signed in to confirm their password.
    ///
    /// # Errors
    /// `sign_in_limited`, with when to come back.
    pub async fn confirm_password(&self, user: UserId) -> Result<(), AppError> {
        self.count(vec![(format!("confirm:{user}"), &self.pair)], None).await
    }

    /// Counts a code that somebody tries who knows the password, or is signed in. As with passwords, networks that the
    /// account was signed in from before wait for nobody else, and all others have a queue.
    ///
    /// # Errors
    /// `sign_in_limited`, with when to come back.
    pub async fn second_factor(&self, client: Client, username: &Username) -> Result<(), AppError> {
        let network = client.network().to_string();
        let codes = format!("code:{}", self.keys.fingerprint(username.key()));
        let is_known = self.is_known(username, &network).await?;
        let place = (!is_known).then(|| PlaceKeys::new(&codes, client.network()));
        self.count(vec![(format!("{codes}:{network}"), &self.pair)], place).await
    }

    /// Counts an attempt to register.
    ///
    /// # Errors
    /// `sign_in_limited`, with when to come back.
    pub async fn register(&self, client: Client) -> Result<(), AppError> {
        self.count(vec![(format!("register:{}", client.network()), &self.registration)], None).await
    }

    /// Counts a request for a new password, whoever it is for.
    ///
    /// # Errors
    /// `sign_in_limited`, with when to come back.
    pub async fn reset(&self, client: Client) -> Result<(), AppError> {
        self.count(vec![(format!("reset:{}", client.network()), &self.registration)], None).await
    }

    /// Counts a mail that a signed-in user has sent to an unconfirmed address: for the account, the address and the network.
    ///
    /// # Errors
    /// `sign_in_limited`, with when the next one may be sent.
    pub async fn mail_by_account(&self, client: Client, user: UserId, email: &str) -> Result<(), AppError> {
        let mut limits = self.mail_limits(client, email);
        limits.push((format!("mail:{user}"), &self.seldom));
        self.count(limits, None).await
    }

    /// Counts a mail for a new password, which anybody can ask for: for the address and the network. No other mail to the
    /// address counts here, so that nobody keeps the owner from a new password by having that sent.
    ///
    /// # Errors
    /// `sign_in_limited`, with when the next one may be sent.
    pub async fn reset_mail(&self, client: Client, email: &str) -> Result<(), AppError> {
        self.count(self.limits_to("reset_to", client, email), None).await
    }

    /// Counts the first mail of an account in the transaction that creates the account. False where the address or the
    /// network has had its share of mail.
    pub async fn first_mail(
        &self,
        connection: &mut PgConnection,
        client: Client,
        email: &str,
    ) -> Result<bool, AppError> {
        Ok(self.count_in(connection, &self.mail_limits(client, email)).await?.is_none())
    }

    fn mail_limits(&self, client: Client, email: &str) -> Vec<(String, &LeakyBucket)> {
        self.limits_to("mail_to", client, email)
    }

    /// Limits of one kind of mail: per email address, and per network together with all other mail.
    fn limits_to(&self, kind: &str, client: Client, email: &str) -> Vec<(String, &LeakyBucket)> {
        let recipient = self.keys.fingerprint(&folded_address(email));
        vec![
            (format!("{kind}:{recipient}"), &self.seldom),
            (format!("mails_from:{}", client.network()), &self.registration),
        ]
    }

    /// Counts a wrong two-factor code. True where the account's owner is to be notified: it is the third in a short time, or
    /// one of more than one a day, and the owner was not notified today.
    pub async fn notifies_of_wrong_code(&self, connection: &mut PgConnection, user: UserId) -> Result<bool, AppError> {
        let code = (format!("wrong_codes:{user}"), &self.wrong_codes);
        if self.count_in(connection, &[code]).await?.is_none() {
            return Ok(false);
        }
        let mail = (format!("wrong_code_mail:{user}"), &self.wrong_code_mails);
        Ok(self.count_in(connection, &[mail]).await?.is_none())
    }

    /// Counts an export of an account.
    ///
    /// # Errors
    /// `export_limited`, with when to come back.
    pub async fn export(&self, user: UserId) -> Result<(), AppError> {
        let limited = |retry_after_ms| AccountError::ExportLimited { retry_after_ms };
        self.count_or(vec![(format!("export:{user}"), &self.seldom)], None, limited).await
    }

    /// Counts a report of a post, of an account or, for a guest, of a network.
    ///
    /// # Errors
    /// `reports_limited`, with when to come back.
    pub async fn report(&self, client: Client, user: Option<UserId>) -> Result<(), AppError> {
        let key = user.map_or_else(|| format!("reports:{}", client.network()), |user| format!("reports:{user}"));
        let limited = |retry_after_ms| AccountError::ReportsLimited { retry_after_ms };
        self.count_or(vec![(key, &self.registration)], None, limited).await
    }

    /// Counts an account that is about to be made, in its own transaction: one that is not made is not counted.
    ///
    /// # Errors
    /// `sign_in_limited`, with when to come back.
    pub async fn create_account(&self, connection: &mut PgConnection, client: Client) -> Result<(), AppError> {
        let limit = (format!("accounts:{}", client.network()), &self.accounts);
        match self.count_in(connection, &[limit]).await? {
            None => Ok(()),
            Some(retry_after_ms) => Err(AccountError::SignInLimited { retry_after_ms }.into()),
        }
    }

    /// Counts an event in the caller's transaction. Returns `None` when it is allowed, and otherwise the milliseconds to wait;
    /// a refused event spends nothing.
    async fn count_in(
        &self,
        connection: &mut PgConnection,
        limits: &[(String, &LeakyBucket)],
    ) -> Result<Option<i64>, AppError> {
        if !self.enabled {
            return Ok(None);
        }
        let limits = limits.iter().map(keyed).collect();
        limiter_states::count_event(connection, limits, &self.clock).await.map_err(unavailable)
    }

    /// Somebody signed in or registered: the account's count from this network begins anew, and the network is
    /// known to it.
    pub async fn succeeded(
        &self,
        connection: &mut PgConnection,
        client: Client,
        username: &Username,
        user: UserId,
    ) -> Result<(), AppError> {
        let network = client.network().to_string();
        sqlx::query!(
            r#"with forgotten as (delete from limiter_states where limiter = $1 and key = $2)
            insert into sign_ins (user_id, network, seen_at) values ($3, $4, coalesce($5, clock_timestamp()))
            on conflict on constraint sign_ins_pkey do update set seen_at = excluded.seen_at"#,
            self.pair.name(),
            pair_key(&self.keys.fingerprint(username.key()), &network),
            user.0,
            network,
            self.clock.now(),
        )
        .execute(connection)
        .await?;
        Ok(())
    }

    async fn is_known(&self, username: &Username, network: &str) -> sqlx::Result<bool> {
        let known = sqlx::query_scalar!(
            r#"select exists (
                select from sign_ins join users on users.id = sign_ins.user_id
                where username_key = $1 and network = $2
                    and seen_at > coalesce($3, clock_timestamp()) - make_interval(secs => $4)
            ) as "known!""#,
            username.key(),
            network,
            self.clock.now(),
            KNOWN_FOR.as_seconds_f64(),
        );
        known.fetch_one(&self.pool).await
    }

    /// Counts an attempt to sign in or register.
    async fn count(&self, limits: Vec<(String, &LeakyBucket)>, place: Option<PlaceKeys>) -> Result<(), AppError> {
        self.count_or(limits, place, |retry_after_ms| AccountError::SignInLimited { retry_after_ms }).await
    }

    /// Counts an attempt in a task of its own, so that a client that disconnects does not interrupt the transaction.
    /// `limited` makes the error of a refused attempt, from the milliseconds to wait.
    async fn count_or(
        &self,
        limits: Vec<(String, &LeakyBucket)>,
        place: Option<PlaceKeys>,
        limited: fn(i64) -> AccountError,
    ) -> Result<(), AppError> {
        if !self.enabled {
            return Ok(());
        }
        let limits: Vec<(String, LeakyBucket)> = limits.into_iter().map(|(key, limiter)| (key, *limiter)).collect();
        let counted = tokio::spawn(decide(self.pool.clone(), self.clock.clone(), limits, place)).await;
        if let Ok(Ok(retry_after_ms)) = &counted {
            self.decisions.count(Guarded::SignIn, retry_after_ms.is_none());
        }
        match counted {
            Ok(Ok(None)) => Ok(()),
            Ok(Ok(Some(retry_after_ms))) => {
                tracing::info!(retry_after_ms, "sign-in throttled");
                Err(limited(retry_after_ms).into())
            }
            Ok(Err(error)) => Err(unavailable(error)),
            Err(panic) => Err(AppError::Internal(panic.to_string())),
        }
    }

    /// Deletes networks that have not been seen for long. Returns how many.
    pub async fn delete_expired(&self) -> sqlx::Result<u64> {
        let forgotten = sqlx::query!(
            "delete from sign_ins where seen_at < coalesce($1, clock_timestamp()) - make_interval(secs => $2)",
            self.clock.now(),
            KNOWN_FOR.as_seconds_f64(),
        );
        Ok(forgotten.execute(&self.pool).await?.rows_affected())
    }
}

fn keyed<'a>((key, limiter): &(String, &'a LeakyBucket)) -> KeyedLimit<'a, LeakyBucket> {
    KeyedLimit { key: key.clone(), limit: Limit { name: "sign_in", limiter } }
}

fn unavailable(error: StoreError) -> AppError {
    AppError::Unavailable(Some(error.into()))
}

fn pair_key(account: &str, network: &str) -> String {
    format!("login:{account}:{network}")
}

/// Decides an attempt. Returns after how many milliseconds to come back; `None` when it is allowed. What is refused
/// spends nothing.
async fn decide(
    pool: PgPool,
    clock: Clock,
    limits: Vec<(String, LeakyBucket)>,
    place: Option<PlaceKeys>,
) -> Result<Option<i64>, StoreError> {
    let keys: Vec<&str> = limits.iter().map(|(key, _)| key.as_str()).collect();
    let mut transaction = pool.begin().await?;
    let keyed = limits.iter().map(|(key, limiter)| keyed(&(key.clone(), limiter)));
    let mut locked = Locked::lock(&mut transaction, keyed, &clock).await?;
    // The queue is always locked after the limits: whoever waits for one of its rows holds no other row that is wanted.
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
    commit(transaction).await?;
    Ok(match turn {
        Turn::Now => None,
        Turn::At(at) => Some(at.saturating_sub(now_ms)),
        Turn::Full(wait) => Some(wait),
    })
}
