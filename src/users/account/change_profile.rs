//! Change of the profile: display name, avatar, text about the user, link, language and time zone.

use std::collections::BTreeSet;

use actix_web::web;
use askama::Template;
use evenkeel_image_encoding::CropMode;
use evenkeel_markdown::image_name::ImageName;
use schemars::{JsonSchema as _, Schema, json_schema};
use sqlx::PgConnection;
use url::Url;

use crate::i18n::{DisplayTimeZone, Language, Phrase, filters};
use crate::images::image_change::ImageChange;
use crate::images::models::{ImageUse, is_owned_by, save_image_uses};
use crate::state::AppState;
use crate::users::models::{self, Profile};
use crate::users::urls;
use crate::users::username::DisplayName;
use crate::web::error::AppError;
use crate::web::request::body::Payload;
use crate::web::request::current_user::{CurrentUser, UserId};
use crate::web::request::form_field::{Field, Fields, FormInput, OptionalField, limit_chars};
use crate::web::response::form::Form;
use crate::web::response::layout::Layout;
use crate::web::response::view::{ActionResult, FormResponse, PageResponse, handle_form};
use crate::web::state::CoreState;
use crate::{page, phrase};

#[derive(Template)]
#[template(path = "users/profile.html")]
pub struct ProfilePage {
    layout: Layout,
    form: Form,
    avatar: Option<String>,
}

page!(ProfilePage, form: Form);

#[derive(Clone, Debug)]
pub struct AboutText(String);

impl Field for AboutText {
    fn from_text(text: &str) -> Result<Self, Phrase> {
        limit_chars(text.trim().to_owned(), 2_000).map(Self)
    }

    fn schema() -> Schema {
        json_schema!({ "type": "string", "maxLength": 2_000, "description": "Markdown" })
    }
}

#[derive(Clone, Debug)]
pub struct Website(String);

impl Field for Website {
    fn from_text(text: &str) -> Result<Self, Phrase> {
        let url = Url::parse(text.trim()).ok().filter(|url| ["https", "http"].contains(&url.scheme()));
        let url = url.filter(|url| url.username().is_empty() && url.password().is_none()).map(String::from);
        url.filter(|url| url.len() <= 500).map(Self).ok_or_else(|| phrase!("invalid-website"))
    }

    fn schema() -> Schema {
        json_schema!({ "type": "string", "format": "uri", "pattern": "^https?://", "maxLength": 500 })
    }
}

impl Field for DisplayTimeZone {
    fn from_text(text: &str) -> Result<Self, Phrase> {
        text.parse().map_err(|_| phrase!("invalid-zone"))
    }

    fn schema() -> Schema {
        json_schema!({ "type": "string", "description": "Name in the IANA time zone database, such as `Asia/Tehran`" })
    }
}

impl Field for Language {
    fn from_text(text: &str) -> Result<Self, Phrase> {
        text.parse().map_err(|languages: String| phrase!("invalid-language", languages = languages))
    }

    fn schema() -> Schema {
        Self::json_schema(&mut schemars::SchemaGenerator::default())
    }
}

#[derive(Debug)]
pub struct ProfileChange {
    avatar: ImageChange,
    fields: ProfileFields,
}

/// `None` leaves a field unchanged; an empty value clears the field.
#[derive(Debug)]
struct ProfileFields {
    display_name: Option<OptionalField<DisplayName>>,
    about: Option<OptionalField<AboutText>>,
    link: Option<OptionalField<Website>>,
    language: Option<OptionalField<Language>>,
    time_zone: Option<OptionalField<DisplayTimeZone>>,
}

impl FormInput for ProfileChange {
    const HAS_FILE: bool = true;

    fn read(fields: &mut Fields) -> Option<Self> {
        let avatar = fields.take_optional("avatar");
        let (display_name, about) = (fields.take_optional("display_name"), fields.take_optional("about"));
        let (link, language) = (fields.take_optional("link"), fields.take_optional("language"));
        let time_zone = fields.take_optional("time_zone");
        let avatar = avatar?.unwrap_or_default();
        let (display_name, about, link) = (display_name?, about?, link?);
        let fields = ProfileFields { display_name, about, link, language: language?, time_zone: time_zone? };
        Some(Self { avatar, fields })
    }
}

