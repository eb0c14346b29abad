//! Set of hash prefixes (4 to 32 bytes) in a threat list.
//!
//! Prefixes of each length are stored in one sorted byte vector, without overhead per prefix. Removals refer to indices
//! in the lexicographic order of all prefixes.

use std::collections::BTreeMap;

use sha2::{Digest as _, Sha256};

use crate::url_expressions::FullHash;

/// Maximum size of a list in bytes. Google's largest lists have a size of about 12 MB.
pub const MAX_LIST_BYTES: usize = 64 << 20;

/// Valid prefix lengths in bytes.
pub const PREFIX_LENGTHS: std::ops::RangeInclusive<usize> = 4..=32;

/// Error in an update of a list. The client must discard the list and request the whole list again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidListChange {
    #[error("a hash prefix is not 4 to 32 bytes long")]
    Size,
    #[error("the size of the data is not a multiple of the length of its hash prefixes")]
    Length,
    #[error("an index of removed hash prefixes is out of range or occurs twice")]
    Removal,
    #[error("a hash prefix occurs twice")]
    Duplicate,
    #[error("the threat list has more than 64 MiB")]
    TooLarge,
    #[error("the threat list does not match the checksum of the update")]
    Checksum,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FixedLengthPrefixes {
    size: usize,
    bytes: Vec<u8>,
}

impl FixedLengthPrefixes {
    pub fn new(size: usize, bytes: Vec<u8>) -> Result<Self, InvalidListChange> {
        match bytes.len() {
            _ if !PREFIX_LENGTHS.contains(&size) => Err(InvalidListChange::Size),
            length if length % size != 0 => Err(InvalidListChange::Length),
            _ => Ok(Self { size, bytes }),
        }
    }

    /// Converts Rice-decoded integers to 4-byte prefixes in little-endian order, as the protocol specifies.
    pub fn from_integers(numbers: &[u32]) -> Self {
        Self { size: 4, bytes: numbers.iter().flat_map(|number| number.to_le_bytes()).collect() }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PrefixList {
    /// Sorted and concatenated prefixes, by their length in bytes.
    runs: BTreeMap<usize, Vec<u8>>,
}

impl PrefixList {
    pub fn len(&self) -> usize {
        self.runs.iter().map(|(size, run)| run.len() / size).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// Approximate memory usage in bytes.
    pub fn memory_usage(&self) -> usize {
        self.runs.values().map(Vec::capacity).sum()
    }

    /// Returns the prefixes in the list with which a hash begins. For most hashes, there are none.
    pub fn matching_prefixes<'a>(&self, hash: &'a FullHash) -> impl Iterator<Item = &'a [u8]> {
        self.runs.iter().filter_map(|(size, run)| {
            let wanted = &hash[..*size];
            contains(run, wanted).then_some(wanted)
        })
    }

    /// Checksum of the list: SHA-256 of all prefixes in lexicographic order.
    pub fn checksum(&self) -> FullHash {
        let mut hash = Sha256::new();
        for prefix in self.iter() {
            hash.update(prefix);
        }
        hash.finalize().into()
    }

    /// Iterates over all prefixes in lexicographic order. The indices of removals refer to this order.
    fn iter(&self) -> impl Iterator<Item = &[u8]> {
        let mut runs: Vec<_> = self.runs.iter().map(|(size, run)| run.chunks_exact(*size).peekable()).collect();
        std::iter::from_fn(move || {
            let heads = runs.iter_mut().enumerate().filter_map(|(at, run)| run.peek().map(|head| (*head, at)));
            let (_, first) = heads.min()?;
            runs[first].next()
        })
    }

    /// Returns the list after an update: removes the prefixes at the given indices, then adds the additions, and
    /// verifies the checksum.
    pub fn with_changes(
        &self,
        removals: &[u32],
        additions: &[FixedLengthPrefixes],
        checksum: &FullHash,
    ) -> Result<Self, InvalidListChange> {
        let mut runs = self.without(removals)?;
        let added: usize = additions.iter().map(|added| added.bytes.len()).sum();
        if runs.values().map(Vec::len).sum::<usize>().saturating_add(added) > MAX_LIST_BYTES {
            return Err(InvalidListChange::TooLarge);
        }
        for FixedLengthPrefixes { size, bytes } in additions {
            runs.entry(*size).or_default().extend_from_slice(bytes);
        }
        runs.retain(|_, run| !run.is_empty());
        for (size, run) in &mut runs {
            *run = sorted(run, *size).ok_or(InvalidListChange::Duplicate)?;
        }
        let changed = Self { runs };
        if changed.checksum() == *checksum { Ok(changed) } else { Err(InvalidListChange::Checksum) }
    }

    fn without(&self, removals: &[u32]) -> Result<BTreeMap<usize, Vec<u8>>, InvalidListChange> {
        let mut removals = removals.to_vec();
        removals.sort_unstable();
        let is_known = removals.last().is_none_or(|last| (*last as usize) < self.len());
        if !is_known || removals.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(InvalidListChange::Removal);
        }
        if removals.is_empty() {
            return Ok(self.runs.clone());
        }
        let mut removals = removals.into_iter().peekable();
        let mut runs: BTreeMap<usize, Vec<u8>> = BTreeMap::new();
        for (number, prefix) in self.iter().enumerate() {
            if removals.peek().is_some_and(|removal| *removal as usize == number) {
                removals.next();
            } else {
                runs.entry(prefix.len()).or_default().extend_from_slice(prefix);
            }
        }
        Ok(runs)
    }

