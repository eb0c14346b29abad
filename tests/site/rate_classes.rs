//! Rate classes: warnings, limits, disconnects and release of a client.

use chrono::TimeDelta;
use evenkeel::access::RequestClass;
use evenkeel::rate_classes::sync;
use evenkeel_limiters::RateClassStatus;
use futures_util::future::join_all;
use nix::sys::signal::Signal;
use serde_json::{Value, json};

use crate::support::{
    Actor, DatabaseLease, EventStream, PASSWORD, Program, SECRET, TestResponse, TestSite, reachable_tempdir,
};

const ON: (&str, &str) = ("RATE_CLASSES", "on");

/// Sends a request of class `rate` that writes nothing, because post 0 does not exist.
async fn ask(actor: &Actor) -> TestResponse {
    actor.post("/rate/", &json!({ "blog": 0, "rating": 1 })).await
}

async fn class(actor: &Actor, name: &str) -> Value {
    let all = actor.get("/rate/classes/").await.expect(200).json();
    all["classes"].as_array().unwrap().iter().find(|class| class["class"] == name).unwrap().clone()
}

#[actix_web::test]
async fn excess_requests_are_warned_then_limited_then_signed_out() {
    let site = TestSite::start_with(&[ON], 1).await;
    let ben = site.user("ben").await;
    let mut seen = Vec::new();
    for number in 1..=42 {
        let answer = ask(&ben).await;
        let status = class(&ben, "rate").await["status"].as_str().map(str::to_owned);
        seen.push((number, answer.status.as_u16(), status.unwrap_or_default()));
        if number == 30 {
            assert_eq!(answer.clone().expect_problem(429, "class_limited").retry_after(), 18);
            assert_eq!(answer.json()["class"], "rate");
        }
        if number == 42 {
            assert_eq!(answer.header("connection"), "close");
            assert_eq!(answer.expect_problem(429, "class_limited").retry_after(), 300);
        }
    }
    let first = |name: &str| seen.iter().find(|(_, _, status)| status == name).map(|(number, ..)| *number);
    // Request 42 ended the session, so the status after it is that of an anonymous client.
    assert_eq!((first("alert"), first("limited")), (Some(25), Some(30)));
    assert!(seen[..29].iter().all(|(_, status, _)| *status == 400), "{seen:?}");
    assert!(seen[29..].iter().all(|(_, status, _)| *status == 429), "{seen:?}");
    ben.get("/users/me/").await.expect(401);

    // Signing in again does not lift the penalty. Page views belong to another class.
    let new_session = site.guest();
    let login = json!({ "username": "ben", "password": PASSWORD });
    site.advance_clock(TimeDelta::seconds(1));
    new_session.post("/users/login/", &login).await.expect(200);
    new_session.get("/blogs/").await.expect(200);
    site.advance_clock(TimeDelta::seconds(298));
    let limited = ask(&new_session).await.expect_problem(429, "class_limited");
    // The penalty does not sign the user out again.
    assert_eq!(limited.retry_after(), 1);
    new_session.get("/users/me/").await.expect(200);
    site.advance_clock(TimeDelta::seconds(1));
    ask(&new_session).await.expect(400);
}

#[actix_web::test]
async fn retry_after_is_sufficient_and_minimal() {
    for less in [0, 1] {
        let site = TestSite::start_with(&[ON], 1).await;
        let ben = site.user("ben").await;
        let answers = async {
            for _ in 0..29 {
                ask(&ben).await.expect(400);
            }
            ask(&ben).await
        };
        let wait = answers.await.expect(429).retry_after();
        site.advance_clock(TimeDelta::seconds(wait - less));
        assert_eq!(ask(&ben).await.status.as_u16(), if less == 0 { 400 } else { 429 });
    }
}

