//! `evenkeel loaddata`: loads a dump.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::time::Instant;

use anyhow::{Context as _, bail, ensure};
use indicatif::ProgressBar;
use serde_json::Value;
use sqlx::postgres::PgDatabaseError;
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _, PgConnection};
use tokio::sync::mpsc;

use super::bitpin::BitpinConverter;
use super::dump_reader;
use super::dump_reader::{LoadProgress, RowBatch};
use super::models::{MODELS, Model, ModelColumns, TABLE_FILLED_BY_TRIGGER};
use crate::cli::progress;
use crate::db::{Database, PROGRESS_INTERVAL, commit};
use crate::log::print_line;
use crate::rate::recount;
use crate::rate::recount::CheckSummary;

/// Loads a dump into a site without accounts. The path `-` stands for standard input. If the command is interrupted,
/// loaded rows stay in the database, and running the command again continues the load. At the end, all rating totals
/// are compared with the ratings.
pub async fn load(database: &Database, path: &Path) -> anyhow::Result<()> {
    let (source, bytes): (Box<dyn Read + Send>, _) = if path == Path::new("-") {
        (Box::new(io::stdin()), None)
    } else {
        let file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
        let bytes = file.metadata()?.len();
        (Box::new(file), Some(bytes))
    };
    let bar = progress::byte_progress_bar("Loading", bytes);
    let source = reject_compressed(BufReader::with_capacity(1 << 20, bar.wrap_read(source)))?;
    let options = database.options.clone().application_name("evenkeel loaddata").disable_statement_logging();
    let mut connection = options.connect().await?;
    sqlx::raw_sql(
        "set statement_timeout = 0; set time zone 'UTC'; set synchronous_commit = off; set client_min_messages = error",
    )
    .execute(&mut connection)
    .await?;
    let begun = begin_or_resume(&mut connection).await?;
    let (sender, batches) = mpsc::channel(2);
    let position = begun.clone();
    let reader = tokio::task::spawn_blocking(move || dump_reader::read_dump(source, &position, &sender));
    // If writing fails, reading stops. If reading fails, the batches that have already been read are still written.
    let (counts, mut skipped) = write_batches(&mut connection, batches, &bar).await?;
    bar.finish_and_clear();
    if let Some(bitpin) = reader.await?? {
        skipped += bitpin.skipped;
        // Dumps of BitPin-Blog contain neither totals nor scores of ratings, so both are computed.
        recount::check_all_totals(&mut connection, true, |_, _| ()).await?;
        recount::compute_missing_scores(&mut connection).await?;
        report_differences(&mut connection, &bitpin).await?;
    }
    finish(&mut connection).await?;
    for (model, count) in counts {
        print_line(format!("{model}: {count}"));
    }
    connection.close().await?;
    ensure!(skipped == 0, "objects skipped: {skipped} (listed above); all other objects were loaded");
    Ok(())
}

/// Skips a byte order mark, and returns an error if the file is compressed with gzip.
fn reject_compressed<R: BufRead>(mut source: R) -> anyhow::Result<R> {
    let begin = source.fill_buf().context("cannot read the dump")?;
    let is_compressed = begin.starts_with(b"\x1f\x8b");
    ensure!(!is_compressed, "the dump is compressed; load it with `gunzip -c FILE | evenkeel loaddata -`");
    if begin.starts_with("\u{feff}".as_bytes()) {
        source.consume("\u{feff}".len());
    }
    Ok(source)
}

/// True if a load was interrupted. The site does not start until the load is complete.
pub async fn is_load_incomplete(database: &Database) -> sqlx::Result<bool> {
    let mut connection = database.options.connect().await?;
    let half = sqlx::query_scalar!(
        r#"select exists (select from data_loads where finished_at is null and objects > 0) as "half!""#
    );
    let half = half.fetch_one(&mut connection).await?;
    connection.close().await?;
    Ok(half)
}

