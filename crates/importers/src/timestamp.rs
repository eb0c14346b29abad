//! Parser for the time formats of other blog programs.

use chrono::{
    DateTime, Datelike as _, Duration, NaiveDate, NaiveDateTime, NaiveTime, SubsecRound as _, TimeZone as _, Utc,
};
use chrono_tz::Tz;

/// Parses a time in a common format. `zone` applies to a time without a time zone.
pub fn parse(text: &str, zone: Tz) -> Option<DateTime<Utc>> {
    let text = normalized(text.trim());
    let zoned = ["%Y-%m-%d %H:%M:%S%.f %z", "%Y-%m-%d %H:%M %z", "%Y-%m-%dT%H:%M:%S%.f%z", "%Y-%m-%dT%H:%M%#z"];
    let plain = ["%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M"];
    let time = DateTime::parse_from_rfc3339(&text).ok();
    let time = time.or_else(|| zoned.iter().find_map(|form| DateTime::parse_from_str(&text, form).ok()));
    let time = time.or_else(|| DateTime::parse_from_rfc2822(&text).ok()).map(|time| time.to_utc());
    let local = || {
        let time = plain.iter().find_map(|form| NaiveDateTime::parse_from_str(&text, form).ok());
        let time =
            time.or_else(|| Some(NaiveDate::parse_from_str(&text, "%Y-%m-%d").ok()?.and_time(NaiveTime::MIN)))?;
        // A local time that does not exist because clocks were set forward is moved one hour later.
        from_local(zone, time).or_else(|| from_local(zone, time.checked_add_signed(Duration::hours(1))?))
    };
    // PostgreSQL stores times with a precision of one microsecond.
    time.or_else(local).filter(is_in_range).map(|time| time.trunc_subsecs(6))
}

/// Converts local time to UTC. A time that occurs twice, when clocks are set back, means the first occurrence. Returns
/// `None` for a time that does not exist, when clocks are set forward.
pub fn from_local(zone: Tz, time: NaiveDateTime) -> Option<DateTime<Utc>> {
    zone.from_local_datetime(&time).earliest().map(|time| time.to_utc())
}

/// True for the years 1 to 9999. Conversion of other years to local time could overflow.
pub fn is_in_range(time: &DateTime<Utc>) -> bool {
    (1..=9999).contains(&time.year())
}

/// Changes `2013/06/05` to `2013-06-05`, and `UTC`, `GMT` or a separate `Z` to an offset.
fn normalized(text: &str) -> String {
    let day_end = text.find([' ', 'T']).unwrap_or(text.len());
    let (day, time) = text.split_at(day_end);
    let day = if day.starts_with(|c: char| c.is_ascii_digit()) { day.replace('/', "-") } else { day.to_owned() };
    let time =
        [" UTC", " GMT", " Z"].iter().find_map(|name| time.strip_suffix(name)).map(|time| format!("{time} +0000"));
    day + &time.unwrap_or_else(|| text[day_end..].to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_many_blogs_are_read() {
        let tehran: Tz = "Asia/Tehran".parse().unwrap();
        for (text, utc) in [
            ("2020-01-02", "2020-01-01T20:30:00Z"),
            ("2016-2-9", "2016-02-08T20:30:00Z"),
            ("2020-01-02 03:04:05", "2020-01-01T23:34:05Z"),
            ("2020-01-02 03:04", "2020-01-01T23:34:00Z"),
            ("2013/06/05 03:04:05", "2013-06-04T22:34:05Z"),
            ("2013-05-28 08:24:00.000000000 Z", "2013-05-28T08:24:00Z"),
            ("2013-05-30 14:48:00 UTC", "2013-05-30T14:48:00Z"),
            ("2020-01-02 03:04:05 +0100", "2020-01-02T02:04:05Z"),
            ("2020-01-02T03:04:05+01:00", "2020-01-02T02:04:05Z"),
            ("2020-01-02 03:04:05 +03:30", "2020-01-01T23:34:05Z"),
            ("2020-01-02T03:04:05.123456789Z", "2020-01-02T03:04:05.123456Z"),
            ("Thu, 02 Jan 2020 03:04:05 GMT", "2020-01-02T03:04:05Z"),
            ("Thu, 02 Jan 2020 03:04:05 +0000", "2020-01-02T03:04:05Z"),
        ] {
            assert_eq!(parse(text, tehran), Some(utc.parse().unwrap()), "{text}");
        }
        for bad in
            ["", "yesterday", "0000-00-00 00:00:00", "02.01.2020", "+262142-12-31 23:30:00 +0000", "+262142-12-31"]
        {
            assert_eq!(parse(bad, tehran), None, "{bad}");
        }
    }
}
