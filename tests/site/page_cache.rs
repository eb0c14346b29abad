//! Page cache for anonymous GET requests.

use std::time::{Duration, Instant};

use futures_util::future::join_all;
use serde_json::json;

use crate::support::{TestSite, minutes};

#[actix_web::test]
async fn concurrent_requests_render_a_page_once() {
    let site = TestSite::start_with(&[("RATE_CLASSES", "off")], 1).await;
    site.post("ann").await;
    for path in ["/blogs/", "/blogs/1/a-post/", "/users/ann/", "/feeds/atom/", "/sitemap.xml"] {
        let mut holder = site.pool.begin().await.unwrap();
        sqlx::query("lock table blog_posts in access exclusive mode").execute(&mut *holder).await.unwrap();
        let guests: Vec<_> = (0..32).map(|_| site.guest()).collect();
        // A request that has waited for one second renders the page itself, so only the first second is measured.
        let start = Instant::now();
        let release = async {
            let waiting = "select count(*) from pg_stat_activity
                where datname = current_database() and wait_event_type = 'Lock'";
            let mut max_waiting: i64 = 0;
            for _ in 0..200 {
                let count = sqlx::query_scalar(waiting).fetch_one(&site.pool).await.unwrap();
                if start.elapsed() >= Duration::from_secs(1) {
                    break;
                }
                max_waiting = max_waiting.max(count);
            }
            holder.rollback().await.unwrap();
            max_waiting
        };
        let (answers, max_waiting) =
            futures_util::join!(join_all(guests.iter().map(|guest| guest.page_without_redirect(path))), release);
        assert!(max_waiting <= 1, "{path}: {max_waiting}");
        assert!(answers.iter().all(|answer| answer.status == 200 && answer.text == answers[0].text), "{path}");
    }
}

#[actix_web::test]
async fn cached_pages_contain_no_personal_data() {
    let site = TestSite::start_with(&[("RATE_CLASSES", "on")], 1).await;
    let ann = site.user("ann").await;
    let post = ann.write("T", "t").await;
    let path = format!("/blogs/{post}/t/");
    ann.page(&path).await.expect_text("Sign out");
    let first = site.guest().page(&path).await.expect(200).expect_no_text("Sign out");
    let second = site.guest().page(&path).await.expect(200);
    assert_eq!(first.text, second.text);
    assert_ne!(first.header("x-request-id"), second.header("x-request-id"));
    assert_ne!(first.header("ratelimit"), second.header("ratelimit"));
    ann.submit("/users/logout/", &[]).await.expect(303);
    ann.page("/").await.expect_text("signed out");
    ann.page("/").await.expect_no_text("signed out");
    site.guest().page("/").await.expect_no_text("signed out");
    site.guest().page("/blogs/?order=top").await.expect_text("next=/blogs/?order%3Dtop");
    site.guest().page("/blogs/").await.expect_no_text("order%3Dtop\"");
}

#[actix_web::test]
async fn signed_in_readers_see_their_own_rating_on_shared_pages() {
    let site = TestSite::start_with(&[("RATE_CLASSES", "off")], 1).await;
    let author = site.user("author").await;
    let post = author.write("T", "t").await;
    let (ann, bob, cat) = (site.user("ann").await, site.user("bob").await, site.user("cat").await);
    ann.rate(post, 5).await.expect(201);
    bob.rate(post, 2).await.expect(201);
    for _ in 0..2 {
        for (reader, mine) in [(&ann, json!(5)), (&bob, json!(2)), (&cat, json!(null))] {
            assert_eq!(reader.get("/blogs/").await.json()["results"][0]["my_rating"], mine);
            let page = reader.page(&format!("/blogs/{post}/t/")).await.expect(200);
            let stars = (1..=5).find(|stars| page.text.contains(&format!("value=\"{stars}\" required checked")));
            assert_eq!(stars.map_or(json!(null), |stars: i64| json!(stars)), mine);
        }
    }
}

/// Other instances do not know about a change for a second, but the author and staff read the database.
#[actix_web::test]
async fn author_and_staff_see_a_change_at_once_on_other_instances() {
    let site = TestSite::start_with(&[("RATE_CLASSES", "off")], 2).await;
    let (ann, mo, bob) = (site.user("ann").await, site.staff("mo", "moderator").await, site.user("bob").await);
    let post = ann.write("T", "before").await;
    let path = format!("/blogs/{post}/t/");
    bob.with_instance(site.instances[1]).page(&path).await.expect_text("before");
    ann.submit(&format!("/blogs/{post}/edit/"), &[("title", "T"), ("content", "after"), ("version", "1")])
        .await
        .expect(303);
    ann.with_instance(site.instances[1]).page(&path).await.expect_text("after");
    mo.with_instance(site.instances[1]).page(&path).await.expect_text("after");
}

#[actix_web::test]
async fn cache_respects_format_and_encoding() {
    let site = TestSite::start().await;
    let ann = site.user("ann").await;
    ann.write("T", &"long ".repeat(500)).await;
    let guest = site.guest();
    let ask = async |method: &str, accept: &str, encoding: &str| {
        let request = guest.request(method, "/blogs/1/").header("Accept", accept);
        guest.send(request.header("Accept-Encoding", encoding)).await
    };
    // The first round fills the cache, and the second is served from it.
    for _ in 0..2 {
        for encodings in ["deflate", "gzip;q=0.5, deflate", "deflate, identity;q=0.1"] {
            assert_eq!(ask("GET", "application/json", encodings).await.header("content-encoding"), "deflate");
        }
        let json = ask("GET", "application/json", "identity").await.expect(200);
        assert_eq!((json.header("content-type"), json.header("content-encoding")), ("application/json", ""));
        let zipped = ask("GET", "application/json", "gzip").await.expect(200);
        assert_eq!(zipped.header("content-encoding"), "gzip");
        assert!(zipped.headers.get_all("vary").iter().any(|names| names == "accept-encoding"), "{:?}", zipped.headers);
        assert_eq!(ask("GET", "text/html", "gzip").await.header("location"), "/blogs/1/t/");
        let head = ask("HEAD", "application/json", "identity").await.expect(200);
        assert_eq!((head.text.as_str(), head.header("etag")), ("", json.header("etag")));
    }
}

