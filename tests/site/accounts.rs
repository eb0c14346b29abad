//! Registration, sign-in and sign-out, password changes, and sessions.

use std::collections::BTreeSet;

use chrono::TimeDelta;
use evenkeel::blog_posts::PostId;
use evenkeel::blog_posts::editor::delete::delete_post;
use evenkeel::users::Device;
use evenkeel::users::models::{change_password, replace_password_hash};
use evenkeel::web::request::client::Client;
use evenkeel::web::request::current_user::{CurrentUser, RequestSource, UserId};
use futures_util::future::join_all;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::support::{Actor, PASSWORD, TestResponse, TestSite, minutes};

const OTHER_PASSWORD: &str = "seven wet paper boats";

const REGISTRATION_FORM: [(&str, &str); 3] = [("username", "zoe"), ("email", "z@example.com"), ("password", PASSWORD)];

async fn log_in(actor: &Actor, name: &str, password: &str) -> TestResponse {
    actor.post("/users/login/", &json!({ "username": name, "password": password })).await
}

fn password_change(old: &str, new: &str) -> Value {
    json!({ "old_password": old, "new_password": new })
}

#[actix_web::test]
async fn registers_signs_out_and_signs_in() {
    let site = TestSite::start().await;
    let zoe = site.guest();
    zoe.get("/users/me/").await.expect_problem(401, "not_signed_in");
    let body = json!({ "username": "Zoë", "email": "zoe@example.com", "password": PASSWORD });
    let registered = zoe.post("/users/register/", &body).await.expect(201);
    assert_eq!(registered.header("location"), "/users/Zo%C3%AB/");
    let user = registered.json();
    assert_eq!(user, json!({ "id": 1, "username": "Zoë", "created_at": "2026-01-01T12:00:00Z" }));
    let me = zoe.get("/users/me/").await.expect(200).json();
    assert_eq!((me["username"].as_str(), me["email"].as_str()), (Some("Zoë"), Some("zoe@example.com")));
    zoe.post("/users/logout/", &json!({})).await.expect(204);
    zoe.get("/users/me/").await.expect(401);
    log_in(&zoe, "ZOE\u{308}", PASSWORD).await.expect(200);
    zoe.get("/users/me/").await.expect(200);
}

#[actix_web::test]
async fn registration_continues_to_the_requested_page() {
    let site = TestSite::start().await;
    let zoe = site.guest();
    zoe.page("/blogs/create/").await.expect_redirect("/users/login/?next=/blogs/create/");
    zoe.submit("/blogs/create/", &[("title", "T")]).await.expect_redirect("/users/login/?next=/blogs/create/");
    let page = zoe.page("/users/register/?next=/blogs/create/").await.expect(200).expect_text("name=\"email\"");
    assert_eq!(page.text.matches("href=\"/users/login/?next=/blogs/create/\"").count(), 2);
    zoe.submit("/users/register/?next=/blogs/create/", &REGISTRATION_FORM).await.expect_redirect("/blogs/create/");
    zoe.page("/blogs/create/").await.expect(200);
}

#[actix_web::test]
async fn message_of_a_form_is_shown_once() {
    let site = TestSite::start().await;
    let zoe = site.guest();
    zoe.submit("/users/register/?next=/blogs/create/", &REGISTRATION_FORM).await.expect_redirect("/blogs/create/");
    zoe.page("/blogs/create/").await.expect(200).expect_text("Welcome, zoe.");
    zoe.page("/blogs/create/").await.expect(200).expect_no_text("Welcome, zoe.");
    zoe.submit("/users/logout/", &[]).await.expect_redirect("/");
    zoe.page("/nowhere/").await.expect(404).expect_text("You’ve signed out.");
    zoe.page("/").await.expect_no_text("You’ve signed out.");
}

#[actix_web::test]
async fn sign_out_without_a_session_succeeds() {
    let site = TestSite::start().await;
    let zoe = site.user("zoe").await;
    zoe.submit("/users/logout/", &[]).await.expect_redirect("/");
    zoe.page("/nowhere/").await.expect(404).expect_text("You’ve signed out.");
    zoe.submit("/users/logout/", &[]).await.expect_redirect("/");
    zoe.page("/").await.expect_text("You’ve signed out.").expect_text("Sign in");
    zoe.submit("/users/logout/", &[]).await.expect_redirect("/");
}

#[actix_web::test]
async fn sign_in_does_not_redirect_to_another_site() {
    let site = TestSite::start().await;
    site.user("zoe").await;
    let credentials = [("username", "zoe"), ("password", PASSWORD)];
    site.guest().submit("/users/login/?next=//evil.example", &credentials).await.expect_redirect("/");
}

#[actix_web::test]
async fn rejected_form_shows_all_errors_and_keeps_the_input() {
    let site = TestSite::start().await;
    let page =
        site.guest().submit("/users/register/", &[("username", "a b"), ("email", "x"), ("password", "short")]).await;
    let page = page.expect(400).expect_text("value=\"a b\"").expect_text("value=\"x\"").expect_no_text("short");
    for id in ["username-error", "email-error", "password-error"] {
        assert!(page.text.contains(&format!("id=\"{id}\"")));
    }
}

