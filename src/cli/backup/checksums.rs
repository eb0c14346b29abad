//! Checksums of database tables. Two databases with equal checksums have the same rows.

use std::collections::BTreeMap;

use anyhow::bail;
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _};

use crate::db::Cluster;

/// Number of rows of a table, and sum of their hashes, which does not depend on the order of the rows.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct TableChecksum {
    pub rows: i64,
    pub sum: String,
}

pub type Checksums = BTreeMap<String, TableChecksum>;

/// Connects without timeouts and with fixed output formats, so that checksums from different servers are comparable.
pub async fn connect_for_checksums(options: &PgConnectOptions, name: &str) -> sqlx::Result<PgConnection> {
    let options = options.clone().application_name(name).disable_statement_logging().options([
        ("timezone", "UTC"),
        ("datestyle", "ISO"),
        ("intervalstyle", "postgres"),
        ("bytea_output", "hex"),
        ("extra_float_digits", "1"),
        ("statement_timeout", "0"),
        ("idle_in_transaction_session_timeout", "0"),
    ]);
    options.connect().await
}

/// Excludes generated columns, because another `PostgreSQL` version may compute their values differently.
pub async fn compute_checksums(connection: &mut PgConnection) -> sqlx::Result<Checksums> {
    let tables: Vec<(String, String)> = sqlx::query_as(
        "select c.relname::text, string_agg(quote_ident(a.attname), ', ' order by a.attnum)
        from pg_class c join pg_attribute a on a.attrelid = c.oid
        where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
            and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
        group by c.relname",
    )
    .fetch_all(&mut *connection)
    .await?;
    let mut sums = Checksums::new();
    for (table, columns) in tables {
        let sql = format!(
            "select count(*), coalesce(sum(('x' || left(encode(sha256(convert_to(t::text, 'UTF8')), 'hex'), 16))::bit(64)::bigint), 0)::text
            from (select {columns} from public.\"{table}\") t"
        );
        let (rows, sum) = sqlx::query_as(AssertSqlSafe(sql)).fetch_one(&mut *connection).await?;
        sums.insert(table, TableChecksum { rows, sum });
    }
    Ok(sums)
}

/// Compares the rows of a copied database with `expected`, and updates the planner statistics of the copy.
pub async fn verify_copy(copy: &Cluster, expected: &Checksums, name: &str) -> anyhow::Result<()> {
    let mut connection = connect_for_checksums(&copy.connect_options(), name).await?;
    let actual = compute_checksums(&mut connection).await?;
    if let Some(table) = difference(expected, &actual) {
        bail!("the rows of table {table} differ from the original; please report this as a bug of Evenkeel");
    }
    sqlx::raw_sql("analyze").execute(&mut connection).await?;
    connection.close().await?;
    Ok(())
}

fn difference<'a>(one: &'a Checksums, other: &'a Checksums) -> Option<&'a str> {
    one.keys().chain(other.keys()).find(|table| one.get(*table) != other.get(*table)).map(String::as_str)
}

pub fn total_rows(sums: &Checksums) -> i64 {
    sums.values().map(|sum| sum.rows).sum()
}
