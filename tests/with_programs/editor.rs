//! Post editor: typing help, tags, the caret in the preview, and drafts that are saved while their author writes.

use fantoccini::{Client, Locator};
use serde_json::{Value, json};

use crate::driver::{Setup, click_in_view, fill, found, press, register, see, see_written, value_of};
use crate::support::{PASSWORD, TestSite, until};
use crate::translations;

const ENTER: char = '\u{e007}';

fn control(key: &str) -> String {
    format!("\u{e009}{key}\u{e000}")
}

async fn send_keys(browser: &Client, keys: &str) {
    browser.active_element().await.unwrap().send_keys(keys).await.unwrap();
}

async fn open_editor(browser: &Client, url: &str) {
    browser.set_window_size(1400, 900).await.unwrap();
    register(browser, url, "ann").await;
    browser.goto(&format!("{url}/blogs/create/")).await.unwrap();
    found(browser, Locator::Css(".toolbar button")).await;
}

/// Replaces the text and selects a part of it.
async fn set_text(browser: &Client, content: &str, selected: &str) {
    let script = "const text = document.getElementById('content');
        text.value = arguments[0];
        text.focus();
        const start = arguments[1] ? text.value.indexOf(arguments[1]) : text.value.length;
        text.setSelectionRange(start, start + arguments[1].length);";
    browser.execute(script, vec![json!(content), json!(selected)]).await.unwrap();
}

async fn click_tool(browser: &Client, label: &'static str) -> String {
    let script =
        "[...document.querySelectorAll('.toolbar button')].find((one) => one.textContent === arguments[0]).click()";
    browser.execute(script, vec![json!(translations::message(label))]).await.unwrap();
    value_of(browser, "content").await
}

pub async fn editor_continues_lists_and_links_pasted_urls() {
    let Setup { driver, site: _site, url } = Setup::start().await;
    let ann = driver.browser(true).await;
    open_editor(&ann, &url).await;
    for (before, after) in [
        ("- a", "- a\n- b"),
        ("  * a", "  * a\n  * b"),
        ("9. a", "9. a\n10. b"),
        ("- [x] a", "- [x] a\n- [ ] b"),
        ("> a", "> a\n> b"),
        ("> 1. a", "> 1. a\n> 2. b"),
        // An empty item ends the list.
        ("- a\n- ", "- a\n\nb"),
        ("> - a\n> - ", "> - a\n>\n> b"),
        ("a", "a\nb"),
        ("```\n- a", "```\n- a\nb"),
    ] {
        set_text(&ann, before, "").await;
        send_keys(&ann, &format!("{ENTER}b")).await;
        assert_eq!(value_of(&ann, "content").await, after, "{before}");
    }
    set_text(&ann, "- a", "").await;
    send_keys(&ann, &format!("{ENTER}{}", control("z"))).await;
    assert_eq!(value_of(&ann, "content").await, "- a");
    // The Tab key leaves the text, so that keyboard users are not trapped.
    send_keys(&ann, "\u{e004}").await;
    assert_ne!(ann.active_element().await.unwrap().attr("id").await.unwrap().as_deref(), Some("content"));
    assert_eq!(value_of(&ann, "content").await, "- a");

    let paste = async |address: &str| {
        let script = "const data = new DataTransfer();
            data.setData('text/plain', arguments[0]);
            const event = new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true });
            return document.getElementById('content').dispatchEvent(event)";
        let is_pasted_as_text = ann.execute(script, vec![json!(address)]).await.unwrap();
        (is_pasted_as_text == json!(true), value_of(&ann, "content").await)
    };
    set_text(&ann, "See herons here", "herons").await;
    assert_eq!(paste("https://e.example/a").await, (false, "See [herons](https://e.example/a) here".to_owned()));
    send_keys(&ann, &control("z")).await;
    assert_eq!(value_of(&ann, "content").await, "See herons here");
    for (selected, pasted) in [("", "https://e.example/a"), ("herons", "waders"), ("https://", "https://e.example/a")] {
        let before = "See herons and [this](https://)";
        set_text(&ann, before, selected).await;
        assert_eq!(paste(pasted).await, (true, before.to_owned()), "{selected}");
    }
    ann.close().await.unwrap();
}

