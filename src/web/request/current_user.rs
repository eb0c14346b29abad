//! Signed-in user of a request, which the sessions module loads.

use std::convert::Infallible;
use std::fmt::{self, Display};

use actix_web::{FromRequest, HttpRequest, dev};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use sqlx::PgExecutor;

use super::client::Client;
use super::id::id;
use super::role::{Role, UserBlock};
use super::scope::ScopeSet;
use crate::i18n::{DisplayTimeZone, Language};
use crate::site_policy::SitePolicy;
use crate::web::error::AppError;
use crate::web::routing::operation::{Describe, Operation};

id! {
    UserId
}

/// Signed-in user. As an extractor it fails with 401 `not_signed_in`; views that allow anonymous users extract
/// `Option<CurrentUser>`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CurrentUser {
    pub id: UserId,
    pub username: String,
    /// Effective staff role; `None` if the user has no staff permissions.
    pub role: Option<Role>,
    /// `true` if the user is staff but has no staff permissions until two-factor authentication is enabled.
    pub needs_second_factor: bool,
    /// `true` if staff approved the user as an author, which the publishing policy may require.
    pub is_approved: bool,
    pub block: Option<UserBlock>,
    /// Time at which the account will be deleted; `None` unless the user has requested its deletion.
    pub delete_at: Option<DateTime<Utc>>,
    /// Time zone chosen by the user.
    pub zone: Option<DisplayTimeZone>,
    /// Language chosen by the user.
    pub language: Option<Language>,
    /// Identifies the session or API token: SHA-256 of its secret in hexadecimal. It cannot be used to sign in.
    pub session: String,
    /// Scopes of the API token; `None` if the request has a session.
    #[serde(skip)]
    pub scopes: Option<ScopeSet>,
    /// `true` if the password was entered in this session recently enough to need no re-authentication.
    pub is_confirmed: bool,
    /// Time at which the password was last entered in this session; `None` for an API token.
    pub signed_in_at: Option<DateTime<Utc>>,
    #[serde(skip)]
    pub from: RequestSource,
}

/// Client and id of a request, for the audit log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RequestSource {
    client: Option<Client>,
    request: Option<RequestId>,
}

/// Id of a request in the log and in `X-Request-Id`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestId(pub u64);

impl Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl RequestSource {
    pub fn new(client: Option<Client>, request: RequestId) -> Self {
        Self { client, request: Some(request) }
    }

    /// Client network: an IPv4 route or an IPv6 /64 prefix.
    pub fn network(self) -> Option<String> {
        self.client.map(|client| client.network().to_string())
    }

    pub fn request_id(self) -> Option<String> {
        self.request.map(|request| request.to_string())
    }
}

impl Describe for RequestSource {}

impl FromRequest for RequestSource {
    type Error = Infallible;
    type Future = std::future::Ready<Result<Self, Infallible>>;

    fn from_request(request: &HttpRequest, _: &mut dev::Payload) -> Self::Future {
        std::future::ready(Ok(Self::for_request(request)))
    }
}

impl CurrentUser {
    pub fn is_staff(&self) -> bool {
        self.role.is_some()
    }

    /// Returns `true` if the user has at least this role.
    pub fn has_role(&self, role: Role) -> bool {
        self.role.is_some_and(|theirs| theirs >= role)
    }

    /// Returns `true` if the user may block or otherwise manage a user with the given role. Owners may manage
    /// everybody; other staff only users without a role or with a lower one.
    pub fn outranks(&self, role: Option<Role>) -> bool {
        role.is_none_or(|theirs| self.role > Some(theirs) || self.has_role(Role::Owner))
    }

    /// Fails with `role_needed` unless the user has at least this role.
    pub fn require_role(&self, role: Role) -> Result<(), AppError> {
        if self.has_role(role) { Ok(()) } else { Err(AppError::RoleNeeded { role }) }
    }

    /// Fails with `staff_only` unless the user is a staff member.
    pub fn require_staff(&self) -> Result<(), AppError> {
        if self.is_staff() { Ok(()) } else { Err(AppError::StaffOnly) }
    }

    pub fn may_publish(&self, policy: SitePolicy) -> bool {
        policy.publishing.allows(self.is_staff(), self.is_approved) && self.block.is_none()
    }

    /// Checks that the session or API token still exists, because it may have ended while the request was in progress.
    pub async fn check_credential(&self, executor: impl PgExecutor<'_>) -> Result<(), AppError> {
        let alive = sqlx::query_scalar!(r#"select is_credential(decode($1, 'hex')) as "alive!""#, self.session);
        if alive.fetch_one(executor).await? { Ok(()) } else { Err(AppError::NotSignedIn { next: None }) }
    }
}

impl Describe for CurrentUser {
    fn describe(operation: &mut Operation) {
        operation.needs_user = true;
    }
}

impl FromRequest for CurrentUser {
    type Error = AppError;
    type Future = std::future::Ready<Result<Self, AppError>>;

    fn from_request(request: &HttpRequest, _: &mut dev::Payload) -> Self::Future {
        std::future::ready(Self::for_request(request).ok_or(AppError::NotSignedIn { next: None }))
    }
}