#[actix_web::test]
async fn registration_rejects_missing_and_unknown_fields() {
    let site = TestSite::start().await;
    let problem =
        site.guest().post("/users/register/", &json!({ "is_staff": true })).await.expect_problem(400, "invalid");
    let fields = problem.json()["errors"].as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(fields, ["email", "is_staff", "password", "username"]);
}

#[actix_web::test]
async fn usernames_are_unique_ignoring_case() {
    let site = TestSite::start().await;
    site.user("Ann").await;
    let account = json!({ "username": "aNN", "email": "a@example.com", "password": PASSWORD });
    let problem = site.guest().post("/users/register/", &account).await.expect_problem(400, "invalid");
    assert!(problem.json()["errors"]["username"][0].as_str().unwrap().contains("taken"));
}

#[actix_web::test]
async fn registration_does_not_reveal_that_an_email_address_is_in_use() {
    let site = TestSite::start().await;
    site.user("Ann").await;
    let account = json!({ "username": "anne", "email": "a@example.com", "password": PASSWORD });
    site.guest().post("/users/register/", &account).await.expect(201);
}

#[actix_web::test]
async fn rejects_weak_passwords() {
    let site = TestSite::start().await;
    for password in ["password123", "1234567", "ingeborg42", &"x".repeat(257)] {
        let account = json!({ "username": "ingeborg42", "email": "i@example.com", "password": password });
        let problem = site.guest().post("/users/register/", &account).await.expect_problem(400, "invalid");
        assert!(problem.json()["errors"]["password"].is_array(), "{password}");
    }
    let ann = site.user("ann").await;
    let weak = password_change(PASSWORD, "password123");
    ann.post("/users/password_change/", &weak).await.expect_problem(400, "invalid");
}

#[actix_web::test]
async fn unknown_username_and_wrong_password_get_the_same_response() {
    let site = TestSite::start().await;
    site.user("ann").await;
    let wrong_password = log_in(&site.guest(), "ann", OTHER_PASSWORD).await.expect_problem(401, "wrong_credentials");
    let unknown = log_in(&site.guest(), "nobody", OTHER_PASSWORD).await.expect_problem(401, "wrong_credentials");
    let invalid = log_in(&site.guest(), "a b", "x").await.expect_problem(401, "wrong_credentials");
    assert_eq!(wrong_password.text, unknown.text);
    assert_eq!(wrong_password.text, invalid.text);
    let header_names = |answer: &TestResponse| answer.headers.keys().map(ToString::to_string).collect::<BTreeSet<_>>();
    assert_eq!(header_names(&wrong_password), header_names(&unknown));
}

#[actix_web::test]
async fn rejected_sign_in_form_keeps_only_the_username() {
    let site = TestSite::start().await;
    site.user("ann").await;
    let page = site.guest().submit("/users/login/", &[("username", "ann"), ("password", OTHER_PASSWORD)]).await;
    page.expect(401).expect_text("value=\"ann\"").expect_no_text(OTHER_PASSWORD);
}

#[actix_web::test]
async fn password_change_ends_all_other_sessions() {
    let site = TestSite::start().await;
    let here = site.user("ann").await;
    let other_session = site.guest();
    log_in(&other_session, "ann", PASSWORD).await.expect(200);
    here.post("/users/password_change/", &password_change(PASSWORD, OTHER_PASSWORD)).await.expect(200);
    here.get("/users/me/").await.expect(200);
    other_session.get("/users/me/").await.expect(401);
    log_in(&site.guest(), "ann", PASSWORD).await.expect(401);
    log_in(&site.guest(), "ann", OTHER_PASSWORD).await.expect(200);
}

#[actix_web::test]
async fn password_change_requires_the_current_password() {
    let site = TestSite::start().await;
    let ann = site.user("ann").await;
    let wrong_password = password_change(OTHER_PASSWORD, OTHER_PASSWORD);
    let problem = ann.post("/users/password_change/", &wrong_password).await.expect_problem(400, "invalid");
    assert!(problem.json()["errors"]["old_password"].is_array());
    let change = password_change(PASSWORD, OTHER_PASSWORD);
    site.guest().post("/users/password_change/", &change).await.expect_problem(401, "not_signed_in");
}

#[actix_web::test]
async fn sign_out_ends_the_session_on_every_instance() {
    let site = TestSite::start_with(&[], 2).await;
    let ann = site.user("ann").await;
    let other_instance = ann.with_instance(site.instances[1]);
    other_instance.get("/users/me/").await.expect(200);
    assert_eq!(site.count("sessions").await, 1);
    let ended = ann.post("/users/logout/", &json!({})).await.expect(204);
    assert_eq!(ended.header("clear-site-data"), "\"storage\"");
    assert_eq!(site.count("sessions").await, 0);
    other_instance.get("/users/me/").await.expect(401);
}

