//! Rows that lists read: every order and filter uses an index.

use serde_json::Value;
use sqlx::PgPool;

use crate::support::{TestSite, until};

/// Maximum number of rows that one list reads, of tables with 30,000 rows. The list of tags counts the latest 5,000 posts.
const MAX_ROWS: i64 = 5_500;

const FILL: &str = "
    insert into users (username, username_key, email, password_hash, created_at, text_bytes)
        select 'u' || reverse(n::text), 'u' || reverse(n::text), n || '@e.example', '', now() - n * interval '1 minute', n
        from generate_series(1, 30000) n;
    insert into blog_posts (author_id, title, content, created_at, updated_at, published_at, status, tags, language)
        select u.id, 'Post ' || n, 'x', now(), now() - n * interval '1 minute',
            case when n % 100 > 0 then now() - n * interval '1 minute' end,
            case when n % 100 > 0 then 'published' else 'draft' end,
            case when n % 2 = 0 then array['half'] when n % 501 = 0 then array['rare'] else '{}' end,
            case when n % 500 = 0 then 'fa' when n % 3 = 0 then 'de' else 'en' end
        from generate_series(1, 30000) n join users u on u.username = case when n % 300 = 0 then 'u1' else 'u' || reverse(n::text) end;
    insert into rates (user_id, blog_id, rating, created_at, updated_at)
        select 1, blog_id, 3, now(), now() - blog_id * interval '1 minute' from rating_totals;
    insert into rates (user_id, blog_id, rating, created_at, updated_at)
        select id, (select min(blog_id) from rating_totals), 3, now(), now() from users where id > 1;
    create index rating_totals_steady_top on rating_totals (steady_top desc, blog_id desc);
    insert into audit_log (at, act, actor_id, user_id, post_id)
        select now() - n * interval '1 minute', case when n % 500 = 0 then 'user.block' else 'post.edit' end,
            1 + n % 30, n, (select min(blog_id) from rating_totals) from generate_series(1, 30000) n;
    insert into sessions (token_hash, user_id, state, created_at, seen_at, expires_at)
        select sha256(id::text::bytea), id, '{}', created_at, created_at, now() + interval '1 day' from users;
    insert into api_tokens (user_id, name, token_hash, scopes, created_at)
        select id, 'Token', sha256(id::text::bytea), '{}', created_at from users;
    insert into report_cases (blog_id, title, content, author_id, opened_at, weight, ruling, reason, decided_at)
        select id, title, content, author_id, created_at, id % 7, case when id % 20 > 0 then 'kept' end,
            case when id % 20 > 0 then 'Kept.' end, case when id % 20 > 0 then now() end
        from blog_posts where status = 'published';
    insert into invitations (made_by, max_uses, created_at, expires_at)
        select 1 + n % 300, 1, now(), case when n % 2 = 0 then 'epoch' else now() end from generate_series(1, 30000) n;
    insert into zombie_pauses (user_id, blog_id, tat_ns, paused_at)
        select 1 + blog_id % 300, blog_id, (extract(epoch from now()) * 1e9)::bigint + blog_id * 1000000,
            case when blog_id % 2 = 0 then now() - blog_id * interval '1 minute' end from rating_totals;
    insert into outbox (kind, recipient, subject, body_text, body_html, created_at, expires_at, next_at, pace)
        select 'confirmation', 'a@e.example', 'x', 'x', 'x', now(), now() + interval '1 day', now() + interval '1 day',
            case when n % 500 = 0 then '{}'::jsonb end from generate_series(1, 30000) n;
    insert into limiter_states (limiter, key, state, updated_at, expires_at)
        select case when n % 2 = 0 then 'leaky_bucket' else 'rate_class' end, 'k' || n, '{}', now(), now() + interval '1 day'
        from generate_series(1, 30000) n;
    update rating_totals set stars_5 = blog_id % 89, steady_rating = 1 + blog_id % 5, steady_weight = blog_id % 89;
    analyze";

