//! The mails that accounts send, each as text and as HTML.

use askama::Template;
use chrono::{DateTime, Utc};

use super::mail_link::{ConfirmLink, MailLink, ResetLink, seal};
use super::urls;
use crate::mail::Mail;
use crate::web::error::AppError;
use crate::web::state::AppState;

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
