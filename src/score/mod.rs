//! Scores of posts, and the setting `SCORE_SHOWN` that selects the displayed score.

pub mod contributions;
pub mod hourly_ratings;
pub mod rating_days;

use crate::config::{Env, InvalidSetting};

/// Also used to sort lists and in the structured data for search engines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DisplayedScore {
    /// Resists brigading ([`evenkeel_limiters::SteadyScore`]).
    #[default]
    Steady,
    Average,
}

/// Pages say that a score with fewer ratings rests on few ratings.
pub const MANY_RATINGS: i64 = 5;

impl DisplayedScore {
    /// `None` if the post has no ratings that count.
    pub fn select_score(self, steady: Option<f64>, average: f64, count: i64) -> Option<f64> {
        match self {
            Self::Steady => steady,
            Self::Average => (count > 0).then_some(average),
        }
    }

    pub fn from_env(env: &Env) -> Result<Self, InvalidSetting> {
        match env.get("SCORE_SHOWN")? {
            None | Some("steady") => Ok(Self::Steady),
            Some("average") => Ok(Self::Average),
            Some(_) => Err(env.invalid_setting("SCORE_SHOWN", "steady or average")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_steady_unless_it_is_the_average() {
        let read = |variables: &[(&str, &str)]| DisplayedScore::from_env(&variables.iter().copied().collect());
        assert_eq!(read(&[]).unwrap(), DisplayedScore::Steady);
        assert_eq!(read(&[("SCORE_SHOWN", "steady")]).unwrap(), DisplayedScore::Steady);
        assert_eq!(read(&[("SCORE_SHOWN", "average")]).unwrap(), DisplayedScore::Average);
        let error = read(&[("SCORE_SHOWN", "median")]).unwrap_err().to_string();
        assert_eq!(error, "SCORE_SHOWN is \"median\" but must be steady or average");
    }
}
