//! Users, and the rules for what they are called.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use serde::Serialize;
use sqlx::{PgConnection, PgPool};
use unicase::UniCase;
use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;
use unicode_security::{GeneralSecurityProfile as _, MixedScript as _, skeleton};

use super::urls::{USERS, author};
use crate::database::clock::Clock;
use crate::web::address::Addresses;
use crate::web::error::AppError;
use crate::web::field::Field;
use crate::web::visitor::UserId;

/// What anybody may know of a user.
#[derive(Clone, Debug, Serialize)]
pub struct User {
    pub id: UserId,
    pub username: String,
    pub created_at: DateTime<Utc>,
}

impl User {
    /// Where their posts are.
    #[must_use]
    pub fn path(&self) -> String {
        author(&self.username)
    }
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
    skeleton: String,
}

/// Names that no path can hold.
const NO_SEGMENTS: [&str; 2] = [".", ".."];

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

    /// The same for all names that look alike.
    #[must_use]
    pub fn skeleton(&self) -> &str {
        &self.skeleton
    }
}

/// U+200C: keeps two letters apart in scripts whose letters join, such as Persian's.
const NON_JOINER: char = '\u{200c}';

/// Unicode's case folding, in NFKC form.
fn fold(name: &str) -> String {
    let joined: String = name.chars().filter(|c| *c != NON_JOINER).collect();
    UniCase::new(joined.nfkc().collect::<String>()).to_folded_case().nfkc().collect()
}

/// What is left of a name when all that looks alike is the same: the skeleton of UTS 39 of its case fold, folded once more,
/// as a zero looks like a capital O.
fn skeleton_of(key: &str) -> String {
    let folded = skeleton(key).collect::<String>().to_lowercase();
    skeleton(&folded).collect()
}

/// Marks in a row that belong to one letter: more of them only pile up.
const MOST_MARKS: usize = 4;

/// Whether marks pile up: accents, which NFKC has put into their letter where there is such a letter, and the same
/// mark twice.
fn piles_up(name: &str) -> bool {
    let marks: Vec<char> = name.chars().collect();
    marks.split(|c| !is_combining_mark(*c)).any(|run| {
        let accents = run.iter().filter(|c| matches!(c, '\u{300}'..='\u{36f}')).count();
        accents > 1 || run.len() > MOST_MARKS
    }) || has_mark_twice(name)
}

/// Whether a letter has the same mark twice, one of them perhaps inside of it.
fn has_mark_twice(name: &str) -> bool {
    let decomposed: Vec<char> = name.nfd().collect();
    decomposed.windows(2).any(|pair| pair[0] == pair[1] && is_combining_mark(pair[0]))
}

