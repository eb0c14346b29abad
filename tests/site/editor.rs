//! Markdown, drafts, tags, versions, slugs and scheduling of posts.

use evenkeel::blog_posts::schedule::publish_due_drafts;
use futures_util::future::join_all;
use futures_util::join;
use serde_json::{Value, json};

use crate::support::{Actor, TestSite, minutes};

#[actix_web::test]
async fn text_is_rendered_once_when_saved() {
    let site = TestSite::start().await;
    let ann = site.user("ann").await;
    let content = "# One\n\n**bold** <u>raw</u> ![cat](https://e.example/cat.png)\n\n```rust\nfn main() {}\n```\n\n## Two\n\n|a|\n|-|\n|1|\n\n### Three\n\n[x](javascript:alert(1)) [y](https://e.example)\n";
    let post = ann.post("/blogs/create/", &json!({ "title": "T", "content": content })).await.expect(201).json();
    assert_eq!(post["content"], content);
    let html = post["content_html"].as_str().unwrap();
    for part in [
        "<h2 id=\"one\">One</h2>",
        "<strong>bold</strong> &lt;u&gt;raw&lt;/u&gt;",
        "<a href=\"https://e.example/cat.png\" rel=\"nofollow ugc noopener\">Image: cat</a>",
        "<span class=\"k\">fn </span>",
        "<td>1</td>",
    ] {
        assert!(html.contains(part), "{part} in {html}");
    }
    assert!(!html.contains("javascript:"), "{html}");
    let page = site.guest().page("/blogs/1/t/").await.expect(200).expect_text(html);
    page.expect_text("<a href=\"#three\">Three</a>").expect_no_text("<img").expect_no_text("style=");
}

#[actix_web::test]
async fn bare_urls_and_captions_are_shown_on_pages_and_in_feeds() {
    let site = TestSite::start().await;
    let image = "![A heron](/images/0123456789abcdef0123456789abcdef-12x6.jpg \"Waiting\")";
    site.user("ann").await.write("T", &format!("See https://e.example/a_b.\n\n{image}")).await;
    let link = "<a href=\"https://e.example/a_b\" rel=\"nofollow ugc noopener\">https://e.example/a_b</a>.";
    let caption = "<figcaption>Waiting</figcaption></figure>";
    site.guest().page("/blogs/1/t/").await.expect_text(link).expect_text(caption);
    let html = site.guest().get("/feeds/json/").await.json()["items"][0]["content_html"].clone();
    let html = html.as_str().unwrap();
    assert!(html.contains(link) && html.contains("<figure><img src=\"http") && html.contains(caption), "{html}");
}

