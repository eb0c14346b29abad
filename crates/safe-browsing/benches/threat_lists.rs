//! Benchmarks of a Safe Browsing threat list with one million hash prefixes: memory use, loading, updates and lookups.

#![allow(clippy::print_stdout, clippy::unwrap_used, missing_docs, reason = "a benchmark")]

use divan::{AllocProfiler, Bencher, black_box};
use evenkeel_safe_browsing::hash_prefixes::{FixedLengthPrefixes, PrefixList};
use evenkeel_safe_browsing::url_expressions::{CanonicalUrl, FullHash};
use sha2::{Digest as _, Sha256};

const COUNT: u32 = 1_000_000;

#[global_allocator]
static ALLOCATOR: AllocProfiler = AllocProfiler::system();

fn main() {
    let list = million();
    println!("{} prefixes of 4 bytes take {} bytes in memory", list.len(), list.memory_usage());
    divan::main();
}

/// Concatenated bytes of [`COUNT`] distinct four-byte hash prefixes, in unsorted order.
fn bytes() -> Vec<u8> {
    (0..COUNT).flat_map(|number| number.wrapping_mul(2_654_435_761).to_be_bytes()).collect()
}

fn checksum() -> FullHash {
    let mut prefixes: Vec<[u8; 4]> = bytes().chunks_exact(4).map(|prefix| prefix.try_into().unwrap()).collect();
    prefixes.sort_unstable();
    Sha256::digest(prefixes.concat()).into()
}

fn million() -> PrefixList {
    let all = FixedLengthPrefixes::new(4, bytes()).unwrap();
    PrefixList::default().with_changes(&[], &[all], &checksum()).unwrap()
}

/// Deserializes a stored list, as the server does at start-up.
#[divan::bench]
fn load(bencher: Bencher) {
    let stored = million().to_bytes();
    bencher.bench_local(|| PrefixList::from_bytes(black_box(&stored)).unwrap());
}

/// Applies a full update from the Safe Browsing server: sorts the prefixes and verifies their checksum.
#[divan::bench]
fn fetch_whole(bencher: Bencher) {
    let (all, checksum, none) = (FixedLengthPrefixes::new(4, bytes()).unwrap(), checksum(), PrefixList::default());
    bencher.bench_local(|| none.with_changes(&[], black_box(std::slice::from_ref(&all)), &checksum).unwrap());
}

#[divan::bench]
fn look_up(bencher: Bencher) {
    let list = million();
    let mut number = 0u32;
    bencher.bench_local(|| {
        number = number.wrapping_add(0x9e37_79b9);
        let mut hash = [0; 32];
        hash[..4].copy_from_slice(&number.to_be_bytes());
        list.matching_prefixes(black_box(&hash)).count()
    });
}

/// Looks up a URL with the maximum number of expressions (30), each of which is hashed and searched in the list.
#[divan::bench]
fn look_up_url(bencher: Bencher) {
    let list = million();
    bencher.bench_local(|| {
        let address = CanonicalUrl::parse(black_box(b"https://a.b.c.d.e.example/1/2/3/4/5.html?q=1")).unwrap();
        address.full_hashes().iter().map(|hash| list.matching_prefixes(hash).count()).sum::<usize>()
    });
}
