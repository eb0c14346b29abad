//! Cryptographic keys of the site: one for each purpose, all derived from `SECRET_KEY`.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use actix_web::cookie::{Cookie, CookieJar, Key};
use anyhow::Context as _;
use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD, BASE64_STANDARD_NO_PAD, BASE64_URL_SAFE_NO_PAD};
use hmac::{Hmac, KeyInit, Mac as _};
use sha2::{Sha256, Sha512};

use crate::config::{Env, InvalidSetting};

#[derive(Clone, PartialEq, Eq)]
pub struct SecretKey(Vec<u8>);

impl SecretKey {
    pub fn from_text(text: &str) -> Result<Self, &'static str> {
        let key = text.trim().as_bytes().to_vec();
        let different = key.iter().collect::<std::collections::BTreeSet<_>>().len();
        if key.len() < 32 || different < 8 {
            return Err("must be at least 32 random characters; generate it with `openssl rand -hex 32`");
        }
        Ok(Self(key))
    }

    pub fn from_env(env: &Env) -> Result<Option<Self>, InvalidSetting> {
        let key = env.get("SECRET_KEY")?.map(Self::from_text).transpose();
        key.map_err(|problem| InvalidSetting::new("SECRET_KEY", problem))
    }

    /// Reads `SECRET_KEY_FALLBACKS`: previous keys, in any order.
    pub fn fallbacks_from_env(env: &Env) -> Result<Vec<Self>, InvalidSetting> {
        const VARIABLE: &str = "SECRET_KEY_FALLBACKS";
        let keys = env.get_list(VARIABLE, |text| Some(Self::from_text(text)), "")?;
        // The list contains results instead of keys, because an error of `Env::get_list` would reveal the keys.
        let keys = keys.into_iter().collect::<Result<_, _>>();
        keys.map_err(|problem| InvalidSetting::new(VARIABLE, format!("has a weak key: each {problem}")))
    }

    pub fn load_or_create(dir: &Path) -> anyhow::Result<Self> {
        let path = Self::file_path(dir);
        if !path.exists() {
            let was_created = create_key_file(dir, &path);
            if was_created.with_context(|| format!("cannot create the secret key file {}", path.display()))? {
                tracing::warn!(path = %path.display(), "secret key generated; if it is lost, all users are signed out");
            }
        }
        let text = std::fs::read_to_string(&path)
            .with_context(|| format!("cannot read the secret key file {}", path.display()))?;
        Self::from_text(&text).map_err(|problem| anyhow::anyhow!("the secret key in {} {problem}", path.display()))
    }

    pub fn file_path(dir: &Path) -> PathBuf {
        dir.join("secret_key")
    }
}

impl std::fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SecretKey(…)")
    }
}

/// Creates the key file by linking a complete temporary file, so that no other process reads a part of the key.
/// Returns true if this process created the file.
fn create_key_file(dir: &Path, path: &Path) -> std::io::Result<bool> {
    use std::os::unix::fs::OpenOptionsExt as _;
    std::fs::create_dir_all(dir)?;
    let unfinished: PathBuf = dir.join(format!("secret_key.{}", std::process::id()));
    let mut file = std::fs::OpenOptions::new().create(true).truncate(true).write(true).mode(0o600).open(&unfinished)?;
    let key = BASE64_STANDARD_NO_PAD.encode(rand::random::<[u8; 32]>());
    file.write_all(key.as_bytes())?;
    file.sync_all()?;
    // A hard link, unlike a rename, does not replace a file that another process has created meanwhile.
    let was_created = match std::fs::hard_link(&unfinished, path) {
        Ok(()) => true,
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => false,
        Err(error) => return Err(error),
    };
    std::fs::remove_file(&unfinished)?;
    Ok(was_created)
}

#[derive(Clone)]
pub struct Keys {
    current: DerivedKeys,
    fallbacks: Arc<[DerivedKeys]>,
}

#[derive(Clone)]
struct DerivedKeys {
    id: KeyId,
    sessions: Key,
    fingerprints: Hmac<Sha512>,
    signatures: Hmac<Sha512>,
    app_secrets: Hmac<Sha512>,
}

/// Identifier of a secret key, which reveals nothing about the key.
pub type KeyId = [u8; 8];

/// Secret shared with an authenticator app: 160 bits, as recommended by RFC 4226.
pub type TotpSecret = [u8; 20];

