//! Webhooks: events, signatures, retries, refused addresses, and the pages in the admin area.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use actix_web::dev::ServerHandle;
use actix_web::{App, HttpRequest, HttpResponse, HttpServer, web};
use chrono::TimeDelta;
use evenkeel::db::commit;
use evenkeel::signing::sign_webhook;
use serde_json::{Value, json};

use crate::support::contract::check_event;
use crate::support::{Actor, PASSWORD, TestSite, minutes};

#[derive(Clone, Debug)]
struct Received {
    id: String,
    timestamp: String,
    signature: String,
    body: String,
}

impl Received {
    fn json(&self) -> Value {
        let event = serde_json::from_str(&self.body).unwrap();
        check_event(&event);
        event
    }

    fn is_signed_with(&self, secret: &str) -> bool {
        let secret =
            base64::Engine::decode(&base64::engine::general_purpose::STANDARD, secret.strip_prefix("whsec_").unwrap());
        self.signature == sign_webhook(&secret.unwrap(), &self.id, &self.timestamp, &self.body)
    }
}

/// Server that receives events. It responds with the given statuses, and then with 204.
struct Receiver {
    address: SocketAddr,
    received: Arc<Mutex<Vec<Received>>>,
    statuses: Arc<Mutex<VecDeque<u16>>>,
    handle: ServerHandle,
}

impl Drop for Receiver {
    fn drop(&mut self) {
        drop(self.handle.stop(false));
    }
}

impl Receiver {
    fn start() -> Self {
        let received = Arc::<Mutex<Vec<Received>>>::default();
        let statuses = Arc::<Mutex<VecDeque<u16>>>::default();
        let state = (received.clone(), statuses.clone());
        let server = HttpServer::new(move || {
            let (received, statuses) = state.clone();
            App::new().default_service(web::to(move |request: HttpRequest, body: String| {
                let header = |name| request.headers().get(name).unwrap().to_str().unwrap().to_owned();
                received.lock().unwrap().push(Received {
                    id: header("webhook-id"),
                    timestamp: header("webhook-timestamp"),
                    signature: header("webhook-signature"),
                    body,
                });
                let status = statuses.lock().unwrap().pop_front().unwrap_or(204);
                let mut response = HttpResponse::build(status.try_into().unwrap());
                if status == 503 {
                    response.insert_header(("retry-after", "3600"));
                }
                if status == 302 {
                    response.insert_header(("location", "/elsewhere"));
                }
                async move { response.finish() }
            }))
        });
        let server = server.workers(1).disable_signals().bind("127.0.0.1:0").unwrap();
        let address = server.addrs()[0];
        let server = server.run();
        let handle = server.handle();
        actix_web::rt::spawn(server);
        Self { address, received, statuses, handle }
    }

    fn url(&self) -> String {
        format!("http://{}/hook", self.address)
    }

    fn respond_with(&self, statuses: &[u16]) {
        *self.statuses.lock().unwrap() = statuses.iter().copied().collect();
    }

    fn take(&self) -> Vec<Received> {
        std::mem::take(&mut *self.received.lock().unwrap())
    }
}

const LOCAL: [(&str, &str); 1] = [("WEBHOOK_PRIVATE_NETWORKS", "127.0.0.0/8")];
const ALL: [&str; 4] = ["post.published", "rating_surge.began", "rating_surge.ended", "report.filed"];

async fn create(ada: &Actor, url: &str, events: &[&str]) -> i64 {
    let created = ada.post("/admin/webhooks/", &json!({ "url": url, "events": events })).await.expect(201);
    let id = created.json()["id"].as_i64().unwrap();
    assert_eq!(created.header("location"), format!("/admin/webhooks/{id}/"));
    id
}

async fn send(site: &TestSite) {
    site.site().state.webhooks.send_due_events().await.unwrap();
}

async fn webhook(ada: &Actor, id: i64) -> Value {
    ada.get(&format!("/admin/webhooks/{id}/")).await.expect(200).json()
}

async fn delivery(ada: &Actor) -> Value {
    ada.get("/admin/webhooks/deliveries/").await.expect(200).json()["results"][0].clone()
}

