//! Account mail: confirmation of email addresses, password resets.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use chrono::TimeDelta;
use futures_util::future::join_all;
use mailparse::MailHeaderMap as _;
use serde_json::json;

use crate::support::{Actor, PASSWORD, TestSite, reachable_tempdir};
use crate::two_factor::set_up;

const NEW: &str = "seven brown owls sing";

struct MailSite {
    site: TestSite,
    dir: tempfile::TempDir,
}

struct SentMail {
    to: String,
    subject: String,
    text: String,
}

impl SentMail {
    fn path(&self) -> String {
        let line = self.text.lines().find(|line| line.contains("?token=")).unwrap_or_else(|| panic!("{}", self.text));
        line.trim().strip_prefix("http://127.0.0.1:8000").unwrap().to_owned()
    }
}

impl MailSite {
    /// The sign-in throttle is off, because its limits on mail are tested separately.
    async fn new() -> Self {
        Self::with_throttle("off").await
    }

    async fn with_throttle(throttle: &str) -> Self {
        let dir = reachable_tempdir();
        let url = format!("file:{}", dir.path().join("mail").display());
        let site = TestSite::start_with(&[("SMTP_URL", &url), ("SIGN_IN_THROTTLE", throttle)], 1).await;
        Self { site, dir }
    }

    fn folder(&self) -> PathBuf {
        self.dir.path().join("mail")
    }

    /// Sends all due mail. Returns the messages sent since the last call, ordered by recipient.
    async fn send_mail(&self) -> Vec<SentMail> {
        self.site.site().state.mail_delivery.as_ref().unwrap().send_due_mail().await.unwrap();
        let Ok(files) = std::fs::read_dir(self.folder()) else { return Vec::new() };
        let mut sent = Vec::new();
        for file in files.map(|file| file.unwrap().path()) {
            let bytes = std::fs::read(&file).unwrap();
            std::fs::remove_file(file).unwrap();
            let parsed = mailparse::parse_mail(&bytes).unwrap();
            let header = |name: &str| parsed.headers.get_first_value(name).unwrap();
            let [text, html] = [0, 1].map(|part| parsed.subparts[part].get_body().unwrap());
            // The text part and the HTML part contain the same links.
            for word in text.split_whitespace().filter(|word| word.contains("?token=")) {
                assert!(html.contains(&format!("<a href=\"{word}\">")), "{html}");
            }
            sent.push(SentMail { to: header("To"), subject: header("Subject"), text });
        }
        sent.sort_by(|left, right| left.to.cmp(&right.to));
        sent
    }

    /// Waits until one message is in the outbox, sends and returns it. Mail may be queued after the response that
    /// caused it.
    async fn next_mail(&self) -> SentMail {
        let patience = Instant::now() + Duration::from_mins(2);
        while self.site.count("outbox").await == 0 {
            assert!(Instant::now() < patience, "no mail was left");
        }
        let mut sent = self.send_mail().await;
        assert_eq!(sent.len(), 1);
        sent.remove(0)
    }

    /// Registers a user with a confirmed email address.
    async fn confirmed_user(&self, name: &str) -> Actor {
        let user = self.site.user(name).await;
        let mail = self.next_mail().await;
        self.site.guest().post(&mail.path(), &json!({})).await.expect(200);
        user
    }
}

async fn sign_in(guest: &Actor, name: &str, password: &str) -> u16 {
    guest.post("/users/login/", &json!({ "username": name, "password": password })).await.status.as_u16()
}

#[actix_web::test]
async fn confirmed_address_works_in_place_of_the_username() {
    let mail_site = MailSite::new().await;
    mail_site.confirmed_user("ann").await;
    for name in ["a@example.com", " A@Example.COM "] {
        assert_eq!(sign_in(&mail_site.site.guest(), name, PASSWORD).await, 200, "{name}");
    }
    assert_eq!(sign_in(&mail_site.site.guest(), "a@example.com", "three grey herons sleep").await, 401);
}

