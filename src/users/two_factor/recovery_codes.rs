//! Single-use recovery codes, for signing in without the authenticator app.

use sha2::{Digest as _, Sha256};

pub const CODE_COUNT: usize = 10;

/// Alphabet of recovery codes: 32 characters (5 bits each) without `0`, `1`, `l` and `o`, which are easily confused.
const LETTERS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";

/// Generates ten recovery codes of 140 random bits, such as `abcdefg-hjkmnpq-rstuvwx-yz23456`. Codes with at least 112
/// bits of entropy can be stored as plain hashes (NIST SP 800-63B).
pub fn generate() -> Vec<String> {
    let code = || {
        let random: [u8; 28] = rand::random();
        let letters: String = random.iter().map(|byte| char::from(LETTERS[usize::from(byte % 32)])).collect();
        [&letters[..7], &letters[7..14], &letters[14..21], &letters[21..]].join("-")
    };
    (0..CODE_COUNT).map(|_| code()).collect()
}

/// Ignores case and separators. The hash needs no salt or key stretching, because recovery codes are long and random.
pub fn hash(code: &str) -> Vec<u8> {
    let plain: String = code.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).take(64).collect();
    Sha256::digest(plain).to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique_and_normalized() {
        let codes = generate();
        let hashes: std::collections::BTreeSet<_> = codes.iter().map(|code| hash(code)).collect();
        assert_eq!((codes.len(), hashes.len()), (CODE_COUNT, CODE_COUNT));
        assert!(codes.iter().all(|code| code.len() == 31));
        assert_eq!(hash(&codes[0]), hash(&format!(" {} ", codes[0].to_uppercase().replace('-', " "))));
    }
}
