//! Limits on ratings: rating limiter of each post, limit on changes of a rating, and records of refused ratings.

pub mod overrides;
pub mod parameters;

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::json;
use sqlx::PgPool;

use crate::blog_posts::PostId;
use crate::db::clock::{Clock, MAX_BACKWARD_STEP_MS};
use crate::db::limiter_states::KeyedLimit;
use crate::i18n::Phrase;
use crate::phrase;
use crate::rate::models::{RatingKey, RatingOperation, RatingRequest};
use crate::score::hourly_ratings::hours_since_epoch;
use evenkeel_limiters::combined_limits::NamedLimit;
use evenkeel_limiters::{AnyLimiter, InvalidParameter, LeakyBucket, LeakyBucketParams, Limiter};

/// Names of the limits on changes and on ratings of a post, as in combined decisions.
pub const EDIT_LIMIT_NAME: &str = "edit";
const POST_LIMIT_NAME: &str = "post";

/// One limiter, or two that must both admit a rating. Without limiters (`off`), every rating is admitted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RatingLimiter {
    pub(super) limiters: Vec<AnyLimiter>,
}

impl RatingLimiter {
    /// Limiter of sites that do not set `RATING_LIMITER`, recommended in the admin area.
    pub const DEFAULT_NAME: &str = "leaky_bucket";
    pub const OFF_NAME: &str = "off";

    /// Pairs of limiters that are active together, as in BitPin-Blog. The limiters of a pair share no parameter name.
    const PAIRS: [&str; 2] = ["leaky_bucket,ema", "leaky_bucket,ema_original"];

    pub fn allowed_names() -> String {
        format!("{} or {}, or the pair {}", AnyLimiter::NAMES.join(", "), Self::OFF_NAME, Self::PAIRS.join(" or "))
    }

    pub fn names() -> impl Iterator<Item = &'static str> {
        AnyLimiter::NAMES.iter().copied().chain(Self::PAIRS).chain([Self::OFF_NAME])
    }

    /// Returns `None` if no limiter has the name.
    pub fn by_name<E>(name: &str, build: impl FnMut(&'static str) -> Result<AnyLimiter, E>) -> Option<Result<Self, E>> {
        let name = Self::names().find(|candidate| *candidate == name)?;
        let names = name.split(',').filter(|limiter| *limiter != Self::OFF_NAME);
        Some(names.map(build).collect::<Result<_, E>>().map(|limiters| Self { limiters }))
    }

    pub fn with_default_params(name: &str) -> Option<Self> {
        let build = |name: &str| AnyLimiter::by_name(name, json!({})).and_then(Result::ok).ok_or(());
        Self::by_name(name, build)?.ok()
    }

    pub fn name(&self) -> &'static str {
        let is_own = |name: &&str| name.split(',').eq(self.limiters.iter().map(Limiter::name));
        Self::names().find(is_own).unwrap_or(Self::OFF_NAME)
    }

    /// Readable name of a limiter, with the attribute `what` for its description. An unknown limiter has only its name.
    pub fn title_of(name: &str) -> Phrase {
        let title = Phrase::new(format!("limiter-{name}").replace(['_', ','], "-"));
        if Self::names().any(|known| known == name) { title } else { phrase!("verbatim", text = name) }
    }

    pub fn limiters(&self) -> &[AnyLimiter] {
        &self.limiters
    }
}

impl From<AnyLimiter> for RatingLimiter {
    fn from(limiter: AnyLimiter) -> Self {
        Self { limiters: vec![limiter] }
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ActiveLimiter {
    pub limiter: RatingLimiter,
    /// Row id in `limiter_overrides`; `None` for the limiter set by `RATING_LIMITER`. A new override starts with
    /// initial states.
    pub override_id: Option<i64>,
}

#[derive(Clone, Debug)]
pub struct RatingLimiters {
    site: ActiveLimiter,
    overrides: HashMap<PostId, ActiveLimiter>,
    /// True if changed ratings must also pass the rating limiter of the post.
    post_on_edit: bool,
    edit: Option<AnyLimiter>,
}

impl RatingLimiters {
    /// With `edit`, a user may change a rating three times in a row, and then once every ten minutes.
    pub fn new(site: RatingLimiter, post_on_edit: bool, edit: bool) -> Result<Self, InvalidParameter> {
        let leak_period_ms = 10 * 60_000;
        let params =
            LeakyBucketParams { capacity: 3, leak_amount: 1, leak_period_ms, max_backward_ms: MAX_BACKWARD_STEP_MS };
        let edit = if edit { Some(AnyLimiter::LeakyBucket(LeakyBucket::new(params)?)) } else { None };
        Ok(Self {
            site: ActiveLimiter { limiter: site, override_id: None },
            overrides: HashMap::new(),
            post_on_edit,
            edit,
        })
    }

    pub fn with_overrides(&self, site: ActiveLimiter, own: HashMap<PostId, ActiveLimiter>) -> Self {
        Self { site, overrides: own, ..self.clone() }
    }

    pub fn site_limiter(&self) -> &RatingLimiter {
        &self.site.limiter
    }

    pub fn post_limiter(&self, post: PostId) -> &RatingLimiter {
        &self.overrides.get(&post).unwrap_or(&self.site).limiter
    }

    /// The key contains the id of the override, because a new override starts with initial states.
    fn post_limiter_key(&self, post: PostId, limiter: &AnyLimiter) -> String {
        let key = format!("post:{post}:{}", limiter.name());
        let ActiveLimiter { override_id, .. } = self.overrides.get(&post).unwrap_or(&self.site);
        match override_id {
            Some(id) => format!("{key}:override:{id}"),
            None => key,
        }
    }

    pub fn applies_to(&self, post: PostId, operation: RatingOperation) -> bool {
        !self.post_limiter(post).limiters.is_empty() && (self.post_on_edit || !operation.is_edit())
    }

    pub fn has_edit_limit(&self) -> bool {
        self.edit.is_some()
    }

    pub fn edit_limit(&self, pair: RatingKey) -> Option<KeyedLimit<'_, AnyLimiter>> {
        self.edit.as_ref().map(|limiter| limit(edit_key(pair), EDIT_LIMIT_NAME, limiter))
    }

    pub fn post_limits(&self, post: PostId) -> impl Iterator<Item = KeyedLimit<'_, AnyLimiter>> {
        let limiters = self.post_limiter(post).limiters.iter();
        limiters.map(move |limiter| limit(self.post_limiter_key(post, limiter), POST_LIMIT_NAME, limiter))
    }