#[actix_web::test]
async fn sign_in_does_not_reveal_whether_an_address_has_an_account() {
    let mail_site = MailSite::with_throttle("on").await;
    mail_site.confirmed_user("ann").await;
    let attempts = async |address: &str| {
        let mut statuses = Vec::new();
        for _ in 0..12 {
            statuses.push(sign_in(&mail_site.site.guest(), address, "three grey herons sleep").await);
        }
        statuses
    };
    let known = attempts("a@example.com").await;
    assert_eq!((known[9], known[11]), (401, 429));
    assert_eq!(known, attempts("nobody@example.com").await);
}

#[actix_web::test]
async fn unconfirmed_address_does_not_sign_in() {
    let mail_site = MailSite::new().await;
    mail_site.site.user("ann").await;
    assert_eq!(sign_in(&mail_site.site.guest(), "a@example.com", PASSWORD).await, 401);
}

#[actix_web::test]
async fn mailbox_confirms_one_account() {
    let mail_site = MailSite::new().await;
    mail_site.confirmed_user("ann").await;
    let bob = mail_site.site.guest();
    let account = json!({ "username": "bob", "email": "A@Example.com", "password": PASSWORD });
    // Registration does not reveal that the address has an account. Only the owner of the mailbox learns about it.
    bob.post("/users/register/", &account).await.expect(201);
    let mail = mail_site.next_mail().await;
    let refused = mail_site.site.guest().submit(&mail.path(), &[]).await;
    refused.expect(409).expect_text("Another account already uses this email address");
    bob.post(&mail.path(), &json!({})).await.expect_problem(409, "email_in_use");
    assert_eq!(bob.get("/users/me/").await.json()["email_confirmed"], false);
}

#[actix_web::test]
async fn email_address_is_confirmed_once_by_its_link() {
    let mail_site = MailSite::new().await;
    let (ann, guest) = (mail_site.site.user("ann").await, mail_site.site.guest());
    assert_eq!(ann.get("/users/account/").await.json()["email_confirmed"], false);
    ann.page("/users/account/").await.expect_text("not confirmed yet");
    let mail = mail_site.next_mail().await;
    assert_eq!((mail.to.as_str(), mail.subject.as_str()), ("a@example.com", "Confirm your email address"));
    assert!(mail.text.contains("the account ann") && mail.text.contains("three days"), "{}", mail.text);
    // A GET request to the link changes nothing, because mail scanners follow links before people do.
    guest.page(&mail.path()).await.expect(200).expect_text("Is this your email address?").expect_text("noindex");
    assert_eq!(ann.get("/users/me/").await.json()["email_confirmed"], false);
    guest.submit(&mail.path(), &[]).await.expect_redirect("/");
    assert_eq!(ann.get("/users/me/").await.json()["email_confirmed"], true);
    guest.post(&mail.path(), &json!({})).await.expect_problem(410, "link_used");
    guest.get(&mail.path()).await.expect_problem(410, "link_used");
    for forged in ["/users/confirm/?token=x", &mail.path().replace("token=", "token=A"), "/users/confirm/"] {
        guest.get(forged).await.expect_problem(400, "link_invalid");
    }
}

#[actix_web::test]
async fn confirmed_email_address_gets_no_further_confirmation() {
    let mail_site = MailSite::new().await;
    let ann = mail_site.confirmed_user("ann").await;
    ann.post("/users/account/confirm/", &json!({})).await.expect(202);
    mail_site.site.guest().post("/users/account/confirm/", &json!({})).await.expect_problem(401, "not_signed_in");
    assert!(mail_site.send_mail().await.is_empty());
}

#[actix_web::test]
async fn expired_confirmation_link_can_be_replaced() {
    let mail_site = MailSite::new().await;
    let (bob, guest) = (mail_site.site.guest(), mail_site.site.guest());
    let account = json!({ "username": "bob", "email": "b@example.com", "password": PASSWORD });
    bob.post("/users/register/", &account).await.expect(201);
    let mail = mail_site.next_mail().await;
    mail_site.site.advance_clock(TimeDelta::days(3));
    guest.post(&mail.path(), &json!({})).await.expect_problem(410, "link_expired");
    bob.submit("/users/account/confirm/", &[]).await.expect_redirect("/users/account/");
    bob.page("/users/account/").await.expect_text("We sent a confirmation link to b@example.com");
    guest.post(&mail_site.next_mail().await.path(), &json!({})).await.expect(200);
}