#[actix_web::test]
async fn events_are_sent_with_signatures() {
    let (site, receiver) = (TestSite::start_with(&LOCAL, 1).await, Receiver::start());
    let (ada, ann) = (site.staff("ada", "admin").await, site.user("ann").await);
    let id = create(&ada, &receiver.url(), &ALL).await;
    let secret = webhook(&ada, id).await["secret"].as_str().unwrap().to_owned();
    let post = ann.write("Herons", "They stand.").await;
    ann.post(&format!("/blogs/{post}/report/"), &json!({ "category": "spam", "explanation": "It sells boats." }))
        .await
        .expect_problem(400, "invalid");
    site.user("ben")
        .await
        .post(&format!("/blogs/{post}/report/"), &json!({ "category": "spam", "explanation": "It sells boats." }))
        .await
        .expect(201);
    send(&site).await;
    let events = receiver.take();
    assert!(events.iter().all(|event| event.is_signed_with(&secret)), "{events:?}");
    let [published, reported] = [events[0].json(), events[1].json()];
    assert_eq!((&published["type"], &published["data"]["id"]), (&json!("post.published"), &json!(post)));
    assert_eq!((&published["data"]["title"], &published["data"]["author"]), (&json!("Herons"), &json!("ann")));
    assert_eq!(published["timestamp"], "2026-01-01T12:00:00.000000Z");
    let url = published["data"]["url"].as_str().unwrap();
    assert!(url.starts_with("http://") && url.ends_with(&format!("/blogs/{post}/")), "{url}");
    assert_eq!((&reported["type"], &reported["data"]["category"]), (&json!("report.filed"), &json!("spam")));
    assert!(!events[1].body.contains("boats"), "{}", events[1].body);
    assert_eq!(events.len(), 2);
    let shown = webhook(&ada, id).await;
    assert_eq!((&shown["waiting"], &shown["delivered_at"]), (&json!(0), &json!("2026-01-01T12:00:00Z")));
    send(&site).await;
    assert_eq!(receiver.take().len(), 0);
}

/// IDs of the posts in the events that the receiver gets.
async fn receive_post_ids(site: &TestSite, receiver: &Receiver) -> Vec<i64> {
    send(site).await;
    receiver.take().into_iter().map(|event| event.json()["data"]["id"].as_i64().unwrap()).collect()
}

fn edited_post() -> Value {
    json!({ "title": "Changed", "content": "t", "status": "published" })
}

#[actix_web::test]
async fn publishing_a_draft_is_an_event_once_per_minute() {
    let (site, receiver) = (TestSite::start_with(&LOCAL, 1).await, Receiver::start());
    let (ada, ann) = (site.staff("ada", "admin").await, site.user("ann").await);
    create(&ada, &receiver.url(), &["post.published"]).await;
    let draft = json!({ "title": "Draft", "content": "t", "status": "draft" });
    let draft = ann.post("/blogs/create/", &draft).await.expect(201).json()["id"].as_i64().unwrap();
    assert_eq!(receive_post_ids(&site, &receiver).await, [0; 0]);
    ann.post(&format!("/blogs/{draft}/publish/"), &json!({})).await.expect(200);
    assert_eq!(receive_post_ids(&site, &receiver).await, [draft]);
    ann.post(&format!("/blogs/{draft}/edit/"), &edited_post()).await.expect(200);
    assert_eq!(receive_post_ids(&site, &receiver).await, [0; 0]);
    for expected in [&[][..], &[], &[draft]] {
        if !expected.is_empty() {
            site.advance_clock(TimeDelta::seconds(61));
        }
        ann.post(&format!("/blogs/{draft}/unpublish/"), &json!({})).await.expect(204);
        ann.post(&format!("/blogs/{draft}/edit/"), &edited_post()).await.expect(200);
        assert_eq!(receive_post_ids(&site, &receiver).await, expected);
    }
}

