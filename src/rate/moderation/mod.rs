//! Moderation of scores: staff exclude days from a post's steady score or include them again, with a published reason.

mod input;
mod models;
pub mod views;

pub use self::models::{Moderation, PAGE_SIZE, find_exclusion_reasons, format_score, list_moderations};
