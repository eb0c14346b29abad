//! Rows of the tables `webhooks` and `webhook_deliveries`.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;
use sqlx::{PgConnection, PgPool};

use crate::db::clock::Clock;
use crate::web::request::id::id;

pub const MAX_WEBHOOKS: i64 = 20;

/// Number of random bytes in a secret, as the Standard Webhooks specification recommends.
pub const SECRET_BYTES: usize = 24;
const MAX_COUNTED: i64 = 1_000;

id! {
    /// Id of a webhook.
    WebhookId
}

/// Webhook as displayed, without its secret.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct Webhook {
    pub id: WebhookId,
    pub url: String,
    /// Names of the events that the webhook subscribes to.
    pub events: Vec<String>,
    pub created_at: DateTime<Utc>,
    /// Time at which the webhook was disabled; `None` if it is enabled.
    pub disabled_at: Option<DateTime<Utc>>,
    /// `failing` if no delivery has succeeded for three days, `gone` if the receiver responded with status 410; `None`
    /// if staff disabled the webhook.
    pub disabled_reason: Option<String>,
    /// Time of the latest successful delivery.
    pub delivered_at: Option<DateTime<Utc>>,
    /// Number of events that are not delivered yet, counted up to 1,000.
    pub waiting: i64,
    /// Number of undelivered events whose latest attempt has failed.
    pub failing: i64,
}

#[derive(Clone, Debug)]
pub struct WebhookChange {
    pub url: String,
    pub events: Vec<String>,
    /// True enables and false disables the webhook; `None` leaves its state unchanged.
    pub is_enabled: Option<bool>,
}

pub async fn list_webhooks(pool: &PgPool) -> sqlx::Result<Vec<Webhook>> {
    find_webhooks(&mut *pool.acquire().await?, None).await
}

pub async fn find_webhook(connection: &mut PgConnection, id: WebhookId) -> sqlx::Result<Option<Webhook>> {
    Ok(find_webhooks(connection, Some(id)).await?.pop())
}

async fn find_webhooks(connection: &mut PgConnection, id: Option<WebhookId>) -> sqlx::Result<Vec<Webhook>> {
    let webhooks = sqlx::query_as!(
        Webhook,
        r#"select w.id as "id: WebhookId", url, events, created_at, disabled_at, disabled_reason,
            (
                select max(delivered_at) from (
                    select delivered_at from webhook_deliveries where webhook_id = w.id order by id desc limit $2
                ) latest
            ) as delivered_at, waiting.count as "waiting!", waiting.failing as "failing!"
        from webhooks w cross join lateral (
            select count(*) as count, count(error) as failing from (
                select error from webhook_deliveries
                where webhook_id = w.id and delivered_at is null and failed_at is null limit $2
            ) waiting
        ) waiting
        where $1::bigint is null or w.id = $1 order by w.id"#,
        id.map(|WebhookId(id)| id),
        MAX_COUNTED,
    );
    webhooks.fetch_all(connection).await
}

pub async fn find_secret(pool: &PgPool, WebhookId(id): WebhookId) -> sqlx::Result<Option<Vec<u8>>> {
    sqlx::query_scalar!("select secret from webhooks where id = $1", id).fetch_optional(pool).await
}

/// Returns `None` if there are [`MAX_WEBHOOKS`] already.
pub async fn create_webhook(
    connection: &mut PgConnection,
    clock: &Clock,
    url: &str,
    events: &[String],
) -> sqlx::Result<Option<WebhookId>> {
    // Serializes the creation of webhooks, so that concurrent requests cannot exceed the maximum.
    sqlx::query!("lock table webhooks in share row exclusive mode").execute(&mut *connection).await?;
    let created = sqlx::query_scalar!(
        r#"insert into webhooks (url, secret, events, created_at)
        select $1, $2, $3, coalesce($4, clock_timestamp()) where (select count(*) from webhooks) < $5
        returning id as "id: WebhookId""#,
        url,
        &rand::random::<[u8; SECRET_BYTES]>(),
        events,
        clock.now(),
        MAX_WEBHOOKS,
    );
    created.fetch_optional(connection).await
}

/// Enabling a webhook gives its waiting events another three days. Returns `false` if the webhook does not exist.
pub async fn change_webhook(
    connection: &mut PgConnection,
    clock: &Clock,
    WebhookId(id): WebhookId,
    change: &WebhookChange,
) -> sqlx::Result<bool> {
    let renewed = sqlx::query!(
        "update webhook_deliveries d set next_at = clock.now, expires_at = clock.now + interval '3 days', attempts = 0,
            pace = null, error = null, response_status = null
        from webhooks w, (select coalesce($3, clock_timestamp()) as now) clock
        where w.id = $1 and d.webhook_id = w.id and w.disabled_at is not null and $2
            and d.delivered_at is null and d.failed_at is null and d.event <> 'test'",
        id,
        change.is_enabled == Some(true),
        clock.now(),
    );
    renewed.execute(&mut *connection).await?;
    let changed = sqlx::query!(
        "update webhooks set url = $2, events = $3,
            disabled_at = case when not coalesce($4, disabled_at is null) then coalesce(disabled_at, $5, clock_timestamp()) end,
            disabled_reason = case when not coalesce($4, disabled_at is null) then disabled_reason end
        where id = $1",
        id,
        change.url,
        &change.events,
        change.is_enabled,
        clock.now(),
    );
    Ok(changed.execute(connection).await?.rows_affected() == 1)
}

pub async fn delete_webhook(connection: &mut PgConnection, WebhookId(id): WebhookId) -> sqlx::Result<Option<String>> {
    sqlx::query_scalar!("delete from webhooks where id = $1 returning url", id).fetch_optional(connection).await
}

pub async fn delete_expired(pool: &PgPool, clock: &Clock) -> sqlx::Result<()> {
    let deleted = sqlx::query!(
        "delete from webhook_deliveries where created_at <= coalesce($1, clock_timestamp()) - interval '30 days'",
        clock.now(),
    );
    deleted.execute(pool).await.map(drop)
}

/// Formats a secret as in the Standard Webhooks specification.
pub fn format_secret(secret: &[u8]) -> String {
    format!("whsec_{}", BASE64_STANDARD.encode(secret))
}