pub async fn editor_inserts_headings_numbered_lists_and_tables() {
    let Setup { driver, site: _site, url } = Setup::start().await;
    let ann = driver.browser(true).await;
    open_editor(&ann, &url).await;
    set_text(&ann, "one", "").await;
    for after in ["## one", "### one", "one"] {
        assert_eq!(click_tool(&ann, "script-heading").await, after);
    }
    set_text(&ann, "one\ntwo", "one\ntwo").await;
    assert_eq!(click_tool(&ann, "script-numbered-list-button").await, "1. one\n2. two");
    assert_eq!(click_tool(&ann, "script-list").await, "- one\n- two");
    assert_eq!(click_tool(&ann, "script-list").await, "one\ntwo");
    set_text(&ann, "one\ntwo", "one").await;
    let column = translations::message("script-table-column");
    let table = format!("one\n\n| {column} | {column} |\n| --- | --- |\n|  |  |\n\ntwo");
    assert_eq!(click_tool(&ann, "script-table").await, table);
    send_keys(&ann, "Year").await;
    assert!(value_of(&ann, "content").await.starts_with(&format!("one\n\n| Year | {column} |")));
    ann.close().await.unwrap();
}

pub async fn editor_suggests_frequent_tags() {
    let Setup { driver, site, url } = Setup::start().await;
    let ben = site.user("ben").await;
    for tags in [json!(["herons", "birds"]), json!(["herons", "rivers"])] {
        ben.post("/blogs/create/", &json!({ "title": "T", "content": "t", "tags": tags })).await.expect(201);
    }
    let ann = driver.browser(true).await;
    open_editor(&ann, &url).await;
    let suggested = async || {
        let script = "return [...document.querySelectorAll('.frequent-tags li:not([hidden]) button')]
            .map((one) => one.value + (one.ariaPressed === 'true' ? ' selected' : ''))";
        ann.execute(script, Vec::new()).await.unwrap()
    };
    assert_eq!(suggested().await, json!(["herons", "birds", "rivers"]));
    // A suggestion completes the typed tag, and the field keeps the focus.
    fill(&ann, "tags", "Water, RIV").await;
    assert_eq!(suggested().await, json!(["rivers"]));
    click_in_view(&ann, ".frequent-tags button[value=rivers]").await;
    assert_eq!(value_of(&ann, "tags").await, "water, rivers");
    assert_eq!(suggested().await, json!(["herons", "birds", "rivers selected"]));
    assert_eq!(ann.active_element().await.unwrap().attr("id").await.unwrap().as_deref(), Some("tags"));
    // Suggestions are reached and selected by keyboard.
    send_keys(&ann, "\u{e004}").await;
    send_keys(&ann, " ").await;
    assert_eq!(value_of(&ann, "tags").await, "water, rivers, herons");
    click_in_view(&ann, ".frequent-tags button[value=rivers]").await;
    assert_eq!(value_of(&ann, "tags").await, "water, herons");
    ann.close().await.unwrap();
}

pub async fn preview_follows_the_caret() {
    let Setup { driver, site: _site, url } = Setup::start().await;
    let ann = driver.browser(true).await;
    open_editor(&ann, &url).await;
    let part = |number: usize| {
        let list = "1. A [heron](https://e.example/herons/) waits.\n".repeat(20);
        format!("## Part {number}\n\n{list}\n```sh\n# No heading {number}\n```\n\nEnd {number}\n\n")
    };
    set_text(&ann, &(1..=5).map(part).collect::<String>(), "").await;
    ann.find(Locator::Css(".toolbar [aria-pressed]")).await.unwrap().click().await.unwrap();
    see_written(&ann, "#preview .content > :last-child", "End 5").await;
    for target in ["End 2", "End 5", "Part 1", "End 4"] {
        // Moves the caret by script and then by one letter with the arrow key.
        let script = "const text = document.getElementById('content');
            const start = text.value.indexOf(arguments[0]);
            text.focus();
            text.setSelectionRange(start, start);";
        ann.execute(script, vec![json!(target)]).await.unwrap();
        send_keys(&ann, "\u{e014}").await;
        let is_seen = "const view = document.getElementById('preview').getBoundingClientRect();
            const block = [...document.querySelectorAll('#preview .content > *')]
                .find((one) => one.textContent === arguments[0]).getBoundingClientRect();
            return block.top >= view.top && block.bottom <= view.bottom";
        assert_eq!(ann.execute(is_seen, vec![json!(target)]).await.unwrap(), Value::Bool(true), "{target}");
    }
    ann.close().await.unwrap();
}

