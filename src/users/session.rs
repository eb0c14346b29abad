//! Sessions: rows in Postgres, found by a hash of the cookie's value, and who they speak for.

use std::collections::HashMap;
use std::time::Duration;

use actix_session::config::{CookieContentSecurity, PersistentSession, TtlExtensionPolicy};
use actix_session::storage::{LoadError, SaveError, SessionKey, SessionStore, UpdateError, generate_session_key};
use actix_session::{Session, SessionExt as _, SessionMiddleware};
use actix_web::body::MessageBody;
use actix_web::cookie::SameSite;
use actix_web::cookie::time::Duration as CookieDuration;
use actix_web::dev::{self, ServiceRequest, ServiceResponse};
use actix_web::middleware::Next;
use actix_web::{FromRequest, HttpMessage as _, HttpRequest};
use anyhow::Context as _;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use sqlx::PgPool;

use crate::clock::Clock;
use crate::error::AppError;
use crate::settings::Settings;
use crate::state::AppState;

/// What the store puts into a loaded session: read with the row, so it is never stale.
const USER: &str = "user";
/// What signing in leaves in a new session.
const SIGNED_IN: &str = "signed_in";

/// `seen_at` is moved at most this often, so that reading rarely writes.
const TOUCH_EVERY: Duration = Duration::from_mins(5);

/// Whoever is signed in. As an extractor it answers 401 `not_signed_in` otherwise.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CurrentUser {
    pub id: i64,
    pub username: String,
    pub is_staff: bool,
}

impl CurrentUser {
    #[must_use]
    pub fn of(request: &HttpRequest) -> Option<Self> {
        request.extensions().get::<Self>().cloned()
    }
}

/// Runs inside the session middleware, which takes the session away with it when it is done: whoever logs
/// the request or shows an error still knows who asked.
///
/// # Errors
/// Those of the view.
pub async fn identify(
    request: ServiceRequest,
    next: Next<impl MessageBody>,
) -> Result<ServiceResponse<impl MessageBody>, actix_web::Error> {
    let user: Option<CurrentUser> = request.get_session().get(USER).ok().flatten();
    if let Some(user) = user {
        request.extensions_mut().insert(user);
    }
    next.call(request).await
}

impl FromRequest for CurrentUser {
    type Error = AppError;
    type Future = std::future::Ready<Result<Self, AppError>>;

    fn from_request(request: &HttpRequest, _: &mut dev::Payload) -> Self::Future {
        std::future::ready(Self::of(request).ok_or(AppError::NotSignedIn { next: None }))
    }
}

#[derive(Serialize, Deserialize)]
struct SignedIn {
    user_id: i64,
    session_version: i32,
}

/// Begins a session under a new id; an old one is dead at once.
///
/// # Errors
/// Never in practice: two numbers are serialised.
pub fn sign_in(session: &Session, user_id: i64, session_version: i32) -> Result<(), AppError> {
    session.clear();
    session.renew();
    let signed_in = SignedIn { user_id, session_version };
    session.insert(SIGNED_IN, signed_in).map_err(|error| AppError::Internal(error.to_string()))
}

/// The session middleware: one cookie, opaque, signed, for as long as the settings say.
#[must_use]
pub fn middleware(state: &AppState) -> SessionMiddleware<PostgresSessionStore> {
    let Settings { production, session_absolute, .. } = state.settings;
    let lifetime = CookieDuration::try_from(session_absolute).unwrap_or(CookieDuration::DAY);
    let lifecycle = PersistentSession::default()
        .session_ttl(lifetime)
        .session_ttl_extension_policy(TtlExtensionPolicy::OnStateChanges);
    SessionMiddleware::builder(store(state), state.keys.sessions.clone())
        .cookie_name(if production { "__Host-session" } else { "session" }.to_owned())
        .cookie_secure(production)
        .cookie_http_only(true)
        .cookie_same_site(SameSite::Lax)
        .cookie_content_security(CookieContentSecurity::Signed)
        .session_lifecycle(lifecycle)
        .build()
}

#[must_use]
pub fn store(state: &AppState) -> PostgresSessionStore {
    let idle = state.settings.session_idle;
    PostgresSessionStore { pool: state.pool.clone(), clock: state.clock.clone(), idle }
}

/// Keeps sessions in the table `sessions`. Every lifetime is measured by the database's clock.
#[derive(Clone, Debug)]
pub struct PostgresSessionStore {
    pool: PgPool,
    clock: Clock,
    idle: Duration,
}

