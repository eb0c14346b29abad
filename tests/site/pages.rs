//! Snapshots of whole pages, so that the effect of a template change is visible in review.

use insta::{Settings, assert_snapshot};

use crate::support::{TestResponse, TestSite, minutes, reachable_tempdir};

/// Compares a page with its snapshot, without values that differ between runs and without the shared head.
fn assert_page(name: &str, page: &TestResponse) {
    let mut settings = Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.add_filter(r"\?v=[\w-]{16}", "?v=HASH");
    settings.add_filter(r"ID <code>[0-9a-f]{16}</code>", "ID <code>ID</code>");
    settings.add_filter(r"cursor=[\w-]+", "cursor=CURSOR");
    settings.add_filter(r"once=[0-9a-f]{32}", "once=KEY");
    let (head, body) = page.text.split_once("</defs></svg>\n").unwrap();
    let title = head.lines().find(|line| line.starts_with("<title>"));
    let text: Vec<&str> =
        title.into_iter().chain(body.lines().map(str::trim_end)).filter(|line| !line.is_empty()).collect();
    settings.bind(|| assert_snapshot!(name, text.join("\n")));
}

#[actix_web::test]
async fn pages_look_as_they_were_reviewed() {
    let site = TestSite::start().await;
    let (guest, ann, ben) = (site.guest(), site.user("ann").await, site.user("نیلوفر").await);
    assert_page("list_empty", &guest.page("/").await);
    let post =
        ann.write("On keels", "First paragraph,\nin two lines.\n\nپاراگراف دوم.\n\n<script>alert(1)</script>").await;
    site.advance_clock(minutes(60 * 24));
    ben.rate(post, 4).await.expect(201);
    ben.write("دربارهٔ قایق‌ها", "متن کوتاه.").await;
    assert_page("list_guest", &guest.page("/blogs/").await);
    assert_page("list_reader", &ben.page("/blogs/?order=top").await);
    assert_page("post_guest", &guest.page("/blogs/1/").await);
    assert_page("post_author", &ann.page("/blogs/1/").await);
    assert_page("post_rated", &ben.page("/blogs/1/").await);
    assert_page("post_unrated", &ann.page("/blogs/2/").await);
    assert_page("profile", &guest.page("/users/ann/").await);
    assert_page("write", &ann.page("/blogs/create/").await);
    assert_page("write_rejected", &ann.submit("/blogs/create/", &[("title", ""), ("content", "Kept & safe")]).await);
    assert_page("edit", &ann.page("/blogs/1/edit/").await);
    assert_page("delete", &ann.page("/blogs/1/delete/").await);
    assert_page("register", &guest.page("/users/register/?next=/blogs/1/?stars%3D4").await);
    assert_page("login_rejected", &guest.submit("/users/login/", &[("username", "ann"), ("password", "wrong")]).await);
    assert_page("password_change", &ann.page("/users/password_change/").await);
    assert_page("not_found", &guest.page("/nowhere/").await);
}

#[actix_web::test]
async fn site_name_is_shown_everywhere() {
    let dir = reachable_tempdir();
    let (logo, mail) = (dir.path().join("logo.svg"), format!("file:{}", dir.path().join("mail").display()));
    std::fs::write(&logo, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 1 1\"/>").unwrap();
    let settings = [
        ("SITE_NAME", "Heron & Sons"),
        ("SITE_DESCRIPTION", "Birds, and <i>nothing</i> else."),
        ("SITE_FOOTER", "[Imprint](https://heron.example/imprint)"),
        ("SITE_LOGO", logo.to_str().unwrap()),
        ("SMTP_URL", &mail),
    ];
    let site = TestSite::start_with(&settings, 1).await;
    let (ann, guest) = (site.user("ann").await, site.guest());
    let post = ann.write("Herons", "stand and wait").await;
    let paths = [
        "/",
        "/blogs/?order=top",
        "/blogs/?q=herons",
        "/feeds/atom/",
        "/feeds/atom/?author=ann",
        "/feeds/json/",
        "/users/ann/",
        "/users/login/",
        "/users/register/",
        "/users/password_reset/",
        "/rate/classes/",
        "/nothing/",
        &format!("/blogs/{post}/"),
        &format!("/blogs/{post}/ratings/"),
    ];
    for path in paths.into_iter().chain(["/users/account/", "/blogs/create/", "/users/delete/", "/rate/mine/"]) {
        let page = if path.contains("account") { ann.page(path).await } else { guest.page(path).await };
        assert!(
            !page.text.to_lowercase().contains("evenkeel") && !page.text.contains("A blog with ratings that resist"),
            "{path}: {}",
            page.text
        );
    }
    let page = guest.page("/").await;
    let page = page
        .expect_text("<title>Latest posts · Heron &#38; Sons</title>")
        .expect_text("href=\"https://heron.example/imprint\"");
    let page = page.expect_text("Birds, and &#60;i&#62;nothing&#60;/i&#62; else.");
    let logo = page.text.split("<img src=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    let file = guest.page(&logo).await.expect(200);
    assert_eq!(
        (file.header("content-type"), file.header("cache-control")),
        ("image/svg+xml; charset=utf-8", "public, max-age=31536000, immutable")
    );
    assert_eq!(guest.get("/feeds/json/").await.json()["title"], "Heron & Sons");
    site.site().state.mail_delivery.as_ref().unwrap().send_due_mail().await.unwrap();
    let sent = std::fs::read_dir(dir.path().join("mail")).unwrap().next().unwrap().unwrap().path();
    let sent = std::fs::read_to_string(sent).unwrap();
    assert!(
        sent.contains("Heron & Sons") && !sent.to_lowercase().replace("evenkeel@localhost", "").contains("evenkeel"),
        "{sent}"
    );
    TestSite::start().await.guest().get("/static/logo").await.expect(404);
}

#[actix_web::test]
async fn user_input_is_not_interpreted_as_a_template() {
    const TYPED: &str = "{{ 7*7 }} {% if x %} { $count } { 7 }";
    let site = TestSite::start().await;
    let ann = site.user("ann").await;
    let post = ann.write(TYPED, TYPED).await;
    let page = ann.page(&format!("/blogs/{post}/7-7-if-x-count-7/")).await.expect(200);
    page.expect_text(&format!("<h1>{TYPED}</h1>")).expect_text(&format!("<p>{TYPED}</p>"));
    // The search query is interpolated into a translated message and must not be parsed as a Fluent placeable.
    site.guest().page("/blogs/?q=%7B+%24count+%7D").await.expect(200).expect_text("{ $count }");
}
