//! Export of a site as JSON and import: complete, unchanged and resumable.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::process::Stdio;

use chrono::TimeDelta;
use evenkeel::cli::dump_and_load::{EXCLUDED_TABLES, MODELS};
use nix::sys::signal::Signal;
use serde_json::{Value, json};
use sqlx::PgPool;

use crate::support::{
    Actor, DatabaseLease, PASSWORD, Program, RunningProgram, TestSite, reachable_tempdir, table_checksums, tables,
};

/// Rows of tables that the test does not fill over HTTP, with values that are easily damaged in transfer.
const REST: &str = r#"
    insert into sign_ins (user_id, network, seen_at) values (1, '2001:db8::/64', '2026-01-02 03:04:05.678901+03:30');
    insert into second_factors (user_id, salt, key_id, created_at, session) values (1, decode('00ff27225c00ff27225c00ff27225c5c', 'hex'), '\x01', 'epoch', '\x5c27');
    insert into recovery_codes (user_id, code_hash) values (1, decode(repeat('00', 32), 'hex'));
    insert into api_tokens (user_id, name, token_hash, scopes, created_at)
        values (1, 'script', decode(repeat('01', 32), 'hex'), '{read,admin}', now());
    insert into owner_claims (user_id, claimed_at) values (1, now());
    insert into images (id, name, bytes, created_at, unused_since) overriding system value values (77, repeat('a', 43) || '.png', 5, now(), null);
    insert into image_owners (user_id, image_id, alt, added_at) values (1, 77, E'Zwei Reiher\n\t"سلام" 🐦 \\ \u200c', now());
    insert into image_uses (image_id, owner_id, post_id) values (77, 1, 1);
    insert into refused_ratings (blog_id, user_id, rating, at) values (1, 2, 5, now());
    insert into zombie_pauses (user_id, blog_id, tat_ns, paused_at) values (2, 1, 9223372036854775807, now());
    insert into warning_levels (user_id, level, set_at) values (1, 12.345678901234567, now());
    insert into limit_overrides (limit_name, network, factor, reason, created_at, expires_at)
        values ('browse', '2001:db8::/32', 0.1, 'an office', now(), 'infinity');
    insert into limiter_states (limiter, key, state, updated_at, expires_at)
        values ('ema', 'key: "1"', '{"mean": 0.1, "sum": 1e300, "text": "\u00fc\\"}', now(), 'infinity'),
            ('sign_in_place', 'key', 'null', now(), 'infinity');
    insert into suspected_links (hash, address, threat_type, source, since, confirmed_at)
        values (decode(repeat('ab', 32), 'hex'), 'example.org/', 'MALWARE', 'x', now(), now());
    insert into site_hours (hour, visitors) values (date_trunc('hour', now()), 9007199254740993);
    insert into post_links (post_id, addresses, suspected) values (2, '{"a,b", "c\"d", "{}", null, ""}', '{}')
        on conflict (post_id) do update set addresses = excluded.addresses;
    insert into outbox (kind, recipient, subject, body_text, body_html, created_at, expires_at, next_at, pace)
        values ('confirm_email', 'a@example.org', 's', E'line\nline', '<p>', now(), now() + interval '1 day', now(), '{"a": [1, 2.50]}');
    insert into webhooks (url, secret, events, created_at) values ('https://example.com/', decode(repeat('ff', 24), 'hex'), '{post.published}', now());
    insert into webhook_deliveries (webhook_id, event, data, created_at, expires_at, next_at, error)
        values (1, 'test', '{"a": [1, 2.50]}', now(), now() + interval '3 days', now(), E'line\nline');
    insert into rating_surges (blog_id, began_at) values (1, now());
    update rating_totals set steady_usual = 0.1 + 0.2::float8, gates = '{"ema": {"x": 1e-300}}' where blog_id = 1;
    update users set about = E'\u0001 control', delete_at = null, invitation_id = 1 where id = 3;
"#;

