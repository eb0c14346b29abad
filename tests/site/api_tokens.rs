//! API tokens: what a program may do with a token, and how tokens end.

use chrono::TimeDelta;
use evenkeel::access::ApiScope;
use evenkeel::cli::tokens::{self, TokenCommand};
use evenkeel::db::commit;
use evenkeel::web::request::current_user::{CurrentUser, RequestSource, UserId};
use futures_util::future::join_all;
use futures_util::join;
use serde_json::{Value, json};

use crate::support::{Actor, PASSWORD, TestResponse, TestSite};
use crate::two_factor::App;

fn input(name: &str, scopes: &[&str]) -> Value {
    json!({ "name": name, "scopes": scopes, "current_password": PASSWORD })
}

/// Creates a token of a user, and returns a program that uses it.
async fn program(site: &TestSite, user: &Actor, scopes: &[&str]) -> Actor {
    let created = user.post("/users/tokens/", &input("script", scopes)).await.expect(201).json();
    Actor::with_token(site.instances[0], created["token"].as_str().unwrap())
}

#[actix_web::test]
async fn programs_act_for_a_user_without_a_session() {
    let site = TestSite::start().await;
    let (post, ann) = (site.post("bob").await, site.user("ann").await);
    let script = program(&site, &ann, &["rate", "read", "write"]).await;
    let me = script.get("/users/me/").await.expect(200);
    assert_eq!((me.json()["username"].as_str(), me.header("set-cookie")), (Some("ann"), ""));
    script.rate(post, 4).await.expect(201);
    let own = script.write("Written by a program", "Its text.").await;
    script.submit(&format!("/blogs/{own}/unpublish/"), &[]).await.expect(303);
    let draft = script.get(&format!("/blogs/{own}/")).await.expect(200);
    assert_eq!(draft.json()["status"], "draft");
    // Browsers cannot send the header to other sites, so the cross-site check does not apply.
    let publish = |actor: &Actor| {
        let request = actor.request("POST", &format!("/blogs/{own}/publish/")).header("Accept", "application/json");
        request.header("Origin", "https://evil.example")
    };
    script.send(publish(&script)).await.expect(200);
    ann.send(publish(&ann)).await.expect_problem(403, "cross_site");
    // Responses to the token contain personal data, although guests get them from the page cache.
    ann.get("/").await.expect(200);
    script.get("/").await.expect(200).expect_text("\"my_rating\":4");
}

#[actix_web::test]
async fn list_shows_the_last_use_of_a_token_but_not_the_token() {
    let site = TestSite::start().await;
    let ann = site.user("ann").await;
    let created = ann.post("/users/tokens/", &input("  my\nscript ", &["rate", "read", "write"])).await.expect(201);
    assert_eq!(created.header("cache-control"), "no-store");
    let created = created.json();
    assert_eq!((&created["name"], &created["scopes"]), (&json!("my script"), &json!(["read", "rate", "write"])));
    let token = created["token"].as_str().unwrap();
    Actor::with_token(site.instances[0], token).get("/users/me/").await.expect(200);
    let list = ann.get("/users/tokens/").await.expect(200).expect_no_text(token).json();
    let listed = &list["results"][0];
    assert_eq!((&listed["name"], &listed["network"]), (&json!("my script"), &json!("127.0.0.1")));
    assert!(listed["used_at"].is_string() && listed["token"].is_null());
}

#[track_caller]
fn expect_scope_needed(response: TestResponse, scope: &str) {
    let response = response.expect_problem(403, "scope_needed");
    let challenge = format!("Bearer error=\"insufficient_scope\", scope=\"{scope}\"");
    assert_eq!(response.header("www-authenticate"), challenge);
}

