//! Writing, rating and searching in a browser, with and without JavaScript.

use evenkeel::blog_posts::schedule::publish_due_drafts;
use fantoccini::{Client, Locator};
use serde_json::json;

use crate::driver::{
    Driver, Setup, click_in_view, fill, follow, found, open_account_menu, press, register, see, see_written, value_of,
};
use crate::support::{PASSWORD, TestSite};
use crate::translations;

/// Clicks a star. With JavaScript, the click submits the rating.
async fn choose(browser: &Client, stars: u8) {
    let star = format!("input[name=rating][value='{stars}']");
    browser.find(Locator::Css(&star)).await.unwrap().click().await.unwrap();
}

/// One user writes a post, another user rates it and changes the rating, and both see the average.
async fn story(scripts: bool) {
    let Setup { driver, site, url } = Setup::start().await;
    let (ann, ben) = (driver.browser(scripts).await, driver.browser(scripts).await);
    register(&ann, &url, "ann").await;
    register(&ben, &url, "ben").await;

    let readme = include_str!("../../README.md");
    follow(&ann, "Write").await;
    see(&ann, "h1", "Write a post").await;
    fill(&ann, "title", "README").await;
    // The text is sent in one message, because typing it key by key would take a minute.
    paste(&ann, readme).await;
    press(&ann).await;
    see(&ann, ".notice", "Post published. http://").await;
    see(&ann, ".score", "No ratings yet").await;
    let post = ann.current_url().await.unwrap();

    ben.goto(&url).await.unwrap();
    follow(&ben, "README").await;
    see(&ben, "h1", "README").await;
    assert_eq!(ben.current_url().await.unwrap(), post);
    see_written(&ben, ".content h2", "Evenkeel").await;
    for (stars, told) in [(2, "Thanks! You rated this post 2 stars."), (5, "You changed your rating to 5 stars.")] {
        choose(&ben, stars).await;
        if !scripts {
            press(&ben).await;
        }
        see(&ben, "#outcome", told).await;
        // The message must be in view next to the stars.
        let seen = "const { top, bottom } = document.getElementById('outcome').getBoundingClientRect();
            return top >= 0 && bottom <= innerHeight && !document.querySelector('main > .notice')";
        assert!(!scripts || ben.execute(seen, Vec::new()).await.unwrap() == json!(true));
    }
    for browser in [&ann, &ben] {
        browser.goto(post.as_str()).await.unwrap();
        see(browser, ".score .quiet", "· few ratings yet").await;
    }
    see(&ann, "#rating p", "You can’t rate your own post.").await;
    let chosen = ben.find(Locator::Css("input[name=rating]:checked")).await.unwrap();
    assert_eq!(chosen.attr("value").await.unwrap().as_deref(), Some("5"));

    open_account_menu(&ben).await;
    ben.find(Locator::Css("header nav form button")).await.unwrap().click().await.unwrap();
    see(&ben, ".notice", "You’ve signed out.").await;
    ann.close().await.unwrap();
    ben.close().await.unwrap();
    assert_eq!(site.posts_with_wrong_totals().await, [0; 0]);
}

async fn paste(browser: &Client, text: &str) {
    // Skips characters outside of the Basic Multilingual Plane, which `ChromeDriver` cannot type.
    let typed: String = text.chars().filter(|c| u32::from(*c) < 0x1_0000).take(4_000).collect();
    fill(browser, "content", &typed).await;
}

pub async fn author_publishes_and_reader_rates_in_a_browser() {
    story(true).await;
}

pub async fn author_publishes_and_reader_rates_without_scripts() {
    story(false).await;
}

