//! Registration policies, invitations, the first staff account, and publishing policies.

use chrono::TimeDelta;
use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::support::{Actor, PASSWORD, TestSite};

fn account(name: &str) -> Value {
    json!({ "username": name, "email": "a@example.com", "password": PASSWORD })
}

async fn staff(site: &TestSite) -> Actor {
    let staff = site.many_users(1).await.remove(0);
    sqlx::query("update users set is_staff = true where username = 'crowd_0'").execute(&site.pool).await.unwrap();
    staff
}

async fn invite(staff: &Actor, max_uses: i64, days: i64) -> Value {
    staff.post("/users/invitations/", &json!({ "max_uses": max_uses, "days": days })).await.expect(201).json()
}

/// Path of an invitation link.
fn path(invitation: &Value) -> String {
    invitation["link"].as_str().unwrap().strip_prefix("http://127.0.0.1:8000").unwrap().to_owned()
}

#[actix_web::test]
async fn closed_registration_rejects_everyone() {
    let site = TestSite::start_with(&[("REGISTRATION", "closed")], 1).await;
    let guest = site.guest();
    guest.page("/users/register/").await.expect(403).expect_text("Registration is closed");
    guest.post("/users/register/", &account("ann")).await.expect_problem(403, "registration_closed");
    guest.page("/users/login/").await.expect(200).expect_no_text("/users/register/");
    guest.page("/blogs/").await.expect_no_text("/users/register/");
    assert_eq!(site.count("users").await, 0);
}

/// Starts two instances that register users by invitation only, and returns them with a staff member and a visitor.
async fn site_by_invitation() -> (TestSite, Actor, Actor) {
    let site = TestSite::start_with(&[("REGISTRATION", "invite"), ("SIGN_IN_THROTTLE", "off")], 2).await;
    let (staff, guest) = (staff(&site).await, site.guest());
    (site, staff, guest)
}

#[actix_web::test]
async fn registration_by_invitation_rejects_missing_and_forged_links() {
    let (_site, _staff, guest) = site_by_invitation().await;
    guest.page("/users/register/").await.expect(403).expect_text("Registration is by invitation");
    guest.post("/users/register/", &account("eve")).await.expect_problem(403, "invitation_needed");
    for forged in ["/users/register/?invitation=AAAA", "/users/register/?invitation=é"] {
        guest.post(forged, &account("eve")).await.expect_problem(400, "link_invalid");
        guest.page(forged).await.expect(400).expect_text("This invitation link is incomplete");
    }
}

/// Checks that 12 concurrent registrations on two instances use an invitation for 3 users 3 times.
#[actix_web::test]
async fn invitation_admits_its_number_of_users() {
    let (site, staff, guest) = site_by_invitation().await;
    let link = path(&invite(&staff, 3, 7).await);
    guest.page(&link).await.expect(200).expect_no_text("You’re signed in as");
    staff.page(&link).await.expect(200).expect_text("You’re signed in as <bdi>crowd_0</bdi>");
    guest.submit(&link, &[("username", "ann"), ("email", "x"), ("password", PASSWORD)]).await.expect(400);
    let attempts = (0..12).map(|n| {
        let (actor, link) = (Actor::new(site.instances[n % 2]), link.clone());
        async move { actor.post(&link, &account(&format!("reader{n}"))).await.status.as_u16() }
    });
    let mut statuses = join_all(attempts).await;
    statuses.sort_unstable();
    assert_eq!(statuses, [[201; 3].as_slice(), &[410; 9]].concat());
    guest.page(&link).await.expect(410).expect_text("This invitation has been used up");
    let listed = staff.get("/users/invitations/").await.expect(200).json();
    assert_eq!(listed["results"][0]["uses"], 3);
    assert_eq!(listed["results"][0]["names"].as_array().unwrap().len(), 3);
    staff.page("/users/invitations/").await.expect_text("3 of 3 joined. Created by <bdi>crowd_0</bdi>. Used up");
}

