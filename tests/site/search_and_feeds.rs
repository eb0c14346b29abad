//! Search, feeds, sitemap and conditional requests.

use chrono::TimeDelta;
use futures_util::future::join_all;
use futures_util::join;
use serde_json::{Value, json};

use crate::support::{Actor, TestResponse, TestSite, minutes};

/// Titles of the posts that a search finds.
async fn search(actor: &Actor, query: &str) -> Vec<String> {
    let encoded = percent_encoding::utf8_percent_encode(query, percent_encoding::NON_ALPHANUMERIC);
    let list = actor.get(&format!("/blogs/?q={encoded}")).await.expect(200).json();
    list["results"].as_array().unwrap().iter().map(|post| post["title"].as_str().unwrap().to_owned()).collect()
}

/// Titles and texts of posts in three languages.
const POSTS: [(&str, &str); 6] = [
    ("Keeping an even keel", "Sailors were rating their ships."),
    ("کتاب‌فروشی ته کوچه", "هر روز می‌خواهم كتاب بخرم؛ ۱۲ تومان."),
    ("About nothing", "Hay and straw."),
    (
        "Was von der Stadt geblieben ist",
        "Die alten Häuser stehen an der Straße, und in der kleinen Küche riecht es nach frischem Brot und Kaffee.",
    ),
    ("The café by the harbour", "They search for the best coffee of the town."),
    ("پنجره‌های آبی", "خانه‌ها کنار هم ایستاده‌اند و پنجره‌هایشان رو به دریا باز می‌شود؛ پدربزرگ‌ها چای می‌نوشند."),
];

/// Queries, each with the title of the first result.
const QUERIES: [(&str, Option<&str>); 35] = [
    ("keels", Some("Keeping an even keel")),
    ("KEEP", Some("Keeping an even keel")),
    ("rated ship", Some("Keeping an even keel")),
    ("even kel", Some("Keeping an even keel")),
    ("\"even keel\" -straw", Some("Keeping an even keel")),
    ("کتاب", Some("کتاب‌فروشی ته کوچه")),
    ("كتاب", Some("کتاب‌فروشی ته کوچه")),
    ("میخواهم", Some("کتاب‌فروشی ته کوچه")),
    ("می‌خواهم", Some("کتاب‌فروشی ته کوچه")),
    ("می خواهم", Some("کتاب‌فروشی ته کوچه")),
    ("کتابفروشي", Some("کتاب‌فروشی ته کوچه")),
    ("12", Some("کتاب‌فروشی ته کوچه")),
    ("١٢", Some("کتاب‌فروشی ته کوچه")),
    ("Haus", Some("Was von der Stadt geblieben ist")),
    ("hauser", Some("Was von der Stadt geblieben ist")),
    ("HÄUSER", Some("Was von der Stadt geblieben ist")),
    ("strasse", Some("Was von der Stadt geblieben ist")),
    ("STRAẞE", Some("Was von der Stadt geblieben ist")),
    ("kuche", Some("Was von der Stadt geblieben ist")),
    ("Kueche", Some("Was von der Stadt geblieben ist")),
    ("haeuser", Some("Was von der Stadt geblieben ist")),
    // "die" is a stop word in German, but an English word, too.
    ("die", None),
    ("cafe", Some("The café by the harbour")),
    ("CAFÉ", Some("The café by the harbour")),
    ("sea", None),
    ("خانه", Some("پنجره‌های آبی")),
    ("خانه ها", Some("پنجره‌های آبی")),
    ("خانه‌هایمان", Some("پنجره‌های آبی")),
    ("پنجره", Some("پنجره‌های آبی")),
    ("ابی", Some("پنجره‌های آبی")),
    ("xylophone or bread", None),
    ("xylophone or straw", Some("About nothing")),
    ("xylophone", None),
    ("' or 1=1 --", None),
    ("!!! & | ( : *", None),
];

async fn write_posts_in_three_languages(site: &TestSite) {
    let ann = site.user("ann").await;
    for (title, text) in POSTS {
        ann.write(title, text).await;
    }
}

#[actix_web::test]
async fn search_finds_word_forms_in_three_languages() {
    let site = TestSite::start().await;
    write_posts_in_three_languages(&site).await;
    let guest = site.guest();
    for (query, title) in QUERIES {
        assert_eq!(search(&guest, query).await.first().map(String::as_str), title, "{query}");
    }
}

