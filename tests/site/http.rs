//! HTTP behavior common to all URLs: methods, content types, hosts, origins, errors and headers.

use serde_json::json;

use crate::support::{Actor, PASSWORD, TestResponse, TestSite};

/// Paths, each with the value of its `Allow` header.
const PATHS: [(&str, &str); 106] = [
    ("/", "GET, HEAD, OPTIONS"),
    ("/blogs/", "GET, HEAD, OPTIONS"),
    ("/blogs/create/", "GET, HEAD, POST, OPTIONS"),
    ("/blogs/deleted/", "GET, HEAD, OPTIONS"),
    ("/blogs/drafts/", "GET, HEAD, OPTIONS"),
    ("/blogs/tags/", "GET, HEAD, OPTIONS"),
    ("/blogs/preview/", "POST, OPTIONS"),
    ("/blogs/1/", "GET, HEAD, OPTIONS"),
    ("/blogs/1/a-post/", "GET, HEAD, OPTIONS"),
    ("/feeds/atom/", "GET, HEAD, OPTIONS"),
    ("/feeds/json/", "GET, HEAD, OPTIONS"),
    ("/sitemap.xml", "GET, HEAD, OPTIONS"),
    ("/robots.txt", "GET, HEAD, OPTIONS"),
    ("/admin/", "GET, HEAD, OPTIONS"),
    ("/admin/log/", "GET, HEAD, OPTIONS"),
    ("/blogs/1/ratings/", "GET, HEAD, OPTIONS"),
    ("/blogs/1/ratings/exclude/", "GET, HEAD, POST, OPTIONS"),
    ("/blogs/1/ratings/restore/", "GET, HEAD, POST, OPTIONS"),
    ("/rate/mine/", "GET, HEAD, OPTIONS"),
    ("/blogs/1/edit/", "GET, HEAD, POST, OPTIONS"),
    ("/blogs/1/publish/", "POST, OPTIONS"),
    ("/blogs/1/unpublish/", "GET, HEAD, POST, OPTIONS"),
    ("/blogs/1/restore/", "POST, OPTIONS"),
    ("/blogs/1/purge/", "POST, OPTIONS"),
    ("/blogs/1/revisions/", "GET, HEAD, OPTIONS"),
    ("/blogs/1/revisions/1/", "GET, HEAD, OPTIONS"),
    ("/blogs/1/revisions/1/restore/", "POST, OPTIONS"),
    ("/blogs/1/revisions/1/delete/", "POST, OPTIONS"),
    ("/blogs/1/delete/", "GET, HEAD, POST, OPTIONS"),
    ("/rate/", "POST, OPTIONS"),
    ("/rate/get_blog_rating/", "GET, HEAD, OPTIONS"),
    ("/rate/get_blog_rating/1/", "GET, HEAD, OPTIONS"),
    ("/rate/get_user_rating/1/", "GET, HEAD, OPTIONS"),
    ("/rate/edit_user_rating/1/", "POST, PUT, OPTIONS"),
    ("/rate/withdraw/1/", "POST, OPTIONS"),
    ("/rate/paused/", "GET, HEAD, OPTIONS"),
    ("/unpause/", "GET, HEAD, POST, OPTIONS"),
    ("/rate/classes/", "GET, HEAD, OPTIONS"),
    ("/rate/classes/events/", "GET, HEAD, OPTIONS"),
    ("/links/0123456789abcdef0123456789abcdef/", "GET, HEAD, OPTIONS"),
    ("/blogs/1/report/", "GET, HEAD, POST, OPTIONS"),
    ("/reports/", "GET, HEAD, OPTIONS"),
    ("/reports/by_link/", "GET, HEAD, POST, OPTIONS"),
    ("/reports/1/", "GET, HEAD, OPTIONS"),
    ("/reports/1/appeal/", "POST, OPTIONS"),
    ("/admin/reports/", "GET, HEAD, OPTIONS"),
    ("/admin/reports/1/", "GET, HEAD, POST, OPTIONS"),
    ("/admin/posts/", "GET, HEAD, OPTIONS"),
    ("/admin/ratings/", "GET, HEAD, OPTIONS"),
    ("/admin/tags/", "GET, HEAD, OPTIONS"),
    ("/admin/links/", "GET, HEAD, OPTIONS"),
    ("/admin/pauses/", "GET, HEAD, OPTIONS"),
    ("/admin/sessions/", "GET, HEAD, OPTIONS"),
    ("/admin/tokens/", "GET, HEAD, OPTIONS"),
    ("/admin/invitations/", "GET, HEAD, OPTIONS"),
    ("/admin/limiter/states/", "GET, HEAD, OPTIONS"),
    ("/admin/mails/", "GET, HEAD, OPTIONS"),
    ("/admin/act/", "GET, HEAD, POST, OPTIONS"),
    ("/admin/users/", "GET, HEAD, OPTIONS"),
    ("/admin/users/ann/", "GET, HEAD, OPTIONS"),
    ("/admin/first-steps/", "POST, OPTIONS"),
    ("/admin/limiter/", "GET, HEAD, OPTIONS"),
    ("/admin/limiter/choose/", "GET, HEAD, POST, OPTIONS"),
    ("/admin/limiter/undo/", "POST, OPTIONS"),
    ("/admin/limits/", "GET, HEAD, POST, OPTIONS"),
    ("/admin/limits/1/end/", "POST, OPTIONS"),
    ("/admin/webhooks/", "GET, HEAD, POST, OPTIONS"),
    ("/admin/webhooks/deliveries/", "GET, HEAD, OPTIONS"),
    ("/admin/webhooks/1/", "GET, HEAD, POST, OPTIONS"),
    ("/admin/webhooks/1/test/", "POST, OPTIONS"),
    ("/admin/webhooks/1/delete/", "POST, OPTIONS"),
    ("/users/register/", "GET, HEAD, POST, OPTIONS"),
    ("/language/", "POST, OPTIONS"),
    ("/users/login/", "GET, HEAD, POST, OPTIONS"),
    ("/users/logout/", "POST, OPTIONS"),
    ("/users/password_change/", "GET, HEAD, POST, OPTIONS"),
    ("/users/password_reset/", "GET, HEAD, POST, OPTIONS"),
    ("/users/account/", "GET, HEAD, POST, OPTIONS"),
    ("/users/confirm/", "GET, HEAD, POST, OPTIONS"),
    ("/users/sessions/", "GET, HEAD, POST, OPTIONS"),
    ("/api/schema/", "GET, HEAD, OPTIONS"),
    ("/api/docs/", "GET, HEAD, OPTIONS"),
    ("/users/tokens/", "GET, HEAD, POST, OPTIONS"),
    ("/users/tokens/1/end/", "POST, OPTIONS"),
    ("/users/delete/", "GET, HEAD, POST, OPTIONS"),
    ("/users/delete/cancel/", "POST, OPTIONS"),
    ("/users/export/", "GET, HEAD, OPTIONS"),
    ("/users/invitations/", "GET, HEAD, POST, OPTIONS"),
    ("/users/invitations/1/end/", "POST, OPTIONS"),
    ("/users/owner/", "GET, HEAD, POST, OPTIONS"),
    ("/users/ann/approve/", "POST, OPTIONS"),
    ("/users/profile/", "GET, HEAD, POST, OPTIONS"),
    ("/users/second_factor/", "GET, HEAD, POST, OPTIONS"),
    ("/users/second_factor/confirm/", "POST, OPTIONS"),
    ("/users/second_factor/codes/", "POST, OPTIONS"),
    ("/users/second_factor/remove/", "POST, OPTIONS"),
    ("/users/account/confirm/", "POST, OPTIONS"),
    ("/images/", "GET, HEAD, POST, OPTIONS"),
    ("/images/0123456789abcdef0123456789abcdef-8x8.png", "GET, HEAD, OPTIONS"),
    ("/images/0123456789abcdef0123456789abcdef-8x8.png/delete/", "POST, OPTIONS"),
    ("/blogs/images/", "POST, OPTIONS"),
    ("/users/me/", "GET, HEAD, OPTIONS"),
    ("/users/ann/", "GET, HEAD, OPTIONS"),
    ("/static/style.css", "GET, HEAD, OPTIONS"),
    ("/healthz", "GET, HEAD, OPTIONS"),
    ("/readyz", "GET, HEAD, OPTIONS"),
];

