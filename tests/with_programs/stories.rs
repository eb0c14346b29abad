//! What people do in a browser, with scripts and without.

use evenkeel::blog_posts::schedule::publish_due;
use fantoccini::{Client, Locator};
use serde_json::json;

use crate::driver::{Driver, fill, follow, found, press, register, see, see_written, value_of};
use crate::support::{PASSWORD, TestSite};
use crate::words;

/// Clicks a star, which with scripts is all there is to do.
async fn choose(browser: &Client, stars: u8) {
    let star = format!("input[name=rating][value='{stars}']");
    browser.find(Locator::Css(&star)).await.unwrap().click().await.unwrap();
}

/// Two people: one writes a post, the other rates it and changes the rating, and both see the average.
async fn story(scripts: bool) {
    let driver = Driver::start();
    let site = TestSite::start().await;
    let url = format!("http://{}", site.instances[0]);
    let (ann, ben) = (driver.browser(scripts).await, driver.browser(scripts).await);
    register(&ann, &url, "ann").await;
    register(&ben, &url, "ben").await;

    let readme = include_str!("../../README.md");
    follow(&ann, "Write").await;
    see(&ann, "h1", "Write a post").await;
    fill(&ann, "title", "README").await;
    // Typing it key by key would take a minute: it is pasted, through the clipboard of the driver.
    paste(&ann, readme).await;
    press(&ann).await;
    see(&ann, ".notice", "Published. http://").await;
    see(&ann, ".score", "No ratings yet").await;
    let post = ann.current_url().await.unwrap();

    ben.goto(&url).await.unwrap();
    follow(&ben, "README").await;
    see(&ben, "h1", "README").await;
    assert_eq!(ben.current_url().await.unwrap(), post);
    see_written(&ben, ".content h2", "Evenkeel").await;
    for (stars, told) in [(2, "Your rating of 2 stars is counted."), (5, "Your rating is now 5 stars.")] {
        choose(&ben, stars).await;
        if !scripts {
            press(&ben).await;
        }
        see(&ben, "#outcome", told).await;
        // Beside the stars, which are on the screen.
        let seen = "const { top, bottom } = document.getElementById('outcome').getBoundingClientRect();
            return top >= 0 && bottom <= innerHeight && !document.querySelector('main > .notice')";
        assert!(!scripts || ben.execute(seen, Vec::new()).await.unwrap() == json!(true));
    }
    for browser in [&ann, &ben] {
        browser.goto(post.as_str()).await.unwrap();
        see(browser, ".score", "Not enough ratings yet · 1 of 5").await;
    }
    see(&ann, "#rating p", "This post is your own").await;
    let chosen = ben.find(Locator::Css("input[name=rating]:checked")).await.unwrap();
    assert_eq!(chosen.attr("value").await.unwrap().as_deref(), Some("5"));

    ben.find(Locator::Css("header nav form button")).await.unwrap().click().await.unwrap();
    see(&ben, ".notice", "You are signed out.").await;
    ann.close().await.unwrap();
    ben.close().await.unwrap();
    assert_eq!(site.posts_with_wrong_totals().await, [0; 0]);
}

async fn paste(browser: &Client, text: &str) {
    // Keys are sent in one message; what is not in the basic plane is more than the driver can type.
    let typed: String = text.chars().filter(|c| u32::from(*c) < 0x1_0000).take(4_000).collect();
    fill(browser, "content", &typed).await;
}

pub async fn two_people_write_and_rate_in_a_browser() {
    story(true).await;
}

pub async fn the_same_with_scripts_off() {
    story(false).await;
}

