//! Pages such as an imprint, the menu that links to them, and posts without ratings.

use serde_json::{Value, json};

use crate::support::{Actor, TestSite};

const SETTINGS: &str = "/admin/settings/";

async fn create(author: &Actor, fields: Value) -> i64 {
    let mut post = json!({ "title": "Imprint", "content": "Olga Heron, Lake Road 1" });
    post.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    author.post("/blogs/create/", &post).await.expect(201).json()["id"].as_i64().unwrap()
}

async fn site_with_page() -> (TestSite, Actor, i64) {
    let site = TestSite::start().await;
    let olga = site.staff("olga", "owner").await;
    let page = create(&olga, json!({ "is_page": true, "tags": ["legal"] })).await;
    (site, olga, page)
}

/// Site with a post that a user has rated with 4 stars before its author closed the ratings.
async fn site_with_closed_post() -> (TestSite, Actor, i64) {
    let site = TestSite::start().await;
    let (ann, ben) = (site.user("ann").await, site.user("ben").await);
    let post = create(&ann, json!({})).await;
    ben.rate(post, 4).await.expect(201);
    let closed = json!({ "title": "Imprint", "content": "Ann", "accepts_ratings": false });
    ann.post(&format!("/blogs/{post}/edit/"), &closed).await.expect(200);
    (site, ben, post)
}

#[actix_web::test]
async fn lists_and_feeds_omit_pages() {
    let (site, _, _) = site_with_page().await;
    for path in ["/blogs/", "/blogs/?sort=top", "/blogs/?tag=legal", "/feeds/atom/", "/feeds/json/", "/users/olga/"] {
        site.guest().page(path).await.expect(200).expect_no_text("Imprint");
    }
}

#[actix_web::test]
async fn search_and_sitemap_contain_pages() {
    let (site, ..) = site_with_page().await;
    site.guest().page("/blogs/?q=lake").await.expect(200).expect_text("/blogs/1/imprint/");
    site.guest().page("/sitemap.xml").await.expect(200).expect_text("/blogs/1/imprint/");
}

#[actix_web::test]
async fn search_results_show_no_date_and_author_of_pages() {
    let (site, olga, _) = site_with_page().await;
    let results = site.guest().page("/blogs/?q=lake").await.expect_text("/blogs/1/imprint/");
    results.expect_no_text("class=\"by\"").expect_no_text("rel=\"author\"");
    olga.write("Lake", "Herons stand in the lake.").await;
    site.guest().page("/blogs/?q=herons").await.expect_text("class=\"by\"");
}

#[actix_web::test]
async fn previous_and_next_links_skip_pages() {
    let (site, olga, _) = site_with_page().await;
    let first = olga.write("Herons", "They stand.").await;
    create(&olga, json!({ "is_page": true })).await;
    olga.write("Storks", "They clatter.").await;
    let page = site.guest().page(&format!("/blogs/{first}/")).await.expect_text("Storks");
    page.expect_no_text("Imprint");
}

#[actix_web::test]
async fn page_has_no_date_rating_or_author() {
    let (site, ..) = site_with_page().await;
    let page = site.guest().page("/blogs/1/").await.expect(200).expect_text("Olga Heron").expect_text("\"WebPage\"");
    page.expect_no_text("minutes-to-read").expect_no_text("class=\"by\"").expect_no_text("id=\"rating\"");
    let page = site.guest().page("/blogs/1/").await.expect_no_text("name=\"author\"").expect_no_text("published_time");
    page.expect_text("\"author\":null").expect_text("\"datePublished\":null");
}

#[actix_web::test]
async fn messages_about_a_page_call_it_a_page() {
    let site = TestSite::start().await;
    let olga = site.staff("olga", "owner").await;
    let page = [("title", "Imprint"), ("content", "Olga"), ("is_page", "true"), ("status", "draft")];
    olga.submit("/blogs/create/", &page).await.expect_redirect("/blogs/1/imprint/");
    olga.page("/blogs/1/edit/").await.expect_text("<h1>Edit page</h1>");
    let delete = olga.page("/blogs/1/delete/").await.expect_text("Delete this page?").expect_no_text("post</button>");
    delete.expect_no_text("has no ratings");
    let message = async |action: &str, message: &str| {
        let next = olga.submit(&format!("/blogs/1/{action}/"), &[]).await.expect(303).header("location").to_owned();
        olga.page(&next).await.expect_text(message);
    };
    message("publish", "Page published.").await;
    message("unpublish", "Page unpublished.").await;
    message("delete", "Page deleted.").await;
    message("restore", "Page restored as a draft.").await;
    message("delete", "Page deleted.").await;
    message("purge", "Page deleted permanently.").await;
}

#[actix_web::test]
async fn only_staff_create_pages() {
    let site = TestSite::start().await;
    let ann = site.user("ann").await;
    let page = json!({ "title": "Imprint", "content": "Ann", "is_page": true });
    let refused = ann.post("/blogs/create/", &page).await.expect_problem(400, "invalid").json();
    assert_eq!(refused["errors"]["is_page"][0], "Only staff can create pages.");
    ann.page("/blogs/create/").await.expect_no_text("name=\"is_page\"");
    let post = create(&ann, json!({})).await;
    ann.post(&format!("/blogs/{post}/edit/"), &page).await.expect_problem(400, "invalid");
}