#[actix_web::test]
async fn editor_suggests_frequent_tags_of_recent_posts() {
    let site = TestSite::start().await;
    let ann = site.user("ann").await;
    ann.page("/blogs/create/").await.expect_no_text("frequent-tags");
    for (tags, status) in [(["a", "b"], "published"), (["a", "c"], "published"), (["d", "e"], "draft")] {
        let post = json!({ "title": "T", "content": "t", "tags": tags, "status": status });
        ann.post("/blogs/create/", &post).await.expect(201);
    }
    let page = ann.page("/blogs/create/").await.expect(200);
    let list = page.text.split("frequent-tags").nth(1).unwrap().split("</ul>").next().unwrap();
    let tags: Vec<&str> = list.split("value=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert_eq!(tags, ["a", "b", "c"]);
}

#[actix_web::test]
async fn outdated_rendering_is_served_until_one_instance_rerenders_it() {
    let site = TestSite::fresh(&[], 2).await;
    let ann = site.user("ann").await;
    for number in 0..30 {
        ann.write("T", &format!("*{number}*")).await;
    }
    let set = async |change: &'static str| {
        sqlx::query(change).execute(&site.pool).await.unwrap();
    };
    // Makes the posts look as if an older version of the program had rendered them.
    set("update blog_posts set rendered_by = -1, content_html = 'old', excerpt = 'old'").await;
    site.guest().page("/blogs/1/t/").await.expect_text(">old<");
    assert_eq!(site.guest().get("/blogs/1/").await.json()["content_html"], "old");
    // Each post is rendered once, although two instances work simultaneously and their database connections are
    // terminated.
    set("create table written (id bigint)").await;
    set("create function note() returns trigger language plpgsql as
        $$ begin insert into written values (new.id); return new; end $$")
    .await;
    set("create trigger note after update of content_html on blog_posts for each row execute function note()").await;
    let (first, second) = (site.site_of(0).housekeeping(), site.site_of(1).housekeeping());
    let fault = set("select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name = 'evenkeel'");
    join!(first.render_outdated_posts(), second.render_outdated_posts(), fault);
    set("drop trigger note on blog_posts").await;
    let written: Vec<i64> =
        sqlx::query_scalar("select id from written order by id").fetch_all(&site.pool).await.unwrap();
    assert_eq!(written, (1..=30).collect::<Vec<i64>>());
    assert_eq!(site.guest().get("/blogs/8/").await.json()["content_html"], "<p><em>7</em></p>\n");
}

const DRAFT_PATH: &str = "/blogs/1/secret-plans/";

/// Creates the draft "Secret plans", which is post 1. Returns its author.
async fn author_of_a_draft(site: &TestSite) -> Actor {
    let ann = site.user("ann").await;
    let draft = json!({ "title": "Secret plans", "content": "Nobody knows.", "tags": ["hidden"], "status": "draft" });
    let draft = ann.post("/blogs/create/", &draft).await.expect(201).json();
    assert_eq!((&draft["status"], &draft["published_at"]), (&json!("draft"), &Value::Null));
    ann
}

#[actix_web::test]
async fn draft_is_visible_only_to_its_author() {
    let site = TestSite::start().await;
    let (ann, staff) = (author_of_a_draft(&site).await, site.user("ben").await);
    sqlx::query("update users set is_staff = true where username = 'ben'").execute(&site.pool).await.unwrap();
    for visitor in [site.guest(), staff.clone()] {
        for path in ["/blogs/1/", "/rate/get_blog_rating/1/"] {
            visitor.get(path).await.expect_problem(404, "not_found");
        }
        visitor.page(DRAFT_PATH).await.expect(404);
        for path in [
            "/",
            "/blogs/?order=top",
            "/blogs/?tag=hidden",
            "/blogs/?q=secret",
            "/users/ann/",
            "/feeds/atom/",
            "/feeds/json/",
            "/feeds/atom/?author=ann&tag=hidden",
            "/sitemap.xml",
        ] {
            let (page, data) = (visitor.page(path).await.expect(200), visitor.get(path).await.expect(200));
            assert!(!page.text.contains("Secret") && !data.text.contains("Secret"), "{path}");
        }
    }
    for path in ["/blogs/1/edit/", "/blogs/1/delete/"] {
        staff.page(path).await.expect(404);
        staff.submit(path, &[("title", "x"), ("content", "y")]).await;
    }
    staff.get("/blogs/drafts/").await.expect_text("\"results\":[]");
    ann.get("/blogs/drafts/").await.expect_text("Secret plans");
}

#[actix_web::test]
async fn drafts_cannot_be_rated() {
    let site = TestSite::start().await;
    let (ann, ben) = (author_of_a_draft(&site).await, site.staff("ben", "moderator").await);
    ben.rate(1, 5).await.expect_problem(404, "not_found");
    ann.rate(1, 5).await.expect_problem(404, "not_found");
    let publish = json!({ "title": "Open plans", "content": "Now.", "status": "published" });
    ann.post("/blogs/1/edit/", &publish).await.expect(200);
    ben.rate(1, 5).await.expect(201);
}

#[actix_web::test]
async fn page_of_a_draft_is_neither_cached_nor_indexed() {
    let site = TestSite::start().await;
    let ann = author_of_a_draft(&site).await;
    ann.page("/blogs/drafts/").await.expect_text("href=\"/blogs/1/edit/\"");
    let redirect = ann.page_without_redirect("/blogs/1/").await.expect(308);
    assert_eq!(
        (redirect.header("cache-control"), redirect.header("vary")),
        ("no-store", "Accept, Accept-Language, Cookie")
    );
    ann.page("/blogs/1/").await.expect_text("This is a draft.").expect_text("noindex").expect_no_text("ld+json");
}

#[actix_web::test]
async fn browser_saves_only_own_drafts_that_wait_for_nothing() {
    let site = TestSite::start_with(&[("PUBLISHING", "reviewed")], 1).await;
    let (ann, mia) = (site.user("ann").await, site.staff("mia", "moderator").await);
    let autosaved = "data-draft=\"true\"";
    ann.page("/blogs/create/").await.expect(200).expect_text(autosaved);
    let draft = json!({ "title": "Herons", "content": "They stand.", "status": "draft" });
    ann.post("/blogs/create/", &draft).await.expect(201);
    ann.page("/blogs/1/edit/").await.expect(200).expect_text(autosaved);
    let outdated = [("title", "Herons"), ("content", "They fly."), ("status", "draft"), ("version", "9")];
    ann.submit("/blogs/1/edit/", &outdated).await.expect(409).expect_no_text(autosaved);
    ann.post("/blogs/1/publish/", &json!({})).await.expect(200);
    ann.page("/blogs/1/edit/").await.expect(200).expect_no_text(autosaved);
    mia.page("/blogs/1/edit/").await.expect(200).expect_no_text(autosaved);
    mia.post("/blogs/1/publish/", &json!({})).await.expect(200);
    mia.page("/blogs/1/edit/").await.expect(200).expect_no_text(autosaved);
    let scheduled = json!({ "title": "Later", "content": "t", "publish_at": "2026-06-01T12:00:00Z" });
    mia.post("/blogs/create/", &scheduled).await.expect(201);
    mia.page("/blogs/2/edit/").await.expect(200).expect_no_text(autosaved);
}

#[actix_web::test]
async fn edit_publishes_a_draft_but_does_not_unpublish_a_post() {
    let site = TestSite::start().await;
    let ann = author_of_a_draft(&site).await;
    site.advance_clock(minutes(1));
    let change = json!({ "title": "Secret plans", "content": "Soon." });
    assert_eq!(ann.post("/blogs/1/edit/", &change).await.expect(200).json()["status"], "draft");
    let publish = json!({ "title": "Open plans", "content": "Now.", "status": "published" });
    let published = ann.post("/blogs/1/edit/", &publish).await.expect(200).json();
    assert_eq!((&published["published_at"], &published["tags"]), (&json!("2026-01-01T12:01:00Z"), &json!(["hidden"])));
    let unpublish = json!({ "title": "T", "content": "t", "status": "draft" });
    ann.post("/blogs/1/edit/", &unpublish).await.expect_problem(400, "invalid");
    site.guest().get("/blogs/?q=plans").await.expect_text("Open plans");
}

fn edit_form(content: &'static str, version: &'static str) -> [(&'static str, &'static str); 5] {
    [("title", "T"), ("content", content), ("tags", ""), ("version", version), ("status", "published")]
}

#[actix_web::test]
async fn edit_conflict_shows_both_versions() {
    let site = TestSite::start().await;
    let ann = site.user("ann").await;
    ann.write("T", "first").await;
    ann.page("/blogs/1/edit/").await.expect_text("name=\"version\" value=\"1\"");
    let saved = [("title", "Another T"), ("content", "from one window"), ("version", "1")];
    ann.submit("/blogs/1/edit/", &saved).await.expect(303);
    let page = ann.submit("/blogs/1/edit/", &edit_form("from the other", "1")).await.expect(409);
    let page =
        page.expect_text("It was saved elsewhere after you started editing").expect_text("from one window</textarea>");
    let saved_line = "<tr class=\"theirs\"><td>−<span class=\"hidden\"> only in the saved version:</span></td><td dir=\"auto\">from one window</td>";
    let title_lines = "only in the saved version:</span></td><td dir=\"auto\">Another T</td></tr>\n<tr class=\"mine\"><td>+<span class=\"hidden\"> only in your version:</span></td><td dir=\"auto\">T</td>";
    let page = page.expect_text(saved_line).expect_text("Use saved version").expect_text(title_lines);
    let page = page.expect_text("1 January 2026 at 12:00 UTC");
    page.expect_text("from the other</textarea>").expect_text("name=\"version\" value=\"2\"");
    let problem = ann.post("/blogs/1/edit/", &json!({ "title": "T", "content": "x", "version": 1 })).await;
    problem.expect_problem(409, "conflict");
    assert_eq!(site.guest().get("/blogs/1/").await.json()["content"], "from one window");
    ann.submit("/blogs/1/edit/", &edit_form("from the other", "2")).await.expect(303);
}

#[actix_web::test]
async fn repetition_of_a_save_is_no_conflict() {
    let site = TestSite::start().await;
    let ann = author_of_a_draft(&site).await;
    let save =
        [("title", "T"), ("content", "x"), ("tags", "Grey Herons, #Birds,"), ("version", "1"), ("status", "draft")];
    for _ in 0..2 {
        ann.submit("/blogs/1/edit/", &save).await.expect(303);
    }
    assert_eq!(ann.get("/blogs/1/").await.expect(200).json()["version"], 2);
}

#[actix_web::test]
async fn edit_without_a_version_replaces_the_latest_one() {
    let site = TestSite::start().await;
    let ann = site.user("ann").await;
    ann.write("T", "first").await;
    ann.submit("/blogs/1/edit/", &edit_form("second", "1")).await.expect(303);
    let post = ann.post("/blogs/1/edit/", &json!({ "title": "T", "content": "x" })).await.expect(200).json();
    assert_eq!((&post["content"], &post["version"]), (&json!("x"), &json!(3)));
}

#[actix_web::test]
async fn edit_with_an_invalid_version_keeps_the_input() {
    let site = TestSite::start().await;
    let ann = site.user("ann").await;
    ann.write("T", "first").await;
    for version in ["0", "-1", "x", "2147483648"] {
        ann.submit("/blogs/1/edit/", &edit_form("y", version)).await.expect(400).expect_text("y</textarea>");
    }
}

#[actix_web::test]
async fn one_of_many_concurrent_edits_of_a_version_succeeds() {
    let site = TestSite::start().await;
    let ann = site.user("ann").await;
    ann.write("T", "first").await;
    let edits = (0..20).map(|number| {
        let ann = ann.clone();
        async move {
            let body = json!({ "title": "T", "content": format!("{number}"), "version": 1 });
            ann.post("/blogs/1/edit/", &body).await.status.as_u16()
        }
    });
    let statuses = join_all(edits).await;
    assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 1, "{statuses:?}");
}

