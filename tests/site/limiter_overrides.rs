//! Limiter overrides: admins change the rating limiter of a running site, simulate limiters first, and undo changes.

use chrono::TimeDelta;
use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::replay::replay_with;
use crate::support::{Actor, PASSWORD, TestResponse, TestSite};

/// Parameters of a leaky bucket that holds two ratings and leaks one rating per 1,000 seconds.
const SMALL_BUCKET: [(&str, i64); 3] = [("capacity", 2), ("leak_amount", 1), ("leak_period_ms", 1_000_000)];

/// Override with a leaky bucket of two ratings. `seen` is the id of the latest override that the form showed.
fn small_bucket(seen: Option<i64>) -> Value {
    let mut choice = json!({ "limiter": "leaky_bucket", "reason": "A test", "seen": seen });
    for (name, value) in SMALL_BUCKET {
        choice[name] = value.into();
    }
    choice
}

async fn set_override(staff: &Actor, choice: &Value) -> TestResponse {
    staff.post("/admin/limiter/choose/", choice).await
}

/// Name of the site's active limiter, and the capacity of its bucket.
async fn active_limiter(staff: &Actor) -> (String, i64) {
    let state = staff.get("/admin/limiter/").await.expect(200).json();
    let limiter = state["in_force"]["limiter"].as_str().unwrap().to_owned();
    (limiter, state["in_force"]["params"]["capacity"].as_i64().unwrap_or(0))
}

#[actix_web::test]
async fn limiter_override_applies_to_all_instances() {
    let site = TestSite::start_with(&[("RATING_LIMITER", "off")], 2).await;
    let (post, admin) = (site.post("ann").await, site.staff("ada", "admin").await);
    let crowd = site.many_users_at(7, &site.instances).await;
    for reader in &crowd[..3] {
        reader.rate(post, 4).await.expect(201);
    }
    let choice = set_override(&admin, &small_bucket(None)).await.expect(201).json();
    assert_eq!((choice["limiter"].as_str(), choice["params"]["capacity"].as_i64()), (Some("leaky_bucket"), Some(2)));
    assert_eq!(choice["chosen_by"].as_str(), Some("ada"));
    // Instances are not notified of an override: each instance finds it with its next rating.
    let [first, second] = site.instances[..] else { panic!() };
    crowd[3].with_instance(second).rate(post, 4).await.expect(201);
    crowd[4].with_instance(first).rate(post, 4).await.expect(201);
    for (reader, address) in [(5, first), (6, second)] {
        crowd[reader].with_instance(address).rate(post, 4).await.expect_problem(429, "post_rate_limited");
    }
    assert_eq!(active_limiter(&admin.with_instance(second)).await, ("leaky_bucket".to_owned(), 2));
    let page = admin.page("/admin/limiter/").await.expect(200).expect_text("Active limiter: Fixed rate");
    let page =
        page.expect_text("the default from RATING_LIMITER (No limiter)").expect_text("<q dir=\"auto\">A test</q>");
    page.expect_text("Use the limiter from RATING_LIMITER")
        .expect_text("Length of the period in which “Ratings per period” are admitted.");
    assert_eq!(site.posts_with_wrong_totals().await, [0; 0]);
}

/// Checks that an override can be undone once, and that its bucket is empty when it is set again.
#[actix_web::test]
async fn undoing_an_override_restores_the_default_limiter() {
    let site = TestSite::start_with(&[("RATING_LIMITER", "off")], 2).await;
    let (post, admin) = (site.post("ann").await, site.staff("ada", "admin").await);
    let crowd = site.many_users_at(6, &site.instances).await;
    let [first, second] = site.instances[..] else { panic!() };
    let choice = set_override(&admin, &small_bucket(None)).await.expect(201).json();
    for (reader, status) in [(0, 201), (1, 201), (2, 429)] {
        crowd[reader].with_instance(first).rate(post, 4).await.expect(status);
    }
    let undo = json!({ "seen": choice["id"] });
    admin.post("/admin/limiter/undo/", &undo).await.expect(204);
    crowd[2].with_instance(second).rate(post, 4).await.expect(201);
    assert_eq!(active_limiter(&admin).await, ("off".to_owned(), 0));
    // A second click changes nothing.
    admin.post("/admin/limiter/undo/", &undo).await.expect(204);
    let latest = admin.get("/admin/limiter/").await.json()["choices"][0]["id"].as_i64();
    set_override(&admin, &small_bucket(latest)).await.expect(201);
    admin.post("/admin/limiter/undo/", &undo).await.expect_problem(409, "limiter_changed");
    for (reader, status) in [(3, 201), (4, 201), (5, 429)] {
        crowd[reader].with_instance(first).rate(post, 4).await.expect(status);
    }
    let log = admin.get("/admin/log/").await.expect(200).json();
    let actions: Vec<_> = log["results"].as_array().unwrap().iter().map(|entry| &entry["act"]).collect();
    assert_eq!(actions, ["limiter.choose", "limiter.undo", "limiter.choose"]);
    let details = &log["results"][2]["details"];
    assert_eq!(
        (&details["before"], &details["after"], &details["params_after"]["capacity"], &details["reason"]),
        (&json!("default"), &json!("leaky_bucket"), &json!(2), &json!("A test"))
    );
    assert_eq!(site.posts_with_wrong_totals().await, [0; 0]);
}

