//! Sessions in `PostgreSQL`, which are found by the hash of the cookie value and loaded together with their users.

pub(crate) mod device;
pub(crate) mod user_lookup;

use std::collections::HashMap;

use actix_session::config::{CookieContentSecurity, PersistentSession, TtlExtensionPolicy};
use actix_session::storage::{LoadError, SaveError, SessionKey, SessionStore, UpdateError, generate_session_key};
use actix_session::{Session, SessionExt as _, SessionMiddleware};
use actix_web::body::{BoxBody, MessageBody};
use actix_web::cookie::SameSite;
use actix_web::cookie::time::Duration as CookieDuration;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::middleware::Next;
use actix_web::web;
use anyhow::Context as _;
use serde_json::json;
use sha2::{Digest as _, Sha256};
use sqlx::{PgConnection, PgPool};

use self::device::Device;
use self::user_lookup::{AuthenticatedUser, CredentialKind, UserLookup};
use super::settings::Settings;
use crate::db::batched_lookup::BatchedLookup;
use crate::db::clock::Clock;
use crate::signing::Keys;
use crate::state::AppState;
use crate::web::error::AppError;
use crate::web::request::context::RequestContext;
use crate::web::request::cookies::CookieName;
use crate::web::request::credentials::{bearer_credentials, has_session_cookie};
use crate::web::request::current_user::{CurrentUser, RequestSource, UserId};
use crate::web::state::CoreState;

const MAX_SESSIONS: i64 = 100;

/// Key of the signed-in user in the session state. The user is never stale, because one query reads session and user.
const USER: &str = "user";
/// Key of a new session id in the session state. The session cookie gets this id.
const NEW_SESSION_KEY: &str = "begun";

/// Adds the user of the session or API token to the [`RequestContext`], because the session middleware discards its
/// data before the request is logged and error pages are rendered.
pub async fn load_user(
    request: ServiceRequest,
    next: Next<impl MessageBody>,
) -> Result<ServiceResponse<impl MessageBody>, actix_web::Error> {
    let from = RequestSource::for_request(request.request());
    let user = match bearer_credentials(request.headers())? {
        Some(token) => Some(Box::pin(find_token_user(&request, token, from)).await?),
        None => request.get_session().get(USER).ok().flatten().map(|user| CurrentUser { from, ..user }),
    };
    RequestContext::update(&request, |context| context.user = user);
    next.call(request).await
}

async fn find_token_user(request: &ServiceRequest, token: &str, from: RequestSource) -> Result<CurrentUser, AppError> {
    if has_session_cookie(request.request()) {
        return Err(AppError::TwoCredentials);
    }
    let state = request
        .app_data::<web::Data<AppState>>()
        .ok_or_else(|| AppError::Internal("the application has no state".to_owned()))?;
    state.accounts.tokens.find(token, from).await
}