#[actix_web::test]
async fn every_url_lists_its_methods() {
    let site = TestSite::start().await;
    site.post("ann").await;
    let guest = site.guest();
    for (path, allow) in PATHS {
        let options = guest.send(guest.request("OPTIONS", path)).await.expect(204);
        assert_eq!(options.header("allow"), allow, "{path}");
        for method in ["GET", "POST", "PUT", "PATCH", "DELETE", "BREW"] {
            let answer = guest.send(guest.request(method, path).header("Accept", "application/json")).await;
            let known = allow.contains(method);
            assert_eq!(answer.status != 405, known, "{method} {path}: {}", answer.status);
            if !known {
                assert_eq!(answer.expect_problem(405, "method_not_allowed").header("allow"), allow);
            }
        }
        let (get, head) = (
            guest.page_without_redirect(path).await,
            guest.send(guest.request("HEAD", path).header("Accept", "text/html")).await,
        );
        assert_eq!((head.status, head.text.as_str()), (get.status, ""), "{path}");
    }
}

#[actix_web::test]
async fn every_response_has_security_headers_and_a_request_id() {
    let site = TestSite::start().await;
    site.post("ann").await;
    let guest = site.guest();
    let answers = vec![
        guest.page("/nowhere/").await,
        guest.get("/nowhere/").await,
        guest.submit("/users/login/", &[]).await,
        guest.page("/blogs/1").await,
        guest.send(guest.request("POST", "/rate/").header("Origin", "https://evil.example")).await,
        guest.send(guest.request("GET", "/").header("Host", "evil.example")).await,
    ];
    let mut answers: Vec<_> = answers.into_iter().map(|answer| ("", answer)).collect();
    for (path, _) in PATHS {
        answers.push((path, guest.page(path).await));
    }
    let secret_paths = ["/unpause/", "/reports/by_link/", "/users/password_reset/", "/users/confirm/", "/users/owner/"];
    for (path, answer) in answers {
        let csp = answer.header("content-security-policy");
        assert!(
            csp.starts_with("default-src 'none'; script-src 'self'") && csp.ends_with("frame-ancestors 'none'"),
            "{csp}"
        );
        for (name, value) in [
            ("x-content-type-options", "nosniff"),
            ("x-frame-options", "DENY"),
            ("referrer-policy", if secret_paths.contains(&path) { "no-referrer" } else { "same-origin" }),
            ("cross-origin-opener-policy", "same-origin"),
            ("cross-origin-resource-policy", "same-origin"),
            ("cross-origin-embedder-policy", "require-corp"),
        ] {
            assert_eq!(answer.header(name), value, "{}", answer.text);
        }
        assert_eq!(answer.header("x-request-id").len(), 16);
        assert_eq!((answer.header("server"), answer.header("strict-transport-security")), ("", ""));
        for forbidden in ["style=\"", "<script>", "onclick", "panicked", "sqlx", ".rs:"] {
            assert!(!answer.text.contains(forbidden), "{forbidden} in {}", answer.text);
        }
    }
}

