//! Translatable messages with arguments.

use std::borrow::Cow;
use std::fmt::{self, Display};

use chrono::{DateTime, NaiveDate, Utc};
use fluent_bundle::types::FluentNumberOptions;
use fluent_bundle::{FluentArgs, FluentValue, types::FluentNumber};
use icu_properties::CodePointMapData;
use icu_properties::props::BidiClass;
use serde::{Deserialize, Serialize};

use super::language::Language;
use super::locale::Locale;

/// Message that is translated when the locale of the reader is known. Its `Display` is English, for the command line
/// and the log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Phrase {
    id: Cow<'static, str>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    arguments: Vec<(Cow<'static, str>, PhraseValue)>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum PhraseValue {
    /// Value and number of decimal places. Messages can select a plural form by the number.
    Number(f64, u8),
    /// Text from users, isolated if its direction differs from that of the message, and escaped in HTML.
    Text(String),
    /// HTML that is inserted without escaping, allowed only in HTML messages.
    Html(String),
    /// Selector of a variant of the message. Never displayed.
    Choice(Cow<'static, str>),
    Date(NaiveDate),
    MonthAndDay(NaiveDate),
    Hour(NaiveDate, u32),
    /// Time, displayed as a date.
    Day(DateTime<Utc>),
    Minute(DateTime<Utc>),
    Phrase(Box<Phrase>),
}

/// Creates a [`Phrase`]: `phrase!("invalid-too-many-characters", count = 250, most = 200)`. A test checks that all ids
/// exist.
#[macro_export]
macro_rules! phrase {
    ($id:expr $(, $name:ident = $value:expr)* $(,)?) => {
        $crate::i18n::Phrase::new($id)$(.with_argument(stringify!($name), $value))*
    };
}

impl Phrase {
    /// Creates a phrase for the message `id` or its attribute `id.attribute`.
    pub fn new(id: impl Into<Cow<'static, str>>) -> Self {
        Self { id: id.into(), arguments: Vec::new() }
    }

    pub fn with_argument(mut self, name: impl Into<Cow<'static, str>>, value: impl Into<PhraseValue>) -> Self {
        self.arguments.push((name.into(), value.into()));
        self
    }

    pub fn is_in_catalogue(&self) -> bool {
        Language::default().catalogue().format_message(&self.id, None).is_some()
    }

    pub fn attribute(&self, name: &str) -> Self {
        Self { id: format!("{}.{name}", self.id).into(), arguments: self.arguments.clone() }
    }

    pub fn translate_to_text(&self, locale: Locale) -> Cow<'static, str> {
        self.format(locale, false)
    }

    /// Escapes the arguments of a message that contains HTML tags.
    pub fn translate_to_html(&self, locale: Locale) -> Cow<'static, str> {
        self.format(locale, true)
    }

    fn format(&self, locale: Locale, is_html: bool) -> Cow<'static, str> {
        let catalogue = locale.language.catalogue();
        let fallback = Language::default().catalogue();
        if self.arguments.is_empty() && !catalogue.is_pseudo {
            let words = catalogue.format_message(&self.id, None).or_else(|| fallback.format_message(&self.id, None));
            return words.unwrap_or_else(|| self.id.clone());
        }
        let arguments = self.arguments.iter().map(|(name, value)| (name.as_ref(), value.shown(locale, is_html)));
        let arguments: FluentArgs<'_> = arguments.collect();
        let words = catalogue
            .format_message(&self.id, Some(&arguments))
            .or_else(|| fallback.format_message(&self.id, Some(&arguments)));
        let words = words.map_or_else(|| self.id.to_string(), Cow::into_owned);
        if catalogue.is_pseudo { super::pseudo_locale::add_brackets(&words).into() } else { words.into() }
    }
}

impl Display for Phrase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.translate_to_text(Locale::default()))
    }
}

impl PhraseValue {
    pub fn score(score: f64) -> Self {
        Self::Number(score, 1)
    }

    fn shown(&self, locale: Locale, is_html: bool) -> FluentValue<'static> {
        let text = |text: &str| if is_html { escaped(text) } else { isolate_direction(text, locale.language) };
        FluentValue::String(match self {
            Self::Number(value, decimals) => {
                let minimum_fraction_digits = Some(usize::from(*decimals));
                let options = FluentNumberOptions { minimum_fraction_digits, ..FluentNumberOptions::default() };
                return FluentNumber::new(*value, options).into();
            }
            Self::Text(written) => text(written).into(),
            Self::Html(html) if is_html => html.clone().into(),
            // An HTML argument in a plain-text message is a bug. It is omitted, because users should not see tags as
            // text.
            Self::Html(_) => "".into(),
            Self::Choice(word) => word.clone(),
            Self::Date(day) => locale.format_calendar_date(*day).into(),
            Self::MonthAndDay(day) => locale.format_month_and_day(*day).into(),
            Self::Hour(day, hour) => locale.format_local_time(*day, *hour, 0).into(),
            Self::Day(time) => locale.format_day(*time).into(),
            Self::Minute(time) => locale.format_date_with_time(*time).into(),
            Self::Phrase(phrase) => phrase.format(locale, is_html),
        })
    }
}

fn escaped(text: &str) -> String {
    let escaped = askama::filters::escape(text, askama::filters::Html);
    escaped.map(|escaped| escaped.to_string()).unwrap_or_default()
}

/// Isolates text whose direction differs from the language, so that it does not reorder the words around it.
fn isolate_direction(text: &str, language: Language) -> String {
    let classes = CodePointMapData::<BidiClass>::new();
    let is_right_to_left = text.chars().find_map(|c| match classes.get(c) {
        BidiClass::LeftToRight => Some(false),
        BidiClass::RightToLeft | BidiClass::ArabicLetter => Some(true),
        _ => None,
    });
    // Text without letters, such as an IP address, is treated as left-to-right.
    if is_right_to_left.unwrap_or(false) == language.is_right_to_left() || text.is_empty() {
        text.to_owned()
    } else {
        format!("\u{2068}{text}\u{2069}")
    }
}

macro_rules! whole_numbers {
    ($($number:ty)*) => {
        $(impl From<$number> for PhraseValue {
            #[allow(clippy::cast_precision_loss, clippy::cast_lossless, reason = "what is counted here is far below 2^53")]
            fn from(number: $number) -> Self {
                Self::Number(number as f64, 0)
            }
        })*
    };
}

whole_numbers!(i16 i32 i64 u8 u16 u32 u64 usize);

impl From<String> for PhraseValue {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&str> for PhraseValue {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<bool> for PhraseValue {
    fn from(is_so: bool) -> Self {
        Self::Choice(if is_so { "yes" } else { "no" }.into())
    }
}

impl From<NaiveDate> for PhraseValue {
    fn from(day: NaiveDate) -> Self {
        Self::Date(day)
    }
}

impl From<Phrase> for PhraseValue {
    fn from(phrase: Phrase) -> Self {
        Self::Phrase(Box::new(phrase))
    }
}

/// Phrase, or id of a message without arguments.
pub trait ToPhrase {
    fn to_phrase(&self) -> Phrase;
}

impl ToPhrase for Phrase {
    fn to_phrase(&self) -> Phrase {
        self.clone()
    }
}

impl ToPhrase for &'static str {
    fn to_phrase(&self) -> Phrase {
        Phrase::new(*self)
    }
}

impl ToPhrase for String {
    fn to_phrase(&self) -> Phrase {
        Phrase::new(self.clone())
    }
}

impl<T: ToPhrase> ToPhrase for &T {
    fn to_phrase(&self) -> Phrase {
        (*self).to_phrase()
    }
}
