//! User profiles and time zones.

use chrono::TimeDelta;
use futures_util::join;
use serde_json::json;

use crate::support::{Actor, TestSite};

async fn edit_profile(user: &Actor) {
    let fields = [
        ("display_name", "  Ann \u{202e}  Lee "),
        ("about", "I watch **herons** and <b>nothing</b> else."),
        ("link", "https://ann.example/birds"),
        ("time_zone", "europe/berlin"),
    ];
    user.submit("/users/profile/", &fields).await.expect_redirect("/users/ann/");
}

#[actix_web::test]
async fn profile_shows_its_edited_fields() {
    let site = TestSite::start().await;
    let (ann, bob) = (site.user("ann").await, site.user("bob").await);
    ann.page("/users/profile/").await.expect(200).expect_text("Display name");
    edit_profile(&ann).await;
    let page = ann.page("/users/ann/").await.expect_text("Profile saved.").expect_text("<h1><bdi>Ann Lee</bdi></h1>");
    let page = page.expect_text("<strong>herons</strong>").expect_no_text("<b>nothing").expect_text("<bdi>ann</bdi>");
    page.expect_text("<a href=\"https://ann.example/birds\" rel=\"nofollow ugc noopener noreferrer me\"");
    let json = bob.get("/users/ann/").await.json();
    assert_eq!((&json["display_name"], &json["link"]), (&json!("Ann Lee"), &json!("https://ann.example/birds")));
    assert!(json["time_zone"].is_null() && json["email"].is_null(), "{json}");
    // Fields that a request leaves out keep their values.
    let profile = ann.post("/users/profile/", &json!({ "about": "" })).await.expect(200).json();
    assert_eq!((&profile["about"], &profile["display_name"]), (&json!(null), &json!("Ann Lee")));
    assert_eq!(ann.get("/users/profile/").await.json()["time_zone"], "Europe/Berlin");
    site.guest().get("/users/profile/").await.expect_problem(401, "not_signed_in");
}

#[actix_web::test]
async fn posts_lists_and_feeds_show_the_display_name() {
    let site = TestSite::start().await;
    let (ann, bob) = (site.user("ann").await, site.user("bob").await);
    let post = ann.write("Herons", "stand").await;
    edit_profile(&ann).await;
    assert_eq!(bob.get(&format!("/blogs/{post}/")).await.json()["author"]["display_name"], "Ann Lee");
    let page = bob.page(&format!("/blogs/{post}/herons/")).await.expect_text("rel=\"author\"><bdi>Ann Lee</bdi></a>");
    page.expect_text("<bdi>Ann Lee</bdi></a> <span class=\"quiet\">(<bdi>ann</bdi>)</span>")
        .expect_text("\"name\":\"Ann Lee\"");
    bob.page("/blogs/").await.expect_text("<bdi>Ann Lee</bdi>");
    bob.page("/feeds/atom/").await.expect_text("<name>Ann Lee</name><uri>http://127.0.0.1:8000/users/ann/</uri>");
}

#[actix_web::test]
async fn invalid_profile_names_its_fields() {
    let site = TestSite::start().await;
    let ann = site.user("ann").await;
    let long = "x".repeat(2_001);
    let fields = [
        ("display_name", "\u{200b}…"),
        ("about", &long),
        ("link", "javascript:alert(1)"),
        ("time_zone", "Europe/Atlantis"),
    ];
    let page = ann.submit("/users/profile/", &fields).await.expect(400).expect_text("at most 2,000 characters");
    page.expect_text("Enter a time zone, such as")
        .expect_text("starts with https://")
        .expect_text("javascript:alert(1)");
    ann.post("/users/profile/", &json!({ "link": "https://ann:secret@example.com/" }))
        .await
        .expect_problem(400, "invalid");
}

#[actix_web::test]
async fn display_name_cannot_imitate_other_users_or_staff() {
    let site = TestSite::start().await;
    let (ann, _bob) = (site.user("ann").await, site.user("bob").await);
    for name in [
        "BOB",
        "b0b",
        "bob.",
        "Bob ✓",
        "A former author",
        "a former  author",
        "Former author.",
        "Moderator",
        "owner\u{200b}",
        "\u{3164}",
    ] {
        let problem =
            ann.post("/users/profile/", &json!({ "display_name": name })).await.expect_problem(400, "invalid");
        assert!(problem.json()["errors"]["display_name"].is_array(), "{name}");
    }
    ann.post("/users/profile/", &json!({ "display_name": "Ann" })).await.expect(200);
}

#[actix_web::test]
async fn concurrent_changes_of_different_fields_are_kept() {
    let site = TestSite::start_with(&[], 2).await;
    let ann = site.user("ann").await;
    let other = ann.with_instance(site.instances[1]);
    for round in 0..10 {
        let [name, about, link] =
            [format!("Ann {round}"), format!("About {round}"), format!("https://a.example/{round}")];
        let language = if round % 2 == 0 { "de" } else { "en" };
        let (name_change, about_change, link_change, language_change) = (
            json!({ "display_name": name }),
            json!({ "about": about }),
            json!({ "link": link }),
            json!({ "language": language }),
        );
        let saved = join!(
            ann.post("/users/profile/", &name_change),
            other.post("/users/profile/", &about_change),
            ann.post("/users/profile/", &link_change),
            other.post("/language/", &language_change),
        );
        assert_eq!(
            [saved.0.status, saved.1.status, saved.2.status, saved.3.status].map(|status| status.as_u16()),
            [200; 4]
        );
        let profile = ann.get("/users/profile/").await.expect(200).json();
        let fields =
            ["display_name", "about", "link", "language"].map(|field| profile[field].as_str().unwrap_or("").to_owned());
        assert_eq!(fields, [name, about, link, language.to_owned()]);
    }
}

