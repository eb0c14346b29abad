//! Status of every URL for each method, content type, malformed body, extreme ID and hostile string. No response may
//! contain internal details.

use evenkeel::server::declare_routes;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::json;
use sqlx::AssertSqlSafe;

use crate::support::{Actor, TestResponse, TestSite, tables};

/// Expected responses of one URL pattern. The first test fails if a pattern of the site is missing here.
struct Address {
    pattern: &'static str,
    /// Example path: post 1 was written by ann and rated by ben.
    path: &'static str,
    /// Status of GET for an anonymous visitor and for the user ben. 0 if GET is not allowed.
    get: [u16; 2],
    /// `None` if no unsafe method is allowed.
    body: Option<Body>,
}

#[derive(Clone, Copy, PartialEq)]
enum Body {
    /// Accepts form fields, and does not require sign-in.
    Open,
    /// Accepts form fields, and requires sign-in.
    Private,
    /// Accepts no form fields, and does not require sign-in. Contains the status of a request without a body.
    Nothing(u16),
    /// Accepts no form fields, and requires sign-in. Contains the status for the user ben.
    PrivateNothing(u16),
    /// Only for staff: 404 for other users, and 401 without a session.
    Hidden,
}

const fn at(pattern: &'static str, path: &'static str, get: [u16; 2], body: Option<Body>) -> Address {
    Address { pattern, path, get, body }
}

