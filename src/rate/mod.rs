//! Ratings: one for each reader and post, written in one place.

mod batch;
pub mod choices;
pub mod endpoints;
mod gate;
mod history;
mod measured;
pub mod models;
mod moderation;
pub mod pauses;
mod published_periods;
pub mod refused;
mod rows;
mod score;
pub mod settings;
mod submission;
pub mod urls;
mod views;
pub mod writer;

pub use self::choices::LiveGates;
pub use self::gate::{Gate, Gates};
pub use self::measured::Measured;
pub use self::models::{Pair, Rate, Stars};
pub use self::pauses::Pauses;
pub use self::settings::Settings;
pub use self::submission::Act;
pub use self::writer::RateWriter;
