//! Responses with two representations: an HTML page and JSON.

use std::any::Any;

use actix_web::body::BoxBody;
use actix_web::http::header::{
    CACHE_CONTROL, CONTENT_LANGUAGE, CONTENT_TYPE, ETAG, EntityTag, Header as _, HeaderValue, IfNoneMatch, LINK,
    LOCATION, VARY,
};
use actix_web::http::{Method, StatusCode};
use actix_web::{Either, HttpRequest, HttpResponse, HttpResponseBuilder, Responder, ResponseError as _, web};
use askama::Template;
use schemars::JsonSchema;
use serde::Serialize;

use super::form::Form;
use super::messages::{self, Message, MessageLink, MessagePosition};
use crate::i18n::filters::LOCALE_KEY;
use crate::i18n::{Locale, Phrase};
use crate::text::content_hash;
use crate::web::error::AppError;
use crate::web::request::body::Payload;
use crate::web::request::current_user::CurrentUser;
use crate::web::request::format::ResponseFormat;
use crate::web::request::if_match::version_tag;
use crate::web::request::locale;
use crate::web::routing::operation::{Describe, Operation};
use crate::web::state::CoreState;

pub trait Page: Template {
    type Data: Serialize + JsonSchema;

    const IS_LIST: bool = false;

    fn data(&self) -> &Self::Data;

    fn link(&self) -> Option<String> {
        None
    }
}

/// Implements `Page` for a page struct and names its data field: `page!(LoginPage, form: Form)`. For a list, the field
/// with the pagination cursors is also named: `page!(ListPage, data: PostList, list data)`.
#[macro_export]
macro_rules! page {
    ($page:ty, $($field:ident).+: $data:ty $(, list $($list:ident).+)?) => {
        impl $crate::web::response::view::Page for $page {
            type Data = $data;

            fn data(&self) -> &$data {
                &self.$($field).+
            }

            $(
                const IS_LIST: bool = !stringify!($($list).+).is_empty();

                fn link(&self) -> Option<String> {
                    self.$($list).+.link()
                }
            )?
        }
    };
}

#[derive(Debug)]
pub struct PageResponse<P> {
    page: P,
    error: Option<AppError>,
    /// Version of the object, for the header `ETag` of JSON responses.
    version: Option<i32>,
}

impl<P: Page> PageResponse<P> {
    pub fn new(page: P) -> Self {
        Self { page, error: None, version: None }
    }

    pub fn with_version(self, version: i32) -> Self {
        Self { version: Some(version), ..self }
    }

    /// Responds to HTML clients with the form page, and to JSON clients with the error only.
    pub fn invalid_form_response(page: P, error: AppError) -> Self {
        Self { page, error: Some(error), version: None }
    }
}