#[actix_web::test]
async fn production_requires_https_and_secure_cookies() {
    let settings = [
        ("PRODUCTION", "true"),
        ("ALLOWED_HOSTS", "127.0.0.1"),
        ("PUBLIC_URL", "https://example.com"),
        ("ALLOW_UNSAFE", "RATE_CLASSES"),
    ];
    let site = TestSite::start_with(&settings, 1).await;
    let body = json!({ "username": "ann", "email": "a@example.com", "password": "four grey herons wait" });
    let answer = site.guest().post("/users/register/", &body).await.expect(201);
    let cookie = answer.header("set-cookie");
    assert!(
        cookie.starts_with("__Host-session=") && cookie.contains("; Secure") && !cookie.contains("Domain"),
        "{cookie}"
    );
    assert_eq!(answer.header("strict-transport-security"), "max-age=31536000");
    let with_subdomains = [&settings[..], &[("HSTS_INCLUDE_SUBDOMAINS", "on")]].concat();
    let answer = TestSite::start_with(&with_subdomains, 1).await.guest().get("/healthz").await;
    assert_eq!(answer.header("strict-transport-security"), "max-age=31536000; includeSubDomains");
    let guest = site.guest();
    let cookie =
        guest.post("/language/", &json!({ "language": "de" })).await.expect(200).header("set-cookie").to_owned();
    assert!(cookie.starts_with("__Host-language=de;") && cookie.contains("; Secure"), "{cookie}");
    let german = guest.request("GET", "/blogs/").header("accept", "text/html").header("cookie", "__Host-language=de");
    guest.send(german).await.expect(200).expect_text("lang=\"de\"");
    // In production the `language` cookie without the `__Host-` prefix is ignored, because another host of the domain
    // or a connection without TLS could have set it.
    let other = guest.request("GET", "/blogs/").header("accept", "text/html").header("cookie", "language=de");
    guest.send(other).await.expect(200).expect_text("lang=\"en\"");
}

