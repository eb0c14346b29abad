//! Storage of steady scores in the database: the state of a score in columns of `rating_totals`, and its ended periods
//! as rows of `score_periods`.

use chrono::NaiveDate;
use sqlx::PgConnection;

use evenkeel_limiters::{OpenPeriod, ScorePeriod, SteadyScore, SteadyScoreState, WeightedStars};

/// Number of days from 1970-01-01 to a date.
pub fn days_since_epoch(day: NaiveDate) -> i64 {
    day.to_epoch_days().into()
}

/// Converts a number of days since 1970-01-01 to a date; [`NaiveDate::MAX`] if the number is out of range.
pub fn date_from_epoch_days(day: i64) -> NaiveDate {
    i32::try_from(day).ok().and_then(NaiveDate::from_epoch_days).unwrap_or(NaiveDate::MAX)
}

/// Columns of `rating_totals` with the state of the steady score.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct SteadyStateColumns {
    pub steady_regular_weight: f64,
    pub steady_regular_stars: f64,
    pub steady_provisional_weight: f64,
    pub steady_provisional_stars: f64,
    pub steady_held_weight: f64,
    pub steady_held_stars: f64,
    pub steady_usual: f64,
    pub steady_since: Option<NaiveDate>,
    pub steady_ended_on: Option<NaiveDate>,
    pub steady_reference: f64,
    pub steady_known: f64,
    pub steady_first_day: Option<NaiveDate>,
    pub steady_last_day: Option<NaiveDate>,
    pub steady_count: i64,
    pub steady_stars: i64,
}

impl SteadyStateColumns {
    pub fn state(&self) -> SteadyScoreState {
        SteadyScoreState {
            regular: WeightedStars { weight: self.steady_regular_weight, stars: self.steady_regular_stars },
            provisional: WeightedStars { weight: self.steady_provisional_weight, stars: self.steady_provisional_stars },
            held: WeightedStars { weight: self.steady_held_weight, stars: self.steady_held_stars },
            usual: self.steady_usual,
            since: self.steady_since.map(days_since_epoch),
            ended_on: self.steady_ended_on.map(days_since_epoch),
            reference: self.steady_reference,
            known: self.steady_known,
            open: self.steady_first_day.zip(self.steady_last_day).map(|(first_day, last_day)| OpenPeriod {
                first_day: days_since_epoch(first_day),
                last_day: days_since_epoch(last_day),
                count: self.steady_count,
                stars: self.steady_stars,
            }),
        }
    }
}

/// Reads the steady score state of a post. Returns the initial state if the post does not exist.
pub async fn read_state(connection: &mut PgConnection, post: i64) -> sqlx::Result<SteadyScoreState> {
    let state = sqlx::query_as!(
        SteadyStateColumns,
        "select steady_regular_weight, steady_regular_stars, steady_provisional_weight, steady_provisional_stars,
            steady_held_weight, steady_held_stars, steady_usual, steady_since, steady_ended_on, steady_reference,
            steady_known, steady_first_day, steady_last_day, steady_count, steady_stars
        from rating_totals where blog_id = $1",
        post,
    );
    Ok(state.fetch_optional(connection).await?.map(|row| row.state()).unwrap_or_default())
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

/// Steady score state of a post as an argument of SQL statements, with the score and its weight.
#[derive(Clone, Debug, sqlx::Type)]
#[sqlx(type_name = "steady_state")]
pub struct SteadyStateRow {
    regular_weight: f64,
    regular_stars: f64,
    provisional_weight: f64,
    provisional_stars: f64,
    held_weight: f64,
    held_stars: f64,
    usual: f64,
    since: Option<NaiveDate>,
    ended_on: Option<NaiveDate>,
    reference: f64,
    known: f64,
    first_day: Option<NaiveDate>,
    last_day: Option<NaiveDate>,
    count: i64,
    stars: i64,
    rating: Option<f64>,
    weight: f64,
}

impl SteadyStateRow {
    pub fn new(rules: &SteadyScore, state: &SteadyScoreState) -> Self {
        let (shown, open) = (rules.score(state), state.open);
        Self {
            regular_weight: state.regular.weight,
            regular_stars: state.regular.stars,
            provisional_weight: state.provisional.weight,
            provisional_stars: state.provisional.stars,
            held_weight: state.held.weight,
            held_stars: state.held.stars,
            usual: state.usual,
            since: state.since.map(date_from_epoch_days),
            ended_on: state.ended_on.map(date_from_epoch_days),
            reference: state.reference,
            known: state.known,
            first_day: open.map(|open| date_from_epoch_days(open.first_day)),
            last_day: open.map(|open| date_from_epoch_days(open.last_day)),
            count: open.map_or(0, |open| open.count),
            stars: open.map_or(0, |open| open.stars),
            rating: shown.score,
            weight: shown.weight,
        }
    }
}

/// Writes the steady score states of posts. The caller holds locks on their rows of `rating_totals`.
pub async fn write_score_states(
    connection: &mut PgConnection,
    rules: &SteadyScore,
    states: &[(i64, SteadyScoreState)],
) -> sqlx::Result<()> {
    let posts: Vec<i64> = states.iter().map(|(post, _)| *post).collect();
    let rows: Vec<_> = states.iter().map(|(_, state)| SteadyStateRow::new(rules, state)).collect();
    sqlx::query!(
        "update rating_totals t set steady_regular_weight = regular_weight, steady_regular_stars = regular_stars,
            steady_provisional_weight = provisional_weight, steady_provisional_stars = provisional_stars,
            steady_held_weight = held_weight, steady_held_stars = held_stars, steady_usual = usual,
            steady_since = since, steady_ended_on = ended_on, steady_reference = reference, steady_known = known,
            steady_first_day = first_day, steady_last_day = last_day, steady_count = count, steady_stars = stars,
            steady_rating = rating, steady_weight = weight
        from (
            select * from unnest($1::bigint[]) with ordinality as posts (post, place)
                join unnest($2::steady_state[]) with ordinality as states (regular_weight, regular_stars,
                    provisional_weight, provisional_stars, held_weight, held_stars, usual, since, ended_on, reference,
                    known, first_day, last_day, count, stars, rating, weight, place) using (place)
        ) as new
        where t.blog_id = new.post",
        &posts,
        &rows as _,
    )
    .execute(connection)
    .await?;
    Ok(())
}
