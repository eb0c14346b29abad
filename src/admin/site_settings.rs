//! Admin page of the site settings, which owners change in the browser.

use actix_web::web;
use askama::Template;
use schemars::{JsonSchema, Schema, json_schema};
use serde::Serialize;
use serde_json::json;
use sqlx::{PgConnection, PgPool};

use super::urls;
use crate::audit_log::{AuditAction, NewEntry};
use crate::blog_posts::models::PostId;
use crate::blog_posts::urls::post_path;
use crate::db;
use crate::i18n::{DisplayTimeZone, Language, Phrase, filters};
use crate::score::DisplayedScore;
use crate::site::accent::Color;
use crate::site::menu::MenuEntry;
use crate::site::policy::{PublishingPolicy, RatingEligibility, RegistrationPolicy};
use crate::site::{self, MAX_DESCRIPTION_CHARS, MAX_FOOTER_CHARS, MAX_NAME_CHARS, NAMES, Site};
use crate::state::AppState;
use crate::text::{content_hash, to_single_line};
use crate::web::error::{AppError, ErrorText, FeatureError, error_text};
use crate::web::request::body::Payload;
use crate::web::request::current_user::CurrentUser;
use crate::web::request::form_field::{
    Field, Fields, FormInput, IntegerUpTo, NonEmptyText, OptionalField, YesOrNo, limit_chars,
};
use crate::web::response::form::Form;
use crate::web::response::layout::Layout;
use crate::web::response::view::{ActionResult, FormResponse, PageResponse, handle_form};
use crate::web::state::CoreState;
use crate::{page, phrase};

/// Error response if another owner changed a setting after the client read the settings.
#[derive(Debug, thiserror::Error)]
#[error("a setting of the site has changed in the meantime")]
struct SettingsChanged;

impl FeatureError for SettingsChanged {
    fn error_text(&self) -> ErrorText {
        error_text(409, "settings_changed", phrase!("error-settings-changed"))
    }
}

/// Name of the environment variable, and value to store; `None` for the default.
type Change = (&'static str, Option<String>);

#[derive(Debug)]
pub struct SettingsInput {
    /// Hash of the settings that the client has read.
    seen: Option<String>,
    changes: Vec<Change>,
    min_account_age_hours: Option<u32>,
    confirmed_email: Option<bool>,
}

struct Line<const MAX_CHARS: usize>(String);

impl<const MAX_CHARS: usize> Field for Line<MAX_CHARS> {
    fn from_text(text: &str) -> Result<Self, Phrase> {
        limit_chars(to_single_line(text), MAX_CHARS).map(Self)
    }

    fn schema() -> Schema {
        json_schema!({ "type": "string", "maxLength": MAX_CHARS })
    }
}

struct Footer(String);

impl Field for Footer {
    fn from_text(text: &str) -> Result<Self, Phrase> {
        limit_chars(text.trim().to_owned(), MAX_FOOTER_CHARS).map(Self)
    }

    fn schema() -> Schema {
        json_schema!({ "type": "string", "maxLength": MAX_FOOTER_CHARS, "description": "Markdown" })
    }
}

struct Menu(String);

impl Field for Menu {
    fn from_text(text: &str) -> Result<Self, Phrase> {
        let entries = MenuEntry::parse_all(text)?;
        let lines: Vec<String> = entries.into_iter().map(|MenuEntry { text, url }| format!("{text} {url}")).collect();
        Ok(Self(lines.join("\n")))
    }

    fn schema() -> Schema {
        json_schema!({
            "type": "string", "examples": ["About /blogs/3/about/"],
            "description": "At most 8 lines, each with a text of at most 40 characters and a path or URL"
        })
    }
}

impl Field for Color {
    fn from_text(text: &str) -> Result<Self, Phrase> {
        let color: Self = text.parse().map_err(|()| phrase!("invalid-color"))?;
        match color.readable_on_light() {
            readable if readable == color => Ok(color),
            readable => Err(phrase!("invalid-contrast", color = readable.to_string())),
        }
    }

    fn schema() -> Schema {
        json_schema!({ "type": "string", "pattern": "^#[0-9a-fA-F]{6}$", "examples": ["#0b5573"], "description": "Must have enough contrast on a light page" })
    }
}

macro_rules! choice_field {
    ($($type:ty: $values:tt,)*) => {
        $(impl Field for $type {
            fn from_text(text: &str) -> Result<Self, Phrase> {
                text.parse().map_err(|_| phrase!("invalid-choice"))
            }

            fn schema() -> Schema {
                json_schema!({ "type": "string", "enum": $values })
            }
        })*
    };
}

choice_field! {
    RegistrationPolicy: ["open", "invite", "closed"],
    PublishingPolicy: ["everybody", "reviewed", "approved", "staff"],
    DisplayedScore: ["steady", "average"],
}

/// Takes the form field whose name is the environment variable in lower case.
fn take<T: Field>(
    fields: &mut Fields,
    changes: &mut Vec<Change>,
    variable: &'static str,
    text: impl Fn(T) -> String,
) -> Option<()> {
    let input = fields.take_optional::<OptionalField<T>>(&variable.to_ascii_lowercase())?;
    changes.extend(input.map(|OptionalField(input)| (variable, input.map(text))));
    Some(())
}

fn take_choice<T: Field + Into<&'static str>>(
    fields: &mut Fields,
    changes: &mut Vec<Change>,
    variable: &'static str,
) -> Option<()> {
    take(fields, changes, variable, |choice: T| choice.into().to_owned())
}

