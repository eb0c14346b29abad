//! Ratings by a single user: create, change, display.

use serde_json::json;

use crate::support::TestSite;

#[actix_web::test]
async fn changed_rating_replaces_the_previous_one_in_the_average() {
    let site = TestSite::start().await;
    let (post, ben) = (site.post("ann").await, site.user("ben").await);
    let path = format!("/rate/get_user_rating/{post}/");
    ben.get(&path).await.expect_problem(404, "not_rated");
    ben.get("/rate/get_user_rating/99/").await.expect_problem(404, "not_found");
    let created = ben.rate(post, 4).await.expect(201);
    assert_eq!(created.header("location"), format!("/blogs/{post}/"));
    assert_eq!(
        created.json(),
        json!({ "id": 1, "user": 2, "blog": post, "rating": 4, "created_at": "2026-01-01T12:00:00Z", "updated_at": "2026-01-01T12:00:00Z" })
    );
    assert_eq!(ben.get(&path).await.expect(200).json(), json!({ "user_rating": 4 }));
    site.advance_clock(chrono::TimeDelta::seconds(1));
    let changed = ben.change_rating(post, 1).await.expect(200).json();
    assert_eq!((changed["rating"].as_i64(), changed["updated_at"].as_str()), (Some(1), Some("2026-01-01T12:00:01Z")));
    let stats = site.guest().page(&format!("/rate/get_blog_rating/{post}/")).await.expect(200).json();
    assert_eq!(
        stats,
        json!({
            "average_rating": 1.0, "total_ratings": 1, "steady_rating": 1.0, "steady_weight": 1.0,
            "distribution": { "1": 1, "2": 0, "3": 0, "4": 0, "5": 0 },
        })
    );
    ben.rate(post, 5).await.expect_problem(409, "already_rated");
    assert_eq!(site.posts_with_wrong_totals().await, [0; 0]);
}

#[actix_web::test]
async fn creating_and_changing_ratings_are_separate_requests() {
    let site = TestSite::start().await;
    let (post, ben) = (site.post("ann").await, site.user("ben").await);
    ben.change_rating(post, 3).await.expect_problem(404, "not_rated");
    ben.withdraw_rating(post).await.expect_problem(404, "not_rated");
    ben.change_rating(999, 3).await.expect_problem(404, "not_found");
    ben.rate(999, 3).await.expect_problem(404, "not_found");
    ben.rate(post, 3).await.expect(201);
    let path = format!("/rate/edit_user_rating/{post}/");
    ben.post(&path, &json!({ "rating": 5 })).await.expect(200);
    // Clients of BitPin-Blog send the post in the body, too.
    ben.post(&path, &json!({ "rating": 4, "blog": post })).await.expect(200);
    let problem = ben.put(&path, &json!({ "rating": 5, "blog": 2 })).await.expect_problem(400, "invalid").json();
    assert_eq!(problem["errors"]["blog"][0], "Leave this field out, or enter the post in the URL: 1.");
    ben.put(&path, &json!({ "rating": 5, "post": 1 })).await.expect_problem(400, "invalid");
}

#[actix_web::test]
async fn new_or_unconfirmed_accounts_cannot_rate_if_the_site_requires_it() {
    let settings = [
        ("RATING_ELIGIBILITY", "24h,confirmed_email"),
        ("SMTP_URL", "smtp://127.0.0.1:1"),
        ("MAIL_FROM", "blog@example.com"),
    ];
    let site = TestSite::start_with(&settings, 1).await;
    let (post, ben) = (site.post("ann").await, site.user("ben").await);
    let page = format!("/blogs/{post}/a-post/");
    let detail = async || {
        let problem = ben.rate(post, 4).await.expect_problem(403, "not_eligible").json();
        problem["detail"].as_str().unwrap().to_owned()
    };
    let both = detail().await;
    assert!(both.contains("from 2 January 2026 at 12:00") && both.contains("confirm your email address"), "{both}");
    let form = ben.page(&page).await.expect(200).expect_no_text("name=\"rating\"");
    form.expect_text("This account can’t rate yet").expect_text("href=\"/users/account/\"");
    // A submission from a page that was opened earlier gets the reason, too.
    ben.submit("/rate/", &[("blog", &post.to_string()), ("rating", "4")])
        .await
        .expect(403)
        .expect_text("This account can’t rate yet");
    // Guests can still select stars, because only accounts are checked.
    site.guest().page(&page).await.expect(200).expect_text("/users/login/?next=");
    site.advance_clock(chrono::TimeDelta::hours(24));
    assert_eq!(detail().await, "Open your account page and follow the link that we send to your address.");
    let confirm = "update users set email_confirmed_at = created_at where username = 'ben'";
    sqlx::query(confirm).execute(&site.pool).await.unwrap();
    ben.page(&page).await.expect(200).expect_text("name=\"rating\"");
    ben.rate(post, 4).await.expect(201);
    // An existing rating can be changed and removed.
    sqlx::query("update users set email_confirmed_at = null").execute(&site.pool).await.unwrap();
    ben.page(&page).await.expect(200).expect_text("name=\"rating\"");
    ben.change_rating(post, 5).await.expect(200);
    ben.withdraw_rating(post).await.expect(200);
    ben.rate(post, 4).await.expect_problem(403, "not_eligible");
}