fn hash(key: &SessionKey) -> Vec<u8> {
    Sha256::digest(key.as_ref().as_bytes()).to_vec()
}

impl PostgresSessionStore {
    async fn find(&self, key: &SessionKey) -> anyhow::Result<Option<CurrentUser>> {
        let touch_every = TOUCH_EVERY.min(self.idle / 4);
        let row = sqlx::query!(
            r#"with clock as (
                select coalesce($2, clock_timestamp()) as now
            ), found as (
                select s.token_hash, s.seen_at, u.id, u.username, u.is_staff
                from sessions s join users u on u.id = s.user_id, clock
                where s.token_hash = $1
                    and s.expires_at > clock.now
                    and s.seen_at > clock.now - make_interval(secs => $3)
                    and (s.state ->> 'session_version')::integer = u.session_version
            ), touched as (
                update sessions s set seen_at = clock.now from found, clock
                where s.token_hash = found.token_hash and found.seen_at < clock.now - make_interval(secs => $4)
            )
            select id, username, is_staff from found"#,
            hash(key),
            self.clock.now(),
            self.idle.as_secs_f64(),
            touch_every.as_secs_f64(),
        );
        let row = row.fetch_optional(&self.pool).await?;
        Ok(row.map(|row| CurrentUser { id: row.id, username: row.username, is_staff: row.is_staff }))
    }

    async fn insert(&self, state: HashMap<String, String>, ttl: &CookieDuration) -> anyhow::Result<SessionKey> {
        let signed_in = state.get(SIGNED_IN).context("a session without a user")?;
        let SignedIn { user_id, session_version } = serde_json::from_str(signed_in)?;
        let key = generate_session_key();
        sqlx::query!(
            r#"insert into sessions (token_hash, user_id, state, created_at, seen_at, expires_at)
            select $1, $2, $3, clock.now, clock.now, clock.now + make_interval(secs => $4)
            from (select coalesce($5, clock_timestamp()) as now) clock"#,
            hash(&key),
            user_id,
            json!({ "session_version": session_version }),
            ttl.as_seconds_f64(),
            self.clock.now(),
        )
        .execute(&self.pool)
        .await?;
        Ok(key)
    }
}

impl SessionStore for PostgresSessionStore {
    async fn load(&self, key: &SessionKey) -> Result<Option<HashMap<String, String>>, LoadError> {
        let user = self.find(key).await.map_err(LoadError::Other)?;
        let Some(user) = user else { return Ok(None) };
        let user = serde_json::to_string(&user).map_err(|error| LoadError::Other(error.into()))?;
        Ok(Some(HashMap::from([(USER.to_owned(), user)])))
    }

    async fn save(&self, state: HashMap<String, String>, ttl: &CookieDuration) -> Result<SessionKey, SaveError> {
        self.insert(state, ttl).await.map_err(SaveError::Other)
    }

    /// Never revives a row that is gone: a request in flight may not undo a sign-out.
    async fn update(
        &self,
        key: SessionKey,
        state: HashMap<String, String>,
        _: &CookieDuration,
    ) -> Result<SessionKey, UpdateError> {
        let version = state.get(SIGNED_IN).and_then(|text| serde_json::from_str::<Value>(text).ok());
        if let Some(version) = version.as_ref().and_then(|value| value.get("session_version")) {
            let state = json!({ "session_version": version });
            let updated = sqlx::query!("update sessions set state = $2 where token_hash = $1", hash(&key), state);
            updated.execute(&self.pool).await.map_err(|error| UpdateError::Other(error.into()))?;
        }
        Ok(key)
    }

    /// Lifetimes are absolute, and `load` moves `seen_at`: nothing is left to extend.
    async fn update_ttl(&self, _: &SessionKey, _: &CookieDuration) -> anyhow::Result<()> {
        Ok(())
    }

    async fn delete(&self, key: &SessionKey) -> anyhow::Result<()> {
        sqlx::query!("delete from sessions where token_hash = $1", hash(key)).execute(&self.pool).await?;
        Ok(())
    }
}

/// Deletes the sessions that nobody can use any more. Returns how many.
///
/// # Errors
/// When the database cannot be asked.
pub async fn delete_expired(state: &AppState) -> sqlx::Result<u64> {
    let deleted = sqlx::query!(
        r#"delete from sessions using (select coalesce($1, clock_timestamp()) as now) clock
        where expires_at <= clock.now or seen_at <= clock.now - make_interval(secs => $2)"#,
        state.clock.now(),
        state.settings.session_idle.as_secs_f64(),
    );
    Ok(deleted.execute(&state.pool).await?.rows_affected())
}
