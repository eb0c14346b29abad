//! The front page of the desk, and who may sit at it.

use std::future::{Ready, ready};

use actix_web::{FromRequest, HttpRequest, Responder, dev};
use askama::Template;
use serde::Serialize;

use super::urls;
use crate::i18n::filters;
use crate::page;
use crate::web::error::AppError;
use crate::web::layout::Layout;
use crate::web::view::View;
use crate::web::visitor::CurrentUser;

/// Somebody of the staff. To all others there is nothing here: `not_found`.
#[derive(Clone, Copy, Debug)]
pub struct Staff;

impl FromRequest for Staff {
    type Error = AppError;
    type Future = Ready<Result<Self, AppError>>;

    fn from_request(request: &HttpRequest, _: &mut dev::Payload) -> Self::Future {
        let is_staff = CurrentUser::of(request).is_some_and(|user| user.is_staff);
        ready(if is_staff { Ok(Self) } else { Err(AppError::NotFound) })
    }
}

/// Where what is.
#[derive(Debug, Serialize)]
pub struct Places {
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

pub async fn front(_: Staff, layout: Layout) -> impl Responder {
    let data = Places { log: urls::LOG.pattern, invitations: crate::users::urls::INVITATIONS.pattern };
    View::new(FrontPage { layout, data })
}