#[actix_web::test]
async fn override_stores_only_parameters_that_differ_from_the_settings() {
    let site = TestSite::start_with(&[("RATING_LIMITER", "off"), ("SURGE_FLOOR", "9")], 1).await;
    let admin = site.staff("ada", "admin").await;
    let first = json!({ "limiter": "surge", "z": 3, "floor": 9, "reason": "One" });
    assert_eq!(set_override(&admin, &first).await.expect(201).json()["params"], json!({ "z": 3.0 }));
    let in_force = admin.get("/admin/limiter/").await.json()["in_force"]["params"].clone();
    assert_eq!((&in_force["z"], &in_force["floor"]), (&json!(3.0), &json!(9.0)));
    set_override(&admin, &json!({ "limiter": "ema", "reason": "Two" })).await.expect(201);
    // The undo button restores the limiter from the settings, also after several overrides.
    admin.submit("/admin/limiter/undo/", &[]).await.expect_redirect("/admin/limiter/");
    assert_eq!(active_limiter(&admin).await, ("off".to_owned(), 0));
}

#[actix_web::test]
async fn post_can_have_its_own_limiter() {
    let site = TestSite::start_with(&[("RATING_LIMITER", "off")], 1).await;
    let (post, other_post, admin) = (site.post("ann").await, site.post("bob").await, site.staff("ada", "admin").await);
    let crowd = site.many_users(4).await;
    let mut choice = small_bucket(None);
    choice["post"] = post.into();
    set_override(&admin, &choice).await.expect(201);
    for (number, reader) in crowd.iter().enumerate() {
        reader.rate(post, 4).await.expect(if number < 2 { 201 } else { 429 });
        reader.rate(other_post, 4).await.expect(201);
    }
    let state = admin.get("/admin/limiter/").await.json();
    assert_eq!((state["in_force"]["limiter"].as_str(), state["chosen"].is_null()), (Some("off"), true));
    assert_eq!(state["posts"][0]["post"].as_i64(), Some(post));
    admin.page("/admin/limiter/").await.expect_text(&format!("Use the site’s limiter for post {post}"));
    // The limiter `default` removes the override of the post.
    let seen = state["posts"][0]["id"].clone();
    let removal = json!({ "limiter": "default", "post": post, "reason": "It is over", "seen": seen });
    let removal = set_override(&admin, &removal).await.expect(201).json();
    assert_eq!((removal["limiter"].is_null(), removal["is_latest"].as_bool()), (true, Some(true)));
    site.user("cat").await.rate(post, 4).await.expect(201);
    let stats = crowd[0].get(&format!("/rate/get_blog_rating/{post}/")).await.expect(200).json();
    assert_eq!(stats["total_ratings"], 3);
    assert_eq!(admin.get("/admin/limiter/").await.json()["posts"], json!([]));
    set_override(&admin, &json!({ "limiter": "off", "post": 999, "reason": "x" }))
        .await
        .expect_problem(404, "not_found");
}

