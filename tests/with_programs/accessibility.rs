//! Accessibility of all pages, checked with axe-core in light and dark mode and on narrow screens.

use fantoccini::{Client, Locator};
use serde_json::{Value, json};

use crate::driver::{Driver, click_in_view, fill, open_account_menu, press, register, see, see_written};
use crate::images::SAMPLE;
use crate::support::{Actor, TestSite};
use crate::translations;

/// Path of axe-core, which `npm install --no-save --prefix target/tools axe-core` installs.
pub const AXE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/target/tools/node_modules/axe-core/axe.min.js");

async fn violations(browser: &Client, axe: &str) -> Vec<String> {
    browser.execute(axe, Vec::new()).await.unwrap();
    let run = "const done = arguments[arguments.length - 1]; axe.run({ resultTypes: ['violations'] }).then(done, (error) => done(String(error)));";
    let results = browser.execute_async(run, Vec::new()).await.unwrap();
    let found = results["violations"].as_array().unwrap_or_else(|| panic!("{results}"));
    let say = |violation: &Value| {
        let nodes = violation["nodes"].as_array().unwrap();
        let nodes: Vec<String> =
            nodes.iter().take(3).map(|node| format!("{} ({})", node["html"], node["any"][0]["message"])).collect();
        format!("{}: {}", violation["id"], nodes.join("; "))
    };
    found.iter().map(say).collect()
}

/// Fills a site so that every kind of page has content.
async fn furnish(site: &TestSite) -> i64 {
    let ann = site.user("ann").await;
    let content = "# One\n\nText with `code`, a [link](/) and a note[^1].\n\n```rust\n// comment\nfn main() { print(\"x\", 1); }\n```\n\n\
        ## Two\n\n> quoted\n\n|a|b|\n|-|-:|\n|1|2|\n\n### سه\n\n- [x] done\n\n1. one\n\n[^1]: The note.\n";
    let body = json!({ "title": "A long post", "content": content, "tags": ["sea", "دریا"] });
    let post = ann.post("/blogs/create/", &body).await.expect(201).json()["id"].as_i64().unwrap();
    ann.write("Another", "t").await;
    for reader in site.many_users(3).await {
        reader.rate(post, 4).await;
    }
    post
}

async fn walk(browser: &Client, axe: &str, url: &str, paths: &[String], found: &mut Vec<String>) {
    for path in paths {
        browser.goto(&format!("{url}{path}")).await.unwrap();
        found.extend(violations(browser, axe).await.into_iter().map(|violation| format!("{path} {violation}")));
    }
}

/// Uploads an image without alternative text.
async fn add_picture(browser: &Client, url: &str) {
    browser.goto(&format!("{url}/images/")).await.unwrap();
    fill(browser, "image", SAMPLE).await;
    browser.find(Locator::Css("main form button")).await.unwrap().click().await.unwrap();
    see(browser, ".notice.done", "Image uploaded. To show it in a post").await;
}

async fn paused_link(cy: &Actor, post: i64) -> String {
    cy.rate(post, 3).await;
    loop {
        let answer = cy.rate(post, 3).await;
        if let Some(link) = answer.json()["unpause_url"].as_str() {
            return link["http://127.0.0.1:8000".len()..].to_owned();
        }
    }
}

/// Reports a post anonymously and dismisses the report. Returns the path of the visitor's report.
async fn reported(site: &TestSite) -> String {
    let report = [("category", "spam"), ("explanation", "It sells birds.")];
    let link = site.guest().submit("/blogs/1/report/", &report).await.expect(303).header("location").to_owned();
    let mo = site.user("mo").await;
    sqlx::query("update users set is_staff = true where username = 'mo'").execute(&site.pool).await.unwrap();
    let decision =
        serde_json::json!({ "ruling": "keep", "reason": "Birds may be sold.", "seen": "open", "version": 1 });
    mo.post("/admin/reports/1/", &decision).await.expect(200);
    let hours = "insert into site_hours select date_trunc('hour', $1::timestamptz) - n * interval '1 hour', 30 - n, 100, 3 * n, n
        from generate_series(0, 23) n";
    let now = site.site().state.now().await.unwrap();
    sqlx::query(hours).bind(now).execute(&site.pool).await.unwrap();
    link
}

