//! Fills in rows that are older than a migration, in steps: a step does a part of the work, commits, and is repeated until
//! nothing is left. So a start that was killed goes on where it was.

use std::time::Duration;

use sqlx::{Connection as _, PgConnection};
use tokio::time::Instant;

use super::{commit, recount};
use crate::i18n::Phrase;
use crate::phrase;
use evenkeel_limiters::SteadyScore;

/// How often it is told how far it is.
pub const TELL_EVERY: Duration = Duration::from_secs(5);

/// Works on some posts with ids above a given one, and returns the last of those ids, or none if there are none left.
enum Step {
    /// A statement, with that id as `$1`.
    Sql(&'static str),
    Scores,
}

impl Step {
    async fn run(&self, connection: &mut PgConnection, after: i64) -> sqlx::Result<Option<i64>> {
        match self {
            Self::Sql(sql) => sqlx::query_scalar(*sql).bind(after).fetch_one(connection).await,
            Self::Scores => count_scores(connection, after).await,
        }
    }
}

/// Steps that fill in rows older than a migration. Rows are found by their ids alone: of columns that have just
/// been added the planner knows nothing, and might look through all rows that are not filled in yet.
const STEPS: [(&str, Step); 4] = [
    (
        "dates of publication",
        Step::Sql(
            "with these as (
            select id, status = 'published' and published_at is null as is_empty
            from blog_posts where id > $1 order by id limit 1000
        ), filled as (
            update blog_posts p set published_at = p.created_at from these where p.id = these.id and these.is_empty
        ) select max(id) from these",
        ),
    ),
    (
        "history of ratings",
        Step::Sql(
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
    ),
    ("days of ratings", DAYS_OF_RATINGS),
    ("steady scores by periods", Step::Scores),
];

/// Sets the day on which the score counts each rating, where that is missing. The totals are locked first, as whoever rates
/// does. A step ends with the post that makes its ratings 50,000.
const DAYS_OF_RATINGS: Step = Step::Sql(
    "with these as (
        select blog_id as id from (
            select blog_id, sum(rating_count) over (order by blog_id) - rating_count as before from (
                select * from rating_totals where blog_id > $1 order by blog_id limit 200 for no key update
            ) as next
        ) as summed where before < 50000
    ), filled as (
        update rates r set counted_on = (r.updated_at at time zone 'UTC')::date
        from these where r.blog_id = these.id and r.counted_on is null
    ) select max(id) from these",
);

/// Fills in everything that is not filled in yet. `tell` hears how far it is.
pub async fn all(connection: &mut PgConnection, tell: &(dyn Fn(Phrase) + Sync)) -> sqlx::Result<()> {
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
                tell(phrase!("starting-filling-in", percent = 100 * after / last));
                told = Some(Instant::now());
            }
            next = match some(connection, name, &step, after).await {
                Err(error) if is_locked(&error) => {
                    tell(phrase!("starting-waiting-lock"));
                    Some(after)
                }
                done => done?,
            };
        }
    }
    validate_constraints(connection).await
}

/// Checks the constraints that a migration added without a look at the rows that were there.
async fn validate_constraints(connection: &mut PgConnection) -> sqlx::Result<()> {
    sqlx::query!(
        "do $$ declare added record; begin
            for added in
                select conrelid::regclass as in_table, conname from pg_constraint
                where not convalidated and connamespace = current_schema()::regnamespace and conname in (
                    'published_has_time', 'rates_blog_id_fkey', 'rating_history_blog_id_fkey', 'zombie_pauses_blog_id_fkey',
                    'email_length', 'profile_length', 'language_length',
                    'post_language_length', 'withheld_is_draft'
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

/// Whether somebody else holds a row for too long, or had to be let through.
fn is_locked(error: &sqlx::Error) -> bool {
    const LOCK_NOT_AVAILABLE: &str = "55P03";
    const DEADLOCK: &str = "40P01";
    let code = error.as_database_error().and_then(sqlx::error::DatabaseError::code);
    code.is_some_and(|code| [LOCK_NOT_AVAILABLE, DEADLOCK].contains(&&*code))
}

/// Fills in some of the posts after this one, and remembers that. Returns the last of them; none when all is done.
async fn some(connection: &mut PgConnection, name: &str, step: &Step, after: i64) -> sqlx::Result<Option<i64>> {
    let mut transaction = connection.begin().await?;
    let done = step.run(&mut transaction, after).await?;
    sqlx::query!(
        "insert into migration_steps (name, after, is_done) values ($1, $2, $3)
        on conflict (name) do update set after = excluded.after, is_done = excluded.is_done",
        name,
        done.unwrap_or(after),
        done.is_none(),
    )
    .execute(&mut *transaction)
    .await?;
    commit(transaction).await?;
    Ok(done)
}

/// Counts the scores of posts that have none, after their ratings were written in bulk.
///
/// # Errors
/// If the database fails.
pub async fn count_new_scores(connection: &mut PgConnection) -> sqlx::Result<()> {
    for step in [DAYS_OF_RATINGS, Step::Scores] {
        let mut next = Some(0);
        while let Some(after) = next {
            let mut transaction = connection.begin().await?;
            next = step.run(&mut transaction, after).await?;
            commit(transaction).await?;
        }
    }
    Ok(())
}

/// Recomputes the scores of some posts that do not count all of their ratings.
async fn count_scores(connection: &mut PgConnection, after: i64) -> sqlx::Result<Option<i64>> {
    let posts = sqlx::query!(
        r#"with these as (
        select blog_id as id, rating_count, steady_count from (
            select blog_id, rating_count, steady_count, sum(rating_count) over (order by blog_id) - rating_count as before
            from (
                select * from rating_totals where blog_id > $1 order by blog_id limit 200 for no key update
            ) as next
        ) as summed where before < 50000
    ) select id as "id!", rating_count <> steady_count + coalesce(
            (select sum(count) from score_periods where blog_id = id), 0
        ) as "is_incomplete!" from these order by id"#,
        after,
    );
    let posts = posts.fetch_all(&mut *connection).await?;
    let incomplete: Vec<i64> = posts.iter().filter(|post| post.is_incomplete).map(|post| post.id).collect();
    let rules = SteadyScore::default();
    let excluded = recount::excluded_days(connection, &incomplete).await?;
    let scores = recount::scores(connection, &rules, &incomplete, &excluded).await?;
    recount::write(connection, &rules, &scores).await?;
    Ok(posts.last().map(|post| post.id))
}