impl ProfileFields {
    fn apply(self, before: Profile, avatar: Option<OptionalField<ImageName>>) -> Profile {
        fn changed<T>(
            change: Option<OptionalField<T>>,
            before: Option<String>,
            text: impl Fn(T) -> String,
        ) -> Option<String> {
            change.map_or(before, |OptionalField(value)| value.map(text))
        }
        Profile {
            display_name: changed(self.display_name, before.display_name, |name| name.as_str().to_owned()),
            about: changed(self.about, before.about, |AboutText(text)| text),
            link: changed(self.link, before.link, |Website(url)| url),
            language: changed(self.language, before.language, |language| language.tag().to_owned()),
            time_zone: changed(self.time_zone, before.time_zone, |zone| zone.name().to_owned()),
            avatar: changed(avatar, before.avatar, |name| name.path()),
        }
    }
}

pub async fn profile_form(
    user: CurrentUser,
    layout: Layout,
    state: web::Data<AppState>,
) -> Result<PageResponse<ProfilePage>, AppError> {
    let profile = models::find_profile(&state.pool, user.id).await?;
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    let form = Form::prefilled(&[
        ("display_name", &text(&profile.display_name)),
        ("about", &text(&profile.about)),
        ("link", &text(&profile.link)),
        ("language", &text(&profile.language)),
        ("time_zone", &text(&profile.time_zone)),
    ]);
    Ok(PageResponse::new(ProfilePage { layout, form, avatar: profile.avatar }))
}

/// The user and the new avatar image stay locked until the transaction ends, so that concurrent changes of other fields
/// are kept, and the image cannot be deleted.
async fn save(
    connection: &mut PgConnection,
    user: UserId,
    fields: ProfileFields,
    avatar: Option<OptionalField<ImageName>>,
) -> Result<Profile, AppError> {
    models::lock_account_for_update(connection, user, None).await?;
    let before = models::find_profile(&mut *connection, user).await?;
    let profile = fields.apply(before, avatar.clone());
    set_profile(connection, user, &profile).await?;
    match avatar {
        Some(OptionalField(Some(name))) if !is_owned_by(connection, user, &name).await? => {
            Err(AppError::invalid_field("avatar", phrase!("invalid-no-such-image")))
        }
        _ => Ok(profile),
    }
}

async fn set_profile(connection: &mut PgConnection, UserId(id): UserId, profile: &Profile) -> sqlx::Result<()> {
    let Profile { display_name, about, link, language, time_zone, avatar } = profile;
    let set = sqlx::query!(
        "update users set display_name = $2, about = $3, link = $4, time_zone = $5, avatar = $6, language = $7
        where id = $1 and erased_at is null",
        id,
        display_name.as_ref(),
        about.as_ref(),
        link.as_ref(),
        time_zone.as_ref(),
        avatar.as_ref(),
        language.as_ref(),
    );
    if set.execute(&mut *connection).await?.rows_affected() == 1 {
        save_image_uses(connection, ImageUse::User(UserId(id)), None, &images(profile)).await?;
    }
    Ok(())
}

fn images(profile: &Profile) -> Vec<String> {
    let about = evenkeel_markdown::render(profile.about.as_deref().unwrap_or_default()).images;
    let avatar = profile.avatar.as_deref().and_then(ImageName::from_path);
    let names: BTreeSet<String> = about.iter().chain(&avatar).map(ToString::to_string).collect();
    names.into_iter().collect()
}

pub async fn change_profile(
    payload: Payload<ProfileChange>,
    user: CurrentUser,
    layout: Layout,
    state: web::Data<AppState>,
) -> Result<FormResponse<Profile, ProfilePage>, AppError> {
    let act = async |ProfileChange { avatar, fields }: ProfileChange| {
        if let Some(OptionalField(Some(name))) = &fields.display_name
            && models::looks_like_username(&state.pool, user.id, name).await?
        {
            return Err(AppError::invalid_field("display_name", phrase!("invalid-display-name-taken")));
        }
        let avatar = avatar.store(&state.images, user.id, "avatar", CropMode::Square).await?;
        let save =
            async move |connection: &mut PgConnection, _: &CoreState| save(connection, user.id, fields, avatar).await;
        let profile = state.transaction_then(save, |state, _| state.page_cache.invalidate()).await?;
        tracing::info!(user_id = user.id.0, "profile changed");
        Ok(ActionResult::new(profile, urls::author_path(&user.username)).with_message(phrase!("done-profile")))
    };
    let page = async |form, _: &AppError| {
        let avatar = models::find_profile(&state.pool, user.id).await.ok()?.avatar;
        Some(ProfilePage { layout, form, avatar })
    };
    handle_form(payload, act, page).await
}
