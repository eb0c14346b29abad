//! Replay of recent ratings through each limiter, with progress streamed to the page.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use actix_web::http::header::{CACHE_CONTROL, CONTENT_ENCODING};
use actix_web::web::Bytes;
use actix_web::{HttpRequest, HttpResponse, Responder as _, web};
use askama::Template;
use chrono::{DateTime, TimeDelta, Utc};
use futures_util::stream::unfold;
use schemars::JsonSchema;
use serde::Serialize;
use sqlx::PgPool;
use tokio::sync::{AcquireError, OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::time::timeout;

use super::context::LimiterContext;
use super::limiter_input::{LimiterInput, find_published_post_title, scope_from_query};
use super::override_form;
use crate::i18n::{Locale, Phrase, PhraseValue, filters};
use crate::phrase;
use crate::rate::RatingLimiter;
use crate::rate::limiter::overrides::OverrideScope;
use crate::rate::replay::site_ratings::{PostRatings, SiteRatingReader};
use crate::rate::replay::{Replay, ReplayResult, ScoreKind};
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
/// Maximum number of ratings of a single post in a replay.
const MAX_RATINGS_PER_POST: i64 = 100_000;

/// Interval of keep-alive output while there is no progress.
const KEEP_ALIVE_INTERVAL: Duration = Duration::from_secs(2);

/// Semaphore that allows one replay at a time on each instance, because a replay fully uses a CPU core. Further replays
/// wait.
#[derive(Clone, Debug)]
pub struct ReplayPermit(Arc<Semaphore>);

impl Default for ReplayPermit {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(1)))
    }
}

const SCORES: [ScoreKind; 2] = [ScoreKind::Average, ScoreKind::Steady];

/// Reason why the replay includes a limiter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
enum ContenderKind {
    InForce,
    /// Limiter and parameters from the query.
    Wanted,
    /// Limiter with the parameters from the settings.
    Other,
}

#[derive(Clone, Debug)]
struct Contender {
    kind: ContenderKind,
    limiter: RatingLimiter,
}

#[derive(Debug, JsonSchema, Serialize)]
struct Comparison {
    kind: ContenderKind,
    #[serde(flatten)]
    outcome: ReplayResult,
}

impl Comparison {
    /// Badge of the active and of the selected limiter.
    fn badge(&self) -> Option<Phrase> {
        match self.kind {
            ContenderKind::InForce => Some(phrase!("replay-active")),
            ContenderKind::Wanted => Some(phrase!("replay-selected")),
            ContenderKind::Other => None,
        }
    }

    /// Number of refused honest ratings and of admitted brigade ratings.
    fn errors(&self) -> u64 {
        self.outcome.honest_refused + self.outcome.brigade_admitted
    }

    fn honest_refused_percent(&self) -> Option<Phrase> {
        self.outcome.honest_refused_percent.map(percent)
    }

    fn brigade_admitted_percent(&self) -> Option<Phrase> {
        self.outcome.brigade_admitted_percent.map(percent)
    }

    /// Largest distance in stars, of all posts at all times, between the score and the same score computed from honest
    /// ratings only.
    fn moved(&self, score: ScoreKind) -> Option<f64> {
        self.outcome.scores.iter().find(|one| one.score == score).map(|one| one.moved_peak)
    }

    fn honest_refused(&self) -> i64 {
        i64::try_from(self.outcome.honest_refused).unwrap_or(i64::MAX)
    }

    fn brigade_admitted(&self) -> i64 {
        i64::try_from(self.outcome.brigade_admitted).unwrap_or(i64::MAX)
    }

    fn moved_average(&self) -> Option<f64> {
        self.moved(ScoreKind::Average)
    }

    fn moved_steady(&self) -> Option<f64> {
        self.moved(ScoreKind::Steady)
    }
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct ReplayReport {
    days: u32,
    since: DateTime<Utc>,
    post: OverrideScope,
    /// Number of posts with ratings in the period.
    posts: usize,
    /// Number of replayed posts: only the newest posts if there are very many ratings.
    replayed: usize,
    results: Vec<Comparison>,
}

impl ReplayReport {
    /// Number of replayed ratings, and how many of them look like brigading.
    fn ratings(&self) -> (u64, u64) {
        self.results.first().map_or((0, 0), |one| (one.outcome.honest + one.outcome.brigade, one.outcome.brigade))
    }

    fn count(&self) -> u64 {
        self.ratings().0
    }

    fn crowd(&self) -> u64 {
        self.ratings().1
    }

    /// Plot of the errors of each limiter. `None` without honest or without brigade ratings.
    fn error_plot(&self) -> Option<ErrorPlot> {
        ErrorPlot::new(&self.results)
    }

