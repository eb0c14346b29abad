//! One-time messages (flash messages) in a signed cookie, so that rendering a page never writes to the session.

use actix_web::HttpRequest;
use actix_web::cookie::Cookie;
use actix_web::cookie::time::Duration;
use serde::{Deserialize, Serialize};

use crate::i18n::Phrase;
use crate::web::request::cookies::CookieName;
use crate::web::state::CoreState;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum MessagePosition {
    Top,
    /// Beside the form that the message is about, or at the top of pages without this form.
    Inline,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Message {
    pub place: MessagePosition,
    pub text: Phrase,
    #[serde(default)]
    pub link: Option<MessageLink>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MessageLink {
    pub path: String,
    pub text: Phrase,
}

impl Message {
    pub fn is_inline(&self) -> bool {
        self.place == MessagePosition::Inline
    }
}

/// Lifetime of the cookie: long enough for a redirect, too short for an outdated message to appear later.
const LIFETIME: Duration = Duration::minutes(5);
/// Maximum size of a message: browsers drop cookies of more than 4 KiB, and signature and base64 take a third.
const MAX_BYTES: usize = 2_500;
const PURPOSE: &str = "message";

pub fn read(request: &HttpRequest, state: &CoreState) -> Option<Message> {
    let cookie = request.cookie(CookieName::Message.name(state.settings.production))?;
    serde_json::from_slice(&state.keys.verify(PURPOSE, cookie.value())?).ok()
}

/// Omits the link if the message would be too long for a cookie, as with a link that names many users.
pub fn message_cookie(message: &Message, state: &CoreState) -> Cookie<'static> {
    let to_json = |message: &Message| serde_json::to_vec(message).unwrap_or_default();
    let mut text = to_json(message);
    if text.len() > MAX_BYTES {
        text = to_json(&Message { link: None, ..message.clone() });
    }
    let mut cookie = cookie(state, state.keys.sign(PURPOSE, &text));
    cookie.set_max_age(LIFETIME);
    cookie
}

pub fn removal_cookie(state: &CoreState) -> Cookie<'static> {
    let mut cookie = cookie(state, String::new());
    cookie.make_removal();
    cookie
}

fn cookie(state: &CoreState, value: String) -> Cookie<'static> {
    CookieName::Message.cookie(state.settings.production, value)
}
