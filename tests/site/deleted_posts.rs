//! Posts that their authors delete and restore.

use chrono::TimeDelta;
use serde_json::{Value, json};

use crate::support::{Actor, TestSite};

async fn site_with_deleted_post() -> (TestSite, Actor) {
    let site = TestSite::start().await;
    let (ann, ben) = (site.user("ann").await, site.user("ben").await);
    ann.write("Herons", "They stand.").await;
    ben.rate(1, 4).await.expect(201);
    ann.submit("/blogs/1/delete/", &[]).await.expect_redirect("/blogs/deleted/");
    (site, ann)
}

#[actix_web::test]
async fn deleted_post_is_gone_everywhere() {
    let (site, ann) = site_with_deleted_post().await;
    for path in ["/blogs/1/", "/blogs/1/edit/", "/blogs/1/ratings/", "/rate/get_blog_rating/1/"] {
        ann.get(path).await.expect_problem(404, "not_found");
    }
    for path in ["/blogs/", "/blogs/drafts/", "/blogs/?q=herons", "/feeds/atom/", "/users/ann/"] {
        ann.page(path).await.expect_no_text("Herons");
    }
    site.user("cy").await.rate(1, 3).await.expect_problem(404, "not_found");
}

#[actix_web::test]
async fn author_finds_the_deleted_post() {
    let (site, ann) = site_with_deleted_post().await;
    ann.page("/blogs/deleted/").await.expect_text("Herons").expect_text("You can restore it here for 7 days.");
    site.user("cy").await.page("/blogs/deleted/").await.expect_no_text("Herons");
}

#[actix_web::test]
async fn restored_post_is_a_draft_with_its_ratings() {
    let (site, ann) = site_with_deleted_post().await;
    ann.submit("/blogs/1/restore/", &[]).await.expect_redirect("/blogs/1/edit/");
    let post = ann.get("/blogs/1/").await.expect(200).json();
    assert_eq!((&post["status"], &post["rating_count"]), (&json!("draft"), &json!(1)));
    ann.post("/blogs/1/publish/", &json!({})).await.expect(200);
    let post = site.guest().get("/blogs/1/").await.expect(200).json();
    assert_eq!((&post["published_at"], &post["average_rating"]), (&json!("2026-01-01T12:00:00Z"), &json!(4.0)));
}

#[actix_web::test]
async fn only_the_author_restores_a_post() {
    let (site, _) = site_with_deleted_post().await;
    for other in [site.user("cy").await, site.staff("mo", "moderator").await] {
        other.post("/blogs/1/restore/", &json!({})).await.expect_problem(404, "not_found");
        other.post("/blogs/1/purge/", &json!({})).await.expect_problem(404, "not_found");
    }
}

#[actix_web::test]
async fn post_can_be_deleted_permanently() {
    let (site, ann) = site_with_deleted_post().await;
    ann.submit("/blogs/1/purge/", &[]).await.expect_redirect("/blogs/deleted/");
    ann.page("/blogs/deleted/").await.expect_text("Post deleted permanently.").expect_text("No deleted posts.");
    assert_eq!((site.count("blog_posts").await, site.count("rates").await), (0, 0));
}

#[actix_web::test]
async fn existing_post_is_not_purged() {
    let site = TestSite::start().await;
    let ann = site.user("ann").await;
    ann.write("Herons", "They stand.").await;
    ann.post("/blogs/1/purge/", &json!({})).await.expect_problem(404, "not_found");
    ann.get("/blogs/1/").await.expect(200);
}

#[actix_web::test]
async fn deleted_posts_expire_after_seven_days() {
    let (site, ann) = site_with_deleted_post().await;
    ann.write("Storks", "They clatter.").await;
    site.advance_clock(TimeDelta::days(7) - TimeDelta::minutes(1));
    site.site().housekeeping().delete_expired_rows().await.unwrap();
    assert_eq!(site.count("blog_posts").await, 2);
    site.advance_clock(TimeDelta::minutes(2));
    site.site().housekeeping().delete_expired_rows().await.unwrap();
    assert_eq!((site.count("blog_posts").await, site.count("rates").await), (1, 0));
}

#[actix_web::test]
async fn post_deleted_by_staff_cannot_be_restored() {
    let site = TestSite::start().await;
    let (mo, ann) = (site.staff("mo", "moderator").await, site.user("ann").await);
    ann.write("Herons", "They stand.").await;
    mo.page("/blogs/1/delete/").await.expect_text("can’t be undone");
    mo.post("/blogs/1/delete/", &json!({})).await.expect(204);
    assert_eq!(ann.get("/blogs/deleted/").await.json()["results"], Value::Array(Vec::new()));
}
