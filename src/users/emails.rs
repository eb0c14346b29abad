//! Emails to users as plain text and HTML, in the recipient's language.

use askama::Template;
use chrono::{DateTime, TimeDelta, Utc};
use sqlx::PgConnection;

use super::models::{self, MailRecipient};
use super::recovery::mail_link::{EmailConfirmationLink, PasswordResetLink, TokenPayload, sign_token};
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

/// The Fluent message `phrase` has the attributes `subject`, `told` (main text), `advice` and, if there is a link,
/// `act` (label of the link).
struct MailContent<'a> {
    kind: &'static str,
    phrase: Phrase,
    to: &'a Recipient,
    link: Option<String>,
    useful_for: TimeDelta,
    /// True if the advice comes before the link, false if the link comes directly after the main text.
    is_news: bool,
}

/// Time after which an unsent notification is deleted from the outbox.
const NOTIFICATION_LIFETIME: TimeDelta = TimeDelta::days(3);

fn mail(state: &CoreState, words: MailContent<'_>) -> Result<Mail, AppError> {
    let MailContent { kind, phrase, to, link, useful_for, is_news } = words;
    let (site, url, locale) = (&state.settings.site.name, state.settings.public_url.to_string(), to.locale);
    let failed = |error: askama::Error| AppError::Internal(error.to_string());
    let phrase = phrase.with_argument("username", to.username.as_str());
    let (body, advice) =
        (phrase.attribute("told").translate_to_text(locale), phrase.attribute("advice").translate_to_text(locale));
    let link = link.as_deref();
    let text = Text { username: &to.username, body: &body, is_news, link, advice: &advice, site, url: &url };
    let plain = render(&text, locale).map_err(failed)?;
    let html = render(&Html { locale, phrase: &phrase, text }, locale).map_err(failed)?;
    let subject = phrase.attribute("subject").translate_to_text(locale).into_owned();
    Ok(Mail { kind, to: to.email.clone(), subject, text: plain, html, expires_in: useful_for })
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
    let Some(MailRecipient { user, email, language, time_zone, .. }) = recipient else { return Ok(()) };
    let mail = mail(state, &Recipient::new(state, user.username, email, language, time_zone))?;
    Ok(state.mail.enqueue(connection, &state.clock, &mail).await?)
}

fn sealed_url(state: &CoreState, now: DateTime<Utc>, route: &Route, link: &impl TokenPayload) -> String {
    state.settings.absolute_url(&format!("{}?token={}", route.pattern, sign_token(link, &state.keys, now)))
}

pub fn confirmation_email(
    state: &CoreState,
    now: DateTime<Utc>,
    to: &Recipient,
    link: &EmailConfirmationLink,
) -> Result<Mail, AppError> {
    let link = Some(sealed_url(state, now, &urls::CONFIRM_EMAIL, link));
    let phrase = phrase!("mail-confirm-email");
    mail(
        state,
        MailContent {
            kind: "confirm_email",
            phrase,
            to,
            link,
            useful_for: EmailConfirmationLink::LIFETIME,
            is_news: false,
        },
    )
}

pub fn password_reset_email(
    state: &CoreState,
    now: DateTime<Utc>,
    to: &Recipient,
    link: &PasswordResetLink,
) -> Result<Mail, AppError> {
    let link = Some(sealed_url(state, now, &urls::PASSWORD_RESET, link));
    let phrase = phrase!("mail-password-reset");
    mail(
        state,
        MailContent {
            kind: "password_reset",
            phrase,
            to,
            link,
            useful_for: PasswordResetLink::LIFETIME,
            is_news: false,
        },
    )
}

pub fn password_removed_email(
    state: &CoreState,
    now: DateTime<Utc>,
    to: &Recipient,
    link: &PasswordResetLink,
) -> Result<Mail, AppError> {
    let (link, phrase) =
        (Some(sealed_url(state, now, &urls::PASSWORD_RESET, link)), phrase!("mail-password-reset-by-staff"));
    mail(
        state,
        MailContent {
            kind: "password_taken",
            phrase,
            to,
            link,
            useful_for: PasswordResetLink::LIFETIME,
            is_news: false,
        },
    )
}

pub fn password_changed_email(state: &CoreState, to: &Recipient) -> Result<Mail, AppError> {
    let link = Some(state.settings.absolute_url(urls::PASSWORD_RESET.pattern));
    let phrase = phrase!("mail-password-changed");
    mail(
        state,
        MailContent { kind: "password_changed", phrase, to, link, useful_for: NOTIFICATION_LIFETIME, is_news: true },
    )
}

