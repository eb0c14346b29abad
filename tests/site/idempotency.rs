//! Header `Idempotency-Key`: a request that is sent repeatedly takes effect once.

use std::collections::BTreeSet;
use std::time::Duration;

use chrono::TimeDelta;
use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::images::plain;
use crate::support::{Actor, PASSWORD, TestResponse, TestSite};

fn post(title: &str) -> Value {
    json!({ "title": title, "content": "Its text." })
}

fn request(actor: &Actor, path: &str, key: &str, body: &Value) -> reqwest::RequestBuilder {
    actor.request("POST", path).header("Idempotency-Key", key).json(body)
}

async fn send(actor: &Actor, path: &str, key: &str, body: &Value) -> TestResponse {
    actor.send(request(actor, path, key, body)).await
}

#[actix_web::test]
async fn repeated_request_takes_effect_once() {
    let site = TestSite::start().await;
    let (ann, ben) = (site.user("ann").await, site.user("ben").await);
    let first = send(&ann, "/blogs/create/", "k-1", &post("First")).await.expect(201);
    assert_eq!(first.header("idempotent-replayed"), "");
    // The draft of the standard demands quotes, which many clients omit.
    for key in ["k-1", "\"k-1\""] {
        let repeated = send(&ann, "/blogs/create/", key, &post("First")).await.expect(201);
        assert_eq!(repeated.header("idempotent-replayed"), "true");
        assert_eq!((repeated.header("location"), &repeated.text), (first.header("location"), &first.text));
        assert_eq!(repeated.header("content-type"), first.header("content-type"));
    }
    assert_eq!(site.count("blog_posts").await, 1);
    // A key belongs to its user, and to one request.
    let other = send(&ben, "/blogs/create/", "k-1", &post("First")).await.expect(201);
    assert_ne!(other.json()["id"], first.json()["id"]);
    let id = first.json()["id"].as_i64().unwrap();
    let repeated = send(&ann, "/blogs/create/", "k-1", &post("Second")).await.expect(201);
    assert_eq!(repeated.text, first.text, "the key decides, not the body");
    let path = format!("/blogs/{id}/unpublish/");
    send(&ann, &path, "k-1", &post("First")).await.expect_problem(422, "key_reused");
    send(&ann, "/blogs/create/", "k-2", &post("Second")).await.expect(201);
    send(&ben, "/rate/", "k-3", &json!({ "blog": id, "rating": 4 })).await.expect(201);
    send(&ben, "/rate/", "k-3", &json!({ "blog": id, "rating": 4 })).await.expect(201);
    send(&ben, "/rate/", "k-4", &json!({ "blog": id, "rating": 4 })).await.expect_problem(409, "already_rated");
    assert_eq!((site.count("blog_posts").await, site.count("rates").await), (3, 1));
    // A day later, the key can be used again.
    site.advance_clock(TimeDelta::hours(24));
    site.site().housekeeping().delete_expired_rows().await.unwrap();
    assert_eq!(site.count("idempotent_requests").await, 0);
    send(&ann, "/blogs/create/", "k-1", &post("Third")).await.expect(201);
}

#[actix_web::test]
async fn rejected_request_can_be_corrected_and_sent_again() {
    let site = TestSite::start().await;
    let ann = site.user("ann").await;
    send(&ann, "/blogs/create/", "k", &json!({ "title": "" })).await.expect_problem(400, "invalid");
    send(&ann, "/blogs/create/", "k", &post("Complete")).await.expect(201);
    send(&ann, "/blogs/create/", "k", &post("Complete")).await.expect(201);
    assert_eq!(site.count("blog_posts").await, 1);
    for key in ["", "\"\"", "a b", "a\"b", &"x".repeat(256)] {
        let problem = send(&ann, "/blogs/create/", key, &post("x")).await.expect_problem(400, "malformed");
        assert!(problem.text.contains("1 to 255"), "{}", problem.text);
    }
}

#[actix_web::test]
async fn uploads_and_forms_can_be_repeated() {
    let site = TestSite::start().await;
    let ann = site.user("ann").await;
    let upload = async |number: u32| {
        let part = reqwest::multipart::Part::bytes(plain(number)).file_name("picture");
        let form = reqwest::multipart::Form::new().part("image", part);
        let request = ann.request("POST", "/images/").header("Accept", "application/json");
        ann.send(request.header("Idempotency-Key", "upload").multipart(form)).await
    };
    let (first, second) = (upload(7).await.expect(201), upload(7).await.expect(201));
    assert_eq!((first.text, second.header("idempotent-replayed")), (second.text.clone(), "true"));
    let submit = async || {
        let request = ann.request("POST", "/blogs/create/").header("Accept", "text/html");
        ann.send(request.header("Idempotency-Key", "form").form(&[("title", "A"), ("content", "b")])).await.expect(303)
    };
    let (first, second) = (submit().await, submit().await);
    assert_eq!(first.header("location"), second.header("location"));
    assert_eq!(site.count("blog_posts").await, 1);
}