/// The third rating in a row causes a warning on the next page, and the fourth has to wait for 8 seconds.
pub async fn rate_limited_user_sees_a_countdown_and_is_admitted_again() {
    let driver = Driver::start();
    let settings = [("RATE_CLASSES", "on"), ("RATE_CLASS_RATE_USER", "3,5000,3000,3000,1300,0,0")];
    let site = TestSite::start_with(&settings, 1).await;
    let url = format!("http://{}", site.instances[0]);
    let post = site.post("ann").await;
    let ben = driver.browser(true).await;
    register(&ben, &url, "ben").await;
    ben.goto(&format!("{url}/blogs/{post}/")).await.unwrap();
    choose(&ben, 1).await;
    see(&ben, "#outcome", "Thanks! You rated this post 1 star.").await;
    choose(&ben, 2).await;
    see(&ben, "#outcome", "You changed your rating to 2 stars.").await;
    see(&ben, "main > .notice", "You’re rating too fast. Slow down, or you’ll have to wait about").await;
    choose(&ben, 3).await;
    see(&ben, "#outcome", "You changed your rating to 3 stars.").await;
    choose(&ben, 4).await;
    see(&ben, "#outcome.failed", "Too many requests.").await;
    see(&ben, "#outcome.failed", "Too many requests. Your rating is still 3 ★.").await;
    // The browser counts down by its own clock, because the test clock stands still. During the countdown, the form
    // shows the counted rating, shows the remaining time on the button, and sends nothing.
    let hold = "main form button[aria-disabled=true]";
    see(&ben, hold, "Change my rating (in ").await;
    press(&ben).await;
    let chosen = ben.find(Locator::Css("input[name=rating]:checked")).await.unwrap();
    assert_eq!(chosen.attr("value").await.unwrap().as_deref(), Some("3"));
    see(&ben, ".wait [role=status]", "Please wait").await;
    see(&ben, ".wait [aria-hidden]", "1 second left").await;
    see(&ben, ".wait [role=status]", "You can continue now.").await;
    assert!(ben.find(Locator::Css(hold)).await.is_err());
    site.advance_clock(chrono::TimeDelta::seconds(8));
    choose(&ben, 4).await;
    see(&ben, "#outcome.done", "You changed your rating to 4 stars.").await;
    ben.close().await.unwrap();
}

/// Names and values of the text fields of the editor, without image uploads.
async fn typed(browser: &Client) -> String {
    let fields = "return [...document.querySelector('[data-autosave]').elements]
        .filter((field) => field.name && field.matches('input:not([type=hidden], [type=radio]), textarea') && !field.closest('#pictures'))
        .map((field) => `${field.name}: ${field.value}`).join('\\n')";
    browser.execute(fields, Vec::new()).await.unwrap().as_str().unwrap().to_owned()
}

