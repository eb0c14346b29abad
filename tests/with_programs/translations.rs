//! Translation of expected texts. Tests are written in English and run in every language, with translations of English
//! messages.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::path::Path;

use evenkeel::i18n::{Language, Locale, Phrase, PhraseValue};
use fluent_syntax::ast::{Entry, Expression, InlineExpression, Pattern, PatternElement, Variant, VariantKey};

thread_local! {
    /// Language of the test on this thread.
    static LANGUAGE: Cell<Language> = Cell::default();
}

pub fn set_language(language: Language) {
    LANGUAGE.set(language);
}

pub fn language() -> Language {
    LANGUAGE.get()
}

/// Variant of a message, as a sequence of words, variables and variant keys of selectors.
type Form = Vec<Piece>;

#[derive(Clone)]
enum Piece {
    Words(String),
    Variable(String),
    Choice(String, String),
}

/// Variants of all English messages, with message IDs.
fn english() -> Vec<(String, Form)> {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/locales/en"));
    let mut all = Vec::new();
    let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    for file in files.filter(|file| file.extension().is_some_and(|extension| extension == "ftl")) {
        let text = std::fs::read_to_string(file).unwrap();
        for entry in &fluent_syntax::parser::parse(text.as_str()).unwrap().body {
            let Entry::Message(message) = entry else { continue };
            let own = message.value.iter().map(|pattern| (message.id.name.to_owned(), pattern));
            let attributes = message.attributes.iter();
            let attributes = attributes.map(|one| (format!("{}.{}", message.id.name, one.id.name), &one.value));
            for (id, pattern) in own.chain(attributes) {
                all.extend(forms(pattern).into_iter().map(|form| (id.clone(), form)));
            }
        }
    }
    all
}

fn forms(pattern: &Pattern<&str>) -> Vec<Form> {
    let mut all: Vec<Form> = vec![Vec::new()];
    for element in &pattern.elements {
        let next: Vec<Form> = match element {
            PatternElement::TextElement { value } => vec![vec![Piece::Words(without_tags(value))]],
            PatternElement::Placeable { expression: Expression::Inline(inline) } => vec![vec![piece(inline)]],
            PatternElement::Placeable { expression: Expression::Select { selector, variants } } => {
                variants.iter().flat_map(|variant| chosen(selector, variant)).collect()
            }
        };
        all = all.iter().flat_map(|before| next.iter().map(|after| [before.clone(), after.clone()].concat())).collect();
    }
    all
}

fn chosen(selector: &InlineExpression<&str>, variant: &Variant<&str>) -> Vec<Form> {
    let (Piece::Variable(name), VariantKey::Identifier { name: key }) = (piece(selector), &variant.key) else {
        panic!("a choice by something else than a word");
    };
    let choice = Piece::Choice(name, (*key).to_owned());
    forms(&variant.value).into_iter().map(|form| [vec![choice.clone()], form].concat()).collect()
}

fn piece(inline: &InlineExpression<&str>) -> Piece {
    match inline {
        InlineExpression::VariableReference { id } => Piece::Variable(id.name.to_owned()),
        InlineExpression::StringLiteral { value } => Piece::Words((*value).to_owned()),
        other => panic!("{other:?}"),
    }
}

fn without_tags(text: &str) -> String {
    let mut pieces = text.split('<');
    let first = pieces.next().unwrap().to_owned();
    pieces.fold(first, |all, piece| all + piece.split_once('>').map_or(piece, |(_, words)| words))
}

/// Match of a text with a message variant.
#[derive(Clone, Default)]
struct Reading {
    /// Values of the variables in the matched part of the text.
    values: BTreeMap<String, String>,
    choices: BTreeMap<String, String>,
    /// Number of matched bytes that belong to the message and not to its variables.
    own: usize,
    is_whole: bool,
}

