//! Admin area in a browser.

use chrono::TimeDelta;
use fantoccini::{Client, Locator};
use serde_json::json;

use crate::driver::{
    Driver, Setup, click_in_view, fill, follow, found, open_account_menu, press, register, see, see_written, value_of,
};
use crate::support::TestSite;

async fn make_staff(site: &TestSite, name: &str, role: &str) {
    let change = sqlx::query("update users set is_staff = true, staff_role = $2 where username = $1");
    change.bind(name).bind(role).execute(&site.pool).await.unwrap();
}

async fn click(browser: &Client, css: &str) {
    found(browser, Locator::Css(css)).await.click().await.unwrap();
}

async fn refill(browser: &Client, id: &str, text: &str) {
    found(browser, Locator::Id(id)).await.clear().await.unwrap();
    fill(browser, id, text).await;
}

/// The bar of bulk actions works only while rows are selected, and shows their number.
pub async fn bulk_actions_need_selected_rows() {
    let Setup { driver, site, url } = Setup::start().await;
    for name in ["bob", "cy"] {
        site.user(name).await.write("A post", "Text.").await;
    }
    let mo = driver.browser(true).await;
    register(&mo, &url, "mo").await;
    make_staff(&site, "mo", "moderator").await;
    mo.goto(&format!("{url}/admin/posts/")).await.unwrap();
    see(&mo, ".side-menu [aria-current=page]", "Posts").await;
    see(&mo, ".selection [role=status]", "0 selected").await;
    found(&mo, Locator::Css(".selection button:disabled")).await;
    click(&mo, "[name=selected]").await;
    see(&mo, ".selection [role=status]", "1 selected").await;
    click(&mo, ".selection [type=checkbox]").await;
    see(&mo, ".selection [role=status]", "2 selected").await;
    click(&mo, ".selection button:enabled").await;
    see(&mo, "h1", "Unpublish").await;
    assert_eq!(mo.find_all(Locator::Css(".entries li")).await.unwrap().len(), 2);
    mo.back().await.unwrap();
    see(&mo, ".selection [role=status]", "2 selected").await;
    click(&mo, ".selection [type=checkbox]").await;
    see(&mo, ".selection [role=status]", "0 selected").await;
    // On a phone, the menu is closed and opens above the page.
    mo.set_window_size(360, 800).await.unwrap();
    click(&mo, ".side-menu-button summary").await;
    follow(&mo, "Accounts").await;
    see(&mo, "h1", "Accounts").await;
    mo.close().await.unwrap();
}

/// The script of the settings page shows the chosen color, and adds links to the menu.
pub async fn settings_preview_the_color_and_offer_links() {
    let Setup { driver, site, url } = Setup::start().await;
    let tagged = json!({ "title": "Herons", "content": "They stand.", "tags": ["birds"] });
    site.user("ann").await.post("/blogs/create/", &tagged).await.expect(201);
    let olga = driver.browser(true).await;
    register(&olga, &url, "olga").await;
    make_staff(&site, "olga", "owner").await;
    olga.goto(&format!("{url}/admin/settings/")).await.unwrap();
    let choose = async |color: &str| {
        let script = "const picker = document.getElementById('accent_picker');
            picker.value = arguments[0];
            picker.dispatchEvent(new Event('input', { bubbles: true }));
            const preview = document.querySelector('.site-preview');
            return [preview.style.getPropertyValue('--accent'), document.querySelector('[data-contrast]').hidden]";
        olga.execute(script, vec![json!(color)]).await.unwrap()
    };
    assert_eq!(choose("#7a1fa2").await, json!(["#7a1fa2", true]));
    assert_eq!(value_of(&olga, "accent_color").await, "#7a1fa2");
    assert_eq!(choose("#ffee00").await, json!(["#ffee00", false]));
    let button = "[data-add-to=site_menu] button";
    for menu in ["birds /blogs/?tag=birds", "", "birds /blogs/?tag=birds"] {
        click_in_view(&olga, button).await;
        assert_eq!(value_of(&olga, "site_menu").await, menu);
        let pressed = found(&olga, Locator::Css(button)).await.attr("aria-pressed").await.unwrap();
        assert_eq!(pressed.as_deref(), Some(if menu.is_empty() { "false" } else { "true" }));
    }
    assert_eq!(choose("#7a1fa2").await, json!(["#7a1fa2", true]));
    click_in_view(&olga, "#settings > button").await;
    see(&olga, ".notice.done", "Settings saved.").await;
    see_written(&olga, ".site-menu a", "birds").await;
    olga.close().await.unwrap();
}