impl FormInput for SettingsInput {
    fn read(fields: &mut Fields) -> Option<Self> {
        let changes = &mut Vec::new();
        let texts = [
            take(fields, changes, "SITE_NAME", |name: Line<MAX_NAME_CHARS>| name.0),
            take(fields, changes, "SITE_DESCRIPTION", |text: Line<MAX_DESCRIPTION_CHARS>| text.0),
            take(fields, changes, "SITE_MENU", |menu: Menu| menu.0),
            take(fields, changes, "FOOTER_MENU", |menu: Menu| menu.0),
            take(fields, changes, "SITE_FOOTER", |footer: Footer| footer.0),
            take(fields, changes, "ACCENT_COLOR", |color: Color| color.to_string()),
            take(fields, changes, "SITE_LANGUAGE", |language: Language| language.tag().to_owned()),
            take(fields, changes, "SITE_TIME_ZONE", |zone: DisplayTimeZone| zone.name().to_owned()),
            take_choice::<RegistrationPolicy>(fields, changes, "REGISTRATION"),
            take_choice::<PublishingPolicy>(fields, changes, "PUBLISHING"),
            take_choice::<DisplayedScore>(fields, changes, "SCORE_SHOWN"),
        ];
        let hours = fields.take_optional::<OptionalField<IntegerUpTo<MAX_HOURS>>>("min_account_age_hours");
        let confirmed_email = fields.take_optional::<YesOrNo>("confirmed_email");
        let seen = fields.take_optional::<NonEmptyText>("seen")?.map(|NonEmptyText(seen)| seen);
        let (hours, confirmed_email) = (hours?, confirmed_email?.map(|YesOrNo(is_required)| is_required));
        let hours = hours.map(|OptionalField(hours)| hours.map_or(0, |IntegerUpTo(hours)| hours.unsigned_abs()));
        texts.iter().all(Option::is_some).then(|| Self {
            seen,
            changes: std::mem::take(changes),
            min_account_age_hours: hours,
            confirmed_email,
        })
    }
}

/// Maximum number of pages that the form offers for menus.
const MAX_PAGES: i64 = 20;
const MAX_HOURS: i32 = RatingEligibility::MAX_HOURS.cast_signed();

impl SettingsInput {
    /// Returns settings that differ from the current settings. Omitted requirements for ratings stay unchanged.
    fn into_changes(self, site: &Site) -> Vec<Change> {
        let Self { mut changes, min_account_age_hours, confirmed_email, .. } = self;
        let (current, default) = (SiteSettingsData::new(site), SiteSettingsData::new(&Site::default()));
        for (name, value) in &mut changes {
            *value = value.take().filter(|value| value != default.value(name));
        }
        changes.retain(|(name, value)| value.as_deref().unwrap_or(default.value(name)) != current.value(name));
        if min_account_age_hours.is_some() || confirmed_email.is_some() {
            let before = site.current().policy.rating_eligibility;
            let eligibility = RatingEligibility {
                min_account_age_hours: min_account_age_hours.unwrap_or(before.min_account_age_hours),
                confirmed_email: confirmed_email.unwrap_or(before.confirmed_email),
            };
            if eligibility != before {
                changes.push(("RATING_ELIGIBILITY", (!eligibility.is_everybody()).then(|| eligibility.to_string())));
            }
        }
        changes
    }
}

