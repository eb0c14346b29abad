//! Who asks: whoever is signed in. Filled in by whoever knows sessions.

use std::rc::Rc;

use actix_web::{FromRequest, HttpMessage as _, HttpRequest, dev};
use futures_util::future::LocalBoxFuture;
use serde::{Deserialize, Serialize};

use super::error::AppError;
use super::id::id;

id! {
    /// The id of a user.
    UserId
}

/// Whoever is signed in. As an extractor it answers 401 `not_signed_in` otherwise; where that is no matter,
/// `Option<CurrentUser>` is the extractor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CurrentUser {
    pub id: UserId,
    pub username: String,
    pub is_staff: bool,
    /// Names the session, and is of no use to sign in with: the hash of the cookie's value, in hexadecimal digits.
    pub session: String,
}

impl CurrentUser {
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

/// Left on the request of whoever is signed in: asks whether they still are. `not_signed_in` where they are not.
#[derive(Clone)]
pub struct StillSignedIn(pub Rc<dyn Fn() -> LocalBoxFuture<'static, Result<(), AppError>>>);

impl StillSignedIn {
    #[must_use]
    pub fn of(request: &HttpRequest) -> Option<Self> {
        request.extensions().get::<Self>().cloned()
    }
}