/// Compares the rating limiters, activates another one and undoes the change.
pub async fn admin_sets_and_undoes_a_limiter_override() {
    let driver = Driver::start();
    let site = TestSite::start_with(&[("RATING_LIMITER", "off")], 1).await;
    let url = format!("http://{}", site.instances[0]);
    let post = site.post("ann").await;
    let many_users = site.many_users(6).await;
    for reader in &many_users[..3] {
        reader.rate(post, 4).await.expect(201);
    }
    let admin = driver.browser(false).await;
    register(&admin, &url, "ada").await;
    make_staff(&site, "ada", "admin").await;
    admin.goto(&url).await.unwrap();
    open_account_menu(&admin).await;
    follow(&admin, "Admin").await;
    follow(&admin, "Rating limiter").await;
    see(&admin, "h2", "Active limiter: No limiter").await;
    follow(&admin, "Change limiter").await;
    click(&admin, ".options a[href*='limiter=leaky_bucket']").await;
    see_written(&admin, ".options [aria-current] strong code", "leaky_bucket").await;
    click(&admin, "form .details summary").await;
    refill(&admin, "capacity", "none").await;
    refill(&admin, "leak_period_ms", "1000000").await;
    press(&admin).await;
    see(&admin, "#capacity-error", "This value isn’t allowed for “Largest burst”.").await;
    refill(&admin, "capacity", "1").await;
    press(&admin).await;
    see(&admin, "#comparison", "Compare limiters").await;
    see(&admin, "[aria-labelledby=comparison] strong", "3 ratings of 1 post; likely brigading: 0").await;
    fill(&admin, "reason", "Something is going on").await;
    click(&admin, "main form[method=post] button").await;
    see(&admin, ".notice", "Limiter changed. Now active for the site: Fixed rate.").await;
    see_written(&admin, "blockquote q", "Something is going on").await;
    many_users[3].rate(post, 4).await.expect(201);
    many_users[4].rate(post, 4).await.expect(429);
    press(&admin).await;
    see(&admin, ".notice", "Change undone. Now active for the site: No limiter.").await;
    many_users[4].rate(post, 4).await.expect(201);
    admin.close().await.unwrap();
}

/// A moderator blocks a user from the list. The blocked user sees the reason on every page.
pub async fn blocked_user_sees_the_reason() {
    let Setup { driver, site, url } = Setup::start().await;
    let post = site.post("bob").await;
    let (mo, ann) = (driver.browser(false).await, driver.browser(false).await);
    register(&mo, &url, "mo").await;
    register(&ann, &url, "ann").await;
    make_staff(&site, "mo", "moderator").await;
    // A page that was opened before the block still shows rating stars.
    ann.goto(&format!("{url}/blogs/{post}/")).await.unwrap();
    mo.goto(&format!("{url}/admin/users/")).await.unwrap();
    click(&mo, "input[type=checkbox][value=ann]").await;
    click(&mo, "button[name=act][value=block]").await;
    see(&mo, "h2", "Applies to 1 item").await;
    press(&mo).await;
    // The browser does not submit the form without the required reason.
    see(&mo, "h1", "Block").await;
    mo.find(Locator::Id("days")).await.unwrap().clear().await.unwrap();
    fill(&mo, "reason", "Rude words").await;
    press(&mo).await;
    see(&mo, ".notice.done", "ann is now blocked.").await;
    click(&ann, "input[name=rating][value='1']").await;
    press(&ann).await;
    see(&ann, "h1", "Your account is blocked").await;
    ann.goto(&format!("{url}/blogs/{post}/")).await.unwrap();
    see_written(&ann, ".notice.failed q", "Rude words").await;
    see(&ann, "#cannot-rate strong", "Your account is blocked").await;
    assert_eq!(site.count("rates").await, 0);
    click(&mo, ".notice.done a").await;
    see(&mo, "h1", "Unblock").await;
    press(&mo).await;
    see(&mo, ".notice.done", "ann is no longer blocked.").await;
    ann.goto(&format!("{url}/blogs/{post}/")).await.unwrap();
    click(&ann, "input[name=rating][value='1']").await;
    press(&ann).await;
    see(&ann, "#outcome", "Thanks! You rated this post 1 star.").await;
    for browser in [mo, ann] {
        browser.close().await.unwrap();
    }
}

