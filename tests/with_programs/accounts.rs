//! Accounts in a browser: email confirmation, password reset, two-factor authentication, deletion and recovery.

use std::path::Path;
use std::time::{Duration, Instant};

use fantoccini::{Client, Locator};
use totp_rs::{Builder, Secret};

use crate::driver::{Driver, Setup, fill, follow, open_account_menu, press, register, see};
use crate::images::SAMPLE;
use crate::support::{PASSWORD, TestSite, reachable_tempdir};

const NEW: &str = "seven brown owls sing";

/// Sends pending mail and opens the link of the only message.
async fn open_mail(site: &TestSite, folder: &Path, browser: &Client, url: &str) {
    let mail = site.site().state.mail_delivery.as_ref().unwrap();
    let file = loop {
        mail.send_due_mail().await.unwrap();
        if let Some(file) = std::fs::read_dir(folder).ok().and_then(|mut files| files.next()) {
            break file.unwrap().path();
        }
    };
    let bytes = std::fs::read(&file).unwrap();
    std::fs::remove_file(file).unwrap();
    let text = mailparse::parse_mail(&bytes).unwrap().subparts[0].get_body().unwrap();
    let link = text.lines().find(|line| line.contains("?token=")).unwrap_or_else(|| panic!("{text}"));
    browser.goto(&link.trim().replace("http://127.0.0.1:8000", url)).await.unwrap();
}

async fn sign_out(browser: &Client) {
    open_account_menu(browser).await;
    browser.find(Locator::Css("header nav form button")).await.unwrap().click().await.unwrap();
    see(browser, ".notice", "You’ve signed out.").await;
}

async fn sign_in(browser: &Client, url: &str, password: &str) {
    browser.goto(&format!("{url}/users/login/")).await.unwrap();
    fill(browser, "username", "ann").await;
    fill(browser, "password", password).await;
    press(browser).await;
}

pub async fn confirms_email_and_resets_password_by_mail() {
    let (driver, dir) = (Driver::start(), reachable_tempdir());
    let (mails, smtp) = (dir.path().join("mail"), format!("file:{}", dir.path().join("mail").display()));
    let site = TestSite::start_with(&[("SMTP_URL", &smtp)], 1).await;
    let url = format!("http://{}", site.instances[0]);
    let ann = driver.browser(true).await;
    register(&ann, &url, "ann").await;
    open_mail(&site, &mails, &ann, &url).await;
    see(&ann, "h1", "Is this your email address?").await;
    press(&ann).await;
    see(&ann, ".notice", "a@example.com is confirmed.").await;
    sign_out(&ann).await;
    follow(&ann, "Sign in").await;
    follow(&ann, "Forgot your password?").await;
    fill(&ann, "username", "ann").await;
    press(&ann).await;
    see(&ann, ".notice", "If this account exists").await;
    open_mail(&site, &mails, &ann, &url).await;
    see(&ann, "h1", "Choose a new password").await;
    fill(&ann, "new_password", NEW).await;
    press(&ann).await;
    see(&ann, ".notice", "Your password has been changed, and you’re signed out everywhere").await;
    sign_in(&ann, &url, PASSWORD).await;
    see(&ann, "#errors h2", "Wrong username or password").await;
    sign_in(&ann, &url, NEW).await;
    see(&ann, ".notice", "Welcome back, ann.").await;
    ann.close().await.unwrap();
}

