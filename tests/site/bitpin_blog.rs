//! Import of a BitPin-Blog dump.

use nix::sys::signal::Signal;
use serde_json::{Value, json};
use sqlx::PgPool;

use crate::support::{Actor, DatabaseLease, Program, reachable_tempdir};

fn program(dir: &tempfile::TempDir, url: &str) -> Program {
    Program::new(dir.path()).with("DATABASE_URL", url).with("RUST_LOG", "warn")
}

#[actix_web::test]
async fn imports_a_bitpin_blog_dump_and_recomputes_averages() {
    let (dir, lease) = (reachable_tempdir(), DatabaseLease::fresh().await);
    let program = program(&dir, &lease.url).with("SIGN_IN_THROTTLE", "off");
    // The dump was created by `dumpdata` on Django 5.2, from data that was entered through the views of the original
    // Django project.
    std::fs::write(dir.path().join("bitpin.json"), include_str!("bitpin_blog.json")).unwrap();
    let (succeeded, output) = program.run(&["import", "bitpin.json"]);
    assert!(succeeded, "{output}");
    for line in [
        "User 3: renamed “bob” to “bob-2”, because the username is invalid or already taken.",
        "User 4: renamed “john@example.com” to “john-example.com”",
        "User 7 (“reader-1”): no valid email address, so the password cannot be reset.",
        // In the original Django project, editing a rating did not change the stored average.
        "Post 1: the dump has an average of 3.25, but the average of its 8 ratings is 3.75.",
        "Post 2: the dump has an average of 3.88, but the average of its 8 ratings is 4.38.",
        "auth.permission: skipped 44 objects",
        "auth.user: 12",
        "rate.rate: 23",
    ] {
        assert!(output.contains(line), "{line}: {output}");
    }
    assert!(!output.contains("Post 3: the dump has"), "{output}");
    let (succeeded, output) = program.run(&["import", "bitpin.json"]);
    assert!(!succeeded && output.contains("this site already has accounts"), "{output}");
    let running = program.start().await;
    let sign_in = async |name: &str, password: &str| {
        let actor = Actor::new(program.address);
        let answer = actor.post("/users/login/", &json!({ "username": name, "password": password })).await;
        assert!(answer.status != 503, "{}", answer.text);
        (actor, answer.status.as_u16())
    };
    let pool = PgPool::connect_lazy_with(lease.options.clone());
    let is_argon2id = "select password_hash like '$argon2id$%' from users where username = $1";
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
        assert!(sqlx::query_scalar::<_, bool>(is_argon2id).bind(name).fetch_one(&pool).await.unwrap(), "{name}");
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
async fn incompatible_bitpin_objects_are_reported_and_the_rest_is_imported() {
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
    let (succeeded, output) = program.run(&["import", "bitpin.json"]);
    for line in [
        "Post 1: truncated the text from 280000 to 262144 bytes",
        "Post 2: the text is empty; the title is used instead.",
        &format!("Skipped rate.rate {pk}: the rating is not an integer from 1 to 5"),
        "Skipped rate.rate 9001: invalid type: string \"five\", expected i64",
        "Skipped rate.rate 9002: blog_id 99 does not exist",
        "rate.rate: 22",
        "evenkeel: objects skipped: 3 (listed above); all other objects were imported",
    ] {
        assert!(output.contains(line), "{line}: {output}");
    }
    assert!(!succeeded && !output.contains("content_length"), "{output}");
}
