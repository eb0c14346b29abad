//! Custom limits: other limits on requests for one user or network.

use chrono::TimeDelta;
use evenkeel_limiters::RateClassStatus;
use serde_json::{Value, json};

use crate::support::{Actor, EventStream, PASSWORD, Program, TestSite, reachable_tempdir};

const ON: &[(&str, &str)] = &[("RATE_CLASSES", "on"), ("TRUSTED_PROXIES", "127.0.0.0/8")];

/// Sends requests of class `rate` until one is refused. Returns the number of admitted requests, at most `max`.
async fn count_admitted(actor: &Actor, max: usize) -> usize {
    for count in 0..max {
        if actor.post("/rate/", &json!({ "blog": 0, "rating": 1 })).await.status == 429 {
            return count;
        }
    }
    max
}

/// Limits and state of one rate class of a client.
async fn class(actor: &Actor, name: &str) -> Value {
    let all = actor.get("/rate/classes/").await.expect(200).json();
    all["classes"].as_array().unwrap().iter().find(|class| class["class"] == name).unwrap().clone()
}

async fn set_limit(admin: &Actor, limit: &str, target: &str, allowance: &Value) -> i64 {
    let body = json!({ "limit": limit, "target": target, "allowance": allowance, "reason": "a test" });
    admin.post("/admin/limits/", &body).await.expect(201).json()["id"].as_i64().unwrap()
}

async fn reload(site: &TestSite, instance: usize) {
    site.site_of(instance).state.custom_limits.reload(&site.pool, &site.clock).await.unwrap();
}

#[actix_web::test]
async fn custom_limit_multiplies_the_limit_of_a_user() {
    let site = TestSite::start_with(ON, 2).await;
    let (ada, ben, cy) = (site.staff("ada", "admin").await, site.user("ben").await, site.user("cy").await);
    let default = class(&ben, "rate").await;
    set_limit(&ada, "rate", "ben", &json!(4)).await;
    let scaled = class(&ben, "rate").await;
    for name in ["clear_ms", "alert_ms", "limit_ms", "disconnect_ms"] {
        assert_eq!(scaled[name].as_i64(), default[name].as_i64().map(|gap| gap / 4), "{name}");
    }
    assert_eq!((count_admitted(&ben, 100).await, count_admitted(&cy, 100).await), (44, 29));
    // Other instances read the custom limit within a second.
    let ben_there = ben.with_instance(site.instances[1]);
    assert_eq!(class(&ben_there, "rate").await["limit_ms"], default["limit_ms"]);
    reload(&site, 1).await;
    assert_eq!(class(&ben_there, "rate").await["limit_ms"], scaled["limit_ms"]);
    // A strict limit refuses early, but does not sign the user out early.
    set_limit(&ada, "rate", "cy", &json!("0.01")).await;
    let strict = class(&cy, "rate").await;
    assert_eq!((&strict["limit_ms"], &strict["disconnect_ms"]), (&json!(15_000), &default["disconnect_ms"]));
}

#[actix_web::test]
async fn exempt_user_has_no_limit_until_staff_end_the_exemption() {
    let site = TestSite::start_with(ON, 1).await;
    let (ada, ben) = (site.staff("ada", "admin").await, site.user("ben").await);
    set_limit(&ada, "rate", "ben", &json!(4)).await;
    // A second custom limit on the same requests of a user replaces the first one.
    let id = set_limit(&ada, "rate", "ben", &json!("exempt")).await;
    assert_eq!(count_admitted(&ben, 200).await, 200);
    let unlimited = class(&ben, "rate").await;
    assert_eq!((&unlimited["possible"], &unlimited["status"]), (&Value::Null, &json!("clear")));
    let answer = ben.post("/rate/", &json!({ "blog": 0, "rating": 1 })).await;
    assert_eq!((answer.header("ratelimit"), answer.header("ratelimit-policy")), ("", ""));
    ben.page("/rate/classes/").await.expect(200).expect_text("no limit");
    let listed = ada.get("/admin/limits/").await.expect(200).json();
    assert_eq!(listed["results"].as_array().unwrap().len(), 1);
    assert_eq!((&listed["results"][0]["user"], &listed["results"][0]["factor"]), (&json!("ben"), &Value::Null));
    let page = ada.page("/admin/limits/").await.expect(200);
    page.expect_text("<bdi>ben</bdi>").expect_text("no limit").expect_text("a test");
    ada.post(&format!("/admin/limits/{id}/end/"), &json!({})).await.expect(204);
    ada.post(&format!("/admin/limits/{id}/end/"), &json!({})).await.expect(404);
    assert!(count_admitted(&ben, 100).await < 100);
    let log = ada.page("/admin/log/?act=limit.set").await.expect(200);
    log.expect_text("a test").expect_text("exempt");
    ada.page("/admin/log/?act=limit.end").await.expect(200).expect_text("ben");
    assert!(site.classes().decision_count(evenkeel::access::RequestClass::Rate, RateClassStatus::Clear) > 200);
}