    /// Error rates of the active limiter, and of the limiter with the fewest errors. `None` without honest or without
    /// brigade ratings.
    fn verdict(&self) -> Option<[Phrase; 2]> {
        let active = self.results.first()?;
        let verdict = phrase!(
            "replay-verdict",
            limiter = active.outcome.limiter.as_str(),
            refused = active.honest_refused_percent()?,
            admitted = active.brigade_admitted_percent()?,
        );
        let best = self.results.iter().min_by_key(|one| one.errors()).filter(|one| one.errors() < active.errors());
        let comparison = match best {
            Some(best) => phrase!(
                "replay-better",
                limiter = best.outcome.limiter.as_str(),
                refused = best.honest_refused_percent()?,
                admitted = best.brigade_admitted_percent()?,
                moved = PhraseValue::Number(best.moved_steady()?, 2),
                now = PhraseValue::Number(active.moved_steady()?, 2),
            ),
            None => phrase!("replay-none-better"),
        };
        Some([verdict, comparison])
    }
}

/// Plot of limiters: from left to right their refused honest ratings, from bottom to top their admitted brigade ratings.
/// Horizontal positions are percentages of the width, and vertical positions are pixels. Both scales are logarithmic,
/// because good limiters differ by fractions of a percent and bad ones admit everything.
struct ErrorPlot {
    points: Vec<ErrorPoint>,
}

struct ErrorPoint {
    x: f64,
    y: f64,
    limiters: String,
    is_active: bool,
}

impl ErrorPlot {
    const HEIGHT: f64 = 280.0;
    const TOP: f64 = 14.0;
    const BOTTOM: f64 = 240.0;
    /// Percentages with grid lines.
    const LEVELS: [f64; 5] = [0.0, 0.1, 1.0, 10.0, 100.0];
    /// Horizontal distance within which points share a label, in percent of the width.
    const SAME_X: f64 = 2.0;
    /// Vertical distance within which points share a label, in pixels.
    const SAME_Y: f64 = 14.0;

    fn new(results: &[Comparison]) -> Option<Self> {
        let mut points: Vec<ErrorPoint> = Vec::new();
        for one in results {
            let x = 100.0 * Self::position(one.outcome.honest_refused_percent?);
            let y = Self::y(one.outcome.brigade_admitted_percent?);
            let is_near =
                |point: &&mut ErrorPoint| (point.x - x).abs() < Self::SAME_X && (point.y - y).abs() < Self::SAME_Y;
            match points.iter_mut().find(is_near) {
                Some(point) => {
                    point.limiters.push_str(", ");
                    point.limiters.push_str(&one.outcome.limiter);
                }
                None => points.push(ErrorPoint {
                    x,
                    y,
                    limiters: one.outcome.limiter.clone(),
                    is_active: one.kind == ContenderKind::InForce,
                }),
            }
        }
        Some(Self { points })
    }

    /// Position of a percentage on a scale, 0.0 to 1.0.
    fn position(percent: f64) -> f64 {
        (10.0 * percent).ln_1p() / 1_000_f64.ln_1p()
    }

    fn y(percent: f64) -> f64 {
        Self::BOTTOM - (Self::BOTTOM - Self::TOP) * Self::position(percent)
    }

    /// Labels of the horizontal and of the vertical scale, each with its position.
    fn levels() -> [(f64, f64, Phrase); 5] {
        Self::LEVELS.map(|level| {
            let decimals = u8::from(level.fract() > 0.0);
            let label = phrase!("percent", percent = PhraseValue::Number(level, decimals));
            (100.0 * Self::position(level), Self::y(level), label)
        })
    }
}

impl ErrorPoint {
    /// Value of `text-anchor`, and distance of the label from the point in pixels: the label is within the plot.
    fn label(&self) -> (&'static str, i32) {
        if self.x > 60.0 { ("end", -12) } else { ("start", 12) }
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

/// Results at the end of the streamed page.
#[derive(Template)]
#[template(path = "admin/replayed.html")]
struct ReplayResults<'a> {
    report: &'a ReplayReport,
    /// URL of the override form with the limiter from the query.
    choose: Option<String>,
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

/// Message from the replay to the streamed page: progress, results or failure.
enum Progress {
    /// Another replay is running.
    Waiting,
    Read {
        read: usize,
        posts: usize,
    },
    Done(Box<ReplayReport>),
    Failed,
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

/// Stream of the remaining chunks of a replay page.
struct ProgressStream {
    layout: Layout,
    choose: Option<String>,
    after: String,
    updates: mpsc::Receiver<Progress>,
}

impl ProgressStream {
    /// Returns the next chunk of the response, and the stream of further chunks; `None` after the last chunk.
    async fn next(mut self) -> (Bytes, Option<Self>) {
        let locale = self.layout.locale;
        let Ok(updates) = timeout(KEEP_ALIVE_INTERVAL, self.updates.recv()).await else {
            // Sends an HTML comment, so that proxies do not close the idle connection.
            return (Bytes::from_static(b"<!-- -->\n"), Some(self));
        };
        match updates {
            Some(Progress::Waiting) => (progress_html(&phrase!("replay-waiting"), locale), Some(self)),
            Some(Progress::Read { read, posts }) => {
                (progress_html(&phrase!("replay-progress", read = read, posts = posts), locale), Some(self))
            }
            Some(Progress::Done(report)) => {
                let page = ReplayResults { report: &report, choose: self.choose.take() };
                let text = render(&page, locale).unwrap_or_else(|_| failure_html(locale));
                (self.end(&text), None)
            }
            Some(Progress::Failed) | None => (self.end(&failure_html(locale)), None),
        }
    }

    fn end(&self, text: &str) -> Bytes {
        Bytes::from(format!("</div>\n{text}{}", self.after))
    }
}

fn progress_html(progress: &Phrase, locale: Locale) -> Bytes {
    Bytes::from(format!("<p>{}</p>\n", progress.translate_to_html(locale)))
}

fn failure_html(locale: Locale) -> String {
    format!("<p class=\"notice failed\" role=\"alert\">{}</p>", phrase!("replay-failed").translate_to_text(locale))
}

fn percent(number: f64) -> Phrase {
    phrase!("percent", percent = PhraseValue::Number(number, 1))
}
