//! Limiter overrides: staff can replace the rating limiter of the settings, for the whole site or for one post.
//!
//! Overrides are rows of an append-only table (`gate_choices`), so that each can be displayed and undone. The statement
//! that locks a post to write ratings also reads the highest override id; the overrides are reloaded only if that id
//! has changed. An override therefore applies on every instance to each batch of ratings that starts after it.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::{Map, Value, json};
use sqlx::{PgConnection, PgPool};

use super::rating_limiter::{ChosenLimiter, RatingLimiter, RatingLimiters};
use crate::audit_log::{AuditAction, Record};
use crate::blog_posts::PostId;
use crate::db::clock::{Clock, MAX_BACKWARD, MAX_BACKWARD_MS};
use crate::phrase;
use crate::rate::error::RateError;
use crate::rate::settings::Settings;
use crate::web::error::AppError;
use crate::web::request::id::id;
use crate::web::request::visitor::CurrentUser;
use evenkeel_limiters::{AnyLimiter, InvalidParameter, Limiter as _};

/// Maximum number of posts that ever had a limiter override. Every instance keeps all overrides in memory.
pub const MOST_POSTS: i64 = 1_000;

/// Highest id of `gate_choices`; `None` if there are no overrides.
pub type Version = Option<i64>;

/// Active rating limiters as cached by this instance.
#[derive(Debug)]
pub struct ActiveLimiters {
    settings: RatingLimiters,
    known: RwLock<(Version, Arc<RatingLimiters>)>,
}

impl ActiveLimiters {
    pub fn new(settings: &Settings) -> Result<Self, InvalidParameter> {
        let settings = RatingLimiters::new(settings.gate, settings.limiter_on_edit, settings.edit_limit)?;
        let known = RwLock::new((None, Arc::new(settings.clone())));
        Ok(Self { settings, known })
    }

    #[must_use]
    pub fn of_settings(&self) -> &RatingLimiter {
        self.settings.of_site()
    }

    /// Cached limiters, without a query. They are as recent as this instance's latest rating or call of [`Self::now`].
    #[must_use]
    pub fn latest(&self) -> Arc<RatingLimiters> {
        self.known.read().unwrap_or_else(PoisonError::into_inner).1.clone()
    }

    /// Active limiters at a version. Overrides are reloaded if the cached version differs.
    pub async fn at(&self, version: Version, connection: &mut PgConnection) -> sqlx::Result<Arc<RatingLimiters>> {
        {
            let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
            if known.0 == version {
                return Ok(known.1.clone());
            }
        }
        let (version, gates) = self.read(connection).await?;
        let gates = Arc::new(gates);
        *self.known.write().unwrap_or_else(PoisonError::into_inner) = (version, gates.clone());
        tracing::info!(version, gate = gates.of_site().name(), "limiter overrides reloaded");
        Ok(gates)
    }

    /// Active limiters at present; reads the version from the database.
    pub async fn now(&self, pool: &PgPool) -> sqlx::Result<Arc<RatingLimiters>> {
        let mut connection = pool.acquire().await?;
        let version = sqlx::query_scalar!("select max(id) from gate_choices").fetch_one(&mut *connection).await?;
        self.at(version, &mut connection).await
    }

    async fn read(&self, connection: &mut PgConnection) -> sqlx::Result<(Version, RatingLimiters)> {
        let rows = sqlx::query!(
            r#"select distinct on (blog_id) id, blog_id, limiter, params,
                (select max(id) from gate_choices) as version
            from gate_choices order by blog_id, id desc"#,
        );
        let (mut version, mut own) = (None, HashMap::new());
        let mut site = ChosenLimiter { gate: *self.of_settings(), choice: None };
        for row in rows.fetch_all(connection).await? {
            version = row.version;
            let choice = Some(row.id);
            let Some(limiter) = row.limiter else {
                // Returning to the limiter of the settings also starts with fresh limiter states.
                if row.blog_id.is_none() {
                    site.choice = choice;
                }
                continue;
            };
            match (gate_of(&limiter, row.params), row.blog_id) {
                (Some(gate), None) => site = ChosenLimiter { gate, choice },
                (Some(gate), Some(post)) => drop(own.insert(PostId(post), ChosenLimiter { gate, choice })),
                // The row was written by another version of this program, whose limiters or parameters this version
                // does not know.
                (None, _) => {
                    tracing::error!(choice = row.id, "limiter override ignored: unknown limiter or parameters");
                }
            }
        }
        Ok((version, self.settings.with(site, own)))
    }
}

