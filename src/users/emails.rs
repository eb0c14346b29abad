//! Emails to users as plain text and HTML, in the recipient's language.

use askama::Template;
use chrono::{DateTime, TimeDelta, Utc};
use sqlx::PgConnection;

use super::mail_link::{EmailConfirmationLink, PasswordResetLink, TokenPayload, sign_token};
use super::models::{self, MailRecipient};
use super::urls;
use crate::i18n::{Locale, Phrase, PhraseValue, filters};
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
    /// `language` and `zone` default to those of the site.
    pub fn new(
        state: &CoreState,
        username: String,
        email: String,
        language: Option<String>,
        zone: Option<String>,
    ) -> Self {
        let site = &state.settings.site;
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
    let (site, url, locale) = (&state.settings.site.name, state.settings.public_url.to_string(), to.locale);
    let failed = |error: askama::Error| AppError::Internal(error.to_string());
    let phrase = phrase.with_argument("username", to.username.as_str());
    let (body, advice) =
        (phrase.attribute("told").translate_to_text(locale), phrase.attribute("advice").translate_to_text(locale));
    let link = path.map(|path| state.settings.absolute_url(path));
    let (link, is_news) = (link.as_deref(), link_lifetime.is_none());
    let text = Text { username: &to.username, body: &body, is_news, link, advice: &advice, site, url: &url };
    let plain = render(&text, locale).map_err(failed)?;
    let html = render(&Html { locale, phrase: &phrase, text }, locale).map_err(failed)?;
    let subject = phrase.attribute("subject").translate_to_text(locale).into_owned();
    let expires_in = link_lifetime.unwrap_or(NOTIFICATION_LIFETIME);
    Ok(Mail { kind, to: to.email.clone(), subject, text: plain, html, expires_in })
}

/// Email with a signed link, whose content is the parameter `token`.
fn mail_with_token<L: TokenPayload>(
    state: &CoreState,
    now: DateTime<Utc>,
    to: &Recipient,
    kind: &'static str,
    phrase: Phrase,
    route: &Route,
    link: &L,
) -> Result<Mail, AppError> {
    let path = format!("{}?token={}", route.pattern, sign_token(link, &state.keys, now));
    mail(state, to, kind, phrase, Some(&path), Some(L::LIFETIME))
}

/// Does nothing if the site sends no emails or the account's email address is not confirmed.
pub async fn enqueue(
    connection: &mut PgConnection,
    state: &CoreState,
    user: UserId,
    mail: impl FnOnce(&CoreState, &Recipient) -> Result<Mail, AppError>,
) -> Result<(), AppError> {
    if !state.mail.is_enabled() {
        return Ok(());
    }
    let recipient = models::find_mail_recipient(connection, user).await?;
    let Some(MailRecipient { username, email, language, time_zone, .. }) = recipient else { return Ok(()) };
    let mail = mail(state, &Recipient::new(state, username, email, language, time_zone))?;
    Ok(state.mail.enqueue(connection, &state.clock, &mail).await?)
}

pub async fn enqueue_confirmation(
    connection: &mut PgConnection,
    state: &CoreState,
    username: &str,
    locale: Locale,
    link: &EmailConfirmationLink,
) -> Result<(), AppError> {
    let now = state.clock.read(connection).await?;
    let to = Recipient { username: username.to_owned(), email: link.email.clone(), locale };
    let phrase = phrase!("mail-confirm-email");
    let mail = mail_with_token(state, now, &to, "confirm_email", phrase, &urls::CONFIRM_EMAIL, link)?;
    Ok(state.mail.enqueue(connection, &state.clock, &mail).await?)
}

pub fn password_reset_email(
    state: &CoreState,
    now: DateTime<Utc>,
    to: &Recipient,
    link: &PasswordResetLink,
) -> Result<Mail, AppError> {
    mail_with_token(state, now, to, "password_reset", phrase!("mail-password-reset"), &urls::PASSWORD_RESET, link)
}