pub async fn axe_finds_no_violations_in_light_mode() {
    find_no_violations("light").await;
}

pub async fn axe_finds_no_violations_in_dark_mode() {
    find_no_violations("dark").await;
}

async fn find_no_violations(scheme: &str) {
    let (driver, axe) = (Driver::start(), std::fs::read_to_string(AXE).unwrap());
    let settings =
        [("LEAKY_BUCKET_CAPACITY", "2"), ("LEAKY_BUCKET_LEAK_PER_SECOND", "0.01"), ("ZOMBIE_PAUSE_BURST", "1")];
    let site = TestSite::start_with(&settings, 1).await;
    let post = furnish(&site).await;
    let url = format!("http://{}", site.instances[0]);
    let flags: &[&'static str] = if scheme == "dark" { &["--blink-settings=preferredColorScheme=0"] } else { &[] };
    let browser = driver.browser_with(true, flags).await;
    let dark = "return matchMedia('(prefers-color-scheme: dark)').matches";
    assert_eq!(browser.execute(dark, Vec::new()).await.unwrap(), json!(scheme == "dark"));
    let mut found = Vec::new();
    let anybody = [
        "/",
        "/blogs/?order=top",
        "/blogs/?q=post",
        "/blogs/?q=nothing",
        "/blogs/?tag=sea",
        "/users/ann/",
        "/users/login/",
        "/users/register/",
        "/users/password_reset/",
        "/users/owner/",
        "/nowhere/",
    ];
    let mut paths: Vec<String> = anybody.map(str::to_owned).to_vec();
    paths.extend([format!("/blogs/{post}/"), format!("/blogs/{post}/ratings/"), "/blogs/2/ratings/".to_owned()]);
    let cy = site.user("cy").await;
    cy.submit("/blogs/create/", &[("title", "x"), ("content", "y"), ("status", "draft")]).await.expect(303);
    paths.push(reported(&site).await);
    let webhook = "insert into webhooks (url, secret, events, created_at)
        values ('https://example.com/hook', '\\xff', '{post.published}', now())";
    sqlx::query(webhook).execute(&site.pool).await.unwrap();
    // The page that lifts a pause comes last, because the test then lifts the pause.
    paths.push(paused_link(&cy, 2).await);
    walk(&browser, &axe, &url, &paths, &mut found).await;
    // Checks pages for signed-in users, including forms with errors.
    press(&browser).await;
    see(&browser, ".notice", "Pause lifted.").await;
    register(&browser, &url, "ben").await;
    add_picture(&browser, &url).await;
    let own = [
        "/blogs/create/",
        "/blogs/drafts/",
        "/rate/mine/",
        "/rate/paused/",
        "/users/ben/",
        "/users/password_change/",
        "/users/account/",
        "/users/profile/",
        "/images/",
        "/users/sessions/",
        "/users/tokens/",
        "/users/second_factor/",
        "/users/delete/",
        "/reports/",
        "/blogs/tags/",
    ];
    let mut paths: Vec<String> = own.map(str::to_owned).to_vec();
    paths.push(format!("/blogs/{post}/"));
    walk(&browser, &axe, &url, &paths, &mut found).await;
    let staff = async |is_staff: bool| {
        let change = sqlx::query("update users set is_staff = $1 where username = 'ben'").bind(is_staff);
        change.execute(&site.pool).await.unwrap();
    };
    staff(true).await;
    let admin = [
        "/admin/",
        "/admin/users/",
        "/admin/users/ben/",
        "/admin/act/?act=block&selected=ann",
        "/admin/act/?act=role&selected=ann",
        "/admin/limiter/",
        "/admin/limiter/?title=long",
        "/admin/limiter/choose/?limiter=surge",
        "/admin/limiter/choose/?limiter=ema&z=0&alpha=2",
        "/admin/limiter/choose/?limiter=leaky_bucket",
        "/admin/log/",
        "/admin/log/?act=x",
        "/admin/reports/",
        "/admin/reports/1/",
        "/admin/posts/",
        "/admin/ratings/",
        "/admin/ratings/?post=1",
        "/admin/tags/",
        "/admin/links/",
        "/admin/pauses/",
        "/admin/sessions/",
        "/admin/tokens/",
        "/admin/limiter/states/",
        "/admin/mails/",
        "/admin/webhooks/",
        "/admin/webhooks/1/",
        "/admin/webhooks/deliveries/",
        "/admin/act/?act=unpublish&selected=1",
        "/reports/",
        "/blogs/1/report/",
        "/users/invitations/",
    ]
    .map(str::to_owned);
    walk(&browser, &axe, &url, &admin, &mut found).await;
    open_account_menu(&browser).await;
    found.extend(violations(&browser, &axe).await);
    browser.find(Locator::Css(".search-menu summary")).await.unwrap().click().await.unwrap();
    found.extend(violations(&browser, &axe).await);
    staff(false).await;
    browser.goto(&format!("{url}/blogs/{post}/")).await.unwrap();
    browser.find(Locator::Css("input[name=rating][value='1']")).await.unwrap().click().await.unwrap();
    see(&browser, "#outcome.later", "This post is getting many ratings right now.").await;
    found.extend(violations(&browser, &axe).await);
    browser.goto(&format!("{url}/blogs/create/")).await.unwrap();
    fill(&browser, "title", "Mine").await;
    fill(&browser, "content", "# *One*\n\n`x`").await;
    click_in_view(&browser, ".settings summary").await;
    fill(&browser, "tags", "not a tag!").await;
    browser.find(Locator::Css("[data-preview]")).await.unwrap().click().await.unwrap();
    see_written(&browser, "#preview em", "One").await;
    found.extend(violations(&browser, &axe).await);
    press(&browser).await;
    see(&browser, "#errors h2", "Please fix the errors below").await;
    found.extend(violations(&browser, &axe).await);
    let tags = browser.find(Locator::Id("tags")).await.unwrap();
    tags.clear().await.unwrap();
    press(&browser).await;
    see(&browser, ".notice.done", "Post published. ").await;
    let mine = browser.current_url().await.unwrap();
    let id = mine.path().split('/').nth(2).unwrap().to_owned();
    walk(
        &browser,
        &axe,
        &url,
        &[format!("/blogs/{id}/"), format!("/blogs/{id}/delete/"), format!("/blogs/{id}/edit/")],
        &mut found,
    )
    .await;
    sqlx::query("update blog_posts set version = 7, content = 'Two'").execute(&site.pool).await.unwrap();
    press(&browser).await;
    see(&browser, "#theirs-heading", "Latest saved version").await;
    found.extend(violations(&browser, &axe).await);
    press(&browser).await;
    see(&browser, ".notice.done", "Changes saved.").await;
    let versions = [format!("/blogs/{id}/revisions/"), format!("/blogs/{id}/revisions/7/")];
    walk(&browser, &axe, &url, &versions, &mut found).await;
    browser.close().await.unwrap();
    assert!(found.is_empty(), "{scheme}: {}", found.join("\n"));
}

/// Script that returns layout overflow: a page that scrolls sideways, or clipped text. Elements for screen readers
/// only, which are one pixel wide, are ignored.
const CUT: &str = "const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
    const cut = [...document.querySelectorAll('main *, header *, footer *')].filter((one) => {
        const style = getComputedStyle(one);
        const isSeen = one.clientWidth > 1 && !one.closest('svg');
        return isSeen && style.overflowX === 'hidden' && one.scrollWidth > one.clientWidth + 1 && one.textContent.trim();
    });
    const outside = [...document.querySelectorAll('svg text, svg p')].filter((one) => {
        const shows = getComputedStyle(one.closest('svg')).overflow === 'visible' ? document.documentElement : one.closest('svg');
        const [text, picture] = [one, shows].map((element) => element.getBoundingClientRect());
        return text.width && (text.left < picture.left - 1 || text.right > picture.right + 1
            || (one.matches('p') && one.scrollHeight > one.clientHeight + 1));
    });
    return [...(wide > 0 ? [`${wide} pixels too wide`] : []), ...[...cut, ...outside].map((one) => one.outerHTML.slice(0, 200))];";

/// Checks all pages for clipped text on a screen that is 320 pixels wide. In English, the pseudolocale `en-XA` is used,
/// which has longer words.
pub async fn narrow_screen_cuts_nothing_off() {
    let driver = Driver::start();
    let site = TestSite::start_with(&[], 1).await;
    let post = furnish(&site).await;
    let url = format!("http://{}", site.instances[0]);
    let browser = driver.browser(true).await;
    register(&browser, &url, "cy").await;
    sqlx::query("update users set is_staff = true where username = 'cy'").execute(&site.pool).await.unwrap();
    let report = reported(&site).await;
    // Adds refused ratings, which add text to the chart.
    sqlx::query("update rating_totals set open_refused = 3, open_refused_1 = 3").execute(&site.pool).await.unwrap();
    let language = if translations::language().tag() == "en" { "en-XA" } else { translations::language().tag() };
    let choose = format!(
        "const done = arguments[0];
        fetch('/language/', {{ method: 'POST', headers: {{ Accept: 'application/json', 'Content-Type': 'application/json' }},
            body: '{{\"language\": \"{language}\"}}' }}).then(() => done(true), () => done(false));"
    );
    assert_eq!(browser.execute_async(&choose, Vec::new()).await.unwrap(), json!(true));
    browser.set_window_size(320, 900).await.unwrap();
    let mut found = Vec::new();
    let post = format!("/blogs/{post}/");
    for path in [
        "/",
        "/blogs/?q=post",
        "/blogs/create/",
        "/blogs/drafts/",
        "/images/",
        "/rate/mine/",
        "/rate/classes/",
        "/users/ann/",
        "/users/cy/",
        "/users/login/",
        "/users/register/",
        "/users/account/",
        "/users/profile/",
        "/users/sessions/",
        "/users/tokens/",
        "/users/second_factor/",
        "/users/invitations/",
        "/admin/",
        "/admin/users/",
        "/admin/act/?act=block&selected=ann",
        "/admin/limiter/",
        "/admin/limiter/choose/?limiter=surge",
        "/admin/limiter/choose/?limiter=leaky_bucket",
        "/admin/log/",
        "/admin/reports/?status=all",
        "/admin/reports/1/",
        "/admin/posts/",
        "/admin/ratings/?post=1",
        "/admin/sessions/",
        "/admin/tokens/",
        "/admin/limiter/states/",
        "/admin/act/?act=unpublish&selected=1",
        "/reports/",
        &report,
        "/blogs/1/report/",
        "/users/delete/",
        "/users/password_change/",
        "/nowhere/",
        &post,
        &format!("{post}ratings/"),
        &format!("{post}ratings/exclude/"),
        &format!("{post}edit/"),
        &format!("{post}delete/"),
    ] {
        browser.goto(&format!("{url}{path}")).await.unwrap();
        assert_eq!(browser.execute("return document.documentElement.lang", Vec::new()).await.unwrap(), json!(language));
        let cut = browser.execute(CUT, Vec::new()).await.unwrap();
        found.extend(cut.as_array().unwrap().iter().map(|cut| format!("{path}: {cut}")));
    }
    assert_eq!(found, [""; 0]);
    browser.close().await.unwrap();
}