#[actix_web::test]
async fn registration_page_names_the_terms_of_the_invitation() {
    let site = TestSite::start().await;
    let (mo, guest) = (site.staff("mo", "moderator").await, site.guest());
    let new = json!({ "max_uses": 1, "days": 7, "role": "author" });
    let link = path(&mo.post("/users/invitations/", &new).await.expect(201).json());
    let terms = "<bdi>mo</bdi> invites you to <bdi>Evenkeel</bdi> as an author. The invitation is valid until ";
    guest.page(&link).await.expect(200).expect_text(terms);
    // The page still has the terms after an error.
    guest.submit(&link, &[("username", "eve"), ("email", "x"), ("password", PASSWORD)]).await.expect_text(terms);
    guest.page("/users/register/").await.expect_no_text("invites you");
}

#[actix_web::test]
async fn rejected_registration_does_not_use_up_the_invitation() {
    let (_site, staff, guest) = site_by_invitation().await;
    let link = path(&invite(&staff, 1, 7).await);
    guest.post(&link, &account("CROWD_0")).await.expect_problem(400, "invalid");
    assert_eq!(staff.get("/users/invitations/").await.expect(200).json()["results"][0]["uses"], 0);
    guest.submit(&link, &[("username", "ann"), ("email", "a@b.example"), ("password", PASSWORD)]).await.expect(303);
}

#[actix_web::test]
async fn ended_and_expired_invitations_admit_nobody() {
    let (site, staff, guest) = site_by_invitation().await;
    let (expiring, ended) = (invite(&staff, 5, 2).await, invite(&staff, 5, 300).await);
    staff.submit(&format!("/users/invitations/{}/end/", ended["id"]), &[]).await.expect_redirect("/users/invitations/");
    guest.post(&path(&ended), &account("bob")).await.expect_problem(410, "link_expired");
    site.advance_clock(TimeDelta::days(2));
    guest.post(&path(&expiring), &account("bob")).await.expect_problem(410, "link_expired");
    guest.page(&path(&expiring)).await.expect(410).expect_text("This invitation has expired");
}

#[actix_web::test]
async fn only_staff_manage_invitations() {
    let (_site, staff, ann) = site_by_invitation().await;
    let invitation = invite(&staff, 5, 7).await;
    ann.post(&path(&invitation), &account("ann")).await.expect(201);
    ann.get("/users/invitations/").await.expect_problem(403, "staff_only");
    ann.post("/users/invitations/", &json!({ "max_uses": 1, "days": 1 })).await.expect_problem(403, "staff_only");
    let end = format!("/users/invitations/{}/end/", invitation["id"]);
    ann.post(&end, &json!({})).await.expect_problem(403, "staff_only");
}

#[actix_web::test]
async fn invalid_invitation_names_its_field() {
    let (_site, staff, _guest) = site_by_invitation().await;
    let body = json!({ "max_uses": 1_001, "days": 0 });
    let problem = staff.post("/users/invitations/", &body).await.expect_problem(400, "invalid").json();
    assert_eq!(problem["errors"]["max_uses"][0], "Enter a whole number from 1 to 1,000.");
    let page = staff.submit("/users/invitations/", &[("max_uses", "x"), ("days", "1")]).await.expect(400);
    page.expect_text("Enter a whole number");
    staff.post("/users/invitations/99/end/", &json!({})).await.expect_problem(404, "not_found");
}

/// Registration of the first owner with the code of a setup link.
fn owner_account(code: &str, name: &str) -> Value {
    let mut body = account(name);
    body["code"] = json!(code);
    body
}

#[actix_web::test]
async fn setup_of_the_first_owner_requires_the_code() {
    let site = TestSite::start().await;
    let visitor = site.guest();
    visitor.page("/").await.expect(200).expect_text("<a href=\"/users/owner/\">");
    visitor.page("/users/owner/").await.expect(200).expect_text("This site has no owner yet");
    visitor.post("/users/owner/", &account("eve")).await.expect_problem(400, "invalid");
    let wrong_code = owner_account("0123456789abcdef0123456789abcdef", "eve");
    let problem = visitor.post("/users/owner/", &wrong_code).await.expect_problem(400, "invalid").json();
    assert_eq!(
        problem["errors"]["code"][0],
        "Incorrect code. Use the code in the setup link that the server printed, or wrote to a file, when it started."
    );
    site.user("ann").await;
    assert_eq!(site.count("users where is_staff").await, 0);
}

