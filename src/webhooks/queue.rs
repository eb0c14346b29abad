//! Queues events for the webhooks that subscribe to them.

use chrono::{DateTime, Utc};
use serde::Serialize;
use sqlx::PgConnection;
use sqlx::types::Json;

use super::event::WebhookEvent;
use super::models::WebhookId;
use crate::db::clock::Clock;

/// Queues an event in the transaction of the caller, so that a rollback discards the event.
pub async fn enqueue(
    connection: &mut PgConnection,
    clock: &Clock,
    event: WebhookEvent,
    data: &impl Serialize,
) -> sqlx::Result<()> {
    let queued = sqlx::query!(
        "with message as materialized (
            select gen_random_uuid() as id, coalesce($3, clock_timestamp()) as now
        )
        insert into webhook_deliveries (webhook_id, message_id, event, data, created_at, next_at, expires_at)
        select w.id, message.id, $1, $2, now, now, now + interval '3 days' from webhooks w, message
        where $1 = any(w.events) and w.disabled_at is null",
        event.name(),
        Json(data) as _,
        clock.now(),
    );
    queued.execute(connection).await.map(drop)
}

/// Queues a test event for a webhook that may be disabled. The event is sent once, because only the result now matters.
pub async fn enqueue_test(
    connection: &mut PgConnection,
    clock: &Clock,
    webhook: WebhookId,
    data: &impl Serialize,
) -> sqlx::Result<()> {
    let queued = sqlx::query!(
        "insert into webhook_deliveries (webhook_id, event, data, created_at, next_at, expires_at)
        select $1, $2, $3, clock.now, clock.now, clock.now
        from (select coalesce($4, clock_timestamp()) as now) clock",
        webhook.0,
        WebhookEvent::Test.name(),
        Json(data) as _,
        clock.now(),
    );
    queued.execute(connection).await.map(drop)
}

/// True if a webhook subscribes to the event. Callers need not load the data of an event without subscribers.
pub async fn is_subscribed(connection: &mut PgConnection, event: WebhookEvent) -> sqlx::Result<bool> {
    let subscribed = sqlx::query_scalar!(
        r#"select exists (select from webhooks where $1 = any(events) and disabled_at is null) as "is_subscribed!""#,
        event.name(),
    );
    subscribed.fetch_one(connection).await
}

/// Queues deliveries again. Test events are sent once, without retries.
pub async fn send_again(connection: &mut PgConnection, ids: &[i64], now: DateTime<Utc>) -> sqlx::Result<()> {
    let queued = sqlx::query!(
        "update webhook_deliveries set next_at = $2,
            expires_at = case when event = $3 then $2 else $2::timestamptz + interval '3 days' end,
            attempts = 0, pace = null, leased_until = null, delivered_at = null, failed_at = null,
            response_status = null, error = null
        where id = any($1)",
        ids,
        now,
        WebhookEvent::Test.name(),
    );
    queued.execute(connection).await.map(drop)
}