pub fn email_address_changed_email(state: &CoreState, to: &Recipient, new: &str) -> Result<Mail, AppError> {
    let phrase = phrase!("mail-email-changed", email = new);
    mail(
        state,
        MailContent {
            kind: "address_changed",
            phrase,
            to,
            link: None,
            useful_for: NOTIFICATION_LIFETIME,
            is_news: true,
        },
    )
}

pub fn approval_email(state: &CoreState, to: &Recipient) -> Result<Mail, AppError> {
    let link = Some(state.settings.absolute_url(&urls::author_path(&to.username)));
    mail(
        state,
        MailContent {
            kind: "approved",
            phrase: phrase!("mail-approved"),
            to,
            link,
            useful_for: NOTIFICATION_LIFETIME,
            is_news: true,
        },
    )
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
    let link = Some(state.settings.absolute_url(urls::ACCOUNT.pattern));
    mail(state, MailContent { kind: "blocked", phrase, to, link, useful_for: NOTIFICATION_LIFETIME, is_news: true })
}

pub fn unblocked_email(state: &CoreState, to: &Recipient) -> Result<Mail, AppError> {
    let phrase = phrase!("mail-unblocked");
    mail(
        state,
        MailContent { kind: "unblocked", phrase, to, link: None, useful_for: NOTIFICATION_LIFETIME, is_news: true },
    )
}

/// For notifications that do not concern the account itself, such as a decision on a report. `phrase` needs the
/// attributes of `MailContent`.
pub fn notification_email(
    state: &CoreState,
    to: &Recipient,
    kind: &'static str,
    phrase: Phrase,
    path: &str,
) -> Result<Mail, AppError> {
    let link = Some(state.settings.absolute_url(path));
    mail(state, MailContent { kind, phrase, to, link, useful_for: NOTIFICATION_LIFETIME, is_news: true })
}

pub fn deletion_scheduled_email(
    state: &CoreState,
    to: &Recipient,
    at: DateTime<Utc>,
    with_posts: bool,
) -> Result<Mail, AppError> {
    let link = Some(state.settings.absolute_url(urls::LOGIN.pattern));
    let phrase = phrase!("mail-deletion-scheduled", time = PhraseValue::Minute(at), posts = with_posts);
    mail(
        state,
        MailContent { kind: "deletion_asked", phrase, to, link, useful_for: NOTIFICATION_LIFETIME, is_news: true },
    )
}

pub fn account_deleted_email(state: &CoreState, to: &Recipient) -> Result<Mail, AppError> {
    let phrase = phrase!("mail-account-deleted");
    mail(
        state,
        MailContent {
            kind: "account_deleted",
            phrase,
            to,
            link: None,
            useful_for: NOTIFICATION_LIFETIME,
            is_news: true,
        },
    )
}

pub fn two_factor_enabled_email(state: &CoreState, to: &Recipient) -> Result<Mail, AppError> {
    second_factor(state, to, "second_factor_on", phrase!("mail-two-factor-on"))
}

pub fn two_factor_disabled_email(state: &CoreState, to: &Recipient) -> Result<Mail, AppError> {
    second_factor(state, to, "second_factor_off", phrase!("mail-two-factor-off"))
}

pub fn token_created_email(state: &CoreState, to: &Recipient) -> Result<Mail, AppError> {
    notification_email(state, to, "token_created", phrase!("mail-token-created"), urls::TOKENS.pattern)
}

pub fn recovery_code_used_email(state: &CoreState, to: &Recipient, left: i64) -> Result<Mail, AppError> {
    second_factor(state, to, "recovery_code_used", phrase!("mail-recovery-code-used", left = left))
}

pub fn wrong_two_factor_codes_email(state: &CoreState, to: &Recipient) -> Result<Mail, AppError> {
    second_factor(state, to, "wrong_codes", phrase!("mail-wrong-codes"))
}

fn second_factor(state: &CoreState, to: &Recipient, kind: &'static str, phrase: Phrase) -> Result<Mail, AppError> {
    let link = Some(state.settings.absolute_url(urls::PASSWORD_RESET.pattern));
    mail(state, MailContent { kind, phrase, to, link, useful_for: NOTIFICATION_LIFETIME, is_news: true })
}