#[derive(Clone, Debug)]
pub struct StoredTotpSecret {
    pub salt: Vec<u8>,
    /// XOR of the TOTP secret and a value derived from salt and secret key. `None` if that value is the secret.
    pub mask: Option<Vec<u8>>,
    pub key_id: Vec<u8>,
}

const SIGNATURE_BYTES: usize = 16;

impl DerivedKeys {
    fn from(secret: &SecretKey) -> Self {
        let derived =
            |purpose: &[u8]| with_key::<Hmac<Sha512>>(&secret.0).chain_update(purpose).finalize().into_bytes();
        let id = derived(b"id");
        Self {
            id: std::array::from_fn(|at| id[at]),
            sessions: Key::from(&derived(b"sessions")),
            fingerprints: with_key(&derived(b"accounts")),
            signatures: with_key(&derived(b"seals")),
            app_secrets: with_key(&derived(b"authenticator apps")),
        }
    }

    fn tag(&self, purpose: &str, payload: &[u8]) -> Hmac<Sha512> {
        // A zero byte separates purpose and payload, because no purpose contains a zero byte.
        self.signatures.clone().chain_update(purpose).chain_update([0]).chain_update(payload)
    }

    /// XOR of `mask` and a value derived from the salt. Applying the function twice restores the input.
    fn masked(&self, salt: &[u8], mask: &[u8]) -> TotpSecret {
        let derived = self.app_secrets.clone().chain_update(salt).finalize().into_bytes();
        std::array::from_fn(|at| derived[at] ^ mask.get(at).unwrap_or(&0))
    }
}

impl Keys {
    pub fn derive(secret: &SecretKey) -> Self {
        Self { current: DerivedKeys::from(secret), fallbacks: Arc::default() }
    }

    /// Adds previous keys, which are accepted but never used for new signatures.
    pub fn with_fallbacks(self, fallbacks: &[SecretKey]) -> Self {
        Self { fallbacks: fallbacks.iter().map(DerivedKeys::from).collect(), ..self }
    }

    pub fn has_fallbacks(&self) -> bool {
        !self.fallbacks.is_empty()
    }

    fn all(&self) -> impl Iterator<Item = &DerivedKeys> {
        std::iter::once(&self.current).chain(&*self.fallbacks)
    }

    pub fn id(&self) -> KeyId {
        self.current.id
    }

    pub fn session_key(&self) -> Key {
        self.current.sessions.clone()
    }

    /// Returns the new value of a session cookie signed with a previous key; `None` for any other cookie.
    pub fn renew_cookie_signature(&self, cookie: &Cookie<'static>) -> Option<String> {
        let signed_by = |key: &DerivedKeys| CookieJar::new().signed(&key.sessions).verify(cookie.clone());
        let text = self.fallbacks.iter().find_map(signed_by)?;
        let mut jar = CookieJar::new();
        jar.signed_mut(&self.current.sessions).add(text);
        jar.get(cookie.name()).map(|cookie| cookie.value().to_owned())
    }

    /// The signature is valid only for `purpose`. The payload is not encrypted.
    pub fn sign(&self, purpose: &str, payload: &[u8]) -> String {
        let tag = self.current.tag(purpose, payload).finalize().into_bytes();
        BASE64_URL_SAFE_NO_PAD.encode([payload, &tag[..SIGNATURE_BYTES]].concat())
    }

    /// Returns the payload of a text that [`Self::sign`] signed for `purpose`. Compares signatures in constant time.
    pub fn verify(&self, purpose: &str, text: &str) -> Option<Vec<u8>> {
        let mut payload = BASE64_URL_SAFE_NO_PAD.decode(text).ok()?;
        let tag = payload.split_off(payload.len().checked_sub(SIGNATURE_BYTES)?);
        let is_sealed_by = |key: &DerivedKeys| key.tag(purpose, &payload).verify_truncated_left(&tag).is_ok();
        self.all().any(is_sealed_by).then_some(payload)
    }

    /// Returns `None` if the TOTP secret was stored with a secret key that is no longer configured.
    pub fn unmask_totp_secret(&self, stored: &StoredTotpSecret) -> Option<TotpSecret> {
        let key = self.all().find(|key| key.id.as_slice() == stored.key_id)?;
        Some(key.masked(&stored.salt, stored.mask.as_deref().unwrap_or_default()))
    }

    pub fn mask_totp_secret(&self, salt: &[u8], secret: &TotpSecret) -> TotpSecret {
        self.current.masked(salt, secret)
    }

