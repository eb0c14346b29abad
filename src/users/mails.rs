//! The mails that accounts send, each as text and as HTML.

use askama::Template;
use chrono::{DateTime, Utc};
use sqlx::PgConnection;

use super::mail_link::{ConfirmLink, ResetLink, SealedLink, seal};
use super::{models, urls};
use crate::mail::Mail;
use crate::web::error::AppError;
use crate::web::state::AppState;
use crate::web::visitor::UserId;

/// A mail that asks its reader to follow a link, or only tells something.
#[derive(Template)]
#[template(path = "users/mail.txt")]
struct Text<'a> {
    username: &'a str,
    /// Sentences before the link.
    told: &'a [String],
    link: Option<&'a str>,
    /// Sentences after it.
    advice: &'a [String],
    /// The site's name, and where it is.
    site: &'a str,
    url: &'a str,
}

#[derive(Template)]
#[template(path = "users/mail.html")]
struct Html<'a> {
    subject: &'a str,
    /// What the link is called.
    act: &'a str,
    text: Text<'a>,
}

/// What goes into a mail.
struct Words<'a> {
    kind: &'static str,
    to: &'a str,
    username: &'a str,
    subject: &'a str,
    told: Vec<String>,
    act: &'a str,
    link: Option<String>,
    advice: Vec<String>,
    useful_for: chrono::TimeDelta,
}

fn mail(state: &AppState, words: Words<'_>) -> Result<Mail, AppError> {
    let (site, url) = (&state.settings.site.name, state.settings.public_url.to_string());
    let failed = |error: askama::Error| AppError::Internal(error.to_string());
    let Words { kind, to, username, subject, told, act, link, advice, useful_for } = words;
    let link = link.as_deref();
    let text = Text { username, told: &told, link, advice: &advice, site, url: &url };
    let plain = text.render().map_err(failed)?;
    let html = Html { subject, act, text }.render().map_err(failed)?;
    Ok(Mail { kind, to: to.to_owned(), subject: subject.to_owned(), text: plain, html, useful_for })
}

/// Leaves a mail to an account, if mail is sent and the account's address is confirmed.
///
/// # Errors
/// Those of the database.
pub async fn leave(
    connection: &mut PgConnection,
    state: &AppState,
    user: UserId,
    mail: impl FnOnce(&AppState, (&str, &str)) -> Result<Mail, AppError>,
) -> Result<(), AppError> {
    if !state.mail.is_on() {
        return Ok(());
    }
    let Some((username, email)) = models::reachable(connection, user).await? else { return Ok(()) };
    let mail = mail(state, (&username, &email))?;
    Ok(state.mail.leave(connection, &state.clock, &mail).await?)
}

/// Asks whether an address is its reader's.
pub fn confirm(state: &AppState, now: DateTime<Utc>, username: &str, link: &ConfirmLink) -> Result<Mail, AppError> {
    let path = format!("{}?token={}", urls::CONFIRM.pattern, seal(link, &state.keys, now));
    mail(
        state,
        Words {
            kind: "confirm_email",
            to: &link.email,
            username,
            subject: "Confirm your e-mail address",
            told: vec![format!("Somebody, probably you, gave this address for the account {username}.")],
            act: "Confirm this address",
            link: Some(state.settings.url(&path)),
            advice: vec![
                "The link is good for three days. Until you use it, nothing else is sent here.".to_owned(),
                "If it was not you, do nothing: then the address is not used.".to_owned(),
            ],
            useful_for: ConfirmLink::LIFETIME,
        },
    )
}

/// Lets somebody choose a new password.
pub fn reset(
    state: &AppState,
    now: DateTime<Utc>,
    (username, to): (&str, &str),
    link: &ResetLink,
) -> Result<Mail, AppError> {
    let path = format!("{}?token={}", urls::PASSWORD_RESET.pattern, seal(link, &state.keys, now));
    mail(
        state,
        Words {
            kind: "password_reset",
            to,
            username,
            subject: "Choose a new password",
            told: vec![format!("Somebody, probably you, asked for a new password for the account {username}.")],
            act: "Choose a new password",
            link: Some(state.settings.url(&path)),
            advice: vec![
                "The link is good for an hour, and once. Using it signs the account out everywhere.".to_owned(),
                "If it was not you, do nothing: your password stays as it is.".to_owned(),
            ],
            useful_for: ResetLink::LIFETIME,
        },
    )
}

