//! View that ends the session of the signed-in user.

use actix_session::Session;
use actix_web::http::header::{HeaderName, HeaderValue};
use actix_web::{HttpRequest, HttpResponse, Responder as _};

use crate::phrase;
use crate::web::request::body::NoInput;
use crate::web::request::current_user::CurrentUser;
use crate::web::response::view::EmptyResult;
use crate::web::routing::route::FRONT_PAGE;

/// The header `Clear-Site-Data` deletes the data that the browser stored for the site, so that the next user of a
/// shared computer cannot see it.
pub async fn sign_out(_: NoInput, session: Session, user: Option<CurrentUser>, request: HttpRequest) -> HttpResponse {
    if let Some(user) = user {
        tracing::info!(user_id = user.id.0, "signed out");
    }
    session.purge();
    let mut response =
        EmptyResult::no_content(FRONT_PAGE).with_message(phrase!("done-signed-out")).respond_to(&request);
    let header_name = HeaderName::from_static("clear-site-data");
    response.headers_mut().insert(header_name, HeaderValue::from_static("\"storage\""));
    response
}