#[actix_web::test]
async fn user_removes_the_rating() {
    let site = TestSite::start().await;
    let (post, ben, eve) = (site.post("ann").await, site.user("ben").await, site.user("eve").await);
    ben.withdraw_rating(post).await.expect_problem(404, "not_rated");
    ben.rate(post, 4).await.expect(201);
    eve.rate(post, 2).await.expect(201);
    assert_eq!(ben.withdraw_rating(post).await.expect(200).json()["rating"], 4);
    ben.withdraw_rating(post).await.expect_problem(404, "not_rated");
    ben.get(&format!("/rate/get_user_rating/{post}/")).await.expect_problem(404, "not_rated");
    let stats = site.guest().page(&format!("/rate/get_blog_rating/{post}/")).await.expect(200).json();
    assert_eq!((&stats["average_rating"], &stats["total_ratings"]), (&json!(2.0), &json!(1)));
    assert_eq!((&stats["steady_rating"], &stats["steady_weight"]), (&json!(2.0), &json!(1.0)));
    // On the next day, ratings of the first day belong to a score period that has ended.
    site.advance_clock(chrono::TimeDelta::days(1));
    ben.rate(post, 5).await.expect(201);
    eve.withdraw_rating(post).await.expect(200);
    let stats = site.guest().page(&format!("/rate/get_blog_rating/{post}/")).await.expect(200).json();
    assert_eq!((&stats["steady_rating"], &stats["steady_weight"]), (&json!(5.0), &json!(1.0)));
    ben.withdraw_rating(post).await.expect(200);
    let stats = site.guest().page(&format!("/rate/get_blog_rating/{post}/")).await.expect(200).json();
    assert_eq!((&stats["total_ratings"], &stats["steady_rating"]), (&json!(0), &json!(null)));
    assert_eq!(site.posts_with_wrong_totals().await, [0; 0]);
}

#[actix_web::test]
async fn page_offers_to_remove_the_rating() {
    let site = TestSite::start().await;
    let (post, ben, eve) = (site.post("ann").await, site.user("ben").await, site.user("eve").await);
    let (path, page) = (format!("/rate/withdraw/{post}/"), format!("/blogs/{post}/t/"));
    assert!(!ben.page(&page).await.expect(200).text.contains(&path));
    ben.rate(post, 4).await.expect(201);
    ben.page(&page).await.expect(200).expect_text(&path).expect_text("Remove my rating");
    ben.submit(&path, &[]).await.expect_redirect("/blogs/1/");
    ben.page(&page).await.expect(200).expect_text("You removed your 4 ★ rating.");
    site.guest().submit(&path, &[]).await.expect_redirect("/users/login/?next=/");
    // A page that was opened before the rating was removed explains what happened.
    eve.submit(&path, &[]).await.expect_redirect("/blogs/1/");
    eve.page(&page).await.expect(200).expect_text("Your rating has been removed.");
    let missing = eve.submit(&format!("/rate/edit_user_rating/{post}/"), &[("rating", "3")]).await;
    missing.expect(404).expect_text("You haven’t rated this post").expect_text("in another tab");
}

#[actix_web::test]
async fn removal_of_a_rating_counts_as_a_change_of_the_rating() {
    let site = TestSite::start().await;
    let (post, ben) = (site.post("ann").await, site.user("ben").await);
    for _ in 0..3 {
        ben.rate(post, 4).await.expect(201);
        ben.withdraw_rating(post).await.expect(200);
    }
    ben.rate(post, 4).await.expect(201);
    ben.withdraw_rating(post).await.expect_problem(429, "edit_limited");
    let refused = ben.submit(&format!("/rate/withdraw/{post}/"), &[]).await.expect(429);
    let refused = refused.expect_text("Too many changes to this rating").expect_text("Change my rating");
    assert!(!refused.text.contains("data-send-later"));
}

