//! Site settings, which the owner changes in the browser. An environment variable of the same name takes precedence.

pub mod accent;
pub mod menu;
pub mod policy;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::{self, Debug};
use std::path::Path;
use std::sync::{Arc, PoisonError, RwLock};

use evenkeel_markdown::image_name::ImageName;
use sqlx::{PgConnection, PgExecutor};
use tokio::sync::Mutex;

use self::accent::{Color, Theme};
use self::menu::MenuEntry;
use self::policy::SitePolicy;
use crate::config::{Env, InvalidSetting};
use crate::i18n::{DisplayTimeZone, Language, Locale};
use crate::phrase;
use crate::score::DisplayedScore;
use crate::text::{content_hash, to_single_line};

/// Settings that can be stored in the table `site_settings`, by the name of their environment variable.
pub const NAMES: [&str; 14] = [
    "SITE_NAME",
    "SITE_DESCRIPTION",
    "SITE_LOGO",
    "SITE_ICON",
    "SITE_MENU",
    "FOOTER_MENU",
    "SITE_FOOTER",
    "ACCENT_COLOR",
    "SITE_LANGUAGE",
    "SITE_TIME_ZONE",
    "REGISTRATION",
    "PUBLISHING",
    "RATING_ELIGIBILITY",
    "SCORE_SHOWN",
];

/// Settings that are images. The files that their environment variables name are read only at start-up.
pub const IMAGES: [&str; 2] = ["SITE_LOGO", "SITE_ICON"];

pub const MAX_NAME_CHARS: usize = 60;
pub const MAX_DESCRIPTION_CHARS: usize = 300;
pub const MAX_FOOTER_CHARS: usize = 2_000;

const NAME: &str = "Evenkeel";
/// Maximum size of the logo in bytes. The limit is low, because every page displays the logo.
const MAX_LOGO_BYTES: usize = 256 * 1024;

#[derive(Clone, Debug)]
pub struct SiteSettings {
    pub name: String,
    /// One or two sentences for the front page, search engines and feeds. `None` selects the default text.
    pub description: Option<String>,
    pub menu: Vec<MenuEntry>,
    pub footer_menu: Vec<MenuEntry>,
    /// Text at the bottom of every page, in HTML.
    pub footer: Option<String>,
    pub theme: Option<Theme>,
    pub language: Language,
    pub zone: DisplayTimeZone,
    pub logo: Option<SiteImage>,
    /// Icon in browser tabs and on home screens.
    pub icon: Option<SiteImage>,
    pub policy: SitePolicy,
    pub score_shown: DisplayedScore,
}

/// Logo or icon.
#[derive(Clone, Debug)]
pub enum SiteImage {
    /// Image that the owner uploaded in the browser.
    Uploaded(ImageName),
    /// File that an environment variable names.
    File(SiteFile),
}

#[derive(Clone)]
pub struct SiteFile {
    pub content_type: &'static str,
    pub bytes: Vec<u8>,
    pub hash: String,
}

impl Debug for SiteFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SiteFile({}, {} bytes)", self.content_type, self.bytes.len())
    }
}

impl Default for SiteSettings {
    fn default() -> Self {
        Self {
            name: NAME.to_owned(),
            description: None,
            menu: Vec::new(),
            footer_menu: Vec::new(),
            footer: None,
            theme: None,
            language: Language::default(),
            zone: DisplayTimeZone::default(),
            logo: None,
            icon: None,
            policy: SitePolicy::default(),
            score_shown: DisplayedScore::default(),
        }
    }
}

