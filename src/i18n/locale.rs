//! Localized formats of numbers, dates and times.

use chrono::{DateTime, Datelike as _, NaiveDate, Timelike as _, Utc};
use icu_calendar::Iso;
use icu_datetime::input::{Date, DateTime as DayAndTime, Time};
use icu_time::ZonedDateTime;
use icu_time::zone::{TimeZone, UtcOffset};

use super::catalogue::{LocaleFormatters, format_decimal};
use super::language::Language;
use super::time_zone::DisplayTimeZone;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Locale {
    pub language: Language,
    pub zone: DisplayTimeZone,
}

impl Locale {
    #[expect(clippy::cast_precision_loss, reason = "what is counted here is far below 2^53")]
    pub fn format_number(self, number: i64) -> String {
        self.format_decimal(number as f64, 0)
    }

    pub fn format_decimal(self, number: f64, decimals: usize) -> String {
        format_decimal(self.language.catalogue().formats().number.as_ref(), number, decimals)
    }

    pub fn format_day(self, time: DateTime<Utc>) -> String {
        self.format_calendar_date(self.zone.to_local(time).date())
    }

    pub fn format_calendar_date(self, day: NaiveDate) -> String {
        self.format_date(day, |formats, date| Some(formats.day.as_ref()?.format(&date).to_string()))
    }

    pub fn format_month_and_day(self, day: NaiveDate) -> String {
        self.format_date(day, |formats, date| Some(formats.day_of_year.as_ref()?.format(&date).to_string()))
    }

    fn format_date(self, day: NaiveDate, shown: impl FnOnce(&LocaleFormatters, Date<Iso>) -> Option<String>) -> String {
        let formats = self.language.catalogue().formats();
        date(day).and_then(|date| shown(formats, date)).unwrap_or_else(|| day.to_string())
    }

    pub fn format_time(self, hour: u32, minute: u32) -> String {
        let format = self.language.catalogue().formats().time.as_ref();
        let time = time(hour, minute);
        format
            .zip(time)
            .map_or_else(|| format!("{hour:02}:{minute:02}"), |(format, time)| format.format(&time).to_string())
    }

    /// Formats a time such as `20 November 2026 at 18:00`.
    pub fn format_local_time(self, day: NaiveDate, hour: u32, minute: u32) -> String {
        let format = self.language.catalogue().formats().hour.as_ref();
        let Some((format, (date, time))) = format.zip(date(day).zip(time(hour, minute))) else {
            return day.to_string();
        };
        format.format(&DayAndTime { date, time }).to_string()
    }

    /// Formats a time such as `20 November 2026 at 18:05 CET`.
    pub fn format_date_with_time(self, at: DateTime<Utc>) -> String {
        let local = self.zone.to_local(at);
        let parts = date(local.date()).zip(time(local.hour(), local.minute()));
        let Some((format, (date, time))) = self.language.catalogue().formats().minute.as_ref().zip(parts) else {
            return at.to_rfc3339();
        };
        let offset = i32::try_from((local.and_utc() - at).num_seconds()).ok();
        let offset = offset.and_then(|seconds| UtcOffset::try_from_seconds(seconds).ok());
        let zone = TimeZone::from_iana_id(self.zone.name()).with_offset(offset).at_date_time(DayAndTime { date, time });
        format.format(&ZonedDateTime { date, time, zone }).to_string()
    }
}

fn date(day: NaiveDate) -> Option<Date<Iso>> {
    Date::try_new_iso(day.year(), u8::try_from(day.month()).ok()?, u8::try_from(day.day()).ok()?).ok()
}

fn time(hour: u32, minute: u32) -> Option<Time> {
    Time::try_new(u8::try_from(hour).ok()?, u8::try_from(minute).ok()?, 0, 0).ok()
}

/// Replaces Persian and Arabic digits with ASCII digits, as in `۱۲۳` and `١٢٣`.
pub fn to_ascii_digits(text: &str) -> String {
    let ascii = |c: char| match c {
        '۰'..='۹' => char::from_digit(u32::from(c) - u32::from('۰'), 10).unwrap_or(c),
        '٠'..='٩' => char::from_digit(u32::from(c) - u32::from('٠'), 10).unwrap_or(c),
        c => c,
    };
    text.chars().map(ascii).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn locale(language: &str, zone: &str) -> Locale {
        Locale { language: language.parse().unwrap(), zone: zone.parse().unwrap() }
    }

    #[test]
    fn times_are_shown_as_clocks_there_show_them_and_people_write_them() {
        let time = DateTime::from_timestamp(1_795_201_200, 0).unwrap();
        for (language, zone, day, minute) in [
            ("en", "UTC", "20 November 2026", "20 November 2026 at 19:00 UTC"),
            ("en", "europe/berlin", "20 November 2026", "20 November 2026 at 20:00 CET"),
            ("en", "Asia/Tehran", "20 November 2026", "20 November 2026 at 22:30 GMT+3:30"),
            ("en", "Pacific/Kiritimati", "21 November 2026", "21 November 2026 at 09:00 GMT+14"),
            ("de", "Europe/Berlin", "20. November 2026", "20. November 2026 um 20:00 MEZ"),
            ("fa", "UTC", "۲۹ آبان ۱۴۰۵", "۲۹ آبان ۱۴۰۵ ساعت ۱۹:۰۰ (UTC)"),
            ("fa", "Asia/Tehran", "۲۹ آبان ۱۴۰۵", "۲۹ آبان ۱۴۰۵ ساعت ۲۲:۳۰ (\u{200e}+۳:۳۰ گرینویچ)"),
        ] {
            let locale = locale(language, zone);
            assert_eq!(
                (locale.format_day(time).as_str(), locale.format_date_with_time(time).as_str()),
                (day, minute),
                "{language} {zone}"
            );
        }
    }

    #[test]
    fn numbers_have_the_digits_and_marks_of_the_language() {
        for (language, number, score) in [("en", "2,003", "4.3"), ("de", "2.003", "4,3"), ("fa", "۲٬۰۰۳", "۴٫۳")]
        {
            let locale = locale(language, "UTC");
            assert_eq!(
                (locale.format_number(2003).as_str(), locale.format_decimal(4.25001, 1).as_str()),
                (number, score)
            );
        }
        assert_eq!(locale("en", "UTC").format_decimal(4.0, 2), "4.00");
    }
}
