//! The `outbox` table: queued emails, leases and retries.

use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use sqlx::types::Json;
use sqlx::{PgConnection, PgPool};
use tokio::sync::Notify;

use super::message::{Mail, StoredMail};
use crate::db::clock::Clock;
use crate::db::commit;
use evenkeel_limiters::{Pacer, PacerParams, PacerState};

/// Time for which one instance may send an email, longer than the timeouts of all SMTP steps together.
const LEASE: TimeDelta = TimeDelta::minutes(20);

#[derive(Clone, Debug, Default)]
pub struct Outbox {
    /// Signal for the delivery task; `None` if the site sends no emails.
    wake: Option<Arc<Notify>>,
}

impl Outbox {
    pub fn new(is_on: bool) -> Self {
        Self { wake: is_on.then(Arc::default) }
    }

    pub fn is_enabled(&self) -> bool {
        self.wake.is_some()
    }

    /// Queues an email in the caller's transaction, so that a rollback discards the email.
    pub async fn enqueue(&self, connection: &mut PgConnection, clock: &Clock, mail: &Mail) -> sqlx::Result<()> {
        let left = sqlx::query!(
            "insert into outbox (kind, recipient, subject, body_text, body_html, created_at, next_at, expires_at)
            select $1, $2, $3, $4, $5, clock.now, clock.now, clock.now + make_interval(secs => $6)
            from (select coalesce($7, clock_timestamp()) as now) clock",
            mail.kind,
            mail.to,
            mail.subject,
            mail.text,
            mail.html,
            mail.expires_in.as_seconds_f64(),
            clock.now(),
        );
        left.execute(connection).await.map(drop)
    }

    /// Must be called after the transaction that queued an email has been committed.
    pub fn wake_delivery(&self) {
        if let Some(wake) = &self.wake {
            wake.notify_one();
        }
    }

    /// Waits until an email is queued; waits forever if the site sends no emails.
    pub(super) async fn wait_for_mail(&self) {
        match &self.wake {
            Some(wake) => wake.notified().await,
            None => std::future::pending().await,
        }
    }
}

#[derive(Debug)]
pub(super) struct LeasedMail {
    pub mail: StoredMail,
    leased_until: DateTime<Utc>,
}

pub(super) async fn lease_due_mail(pool: &PgPool, clock: &Clock) -> sqlx::Result<Option<LeasedMail>> {
    let mut transaction = pool.begin().await?;
    let now = clock.read(&mut transaction).await?;
    drop_undeliverable(&mut transaction, now).await?;
    let leased_until = now + LEASE;
    let mail = sqlx::query_as!(
        StoredMail,
        r#"update outbox set leased_until = $2 where id = (
            select id from outbox
            where next_at <= $1 and not handed_over and coalesce(leased_until <= $1, true)
            order by next_at limit 1 for update skip locked
        )
        returning id, kind, recipient, subject, body_text, body_html, created_at, pace as "pace: Json<PacerState>""#,
        now,
        leased_until,
    );
    let mail = mail.fetch_optional(&mut *transaction).await?;
    commit(transaction).await?;
    Ok(mail.map(|mail| LeasedMail { mail, leased_until }))
}

/// Deletes expired emails, even if the site no longer sends emails.
pub async fn delete_expired(pool: &PgPool, clock: &Clock) -> sqlx::Result<()> {
    let mut connection = pool.acquire().await?;
    let now = clock.read(&mut connection).await?;
    while drop_undeliverable(&mut connection, now).await? > 0 {}
    Ok(())
}

/// Deletes at most 100 emails that have expired, or that an instance may have delivered before it crashed.
async fn drop_undeliverable(connection: &mut PgConnection, now: DateTime<Utc>) -> sqlx::Result<usize> {
    let given_up = sqlx::query!(
        r#"delete from outbox where id in (
            select id from outbox
            where (expires_at <= $1 or handed_over) and coalesce(leased_until <= $1, true)
            limit 100 for update skip locked
        ) returning id, kind, handed_over as is_unknown"#,
        now,
    );
    let given_up = given_up.fetch_all(connection).await?;
    for mail in &given_up {
        let why = if mail.is_unknown {
            "sending was interrupted; the mail may have been delivered"
        } else {
            "the mail has expired"
        };
        tracing::warn!(mail = mail.id, kind = mail.kind, error = why, "giving up on the delivery of an email");
    }
    Ok(given_up.len())
}

impl LeasedMail {
    /// Must be called just before the content is sent. Returns false if another instance has taken over the lease.
    pub async fn mark_handed_over(&self, pool: &PgPool) -> sqlx::Result<bool> {
        let handed = sqlx::query!(
            "update outbox set handed_over = true where id = $1 and leased_until = $2 and not handed_over",
            self.mail.id,
            self.leased_until,
        );
        Ok(handed.execute(pool).await?.rows_affected() == 1)
    }

    pub async fn delete(&self, pool: &PgPool) -> sqlx::Result<()> {
        let deleted =
            sqlx::query!("delete from outbox where id = $1 and leased_until = $2", self.mail.id, self.leased_until);
        deleted.execute(pool).await.map(drop)
    }

    /// Must be called only for an email that was certainly not delivered.
    pub async fn schedule_retry(&self, pool: &PgPool, clock: &Clock) -> sqlx::Result<()> {
        let pacer = pacer();
        let mut connection = pool.acquire().await?;
        let now = clock.read(&mut connection).await?.timestamp_millis();
        let before = self.mail.pace.map_or_else(|| pacer.record_success(now, None), |Json(pace)| pace);
        let pace = pacer.record_failure(&before, now, rand::random()).unwrap_or(before);
        let left = sqlx::query!(
            "update outbox set pace = $3, next_at = $4, leased_until = null, handed_over = false
            where id = $1 and leased_until = $2",
            self.mail.id,
            self.leased_until,
            Json(&pace) as _,
            DateTime::from_timestamp_millis(pace.next_request_ms()),
        );
        left.execute(&mut *connection).await.map(drop)
    }

    /// Releases the lease without recording a failed attempt.
    pub async fn release_lease(&self, pool: &PgPool) -> sqlx::Result<()> {
        let left = sqlx::query!(
            "update outbox set leased_until = null where id = $1 and leased_until = $2 and not handed_over",
            self.mail.id,
            self.leased_until,
        );
        left.execute(pool).await.map(drop)
    }
}

/// Backoff of one email: 1 to 2 minutes after the first failure, doubled after each failure, up to 6 hours.
fn pacer() -> Pacer {
    const PARAMS: PacerParams = PacerParams { base_ms: 60_000, max_ms: 6 * 3_600_000, initial_max_ms: 0 };
    Pacer::new(PARAMS).unwrap_or_default()
}