#[actix_web::test]
async fn password_reset_by_mail_ends_all_sessions() {
    let mail_site = MailSite::new().await;
    let (ann, guest) = (mail_site.confirmed_user("ann").await, mail_site.site.guest());
    guest.post("/users/password_reset/", &json!({ "username": "ANN" })).await.expect(202);
    let mail = mail_site.next_mail().await;
    assert_eq!((mail.to.as_str(), mail.subject.as_str()), ("a@example.com", "Reset your password"));
    // A rejected new password does not use up the link.
    let page = guest.page(&mail.path()).await.expect(200).expect_text("signed out everywhere");
    assert!(page.text.contains("name=\"new_password\"") && page.header("referrer-policy") == "no-referrer");
    guest.submit(&mail.path(), &[("new_password", "password")]).await.expect(400).expect_text("new_password");
    guest.submit(&mail.path(), &[("new_password", NEW)]).await.expect_redirect("/users/login/");
    ann.get("/users/me/").await.expect_problem(401, "not_signed_in");
    assert_eq!((sign_in(&guest, "ann", PASSWORD).await, sign_in(&guest, "ann", NEW).await), (401, 200));
    guest.post(&mail.path(), &json!({ "new_password": PASSWORD })).await.expect_problem(410, "link_used");
    assert_eq!(mail_site.next_mail().await.subject, "Your password was changed");
}

#[actix_web::test]
async fn password_reset_does_not_reveal_accounts() {
    let mail_site = MailSite::new().await;
    let (_ann, guest) = (mail_site.confirmed_user("ann").await, mail_site.site.guest());
    let known = guest.post("/users/password_reset/", &json!({ "username": "ANN" })).await.expect(202).text;
    assert_eq!(mail_site.next_mail().await.to, "a@example.com");
    // For accounts without a confirmed email address, the response is identical and no mail is sent.
    let _bob = mail_site.site.user("bob").await;
    mail_site.send_mail().await;
    for unknown in [
        json!({ "username": "bob" }),
        json!({ "email": "b@example.com" }),
        json!({ "username": "nobody" }),
        json!({ "email": "nobody@example.com" }),
        json!({ "username": "not a name!" }),
        json!({ "email": "no address@" }),
    ] {
        assert_eq!(guest.post("/users/password_reset/", &unknown).await.expect(202).text, known);
    }
    guest.post("/users/password_reset/", &json!({})).await.expect_problem(400, "invalid");
    guest.submit("/users/password_reset/", &[("username", "")]).await.expect(400).expect_text("This field is required");
    // The next mail in the outbox is the only one, so the requests above queued none.
    guest.submit("/users/password_reset/", &[("username", "A@Example.com")]).await.expect_redirect("/users/login/");
    assert_eq!(mail_site.next_mail().await.to, "a@example.com");
}

#[actix_web::test]
async fn password_reset_link_expires_after_an_hour() {
    let mail_site = MailSite::new().await;
    let (_ann, guest) = (mail_site.confirmed_user("ann").await, mail_site.site.guest());
    guest.submit("/users/password_reset/", &[("username", "A@Example.com")]).await.expect_redirect("/users/login/");
    let mail = mail_site.next_mail().await;
    mail_site.site.advance_clock(TimeDelta::hours(1));
    guest.post(&mail.path(), &json!({ "new_password": PASSWORD })).await.expect_problem(410, "link_expired");
    guest.get(&mail.path()).await.expect_problem(410, "link_expired");
}

#[actix_web::test]
async fn password_reset_keeps_two_factor_authentication() {
    let mail_site = MailSite::new().await;
    let (ann, guest) = (mail_site.confirmed_user("ann").await, mail_site.site.guest());
    set_up(&mail_site.site, &ann).await;
    mail_site.send_mail().await;
    guest.post("/users/password_reset/", &json!({ "username": "ann" })).await.expect(202);
    let mail = mail_site.next_mail().await;
    guest.post(&mail.path(), &json!({ "new_password": NEW })).await.expect(200);
    let body = json!({ "username": "ann", "password": NEW });
    guest.post("/users/login/", &body).await.expect_problem(401, "second_factor_needed");
}