impl SiteSettings {
    pub fn from_env(env: &Env) -> Result<Self, InvalidSetting> {
        let line = |variable, most: usize| {
            let Some(text) = env.get(variable)?.map(to_single_line) else { return Ok(None) };
            let fits = (1..=most).contains(&text.chars().count());
            if fits {
                Ok(Some(text))
            } else {
                Err(env.invalid_setting(variable, &format!("a text of 1 to {most} characters")))
            }
        };
        let menu = |variable| {
            let allowed = "at most 8 entries, separated by semicolons: each a text and a URL, such as About /blogs/3/";
            let entries = MenuEntry::parse_all(env.get(variable)?.unwrap_or_default());
            entries.map_err(|_| env.invalid_setting(variable, allowed))
        };
        let footer = env.get("SITE_FOOTER")?;
        if footer.is_some_and(|footer| footer.chars().count() > MAX_FOOTER_CHARS) {
            let allowed = format!("a Markdown text of at most {MAX_FOOTER_CHARS} characters");
            return Err(env.invalid_setting("SITE_FOOTER", &allowed));
        }
        let tags: Vec<&str> = Language::all().map(Language::tag).collect();
        let languages = format!("one of {}", tags.join(", "));
        Ok(Self {
            name: line("SITE_NAME", MAX_NAME_CHARS)?.unwrap_or_else(|| NAME.to_owned()),
            description: line("SITE_DESCRIPTION", MAX_DESCRIPTION_CHARS)?,
            menu: menu("SITE_MENU")?,
            footer_menu: menu("FOOTER_MENU")?,
            footer: footer.map(render_footer),
            theme: env.parse::<Color>("ACCENT_COLOR", "a color such as #0b5573")?.map(Theme::from),
            language: env.parse("SITE_LANGUAGE", &languages)?.unwrap_or_default(),
            zone: env.parse("SITE_TIME_ZONE", "a time zone such as Europe/Berlin or UTC")?.unwrap_or_default(),
            logo: SiteImage::from_env(env, "SITE_LOGO")?,
            icon: SiteImage::from_env(env, "SITE_ICON")?,
            policy: SitePolicy::from_env(env)?,
            score_shown: DisplayedScore::from_env(env)?,
        })
    }

    pub fn description(&self, locale: Locale) -> Cow<'_, str> {
        let own = self.description.as_deref().map(Cow::Borrowed);
        own.unwrap_or_else(|| phrase!("site-description").translate_to_text(locale))
    }
}

/// Renders Markdown. Search engines follow the links, because the owner wrote them.
fn render_footer(source: &str) -> String {
    let [user_links, staff_links] = evenkeel_markdown::LINK_ENDS;
    evenkeel_markdown::render(source).html.replace(user_links, staff_links)
}

impl SiteImage {
    fn from_env(env: &Env, variable: &'static str) -> Result<Option<Self>, InvalidSetting> {
        let Some(path) = env.get(variable)? else { return Ok(None) };
        match ImageName::from_path(path) {
            Some(name) => Ok(Some(Self::Uploaded(name))),
            None => SiteFile::read(variable, Path::new(path)).map(|file| Some(Self::File(file))),
        }
    }

    pub fn file(&self) -> Option<&SiteFile> {
        if let Self::File(file) = self { Some(file) } else { None }
    }
}

impl SiteFile {
    fn read(variable: &'static str, path: &Path) -> Result<Self, InvalidSetting> {
        let invalid = |problem: String| InvalidSetting::new(variable, problem);
        let content_type = match path.extension().and_then(|extension| extension.to_str()) {
            Some("svg") => "image/svg+xml; charset=utf-8",
            Some("png") => "image/png",
            Some("webp") => "image/webp",
            _ => return Err(invalid("must be the path of a file that ends with .svg, .png or .webp".to_owned())),
        };
        let bytes = std::fs::read(path).map_err(|error| invalid(format!("cannot be read: {error}")))?;
        if bytes.len() > MAX_LOGO_BYTES {
            return Err(invalid(format!("must be a file of at most {MAX_LOGO_BYTES} bytes")));
        }
        Ok(Self { content_type, hash: content_hash(&bytes), bytes })
    }
}

/// Values of stored settings, by name.
pub type StoredValues = BTreeMap<String, String>;

/// Settings of the running site. All workers and tasks of an instance share them.
#[derive(Default)]
pub struct Site {
    /// Environment variables that are set, by name.
    environment: BTreeMap<&'static str, String>,
    current: RwLock<(StoredValues, Arc<SiteSettings>)>,
    /// Held while the rows are read, so that an older state never replaces a newer state.
    reloading: Mutex<()>,
}

impl Debug for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.current().fmt(f)
    }
}