#[actix_web::test]
async fn secrets_are_not_stored() {
    let site = TestSite::start().await;
    let ann = site.user("ann").await;
    let token = json!({ "name": "script", "scopes": ["read"], "current_password": PASSWORD });
    let tokens = [0, 1].map(|_| send(&ann, "/users/tokens/", "k", &token));
    let tokens: BTreeSet<String> = join_all(tokens).await.into_iter().map(|created| created.expect(201).text).collect();
    assert_eq!((tokens.len(), site.count("idempotent_requests").await), (2, 0));
    let staff = site.staff("root", "moderator").await;
    for _ in 0..2 {
        send(&staff, "/users/invitations/", "k", &json!({ "max_uses": 1, "days": 1 })).await.expect(201);
    }
    assert_eq!((site.count("invitations").await, site.count("idempotent_requests").await), (2, 0));
}

#[actix_web::test]
async fn concurrent_repetitions_create_one_post() {
    let site = TestSite::start_with(&[], 2).await;
    let ann = site.user("ann").await;
    let attempts = (0..20).map(|n| {
        let ann = ann.with_instance(site.instances[n % 2]);
        async move { send(&ann, "/blogs/create/", "k", &post("Once")).await }
    });
    for answer in join_all(attempts).await {
        if answer.status == 409 {
            assert_eq!(answer.expect_problem(409, "request_in_progress").retry_after(), 1);
        } else {
            answer.expect(201);
        }
    }
    assert_eq!(site.count("blog_posts").await, 1);
}

#[actix_web::test]
async fn client_that_disconnects_gets_the_response_later() {
    let site = TestSite::start().await;
    let ann = site.user("ann").await;
    let mut lock = site.pool.begin().await.unwrap();
    sqlx::query("lock table blog_posts in share mode").execute(&mut *lock).await.unwrap();
    let impatient = request(&ann, "/blogs/create/", "k", &post("Late")).timeout(Duration::from_millis(500));
    assert!(ann.attempt(impatient).await.is_none());
    let body = post("Late");
    let repeating = send(&ann, "/blogs/create/", "k", &body);
    let (answer, unlocked) = futures_util::join!(repeating, lock.rollback());
    unlocked.unwrap();
    let answer = answer.expect(201);
    assert_eq!((answer.header("idempotent-replayed"), site.count("blog_posts").await), ("true", 1));
}

/// Adds a trigger with which the storage of responses fails.
async fn fail_to_store_responses(site: &TestSite) {
    sqlx::raw_sql(
        "create function fail() returns trigger language plpgsql as $$ begin raise 'disk full'; end $$;
        create trigger fail before update of status on idempotent_requests for each row execute function fail()",
    )
    .execute(&site.pool)
    .await
    .unwrap();
}

#[actix_web::test]
async fn request_whose_response_was_lost_is_not_repeated() {
    let site = TestSite::fresh(&[], 1).await;
    let ann = site.user("ann").await;
    fail_to_store_responses(&site).await;
    send(&ann, "/blogs/create/", "k", &post("Once")).await.expect(201);
    // The first request may still be in progress, because its response is not stored.
    send(&ann, "/blogs/create/", "k", &post("Once")).await.expect_problem(409, "request_in_progress");
    site.advance_clock(TimeDelta::minutes(2));
    for _ in 0..2 {
        send(&ann, "/blogs/create/", "k", &post("Once")).await.expect_problem(409, "response_lost");
    }
    assert_eq!(site.count("blog_posts").await, 1);
}

#[actix_web::test]
async fn change_of_a_rating_whose_response_was_lost_is_not_repeated() {
    let site = TestSite::fresh(&[], 1).await;
    let (ann, ben) = (site.user("ann").await, site.user("ben").await);
    let blog = ann.write("Herons", "They stand.").await;
    ben.rate(blog, 5).await.expect(201);
    fail_to_store_responses(&site).await;
    let path = format!("/rate/edit_user_rating/{blog}/");
    send(&ben, &path, "k", &json!({ "rating": 4 })).await.expect(200);
    site.advance_clock(TimeDelta::minutes(2));
    ben.put(&path, &json!({ "rating": 1 })).await.expect(200);
    send(&ben, &path, "k", &json!({ "rating": 4 })).await.expect_problem(409, "response_lost");
    let stars: i16 = sqlx::query_scalar("select rating from rates").fetch_one(&site.pool).await.unwrap();
    assert_eq!(stars, 1);
}

