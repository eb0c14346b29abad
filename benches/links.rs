//! What it costs to keep a million hash prefixes, and to look an address up in them.

#![allow(clippy::print_stdout, clippy::unwrap_used, missing_docs, reason = "a benchmark")]

use divan::{AllocProfiler, Bencher, black_box};
use evenkeel::safe_browsing::hash_prefixes::{PrefixList, Prefixes};
use evenkeel::safe_browsing::url_expressions::{Canonical, FullHash};
use sha2::{Digest as _, Sha256};

/// How many prefixes there are.
const COUNT: u32 = 1_000_000;

#[global_allocator]
static ALLOCATOR: AllocProfiler = AllocProfiler::system();

fn main() {
    let list = million();
    println!("{} prefixes of 4 bytes take {} bytes in memory", list.len(), list.bytes());
    divan::main();
}

/// Four bytes each, all different, in no order.
fn bytes() -> Vec<u8> {
    (0..COUNT).flat_map(|number| number.wrapping_mul(2_654_435_761).to_be_bytes()).collect()
}

fn checksum() -> FullHash {
    let mut prefixes: Vec<[u8; 4]> = bytes().chunks_exact(4).map(|prefix| prefix.try_into().unwrap()).collect();
    prefixes.sort_unstable();
    Sha256::digest(prefixes.concat()).into()
}

fn million() -> PrefixList {
    let all = Prefixes::new(4, bytes()).unwrap();
    PrefixList::default().changed(&[], &[all], &checksum()).unwrap()
}

/// After a start, from where the list is stored.
#[divan::bench]
fn load(bencher: Bencher) {
    let stored = million().to_stored();
    bencher.bench_local(|| PrefixList::from_stored(black_box(&stored)).unwrap());
}

/// The whole list from the server, sorted and checked.
#[divan::bench]
fn fetch_whole(bencher: Bencher) {
    let (all, checksum, none) = (Prefixes::new(4, bytes()).unwrap(), checksum(), PrefixList::default());
    bencher.bench_local(|| none.changed(&[], black_box(std::slice::from_ref(&all)), &checksum).unwrap());
}

/// One hash.
#[divan::bench]
fn look_up(bencher: Bencher) {
    let list = million();
    let mut number = 0u32;
    bencher.bench_local(|| {
        number = number.wrapping_add(0x9e37_79b9);
        let mut hash = [0; 32];
        hash[..4].copy_from_slice(&number.to_be_bytes());
        list.prefixes_of(black_box(&hash)).count()
    });
}

/// An address with all that a list may name of it: 30 hashes made and looked up.
#[divan::bench]
fn look_up_address(bencher: Bencher) {
    let list = million();
    bencher.bench_local(|| {
        let address = Canonical::of(black_box(b"https://a.b.c.d.e.example/1/2/3/4/5.html?q=1")).unwrap();
        address.full_hashes().iter().map(|hash| list.prefixes_of(hash).count()).sum::<usize>()
    });
}