#[actix_web::test]
async fn invalid_override_names_its_field_and_changes_nothing() {
    let site = TestSite::start().await;
    let admin = site.staff("ada", "admin").await;
    for (choice, field) in [
        (json!({ "limiter": "sieve", "reason": "x" }), "limiter"),
        (json!({ "reason": "x" }), "limiter"),
        (json!({ "limiter": "surge" }), "reason"),
        (json!({ "limiter": "surge", "z": 0, "reason": "x" }), "z"),
        (json!({ "limiter": "surge", "z": "much", "reason": "x" }), "z"),
        (json!({ "limiter": "surge", "z": {}, "reason": "x" }), "z"),
        (json!({ "limiter": "surge", "capacity": 3, "reason": "x" }), "capacity"),
        (json!({ "limiter": "leaky_bucket", "capacity": 1.5, "reason": "x" }), "capacity"),
        (json!({ "limiter": "leaky_bucket", "capacity": null, "reason": "x" }), "capacity"),
        (json!({ "limiter": "leaky_bucket", "max_backward_ms": 1, "reason": "x" }), "max_backward_ms"),
        (json!({ "limiter": "ema", "gap_cap": "some", "reason": "x" }), "gap_cap"),
        (json!({ "limiter": "rate_class", "alert": 5_200, "reason": "x" }), "alert"),
        (json!({ "limiter": "rate_class", "reconnect_penalty": null, "reason": "x" }), "reconnect_penalty"),
        (
            json!({ "limiter": "leaky_bucket", "leak_amount": 1, "leak_period_ms": 86_400_001, "reason": "x" }),
            "leak_period_ms",
        ),
        (json!({ "limiter": "off", "overflow": "hold", "reason": "x" }), "overflow"),
        (json!({ "limiter": "off", "post": "none", "reason": "x" }), "post"),
    ] {
        let problem = set_override(&admin, &choice).await.expect_problem(400, "invalid").json();
        let fields: Vec<_> = problem["errors"].as_object().unwrap().keys().collect();
        assert_eq!(fields, [field], "{choice}");
    }
    assert_eq!(site.count("limiter_overrides").await, 0);
}

#[actix_web::test]
async fn rejected_override_form_keeps_its_input() {
    let site = TestSite::start().await;
    let admin = site.staff("ada", "admin").await;
    let fields = [("limiter", "surge"), ("z", "0"), ("floor", "7"), ("reason", "x")];
    let page = admin.submit("/admin/limiter/choose/", &fields).await.expect(400);
    let page = page.expect_text("<a href=\"#z\">z</a>: This value isn’t allowed for “Tolerance”. Ratings");
    page.expect_text("name=\"floor\" value=\"7\"").expect_text("name=\"z\" value=\"0\"");
    let page = admin.page("/admin/limiter/choose/?limiter=surge&z=0&floor=7").await.expect(400);
    page.expect_text("name=\"floor\" value=\"7\"").expect_text("<a href=\"#z\">z</a>");
    admin.page("/admin/limiter/choose/?days=91").await.expect(400).expect_text("id=\"days-error\"");
    assert_eq!(site.count("limiter_overrides").await, 0);
}

/// Checks that parameters with the values of the settings follow the settings, and that `null` and "none" both remove
/// the value of an optional parameter.
#[actix_web::test]
async fn override_parameters_can_follow_the_settings_or_be_absent() {
    let site = TestSite::start().await;
    let admin = site.staff("ada", "admin").await;
    let form = admin.get("/admin/limiter/choose/?limiter=surge").await.expect(200).json();
    assert_eq!((&form["params"]["z"], &form["params"]["floor"]), (&json!(4), &json!(5)));
    let mut choice = json!({ "limiter": "surge", "reason": "The same", "seen": form["seen"] });
    choice.as_object_mut().unwrap().extend(form["params"].as_object().unwrap().clone());
    let choice = set_override(&admin, &choice).await.expect(201).json();
    assert_eq!(choice["params"], Value::Null);
    admin.post("/admin/limiter/undo/", &json!({ "seen": choice["id"] })).await.expect(204);
    let mut seen = admin.get("/admin/limiter/").await.json()["choices"][0]["id"].clone();
    for cap in [Value::Null, json!("none")] {
        let ema = json!({ "limiter": "ema", "gap_cap": cap, "reason": "x", "seen": seen });
        seen = set_override(&admin, &ema).await.expect(201).json()["id"].clone();
    }
    assert_eq!(admin.get("/admin/limiter/").await.json()["in_force"]["params"]["gap_cap"], Value::Null);
}

