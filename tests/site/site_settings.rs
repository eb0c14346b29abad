//! Settings of the site that the owner changes in the browser.

use serde_json::json;

use crate::support::{Actor, PASSWORD, TestSite};

const PAGE: &str = "/admin/settings/";

fn png(width: u32, height: u32) -> Vec<u8> {
    let mut file = std::io::Cursor::new(Vec::new());
    image::RgbImage::new(width, height).write_to(&mut file, image::ImageFormat::Png).unwrap();
    file.into_inner()
}

async fn reload(site: &TestSite, instance: usize) {
    let state = &site.site_of(instance).state;
    if state.settings.site.reload(&state.pool).await.unwrap() {
        state.page_cache.invalidate();
    }
}

async fn register(site: &TestSite, name: &str) -> u16 {
    let account = json!({ "username": name, "email": format!("{name}@example.com"), "password": PASSWORD });
    site.guest().post("/users/register/", &account).await.status.as_u16()
}

#[actix_web::test]
async fn new_name_is_shown_at_once() {
    let site = TestSite::start().await;
    let olga = site.staff("olga", "owner").await;
    let fields = [("site_name", "Heron & Sons"), ("site_footer", "[Imprint](https://heron.example/)")];
    olga.submit(PAGE, &fields).await.expect_redirect(PAGE);
    olga.page(PAGE).await.expect_text("Settings saved.").expect_text("value=\"Heron &#38; Sons\"");
    let front = site.guest().page("/").await.expect_text("<bdi>Heron &#38; Sons</bdi>");
    front.expect_text("href=\"https://heron.example/\"");
}

#[actix_web::test]
async fn other_instance_reads_the_change() {
    let site = TestSite::start_with(&[], 2).await;
    let olga = site.staff("olga", "owner").await;
    olga.post(PAGE, &json!({ "site_name": "Heron" })).await.expect(200);
    reload(&site, 1).await;
    Actor::new(site.instances[1]).page("/").await.expect_text("<bdi>Heron</bdi>");
}

#[actix_web::test]
async fn omitted_fields_stay_and_empty_fields_get_the_default() {
    let site = TestSite::start().await;
    let olga = site.staff("olga", "owner").await;
    let changed = json!({ "site_name": "Heron", "site_description": "Birds", "registration": "invite" });
    olga.post(PAGE, &changed).await.expect(200);
    let settings = olga.post(PAGE, &json!({ "site_name": "" })).await.expect(200).json();
    assert_eq!((&settings["site_name"], &settings["site_description"]), (&json!(""), &json!("Birds")));
    assert_eq!(settings["registration"], "invite");
    site.guest().page("/").await.expect_text("<bdi>Evenkeel</bdi>").expect_text("Birds");
    assert_eq!(site.count("site_settings").await, 2);
}

#[actix_web::test]
async fn saving_without_a_change_stores_nothing() {
    let site = TestSite::start_with(&[("REGISTRATION", "open")], 1).await;
    let olga = site.staff("olga", "owner").await;
    let mut settings = olga.get(PAGE).await.expect(200).json();
    settings.as_object_mut().unwrap().remove("environment");
    olga.post(PAGE, &settings).await.expect(200);
    assert_eq!((site.count("site_settings").await, site.count("audit_log").await), (0, 0));
}

#[actix_web::test]
async fn settings_of_another_owner_are_not_overwritten() {
    let site = TestSite::start().await;
    let (olga, oscar) = (site.staff("olga", "owner").await, site.staff("oscar", "owner").await);
    let seen = olga.get(PAGE).await.expect(200).json()["seen"].as_str().unwrap().to_owned();
    oscar.post(PAGE, &json!({ "registration": "closed" })).await.expect(200);
    let stale = [("seen", seen.as_str()), ("registration", "open"), ("site_name", "Heron")];
    let page = olga.submit(PAGE, &stale).await.expect(409).expect_text("value=\"Heron\"");
    // The page has the current state, so that the form can be sent again.
    page.expect_no_text(&seen);
    assert_eq!(olga.get(PAGE).await.json()["registration"], "closed");
}

#[actix_web::test]
async fn environment_variable_takes_precedence() {
    let site = TestSite::start_with(&[("SITE_NAME", "Fixed")], 1).await;
    let olga = site.staff("olga", "owner").await;
    olga.page(PAGE).await.expect_text("<code>SITE_NAME</code>").expect_text("value=\"Fixed\"");
    let refused = olga.post(PAGE, &json!({ "site_name": "Heron" })).await.expect_problem(400, "invalid").json();
    assert!(refused["errors"]["site_name"][0].as_str().unwrap().contains("SITE_NAME"), "{refused}");
    // The form omits the field `site_name`, which the environment variable sets.
    olga.submit(PAGE, &[("site_description", "Birds")]).await.expect(303);
    site.guest().page("/").await.expect_text("<bdi>Fixed</bdi>").expect_text("Birds");
}

