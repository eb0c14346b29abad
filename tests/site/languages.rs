//! Language of the interface, of mail, and of posts.

use serde_json::json;

use crate::support::{Actor, TestResponse, TestSite, minutes, reachable_tempdir};

/// Requests a page with an `Accept-Language` header.
async fn page_in(actor: &Actor, path: &str, languages: &str) -> TestResponse {
    let request = actor.request("GET", path).header("Accept", "text/html").header("Accept-Language", languages);
    actor.send(request).await
}

#[actix_web::test]
async fn page_uses_the_requested_language() {
    let site = TestSite::start_with(&[("SITE_LANGUAGE", "de")], 1).await;
    let (guest, ann) = (site.guest(), site.user("ann").await);
    // The language is the best match for `Accept-Language`, or `SITE_LANGUAGE` if no supported language matches.
    for (preferred, tag, direction, words) in [
        ("fa-IR,fa;q=0.9,en;q=0.8", "fa", "rtl", "تازه‌ترین نوشته‌ها"),
        ("fr, en;q=0.5", "en", "ltr", "Latest posts"),
        ("fr", "de", "ltr", "Neueste Beiträge"),
    ] {
        let page = page_in(&guest, "/blogs/", preferred).await.expect(200).expect_text(words);
        assert_eq!(
            (page.header("content-language"), page.header("vary")),
            (tag, "Accept, Accept-Language, Cookie"),
            "{preferred}"
        );
        page.expect_text(&format!("<html lang=\"{tag}\" dir=\"{direction}\">"));
    }
    let (fa, en) = (page_in(&guest, "/blogs/", "fa").await, page_in(&guest, "/blogs/", "en").await);
    assert_ne!(fa.header("etag"), en.header("etag"));
    let answer = guest.submit("/language/", &[("language", "fa"), ("next", "/blogs/?order=top")]).await;
    answer.expect_redirect("/blogs/?order=top");
    let page = page_in(&guest, "/blogs/", "en").await.expect(200);
    let page = page.expect_text("<html lang=\"fa\" dir=\"rtl\">").expect_text("زبان سایت اکنون");
    assert_eq!(page.header("cache-control"), "no-store");
    // After the message was shown, the language cookie alone does not prevent caching.
    let repeated = page_in(&guest, "/blogs/", "en").await.expect(200).expect_text("lang=\"fa\"");
    assert_eq!(repeated.header("cache-control"), "no-cache");
    ann.post("/language/", &json!({ "language": "fa" })).await.expect(200);
    let browser = site.guest();
    browser.submit("/users/login/", &[("username", "ann"), ("password", crate::support::PASSWORD)]).await.expect(303);
    page_in(&browser, "/users/account/", "en").await.expect_text("حساب شما");
    assert_eq!(ann.get("/users/profile/").await.json()["language"], "fa");
    ann.post("/users/profile/", &json!({ "language": "" })).await.expect(200);
    page_in(&browser, "/users/account/", "en").await.expect_text("Your account");
    for path in ["/language/", "/users/profile/"] {
        let refused = ann.post(path, &json!({ "language": "tlh" })).await.expect_problem(400, "invalid").json();
        assert!(refused["errors"]["language"][0].as_str().unwrap().contains("en, de, fa"), "{path}: {refused}");
    }
    guest.submit("/language/", &[("language", "en"), ("next", "//elsewhere.example/")]).await.expect_redirect("/");
}

#[actix_web::test]
async fn feed_does_not_depend_on_the_language_of_the_client() {
    let site = TestSite::start_with(&[("SITE_LANGUAGE", "de")], 1).await;
    site.user("ann").await.write("پنجره", "مرغ‌های ماهی‌خوار کنار آب ایستاده‌اند و جز نور چیزی نمی‌جنبد.").await;
    for (path, of_site, of_post) in [
        ("/feeds/atom/", "<feed xmlns=\"http://www.w3.org/2005/Atom\" xml:lang=\"de\">", "<entry xml:lang=\"fa\">"),
        ("/feeds/json/", "\"language\":\"de\"", "\"language\":\"fa\""),
    ] {
        let (persian, english) = (page_in(&site.guest(), path, "fa").await, page_in(&site.guest(), path, "en").await);
        assert_eq!((&persian.text, persian.header("etag")), (&english.text, english.header("etag")), "{path}");
        persian.expect_text(of_site).expect_text(of_post);
    }
}

