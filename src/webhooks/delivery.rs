//! Background task that sends queued events to the webhooks.

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use futures_util::StreamExt as _;
use futures_util::future::join_all;
use futures_util::stream::FuturesUnordered;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::{CONTENT_TYPE, RETRY_AFTER};
use reqwest::redirect::Policy;
use reqwest::{Client, StatusCode};
use serde_json::{Value, json};
use sqlx::types::Json;
use sqlx::{PgConnection, PgPool};
use tokio::sync::OnceCell;
use url::Url;

use super::address_policy::AddressPolicy;
use super::event::WebhookEvent;
use super::settings::Settings;
use crate::db::clock::{Clock, saturating_add};
use crate::db::{Availability, commit};
use crate::signing::sign_webhook;
use evenkeel_limiters::{Pacer, PacerParams, PacerState};

const POLL_INTERVAL: Duration = Duration::from_secs(2);

/// Time limit of a request, from opening the connection to the response headers.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(15);

/// Time for which one instance may send a delivery, longer than [`REQUEST_TIMEOUT`].
const LEASE: TimeDelta = TimeDelta::minutes(1);
const MAX_RETRY_AFTER: TimeDelta = TimeDelta::hours(6);

/// Backoff of one delivery: 10 to 20 seconds after the first failure, doubled after each failure, up to 6 hours.
const BACKOFF: PacerParams = PacerParams { base_ms: 10_000, max_ms: 6 * 3_600_000, initial_max_ms: 0 };

#[derive(Debug)]
pub struct WebhookSender {
    /// HTTP clients, created when they are needed, because each client loads all root certificates.
    https: OnceCell<Client>,
    http: OnceCell<Client>,
    policy: Arc<AddressPolicy>,
    pool: PgPool,
    clock: Clock,
    pacer: Pacer,
    pub outcomes: Family<[(&'static str, &'static str); 1], Counter>,
}

#[derive(Debug)]
struct LeasedDelivery {
    id: i64,
    webhook_id: i64,
    url: String,
    secret: Vec<u8>,
    message_id: String,
    event: String,
    data: Value,
    created_at: DateTime<Utc>,
    pace: Option<Json<PacerState>>,
}

#[derive(Debug, Default)]
struct Outcome {
    status: Option<StatusCode>,
    error: Option<String>,
    retry_after: Option<TimeDelta>,
}

impl WebhookSender {
    pub fn new(settings: &Settings, pool: PgPool, clock: Clock) -> Self {
        let policy = Arc::new(AddressPolicy::new(settings.private_networks.clone()));
        let pacer = Pacer::new(BACKOFF).unwrap_or_default();
        let (https, http, outcomes) = (OnceCell::new(), OnceCell::new(), Family::default());
        Self { https, http, policy, pool, clock, pacer, outcomes }
    }

    pub fn policy(&self) -> &AddressPolicy {
        &self.policy
    }

