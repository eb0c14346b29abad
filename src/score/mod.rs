//! Scores of posts, and the setting `SCORE_SHOWN` that selects the displayed score.

pub mod contributions;
pub mod hourly_ratings;
pub mod rating_days;

use crate::config::{Env, InvalidSetting};

/// Score that pages show, that lists are sorted by, and that structured data for search engines contains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, strum::EnumString, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum DisplayedScore {
    /// Resists brigading ([`evenkeel_limiters::SteadyScore`]).
    #[default]
    Steady,
    Average,
}

/// Number of ratings below which pages state that the score rests on few ratings.
pub const MIN_RATINGS_WITHOUT_NOTE: i64 = 5;

impl DisplayedScore {
    /// Score to display; `None` if no rating of the post counts.
    pub fn select_score(self, steady: Option<f64>, average: f64, count: i64) -> Option<f64> {
        match self {
            Self::Steady => steady,
            Self::Average => (count > 0).then_some(average),
        }
    }

    pub fn from_env(env: &Env) -> Result<Self, InvalidSetting> {
        Ok(env.parse("SCORE_SHOWN", "steady or average")?.unwrap_or_default())
    }
}
