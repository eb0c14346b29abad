//! Rate limits for sign-in, registration and email.
//!
//! Attempts are counted in `PostgreSQL` before any password is hashed. No account is ever locked: each network known to
//! the account has its own leaky bucket, so that the owner can sign in while other clients guess passwords.

use std::sync::Arc;
use std::time::Duration;

use chrono::TimeDelta;
use sqlx::{PgConnection, PgPool};

use crate::custom_limits::{CustomLimits, LimitName};
use crate::db::clock::{Clock, MAX_BACKWARD_STEP_MS};
use crate::db::commit;
use crate::db::limiter_states::{self, KeyedLimit};
use crate::limiter_decisions::{DecisionCounters, ProtectedResource};
use crate::signing::Keys;
use crate::users::email_address::normalize_email;
use crate::users::error::AccountError;
use crate::users::username::Username;
use crate::web::error::AppError;
use crate::web::request::client::Client;
use crate::web::request::current_user::UserId;
use crate::web::state::CoreState;
use evenkeel_limiters::combined_limits::NamedLimit;
use evenkeel_limiters::{InvalidParameter, LeakyBucket, LeakyBucketParams, Limiter as _};

/// Time after a sign-in during which its network counts as known to the account.
const KNOWN_NETWORK_LIFETIME: TimeDelta = TimeDelta::days(30);

const MINUTE_MS: i64 = 60_000;
const DAY_MS: i64 = 24 * 60 * MINUTE_MS;

type KeyedBucket = (String, LeakyBucket);

#[derive(Clone, Debug)]
pub struct Throttle {
    enabled: bool,
    pool: PgPool,
    clock: Clock,
    keys: Keys,
    decisions: Arc<DecisionCounters>,
    custom_limits: Arc<CustomLimits>,
    /// Password and code attempts on one account from one network: 10 at once, then one per minute.
    pair: LeakyBucket,
    /// Sign-in and code attempts on one account from networks unknown to it: 30 at once, then one per minute.
    new_networks: LeakyBucket,
    /// Sign-in attempts on all accounts from one network: 50 at once, then one per 6 seconds.
    network: LeakyBucket,
    /// Reports of posts by one account, or by anonymous visitors from one network: 5 at once, then one per 10 minutes.
    reports: LeakyBucket,
    /// Registrations, password resets and emails requested from one network: 20 at once, then one per 3 minutes.
    registration: LeakyBucket,
    /// New accounts from one network: 8 at once, then one per 10 minutes.
    accounts: LeakyBucket,
    /// Emails to one email address, emails requested by one account, and exports of one account: 3 at once, then one
    /// per 20 minutes.
    mails_and_exports: LeakyBucket,
    /// Number of wrong two-factor codes for one account that do not cause a notification to its owner: 2 at once, then
    /// one per day.
    wrong_codes: LeakyBucket,
    /// Notification emails about wrong two-factor codes: one per account and day.
    wrong_code_mails: LeakyBucket,
}

impl Throttle {
    pub fn new(
        enabled: bool,
        state: &CoreState,
        decisions: Arc<DecisionCounters>,
        custom_limits: Arc<CustomLimits>,
    ) -> Result<Self, InvalidParameter> {
        let bucket = |capacity, leak_period_ms| {
            let params =
                LeakyBucketParams { capacity, leak_amount: 1, leak_period_ms, max_backward_ms: MAX_BACKWARD_STEP_MS };
            LeakyBucket::new(params)
        };
        Ok(Self {
            enabled,
            pool: state.pool.clone(),
            clock: state.clock.clone(),
            keys: state.keys.clone(),
            decisions,
            custom_limits,
            pair: bucket(10, MINUTE_MS)?,
            new_networks: bucket(30, MINUTE_MS)?,
            network: bucket(50, MINUTE_MS / 10)?,
            reports: bucket(5, 10 * MINUTE_MS)?,
            registration: bucket(20, 3 * MINUTE_MS)?,
            accounts: bucket(8, 10 * MINUTE_MS)?,
            mails_and_exports: bucket(3, 20 * MINUTE_MS)?,
            wrong_codes: bucket(2, DAY_MS)?,
            wrong_code_mails: bucket(1, DAY_MS)?,
        })
    }