/// Starts a site with rows in every table.
async fn busy() -> TestSite {
    let site = TestSite::start_with(&[("RATING_LIMITER", "off")], 1).await;
    let (mo, olga) = (site.staff("mo", "moderator").await, site.staff("olga", "owner").await);
    let (ann, bob) = (site.user("ann").await, site.user("bob").await);
    let mut posts = Vec::new();
    for text in ["They **stand**.", "سلام دنیا", "Reiher\n\n> stehen `so`"] {
        posts.push(ann.write("Herons \"stand\" \\ 🐦", text).await);
    }
    let draft = json!({ "title": "Later", "content": "x", "status": "draft", "tags": ["birds", "long"] });
    ann.post("/blogs/create/", &draft).await.expect(201);
    for (number, reader) in site.many_users(9).await.iter().enumerate() {
        for post in &posts[..2] {
            reader.rate(*post, 1 + i64::try_from(number).unwrap() % 5).await.expect(201);
        }
        site.advance_clock(TimeDelta::days(i64::from(number % 3 == 2)));
    }
    let leave_out = json!({ "from": "2026-01-02", "to": "2026-01-02", "reason": "Bought" });
    mo.post(&format!("/blogs/{}/ratings/void/", posts[0]), &leave_out).await.expect(201);
    let report = json!({ "category": "spam", "explanation": "Look" });
    let case = bob.post(&format!("/blogs/{}/report/", posts[2]), &report).await.expect(201).json()["id"].clone();
    let decision = json!({ "ruling": "law", "reason": "Paragraph", "seen": "open", "version": 1 });
    mo.post(&format!("/admin/reports/{case}/"), &decision).await.expect(200);
    olga.post("/users/invitations/", &json!({ "people": 3, "days": 7 })).await.expect(201);
    let choice =
        json!({ "limiter": "leaky_bucket", "reason": "A try", "post": posts[1], "current_password": PASSWORD });
    olga.post("/admin/limiter/choose/", &choice).await.expect(201);
    sqlx::raw_sql(REST).execute(&site.pool).await.unwrap();
    site
}

fn program(dir: &tempfile::TempDir, url: &str) -> Program {
    Program::new(dir.path()).with("DATABASE_URL", url).with("RUST_LOG", "warn")
}

fn dumped(program: &Program, file: &str) -> Vec<u8> {
    let (done, text) = program.run(&["dumpdata", "--output", file]);
    assert!(done && text.is_empty(), "{text}");
    std::fs::read(program.dir.join(file)).unwrap()
}

#[actix_web::test]
async fn dump_and_load_reproduce_the_site() {
    let (site, dir, other) = (busy().await, reachable_tempdir(), DatabaseLease::fresh().await);
    let (here, there) = (program(&dir, &site.lease.url), program(&dir, &other.url));
    let before = table_checksums(&site.pool).await;
    let empty: Vec<&str> = before.iter().filter(|(_, sum)| sum == "none").map(|(table, _)| table.as_str()).collect();
    assert!(empty.is_empty(), "the dump proves nothing of {empty:?}");
    let text = dumped(&here, "site.json");
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = std::fs::metadata(dir.path().join("site.json")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "password hashes are in it");
    }
    // The dump is a JSON array with one object per line, and uses Django's model names.
    let objects: Vec<Value> = serde_json::from_slice(&text).unwrap();
    assert_eq!(objects.len() + 2, text.split(|byte| *byte == b'\n').count() - 1);
    assert_eq!(objects[0]["model"], "site.dump");
    let user = objects.iter().find(|object| object["fields"]["username"] == "ann").unwrap();
    assert_eq!((&user["model"], user["pk"].is_i64()), (&json!("users.user"), true));
    let models: BTreeSet<&str> = objects[1..].iter().map(|object| object["model"].as_str().unwrap()).collect();
    let all = MODELS.iter().map(|model| model.name).filter(|model| *model != "rate.waiting");
    assert_eq!(models, all.collect());

    let (done, told) = there.run(&["loaddata", "site.json"]);
    assert!(done && told.contains("Checked 3 posts with 18 ratings: all totals are correct.\n"), "{told}");
    let pool = PgPool::connect_lazy_with(other.options.clone());
    assert_eq!(table_checksums(&pool).await, before);
    assert!(dumped(&there, "again.json") == text, "a dump of the loaded site is another one");
    let (done, told) = there.run(&["loaddata", "site.json"]);
    assert!(!done && told.contains("this site already has accounts"), "{told}");
    // Also after a load that failed at its first object.
    sqlx::query("insert into data_loads (objects, digest) values (0, '')").execute(&pool).await.unwrap();
    let (done, told) = there.run(&["loaddata", "site.json"]);
    assert!(!done && told.contains("this site already has accounts"), "{told}");
    // After the import, new rows get unused IDs, and imported users can sign in.
    drop(site);
    let running = there.start().await;
    let eve = Actor::new(there.address);
    let new = json!({ "username": "eve", "email": "eve@example.org", "password": PASSWORD });
    eve.post("/users/register/", &new).await.expect(201);
    let ann = Actor::new(there.address);
    ann.post("/users/login/", &json!({ "username": "ann", "password": PASSWORD })).await.expect(200);
    ann.write("Next", "One more").await;
    running.signal(Signal::SIGTERM);
}

