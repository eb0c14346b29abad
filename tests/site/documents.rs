//! Checks of the documentation against the code: limits, test names, tables and links.

use std::collections::BTreeMap;

use evenkeel::server::declare_routes;
use evenkeel_limiters::{AnyLimiter, AnyState, EmaOriginalState, Event, Limiter as _};
use serde_json::{Value, json};

use crate::architecture::{files, root};
use crate::support::{DatabaseLease, TestSite, tables};

const LIMITS: &str = include_str!("../../docs/reference/limits.md");
const SECURITY: &str = include_str!("../../docs/topics/security.md");
const ASVS: &str = include_str!("../../docs/reference/asvs.md");

/// Rows of the Markdown table with this header, split into cells.
fn rows(document: &'static str, header: &str) -> Vec<Vec<&'static str>> {
    let table = document.split_once(header).unwrap_or_else(|| panic!("no table {header}")).1;
    let lines = table.lines().skip(2).take_while(|line| line.starts_with('|'));
    lines.map(|line| line.trim_matches('|').split('|').map(str::trim).collect()).collect()
}

/// Returns the largest number in a text: the documented maximum.
fn most(text: &str) -> usize {
    let numbers = text.replace(',', "");
    let numbers = numbers.split(|c: char| !c.is_ascii_digit()).filter_map(|digits| digits.parse().ok());
    numbers.max().unwrap()
}

#[actix_web::test]
async fn fields_accept_exactly_the_documented_values() {
    let site = TestSite::start_with(&[("SIGN_IN_THROTTLE", "off")], 1).await;
    let ann = site.user("ann").await;
    let documented = rows(LIMITS, "| field | allowed |");
    let cell = |field: &str| {
        let row = documented.iter().find(|row| row[0].split(", ").any(|name| name.trim_matches('`') == field));
        row.unwrap_or_else(|| panic!("docs/reference/limits.md lacks {field}"))[1]
    };
    let post = |field: &str, value: Value| {
        let mut post = json!({ "title": "T", "content": "C" });
        post[field] = value;
        post
    };
    let long = |count: usize| "x".repeat(count);
    let picture = |count: usize| format!("https://example.org/{}", long(count - 20));
    let tag = most(cell("tags"));
    let tags = |count: usize| (0..count).map(|n| n.to_string()).collect::<Vec<_>>();
    for (path, fits, does_not) in [
        (
            "/blogs/create/",
            post("title", json!(long(most(cell("title"))))),
            post("title", json!(long(most(cell("title")) + 1))),
        ),
        (
            "/blogs/create/",
            post("content", json!(long(most(cell("content"))))),
            post("content", json!(long(most(cell("content")) + 1))),
        ),
        ("/blogs/create/", post("tags", json!([long(tag)])), post("tags", json!([long(tag + 1)]))),
        ("/blogs/create/", post("tags", json!(tags(10))), post("tags", json!(tags(11)))),
        (
            "/blogs/create/",
            post("excerpt", json!(long(most(cell("excerpt"))))),
            post("excerpt", json!(long(most(cell("excerpt")) + 1))),
        ),
        (
            "/blogs/create/",
            post("cover", json!(picture(most(cell("cover"))))),
            post("cover", json!(picture(most(cell("cover")) + 1))),
        ),
    ] {
        ann.post(path, &fits).await.expect(201);
        ann.post(path, &does_not).await.expect_problem(400, "invalid");
    }
    assert!(cell("tags").starts_with("up to 10,"));
    let profile: Vec<usize> = cell("about").split(';').map(most).collect();
    let body = |name: usize, about: usize| json!({ "display_name": long(name), "about": long(about), "link": "" });
    ann.post("/users/profile/", &body(profile[0], profile[1])).await.expect(200);
    ann.post("/users/profile/", &body(profile[0] + 1, profile[1])).await.expect_problem(400, "invalid");
    ann.post("/users/profile/", &body(profile[0], profile[1] + 1)).await.expect_problem(400, "invalid");
    let account =
        |name: String, password: String| json!({ "username": name, "email": "a@example.org", "password": password });
    let (name, password) = (most(cell("username")), most(cell("password")));
    let strong = |count: usize| "four grey herons wait ".chars().cycle().take(count).collect::<String>();
    site.guest().post("/users/register/", &account(long(name), strong(password))).await.expect(201);
    site.guest().post("/users/register/", &account(long(name + 1), strong(30))).await.expect_problem(400, "invalid");
    site.guest()
        .post("/users/register/", &account("bob".to_owned(), strong(password + 1)))
        .await
        .expect_problem(400, "invalid");
    site.guest()
        .post("/users/register/", &account("bob".to_owned(), "Qz7!fwK".to_owned()))
        .await
        .expect_problem(400, "invalid");
}

#[actix_web::test]
async fn every_table_has_a_documented_data_class() {
    let lease = DatabaseLease::take().await;
    let pool = sqlx::PgPool::connect_lazy_with(lease.options.clone());
    let classes = rows(SECURITY, "| class of data | contents |");
    let named: Vec<&str> =
        classes.iter().flat_map(|row| row[2].split(", ").map(|name| name.trim_matches('`'))).collect();
    for table in tables(&pool).await {
        assert!(named.contains(&table.as_str()), "{table} is in no class of docs/topics/security.md");
    }
}

#[test]
fn documented_tests_exist() {
    let tests = format!("{}{}{}", sources("tests"), sources("src"), sources("crates"));
    let sources = include_str!("../../docs/topics/sources.md");
    let document = format!("{SECURITY}{ASVS}{sources}");
    let names = document.split('`').skip(1).step_by(2).map(|name| name.rsplit("::").next().unwrap());
    let is_test = |name: &&str| {
        name.matches('_').count() >= 3
            && !name.starts_with("evenkeel_")
            && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
    };
    let missing: Vec<&str> = names.filter(is_test).filter(|name| !tests.contains(&format!("fn {name}("))).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn asvs_summary_matches_its_rows() {
    let verdicts = ["yes", "no", "n/a", "operator"];
    let mut counted = BTreeMap::<(String, &str), [usize; 4]>::new();
    for line in ASVS.lines() {
        let [id, level, _, holds, how] = line.trim_matches('|').split(" | ").map(str::trim).collect::<Vec<_>>()[..]
        else {
            continue;
        };
        let Some(verdict) = verdicts.iter().position(|verdict| *verdict == holds) else { continue };
        assert!(!how.is_empty(), "{id} does not say how");
        let chapter = format!("V{}", id.split('.').next().unwrap());
        for of in [chapter, "**all**".to_owned()] {
            counted.entry((of, level)).or_default()[verdict] += 1;
        }
    }
    for row in rows(ASVS, "| chapter of ASVS | level 1: yes") {
        for (level, summary) in [("1", row[1]), ("2", row[2])] {
            let of = (row[0].split(' ').next().unwrap().to_owned(), level);
            let counts = counted.get(&of).copied().unwrap_or_default();
            let counts = counts.map(|count| count.to_string()).join(" · ");
            assert_eq!(summary.trim_matches('*'), counts, "level {level} of {}", row[0]);
        }
    }
    let [yes, no, _, operator] = counted[&("**all**".to_owned(), "2")];
    let (able, all) = (yes + no, yes + no + operator);
    #[expect(clippy::cast_precision_loss, reason = "there are few")]
    let share = 100.0 * yes as f64 / able as f64;
    let summary = format!(
        "**{yes} of the {able} requirements that the program itself can meet, {share:.1} %**. Of the {all} requirements that \
         apply, {operator}"
    );
    assert!(ASVS.contains(&summary), "{summary}");
}

/// Heading ID as mdBook and code hosting sites generate it.
fn anchor(heading: &str) -> String {
    let characters = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    characters.collect::<String>().trim().to_lowercase().replace(' ', "-")
}

/// Targets of inline links and images in a Markdown text, except links to other sites.
fn links(text: &str) -> Vec<String> {
    let mut is_code = false;
    let prose = text.lines().filter(|line| {
        is_code ^= line.trim_start().starts_with("```");
        !is_code
    });
    let outside_of_code = |line: &str| line.split('`').step_by(2).collect::<String>();
    let targets = prose.map(outside_of_code).collect::<Vec<_>>().join("\n");
    let targets = targets.split("](").skip(1).filter_map(|rest| Some(rest.split_once(')')?.0.to_owned()));
    targets.filter(|target| !target.contains("://")).collect()
}

#[test]
fn links_in_the_documentation_resolve() {
    let folders = ["docs", "crates", "locales"].map(|folder| files(&root().join(folder), "md"));
    let top = ["README.md", "SECURITY.md", "CONTRIBUTING.md"].map(|name| root().join(name));
    let mut count = 0;
    for file in folders.into_iter().flatten().chain(top) {
        let text = std::fs::read_to_string(&file).unwrap();
        let folder = file.parent().unwrap();
        for link in links(&text) {
            let (path, fragment) = link.split_once('#').unwrap_or((&link, ""));
            let target = if path.is_empty() { file.clone() } else { folder.join(path) };
            assert!(target.exists(), "{}: {link} does not exist", file.display());
            let target = target.canonicalize().unwrap();
            let book = root().join("docs");
            let leaves = file.starts_with(&book) && !target.starts_with(book.canonicalize().unwrap());
            assert!(!leaves, "{}: {link} leads out of the book; name the file in code style instead", file.display());
            if !fragment.is_empty() {
                let page = std::fs::read_to_string(&target).unwrap();
                let mut headings = page.lines().filter(|line| line.starts_with('#'));
                let is_there = headings.any(|line| anchor(line.trim_start_matches('#')) == fragment);
                assert!(is_there, "{}: no heading of {path} is #{fragment}", file.display());
            }
            count += 1;
        }
    }
    assert!(count > 100, "{count}");
}

#[test]
fn source_files_named_in_the_documentation_exist() {
    let folders = ["docs", "crates", "locales"].map(|folder| files(&root().join(folder), "md"));
    let top = ["README.md", "SECURITY.md", "CONTRIBUTING.md"].map(|name| root().join(name));
    let mut count = 0;
    for file in folders.into_iter().flatten().chain(top) {
        let text = std::fs::read_to_string(&file).unwrap();
        for path in text.split('`').skip(1).step_by(2).filter(|code| code.starts_with("src/") && !code.contains(' ')) {
            let path = path.split_once('*').map_or(path, |(folder, _)| folder);
            let exists = root().join(path).exists() || root().join(format!("{path}.rs")).exists();
            assert!(exists, "{}: {path} does not exist", file.display());
            count += 1;
        }
    }
    assert!(count > 50, "{count}");
}

#[test]
fn every_page_is_in_the_summary() {
    let summary = include_str!("../../docs/SUMMARY.md");
    let docs = root().join("docs");
    for file in files(&docs, "md") {
        let path = file.strip_prefix(&docs).unwrap().to_str().unwrap();
        assert!(path == "SUMMARY.md" || summary.contains(&format!("({path})")), "docs/SUMMARY.md lacks {path}");
    }
}

/// The first three scenarios of the test vectors of `ema_original`, as rows of the documentation.
#[test]
fn documentation_compares_the_original_ema_limiter_with_ema() {
    #[derive(serde::Deserialize)]
    struct Scenario {
        name: String,
        gaps_ms: Vec<i64>,
    }
    let scenarios = include_str!("../../crates/limiters/tests/limiters/ema-original-vectors.json");
    let scenarios: Vec<Scenario> = serde_json::from_str(scenarios).unwrap();
    let refused = |limiter: &str, gaps: &[i64]| {
        let limiter = AnyLimiter::by_name(limiter, json!({})).unwrap().unwrap();
        let initial = match limiter {
            // The first gap begins with the post.
            AnyLimiter::EmaOriginal(_) => limiter.restore(json!(EmaOriginalState::created_at(0))).unwrap(),
            _ => AnyState::default(),
        };
        let (mut state, mut now) = (initial, 0);
        let refused = gaps.iter().filter(|gap| {
            now += **gap;
            !limiter.check(&mut state, Event::at_unix_millis(now)).unwrap().allowed
        });
        refused.count()
    };
    for Scenario { name, gaps_ms } in &scenarios[..3] {
        let [original, ema] = ["ema_original", "ema"].map(|limiter| refused(limiter, gaps_ms));
        let row = format!("| {name} | {} | {original} | {ema} |", gaps_ms.len());
        assert!(include_str!("../../docs/topics/ema-original.md").contains(&row), "{row}");
    }
}

#[test]
fn every_error_code_and_metric_is_documented() {
    let errors = include_str!("../../docs/reference/errors.md");
    let metrics = include_str!("../../docs/reference/metrics.md");
    let sources = sources("src");
    let codes = sources.split("error_text(").skip(1).filter_map(|rest| {
        let (status, rest) = rest.split_once(',')?;
        status.trim().parse::<u16>().ok()?;
        rest.trim_start().strip_prefix('"')?.split_once('"').map(|(code, _)| code)
    });
    let mut count = 0;
    for code in codes {
        assert!(errors.contains(&format!("`{code}`")), "docs/reference/errors.md lacks {code}");
        count += 1;
    }
    assert!(count > 40, "{count}");
    let collect = std::fs::read_to_string(root().join("src/server/metrics/collect.rs")).unwrap();
    let names: Vec<&str> = collect
        .split("registry.register")
        .skip(1)
        .filter_map(|rest| rest.trim_start_matches("_with_unit").trim_start_matches(['(', ' ', '\n']).strip_prefix('"'))
        .filter_map(|rest| rest.split_once('"').map(|(name, _)| name))
        .filter(|name| !name.starts_with("process_"))
        .collect();
    assert!(names.len() > 15, "{names:?}");
    for name in names {
        assert!(metrics.contains(&format!("`evenkeel_{name}")), "docs/reference/metrics.md lacks {name}");
    }
}

#[test]
fn every_alert_has_instructions() {
    let alerts = std::fs::read_to_string(root().join("deploy/prometheus/alerts.yml")).unwrap();
    let guide = std::fs::read_to_string(root().join("docs/how-to/alerts.md")).unwrap();
    let names: Vec<&str> = alerts.lines().filter_map(|line| line.trim().strip_prefix("- alert: ")).collect();
    let headings: Vec<&str> = guide.lines().filter_map(|line| line.strip_prefix("## ")).collect();
    assert!(names.len() > 10);
    assert_eq!(headings, names);
    let severities =
        alerts.lines().filter_map(|line| line.split_once("severity: ")).map(|(_, rest)| rest.trim_end_matches(" }"));
    for (name, severity) in names.iter().zip(severities) {
        assert!(guide.contains(&format!("## {name}\n\nSeverity: {severity}.")), "{name}");
    }
}

#[test]
fn documented_values_match_the_code() {
    let settings = evenkeel::server::Settings::from_env(&std::iter::empty::<(&str, String)>().collect()).unwrap();
    let days = |duration: std::time::Duration| duration.as_secs() / 86_400;
    let (idle, absolute) = (days(settings.users.session_idle), days(settings.users.session_absolute));
    for (document, said) in [
        (SECURITY, format!("A session ends {idle} days after it was last used, and {absolute} days after it began")),
        (LIMITS, format!("up to {} MiB and", evenkeel::web::request::upload::MAX_FILE_BYTES >> 20)),
    ] {
        assert!(document.contains(&said), "{said}");
    }
}

/// Concatenated Rust sources of a directory.
fn sources(folder: &str) -> String {
    let files = files(&root().join(folder), "rs");
    files.iter().map(|file| std::fs::read_to_string(file).unwrap()).collect::<Vec<_>>().concat()
}

/// Common errors, which `docs/reference/http-api.md` explains.
const COMMON_ERRORS: [&str; 12] = [
    "blocked",
    "class_limited",
    "invalid",
    "key_reused",
    "malformed",
    "not_found",
    "not_signed_in",
    "request_in_progress",
    "response_lost",
    "role_needed",
    "scope_needed",
    "session_needed",
];

/// Row of the table of operations.
fn operation_row(document: &Value, name: &str, operation: &Value) -> String {
    let code = |names: Vec<String>| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let parameters = operation["parameters"].as_array().into_iter().flatten();
    let query = parameters.filter(|parameter| parameter["in"] == "query");
    let query = query.map(|parameter| format!("?{}=", parameter["name"].as_str().unwrap()));
    let bodies = operation["requestBody"]["content"].as_object().into_iter().flatten();
    let (required, optional): (Vec<_>, Vec<_>) = bodies
        .flat_map(|(_, body)| {
            let name = body["schema"]["$ref"].as_str().unwrap().rsplit('/').next().unwrap();
            let schema = &document["components"]["schemas"][name];
            let required = schema["required"].as_array().unwrap();
            let names = schema["properties"].as_object().unwrap().keys();
            names.map(|name| (name.clone(), required.iter().any(|known| known == name)))
        })
        .partition(|(_, is_required)| *is_required);
    let general = document["components"]["responses"]["Error"]["x-codes"].as_array().unwrap();
    let responses = operation["responses"].as_object().unwrap().values();
    let codes = responses.flat_map(|response| response["x-codes"].as_array().into_iter().flatten());
    let codes = codes.filter(|code| !general.contains(code) && !COMMON_ERRORS.contains(&code.as_str().unwrap()));
    let ways = operation["security"].as_array().unwrap().iter();
    let scopes = ways.filter_map(|way| way["token"][0].as_str()).map(str::to_owned).take(1);
    let about = text(&operation["description"]);
    let about = about.split("API tokens need the scope").next().unwrap().split("Rate class").next().unwrap();
    let cells = [
        format!("`{name}`"),
        format!("{}. {about}", text(&operation["summary"])).trim().to_owned(),
        code(scopes.collect()),
        code(required.into_iter().map(|(name, _)| name).collect()),
        code(query.chain(optional.into_iter().map(|(name, _)| name)).collect()),
        code(codes.map(text).collect()),
    ];
    format!("| {} |", cells.join(" | "))
}

/// Table of the operations of the API with a tag.
fn operation_table(document: &Value, tag: &str) -> String {
    let mut rows = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for method in ["get", "post", "put"] {
            if item[method]["tags"][0] == tag {
                rows.push(operation_row(document, &format!("{} {path}", method.to_uppercase()), &item[method]));
            }
        }
    }
    let head = "| operation | description | scope | required fields | optional fields and query parameters | errors |";
    format!("## {tag}\n\n{head}\n|---|---|---|---|---|---|\n{}\n", rows.join("\n"))
}

/// `INSTA_UPDATE=always` updates the page.
#[test]
fn page_of_api_operations_is_up_to_date() {
    declare_routes();
    let document = evenkeel::api::document();
    // The page about webhooks lists the requests that the site sends.
    let tags = document["tags"].as_array().unwrap().iter().filter(|tag| tag["name"] != "Webhooks");
    let tables: Vec<String> = tags.map(|tag| operation_table(&document, tag["name"].as_str().unwrap())).collect();
    let path = root().join("docs/reference/operations.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let (introduction, _) = page.split_once("## ").unwrap();
    let current = format!("{introduction}{}", tables.join("\n"));
    if std::env::var("INSTA_UPDATE").is_ok_and(|update| update == "always") {
        return std::fs::write(&path, &current).unwrap();
    }
    assert!(page == current, "docs/reference/operations.md is out of date; set INSTA_UPDATE=always to update it");
}

/// Generators of clients name functions after the ids of operations.
#[test]
fn every_api_operation_has_its_own_id() {
    declare_routes();
    let document = evenkeel::api::document();
    let paths = document["paths"].as_object().unwrap().values();
    let operations = paths.flat_map(|path| path.as_object().unwrap().values());
    let mut ids: Vec<&str> = operations.filter_map(|operation| operation["operationId"].as_str()).collect();
    let operations = ids.len();
    ids.sort_unstable();
    let repeated: Vec<_> = ids.windows(2).filter(|pair| pair[0] == pair[1]).collect();
    assert!(repeated.is_empty(), "{repeated:?}");
    assert!(operations > 100, "{operations}");
}