#[actix_web::test]
async fn removing_and_adding_a_rating_does_not_use_up_the_limiter() {
    let settings = [("LEAKY_BUCKET_CAPACITY", "2"), ("LEAKY_BUCKET_LEAK_PER_SECOND", "0.001")];
    let site = TestSite::start_with(&settings, 1).await;
    let (post, ben, eve) = (site.post("ann").await, site.user("ben").await, site.user("eve").await);
    for _ in 0..3 {
        ben.rate(post, 4).await.expect(201);
        ben.withdraw_rating(post).await.expect(200);
    }
    ben.rate(post, 4).await.expect(201);
    eve.rate(post, 5).await.expect(201);
    let history = site.guest().get(&format!("/blogs/{post}/ratings/")).await.expect(200).json();
    assert_eq!(site.posts_with_wrong_totals().await, [0; 0], "{history}");
}

#[actix_web::test]
async fn ratings_are_whole_stars_from_one_to_five() {
    let site = TestSite::start().await;
    let (post, ben) = (site.post("ann").await, site.user("ben").await);
    for rating in ["0", "6", "-1", "5.5", "1e9", "\"6\"", "null", "true", "[5]", "9223372036854775808"] {
        let body = format!("{{\"blog\": {post}, \"rating\": {rating}}}");
        let request = ben.request("POST", "/rate/").header("Content-Type", "application/json").body(body);
        let problem = ben.send(request).await.expect_problem(400, "invalid");
        assert_eq!(problem.json()["errors"]["rating"][0], "Choose 1 to 5 stars.", "{rating}");
    }
    for rating in ["05", "+5", " 5", "5 ", "6", ""] {
        let page = ben.submit("/rate/", &[("blog", &post.to_string()), ("rating", rating)]).await;
        page.expect(400).expect_text("Choose 1 to 5 stars.");
    }
    let page = ben.submit("/rate/", &[("blog", &post.to_string())]).await.expect(400);
    page.expect_text("Choose 1 to 5 stars.");
    assert_eq!(site.count("rates").await, 0);
    let insert = sqlx::query(
        "insert into rates (user_id, blog_id, rating, created_at, updated_at) values (2, $1, 6, 'epoch', 'epoch')",
    );
    let error = insert.bind(post).execute(&site.pool).await.unwrap_err();
    assert_eq!(error.as_database_error().unwrap().constraint(), Some("rating_in_range"));
}

#[actix_web::test]
async fn authors_cannot_rate_their_own_posts() {
    let site = TestSite::start().await;
    let ann = site.user("ann").await;
    let post = ann.write("T", "t").await;
    ann.rate(post, 5).await.expect_problem(403, "own_post");
    ann.change_rating(post, 5).await.expect_problem(403, "own_post");
    ann.page(&format!("/blogs/{post}/"))
        .await
        .expect_text("You can’t rate your own post.")
        .expect_no_text("type=\"radio\"");
    let page = ann.submit("/rate/", &[("blog", &post.to_string()), ("rating", "5")]).await;
    page.expect(403).expect_text("<strong>You can’t rate your own post.</strong>");
}

#[actix_web::test]
async fn stars_selected_before_sign_in_are_kept() {
    let site = TestSite::start().await;
    let post = site.post("ann").await;
    let guest = site.guest();
    let link = format!("/users/login/?next=/blogs/{post}/?stars%3D4");
    guest.page(&format!("/blogs/{post}/")).await.expect_text(&format!("href=\"{link}\""));
    let sign_in = guest.page(&link).await.expect_text(&format!("action=\"{link}\""));
    sign_in.expect_text("<h1>Sign in to rate “<bdi>A post</bdi>” 4 stars</h1>");
    guest.page("/users/login/?next=/blogs/999/?stars%3D4").await.expect(200).expect_text("<h1>Sign in</h1>");
    site.user("ben").await;
    let fields = [("username", "ben"), ("password", "four grey herons wait")];
    let path = format!("/blogs/{post}/?stars=4");
    guest.submit(&link, &fields).await.expect_redirect(&path);
    let page = guest.page(&path).await.expect_text("value=\"4\" required checked autofocus");
    page.expect_text("<strong>One more step.</strong> Select “Rate” to submit your 4 ★ rating.");
    guest.page(&format!("/blogs/{post}/?stars=9")).await.expect(200).expect_no_text("checked");
    let redirect = site.guest().submit("/rate/", &[("blog", &post.to_string()), ("rating", "2")]).await;
    redirect.expect_redirect(&format!("/users/login/?next=/blogs/{post}/?stars%3D2"));
    site.guest().rate(post, 2).await.expect_problem(401, "not_signed_in");
}