#[actix_web::test]
async fn error_code_is_stable_and_its_text_is_localized() {
    let site = TestSite::start().await;
    let guest = site.guest();
    for (language, title, message) in [
        ("en", "Please fix the errors below", "This field is required."),
        ("de", "Bitte korrigiere die Fehler unten", "Bitte fülle dieses Feld aus."),
        ("fa", "لطفاً خطاهای زیر را برطرف کنید", "پر کردن این فیلد لازم است."),
    ] {
        let request = guest.request("POST", "/users/login/").header("Accept-Language", language);
        let problem = guest.send(request.json(&json!({ "username": "ann" }))).await;
        assert_eq!(problem.header("content-language"), language);
        let problem = problem.expect_problem(400, "invalid").json();
        assert_eq!((&problem["title"], &problem["errors"]["password"][0]), (&json!(title), &json!(message)));
        let page = page_in(&guest, "/nothing/", language).await.expect(404);
        page.expect_text(&format!("<html lang=\"{language}\""));
    }
}

#[actix_web::test]
async fn mail_uses_the_language_of_its_recipient() {
    let dir = reachable_tempdir();
    let mail = format!("file:{}", dir.path().join("mail").display());
    let site = TestSite::start_with(&[("SMTP_URL", &mail)], 1).await;
    let guest = site.guest();
    let fields = [("username", "نیلوفر"), ("email", "n@example.com"), ("password", "چهار مرغ ماهی‌خوار منتظرند")];
    let request =
        guest.request("POST", "/users/register/").header("Accept", "text/html").header("Accept-Language", "fa");
    guest.send(request.form(&fields)).await.expect(303);
    site.site().state.mail_delivery.as_ref().unwrap().send_due_mail().await.unwrap();
    let sent = std::fs::read_dir(dir.path().join("mail")).unwrap().next().unwrap().unwrap().path();
    let sent = std::fs::read(sent).unwrap();
    let sent = mailparse::parse_mail(&sent).unwrap();
    let subject = mailparse::MailHeaderMap::get_first_value(&sent.get_headers(), "Subject").unwrap();
    assert_eq!(subject, "نشانی ایمیلتان را تأیید کنید");
    let parts: Vec<String> = sent.subparts.iter().map(|part| part.get_body().unwrap()).collect();
    assert!(parts[0].starts_with("سلام نیلوفر،") && parts[0].contains("سه روز"), "{parts:?}");
    assert!(parts[1].contains("<html lang=\"fa\" dir=\"rtl\">"), "{parts:?}");
}

#[actix_web::test]
async fn recent_times_are_relative() {
    let site = TestSite::start().await;
    let ann = site.user("ann").await;
    ann.post("/blogs/create/", &json!({ "title": "T", "content": "x", "status": "draft" })).await.expect(201);
    let shown = async |language: &str| {
        ann.post("/language/", &json!({ "language": language })).await.expect(200);
        ann.page("/blogs/drafts/").await.expect(200)
    };
    shown("en").await.expect_text(">just now</time>");
    site.advance_clock(minutes(150));
    let time = "<time datetime=\"2026-01-01T12:00:00Z\" title=\"1 January 2026 at 12:00 UTC\">2 hours ago</time>";
    shown("en").await.expect_text(time);
    shown("de").await.expect_text(">vor 2 Stunden</time>");
    shown("fa").await.expect_text(">۲ ساعت پیش</time>");
    site.advance_clock(minutes(8 * 24 * 60));
    shown("en").await.expect_text(">1 January 2026</time>");
}

