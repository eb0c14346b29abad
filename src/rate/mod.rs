//! Ratings app: one rating per user and post. [`RatingWriter`] writes the ratings of all requests.

mod change_rating;
pub mod endpoints;
pub mod error;
mod history;
pub mod limiter;
pub mod models;
mod moderation;
mod own_ratings;
mod rate_post;
mod rating_stats;
pub mod recount;
pub mod settings;
pub mod site_ratings;
pub mod surges;
pub mod urls;
mod withdraw_rating;
pub mod writer;
pub mod zombie_pauses;

pub use self::limiter::overrides::ActiveLimiterCache;
pub use self::limiter::{RatingLimiter, RatingLimiters};
pub use self::models::{Rating, RatingKey, RatingOperation, Stars};
pub use self::settings::Settings;
pub use self::writer::RatingWriter;
pub use self::writer::transaction::WriterMetrics;
pub use self::zombie_pauses::ZombiePauses;