#[actix_web::test]
async fn scheduled_and_bulk_publishing_are_events() {
    let (site, receiver) = (TestSite::start_with(&LOCAL, 1).await, Receiver::start());
    let (ada, ann) = (site.staff("ada", "admin").await, site.user("ann").await);
    create(&ada, &receiver.url(), &["post.published"]).await;
    let scheduled = json!({ "title": "Later", "content": "t", "publish_at": "2026-01-01T13:00:00Z" });
    let scheduled = ann.post("/blogs/create/", &scheduled).await.expect(201).json()["id"].as_i64().unwrap();
    site.advance_clock(TimeDelta::hours(1));
    evenkeel::blog_posts::schedule::publish_due_drafts(&site.site().state).await.unwrap();
    assert_eq!(receive_post_ids(&site, &receiver).await, [scheduled]);
    site.advance_clock(TimeDelta::seconds(61));
    for action in ["unpublish", "publish"] {
        let body = json!({ "act": action, "selected": [scheduled.to_string()], "reason": "test" });
        ada.post("/admin/act/", &body).await.expect(200);
    }
    assert_eq!(receive_post_ids(&site, &receiver).await, [scheduled]);
}

/// Checks that a save enqueues no event if the post is published by its schedule while the save waits for the row.
#[actix_web::test]
async fn save_of_a_post_that_is_just_published_is_no_event() {
    let (site, receiver) = (TestSite::start_with(&LOCAL, 1).await, Receiver::start());
    let (ada, ann) = (site.staff("ada", "admin").await, site.user("ann").await);
    create(&ada, &receiver.url(), &["post.published"]).await;
    let scheduled = json!({ "title": "Soon", "content": "t", "publish_at": "2026-01-01T14:00:00Z" });
    let scheduled = ann.post("/blogs/create/", &scheduled).await.expect(201).json()["id"].as_i64().unwrap();
    site.advance_clock(TimeDelta::hours(2));
    let mut lock = site.pool.begin().await.unwrap();
    sqlx::query("select from blog_posts where id = $1 for share").bind(scheduled).execute(&mut *lock).await.unwrap();
    let (edit, edited_post) = (format!("/blogs/{scheduled}/edit/"), edited_post());
    let (saved, ()) = futures_util::future::join(ann.post(&edit, &edited_post), async {
        site.wait_for_blocked_statement().await;
        let publish =
            "update blog_posts set status = 'published', publish_at = null, published_at = now() where id = $1";
        sqlx::query(publish).bind(scheduled).execute(&mut *lock).await.unwrap();
        commit(lock).await.unwrap();
    })
    .await;
    saved.expect(200);
    assert_eq!(receive_post_ids(&site, &receiver).await, [0; 0]);
}

#[actix_web::test]
async fn erased_author_is_not_named_in_events() {
    let (site, receiver) = (TestSite::start_with(&LOCAL, 1).await, Receiver::start());
    let (ada, ann) = (site.staff("ada", "admin").await, site.user("ann").await);
    create(&ada, &receiver.url(), &["post.published"]).await;
    ann.write("Herons", "They stand.").await;
    site.user("bob").await.write("Storks", "They clatter.").await;
    let body = json!({ "current_password": PASSWORD, "posts": "keep" });
    ann.post("/users/delete/", &body).await.expect(202);
    site.advance_clock(TimeDelta::days(7));
    site.site().housekeeping().erase_due_accounts().await;
    let authors = "select data ->> 'author' from webhook_deliveries order by id";
    let authors: Vec<String> = sqlx::query_scalar(authors).fetch_all(&site.pool).await.unwrap();
    assert_eq!(authors, ["a former author", "bob"]);
}