const ADDRESSES: [Address; 109] = [
    at("/", "/", [200, 200], None),
    at("/blogs/", "/blogs/", [200, 200], None),
    at("/admin/", "/admin/", [401, 404], None),
    at("/admin/log/", "/admin/log/", [401, 404], None),
    at("/blogs/{id}/report/", "/blogs/1/report/", [200, 200], Some(Body::Open)),
    at("/reports/", "/reports/", [401, 200], None),
    at("/reports/by_link/", "/reports/by_link/", [400, 400], Some(Body::Open)),
    at("/reports/{id}/", "/reports/1/", [401, 404], None),
    at("/reports/{id}/appeal/", "/reports/1/appeal/", [0, 0], Some(Body::Private)),
    at("/admin/reports/", "/admin/reports/", [401, 404], None),
    at("/admin/reports/{id}/", "/admin/reports/1/", [401, 404], Some(Body::Hidden)),
    at("/admin/posts/", "/admin/posts/", [401, 404], None),
    at("/admin/ratings/", "/admin/ratings/", [401, 404], None),
    at("/admin/tags/", "/admin/tags/", [401, 404], None),
    at("/admin/links/", "/admin/links/", [401, 404], None),
    at("/admin/pauses/", "/admin/pauses/", [401, 404], None),
    at("/admin/sessions/", "/admin/sessions/", [401, 404], None),
    at("/admin/tokens/", "/admin/tokens/", [401, 404], None),
    at("/admin/invitations/", "/admin/invitations/", [401, 404], None),
    at("/admin/limiter/states/", "/admin/limiter/states/", [401, 404], None),
    at("/admin/mails/", "/admin/mails/", [401, 404], None),
    at("/admin/act/", "/admin/act/", [401, 404], Some(Body::Hidden)),
    at("/admin/users/", "/admin/users/", [401, 404], None),
    at("/admin/users/{username}/", "/admin/users/ann/", [401, 404], None),
    at("/admin/first-steps/", "/admin/first-steps/", [0, 0], Some(Body::Hidden)),
    at("/admin/limiter/", "/admin/limiter/", [401, 404], None),
    at("/admin/limiter/choose/", "/admin/limiter/choose/", [401, 404], Some(Body::Hidden)),
    at("/admin/limiter/undo/", "/admin/limiter/undo/", [0, 0], Some(Body::Hidden)),
    at("/admin/limits/", "/admin/limits/", [401, 404], Some(Body::Hidden)),
    at("/admin/limits/{id}/end/", "/admin/limits/1/end/", [0, 0], Some(Body::Hidden)),
    at("/admin/settings/", "/admin/settings/", [401, 404], Some(Body::Hidden)),
    at("/admin/webhooks/", "/admin/webhooks/", [401, 404], Some(Body::Hidden)),
    at("/admin/webhooks/deliveries/", "/admin/webhooks/deliveries/", [401, 404], None),
    at("/admin/webhooks/{id}/", "/admin/webhooks/1/", [401, 404], Some(Body::Hidden)),
    at("/admin/webhooks/{id}/test/", "/admin/webhooks/1/test/", [0, 0], Some(Body::Hidden)),
    at("/admin/webhooks/{id}/delete/", "/admin/webhooks/1/delete/", [0, 0], Some(Body::Hidden)),
    at("/blogs/create/", "/blogs/create/", [401, 200], Some(Body::Private)),
    at("/blogs/deleted/", "/blogs/deleted/", [401, 200], None),
    at("/blogs/drafts/", "/blogs/drafts/", [401, 200], None),
    at("/blogs/tags/", "/blogs/tags/", [200, 200], None),
    at("/blogs/preview/", "/blogs/preview/", [0, 0], Some(Body::Private)),
    at("/blogs/{id}/", "/blogs/1/", [200, 200], None),
    // JSON requests are redirected to the URL without slug.
    at("/blogs/{id}/{slug}/", "/blogs/1/a-post/", [308, 308], None),
    at("/feeds/atom/", "/feeds/atom/", [200, 200], None),
    at("/feeds/json/", "/feeds/json/", [200, 200], None),
    at("/sitemap.xml", "/sitemap.xml", [200, 200], None),
    at("/robots.txt", "/robots.txt", [200, 200], None),
    at("/blogs/{id}/ratings/", "/blogs/1/ratings/", [200, 200], None),
    at("/blogs/{id}/ratings/exclude/", "/blogs/1/ratings/exclude/", [401, 403], Some(Body::Private)),
    at("/blogs/{id}/ratings/restore/", "/blogs/1/ratings/restore/", [401, 403], Some(Body::Private)),
    at("/rate/mine/", "/rate/mine/", [401, 200], None),
    at("/blogs/{id}/edit/", "/blogs/1/edit/", [401, 403], Some(Body::Private)),
    at("/blogs/{id}/publish/", "/blogs/1/publish/", [0, 0], Some(Body::PrivateNothing(403))),
    at("/blogs/{id}/unpublish/", "/blogs/1/unpublish/", [401, 403], Some(Body::PrivateNothing(403))),
    at("/blogs/{id}/restore/", "/blogs/1/restore/", [0, 0], Some(Body::PrivateNothing(404))),
    at("/blogs/{id}/purge/", "/blogs/1/purge/", [0, 0], Some(Body::PrivateNothing(404))),
    at("/blogs/{id}/revisions/", "/blogs/1/revisions/", [401, 403], None),
    at("/blogs/{id}/revisions/{version}/", "/blogs/1/revisions/1/", [401, 403], None),
    at(
        "/blogs/{id}/revisions/{version}/restore/",
        "/blogs/1/revisions/1/restore/",
        [0, 0],
        Some(Body::PrivateNothing(403)),
    ),
    at(
        "/blogs/{id}/revisions/{version}/delete/",
        "/blogs/1/revisions/1/delete/",
        [0, 0],
        Some(Body::PrivateNothing(403)),
    ),
    at("/blogs/{id}/delete/", "/blogs/1/delete/", [401, 403], Some(Body::PrivateNothing(403))),
    at("/rate/", "/rate/", [0, 0], Some(Body::Private)),
    at("/rate/get_blog_rating/", "/rate/get_blog_rating/", [400, 400], None),
    at("/rate/get_blog_rating/{id}/", "/rate/get_blog_rating/1/", [200, 200], None),
    at("/rate/get_user_rating/{id}/", "/rate/get_user_rating/1/", [401, 200], None),
    at("/rate/edit_user_rating/{id}/", "/rate/edit_user_rating/1/", [0, 0], Some(Body::Private)),
    at("/rate/withdraw/{id}/", "/rate/withdraw/1/", [0, 0], Some(Body::PrivateNothing(200))),
    at("/rate/paused/", "/rate/paused/", [401, 200], None),
    at("/unpause/", "/unpause/", [400, 400], Some(Body::Nothing(400))),
    at("/rate/classes/", "/rate/classes/", [200, 200], None),
    // 404, because rate classes are disabled by default in tests.
    at("/rate/classes/events/", "/rate/classes/events/", [404, 404], None),
    // 404, because no URL is flagged on the site of this test.
    at("/links/{hash}/", "/links/0123456789abcdef0123456789abcdef/", [404, 404], None),
    at("/users/register/", "/users/register/", [200, 200], Some(Body::Open)),
    at("/language/", "/language/", [0, 0], Some(Body::Open)),
    at("/users/login/", "/users/login/", [200, 200], Some(Body::Open)),
    at("/users/logout/", "/users/logout/", [0, 0], Some(Body::Nothing(204))),
    at("/users/password_change/", "/users/password_change/", [401, 200], Some(Body::Private)),
    at("/.well-known/change-password", "/.well-known/change-password", [302, 302], None),
    at("/users/password_reset/", "/users/password_reset/", [200, 200], Some(Body::Open)),
    at("/users/account/", "/users/account/", [401, 200], Some(Body::Private)),
    at("/users/confirm/", "/users/confirm/", [400, 400], Some(Body::Nothing(400))),
    at("/users/sessions/", "/users/sessions/", [401, 200], Some(Body::Private)),
    at("/api/schema/", "/api/schema/", [200, 200], None),
    at("/api/docs/", "/api/docs/", [200, 200], None),
    at("/users/tokens/", "/users/tokens/", [401, 200], Some(Body::Private)),
    at("/users/tokens/{id}/end/", "/users/tokens/1/end/", [0, 0], Some(Body::PrivateNothing(404))),
    at("/users/delete/", "/users/delete/", [401, 200], Some(Body::Private)),
    at("/users/delete/cancel/", "/users/delete/cancel/", [0, 0], Some(Body::PrivateNothing(200))),
    at("/users/export/", "/users/export/", [401, 200], None),
    at("/users/invitations/", "/users/invitations/", [401, 403], Some(Body::Private)),
    at("/users/invitations/{id}/end/", "/users/invitations/1/end/", [0, 0], Some(Body::PrivateNothing(403))),
    at("/users/owner/", "/users/owner/", [200, 200], Some(Body::Open)),
    at("/users/{username}/approve/", "/users/ann/approve/", [0, 0], Some(Body::Private)),
    at("/users/profile/", "/users/profile/", [401, 200], Some(Body::Private)),
    at("/users/second_factor/", "/users/second_factor/", [401, 200], Some(Body::Private)),
    at("/users/second_factor/confirm/", "/users/second_factor/confirm/", [0, 0], Some(Body::Private)),
    at("/users/second_factor/codes/", "/users/second_factor/codes/", [0, 0], Some(Body::Private)),
    at("/users/second_factor/remove/", "/users/second_factor/remove/", [0, 0], Some(Body::Private)),
    at("/users/account/confirm/", "/users/account/confirm/", [0, 0], Some(Body::PrivateNothing(503))),
    at("/users/me/", "/users/me/", [401, 200], None),
    at("/users/{username}/", "/users/ann/", [200, 200], None),
    at("/images/", "/images/", [401, 200], Some(Body::Private)),
    at("/images/{name}", "/images/0123456789abcdef0123456789abcdef-8x8.png", [404, 404], None),
    at("/images/{name}/delete/", "/images/cat.png/delete/", [0, 0], Some(Body::PrivateNothing(404))),
    at("/blogs/images/", "/blogs/images/", [0, 0], Some(Body::Private)),
    at("/static/{name}", "/static/style.css", [200, 200], None),
    at("/favicon.ico", "/favicon.ico", [302, 302], None),
    at("/healthz", "/healthz", [200, 200], None),
    at("/readyz", "/readyz", [200, 200], None),
];