#[actix_web::test]
async fn cache_is_invalidated_locally_at_once_and_elsewhere_within_a_second() {
    let site = TestSite::start_with(&[("RATING_LIMITER", "off")], 2).await;
    let ann = site.user("ann").await;
    let there = site.guest().with_instance(site.instances[1]);
    for (number, title) in ["One", "Two", "Three"].into_iter().enumerate() {
        site.guest().page("/").await.expect(200).expect_no_text(title);
        there.page("/").await.expect(200);
        let id = ann.write(title, "t").await;
        site.guest().page("/").await.expect_text(title);
        site.advance_clock(chrono::TimeDelta::seconds(1));
        there.page("/").await.expect_text(title);
        assert_eq!(id, i64::try_from(number).unwrap() + 1);
    }
    ann.submit("/blogs/1/edit/", &[("title", "Uno"), ("content", "t"), ("version", "1")]).await.expect(303);
    site.guest().page("/").await.expect_text("Uno").expect_no_text("One");
    ann.post("/blogs/1/delete/", &json!({})).await.expect(204);
    site.guest().page("/").await.expect_no_text("Uno");
    site.guest().page("/blogs/1/uno/").await.expect(404);
    // A page shows new ratings at once; with many ratings per second it is at most one second old.
    let counted = |count: usize| format!("5.0 ★ · {count} rating");
    for (number, reader) in site.many_users(12).await.iter().enumerate() {
        reader.with_instance(site.instances[0]).rate(2, 5).await.expect(201);
        let page = site.guest().page("/blogs/2/two/").await;
        if number < 4 {
            page.expect_text(&counted(number + 1));
        }
    }
    site.advance_clock(chrono::TimeDelta::seconds(1));
    site.guest().page("/blogs/2/two/").await.expect_text("12 ratings");
}

#[actix_web::test]
async fn unknown_query_parameters_do_not_bypass_the_cache() {
    let site = TestSite::start().await;
    site.post("ann").await;
    for path in ["/blogs/", "/blogs/1/a-post/", "/users/ann/", "/feeds/atom/"] {
        site.guest().page(path).await.expect(200);
    }
    // The title is changed directly in the database, so that no cache is invalidated.
    sqlx::query("update blog_posts set title = 'Changed'").execute(&site.pool).await.unwrap();
    for path in ["/blogs/", "/blogs/1/a-post/", "/users/ann/", "/feeds/atom/"] {
        for query in ["utm_source=letter", "utm_source=letter&x=1&&y", "%xx=1", "stars=3"] {
            let page = site.guest().page(&format!("{path}?{query}")).await.expect(200);
            page.expect_text("A post").expect_no_text("Changed").expect_no_text("letter");
        }
    }
    // Parameters of the page are not ignored.
    site.guest().page("/blogs/?order=top&utm_source=letter").await.expect(200).expect_text("Changed");
    site.guest().page("/blogs/1/old/?utm_source=letter").await.expect(200);
}

#[actix_web::test]
async fn errors_and_drafts_are_not_cached() {
    let site = TestSite::start().await;
    let ann = site.user("ann").await;
    let draft = json!({ "title": "Later", "content": "t", "status": "draft" });
    let id = ann.post("/blogs/create/", &draft).await.expect(201).json()["id"].as_i64().unwrap();
    let path = format!("/blogs/{id}/later/");
    ann.page(&path).await.expect(200);
    site.guest().page(&path).await.expect(404);
    // The post is published directly in the database, so that no cache is invalidated.
    let publish = "update blog_posts set status = 'published', published_at = '2026-01-01' where id = $1";
    sqlx::query(publish).bind(id).execute(&site.pool).await.unwrap();
    site.guest().page(&path).await.expect(200).expect_text("Later");
    // A rate limited client gets an error, and other clients still get the page.
    site.advance_clock(minutes(1));
    site.guest().page("/blogs/?cursor=forged").await.expect(400);
    site.guest().page("/blogs/").await.expect(200);
}

#[actix_web::test]
async fn saving_a_draft_keeps_cached_pages() {
    let site = TestSite::start().await;
    site.post("ann").await;
    let ben = site.user("ben").await;
    site.guest().page("/blogs/").await.expect(200).expect_text("A post");
    // The title is changed directly in the database, so that only an invalidation of the cache would show it.
    sqlx::query("update blog_posts set title = 'Changed'").execute(&site.pool).await.unwrap();
    let draft = |content: &str| json!({ "title": "Later", "content": content, "status": "draft" });
    ben.post("/blogs/create/", &draft("a")).await.expect(201);
    ben.post("/blogs/2/edit/", &draft("b")).await.expect(200);
    site.guest().page("/blogs/").await.expect(200).expect_text("A post");
    ben.post("/blogs/2/publish/", &json!({})).await.expect(200);
    site.guest().page("/blogs/").await.expect(200).expect_text("Changed").expect_text("Later");
}
