//! Two-factor authentication with an authenticator app and recovery codes.

use chrono::TimeDelta;
use evenkeel::db::commit;
use futures_util::future::join_all;
use futures_util::join;
use serde_json::{Value, json};
use totp_rs::{Builder, Secret, Totp};

use crate::support::{
    Actor, PASSWORD, Program, SECRET, TestResponse, TestSite, another_instance, minutes, reachable_tempdir,
};

const STEP: TimeDelta = TimeDelta::seconds(30);
const THROTTLE_OFF: [(&str, &str); 1] = [("SIGN_IN_THROTTLE", "off")];
const PASSWORD_FORM: [(&str, &str); 2] = [("username", "ann"), ("password", PASSWORD)];

pub struct App(Totp);

impl App {
    pub fn of(shown: &Value) -> Self {
        let secret = shown["secret"].as_str().unwrap().replace(' ', "");
        let totp = Builder::new().with_secret(Secret::try_from_base32(&secret).unwrap()).build().unwrap();
        assert!(shown["url"].as_str().unwrap().contains(&format!("secret={secret}")), "{shown}");
        Self(totp)
    }

    pub fn code(&self, site: &TestSite) -> String {
        self.0.generate(u64::try_from(site.clock.now().unwrap().timestamp()).unwrap()).to_string()
    }
}

/// Enables two-factor authentication. Returns the authenticator app and the recovery codes.
pub async fn set_up(site: &TestSite, user: &Actor) -> (App, Vec<String>) {
    let shown = user.post("/users/second_factor/", &json!({ "current_password": PASSWORD })).await.expect(200).json();
    let app = App::of(&shown);
    let on = user.post("/users/second_factor/confirm/", &json!({ "code": app.code(site) })).await.expect(200).json();
    let codes = on["new_codes"].as_array().unwrap().iter().map(|code| code.as_str().unwrap().to_owned()).collect();
    (app, codes)
}

fn credentials(code: &str) -> Value {
    json!({ "username": "ann", "password": PASSWORD, "code": code })
}

fn password_only() -> Value {
    json!({ "username": "ann", "password": PASSWORD })
}

/// Body of a request that a signed-in user re-authenticates.
fn password_and_code(code: &str) -> Value {
    json!({ "current_password": PASSWORD, "code": code })
}

/// Returns the token on the page of the second sign-in step, which proves that the password was verified.
fn proof_on(page: &TestResponse) -> String {
    page.text.split("name=\"proof\" value=\"").nth(1).unwrap().split('"').next().unwrap().to_owned()
}

/// Completes the first sign-in step and returns its proof.
async fn proof_of_password(guest: &Actor) -> String {
    proof_on(&guest.submit("/users/login/", &PASSWORD_FORM).await.expect(401))
}

#[actix_web::test]
async fn setup_requires_the_password_and_a_correct_code() {
    let site = TestSite::start_with(&THROTTLE_OFF, 1).await;
    let ann = site.user("ann").await;
    ann.page("/users/second_factor/").await.expect(200).expect_text("Two-factor authentication is off");
    ann.post("/users/second_factor/", &json!({ "current_password": "wrong" })).await.expect_problem(400, "invalid");
    ann.submit("/users/second_factor/", &[("current_password", PASSWORD)])
        .await
        .expect_redirect("/users/second_factor/");
    let page = ann.page("/users/second_factor/").await.expect_text("<svg class=\"qr\"").expect_text("otpauth://totp/");
    assert!(page.header("cache-control").contains("no-store"));
    // Until the setup is confirmed, the password is sufficient for sign-in.
    site.guest().post("/users/login/", &password_only()).await.expect(200);
    ann.submit("/users/second_factor/confirm/", &[("code", "000000")])
        .await
        .expect(400)
        .expect_text("incorrect, expired or already used")
        .expect_text("<svg class=\"qr\"");
}

