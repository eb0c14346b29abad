//! Errors of image views.

use std::time::Duration;

use crate::phrase;
use crate::web::error::{ErrorText, FeatureError, SECONDS_PER_DAY, error_text, retry_after_seconds};

#[derive(Debug, thiserror::Error)]
pub enum ImageError {
    #[error("too many image uploads; retry after {retry_after:?}")]
    RateLimited { retry_after: Duration },
    #[error("a post or profile of the user shows the image")]
    ImageInUse,
}

impl FeatureError for ImageError {
    fn error_text(&self) -> ErrorText {
        match self {
            Self::RateLimited { .. } => error_text(429, "images_limited", phrase!("error-images-limited")),
            Self::ImageInUse => error_text(409, "image_in_use", phrase!("error-image-in-use")),
        }
    }

    fn retry_after(&self) -> Option<i64> {
        let Self::RateLimited { retry_after } = self else { return None };
        Some(retry_after_seconds(*retry_after, SECONDS_PER_DAY))
    }
}