#[actix_web::test]
async fn limit_does_not_affect_other_clients_classes_or_static_files() {
    let site = TestSite::start_with(&[ON], 1).await;
    let (ben, zoe) = (site.user("ben").await, site.user("zoe").await);
    for _ in 0..35 {
        ask(&ben).await;
    }
    ask(&ben).await.expect(429);
    ask(&zoe).await.expect(400);
    ben.get("/blogs/").await.expect(200);
    for _ in 0..400 {
        ben.page("/static/style.css").await.expect(200);
        ben.page("/healthz").await.expect(200);
    }
    // Anonymous clients may share an IP address: they are limited late, never disconnected, and not charged for refused
    // requests.
    let guest = site.guest();
    let statuses: Vec<u16> =
        join_all((0..400).map(|_| guest.get("/blogs/"))).await.iter().map(|answer| answer.status.as_u16()).collect();
    let served = statuses.iter().filter(|status| **status == 200).count();
    assert!((150..=189).contains(&served), "{served}");
    assert_eq!(class(&guest, "browse").await["status"], "limited");
    site.advance_clock(TimeDelta::seconds(3));
    guest.get("/blogs/").await.expect(200);
    let classes = site.classes();
    assert!(
        classes.decision_count(RequestClass::Rate, RateClassStatus::Limited) > 5
            && classes.decision_count(RequestClass::Write, RateClassStatus::Clear) == 0
    );
    for _ in 0..30 {
        ben.post("/users/logout/", &json!({})).await.expect(204);
    }
}

#[actix_web::test]
async fn client_can_query_its_rate_limits_and_gets_headers() {
    let site = TestSite::start_with(&[ON], 1).await;
    let ben = site.user("ben").await;
    let fresh = class(&ben, "rate").await;
    assert_eq!((&fresh["possible"], &fresh["key"], &fresh["window"]), (&json!(29), &json!("user"), &json!(12)));
    assert_eq!(
        (&fresh["level_ms"], &fresh["limit_ms"], &fresh["retry_after"]),
        (&json!(15_000), &json!(1_200), &json!(0))
    );
    assert!(fresh["members"].as_array().unwrap().contains(&json!("POST /rate/")));
    assert_eq!(fresh["member_count"], fresh["members"].as_array().unwrap().len());
    assert_eq!(fresh["dropping"], false);
    let answer = ask(&ben).await;
    assert_eq!(answer.header("ratelimit-policy"), "\"rate\";q=29;w=167");
    assert_eq!(answer.header("ratelimit"), "\"rate\";r=28");
    // The `RateLimit` header announces exactly the number of requests that are still allowed.
    for left in (0..28).rev() {
        let answer = ask(&ben).await.expect(400);
        let alert = if left <= 4 { ";alert" } else { "" };
        assert_eq!(answer.header("ratelimit"), format!("\"rate\";r={left}{alert}"));
    }
    let limited = ask(&ben).await.expect(429);
    assert_eq!(limited.header("ratelimit"), format!("\"rate\";r=0;t={}", limited.retry_after()));
    let quiet = TestSite::start_with(&[ON, ("RATE_LIMIT_HEADERS", "off")], 1).await;
    assert_eq!(quiet.guest().get("/blogs/").await.expect(200).header("ratelimit"), "");
}

#[actix_web::test]
async fn another_site_cannot_use_up_the_limits_of_a_user() {
    let site = TestSite::start_with(&[ON], 1).await;
    let ben = site.user("ben").await;
    let visit = || ben.send(ben.request("GET", "/blogs/").header("sec-fetch-site", "cross-site"));
    for answer in join_all((0..60).map(|_| visit())).await {
        answer.expect(200);
    }
    assert_eq!(class(&ben, "browse").await["status"], "clear");
    ben.get("/users/account/").await.expect(200);
}

#[actix_web::test]
async fn page_warns_and_shows_the_wait() {
    let site = TestSite::start_with(&[ON, ("RATE_CLASS_BROWSE_ADDRESS", "2,4000,3000,2500,1000,0,0")], 1).await;
    let guest = site.guest();
    guest
        .page("/blogs/")
        .await
        .expect(200)
        .expect_text("You’re loading pages too fast. Slow down, or you’ll have to wait about 5 seconds.");
    let limited = guest.page("/blogs/").await.expect(200);
    assert!(limited.header("retry-after").is_empty());
    let limited = guest.page("/blogs/").await.expect(429).expect_text("Too many requests");
    assert!(limited.retry_after() > 0);
}

