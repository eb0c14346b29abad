//! The front page of the desk.

use actix_web::Responder;
use askama::Template;
use serde::Serialize;

use super::urls;
use crate::i18n::filters;
use crate::page;
use crate::web::layout::Layout;
use crate::web::view::View;

/// Where what is.
#[derive(Debug, Serialize)]
pub struct Places {
    limiter: &'static str,
    users: &'static str,
    log: &'static str,
    invitations: &'static str,
}

#[derive(Template)]
#[template(path = "desk/front.html")]
pub struct FrontPage {
    layout: Layout,
    data: Places,
}

page!(FrontPage, data: Places);

pub async fn front(layout: Layout) -> impl Responder {
    let data = Places {
        limiter: urls::LIMITER.pattern,
        users: urls::USERS.pattern,
        log: urls::LOG.pattern,
        invitations: crate::users::urls::INVITATIONS.pattern,
    };
    View::new(FrontPage { layout, data })
}