#[actix_web::test]
async fn network_gets_its_own_limits_until_they_expire() {
    let site = TestSite::start_with(ON, 1).await;
    let ada = site.staff("ada", "admin").await;
    let browse_limit = async |address: &str| {
        // The request has its own client, because clients that register are signed in.
        let guest = site.guest();
        let request = guest.request("GET", "/rate/classes/").header("X-Forwarded-For", address);
        let all = guest.send(request.header("Accept", "application/json")).await.expect(200).json();
        all["classes"][0]["limit_ms"].as_i64().unwrap()
    };
    let default = browse_limit("203.0.113.7").await;
    let body =
        json!({ "limit": "browse", "target": "203.0.113.0/24", "allowance": "10", "days": 2, "reason": "office" });
    ada.post("/admin/limits/", &body).await.expect(201);
    assert_eq!((browse_limit("203.0.113.7").await, browse_limit("198.51.100.7").await), (default / 10, default));
    let register = async |name: &str, address: &str| {
        let body = json!({ "username": name, "email": "a@example.com", "password": PASSWORD });
        let guest = site.guest();
        let request = guest.request("POST", "/users/register/").header("X-Forwarded-For", address).json(&body);
        guest.send(request).await.status.as_u16()
    };
    for number in 0..8 {
        assert_eq!(register(&format!("user_{number}"), "203.0.113.7").await, 201);
    }
    assert_eq!(register("user_8", "203.0.113.7").await, 429);
    set_limit(&ada, "sign_in", "203.0.113.7", &json!(2)).await;
    assert_eq!(register("user_8", "203.0.113.7").await, 201);
    site.advance_clock(TimeDelta::days(2));
    reload(&site, 0).await;
    assert_eq!(browse_limit("203.0.113.7").await, default);
    ada.page("/admin/limits/").await.expect(200).expect_text("203.0.113.0/24").expect_text("ended");
}

/// Starts a site without a rating limiter that pauses users after three failed attempts. Also returns the moderator
/// `mo` and the users `ben` and `cy`.
async fn site_with_warnings() -> (TestSite, Actor, Actor, Actor) {
    let settings = [ON, &[("ZOMBIE_PAUSE_BURST", "3"), ("RATING_LIMITER", "off")]].concat();
    let site = TestSite::start_with(&settings, 1).await;
    let (mo, ben, cy) = (site.staff("mo", "moderator").await, site.user("ben").await, site.user("cy").await);
    (site, mo, ben, cy)
}

async fn warning_level(site: &TestSite, user: &Actor) -> i64 {
    reload(site, 0).await;
    class(user, "rate").await["warning_level"].as_i64().unwrap()
}

/// Lets a user report a new post of another user. Returns the id of the case.
async fn report_new_post(author: &Actor, reporter: &Actor) -> i64 {
    let post = author.write("Spam", "Buy this.").await;
    let report = json!({ "category": "spam", "explanation": "It is an advertisement." });
    reporter.post(&format!("/blogs/{post}/report/"), &report).await.expect(201).json()["id"].as_i64().unwrap()
}

async fn decide(staff: &Actor, case: i64, ruling: &str) {
    let shown = staff.get(&format!("/admin/reports/{case}/")).await.expect(200).json();
    let body = json!({ "ruling": ruling, "reason": "r", "seen": shown["stage"], "version": shown["version"] });
    staff.post(&format!("/admin/reports/{case}/"), &body).await.expect(200);
}

