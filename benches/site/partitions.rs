//! Benchmark of partitions: compares ratings in one table `rates` with ratings in a table that is partitioned by post.
//! The rows are moved between the two measurements.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Instant;

use sqlx::{AssertSqlSafe, Connection as _, PgConnection};

use crate::growth::log_and_ratings;
use crate::load::RequestFactory;
use crate::table::median;
use crate::workload::{Dataset, Site, requests_per_second};
use crate::{Plan, start};

/// Number of ratings of each added post.
const RATINGS_PER_POST: u64 = 100;

/// Number of added users, who write the ratings of the added posts.
const USERS: u64 = 10_000;

/// Statements that add `$users` users, and `$posts` posts with `$ratings` ratings each. Counts in `rating_totals` stay
/// unchanged, because they do not affect the cost of later ratings.
const FILL_SQL: &str = "
    insert into users (username, username_key, email, password_hash, created_at)
    select 'added' || n, 'added' || n, 'added@example.org', '!', now() from generate_series(1, $users) n;
    insert into blog_posts (author_id, title, content, created_at, updated_at, status, published_at)
    select 1, 'Added ' || n, 'Text', '2026-01-01', '2026-01-01', 'published', '2026-01-01'
    from generate_series(1, $posts) n;
    -- Foreign keys are checked afterwards for all rows, because the check of a row would take longer than its insertion.
    alter table rates drop constraint rates_user_id_fkey, drop constraint rates_blog_id_fkey;
    insert into rates (user_id, blog_id, rating, created_at, updated_at)
    select first.id + ($ratings * n + p.id) % $users, p.id, 1 + (n + p.id) % 5, now(), now()
    from (select min(id) from users where username like 'added%') first (id), generate_series(0, $ratings - 1) n,
        blog_posts p
    where p.title like 'Added %';
    alter table rates add foreign key (user_id) references users (id) on delete restrict,
        add foreign key (blog_id) references rating_totals on delete cascade";

/// Statement that moves the ratings to a table in `$partitions` partitions with the same columns, keys and indexes.
const PARTITION_SQL: &str = "
    alter table rates rename to whole;
    create table rates (like whole including identity including constraints) partition by hash (blog_id);
    do $$ begin for number in 0 .. $partitions - 1 loop
        execute format('create table rates_%s partition of rates for values with (modulus $partitions, remainder %s)', number, number);
    end loop; end $$;
    insert into rates overriding system value select * from whole;
    drop table whole;
    alter table rates add constraint unique_user_blog_rating primary key (blog_id, user_id);
    create index rates_of_user on rates (user_id, updated_at desc, id desc);
    alter table rates add foreign key (user_id) references users (id) on delete restrict;
    alter table rates add foreign key (blog_id) references rating_totals on delete cascade;
    select setval(pg_get_serial_sequence('rates', 'id'), (select max(id) from rates))";

/// Measures ratings after adding `ratings` ratings, first with one table and then with `partitions` partitions.
pub async fn measure(plan: &Plan, folder: &Path, ratings: u64, partitions: u32) -> anyhow::Result<String> {
    let filled = fill(plan, folder, ratings).await?;
    let whole = measure_ratings(plan, folder, &filled).await?;
    let begun = Instant::now();
    {
        let cluster = start(folder)?;
        let mut connection = PgConnection::connect_with(&cluster.connect_options()).await?;
        let sql = PARTITION_SQL.replace("$partitions", &partitions.to_string());
        sqlx::raw_sql(AssertSqlSafe(sql)).execute(&mut connection).await?;
        sqlx::raw_sql("vacuum analyze").execute(&mut connection).await?;
    }
    let mut text = format!("\nMoved to {partitions} partitions in {:.0} s.\n", begun.elapsed().as_secs_f64());
    let parts = measure_ratings(plan, folder, &filled).await?;
    writeln!(text, "\n| | one table | {partitions} partitions | ratio |\n|---|---:|---:|---:|")?;
    for ((name, whole), (_, parts)) in whole.iter().zip(&parts) {
        writeln!(text, "| {name} | {whole:.0} | {parts:.0} | {:.2} |", parts / whole)?;
    }
    Ok(text)
}

/// Creates users and posts, and adds ratings of posts that the benchmark does not rate.
async fn fill(plan: &Plan, folder: &Path, ratings: u64) -> anyhow::Result<Dataset> {
    let cluster = start(folder)?;
    let filled = Dataset::create_users(&cluster.connect_options(), plan.users).await?;
    filled.create_posts(&Site::start(folder, &cluster.database_url("evenkeel"))?, plan.posts).await?;
    let begun = Instant::now();
    let mut connection = PgConnection::connect_with(&cluster.connect_options()).await?;
    let posts = ratings / RATINGS_PER_POST;
    let sql = FILL_SQL.replace("$users", &USERS.to_string()).replace("$posts", &posts.to_string());
    let sql = sql.replace("$ratings", &RATINGS_PER_POST.to_string());
    sqlx::raw_sql(AssertSqlSafe(sql)).execute(&mut connection).await?;
    sqlx::raw_sql("vacuum analyze").execute(&mut connection).await?;
    filled.add_posts(posts);
    println!("Added {ratings} ratings in {:.0} s.", begun.elapsed().as_secs_f64());
    Ok(filled)
}

/// Measures ratings of many posts and of one post, on a newly started database server. Returns named values.
async fn measure_ratings(plan: &Plan, folder: &Path, filled: &Dataset) -> anyhow::Result<Vec<(&'static str, f64)>> {
    let cluster = start(folder)?;
    let site = Site::start(folder, &cluster.database_url("evenkeel"))?;
    let mut connection = PgConnection::connect_with(&cluster.connect_options()).await?;
    let mut measured = Vec::new();
    let many = || filled.spread_ratings();
    let one = || filled.hot_ratings();
    let requests: [(_, _, &dyn Fn() -> RequestFactory); 2] = [
        ("ratings of many posts per second", "bytes of write-ahead log for each of them", &many),
        ("ratings of one post per second", "bytes of write-ahead log for each", &one),
    ];
    for (speed, log, make) in requests {
        requests_per_second(&site, plan.time, &make())?;
        let (position, stored) = log_and_ratings(&mut connection).await?;
        let rounds: anyhow::Result<Vec<f64>> =
            (0..plan.rounds).map(|_| requests_per_second(&site, plan.time, &make())).collect();
        let (later, more) = log_and_ratings(&mut connection).await?;
        measured.extend([(speed, median(rounds?)), (log, (later - position) / (more - stored))]);
    }
    let (table, indexes) = sqlx::query_as::<_, (f64, f64)>(SIZES_SQL).fetch_one(&mut connection).await?;
    measured.extend([("bytes of a rating in the table", table), ("bytes of a rating in both indexes", indexes)]);
    Ok(measured)
}

/// Query for the bytes per rating of the table of ratings and of its indexes.
const SIZES_SQL: &str = "
    select (sum(pg_relation_size(oid)) filter (where relkind = 'r') / count)::float8,
        (sum(pg_relation_size(oid)) filter (where relkind = 'i') / count)::float8
    from pg_class, (select count(*) from rates) as rates (count)
    where relname ~ '^(rates|unique_user_blog_rating)' and relkind in ('r', 'i') group by count";
