//! Secrets of API tokens.

use std::fmt;

use rand::distr::{Alphanumeric, SampleString as _};
use sha2::{Digest as _, Sha256};

const PREFIX: &str = "ek_";

/// Number of random letters and digits, which provide 238 bits of entropy.
const RANDOM_CHARS: usize = 40;

/// Number of base 62 digits of a CRC-32 checksum.
const CHECKSUM_CHARS: usize = 6;

const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// Token text: the prefix `ek_`, 40 random letters and digits, and their CRC-32 in base 62. Secret scanners recognize
/// tokens by prefix and checksum, and the site rejects mistyped tokens without a query.
#[derive(Clone, PartialEq, Eq)]
pub struct TokenSecret(String);

impl TokenSecret {
    pub fn generate() -> Self {
        let random = Alphanumeric.sample_string(&mut rand::rng(), RANDOM_CHARS);
        let checksum = checksum(&random);
        Self(format!("{PREFIX}{random}{checksum}"))
    }

    pub fn parse(text: &str) -> Option<Self> {
        let (random, sum) = text.strip_prefix(PREFIX)?.split_at_checked(RANDOM_CHARS)?;
        let is_valid = random.bytes().all(|byte| byte.is_ascii_alphanumeric()) && sum == checksum(random);
        is_valid.then(|| Self(text.to_owned()))
    }

    pub fn hash(&self) -> Vec<u8> {
        Sha256::digest(self.0.as_bytes()).to_vec()
    }

    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for TokenSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TokenSecret(…)")
    }
}

fn checksum(text: &str) -> String {
    let mut rest = crc32fast::hash(text.as_bytes()) as usize;
    let mut digits = [b'0'; CHECKSUM_CHARS];
    for digit in digits.iter_mut().rev() {
        *digit = DIGITS[rest % DIGITS.len()];
        rest /= DIGITS.len();
    }
    digits.iter().copied().map(char::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_have_a_prefix_and_a_checksum() {
        let token = TokenSecret::generate();
        assert_eq!((token.reveal().len(), &token.reveal()[..3]), (49, "ek_"));
        assert_eq!(TokenSecret::parse(token.reveal()), Some(token.clone()));
        assert_ne!(token, TokenSecret::generate());
        assert_eq!(format!("{token:?}"), "TokenSecret(…)");
    }

    #[test]
    fn checksum_is_crc32_in_base_62() {
        // The check value of CRC-32, 0xCBF43926 = 3421780262, has the digits 3, 45, 35, 27, 22 and 14.
        assert_eq!(checksum("123456789"), "3jZRME");
    }

    #[test]
    fn other_texts_are_no_tokens() {
        let token = TokenSecret::generate();
        let token = token.reveal();
        let mistyped = if token.ends_with('0') { "1" } else { "0" };
        for text in ["", "ek_", &token[3..], &token[..48], &format!("{token}0"), &format!("{}{mistyped}", &token[..48])]
        {
            assert!(TokenSecret::parse(text).is_none(), "{text}");
        }
        let umlauts = format!("ek_{}", "ä".repeat(23));
        assert!(TokenSecret::parse(&umlauts).is_none());
    }
}