#[actix_web::test]
async fn surges_are_events_at_their_beginning_and_end() {
    let settings = [LOCAL[0], ("LEAKY_BUCKET_CAPACITY", "2")];
    let (site, receiver) = (TestSite::start_with(&settings, 1).await, Receiver::start());
    let ada = site.staff("ada", "admin").await;
    create(&ada, &receiver.url(), &ALL[1..3]).await;
    let (post, crowd) = (site.post("bob").await, site.many_users(19).await);
    let detect = async || {
        evenkeel::rate::surges::enqueue_events(&site.site().state).await.unwrap();
        send(&site).await;
        receiver.take().into_iter().map(|event| event.json()).collect::<Vec<_>>()
    };
    for reader in &crowd[..7] {
        reader.rate(post, 3).await.expect(201);
        site.advance_clock(minutes(30));
    }
    assert_eq!(detect().await, [json!(null); 0]);
    for reader in crowd[7..].iter().chain(&crowd[9..]) {
        reader.rate(post, 1).await;
    }
    let began = detect().await;
    assert_eq!((began.len(), &began[0]["type"]), (1, &json!("rating_surge.began")));
    assert_eq!(began[0]["data"]["post"]["id"], post);
    // Ten users tried twice.
    assert_eq!(began[0]["data"]["refused"], 20);
    assert_eq!(detect().await, [json!(null); 0]);
    site.advance_clock(TimeDelta::hours(5));
    let ended = detect().await;
    assert_eq!((ended.len(), &ended[0]["type"]), (1, &json!("rating_surge.ended")));
    assert_eq!(ended[0]["data"]["began_at"], began[0]["data"]["began_at"]);
    assert_eq!(ended[0]["data"]["refused"], began[0]["data"]["refused"]);
    assert_eq!(detect().await, [json!(null); 0]);
    // While no webhook subscribes, surges are not tracked.
    sqlx::raw_sql("insert into rating_surges (blog_id, began_at) select id, now() from blog_posts")
        .execute(&site.pool)
        .await
        .unwrap();
    sqlx::raw_sql("update webhooks set disabled_at = now()").execute(&site.pool).await.unwrap();
    assert_eq!(detect().await, [json!(null); 0]);
    assert_eq!(site.count("rating_surges").await, 0);
}

#[actix_web::test]
async fn failed_deliveries_are_repeated_with_the_same_id() {
    let (site, receiver) = (TestSite::start_with(&LOCAL, 1).await, Receiver::start());
    let ada = site.staff("ada", "admin").await;
    let id = create(&ada, &receiver.url(), &["post.published"]).await;
    site.user("ann").await.write("Herons", "t").await;
    // Redirects are not followed.
    receiver.respond_with(&[500, 302, 503]);
    send(&site).await;
    send(&site).await;
    let first = receiver.take();
    assert_eq!(first.len(), 1);
    let row = delivery(&ada).await;
    assert_eq!((&row["response_status"], &row["attempts"]), (&json!(500), &json!(1)));
    assert_eq!(row["error"], "the server responded with status 500");
    assert_eq!(webhook(&ada, id).await["failing"], 1);
    site.advance_clock(TimeDelta::seconds(21));
    send(&site).await;
    site.advance_clock(TimeDelta::seconds(41));
    send(&site).await;
    let retries = receiver.take();
    assert_eq!(retries.iter().map(|event| &event.id).collect::<Vec<_>>(), [&first[0].id, &first[0].id]);
    assert_ne!(retries[0].timestamp, first[0].timestamp);
    // The header `Retry-After` of status 503 is one hour.
    site.advance_clock(minutes(59));
    send(&site).await;
    assert_eq!(receiver.take().len(), 0);
    site.advance_clock(minutes(1));
    send(&site).await;
    assert_eq!(receiver.take().len(), 1);
    assert!(delivery(&ada).await["delivered_at"].is_string());
    // Staff can repeat a delivery.
    let row = delivery(&ada).await["id"].to_string();
    ada.post("/admin/act/", &json!({ "act": "send_webhooks", "selected": [row], "reason": "x" })).await.expect(200);
    send(&site).await;
    assert_eq!(receiver.take()[0].id, first[0].id);
}

