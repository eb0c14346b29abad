//! The command `evenkeel replay`.

use std::process::Command;

use chrono::TimeDelta;
use serde_json::{Value, json};

use crate::steady_score::{OPEN, near, rated_for_days};
use crate::support::{TestSite, reachable_tempdir};

/// Runs `evenkeel replay`. Returns its output, or its error message.
fn replay(arguments: &[&str]) -> Result<String, String> {
    replay_with(&[], arguments)
}

pub fn replay_with(variables: &[(&str, &str)], arguments: &[&str]) -> Result<String, String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_evenkeel"));
    let command = command.arg("replay").args(arguments).env_clear().envs(variables.iter().copied());
    let output = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    if output.status.success() { Ok(text(output.stdout)) } else { Err(text(output.stderr)) }
}

#[test]
fn documentation_shows_the_current_comparison_of_limiters() {
    let table = replay(&["--scenario", "all"]).unwrap();
    assert!(table.lines().count() == 22, "{table}");
    let documented = include_str!("../../docs/topics/limiters.md");
    assert!(documented.contains(&table), "docs/topics/limiters.md differs from this table:\n{table}");
    let dir = reachable_tempdir();
    for (scenario, committed) in [
        ("crowd_48h", include_str!("../../docs/images/score-brigade.svg")),
        ("three_a_day", include_str!("../../docs/images/score-drip.svg")),
        ("launch", include_str!("../../docs/images/score-launch.svg")),
    ] {
        let picture = dir.path().join("post.svg");
        replay(&["--scenario", scenario, "--limiter", "off", "--plot", picture.to_str().unwrap()]).unwrap();
        let drawn = std::fs::read_to_string(picture).unwrap();
        assert!(drawn == committed, "the image of {scenario} in docs/images differs from the current plot");
    }
}

#[test]
fn replays_a_csv_history_as_json_with_every_post() {
    let dir = reachable_tempdir();
    let file = dir.path().join("ratings.csv");
    let rows = (0..30).map(|i| format!("a,{}.5,4,honest\nb,2026-05-01T12:00:00.{i:03}Z,1,brigade", 1_000 + 60 * i));
    let lines: Vec<String> = std::iter::once("post,time,rating,kind".to_owned()).chain(rows).collect();
    std::fs::write(&file, lines.join("\n")).unwrap();
    let file = file.to_str().unwrap();
    let json: Value = serde_json::from_str(
        &replay(&[file, "--limiter", "leaky_bucket", "--param", "capacity=7", "--format", "json"]).unwrap(),
    )
    .unwrap();
    let bucket = &json[0]["limiters"][0];
    assert_eq!((&bucket["limiter"], &bucket["honest_refused_percent"]), (&"leaky_bucket".into(), &0.0.into()));
    let post_b = &bucket["posts"][1];
    assert_eq!(
        (&post_b["post"], &post_b["brigade"], &post_b["brigade_admitted"]),
        (&"b".into(), &30.into(), &7.into())
    );
    let scores: Vec<(&str, bool)> = bucket["scores"]
        .as_array()
        .unwrap()
        .iter()
        .map(|score| {
            let has_all =
                ["moved_mean", "moved_p95", "moved_peak", "honest_bias"].iter().all(|name| score[name].is_number());
            (score["score"].as_str().unwrap(), has_all)
        })
        .collect();
    // Post b has no honest ratings, so the shift of its score cannot be computed.
    assert_eq!((scores, &post_b["scores"][1]["moved"]), (vec![("average", true), ("steady", true)], &Value::Null));
    let steady = replay(&[file, "--limiter", "off", "--score", "steady"]).unwrap();
    assert!(
        steady.starts_with(
            "Each limiter cell contains: share of honest ratings refused · share of brigade ratings admitted · \
            change of the steady score by the brigade, in stars\n\n| Scenario | `off` |"
        ),
        "{steady}"
    );
    let both = replay(&[file, "--limiter", "off,leaky_bucket", "--param", "leaky_bucket.capacity=1"]).unwrap();
    assert!(both.contains("| `off` | `leaky_bucket` |") && both.contains("100.00 %"), "{both}");
}