/// Registers `ann` and signs her in again in the same browser. Returns the `Set-Cookie` header of the session from
/// both responses.
async fn register_and_sign_in(site: &TestSite) -> [String; 2] {
    let ann = site.guest();
    let account = json!({ "username": "ann", "email": "a@example.com", "password": PASSWORD });
    let registered = ann.post("/users/register/", &account).await.expect(201);
    let signed_in = log_in(&ann, "ann", PASSWORD).await.expect(200);
    [registered, signed_in].map(|answer| {
        let cookies = answer.headers.get_all("set-cookie").iter().map(|value| value.to_str().unwrap().to_owned());
        cookies.filter(|cookie| cookie.starts_with("session=")).collect::<Vec<_>>().pop().unwrap()
    })
}

/// Name and value of a cookie, without its attributes.
fn name_and_value(set_cookie: &str) -> &str {
    set_cookie.split(';').next().unwrap()
}

#[actix_web::test]
async fn sign_in_creates_a_new_session_id_and_invalidates_the_old_one() {
    let site = TestSite::start().await;
    let headers = register_and_sign_in(&site).await;
    let [old, new] = headers.each_ref().map(|header| name_and_value(header));
    assert_ne!(old, new);
    Actor::with_cookie(site.instances[0], old).get("/users/me/").await.expect(401);
    Actor::with_cookie(site.instances[0], new).get("/users/me/").await.expect(200);
}

#[actix_web::test]
async fn session_cookie_has_the_expected_attributes() {
    let site = TestSite::start().await;
    let [header, _] = register_and_sign_in(&site).await;
    for attribute in ["HttpOnly", "SameSite=Lax", "Path=/", "Max-Age=2592000"] {
        assert!(header.contains(attribute), "no {attribute} in {header}");
    }
}

#[actix_web::test]
async fn session_cookie_is_no_message_cookie() {
    let site = TestSite::start().await;
    let [_, header] = register_and_sign_in(&site).await;
    let message_cookie = name_and_value(&header).replacen("session=", "message=", 1);
    let page = Actor::with_cookie(site.instances[0], &message_cookie).page("/users/login/").await.expect(200);
    assert!(!page.text.contains("class=\"notice"), "{}", page.text);
}

/// A stolen copy of the database cannot be used to sign in.
#[actix_web::test]
async fn database_stores_only_a_hash_of_the_session_token() {
    let site = TestSite::start().await;
    let [_, header] = register_and_sign_in(&site).await;
    let encoded = name_and_value(&header).strip_prefix("session=").unwrap();
    let signed = percent_encoding::percent_decode_str(encoded).decode_utf8().unwrap();
    // The cookie value is a signature of 44 characters, followed by the session token.
    let token = &signed[44..];
    let hash: Vec<u8> = sqlx::query_scalar("select token_hash from sessions").fetch_one(&site.pool).await.unwrap();
    assert_eq!(hash, Sha256::digest(token).to_vec());
    let rows = "select string_agg(s::text || u::text, '') from sessions s join users u on u.id = s.user_id";
    let rows: String = sqlx::query_scalar(rows).fetch_one(&site.pool).await.unwrap();
    assert!(!rows.contains(token), "the table holds the token");
}

#[actix_web::test]
async fn reading_creates_no_session() {
    let site = TestSite::start().await;
    let answer = site.guest().page("/").await.expect(200);
    assert_eq!(answer.headers.get("set-cookie"), None);
    assert_eq!(site.count("sessions").await, 0);
}

#[actix_web::test]
async fn forged_session_cookie_is_ignored() {
    let site = TestSite::start().await;
    Actor::with_cookie(site.instances[0], "session=forged").get("/users/me/").await.expect(401);
    assert_eq!(site.count("sessions").await, 0);
}

/// Starts a site whose sessions expire after one hour without requests, and after two hours.
async fn site_with_short_sessions() -> TestSite {
    TestSite::start_with(&[("SESSION_IDLE_SECONDS", "3600"), ("SESSION_ABSOLUTE_SECONDS", "7200")], 1).await
}

#[actix_web::test]
async fn sessions_expire_when_idle() {
    let site = site_with_short_sessions().await;
    let ann = site.user("ann").await;
    site.advance_clock(minutes(90));
    ann.get("/users/me/").await.expect(401);
    let deleted = site.site().state.accounts.delete_expired().await.unwrap();
    assert_eq!((deleted, site.count("sessions").await), (1, 0));
}

#[actix_web::test]
async fn sessions_expire_at_their_maximum_age() {
    let site = site_with_short_sessions().await;
    let ann = site.user("ann").await;
    for _ in 0..3 {
        site.advance_clock(minutes(30));
        ann.get("/users/me/").await.expect(200);
    }
    site.advance_clock(minutes(30) + TimeDelta::seconds(1));
    ann.get("/users/me/").await.expect(401);
    let deleted = site.site().state.accounts.delete_expired().await.unwrap();
    assert_eq!((deleted, site.count("sessions").await), (1, 0));
}

