//! Storage of steady scores in the database: the state of a score in columns of `rating_totals`, and its ended periods
//! as rows of `score_periods`.

use chrono::NaiveDate;
use sqlx::PgConnection;

use evenkeel_limiters::{OpenPeriod, ScorePeriod, SteadyScore, SteadyScoreState};

/// Number of days from 1970-01-01 to a date.
pub fn days_since_epoch(day: NaiveDate) -> i64 {
    day.to_epoch_days().into()
}

/// Converts a number of days since 1970-01-01 to a date; [`NaiveDate::MAX`] if the number is out of range.
pub fn date_from_epoch_days(day: i64) -> NaiveDate {
    i32::try_from(day).ok().and_then(NaiveDate::from_epoch_days).unwrap_or(NaiveDate::MAX)
}

/// Builds a [`SteadyScoreState`] from a row of `rating_totals`.
macro_rules! steady_state {
    ($row:expr) => {
        evenkeel_limiters::SteadyScoreState {
            regular: evenkeel_limiters::WeightedStars {
                weight: $row.steady_regular_weight,
                stars: $row.steady_regular_stars,
            },
            provisional: evenkeel_limiters::WeightedStars {
                weight: $row.steady_provisional_weight,
                stars: $row.steady_provisional_stars,
            },
            held: evenkeel_limiters::WeightedStars { weight: $row.steady_held_weight, stars: $row.steady_held_stars },
            usual: $row.steady_usual,
            since: $row.steady_since.map($crate::score::periods::days_since_epoch),
            ended_on: $row.steady_ended_on.map($crate::score::periods::days_since_epoch),
            reference: $row.steady_reference,
            known: $row.steady_known,
            open: $row.steady_first_day.zip($row.steady_last_day).map(|(first_day, last_day)| {
                evenkeel_limiters::OpenPeriod {
                    first_day: $crate::score::periods::days_since_epoch(first_day),
                    last_day: $crate::score::periods::days_since_epoch(last_day),
                    count: $row.steady_count,
                    stars: $row.steady_stars,
                }
            }),
        }
    };
}

pub(crate) use steady_state;

/// Reads the steady score state of a post. Returns the initial state if the post does not exist.
pub async fn read_state(connection: &mut PgConnection, post: i64) -> sqlx::Result<SteadyScoreState> {
    let state = sqlx::query!(
        "select steady_regular_weight, steady_regular_stars, steady_provisional_weight, steady_provisional_stars,
            steady_held_weight, steady_held_stars, steady_usual, steady_since, steady_ended_on, steady_reference,
            steady_known, steady_first_day, steady_last_day, steady_count, steady_stars
        from rating_totals where blog_id = $1",
        post,
    );
    Ok(state.fetch_optional(connection).await?.map(|row| steady_state!(row)).unwrap_or_default())
}

/// Reads the steady score state of a post, and its latest ended periods, newest first and at most `limit`.
pub async fn read_latest_periods(
    connection: &mut PgConnection,
    post: i64,
    limit: i64,
) -> sqlx::Result<(SteadyScoreState, Vec<ScorePeriod>)> {
    let state = read_state(connection, post).await?;
    let periods = sqlx::query_as!(
        PeriodRow,
        "select first_day, last_day, count, stars, regular, provisional, held, dropped, excluded
        from score_periods where blog_id = $1 order by first_day desc limit $2",
        post,
        limit,
    );
    let periods = periods.fetch_all(connection).await?.into_iter().map(PeriodRow::period);
    // Skips periods that ended between the two queries: the state still contains them as the open period.
    let has_ended = |period: &ScorePeriod| state.open.is_none_or(|open| period.first_day < open.first_day);
    Ok((state, periods.filter(has_ended).collect()))
}

/// Reads the ended period of a post that contains `day`.
pub async fn find_ended_period(
    connection: &mut PgConnection,
    post: i64,
    day: NaiveDate,
) -> sqlx::Result<Option<ScorePeriod>> {
    let period = sqlx::query_as!(
        PeriodRow,
        "select first_day, last_day, count, stars, regular, provisional, held, dropped, excluded from (
            select * from score_periods where blog_id = $1 and first_day <= $2 order by first_day desc limit 1
        ) as latest where last_day >= $2",
        post,
        day,
    );
    Ok(period.fetch_optional(connection).await?.map(PeriodRow::period))
}

struct PeriodRow {
    first_day: NaiveDate,
    last_day: NaiveDate,
    count: i64,
    stars: i64,
    regular: f64,
    provisional: f64,
    held: f64,
    dropped: f64,
    excluded: bool,
}

impl PeriodRow {
    fn period(self) -> ScorePeriod {
        let Self { count, stars, regular, provisional, held, dropped, excluded, .. } = self;
        let (first_day, last_day) = (days_since_epoch(self.first_day), days_since_epoch(self.last_day));
        ScorePeriod { first_day, last_day, count, stars, regular, provisional, held, dropped, excluded }
    }
}

