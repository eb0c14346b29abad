//! Time limits of requests, so that neither an unresponsive database nor a slow client blocks a request forever.

use std::time::Duration;

use actix_web::HttpRequest;

use super::request::format::BodyKind;

/// Time limits for the body and for processing. actix-web only limits the time until the request head has arrived.
#[derive(Clone, Copy, Debug)]
pub struct TimeLimits {
    pub body: Duration,
    pub work: Duration,
}

impl TimeLimits {
    const ORDINARY: Self = Self { body: Duration::from_secs(10), work: Duration::from_secs(8) };
    /// Limits of uploads: one minute suffices for 10 MiB at 1.4 Mbit/s, and processing may wait for an image worker.
    const UPLOAD: Self = Self { body: Duration::from_mins(1), work: Duration::from_secs(40) };

    pub fn for_request(request: &HttpRequest) -> Self {
        let is_upload = matches!(BodyKind::from_headers(request.headers()), Ok(BodyKind::Multipart));
        if is_upload { Self::UPLOAD } else { Self::ORDINARY }
    }

    pub fn total(self, has_body: bool) -> Duration {
        if has_body { self.body + self.work } else { self.work }
    }
}