#[actix_web::test]
async fn url_contains_the_title_and_is_resolved_by_id() {
    let site = TestSite::start().await;
    let ann = site.user("ann").await;
    let post = ann.write("سلام دنیا", "t").await;
    let path = format!("/blogs/{post}/%D8%B3%D9%84%D8%A7%D9%85-%D8%AF%D9%86%DB%8C%D8%A7/");
    let guest = site.guest();
    for old in [format!("/blogs/{post}/"), format!("/blogs/{post}/another-title/"), format!("/blogs/{post}/%D8%B3/")] {
        // Stars that a reader chose before signing in stay chosen.
        let moved = ann.page_without_redirect(&format!("{old}?stars=4")).await.expect(308);
        assert_eq!(moved.header("location"), format!("{path}?stars=4"));
        let moved = guest.page_without_redirect(&format!("{old}?stars=4")).await.expect(308);
        assert_eq!(moved.header("location"), path);
    }
    let page = guest.page_without_redirect(&path).await.expect(200);
    page.expect_text(&format!("<link rel=\"canonical\" href=\"http://127.0.0.1:8000{path}\">"));
    assert_eq!(guest.get(&format!("/blogs/{post}/")).await.expect(200).json()["slug"], "سلام-دنیا");
    assert_eq!(guest.get(&path).await.expect(308).header("location"), format!("/blogs/{post}/"));
    guest.page(&path.replace("/1/", "/2/")).await.expect(404);
    for (title, slug) in [("Edit", "edit-post"), ("delete", "delete-post"), ("!!!", "post")] {
        let post = ann.write(title, "t").await;
        let page = guest.page_without_redirect(&format!("/blogs/{post}/{slug}/")).await.expect(200);
        page.expect_text(&format!("<h1>{title}</h1>"));
    }
}