#[actix_web::test]
async fn taking_down_a_post_raises_the_warning_level_of_its_author() {
    let (site, mo, ben, cy) = site_with_warnings().await;
    let default = class(&ben, "rate").await;
    assert_eq!(warning_level(&site, &ben).await, 0);
    let mut stream = EventStream::open(&ben, "/rate/classes/events/?class=rate").await;
    assert_eq!(stream.next().await.0, "CHANGE");
    let case = report_new_post(&ben, &cy).await;
    decide(&mo, case, "rules").await;
    assert_eq!(warning_level(&site, &ben).await, 20);
    // The clear, alert and limit levels rise by 20 % of their distance from the maximum, less 150 ms.
    let warned = class(&ben, "rate").await;
    for name in ["clear_ms", "alert_ms", "limit_ms"] {
        let before = default[name].as_i64().unwrap();
        assert_eq!(warned[name], before + (15_000 - 150 - before) / 5, "{name}");
    }
    assert_eq!(warned["disconnect_ms"], default["disconnect_ms"]);
    let (name, data) = stream.next().await;
    assert_eq!((name.as_str(), &data["warning_level"], &data["limit_ms"]), ("CHANGE", &json!(20), &warned["limit_ms"]));
    ben.page("/rate/classes/").await.expect(200).expect_text("warning level 20%");
    mo.page("/admin/users/?name=ben").await.expect(200).expect_text("<span class=\"badge warning\">20%</span>");
    // A decision that restores the post removes the points, and a second decision against the post adds them again.
    decide(&mo, case, "keep").await;
    assert_eq!(warning_level(&site, &ben).await, 0);
    decide(&mo, case, "rules").await;
    assert_eq!(warning_level(&site, &ben).await, 20);
}

#[actix_web::test]
async fn warning_level_adds_up_and_falls_over_time_or_by_reset() {
    let (site, mo, ben, cy) = site_with_warnings().await;
    let default = class(&ben, "rate").await;
    decide(&mo, report_new_post(&ben, &cy).await, "rules").await;
    // A pause after failed attempts adds 10 points to the 20 points of a removed post.
    let other = cy.write("Herons", "They stand.").await;
    ben.rate(other, 4).await.expect(201);
    site.advance_clock(TimeDelta::minutes(10));
    for _ in 0..4 {
        ben.rate(other, 4).await.expect_problem(409, "already_rated");
    }
    assert_eq!(warning_level(&site, &ben).await, 30);
    // The level falls by 5 points a day.
    site.advance_clock(TimeDelta::days(2));
    assert_eq!(warning_level(&site, &ben).await, 20);
    let reset = json!({ "selected": "ben", "act": "reset_warning" });
    assert_eq!(mo.post("/admin/act/", &reset).await.expect(200).json()["count"], 1);
    assert_eq!(mo.post("/admin/act/", &reset).await.expect(200).json()["count"], 0);
    assert_eq!(warning_level(&site, &ben).await, 0);
    assert_eq!(class(&ben, "rate").await["limit_ms"], default["limit_ms"]);
    let export = ben.download_export().await;
    assert!(export["account.json"].contains("\"warning_level\": null"), "{}", export["account.json"]);
}

#[actix_web::test]
async fn disconnect_raises_the_warning_level_once() {
    let site = TestSite::start_with(ON, 1).await;
    let ben = site.user("ben").await;
    while ben.post("/rate/", &json!({ "blog": 0, "rating": 1 })).await.status != 401 {}
    let login = json!({ "username": "ben", "password": PASSWORD });
    ben.post("/users/login/", &login).await.expect(200);
    for _ in 0..3 {
        ben.post("/rate/", &json!({ "blog": 0, "rating": 1 })).await;
        ben.post("/users/login/", &login).await.expect(200);
    }
    // The warning level is stored after the response is sent.
    loop {
        reload(&site, 0).await;
        if class(&ben, "rate").await["warning_level"] == 10 {
            break;
        }
    }
    assert!(class(&ben, "rate").await["last_arrival_ms"].as_i64().is_some());
    // An exemption also ends the penalty time after a disconnect.
    ben.post("/rate/", &json!({ "blog": 0, "rating": 1 })).await.expect(429);
    let ada = site.staff("ada", "admin").await;
    set_limit(&ada, "rate", "ben", &json!("exempt")).await;
    reload(&site, 0).await;
    ben.post("/users/login/", &login).await.expect(200);
    ben.post("/rate/", &json!({ "blog": 0, "rating": 1 })).await.expect_problem(400, "invalid");
}