#[actix_web::test]
async fn form_of_a_new_page_has_no_ratings() {
    let site = TestSite::start().await;
    let olga = site.staff("olga", "owner").await;
    let form = olga.page("/blogs/create/?page=true").await.expect(200);
    form.expect_text("<option value=\"true\" selected>Page</option>")
        .expect_text("<option value=\"false\" selected>Readers can’t rate this post</option>");
}

#[actix_web::test]
async fn admin_lists_pages() {
    let (_site, olga, _) = site_with_page().await;
    olga.write("Herons", "They stand.").await;
    let list = olga.page("/admin/posts/?status=pages").await.expect(200).expect_text("Imprint").expect_text("Page");
    list.expect_no_text("Herons");
}

#[actix_web::test]
async fn post_without_ratings_refuses_a_rating() {
    let site = TestSite::start().await;
    let (ann, ben) = (site.user("ann").await, site.user("ben").await);
    let post = create(&ann, json!({ "accepts_ratings": false })).await;
    ben.rate(post, 5).await.expect_problem(403, "ratings_closed");
    ben.page(&format!("/blogs/{post}/")).await.expect_no_text("id=\"rating\"").expect_text("Report this post");
    assert_eq!(site.count("rates").await, 0);
}

#[actix_web::test]
async fn closed_ratings_stay_visible() {
    let (_site, ben, post) = site_with_closed_post().await;
    let page = ben.page(&format!("/blogs/{post}/")).await.expect_text("This post no longer accepts ratings.");
    page.expect_text("You rated this post 4 stars").expect_no_text("type=\"radio\"");
}

#[actix_web::test]
async fn rating_of_a_closed_post_can_only_be_withdrawn() {
    let (site, ben, post) = site_with_closed_post().await;
    ben.change_rating(post, 1).await.expect_problem(403, "ratings_closed");
    ben.withdraw_rating(post).await.expect(200);
    assert_eq!(site.guest().get(&format!("/blogs/{post}/")).await.json()["rating_count"], 0);
}

#[actix_web::test]
async fn menus_are_on_every_page() {
    let (site, olga, _) = site_with_page().await;
    let menus =
        [("site_menu", "Birds /blogs/?tag=birds\nCode https://code.example/"), ("footer_menu", "Imprint /blogs/1/")];
    olga.submit(SETTINGS, &menus).await.expect_redirect(SETTINGS);
    for path in ["/", "/blogs/1/imprint/", "/users/login/"] {
        let page =
            site.guest().page(path).await.expect(200).expect_text("<a href=\"/blogs/?tag=birds\"><bdi>Birds</bdi>");
        page.expect_text("<a href=\"https://code.example/\"><bdi>Code</bdi>")
            .expect_text("<a href=\"/blogs/1/\"><bdi>Imprint</bdi>");
    }
    site.guest().page("/blogs/?tag=birds").await.expect_text("aria-current=\"page\"><bdi>Birds</bdi>");
}

#[actix_web::test]
async fn menu_error_quotes_the_line() {
    let site = TestSite::start().await;
    let olga = site.staff("olga", "owner").await;
    let page = olga.submit(SETTINGS, &[("site_menu", "About /about/\nBad javascript:alert(1)")]).await.expect(400);
    page.expect_text("in place of “Bad javascript:alert(1)”").expect_text("About /about/\nBad");
    olga.submit(SETTINGS, &[("site_menu", &"A /a/\n".repeat(9))]).await.expect(400).expect_text("up to 8 links");
}

#[actix_web::test]
async fn settings_offer_pages_and_tags_for_menus() {
    let (_site, olga, _) = site_with_page().await;
    create(&olga, json!({ "title": "Herons", "tags": ["grey-herons"] })).await;
    let page = olga.page(SETTINGS).await.expect_text("<code dir=\"auto\">Imprint /blogs/1/imprint/</code>");
    for menu in ["site_menu", "footer_menu"] {
        let list = page.text.split("<ul ").find(|list| list.contains(&format!("data-add-to=\"{menu}\""))).unwrap();
        assert!(list.contains("<button type=\"button\" value=\"Imprint /blogs/1/imprint/\""), "{list}");
        assert!(list.contains("value=\"grey-herons /blogs/?tag=grey-herons\" dir=\"auto\">#grey-herons<"), "{list}");
        assert!(!list.contains("legal"), "{list}");
    }
}

#[actix_web::test]
async fn search_engines_follow_links_of_staff_only() {
    let site = TestSite::start().await;
    let (olga, ann) = (site.staff("olga", "owner").await, site.user("ann").await);
    for (author, rel) in [(&olga, "noopener"), (&ann, "nofollow ugc noopener")] {
        let post = author.write("Links", "[Herons](https://heron.example/)").await;
        let html = format!("<a href=\"https://heron.example/\" rel=\"{rel}\">");
        site.guest().page(&format!("/blogs/{post}/")).await.expect_text(&html);
    }
    olga.submit(SETTINGS, &[("site_footer", "[Herons](https://heron.example/)")]).await.expect(303);
    site.guest().page("/users/login/").await.expect_text("<a href=\"https://heron.example/\" rel=\"noopener\">");
}
