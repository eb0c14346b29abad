//! Personal data export and account deletion.

use chrono::TimeDelta;
use serde_json::{Value, json};

use crate::support::{Actor, PASSWORD, TestSite, minutes};

const WEEK: TimeDelta = TimeDelta::days(7);

async fn ask(user: &Actor, posts: &str) {
    let body = json!({ "posts": posts, "current_password": PASSWORD });
    user.post("/users/delete/", &body).await.expect(202);
}

async fn sign_in(site: &TestSite, name: &str) -> (Actor, u16) {
    let actor = site.guest();
    let body = json!({ "username": name, "password": PASSWORD });
    let status = actor.post("/users/login/", &body).await.status.as_u16();
    (actor, status)
}

async fn stats(site: &TestSite, post: i64) -> Value {
    site.guest().get(&format!("/rate/get_blog_rating/{post}/")).await.expect(200).json()
}

#[actix_web::test]
async fn account_is_deleted_after_a_week_and_its_ratings_still_count() {
    let site = TestSite::start_with(&[("RATING_LIMITER", "off")], 1).await;
    let (ann, bob) = (site.user("ann").await, site.user("bob").await);
    let (post_of_ann, post_of_bob) = (ann.write("Herons", "stand and wait").await, bob.write("Owls", "sit").await);
    let draft = ann.post("/blogs/create/", &json!({ "title": "Not yet", "content": "x", "status": "draft" })).await;
    let draft = draft.expect(201).json()["id"].as_i64().unwrap();
    for reader in site.many_users(4).await {
        reader.rate(post_of_ann, 4).await.expect(201);
        reader.rate(post_of_bob, 4).await.expect(201);
    }
    ann.rate(post_of_bob, 1).await.expect(201);
    assert_eq!(bob.get(&format!("/blogs/{post_of_ann}/")).await.json()["author"]["username"], "ann");
    let before = (stats(&site, post_of_ann).await, stats(&site, post_of_bob).await, site.count("rating_hours").await);
    let page = ann.submit("/users/delete/", &[("current_password", PASSWORD)]).await.expect(400);
    page.expect_text("Choose what happens to your published posts");
    let wrong_password = json!({ "posts": "keep", "current_password": "three grey herons" });
    ann.post("/users/delete/", &wrong_password).await.expect_problem(400, "invalid");
    ann.page("/users/delete/").await.expect(200).expect_text("For one week, nothing else changes");
    let (other_session, _) = sign_in(&site, "ann").await;
    let fields = [("posts", "keep"), ("current_password", PASSWORD)];
    ann.submit("/users/delete/", &fields).await.expect_redirect("/");
    ann.page("/").await.expect_text("To keep it, sign in before then");
    for actor in [&ann, &other_session] {
        actor.get("/users/me/").await.expect_problem(401, "not_signed_in");
    }
    bob.page(&format!("/blogs/{post_of_ann}/herons/")).await.expect_text("by <a href=\"/users/ann/\"");
    let fields = [("username", "ann"), ("password", PASSWORD)];
    let new_session = site.guest();
    new_session.submit("/users/login/?next=/blogs/", &fields).await.expect_redirect("/blogs/");
    for page in ["/blogs/", "/users/account/", "/blogs/create/"] {
        new_session.page(page).await.expect_text("Your account will be deleted on").expect_text("Keep my account");
    }
    new_session.page("/users/delete/").await.expect_text("Your published posts will stay");
    new_session.submit("/users/delete/cancel/", &[]).await.expect_redirect("/users/account/");
    assert!(new_session.get("/users/me/").await.json()["delete_at"].is_null());
    site.advance_clock(WEEK);
    site.site().housekeeping().erase_due_accounts().await;
    let (new_session, status) = sign_in(&site, "ann").await;
    assert_eq!(status, 200);
    // A repeated deletion request does not extend the week.
    ask(&new_session, "delete").await;
    site.advance_clock(minutes(60));
    let (new_session, _) = sign_in(&site, "ann").await;
    assert_eq!(new_session.get("/users/me/").await.json()["delete_posts"], true);
    ask(&new_session, "keep").await;
    let (late_session, _) = sign_in(&site, "ann").await;
    site.advance_clock(WEEK - minutes(60) - TimeDelta::seconds(1));
    site.site().housekeeping().erase_due_accounts().await;
    assert_eq!(sign_in(&site, "ann").await.1, 200);
    site.advance_clock(TimeDelta::seconds(1));
    late_session.post("/users/delete/cancel/", &json!({})).await.expect_problem(410, "week_is_over");
    late_session
        .submit("/users/delete/cancel/", &[])
        .await
        .expect(410)
        .expect_text("It’s too late to keep your account");
    site.site().housekeeping().erase_due_accounts().await;
    assert_eq!(sign_in(&site, "ann").await.1, 401);
    // The post was requested before the erasure, so a cached response must not name the author.
    let post = bob.get(&format!("/blogs/{post_of_ann}/")).await.expect(200).json();
    assert_eq!(post["author"]["username"], "a former author");
    let guest = site.guest();
    guest.page("/users/ann/").await.expect(404);
    guest.get(&format!("/blogs/{draft}/")).await.expect(404);
    let page = guest.page(&format!("/blogs/{post_of_ann}/herons/")).await.expect(200);
    page.expect_text("by a former author ·")
        .expect_no_text(">ann<")
        .expect_no_text("Written by")
        .expect_no_text("/users/a%20");
    guest.page("/blogs/").await.expect_text("a former author ·").expect_no_text("/users/a%20");
    guest.page("/feeds/atom/").await.expect_text("<name>a former author</name></author>");
    let entry = guest.get("/feeds/json/").await.json()["items"][1]["authors"][0].clone();
    assert_eq!(entry, json!({ "name": "a former author" }));
    guest.get("/users/a%20former%20author/").await.expect(404);
    let after = (stats(&site, post_of_ann).await, stats(&site, post_of_bob).await, site.count("rating_hours").await);
    assert_eq!((after, site.posts_with_wrong_totals().await), (before, vec![]));
    let erased_user: Value = sqlx::query_scalar("select to_jsonb(u) from users u where erased_at is not null")
        .fetch_one(&site.pool)
        .await
        .unwrap();
    assert!(
        !erased_user.to_string().contains("ann") && !erased_user.to_string().contains("example.com"),
        "{erased_user}"
    );
    for table in ["sessions", "sign_ins"] {
        let rows = format!("select count(*) from {table} join users on id = user_id where erased_at is not null");
        let rows: i64 = sqlx::query_scalar(sqlx::AssertSqlSafe(rows)).fetch_one(&site.pool).await.unwrap();
        assert_eq!(rows, 0, "{table}");
    }
    let other = site.user("ann").await;
    assert_eq!(other.get("/users/ann/").await.json()["posts"]["results"], json!([]));
    assert_eq!(stats(&site, post_of_bob).await["total_ratings"], 5);
    other.rate(post_of_bob, 5).await.expect(201);
    assert_eq!(site.posts_with_wrong_totals().await, [0; 0]);
}