#[actix_web::test]
async fn limits_survive_restart_and_apply_to_other_instances() {
    let site = TestSite::start_with(&[ON], 2).await;
    let ben = site.user("ben").await;
    for _ in 0..35 {
        ask(&ben).await;
    }
    let there = ben.with_instance(site.instances[1]);
    // Until the limit is written to the database, another instance allows at most one more burst of requests.
    ask(&there).await.expect(400);
    sync::sync_once(site.classes_of(0), &site.pool, &mut None).await.unwrap();
    // After a sync in both directions, a later request on one instance does not hide the limit from the other.
    site.advance_clock(TimeDelta::milliseconds(500));
    ask(&there).await.expect(400);
    for _ in 0..2 {
        for instance in [1, 0] {
            sync::sync_once(site.classes_of(instance), &site.pool, &mut None).await.unwrap();
        }
    }
    ask(&ben).await.expect_problem(429, "class_limited");
    ask(&there).await.expect_problem(429, "class_limited");
    // A new instance loads the limit at its first sync.
    let (address, (fresh, _handle)) = crate::support::another_instance(&site, &[ON]);
    sync::sync_once(fresh.state.rate_classes.as_ref().unwrap(), &site.pool, &mut None).await.unwrap();
    ask(&ben.with_instance(address)).await.expect_problem(429, "class_limited");
    // The database clock was set back by one day: the last timestamp that the instance has seen is in the future.
    let (address, (set_back, _handle)) = crate::support::another_instance(&site, &[ON]);
    let tomorrow = "select clock_timestamp() + interval '1 day'";
    let mut since = Some(sqlx::query_scalar(tomorrow).fetch_one(&site.pool).await.unwrap());
    sync::sync_once(set_back.state.rate_classes.as_ref().unwrap(), &site.pool, &mut since).await.unwrap();
    ask(&ben.with_instance(address)).await.expect_problem(429, "class_limited");
}

/// Settings with which the third simultaneous request gets a warning, and the fourth is limited. The penalty after a
/// disconnect is one second.
const QUICK: [(&str, &str); 2] = [ON, ("RATE_CLASS_RATE_USER", "3,3000,1750,1750,800,300,1")];

#[actix_web::test]
async fn stream_sends_status_changes_of_requested_classes() {
    let site = TestSite::start_with(&QUICK, 1).await;
    let (ben, zoe) = (site.user("ben").await, site.user("zoe").await);
    let mut rate = EventStream::open(&ben, "/rate/classes/events/?class=rate&class=write&class=rate").await;
    let (name, data) = rate.next().await;
    assert_eq!((name.as_str(), &data["class"], &data["status"]), ("CHANGE", &json!("rate"), &json!("clear")));
    assert_eq!((&data["window"], &data["possible"], &data["members"]), (&json!(3), &json!(3), &Value::Null));
    assert_eq!(rate.next().await.1["class"], "write");
    let mut browse = EventStream::open(&ben, "/rate/classes/events/?class=browse").await;
    assert_eq!(browse.next().await.0, "CHANGE");
    let mut stream_of_zoe = EventStream::open(&zoe, "/rate/classes/events/").await;
    for class in ["browse", "write", "rate", "account"] {
        assert_eq!(stream_of_zoe.next().await.1["class"], class);
    }
    ask(&ben).await.expect(400);
    ask(&ben).await.expect(400);
    let (name, data) = rate.next().await;
    assert_eq!((name.as_str(), &data["status"], &data["possible"]), ("WARNING", &json!("alert"), &json!(1)));
    ask(&ben).await.expect(400);
    let limited = ask(&ben).await.expect(429);
    let (name, data) = rate.next().await;
    assert_eq!((name.as_str(), &data["retry_after"]), ("LIMIT", &json!(limited.retry_after())));
    assert_eq!((&data["code"], &data["dropping"]), (&json!(3), &json!(true)));
    let mut late_stream = EventStream::open(&ben, "/rate/classes/events/?class=rate").await;
    assert_eq!(late_stream.next().await.1["status"], "limited");
    site.advance_clock(TimeDelta::seconds(limited.retry_after()));
    ask(&ben).await.expect(400);
    for stream in [&mut rate, &mut late_stream] {
        let (name, data) = stream.next().await;
        assert_eq!((name.as_str(), &data["retry_after"]), ("CLEAR", &json!(0)));
    }
    for _ in 0..100 {
        zoe.get("/blogs/").await;
    }
    let (name, data) = stream_of_zoe.next().await;
    assert_eq!((name.as_str(), &data["class"]), ("WARNING", &json!("browse")));
    for _ in 0..70 {
        ben.get("/blogs/").await.expect(200);
    }
    assert_eq!(browse.next().await.0, "WARNING");
}