#[actix_web::test]
async fn search_highlights_the_matching_words() {
    let site = TestSite::start().await;
    write_posts_in_three_languages(&site).await;
    let long_text = format!("{}needle {}", "some hay ".repeat(3_000), "some straw ".repeat(3_000));
    site.user("bob").await.write("Long", &long_text).await;
    let guest = site.guest();
    let page = guest.page("/blogs/?q=rating").await.expect(200);
    page.expect_text("Sailors were <mark>rating</mark> their ships.").expect_text("value=\"rating\"");
    // Words that only have the prefix of the query are not highlighted.
    let page = guest.page("/blogs/?q=Haus").await.expect(200);
    page.expect_text("Die alten <mark>Häuser</mark> stehen").expect_no_text("<mark>Haus</mark>");
    let page = guest.page("/blogs/?q=c").await.expect(200);
    page.expect_no_text("<mark>");
    guest.page("/blogs/?q=best+coffee").await.expect_text("search for the <mark>best</mark> <mark>coffee</mark> of");
    guest.page("/blogs/?q=%3Cscript%3E").await.expect_text("No posts found for").expect_no_text("<script>");
    guest.page("/blogs/?q=needles").await.expect_text("hay <mark>needle</mark> some");
}

#[actix_web::test]
async fn similar_titles_are_suggested_only_without_matches() {
    let site = TestSite::start().await;
    let (ann, guest) = (site.user("ann").await, site.guest());
    ann.write("The samovar in the rented kitchen", "It sings.").await;
    ann.write("To search the sea", "The light on it is grey.").await;
    ann.write("A boat", "It is at the sea, far out.").await;
    assert_eq!(search(&guest, "the sea").await, ["To search the sea", "A boat"]);
    assert_eq!(search(&guest, "sea -search").await, ["A boat"]);
    assert_eq!(search(&guest, "\"light on it is grey\"").await, ["To search the sea"]);
    assert_eq!(search(&guest, "\"light grey\"").await, [""; 0]);
    let page = guest.page("/blogs/?q=the+samovr").await.expect(200);
    page.expect_text("No posts contain these words. Did you mean").expect_text("The samovar in the rented kitchen");
    // Stop words of one language do not match titles in another.
    let request = guest.request("GET", "/blogs/?q=the").header("Accept-Language", "de");
    assert_eq!(guest.send(request.header("Accept", "application/json")).await.json()["results"], json!([]));
}

#[actix_web::test]
async fn search_finds_exact_titles_of_stop_words() {
    let site = TestSite::start().await;
    let (ann, guest) = (site.user("ann").await, site.guest());
    for title in ["To be or not to be", "The Who", "IT", "Was nun?", "Rain in Kyoto"] {
        ann.write(title, "A text.").await;
    }
    for title in ["To be or not to be", "the who", "it", "was nun"] {
        let titles = search(&guest, title).await;
        assert_eq!(
            titles.iter().map(|title| title.to_lowercase().replace('?', "")).collect::<Vec<_>>(),
            [title.to_lowercase()]
        );
    }
    for part in ["to be", "\"not to be\"", "be or not"] {
        assert_eq!(search(&guest, part).await, ["To be or not to be"], "{part}");
    }
    let many_words = "a query of fourteen words that nobody would refuse because it is long rain kyoto";
    assert_eq!(search(&guest, many_words).await, [""; 0]);
}

#[actix_web::test]
async fn search_finds_words_in_scripts_without_spaces() {
    let site = TestSite::start().await;
    let (ann, guest) = (site.user("ann").await, site.guest());
    ann.write("東京の天気", "A text.").await;
    ann.write("Notes", "来週は東京の天気が良い。").await;
    assert_eq!(search(&guest, "東京の天気").await, ["東京の天気", "Notes"]);
    assert_eq!(search(&guest, "天気").await.len(), 2);
    assert_eq!(search(&guest, "雪国").await, [""; 0]);
    guest.page("/blogs/?q=%E5%A4%A9%E6%B0%97").await.expect_text("<mark>天気</mark>");
}