#[actix_web::test]
async fn account_deletion_can_include_posts() {
    let site = TestSite::start_with(&[("RATING_LIMITER", "off")], 1).await;
    let (ann, bob) = (site.user("ann").await, site.user("bob").await);
    let mut posts_of_ann = Vec::new();
    for n in 0..5 {
        posts_of_ann.push(ann.write(&format!("Herons {n}"), "stand").await);
    }
    let post_of_bob = bob.write("Owls", "sit").await;
    bob.rate(posts_of_ann[0], 5).await.expect(201);
    ann.rate(post_of_bob, 2).await.expect(201);
    let before = stats(&site, post_of_bob).await;
    ask(&ann, "delete").await;
    bob.get(&format!("/blogs/{}/", posts_of_ann[0])).await.expect(200);
    site.advance_clock(WEEK);
    site.site().housekeeping().erase_due_accounts().await;
    for post in posts_of_ann {
        bob.get(&format!("/blogs/{post}/")).await.expect(404);
    }
    assert_eq!((stats(&site, post_of_bob).await, site.posts_with_wrong_totals().await), (before, vec![]));
    assert_eq!((site.count("blog_posts").await, site.count("rates").await), (1, 1));
    ann.post("/users/delete/cancel/", &json!({})).await.expect_problem(401, "not_signed_in");
    assert!(bob.post("/users/delete/cancel/", &json!({})).await.expect(200).json()["delete_at"].is_null());
}

