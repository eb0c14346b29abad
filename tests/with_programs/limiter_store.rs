//! Rate classes on a Valkey server, which two instances share.

use chrono::TimeDelta;
use futures_util::future::join_all;
use serde_json::json;

use crate::support::{Actor, TestSite};

#[path = "../../crates/limiters/tests/valkey/server.rs"]
#[allow(dead_code, reason = "the tests of the crate use the rest")]
pub mod server;

use self::server::Server;

async fn start(server: &Server) -> TestSite {
    TestSite::start_with(&[("RATE_CLASSES", "on"), ("LIMITER_STORE_URL", &server.url())], 2).await
}

/// Sends a request of class `rate` that writes nothing, because post 0 does not exist, and returns the status.
async fn ask(actor: &Actor) -> u16 {
    actor.post("/rate/", &json!({ "blog": 0, "rating": 1 })).await.status.as_u16()
}

/// Sends simultaneous requests to both instances. Returns the number of requests that were not limited.
async fn ask_both(site: &TestSite, actors: &[Actor; 2], requests: usize) -> usize {
    let statuses = join_all((0..requests).map(|number| ask(&actors[number % 2]))).await;
    assert!(statuses.iter().all(|status| [400, 429].contains(status)), "{statuses:?}");
    assert_eq!(site.instances.len(), 2);
    statuses.into_iter().filter(|status| *status == 400).count()
}

/// Clients of one user for both instances.
async fn at_both(site: &TestSite, name: &str) -> [Actor; 2] {
    let first = site.user(name).await;
    let second = first.with_instance(site.instances[1]);
    [first, second]
}

async fn metrics(site: &TestSite) -> String {
    evenkeel::server::MetricSources { state: site.site().state.clone() }.encode().await
}

pub async fn instances_count_requests_together_on_a_valkey_server() {
    let valkey = Server::start();
    let site = start(&valkey).await;
    let ben = at_both(&site, "ben").await;
    // A user may send 29 requests of the class at once, to any of the instances.
    assert_eq!(ask_both(&site, &ben, 36).await, 29);
    assert_eq!((ask(&ben[0]).await, ask(&ben[1]).await), (429, 429));
    let status = ben[0].get("/rate/classes/").await.expect(200).json();
    let rate = status["classes"].as_array().unwrap().iter().find(|class| class["class"] == "rate").unwrap();
    assert_eq!(rate["status"], "limited");
    // Other users and other classes are not affected.
    let zoe = at_both(&site, "zoe").await;
    assert_eq!(ask_both(&site, &zoe, 20).await, 20);
    ben[1].get("/blogs/").await.expect(200);
    assert!(valkey.command(&["GET", "evenkeel:rate_class:rate:user:1"]).is_some());
}

pub async fn instances_count_requests_themselves_while_the_server_is_down() {
    let valkey = Server::start();
    let site = start(&valkey).await;
    let ben = at_both(&site, "ben").await;
    assert_eq!(ask_both(&site, &ben, 10).await, 10);
    let (port, zoe) = (valkey.port, site.user("zoe").await);
    assert!(metrics(&site).await.contains("evenkeel_limiter_store_up 1\n"));
    drop(valkey);
    // Without the server, each instance limits the user by itself. Both instances know most of the first ten requests.
    let served = ask_both(&site, &ben, 50).await;
    assert!((30..=50).contains(&served), "{served}");
    assert_eq!((ask(&ben[0]).await, ask(&ben[1]).await), (429, 429));
    assert!(metrics(&site).await.contains("evenkeel_limiter_store_up 0\n"));
    // After a restart, the server has no data, but the user stays limited, because the instances know the state.
    let valkey = Server::start_on(port).unwrap();
    site.advance_clock(TimeDelta::seconds(2));
    assert_eq!((ask(&zoe).await, ask(&zoe.with_instance(site.instances[1])).await), (400, 400));
    assert_eq!(valkey.command(&["DBSIZE"]), Some("1".to_owned()));
    assert!(metrics(&site).await.contains("evenkeel_limiter_store_up 1\n"));
    assert_eq!((ask(&ben[0]).await, ask(&ben[1]).await), (429, 429));
    assert_eq!(valkey.command(&["DBSIZE"]), Some("2".to_owned()));
}
