//! When people should be told that something unusual happens to the ratings of a post. No limiter, as it refuses nobody: it
//! looks at what a limiter has refused.

use serde::{Deserialize, Serialize};

use super::limiter::{InvalidParameter, require};

/// Parameters of [`UnusualActivity`]. Each field says what is allowed, and then its default.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct UnusualActivityParams {
    /// With fewer people refused than this no hour is unusual. At least 1; 10.
    pub least: i64,
    /// The share of those who came that has to be refused, in percent. From 0 to 100; 20.
    pub share_percent: i64,
    /// How many times as many as usual have to come. At least 0; 3.
    pub factor: f64,
    /// How far the mean of those who were refused has to be from the score, in stars. At least 0; 0.4.
    pub shift: f64,
    /// Added to `shift`, divided by the square root of their number: a margin for few. At least 0; 1.5.
    pub noise: f64,
    /// Hours without anything unusual after which it is over. At least 1; 2.
    pub quiet_hours: i64,
}

impl Default for UnusualActivityParams {
    fn default() -> Self {
        Self { least: 10, share_percent: 20, factor: 3.0, shift: 0.4, noise: 1.5, quiet_hours: 2 }
    }
}

/// What happened to one key in an hour. Changes of ratings are not in it, and nobody is in it twice: one person alone
/// cannot make an hour unusual.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HourTally {
    /// Which hour, as a number of hours since 1970-01-01.
    pub hour: i64,
    /// People who were admitted.
    pub admitted: i64,
    /// People who were refused.
    pub refused: i64,
    /// The sum of their stars.
    pub refused_stars: i64,
}

/// What is usual for a key.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Usual {
    /// How many come on a usual day (see [`SteadyScoreState::usual`](super::SteadyScoreState)).
    pub per_day: f64,
    /// The score that is not moved by crowds; none before there is one.
    pub score: Option<f64>,
}

/// Something unusual that is not over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unusual {
    /// The first unusual hour.
    pub since: i64,
    /// People who were refused since its beginning.
    pub refused: i64,
}

/// The rule: an hour is unusual if enough people were refused in it (`least`), if they are a fair share of all who came
/// (`share_percent`), if many more came than on a usual day of this key (`factor`), and if those who were refused are of
/// another mind than those before (`shift`): many who like a post as all others do are its fame, and nothing to be told. It
/// is over after `quiet_hours` whole hours in which nothing was unusual.
///
/// ```
/// use evenkeel_limiters::{HourTally, Unusual, UnusualActivity, Usual};
///
/// let rule = UnusualActivity::default();
/// // Twelve come on a usual day. At ten o'clock 300 come, of whom 200 are refused, with one star each.
/// let usual = Usual { per_day: 12.0, score: Some(4.1) };
/// let hours = [HourTally { hour: 10, admitted: 100, refused: 200, refused_stars: 200 }];
/// assert_eq!(rule.at(&hours, usual, 10), Some(Unusual { since: 10, refused: 200 }));
/// // It is told until one o'clock: the hours from eleven were quiet.
/// assert!(rule.at(&hours, usual, 12).is_some());
/// assert_eq!(rule.at(&hours, usual, 13), None);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct UnusualActivity {
    params: UnusualActivityParams,
}

impl UnusualActivity {
    /// # Errors
    /// If a parameter is out of its range.
    pub fn new(params: UnusualActivityParams) -> Result<Self, InvalidParameter> {
        require(params.least >= 1, "least", "at least 1")?;
        require((0..=100).contains(&params.share_percent), "share_percent", "from 0 to 100")?;
        require(params.factor.is_finite() && params.factor >= 0.0, "factor", "a number, at least 0")?;
        require(params.shift.is_finite() && params.shift >= 0.0, "shift", "a number, at least 0")?;
        require(params.noise.is_finite() && params.noise >= 0.0, "noise", "a number, at least 0")?;
        require(params.quiet_hours >= 1, "quiet_hours", "at least 1")?;
        Ok(Self { params })
    }

    /// Whether an hour is unusual.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
    pub fn is_unusual(&self, hour: HourTally, usual: Usual) -> bool {
        let HourTally { admitted, refused, refused_stars, .. } = hour;
        let came = admitted.saturating_add(refused);
        let margin = self.params.shift + self.params.noise / (refused as f64).sqrt();
        let is_apart = |score: f64| (refused_stars as f64 / refused as f64 - score).abs() > margin;
        refused >= self.params.least
            && i128::from(refused) * 100 >= i128::from(came) * i128::from(self.params.share_percent)
            && came as f64 > self.params.factor * usual.per_day / 24.0
            && usual.score.is_none_or(is_apart)
    }

