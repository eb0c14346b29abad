//! List of a user's sessions, and remote sign-out.

use serde_json::{Value, json};

use crate::support::{Actor, PASSWORD, TestSite, minutes};

async fn sign_in_with(site: &TestSite, agent: &str) -> Actor {
    let actor = site.guest();
    let body = json!({ "username": "ann", "password": PASSWORD });
    let request = actor.request("POST", "/users/login/").header("User-Agent", agent);
    actor.send(request.json(&body)).await.expect(200);
    actor
}

async fn sessions(user: &Actor) -> Vec<Value> {
    user.get("/users/sessions/").await.expect(200).json()["results"].as_array().unwrap().clone()
}

#[actix_web::test]
async fn new_session_ends_the_oldest_of_more_than_a_hundred() {
    let site = TestSite::start().await;
    let oldest = site.user("ann").await;
    let many = "insert into sessions (token_hash, user_id, state, created_at, seen_at, expires_at)
        select sha256(n::text::bytea), user_id, state, created_at + interval '1 second', seen_at, expires_at
        from sessions, generate_series(1, 99) n";
    sqlx::query(many).execute(&site.pool).await.unwrap();
    oldest.get("/users/me/").await.expect(200);
    site.advance_clock(minutes(1));
    sign_in_with(&site, "curl/8.5.0").await.get("/users/me/").await.expect(200);
    oldest.get("/users/me/").await.expect_problem(401, "not_signed_in");
    assert_eq!(site.count("sessions").await, 100);
}

#[actix_web::test]
async fn user_lists_and_ends_own_sessions() {
    let site = TestSite::start().await;
    let (here, other) = (site.user("ann").await, site.user("bob").await);
    site.advance_clock(minutes(20));
    let phone = sign_in_with(&site, "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Safari/604.1").await;
    let script = sign_in_with(&site, "curl/8.5.0").await;
    let listed = sessions(&here).await;
    let devices: Vec<&str> = listed.iter().map(|session| session["device"].as_str().unwrap()).collect();
    assert_eq!(devices[0], "a program");
    assert!(devices.len() == 3 && devices.contains(&"Safari on iPhone") && devices.contains(&"curl"), "{devices:?}");
    assert_eq!((&listed[0]["is_this"], &listed[0]["network"]), (&json!(true), &json!("127.0.0.1")));
    here.page("/users/sessions/").await.expect_text("Safari on iPhone").expect_text("(current session)");
    // The password was last entered 20 minutes ago, so ending sessions requires re-authentication.
    here.post("/users/sessions/", &json!({})).await.expect_problem(400, "invalid").expect_text("current_password");
    here.page("/users/sessions/").await.expect_text("id=\"current_password\"");
    here.post("/users/sessions/", &json!({ "current_password": "wrong" })).await.expect_problem(400, "invalid");
    script.get("/users/me/").await.expect(200);
    // A single session is ended by its ID. IDs of the current session and of other users' sessions are ignored.
    let id_of = |device: &str| listed.iter().find(|session| session["device"] == device).unwrap()["id"].clone();
    let selection = json!({ "session": id_of("curl"), "current_password": PASSWORD });
    here.post("/users/sessions/", &selection).await.expect(200);
    here.page("/users/sessions/").await.expect_no_text("id=\"current_password\"");
    script.get("/users/me/").await.expect_problem(401, "not_signed_in");
    let session_of_other = sessions(&other).await[0]["id"].clone();
    for ignored in [session_of_other, listed[0]["id"].clone(), id_of("curl"), json!("x")] {
        let ended = here.post("/users/sessions/", &json!({ "session": ignored })).await.expect(200).json();
        assert_eq!(ended["ended"], 0);
    }
    other.get("/users/me/").await.expect(200);
    phone.get("/users/me/").await.expect(200);
    here.submit("/users/sessions/", &[]).await.expect_redirect("/users/sessions/");
    here.page("/users/sessions/").await.expect_text("Signed out of one other").expect_text("no other sessions");
    phone.get("/users/me/").await.expect_problem(401, "not_signed_in");
    assert_eq!((sessions(&here).await.len(), sessions(&other).await.len()), (1, 1));
    site.guest().get("/users/sessions/").await.expect_problem(401, "not_signed_in");
}