#[actix_web::test]
async fn wrong_code_does_not_reauthenticate_a_session() {
    let site = TestSite::start_with(&THROTTLE_OFF, 1).await;
    let (ann, other_session) = (site.user("ann").await, site.guest());
    other_session.post("/users/login/", &password_only()).await.expect(200);
    ann.post("/users/second_factor/", &json!({ "current_password": PASSWORD })).await.expect(200);
    let reauthenticated = async || site.count("sessions where confirmed_at is not null").await;
    let before = reauthenticated().await;
    other_session
        .post("/users/second_factor/confirm/", &json!({ "code": "000000" }))
        .await
        .expect_problem(400, "invalid");
    assert_eq!(reauthenticated().await, before);
}

#[actix_web::test]
async fn setup_shows_secret_and_recovery_codes_once() {
    let site = TestSite::start_with(&THROTTLE_OFF, 1).await;
    let ann = site.user("ann").await;
    ann.post("/users/second_factor/", &json!({ "current_password": PASSWORD })).await.expect(200);
    let app = App::of(&ann.get("/users/second_factor/").await.json());
    let page = ann.submit("/users/second_factor/confirm/", &[("code", &app.code(&site))]).await.expect(200);
    assert_eq!(page.text.matches("<li><code>").count(), 10);
    ann.page("/users/second_factor/").await.expect_text("You have 10 recovery codes").expect_no_text("<li><code>");
    assert!(ann.get("/users/second_factor/").await.json()["secret"].is_null());
}

#[actix_web::test]
async fn enabling_two_factor_authentication_ends_other_sessions() {
    let site = TestSite::start_with(&THROTTLE_OFF, 1).await;
    let (ann, other_session) = (site.user("ann").await, site.guest());
    other_session.post("/users/login/", &password_only()).await.expect(200);
    set_up(&site, &ann).await;
    other_session.get("/users/me/").await.expect_problem(401, "not_signed_in");
}

/// In a browser, the code is a second step of the sign-in, which keeps the `next` path.
#[actix_web::test]
async fn sign_in_needs_an_unused_app_code() {
    let site = TestSite::start_with(&THROTTLE_OFF, 1).await;
    let (ann, guest) = (site.user("ann").await, site.guest());
    let (app, _) = set_up(&site, &ann).await;
    let path = "/users/login/?next=/rate/mine/";
    let page = guest.submit(path, &PASSWORD_FORM).await.expect(401).expect_text("Two-factor authentication");
    assert!(!page.text.contains("role=\"alert\"") && !page.text.contains("type=\"password\""), "{}", page.text);
    let proof = proof_on(&page);
    let enter = async |code: &str| guest.submit(path, &[("proof", proof.as_str()), ("code", code)]).await;
    // The code that confirmed the app cannot be used again.
    enter(&app.code(&site)).await.expect(401).expect_text("Wrong code").expect_text("Two-factor authentication");
    enter("123").await.expect(401);
    guest.get("/users/me/").await.expect(401);
    site.advance_clock(STEP);
    enter(&app.code(&site)).await.expect_redirect("/rate/mine/");
    guest.get("/users/me/").await.expect(200);
}

#[actix_web::test]
async fn programs_send_the_code_with_the_password() {
    let site = TestSite::start_with(&THROTTLE_OFF, 1).await;
    let (ann, program) = (site.user("ann").await, site.guest());
    let (app, _) = set_up(&site, &ann).await;
    site.advance_clock(STEP);
    program.post("/users/login/", &password_only()).await.expect_problem(401, "second_factor_needed");
    program.post("/users/login/", &credentials("000000")).await.expect_problem(401, "wrong_code");
    let wrong_password = json!({ "username": "ann", "password": "not hers at all", "code": app.code(&site) });
    program.post("/users/login/", &wrong_password).await.expect_problem(401, "wrong_credentials");
    site.advance_clock(STEP);
    program.post("/users/login/", &credentials(&app.code(&site))).await.expect(200);
}