#[actix_web::test]
async fn personal_data_export_is_complete() {
    let site = TestSite::start_with(&[("RATING_LIMITER", "off")], 1).await;
    let (ann, bob) = (site.user("ann").await, site.user("bob").await);
    // The user has more posts than the export reads per query.
    let mut posts = Vec::new();
    for n in 0..9 {
        posts.push(bob.write(&format!("Owls \"{n}\""), &format!("They sit, **{n}** of them.")).await);
    }
    let long = "Ein langer Text. ".repeat(15_000);
    let content = json!({ "title": "سلام", "content": long, "status": "draft", "tags": ["birds", "long"] });
    let draft = bob.post("/blogs/create/", &content).await.expect(201).json()["id"].as_i64().unwrap();
    let post_of_ann = ann.write("Herons", "stand").await;
    bob.rate(post_of_ann, 3).await.expect(201);
    ann.rate(posts[0], 5).await.expect(201);
    bob.post("/language/", &json!({ "language": "de" })).await.expect(200);
    let heron = site.user("مرغ").await;
    let named = heron.request("GET", "/users/export/").send().await.unwrap();
    let named = named.headers()["content-disposition"].to_str().unwrap().to_owned();
    assert!(named.contains("; filename*=UTF-8''") && named.contains("%D9%85%D8%B1%D8%BA"), "{named}");
    let files = bob.download_export().await;
    assert!(files["README.txt"].starts_with("Dieses Archiv enthält die Daten") && files["README.txt"].ends_with(".\n"));
    let names: Vec<&str> = files.keys().map(String::as_str).filter(|name| !name.starts_with("posts/")).collect();
    assert_eq!(
        names,
        [
            "README.txt",
            "account.json",
            "images.json",
            "limits.json",
            "log.json",
            "pauses.json",
            "posts.json",
            "ratings.json",
            "refused_ratings.json",
            "reports.json",
            "revisions.json",
            "sessions.json",
            "staff.json"
        ]
    );
    let read = |name: &str| serde_json::from_str::<Value>(&files[name]).unwrap();
    assert_eq!(
        (&read("account.json")["username"], &read("account.json")["email"]),
        (&json!("bob"), &json!("a@example.com"))
    );
    assert_eq!((&read("account.json")["is_staff"], &read("staff.json")), (&json!(false), &json!([])));
    assert_eq!(read("sessions.json")["sessions"][0]["network"], "127.0.0.1");
    let listed = read("posts.json");
    assert_eq!(listed.as_array().unwrap().len(), 10);
    assert_eq!((&listed[0]["rating_count"], &listed[9]["status"]), (&json!(1), &json!("draft")));
    let ratings = read("ratings.json");
    assert_eq!(
        (ratings.as_array().unwrap().len(), &ratings[0]["title"], &ratings[0]["rating"]),
        (1, &json!("Herons"), &json!(3))
    );
    let first = &files[&format!("posts/{}-owls-0.md", posts[0])];
    assert!(
        first.starts_with("---\ntitle: \"Owls \\\"0\\\"\"\n") && first.ends_with("\n---\n\nThey sit, **0** of them."),
        "{first}"
    );
    let last = &files[&format!("posts/{draft}-سلام.md")];
    assert!(
        last.contains("draft: true\n")
            && last.contains("tags: [\"birds\",\"long\"]\n")
            && last.trim_end().ends_with(long.trim_end())
    );
    let all: String = files.values().cloned().collect();
    assert!(!all.contains("argon2"));
    site.guest().get("/users/export/").await.expect_problem(401, "not_signed_in");
    for _ in 0..2 {
        bob.download_export().await;
        // A HEAD request does not count as an export.
        let head = bob.send(bob.request("HEAD", "/users/export/")).await.expect(200);
        assert_eq!(head.header("content-length"), "");
    }
    let cross_site = bob.request("GET", "/users/export/").header("Sec-Fetch-Site", "cross-site");
    bob.send(cross_site).await.expect(403);
    let refused = bob.get("/users/export/").await.expect_problem(429, "export_limited");
    assert!((1..=1_200).contains(&refused.retry_after()));
    ann.download_export().await;
}