    pub async fn run(&self, availability: &Availability) {
        loop {
            availability.wait_until_available().await;
            if let Err(error) = self.send_events().await {
                tracing::error!(%error, "delivery of webhooks interrupted by a database error; will be retried");
                availability.report_error(&error);
            }
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    }

    /// Sends due events concurrently, so that a slow receiver does not delay the events of other webhooks.
    async fn send_events(&self) -> sqlx::Result<()> {
        let mut sending = FuturesUnordered::new();
        loop {
            let (due, leased_at) = self.lease_due().await?;
            sending.extend(due.into_iter().map(|delivery| self.deliver(delivery, leased_at)));
            tokio::select! {
                Some(()) = sending.next() => {}
                () = tokio::time::sleep(POLL_INTERVAL) => {}
            }
        }
    }

    pub async fn send_due_events(&self) -> sqlx::Result<()> {
        loop {
            let (due, leased_at) = self.lease_due().await?;
            if due.is_empty() {
                return Ok(());
            }
            join_all(due.into_iter().map(|delivery| self.deliver(delivery, leased_at))).await;
        }
    }

    /// Leases the next due delivery of each webhook that has none in progress. Also returns the time of the lease.
    async fn lease_due(&self) -> sqlx::Result<(Vec<LeasedDelivery>, DateTime<Utc>)> {
        let mut transaction = self.pool.begin().await?;
        let now = self.clock.read(&mut transaction).await?;
        let due = sqlx::query_as!(
            LeasedDelivery,
            r#"update webhook_deliveries d set leased_until = $2, attempts = d.attempts + 1
            from webhooks w
            where w.id = d.webhook_id and coalesce(d.leased_until <= $1, true)
                -- Repeated, because another instance may have sent the event since the subquery has read it.
                and d.delivered_at is null and d.failed_at is null and d.next_at <= $1 and d.id in (
                select due.id from webhooks w cross join lateral (
                    select id from webhook_deliveries
                    where webhook_id = w.id and delivered_at is null and failed_at is null and next_at <= $1
                        -- A disabled webhook can be tested before it is enabled.
                        and (w.disabled_at is null or event = 'test')
                    order by next_at, id limit 1
                ) due
                where not exists (select from webhook_deliveries where webhook_id = w.id and leased_until > $1)
            )
            returning d.id, d.webhook_id, w.url, w.secret, d.message_id::text as "message_id!", d.event, d.data, d.created_at,
                d.pace as "pace: Json<PacerState>""#,
            now,
            now + LEASE,
        );
        let due = due.fetch_all(&mut *transaction).await?;
        commit(transaction).await?;
        Ok((due, now))
    }

    /// If the outcome cannot be stored, the event is sent again after the lease.
    async fn deliver(&self, delivery: LeasedDelivery, leased_at: DateTime<Utc>) {
        let outcome = self.send(&delivery, leased_at).await;
        let result = match &outcome {
            Outcome { error: None, .. } => "delivered",
            Outcome { status: Some(StatusCode::GONE), .. } => "gone",
            _ => "failed",
        };
        self.outcomes.get_or_create(&[("result", result)]).inc();
        tracing::info!(
            webhook = delivery.webhook_id,
            delivery = delivery.id,
            event = delivery.event,
            status = outcome.status.map(|status| status.as_u16()),
            error = outcome.error,
            result,
            "webhook sent"
        );
        if let Err(error) = self.settle(&delivery, leased_at, &outcome).await {
            tracing::error!(%error, delivery = delivery.id, "outcome of a webhook not stored; it will be sent again");
        }
    }

    async fn client(&self, is_encrypted: bool) -> Result<&Client, String> {
        let client = if is_encrypted { &self.https } else { &self.http };
        // Reading the root certificates of the system takes long, and would block other requests of the thread.
        let create = async || {
            let resolver = PolicyResolver { policy: self.policy.clone(), is_encrypted };
            let created = tokio::task::spawn_blocking(|| create_client(resolver)).await;
            created.map_err(|error| error.to_string())?.map_err(|error| describe(&error))
        };
        client.get_or_try_init(create).await
    }

    async fn send(&self, delivery: &LeasedDelivery, leased_at: DateTime<Utc>) -> Outcome {
        let failure = |error: &str| Outcome { error: Some(error.to_owned()), ..Outcome::default() };
        let Some(url) = Url::parse(&delivery.url).ok().filter(|url| self.policy.allows_host(url)) else {
            return failure("webhooks cannot reach the address of the host");
        };
        let body = json!({
            "type": delivery.event,
            "timestamp": delivery.created_at.to_rfc3339_opts(SecondsFormat::Micros, true),
            "data": delivery.data,
        })
        .to_string();
        let timestamp = leased_at.timestamp().to_string();
        let client = match self.client(url.scheme() == "https").await {
            Ok(client) => client,
            Err(error) => return failure(&error),
        };
        let request = client
            .post(url)
            .header(CONTENT_TYPE, "application/json")
            .header("webhook-signature", sign_webhook(&delivery.secret, &delivery.message_id, &timestamp, &body))
            .header("webhook-id", &delivery.message_id)
            .header("webhook-timestamp", timestamp)
            .body(body);
        let response = match request.send().await {
            Ok(response) => response,
            Err(error) => return failure(&describe(&error)),
        };
        let status = response.status();
        let retry_after = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse().ok());
        Outcome {
            status: Some(status),
            error: (!status.is_success()).then(|| format!("the server responded with status {}", status.as_u16())),
            retry_after: retry_after.map(|seconds: u32| TimeDelta::seconds(seconds.into()).min(MAX_RETRY_AFTER)),
        }
    }

