//! Values of the settings in the form and in JSON.

use schemars::JsonSchema;
use serde::Serialize;

use crate::site::{NAMES, Site};
use crate::text::content_hash;

/// Settings of the site. Empty texts stand for the default.
#[derive(Debug, JsonSchema, Serialize)]
pub struct SiteSettingsData {
    pub site_name: String,
    pub site_description: String,
    /// Path of the uploaded image, or of the file that the environment variable names.
    pub site_logo: String,
    pub site_icon: String,
    /// One entry per line: a text and a URL.
    pub site_menu: String,
    pub footer_menu: String,
    /// Footer in Markdown.
    pub site_footer: String,
    pub accent_color: String,
    pub site_language: String,
    pub site_time_zone: String,
    /// `open`, `invite` or `closed`.
    pub registration: &'static str,
    /// `everybody`, `reviewed`, `approved` or `staff`.
    pub publishing: &'static str,
    /// Minimum age of accounts that may rate, in hours; `None` without a minimum.
    pub min_account_age_hours: Option<u32>,
    /// `true` if only accounts with a confirmed email address may rate.
    pub confirmed_email: bool,
    /// `steady` or `average`.
    pub score_shown: &'static str,
    /// Names of environment variables that are set, whose settings cannot be changed on this page.
    pub environment: Vec<&'static str>,
    /// Hash of the settings, to send back with a change.
    pub seen: String,
}

impl SiteSettingsData {
    pub fn new(site: &Site) -> Self {
        let (settings, text) = (site.current(), |name| site.value(name).unwrap_or_default());
        let eligibility = settings.policy.rating_eligibility;
        Self {
            site_name: text("SITE_NAME"),
            site_description: text("SITE_DESCRIPTION"),
            site_logo: text("SITE_LOGO"),
            site_icon: text("SITE_ICON"),
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
    pub fn value(&self, name: &str) -> &str {
        match name {
            "SITE_NAME" => &self.site_name,
            "SITE_DESCRIPTION" => &self.site_description,
            "SITE_LOGO" => &self.site_logo,
            "SITE_ICON" => &self.site_icon,
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