pub fn password_removed_email(
    state: &CoreState,
    now: DateTime<Utc>,
    to: &Recipient,
    link: &PasswordResetLink,
) -> Result<Mail, AppError> {
    let phrase = phrase!("mail-password-reset-by-staff");
    mail_with_token(state, now, to, "password_taken", phrase, &urls::PASSWORD_RESET, link)
}

pub fn password_changed_email(state: &CoreState, to: &Recipient) -> Result<Mail, AppError> {
    security_email(state, to, "password_changed", phrase!("mail-password-changed"))
}

pub fn email_address_changed_email(state: &CoreState, to: &Recipient, new: &str) -> Result<Mail, AppError> {
    mail(state, to, "address_changed", phrase!("mail-email-changed", email = new), None, None)
}

pub fn approval_email(state: &CoreState, to: &Recipient) -> Result<Mail, AppError> {
    notification_email(state, to, "approved", phrase!("mail-approved"), &urls::author_path(&to.username))
}

pub fn blocked_email(
    state: &CoreState,
    to: &Recipient,
    reason: &str,
    until: Option<DateTime<Utc>>,
) -> Result<Mail, AppError> {
    let phrase = match until {
        Some(until) => phrase!("mail-blocked-until", reason = reason, time = PhraseValue::Minute(until)),
        None => phrase!("mail-blocked", reason = reason),
    };
    notification_email(state, to, "blocked", phrase, urls::ACCOUNT.pattern)
}

pub fn unblocked_email(state: &CoreState, to: &Recipient) -> Result<Mail, AppError> {
    mail(state, to, "unblocked", phrase!("mail-unblocked"), None, None)
}

/// Notification with a link. `phrase` needs the attributes described at `mail`.
pub fn notification_email(
    state: &CoreState,
    to: &Recipient,
    kind: &'static str,
    phrase: Phrase,
    path: &str,
) -> Result<Mail, AppError> {
    mail(state, to, kind, phrase, Some(path), None)
}

pub fn deletion_scheduled_email(
    state: &CoreState,
    to: &Recipient,
    at: DateTime<Utc>,
    with_posts: bool,
) -> Result<Mail, AppError> {
    let phrase = phrase!("mail-deletion-scheduled", time = PhraseValue::Minute(at), posts = with_posts);
    notification_email(state, to, "deletion_asked", phrase, urls::LOGIN.pattern)
}

pub fn account_deleted_email(state: &CoreState, to: &Recipient) -> Result<Mail, AppError> {
    mail(state, to, "account_deleted", phrase!("mail-account-deleted"), None, None)
}

pub fn two_factor_enabled_email(state: &CoreState, to: &Recipient) -> Result<Mail, AppError> {
    security_email(state, to, "second_factor_on", phrase!("mail-two-factor-on"))
}

pub fn two_factor_disabled_email(state: &CoreState, to: &Recipient) -> Result<Mail, AppError> {
    security_email(state, to, "second_factor_off", phrase!("mail-two-factor-off"))
}

pub fn token_created_email(state: &CoreState, to: &Recipient) -> Result<Mail, AppError> {
    notification_email(state, to, "token_created", phrase!("mail-token-created"), urls::TOKENS.pattern)
}

pub fn recovery_code_used_email(state: &CoreState, to: &Recipient, left: i64) -> Result<Mail, AppError> {
    security_email(state, to, "recovery_code_used", phrase!("mail-recovery-code-used", left = left))
}

pub fn wrong_two_factor_codes_email(state: &CoreState, to: &Recipient) -> Result<Mail, AppError> {
    security_email(state, to, "wrong_codes", phrase!("mail-wrong-codes"))
}

/// Notification with a link to the password reset, in case another person knows the password.
fn security_email(state: &CoreState, to: &Recipient, kind: &'static str, phrase: Phrase) -> Result<Mail, AppError> {
    notification_email(state, to, kind, phrase, urls::PASSWORD_RESET.pattern)
}
