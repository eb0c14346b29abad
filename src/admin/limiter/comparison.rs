//! Comparison of limiters: which of the recent ratings each limiter would have refused.

use chrono::{DateTime, TimeDelta, Utc};
use schemars::JsonSchema;
use serde::Serialize;
use tokio::sync::Semaphore;

use crate::i18n::{Phrase, PhraseValue};
use crate::phrase;
use crate::rate::RatingLimiter;
use crate::rate::limiter::overrides::OverrideScope;
use crate::rate::site_ratings::{PostRatings, SiteRatingReader};
use crate::state::AppState;
use crate::web::error::AppError;
use evenkeel_limiters::InvalidCost;
use evenkeel_limiters::replay::{Replay, ReplayResult, ScoreKind};

pub const DEFAULT_DAYS: u32 = 30;
pub const MAX_DAYS: u32 = 90;
/// Maximum number of ratings in a comparison, which then reads no further posts. The command `replay` has no limit.
const MAX_RATINGS: usize = 20_000;
const MAX_RATINGS_PER_POST: i64 = 10_000;

/// One comparison runs at a time, because a comparison fully uses a CPU core.
static COMPARISON: Semaphore = Semaphore::const_new(1);

/// Reason why a comparison includes a limiter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ComparedKind {
    InForce,
    /// Limiter and parameters that the query string selects.
    Selected,
    /// Limiter with the parameters from the settings.
    Other,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct ComparedLimiter {
    pub(super) kind: ComparedKind,
    #[serde(flatten)]
    pub(super) outcome: ReplayResult,
}

impl ComparedLimiter {
    pub(super) fn title(&self) -> Phrase {
        RatingLimiter::title_of(&self.outcome.limiter)
    }

    pub(super) fn badge(&self) -> Option<Phrase> {
        match self.kind {
            ComparedKind::InForce => Some(phrase!("replay-active")),
            ComparedKind::Selected => Some(phrase!("replay-selected")),
            ComparedKind::Other => None,
        }
    }

    /// Sum of refused honest ratings and admitted brigade ratings.
    pub(super) fn error_count(&self) -> u64 {
        self.outcome.honest_refused + self.outcome.brigade_admitted
    }

    pub(super) fn honest_refused_percent(&self) -> Option<Phrase> {
        self.outcome.honest_refused_percent.map(percent)
    }

    pub(super) fn brigade_admitted_percent(&self) -> Option<Phrase> {
        self.outcome.brigade_admitted_percent.map(percent)
    }

    /// Largest distance in stars between the score and the score computed from honest ratings only.
    fn moved(&self, score: ScoreKind) -> Option<f64> {
        self.outcome.scores.iter().find(|one| one.score == score).map(|one| one.moved_peak)
    }

    pub(super) fn honest_refused(&self) -> i64 {
        i64::try_from(self.outcome.honest_refused).unwrap_or(i64::MAX)
    }

    pub(super) fn brigade_admitted(&self) -> i64 {
        i64::try_from(self.outcome.brigade_admitted).unwrap_or(i64::MAX)
    }

    pub(super) fn moved_average(&self) -> Option<f64> {
        self.moved(ScoreKind::Average)
    }

    pub(super) fn moved_steady(&self) -> Option<f64> {
        self.moved(ScoreKind::Steady)
    }
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct LimiterComparison {
    pub(super) days: u32,
    pub(super) since: DateTime<Utc>,
    /// Number of posts with ratings in the period.
    pub(super) posts: usize,
    /// Number of compared posts: only the newest posts if the maximum number of ratings was reached.
    pub(super) compared: usize,
    pub(super) results: Vec<ComparedLimiter>,
}

impl LimiterComparison {
    /// Replays the recent ratings through the active limiter, through `selected`, and through each limiter with the
    /// parameters of the settings.
    pub async fn new(
        state: &AppState,
        scope: OverrideScope,
        selected: Option<RatingLimiter>,
        days: u32,
    ) -> Result<Self, AppError> {
        let now = state.active_limiters.current_limiters(&state.pool).await?;
        let active = scope.map_or(now.site_limiter(), |post| now.post_limiter(post)).clone();
        let mut limiters = vec![(ComparedKind::InForce, active)];
        let others =
            state.all_settings.rate.limiters.iter().map(|limiter| (*limiter).into()).chain([RatingLimiter::default()]);
        let others = others.map(|limiter| (ComparedKind::Other, limiter));
        for (kind, limiter) in selected.map(|limiter| (ComparedKind::Selected, limiter)).into_iter().chain(others) {
            if limiters.iter().all(|(_, other)| *other != limiter) {
                limiters.push((kind, limiter));
            }
        }
        let _permit = COMPARISON.acquire().await.map_err(|error| AppError::Internal(error.to_string()))?;
        let since = state.now().await? - TimeDelta::days(days.into());
        let mut connection = state.pool.acquire().await?;
        let only = scope.map(|post| post.0);
        let mut reader = SiteRatingReader::select(&mut connection, only, Some(since), MAX_RATINGS_PER_POST).await?;
        let (mut posts, mut ratings) = (Vec::new(), 0);
        while reader.posts_read() < reader.post_count() && ratings < MAX_RATINGS {
            let chunk = reader.next_chunk(&mut connection).await?;
            ratings += chunk.iter().map(|post| post.entries.len()).sum::<usize>();
            posts.extend(chunk);
        }
        drop(connection);
        let replay_all = move || limiters.iter().map(|(kind, limiter)| replay(*kind, limiter, &posts, since)).collect();
        let results: Result<Vec<_>, InvalidCost> = tokio::task::spawn_blocking(replay_all).await?;
        let mut results = results.map_err(|error| AppError::Internal(error.to_string()))?;
        // The active limiter stays first in the results.
        results[1..].sort_by_key(|one| (one.kind == ComparedKind::Other, one.error_count()));
        Ok(Self { days, since, posts: reader.post_count(), compared: reader.posts_read(), results })
    }