#[actix_web::test]
async fn tags_are_normalized_and_link_to_their_posts() {
    let site = TestSite::start().await;
    let ann = site.user("ann").await;
    let fields = [("title", "T"), ("content", "t"), ("tags", "Rust, #web design, rust, برنامه‌نویسی")];
    ann.submit("/blogs/create/", &fields).await.expect(303);
    ann.write("U", "u").await;
    let tags = site.guest().get("/blogs/1/").await.json()["tags"].clone();
    assert_eq!(tags, json!(["rust", "web-design", "برنامه‌نویسی"]));
    for tag in [
        "rust",
        "RUST",
        "%23rust",
        "web+design",
        "%D8%A8%D8%B1%D9%86%D8%A7%D9%85%D9%87%E2%80%8C%D9%86%D9%88%DB%8C%D8%B3%DB%8C",
    ] {
        let list = site.guest().get(&format!("/blogs/?tag={tag}")).await.expect(200).json();
        assert_eq!(list["results"].as_array().unwrap().len(), 1, "{tag}");
    }
    site.guest().page("/blogs/?tag=none").await.expect(200).expect_text("No posts with this tag.");
    site.guest().get("/blogs/?tag=%3Cb%3E").await.expect_problem(400, "invalid");
    let page =
        ann.submit("/blogs/create/", &[("title", "T"), ("content", "kept"), ("tags", "a!, b")]).await.expect(400);
    page.expect_text("isn’t a valid tag").expect_text("kept</textarea>").expect_text("value=\"a!, b\"");
    ann.page("/blogs/1/edit/").await.expect_text("value=\"rust, web-design, برنامه‌نویسی\"");
}

#[actix_web::test]
async fn preview_renders_the_text_and_saves_nothing() {
    let site = TestSite::start().await;
    let ann = site.user("ann").await;
    let fields = [("title", "T"), ("tags", "x"), ("content", "*so* <b>"), ("version", ""), ("status", "draft")];
    let page = ann.submit("/blogs/preview/", &fields).await.expect(200);
    page.expect_text("<em>so</em> &lt;b&gt;")
        .expect_text("*so* &#60;b&#62;</textarea>")
        .expect_text("action=\"/blogs/create/?once=");
    let preview = ann.post("/blogs/preview/", &json!({ "content": "*so*" })).await.expect(200).json();
    assert_eq!(preview["content_html"], "<p><em>so</em></p>\n");
    let untitled = [("title", "Only a title"), ("content", "")];
    ann.submit("/blogs/preview/", &untitled).await.expect(400).expect_text("Only a title");
    assert_eq!(site.count("blog_posts").await, 0);
}

#[actix_web::test]
async fn preview_of_an_edit_keeps_the_post_and_its_version() {
    let site = TestSite::start().await;
    let ann = site.user("ann").await;
    ann.write("Mine", "old").await;
    let edit = [("title", "Mine"), ("content", "new"), ("version", "1")];
    let page = ann.submit("/blogs/preview/?post=1", &edit).await.expect(200);
    page.expect_text("action=\"/blogs/1/edit/\"").expect_text("name=\"version\" value=\"1\"");
    assert_eq!((site.count("blog_posts").await, &ann.get("/blogs/1/").await.json()["content"]), (1, &json!("old")));
}

#[actix_web::test]
async fn preview_requires_sign_in() {
    let site = TestSite::start().await;
    site.post("ann").await;
    site.guest().post("/blogs/preview/", &json!({ "content": "x" })).await.expect(401);
    for (path, next) in [("/blogs/preview/", "/blogs/create/"), ("/blogs/preview/?post=1", "/blogs/1/edit/")] {
        let login = format!("/users/login/?next={next}");
        site.guest().submit(path, &[("content", "x")]).await.expect_redirect(&login);
    }
}

#[actix_web::test]
async fn own_ratings_page_lists_ratings() {
    let site = TestSite::start_with(&[("RATING_LIMITER", "off")], 1).await;
    let (ann, ben) = (site.user("ann").await, site.user("ben").await);
    for number in 1..=51 {
        let post = ann.write(&format!("Post {number}"), "t").await;
        site.advance_clock(minutes(1));
        ben.rate(post, 1 + number % 5).await.expect(201);
    }
    let first = ben.get("/rate/mine/").await.expect(200).json();
    assert_eq!((first["results"].as_array().unwrap().len(), &first["results"][0]["title"]), (50, &json!("Post 51")));
    let second = ben.get(first["next"].as_str().unwrap()).await.expect(200).json();
    assert_eq!((&second["results"][0]["title"], &second["results"][0]["rating"]), (&json!("Post 1"), &json!(2)));
    assert_eq!(ben.get(second["previous"].as_str().unwrap()).await.json()["results"], first["results"]);
    ben.page("/rate/mine/").await.expect_text("<bdi>Post 51</bdi>").expect_text("Next page");
    ann.page("/rate/mine/").await.expect_text("You haven’t rated any posts yet.");
    site.guest().get("/rate/mine/").await.expect(401);
}

#[actix_web::test]
async fn expensive_texts_are_rejected_or_bounded() {
    let site = TestSite::start().await;
    let ann = site.user("ann").await;
    // As HTML tags, these texts would keep PostgreSQL's text search parser busy for minutes.
    for text in ["<!--".repeat(60_000), "<a ".repeat(80_000), "&#".repeat(120_000)] {
        ann.post("/blogs/create/", &json!({ "title": "T", "content": text })).await.expect(201);
    }
    let notes = format!("{}\n\n[^1]: x\n", "[^1]".repeat(60_000));
    let shown = ann.post("/blogs/create/", &json!({ "title": "T", "content": notes })).await.expect(201).json();
    assert!(shown["notice"].as_str().unwrap().contains("shown as typed"));
    ann.submit("/blogs/create/", &[("title", "T"), ("content", &notes)]).await.expect(303);
    ann.page("/").await.expect_text("too many links, footnotes");
    let preview = ann.submit("/blogs/preview/", &[("title", "T"), ("content", &notes)]).await.expect(200);
    preview.expect_text("<p class=\"notice\">The text has too many links, footnotes");
    // A feed contains the first long posts in full and the others as excerpts.
    for _ in 0..12 {
        ann.post("/blogs/create/", &json!({ "title": "Long", "content": "word ".repeat(40_000) })).await.expect(201);
    }
    for path in ["/feeds/atom/", "/feeds/json/"] {
        let feed = site.guest().page(path).await.expect(200);
        assert!(feed.text.len() < 1_500_000, "{}", feed.text.len());
        assert_eq!(feed_rs::parser::parse(feed.text.as_bytes()).unwrap().entries.len(), 17);
    }
}