#[actix_web::test]
async fn one_of_many_concurrent_sign_ins_with_a_code_succeeds() {
    let site = TestSite::start_with(&THROTTLE_OFF, 2).await;
    let ann = site.user("ann").await;
    let (app, _) = set_up(&site, &ann).await;
    site.advance_clock(STEP);
    let code = app.code(&site);
    let attempts = (0..8).map(|n| {
        let (actor, code) = (Actor::new(site.instances[n % 2]), &code);
        async move { actor.post("/users/login/", &credentials(code)).await.status.as_u16() }
    });
    let statuses = join_all(attempts).await;
    assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 1, "{statuses:?}");
}

#[actix_web::test]
async fn proof_of_the_password_is_signed_and_expires() {
    let site = TestSite::start_with(&THROTTLE_OFF, 1).await;
    let ann = site.user("ann").await;
    let (app, _) = set_up(&site, &ann).await;
    let proof = proof_of_password(&site.guest()).await;
    site.advance_clock(TimeDelta::minutes(5));
    let expired = [("proof", proof.as_str()), ("code", &app.code(&site))];
    site.guest()
        .submit("/users/login/", &expired)
        .await
        .expect(401)
        .expect_text("Sign-in timed out")
        .expect_text("type=\"password\"");
    let forged = [("proof", "AAAA"), ("code", &app.code(&site))];
    site.guest().submit("/users/login/", &forged).await.expect(401).expect_text("Sign-in timed out");
}

#[actix_web::test]
async fn sign_in_that_began_before_two_factor_authentication_needs_a_code() {
    let site = TestSite::start().await;
    let (ann, guest) = (site.user("ann").await, site.guest());
    ann.post("/users/second_factor/", &json!({ "current_password": PASSWORD })).await.expect(200);
    let mut enabling = site.pool.begin().await.unwrap();
    sqlx::raw_sql("select from users for update; update second_factors set confirmed_at = created_at")
        .execute(&mut *enabling)
        .await
        .unwrap();
    let signing_in = json!({ "username": "ann", "password": PASSWORD });
    let (begun, ()) = join!(guest.post("/users/login/", &signing_in), async {
        site.wait_for_blocked_statement().await;
        commit(enabling).await.unwrap();
    });
    begun.expect_problem(401, "sign_in_again");
    assert_eq!(site.count("sessions").await, 1);
}

#[actix_web::test]
async fn session_that_begins_during_the_setup_ends_with_the_others() {
    let site = TestSite::start().await;
    let ann = site.user("ann").await;
    let shown = ann.post("/users/second_factor/", &json!({ "current_password": PASSWORD })).await.expect(200).json();
    let mut signing_in = site.pool.begin().await.unwrap();
    sqlx::raw_sql("select from users for key share").execute(&mut *signing_in).await.unwrap();
    let session = "insert into sessions (token_hash, user_id, state, created_at, seen_at, expires_at)
        select sha256('another'), user_id, state, created_at, seen_at, expires_at from sessions";
    let code = json!({ "code": App::of(&shown).code(&site) });
    let (enabled, ()) = join!(ann.post("/users/second_factor/confirm/", &code), async {
        site.wait_for_blocked_statement().await;
        sqlx::raw_sql(session).execute(&mut *signing_in).await.unwrap();
        commit(signing_in).await.unwrap();
    });
    enabled.expect(200);
    assert_eq!(site.count("sessions").await, 1);
}

#[actix_web::test]
async fn recovery_code_works_once() {
    let site = TestSite::start_with(&THROTTLE_OFF, 1).await;
    let (ann, guest) = (site.user("ann").await, site.guest());
    let (_, codes) = set_up(&site, &ann).await;
    guest.post("/users/login/", &credentials(&codes[0].to_uppercase().replace('-', " "))).await.expect(200);
    guest.post("/users/login/", &credentials(&codes[0])).await.expect_problem(401, "wrong_code");
    assert_eq!(ann.get("/users/second_factor/").await.json()["recovery_codes"], 9);
}

