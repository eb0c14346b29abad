//! Message catalogues of all languages, embedded in the binary.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::LazyLock;

use fluent_bundle::concurrent::FluentBundle;
use fluent_bundle::memoizer::MemoizerKind as _;
use fluent_bundle::{FluentArgs, FluentResource, FluentValue};
use icu_datetime::DateTimeFormatter;
use icu_datetime::fieldsets::{self, Combo, zone};
use icu_decimal::DecimalFormatter;
use icu_decimal::input::Decimal;
use icu_decimal::options::DecimalFormatterOptions;
use icu_locale::{Locale, LocaleDirectionality};
use intl_memoizer::Memoizable;
use intl_memoizer::concurrent::IntlLangMemoizer;
use unic_langid::LanguageIdentifier;

use super::pseudo_locale;

/// Language of the catalogue that supplies messages which are missing in another catalogue.
pub(super) const FALLBACK_LANGUAGE: &str = "en";

#[derive(rust_embed::Embed)]
#[folder = "locales"]
#[include = "*.ftl"]
#[include = "*/stop-words.txt"]
pub(super) struct LocaleFiles;

pub(super) struct Catalogue {
    /// BCP 47 tag, such as `fa`.
    pub(super) tag: String,
    /// BCP 47 tag of the locale for numbers and dates, such as `en-GB`, for languages with several conventions.
    pub(super) format_locale: String,
    pub(super) is_right_to_left: bool,
    pub(super) formats: LocaleFormatters,
    /// True for the pseudo-locale, which makes untranslated text visible.
    pub(super) is_pseudo: bool,
    messages: FluentBundle<FluentResource>,
}

/// Number and date formats of a language from CLDR, with its digits and calendar.
pub(super) struct LocaleFormatters {
    pub(super) number: Option<DecimalFormatter>,
    pub(super) day: Option<DateTimeFormatter<fieldsets::YMD>>,
    pub(super) day_of_year: Option<DateTimeFormatter<fieldsets::MD>>,
    pub(super) time: Option<DateTimeFormatter<fieldsets::T>>,
    pub(super) hour: Option<DateTimeFormatter<fieldsets::YMDT>>,
    pub(super) minute: Option<DateTimeFormatter<Combo<fieldsets::YMDT, zone::SpecificShort>>>,
}

/// All catalogues. The fallback language is first, the others are sorted by tag.
pub(super) static CATALOGUES: LazyLock<Vec<Catalogue>> = LazyLock::new(|| {
    let mut files: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for path in LocaleFiles::iter().filter(|path| path.ends_with(".ftl")) {
        let Some((tag, _)) = path.split_once('/') else { continue };
        let text = LocaleFiles::get(&path).map(|file| String::from_utf8_lossy(&file.data).into_owned());
        files.entry(tag.to_owned()).or_default().extend(text);
    }
    let mut all: Vec<Catalogue> = files.iter().map(|(tag, texts)| Catalogue::new(tag, texts, false)).collect();
    all.sort_by_key(|catalogue| catalogue.tag != FALLBACK_LANGUAGE);
    if let Some(texts) = files.get(FALLBACK_LANGUAGE).filter(|_| cfg!(debug_assertions)) {
        all.push(Catalogue::new(pseudo_locale::LANGUAGE_TAG, texts, true));
    }
    all
});

impl Catalogue {
    fn new(tag: &str, texts: &[String], is_pseudo: bool) -> Self {
        let written =
            texts.iter().flat_map(|text| text.lines()).find_map(|line| line.strip_prefix("language-formats = "));
        let written = written.unwrap_or(tag);
        let mut messages = FluentBundle::new_concurrent(vec![written.parse().unwrap_or_default()]);
        // The bidirectional isolation of Fluent is disabled, because `Phrase` isolates arguments itself.
        messages.set_use_isolating(false);
        messages.set_formatter(Some(format_number));
        if is_pseudo {
            messages.set_transform(Some(pseudo_locale::pseudolocalize));
        }
        for text in texts {
            // Syntax errors are detected by a test. At run time, a catalogue with a syntax error supplies its valid
            // messages.
            messages.add_resource_overriding(
                FluentResource::try_new(text.clone()).unwrap_or_else(|(readable, _)| readable),
            );
        }
        let locale: Locale = written.parse().unwrap_or(Locale::UNKNOWN);
        let is_right_to_left = LocaleDirectionality::new_common().is_right_to_left(&locale.id);
        Self {
            tag: tag.to_owned(),
            format_locale: written.to_owned(),
            is_right_to_left,
            formats: LocaleFormatters::for_locale(&locale),
            is_pseudo,
            messages,
        }
    }

    /// Formats the message `id` or the attribute `id.attribute`. Returns `None` if the message does not exist.
    pub(super) fn format_message<'a>(
        &'a self,
        id: &str,
        arguments: Option<&'a FluentArgs<'_>>,
    ) -> Option<Cow<'a, str>> {
        let (id, attribute) = id.split_once('.').map_or((id, None), |(id, attribute)| (id, Some(attribute)));
        let message = self.messages.get_message(id)?;
        let pattern = match attribute {
            Some(attribute) => message.get_attribute(attribute)?.value(),
            None => message.value()?,
        };
        Some(self.messages.format_pattern(pattern, arguments, &mut Vec::new()))
    }
}

impl LocaleFormatters {
    fn for_locale(locale: &Locale) -> Self {
        let minute = fieldsets::YMD::long().with_time_hm().with_zone(zone::SpecificShort);
        Self {
            number: DecimalFormatter::try_new(locale.into(), DecimalFormatterOptions::default()).ok(),
            day: DateTimeFormatter::try_new(locale.into(), fieldsets::YMD::long()).ok(),
            day_of_year: DateTimeFormatter::try_new(locale.into(), fieldsets::MD::medium()).ok(),
            time: DateTimeFormatter::try_new(locale.into(), fieldsets::T::hm()).ok(),
            hour: DateTimeFormatter::try_new(locale.into(), fieldsets::YMD::long().with_time_hm()).ok(),
            minute: DateTimeFormatter::try_new(locale.into(), minute).ok(),
        }
    }
}

pub(super) fn format_decimal(format: Option<&DecimalFormatter>, value: f64, decimals: usize) -> String {
    let rounded = format!("{value:.decimals$}");
    match (format, rounded.parse::<Decimal>()) {
        (Some(format), Ok(exact)) => format.format(&exact).to_string(),
        _ => rounded,
    }
}

/// Formats numbers in Fluent messages like [`format_decimal`].
fn format_number(value: &FluentValue<'_>, memoizer: &IntlLangMemoizer) -> Option<String> {
    struct Format(Option<DecimalFormatter>);
    impl Memoizable for Format {
        type Args = ();
        type Error = std::convert::Infallible;

        fn construct(language: LanguageIdentifier, (): ()) -> Result<Self, Self::Error> {
            let locale: Locale = language.to_string().parse().unwrap_or(Locale::UNKNOWN);
            Ok(Self(DecimalFormatter::try_new((&locale).into(), DecimalFormatterOptions::default()).ok()))
        }
    }
    let FluentValue::Number(number) = value else { return None };
    let decimals = number.options.minimum_fraction_digits.unwrap_or(0);
    let write = |format: &Format| format_decimal(format.0.as_ref(), number.value, decimals);
    memoizer.with_try_get_threadsafe::<Format, _, _>((), write).ok()
}
