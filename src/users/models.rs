//! Users, and the rules for what they are called.

use chrono::{DateTime, Utc};
use serde::Serialize;
use sqlx::PgPool;
use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;
use unicode_security::{GeneralSecurityProfile as _, MixedScript as _};

use crate::clock::Clock;
use crate::error::{AppError, OnConstraint as _};
use crate::payload::Field;

/// What anybody may know of a user.
#[derive(Clone, Debug, Serialize)]
pub struct User {
    pub id: i64,
    pub username: String,
    pub created_at: DateTime<Utc>,
}

impl User {
    /// Where their posts are.
    #[must_use]
    pub fn path(&self) -> String {
        author_path(&self.username)
    }
}

/// The address of an author's page.
#[must_use]
pub fn author_path(username: &str) -> String {
    format!("/users/{}/", crate::view::encode_segment(username))
}

/// What users may know of themselves.
#[derive(Clone, Debug, Serialize)]
pub struct Account {
    #[serde(flatten)]
    pub user: User,
    pub email: String,
}

/// What signing in needs.
#[derive(Clone, Debug)]
pub struct Credentials {
    pub user: User,
    pub password_hash: String,
    pub session_version: i32,
}

/// 1 to 30 letters, digits, `_`, `-` and `.` of any script, in NFKC form. What belongs to letters (vowel signs,
/// the joiner between Persian letters) goes with them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Username {
    shown: String,
    key: String,
}

/// Names that are addresses below `/users/`, and those that no path can hold.
const RESERVED: [&str; 7] = ["me", "login", "logout", "register", "password_change", ".", ".."];

impl Username {
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.shown
    }

    /// The same for all names that differ only in case or in how Unicode writes them.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.key
    }
}

/// U+200C: keeps two letters apart in scripts whose letters join, such as Persian's.
const NON_JOINER: char = '\u{200c}';

/// Case folded character by character: upper case first, as some letters have several lower cases.
fn fold(name: &str) -> String {
    name.chars().filter(|c| *c != NON_JOINER).flat_map(char::to_uppercase).flat_map(char::to_lowercase).nfkc().collect()
}

impl Field for Username {
    fn from_text(text: &str) -> Result<Self, String> {
        let shown: String = text.trim().nfkc().collect();
        let visible = |c: char| c.is_alphanumeric() && c.identifier_allowed();
        let allowed = |c: char| visible(c) || matches!(c, '_' | '-' | '.') || is_combining_mark(c) || c == NON_JOINER;
        // Marks and joiners need a letter before them, and joiners one after them.
        let begins = shown.starts_with(|c: char| visible(c) || matches!(c, '_' | '-' | '.'));
        let joined = shown.split(NON_JOINER).all(|part| {
            part == shown || (part.starts_with(visible) && part.ends_with(|c| visible(c) || is_combining_mark(c)))
        });
        if !(1..=30).contains(&shown.chars().count()) || !shown.chars().all(allowed) || !begins || !joined {
            return Err("Use 1 to 30 letters, digits, underscores, hyphens and dots.".to_owned());
        }
        // A Cyrillic `а` among Latin letters looks like somebody else.
        if !shown.is_single_script() {
            return Err("Use letters of one script.".to_owned());
        }
        let key = fold(&shown);
        if RESERVED.contains(&key.as_str()) {
            return Err("This name is reserved. Please choose another.".to_owned());
        }
        Ok(Self { shown, key })
    }
}

/// An address that mail could be sent to. It is never verified by sending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Email(String);