/// Parses a limiter override; `None` if this version does not know the limiter or its parameters.
fn gate_of(limiter: &str, params: Option<Value>) -> Option<RatingLimiter> {
    if limiter == RatingLimiter::OFF {
        return Some(RatingLimiter { limiter: None });
    }
    let all = AnyLimiter::named(limiter, json!({}))?.ok()?;
    let mut params = params.and_then(|params| params.as_object().cloned()).unwrap_or_default();
    params.extend(fixed(&all));
    let limiter = AnyLimiter::named(limiter, Value::Object(params))?.ok()?;
    limiter.require_bounded_wait().ok()?;
    Some(RatingLimiter { limiter: Some(limiter) })
}

/// Parameters of a limiter that staff can change, as stored in `gate_choices`.
pub fn params_of(limiter: &AnyLimiter) -> Result<Map<String, Value>, AppError> {
    match serde_json::to_value(limiter.params()) {
        Ok(Value::Object(mut params)) => {
            params.retain(|name, _| is_free(name));
            Ok(params)
        }
        Ok(_) => Err(AppError::Internal("parameters are no object".to_owned())),
        Err(error) => Err(AppError::Internal(error.to_string())),
    }
}

/// True if staff can change a parameter. The tolerance for a clock that runs backwards is fixed.
#[must_use]
pub fn is_free(parameter: &str) -> bool {
    !MAX_BACKWARD.iter().any(|(name, _)| *name == parameter)
}

/// Name and value of the parameter that staff cannot change: the tolerance for a clock that runs backwards.
#[must_use]
pub fn fixed(limiter: &AnyLimiter) -> Option<(String, Value)> {
    let Ok(Value::Object(params)) = serde_json::to_value(limiter.params()) else { return None };
    params.into_iter().find(|(name, _)| !is_free(name)).map(|(name, _)| (name, MAX_BACKWARD_MS.into()))
}

id! {
    /// Id of a limiter override in `gate_choices`.
    ChoiceId
}

/// Scope of a limiter override: one post, or the whole site if `None`.
pub type Scope = Option<PostId>;

/// Limiter override as displayed to staff.
#[derive(Clone, Debug, Serialize)]
pub struct Choice {
    pub id: i64,
    /// Post id; `None` for the whole site.
    pub post: Option<i64>,
    pub title: Option<String>,
    /// Limiter name. `None` restores the default: the limiter of the settings, or for a post that of the site.
    pub limiter: Option<String>,
    pub params: Option<Value>,
    pub reason: String,
    pub chosen_at: DateTime<Utc>,
    /// Username; `None` if the account was deleted.
    pub chosen_by: Option<String>,
    /// Id of the override that this one undid.
    pub undone: Option<i64>,
    /// True if no later override has the same scope.
    pub is_latest: bool,
}

impl Choice {
    /// Limiter of this override. `None` if it restores the default, or if this version does not know the limiter.
    #[must_use]
    pub fn gate(&self) -> Option<RatingLimiter> {
        gate_of(self.limiter.as_deref()?, self.params.clone())
    }
}

pub async fn history(pool: &PgPool, most: i64) -> sqlx::Result<Vec<Choice>> {
    let ids =
        sqlx::query_scalar!("select id from gate_choices order by id desc limit $1", most).fetch_all(pool).await?;
    with_ids(&mut *pool.acquire().await?, &ids).await
}

/// Reads the latest override of a scope.
pub async fn in_force(connection: &mut PgConnection, scope: Scope) -> sqlx::Result<Option<Choice>> {
    let id = sqlx::query_scalar!(
        "select id from gate_choices where blog_id is not distinct from $1 order by id desc limit 1",
        scope.map(|post| post.0),
    );
    let id = id.fetch_optional(&mut *connection).await?;
    Ok(with_ids(connection, id.as_slice()).await?.pop())
}

/// Reads the active overrides of single posts, the latest first.
pub async fn of_posts(pool: &PgPool) -> sqlx::Result<Vec<Choice>> {
    let ids = sqlx::query_scalar!(
        r#"select id as "id!" from (
            select distinct on (blog_id) id, limiter from gate_choices where blog_id is not null order by blog_id, id desc
        ) of_posts where limiter is not null"#,
    );
    let ids = ids.fetch_all(pool).await?;
    with_ids(&mut *pool.acquire().await?, &ids).await
}

