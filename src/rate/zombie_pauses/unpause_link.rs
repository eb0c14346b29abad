//! Signed links that lift zombie pauses, even without signing in. A link is valid only while its pause lasts.

use chrono::{DateTime, TimeDelta, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::blog_posts::PostId;
use crate::rate::models::RatingKey;
use crate::signing::Keys;
use crate::web::error::LinkProblem;
use crate::web::request::current_user::UserId;

pub const LIFETIME: TimeDelta = TimeDelta::days(14);

/// Clocks of instances differ and may be set back, so a link may have been issued in the future.
const LEEWAY: TimeDelta = TimeDelta::minutes(1);

const PURPOSE: &str = "unpause";

/// Links of other versions count as expired.
const VERSION: u32 = 2;

/// In bytes; issued tokens are shorter.
const MAX_BYTES: usize = 512;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnpauseLink {
    pub pair: RatingKey,
    pub paused_at_ms: i64,
}

/// Content of a link with a valid signature, before its version and time of issue are checked.
#[derive(Debug, JsonSchema, Serialize, Deserialize)]
pub struct UnpauseClaims {
    version: u32,
    user: UserId,
    blog: PostId,
    paused_at_ms: i64,
    /// Time of issue, in seconds since the Unix epoch.
    issued_at: i64,
}

impl UnpauseLink {
    pub fn sign(&self, keys: &Keys, now: DateTime<Utc>) -> String {
        let Self { pair: RatingKey { user, post: blog }, paused_at_ms } = *self;
        let claims = UnpauseClaims { version: VERSION, user, blog, paused_at_ms, issued_at: now.timestamp() };
        keys.sign(PURPOSE, &serde_json::to_vec(&claims).unwrap_or_default())
    }

    /// Does not check the expiry.
    pub fn verify_signature(text: &str, keys: &Keys) -> Result<UnpauseClaims, LinkProblem> {
        let short = Some(text).filter(|text| text.len() <= MAX_BYTES);
        let claims = short.and_then(|text| keys.verify(PURPOSE, text));
        claims.and_then(|claims| serde_json::from_slice(&claims).ok()).ok_or(LinkProblem::Invalid)
    }
}

impl UnpauseClaims {
    /// Links issued in the future are invalid.
    pub fn verify(self, now: DateTime<Utc>) -> Result<UnpauseLink, LinkProblem> {
        let Self { version, user, blog, paused_at_ms, issued_at } = self;
        if issued_at > (now + LEEWAY).timestamp() {
            return Err(LinkProblem::Invalid);
        }
        if version != VERSION || issued_at.saturating_add(LIFETIME.num_seconds()) <= now.timestamp() {
            return Err(LinkProblem::Expired);
        }
        Ok(UnpauseLink { pair: RatingKey { user, post: blog }, paused_at_ms })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signing::SecretKey;

    const LINK: UnpauseLink =
        UnpauseLink { pair: RatingKey { user: UserId(7), post: PostId(42) }, paused_at_ms: 1_790_000_000_123 };

    fn keys(secret: &str) -> Keys {
        Keys::derive(&SecretKey::from_text(secret).unwrap())
    }

    fn now() -> DateTime<Utc> {
        DateTime::from_timestamp(1_790_000_100, 0).unwrap()
    }

    fn ours() -> Keys {
        keys("0123456789abcdef0123456789abcdef")
    }

    fn verify(text: &str, now: DateTime<Utc>) -> Result<UnpauseLink, LinkProblem> {
        UnpauseLink::verify_signature(text, &ours())?.verify(now)
    }

    #[test]
    fn a_link_is_good_for_fourteen_days_and_names_its_pause() {
        let text = LINK.sign(&ours(), now());
        assert!(text.len() < MAX_BYTES / 2);
        assert_eq!(verify(&text, now()), Ok(LINK));
        assert_eq!(verify(&text, now() + LIFETIME - TimeDelta::seconds(1)), Ok(LINK));
        assert_eq!(verify(&text, now() + LIFETIME), Err(LinkProblem::Expired));
        assert_eq!(verify(&text, now() - LEEWAY), Ok(LINK));
        assert_eq!(verify(&text, now() - LEEWAY - TimeDelta::seconds(1)), Err(LinkProblem::Invalid));
    }

    #[test]
    fn links_of_other_versions_are_expired_and_those_of_other_sites_are_none() {
        let claims = UnpauseLink::verify_signature(&LINK.sign(&ours(), now()), &ours()).unwrap();
        let other = serde_json::to_vec(&UnpauseClaims { version: 1, ..claims }).unwrap();
        assert_eq!(verify(&ours().sign(PURPOSE, &other), now()), Err(LinkProblem::Expired));
        let forged = [
            LINK.sign(&keys("another secret key, of 32 letters"), now()),
            ours().sign("cursor /blogs/", &other),
            ours().sign(PURPOSE, b"{}"),
            String::new(),
            "a".repeat(100_000),
        ];
        for forged in forged {
            assert_eq!(verify(&forged, now()), Err(LinkProblem::Invalid), "{forged:.80}");
        }
    }
}
