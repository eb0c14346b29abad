//! Background tasks of an instance: publish scheduled posts, delete expired rows, send mail, check links, render and
//! index posts of previous versions, and log limiter decisions.

use std::sync::Arc;
use std::time::Duration;

use actix_web::web;
use futures_util::future::BoxFuture;
use tokio::task::JoinHandle;

use super::metrics::Sample;
use crate::admin::dashboard::hours;
use crate::admin::dashboard::hours::Hours;
use crate::audit_log::{self, Retention};
use crate::background::{BackOff, Background};
use crate::blog_posts::rendering::link_recheck::check_some;
use crate::blog_posts::rendering::{Renderer, render_some};
use crate::blog_posts::schedule::publish_due;
use crate::db::limiter_states;
use crate::images::library::Library;
use crate::mail::delivery::Delivery;
use crate::personal_data::erase::erase_some;
use crate::rate::Pauses;
use crate::rate::limiter::refusals;
use crate::reports::queries;
use crate::safe_browsing::flagged_urls;
use crate::safe_browsing::threat_lists::{SafeBrowsing, UpdateError, Updated};
use crate::users::Accounts;
use crate::users::models::fill_in_skeletons;
use crate::web::error::AppError;
use crate::web::state::AppState;

const DELETE_EVERY: Duration = Duration::from_hours(1);

const PUBLISH_EVERY: Duration = Duration::from_secs(1);

const ERASE_EVERY: Duration = Duration::from_mins(1);

/// Interval between checks for threat list updates and links to check.
const LOOK_AT_LISTS_EVERY: Duration = Duration::from_secs(10);

const WRITE_HOURS_EVERY: Duration = Duration::from_secs(10);

/// Maximum number of limiter states deleted by one statement.
const MAX_STATES_AT_ONCE: i64 = 1_000;

const TRY_AGAIN_AFTER: Duration = Duration::from_secs(2);

/// Parts of an instance that housekeeping uses. Excludes the rating writer, which stops when its last handle is dropped
/// and must not be kept alive by housekeeping.
#[derive(Clone)]
pub struct Housekeeping {
    pub state: web::Data<AppState>,
    pub accounts: web::Data<Accounts>,
    pub renderer: web::Data<Renderer>,
    pub pauses: web::Data<Pauses>,
    pub library: web::Data<Library>,
    pub audit_log: Retention,
    pub hours: Arc<Hours>,
    /// `None` if links are not checked.
    pub links: Option<Arc<SafeBrowsing>>,
    /// `None` if the site sends no mail.
    pub mail: Option<Arc<Delivery>>,
    /// Returns the counters of limiter decisions, which are logged hourly.
    pub samples: Arc<dyn Fn() -> Vec<Sample> + Send + Sync>,
}

