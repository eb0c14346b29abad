//! Signed links in emails that need no sign-in: email confirmation, password reset and claims of imported accounts.
//!
//! A link contains the `mail_link_id` of the account: only the newest link of an account is valid, and all links become
//! invalid when the email address or the password changes.

use chrono::{DateTime, TimeDelta, Utc};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sqlx::{PgConnection, PgPool};

use crate::signing::Keys;
use crate::web::error::LinkProblem;
use crate::web::request::current_user::UserId;

/// Tolerance for differences between the clocks of servers.
const LEEWAY: TimeDelta = TimeDelta::minutes(1);

/// Maximum length of a token. Longer tokens are rejected before their signature is verified.
const MAX_BYTES: usize = 1_024;

pub trait TokenPayload: Serialize + DeserializeOwned {
    /// Signed together with the token, so that a token cannot be used for another purpose.
    const PURPOSE: &str;
    const LIFETIME: TimeDelta;
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PasswordResetLink {
    pub user: UserId,
    pub id: i64,
    /// Confirmed email address of the account when the link was created.
    pub email: String,
}

impl TokenPayload for PasswordResetLink {
    const PURPOSE: &str = "reset";
    const LIFETIME: TimeDelta = TimeDelta::hours(1);
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EmailConfirmationLink {
    pub user: UserId,
    pub id: i64,
    pub email: String,
}

impl TokenPayload for EmailConfirmationLink {
    const PURPOSE: &str = "confirm";
    const LIFETIME: TimeDelta = TimeDelta::days(3);
}

/// Link with which the author of imported posts claims the account that the import created.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AccountClaimLink {
    pub user: UserId,
    pub id: i64,
}

impl TokenPayload for AccountClaimLink {
    const PURPOSE: &str = "claim";
    const LIFETIME: TimeDelta = TimeDelta::days(30);
}

/// `issued_at` is in seconds since the Unix epoch.
#[derive(Serialize, Deserialize)]
struct Claims<L> {
    link: L,
    issued_at: i64,
}

/// New link, and the account's email address when the link was created.
#[derive(Clone, Debug)]
pub struct NewMailLink {
    pub id: i64,
    pub email: String,
    pub is_confirmed: bool,
}

/// Invalidates earlier links. The account stays locked until the transaction ends, so that its email address and
/// password cannot change meanwhile. Returns `None` if the account was erased or its password was changed since
/// `session_version` was read.
pub async fn create_mail_link(
    connection: &mut PgConnection,
    UserId(user): UserId,
    session_version: i32,
) -> sqlx::Result<Option<NewMailLink>> {
    let new_link = sqlx::query_as!(
        NewMailLink,
        r#"update users set mail_link_id = $3 where id = $1 and session_version = $2 and erased_at is null
        returning mail_link_id as "id!", email, email_confirmed_at is not null as "is_confirmed!""#,
        user,
        session_version,
        rand::random::<i64>(),
    );
    new_link.fetch_optional(connection).await
}

/// `confirmed`, if given, must be the account's confirmed email address.
pub async fn is_mail_link_valid(
    pool: &PgPool,
    UserId(user): UserId,
    link: i64,
    confirmed: Option<&str>,
) -> sqlx::Result<bool> {
    let is_valid = sqlx::query_scalar!(
        r#"select exists (
            select from users where id = $1 and mail_link_id = $2
                and ($3::text is null or (email = $3 and email_confirmed_at is not null))
        ) as "valid!""#,
        user,
        link,
        confirmed,
    );
    is_valid.fetch_one(pool).await
}

pub fn sign_token<L: TokenPayload>(link: &L, keys: &Keys, now: DateTime<Utc>) -> String {
    let claims = Claims { link, issued_at: now.timestamp() };
    keys.sign(L::PURPOSE, &serde_json::to_vec(&claims).unwrap_or_default())
}

pub fn verify_token<L: TokenPayload>(token: &str, keys: &Keys, now: DateTime<Utc>) -> Result<L, LinkProblem> {
    let short = Some(token).filter(|token| token.len() <= MAX_BYTES);
    let claims = short.and_then(|token| keys.verify(L::PURPOSE, token));
    let claims = claims.and_then(|claims| serde_json::from_slice::<Claims<L>>(&claims).ok());
    let Claims { link, issued_at } = claims.ok_or(LinkProblem::Invalid)?;
    if issued_at > (now + LEEWAY).timestamp() {
        return Err(LinkProblem::Invalid);
    }
    if issued_at.saturating_add(L::LIFETIME.num_seconds()) <= now.timestamp() {
        return Err(LinkProblem::Expired);
    }
    Ok(link)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signing::SecretKey;

    #[test]
    fn link_is_bound_to_lifetime_and_purpose() {
        let keys = Keys::derive(&SecretKey::from_text("0123456789abcdef0123456789abcdef").unwrap());
        let now = DateTime::from_timestamp(1_790_000_000, 0).unwrap();
        let link = PasswordResetLink { user: UserId(7), id: 3, email: "a@example.com".to_owned() };
        let token = sign_token(&link, &keys, now);
        assert_eq!(verify_token(&token, &keys, now), Ok(link.clone()));
        assert_eq!(verify_token(&token, &keys, now + TimeDelta::minutes(59)), Ok(link));
        assert_eq!(
            verify_token::<PasswordResetLink>(&token, &keys, now + TimeDelta::hours(1)),
            Err(LinkProblem::Expired)
        );
        assert_eq!(
            verify_token::<PasswordResetLink>(&token, &keys, now - TimeDelta::minutes(2)),
            Err(LinkProblem::Invalid)
        );
        assert_eq!(verify_token::<EmailConfirmationLink>(&token, &keys, now), Err(LinkProblem::Invalid));
        for forged in ["", "x", &token[1..], &format!("{token}A"), &"a".repeat(100_000)] {
            assert_eq!(verify_token::<PasswordResetLink>(forged, &keys, now), Err(LinkProblem::Invalid));
        }
        let email = format!("{}@example.com", "é".repeat(242));
        let longest = EmailConfirmationLink { user: UserId(i64::MAX), id: i64::MIN, email };
        assert_eq!(verify_token(&sign_token(&longest, &keys, now), &keys, now), Ok(longest));
    }
}