#[actix_web::test]
async fn last_owner_cannot_delete_the_account() {
    let site = TestSite::start().await;
    let (ann, bob) = (site.user("ann").await, site.user("bob").await);
    sqlx::query("update users set is_staff = true where username in ('ann', 'bob')").execute(&site.pool).await.unwrap();
    ask(&ann, "keep").await;
    let body = json!({ "posts": "keep", "current_password": PASSWORD });
    bob.post("/users/delete/", &body).await.expect_problem(409, "last_of_staff");
    bob.submit("/users/delete/", &[("posts", "keep"), ("current_password", PASSWORD)])
        .await
        .expect(409)
        .expect_text("This site needs an owner");
    bob.get("/users/me/").await.expect(200);
}

#[actix_web::test]
async fn locked_account_is_erased_once_it_is_unlocked() {
    let site = TestSite::start().await;
    ask(&site.user("ann").await, "keep").await;
    site.advance_clock(WEEK);
    let mut holder = site.pool.begin().await.unwrap();
    sqlx::query("select from users where username = 'ann' for update").execute(&mut *holder).await.unwrap();
    let housekeeping = site.site().housekeeping();
    let release = async {
        site.wait_for_blocked_statement().await;
        holder.rollback().await.unwrap();
    };
    // `release` ends only if the erasure waits for the lock.
    tokio::join!(housekeeping.erase_due_accounts(), release);
    assert_eq!(site.count("users where erased_at is not null").await, 1);
}

/// Number of statements that are waiting for a lock.
async fn waiting_for_locks(site: &TestSite) -> i64 {
    let waits = "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
    sqlx::query_scalar(waits).fetch_one(&site.pool).await.unwrap()
}

/// Number of sessions, known networks, second factors and recovery codes of erased accounts.
async fn rows_of_erased(site: &TestSite) -> i64 {
    let rows = "select count(*) from (
            select user_id from sessions union all select user_id from sign_ins union all
            select user_id from second_factors union all select user_id from recovery_codes
        ) rows join users on users.id = rows.user_id where erased_at is not null";
    sqlx::query_scalar(rows).fetch_one(&site.pool).await.unwrap()
}

#[actix_web::test]
async fn concurrent_sign_in_leaves_no_rows_of_an_erased_account() {
    // Tests both orders: the sign-in waits for `sign_ins`, or the erasure waits for `zombie_pauses`.
    for (table, erasing_is_first) in [("sign_ins", false), ("zombie_pauses", true)] {
        let site = TestSite::start().await;
        ask(&site.user("ann").await, "keep").await;
        site.advance_clock(WEEK);
        let mut holder = site.pool.begin().await.unwrap();
        let lock = format!("lock table {table} in share mode");
        sqlx::query(sqlx::AssertSqlSafe(lock)).execute(&mut *holder).await.unwrap();
        let housekeeping = site.site().housekeeping();
        // Lock waits time out after 1.5 seconds, so on a slow machine the two statements may never wait at the same
        // time.
        let begins = async |is_first: bool, is_over: &std::cell::Cell<bool>| {
            while !is_first && waiting_for_locks(&site).await == 0 && !is_over.get() {
                tokio::task::yield_now().await;
            }
        };
        let first_is_over = std::cell::Cell::new(false);
        let erasing = async {
            begins(erasing_is_first, &first_is_over).await;
            housekeeping.erase_due_accounts().await;
            first_is_over.set(true);
        };
        let signing_in = async {
            begins(!erasing_is_first, &first_is_over).await;
            let status = sign_in(&site, "ann").await.1;
            first_is_over.set(true);
            status
        };
        let release = async {
            while waiting_for_locks(&site).await < 2 && !first_is_over.get() {
                tokio::task::yield_now().await;
            }
            holder.rollback().await.unwrap();
        };
        let ((), status, ()) = futures_util::join!(erasing, signing_in, release);
        assert!([200, 401, 503].contains(&status), "{status}");
        assert_eq!(site.count("users where erased_at is not null").await, 1);
        assert_eq!(rows_of_erased(&site).await, 0, "{table}");
    }
}