/// Creating recovery codes requires a code, because they can disable two-factor authentication.
#[actix_web::test]
async fn new_recovery_codes_require_a_code_and_replace_the_old_ones() {
    let site = TestSite::start_with(&THROTTLE_OFF, 1).await;
    let (ann, guest) = (site.user("ann").await, site.guest());
    let (_, codes) = set_up(&site, &ann).await;
    guest.post("/users/login/", &credentials(&codes[0])).await.expect(200);
    for wrong in ["000000", codes[0].as_str()] {
        ann.post("/users/second_factor/codes/", &password_and_code(wrong)).await.expect(400);
    }
    ann.post("/users/second_factor/codes/", &json!({ "current_password": PASSWORD }))
        .await
        .expect_problem(400, "invalid");
    let renewed = ann.post("/users/second_factor/codes/", &password_and_code(&codes[2])).await.expect(200).json();
    guest.post("/users/login/", &credentials(&codes[1])).await.expect_problem(401, "wrong_code");
    let new_code = renewed["new_codes"][0].as_str().unwrap();
    guest.post("/users/login/", &credentials(new_code)).await.expect(200);
}

#[actix_web::test]
async fn disabling_two_factor_authentication_requires_password_and_code() {
    let site = TestSite::start_with(&THROTTLE_OFF, 1).await;
    let ann = site.user("ann").await;
    let (app, codes) = set_up(&site, &ann).await;
    let wrong_password = json!({ "current_password": "wrong", "code": codes[0] });
    ann.post("/users/second_factor/remove/", &wrong_password).await.expect_problem(400, "invalid");
    ann.post("/users/second_factor/remove/", &password_and_code("000000")).await.expect_problem(400, "invalid");
    site.advance_clock(STEP);
    ann.post("/users/second_factor/remove/", &password_and_code(&app.code(&site))).await.expect(200);
    site.guest().post("/users/login/", &password_only()).await.expect(200);
    assert_eq!((site.count("second_factors").await, site.count("recovery_codes").await), (0, 0));
}

#[actix_web::test]
async fn owner_is_notified_when_two_factor_authentication_changes() {
    let dir = reachable_tempdir();
    let mail = format!("file:{}", dir.path().join("mail").display());
    let site = TestSite::start_with(&[("SIGN_IN_THROTTLE", "off"), ("SMTP_URL", &mail)], 1).await;
    let ann = site.user("ann").await;
    sqlx::query("update users set email_confirmed_at = created_at").execute(&site.pool).await.unwrap();
    let (app, codes) = set_up(&site, &ann).await;
    site.guest().post("/users/login/", &credentials(&codes[0])).await.expect(200);
    ann.post("/users/second_factor/codes/", &password_and_code(&codes[2])).await.expect(200);
    site.advance_clock(STEP);
    ann.post("/users/second_factor/remove/", &password_and_code(&app.code(&site))).await.expect(200);
    let kinds: Vec<String> = sqlx::query_scalar("select kind from outbox where kind <> 'confirm_email' order by id")
        .fetch_all(&site.pool)
        .await
        .unwrap();
    assert_eq!(kinds, ["second_factor_on", "recovery_code_used", "second_factor_off"]);
}

#[actix_web::test]
async fn code_guessing_is_limited() {
    let site = TestSite::start().await;
    let ann = site.user("ann").await;
    let (app, _) = set_up(&site, &ann).await;
    site.advance_clock(TimeDelta::hours(2));
    let mut refused = 0;
    for _ in 0..20 {
        let answer = site.guest().post("/users/login/", &credentials("000000")).await;
        refused += i32::from(answer.status == 429);
    }
    assert!(refused >= 9, "{refused}");
    site.advance_clock(TimeDelta::hours(1));
    site.guest().post("/users/login/", &credentials(&app.code(&site))).await.expect(200);
}

/// The secret of the app is derived from the secret key and the stored salt, so a copy of the database does not contain
/// the secret.
#[actix_web::test]
async fn salt_in_the_database_is_no_part_of_the_app_secret() {
    let site = TestSite::start().await;
    let ann = site.user("ann").await;
    let (app, _) = set_up(&site, &ann).await;
    let salt: Vec<u8> = sqlx::query_scalar("select salt from second_factors").fetch_one(&site.pool).await.unwrap();
    assert!(!app.0.secret().as_ref().windows(16).any(|part| part == salt));
}

