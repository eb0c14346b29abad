//! Site name, logo and other branding.

use std::borrow::Cow;
use std::path::Path;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};

use crate::config::{Env, InvalidSetting};
use crate::i18n::{DisplayTimeZone, Language, Locale};
use crate::phrase;
use crate::text::to_single_line;

const NAME: &str = "Evenkeel";
/// Maximum size of the logo in bytes. The limit is low, because every page displays the logo.
const MAX_LOGO_BYTES: usize = 256 * 1024;

#[derive(Clone, Debug)]
pub struct SiteIdentity {
    pub name: String,
    /// One or two sentences for the front page, search engines and feeds. `None` selects the default text.
    pub description: Option<String>,
    pub footer: Option<String>,
    pub language: Language,
    pub zone: DisplayTimeZone,
    pub logo: Option<Logo>,
}

#[derive(Clone)]
pub struct Logo {
    pub content_type: &'static str,
    pub bytes: Vec<u8>,
    /// Prefix of the SHA-256 hash of the file.
    pub hash: String,
}

impl std::fmt::Debug for Logo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Logo({}, {} bytes)", self.content_type, self.bytes.len())
    }
}

impl Default for SiteIdentity {
    fn default() -> Self {
        Self {
            name: NAME.to_owned(),
            description: None,
            footer: None,
            language: Language::default(),
            zone: DisplayTimeZone::default(),
            logo: None,
        }
    }
}

impl SiteIdentity {
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
        let footer = env.get("SITE_FOOTER")?;
        if footer.is_some_and(|footer| footer.chars().count() > 2_000) {
            return Err(env.invalid_setting("SITE_FOOTER", "a Markdown text of at most 2000 characters"));
        }
        let tags: Vec<&str> = Language::all().map(Language::tag).collect();
        let languages = format!("one of {}", tags.join(", "));
        Ok(Self {
            name: line("SITE_NAME", 60)?.unwrap_or_else(|| NAME.to_owned()),
            description: line("SITE_DESCRIPTION", 300)?,
            footer: footer.map(|footer| evenkeel_markdown::render(footer).html),
            language: env.parse("SITE_LANGUAGE", &languages)?.unwrap_or_default(),
            zone: env.parse("SITE_TIME_ZONE", "a time zone such as Europe/Berlin or UTC")?.unwrap_or_default(),
            logo: env.get("SITE_LOGO")?.map(|path| Logo::read(Path::new(path))).transpose()?,
        })
    }

    pub fn description(&self, locale: Locale) -> Cow<'_, str> {
        let own = self.description.as_deref().map(Cow::Borrowed);
        own.unwrap_or_else(|| phrase!("site-description").translate_to_text(locale))
    }
}

impl Logo {
    /// File name below `/static/`.
    pub const NAME: &str = "logo";

    fn read(path: &Path) -> Result<Self, InvalidSetting> {
        let invalid = |problem: String| InvalidSetting::new("SITE_LOGO", problem);
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
        let hash = BASE64_URL_SAFE_NO_PAD.encode(&Sha256::digest(&bytes)[..12]);
        Ok(Self { content_type, bytes, hash })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(variables: &[(&str, &str)]) -> Result<SiteIdentity, String> {
        SiteIdentity::from_env(&variables.iter().copied().collect()).map_err(|error| error.to_string())
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
