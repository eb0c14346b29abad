//! Benchmark of growth: compares the speed of requests before and after many ratings, users and posts are added to a
//! site.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Instant;

use sqlx::{Connection as _, PgConnection};

use crate::load::RequestFactory;
use crate::table::median;
use crate::workload::{Dataset, HOT_POSTS, Site, json_requests, page_requests, rating_requests, requests_per_second};
use crate::{Plan, start};

/// Maximum number of rows of a table for which a sequential scan is acceptable.
const SMALL_TABLE_ROWS: i64 = 10_000;

/// SQL statements that add users, posts and ratings. `$1` is the number of rows, and `$2` the ID of the rated post.
const GROWTH_SQL: [&str; 3] = [
    "insert into users (username, username_key, username_skeleton, email, password_hash, created_at)
    select 'added' || n, 'added' || n, 'added' || n, 'added@example.org', '!', now() from generate_series(1, $1) n, (select $2) as unused",
    "insert into blog_posts (author_id, title, content, content_html, excerpt, created_at, updated_at, published_at,
        rendered_by, search, search_title, search_configuration)
    select 1, 'Added ' || n, 'word' || n % 5000 || ' some words', '<p>some words</p>', 'some words', at, at, at, by,
        ('''ad'':1A ''' || n || ''':2A ''word' || n % 5000 || ''':3 ''word'':4')::tsvector, 'added ' || n, 'english'
    from generate_series(1, least($1, 1000000)) n, (select max(rendered_by) from blog_posts where id <> $2) newest (by),
        lateral (select timestamptz '2020-01-01' + n * interval '1 minute') as times (at)",
    // Stores totals and score as the application would, with all ratings in one ended period.
    "with added as (
        insert into rates (user_id, blog_id, rating, created_at, updated_at, counted_on)
        select id, $2, 1 + id % 5, now() - interval '1 day', now() - interval '1 day', current_date - 1
        from users where username like 'added%' limit $1 returning rating
    ), stars as (
        select count(*) as count, sum(rating) as sum, count(*) filter (where rating = 1) as one,
            count(*) filter (where rating = 2) as two, count(*) filter (where rating = 3) as three,
            count(*) filter (where rating = 4) as four, count(*) filter (where rating = 5) as five
        from added
    ), day as (
        insert into score_days (blog_id, day, stars)
        select $2, current_date - 1, array[one, two, three, four, five] from stars
    )
    update rating_totals set stars_1 = stars_1 + one, stars_2 = stars_2 + two, stars_3 = stars_3 + three,
        stars_4 = stars_4 + four, stars_5 = stars_5 + five,
        steady = row(count, sum, 0, 0, 0, 0, 0, 0, count,
            one::float8 / count, two::float8 / count, three::float8 / count, four::float8 / count, five::float8 / count,
            count, current_date - 1, current_date - 1, null, null, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)::steady_state
    from stars where blog_id = $2",
];

/// Compares the cost of requests before and after adding `added` users, `added` ratings of one post, and `added` posts
/// (at most a million).
pub async fn measure(plan: &Plan, folder: &Path, filled: &Dataset, added: u64) -> anyhow::Result<String> {
    // `quiet` and `famous` are hot posts without ratings. All added ratings are of `famous`.
    let (quiet, famous) = (HOT_POSTS - 1, HOT_POSTS);
    let few = measure_requests(plan, folder, filled, quiet).await?;
    let begun = Instant::now();
    {
        let cluster = start(folder)?;
        let mut connection = PgConnection::connect_with(&cluster.connect_options()).await?;
        for sql in GROWTH_SQL {
            let number = |value: u64| i64::try_from(value);
            sqlx::query(sql).bind(number(added)?).bind(number(famous)?).execute(&mut connection).await?;
        }
        sqlx::raw_sql("vacuum analyze").execute(&mut connection).await?;
    }
    let mut text = format!("\nGrown by {added} in {:.0} s.\n", begun.elapsed().as_secs_f64());
    let many = measure_requests(plan, folder, filled, famous).await?;
    writeln!(text, "\n| | a second, few | a second, many | cost ratio |\n|---|---:|---:|---:|")?;
    for ((name, few), (_, many)) in few.speeds.iter().zip(&many.speeds) {
        writeln!(text, "| {name} | {few:.0} | {many:.0} | {:.2} |", few / many)?;
    }
    for (few, many) in few.log_bytes.iter().zip(&many.log_bytes) {
        writeln!(text, "\nWrite-ahead log for {}: {:.0} bytes with few, {:.0} bytes with many.", few.0, few.1, many.1)?;
    }
    writeln!(text, "\nStorage of a rating: {}.", many.storage)?;
    let tables = if many.scanned_tables.is_empty() { "none".to_owned() } else { many.scanned_tables.join(", ") };
    writeln!(text, "\nTables of more than {SMALL_TABLE_ROWS} rows that were read whole with many: {tables}.")?;
    Ok(text)
}

