//! Tests of the middlewares for axum and actix-web, with servers on the loopback interface. Each test runs with both
//! frameworks.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::Arc;

use evenkeel_limiters::http::{OnStoreError, TrustedProxies, ip_key};
use evenkeel_limiters::stores::{MemoryStore, Store, StoreError};
use evenkeel_limiters::{Decision, Event, LeakyBucket, LeakyBucketState};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

fn bucket(capacity: u32) -> LeakyBucket {
    LeakyBucket::per_hour(capacity).build().unwrap()
}

fn listener() -> (TcpListener, SocketAddr) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    listener.set_nonblocking(true).unwrap();
    let address = listener.local_addr().unwrap();
    (listener, address)
}

/// Starts a server with the pages `/`, `/narrow` (with an additional limit of one request) and `/health` (without limit).
/// Each IP address may send three requests.
async fn start_axum<S: Store<str, LeakyBucket, Error: 'static> + Send + Sync + 'static>(
    store: S,
    on_store_error: OnStoreError,
) -> SocketAddr {
    use axum::Router;
    use axum::extract::ConnectInfo;
    use axum::routing::get;
    use evenkeel_limiters::tower::RateLimitLayer;

    let proxies = TrustedProxies::new(["127.0.0.1"]).unwrap();
    let limit = RateLimitLayer::new(bucket(3), Arc::new(store), move |request| {
        let ConnectInfo(connection) = request.extensions.get::<ConnectInfo<SocketAddr>>()?;
        let client = proxies.client_ip(connection.ip(), request.headers.get_all("x-forwarded-for"));
        (request.uri.path() != "/health").then(|| ip_key(client))
    })
    .serve_without_key()
    .on_store_error(move |_| on_store_error);
    let failures = RateLimitLayer::new(bucket(2), Arc::new(memory()), |_| Some("all".to_owned()));
    let failures = failures.with_name("failures").count_if(|status| status == 401);
    let nobody = RateLimitLayer::new(bucket(1), Arc::new(memory()), |_| None).with_name("nobody");
    let narrow = RateLimitLayer::new(bucket(1), Arc::new(MemoryStore::<String, LeakyBucketState>::new(100)), |_| {
        Some("all".to_owned())
    })
    .with_name("narrow");
    let app = Router::new()
        .route("/narrow", get(|| async { "narrow" }).layer(narrow))
        .route("/right", get(|| async { "right" }).layer(failures.clone()))
        .route("/wrong", get(|| async { (axum::http::StatusCode::UNAUTHORIZED, "wrong") }).layer(failures))
        .route("/nobody", get(|| async { "nobody" }).layer(nobody))
        .route("/", get(|| async { "hello" }))
        .route("/health", get(|| async { "ok" }))
        .layer(limit);
    let (listener, address) = listener();
    let listener = tokio::net::TcpListener::from_std(listener).unwrap();
    tokio::spawn(async move {
        axum::serve(listener, app.into_make_service_with_connect_info::<SocketAddr>()).await.unwrap();
    });
    address
}

/// Starts a server with actix-web that has the pages and limits of [`start_axum`].
async fn start_actix<S: Store<str, LeakyBucket, Error: 'static> + Send + Sync + 'static>(
    store: S,
    on_store_error: OnStoreError,
) -> SocketAddr {
    use actix_web::{App, HttpServer, web};
    use evenkeel_limiters::actix::RateLimit;

    let proxies = TrustedProxies::new(["127.0.0.1"]).unwrap();
    let limit = RateLimit::new(bucket(3), Arc::new(store), move |request| {
        let client = proxies.client_ip(request.peer_addr()?.ip(), request.headers().get_all("x-forwarded-for"));
        (request.path() != "/health").then(|| ip_key(client))
    })
    .serve_without_key()
    .on_store_error(move |_| on_store_error);
    let failures = RateLimit::new(bucket(2), Arc::new(memory()), |_| Some("all".to_owned()));
    let failures = failures.with_name("failures").count_if(|status| status == 401);
    let nobody = RateLimit::new(bucket(1), Arc::new(memory()), |_| None).with_name("nobody");
    let narrow = RateLimit::new(bucket(1), Arc::new(MemoryStore::<String, LeakyBucketState>::new(100)), |_| {
        Some("all".to_owned())
    })
    .with_name("narrow");
    let app = move || {
        let narrow = web::resource("/narrow").wrap(narrow.clone()).route(web::get().to(|| async { "narrow" }));
        let wrong = || async { actix_web::HttpResponse::Unauthorized().body("wrong") };
        let right = web::resource("/right").wrap(failures.clone()).route(web::get().to(|| async { "right" }));
        let wrong = web::resource("/wrong").wrap(failures.clone()).route(web::get().to(wrong));
        let nobody = web::resource("/nobody").wrap(nobody.clone()).route(web::get().to(|| async { "nobody" }));
        App::new()
            .wrap(limit.clone())
            .service((narrow, right, wrong, nobody))
            .route("/", web::get().to(|| async { "hello" }))
            .route("/health", web::get().to(|| async { "ok" }))
    };
    let (listener, address) = listener();
    let server = HttpServer::new(app).workers(2).disable_signals().listen(listener).unwrap().run();
    tokio::spawn(server);
    address
}

