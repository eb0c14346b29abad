//! One-time messages: what an act achieved, told on the next page.
//!
//! They travel in a sealed cookie of their own, so that reading a page never writes to the session.

use actix_web::HttpRequest;
use actix_web::cookie::Cookie;
use actix_web::cookie::time::Duration;
use serde::{Deserialize, Serialize};

use crate::i18n::Phrase;
use crate::web::middleware::cookies::CookieName;
use crate::web::state::AppState;

/// Where on the next page a message stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum MessagePosition {
    /// On top.
    Top,
    /// Beside the stars of a post; on a page without them, on top.
    Stars,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Message {
    pub place: MessagePosition,
    pub text: Phrase,
    /// Where it leads on to.
    #[serde(default)]
    pub link: Option<Link>,
}

/// The path, and what is shown of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Link {
    pub path: String,
    pub text: Phrase,
}

impl Message {
    /// Whether it stands beside the stars, where a page has them.
    #[must_use]
    pub fn is_of_stars(&self) -> bool {
        self.place == MessagePosition::Stars
    }
}

/// Long enough for a redirect, short enough not to surprise anybody tomorrow.
const LIFETIME: Duration = Duration::minutes(5);

/// The purpose that messages are sealed for; see [`Keys::seal`](crate::signing::Keys::seal).
const PURPOSE: &str = "message";

/// The message for the page that answers `request`, if there is one.
#[must_use]
pub fn read(request: &HttpRequest, state: &AppState) -> Option<Message> {
    let cookie = request.cookie(CookieName::Message.name(state.settings.production))?;
    serde_json::from_slice(&state.keys.open(PURPOSE, cookie.value())?).ok()
}

/// The cookie that carries `message` to the next page.
#[must_use]
pub fn write(message: &Message, state: &AppState) -> Cookie<'static> {
    let message = serde_json::to_vec(message).unwrap_or_default();
    let mut cookie = cookie(state, state.keys.seal(PURPOSE, &message));
    cookie.set_max_age(LIFETIME);
    cookie
}

/// The cookie that takes a message away once it has been shown.
#[must_use]
pub fn remove(state: &AppState) -> Cookie<'static> {
    let mut cookie = cookie(state, String::new());
    cookie.make_removal();
    cookie
}

fn cookie(state: &AppState, value: String) -> Cookie<'static> {
    CookieName::Message.cookie(state.settings.production, value)
}
