//! Benchmark of partitions: compares ratings with one table `rates` and with the same table in partitions by post.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Instant;

use sqlx::{AssertSqlSafe, Connection as _, PgConnection};

use crate::load::RequestFactory;
use crate::table::median;
use crate::workload::{Dataset, Site, requests_per_second};
use crate::{Plan, start};

/// Ratings of one of the added posts.
const RATINGS_PER_POST: i64 = 100;

/// Statements that add posts and users, and ratings of these posts. `$1` is the number of ratings and `$2` the number of
/// ratings of each post. The counts in `rating_totals` are not updated, because this would not change the cost of later
/// ratings.
const FILL_SQL: [&str; 3] = [
    "insert into users (username, username_key, email, password_hash, created_at)
    select 'added' || n, 'added' || n, 'added@example.org', '!', now() from generate_series(1, 100 * $2::bigint) n
    where $1::bigint > 0",
    "insert into blog_posts (author_id, title, content, created_at, updated_at, status, published_at)
    select 1, 'Added ' || n, 'Text', '2026-01-01', '2026-01-01', 'published', '2026-01-01'
    from generate_series(1, $1::bigint / $2::bigint) n",
    "insert into rates (user_id, blog_id, rating, created_at, updated_at)
    select (select min(id) from users where username like 'added%') + (100 * n + p.id) % (100 * $2::bigint), p.id, 1 + (n + p.id) % 5, now(), now()
    from generate_series(0, $2::bigint - 1) n, blog_posts p
    where p.title like 'Added %' and $1::bigint > 0",
];

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
    select setval(pg_get_serial_sequence('rates', 'id'), (select max(id) from rates));
    analyze rates";

/// Measures ratings after adding `ratings` ratings, first with one table and then with `partitions` partitions.
pub async fn measure(plan: &Plan, folder: &Path, ratings: u64, partitions: u32) -> anyhow::Result<String> {
    let filled = fill(plan, folder, ratings).await?;
    let whole = measure_ratings(plan, folder, &filled)?;
    let begun = Instant::now();
    {
        let cluster = start(folder)?;
        let mut connection = PgConnection::connect_with(&cluster.connect_options()).await?;
        let sql = PARTITION_SQL.replace("$partitions", &partitions.to_string());
        sqlx::raw_sql(AssertSqlSafe(sql)).execute(&mut connection).await?;
    }
    let mut text = format!("\nMoved to {partitions} partitions in {:.0} s.\n", begun.elapsed().as_secs_f64());
    let parts = measure_ratings(plan, folder, &filled)?;
    writeln!(text, "\n| ratings per second | one table | {partitions} partitions | ratio |\n|---|---:|---:|---:|")?;
    for ((name, whole), (_, parts)) in whole.iter().zip(&parts) {
        writeln!(text, "| {name} | {whole:.0} | {parts:.0} | {:.2} |", parts / whole)?;
    }
    Ok(text)
}

/// Creates users and posts as for the other benchmarks, and adds ratings of other posts.
async fn fill(plan: &Plan, folder: &Path, ratings: u64) -> anyhow::Result<Dataset> {
    let cluster = start(folder)?;
    let filled = Dataset::create_users(&cluster.connect_options(), plan.users).await?;
    filled.create_posts(&Site::start(folder, &cluster.database_url("evenkeel"))?, plan.posts).await?;
    let begun = Instant::now();
    let mut connection = PgConnection::connect_with(&cluster.connect_options()).await?;
    for sql in FILL_SQL {
        // Foreign keys are not checked, because the check of each row would take longer than the row.
        let is_rating = sql.starts_with("insert into rates");
        let role = if is_rating { "replica" } else { "origin" };
        sqlx::raw_sql(AssertSqlSafe(format!("set session_replication_role = {role}"))).execute(&mut connection).await?;
        sqlx::query(sql).bind(i64::try_from(ratings)?).bind(RATINGS_PER_POST).execute(&mut connection).await?;
    }
    sqlx::raw_sql("vacuum analyze").execute(&mut connection).await?;
    filled.add_posts(ratings / RATINGS_PER_POST.cast_unsigned());
    println!("Added {ratings} ratings in {:.0} s.", begun.elapsed().as_secs_f64());
    Ok(filled)
}

/// Returns the median number of ratings per second of one post and of many posts, on a newly started database server.
fn measure_ratings(plan: &Plan, folder: &Path, filled: &Dataset) -> anyhow::Result<[(&'static str, f64); 2]> {
    let cluster = start(folder)?;
    let site = Site::start(folder, &cluster.database_url("evenkeel"))?;
    let measure = |make: &dyn Fn() -> RequestFactory| -> anyhow::Result<f64> {
        requests_per_second(&site, plan.time, &make())?;
        let rounds: anyhow::Result<Vec<f64>> =
            (0..plan.rounds).map(|_| requests_per_second(&site, plan.time, &make())).collect();
        Ok(median(rounds?))
    };
    let many = measure(&|| filled.spread_ratings())?;
    Ok([("of many posts", many), ("of one post", measure(&|| filled.hot_ratings())?)])
}
