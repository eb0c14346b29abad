//! Instance of the site inside the test process. The test controls its clock.

use std::collections::BTreeMap;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;

use actix_web::cookie::{Cookie, CookieJar};
use actix_web::dev::ServerHandle;
use chrono::{DateTime, TimeDelta, Utc};
use evenkeel::db::clock::Clock;
use evenkeel::rate::ZombiePauses;
use evenkeel::rate::recount::{ChunkCheckResult, check_all_totals};
use evenkeel::rate_classes::RateClasses;
use evenkeel::server::{Settings, Site, collect_limiter_decision_samples};
use evenkeel::signing::{Keys, SecretKey};
use sha2::{Digest as _, Sha256};
use sqlx::PgPool;
use sqlx::postgres::PgConnectOptions;

use super::{Actor, DatabaseLease, until};

pub const SECRET: &str = "0123456789abcdef0123456789abcdef";

pub type SettingOverrides<'a> = &'a [(&'static str, &'a str)];

pub struct TestSite {
    pub clock: Clock,
    pub pool: PgPool,
    pub lease: DatabaseLease,
    /// Addresses of one or more instances on the same database.
    pub instances: Vec<SocketAddr>,
    sites: Vec<(Site, ServerHandle)>,
}

fn noon() -> DateTime<Utc> {
    DateTime::from_timestamp(1_767_268_800, 0).unwrap()
}

impl TestSite {
    pub async fn start() -> Self {
        Self::start_with(&[], 1).await
    }

    pub async fn start_with(changed: SettingOverrides<'_>, instances: usize) -> Self {
        Self::with_clock(changed, instances, Clock::fixed(noon())).await
    }

    /// Starts instances on a newly created database, for tests that change the schema.
    pub async fn fresh(changed: SettingOverrides<'_>, instances: usize) -> Self {
        Self::start_on(DatabaseLease::fresh().await, changed, instances, Clock::fixed(noon()))
    }

    pub async fn with_clock(changed: SettingOverrides<'_>, instances: usize, clock: Clock) -> Self {
        Self::start_on(DatabaseLease::take().await, changed, instances, clock)
    }

    pub fn start_on(lease: DatabaseLease, changed: SettingOverrides<'_>, instances: usize, clock: Clock) -> Self {
        let pool = PgPool::connect_lazy_with(lease.options.clone());
        let sites: Vec<_> = (0..instances).map(|_| start(changed, &lease.options, &clock)).collect();
        let instances = sites.iter().map(|(address, ..)| *address).collect();
        let sites = sites.into_iter().map(|(_, site, handle)| (site, handle)).collect();
        Self { clock, pool, lease, instances, sites }
    }

    pub fn advance_clock(&self, time: TimeDelta) {
        self.clock.advance(time);
    }

    pub fn classes(&self) -> &RateClasses {
        self.classes_of(0)
    }

    pub fn classes_of(&self, instance: usize) -> &RateClasses {
        self.sites[instance].0.state.rate_classes.as_ref().unwrap()
    }

    /// Number of decisions with an outcome that a limiter of the first instance has made for a class.
    pub fn decision_count(&self, class: &str, limiter: &str, outcome: &str) -> u64 {
        let samples = collect_limiter_decision_samples(&self.sites[0].0.state);
        let named =
            samples.iter().find(|sample| (sample.class, sample.limiter, sample.outcome) == (class, limiter, outcome));
        named.unwrap_or_else(|| panic!("no {class} {limiter} {outcome} in {samples:?}")).total
    }

    pub fn pauses(&self) -> Arc<ZombiePauses> {
        self.sites[0].0.state.pauses.clone()
    }

    pub fn site(&self) -> &Site {
        self.site_of(0)
    }

    pub fn site_of(&self, instance: usize) -> &Site {
        &self.sites[instance].0
    }

    pub fn guest(&self) -> Actor {
        Actor::new(self.instances[0])
    }

    pub async fn user(&self, name: &str) -> Actor {
        let actor = self.guest();
        let body = serde_json::json!({ "username": name, "email": "a@example.com", "password": PASSWORD });
        actor.post("/users/register/", &body).await.expect(201);
        actor
    }

    pub async fn staff(&self, name: &str, role: &str) -> Actor {
        let actor = self.user(name).await;
        let change = sqlx::query("update users set is_staff = true, staff_role = $2 where username = $1");
        change.bind(name).bind(role).execute(&self.pool).await.unwrap();
        actor
    }

