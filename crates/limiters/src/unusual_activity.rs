//! Detection of unusual rating activity, so that people can be notified. See [`UnusualActivityDetector`].

#[cfg(not(feature = "std"))]
use num_traits::Float as _;
use serde::{Deserialize, Serialize};

use super::limiter::{InvalidParameter, validate_parameter};

/// Parameters of [`UnusualActivityDetector`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct UnusualActivityParams {
    /// Minimum number of refused users in an unusual hour. At least 1; default 10.
    pub least: i64,
    /// Minimum share of refused users among all users of an unusual hour, in percent. From 0 to 100; default 20.
    pub share_percent: i64,
    /// An hour is unusual if its number of users exceeds the usual number by more than this factor. At least 0; default
    /// 3.
    pub factor: f64,
    /// Minimum distance between the mean of the refused ratings and the score, in stars (exclusive). At least 0;
    /// default 0.4.
    pub shift: f64,
    /// Additional margin for small numbers of users: this number of stars, divided by the square root of the number of
    /// refused users, is added to `shift`. At least 0; default 1.5.
    pub noise: f64,
    /// Number of consecutive usual hours after which unusual activity has ended. At least 1; default 2.
    pub quiet_hours: i64,
}

impl Default for UnusualActivityParams {
    fn default() -> Self {
        Self { least: 10, share_percent: 20, factor: 3.0, shift: 0.4, noise: 1.5, quiet_hours: 2 }
    }
}

/// Numbers of users who rated one key (such as a post) in one hour. Changed ratings are not included, and each user is
/// counted only once, so that a single user cannot make an hour unusual.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HourTally {
    /// Number of the hour: whole hours since 1970-01-01 00:00 UTC.
    pub hour: i64,
    /// Number of users whose rating was admitted.
    pub admitted: i64,
    /// Number of users whose rating was refused.
    pub refused: i64,
    /// Sum of the stars of the refused ratings.
    pub refused_stars: i64,
}

/// Usual rating activity of a key, such as a post.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct UsualActivity {
    /// Usual number of ratings per day (see [`SteadyScoreState::usual`](super::SteadyScoreState)).
    pub per_day: f64,
    /// Score on which brigades have little influence, such as the steady score; `None` while the key has no score.
    pub score: Option<f64>,
}

/// Unusual activity that has not ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OngoingUnusualActivity {
    /// First unusual hour, in whole hours since 1970-01-01 00:00 UTC.
    pub since: i64,
    /// Number of users who were refused since the start of the first unusual hour.
    pub refused: i64,
}

/// A detector that decides from hourly counts when people should be notified of unusual rating activity. The detector
/// refuses no ratings: its input is the number of users that a limiter admitted and refused.
///
/// An hour is unusual if all of these hold:
///
/// - at least `least` users were refused;
/// - the refused users are at least `share_percent` of all users of the hour;
/// - the number of users is more than `factor` times the number of a usual hour (`per_day / 24`);
/// - the mean of the refused stars differs from the score by more than `shift + noise / sqrt(refused)`. Many users
///   with the usual opinion are only a sign of popularity. This condition is skipped if there is no score.
///
/// Unusual activity ends after `quiet_hours` whole hours that are usual.
///
/// ```
/// use evenkeel_limiters::{HourTally, OngoingUnusualActivity, UnusualActivityDetector, UsualActivity};
///
/// let rule = UnusualActivityDetector::default();
/// // 12 users come on a usual day. In hour 10, 300 users come, of whom 200 are refused, with one star each.
/// let usual = UsualActivity { per_day: 12.0, score: Some(4.1) };
/// let hours = [HourTally { hour: 10, admitted: 100, refused: 200, refused_stars: 200 }];
/// assert_eq!(rule.detect(&hours, usual, 10), Some(OngoingUnusualActivity { since: 10, refused: 200 }));
/// // The activity ends with hour 13, because hours 11 and 12 were usual.
/// assert!(rule.detect(&hours, usual, 12).is_some());
/// assert_eq!(rule.detect(&hours, usual, 13), None);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct UnusualActivityDetector {
    params: UnusualActivityParams,
}

impl UnusualActivityDetector {
    /// Validates the parameters, and creates a detector.
    ///
    /// # Errors
    /// Returns an error that names the first parameter out of its range.
    pub fn new(params: UnusualActivityParams) -> Result<Self, InvalidParameter> {
        validate_parameter(params.least >= 1, "least", "at least 1")?;
        validate_parameter((0..=100).contains(&params.share_percent), "share_percent", "from 0 to 100")?;
        validate_parameter(params.factor.is_finite() && params.factor >= 0.0, "factor", "a number of at least 0")?;
        validate_parameter(params.shift.is_finite() && params.shift >= 0.0, "shift", "a number of at least 0")?;
        validate_parameter(params.noise.is_finite() && params.noise >= 0.0, "noise", "a number of at least 0")?;
        validate_parameter(params.quiet_hours >= 1, "quiet_hours", "at least 1")?;
        Ok(Self { params })
    }