/// Reads the number of rows that all connections but this one have read of all tables. The connections are ended,
/// because `PostgreSQL` counts the rows at the end of a connection, and otherwise up to ten seconds later.
async fn rows_read(pool: &PgPool) -> i64 {
    let end = "with others as materialized (
            select pid from pg_stat_activity
            where datname = current_database() and usename = current_user and pid <> pg_backend_pid()
        ) select pid from others where pg_terminate_backend(pid)";
    let ended: Vec<i32> = sqlx::query_scalar(end).fetch_all(pool).await.unwrap();
    until("the connections end", async || {
        let remaining = "select count(*) from pg_stat_activity where pid = any($1)";
        let remaining: i64 = sqlx::query_scalar(remaining).bind(&ended).fetch_one(pool).await.unwrap();
        (remaining == 0).then_some(())
    })
    .await;
    let rows = "select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::bigint from pg_stat_user_tables";
    sqlx::query_scalar(rows).fetch_one(pool).await.unwrap()
}

#[actix_web::test]
async fn every_order_and_filter_of_lists_reads_few_rows() {
    let site = TestSite::fresh(&[], 1).await;
    let (olga, guest) = (site.staff("olga", "owner").await, site.guest());
    sqlx::raw_sql(FILL).execute(&site.pool).await.unwrap();
    let contract = guest.get("/api/schema/").await.json();
    let mut before = rows_read(&site.pool).await;
    let (mut costs, mut lists) = (Vec::new(), 0);
    for (path, item) in contract["paths"].as_object().unwrap() {
        let Some(parameters) = item["get"]["parameters"].as_array().filter(|_| is_list(path)) else { continue };
        for query in queries(parameters) {
            // Some parameters cannot be combined.
            if olga.get(&format!("{path}{query}")).await.status == 400 {
                continue;
            }
            lists += 1;
            let after = rows_read(&site.pool).await;
            if after - before > MAX_ROWS && !reads_all_failures(&query) {
                costs.push(format!("{} {path}{query}", after - before));
            }
            before = after;
        }
    }
    assert!(costs.is_empty(), "{costs:#?}");
    assert!(lists > 200, "{lists}");
}

/// False for pages with an id, and for the comparison of limiters, which reads the totals of all posts once.
fn is_list(path: &str) -> bool {
    !path.contains('{') && path != "/admin/limiter/choose/"
}

/// Returns true for the list of users whose attempts currently fail. Its table has no index on the number of failures,
/// because the rating writer would change the index with each failure, and rows without recent failures are deleted.
fn reads_all_failures(query: &str) -> bool {
    query.contains("status=failing")
}

/// Values of the parameters of lists.
fn values(parameter: &Value) -> Vec<String> {
    let name = parameter["name"].as_str().unwrap();
    if let Some(choices) = parameter["schema"]["enum"].as_array() {
        // All actions of the audit log are filtered by the same index.
        let count = if name == "act" { 2 } else { choices.len() };
        return choices.iter().take(count).filter_map(|choice| choice.as_str()).map(str::to_owned).collect();
    }
    let values: &[&str] = match name {
        "author" | "user" | "actor" | "name" => &["u1"],
        "tag" => &["half", "rare"],
        "language" => &["de", "fa"],
        "since" => &["2000-01-01T00:00:00Z"],
        "post" => &["2"],
        "ids" => &["2,3"],
        _ => &[],
    };
    values.iter().map(|value| (*value).to_owned()).collect()
}

/// Queries with each value of each parameter, and with each pair of values.
fn queries(parameters: &[Value]) -> Vec<String> {
    let all: Vec<(String, String)> = parameters
        .iter()
        .filter(|parameter| parameter["in"] == "query" && parameter["name"] != "format")
        .flat_map(|parameter| {
            values(parameter).into_iter().map(|value| (parameter["name"].as_str().unwrap().to_owned(), value))
        })
        .collect();
    let mut queries: Vec<String> = all.iter().map(|(name, value)| format!("?{name}={value}")).collect();
    for (index, (name, value)) in all.iter().enumerate() {
        for (other, second) in all[index + 1..].iter().filter(|(other, _)| other != name) {
            queries.push(format!("?{name}={value}&{other}={second}"));
        }
    }
    queries
}
