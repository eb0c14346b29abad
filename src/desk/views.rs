//! The front page of the desk.

use actix_web::Responder;
use askama::Template;
use serde::Serialize;

use super::urls;
use crate::i18n::filters;
use crate::page;
use crate::web::layout::Layout;
use crate::web::role::Role;
use crate::web::view::View;
use crate::web::visitor::CurrentUser;

/// Where what is.
#[derive(Debug, Serialize)]
pub struct Places {
    limiter: &'static str,
    users: &'static str,
    /// For admins.
    log: Option<&'static str>,
    invitations: &'static str,
}

#[derive(Template)]
#[template(path = "desk/front.html")]
pub struct FrontPage {
    layout: Layout,
    data: Places,
}

page!(FrontPage, data: Places);

pub async fn front(user: CurrentUser, layout: Layout) -> impl Responder {
    let data = Places {
        limiter: urls::LIMITER.pattern,
        users: urls::USERS.pattern,
        log: user.is(Role::Admin).then_some(urls::LOG.pattern),
        invitations: crate::users::urls::INVITATIONS.pattern,
    };
    View::new(FrontPage { layout, data })
}
