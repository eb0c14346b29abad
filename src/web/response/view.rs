//! One address, two representations: a page for people, JSON for programs.
//!
//! A view returns a [`View`] of a page struct. After an act (a request that changes something) it returns [`Done`].
//! `askama` renders the whole page struct; only its `data` is serialised, so programs get nothing else of the page.

use std::any::Any;

use actix_web::body::BoxBody;
use actix_web::http::header::{
    CACHE_CONTROL, CONTENT_LANGUAGE, CONTENT_TYPE, ETAG, EntityTag, Header as _, HeaderValue, IfNoneMatch, LINK,
    LOCATION, VARY,
};
use actix_web::http::{Method, StatusCode};
use actix_web::{HttpRequest, HttpResponse, HttpResponseBuilder, Responder, ResponseError as _, web};
use askama::Template;
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use super::form::Form;
use super::messages;
use super::messages::{Link, Message, MessagePosition};
use crate::i18n::filters::LOCALE;
use crate::i18n::{Locale, Phrase};
use crate::web::error::AppError;
use crate::web::request::body::Payload;
use crate::web::request::format::Format;
use crate::web::request::locale;
use crate::web::request::visitor::CurrentUser;
use crate::web::state::AppState;

/// A page: `Template` for people, `data` for programs.
pub trait Page: Template {
    type Data: Serialize;

    fn data(&self) -> &Self::Data;

    /// The value of a `Link` header, for lists.
    fn link(&self) -> Option<String> {
        None
    }
}

/// Implements `Page` by naming the field with the page's data: `page!(LoginPage, form: Form)`. For a list, it also
/// names the field with the cursors: `page!(ListPage, data: PostList, list data)`.
#[macro_export]
macro_rules! page {
    ($page:ty, $($field:ident).+: $data:ty $(, list $($list:ident).+)?) => {
        impl $crate::web::response::view::Page for $page {
            type Data = $data;

            fn data(&self) -> &$data {
                &self.$($field).+
            }

            $(fn link(&self) -> Option<String> {
                self.$($list).+.link()
            })?
        }
    };
}

/// A page as the answer to a request. `P` knows its own layout.
#[derive(Debug)]
pub struct View<P> {
    page: P,
    error: Option<AppError>,
}

impl<P: Page> View<P> {
    pub fn new(page: P) -> Self {
        Self { page, error: None }
    }

    /// The page of a form that was not accepted, with the error's status; for programs, the error alone.
    pub fn rejected(page: P, error: AppError) -> Self {
        Self { page, error: Some(error) }
    }
}