#[actix_web::test]
async fn post_declares_its_language() {
    let site = TestSite::start().await;
    let (ann, guest) = (site.user("ann").await, site.guest());
    let german = "Die Reiher warten am Wasser, und nichts bewegt sich außer dem Licht darauf.[^1]\n\n[^1]: Am Abend.";
    let persian = "مرغ‌های ماهی‌خوار کنار آب ایستاده‌اند و جز نور چیزی نمی‌جنبد.[^1]\n\n[^1]: هنگام غروب.";
    for (content, language, direction) in [(german, "de", "ltr"), (persian, "fa", "rtl")] {
        let post = ann.write("…", content).await;
        let shown = guest.get(&format!("/blogs/{post}/")).await.json();
        assert_eq!(shown["language"], language);
        let element = format!("lang=\"{language}\" dir=\"{direction}\"");
        let page =
            guest.page(&path_of_post(&shown)).await.expect(200).expect_text(&format!("data-post=\"{post}\" {element}"));
        page.expect_text("<html lang=\"en\" dir=\"ltr\">");
        guest.page("/blogs/").await.expect_text(&format!("<h2 {element}>"));
    }
    guest.page("/blogs/2/").await.expect_text("↪ ۱</a>");
    guest.page("/blogs/1/").await.expect_text("↩ 1</a>");
    // The language of a very short text is not detected. The author can set the language, and reset it to automatic.
    let few = ann.write("Ciao", "Ciao!").await;
    let path = format!("/blogs/{few}/edit/");
    assert!(ann.get(&format!("/blogs/{few}/")).await.json()["language"].is_null());
    guest.page("/blogs/").await.expect_text("<h2 lang=\"\" dir=\"auto\">");
    let change = |language: &str| json!({ "title": "Ciao", "content": "Ciao!", "language": language });
    assert_eq!(ann.post(&path, &change("it")).await.expect(200).json()["language"], "it");
    let unchanged = json!({ "title": "Ciao", "content": "Ciao a tutti!" });
    assert_eq!(ann.post(&path, &unchanged).await.expect(200).json()["language"], "it");
    ann.page(&path).await.expect_text("<option value=\"it\" lang=\"it\" dir=\"ltr\" selected>");
    assert!(ann.post(&path, &change("")).await.expect(200).json()["language"].is_null());
    ann.post(&path, &change("tlh")).await.expect_problem(400, "invalid");
}

fn path_of_post(post: &serde_json::Value) -> String {
    format!("/blogs/{}/{}/", post["id"], post["slug"].as_str().unwrap())
}

/// Untranslated texts of a page: text, and attributes shown or read aloud, outside the ⟦ ⟧ brackets that the
/// pseudo-locale `en-XA` adds to every message. Elements with their own language, code, times, URLs and email addresses
/// are skipped.
fn not_translated(page: &str) -> Vec<String> {
    const SAID: [&str; 5] = [" alt=\"", " aria-label=\"", " placeholder=\"", " title=\"", " content=\""];
    let (mut texts, mut depth, mut skipped): (Vec<String>, i32, Vec<String>) = Default::default();
    let body = page.split_once("<title>").unwrap().1;
    let mut collect = |text: &str, depth: &mut i32| {
        let mut outside = String::new();
        for c in text.chars() {
            *depth += i32::from(c == '⟦') - i32::from(c == '⟧');
            outside.extend(Some(c).filter(|c| *depth == 0 && *c != '⟧'));
        }
        let plain = outside.replace("&#39;", "").replace("&#34;", "").replace("&#38;", "").replace("&amp;", "");
        if plain.chars().any(|c| c.is_ascii_alphabetic()) {
            texts.push(outside.trim().to_owned());
        }
    };
    for piece in body.split('<') {
        let (tag, text) = piece.split_once('>').unwrap_or(("", piece));
        let name = tag.trim_start_matches('/').split([' ', '\n']).next().unwrap_or_default().to_owned();
        if tag.starts_with('/') {
            skipped.pop_if(|open| *open == name);
        } else {
            for attribute in SAID {
                let is_technical = (name == "meta" && !tag.contains("name=\"description\"")) || name == "time";
                if let Some(value) = tag.split(attribute).nth(1).filter(|_| !is_technical) {
                    collect(value.split('"').next().unwrap(), &mut 0);
                }
            }
            let is_own = ["script", "style", "code", "time", "datalist", "textarea", "title"].contains(&name.as_str());
            let has_language = tag.contains(" lang=\"") && !tag.contains(" lang=\"en-XA\"");
            let is_address = name == "bdi" && tag.contains("dir=\"ltr\"");
            // Options without a value are names of time zones.
            let is_zone = name == "option" && !tag.contains("value=");
            // Labels of a time axis are dates and times, which the locale formats.
            let is_axis_label = name == "text" && tag.contains("text-anchor=\"middle\"");
            if is_own || has_language || is_address || is_zone || is_axis_label {
                skipped.push(name);
            }
        }
        if skipped.is_empty() {
            collect(text, &mut depth);
        }
    }
    texts
}

