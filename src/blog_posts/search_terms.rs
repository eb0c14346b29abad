//! What is kept of a post to find it, what is asked of the database for a search, and which words of a text a search has
//! found. All three take words apart and stem them in the same way; the database only compares.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use crate::i18n::TextLanguage;
use crate::i18n::stems::{Stems, pieces, words};

/// Words of a piece of text around the first match.
const SNIPPET_WORDS: usize = 36;

/// Bytes of the stems of a post, all together. `PostgreSQL` keeps up to 1 MiB.
const MAX_STEMS: usize = 900_000;

/// The place of a word in a post, for phrases. `PostgreSQL` counts no further.
const LAST_PLACE: usize = 16_383;

/// Places that `PostgreSQL` keeps of a word.
const MAX_PLACES: usize = 255;

/// A post as it is found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Findable {
    /// Its stems and their places, as a `tsvector`. Those of the title weigh more.
    pub words: String,
    /// Its title, folded, for what is nearly like it.
    pub title: String,
}

impl Findable {
    /// Takes time in proportion to the text: nothing for the threads that answer requests.
    #[must_use]
    pub fn of(title: &str, content: &str, language: Option<TextLanguage>) -> Self {
        let stems = Stems::of(language);
        let of_title = stems.stems(title).map(|stem| (stem, "A"));
        let mut places: BTreeMap<String, Vec<(usize, &str)>> = BTreeMap::new();
        let mut bytes = 0;
        for (place, (stem, weight)) in of_title.chain(stems.stems(content).map(|stem| (stem, ""))).enumerate() {
            let length = stem.len();
            let of_stem = places.entry(stem).or_insert_with(|| {
                bytes += length;
                Vec::new()
            });
            if of_stem.len() < MAX_PLACES {
                of_stem.push(((place + 1).min(LAST_PLACE), weight));
            }
            if bytes > MAX_STEMS {
                break;
            }
        }
        let mut words = String::new();
        for (stem, places) in places {
            let places: Vec<String> = places.into_iter().map(|(place, weight)| format!("{place}{weight}")).collect();
            let _ = write!(words, "'{stem}':{} ", places.join(","));
        }
        Self { words, title: folded(title) }
    }
}

/// The words of a text, folded, without stems.
fn folded(text: &str) -> String {
    words(text).map(crate::i18n::stems::fold).collect::<Vec<_>>().join(" ")
}

/// What somebody has typed, as the database is asked for it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Query {
    /// As a `tsquery`. Empty where there is nothing to look for but words such as "the", or words that are not wanted.
    pub words: String,
    /// The words, folded, for titles that are nearly like them.
    pub folded: String,
    /// All that a match has.
    pub stems: BTreeSet<String>,
}

/// Words that stand together, and whether they are wanted. What is not is typed with a minus.
struct Term<'a> {
    text: &'a str,
    is_wanted: bool,
}

impl Query {
    pub(super) fn of(typed: &str) -> Self {
        let mut query = Self { folded: folded(typed), ..Self::default() };
        let alternatives = alternatives(typed);
        // A word that says nothing in one language is no search, though it may be a word of another.
        let says_something = |terms: &Vec<Term<'_>>| Self::default().all_of(terms, Stems::none()).is_some();
        if !alternatives.iter().any(says_something) {
            return query;
        }
        let mut asked = BTreeSet::new();
        for stems in Stems::all() {
            asked.extend(alternatives.iter().filter_map(|terms| query.all_of(terms, stems)));
        }
        // Looked for as one word, too, as a half-space is often typed as a space.
        let as_one: String = words(typed).collect();
        if !typed.contains(['"', '-']) {
            let as_one = [Term { text: &as_one, is_wanted: true }];
            asked.extend(Stems::all().filter_map(|stems| query.all_of(&as_one, stems)));
        }
        query.words = asked.into_iter().collect::<Vec<_>>().join(" | ");
        query
    }

    /// None where nothing is wanted: what only lacks a word may be every post.
    fn all_of(&mut self, terms: &[Term<'_>], stems: &Stems) -> Option<String> {
        let mut asked = Vec::new();
        let mut wanted = Vec::new();
        for term in terms {
            let found: Vec<String> = stems.stems(term.text).collect();
            if found.is_empty() {
                continue;
            }
            let together: Vec<String> = found.iter().map(|stem| format!("'{stem}'")).collect();
            asked.push(format!("{}({})", if term.is_wanted { "" } else { "!" }, together.join(" <-> ")));
            if term.is_wanted {
                wanted.extend(found);
            }
        }
        (!wanted.is_empty()).then(|| {
            self.stems.extend(wanted);
            format!("({})", asked.join(" & "))
        })
    }
}

/// What is typed between "or" and "or": in each, all terms are looked for.
fn alternatives(typed: &str) -> Vec<Vec<Term<'_>>> {
    let mut alternatives = vec![Vec::new()];
    let mut rest = typed.trim_start();
    while !rest.is_empty() {
        let (is_wanted, after) = rest.strip_prefix('-').map_or((true, rest), |after| (false, after));
        let (text, after) = match after.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
            None => after.split_at(after.find(|c: char| c.is_whitespace() || c == '"').unwrap_or(after.len())),
        };
        if is_wanted && text.eq_ignore_ascii_case("or") && !rest.starts_with('"') {
            alternatives.push(Vec::new());
        } else if let Some(alternative) = alternatives.last_mut() {
            alternative.push(Term { text, is_wanted });
        }
        rest = after.trim_start();
    }
    alternatives
}