#[actix_web::test]
async fn sign_in_upgrades_outdated_password_hashes() {
    use argon2::{Argon2, Params, PasswordHasher as _};
    let site = TestSite::start().await;
    site.user("ann").await;
    let weak: Argon2<'_> = Params::new(8 * 1024, 1, 1, None).unwrap().into();
    let weak = weak.hash_password(PASSWORD.as_bytes()).unwrap().to_string();
    sqlx::query("update users set password_hash = $1").bind(&weak).execute(&site.pool).await.unwrap();
    log_in(&site.guest(), "ann", PASSWORD).await.expect(200);
    let hash: String = sqlx::query_scalar("select password_hash from users").fetch_one(&site.pool).await.unwrap();
    assert!(hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{hash}");
    log_in(&site.guest(), "ann", PASSWORD).await.expect(200);
}

#[actix_web::test]
async fn only_staff_may_change_posts_of_others() {
    let site = TestSite::start().await;
    let post = site.post("ann").await;
    let (staff, other) = (site.user("staff").await, site.user("other").await);
    sqlx::query("update users set is_staff = true where username = 'staff'").execute(&site.pool).await.unwrap();
    let change = json!({ "title": "New", "content": "New." });
    other.post(&format!("/blogs/{post}/edit/"), &change).await.expect_problem(403, "forbidden");
    other.get(&format!("/blogs/{post}/edit/")).await.expect_problem(403, "forbidden");
    other.post(&format!("/blogs/{post}/delete/"), &json!({})).await.expect_problem(403, "forbidden");
    staff.post(&format!("/blogs/{post}/edit/"), &change).await.expect(200);
    staff.post(&format!("/blogs/{post}/delete/"), &json!({})).await.expect(204);
}

#[actix_web::test]
async fn concurrent_request_does_not_restore_a_signed_out_session() {
    use actix_session::storage::SessionStore as _;
    let site = TestSite::start().await;
    let ann = site.user("ann").await;
    ann.post("/users/logout/", &json!({})).await.expect(204);
    // A request that was in flight during the sign-out now saves its session.
    let store = &site.site().state.accounts.sessions;
    let key = actix_session::storage::SessionKey::try_from("a".repeat(64)).unwrap();
    let state = std::collections::HashMap::from([("user".to_owned(), "{}".to_owned())]);
    let key = store.update(key, state, &actix_web::cookie::time::Duration::DAY).await.unwrap();
    assert!(store.load(&key).await.unwrap().is_none());
    assert_eq!(site.count("sessions").await, 0);
}

#[actix_web::test]
async fn sign_in_with_the_old_password_fails_if_it_completes_after_the_change() {
    let site = TestSite::start().await;
    let ann = site.user("ann").await;
    let change = password_change(PASSWORD, OTHER_PASSWORD);
    ann.post("/users/password_change/", &change).await.expect(200);
    // The password of this session was verified before the password change, so the session has the
    // previous `session_version`.
    let mut connection = site.pool.acquire().await.unwrap();
    let client = Client { ip: std::net::Ipv4Addr::LOCALHOST.into() };
    let device = Device { client, network: "127.0.0.1".to_owned(), name: "a test".to_owned() };
    site.site().state.accounts.sessions.create_session(&mut connection, UserId(1), 1, None, &device).await.unwrap();
    assert_eq!(site.count("sessions").await, 2);
    assert_eq!(site.site().state.accounts.delete_expired().await.unwrap(), 0);
    let alive = "select count(*) from sessions s join users u on u.id = s.user_id
        where (s.state ->> 'session_version')::integer = u.session_version";
    let alive: i64 = sqlx::query_scalar(alive).fetch_one(&site.pool).await.unwrap();
    assert_eq!(alive, 1);
    ann.get("/users/me/").await.expect(200);
}

/// Sends the request head and half of the body. The returned closure sends the rest and reads the response.
async fn slowly(site: &TestSite, cookie: &str, path: &str, body: String) -> impl AsyncFnOnce() -> String + use<> {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    let mut stream = tokio::net::TcpStream::connect(site.instances[0]).await.unwrap();
    let (first, rest) = body.split_at(body.len() / 2);
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: localhost\r\nCookie: {cookie}\r\nContent-Type: application/json\r\n\
         Connection: close\r\nContent-Length: {}\r\n\r\n{first}",
        body.len()
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    let rest = rest.to_owned();
    async move || {
        stream.write_all(rest.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answer
    }
}

#[actix_web::test]
async fn requests_started_before_sign_out_change_nothing_after_it() {
    let site = TestSite::start().await;
    let post = site.post("ann").await;
    let ben = site.many_users(1).await.remove(0);
    let cookie = ben.cookie.clone().unwrap();
    let changes = [
        ("/blogs/create/", json!({ "title": "T", "content": "t" })),
        ("/rate/", json!({ "blog": post, "rating": 5 })),
        ("/users/password_change/", password_change(PASSWORD, OTHER_PASSWORD)),
    ];
    let mut requests = Vec::new();
    for (path, body) in &changes {
        requests.push(slowly(&site, &cookie, path, body.to_string()).await);
    }
    // The site has one worker, so this response shows that the three earlier request heads have been read.
    ben.get("/users/me/").await.expect(200);
    ben.post("/users/logout/", &json!({})).await.expect(204);
    for finish in requests {
        let answer = finish().await;
        assert!(answer.starts_with("HTTP/1.1 401"), "{answer}");
    }
    assert_eq!((site.count("blog_posts").await, site.count("rates").await), (1, 0));
}

/// The session may end between the load of the user and the transaction.
#[actix_web::test]
async fn changes_require_that_the_session_exists_in_their_transaction() {
    let site = TestSite::start().await;
    let post = site.post("ann").await;
    let ben = site.many_users(1).await.remove(0);
    ben.post("/users/logout/", &json!({})).await.expect(204);
    let user_without_session = CurrentUser {
        id: UserId(2),
        username: "crowd_0".to_owned(),
        role: None,
        block: None,
        is_confirmed: false,
        signed_in_at: None,
        needs_second_factor: false,
        is_approved: false,
        delete_at: None,
        zone: None,
        language: None,
        scopes: None,
        session: "00".repeat(32),
        from: RequestSource::default(),
    };
    let mut connection = site.pool.acquire().await.unwrap();
    let session = Some(user_without_session.session.as_str());
    let change = change_password(&mut connection, UserId(2), 1, "another", session).await;
    assert_eq!(change.unwrap(), None);
    let state = &site.site().state;
    assert!(delete_post(state, &user_without_session, PostId(post), None).await.is_err());
    assert_eq!(site.count("blog_posts").await, 1);
}

#[actix_web::test]
async fn registration_is_atomic() {
    let site = TestSite::fresh(&[], 1).await;
    let ann = site.user("ann").await;
    let broken = "create function refuse() returns trigger language plpgsql as
        $$ begin raise exception 'full' using errcode = '53100'; end $$;
        create trigger refuse before insert on sessions for each row execute function refuse()";
    sqlx::raw_sql(broken).execute(&site.pool).await.unwrap();
    let fields = json!({ "username": "ben", "email": "b@example.com", "password": PASSWORD });
    site.guest().post("/users/register/", &fields).await.expect_problem(503, "unavailable");
    let change = password_change(PASSWORD, OTHER_PASSWORD);
    ann.post("/users/password_change/", &change).await.expect_problem(503, "unavailable");
    log_in(&site.guest(), "ann", PASSWORD).await.expect_problem(503, "unavailable");
    assert_eq!((site.count("users").await, site.count("sessions").await), (1, 1));
    sqlx::raw_sql("drop trigger refuse on sessions; drop function refuse").execute(&site.pool).await.unwrap();
    ann.get("/users/me/").await.expect(200);
    ann.post("/users/password_change/", &change).await.expect(200);
    site.guest().post("/users/register/", &fields).await.expect(201);
}

#[actix_web::test]
async fn every_failed_sign_in_computes_exactly_one_hash() {
    let site = TestSite::start().await;
    site.user("ann").await;
    site.user("gone").await;
    sqlx::query("update users set password_hash = '!' || password_hash where username = 'gone'")
        .execute(&site.pool)
        .await
        .unwrap();
    for (name, password) in [
        ("ann", OTHER_PASSWORD),
        ("nobody", OTHER_PASSWORD),
        ("gone", PASSWORD),
        ("a b", OTHER_PASSWORD),
        ("ann", "short"),
    ] {
        let before = site.site().state.accounts.hasher.computed_hashes();
        log_in(&site.guest(), name, password).await.expect_problem(401, "wrong_credentials");
        assert_eq!(site.site().state.accounts.hasher.computed_hashes() - before, 1, "{name}");
    }
}

async fn password_hash(site: &TestSite) -> String {
    sqlx::query_scalar("select password_hash from users").fetch_one(&site.pool).await.unwrap()
}

#[actix_web::test]
async fn hash_upgrade_does_not_overwrite_a_concurrent_password_change() {
    let site = TestSite::start().await;
    site.user("ann").await;
    let current = password_hash(&site).await;
    replace_password_hash(&site.pool, UserId(1), "the previous hash", "its upgrade").await.unwrap();
    assert_eq!(password_hash(&site).await, current);
}

#[actix_web::test]
async fn only_one_of_two_concurrent_password_changes_succeeds() {
    let site = TestSite::start().await;
    site.user("ann").await;
    let current = password_hash(&site).await;
    let mut connection = site.pool.acquire().await.unwrap();
    let outdated = change_password(&mut connection, UserId(1), 7, "another", None).await;
    assert_eq!((outdated.unwrap(), password_hash(&site).await), (None, current.clone()));
    // An upgrade of the current hash is no password change.
    replace_password_hash(&site.pool, UserId(1), &current, "its upgrade").await.unwrap();
    let change = change_password(&mut connection, UserId(1), 1, "another", None).await;
    assert_eq!((change.unwrap(), password_hash(&site).await), (Some(2), "another".to_owned()));
}

#[actix_web::test]
async fn parallel_guesses_cannot_exceed_the_sign_in_limit() {
    let site = TestSite::start_with(&[], 2).await;
    site.user("ann").await;
    let guess = |number: usize| {
        let guest = site.guest().with_instance(site.instances[number % 2]);
        async move { log_in(&guest, "ann", OTHER_PASSWORD).await }
    };
    let answers = join_all((0..200).map(guess)).await;
    let count = |status: u16| answers.iter().filter(|answer| answer.status == status).count();
    // Of the 10 admitted attempts, some may get 503 because the hasher is busy. They count towards the limit as well.
    assert!((1..=10).contains(&count(401)) && count(401) + count(503) == 10, "{} {}", count(401), count(503));
    assert_eq!(count(429), 190);
    let limited = answers.into_iter().find(|answer| answer.status == 429).unwrap();
    assert_eq!(limited.expect_problem(429, "sign_in_limited").retry_after(), 60);
    assert_eq!(log_in(&site.guest(), "ben", OTHER_PASSWORD).await.status, 401);
    site.advance_clock(TimeDelta::seconds(59));
    log_in(&site.guest(), "ann", PASSWORD).await.expect(429);
    site.advance_clock(TimeDelta::seconds(1));
    log_in(&site.guest(), "ann", PASSWORD).await.expect(200);
    for _ in 0..10 {
        log_in(&site.guest(), "ann", OTHER_PASSWORD).await.expect(401);
    }
    log_in(&site.guest(), "ann", PASSWORD).await.expect_problem(429, "sign_in_limited");
}

#[actix_web::test]
async fn distributed_guessing_does_not_lock_the_owner_out() {
    let site = TestSite::start_with(&[("TRUSTED_PROXIES", "127.0.0.1")], 1).await;
    let from = |address: String, password: &'static str| {
        let body = json!({ "username": "ann", "password": password });
        let guest = site.guest();
        async move {
            let request = guest.request("POST", "/users/login/").header("X-Forwarded-For", address).json(&body);
            guest.send(request).await
        }
    };
    // Registration from 192.0.2.1 makes this network a known network of the account.
    let body = json!({ "username": "ann", "email": "a@example.com", "password": PASSWORD });
    let request = site.guest().request("POST", "/users/register/").header("X-Forwarded-For", "192.0.2.1").json(&body);
    site.guest().send(request).await.expect(201);
    // Attempts with an invalid username count only against the network of the client.
    for number in 0..40 {
        let body = json!({ "username": "not a name", "password": OTHER_PASSWORD });
        let address = format!("2001:db8:9:{number:x}::1");
        let request = site.guest().request("POST", "/users/login/").header("X-Forwarded-For", address).json(&body);
        site.guest().send(request).await.expect(401);
    }
    for number in 0..30 {
        from(format!("2001:db8:0:{number:x}::1"), OTHER_PASSWORD).await.expect(401);
    }
    // From a network that is new to the account, even the correct password is rate limited.
    from("2001:db8:1::1".to_owned(), PASSWORD).await.expect_problem(429, "sign_in_limited");
    from("192.0.2.1".to_owned(), PASSWORD).await.expect(200);
    // All IP addresses of an IPv6 /64 count as one network.
    for number in 0..9 {
        from(format!("2001:db8:2::{number:x}"), OTHER_PASSWORD).await.expect(429);
    }
    // After a month without a sign-in, 192.0.2.1 is no longer a known network.
    site.advance_clock(TimeDelta::days(31));
    for number in 0..30 {
        from(format!("2001:db8:3:{number:x}::1"), OTHER_PASSWORD).await.expect(401);
    }
    from("192.0.2.1".to_owned(), PASSWORD).await.expect(429);
}

#[actix_web::test]
async fn rejects_usernames_that_look_like_existing_ones() {
    let site = TestSite::start().await;
    site.user("paypal").await;
    let register = async |name: &str| {
        let body = json!({ "username": name, "email": "a@example.com", "password": PASSWORD });
        site.guest().post("/users/register/", &body).await
    };
    let cyrillic = "\u{440}\u{430}\u{443}\u{440}\u{430}\u{4cf}";
    let problem = register(cyrillic).await.expect_problem(400, "invalid").json();
    assert!(problem["errors"]["username"][0].as_str().unwrap().contains("too similar to an existing one"));
    // Signing in with a lookalike username opens the existing account.
    assert_eq!(log_in(&site.guest(), cyrillic, PASSWORD).await.expect(200).json()["username"], "paypal");
    register("paypa\u{34f}l").await.expect(400);
    register("stra\u{df}e").await.expect(201);
    register("STRA\u{1e9e}E").await.expect(400);
}

#[actix_web::test]
async fn registrations_from_a_network_are_throttled_with_a_message() {
    let site = TestSite::start().await;
    let account = |name: &str| json!({ "username": name, "email": "a@example.com", "password": PASSWORD });
    for number in 0..8 {
        site.guest().post("/users/register/", &account(&format!("user{number}"))).await.expect(201);
    }
    // A network can create 8 accounts and make 20 registration attempts in a row. Rejected attempts count as well.
    let limited = site.guest().post("/users/register/", &account("late")).await;
    assert_eq!(limited.expect_problem(429, "sign_in_limited").retry_after(), 600);
    for _ in 0..11 {
        site.guest().post("/users/register/", &account("user1")).await.expect_problem(429, "sign_in_limited");
    }
    let limited = site.guest().post("/users/register/", &account("late")).await;
    assert_eq!(limited.expect_problem(429, "sign_in_limited").retry_after(), 180);
    site.advance_clock(TimeDelta::seconds(420));
    site.guest().post("/users/register/", &account("user1")).await.expect_problem(429, "sign_in_limited");
    let form = [("username", "late"), ("email", "late@example.com"), ("password", PASSWORD)];
    let page = site.guest().submit("/users/register/", &form).await.expect(429);
    let page = page.expect_text("try again in 3 minutes").expect_text("late@example.com");
    assert_eq!(page.header("retry-after"), "180");
    site.advance_clock(TimeDelta::seconds(180));
    site.guest().post("/users/register/", &account("late")).await.expect(201);
}

#[actix_web::test]
async fn password_changes_are_throttled() {
    let site = TestSite::start().await;
    let ann = site.user("ann").await;
    let wrong_password = password_change(OTHER_PASSWORD, OTHER_PASSWORD);
    for _ in 0..10 {
        ann.post("/users/password_change/", &wrong_password).await.expect(400);
    }
    ann.post("/users/password_change/", &wrong_password).await.expect_problem(429, "sign_in_limited");
}

const WEAK_PASSWORD: &str = "too easy to guess";

fn account_form<'a>(email: &'a str, password: &'a str) -> [(&'static str, &'a str); 3] {
    [("username", "ann"), ("email", email), ("password", password)]
}

