//! `evenkeel dumpdata`: dumps rows as JSON.

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{bail, ensure};
use futures_util::TryStreamExt as _;
use serde_json::json;
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _, PgConnection};

use super::models::{DUMP_HEADER, MODELS, Model, ModelColumns};
use crate::cli::atomic_file::AtomicFile;
use crate::db::{Database, PROGRESS_INTERVAL, latest_migration, migration_statuses};

/// Arguments of `evenkeel dumpdata`.
#[derive(clap::Args, Debug)]
pub struct DumpArguments {
    /// Models to dump, such as `users.user`, or `users` for all models of an app; default: all models
    #[arg(value_name = "MODEL")]
    models: Vec<String>,
    /// Model or app to exclude; may be repeated
    #[arg(short, long, value_name = "MODEL")]
    exclude: Vec<String>,
    /// File to write, readable only by its owner; default: standard output
    ///
    /// The file appears under its name only when the dump is complete.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Dumps a consistent snapshot of the selected models while the site runs.
pub async fn dump(database: &Database, wanted: DumpArguments) -> anyhow::Result<()> {
    let DumpArguments { models, exclude, output } = wanted;
    let is_of = |name: &str, model: &Model| name == model.name || Some(name) == model.name.split('.').next();
    let is_known = |name: &&String| MODELS.iter().any(|model| is_of(name, model));
    if let Some(unknown) = models.iter().chain(&exclude).find(|name| !is_known(name)) {
        let names: Vec<&str> = MODELS.iter().map(|model| model.name).collect();
        bail!("no model or app named {unknown:?}; the models are {}", names.join(", "));
    }
    let is_wanted = |model: &&Model| {
        let named = |names: &[String]| names.iter().any(|name| is_of(name, model));
        (models.is_empty() || named(&models)) && !named(&exclude)
    };
    let wanted: Vec<&Model> = MODELS.iter().filter(is_wanted).collect();
    let mut connection =
        database.options.clone().application_name("evenkeel dumpdata").disable_statement_logging().connect().await?;
    let migrations = migration_statuses(&mut connection).await?;
    ensure!(
        migrations.iter().all(|migration| migration.purpose.is_some()),
        "the database was migrated by a newer version of Evenkeel; use that version"
    );
    let rows = match output {
        None => write_all(&mut connection, &wanted, BufWriter::new(io::stdout().lock())).await?,
        Some(path) => {
            let file = AtomicFile::create(&path)?;
            let rows = write_all(&mut connection, &wanted, BufWriter::new(&file.file)).await?;
            file.commit()?;
            rows
        }
    };
    connection.close().await?;
    tracing::info!(rows, "dump complete");
    Ok(())
}

async fn write_all(connection: &mut PgConnection, models: &[&Model], mut out: impl Write) -> anyhow::Result<u64> {
    // A `repeatable read` transaction gives all tables the same snapshot.
    sqlx::raw_sql(
        "set statement_timeout = 0; set idle_in_transaction_session_timeout = 0; set time zone 'UTC';
        begin isolation level repeatable read, read only",
    )
    .execute(&mut *connection)
    .await?;
    let head = json!({ "model": DUMP_HEADER, "pk": null, "fields": { "migration": latest_migration(), "program": env!("CARGO_PKG_VERSION") } });
    write!(out, "[\n{head}")?;
    let (mut rows, mut last_report, all) = (0, Instant::now(), estimated_rows(connection, models).await?);
    for model in models {
        let sql = select_statement(model, &model.field_names(connection).await?);
        let mut lines = sqlx::query_scalar::<_, String>(AssertSqlSafe(sql)).fetch(&mut *connection);
        while let Some(line) = lines.try_next().await? {
            write!(out, ",\n{line}")?;
            rows += 1;
            if last_report.elapsed() >= PROGRESS_INTERVAL {
                let percent = (100 * rows / all.max(1)).min(99);
                tracing::info!(rows, model = model.name, percent, "dumping rows");
                last_report = Instant::now();
            }
        }
    }
    write!(out, "\n]\n")?;
    out.flush()?;
    sqlx::raw_sql("commit").execute(connection).await?;
    Ok(rows)
}

/// Estimates the number of rows from the planner statistics.
async fn estimated_rows(connection: &mut PgConnection, models: &[&Model]) -> sqlx::Result<u64> {
    let tables: Vec<String> = models.iter().map(|model| model.table.to_owned()).collect();
    let rows = sqlx::query_scalar!(
        r#"select coalesce(sum(greatest(reltuples, 0)), 0)::bigint as "rows!" from unnest($1::text[]) as named (name)
        join pg_class on oid = name::regclass"#,
        &tables,
    );
    Ok(rows.fetch_one(connection).await?.unsigned_abs())
}

/// SQL query that returns each row as one line of JSON, ordered by primary key.
fn select_statement(Model { name, table, key, part }: &Model, fields: &[String]) -> String {
    let names = |names: &[String]| names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ");
    let order = if key.is_empty() { fields.to_vec() } else { key.iter().map(|&column| column.to_owned()).collect() };
    let pk = if let [key] = key { format!("to_json(\"{key}\")") } else { "null".to_owned() };
    let only =
        if let ModelColumns::Only(column) = part { format!("where \"{column}\" is not null") } else { String::new() };
    format!(
        "select json_build_object('model', '{name}', 'pk', {pk}, 'fields', (select row_to_json(f) from (select {}) f))::text
        from {table} {only} order by {}",
        names(fields),
        names(&order),
    )
}
