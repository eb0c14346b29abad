//! Middleware for Tower services, such as those of axum. See [`RateLimitLayer`].

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use http::header::HeaderName;
use http::request::Parts;
use http::{Request, Response, StatusCode};
use tower_layer::Layer;
use tower_service::Service;

use crate::Limiter;
use crate::http::{Limit, OnStoreError, Verdict};
use crate::stores::Store;

/// A layer that limits the requests of each client.
///
/// A refused request is answered with 429 Too Many Requests, `Retry-After`, and a body of the type
/// `application/problem+json`. Responses have the headers `RateLimit-Policy` and `RateLimit`
/// (draft-ietf-httpapi-ratelimit-headers-10) if the limiter has a fixed quota. Several layers may be nested, for example
/// one for all routes and one for a single route; give them different [names](Self::with_name).
///
/// The key function returns the key of the client. Requests without a key are answered with 500 Internal Server Error,
/// unless [`serve_without_key`](Self::serve_without_key) is called. Do not use a
/// value that the client can choose, such as an unverified header: the client could evade the limit by changing it.
/// Reject or hash long keys, because they are stored unchanged.
///
/// ```
/// use std::net::SocketAddr;
/// use std::sync::Arc;
///
/// use axum::Router;
/// use axum::extract::ConnectInfo;
/// use axum::routing::get;
/// use evenkeel_limiters::LeakyBucket;
/// use evenkeel_limiters::http::{TrustedProxies, ip_key};
/// use evenkeel_limiters::stores::MemoryStore;
/// use evenkeel_limiters::tower::RateLimitLayer;
///
/// let proxies = TrustedProxies::new(["127.0.0.1"])?;
/// let limit = RateLimitLayer::new(
///     LeakyBucket::per_second(10).burst(20).build()?,
///     Arc::new(MemoryStore::new(100_000)),
///     move |request| {
///         let ConnectInfo(connection) = request.extensions.get::<ConnectInfo<SocketAddr>>()?;
///         let client = proxies.client_ip(connection.ip(), request.headers.get_all("x-forwarded-for"));
///         Some(ip_key(client))
///     },
/// );
/// let app: Router = Router::new().route("/", get(|| async { "Hello" })).layer(limit);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct RateLimitLayer<L: Limiter, S: Store<str, L>, F>(Limit<L, S, F>);

impl<L: Limiter, S: Store<str, L>, F: Fn(&Parts) -> Option<String>> RateLimitLayer<L, S, F> {
    /// Creates a layer. Layers can share a store if their names differ.
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

impl<L: Limiter, S: Store<str, L>, F> Clone for RateLimitLayer<L, S, F> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<L: Limiter, S: Store<str, L>, F, I> Layer<I> for RateLimitLayer<L, S, F> {
    type Service = RateLimitService<L, S, F, I>;

    fn layer(&self, inner: I) -> Self::Service {
        RateLimitService { limit: self.0.clone(), inner }
    }
}

/// Service with a rate limit. Created by [`RateLimitLayer`].
#[derive(Debug)]
pub struct RateLimitService<L: Limiter, S: Store<str, L>, F, I> {
    limit: Limit<L, S, F>,
    inner: I,
}

impl<L: Limiter, S: Store<str, L>, F, I: Clone> Clone for RateLimitService<L, S, F, I> {
    fn clone(&self) -> Self {
        Self { limit: self.limit.clone(), inner: self.inner.clone() }
    }
}

impl<L, S, F, I, B, R> Service<Request<B>> for RateLimitService<L, S, F, I>
where
    L: Limiter + Send + Sync + 'static,
    S: Store<str, L, Error: 'static> + Send + Sync + 'static,
    F: Fn(&Parts) -> Option<String> + Send + Sync + 'static,
    I: Service<Request<B>, Response = Response<R>> + Clone + Send + 'static,
    I::Future: Send,
    B: Send + 'static,
    R: From<String> + Send,
{
    type Response = Response<R>;
    type Error = I::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Response<R>, I::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), I::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        // `poll_ready` has prepared `self.inner`, so this service handles the request, and its clone handles the next
        // request.
        let clone = self.inner.clone();
        let mut inner = std::mem::replace(&mut self.inner, clone);
        let limit = self.limit.clone();
        Box::pin(async move {
            let (parts, body) = request.into_parts();
            let key = (limit.key)(&parts);
            let request = Request::from_parts(parts, body);
            let (mut response, headers) = match limit.check(key.as_deref()).await {
                Verdict::Serve(headers) => {
                    let response = inner.call(request).await?;
                    limit.settle(key.as_deref(), response.status().as_u16()).await;
                    (response, headers)
                }
                Verdict::Refuse { status, headers, body } => {
                    let mut response = Response::new(R::from(body));
                    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::TOO_MANY_REQUESTS);
                    (response, headers)
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