#[actix_web::test]
async fn operator_can_disable_two_factor_authentication() {
    let (dir, site) = (reachable_tempdir(), TestSite::start_with(&THROTTLE_OFF, 1).await);
    let ann = site.user("ann").await;
    set_up(&site, &ann).await;
    let guest = site.guest();
    guest.post("/users/login/", &password_only()).await.expect(401);
    let program = Program::new(dir.path()).with("DATABASE_URL", &site.lease.url);
    let (succeeded, output) = program.run(&["removesecondfactor", "ann"]);
    assert!(succeeded && output.contains("Disabled two-factor authentication for ann"), "{output}");
    ann.get("/users/me/").await.expect(401);
    guest.post("/users/login/", &password_only()).await.expect(200);
    let actor: Option<i64> = sqlx::query_scalar("select actor_id from audit_log where act = 'second_factor.off'")
        .fetch_one(&site.pool)
        .await
        .unwrap();
    assert_eq!(actor, None, "the command acts without an account");
    let (succeeded, output) = program.run(&["removesecondfactor", "ann"]);
    assert!(!succeeded && output.contains("two-factor authentication is not enabled for ann"), "{output}");
}

#[actix_web::test]
async fn secret_key_rotation_keeps_sessions_and_secrets() {
    const NEXT: &str = "another secret key with 36 characters";
    let site = TestSite::start_with(&THROTTLE_OFF, 1).await;
    let ann = site.user("ann").await;
    let (app, _) = set_up(&site, &ann).await;
    for number in 0..21 {
        ann.write(&format!("Post {number}"), "Text.").await;
    }
    let next_page = ann.get("/blogs/").await.json()["next"].as_str().unwrap().to_owned();
    let signs_in = async |address| {
        site.advance_clock(STEP);
        Actor::new(address).post("/users/login/", &credentials(&app.code(&site))).await.status.as_u16()
    };
    let reads = async |address| {
        let (me, page) =
            (ann.with_instance(address).get("/users/me/").await, ann.with_instance(address).get(&next_page).await);
        (me.status.as_u16(), page.status.as_u16())
    };

    // Without the previous key as a fallback, sessions, cursors and second factors are invalid.
    let (other, other_instance) = another_instance(&site, &[("SECRET_KEY", NEXT)]);
    assert_eq!((reads(other).await, signs_in(other).await), ((401, 400), 401));
    drop(other_instance);

    let rekeying = [("SECRET_KEY", NEXT), ("SECRET_KEY_FALLBACKS", SECRET)];
    let (next, next_instance) = another_instance(&site, &rekeying);
    site.site().rekey_totp_secrets().await.unwrap();

    // Key rotation: all instances first get the new key as a fallback, then use it. Each instance accepts both keys
    // throughout.
    let (learned, learned_instance) = another_instance(&site, &[("SECRET_KEY_FALLBACKS", NEXT)]);
    learned_instance.0.rekey_totp_secrets().await.unwrap();
    next_instance.0.rekey_totp_secrets().await.unwrap();
    for address in [learned, next] {
        assert_eq!((reads(address).await, signs_in(address).await), ((200, 200), 200));
    }
    let ben = Actor::new(next);
    ben.post("/users/register/", &json!({ "username": "ben", "email": "b@example.com", "password": PASSWORD }))
        .await
        .expect(201);
    ben.with_instance(learned).get("/users/me/").await.expect(200);

    // After the old key is removed, second factors are valid, and so are sessions that began under the new key.
    let (new_key_only, instance) = another_instance(&site, &[("SECRET_KEY", NEXT)]);
    instance.0.rekey_totp_secrets().await.unwrap();
    assert_eq!((reads(new_key_only).await, signs_in(new_key_only).await), ((401, 400), 200));
    ben.with_instance(new_key_only).get("/users/me/").await.expect(200);
}

