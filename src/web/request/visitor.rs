//! Who is signed in. Sessions are the business of another module, which leaves these types on the request.

use std::convert::Infallible;
use std::fmt::{self, Display};
use std::rc::Rc;

use actix_web::{FromRequest, HttpMessage as _, HttpRequest, dev};
use chrono::{DateTime, Utc};
use futures_util::future::LocalBoxFuture;
use serde::{Deserialize, Serialize};

use super::client::Client;
use super::id::id;
use super::role::{Block, Role};
use crate::i18n::{Language, Zone};
use crate::policy::Policy;
use crate::web::error::AppError;
use crate::web::routing::route::{Class, Route};

id! {
    /// The id of a user.
    UserId
}

/// The user who is signed in. As an extractor it answers 401 `not_signed_in` if nobody is; views that also work without
/// a user extract `Option<CurrentUser>`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CurrentUser {
    pub id: UserId,
    pub username: String,
    /// What they may do as staff; none: they are none.
    pub role: Option<Role>,
    /// Whether they would be staff with a second factor, and have none.
    pub needs_second_factor: bool,
    /// Whether staff let them publish, where that is needed.
    pub is_approved: bool,
    /// None: they may do what everybody may.
    pub block: Option<Block>,
    /// When their account is to be deleted.
    pub delete_at: Option<DateTime<Utc>>,
    /// What they want times to be shown in.
    pub zone: Option<Zone>,
    /// What they want to read.
    pub language: Option<Language>,
    /// Identifies the session: the hash of the cookie's value, in hexadecimal digits. It cannot be used to sign in.
    pub session: String,
    /// Whether this session gave its password a moment ago.
    pub is_confirmed: bool,
    /// Where this request of theirs came from.
    #[serde(skip)]
    pub from: Origin,
}

/// Where a request came from, for those who ask later who did something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    client: Option<Client>,
    request: Option<RequestId>,
}

/// The name of a request in the log, left on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestId(pub u64);

impl Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl Origin {
    #[must_use]
    pub fn of(request: &HttpRequest) -> Self {
        Self { client: Client::of(request), request: request.extensions().get().copied() }
    }

    /// As limits count it.
    #[must_use]
    pub fn network(self) -> Option<String> {
        self.client.map(|client| client.network().to_string())
    }

    /// As the log names it.
    #[must_use]
    pub fn request_id(self) -> Option<String> {
        self.request.map(|request| request.to_string())
    }
}

impl FromRequest for Origin {
    type Error = Infallible;
    type Future = std::future::Ready<Result<Self, Infallible>>;

    fn from_request(request: &HttpRequest, _: &mut dev::Payload) -> Self::Future {
        std::future::ready(Ok(Self::of(request)))
    }
}

impl CurrentUser {
    #[must_use]
    pub fn is_staff(&self) -> bool {
        self.role.is_some()
    }

    /// Whether they may do what somebody with this role may.
    #[must_use]
    pub fn is(&self, role: Role) -> bool {
        self.role.is_some_and(|theirs| theirs >= role)
    }

    /// Whether they may end sessions, block and so on of somebody with this role: of one that is lower, and owners of all.
    #[must_use]
    pub fn outranks(&self, role: Option<Role>) -> bool {
        role.is_none_or(|theirs| self.role > Some(theirs) || self.is(Role::Owner))
    }

    /// # Errors
    /// `role_needed` for those whose role is lower.
    pub fn must_be(&self, role: Role) -> Result<(), AppError> {
        if self.is(role) { Ok(()) } else { Err(AppError::RoleNeeded { role }) }
    }

    /// # Errors
    /// `staff_only` for everybody else.
    pub fn must_be_staff(&self) -> Result<(), AppError> {
        if self.is_staff() { Ok(()) } else { Err(AppError::StaffOnly) }
    }

    /// Whether whoever asks may do what they ask for.
    ///
    /// # Errors
    /// To those who are not staff there is nothing at the addresses of staff: `not_found`. `role_needed` for staff whose role
    /// is too low, `blocked` for those who may only read.
    pub fn may_act(request: &HttpRequest) -> Result<(), AppError> {
        let Some(address) = Route::of(request) else { return Ok(()) };
        let (extensions, method) = (request.extensions(), request.method());
        let user: Option<&Self> = extensions.get();
        if let Some(role) = address.role.filter(|_| address.methods.contains(method)) {
            match user {
                Some(user) if user.is(role) => (),
                Some(user) if user.is_staff() => return Err(AppError::RoleNeeded { role }),
                _ => return Err(AppError::NotFound),
            }
        }
        match user.and_then(|user| user.block.as_ref()) {
            Some(block) if matches!(address.class_of(method), Class::Write | Class::Rate) => {
                Err(AppError::Blocked(block.clone()))
            }
            _ => Ok(()),
        }
    }

    #[must_use]
    pub fn may_publish(&self, policy: Policy) -> bool {
        policy.publishing.allows(self.is_staff(), self.is_approved) && self.block.is_none()
    }

    #[must_use]
    pub fn of(request: &HttpRequest) -> Option<Self> {
        request.extensions().get::<Self>().cloned()
    }
}

impl FromRequest for CurrentUser {
    type Error = AppError;
    type Future = std::future::Ready<Result<Self, AppError>>;

    fn from_request(request: &HttpRequest, _: &mut dev::Payload) -> Self::Future {
        std::future::ready(Self::of(request).ok_or(AppError::NotSignedIn { next: None }))
    }
}

/// Asks whether the request's user is still signed in: `not_signed_in` if not. Left on the requests of signed-in users.
#[derive(Clone)]
pub struct StillSignedIn(pub Rc<dyn Fn() -> LocalBoxFuture<'static, Result<(), AppError>>>);

impl StillSignedIn {
    #[must_use]
    pub fn of(request: &HttpRequest) -> Option<Self> {
        request.extensions().get::<Self>().cloned()
    }
}
