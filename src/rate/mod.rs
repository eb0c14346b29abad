//! Ratings: one for each reader and post, written in one place.

mod batch;
mod gate;
mod history;
pub mod models;
pub mod pauses;
pub mod urls;
mod views;
mod writer;

pub use self::gate::Gates;
pub use self::models::{Rate, Stars};
pub use self::pauses::Pauses;
pub use self::writer::{Act, RateWriter};