#[actix_web::test]
async fn override_requires_recent_password_check() {
    let site = TestSite::start().await;
    let admin = site.staff("ada", "admin").await;
    site.advance_clock(TimeDelta::minutes(16));
    admin.page("/admin/limiter/choose/?limiter=off").await.expect_text("name=\"current_password\"");
    let off = |seen: Option<i64>, password: Option<&str>| json!({ "limiter": "off", "reason": "x", "seen": seen, "current_password": password });
    for (password, error) in [
        (None, "Enter your password to confirm this action."),
        (Some("not this one at all"), "Incorrect password. Enter your current password."),
    ] {
        let problem = set_override(&admin, &off(None, password)).await.expect_problem(400, "invalid").json();
        assert_eq!(problem["errors"]["current_password"][0], error);
    }
    let page = admin.submit("/admin/limiter/choose/", &[("limiter", "off"), ("reason", "x")]).await.expect(400);
    page.expect_text("id=\"current_password-error\"").expect_text("name=\"reason\" required maxlength=\"300\"");
    let first = set_override(&admin, &off(None, Some(PASSWORD))).await.expect(201).json()["id"].as_i64();
    set_override(&admin, &off(first, None)).await.expect(201);
    admin.page("/admin/limiter/choose/?limiter=off").await.expect_no_text("name=\"current_password\"");
    // Admin actions and sign-ins of other sessions do not renew the re-authentication, which is valid for 15 minutes.
    let other_session = site.guest();
    other_session.post("/users/login/", &json!({ "username": "ada", "password": PASSWORD })).await.expect(200);
    site.advance_clock(TimeDelta::minutes(10));
    let latest = admin.get("/admin/limiter/").await.json()["choices"][0]["id"].as_i64();
    set_override(&admin, &off(latest, None)).await.expect(201);
    site.advance_clock(TimeDelta::minutes(6));
    let latest = admin.get("/admin/limiter/").await.json()["choices"][0]["id"].as_i64();
    set_override(&admin, &off(latest, None)).await.expect_problem(400, "invalid");
}

/// Checks that each rating submitted during a change of the limiter is decided once, by one limiter.
#[actix_web::test]
async fn ratings_during_an_override_change_are_decided_once() {
    let site = TestSite::start_with(&[("RATING_LIMITER", "off")], 2).await;
    let (post, admin) = (site.post("ann").await, site.staff("ada", "admin").await);
    let crowd = site.many_users_at(120, &site.instances).await;
    let rating = join_all(crowd.iter().map(|reader| reader.rate(post, 4)));
    let switching = async {
        let mut seen = None;
        for round in 0..8 {
            let choice = if round % 2 == 0 {
                small_bucket(seen)
            } else {
                json!({ "limiter": "off", "reason": "x", "seen": seen })
            };
            seen = set_override(&admin, &choice).await.expect(201).json()["id"].as_i64();
        }
    };
    let (answers, ()) = futures_util::join!(rating, switching);
    let with = |status: u16| i64::try_from(answers.iter().filter(|answer| answer.status == status).count()).unwrap();
    assert_eq!(with(201) + with(429), 120);
    assert_eq!(site.count("rates").await, with(201));
    let hours: (i64, i64) = sqlx::query_as("select sum(admitted)::bigint, sum(refused)::bigint from rating_hours")
        .fetch_one(&site.pool)
        .await
        .unwrap();
    assert_eq!(hours, (with(201), with(429)));
    assert_eq!(site.count("refused_ratings").await, with(429));
    assert_eq!(site.posts_with_wrong_totals().await, [0; 0]);
}

/// Starts a site with a post that 12 users rate in 36 hours and that 48 users of a brigade then try to rate at once.
/// The limiter admits 20 of the 48 ratings.
async fn site_with_brigade() -> (TestSite, Actor) {
    let settings = [("LEAKY_BUCKET_CAPACITY", "20"), ("LEAKY_BUCKET_LEAK_PER_SECOND", "0.01")];
    let site = TestSite::start_with(&settings, 1).await;
    let (post, admin) = (site.post("ann").await, site.staff("ada", "admin").await);
    let crowd = site.many_users(60).await;
    for reader in &crowd[..12] {
        reader.rate(post, 5).await.expect(201);
        site.advance_clock(TimeDelta::hours(3));
    }
    for reader in &crowd[12..] {
        reader.rate(post, 1).await;
    }
    // A user who is refused twice counts once.
    crowd[59].rate(post, 1).await.expect(429);
    assert_eq!(site.count("refused_ratings").await, 28);
    (site, admin)
}

