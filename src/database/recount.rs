//! Counts ratings anew: what stands beside a post against what its ratings say, and the score from its ratings alone.

use std::collections::HashMap;

use sqlx::{Connection as _, PgConnection};

use super::commit::commit;
use super::post_days;
use crate::limiters::{Account, SteadyDay, SteadyScore, SteadyScoreState};

/// A score that is counted from ratings.
#[derive(Default)]
pub(super) struct Counted {
    pub state: SteadyScoreState,
    /// The days that are over.
    pub over: Vec<SteadyDay>,
}

/// Counts the scores of posts from their ratings, day by day. Posts without any are left out.
///
/// # Errors
/// Those of the database.
pub(super) async fn scores(
    connection: &mut PgConnection,
    rules: &SteadyScore,
    posts: &[i64],
) -> sqlx::Result<HashMap<i64, Counted>> {
    let groups = sqlx::query!(
        r#"select blog_id, counted_on as "day!", counted_stars as "stars!", fresh as "fresh!", count(*) as "count!"
        from rates where blog_id = any($1) and counted_on is not null
        group by blog_id, counted_on, counted_stars, fresh order by blog_id, counted_on"#,
        posts,
    );
    let mut counted: HashMap<i64, Counted> = HashMap::new();
    for group in groups.fetch_all(connection).await? {
        let Counted { state, over } = counted.entry(group.blog_id).or_default();
        let account = if group.fresh { Account::Fresh } else { Account::Known };
        let (day, stars) = (post_days::number_of(group.day), u8::try_from(group.stars).unwrap_or(0));
        for _ in 0..group.count {
            let (next, ended) = rules.rate(state, day, stars, account);
            *state = next;
            over.extend(ended);
        }
    }
    Ok(counted)
}

/// Writes scores and their days.
///
/// # Errors
/// Those of the database.
pub(super) async fn write(
    connection: &mut PgConnection,
    rules: &SteadyScore,
    counted: &HashMap<i64, Counted>,
) -> sqlx::Result<()> {
    let states: Vec<(i64, SteadyScoreState)> = counted.iter().map(|(post, counted)| (*post, counted.state)).collect();
    post_days::write_states(connection, rules, &states).await?;
    let days = counted.iter().flat_map(|(post, counted)| counted.over.iter().map(|day| (*post, *day)));
    post_days::write(connection, &days.collect::<Vec<_>>()).await
}

/// Posts that were checked in one step.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The last of them.
    pub last: i64,
    pub posts: i64,
    pub ratings: i64,
    pub wrong: Vec<Wrong>,
}

/// A post beside which stands something else than its ratings say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    pub post: i64,
    /// How many ratings of one to five stars there are, and how many stand beside it.
    pub ratings: Vec<i64>,
    pub counted: Vec<i64>,
    /// Whether the ratings of a day are others than the score has, or what all days weigh together is.
    pub score_is_wrong: bool,
}

/// Checks some of the posts after this one; none when there is none. All of it is read at one moment, so that ratings that
/// come meanwhile are in both or in neither.
///
/// # Errors
/// Those of the database.
async fn check_some(connection: &mut PgConnection, after: i64) -> sqlx::Result<Option<Step>> {
    let rows = sqlx::query_file!("src/database/recount.sql", after,);
    let rows = rows.fetch_all(connection).await?;
    let Some(last) = rows.last().map(|row| row.post) else { return Ok(None) };
    let (posts, ratings) = (rows.len(), rows.iter().flat_map(|row| &row.ratings).sum());
    let wrong = rows.into_iter().filter(|row| row.score_is_wrong || row.counted != row.ratings);
    let wrong = wrong.map(|row| Wrong {
        post: row.post,
        ratings: row.ratings,
        counted: row.counted,
        score_is_wrong: row.score_is_wrong,
    });
    Ok(Some(Step { last, posts: i64::try_from(posts).unwrap_or(i64::MAX), ratings, wrong: wrong.collect() }))
}

/// What was checked in all steps together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    pub posts: i64,
    pub ratings: i64,
    /// Posts beside which stood something else than their ratings say.
    pub wrong: usize,
}

/// Checks all posts, step by step; with `fix`, counts those anew that are wrong. `tell` hears of each step before that, and
/// what was checked until then.
///
/// # Errors
/// Those of the database.
pub async fn check_all(
    connection: &mut PgConnection,
    fix: bool,
    mut tell: impl FnMut(&Step, Checked),
) -> sqlx::Result<Checked> {
    let (mut after, mut checked) = (0, Checked::default());
    while let Some(step) = check_some(connection, after).await? {
        after = step.last;
        checked.posts += step.posts;
        checked.ratings += step.ratings;
        checked.wrong += step.wrong.len();
        tell(&step, checked);
        for wrong in step.wrong.iter().filter(|_| fix) {
            mend(connection, wrong).await?;
        }
    }
    Ok(checked)
}

/// Counts a post's ratings anew; where its score is wrong, that, too. Days that staff left out stay so. Whoever rates the post
/// meanwhile waits.
///
/// # Errors
/// Those of the database.
async fn mend(connection: &mut PgConnection, wrong: &Wrong) -> sqlx::Result<()> {
    let mut transaction = connection.begin().await?;
    let locked =
        sqlx::query_scalar!("select steady_day from rating_totals where blog_id = $1 for no key update", wrong.post);
    let today = locked.fetch_optional(&mut *transaction).await?.flatten();
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
        mend_score(&mut transaction, wrong.post, today.map(post_days::number_of)).await?;
    }
    commit(transaction).await
}

/// `today`: the day that was not over before.
async fn mend_score(connection: &mut PgConnection, post: i64, today: Option<i64>) -> sqlx::Result<()> {
    let rules = SteadyScore::default();
    sqlx::query!("update rates set counted_stars = rating where blog_id = $1 and counted_stars <> rating", post)
        .execute(&mut *connection)
        .await?;
    let left_out = sqlx::query!(
        r#"with gone as (delete from post_days where blog_id = $1 returning day, voided, moderation_id)
        select day, moderation_id from gone where voided"#,
        post,
    );
    let left_out = left_out.fetch_all(&mut *connection).await?;
    let mut counted = scores(connection, &rules, &[post]).await?;
    let Counted { state, over } = counted.entry(post).or_default();
    if let Some(today) = today.filter(|today| state.day.is_some_and(|last| last < *today)) {
        let (next, ended) = rules.begin_day(state, today);
        *state = next;
        over.extend(ended);
    }
    let is_left_out = |day: i64| left_out.iter().any(|gone| post_days::number_of(gone.day) == day);
    for day in over.iter_mut().filter(|over| is_left_out(over.day)) {
        (*state, *day) = rules.void(state, day, true);
    }
    write(connection, &rules, &counted).await?;
    sqlx::query!(
        "update post_days d set moderation_id = gone.moderation_id from unnest($2::date[], $3::bigint[]) as gone (day, moderation_id)
        where d.blog_id = $1 and d.day = gone.day",
        post,
        &left_out.iter().map(|gone| gone.day).collect::<Vec<_>>(),
        &left_out.iter().map(|gone| gone.moderation_id).collect::<Vec<_>>() as &[Option<i64>],
    )
    .execute(connection)
    .await
    .map(drop)
}