    /// What is unusual in the hour `now`, and since when. `hours` are the latest ones, the earliest of them first; those in
    /// which nobody came may be missing.
    #[must_use]
    pub fn at(&self, hours: &[HourTally], usual: Usual, now: i64) -> Option<Unusual> {
        let known = hours.iter().filter(|hour| hour.hour <= now);
        let mut unusual = known.clone().rev().filter(|hour| self.is_unusual(**hour, usual)).map(|hour| hour.hour);
        let quiet = |from: i64, to: i64| to.saturating_sub(from) > self.params.quiet_hours;
        let mut since = unusual.next().filter(|last| !quiet(*last, now))?;
        for hour in unusual {
            if quiet(hour, since) {
                break;
            }
            since = hour;
        }
        let refused = known.filter(|hour| hour.hour >= since).map(|hour| hour.refused).sum();
        Some(Unusual { since, refused })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hour(hour: i64, admitted: i64, refused: i64) -> HourTally {
        HourTally { hour, admitted, refused, refused_stars: refused }
    }

    #[test]
    fn an_hour_is_unusual_by_number_share_and_what_is_usual() {
        let rule = UnusualActivity::default();
        let unusual = |admitted, refused, per_day| {
            rule.is_unusual(hour(0, admitted, refused), Usual { per_day, score: Some(4.0) })
        };
        assert!(unusual(0, 10, 0.0) && !unusual(0, 9, 0.0));
        assert!(unusual(40, 10, 0.0) && !unusual(41, 10, 0.0));
        // With 80 on a usual day, ten an hour are three times the usual.
        assert!(!unusual(0, 10, 80.0) && unusual(0, 11, 80.0));
        assert!(unusual(i64::MAX, i64::MAX, 0.0) && !unusual(0, 0, 0.0) && !unusual(0, 10, f64::NAN));
    }

    #[test]
    fn it_begins_after_quiet_hours_and_ends_with_them() {
        let rule = UnusualActivity::default();
        let at = |hours: &[HourTally], now| rule.at(hours, Usual::default(), now);
        let hours = [hour(80, 0, 50), hour(97, 1, 20), hour(98, 5, 3), hour(99, 0, 30), hour(100, 0, 9)];
        assert_eq!(at(&hours, 100), Some(Unusual { since: 97, refused: 62 }));
        assert_eq!(at(&hours, 101), Some(Unusual { since: 97, refused: 62 }));
        assert_eq!(at(&hours, 102), None);
        // What is to come is not known yet.
        assert_eq!(at(&hours, 97), Some(Unusual { since: 97, refused: 20 }));
        assert_eq!(at(&hours, 96), None);
        assert_eq!((at(&[], 0), at(&[hour(i64::MIN, 0, 99)], i64::MAX)), (None, None));
    }

    #[test]
    fn what_a_day_usually_brings_is_not_unusual_however_many_are_refused() {
        // A hundred come every hour, of whom a third is refused each time.
        let hours: Vec<HourTally> = (0..48).map(|number| hour(number, 67, 33)).collect();
        let usual = |per_day| Usual { per_day, score: None };
        assert_eq!(UnusualActivity::default().at(&hours, usual(2_400.0), 47), None);
        assert!(UnusualActivity::default().at(&hours, usual(24.0), 47).is_some());
    }

    #[test]
    fn those_of_the_usual_mind_are_not_unusual_and_praise_is_as_attack() {
        let rule = UnusualActivity::default();
        let unusual = |stars: i64, score| {
            let hour = HourTally { hour: 0, admitted: 0, refused: 100, refused_stars: 100 * stars };
            rule.is_unusual(hour, Usual { per_day: 0.0, score })
        };
        assert!(unusual(1, Some(4.0)) && unusual(5, Some(2.0)) && unusual(4, None));
        assert!(!unusual(4, Some(4.0)) && !unusual(4, Some(4.5)) && unusual(4, Some(4.6)));
    }

    #[test]
    fn parameters_out_of_range_are_named() {
        let wrong = |change: fn(&mut UnusualActivityParams)| {
            let mut params = UnusualActivityParams::default();
            change(&mut params);
            UnusualActivity::new(params).unwrap_err().to_string()
        };
        assert_eq!(wrong(|params| params.least = 0), "least must be at least 1");
        assert_eq!(wrong(|params| params.share_percent = 101), "share_percent must be from 0 to 100");
        assert_eq!(wrong(|params| params.factor = f64::NAN), "factor must be a number, at least 0");
        assert_eq!(wrong(|params| params.shift = -1.0), "shift must be a number, at least 0");
        assert_eq!(wrong(|params| params.noise = f64::INFINITY), "noise must be a number, at least 0");
        assert_eq!(wrong(|params| params.quiet_hours = 0), "quiet_hours must be at least 1");
    }
}