/// A user reports a post, a moderator takes it down, its author appeals, and an owner restores it.
pub async fn report_is_decided_and_appealed_in_a_browser() {
    let Setup { driver, site, url } = Setup::start().await;
    let (ann, bob, mo) = (driver.browser(false).await, driver.browser(false).await, driver.browser(false).await);
    for (browser, name) in [(&ann, "ann"), (&bob, "bob"), (&mo, "mo")] {
        register(browser, &url, name).await;
    }
    make_staff(&site, "mo", "moderator").await;
    let olga = site.user("olga").await;
    make_staff(&site, "olga", "owner").await;
    ann.goto(&format!("{url}/blogs/create/")).await.unwrap();
    fill(&ann, "title", "Herons").await;
    fill(&ann, "content", "They stand.").await;
    press(&ann).await;
    see(&ann, ".notice.done", "Post published. ").await;
    bob.goto(&format!("{url}/blogs/1/")).await.unwrap();
    follow(&bob, "Report this post").await;
    click(&bob, "input[name=category][value=harassment]").await;
    fill(&bob, "explanation", "It calls people herons.").await;
    press(&bob).await;
    see(&bob, ".notice.done", "Thanks! We received your report and will review it.").await;
    see(&bob, "main section:last-child p", "No decision yet.").await;
    mo.goto(&format!("{url}/admin/")).await.unwrap();
    follow(&mo, "1 reported post to review").await;
    mo.find(Locator::LinkText("Herons")).await.unwrap().click().await.unwrap();
    see_written(&mo, ".entries blockquote", "It calls people herons.").await;
    click(&mo, "input[name=ruling][value=rules]").await;
    fill(&mo, "reason", "People are no herons.").await;
    press(&mo).await;
    see(&mo, ".notice.done", "“Herons” has been taken down. ").await;
    see(&mo, ".with-menu > div > p:last-of-type", "No results").await;
    bob.refresh().await.unwrap();
    see(&bob, "section strong", "Harassment or threats").await;
    see_written(&bob, "main section:nth-of-type(2) blockquote", "People are no herons.").await;
    ann.goto(&format!("{url}/blogs/drafts/")).await.unwrap();
    follow(&ann, "taken down by staff").await;
    see(&ann, "h1", "Decision about your post").await;
    see_written(&ann, "blockquote", "People are no herons.").await;
    fill(&ann, "appeal", "Herons are birds.").await;
    press(&ann).await;
    see(&ann, ".notice.done", "Your appeal was submitted. The case will be decided again.").await;
    let seen = olga.get("/admin/reports/1/").await.json()["version"].clone();
    let keep =
        serde_json::json!({ "ruling": "keep", "reason": "Birds they are.", "seen": "appealed", "version": seen });
    olga.post("/admin/reports/1/", &keep).await.expect(200);
    ann.refresh().await.unwrap();
    see(&ann, "main section:nth-of-type(2) strong", "The post is published again.").await;
    bob.goto(&format!("{url}/blogs/1/")).await.unwrap();
    see_written(&bob, "h1", "Herons").await;
    for browser in [ann, bob, mo] {
        browser.close().await.unwrap();
    }
}

/// A moderator excludes a day from a score after a preview of the effect.
pub async fn moderator_excludes_a_day_from_the_score() {
    let Setup { driver, site, url } = Setup::start().await;
    let post = site.post("ann").await;
    let mo = driver.browser(false).await;
    for (reader, stars) in site.many_users(12).await.iter().zip([5, 5, 5, 5, 5, 5, 1, 1, 1, 1, 1, 1]) {
        if stars == 1 {
            site.advance_clock(TimeDelta::hours(4));
        }
        reader.rate(post, stars).await.expect(201);
    }
    site.advance_clock(TimeDelta::days(1));
    register(&mo, &url, "mo").await;
    make_staff(&site, "mo", "moderator").await;
    mo.goto(&format!("{url}/blogs/{post}/ratings/exclude/?from=2026-01-02")).await.unwrap();
    see(&mo, "#preview", "Preview").await;
    fill(&mo, "reason", "A crowd").await;
    click(&mo, "form[method=post] button:not(.link):not(header button)").await;
    see_written(&mo, "#moderations + ul q, #moderations + ul blockquote", "A crowd").await;
    mo.close().await.unwrap();
}
