//! Rate limits that apply to a request, for the page, the form and the response headers.

use actix_web::http::header::{HeaderName, HeaderValue};

use crate::i18n::Phrase;
use crate::web::error::AppError;

/// Warning shown on every page to a user who is rate limited, or close to it.
#[derive(Clone, Debug)]
pub struct RateLimitWarning {
    pub text: Phrase,
    pub class: &'static str,
    /// Seconds until the limit ends; `None` if the user is not limited yet.
    pub wait_s: Option<i64>,
}

#[derive(Clone, Debug)]
pub struct RateLimitHeaders(pub [(HeaderName, HeaderValue); 2]);

#[derive(Clone, Copy, Debug)]
pub struct RateLimited {
    pub class: &'static str,
    pub retry_after_s: i64,
    pub close: bool,
}

impl From<RateLimited> for AppError {
    fn from(RateLimited { class, retry_after_s, close }: RateLimited) -> Self {
        Self::RateLimited { class, retry_after_s, close }
    }
}
