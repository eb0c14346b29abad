//! Periodic background tasks of an instance.

use std::time::{Duration, Instant};

use actix_web::web;
use futures_util::future::BoxFuture;
use tokio::task::JoinHandle;

use super::metrics::{DecisionSample, collect_limiter_decision_samples};
use crate::admin::dashboard::hourly_stats;
use crate::audit_log;
use crate::background_tasks::Backoff;
use crate::blog_posts::rendering::link_recheck::recheck_batch;
use crate::blog_posts::rendering::rerender_batch;
use crate::blog_posts::schedule::publish_due_drafts;
use crate::blog_posts::{deleted_posts, quota, revisions};
use crate::custom_limits::{self, warnings};
use crate::db::{idempotency, limiter_states};
use crate::mail::outbox;
use crate::personal_data::erase::erase_next_account;
use crate::rate::{limiter, surges};
use crate::reports::queries;
use crate::safe_browsing::flagged_urls;
use crate::safe_browsing::threat_lists::{UpdateError, UpdateOutcome};
use crate::state::AppState;
use crate::web::error::AppError;
use crate::webhooks;

const DELETE_INTERVAL: Duration = Duration::from_hours(1);
const PUBLISH_INTERVAL: Duration = Duration::from_secs(1);
/// Equal to the lifetime of cached pages, so that other instances show changed settings as fast as new posts.
const SETTINGS_INTERVAL: Duration = Duration::from_secs(1);
const ERASE_INTERVAL: Duration = Duration::from_mins(1);
const LINK_CHECK_INTERVAL: Duration = Duration::from_secs(10);
const SURGE_INTERVAL: Duration = Duration::from_mins(1);
const STATISTICS_INTERVAL: Duration = Duration::from_secs(10);

/// Maximum number of limiter states that one statement deletes.
const STATE_DELETION_BATCH: i64 = 1_000;

const RETRY_DELAY: Duration = Duration::from_secs(2);

#[derive(Clone)]
pub struct Housekeeping {
    pub state: web::Data<AppState>,
}

/// Detects suspension: the wall clock (in microseconds) then advances over a minute more than the process clock.
fn was_suspended(before: (Instant, i64), now: (Instant, i64)) -> bool {
    let passed = i64::try_from(now.0.saturating_duration_since(before.0).as_micros()).unwrap_or(i64::MAX);
    now.1.saturating_sub(before.1).abs_diff(passed) > 60_000_000
}

