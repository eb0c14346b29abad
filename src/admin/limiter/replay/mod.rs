//! Replay of recent ratings through each limiter, with progress streamed to the page.

mod progress;
mod report;

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use actix_web::http::header::{CACHE_CONTROL, CONTENT_ENCODING};
use actix_web::web::Bytes;
use actix_web::{HttpRequest, HttpResponse, Responder as _, web};
use askama::Template;
use chrono::{DateTime, TimeDelta, Utc};
use futures_util::stream::unfold;
use sqlx::PgPool;
use tokio::sync::{AcquireError, OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::time::Instant;

use self::progress::{Progress, ProgressStream};
pub use self::report::ReplayReport;
use self::report::{Comparison, Contender, ContenderKind, SCORES};
use super::context::LimiterContext;
use super::limiter_input::{LimiterInput, find_published_post_title, scope_from_query};
use super::override_form;
use crate::i18n::filters;
use crate::phrase;
use crate::rate::RatingLimiter;
use crate::rate::limiter::overrides::OverrideScope;
use crate::rate::replay::Replay;
use crate::rate::replay::site_ratings::{PostRatings, SiteRatingReader};
use crate::web::connection::deadline::Deadline;
use crate::web::error::AppError;
use crate::web::request::current_user::CurrentUser;
use crate::web::request::format::ResponseFormat;
use crate::web::request::query::Query;
use crate::web::response::layout::Layout;
use crate::web::response::view::{json_response, render};

/// Default length of the replayed period, in days.
const DEFAULT_DAYS: u32 = 30;
/// Maximum length of the replayed period, in days.
pub const MAX_DAYS: u32 = 90;

/// Maximum number of ratings per replay, after which no further posts are read. A replay of this size takes several
/// seconds per limiter.
const MAX_RATINGS: usize = 500_000;
/// Maximum duration of a replay whose result is sent as JSON, including the time spent waiting for other replays.
const JSON_TIMEOUT: Duration = Duration::from_mins(2);
/// Maximum number of ratings of a single post in a replay.
const MAX_RATINGS_PER_POST: i64 = 100_000;

/// Semaphore that allows one replay at a time on each instance, because a replay fully uses a CPU core. Further replays
/// wait.
#[derive(Clone, Debug)]
pub struct ReplayPermit(Arc<Semaphore>);

impl Default for ReplayPermit {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(1)))
    }
}

/// Page layout around the streamed output, which replaces the placeholder `gap`.
#[derive(Template)]
#[template(path = "admin/replay.html")]
struct ReplayPage<'a> {
    layout: Layout,
    title: Option<&'a str>,
    days: u32,
    gap: &'a str,
}

/// Replay that is ready to run.
struct ReplayJob {
    pool: PgPool,
    contenders: Vec<Contender>,
    days: u32,
    since: DateTime<Utc>,
    post: OverrideScope,
    permit: ReplayPermit,
}

impl ReplayJob {
    async fn of(
        LimiterContext { state, active_limiters, settings }: &LimiterContext,
        permit: &ReplayPermit,
        query: &Query,
    ) -> Result<(Self, Option<LimiterInput>), AppError> {
        let days = query.get("days")?.map_or(Ok(DEFAULT_DAYS), |text| text.trim().parse()).ok();
        let days = days.filter(|days| (1..=MAX_DAYS).contains(days));
        let days =
            days.ok_or_else(|| AppError::invalid_field("days", phrase!("invalid-whole-number", most = MAX_DAYS)))?;
        let (post, wanted) = (scope_from_query(query)?, LimiterInput::from_query(query)?);
        let rating_limiter = wanted.as_ref().map(|wanted| wanted.build_rating_limiter(settings)).transpose()?;
        let now = active_limiters.current_limiters(&state.pool).await?;
        let in_force = post.map_or(now.site_limiter(), |post| now.post_limiter(post));
        let default = if post.is_some() { now.site_limiter() } else { active_limiters.default_limiter() };
        let rating_limiter = rating_limiter.map(|rating_limiter| rating_limiter.unwrap_or(default.clone()));
        let mut contenders = vec![Contender { kind: ContenderKind::InForce, limiter: in_force.clone() }];
        let mut add = |kind, limiter: RatingLimiter| {
            if contenders.iter().all(|other| other.limiter != limiter) {
                contenders.push(Contender { kind, limiter });
            }
        };
        if let Some(rating_limiter) = rating_limiter {
            add(ContenderKind::Wanted, rating_limiter);
        }
        settings.limiters.iter().for_each(|limiter| add(ContenderKind::Other, (*limiter).into()));
        add(ContenderKind::Other, RatingLimiter::default());
        let since = state.now().await? - TimeDelta::days(days.into());
        let (pool, permit) = (state.pool.clone(), permit.clone());
        Ok((Self { pool, contenders, days, since, post, permit }, wanted))
    }

    async fn run(self, updates: mpsc::Sender<Progress>) {
        let last = match self.work(&updates).await {
            Ok(Some(report)) => Progress::Done(Box::new(report)),
            // The client has disconnected.
            Ok(None) => return,
            Err(error) => {
                tracing::error!(%error, "limiter replay failed");
                Progress::Failed
            }
        };
        let _ = updates.send(last).await;
    }

