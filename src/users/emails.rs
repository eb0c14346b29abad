//! Emails to users as plain text and HTML, in the recipient's language.

use askama::Template;
use chrono::TimeDelta;
use sqlx::PgConnection;

use super::mail_link::{EmailConfirmationLink, PasswordResetLink, TokenPayload, sign_token};
use super::urls;
use crate::i18n::{Locale, Phrase, filters};
use crate::mail::Mail;
use crate::phrase;
use crate::web::error::AppError;
use crate::web::request::current_user::UserId;
use crate::web::response::view::render;
use crate::web::routing::route::Route;
use crate::web::state::CoreState;

#[derive(Template)]
#[template(path = "users/mail.txt")]
struct Text<'a> {
    username: &'a str,
    body: &'a str,
    /// True if the advice comes before the link, false if the link comes directly after the main text.
    is_news: bool,
    link: Option<&'a str>,
    advice: &'a str,
    site: &'a str,
    url: &'a str,
}

#[derive(Template)]
#[template(path = "users/mail.html")]
struct Html<'a> {
    locale: Locale,
    phrase: &'a Phrase,
    text: Text<'a>,
}

#[derive(Clone, Debug)]
pub struct Recipient {
    pub username: String,
    pub email: String,
    pub locale: Locale,
}

impl Recipient {
    /// `language` and `zone` default to the language and time zone of the site.
    pub fn new(
        state: &CoreState,
        username: String,
        email: String,
        language: Option<String>,
        zone: Option<String>,
    ) -> Self {
        let site = state.site();
        let language = language.and_then(|language| language.parse().ok()).unwrap_or(site.language);
        let zone = zone.and_then(|zone| zone.parse().ok()).unwrap_or(site.zone);
        Self { username, email, locale: Locale { language, zone } }
    }
}

/// Time after which an unsent notification is deleted from the outbox.
const NOTIFICATION_LIFETIME: TimeDelta = TimeDelta::days(3);

/// The Fluent message `phrase` has the attributes `subject`, `told` (main text), `advice` and, if there is a `path`,
/// `act` (label of the link). `link_lifetime` is `None` if the link can always be used.
fn mail(
    state: &CoreState,
    to: &Recipient,
    kind: &'static str,
    phrase: Phrase,
    path: Option<&str>,
    link_lifetime: Option<TimeDelta>,
) -> Result<Mail, AppError> {
    let (site, url, locale) = (&state.site().name, state.settings.public_url.to_string(), to.locale);
    let phrase = phrase.with_argument("username", to.username.as_str());
    let (body, advice) =
        (phrase.attribute("told").translate_to_text(locale), phrase.attribute("advice").translate_to_text(locale));
    let link = path.map(|path| state.settings.absolute_url(path));
    let (link, is_news) = (link.as_deref(), link_lifetime.is_none());
    let text = Text { username: &to.username, body: &body, is_news, link, advice: &advice, site, url: &url };
    let plain = render(&text, locale)?;
    let html = render(&Html { locale, phrase: &phrase, text }, locale)?;
    let subject = phrase.attribute("subject").translate_to_text(locale).into_owned();
    let expires_in = link_lifetime.unwrap_or(NOTIFICATION_LIFETIME);
    Ok(Mail { kind, to: to.email.clone(), subject, text: plain, html, expires_in })
}

/// Queues a notification, with a link to `path` if it is given. Does nothing if the site sends no emails or the
/// account's email address is not confirmed. `phrase` needs the attributes described at `mail`.
pub async fn enqueue(
    connection: &mut PgConnection,
    state: &CoreState,
    user: UserId,
    kind: &'static str,
    phrase: Phrase,
    path: Option<&str>,
) -> Result<(), AppError> {
    let Some(to) = find_recipient(connection, state, user).await? else { return Ok(()) };
    let mail = mail(state, &to, kind, phrase, path, None)?;
    Ok(state.mail.enqueue(connection, &state.clock, &mail).await?)
}

