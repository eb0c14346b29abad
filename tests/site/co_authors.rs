//! Authors and their invitations, and the review of posts by other users.

use serde_json::{Value, json};

use crate::support::{Actor, PASSWORD, TestSite};

const REVIEWED: &[(&str, &str)] = &[("PUBLISHING", "reviewed")];

async fn reviewed_site() -> (TestSite, Actor, Actor) {
    let site = TestSite::start_with(REVIEWED, 1).await;
    let (mo, ann) = (site.staff("mo", "moderator").await, site.user("ann").await);
    (site, mo, ann)
}

async fn submit(author: &Actor) -> Value {
    let post = json!({ "title": "Herons", "content": "They stand." });
    author.post("/blogs/create/", &post).await.expect(201).json()
}

async fn run_action(staff: &Actor, act: &str, reason: &str) {
    let body = json!({ "act": act, "selected": [1], "reason": reason });
    let result = staff.post("/admin/act/", &body).await.expect(200).json();
    assert_eq!(result["rows"].as_array().map(Vec::len), Some(1), "{result}");
}

async fn register(site: &TestSite, name: &str, invitation: &Value) -> Actor {
    let link = invitation["link"].as_str().unwrap();
    let account = json!({ "username": name, "email": format!("{name}@example.com"), "password": PASSWORD });
    let path = &link[link.find("/users/").unwrap()..];
    let registered = site.guest().post(path, &account).await.expect(201);
    Actor::with_cookie(site.instances[0], registered.header("set-cookie").split(';').next().unwrap())
}

#[actix_web::test]
async fn post_of_a_reader_waits_for_a_review() {
    let (site, _, ann) = reviewed_site().await;
    let post = submit(&ann).await;
    assert_eq!((&post["status"], post["submitted_at"].is_string()), (&json!("draft"), true));
    site.guest().get("/blogs/1/").await.expect(404);
    site.user("ben").await.get("/blogs/1/").await.expect(404);
    ann.page("/blogs/1/").await.expect_text("This post is waiting for a review by staff.");
    ann.page("/blogs/drafts/").await.expect_text("waiting for review");
}

#[actix_web::test]
async fn form_of_a_reader_submits_for_review() {
    let (_site, _, ann) = reviewed_site().await;
    ann.page("/blogs/create/").await.expect_text("Submit for review").expect_text("Staff review your post");
    let fields = [("title", "Herons"), ("content", "They stand."), ("status", "published")];
    ann.submit("/blogs/create/", &fields).await.expect_redirect("/blogs/1/herons/");
    ann.page("/blogs/1/").await.expect_text("Post submitted. Staff will publish it");
}

#[actix_web::test]
async fn draft_can_be_submitted_later() {
    let (_site, _, ann) = reviewed_site().await;
    let draft = json!({ "title": "Herons", "content": "They stand.", "status": "draft" });
    let post = ann.post("/blogs/create/", &draft).await.expect(201).json();
    assert_eq!(post["submitted_at"], Value::Null);
    ann.page("/blogs/1/").await.expect_text("Submit for review");
    let post = ann.post("/blogs/1/publish/", &json!({})).await.expect(200).json();
    assert_eq!((&post["status"], post["submitted_at"].is_string()), (&json!("draft"), true));
}

#[actix_web::test]
async fn saving_a_draft_withdraws_the_submission() {
    let (_site, mo, ann) = reviewed_site().await;
    submit(&ann).await;
    let draft = json!({ "title": "Herons", "content": "Not yet.", "status": "draft" });
    assert_eq!(ann.post("/blogs/1/edit/", &draft).await.expect(200).json()["submitted_at"], Value::Null);
    mo.get("/blogs/1/").await.expect(404);
}

#[actix_web::test]
async fn staff_find_and_read_submitted_posts() {
    let (_site, mo, ann) = reviewed_site().await;
    submit(&ann).await;
    let dashboard = mo.page("/admin/").await.expect_text("1 submitted post to review");
    assert_eq!(dashboard.text.matches("href=\"/admin/posts/?status=submitted\"").count(), 3);
    mo.page("/admin/posts/?status=submitted").await.expect_text("Herons").expect_text("Waiting for review");
    let page = mo.page("/blogs/1/").await.expect(200).expect_text("They stand.");
    page.expect_text("ann submitted this post for review").expect_text("act=return_posts");
}

#[actix_web::test]
async fn staff_publish_a_submitted_post() {
    let (site, mo, ann) = reviewed_site().await;
    submit(&ann).await;
    let post = mo.post("/blogs/1/publish/", &json!({})).await.expect(200).json();
    assert_eq!((&post["status"], &post["submitted_at"]), (&json!("published"), &Value::Null));
    site.guest().get("/blogs/1/").await.expect(200);
    site.staff("olga", "owner").await.page("/admin/log/").await.expect_text("Published another user’s post");
}