pub async fn editor_keeps_the_text_when_the_session_ends() {
    let Setup { driver, site, url } = Setup::start().await;
    let ann = driver.browser(true).await;
    register(&ann, &url, "ann").await;
    ann.goto(&format!("{url}/blogs/create/")).await.unwrap();
    fill(&ann, "title", "Herons").await;
    fill(&ann, "content", "They stand.").await;
    ann.find(Locator::Css("#status button")).await.unwrap().click().await.unwrap();
    see(&ann, ".notice.done", "Post published.").await;
    // Changes of a published post are kept only in the browser until they are saved by a button.
    let edit = format!("{url}/blogs/1/edit/");
    ann.goto(&edit).await.unwrap();
    click_in_view(&ann, ".settings summary").await;
    for field in typed(&ann).await.lines().map(|line| line.split(": ").next().unwrap()) {
        match field {
            "content" => fill(&ann, field, " An *hour* of it.").await,
            field => fill(&ann, field, " Long work").await,
        }
    }
    let all = typed(&ann).await;
    assert!(all.lines().count() >= 3 && !all.lines().any(|line| line.ends_with(": ")), "{all}");
    ann.find(Locator::Css("[data-preview]")).await.unwrap().click().await.unwrap();
    see_written(&ann, "#preview em", "hour").await;
    assert_eq!(value_of(&ann, "content").await, "They stand. An *hour* of it.");
    see_written(&ann, "#preview .title", "Herons Long work").await;
    // After the session has ended, the form redirects to the sign-in page, and sign-in redirects to the unsaved text.
    sqlx::query("delete from sessions").execute(&site.pool).await.unwrap();
    ann.find(Locator::Css("#status button")).await.unwrap().click().await.unwrap();
    see(&ann, "h1", "Sign in").await;
    see(&ann, "main .notice", "You’re signed out. Your text (“Herons Long work”) is saved").await;
    // The stored text is kept when another post is viewed.
    let other = site.post("zoe").await;
    let sign_in = ann.current_url().await.unwrap();
    ann.goto(&format!("{url}/blogs/{other}/")).await.unwrap();
    see_written(&ann, "h1", "A post").await;
    ann.goto(sign_in.as_str()).await.unwrap();
    fill(&ann, "username", "ann").await;
    fill(&ann, "password", PASSWORD).await;
    press(&ann).await;
    see(&ann, "h1", "Edit post").await;
    see(&ann, ".kept", "Your unsaved changes from").await;
    assert_eq!(typed(&ann).await, all);
    ann.find(Locator::Css(".kept button")).await.unwrap().click().await.unwrap();
    see(&ann, ".kept", "Your unsaved changes have been removed from the form.").await;
    assert_eq!(value_of(&ann, "content").await, "They stand.");
    ann.find(Locator::Css(".kept button")).await.unwrap().click().await.unwrap();
    see(&ann, ".kept", "Your unsaved changes from").await;
    // A reload restores a discarded text if nothing else was typed.
    ann.find(Locator::Css(".kept button")).await.unwrap().click().await.unwrap();
    see(&ann, ".kept", "Your unsaved changes have been removed from the form.").await;
    ann.refresh().await.unwrap();
    see(&ann, ".kept", "Your unsaved changes from").await;
    assert_eq!(typed(&ann).await, all);
    ann.refresh().await.unwrap();
    see(&ann, ".kept", "Your unsaved changes from").await;
    see(&ann, ".writing-status", "6 words · 1 min read").await;
    // The text is kept during navigation in one tab, which may use the back/forward cache.
    follow(&ann, "Evenkeel").await;
    see(&ann, "h1", "Latest posts").await;
    ann.goto(&edit).await.unwrap();
    see(&ann, ".kept", "Your unsaved changes from").await;
    assert_eq!(typed(&ann).await, all);
    ann.find(Locator::Css("#status button")).await.unwrap().click().await.unwrap();
    see(&ann, ".notice.done", "Changes saved.").await;
    ann.goto(&edit).await.unwrap();
    see(&ann, "h1", "Edit post").await;
    assert!(ann.find(Locator::Css(".kept")).await.is_err());
    // The Enter key in a field saves a draft, because publishing cannot be undone.
    ann.goto(&format!("{url}/blogs/create/")).await.unwrap();
    fill(&ann, "content", "They wait.").await;
    fill(&ann, "title", "Later\u{e007}").await;
    see(&ann, ".notice.done", "Draft saved.").await;
    ann.goto(&format!("{url}/blogs/create/")).await.unwrap();
    see(&ann, "h1", "Write a post").await;
    assert!(ann.find(Locator::Css(".kept")).await.is_err());
    // Sign-out deletes all stored texts, and asks for confirmation if a text is unsaved.
    fill(&ann, "content", "Not saved").await;
    see(&ann, ".writing-status span + span", "Kept in this browser").await;
    let kept = "return Object.keys(localStorage).filter((key) => key.includes(':new:')).length";
    assert_eq!(ann.execute(kept, vec![]).await.unwrap(), json!(1));
    follow(&ann, "Evenkeel").await;
    see(&ann, "h1", "Latest posts").await;
    let sign_out = Locator::Css("form[action='/users/logout/'] button");
    open_account_menu(&ann).await;
    ann.find(sign_out).await.unwrap().click().await.unwrap();
    assert_eq!(ann.get_alert_text().await.unwrap(), translations::message("script-sign-out-deletes"));
    ann.dismiss_alert().await.unwrap();
    assert_eq!(ann.execute(kept, vec![]).await.unwrap(), json!(1));
    ann.find(sign_out).await.unwrap().click().await.unwrap();
    ann.accept_alert().await.unwrap();
    see(&ann, ".notice", "You’ve signed out.").await;
    assert_eq!(ann.execute(kept, vec![]).await.unwrap(), json!(0));
    ann.close().await.unwrap();
}

/// Sets the publication time by script, because its typed format depends on the browser's locale.
async fn set_time(browser: &Client, time: &str) {
    let script = "const field = document.getElementById('publish_at'); field.value = arguments[0];
        field.dispatchEvent(new Event('input', { bubbles: true }));";
    browser.execute(script, vec![json!(time)]).await.unwrap();
}