#[actix_web::test]
async fn webhook_that_fails_for_three_days_is_disabled() {
    let (site, receiver) = (TestSite::start_with(&LOCAL, 1).await, Receiver::start());
    let ada = site.staff("ada", "admin").await;
    let id = create(&ada, &receiver.url(), &["post.published"]).await;
    site.user("ann").await.write("Herons", "t").await;
    receiver.respond_with(&[500; 50]);
    for _ in 0..13 {
        send(&site).await;
        site.advance_clock(TimeDelta::hours(6));
    }
    assert_eq!(webhook(&ada, id).await["disabled_reason"], "failing");
    assert!(delivery(&ada).await["failed_at"].is_string());
    ada.get("/admin/").await.expect(200).expect_text("\"webhooks\":1");
    // A disabled webhook gets no events.
    site.post("bob").await;
    receiver.take();
    receiver.respond_with(&[]);
    send(&site).await;
    assert_eq!((receiver.take().len(), webhook(&ada, id).await["waiting"].clone()), (0, json!(0)));
    let repeat = json!({ "act": "send_webhooks", "selected": [delivery(&ada).await["id"].to_string()], "reason": "x" });
    ada.post("/admin/act/", &repeat).await.expect_problem(400, "invalid");
    let change = json!({ "url": receiver.url(), "events": ALL, "is_enabled": true });
    let changed = ada.post(&format!("/admin/webhooks/{id}/"), &change).await.expect(200).json();
    assert_eq!((&changed["disabled_reason"], &changed["events"]), (&json!(null), &json!(ALL)));
    site.user("cay").await.write("Published", "t").await;
    send(&site).await;
    assert_eq!(receiver.take().len(), 1);
}

/// Checks that a test event is sent once, also to a disabled webhook, and that status 410 disables a webhook at once.
#[actix_web::test]
async fn test_event_is_sent_once_with_any_response() {
    let (site, receiver) = (TestSite::start_with(&LOCAL, 1).await, Receiver::start());
    let ada = site.staff("ada", "admin").await;
    let id = create(&ada, &receiver.url(), &["post.published"]).await;
    let enable = async |is_enabled: bool| {
        let change = json!({ "url": receiver.url(), "events": ALL, "is_enabled": is_enabled });
        ada.post(&format!("/admin/webhooks/{id}/"), &change).await.expect(200);
    };
    let test = async |status: u16| {
        receiver.respond_with(&[status]);
        ada.post(&format!("/admin/webhooks/{id}/test/"), &json!({})).await.expect(204);
        send(&site).await;
        site.advance_clock(minutes(1));
        send(&site).await;
        assert_eq!(receiver.take().len(), 1);
    };
    enable(false).await;
    test(500).await;
    assert!(delivery(&ada).await["failed_at"].is_string());
    test(204).await;
    enable(true).await;
    test(500).await;
    assert_eq!(webhook(&ada, id).await["disabled_reason"], json!(null));
    test(410).await;
    assert_eq!(webhook(&ada, id).await["disabled_reason"], "gone");
}

#[actix_web::test]
async fn enabled_webhook_gets_its_waiting_events() {
    let (site, receiver) = (TestSite::start_with(&LOCAL, 1).await, Receiver::start());
    let ada = site.staff("ada", "admin").await;
    let id = create(&ada, &receiver.url(), &["post.published"]).await;
    site.user("ann").await.write("Herons", "t").await;
    let enable = async |is_enabled: bool| {
        let change = json!({ "url": receiver.url(), "events": ALL, "is_enabled": is_enabled });
        ada.post(&format!("/admin/webhooks/{id}/"), &change).await.expect(200);
    };
    enable(false).await;
    site.advance_clock(TimeDelta::days(4));
    send(&site).await;
    assert_eq!(receiver.take().len(), 0);
    enable(true).await;
    receiver.respond_with(&[500]);
    send(&site).await;
    assert_eq!(
        (&webhook(&ada, id).await["disabled_reason"], &webhook(&ada, id).await["failing"]),
        (&json!(null), &json!(1))
    );
    enable(false).await;
    enable(true).await;
    assert_eq!(webhook(&ada, id).await["failing"], json!(0));
    site.advance_clock(minutes(1));
    send(&site).await;
    assert_eq!((receiver.take().len(), webhook(&ada, id).await["waiting"].clone()), (2, json!(0)));
}

