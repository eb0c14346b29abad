//! Limiter overrides: staff can replace the rating limiter set by `RATING_LIMITER`, for the whole site or for one post.
//!
//! The table `limiter_overrides` is append-only. The statement that locks a post also reads the highest override id,
//! and the overrides are reloaded if that id has changed. An override therefore applies on every instance to each batch
//! of ratings that starts after it.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use sqlx::{PgConnection, PgPool};

use super::parameters::{editable_params, with_params};
use crate::audit_log::{Actor, AuditAction, NewEntry};
use crate::blog_posts::PostId;
use crate::db::clock::Clock;
use crate::phrase;
use crate::rate::error::RateError;
use crate::rate::limiter::{ActiveLimiter, RatingLimiter, RatingLimiters};
use crate::rate::settings::Settings;
use crate::web::error::AppError;
use crate::web::request::id::id;
use evenkeel_limiters::InvalidParameter;

/// Maximum number of posts with an override, because every instance keeps all overrides in memory.
pub const MAX_OVERRIDDEN_POSTS: i64 = 1_000;

/// Name that removes an override: the site then uses the limiter of the settings, and a post the limiter of the site.
pub const NO_OVERRIDE: &str = "default";

/// Highest id of `limiter_overrides`; `None` if there are no overrides.
pub type OverrideVersion = Option<i64>;

#[derive(Debug)]
pub struct ActiveLimiterCache {
    settings: Settings,
    default: RatingLimiters,
    known: RwLock<(OverrideVersion, Arc<RatingLimiters>)>,
}

impl ActiveLimiterCache {
    pub fn new(settings: &Settings) -> Result<Self, InvalidParameter> {
        let default =
            RatingLimiters::new(settings.default_limiter.clone(), settings.limiter_on_edit, settings.edit_limit)?;
        Ok(Self { settings: settings.clone(), known: RwLock::new((None, Arc::new(default.clone()))), default })
    }

    pub fn default_limiter(&self) -> &RatingLimiter {
        self.default.site_limiter()
    }

    /// Cached limiters, last updated by this instance's latest rating or by [`Self::current_limiters`].
    pub fn cached_limiters(&self) -> Arc<RatingLimiters> {
        self.known.read().unwrap_or_else(PoisonError::into_inner).1.clone()
    }

    /// Limiters at the version of the overrides. Reloads the overrides if the cached version differs.
    pub async fn limiters_at_version(
        &self,
        version: OverrideVersion,
        connection: &mut PgConnection,
    ) -> sqlx::Result<Arc<RatingLimiters>> {
        {
            let cached = self.known.read().unwrap_or_else(PoisonError::into_inner);
            if cached.0 == version {
                return Ok(cached.1.clone());
            }
        }
        let (version, limiters) = self.read(connection).await?;
        let limiters = Arc::new(limiters);
        *self.known.write().unwrap_or_else(PoisonError::into_inner) = (version, limiters.clone());
        tracing::info!(version, rating_limiter = limiters.site_limiter().name(), "limiter overrides reloaded");
        Ok(limiters)
    }

    pub async fn current_limiters(&self, pool: &PgPool) -> sqlx::Result<Arc<RatingLimiters>> {
        let mut connection = pool.acquire().await?;
        let version = sqlx::query_scalar!("select max(id) from limiter_overrides").fetch_one(&mut *connection).await?;
        self.limiters_at_version(version, &mut connection).await
    }

    async fn read(&self, connection: &mut PgConnection) -> sqlx::Result<(OverrideVersion, RatingLimiters)> {
        let rows = sqlx::query!(
            r#"select distinct on (blog_id) id, blog_id, limiter, params,
                (select max(id) from limiter_overrides) as version
            from limiter_overrides order by blog_id, id desc"#,
        );
        let (mut version, mut own) = (None, HashMap::new());
        let mut site = ActiveLimiter { limiter: self.default_limiter().clone(), override_id: None };
        for row in rows.fetch_all(connection).await? {
            version = row.version;
            let choice = Some(row.id);
            let Some(limiter) = row.limiter else {
                // Restores the limiter set by `RATING_LIMITER`, which starts with initial states because of the new id.
                if row.blog_id.is_none() {
                    site.override_id = choice;
                }
                continue;
            };
            match (parse_limiter(&self.settings, &limiter, row.params), row.blog_id) {
                (Some(rating_limiter), None) => site = ActiveLimiter { limiter: rating_limiter, override_id: choice },
                (Some(rating_limiter), Some(post)) => {
                    own.insert(PostId(post), ActiveLimiter { limiter: rating_limiter, override_id: choice });
                }
                // Ignores the row of another version of Evenkeel with an unknown limiter or parameter.
                (None, _) => {
                    tracing::error!(choice = row.id, "limiter override ignored: unknown limiter or parameters");
                }
            }
        }
        Ok((version, self.default.with_overrides(site, own)))
    }
}

