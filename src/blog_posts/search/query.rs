//! Search queries in the syntax of `websearch_to_tsquery`: phrases, excluded words and `or`.

use sqlx::PgConnection;

use super::folding::{fold_case_and_accents, is_arabic, word_segments};
use super::search_data::{configuration, configurations, fold_word};
use crate::i18n::Language;

/// Folded text of a query for each text search configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ParsedQuery {
    configurations: Vec<&'static str>,
    texts: Vec<String>,
    /// All folded words, separated by spaces, to match titles; `None` if the query excludes a word.
    title: Option<String>,
    /// Folded words that are not excluded.
    included_words: Vec<String>,
}

#[derive(Debug)]
pub(super) struct SearchTerms {
    /// Text search configurations; empty if the query has only stop words and excluded words in the reader's language.
    pub(super) configurations: Vec<String>,
    /// Query for each configuration, in the syntax of `tsquery`.
    pub(super) queries: Vec<String>,
    pub(super) stems: Vec<String>,
    /// Pattern for folded titles: the exact title or, if the query has only stop words, a part of the title.
    pub(super) title_pattern: Option<String>,
    pub(super) included_words: Vec<String>,
}

impl ParsedQuery {
    pub(super) fn parse(typed: &str) -> Self {
        let configurations = configurations();
        let texts = configurations.iter().map(|configuration| query_text(typed, configuration)).collect();
        let mut included_words = Vec::new();
        let mut words = Vec::new();
        let (mut is_excluded, mut has_exclusions) = (false, false);
        for (segment, is_word) in word_segments(typed) {
            if is_word {
                let word = fold_case_and_accents(segment);
                if !is_excluded {
                    included_words.push(word.clone());
                }
                words.push(word);
            } else {
                is_excluded = operators(segment, words.is_empty()).contains('-');
                has_exclusions |= is_excluded;
            }
        }
        let title = (!has_exclusions).then(|| words.join(" "));
        Self { configurations, texts, title, included_words }
    }

    pub(super) fn has_words(&self) -> bool {
        self.texts.iter().any(|text| text.contains(char::is_alphanumeric))
    }

    /// Computes the search terms, which are empty if all words are stop words in the language `asked_in`.
    pub(super) async fn terms(&self, connection: &mut PgConnection, asked_in: Language) -> sqlx::Result<SearchTerms> {
        // `querytree` returns `T` or an empty text for queries that match texts without any of their words.
        let rows = sqlx::query!(
            r#"select configuration as "configuration!", query::text as "query!",
                tsvector_to_array(to_tsvector(configuration::regconfig, typed)) as "stems!"
            from unnest($1::text[], $2::text[]) as texts (configuration, typed),
                lateral websearch_to_tsquery(configuration::regconfig, typed) query
            where querytree(query) not in ('', 'T')"#,
            &self.configurations as _,
            &self.texts,
        );
        let mut rows = rows.fetch_all(connection).await?;
        let of_reader = configuration(asked_in.tag().parse().ok());
        if !rows.iter().any(|row| row.configuration == of_reader) {
            rows.clear();
        }
        let mut terms = SearchTerms {
            configurations: Vec::new(),
            queries: Vec::new(),
            stems: Vec::new(),
            title_pattern: self.title.clone(),
            included_words: self.included_words.clone(),
        };
        for row in rows {
            terms.configurations.push(row.configuration);
            terms.queries.push(row.query);
            terms.stems.extend(row.stems);
        }
        terms.stems.sort_unstable();
        terms.stems.dedup();
        // The trigram index supports patterns for parts of titles only from three characters on.
        if terms.has_only_stop_words() {
            terms.title_pattern =
                terms.title_pattern.map(|title| if title.chars().count() > 2 { format!("%{title}%") } else { title });
        }
        Ok(terms)
    }
}

impl SearchTerms {
    pub(super) fn has_only_stop_words(&self) -> bool {
        self.queries.is_empty()
    }

    pub(super) fn included_text(&self) -> String {
        self.included_words.join(" ")
    }

    /// Disjunction of the queries in all languages, for one search with the index.
    pub(super) fn any_language(&self) -> String {
        let mut queries: Vec<String> = self.queries.iter().map(|query| format!("({query})")).collect();
        queries.sort_unstable();
        queries.dedup();
        queries.join(" | ")
    }
}

/// Extracts `"`, and a `-` before a word, from the text `between` words. `is_first` is true at the start of the query.
fn operators(between: &str, is_first: bool) -> String {
    let is_minus = |at: usize| {
        between[..at].chars().next_back().map_or(is_first, char::is_whitespace)
            && matches!(&between[at + 1..], "" | "\"")
    };
    let operator_chars = between.char_indices().filter(|(at, c)| *c == '"' || (*c == '-' && is_minus(*at)));
    operator_chars.map(|(_, c)| c).collect()
}

/// Folds the words of a query. Consecutive letters of scripts without spaces between words become a phrase.
fn query_text(typed: &str, configuration: &str) -> String {
    let mut text = String::with_capacity(typed.len());
    let (mut joined, mut in_quotes) = (String::new(), false);
    let segments: Vec<(&str, bool)> = word_segments(typed).collect();
    for group in segments.chunk_by(|(_, before), (_, after)| before == after) {
        if let [(between, false)] = group {
            let operators = operators(between, text.is_empty());
            in_quotes ^= operators.matches('"').count() % 2 == 1;
            // Inserts the space before a minus sign or opening quotation mark, which must stay next to its word.
            let closing = operators.len() - operators.trim_start_matches('"').len();
            let (before, after) = operators.split_at(if operators.contains('-') || !in_quotes { closing } else { 0 });
            text.extend([before, " ", after]);
            continue;
        }
        let words: Vec<String> = group.iter().map(|(word, _)| fold_word(word, configuration)).collect();
        joined.extend(group.iter().map(|(word, _)| *word));
        let quote = if words.len() > 1 && !in_quotes { "\"" } else { "" };
        text.extend([quote, &words.join(" "), quote]);
    }
    // Also searches for the joined words, because users often type a space instead of a zero-width non-joiner.
    if typed.contains(is_arabic) && !typed.contains(['"', '-']) {
        text.extend([" or ", &fold_word(&joined, configuration)]);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_words_phrases_and_exclusions() {
        for (typed, expected) in [
            ("\"even keels\" -straw", "\"even keels\" -straw"),
            ("sea -\"far out\" x", "sea -\"far out\" x"),
            ("-Sea", "-sea"),
            ("well-known café", "well known cafe"),
            ("' & | !", " "),
            ("天気 sea", "\"天 気\" sea"),
            ("\"天気 sea\"", "\"天 気 sea\""),
            ("می خواهم", "می خواهم or میخواهم"),
        ] {
            assert_eq!(query_text(typed, "simple").trim(), expected.trim(), "{typed}");
        }
        assert_eq!(query_text("Küche", "german"), query_text("Kueche", "german"));
        assert_eq!(ParsedQuery::parse("sea -Straw").included_words, ["sea"]);
    }
}
