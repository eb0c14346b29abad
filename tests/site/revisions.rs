//! Earlier versions of posts.

use chrono::TimeDelta;
use futures_util::join;
use serde_json::{Value, json};

use crate::images::{add, plain};
use crate::support::{Actor, PASSWORD, TestResponse, TestSite, minutes};

const LIST: &str = "/blogs/1/revisions/";

async fn edit(actor: &Actor, content: &str) -> TestResponse {
    actor.post("/blogs/1/edit/", &json!({ "title": "Herons", "content": content })).await
}

/// Site with a post of ann, which she changed from "They stand." to "They fly."
async fn site_with_edited_post() -> (TestSite, Actor) {
    let site = TestSite::start().await;
    let ann = site.user("ann").await;
    ann.write("Herons", "They stand.").await;
    edit(&ann, "They fly.").await.expect(200);
    (site, ann)
}

/// Site with a draft of ann with the text "One."
async fn site_with_draft() -> (TestSite, Actor) {
    let site = TestSite::start().await;
    let ann = site.user("ann").await;
    let draft = json!({ "title": "Herons", "content": "One.", "status": "draft" });
    ann.post("/blogs/create/", &draft).await.expect(201);
    (site, ann)
}

async fn versions(actor: &Actor) -> Vec<i64> {
    let list = actor.get(LIST).await.expect(200).json();
    list["results"].as_array().unwrap().iter().map(|row| row["version"].as_i64().unwrap()).collect()
}

async fn text_of(actor: &Actor, version: i64) -> Value {
    actor.get(&format!("{LIST}{version}/")).await.expect(200).json()["content"].clone()
}

async fn restore(actor: &Actor, version: i64, tag: &str) -> TestResponse {
    let request = actor.request("POST", &format!("{LIST}{version}/restore/")).header("if-match", tag);
    actor.send(request.json(&json!({}))).await
}

/// The form is also how an author replaces the version of another device after a conflict.
#[actix_web::test]
async fn saving_a_draft_by_the_form_keeps_the_replaced_text() {
    let (_site, ann) = site_with_draft().await;
    edit(&ann, "Two.").await.expect(200);
    edit(&ann, "Three.").await.expect(200);
    let fields = [("title", "Herons"), ("content", "Four."), ("version", "3")];
    ann.submit("/blogs/1/edit/", &fields).await.expect(303);
    assert_eq!((versions(&ann).await, text_of(&ann, 3).await), (vec![3, 1], json!("Three.")));
}

#[actix_web::test]
async fn edit_keeps_the_previous_title_and_text() {
    let (site, ann) = site_with_edited_post().await;
    site.advance_clock(minutes(1));
    ann.post("/blogs/1/edit/", &json!({ "title": "Storks", "content": "They fly." })).await.expect(200);
    let list = ann.get(LIST).await.expect(200).json();
    let times = json!("2026-01-01T12:00:00Z");
    assert_eq!(
        list["results"][1],
        json!({ "version": 1, "title": "Herons", "characters": 11, "saved_at": times, "replaced_at": times })
    );
    assert_eq!((&list["results"][0]["version"], &list["results"][0]["title"]), (&json!(2), &json!("Herons")));
    assert_eq!((text_of(&ann, 1).await, text_of(&ann, 2).await), (json!("They stand."), json!("They fly.")));
}

#[actix_web::test]
async fn editor_and_post_link_to_earlier_versions() {
    let (site, ann) = site_with_edited_post().await;
    for path in ["/blogs/1/", "/blogs/1/edit/"] {
        ann.page(path).await.expect_text("<a href=\"/blogs/1/revisions/\">Earlier versions</a>");
    }
    site.guest().page("/blogs/1/").await.expect_no_text("revisions");
    ann.page(LIST).await.expect_text("<a href=\"/blogs/1/revisions/1/\"><time").expect_text("<td>11</td>");
}

#[actix_web::test]
async fn edit_without_a_change_of_the_text_adds_no_version() {
    let (_site, ann) = site_with_edited_post().await;
    let tags = json!({ "title": "Herons", "content": "They fly.", "tags": ["birds"] });
    ann.post("/blogs/1/edit/", &tags).await.expect(200);
    assert_eq!(versions(&ann).await, [1]);
}