    /// Returns true if the hour meets all conditions of [`UnusualActivityDetector`].
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
    pub fn is_unusual(&self, hour: HourTally, usual: UsualActivity) -> bool {
        let HourTally { admitted, refused, refused_stars, .. } = hour;
        let came = admitted.saturating_add(refused);
        let margin = self.params.shift + self.params.noise / (refused as f64).sqrt();
        let is_apart = |score: f64| (refused_stars as f64 / refused as f64 - score).abs() > margin;
        refused >= self.params.least
            && i128::from(refused) * 100 >= i128::from(came) * i128::from(self.params.share_percent)
            && came as f64 > self.params.factor * usual.per_day / 24.0
            && usual.score.is_none_or(is_apart)
    }

    /// Returns the unusual activity that is still ongoing in the hour `now`.
    ///
    /// `hours` are the latest hours in ascending order; hours without ratings may be missing, and hours after `now` are
    /// ignored.
    #[must_use]
    pub fn detect(&self, hours: &[HourTally], usual: UsualActivity, now: i64) -> Option<OngoingUnusualActivity> {
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
        Some(OngoingUnusualActivity { since, refused })
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
        let rule = UnusualActivityDetector::default();
        let unusual = |admitted, refused, per_day| {
            rule.is_unusual(hour(0, admitted, refused), UsualActivity { per_day, score: Some(4.0) })
        };
        assert!(unusual(0, 10, 0.0) && !unusual(0, 9, 0.0));
        assert!(unusual(40, 10, 0.0) && !unusual(41, 10, 0.0));
        // With 80 users per day, the limit is three times 80 / 24, which is exactly ten users in an hour.
        assert!(!unusual(0, 10, 80.0) && unusual(0, 11, 80.0));
        assert!(unusual(i64::MAX, i64::MAX, 0.0) && !unusual(0, 0, 0.0) && !unusual(0, 10, f64::NAN));
    }

    #[test]
    fn it_begins_after_quiet_hours_and_ends_with_them() {
        let rule = UnusualActivityDetector::default();
        let at = |hours: &[HourTally], now| rule.detect(hours, UsualActivity::default(), now);
        let hours = [hour(80, 0, 50), hour(97, 1, 20), hour(98, 5, 3), hour(99, 0, 30), hour(100, 0, 9)];
        assert_eq!(at(&hours, 100), Some(OngoingUnusualActivity { since: 97, refused: 62 }));
        assert_eq!(at(&hours, 101), Some(OngoingUnusualActivity { since: 97, refused: 62 }));
        assert_eq!(at(&hours, 102), None);
        // Hours after `now` are ignored.
        assert_eq!(at(&hours, 97), Some(OngoingUnusualActivity { since: 97, refused: 20 }));
        assert_eq!(at(&hours, 96), None);
        assert_eq!((at(&[], 0), at(&[hour(i64::MIN, 0, 99)], i64::MAX)), (None, None));
    }

    #[test]
    fn usual_traffic_is_not_unusual_even_if_refused() {
        // A hundred users come every hour, and a third of them is refused each time.
        let hours: Vec<HourTally> = (0..48).map(|number| hour(number, 67, 33)).collect();
        let usual = |per_day| UsualActivity { per_day, score: None };
        assert_eq!(UnusualActivityDetector::default().detect(&hours, usual(2_400.0), 47), None);
        assert!(UnusualActivityDetector::default().detect(&hours, usual(24.0), 47).is_some());
    }

    #[test]
    fn usual_opinion_is_not_unusual() {
        let rule = UnusualActivityDetector::default();
        let unusual = |stars: i64, score| {
            let hour = HourTally { hour: 0, admitted: 0, refused: 100, refused_stars: 100 * stars };
            rule.is_unusual(hour, UsualActivity { per_day: 0.0, score })
        };
        assert!(unusual(1, Some(4.0)) && unusual(5, Some(2.0)) && unusual(4, None));
        assert!(!unusual(4, Some(4.0)) && !unusual(4, Some(4.5)) && unusual(4, Some(4.6)));
    }

    #[test]
    fn parameters_out_of_range_are_named() {
        let wrong = |change: fn(&mut UnusualActivityParams)| {
            let mut params = UnusualActivityParams::default();
            change(&mut params);
            UnusualActivityDetector::new(params).unwrap_err().to_string()
        };
        assert_eq!(wrong(|params| params.least = 0), "least must be at least 1");
        assert_eq!(wrong(|params| params.share_percent = 101), "share_percent must be from 0 to 100");
        assert_eq!(wrong(|params| params.factor = f64::NAN), "factor must be a number of at least 0");
        assert_eq!(wrong(|params| params.shift = -1.0), "shift must be a number of at least 0");
        assert_eq!(wrong(|params| params.noise = f64::INFINITY), "noise must be a number of at least 0");
        assert_eq!(wrong(|params| params.quiet_hours = 0), "quiet_hours must be at least 1");
    }
}