type Work = (&'static str, for<'a> fn(&'a Housekeeping) -> BoxFuture<'a, ()>);

const WORK: [Work; 10] = [
    ("render_old_posts", |house| Box::pin(house.render_old())),
    ("fill_in_skeletons", |house| Box::pin(house.fill_in_skeletons())),
    ("publish_due_posts", |house| Box::pin(house.publish_due())),
    ("update_threat_lists", |house| Box::pin(house.keep_lists_of_links())),
    ("check_links", |house| Box::pin(house.keep_links_checked())),
    ("erase_accounts", |house| Box::pin(house.erase_accounts())),
    ("delete_images", |house| Box::pin(house.keep_images())),
    ("write_hours", |house| Box::pin(house.write_hours())),
    ("send_mail", |house| Box::pin(house.send_mail())),
    ("delete_expired_rows", |house| Box::pin(house.delete_expired())),
];

impl Housekeeping {
    pub fn start(&self, background: &Background) -> Vec<JoinHandle<()>> {
        let start = |(name, work): Work| {
            let house = self.clone();
            background.start(name, BackOff::SLOW, move || {
                let house = house.clone();
                async move { work(&house).await }
            })
        };
        WORK.into_iter().map(start).collect()
    }

    /// Renders posts rendered by other versions. Repeats until no such post is left, because some posts may have been
    /// locked.
    pub async fn render_old(&self) {
        loop {
            let (mut after, mut count) = (0, 0);
            while let Some(step) = in_the_end(|| render_some(&self.state.pool, &self.renderer, after)).await {
                (after, count) = (step.after, count + step.rendered);
            }
            if count == 0 {
                return;
            }
            tracing::info!(posts = count, "posts rendered again");
        }
    }

    async fn fill_in_skeletons(&self) {
        let fill_in = async || fill_in_skeletons(&mut *self.state.pool.acquire().await?).await;
        let left = in_the_end(fill_in).await;
        if let names @ 1.. = left {
            tracing::warn!(names, "usernames that look like others exist; run `evenkeel check`");
        }
    }

    async fn publish_due(&self) {
        loop {
            in_the_end(|| publish_due(&self.state)).await;
            tokio::time::sleep(PUBLISH_EVERY).await;
        }
    }

    /// Keeps threat lists up to date at the interval requested by their server.
    async fn keep_lists_of_links(&self) {
        let Some(links) = &self.links else { return };
        in_the_end(|| links.wake()).await;
        loop {
            match links.update().await {
                Ok(Updated::Done) => tracing::info!("threat lists updated"),
                Ok(Updated::Wait { .. }) => {}
                Err(UpdateError::Database(error)) => AppError::from(error).log(),
                Err(UpdateError::Request(error)) => tracing::warn!(%error, "threat list update failed"),
            }
            tokio::time::sleep(LOOK_AT_LISTS_EVERY).await;
            // Loads lists that another instance has fetched.
            in_the_end(|| links.load()).await;
        }
    }

    async fn keep_links_checked(&self) {
        loop {
            self.check_links().await;
            tokio::time::sleep(LOOK_AT_LISTS_EVERY).await;
        }
    }

    async fn erase_accounts(&self) {
        loop {
            self.erase_due().await;
            tokio::time::sleep(ERASE_EVERY).await;
        }
    }

    /// Erases all accounts whose grace period of a week has ended.
    pub async fn erase_due(&self) {
        while in_the_end(|| erase_some(&self.state)).await {}
    }

    async fn write_hours(&self) {
        loop {
            tokio::time::sleep(WRITE_HOURS_EVERY).await;
            if let Err(error) = self.hours.write(&self.state.pool, &self.state.clock).await {
                AppError::from(error).log();
            }
        }
    }

    async fn keep_images(&self) {
        // Images left behind by another instance are searched for at start-up and once a day.
        let mut hours = (0..24_u32).cycle();
        loop {
            self.delete_unused_images().await;
            if hours.next() == Some(0)
                && let Err(error) = self.library.delete_stray().await
            {
                // The image store may be unavailable; the search is repeated the next day.
                error.log();
            }
            tokio::time::sleep(DELETE_EVERY).await;
        }
    }

    /// Deletes all images that have been unused for a day.
    pub async fn delete_unused_images(&self) {
        in_the_end(|| self.library.note_unused()).await;
        loop {
            match self.library.delete_unused().await {
                Ok(true) => {}
                Ok(false) => return,
                // If the image store is unavailable, the next run deletes the images.
                Err(error) => return error.log(),
            }
        }
    }

    async fn send_mail(&self) {
        if let Some(mail) = &self.mail {
            mail.run().await;
        }
    }

    pub async fn check_links(&self) {
        while in_the_end(|| check_some(&self.state, &self.renderer)).await {}
    }

    async fn delete_expired(&self) {
        loop {
            match self.delete_some().await {
                Ok((sessions, states)) => tracing::info!(sessions, limiter_states = states, "expired rows deleted"),
                Err(error) => tracing::error!(%error, "deleting expired rows failed"),
            }
            for Sample { class, limiter, outcome, total } in
                (self.samples)().into_iter().filter(|sample| sample.total > 0)
            {
                tracing::info!(class, limiter, outcome, total, "limiter_decisions_total");
            }
            tokio::time::sleep(DELETE_EVERY).await;
        }
    }

    /// Deletes expired rows. Returns the number of deleted sessions and limiter states.
    pub async fn delete_some(&self) -> sqlx::Result<(u64, u64)> {
        let sessions = self.accounts.delete_expired().await?;
        self.pauses.delete_expired().await?;
        if let Some(links) = &self.links {
            links.delete_expired().await?;
        }
        flagged_urls::delete_expired(&self.state.pool, self.state.clock.now()).await?;
        refusals::delete_old(&self.state.pool, &self.state.clock).await?;
        queries::delete_old(&self.state.pool, &self.state.clock).await?;
        hours::delete_old(&self.state.pool, &self.state.clock).await?;
        audit_log::delete_old(&self.state.pool, &self.state.clock, self.audit_log).await?;
        let mut connection = self.state.pool.acquire().await?;
        let mut states = 0;
        loop {
            let swept = limiter_states::delete_expired(&mut connection, &self.state.clock, MAX_STATES_AT_ONCE).await?;
            states += swept;
            if swept < MAX_STATES_AT_ONCE.unsigned_abs() {
                return Ok((sessions, states));
            }
        }
    }
}

async fn in_the_end<T, E: Into<AppError>, F: Future<Output = Result<T, E>>>(attempt: impl Fn() -> F) -> T {
    loop {
        match attempt().await {
            Ok(done) => return done,
            Err(error) => error.into().log(),
        }
        tokio::time::sleep(TRY_AGAIN_AFTER).await;
    }
}