pub async fn editor_shows_a_live_preview_and_schedules_the_post() {
    let Setup { driver, site, url } = Setup::start().await;
    let ann = driver.browser(true).await;
    ann.set_window_size(1400, 900).await.unwrap();
    register(&ann, &url, "ann").await;
    ann.goto(&format!("{url}/blogs/create/")).await.unwrap();
    fill(&ann, "title", "Plans").await;
    fill(&ann, "content", "What *one* sees").await;
    ann.find(Locator::Css(".toolbar [aria-pressed]")).await.unwrap().click().await.unwrap();
    see_written(&ann, "#preview em", "one").await;
    // The preview beside the text follows changes and scrolling by hand, and stays open after a reload.
    fill(&ann, "content", " *now*").await;
    see_written(&ann, "#preview em + em", "now").await;
    let is_beside =
        "const [one, other] = ['preview', 'content'].map((id) => document.getElementById(id).getBoundingClientRect());
        return one.left >= other.right || one.right <= other.left";
    assert_eq!(ann.execute(is_beside, Vec::new()).await.unwrap(), json!(true));
    fill(&ann, "content", &format!("{}end", "line\n\n".repeat(150))).await;
    see_written(&ann, "#preview p:last-child", "end").await;
    let scroll = "document.getElementById('content').dispatchEvent(new WheelEvent('wheel'));
        document.getElementById('content').scrollTop = 1e6;
        const done = arguments[arguments.length - 1]; requestAnimationFrame(() => requestAnimationFrame(() => {
            const preview = document.getElementById('preview');
            done([preview.scrollTop > 0, preview.scrollHeight - preview.clientHeight - preview.scrollTop < 2]);
        }))";
    assert_eq!(ann.execute_async(scroll, Vec::new()).await.unwrap(), json!([true, true]));
    ann.refresh().await.unwrap();
    see_written(&ann, "#preview em + em", "now").await;
    // A post with a publication time is saved as a draft. The form also shows the time in the browser's time zone.
    set_time(&ann, "2026-01-01T18:00").await;
    see(&ann, "#here", "Your local time: ").await;
    see(&ann, "#status button", "Schedule").await;
    ann.find(Locator::Css("#status button")).await.unwrap().click().await.unwrap();
    see(&ann, ".notice.done", "Draft saved. The post will be published on").await;
    see(&ann, ".post .notice button", "Publish now").await;
    site.advance_clock(chrono::TimeDelta::hours(6));
    publish_due_drafts(&site.site().state).await.unwrap();
    let ben = driver.browser(true).await;
    ben.goto(&format!("{url}/blogs/")).await.unwrap();
    follow(&ben, "Plans").await;
    see_written(&ben, ".content em + em", "now").await;
    ann.close().await.unwrap();
    ben.close().await.unwrap();
}

pub async fn editor_formats_text_by_toolbar_and_shortcuts() {
    let Setup { driver, site: _site, url } = Setup::start().await;
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
        ann.execute(script, vec![json!(translations::message(label))]).await.unwrap();
        value_of(&ann, "content").await
    };
    select(4, 7).await;
    assert_eq!(tool("script-bold-button").await, "one **two**");
    // A second click on a toolbar button removes the formatting. The browser can undo edits by the toolbar.
    assert_eq!(tool("script-bold-button").await, "one two");
    let control = |key: &str| format!("\u{e009}{key}\u{e000}");
    ann.active_element().await.unwrap().send_keys(&control("i")).await.unwrap();
    assert_eq!(value_of(&ann, "content").await, "one *two*");
    ann.active_element().await.unwrap().send_keys(&control("z")).await.unwrap();
    assert_eq!(value_of(&ann, "content").await, "one two");
    select(0, 0).await;
    assert_eq!(tool("script-heading").await, "## one two");
    assert_eq!(tool("script-heading").await, "### one two");
    assert_eq!(tool("script-heading").await, "one two");
    select(0, 3).await;
    assert_eq!(tool("script-link").await, "[one](https://) two");
    tool("script-full-screen").await;
    ann.find(Locator::Css("form.calm")).await.unwrap();
    assert!(!ann.find(Locator::Id("title")).await.unwrap().is_displayed().await.unwrap());
    ann.active_element().await.unwrap().send_keys("\u{e00c}").await.unwrap();
    assert!(ann.find(Locator::Css("form.calm")).await.is_err());
    see(&ann, ".writing-status span + span", "Kept in this browser").await;
    ann.close().await.unwrap();
}

