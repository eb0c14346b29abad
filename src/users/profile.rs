//! What people say of themselves: a name to be shown, a text, a link, and their time zone.

use actix_web::http::StatusCode;
use actix_web::{Responder, web};
use askama::Template;
use url::Url;

use super::models::{self, Profile};
use super::names::DisplayName;
use super::urls;
use crate::page;
use crate::web::error::AppError;
use crate::web::field::{Field, Fields, Input, Optional};
use crate::web::form::Form;
use crate::web::format::Format;
use crate::web::layout::Layout;
use crate::web::payload::Payload;
use crate::web::state::AppState;
use crate::web::view::{Answer, Done, View, submit};
use crate::web::visitor::CurrentUser;
use crate::web::zone::Zone;

#[derive(Template)]
#[template(path = "users/profile.html")]
pub struct ProfilePage {
    layout: Layout,
    form: Form,
}

page!(ProfilePage, form: Form);

/// Markdown of at most 2,000 characters.
#[derive(Clone, Debug)]
pub struct About(String);

impl Field for About {
    fn from_text(text: &str) -> Result<Self, String> {
        match text.chars().count() {
            ..=2_000 => Ok(Self(text.trim().to_owned())),
            count => Err(format!("Use at most 2000 characters; these are {count}.")),
        }
    }
}

/// An address on the web, of at most 500 bytes.
#[derive(Clone, Debug)]
pub struct Website(String);

impl Field for Website {
    fn from_text(text: &str) -> Result<Self, String> {
        let url = Url::parse(text.trim()).ok().filter(|url| ["https", "http"].contains(&url.scheme()));
        let url = url.filter(|url| url.username().is_empty() && url.password().is_none()).map(String::from);
        url.filter(|url| url.len() <= 500).map(Self).ok_or_else(|| {
            "Use an address that begins with https:// or http:// and has no user's name in it, at most 500 bytes long."
                .to_owned()
        })
    }
}

/// A change: what is left out stays as it is, and what is empty is none.
#[derive(Debug)]
pub struct Change {
    display_name: Option<Optional<DisplayName>>,
    about: Option<Optional<About>>,
    link: Option<Optional<Website>>,
    time_zone: Option<Optional<Zone>>,
}

impl Input for Change {
    fn read(fields: &mut Fields) -> Option<Self> {
        let (display_name, about) = (fields.take_if_there("display_name"), fields.take_if_there("about"));
        let (link, time_zone) = (fields.take_if_there("link"), fields.take_if_there("time_zone"));
        Some(Self { display_name: display_name?, about: about?, link: link?, time_zone: time_zone? })
    }
}

impl Change {
    fn apply(&self, before: Profile) -> Profile {
        fn changed<T: Clone>(
            change: Option<&Optional<T>>,
            before: Option<String>,
            text: impl Fn(T) -> String,
        ) -> Option<String> {
            change.map_or(before, |Optional(value)| value.clone().map(text))
        }
        Profile {
            display_name: changed(self.display_name.as_ref(), before.display_name, |name| name.as_str().to_owned()),
            about: changed(self.about.as_ref(), before.about, |About(text)| text),
            link: changed(self.link.as_ref(), before.link, |Website(url)| url),
            time_zone: changed(self.time_zone.as_ref(), before.time_zone, |zone| zone.name().to_owned()),
        }
    }
}

pub async fn form(user: CurrentUser, layout: Layout, state: web::Data<AppState>) -> Result<impl Responder, AppError> {
    let profile = models::profile(&state.pool, user.id).await?;
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    let form = Form::of(&[
        ("display_name", &text(&profile.display_name)),
        ("about", &text(&profile.about)),
        ("link", &text(&profile.link)),
        ("time_zone", &text(&profile.time_zone)),
    ]);
    Ok(View::new(ProfilePage { layout, form }))
}

pub async fn change(
    payload: Payload<Change>,
    user: CurrentUser,
    (layout, format): (Layout, Format),
    state: web::Data<AppState>,
) -> Result<Answer<Profile, ProfilePage>, AppError> {
    let act = async |change: Change| {
        if let Some(Optional(Some(name))) = &change.display_name
            && models::is_like_another(&state.pool, user.id, name).await?
        {
            return Err(AppError::field(
                "display_name",
                "Somebody has a username that looks like this. Choose another.",
            ));
        }
        let profile = change.apply(models::profile(&state.pool, user.id).await?);
        models::set_profile(&state.pool, user.id, &profile).await?;
        state.pages.clear();
        tracing::info!(user_id = user.id.0, "profile changed");
        Ok(Done::new(StatusCode::OK, profile, urls::author(&user.username)).message("Your profile is saved."))
    };
    submit(payload, format, act, async |form, _| Some(ProfilePage { layout, form })).await
}
