//! Recomputes rating totals and scores from the ratings in the table `rates`.

use std::collections::{BTreeMap, HashMap};

use sqlx::{Connection as _, PgConnection};

use crate::db::commit;
use crate::score::rating_days::{SteadyStateValue, days_since_epoch, read_days, write_days, write_state};
use evenkeel_limiters::{DayRatings, RatingDays, SteadyScore, SteadyScoreState};

/// Counts the ratings of each post by day. Posts without ratings are omitted.
pub(crate) async fn count_days(connection: &mut PgConnection, posts: &[i64]) -> sqlx::Result<HashMap<i64, RatingDays>> {
    let rows = sqlx::query!(
        r#"select r.blog_id, counted_on as "day!", array_agg(rating) as "stars!", array_agg(count) as "counts!",
            d.moderation_id is not null as "excluded!"
        from (
            select blog_id, counted_on, rating::bigint, count(*) from rates
            where blog_id = any($1) and counted_on is not null group by blog_id, counted_on, rating
        ) as r left join score_days d on d.blog_id = r.blog_id and d.day = r.counted_on
        group by r.blog_id, counted_on, d.moderation_id"#,
        posts,
    );
    let mut days: HashMap<i64, Vec<DayRatings>> = HashMap::new();
    for row in rows.fetch_all(connection).await? {
        let mut day = DayRatings { day: days_since_epoch(row.day), excluded: row.excluded, ..DayRatings::default() };
        for (stars, count) in row.stars.into_iter().zip(row.counts) {
            if let Some(stored) = u8::try_from(stars).ok().and_then(|stars| day.count_mut(stars)) {
                *stored = count;
            }
        }
        days.entry(row.blog_id).or_default().push(day);
    }
    Ok(days.into_iter().map(|(post, days)| (post, days.into_iter().collect())).collect())
}

/// The caller must hold the lock on the post's row of `rating_totals`.
pub(crate) async fn write_score(connection: &mut PgConnection, post: i64, days: &RatingDays) -> sqlx::Result<()> {
    sqlx::query!("delete from score_days where blog_id = $1 and moderation_id is null", post)
        .execute(&mut *connection)
        .await?;
    // Excluded days keep their rows, which refer to decisions, even if all ratings of a day have been withdrawn.
    sqlx::query!("update score_days set stars = '{0, 0, 0, 0, 0}' where blog_id = $1", post)
        .execute(&mut *connection)
        .await?;
    let state = SteadyScore::default().compute_state(days.iter());
    let earlier = days.iter().filter(|day| state.latest_day().is_none_or(|latest| latest.day != day.day));
    let earlier: Vec<(i64, DayRatings)> = earlier.map(|day| (post, *day)).collect();
    write_days(connection, &earlier).await?;
    write_state(connection, post, &state).await
}