#[actix_web::test]
async fn scopes_limit_the_requests_of_a_token() {
    let site = TestSite::start().await;
    let (post, ada) = (site.post("bob").await, site.staff("ada", "owner").await);
    let reader = program(&site, &ada, &["read"]).await;
    reader.get("/blogs/drafts/").await.expect(200);
    expect_scope_needed(reader.rate(post, 5).await, "rate");
    let content = json!({ "title": "a", "content": "b" });
    expect_scope_needed(reader.post("/blogs/create/", &content).await, "write");
    let report = json!({ "category": "spam", "explanation": "x" });
    expect_scope_needed(reader.post(&format!("/blogs/{post}/report/"), &report).await, "write");
    expect_scope_needed(reader.get("/users/account/").await, "account");
    assert!(reader.get("/users/me/").await.expect(200).json()["email"].is_null());
    expect_scope_needed(reader.get("/users/export/").await, "account");
    expect_scope_needed(reader.get("/admin/users/").await, "admin");
    let account = program(&site, &ada, &["account"]).await;
    account.get("/users/account/").await.expect(200);
    assert_eq!(account.get("/users/me/").await.expect(200).json()["email"], "a@example.com");
}

#[actix_web::test]
async fn token_has_the_role_of_its_user_with_the_scope_admin_only() {
    let site = TestSite::start().await;
    let (post, ada) = (site.post("bob").await, site.staff("ada", "owner").await);
    let path = format!("/blogs/{post}/edit/");
    let edit = json!({ "title": "x", "content": "y", "version": 1 });
    let writer = program(&site, &ada, &["read", "write"]).await;
    writer.post(&path, &edit).await.expect_problem(403, "forbidden");
    let admin = program(&site, &ada, &["read", "write", "admin"]).await;
    admin.get("/admin/users/").await.expect(200);
    admin.post(&path, &edit).await.expect(200);
    // Users without a role cannot choose the scope.
    let eve = site.user("eve").await;
    let refused = eve.post("/users/tokens/", &input("x", &["admin"])).await.expect_problem(400, "invalid");
    assert!(refused.json()["errors"]["scopes"].is_array());
    // The token loses a role that its user loses.
    sqlx::query("update users set is_staff = false where username = 'ada'").execute(&site.pool).await.unwrap();
    admin.get("/admin/users/").await.expect_problem(404, "not_found");
}

/// Checks that a token cannot be used to keep access to the account, or for actions that ask for the password.
#[actix_web::test]
async fn account_security_requires_a_session() {
    let site = TestSite::start().await;
    let (_post, ada) = (site.post("bob").await, site.staff("ada", "owner").await);
    let admin = program(&site, &ada, &["read", "write", "admin"]).await;
    let role =
        json!({ "act": "role", "selected": ["bob"], "role": "admin", "reason": "x", "current_password": PASSWORD });
    admin.post("/admin/act/", &role).await.expect_problem(403, "session_needed");
    let account = program(&site, &ada, &["account"]).await;
    for path in [
        "/users/tokens/",
        "/users/password_change/",
        "/users/account/",
        "/users/second_factor/",
        "/users/logout/",
        "/users/tokens/1/end/",
        "/users/sessions/",
        "/users/delete/",
        "/users/login/",
        "/users/register/",
    ] {
        account.post(path, &json!({})).await.expect_problem(403, "session_needed");
    }
}

#[actix_web::test]
async fn wrong_credentials_get_distinct_errors() {
    let site = TestSite::start().await;
    let ann = site.user("ann").await;
    let created = ann.post("/users/tokens/", &input("x", &["read"])).await.expect(201).json();
    let token = created["token"].as_str().unwrap();
    let last = if token.ends_with('a') { "b" } else { "a" };
    let mistyped = format!("{}{last}", &token[..token.len() - 1]);
    for invalid in ["", "x", &mistyped, "ek_000000000000000000000000000000000000000000000000"] {
        let response =
            Actor::with_token(site.instances[0], invalid).get("/").await.expect_problem(401, "invalid_token");
        assert_eq!(response.header("www-authenticate"), "Bearer error=\"invalid_token\"");
    }
    let both = ann.request("GET", "/users/me/").header("Accept", "application/json").bearer_auth(token);
    ann.send(both).await.expect_problem(400, "two_credentials");
    // A token in a URL has no effect, and other schemes belong to proxies.
    let guest = site.guest();
    let anonymous = guest.get(&format!("/users/me/?token={token}&access_token={token}")).await;
    assert_eq!(anonymous.expect_problem(401, "not_signed_in").header("www-authenticate"), "Bearer");
    let basic = guest.request("GET", "/").basic_auth("proxy", Some("secret"));
    guest.send(basic).await.expect(200);
}

