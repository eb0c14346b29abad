//! Rate class middleware: counts requests and rejects requests of limited clients.

use actix_session::SessionExt as _;
use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::Method;
use actix_web::http::header::{HeaderName, HeaderValue};
use actix_web::middleware::Next;
use actix_web::{HttpRequest, web};

use super::classes::{ClientClassStatus, RateClasses};
use super::client_key::ClientId;
use crate::access::RequestClass;
use crate::custom_limits::warnings;
use crate::db::describe_error;
use crate::i18n::{PhraseValue, format_duration};
use crate::phrase;
use crate::state::AppState;
use crate::web::error::AppError;
use crate::web::request::context::RequestContext;
use crate::web::request::credentials::has_credentials;
use crate::web::request::current_user::{CurrentUser, UserId};
use crate::web::request::format::{BodyKind, ResponseFormat};
use crate::web::request::query::Query;
use crate::web::response::rate_limit::{RateLimitHeaders, RateLimitWarning, RateLimited};
use crate::web::routing::route::Route;
use evenkeel_limiters::RateClassStatus;

/// Requests without credentials count for the client's network, so that the session is not needed. Runs before the page
/// cache.
pub async fn limit_anonymous_requests(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, actix_web::Error> {
    if has_credentials(request.request()) {
        return next.call(request).await.map(ServiceResponse::map_into_boxed_body);
    }
    limit(request, next).await
}

/// Counts requests with credentials. Runs after authentication, because the key is usually a user.
pub async fn limit_authenticated_requests(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, actix_web::Error> {
    if has_credentials(request.request()) {
        return limit(request, next).await;
    }
    next.call(request).await.map(ServiceResponse::map_into_boxed_body)
}

/// Counts a request in its rate class, unless the route needs no session, and rejects requests of limited clients.
async fn limit(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, actix_web::Error> {
    let classes = RateClasses::for_request(request.request());
    let key = ClientId::for_request(request.request()).zip(classes);
    let route = Route::for_request(request.request());
    let is_counted = route.as_ref().is_none_or(|route| route.has_session && route.is_counted);
    let Some((who, classes)) = key.filter(|_| is_counted) else {
        return next.call(request).await.map(ServiceResponse::map_into_boxed_body);
    };
    let class = class_of(request.request(), route.as_deref());
    let class_status = classes.count_request_with_cost((class, who), cost(request.request(), route.as_deref())).await;
    if class_status.is_new_disconnect
        && let ClientId::User(user) = who
        && let Some(state) = request.app_data::<web::Data<AppState>>().cloned()
    {
        // Raises the warning level in a separate task, so that the response does not wait for the database.
        actix_web::rt::spawn(raise_warning_level(state, user));
    }
    // Sends no headers to a client without a limit, because there is no quota to report.
    if classes.sends_headers && class_status.burst < i64::MAX {
        RequestContext::update(&request, |context| {
            context.rate_limit_headers = Some(rate_limit_headers(&class_status));
        });
    }
    // Signing out is never rejected.
    let ends_session = route.as_ref().is_some_and(|route| route.ends_session) && class != RequestClass::Browse;
    let is_leaving = ends_session && route.is_some_and(|route| !route.supports_get());
    if class_status.status < RateClassStatus::Limited || is_leaving {
        let warning = warning(&classes, who).filter(|_| class_status.status < RateClassStatus::Limited);
        RequestContext::update(&request, |context| context.rate_limit_warning = warning);
        let response = next.call(request).await?.map_into_boxed_body();
        if let (ClientId::User(user), true) = (who, ends_session && !response.status().is_client_error()) {
            classes.end_user_streams(user);
        }
        return Ok(response);
    }
    reject(request, next, &class_status, who).await
}

async fn reject(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
    class_status: &ClientClassStatus,
    who: ClientId,
) -> Result<ServiceResponse<BoxBody>, actix_web::Error> {
    let mut limited = limited(class_status);
    // A user who has signed in again since the disconnect is limited until the penalty time ends, but not signed out.
    limited.close &= !has_signed_in_since(request.request(), class_status);
    // The form is rendered again with the submitted values. Rendering is expensive, but a client that repeats the
    // request in a loop is soon disconnected.
    let has_forms = matches!(who, ClientId::User(_)) || class_status.class == RequestClass::Account;
    let may_act = || {
        RequestContext::from_request(request.request())
            .is_some_and(|context| context.check_permissions(request.method()).is_ok())
    };
    if has_forms && !limited.close && is_form(request.request()) && may_act() {
        RequestContext::update(&request, |context| context.rate_limited = Some(limited));
        return next.call(request).await.map(ServiceResponse::map_into_boxed_body);
    }
    if limited.close {
        tracing::warn!(class = limited.class, ?who, "client rejected for a penalty time: request rate limit exceeded");
        request.get_session().purge();
    }
    Ok(request.error_response(AppError::from(limited)))
}

fn has_signed_in_since(request: &HttpRequest, class_status: &ClientClassStatus) -> bool {
    let signed_in_at = CurrentUser::for_request(request).and_then(|user| user.signed_in_at);
    let arrival_us = RateClasses::for_request(request).and_then(|classes| classes.arrival_time(class_status));
    signed_in_at.zip(arrival_us).is_some_and(|(at, arrival_us)| at.timestamp_micros() > arrival_us)
}

async fn raise_warning_level(state: web::Data<AppState>, user: UserId) {
    let raise = async {
        let mut connection = state.pool.acquire().await?;
        let now = state.clock.read(&mut connection).await?;
        warnings::add_points(&mut connection, now, &[user], warnings::DISCONNECTED).await
    };
    if let Err(error) = raise.await {
        tracing::warn!(
            error = describe_error(&error),
            user_id = user.0,
            "cannot store the abuse points of a user who was disconnected"
        );
    }
}

fn limited(class_status: &ClientClassStatus) -> RateLimited {
    let close = class_status.status == RateClassStatus::Disconnect;
    RateLimited { class: class_status.class.name(), retry_after_s: class_status.wait_s, close }
}

/// Requests whose session or token lookup failed count for the client's network: they do not reach
/// [`limit_authenticated_requests`], and cost more than other requests. Runs outside of the session middleware.
pub async fn count_failed_session_lookups(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<impl MessageBody + 'static>, actix_web::Error> {
    let classes = RateClasses::for_request(request.request());
    let key = ClientId::for_request(request.request()).zip(classes);
    let class = class_of(request.request(), Route::for_request(request.request()).as_deref());
    let error = match next.call(request).await {
        Ok(response) => return Ok(response),
        Err(error) => error,
    };
    let Some((who, classes)) = key else { return Err(error) };
    let class_status = classes.count_request_with_cost((class, who), 1).await;
    let is_limited = class_status.status >= RateClassStatus::Limited;
    Err(if is_limited { AppError::from(limited(&class_status)).into() } else { error })
}

/// Warning about the class with the worst status.
fn warning(classes: &RateClasses, who: ClientId) -> Option<RateLimitWarning> {
    let standings = RequestClass::ALL.map(|class| classes.current_status((class, who)));
    let fast = standings.iter().filter(|class_status| class_status.status > RateClassStatus::Clear);
    let worst = fast.max_by_key(|class_status| class_status.status)?;
    let (class, wait) = (worst.class.name(), format_duration(worst.wait_s));
    let choice = PhraseValue::Choice(class.into());
    Some(if worst.status == RateClassStatus::Alert {
        RateLimitWarning { text: phrase!("class-warning", class = choice, wait = wait), class, wait_s: None }
    } else {
        RateLimitWarning {
            text: phrase!("class-limited", class = choice, wait = wait),
            class,
            wait_s: Some(worst.wait_s),
        }
    })
}

/// Headers of draft-ietf-httpapi-ratelimit-headers-10.
fn rate_limit_headers(class_status: &ClientClassStatus) -> RateLimitHeaders {
    let ClientClassStatus { burst, window_s, remaining: possible, wait_s, .. } = class_status;
    // The time of the reset is sent only if the client is limited. The parameter `alert` is an extension.
    let more = match class_status.status {
        RateClassStatus::Clear => String::new(),
        RateClassStatus::Alert => ";alert".to_owned(),
        RateClassStatus::Limited | RateClassStatus::Disconnect => format!(";t={wait_s}"),
    };
    let name = class_status.class.name();
    let field = |name: &'static str, value: String| {
        (HeaderName::from_static(name), HeaderValue::from_str(&value).unwrap_or(HeaderValue::from_static("")))
    };
    RateLimitHeaders([
        field("ratelimit-policy", format!("\"{name}\";q={burst};w={window_s}")),
        field("ratelimit", format!("\"{name}\";r={possible}{more}")),
    ])
}

fn class_of(request: &HttpRequest, route: Option<&Route>) -> RequestClass {
    route.map_or(RequestClass::Browse, |route| route.rate_class_of(request.method()))
}

fn cost(request: &HttpRequest, route: Option<&Route>) -> u32 {
    let costly = route.and_then(|route| route.cost_by_parameter);
    costly
        .filter(|(parameter, _)| !matches!(Query::for_request(request).get_undocumented(parameter), Ok(None)))
        .map_or(1, |(_, cost)| cost)
}

fn is_form(request: &HttpRequest) -> bool {
    let sent = matches!(BodyKind::from_headers(request.headers()), Ok(BodyKind::Form));
    request.method() == Method::POST && sent && ResponseFormat::for_request(request) == ResponseFormat::Html
}