/// Checks that saving a draft does not move buttons, because a button that moves between mouse down and mouse up gets
/// no click event.
pub async fn buttons_do_not_move_when_the_draft_is_saved() {
    let Setup { driver, site: _site, url } = Setup::start().await;
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
        see(&ann, ".writing-status span + span", "Kept in this browser").await;
        see(&ann, ".writing-status", "2 words · 1 min read").await;
        assert_eq!(top().await, before, "{width} pixels wide");
        // Deletes the stored text, so that the form is empty for the next window width.
        ann.execute("localStorage.clear()", Vec::new()).await.unwrap();
        ann.execute("document.getElementById('content').value = ''", Vec::new()).await.unwrap();
    }
    ann.close().await.unwrap();
}

pub async fn rates_without_reload_and_sees_the_end_of_a_refusal() {
    let driver = Driver::start();
    let settings =
        [("LEAKY_BUCKET_CAPACITY", "1"), ("LEAKY_BUCKET_LEAK_PER_SECOND", "0.2"), ("RATING_LIMITER_ON_EDIT", "true")];
    let site = TestSite::start_with(&settings, 1).await;
    let url = format!("http://{}", site.instances[0]);
    let post = site.post("ann").await;
    let ben = driver.browser(true).await;
    register(&ben, &url, "ben").await;
    ben.goto(&format!("{url}/blogs/{post}/")).await.unwrap();
    ben.execute("window.here = true", Vec::new()).await.unwrap();
    choose(&ben, 2).await;
    see(&ben, "#outcome.done", "Thanks! You rated this post 2 stars.").await;
    see(&ben, ".post .score .quiet", "\u{b7} few ratings yet").await;
    // Arrow keys choose a rating, and the Enter key submits it.
    let chosen = ben.find(Locator::Css("input[name=rating]:checked")).await.unwrap();
    let forward = if translations::language().is_right_to_left() { "\u{e012}" } else { "\u{e014}" };
    for key in [forward; 3] {
        ben.active_element().await.unwrap().send_keys(key).await.unwrap();
    }
    assert_eq!(chosen.attr("value").await.unwrap().as_deref(), Some("2"));
    see(&ben, "#outcome.done", "Thanks! You rated this post 2 stars.").await;
    ben.active_element().await.unwrap().send_keys("\u{e007}").await.unwrap();
    let told = "This post is getting many ratings right now. Your rating is still 2 ★. Your 5 ★ rating hasn’t been submitted yet";
    see(&ben, "#outcome.later", told).await;
    // The stars show the counted rating, not the refused rating.
    let chosen = ben.find(Locator::Css("input[name=rating]:checked")).await.unwrap();
    assert_eq!(chosen.attr("value").await.unwrap().as_deref(), Some("2"));
    see(&ben, ".wait [role=status]", "You can submit your rating now.").await;
    site.advance_clock(chrono::TimeDelta::seconds(5));
    choose(&ben, 5).await;
    see(&ben, "#outcome.done", "You changed your rating to 5 stars.").await;
    assert_eq!(ben.execute("return window.here", Vec::new()).await.unwrap(), json!(true), "never reloaded");
    ben.close().await.unwrap();
}