/// The third rating of an instant is warned of on the next page, the fourth waits for 8 seconds.
pub async fn a_hasty_reader_is_warned_sees_the_countdown_and_is_released() {
    let driver = Driver::start();
    let settings = [("RATE_CLASSES", "on"), ("RATE_CLASS_RATE_USER", "3,5000,3000,3000,1300,0,0")];
    let site = TestSite::start_with(&settings, 1).await;
    let url = format!("http://{}", site.instances[0]);
    let post = site.post("ann").await;
    let ben = driver.browser(true).await;
    register(&ben, &url, "ben").await;
    ben.goto(&format!("{url}/blogs/{post}/")).await.unwrap();
    choose(&ben, 1).await;
    see(&ben, "#outcome", "Your rating of 1 star is counted.").await;
    choose(&ben, 2).await;
    see(&ben, "#outcome", "Your rating is now 2 stars.").await;
    see(&ben, "main > .notice", "You are rating very fast. Slow down, or you will have to wait for about").await;
    choose(&ben, 3).await;
    see(&ben, "#outcome", "Your rating is now 3 stars.").await;
    choose(&ben, 4).await;
    see(&ben, "#outcome.failed", "Too many requests.").await;
    // Nothing is lost, and nothing is sent while there is time left; the site's own clock stands still.
    // The button says why it does nothing yet.
    let hold = "main form button[aria-disabled=true]";
    see(&ben, hold, "Change my rating (in ").await;
    press(&ben).await;
    let chosen = ben.find(Locator::Css("input[name=rating]:checked")).await.unwrap();
    assert_eq!(chosen.attr("value").await.unwrap().as_deref(), Some("4"));
    see(&ben, ".wait [role=status]", "Not yet: please wait for").await;
    see(&ben, ".wait [aria-hidden]", "1 second left").await;
    see(&ben, ".wait [role=status]", "You can go on now.").await;
    assert!(ben.find(Locator::Css(hold)).await.is_err());
    site.advance_clock(chrono::TimeDelta::seconds(8));
    choose(&ben, 4).await;
    see(&ben, "#outcome.done", "Your rating is now 4 stars.").await;
    ben.close().await.unwrap();
}

/// What is typed into each field of the editor.
async fn typed(browser: &Client) -> String {
    let fields = "return [...document.querySelector('[data-autosave]').elements]
        .filter((field) => field.name && field.matches('input:not([type=hidden]), textarea') && !field.closest('#pictures'))
        .map((field) => `${field.name}: ${field.value}`).join('\\n')";
    browser.execute(fields, Vec::new()).await.unwrap().as_str().unwrap().to_owned()
}