#[actix_web::test]
async fn invalid_custom_limit_names_its_field() {
    let site = TestSite::start_with(ON, 1).await;
    let (ada, mo) = (site.staff("ada", "admin").await, site.staff("mo", "moderator").await);
    let valid = json!({ "limit": "rate", "target": "ada", "allowance": "2", "reason": "x" });
    mo.post("/admin/limits/", &valid).await.expect_problem(403, "role_needed");
    for (field, value) in [
        ("limit", json!("none")),
        ("target", json!("nobody")),
        ("target", json!("10.0.0.0/7")),
        ("target", json!("")),
        ("allowance", json!("0")),
        ("allowance", json!(1_001)),
        ("allowance", json!("much")),
        ("days", json!(0)),
        ("reason", json!(" ")),
    ] {
        let mut body = valid.clone();
        body[field] = value;
        let problem = ada.post("/admin/limits/", &body).await.expect_problem(400, "invalid").json();
        assert!(problem["errors"][field].is_array(), "{problem}");
    }
    let mut sign_in = valid.clone();
    sign_in["limit"] = json!("sign_in");
    let problem = ada.post("/admin/limits/", &sign_in).await.expect_problem(400, "invalid").json();
    assert_eq!(problem["errors"]["target"][0], "Limits on sign-ins apply to networks. Enter an IP address or network.");
    let form = [("limit", "rate"), ("target", "nobody"), ("allowance", "2"), ("reason", "kept")];
    ada.submit("/admin/limits/", &form).await.expect(400).expect_text("value=\"kept\"").expect_text("no user named");
    assert_eq!(site.count("custom_limits").await, 0);
}

/// Checks that a form accepts the numbers of all interface languages, except numbers that another language reads
/// differently.
#[actix_web::test]
async fn form_accepts_unambiguous_numbers_of_all_languages() {
    let site = TestSite::start_with(ON, 1).await;
    let ada = site.staff("ada", "admin").await;
    for (allowance, factor) in [("0,5", 0.5), ("۱٫۲۵", 1.25), ("۱۰", 10.0)] {
        let form = [("limit", "rate"), ("target", "ada"), ("allowance", allowance), ("reason", "x")];
        ada.submit("/admin/limits/", &form).await.expect(303);
        assert_eq!(ada.get("/admin/limits/").await.json()["results"][0]["factor"], factor);
    }
    ada.page("/admin/limits/").await.expect_text("10 times the normal limit").expect_text("until staff end it");
    let form = [("limit", "rate"), ("target", "ada"), ("allowance", "1,000"), ("reason", "x")];
    ada.submit("/admin/limits/", &form).await.expect(400).expect_text("from 0.01 to 1,000");
}

#[actix_web::test]
async fn custom_limits_are_managed_by_command() {
    let site = TestSite::start_with(ON, 1).await;
    let ben = site.user("ben").await;
    let dir = reachable_tempdir();
    let program = Program::new(dir.path()).with("DATABASE_URL", &site.lease.url).with("RUST_LOG", "warn");
    let run = |arguments: &[&str]| program.run(arguments);
    assert_eq!(run(&["custom_limits"]), (true, "No custom limits.\n".to_owned()));
    let (succeeded, output) = run(&["custom_limits", "add", "rate", "ben", "3", "--reason", "a bot"]);
    assert!(succeeded && output.ends_with(": rate of ben: 3 times the limit, reason: a bot\n"), "{output}");
    let (succeeded, output) =
        run(&["custom_limits", "add", "sign_in", "203.0.113.7/24", "exempt", "--days", "3", "--reason", "office"]);
    assert!(succeeded && output.contains(": sign_in of 203.0.113.0/24: exempt, until 20"), "{output}");
    reload(&site, 0).await;
    assert_eq!(class(&ben, "rate").await["limit_ms"], 400);
    for (arguments, error) in [
        (&["custom_limits", "end", "99"][..], "there is no custom limit with the id 99"),
        (
            &["custom_limits", "add", "all", "ben", "2", "--reason", "x"],
            "no limit is named \"all\"; use browse, write,",
        ),
        (
            &["custom_limits", "add", "rate", "ben", "0", "--reason", "x"],
            "must be a number from 0.01 to 1000, or exempt",
        ),
        (&["custom_limits", "add", "rate", "10.0.0.0/7", "2", "--reason", "x"], "or a network from /8 to /32"),
        (&["custom_limits", "add", "sign_in", "ben", "2", "--reason", "x"], "Limits on sign-ins apply to networks"),
        (&["custom_limits", "add", "rate", "ben", "2"], "--reason"),
    ] {
        let (succeeded, output) = run(arguments);
        assert!(!succeeded && output.contains(error), "{output}");
    }
    assert_eq!(site.count("custom_limits").await, 2);
}