#[actix_web::test]
async fn new_email_address_is_used_after_confirmation_and_old_one_is_notified() {
    let mail_site = MailSite::new().await;
    let (ann, guest) = (mail_site.confirmed_user("ann").await, mail_site.site.guest());
    let change = |password: &str| json!({ "email": "ann@new.example", "current_password": password });
    ann.post("/users/account/", &change("wrong")).await.expect_problem(400, "invalid");
    ann.post("/users/account/", &change(PASSWORD)).await.expect(200);
    assert_eq!(ann.get("/users/account/").await.json()["email"], "a@example.com");
    let mail = mail_site.next_mail().await;
    assert_eq!(mail.to, "ann@new.example");
    guest.post(&mail.path(), &json!({})).await.expect(200);
    let account = ann.get("/users/account/").await.json();
    assert_eq!((&account["email"], &account["email_confirmed"]), (&json!("ann@new.example"), &json!(true)));
    let notice = mail_site.next_mail().await;
    assert_eq!((notice.to.as_str(), notice.subject.as_str()), ("a@example.com", "Your email address was changed"));
    assert!(notice.text.contains("ann@new.example"), "{}", notice.text);
    ann.post("/users/account/", &json!({ "email": "ann@third.example", "current_password": PASSWORD }))
        .await
        .expect(200);
    let mail = mail_site.next_mail().await;
    let change = json!({ "old_password": PASSWORD, "new_password": NEW });
    ann.post("/users/password_change/", &change).await.expect(200);
    assert_eq!(mail_site.next_mail().await.to, "ann@new.example");
    guest.post(&mail.path(), &json!({})).await.expect_problem(410, "link_used");
}

#[actix_web::test]
async fn account_deletion_sends_two_mails() {
    let mail_site = MailSite::new().await;
    let ann = mail_site.confirmed_user("ann").await;
    ann.post("/users/delete/", &json!({ "posts": "keep", "current_password": PASSWORD })).await.expect(202);
    let mail = mail_site.next_mail().await;
    assert_eq!((mail.to.as_str(), mail.subject.as_str()), ("a@example.com", "Your account will be deleted"));
    assert!(
        mail.text.contains("/users/login/") && mail.text.contains("To keep it, sign in before then"),
        "{}",
        mail.text
    );
    mail_site.site.advance_clock(TimeDelta::days(7));
    mail_site.site.site().housekeeping().erase_due_accounts().await;
    let mail = mail_site.next_mail().await;
    assert_eq!((mail.to.as_str(), mail.subject.as_str()), ("a@example.com", "Your account has been deleted"));
    assert_eq!(mail_site.site.count("outbox").await, 0);
}

#[actix_web::test]
async fn site_without_mail_says_so() {
    let site = TestSite::start().await;
    let (ann, guest) = (site.user("ann").await, site.guest());
    guest.page("/users/password_reset/").await.expect(200).expect_text("This site doesn’t send email");
    guest.post("/users/password_reset/", &json!({ "username": "ann" })).await.expect_problem(503, "no_mail");
    ann.post("/users/account/confirm/", &json!({})).await.expect_problem(503, "no_mail");
    ann.page("/users/account/").await.expect_text("This site doesn’t send email").expect_no_text("not confirmed");
    let change = json!({ "email": "ann@new.example", "current_password": PASSWORD });
    assert_eq!(ann.post("/users/account/", &change).await.expect(200).json()["email"], "ann@new.example");
    assert_eq!(site.count("outbox").await, 0);
}