    pub async fn post(&self, author: &str) -> i64 {
        self.user(author).await.write("A post", "Its text.").await
    }

    /// Creates many signed-in users, without the cost of hashing a password for each of them.
    pub async fn many_users(&self, count: usize) -> Vec<Actor> {
        self.many_users_at(count, &self.instances).await
    }

    /// Creates many signed-in users for instances in other processes.
    pub async fn many_users_at(&self, count: usize, instances: &[SocketAddr]) -> Vec<Actor> {
        let names: Vec<String> = (0..count).map(|number| format!("crowd_{number}")).collect();
        let now: DateTime<Utc> =
            self.clock.now().unwrap_or_else(|| DateTime::from_timestamp(1_767_268_800, 0).unwrap());
        let users = "insert into users (username, username_key, email, password_hash, created_at)
            select name, name, 'a@example.com', '!', $2 from unnest($1::text[]) name returning id";
        let ids: Vec<i64> = sqlx::query_scalar(users).bind(&names).bind(now).fetch_all(&self.pool).await.unwrap();
        let tokens: Vec<String> = names.iter().map(|name| format!("token of {name}")).collect();
        let hashes: Vec<Vec<u8>> = tokens.iter().map(|token| Sha256::digest(token).to_vec()).collect();
        let sessions = "insert into sessions (token_hash, user_id, state, created_at, seen_at, expires_at)
            select hash, id, '{\"session_version\": 1}', clock.now, clock.now + interval '1 year', clock.now + interval '1 year'
            from unnest($1::bytea[], $2::bigint[]) as new (hash, id),
                (select coalesce($3, clock_timestamp()) as now) clock";
        sqlx::query(sessions).bind(&hashes).bind(&ids).bind(self.clock.now()).execute(&self.pool).await.unwrap();
        let keys = Keys::derive(&SecretKey::from_text(SECRET).unwrap());
        let signed = |token: String| {
            let mut jar = CookieJar::new();
            jar.signed_mut(&keys.session_key()).add(Cookie::new("session", token));
            jar.get("session").unwrap().encoded().to_string()
        };
        let instances = instances.iter().cycle();
        tokens.into_iter().zip(instances).map(|(token, address)| Actor::with_cookie(*address, &signed(token))).collect()
    }

    pub fn observer(&self) -> DatabaseObserver {
        DatabaseObserver(PgPool::connect_lazy_with(self.lease.options.clone()))
    }

    /// Returns the ids of the posts whose stored totals do not match their ratings, which tests expect to be empty.
    pub async fn posts_with_wrong_totals(&self) -> Vec<i64> {
        drifted(&self.pool).await.unwrap()
    }

    /// Makes searches endless until [`end_endless_searches`](Self::end_endless_searches) is called.
    pub async fn begin_endless_searches(&self) {
        let sql = "alter table blog_posts rename search_title to kept;
            create function search_title(blog_posts) returns text language plpgsql as
            $$ begin perform pg_sleep(600); return $1.kept; end $$";
        sqlx::raw_sql(sql).execute(&self.pool).await.unwrap();
    }

    pub async fn end_endless_searches(&self) {
        let sql = "drop function search_title; alter table blog_posts rename kept to search_title";
        sqlx::raw_sql(sql).execute(&self.pool).await.unwrap();
    }

    /// Waits until a database statement is blocked by a lock.
    pub async fn wait_for_blocked_statement(&self) {
        let waits = "select exists (select from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock')";
        let is_blocked =
            async || sqlx::query_scalar::<_, bool>(waits).fetch_one(&self.pool).await.unwrap().then_some(());
        until("a statement that waits for a lock", is_blocked).await;
    }

    pub async fn count(&self, table: &str) -> i64 {
        let count = sqlx::AssertSqlSafe(format!("select count(*) from {table}"));
        sqlx::query_scalar(count).fetch_one(&self.pool).await.unwrap()
    }
}

/// Checks stored totals while the database may be unavailable.
pub struct DatabaseObserver(PgPool);

impl DatabaseObserver {
    pub async fn try_posts_with_wrong_totals(&self) -> Option<Vec<i64>> {
        drifted(&self.0).await.ok()
    }
}