#[actix_web::test]
async fn invalid_token_request_names_its_fields() {
    let site = TestSite::start().await;
    let ann = site.user("ann").await;
    let problem = ann.post("/users/tokens/", &json!({ "current_password": PASSWORD })).await.expect(400).json();
    assert!(problem["errors"]["name"].is_array() && problem["errors"]["scopes"].is_array(), "{problem}");
    let wrong = json!({ "name": "x", "scopes": ["read"], "current_password": "wrong" });
    ann.post("/users/tokens/", &wrong).await.expect_problem(400, "invalid").expect_text("current_password");
}

#[actix_web::test]
async fn tokens_end_at_their_time_and_when_revoked() {
    let site = TestSite::start().await;
    let ann = site.user("ann").await;
    let create = async |days: Value| {
        let mut body = input("x", &["read"]);
        body["expires_in_days"] = days;
        let created = ann.post("/users/tokens/", &body).await.expect(201).json();
        (Actor::with_token(site.instances[0], created["token"].as_str().unwrap()), created)
    };
    let (short, _) = create(json!(1)).await;
    let (endless, details) = create(json!("never")).await;
    assert!(details["expires_at"].is_null());
    site.advance_clock(TimeDelta::days(1));
    short.get("/users/me/").await.expect_problem(401, "invalid_token");
    assert_eq!(site.site().state.accounts.delete_expired().await.unwrap(), 0);
    assert_eq!(site.count("api_tokens").await, 1);
    let id = details["id"].as_i64().unwrap();
    let eve = site.user("eve").await;
    eve.post(&format!("/users/tokens/{id}/end/"), &json!({})).await.expect_problem(404, "not_found");
    endless.get("/users/me/").await.expect(200);
    ann.post(&format!("/users/tokens/{id}/end/"), &json!({})).await.expect(204);
    endless.get("/users/me/").await.expect_problem(401, "invalid_token");
}

#[actix_web::test]
async fn password_change_revokes_tokens_only_on_request() {
    let site = TestSite::start().await;
    let ann = site.user("ann").await;
    let script = program(&site, &ann, &["read"]).await;
    let change =
        |old: &str, new: &str, ends: bool| json!({ "old_password": old, "new_password": new, "end_tokens": ends });
    let second = "seven quiet otters swim";
    ann.post("/users/password_change/", &change(PASSWORD, second, false)).await.expect(200);
    script.get("/users/me/").await.expect(200);
    ann.post("/users/password_change/", &change(second, "two brown otters dive", true)).await.expect(200);
    script.get("/users/me/").await.expect_problem(401, "invalid_token");
}

#[actix_web::test]
async fn setup_of_two_factor_authentication_can_revoke_tokens() {
    let site = TestSite::start().await;
    for ends in [false, true] {
        let user = site.user(if ends { "ann" } else { "bob" }).await;
        let script = program(&site, &user, &["read"]).await;
        let shown = user.post("/users/second_factor/", &json!({ "current_password": PASSWORD })).await.expect(200);
        let code = App::of(&shown.json()).code(&site);
        let confirmation = json!({ "code": code, "end_tokens": ends });
        user.post("/users/second_factor/confirm/", &confirmation).await.expect(200);
        script.get("/users/me/").await.expect(if ends { 401 } else { 200 });
    }
}