#[actix_web::test]
async fn attacker_with_the_password_does_not_lock_the_owner_out() {
    let site = TestSite::start_with(&[("TRUSTED_PROXIES", "127.0.0.0/8")], 1).await;
    let ann = site.user("ann").await;
    let (app, _) = set_up(&site, &ann).await;
    site.advance_clock(STEP);
    let guest = site.guest();
    let send = async |address: &str, fields: &[(&str, &str)]| {
        let request = guest.request("POST", "/users/login/").header("X-Forwarded-For", address);
        guest.send(request.header("Accept", "text/html").form(fields)).await
    };
    let step = async |address: &str| proof_on(&send(address, &PASSWORD_FORM).await.expect(401));
    // Wrong codes from many networks exhaust the limit of the account.
    let proof = step("198.51.100.1").await;
    let mut statuses = Vec::new();
    for n in 0..60 {
        let fields = [("proof", proof.as_str()), ("code", "000000")];
        statuses.push(send(&format!("203.0.{n}.7"), &fields).await.status.as_u16());
    }
    let evaluated = statuses.iter().filter(|status| **status == 401).count();
    assert!((25..=35).contains(&evaluated), "{statuses:?}");
    // A client that has signed in to the account before is not affected by the limit.
    let fields = [("proof", proof.as_str()), ("code", &app.code(&site))];
    let request = guest.request("POST", "/users/login/").header("Accept", "text/html").form(&fields);
    guest.send(request).await.expect(303);
}

#[actix_web::test]
async fn setup_secret_is_shown_only_after_reauthentication() {
    let site = TestSite::start().await;
    let (ann, thief) = (site.user("ann").await, site.guest());
    thief.post("/users/login/", &json!({ "username": "ann", "password": PASSWORD })).await.expect(200);
    let shown = ann.post("/users/second_factor/", &json!({ "current_password": PASSWORD })).await.expect(200).json();
    let code = json!({ "code": App::of(&shown).code(&site) });
    assert!(thief.get("/users/second_factor/").await.expect(200).json()["secret"].is_null());
    thief.page("/users/second_factor/").await.expect_text("Two-factor authentication is off").expect_no_text("otpauth");
    thief.post("/users/second_factor/confirm/", &code).await.expect_problem(400, "invalid");
    ann.post("/users/second_factor/confirm/", &code).await.expect(200);
    thief.get("/users/me/").await.expect_problem(401, "not_signed_in");
}

#[actix_web::test]
async fn two_factor_authentication_can_be_required_for_staff() {
    let site = TestSite::start_with(&[("STAFF_SECOND_FACTOR", "on"), ("SIGN_IN_THROTTLE", "off")], 1).await;
    let (ann, bob) = (site.user("ann").await, site.user("bob").await);
    sqlx::query("update users set is_staff = true where username = 'ann'").execute(&site.pool).await.unwrap();
    let post = bob.write("Herons", "stand").await;
    ann.page("/blogs/").await.expect_text("must use two-factor authentication");
    ann.post(&format!("/blogs/{post}/delete/"), &json!({})).await.expect_problem(403, "forbidden");
    ann.get("/users/invitations/").await.expect_problem(403, "staff_only");
    set_up(&site, &ann).await;
    ann.page("/blogs/").await.expect_no_text("must use two-factor authentication");
    ann.get("/users/invitations/").await.expect(200);
    bob.page("/blogs/").await.expect_no_text("second factor");
}