#[actix_web::test]
async fn setup_link_creates_the_first_owner_once() {
    let site = TestSite::start_with(&[], 2).await;
    let (visitor, owner, reader) = (site.guest(), Actor::new(site.instances[1]), site.user("ann").await);
    visitor.page("/").await.expect(200).expect_text("<a href=\"/users/owner/\">");
    // The server prints this setup link at start-up.
    let link = evenkeel::users::registration::create_owner::setup_url(&site.site().state).await.unwrap().unwrap();
    let path = link.strip_prefix("http://127.0.0.1:8000").unwrap();
    let code = path.split_once("code=").unwrap().1;
    owner.page(path).await.expect(200).expect_text(&format!("value=\"{code}\""));
    let fields = [("code", code), ("username", "Owner"), ("email", "o@example.com"), ("password", "password")];
    owner.submit("/users/owner/", &fields).await.expect(400).expect_text("value=\"Owner\"");
    let attempts = (0..4).map(|n| {
        let (actor, body) = (Actor::new(site.instances[n % 2]), owner_account(code, &format!("owner{n}")));
        async move { (actor.post("/users/owner/", &body).await.status.as_u16(), actor) }
    });
    let mut answers = join_all(attempts).await;
    answers.sort_by_key(|(status, _)| *status);
    assert_eq!(answers.iter().map(|(status, _)| *status).collect::<Vec<_>>(), [201, 410, 410, 410]);
    answers[0].1.get("/users/invitations/").await.expect(200);
    reader.get("/users/invitations/").await.expect_problem(403, "staff_only");
    assert_eq!(answers[0].1.get("/admin/log/").await.expect(200).json()["results"][0]["act"], "staff.make");
    assert_eq!((site.count("users where is_staff").await, site.count("users").await), (1, 2));
    owner.page(path).await.expect(410).expect_text("This site already has an owner");
    // Pages of other instances stop showing the setup link within a second.
    site.advance_clock(TimeDelta::seconds(2));
    visitor.page("/").await.expect(200).expect_no_text("/users/owner/");
    assert_eq!(evenkeel::users::registration::create_owner::setup_url(&site.site().state).await.unwrap(), None);
    sqlx::query("update users set is_staff = false").execute(&site.pool).await.unwrap();
    visitor.post("/users/owner/", &owner_account(code, "eve")).await.expect_problem(400, "invalid");
    let second = evenkeel::users::registration::create_owner::setup_url(&site.site().state).await.unwrap().unwrap();
    assert!(second != link && second.contains("?code="), "{second}");
}

/// Starts a site on which staff approve the users who can publish, and returns it with the user `ann` and
/// a staff member.
async fn site_with_approval() -> (TestSite, Actor, Actor) {
    let site = TestSite::start_with(&[("PUBLISHING", "approved")], 1).await;
    let (ann, staff) = (site.user("ann").await, staff(&site).await);
    (site, ann, staff)
}

fn herons(status: &str) -> Value {
    json!({ "title": "Herons", "content": "stand", "status": status })
}

async fn set_approval_of_ann(staff: &Actor, is_approved: bool) {
    staff.post("/users/ann/approve/", &json!({ "approved": is_approved })).await.expect(200);
}

#[actix_web::test]
async fn users_without_approval_write_drafts_only() {
    let (_site, ann, _staff) = site_with_approval().await;
    ann.post("/blogs/create/", &herons("published")).await.expect_problem(403, "may_not_publish");
    ann.post("/blogs/create/", &json!({ "title": "Herons", "content": "stand" }))
        .await
        .expect_problem(403, "may_not_publish");
    let mut scheduled = herons("draft");
    scheduled["publish_at"] = json!("2099-01-01T00:00Z");
    ann.post("/blogs/create/", &scheduled).await.expect_problem(403, "may_not_publish");
    let form = ann.page("/blogs/create/").await.expect(200).expect_text("You need permission from site");
    form.expect_no_text("value=\"published\"");
    let fields = [("title", "Herons"), ("content", "stand and wait"), ("status", "published")];
    ann.submit("/blogs/create/", &fields).await.expect(403).expect_text("stand and wait");
    let draft = ann.post("/blogs/create/", &herons("draft")).await.expect(201).json()["id"].as_i64().unwrap();
    ann.post(&format!("/blogs/{draft}/publish/"), &json!({})).await.expect_problem(403, "may_not_publish");
}