#[actix_web::test]
async fn comparison_shows_decisions_of_each_limiter_including_refused_ratings() {
    let (_site, admin) = site_with_brigade().await;
    let path = "/admin/limiter/choose/?limiter=leaky_bucket&capacity=5&days=10";
    let report = admin.get(path).await.expect(200).json()["comparison"].clone();
    assert_eq!(
        (report["posts"].as_i64(), report["compared"].as_i64(), report["days"].as_i64()),
        (Some(1), Some(1), Some(10))
    );
    let result = |kind: &str, limiter: &str| {
        let mut results = report["results"].as_array().unwrap().iter();
        let result = results.find(|result| result["kind"] == kind && result["limiter"] == limiter);
        let result = result.unwrap_or_else(|| panic!("{report}"));
        ["honest", "honest_refused", "brigade", "brigade_admitted"].map(|name| result[name].as_i64().unwrap())
    };
    assert_eq!(result("in_force", "leaky_bucket"), [12, 0, 48, 20]);
    assert_eq!(result("selected", "leaky_bucket"), [12, 0, 48, 5]);
    assert_eq!(result("other", "off"), [12, 0, 48, 48]);
    let page = admin.page(path).await.expect(200);
    let page =
        page.expect_text("60 ratings of 1 post; likely brigading: 48").expect_text("name=\"capacity\" value=\"5\"");
    let page = page.expect_text("<div>0 · 0.0%</div>").expect_text("<div>5 · 10.4%</div>").expect_text("</html>");
    page.expect_text("blocked 0.0% of the honest ratings and admitted 41.7% of the brigade ratings")
        .expect_text("Usual pace would have made fewer errors: it would have blocked ");
    // Comparisons at the same time run one after the other.
    let pages = futures_util::future::join(admin.page(path), admin.page(path)).await;
    for page in [pages.0, pages.1] {
        page.expect(200).expect_text("60 ratings of 1 post").expect_text("</html>");
    }
}

#[actix_web::test]
async fn replay_of_the_database_includes_refused_ratings() {
    let (site, _admin) = site_with_brigade().await;
    let database = [("DATABASE_URL", site.lease.url.as_str()), ("LEAKY_BUCKET_LEAK_PER_SECOND", "0.01")];
    let params = ["leaky_bucket.leak_amount=1", "leaky_bucket.leak_period_ms=100000"];
    let arguments = ["--database", "--limiter", "off,leaky_bucket", "--param", params[0], "--param", params[1]];
    let output = replay_with(&database, &arguments).unwrap();
    assert!(output.contains("| this site | 0.00 % · 100.00 % · "), "{output}");
    assert!(output.contains(" | 0.00 % · 41.67 % · "), "{output}");
}

#[actix_web::test]
async fn comparison_is_empty_after_its_ratings_are_too_old() {
    let (site, _admin) = site_with_brigade().await;
    site.advance_clock(TimeDelta::days(40));
    let admin = site.guest();
    admin.post("/users/login/", &json!({ "username": "ada", "password": PASSWORD })).await.expect(200);
    let unrated = site.user("una").await.write("Unrated", "t").await;
    for path in ["/admin/limiter/choose/".to_owned(), format!("/admin/limiter/choose/?post={unrated}")] {
        admin.page(&path).await.expect(200).expect_text("There are no ratings in this period");
        assert_eq!(admin.get(&path).await.expect(200).json()["comparison"]["compared"], 0);
    }
    // Housekeeping deletes old refused ratings.
    site.advance_clock(TimeDelta::days(60));
    site.site().housekeeping().delete_expired_rows().await.unwrap();
    assert_eq!(site.count("refused_ratings").await, 0);
}

#[actix_web::test]
async fn moderators_view_and_admins_set_overrides() {
    let site = TestSite::start().await;
    let moderator = site.staff("mo", "moderator").await;
    let page = moderator.page("/admin/limiter/").await.expect(200).expect_text("Active limiter: Fixed rate");
    page.expect_no_text("Change limiter");
    for path in ["/admin/limiter/choose/", "/admin/log/"] {
        moderator.get(path).await.expect_problem(403, "role_needed");
    }
    set_override(&moderator, &small_bucket(None)).await.expect_problem(403, "role_needed");
    moderator.post("/admin/limiter/undo/", &json!({ "seen": 1 })).await.expect_problem(403, "role_needed");
}