#[actix_web::test]
async fn credential_changes_require_a_code() {
    let site = TestSite::start_with(&THROTTLE_OFF, 1).await;
    let ann = site.user("ann").await;
    let (app, codes) = set_up(&site, &ann).await;
    for path in ["/users/account/", "/users/password_change/", "/users/delete/"] {
        ann.page(path).await.expect_text("name=\"code\"");
    }
    let email = |code: Option<&str>| json!({ "email": "b@example.org", "current_password": PASSWORD, "code": code });
    let password = json!({ "old_password": PASSWORD, "new_password": "five grey herons wait" });
    let delete = json!({ "posts": "keep", "current_password": PASSWORD });
    for (path, body) in
        [("/users/account/", &email(None)), ("/users/password_change/", &password), ("/users/delete/", &delete)]
    {
        let mut without = body.clone();
        for empty in [Value::Null, json!("")] {
            without["code"] = empty;
            let refused = ann.post(path, &without).await.expect_problem(400, "invalid");
            refused.expect_text("Two-factor authentication is on. Enter a code");
        }
        without.as_object_mut().unwrap().remove("code");
        let refused = ann.post(path, &without).await.expect_problem(400, "invalid");
        refused.expect_text("Two-factor authentication is on. Enter a code");
        without["code"] = json!("123456");
        ann.post(path, &without).await.expect_problem(400, "invalid").expect_text("incorrect, expired or already used");
    }
    // The current code of the app was used up when two-factor authentication was set up.
    ann.post("/users/account/", &email(Some(&app.code(&site)))).await.expect_problem(400, "invalid");
    site.advance_clock(minutes(1));
    assert_eq!(
        ann.post("/users/account/", &email(Some(&app.code(&site)))).await.expect(200).json()["email"],
        "b@example.org"
    );
    let mut with = password.clone();
    with["code"] = json!(codes[0]);
    ann.post("/users/password_change/", &with).await.expect(200);
    let bob = site.user("bob").await;
    bob.page("/users/account/").await.expect_no_text("name=\"code\"");
    bob.post("/users/password_change/", &password).await.expect(200);
}

#[actix_web::test]
async fn reauthentication_changes_the_session_id() {
    let site = TestSite::start_with(&THROTTLE_OFF, 1).await;
    let (ann, olga) = (site.user("ann").await, site.staff("olga", "owner").await);
    let sign_in = async |user: &Actor, name: &str| {
        let answer = user.post("/users/login/", &json!({ "username": name, "password": PASSWORD })).await.expect(200);
        cookie_of(&answer)
    };
    let expect_ended = async |cookie: &str| {
        let guest = site.guest();
        let request = guest.request("GET", "/users/me/").header("accept", "application/json").header("cookie", cookie);
        guest.send(request).await.expect_problem(401, "not_signed_in");
    };
    let signed_in = sign_in(&ann, "ann").await;
    let email = json!({ "email": "b@example.org", "current_password": PASSWORD });
    let email_changed = ann.post("/users/account/", &email).await.expect(200);
    expect_ended(&signed_in).await;
    let setup = ann.post("/users/second_factor/", &json!({ "current_password": PASSWORD })).await.expect(200);
    expect_ended(&cookie_of(&email_changed)).await;
    let app = App::of(&ann.get("/users/second_factor/").await.expect(200).json());
    let enabled = ann.post("/users/second_factor/confirm/", &json!({ "code": app.code(&site) })).await.expect(200);
    expect_ended(&cookie_of(&setup)).await;
    site.advance_clock(minutes(1));
    ann.post("/users/second_factor/remove/", &password_and_code(&app.code(&site))).await.expect(200);
    expect_ended(&cookie_of(&enabled)).await;
    ann.get("/users/me/").await.expect(200);

    let signed_in = sign_in(&olga, "olga").await;
    site.advance_clock(minutes(30));
    let role = json!({ "act": "role", "selected": "ann", "role": "moderator", "reason": "Helps", "current_password": PASSWORD });
    olga.post("/admin/act/", &role).await.expect(200);
    expect_ended(&signed_in).await;
    olga.get("/users/me/").await.expect(200);
}

#[actix_web::test]
async fn disabling_two_factor_authentication_ends_other_sessions() {
    let site = TestSite::start_with(&THROTTLE_OFF, 1).await;
    let (ann, other_session) = (site.user("ann").await, site.guest());
    let (app, _) = set_up(&site, &ann).await;
    site.advance_clock(minutes(1));
    other_session.post("/users/login/", &credentials(&app.code(&site))).await.expect(200);
    site.advance_clock(minutes(1));
    let disable = password_and_code(&app.code(&site));
    ann.post("/users/second_factor/remove/", &disable).await.expect(200);
    other_session.get("/users/me/").await.expect_problem(401, "not_signed_in");
    ann.get("/users/me/").await.expect(200);
    ann.post("/users/second_factor/remove/", &disable).await.expect_problem(400, "invalid");
}