/// Matches the text `said` with a message variant, or with the beginning of a variant.
fn read(said: &str, form: &[Piece]) -> Option<Reading> {
    let Some((first, rest)) = form.split_first() else {
        return said.is_empty().then(|| Reading { is_whole: true, ..Reading::default() });
    };
    match first {
        Piece::Choice(name, key) => {
            let mut reading = read(said, rest)?;
            reading.choices.insert(name.clone(), key.clone());
            Some(reading)
        }
        _ if said.is_empty() => Some(Reading::default()),
        Piece::Words(words) if words.len() > said.len() => {
            words.starts_with(said).then(|| Reading { own: said.len(), ..Reading::default() })
        }
        Piece::Words(words) => {
            let mut reading = read(said.strip_prefix(words.as_str())?, rest)?;
            reading.own += words.len();
            Some(reading)
        }
        Piece::Variable(name) => {
            let mut ends = said.char_indices().map(|(at, _)| at).skip(1).chain([said.len()]);
            ends.find_map(|end| {
                let mut reading = read(&said[end..], rest)?;
                reading.values.insert(name.clone(), said[..end].to_owned());
                Some(reading)
            })
        }
    }
}

/// Placeholder for a variable whose value does not occur in the English text.
const UNKNOWN: char = '\u{1}';

/// Translations of an English text, or of its beginning up to the first unknown variable. Texts that match no message
/// are returned unchanged, as are all texts in English.
pub fn words(said: &str) -> Vec<String> {
    let (language, said) = (language(), said.trim_end());
    if language == Language::default() || said.is_empty() {
        return vec![said.to_owned()];
    }
    let mut found = messages(language, said, false);
    // The text may consist of two messages, or of a title to which the page adds a full stop.
    if let Some((first, rest)) = said.split_once(". ") {
        for first in messages(language, &format!("{first}."), true) {
            found.extend(words(rest).iter().map(|rest| format!("{first} {rest}")));
        }
        for first in messages(language, first, true) {
            found.extend(words(rest).iter().map(|rest| format!("{first}. {rest}")));
        }
    } else if let Some(title) = said.strip_suffix('.') {
        found.extend(messages(language, title, true).iter().map(|title| format!("{title}.")));
    }
    if found.is_empty() { vec![said.to_owned()] } else { found }
}

/// Returns translations of the message that matches best, or of all messages that match equally well.
fn messages(language: Language, said: &str, is_whole: bool) -> Vec<String> {
    let locale = Locale { language, ..Locale::default() };
    let readings = english().into_iter().filter_map(|(id, form)| {
        let reading = read(said, &form)?;
        // A variant must match by its own words, because a variable alone matches any text.
        (reading.own >= said.len().min(3) && reading.is_whole >= is_whole).then_some((id, form, reading))
    });
    let readings: Vec<_> = readings.collect();
    let rank = |reading: &Reading| (reading.own, reading.is_whole);
    let best = readings.iter().map(|(_, _, reading)| rank(reading)).max();
    let mut found = Vec::new();
    for (id, form, reading) in readings.into_iter().filter(|(_, _, reading)| Some(rank(reading)) == best) {
        let mut phrase = Phrase::new(id);
        for piece in &form {
            phrase = match piece {
                Piece::Words(_) => phrase,
                Piece::Variable(name) => phrase.with_argument(name.clone(), value(reading.values.get(name))),
                Piece::Choice(name, _) if reading.values.contains_key(name) => phrase,
                Piece::Choice(name, key) => phrase.with_argument(name.clone(), choice(key)),
            };
        }
        let text = without_tags(&phrase.translate_to_text(locale));
        let text = text.split(UNKNOWN).next().unwrap().trim_end();
        // Removes Unicode isolates, which are invisible on a page.
        found.extend(Some(text.replace(['\u{2068}', '\u{2069}'], "")).filter(|text| text.chars().count() > 1));
    }
    found
}

fn choice(key: &str) -> PhraseValue {
    match key {
        "one" => 1.into(),
        "other" => 2.into(),
        key => PhraseValue::Choice(key.to_owned().into()),
    }
}

fn value(text: Option<&String>) -> PhraseValue {
    match text {
        None => PhraseValue::Text(UNKNOWN.to_string()),
        Some(text) => match text.parse::<u32>() {
            Ok(number) => number.into(),
            // The value of a variable may itself be a translated message.
            Err(_) if text.contains(' ') => PhraseValue::Text(words(text).remove(0)),
            Err(_) => PhraseValue::Text(text.clone()),
        },
    }
}

pub fn message(id: &'static str) -> String {
    Phrase::new(id).translate_to_text(Locale { language: language(), ..Locale::default() }).into_owned()
}