pub async fn sets_up_two_factor_authentication_and_uses_a_recovery_code() {
    let Setup { driver, site, url } = Setup::start().await;
    let ann = driver.browser(true).await;
    register(&ann, &url, "ann").await;
    ann.goto(&format!("{url}/users/second_factor/")).await.unwrap();
    fill(&ann, "current_password", PASSWORD).await;
    press(&ann).await;
    see(&ann, ".secret", "").await;
    let secret = ann.wait().for_element(Locator::Css(".secret")).await.unwrap().text().await.unwrap().replace(' ', "");
    let app = Builder::new().with_secret(Secret::try_from_base32(&secret).unwrap()).build().unwrap();
    let code_of_app = || app.generate(u64::try_from(site.clock.now().unwrap().timestamp()).unwrap()).to_string();
    fill(&ann, "code", &code_of_app()).await;
    press(&ann).await;
    see(&ann, "#codes-heading", "Your recovery codes").await;
    let code = ann.find(Locator::Css(".codes code")).await.unwrap().text().await.unwrap();
    sign_out(&ann).await;
    sign_in(&ann, &url, PASSWORD).await;
    see(&ann, "h1", "Two-factor authentication").await;
    fill(&ann, "code", "000000").await;
    press(&ann).await;
    see(&ann, "#errors h2", "Wrong code").await;
    fill(&ann, "code", &code).await;
    press(&ann).await;
    see(&ann, ".notice", "Welcome back, ann.").await;
    // Deletion of an account, and the sign-in that cancels it, need a new code of the authenticator app.
    site.advance_clock(chrono::TimeDelta::minutes(1));
    ann.goto(&format!("{url}/users/delete/")).await.unwrap();
    ann.find(Locator::Id("posts")).await.unwrap().click().await.unwrap();
    fill(&ann, "current_password", PASSWORD).await;
    fill(&ann, "code", &code_of_app()).await;
    press(&ann).await;
    see(&ann, ".notice", "You’re signed out everywhere, and your account will be deleted on").await;
    site.advance_clock(chrono::TimeDelta::minutes(1));
    sign_in(&ann, &url, PASSWORD).await;
    see(&ann, "h1", "Two-factor authentication").await;
    fill(&ann, "code", &code_of_app()).await;
    press(&ann).await;
    see(&ann, "form.notice", "Your account will be deleted on").await;
    press(&ann).await;
    see(&ann, ".notice.done", "Deletion cancelled. Your account stays").await;
    assert_eq!(site.count("users where delete_at is not null").await, 0);
    ann.close().await.unwrap();
}

pub async fn invitation_registers_one_user_and_rejects_the_next() {
    let driver = Driver::start();
    let site = TestSite::start_with(&[("REGISTRATION", "invite")], 1).await;
    let url = format!("http://{}", site.instances[0]);
    let (owner, ann, ben) = (driver.browser(true).await, driver.browser(true).await, driver.browser(true).await);
    let code = evenkeel::users::registration::create_owner::setup_url(&site.site().state).await.unwrap().unwrap();
    claim(&owner, &code.replace("http://127.0.0.1:8000", &url), "olga").await;
    owner.goto(&format!("{url}/users/invitations/")).await.unwrap();
    press(&owner).await;
    see(&owner, ".notice.done", "Invitation created. Its link is at the top of the list below").await;
    let link = owner.find(Locator::Css(".link input")).await.unwrap().prop("value").await.unwrap().unwrap();
    let link = link.replace("http://127.0.0.1:8000", &url);
    ann.goto(&format!("{url}/users/register/")).await.unwrap();
    see(&ann, "h1", "Registration is by invitation").await;
    ann.goto(&link).await.unwrap();
    new_account(&ann, "ann").await;
    see(&ann, ".notice", "Welcome, ann. You’re signed in.").await;
    ben.goto(&link).await.unwrap();
    see(&ben, "h1", "This invitation").await;
    owner.goto(&format!("{url}/users/invitations/")).await.unwrap();
    see(&owner, ".sessions li p", "1 of 1 joined.").await;
    for browser in [owner, ann, ben] {
        browser.close().await.unwrap();
    }
}

async fn new_account(browser: &Client, name: &str) {
    fill(browser, "username", name).await;
    fill(browser, "email", &format!("{name}@example.com")).await;
    fill(browser, "password", PASSWORD).await;
    press(browser).await;
}