async fn with_ids(connection: &mut PgConnection, ids: &[i64]) -> sqlx::Result<Vec<Choice>> {
    let choices = sqlx::query_as!(
        Choice,
        r#"select c.id, c.blog_id as post, case when p.status = 'published' then p.title end as title, c.limiter, c.params, c.reason, c.chosen_at,
            u.username as "chosen_by?", c.undone_id as undone, not exists (
                select from gate_choices where blog_id is not distinct from c.blog_id and id > c.id
            ) as "is_latest!"
        from gate_choices c left join blog_posts p on p.id = c.blog_id left join users u on u.id = c.chosen_by
        where c.id = any($1) order by c.id desc"#,
        ids,
    );
    choices.fetch_all(connection).await
}

#[derive(Clone, Debug)]
pub struct New {
    pub scope: Scope,
    /// New limiter; `None` restores the default: the limiter of the settings, or for a post that of the site.
    pub gate: Option<RatingLimiter>,
    pub reason: String,
    /// Override that was active when the form was displayed, for optimistic locking.
    pub seen: Option<i64>,
}

/// Adds a limiter override and its audit log entry.
///
/// # Errors
/// `gate_changed` if the active override is not `seen`, `not_found` if the post is not published, `invalid` if too many
/// posts have overrides.
pub async fn choose(
    connection: &mut PgConnection,
    clock: &Clock,
    by: &CurrentUser,
    New { scope, gate, reason, seen }: New,
) -> Result<(), AppError> {
    let before = lock(connection, scope, seen).await?;
    if let Some(PostId(post)) = scope.filter(|_| gate.is_some()) {
        let there = sqlx::query_scalar!(
            r#"select (select count(distinct blog_id) from gate_choices where blog_id <> $1) as "others!"
            from blog_posts where id = $1 and status = 'published'"#,
            post
        );
        if there.fetch_optional(&mut *connection).await?.ok_or(AppError::NotFound)? >= MOST_POSTS {
            return Err(AppError::field("post", phrase!("invalid-too-many-gates", most = MOST_POSTS)));
        }
    }
    let params = gate.as_ref().and_then(|gate| gate.limiter.as_ref()).map(params_of).transpose()?.map(Value::Object);
    let after = gate.map(|gate| (gate.name().to_owned(), params));
    write(connection, clock, by, scope, before, after, reason, None).await
}

/// Undoes the active override of a scope by adding a copy of the previous one.
///
/// # Errors
/// `gate_changed` if the active override is not `seen`.
pub async fn undo(
    connection: &mut PgConnection,
    clock: &Clock,
    by: &CurrentUser,
    scope: Scope,
    seen: i64,
) -> Result<(), AppError> {
    let latest = lock(connection, scope, Some(seen)).await?;
    let before = sqlx::query!(
        "select limiter, params from gate_choices where blog_id is not distinct from $1 and id < $2
        order by id desc limit 1",
        scope.map(|post| post.0),
        seen,
    );
    let before = before.fetch_optional(&mut *connection).await?;
    let before = before.and_then(|row| Some((row.limiter?, row.params)));
    write(connection, clock, by, scope, latest, before, String::new(), Some(seen)).await
}

/// Locks `gate_choices` against concurrent changes, and returns the active override of a scope.
async fn lock(connection: &mut PgConnection, scope: Scope, seen: Option<i64>) -> Result<Option<Choice>, AppError> {
    sqlx::query!("lock table gate_choices in share row exclusive mode").execute(&mut *connection).await?;
    let latest = in_force(connection, scope).await?;
    if latest.as_ref().map(|latest| latest.id) == seen { Ok(latest) } else { Err(RateError::GateChanged.into()) }
}

type NamedLimiter = (String, Option<Value>);

async fn write(
    connection: &mut PgConnection,
    clock: &Clock,
    by: &CurrentUser,
    scope: Scope,
    before: Option<Choice>,
    after: Option<NamedLimiter>,
    reason: String,
    undone: Option<i64>,
) -> Result<(), AppError> {
    let (limiter, params) = match &after {
        Some((limiter, params)) => (Some(limiter), params.as_ref()),
        None => (None, None),
    };
    sqlx::query!(
        "insert into gate_choices (blog_id, limiter, params, reason, chosen_at, chosen_by, undone_id)
        values ($1, $2, $3, $4, coalesce($7, clock_timestamp()), $5, $6)",
        scope.map(|post| post.0),
        limiter,
        params,
        reason,
        by.id.0,
        undone,
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
    let record =
        Record::of(if undone.is_some() { AuditAction::UndoGate } else { AuditAction::ChooseGate }).with(details);
    let record = match scope {
        Some(post) => record.to_post(post.0),
        None => record,
    };
    record.by(by, connection, clock).await?;
    Ok(())
}
