//! Checks of the rules for plain English in CONTRIBUTING.md, as far as a program can check them.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use crate::architecture::{files, root};

/// Words that must not begin a comment, because they stand in for a noun.
const STAND_INS: [&str; 12] =
    ["What", "Who", "Whose", "Whether", "Those", "How", "Where", "Which", "Whoever", "Whatever", "Such", "It"];

/// Words of the table "Words to avoid" in the glossary, each with the term to use instead, and whether it is avoided in
/// names only.
fn house_words() -> Vec<(&'static str, &'static str, bool)> {
    let glossary = include_str!("../../docs/glossary.md");
    let rows = glossary.split("## Words to avoid").nth(1).unwrap().lines().skip_while(|line| !line.starts_with("|---"));
    let row = |line: &'static str| {
        let mut cells = line.trim_matches('|').split('|').map(str::trim);
        let (word, term) = (cells.next().unwrap(), cells.next().unwrap());
        (word.trim_matches('`'), term, word.starts_with('`'))
    };
    rows.skip(1).map(row).collect()
}

/// Permitted uses of house words: the file, and a text that the line contains.
const ALLOWED: [(&str, &str); 1] = [("docs/topics/limiters.md", "crowd_48h")];

/// Comment blocks of a Rust file, each with the number of its first line.
fn comments(text: &str) -> Vec<(usize, String)> {
    let mut blocks: Vec<(usize, String)> = Vec::new();
    let mut is_open = false;
    for (at, line) in text.lines().enumerate() {
        let comment = line.trim_start().strip_prefix("//").map(|rest| rest.trim_start_matches(['/', '!']).trim());
        match comment {
            Some(words) if is_open => {
                let (_, block) = blocks.last_mut().unwrap();
                block.push(' ');
                block.push_str(words);
            }
            Some(words) => blocks.push((at + 1, words.to_owned())),
            None => (),
        }
        is_open = comment.is_some();
    }
    blocks
}

/// Removes Markdown code spans and Fluent placeables from a text.
fn prose(text: &str) -> String {
    let without_code = text.split('`').step_by(2).collect::<Vec<_>>().join(" ");
    without_code.split('{').map(|part| part.split_once('}').map_or(part, |(_, rest)| rest)).collect()
}

fn find_house_words(file: &Path, line: usize, text: &str) -> Vec<String> {
    let name = file.strip_prefix(root()).unwrap().display().to_string();
    let words = prose(text).to_lowercase();
    let is_word = |word: &str| {
        let letters = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
        words.match_indices(word).any(|(at, _)| {
            let after = words[at + word.len()..].trim_start_matches('s');
            !words[..at].ends_with(letters) && !after.starts_with(letters)
        })
    };
    let is_allowed = ALLOWED.iter().any(|(file, around)| *file == name && text.contains(around));
    house_words()
        .into_iter()
        .filter(|(word, _, is_name)| !is_name && !is_allowed && is_word(word))
        .map(|(word, term, _)| format!("{name}:{line}: “{word}”; use: {term}"))
        .collect()
}

fn sources() -> impl Iterator<Item = (std::path::PathBuf, String)> {
    let folders = ["src", "crates", "benches", "tests", "tools"];
    let all = folders.into_iter().flat_map(|folder| files(&root().join(folder), "rs"));
    all.map(|file| (file.clone(), std::fs::read_to_string(file).unwrap()))
}

#[test]
fn comments_name_things_with_nouns() {
    let mut problems = Vec::new();
    for (file, text) in sources() {
        for (line, block) in comments(&text) {
            let first = block.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
            if STAND_INS.contains(&first) {
                problems.push(format!("{}:{line}: {block}", file.display()));
            }
        }
    }
    assert!(problems.is_empty(), "comments that begin with a stand-in for a noun:\n{}", problems.join("\n"));
}