#[actix_web::test]
async fn rejected_edit_adds_no_version() {
    let (_site, ann) = site_with_edited_post().await;
    let outdated = json!({ "title": "Herons", "content": "They swim.", "version": 1 });
    ann.post("/blogs/1/edit/", &outdated).await.expect_problem(409, "conflict");
    assert_eq!(versions(&ann).await, [1]);
}

#[actix_web::test]
async fn saves_of_a_draft_within_ten_minutes_share_a_version() {
    let (site, ann) = site_with_draft().await;
    for text in ["Two.", "Three.", "Four."] {
        site.advance_clock(minutes(3));
        edit(&ann, text).await.expect(200);
    }
    assert_eq!(versions(&ann).await, [1]);
    site.advance_clock(minutes(4));
    edit(&ann, "Five.").await.expect(200);
    assert_eq!((versions(&ann).await, text_of(&ann, 4).await), (vec![4, 1], json!("Four.")));
}

#[actix_web::test]
async fn page_of_a_version_shows_the_difference_to_the_current_text() {
    let (_site, ann) = site_with_edited_post().await;
    let title = json!({ "title": "Storks", "content": "They fly." });
    ann.post("/blogs/1/edit/", &title).await.expect(200);
    let page = ann.page("/blogs/1/revisions/1/").await.expect(200);
    for (value, mark, side) in [
        ("They stand.", '−', "only in this version:"),
        ("They fly.", '+', "only in the current version:"),
        ("Herons", '−', "only in this version:"),
        ("Storks", '+', "only in the current version:"),
    ] {
        let line = format!("{mark}<span class=\"hidden\"> {side}</span></td><td dir=\"auto\">{value}</td>");
        assert!(page.text.contains(&line), "{line} in {}", page.text);
    }
    page.expect_text("They stand.</textarea>");
}

#[actix_web::test]
async fn restored_version_can_be_undone() {
    let (site, ann) = site_with_edited_post().await;
    site.advance_clock(minutes(5));
    ann.submit("/blogs/1/revisions/1/restore/", &[]).await.expect_redirect("/blogs/1/herons/");
    let message = "Version of 1 January 2026 at 12:00 UTC restored. To undo this: <a href=\"/blogs/1/revisions/\">";
    ann.page("/blogs/1/").await.expect_text(message).expect_text("They stand.");
    assert_eq!(versions(&ann).await, [2, 1]);
    let post = restore(&ann, 2, "*").await.expect(200).json();
    assert_eq!(
        (&post["content"], &post["version"], &post["status"]),
        (&json!("They fly."), &json!(4), &json!("published"))
    );
}

#[actix_web::test]
async fn restoring_keeps_all_other_fields() {
    let site = TestSite::start().await;
    let ann = site.user("ann").await;
    let post = json!({ "title": "Herons", "content": "They stand.", "tags": ["birds"], "slug": "grey",
        "excerpt": "Short.", "publish_at": "2026-01-02T12:00:00Z" });
    ann.post("/blogs/create/", &post).await.expect(201);
    edit(&ann, "They fly.").await.expect(200);
    let restored = restore(&ann, 1, "*").await.expect(200).json();
    assert_eq!((&restored["content"], &restored["status"]), (&json!("They stand."), &json!("draft")));
    for field in ["tags", "slug", "excerpt", "publish_at"] {
        assert_eq!(restored[field], post[field], "{field}");
    }
}

#[actix_web::test]
async fn restoring_a_draft_opens_the_editor_and_keeps_the_replaced_text() {
    let (_site, ann) = site_with_draft().await;
    for text in ["Two.", "Three."] {
        edit(&ann, text).await.expect(200);
    }
    ann.submit("/blogs/1/revisions/1/restore/", &[]).await.expect_redirect("/blogs/1/edit/");
    ann.page("/blogs/1/edit/").await.expect_text("One.</textarea>").expect_text("restored. To undo this:");
    assert_eq!((versions(&ann).await, text_of(&ann, 3).await), (vec![3, 1], json!("Three.")));
}