#[actix_web::test]
async fn form_shows_own_rating_separately_from_the_average() {
    let site = TestSite::start().await;
    let (post, ben, cy) = (site.post("ann").await, site.user("ben").await, site.user("cy").await);
    let path = format!("/blogs/{post}/");
    cy.rate(post, 2).await.expect(201);
    ben.page(&path).await.expect_text("Rate this post").expect_text("2.0 ★ · 1 rating");
    ben.submit("/rate/", &[("blog", &post.to_string()), ("rating", "5")]).await.expect_redirect(&path);
    let page =
        ben.page(&path).await.expect_text("Thanks! You rated this post 5 stars.").expect_text("3.5 ★ · 2 ratings");
    // The message is next to the stars, where the user is looking.
    let page = page.expect_text("value=\"5\" required checked");
    assert!(page.text.find("id=\"rating\"") < page.text.find("Thanks! You rated this post 5 stars."));
    ben.page(&path)
        .await
        .expect_text("You rated this post 5 stars. Your rating counts in full in the score.")
        .expect_no_text("Thanks!");
    let edit = format!("/rate/edit_user_rating/{post}/");
    ben.submit(&edit, &[("rating", "1")]).await.expect_redirect(&path);
    ben.page(&path).await.expect_text("You changed your rating to 1 star.").expect_text("1.5 ★ · 2 ratings");
    let refused = ben.submit("/rate/", &[("blog", &post.to_string()), ("rating", "4")]).await.expect(409);
    let refused = refused.expect_text("You’ve already rated this post").expect_text("Your rating is still 1 ★.");
    refused.expect_text("value=\"1\" required checked");
}

#[actix_web::test]
async fn hourly_history_counts_each_rating_once() {
    let site = TestSite::start().await;
    let (post, readers) = (site.post("ann").await, site.many_users(5).await);
    let hours = async || {
        let history = site.guest().get(&format!("/blogs/{post}/ratings/")).await.expect(200).json();
        let hours = history["periods"].as_array().unwrap().iter();
        let numbers = hours.map(|hour| {
            let from = hour["from"].as_str().unwrap()[11..13].to_owned();
            (from, hour["admitted"].as_i64().unwrap(), hour["rating_count"].as_i64().unwrap())
        });
        numbers.collect::<Vec<_>>()
    };
    let expected = |hours: &[(&str, i64, i64)]| {
        hours.iter().map(|(from, admitted, count)| ((*from).to_owned(), *admitted, *count)).collect::<Vec<_>>()
    };
    readers[0].rate(post, 4).await.expect(201);
    assert_eq!(hours().await, expected(&[("12", 1, 1)]));
    site.advance_clock(chrono::TimeDelta::hours(1));
    readers[1].rate(post, 4).await.expect(201);
    assert_eq!(hours().await, expected(&[("12", 1, 1), ("13", 1, 2)]));
    // The clock of another database server may be behind after a failover.
    site.advance_clock(chrono::TimeDelta::minutes(-10));
    readers[2].rate(post, 4).await.expect(201);
    assert_eq!(hours().await, expected(&[("12", 1, 1), ("13", 2, 3)]));
    site.advance_clock(chrono::TimeDelta::hours(2));
    readers[0].withdraw_rating(post).await.expect(200);
    assert_eq!(hours().await, expected(&[("12", 1, 1), ("13", 2, 3), ("14", 1, 2)]));
    // An instance of the previous version has counted ratings of the same hour in the history.
    let previous_version = "insert into rating_history (blog_id, hour, admitted, rating_count, rating_sum)
        select blog_id, open_hour, 7, 0, 0 from rating_totals where blog_id = $1";
    sqlx::query(previous_version).bind(post).execute(&site.pool).await.unwrap();
    site.advance_clock(chrono::TimeDelta::hours(3));
    readers[3].rate(post, 4).await.expect(201);
    assert_eq!(hours().await, expected(&[("12", 1, 1), ("13", 2, 3), ("14", 8, 2), ("17", 1, 3)]));
    assert_eq!(site.posts_with_wrong_totals().await, [0; 0]);
}