#[actix_web::test]
async fn stream_sends_the_end_of_a_limit() {
    // Uses the real clock. The limit lasts half a second.
    let settings = [ON, ("RATE_CLASS_RATE_USER", "2,600,550,550,200,0,0")];
    let site = TestSite::with_clock(&settings, 1, evenkeel::db::clock::Clock::Database).await;
    let ben = site.user("ben").await;
    let mut stream = EventStream::open(&ben, "/rate/classes/events/?class=rate").await;
    assert_eq!(stream.next().await.0, "CHANGE");
    while ask(&ben).await.status != 429 {}
    while stream.next().await.0 != "LIMIT" {}
    let (name, data) = stream.next().await;
    assert_eq!((name.as_str(), &data["code"], &data["dropping"]), ("CLEAR", &json!(4), &json!(false)));
    // The event contains the level after the recovery, not the level at the latest request.
    assert!(data["level_ms"].as_i64() >= data["clear_ms"].as_i64(), "{data}");
    ask(&ben).await.expect(400);
}

#[actix_web::test]
async fn streams_are_served_while_limited_and_bounded() {
    let site = TestSite::start_with(&QUICK, 1).await;
    let ben = site.user("ben").await;
    for _ in 0..4 {
        ask(&ben).await;
    }
    let mut open = Vec::new();
    for _ in 0..4 {
        open.push(EventStream::open(&ben, "/rate/classes/events/?class=rate").await);
    }
    let fifth = ben.get("/rate/classes/events/").await.expect_problem(429, "too_many_streams");
    assert_eq!(fifth.retry_after(), 30);
    ben.get("/rate/classes/events/?class=cow").await.expect_problem(400, "invalid");
    let head = ben.send(ben.request("HEAD", "/rate/classes/events/")).await.expect(200);
    assert_eq!(head.header("content-type"), "text/event-stream; charset=utf-8");
    // A closed stream frees a slot for another one.
    open.pop();
    let mut new_stream = open_when_there_is_room(&ben).await;
    assert_eq!(new_stream.next().await.0, "CHANGE");
    while !ask(&ben).await.text.contains("been signed out") {}
    assert_eq!((new_stream.next().await.1["status"].clone(), new_stream.ended().await), (json!("disconnect"), true));
    let zoe = site.user("zoe").await;
    let mut stream_of_zoe = EventStream::open(&zoe, "/rate/classes/events/?class=rate").await;
    stream_of_zoe.next().await;
    zoe.post("/users/logout/", &json!({})).await.expect(204);
    assert!(stream_of_zoe.ended().await);
    site.classes().close_event_streams();
    let mut guest = EventStream::open(&site.guest(), "/rate/classes/events/").await;
    while guest.try_next().await.is_some() {}
    assert!(site.classes().subscribers.stream_count() <= 3);
}

#[actix_web::test]
async fn shutdown_ends_streams() {
    let (dir, lease) = (reachable_tempdir(), DatabaseLease::take().await);
    let program = Program::new(dir.path()).with("DATABASE_URL", &lease.url).with("SECRET_KEY", SECRET);
    let program = program.with("RATE_CLASSES", "on");
    let running = program.start().await;
    let mut stream = EventStream::open(&Actor::new(program.address), "/rate/classes/events/?class=browse").await;
    assert_eq!(stream.next().await.0, "CHANGE");
    assert!(running.signal(Signal::SIGINT).success());
    assert!(stream.ended().await);
}

/// Opens an event stream. Retries, because the server notices only after a delay that the client has closed another
/// stream.
async fn open_when_there_is_room(actor: &Actor) -> EventStream {
    loop {
        if let Some(stream) = EventStream::try_open(actor, "/rate/classes/events/?class=rate").await {
            return stream;
        }
    }
}