/// Publishes "Plans", which is post 1, with one rating by the second user. Returns the author and that user.
async fn published_post_with_a_rating(site: &TestSite) -> (Actor, Actor) {
    let (ann, ben) = (site.user("ann").await, site.user("ben").await);
    ann.write("Plans", "Now.").await;
    ben.rate(1, 5).await.expect(201);
    (ann, ben)
}

#[actix_web::test]
async fn publish_button_publishes_a_draft() {
    let site = TestSite::start().await;
    let (ann, ben) = (site.user("ann").await, site.user("ben").await);
    let draft = json!({ "title": "Plans", "content": "Now.", "status": "draft" });
    ann.post("/blogs/create/", &draft).await.expect(201);
    for page in [ann.page("/blogs/drafts/").await, ann.page("/blogs/1/plans/").await] {
        page.expect(200).expect_text("action=\"/blogs/1/publish/\"");
    }
    ben.post("/blogs/1/publish/", &json!({})).await.expect_problem(404, "not_found");
    ann.submit("/blogs/1/publish/", &[]).await.expect_redirect("/blogs/1/plans/");
    ann.page("/blogs/1/plans/")
        .await
        .expect_text("Post published. <a href=\"/blogs/1/plans/\">http://127.0.0.1:8000/blogs/1/plans/</a>");
    let published = ann.get("/blogs/1/").await.expect(200).json();
    assert_eq!(
        (&published["status"], &published["published_at"]),
        (&json!("published"), &json!("2026-01-01T12:00:00Z"))
    );
    let unchanged = ann.post("/blogs/1/publish/", &json!({})).await.expect(200).json();
    assert_eq!((&unchanged["version"], &unchanged["updated_at"]), (&published["version"], &published["updated_at"]));
    site.guest().page("/").await.expect_text("Plans");
}

#[actix_web::test]
async fn unpublished_post_is_hidden() {
    let site = TestSite::start_with(&[("RATING_LIMITER", "off")], 1).await;
    let (ann, ben) = published_post_with_a_rating(&site).await;
    site.guest().page("/").await.expect_text("Plans");
    let page = ann.page("/blogs/1/unpublish/").await.expect(200);
    page.expect_text("Links to it won’t work until")
        .expect_text("1 rating is kept and counts again when the post is republished.");
    ben.page("/blogs/1/unpublish/").await.expect(403);
    ben.post("/blogs/1/unpublish/", &json!({})).await.expect_problem(403, "forbidden");
    site.advance_clock(minutes(5));
    ann.submit("/blogs/1/unpublish/", &[]).await.expect_redirect("/blogs/drafts/");
    ann.page("/blogs/drafts/").await.expect_text("Post unpublished. It’s a draft now.").expect_text("Plans");
    for path in ["/", "/blogs/?order=top", "/blogs/?q=plans", "/users/ann/", "/feeds/atom/", "/sitemap.xml"] {
        assert!(!site.guest().page(path).await.expect(200).text.contains("/plans/"), "{path}");
    }
    site.guest().page("/blogs/1/plans/").await.expect(404);
    ben.get("/rate/get_blog_rating/1/").await.expect(404);
    ben.change_rating(1, 1).await.expect_problem(404, "not_found");
}

#[actix_web::test]
async fn edits_of_an_unpublished_post_are_hidden_from_users_who_rated_it() {
    let site = TestSite::start_with(&[("RATING_LIMITER", "off")], 1).await;
    let (ann, ben) = published_post_with_a_rating(&site).await;
    ann.submit("/blogs/1/unpublish/", &[]).await.expect_redirect("/blogs/drafts/");
    ann.post("/blogs/1/edit/", &json!({ "title": "Secret plans", "content": "t" })).await.expect(200);
    for path in ["/rate/mine/", "/rate/get_user_rating/1/", "/rate/paused/"] {
        assert!(!ben.page(path).await.text.contains("lans") && !ben.get(path).await.text.contains("lans"), "{path}");
    }
    ben.get("/rate/get_user_rating/1/").await.expect_problem(404, "not_found");
}

#[actix_web::test]
async fn republished_post_keeps_its_ratings_and_place_in_lists() {
    let site = TestSite::start_with(&[("RATING_LIMITER", "off")], 1).await;
    let (ann, _ben) = published_post_with_a_rating(&site).await;
    site.advance_clock(minutes(5));
    ann.submit("/blogs/1/unpublish/", &[]).await.expect_redirect("/blogs/drafts/");
    for title in ["Secret plans", "Plans"] {
        ann.post("/blogs/1/edit/", &json!({ "title": title, "content": "t" })).await.expect(200);
    }
    ann.write("Later", "t").await;
    ann.post("/blogs/1/publish/", &json!({})).await.expect(200);
    let list = site.guest().get("/blogs/").await.json();
    let titles: Vec<&str> =
        list["results"].as_array().unwrap().iter().map(|post| post["title"].as_str().unwrap()).collect();
    assert_eq!(titles, ["Later", "Plans"]);
    let post = site.guest().get("/blogs/1/").await.expect(200).json();
    assert_eq!((&post["published_at"], &post["rating_count"]), (&json!("2026-01-01T12:00:00Z"), &json!(1)));
    assert_eq!(site.posts_with_wrong_totals().await, [0; 0]);
}

