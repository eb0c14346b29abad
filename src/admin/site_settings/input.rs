//! Fields of the settings form, and the settings that they change.

use schemars::{Schema, json_schema};

use super::values::SiteSettingsData;
use crate::i18n::{DisplayTimeZone, Language, Phrase};
use crate::images::image_change::ImageChange;
use crate::phrase;
use crate::score::DisplayedScore;
use crate::site::accent::Color;
use crate::site::menu::MenuEntry;
use crate::site::policy::{PublishingPolicy, RatingEligibility, RegistrationPolicy};
use crate::site::{MAX_DESCRIPTION_CHARS, MAX_FOOTER_CHARS, MAX_NAME_CHARS, Site};
use crate::text::to_single_line;
use crate::web::request::form_field::{
    Field, Fields, FormInput, IntegerUpTo, NonEmptyText, OptionalField, YesOrNo, limit_chars,
};

/// Name of the environment variable, and value to store; `None` for the default.
pub type Change = (&'static str, Option<String>);

#[derive(Debug)]
pub struct SettingsInput {
    /// Hash of the settings that the client has read.
    pub seen: Option<String>,
    pub changes: Vec<Change>,
    pub logo: ImageChange,
    pub icon: ImageChange,
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
    const HAS_FILE: bool = true;

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
        let (logo, icon) = (fields.take_optional("site_logo"), fields.take_optional("site_icon"));
        let hours = fields.take_optional::<OptionalField<IntegerUpTo<MAX_HOURS>>>("min_account_age_hours");
        let confirmed_email = fields.take_optional::<YesOrNo>("confirmed_email");
        let seen = fields.take_optional::<NonEmptyText>("seen")?.map(|NonEmptyText(seen)| seen);
        let (hours, confirmed_email) = (hours?, confirmed_email?.map(|YesOrNo(is_required)| is_required));
        let hours = hours.map(|OptionalField(hours)| hours.map_or(0, |IntegerUpTo(hours)| hours.unsigned_abs()));
        let (logo, icon) = (logo?.unwrap_or_default(), icon?.unwrap_or_default());
        texts.iter().all(Option::is_some).then(|| Self {
            seen,
            logo,
            icon,
            changes: std::mem::take(changes),
            min_account_age_hours: hours,
            confirmed_email,
        })
    }
}

const MAX_HOURS: i32 = RatingEligibility::MAX_HOURS.cast_signed();

impl SettingsInput {
    /// Returns settings that differ from the current settings. Omitted requirements for ratings stay unchanged.
    pub fn into_changes(self, site: &Site) -> Vec<Change> {
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
