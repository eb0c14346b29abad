//! Password rules, and Argon2id hashing with limited concurrency.

pub(crate) mod django_hash;

use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;

use argon2::password_hash::phc::{Output, PasswordHash, Salt};
use argon2::{Algorithm, Argon2, Block, Params, Version, password_hash};
use schemars::{Schema, json_schema};
use unicode_normalization::UnicodeNormalization as _;

use self::django_hash::DjangoHash;
use crate::i18n::Phrase;
use crate::permits::{Permits, Requester};
use crate::phrase;
use crate::site::Site;
use crate::web::error::AppError;
use crate::web::request::form_field::{Field, Fields, NonEmptyText, OptionalField};

/// Maximum number of concurrent hashes, each of which uses 19 MiB of memory.
const MAX_PERMITS: usize = 4;

const PERMIT_TIMEOUT: Duration = Duration::from_secs(2);

/// Maximum memory cost of stored hashes. Hashes with a higher cost are rejected without verification.
const MAX_MEMORY_KIB: u32 = 256 * 1024;

/// Number of leading characters whose strength is estimated, because the estimate is slow for long passwords.
const ESTIMATED_CHARS: usize = 40;

/// Minimum strength of a password: base-10 logarithm of the number of guesses that zxcvbn estimates.
const MIN_GUESSES_LOG10: f64 = 6.0;

/// Passwords of at least 8 characters among the 20,000 most frequently leaked ones, in lower case. Django uses the same
/// list (by Royce Williams, from Pwned Passwords).
static COMMON: LazyLock<HashSet<&str>> = LazyLock::new(|| include_str!("common_passwords.txt").lines().collect());

#[derive(Clone)]
pub struct Password {
    /// Password in NFKC form, so that all keyboards produce equal text.
    text: String,
    /// Password as typed, for hashes that Django created.
    typed: String,
}

impl Password {
    /// Placeholder that sign-in verifies instead of an impossible password, so that the response takes equally long.
    pub fn unusable() -> Self {
        Self { text: String::new(), typed: String::new() }
    }

    /// zxcvbn treats `personal_words` (username and email address) and `words` as easy to guess.
    fn find_weakness(&self, personal_words: &[String], words: &[String]) -> Option<Phrase> {
        let folded = self.text.trim().nfkc().collect::<String>().to_lowercase();
        // The password must not contain the local part of the email address either.
        let names = personal_words
            .iter()
            .flat_map(|word| [Some(word.as_str()), word.split_once('@').map(|(name, _)| name)])
            .flatten();
        let mut names = names.map(|name| name.nfkc().collect::<String>().to_lowercase());
        if names.any(|name| name.chars().count() >= MIN_NAME_CHARS && folded.contains(&name)) {
            return Some(phrase!("invalid-password-name"));
        }
        let beginning: String = self.text.chars().take(ESTIMATED_CHARS).collect();
        let guessed: Vec<&str> = personal_words.iter().chain(words).map(String::as_str).collect();
        let is_easy = COMMON.contains(folded.as_str())
            || zxcvbn::zxcvbn(&beginning, &guessed).guesses_log10() < MIN_GUESSES_LOG10;
        is_easy.then(|| phrase!("invalid-password-easy"))
    }
}

impl std::fmt::Debug for Password {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Password(…)")
    }
}

impl Password {
    /// Parses the password of an existing account. Imported accounts may have shorter passwords than new accounts.
    pub fn parse_lenient(text: &str) -> Option<Self> {
        let password = Self { text: text.nfkc().collect(), typed: text.to_owned() };
        (1..=256).contains(&password.text.chars().count()).then_some(password)
    }

    /// Takes the field `current_password`. Text that cannot be a password counts as a missing value.
    pub fn take_current_password(fields: &mut Fields) -> Option<Option<Self>> {
        let typed = fields.take_optional::<OptionalField<NonEmptyText>>("current_password")?.and_then(|typed| typed.0);
        Some(typed.and_then(|NonEmptyText(text)| Self::parse_lenient(&text)))
    }
}

impl Field for Password {
    fn from_text(text: &str) -> Result<Self, Phrase> {
        let password = Self { text: text.nfkc().collect(), typed: text.to_owned() };
        match password.text.chars().count() {
            8..=256 => Ok(password),
            0..8 => Err(phrase!("invalid-password-short")),
            _ => Err(phrase!("invalid-password-long")),
        }
    }

    fn schema() -> Schema {
        json_schema!({ "type": "string", "format": "password", "minLength": 8, "maxLength": 256, "description": "Passwords that are easy to guess are rejected" })
    }
}

