//! Passwords: what is allowed, and hashing them with Argon2id without starving the rest of the site.

use std::sync::Arc;
use std::time::Duration;

use argon2::password_hash::phc::PasswordHash;
use argon2::{Argon2, Params, PasswordHasher as _, PasswordVerifier as _};
use tokio::sync::Semaphore;

use crate::error::AppError;
use crate::payload::Field;

/// Each hash takes 19 MiB: this many at once, and no more.
const PERMITS: usize = 4;

/// How long a request waits for its turn before it is told to come back.
const TURN: Duration = Duration::from_secs(2);

/// A stored hash that asks for more memory than this (in KiB) was not made by us.
const MAX_MEMORY_KIB: u32 = 256 * 1024;

/// Guesses that an attacker needs, as estimated by zxcvbn, below which a password is a common one.
const MIN_GUESSES_LOG10: f64 = 4.0;

/// 8 to 256 characters, exactly as typed. Not shown when debugged.
#[derive(Clone)]
pub struct Password(String);

impl Password {
    /// Stands in for what cannot be anybody's password, so that checking it costs the same work.
    #[must_use]
    pub fn impossible() -> Self {
        Self(String::new())
    }

    /// Whether this is neither one of the most common passwords nor made of `known`: the user's own name
    /// and address.
    #[must_use]
    pub fn is_hard_to_guess(&self, known: &[&str]) -> bool {
        let known_to_all = known.iter().any(|known| known.eq_ignore_ascii_case(&self.0));
        !known_to_all && zxcvbn::zxcvbn(&self.0, known).guesses_log10() >= MIN_GUESSES_LOG10
    }
}

impl std::fmt::Debug for Password {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Password(…)")
    }
}

impl Field for Password {
    fn from_text(text: &str) -> Result<Self, String> {
        match text.chars().count() {
            8..=256 => Ok(Self(text.to_owned())),
            0..8 => Err("Use at least 8 characters.".to_owned()),
            _ => Err("Use at most 256 characters.".to_owned()),
        }
    }
}

/// Why [`Password::is_hard_to_guess`] matters, for the person who chose it.
pub const EASY_TO_GUESS: &str = "This password is too easy to guess. Try a few words that do not belong together.";

/// What a check found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checked {
    Wrong,
    Right,
    /// Right, but hashed with weaker parameters than today's.
    RightButWeak,
}

/// Hashes off the async threads, a few at a time.
#[derive(Clone, Debug)]
pub struct Hasher {
    permits: Arc<Semaphore>,
    argon2: Argon2<'static>,
    /// A hash of nothing in particular, so that an unknown user costs the same work as a known one.
    decoy: String,
}

impl Hasher {
    /// Argon2id with 19 MiB, two passes and one lane: OWASP's first choice and the crate's default.
    ///
    /// # Errors
    /// When the system has no random numbers to give.
    pub fn new() -> anyhow::Result<Self> {
        let argon2 = Argon2::default();
        let decoy = argon2.hash_password(b"nobody's password").map_err(|error| anyhow::anyhow!("argon2: {error}"))?;
        Ok(Self { permits: Arc::new(Semaphore::new(PERMITS)), decoy: decoy.to_string(), argon2 })
    }

    /// # Errors
    /// `busy` when too many are waiting.
    pub async fn hash(&self, password: Password) -> Result<String, AppError> {
        let argon2 = self.argon2.clone();
        let hashed = self.run(move || argon2.hash_password(password.0.as_bytes()).map(|hash| hash.to_string()));
        hashed.await?.map_err(|error| AppError::Internal(format!("argon2: {error}")))
    }

