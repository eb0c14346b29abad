//! Checklist for the owner of a new site.

use serde_json::json;

use crate::support::{Actor, TestSite};

async fn new_site() -> (TestSite, Actor) {
    let site = TestSite::start().await;
    let olga = site.staff("olga", "owner").await;
    (site, olga)
}

#[actix_web::test]
async fn owner_of_a_new_site_sees_the_first_steps() {
    let (_site, olga) = new_site().await;
    let page = olga.page("/admin/").await.expect_text("First steps").expect_text("Name your blog");
    page.expect_text("Set SMTP_URL on the server").expect_no_text("Done:");
}

#[actix_web::test]
async fn other_staff_do_not_see_the_first_steps() {
    let (site, _) = new_site().await;
    site.staff("ada", "admin").await.page("/admin/").await.expect_no_text("First steps");
}

#[actix_web::test]
async fn steps_tick_themselves_off() {
    let (_site, olga) = new_site().await;
    olga.post("/admin/settings/", &json!({ "site_name": "Heron", "registration": "invite" })).await.expect(200);
    olga.write("Herons", "They stand.").await;
    olga.post("/users/invitations/", &json!({ "max_uses": 1, "days": 7 })).await.expect(201);
    let page = olga.page("/admin/").await;
    assert_eq!(page.text.matches("Done:").count(), 4);
    page.expect_text("value=\"mail\"").expect_text("value=\"limiter\"").expect_no_text("value=\"name\"");
}

#[actix_web::test]
async fn opening_the_limiter_ticks_off_its_step() {
    let (site, olga) = new_site().await;
    site.staff("ada", "admin").await.page("/admin/limiter/").await.expect(200);
    olga.page("/admin/").await.expect_text("value=\"limiter\"");
    olga.page("/admin/limiter/").await.expect(200);
    let page = olga.page("/admin/").await.expect_no_text("value=\"limiter\"").expect_text("value=\"mail\"");
    assert_eq!(page.text.matches("Done:").count(), 1);
}

#[actix_web::test]
async fn step_can_be_skipped() {
    let (_site, olga) = new_site().await;
    olga.submit("/admin/first-steps/", &[("step", "mail")]).await.expect_redirect("/admin/");
    let page = olga.page("/admin/").await.expect_no_text("value=\"mail\"");
    assert_eq!(page.text.matches("Done:").count(), 1);
}

#[actix_web::test]
async fn list_can_be_hidden() {
    let (_site, olga) = new_site().await;
    olga.submit("/admin/first-steps/", &[("step", "all")]).await.expect_redirect("/admin/");
    olga.page("/admin/").await.expect_no_text("First steps");
}