/// Minimum length of names that a password must not contain, because shorter names occur in many words.
const MIN_NAME_CHARS: usize = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VerificationResult {
    Wrong,
    Correct,
    /// The password is correct, but its hash was created with weaker parameters than the current ones.
    CorrectButWeak,
}

/// Hashing memory is reused, because an allocator may not return freed allocations of 19 MiB to the operating system.
#[derive(Clone)]
pub struct PasswordHasher {
    permits: Permits,
    memory: Arc<Mutex<Vec<Vec<Block>>>>,
    argon2: Argon2<'static>,
    /// Hash of random bytes. A sign-in with an unknown username verifies the password against it, so that the response
    /// takes as long as for an existing user.
    dummy_hash: PasswordHash,
    count: Arc<AtomicU64>,
    /// Passwords that contain the name of the site are easy to guess.
    site: Arc<Site>,
}

impl PasswordHasher {
    /// Argon2id with 19 MiB of memory, two passes and one lane, which is the first choice of OWASP and the default of
    /// the `argon2` crate.
    pub fn new() -> anyhow::Result<Self> {
        let argon2 = Argon2::default();
        let dummy_hash =
            random_hash(&argon2).map_err(|error| anyhow::anyhow!("cannot create a dummy hash: {error}"))?;
        let permits = Permits::for_cpu_count(MAX_PERMITS, PERMIT_TIMEOUT);
        Ok(Self { permits, memory: Arc::default(), argon2, dummy_hash, count: Arc::default(), site: Arc::default() })
    }

    /// Rejects new passwords that contain the name of the site.
    pub fn with_site(self, site: Arc<Site>) -> Self {
        Self { site, ..self }
    }

    /// Names of the program and of the site, which are easy to guess in passwords.
    fn easy_words(&self) -> [String; 2] {
        ["evenkeel".to_owned(), self.site.current().name.clone()]
    }

    pub fn hashing_permits(&self) -> &Permits {
        &self.permits
    }

    /// If the password is too weak, returns an error of the form field `field`. `personal_words` are the username and
    /// the email address.
    pub async fn hash_new_password(
        &self,
        requester: Requester,
        field: &str,
        password: Password,
        personal_words: &[&str],
    ) -> Result<String, AppError> {
        let (hasher, personal_words) =
            (self.clone(), personal_words.iter().map(ToString::to_string).collect::<Vec<_>>());
        let done = self.run(requester, move |memory| {
            // The strength estimate may take as long as hashing, so it also runs under a permit.
            match password.find_weakness(&personal_words, &hasher.easy_words()) {
                Some(weakness) => Ok(Err(weakness)),
                None => hasher.compute_new(&password, memory).map(Ok),
            }
        });
        let hash = done.await?.map_err(|error| AppError::Internal(format!("cannot hash the password: {error}")))?;
        hash.map_err(|weakness| AppError::invalid_field(field, weakness))
    }

    pub async fn find_weakness(
        &self,
        requester: Requester,
        password: Password,
        personal_words: &[&str],
    ) -> Result<Option<Phrase>, AppError> {
        let personal_words = personal_words.iter().map(ToString::to_string).collect::<Vec<_>>();
        let words = self.easy_words();
        self.run(requester, move |_| password.find_weakness(&personal_words, &words)).await
    }

    pub async fn rehash(&self, requester: Requester, password: Password) -> Result<String, AppError> {
        let hasher = self.clone();
        let done = self.run(requester, move |memory| hasher.compute_new(&password, memory));
        done.await?.map_err(|error| AppError::Internal(format!("cannot hash the password: {error}")))
    }

    /// Verifies against a dummy hash if `stored` is `None`. Hashes imported from Django take a different time, which
    /// reveals that nobody has signed in to the account since the import.
    pub async fn verify(
        &self,
        requester: Requester,
        password: Password,
        stored: Option<&str>,
    ) -> Result<VerificationResult, AppError> {
        if let Some(hash) = stored.and_then(DjangoHash::parse) {
            self.count.fetch_add(1, Ordering::Relaxed);
            let is_right = self.run(requester, move |_| hash.matches(&password.typed)).await?;
            return Ok(if is_right { VerificationResult::CorrectButWeak } else { VerificationResult::Wrong });
        }
        let usable = stored.and_then(|stored| PasswordHash::new(stored).ok()).filter(is_affordable);
        let is_usable = usable.is_some();
        let weak = usable.as_ref().is_some_and(|hash| self.is_weaker(hash));
        let (hasher, hash) = (self.clone(), usable.unwrap_or_else(|| self.dummy_hash.clone()));
        let matches =
            self.run(requester, move |memory| hasher.matches(&password, &hash, memory).unwrap_or(false)).await?;
        Ok(match (is_usable && matches, weak) {
            (false, _) => VerificationResult::Wrong,
            (true, false) => VerificationResult::Correct,
            (true, true) => VerificationResult::CorrectButWeak,
        })
    }

