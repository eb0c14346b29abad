//! The middleware that answers guests with what was made for others.
//!
//! A guest is whoever sends no cookie but that of the language: nothing else of theirs can be in the page. Only what is the same for all of them is
//! kept, compressed as it was asked for. Headers that differ from client to client are added outside of this.

use std::sync::Arc;

use actix_web::body::{BoxBody, MessageBody, to_bytes};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::{
    ACCEPT_ENCODING, AcceptEncoding, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ContentEncoding, ETAG, Encoding,
    Header as _, IF_NONE_MATCH, IfNoneMatch, SET_COOKIE,
};
use actix_web::http::{Method, StatusCode};
use actix_web::middleware::Next;
use actix_web::web::Bytes;
use actix_web::{HttpResponse, web};

use super::pages::{Answer, CacheLookup};
use crate::web::error::AppError;
use crate::web::request::format::Format;
use crate::web::request::locale;
use crate::web::response::rate_limit::Warning;
use crate::web::response::view::is_among;
use crate::web::routing::route::Route;
use crate::web::state::AppState;

/// Answers a guest with what was made for another one within the last second, or makes it. Runs inside of everything
/// that counts, refuses or logs requests, and outside of what compresses.
pub async fn cached(
    mut request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, actix_web::Error> {
    let pages = request.app_data::<web::Data<AppState>>().map(|state| state.pages.clone());
    let Some((pages, key)) = pages.zip(key_of(&request)) else {
        return next.call(request).await.map(ServiceResponse::map_into_boxed_body);
    };
    let known = IfNoneMatch::parse(&request).ok();
    let absence = match pages.look(&key).await {
        CacheLookup::Answer(answer) => return Ok(request.into_response(respond(&answer, known.as_ref()))),
        CacheLookup::NoPage => return next.call(request).await.map(ServiceResponse::map_into_boxed_body),
        CacheLookup::Absent(absence) => absence,
    };
    // The others need the whole page.
    request.headers_mut().remove(IF_NONE_MATCH);
    match next.call(request).await.map(ServiceResponse::map_into_boxed_body) {
        Ok(response) if is_page(&response) => {
            let (request, response) = response.into_parts();
            let answer = Arc::new(answer_of(response).await?);
            absence.fill(Some(answer.clone()));
            Ok(ServiceResponse::new(request, respond(&answer, known.as_ref())))
        }
        other => {
            absence.fill(None);
            other
        }
    }
}

/// What an answer is kept under. `None` if this request is to be answered for itself.
fn key_of(request: &ServiceRequest) -> Option<String> {
    let is_reading = matches!(*request.method(), Method::GET | Method::HEAD);
    let is_kept = is_reading && Route::of(request.request()).is_some_and(|address| address.is_kept);
    if !is_kept || !locale::sends_only_language(request.request()) || Warning::of(request.request()).is_some() {
        return None;
    }
    let format = match Format::of(request.request()) {
        Format::Html => "html",
        Format::Json => "json",
    };
    // As the middleware that compresses chooses it. Nobody asks for deflate but to see what happens: it is not kept.
    let encoding = if request.headers().contains_key(ACCEPT_ENCODING) {
        let supported = [Encoding::identity(), Encoding::gzip(), Encoding::deflate()];
        match AcceptEncoding::parse(request).ok()?.negotiate(supported.iter())? {
            Encoding::Known(ContentEncoding::Identity) => "plain",
            Encoding::Known(ContentEncoding::Gzip) => "gzip",
            _ => return None,
        }
    } else {
        "plain"
    };
    let path = request.uri().path_and_query()?;
    Some(format!("{format} {encoding} {} {path}", locale::of(request.request()).language.tag()))
}

/// Whether all guests may see this.
fn is_page(response: &ServiceResponse<BoxBody>) -> bool {
    let headers = response.headers();
    let may_be_stored = headers.get(CACHE_CONTROL).is_none_or(|control| control != "no-store");
    let is_good = matches!(response.status(), StatusCode::OK | StatusCode::PERMANENT_REDIRECT);
    is_good && may_be_stored && !headers.contains_key(SET_COOKIE) && response.response().error().is_none()
}

async fn answer_of(response: HttpResponse) -> Result<Answer, AppError> {
    let status = response.status();
    let headers = response.headers().iter().map(|(name, value)| (name.clone(), value.clone())).collect();
    let tag = response.headers().get(ETAG).and_then(|tag| tag.to_str().ok()?.parse().ok());
    let body = to_bytes(response.into_body()).await.map_err(|error| AppError::Internal(error.to_string()))?;
    // A copy takes no more than it needs: what was compressed comes in a large buffer.
    Ok(Answer { status, headers, tag, body: Bytes::copy_from_slice(&body) })
}

/// The answer, or 304 to whoever knows it already.
fn respond(answer: &Answer, known: Option<&IfNoneMatch>) -> HttpResponse {
    let is_known = answer.tag.as_ref().zip(known).is_some_and(|(tag, known)| is_among(known, tag));
    let mut response = HttpResponse::new(if is_known { StatusCode::NOT_MODIFIED } else { answer.status });
    for (name, value) in &answer.headers {
        if !(is_known && [CONTENT_TYPE, CONTENT_ENCODING].contains(name)) {
            response.headers_mut().append(name.clone(), value.clone());
        }
    }
    if is_known { response } else { response.set_body(BoxBody::new(answer.body.clone())) }
}