#[actix_web::test]
async fn accent_color_needs_contrast() {
    let site = TestSite::start().await;
    let olga = site.staff("olga", "owner").await;
    for (color, error) in [("#ffee00", "Choose a darker color, such as #"), ("red", "six digits")] {
        let page = olga.submit(PAGE, &[("accent_color", color), ("site_name", "Heron")]).await.expect(400);
        page.expect_text(error).expect_text("value=\"Heron\"");
    }
    olga.submit(PAGE, &[("accent_color", "#7a1fa2")]).await.expect(303);
    let front = site.guest().page("/").await;
    let path = front.text.split("href=\"").find(|rest| rest.starts_with("/static/theme.css")).unwrap();
    let style = site.guest().page(path.split('"').next().unwrap()).await.expect(200);
    assert!(style.header("cache-control").contains("immutable"), "{}", style.header("cache-control"));
    style.expect_text("--accent: #7a1fa2").expect_text("prefers-color-scheme: dark");
}

#[actix_web::test]
async fn accent_color_is_typed_or_chosen_with_a_picker() {
    let site = TestSite::start().await;
    let olga = site.staff("olga", "owner").await;
    let page = olga.page(PAGE).await.expect_text("name=\"accent_color\"").expect_text("type=\"color\"");
    // The picker has no name and is shown by the script, so that an empty field still means the default color.
    let fields = page.text.split("<input ").map(|rest| rest.split('>').next().unwrap());
    let picker = fields.into_iter().find(|field| field.contains("type=\"color\"")).unwrap();
    assert!(picker.ends_with(" hidden") && !picker.contains("name="), "{picker}");
}

#[actix_web::test]
async fn owner_decides_who_may_register() {
    let site = TestSite::start().await;
    let olga = site.staff("olga", "owner").await;
    assert_eq!(register(&site, "ann").await, 201);
    olga.post(PAGE, &json!({ "registration": "closed" })).await.expect(200);
    assert_eq!(register(&site, "ben").await, 403);
    site.guest().page("/").await.expect_no_text("/users/register/");
}

#[actix_web::test]
async fn owner_decides_who_may_publish() {
    let site = TestSite::start().await;
    let (olga, ann) = (site.staff("olga", "owner").await, site.user("ann").await);
    let post = json!({ "title": "Herons", "content": "They stand.", "status": "published" });
    ann.post("/blogs/create/", &post).await.expect(201);
    olga.post(PAGE, &json!({ "publishing": "staff" })).await.expect(200);
    ann.post("/blogs/create/", &post).await.expect_problem(403, "may_not_publish");
}

#[actix_web::test]
async fn owner_decides_who_may_rate() {
    let site = TestSite::start().await;
    let (olga, ann) = (site.staff("olga", "owner").await, site.user("ann").await);
    let post = olga.write("Herons", "They stand.").await;
    let settings = olga.post(PAGE, &json!({ "min_account_age_hours": 24 })).await.expect(200).json();
    assert_eq!((&settings["min_account_age_hours"], &settings["confirmed_email"]), (&json!(24), &json!(false)));
    ann.rate(post, 5).await.expect_problem(403, "not_eligible");
    olga.post(PAGE, &json!({ "min_account_age_hours": null })).await.expect(200);
    ann.rate(post, 5).await.expect(201);
}

#[actix_web::test]
async fn confirmed_addresses_cannot_be_required_without_mail() {
    let site = TestSite::start().await;
    let olga = site.staff("olga", "owner").await;
    let refused = olga.post(PAGE, &json!({ "confirmed_email": true })).await.expect_problem(400, "invalid").json();
    assert!(refused["errors"]["confirmed_email"][0].as_str().unwrap().contains("sends no mail"), "{refused}");
}

#[actix_web::test]
async fn changes_are_in_the_audit_log() {
    let site = TestSite::start().await;
    let olga = site.staff("olga", "owner").await;
    olga.post(PAGE, &json!({ "registration": "invite", "site_name": "Heron" })).await.expect(200);
    olga.post(PAGE, &json!({ "registration": "closed" })).await.expect(200);
    let log = olga.get("/admin/log/?act=setting.change").await.expect(200).json();
    let entries = log["results"].as_array().unwrap();
    assert_eq!(entries.len(), 3);
    let details = json!({ "setting": "REGISTRATION", "before": "invite", "after": "closed" });
    assert_eq!((&entries[0]["details"], &entries[0]["actor"]), (&details, &json!("olga")));
}

