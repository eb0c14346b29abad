//! Counts ratings anew: what stands beside a post against what its ratings say, and the score from its ratings alone.

use std::collections::HashMap;

use sqlx::{Connection as _, PgConnection};

use super::commit::commit;
use super::score_periods::{self, date_of, number_of};
use crate::limiters::{ScorePeriod, SteadyScore, SteadyScoreState};

/// A score that was recomputed from ratings.
#[derive(Default)]
pub(super) struct Recomputed {
    pub state: SteadyScoreState,
    /// Ended periods, with the decision that excluded them.
    pub ended: Vec<(ScorePeriod, Option<i64>)>,
}

/// Period that staff excluded: its first and last day, and the id of the decision.
type Exclusion = (i64, i64, Option<i64>);

/// Recomputes the scores of posts from their ratings, day by day. Days that staff excluded stay excluded: a period ends
/// before and after them. Posts without ratings are omitted.
///
/// # Errors
/// Those of the database.
pub(super) async fn scores(
    connection: &mut PgConnection,
    rules: &SteadyScore,
    posts: &[i64],
) -> sqlx::Result<HashMap<i64, Recomputed>> {
    let excluded = sqlx::query!(
        "select blog_id, first_day, last_day, moderation_id from score_periods
        where blog_id = any($1) and excluded order by blog_id, first_day",
        posts,
    );
    let mut exclusions: HashMap<i64, Vec<Exclusion>> = HashMap::new();
    for row in excluded.fetch_all(&mut *connection).await? {
        let exclusion = (number_of(row.first_day), number_of(row.last_day), row.moderation_id);
        exclusions.entry(row.blog_id).or_default().push(exclusion);
    }
    let groups = sqlx::query!(
        r#"select blog_id, counted_on as "day!", rating, count(*) as "count!"
        from rates where blog_id = any($1) and counted_on is not null
        group by blog_id, counted_on, rating order by blog_id, counted_on"#,
        posts,
    );
    let mut scores: HashMap<i64, Recomputed> = HashMap::new();
    for group in groups.fetch_all(connection).await? {
        let exclusions = exclusions.get(&group.blog_id).map(Vec::as_slice).unwrap_or_default();
        let (day, stars) = (number_of(group.day), u8::try_from(group.rating).unwrap_or(0));
        let score = scores.entry(group.blog_id).or_default();
        score.end_at_exclusions(rules, day, exclusions);
        for _ in 0..group.count {
            let (next, ended) = rules.rate(&score.state, day, stars);
            score.state = next;
            score.store(rules, ended, exclusions);
        }
    }
    for (post, score) in &mut scores {
        let exclusions = exclusions.get(post).map(Vec::as_slice).unwrap_or_default();
        score.end_at_exclusions(rules, i64::MAX, exclusions);
    }
    Ok(scores)
}

impl Recomputed {
    /// Ends the open period if an excluded period begins or ends between it and `day`.
    fn end_at_exclusions(&mut self, rules: &SteadyScore, day: i64, exclusions: &[Exclusion]) {
        let Some(open) = self.state.open else { return };
        let is_between = |&(first_day, last_day, _): &Exclusion| {
            (open.last_day < first_day && first_day <= day) || (open.last_day <= last_day && last_day < day)
        };
        // Ratings of the latest days may belong to a period that is still open, unless it is excluded.
        let is_due = |exclusion: &Exclusion| is_between(exclusion) && (day < i64::MAX || open.last_day <= exclusion.1);
        if exclusions.iter().any(is_due) {
            let (next, ended) = rules.end(&self.state);
            self.state = next;
            self.store(rules, ended, exclusions);
        }
    }

    fn store(&mut self, rules: &SteadyScore, ended: Option<ScorePeriod>, exclusions: &[Exclusion]) {
        let Some(ended) = ended else { return };
        let exclusion = exclusions.iter().find(|(first, last, _)| (*first..=*last).contains(&ended.first_day));
        let period = match exclusion {
            Some(_) => {
                let (next, excluded) = rules.exclude(&self.state, &ended, true);
                self.state = next;
                excluded
            }
            None => ended,
        };
        self.ended.push((period, exclusion.and_then(|(.., moderation)| *moderation)));
    }
}

/// Replaces scores and their periods.
///
/// # Errors
/// Those of the database.
pub(super) async fn write(
    connection: &mut PgConnection,
    rules: &SteadyScore,
    scores: &HashMap<i64, Recomputed>,
) -> sqlx::Result<()> {
    let states: Vec<(i64, SteadyScoreState)> = scores.iter().map(|(post, score)| (*post, score.state)).collect();
    let posts: Vec<i64> = scores.keys().copied().collect();
    sqlx::query!("delete from score_periods where blog_id = any($1)", &posts).execute(&mut *connection).await?;
    score_periods::write_states(connection, rules, &states).await?;
    let periods = || scores.iter().flat_map(|(post, score)| score.ended.iter().map(|period| (*post, period)));
    let written: Vec<(i64, ScorePeriod)> = periods().map(|(post, (period, _))| (post, *period)).collect();
    score_periods::write(connection, &written).await?;
    let excluded: Vec<_> = periods().filter(|(_, (period, _))| period.excluded).collect();
    sqlx::query!(
        "update score_periods s set moderation_id = by.moderation_id
        from unnest($1::bigint[], $2::date[], $3::bigint[]) as by (blog_id, first_day, moderation_id)
        where s.blog_id = by.blog_id and s.first_day = by.first_day",
        &excluded.iter().map(|(post, _)| *post).collect::<Vec<_>>(),
        &excluded.iter().map(|(_, (period, _))| date_of(period.first_day)).collect::<Vec<_>>(),
        &excluded.iter().map(|(_, (_, moderation))| *moderation).collect::<Vec<_>>() as &[Option<i64>],
    )
    .execute(connection)
    .await
    .map(drop)
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
    /// Whether the score counts other ratings than there are, or its sums differ from those of its periods.
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

/// Recomputes the totals of a post, and its score if that is wrong, while its row is locked.
///
/// # Errors
/// Those of the database.
async fn mend(connection: &mut PgConnection, wrong: &Wrong) -> sqlx::Result<()> {
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
        let rules = SteadyScore::default();
        let mut scores = scores(&mut transaction, &rules, &[wrong.post]).await?;
        scores.entry(wrong.post).or_default();
        write(&mut transaction, &rules, &scores).await?;
    }
    commit(transaction).await
}
