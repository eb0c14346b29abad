//! Brings a database up to date with this program, while the site answers that it is starting.
//!
//! Changes of tables are in `migrations/`; they are quick even if the tables are full. Work on every row is done in
//! steps instead: a step does a part of the work, commits, and is repeated until nothing is left. So a start that was
//! killed goes on where it was. Of several instances that start together, one migrates at a time.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use sqlx::migrate::{MigrateError, Migrator};
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{ConnectOptions as _, Connection as _};
use tokio::time::{Instant, sleep};

/// The migrations in `migrations/`, compiled into the binary. sqlx does not lock here, as [`migrate`] does.
pub static MIGRATOR: LazyLock<Migrator> = LazyLock::new(|| {
    let mut migrator = sqlx::migrate!();
    migrator.set_locking(false);
    migrator
});

/// The key of the advisory lock that an instance holds while it migrates.
const MIGRATING: i64 = 0x6576_656e_6b65_656c;

/// How long a statement waits for a lock. After that, the log says who holds it, and the statement is tried again.
const PATIENCE: &str = "3s";

/// How often it is told what is awaited.
const TELL_EVERY: Duration = Duration::from_secs(5);

const LOCK_NOT_AVAILABLE: &str = "55P03";

/// Migrations that were rewritten after they had been used: the version, and the SHA-384 checksum of the former file.
/// Both files lead to the same tables.
const REWRITTEN: [(i64, &str); 2] = [
    (6, "31b123729df74f7c8f8e0dc9f545f0cf32e4b61b9c0551039327fab665bf93c389bddff800608c2e2c4a5739f23b5a89"),
    (7, "7e0ce4af1333151a9dcdf013b224ec92860ba8fe53879560634aaa2e07dab84aa5fda23ae12db2c9d280eb4b0e21acd0"),
];

/// Brings the database up to date. `tell` hears what is being done, for the log and for those who wait.
///
/// # Errors
/// When the database cannot be reached, or knows migrations that this program does not.
pub async fn migrate(options: &PgConnectOptions, tell: &(dyn Fn(&str) + Sync)) -> Result<(), MigrateError> {
    // Not a connection of the pool: a migration may take longer than a request is allowed to.
    let options = options.clone().application_name("evenkeel migrate").options([("lock_timeout", PATIENCE)]);
    // Statements are not logged: we say below what takes long.
    let mut connection = options.disable_statement_logging().connect().await?;
    take_turn(&mut connection, tell).await?;
    accept_rewritten(&mut connection).await?;
    let all = MIGRATOR.iter().count();
    for (number, migration) in MIGRATOR.iter().enumerate() {
        let told = AtomicBool::new(false);
        let begin = || {
            if !told.swap(true, Ordering::Relaxed) {
                tell(&format!("updating the database, {} of {all}", number + 1));
            }
        };
        drop_unfinished(&mut connection).await?;
        while let Err(error) = apply(&mut connection, migration.version, &begin).await {
            if !is_locked(&error) {
                return Err(error);
            }
            tell("waiting for a lock in the database");
            tell_blockers(&mut connection).await;
            drop_unfinished(&mut connection).await?;
        }
    }
    fill_in(&mut connection, tell).await?;
    connection.close().await?;
    Ok(())
}

