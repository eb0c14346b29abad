//! The site's keys: each use has a key of its own, and all of them are derived from `SECRET_KEY`.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use actix_web::cookie::Key;
use anyhow::Context as _;
use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD_NO_PAD, BASE64_URL_SAFE_NO_PAD};
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha512;

use crate::env::{Env, InvalidSetting};

/// The secret that all keys are derived from. Its debug form does not show it.
#[derive(Clone, PartialEq, Eq)]
pub struct SecretKey(Vec<u8>);

impl SecretKey {
    /// # Errors
    /// If the key is too weak. The message says what a key has to be.
    pub fn from_text(text: &str) -> Result<Self, &'static str> {
        let key = text.trim().as_bytes().to_vec();
        let different = key.iter().collect::<std::collections::BTreeSet<_>>().len();
        if key.len() < 32 || different < 8 {
            return Err("must be at least 32 random characters; `openssl rand -hex 32` makes some");
        }
        Ok(Self(key))
    }

    /// `SECRET_KEY`, if it is set.
    ///
    /// # Errors
    /// When it is too weak.
    pub fn from_env(env: &Env) -> Result<Option<Self>, InvalidSetting> {
        let key = env.get("SECRET_KEY")?.map(Self::from_text).transpose();
        key.map_err(|problem| InvalidSetting::new("SECRET_KEY", problem))
    }

    /// The key that is kept in the file `secret_key` in `dir`. It is made if it does not exist.
    ///
    /// # Errors
    /// If the file can be neither read nor made, or holds a weak key.
    pub fn kept_in(dir: &Path) -> anyhow::Result<Self> {
        let path = Self::file_in(dir);
        if !path.exists() {
            let made = make(dir, &path);
            if made.with_context(|| format!("cannot make {}", path.display()))? {
                tracing::warn!(path = %path.display(), "a new secret key was made: keep it, or everybody is signed out");
            }
        }
        let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        Self::from_text(&text).map_err(|problem| anyhow::anyhow!("the key in {} {problem}", path.display()))
    }
}

impl SecretKey {
    /// The file that a key is kept in.
    #[must_use]
    pub fn file_in(dir: &Path) -> PathBuf {
        dir.join("secret_key")
    }
}

impl std::fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SecretKey(…)")
    }
}

/// Makes the file with the key. It is first written under another name, so that a process that starts at the same time
/// reads all of it or none. Returns whether this process made it.
fn make(dir: &Path, path: &Path) -> std::io::Result<bool> {
    use std::os::unix::fs::OpenOptionsExt as _;
    std::fs::create_dir_all(dir)?;
    let unfinished: PathBuf = dir.join(format!("secret_key.{}", std::process::id()));
    let mut file = std::fs::OpenOptions::new().create(true).truncate(true).write(true).mode(0o600).open(&unfinished)?;
    let key = BASE64_STANDARD_NO_PAD.encode(rand::random::<[u8; 32]>());
    file.write_all(key.as_bytes())?;
    file.sync_all()?;
    // A link is not a rename: it does not replace a file that another process has made meanwhile.
    let made = match std::fs::hard_link(&unfinished, path) {
        Ok(()) => true,
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => false,
        Err(error) => return Err(error),
    };
    std::fs::remove_file(&unfinished)?;
    Ok(made)
}

/// Keys for different uses.
#[derive(Clone)]
pub struct Keys {
    /// For the cookies of sessions.
    pub sessions: Key,
    fingerprints: Hmac<Sha512>,
    seals: Hmac<Sha512>,
    app_secrets: Hmac<Sha512>,
}

/// The length of a seal in bytes.
const TAG: usize = 16;

impl Keys {
    #[must_use]
    pub fn derive(secret: &SecretKey) -> Self {
        let derived = |purpose: &[u8]| mac(&secret.0).chain_update(purpose).finalize().into_bytes();
        Self {
            sessions: Key::from(&derived(b"sessions")),
            fingerprints: mac(&derived(b"accounts")),
            seals: mac(&derived(b"seals")),
            app_secrets: mac(&derived(b"authenticator apps")),
        }
    }

