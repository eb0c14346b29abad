//! Accounts in a browser: confirming, forgetting, a second factor, leaving and coming back.

use std::path::Path;

use fantoccini::{Client, Locator};
use totp_rs::{Builder, Secret};

use crate::driver::{Driver, fill, press, register, see};
use crate::support::{PASSWORD, TestSite, folder};

const NEW: &str = "seven brown owls sing";

/// Sends what is left to be sent, and opens the link of the one mail.
async fn open_mail(site: &TestSite, folder: &Path, browser: &Client, url: &str) {
    let mail = site.site().housekeeping().mail.unwrap();
    let file = loop {
        mail.send_due().await.unwrap();
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
    browser.find(Locator::Css("header nav form button")).await.unwrap().click().await.unwrap();
    see(browser, ".notice", "You are signed out.").await;
}

async fn sign_in(browser: &Client, url: &str, password: &str) {
    browser.goto(&format!("{url}/users/login/")).await.unwrap();
    fill(browser, "username", "ann").await;
    fill(browser, "password", password).await;
    press(browser).await;
}

pub async fn an_address_is_confirmed_and_a_forgotten_password_replaced_from_the_mail() {
    let (driver, dir) = (Driver::start(), folder());
    let (mails, smtp) = (dir.path().join("mail"), format!("file:{}", dir.path().join("mail").display()));
    let site = TestSite::with(&[("SMTP_URL", &smtp)], 1).await;
    let url = format!("http://{}", site.instances[0]);
    let ann = driver.browser(true).await;
    register(&ann, &url, "ann").await;
    open_mail(&site, &mails, &ann, &url).await;
    see(&ann, "h1", "Is this your address?").await;
    press(&ann).await;
    see(&ann, ".notice", "a@example.com is confirmed.").await;
    sign_out(&ann).await;
    ann.find(Locator::LinkText("Sign in")).await.unwrap().click().await.unwrap();
    ann.find(Locator::LinkText("Forgotten your password?")).await.unwrap().click().await.unwrap();
    fill(&ann, "username", "ann").await;
    press(&ann).await;
    see(&ann, ".notice", "If there is such an account").await;
    open_mail(&site, &mails, &ann, &url).await;
    see(&ann, "h1", "Choose a new password").await;
    fill(&ann, "new_password", NEW).await;
    press(&ann).await;
    see(&ann, ".notice", "Your password is changed").await;
    sign_in(&ann, &url, PASSWORD).await;
    see(&ann, "#errors h2", "Wrong username or password").await;
    sign_in(&ann, &url, NEW).await;
    see(&ann, ".notice", "Welcome back, ann.").await;
    ann.close().await.unwrap();
}

pub async fn a_second_factor_is_set_up_and_a_recovery_code_lets_its_owner_leave_and_come_back() {
    let driver = Driver::start();
    let site = TestSite::start().await;
    let url = format!("http://{}", site.instances[0]);
    let ann = driver.browser(true).await;
    register(&ann, &url, "ann").await;
    ann.goto(&format!("{url}/users/second_factor/")).await.unwrap();
    fill(&ann, "current_password", PASSWORD).await;
    press(&ann).await;
    see(&ann, ".secret", "").await;
    let secret = ann.wait().for_element(Locator::Css(".secret")).await.unwrap().text().await.unwrap().replace(' ', "");
    let app = Builder::new().with_secret(Secret::try_from_base32(&secret).unwrap()).build().unwrap();
    let now = u64::try_from(site.clock.now().unwrap().timestamp()).unwrap();
    fill(&ann, "code", &app.generate(now).to_string()).await;
    press(&ann).await;
    see(&ann, "#codes-heading", "Your recovery codes").await;
    let code = ann.find(Locator::Css(".codes code")).await.unwrap().text().await.unwrap();
    sign_out(&ann).await;
    sign_in(&ann, &url, PASSWORD).await;
    see(&ann, "h1", "One more step").await;
    fill(&ann, "code", "000000").await;
    press(&ann).await;
    see(&ann, "#errors h2", "Wrong code").await;
    fill(&ann, "code", &code).await;
    press(&ann).await;
    see(&ann, ".notice", "Welcome back, ann.").await;
    // Leaving, and coming back.
    ann.goto(&format!("{url}/users/delete/")).await.unwrap();
    ann.find(Locator::Id("posts")).await.unwrap().click().await.unwrap();
    fill(&ann, "current_password", PASSWORD).await;
    press(&ann).await;
    see(&ann, ".notice", "You are signed out everywhere, and your account will be deleted on").await;
    site.wait(chrono::TimeDelta::minutes(1));
    sign_in(&ann, &url, PASSWORD).await;
    see(&ann, "h1", "One more step").await;
    let now = u64::try_from(site.clock.now().unwrap().timestamp()).unwrap();
    fill(&ann, "code", &app.generate(now).to_string()).await;
    press(&ann).await;
    see(&ann, "form.notice", "Your account will be deleted on").await;
    press(&ann).await;
    see(&ann, ".notice.done", "Your account stays").await;
    assert_eq!(site.count("users where delete_at is not null").await, 0);
    ann.close().await.unwrap();
}
