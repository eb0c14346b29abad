//! Rows that lists read: every order and filter uses an index.

use serde_json::json;
use sqlx::PgPool;

use crate::support::{TestSite, until};

/// Maximum number of rows that one list reads, of tables with 30,000 rows.
const MAX_ROWS: i64 = 2_000;

const FILL: &str = "
    insert into users (username, username_key, email, password_hash, created_at, text_bytes)
        select 'u' || n, 'u' || n, 'u' || n || '@e.example', '', now() - n * interval '1 minute', n
        from generate_series(1, 30000) n;
    insert into blog_posts (author_id, title, content, created_at, updated_at, published_at, status, tags, language)
        select u.id, 'Post ' || n, 'x', now(), now() - n * interval '1 minute',
            case when n % 100 > 0 then now() - n * interval '1 minute' end,
            case when n % 100 > 0 then 'published' else 'draft' end,
            case when n % 2 = 0 then array['half'] when n % 501 = 0 then array['rare'] else '{}' end,
            case when n % 500 = 0 then 'fa' when n % 3 = 0 then 'de' else 'en' end
        from generate_series(1, 30000) n join users u on u.username = case when n % 300 = 0 then 'u1' else 'u' || n end;
    insert into rates (user_id, blog_id, rating, created_at, updated_at)
        select 1, blog_id, 3, now(), now() - blog_id * interval '1 minute' from rating_totals;
    insert into rates (user_id, blog_id, rating, created_at, updated_at)
        select id, (select min(blog_id) from rating_totals), 3, now(), now() from users where id > 1;
    update rating_totals set stars_5 = blog_id % 89, steady_rating = 1 + blog_id % 5, steady_weight = blog_id % 89;
    analyze";

/// Reads the number of rows that all connections but this one have read of all tables. The connections are ended,
/// because PostgreSQL counts the rows at the end of a connection, and otherwise up to ten seconds later.
async fn rows_read(pool: &PgPool) -> i64 {
    until("the connections end", async || {
        let others = "select count(pg_terminate_backend(pid)) from pg_stat_activity
            where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'";
        let others: i64 = sqlx::query_scalar(others).fetch_one(pool).await.ok()?;
        (others == 0).then_some(())
    })
    .await;
    let rows = "select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::bigint from pg_stat_user_tables";
    sqlx::query_scalar(rows).fetch_one(pool).await.unwrap()
}

#[actix_web::test]
async fn every_order_and_filter_of_lists_reads_few_rows() {
    let site = TestSite::start_with(&[("CLASS_PAGE", "off")], 1).await;
    let (olga, guest) = (site.staff("olga", "owner").await, site.guest());
    sqlx::raw_sql(FILL).execute(&site.pool).await.unwrap();
    let lists = [];
    let contract = guest.get("/openapi.json").await.json();
    for (path, item) in contract["paths"].as_object().unwrap() {
        let Some(parameters) = item["get"]["parameters"].as_array() else { continue };
        println!("{path} {}", json!(parameters.iter().map(|p| (&p["name"], &p["schema"]["enum"])).collect::<Vec<_>>()));
    }
    for (path, staff) in lists {
        let _: (&str, bool) = (path, staff);
    }
    let before = rows_read(&site.pool).await;
    olga.get("/admin/posts/?sort=-score").await.expect(200);
    println!("{}", rows_read(&site.pool).await - before);
}
