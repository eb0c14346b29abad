//! The days of posts' steady scores as rows of `post_days`.

use chrono::NaiveDate;
use sqlx::PgConnection;

use crate::limiters::SteadyDay;

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
        "insert into post_days (blog_id, day, known_count, known_sum, fresh_count, fresh_sum, known_weight, fresh_weight)
        select * from unnest($1::bigint[], $2::date[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[],
            $7::float8[], $8::float8[])
        on conflict on constraint post_days_pkey do update
            set known_count = excluded.known_count, known_sum = excluded.known_sum,
                fresh_count = excluded.fresh_count, fresh_sum = excluded.fresh_sum",
        &days.iter().map(|(post, _)| *post).collect::<Vec<i64>>(),
        &days.iter().map(|(_, day)| date_of(day.day)).collect::<Vec<NaiveDate>>(),
        &number(|day| day.ratings.known.count),
        &number(|day| day.ratings.known.sum),
        &number(|day| day.ratings.fresh.count),
        &number(|day| day.ratings.fresh.sum),
        &weight(|day| day.known_weight),
        &weight(|day| day.fresh_weight),
    )
    .execute(connection)
    .await?;
    Ok(())
}