#[actix_web::test]
async fn weak_password_is_reported_with_the_other_errors() {
    let site = TestSite::start().await;
    let page = site.guest().submit("/users/register/", &account_form("nowhere", "password1")).await.expect(400);
    page.expect_text(WEAK_PASSWORD).expect_text("<a href=\"#email\">Email</a>:").expect_text("autofocus");
    let account = json!({ "username": "ann", "email": "nowhere", "password": "ann at sea at night" });
    let problem = site.guest().post("/users/register/", &account).await.expect_problem(400, "invalid").json();
    assert_eq!(problem["errors"].as_object().unwrap().keys().collect::<Vec<_>>(), ["email", "password"]);
}

#[actix_web::test]
async fn password_cannot_contain_the_username_or_email_address() {
    let site = TestSite::start().await;
    let message = "Your password can’t contain your username or email address.";
    for password in ["ann sails at night", "four grey A@Example.org", "herons ANN herons"] {
        let form = account_form("a@example.org", password);
        let page = site.guest().submit("/users/register/", &form).await.expect(400);
        page.expect_text(message).expect_no_text(WEAK_PASSWORD);
    }
    let ann = site.user("ann").await;
    let change = password_change(PASSWORD, "ann sails at night");
    let problem = ann.post("/users/password_change/", &change).await.expect_problem(400, "invalid").json();
    assert_eq!(problem["errors"]["new_password"][0], message);
}

