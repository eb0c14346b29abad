//! Time zones for displaying times.

use std::str::FromStr;

use chrono::{DateTime, NaiveDateTime, TimeZone as _, Utc};
use chrono_tz::{TZ_VARIANTS, Tz};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Time zone of the IANA database. The default is UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct DisplayTimeZone(Tz);

#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("unknown time zone; expected a name such as Europe/Berlin, Asia/Tehran or UTC")]
pub struct UnknownTimeZone;

impl Default for DisplayTimeZone {
    fn default() -> Self {
        Self(Tz::UTC)
    }
}

impl FromStr for DisplayTimeZone {
    type Err = UnknownTimeZone;

    fn from_str(text: &str) -> Result<Self, UnknownTimeZone> {
        let zone = TZ_VARIANTS.iter().find(|zone| zone.name().eq_ignore_ascii_case(text.trim()));
        zone.copied().map(Self).ok_or(UnknownTimeZone)
    }
}

impl TryFrom<String> for DisplayTimeZone {
    type Error = UnknownTimeZone;

    fn try_from(text: String) -> Result<Self, UnknownTimeZone> {
        text.parse()
    }
}

impl From<DisplayTimeZone> for String {
    fn from(zone: DisplayTimeZone) -> Self {
        zone.name().to_owned()
    }
}

impl DisplayTimeZone {
    pub fn name(self) -> &'static str {
        self.0.name()
    }

    pub fn zone(self) -> Tz {
        self.0
    }

    pub fn names() -> impl Iterator<Item = &'static str> {
        TZ_VARIANTS.iter().map(|zone| zone.name())
    }

    pub fn to_local(self, time: DateTime<Utc>) -> NaiveDateTime {
        time.with_timezone(&self.0).naive_local()
    }

    /// Formats a time for an `<input type="datetime-local">`: `2026-11-20T18:00`.
    pub fn format_datetime_local(self, time: &DateTime<Utc>) -> String {
        time.with_timezone(&self.0).format("%Y-%m-%dT%H:%M").to_string()
    }

    /// Converts a local time to UTC: to its first occurrence, if clocks are set back and the time occurs twice, or to
    /// `None`, if clocks are set forward and skip the time.
    pub fn from_local(self, shown: NaiveDateTime) -> Option<DateTime<Utc>> {
        self.0.from_local_datetime(&shown).earliest().map(|time| time.to_utc())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_is_changed_skips_times_and_shows_others_twice() {
        let berlin: DisplayTimeZone = "Europe/Berlin".parse().unwrap();
        let when = |text: &str| berlin.from_local(NaiveDateTime::parse_from_str(text, "%Y-%m-%dT%H:%M").unwrap());
        assert_eq!(when("2026-07-01T12:00").unwrap().to_rfc3339(), "2026-07-01T10:00:00+00:00");
        assert_eq!(when("2026-03-29T02:30"), None);
        assert_eq!(when("2026-10-25T02:30").unwrap().to_rfc3339(), "2026-10-25T00:30:00+00:00");
        let time = when("2026-10-25T02:30").unwrap();
        assert_eq!(berlin.format_datetime_local(&time), "2026-10-25T02:30");
    }
}