#[derive(Clone, Copy, Debug)]
pub struct ErrorCode(pub &'static str);

impl<P: Page> Describe for PageResponse<P> {
    fn describe(operation: &mut Operation) {
        operation.add_json::<P::Data>(200, P::IS_LIST);
    }
}

impl<P: Page> Responder for PageResponse<P> {
    type Body = BoxBody;

    fn respond_to(self, request: &HttpRequest) -> HttpResponse {
        match (ResponseFormat::for_request(request), self.error) {
            (ResponseFormat::Json, Some(error)) => HttpResponse::from_error(error),
            (ResponseFormat::Json, None) => {
                let mut response = HttpResponse::Ok();
                if let Some(link) = self.page.link() {
                    response.insert_header((LINK, link));
                }
                if let Some(version) = self.version {
                    response.insert_header((ETAG, version_tag(version).to_string()));
                }
                json_response(request, &mut response, self.page.data())
            }
            (ResponseFormat::Html, error) => {
                let mut response = HttpResponse::Ok();
                let Some(error) = error else { return html_response(request, &mut response, &self.page) };
                error.log();
                add_retry_after(&mut response, &error);
                let mut response = html_response(request, response.status(error.status_code()), &self.page);
                response.extensions_mut().insert(ErrorCode(error.error_text().code));
                if let Some(state) = request.app_data::<web::Data<CoreState>>() {
                    state.report_error(&error);
                }
                response
            }
        }
    }
}

/// Rejected form as an HTML page. JSON clients get only the error.
#[derive(Debug)]
pub struct RejectedForm<P>(PageResponse<P>);

impl<P: Page> RejectedForm<P> {
    pub fn new(page: P, error: AppError) -> Self {
        Self(PageResponse::invalid_form_response(page, error))
    }
}

impl<P> Describe for RejectedForm<P> {}

impl<P: Page> Responder for RejectedForm<P> {
    type Body = BoxBody;

    fn respond_to(self, request: &HttpRequest) -> HttpResponse {
        self.0.respond_to(request)
    }
}

pub type FormResponse<D, P, const STATUS: u16 = 200> = Either<ActionResult<D, STATUS>, RejectedForm<P>>;

/// If the input is invalid or `act` fails, HTML clients get the form again, with the submitted values and the error.
/// JSON clients get only the error, and so do HTML clients if `page` returns `None`.
pub async fn handle_form<T, R, P: Page>(
    payload: Payload<T>,
    act: impl AsyncFnOnce(T) -> Result<R, AppError>,
    page: impl AsyncFnOnce(Form, &AppError) -> Option<P>,
) -> Result<Either<R, RejectedForm<P>>, AppError> {
    let format = payload.format();
    let (value, typed) = payload.into_parts();
    let acted = match value {
        Ok(value) => act(value).await,
        Err(error) => Err(error),
    };
    let error = match acted {
        Ok(done) => return Ok(Either::Left(done)),
        Err(error) if format == ResponseFormat::Json => return Err(error),
        Err(error) => error,
    };
    // The page is boxed, so that its future does not enlarge the future of every view with a form.
    match Box::pin(page(Form::rejected(typed, &error), &error)).await {
        Some(page) => Ok(Either::Right(RejectedForm::new(page, error))),
        None => Err(error),
    }
}

/// Renders an HTML page. Deletes the message cookie if the page shows a one-time message.
pub fn html_response(request: &HttpRequest, response: &mut HttpResponseBuilder, page: &impl Template) -> HttpResponse {
    let body = match render(page, locale::for_request(request)) {
        Ok(body) => body,
        Err(error) => return HttpResponse::from_error(AppError::from(error)),
    };
    let state = request.app_data::<web::Data<CoreState>>();
    if let Some(state) = state.filter(|state| messages::read(request, state).is_some()) {
        response.cookie(messages::removal_cookie(state));
    }
    with_cache_headers(request, response.content_type("text/html; charset=utf-8"), body)
}

pub fn render(page: &impl Template, locale: Locale) -> askama::Result<String> {
    page.render_with_values(&(LOCALE_KEY, &locale as &dyn Any))
}

/// Responses with a user or cookies get `no-store`, so that the next user of a shared computer cannot see them.
pub fn with_cache_headers(request: &HttpRequest, response: &mut HttpResponseBuilder, body: String) -> HttpResponse {
    response
        .insert_header((VARY, VARY_HEADERS))
        .insert_header((CONTENT_LANGUAGE, locale::for_request(request).language.tag()));
    if CurrentUser::for_request(request).is_some() || !locale::has_only_language_cookie(request) {
        return response.insert_header((CACHE_CONTROL, "no-store")).body(body);
    }
    with_etag(request, response.insert_header((CACHE_CONTROL, "no-cache")), body)
}

pub const VARY_HEADERS: &str = "Accept, Accept-Language, Cookie";

pub fn json_response(request: &HttpRequest, response: &mut HttpResponseBuilder, data: &impl Serialize) -> HttpResponse {
    match serde_json::to_string(data) {
        Ok(body) => with_cache_headers(request, response.content_type("application/json"), body),
        Err(error) => HttpResponse::from_error(AppError::Internal(error.to_string())),
    }
}

/// Responds with 304 if the client has the body cached. The `ETag` is weak because the body may be compressed later.
pub fn with_etag(request: &HttpRequest, response: &mut HttpResponseBuilder, body: String) -> HttpResponse {
    let tag = EntityTag::new_weak(content_hash(&body));
    let mut response = response.body(body);
    if response.status() != StatusCode::OK || !matches!(*request.method(), Method::GET | Method::HEAD) {
        return response;
    }
    if let Ok(value) = HeaderValue::from_str(&tag.to_string()) {
        response.headers_mut().insert(ETAG, value);
    }
    if matches_etag(request, &tag) {
        response.headers_mut().remove(CONTENT_TYPE);
        response.head_mut().status = StatusCode::NOT_MODIFIED;
        return response.set_body(BoxBody::new(()));
    }
    response
}

#[derive(Debug)]
pub struct JsonResponse<T> {
    data: T,
    caching: &'static str,
}

impl<T: Serialize> JsonResponse<T> {
    /// Clients can store the response, but have to revalidate it before each use.
    pub fn public(data: T) -> Self {
        Self { data, caching: "no-cache" }
    }

    pub fn private(data: T) -> Self {
        Self { data, caching: "no-store" }
    }
}

impl<T: JsonSchema> Describe for JsonResponse<T> {
    fn describe(operation: &mut Operation) {
        operation.add_json::<T>(200, false);
    }
}

impl<T: Serialize> Responder for JsonResponse<T> {
    type Body = BoxBody;

    fn respond_to(self, _: &HttpRequest) -> HttpResponse {
        HttpResponse::Ok().insert_header((CACHE_CONTROL, self.caching)).json(self.data)
    }
}

pub fn matches_etag(request: &HttpRequest, tag: &EntityTag) -> bool {
    IfNoneMatch::parse(request).is_ok_and(|if_none_match| contains_etag(&if_none_match, tag))
}

pub fn contains_etag(if_none_match: &IfNoneMatch, tag: &EntityTag) -> bool {
    matches!(if_none_match, IfNoneMatch::Items(tags) if tags.iter().any(|other| other.weak_eq(tag)))
}

pub fn add_retry_after(response: &mut HttpResponseBuilder, error: &AppError) {
    if let Some(seconds) = error.retry_after() {
        response.insert_header(("Retry-After", seconds.to_string()));
    }
}

/// HTML clients are redirected to a page that shows a message. JSON clients get data with the status `STATUS`.
#[derive(Debug)]
pub struct ActionResult<D, const STATUS: u16 = 200> {
    data: Option<D>,
    location: String,
    /// Path of the created resource, for the `Location` header of JSON responses.
    resource: Option<String>,
    message: Option<Message>,
    version: Option<i32>,
}

/// Result without data: a redirect for HTML clients, and status 204 for JSON clients.
pub type EmptyResult = ActionResult<(), 204>;

impl<D: Serialize, const STATUS: u16> ActionResult<D, STATUS> {
    pub fn new(data: D, location: impl Into<String>) -> Self {
        Self { data: Some(data), location: location.into(), resource: None, message: None, version: None }
    }

    pub fn without_data(location: impl Into<String>) -> Self {
        Self { data: None, location: location.into(), resource: None, message: None, version: None }
    }

    pub fn with_resource_path(mut self, path: String) -> Self {
        self.resource = Some(path);
        self
    }

    pub fn with_version(mut self, version: i32) -> Self {
        self.version = Some(version);
        self
    }

    pub fn with_message(mut self, text: Phrase) -> Self {
        self.message = Some(Message { place: MessagePosition::Top, text, link: None });
        self
    }

    pub fn with_link(mut self, link: Option<MessageLink>) -> Self {
        if let Some(message) = &mut self.message {
            message.link = link;
        }
        self
    }

    pub fn with_inline_message(mut self, text: Phrase) -> Self {
        self.message = Some(Message { place: MessagePosition::Inline, text, link: None });
        self
    }
}

impl EmptyResult {
    pub fn no_content(location: impl Into<String>) -> Self {
        Self::without_data(location)
    }
}

impl<D: JsonSchema, const STATUS: u16> Describe for ActionResult<D, STATUS> {
    fn describe(operation: &mut Operation) {
        if STATUS == 204 {
            operation.add_response_without_json(STATUS, "");
        } else {
            operation.add_json::<D>(STATUS, false);
        }
    }
}

impl<D: Serialize, const STATUS: u16> Responder for ActionResult<D, STATUS> {
    type Body = BoxBody;

    fn respond_to(self, request: &HttpRequest) -> HttpResponse {
        if ResponseFormat::for_request(request) == ResponseFormat::Html {
            let mut response = HttpResponse::SeeOther();
            let state = request.app_data::<web::Data<CoreState>>();
            if let (Some(message), Some(state)) = (self.message, state) {
                response.cookie(messages::message_cookie(&message, state));
            }
            return response.insert_header((LOCATION, self.location)).finish();
        }
        let status = StatusCode::from_u16(STATUS).unwrap_or(StatusCode::OK);
        let mut response = HttpResponse::build(status);
        if status == StatusCode::CREATED {
            response.insert_header((LOCATION, self.resource.unwrap_or(self.location)));
        }
        if let Some(version) = self.version {
            response.insert_header((ETAG, version_tag(version).to_string()));
        }
        match self.data {
            Some(data) => json_response(request, &mut response, &data),
            None => response.finish(),
        }
    }
}
