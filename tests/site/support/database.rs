//! Empty database for each test. Databases are emptied and reused, because creating a database for each test is slow.
//!
//! One database cluster serves the tests of all processes. A test claims the database `evenkeel_test_N` with an
//! advisory lock, which `PostgreSQL` releases when the connection closes, however the test ends.

use std::path::Path;
use std::process::{Command, Stdio};
use std::str::FromStr as _;
use std::sync::LazyLock;

use evenkeel::db::{Cluster, ClusterOptions, MIGRATOR};
use sqlx::postgres::{PgConnectOptions, PgConnection, PgPool};
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _};

/// Tables that checksums exclude: records of migrations, responses that are stored for a day, and downloaded threat
/// lists.
const EXCLUDED_TABLES: [&str; 5] =
    ["_sqlx_migrations", "idempotent_requests", "request_paces", "threat_answers", "threat_lists"];

/// Database server of the tests: the server of `DATABASE_URL`, whose role must be allowed to create databases, or else
/// a private cluster.
static SERVER: LazyLock<Server> = LazyLock::new(|| {
    if let Ok(url) = std::env::var("DATABASE_URL") {
        Server { options: PgConnectOptions::from_str(&url).unwrap(), cluster: None }
    } else {
        let cluster = start_cluster();
        Server { options: cluster.connect_options(), cluster: Some(cluster) }
    }
});

struct Server {
    options: PgConnectOptions,
    cluster: Option<Cluster>,
}

fn start_cluster() -> Cluster {
    let options = ClusterOptions {
        dir: Path::new(env!("CARGO_TARGET_TMPDIR")).join("cluster"),
        fallback_dir: "/var/lib/evenkeel-tests".into(),
        durable: false,
        bin_dir: None,
    };
    let cluster = Cluster::start(&options).unwrap_or_else(|error| panic!("{error}"));
    // If each test runs in its own process, the database server would stop and start between tests. A child process
    // keeps the server running for 3 more seconds.
    let mut linger = Command::new("/bin/sh");
    linger.args(["-c", "exec sleep 3 3<>\"$0\""]).arg(cluster.keep_alive_fifo());
    #[expect(clippy::zombie_processes, reason = "it outlives the test on purpose")]
    let _child = linger.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    cluster
}

/// Exclusive use of an empty, migrated database until the value is dropped.
pub struct DatabaseLease {
    pub options: PgConnectOptions,
    pub url: String,
    _lock: Option<PgConnection>,
}

impl DatabaseLease {
    pub async fn take() -> Self {
        Self::claim(1).await
    }

    /// Claims a newly created database, for tests that change the schema.
    pub async fn fresh() -> Self {
        Self::claim(1_001).await
    }

    /// Empties and uses the only database of a separate cluster.
    pub async fn of_cluster(options: &PgConnectOptions) -> Self {
        migrate_and_empty(options).await.unwrap();
        Self { options: options.clone(), url: options.to_url_lossy().to_string(), _lock: None }
    }

    async fn claim(first: i32) -> Self {
        let mut lock = connect(&SERVER.options).await;
        for number in first.. {
            let claimed = sqlx::query_scalar::<_, bool>("select pg_try_advisory_lock(7, $1)").bind(number);
            if claimed.fetch_one(&mut lock).await.unwrap() {
                let name = format!("evenkeel_test_{number}");
                let options = SERVER.options.clone().database(&name);
                prepare(&mut lock, &name, &options, first > 1).await;
                let url = match &SERVER.cluster {
                    Some(cluster) => cluster.database_url(&name),
                    None => options.to_url_lossy().to_string(),
                };
                return Self { options, url, _lock: Some(lock) };
            }
        }
        unreachable!()
    }
}

/// Connects to the server. If the cluster is just stopping, it is restarted once.
async fn connect(options: &PgConnectOptions) -> PgConnection {
    match options.connect().await {
        Ok(connection) => connection,
        Err(_) if SERVER.cluster.is_some() => {
            std::mem::forget(start_cluster());
            options.connect().await.unwrap()
        }
        Err(error) => panic!("{error}"),
    }
}

async fn prepare(server: &mut PgConnection, name: &str, options: &PgConnectOptions, anew: bool) {
    let exists = sqlx::query_scalar::<_, bool>("select exists (select from pg_database where datname = $1)").bind(name);
    if !anew && exists.fetch_one(&mut *server).await.unwrap() && migrate_and_empty(options).await.is_ok() {
        return;
    }
    // Recreates a database that is missing or was created by other migrations. `drop database … with (force)` fails
    // while autovacuum runs, whereas a plain drop cancels autovacuum.
    let end = "select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and usename = current_user";
    sqlx::query(end).bind(name).execute(&mut *server).await.unwrap();
    for statement in [format!("drop database if exists {name}"), format!("create database {name}")] {
        sqlx::query(AssertSqlSafe(statement)).execute(&mut *server).await.unwrap();
    }
    migrate_and_empty(options).await.unwrap();
}

async fn migrate_and_empty(options: &PgConnectOptions) -> anyhow::Result<()> {
    let mut connection = options.connect().await?;
    MIGRATOR.run(&mut connection).await?;
    let tables = "select string_agg(quote_ident(tablename), ', ') from pg_tables
        where schemaname = 'public' and tablename <> '_sqlx_migrations'";
    let tables: String = sqlx::query_scalar(tables).fetch_one(&mut connection).await?;
    let empty = format!("truncate {tables} restart identity");
    sqlx::query(AssertSqlSafe(empty)).execute(&mut connection).await?;
    connection.close().await?;
    Ok(())
}

/// Checksums of the rows of each table.
pub async fn table_checksums(pool: &PgPool) -> Vec<(String, String)> {
    let mut sums = Vec::new();
    for table in tables(pool).await {
        let sum =
            format!("select coalesce(md5(string_agg(md5(t::text), '' order by md5(t::text))), 'none') from {table} t");
        sums.push((table, sqlx::query_scalar(AssertSqlSafe(sum)).fetch_one(pool).await.unwrap()));
    }
    sums.retain(|(table, _)| !EXCLUDED_TABLES.contains(&table.as_str()));
    sums
}

pub async fn tables(pool: &PgPool) -> Vec<String> {
    let tables =
        "select relname::text from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace order by 1";
    sqlx::query_scalar(tables).fetch_all(pool).await.unwrap()
}

/// Returns the checksums of all tables in the private database cluster in the directory `data`. The database server
/// runs only during the call.
pub async fn private_table_checksums(data: &Path) -> Vec<(String, String)> {
    let dir = data.to_owned();
    let options = ClusterOptions { dir: dir.clone(), fallback_dir: dir, durable: true, bin_dir: None };
    let cluster = Cluster::start(&options).unwrap();
    let pool = PgPool::connect_lazy_with(cluster.connect_options());
    let sums = table_checksums(&pool).await;
    pool.close().await;
    sums
}