#[actix_web::test]
async fn mails_to_a_user_are_limited() {
    let dir = reachable_tempdir();
    let url = format!("file:{}", dir.path().join("mail").display());
    let site = TestSite::start_with(&[("SMTP_URL", &url)], 1).await;
    let (ann, guest) = (site.user("ann").await, site.guest());
    sqlx::query("update users set email_confirmed_at = created_at").execute(&site.pool).await.unwrap();
    let before = site.count("outbox").await;
    let mut answers = Vec::new();
    for _ in 0..25 {
        answers.push(guest.post("/users/password_reset/", &json!({ "username": "ann" })).await.status.as_u16());
    }
    assert_eq!((answers[..20].to_vec(), answers[20..].to_vec()), (vec![202; 20], vec![429; 5]));
    // Each email address gets at most three messages, even if several users request them.
    let patience = Instant::now() + Duration::from_mins(5);
    while site.count("outbox").await - before < 3 {
        assert!(Instant::now() < patience);
    }
    ann.post("/users/account/", &change_of_address("ann@new.example")).await.expect(200);
    assert_eq!(site.count("outbox").await - before, 4);
}

#[actix_web::test]
async fn mail_limit_does_not_block_password_reset() {
    let (site, _dir) = limited_site().await;
    let _ann = site.user("ann").await;
    sqlx::query("update users set email = 'ann@example.org', email_confirmed_at = created_at")
        .execute(&site.pool)
        .await
        .unwrap();
    // Another account uses up the limit of messages to this email address.
    let other = register(&site, "other", "ann+1@example.org").await;
    while other.post("/users/account/confirm/", &json!({})).await.status == 202 {}
    let before = site.count("outbox").await;
    site.guest().post("/users/password_reset/", &json!({ "username": "ann" })).await.expect(202);
    let patience = Instant::now() + Duration::from_mins(5);
    while site.count("outbox").await == before {
        assert!(Instant::now() < patience);
    }
}

/// Starts a site that sends mail and has its default limits.
async fn limited_site() -> (TestSite, tempfile::TempDir) {
    let dir = reachable_tempdir();
    let url = format!("file:{}", dir.path().join("mail").display());
    (TestSite::start_with(&[("SMTP_URL", &url)], 1).await, dir)
}

async fn register(site: &TestSite, name: &str, email: &str) -> Actor {
    let actor = site.guest();
    let body = json!({ "username": name, "email": email, "password": PASSWORD });
    let registered = actor.post("/users/register/", &body).await.expect(201);
    Actor::with_cookie(site.instances[0], registered.header("set-cookie").split(';').next().unwrap())
}

#[actix_web::test]
async fn mails_to_an_address_are_limited_across_accounts() {
    let (site, _dir) = limited_site().await;
    let spellings = ["victim@example.org", "Victim@Example.ORG", "victim+1@example.org", "VICTIM+x@example.org"];
    let mut accounts = Vec::new();
    for n in 0..8 {
        accounts.push(register(&site, &format!("user{n}"), spellings[n % 4]).await);
    }
    for account in &accounts {
        let refused = account.post("/users/account/confirm/", &json!({})).await;
        assert_eq!(refused.expect_problem(429, "sign_in_limited").retry_after(), 1_200);
    }
    assert_eq!(site.count("outbox").await, 3);
    accounts[0].post("/users/account/", &change_of_address("other@example.org")).await.expect(200);
    site.advance_clock(TimeDelta::minutes(20));
    accounts[1].post("/users/account/confirm/", &json!({})).await.expect(202);
    accounts[2].post("/users/account/confirm/", &json!({})).await.expect(429);
    assert_eq!(site.count("outbox").await, 5);
}

#[actix_web::test]
async fn mails_caused_by_a_network_are_limited() {
    let (site, _dir) = limited_site().await;
    let mut statuses = Vec::new();
    for n in 0..8 {
        let mut account = register(&site, &format!("user{n}"), &format!("user{n}@example.org")).await;
        for m in 0..2 {
            let change = change_of_address(&format!("someone{n}x{m}@example.net"));
            let answer = account.post("/users/account/", &change).await;
            statuses.push(answer.status.as_u16());
            // The session ID changes after re-authentication.
            if let Some(cookie) = answer.header("set-cookie").split(';').next().filter(|cookie| !cookie.is_empty()) {
                account = Actor::with_cookie(site.instances[0], cookie);
            }
        }
    }
    assert!(statuses.contains(&200) && statuses.contains(&429), "{statuses:?}");
    assert_eq!(site.count("outbox").await, 20);
}