    pub fn computed_hashes(&self) -> u64 {
        self.count.load(Ordering::Relaxed)
    }

    fn compute_new(&self, password: &Password, memory: &mut Vec<Block>) -> password_hash::Result<String> {
        let salt = rand::random::<[u8; 16]>();
        let output = self.compute(&self.argon2, password, &salt, memory)?;
        build_password_hash(&self.argon2, &salt, output).map(|hash| hash.to_string())
    }

    fn matches(
        &self,
        password: &Password,
        hash: &PasswordHash,
        memory: &mut Vec<Block>,
    ) -> password_hash::Result<bool> {
        let (Some(salt), Some(expected)) = (&hash.salt, &hash.hash) else { return Ok(false) };
        let algorithm = Algorithm::try_from(hash.algorithm.as_str())?;
        let version = hash.version.map_or(Ok(Version::default()), Version::try_from)?;
        let argon2 = Argon2::new(algorithm, version, hash.try_into()?);
        // The type `Output` of the hash implements `==` in constant time, to prevent timing attacks.
        Ok(self.compute(&argon2, password, salt, memory)? == *expected)
    }

    fn compute(
        &self,
        argon2: &Argon2<'_>,
        password: &Password,
        salt: &[u8],
        memory: &mut Vec<Block>,
    ) -> password_hash::Result<Output> {
        self.count.fetch_add(1, Ordering::Relaxed);
        let params = argon2.params();
        memory.resize(params.block_count(), Block::default());
        let mut output = [0; Output::MAX_LENGTH];
        let output = &mut output[..params.output_len().unwrap_or(Params::DEFAULT_OUTPUT_LEN)];
        argon2.hash_password_into_with_memory(password.text.as_bytes(), salt, output, &mut memory[..])?;
        Ok(Output::new(output)?)
    }

    fn is_weaker(&self, hash: &PasswordHash) -> bool {
        let today = self.argon2.params();
        let cost = |params: &Params| (params.m_cost(), params.t_cost(), params.p_cost());
        hash.algorithm.as_str() != "argon2id" || Params::try_from(hash).is_ok_and(|params| cost(&params) < cost(today))
    }

    /// Runs `work` under a permit, which is held until `work` is done, even if the client disconnects.
    async fn run<T: Send + 'static>(
        &self,
        requester: Requester,
        work: impl FnOnce(&mut Vec<Block>) -> T + Send + 'static,
    ) -> Result<T, AppError> {
        let permit = self.permits.acquire(requester).await?;
        let pool = Arc::clone(&self.memory);
        let done = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            let mut memory = pool.lock().map(|mut pool| pool.pop()).ok().flatten().unwrap_or_default();
            let done = work(&mut memory);
            if let Ok(mut pool) = pool.lock() {
                pool.push(memory);
            }
            done
        });
        Ok(done.await?)
    }
}

/// Creates a hash from random bytes, because hashing a password takes 19 MiB of memory and would delay the start.
fn random_hash(argon2: &Argon2<'_>) -> password_hash::Result<PasswordHash> {
    let output = Output::new(&rand::random::<[u8; Params::DEFAULT_OUTPUT_LEN]>())?;
    build_password_hash(argon2, &rand::random(), output)
}

fn build_password_hash(argon2: &Argon2<'_>, salt: &[u8; 16], output: Output) -> password_hash::Result<PasswordHash> {
    Ok(PasswordHash {
        algorithm: Algorithm::default().ident(),
        version: Some(Version::default().into()),
        params: argon2.params().try_into()?,
        salt: Some(Salt::new(salt)?),
        hash: Some(output),
    })
}

fn is_affordable(hash: &PasswordHash) -> bool {
    Params::try_from(hash).is_ok_and(|params| params.m_cost() <= MAX_MEMORY_KIB && params.t_cost() <= 64)
}

#[cfg(test)]
mod tests {
    use argon2::PasswordHasher as _;

    use super::*;

    const ANYBODY: Requester = Requester::Other;

    fn password(text: &str) -> Password {
        Password::from_text(text).unwrap()
    }