/// Returns named requests to measure, of which three read or rate the post `post`.
fn requests(site: &Site, filled: &Dataset, post: u64) -> anyhow::Result<[(&'static str, RequestFactory); 5]> {
    let path = site.page_of(post)?;
    Ok([
        ("the list, signed in", page_requests(filled, "/blogs/")),
        ("the post's page, signed in", page_requests(filled, &path)),
        ("the post as JSON, signed in", json_requests(filled, post)),
        ("a rating, of all posts", filled.spread_ratings()),
        ("a rating of the post", rating_requests(filled, post)),
    ])
}

struct Measured {
    /// Median number of successful responses per second, by kind of request.
    speeds: Vec<(&'static str, f64)>,
    /// Bytes of write-ahead log per rating, by kind of request that stores ratings.
    log_bytes: Vec<(&'static str, f64)>,
    /// Bytes per rating in the table of ratings and in its indexes.
    storage: String,
    /// Names of large tables that were read by a sequential scan during the measurements.
    scanned_tables: Vec<String>,
}

/// Measures each kind of request on a newly started database server. The previous server wrote all added rows to disk
/// when it stopped, so no background writes distort the measurement.
async fn measure_requests(plan: &Plan, folder: &Path, filled: &Dataset, post: u64) -> anyhow::Result<Measured> {
    let cluster = start(folder)?;
    let site = Site::start(folder, &cluster.database_url("evenkeel"))?;
    let requests = requests(&site, filled, post)?;
    for (_, make) in &requests {
        requests_per_second(&site, plan.time, make)?;
    }
    let mut connection = PgConnection::connect_with(&cluster.connect_options()).await?;
    // Disables sequential scans for the queries of this benchmark, so that only scans by the site are counted.
    sqlx::raw_sql("set enable_seqscan = off").execute(&mut connection).await?;
    let before = sequential_scans(&mut connection).await?;
    let (mut speeds, mut log_bytes) = (Vec::new(), Vec::new());
    for (name, make) in &requests {
        let (position, stored) = log_and_ratings(&mut connection).await?;
        let rounds: anyhow::Result<Vec<f64>> =
            (0..plan.rounds).map(|_| requests_per_second(&site, plan.time, make)).collect();
        speeds.push((*name, median(rounds?)));
        let (later, more) = log_and_ratings(&mut connection).await?;
        if more > stored {
            log_bytes.push((*name, (later - position) / (more - stored)));
        }
    }
    let after = sequential_scans(&mut connection).await?;
    let more = after.into_iter().filter(|reads| !before.contains(reads));
    Ok(Measured {
        speeds,
        log_bytes,
        storage: storage(&mut connection).await?,
        scanned_tables: more.map(|(table, _)| table).collect(),
    })
}

/// Returns the position in the write-ahead log, in bytes, and the number of ratings.
pub async fn log_and_ratings(connection: &mut PgConnection) -> sqlx::Result<(f64, f64)> {
    let read = "select (pg_current_wal_lsn() - '0/0')::float8, (select sum(rating_count) from rating_totals)::float8";
    sqlx::query_as(read).fetch_one(connection).await
}

/// Describes the size per rating of the table of ratings and of each of its indexes.
async fn storage(connection: &mut PgConnection) -> sqlx::Result<String> {
    let parts = "select string_agg(
            format('%s bytes in %s', round(pg_relation_size(oid) / (select count(*) from rates)::numeric), relname), ', '
            order by relkind desc, relname)
        from pg_class where oid = 'rates'::regclass
            or oid in (select indexrelid from pg_index where indrelid = 'rates'::regclass)";
    sqlx::query_scalar(parts).fetch_one(connection).await
}

/// Returns the number of sequential scans of each large table.
async fn sequential_scans(connection: &mut PgConnection) -> sqlx::Result<Vec<(String, i64)>> {
    sqlx::raw_sql("select pg_stat_clear_snapshot()").execute(&mut *connection).await?;
    let reads = "select relname::text, seq_scan from pg_stat_user_tables where n_live_tup > $1 order by relname";
    sqlx::query_as(reads).bind(SMALL_TABLE_ROWS).fetch_all(connection).await
}