#[actix_web::test]
async fn users_me_redirects_to_the_own_profile() {
    let site = TestSite::start().await;
    let ann = site.user("ann").await;
    ann.page("/users/me/").await.expect(303).expect_redirect("/users/ann/");
    ann.page("/users/ann/").await.expect(200).expect_text("Your ratings");
    site.guest().page("/users/me/").await.expect_redirect("/users/login/?next=/users/me/");
}

#[actix_web::test]
async fn paused_ratings_are_shown_only_on_the_own_profile() {
    let site = TestSite::start().await;
    let (ann, ben, cy) = (site.user("ann").await, site.user("ben").await, site.user("cy").await);
    ann.page("/users/ann/").await.expect(200).expect_no_text("Paused ratings");
    let post = ben.write("T", "t").await;
    let pause = "insert into zombie_pauses (user_id, blog_id, paused_at) select id, $1, 'epoch' from users where username = 'ann'";
    sqlx::query(pause).bind(post).execute(&site.pool).await.unwrap();
    ann.page("/users/ann/").await.expect(200).expect_text("Paused ratings");
    for visitor in [ben, cy, site.guest()] {
        visitor.page("/users/ann/").await.expect(200).expect_no_text("Paused ratings");
    }
}

#[actix_web::test]
async fn users_can_sign_in_after_their_username_became_reserved() {
    let site = TestSite::start().await;
    let ann = site.user("ann").await;
    ann.write("Herons", "stand").await;
    sqlx::query("update users set username = 'Profile', username_key = 'profile', username_skeleton = 'profile'")
        .execute(&site.pool)
        .await
        .unwrap();
    log_in(&site.guest(), "profile", PASSWORD).await.expect(200);
    site.guest().get("/feeds/json/?author=Profile").await.expect(200);
}