#[actix_web::test]
async fn one_of_two_concurrent_restores_succeeds() {
    let (_site, ann) = site_with_edited_post().await;
    edit(&ann, "They swim.").await.expect(200);
    let (first, second) = join!(restore(&ann, 1, "\"3\""), restore(&ann, 2, "\"3\""));
    let mut statuses = [first.status.as_u16(), second.status.as_u16()];
    statuses.sort_unstable();
    assert_eq!((statuses, versions(&ann).await), ([200, 412], vec![3, 2, 1]));
    assert_eq!(text_of(&ann, 3).await, "They swim.");
}

#[actix_web::test]
async fn restoring_needs_the_permission_to_publish() {
    let site = TestSite::start_with(&[("PUBLISHING", "approved")], 1).await;
    let (mo, ann) = (site.staff("mo", "moderator").await, site.user("ann").await);
    let approve = async |approved: bool| {
        mo.post("/users/ann/approve/", &json!({ "approved": approved })).await.expect(200);
    };
    approve(true).await;
    ann.write("Herons", "They stand.").await;
    edit(&ann, "They fly.").await.expect(200);
    approve(false).await;
    restore(&ann, 1, "*").await.expect_problem(403, "may_not_publish");
    restore(&mo, 1, "*").await.expect(200);
}

#[actix_web::test]
async fn versions_are_deleted_after_30_days() {
    let (site, ann) = site_with_edited_post().await;
    site.advance_clock(TimeDelta::days(10));
    edit(&ann, "They swim.").await.expect(200);
    site.advance_clock(TimeDelta::days(20) - minutes(1));
    site.site().housekeeping().delete_expired_rows().await.unwrap();
    assert_eq!(site.count("post_revisions").await, 2);
    site.advance_clock(minutes(2));
    site.site().housekeeping().delete_expired_rows().await.unwrap();
    assert_eq!(site.count("post_revisions where version = 2").await, 1);
    assert_eq!(site.count("post_revisions").await, 1);
}

#[actix_web::test]
async fn post_has_at_most_50_earlier_versions() {
    let (_site, ann) = site_with_edited_post().await;
    for number in 0..51 {
        edit(&ann, &format!("{number}")).await.expect(200);
    }
    assert_eq!(versions(&ann).await, (3..=52).rev().collect::<Vec<i64>>());
}

#[actix_web::test]
async fn earlier_versions_of_an_author_have_a_total_size() {
    let site = TestSite::start_with(&[("TEXT_QUOTA_MB", "1"), ("RATE_CLASSES", "off")], 1).await;
    let (ann, ben) = (site.user("ann").await, site.user("ben").await);
    ann.write("Herons", "They stand.").await;
    for number in 0..6 {
        edit(&ann, &format!("{number} {}", "x ".repeat(120_000))).await.expect(200);
    }
    let post = ben.write("Owls", "They sit.").await;
    ben.post(&format!("/blogs/{post}/edit/"), &json!({ "title": "Owls", "content": "They fly." })).await.expect(200);
    site.site().housekeeping().delete_expired_rows().await.unwrap();
    assert_eq!((versions(&ann).await, site.count("post_revisions").await), (vec![6, 5, 4, 3], 5));
}

#[actix_web::test]
async fn other_users_see_no_earlier_versions() {
    let (site, _ann) = site_with_edited_post().await;
    let (guest, ben) = (site.guest(), site.user("ben").await);
    for path in [LIST, "/blogs/1/revisions/1/"] {
        guest.get(path).await.expect_problem(401, "not_signed_in");
        ben.get(path).await.expect_problem(403, "forbidden");
    }
    for action in ["restore", "delete"] {
        let path = format!("{LIST}1/{action}/");
        guest.post(&path, &json!({})).await.expect_problem(401, "not_signed_in");
        ben.post(&path, &json!({})).await.expect_problem(403, "forbidden");
    }
}

#[actix_web::test]
async fn versions_of_drafts_and_deleted_posts_are_hidden_with_the_post() {
    let (site, ann) = site_with_draft().await;
    edit(&ann, "Two.").await.expect(200);
    site.staff("mo", "moderator").await.get(LIST).await.expect_problem(404, "not_found");
    ann.post("/blogs/1/delete/", &json!({})).await.expect(204);
    ann.get(LIST).await.expect_problem(404, "not_found");
    ann.post("/blogs/1/restore/", &json!({})).await.expect(204);
    assert_eq!(versions(&ann).await, [1]);
}

