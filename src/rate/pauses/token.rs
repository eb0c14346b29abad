//! The signed links by which pauses are lifted: JSON Web Tokens (RFC 7519) of one kind, with HMAC-SHA-256.
//!
//! Whoever has the link may use it, signed in or not; it does nothing but lift pauses. It names one pause, and
//! counts only while that lasts.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

use crate::web::error::LinkProblem;
use crate::web::state::Keys;

/// How long a link can be used.
pub const LIFETIME: TimeDelta = TimeDelta::days(14);

/// Instances sign with times that are a few seconds old, and clocks are set back a little now and then.
const LEEWAY: TimeDelta = TimeDelta::minutes(1);

/// `{"alg":"HS256","typ":"JWT"}`. No other is understood, so nobody can choose a weaker one.
const HEADER: &str = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9";

const ISSUER: &str = "evenkeel";
const AUDIENCE: &str = "unpause";

/// Links of other versions are as good as expired.
const VERSION: &str = "v1";

/// More than any of ours has.
const MOST_BYTES: usize = 1_024;

/// The pause that a link was made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    pub user: i64,
    pub blog: i64,
    /// Milliseconds since the Unix epoch.
    pub paused_at_ms: i64,
}

/// What a token says of itself. Signed here, but not looked at yet.
#[derive(Debug, Serialize, Deserialize)]
pub struct Claims {
    iss: String,
    aud: String,
    sub: String,
    version: String,
    /// Seconds since the Unix epoch.
    iat: i64,
    exp: i64,
    blog: i64,
    paused_at_ms: i64,
}

impl Token {
    #[must_use]
    pub fn sign(&self, keys: &Keys, now: DateTime<Utc>) -> String {
        let claims = Claims {
            iss: ISSUER.to_owned(),
            aud: AUDIENCE.to_owned(),
            sub: self.user.to_string(),
            version: VERSION.to_owned(),
            iat: now.timestamp(),
            exp: (now + LIFETIME).timestamp(),
            blog: self.blog,
            paused_at_ms: self.paused_at_ms,
        };
        seal(&claims, keys)
    }

    /// Opens what was signed here, at whatever time.
    ///
    /// # Errors
    /// When it was not.
    pub fn open(text: &str, keys: &Keys) -> Result<Claims, LinkProblem> {
        open(text, keys).ok_or(LinkProblem::Invalid)
    }
}

impl Claims {
    /// The token that they make at this time.
    ///
    /// # Errors
    /// When they are not ours, or not of this time.
    pub fn verify(self, now: DateTime<Utc>) -> Result<Token, LinkProblem> {
        let claims = self;
        let user = claims.sub.parse().ok().filter(|user| *user > 0);
        let ours = claims.iss == ISSUER && claims.aud == AUDIENCE && claims.iat <= (now + LEEWAY).timestamp();
        let user = user.filter(|_| ours).ok_or(LinkProblem::Invalid)?;
        if claims.version != VERSION || claims.exp <= now.timestamp() {
            return Err(LinkProblem::Expired);
        }
        Ok(Token { user, blog: claims.blog, paused_at_ms: claims.paused_at_ms })
    }
}

fn seal(claims: &Claims, keys: &Keys) -> String {
    let claims = serde_json::to_vec(claims).unwrap_or_default();
    let signed = format!("{HEADER}.{}", BASE64_URL_SAFE_NO_PAD.encode(claims));
    let tag = BASE64_URL_SAFE_NO_PAD.encode(keys.unpause_tag(signed.as_bytes()));
    format!("{signed}.{tag}")
}

fn open(text: &str, keys: &Keys) -> Option<Claims> {
    let (signed, tag) = Some(text).filter(|text| text.len() <= MOST_BYTES)?.rsplit_once('.')?;
    let (header, claims) = signed.split_once('.')?;
    let tag = BASE64_URL_SAFE_NO_PAD.decode(tag).ok()?;
    if header != HEADER || !keys.is_unpause_tag(signed.as_bytes(), &tag) {
        return None;
    }
    serde_json::from_slice(&BASE64_URL_SAFE_NO_PAD.decode(claims).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::site::settings::SecretKey;

    const TOKEN: Token = Token { user: 7, blog: 42, paused_at_ms: 1_790_000_000_123 };

    fn keys(secret: &str) -> Keys {
        Keys::derive(&SecretKey::from_text(secret).unwrap())
    }

    fn now() -> DateTime<Utc> {
        DateTime::from_timestamp(1_790_000_100, 0).unwrap()
    }

    fn ours() -> Keys {
        keys("0123456789abcdef0123456789abcdef")
    }

    fn verify(text: &str, keys: &Keys, now: DateTime<Utc>) -> Result<Token, LinkProblem> {
        Token::open(text, keys)?.verify(now)
    }

    fn changed(change: impl FnOnce(&mut Claims)) -> Result<Token, LinkProblem> {
        let mut claims = open(&TOKEN.sign(&ours(), now()), &ours()).unwrap();
        change(&mut claims);
        verify(&seal(&claims, &ours()), &ours(), now())
    }

    #[test]
    fn a_token_is_good_for_fourteen_days_and_names_its_pause() {
        let text = TOKEN.sign(&ours(), now());
        assert_eq!(verify(&text, &ours(), now()), Ok(TOKEN));
        assert_eq!(verify(&text, &ours(), now() + LIFETIME - TimeDelta::seconds(1)), Ok(TOKEN));
        assert_eq!(verify(&text, &ours(), now() + LIFETIME), Err(LinkProblem::Expired));
        assert_eq!(verify(&text, &ours(), now() - LEEWAY), Ok(TOKEN));
        assert_eq!(verify(&text, &ours(), now() - LEEWAY - TimeDelta::seconds(1)), Err(LinkProblem::Invalid));
    }

    #[test]
    fn every_claim_is_looked_at() {
        assert_eq!(changed(|_| ()), Ok(TOKEN));
        assert_eq!(changed(|claims| claims.iss = "evenkeen".to_owned()), Err(LinkProblem::Invalid));
        assert_eq!(changed(|claims| claims.aud = "login".to_owned()), Err(LinkProblem::Invalid));
        for sub in ["", "0", "-7", "x", "9223372036854775808"] {
            assert_eq!(changed(|claims| claims.sub = sub.to_owned()), Err(LinkProblem::Invalid), "{sub}");
        }
        assert_eq!(changed(|claims| claims.version = "v0".to_owned()), Err(LinkProblem::Expired));
    }

    #[test]
    fn whatever_is_changed_from_outside_is_refused() {
        let text = TOKEN.sign(&ours(), now());
        assert!(text.len() < MOST_BYTES / 2);
        for index in 0..text.len() {
            let mut bytes = text.clone().into_bytes();
            bytes[index] = if bytes[index] == b'A' { b'B' } else { b'A' };
            let changed = String::from_utf8(bytes).unwrap();
            assert_eq!(verify(&changed, &ours(), now()), Err(LinkProblem::Invalid), "{index}");
        }
        let none = "eyJhbGciOiJub25lIn0";
        let claims = text.split('.').nth(1).unwrap();
        let other = TOKEN.sign(&keys("another secret key, of 32 letters"), now());
        for forged in [
            other.as_str(),
            "",
            "..",
            "a.b.c",
            &text[..text.len() - 1],
            &format!("{none}.{claims}."),
            &"a".repeat(100_000),
        ] {
            assert_eq!(verify(forged, &ours(), now()), Err(LinkProblem::Invalid), "{forged:.80}");
        }
    }
}
