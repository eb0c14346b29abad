//! API tokens: secrets with which programs act for a user, within the limits of their scopes.

pub mod models;
pub mod secret;

use sqlx::PgPool;

use self::secret::TokenSecret;
use crate::db::batched_lookup::BatchedLookup;
use crate::db::clock::Clock;
use crate::users::sessions::user_lookup::{AuthenticatedUser, CredentialKind, UserLookup};
use crate::users::settings::Settings;
use crate::web::error::AppError;
use crate::web::request::current_user::{CurrentUser, RequestSource};
use crate::web::state::CoreState;

#[derive(Clone, Debug)]
pub struct TokenStore {
    pool: PgPool,
    clock: Clock,
    lookup: BatchedLookup<Vec<u8>, AuthenticatedUser>,
}

impl TokenStore {
    pub fn new(settings: Settings, state: &CoreState) -> Self {
        let by_hash = UserLookup { clock: state.clock.clone(), settings, kind: CredentialKind::Token };
        Self {
            pool: state.pool.clone(),
            clock: state.clock.clone(),
            lookup: BatchedLookup::start(&state.lookup_pool, by_hash),
        }
    }

    /// The returned user has a role only if the token has the scope `admin`.
    pub async fn find(&self, token: &str, from: RequestSource) -> Result<CurrentUser, AppError> {
        let hash = TokenSecret::parse(token).ok_or(AppError::InvalidToken)?.hash();
        let AuthenticatedUser { user, is_stale } =
            self.lookup.find(hash.clone()).await?.ok_or(AppError::InvalidToken)?;
        if is_stale {
            self.touch(&hash, from).await;
        }
        Ok(CurrentUser { from, ..user })
    }

    pub async fn delete_expired(&self) -> sqlx::Result<u64> {
        let deleted = sqlx::query!(
            "delete from api_tokens where expires_at <= coalesce($1, clock_timestamp())",
            self.clock.now()
        );
        Ok(deleted.execute(&self.pool).await?.rows_affected())
    }

    /// Records the time of the latest use. Database errors are only logged, so that the request succeeds.
    async fn touch(&self, hash: &[u8], from: RequestSource) {
        let touched = sqlx::query!(
            "update api_tokens set used_at = coalesce($2, clock_timestamp()), used_network = $3 where token_hash = $1",
            hash,
            self.clock.now(),
            from.network(),
        );
        if let Err(error) = touched.execute(&self.pool).await {
            tracing::debug!(%error, "last use of an API token not recorded");
        }
    }
}
