//! Password hashes of accounts imported from Django, in the format `pbkdf2_sha256$ITERATIONS$SALT$HASH`.

use argon2::password_hash::phc::Output;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use pbkdf2::pbkdf2_hmac;
use sha2::Sha256;

/// Hashes with more iterations are rejected, because verifying them would delay other sign-ins. Django 6.0 uses
/// 1,200,000 iterations.
const MAX_ITERATIONS: u32 = 3_000_000;

#[derive(Clone, Debug, PartialEq)]
pub struct DjangoHash {
    iterations: u32,
    salt: String,
    hash: Output,
}

impl DjangoHash {
    pub fn parse(stored: &str) -> Option<Self> {
        let mut parts = stored.split('$');
        let (algorithm, iterations, salt, hash) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
        let iterations = iterations.parse().ok().filter(|count| (1..=MAX_ITERATIONS).contains(count))?;
        let hash = STANDARD.decode(hash).ok().filter(|hash| hash.len() == 32)?;
        let is_known = algorithm == "pbkdf2_sha256" && !salt.is_empty() && parts.next().is_none();
        let hash = Output::new(&hash).ok()?;
        is_known.then(|| Self { iterations, salt: salt.to_owned(), hash })
    }

    /// The running time depends on the number of iterations of the stored hash.
    pub fn matches(&self, password: &str) -> bool {
        let mut hash = [0; 32];
        pbkdf2_hmac::<Sha256>(password.as_bytes(), self.salt.as_bytes(), self.iterations, &mut hash);
        // The `==` operator of `Output` compares in constant time.
        Output::new(&hash).is_ok_and(|hash| hash == self.hash)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Hash in the format of Django's `make_password`, computed with Python's `hashlib`.
    const HASH: &str = "pbkdf2_sha256$1000$seasalt$9U3uAFzLVzclWJ/AtQ8JeaFU9qtPGDAENL+D+Iv8TeQ=";

    #[test]
    fn verifies_django_hash() {
        let hash = DjangoHash::parse(HASH).unwrap();
        assert!(hash.matches("four grey herons") && !hash.matches("four grey heron") && !hash.matches(""));
    }

    #[test]
    fn rejects_other_hash_formats() {
        for wrong in [
            "",
            "!",
            "$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA",
            &HASH.replace("pbkdf2_sha256", "md5"),
            &HASH.replace("$1000$", "$0$"),
            &HASH.replace("$1000$", "$4000000000$"),
            &HASH.replace("$1000$", "$3000001$"),
            &HASH.replace("$seasalt$", "$$"),
            &format!("{HASH}$x"),
            &HASH[..HASH.len() - 4],
        ] {
            assert_eq!(DjangoHash::parse(wrong), None, "{wrong}");
        }
    }
}