/// Defines a test that runs with axum and with actix-web.
macro_rules! on_both {
    ($name:ident, $store:expr, $on_store_error:expr) => {
        mod $name {
            #[allow(unused_imports, reason = "not every test uses all of them")]
            use super::*;

            #[tokio::test]
            async fn axum() {
                super::$name(super::start_axum($store, $on_store_error).await).await;
            }

            #[tokio::test]
            async fn actix_web() {
                super::$name(super::start_actix($store, $on_store_error).await).await;
            }
        }
    };
}

struct Response {
    status: u16,
    headers: Vec<(String, String)>,
    body: String,
}

/// Sends a request on a new connection. A client library with TLS would need a TLS backend.
async fn get(server: SocketAddr, path: &str, forwarded: &str) -> Response {
    let mut connection = TcpStream::connect(server).await.unwrap();
    let request =
        format!("GET {path} HTTP/1.1\r\nhost: {server}\r\nx-forwarded-for: {forwarded}\r\nconnection: close\r\n\r\n");
    connection.write_all(request.as_bytes()).await.unwrap();
    let mut text = String::new();
    connection.read_to_string(&mut text).await.unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    let (first, headers) = head.split_once("\r\n").unwrap();
    let header = |line: &str| line.split_once(": ").map(|(name, value)| (name.to_lowercase(), value.to_owned()));
    Response {
        status: first.split(' ').nth(1).unwrap().parse().unwrap(),
        headers: headers.lines().map(|line| header(line).unwrap()).collect(),
        body: body.to_owned(),
    }
}

fn header<'a>(response: &'a Response, name: &str) -> Vec<&'a str> {
    response.headers.iter().filter(|(other, _)| other == name).map(|(_, value)| value.as_str()).collect()
}

fn problem(response: &Response) -> serde_json::Value {
    serde_json::from_str(&response.body).unwrap()
}

fn memory() -> MemoryStore<String, LeakyBucketState> {
    MemoryStore::new(10_000)
}