/// Publishes the drafts that are due, on two instances at the same time.
async fn publish_due(site: &TestSite) {
    let (first, second) = (&site.site_of(0).state, &site.site_of(1).state);
    let (first, second) = join!(publish_due_drafts(first), publish_due_drafts(second));
    first.and(second).unwrap();
}

/// Fields of a post that is scheduled for 12:30 UTC, half an hour after the start of a test.
fn scheduled_post() -> Value {
    json!({ "title": "Plans", "content": "Soon.", "status": "published", "publish_at": "2026-01-01T13:30:00+01:00" })
}

#[actix_web::test]
async fn scheduled_post_is_a_draft_until_its_time() {
    let site = TestSite::start_with(&[], 2).await;
    let ann = site.user("ann").await;
    // A post with a future `publish_at` is a draft until then, even if `status` is "published".
    let draft = ann.post("/blogs/create/", &scheduled_post()).await.expect(201).json();
    assert_eq!((&draft["status"], &draft["publish_at"]), (&json!("draft"), &json!("2026-01-01T12:30:00Z")));
    for page in ["/blogs/drafts/", "/blogs/1/plans/"] {
        ann.page(page).await.expect_text("1 January 2026 at 12:30 UTC").expect_text("Publish now");
    }
    ann.page("/blogs/1/edit/").await.expect_text("value=\"2026-01-01T12:30\"");
    ann.post("/blogs/1/edit/", &json!({ "title": "Plans", "content": "Soon!" })).await.expect(200);
    site.advance_clock(minutes(29));
    publish_due(&site).await;
    site.guest().page("/blogs/1/plans/").await.expect(404);
    for path in ["/", "/blogs/?q=plans", "/users/ann/", "/feeds/json/", "/sitemap.xml"] {
        assert!(!site.guest().page(path).await.text.contains("/plans/"), "{path}");
    }
}

#[actix_web::test]
async fn invalid_publication_times_are_rejected() {
    let site = TestSite::start().await;
    let ann = site.user("ann").await;
    let mut post = scheduled_post();
    ann.post("/blogs/create/", &post).await.expect(201);
    for (time, message) in
        [("2026-01-01T11:59", "in the future"), ("2036-12-01T00:00", "ten years"), ("soon", "such as 2026-01-31T18:00")]
    {
        post["publish_at"] = json!(time);
        let problem = ann.post("/blogs/1/edit/", &post).await.expect_problem(400, "invalid").json();
        assert!(problem["errors"]["publish_at"][0].as_str().unwrap().contains(message), "{problem}");
    }
    let untitled = json!({ "title": "", "content": "t", "publish_at": "2026-01-01T11:59" });
    let problem = ann.post("/blogs/create/", &untitled).await.expect_problem(400, "invalid").json();
    assert_eq!(problem["errors"].as_object().unwrap().len(), 2, "{problem}");
}

#[actix_web::test]
async fn scheduled_draft_is_published_once() {
    let site = TestSite::start_with(&[], 2).await;
    let ann = site.user("ann").await;
    ann.post("/blogs/create/", &scheduled_post()).await.expect(201);
    site.advance_clock(minutes(30));
    // The author saves an edit that began before the scheduled publication: both take effect.
    let edit = json!({ "title": "Plans", "content": "Soon.", "publish_at": "2026-01-01T12:30", "status": "draft" });
    let version = ann.post("/blogs/1/edit/", &edit).await.expect(200).json()["version"].clone();
    publish_due(&site).await;
    let published = site.guest().get("/blogs/1/").await.expect(200).json();
    assert_eq!((&published["status"], &published["publish_at"]), (&json!("published"), &Value::Null));
    assert_eq!(published["published_at"], "2026-01-01T12:30:00Z");
    let edit = json!({ "title": "Plans", "content": "Now.", "version": version, "publish_at": "2026-01-01T12:30" });
    assert_eq!(ann.post("/blogs/1/edit/", &edit).await.expect(200).json()["content"], "Now.");
    let mut scheduled_again = scheduled_post();
    scheduled_again["publish_at"] = json!("2026-01-02T12:00");
    ann.post("/blogs/1/edit/", &scheduled_again).await.expect(400).expect_text("already published");
    site.user("ben").await.rate(1, 5).await.expect(201);
}

#[actix_web::test]
async fn scheduled_publication_can_be_cancelled() {
    let site = TestSite::start_with(&[], 2).await;
    let ann = site.user("ann").await;
    let fields = |time, status| [("title", "T"), ("content", "t"), ("publish_at", time), ("status", status)];
    ann.submit("/blogs/create/", &fields("2026-01-01T13:00", "published")).await.expect_redirect("/blogs/1/t/");
    let message = "Draft saved. The post will be published on 1 January 2026 at 13:00 UTC.";
    ann.page("/blogs/1/t/").await.expect_text(message);
    ann.submit("/blogs/1/edit/", &fields("", "draft")).await.expect_redirect("/blogs/1/t/");
    site.advance_clock(minutes(90));
    publish_due(&site).await;
    assert_eq!(ann.get("/blogs/1/").await.json()["status"], "draft");
}

#[actix_web::test]
async fn post_that_was_unpublished_is_not_published_at_its_scheduled_time() {
    let site = TestSite::start_with(&[], 2).await;
    let ann = site.user("ann").await;
    ann.post("/blogs/create/", &scheduled_post()).await.expect(201);
    ann.post("/blogs/1/publish/", &json!({})).await.expect(200);
    ann.submit("/blogs/1/unpublish/", &[]).await.expect(303);
    site.advance_clock(minutes(230));
    publish_due(&site).await;
    assert_eq!(ann.get("/blogs/1/").await.json()["status"], "draft");
}