/// State of the text, in the status line of the editor.
const STATE: &str = ".writing-status span + span";

async fn sign_in(browser: &Client, url: &str, name: &str) {
    browser.goto(&format!("{url}/users/login/")).await.unwrap();
    fill(browser, "username", name).await;
    fill(browser, "password", PASSWORD).await;
    press(browser).await;
    found(browser, Locator::Css("form[action='/users/logout/']")).await;
}

async fn saved_text(site: &TestSite) -> String {
    sqlx::query_scalar("select content from blog_posts where id = 1").fetch_one(&site.pool).await.unwrap()
}

async fn press_button(browser: &Client, css: &str) {
    found(browser, Locator::Css(css)).await.click().await.unwrap();
}

/// Number of texts in the browser's local storage.
async fn kept_texts(browser: &Client) -> Value {
    let script = "return Object.keys(localStorage).filter((key) => /^evenkeel:\\d+:(\\d+|new):/.test(key)).length";
    browser.execute(script, Vec::new()).await.unwrap()
}

/// Writes a draft that is saved without a button, in a browser that shows its editor.
async fn write_draft(browser: &Client, url: &str) {
    open_editor(browser, url).await;
    fill(browser, "title", "Herons").await;
    fill(browser, "content", "They stand.").await;
    see(browser, STATE, "Saved at").await;
}

pub async fn draft_is_continued_in_another_browser_without_pressing_save() {
    let Setup { driver, site, url } = Setup::start().await;
    let (desktop, phone) = (driver.browser(true).await, driver.browser(true).await);
    write_draft(&desktop, &url).await;
    assert_eq!(desktop.current_url().await.unwrap().path(), "/blogs/1/edit/");
    assert_eq!(kept_texts(&desktop).await, json!(0));
    sign_in(&phone, &url, "ann").await;
    phone.goto(&format!("{url}/blogs/1/edit/")).await.unwrap();
    assert_eq!(value_of(&phone, "content").await, "They stand.");
    fill(&phone, "content", " They wait.").await;
    see(&phone, STATE, "Saved at").await;
    // The first browser shows the latest text when the user returns to its page.
    desktop.execute("document.dispatchEvent(new Event('visibilitychange'))", Vec::new()).await.unwrap();
    see(&desktop, ".writing-status", "4 words · 1 min read").await;
    assert_eq!(value_of(&desktop, "content").await, "They stand. They wait.");
    desktop.close().await.unwrap();
    phone.close().await.unwrap();
    assert_eq!(site.count("blog_posts").await, 1);
}

pub async fn autosave_does_not_overwrite_changes_of_another_browser() {
    let Setup { driver, site, url } = Setup::start().await;
    let (desktop, phone) = (driver.browser(true).await, driver.browser(true).await);
    write_draft(&desktop, &url).await;
    sign_in(&phone, &url, "ann").await;
    phone.goto(&format!("{url}/blogs/1/edit/")).await.unwrap();
    fill(&phone, "content", " They wait.").await;
    see(&phone, STATE, "Saved at").await;
    fill(&desktop, "content", " They fly.").await;
    see(&desktop, STATE, "This draft was changed on another device or in another tab.").await;
    assert_eq!(value_of(&desktop, "content").await, "They stand. They fly.");
    assert_eq!(kept_texts(&desktop).await, json!(1));
    click_in_view(&desktop, ".writing-status button").await;
    see(&desktop, "#theirs-heading", "Latest saved version").await;
    assert_eq!(value_of(&desktop, "content").await, "They stand. They fly.");
    assert_eq!(saved_text(&site).await, "They stand. They wait.");
    press_button(&desktop, ".theirs button[form=write]").await;
    see(&desktop, ".notice.done", "Draft saved.").await;
    assert_eq!(saved_text(&site).await, "They stand. They fly.");
    assert_eq!(kept_texts(&desktop).await, json!(0));
    desktop.close().await.unwrap();
    phone.close().await.unwrap();
}