on_both!(refuses_with_headers_and_problem_details, memory(), OnStoreError::Allow);
async fn refuses_with_headers_and_problem_details(server: SocketAddr) {
    for remaining in (0..3).rev() {
        let response = get(server, "/", "203.0.113.1").await;
        assert_eq!(response.status, 200);
        assert_eq!(header(&response, "ratelimit-policy"), [r#""default";q=3"#]);
        let expected = format!(r#""default";r={remaining};t={}"#, 1_200 * (3 - remaining));
        assert_eq!(header(&response, "ratelimit"), [expected]);
        assert_eq!(response.body, "hello");
    }
    let refused = get(server, "/", "203.0.113.1").await;
    assert_eq!(refused.status, 429);
    assert_eq!(header(&refused, "content-type"), ["application/problem+json"]);
    assert_eq!(header(&refused, "ratelimit"), [r#""default";r=0;t=1200"#]);
    assert_eq!(header(&refused, "retry-after"), ["1200"]);
    let problem = problem(&refused);
    assert_eq!((problem["status"].as_u64(), problem["title"].as_str()), (Some(429), Some("Too Many Requests")));
    // Unknown pages are limited too, other clients and exempt pages are not.
    assert_eq!(get(server, "/nothing", "203.0.113.1").await.status, 429);
    assert_eq!(get(server, "/", "203.0.113.2").await.status, 200);
    let exempt = get(server, "/health", "203.0.113.1").await;
    assert_eq!((exempt.status, header(&exempt, "ratelimit-policy").len()), (200, 0));
}

on_both!(a_route_can_have_its_own_limit, memory(), OnStoreError::Allow);
async fn a_route_can_have_its_own_limit(server: SocketAddr) {
    let first = get(server, "/narrow", "203.0.113.1").await;
    assert_eq!(first.status, 200);
    assert_eq!(header(&first, "ratelimit-policy"), [r#""narrow";q=1"#, r#""default";q=3"#]);
    let refused = get(server, "/narrow", "203.0.113.2").await;
    assert_eq!(refused.status, 429);
    assert_eq!(header(&refused, "ratelimit"), [r#""narrow";r=0;t=3600"#, r#""default";r=2;t=1200"#]);
    assert_eq!(get(server, "/", "203.0.113.2").await.status, 200);
}

on_both!(only_responses_with_a_chosen_status_count, memory(), OnStoreError::Allow);
async fn only_responses_with_a_chosen_status_count(server: SocketAddr) {
    for (number, path, status) in
        [(1, "/right", 200), (2, "/wrong", 401), (3, "/right", 200), (4, "/wrong", 401), (5, "/right", 429)]
    {
        assert_eq!(get(server, path, &format!("203.0.113.{number}")).await.status, status, "request {number}");
    }
}

on_both!(request_without_a_key_is_an_error, memory(), OnStoreError::Allow);
async fn request_without_a_key_is_an_error(server: SocketAddr) {
    let response = get(server, "/nobody", "203.0.113.1").await;
    assert_eq!((response.status, problem(&response)["status"].as_u64()), (500, Some(500)));
}

on_both!(concurrent_requests_are_counted_exactly, memory(), OnStoreError::Allow);
async fn concurrent_requests_are_counted_exactly(server: SocketAddr) {
    let tasks: Vec<_> =
        (0..40).map(|_| tokio::spawn(async move { get(server, "/", "203.0.113.1").await.status })).collect();
    let mut allowed = 0;
    for task in tasks {
        allowed += usize::from(task.await.unwrap() == 200);
    }
    assert_eq!(allowed, 3);
}

/// A store whose server is unavailable.
struct Unavailable;

impl Store<str, LeakyBucket> for Unavailable {
    type Error = ();

    async fn check_event(&self, _: &str, _: &LeakyBucket, _: Event) -> Result<Decision, StoreError<()>> {
        Err(StoreError::Store(()))
    }

    async fn peek_event(&self, _: &str, _: &LeakyBucket, _: Event) -> Result<Decision, StoreError<()>> {
        Err(StoreError::Store(()))
    }

    async fn refund_event(&self, _: &str, _: &LeakyBucket, _: Event) -> Result<bool, ()> {
        Err(())
    }

    async fn reset(&self, _: &str) -> Result<(), ()> {
        Err(())
    }
}

on_both!(requests_are_served_while_the_store_is_unavailable, Unavailable, OnStoreError::Allow);
async fn requests_are_served_while_the_store_is_unavailable(server: SocketAddr) {
    for _ in 0..5 {
        let response = get(server, "/", "203.0.113.1").await;
        assert_eq!((response.status, header(&response, "ratelimit").len()), (200, 0));
    }
}

on_both!(requests_can_be_refused_while_the_store_is_unavailable, Unavailable, OnStoreError::Refuse);
async fn requests_can_be_refused_while_the_store_is_unavailable(server: SocketAddr) {
    let response = get(server, "/", "203.0.113.1").await;
    assert_eq!(response.status, 503);
    assert_eq!(header(&response, "retry-after"), ["1"]);
    assert_eq!(problem(&response)["status"], 503);
    assert_eq!(get(server, "/health", "203.0.113.1").await.status, 200);
}