#[actix_web::test]
async fn staff_publish_submitted_posts_together() {
    let (site, mo, ann) = reviewed_site().await;
    submit(&ann).await;
    run_action(&mo, "publish", "Reviewed").await;
    site.guest().get("/blogs/1/").await.expect(200);
    mo.page("/admin/posts/?status=submitted").await.expect_no_text("Herons");
}

#[actix_web::test]
async fn returned_post_can_be_submitted_again() {
    let (_site, mo, ann) = reviewed_site().await;
    submit(&ann).await;
    run_action(&mo, "return_posts", "Please add a source.").await;
    mo.get("/blogs/1/").await.expect(404);
    let post = ann.get("/blogs/1/").await.json();
    assert_eq!((&post["submitted_at"], &post["return_reason"]), (&Value::Null, &json!("Please add a source.")));
    ann.page("/blogs/1/").await.expect_text("Staff returned this post to you: Please add a source.");
    ann.page("/blogs/drafts/").await.expect_text("returned by staff");
    ann.post("/blogs/1/publish/", &json!({})).await.expect(200);
    mo.get("/blogs/1/").await.expect(200);
}

#[actix_web::test]
async fn published_post_of_a_reader_cannot_be_edited() {
    let (_site, mo, ann) = reviewed_site().await;
    submit(&ann).await;
    mo.post("/blogs/1/publish/", &json!({})).await.expect(200);
    let change = json!({ "title": "Herons", "content": "Buy now." });
    ann.post("/blogs/1/edit/", &change).await.expect_problem(403, "may_not_publish");
}

#[actix_web::test]
async fn authors_publish_without_a_review() {
    let (_site, mo, ann) = reviewed_site().await;
    mo.post("/users/ann/approve/", &json!({ "approved": true })).await.expect(200);
    assert_eq!(submit(&ann).await["status"], "published");
}

#[actix_web::test]
async fn invited_author_may_publish() {
    let (site, mo, _) = reviewed_site().await;
    let new = json!({ "max_uses": 1, "days": 7, "role": "author" });
    let invitation = mo.post("/users/invitations/", &new).await.expect(201).json();
    let eve = register(&site, "eve", &invitation).await;
    assert_eq!(submit(&eve).await["status"], "published");
}

#[actix_web::test]
async fn only_owners_invite_moderators() {
    let site = TestSite::start().await;
    let (olga, mo) = (site.staff("olga", "owner").await, site.staff("mo", "moderator").await);
    let new = json!({ "max_uses": 5, "days": 7, "role": "moderator" });
    mo.post("/users/invitations/", &new).await.expect_problem(400, "invalid");
    mo.page("/users/invitations/").await.expect_no_text("value=\"moderator\"");
    let invitation = olga.post("/users/invitations/", &new).await.expect(201).json();
    assert_eq!(invitation["max_uses"], 1);
    register(&site, "eve", &invitation).await.get("/admin/posts/").await.expect(200);
}

#[actix_web::test]
async fn expired_invitation_is_an_error_on_an_open_site() {
    let site = TestSite::start().await;
    let mo = site.staff("mo", "moderator").await;
    let new = json!({ "max_uses": 1, "days": 1, "role": "author" });
    let invitation = mo.post("/users/invitations/", &new).await.expect(201).json();
    register(&site, "eve", &invitation).await;
    let link = invitation["link"].as_str().unwrap();
    site.guest().page(&link[link.find("/users/").unwrap()..]).await.expect(410);
}

#[actix_web::test]
async fn invitation_by_email_needs_a_mail_server() {
    let site = TestSite::start().await;
    let mo = site.staff("mo", "moderator").await;
    let new = json!({ "max_uses": 1, "days": 7, "email": "eve@example.com" });
    let refused = mo.post("/users/invitations/", &new).await.expect_problem(400, "invalid").json();
    assert!(refused["errors"]["email"].is_array(), "{refused}");
    mo.page("/users/invitations/").await.expect_no_text("name=\"email\"");
}

#[actix_web::test]
async fn users_and_invitations_link_to_a_new_invitation() {
    let site = TestSite::start().await;
    let mo = site.staff("mo", "moderator").await;
    for list in ["/admin/users/", "/admin/invitations/"] {
        mo.page(list).await.expect_text("<a class=\"button\" href=\"/users/invitations/\">Create invitation</a>");
    }
}
