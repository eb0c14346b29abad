//! Queries of custom limits.

use chrono::{DateTime, Utc};
use ipnet::IpNet;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use sqlx::{PgConnection, PgPool};

use super::{Allowance, LimitName, MAX_CUSTOM_LIMITS, Target};
use crate::audit_log::{Actor, AuditAction, NewEntry};
use crate::db::clock::Clock;
use crate::phrase;
use crate::web::error::AppError;
use crate::web::request::current_user::UserId;
use crate::web::request::id::id;

id! {
    /// Id of a custom limit.
    CustomLimitId
}

/// Custom limit as displayed and exported.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct CustomLimit {
    pub id: i64,
    pub limit: String,
    /// Username, or `None` for the custom limit of a network.
    pub user: Option<String>,
    /// Network in CIDR notation, or `None` for the custom limit of a user.
    pub network: Option<String>,
    /// Number by which the limit is multiplied; `None` for no limit.
    pub factor: Option<f64>,
    pub reason: String,
    pub created_at: DateTime<Utc>,
    /// Time from which the custom limit has no effect; `None` for never.
    pub expires_at: Option<DateTime<Utc>>,
}

impl CustomLimit {
    pub fn target(&self) -> &str {
        self.user.as_deref().or(self.network.as_deref()).unwrap_or_default()
    }
}

pub async fn list_active(pool: &PgPool, clock: &Clock) -> sqlx::Result<Vec<(LimitName, Target, Allowance)>> {
    let rows = sqlx::query!(
        "select limit_name, user_id, network::text, factor from custom_limits
        where expires_at is null or expires_at > coalesce($1, clock_timestamp())",
        clock.now(),
    );
    let parse = |network: Option<String>| network.and_then(|text| text.parse::<IpNet>().ok()).map(Target::Network);
    let rows = rows.fetch_all(pool).await?.into_iter().filter_map(|row| {
        let target = row.user_id.map(|user| Target::User(UserId(user))).or_else(|| parse(row.network))?;
        Some((LimitName::by_name(&row.limit_name)?, target, Allowance::from_factor(row.factor)))
    });
    Ok(rows.collect())
}

/// Lists custom limits, including expired custom limits.
pub async fn list_custom_limits(pool: &PgPool) -> sqlx::Result<Vec<CustomLimit>> {
    read(&mut *pool.acquire().await?, None).await
}

pub async fn find_custom_limit(connection: &mut PgConnection, id: i64) -> sqlx::Result<CustomLimit> {
    read(connection, Some(id)).await?.pop().ok_or(sqlx::Error::RowNotFound)
}

async fn read(connection: &mut PgConnection, id: Option<i64>) -> sqlx::Result<Vec<CustomLimit>> {
    let rows = sqlx::query_as!(
        CustomLimit,
        r#"select o.id, limit_name as "limit", u.username as "user?", network::text, factor, reason, o.created_at, expires_at
        from custom_limits o left join users u on u.id = o.user_id
        where $1::bigint is null or o.id = $1 order by o.id desc"#,
        id,
    );
    rows.fetch_all(connection).await
}

#[derive(Clone, Debug)]
pub struct NewCustomLimit {
    pub limit: LimitName,
    pub target: Target,
    pub allowance: Allowance,
    pub reason: String,
    pub expires_at: Option<DateTime<Utc>>,
}

/// Inserts a custom limit, replacing a custom limit with the same limit and target. Returns the id.
pub async fn set_custom_limit(
    connection: &mut PgConnection,
    clock: &Clock,
    by: Actor,
    new: NewCustomLimit,
) -> Result<i64, AppError> {
    let (user, network) = match new.target {
        Target::User(_) if new.limit == LimitName::SignIn => {
            return Err(AppError::invalid_field("target", phrase!("invalid-network-needed")));
        }
        Target::Network(_) if new.limit == LimitName::FailedRatings => {
            return Err(AppError::invalid_field("target", phrase!("invalid-user-needed")));
        }
        Target::User(UserId(user)) => (Some(user), None),
        Target::Network(network) => (None, Some(network.trunc().to_string())),
    };
    let id = replace(connection, clock, user, network.as_deref(), &new).await?;
    let details = json!({
        "limit": new.limit.name(), "network": network, "after": new.allowance.to_string(), "expires": new.expires_at,
        "reason": new.reason,
    });
    log(connection, clock, by, AuditAction::SetCustomLimit, user, details).await?;
    Ok(id)
}

