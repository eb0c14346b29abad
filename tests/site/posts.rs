//! Posts: create, read, list, edit and delete.

use chrono::TimeDelta;
use serde_json::{Value, json};

use crate::support::{Actor, TestSite, minutes};

#[actix_web::test]
async fn creates_reads_updates_and_deletes_a_post() {
    let site = TestSite::start().await;
    let ann = site.user("ann").await;
    let content = "سلام 👩‍💻\r\n\n  <u>not bold</u> & \"quoted\"\n";
    let post = ann.post("/blogs/create/", &json!({ "title": " A title ", "content": content })).await.expect(201);
    assert_eq!(post.header("location"), "/blogs/1/");
    let mut expected = json!({
        "id": 1, "title": "A title", "slug": "a-title", "status": "published", "tags": [], "version": 1,
        "is_page": false, "accepts_ratings": true,
        "language": null,
        "content": content, "author": { "id": 1, "username": "ann" },
        "content_html": "<p>سلام 👩‍💻</p>\n<p>&lt;u&gt;not bold&lt;/u&gt; &amp; \"quoted\"</p>\n",
        "created_at": "2026-01-01T12:00:00Z", "updated_at": "2026-01-01T12:00:00Z",
        "published_at": "2026-01-01T12:00:00Z",
        "average_rating": 0.0, "rating_count": 0, "steady_rating": null, "steady_weight": 0.0, "my_rating": null,
        "unsafe_links": [],
    });
    assert_eq!(post.json(), expected);
    // Only the author sees `unsafe_links`.
    expected.as_object_mut().unwrap().remove("unsafe_links");
    assert_eq!(site.guest().get("/blogs/1/").await.expect(200).json(), expected);
    let page = site.guest().page("/blogs/1/").await.expect(200);
    page.expect_text("&lt;u&gt;not bold&lt;/u&gt; &amp;").expect_no_text("<u>not bold");

    site.advance_clock(minutes(1));
    let changed = ann.post("/blogs/1/edit/", &json!({ "title": "B", "content": "New." })).await.expect(200).json();
    assert_eq!((changed["title"].as_str(), changed["updated_at"].as_str()), (Some("B"), Some("2026-01-01T12:01:00Z")));
    assert_eq!(changed["created_at"], "2026-01-01T12:00:00Z");

    ann.post("/blogs/1/delete/", &json!({})).await.expect(204);
    for path in ["/blogs/1/", "/rate/get_blog_rating/1/", "/blogs/1/edit/"] {
        ann.get(path).await.expect_problem(404, "not_found");
    }
    ann.rate(1, 3).await.expect_problem(404, "not_found");
}

#[actix_web::test]
async fn forms_change_posts_and_confirm_it() {
    let site = TestSite::start().await;
    let ann = site.user("ann").await;
    ann.submit("/blogs/create/", &[("title", "T"), ("content", "a\r\nb")]).await.expect_redirect("/blogs/1/t/");
    ann.page("/blogs/1/").await.expect_text(">http://127.0.0.1:8000/blogs/1/").expect_text("a\nb");
    ann.page("/blogs/1/edit/").await.expect_text("a\nb</textarea>");
    ann.submit("/blogs/1/edit/", &[("title", "U"), ("content", "c")]).await.expect_redirect("/blogs/1/u/");
    ann.page("/blogs/1/").await.expect_text("Changes saved.").expect_text("<h1>U</h1>");
    ann.page("/blogs/1/delete/").await.expect_text("This post has no ratings.");
    ann.submit("/blogs/1/delete/", &[]).await.expect_redirect("/blogs/deleted/");
    ann.page("/blogs/deleted/").await.expect_text("Post deleted.");
}

#[actix_web::test]
async fn rejected_post_keeps_the_input() {
    let site = TestSite::start().await;
    let ann = site.user("ann").await;
    let page = ann.submit("/blogs/create/", &[("title", ""), ("content", "My long text")]).await.expect(400);
    page.expect_text("Enter a title.").expect_text("My long text</textarea>").expect_text("<title>Error: ");
    let page = ann.submit("/blogs/create/", &[("title", &"x".repeat(256)), ("content", " ")]).await.expect(400);
    for invisible in ["\u{200b}", "\u{ad}\u{3164}", " \u{feff} "] {
        let problem = ann.post("/blogs/create/", &json!({ "title": invisible, "content": invisible })).await;
        let problem = problem.expect_problem(400, "invalid").json();
        assert!(problem["errors"]["title"].is_array() && problem["errors"]["content"].is_array());
    }
    page.expect_text("256").expect_text("Enter some text.").expect_text(&"x".repeat(256));
    let long = "ک".repeat(131_073);
    let problem =
        ann.post("/blogs/create/", &json!({ "title": "T", "content": long })).await.expect_problem(400, "invalid");
    assert_eq!(problem.json()["errors"]["content"][0], "This is 262,146 bytes long. Use at most 262,144 bytes.");
    let longest = "ک".repeat(131_072);
    ann.submit("/blogs/create/", &[("title", "T"), ("content", &longest)]).await.expect_redirect("/blogs/1/t/");
    let huge = "x".repeat(2_000_000);
    ann.submit("/blogs/create/", &[("title", "T"), ("content", &huge)])
        .await
        .expect(413)
        .expect_text("Request too large");
}