const UNSAFE: [&str; 2] = ["POST", "PUT"];

fn allow(pattern: &str) -> String {
    declare_routes().iter().find(|address| address.pattern == pattern).unwrap().allow_header()
}

fn allows(pattern: &str, method: &str) -> bool {
    allow(pattern).split(", ").any(|allowed| allowed == method)
}

#[test]
fn every_url_is_tested() {
    let mut known: Vec<&str> = declare_routes().iter().map(|address| address.pattern).collect();
    let mut walked: Vec<&str> = ADDRESSES.iter().map(|address| address.pattern).collect();
    known.sort_unstable();
    walked.sort_unstable();
    assert_eq!(known, walked);
    for address in &ADDRESSES {
        assert_eq!(allows(address.pattern, "GET"), address.get[0] != 0, "{}", address.pattern);
        assert_eq!(UNSAFE.iter().any(|method| allows(address.pattern, method)), address.body.is_some());
    }
}

/// Strings that no response may contain.
const INTERNAL: [&str; 12] = [
    "panicked",
    "sqlx",
    "SQLSTATE",
    "relation \"",
    "deserialize",
    "can not parse",
    ".rs:",
    "/home/",
    "postgres:",
    "argon2",
    "invalid type",
    "expected ",
];

#[track_caller]
fn assert_clean(answer: &TestResponse, what: &str) {
    for inside in INTERNAL {
        assert!(!answer.text.contains(inside), "{what}: {inside} in {}", answer.text);
    }
    for marker in ["<script>", "onerror=", "style=\"", "Set-Cookie: hostile"] {
        let as_markup = answer.header("content-type").starts_with("text/html") && answer.text.contains(marker);
        assert!(
            !as_markup || !answer.text.contains(&format!("<{}", marker.trim_start_matches('<'))),
            "{what}: {marker}"
        );
    }
    assert_eq!(answer.headers.get("hostile"), None, "{what}");
    assert!(answer.header("content-security-policy").starts_with("default-src 'none'"), "{what}");
    assert_eq!(
        (answer.header("x-content-type-options"), answer.header("x-frame-options")),
        ("nosniff", "DENY"),
        "{what}"
    );
    assert_eq!(answer.header("x-request-id").len(), 16, "{what}");
    assert_eq!(answer.headers.get("access-control-allow-origin"), None, "{what}");
}