/// Tells that the password was changed.
pub fn password_changed(state: &AppState, (username, to): (&str, &str)) -> Result<Mail, AppError> {
    mail(
        state,
        Words {
            kind: "password_changed",
            to,
            username,
            subject: "Your password was changed",
            told: vec![format!("The password of the account {username} was changed just now.")],
            act: "Choose a new password",
            link: Some(state.settings.url(urls::PASSWORD_RESET.pattern)),
            advice: vec!["If it was not you, choose a new one at once.".to_owned()],
            useful_for: chrono::TimeDelta::days(3),
        },
    )
}

/// Tells the address of before that there is another one now.
pub fn address_changed(state: &AppState, (username, to): (&str, &str), new: &str) -> Result<Mail, AppError> {
    mail(
        state,
        Words {
            kind: "address_changed",
            to,
            username,
            subject: "Your e-mail address was changed",
            told: vec![
                format!("The account {username} has another e-mail address now: {new}."),
                "This is the last mail about it that is sent here.".to_owned(),
            ],
            act: "",
            link: None,
            advice: vec!["If it was not you, tell those who run the site.".to_owned()],
            useful_for: chrono::TimeDelta::days(3),
        },
    )
}

/// Tells that somebody may publish.
pub fn approved(state: &AppState, (username, to): (&str, &str)) -> Result<Mail, AppError> {
    mail(
        state,
        Words {
            kind: "approved",
            to,
            username,
            subject: "You may publish now",
            told: vec![format!("The account {username} may publish posts now. Your drafts are as you left them.")],
            act: "Your page",
            link: Some(state.settings.url(&urls::author(username))),
            advice: vec!["If you did not expect this, you need not do anything.".to_owned()],
            useful_for: chrono::TimeDelta::days(3),
        },
    )
}

/// Tells when the account will be deleted, and how to keep it.
pub fn deletion_asked(
    state: &AppState,
    (username, to): (&str, &str),
    at: DateTime<Utc>,
    with_posts: bool,
) -> Result<Mail, AppError> {
    mail(
        state,
        Words {
            kind: "deletion_asked",
            to,
            username,
            subject: "Your account will be deleted",
            told: vec![
                format!("Somebody who knows its password asked to delete the account {username}."),
                if with_posts { "Its posts are to go with it." } else { "Its published posts are to stay." }.to_owned(),
                format!(
                    "It will be deleted on {}. Until then you can come back: sign in, and keep it.",
                    state.settings.site.zone.minute(&at)
                ),
            ],
            act: "Sign in",
            link: Some(state.settings.url(urls::LOGIN.pattern)),
            advice: vec!["If it was not you, sign in, keep it, and change your password.".to_owned()],
            useful_for: chrono::TimeDelta::days(3),
        },
    )
}

/// Tells that the account is deleted.
pub fn deleted(state: &AppState, (username, to): (&str, &str)) -> Result<Mail, AppError> {
    mail(
        state,
        Words {
            kind: "account_deleted",
            to,
            username,
            subject: "Your account is deleted",
            told: vec![format!("The account {username} is deleted, as was asked for a week ago.")],
            act: "",
            link: None,
            advice: vec!["This is the last mail about it.".to_owned()],
            useful_for: chrono::TimeDelta::days(3),
        },
    )
}

/// Tells that signing in needs a code now.
pub fn second_factor_on(state: &AppState, (username, to): (&str, &str)) -> Result<Mail, AppError> {
    let told = format!("Signing in to the account {username} needs a code of an authenticator app now.");
    second_factor(state, (username, to), ("second_factor_on", "Your second factor is on"), told)
}

/// Tells that signing in needs no code any more.
pub fn second_factor_off(state: &AppState, (username, to): (&str, &str)) -> Result<Mail, AppError> {
    let told = format!("Signing in to the account {username} needs no code any more: the password alone is enough.");
    second_factor(state, (username, to), ("second_factor_off", "Your second factor is off"), told)
}

/// Tells that somebody signed in without the app.
pub fn recovery_code_used(state: &AppState, (username, to): (&str, &str), left: i64) -> Result<Mail, AppError> {
    let told = format!("Somebody signed in to the account {username} with a recovery code. {left} are left.");
    second_factor(state, (username, to), ("recovery_code_used", "A recovery code was used"), told)
}

fn second_factor(
    state: &AppState,
    (username, to): (&str, &str),
    (kind, subject): (&'static str, &str),
    told: String,
) -> Result<Mail, AppError> {
    mail(
        state,
        Words {
            kind,
            to,
            username,
            subject,
            told: vec![told],
            act: "Choose a new password",
            link: Some(state.settings.url(urls::PASSWORD_RESET.pattern)),
            advice: vec!["If it was not you, choose a new password at once.".to_owned()],
            useful_for: chrono::TimeDelta::days(3),
        },
    )
}