async fn replace(
    connection: &mut PgConnection,
    clock: &Clock,
    user: Option<i64>,
    network: Option<&str>,
    new: &NewCustomLimit,
) -> Result<i64, AppError> {
    if let Some(user) = user {
        // Locks the user before the table, in the same order as the deletion of accounts.
        let locked = sqlx::query!("select from users where id = $1 and erased_at is null for key share", user);
        locked.fetch_optional(&mut *connection).await?.ok_or(AppError::NotFound)?;
    }
    // Locks the table, because concurrent inserts could repeat a custom limit or exceed the maximum number.
    sqlx::query!("lock table custom_limits in share row exclusive mode").execute(&mut *connection).await?;
    let now = clock.read(connection).await?;
    sqlx::query!(
        "delete from custom_limits where limit_name = $1 and (user_id = $2 or network = $3::text::cidr)",
        new.limit.name(),
        user,
        network,
    )
    .execute(&mut *connection)
    .await?;
    let count = sqlx::query_scalar!(
        r#"select count(*) as "count!" from custom_limits where expires_at is null or expires_at > $1"#,
        now
    );
    if count.fetch_one(&mut *connection).await? >= MAX_CUSTOM_LIMITS {
        return Err(AppError::invalid_field(
            "target",
            phrase!("invalid-too-many-custom-limits", most = MAX_CUSTOM_LIMITS),
        ));
    }
    let id = sqlx::query_scalar!(
        "insert into custom_limits (limit_name, user_id, network, factor, reason, created_at, expires_at)
        values ($1, $2, $3::text::cidr, $4, $5, $6, $7) returning id",
        new.limit.name(),
        user,
        network,
        new.allowance.factor(),
        new.reason,
        now,
        new.expires_at,
    );
    Ok(id.fetch_one(connection).await?)
}

/// Deletes custom limits, and returns their number.
pub async fn end_custom_limits(
    connection: &mut PgConnection,
    clock: &Clock,
    by: Actor,
    ids: &[i64],
) -> sqlx::Result<usize> {
    let ended = sqlx::query!(
        "delete from custom_limits where id = any($1) returning limit_name, user_id, network::text, factor",
        ids,
    );
    let ended = ended.fetch_all(&mut *connection).await?;
    for row in &ended {
        let details = json!({
            "limit": row.limit_name, "network": row.network,
            "before": Allowance::from_factor(row.factor).to_string(),
        });
        log(connection, clock, by, AuditAction::EndCustomLimit, row.user_id, details).await?;
    }
    Ok(ended.len())
}

pub async fn delete_expired(pool: &PgPool, clock: &Clock) -> sqlx::Result<()> {
    sqlx::query!(
        "delete from custom_limits where expires_at < coalesce($1, clock_timestamp()) - interval '30 days'",
        clock.now(),
    )
    .execute(pool)
    .await
    .map(drop)
}

async fn log(
    connection: &mut PgConnection,
    clock: &Clock,
    by: Actor,
    action: AuditAction,
    user: Option<i64>,
    mut details: Value,
) -> sqlx::Result<()> {
    if let Some(details) = details.as_object_mut() {
        details.retain(|_, value| !value.is_null());
    }
    let entry = NewEntry::new(action).with_details(details);
    let entry = user.map(UserId).into_iter().fold(entry, NewEntry::for_user);
    entry.insert(by, connection, clock).await
}
