//! Storage of steady scores: the state in `rating_totals.steady`, and the ratings of earlier days in `score_days`.

use std::collections::{BTreeMap, HashMap};

use chrono::NaiveDate;
use sqlx::PgConnection;

use evenkeel_limiters::{DayRatings, OpenPeriod, RatingDays, SteadyScore, SteadyScoreState, WeightedStars};

pub fn days_since_epoch(day: NaiveDate) -> i64 {
    day.to_epoch_days().into()
}

/// Returns [`NaiveDate::MAX`] if the number is out of range.
pub fn date_from_epoch_days(day: i64) -> NaiveDate {
    i32::try_from(day).ok().and_then(NaiveDate::from_epoch_days).unwrap_or(NaiveDate::MAX)
}

#[derive(Clone, Debug, sqlx::Type)]
#[sqlx(type_name = "steady_state")]
pub struct SteadyStateValue {
    regular_weight: f64,
    regular_stars: f64,
    provisional_weight: f64,
    provisional_stars: f64,
    held_weight: f64,
    held_stars: f64,
    dropped: f64,
    excluded: i64,
    usual: f64,
    typical: Vec<f64>,
    known: f64,
    since: Option<NaiveDate>,
    ended_on: Option<NaiveDate>,
    first_day: Option<NaiveDate>,
    last_day: Option<NaiveDate>,
    stars: Vec<i32>,
    last_day_stars: Vec<i32>,
}

impl From<&SteadyScoreState> for SteadyStateValue {
    fn from(state: &SteadyScoreState) -> Self {
        let open = state.open.unwrap_or_default();
        let counts = |stars: [i64; 5]| stars.map(|count| i32::try_from(count).unwrap_or(i32::MAX)).to_vec();
        Self {
            regular_weight: state.regular.weight,
            regular_stars: state.regular.stars,
            provisional_weight: state.provisional.weight,
            provisional_stars: state.provisional.stars,
            held_weight: state.held.weight,
            held_stars: state.held.stars,
            dropped: state.dropped,
            excluded: state.excluded,
            usual: state.usual,
            typical: state.typical.to_vec(),
            known: state.known,
            since: state.since.map(date_from_epoch_days),
            ended_on: state.ended_on.map(date_from_epoch_days),
            first_day: state.open.map(|open| date_from_epoch_days(open.first_day)),
            last_day: state.open.map(|open| date_from_epoch_days(open.last_day)),
            stars: counts(open.stars),
            last_day_stars: counts(open.last_day_stars),
        }
    }
}

impl From<SteadyStateValue> for SteadyScoreState {
    fn from(value: SteadyStateValue) -> Self {
        let stars = |counts: Vec<i32>| <[i32; 5]>::try_from(counts).unwrap_or_default().map(i64::from);
        Self {
            regular: WeightedStars { weight: value.regular_weight, stars: value.regular_stars },
            provisional: WeightedStars { weight: value.provisional_weight, stars: value.provisional_stars },
            held: WeightedStars { weight: value.held_weight, stars: value.held_stars },
            dropped: value.dropped,
            excluded: value.excluded,
            usual: value.usual,
            typical: value.typical.try_into().unwrap_or_default(),
            known: value.known,
            since: value.since.map(days_since_epoch),
            ended_on: value.ended_on.map(days_since_epoch),
            open: value.first_day.zip(value.last_day).map(|(first_day, last_day)| OpenPeriod {
                first_day: days_since_epoch(first_day),
                last_day: days_since_epoch(last_day),
                stars: stars(value.stars),
                last_day_stars: stars(value.last_day_stars),
            }),
        }
    }
}

/// Reads earlier days from `score_days`; the latest day of each post comes from its state.
pub async fn read_days(
    connection: &mut PgConnection,
    states: &BTreeMap<i64, SteadyScoreState>,
) -> sqlx::Result<HashMap<i64, RatingDays>> {
    if states.is_empty() {
        return Ok(HashMap::new());
    }
    let posts: Vec<i64> = states.keys().copied().collect();
    let rows = sqlx::query!(
        r#"select blog_id, day, stars, moderation_id is not null as "excluded!" from score_days where blog_id = any($1)"#,
        &posts,
    );
    let mut stored: HashMap<i64, Vec<DayRatings>> = HashMap::new();
    for row in rows.fetch_all(connection).await? {
        let stars = row.stars.try_into().unwrap_or_default();
        let day = DayRatings { day: days_since_epoch(row.day), stars, excluded: row.excluded };
        stored.entry(row.blog_id).or_default().push(day);
    }
    let days = |(post, state): (&i64, &SteadyScoreState)| {
        (*post, RatingDays::new(stored.remove(post).unwrap_or_default(), state))
    };
    Ok(states.iter().map(days).collect())
}

/// Returns the initial state if the post does not exist.
pub async fn read_state(connection: &mut PgConnection, post: i64) -> sqlx::Result<SteadyScoreState> {
    let state = sqlx::query_scalar!(
        r#"select steady as "steady: SteadyStateValue" from rating_totals where blog_id = $1"#,
        post,
    );
    Ok(state.fetch_optional(connection).await?.flatten().map(SteadyScoreState::from).unwrap_or_default())
}

pub async fn read_days_of_post(
    connection: &mut PgConnection,
    post: i64,
    state: &SteadyScoreState,
) -> sqlx::Result<RatingDays> {
    let days = read_days(connection, &BTreeMap::from([(post, *state)])).await?;
    Ok(days.into_values().next().unwrap_or_default())
}

/// Writes rows of `score_days`, and keeps the decisions of moderators.
pub async fn write_days(connection: &mut PgConnection, days: &[(i64, DayRatings)]) -> sqlx::Result<()> {
    if days.is_empty() {
        return Ok(());
    }
    let star = |index: usize| days.iter().map(|(_, day)| day.stars[index]).collect::<Vec<_>>();
    sqlx::query!(
        "insert into score_days (blog_id, day, stars)
        select post, day, array[s1, s2, s3, s4, s5]
        from unnest($1::bigint[], $2::date[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[])
            as new (post, day, s1, s2, s3, s4, s5)
        on conflict on constraint score_days_pkey do update set stars = excluded.stars",
        &days.iter().map(|(post, _)| *post).collect::<Vec<_>>(),
        &days.iter().map(|(_, day)| date_from_epoch_days(day.day)).collect::<Vec<_>>(),
        &star(0),
        &star(1),
        &star(2),
        &star(3),
        &star(4),
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// The caller must hold the lock on the row of `rating_totals`.
pub async fn write_state(connection: &mut PgConnection, post: i64, state: &SteadyScoreState) -> sqlx::Result<()> {
    let shown = SteadyScore::default().score(state);
    sqlx::query!(
        "update rating_totals set steady = $2, steady_rating = $3, steady_weight = $4 where blog_id = $1",
        post,
        SteadyStateValue::from(state) as _,
        shown.score,
        shown.weight,
    )
    .execute(connection)
    .await?;
    Ok(())
}