    /// Returns a keyed hash (32 hexadecimal digits) of a text that must not be stored because it may be a password.
    /// Guesses of the text cannot be verified without the key.
    pub fn fingerprint(&self, text: &str) -> String {
        let tag = self.current.fingerprints.clone().chain_update(text).finalize().into_bytes();
        tag.iter().take(16).map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat()
    }
}

impl std::fmt::Debug for Keys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Keys(…)")
    }
}

#[expect(clippy::expect_used, reason = "HMAC takes keys of every length")]
fn with_key<M: KeyInit>(key: &[u8]) -> M {
    M::new_from_slice(key).expect("HMAC takes keys of every length")
}

/// Returns the value of the header `webhook-signature` of the Standard Webhooks specification.
pub fn sign_webhook(secret: &[u8], id: &str, timestamp: &str, body: &str) -> String {
    let tag = with_key::<Hmac<Sha256>>(secret).chain_update(format!("{id}.{timestamp}.{body}")).finalize().into_bytes();
    format!("v1,{}", BASE64_STANDARD.encode(tag))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(secret: &str) -> Keys {
        Keys::derive(&SecretKey::from_text(secret).unwrap())
    }

    #[test]
    fn signs_webhooks_as_the_specification_says() {
        // Test vector of the reference implementation of Standard Webhooks.
        let secret = base64::prelude::BASE64_STANDARD.decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap();
        let signature = sign_webhook(&secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", r#"{"test": 2432232314}"#);
        assert_eq!(signature, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }

    #[test]
    fn verifies_only_own_signatures_for_same_purpose() {
        let (ours, theirs) = (keys("0123456789abcdef0123456789abcdef"), keys("another secret key, of 32 letters"));
        let text = ours.sign("links", b"post 7");
        assert_eq!(ours.verify("links", &text).as_deref(), Some(b"post 7".as_slice()));
        assert_eq!((ours.verify("cursors", &text), theirs.verify("links", &text)), (None, None));
        assert_ne!(ours.sign("links", b""), theirs.sign("links", b""));
        for index in 0..text.len() {
            let mut bytes = text.clone().into_bytes();
            bytes[index] = if bytes[index] == b'A' { b'B' } else { b'A' };
            assert_eq!(ours.verify("links", &String::from_utf8(bytes).unwrap()), None, "{index}");
        }
        let long = "A".repeat(100_000);
        for forged in ["", "AAAA", "not base64!", &text[..text.len() - 4], &long] {
            assert_eq!(ours.verify("links", forged), None, "{forged:.80}");
        }
    }

    #[test]
    fn fallback_keys_verify_but_never_sign() {
        let (old, new) = ("0123456789abcdef0123456789abcdef", "another secret key, of 32 letters");
        let before = keys(old);
        let both = keys(new).with_fallbacks(&[SecretKey::from_text(old).unwrap()]);
        let payload = Some(b"post 7".to_vec());
        assert_eq!(both.verify("links", &before.sign("links", b"post 7")), payload);
        assert_eq!(both.sign("links", b"post 7"), keys(new).sign("links", b"post 7"));

        let signed = |keys: &Keys| {
            let mut jar = CookieJar::new();
            jar.signed_mut(&keys.session_key()).add(Cookie::new("session", "abc"));
            jar.get("session").unwrap().clone()
        };
        assert_eq!(both.renew_cookie_signature(&signed(&before)).as_deref(), Some(signed(&both).value()));
        let forged = Cookie::new("session", signed(&before).value().replace("abc", "abd"));
        for other in [signed(&both), forged] {
            assert_eq!(both.renew_cookie_signature(&other), None, "{other}");
        }

        let stored = |mask: Option<Vec<u8>>, key_id: KeyId| StoredTotpSecret {
            salt: vec![7; 16],
            mask,
            key_id: key_id.to_vec(),
        };
        let secret = before.unmask_totp_secret(&stored(None, before.id())).unwrap();
        assert_ne!(both.unmask_totp_secret(&stored(None, both.id())), Some(secret));
        assert_eq!(both.unmask_totp_secret(&stored(None, before.id())), Some(secret));
        let mask = both.mask_totp_secret(&[7; 16], &secret).to_vec();
        assert_eq!(keys(new).unmask_totp_secret(&stored(Some(mask), both.id())), Some(secret));
        assert_eq!(keys(new).unmask_totp_secret(&stored(None, before.id())), None);
    }

    #[test]
    fn rejects_weak_secrets_and_hides_them_in_debug() {
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