async fn ids(actor: &Actor, path: &str) -> (Vec<i64>, Value) {
    let list = actor.get(path).await.expect(200).json();
    let ids = list["results"].as_array().unwrap().iter().map(|post| post["id"].as_i64().unwrap());
    (ids.collect(), list)
}

#[actix_web::test]
async fn lists_page_in_both_directions_without_gaps_or_repeats() {
    let site = TestSite::start().await;
    let ann = site.user("ann").await;
    for number in 1..=45 {
        ann.write(&format!("Post {number}"), "Text.").await;
        // Every other post shares its timestamp with the next one, so that the ID must break ties.
        site.advance_clock(minutes(number % 2));
    }
    let (guest, descending) = (site.guest(), |from: i64, to: i64| (to..=from).rev().collect::<Vec<i64>>());
    for base in ["/blogs/", "/users/ann/", "/blogs/?order=top"] {
        let list_of = |list: Value| if base == "/users/ann/" { list["posts"].clone() } else { list };
        let mut path = base.to_owned();
        let mut pages = Vec::new();
        loop {
            let list = list_of(guest.get(&path).await.expect(200).json());
            let results = list["results"].as_array().unwrap().clone();
            pages.push((
                path,
                results.iter().map(|post| post["id"].as_i64().unwrap()).collect::<Vec<_>>(),
                list.clone(),
            ));
            let Some(next) = list["next"].as_str() else { break };
            path = next.to_owned();
        }
        let seen: Vec<&[i64]> = pages.iter().map(|(_, ids, _)| ids.as_slice()).collect();
        assert_eq!(seen, [descending(45, 26), descending(25, 6), descending(5, 1)], "{base}");
        let second = list_of(guest.get(pages[2].2["previous"].as_str().unwrap()).await.expect(200).json());
        assert_eq!(second["results"], pages[1].2["results"]);
        let first = list_of(guest.get(second["previous"].as_str().unwrap()).await.expect(200).json());
        assert_eq!((&first["results"], &first["previous"]), (&pages[0].2["results"], &Value::Null));
        assert_eq!(pages[0].2["previous"], Value::Null);
    }
    let answer = guest.get("/blogs/").await;
    let next = answer.json()["next"].as_str().unwrap().to_owned();
    assert_eq!(answer.header("link"), format!("<{next}>; rel=\"next\""));
    guest.page(&next).await.expect(200).expect_text("rel=\"prev\"").expect_text("rel=\"next\"");
    assert_eq!(ids(&guest, "/").await.0, descending(45, 26));
}

#[actix_web::test]
async fn rejects_forged_cursors_and_unknown_orders() {
    let site = TestSite::start().await;
    let ann = site.user("ann").await;
    for _ in 0..21 {
        ann.write("T", "t").await;
    }
    let next = ann.get("/blogs/").await.json()["next"].as_str().unwrap().to_owned();
    let last = next.chars().last().unwrap();
    let forged = format!("{}{}", &next[..next.len() - 1], if last == 'A' { 'Q' } else { 'A' });
    for path in [&forged, "/blogs/?cursor=-1", "/blogs/?cursor=a&cursor=b", &format!("{next}&order=top")] {
        ann.get(path).await.expect_problem(400, "malformed");
    }
    ann.get("/blogs/?order=worst").await.expect_problem(400, "invalid");
    for ignored in ["utm_source=letter", "x=1&x=2", "x=%ff", "%ff=1", "cursor=", &"x=1&".repeat(100)] {
        ann.get(&format!("/blogs/?{ignored}")).await.expect(200);
    }
}

#[actix_web::test]
async fn lists_show_excerpt_average_and_own_rating() {
    let site = TestSite::start().await;
    let (ann, ben, cy) = (site.user("ann").await, site.user("ben").await, site.user("cy").await);
    let post = ann.write("T", &"word ".repeat(100)).await;
    ben.rate(post, 4).await.expect(201);
    cy.rate(post, 1).await.expect(201);
    let (_, list) = ids(&ben, "/blogs/").await;
    let first = &list["results"][0];
    assert_eq!(
        (first["average_rating"].as_f64(), first["rating_count"].as_i64(), first["my_rating"].as_i64()),
        (Some(2.5), Some(2), Some(4))
    );
    assert!(first["excerpt"].as_str().unwrap().chars().count() <= 280 && first["content"].is_null());
    ben.page("/blogs/")
        .await
        .expect_text("2.5 ★ · 2 ratings")
        .expect_text("few ratings yet")
        .expect_text("Your rating: 4 ★");
    for (reader, stars) in site.many_users(3).await.iter().zip([1, 1, 1]) {
        reader.rate(post, stars).await.expect(201);
    }
    ben.page("/blogs/").await.expect_text("1.6 ★ · 5 ratings").expect_text("<svg width=\"32.0\"");
    site.guest().page("/blogs/").await.expect_no_text("Your rating");
}