#[actix_web::test]
async fn invalid_and_excess_webhooks_are_rejected() {
    let site = TestSite::start().await;
    let ada = site.staff("ada", "admin").await;
    let body = json!({ "url": "https://example.com/", "events": ["test"] });
    let problem = ada.post("/admin/webhooks/", &body).await.expect_problem(400, "invalid");
    assert!(problem.json()["errors"]["events"].to_string().contains("post.published, rating_surge.began"));
    for url in [
        "http://example.com/",
        "https://127.0.0.1/",
        "https://2130706433/",
        "https://[::1]/",
        "https://169.254.169.254/latest/meta-data/",
        "https://user:secret@example.com/",
        "ftp://example.com/",
        "/hook",
    ] {
        let body = json!({ "url": url, "events": ["post.published"] });
        let problem = ada.post("/admin/webhooks/", &body).await.expect_problem(400, "invalid");
        assert!(problem.json()["errors"]["url"].is_array(), "{url}: {}", problem.text);
    }
    for _ in 0..20 {
        create(&ada, "https://example.com/", &["post.published"]).await;
    }
    let body = json!({ "url": "https://example.com/", "events": ["post.published"] });
    let problem = ada.post("/admin/webhooks/", &body).await.expect_problem(400, "invalid");
    problem.expect_text("at most 20 webhooks");
}

#[actix_web::test]
async fn private_addresses_are_refused() {
    let (site, receiver) = (TestSite::start().await, Receiver::start());
    let ada = site.staff("ada", "admin").await;
    // The address of a host name is only known when the name is resolved.
    create(&ada, &format!("https://localhost:{}/", receiver.address.port()), &["post.published"]).await;
    sqlx::query("update webhooks set url = replace(url, 'https', 'http')").execute(&site.pool).await.unwrap();
    let id = create(&ada, "https://example.com/", &["post.published"]).await;
    let change = sqlx::query("update webhooks set url = $1 where id = $2");
    change.bind(receiver.url()).bind(id).execute(&site.pool).await.unwrap();
    site.post("bob").await;
    send(&site).await;
    let list = ada.get("/admin/webhooks/deliveries/").await.expect(200).json();
    let errors: Vec<&str> =
        list["results"].as_array().unwrap().iter().map(|row| row["error"].as_str().unwrap()).collect();
    assert_eq!(
        errors,
        ["webhooks cannot reach the address of the host", "the host has no address that webhooks can reach"]
    );
    assert_eq!(receiver.take().len(), 0);
}

#[actix_web::test]
async fn dead_receiver_does_not_delay_other_webhooks() {
    let (site, receiver) = (TestSite::start_with(&LOCAL, 2).await, Receiver::start());
    let ada = site.staff("ada", "admin").await;
    // The listener is dropped at once, so that nobody listens on its port.
    let closed_address = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    create(&ada, &format!("http://{closed_address}/"), &["post.published"]).await;
    create(&ada, &receiver.url(), &["post.published"]).await;
    let ann = site.user("ann").await;
    for n in 0..5 {
        ann.write(&format!("Post {n}"), "t").await;
    }
    let same_id = "select count(*) = 2 and count(distinct message_id) = 1 from webhook_deliveries where data->>'title' = 'Post 0'";
    assert!(sqlx::query_scalar::<_, bool>(same_id).fetch_one(&site.pool).await.unwrap());
    // Two instances share the queue, and each event is sent once and in order.
    let senders = [0, 1].map(|n| &site.site_of(n).state.webhooks);
    for result in futures_util::future::join_all(senders.iter().map(|sender| sender.send_due_events())).await {
        result.unwrap();
    }
    let events = receiver.take();
    let titles: Vec<String> =
        events.iter().map(|event| event.json()["data"]["title"].as_str().unwrap().to_owned()).collect();
    assert_eq!(titles, ["Post 0", "Post 1", "Post 2", "Post 3", "Post 4"]);
    let failed = "select count(*) from webhook_deliveries where error like '%refused%'";
    assert_eq!(sqlx::query_scalar::<_, i64>(failed).fetch_one(&site.pool).await.unwrap(), 5);
}

#[actix_web::test]
async fn slow_receiver_does_not_delay_other_webhooks() {
    let (site, receiver) = (TestSite::start_with(&LOCAL, 1).await, Receiver::start());
    let ada = site.staff("ada", "admin").await;
    // This server accepts connections, but never responds.
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    create(&ada, &format!("http://{}/", silent.local_addr().unwrap()), &["post.published"]).await;
    create(&ada, &receiver.url(), &["post.published"]).await;
    let state = site.site().state.clone();
    let sending = actix_web::rt::spawn(async move { state.webhooks.run(&state.availability).await });
    let ann = site.user("ann").await;
    for n in 0..2 {
        ann.write(&format!("Post {n}"), "t").await;
        while receiver.received.lock().unwrap().len() == n {
            tokio::task::yield_now().await;
        }
        // The request to the silent server has not ended yet.
        assert_eq!(site.count("webhook_deliveries where error is not null").await, 0);
    }
    sending.abort();
}