#[actix_web::test]
async fn errors_are_html_for_browsers_and_problem_json_for_programs() {
    let site = TestSite::start().await;
    let guest = site.guest();
    let page = guest.page("/blogs/1/").await.expect(404);
    assert_eq!(page.header("content-type"), "text/html; charset=utf-8");
    let id = page.header("x-request-id").to_owned();
    page.expect_text("Page not found").expect_text(&id);
    guest.get("/blogs/1/").await.expect_problem(404, "not_found");
    for path in [
        "/blogs/0/",
        "/blogs/01/",
        "/blogs/+1/",
        "/blogs/-1/",
        "/blogs/1e3/",
        "/blogs/%D9%A3/",
        "/blogs/9223372036854775808/",
        "/blogs/%00/",
        "/nowhere",
        "/static/nothing.css",
        "/static/../Cargo.toml",
    ] {
        guest.get(path).await.expect_problem(404, "not_found");
    }
    let ann = site.user("ann").await;
    ann.page("/nowhere/").await.expect(404).expect_text("Sign out");
    ann.page("/blogs/9/").await.expect(404).expect_text("Sign out");
    guest.get(&format!("/blogs/{}/", "1".repeat(400))).await.expect_problem(404, "not_found");
    guest.page("/rate/get_user_rating/1/").await.expect_problem(401, "not_signed_in");
}

#[actix_web::test]
async fn clients_of_bitpin_blog_can_send_multipart_forms_and_quoted_numbers() {
    let site = TestSite::start_with(&[("RATING_LIMITER", "off")], 1).await;
    let post = site.post("ann").await;
    let (ben, cy) = (site.user("ben").await, site.user("cy").await);
    let form = |fields: &[(&str, &str)]| {
        let part = |(name, value): &(&str, &str)| {
            format!("--x\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n")
        };
        fields.iter().map(part).collect::<String>() + "--x--\r\n"
    };
    let send = |actor: &Actor, path: &str, body: String| {
        let request = actor.request("POST", path).header("Accept", "application/json");
        let request = request.header("Content-Type", "multipart/form-data; boundary=x").body(body);
        let actor = actor.clone();
        async move { actor.send(request).await }
    };
    let rating = form(&[("blog", &post.to_string()), ("rating", "4"), ("csrfmiddlewaretoken", "abc")]);
    send(&ben, "/rate/", rating).await.expect(201);
    send(&ben, "/blogs/create/", form(&[("title", "T"), ("content", "x")])).await.expect(201);
    let sign_in = form(&[("username", "ben"), ("password", PASSWORD)]);
    send(&site.guest(), "/users/login/", sign_in).await.expect(200);
    let quoted = json!({ "blog": post.to_string(), "rating": "5" });
    cy.post("/rate/", &quoted).await.expect(201);
    // A file is accepted only where the form has one.
    let file = "--x\r\nContent-Disposition: form-data; name=\"title\"; filename=\"a\"\r\n\r\nx\r\n--x--\r\n";
    send(&ben, "/blogs/create/", file.to_owned()).await.expect_problem(415, "unsupported_type");
}