#[actix_web::test]
async fn every_table_is_dumped_or_listed_as_excluded() {
    let lease = DatabaseLease::take().await;
    let pool = PgPool::connect_lazy_with(lease.options.clone());
    let all: BTreeSet<String> = tables(&pool).await.into_iter().collect();
    let dumped =
        MODELS.iter().map(|model| model.table).chain(EXCLUDED_TABLES.iter().copied()).map(str::to_owned).collect();
    assert_eq!(all, dumped);
}

#[actix_web::test]
async fn interrupted_load_resumes_with_the_same_file_only() {
    let (site, dir, other) = (busy().await, reachable_tempdir(), DatabaseLease::fresh().await);
    let (here, there) = (program(&dir, &site.lease.url), program(&dir, &other.url));
    let text = dumped(&here, "site.json");
    // A dump is a snapshot, so the site can stay in use. The second dump differs from the first.
    site.user("late").await;
    dumped(&here, "late.json");
    // The import is killed while it waits for the rest of its input.
    let mut command = there.command(&["loaddata", "-"]);
    let loading = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let mut loading = RunningProgram { child: loading };
    let mut pipe = loading.child.stdin.take().unwrap();
    pipe.write_all(&text[..text.len() * 2 / 3]).unwrap();
    let pool = PgPool::connect_lazy_with(other.options.clone());
    let come = async || sqlx::query_scalar::<_, i64>("select objects from data_loads").fetch_optional(&pool).await;
    while !matches!(come().await, Ok(Some(1..))) {
        tokio::task::yield_now().await;
    }
    loading.signal(Signal::SIGKILL);
    drop(pipe);
    std::fs::write(dir.path().join("short.json"), &text[..text.len() * 5 / 6]).unwrap();
    let (done, told) = there.run(&["loaddata", "short.json"]);
    assert!(
        !done && told.contains("Continuing an interrupted load after ") && told.contains("cannot read the dump"),
        "{told}"
    );
    let (mut site, guest) = (there.spawn(), Actor::new(there.address));
    while site.child.try_wait().unwrap().is_none() {
        assert!(!guest.is_site_ready().await, "it runs with half of a dump");
        tokio::task::yield_now().await;
    }
    assert!(
        there.read("err").contains("a dump is only partly loaded; run `evenkeel loaddata` again"),
        "{}",
        there.read("err")
    );
    let (done, told) = there.run(&["loaddata", "late.json"]);
    assert!(!done && told.contains("the file differs from the file of the interrupted load"), "{told}");
    let (done, told) = there.run(&["loaddata", "site.json"]);
    assert!(done && told.contains("all totals are correct"), "{told}");
    assert!(dumped(&there, "again.json") == text, "something was lost");
}