#[derive(Clone, Debug, PartialEq)]
pub struct ChunkCheckResult {
    /// Largest post id in the chunk.
    pub last: i64,
    pub posts: i64,
    pub ratings: i64,
    pub wrong: Vec<IncorrectPost>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IncorrectPost {
    pub post: i64,
    /// Numbers of ratings from one to five stars: `ratings` in the table `rates`, and `counted` in `rating_totals`.
    pub ratings: Vec<i64>,
    pub counted: Vec<i64>,
    /// True if the stored days differ from the ratings, or the stored score differs from the days.
    pub score_is_wrong: bool,
}

/// Returns `None` if no post has an id above `after`. All queries read the same snapshot.
async fn check_chunk(connection: &mut PgConnection, after: i64) -> sqlx::Result<Option<ChunkCheckResult>> {
    // Creates a savepoint if the caller has begun a transaction, as the import does.
    let mut transaction = if connection.is_in_transaction() {
        connection.begin().await?
    } else {
        connection.begin_with("begin isolation level repeatable read read only").await?
    };
    let rows = sqlx::query_file!("src/rate/recount.sql", after).fetch_all(&mut *transaction).await?;
    let Some(last) = rows.last().map(|row| row.post) else { return Ok(None) };
    let posts: Vec<i64> = rows.iter().map(|row| row.post).collect();
    let mut counted_days = count_days(&mut transaction, &posts).await?;
    let state = |steady: &Option<SteadyStateValue>| steady.clone().map(SteadyScoreState::from).unwrap_or_default();
    let states: BTreeMap<i64, SteadyScoreState> = rows.iter().map(|row| (row.post, state(&row.steady))).collect();
    let stored_days = read_days(&mut transaction, &states).await?;
    transaction.rollback().await?;
    let ratings = rows.iter().flat_map(|row| &row.ratings).sum();
    let wrong = rows.into_iter().filter_map(|row| {
        let days = counted_days.remove(&row.post).unwrap_or_default();
        let score_is_wrong =
            !is_correct(&states[&row.post], &stored_days[&row.post], &days, row.steady_rating, row.steady_weight);
        (score_is_wrong || row.counted != row.ratings).then_some(IncorrectPost {
            post: row.post,
            ratings: row.ratings,
            counted: row.counted,
            score_is_wrong,
        })
    });
    let wrong = wrong.collect();
    Ok(Some(ChunkCheckResult { last, posts: i64::try_from(posts.len()).unwrap_or(i64::MAX), ratings, wrong }))
}

/// Floating-point fields of a score state, which are compared with a tolerance.
fn float_fields(state: &SteadyScoreState) -> impl Iterator<Item = f64> {
    let sums = [state.regular, state.provisional, state.held].into_iter().flat_map(|sum| [sum.weight, sum.stars]);
    sums.chain([state.dropped, state.usual, state.known]).chain(state.typical)
}

fn is_correct(
    state: &SteadyScoreState,
    stored: &RatingDays,
    counted: &RatingDays,
    score: Option<f64>,
    weight: f64,
) -> bool {
    let rules = SteadyScore::default();
    let expected = rules.compute_state(counted.iter());
    let expected_score = rules.score(&expected);
    // Floating-point results of different machines may differ slightly.
    let near = |one: f64, other: f64| (one - other).abs() <= 1e-6 * (1.0 + other.abs());
    let has_ratings = |day: &&DayRatings| day.count() > 0;
    stored.iter().filter(has_ratings).eq(counted.iter().filter(has_ratings))
        && (state.open, state.since, state.ended_on) == (expected.open, expected.since, expected.ended_on)
        && state.excluded == expected.excluded
        && float_fields(state).zip(float_fields(&expected)).all(|(one, other)| near(one, other))
        && near(weight, expected_score.weight)
        && score.is_some() == expected_score.score.is_some()
        && near(score.unwrap_or(0.0), expected_score.score.unwrap_or(0.0))
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CheckSummary {
    pub posts: i64,
    pub ratings: i64,
    pub wrong: usize,
}

/// Checks all posts, and with `fix` corrects posts that differ from their ratings. Calls `tell` after each chunk.
pub async fn check_all_totals(
    connection: &mut PgConnection,
    fix: bool,
    mut tell: impl FnMut(&ChunkCheckResult, CheckSummary),
) -> sqlx::Result<CheckSummary> {
    let (mut after, mut checked) = (0, CheckSummary::default());
    while let Some(step) = check_chunk(connection, after).await? {
        after = step.last;
        checked.posts += step.posts;
        checked.ratings += step.ratings;
        checked.wrong += step.wrong.len();
        tell(&step, checked);
        for wrong in step.wrong.iter().filter(|_| fix) {
            fix_post(connection, wrong).await?;
        }
    }
    Ok(checked)
}

async fn fix_post(connection: &mut PgConnection, wrong: &IncorrectPost) -> sqlx::Result<()> {
    let mut transaction = connection.begin().await?;
    sqlx::query!("select from rating_totals where blog_id = $1 for no key update", wrong.post)
        .fetch_optional(&mut *transaction)
        .await?;
    sqlx::query!(
        "update rating_totals set stars_1 = s1, stars_2 = s2, stars_3 = s3, stars_4 = s4, stars_5 = s5 from (
            select count(*) filter (where rating = 1) s1, count(*) filter (where rating = 2) s2,
                count(*) filter (where rating = 3) s3, count(*) filter (where rating = 4) s4,
                count(*) filter (where rating = 5) s5
            from rates where blog_id = $1
        ) as counted where blog_id = $1",
        wrong.post,
    )
    .execute(&mut *transaction)
    .await?;
    if wrong.score_is_wrong {
        let days = count_days(&mut transaction, &[wrong.post]).await?.remove(&wrong.post).unwrap_or_default();
        write_score(&mut transaction, wrong.post, &days).await?;
    }
    commit(transaction).await
}

/// Computes scores of ratings inserted without the rating writer. A transaction covers about 50,000 ratings.
pub async fn compute_missing_scores(connection: &mut PgConnection) -> sqlx::Result<()> {
    let mut after = 0;
    loop {
        let mut transaction = connection.begin().await?;
        let posts = lock_next_posts(&mut transaction, after).await?;
        let Some(last) = posts.last() else { return Ok(()) };
        after = *last;
        let changed = sqlx::query_scalar!(
            "with changed as (
                update rates set counted_on = (created_at at time zone 'UTC')::date
                where blog_id = any($1) and counted_on is null returning blog_id
            )
            select distinct blog_id from changed",
            &posts,
        );
        let changed = changed.fetch_all(&mut *transaction).await?;
        for (post, days) in count_days(&mut transaction, &changed).await? {
            write_score(&mut transaction, post, &days).await?;
        }
        commit(transaction).await?;
    }
}

/// Locks at most 200 posts with about 50,000 ratings in total, in ascending order of their ids.
async fn lock_next_posts(connection: &mut PgConnection, after: i64) -> sqlx::Result<Vec<i64>> {
    let posts = sqlx::query_scalar!(
        r#"select blog_id as "blog_id!" from (
            select blog_id, sum(rating_count) over (order by blog_id) - rating_count as before
            from (
                select * from rating_totals where blog_id > $1 order by blog_id limit 200 for no key update
            ) as locked
        ) as summed where before < 50000 order by blog_id"#,
        after,
    );
    posts.fetch_all(connection).await
}