pub async fn refused_rating_is_sent_later_from_any_page() {
    let driver = Driver::start();
    let settings =
        [("LEAKY_BUCKET_CAPACITY", "1"), ("LEAKY_BUCKET_LEAK_PER_SECOND", "0.5"), ("RATING_LIMITER_ON_EDIT", "true")];
    let site = TestSite::start_with(&settings, 1).await;
    let url = format!("http://{}", site.instances[0]);
    let post = site.post("ann").await;
    site.user("cy").await.rate(post, 1).await.expect(201);
    let ben = driver.browser(true).await;
    register(&ben, &url, "ben").await;
    let page = format!("{url}/blogs/{post}/");
    ben.goto(&page).await.unwrap();
    choose(&ben, 4).await;
    see(&ben, "#outcome.later", "This post is getting many ratings right now.").await;
    ben.find(Locator::Css("[data-send-later]")).await.unwrap().click().await.unwrap();
    see(&ben, "#outcome", "Your 4★ rating hasn’t been submitted yet.").await;
    ben.goto(&page).await.unwrap();
    see(&ben, "#outcome", "Your 4★ rating hasn’t been submitted yet.").await;
    ben.find(Locator::Css("#outcome button")).await.unwrap().click().await.unwrap();
    see(&ben, "#outcome", "Your rating won’t be submitted automatically.").await;
    ben.goto(&page).await.unwrap();
    see_written(&ben, "h1", "A post").await;
    assert_eq!(ben.find(Locator::Css("#outcome")).await.unwrap().text().await.unwrap(), "");
    choose(&ben, 3).await;
    see(&ben, "#outcome.later", "This post is getting many ratings right now.").await;
    ben.find(Locator::Css("[data-send-later]")).await.unwrap().click().await.unwrap();
    ben.goto(&format!("{url}/blogs/")).await.unwrap();
    site.advance_clock(chrono::TimeDelta::seconds(2));
    see(&ben, "main > .notice", "Your 3★ rating has been submitted. You can change it.").await;
    ben.goto(&page).await.unwrap();
    see(&ben, "#outcome", "You rated this post 3 stars. Your rating counts in full in the score.").await;
    // While a refused change waits, the stars and the text show the counted rating. Then the change is sent.
    choose(&ben, 5).await;
    see(&ben, "#outcome.later", "This post is getting many ratings right now. Your rating is still 3 ★.").await;
    see(&ben, "[data-send-later]", "Submit 5 ★ automatically").await;
    ben.find(Locator::Css("[data-send-later]")).await.unwrap().click().await.unwrap();
    see(&ben, "#outcome", "Your rating is still 3★. The change to 5★ hasn’t been submitted yet.").await;
    let chosen = ben.find(Locator::Css("input[name=rating]:checked")).await.unwrap();
    assert_eq!(chosen.attr("value").await.unwrap().as_deref(), Some("3"));
    site.advance_clock(chrono::TimeDelta::seconds(2));
    see(&ben, "#outcome", "Your 5★ rating has been submitted. You can change it.").await;
    ben.close().await.unwrap();
    assert_eq!(site.posts_with_wrong_totals().await, [0; 0]);
}

pub async fn searches_in_persian_and_navigates_by_keyboard() {
    let Setup { driver, site, url } = Setup::start().await;
    let ann = site.user("ann").await;
    ann.write("\u{6a9}\u{62a}\u{627}\u{628}\u{200c}\u{641}\u{631}\u{648}\u{634}\u{6cc}", "\u{645}\u{62a}\u{646}").await;
    let guest = driver.browser(true).await;
    guest.goto(&url).await.unwrap();
    // The first Tab key focuses the skip link, which leads to the main content.
    let press_key = async |key: char| guest.active_element().await.unwrap().send_keys(&key.to_string()).await.unwrap();
    let focused = async || {
        let script = "return document.activeElement.id || document.activeElement.textContent.trim()";
        guest.execute(script, Vec::new()).await.unwrap().as_str().unwrap().to_owned()
    };
    let (tab, enter) = ('\u{e004}', '\u{e007}');
    press_key(tab).await;
    assert_eq!(focused().await, translations::message("skip-to-content"));
    press_key(enter).await;
    // The skip link moves the focus asynchronously, so the test waits before it types.
    while guest.execute("return location.hash", Vec::new()).await.unwrap() == "" {}
    while focused().await != translations::message("search-label") {
        press_key(tab).await;
    }
    // The Enter key opens the search menu and moves the focus to its field. The Escape key closes the menu.
    press_key(enter).await;
    while focused().await != "q" {}
    press_key('\u{e00c}').await;
    while focused().await != translations::message("search-label") {}
    press_key(enter).await;
    while focused().await != "q" {}
    // The query is typed with the Arabic letters kaf and yeh, and without the zero-width non-joiner.
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