impl Field for Username {
    fn from_text(text: &str) -> Result<Self, String> {
        let shown: String = text.trim().nfkc().collect();
        let visible = |c: char| c.is_alphanumeric() && c.identifier_allowed();
        // Most marks that Unicode has are for no script that is written today, or show nothing at all.
        let mark = |c: char| is_combining_mark(c) && c.identifier_allowed();
        let allowed = |c: char| visible(c) || matches!(c, '_' | '-' | '.') || mark(c) || c == NON_JOINER;
        // Marks and joiners need a letter before them, and joiners one after them.
        let begins = shown.starts_with(|c: char| visible(c) || matches!(c, '_' | '-' | '.'));
        let joined = shown.split(NON_JOINER).all(|part| {
            part == shown || (part.starts_with(visible) && part.ends_with(|c| visible(c) || is_combining_mark(c)))
        });
        if !(1..=30).contains(&shown.chars().count()) || !shown.chars().all(allowed) || !begins || !joined {
            return Err("Use 1 to 30 letters, digits, underscores, hyphens and dots.".to_owned());
        }
        if piles_up(&shown) {
            return Err("Use letters without several accents on top of each other.".to_owned());
        }
        // A Cyrillic `а` among Latin letters looks like somebody else.
        if !shown.is_single_script() {
            return Err("Use letters of one script.".to_owned());
        }
        let key = fold(&shown);
        if NO_SEGMENTS.contains(&key.as_str()) || Addresses::table().is_taken(USERS, &key) {
            return Err("This name is reserved. Please choose another.".to_owned());
        }
        let skeleton = skeleton_of(&key);
        Ok(Self { shown, key, skeleton })
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
    connection: &mut PgConnection,
    clock: &Clock,
    (username, email, password_hash): (&Username, &Email, &str),
    is_staff: bool,
) -> Result<Credentials, AppError> {
    let row = sqlx::query!(
        r#"insert into users (username, username_key, username_skeleton, email, password_hash, is_staff, created_at)
        values ($1, $2, $7, $3, $4, $5, coalesce($6, clock_timestamp()))
        returning id, username, created_at, session_version"#,
        username.as_str(),
        username.key(),
        email.as_str(),
        password_hash,
        is_staff,
        clock.now(),
        username.skeleton(),
    );
    let row = row.fetch_one(connection).await.map_err(|error| {
        match error.as_database_error().and_then(sqlx::error::DatabaseError::constraint) {
            Some("unique_username") => AppError::field("username", "This name is taken. Please choose another."),
            Some("unique_username_skeleton") => {
                AppError::field("username", "Somebody has a name that looks like this. Please choose another.")
            }
            _ => error.into(),
        }
    })?;
    Ok(Credentials {
        user: User { id: UserId(row.id), username: row.username, created_at: row.created_at },
        password_hash: password_hash.to_owned(),
        session_version: row.session_version,
    })
}

/// Gives accounts that are older than the rule about names that look alike their skeletons, a few at a time, where nobody
/// else has the same. Names stay as they are. Returns how many are left without one.
///
/// # Errors
/// When the database cannot be asked.
pub async fn fill_in_skeletons(pool: &PgPool) -> sqlx::Result<usize> {
    let (mut after, mut left) = (0, 0);
    loop {
        let rows = sqlx::query!(
            "select id, username_key from users where username_skeleton is null and id > $1 order by id limit 1000",
            after,
        );
        let rows = rows.fetch_all(pool).await?;
        let Some(last) = rows.last() else { return Ok(left) };
        after = last.id;
        let ids: Vec<i64> = rows.iter().map(|row| row.id).collect();
        let skeletons: Vec<String> = rows.iter().map(|row| skeleton_of(&row.username_key)).collect();
        // The first of those that look alike has it.
        let filled = sqlx::query!(
            "update users u set username_skeleton = new.skeleton
            from (
                select distinct on (skeleton) id, skeleton from unnest($1::bigint[], $2::text[]) as new (id, skeleton)
                order by skeleton, id
            ) new
            where u.id = new.id and u.username_skeleton is null
                and not exists (select from users other where other.username_skeleton = new.skeleton)",
            &ids,
            &skeletons,
        );
        left += rows.len() - usize::try_from(filled.execute(pool).await?.rows_affected()).unwrap_or(0);
    }
}

/// Accounts from before that rule that look like another one, and which.
///
/// # Errors
/// When the database cannot be asked.
pub async fn look_alikes(connection: &mut PgConnection) -> sqlx::Result<Vec<(String, String)>> {
    let rows = sqlx::query!(
        "select id, username, username_key from users where username_skeleton is null order by id limit 10000"
    );
    let rows = rows.fetch_all(&mut *connection).await?;
    let skeletons: Vec<String> = rows.iter().map(|row| skeleton_of(&row.username_key)).collect();
    let taken = sqlx::query!(
        r#"select username, username_skeleton as "skeleton!" from users where username_skeleton = any($1)"#,
        &skeletons,
    );
    let taken: HashMap<String, String> =
        taken.fetch_all(connection).await?.into_iter().map(|row| (row.skeleton, row.username)).collect();
    let pairs = rows
        .into_iter()
        .zip(&skeletons)
        .filter_map(|(row, skeleton)| Some((row.username, taken.get(skeleton)?.clone())));
    Ok(pairs.collect())
}

/// Finds whoever has this name in any case.
///
/// # Errors
/// When the database cannot be asked.
pub async fn find_by_name(pool: &PgPool, username: &Username) -> Result<User, AppError> {
    let user = sqlx::query_as!(
        User,
        r#"select id as "id: UserId", username, created_at from users where username_key = $1"#,
        username.key(),
    );
    user.fetch_optional(pool).await?.ok_or(AppError::NotFound)
}

/// What signing in as this user needs.
pub async fn credentials(pool: &PgPool, username: &Username) -> sqlx::Result<Option<Credentials>> {
    let row = sqlx::query!(
        "select id, username, created_at, password_hash, session_version from users where username_key = $1",
        username.key(),
    );
    Ok(row.fetch_optional(pool).await?.map(|row| Credentials {
        user: User { id: UserId(row.id), username: row.username, created_at: row.created_at },
        password_hash: row.password_hash,
        session_version: row.session_version,
    }))
}

/// # Errors
/// `not_found` where there is no such user.
pub async fn account(pool: &PgPool, UserId(id): UserId) -> Result<Account, AppError> {
    let row = sqlx::query!("select id, username, created_at, email from users where id = $1", id);
    let row = row.fetch_optional(pool).await?.ok_or(AppError::NotFound)?;
    let user = User { id: UserId(row.id), username: row.username, created_at: row.created_at };
    Ok(Account { user, email: row.email })
}

/// A user's present password hash, and the version that their sessions have begun under.
///
/// # Errors
/// `not_found` where there is no such user.
pub async fn password(pool: &PgPool, UserId(id): UserId) -> Result<(String, i32), AppError> {
    let row = sqlx::query!("select password_hash, session_version from users where id = $1", id);
    let row = row.fetch_optional(pool).await?.ok_or(AppError::NotFound)?;
    Ok((row.password_hash, row.session_version))
}

/// Replaces a hash by one of the same password with today's parameters. A password that was changed
/// meanwhile wins.
///
/// # Errors
/// When the database cannot be asked.
pub async fn rehash(pool: &PgPool, UserId(id): UserId, old: &str, new: &str) -> sqlx::Result<()> {
    sqlx::query!("update users set password_hash = $3 where id = $1 and password_hash = $2", id, old, new)
        .execute(pool)
        .await?;
    Ok(())
}

/// Changes the password and ends all sessions begun under the old one. Returns the version that new
/// sessions begin under; `None` when the password was changed since `version` was read, or `session` has ended.
///
/// A renewed hash of the same password does not matter.
///
/// # Errors
/// When the database cannot be asked.
pub async fn change_password(
    connection: &mut PgConnection,
    UserId(id): UserId,
    version: i32,
    new: &str,
    session: Option<&str>,
) -> sqlx::Result<Option<i32>> {
    sqlx::query_scalar!(
        r#"with changed as (
            update users set password_hash = $3, session_version = session_version + 1
            where id = $1 and session_version = $2
                and ($4::text is null or exists (select from sessions where token_hash = decode($4, 'hex')))
            returning id, session_version
        ), ended as (
            delete from sessions where user_id in (select id from changed)
        )
        select session_version from changed"#,
        id,
        version,
        new,
        session,
    )
    .fetch_optional(connection)
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
        for name in [
            "a",
            "Zoë-1.x_y",
            "Huế",
            "Nguyễn",
            "نیلوفر",
            "太郎",
            "はる太7",
            "अमारा",
            "प्रिया",
            "علی\u{200c}رضا",
            &"x".repeat(30),
        ] {
            assert!(username(name).is_some(), "{name}");
        }
        let same = |a: &str, b: &str| username(a).unwrap().key() == username(b).unwrap().key();
        assert!(same("Ann", "aNN") && same("Zoë", "ZOE\u{308}") && same("ﬁn", "FIN") && same("ΣΊΣΥΦΟΣ", "σίσυφος"));
        assert!(same("علی\u{200c}رضا", "علیرضا") && same("straße", "STRAẞE") && same("straße", "strasse"));
        assert_eq!(username(" ann ").unwrap().as_str(), "ann");
        assert!(!same("ann", "anne"));
    }

    #[test]
    fn names_that_look_alike_have_one_skeleton() {
        let alike = |a: &str, b: &str| username(a).unwrap().skeleton() == username(b).unwrap().skeleton();
        // All Cyrillic.
        assert!(alike("\u{440}\u{430}\u{443}\u{440}\u{430}\u{4cf}", "paypal"));
        assert!(alike("\u{43e}\u{43e}\u{43e}", "ooo") && alike("\u{3bf}\u{3bf}\u{3bf}", "OOO"));
        assert!(alike("bam", "barn") && alike("paypa1", "paypal") && alike("B0B", "bob"));
        assert!(!alike("ann", "anne") && !alike("anna", "hanna") && !alike("نیلوفر", "نیلوفری"));
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
            "a\u{34f}b",
            "a\u{fe0f}",
            "a\u{e0100}",
            "a\u{e0061}",
            "a\u{180b}",
            "x\u{301}\u{302}",
            "\u{e9}\u{301}",
            "\u{119}\u{328}",
            "x\u{302}\u{302}",
            "Z\u{351}\u{36b}a",
            "अ\u{901}\u{901}",
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