#[actix_web::test]
async fn top_order_requires_enough_ratings() {
    let site = TestSite::start_with(&[("RATING_LIMITER", "off")], 1).await;
    let ann = site.user("ann").await;
    let (once, often, bad) = (ann.write("Once", "t").await, ann.write("Often", "t").await, ann.write("Bad", "t").await);
    let crowd = site.many_users(12).await;
    crowd[0].rate(once, 5).await.expect(201);
    // Two users rate per day, because more ratings on one day would not weigh more in the score.
    for pair in crowd.chunks(2) {
        for reader in pair {
            reader.rate(often, 4).await.expect(201);
            reader.rate(bad, 2).await.expect(201);
        }
        site.advance_clock(TimeDelta::days(1));
    }
    assert_eq!(ids(&ann, "/blogs/?order=top").await.0, [often, once, bad]);
}

#[actix_web::test]
async fn profile_shows_the_author_and_own_posts() {
    let site = TestSite::start().await;
    let author = site.user("نیلوفر").await;
    let post = author.write("T", "t").await;
    site.post("ann").await;
    let path = "/users/%D9%86%DB%8C%D9%84%D9%88%D9%81%D8%B1/";
    let profile = site.guest().get(path).await.expect(200).json();
    assert_eq!((profile["username"].as_str(), profile["email"].is_null()), (Some("نیلوفر"), true));
    assert_eq!(profile["posts"]["results"].as_array().unwrap().len(), 1);
    assert_eq!(profile["posts"]["results"][0]["id"], post);
    site.guest().page("/").await.expect_text(&format!("href=\"{path}\""));
    site.user("silent").await;
    site.guest().page("/users/SILENT/").await.expect(200).expect_text("No posts yet.");
    site.guest().page("/users/nobody/").await.expect(404);
    assert_eq!(
        site.guest().page_without_redirect(path.trim_end_matches('/')).await.expect(308).header("location"),
        path
    );
}

async fn write_with_tags(author: &Actor, title: &str, tags: &[&str], fields: Value) {
    let mut post = json!({ "title": title, "content": "Text.", "tags": tags });
    post.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    author.post("/blogs/create/", &post).await.expect(201);
}

#[actix_web::test]
async fn tag_index_counts_published_posts() {
    let site = TestSite::start().await;
    let olga = site.staff("olga", "owner").await;
    write_with_tags(&olga, "Herons", &["sea", "école"], json!({})).await;
    write_with_tags(&olga, "Storks", &["farm", "sea"], json!({})).await;
    write_with_tags(&olga, "Imprint", &["legal"], json!({ "is_page": true })).await;
    write_with_tags(&olga, "Owls", &["sea", "night"], json!({ "status": "draft" })).await;
    let index = site.guest().get("/blogs/tags/").await.expect(200).json();
    let tags = json!([{ "tag": "école", "posts": 1 }, { "tag": "farm", "posts": 1 }, { "tag": "sea", "posts": 2 }]);
    assert_eq!(index, json!({ "results": tags }));
    let page = site.guest().page("/blogs/tags/").await.expect(200);
    page.expect_text("<a href=\"/blogs/?tag=sea\" rel=\"tag\"><bdi>#sea</bdi>").expect_text("2 posts");
    site.guest().page("/").await.expect_text("<a href=\"/blogs/tags/\">All tags</a>");
}

#[actix_web::test]
async fn introduction_for_signed_in_readers_has_tags_and_no_invitation_to_register() {
    let site = TestSite::start_with(&[("SITE_DESCRIPTION", "Birds and ships.")], 1).await;
    let ann = site.user("ann").await;
    write_with_tags(&ann, "Herons", &["sea"], json!({})).await;
    site.guest().page("/").await.expect_text("class=\"join\"");
    let page = ann.page("/").await.expect_text("<p class=\"tagline\" dir=\"auto\">Birds and ships.</p>");
    page.expect_text("<a href=\"/blogs/tags/\">All tags</a>").expect_no_text("class=\"join\"");
}

#[actix_web::test]
async fn later_pages_link_to_the_first_page() {
    let site = TestSite::start().await;
    let ann = site.user("ann").await;
    for number in 1..=21 {
        ann.write(&format!("Post {number}"), "Text.").await;
    }
    let first = site.guest().get("/blogs/?order=top").await.expect(200).json();
    let next = first["next"].as_str().unwrap();
    site.guest().page(next).await.expect_text("<a href=\"/blogs/?order=top\">First page</a>");
    site.guest().page("/blogs/?order=top").await.expect_no_text("First page");
}
