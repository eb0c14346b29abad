//! Parser for the time formats of other blog programs.

use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime, SubsecRound as _, Utc};

/// Parses a time in a common format. Times without a time zone are in UTC.
pub fn parse(text: &str) -> Option<DateTime<Utc>> {
    let text = text.trim();
    let zoned = ["%Y-%m-%d %H:%M:%S%.f %z", "%Y-%m-%d %H:%M %z", "%Y-%m-%dT%H:%M:%S%.f%z", "%Y-%m-%dT%H:%M%#z"];
    let plain = ["%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M"];
    let time = DateTime::parse_from_rfc3339(text).ok();
    let time = time.or_else(|| zoned.iter().find_map(|form| DateTime::parse_from_str(text, form).ok()));
    let time = time.or_else(|| DateTime::parse_from_rfc2822(text).ok()).map(|time| time.to_utc());
    let time = time
        .or_else(|| plain.iter().find_map(|form| NaiveDateTime::parse_from_str(text, form).ok()).map(|t| t.and_utc()));
    let day = || NaiveDate::parse_from_str(text, "%Y-%m-%d").ok().map(|day| day.and_time(NaiveTime::MIN).and_utc());
    // PostgreSQL stores times with a precision of one microsecond.
    time.or_else(day).map(|time| time.trunc_subsecs(6))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_many_blogs_are_read() {
        for (text, utc) in [
            ("2020-01-02", "2020-01-02T00:00:00Z"),
            ("2020-01-02 03:04:05", "2020-01-02T03:04:05Z"),
            ("2020-01-02 03:04", "2020-01-02T03:04:00Z"),
            ("2020-01-02 03:04:05 +0100", "2020-01-02T02:04:05Z"),
            ("2020-01-02T03:04:05+01:00", "2020-01-02T02:04:05Z"),
            ("2020-01-02 03:04:05 +03:30", "2020-01-01T23:34:05Z"),
            ("2020-01-02T03:04:05.123456789Z", "2020-01-02T03:04:05.123456Z"),
            ("Thu, 02 Jan 2020 03:04:05 +0000", "2020-01-02T03:04:05Z"),
        ] {
            assert_eq!(parse(text), Some(utc.parse().unwrap()), "{text}");
        }
        for bad in ["", "yesterday", "0000-00-00 00:00:00", "02.01.2020"] {
            assert_eq!(parse(bad), None, "{bad}");
        }
    }
}
