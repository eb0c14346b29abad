//! Import of posts from Markdown folders, Ghost exports and `WordPress` exports.

use std::fs;
use std::path::Path;

use evenkeel::db::clock::Clock;
use futures_util::future::join_all;
use image::{ImageFormat, Rgb, RgbImage};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{Actor, PASSWORD, Program, SECRET, TestSite, reachable_tempdir};

/// Starts a site, and returns it with a program that uses its database and image store.
async fn start_site_and_program(dir: &TempDir) -> (TestSite, Program) {
    let images = format!("file:{}", dir.path().join("images").display());
    let site = TestSite::start_with(&[("IMAGE_STORE", &images)], 1).await;
    let program = Program::new(dir.path()).with("DATABASE_URL", &site.lease.url).with("IMAGE_STORE", &images);
    let program = program.with("SECRET_KEY", "q8Zr1fWm5Yt0KcXv7LsD3hPj9BnG2uEa");
    (site, program.with("RUST_LOG", "warn"))
}

fn write(dir: &TempDir, file: &str, content: impl AsRef<[u8]>) {
    let path = dir.path().join(file);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

fn png(red: u8) -> Vec<u8> {
    let mut file = std::io::Cursor::new(Vec::new());
    RgbImage::from_pixel(40, 30, Rgb([red, 0, 0])).write_to(&mut file, ImageFormat::Png).unwrap();
    file.into_inner()
}

/// ID, title and content of all posts, sorted by title.
async fn posts(site: &TestSite) -> Vec<(i64, String, String)> {
    let all = "select id, title, content from blog_posts order by title";
    sqlx::query_as(all).fetch_all(&site.pool).await.unwrap()
}

async fn count_files(folder: &Path) -> usize {
    fs::read_dir(folder).map(Iterator::count).unwrap_or_default()
}

const JEKYLL: &str = "---\ntitle: Hello *boats*\ntags: [Boats, C++]\nauthor: ann\nlang: en\nimage: /assets/a.png\n---\n
![A \\] boat](../assets/a.png) and ![gone](gone.png) and ![elsewhere](https://example.org/x.png)\n\n{{ page.x }}\n";

/// Asserts that each of `lines` is a line of `output`.
#[track_caller]
fn expect_lines(output: &str, lines: &[&str]) {
    for line in lines {
        assert!(output.lines().any(|printed| printed == *line), "{line}\n{output}");
    }
}

/// Writes a folder with four posts, of which two are drafts, one post with invalid front matter, and an image beside
/// the folder, to which a post refers.
fn write_markdown_blog(dir: &TempDir) {
    write(dir, "blog/_posts/2020-01-02-hello.md", JEKYLL);
    write(dir, "blog/assets/a.png", png(1));
    write(
        dir,
        "blog/posts/later/index.md",
        "+++\ntitle = \"Later\"\ndate = 2031-01-02T03:04:05Z\nauthors = [\"ann\"]\n+++\nText",
    );
    write(dir, "blog/_drafts/idea.md", "---\nauthor: ann\n---\n# An idea\n\nText");
    write(dir, "blog/broken.md", "---\ntitle: [\n---\nText");
    write(dir, "blog/README.md", "No front matter");
    write(dir, "secret.png", png(2));
    write(dir, "blog/thief.md", "---\ntitle: Thief\nauthor: ann\ndate: 2020-01-01\n---\n![](../secret.png)");
}

#[actix_web::test]
async fn import_reports_invalid_posts_and_missing_images() {
    let dir = reachable_tempdir();
    let (site, program) = start_site_and_program(&dir).await;
    site.user("ann").await;
    write_markdown_blog(&dir);
    let (succeeded, output) = program.run(&["import", "blog", "--dry-run"]);
    assert!(!succeeded && output.contains("Posts that would be imported: 4, 2 of them as drafts."), "{output}");
    assert_eq!((posts(&site).await.len(), count_files(&dir.path().join("images")).await), (0, 0));

    let (succeeded, output) = program.run(&["import", "blog"]);
    for line in [
        "_posts/2020-01-02-hello.md: template tags that are imported as text: {{ page.x }} (1)",
        "_posts/2020-01-02-hello.md: image not found: gone.png",
        "thief.md: image not found: ../secret.png",
        "broken.md: NOT IMPORTED: front matter: not valid YAML: ",
        "Posts imported: 4, 2 of them as drafts.",
        "Skipped: files without front matter (1).",
        "evenkeel: posts that could not be imported: 1;",
    ] {
        assert!(output.lines().any(|printed| printed.starts_with(line)), "{line}\n{output}");
    }
    assert!(!succeeded);
}

#[actix_web::test]
async fn imports_a_markdown_folder_with_dates_and_images() {
    let dir = reachable_tempdir();
    let (site, program) = start_site_and_program(&dir).await;
    let ann = site.user("ann").await;
    write_markdown_blog(&dir);
    program.run(&["import", "blog"]);
    let all = posts(&site).await;
    let [(idea, ..), (hello, _, content), (later, ..), _] = &all[..] else { panic!("{all:?}") };
    let post = ann.get(&format!("/blogs/{hello}/")).await.expect(200).json();
    assert_eq!(post["title"], "Hello *boats*");
    assert_eq!((&post["status"], &post["slug"]), (&json!("published"), &json!("hello")));
    assert_eq!((&post["tags"], &post["language"]), (&json!(["boats", "c"]), &json!("en")));
    assert_eq!((&post["created_at"], &post["published_at"]), (&json!("2020-01-02T00:00:00Z"), &post["updated_at"]));
    let cover = post["cover"].as_str().unwrap();
    ann.get(cover).await.expect(200);
    assert!(
        content.starts_with(&format!("![A \\] boat]({cover}) and ![gone](gone.png) and ![elsewhere]")),
        "{content}"
    );
    let images = ann.get("/images/").await.expect(200).json();
    let results = images["results"].as_array().unwrap();
    assert_eq!((results.len(), &results[0]["in_use"]), (1, &json!(true)), "{images}");
    let scheduled = ann.get(&format!("/blogs/{later}/")).await.expect(200).json();
    assert_eq!((&scheduled["status"], &scheduled["publish_at"]), (&json!("draft"), &json!("2031-01-02T03:04:05Z")));
    assert_eq!(ann.get(&format!("/blogs/{idea}/")).await.expect(200).json()["status"], "draft");
}

#[actix_web::test]
async fn second_import_adds_only_new_posts() {
    let dir = reachable_tempdir();
    let (site, program) = start_site_and_program(&dir).await;
    site.user("ann").await;
    write_markdown_blog(&dir);
    program.run(&["import", "blog"]);
    write(&dir, "blog/broken.md", "---\ntitle: Mended\nauthor: ann\ndate: 2020-01-03\n---\nText");
    let (succeeded, output) = program.run(&["import", "blog"]);
    let lines: Vec<&str> = output.lines().collect();
    let beginnings = [
        "README.md: skipped: the file has no front matter",
        "_drafts/idea.md: already imported as post ",
        "Posts imported: 1, 0 of them as drafts.",
        "Posts skipped, because they were imported earlier: 4.",
        "Skipped: files without front matter (1).",
    ];
    assert!(succeeded && lines.len() == beginnings.len(), "{output}");
    assert!(lines.iter().zip(beginnings).all(|(line, beginning)| line.starts_with(beginning)), "{output}");
    assert_eq!(posts(&site).await.len(), 5);
}

fn ghost() -> Value {
    json!({ "db": [{ "data": {
        "posts": [
            { "id": "1", "title": "Public", "slug": "public", "status": "published", "visibility": "public",
              "html": "<p>See <a href=\"__GHOST_URL__/b/\">b</a></p><img src=\"__GHOST_URL__/content/images/2020/a.png\" alt=\"A\">",
              "created_at": "2020-01-02T03:04:05.000Z", "published_at": "2020-01-02T03:04:05.000Z" },
            { "id": "2", "title": "Paid", "slug": "paid", "status": "published", "visibility": "paid", "html": "<p>x</p>",
              "created_at": "2020-01-02T03:04:05.000Z", "published_at": "2020-01-02T03:04:05.000Z" },
            { "id": "3", "title": "About", "type": "page", "html": "<p>x</p>" },
        ],
        "users": [{ "id": "u1", "name": "Ann", "slug": "ann" }, { "id": "u2", "name": "Bob", "slug": "bob-the-builder" }],
        "posts_authors": [{ "post_id": "1", "author_id": "u1" }, { "post_id": "2", "author_id": "u2" }],
    } }] })
}

#[actix_web::test]
async fn reports_a_folder_without_markdown_files() {
    let dir = reachable_tempdir();
    let (_site, program) = start_site_and_program(&dir).await;
    write(&dir, "blog/page.html", "<p>Text</p>");
    let (succeeded, output) = program.run(&["import", "blog"]);
    assert!(!succeeded && output.contains("no Markdown files (.md or .markdown) in blog"), "{output}");
}

#[actix_web::test]
async fn imports_a_ghost_export_for_existing_users() {
    let dir = reachable_tempdir();
    let (site, program) = start_site_and_program(&dir).await;
    let ann = site.user("ann").await;
    write(&dir, "ghost.json", ghost().to_string());
    write(&dir, "old/2020/a.png", png(3));
    let (succeeded, output) = program.run(&["import", "ghost.json", "--old-site", "https://old.example"]);
    assert!(!succeeded && output.contains("Author without a user account: bob-the-builder (Bob)\n"), "{output}");
    assert!(
        output.contains("evenkeel: authors without a user account: 1; nothing was imported. Use --author"),
        "{output}"
    );
    assert!(posts(&site).await.is_empty());
    let (succeeded, output) = program.run(&["import", "ghost.json", "--author", "ann"]);
    assert!(
        !succeeded
            && output
                .contains("“Public”: NOT IMPORTED: the post has links or images of the old site, whose URL is unknown"),
        "{output}"
    );
    let complete = ["import", "ghost.json", "--author", "ann", "--old-site", "https://old.example", "--images", "old"];
    let (succeeded, output) = program.run(&complete);
    let lines = "Posts imported: 1, 0 of them as drafts.\nPosts skipped, because they were imported earlier: 2.\n\
        Images imported: 1; not found: 0; on other sites, shown as links: 0.\n\
        Links between posts updated to the new URLs: 0; links to other pages of the old site: 1.\n";
    let about = "“About”: already imported as post 2 (compared by title and slug, because it has no date)\n";
    let link = "“Public”: the link https://old.example/b/ does not lead to an imported post\n";
    assert!(succeeded && output == format!("{about}{link}{lines}"), "{output}");
    let all = posts(&site).await;
    let [(about, ..), (paid, ..), (public, _, content)] = &all[..] else { panic!("{all:?}") };
    assert_eq!(ann.get(&format!("/blogs/{about}/")).await.expect(200).json()["is_page"], true);
    assert!(content.starts_with("See [b](https://old.example/b/)\n\n![A](/images/"), "{content}");
    assert_eq!(ann.get(&format!("/blogs/{public}/")).await.expect(200).json()["status"], "published");
    assert_eq!(ann.get(&format!("/blogs/{paid}/")).await.expect(200).json()["status"], "draft");
    let bob = site.user("bob").await;
    bob.get(&format!("/blogs/{paid}/")).await.expect(404);
}

const WORDPRESS: &str = r#"<?xml version="1.0" encoding="UTF-8" ?>
<rss version="2.0"><channel><title>Old</title><link>https://old.example</link><wp:wxr_version>1.2</wp:wxr_version>
<wp:base_site_url>https://old.example</wp:base_site_url><wp:base_blog_url>https://old.example</wp:base_blog_url>
<item><title><![CDATA[Tom &amp; Jerry]]></title><dc:creator><![CDATA[ann]]></dc:creator><wp:post_id>1</wp:post_id>
<content:encoded><![CDATA[One
two

<img src="http://old.example/wp-content/uploads/2020/a.png" alt="A" />

[gallery ids="2,9"]

[playlist]]]></content:encoded><excerpt:encoded><![CDATA[Short]]></excerpt:encoded>
<wp:post_date_gmt>2020-01-02 03:04:05</wp:post_date_gmt><wp:post_name>tom</wp:post_name><wp:status>publish</wp:status>
<wp:post_type>post</wp:post_type><category domain="post_tag" nicename="cats"><![CDATA[Cats & mice]]></category>
<wp:postmeta><wp:meta_key>_thumbnail_id</wp:meta_key><wp:meta_value>2</wp:meta_value></wp:postmeta></item>
<item><title>a</title><wp:post_id>2</wp:post_id><wp:post_type>attachment</wp:post_type>
<wp:attachment_url>https://old.example/wp-content/uploads/2020/a.png</wp:attachment_url></item>
</channel></rss>"#;

#[actix_web::test]
async fn imports_a_wordpress_export_with_paragraphs_and_images() {
    let dir = reachable_tempdir();
    let (site, program) = start_site_and_program(&dir).await;
    let ann = site.user("ann").await;
    write(&dir, "export.xml", WORDPRESS);
    write(&dir, "uploads/2020/a.png", png(4));
    let (succeeded, output) = program.run(&["import", "export.xml", "--images", "uploads", "--drafts"]);
    let lines = "post 1 “Tom & Jerry”: removed the shortcode [playlist]\npost 1 “Tom & Jerry”: imported the tag “Cats & mice” as “cats-mice”\nPosts imported: 1, 1 of them as drafts.\nImages imported: 3; not found: 0; on other sites, shown as links: 0.\nSkipped: attachments (1).\n";
    assert!(succeeded && output == lines, "{output}");
    let all = posts(&site).await;
    let post = ann.get(&format!("/blogs/{}/", all[0].0)).await.expect(200).json();
    let cover = post["cover"].as_str().unwrap();
    assert_eq!(post["content"], format!("One\\\ntwo\n\n![A]({cover})\n\n![]({cover})"));
    assert_eq!((&post["excerpt"], &post["tags"]), (&json!("Short"), &json!(["cats-mice"])));
    assert_eq!((&post["status"], &post["created_at"]), (&json!("draft"), &json!("2020-01-02T03:04:05Z")));
}

#[actix_web::test]
async fn rejects_invalid_exports_and_options() {
    let dir = reachable_tempdir();
    let (site, program) = start_site_and_program(&dir).await;
    site.user("ann").await;
    write(&dir, "export.xml", WORDPRESS);
    write(&dir, "truncated.xml", WORDPRESS.split("</channel>").next().unwrap());
    write(&dir, "other.json", "{}");
    write(&dir, "other.txt", "Text");
    let (succeeded, output) = program.run(&["import", "truncated.xml", "--author", "ann"]);
    assert!(!succeeded && output == "evenkeel: the file is truncated; export it again\n", "{output}");
    for (file, problem) in [
        ("other.json", "evenkeel: the file is not an export of Ghost"),
        (
            "other.txt",
            "evenkeel: other.txt is neither a folder of Markdown files nor an export of Ghost (JSON), WordPress (XML) or \
            BitPin-Blog (JSON)",
        ),
    ] {
        let (succeeded, output) = program.run(&["import", file, "--author", "ann"]);
        assert!(!succeeded && output.starts_with(problem), "{output}");
    }
    for (option, value, problem) in [
        (
            "--old-site",
            "old.example",
            "--old-site must be a URL that begins with https:// or http://, not \"old.example\"",
        ),
        ("--author", "nobody", "--author: no user named \"nobody\""),
    ] {
        let (succeeded, output) = program.run(&["import", "export.xml", option, value]);
        assert!(!succeeded && output == format!("evenkeel: {problem}\n"), "{output}");
    }
    let (succeeded, output) = program.run(&["import", "export.xml", "--author", "ann", "--create-authors"]);
    assert!(!succeeded && output.contains("cannot be used with"), "{output}");
}

/// Checks that a second import does not start: concurrent imports would not see each other's posts and could create
/// duplicates.
#[actix_web::test]
async fn rejects_an_import_while_another_one_is_running() {
    let dir = reachable_tempdir();
    let (site, program) = start_site_and_program(&dir).await;
    site.user("ann").await;
    write(&dir, "export.xml", WORDPRESS);
    let lock = "select pg_advisory_lock(x'6576656e696d706f'::bit(64)::bigint)";
    let mut connection = site.pool.acquire().await.unwrap();
    sqlx::query(lock).execute(&mut *connection).await.unwrap();
    let (succeeded, output) = program.run(&["import", "export.xml", "--author", "ann"]);
    assert!(!succeeded && output == "evenkeel: another import is running; wait until it has finished\n", "{output}");
    sqlx::query("select pg_advisory_unlock_all()").execute(&mut *connection).await.unwrap();
}

#[actix_web::test]
async fn undated_and_dated_posts_are_imported_separately() {
    let dir = reachable_tempdir();
    let (site, program) = start_site_and_program(&dir).await;
    site.user("ann").await;
    // Files are read in the order of their paths, so the post without a date is read first.
    write(&dir, "blog/a/hello.md", "---\ntitle: Hello\n---\nWithout");
    write(&dir, "blog/b/hello.md", "---\ntitle: Hello\ndate: 2020-01-02\n---\nWith");
    write(&dir, "blog/empty.md", "---\ntitle: Empty\n---\n");
    write(&dir, "blog/_index.fr.md", "---\ntitle: Section\n---\nText");
    for (arguments, line) in [
        (&["import", "blog", "--author", "ann", "--dry-run"][..], "Posts that would be imported: 2, "),
        (&["import", "blog", "--author", "ann"][..], "Posts imported: 2, "),
        (&["import", "blog", "--author", "ann"][..], "Posts skipped, because they were imported earlier: 2."),
    ] {
        let (succeeded, output) = program.run(arguments);
        assert!(succeeded && output.contains(line), "{line}\n{output}");
        assert!(output.contains("empty.md: skipped: the post has no text\n"), "{output}");
        assert!(output.contains("posts without text (1), section pages (1)"), "{output}");
    }
    assert_eq!(posts(&site).await.len(), 2);
}

/// Writes two posts of authors without accounts.
fn write_posts_of_two_authors(dir: &TempDir) {
    write(dir, "blog/a.md", "---\ntitle: A\nauthor: Ann Lee\n---\nText");
    write(dir, "blog/b.md", "---\ntitle: B\nauthor: Bob Stone\n---\nText");
}

#[actix_web::test]
async fn finds_authors_by_mapping_file_or_display_name() {
    let dir = reachable_tempdir();
    let (site, program) = start_site_and_program(&dir).await;
    let (_ann, bob) = (site.user("ann").await, site.user("bob").await);
    write_posts_of_two_authors(&dir);
    let (succeeded, output) = program.run(&["import", "blog"]);
    assert!(!succeeded && output.contains("account: Ann Lee\nAuthor without a user account: Bob Stone\n"), "{output}");
    let with_map = ["import", "blog", "--authors", "map.csv"];
    write(&dir, "map.csv", "\u{feff}name,username\n# a comment\n\"Ann  Lee\", ann\n");
    let (succeeded, output) = program.run(&with_map);
    let problem = "Author without a user account: Bob Stone\n";
    assert!(!succeeded && output.contains(problem) && !output.contains("Ann Lee"), "{output}");
    let rename = "update users set display_name = 'Bob Stone' where username = 'bob'";
    sqlx::query(rename).execute(&site.pool).await.unwrap();
    let (succeeded, output) = program.run(&with_map);
    let assignment = "Bob Stone: assigned to the user bob with the display name “Bob Stone”";
    assert!(succeeded && output.contains(assignment), "{output}");
    let profile = bob.get("/users/bob/").await.json();
    assert_eq!(profile["posts"]["results"].as_array().or(profile["results"].as_array()).unwrap().len(), 1, "{profile}");
}

#[actix_web::test]
async fn rejects_invalid_author_mappings() {
    let dir = reachable_tempdir();
    let (site, program) = start_site_and_program(&dir).await;
    let (_ann, _bob) = (site.user("ann").await, site.user("bob").await);
    write_posts_of_two_authors(&dir);
    for (map, problem) in [
        ("Ann Lee,ann\nBob\n", "line 2: expected two fields"),
        ("Ann,ann\nAnn,bob\n", "line 2: duplicate author \"Ann\""),
        (
            "Ann Lee,nobody\nBob Stone,bob\n",
            "--authors assigns Ann Lee to \"nobody\", but there is no user with this name",
        ),
    ] {
        write(&dir, "map.csv", map);
        let (succeeded, output) = program.run(&["import", "blog", "--authors", "map.csv"]);
        assert!(!succeeded && output.contains(problem), "{output}");
    }
}

/// Command that imports the posts of `site_without_authors`.
const IMPORT_WITH_AUTHORS: [&str; 5] = ["import", "blog", "--authors", "map.csv", "--create-authors"];

/// Starts two instances without registration, and writes posts of three authors without accounts. The username
/// `Bob-Stone` is taken.
async fn site_without_authors(dir: &TempDir) -> (TestSite, Program) {
    let registration = [("REGISTRATION", "closed"), ("SIGN_IN_THROTTLE", "off")];
    let site = TestSite::with_clock(&registration, 2, Clock::Database).await;
    let program = Program::new(dir.path()).with("DATABASE_URL", &site.lease.url).with("SECRET_KEY", SECRET);
    site.many_users(1).await;
    let rename = "update users set username = 'Bob-Stone', username_key = 'bob-stone', username_skeleton = 'bob-stone'";
    sqlx::query(rename).execute(&site.pool).await.unwrap();
    write(dir, "blog/a.md", "---\ntitle: A\nauthor: Ann Lee\n---\nText");
    write(dir, "blog/b.md", "---\ntitle: B\nauthor: Bob Stone\n---\nText");
    write(dir, "blog/c.md", "---\ntitle: C\nauthor: Cid\n---\nText");
    write(dir, "map.csv", "Cid,el.cid\n");
    (site, program)
}

/// Account with which an imported author claims the username.
fn claim(username: &str, password: &str) -> Value {
    json!({ "username": username, "email": "ann@example.com", "password": password })
}

#[actix_web::test]
async fn import_creates_accounts_for_unknown_authors_once() {
    let dir = reachable_tempdir();
    let (site, program) = site_without_authors(&dir).await;
    let (succeeded, output) = program.run(&[&IMPORT_WITH_AUTHORS[..], &["--dry-run"]].concat());
    assert!(succeeded, "{output}");
    expect_lines(
        &output,
        &[
            "Ann Lee: would create the account Ann-Lee",
            "Bob Stone: would create the account Bob-Stone-2",
            "Cid: would create the account el.cid",
            "Posts that would be imported: 3, 0 of them as drafts.",
        ],
    );
    assert!(site.count("users").await == 1 && site.count("blog_posts").await == 0 && !output.contains("invitation="));
    let (succeeded, output) = program.run(&IMPORT_WITH_AUTHORS);
    assert!(succeeded && output.contains("Posts imported: 3, 0 of them as drafts."), "{output}");
    let first_link = invitation(&output, "Ann-Lee");
    // A second run creates no accounts and imports nothing. The links of the first run stay valid.
    let (succeeded, output) = program.run(&IMPORT_WITH_AUTHORS);
    assert!(succeeded && output.contains("Posts skipped, because they were imported earlier: 3."), "{output}");
    assert_eq!((site.count("users").await, site.count("blog_posts").await), (4, 3));
    site.guest().page(&first_link).await.expect(200);
}

#[actix_web::test]
async fn created_account_keeps_its_username_until_it_is_claimed() {
    let dir = reachable_tempdir();
    let (site, program) = site_without_authors(&dir).await;
    let (guest, link) = (site.guest(), invitation(&program.run(&IMPORT_WITH_AUTHORS).1, "Ann-Lee"));
    let page = guest.page(&link).await.expect(200).expect_text("<h1>Claim your account</h1>");
    page.expect_text("<bdi>Ann-Lee</bdi>").expect_text("value=\"Ann-Lee\"").expect_text(" readonly");
    assert_eq!(guest.get(&link).await.json()["username"], "Ann-Lee");
    let problem = guest.post(&link, &claim("ann", PASSWORD)).await.expect_problem(400, "invalid");
    problem.expect_text("Your posts on this site use the name Ann-Lee, which can’t be changed.");
    guest.page(&link).await.expect_no_text("1 to 30 letters").expect_no_text("Already have an account?");
    let forged = "/users/register/?invitation=AAAA";
    guest.post(forged, &claim("Ann-Lee", PASSWORD)).await.expect_problem(403, "registration_closed");
    let sign_in = json!({ "username": "Ann-Lee", "password": "!unclaimed" });
    guest.post("/users/login/", &sign_in).await.expect_problem(401, "wrong_credentials");
}

#[actix_web::test]
async fn one_of_many_concurrent_claims_gets_the_account() {
    let dir = reachable_tempdir();
    let (site, program) = site_without_authors(&dir).await;
    let links = [0, 1].map(|_| invitation(&program.run(&IMPORT_WITH_AUTHORS).1, "Ann-Lee"));
    // Each attempt has another password, because a claim with the password of the claimed account signs in, as after a
    // double click.
    let attempts = (0..6).map(|n| {
        let (actor, link) = (Actor::new(site.instances[n % 2]), links[1].clone());
        let account = claim("Ann-Lee", &format!("{PASSWORD}{n}"));
        async move { (actor.post(&link, &account).await.status.as_u16(), actor) }
    });
    let (won, lost): (Vec<_>, Vec<_>) = join_all(attempts).await.into_iter().partition(|(status, _)| *status == 201);
    assert!(won.len() == 1 && lost.iter().all(|(status, _)| *status == 410));
    for link in &links {
        site.guest().page(link).await.expect(410).expect_text("This invitation has been used up");
    }
    let ann = &won[0].1;
    let own = ann.get("/users/me/").await.expect(200).json();
    assert_eq!((&own["username"], &own["display_name"]), (&json!("Ann-Lee"), &json!("Ann Lee")));
    ann.page("/users/Ann-Lee/").await.expect(200).expect_text(">A</a>");
}

#[actix_web::test]
async fn later_import_finds_claimed_and_unclaimed_accounts() {
    let dir = reachable_tempdir();
    let (site, program) = site_without_authors(&dir).await;
    let output = program.run(&IMPORT_WITH_AUTHORS).1;
    let (ann, guest, bob_link) = (site.guest(), site.guest(), invitation(&output, "Bob-Stone-2"));
    ann.post(&invitation(&output, "Ann-Lee"), &claim("Ann-Lee", PASSWORD)).await.expect(201);
    // The display name of Ann has changed, and another user has taken her previous display name.
    let rename = "update users set display_name = case username when 'Ann-Lee' then 'Annie' else 'Ann Lee' end
        where username in ('Ann-Lee', 'Bob-Stone')";
    sqlx::query(rename).execute(&site.pool).await.unwrap();
    write(&dir, "blog/d.md", "---\ntitle: D\nauthor: \"Ann  Lee\"\ndraft: true\n---\nText");
    let (succeeded, output) = program.run(&IMPORT_WITH_AUTHORS);
    assert!(succeeded && output.contains("Posts imported: 1, 1 of them as drafts."), "{output}");
    ann.page("/blogs/drafts/").await.expect_text(">D</a>");
    assert_eq!((site.count("users").await, site.count("blog_posts").await), (4, 4));
    let erase = "update users set password_hash = '', erased_at = now() where username = 'Bob-Stone-2'";
    sqlx::query(erase).execute(&site.pool).await.unwrap();
    guest.page(&bob_link).await.expect(410);
    fs::remove_file(dir.path().join("blog/b.md")).unwrap();
    let (succeeded, output) = program.run(&IMPORT_WITH_AUTHORS);
    assert!(succeeded && !output.contains("Ann-Lee: http"), "{output}");
    let fields = [("username", "el.cid"), ("email", "cid@example.com"), ("password", PASSWORD)];
    guest.submit(&invitation(&output, "el.cid"), &fields).await.expect_redirect("/users/el.cid/");
}

#[actix_web::test]
async fn control_characters_in_author_names_cannot_forge_output_lines() {
    let dir = reachable_tempdir();
    let (_site, program) = site_without_authors(&dir).await;
    write(&dir, "other/e.md", "---\ntitle: E\nauthor: \"Bob-Stone\\u202e\\nx: http://evil.example\"\n---\nText");
    let (succeeded, output) = program.run(&["import", "other", "--create-authors"]);
    assert!(succeeded, "{output}");
    let line = r"Bob-Stone\u{202e} x: http://evil.example: created the account Bob-Stone-x-http-evil.example";
    expect_lines(&output, &[line]);
}

/// Path of the invitation link that an import printed for a username.
fn invitation(output: &str, username: &str) -> String {
    let link = output.lines().find_map(|line| line.strip_prefix(username)?.strip_prefix(": "));
    let link = link.unwrap_or_else(|| panic!("no link for {username}: {output}"));
    link[link.find("/users/").unwrap()..].to_owned()
}

/// Command that imports the posts of `write_linked_posts`.
const IMPORT_LINKED: [&str; 4] = ["import", "blog", "--old-site", "https://old.example"];

/// Writes two posts that link to each other.
fn write_linked_posts(dir: &TempDir) {
    let head = |title: &str| format!("---\ntitle: {title}\nauthor: ann\ndate: 2020-01-02\n---\n");
    let links = "![A](../assets/a.png) [z](later.md#part) [old](https://old.example/blog/later/ \"t\") [about](/about/)\n\n\
        [web](https://else.example/blog/later/) [later]\n\n[later]: /blog/later/";
    write(dir, "blog/content/blog/early.md", head("Early") + links);
    write(dir, "blog/content/blog/later.md", head("Later") + "Back to [early](@/blog/early.md).");
    write(dir, "blog/content/assets/a.png", png(1));
}

#[actix_web::test]
async fn rewrites_links_between_imported_posts() {
    let dir = reachable_tempdir();
    let (site, program) = start_site_and_program(&dir).await;
    let ann = site.user("ann").await;
    write_linked_posts(&dir);
    let (succeeded, output) = program.run(&[&IMPORT_LINKED[..], &["--dry-run"]].concat());
    let counts =
        "Links between posts that would be updated to the new URLs: 4; links to other pages of the old site: 1.\n";
    assert!(succeeded && output.contains(counts), "{output}");
    let (succeeded, output) = program.run(&IMPORT_LINKED);
    expect_lines(
        &output,
        &[
            "content/blog/early.md: the link /about/ does not lead to an imported post",
            "Links between posts updated to the new URLs: 4; links to other pages of the old site: 1.",
        ],
    );
    assert!(succeeded, "{output}");
    let all = posts(&site).await;
    let [(early, _, early_text), (later, _, later_text)] = &all[..] else { panic!("{all:?}") };
    assert_eq!(
        early_text.split_once(") ").unwrap().1,
        format!(
            "[z](/blogs/{later}/later/#part) [old](/blogs/{later}/later/ \"t\") [about](https://old.example/about/)\n\n\
            [web](https://else.example/blog/later/) [later]\n\n[later]: /blogs/{later}/later/"
        )
    );
    assert_eq!(*later_text, format!("Back to [early](/blogs/{early}/early/)."));
    let page = ann.page(&format!("/blogs/{later}/later/")).await.expect(200);
    page.expect_text(&format!("<a href=\"/blogs/{early}/early/\""));
    let post = ann.get(&format!("/blogs/{early}/")).await.expect(200).json();
    assert_eq!(post["updated_at"], "2020-01-02T00:00:00Z");
}

#[actix_web::test]
async fn import_writes_redirects_from_old_urls() {
    let dir = reachable_tempdir();
    let (site, program) = start_site_and_program(&dir).await;
    site.user("ann").await;
    write_linked_posts(&dir);
    let (succeeded, output) = program.run(&[&IMPORT_LINKED[..], &["--redirects", "no/folder/old.conf"]].concat());
    let problem = "--redirects: the folder no/folder does not exist";
    assert!(!succeeded && output.contains(problem) && posts(&site).await.is_empty(), "{output}");
    let (succeeded, output) = program.run(&[&IMPORT_LINKED[..], &["--redirects", "old.conf"]].concat());
    assert!(succeeded, "{output}");
    expect_lines(&output, &["Redirects written: 4."]);
    let later = posts(&site).await[1].0;
    let redirects = fs::read_to_string(dir.path().join("old.conf")).unwrap();
    let line = "location = \"/blog/later/\" { return 301 \"http://";
    assert!(redirects.lines().count() == 4 && redirects.contains(line), "{redirects}");
    assert!(redirects.contains(&format!("/blogs/{later}/later/\"; }}\n")), "{redirects}");
}

#[actix_web::test]
async fn second_import_rewrites_the_links_that_an_interrupted_import_left() {
    let dir = reachable_tempdir();
    let (site, program) = start_site_and_program(&dir).await;
    site.user("ann").await;
    write_linked_posts(&dir);
    program.run(&IMPORT_LINKED);
    let imported = posts(&site).await;
    let [(early, _, early_text), (later, ..)] = &imported[..] else { panic!("{imported:?}") };
    let reset = sqlx::query("update blog_posts set content = 'See [early](early.md)' where id = $1");
    reset.bind(later).execute(&site.pool).await.unwrap();
    let (succeeded, output) = program.run(&IMPORT_LINKED);
    assert!(succeeded && output.contains("new URLs: 1; ") && !output.contains("/about/"), "{output}");
    let completed = posts(&site).await;
    assert_eq!(completed[0].2, *early_text);
    assert_eq!(completed[1].2, format!("See [early](/blogs/{early}/early/)"));
    // An import of posts with rewritten links changes nothing.
    let (succeeded, output) = program.run(&IMPORT_LINKED);
    assert!(succeeded && !output.contains("new URLs: 1"), "{output}");
    assert_eq!(posts(&site).await, completed);
}

/// Runs an import that succeeds, and returns what it printed.
fn import(program: &Program, arguments: &[&str]) -> String {
    let (succeeded, output) = program.run(&[&["import"], arguments, &["--author", "ann"]].concat());
    assert!(succeeded, "{output}");
    output
}

fn write_jekyll_site(dir: &TempDir) {
    write(dir, "old/_config.yml", "url: https://old.example\nbaseurl: /blog\npermalink: /:year/:month/:day/:title/\n");
    write(dir, "old/about.md", "---\ntitle: About\n---\nText");
    write(dir, "old/assets/dot.png", png(5));
    let html = "<div class=\"imgcap\"><img src=\"/assets/dot.png\" alt=\"A dot\"><div>With <b>bold</b></div></div>\n\n\
        H<sub>2</sub>O, see [the other]({% post_url 2020-1-3-code %}) and [by path](/blog/2020/01/03/code/).\n";
    write(
        dir,
        "old/_posts/2020-01-02-html.md",
        format!(
            "---\ntitle: HTML\ndate: 2020/01/02 03:04:05\nredirect_from: [/old, https://old.example/users/login/, https://old.example/static/site.js, https://old.example/healthz]\n---\n{html}"
        ),
    );
    let code = "{% highlight ruby %}\n# a\nputs \"*hi*\"\n{% endhighlight %}\n\n$$e^{i\\pi}+1=0$$ [s](#setup)\n\n## Setup {#setup}\n";
    write(
        dir,
        "old/_posts/2020-1-3-code.md",
        [format!("---\ntitle: {}\n---\n{code}", "C".repeat(300)).as_bytes(), b"\xe9"].concat(),
    );
}

#[actix_web::test]
async fn jekyll_site_is_imported_from_its_posts_folder() {
    let dir = reachable_tempdir();
    let (site, program) = start_site_and_program(&dir).await;
    let ann = site.user("ann").await;
    write_jekyll_site(&dir);
    let from_posts = ["old/_posts", "--time-zone", "Asia/Tehran"];
    let output = import(&program, &[&from_posts[..], &["--dry-run", "--redirects", "no.conf"]].concat());
    assert!(output.contains("Posts that would be imported: 2") && !dir.path().join("no.conf").exists(), "{output}");
    let output = import(&program, &[&from_posts[..], &["--redirects", "old.conf"]].concat());
    expect_lines(
        &output,
        &[
            "2020-1-3-code.md: truncated the title to 255 characters",
            "2020-1-3-code.md: line 9 of the text contains invalid characters, which are shown as \u{fffd}",
            "Images imported: 1; not found: 0; on other sites, shown as links: 0.",
            "Links between posts updated to the new URLs: 2; links to other pages of the old site: 0.",
        ],
    );
    let all = posts(&site).await;
    let [(code, _, code_text), (html, _, html_text)] = &all[..] else { panic!("{all:?}") };
    let path = &format!("/blogs/{code}/code/");
    assert!(html_text.contains(&format!("[the other]({path}) and [by path]({path})")), "{html_text}");
    assert!(html_text.starts_with("![A dot](/images/") && html_text.contains("With **bold**\n\nH₂O"), "{html_text}");
    assert!(code_text.starts_with("```ruby\n# a\nputs \"*hi*\"\n```\n\n$$e^{i\\pi}+1=0$$ [s](#setup)"), "{code_text}");
    let page = ann.page(path).await.expect(200);
    page.expect_text("<h3 id=\"setup\">Setup</h3>").expect_text("<a href=\"#setup\"");
    let html = ann.get(&format!("/blogs/{html}/")).await.expect(200).json();
    assert_eq!(html["published_at"], "2020-01-01T23:34:05Z");
    let redirects = fs::read_to_string(dir.path().join("old.conf")).unwrap();
    assert!(redirects.contains("location = \"/blog/2020/01/02/html/\" {"), "{redirects}");
    // URLs that this site serves itself are not redirected.
    let is_hidden = ["/users/login", "/static/", "/healthz"].iter().any(|path| redirects.contains(path));
    assert!(redirects.contains("location = \"/blog/old\" {") && !is_hidden, "{redirects}");
    // An import of the root folder finds no further posts, but a page.
    let output = import(&program, &["old", "--time-zone", "Asia/Tehran"]);
    assert!(output.contains("imported earlier: 2.\n") && output.contains("Pages imported: 1.\n"), "{output}");
}

#[actix_web::test]
async fn hugo_site_is_imported_from_a_section() {
    let dir = reachable_tempdir();
    let (site, program) = start_site_and_program(&dir).await;
    site.user("ann").await;
    write(
        &dir,
        "old/hugo.toml",
        "baseURL = \"https://old.example/\"\n[permalinks]\npost = \"/:year/:month/:day/:filename/\"\n",
    );
    write(&dir, "old/static/img/a.png", png(6));
    let text = "{{< figure src=\"/img/a.png\" caption=\"A\" >}}\n\n[b]({{< relref \"b.md\" >}}) {{< tweet 1 >}}";
    write(&dir, "old/content/post/rl.md", format!("---\ntitle: R\ndate: 2016-05-31T00:00:00Z\n---\n{text}"));
    write(&dir, "old/content/post/b.md", "---\ntitle: B\ndate: 2016-06-01\n---\nSee [r](/2016/05/31/rl/).");
    let output = import(&program, &["old/content/post", "--redirects", "old.caddy"]);
    expect_lines(
        &output,
        &[
            "rl.md: template tags that are imported as text: {{< tweet >}} (1)",
            "Images imported: 1; not found: 0; on other sites, shown as links: 0.",
            "Links between posts updated to the new URLs: 2; links to other pages of the old site: 0.",
        ],
    );
    let all = posts(&site).await;
    let [(b, _, b_text), (r, _, r_text)] = &all[..] else { panic!("{all:?}") };
    assert!(r_text.contains(&format!("[b](/blogs/{b}/b/) {{{{< tweet 1 >}}}}")), "{r_text}");
    assert_eq!(*b_text, format!("See [r](/blogs/{r}/rl/)."));
    let redirects = fs::read_to_string(dir.path().join("old.caddy")).unwrap();
    assert!(redirects.contains("redir \"/2016/05/31/rl/\""), "{redirects}");
}

#[actix_web::test]
async fn wordpress_export_is_read_as_it_declares_its_encoding() {
    let dir = reachable_tempdir();
    let (site, program) = start_site_and_program(&dir).await;
    site.user("ann").await;
    let file = WORDPRESS.replace("One\ntwo", "caf\u{e9} <strong>(neu)</strong>y");
    let latin: Vec<u8> =
        file.replace("UTF-8", "ISO-8859-1").chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect();
    write(&dir, "latin.xml", latin);
    import(&program, &["latin.xml"]);
    let all = posts(&site).await;
    assert!(all[0].2.starts_with("café <strong>(neu)</strong>y"), "{all:?}");
    let mut bytes = file.replace("<title><![CDATA[Tom", "<title><![CDATA[Bad").into_bytes();
    let accent = bytes.windows(2).position(|pair| pair == "é".as_bytes()).unwrap();
    bytes.splice(accent..accent + 2, [0xe9]);
    write(&dir, "bad.xml", bytes);
    let output = import(&program, &["bad.xml"]);
    assert!(
        output.contains("line 1 of the text contains invalid characters, which are shown as \u{fffd}\n"),
        "{output}"
    );
    assert!(posts(&site).await[0].2.starts_with("caf\u{fffd}"));
}