#[actix_web::test]
async fn all_page_texts_come_from_catalogues() {
    let settings = [("SITE_NAME", "Цапля"), ("PUBLISHING", "approved"), ("LEAKY_BUCKET_CAPACITY", "1")];
    let site = TestSite::start_with(&settings, 1).await;
    let (staff, ben, guest) = (site.user("анна").await, site.user("борис").await, site.guest());
    sqlx::query("update users set is_staff = true where username = 'анна'").execute(&site.pool).await.unwrap();
    for actor in [&staff, &ben, &guest] {
        actor.post("/language/", &json!({ "language": "en-XA" })).await.expect(200);
    }
    let post = staff.write("О цаплях", "Стоят и ждут.\n\n# Один\n\n# Два\n\n# Три\n\nещё").await;
    staff.write("Ещё", "Текст.").await;
    ben.rate(post, 4).await.expect(201);
    let draft = json!({ "title": "Черновик", "content": "Ещё нет.", "status": "draft" });
    staff.post("/blogs/create/", &draft).await.expect(201);
    site.advance_clock(minutes(3 * 24 * 60));
    let mut seen = 0;
    for path in [
        "/",
        "/blogs/?order=top",
        "/blogs/?q=цапля",
        "/blogs/?tag=никто",
        &format!("/blogs/{post}/"),
        &format!("/blogs/{post}/?stars=3"),
        &format!("/blogs/{post}/ratings/"),
        &format!("/blogs/{post}/ratings/exclude/"),
        &format!("/blogs/{post}/edit/"),
        &format!("/blogs/{post}/delete/"),
        &format!("/blogs/{post}/unpublish/"),
        "/blogs/3/",
        "/blogs/create/",
        "/blogs/drafts/",
        "/images/",
        "/rate/mine/",
        "/rate/paused/",
        "/rate/classes/",
        "/users/анна/",
        "/users/борис/",
        "/users/login/",
        &format!("/users/login/?next=/blogs/{post}/?stars%3D4"),
        "/users/register/",
        "/users/password_reset/",
        "/users/password_change/",
        "/users/account/",
        "/users/profile/",
        "/users/sessions/",
        "/users/second_factor/",
        "/users/invitations/",
        "/users/delete/",
        "/users/owner/",
        "/unpause/?token=x",
        "/nothing/",
    ] {
        for actor in [&staff, &ben, &guest] {
            let page = actor.page(path).await;
            if page.header("content-type").starts_with("text/html") && !page.text.is_empty() {
                assert!(page.text.contains("<html lang=\"en-XA\""), "{path}: {}", page.text);
                assert_eq!(not_translated(&page.text), [""; 0], "{path}");
                seen += 1;
            }
        }
    }
    assert!(seen > 60, "{seen}");
    let invalid: [(&str, &[(&str, &str)]); 6] = [
        ("/users/register/", &[("username", "!"), ("email", "!"), ("password", "!")]),
        ("/users/login/", &[("username", "нет"), ("password", "12345678")]),
        ("/blogs/create/", &[("title", ""), ("content", ""), ("tags", "!"), ("slug", "!"), ("publish_at", "!")]),
        ("/users/profile/", &[("link", "!"), ("time_zone", "!"), ("display_name", "…"), ("language", "!")]),
        ("/users/password_change/", &[("old_password", "12345678"), ("new_password", "1")]),
        ("/rate/", &[("blog", "1"), ("rating", "9")]),
    ];
    for (path, fields) in invalid {
        let page = ben.submit(path, fields).await;
        assert!(page.status.is_client_error(), "{path}");
        assert_eq!(not_translated(&page.text), [""; 0], "{path}");
        let problem = ben.post(path, &json!({ "nonsense": 1 })).await.json();
        let texts = [&problem["title"], &problem["detail"], &problem["errors"]["nonsense"][0]];
        assert!(texts.iter().all(|texts| texts.as_str().unwrap().starts_with('⟦')), "{problem}");
    }
}