#[actix_web::test]
async fn accepts_only_form_and_json_bodies_with_their_content_type() {
    let site = TestSite::start().await;
    let guest = site.guest();
    let send = |content_type: &str, body: &str| {
        let request = guest.request("POST", "/users/login/").header("Accept", "application/json");
        guest.send(request.header("Content-Type", content_type).body(body.to_owned()))
    };
    for content_type in ["text/plain", "application/xml", ""] {
        send(content_type, "{}").await.expect_problem(415, "unsupported_type");
    }
    guest
        .send(guest.request("POST", "/users/login/").header("Accept", "application/json"))
        .await
        .expect_problem(415, "unsupported_type");
    let compressed = guest.request("POST", "/users/login/").header("Content-Encoding", "gzip").json(&json!({}));
    guest.send(compressed).await.expect(415);
    // The content type decides: this body is a form with one unknown field, not JSON.
    send("application/x-www-form-urlencoded", "{\"username\":\"ann\",\"password\":\"\"}")
        .await
        .expect_problem(400, "invalid");
    for body in ["", "[1,2]", "{", "null", "{\"username\":\"a\",\"username\":\"b\",\"password\":\"c\"}"] {
        send("application/json; charset=utf-8", body).await.expect_problem(400, "malformed");
    }
    send("application/json", &"x".repeat(20_000)).await.expect_problem(413, "too_large");
    let endless = futures_util::stream::iter((0..40).map(|_| Ok::<_, std::io::Error>("x".repeat(1024))));
    let chunked = guest
        .request("POST", "/users/login/")
        .header("Content-Type", "application/json")
        .body(reqwest::Body::wrap_stream(endless));
    guest.send(chunked).await.expect_problem(413, "too_large");
}

#[actix_web::test]
async fn rejects_unknown_hosts() {
    let site = TestSite::start().await;
    let guest = site.guest();
    for host in ["evil.example", "localhost.evil.example", "a b", "", "127.0.0.1:port", "user@localhost"] {
        let request = guest.request("GET", "/").header("Host", host).header("Accept", "application/json");
        assert_eq!(guest.send(request).await.status, 400, "{host}");
    }
    guest.send(guest.request("GET", "/static/style.css").header("Host", "evil.example")).await.expect(400);
    guest.send(guest.request("GET", "/").header("Host", "LOCALHOST:1234")).await.expect(200);
    guest.send(guest.request("GET", "/healthz").header("Host", "10.0.0.7")).await.expect(200);
    guest.send(guest.request("GET", "/readyz").header("Host", "10.0.0.7")).await.expect(200);
}

#[actix_web::test]
async fn cross_site_requests_change_nothing() {
    let site = TestSite::start().await;
    let (post, ben) = (site.post("ann").await, site.user("ben").await);
    let rating = json!({ "blog": post, "rating": 1 });
    for (name, value) in [
        ("Sec-Fetch-Site", "cross-site"),
        ("Sec-Fetch-Site", "same-site"),
        ("Origin", "https://evil.example"),
        ("Origin", "null"),
    ] {
        let request = ben.request("POST", "/rate/").header(name, value).json(&rating);
        ben.send(request).await.expect_problem(403, "cross_site");
        for path in ["/users/login/", "/users/register/", "/users/logout/"] {
            ben.send(ben.request("POST", path).header(name, value).json(&json!({})))
                .await
                .expect_problem(403, "cross_site");
        }
    }
    assert_eq!(site.count("rates").await, 0);
    let own_origin = format!("http://{}", site.instances[0]);
    ben.send(ben.request("POST", "/rate/").header("Origin", own_origin).json(&rating)).await.expect(201);
}

#[actix_web::test]
async fn missing_trailing_slash_redirects() {
    let site = TestSite::start().await;
    let guest = site.guest();
    for (path, location) in [
        ("/blogs", "/blogs/"),
        ("/blogs/1", "/blogs/1/"),
        ("/blogs/1?stars=4", "/blogs/1/?stars=4"),
        ("/users/me", "/users/me/"),
    ] {
        assert_eq!(guest.page_without_redirect(path).await.expect(308).header("location"), location);
        assert_eq!(guest.send(guest.request("HEAD", path)).await.expect(308).header("location"), location);
    }
    guest.submit("/rate", &[]).await.expect(404);
    for path in ["//evil.example", "//evil.example/users/ann", "/\\evil.example", "/users//evil.example"] {
        let answer = guest.page(path).await;
        assert!(!answer.header("location").starts_with("//"), "{path}");
        assert_eq!(answer.status, 404, "{path}");
    }
}

#[actix_web::test]
async fn personal_responses_are_not_cached() {
    let site = TestSite::start().await;
    let ann = site.user("ann").await;
    for path in ["/", "/users/me/", "/blogs/create/"] {
        assert_eq!(ann.page(path).await.header("cache-control"), "no-store", "{path}");
    }
    assert_eq!(ann.get("/blogs/").await.header("cache-control"), "no-store");
    let public = site.guest().page("/").await;
    assert_eq!(
        (public.header("cache-control"), public.header("vary")),
        ("no-cache", "Accept, Accept-Language, Cookie")
    );
}