#[actix_web::test]
async fn only_owners_may_open_the_settings() {
    let site = TestSite::start().await;
    let (ada, ann) = (site.staff("ada", "admin").await, site.user("ann").await);
    ada.get(PAGE).await.expect_problem(403, "role_needed");
    ada.page("/admin/").await.expect_no_text(PAGE);
    ann.get(PAGE).await.expect_problem(404, "not_found");
}

#[actix_web::test]
async fn uploaded_logo_is_on_every_page() {
    let site = TestSite::start().await;
    let olga = site.staff("olga", "owner").await;
    olga.submit_file(PAGE, &[("site_name", "Heron")], ("site_logo", png(60, 30))).await.expect_redirect(PAGE);
    let front = site.guest().page("/").await.expect_text("<bdi>Heron</bdi>");
    let brand = &front.text[front.text.find("class=\"brand\"").unwrap()..];
    let path = brand.split("<img src=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap();
    assert!(path.starts_with("/images/") && site.guest().get(path).await.status == 200, "{path}");
    olga.page(PAGE).await.expect_text("Current logo");
}

#[actix_web::test]
async fn removed_logo_gives_way_to_the_default() {
    let site = TestSite::start().await;
    let olga = site.staff("olga", "owner").await;
    olga.submit_file(PAGE, &[], ("site_logo", png(60, 30))).await.expect(303);
    olga.submit(PAGE, &[("site_logo", "")]).await.expect(303);
    site.guest().page("/").await.expect_no_text("/images/").expect_text("class=\"sail\"");
    assert_eq!((site.count("site_settings").await, site.count("image_uses").await), (0, 0));
}

#[actix_web::test]
async fn icon_is_square_and_replaces_the_favicon() {
    let site = TestSite::start().await;
    let olga = site.staff("olga", "owner").await;
    olga.submit_file(PAGE, &[], ("site_icon", png(60, 30))).await.expect(303);
    let icon = olga.get(PAGE).await.json()["site_icon"].as_str().unwrap().to_owned();
    assert!(icon.contains("-30x30."), "{icon}");
    site.guest().page("/").await.expect_text(&format!("<link rel=\"apple-touch-icon\" href=\"{icon}\">"));
    assert_eq!(site.guest().page_without_redirect("/favicon.ico").await.header("location"), icon);
}

#[actix_web::test]
async fn image_of_a_setting_is_not_deleted() {
    let site = TestSite::start().await;
    let olga = site.staff("olga", "owner").await;
    olga.submit_file(PAGE, &[], ("site_logo", png(60, 30))).await.expect(303);
    let logo = olga.get(PAGE).await.json()["site_logo"].as_str().unwrap().to_owned();
    olga.post(&format!("{logo}/delete/"), &json!({})).await.expect_problem(409, "image_in_use");
}

#[actix_web::test]
async fn images_of_other_users_cannot_be_logos() {
    let site = TestSite::start().await;
    let (olga, ann) = (site.staff("olga", "owner").await, site.user("ann").await);
    let image = ann.send_image("", png(60, 30)).await.expect(201).json()["url"].clone();
    let refused = olga.post(PAGE, &json!({ "site_logo": image })).await.expect_problem(400, "invalid").json();
    assert!(refused["errors"]["site_logo"].is_array(), "{refused}");
}

#[actix_web::test]
async fn file_that_is_no_image_is_refused_beside_its_field() {
    let site = TestSite::start().await;
    let olga = site.staff("olga", "owner").await;
    let fields = [("site_name", "Heron")];
    let page = olga.submit_file(PAGE, &fields, ("site_logo", b"no image".to_vec())).await.expect(400);
    page.expect_text("id=\"site_logo-error\"").expect_text("value=\"Heron\"");
}

#[actix_web::test]
async fn file_has_to_be_chosen_again_after_an_error_in_another_field() {
    let site = TestSite::start().await;
    let olga = site.staff("olga", "owner").await;
    let page = olga.submit_file(PAGE, &[("accent_color", "red")], ("site_logo", png(60, 30))).await.expect(400);
    let hint = |name: &str| page.text.split("<p class=\"hint\" ").find(|hint| hint.contains(name)).unwrap().to_owned();
    let again = "<strong class=\"error\">Choose the file again.</strong></p>";
    assert!(hint("id=\"site_logo-hint\"").contains(again), "{}", page.text);
    assert!(!hint("id=\"site_icon-hint\"").contains(again), "{}", page.text);
}
