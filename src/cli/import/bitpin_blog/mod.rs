//! Import of a BitPin-Blog dump (made by `manage.py dumpdata`): users with their passwords, posts and ratings.

mod converter;

use std::io::{self, BufReader};
use std::path::Path;

use anyhow::ensure;
use evenkeel_importers::{first_character, open};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use sqlx::postgres::PgDatabaseError;
use sqlx::{AssertSqlSafe, Connection as _, PgConnection, PgPool};

use self::converter::Converter;
use crate::db::commit;
use crate::log::print_line;
use crate::rate::recount;

const MAX_ROWS: usize = 1_000;

#[derive(Deserialize)]
struct Object {
    model: String,
    pk: Box<RawValue>,
    fields: Box<RawValue>,
}

/// Tables, and the models of BitPin-Blog whose objects become their rows. Referenced tables come first.
const TABLES: [(&str, &str); 3] =
    [("users", "auth.user"), ("blog_posts", "blog_posts.blogpost"), ("rates", "rate.rate")];

/// True if the file may be a dump of BitPin-Blog: a JSON array, unlike the exports of other blogs.
pub fn is_dump(path: &Path) -> bool {
    path.is_file() && first_character(path).is_ok_and(|first| first == Some('['))
}

/// Imports a dump into a site without accounts, in one transaction. Objects that the site cannot represent are skipped.
pub async fn import_dump(pool: &PgPool, path: &Path, dry_run: bool) -> anyhow::Result<()> {
    let objects = read_dump(path)?;
    let mut transaction = pool.begin().await?;
    sqlx::raw_sql("set local statement_timeout = 0; set local client_min_messages = error")
        .execute(&mut *transaction)
        .await?;
    let has_users =
        sqlx::query_scalar!(r#"select exists (select from users) as "has!""#).fetch_one(&mut *transaction).await?;
    ensure!(
        !has_users,
        "this site already has accounts; import the dump into an empty database (another DATA_DIR or DATABASE_URL)"
    );
    let converter = insert_objects(&mut transaction, &objects).await?;
    // Computes the rating totals and scores, which the dump does not contain.
    recount::check_all_totals(&mut transaction, true, |_, _| ()).await?;
    recount::compute_missing_scores(&mut transaction).await?;
    for table in ["users", "blog_posts"] {
        advance_sequence(&mut transaction, table).await?;
    }
    report_differences(&mut transaction, &converter).await?;
    if dry_run {
        transaction.rollback().await?;
        print_line("Nothing was imported, because of --dry-run.");
    } else {
        commit(transaction).await?;
    }
    ensure!(
        converter.skipped == 0,
        "objects skipped: {} (listed above); all other objects were imported",
        converter.skipped
    );
    Ok(())
}

fn read_dump(path: &Path) -> anyhow::Result<Vec<Object>> {
    serde_json::from_reader(BufReader::new(open(path)?)).map_err(|error| match error.io_error_kind() {
        Some(kind) => anyhow::Error::new(io::Error::from(kind)).context("cannot read the dump"),
        None => anyhow::anyhow!(
            "{} is not a dump of BitPin-Blog: line {} is not an object with model, pk and fields",
            path.display(),
            error.line()
        ),
    })
}

async fn insert_objects(connection: &mut PgConnection, objects: &[Object]) -> anyhow::Result<Converter> {
    let mut converter = Converter::default();
    for (table, model) in TABLES {
        let objects = objects.iter().filter(|object| object.model == model);
        let rows = objects.filter_map(|object| converter.convert(model, object.pk.get(), object.fields.get()));
        let rows: Vec<Value> = rows.collect();
        let mut skipped = 0;
        for rows in rows.chunks(MAX_ROWS) {
            skipped += insert_rows(connection, table, model, rows).await?;
        }
        print_line(format!("{model}: {}", rows.len() as u64 - skipped));
        converter.skipped += skipped;
    }
    objects.iter().filter(|object| TABLES.iter().all(|(_, model)| object.model != *model)).for_each(|object| {
        *converter.unsupported.entry(object.model.clone()).or_default() += 1;
    });
    Ok(converter)
}

/// Inserts rows, one by one if the database rejects a row. Prints the rejected rows and returns their number.
async fn insert_rows(connection: &mut PgConnection, table: &str, model: &str, rows: &[Value]) -> anyhow::Result<u64> {
    match try_insert(connection, table, rows).await {
        Ok(()) => Ok(0),
        Err(error) if !is_data_error(&error) => Err(error.into()),
        Err(error) if rows.len() == 1 => {
            print_line(format!("Skipped {model} {}: {}", rows[0]["id"], rejection_reason(&error)));
            Ok(1)
        }
        Err(_) => {
            let mut skipped = 0;
            for row in rows {
                skipped += Box::pin(insert_rows(connection, table, model, std::slice::from_ref(row))).await?;
            }
            Ok(skipped)
        }
    }
}

async fn try_insert(connection: &mut PgConnection, table: &str, rows: &[Value]) -> sqlx::Result<()> {
    let columns: Vec<&str> =
        rows.first().and_then(Value::as_object).into_iter().flat_map(|row| row.keys()).map(String::as_str).collect();
    let columns = columns.join(", ");
    let sql = format!(
        "insert into {table} ({columns}) overriding system value select {columns} from json_populate_recordset(null::{table}, $1::text::json)"
    );
    let mut savepoint = connection.begin().await?;
    sqlx::query(AssertSqlSafe(sql))
        .bind(serde_json::to_string(rows).unwrap_or_default())
        .execute(&mut *savepoint)
        .await?;
    commit(savepoint).await
}

/// SQLSTATE class 22 (data exception) or 23 (integrity constraint violation).
fn is_data_error(error: &sqlx::Error) -> bool {
    let code = error.as_database_error().and_then(sqlx::error::DatabaseError::code);
    code.is_some_and(|code| code.starts_with("22") || code.starts_with("23"))
}

/// Describes why the database rejected a row, without the values of the row except the id of a missing referenced row.
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

async fn report_differences(connection: &mut PgConnection, converter: &Converter) -> sqlx::Result<()> {
    converter.changes.iter().for_each(print_line);
    let (posts, averages): (Vec<i64>, Vec<f64>) = converter.averages.iter().copied().unzip();
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
    for (model, count) in &converter.unsupported {
        print_line(format!("{model}: skipped {count} objects, which have no equivalent in Evenkeel"));
    }
    Ok(())
}

async fn advance_sequence(connection: &mut PgConnection, table: &str) -> sqlx::Result<()> {
    let sql = format!(
        "select setval(pg_get_serial_sequence('{table}', 'id'), greatest(max(id), 1), max(id) is not null) from {table}"
    );
    sqlx::query(AssertSqlSafe(sql)).execute(connection).await.map(drop)
}
