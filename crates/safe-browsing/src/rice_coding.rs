//! Decoder of [Rice-Golomb encoded integers](https://developers.google.com/safe-browsing/v4/compression) in Safe
//! Browsing updates. The integers are in ascending order and delta-encoded.
//!
//! Each delta consists of a quotient in unary (ones, then a zero) and a remainder of `parameter` bits, least
//! significant bit first. Bits are read from the least significant bit of each byte, as in DEFLATE.

use crate::hash_prefixes::MAX_LIST_BYTES;

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidRiceEncoding {
    #[error("the Rice parameter is not from 2 to 28")]
    Parameter,
    #[error("the Rice-encoded data ends in the middle of a number")]
    TooShort,
    #[error("the Rice-encoded data continues after the last number")]
    TooLong,
    #[error("a Rice-encoded number does not fit in 32 bits")]
    TooLarge,
    #[error("there are more Rice-encoded numbers than a threat list can have")]
    TooMany,
}

/// Decodes `count` integers after `first`, and returns them with `first` at the beginning. Memory usage is proportional
/// to the size of `data`, because each integer takes at least one bit.
pub fn decode(first: u32, parameter: u32, count: usize, data: &[u8]) -> Result<Vec<u32>, InvalidRiceEncoding> {
    let mut numbers = vec![first];
    if count == 0 {
        return Ok(numbers);
    }
    if !(2..=28).contains(&parameter) {
        return Err(InvalidRiceEncoding::Parameter);
    }
    // An integer takes `parameter` bits and at least one bit of quotient.
    if count > data.len().saturating_mul(8) / (1 + parameter as usize) {
        return Err(InvalidRiceEncoding::TooShort);
    }
    if count > MAX_LIST_BYTES / size_of::<u32>() {
        return Err(InvalidRiceEncoding::TooMany);
    }
    numbers.reserve_exact(count);
    let mut bits = BitReader { data, at: 0 };
    let mut number = first;
    for _ in 0..count {
        let mut quotient: u32 = 0;
        while bits.next()? == 1 {
            quotient += 1;
        }
        let mut distance = u64::from(quotient) << parameter;
        for place in 0..parameter {
            distance |= u64::from(bits.next()?) << place;
        }
        let distance = u32::try_from(distance).map_err(|_| InvalidRiceEncoding::TooLarge)?;
        number = number.checked_add(distance).ok_or(InvalidRiceEncoding::TooLarge)?;
        numbers.push(number);
    }
    if bits.left() >= 8 { Err(InvalidRiceEncoding::TooLong) } else { Ok(numbers) }
}

struct BitReader<'a> {
    data: &'a [u8],
    at: usize,
}

impl BitReader<'_> {
    fn next(&mut self) -> Result<u8, InvalidRiceEncoding> {
        let byte = self.data.get(self.at / 8).ok_or(InvalidRiceEncoding::TooShort)?;
        let bit = (byte >> (self.at % 8)) & 1;
        self.at += 1;
        Ok(bit)
    }

    fn left(&self) -> usize {
        self.data.len() * 8 - self.at
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn bytes(hex: &str) -> Vec<u8> {
        (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
    }

    fn encode(numbers: &[u32], parameter: u32) -> Vec<u8> {
        let mut bits = Vec::new();
        for pair in numbers.windows(2) {
            let distance = pair[1] - pair[0];
            bits.extend(std::iter::repeat_n(true, (distance >> parameter) as usize));
            bits.push(false);
            bits.extend((0..parameter).map(|place| (distance >> place) & 1 == 1));
        }
        bits.chunks(8).map(|bits| bits.iter().rev().fold(0, |byte, bit| (byte << 1) | u8::from(*bit))).collect()
    }

    /// Test vectors from Google's own client, encoded by its server.
    #[test]
    fn decodes_server_test_vectors() {
        let real: [(u32, &str, &[u32]); 4] = [
            (2, "f702", &[15, 9]),
            (5, "00", &[0]),
            (
                28,
                "54607be70a5fc1dcee69defe583ca3d6a5f2108c4a595600",
                &[62_763_050, 1_046_523_781, 192_522_171, 1_800_511_020, 4_442_775, 582_142_548],
            ),
            (
                28,
                "21c50291f982d757b8e93cf0c84fe8648d776204d6853f1c9700041b17c6",
                &[339_784_008, 263_128_563, 63_871_877, 69_723_256, 826_001_074, 797_300_228, 671_166_008, 207_712_688],
            ),
        ];
        for (parameter, data, distances) in real {
            let mut sum = 0;
            let sums = distances.iter().map(|distance| {
                sum += distance;
                sum
            });
            let expected: Vec<u32> = std::iter::once(0).chain(sums).collect();
            assert_eq!(decode(0, parameter, distances.len(), &bytes(data)).unwrap(), expected);
        }
        // Encoded indices from a real response of the server.
        let data = bytes("720000c0210000100400001a01006017000000");
        assert_eq!(decode(172, 28, 5, &data).unwrap(), [172, 229, 364, 494, 776, 963]);
        assert_eq!(decode(998, 0, 0, &[]).unwrap(), [998]);
    }

    #[test]
    fn rejects_invalid_data() {
        assert_eq!(decode(0, 1, 1, &[0]), Err(InvalidRiceEncoding::Parameter));
        assert_eq!(decode(0, 29, 1, &[0; 8]), Err(InvalidRiceEncoding::Parameter));
        assert_eq!(decode(0, 2, 3, &[0]), Err(InvalidRiceEncoding::TooShort));
        assert_eq!(decode(0, 2, usize::MAX, &[0; 100]), Err(InvalidRiceEncoding::TooShort));
        assert_eq!(decode(0, 2, 1, &[0xff; 100]), Err(InvalidRiceEncoding::TooShort));
        assert_eq!(decode(0, 2, 1, &[0, 0]), Err(InvalidRiceEncoding::TooLong));
        assert_eq!(decode(u32::MAX, 2, 1, &[0b10]), Err(InvalidRiceEncoding::TooLarge));
        // A quotient of 16 with 28 remainder bits is 2^32.
        assert_eq!(decode(0, 28, 1, &[0xff, 0xff, 0, 0, 0, 0]), Err(InvalidRiceEncoding::TooLarge));
    }

    proptest! {
        #[test]
        fn round_trips(mut numbers in proptest::collection::vec(0u32..1 << 20, 1..50), parameter in 2u32..=28) {
            numbers.sort_unstable();
            let data = encode(&numbers, parameter);
            prop_assert_eq!(decode(numbers[0], parameter, numbers.len() - 1, &data).unwrap(), numbers);
        }

        #[test]
        fn anything_is_survived_in_bounded_memory(first: u32, parameter: u32, count: usize, data in proptest::collection::vec(any::<u8>(), 0..200)) {
            if let Ok(numbers) = decode(first, parameter, count, &data) {
                prop_assert!(numbers.len() <= 1 + data.len() * 8 / 3 && numbers.is_sorted());
            }
        }
    }
}
