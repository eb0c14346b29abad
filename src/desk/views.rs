//! The front page of the desk.

use actix_web::Responder;
use askama::Template;
use serde::Serialize;

use super::urls;
use crate::i18n::{Phrase, filters};
use crate::page;
use crate::phrase;
use crate::web::address::Address;
use crate::web::layout::Layout;
use crate::web::view::View;
use crate::web::visitor::CurrentUser;

/// A page of the desk.
#[derive(Debug, Serialize)]
pub struct Place {
    path: &'static str,
    #[serde(skip)]
    title: Phrase,
    #[serde(skip)]
    what: Phrase,
}

/// Where what is, for this user.
#[derive(Debug, Serialize)]
pub struct Front {
    places: Vec<Place>,
}

#[derive(Template)]
#[template(path = "desk/front.html")]
pub struct FrontPage {
    layout: Layout,
    data: Front,
}

page!(FrontPage, data: Front);

fn places(user: &CurrentUser) -> Vec<Place> {
    let invitations = crate::users::urls::INVITATIONS;
    let all: [(Address, Phrase, Phrase); 13] = [
        (urls::REPORTS, phrase!("cases-title"), phrase!("cases-what")),
        (urls::LIMITER, phrase!("desk-limiter"), phrase!("desk-limiter-what")),
        (urls::POSTS, phrase!("posts-title"), phrase!("posts-what")),
        (urls::RATINGS, phrase!("ratings-title"), phrase!("ratings-what")),
        (urls::TAGS, phrase!("tags-title"), phrase!("tags-what")),
        (urls::WARNINGS, phrase!("warnings-title"), phrase!("warnings-what")),
        (urls::USERS, phrase!("users-title"), phrase!("users-what")),
        (invitations, phrase!("invitations-title"), phrase!("desk-invitations")),
        (urls::PAUSES, phrase!("pauses-title"), phrase!("pauses-what")),
        (urls::SESSIONS, phrase!("signed-in-title"), phrase!("signed-in-what")),
        (urls::STATES, phrase!("states-title"), phrase!("states-what")),
        (urls::MAILS, phrase!("mails-title"), phrase!("mails-what")),
        (urls::LOG, phrase!("log-title"), phrase!("log-what")),
    ];
    let may = all.into_iter().filter(|(address, ..)| address.role.is_none_or(|role| user.is(role)));
    may.map(|(address, title, what)| Place { path: address.pattern, title, what }).collect()
}

pub async fn front(user: CurrentUser, layout: Layout) -> impl Responder {
    View::new(FrontPage { layout, data: Front { places: places(&user) } })
}