    /// Number of replayed ratings, and number of replayed ratings that look like brigading.
    fn ratings(&self) -> (u64, u64) {
        self.results.first().map_or((0, 0), |one| (one.outcome.honest + one.outcome.brigade, one.outcome.brigade))
    }

    pub(super) fn count(&self) -> u64 {
        self.ratings().0
    }

    pub(super) fn brigade_count(&self) -> u64 {
        self.ratings().1
    }

    /// Returns `None` if the comparison has no honest or no brigade ratings.
    pub(super) fn error_plot(&self) -> Option<ErrorPlot> {
        ErrorPlot::new(&self.results)
    }

    /// Error rates of the active and of the best limiter; `None` if there are no honest or no brigade ratings.
    pub(super) fn verdict(&self) -> Option<[Phrase; 2]> {
        let active = self.results.first()?;
        let verdict = phrase!(
            "replay-verdict",
            limiter = active.title(),
            refused = active.honest_refused_percent()?,
            admitted = active.brigade_admitted_percent()?,
        );
        let best = self
            .results
            .iter()
            .min_by_key(|one| one.error_count())
            .filter(|one| one.error_count() < active.error_count());
        let comparison = match best {
            Some(best) => phrase!(
                "replay-better",
                limiter = best.title(),
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

fn replay(
    kind: ComparedKind,
    limiter: &RatingLimiter,
    posts: &[PostRatings],
    since: DateTime<Utc>,
) -> Result<ComparedLimiter, InvalidCost> {
    let mut replay = Replay::new(limiter.name(), limiter.limiters().to_vec(), &ScoreKind::ALL, false)
        .with_results_since(since.timestamp_millis());
    for PostRatings { id, entries, excluded_days } in posts {
        replay.replay_post(&id.to_string(), entries, excluded_days, |_, _, _| ())?;
    }
    Ok(ComparedLimiter { kind, outcome: replay.into_result() })
}

/// Refused honest ratings (x, in percent of the width) and admitted brigade ratings (y, in pixels) of limiters. Both
/// scales are logarithmic, because good limiters differ by fractions of a percent and bad ones admit everything.
pub struct ErrorPlot {
    pub(super) points: Vec<ErrorPoint>,
}

pub struct ErrorPoint {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) limiters: Vec<Phrase>,
    /// Error rates of each limiter at the point.
    pub(super) descriptions: Vec<Phrase>,
    pub(super) is_active: bool,
}

impl ErrorPlot {
    pub(super) const HEIGHT: f64 = 280.0;
    pub(super) const TOP: f64 = 14.0;
    pub(super) const BOTTOM: f64 = 240.0;
    /// Percentages with grid lines.
    const LEVELS: [f64; 5] = [0.0, 0.1, 1.0, 10.0, 100.0];
    /// Horizontal distance within which points share a label, in percent of the width.
    const SAME_X: f64 = 2.0;
    /// Vertical distance within which points share a label, in pixels.
    const SAME_Y: f64 = 14.0;

    fn new(results: &[ComparedLimiter]) -> Option<Self> {
        let mut points: Vec<ErrorPoint> = Vec::new();
        for one in results {
            let x = 100.0 * Self::position(one.outcome.honest_refused_percent?);
            let y = Self::y(one.outcome.brigade_admitted_percent?);
            let is_near =
                |point: &&mut ErrorPoint| (point.x - x).abs() < Self::SAME_X && (point.y - y).abs() < Self::SAME_Y;
            let description = phrase!(
                "replay-point",
                limiter = one.title(),
                refused = one.honest_refused_percent()?,
                admitted = one.brigade_admitted_percent()?,
            );
            match points.iter_mut().find(is_near) {
                Some(point) => {
                    point.descriptions.push(description);
                    point.limiters.push(one.title());
                }
                None => points.push(ErrorPoint {
                    x,
                    y,
                    limiters: vec![one.title()],
                    descriptions: vec![description],
                    is_active: one.kind == ComparedKind::InForce,
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

    pub(super) fn grid_lines() -> [(f64, f64, Phrase); 5] {
        Self::LEVELS.map(|level| {
            let decimals = u8::from(level.fract() > 0.0);
            let label = phrase!("percent", percent = PhraseValue::Number(level, decimals));
            (100.0 * Self::position(level), Self::y(level), label)
        })
    }
}

impl ErrorPoint {
    /// Value of `text-anchor`, and distance of the label from the point in pixels.
    pub(super) fn label(&self) -> (&'static str, i32) {
        if self.x > 60.0 { ("end", -12) } else { ("start", 12) }
    }
}

fn percent(number: f64) -> Phrase {
    phrase!("percent", percent = PhraseValue::Number(number, 1))
}