    /// Stores the outcome of an attempt. A delivery that keeps failing is abandoned after three days, and its webhook is
    /// disabled unless another delivery has succeeded in this time.
    async fn settle(&self, delivery: &LeasedDelivery, leased_at: DateTime<Utc>, outcome: &Outcome) -> sqlx::Result<()> {
        let mut transaction = self.pool.begin().await?;
        let now = self.clock.read(&mut transaction).await?;
        let is_gone = outcome.status == Some(StatusCode::GONE);
        let pace = outcome.error.as_ref().map(|_| self.next_pace(delivery, now));
        let next_at = pace.and_then(|pace| DateTime::from_timestamp_millis(pace.next_request_ms())).unwrap_or(now);
        let next_at = next_at.max(outcome.retry_after.map_or(now, |wait| saturating_add(now, wait)));
        let settled = sqlx::query_scalar!(
            r#"update webhook_deliveries set leased_until = null, response_status = $3, error = $4, pace = $5, next_at = $6,
                delivered_at = case when $4::text is null then $7::timestamptz end,
                failed_at = case when $4 is not null and ($8 or expires_at <= $6) then $7 end
            where id = $1 and leased_until = $2
            returning failed_at is not null as "has_failed!""#,
            delivery.id,
            leased_at + LEASE,
            outcome.status.and_then(|status| i16::try_from(status.as_u16()).ok()),
            outcome.error,
            pace.map(Json) as _,
            next_at,
            now,
            is_gone,
        );
        let has_failed = settled.fetch_optional(&mut *transaction).await? == Some(true);
        if has_failed && (is_gone || delivery.event != WebhookEvent::Test.name()) {
            disable_webhook(&mut transaction, delivery, is_gone, now).await?;
        }
        commit(transaction).await
    }

    fn next_pace(&self, delivery: &LeasedDelivery, now: DateTime<Utc>) -> PacerState {
        let now = now.timestamp_millis();
        let before = delivery.pace.map_or_else(|| self.pacer.record_success(now, None), |Json(pace)| pace);
        self.pacer.record_failure(&before, now, rand::random()).unwrap_or(before)
    }
}

async fn disable_webhook(
    connection: &mut PgConnection,
    delivery: &LeasedDelivery,
    is_gone: bool,
    now: DateTime<Utc>,
) -> sqlx::Result<()> {
    let disabled = sqlx::query!(
        "update webhooks set disabled_at = $2, disabled_reason = case when $3 then 'gone' else 'failing' end
        where id = $1 and disabled_at is null and ($3 or not exists (
            select from webhook_deliveries where webhook_id = $1 and delivered_at >= $4
        ))",
        delivery.webhook_id,
        now,
        is_gone,
        delivery.created_at,
    );
    if disabled.execute(connection).await?.rows_affected() > 0 {
        tracing::warn!(webhook = delivery.webhook_id, "webhook disabled, because its deliveries fail");
    }
    Ok(())
}

fn create_client(resolver: PolicyResolver) -> reqwest::Result<Client> {
    // `install_default` fails if the process already has a crypto provider, which is then used.
    let _ = rustls::crypto::ring::default_provider().install_default();
    Client::builder()
        .timeout(REQUEST_TIMEOUT)
        .user_agent(concat!("Evenkeel/", env!("CARGO_PKG_VERSION")))
        .dns_resolver(Arc::new(resolver))
        // Redirects and proxies could bypass the check of addresses.
        .redirect(Policy::none())
        .no_proxy()
        .referer(false)
        .build()
}

/// Describes an error without the URL, which may contain a secret.
fn describe(error: &reqwest::Error) -> String {
    if error.is_timeout() {
        return format!("no response within {} seconds", REQUEST_TIMEOUT.as_secs());
    }
    let causes = std::iter::successors(std::error::Error::source(error), |cause| cause.source());
    // The innermost cause is the most specific, such as "Connection refused".
    causes.last().map_or_else(|| "the request failed".to_owned(), ToString::to_string)
}

/// DNS resolver that excludes the addresses that webhooks cannot reach.
#[derive(Debug)]
struct PolicyResolver {
    policy: Arc<AddressPolicy>,
    is_encrypted: bool,
}

impl Resolve for PolicyResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let (policy, is_encrypted) = (self.policy.clone(), self.is_encrypted);
        Box::pin(async move {
            let addresses = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let allowed: Vec<_> = addresses.filter(|address| policy.allows(address.ip(), is_encrypted)).collect();
            if allowed.is_empty() {
                return Err("the host has no address that webhooks can reach".into());
            }
            Ok(Box::new(allowed.into_iter()) as Addrs)
        })
    }
}
