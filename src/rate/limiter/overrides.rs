//! Which gate is in force: that of the settings, or what staff have chosen instead, for the whole site or for one post.
//!
//! Choices are rows that are added and never changed, so that each can be shown and taken back. Whoever locks a post to write
//! its ratings reads the highest id among them in the same statement, and the rest only where it knows another: a choice is
//! in force on every instance for every batch of ratings that begins after it.

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

/// The most posts that have a gate of their own: every instance keeps them in memory.
pub const MOST_POSTS: i64 = 1_000;

/// The highest id of all choices; none before the first.
pub type Version = Option<i64>;

/// The gates that are in force, as this instance knows them.
#[derive(Debug)]
pub struct ActiveLimiters {
    settings: RatingLimiters,
    known: RwLock<(Version, Arc<RatingLimiters>)>,
}

impl ActiveLimiters {
    /// # Errors
    /// Never in practice (see [`RatingLimiters::new`]).
    pub fn new(settings: &Settings) -> Result<Self, InvalidParameter> {
        let settings = RatingLimiters::new(settings.gate, settings.limiter_on_edit, settings.edit_limit)?;
        let known = RwLock::new((None, Arc::new(settings.clone())));
        Ok(Self { settings, known })
    }

    /// The gate of the settings.
    #[must_use]
    pub fn of_settings(&self) -> &RatingLimiter {
        self.settings.of_site()
    }

    /// As they were when this instance last wrote a rating or was asked for them.
    #[must_use]
    pub fn latest(&self) -> Arc<RatingLimiters> {
        self.known.read().unwrap_or_else(PoisonError::into_inner).1.clone()
    }

    /// As they are at this version. Choices are read again if another one is known.
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

    /// As they are now.
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
                // The site returned to the settings' limiter: that, too, starts with fresh states.
                if row.blog_id.is_none() {
                    site.choice = choice;
                }
                continue;
            };
            match (gate_of(&limiter, row.params), row.blog_id) {
                (Some(gate), None) => site = ChosenLimiter { gate, choice },
                (Some(gate), Some(post)) => drop(own.insert(PostId(post), ChosenLimiter { gate, choice })),
                // Written by a version that knew another limiter, or other parameters.
                (None, _) => {
                    tracing::error!(choice = row.id, "limiter override ignored: unknown limiter or parameters")
                }
            }
        }
        Ok((version, self.settings.with(site, own)))
    }
}

/// A gate from its row; none where this program does not know it.
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

/// The parameters of a limiter that can be chosen, as rows keep them.
///
/// # Errors
/// Never in practice: they are plain numbers and words.
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

/// Whether a parameter can be chosen. How far the clock may run backwards is not for anybody to choose.
#[must_use]
pub fn is_free(parameter: &str) -> bool {
    !MAX_BACKWARD.iter().any(|(name, _)| *name == parameter)
}

/// The parameters of a limiter that cannot be chosen.
#[must_use]
pub fn fixed(limiter: &AnyLimiter) -> Option<(String, Value)> {
    let Ok(Value::Object(params)) = serde_json::to_value(limiter.params()) else { return None };
    params.into_iter().find(|(name, _)| !is_free(name)).map(|(name, _)| (name, MAX_BACKWARD_MS.into()))
}

id! {
    /// The id of a choice.
    ChoiceId
}

/// What a choice is about: the whole site, or one post.
pub type Scope = Option<PostId>;

/// A choice, for those who look at what was chosen.
#[derive(Clone, Debug, Serialize)]
pub struct Choice {
    pub id: i64,
    /// Of which post; none for the whole site.
    pub post: Option<i64>,
    pub title: Option<String>,
    /// None: that of the settings again, or for a post that of the site.
    pub limiter: Option<String>,
    pub params: Option<Value>,
    pub reason: String,
    pub chosen_at: DateTime<Utc>,
    /// None when their account is gone.
    pub chosen_by: Option<String>,
    /// The choice that this one took back.
    pub undone: Option<i64>,
    /// Whether it is in force: no later one was made for the same scope.
    pub is_latest: bool,
}

impl Choice {
    /// None: that of the settings, or for a post that of the site; and where this program does not know it.
    #[must_use]
    pub fn gate(&self) -> Option<RatingLimiter> {
        gate_of(self.limiter.as_deref()?, self.params.clone())
    }
}

/// The latest choices, at most so many.
pub async fn history(pool: &PgPool, most: i64) -> sqlx::Result<Vec<Choice>> {
    let ids =
        sqlx::query_scalar!("select id from gate_choices order by id desc limit $1", most).fetch_all(pool).await?;
    with_ids(&mut *pool.acquire().await?, &ids).await
}

/// The choice that counts for a scope; none where nothing was ever chosen.
pub async fn in_force(connection: &mut PgConnection, scope: Scope) -> sqlx::Result<Option<Choice>> {
    let id = sqlx::query_scalar!(
        "select id from gate_choices where blog_id is not distinct from $1 order by id desc limit 1",
        scope.map(|post| post.0),
    );
    let id = id.fetch_optional(&mut *connection).await?;
    Ok(with_ids(connection, id.as_slice()).await?.pop())
}

/// Those of the posts that have a gate of their own, the latest first.
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

/// What is to be chosen for a scope.
#[derive(Clone, Debug)]
pub struct New {
    pub scope: Scope,
    /// None: that of the settings again, or for a post that of the site.
    pub gate: Option<RatingLimiter>,
    /// Why, for those who look at it later.
    pub reason: String,
    /// The choice that was in force when whoever chooses looked; none if there was none.
    pub seen: Option<i64>,
}

/// Puts a gate in force, and writes that into the log.
///
/// # Errors
/// `gate_changed` where another choice is in force than was seen, `not_found` for a post that is none, `invalid` for a post
/// too many.
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

/// Takes the choice back that is in force for a scope: what was in force before it is again.
///
/// # Errors
/// `gate_changed` where another one is in force than was seen.
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

/// What is in force, while nobody else can choose.
async fn lock(connection: &mut PgConnection, scope: Scope, seen: Option<i64>) -> Result<Option<Choice>, AppError> {
    sqlx::query!("lock table gate_choices in share row exclusive mode").execute(&mut *connection).await?;
    let latest = in_force(connection, scope).await?;
    if latest.as_ref().map(|latest| latest.id) == seen { Ok(latest) } else { Err(RateError::GateChanged.into()) }
}

/// A limiter by its name, with its parameters.
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