#[actix_web::test]
async fn staff_see_published_versions_and_no_texts_of_drafts() {
    let (site, ann) = site_with_draft().await;
    let mo = site.staff("mo", "moderator").await;
    edit(&ann, "Two.").await.expect(200);
    ann.post("/blogs/1/publish/", &json!({})).await.expect(200);
    edit(&mo, "Three.").await.expect(200);
    assert_eq!((versions(&ann).await, versions(&mo).await), (vec![3, 1], vec![3]));
    mo.get("/blogs/1/revisions/1/").await.expect_problem(404, "not_found");
    for action in ["restore", "delete"] {
        mo.post(&format!("{LIST}1/{action}/"), &json!({})).await.expect_problem(404, "not_found");
    }
}

#[actix_web::test]
async fn version_can_be_deleted() {
    let (_site, ann) = site_with_edited_post().await;
    ann.submit("/blogs/1/revisions/1/delete/", &[]).await.expect_redirect(LIST);
    ann.page(LIST).await.expect_text("Version deleted.").expect_text("No earlier versions.");
    for action in ["restore", "delete"] {
        ann.post(&format!("{LIST}1/{action}/"), &json!({})).await.expect_problem(404, "not_found");
    }
    assert_eq!(ann.get("/blogs/1/").await.json()["content"], "They fly.");
}

#[actix_web::test]
async fn deletion_of_a_version_by_staff_is_in_the_audit_log() {
    let (site, _ann) = site_with_edited_post().await;
    let olga = site.staff("olga", "owner").await;
    olga.post("/blogs/1/revisions/1/delete/", &json!({})).await.expect(204);
    let page = olga.page("/admin/log/").await.expect_text("Deleted an earlier version of another user’s post");
    page.expect_text("Version: 1");
}

#[actix_web::test]
async fn versions_are_deleted_with_the_post() {
    let (site, ann) = site_with_edited_post().await;
    for action in ["delete", "purge"] {
        ann.post(&format!("/blogs/1/{action}/"), &json!({})).await.expect(204);
    }
    assert_eq!(site.count("post_revisions").await, 0);
}

#[actix_web::test]
async fn versions_of_remaining_posts_are_deleted_with_the_account() {
    let (site, ann) = site_with_edited_post().await;
    ann.post("/users/delete/", &json!({ "posts": "keep", "current_password": PASSWORD })).await.expect(202);
    site.advance_clock(TimeDelta::days(8));
    site.site().housekeeping().erase_due_accounts().await;
    assert_eq!((site.count("blog_posts").await, site.count("post_revisions").await), (1, 0));
}

#[actix_web::test]
async fn export_contains_earlier_versions() {
    let (_site, ann) = site_with_edited_post().await;
    for text in ["2", "3", "4", "5", "6"] {
        edit(&ann, text).await.expect(200);
    }
    let files = ann.download_export().await;
    let exported: Vec<Value> = serde_json::from_str(&files["revisions.json"]).unwrap();
    assert_eq!(exported.len(), 6);
    assert_eq!((&exported[0]["post"], &exported[0]["version"]), (&json!(1), &json!(1)));
    assert_eq!((&exported[0]["content"], &exported[5]["content"]), (&json!("They stand."), &json!("5")));
}

#[actix_web::test]
async fn images_of_earlier_versions_are_kept() {
    let site = TestSite::start().await;
    let ann = site.user("ann").await;
    let url = add(&ann, plain(1)).await;
    ann.write("Herons", &format!("![x]({url})")).await;
    edit(&ann, "No image.").await.expect(200);
    let house = site.site().housekeeping();
    for (days, status) in [(2, 200), (29, 404)] {
        house.delete_unused_images().await;
        site.advance_clock(TimeDelta::days(days));
        house.delete_expired_rows().await.unwrap();
        house.delete_unused_images().await;
        site.guest().get(&url).await.expect(status);
    }
}