fn change_of_address(email: &str) -> serde_json::Value {
    json!({ "email": email, "current_password": PASSWORD })
}

#[actix_web::test]
async fn invitation_is_sent_by_email() {
    let mail_site = MailSite::new().await;
    let mo = mail_site.site.staff("mo", "moderator").await;
    mail_site.send_mail().await;
    let new = json!({ "max_uses": 9, "days": 7, "role": "author", "email": "eve@example.com" });
    let invitation = mo.post("/users/invitations/", &new).await.expect(201).json();
    let mail = mail_site.next_mail().await;
    assert_eq!((mail.to.as_str(), mail.subject.as_str()), ("eve@example.com", "mo invites you to Evenkeel"));
    assert!(mail.text.contains(invitation["link"].as_str().unwrap()), "{}", mail.text);
    assert_eq!(invitation["max_uses"], 1);
    for terms in ["mo invites you to create an account on Evenkeel as an author.", "The invitation is valid until 8 "] {
        assert!(mail.text.contains(terms), "{}", mail.text);
    }
}

#[actix_web::test]
async fn author_of_a_reviewed_post_gets_an_email() {
    let mail_site = MailSite::new().await;
    let (ann, olga) = (mail_site.confirmed_user("ann").await, mail_site.site.staff("olga", "owner").await);
    mail_site.send_mail().await;
    olga.post("/admin/settings/", &json!({ "publishing": "reviewed" })).await.expect(200);
    ann.write("Herons", "They stand.").await;
    let returned = json!({ "act": "return_posts", "selected": [1], "reason": "Please add a source." });
    olga.post("/admin/act/", &returned).await.expect(200);
    let mail = mail_site.next_mail().await;
    assert!(mail.text.contains("did not publish your post “Herons”"), "{}", mail.text);
    assert!(mail.text.contains("Please add a source.") && mail.text.contains("/blogs/1/edit/"), "{}", mail.text);
    ann.post("/blogs/1/publish/", &json!({})).await.expect(200);
    olga.post("/blogs/1/publish/", &json!({})).await.expect(200);
    let mail = mail_site.next_mail().await;
    assert!(mail.text.contains("published your post “Herons”"), "{}", mail.text);
}

#[actix_web::test]
async fn link_to_a_replaced_email_address_is_invalid() {
    let mail_site = MailSite::new().await;
    let (ann, guest) = (mail_site.site.user("ann").await, mail_site.site.guest());
    let mistyped = mail_site.next_mail().await;
    ann.post("/users/account/", &change_of_address("ann@right.example")).await.expect(200);
    let valid = mail_site.next_mail().await;
    guest.post(&mistyped.path(), &json!({})).await.expect_problem(410, "link_used");
    guest.post(&valid.path(), &json!({})).await.expect(200);
    guest.get(&mistyped.path()).await.expect_problem(410, "link_used");
    guest.post(&mistyped.path(), &json!({})).await.expect_problem(410, "link_used");
    assert_eq!(ann.get("/users/account/").await.json()["email"], "ann@right.example");
}

#[actix_web::test]
async fn used_link_stays_used_after_an_email_change() {
    let mail_site = MailSite::new().await;
    let (ann, guest) = (mail_site.site.user("ann").await, mail_site.site.guest());
    let first = mail_site.next_mail().await;
    let first_address = first.to.clone();
    guest.post(&first.path(), &json!({})).await.expect(200);
    ann.post("/users/account/", &change_of_address("ann@new.example")).await.expect(200);
    let second = mail_site.next_mail().await;
    guest.post(&second.path(), &json!({})).await.expect(200);
    mail_site.send_mail().await;
    for used in [&first, &second] {
        guest.post(&used.path(), &json!({})).await.expect_problem(410, "link_used");
    }
    ann.post("/users/account/", &change_of_address(&first_address)).await.expect(200);
    guest.post(&first.path(), &json!({})).await.expect_problem(410, "link_used");
    guest.post(&mail_site.next_mail().await.path(), &json!({})).await.expect(200);
    guest.post(&second.path(), &json!({})).await.expect_problem(410, "link_used");
}