/// Starts a site in the time zone of New York, and returns it with the user `ann` in the time zone of Tehran.
async fn site_with_time_zones() -> (TestSite, Actor) {
    let site = TestSite::start_with(&[("SITE_TIME_ZONE", "America/New_York")], 1).await;
    let ann = site.user("ann").await;
    ann.post("/users/profile/", &json!({ "time_zone": "Asia/Tehran" })).await.expect(200);
    (site, ann)
}

#[actix_web::test]
async fn pages_and_forms_use_the_time_zone_of_the_user() {
    let (site, ann) = site_with_time_zones().await;
    let bob = site.user("bob").await;
    // The test clock is at noon UTC on 1 January 2026.
    ann.page("/users/sessions/").await.expect_text("1 January 2026 at 15:30 GMT+3:30");
    bob.page("/users/sessions/").await.expect_text("1 January 2026 at 07:00 GMT-5");
    // Forms interpret a time in the user's time zone, and API responses contain UTC.
    for (user, hour, utc) in [(&ann, "18:00", "14:30"), (&bob, "18:00", "23:00")] {
        let time = format!("2026-01-01T{hour}");
        let fields = [("title", "Later"), ("content", "x"), ("publish_at", time.as_str()), ("status", "published")];
        let path = user.submit("/blogs/create/", &fields).await.expect(303).header("location").to_owned();
        let edit = format!("/blogs/{}/edit/", path.split('/').nth(2).unwrap());
        user.page(&edit).await.expect_text(&format!("value=\"{time}\""));
        let json = user.get(&edit.replace("edit/", "")).await.expect(200).json();
        assert_eq!(json["publish_at"], format!("2026-01-01T{utc}:00Z"));
        let fields = [("title", "Later still"), ("content", "x"), ("publish_at", time.as_str()), ("status", "draft")];
        user.submit(&edit, &fields).await.expect(303);
        assert_eq!(user.get(&edit.replace("edit/", "")).await.json()["publish_at"], json["publish_at"]);
    }
    // Clocks in New York skip this local time when daylight saving time begins.
    let fields = [("title", "Never"), ("content", "x"), ("publish_at", "2026-03-08T02:30"), ("status", "published")];
    bob.submit("/blogs/create/", &fields).await.expect(400).expect_text("This time doesn’t exist in America/New_York");
    site.advance_clock(TimeDelta::hours(3));
    evenkeel::blog_posts::schedule::publish_due_drafts(&site.site().state).await.unwrap();
    let listed = site.guest().get("/blogs/").await.json();
    assert_eq!(listed["results"].as_array().unwrap().len(), 1);
}

#[actix_web::test]
async fn form_uses_the_time_zone_with_which_it_was_opened() {
    let (_site, ann) = site_with_time_zones().await;
    let fields =
        [("title", "Zone"), ("content", "x"), ("publish_at", "2026-01-01T18:00"), ("publish_zone", "Europe/Berlin")];
    let path = ann.submit("/blogs/create/", &fields).await.expect(303).header("location").to_owned();
    let id = path.split('/').nth(2).unwrap();
    ann.page(&format!("/blogs/{id}/edit/")).await.expect_text("name=\"publish_zone\" value=\"Asia/Tehran\"");
    assert_eq!(ann.get(&format!("/blogs/{id}/")).await.json()["publish_at"], "2026-01-01T17:00:00Z");
    let untitled = [("title", ""), fields[1], fields[2], fields[3]];
    let form = ann.submit("/blogs/create/", &untitled).await.expect(400);
    form.expect_text("name=\"publish_zone\" value=\"Europe/Berlin\"").expect_text("data-zone=\"Europe/Berlin\"");
}

#[actix_web::test]
async fn form_without_seconds_keeps_an_unchanged_time() {
    let (_site, ann) = site_with_time_zones().await;
    let body = json!({ "title": "Later", "content": "x", "publish_at": "2026-01-01T18:00:30Z" });
    let post = ann.post("/blogs/create/", &body).await.expect(201).json()["id"].as_i64().unwrap();
    let fields = [("title", "Later still"), ("content", "x"), ("publish_at", "2026-01-01T21:30"), ("status", "draft")];
    ann.submit(&format!("/blogs/{post}/edit/"), &fields).await.expect(303);
    assert_eq!(ann.get(&format!("/blogs/{post}/")).await.json()["publish_at"], "2026-01-01T18:00:30Z");
    // A time without a time zone in JSON is in UTC.
    let body = json!({ "title": "Later", "content": "x", "publish_at": "2026-01-01T18:00" });
    assert_eq!(ann.post("/blogs/create/", &body).await.expect(201).json()["publish_at"], "2026-01-01T18:00:00Z");
}

#[actix_web::test]
async fn time_zone_is_chosen_from_a_list() {
    let site = TestSite::start_with(&[("SITE_TIME_ZONE", "Asia/Tehran")], 1).await;
    let ann = site.user("ann").await;
    let page =
        ann.page("/users/profile/").await.expect_text("<option value=\"\">Same as the site (Asia/Tehran)</option>");
    page.expect_text("<option>Europe/Berlin</option>");
    ann.submit("/users/profile/", &[("time_zone", "Europe/Berlin")]).await.expect(303);
    ann.page("/users/profile/").await.expect_text("<option selected>Europe/Berlin</option>");
    ann.submit("/users/profile/", &[("time_zone", "")]).await.expect(303);
    assert!(ann.get("/users/me/").await.json()["time_zone"].is_null());
}