#[actix_web::test]
async fn static_files_are_cached_by_content_hash() {
    let site = TestSite::start().await;
    let guest = site.guest();
    let page = guest.page("/").await.text;
    let at = page.find("/static/style.css?v=").unwrap();
    let url = &page[at..at + page[at..].find('"').unwrap()];
    let css = guest.page(url).await.expect(200);
    assert_eq!(
        (css.header("content-type"), css.header("cache-control")),
        ("text/css; charset=utf-8", "public, max-age=31536000, immutable")
    );
    assert_eq!(guest.page("/static/style.css?v=0").await.expect(200).header("cache-control"), "no-cache");
    let conditional = guest.request("GET", url).header("If-None-Match", css.header("etag"));
    assert_eq!(guest.send(conditional).await.expect(304).text, "");
}

#[actix_web::test]
async fn readyz_fails_if_the_database_lacks_a_migration_but_not_if_it_is_newer() {
    let site = TestSite::start().await;
    assert_eq!(site.guest().page("/readyz").await.expect(200).text, "ready\n");
    let toggle = "update _sqlx_migrations set success = not success where version = $1";
    let toggle_latest = || sqlx::query(toggle).bind(evenkeel::db::latest_migration()).execute(&site.pool);
    toggle_latest().await.unwrap();
    wait_for_readiness(&site, false).await;
    site.guest().page("/healthz").await.expect(200);
    // During a rolling upgrade, the first instance of the new version applies migrations while instances of the
    // previous version still run.
    let newer = "insert into _sqlx_migrations (version, description, success, checksum, execution_time)
        values (9999, 'newer', true, '', 0)";
    sqlx::query(newer).execute(&site.pool).await.unwrap();
    toggle_latest().await.unwrap();
    wait_for_readiness(&site, true).await;
}

#[actix_web::test]
async fn readyz_fails_but_pages_work_if_ratings_cannot_be_written() {
    let site = TestSite::start().await;
    let post = site.post("ann").await;
    let ben = site.user("ben").await;
    wait_for_readiness(&site, true).await;
    // Makes the database read-only, as on a standby.
    let set_read_only = async |read_only: &str| {
        let change = format!(
            "alter database {} set default_transaction_read_only = {read_only}",
            site.lease.options.get_database().unwrap()
        );
        sqlx::query(sqlx::AssertSqlSafe(change)).execute(&site.pool).await.unwrap();
        let end_connections = "select pg_terminate_backend(pid) from pg_stat_activity
            where datname = current_database() and application_name = 'evenkeel'";
        sqlx::query(end_connections).execute(&site.pool).await.unwrap();
    };
    set_read_only("on").await;
    wait_for_readiness(&site, false).await;
    // Ten minutes after the previous request, a request would normally update `seen_at` of the session.
    site.advance_clock(crate::support::minutes(10));
    ben.page("/").await.expect(200).expect_text("Sign out");
    ben.page(&format!("/blogs/{post}/")).await.expect(200);
    ben.rate(post, 4).await.expect_problem(503, "unavailable");
    set_read_only("off").await;
    wait_for_readiness(&site, true).await;
    ben.rate(post, 4).await.expect(201);
}

#[actix_web::test]
async fn readyz_fails_after_rating_failures_until_a_write_succeeds() {
    let site = TestSite::fresh(&[("RATING_LIMITER", "off")], 1).await;
    let (post, readers) = (site.post("ann").await, site.many_users(2).await);
    let fail_inserts = "create function full_disk() returns trigger language plpgsql as $$ begin
            raise exception 'could not extend file' using errcode = '53100'; end $$;
        create trigger full_disk before insert on rates for each statement execute function full_disk()";
    sqlx::raw_sql(fail_inserts).execute(&site.pool).await.unwrap();
    readers[0].rate(post, 4).await.expect_problem(503, "unavailable");
    wait_for_readiness(&site, false).await;
    sqlx::raw_sql("drop trigger full_disk on rates").execute(&site.pool).await.unwrap();
    // The site becomes ready again without a new rating.
    wait_for_readiness(&site, true).await;
    readers[0].rate(post, 4).await.expect(201);
    assert_eq!(site.posts_with_wrong_totals().await, [0; 0]);
}

