//! Site instances behind a failing proxy, a load generator, and a record of every response.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::{Duration, Instant};

use evenkeel::db::clock::Clock;
use nix::unistd::Pid;
use sqlx::postgres::PgConnectOptions;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;
use tokio::task::JoinHandle;
use tokio::time::sleep;

use super::proxy::Proxy;
use crate::support::{
    Actor, DatabaseLease, Program, RunningProgram, SECRET, TestResponse, TestSite, reachable_tempdir,
};

pub struct Fleet {
    /// Direct access to the database without the proxy, for assertions.
    pub site: TestSite,
    pub proxy: Proxy,
    programs: Vec<Program>,
    running: Vec<Option<RunningProgram>>,
    dir: tempfile::TempDir,
    url: String,
}

impl Fleet {
    /// Starts instances on a new database of the shared test cluster.
    pub async fn start(instances: usize, settings: &[(&'static str, &str)]) -> Self {
        let lease = DatabaseLease::fresh().await;
        Self::with(lease, instances, settings).await
    }

    /// Starts instances on a separate database cluster.
    pub async fn on(options: &PgConnectOptions, instances: usize, settings: &[(&'static str, &str)]) -> Self {
        let lease = DatabaseLease::of_cluster(options).await;
        Self::with(lease, instances, settings).await
    }

    async fn with(lease: DatabaseLease, instances: usize, settings: &[(&'static str, &str)]) -> Self {
        let proxy = Proxy::start(&lease.options).await;
        let (role, database) = (lease.options.get_username(), lease.options.get_database().unwrap());
        let url = format!("postgres://{role}@{}/{database}?sslmode=disable", proxy.address);
        let site = TestSite::start_on(lease, &[], 0, Clock::Database);
        let mut fleet = Self { site, proxy, programs: vec![], running: vec![], dir: reachable_tempdir(), url };
        for _ in 0..instances {
            let program = fleet.program(settings);
            fleet.running.push(Some(program.start().await));
            fleet.programs.push(program);
        }
        fleet
    }

    /// Creates a program for another instance, but does not start it.
    pub fn program(&self, settings: &[(&'static str, &str)]) -> Program {
        let program = Program::new(self.dir.path()).with("DATABASE_URL", &self.url).with("SECRET_KEY", SECRET);
        // The edit limit is off, because the load edits ratings continuously. The short timeout makes instances detect
        // faults sooner.
        let program = program.with("RATING_EDIT_LIMIT", "off").with("DATABASE_TIMEOUT_SECONDS", "2");
        settings.iter().fold(program, |program, (name, value)| program.with(name, value))
    }

    pub fn address(&self, n: usize) -> SocketAddr {
        self.programs[n % self.programs.len()].address
    }

    pub fn addresses(&self) -> Vec<SocketAddr> {
        self.programs.iter().map(|program| program.address).collect()
    }

    pub fn pid(&self, n: usize) -> Pid {
        self.running[n].as_ref().unwrap().pid()
    }

    pub fn log(&self, n: usize) -> String {
        self.programs[n].read("err")
    }

    pub fn kill(&mut self, n: usize) {
        // Dropping `RunningProgram` sends SIGKILL, so the instance cannot shut down cleanly.
        self.running[n] = None;
    }

    pub async fn restart(&mut self, n: usize) {
        self.running[n] = Some(self.programs[n].start().await);
    }

    /// Waits until an instance that received a signal has exited. The wait is blocking and runs on another thread,
    /// because this thread runs the proxy, which the instance needs for its shutdown.
    pub async fn wait(&mut self, n: usize) -> std::process::ExitStatus {
        let mut running = self.running[n].take().unwrap();
        actix_web::rt::task::spawn_blocking(move || running.child.wait().unwrap()).await.unwrap()
    }

    pub async fn crowd(&self, count: usize) -> Vec<Actor> {
        self.site.many_users_at(count, &self.addresses()).await
    }

    /// Creates posts by an author who does not rate.
    pub async fn posts(&self, count: i32) -> Vec<i64> {
        let insert = "with author as (
                insert into users (username, username_key, email, password_hash, created_at)
                values ('author', 'author', 'a@example.com', '!', 'epoch') returning id
            )
            insert into blog_posts (author_id, title, content, created_at, updated_at, published_at)
            select id, 'T', 't', 'epoch', 'epoch', 'epoch' from author, generate_series(1, $1) returning id";
        sqlx::query_scalar(insert).bind(count).fetch_all(&self.site.pool).await.unwrap()
    }

    pub async fn terminate_backends(&self) {
        // The connections of the test itself have another `application_name`.
        let terminate = "select count(pg_terminate_backend(pid)) from pg_stat_activity
            where datname = current_database() and application_name = 'evenkeel'";
        sqlx::query(terminate).execute(&self.site.pool).await.unwrap();
    }

    /// Waits until every instance is ready without a restart.
    pub async fn serves_again(&self, within: Duration) {
        let patience = Instant::now() + within;
        for program in &self.programs {
            let guest = Actor::new(program.address);
            while guest.page("/readyz").await.status != 200 || guest.get("/blogs/").await.status != 200 {
                assert!(Instant::now() < patience, "{}", program.read("err"));
                sleep(Duration::from_millis(10)).await;
            }
        }
    }

    /// Sends a rating and resets the connection after a delay, without reading the response.
    pub async fn reset_after(&self, reader: &Actor, post: i64, milliseconds: u64) {
        let Ok(mut stream) = TcpStream::connect(self.address(0)).await else { return };
        let body = format!("{{\"blog\": {post}, \"rating\": 5}}");
        let cookie = reader.cookie.as_deref().unwrap();
        let head = format!(
            "POST /rate/ HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: {cookie}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        let _ = stream.write_all(format!("{head}{body}").as_bytes()).await;
        sleep(Duration::from_millis(milliseconds)).await;
        let _ = stream.set_zero_linger();
    }

    /// Lets every user create and change ratings, one request at a time, until `Load::stop`.
    pub fn load(&self, crowd: &[Actor], posts: &[i64]) -> Load {
        self.load_at(&self.addresses(), crowd, posts)
    }

    /// Like `load`, with requests to the given addresses.
    pub fn load_at(&self, addresses: &[SocketAddr], crowd: &[Actor], posts: &[i64]) -> Load {
        let shared = Rc::new(Shared::default());
        let readers = crowd.iter().enumerate().map(|(number, reader)| {
            let (shared, reader, posts) = (Rc::clone(&shared), reader.clone(), posts.to_vec());
            let instances = addresses.to_vec();
            actix_web::rt::spawn(async move {
                for turn in number.. {
                    if shared.stop.get() {
                        return;
                    }
                    let (reader, post) =
                        (reader.with_instance(instances[turn % instances.len()]), posts[turn % posts.len()]);
                    act(&shared, &reader, (number, post), i64::try_from(turn * 7 % 5).unwrap() + 1).await;
                }
            })
        });
        let readers = readers.collect();
        // The totals must match the ratings in every snapshot, not only at the end.
        let (watched, pool_site) = (Rc::clone(&shared), self.site.observer());
        let observer = actix_web::rt::spawn(async move {
            while !watched.stop.get() {
                if let Some(drifted) = pool_site.try_posts_with_wrong_totals().await {
                    assert_eq!(drifted, [0; 0]);
                }
                sleep(Duration::from_millis(50)).await;
            }
        });
        Load { shared, readers, observer }
    }

    /// Waits until the instances have recovered, ends the load, and compares the recorded responses with the database.
    pub async fn settle(&mut self, load: Load) -> History {
        self.serves_again(Duration::from_mins(2)).await;
        sleep(Duration::from_millis(200)).await;
        load.is_under_way().await;
        load.stop();
        self.hold_against_the_database(load).await
    }

    pub async fn hold_against_the_database(&self, load: Load) -> History {
        for reader in load.readers {
            reader.await.unwrap();
        }
        load.observer.await.unwrap();
        // A transaction may still be finishing although its client has disconnected.
        let busy = "select count(*) from pg_stat_activity where datname = current_database()
            and application_name = 'evenkeel' and state <> 'idle'";
        while sqlx::query_scalar::<_, i64>(busy).fetch_one(&self.site.pool).await.unwrap() > 0 {
            sleep(Duration::from_millis(10)).await;
        }
        let rows =
            "select substr(username, 7)::bigint, blog_id, rating::bigint from rates join users on users.id = user_id";
        let rows: Vec<(i64, i64, i64)> = sqlx::query_as(rows).fetch_all(&self.site.pool).await.unwrap();
        let truth: BTreeMap<(usize, i64), i64> =
            rows.into_iter().map(|(user, post, stars)| ((usize::try_from(user).unwrap(), post), stars)).collect();
        let history = load.shared.history.take();
        for (pair, belief) in &history.beliefs {
            let stars = truth.get(pair).copied();
            let possible = stars == belief.acknowledged || belief.perhaps.contains(&stars);
            assert!(possible, "{pair:?} has {stars:?}, but {belief:?}");
        }
        assert!(truth.keys().all(|pair| history.beliefs.contains_key(pair)), "a rating that nobody gave");
        assert_eq!(self.site.posts_with_wrong_totals().await, [0; 0]);
        assert!(history.count_status(201) > 0 && history.count_status(200) > 0, "{history:?}");
        assert_eq!(history.count_status(500), 0, "{history:?}");
        history
    }
}

pub struct Load {
    shared: Rc<Shared>,
    readers: Vec<JoinHandle<()>>,
    observer: JoinHandle<()>,
}

impl Load {
    pub fn stop(&self) {
        self.shared.stop.set(true);
    }

    /// Waits until ratings have been created and changed, which takes a while on a busy machine.
    pub async fn is_under_way(&self) {
        let is_there =
            || self.shared.history.borrow().count_status(201) > 0 && self.shared.history.borrow().count_status(200) > 0;
        let patience = Instant::now() + Duration::from_mins(2);
        while !is_there() {
            assert!(Instant::now() < patience, "{:?}", self.shared.history);
            sleep(Duration::from_millis(10)).await;
        }
    }

    /// Number of ratings that were stored so far, according to the responses.
    #[allow(dead_code, reason = "only the test of the failover in `tests/with_programs` uses it")]
    pub fn acknowledged(&self) -> usize {
        let history = self.shared.history.borrow();
        history.count_status(200) + history.count_status(201)
    }

    pub fn answered(&self) -> usize {
        self.shared.history.borrow().statuses.values().sum()
    }
}

#[derive(Default)]
struct Shared {
    stop: Cell<bool>,
    history: RefCell<History>,
}

/// Responses that the users received.
#[derive(Debug, Default)]
pub struct History {
    statuses: BTreeMap<u16, usize>,
    /// Number of requests without a response or with status 503. The outcome of these requests is unknown.
    pub unknown: usize,
    beliefs: BTreeMap<(usize, i64), Belief>,
}

impl History {
    pub fn count_status(&self, status: u16) -> usize {
        self.statuses.get(&status).copied().unwrap_or(0)
    }
}

/// Values that a rating may have in the database, according to the responses. `None` means that there is no rating.
#[derive(Debug, Default)]
struct Belief {
    acknowledged: Option<i64>,
    /// Values that were sent after the last success, but got no response or status 503.
    perhaps: Vec<Option<i64>>,
}

async fn act(shared: &Shared, reader: &Actor, pair: (usize, i64), stars: i64) {
    let known = shared.history.borrow().beliefs.get(&pair).is_some_and(|belief| belief.acknowledged.is_some());
    let body = serde_json::json!({ "blog": pair.1, "rating": stars });
    let is_withdrawal = known && stars == 1;
    let request = if is_withdrawal {
        reader.request("POST", &format!("/rate/withdraw/{}/", pair.1)).json(&serde_json::json!({}))
    } else if known {
        let path = format!("/rate/edit_user_rating/{}/", pair.1);
        reader.request("PUT", &path).json(&serde_json::json!({ "rating": stars }))
    } else {
        reader.request("POST", "/rate/").json(&body)
    };
    let answer = reader.attempt(request).await;
    let status = answer.as_ref().map(|answer| answer.status.as_u16());
    shared.history.borrow_mut().note(pair, (!is_withdrawal).then_some(stars), answer);
    if status.is_none_or(|status| status == 503) {
        // An immediate retry would only use CPU time.
        sleep(Duration::from_millis(20)).await;
    }
}

impl History {
    fn note(&mut self, pair: (usize, i64), stars: Option<i64>, answer: Option<TestResponse>) {
        let status = answer.as_ref().map(|answer| answer.status.as_u16());
        if let Some(status) = status {
            *self.statuses.entry(status).or_default() += 1;
        }
        let belief = self.beliefs.entry(pair).or_default();
        match status {
            Some(200 | 201) => *belief = Belief { acknowledged: stars, perhaps: Vec::new() },
            // A 409 means that one of the attempts without a response was stored, but not which one.
            Some(409) => {
                assert!(belief.acknowledged.is_none(), "{pair:?} was created, although {belief:?}");
                belief.acknowledged = belief.perhaps.iter().rev().copied().flatten().next();
                assert!(belief.acknowledged.is_some(), "a rating that was never given is there already");
            }
            // A 404 means that one of the withdrawals without a response was stored.
            Some(404) => {
                assert!(belief.perhaps.contains(&None), "{pair:?} is gone, although {belief:?}");
                belief.acknowledged = None;
            }
            None | Some(503) => {
                belief.perhaps.push(stars);
                self.unknown += 1;
            }
            Some(status) => panic!("{status}: {:?}", answer.map(|answer| answer.text)),
        }
    }
}
