//! Signed-in user of a request, which the sessions module loads.

use std::fmt::{self, Display};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use sqlx::PgExecutor;

use super::client::Client;
use super::id::id;
use crate::access::{Role, ScopeSet, UserBlock};
use crate::i18n::{DisplayTimeZone, Language};
use crate::site::policy::{PublishingPolicy, SitePolicy};
use crate::web::error::AppError;
use crate::web::routing::operation::{Describe, Operation};

id! {
    UserId
}

/// As an extractor, rejects anonymous requests with `not_signed_in`. Views for all visitors use `Option<CurrentUser>`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CurrentUser {
    pub id: UserId,
    pub username: String,
    pub role: Option<Role>,
    /// `true` if the user is staff but has no staff permissions until two-factor authentication is enabled.
    pub needs_second_factor: bool,
    /// `true` if staff approved the user as an author, which the publishing policy may require.
    pub is_approved: bool,
    pub block: Option<UserBlock>,
    /// Time at which the account will be deleted; `None` unless the user has requested its deletion.
    pub delete_at: Option<DateTime<Utc>>,
    pub zone: Option<DisplayTimeZone>,
    pub language: Option<Language>,
    /// Hexadecimal SHA-256 of the secret of the session or API token, which cannot be used to sign in.
    pub session: String,
    #[serde(skip)]
    pub scopes: Option<ScopeSet>,
    /// `true` if the password was entered in this session recently enough to need no re-authentication.
    pub is_confirmed: bool,
    /// Time at which the password was last entered in this session; `None` for an API token.
    pub signed_in_at: Option<DateTime<Utc>>,
    #[serde(skip)]
    pub from: RequestSource,
}

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

    /// IPv4 address or IPv6 /64 prefix of the client.
    pub fn network(self) -> Option<String> {
        self.client.map(|client| client.network().to_string())
    }

    pub fn request_id(self) -> Option<String> {
        self.request.map(|request| request.to_string())
    }
}

extractor!(RequestSource, Self::for_request);

impl CurrentUser {
    pub fn is_staff(&self) -> bool {
        self.role.is_some()
    }

    pub fn has_role(&self, role: Role) -> bool {
        self.role.is_some_and(|theirs| theirs >= role)
    }

    /// Owners may manage all users; other staff may manage users without a role or with a lower role.
    pub fn outranks(&self, role: Option<Role>) -> bool {
        role.is_none_or(|theirs| self.role > Some(theirs) || self.has_role(Role::Owner))
    }

    pub fn require_role(&self, role: Role) -> Result<(), AppError> {
        if self.has_role(role) { Ok(()) } else { Err(AppError::RoleNeeded { role }) }
    }

    pub fn require_staff(&self) -> Result<(), AppError> {
        if self.is_staff() { Ok(()) } else { Err(AppError::StaffOnly) }
    }

    pub fn may_publish(&self, policy: SitePolicy) -> bool {
        policy.publishing.allows(self.is_staff(), self.is_approved) && self.block.is_none()
    }

    /// True if posts of the user are published after a review by staff.
    pub fn may_submit(&self, policy: SitePolicy) -> bool {
        policy.publishing == PublishingPolicy::Reviewed && !self.may_publish(policy) && self.block.is_none()
    }

    /// Fails if the session or API token has ended while the request was in progress.
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

extractor!(CurrentUser, AppError, |request| { Self::for_request(request).ok_or(AppError::NotSignedIn { next: None }) });
