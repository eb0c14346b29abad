//! The time zones that times are shown in.

use std::str::FromStr;

use chrono::{DateTime, LocalResult, NaiveDateTime, TimeZone as _, Utc};
use chrono_tz::{TZ_VARIANTS, Tz};
use serde::{Deserialize, Serialize};

use super::field::Field;

/// A time zone of the IANA database; UTC unless somebody says otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Zone(Tz);

impl Default for Zone {
    fn default() -> Self {
        Self(Tz::UTC)
    }
}

impl FromStr for Zone {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let zone = TZ_VARIANTS.iter().find(|zone| zone.name().eq_ignore_ascii_case(text.trim()));
        zone.copied().map(Self).ok_or_else(|| "Use a time zone such as Europe/Berlin, Asia/Tehran or UTC.".to_owned())
    }
}

impl TryFrom<String> for Zone {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<Zone> for String {
    fn from(zone: Zone) -> Self {
        zone.name().to_owned()
    }
}

impl Field for Zone {
    fn from_text(text: &str) -> Result<Self, String> {
        text.parse()
    }
}

impl Zone {
    /// As the database names it.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.0.name()
    }

    /// The names of all zones.
    pub fn names() -> impl Iterator<Item = &'static str> {
        TZ_VARIANTS.iter().map(|zone| zone.name())
    }

    /// `20 November 2026`.
    #[must_use]
    pub fn day(self, time: &DateTime<Utc>) -> String {
        time.with_timezone(&self.0).format("%-d %B %Y").to_string()
    }

    /// `20 November 2026, 18:00 CET`.
    #[must_use]
    pub fn minute(self, time: &DateTime<Utc>) -> String {
        time.with_timezone(&self.0).format("%-d %B %Y, %H:%M %Z").to_string()
    }

    /// As a browser's field for dates and times has it: `2026-11-20T18:00`.
    #[must_use]
    pub fn in_form(self, time: &DateTime<Utc>) -> String {
        time.with_timezone(&self.0).format("%Y-%m-%dT%H:%M").to_string()
    }

    /// When clocks there show this: the first time, where they show it twice. None where they skip it.
    #[must_use]
    pub fn when(self, shown: NaiveDateTime) -> Option<DateTime<Utc>> {
        match self.0.from_local_datetime(&shown) {
            LocalResult::Single(time) | LocalResult::Ambiguous(time, _) => Some(time.to_utc()),
            LocalResult::None => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_shown_as_clocks_there_show_them() {
        let time = DateTime::from_timestamp(1_795_201_200, 0).unwrap();
        let zone = |name: &str| name.parse::<Zone>().unwrap();
        assert_eq!(Zone::default().minute(&time), "20 November 2026, 19:00 UTC");
        assert_eq!(zone("europe/berlin").minute(&time), "20 November 2026, 20:00 CET");
        assert_eq!(zone("Asia/Tehran").minute(&time), "20 November 2026, 22:30 +0330");
        assert_eq!(zone("Pacific/Kiritimati").day(&time), "21 November 2026");
        assert!("Europe/Atlantis".parse::<Zone>().is_err() && Zone::names().any(|name| name == "Asia/Tehran"));
    }

    #[test]
    fn a_clock_that_is_changed_skips_times_and_shows_others_twice() {
        let berlin: Zone = "Europe/Berlin".parse().unwrap();
        let when = |text: &str| berlin.when(NaiveDateTime::parse_from_str(text, "%Y-%m-%dT%H:%M").unwrap());
        assert_eq!(when("2026-07-01T12:00").unwrap().to_rfc3339(), "2026-07-01T10:00:00+00:00");
        assert_eq!(when("2026-03-29T02:30"), None);
        assert_eq!(when("2026-10-25T02:30").unwrap().to_rfc3339(), "2026-10-25T00:30:00+00:00");
        let time = when("2026-10-25T02:30").unwrap();
        assert_eq!(berlin.in_form(&time), "2026-10-25T02:30");
    }
}