#[actix_web::test]
async fn loads_a_bitpin_blog_dump_and_recomputes_averages() {
    let (dir, lease) = (reachable_tempdir(), DatabaseLease::fresh().await);
    let program = program(&dir, &lease.url).with("SIGN_IN_THROTTLE", "off");
    // The dump was created by `dumpdata` on Django 5.2, from data that was entered through the views of the original
    // Django project.
    std::fs::write(dir.path().join("bitpin.json"), include_str!("bitpin_blog.json")).unwrap();
    let (done, told) = program.run(&["loaddata", "bitpin.json"]);
    assert!(done, "{told}");
    for line in [
        "User 3: renamed “bob” to “bob-2”, because the username is invalid or already taken.",
        "User 4: renamed “john@example.com” to “john-example.com”",
        "User 7 (“reader-1”): no valid email address, so the password cannot be reset.",
        "Post 3: truncated the title to 200 characters",
        // In the original Django project, editing a rating did not change the stored average.
        "Post 1: the dump has an average of 3.25, but the average of its 8 ratings is 3.75.",
        "Post 2: the dump has an average of 3.88, but the average of its 8 ratings is 4.38.",
        "auth.permission: skipped 44 objects",
        "Checked 4 posts with 23 ratings: all totals are correct.",
        "users.user: 12",
    ] {
        assert!(told.contains(line), "{line}: {told}");
    }
    assert!(!told.contains("Post 3: the dump has"), "{told}");
    let running = program.start().await;
    let sign_in = async |name: &str, password: &str| {
        let actor = Actor::new(program.address);
        let answer = actor.post("/users/login/", &json!({ "username": name, "password": password })).await;
        assert!(answer.status != 503, "{}", answer.text);
        (actor, answer.status.as_u16())
    };
    let pool = PgPool::connect_lazy_with(lease.options.clone());
    let ours = "select password_hash like '$argon2id$%' from users where username = $1";
    for (name, password) in [
        ("ann", "four grey herons wait"),
        // Imported passwords may be shorter than the site's minimum.
        ("Bob", "secret"),
        ("bob-2", "secret2"),
        ("سارا", "چهار حواصیل خاکستری"),
        ("boss", "the boss herself"),
    ] {
        assert_eq!(sign_in(name, "four grey storks wait").await.1, 401, "{name}");
        // The first sign-in verifies Django's hash and replaces it with an Argon2id hash, which the second sign-in
        // verifies.
        for _ in 0..2 {
            assert_eq!(sign_in(name, password).await.1, 200, "{name}");
        }
        assert!(sqlx::query_scalar::<_, bool>(ours).bind(name).fetch_one(&pool).await.unwrap(), "{name}");
    }
    assert_eq!(sign_in("nopass", "!").await.1, 401);
    assert_eq!(sign_in("boss", "the boss herself").await.0.get("/admin/").await.status.as_u16(), 200);
    let (ann, _) = sign_in("ann", "four grey herons wait").await;
    let stats = ann.get("/rate/get_blog_rating/1/").await.expect(200).json();
    assert_eq!((&stats["average_rating"], &stats["total_ratings"]), (&json!(3.75), &json!(8)));
    let post = ann.get("/blogs/1/").await.expect(200).json();
    assert_eq!((&post["title"], &post["author"]["username"]), (&json!("Herons"), &json!("ann")));
    assert_eq!(ann.write("Next", "One more").await, 5);
    running.signal(Signal::SIGTERM);
}

#[actix_web::test]
async fn rejected_objects_are_named_and_can_be_fixed() {
    let (site, dir, lease) = (busy().await, reachable_tempdir(), DatabaseLease::fresh().await);
    let there = program(&dir, &site.lease.url);
    let dump = String::from_utf8(dumped(&there, "dump.json")).unwrap();
    let here = program(&dir, &lease.url);
    let mut lines: Vec<&str> = dump.lines().collect();
    let rates: Vec<usize> = (0..lines.len()).filter(|at| lines[*at].contains("\"rate.rate\"")).collect();
    let (double, right) = (lines[rates[0]], lines[rates[1]]);
    lines[rates[1]] = double;
    std::fs::write(dir.path().join("edited.json"), lines.join("\n")).unwrap();
    let (done, told) = here.run(&["loaddata", "edited.json"]);
    let named = format!("which begin in line {} (Key (blog_id, user_id)=(", rates[0] + 1);
    assert!(!done && told.contains("cannot load the rate.rate objects ") && told.contains(&named), "{told}");
    lines[rates[1]] = right;
    std::fs::write(dir.path().join("edited.json"), lines.join("\n")).unwrap();
    let (done, told) = here.run(&["loaddata", "edited.json"]);
    assert!(done && told.starts_with("Continuing an interrupted load after "), "{told}");
}

