//! Middleware for actix-web. See [`RateLimit`].

use std::future::{Ready, ready};
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll};

use actix_web::body::EitherBody;
use actix_web::dev::{Service, ServiceRequest, ServiceResponse, Transform};
use actix_web::http::StatusCode;
use actix_web::http::header::HeaderName;
use actix_web::{Error, HttpResponse};
use futures_core::future::LocalBoxFuture;

use crate::Limiter;
use crate::http::{Limit, OnStoreError, Verdict};
use crate::stores::Store;

/// A middleware that limits the requests of each client.
///
/// A refused request is answered with 429 Too Many Requests, `Retry-After`, and a body of the type
/// `application/problem+json`. Responses have the headers `RateLimit-Policy` and `RateLimit`
/// (draft-ietf-httpapi-ratelimit-headers-10) if the limiter has a fixed quota. Several middlewares may be nested, for
/// example one for the application and one for a resource; give them different [names](Self::with_name).
///
/// The key function returns the key of the client. Requests without a key are answered with 500 Internal Server Error,
/// unless [`serve_without_key`](Self::serve_without_key) is called. Do not use a
/// value that the client can choose, such as an unverified header: the client could evade the limit by changing it.
/// Reject or hash long keys, because they are stored unchanged.
///
/// ```
/// use std::sync::Arc;
///
/// use actix_web::{App, web};
/// use evenkeel_limiters::LeakyBucket;
/// use evenkeel_limiters::actix::RateLimit;
/// use evenkeel_limiters::http::{TrustedProxies, ip_key};
/// use evenkeel_limiters::stores::MemoryStore;
///
/// let proxies = TrustedProxies::new(["127.0.0.1"])?;
/// // Created once, outside the factory of the application, so that all worker threads share it.
/// let limit = RateLimit::new(
///     LeakyBucket::per_second(10).burst(20).build()?,
///     Arc::new(MemoryStore::new(100_000)),
///     move |request| {
///         let client = proxies.client_ip(request.peer_addr()?.ip(), request.headers().get_all("x-forwarded-for"));
///         Some(ip_key(client))
///     },
/// );
/// let app = App::new().wrap(limit).route("/", web::get().to(|| async { "Hello" }));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct RateLimit<L: Limiter, S: Store<str, L>, F>(Limit<L, S, F>);

impl<L: Limiter, S: Store<str, L>, F: Fn(&ServiceRequest) -> Option<String>> RateLimit<L, S, F> {
    /// Creates a middleware. Middlewares can share a store if their names differ.
    pub fn new(limiter: L, store: Arc<S>, key: F) -> Self {
        Self(Limit::new(limiter, store, key))
    }

    /// Sets the name of the limit in the headers `RateLimit-Policy` and `RateLimit`. Default `default`.
    #[must_use]
    pub fn with_name(self, name: &str) -> Self {
        Self(self.0.with_name(name))
    }

    /// Serves requests for which the key function returns `None`, without a limit. By default they are answered with 500
    /// Internal Server Error, because a missing key is usually a mistake, such as a missing `ConnectInfo` of axum.
    #[must_use]
    pub fn serve_without_key(self) -> Self {
        Self(self.0.serve_without_key())
    }

    /// Counts only requests whose response has a status for which `counts` returns `true`, such as 401 for failed
    /// sign-ins. Every request is counted first, and given back after a response that does not count. Only limiters that
    /// support [refunds](crate::Limiter::refund), such as [`LeakyBucket`](crate::LeakyBucket), can give requests back.
    #[must_use]
    pub fn count_if(self, counts: impl Fn(u16) -> bool + Send + Sync + 'static) -> Self {
        Self(self.0.count_if(counts))
    }

    /// Sets the action for requests that cannot be checked, because the store is unavailable. `action` receives
    /// the error and may log it. By default the requests are served.
    #[must_use]
    pub fn on_store_error(self, action: impl Fn(&S::Error) -> OnStoreError + Send + Sync + 'static) -> Self {
        Self(self.0.on_store_error(action))
    }
}

impl<L: Limiter, S: Store<str, L>, F> Clone for RateLimit<L, S, F> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<L, S, F, I, B> Transform<I, ServiceRequest> for RateLimit<L, S, F>
where
    L: Limiter + 'static,
    S: Store<str, L, Error: 'static> + 'static,
    F: Fn(&ServiceRequest) -> Option<String> + 'static,
    I: Service<ServiceRequest, Response = ServiceResponse<B>, Error = Error> + 'static,
    B: 'static,
{
    type Response = ServiceResponse<EitherBody<B>>;
    type Error = Error;
    type Transform = RateLimitService<L, S, F, I>;
    type InitError = ();
    type Future = Ready<Result<Self::Transform, ()>>;

    fn new_transform(&self, service: I) -> Self::Future {
        ready(Ok(RateLimitService { limit: self.0.clone(), service: Rc::new(service) }))
    }
}

/// Service with a rate limit. Created by [`RateLimit`].
#[derive(Debug)]
pub struct RateLimitService<L: Limiter, S: Store<str, L>, F, I> {
    limit: Limit<L, S, F>,
    service: Rc<I>,
}

impl<L, S, F, I, B> Service<ServiceRequest> for RateLimitService<L, S, F, I>
where
    L: Limiter + 'static,
    S: Store<str, L, Error: 'static> + 'static,
    F: Fn(&ServiceRequest) -> Option<String> + 'static,
    I: Service<ServiceRequest, Response = ServiceResponse<B>, Error = Error> + 'static,
    B: 'static,
{
    type Response = ServiceResponse<EitherBody<B>>;
    type Error = Error;
    type Future = LocalBoxFuture<'static, Result<Self::Response, Error>>;

    fn poll_ready(&self, context: &mut Context<'_>) -> Poll<Result<(), Error>> {
        self.service.poll_ready(context)
    }

    fn call(&self, request: ServiceRequest) -> Self::Future {
        let (limit, service) = (self.limit.clone(), Rc::clone(&self.service));
        Box::pin(async move {
            let key = (limit.key)(&request);
            let (mut response, headers) = match limit.check(key.as_deref()).await {
                Verdict::Serve(headers) => {
                    let response = service.call(request).await?.map_into_left_body();
                    limit.settle(key.as_deref(), response.status().as_u16()).await;
                    (response, headers)
                }
                Verdict::Refuse { status, headers, body } => {
                    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::TOO_MANY_REQUESTS);
                    let response = request.into_response(HttpResponse::build(status).body(body));
                    (response.map_into_right_body(), headers)
                }
            };
            for (name, value) in headers {
                if let Ok(value) = value.try_into() {
                    response.headers_mut().append(HeaderName::from_static(name), value);
                }
            }
            Ok(response)
        })
    }
}