/// Inserts or updates ended periods, each with the id of its post. In an existing row, only the count, the stars and
/// the exclusion are updated.
pub async fn upsert(connection: &mut PgConnection, periods: &[(i64, ScorePeriod)]) -> sqlx::Result<()> {
    if periods.is_empty() {
        return Ok(());
    }
    let day = |day: fn(&ScorePeriod) -> i64| {
        periods.iter().map(|(_, period)| date_from_epoch_days(day(period))).collect::<Vec<_>>()
    };
    let number = |number: fn(&ScorePeriod) -> i64| periods.iter().map(|(_, period)| number(period)).collect::<Vec<_>>();
    let share = |share: fn(&ScorePeriod) -> f64| periods.iter().map(|(_, period)| share(period)).collect::<Vec<_>>();
    sqlx::query!(
        "insert into score_periods
            (blog_id, first_day, last_day, count, stars, regular, provisional, held, dropped, excluded)
        select * from unnest($1::bigint[], $2::date[], $3::date[], $4::bigint[], $5::bigint[], $6::float8[], $7::float8[],
            $8::float8[], $9::float8[], $10::boolean[])
        on conflict on constraint score_periods_pkey do update
            set count = excluded.count, stars = excluded.stars, excluded = excluded.excluded",
        &periods.iter().map(|(post, _)| *post).collect::<Vec<i64>>(),
        &day(|period| period.first_day),
        &day(|period| period.last_day),
        &number(|period| period.count),
        &number(|period| period.stars),
        &share(|period| period.regular),
        &share(|period| period.provisional),
        &share(|period| period.held),
        &share(|period| period.dropped),
        &periods.iter().map(|(_, period)| period.excluded).collect::<Vec<bool>>(),
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Steady score states of several posts as columns for `unnest`.
pub struct ScoreStateColumns {
    pub regular_weight: Vec<f64>,
    pub regular_stars: Vec<f64>,
    pub provisional_weight: Vec<f64>,
    pub provisional_stars: Vec<f64>,
    pub held_weight: Vec<f64>,
    pub held_stars: Vec<f64>,
    pub usual: Vec<f64>,
    pub since: Vec<Option<NaiveDate>>,
    pub ended_on: Vec<Option<NaiveDate>>,
    pub reference: Vec<f64>,
    pub known: Vec<f64>,
    pub first_day: Vec<Option<NaiveDate>>,
    pub last_day: Vec<Option<NaiveDate>>,
    pub count: Vec<i64>,
    pub stars: Vec<i64>,
    pub rating: Vec<Option<f64>>,
    pub weight: Vec<f64>,
}

impl ScoreStateColumns {
    pub fn new<'a>(rules: &SteadyScore, states: impl IntoIterator<Item = &'a SteadyScoreState>) -> Self {
        let states: Vec<&SteadyScoreState> = states.into_iter().collect();
        let sum = |sum: fn(&SteadyScoreState) -> f64| states.iter().map(|state| sum(state)).collect::<Vec<f64>>();
        let open = || states.iter().map(|state| state.open);
        let day =
            |day: fn(OpenPeriod) -> i64| open().map(|open| open.map(|open| date_from_epoch_days(day(open)))).collect();
        let number = |number: fn(OpenPeriod) -> i64| open().map(|open| open.map_or(0, number)).collect();
        let (rating, weight) =
            states.iter().map(|state| rules.score(state)).map(|shown| (shown.score, shown.weight)).unzip();
        Self {
            regular_weight: sum(|state| state.regular.weight),
            regular_stars: sum(|state| state.regular.stars),
            provisional_weight: sum(|state| state.provisional.weight),
            provisional_stars: sum(|state| state.provisional.stars),
            held_weight: sum(|state| state.held.weight),
            held_stars: sum(|state| state.held.stars),
            usual: sum(|state| state.usual),
            since: states.iter().map(|state| state.since.map(date_from_epoch_days)).collect(),
            ended_on: states.iter().map(|state| state.ended_on.map(date_from_epoch_days)).collect(),
            reference: sum(|state| state.reference),
            known: sum(|state| state.known),
            first_day: day(|open| open.first_day),
            last_day: day(|open| open.last_day),
            count: number(|open| open.count),
            stars: number(|open| open.stars),
            rating,
            weight,
        }
    }
}

/// Writes the steady score states of posts. The caller holds locks on their rows of `rating_totals`.
pub async fn write_score_states(
    connection: &mut PgConnection,
    rules: &SteadyScore,
    states: &[(i64, SteadyScoreState)],
) -> sqlx::Result<()> {
    let columns = ScoreStateColumns::new(rules, states.iter().map(|(_, state)| state));
    sqlx::query!(
        "update rating_totals t set steady_regular_weight = by.w1, steady_regular_stars = by.s1,
            steady_provisional_weight = by.w2, steady_provisional_stars = by.s2, steady_held_weight = by.w3,
            steady_held_stars = by.s3, steady_usual = by.usual, steady_since = by.since,
            steady_reference = by.reference, steady_known = by.known, steady_first_day = by.first_day,
            steady_last_day = by.last_day, steady_count = by.count, steady_stars = by.stars, steady_rating = by.rating,
            steady_weight = by.weight, steady_ended_on = by.ended_on
        from unnest($1::bigint[], $2::float8[], $3::float8[], $4::float8[], $5::float8[], $6::float8[], $7::float8[],
                $8::float8[], $9::date[], $10::float8[], $11::float8[], $12::date[], $13::date[], $14::bigint[],
                $15::bigint[], $16::float8[], $17::float8[], $18::date[])
            as by (blog_id, w1, s1, w2, s2, w3, s3, usual, since, reference, known, first_day, last_day, count, stars,
                rating, weight, ended_on)
        where t.blog_id = by.blog_id",
        &states.iter().map(|(post, _)| *post).collect::<Vec<i64>>(),
        &columns.regular_weight,
        &columns.regular_stars,
        &columns.provisional_weight,
        &columns.provisional_stars,
        &columns.held_weight,
        &columns.held_stars,
        &columns.usual,
        &columns.since as &[Option<NaiveDate>],
        &columns.reference,
        &columns.known,
        &columns.first_day as &[Option<NaiveDate>],
        &columns.last_day as &[Option<NaiveDate>],
        &columns.count,
        &columns.stars,
        &columns.rating as &[Option<f64>],
        &columns.weight,
        &columns.ended_on as &[Option<NaiveDate>],
    )
    .execute(connection)
    .await?;
    Ok(())
}