pub async fn a_writer_previews_and_loses_nothing_when_the_session_ends() {
    let driver = Driver::start();
    let site = TestSite::start().await;
    let url = format!("http://{}", site.instances[0]);
    let ann = driver.browser(true).await;
    register(&ann, &url, "ann").await;
    ann.goto(&format!("{url}/blogs/create/")).await.unwrap();
    ann.find(Locator::Css(".details:not(#pictures) summary")).await.unwrap().click().await.unwrap();
    for field in typed(&ann).await.lines().map(|line| line.trim_end_matches(": ")) {
        match field {
            "content" => fill(&ann, field, "An *hour* of it.").await,
            "cover" => fill(&ann, field, "https://images.example/a.png").await,
            "publish_at" => set_time(&ann, "2026-06-01T12:00").await,
            field => fill(&ann, field, "Long work").await,
        }
    }
    let all = typed(&ann).await;
    assert!(all.lines().count() >= 3 && !all.lines().any(|line| line.ends_with(": ")), "{all}");
    ann.find(Locator::Css("[data-preview]")).await.unwrap().click().await.unwrap();
    see_written(&ann, "#preview em", "hour").await;
    assert_eq!(value_of(&ann, "content").await, "An *hour* of it.");
    see_written(&ann, "#preview .title", "Long work").await;
    // Signed out elsewhere in the meantime: the form leads to sign in, and from there back to what was typed.
    sqlx::query("delete from sessions").execute(&site.pool).await.unwrap();
    ann.find(Locator::Css("#status button")).await.unwrap().click().await.unwrap();
    see(&ann, "h1", "Sign in").await;
    see(&ann, "main .notice", "You are signed out. What you wrote (“Long work”) is safe").await;
    // Looking at somebody's post in between is no sign that one's own is saved.
    let other = site.post("zoe").await;
    let sign_in = ann.current_url().await.unwrap();
    ann.goto(&format!("{url}/blogs/{other}/")).await.unwrap();
    see_written(&ann, "h1", "A post").await;
    ann.goto(sign_in.as_str()).await.unwrap();
    fill(&ann, "username", "ann").await;
    fill(&ann, "password", PASSWORD).await;
    press(&ann).await;
    see(&ann, "h1", "Write a post").await;
    // It is there again, and can be taken away again; then typing writes over nothing.
    see(&ann, ".kept", "What you had typed and not saved").await;
    assert_eq!(typed(&ann).await, all);
    ann.find(Locator::Css(".kept button")).await.unwrap().click().await.unwrap();
    see(&ann, ".kept", "This is the text without what you had typed.").await;
    assert_eq!(value_of(&ann, "content").await, "");
    ann.find(Locator::Css(".kept button")).await.unwrap().click().await.unwrap();
    see(&ann, ".kept", "What you had typed and not saved").await;
    // Taken away and left alone it is not lost.
    ann.find(Locator::Css(".kept button")).await.unwrap().click().await.unwrap();
    see(&ann, ".kept", "This is the text without what you had typed.").await;
    ann.refresh().await.unwrap();
    see(&ann, ".kept", "What you had typed and not saved").await;
    assert_eq!(typed(&ann).await, all);
    ann.refresh().await.unwrap();
    see(&ann, ".kept", "What you had typed and not saved").await;
    see(&ann, ".writing-status", "4 words · 1 min read").await;
    // Also after going elsewhere in the same window, which may keep the page that was left.
    follow(&ann, "Evenkeel").await;
    see(&ann, "h1", "Latest posts").await;
    follow(&ann, "Write").await;
    see(&ann, ".kept", "What you had typed and not saved").await;
    assert_eq!(typed(&ann).await, all);
    // Enter in a field saves a draft: publishing is for good.
    ann.find(Locator::Id("title")).await.unwrap().send_keys("\u{e007}").await.unwrap();
    see(&ann, ".notice.done", "Your draft is saved.").await;
    // What is saved is kept no longer.
    ann.goto(&format!("{url}/blogs/create/")).await.unwrap();
    see(&ann, "h1", "Write a post").await;
    assert!(ann.find(Locator::Css(".kept")).await.is_err());
    // Signing out leaves nothing on the computer, and asks first where something would be lost.
    fill(&ann, "content", "Not saved").await;
    see(&ann, ".writing-status [role=status]", "Draft saved in this browser").await;
    let kept = "return Object.keys(localStorage).filter((key) => key.includes(':new:')).length";
    assert_eq!(ann.execute(kept, vec![]).await.unwrap(), json!(1));
    follow(&ann, "Evenkeel").await;
    see(&ann, "h1", "Latest posts").await;
    let sign_out = Locator::Css("form[action='/users/logout/'] button");
    ann.find(sign_out).await.unwrap().click().await.unwrap();
    assert_eq!(ann.get_alert_text().await.unwrap(), words::message("script-sign-out-deletes"));
    ann.dismiss_alert().await.unwrap();
    assert_eq!(ann.execute(kept, vec![]).await.unwrap(), json!(1));
    ann.find(sign_out).await.unwrap().click().await.unwrap();
    ann.accept_alert().await.unwrap();
    see(&ann, ".notice", "You are signed out.").await;
    assert_eq!(ann.execute(kept, vec![]).await.unwrap(), json!(0));
    ann.close().await.unwrap();
}

/// Sets when to publish. What is to be typed for a time depends on the browser's language.
async fn set_time(browser: &Client, time: &str) {
    let script = "const field = document.getElementById('publish_at'); field.value = arguments[0];
        field.dispatchEvent(new Event('input', { bubbles: true }));";
    browser.execute(script, vec![json!(time)]).await.unwrap();
}

