//! `evenkeel replay`, as an operator runs it.

use std::process::Command;

use crate::support::folder;

/// What it prints, or what it complains of.
fn replay(arguments: &[&str]) -> Result<String, String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_evenkeel"));
    let output = command.arg("replay").args(arguments).env_clear().output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    if output.status.success() { Ok(text(output.stdout)) } else { Err(text(output.stderr)) }
}

#[test]
fn the_readme_shows_what_the_limiters_do() {
    let table = replay(&["--scenario", "all"]).unwrap();
    assert!(table.lines().count() == 12, "{table}");
    assert!(include_str!("../../README.md").contains(&table), "the README has another table than this:\n{table}");
    let dir = folder();
    let picture = dir.path().join("crowd.svg");
    replay(&["--scenario", "crowd_3h", "--limiter", "off,ema,surge", "--plot", picture.to_str().unwrap()]).unwrap();
    let drawn = std::fs::read_to_string(picture).unwrap();
    assert!(drawn == include_str!("../../.github/crowd.svg"), "the README has another picture than is drawn now");
}

#[test]
fn a_history_is_read_from_a_file_and_told_as_json_with_every_post() {
    let dir = folder();
    let file = dir.path().join("ratings.csv");
    let rows = (0..30).map(|i| format!("a,{}.5,4,honest\nb,2026-05-01T12:00:00.{i:03}Z,1,brigade", 1_000 + 60 * i));
    let lines: Vec<String> = std::iter::once("post,time,rating,kind".to_owned()).chain(rows).collect();
    std::fs::write(&file, lines.join("\n")).unwrap();
    let file = file.to_str().unwrap();
    let json: serde_json::Value = serde_json::from_str(
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
    let both = replay(&[file, "--limiter", "off,leaky_bucket", "--param", "leaky_bucket.capacity=1"]).unwrap();
    assert!(both.contains("| `off` | `leaky_bucket` |") && both.contains("100.00 %"), "{both}");
}

#[test]
fn what_cannot_be_replayed_is_said_in_a_line() {
    let dir = folder();
    let file = dir.path().join("ratings.csv");
    std::fs::write(&file, "post,time,rating\na,1,5\na,2,9\n").unwrap();
    let file = file.to_str().unwrap();
    let line = |arguments: &[&str], part: &str| {
        let error = replay(arguments).unwrap_err();
        assert!(error.contains(part) && error.lines().count() == 1, "{error}");
    };
    line(&[file], "line 3: the rating is \"9\" but must be 1 to 5");
    line(&["nowhere.csv"], "cannot read nowhere.csv");
    line(&["--scenario", "flood"], "there is no scenario \"flood\": see --scenario list");
    line(&["--scenario", "all", "--plot", "x.svg"], "--plot draws one scenario");
    line(&["--scenario", "steady", "--limiter", "sieve"], "there is no limiter \"sieve\"");
    line(&["--scenario", "steady", "--param", "floor=3"], "which limiter's?");
    line(&["--scenario", "steady", "--param", "surge.floor=1"], "floor must be a number, at least 2");
    line(&["--scenario", "steady", "--limiter", "off", "--param", "ema.alpha=1"], "that limiter is not replayed");
    assert!(replay(&["--scenario", "list"]).unwrap().contains("crowd_10min"));
    assert!(replay(&[]).unwrap_err().contains("<FILE>"));
}