    pub fn limits_for_request(&self, request: &RatingRequest) -> Vec<KeyedLimit<'_, AnyLimiter>> {
        let post = request.pair.post;
        let edit = self.edit_limit(request.pair).filter(|_| request.operation.is_edit());
        edit.into_iter().chain(self.post_limits(post).filter(|_| self.applies_to(post, request.operation))).collect()
    }
}

fn edit_key(RatingKey { user, post }: RatingKey) -> String {
    format!("edit:{user}:{post}")
}

fn limit<'a>(key: String, name: &'static str, limiter: &'a AnyLimiter) -> KeyedLimit<'a, AnyLimiter> {
    KeyedLimit { key, limit: NamedLimit { name, limiter } }
}

/// Maximum number of refused ratings that one instance records in an hour.
const MAX_RECORDED_PER_HOUR: usize = 50_000;

/// Counts the recorded refusals of the current clock hour (UTC), so that a flood of requests cannot fill the table.
#[derive(Debug, Default)]
pub struct HourlyRefusalCounter(Mutex<(i64, usize)>);

impl HourlyRefusalCounter {
    pub fn can_record(&self, now: DateTime<Utc>) -> bool {
        let (hour, recorded) = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        hour != hours_since_epoch(now) || recorded < MAX_RECORDED_PER_HOUR
    }

    pub fn add(&self, count: usize, now: DateTime<Utc>) {
        let (hour, recorded) = &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if *hour != hours_since_epoch(now) {
            (*hour, *recorded) = (hours_since_epoch(now), 0);
        }
        *recorded += count;
    }
}

const REFUSAL_RETENTION: TimeDelta = TimeDelta::days(90);
const MAX_REFUSALS: i64 = 1_000_000;
const DELETE_BATCH_SIZE: i64 = 1_000;

pub async fn delete_expired_refusals(pool: &PgPool, clock: &Clock) -> sqlx::Result<()> {
    // Ids increase with time, so a single id separates the rows to delete from the rest.
    let last = sqlx::query_scalar!(
        "select greatest(
            (select id from refused_ratings
                where at < (select coalesce($1, clock_timestamp()) - make_interval(secs => $2)) order by at desc, id desc limit 1),
            (select id from refused_ratings order by id desc offset $3 limit 1)
        )",
        clock.now(),
        REFUSAL_RETENTION.as_seconds_f64(),
        MAX_REFUSALS,
    );
    let Some(last) = last.fetch_one(pool).await? else { return Ok(()) };
    loop {
        let deleted = sqlx::query!(
            "delete from refused_ratings where id = any(array(
                select id from refused_ratings where id <= $1 order by id limit $2
            ))",
            last,
            DELETE_BATCH_SIZE,
        );
        if deleted.execute(pool).await?.rows_affected() < DELETE_BATCH_SIZE.unsigned_abs() {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_up_to_the_maximum_in_each_hour() {
        let at = |seconds| DateTime::from_timestamp(seconds, 0).unwrap();
        let refusals = HourlyRefusalCounter::default();
        refusals.add(MAX_RECORDED_PER_HOUR - 1, at(0));
        assert!(refusals.can_record(at(3_599)));
        refusals.add(1, at(3_599));
        assert!(!refusals.can_record(at(3_599)) && refusals.can_record(at(3_600)));
        refusals.add(1, at(3_600));
        assert!(refusals.can_record(at(3_600)));
    }
}