/// Settings of the site. Empty texts stand for the default.
#[derive(Debug, JsonSchema, Serialize)]
pub struct SiteSettingsData {
    site_name: String,
    site_description: String,
    /// One entry per line: a text and a URL.
    site_menu: String,
    footer_menu: String,
    /// Footer in Markdown.
    site_footer: String,
    accent_color: String,
    site_language: String,
    site_time_zone: String,
    /// `open`, `invite` or `closed`.
    registration: &'static str,
    /// `everybody`, `reviewed`, `approved` or `staff`.
    publishing: &'static str,
    /// Minimum age of accounts that may rate, in hours; `None` without a minimum.
    min_account_age_hours: Option<u32>,
    /// `true` if only accounts with a confirmed email address may rate.
    confirmed_email: bool,
    /// `steady` or `average`.
    score_shown: &'static str,
    /// Names of environment variables that are set, whose settings cannot be changed on this page.
    environment: Vec<&'static str>,
    /// Hash of the settings, to send back with a change.
    seen: String,
}

impl SiteSettingsData {
    fn new(site: &Site) -> Self {
        let (settings, text) = (site.current(), |name| site.value(name).unwrap_or_default());
        let eligibility = settings.policy.rating_eligibility;
        Self {
            site_name: text("SITE_NAME"),
            site_description: text("SITE_DESCRIPTION"),
            site_menu: text("SITE_MENU"),
            footer_menu: text("FOOTER_MENU"),
            site_footer: text("SITE_FOOTER"),
            accent_color: text("ACCENT_COLOR"),
            site_language: settings.language.tag().to_owned(),
            site_time_zone: settings.zone.name().to_owned(),
            registration: settings.policy.registration.into(),
            publishing: settings.policy.publishing.into(),
            min_account_age_hours: Some(eligibility.min_account_age_hours).filter(|hours| *hours > 0),
            confirmed_email: eligibility.confirmed_email,
            score_shown: settings.score_shown.into(),
            environment: NAMES.into_iter().filter(|name| site.is_from_environment(name)).collect(),
            seen: content_hash(format!("{:?}", NAMES.map(text))),
        }
    }

    /// Value of a setting other than `RATING_ELIGIBILITY`.
    fn value(&self, name: &str) -> &str {
        match name {
            "SITE_NAME" => &self.site_name,
            "SITE_DESCRIPTION" => &self.site_description,
            "SITE_MENU" => &self.site_menu,
            "FOOTER_MENU" => &self.footer_menu,
            "SITE_FOOTER" => &self.site_footer,
            "ACCENT_COLOR" => &self.accent_color,
            "SITE_LANGUAGE" => &self.site_language,
            "SITE_TIME_ZONE" => &self.site_time_zone,
            "REGISTRATION" => self.registration,
            "PUBLISHING" => self.publishing,
            _ => self.score_shown,
        }
    }
}

#[derive(Template)]
#[template(path = "admin/settings.html")]
pub struct SettingsPage {
    layout: Layout,
    form: Form,
    data: SiteSettingsData,
    /// Latest published pages, which the owner can add to a menu: title and path.
    pages: Vec<(String, String)>,
    /// `false` if the site sends no email, so that no email address can be confirmed.
    has_mail: bool,
}

page!(SettingsPage, data: SiteSettingsData);

impl SettingsPage {
    async fn load(state: &AppState, layout: Layout, rejected: Option<Form>) -> sqlx::Result<Self> {
        let data = SiteSettingsData::new(&state.settings.site);
        let hours = data.min_account_age_hours.map(|hours| hours.to_string());
        let form = rejected.unwrap_or_else(|| {
            Form::prefilled(&[
                ("site_name", &data.site_name),
                ("site_description", &data.site_description),
                ("site_menu", &data.site_menu),
                ("footer_menu", &data.footer_menu),
                ("site_footer", &data.site_footer),
                ("accent_color", &data.accent_color),
                ("site_language", &data.site_language),
                ("site_time_zone", &data.site_time_zone),
                ("registration", data.registration),
                ("publishing", data.publishing),
                ("min_account_age_hours", hours.as_deref().unwrap_or_default()),
                ("confirmed_email", if data.confirmed_email { "true" } else { "false" }),
                ("score_shown", data.score_shown),
            ])
        });
        let pages = list_pages(&state.pool).await?;
        Ok(Self { layout, form, data, pages, has_mail: state.all_settings.mail.is_some() })
    }

