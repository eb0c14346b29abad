//! Template filters for messages, numbers and dates: `{{ "sign-in"|t }}`, `{{ "posts-found"|t|with("count", count) }}`,
//! `{{ post.published_at|day }}`.
//!
//! Rendering a page requires the askama value [`LOCALE_KEY`] and fails without it.

#![allow(clippy::inline_always, reason = "the macro `filter_fn` adds the attribute")]

use std::fmt::{self, Display};

use askama::filters::Safe;
use askama::{Result, Values, get_value};
use chrono::{DateTime, NaiveDate, Utc};

use super::locale::Locale;
use super::phrase::{Phrase, PhraseValue, ToPhrase};
use super::quantities::format_rfc3339;
use crate::phrase;

pub const LOCALE_KEY: &str = "locale";

#[derive(Debug)]
pub struct LocalizedPhrase {
    phrase: Phrase,
    locale: Locale,
}

impl Display for LocalizedPhrase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.phrase.translate_to_text(self.locale))
    }
}

fn locale(values: &dyn Values) -> Result<Locale> {
    get_value::<Locale>(values, LOCALE_KEY).copied()
}

#[askama::filter_fn]
pub fn t<T: ToPhrase>(phrase: T, values: &dyn Values) -> Result<LocalizedPhrase> {
    Ok(LocalizedPhrase { phrase: phrase.to_phrase(), locale: locale(values)? })
}

#[askama::filter_fn]
pub fn with<T: ToPhraseValue>(
    localized: LocalizedPhrase,
    _: &dyn Values,
    name: &'static str,
    value: T,
) -> Result<LocalizedPhrase> {
    Ok(LocalizedPhrase { phrase: localized.phrase.with_argument(name, value.to_value()), locale: localized.locale })
}

/// Adds a one-time key to the URL of a form, so that a double click takes effect once.
#[askama::filter_fn]
pub fn once(path: impl Display, _: &dyn Values) -> Result<String> {
    let path = path.to_string();
    let separator = if path.contains('?') { '&' } else { '?' };
    Ok(format!("{path}{separator}once={:032x}", rand::random::<u128>()))
}

/// Renders a message that contains HTML tags.
#[askama::filter_fn]
pub fn html(localized: LocalizedPhrase, _: &dyn Values) -> Result<Safe<String>> {
    Ok(Safe(localized.phrase.translate_to_html(localized.locale).into_owned()))
}

#[askama::filter_fn]
pub fn number<T: TemplateValue<i64>>(number: T, values: &dyn Values) -> Result<String> {
    Ok(locale(values)?.format_number(number.plain()))
}

#[askama::filter_fn]
pub fn decimal<T: TemplateValue<f64>>(
    number: T,
    values: &dyn Values,
    #[optional(1)] decimals: usize,
) -> Result<String> {
    Ok(locale(values)?.format_decimal(number.plain(), decimals))
}

#[askama::filter_fn]
pub fn day<T: TemplateValue<DateTime<Utc>>>(time: T, values: &dyn Values) -> Result<Safe<String>> {
    let time = time.plain();
    Ok(Safe(time_element(time, &locale(values)?.format_day(time))))
}

#[askama::filter_fn]
pub fn minute<T: TemplateValue<DateTime<Utc>>>(time: T, values: &dyn Values) -> Result<Safe<String>> {
    let time = time.plain();
    Ok(Safe(time_element(time, &locale(values)?.format_date_with_time(time))))
}

/// Formats a time relative to `now`, or as a date if it is more than a week ago. Must not be used in cached pages,
/// where the relative time would become wrong.
#[askama::filter_fn]
pub fn ago<T: TemplateValue<DateTime<Utc>>, N: TemplateValue<DateTime<Utc>>>(
    time: T,
    values: &dyn Values,
    now: N,
) -> Result<Safe<String>> {
    let (time, now, locale) = (time.plain(), now.plain(), locale(values)?);
    let shown = relative_time(time, now)
        .map_or_else(|| locale.format_day(time).into(), |since| since.translate_to_text(locale));
    let attributes = format!("datetime=\"{}\" title=\"{}\"", format_rfc3339(&time), locale.format_date_with_time(time));
    Ok(Safe(format!("<time {attributes}>{shown}</time>")))
}

fn relative_time(time: DateTime<Utc>, now: DateTime<Utc>) -> Option<Phrase> {
    let since = now - time;
    Some(match (since.num_days(), since.num_hours(), since.num_minutes()) {
        (7.., ..) => return None,
        (days @ 1.., ..) => phrase!("time-days-ago", count = days),
        (_, hours @ 1.., _) => phrase!("time-hours-ago", count = hours),
        (.., minutes @ 1..) => phrase!("time-minutes-ago", count = minutes),
        // Times slightly in the future count as now, because the clocks of machines differ.
        _ => phrase!("time-just-now"),
    })
}

#[askama::filter_fn]
pub fn date<T: TemplateValue<NaiveDate>>(day: T, values: &dyn Values) -> Result<Safe<String>> {
    let day = day.plain();
    Ok(Safe(format!("<time datetime=\"{day}\">{}</time>", locale(values)?.format_calendar_date(day))))
}

fn time_element(time: DateTime<Utc>, shown: &str) -> String {
    format!("<time datetime=\"{}\">{shown}</time>", format_rfc3339(&time))
}

/// Argument of a template filter: a `Copy` value or a reference to one. Templates pass references, and references to
/// references, to filters.
pub trait TemplateValue<T> {
    fn plain(&self) -> T;
}

macro_rules! plain {
    ($($value:ty)*) => {
        $(impl TemplateValue<$value> for $value {
            fn plain(&self) -> $value {
                *self
            }
        })*
    };
}

plain!(f64 DateTime<Utc> NaiveDate);

impl<T, P: TemplateValue<T>> TemplateValue<T> for &P {
    fn plain(&self) -> T {
        (*self).plain()
    }
}

pub trait ToPhraseValue {
    fn to_value(&self) -> PhraseValue;
}

macro_rules! whole_numbers {
    ($($number:ty)*) => {
        $(impl TemplateValue<i64> for $number {
            fn plain(&self) -> i64 {
                i64::try_from(*self).unwrap_or(i64::MAX)
            }
        })*
    };
}

whole_numbers!(i16 i32 i64 u8 u16 u32 u64 usize);

macro_rules! phrase_values {
    ($($value:ty)*) => {
        $(impl ToPhraseValue for $value {
            fn to_value(&self) -> PhraseValue {
                ToOwned::to_owned(self).into()
            }
        })*
    };
}

phrase_values!(i16 i32 i64 u8 u16 u32 u64 usize bool str String Phrase PhraseValue);

impl ToPhraseValue for f64 {
    fn to_value(&self) -> PhraseValue {
        PhraseValue::score(*self)
    }
}

impl<T: Display> ToPhraseValue for Safe<T> {
    fn to_value(&self) -> PhraseValue {
        PhraseValue::Html(self.0.to_string())
    }
}

impl ToPhraseValue for LocalizedPhrase {
    fn to_value(&self) -> PhraseValue {
        self.phrase.clone().into()
    }
}

impl<T: ToPhraseValue + ?Sized> ToPhraseValue for &T {
    fn to_value(&self) -> PhraseValue {
        (*self).to_value()
    }
}
