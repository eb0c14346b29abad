//! Checks of the rules for plain English in CONTRIBUTING.md, as far as a program can check them.

use std::path::Path;

use crate::architecture::{files, root};

/// Words that must not begin a comment, because they stand in for a noun.
const STAND_INS: [&str; 12] =
    ["What", "Who", "Whose", "Whether", "Those", "How", "Where", "Which", "Whoever", "Whatever", "Such", "It"];

/// Words that the documentation of no other project uses, and the term to use instead.
const HOUSE_WORDS: [(&str, &str); 15] = [
    ("desk", "admin area"),
    ("deed", "action"),
    ("gate", "rating limiter"),
    ("crowd", "brigade"),
    ("stranger", "anonymous visitor"),
    ("somebody", "a user, another user"),
    ("anew", "again"),
    ("mended", "fixed"),
    ("voided", "excluded"),
    ("given up", "abandoned, cancelled"),
    ("broken off", "interrupted"),
    ("passed over", "skipped"),
    ("told to wait", "rate limited"),
    ("taken back", "undone, cancelled"),
    ("e-mail", "email"),
];

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

fn house_words(file: &Path, line: usize, text: &str) -> Vec<String> {
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
    HOUSE_WORDS
        .iter()
        .filter(|(word, _)| !is_allowed && is_word(word))
        .map(|(word, term)| format!("{name}:{line}: “{word}”; use: {term}"))
        .collect()
}

fn sources() -> impl Iterator<Item = (std::path::PathBuf, String)> {
    let folders = ["src", "crates", "benches", "tests", "tools"];
    let all = folders.into_iter().flat_map(|folder| files(&root().join(folder), "rs"));
    all.map(|file| (file.clone(), std::fs::read_to_string(file).unwrap()))
}

#[test]
fn comments_name_things_with_nouns() {
    let mut found = Vec::new();
    for (file, text) in sources() {
        for (line, block) in comments(&text) {
            let first = block.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
            if STAND_INS.contains(&first) {
                found.push(format!("{}:{line}: {block}", file.display()));
            }
        }
    }
    assert!(found.is_empty(), "comments that begin with a stand-in for a noun:\n{}", found.join("\n"));
}

#[test]
fn prose_uses_standard_terms() {
    let mut found = Vec::new();
    for (file, text) in sources() {
        found.extend(comments(&text).into_iter().flat_map(|(line, block)| house_words(&file, line, &block)));
    }
    let folders = ["docs", "crates", "locales/en"].map(|folder| root().join(folder));
    let documents = folders.iter().flat_map(|folder| ["md", "ftl"].map(|extension| files(folder, extension)));
    let top = ["README.md", "SECURITY.md", "CONTRIBUTING.md"].map(|name| root().join(name));
    for file in documents.flatten().chain(top) {
        let text = std::fs::read_to_string(&file).unwrap();
        let is_catalogue = file.extension().is_some_and(|extension| extension == "ftl");
        for (at, line) in text.lines().enumerate() {
            // In a Fluent message, only the part after the equals sign is prose.
            let words = if is_catalogue { line.split_once(" = ").map_or(line, |(_, value)| value) } else { line };
            found.extend(house_words(&file, at + 1, words));
        }
    }
    assert!(found.is_empty(), "house words:\n{}", found.join("\n"));
}

#[test]
fn finds_house_words_and_stand_ins() {
    let file = root().join("src/lib.rs");
    assert_eq!(house_words(&file, 3, "The gate's state, and `gate` in code.").len(), 1);
    assert!(house_words(&file, 3, "An aggregate, { $gate } and a gateway.").is_empty());
    let text = "fn a() {}\n// What is\n// left.\nlet b = 1;\n/// A count.\n";
    assert_eq!(comments(text), [(2, "What is left.".to_owned()), (5, "A count.".to_owned())]);
}
