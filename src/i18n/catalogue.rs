//! Message catalogues of all languages, embedded in the binary.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{LazyLock, OnceLock};

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

pub(super) const FALLBACK_LANGUAGE: &str = "en";

#[derive(rust_embed::Embed)]
#[folder = "locales"]
#[include = "*.ftl"]
pub(super) struct LocaleFiles;

pub(super) struct Catalogue {
    /// BCP 47 tag, such as `fa`.
    pub(super) tag: String,
    /// Name of the language in the language itself.
    pub(super) name: String,
    /// BCP 47 tag of the locale for numbers and dates, such as `en-GB`.
    pub(super) format_locale: String,
    pub(super) is_right_to_left: bool,
    pub(super) is_pseudo: bool,
    files: Vec<String>,
    /// Parsed when the language is first used, because the messages of a language take a megabyte of memory.
    content: OnceLock<Content>,
}

struct Content {
    formats: LocaleFormatters,
    messages: FluentBundle<FluentResource>,
}

pub(super) struct LocaleFormatters {
    pub(super) number: Option<DecimalFormatter>,
    pub(super) day: Option<DateTimeFormatter<fieldsets::YMD>>,
    pub(super) day_of_year: Option<DateTimeFormatter<fieldsets::MD>>,
    pub(super) time: Option<DateTimeFormatter<fieldsets::T>>,
    pub(super) hour: Option<DateTimeFormatter<fieldsets::YMDT>>,
    pub(super) minute: Option<DateTimeFormatter<Combo<fieldsets::YMDT, zone::SpecificShort>>>,
}

/// Catalogues of all languages: first the fallback language, then the other languages sorted by tag.
pub(super) static CATALOGUES: LazyLock<Vec<Catalogue>> = LazyLock::new(|| {
    let mut files: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for path in LocaleFiles::iter().filter(|path| path.ends_with(".ftl")) {
        let Some((tag, _)) = path.split_once('/') else { continue };
        files.entry(tag.to_owned()).or_default().push(path.into_owned());
    }
    let of_fallback = files.get(FALLBACK_LANGUAGE).filter(|_| cfg!(debug_assertions)).cloned();
    let pseudo = of_fallback.map(|files| Catalogue::new(pseudo_locale::LANGUAGE_TAG, files, true));
    let mut all: Vec<Catalogue> = files.into_iter().map(|(tag, files)| Catalogue::new(&tag, files, false)).collect();
    all.sort_by_key(|catalogue| catalogue.tag != FALLBACK_LANGUAGE);
    all.extend(pseudo);
    all
});

fn read_files(files: &[String]) -> impl Iterator<Item = String> {
    let files = files.iter().filter_map(|path| LocaleFiles::get(path));
    files.map(|file| String::from_utf8_lossy(&file.data).into_owned())
}

impl Catalogue {
    fn new(tag: &str, files: Vec<String>, is_pseudo: bool) -> Self {
        let texts: Vec<String> = read_files(&files).collect();
        // Reads a message of one line from the text, because the name and the formats of a language are needed before
        // its messages are parsed.
        let plain_message =
            |start: &str| texts.iter().flat_map(|text| text.lines()).find_map(|line| line.strip_prefix(start));
        let format_locale = plain_message("language-formats = ").unwrap_or(tag).to_owned();
        let name = plain_message("language-name = ").unwrap_or(tag).to_owned();
        let locale: Locale = format_locale.parse().unwrap_or(Locale::UNKNOWN);
        Self {
            tag: tag.to_owned(),
            name,
            is_right_to_left: LocaleDirectionality::new_common().is_right_to_left(&locale.id),
            format_locale,
            is_pseudo,
            files,
            content: OnceLock::new(),
        }
    }

    fn content(&self) -> &Content {
        self.content.get_or_init(|| Content::parse(self))
    }

    pub(super) fn formats(&self) -> &LocaleFormatters {
        &self.content().formats
    }

    /// Accepts a message id or `id.attribute`.
    pub(super) fn format_message<'a>(
        &'a self,
        id: &str,
        arguments: Option<&'a FluentArgs<'_>>,
    ) -> Option<Cow<'a, str>> {
        let (id, attribute) = id.split_once('.').map_or((id, None), |(id, attribute)| (id, Some(attribute)));
        let messages = &self.content().messages;
        let message = messages.get_message(id)?;
        let pattern = match attribute {
            Some(attribute) => message.get_attribute(attribute)?.value(),
            None => message.value()?,
        };
        Some(messages.format_pattern(pattern, arguments, &mut Vec::new()))
    }
}

impl Content {
    fn parse(catalogue: &Catalogue) -> Self {
        let mut messages = FluentBundle::new_concurrent(vec![catalogue.format_locale.parse().unwrap_or_default()]);
        // The bidirectional isolation of Fluent is disabled, because `Phrase` isolates arguments itself.
        messages.set_use_isolating(false);
        messages.set_formatter(Some(format_number));
        if catalogue.is_pseudo {
            messages.set_transform(Some(pseudo_locale::pseudolocalize));
        }
        for text in read_files(&catalogue.files) {
            // Syntax errors are detected by a test. At run time, a catalogue with a syntax error supplies its valid
            // messages.
            messages.add_resource_overriding(FluentResource::try_new(text).unwrap_or_else(|(readable, _)| readable));
        }
        let locale: Locale = catalogue.format_locale.parse().unwrap_or(Locale::UNKNOWN);
        Self { formats: LocaleFormatters::for_locale(&locale), messages }
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