/// A piece of a text, and whether it is what was looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    pub text: String,
    pub matches: bool,
}

/// Marks words that have been found.
pub(super) struct Marker<'a> {
    found: &'a BTreeSet<String>,
    stems: &'static Stems,
}

impl<'a> Marker<'a> {
    /// Of a post in a language, by the stems that were looked for.
    pub(super) fn new(found: &'a BTreeSet<String>, language: Option<TextLanguage>) -> Self {
        Self { found, stems: Stems::of(language) }
    }

    fn is_found(&self, word: &str) -> bool {
        self.stems.stem(word).is_some_and(|stem| self.found.contains(&stem))
    }

    /// A text in parts that match and parts that do not.
    pub(super) fn mark(&self, text: &str) -> Vec<Part> {
        let mut parts: Vec<Part> = Vec::new();
        for (piece, is_word) in pieces(text) {
            let matches = is_word && self.is_found(piece);
            match parts.last_mut().filter(|last| last.matches == matches) {
                Some(last) => last.text.push_str(piece),
                None => parts.push(Part { text: piece.to_owned(), matches }),
            }
        }
        parts
    }

    /// The excerpt with its matches, if there are any in it; otherwise the piece of the text around the first match.
    /// Without any match it is the excerpt, too.
    pub(super) fn snippet(&self, excerpt: &str, content: &str) -> Vec<Part> {
        let marked = self.mark(excerpt);
        if marked.iter().any(|part| part.matches) {
            return marked;
        }
        let all: Vec<&str> = content.split_whitespace().collect();
        let is_match = |some: &&str| words(some).any(|word| self.is_found(word));
        let Some(first) = all.iter().position(is_match) else { return marked };
        let begin = first.saturating_sub(SNIPPET_WORDS / 3);
        let end = all.len().min(begin + SNIPPET_WORDS);
        let (before, after) = (if begin > 0 { "… " } else { "" }, if end < all.len() { " …" } else { "" });
        self.mark(&format!("{before}{}{after}", all[begin..end].join(" ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(text: &str, query: &str, language: &str) -> String {
        let query = Query::of(query);
        let show = |part: Part| if part.matches { format!("[{}]", part.text) } else { part.text };
        Marker::new(&query.stems, language.parse().ok()).mark(text).into_iter().map(show).collect()
    }

    #[test]
    fn words_that_match_are_marked_and_no_others() {
        assert_eq!(marked("Rating ratings, rated!", "rate", "en"), "[Rating] [ratings], [rated]!");
        assert_eq!(marked("The keels", "keel the", "en"), "The [keels]");
        assert_eq!(marked("To search the sea", "sea", "en"), "To search the [sea]");
        assert_eq!(marked("A cat in C", "c", "en"), "A cat in [C]");
        assert_eq!(marked("می‌خواهم كتاب ۱۲", "میخواهم کتاب 12", "fa"), "[می‌خواهم] [كتاب] [۱۲]");
        assert_eq!(marked("Die Häuser am Fluß", "haus fluss", "de"), "Die [Häuser] am [Fluß]");
        assert_eq!(marked("not wanted", "other -wanted", "en"), "not wanted");
        assert_eq!(marked("nothing", "", "en"), "nothing");
    }

    #[test]
    fn the_piece_that_is_shown_has_a_match_in_it() {
        let content = format!("{}needle {}", "hay ".repeat(100), "straw ".repeat(100));
        let stems = Query::of("needles").stems;
        let parts = Marker::new(&stems, None).snippet("hay hay", &content);
        let text: String = parts.iter().map(|part| part.text.as_str()).collect();
        assert!(text.starts_with("… hay") && text.ends_with("straw …") && text.split(' ').count() == SNIPPET_WORDS + 2);
        assert!(parts.iter().any(|part| part.matches && part.text == "needle"));
        assert_eq!(Marker::new(&stems, None).snippet("hay hay", "hay")[0].text, "hay hay");
    }

    #[test]
    fn a_search_says_what_is_wanted_and_what_is_not() {
        let asked = |typed: &str| Query::of(typed).words;
        assert_eq!(asked("\"even keel\" -straw"), "(('even' <-> 'keel') & !('straw'))");
        assert_eq!(asked("sea or ship"), "(('sea')) | (('seaorship')) | (('ship'))");
        assert_eq!(asked("the -sea"), asked("-sea"));
        assert_eq!((asked("the of"), asked("' & | !"), asked("\"")), (String::new(), String::new(), String::new()));
    }
}