pub async fn a_writer_sees_the_preview_beside_the_text_and_publishes_later() {
    let driver = Driver::start();
    let site = TestSite::start().await;
    let url = format!("http://{}", site.instances[0]);
    let ann = driver.browser(true).await;
    ann.set_window_size(1400, 900).await.unwrap();
    register(&ann, &url, "ann").await;
    ann.goto(&format!("{url}/blogs/create/")).await.unwrap();
    fill(&ann, "title", "Plans").await;
    fill(&ann, "content", "What *one* sees").await;
    ann.find(Locator::Css(".toolbar [aria-pressed]")).await.unwrap().click().await.unwrap();
    see_written(&ann, "#preview em", "one").await;
    // It follows what is typed, beside it, and is there again when the page is.
    fill(&ann, "content", " *now*").await;
    see_written(&ann, "#preview em + em", "now").await;
    let is_beside =
        "const [one, other] = ['preview', 'content'].map((id) => document.getElementById(id).getBoundingClientRect());
        return one.left >= other.right || one.right <= other.left";
    assert_eq!(ann.execute(is_beside, Vec::new()).await.unwrap(), json!(true));
    ann.refresh().await.unwrap();
    see_written(&ann, "#preview em + em", "now").await;
    // A time makes it a draft until then, and is told as this computer has it, too.
    ann.find(Locator::Css(".details:not(#pictures) summary")).await.unwrap().click().await.unwrap();
    set_time(&ann, "2026-01-01T18:00").await;
    see(&ann, "#here", "Where you are: ").await;
    ann.find(Locator::Css("#status button")).await.unwrap().click().await.unwrap();
    see(&ann, ".notice.done", "Your draft is saved. It will be published on").await;
    see(&ann, ".post .notice button", "Publish now").await;
    site.advance_clock(chrono::TimeDelta::hours(6));
    publish_due(&site.site().housekeeping().state).await.unwrap();
    let ben = driver.browser(true).await;
    ben.goto(&format!("{url}/blogs/")).await.unwrap();
    follow(&ben, "Plans").await;
    see_written(&ben, ".content em + em", "now").await;
    ann.close().await.unwrap();
    ben.close().await.unwrap();
}

pub async fn a_writer_marks_text_by_toolbar_and_shortcuts() {
    let driver = Driver::start();
    let site = TestSite::start().await;
    let url = format!("http://{}", site.instances[0]);
    let ann = driver.browser(true).await;
    register(&ann, &url, "ann").await;
    ann.goto(&format!("{url}/blogs/create/")).await.unwrap();
    fill(&ann, "content", "one two").await;
    see(&ann, ".writing-status", "2 words · 1 min read").await;
    let select = async |from: usize, to: usize| {
        let script = format!(
            "document.getElementById('content').focus(); document.getElementById('content').setSelectionRange({from}, {to})"
        );
        ann.execute(&script, Vec::new()).await.unwrap();
    };
    let tool = async |label: &'static str| {
        let script =
            "[...document.querySelectorAll('.toolbar button')].find((one) => one.textContent === arguments[0]).click()";
        ann.execute(script, vec![json!(words::message(label))]).await.unwrap();
        value_of(&ann, "content").await
    };
    select(4, 7).await;
    assert_eq!(tool("script-bold-button").await, "one **two**");
    // The same again takes the marks away, and what was done can be undone.
    assert_eq!(tool("script-bold-button").await, "one two");
    let control = |key: &str| format!("\u{e009}{key}\u{e000}");
    ann.active_element().await.unwrap().send_keys(&control("i")).await.unwrap();
    assert_eq!(value_of(&ann, "content").await, "one *two*");
    ann.active_element().await.unwrap().send_keys(&control("z")).await.unwrap();
    assert_eq!(value_of(&ann, "content").await, "one two");
    select(0, 0).await;
    assert_eq!(tool("script-heading").await, "## one two");
    assert_eq!(tool("script-heading").await, "one two");
    select(0, 3).await;
    assert_eq!(tool("script-link").await, "[one](https://) two");
    tool("script-full-screen").await;
    ann.find(Locator::Css("form.calm")).await.unwrap();
    assert!(!ann.find(Locator::Id("title")).await.unwrap().is_displayed().await.unwrap());
    ann.active_element().await.unwrap().send_keys("\u{e00c}").await.unwrap();
    assert!(ann.find(Locator::Css("form.calm")).await.is_err());
    see(&ann, ".writing-status [role=status]", "Draft saved in this browser").await;
    ann.close().await.unwrap();
}