    /// Checks a password against a stored hash; against the decoy where there is none.
    ///
    /// # Errors
    /// `busy` when too many are waiting.
    pub async fn check(&self, password: Password, stored: Option<&str>) -> Result<Checked, AppError> {
        let usable = stored.and_then(|stored| PasswordHash::new(stored).ok()).filter(within_ceiling);
        let known = usable.is_some();
        let weak = usable.as_ref().is_some_and(|hash| self.is_weaker(hash));
        let hash = if known { stored.unwrap_or(&self.decoy) } else { &self.decoy }.to_owned();
        let argon2 = self.argon2.clone();
        let matches = self.run(move || argon2.verify_password(password.0.as_bytes(), hash.as_str()).is_ok()).await?;
        Ok(match (known && matches, weak) {
            (false, _) => Checked::Wrong,
            (true, false) => Checked::Right,
            (true, true) => Checked::RightButWeak,
        })
    }

    fn is_weaker(&self, hash: &PasswordHash) -> bool {
        let today = self.argon2.params();
        let cost = |params: &Params| (params.m_cost(), params.t_cost(), params.p_cost());
        hash.algorithm.as_str() != "argon2id" || Params::try_from(hash).is_ok_and(|params| cost(&params) < cost(today))
    }

    /// The permit belongs to the work: a client that hangs up does not make room for another one early.
    async fn run<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Result<T, AppError> {
        let permit = tokio::time::timeout(TURN, Arc::clone(&self.permits).acquire_owned()).await;
        let permit = permit.map_err(|_| AppError::Busy)?.map_err(|_| AppError::Busy)?;
        let done = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            work()
        });
        done.await.map_err(|error| AppError::Internal(error.to_string()))
    }
}

fn within_ceiling(hash: &PasswordHash) -> bool {
    Params::try_from(hash).is_ok_and(|params| params.m_cost() <= MAX_MEMORY_KIB && params.t_cost() <= 64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn password(text: &str) -> Password {
        Password::from_text(text).unwrap()
    }

    #[test]
    fn length_counts_characters_and_nothing_is_trimmed() {
        assert!(Password::from_text("گذرواژه").is_err());
        assert_eq!(password(" گذرواژه ").0, " گذرواژه ");
        assert!(Password::from_text(&"x".repeat(256)).is_ok() && Password::from_text(&"x".repeat(257)).is_err());
    }

    #[test]
    fn common_passwords_and_ones_own_name_are_easy_to_guess() {
        for text in ["password", "12345678", "Password1", "qwertyuiop", "iloveyou", "aaaaaaaa", "trustno1"] {
            assert!(!password(text).is_hard_to_guess(&[]), "{text}");
        }
        assert!(!password("ingeborg42").is_hard_to_guess(&["Ingeborg42", "i@example.com"]));
        assert!(password("four grey herons wait").is_hard_to_guess(&["ingeborg"]));
    }

    #[actix_web::test]
    async fn a_hash_says_how_it_was_made_and_fits_only_its_password() {
        let hasher = Hasher::new().unwrap();
        let hash = hasher.hash(password("four grey herons")).await.unwrap();
        assert!(hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{hash}");
        assert_eq!(hasher.check(password("four grey herons"), Some(&hash)).await.unwrap(), Checked::Right);
        assert_eq!(hasher.check(password("four grey heron s"), Some(&hash)).await.unwrap(), Checked::Wrong);
        assert_eq!(hasher.check(password("nobody's password"), None).await.unwrap(), Checked::Wrong);
        assert_eq!(hasher.check(password("nobody's password"), Some("!unusable")).await.unwrap(), Checked::Wrong);
    }

    #[actix_web::test]
    async fn weaker_hashes_are_told_apart_and_absurd_ones_refused() {
        let hasher = Hasher::new().unwrap();
        let weak: Argon2<'_> = Params::new(8 * 1024, 1, 1, None).unwrap().into();
        let weak = weak.hash_password(b"four grey herons").unwrap().to_string();
        assert_eq!(hasher.check(password("four grey herons"), Some(&weak)).await.unwrap(), Checked::RightButWeak);
        let absurd = weak.replace("m=8192", "m=4194304");
        assert_eq!(hasher.check(password("four grey herons"), Some(&absurd)).await.unwrap(), Checked::Wrong);
    }
}