#[actix_web::test]
async fn invalid_dump_is_rejected_with_a_reason() {
    let (dir, lease) = (reachable_tempdir(), DatabaseLease::fresh().await);
    let program = program(&dir, &lease.url);
    let head = |migration: i64| json!({ "model": "site.dump", "pk": null, "fields": { "migration": migration } });
    let with = |object: Value| json!([head(1), object]).to_string();
    for (text, reason) in [
        (String::new(), "cannot read the dump"),
        ("[]".to_owned(), "the dump has no objects"),
        ("{}".to_owned(), "an array of objects with model, pk and fields"),
        (json!([{ "model": "users.user", "pk": 1, "fields": {} }]).to_string(), "the file is not a dump of Evenkeel"),
        (json!([head(9_999)]).to_string(), "the dump was made by a newer version of Evenkeel, with migration 9999"),
        (with(json!({ "model": "users.robot", "pk": 1, "fields": {} })), "object 2: unknown model users.robot"),
        (with(json!({ "model": "users.user", "pk": 1, "fields": { "shoe": 43 } })), "users.user has no field shoe"),
        (with(json!({ "model": "users.user", "pk": 1, "fields": 5 })), "object 2"),
        (
            with(json!({ "model": "users.user", "pk": "x", "fields": {} })),
            "cannot load the users.user objects 2 to 2, which begin in line 3",
        ),
        (with(json!({ "model": "users.user", "fields": {} })), "missing field `pk`"),
    ] {
        std::fs::write(dir.path().join("dump.json"), &text).unwrap();
        let (done, told) = program.run(&["loaddata", "dump.json"]);
        assert!(!done && told.contains(reason), "{text}: {told}");
    }
    std::fs::write(dir.path().join("dump.json"), b"\x1f\x8b\x08").unwrap();
    let (done, told) = program.run(&["loaddata", "dump.json"]);
    assert!(!done && told.contains("load it with `gunzip -c FILE | evenkeel loaddata -`"), "{told}");
    let (done, told) = program.run(&["loaddata", "nowhere.json"]);
    assert!(!done && told.contains("cannot read nowhere.json"), "{told}");
    let (done, told) = program.run(&["dumpdata", "users.robot"]);
    assert!(!done && told.contains("no model or app named \"users.robot\"; the models are users.user, "), "{told}");
    let (done, told) = program.run(&["dumpdata", "--output", "no/such/folder.json"]);
    assert!(!done && told.contains("cannot write no/such/folder.json"), "{told}");
    let (done, told) = program.run(&["dumpdata", "--output", "/dev/null"]);
    assert!(!done && told.contains("/dev/null exists and is not a regular file"), "{told}");
    // Exports a selection of models to a pipe instead of a file.
    let (done, told) = program.run(&["dumpdata", "users", "rate.rate", "--exclude", "users.user"]);
    assert!(done && told.starts_with("[\n{") && told.ends_with("}\n]\n"), "{told}");
    let running = program.start().await;
    let marked = format!("\u{feff}{}", json!([head(1)]));
    std::fs::write(dir.path().join("dump.json"), marked).unwrap();
    let (done, told) = program.run(&["loaddata", "dump.json"]);
    assert!(!done && told.contains("the site or another load is using this database; stop it first"), "{told}");
    running.signal(Signal::SIGTERM);
    let (done, told) = program.run(&["loaddata", "dump.json"]);
    assert!(done, "{told}");
}

#[actix_web::test]
async fn incompatible_bitpin_objects_are_reported_and_the_rest_is_loaded() {
    let (dir, lease) = (reachable_tempdir(), DatabaseLease::fresh().await);
    let program = program(&dir, &lease.url);
    let mut dump: Vec<Value> = serde_json::from_str(include_str!("bitpin_blog.json")).unwrap();
    let post = |dump: &[Value], pk: i64| {
        dump.iter().position(|object| object["model"] == "blog_posts.blogpost" && object["pk"] == pk).unwrap()
    };
    let (long, empty) = (post(&dump, 1), post(&dump, 2));
    dump[long]["fields"]["content"] = json!("é".repeat(140_000));
    dump[empty]["fields"]["content"] = json!("");
    let rate = dump.iter().position(|object| object["model"] == "rate.rate").unwrap();
    dump[rate]["fields"]["rating"] = json!(9);
    let pk = dump[rate]["pk"].clone();
    // Values of the wrong type, which are rejected before they reach the database.
    let (mut odd, mut lost) = (dump[rate].clone(), dump[rate].clone());
    odd["pk"] = json!(9_001);
    odd["fields"]["rating"] = json!("five");
    lost["pk"] = json!(9_002);
    lost["fields"]["rating"] = json!(3);
    lost["fields"]["blog"] = json!(99);
    dump.extend([odd, lost]);
    std::fs::write(dir.path().join("bitpin.json"), serde_json::to_string(&dump).unwrap()).unwrap();
    let (done, told) = program.run(&["loaddata", "bitpin.json"]);
    for line in [
        "Post 1: truncated the text from 280000 to 262144 bytes",
        "Post 2: the text is empty; the title is used instead.",
        &format!("Skipped rate.rate {pk}: the rating is not an integer from 1 to 5"),
        "Skipped rate.rate 9001: invalid type: string \"five\", expected i64",
        "Skipped rate.rate 9002: blog_id 99 does not exist",
        "Checked 4 posts with 22 ratings",
        "evenkeel: objects skipped: 3 (listed above); all other objects were loaded",
    ] {
        assert!(told.contains(line), "{line}: {told}");
    }
    assert!(!done && !told.contains("content_length"), "{told}");
}