/// Queues a notification with a link to the password reset, in case another person knows the password.
pub async fn enqueue_security_notice(
    connection: &mut PgConnection,
    state: &CoreState,
    user: UserId,
    kind: &'static str,
    phrase: Phrase,
) -> Result<(), AppError> {
    enqueue(connection, state, user, kind, phrase, Some(urls::PASSWORD_RESET.pattern)).await
}

pub async fn enqueue_password_changed(
    connection: &mut PgConnection,
    state: &CoreState,
    user: UserId,
) -> Result<(), AppError> {
    enqueue_security_notice(connection, state, user, "password_changed", phrase!("mail-password-changed")).await
}

async fn find_recipient(
    connection: &mut PgConnection,
    state: &CoreState,
    UserId(id): UserId,
) -> sqlx::Result<Option<Recipient>> {
    if !state.mail.is_enabled() {
        return Ok(None);
    }
    let row = sqlx::query!(
        "select id, username, created_at, email, session_version, language, time_zone from users
        where id = $1 and email_confirmed_at is not null",
        id,
    );
    let row = row.fetch_optional(connection).await?;
    Ok(row.map(|row| Recipient::new(state, row.username, row.email, row.language, row.time_zone)))
}

pub fn email_address_changed_email(state: &CoreState, to: &Recipient, new: &str) -> Result<Mail, AppError> {
    mail(state, to, "address_changed", phrase!("mail-email-changed", email = new), None, None)
}

/// Queues an email with a link, whose query parameter `token` contains the signed payload `link`.
async fn enqueue_link<L: TokenPayload>(
    connection: &mut PgConnection,
    state: &CoreState,
    to: &Recipient,
    kind: &'static str,
    phrase: Phrase,
    route: &Route,
    link: &L,
) -> Result<(), AppError> {
    let token = sign_token(link, &state.keys, state.clock.read(connection).await?);
    let path = format!("{}?token={token}", route.pattern);
    let mail = mail(state, to, kind, phrase, Some(&path), Some(L::LIFETIME))?;
    Ok(state.mail.enqueue(connection, &state.clock, &mail).await?)
}

pub async fn enqueue_confirmation(
    connection: &mut PgConnection,
    state: &CoreState,
    username: &str,
    locale: Locale,
    link: &EmailConfirmationLink,
) -> Result<(), AppError> {
    let to = Recipient { username: username.to_owned(), email: link.email.clone(), locale };
    let phrase = phrase!("mail-confirm-email");
    enqueue_link(connection, state, &to, "confirm_email", phrase, &urls::CONFIRM_EMAIL, link).await
}

/// Queues an email in the language of the site, because the recipient has no account yet.
pub async fn enqueue_invitation(
    connection: &mut PgConnection,
    state: &CoreState,
    email: &str,
    phrase: Phrase,
    path: &str,
    lifetime: TimeDelta,
) -> Result<(), AppError> {
    let to = Recipient::new(state, email.to_owned(), email.to_owned(), None, None);
    let mail = mail(state, &to, "invitation", phrase, Some(path), Some(lifetime))?;
    Ok(state.mail.enqueue(connection, &state.clock, &mail).await?)
}

pub async fn enqueue_password_reset(
    connection: &mut PgConnection,
    state: &CoreState,
    to: &Recipient,
    link: &PasswordResetLink,
) -> Result<(), AppError> {
    let phrase = phrase!("mail-password-reset");
    enqueue_link(connection, state, to, "password_reset", phrase, &urls::PASSWORD_RESET, link).await
}

/// Queues a password reset email to a user whose password staff removed.
pub async fn enqueue_password_removed(
    connection: &mut PgConnection,
    state: &CoreState,
    link: &PasswordResetLink,
) -> Result<(), AppError> {
    let Some(to) = find_recipient(connection, state, link.user).await? else { return Ok(()) };
    let phrase = phrase!("mail-password-reset-by-staff");
    enqueue_link(connection, state, &to, "password_taken", phrase, &urls::PASSWORD_RESET, link).await
}