#[actix_web::test]
async fn readyz_fails_while_ratings_are_locked() {
    let site = TestSite::start().await;
    for table in ["rates", "rating_totals", "rating_history", "limiter_states"] {
        let mut holder = site.pool.begin().await.unwrap();
        let lock = format!("lock table {table} in share row exclusive mode");
        sqlx::query(sqlx::AssertSqlSafe(lock)).execute(&mut *holder).await.unwrap();
        wait_for_readiness(&site, false).await;
        holder.rollback().await.unwrap();
        wait_for_readiness(&site, true).await;
    }
}

/// Waits until `/readyz` reports the expected readiness. The response of `/readyz` is cached for a short time.
async fn wait_for_readiness(site: &TestSite, ready: bool) {
    let patience = std::time::Instant::now() + std::time::Duration::from_mins(5);
    while (site.guest().page("/readyz").await.status == 200) != ready {
        assert!(std::time::Instant::now() < patience);
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
}

#[actix_web::test]
async fn rejects_requests_without_exactly_one_host() {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    let site = TestSite::start().await;
    for (hosts, status) in [("", 400), ("Host: localhost\r\nHost: localhost\r\n", 400), ("Host: localhost\r\n", 200)] {
        let mut stream = tokio::net::TcpStream::connect(site.instances[0]).await.unwrap();
        let request = format!("GET / HTTP/1.1\r\n{hosts}Connection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        assert!(answer.starts_with(&format!("HTTP/1.1 {status}")), "{hosts:?}: {answer}");
    }
}

#[actix_web::test]
async fn rejects_ambiguous_message_framing() {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    let site = TestSite::start().await;
    for body in [
        "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "Content-Length: 2\r\nContent-Length: 3\r\n\r\nabc",
        "Content-Length: +2\r\n\r\nab",
        "Content-Length: 2, 2\r\n\r\nab",
        "Transfer-Encoding: gzip\r\n\r\nab",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\nzz\r\n",
        "Transfer-Encoding: chunked\r\n\r\nffffffffffffffff1\r\n",
        "Content-Length : 2\r\n\r\nab",
    ] {
        let mut stream = tokio::net::TcpStream::connect(site.instances[0]).await.unwrap();
        let head = "POST /users/login/ HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
        let request = format!("{head}{body}GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        // The server may reset the connection, because it does not read the rest of the request.
        let _ = stream.read_to_string(&mut answer).await;
        assert!(answer.starts_with("HTTP/1.1 400"), "{body:?}: {answer}");
        assert_eq!(answer.matches("HTTP/1.1 ").count(), 1, "{body:?}: {answer}");
    }
}

#[actix_web::test]
async fn database_constraints_reject_invalid_rows() {
    let site = TestSite::start().await;
    let post = site.post("ann").await;
    for (statement, constraint) in [
        ("update users set username = ''", "username_length"),
        ("update users set username = repeat('x', 31)", "username_length"),
        ("update users set email = repeat('x', 255)", "email_length"),
        ("update blog_posts set title = ''", "title_length"),
        ("update blog_posts set title = repeat('x', 256)", "title_length"),
        ("update blog_posts set content = ''", "content_length"),
        ("update blog_posts set content = repeat('x', 262145)", "content_length"),
        ("update rating_totals set stars_3 = -1", "stars_not_negative"),
        (
            "insert into users (username, username_key, email, password_hash, created_at)
                values ('Ann', 'ann', 'a@b.c', '', 'epoch')",
            "unique_username",
        ),
    ] {
        let error = sqlx::query(sqlx::AssertSqlSafe(statement.to_owned())).execute(&site.pool).await.unwrap_err();
        assert_eq!(
            error.as_database_error().and_then(|error| error.constraint()),
            Some(constraint),
            "{statement}: {error}"
        );
    }
    let deleted = sqlx::query("delete from users").execute(&site.pool).await;
    assert!(deleted.is_err(), "the author of post {post} was deleted");
}

#[actix_web::test]
async fn options_and_405_list_the_allowed_methods() {
    let site = TestSite::start().await;
    let guest = site.guest();
    let refused = guest.send(guest.request("DELETE", "/blogs/")).await.expect_problem(405, "method_not_allowed");
    refused.expect_text("Method not allowed").expect_no_text("opened");
    guest.page("/rate/").await.expect(405).expect_text("This page can’t be opened directly");
}

#[actix_web::test]
async fn fonts_are_served_by_the_site_and_cached_permanently() {
    let site = TestSite::start().await;
    let page = site.guest().page("/").await.expect(200);
    let path = |text: &str, before: &str| text.split(before).nth(1).unwrap().split('"').next().unwrap().to_owned();
    let preloaded = path(&page.text, "<link rel=\"preload\" href=\"");
    let style = site.guest().get(&path(&page.text, "<link rel=\"stylesheet\" href=\"")).await.expect(200).text;
    let named = preloaded.strip_prefix("/static/").unwrap();
    assert!(style.contains(&format!("src: url({named}) format(\"woff2\")")), "{named}");
    let all: Vec<_> = style.split("url(").skip(1).map(|rest| rest.split(')').next().unwrap()).collect();
    assert_eq!(all.len(), 7, "{all:?}");
    let client = reqwest::Client::new();
    for name in all {
        let url = format!("http://{}/static/{name}", site.instances[0]);
        let font = client.get(url).header("accept-encoding", "br, gzip").send().await.unwrap();
        let header = |name: &str| font.headers().get(name).map(|value| value.to_str().unwrap().to_owned());
        assert_eq!(header("content-type").as_deref(), Some("font/woff2"));
        assert_eq!(header("cache-control").as_deref(), Some("public, max-age=31536000, immutable"));
        assert_eq!(&font.bytes().await.unwrap()[..4], b"wOF2", "{name}");
    }
}

/// Sends a request of a web app of another origin.
async fn send_from(origin: &str, actor: &Actor, method: &str, path: &str, headers: &[(&str, &str)]) -> TestResponse {
    let request = actor.request(method, path).header("origin", origin).header("sec-fetch-site", "cross-site");
    let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
    actor.send(request.header("accept", "application/json")).await
}

#[actix_web::test]
async fn web_apps_of_listed_origins_use_the_api() {
    let app = "https://app.example.org";
    let site = TestSite::start_with(&[("CORS_ORIGINS", app)], 1).await;
    let ann = site.user("ann").await;
    let token = json!({ "name": "app", "scopes": ["write"], "current_password": PASSWORD });
    let token = ann.post("/users/tokens/", &token).await.expect(201).json()["token"].as_str().unwrap().to_owned();
    let (guest, post) = (site.guest(), "/blogs/create/");
    let preflight = [
        ("access-control-request-method", "POST"),
        ("access-control-request-headers", "authorization, content-type, if-match"),
    ];
    let allowed = send_from(app, &guest, "OPTIONS", post, &preflight).await.expect(200);
    assert_eq!(allowed.header("access-control-allow-origin"), app);
    assert!(allowed.header("access-control-allow-methods").contains("POST"));
    assert_eq!(allowed.header("x-content-type-options"), "nosniff");
    let foreign_host = [preflight[0], ("host", "evil.example")];
    send_from(app, &guest, "OPTIONS", post, &foreign_host).await.expect_problem(400, "bad_host");
    let read = send_from(app, &guest, "GET", "/blogs/", &[]).await.expect(200);
    let header = |name: &str| read.header(name);
    assert_eq!((header("access-control-allow-origin"), header("access-control-allow-credentials")), (app, ""));
    assert!(header("access-control-expose-headers").contains("etag"));
    assert!(header("vary").contains("Origin"));
    // The web app acts for the user with a token, but not with the cookies of the user.
    let program = Actor::with_token(site.instances[0], &token);
    let request = program.request("POST", post).header("origin", app).header("sec-fetch-site", "cross-site");
    let created = program.send(request.json(&json!({ "title": "Herons", "content": "They stand." }))).await.expect(201);
    assert_eq!(created.header("access-control-allow-origin"), app);
    let refused = send_from(app, &ann, "POST", post, &[]).await.expect_problem(403, "cross_site");
    assert_eq!(refused.header("access-control-allow-origin"), app);
    for (method, headers) in [("GET", &[][..]), ("OPTIONS", &preflight)] {
        let other = send_from("https://evil.example", &guest, method, "/blogs/", headers).await;
        assert_eq!(other.header("access-control-allow-origin"), "", "{method}");
    }
}