type Task = (&'static str, for<'a> fn(&'a Housekeeping) -> BoxFuture<'a, ()>);

const TASKS: [Task; 13] = [
    ("render_old_posts", |house| Box::pin(house.render_outdated_posts())),
    ("publish_due_posts", |house| Box::pin(repeat(PUBLISH_INTERVAL, move || house.publish_due()))),
    ("update_threat_lists", |house| Box::pin(house.update_threat_lists())),
    ("check_links", |house| Box::pin(repeat(LINK_CHECK_INTERVAL, move || house.check_links()))),
    ("erase_accounts", |house| Box::pin(repeat(ERASE_INTERVAL, move || house.erase_due_accounts()))),
    ("delete_images", |house| Box::pin(house.delete_images_periodically())),
    ("write_hours", |house| Box::pin(house.write_statistics())),
    ("send_mail", |house| Box::pin(house.send_mail())),
    ("send_webhooks", |house| Box::pin(house.state.webhooks.run(&house.state.availability))),
    ("detect_surges", |house| Box::pin(house.detect_surges())),
    ("reload_custom_limits", |house| {
        Box::pin(house.state.custom_limits.reload_periodically(&house.state.pool, &house.state.clock))
    }),
    ("reload_site_settings", |house| Box::pin(repeat(SETTINGS_INTERVAL, move || house.reload_site_settings()))),
    ("delete_expired_rows", |house| Box::pin(repeat(DELETE_INTERVAL, move || house.delete_expired()))),
];

async fn repeat<F: Future<Output = ()>>(interval: Duration, work: impl Fn() -> F) {
    loop {
        work().await;
        tokio::time::sleep(interval).await;
    }
}

impl Housekeeping {
    pub fn start(&self) -> Vec<JoinHandle<()>> {
        let start = |(name, work): Task| {
            let house = self.clone();
            self.state.background.start(name, Backoff::SLOW_RESTARTS, move || {
                let house = house.clone();
                async move { work(&house).await }
            })
        };
        TASKS.into_iter().map(start).collect()
    }

    /// Repeats until all posts are up to date, because some posts may have been locked.
    pub async fn render_outdated_posts(&self) {
        loop {
            let (mut after, mut count) = (0, 0);
            while let Some(step) =
                self.retry_until_done(|| rerender_batch(&self.state.pool, &self.state.renderer, after)).await
            {
                (after, count) = (step.last_id, count + step.rendered);
            }
            if count == 0 {
                return;
            }
            tracing::info!(posts = count, "posts rendered again after a change of the rendering version");
        }
    }

    async fn publish_due(&self) {
        self.retry_until_done(|| publish_due_drafts(&self.state)).await;
    }

    /// Reads changes by other instances. While the database is unavailable, the current settings stay in effect.
    async fn reload_site_settings(&self) {
        match self.state.settings.site.reload(&self.state.pool).await {
            Ok(true) => self.state.page_cache.invalidate(),
            Ok(false) => (),
            Err(error) => tracing::debug!(%error, "site settings not read; will be retried"),
        }
    }

    /// The Safe Browsing server determines the interval between updates.
    async fn update_threat_lists(&self) {
        let Some(links) = &self.state.safe_browsing else { return };
        self.retry_until_done(|| links.load_lists_after_start()).await;
        let mut before = (Instant::now(), self.state.clock.local_micros());
        loop {
            self.state.availability.wait_until_available().await;
            let now = (Instant::now(), self.state.clock.local_micros());
            if was_suspended(before, now) {
                tracing::info!(
                    "the computer was suspended or its clock was set; requests for threat lists are delayed"
                );
                self.retry_until_done(|| links.load_lists_after_start()).await;
            }
            before = now;
            match links.update().await {
                Ok(UpdateOutcome::Done) => tracing::info!("threat lists updated"),
                Ok(UpdateOutcome::Wait { .. }) => {}
                Err(UpdateError::Database(error)) => AppError::from(error).log(),
                Err(UpdateError::Request(error)) => tracing::warn!(%error, "threat list update failed"),
            }
            tokio::time::sleep(LINK_CHECK_INTERVAL).await;
            // Loads threat lists that another instance has fetched.
            self.retry_until_done(|| links.load()).await;
        }
    }

    pub async fn erase_due_accounts(&self) {
        while self.retry_until_done(|| erase_next_account(&self.state)).await {}
    }

    async fn write_statistics(&self) {
        loop {
            tokio::time::sleep(STATISTICS_INTERVAL).await;
            self.state.availability.wait_until_available().await;
            if let Err(error) = self.state.hourly_stats.flush(&self.state.pool, &self.state.clock).await {
                self.report(&error.into());
            }
        }
    }

    async fn delete_images_periodically(&self) {
        // Searches at start-up and once a day for image files that other instances have left behind.
        let mut hours = (0..24_u32).cycle();
        loop {
            self.delete_unused_images().await;
            if hours.next() == Some(0)
                && let Err(error) = self.state.images.delete_stray_files().await
            {
                // The image store may be unavailable; the search is repeated the next day.
                error.log();
            }
            tokio::time::sleep(DELETE_INTERVAL).await;
        }
    }

    pub async fn delete_unused_images(&self) {
        self.retry_until_done(|| self.state.images.update_unused_since()).await;
        loop {
            match self.state.images.delete_next_unused().await {
                Ok(true) => {}
                Ok(false) => return,
                // If the image store is unavailable, the next run deletes the other images.
                Err(error) => return error.log(),
            }
        }
    }

    async fn send_mail(&self) {
        if let Some(mail) = &self.state.mail_delivery {
            mail.run(&self.state.availability).await;
        }
    }

    async fn detect_surges(&self) {
        loop {
            tokio::time::sleep(SURGE_INTERVAL).await;
            self.state.availability.wait_until_available().await;
            if let Err(error) = surges::enqueue_events(&self.state).await {
                self.report(&error);
            }
        }
    }

    pub async fn check_links(&self) {
        while self.retry_until_done(|| recheck_batch(&self.state, &self.state.renderer)).await {}
    }

    async fn delete_expired(&self) {
        let (sessions, states) = self.retry_until_done(|| self.delete_expired_rows()).await;
        tracing::info!(sessions, limiter_states = states, "expired rows deleted");
        for DecisionSample { class, limiter, outcome, total } in
            collect_limiter_decision_samples(&self.state).into_iter().filter(|sample| sample.total > 0)
        {
            tracing::info!(class, limiter, outcome, total, "limiter decisions since start-up");
        }
    }

    /// Returns the numbers of deleted sessions and limiter states. A failed deletion does not prevent other deletions.
    pub async fn delete_expired_rows(&self) -> sqlx::Result<(u64, u64)> {
        let (pool, clock) = (&self.state.pool, &self.state.clock);
        let (sessions, states) = (self.state.accounts.delete_expired().await, self.delete_expired_states().await);
        let links = match &self.state.safe_browsing {
            Some(links) => links.delete_expired().await,
            None => Ok(()),
        };
        let others = [
            links,
            self.state.pauses.delete_expired().await.map(drop),
            flagged_urls::delete_expired(pool, clock).await,
            limiter::delete_expired_refusals(pool, clock).await,
            warnings::delete_expired(pool, clock).await,
            custom_limits::models::delete_expired(pool, clock).await,
            queries::delete_expired(pool, clock).await,
            hourly_stats::delete_expired(pool, clock).await,
            webhooks::models::delete_expired(pool, clock).await,
            outbox::delete_expired(pool, clock).await,
            idempotency::delete_expired(pool, clock).await,
            audit_log::delete_expired(pool, clock, self.state.all_settings.audit_log).await,
            quota::update_text_sizes(pool).await,
            deleted_posts::delete_expired(&self.state).await,
            revisions::models::delete_expired(&self.state).await,
        ];
        let mut errors = others.into_iter().filter_map(Result::err);
        if let Some(first) = errors.next() {
            errors.for_each(|error| tracing::warn!(%error, "expired rows not deleted"));
            return Err(first);
        }
        Ok((sessions?, states?))
    }

    async fn delete_expired_states(&self) -> sqlx::Result<u64> {
        let mut connection = self.state.pool.acquire().await?;
        let mut states = 0;
        loop {
            let deleted =
                limiter_states::delete_expired(&mut connection, &self.state.clock, STATE_DELETION_BATCH).await?;
            states += deleted;
            if deleted < STATE_DELETION_BATCH.unsigned_abs() {
                return Ok(states);
            }
        }
    }

    fn report(&self, error: &AppError) {
        error.log();
        self.state.report_error(error);
    }

    async fn retry_until_done<T, E: Into<AppError>, F: Future<Output = Result<T, E>>>(
        &self,
        attempt: impl Fn() -> F,
    ) -> T {
        loop {
            self.state.availability.wait_until_available().await;
            match attempt().await {
                Ok(done) => return done,
                Err(error) => self.report(&error.into()),
            }
            tokio::time::sleep(RETRY_DELAY).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suspension_and_clock_steps_are_noticed() {
        let (start, minute) = (Instant::now(), Duration::from_mins(1));
        let is_noticed = |wall_s: i64| was_suspended((start, 0), (start + minute, wall_s * 1_000_000));
        assert!(!is_noticed(60) && !is_noticed(110));
        assert!(is_noticed(8 * 3_600) && is_noticed(-3_600));
    }
}
