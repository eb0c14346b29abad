//! Benchmarks of rendering Markdown texts of the maximum size (256 KiB), both typical and adversarial: time and peak
//! memory (`max alloc`).
//!
//! `cargo bench --bench markdown`

use divan::Bencher;
use divan::counter::BytesCount;
use evenkeel::blog_posts::search::search_data::SearchData;
use evenkeel_markdown::render;

#[global_allocator]
static MEMORY: divan::AllocProfiler = divan::AllocProfiler::system();

const BYTES: usize = 262_144;

fn main() {
    divan::main();
}

/// Benchmark inputs: a text consists of the first string of a pair, and of repetitions of the second up to the maximum
/// size.
const TEXTS: [(&str, &str); 34] = [
    ("", "word "),
    ("", "Some *prose* with a [link](https://e.example/a), and more words after it, as people write them.\n\n"),
    ("", "# A heading\n\nA *paragraph* with a [link](/a).\n\n"),
    ("", "```rust\nfn a() {}\n```\n"),
    ("", "```js\nx\n```\n"),
    ("```rust\n", "    let answer = 40 + two(\"of them\"); // and a comment\n"),
    ("```html\n", "<p class=\"a\">b<script>let x = 1;</script></p>\n"),
    ("```php\n", "<?php $a = \"b $c {$d['e']}\"; ?>\n"),
    ("```md\n", "**a *b [c](d) `e` __f\n"),
    ("```perl\n", "s/a/b/; m{c}; $d = qq(e);\n"),
    ("", "|a|b|\n|-|-|\n|1|2|\n\n"),
    ("|a|b|\n|-|-|\n", "|1|2|\n"),
    ("", "["),
    ("", "*"),
    ("", ">"),
    ("", "&"),
    ("", "!["),
    ("", "_a*"),
    ("", "*a* "),
    ("", "- "),
    ("", "-\n"),
    ("", "[]("),
    ("", "<"),
    ("", "<!--"),
    ("", "[^a]"),
    ("[^a]: b\n\n", "[^a]"),
    ("[a]: https://e.example/\n\n", "[a]"),
    (
        "[a]: https://e.example/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n\n",
        "[a]",
    ),
    ("", "a\n\n"),
    ("", "`a` "),
    ("", "**a**~~b~~"),
    ("", "&amp;"),
    ("", "<http://a>"),
    ("", "a\\\n"),
];

#[divan::bench(sample_count = 10, args = 0..TEXTS.len())]
fn maximal(bencher: Bencher, text: usize) {
    let (first, piece) = TEXTS[text];
    let source = format!("{first}{}", piece.repeat((BYTES - first.len()) / piece.len()));
    bencher.counter(BytesCount::of_str(&source)).bench(|| render(divan::black_box(&source)));
}

/// Renders many short lines in deeply nested lists.
#[divan::bench(sample_count = 10, args = [1, 3, 7, 8, 30, 300, 3_000])]
fn nested(bencher: Bencher, depth: usize) {
    let first = "- ".repeat(depth);
    let source = format!("{first}a\n{}", "a\n".repeat((BYTES - first.len() - 2) / 2));
    bencher.counter(BytesCount::of_str(&source)).bench(|| render(divan::black_box(&source)));
}

/// Renders a table with a wide header and short rows, to which the renderer adds the missing cells.
#[divan::bench(sample_count = 10, args = [100, 1_000, 10_000, 50_000])]
fn wide_tables(bencher: Bencher, columns: usize) {
    let head = format!("|{}\n|{}\n", "a|".repeat(columns), "-|".repeat(columns));
    let source = format!("{head}{}", "|b|\n".repeat((BYTES - head.len()) / 4));
    bencher.counter(BytesCount::of_str(&source)).bench(|| render(divan::black_box(&source)));
}

#[divan::bench(sample_count = 10, args = [16, 32, 64, 128, 256])]
fn growth_with_kilobytes_of_brackets(bencher: Bencher, kilobytes: usize) {
    let source = "[](".repeat(kilobytes * 1_024 / 3);
    bencher.counter(BytesCount::of_str(&source)).bench(|| render(divan::black_box(&source)));
}

/// Extraction of search terms from texts of the maximum size: many different words, one repeated word, a single long
/// word, and letters with several combining marks.
#[divan::bench(sample_count = 10, args = ["en different", "en same", "de different", "fa different", "one", "marks"])]
fn words(bencher: Bencher<'_, '_>, kind: &str) {
    let text: String = match kind {
        "one" => "w".repeat(BYTES),
        "marks" => "a\u{301}\u{323}".repeat(BYTES / 5),
        "en same" => "rating ".repeat(BYTES / 7),
        "fa different" => numbered("خانه‌های", BYTES / 22),
        _ => numbered("häuser", BYTES / 13),
    };
    let language = kind.split(' ').next().and_then(|tag| tag.parse().ok());
    bencher
        .counter(BytesCount::of_str(&text))
        .bench(|| SearchData::compute(divan::black_box("A title"), divan::black_box(&text), language));
}

fn numbered(word: &str, count: usize) -> String {
    (0..count).flat_map(|number| [word.to_owned(), number.to_string(), " ".to_owned()]).collect()
}