/// Middleware that runs after the rate limits. The error response keeps the request, so that the log contains the user.
pub async fn check_permissions(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, actix_web::Error> {
    let checked =
        RequestContext::from_request(request.request()).map(|context| context.check_permissions(request.method()));
    match checked.unwrap_or(Ok(())) {
        Ok(()) => next.call(request).await.map(ServiceResponse::map_into_boxed_body),
        Err(error) => Ok(request.error_response(error)),
    }
}

pub async fn end_other_sessions(connection: &mut PgConnection, user: &CurrentUser) -> sqlx::Result<()> {
    let ended = sqlx::query!(
        "delete from sessions where user_id = $1 and token_hash <> decode($2, 'hex')",
        user.id.0,
        user.session,
    );
    ended.execute(connection).await.map(drop)
}

pub async fn delete_expired(pool: &PgPool, clock: &Clock, settings: &Settings) -> sqlx::Result<u64> {
    let deleted = sqlx::query!(
        r#"delete from sessions using (select coalesce($1, clock_timestamp()) as now) clock
            where expires_at <= clock.now or seen_at <= clock.now - make_interval(secs => $2)"#,
        clock.now(),
        settings.session_idle.as_secs_f64(),
    );
    Ok(deleted.execute(pool).await?.rows_affected())
}

/// Id of a new session, to be stored in the session cookie with [`set_session_cookie`].
#[derive(Debug)]
pub struct NewSessionId(String);

pub fn set_session_cookie(session: &Session, NewSessionId(key): NewSessionId) -> Result<(), AppError> {
    session.clear();
    session.insert(NEW_SESSION_KEY, key).map_err(|error| AppError::Internal(error.to_string()))
}

/// Session store for actix-session, which measures session lifetimes with the clock of the database.
#[derive(Clone, Debug)]
pub struct PgSessionStore {
    pool: PgPool,
    clock: Clock,
    settings: Settings,
    keys: Keys,
    lookup: BatchedLookup<Vec<u8>, AuthenticatedUser>,
    secure: bool,
}

impl PgSessionStore {
    pub fn new(settings: Settings, state: &CoreState) -> Self {
        let by_hash = UserLookup { clock: state.clock.clone(), settings, kind: CredentialKind::Session };
        Self {
            pool: state.pool.clone(),
            clock: state.clock.clone(),
            settings,
            keys: state.keys.clone(),
            lookup: BatchedLookup::start(&state.lookup_pool, by_hash),
            secure: state.settings.production,
        }
    }

    pub fn middleware(&self) -> SessionMiddleware<Self> {
        let lifetime = CookieDuration::try_from(self.settings.session_absolute).unwrap_or(CookieDuration::DAY);
        let lifecycle = PersistentSession::default()
            .session_ttl(lifetime)
            .session_ttl_extension_policy(TtlExtensionPolicy::OnStateChanges);
        SessionMiddleware::builder(self.clone(), self.keys.session_key())
            .cookie_name(CookieName::Session.name(self.secure).to_owned())
            .cookie_secure(self.secure)
            .cookie_http_only(true)
            .cookie_same_site(SameSite::Lax)
            .cookie_content_security(CookieContentSecurity::Signed)
            .session_lifecycle(lifecycle)
            .build()
    }

    /// Ends a previous session of the same browser, and the oldest sessions beyond `MAX_SESSIONS`. Pass the result to
    /// [`set_session_cookie`] after the commit.
    pub async fn create_session(
        &self,
        connection: &mut PgConnection,
        user: UserId,
        session_version: i32,
        old: Option<&CurrentUser>,
        device: &Device,
    ) -> sqlx::Result<NewSessionId> {
        let key = generate_session_key();
        sqlx::query!(
            r#"with ended as (delete from sessions where token_hash = decode($6, 'hex')),
            oldest as (
                delete from sessions where token_hash in (
                    select token_hash from sessions where user_id = $2 order by created_at desc offset $9
                )
            )
            insert into sessions (token_hash, user_id, state, created_at, seen_at, expires_at, network, device)
            select $1, $2, $3, clock.now, clock.now, clock.now + make_interval(secs => $4), $7, $8
            from (select coalesce($5, clock_timestamp()) as now) clock"#,
            hash(&key),
            user.0,
            json!({ "session_version": session_version }),
            self.settings.session_absolute.as_secs_f64(),
            self.clock.now(),
            old.map(|old| old.session.as_str()),
            device.network,
            device.name,
            MAX_SESSIONS - 1,
        )
        .execute(connection)
        .await?;
        Ok(NewSessionId(key.as_ref().to_owned()))
    }

    /// Replaces the id of the session. Returns the user with the new session id.
    pub async fn rotate_id(&self, session: &Session, user: &CurrentUser) -> Result<CurrentUser, AppError> {
        let key = generate_session_key();
        let renewed = sqlx::query_scalar!(
            // Locks the account row first, in the same order as the erasure of accounts, to avoid deadlocks.
            r#"with account as materialized (select id from users where id = $4 and erased_at is null for key share),
            factor as (
                update second_factors set session = $2
                where session = decode($1, 'hex') and user_id in (select id from account)
            )
            update sessions set token_hash = $2, confirmed_at = coalesce($3, clock_timestamp())
            where token_hash = decode($1, 'hex') and user_id in (select id from account)
            returning encode(token_hash, 'hex') as "session!""#,
            user.session,
            hash(&key),
            self.clock.now(),
            user.id.0,
        );
        let renewed = renewed.fetch_optional(&self.pool).await?.ok_or(AppError::NotSignedIn { next: None })?;
        set_session_cookie(session, NewSessionId(key.as_ref().to_owned()))?;
        Ok(CurrentUser { session: renewed, is_confirmed: true, ..user.clone() })
    }

    pub async fn delete_expired(&self) -> sqlx::Result<u64> {
        delete_expired(&self.pool, &self.clock, &self.settings).await
    }

    async fn find(&self, key: &SessionKey) -> anyhow::Result<Option<CurrentUser>> {
        let Some(AuthenticatedUser { user, is_stale }) = self.lookup.find(hash(key)).await? else { return Ok(None) };
        if is_stale {
            self.touch(key).await;
        }
        Ok(Some(user))
    }

    /// Records the time of the latest use. Database errors are only logged, so that the request succeeds.
    async fn touch(&self, key: &SessionKey) {
        let touched = sqlx::query!(
            "update sessions set seen_at = coalesce($2, clock_timestamp()) where token_hash = $1",
            hash(key),
            self.clock.now(),
        );
        // Boxed, because each request allocates the future that loads a session, but few requests update `seen_at`.
        if let Err(error) = Box::pin(touched.execute(&self.pool)).await {
            tracing::debug!(%error, "last use of a session not recorded");
        }
    }

    /// Id of the session that was created during this request. The session state is never changed in any other way.
    fn begun(state: &HashMap<String, String>) -> anyhow::Result<Option<SessionKey>> {
        let Some(begun) = state.get(NEW_SESSION_KEY) else { return Ok(None) };
        let key: String = serde_json::from_str(begun)?;
        Ok(Some(key.try_into()?))
    }
}

/// Unlike other stores of actix-session, this store writes no sessions, because sign-in writes them in its own
/// transaction. Session and user are read in one query, so that a block or a password change takes effect at once.
impl SessionStore for PgSessionStore {
    async fn load(&self, key: &SessionKey) -> Result<Option<HashMap<String, String>>, LoadError> {
        let user = self.find(key).await.map_err(LoadError::Other)?;
        let Some(user) = user else { return Ok(None) };
        let user = serde_json::to_string(&user).map_err(|error| LoadError::Other(error.into()))?;
        Ok(Some(HashMap::from([(USER.to_owned(), user)])))
    }

    /// Writes nothing, because [`PgSessionStore::create_session`] has already written the session.
    async fn save(&self, state: HashMap<String, String>, _: &CookieDuration) -> Result<SessionKey, SaveError> {
        let begun = Self::begun(&state).map_err(SaveError::Other)?;
        begun.context("the session was not created by a sign-in").map_err(SaveError::Other)
    }

    /// A deleted session stays deleted: a concurrent request must not undo a sign-out.
    async fn update(
        &self,
        key: SessionKey,
        state: HashMap<String, String>,
        _: &CookieDuration,
    ) -> Result<SessionKey, UpdateError> {
        Ok(Self::begun(&state).map_err(UpdateError::Other)?.unwrap_or(key))
    }

    /// Does nothing, because session lifetimes are absolute, and `load` updates `seen_at`.
    async fn update_ttl(&self, _: &SessionKey, _: &CookieDuration) -> anyhow::Result<()> {
        Ok(())
    }

    async fn delete(&self, key: &SessionKey) -> anyhow::Result<()> {
        let deleted = sqlx::query!("delete from sessions where token_hash = $1", hash(key));
        // Boxed, because the session middleware allocates the future of this method for every request.
        Box::pin(deleted.execute(&self.pool)).await?;
        Ok(())
    }
}

fn hash(key: &SessionKey) -> Vec<u8> {
    Sha256::digest(key.as_ref().as_bytes()).to_vec()
}