#[actix_web::test]
async fn password_reset_link_is_invalid_after_an_email_change() {
    let mail_site = MailSite::new().await;
    let (ann, guest) = (mail_site.confirmed_user("ann").await, mail_site.site.guest());
    guest.post("/users/password_reset/", &json!({ "username": "ann" })).await.expect(202);
    let old = mail_site.next_mail().await;
    ann.post("/users/account/", &change_of_address("ann@new.example")).await.expect(200);
    guest.post(&mail_site.next_mail().await.path(), &json!({})).await.expect(200);
    mail_site.send_mail().await;
    guest.get(&old.path()).await.expect_problem(410, "link_used");
    guest.post(&old.path(), &json!({ "new_password": NEW })).await.expect_problem(410, "link_used");
    // A reset link also ends if the email address is changed directly in the database.
    guest.post("/users/password_reset/", &json!({ "username": "ann" })).await.expect(202);
    let newer = mail_site.next_mail().await;
    sqlx::query("update users set email = 'ann@third.example'").execute(&mail_site.site.pool).await.unwrap();
    guest.post(&newer.path(), &json!({ "new_password": NEW })).await.expect_problem(410, "link_used");
    assert_eq!((sign_in(&guest, "ann", NEW).await, sign_in(&guest, "ann", PASSWORD).await), (401, 200));
}

#[actix_web::test]
async fn only_the_newest_password_reset_link_works() {
    let mail_site = MailSite::new().await;
    let (ann, guest) = (mail_site.site.user("ann").await, mail_site.site.guest());
    let first = mail_site.next_mail().await;
    ann.post("/users/account/confirm/", &json!({})).await.expect(202);
    let second = mail_site.next_mail().await;
    guest.post(&first.path(), &json!({})).await.expect_problem(410, "link_used");
    guest.post(&second.path(), &json!({})).await.expect(200);
    let mut resets = Vec::new();
    for _ in 0..2 {
        guest.post("/users/password_reset/", &json!({ "username": "ann" })).await.expect(202);
        resets.push(mail_site.next_mail().await);
    }
    let new = json!({ "new_password": NEW });
    guest.post(&resets[0].path(), &new).await.expect_problem(410, "link_used");
    // A password change invalidates the remaining link. Storing a new hash of the same password does not.
    sqlx::query("update users set password_hash = password_hash").execute(&mail_site.site.pool).await.unwrap();
    guest.get(&resets[1].path()).await.expect(200);
    let change = json!({ "old_password": PASSWORD, "new_password": "five grey herons wait" });
    ann.post("/users/password_change/", &change).await.expect(200);
    guest.post(&resets[1].path(), &new).await.expect_problem(410, "link_used");
}

#[actix_web::test]
async fn concurrent_uses_of_a_link_succeed_once() {
    let mail_site = MailSite::new().await;
    let _ann = mail_site.site.user("ann").await;
    let path = mail_site.next_mail().await.path();
    let uses = (0..8).map(|_| {
        let (guest, path) = (mail_site.site.guest(), path.clone());
        async move { guest.post(&path, &json!({})).await.status.as_u16() }
    });
    let mut statuses = join_all(uses).await;
    statuses.sort_unstable();
    assert_eq!(statuses, [vec![200], vec![410; 7]].concat());
}