    /// `name` is the skeleton of the submitted username, or the mailbox key. `None` limits only the network, because no
    /// account can have the name. Limits do not reveal if an account exists.
    pub async fn count_sign_in(
        &self,
        client: Client,
        name: Option<&str>,
        account: Option<&Username>,
    ) -> Result<(), AppError> {
        let network = client.network().to_string();
        let mut limits: Vec<_> = self.network_limit("login", client, self.network).into_iter().collect();
        if let Some(name) = name {
            let name = self.keys.fingerprint(name);
            limits.push((pair_key(&name, &network), self.pair));
            if !self.is_known(account.map_or("", Username::skeleton), &network).await? {
                limits.push((format!("new:{name}"), self.new_networks));
            }
        }
        self.count(limits).await
    }

    pub async fn count_password_check(&self, user: UserId) -> Result<(), AppError> {
        self.count(vec![(format!("confirm:{user}"), self.pair)]).await
    }

    /// Counts a two-factor code from a client that knows the password or is signed in. Each network that is known to
    /// the account has its own limit, and all other networks share one limit.
    pub async fn count_two_factor_attempt(&self, client: Client, username: &Username) -> Result<(), AppError> {
        let network = client.network().to_string();
        let codes = format!("code:{}", self.keys.fingerprint(username.skeleton()));
        let mut limits = vec![(format!("{codes}:{network}"), self.pair)];
        if !self.is_known(username.skeleton(), &network).await? {
            limits.push((format!("new:{codes}"), self.new_networks));
        }
        self.count(limits).await
    }

    pub async fn count_registration(&self, client: Client) -> Result<(), AppError> {
        self.count(self.network_limit("register", client, self.registration).into_iter().collect()).await
    }

    pub async fn count_password_reset(&self, client: Client) -> Result<(), AppError> {
        self.count(self.network_limit("reset", client, self.registration).into_iter().collect()).await
    }

    pub async fn count_confirmation_mail(&self, client: Client, user: UserId, email: &str) -> Result<(), AppError> {
        let mut limits = self.limits_to("mail_to", client, email);
        limits.push((format!("mail:{user}"), self.mails_and_exports));
        self.count(limits).await
    }

    /// The limit of the email address is separate from other kinds of email, so that requests for other emails cannot
    /// prevent a password reset by the owner.
    pub async fn count_password_reset_mail(&self, client: Client, email: &str) -> Result<(), AppError> {
        self.count(self.limits_to("reset_to", client, email)).await
    }

    /// Returns false if the limit of the email address or of the network is reached.
    pub async fn count_first_confirmation_mail(
        &self,
        connection: &mut PgConnection,
        client: Client,
        email: &str,
    ) -> Result<bool, AppError> {
        Ok(self.count_in(connection, &self.limits_to("mail_to", client, email)).await?.is_none())
    }

    /// Limits per recipient for this kind of email, and per network for all kinds of email together.
    fn limits_to(&self, kind: &str, client: Client, email: &str) -> Vec<KeyedBucket> {
        let recipient = self.keys.fingerprint(&normalize_email(email));
        let of_recipient = (format!("{kind}:{recipient}"), self.mails_and_exports);
        [of_recipient].into_iter().chain(self.network_limit("mails_from", client, self.registration)).collect()
    }

    /// Returns true to notify the user, once per day, of more than two wrong codes at once or more than one per day.
    pub async fn count_wrong_code(&self, connection: &mut PgConnection, user: UserId) -> Result<bool, AppError> {
        let code = (format!("wrong_codes:{user}"), self.wrong_codes);
        if self.count_in(connection, &[code]).await?.is_none() {
            return Ok(false);
        }
        let mail = (format!("wrong_code_mail:{user}"), self.wrong_code_mails);
        Ok(self.count_in(connection, &[mail]).await?.is_none())
    }

    pub async fn count_export(&self, user: UserId) -> Result<(), AppError> {
        let limited = |retry_after| AccountError::ExportLimited { retry_after };
        self.count_with_error(vec![(format!("export:{user}"), self.mails_and_exports)], limited).await
    }

    pub async fn count_report(&self, client: Client, user: Option<UserId>) -> Result<(), AppError> {
        let limit = match user {
            Some(user) => Some((format!("reports:{user}"), self.reports)),
            None => self.network_limit("reports", client, self.reports),
        };
        let limited = |retry_after| AccountError::ReportsLimited { retry_after };
        self.count_with_error(limit.into_iter().collect(), limited).await
    }

    /// Called in the transaction that creates the account, so that failed registrations are not counted.
    pub async fn count_new_account(&self, connection: &mut PgConnection, client: Client) -> Result<(), AppError> {
        let limit = self.network_limit("accounts", client, self.accounts);
        match self.count_in(connection, limit.as_slice()).await? {
            None => Ok(()),
            Some(retry_after) => Err(AccountError::SignInLimited { retry_after }.into()),
        }
    }