impl Site {
    pub fn from_env(env: &Env) -> Result<Self, InvalidSetting> {
        let settings = SiteSettings::from_env(env)?;
        let value = |name| Ok(env.get(name)?.map(|value| (name, value.to_owned())));
        let set =
            NAMES.into_iter().filter_map(|name| value(name).transpose()).collect::<Result<_, InvalidSetting>>()?;
        Ok(Self {
            environment: set,
            current: RwLock::new((StoredValues::new(), Arc::new(settings))),
            reloading: Mutex::default(),
        })
    }

    pub fn current(&self) -> Arc<SiteSettings> {
        self.current.read().unwrap_or_else(PoisonError::into_inner).1.clone()
    }

    pub fn is_from_environment(&self, name: &str) -> bool {
        self.environment.contains_key(name)
    }

    /// Value in effect, as in an environment variable; `None` for the default.
    pub fn value(&self, name: &str) -> Option<String> {
        let stored = || self.current.read().unwrap_or_else(PoisonError::into_inner).0.get(name).cloned();
        self.environment.get(name).cloned().or_else(stored)
    }

    /// Reads the stored settings. Returns true if a setting has changed.
    pub async fn reload(&self, executor: impl PgExecutor<'_>) -> sqlx::Result<bool> {
        let _reloading = self.reloading.lock().await;
        let rows = sqlx::query!("select name, value from site_settings").fetch_all(executor).await?;
        let stored: StoredValues = rows.into_iter().map(|row| (row.name, row.value)).collect();
        if self.current.read().unwrap_or_else(PoisonError::into_inner).0 == stored {
            return Ok(false);
        }
        let settings = Arc::new(self.read(stored.clone()));
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = (stored, settings);
        Ok(true)
    }

    /// Ignores stored values of another version that are invalid here. The file of the logo is read only at start-up.
    fn read(&self, mut stored: StoredValues) -> SiteSettings {
        loop {
            let environment = self
                .environment
                .iter()
                .filter(|(name, _)| !IMAGES.contains(name))
                .map(|(name, value)| ((*name).to_owned(), value.clone()));
            let env: Env = stored.clone().into_iter().chain(environment).collect();
            match SiteSettings::from_env(&env) {
                Ok(settings) => {
                    let before = self.current();
                    let kept = |name, before: &Option<SiteImage>, now| {
                        if self.is_from_environment(name) { before.clone() } else { now }
                    };
                    return SiteSettings {
                        logo: kept("SITE_LOGO", &before.logo, settings.logo),
                        icon: kept("SITE_ICON", &before.icon, settings.icon),
                        ..settings
                    };
                }
                Err(error) if stored.remove(&error.variable).is_some() => {
                    tracing::warn!(%error, "stored setting ignored");
                }
                Err(_) => return SiteSettings::default(),
            }
        }
    }
}

/// Stores a value as in an environment variable, or removes it, so that the default applies.
pub async fn store(connection: &mut PgConnection, name: &str, value: Option<&str>) -> sqlx::Result<()> {
    match value {
        Some(value) => {
            let insert = sqlx::query!(
                "insert into site_settings (name, value) values ($1, $2)
                on conflict (name) do update set value = excluded.value",
                name,
                value,
            );
            insert.execute(connection).await?;
        }
        None => {
            sqlx::query!("delete from site_settings where name = $1", name).execute(connection).await?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(variables: &[(&str, &str)]) -> Result<SiteSettings, String> {
        SiteSettings::from_env(&variables.iter().copied().collect()).map_err(|error| error.to_string())
    }

    #[test]
    fn reads_the_identity_from_the_environment() {
        let site =
            read(&[("SITE_NAME", "Heron & Sons"), ("SITE_FOOTER", "[Imprint](https://heron.example/)")]).unwrap();
        assert_eq!(site.name, "Heron & Sons");
        let footer = site.footer.unwrap();
        assert!(footer.contains("href=\"https://heron.example/\""), "{footer}");
        assert_eq!(read(&[]).unwrap().name, "Evenkeel");
        assert!(read(&[("SITE_NAME", &"x".repeat(61))]).unwrap_err().contains("1 to 60 characters"));
        assert!(read(&[("SITE_LOGO", "logo.gif")]).unwrap_err().contains(".svg, .png or .webp"));
        assert!(read(&[("SITE_LOGO", "/nowhere/logo.svg")]).unwrap_err().contains("cannot be read"));
    }
}