#[actix_web::test]
async fn number_of_stored_responses_is_limited() {
    let site = TestSite::start().await;
    let ann = site.user("ann").await;
    sqlx::query(
        "insert into idempotent_requests (user_id, key_hash, target, started_at)
        select id, sha256(n::text::bytea), 'POST /', timestamptz '2026-01-01 00:00Z' + make_interval(secs => n)
        from users, generate_series(1, 105) n",
    )
    .execute(&site.pool)
    .await
    .unwrap();
    send(&ann, "/blogs/create/", "k", &post("First")).await.expect(201);
    assert_eq!(site.count("idempotent_requests").await, evenkeel::db::idempotency::MAX_STORED);
    send(&ann, "/blogs/create/", "k", &post("First")).await.expect(201);
    assert_eq!(site.count("blog_posts").await, 1);
}

#[actix_web::test]
async fn previews_are_not_stored() {
    let site = TestSite::start().await;
    let ann = site.user("ann").await;
    send(&ann, "/blogs/preview/", "k", &post("First")).await.expect(200);
    assert_eq!(site.count("idempotent_requests").await, 0);
}

/// Submits a form twice at the same time, as a double click does. Returns the second response that arrives.
async fn double_click(actor: &Actor, path: &str, form: &[(&str, &str)]) -> [TestResponse; 2] {
    let submit = || {
        let request = actor.request("POST", path).header("Accept", "text/html").form(form);
        actor.send(request)
    };
    let (first, second) = futures_util::join!(submit(), submit());
    [first, second]
}

#[actix_web::test]
async fn double_click_on_publish_creates_one_post() {
    let site = TestSite::start().await;
    let ann = site.user("ann").await;
    let page = ann.page("/blogs/create/").await.expect(200);
    let action = page.text.split("action=\"").find(|part| part.starts_with("/blogs/create/?once=")).unwrap();
    let path = action.split('"').next().unwrap();
    let form = [("title", "Once"), ("content", "Its text."), ("status", "published"), ("version", "")];
    let answers = double_click(&ann, path, &form).await.map(|answer| answer.expect(303));
    assert_eq!(answers[0].header("location"), answers[1].header("location"));
    assert_eq!(site.count("blog_posts").await, 1);
}

#[actix_web::test]
async fn double_click_on_register_signs_in() {
    let site = TestSite::start().await;
    let guest = site.guest();
    let form = [("username", "ann"), ("email", "ann@example.com"), ("password", PASSWORD)];
    for answer in double_click(&guest, "/users/register/", &form).await {
        let answer = answer.expect(303);
        let mut cookies = answer.headers.get_all("set-cookie").iter().map(|cookie| cookie.to_str().unwrap());
        let cookie = cookies.find(|cookie| cookie.starts_with("session=")).unwrap().split(';').next().unwrap();
        let signed_in = guest
            .send(guest.request("GET", "/users/me/").header("Accept", "application/json").header("Cookie", cookie))
            .await;
        assert_eq!(signed_in.expect(200).json()["username"], "ann");
    }
    assert_eq!(site.count("users").await, 1);
    // A form with another password, or two minutes later, gets the error of an existing username.
    let other_password = [("username", "ann"), ("email", "ann@example.com"), ("password", "another five grey herons")];
    guest.submit("/users/register/", &other_password).await.expect(400).expect_text("username-error");
    site.advance_clock(TimeDelta::minutes(2));
    guest.submit("/users/register/", &form).await.expect(400).expect_text("username-error");
}

#[actix_web::test]
async fn double_click_on_rate_and_withdraw_succeeds() {
    let site = TestSite::start_with(&[("RATING_LIMITER", "off")], 1).await;
    let (post, ben) = (site.post("ann").await, site.user("ben").await);
    let form = [("blog", &*post.to_string()), ("rating", "4")];
    for answer in double_click(&ben, "/rate/", &form).await {
        let next = answer.expect(303).header("location").to_owned();
        assert_eq!(next, format!("/blogs/{post}/"));
    }
    ben.page(&format!("/blogs/{post}/a-post/")).await.expect(200).expect_text("You rated this post 4 stars");
    // Neither a form with another rating nor a JSON request counts as a repetition.
    ben.submit("/rate/", &[form[0], ("rating", "5")]).await.expect(409);
    ben.rate(post, 4).await.expect_problem(409, "already_rated");
    for answer in double_click(&ben, &format!("/rate/withdraw/{post}/"), &[]).await {
        answer.expect(303);
    }
    assert_eq!(site.count("rates").await, 0);
    ben.post(&format!("/rate/withdraw/{post}/"), &json!({})).await.expect_problem(404, "not_rated");
}

#[actix_web::test]
async fn double_click_on_save_is_no_conflict() {
    let site = TestSite::start().await;
    let ann = site.user("ann").await;
    let id = ann.write("Herons", "They stand.").await;
    let path = format!("/blogs/{id}/edit/");
    let form = |content| [("title", "Herons"), ("content", content), ("tags", "birds, water"), ("version", "1")];
    for answer in double_click(&ann, &path, &form("They fly.")).await {
        answer.expect(303);
    }
    // A different text of the same version is a conflict.
    ann.submit(&path, &form("They swim.")).await.expect(409);
}
