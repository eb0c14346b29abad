//! HTTP client of a test user, with its own cookie jar.

use std::collections::BTreeMap;
use std::io::{Cursor, Read as _};
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use reqwest::header::{ACCEPT, AUTHORIZATION, COOKIE, HeaderMap, HeaderName, HeaderValue};
use reqwest::multipart::{Form, Part};
use reqwest::redirect::Policy;
use reqwest::{Client, ClientBuilder, Method, StatusCode};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use zip::ZipArchive;

use super::contract::SentRequest;

/// Time limit of a request, so high that tests pass on a busy machine.
const REQUEST_TIMEOUT: Duration = Duration::from_mins(5);

#[derive(Clone)]
pub struct Actor {
    client: Client,
    address: SocketAddr,
    /// Cookie header of a client that was created by `with_cookie`. Other clients have a cookie jar.
    pub cookie: Option<String>,
}

/// Builds a client without TLS root certificates, because loading them is slow, and a test has hundreds of clients.
fn builder() -> ClientBuilder {
    let _ = rustls::crypto::ring::default_provider().install_default();
    Client::builder().tls_certs_only([])
}

impl Actor {
    pub fn new(address: SocketAddr) -> Self {
        let client = builder().cookie_store(true).timeout(REQUEST_TIMEOUT).redirect(Policy::none()).build().unwrap();
        Self { client, address, cookie: None }
    }

    pub fn with_cookie(address: SocketAddr, cookie: &str) -> Self {
        let headers = HeaderMap::from_iter([(COOKIE, HeaderValue::from_str(cookie).unwrap())]);
        let client =
            builder().default_headers(headers).timeout(REQUEST_TIMEOUT).redirect(Policy::none()).build().unwrap();
        Self { client, address, cookie: Some(cookie.to_owned()) }
    }

    /// Returns a client that sends an API token.
    pub fn with_token(address: SocketAddr, token: &str) -> Self {
        let value = HeaderValue::from_str(&format!("Bearer {token}")).unwrap();
        let headers = HeaderMap::from_iter([(AUTHORIZATION, value)]);
        let client =
            builder().default_headers(headers).timeout(REQUEST_TIMEOUT).redirect(Policy::none()).build().unwrap();
        Self { client, address, cookie: None }
    }

    /// Returns a client of this user for another instance of the site. Cookies are valid for all ports of a host.
    pub fn with_instance(&self, address: SocketAddr) -> Self {
        Self { address, ..self.clone() }
    }

    pub fn request(&self, method: &str, path: &str) -> reqwest::RequestBuilder {
        let method = Method::from_bytes(method.as_bytes()).unwrap();
        self.client.request(method, format!("http://{}{path}", self.address))
    }

    pub async fn send(&self, request: reqwest::RequestBuilder) -> TestResponse {
        self.attempt(request).await.unwrap()
    }

