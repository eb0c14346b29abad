//! API tokens in the database.

use chrono::{DateTime, Utc};
use schemars::{JsonSchema, Schema, json_schema};
use serde::Serialize;
use sqlx::{PgConnection, PgPool};

use super::secret::TokenSecret;
use crate::access::ScopeSet;
use crate::db::clock::Clock;
use crate::i18n::Phrase;
use crate::phrase;
use crate::text::to_single_line;
use crate::web::request::current_user::UserId;
use crate::web::request::form_field::{Field, limit_chars};
use crate::web::request::id::id;

id! {
    TokenId
}

/// Maximum number of API tokens per user, not counting expired tokens.
pub const MAX_TOKENS: i64 = 50;

const MAX_NAME_CHARS: usize = 60;

/// API token without its secret, which is stored only as a hash.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema, Serialize)]
pub struct ApiToken {
    pub id: TokenId,
    pub name: String,
    pub scopes: Vec<String>,
    pub created_at: DateTime<Utc>,
    /// Expiry time; `None` if the token does not expire.
    pub expires_at: Option<DateTime<Utc>>,
    /// Time of the last request, accurate to five minutes; `None` if the token was never used.
    pub used_at: Option<DateTime<Utc>>,
    /// Network of the last request: an IPv4 address or an IPv6 /64 prefix.
    pub network: Option<String>,
}

#[derive(Clone, Debug)]
pub struct TokenName(pub String);

impl Field for TokenName {
    fn from_text(text: &str) -> Result<Self, Phrase> {
        match to_single_line(text) {
            empty if empty.is_empty() => Err(phrase!(Self::MISSING)),
            name => limit_chars(name, MAX_NAME_CHARS).map(Self),
        }
    }

    fn schema() -> Schema {
        json_schema!({ "type": "string", "minLength": 1, "maxLength": MAX_NAME_CHARS, "description": "Program that uses the token", "examples": ["backup"] })
    }
}

#[derive(Clone, Debug)]
pub struct NewToken {
    pub name: String,
    pub scopes: ScopeSet,
    /// Lifetime in days; `None` if the token does not expire.
    pub days: Option<i32>,
}

/// Returns `None` if the user has too many tokens. The caller must have called
/// [`lock_account_for_update`](crate::users::models::lock_account_for_update).
pub async fn create(
    connection: &mut PgConnection,
    clock: &Clock,
    UserId(user): UserId,
    new: &NewToken,
) -> sqlx::Result<Option<(ApiToken, TokenSecret)>> {
    let secret = TokenSecret::generate();
    let token = sqlx::query_as!(
        ApiToken,
        r#"insert into api_tokens (user_id, name, token_hash, scopes, created_at, expires_at)
        select $1, $2, $3, $4, clock.now, clock.now + make_interval(days => $5)
        from (select coalesce($6, clock_timestamp()) as now) clock
        where (select count(*) from api_tokens where user_id = $1 and (expires_at is null or expires_at > clock.now)) < $7
        returning id as "id: TokenId", name, scopes, created_at, expires_at, used_at, used_network as network"#,
        user,
        new.name,
        secret.hash(),
        &new.scopes.names(),
        new.days,
        clock.now(),
        MAX_TOKENS,
    );
    Ok(token.fetch_optional(connection).await?.map(|token| (token, secret)))
}

/// Returns unexpired tokens, the newest first.
pub async fn list(pool: &PgPool, clock: &Clock, UserId(user): UserId) -> sqlx::Result<Vec<ApiToken>> {
    let tokens = sqlx::query_as!(
        ApiToken,
        r#"select id as "id: TokenId", name, scopes, created_at, expires_at, used_at, used_network as network
        from api_tokens where user_id = $1 and (expires_at is null or expires_at > coalesce($2, clock_timestamp()))
        order by id desc limit $3"#,
        user,
        clock.now(),
        MAX_TOKENS,
    );
    tokens.fetch_all(pool).await
}

/// Returns the name of the token, or `None` if the user has no token with this id.
pub async fn revoke(
    connection: &mut PgConnection,
    UserId(user): UserId,
    TokenId(id): TokenId,
) -> sqlx::Result<Option<String>> {
    let name = sqlx::query_scalar!("delete from api_tokens where id = $1 and user_id = $2 returning name", id, user);
    name.fetch_optional(connection).await
}

pub async fn revoke_all(connection: &mut PgConnection, UserId(user): UserId) -> sqlx::Result<u64> {
    let revoked = sqlx::query!("delete from api_tokens where user_id = $1", user);
    Ok(revoked.execute(connection).await?.rows_affected())
}