/// Content type, body, and the expected status and error code of a view that accepts form fields.
fn bodies() -> Vec<(&'static str, Vec<u8>, u16, &'static str)> {
    let (form, json) = ("application/x-www-form-urlencoded", "application/json");
    vec![
        ("text/plain", b"{}".to_vec(), 415, "unsupported_type"),
        ("multipart/form-data; boundary=x", b"--x--".to_vec(), 400, "malformed"),
        ("application/xml", b"<a/>".to_vec(), 415, "unsupported_type"),
        ("application/json; charset=utf-16", b"{}".to_vec(), 415, "unsupported_type"),
        ("application/json;a", b"{}".to_vec(), 415, "unsupported_type"),
        (json, vec![b'['; 2_000_000], 413, "too_large"),
        (form, vec![b'a'; 2_000_000], 413, "too_large"),
        (json, b"{".to_vec(), 400, "malformed"),
        (json, b"[1,2]".to_vec(), 400, "malformed"),
        (json, b"null".to_vec(), 400, "malformed"),
        (json, vec![b'['; 10_000], 400, "malformed"),
        (json, br#"{"a":1,"a":2}"#.to_vec(), 400, "malformed"),
        (json, br#"{"a":"\ud800"}"#.to_vec(), 400, "malformed"),
        (json, b"{\"a\":\"\xff\"}".to_vec(), 400, "malformed"),
        (form, b"a=1&a=2".to_vec(), 400, "malformed"),
        (form, b"a=%FF".to_vec(), 400, "malformed"),
        (form, "a=1&b=2&".repeat(40).into_bytes(), 400, "malformed"),
        ("application/json; charset=UTF-8", br#"{"nonsense":1}"#.to_vec(), 400, "invalid"),
        (json, br#"{"nonsense":1}"#.to_vec(), 400, "invalid"),
        (json, br#"{"author":2,"is_staff":true,"rating_sum":5}"#.to_vec(), 400, "invalid"),
        (form, b"nonsense=1".to_vec(), 400, "invalid"),
        (form, b"_method=DELETE".to_vec(), 400, "invalid"),
    ]
}

fn expected(address: &Address, signed_in: bool, (status, code): (u16, &'static str)) -> (u16, &'static str) {
    if address.body == Some(Body::Hidden) {
        return if signed_in { (404, "not_found") } else { (401, "not_signed_in") };
    }
    let private = matches!(address.body, Some(Body::Private | Body::PrivateNothing(_)));
    if status == 400 && private && !signed_in { (401, "not_signed_in") } else { (status, code) }
}

#[actix_web::test]
async fn every_method_and_body_gets_the_documented_response() {
    let site = TestSite::start().await;
    let post = site.post("ann").await;
    let ben = site.user("ben").await;
    ben.rate(post, 4).await.expect(201);
    for address in &ADDRESSES {
        for (who, actor) in [site.guest(), ben.clone()].iter().enumerate() {
            for method in ["OPTIONS", "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "TRACE", "BREW"] {
                walk_method(address, who, actor, method).await;
            }
        }
    }
    // One request removed Ben's rating.
    assert_eq!((site.count("rates").await, site.count("blog_posts").await, site.count("users").await), (0, 1, 2));
}

async fn walk_method(address: &Address, who: usize, actor: &Actor, method: &str) {
    let request = format!("{method} {} as {}", address.path, ["a guest", "ben"][who]);
    let ask = |accept: &str| {
        actor.request(method, address.path).header("Accept", accept).header("X-HTTP-Method-Override", "DELETE")
    };
    if !allows(address.pattern, method) {
        let answer = actor.send(ask("application/json")).await;
        assert_clean(&answer, &request);
        if method == "HEAD" {
            assert_eq!((answer.status.as_u16(), answer.text.as_str()), (405, ""), "{request}");
            return;
        }
        assert_eq!(
            answer.expect_problem(405, "method_not_allowed").header("allow"),
            allow(address.pattern),
            "{request}"
        );
        let page = actor.send(ask("text/html")).await.expect(405);
        assert_clean(&page, &request);
        return;
    }
    if !UNSAFE.contains(&method) {
        let answer = actor.send(ask("application/json")).await;
        assert_clean(&answer, &request);
        let expected = if method == "OPTIONS" { 204 } else { address.get[who] };
        assert_eq!(answer.status, expected, "{request}: {}", answer.text);
        assert!(method != "HEAD" || answer.text.is_empty(), "{request}");
        return;
    }
    for (content_type, body, status, code) in bodies() {
        let (status, code) = expected(address, who == 1, (status, code));
        let request = format!("{request}, {content_type}, {}", String::from_utf8_lossy(&body[..body.len().min(40)]));
        let with_body = |accept: &str| ask(accept).header("Content-Type", content_type).body(body.clone());
        let answer = actor.send(with_body("application/json")).await;
        assert_clean(&answer, &request);
        assert_eq!(
            (answer.status.as_u16(), answer.json()["code"].as_str()),
            (status, Some(code)),
            "{request}: {}",
            answer.text
        );
        let page = actor.send(with_body("text/html")).await;
        assert_clean(&page, &request);
        assert_eq!(page.status, if status == 401 { 303 } else { status }, "{request}: {}", page.text);
        assert!(page.status == 303 || page.header("content-type").starts_with("text/html"), "{request}");
    }
    // An empty body has no content type: views with form fields refuse it, and views without form fields succeed.
    let bare = match (address.body, who) {
        (Some(Body::PrivateNothing(_) | Body::Hidden), 0) => 401,
        // The request is skipped, because it would sign the user ben out.
        (Some(Body::Nothing(_)), 1) => return,
        (Some(Body::Nothing(status) | Body::PrivateNothing(status)), _) => status,
        (Some(Body::Hidden), _) => 404,
        _ => 415,
    };
    let answer = actor.send(ask("application/json")).await;
    assert_clean(&answer, &request);
    assert_eq!(answer.status, bare, "{request}: {}", answer.text);
}

/// Variants of a path that attackers, careless links or proxies produce: encoded letters, doubled slashes, dot
/// segments.
fn spellings(path: &str) -> Vec<String> {
    let letters = path.char_indices().filter(|(_, c)| c.is_ascii_alphanumeric());
    let encode = |(at, c): (usize, char), upper: bool| {
        let code = if upper { format!("%{:02X}", c as u32) } else { format!("%{:02x}", c as u32) };
        format!("{}{code}{}", &path[..at], &path[at + 1..])
    };
    let mut all: Vec<String> = letters.flat_map(|letter| [encode(letter, false), encode(letter, true)]).collect();
    for (at, _) in path.match_indices('/') {
        for inserted in ["/", "./", "%2e/", "x/../", "x/%2E%2e/"] {
            all.push(format!("{}/{inserted}{}", &path[..at], &path[at + 1..]));
        }
        all.push(format!("{};x{}", &path[..at], &path[at..]));
        all.push(format!("{}%2F{}", &path[..at], &path[at + 1..]));
    }
    all.push(format!("{path};x=1"));
    all.retain(|spelled| spelled != path && spelled.starts_with('/'));
    all
}

#[actix_web::test]
async fn other_spellings_of_a_url_are_unknown_or_treated_like_the_url() {
    let site = TestSite::start_with(&[("RATE_CLASSES", "off")], 1).await;
    site.post("ann").await;
    let (guest, mut seen) = (site.guest(), 0);
    for address in &ADDRESSES {
        let route = declare_routes().iter().find(|entry| entry.pattern == address.pattern).unwrap();
        let query = if route.has_secret_query { "?token=canary" } else { "" };
        for method in ["GET", "POST"] {
            let usual = guest.raw(method, &format!("{}{query}", address.path), "").await;
            for spelled in spellings(address.path) {
                // Other spellings may be another URL, such as a slug that is redirected.
                let is_same = !spelled.to_ascii_uppercase().contains("%2F")
                    && percent_encoding::percent_decode_str(&spelled).decode_utf8_lossy() == address.path;
                let answer = guest.raw(method, &format!("{spelled}{query}"), "").await;
                let request = format!("{method} {spelled}: {}", answer.text);
                assert_clean(&answer, &request);
                let is_redirected = answer.status == 308 && answer.header("location") == address.path;
                if !is_same || answer.status == 404 || is_redirected {
                    continue;
                }
                seen += 1;
                assert_eq!(answer.status, usual.status, "{request}");
                for name in ["referrer-policy", "cache-control", "content-security-policy"] {
                    assert_eq!(answer.header(name), usual.header(name), "{name} {request}");
                }
                if route.has_secret_query {
                    assert_eq!(answer.text.contains("canary"), usual.text.contains("canary"), "{request}");
                }
            }
        }
    }
    assert!(seen > 50, "{seen}");
    assert_eq!((site.count("rates").await, site.count("blog_posts").await), (0, 1));
}

#[actix_web::test]
async fn extreme_ids_in_paths_are_not_found() {
    let site = TestSite::start().await;
    let ben = site.user("ben").await;
    let digits = "1".repeat(400);
    let ids = [
        "0",
        "-1",
        "+1",
        "01",
        "1.0",
        "1e3",
        "0x1",
        "%D9%A3",
        "9223372036854775807",
        "9223372036854775808",
        "18446744073709551616",
        "%00",
        "%20",
        "1%00",
        "1;drop",
        "%F0%9F%92%A9",
        "..%2F1",
        "a",
        "NaN",
        &digits,
    ];
    for address in ADDRESSES.iter().filter(|address| address.pattern.contains("{id}")) {
        for id in ids {
            let path = address.pattern.replace("{id}", id);
            for method in ["GET", "POST"].into_iter().filter(|method| allows(address.pattern, method)) {
                let mut request = ben.request(method, &path).header("Accept", "application/json");
                if method == "POST" && !matches!(address.body, Some(Body::PrivateNothing(_))) {
                    request = request.json(&json!({ "title": "T", "content": "t", "rating": 1 }));
                }
                let answer = ben.send(request).await;
                assert_clean(&answer, &path);
                // Fields of other URLs make a body invalid before the ID is looked up.
                let status = answer.status.as_u16();
                let is_for_staff = status == 403 && answer.text.contains("staff_only");
                let is_bad = method == "POST" && (status == 400 || is_for_staff);
                assert!(status == 404 || is_bad, "{method} {path}: {}", answer.text);
            }
        }
    }
    for id in ["0", "-1", "9223372036854775808", "1e300", "1.5", "\"-1\"", "null", "[1]", "true"] {
        let body = format!("{{\"blog\": {id}, \"rating\": 3}}");
        let request = ben.request("POST", "/rate/").header("Content-Type", "application/json").body(body);
        let problem = ben.send(request).await.expect_problem(400, "invalid");
        assert!(problem.json()["errors"]["blog"].is_array(), "{id}");
    }
    ben.rate(i64::MAX, 3).await.expect_problem(404, "not_found");
}

#[actix_web::test]
async fn hostile_strings_are_escaped_or_rejected_everywhere() {
    let site = TestSite::start_with(&[("SIGN_IN_THROTTLE", "off")], 1).await;
    let ben = site.user("ben").await;
    let long = "A".repeat(5_000);
    let hostile = [
        "<script>alert(1)</script>",
        "\"><img src=x onerror=alert(1)>",
        "' onmouseover='alert(1)",
        "'; drop table users; --",
        "{{7*7}}${7*7}",
        "\u{0}",
        "a\u{0}b",
        "\u{202e}gnp.exe",
        "\r\nHostile: yes\r\n\r\n<script>",
        "../../etc/passwd",
        "%00%0d%0aHostile:%20yes",
        "\u{1b}[31mred\u{7}",
        "ﷺﷺﷺﷺ",
        "Z\u{351}\u{36b}\u{343}a\u{363}\u{348}l\u{348}g\u{330}o",
        "👩‍👩‍👧‍👦🏳️‍🌈",
        "\u{feff}\u{200b}\u{2060}",
        "javascript:alert(1)",
        &long,
    ];
    for text in hostile {
        let encoded = utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
        let beginning: String = text.chars().take(30).collect();
        for (path, allowed) in [
            (format!("/users/{encoded}/"), &[404][..]),
            (format!("/static/{encoded}"), &[404]),
            (format!("/{encoded}"), &[404]),
            (format!("/blogs/?cursor={encoded}"), &[400]),
            (format!("/blogs/?order={encoded}"), &[400]),
            (format!("/blogs/999/?stars={encoded}"), &[404, 400]),
            (format!("/users/login/?next={encoded}"), &[200, 400]),
            (format!("/?{encoded}={encoded}"), &[200, 400]),
        ] {
            for answer in [ben.page(&path).await, ben.get(&path).await] {
                assert_clean(&answer, &beginning);
                assert!(allowed.contains(&answer.status.as_u16()), "{path}: {}", answer.status);
            }
        }
        let login = ben.submit("/users/login/", &[("username", text), ("password", text)]).await;
        assert_clean(&login, &beginning);
        assert!([400, 401].contains(&login.status.as_u16()), "{beginning}");
        let register =
            site.guest().submit("/users/register/", &[("username", text), ("email", text), ("password", text)]).await;
        assert_clean(&register.expect(400), &beginning);
        // As the text of a post, a hostile string is either rejected or displayed unchanged.
        let written = ben.post("/blogs/create/", &json!({ "title": text, "content": text })).await;
        assert_clean(&written, &beginning);
        if written.status == 201 {
            let post = written.json();
            assert_eq!(post["content"], text);
            let page = ben.page(&format!("/blogs/{}/", post["id"])).await.expect(200);
            assert_clean(&page, &beginning);
            assert_clean(&ben.page("/").await.expect(200), &beginning);
            assert_clean(&ben.page(&format!("/blogs/{}/edit/", post["id"])).await.expect(200), &beginning);
        } else {
            assert!(
                text.contains('\u{0}')
                    || text.len() > 200
                    || text.trim_matches(['\u{feff}', '\u{200b}', '\u{2060}']).is_empty(),
                "{beginning}"
            );
            written.expect_problem(400, "invalid");
        }
    }
}

/// During an upgrade, instances of the previous version still run after the new version has added columns.
#[actix_web::test]
async fn running_instances_work_after_columns_are_added() {
    let site = TestSite::fresh(&[("RATING_EDIT_LIMIT", "off"), ("RATING_LIMITER", "off")], 1).await;
    let post = site.post("ann").await;
    let (ben, owner) = (site.user("ben").await, site.staff("olga", "owner").await);
    // Each connection of the pools prepares a statement when it first uses it.
    for _ in 0..6 {
        use_site(&site.guest(), &ben, &owner, post).await;
    }
    for table in tables(&site.pool).await {
        let add = format!("alter table {table} add column added_later text not null default ''");
        sqlx::query(AssertSqlSafe(add)).execute(&site.pool).await.unwrap();
    }
    for _ in 0..2 {
        use_site(&site.guest(), &ben, &owner, post).await;
    }
}

/// Opens every page, and changes posts, ratings and reports.
async fn use_site(guest: &Actor, ben: &Actor, owner: &Actor, post: i64) {
    for address in ADDRESSES.iter().filter(|address| allows(address.pattern, "GET")) {
        for actor in [guest, ben, owner] {
            for accept in ["text/html", "application/json"] {
                let answer = actor.send(actor.request("GET", address.path).header("Accept", accept)).await;
                assert!(answer.status.as_u16() < 500, "{} {accept}: {}", address.path, answer.text);
            }
        }
    }
    ben.rate(post, 4).await.expect(201);
    ben.change_rating(post, 5).await.expect(200);
    ben.withdraw_rating(post).await.expect(200);
    let own = ben.write("Ben's post", "Its text.").await;
    let path = format!("/blogs/{own}/");
    ben.post(&format!("{path}edit/"), &json!({ "title": "Changed", "content": "Its text." })).await.expect(200);
    ben.post(&format!("{path}delete/"), &json!({})).await.expect(204);
}