    async fn work(&self, updates: &mpsc::Sender<Progress>) -> anyhow::Result<Option<ReplayReport>> {
        let Some(_permit) = self.acquire_permit(updates).await? else { return Ok(None) };
        let mut replays: Vec<Replay> = self.contenders.iter().map(|one| self.replay(one)).collect();
        let only = self.post.map(|post| post.0);
        let mut connection = self.pool.acquire().await?;
        let mut arrivals =
            SiteRatingReader::select(&mut connection, only, Some(self.since), MAX_RATINGS_PER_POST).await?;
        drop(connection);
        let mut ratings = 0;
        let posts = arrivals.post_count();
        while arrivals.posts_read() < posts && ratings < MAX_RATINGS {
            // Acquires a connection for each batch of posts, so that requests can use the connection while the batch is
            // replayed.
            let some = arrivals.next_chunk(&mut *self.pool.acquire().await?).await?;
            ratings += some.iter().map(|post| post.entries.len()).sum::<usize>();
            let listener = updates.clone();
            replays = tokio::task::spawn_blocking(move || replay_all(replays, &some, &listener)).await??;
            if updates.send(Progress::Read { read: arrivals.posts_read(), posts }).await.is_err() {
                return Ok(None);
            }
        }
        let results = self.contenders.iter().zip(replays);
        let mut results: Vec<_> = results
            .map(|(contender, replay)| Comparison { kind: contender.kind, outcome: replay.into_result() })
            .collect();
        // The active limiter stays first.
        results[1..].sort_by_key(|one| (one.kind == ContenderKind::Other, one.errors()));
        let (days, since, post) = (self.days, self.since, self.post);
        Ok(Some(ReplayReport { days, since, post, posts, replayed: arrivals.posts_read(), results }))
    }

    /// Waits until no other replay is running. Returns `None` if the client has disconnected.
    async fn acquire_permit(
        &self,
        updates: &mpsc::Sender<Progress>,
    ) -> Result<Option<OwnedSemaphorePermit>, AcquireError> {
        let permits = Arc::clone(&self.permit.0);
        if permits.available_permits() == 0 && updates.send(Progress::Waiting).await.is_err() {
            return Ok(None);
        }
        tokio::select! {
            permit = permits.acquire_owned() => permit.map(Some),
            () = updates.closed() => Ok(None),
        }
    }

    fn replay(&self, contender: &Contender) -> Replay {
        Replay::new(contender.limiter.name(), contender.limiter.limiters().to_vec(), &SCORES, false)
            .with_results_since(self.since.timestamp_millis())
    }
}

/// Replays posts through all limiters. Stops early if the client has disconnected.
fn replay_all(
    mut replays: Vec<Replay>,
    posts: &[PostRatings],
    listener: &mpsc::Sender<Progress>,
) -> anyhow::Result<Vec<Replay>> {
    for PostRatings { id, entries, excluded_days: voided } in posts {
        for replay in &mut replays {
            if listener.is_closed() {
                return Ok(replays);
            }
            replay.replay_post(&id.to_string(), entries, voided, |_, _, _| ())?;
        }
    }
    Ok(replays)
}

pub async fn replay(
    request: HttpRequest,
    query: Query,
    user: CurrentUser,
    layout: Layout,
    format: ResponseFormat,
    context: LimiterContext,
    permit: web::Data<ReplayPermit>,
) -> Result<HttpResponse, AppError> {
    let (job, wanted) = match ReplayJob::of(&context, &permit, &query).await {
        Ok(job) => job,
        Err(error @ AppError::Invalid(_)) => {
            return Ok(override_form::render_rejected_form(&context, &user, layout, &query, error)
                .await?
                .respond_to(&request));
        }
        Err(error) => return Err(error),
    };
    let title = match job.post {
        Some(post) => Some(find_published_post_title(&context.state, post).await?),
        None => None,
    };
    let (post, days) = (job.post, job.days);
    let (sender, mut updates) = mpsc::channel(1);
    tokio::spawn(job.run(sender));
    if format == ResponseFormat::Json {
        if let Some(deadline) = Deadline::for_request(&request) {
            deadline.set(Some(Instant::now() + JSON_TIMEOUT));
        }
        loop {
            match updates.recv().await {
                Some(Progress::Waiting | Progress::Read { .. }) => (),
                Some(Progress::Done(report)) => return Ok(json_response(&request, &mut HttpResponse::Ok(), &report)),
                Some(Progress::Failed) | None => return Err(AppError::Unavailable(None)),
            }
        }
    }
    let choose = wanted.map(|wanted| wanted.override_form_path(post));
    page(layout, title.as_deref(), days, choose, updates)
}

/// Response that streams progress and results into the middle of the page.
fn page(
    layout: Layout,
    title: Option<&str>,
    days: u32,
    choose: Option<String>,
    updates: mpsc::Receiver<Progress>,
) -> Result<HttpResponse, AppError> {
    // A random placeholder cannot occur in user content.
    let gap = format!("{:032x}", rand::random::<u128>());
    let page = ReplayPage { layout: layout.clone(), title, days, gap: &gap };
    let page = render(&page, layout.locale).map_err(|error| AppError::Internal(error.to_string()))?;
    let (before, after) = page
        .split_once(&gap)
        .ok_or_else(|| AppError::Internal("the replay page lacks the placeholder for its results".to_owned()))?;
    let sender = ProgressStream { layout, choose, after: after.to_owned(), updates };
    let first = Bytes::from(before.to_owned());
    let body = unfold((Some(first), Some(sender)), async |(first, sender)| {
        if let Some(first) = first {
            return Some((Ok::<_, Infallible>(first), (None, sender)));
        }
        let (bytes, sender) = sender?.next().await;
        Some((Ok(bytes), (None, sender)))
    });
    let mut response = HttpResponse::Ok();
    // Disables compression, because the compressor would buffer the progress messages.
    response.insert_header((CACHE_CONTROL, "no-store")).insert_header((CONTENT_ENCODING, "identity"));
    Ok(response.content_type("text/html; charset=utf-8").streaming(body))
}