#[test]
fn invalid_replay_input_is_reported_in_one_line() {
    let dir = reachable_tempdir();
    let file = dir.path().join("ratings.csv");
    std::fs::write(&file, "post,time,rating\na,1,5\na,2,9\n").unwrap();
    let file = file.to_str().unwrap();
    let line = |arguments: &[&str], part: &str| {
        let error = replay(arguments).unwrap_err();
        assert!(error.contains(part) && error.lines().count() == 1, "{error}");
    };
    line(&[file], "line 3: the rating is \"9\" but must be a whole number from 1 to 5");
    line(&["nowhere.csv"], "cannot read nowhere.csv");
    line(&["--scenario", "flood"], "no scenario named \"flood\"; `--scenario list` lists the names");
    line(&["--scenario", "all", "--plot", "x.svg"], "--plot draws a single scenario");
    line(&["--scenario", "steady", "--limiter", "sieve"], "unknown limiter \"sieve\"");
    line(&["--scenario", "steady", "--param", "floor=3"], "does not name a limiter");
    line(&["--scenario", "steady", "--param", "surge.floor=1"], "floor must be a number of at least 2");
    line(&["--scenario", "steady", "--param", "surge.size=1"], "unknown field `size`");
    line(&["--scenario", "steady", "--param", "leaky_bucket.capacity=1.5"], "parameter capacity: ");
    line(&["--scenario", "steady", "--param", "capacity"], "a parameter has the form name=value");
    line(
        &["--scenario", "steady", "--limiter", "off", "--param", "ema.alpha=1"],
        "is for a limiter that is not replayed",
    );
    line(&[file, "--plot", file], "--plot would overwrite");
    assert!(std::fs::read_to_string(file).unwrap().starts_with("post,time"));
    line(&["--scenario", "steady", "--score", "steady,steady"], "--score contains steady twice");
    line(&["--scenario", "steady", "--post", "1"], "--post can only be used with --plot or --database");
    line(&["--database", "--plot", "x.svg"], "--plot draws a single post");
    assert!(!std::path::Path::new("x.svg").exists(), "nothing was drawn");
    assert!(replay(&["--scenario", "list"]).unwrap().contains("crowd_10min"));
    assert!(replay(&[]).unwrap_err().contains("<FILE>"));
}

#[actix_web::test]
async fn score_can_be_verified_from_public_csv_and_replayed() {
    let site = TestSite::start_with(OPEN, 1).await;
    let readers = site.many_users(62).await;
    let post = rated_for_days(&site, &readers[..12], 4).await;
    let moderator = site.user("mo").await;
    sqlx::query("update users set is_staff = true where username = 'mo'").execute(&site.pool).await.unwrap();
    site.advance_clock(TimeDelta::days(1));
    for (stars, stranger) in (0..).zip(&readers[12..]) {
        stranger.rate(post, 1 + stars % 2).await.expect(201);
    }
    site.advance_clock(TimeDelta::days(1));
    readers[0].change_rating(post, 2).await.expect(200);
    let exclusion = json!({ "from": "2026-01-03", "reason": "A test" });
    moderator.post(&format!("/blogs/{post}/ratings/exclude/"), &exclusion).await.expect(201);
    let admin = site.staff("ada", "admin").await;
    let lately =
        async || admin.get("/admin/limiter/choose/?days=1").await.expect(200).json()["comparison"]["posts"].clone();
    assert_eq!(lately().await, 1);
    let shown = readers[0].get(&format!("/rate/get_blog_rating/{post}/")).await.expect(200).json();
    let dir = reachable_tempdir();
    let file = dir.path().join("days.csv");
    std::fs::write(&file, readers[0].page(&format!("/blogs/{post}/ratings/?format=csv")).await.expect(200).text)
        .unwrap();
    let added: Value = serde_json::from_str(&replay(&[file.to_str().unwrap(), "--format", "json"]).unwrap()).unwrap();
    for (name, here) in [("steady", "steady_rating"), ("weight", "steady_weight"), ("average", "average_rating")] {
        assert!(near(&added[name], shown[here].as_f64().unwrap()), "{name}: {added} {shown}");
    }
    let text = replay(&[file.to_str().unwrap()]).unwrap();
    assert!(text.starts_with("average 1.9516 of 62 ratings\n"), "{text}");
    // A replay from the `rates` table is approximate, because it contains only the current stars of an edited rating.
    let database = [("DATABASE_URL", site.lease.url.as_str())];
    let arguments = ["--database", "--post", &post.to_string(), "--limiter", "off", "--format", "json"];
    let replayed: Value = serde_json::from_str(&replay_with(&database, &arguments).unwrap()).unwrap();
    let [of_post] = &replayed[0]["limiters"][0]["posts"].as_array().unwrap()[..] else { panic!("{replayed}") };
    let replayed = of_post["scores"][1]["shown"].as_f64().unwrap();
    assert!((replayed - shown["steady_rating"].as_f64().unwrap()).abs() < 0.01, "{of_post} {shown}");
    let picture = dir.path().join("post.svg");
    let drawn = ["--database", "--post", &post.to_string(), "--plot", picture.to_str().unwrap()];
    replay_with(&database, &drawn).unwrap();
    assert!(std::fs::read_to_string(picture).unwrap().contains("this site: post"));
    let all = replay_with(&database, &["--database"]).unwrap();
    // Excluded ratings count as part of a brigade.
    assert!(all.contains("| this site | 0.00 % · 100.00 % · "), "{all}");
    let lately = replay_with(&database, &["--database", "--days", "30"]).unwrap();
    assert!(lately.contains("| this site | – · – · – · – |"), "nobody has rated since: {lately}");
    let error = replay_with(&database, &["--database", "--post", "999"]).unwrap_err();
    assert!(error.contains("post 999 does not exist or has no ratings"), "{error}");
}