/// Limiter with `params` and other parameters from the settings; `None` if the limiter or a parameter is unknown.
fn parse_limiter(settings: &Settings, limiter: &str, params: Option<Value>) -> Option<RatingLimiter> {
    let params = params.and_then(|params| params.as_object().cloned()).unwrap_or_default();
    with_params(&settings.rating_limiter(limiter)?, &params.into_iter().collect()).ok()
}

id! {
    /// Id of a limiter override in `limiter_overrides`.
    OverrideId
}

/// Post of a limiter override; `None` for the whole site.
pub type OverrideScope = Option<PostId>;

/// Limiter override as displayed to staff.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct LimiterOverride {
    pub id: i64,
    /// Post id; `None` for the whole site.
    pub post: Option<i64>,
    /// Title of the post, if it is published.
    pub title: Option<String>,
    /// Limiter name. `None` restores the default: for the site, the limiter set by `RATING_LIMITER`; for a post, the
    /// limiter of the site.
    pub limiter: Option<String>,
    #[schemars(with = "Option<serde_json::Map<String, Value>>")]
    pub params: Option<Value>,
    pub reason: String,
    /// Time at which the override was set.
    pub chosen_at: DateTime<Utc>,
    /// Username of the user who set the override; `None` if the account was deleted.
    pub chosen_by: Option<String>,
    /// True if no later override has the same scope.
    pub is_latest: bool,
}

impl LimiterOverride {
    /// Limiter of the override; `None` if the override restores the default, or if the limiter is unknown.
    pub fn rating_limiter(&self, settings: &Settings) -> Option<RatingLimiter> {
        parse_limiter(settings, self.limiter.as_deref()?, self.params.clone())
    }
}

pub async fn list_overrides(pool: &PgPool, most: i64) -> sqlx::Result<Vec<LimiterOverride>> {
    let ids =
        sqlx::query_scalar!("select id from limiter_overrides order by id desc limit $1", most).fetch_all(pool).await?;
    read_overrides(&mut *pool.acquire().await?, &ids).await
}

pub async fn active_override(
    connection: &mut PgConnection,
    scope: OverrideScope,
) -> sqlx::Result<Option<LimiterOverride>> {
    let id = sqlx::query_scalar!(
        "select id from limiter_overrides where blog_id is not distinct from $1 order by id desc limit 1",
        scope.map(|post| post.0),
    );
    let id = id.fetch_optional(&mut *connection).await?;
    Ok(read_overrides(connection, id.as_slice()).await?.pop())
}

/// Lists the active overrides of posts, the latest first.
pub async fn list_post_overrides(pool: &PgPool) -> sqlx::Result<Vec<LimiterOverride>> {
    let ids = sqlx::query_scalar!(
        r#"select id as "id!" from (
            select distinct on (blog_id) id, limiter from limiter_overrides where blog_id is not null order by blog_id, id desc
        ) of_posts where limiter is not null"#,
    );
    let ids = ids.fetch_all(pool).await?;
    read_overrides(&mut *pool.acquire().await?, &ids).await
}

async fn read_overrides(connection: &mut PgConnection, ids: &[i64]) -> sqlx::Result<Vec<LimiterOverride>> {
    let choices = sqlx::query_as!(
        LimiterOverride,
        r#"select c.id, c.blog_id as post, case when p.status = 'published' then p.title end as title, c.limiter, c.params, c.reason, c.chosen_at,
            u.username as "chosen_by?", not exists (
                select from limiter_overrides where blog_id is not distinct from c.blog_id and id > c.id
            ) as "is_latest!"
        from limiter_overrides c left join blog_posts p on p.id = c.blog_id left join users u on u.id = c.chosen_by
        where c.id = any($1) order by c.id desc"#,
        ids,
    );
    choices.fetch_all(connection).await
}

#[derive(Clone, Debug)]
pub struct NewOverride {
    pub scope: OverrideScope,
    /// New limiter; `None` restores the limiter set by `RATING_LIMITER`, or for a post the limiter of the site.
    pub limiter: Option<RatingLimiter>,
    pub reason: String,
    pub expected: ExpectedOverride,
}

/// Override that must be in effect when a new override is stored, for optimistic locking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpectedOverride {
    Any,
    /// Id of the override when the form was displayed.
    Displayed(Option<i64>),
}

pub async fn describe_site_limiter(connection: &mut PgConnection, settings: &Settings) -> sqlx::Result<String> {
    let default = settings.default_limiter.name();
    let Some(LimiterOverride { limiter: Some(limiter), params, reason, chosen_at, chosen_by, .. }) =
        active_override(connection, None).await?
    else {
        return Ok(format!("{default} (from RATING_LIMITER)"));
    };
    let time = chosen_at.format("%Y-%m-%d %H:%M UTC");
    let by = chosen_by.map(|user| format!(" by {user}")).unwrap_or_default();
    let Some(parsed) = parse_limiter(settings, &limiter, params) else {
        return Ok(format!(
            "{default} (from RATING_LIMITER); the limiter override {limiter} of {time} is ignored, because \
            this version does not know the limiter or its parameters"
        ));
    };
    let params = super::parameters::configurable_parameters(&parsed).unwrap_or_default();
    let params: Vec<String> = params.iter().map(|param| format!("{}={}", param.name, param.value)).collect();
    let params = if params.is_empty() { String::new() } else { format!(" ({})", params.join(", ")) };
    let reason = if reason.is_empty() { String::new() } else { format!(", reason: {reason}") };
    Ok(format!("{limiter}{params}, set{by} on {time}{reason}; it overrides RATING_LIMITER ({default})"))
}