#[actix_web::test]
async fn rate_limited_form_keeps_its_input() {
    let settings = [ON, ("RATE_CLASS_WRITE_USER", "2,3000,1750,1750,800,0,0"), QUICK[1]];
    let site = TestSite::start_with(&settings, 1).await;
    let (post, ben) = (site.post("ann").await, site.user("ben").await);
    ben.submit("/blogs/create/", &[("title", "T"), ("content", "t")]).await.expect(303);
    let fields = [("title", "My <title>"), ("content", "What took me an hour to write.")];
    let page = ben.submit("/blogs/create/", &fields).await.expect(429);
    assert_eq!(page.retry_after(), 3);
    page.expect_text("My &#60;title&#62;")
        .expect_text("What took me an hour to write.")
        .expect_text("data-wait=\"3\" data-holds");
    assert_eq!(site.count("blog_posts").await, 2);
    ben.page("/").await.expect_text("You’ve been writing too fast. You can continue in 3 seconds.");
    site.advance_clock(TimeDelta::seconds(3));
    ben.submit("/blogs/create/", &fields).await.expect(303);
    assert_eq!(site.count("blog_posts").await, 3);
    let star = [("blog", post.to_string()), ("rating", "4".to_owned())];
    let star: Vec<_> = star.iter().map(|(name, value)| (*name, value.as_str())).collect();
    for _ in 0..3 {
        ben.submit("/rate/", &star).await;
    }
    ben.page("/").await.expect_text("You’re rating too fast. Slow down, or you’ll have to wait about");
    ben.submit("/rate/", &star).await.expect(429).expect_text("value=\"4\" required checked");
}

#[actix_web::test]
async fn limited_class_rejects_all_its_actions() {
    let tiny = "1,3000,2000,1500,1000,0,0";
    let settings = [
        ON,
        ("RATE_CLASS_BROWSE_USER", tiny),
        ("RATE_CLASS_WRITE_USER", tiny),
        ("RATE_CLASS_RATE_USER", tiny),
        ("RATE_CLASS_ACCOUNT_USER", tiny),
        ("RATE_CLASS_ACCOUNT_ADDRESS", tiny),
    ];
    let site = TestSite::start_with(&settings, 1).await;
    let ben = site.many_users(1).await.remove(0);
    let unsafe_methods = |allow: String| ["POST", "PUT"].into_iter().filter(move |method| allow.contains(method));
    for address in evenkeel::server::declare_routes().iter() {
        let path = address.pattern.replace("{id}", "1").replace("{username}", "ann").replace("{name}", "a.png");
        for method in unsafe_methods(address.allow_header()).filter(|_| path != "/users/logout/") {
            // The first request uses up the class, so that the following ones are limited.
            ben.send(ben.request(method, &path).json(&json!({}))).await;
            for (accept, content_type, body) in [
                ("application/json", "application/json", "{}"),
                ("text/html", "application/json", "{}"),
                ("text/html", "application/x-www-form-urlencoded", ""),
                ("text/html", "application/x-www-form-urlencoded", "title=T&content=t&rating=1&blog=1"),
                ("text/html", "text/plain", ""),
            ] {
                let request = ben.request(method, &path).header("Accept", accept).header("Content-Type", content_type);
                let answer = ben.send(request.header("Sec-Fetch-Site", "same-origin").body(body)).await;
                assert_eq!(answer.status, 429, "{method} {path} {accept} {content_type} {body}");
                assert!(answer.retry_after() > 0);
            }
            site.advance_clock(TimeDelta::seconds(10));
        }
    }
    assert_eq!(site.count("blog_posts").await, 0);
}

#[actix_web::test]
async fn failed_session_lookup_is_charged_to_the_ip_address() {
    let site = TestSite::fresh(&[ON], 1).await;
    let ben = site.user("ben").await;
    sqlx::query("alter table sessions rename to gone").execute(&site.pool).await.unwrap();
    let mut statuses = Vec::new();
    for _ in 0..190 {
        statuses.push(ben.get("/blogs/").await.status.as_u16());
    }
    assert_eq!((statuses.iter().position(|status| *status == 429), statuses[0]), (Some(189), 503));
    ben.get("/healthz").await.expect(200);
    sqlx::query("alter table gone rename to sessions").execute(&site.pool).await.unwrap();
    ben.get("/blogs/").await.expect(200);
}

