//! Safe Browsing client, tested against a server that records protocol violations.

mod posts;
mod server;

use std::time::Duration;

use chrono::TimeDelta;
use evenkeel::config::Env;
use evenkeel::db::clock::Clock;
use evenkeel::safe_browsing::settings::Settings;
use evenkeel::safe_browsing::threat_lists::{SafeBrowsing, UpdateOutcome};
use evenkeel::safe_browsing::verdicts::Verdict;
use futures_util::future::join_all;

use self::server::{Encoding, Fault, KEY, Server};
use crate::support::{Program, TestSite, reachable_tempdir};

const BAD: &str = "http://bad.example/deep/page.html?q=1";
const GOOD: &str = "http://good.example/";

struct Setup {
    site: TestSite,
    server: Server,
}

impl Setup {
    async fn new() -> Self {
        let site = TestSite::start().await;
        let server = Server::start(&site.site().state.clock);
        Self { site, server }
    }

    fn clock(&self) -> &Clock {
        &self.site.site().state.clock
    }

    /// Creates the Safe Browsing client of an instance that has just started.
    async fn client(&self) -> SafeBrowsing {
        self.client_with(&[]).await
    }

    async fn client_with(&self, more: &[(&'static str, &str)]) -> SafeBrowsing {
        self.client_of(self.settings(more)).await
    }

    fn settings(&self, more: &[(&'static str, &str)]) -> Settings {
        let url = format!("http://{}/", self.server.address);
        let env: Env = [("SAFE_BROWSING_KEY", KEY), ("SAFE_BROWSING_URL", &url), ("SAFE_BROWSING_LISTS", "MALWARE")]
            .into_iter()
            .chain(more.iter().copied())
            .collect();
        Settings::from_env(&env).unwrap().unwrap()
    }

    async fn client_of(&self, settings: Settings) -> SafeBrowsing {
        let client = SafeBrowsing::new(settings, self.site.pool.clone(), self.clock().clone()).unwrap();
        client.load_lists_after_start().await.unwrap();
        client
    }

    /// Waits until an update is due and runs it. Returns false if the update fails.
    async fn update(&self, client: &SafeBrowsing) -> bool {
        loop {
            match client.update().await {
                Ok(UpdateOutcome::Done) => return true,
                Ok(UpdateOutcome::Wait { until }) => self.site.advance_clock(until - self.clock().now().unwrap()),
                Err(error) => {
                    assert!(!format!("{error} {error:?} {client:?}").contains(KEY));
                    return false;
                }
            }
        }
    }

    async fn verdict(&self, client: &SafeBrowsing, address: &str) -> Verdict {
        client.check(&[address.to_owned()]).await.unwrap().remove(0)
    }
}

fn is_suspected(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Flagged { threat_type, .. } if threat_type == "MALWARE")
}

#[actix_web::test]
async fn threat_lists_update_in_all_encodings_and_survive_restarts() {
    let setup = Setup::new().await;
    let client = setup.client().await;
    // The first update is delayed, and a list that was never loaded flags no URL.
    assert!(matches!(client.update().await.unwrap(), UpdateOutcome::Wait { .. }));
    assert_eq!(setup.verdict(&client, BAD).await, Verdict::Safe);
    for (encoding, named) in [
        (Encoding::Raw, &[(BAD, 4), ("http://other.example/", 4), ("http://long.example/", 32)][..]),
        (
            Encoding::Rice,
            &[(BAD, 4), ("http://third.example/", 4), ("http://fourth.example/", 4), ("http://fifth.example/", 7)],
        ),
        (Encoding::Rice, &[("http://third.example/", 4)]),
        (Encoding::Raw, &[(BAD, 5), (GOOD, 4)]),
        (Encoding::Raw, &[]),
        (Encoding::Rice, &[(BAD, 4)]),
    ] {
        setup.server.books().encoding = encoding;
        setup.server.books().name(named);
        assert!(setup.update(&client).await);
        let (lists, _) = client.status().await.unwrap();
        assert_eq!(lists[0].prefixes, named.len());
        // Another instance, or a restarted one, loads the list from the database without a request to the server.
        let other = setup.client().await;
        assert_eq!(other.status().await.unwrap().0[0].prefixes, named.len());
    }
    let books = setup.server.books();
    assert!(books.complaints.is_empty(), "{:?}", books.complaints);
    // The first update transfers the whole list. Later updates send the client state to get only the changes.
    let states: Vec<&str> =
        books.list_updates.iter().map(|body| body["listUpdateRequests"][0]["state"].as_str().unwrap()).collect();
    assert_eq!(states, ["", "1", "2", "3", "4", "5"]);
}

#[actix_web::test]
async fn full_hashes_are_requested_once_for_all_instances() {
    let setup = Setup::new().await;
    let (first, second) = (setup.client().await, setup.client().await);
    setup.server.books().name(&[("http://bad.example/deep/", 4)]);
    setup.server.books().tease(GOOD);
    assert!(setup.update(&first).await);
    second.load().await.unwrap();
    setup.site.advance_clock(TimeDelta::minutes(1));
    assert!(is_suspected(&setup.verdict(&first, BAD).await));
    assert!(is_suspected(&setup.verdict(&second, BAD).await));
    assert_eq!(setup.server.books().full_hash_requests.len(), 1);
    // The server permits no full-hash request for half an hour. Until then, verdicts that need a request are unknown.
    assert_eq!(setup.verdict(&first, GOOD).await, Verdict::Unknown);
    assert_eq!(setup.verdict(&first, "http://elsewhere.example/").await, Verdict::Safe);
    setup.site.advance_clock(TimeDelta::minutes(30));
    // The cached response for `BAD` has expired, so one request asks for both URLs.
    let verdicts = first.check(&[BAD.to_owned(), GOOD.to_owned()]).await.unwrap();
    assert!(is_suspected(&verdicts[0]) && verdicts[1] == Verdict::Safe, "{verdicts:?}");
    assert_eq!(setup.verdict(&second, GOOD).await, Verdict::Safe);
    let books = setup.server.books();
    assert_eq!((books.full_hash_requests.len(), &books.complaints), (2, &Vec::new()));
    assert_eq!(books.full_hash_requests[1]["threatInfo"]["threatEntries"].as_array().unwrap().len(), 2);
    let requests = format!("{:?}{:?}", books.list_updates, books.full_hash_requests);
    assert!(!requests.contains("bad.example") && !requests.contains("deep"), "{requests}");
}

#[actix_web::test]
async fn failed_updates_back_off_and_recover() {
    let setup = Setup::new().await;
    let mut client = setup.client().await;
    setup.server.books().name(&[(BAD, 4)]);
    assert!(setup.update(&client).await);
    let faults =
        [Fault::Status(503), Fault::Garbage, Fault::Cut, Fault::Status(400), Fault::Status(204), Fault::Status(302)];
    setup.server.books().faults.extend(faults);
    for fault in faults {
        assert!(!setup.update(&client).await, "{fault:?}");
        // A restart does not shorten the backoff.
        client = setup.client().await;
        // The loaded list is kept, although a list that was not confirmed for a day flags no URL.
        assert_eq!(client.status().await.unwrap().0[0].prefixes, 1);
    }
    let start = setup.clock().now().unwrap();
    assert!(setup.update(&client).await);
    let waited = setup.clock().now().unwrap() - start;
    assert!((TimeDelta::hours(8)..=TimeDelta::hours(16)).contains(&waited), "{waited}");
    // A list with a wrong checksum is discarded, and the next update requests the whole list.
    setup.server.books().faults.push_back(Fault::WrongChecksum);
    assert!(setup.update(&client).await);
    assert_eq!(client.status().await.unwrap().0[0].prefixes, 0);
    assert_eq!(setup.verdict(&client, BAD).await, Verdict::Safe);
    assert!(setup.update(&client).await);
    assert_eq!(setup.server.books().list_updates.last().unwrap()["listUpdateRequests"][0]["state"], "");
    assert_eq!(client.status().await.unwrap().0[0].prefixes, 1);
    assert!(is_suspected(&setup.verdict(&client, BAD).await));
    // The list was not confirmed for more than a day, so it flags no URL.
    setup.site.advance_clock(TimeDelta::hours(25));
    assert_eq!(setup.verdict(&client, BAD).await, Verdict::Safe);
    assert_eq!(setup.server.books().complaints, Vec::<String>::new());
}

#[actix_web::test]
async fn instances_share_one_request_pace_even_if_one_dies() {
    let setup = Setup::new().await;
    let clients = join_all((0..5).map(|_| setup.client())).await;
    setup.server.books().name(&[(BAD, 4)]);
    // All instances try to update at the earliest permitted moment, and one of them sends a request.
    assert!(setup.update(&clients[0]).await);
    for _ in 0..4 {
        setup.site.advance_clock(TimeDelta::minutes(30));
        join_all(clients.iter().map(SafeBrowsing::update)).await;
    }
    assert_eq!(setup.server.books().list_updates.len(), 5);
    // Simulates an instance that stopped during a request: when its lease expires, the request counts as failed.
    setup.site.advance_clock(TimeDelta::minutes(30));
    sqlx::query("update request_paces set leased_until = $1")
        .bind(setup.clock().now().unwrap() + TimeDelta::minutes(2))
        .execute(&setup.site.pool)
        .await
        .unwrap();
    assert!(matches!(clients[1].update().await.unwrap(), UpdateOutcome::Wait { .. }));
    setup.site.advance_clock(TimeDelta::minutes(2));
    let UpdateOutcome::Wait { until } = clients[1].update().await.unwrap() else { panic!("too early") };
    let wait = until - setup.clock().now().unwrap();
    assert!((TimeDelta::minutes(15)..=TimeDelta::minutes(30)).contains(&wait), "{wait}");
    assert!(setup.update(&clients[2]).await);
    assert_eq!(setup.server.books().complaints, Vec::<String>::new());
}

#[actix_web::test]
async fn list_size_limit_and_partial_updates_are_respected() {
    let setup = Setup::new().await;
    let sizes = [("SAFE_BROWSING_MAX_UPDATE", "1024"), ("SAFE_BROWSING_MAX_ENTRIES", "2048")];
    let client = setup.client_with(&sizes).await;
    setup.server.books().fill(3_000);
    for count in [1_024, 2_048, 2_048] {
        assert!(setup.update(&client).await);
        assert_eq!(client.status().await.unwrap().0[0].prefixes, count);
    }
    assert_eq!(setup.server.books().complaints, Vec::<String>::new());
}

#[actix_web::test]
async fn slow_response_counts_as_failure() {
    let setup = Setup::new().await;
    setup.server.books().name(&[(BAD, 4)]);
    let client = setup.client_of(Settings { request_timeout: Duration::from_millis(50), ..setup.settings(&[]) }).await;
    setup.server.books().faults.push_back(Fault::Held);
    assert!(!setup.update(&client).await);
    let UpdateOutcome::Wait { until } = client.update().await.unwrap() else { panic!("too early") };
    let wait = until - setup.clock().now().unwrap();
    assert!((TimeDelta::minutes(15)..=TimeDelta::minutes(30)).contains(&wait), "{wait}");
    // After the backoff, an update succeeds. The test server counts a response that was sent too late as a success.
    setup.server.release();
    let client = setup.client().await;
    setup.site.advance_clock(TimeDelta::minutes(30));
    assert!(setup.update(&client).await);
    assert_eq!(setup.server.books().complaints, Vec::<String>::new());
}

#[actix_web::test]
async fn waits_that_the_server_requests_are_kept_and_stored_backoffs_end_within_a_day() {
    let setup = Setup::new().await;
    let client = setup.client().await;
    setup.server.books().name(&[(BAD, 4)]);
    let day = TimeDelta::hours(24);
    let wait = async |client: &SafeBrowsing| {
        let UpdateOutcome::Wait { until } = client.update().await.unwrap() else { panic!("too early") };
        until - setup.clock().now().unwrap()
    };
    for seconds in [86_401, 30 * 86_400] {
        setup.server.books().wait_s = seconds;
        assert!(setup.update(&client).await);
        assert_eq!(wait(&client).await, TimeDelta::seconds(seconds), "{seconds}");
        setup.site.advance_clock(TimeDelta::seconds(seconds - 1));
        assert_eq!(wait(&client).await, TimeDelta::seconds(1), "{seconds}");
        setup.site.advance_clock(TimeDelta::seconds(1));
    }
    // A wait that is longer than the calendar ends when a person deletes it.
    setup.server.books().wait_s = 9_000_000_000_000;
    assert!(setup.update(&client).await);
    setup.site.advance_clock(TimeDelta::days(3_650));
    assert!(wait(&client).await > TimeDelta::days(3_650) && wait(&setup.client().await).await > day);
    sqlx::query("delete from request_paces").execute(&setup.site.pool).await.unwrap();
    setup.server.books().wait_s = 60;
    // The client recovers within a day from stored states that the program itself never writes.
    for (state, leased_until) in [
        (r#"{"set_ms": 0, "delay_ms": 9000000000000000, "n": 1, "mode": "backoff"}"#, None),
        (r#"{"set_ms": 9223372036854775807, "delay_ms": 9223372036854775807, "n": 1, "mode": "backoff"}"#, None),
        (r#"{"set_ms": 0, "delay_ms": 0, "n": 0, "mode": "free"}"#, Some("infinity")),
        (r#"{"set_ms": 0, "delay_ms": 0, "n": 0, "mode": "free"}"#, Some("-infinity")),
    ] {
        let store = "update request_paces set state = $1::jsonb, leased_until = $2::timestamptz";
        sqlx::query(store).bind(state).bind(leased_until).execute(&setup.site.pool).await.unwrap();
        let restarted = setup.client().await;
        restarted.status().await.unwrap();
        assert!(wait(&restarted).await <= day, "{state}");
        setup.site.advance_clock(day);
        assert!(setup.update(&restarted).await, "{state}");
    }
    assert_eq!(setup.server.books().complaints, Vec::<String>::new());
}

#[actix_web::test]
async fn verdict_is_cached_for_at_most_a_day() {
    let setup = Setup::new().await;
    let client = setup.client().await;
    {
        let mut books = setup.server.books();
        books.name(&[(BAD, 4)]);
        books.tease(GOOD);
        books.negative_s = 9_000_000_000_000;
        books.positive_s = 9_000_000_000_000;
        books.find_wait_s = 86_400;
    }
    assert!(setup.update(&client).await);
    setup.site.advance_clock(TimeDelta::minutes(1));
    let verdicts = client.check(&[BAD.to_owned(), GOOD.to_owned()]).await.unwrap();
    let Verdict::Flagged { until, .. } = verdicts[0] else { panic!("{verdicts:?}") };
    assert_eq!((until - setup.clock().now().unwrap(), &verdicts[1]), (TimeDelta::minutes(30), &Verdict::Safe));
    sqlx::query("update threat_answers set negative_until = 'infinity'").execute(&setup.site.pool).await.unwrap();
    assert_eq!(setup.verdict(&client, GOOD).await, Verdict::Safe);
    // A day later, the client must update the threat list before it uses the list, and the server permits another
    // full-hash request.
    setup.site.advance_clock(TimeDelta::hours(24));
    assert!(setup.update(&client).await);
    assert!(is_suspected(&setup.verdict(&client, BAD).await));
}

#[actix_web::test]
async fn response_that_cannot_be_stored_does_not_count_as_failure() {
    let site = TestSite::fresh(&[], 1).await;
    let server = Server::start(&site.site().state.clock);
    let setup = Setup { site, server };
    let client = setup.client().await;
    assert!(setup.update(&client).await);
    let full = "alter table threat_lists add constraint is_full check (false) not valid";
    sqlx::query(full).execute(&setup.site.pool).await.unwrap();
    assert!(!setup.update(&client).await);
    sqlx::query("alter table threat_lists drop constraint is_full").execute(&setup.site.pool).await.unwrap();
    let pace = "select (state->>'n')::int, leased_until is null from request_paces where method like '%fetch'";
    let (failures, is_free): (i32, bool) = sqlx::query_as(pace).fetch_one(&setup.site.pool).await.unwrap();
    assert_eq!((failures, is_free), (0, true));
    assert!(setup.update(&client).await);
    assert_eq!(setup.server.books().complaints, Vec::<String>::new());
}

#[actix_web::test]
async fn requests_go_through_the_proxy_of_the_environment() {
    let setup = Setup::new().await;
    setup.server.books().name(&[("http://bad.example/deep/", 4)]);
    assert!(setup.update(&setup.client().await).await);
    sqlx::query("update threat_lists set updated_at = clock_timestamp()").execute(&setup.site.pool).await.unwrap();
    let dir = reachable_tempdir();
    let proxy = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let program = Program::new(dir.path())
        .with("DATABASE_URL", &setup.site.lease.url)
        .with("SAFE_BROWSING_KEY", KEY)
        .with("SAFE_BROWSING_URL", "https://threats.example/")
        .with("SAFE_BROWSING_LISTS", "MALWARE")
        .with("HTTPS_PROXY", &format!("http://{}", proxy.local_addr().unwrap()));
    let request = std::thread::spawn(move || {
        let mut line = String::new();
        std::io::BufRead::read_line(&mut std::io::BufReader::new(proxy.accept().unwrap().0), &mut line).unwrap();
        line
    });
    let (succeeded, output) = actix_web::web::block(move || program.run(&["links", "--check", BAD])).await.unwrap();
    assert!(!succeeded, "{output}");
    assert_eq!(request.join().unwrap(), "CONNECT threats.example:443 HTTP/1.1\r\n");
}

#[actix_web::test]
async fn command_checks_urls_from_standard_input() {
    let setup = Setup::new().await;
    setup.server.books().name(&[("http://bad.example/deep/", 4)]);
    assert!(setup.update(&setup.client().await).await);
    // The command reads the time from the database, while the list was updated by the clock of the test.
    sqlx::query("update threat_lists set updated_at = clock_timestamp()").execute(&setup.site.pool).await.unwrap();
    let (dir, url) = (reachable_tempdir(), format!("http://{}/", setup.server.address));
    std::fs::write(dir.path().join("urls"), format!("{BAD}\n\n {GOOD} \nheron\n")).unwrap();
    let program = Program::new(dir.path())
        .with("DATABASE_URL", &setup.site.lease.url)
        .with("SAFE_BROWSING_KEY", KEY)
        .with("SAFE_BROWSING_URL", &url)
        .with("SAFE_BROWSING_LISTS", "MALWARE")
        .with("RUST_LOG", "error");
    let run = move |urls: &str| {
        let mut command = program.command(&["links", "--check", "-"]);
        command.stdin(std::fs::File::open(dir.path().join(urls)).unwrap()).output().unwrap()
    };
    let output = actix_web::web::block(move || run("urls")).await.unwrap();
    let [stdout, stderr] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    let lines: Vec<&str> = stdout.lines().collect();
    assert!(lines[0].starts_with(&format!("{BAD:?} is flagged as MALWARE by ")), "{stdout}{stderr}");
    assert_eq!(lines[1], format!("No threat list contains {GOOD:?}."));
    assert!(lines[2].starts_with("cannot check \"heron\": it is not a valid URL") && lines.len() == 3, "{stdout}");
    assert_eq!(stderr, "evenkeel: 2 of 3 URLs are flagged or could not be checked\n");
    assert!(!output.status.success());
}