pub async fn draft_is_kept_in_the_browser_while_signed_out() {
    let Setup { driver, site, url } = Setup::start().await;
    let ann = driver.browser(true).await;
    open_editor(&ann, &url).await;
    sqlx::query("delete from sessions").execute(&site.pool).await.unwrap();
    fill(&ann, "title", "Herons").await;
    fill(&ann, "content", "They stand.").await;
    see(&ann, STATE, "You’re signed out. Your text is kept in this browser.").await;
    assert_eq!((kept_texts(&ann).await, site.count("blog_posts").await), (json!(1), 0));
    let sign_in_link = found(&ann, Locator::Css(".writing-status a[target=_blank]")).await;
    assert_eq!(sign_in_link.attr("href").await.unwrap().as_deref(), Some("/users/login/"));
    ann.close().await.unwrap();
}

pub async fn stored_text_is_offered_if_a_newer_version_is_saved() {
    let Setup { driver, site, url } = Setup::start().await;
    let ann = driver.browser(true).await;
    open_editor(&ann, &url).await;
    fill(&ann, "title", "Herons").await;
    fill(&ann, "content", "They stand.").await;
    press_button(&ann, "#status button[value=published]").await;
    see(&ann, ".notice.done", "Post published.").await;
    let edit = format!("{url}/blogs/1/edit/");
    ann.goto(&edit).await.unwrap();
    fill(&ann, "content", " They fly.").await;
    see(&ann, STATE, "Kept in this browser at").await;
    ann.goto(&format!("{url}/blogs/")).await.unwrap();
    let save = "update blog_posts set content = 'They stand. They wait.', version = 2";
    sqlx::query(save).execute(&site.pool).await.unwrap();
    ann.goto(&edit).await.unwrap();
    see(&ann, ".kept", "This browser has unsaved changes from").await;
    assert_eq!(value_of(&ann, "content").await, "They stand. They wait.");
    press_button(&ann, ".kept button").await;
    see(&ann, "#theirs-heading", "Latest saved version").await;
    assert_eq!(value_of(&ann, "content").await, "They stand. They fly.");
    assert_eq!(saved_text(&site).await, "They stand. They wait.");
    ann.close().await.unwrap();
}

pub async fn rejected_text_does_not_return_after_it_was_corrected() {
    let Setup { driver, site: _site, url } = Setup::start().await;
    let ann = driver.browser(true).await;
    open_editor(&ann, &url).await;
    fill(&ann, "title", "Herons").await;
    fill(&ann, "content", "They stand.").await;
    fill(&ann, "tags", "a!").await;
    press_button(&ann, "#status button[value=published]").await;
    found(&ann, Locator::Id("errors")).await;
    ann.execute("document.getElementById('tags').value = 'birds'", Vec::new()).await.unwrap();
    press_button(&ann, "#status button[value=published]").await;
    see(&ann, ".notice.done", "Post published.").await;
    assert_eq!(kept_texts(&ann).await, json!(0));
    ann.close().await.unwrap();
}

pub async fn reload_during_an_autosave_is_no_conflict() {
    let Setup { driver, site, url } = Setup::start().await;
    let ann = driver.browser(true).await;
    write_draft(&ann, &url).await;
    fill(&ann, "content", " They wait.").await;
    ann.refresh().await.unwrap();
    see(&ann, ".writing-status", "4 words · 1 min read").await;
    fill(&ann, "content", " They fly.").await;
    until("the text is saved", async || (saved_text(&site).await == "They stand. They wait. They fly.").then_some(()))
        .await;
    ann.close().await.unwrap();
}