#[actix_web::test]
async fn post_of_an_override_is_found_by_its_title() {
    let site = TestSite::start().await;
    let ada = site.staff("ada", "admin").await;
    let ann = site.user("ann").await;
    let herons = ann.write("Grey Herons", "t").await;
    ann.write("Sparrows", "t").await;
    let answer = ada.get("/admin/limiter/?title=heron").await.expect(200).json();
    assert_eq!(answer["matching_posts"], json!([{ "post": herons, "title": "Grey Herons" }]));
    assert_eq!(ada.get("/admin/limiter/").await.json().get("matching_posts"), None);
    let page = ada.page("/admin/limiter/?title=HERON").await.expect(200);
    page.expect_text(&format!("<a href=\"/admin/limiter/choose/?post={herons}\">")).expect_no_text("<bdi>Sparrows");
    ada.page("/admin/limiter/?title=%25").await.expect(200).expect_text("No results");
}

#[actix_web::test]
async fn override_form_shown_before_another_override_is_rejected() {
    let site = TestSite::start().await;
    let admin = site.staff("ada", "admin").await;
    // All parameters of a limiter are optional, and so is `seen`.
    for limiter in ["surge", "ema"] {
        set_override(&admin, &json!({ "limiter": limiter, "reason": "A test" })).await.expect(201);
    }
    let off = json!({ "limiter": "off", "reason": "A test", "seen": null });
    for outdated in [off, small_bucket(None)] {
        let problem = set_override(&admin, &outdated).await.expect_problem(409, "limiter_changed").json();
        assert_eq!(problem["title"], "Someone else has just changed this limiter");
    }
}

#[actix_web::test]
async fn limiter_pages_name_limiters_and_parameters_with_units_and_keys() {
    let site = TestSite::start().await;
    let (post, admin) = (site.post("ann").await, site.staff("ada", "admin").await);
    let page = admin.page("/admin/limiter/").await.expect(200);
    page.expect_text("Largest burst <small><code>capacity</code></small>")
        .expect_text("<bdi dir=\"ltr\">20</bdi> ratings");
    for path in
        ["/admin/limiter/choose/?limiter=surge".to_owned(), format!("/admin/limiter/choose/?limiter=surge&post={post}")]
    {
        let page = admin.page(&path).await.expect(200).expect_text("Surge guard <small><code>surge</code></small>");
        // The page names a parameter in the form and in the confirmation.
        let page =
            page.expect_text("<label for=\"memory_s\">Memory for numbers <small><code>memory_s</code></small></label>");
        page.expect_text("<li>Memory for numbers: 14 days").expect_text("value=\"1209600\"");
    }
    let page = admin.page("/admin/limiter/choose/?limiter=ema").await.expect(200);
    page.expect_text("<option value=\"wall_clock\" selected>By elapsed time</option>")
        .expect_text("<li>Measure of gaps: By ratio");
    set_override(&admin, &json!({ "limiter": "ema", "post": post, "reason": "A test" })).await.expect(201);
    admin.page("/admin/limiter/").await.expect_text("<p>Usual pace <small><code>ema</code></small> · ");
}

#[actix_web::test]
async fn default_limiter_is_recommended_and_its_limits_are_explained() {
    const RECOMMENDED: &str =
        "<small><code>leaky_bucket</code></small> <span class=\"badge success\">Recommended</span>";
    let steady = TestSite::start().await;
    let admin = steady.staff("ada", "admin").await;
    let page = admin.page("/admin/limiter/").await.expect(200).expect_text("We recommend “Fixed rate”:");
    page.expect_text("the steady score does that, even if").expect_text(&format!("Fixed rate {RECOMMENDED}"));
    let page = admin.page("/admin/limiter/choose/").await.expect(200);
    page.expect_text(&format!("<strong>Fixed rate {RECOMMENDED}</strong>"));
    let average = TestSite::start_with(&[("SCORE_SHOWN", "average")], 1).await;
    let admin = average.staff("ada", "admin").await;
    admin.page("/admin/limiter/").await.expect_text("this site shows the average instead");
}