#[actix_web::test]
async fn staff_approve_users_who_can_publish() {
    let (site, ann, staff) = site_with_approval().await;
    let bob = site.user("bob").await;
    let draft = ann.post("/blogs/create/", &herons("draft")).await.expect(201).json()["id"].as_i64().unwrap();
    bob.post("/users/ann/approve/", &json!({ "approved": true })).await.expect_problem(403, "staff_only");
    site.guest().post("/users/ann/approve/", &json!({ "approved": true })).await.expect_problem(401, "not_signed_in");
    staff.page("/users/ann/").await.expect_text("Allow publishing");
    bob.page("/users/ann/").await.expect_no_text("Allow publishing");
    staff.submit("/users/ann/approve/", &[("approved", "true")]).await.expect_redirect("/users/ann/");
    staff.page("/users/ann/").await.expect_text("This user can publish.");
    staff.post("/users/ann/approve/", &json!({ "approved": "yes" })).await.expect_problem(400, "invalid");
    staff.post("/users/nobody/approve/", &json!({ "approved": true })).await.expect_problem(404, "not_found");
    ann.post(&format!("/blogs/{draft}/publish/"), &json!({})).await.expect(200);
    ann.page("/blogs/create/").await.expect_text("value=\"published\"");
}

/// Checks that published posts stay but cannot be changed, and that scheduled posts are not published, even after a new
/// approval.
#[actix_web::test]
async fn withdrawn_approval_stops_changes_and_scheduled_posts() {
    let (site, ann, staff) = site_with_approval().await;
    set_approval_of_ann(&staff, true).await;
    let published = ann.write("Herons", "stand").await;
    let scheduled = json!({ "title": "Owls", "content": "sit", "publish_at": "2026-01-01T13:00Z" });
    let scheduled = ann.post("/blogs/create/", &scheduled).await.expect(201).json()["id"].clone();
    set_approval_of_ann(&staff, false).await;
    let change = json!({ "title": "Herons", "content": "Buy now!" });
    ann.post(&format!("/blogs/{published}/edit/"), &change).await.expect_problem(403, "may_not_publish");
    site.advance_clock(TimeDelta::hours(2));
    evenkeel::blog_posts::schedule::publish_due_drafts(&site.site().state).await.unwrap();
    site.guest().get(&format!("/blogs/{scheduled}/")).await.expect(404);
    set_approval_of_ann(&staff, true).await;
    evenkeel::blog_posts::schedule::publish_due_drafts(&site.site().state).await.unwrap();
    site.guest().get(&format!("/blogs/{scheduled}/")).await.expect(404);
    set_approval_of_ann(&staff, false).await;
    ann.post(&format!("/blogs/{scheduled}/edit/"), &json!({ "title": "Owls", "content": "sat" })).await.expect(200);
    for path in ["/blogs/drafts/".to_owned(), format!("/blogs/{scheduled}/owls/"), format!("/blogs/{scheduled}/edit/")]
    {
        let page = ann.page(&path).await.expect(200).expect_text("permission");
        page.expect_no_text("/publish/").expect_no_text("publish_at");
    }
    ann.post(&format!("/blogs/{published}/unpublish/"), &json!({})).await.expect(204);
}

#[actix_web::test]
async fn staff_publish_without_approval() {
    let (_site, _ann, staff) = site_with_approval().await;
    staff.write("Rules", "Be kind.").await;
    staff.post("/users/crowd_0/approve/", &json!({ "approved": false })).await.expect_problem(400, "invalid");
    staff.page("/users/crowd_0/").await.expect(200).expect_no_text("/approve/");
}

#[actix_web::test]
async fn staff_only_publishing_hides_the_editor_from_others() {
    let site = TestSite::start_with(&[("PUBLISHING", "staff")], 1).await;
    let (ann, staff) = (site.user("ann").await, staff(&site).await);
    ann.page("/blogs/").await.expect(200).expect_no_text("/blogs/create/");
    staff.page("/blogs/").await.expect(200).expect_text("/blogs/create/");
    let post = json!({ "title": "Herons", "content": "stand" });
    ann.post("/blogs/create/", &post).await.expect_problem(403, "may_not_publish");
    sqlx::query("update users set is_approved = true").execute(&site.pool).await.unwrap();
    ann.post("/blogs/create/", &post).await.expect_problem(403, "may_not_publish");
    staff.post("/blogs/create/", &post).await.expect(201);
    staff.post("/users/ann/approve/", &json!({ "approved": true })).await.expect_problem(400, "invalid");
}
