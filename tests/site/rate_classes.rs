//! What one client may do: warned, limited, shown the door, and let in again.

use chrono::TimeDelta;
use evenkeel::limiters::RateStatus;
use evenkeel::rate_classes::{Class, sync};
use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::support::{Actor, Answer, PASSWORD, TestSite};

const ON: (&str, &str) = ("RATE_CLASSES", "on");

/// Something of the class `rate` that writes nothing.
async fn ask(actor: &Actor) -> Answer {
    actor.post("/rate/", &json!({ "blog": 0, "rating": 1 })).await
}

/// What `GET /rate/classes/` says of one class.
async fn class(actor: &Actor, name: &str) -> Value {
    let all = actor.get("/rate/classes/").await.expect(200).json();
    all["classes"].as_array().unwrap().iter().find(|class| class["class"] == name).unwrap().clone()
}

#[actix_web::test]
async fn a_loop_is_warned_then_limited_then_disconnected_at_exactly_the_computed_request() {
    let site = TestSite::with(&[ON], 1).await;
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
    let first = |wanted: &str| seen.iter().find(|(_, _, status)| status == wanted).map(|(number, ..)| *number);
    // The 42nd ended the session, so that the question after it came from somebody else.
    assert_eq!((first("alert"), first("limited")), (Some(25), Some(30)));
    assert!(seen[..29].iter().all(|(_, status, _)| *status == 400), "{seen:?}");
    assert!(seen[29..].iter().all(|(_, status, _)| *status == 429), "{seen:?}");
    ben.get("/users/me/").await.expect(401);

    // Signing in again is no way around the penalty, and reading is another class.
    let back = site.guest();
    let login = json!({ "username": "ben", "password": PASSWORD });
    back.post("/users/login/", &login).await.expect(200);
    back.get("/blogs/").await.expect(200);
    site.wait(TimeDelta::seconds(299));
    ask(&back).await.expect_problem(429, "class_limited");
    back.post("/users/login/", &login).await.expect(200);
    site.wait(TimeDelta::seconds(1));
    ask(&back).await.expect(400);
}

#[actix_web::test]
async fn whoever_waits_as_told_is_served_and_a_second_less_is_not_enough() {
    for less in [0, 1] {
        let site = TestSite::with(&[ON], 1).await;
        let ben = site.user("ben").await;
        let answers = async {
            for _ in 0..29 {
                ask(&ben).await.expect(400);
            }
            ask(&ben).await
        };
        let wait = answers.await.expect(429).retry_after();
        site.wait(TimeDelta::seconds(wait - less));
        assert_eq!(ask(&ben).await.status.as_u16(), if less == 0 { 400 } else { 429 });
    }
}

#[actix_web::test]
async fn others_other_classes_and_files_are_not_affected() {
    let site = TestSite::with(&[ON], 1).await;
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
    // Many share an address: they are limited late, never disconnected, and do not pay for what is refused.
    let guest = site.guest();
    let statuses: Vec<u16> =
        join_all((0..400).map(|_| guest.get("/blogs/"))).await.iter().map(|answer| answer.status.as_u16()).collect();
    let served = statuses.iter().filter(|status| **status == 200).count();
    assert!((150..=189).contains(&served), "{served}");
    assert_eq!(class(&guest, "browse").await["status"], "limited");
    site.wait(TimeDelta::seconds(3));
    guest.get("/blogs/").await.expect(200);
    let classes = site.classes();
    assert!(classes.total(Class::Rate, RateStatus::Limited) > 5 && classes.total(Class::Write, RateStatus::Clear) == 0);
    // Leaving is counted, and never refused.
    for _ in 0..30 {
        ben.post("/users/logout/", &json!({})).await.expect(204);
    }
}

#[actix_web::test]
async fn a_client_can_ask_where_it_stands_and_is_told_in_every_answer() {
    let site = TestSite::with(&[ON], 1).await;
    let ben = site.user("ben").await;
    let fresh = class(&ben, "rate").await;
    assert_eq!((&fresh["possible"], &fresh["key"], &fresh["window"]), (&json!(29), &json!("user"), &json!(12)));
    assert_eq!(
        (&fresh["level_ms"], &fresh["limit_ms"], &fresh["retry_after"]),
        (&json!(15_000), &json!(1_200), &json!(0))
    );
    assert!(fresh["members"].as_array().unwrap().contains(&json!("POST /rate/")));
    let answer = ask(&ben).await;
    assert_eq!(answer.header("ratelimit-policy"), "\"rate\";q=29;w=167");
    assert_eq!(answer.header("ratelimit"), "\"rate\";r=28");
    // What is left is exactly what is possible.
    for left in (0..28).rev() {
        let answer = ask(&ben).await.expect(400);
        assert_eq!(answer.header("ratelimit"), format!("\"rate\";r={left}"));
    }
    let limited = ask(&ben).await.expect(429);
    assert_eq!(limited.header("ratelimit"), format!("\"rate\";r=0;t={}", limited.retry_after()));
    let quiet = TestSite::with(&[ON, ("RATE_LIMIT_HEADERS", "off")], 1).await;
    assert_eq!(quiet.guest().get("/blogs/").await.expect(200).header("ratelimit"), "");
}

#[actix_web::test]
async fn a_person_is_warned_on_the_page_and_told_how_long_to_wait() {
    let site = TestSite::with(&[ON, ("RATE_CLASS_BROWSE_ADDRESS", "2,4000,3000,2500,1000,0,0")], 1).await;
    let guest = site.guest();
    guest
        .page("/blogs/")
        .await
        .expect(200)
        .expect_text("You are reading very fast. Slow down, or you will have to wait for about 5 seconds.");
    let limited = guest.page("/blogs/").await.expect(200);
    assert!(limited.header("retry-after").is_empty());
    let limited = guest.page("/blogs/").await.expect(429).expect_text("You are going very fast");
    assert!(limited.retry_after() > 0);
}

#[actix_web::test]
async fn other_instances_and_a_restart_know_who_was_limited() {
    let site = TestSite::with(&[ON], 2).await;
    let ben = site.user("ben").await;
    for _ in 0..35 {
        ask(&ben).await;
    }
    let there = ben.at(site.instances[1]);
    // Until it is written behind, the other instance gives no more than a burst of its own.
    ask(&there).await.expect(400);
    sync::once(site.classes_of(0), &site.pool, &mut None).await.unwrap();
    // A later request elsewhere is no way out of the limit, in neither direction.
    site.wait(TimeDelta::milliseconds(500));
    ask(&there).await.expect(400);
    for _ in 0..2 {
        for instance in [1, 0] {
            sync::once(site.classes_of(instance), &site.pool, &mut None).await.unwrap();
        }
    }
    ask(&ben).await.expect_problem(429, "class_limited");
    ask(&there).await.expect_problem(429, "class_limited");
    // An instance that starts now.
    let (address, (fresh, _handle)) = crate::support::another_instance(&site, &[ON]);
    sync::once(fresh.classes().unwrap(), &site.pool, &mut None).await.unwrap();
    ask(&ben.at(address)).await.expect_problem(429, "class_limited");
}