/// The code of an error, left for the log on the response that shows a form again.
#[derive(Clone, Copy, Debug)]
pub struct ErrorCode(pub &'static str);

impl<P: Page> Responder for View<P> {
    type Body = BoxBody;

    fn respond_to(self, request: &HttpRequest) -> HttpResponse {
        match (Format::of(request), self.error) {
            (Format::Json, Some(error)) => HttpResponse::from_error(error),
            (Format::Json, None) => {
                let mut response = HttpResponse::Ok();
                if let Some(link) = self.page.link() {
                    response.insert_header((LINK, link));
                }
                json(request, &mut response, self.page.data())
            }
            (Format::Html, error) => {
                let mut response = HttpResponse::Ok();
                let Some(error) = error else { return html(request, &mut response, &self.page) };
                error.log();
                add_retry_after(&mut response, &error);
                let mut response = html(request, response.status(error.status_code()), &self.page);
                response.extensions_mut().insert(ErrorCode(error.words().code));
                response
            }
        }
    }
}

/// What an act answers: it is done, or its form is shown again.
pub type Answer<D, P> = actix_web::Either<Done<D>, View<P>>;

/// Runs `act` with the input that was sent. If the input is not valid or `act` fails, a person sees the form again,
/// with what was typed and why it was not accepted. A program gets the error, and so does a person if `page` returns
/// `None`.
///
/// # Errors
/// What is wrong with the input, or the error of `act`.
pub async fn submit<T, D, P: Page>(
    payload: Payload<T>,
    act: impl AsyncFnOnce(T) -> Result<Done<D>, AppError>,
    page: impl AsyncFnOnce(Form, &AppError) -> Option<P>,
) -> Result<Answer<D, P>, AppError> {
    let format = payload.format();
    let (value, typed) = payload.into_parts();
    let acted = match value {
        Ok(value) => act(value).await,
        Err(error) => Err(error),
    };
    let error = match acted {
        Ok(done) => return Ok(Answer::Left(done)),
        Err(error) if format == Format::Json => return Err(error),
        Err(error) => error,
    };
    match page(Form::rejected(typed, &error), &error).await {
        Some(page) => Ok(Answer::Right(View::rejected(page, error))),
        None => Err(error),
    }
}

/// Renders a page with the headers that all pages share. If it shows a one-time message, the message is removed.
pub fn html(request: &HttpRequest, response: &mut HttpResponseBuilder, page: &impl Template) -> HttpResponse {
    let body = match render(page, locale::of(request)) {
        Ok(body) => body,
        Err(error) => return HttpResponse::from_error(AppError::Internal(error.to_string())),
    };
    let state = request.app_data::<web::Data<AppState>>();
    if let Some(state) = state.filter(|state| messages::read(request, state).is_some()) {
        response.cookie(messages::remove(state));
    }
    public_or_private(request, response.content_type("text/html; charset=utf-8"), body)
}

/// A page in words for whoever reads it.
pub fn render(page: &impl Template, locale: Locale) -> askama::Result<String> {
    page.render_with_values(&(LOCALE, &locale as &dyn Any))
}

/// Sets the caching headers. What is shown to somebody who is signed in, or sends cookies, is not stored: the next
/// person at the same computer must not see it.
pub fn public_or_private(request: &HttpRequest, response: &mut HttpResponseBuilder, body: String) -> HttpResponse {
    response.insert_header((VARY, VARIES)).insert_header((CONTENT_LANGUAGE, locale::of(request).language.tag()));
    if CurrentUser::of(request).is_some() || !locale::sends_only_language(request) {
        return response.insert_header((CACHE_CONTROL, "no-store")).body(body);
    }
    conditional(request, response.insert_header((CACHE_CONTROL, "no-cache")), body)
}

/// What answers depend on.
pub const VARIES: &str = "Accept, Accept-Language, Cookie";

/// Data as an answer, with the headers that all pages share.
pub fn json(request: &HttpRequest, response: &mut HttpResponseBuilder, data: &impl Serialize) -> HttpResponse {
    match serde_json::to_string(data) {
        Ok(body) => public_or_private(request, response.content_type("application/json"), body),
        Err(error) => HttpResponse::from_error(AppError::Internal(error.to_string())),
    }
}

/// The body, or 304 where the client has it already. The tag is weak, as the body may be compressed on its way.
pub fn conditional(request: &HttpRequest, response: &mut HttpResponseBuilder, body: String) -> HttpResponse {
    let tag = EntityTag::new_weak(BASE64_URL_SAFE_NO_PAD.encode(&Sha256::digest(&body)[..12]));
    let mut response = response.body(body);
    if response.status() != StatusCode::OK || !matches!(*request.method(), Method::GET | Method::HEAD) {
        return response;
    }
    if let Ok(value) = HeaderValue::from_str(&tag.to_string()) {
        response.headers_mut().insert(ETAG, value);
    }
    if is_known(request, &tag) {
        response.headers_mut().remove(CONTENT_TYPE);
        response.head_mut().status = StatusCode::NOT_MODIFIED;
        return response.set_body(BoxBody::new(()));
    }
    response
}

/// Whether the client says that it has what this tag stands for.
#[must_use]
pub fn is_known(request: &HttpRequest, tag: &EntityTag) -> bool {
    IfNoneMatch::parse(request).is_ok_and(|known| is_among(&known, tag))
}

/// Whether one of the tags that a client has sent is this one.
#[must_use]
pub fn is_among(known: &IfNoneMatch, tag: &EntityTag) -> bool {
    matches!(known, IfNoneMatch::Items(tags) if tags.iter().any(|other| other.weak_eq(tag)))
}

/// Adds `Retry-After` where the error has one.
pub fn add_retry_after(response: &mut HttpResponseBuilder, error: &AppError) {
    if let Some(seconds) = error.retry_after() {
        response.insert_header(("Retry-After", seconds.to_string()));
    }
}

/// An act that succeeded: a status and data for programs, the next page and a message for people.
#[derive(Debug)]
pub struct Done<D> {
    status: StatusCode,
    data: Option<D>,
    /// The path of the next page, for people.
    location: String,
    /// The path of what was created, for programs.
    resource: Option<String>,
    message: Option<Message>,
}

impl<D: Serialize> Done<D> {
    pub fn new(status: StatusCode, data: D, location: impl Into<String>) -> Self {
        Self { status, data: Some(data), location: location.into(), resource: None, message: None }
    }

    /// Sets the path of what was created, if it is not the next page.
    #[must_use]
    pub fn resource(mut self, path: String) -> Self {
        self.resource = Some(path);
        self
    }

    /// Says on the next page what was done.
    #[must_use]
    pub fn message(mut self, text: Phrase) -> Self {
        self.message = Some(Message { place: MessagePosition::Top, text, link: None });
        self
    }

    /// Ends the message with a link.
    #[must_use]
    pub fn linking(mut self, link: Option<Link>) -> Self {
        if let Some(message) = &mut self.message {
            message.link = link;
        }
        self
    }

    /// Says it beside the stars, where the reader is looking.
    #[must_use]
    pub fn message_at_stars(mut self, text: Phrase) -> Self {
        self.message = Some(Message { place: MessagePosition::Stars, text, link: None });
        self
    }
}

impl Done<()> {
    /// An act with nothing to tell a program: 204.
    pub fn no_content(location: impl Into<String>) -> Self {
        Self { status: StatusCode::NO_CONTENT, data: None, location: location.into(), resource: None, message: None }
    }
}

impl<D: Serialize> Responder for Done<D> {
    type Body = BoxBody;

    fn respond_to(self, request: &HttpRequest) -> HttpResponse {
        if Format::of(request) == Format::Html {
            let mut response = HttpResponse::SeeOther();
            let state = request.app_data::<web::Data<AppState>>();
            if let (Some(message), Some(state)) = (self.message, state) {
                response.cookie(messages::write(&message, state));
            }
            return response.insert_header((LOCATION, self.location)).finish();
        }
        let mut response = HttpResponse::build(self.status);
        if self.status == StatusCode::CREATED {
            response.insert_header((LOCATION, self.resource.unwrap_or(self.location)));
        }
        match self.data {
            Some(data) => json(request, &mut response, &data),
            None => response.finish(),
        }
    }
}