#[actix_web::test]
async fn staff_can_remove_a_password_and_the_owner_sets_a_new_one() {
    let mail_site = MailSite::new().await;
    let ada = mail_site.site.user("ada").await;
    sqlx::query("update users set is_staff = true, staff_role = 'admin' where username = 'ada'")
        .execute(&mail_site.site.pool)
        .await
        .unwrap();
    let (ann, _bob) = (mail_site.site.user("ann").await, mail_site.site.user("bob").await);
    let confirm = mail_site.send_mail().await.into_iter().find(|sent| sent.text.contains("ann")).unwrap();
    ann.post(&confirm.path(), &json!({})).await.expect(200);
    mail_site.send_mail().await;
    // bob is skipped, because his email address is not confirmed: no mail could reach him, and he would be locked out.
    let reset = json!({ "act": "reset_password", "selected": ["ann", "bob"], "current_password": PASSWORD });
    let answer = ada.post("/admin/act/", &reset).await.expect(200).json();
    let skipped: Vec<_> = answer["rows"].as_array().unwrap().iter().map(|row| row["skipped"].as_str()).collect();
    assert_eq!((&answer["count"], skipped), (&json!(1), vec![None, Some("unreachable")]));
    ann.get("/users/account/").await.expect(401);
    let sign_in = |password: &str| json!({ "username": "ann", "password": password });
    ann.post("/users/login/", &sign_in(PASSWORD)).await.expect_problem(401, "wrong_credentials");
    let sent = mail_site.send_mail().await;
    let mail = sent.iter().find(|sent| sent.subject == "Choose a new password").unwrap();
    ann.post(&mail.path(), &json!({ "new_password": NEW })).await.expect(200);
    ann.post("/users/login/", &sign_in(NEW)).await.expect(200);
    let log = ada.get("/admin/log/?user=ann&act=password.take").await.expect(200).json();
    assert_eq!(log["results"][0]["actor"], "ada");
}

#[actix_web::test]
async fn report_decision_notifies_both_sides_but_not_staff() {
    let mail_site = MailSite::new().await;
    let (ann, bob) = (mail_site.site.user("ann").await, mail_site.site.user("bob").await);
    for (reader, name) in [(&ann, "ann"), (&bob, "bob")] {
        let confirm = mail_site.send_mail().await.into_iter().find(|sent| sent.text.contains(name));
        if let Some(confirm) = confirm {
            reader.post(&confirm.path(), &json!({})).await.expect(200);
        }
    }
    sqlx::query("update users set email_confirmed_at = now(), email = username || '@example.com'")
        .execute(&mail_site.site.pool)
        .await
        .unwrap();
    mail_site.send_mail().await;
    let id = ann.write("Herons", "They stand.").await;
    let report = json!({ "category": "other", "explanation": "Look" });
    bob.post(&format!("/blogs/{id}/report/"), &report).await.expect(201);
    let olga = mail_site.site.user("olga").await;
    sqlx::query("update users set is_staff = true where username = 'olga'")
        .execute(&mail_site.site.pool)
        .await
        .unwrap();
    mail_site.send_mail().await;
    let decide = async |ruling: &str, reason: &str| {
        let case = olga.get("/admin/reports/1/").await.json();
        let decision = json!({ "ruling": ruling, "reason": reason, "seen": case["stage"], "version": case["version"] });
        olga.post("/admin/reports/1/", &decision).await.expect(200);
        let mut sent = mail_site.send_mail().await;
        sent.sort_by(|left, right| left.to.cmp(&right.to));
        sent
    };
    let sent = decide("law", "Paragraph 1.\nAnd 2.").await;
    let recipients_and_subjects: Vec<_> = sent.iter().map(|sent| (sent.to.as_str(), sent.subject.as_str())).collect();
    let (to_ann, to_bob) =
        (("ann@example.com", "Your post was taken down"), ("bob@example.com", "Decision about your report"));
    assert_eq!(recipients_and_subjects, [to_ann, to_bob]);
    let words = |sent: &SentMail| sent.text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words(&sent[0]).contains("took it down because it breaks the law"), "{}", sent[0].text);
    assert!(
        words(&sent[0]).contains("Paragraph 1. And 2.") && words(&sent[0]).contains("You can appeal once"),
        "{}",
        sent[0].text
    );
    assert!(!sent[0].text.contains("bob"), "{}", sent[0].text);
    assert!(sent[1].text.contains("/reports/1/") && sent[1].text.contains("was taken down"), "{}", sent[1].text);
    ann.post("/reports/1/appeal/", &json!({ "appeal": "No law says so" })).await.expect(200);
    let sent = decide("keep", "None does.").await;
    assert_eq!(sent[0].subject, "Your post is published again");
    assert!(sent[1].text.contains("This decision is final on this site."), "{}", sent[1].text);
}