#[actix_web::test]
async fn form_input_survives_an_expired_session_without_scripts() {
    let site = TestSite::start().await;
    let ann = site.user("ann").await;
    let post = ann.write("T", "t").await;
    ann.page("/blogs/create/").await.expect_text("<noscript><input type=\"hidden\" name=\"scripts\" value=\"off\">");
    let guest = site.guest();
    let fields = [("title", "Long work"), ("content", "An hour of it."), ("status", "draft"), ("scripts", "off")];
    for path in ["/blogs/create/", &format!("/blogs/{post}/edit/")] {
        let page = guest.submit(path, &fields).await.expect(401).expect_text("An hour of it.");
        page.expect_text("Sign in in another tab").expect_text(&format!("action=\"{path}"));
        // With scripts, the browser stores the text, and the form redirects to the sign-in page.
        guest.submit(path, &fields[..3]).await.expect_redirect(&format!("/users/login/?next={path}"));
    }
    ann.submit("/blogs/create/", &fields).await.expect_redirect("/blogs/2/long-work/");
}

fn post_with_slug_excerpt_and_cover() -> Value {
    json!({ "title": "A title", "content": "The first paragraph.", "slug": "My own",
        "excerpt": "In short: <b>this</b>.", "cover": "https://images.example/a.png" })
}

#[actix_web::test]
async fn authors_can_set_slug_excerpt_and_cover() {
    let site = TestSite::start().await;
    let ann = site.user("ann").await;
    let input = post_with_slug_excerpt_and_cover();
    let post = ann.post("/blogs/create/", &input).await.expect(201).json();
    assert_eq!((&post["slug"], &post["cover"]), (&json!("my-own"), &json!("https://images.example/a.png")));
    assert_eq!(post["excerpt"], input["excerpt"]);
    let page = site.guest().page("/blogs/1/my-own/").await.expect(200);
    let page = page.expect_text("<meta property=\"og:image\" content=\"https://images.example/a.png\">");
    page.expect_text("\"image\":\"https://images.example/a.png\"").expect_no_text("<img");
    let redirect = site.guest().page_without_redirect("/blogs/1/a-title/").await.expect(308);
    assert_eq!(redirect.header("location"), "/blogs/1/my-own/");
    for path in ["/", "/blogs/?q=title", "/users/ann/", "/feeds/atom/", "/sitemap.xml"] {
        assert!(site.guest().page(path).await.expect(200).text.contains("/blogs/1/my-own/"), "{path}");
    }
    let item = site.guest().get("/feeds/json/").await.json()["items"][0].clone();
    assert_eq!((&item["summary"], &item["image"]), (&json!("In short: <b>this</b>."), &input["cover"]));
    site.user("ben").await.rate(1, 5).await.expect(201);
    site.guest().page("/blogs/1/ratings/").await.expect_text("/blogs/1/my-own/");
    ann.write("Next", "t").await;
    site.guest().page("/blogs/2/next/").await.expect_text("href=\"/blogs/1/my-own/\"");
}

#[actix_web::test]
async fn slug_excerpt_and_cover_survive_edits_that_omit_them() {
    let site = TestSite::start().await;
    let ann = site.user("ann").await;
    ann.post("/blogs/create/", &post_with_slug_excerpt_and_cover()).await.expect(201);
    ann.post("/blogs/1/edit/", &json!({ "title": "Another title", "content": "t" })).await.expect(200);
    // A new rendering keeps the slug and the excerpt, too.
    sqlx::query("update blog_posts set rendered_by = -1").execute(&site.pool).await.unwrap();
    site.site().housekeeping().render_outdated_posts().await;
    let post = site.guest().get("/blogs/").await.json()["results"][0].clone();
    assert_eq!((&post["slug"], &post["excerpt"]), (&json!("my-own"), &json!("In short: <b>this</b>.")));
    ann.page("/blogs/1/edit/").await.expect_text("value=\"my-own\"").expect_text("https://images.example/a.png");
}

#[actix_web::test]
async fn empty_slug_excerpt_and_cover_restore_the_defaults() {
    let site = TestSite::start().await;
    let ann = site.user("ann").await;
    let input = post_with_slug_excerpt_and_cover();
    ann.post("/blogs/create/", &input).await.expect(201);
    let form = [("title", "Another title"), ("content", "The text."), ("slug", ""), ("excerpt", ""), ("cover", "")];
    ann.submit("/blogs/1/edit/", &form).await.expect_redirect("/blogs/1/another-title/");
    site.guest().page("/").await.expect_text("The text.");
    ann.post("/blogs/1/edit/", &input).await.expect(200);
    let nulls = json!({ "title": "T", "content": "t", "slug": null, "excerpt": null, "cover": null });
    let post = ann.post("/blogs/1/edit/", &nulls).await.expect(200).json();
    assert_eq!((&post["slug"], &post["cover"]), (&json!("t"), &Value::Null));
}

#[actix_web::test]
async fn invalid_slug_and_cover_are_rejected() {
    let site = TestSite::start().await;
    let ann = site.user("ann").await;
    ann.post("/blogs/create/", &post_with_slug_excerpt_and_cover()).await.expect(201);
    let form = [("title", "T"), ("content", "t"), ("slug", "!"), ("excerpt", "mine"), ("cover", "http://a.example/")];
    let page = ann.submit("/blogs/1/edit/", &form).await.expect(400);
    page.expect_text("id=\"cover-error\"").expect_text("id=\"slug-error\"").expect_text("\nmine</textarea>");
}