    fn owned(texts: &[&str]) -> Vec<String> {
        texts.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn rejects_passwords_with_site_or_program_name() {
        let site = Site::from_env(&[("SITE_NAME", "Reiherblatt")].into_iter().collect()).unwrap();
        let hasher = PasswordHasher::new().unwrap().with_site(Arc::new(site));
        for text in ["evenkeel1", "Reiherblatt", "reiherblatt26"] {
            assert!(password(text).find_weakness(&[], &hasher.easy_words()).is_some(), "{text}");
        }
        assert!(password("reiherblatt26").find_weakness(&[], &[]).is_none());
    }

    #[test]
    fn limits_length_in_characters_without_trimming() {
        assert!(Password::from_text("گذرواژه").is_err());
        assert_eq!(password(" گذرواژه ").text, " گذرواژه ");
        assert!(Password::from_text(&"x".repeat(256)).is_ok() && Password::from_text(&"x".repeat(257)).is_err());
    }

    #[test]
    fn rejects_common_passwords_and_own_name() {
        for text in ["password", "12345678", "Password1", "qwertyuiop", "iloveyou", "aaaaaaaa", "trustno1"] {
            assert!(password(text).find_weakness(&[], &[]).is_some(), "{text}");
        }
        for text in ["linkedin", "babygirl1", "LinkedIn", "ｐａｓｓｗｏｒｄ"] {
            assert!(password(text).find_weakness(&[], &[]).is_some(), "{text}");
        }
        let refused = COMMON.iter().filter(|common| password(common).find_weakness(&[], &[]).is_some()).count();
        assert_eq!((refused, COMMON.len() > 8_000), (COMMON.len(), true));
        assert!(password("ingeborg42").find_weakness(&owned(&["Ingeborg42", "i@example.com"]), &[]).is_some());
        for text in ["rita1234", "1234Rita", "rita!rita", "RITA2026!"] {
            assert!(password(text).find_weakness(&owned(&["rita", "r@example.com"]), &[]).is_some(), "{text}");
        }
        assert!(password("margarita7").find_weakness(&owned(&["rita", "margarita@example.com"]), &[]).is_some());
        for text in ["rita swims at dawn", "a long walk with RITA", "herons r@example.com wait"] {
            assert_eq!(
                password(text).find_weakness(&owned(&["rita", "r@example.com"]), &[]),
                Some(phrase!("invalid-password-name")),
                "{text}"
            );
        }
        assert!(password("four grey herons wait").find_weakness(&owned(&["ingeborg"]), &[]).is_none());
    }

    #[actix_web::test]
    async fn hash_contains_parameters_and_verifies() {
        let hasher = PasswordHasher::new().unwrap();
        let hash = hasher.hash_new_password(ANYBODY, "password", password("four grey herons"), &[]).await.unwrap();
        assert!(hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{hash}");
        assert_eq!(
            hasher.verify(ANYBODY, password("four grey herons"), Some(&hash)).await.unwrap(),
            VerificationResult::Correct
        );
        assert_eq!(
            hasher.verify(ANYBODY, password("four grey heron s"), Some(&hash)).await.unwrap(),
            VerificationResult::Wrong
        );
        assert_eq!(
            hasher.verify(ANYBODY, password("nobody's password"), None).await.unwrap(),
            VerificationResult::Wrong
        );
        assert_eq!(
            hasher.verify(ANYBODY, password("nobody's password"), Some("!unusable")).await.unwrap(),
            VerificationResult::Wrong
        );
    }

    #[actix_web::test]
    async fn unknown_user_costs_one_hash() {
        let hasher = PasswordHasher::new().unwrap();
        assert_eq!(hasher.dummy_hash.params, hasher.argon2.params().try_into().unwrap());
        let hash = hasher.hash_new_password(ANYBODY, "password", password("four grey herons"), &[]).await.unwrap();
        for stored in [Some(hash.as_str()), None, Some("!disabled"), Some("$argon2id$broken")] {
            let before = hasher.computed_hashes();
            hasher.verify(ANYBODY, password("seven paper boats"), stored).await.unwrap();
            assert_eq!(hasher.computed_hashes() - before, 1, "{stored:?}");
        }
        let weak = hasher.hash_new_password(ANYBODY, "password", password("password"), &[]).await;
        assert!(matches!(weak, Err(AppError::Invalid(_))), "{weak:?}");
    }

    #[actix_web::test]
    async fn detects_weak_hashes_and_rejects_excessive_cost() {
        let hasher = PasswordHasher::new().unwrap();
        let weak: Argon2<'_> = Params::new(8 * 1024, 1, 1, None).unwrap().into();
        let weak = weak.hash_password(b"four grey herons").unwrap().to_string();
        assert_eq!(
            hasher.verify(ANYBODY, password("four grey herons"), Some(&weak)).await.unwrap(),
            VerificationResult::CorrectButWeak
        );
        let absurd = weak.replace("m=8192", "m=4194304");
        assert_eq!(
            hasher.verify(ANYBODY, password("four grey herons"), Some(&absurd)).await.unwrap(),
            VerificationResult::Wrong
        );
    }
}
