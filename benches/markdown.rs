//! How long it takes to render what an author may send at the most (256 KiB), ordinary and hostile.
//!
//! `cargo bench --bench markdown`

use divan::Bencher;
use divan::counter::BytesCount;
use evenkeel::markdown::render;

const BYTES: usize = 262_144;

fn main() {
    divan::main();
}

fn filled(piece: &str) -> String {
    piece.repeat(BYTES / piece.len())
}

#[divan::bench(sample_count = 10, args = [
    "word ", "# A heading\n\nA *paragraph* with a [link](/a).\n\n", "```rust\nfn a() {}\n```\n", "|a|b|\n|-|-|\n|1|2|\n\n",
    "[", "*", ">", "&", "![", "_a*", "- ", "[](", "<", "<!--", "[^a]",
])]
fn maximal(bencher: Bencher, piece: &str) {
    let source = filled(piece);
    bencher.counter(BytesCount::of_str(&source)).bench(|| render(divan::black_box(&source)));
}

#[divan::bench(sample_count = 10, args = [16, 32, 64, 128, 256])]
fn growth_with_kilobytes_of_brackets(bencher: Bencher, kilobytes: usize) {
    let source = "[](".repeat(kilobytes * 1_024 / 3);
    bencher.counter(BytesCount::of_str(&source)).bench(|| render(divan::black_box(&source)));
}