#[actix_web::test]
async fn decisions_are_counted_by_class_limiter_and_result() {
    let on_edit = ("RATING_LIMITER_ON_EDIT", "true");
    let settings = [QUICK[0], QUICK[1], ("LEAKY_BUCKET_CAPACITY", "1"), ("ZOMBIE_PAUSE_BURST", "1"), on_edit];
    let site = TestSite::start_with(&settings, 1).await;
    let (post, ben, cy) = (site.post("ann").await, site.user("ben").await, site.many_users(1).await.remove(0));
    ben.rate(post, 1).await.expect(201);
    for status in [409, 409, 429] {
        ben.rate(post, 1).await.expect(status);
    }
    site.advance_clock(TimeDelta::seconds(10));
    ben.rate(post, 1).await.expect_problem(429, "paused");
    cy.rate(post, 1).await.expect(201);
    cy.change_rating(post, 1).await.expect(200);
    cy.change_rating(post, 2).await.expect_problem(429, "post_rate_limited");
    let wrong_password = json!({ "username": "ben", "password": "not the right one" });
    for _ in 0..11 {
        site.guest().post("/users/login/", &wrong_password).await;
    }
    for (class, limiter, outcome, total) in [
        ("post", "leaky_bucket", "admitted", 3),
        ("post", "leaky_bucket", "refused", 1),
        ("edit", "leaky_bucket", "admitted", 1),
        ("pause", "zombie_pause", "refused", 1),
        // Admitted: two registrations and ten sign-ins. The eleventh sign-in exceeds the limit of user and client.
        ("sign_in", "leaky_bucket", "admitted", 12),
        ("sign_in", "leaky_bucket", "refused", 1),
        ("rate", "rate_class", "limited", 1),
        ("rate", "rate_class", "alert", 4),
        ("account", "rate_class", "clear", 13),
        ("write", "rate_class", "clear", 1),
    ] {
        assert_eq!(site.decision_count(class, limiter, outcome), total, "{class} {limiter} {outcome}");
    }
}

/// Sends 128 requests, one every 350 ms of test time, to each instance in turn. Returns the number of served requests.
async fn served(instances: usize) -> usize {
    let settings = [ON, ("RATE_CLASS_RATE_USER", "3,3000,700,600,500,100,5")];
    let site = TestSite::start_with(&settings, instances).await;
    let ben = site.user("ben").await;
    let mut since = vec![None; instances];
    let mut served = 0;
    for number in 0..128 {
        served += usize::from(ask(&ben.with_instance(site.instances[number % instances])).await.status == 400);
        site.advance_clock(TimeDelta::milliseconds(350));
        // Instances synchronize their rate class states about once a second.
        if number % 3 == 2 {
            for (instance, since) in since.iter_mut().enumerate() {
                sync::sync_once(site.classes_of(instance), &site.pool, since).await.unwrap();
            }
        }
    }
    served
}

#[actix_web::test]
async fn alternating_between_instances_gains_at_most_a_burst() {
    let (by_one_instance, by_two_instances) = (served(1).await, served(2).await);
    println!("one instance serves {by_one_instance} of 128, two serve {by_two_instances}");
    assert!(
        by_two_instances <= by_one_instance + 4 && by_one_instance < 100,
        "{by_one_instance}, then {by_two_instances}"
    );
}

#[actix_web::test]
async fn rate_limit_page_shows_the_limits() {
    let site = TestSite::start_with(&[("RATE_CLASSES", "on")], 1).await;
    let ben = site.user("ben").await;
    let page = ben.page("/rate/classes/").await.expect(200);
    page.expect_text("<h1>Rate limits</h1>").expect_text("<dt>Rating</dt>").expect_text("POST /rate/");
    ben.get("/rate/classes/").await.expect(200).expect_text("\"classes\":[");
    let off = TestSite::start_with(&[("RATE_CLASSES", "off")], 1).await;
    off.guest().page("/rate/classes/").await.expect(200).expect_text("There are currently no rate limits.");
}