    /// Serializes the list: for each length, the length (1 byte), the number of bytes (8 bytes, big-endian), and the
    /// bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut stored = Vec::with_capacity(self.memory_usage() + 9 * self.runs.len());
        for (size, run) in &self.runs {
            stored.push(u8::try_from(*size).unwrap_or(u8::MAX));
            stored.extend((run.len() as u64).to_be_bytes());
            stored.extend(run);
        }
        stored
    }

    /// Deserializes a list; `None` if the data is invalid or not sorted.
    pub fn from_bytes(mut stored: &[u8]) -> Option<Self> {
        let mut runs = BTreeMap::new();
        while let Some((size, rest)) = stored.split_first() {
            let (length, rest) = rest.split_first_chunk::<8>()?;
            let length = usize::try_from(u64::from_be_bytes(*length)).ok()?;
            let (run, rest) = rest.split_at_checked(length)?;
            let size = usize::from(*size);
            let is_run = PREFIX_LENGTHS.contains(&size) && length % size == 0 && length > 0;
            let ascends = || run.chunks_exact(size).zip(run.chunks_exact(size).skip(1)).all(|(one, next)| one < next);
            if !is_run || !ascends() || runs.insert(size, run.to_vec()).is_some() {
                return None;
            }
            stored = rest;
        }
        Some(Self { runs })
    }
}

/// Searches sorted and concatenated prefixes of equal length by bisection.
fn contains(run: &[u8], wanted: &[u8]) -> bool {
    let size = wanted.len();
    let (mut from, mut to) = (0, run.len() / size);
    while from < to {
        let middle = usize::midpoint(from, to);
        match run[middle * size..][..size].cmp(wanted) {
            std::cmp::Ordering::Less => from = middle + 1,
            std::cmp::Ordering::Equal => return true,
            std::cmp::Ordering::Greater => to = middle,
        }
    }
    false
}