impl Email {
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Field for Email {
    fn from_text(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let plain = !text.chars().any(|c| c.is_control() || c.is_whitespace()) && text.chars().count() <= 254;
        if plain && email_address::EmailAddress::is_valid(text) {
            return Ok(Self(text.to_owned()));
        }
        Err("Enter an e-mail address such as name@example.com.".to_owned())
    }
}

/// Adds a user.
///
/// # Errors
/// `invalid` for a name that is taken.
pub async fn create(
    pool: &PgPool,
    clock: &Clock,
    (username, email, password_hash): (&Username, &Email, &str),
    is_staff: bool,
) -> Result<Credentials, AppError> {
    let row = sqlx::query!(
        r#"insert into users (username, username_key, email, password_hash, is_staff, created_at)
        values ($1, $2, $3, $4, $5, coalesce($6, clock_timestamp()))
        returning id, username, created_at, session_version"#,
        username.as_str(),
        username.key(),
        email.as_str(),
        password_hash,
        is_staff,
        clock.now(),
    );
    let taken = || AppError::field("username", "This name is taken. Please choose another.");
    let row = row.fetch_one(pool).await.on_constraint("unique_username", taken)?;
    Ok(Credentials {
        user: User { id: row.id, username: row.username, created_at: row.created_at },
        password_hash: password_hash.to_owned(),
        session_version: row.session_version,
    })
}

/// Finds whoever has this name in any case.
///
/// # Errors
/// When the database cannot be asked.
pub async fn find_by_name(pool: &PgPool, username: &Username) -> Result<User, AppError> {
    let user =
        sqlx::query_as!(User, "select id, username, created_at from users where username_key = $1", username.key(),);
    user.fetch_optional(pool).await?.ok_or(AppError::NotFound)
}

/// # Errors
/// When the database cannot be asked.
pub async fn credentials(pool: &PgPool, username: &Username) -> sqlx::Result<Option<Credentials>> {
    let row = sqlx::query!(
        "select id, username, created_at, password_hash, session_version from users where username_key = $1",
        username.key(),
    );
    Ok(row.fetch_optional(pool).await?.map(|row| Credentials {
        user: User { id: row.id, username: row.username, created_at: row.created_at },
        password_hash: row.password_hash,
        session_version: row.session_version,
    }))
}

/// # Errors
/// `not_found` where there is no such user.
pub async fn account(pool: &PgPool, id: i64) -> Result<Account, AppError> {
    let row = sqlx::query!("select id, username, created_at, email from users where id = $1", id);
    let row = row.fetch_optional(pool).await?.ok_or(AppError::NotFound)?;
    let user = User { id: row.id, username: row.username, created_at: row.created_at };
    Ok(Account { user, email: row.email })
}

/// # Errors
/// `not_found` where there is no such user.
pub async fn password_hash(pool: &PgPool, id: i64) -> Result<String, AppError> {
    let hash = sqlx::query_scalar!("select password_hash from users where id = $1", id);
    hash.fetch_optional(pool).await?.ok_or(AppError::NotFound)
}

/// Replaces a hash by one of the same password with today's parameters. A password that was changed
/// meanwhile wins.
///
/// # Errors
/// When the database cannot be asked.
pub async fn rehash(pool: &PgPool, id: i64, old: &str, new: &str) -> sqlx::Result<()> {
    sqlx::query!("update users set password_hash = $3 where id = $1 and password_hash = $2", id, old, new)
        .execute(pool)
        .await?;
    Ok(())
}

/// Changes the password and ends all sessions begun under the old one. Returns the version that new
/// sessions begin under; `None` when the password is no longer the one that was checked.
///
/// # Errors
/// When the database cannot be asked.
pub async fn change_password(pool: &PgPool, id: i64, old: &str, new: &str) -> sqlx::Result<Option<i32>> {
    sqlx::query_scalar!(
        r#"with changed as (
            update users set password_hash = $3, session_version = session_version + 1
            where id = $1 and password_hash = $2
            returning id, session_version
        ), ended as (
            delete from sessions where user_id in (select id from changed)
        )
        select session_version from changed"#,
        id,
        old,
        new,
    )
    .fetch_optional(pool)
    .await
}

#[cfg(test)]
mod tests {
    use super::*;

    fn username(text: &str) -> Option<Username> {
        Username::from_text(text).ok()
    }

    #[test]
    fn names_of_every_script_are_allowed_and_equal_in_every_case_and_form() {
        for name in ["a", "Zoë-1.x_y", "نیلوفر", "太郎", "はる太7", "अमारा", "प्रिया", "علی\u{200c}رضا", &"x".repeat(30)]
        {
            assert!(username(name).is_some(), "{name}");
        }
        let same = |a: &str, b: &str| username(a).unwrap().key() == username(b).unwrap().key();
        assert!(same("Ann", "aNN") && same("Zoë", "ZOE\u{308}") && same("ﬁn", "FIN") && same("ΣΊΣΥΦΟΣ", "σίσυφος"));
        assert!(same("علی\u{200c}رضا", "علیرضا"));
        assert_eq!(username(" ann ").unwrap().as_str(), "ann");
        assert!(!same("ann", "anne"));
    }

    #[test]
    fn other_names_are_refused() {
        for name in [
            "",
            " ",
            "a b",
            "a/b",
            "a\u{202e}b",
            "a\u{200d}b",
            "a\nb",
            "<b>",
            "ME",
            "login",
            "..",
            ".",
            "💡",
            "\u{3164}",
            "\u{115f}",
            "\u{301}a",
            "\u{200c}a",
            "علی\u{200c}",
            "\u{430}nn",
            "ann\u{3b1}",
            &"x".repeat(31),
        ] {
            assert_eq!(username(name), None, "{name:?}");
        }
    }

    #[test]
    fn an_address_has_a_name_and_a_domain() {
        let valid = |text: &str| Email::from_text(text).is_ok();
        assert!(valid("a@example.com") && valid(" a.b+c@mail.example.org "));
        assert!(!valid("a") && !valid("a@") && !valid("@b") && !valid("a b@c.d") && !valid("a@b\r\nBcc: c@d.e"));
        assert!(!valid(&format!("{}@example.com", "x".repeat(255))));
    }
}