/// Waits until no other instance migrates.
async fn take_turn(connection: &mut PgConnection, tell: &(dyn Fn(&str) + Sync)) -> sqlx::Result<()> {
    let mut told: Option<Instant> = None;
    loop {
        let turn = sqlx::query_scalar!(r#"select pg_try_advisory_lock($1) as "turn!""#, MIGRATING);
        if turn.fetch_one(&mut *connection).await? {
            return Ok(());
        }
        if told.is_none_or(|told| told.elapsed() >= TELL_EVERY) {
            tell("waiting for another instance, which updates the database");
            told = Some(Instant::now());
        }
        sleep(Duration::from_millis(100)).await;
    }
}

/// Gives rewritten migrations their new checksums in databases where the former files ran.
async fn accept_rewritten(connection: &mut PgConnection) -> sqlx::Result<()> {
    if !has_table(connection, "_sqlx_migrations").await? {
        return Ok(());
    }
    for (version, old) in REWRITTEN {
        let Some(migration) = MIGRATOR.iter().find(|migration| migration.version == version) else { continue };
        sqlx::query!(
            "update _sqlx_migrations set checksum = $2 where version = $1 and encode(checksum, 'hex') = $3",
            version,
            &migration.checksum[..],
            old,
        )
        .execute(&mut *connection)
        .await?;
    }
    Ok(())
}

async fn has_table(connection: &mut PgConnection, name: &str) -> sqlx::Result<bool> {
    sqlx::query_scalar!(r#"select to_regclass($1) is not null as "has!""#, name).fetch_one(connection).await
}

/// Runs the migrations up to this version that have not run yet. Calls `begin` first if this one has not.
async fn apply(connection: &mut PgConnection, version: i64, begin: &(dyn Fn() + Sync)) -> Result<(), MigrateError> {
    let is_applied = has_table(connection, "_sqlx_migrations").await?
        && sqlx::query_scalar!(
            r#"select exists (select from _sqlx_migrations where version = $1) as "applied!""#,
            version
        )
        .fetch_one(&mut *connection)
        .await?;
    if !is_applied {
        begin();
    }
    // Also if it has run: sqlx then checks that it is the same as ours.
    MIGRATOR.run_to(version, &mut *connection).await
}

/// Drops an index that is built while the site runs, if that was broken off: it is there, and of no use.
async fn drop_unfinished(connection: &mut PgConnection) -> sqlx::Result<()> {
    let index = "do $$ begin
        if exists (select from pg_index where indexrelid = to_regclass('rates_by_pair') and not indisvalid) then
            drop index rates_by_pair;
        end if;
    end $$";
    sqlx::raw_sql(index).execute(connection).await?;
    Ok(())
}

fn is_locked(error: &MigrateError) -> bool {
    let (MigrateError::Execute(error) | MigrateError::ExecuteMigration(error, _)) = error else { return false };
    error.as_database_error().and_then(sqlx::error::DatabaseError::code).as_deref() == Some(LOCK_NOT_AVAILABLE)
}

/// Says who holds locks on our tables.
async fn tell_blockers(connection: &mut PgConnection) {
    let holders = sqlx::query!(
        r#"select distinct a.pid as "pid!", a.application_name as "application!", coalesce(a.state, '?') as "state!",
            coalesce(extract(epoch from statement_timestamp() - a.xact_start), 0)::float8 as "seconds!"
        from pg_locks l join pg_class c on c.oid = l.relation join pg_stat_activity a on a.pid = l.pid
        where l.granted and l.pid <> pg_backend_pid() and c.relnamespace = current_schema()::regnamespace
            and a.datname = current_database()
        limit 10"#
    );
    for holder in holders.fetch_all(connection).await.unwrap_or_default() {
        tracing::warn!(
            pid = holder.pid,
            application = holder.application,
            state = holder.state,
            seconds = holder.seconds.round(),
            "holds a lock that the update of the database needs"
        );
    }
}

/// Steps that fill in rows older than a migration. Each statement works on some rows with ids above `$1`, and returns
/// the last of those ids, or null if there are none left. Rows are found by their ids alone: of columns that have just
/// been added the planner knows nothing, and might look through all rows that are not filled in yet.
const STEPS: [(&str, &str); 2] = [
    (
        "dates of publication",
        "with these as (
            select id, status = 'published' and published_at is null as is_empty
            from blog_posts where id > $1 order by id limit 1000
        ), filled as (
            update blog_posts p set published_at = p.created_at from these where p.id = these.id and these.is_empty
        ) select max(id) from these",
    ),
    (
        "history of ratings",
        "with these as (select id from blog_posts where id > $1 order by id limit 200), by_hour as (
            select r.blog_id, date_trunc('hour', r.created_at, 'UTC') as hour, count(*) as given, sum(r.rating) as stars
            from these join rates r on r.blog_id = these.id
            where not exists (select from rating_history h where h.blog_id = these.id)
            group by 1, 2
        ), filled as (
            insert into rating_history (blog_id, hour, admitted, rating_count, rating_sum)
            select blog_id, hour, given, sum(given) over so_far, sum(stars) over so_far from by_hour
            window so_far as (partition by blog_id order by hour)
            on conflict do nothing
        ) select max(id) from these",
    ),
];

async fn fill_in(connection: &mut PgConnection, tell: &(dyn Fn(&str) + Sync)) -> sqlx::Result<()> {
    for (name, step) in STEPS {
        let begun = sqlx::query!("select after, is_done from migration_steps where name = $1", name);
        let begun = begun.fetch_optional(&mut *connection).await?;
        if begun.as_ref().is_some_and(|begun| begun.is_done) {
            continue;
        }
        let last = sqlx::query_scalar!(r#"select coalesce(max(id), 0) as "last!" from blog_posts"#);
        let last = last.fetch_one(&mut *connection).await?;
        let mut next = Some(begun.map_or(0, |begun| begun.after));
        let mut told: Option<Instant> = None;
        while let Some(after) = next {
            if after < last && told.is_none_or(|told| told.elapsed() >= TELL_EVERY) {
                tell(&format!("filling in the {name}, {} %", 100 * after / last));
                told = Some(Instant::now());
            }
            next = fill_in_some(connection, name, step, after).await?;
        }
    }
    // Constraints that a migration added without a look at the rows that were there.
    sqlx::query!(
        "do $$ declare added record; begin
            for added in
                select conrelid::regclass as in_table, conname from pg_constraint
                where not convalidated and connamespace = current_schema()::regnamespace and conname in (
                    'published_has_time', 'rates_blog_id_fkey', 'rating_history_blog_id_fkey', 'zombie_pauses_blog_id_fkey'
                ) order by 1, 2
            loop
                execute format('alter table %s validate constraint %I', added.in_table, added.conname);
            end loop;
        end $$"
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Fills in some of the posts after this one, and remembers that. Returns the last of them; none when all is done.
async fn fill_in_some(
    connection: &mut PgConnection,
    name: &str,
    step: &'static str,
    after: i64,
) -> sqlx::Result<Option<i64>> {
    let mut transaction = connection.begin().await?;
    let done: Option<i64> = sqlx::query_scalar(step).bind(after).fetch_one(&mut *transaction).await?;
    sqlx::query!(
        "insert into migration_steps (name, after, is_done) values ($1, $2, $3)
        on conflict (name) do update set after = excluded.after, is_done = excluded.is_done",
        name,
        done.unwrap_or(after),
        done.is_none(),
    )
    .execute(&mut *transaction)
    .await?;
    transaction.commit().await?;
    Ok(done)
}

/// Whether the database has exactly the migrations of this program.
pub async fn is_migrated(connection: &mut PgConnection) -> sqlx::Result<bool> {
    let applied =
        sqlx::query_scalar!(r#"select version as "version!" from _sqlx_migrations where success order by version"#);
    let applied = match applied.fetch_all(connection).await {
        Err(sqlx::Error::Database(error)) if error.code().as_deref() == Some(UNDEFINED_TABLE) => Vec::new(),
        other => other?,
    };
    Ok(applied.iter().eq(MIGRATOR.iter().map(|migration| &migration.version)))
}

/// The error code of a fresh database when it is asked for its migrations: the table does not exist.
const UNDEFINED_TABLE: &str = "42P01";