/// Sorts concatenated prefixes of `size` bytes into a vector without spare capacity. Returns `None` if a prefix occurs
/// twice.
fn sorted(run: &[u8], size: usize) -> Option<Vec<u8>> {
    let mut prefixes: Vec<&[u8]> = run.chunks_exact(size).collect();
    if !prefixes.is_sorted() {
        prefixes.sort_unstable();
    }
    let is_once = prefixes.windows(2).all(|pair| pair[0] != pair[1]);
    is_once.then(|| prefixes.concat())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn from_set(set: &BTreeSet<Vec<u8>>) -> Vec<FixedLengthPrefixes> {
        set.iter().map(|prefix| FixedLengthPrefixes::new(prefix.len(), prefix.clone()).unwrap()).collect()
    }

    fn checksum(set: &BTreeSet<Vec<u8>>) -> FullHash {
        Sha256::digest(set.iter().flatten().copied().collect::<Vec<u8>>()).into()
    }

    fn hash(prefix: &[u8]) -> FullHash {
        let mut hash = [7; 32];
        hash[..prefix.len()].copy_from_slice(prefix);
        hash
    }

    #[test]
    fn rejects_invalid_updates() {
        let list = PrefixList::default();
        let four = FixedLengthPrefixes::new(4, b"bbbbaaaa".to_vec()).unwrap();
        let sum: FullHash = Sha256::digest(b"aaaabbbb").into();
        let list = list.with_changes(&[], std::slice::from_ref(&four), &sum).unwrap();
        assert_eq!((list.len(), list.checksum()), (2, sum));
        assert_eq!(list.with_changes(&[2], &[], &sum), Err(InvalidListChange::Removal));
        assert_eq!(list.with_changes(&[0, 0], &[], &sum), Err(InvalidListChange::Removal));
        assert_eq!(list.with_changes(&[], std::slice::from_ref(&four), &sum), Err(InvalidListChange::Duplicate));
        assert_eq!(list.with_changes(&[0], &[], &sum), Err(InvalidListChange::Checksum));
        assert_eq!(FixedLengthPrefixes::new(3, vec![0; 3]), Err(InvalidListChange::Size));
        assert_eq!(FixedLengthPrefixes::new(33, vec![0; 33]), Err(InvalidListChange::Size));
        assert_eq!(FixedLengthPrefixes::new(5, vec![0; 9]), Err(InvalidListChange::Length));
        let much = FixedLengthPrefixes::new(32, vec![0; MAX_LIST_BYTES + 32]).unwrap();
        assert_eq!(list.with_changes(&[], &[much], &sum), Err(InvalidListChange::TooLarge));
        assert_eq!(
            FixedLengthPrefixes::from_integers(&[0x6261_6160]),
            FixedLengthPrefixes::new(4, b"`aab".to_vec()).unwrap()
        );
    }

    fn sets() -> impl Strategy<Value = BTreeSet<Vec<u8>>> {
        // An alphabet of three bytes makes it likely that some prefixes begin with another prefix.
        proptest::collection::btree_set(proptest::collection::vec(0u8..3, 4..7), 0..40)
    }

    proptest! {
        /// Applies random updates to a list and to a `BTreeSet`, which is the reference implementation, and compares
        /// the results.
        #[test]
        fn updates_match_reference_set(before in sets(), added in sets(), which in proptest::collection::vec(any::<prop::sample::Index>(), 0..9)) {
            let list = PrefixList::default().with_changes(&[], &from_set(&before), &checksum(&before)).unwrap();
            let mut removals: Vec<u32> = match before.len() {
                0 => Vec::new(),
                count => which.iter().map(|index| u32::try_from(index.index(count)).unwrap()).collect(),
            };
            removals.sort_unstable();
            removals.dedup();
            let mut after: BTreeSet<Vec<u8>> = before.iter().enumerate()
                .filter(|(number, _)| !removals.contains(&u32::try_from(*number).unwrap()))
                .map(|(_, prefix)| prefix.clone()).collect();
            let added: BTreeSet<Vec<u8>> = added.difference(&after).cloned().collect();
            after.extend(added.clone());
            let changed = list.with_changes(&removals, &from_set(&added), &checksum(&after)).unwrap();
            prop_assert_eq!(changed.len(), after.len());
            prop_assert!(changed.iter().eq(after.iter().map(Vec::as_slice)));
            prop_assert_eq!(PrefixList::from_bytes(&changed.to_bytes()), Some(changed.clone()));
            for prefix in &after {
                let found = hash(prefix);
                prop_assert!(changed.matching_prefixes(&found).any(|found| found == prefix.as_slice()));
            }
            prop_assert_eq!(changed.matching_prefixes(&[9; 32]).count(), 0);
        }

        #[test]
        fn from_bytes_never_panics(stored in proptest::collection::vec(any::<u8>(), 0..60)) {
            if let Some(list) = PrefixList::from_bytes(&stored) {
                prop_assert_eq!(list.to_bytes(), stored);
            }
        }
    }
}