/// Checks that a query of 200 characters is accepted, even if its letters become many words: normalization expands
/// U+FDFA to several words.
#[actix_web::test]
async fn search_accepts_200_characters_of_any_script() {
    let site = TestSite::start().await;
    let (ann, guest) = (site.user("ann").await, site.guest());
    let letter = "\u{fdfa}";
    let one_word = letter.repeat(1_000);
    let many_words: String = (0..30_000).map(|n| format!("{letter}{n} ")).take(20_000).collect();
    for content in [one_word, many_words] {
        ann.write(&letter.repeat(150), &content).await;
    }
    for count in [1, 70, 200] {
        let encoded = "%EF%B7%BA".repeat(count);
        guest.get(&format!("/blogs/?q={encoded}")).await.expect(200);
    }
    guest.get(&format!("/blogs/?q={}", "x+".repeat(100))).await.expect(200);
    guest.get(&format!("/blogs/?q={}", "x".repeat(201))).await.expect_problem(400, "invalid");
}

#[actix_web::test]
async fn search_results_can_be_ordered() {
    let site = TestSite::start().await;
    let (ann, bob) = (site.user("ann").await, site.user("bob").await);
    let mut posts = Vec::new();
    for (title, text) in [("Herons", "herons"), ("Ducks and herons", "t"), ("Swans", "One of the herons.")] {
        posts.push(ann.write(title, text).await);
        site.advance_clock(TimeDelta::seconds(1));
    }
    bob.rate(posts[1], 5).await.expect(201);
    let ids = async |order: &str| {
        let list = bob.get(&format!("/blogs/?q=herons{order}")).await.expect(200).json();
        list["results"].as_array().unwrap().iter().map(|post| post["id"].as_i64().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(ids("").await[0], posts[0]);
    assert_eq!(ids("&order=best").await, ids("").await);
    assert_eq!(ids("&order=new").await, [posts[2], posts[1], posts[0]]);
    assert_eq!(ids("&order=top").await[0], posts[1]);
    bob.get("/blogs/?order=best").await.expect_problem(400, "invalid");
    bob.get("/blogs/?q=herons&order=old").await.expect_problem(400, "invalid");
    let page = bob.page("/blogs/?q=herons&order=new").await.expect(200);
    page.expect_text("<a href=\"/blogs/?q=herons\">Best match</a>")
        .expect_text("<a href=\"/blogs/?q=herons&#38;order=new\" aria-current=\"page\">New</a>");
}

#[actix_web::test]
async fn search_results_are_paged_without_repeats() {
    let site = TestSite::start().await;
    let ann = site.user("ann").await;
    for number in 0..45 {
        ann.write(&format!("Sail {number}"), &"sail ".repeat(1 + number % 3)).await;
    }
    let guest = site.guest();
    let newest = guest.get("/blogs/?q=sail&order=new").await.expect(200).json();
    let following = guest.get(newest["next"].as_str().unwrap()).await.expect(200).json();
    let titles = |page: &Value| -> Vec<String> {
        page["results"].as_array().unwrap().iter().map(|post| post["title"].as_str().unwrap().to_owned()).collect()
    };
    let expected: Vec<String> = (5..45).rev().map(|number| format!("Sail {number}")).collect();
    assert_eq!([titles(&newest), titles(&following)].concat(), expected);
    let mut seen = std::collections::BTreeSet::new();
    let mut next = Some("/blogs/?q=sail".to_owned());
    let mut pages: Vec<Value> = Vec::new();
    while let Some(path) = next {
        let page = guest.get(&path).await.expect(200).json();
        for post in page["results"].as_array().unwrap() {
            assert!(seen.insert(post["id"].as_i64().unwrap()));
        }
        next = page["next"].as_str().map(str::to_owned);
        pages.push(page);
    }
    assert_eq!((seen.len(), pages.len()), (45, 3));
    let previous = guest.get(pages[2]["previous"].as_str().unwrap()).await.expect(200).json();
    assert_eq!(previous["results"], pages[1]["results"]);
    let cursor = pages[0]["next"].as_str().unwrap().split("cursor=").nth(1).unwrap();
    guest.get(&format!("/blogs/?cursor={cursor}")).await.expect_problem(400, "malformed");
}

#[actix_web::test]
async fn search_of_too_many_matches_ranks_the_latest_ones() {
    let site = TestSite::start().await;
    site.user("ann").await;
    let posts = "insert into blog_posts (author_id, title, content, created_at, updated_at, published_at, rendered_by,
            search, search_title, search_configuration)
        select 1, 'Sail ' || n, 'sail', at, at, at, 1,
            setweight(to_tsvector('english', 'sail ' || n), 'A'), 'sail ' || n, 'english'
        from generate_series(1, 450) n, lateral (select timestamptz 'epoch' + make_interval(hours => n) as at) as hour";
    sqlx::query(posts).execute(&site.pool).await.unwrap();
    let guest = site.guest();
    let mut seen = std::collections::BTreeSet::new();
    let mut next = Some("/blogs/?q=sail".to_owned());
    while let Some(path) = next {
        let page = guest.get(&path).await.expect(200).json();
        assert_eq!(page["partial"], true);
        seen.extend(page["results"].as_array().unwrap().iter().map(|post| post["id"].as_i64().unwrap()));
        next = page["next"].as_str().map(str::to_owned);
    }
    assert_eq!((seen.len(), seen.first().copied()), (200, Some(251)));
    guest.page("/blogs/?q=sail").await.expect_text("Too many posts match");
    let few = guest.get("/blogs/?q=sail+7").await.expect(200).json();
    assert_eq!((few["partial"].is_null(), few["results"][0]["title"].as_str()), (true, Some("Sail 7")));
}

#[actix_web::test]
async fn search_ignores_stop_words_beside_other_words() {
    let site = TestSite::start().await;
    let (ann, guest) = (site.user("ann").await, site.guest());
    for number in 1..=9 {
        ann.write(&format!("Sail {number}"), "sail").await;
    }
    guest.page("/blogs/?q=the+of").await.expect(200).expect_text("is too common to search for");
    assert_eq!(search(&guest, "the sail of 9").await[0], "Sail 9");
}

#[actix_web::test]
async fn search_costs_as_much_of_the_rate_limit_as_ten_pages() {
    let settings = [("RATE_CLASSES", "on"), ("RATE_CLASS_BROWSE_ADDRESS", "40,6000,100,75,50,0,0")];
    let site = TestSite::start_with(&settings, 1).await;
    site.user("ann").await.write("An ox", "Its text.").await;
    let guest = site.guest();
    let remaining =
        |answer: &TestResponse| -> i64 { answer.header("ratelimit").split("r=").nth(1).unwrap().parse().unwrap() };
    let before = remaining(&guest.get("/blogs/").await);
    assert_eq!(before - remaining(&guest.get("/blogs/?q=text").await), 10);
    assert_eq!(before - remaining(&guest.get("/blogs/?q=").await), 11);
}

#[actix_web::test]
async fn slow_searches_time_out_and_do_not_delay_other_requests() {
    let site = TestSite::fresh(&[], 1).await;
    // The query of this test has two letters, which is too short for the search for similar titles.
    site.user("ann").await.write("An ox", "Its text.").await;
    let guest = site.guest();
    site.begin_endless_searches().await;
    let readers = site.many_users(24).await;
    let searches = join_all(readers.iter().map(|reader| reader.get("/blogs/?q=ox")));
    let pages = async {
        for _ in 0..20 {
            guest.page("/blogs/").await.expect(200);
        }
    };
    let (searches, ()) = join!(searches, pages);
    for answer in searches {
        answer.expect_problem(503, "busy");
    }
    site.end_endless_searches().await;
    assert_eq!(search(&guest, "ox").await, ["An ox"]);
}

async fn write_post_with_markup(author: &Actor) {
    let body = json!({ "title": "A & <b> \u{1f600}", "content": "*one* ]]> & \u{b}two\n\n`<x>`", "tags": ["sea"] });
    author.post("/blogs/create/", &body).await.expect(201);
}

#[actix_web::test]
async fn feeds_are_valid_for_a_feed_parser() {
    let site = TestSite::start().await;
    let (ann, ben) = (site.user("ann").await, site.user("نیلوفر").await);
    write_post_with_markup(&ann).await;
    site.advance_clock(minutes(1));
    ben.write("سلام", "متن").await;
    // JSON Feed does not allow `null`.
    assert!(!site.guest().page("/feeds/json/").await.text.contains("null"));
    let mut ids = None;
    for (path, titles) in [
        ("/feeds/atom/", vec!["سلام", "A & <b> \u{1f600}"]),
        ("/feeds/json/", vec!["سلام", "A & <b> \u{1f600}"]),
        ("/feeds/atom/?author=ann", vec!["A & <b> \u{1f600}"]),
        ("/feeds/json/?tag=SEA", vec!["A & <b> \u{1f600}"]),
        ("/feeds/atom/?author=ann&tag=land", vec![]),
    ] {
        let answer = site.guest().page(path).await.expect(200);
        let feed = feed_rs::parser::parse(answer.text.as_bytes()).unwrap_or_else(|error| panic!("{path}: {error}"));
        let entries: Vec<_> = feed.entries.iter().map(|entry| entry.title.as_ref().unwrap().content.as_str()).collect();
        assert_eq!(entries, titles, "{path}");
        if let Some(entry) = feed.entries.iter().find(|entry| entry.links[0].href.contains("/blogs/1/")) {
            let html = entry.content.as_ref().unwrap().body.as_ref().unwrap().replace('\u{b}', "");
            assert!(
                html.contains("<em>one</em> ]]&gt; &amp; two") && html.contains("<code>&lt;x&gt;</code>"),
                "{html}"
            );
            // The id does not depend on the URL of the site, which may change.
            assert!(entry.id.starts_with("urn:uuid:"), "{}", entry.id);
            assert_eq!(*ids.get_or_insert(entry.id.clone()), entry.id);
            assert_eq!(entry.published.unwrap().to_rfc3339(), "2026-01-01T12:00:00+00:00");
        }
    }
    site.guest().page("/feeds/atom/?author=nobody").await.expect(404);
}

#[actix_web::test]
async fn json_feed_contains_rating_statistics() {
    let site = TestSite::start().await;
    let (ann, zoe) = (site.user("ann").await, site.user("zoe").await);
    write_post_with_markup(&ann).await;
    zoe.rate(1, 4).await.expect(201);
    site.advance_clock(minutes(1));
    let feed = site.guest().page("/feeds/json/").await.expect(200).json();
    let item = feed["items"].as_array().unwrap().iter().find(|item| item["title"] == "A & <b> \u{1f600}").unwrap();
    let ratings = json!({ "average_rating": 4.0, "rating_count": 1, "steady_rating": 4.0, "steady_weight": 1.0 });
    assert_eq!(item["_ratings"], ratings);
}

#[actix_web::test]
async fn pages_link_to_their_feed_and_robots_txt_to_the_sitemap() {
    let site = TestSite::start().await;
    write_post_with_markup(&site.user("ann").await).await;
    site.guest().page("/").await.expect_text("<link rel=\"alternate\" type=\"application/atom+xml\"");
    site.guest().page("/users/ann/").await.expect_text("href=\"/feeds/atom/?author=ann\"");
    site.guest().page("/blogs/?tag=sea").await.expect_text("href=\"/feeds/atom/?tag=sea\"");
    let map = site.guest().page("/sitemap.xml").await.expect(200);
    map.expect_text("<loc>http://127.0.0.1:8000/blogs/1/a-b/</loc>");
    site.guest().page("/robots.txt").await.expect(200).expect_text("Sitemap: http://127.0.0.1:8000/sitemap.xml");
}

#[actix_web::test]
async fn large_sitemap_is_split() {
    let site = TestSite::start().await;
    site.user("ann").await;
    let posts = "insert into blog_posts (author_id, title, content, status, created_at, updated_at, published_at)
        select 1, 'Post ' || n, 't', case when n % 2 = 0 then 'draft' else 'published' end, 'epoch', 'epoch',
            case when n % 2 = 1 then timestamptz 'epoch' end from generate_series(1, 5001) n";
    sqlx::query(posts).execute(&site.pool).await.unwrap();
    let index = site.guest().page("/sitemap.xml").await.expect(200);
    let parts: Vec<&str> = index.text.split("<loc>").skip(1).filter_map(|loc| loc.split("</loc>").next()).collect();
    let url = |part: u32| format!("http://127.0.0.1:8000/sitemap.xml?part={part}");
    assert_eq!(parts, [url(1), url(2), url(3)]);
    let mut posts = Vec::new();
    for part in 1..=3 {
        let map = site.guest().page(&format!("/sitemap.xml?part={part}")).await.expect(200);
        posts.extend(map.text.matches("<loc>http://127.0.0.1:8000/blogs/").map(ToOwned::to_owned));
        assert_eq!(map.text.contains("<loc>http://127.0.0.1:8000/</loc>"), part == 1);
    }
    assert_eq!(posts.len(), 2_501);
    for part in ["0", "4", "-1", "x", "99999999999999999999"] {
        site.guest().page(&format!("/sitemap.xml?part={part}")).await.expect(404);
    }
}

#[actix_web::test]
async fn conditional_requests_get_304() {
    let site = TestSite::start().await;
    let ann = site.user("ann").await;
    ann.write("T", "t").await;
    let guest = site.guest();
    for (path, accept) in [
        ("/blogs/", "text/html"),
        ("/blogs/1/t/", "text/html"),
        ("/blogs/1/", "application/json"),
        ("/users/ann/", "application/json"),
        ("/feeds/atom/", "*/*"),
        ("/feeds/json/", "*/*"),
        ("/sitemap.xml", "*/*"),
    ] {
        let ask = |tag: &str| guest.request("GET", path).header("Accept", accept).header("If-None-Match", tag);
        let first = guest.send(ask("\"other\"")).await.expect(200);
        let tag = first.header("etag").to_owned();
        assert!(tag.starts_with("W/\""), "{path}: {tag}");
        let unchanged = guest.send(ask(&tag)).await.expect(304);
        assert_eq!((unchanged.text.as_str(), unchanged.header("etag")), ("", tag.as_str()), "{path}");
        assert!(unchanged.header("content-security-policy").starts_with("default-src"), "{path}");
    }
    let tag = guest.page("/blogs/1/t/").await.header("etag").to_owned();
    site.user("ben").await.rate(1, 5).await.expect(201);
    let changed = guest.request("GET", "/blogs/1/t/").header("Accept", "text/html").header("If-None-Match", tag);
    guest.send(changed).await.expect(200);
    // Responses for signed-in users have no `ETag`, because browsers do not cache such responses.
    assert_eq!(ann.page("/blogs/").await.header("etag"), "");
}

#[actix_web::test]
async fn post_has_structured_data() {
    let site = TestSite::start().await;
    let ann = site.user("ann").await;
    let body = json!({ "title": "</script><b>", "content": "Its *text*.", "tags": ["sea"] });
    ann.post("/blogs/create/", &body).await.expect(201);
    let data = async || {
        let page = site.guest().page("/blogs/1/").await.expect(200);
        let data =
            page.text.split("<script type=\"application/ld+json\">").nth(1).unwrap().split("</script>").next().unwrap();
        (serde_json::from_str::<Value>(data).unwrap(), page)
    };
    let (ld, page) = data().await;
    assert_eq!(
        (&ld["@type"], &ld["headline"], &ld["aggregateRating"]),
        (&json!("BlogPosting"), &json!("</script><b>"), &Value::Null)
    );
    page.expect_text("<meta property=\"og:title\" content=\"&#60;/script&#62;&#60;b&#62;\">")
        .expect_text("<meta name=\"description\" content=\"Its text.\">");
    let readers = site.many_users(5).await;
    for (reader, stars) in readers.iter().zip([5, 4, 4, 4]) {
        reader.rate(1, stars).await.expect(201);
    }
    let (ld, page) = data().await;
    assert_eq!(ld["aggregateRating"]["ratingCount"], json!(4));
    page.expect_text("4.2 ★ · 4 ratings").expect_text("few ratings yet");
    readers[4].rate(1, 4).await.expect(201);
    let (ld, page) = data().await;
    assert_eq!(
        (&ld["aggregateRating"]["ratingValue"], &ld["aggregateRating"]["ratingCount"]),
        (&json!(4.2), &json!(5))
    );
    page.expect_text("4.2 ★ · 5 ratings");
}

#[actix_web::test]
async fn pages_are_compressed_on_request_and_small() {
    let site = TestSite::start().await;
    let (post, ben) = (site.post("ann").await, site.user("ben").await);
    ben.rate(post, 4).await.expect(201);
    let path = format!("/blogs/{post}/a-post/");
    let plain = ben.page(&path).await.expect(200);
    assert_eq!(plain.header("content-encoding"), "");
    // Size limit of the page without the post's text, style sheet and script.
    assert!(plain.text.len() <= 60 * 1024, "{}", plain.text.len());
    let request = ben.request("GET", &path).header("Accept", "text/html").header("Accept-Encoding", "gzip");
    let compressed = request.send().await.unwrap();
    assert_eq!(compressed.headers()["content-encoding"], "gzip");
    let bytes = compressed.bytes().await.unwrap();
    assert!(bytes.starts_with(&[0x1f, 0x8b]) && bytes.len() * 2 < plain.text.len(), "{}", bytes.len());
}

#[actix_web::test]
async fn front_page_introduces_the_site() {
    let site = TestSite::start().await;
    let ann = site.user("ann").await;
    for (title, tag) in [("One", "sea"), ("Two", "sea"), ("Three", "wind")] {
        ann.post("/blogs/create/", &json!({ "title": title, "content": "t", "tags": [tag] })).await.expect(201);
    }
    let welcome = "<p class=\"tagline\" dir=\"auto\">A blog with ratings that resist manipulation.</p>";
    let page = site.guest().page("/").await.expect(200).expect_text(welcome);
    let tag = |tag: &str| format!("<li><a href=\"/blogs/?tag={tag}\" rel=\"tag\"><bdi>#{tag}</bdi></a></li>");
    page.expect_text(&(tag("sea") + &tag("wind")));
    for path in ["/blogs/?tag=sea", "/blogs/?order=top"] {
        site.guest().page(path).await.expect(200).expect_no_text(welcome);
    }
    site.guest().page("/blogs/?order=top").await.expect_text("Posts are ranked as if each had ten additional");
}

#[actix_web::test]
async fn list_can_be_limited_to_a_language() {
    let site = TestSite::start().await;
    let (ann, guest) = (site.user("ann").await, site.guest());
    let create = async |title: &str, language: &str| {
        let post = json!({ "title": title, "content": "t", "language": language });
        ann.post("/blogs/create/", &post).await.expect(201);
    };
    create("Harbour", "en").await;
    guest.page("/").await.expect(200).expect_no_text("class=\"by-language\"");
    create("Hafen", "de").await;
    create("Kai", "de").await;
    let page = guest.page("/blogs/?language=de").await.expect(200);
    let page = page.expect_text("Hafen").expect_text("Kai").expect_no_text("Harbour");
    page.expect_text("<a href=\"/blogs/?language=en\" lang=\"en\" dir=\"ltr\">English</a>")
        .expect_text("<a href=\"/blogs/?language=de\" lang=\"de\" dir=\"ltr\" aria-current=\"page\">Deutsch</a>")
        .expect_text("<a href=\"/blogs/?language=de&#38;order=top\">Top</a>");
    let titles = |list: Value| list["results"].as_array().unwrap().iter().map(|post| post["title"].clone()).collect();
    let listed: Vec<Value> = titles(guest.get("/blogs/?language=DE&order=top").await.expect(200).json());
    assert_eq!(listed, ["Kai", "Hafen"]);
    guest.page("/blogs/?language=fr").await.expect(200).expect_text("No posts in this language yet.");
    for path in ["/blogs/?language=xx", "/blogs/?language=de&q=hafen"] {
        let problem = guest.get(path).await.expect(400).json();
        assert!(problem["errors"]["language"][0].is_string(), "{problem}");
    }
}

#[actix_web::test]
async fn list_can_be_limited_to_authors_times_and_ids() {
    let site = TestSite::start().await;
    let (ann, guest) = (site.user("ann").await, site.guest());
    let first = site.post("ben").await;
    site.advance_clock(TimeDelta::hours(1));
    for title in ["Two", "Three"] {
        ann.post("/blogs/create/", &json!({ "title": title, "content": "t" })).await.expect(201);
    }
    let ids = async |query: &str| {
        let list = guest.get(&format!("/blogs/?{query}")).await.expect(200).json();
        list["results"].as_array().unwrap().iter().map(|post| post["id"].as_i64().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(ids("author=ANN").await, [first + 2, first + 1]);
    assert_eq!(ids("since=2026-01-01T12:30:00Z").await, [first + 2, first + 1]);
    assert_eq!(ids("since=2026-01-01T15:30:00%2B03:30&author=ben").await, [first]);
    assert_eq!(ids(&format!("ids={first},{},999", first + 2)).await, [first + 2, first]);
    guest.get("/blogs/?author=nobody").await.expect(404);
    let many = (1..=101).map(|id| id.to_string()).collect::<Vec<_>>().join(",");
    for (name, value) in [("since", "2026-01-01"), ("ids", "1,x"), ("ids", &many), ("author", "ann&q=two")] {
        let problem = guest.get(&format!("/blogs/?{name}={value}")).await.expect_problem(400, "invalid").json();
        assert!(problem["errors"][name][0].is_string(), "{problem}");
    }
}

#[actix_web::test]
async fn rating_statistics_of_several_posts_are_read_at_once() {
    let site = TestSite::start().await;
    let (first, second) = (site.post("ann").await, site.post("ben").await);
    let draft = json!({ "title": "Draft", "content": "t", "status": "draft" });
    let draft = site.user("cy").await.post("/blogs/create/", &draft).await.expect(201).json()["id"].clone();
    site.user("dee").await.rate(second, 4).await.expect(201);
    let guest = site.guest();
    let answer =
        guest.get(&format!("/rate/get_blog_rating/?ids={second},{first},{draft},999")).await.expect(200).json();
    let results = answer["results"].as_array().unwrap();
    let blogs: Vec<_> = results.iter().map(|post| (post["blog"].as_i64(), post["total_ratings"].as_i64())).collect();
    assert_eq!(blogs, [(Some(first), Some(0)), (Some(second), Some(1))]);
    let mut single = guest.get(&format!("/rate/get_blog_rating/{second}/")).await.expect(200).json();
    single["blog"] = second.into();
    assert_eq!(results[1], single);
    for query in ["", "?ids=", "?ids=1,,2", "?ids=0"] {
        let problem = guest.get(&format!("/rate/get_blog_rating/{query}")).await.expect_problem(400, "invalid").json();
        assert!(problem["errors"]["ids"][0].is_string(), "{problem}");
    }
}

#[actix_web::test]
async fn search_shows_the_number_of_results_and_a_matching_tag() {
    let site = TestSite::start().await;
    let ann = site.user("ann").await;
    let post = json!({ "title": "Winter sea", "content": "t", "tags": ["winter-sea"] });
    ann.post("/blogs/create/", &post).await.expect(201);
    ann.write("Winter", "The sea.").await;
    ann.write("Harbour", "t").await;
    let search_page = async |query: &str| site.guest().page(&format!("/blogs/?q={query}")).await.expect(200);
    let page = search_page("winter+sea").await.expect_text("2 posts found.").expect_text("value=\"winter sea\"");
    page.expect_text("<a href=\"/blogs/?tag=winter-sea\">Posts about <bdi>#winter-sea</bdi></a>");
    search_page("harbour").await.expect_text("1 post found.");
    search_page("%23winter-sea").await.expect_text("Posts about <bdi>#winter-sea</bdi>");
    // A query with only excluded words matches nothing.
    search_page("-winter").await.expect_text("0 posts found.").expect_text("is too common to search for");
    search_page("zebra").await.expect_text("0 posts found.").expect_text("No posts found");
    site.guest().page("/users/login/").await.expect_text("role=\"search\"");
}

#[actix_web::test]
async fn search_suggests_published_authors_by_username_prefix() {
    let site = TestSite::start().await;
    for author in ["ann", "old_salt"] {
        site.post(author).await;
    }
    site.user("annika").await;
    let search_page = async |query: &str| site.guest().page(&format!("/blogs/?q={query}")).await.expect(200);
    search_page("an").await.expect_text("Posts by <bdi>ann</bdi>").expect_no_text("annika");
    search_page("old_s").await.expect_text("Posts by <bdi>old_salt</bdi>");
    // `_` is not a wildcard.
    search_page("o_d").await.expect_no_text("old_salt");
}

#[actix_web::test]
async fn search_snippet_has_no_list_heading_and_table_marks() {
    let site = TestSite::start().await;
    let ann = site.user("ann").await;
    let content = "- needle\n- [x] straw\n\n## Hay\n\n| a | **b** |\n|---|---|\n| c | d |\n\nThe first paragraph.";
    ann.write("Barn", content).await;
    let page = site.guest().page("/blogs/?q=needle").await.expect(200);
    page.expect_text("><mark>needle</mark> straw Hay a b c d The first paragraph.</p>");
}
