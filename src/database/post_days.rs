//! Posts' steady scores as columns of `rating_totals`, and their days that are over as rows of `post_days`.

use chrono::NaiveDate;
use sqlx::PgConnection;

use crate::limiters::{DayTally, SteadyDay, SteadyScore, SteadyScoreState, Tally};

/// A day as a number of days since 1970-01-01.
#[must_use]
pub fn number_of(day: NaiveDate) -> i64 {
    day.to_epoch_days().into()
}

/// The day with this number, or the last one there is.
#[must_use]
pub fn date_of(day: i64) -> NaiveDate {
    i32::try_from(day).ok().and_then(NaiveDate::from_epoch_days).unwrap_or(NaiveDate::MAX)
}

/// The state of a post's score, from a row with all of its columns.
macro_rules! steady_state {
    ($row:expr) => {
        $crate::limiters::SteadyScoreState {
            weight: $row.steady_closed_weight,
            sum: $row.steady_closed_sum,
            usual: $row.steady_usual,
            day: $row.steady_day.map($crate::database::post_days::number_of),
            open: $crate::limiters::DayTally {
                known: $crate::limiters::Tally { count: $row.steady_known_count, sum: $row.steady_known_sum },
                fresh: $crate::limiters::Tally { count: $row.steady_fresh_count, sum: $row.steady_fresh_sum },
            },
        }
    };
}

pub(crate) use steady_state;

/// A post's state, and its days that are over: the latest `most` of them, the latest first.
///
/// # Errors
/// If the database fails.
pub async fn read(
    connection: &mut PgConnection,
    post: i64,
    most: i64,
) -> sqlx::Result<(SteadyScoreState, Vec<SteadyDay>)> {
    let state = sqlx::query!(
        "select steady_closed_weight, steady_closed_sum, steady_usual, steady_day, steady_known_count, steady_known_sum,
            steady_fresh_count, steady_fresh_sum from rating_totals where blog_id = $1",
        post,
    );
    let state = state.fetch_optional(&mut *connection).await?.map(|row| steady_state!(row)).unwrap_or_default();
    let days = sqlx::query!(
        "select day, known_count, known_sum, fresh_count, fresh_sum, known_weight, fresh_weight, voided
        from post_days where blog_id = $1 order by day desc limit $2",
        post,
        most,
    );
    let days = days.fetch_all(connection).await?.into_iter().map(|row| SteadyDay {
        day: number_of(row.day),
        ratings: DayTally {
            known: Tally { count: row.known_count, sum: row.known_sum },
            fresh: Tally { count: row.fresh_count, sum: row.fresh_sum },
        },
        known_weight: row.known_weight,
        fresh_weight: row.fresh_weight,
        voided: row.voided,
    });
    // A day that has ended since the state was read is still open in that.
    Ok((state, days.filter(|over| state.day.is_some_and(|open| over.day < open)).collect()))
}

/// Writes days, by the ids of their posts: new ones, and others with the ratings that they have now.
///
/// # Errors
/// If the database fails.
pub async fn write(connection: &mut PgConnection, days: &[(i64, SteadyDay)]) -> sqlx::Result<()> {
    if days.is_empty() {
        return Ok(());
    }
    let number = |number: fn(&SteadyDay) -> i64| days.iter().map(|(_, day)| number(day)).collect::<Vec<i64>>();
    let weight = |weight: fn(&SteadyDay) -> f64| days.iter().map(|(_, day)| weight(day)).collect::<Vec<f64>>();
    sqlx::query!(
        "insert into post_days
            (blog_id, day, known_count, known_sum, fresh_count, fresh_sum, known_weight, fresh_weight, voided)
        select * from unnest($1::bigint[], $2::date[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[],
            $7::float8[], $8::float8[], $9::boolean[])
        on conflict on constraint post_days_pkey do update
            set known_count = excluded.known_count, known_sum = excluded.known_sum,
                fresh_count = excluded.fresh_count, fresh_sum = excluded.fresh_sum, voided = excluded.voided",
        &days.iter().map(|(post, _)| *post).collect::<Vec<i64>>(),
        &days.iter().map(|(_, day)| date_of(day.day)).collect::<Vec<NaiveDate>>(),
        &number(|day| day.ratings.known.count),
        &number(|day| day.ratings.known.sum),
        &number(|day| day.ratings.fresh.count),
        &number(|day| day.ratings.fresh.sum),
        &weight(|day| day.known_weight),
        &weight(|day| day.fresh_weight),
        &days.iter().map(|(_, day)| day.voided).collect::<Vec<bool>>(),
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Writes the states and scores of posts, whose totals are locked.
///
/// # Errors
/// If the database fails.
pub async fn write_states(
    connection: &mut PgConnection,
    rules: &SteadyScore,
    states: &[(i64, SteadyScoreState)],
) -> sqlx::Result<()> {
    let real = |number: fn(&SteadyScoreState) -> f64| states.iter().map(|(_, state)| number(state)).collect::<Vec<_>>();
    let whole = |number: fn(&DayTally) -> i64| states.iter().map(|(_, state)| number(&state.open)).collect::<Vec<_>>();
    let (ratings, weights): (Vec<Option<f64>>, Vec<f64>) =
        states.iter().map(|(_, state)| rules.score(state)).map(|shown| (shown.score, shown.weight)).unzip();
    sqlx::query!(
        "update rating_totals t set steady_closed_weight = by.closed_weight, steady_closed_sum = by.closed_sum,
            steady_usual = by.usual, steady_day = by.day, steady_known_count = by.known_count,
            steady_known_sum = by.known_sum, steady_fresh_count = by.fresh_count, steady_fresh_sum = by.fresh_sum,
            steady_rating = by.rating, steady_weight = by.weight
        from unnest($1::bigint[], $2::float8[], $3::float8[], $4::float8[], $5::date[], $6::bigint[], $7::bigint[],
                $8::bigint[], $9::bigint[], $10::float8[], $11::float8[])
            as by (blog_id, closed_weight, closed_sum, usual, day, known_count, known_sum, fresh_count, fresh_sum, rating,
                weight)
        where t.blog_id = by.blog_id",
        &states.iter().map(|(post, _)| *post).collect::<Vec<i64>>(),
        &real(|state| state.weight),
        &real(|state| state.sum),
        &real(|state| state.usual),
        &states.iter().map(|(_, state)| state.day.map(date_of)).collect::<Vec<_>>() as &[Option<NaiveDate>],
        &whole(|open| open.known.count),
        &whole(|open| open.known.sum),
        &whole(|open| open.fresh.count),
        &whole(|open| open.fresh.sum),
        &ratings as &[Option<f64>],
        &weights,
    )
    .execute(connection)
    .await?;
    Ok(())
}