pub async fn add_override(
    connection: &mut PgConnection,
    clock: &Clock,
    by: Actor,
    settings: &Settings,
    NewOverride { scope, limiter: rating_limiter, reason, expected }: NewOverride,
) -> Result<(), AppError> {
    let before = lock_overrides(connection, scope, expected).await?;
    if let Some(PostId(post)) = scope.filter(|_| rating_limiter.is_some()) {
        let other_posts = sqlx::query_scalar!(
            r#"select (select count(distinct blog_id) from limiter_overrides where blog_id <> $1) as "others!"
            from blog_posts where id = $1 and status = 'published'"#,
            post
        );
        if other_posts.fetch_optional(&mut *connection).await?.ok_or(AppError::NotFound)? >= MAX_OVERRIDDEN_POSTS {
            return Err(AppError::invalid_field(
                "post",
                phrase!("invalid-too-many-overrides", most = MAX_OVERRIDDEN_POSTS),
            ));
        }
    }
    let named =
        |limiter: RatingLimiter| Ok::<_, AppError>((limiter.name().to_owned(), own_params(&limiter, settings)?));
    let after = rating_limiter.map(named).transpose()?;
    insert_override(connection, clock, by, scope, before, after, reason).await
}

/// Parameters that differ from those of the settings; `None` if all parameters are equal.
fn own_params(limiter: &RatingLimiter, settings: &Settings) -> Result<Option<Value>, AppError> {
    let mut params = editable_params(limiter)?;
    if let Some(base) = settings.rating_limiter(limiter.name()) {
        let base = editable_params(&base)?;
        params.retain(|name, value| base.get(name) != Some(value));
    }
    Ok((!params.is_empty()).then_some(Value::Object(params)))
}

/// Removes the override of a scope. Does nothing if there is no override.
pub async fn undo_override(
    connection: &mut PgConnection,
    clock: &Clock,
    by: Actor,
    scope: OverrideScope,
    expected: ExpectedOverride,
) -> Result<(), AppError> {
    let latest = lock_overrides(connection, scope, ExpectedOverride::Any).await?;
    let Some(before) = latest.filter(|latest| latest.limiter.is_some()) else { return Ok(()) };
    if ![ExpectedOverride::Any, ExpectedOverride::Displayed(Some(before.id))].contains(&expected) {
        return Err(RateError::LimiterOverrideChanged.into());
    }
    insert_override(connection, clock, by, scope, Some(before), None, String::new()).await
}

async fn lock_overrides(
    connection: &mut PgConnection,
    scope: OverrideScope,
    expected: ExpectedOverride,
) -> Result<Option<LimiterOverride>, AppError> {
    sqlx::query!("lock table limiter_overrides in share row exclusive mode").execute(&mut *connection).await?;
    let latest = active_override(connection, scope).await?;
    let displayed = ExpectedOverride::Displayed(latest.as_ref().map(|latest| latest.id));
    if ![ExpectedOverride::Any, displayed].contains(&expected) {
        return Err(RateError::LimiterOverrideChanged.into());
    }
    Ok(latest)
}

async fn insert_override(
    connection: &mut PgConnection,
    clock: &Clock,
    by: Actor,
    scope: OverrideScope,
    before: Option<LimiterOverride>,
    after: Option<(String, Option<Value>)>,
    reason: String,
) -> Result<(), AppError> {
    let limiter = after.as_ref().map(|(limiter, _)| limiter);
    let params = after.as_ref().and_then(|(_, params)| params.as_ref());
    sqlx::query!(
        "insert into limiter_overrides (blog_id, limiter, params, reason, chosen_at, chosen_by)
        values ($1, $2, $3, $4, coalesce($6, clock_timestamp()), $5)",
        scope.map(|post| post.0),
        limiter,
        params,
        reason,
        by.id.map(|id| id.0),
        clock.now(),
    )
    .execute(&mut *connection)
    .await?;
    let details = json!({
        "before": before.as_ref().and_then(|choice| choice.limiter.as_deref()).unwrap_or("default"),
        "params_before": before.as_ref().and_then(|choice| choice.params.as_ref()),
        "after": limiter.map_or("default", String::as_str),
        "params_after": params,
        "reason": reason,
    });
    let record = NewEntry::new(if after.is_some() { AuditAction::ChooseLimiter } else { AuditAction::UndoLimiter })
        .with_details(details);
    let record = match scope {
        Some(post) => record.for_post(post.0),
        None => record,
    };
    record.insert(by, connection, clock).await?;
    Ok(())
}
