//! What every request may use.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use actix_web::cookie::Key;
use hmac::{Hmac, KeyInit, Mac as _};
use sha2::{Sha256, Sha512};
use sqlx::PgPool;

use crate::blog_posts::rendering::Renderer;
use crate::blog_posts::search::Searcher;
use crate::database::Availability;
use crate::database::clock::Clock;
use crate::site::health::Readiness;
use crate::site::metrics::Decisions;
use crate::site::settings::{SecretKey, Settings};
use crate::users::{Hasher, Throttle};

/// Shared by all workers of an instance.
#[derive(Clone, Debug)]
pub struct AppState {
    pub settings: Settings,
    pub pool: PgPool,
    pub clock: Clock,
    pub keys: Keys,
    pub hasher: Hasher,
    pub throttle: Throttle,
    pub renderer: Renderer,
    pub searcher: Searcher,
    pub decisions: Arc<Decisions>,
    /// Told to stop, and still serving: balancers are to send nobody here any more.
    pub draining: Arc<AtomicBool>,
    pub availability: Availability,
    pub readiness: Readiness,
}

/// Keys for different uses, all derived from `SECRET_KEY`.
#[derive(Clone)]
pub struct Keys {
    /// The signature does not cover a cookie's name: with one key, one cookie could pass for the other.
    pub sessions: Key,
    pub messages: Key,
    cursors: Hmac<Sha512>,
    accounts: Hmac<Sha512>,
    unpause: Hmac<Sha256>,
}

impl Keys {
    #[must_use]
    pub fn derive(secret: &SecretKey) -> Self {
        let derived =
            |purpose: &[u8]| mac::<Hmac<Sha512>>(secret.bytes()).chain_update(purpose).finalize().into_bytes();
        Self {
            sessions: Key::from(&derived(b"sessions")),
            messages: Key::from(&derived(b"messages")),
            cursors: mac(&derived(b"cursors")),
            accounts: mac(&derived(b"accounts")),
            unpause: mac(&derived(b"unpause")),
        }
    }

    /// A short tag that only this site can make for `payload`.
    #[must_use]
    pub fn cursor_tag(&self, payload: &[u8]) -> [u8; 8] {
        let tag = self.cursors.clone().chain_update(payload).finalize().into_bytes();
        let mut short = [0; 8];
        short.copy_from_slice(&tag[..8]);
        short
    }

    /// What an account is called where its attempts are counted. What was typed is not kept: it may have been a
    /// password, and without the key nobody can try which.
    #[must_use]
    pub fn account_tag(&self, name: &str) -> String {
        let tag = self.accounts.clone().chain_update(name).finalize().into_bytes();
        tag.iter().take(16).map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat()
    }

    /// The signature of a link that lifts pauses.
    #[must_use]
    pub fn unpause_tag(&self, payload: &[u8]) -> [u8; 32] {
        self.unpause.clone().chain_update(payload).finalize().into_bytes().into()
    }

    /// Whether `tag` was made for `payload`, in constant time.
    #[must_use]
    pub fn is_unpause_tag(&self, payload: &[u8], tag: &[u8]) -> bool {
        self.unpause.clone().chain_update(payload).verify_slice(tag).is_ok()
    }

    /// Whether `tag` was made for `payload`, in constant time.
    #[must_use]
    pub fn is_cursor_tag(&self, payload: &[u8], tag: &[u8]) -> bool {
        tag.len() == 8 && self.cursors.clone().chain_update(payload).verify_truncated_left(tag).is_ok()
    }
}

impl std::fmt::Debug for Keys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Keys(…)")
    }
}

#[expect(clippy::expect_used, reason = "HMAC takes keys of every length")]
fn mac<M: KeyInit>(key: &[u8]) -> M {
    M::new_from_slice(key).expect("HMAC takes keys of every length")
}