#[actix_web::test]
async fn staff_end_tokens_with_the_sessions_of_a_user() {
    let site = TestSite::start().await;
    let (ada, ann) = (site.staff("ada", "admin").await, site.user("ann").await);
    let script = program(&site, &ann, &["read", "write"]).await;
    let list = ada.get("/admin/tokens/?user=ann").await.expect(200).json();
    assert_eq!(list["results"][0]["scopes"], json!(["read", "write"]));
    ada.page("/admin/tokens/").await.expect(200).expect_text("script").expect_text("read, write");
    ada.page("/admin/users/ann/").await.expect(200).expect_text("API tokens");
    // A user without sessions may still have tokens.
    ann.post("/users/logout/", &json!({})).await.expect(204);
    let sign_out = json!({ "act": "sign_out", "selected": ["ann"] });
    assert_eq!(ada.post("/admin/act/", &sign_out).await.expect(200).json()["count"], 1);
    script.get("/blogs/drafts/").await.expect_problem(401, "invalid_token");
    let repeated = ada.post("/admin/act/", &sign_out).await.expect(200).json();
    assert_eq!(repeated["rows"][0]["skipped"], "already");
    ada.page("/admin/log/").await.expect(200).expect_text("Created an API token");
}

#[actix_web::test]
async fn token_of_a_blocked_user_can_only_read() {
    let site = TestSite::start().await;
    let (ada, ann) = (site.staff("ada", "admin").await, site.user("ann").await);
    let script = program(&site, &ann, &["read", "write"]).await;
    let block = json!({ "act": "block", "selected": ["ann"], "reason": "spam", "days": 1 });
    ada.post("/admin/act/", &block).await.expect(200);
    script.get("/blogs/drafts/").await.expect(200);
    let post = json!({ "title": "a", "content": "b" });
    script.post("/blogs/create/", &post).await.expect_problem(403, "blocked");
}

#[actix_web::test]
async fn no_token_is_created_after_a_password_reset_has_revoked_them() {
    let site = TestSite::start().await;
    let ann = site.user("ann").await;
    let mut reset = site.pool.begin().await.unwrap();
    sqlx::raw_sql("update users set session_version = session_version + 1; delete from sessions")
        .execute(&mut *reset)
        .await
        .unwrap();
    let token = input("script", &["read"]);
    let (created, ()) = join!(ann.post("/users/tokens/", &token), async {
        site.wait_for_blocked_statement().await;
        commit(reset).await.unwrap();
    });
    created.expect_problem(401, "not_signed_in");
    assert_eq!(site.count("api_tokens").await, 0);
}

#[actix_web::test]
async fn concurrent_requests_do_not_exceed_the_maximum_of_tokens() {
    let site = TestSite::start_with(&[("SIGN_IN_THROTTLE", "off")], 1).await;
    let ann = site.user("ann").await;
    let tokens = "insert into api_tokens (user_id, name, token_hash, scopes, created_at)
        select 1, 'script', sha256(number::text::bytea), '{read}', now() from generate_series(1, 48) number";
    sqlx::raw_sql(tokens).execute(&site.pool).await.unwrap();
    let token = input("script", &["read"]);
    let created = join_all((0..6).map(|_| ann.post("/users/tokens/", &token))).await;
    let mut statuses: Vec<u16> = created.iter().map(|answer| answer.status.as_u16()).collect();
    statuses.sort_unstable();
    assert_eq!((&statuses[..2], site.count("api_tokens").await), (&[201, 201][..], 50), "{statuses:?}");
}

#[actix_web::test]
async fn a_token_ends_while_its_request_is_in_progress() {
    let site = TestSite::start().await;
    let ann = site.user("ann").await;
    let script = program(&site, &ann, &["read", "write"]).await;
    let state = &site.site().state;
    let draft = script.write("A post", "Its text.").await;
    let token = sqlx::query_scalar::<_, String>("delete from api_tokens returning encode(token_hash, 'hex')");
    let token = token.fetch_one(&site.pool).await.unwrap();
    let user = CurrentUser {
        id: UserId(1),
        username: "ann".to_owned(),
        role: None,
        needs_second_factor: false,
        is_approved: false,
        block: None,
        delete_at: None,
        zone: None,
        language: None,
        session: token,
        scopes: None,
        is_confirmed: false,
        signed_in_at: None,
        from: RequestSource::default(),
    };
    let deleted =
        evenkeel::blog_posts::editor::delete::delete_post(state, &user, evenkeel::blog_posts::PostId(draft), None)
            .await;
    assert!(deleted.is_err() && site.count("blog_posts").await == 1);
}