/// A button that moves between press and release is not clicked.
pub async fn buttons_do_not_move_when_the_draft_is_saved() {
    let driver = Driver::start();
    let site = TestSite::start().await;
    let url = format!("http://{}", site.instances[0]);
    let ann = driver.browser(true).await;
    register(&ann, &url, "ann").await;
    let top = async || {
        let script = "return document.querySelector('#status button').offsetTop";
        ann.execute(script, Vec::new()).await.unwrap().as_i64().unwrap()
    };
    for width in [360, 900] {
        ann.set_window_size(width, 900).await.unwrap();
        ann.goto(&format!("{url}/blogs/create/")).await.unwrap();
        found(&ann, Locator::Css(".toolbar button")).await;
        let before = top().await;
        fill(&ann, "content", "one two").await;
        see(&ann, ".writing-status [role=status]", "Draft saved in this browser").await;
        see(&ann, ".writing-status", "2 words · 1 min read").await;
        assert_eq!(top().await, before, "{width} pixels wide");
        // Later widths start with an empty text.
        ann.execute("localStorage.clear()", Vec::new()).await.unwrap();
        ann.execute("document.getElementById('content').value = ''", Vec::new()).await.unwrap();
    }
    ann.close().await.unwrap();
}

pub async fn a_reader_rates_without_a_reload_and_sees_a_refusal_end() {
    let driver = Driver::start();
    let settings = [("LEAKY_BUCKET_CAPACITY", "1"), ("LEAKY_BUCKET_LEAK_PER_SECOND", "0.2")];
    let site = TestSite::start_with(&settings, 1).await;
    let url = format!("http://{}", site.instances[0]);
    let post = site.post("ann").await;
    let ben = driver.browser(true).await;
    register(&ben, &url, "ben").await;
    ben.goto(&format!("{url}/blogs/{post}/")).await.unwrap();
    ben.execute("window.here = true", Vec::new()).await.unwrap();
    choose(&ben, 2).await;
    see(&ben, "#outcome.done", "Your rating of 2 stars is counted.").await;
    see(&ben, ".post .score", "Not enough ratings yet \u{b7} 1 of 5").await;
    // By keyboard: an arrow chooses and sends nothing, Enter sends.
    let chosen = ben.find(Locator::Css("input[name=rating]:checked")).await.unwrap();
    let forward = if words::language().is_right_to_left() { "\u{e012}" } else { "\u{e014}" };
    for key in [forward; 3] {
        ben.active_element().await.unwrap().send_keys(key).await.unwrap();
    }
    assert_eq!(chosen.attr("value").await.unwrap().as_deref(), Some("2"));
    see(&ben, "#outcome.done", "Your rating of 2 stars is counted.").await;
    ben.active_element().await.unwrap().send_keys("\u{e007}").await.unwrap();
    see(&ben, "#outcome.later", "Not counted yet. This post is getting unusually many ratings").await;
    let chosen = ben.find(Locator::Css("input[name=rating]:checked")).await.unwrap();
    assert_eq!(chosen.attr("value").await.unwrap().as_deref(), Some("5"));
    see(&ben, ".wait [role=status]", "It can be sent now.").await;
    site.advance_clock(chrono::TimeDelta::seconds(5));
    choose(&ben, 5).await;
    see(&ben, "#outcome.done", "Your rating is now 5 stars.").await;
    assert_eq!(ben.execute("return window.here", Vec::new()).await.unwrap(), json!(true), "never reloaded");
    ben.close().await.unwrap();
}