    fn is_fixed(&self, variable: &str) -> bool {
        self.data.environment.contains(&variable)
    }
}

pub async fn show(layout: Layout, state: web::Data<AppState>) -> Result<PageResponse<SettingsPage>, AppError> {
    Ok(PageResponse::new(SettingsPage::load(&state, layout, None).await?))
}

async fn list_pages(pool: &PgPool) -> sqlx::Result<Vec<(String, String)>> {
    let rows = sqlx::query!(
        "select id, title, own_slug from blog_posts where is_page and status = 'published'
        order by published_at desc, id desc limit $1",
        MAX_PAGES,
    );
    let rows = rows.fetch_all(pool).await?.into_iter();
    let entry = |title: &str| title.replace(';', ",").chars().take(MenuEntry::MAX_TEXT_CHARS).collect();
    Ok(rows.map(|row| (entry(&row.title), post_path(PostId(row.id), &row.title, row.own_slug.as_deref()))).collect())
}

pub async fn change(
    payload: Payload<SettingsInput>,
    user: CurrentUser,
    layout: Layout,
    state: web::Data<AppState>,
) -> Result<FormResponse<SiteSettingsData, SettingsPage>, AppError> {
    let act = async |input: SettingsInput| {
        // Reloads the settings, because another instance may have changed a setting within the last second.
        state.settings.site.reload(&state.pool).await?;
        if input.seen.as_ref().is_some_and(|seen| *seen != SiteSettingsData::new(&state.settings.site).seen) {
            return Err(SettingsChanged.into());
        }
        let changes = input.into_changes(&state.settings.site);
        check(&changes, &state)?;
        let (by, stored) = (user.clone(), changes.clone());
        let save = async move |connection: &mut PgConnection, state: &CoreState| {
            for (name, value) in stored {
                site::store(connection, name, value.as_deref()).await?;
                let details = json!({ "setting": name, "before": state.settings.site.value(name), "after": value });
                let entry = NewEntry::new(AuditAction::ChangeSetting).with_details(details);
                entry.insert(&by, connection, &state.clock).await?;
            }
            Ok(())
        };
        state.transaction(save).await?;
        apply(&state, &changes).await;
        let names: Vec<&str> = changes.iter().map(|(name, _)| *name).collect();
        tracing::info!(user_id = user.id.0, settings = names.join(" "), "site settings changed");
        let message = if changes.is_empty() { phrase!("done-settings-unchanged") } else { phrase!("done-settings") };
        Ok(ActionResult::new(SiteSettingsData::new(&state.settings.site), urls::SITE_SETTINGS.pattern)
            .with_message(message))
    };
    let page = async |form, _: &AppError| SettingsPage::load(&state, layout, Some(form)).await.ok();
    handle_form(payload, act, page).await
}

fn check(changes: &[Change], state: &AppState) -> Result<(), AppError> {
    for (name, value) in changes {
        let field = match *name {
            "RATING_ELIGIBILITY" => "confirmed_email".to_owned(),
            name => name.to_ascii_lowercase(),
        };
        if state.settings.site.is_from_environment(name) {
            return Err(AppError::invalid_field(&field, phrase!("invalid-from-environment", variable = *name)));
        }
        let needs_mail = *name == "RATING_ELIGIBILITY" && value.as_ref().is_some_and(|value| value.contains("email"));
        if needs_mail && state.all_settings.mail.is_none() {
            return Err(AppError::invalid_field(&field, phrase!("invalid-no-mail")));
        }
    }
    Ok(())
}

async fn apply(state: &web::Data<AppState>, changes: &[Change]) {
    // If the database is unavailable, the periodic reload applies the committed changes.
    if let Err(error) = state.settings.site.reload(&state.pool).await {
        tracing::warn!(error = db::describe_error(&error), "site settings not read; will be retried");
    }
    state.page_cache.invalidate();
    if changes.iter().any(|(name, _)| *name == "SCORE_SHOWN") {
        // Lists that are sorted by the score are slower until this task has built the index.
        let state = state.clone();
        tokio::spawn(async move {
            let shown = state.site().score_shown;
            match db::rebuild_score_index(&state.all_settings.database, &state.pool, shown).await {
                Ok(()) => tracing::info!("index of the displayed score built"),
                Err(error) => tracing::warn!(error = format!("{error:#}"), "index of the displayed score not built"),
            }
        });
    }
}