#[actix_web::test]
async fn if_match_changes_only_the_version_that_was_read() {
    let site = TestSite::start().await;
    let (ann, path) = (site.user("ann").await, "/blogs/1/edit/");
    ann.write("Herons", "They stand.").await;
    let read = ann.get(path).await.expect(200);
    assert_eq!((read.header("etag"), read.json()["version"].as_str()), ("\"1\"", Some("1")));
    let change = async |tag: &str, content: &str| {
        let body = json!({ "title": "Herons", "content": content });
        ann.send(ann.request("POST", path).header("if-match", tag).json(&body)).await
    };
    assert_eq!(change("\"1\"", "They fly.").await.expect(200).header("etag"), "\"2\"");
    for outdated in ["\"1\"", "W/\"2\"", "\"1\", \"3\""] {
        change(outdated, "They swim.").await.expect_problem(412, "precondition_failed");
    }
    change("2", "They swim.").await.expect_problem(400, "malformed");
    assert_eq!(ann.get("/blogs/1/").await.json()["content"], "They fly.");
    assert_eq!(change("\"1\", \"2\"", "They wade.").await.expect(200).header("etag"), "\"3\"");
    change("*", "They sleep.").await.expect(200);
    // The header also applies to requests without fields.
    let act = async |action: &str, tag: &str| {
        ann.send(ann.request("POST", &format!("/blogs/1/{action}/")).header("if-match", tag).json(&json!({}))).await
    };
    for action in ["unpublish", "publish", "delete"] {
        act(action, "\"3\"").await.expect_problem(412, "precondition_failed");
    }
    assert_eq!(ann.get("/blogs/1/").await.expect(200).json()["status"], "published");
    // Of concurrent changes of one version, one succeeds.
    let (first, second) = join!(change("\"4\"", "One."), change("\"4\"", "Other."));
    let mut statuses = [first.status.as_u16(), second.status.as_u16()];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 412]);
    act("unpublish", "\"5\"").await.expect(204);
    assert_eq!(act("publish", "\"6\"").await.expect(200).header("etag"), "\"7\"");
    let (changed, deleted) = join!(change("\"7\"", "Last."), act("delete", "\"7\""));
    let outcome = (changed.status.as_u16(), deleted.status.as_u16());
    assert!([(200, 412), (404, 204), (412, 204)].contains(&outcome), "{outcome:?}");
}

const TEXT_QUOTA: [(&str, &str); 2] = [("TEXT_QUOTA_MB", "1"), ("RATE_CLASSES", "off")];

fn draft_of_size(bytes: usize) -> Value {
    json!({ "title": "T", "content": "a ".repeat(bytes / 2), "status": "draft" })
}

#[actix_web::test]
async fn texts_of_an_account_have_a_quota() {
    let site = TestSite::start_with(&TEXT_QUOTA, 1).await;
    let ann = site.user("ann").await;
    for _ in 0..4 {
        ann.post("/blogs/create/", &draft_of_size(240_000)).await.expect(201);
    }
    ann.page("/blogs/drafts/")
        .await
        .expect_text("You have 4 of 5,000 posts and drafts. Their texts take 960 kB of 1 MB.");
    let problem = ann.post("/blogs/create/", &draft_of_size(60_000)).await.expect_problem(400, "invalid").json();
    assert!(problem["errors"]["content"][0].as_str().unwrap().contains("960 kB of 1 MB"), "{problem}");
    ann.post("/blogs/1/edit/", &draft_of_size(60_000)).await.expect(200);
    ann.post("/blogs/create/", &draft_of_size(60_000)).await.expect(201);
    ann.post("/blogs/1/edit/", &draft_of_size(260_000)).await.expect_problem(400, "invalid");
}

#[actix_web::test]
async fn concurrent_requests_cannot_exceed_the_text_quota() {
    let site = TestSite::start_with(&TEXT_QUOTA, 1).await;
    let ben = site.user("ben").await;
    let draft = draft_of_size(240_000);
    let answers = join_all((0..10).map(|_| ben.post("/blogs/create/", &draft))).await;
    // On a busy machine, some requests wait too long for a permit to render, and get 503.
    let created = answers.iter().filter(|answer| answer.status == 201).count();
    for _ in created..4 {
        ben.post("/blogs/create/", &draft).await.expect(201);
    }
    assert_eq!(ben.get("/blogs/drafts/").await.json()["results"].as_array().unwrap().len(), 4);
    ben.post("/blogs/create/", &draft).await.expect_problem(400, "invalid");
}

#[actix_web::test]
async fn staff_have_no_text_quota() {
    let site = TestSite::start_with(&TEXT_QUOTA, 1).await;
    let mo = site.staff("mo", "moderator").await;
    for _ in 0..5 {
        mo.post("/blogs/create/", &draft_of_size(240_000)).await.expect(201);
    }
    mo.page("/blogs/drafts/").await.expect_no_text("posts and drafts.");
}

#[actix_web::test]
async fn index_of_a_text_is_bounded() {
    let site = TestSite::start().await;
    let ann = site.user("ann").await;
    let many: Vec<String> = (0..12_000).map(|number| format!("w{number}")).collect();
    let text = format!("{} {}", "x".repeat(65), many.join(" "));
    ann.write("Many words", &text).await;
    let lexemes = sqlx::query_scalar::<_, i32>("select length(search) from blog_posts").fetch_one(&site.pool).await;
    assert!((10_000..10_010).contains(&lexemes.unwrap()));
    ann.get(&format!("/blogs/?q={}", "x".repeat(65))).await.expect_text("\"results\":[]");
    ann.get("/blogs/?q=w9000").await.expect_text("Many words");
}