/// Returns the progress of an interrupted load, or starts a new load if the database has no accounts. Fails if a site
/// or another load uses the database.
async fn begin_or_resume(connection: &mut PgConnection) -> anyhow::Result<LoadProgress> {
    let others = sqlx::query_scalar!(
        r#"select count(*) as "others!" from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and application_name in ('evenkeel', 'evenkeel loaddata')"#
    );
    ensure!(
        others.fetch_one(&mut *connection).await? == 0,
        "the site or another load is using this database; stop it first"
    );
    let begun = sqlx::query_as!(LoadProgress, "select objects, digest from data_loads where finished_at is null");
    let begun = begun.fetch_optional(&mut *connection).await?;
    if let Some(begun) = begun.filter(|begun| begun.objects > 0) {
        print_line(format!("Continuing an interrupted load after {} objects.", begun.objects));
        return Ok(begun);
    }
    let has_users = sqlx::query_scalar!(r#"select exists (select from users) as "has!""#);
    ensure!(
        !has_users.fetch_one(&mut *connection).await?,
        "this site already has accounts; load the dump into an empty database (another DATA_DIR or DATABASE_URL)"
    );
    // A load that failed at its first object has left a row.
    sqlx::query!("delete from data_loads where finished_at is null").execute(&mut *connection).await?;
    sqlx::query!("insert into data_loads (objects, digest) values (0, '')").execute(connection).await?;
    Ok(LoadProgress::default())
}

/// Writes each batch and the progress of the load in one transaction. Returns the number of rows by model, and the
/// number of skipped objects.
async fn write_batches(
    connection: &mut PgConnection,
    mut batches: mpsc::Receiver<RowBatch>,
    bar: &ProgressBar,
) -> anyhow::Result<(BTreeMap<&'static str, u64>, u64)> {
    let (mut counts, mut all_skipped, mut last_report) = (BTreeMap::new(), 0, Instant::now());
    let mut known: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    while let Some(batch) = batches.recv().await {
        let RowBatch { model, columns, count, position, .. } = &batch;
        if !known.contains_key(model.name) {
            let fields = model.field_names(connection).await?;
            known.insert(model.name, fields.into_iter().chain(model.primary_key().map(str::to_owned)).collect());
        }
        if let Some(unknown) = columns.iter().find(|column| !known[model.name].contains(column)) {
            bail!("the model {} has no field {unknown}; the dump is of an incompatible version", model.name);
        }
        let skipped = match write_batch(connection, &batch).await {
            Ok(()) => 0,
            Err(error) if batch.skips_rejected && is_data_error(&error) => {
                write_rows_one_by_one(connection, &batch).await?
            }
            Err(error) => return Err(rejected_batch_error(error, &batch)),
        };
        *counts.entry(model.name).or_default() += count - skipped;
        all_skipped += skipped;
        if last_report.elapsed() >= PROGRESS_INTERVAL {
            // The percentage counts the bytes that have been read. The last batches that were read may not have been
            // written yet.
            let percent = bar.length().map(|bytes| 100 * bar.position() / bytes.max(1));
            tracing::info!(objects = position.objects, model = model.name, percent, "loading objects");
            last_report = Instant::now();
        }
    }
    Ok((counts, all_skipped))
}

/// Returns an error that names the objects of a rejected batch. Rows of earlier batches stay in the database.
fn rejected_batch_error(error: sqlx::Error, RowBatch { model, count, position, .. }: &RowBatch) -> anyhow::Error {
    let database = error.as_database_error().and_then(|error| error.try_downcast_ref::<PgDatabaseError>());
    // Error details that do not begin with `Key` are not shown, because they contain whole rows.
    let detail = database.and_then(PgDatabaseError::detail).filter(|detail| detail.starts_with("Key "));
    let detail = detail.map(|detail| format!(" ({detail})")).unwrap_or_default();
    let (last, count) = (position.objects, i64::try_from(*count).unwrap_or(i64::MAX));
    let why = format!(
        "cannot load the {} objects {} to {last}, which begin in line {}{detail}; fix the file and run the command again",
        model.name,
        last - count + 1,
        last - count + 2,
    );
    anyhow::Error::new(error).context(why)
}

async fn write_batch(connection: &mut PgConnection, batch: &RowBatch) -> sqlx::Result<()> {
    let mut transaction = connection.begin().await?;
    let sql = AssertSqlSafe(insert_statement(batch.model, &batch.columns));
    sqlx::query(sql).bind(&batch.rows).execute(&mut *transaction).await?;
    record_position(&mut transaction, &batch.position).await?;
    commit(transaction).await
}

async fn record_position(connection: &mut PgConnection, position: &LoadProgress) -> sqlx::Result<()> {
    let recorded = sqlx::query!(
        "update data_loads set objects = $1, digest = $2 where finished_at is null",
        position.objects,
        position.digest,
    );
    recorded.execute(connection).await.map(drop)
}

/// True if the database rejected the data of a row: SQLSTATE class 22 (data exception) or 23 (integrity constraint
/// violation).
fn is_data_error(error: &sqlx::Error) -> bool {
    let code = error.as_database_error().and_then(sqlx::error::DatabaseError::code);
    code.is_some_and(|code| code.starts_with("22") || code.starts_with("23"))
}

/// Writes each row in its own savepoint and reports rejected rows. Returns the number of rejected rows.
async fn write_rows_one_by_one(connection: &mut PgConnection, batch: &RowBatch) -> anyhow::Result<u64> {
    let rows: Vec<Value> = serde_json::from_str(&batch.rows)?;
    let sql = insert_statement(batch.model, &batch.columns);
    let (mut transaction, mut skipped) = (connection.begin().await?, 0);
    for row in rows {
        let pk = row["id"].clone();
        let mut savepoint = transaction.begin().await?;
        let text = Value::Array(vec![row]).to_string();
        match sqlx::query(AssertSqlSafe(sql.clone())).bind(&text).execute(&mut *savepoint).await {
            Ok(_) => commit(savepoint).await?,
            Err(error) if is_data_error(&error) => {
                savepoint.rollback().await?;
                skipped += 1;
                print_line(format!("Skipped {} {pk}: {}", batch.model.name, rejection_reason(&error)));
            }
            Err(error) => return Err(rejected_batch_error(error, batch)),
        }
    }
    record_position(&mut transaction, &batch.position).await?;
    commit(transaction).await?;
    Ok(skipped)
}

/// Explains why the database rejected a row, without showing the row. Shows only the id of a missing referenced row.
fn rejection_reason(error: &sqlx::Error) -> String {
    let Some(error) = error.as_database_error().and_then(|error| error.try_downcast_ref::<PgDatabaseError>()) else {
        return "the database rejected the row".to_owned();
    };
    // Format of the detail: `Key (user_id)=(7) is not present in table "users".`
    if let Some(key) = error.detail().and_then(|detail| detail.strip_prefix("Key (")) {
        return match key.split_once(" is not present") {
            Some((key, _)) => format!("{} does not exist", key.replacen(")=(", " ", 1).trim_end_matches(')')),
            None => format!("another object has the same {}", key.split(')').next().unwrap_or_default()),
        };
    }
    match error.constraint() {
        Some(constraint) if constraint.contains("one_to_five") || constraint.contains("rating") => {
            "the rating is not an integer from 1 to 5".to_owned()
        }
        _ => "a value is out of range".to_owned(),
    }
}

/// SQL statement that inserts rows, or that updates one column of existing rows.
fn insert_statement(Model { table, key, part, .. }: &Model, columns: &[String]) -> String {
    let all = columns.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ");
    let rows = format!("json_populate_recordset(null::{table}, $1::text::json)");
    if let (ModelColumns::Only(column), [key]) = (part, key) {
        return format!(
            "update {table} t set \"{column}\" = n.\"{column}\" from {rows} n where t.\"{key}\" = n.\"{key}\""
        );
    }
    // `json_populate_recordset` turns JSON `null` into SQL NULL, but states of limiters can be JSON `null`.
    let is_state = |name: &str| *table == "limiter_states" && name == "state";
    let value = |name: &String| {
        if is_state(name) { format!("coalesce(\"{name}\", 'null')") } else { format!("\"{name}\"") }
    };
    let values = columns.iter().map(value).collect::<Vec<_>>().join(", ");
    let insert = format!("insert into {table} ({all}) overriding system value select {values} from {rows}");
    if *table == TABLE_FILLED_BY_TRIGGER { format!("{insert} {}", on_conflict_clause(key, columns)) } else { insert }
}

/// `on conflict` clause that updates rows which a trigger has already created.
fn on_conflict_clause(key: &[&str], columns: &[String]) -> String {
    let others = columns.iter().filter(|column| !key.contains(&column.as_str()));
    let set = others.map(|column| format!("\"{column}\" = excluded.\"{column}\"")).collect::<Vec<_>>().join(", ");
    format!("on conflict ({}) do update set {set}", key.join(", "))
}

/// Prints the differences between this site and the dump of BitPin-Blog.
async fn report_differences(connection: &mut PgConnection, bitpin: &BitpinConverter) -> sqlx::Result<()> {
    bitpin.changes.iter().for_each(print_line);
    let (posts, averages): (Vec<i64>, Vec<f64>) = bitpin.averages.iter().copied().unzip();
    let different = sqlx::query!(
        r#"select blog_id, average_rating, average as "average!", rating_count from rating_totals
            join unnest($1::bigint[], $2::float8[]) as there (id, average) on id = blog_id
        where abs(average_rating - average) > 1e-9 order by blog_id"#,
        &posts,
        &averages,
    );
    for post in different.fetch_all(connection).await? {
        print_line(format!(
            "Post {}: the dump has an average of {:.2}, but the average of its {} ratings is {:.2}.",
            post.blog_id, post.average, post.rating_count, post.average_rating
        ));
    }
    for (model, count) in &bitpin.unsupported {
        print_line(format!("{model}: skipped {count} objects, which have no equivalent in Evenkeel"));
    }
    Ok(())
}

/// Advances the id sequences, updates planner statistics, compares the rating totals, and marks the load as finished.
async fn finish(connection: &mut PgConnection) -> anyhow::Result<()> {
    for model in MODELS {
        model.advance_sequence(connection).await?;
    }
    sqlx::raw_sql("analyze").execute(&mut *connection).await?;
    let CheckSummary { posts, ratings, wrong } = recount::check_all_totals(connection, false, |_, _| ()).await?;
    sqlx::query!("update data_loads set finished_at = clock_timestamp() where finished_at is null")
        .execute(connection)
        .await?;
    match wrong {
        0 => {
            print_line(format!("Checked {posts} posts with {ratings} ratings: all totals are correct."));
        }
        _ => bail!(
            "everything is loaded, but the totals of {wrong} posts differ from their ratings, as in the dump; run `evenkeel check_ratings --fix` to recompute them"
        ),
    }
    Ok(())
}
