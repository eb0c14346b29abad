//! Ratings app: one rating per user and post. [`RateWriter`] writes the ratings of all requests.

pub mod endpoints;
pub mod error;
mod history;
pub mod limiter;
pub mod models;
mod moderation;
pub mod recount;
pub mod replay;
pub mod settings;
pub mod urls;
mod views;
pub mod writer;
pub mod zombie_pauses;

pub use self::limiter::overrides::ActiveLimiters;
pub use self::limiter::rating_limiter::{RatingLimiter, RatingLimiters};
pub use self::models::{Rate, RatingKey, Stars};
pub use self::settings::Settings;
pub use self::writer::RateWriter;
pub use self::writer::metrics::WriterMetrics;
pub use self::writer::submission::Operation;
pub use self::zombie_pauses::ZombiePauses;