#[actix_web::test]
async fn rejects_usernames_that_are_paths_of_pages() {
    let site = TestSite::start().await;
    let account = json!({ "username": "sessions", "email": "a@example.com", "password": PASSWORD });
    site.guest().post("/users/register/", &account).await.expect_problem(400, "invalid");
}

#[actix_web::test]
async fn passwords_do_not_expire() {
    let site = TestSite::start().await;
    site.user("ann").await;
    site.advance_clock(TimeDelta::days(3_650));
    let ann = site.guest();
    log_in(&ann, "ann", PASSWORD).await.expect(200);
    ann.page("/users/account/").await.expect(200);
}

#[actix_web::test]
async fn cookies_are_host_only_and_http_only() {
    let site = TestSite::start().await;
    let ann = site.guest();
    let fields = [("username", "ann"), ("email", "a@example.com"), ("password", PASSWORD)];
    let mut cookies = BTreeSet::new();
    for answer in [
        ann.submit("/users/register/", &fields).await.expect(303),
        ann.submit("/language/", &[("language", "de"), ("next", "/")]).await.expect(303),
        ann.submit("/blogs/create/", &[("title", "T"), ("content", "C")]).await.expect(303),
    ] {
        for cookie in answer.headers.get_all("set-cookie") {
            let cookie = cookie.to_str().unwrap();
            assert!(cookie.contains("; SameSite=Lax") && cookie.contains("; HttpOnly"), "{cookie}");
            cookies.insert(cookie.split('=').next().unwrap().to_owned());
        }
    }
    assert_eq!(cookies.into_iter().collect::<Vec<_>>(), ["language", "message", "session"]);
}