async fn claim(browser: &Client, link: &str, name: &str) {
    browser.goto(link).await.unwrap();
    see(browser, "h1", "Create the owner account").await;
    new_account(browser, name).await;
    see(browser, ".notice", "Welcome").await;
}

pub async fn setup_link_creates_the_owner_in_a_browser() {
    let Setup { driver, site, url } = Setup::start().await;
    let (owner, visitor) = (driver.browser(true).await, driver.browser(true).await);
    visitor.goto(&url).await.unwrap();
    visitor.find(Locator::Css("main a[href='/users/owner/']")).await.unwrap().click().await.unwrap();
    see(&visitor, "h1", "Create the owner account").await;
    fill(&visitor, "code", "0123456789abcdef0123456789abcdef").await;
    new_account(&visitor, "eve").await;
    see(
        &visitor,
        "#code-error",
        "Incorrect code. Use the code in the setup link that the server printed, or wrote to a file, when it started.",
    )
    .await;
    let link = evenkeel::users::registration::create_owner::setup_url(&site.site().state).await.unwrap().unwrap();
    let link = link.replace("http://127.0.0.1:8000", &url);
    claim(&owner, &link, "olga").await;
    visitor.goto(&link).await.unwrap();
    see(&visitor, "h1", "This site already has an owner").await;
    assert_eq!((site.count("users").await, site.count("users where is_staff").await), (1, 1));
    owner.close().await.unwrap();
    visitor.close().await.unwrap();
}

pub async fn downloads_the_personal_data_export() {
    let (driver, dir) = (Driver::start(), reachable_tempdir());
    let site = TestSite::start().await;
    let url = format!("http://{}", site.instances[0]);
    let ann = driver.browser_saving_to(dir.path()).await;
    register(&ann, &url, "ann").await;
    ann.goto(&format!("{url}/images/")).await.unwrap();
    fill(&ann, "image", SAMPLE).await;
    press(&ann).await;
    see(&ann, ".notice", "Image uploaded. To show it in a post").await;
    let line = ann.find(Locator::Id("line-1")).await.unwrap().prop("value").await.unwrap().unwrap();
    ann.goto(&format!("{url}/blogs/create/")).await.unwrap();
    fill(&ann, "title", "Herons").await;
    fill(&ann, "content", &format!("They *stand*.\n\n{line}")).await;
    press(&ann).await;
    see(&ann, ".notice", "Post published. ").await;
    ann.goto(&format!("{url}/users/account/")).await.unwrap();
    follow(&ann, "Download all your data").await;
    let saved = |extension: &str| {
        let files = std::fs::read_dir(dir.path()).unwrap().map(|file| file.unwrap().path());
        files.into_iter().find(|path| path.extension().is_some_and(|found| found == extension))
    };
    let patience = Instant::now() + Duration::from_mins(2);
    let mut archive = loop {
        // A browser keeps an empty file with the final name until the download is complete.
        let whole = saved("zip").and_then(|path| zip::ZipArchive::new(std::fs::File::open(path).ok()?).ok());
        if let Some(archive) = whole {
            break archive;
        }
        assert!(Instant::now() < patience, "nothing was downloaded");
        tokio::task::yield_now().await;
    };
    let mut read = |name: &str| {
        let mut bytes = Vec::new();
        std::io::Read::read_to_end(&mut archive.by_name(name).unwrap(), &mut bytes).unwrap();
        bytes
    };
    let text = String::from_utf8(read("posts/1-herons.md")).unwrap();
    assert!(text.ends_with(&format!("---\n\nThey *stand*.\n\n{line}")), "{text}");
    let account: serde_json::Value = serde_json::from_slice(&read("account.json")).unwrap();
    assert_eq!((&account["username"], &account["email"]), (&"ann".into(), &"a@example.com".into()));
    let path = line.split(['(', ')']).nth(1).unwrap();
    assert!(read(path.trim_start_matches('/')).starts_with(b"\xff\xd8\xff"), "{path}");
    ann.close().await.unwrap();
}
