//! Page cache middleware for anonymous GET and HEAD requests, which stores compressed responses.

use std::sync::Arc;

use actix_web::body::{BoxBody, MessageBody, to_bytes};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::{
    ACCEPT_ENCODING, AcceptEncoding, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ContentEncoding, ETAG, Encoding,
    Header as _, IF_NONE_MATCH, IfNoneMatch, SET_COOKIE,
};
use actix_web::http::uri::PathAndQuery;
use actix_web::http::{Method, StatusCode, Uri};
use actix_web::middleware::Next;
use actix_web::web::Bytes;
use actix_web::{HttpResponse, web};

use crate::page_cache::{CacheLookup, CachePlaceholder, CachedResponse};
use crate::web::error::AppError;
use crate::web::request::credentials::has_bearer_credentials;
use crate::web::request::format::ResponseFormat;
use crate::web::request::locale;
use crate::web::request::query::Query;
use crate::web::response::rate_limit::RateLimitWarning;
use crate::web::response::view::contains_etag;
use crate::web::routing::route::Route;
use crate::web::state::CoreState;

/// Must run inside the middleware that counts, rejects or logs anonymous requests, or adds headers that differ between
/// clients, and outside compression and permission checks. Requests with credentials bypass the cache.
pub async fn serve_from_page_cache(
    mut request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, actix_web::Error> {
    let pages = request.app_data::<web::Data<CoreState>>().map(|state| state.page_cache.clone());
    let path = is_cached_request(&request).then(|| cached_path(&request)).flatten();
    let keyed = path.and_then(|path| Some((cache_key(&request, path.as_str())?, path)));
    let Some((pages, (key, path))) = pages.zip(keyed) else {
        return next.call(request).await.map(ServiceResponse::map_into_boxed_body);
    };
    let mut uri = std::mem::take(&mut request.head_mut().uri).into_parts();
    uri.path_and_query = Some(path);
    request.head_mut().uri = Uri::from_parts(uri).map_err(|error| AppError::Internal(error.to_string()))?;
    let if_none_match = IfNoneMatch::parse(&request).ok();
    let absence = match pages.lookup(&key).await {
        CacheLookup::Hit(answer) => return Ok(request.into_response(respond(&answer, if_none_match.as_ref()))),
        CacheLookup::Uncacheable => return next.call(request).await.map(ServiceResponse::map_into_boxed_body),
        CacheLookup::Miss(absence) => absence,
    };
    // Rendering is boxed, so that the middleware future, which every request allocates, stays small.
    Box::pin(render_and_store(request, next, absence, if_none_match)).await
}

async fn render_and_store(
    mut request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
    absence: CachePlaceholder<'_, CachedResponse>,
    if_none_match: Option<IfNoneMatch>,
) -> Result<ServiceResponse<BoxBody>, actix_web::Error> {
    // The cache needs the full body, so the handler must not respond with 304.
    request.headers_mut().remove(IF_NONE_MATCH);
    match next.call(request).await.map(ServiceResponse::map_into_boxed_body) {
        Ok(response) if is_cacheable(&response) => {
            let (request, response) = response.into_parts();
            let answer = Arc::new(to_cached_response(response).await?);
            absence.fill(Some(answer.clone()));
            Ok(ServiceResponse::new(request, respond(&answer, if_none_match.as_ref())))
        }
        other => {
            absence.fill(None);
            other
        }
    }
}

fn is_cached_request(request: &ServiceRequest) -> bool {
    matches!(*request.method(), Method::GET | Method::HEAD)
        && Route::for_request(request.request()).is_some_and(|route| route.is_cached)
        && locale::has_only_language_cookie(request.request())
        && !has_bearer_credentials(request.headers())
        && RateLimitWarning::for_request(request.request()).is_none()
}

/// Returns the path with the declared query parameters only, so that other parameters do not bypass the cache.
fn cached_path(request: &ServiceRequest) -> Option<PathAndQuery> {
    let uri = request.uri();
    let query = Query::for_request(request.request()).declared_part();
    let separator = if query.is_empty() { "" } else { "?" };
    format!("{}{separator}{query}", uri.path()).parse().ok()
}

fn cache_key(request: &ServiceRequest, path: &str) -> Option<String> {
    let format = match ResponseFormat::for_request(request.request()) {
        ResponseFormat::Html => "html",
        ResponseFormat::Json => "json",
    };
    // The encoding is negotiated as in the compression middleware. Deflate is not cached because no browser prefers it.
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
    Some([format, encoding, locale::for_request(request.request()).language.tag(), path].join(" "))
}

fn is_cacheable(response: &ServiceResponse<BoxBody>) -> bool {
    let headers = response.headers();
    let may_be_stored = headers.get(CACHE_CONTROL).is_none_or(|control| control != "no-store");
    let is_good = matches!(response.status(), StatusCode::OK | StatusCode::PERMANENT_REDIRECT);
    is_good && may_be_stored && !headers.contains_key(SET_COOKIE) && response.response().error().is_none()
}

async fn to_cached_response(response: HttpResponse) -> Result<CachedResponse, AppError> {
    let status = response.status();
    let headers = response.headers().iter().map(|(name, value)| (name.clone(), value.clone())).collect();
    let tag = response.headers().get(ETAG).and_then(|tag| tag.to_str().ok()?.parse().ok());
    let body = to_bytes(response.into_body()).await.map_err(|error| AppError::Internal(error.to_string()))?;
    // The body is copied, because the output buffer of the compressor has more capacity than the body needs.
    Ok(CachedResponse { status, headers, etag: tag, body: Bytes::copy_from_slice(&body) })
}

fn respond(answer: &CachedResponse, if_none_match: Option<&IfNoneMatch>) -> HttpResponse {
    let is_known =
        answer.etag.as_ref().zip(if_none_match).is_some_and(|(tag, if_none_match)| contains_etag(if_none_match, tag));
    let mut response = HttpResponse::new(if is_known { StatusCode::NOT_MODIFIED } else { answer.status });
    for (name, value) in &answer.headers {
        if !(is_known && [CONTENT_TYPE, CONTENT_ENCODING].contains(name)) {
            response.headers_mut().append(name.clone(), value.clone());
        }
    }
    if is_known { response } else { response.set_body(BoxBody::new(answer.body.clone())) }
}