    /// Returns the time to wait if the event is rejected. A rejected event is not counted.
    async fn count_in(
        &self,
        connection: &mut PgConnection,
        limits: &[KeyedBucket],
    ) -> Result<Option<Duration>, AppError> {
        if !self.enabled {
            return Ok(None);
        }
        let counted = limiter_states::count_event(connection, limits.iter().map(keyed).collect(), &self.clock).await;
        counted.map_err(|error| AppError::Unavailable(Some(error.into())))
    }

    /// Resets the limit of the account from this network, and makes the network known to the account.
    pub async fn record_successful_sign_in(
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
            pair_key(&self.keys.fingerprint(username.skeleton()), &network),
            user.0,
            network,
            self.clock.now(),
        )
        .execute(connection)
        .await?;
        Ok(())
    }

    /// Returns `None` if a custom limit exempts the network.
    fn network_limit(&self, kind: &str, client: Client, bucket: LeakyBucket) -> Option<KeyedBucket> {
        let key = format!("{kind}:{}", client.network());
        let Some(allowance) = self.custom_limits.find_for_address(LimitName::SignIn, client.ip) else {
            return Some((key, bucket));
        };
        self.custom_limits.count_use(LimitName::SignIn);
        Some((key, scale(bucket, allowance.factor()?)))
    }

    async fn is_known(&self, skeleton: &str, network: &str) -> sqlx::Result<bool> {
        let is_known = sqlx::query_scalar!(
            r#"select exists (
                select from sign_ins join users on users.id = sign_ins.user_id
                where username_skeleton = $1 and network = $2
                    and seen_at > coalesce($3, clock_timestamp()) - make_interval(secs => $4)
            ) as "known!""#,
            skeleton,
            network,
            self.clock.now(),
            KNOWN_NETWORK_LIFETIME.as_seconds_f64(),
        );
        is_known.fetch_one(&self.pool).await
    }

    async fn count(&self, limits: Vec<KeyedBucket>) -> Result<(), AppError> {
        self.count_with_error(limits, |retry_after| AccountError::SignInLimited { retry_after }).await
    }

    /// Runs in a separate task, so that a client that disconnects does not interrupt the transaction.
    async fn count_with_error(
        &self,
        limits: Vec<KeyedBucket>,
        limited: fn(Duration) -> AccountError,
    ) -> Result<(), AppError> {
        if !self.enabled {
            return Ok(());
        }
        let throttle = self.clone();
        let counting = tokio::spawn(async move {
            let mut transaction = throttle.pool.begin().await?;
            let retry_after = throttle.count_in(&mut transaction, &limits).await?;
            commit(transaction).await?;
            Ok::<_, AppError>(retry_after)
        });
        let retry_after = counting.await??;
        self.decisions.count_decision(ProtectedResource::SignIn, retry_after.is_none());
        let Some(retry_after) = retry_after else { return Ok(()) };
        tracing::info!(?retry_after, "sign-in throttled");
        Err(limited(retry_after).into())
    }

    pub async fn delete_expired(&self) -> sqlx::Result<u64> {
        let forgotten = sqlx::query!(
            "delete from sign_ins where seen_at < coalesce($1, clock_timestamp()) - make_interval(secs => $2)",
            self.clock.now(),
            KNOWN_NETWORK_LIFETIME.as_seconds_f64(),
        );
        Ok(forgotten.execute(&self.pool).await?.rows_affected())
    }
}

/// Multiplies capacity and leak rate by `factor`.
#[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "the numbers are small")]
fn scale(bucket: LeakyBucket, factor: f64) -> LeakyBucket {
    let params = *bucket.params();
    let capacity = ((params.capacity as f64 * factor).round() as i64).max(1);
    let leak_period_ms = ((params.leak_period_ms as f64 / factor).round() as i64).max(1);
    LeakyBucket::new(LeakyBucketParams { capacity, leak_period_ms, ..params }).unwrap_or(bucket)
}

fn keyed((key, limiter): &KeyedBucket) -> KeyedLimit<'_, LeakyBucket> {
    KeyedLimit { key: key.clone(), limit: NamedLimit { name: "sign_in", limiter } }
}

fn pair_key(account: &str, network: &str) -> String {
    format!("login:{account}:{network}")
}
