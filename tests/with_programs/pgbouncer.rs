//! Instances behind `PgBouncer` with the example configuration.

use nix::sys::signal::Signal;
use sqlx::ConnectOptions as _;
use tokio::net::TcpStream;

use crate::deploy::{Beside, read};
use crate::failover::instances::Fleet;
use crate::support::{Actor, PostgresServer, Program, as_database_user, database_tempdir, until};

/// First version of `PgBouncer` with prepared statements in transaction mode. Older versions are tested in session
/// mode.
const TRANSACTION_MODE: (u32, u32) = (1, 21);

fn version() -> (u32, u32) {
    let output = std::process::Command::new("pgbouncer").arg("--version").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let mut numbers = text.lines().next().unwrap().trim_start_matches("PgBouncer ").split('.');
    let mut next = || numbers.next().unwrap().parse().unwrap();
    (next(), next())
}

pub async fn instances_share_the_connections_of_a_pooler() {
    let dir = database_tempdir();
    let server = PostgresServer::primary(dir.path()).await;
    // Does not set `statement_timeout` as the guide does, so that only the time limit of searches can end a search.
    for limit in ["lock_timeout = '1500ms'", "idle_in_transaction_session_timeout = '5s'"] {
        server.execute(format!("alter role postgres set {limit}")).await;
    }
    let address = Program::new(dir.path()).address;
    std::fs::write(dir.path().join("userlist.txt"), "\"postgres\" \"\"\n").unwrap();
    let shared = 10;
    let mut configuration = read("pgbouncer.ini")
        .replace(
            "evenkeel = host=db1.example.com port=5432",
            &format!("postgres = host=127.0.0.1 port={}", server.address.port()),
        )
        .replace("dbname=evenkeel", "dbname=postgres")
        .replace("6432", &address.port().to_string())
        .replace("scram-sha-256", "trust")
        .replace("verify-full", "disable")
        .replace("/etc/pgbouncer/userlist.txt", dir.path().join("userlist.txt").to_str().unwrap())
        .replace("default_pool_size = 40", &format!("default_pool_size = {shared}"));
    configuration.push_str("unix_socket_dir =\n");
    let shares_connections = version() >= TRANSACTION_MODE;
    if !shares_connections {
        configuration = configuration
            .replace("pool_mode = transaction", "pool_mode = session")
            .replace("max_prepared_statements", "; max_prepared_statements")
            .replace(&format!("default_pool_size = {shared}"), "default_pool_size = 60");
    }
    let file = dir.path().join("pgbouncer.ini");
    std::fs::write(&file, configuration).unwrap();
    let log = dir.path().join("pgbouncer.log");
    let start = || Beside::start(as_database_user("pgbouncer").arg(&file), &log);
    let mut pooler = start();
    let accepts = async || until("the pooler", async || TcpStream::connect(address).await.ok()).await;
    accepts().await;

    let url = format!("postgres://postgres@{address}/postgres?sslmode=disable");
    let settings = [("DATABASE_URL", &*url), ("DATABASE_DIRECT_URL", &*server.url()), ("RATING_LIMITER", "off")];
    let mut fleet = Fleet::on(&server.options(), 3, &settings).await;
    let (posts, crowd) = (fleet.posts(5).await, fleet.crowd(24).await);
    let load = fleet.load(&crowd, &posts);
    load.is_under_way().await;
    // Another instance starts, which needs the migration lock.
    let another = fleet.program(&settings).start().await;
    let guest = Actor::new(fleet.address(0));
    for path in ["/blogs/", "/blogs/?q=T", "/blogs/?order=top", "/feeds/atom/", "/readyz"] {
        assert_eq!(guest.page(path).await.status, 200, "{path}");
    }
    // Searches have their own time limit, after which the response is 503.
    crowd[0].write("An ox", "Its text.").await;
    fleet.site.begin_endless_searches().await;
    guest.get("/blogs/?q=ox").await.expect_problem(503, "busy");
    fleet.site.end_endless_searches().await;
    // Counts connections of instances, without connections of the test and of migrations.
    let connections = "select count(*) from pg_stat_activity where application_name = 'evenkeel'";
    let mut connection = server.options().connect().await.unwrap();
    let used: i64 = sqlx::query_scalar(connections).fetch_one(&mut connection).await.unwrap();
    assert!(used > 0 && (used <= shared || !shares_connections), "{used} connections are open");

    // Kills `PgBouncer`, which breaks all connections.
    pooler.signal(Signal::SIGKILL);
    drop(pooler);
    pooler = start();
    accepts().await;
    let history = fleet.settle(load).await;
    println!("{} ratings were stored or changed", history.count_status(200) + history.count_status(201));
    drop(another);
    // Kills `PgBouncer`, because SIGTERM would wait until all clients have disconnected.
    pooler.signal(Signal::SIGKILL);
}