fn cookie_of(answer: &TestResponse) -> String {
    answer.header("set-cookie").split(';').next().unwrap().to_owned()
}

#[actix_web::test]
async fn all_code_forms_share_one_limit() {
    let site = TestSite::start().await;
    let ann = site.user("ann").await;
    set_up(&site, &ann).await;
    site.advance_clock(TimeDelta::hours(2));
    let guest = site.guest();
    let proof = proof_of_password(&guest).await;
    let by_proof = json!({ "proof": proof, "code": "000000" });
    let email_change = json!({ "email": "b@example.org", "current_password": PASSWORD, "code": "000000" });
    for _ in 0..4 {
        guest.post("/users/login/", &credentials("000000")).await.expect_problem(401, "wrong_code");
    }
    for _ in 0..3 {
        guest.post("/users/login/", &by_proof).await.expect_problem(401, "wrong_code");
        ann.post("/users/account/", &email_change).await.expect_problem(400, "invalid");
    }
    guest.post("/users/login/", &credentials("000000")).await.expect_problem(429, "sign_in_limited");
    guest.post("/users/login/", &by_proof).await.expect_problem(429, "sign_in_limited");
    ann.post("/users/account/", &email_change).await.expect_problem(429, "sign_in_limited");
}

#[actix_web::test]
async fn owner_is_notified_of_wrong_codes_once_a_day() {
    let dir = reachable_tempdir();
    let mail = format!("file:{}", dir.path().join("mail").display());
    let site = TestSite::start_with(&[("SMTP_URL", &mail)], 1).await;
    let ann = site.user("ann").await;
    sqlx::query("update users set email_confirmed_at = created_at").execute(&site.pool).await.unwrap();
    set_up(&site, &ann).await;
    site.advance_clock(TimeDelta::hours(2));
    let guest = site.guest();
    let guess = async || guest.post("/users/login/", &credentials("000000")).await.expect_problem(401, "wrong_code");
    let notified = async || site.count("outbox where kind = 'wrong_codes'").await;
    guess().await;
    guess().await;
    assert_eq!(notified().await, 0, "the owner may have mistyped");
    guess().await;
    assert_eq!(notified().await, 1);
    guess().await;
    guess().await;
    assert_eq!(notified().await, 1);
    // A day later the owner is notified again. This time, a signed-in client sends the wrong codes.
    site.advance_clock(TimeDelta::days(1));
    let email_change = json!({ "email": "b@example.org", "current_password": PASSWORD, "code": "000000" });
    for _ in 0..2 {
        ann.post("/users/account/", &email_change).await.expect_problem(400, "invalid");
    }
    assert_eq!(notified().await, 2);
}

#[actix_web::test]
async fn codes_and_numbers_may_have_persian_and_arabic_digits() {
    let site = TestSite::start().await;
    let ann = site.user("ann").await;
    let post = ann.write("Herons", "They stand.").await;
    let bob = site.user("bob").await;
    let digits = |text: &str, zero: char| -> String {
        text.chars().map(|c| c.to_digit(10).and_then(|d| char::from_u32(u32::from(zero) + d)).unwrap_or(c)).collect()
    };
    bob.post("/users/second_factor/", &json!({ "current_password": PASSWORD })).await.expect(200);
    let app = App::of(&bob.get("/users/second_factor/").await.json());
    let code = digits(&app.code(&site), '۰');
    bob.submit("/users/second_factor/confirm/", &[("code", &code)]).await.expect(200);
    bob.submit("/rate/", &[("blog", &digits(&post.to_string(), '٠')), ("rating", "٤")]).await.expect(303);
    assert_eq!(site.count("rates where rating = 4").await, 1);
    bob.page(&format!("/blogs/{post}/ratings/?days={}", digits("30", '۰'))).await.expect(200);
}
