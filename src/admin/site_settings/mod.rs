//! Admin page of the site settings, which owners change in the browser.

mod images;
mod input;
mod values;

use actix_web::web;
use askama::Template;
use serde_json::json;
use sqlx::{PgConnection, PgPool};

use self::images::{save_image, store_images};
use self::input::{Change, SettingsInput};
use self::values::SiteSettingsData;
use super::urls;
use crate::audit_log::{AuditAction, NewEntry};
use crate::blog_posts::models::PostId;
use crate::blog_posts::sidebar::list_frequent_tags;
use crate::blog_posts::urls::{POST_LIST, post_path};
use crate::db;
use crate::i18n::{Language, filters};
use crate::site;
use crate::site::menu::MenuEntry;
use crate::state::AppState;
use crate::text::encode_query_value;
use crate::web::error::{AppError, ErrorText, FeatureError, error_text};
use crate::web::request::body::Payload;
use crate::web::request::current_user::CurrentUser;
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

/// Maximum number of pages, and of tags, that the form offers for menus.
const MAX_PAGES: i64 = 12;
const MAX_TAGS: i64 = 8;

#[derive(Template)]
#[template(path = "admin/settings.html")]
pub struct SettingsPage {
    layout: Layout,
    form: Form,
    data: SiteSettingsData,
    /// Pages and frequent tags, which the owner can add to a menu: text of the button, and line of the menu.
    links: Vec<(String, String)>,
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
        let links = list_links(&state.pool, layout.locale.language).await?;
        Ok(Self { layout, form, data, links, has_mail: state.all_settings.mail.is_some() })
    }

    fn is_fixed(&self, variable: &str) -> bool {
        self.data.environment.contains(&variable)
    }
}

pub async fn show(layout: Layout, state: web::Data<AppState>) -> Result<PageResponse<SettingsPage>, AppError> {
    Ok(PageResponse::new(SettingsPage::load(&state, layout, None).await?))
}

async fn list_links(pool: &PgPool, language: Language) -> sqlx::Result<Vec<(String, String)>> {
    let rows = sqlx::query!(
        "select id, title, own_slug from blog_posts where is_page and status = 'published'
        order by published_at desc, id desc limit $1",
        MAX_PAGES,
    );
    let pages = rows.fetch_all(pool).await?.into_iter().map(|row| {
        let text: String = row.title.replace(';', ",").chars().take(MenuEntry::MAX_TEXT_CHARS).collect();
        let line = format!("{text} {}", post_path(PostId(row.id), &row.title, row.own_slug.as_deref()));
        (text, line)
    });
    let tags = list_frequent_tags(pool, language, MAX_TAGS).await?.tags.into_iter().map(|tag| {
        let line = format!("{tag} {}?tag={}", POST_LIST.pattern, encode_query_value(&tag));
        (format!("#{tag}"), line)
    });
    Ok(pages.chain(tags).collect())
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
        let input = store_images(&state, &user, input).await?;
        let changes = input.into_changes(&state.settings.site);
        check(&changes, &state)?;
        let (by, stored) = (user.clone(), changes.clone());
        let save = async move |connection: &mut PgConnection, state: &CoreState| {
            for (name, value) in stored {
                site::store(connection, name, value.as_deref()).await?;
                save_image(connection, by.id, name, value.as_deref()).await?;
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