#[actix_web::test]
async fn email_address_needs_a_domain_name() {
    let site = TestSite::start().await;
    let ann = site.user("ann").await;
    for (n, email) in ["a@b", "a@localhost", "a@[127.0.0.1]", "a@127.0.0.1"].into_iter().enumerate() {
        let new = json!({ "username": format!("user{n}"), "email": email, "password": PASSWORD });
        let refused = site.guest().post("/users/register/", &new).await.expect_problem(400, "invalid");
        refused.expect_text("name@example.com");
        let change = json!({ "email": email, "current_password": PASSWORD });
        ann.post("/users/account/", &change).await.expect_problem(400, "invalid");
    }
}

#[actix_web::test]
async fn other_keyboards_can_sign_in() {
    let site = TestSite::start().await;
    // The username has an Arabic yeh and a composed letter at registration, and a Persian yeh and a decomposed letter
    // at sign-in.
    for (registered, password, typed, typed_password) in [
        ("علي", "four grey h\u{e9}rons", "علی", "four grey he\u{301}rons"),
        ("Zo\u{eb}", "\u{ff14} grey herons", "zoe\u{308}", "4 grey herons"),
    ] {
        let guest = site.guest();
        let body = json!({ "username": registered, "email": "a@example.com", "password": password });
        guest.post("/users/register/", &body).await.expect(201);
        let body = json!({ "username": typed, "password": typed_password });
        let account = site.guest().post("/users/login/", &body).await.expect(200).json();
        assert_eq!(account["username"], registered);
    }
}

#[actix_web::test]
async fn account_pages_have_a_menu_that_marks_the_current_page() {
    let site = TestSite::start().await;
    let ann = site.user("ann").await;
    let paths = [
        "/users/profile/",
        "/users/account/",
        "/users/password_change/",
        "/users/second_factor/",
        "/users/sessions/",
        "/users/tokens/",
        "/reports/",
        "/users/delete/",
    ];
    for path in paths {
        let mut page = ann.page(path).await.expect(200);
        for other in paths.iter().chain(&["/users/export/"]) {
            page = page.expect_text(&format!("<li><a href=\"{other}\""));
        }
        let marked = page.text.matches("aria-current=\"page\"").count();
        let page = page.expect_text(&format!("<li><a href=\"{path}\" aria-current=\"page\">"));
        // The menu is on the page twice: beside the page, and above it on narrow screens.
        assert_eq!(marked, 2, "{path}: {}", page.text);
    }
}

#[actix_web::test]
async fn rejected_setup_of_two_factor_authentication_marks_its_page_in_the_menu() {
    let site = TestSite::start().await;
    let page = site.user("ann").await.submit("/users/second_factor/confirm/", &[("code", "1")]).await.expect(400);
    page.expect_text("<a href=\"/users/second_factor/\" aria-current=\"page\">");
}