    /// Sends a request like `send`, but returns `None` if the connection fails.
    pub async fn attempt(&self, request: reqwest::RequestBuilder) -> Option<TestResponse> {
        let (client, request) = request.build_split();
        let request = request.unwrap();
        let sent = SentRequest::of(&request);
        let response = client.execute(request).await.ok()?;
        let (status, headers) = (response.status(), response.headers().clone());
        let response = TestResponse { status, headers, text: response.text().await.ok()? };
        // Checks the response on another thread, because this thread must notice when the site closes idle connections
        // of other clients.
        let checked = tokio::task::spawn_blocking(move || {
            sent.check(&response);
            response
        });
        Some(checked.await.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic())))
    }

    pub async fn is_site_ready(&self) -> bool {
        self.attempt(self.request("GET", "/readyz")).await.is_some_and(|answer| answer.status == 200)
    }

    /// Submits a form over a raw connection, because HTTP clients normalize paths. Sends the cookie of
    /// [`Self::cookie`].
    pub async fn raw(&self, method: &str, path: &str, form: &str) -> TestResponse {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: localhost\r\nAccept: text/html\r\nCookie: {}\r\nConnection: close\r\n\
             Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\n\r\n{form}",
            self.cookie.as_deref().unwrap_or(""),
            form.len()
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).await.unwrap();
        TestResponse::parse(&text)
    }

    pub async fn get(&self, path: &str) -> TestResponse {
        self.send(self.request("GET", path).header(ACCEPT, "application/json")).await
    }

    pub async fn post(&self, path: &str, body: &Value) -> TestResponse {
        self.send(self.request("POST", path).json(body)).await
    }

    pub async fn put(&self, path: &str, body: &Value) -> TestResponse {
        self.send(self.request("PUT", path).json(body)).await
    }

    /// Downloads the export of personal data, and returns its files by name.
    pub async fn download_export(&self) -> BTreeMap<String, String> {
        let answer = self.request("GET", "/users/export/").send().await.unwrap();
        assert_eq!(answer.status(), 200);
        let header = |name: &str| answer.headers()[name].to_str().unwrap().to_owned();
        assert!(header("content-disposition").starts_with("attachment; filename=\"export.zip\""));
        assert_eq!(
            (header("content-type").as_str(), header("cache-control").as_str()),
            ("application/zip", "no-store")
        );
        let mut zip = ZipArchive::new(Cursor::new(answer.bytes().await.unwrap())).unwrap();
        let mut files = BTreeMap::new();
        for n in 0..zip.len() {
            let mut file = zip.by_index(n).unwrap();
            let mut text = String::new();
            file.read_to_string(&mut text).unwrap();
            files.insert(file.name().unwrap().into_owned(), text);
        }
        files
    }

    /// Requests HTML and follows the redirect to a post's canonical URL.
    pub async fn page(&self, path: &str) -> TestResponse {
        let answer = self.page_without_redirect(path).await;
        // The canonical URL of a post contains its title.
        if answer.status == 308 { self.page_without_redirect(answer.header("location")).await } else { answer }
    }

    pub async fn page_without_redirect(&self, path: &str) -> TestResponse {
        self.send(self.request("GET", path).header(ACCEPT, "text/html,*/*;q=0.8")).await
    }

    pub async fn submit(&self, path: &str, fields: &[(&str, &str)]) -> TestResponse {
        let request = self.request("POST", path).header(ACCEPT, "text/html,*/*;q=0.8");
        self.send(request.header("Sec-Fetch-Site", "same-origin").form(fields)).await
    }

    pub async fn submit_file(&self, path: &str, fields: &[(&str, &str)], file: (&str, Vec<u8>)) -> TestResponse {
        let request = self.request("POST", path).header(ACCEPT, "text/html,*/*;q=0.8");
        self.send(request.header("Sec-Fetch-Site", "same-origin").multipart(form(fields, file))).await
    }

    pub async fn send_image(&self, alt: &str, bytes: Vec<u8>) -> TestResponse {
        let request = self.request("POST", "/images/").header(ACCEPT, "application/json");
        self.send(request.multipart(form(&[("alt", alt)], ("image", bytes)))).await
    }

    /// Uploads an image like `send_image`, but returns `None` if the connection fails.
    pub async fn attempt_image(&self, bytes: Vec<u8>) -> Option<TestResponse> {
        let request = self.request("POST", "/images/").header(ACCEPT, "application/json");
        self.attempt(request.multipart(form(&[], ("image", bytes)))).await
    }

    pub async fn write(&self, title: &str, content: &str) -> i64 {
        let post = self.post("/blogs/create/", &json!({ "title": title, "content": content })).await;
        post.expect(201).json()["id"].as_i64().unwrap()
    }

    pub async fn rate(&self, post: i64, rating: i64) -> TestResponse {
        self.post("/rate/", &json!({ "blog": post, "rating": rating })).await
    }

    /// Rates a post, retrying 503 responses, which occur on a busy machine. A 409 may mean that an earlier attempt was
    /// stored although its response was an error.
    pub async fn rate_until_answered(&self, post: i64, rating: i64) -> u16 {
        let patience = Instant::now() + Duration::from_mins(2);
        loop {
            match self.rate(post, rating).await.status.as_u16() {
                503 => assert!(Instant::now() < patience, "503 for two minutes"),
                status => return status,
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    pub async fn withdraw_rating(&self, post: i64) -> TestResponse {
        self.post(&format!("/rate/withdraw/{post}/"), &json!({})).await
    }

    pub async fn change_rating(&self, post: i64, rating: i64) -> TestResponse {
        self.put(&format!("/rate/edit_user_rating/{post}/"), &json!({ "rating": rating })).await
    }
}

fn form(fields: &[(&str, &str)], (name, bytes): (&str, Vec<u8>)) -> Form {
    let texts =
        fields.iter().fold(Form::new(), |form, (name, value)| form.text((*name).to_owned(), (*value).to_owned()));
    texts.part(name.to_owned(), Part::bytes(bytes).file_name("picture"))
}

pub struct EventStream {
    response: reqwest::Response,
    text: String,
}

impl EventStream {
    pub async fn open(actor: &Actor, path: &str) -> Self {
        Self::try_open(actor, path).await.unwrap()
    }

    pub async fn try_open(actor: &Actor, path: &str) -> Option<Self> {
        let response = actor.request("GET", path).header(ACCEPT, "text/event-stream").send().await.unwrap();
        (response.status() == 200).then(|| Self { response, text: String::new() })
    }

    /// Returns the name and data of the next event, or `None` at the regular end of the stream.
    pub async fn try_next(&mut self) -> Option<(String, Value)> {
        loop {
            while let Some((event, rest)) = self.text.split_once("\n\n") {
                let (event, rest) = (event.to_owned(), rest.to_owned());
                self.text = rest;
                // Comments, which begin with a colon, are heartbeats.
                if let Some((name, data)) = event.split_once('\n').filter(|_| !event.starts_with(':')) {
                    let name = name.strip_prefix("event: ").unwrap().to_owned();
                    return Some((name, serde_json::from_str(data.strip_prefix("data: ").unwrap()).unwrap()));
                }
            }
            let chunk = self.response.chunk().await.unwrap()?;
            self.text += std::str::from_utf8(&chunk).unwrap();
        }
    }

    pub async fn next(&mut self) -> (String, Value) {
        self.try_next().await.expect("the stream ended")
    }

    pub async fn ended(&mut self) -> bool {
        self.try_next().await.is_none()
    }
}

#[derive(Clone, Debug)]
pub struct TestResponse {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub text: String,
}

impl TestResponse {
    fn parse(text: &str) -> Self {
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no answer: {text}"));
        let mut lines = head.lines();
        let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
        let fields = lines.map(|line| line.split_once(':').unwrap());
        let fields = fields.map(|(name, value)| (name.parse::<HeaderName>().unwrap(), value.trim().parse().unwrap()));
        Self { status: StatusCode::from_u16(status).unwrap(), headers: fields.collect(), text: body.to_owned() }
    }

    #[track_caller]
    pub fn expect(self, status: u16) -> Self {
        assert_eq!(self.status.as_u16(), status, "{}", self.text);
        self
    }

    #[track_caller]
    pub fn expect_problem(self, status: u16, code: &str) -> Self {
        let answer = self.expect(status);
        assert_eq!(answer.header("content-type"), "application/problem+json");
        let problem = answer.json();
        assert_eq!((problem["status"].as_u64(), problem["code"].as_str()), (Some(u64::from(status)), Some(code)));
        assert!(problem["title"].is_string() && problem["detail"].is_string() && problem["type"].is_string());
        answer
    }

    /// Expects the redirect after a successful form submission.
    #[track_caller]
    pub fn expect_redirect(self, location: &str) -> Self {
        let answer = self.expect(303);
        assert_eq!(answer.header("location"), location);
        answer
    }

    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text)
            .unwrap_or_else(|error| panic!("{error}: status {}: {}", self.status, self.text))
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    pub fn retry_after(&self) -> i64 {
        self.header("retry-after").parse().unwrap()
    }

    #[track_caller]
    pub fn expect_text(self, text: &str) -> Self {
        assert!(self.text.contains(text), "no {text:?} in {}", self.text);
        self
    }

    #[track_caller]
    pub fn expect_no_text(self, text: &str) -> Self {
        assert!(!self.text.contains(text), "{text:?} in {}", self.text);
        self
    }
}