#[actix_web::test]
async fn admins_manage_webhooks_in_the_admin_area() {
    let (site, receiver) = (TestSite::start_with(&LOCAL, 1).await, Receiver::start());
    let (ada, mia) = (site.staff("ada", "admin").await, site.staff("mia", "moderator").await);
    mia.page("/admin/webhooks/").await.expect(403);
    ada.page("/admin/webhooks/").await.expect(200).expect_text("There are no webhooks yet.");
    let rejected = ada.submit("/admin/webhooks/", &[("url", &receiver.url())]).await.expect(400);
    rejected.expect_text("Choose at least one event.").expect_text(&receiver.url());
    let fields = [("url", receiver.url()), ("event_post_published", "true".to_owned())];
    let fields: Vec<(&str, &str)> = fields.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let created = ada.submit("/admin/webhooks/", &fields).await.expect(303);
    let path = created.header("location").to_owned();
    ada.page(&path).await.expect(200).expect_text("whsec_").expect_text("Webhook added.");
    ada.page("/admin/webhooks/").await.expect(200).expect_text(&receiver.url());
    let disabled = [&fields[..], &[("is_enabled", "false")]].concat();
    ada.submit(&path, &disabled).await.expect_redirect(&path);
    ada.page(&path).await.expect(200).expect_text("Disabled");
    ada.submit(&path, &[("url", "nowhere"), ("event_post_published", "true")]).await.expect(400).expect_text("whsec_");
    ada.submit(&format!("{path}delete/"), &[]).await.expect_redirect("/admin/webhooks/");
    ada.get(&path).await.expect_problem(404, "not_found");
    let log = ada.get("/admin/log/").await.expect(200).text;
    for action in ["webhook.create", "webhook.change", "webhook.delete"] {
        assert!(log.contains(action), "{action}");
    }
}

#[actix_web::test]
async fn page_of_a_webhook_shows_the_delivery_of_its_test_event() {
    let (site, receiver) = (TestSite::start_with(&LOCAL, 1).await, Receiver::start());
    let ada = site.staff("ada", "admin").await;
    let path = format!("/admin/webhooks/{}/", create(&ada, &receiver.url(), &["post.published"]).await);
    ada.submit(&format!("{path}test/"), &[]).await.expect_redirect(&format!("{path}#deliveries"));
    ada.page(&path).await.expect(200).expect_text("Queued");
    send(&site).await;
    ada.page(&path).await.expect(200).expect_text("Delivered");
    let event = delivery(&ada).await["id"].to_string();
    ada.post("/admin/act/", &json!({ "act": "send_webhooks", "selected": [event], "reason": "test" }))
        .await
        .expect(200);
    // A test event is sent once: it expires at the time of its first attempt.
    assert_eq!(site.count("webhook_deliveries where delivered_at is null and expires_at = next_at").await, 1);
}

#[actix_web::test]
async fn deliveries_are_deleted_after_thirty_days() {
    let (site, receiver) = (TestSite::fresh(&LOCAL, 1).await, Receiver::start());
    let ada = site.staff("ada", "admin").await;
    create(&ada, &receiver.url(), &["post.published"]).await;
    site.post("bob").await;
    send(&site).await;
    site.advance_clock(TimeDelta::days(29));
    site.site().housekeeping().delete_expired_rows().await.unwrap();
    assert_eq!(site.count("webhook_deliveries").await, 1);
    site.advance_clock(TimeDelta::days(1));
    // A table whose rows cannot be deleted does not prevent the deletion of deliveries.
    sqlx::raw_sql("alter table zombie_pauses rename to gone").execute(&site.pool).await.unwrap();
    site.site().housekeeping().delete_expired_rows().await.unwrap_err();
    assert_eq!(site.count("webhook_deliveries").await, 0);
}