#[test]
fn prose_uses_standard_terms() {
    let mut problems = Vec::new();
    for (file, text) in sources() {
        problems.extend(comments(&text).into_iter().flat_map(|(line, block)| find_house_words(&file, line, &block)));
    }
    let folders = ["docs", "crates", "locales/en"].map(|folder| root().join(folder));
    let documents = folders.iter().flat_map(|folder| ["md", "ftl"].map(|extension| files(folder, extension)));
    let top = ["README.md", "SECURITY.md", "CONTRIBUTING.md"].map(|name| root().join(name));
    for file in documents.flatten().chain(top) {
        let text = std::fs::read_to_string(&file).unwrap();
        let is_catalogue = file.extension().is_some_and(|extension| extension == "ftl");
        let is_glossary = file.ends_with("docs/glossary.md");
        for (at, line) in text.lines().enumerate().filter(|(_, line)| !(is_glossary && line.starts_with('|'))) {
            // In a Fluent message, only the part after the equals sign is prose.
            let words = if is_catalogue { line.split_once(" = ").map_or(line, |(_, value)| value) } else { line };
            problems.extend(find_house_words(&file, at + 1, words));
        }
    }
    assert!(problems.is_empty(), "house words:\n{}", problems.join("\n"));
}

/// House words in a name such as `left_out` or `label-pick`.
fn house_words_of_name(name: &str) -> Vec<String> {
    let parts: Vec<&str> = name.split(['_', '-', '.']).collect();
    let has = |word: &str| {
        let word: Vec<&str> = word.split([' ', '-']).collect();
        parts.windows(word.len()).any(|part| part.iter().zip(&word).all(|(a, b)| a.trim_end_matches('s') == *b))
    };
    let words = house_words().into_iter().filter(|(word, ..)| has(word));
    words.map(|(word, term, _)| format!("{name}: “{word}”; use: {term}")).collect()
}

/// Names of all tables and columns.
fn column_names() -> BTreeSet<String> {
    let is_name = |word: &&str| word.starts_with(|c: char| c.is_ascii_lowercase());
    let names = files(&root().join("migrations"), "sql").into_iter().flat_map(|file| {
        let text = std::fs::read_to_string(file).unwrap();
        let first = |line: &str| line.split_whitespace().next().map(str::to_owned);
        let tables = text.lines().filter_map(|line| line.strip_prefix("create table ").and_then(first));
        let columns = text.lines().filter_map(|line| line.strip_prefix("    ").and_then(first));
        tables.chain(columns).collect::<Vec<_>>()
    });
    names.filter(|name| is_name(&name.as_str())).collect()
}

fn collect_properties(schema: &Value, names: &mut BTreeSet<String>) {
    match schema {
        Value::Object(fields) => {
            if let Some(Value::Object(properties)) = fields.get("properties") {
                names.extend(properties.keys().cloned());
            }
            fields.values().for_each(|value| collect_properties(value, names));
        }
        Value::Array(values) => values.iter().for_each(|value| collect_properties(value, names)),
        _ => (),
    }
}

#[test]
fn schema_api_and_messages_use_the_words_of_the_glossary() {
    let mut fields = BTreeSet::new();
    collect_properties(&evenkeel::api::document(), &mut fields);
    let messages = files(&root().join("locales/en"), "ftl").into_iter().flat_map(|file| {
        let text = std::fs::read_to_string(file).unwrap();
        let names = text.lines().filter_map(|line| line.split_once(" =").map(|(name, _)| name.to_owned()));
        names.filter(|name| !name.starts_with([' ', '#', '.'])).collect::<Vec<_>>()
    });
    let (columns, messages) = (column_names(), messages.collect::<BTreeSet<_>>());
    assert!(columns.len() > 150 && fields.len() > 150 && messages.len() > 500, "too few names");
    let all = columns.iter().chain(&fields).chain(&messages);
    let problems: Vec<String> = all.flat_map(|name| house_words_of_name(name)).collect();
    assert!(problems.is_empty(), "house words in names:\n{}", problems.join("\n"));
}

#[test]
fn finds_house_words_and_stand_ins() {
    let file = root().join("src/lib.rs");
    assert_eq!(find_house_words(&file, 3, "The gate's state, and `gate` in code.").len(), 1);
    assert!(find_house_words(&file, 3, "An aggregate, { $gate } and a gateway.").is_empty());
    assert_eq!(house_words_of_name("days_left_out").len(), 1);
    assert!(house_words_of_name("navigate").is_empty());
    let text = "fn a() {}\n// What is\n// left.\nlet b = 1;\n/// A count.\n";
    assert_eq!(comments(text), [(2, "What is left.".to_owned()), (5, "A count.".to_owned())]);
}
