//! Moderators leave days out of a post's steady score, or take them in again. Each time they say why, and everybody can
//! read that: what they have decided is an open log, in which nothing is changed.

mod input;
mod models;
pub mod views;

pub use self::models::{Moderation, SHOWN, of_post, reasons, stars};