pub async fn what_was_not_counted_is_sent_later_from_any_page() {
    let driver = Driver::start();
    let settings = [("LEAKY_BUCKET_CAPACITY", "1"), ("LEAKY_BUCKET_LEAK_PER_SECOND", "0.5")];
    let site = TestSite::start_with(&settings, 1).await;
    let url = format!("http://{}", site.instances[0]);
    let post = site.post("ann").await;
    site.user("cy").await.rate(post, 1).await.expect(201);
    let ben = driver.browser(true).await;
    register(&ben, &url, "ben").await;
    let page = format!("{url}/blogs/{post}/");
    ben.goto(&page).await.unwrap();
    choose(&ben, 4).await;
    see(&ben, "#outcome.later", "Not counted yet.").await;
    ben.find(Locator::Css("[data-send-later]")).await.unwrap().click().await.unwrap();
    see(&ben, "#outcome", "Not counted yet. Your rating of 4 ★ will be sent for you").await;
    // It outlives the page, and can be taken back.
    ben.goto(&page).await.unwrap();
    see(&ben, "#outcome", "Not counted yet. Your rating of 4 ★ will be sent for you").await;
    ben.find(Locator::Css("#outcome button")).await.unwrap().click().await.unwrap();
    see(&ben, "#outcome", "Your rating is not sent.").await;
    ben.goto(&page).await.unwrap();
    see_written(&ben, "h1", "A post").await;
    assert_eq!(ben.find(Locator::Css("#outcome")).await.unwrap().text().await.unwrap(), "");
    choose(&ben, 3).await;
    see(&ben, "#outcome.later", "Not counted yet.").await;
    ben.find(Locator::Css("[data-send-later]")).await.unwrap().click().await.unwrap();
    // Any other page of the site sends it, and says so.
    ben.goto(&format!("{url}/blogs/")).await.unwrap();
    site.advance_clock(chrono::TimeDelta::seconds(2));
    see(&ben, "main > .notice", "Your rating of 3 ★ is counted. You can change it.").await;
    ben.goto(&page).await.unwrap();
    see(&ben, "#outcome", "You gave 3 stars.").await;
    ben.close().await.unwrap();
    assert_eq!(site.posts_with_wrong_totals().await, [0; 0]);
}

pub async fn a_reader_searches_in_persian_and_reads_by_keyboard_alone() {
    let driver = Driver::start();
    let site = TestSite::start().await;
    let url = format!("http://{}", site.instances[0]);
    let ann = site.user("ann").await;
    ann.write("\u{6a9}\u{62a}\u{627}\u{628}\u{200c}\u{641}\u{631}\u{648}\u{634}\u{6cc}", "\u{645}\u{62a}\u{646}").await;
    let guest = driver.browser(true).await;
    guest.goto(&url).await.unwrap();
    // Tab by tab: the skip link is first, and leads past the head of the page.
    let press_key = async |key: char| guest.active_element().await.unwrap().send_keys(&key.to_string()).await.unwrap();
    let focused = async || {
        let script = "return document.activeElement.id || document.activeElement.textContent.trim()";
        guest.execute(script, Vec::new()).await.unwrap().as_str().unwrap().to_owned()
    };
    let (tab, enter) = ('\u{e004}', '\u{e007}');
    press_key(tab).await;
    assert_eq!(focused().await, words::message("skip-to-content"));
    press_key(enter).await;
    // Following the link moves the focus, and must not do so while something is typed.
    while guest.execute("return location.hash", Vec::new()).await.unwrap() == "" {}
    while focused().await != "q" {
        press_key(tab).await;
    }
    // With the Arabic letter, and without the half-space.
    guest
        .active_element()
        .await
        .unwrap()
        .send_keys("\u{643}\u{62a}\u{627}\u{628}\u{641}\u{631}\u{648}\u{634}\u{64a}")
        .await
        .unwrap();
    press_key(enter).await;
    see_written(&guest, "mark", "\u{6a9}\u{62a}\u{627}\u{628}").await;
    while !focused().await.starts_with("\u{6a9}\u{62a}\u{627}\u{628}") {
        press_key(tab).await;
    }
    press_key(enter).await;
    see_written(&guest, "article h1", "\u{6a9}\u{62a}\u{627}\u{628}").await;
    guest.close().await.unwrap();
}