    /// `payload` as text for a URL or a cookie, with a seal that only this site can make. What is sealed for one
    /// purpose cannot be opened for another. The payload is not secret: whoever has the text can read it.
    #[must_use]
    pub fn seal(&self, purpose: &str, payload: &[u8]) -> String {
        let tag = self.tag(purpose, payload).finalize().into_bytes();
        BASE64_URL_SAFE_NO_PAD.encode([payload, &tag[..TAG]].concat())
    }

    /// The payload of a text that was sealed for this purpose; `None` for any other text. Takes the same time for every
    /// forgery.
    #[must_use]
    pub fn open(&self, purpose: &str, text: &str) -> Option<Vec<u8>> {
        let mut payload = BASE64_URL_SAFE_NO_PAD.decode(text).ok()?;
        let tag = payload.split_off(payload.len().checked_sub(TAG)?);
        self.tag(purpose, &payload).verify_truncated_left(&tag).ok()?;
        Some(payload)
    }

    fn tag(&self, purpose: &str, payload: &[u8]) -> Hmac<Sha512> {
        // No purpose contains a zero byte, so it is clear where the purpose ends.
        self.seals.clone().chain_update(purpose).chain_update([0]).chain_update(payload)
    }

    /// The secret that an authenticator app shares with this site: 160 bits, as RFC 4226 advises. What is kept of it is
    /// the salt alone.
    #[must_use]
    pub fn app_secret(&self, salt: &[u8]) -> [u8; 20] {
        let tag = self.app_secrets.clone().chain_update(salt).finalize().into_bytes();
        std::array::from_fn(|at| tag[at])
    }

    /// 32 hexadecimal digits that stand for a text which must not be kept, as it may have been a password. Without the
    /// key, nobody can find the text by guessing.
    #[must_use]
    pub fn fingerprint(&self, text: &str) -> String {
        let tag = self.fingerprints.clone().chain_update(text).finalize().into_bytes();
        tag.iter().take(16).map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat()
    }
}

impl std::fmt::Debug for Keys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Keys(…)")
    }
}

#[expect(clippy::expect_used, reason = "HMAC takes keys of every length")]
fn mac(key: &[u8]) -> Hmac<Sha512> {
    Hmac::new_from_slice(key).expect("HMAC takes keys of every length")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(secret: &str) -> Keys {
        Keys::derive(&SecretKey::from_text(secret).unwrap())
    }

    #[test]
    fn only_what_was_sealed_here_for_the_same_purpose_is_opened() {
        let (ours, theirs) = (keys("0123456789abcdef0123456789abcdef"), keys("another secret key, of 32 letters"));
        let text = ours.seal("links", b"post 7");
        assert_eq!(ours.open("links", &text).as_deref(), Some(b"post 7".as_slice()));
        assert_eq!((ours.open("cursors", &text), theirs.open("links", &text)), (None, None));
        assert_ne!(ours.seal("links", b""), theirs.seal("links", b""));
        for index in 0..text.len() {
            let mut bytes = text.clone().into_bytes();
            bytes[index] = if bytes[index] == b'A' { b'B' } else { b'A' };
            assert_eq!(ours.open("links", &String::from_utf8(bytes).unwrap()), None, "{index}");
        }
        let long = "A".repeat(100_000);
        for forged in ["", "AAAA", "not base64!", &text[..text.len() - 4], &long] {
            assert_eq!(ours.open("links", forged), None, "{forged:.80}");
        }
    }

    #[test]
    fn a_weak_secret_is_refused_and_no_secret_is_shown() {
        for weak in ["", "changeme", "0123456789abcdef0123456789abcde", &"ab".repeat(40)] {
            assert!(SecretKey::from_text(weak).is_err(), "{weak}");
        }
        let key = SecretKey::from_text(" 0123456789abcdef0123456789abcdef\n").unwrap();
        assert_eq!(
            (format!("{key:?}"), format!("{:?}", Keys::derive(&key))),
            ("SecretKey(…)".into(), "Keys(…)".into())
        );
    }
}