/// Returns the ids of the posts whose stored totals differ from a recount in a single statement, which sees one
/// snapshot. Ratings that tests insert directly have no `counted_on` and are excluded from all scores.
async fn drifted(pool: &PgPool) -> sqlx::Result<Vec<i64>> {
    let recount = "with counted as (
            select blog_id, counted_on as day, array[count(*) filter (where rating = 1), count(*) filter (where rating = 2),
                count(*) filter (where rating = 3), count(*) filter (where rating = 4),
                count(*) filter (where rating = 5)] as stars
            from rates where counted_on is not null group by 1, 2
        ), latest as (
            select blog_id, (steady).last_day as day, (steady).last_day_stars::bigint[] as stars
            from rating_totals
            where (steady).last_day is not null
        ), days as (
            select blog_id, day, stars from score_days d
            where stars <> '{0, 0, 0, 0, 0}' and not exists (select from latest where (blog_id, day) = (d.blog_id, d.day))
            union all
            select blog_id, day, stars from latest
        )
        select t.blog_id from rating_totals t left join lateral (
            select count(*) filter (where rating = 1) s1, count(*) filter (where rating = 2) s2,
                count(*) filter (where rating = 3) s3, count(*) filter (where rating = 4) s4,
                count(*) filter (where rating = 5) s5, count(*) n, coalesce(sum(rating), 0) total
            from rates where blog_id = t.blog_id
        ) r on true
        where (t.stars_1, t.stars_2, t.stars_3, t.stars_4, t.stars_5, t.rating_count, t.rating_sum)
            <> (r.s1, r.s2, r.s3, r.s4, r.s5, r.n, r.total)
            or abs(t.average_rating - coalesce(r.total::float8 / nullif(r.n, 0), 0)) > 1e-12
            or not coalesce(steady_rating, 1) between 1 - 1e-9 and 5 + 1e-9
            or steady_weight > rating_count + 1e-9
        union
        select blog_id from days full join counted c using (blog_id, day) where days.stars is distinct from c.stars";
    let mut drifted: Vec<i64> = sqlx::query_scalar(recount).fetch_all(pool).await?;
    // Recomputes the scores from the ratings.
    let tell = |step: &ChunkCheckResult, _| {
        drifted.extend(step.wrong.iter().filter(|wrong| wrong.score_is_wrong).map(|wrong| wrong.post));
    };
    check_all_totals(&mut *pool.acquire().await?, false, tell).await?;
    Ok(drifted)
}

pub const PASSWORD: &str = "four grey herons wait";

/// Starts an instance of the site. Must be called inside an actix runtime, such as that of `#[actix_web::test]`.
fn start(
    changed: SettingOverrides<'_>,
    database: &PgConnectOptions,
    clock: &Clock,
) -> (SocketAddr, Site, ServerHandle) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let address = listener.local_addr().unwrap();
    // Rate classes are disabled, because tests send many requests at once. Tests of rate classes enable them.
    let mut variables = BTreeMap::from([("SECRET_KEY", SECRET.to_owned()), ("RATE_CLASSES", "off".to_owned())]);
    // The timeout is 10 s, because opening a database connection can take seconds on a busy machine.
    variables.insert("DATABASE_TIMEOUT_SECONDS", "10".to_owned());
    // Instances that share a database share an image directory.
    let images = format!("file:{}/images/{}", env!("CARGO_TARGET_TMPDIR"), database.get_database().unwrap_or_default());
    variables.insert("IMAGE_STORE", images);
    variables.extend(changed.iter().map(|(name, value)| (*name, (*value).to_owned())));
    let mut settings = Settings::from_env(&variables.into_iter().collect()).unwrap();
    settings.images.worker_program = Some(env!("CARGO_BIN_EXE_evenkeel").into());
    let secret = settings.load_secret_key().unwrap();
    let site = Site::new(settings, &secret, database, clock).unwrap();
    let server = site.create_server(listener, 1).unwrap();
    let handle = server.handle();
    actix_web::rt::spawn(server);
    (address, site, handle)
}

/// Starts another instance on the database of `site`, with other settings. The instance runs until the returned `Site`
/// and `ServerHandle` are dropped.
pub fn another_instance(site: &TestSite, changed: SettingOverrides<'_>) -> (SocketAddr, (Site, ServerHandle)) {
    let (address, site, handle) = start(changed, &site.lease.options, &site.clock);
    (address, (site, handle))
}

pub fn minutes(minutes: i64) -> TimeDelta {
    TimeDelta::minutes(minutes)
}