#[actix_web::test]
async fn commands_create_list_and_revoke_tokens() {
    let site = TestSite::start().await;
    let ann = site.user("ann").await;
    let create = |scopes: Vec<ApiScope>| TokenCommand::Create {
        user: "ann".to_owned(),
        name: "backup".to_owned(),
        scopes,
        days: 90,
        never_expires: true,
    };
    tokens::run(&site.pool, create(vec![ApiScope::Read, ApiScope::Account])).await.unwrap();
    let error = tokens::run(&site.pool, create(vec![ApiScope::Admin])).await.unwrap_err();
    assert_eq!(error.to_string(), "ann has no staff role, so the scope admin is not allowed");
    let list = ann.get("/users/tokens/").await.json();
    assert_eq!(list["results"][0]["scopes"], json!(["read", "account"]));
    assert!(list["results"][0]["expires_at"].is_null());
    tokens::run(&site.pool, TokenCommand::List { user: "ann".to_owned() }).await.unwrap();
    let id = list["results"][0]["id"].as_i64().unwrap();
    let revoke = |id| TokenCommand::Revoke { user: "ann".to_owned(), id };
    tokens::run(&site.pool, revoke(id)).await.unwrap();
    assert!(tokens::run(&site.pool, revoke(id)).await.is_err());
    assert_eq!(site.count("api_tokens").await, 0);
}

#[actix_web::test]
async fn a_form_creates_a_token_and_shows_it_once() {
    let site = TestSite::start().await;
    let ann = site.user("ann").await;
    let fields = [("name", "script"), ("scope_read", "true"), ("expires_in_days", "7"), ("current_password", PASSWORD)];
    let page = ann.submit("/users/tokens/", &fields).await.expect(200);
    assert!(page.text.contains("value=\"ek_") && page.header("cache-control") == "no-store", "{}", page.text);
    page.expect_text("New API token: script");
    ann.page("/users/tokens/").await.expect(200).expect_no_text("value=\"ek_").expect_text("Scopes: read");
    // A rejected form keeps what was entered.
    let fields =
        [("name", "other"), ("scope_rate", "true"), ("expires_in_days", "never"), ("current_password", "wrong")];
    let page = ann.submit("/users/tokens/", &fields).await.expect(400).expect_text("value=\"other\"");
    page.expect_text("name=\"scope_rate\" value=\"true\" checked").expect_text("<option value=\"never\" selected>");
    let export = ann.download_export().await;
    assert!(export["sessions.json"].contains("\"name\": \"script\""), "{}", export["sessions.json"]);
}

#[actix_web::test]
async fn tokens_have_their_own_request_limits() {
    let settings = [("RATE_CLASSES", "on"), ("RATE_CLASS_RATE_TOKEN", "3,3000,1750,1750,800,0,0")];
    let site = TestSite::start_with(&settings, 1).await;
    let (post, ann) = (site.post("bob").await, site.user("ann").await);
    let script = program(&site, &ann, &["read", "rate"]).await;
    let mut statuses = Vec::new();
    for stars in [1, 2, 3, 4, 5, 1, 2, 3] {
        statuses.push(script.post("/rate/", &json!({ "blog": post, "rating": stars })).await.status.as_u16());
    }
    assert!(statuses.contains(&429), "{statuses:?}");
    script.post("/rate/", &json!({ "blog": post, "rating": 1 })).await.expect_problem(429, "class_limited");
    // The session of the user has limits of its own.
    ann.post("/rate/", &json!({ "blog": post, "rating": 1 })).await.expect_problem(409, "already_rated");
}
