//! What rate limiting leaves on a request for others to use: for its page, its form and its headers.

use actix_web::http::header::{HeaderName, HeaderValue};
use actix_web::{HttpMessage as _, HttpRequest};

use crate::i18n::Phrase;
use crate::web::error::AppError;

/// Tells a person, on every page, that they are limited or will be soon.
#[derive(Clone, Debug)]
pub struct Warning {
    pub text: Phrase,
    /// The class of requests that it is about.
    pub class: &'static str,
    /// Seconds until the limit is over; `None` if the person is not limited yet.
    pub wait_s: Option<i64>,
}

impl Warning {
    #[must_use]
    pub fn of(request: &HttpRequest) -> Option<Self> {
        request.extensions().get::<Self>().cloned()
    }
}

/// The header fields that tell a client how many requests it has left.
#[derive(Clone, Debug)]
pub struct RateLimitFields(pub [(HeaderName, HeaderValue); 2]);

/// Says that the client is limited. Left on a request whose form is shown again with what was typed.
#[derive(Clone, Copy, Debug)]
pub struct Limited {
    pub class: &'static str,
    pub retry_after_s: i64,
    /// Whether the connection is to be closed.
    pub close: bool,
}

impl Limited {
    #[must_use]
    pub fn of(request: &HttpRequest) -> Option<Self> {
        request.extensions().get::<Self>().copied()
    }
}

impl From<Limited> for AppError {
    fn from(Limited { class, retry_after_s, close }: Limited) -> Self {
        Self::ClassLimited { class, retry_after_s, close }
    }
}
