//! Recomputes rating totals and scores from the ratings in the table `rates`.

use std::collections::{BTreeMap, HashMap};

use sqlx::{Connection as _, PgConnection};

use crate::db::commit;
use crate::score::periods;
use crate::score::periods::{date_from_epoch_days, days_since_epoch};
use evenkeel_limiters::{ScorePeriod, SteadyScore, SteadyScoreState};

#[derive(Default)]
pub(crate) struct RecomputedScore {
    pub state: SteadyScoreState,
    /// Ended score periods, earliest first. An excluded period is stored with the id of the moderation decision that
    /// excluded it.
    pub periods: Vec<(ScorePeriod, Option<i64>)>,
}

/// Days that staff excluded from the score of one post, as numbers of days since 1970-01-01. The value of each day is
/// the id of the moderation decision that excluded it.
pub(crate) type ExcludedDays = BTreeMap<i64, Option<i64>>;

pub(crate) async fn find_excluded_days(
    connection: &mut PgConnection,
    posts: &[i64],
) -> sqlx::Result<HashMap<i64, ExcludedDays>> {
    let rows = sqlx::query!(
        "select blog_id, first_day, last_day, moderation_id from score_periods where blog_id = any($1) and excluded",
        posts,
    );
    let mut excluded: HashMap<i64, ExcludedDays> = HashMap::new();
    for row in rows.fetch_all(connection).await? {
        let days = days_since_epoch(row.first_day)..=days_since_epoch(row.last_day);
        excluded.entry(row.blog_id).or_default().extend(days.map(|day| (day, row.moderation_id)));
    }
    Ok(excluded)
}

/// Recomputes the scores of posts from their ratings. Ratings on excluded days do not count. Posts without ratings are
/// omitted.
pub(crate) async fn recompute_scores(
    connection: &mut PgConnection,
    rules: &SteadyScore,
    posts: &[i64],
    excluded: &HashMap<i64, ExcludedDays>,
) -> sqlx::Result<HashMap<i64, RecomputedScore>> {
    let groups = sqlx::query!(
        r#"select blog_id, counted_on as "day!", rating, count(*) as "count!"
        from rates where blog_id = any($1) and counted_on is not null
        group by blog_id, counted_on, rating order by blog_id, counted_on"#,
        posts,
    );
    let mut scores: HashMap<i64, RecomputedScore> = HashMap::new();
    for group in groups.fetch_all(connection).await? {
        let (day, stars) = (days_since_epoch(group.day), u8::try_from(group.rating).unwrap_or(0));
        let score = scores.entry(group.blog_id).or_default();
        match excluded.get(&group.blog_id).and_then(|days| days.get(&day)) {
            Some(decision) => score.exclude(rules, day, stars, group.count, *decision),
            None => score.rate(rules, day, stars, group.count),
        }
    }
    Ok(scores)
}

impl RecomputedScore {
    fn rate(&mut self, rules: &SteadyScore, day: i64, stars: u8, count: i64) {
        for _ in 0..count {
            let (next, ended) = rules.add_rating(&self.state, day, stars);
            self.state = next;
            self.periods.extend(ended.map(|ended| (ended, None)));
        }
    }

    /// Adds the ratings of an excluded day as a separate score period.
    fn exclude(&mut self, rules: &SteadyScore, day: i64, stars: u8, count: i64, decision: Option<i64>) {
        let (next, ended) = rules.end_period(&self.state);
        self.state = next;
        self.periods.extend(ended.map(|ended| (ended, None)));
        let stars = count * i64::from(stars);
        match self.periods.last_mut() {
            Some((period, _)) if period.excluded && period.first_day == day => {
                (period.count, period.stars) = (period.count + count, period.stars + stars);
            }
            _ => {
                let period =
                    ScorePeriod { first_day: day, last_day: day, count, stars, excluded: true, ..Default::default() };
                self.periods.push((period, decision));
            }
        }
    }
}

pub(crate) async fn write_scores(
    connection: &mut PgConnection,
    rules: &SteadyScore,
    scores: &HashMap<i64, RecomputedScore>,
) -> sqlx::Result<()> {
    let states: Vec<(i64, SteadyScoreState)> = scores.iter().map(|(post, score)| (*post, score.state)).collect();
    let posts: Vec<i64> = scores.keys().copied().collect();
    sqlx::query!("delete from score_periods where blog_id = any($1)", &posts).execute(&mut *connection).await?;
    periods::write_score_states(connection, rules, &states).await?;
    let periods = || scores.iter().flat_map(|(post, score)| score.periods.iter().map(|period| (*post, period)));
    let written: Vec<(i64, ScorePeriod)> = periods().map(|(post, (period, _))| (post, *period)).collect();
    periods::upsert(connection, &written).await?;
    let excluded: Vec<_> = periods().filter(|(_, (period, _))| period.excluded).collect();
    sqlx::query!(
        "update score_periods s set moderation_id = by.moderation_id
        from unnest($1::bigint[], $2::date[], $3::bigint[]) as by (blog_id, first_day, moderation_id)
        where s.blog_id = by.blog_id and s.first_day = by.first_day",
        &excluded.iter().map(|(post, _)| *post).collect::<Vec<_>>(),
        &excluded.iter().map(|(_, (period, _))| date_from_epoch_days(period.first_day)).collect::<Vec<_>>(),
        &excluded.iter().map(|(_, (_, moderation))| *moderation).collect::<Vec<_>>() as &[Option<i64>],
    )
    .execute(connection)
    .await
    .map(drop)
}

/// Result of comparing the stored totals and scores of a chunk of posts with their ratings.
#[derive(Clone, Debug, PartialEq)]
pub struct ChunkCheckResult {
    /// Largest post id in the chunk.
    pub last: i64,
    pub posts: i64,
    pub ratings: i64,
    pub wrong: Vec<IncorrectPost>,
}

/// Post whose stored totals or score differ from its ratings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IncorrectPost {
    pub post: i64,
    /// Number of ratings with one to five stars, counted from the table `rates`. `counted` contains the numbers stored
    /// in `rating_totals`.
    pub ratings: Vec<i64>,
    pub counted: Vec<i64>,
    /// True if the score periods do not match the ratings, or the stored score does not match its periods.
    pub score_is_wrong: bool,
}

/// Checks the next chunk of posts with ids above `after`. Returns `None` if there are no more posts. A single statement
/// reads totals and ratings, so that both come from the same snapshot.
async fn check_chunk(connection: &mut PgConnection, after: i64) -> sqlx::Result<Option<ChunkCheckResult>> {
    let rows = sqlx::query_file!("src/rate/recount.sql", after,);
    let rows = rows.fetch_all(connection).await?;
    let Some(last) = rows.last().map(|row| row.post) else { return Ok(None) };
    let (posts, ratings) = (rows.len(), rows.iter().flat_map(|row| &row.ratings).sum());
    let wrong = rows.into_iter().filter(|row| row.score_is_wrong || row.counted != row.ratings);
    let wrong = wrong.map(|row| IncorrectPost {
        post: row.post,
        ratings: row.ratings,
        counted: row.counted,
        score_is_wrong: row.score_is_wrong,
    });
    Ok(Some(ChunkCheckResult {
        last,
        posts: i64::try_from(posts).unwrap_or(i64::MAX),
        ratings,
        wrong: wrong.collect(),
    }))
}

/// Totals of all chunks of posts that have been checked so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CheckSummary {
    pub posts: i64,
    pub ratings: i64,
    /// Number of posts whose stored totals or score differed from their ratings.
    pub wrong: usize,
}

/// Checks the stored totals and scores of all posts in chunks. With `fix`, corrects those that differ from the ratings.
/// Calls `tell` after each chunk with the totals so far.
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

/// Recomputes the totals of a post from its ratings, and the score if the score is wrong. Locks the post's row in
/// `rating_totals`.
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
        let rules = SteadyScore::default();
        let excluded = find_excluded_days(&mut transaction, &[wrong.post]).await?;
        let mut scores = recompute_scores(&mut transaction, &rules, &[wrong.post], &excluded).await?;
        scores.entry(wrong.post).or_default();
        write_scores(&mut transaction, &rules, &scores).await?;
    }
    commit(transaction).await
}

/// Computes the scores of posts whose ratings were inserted without the rating writer, as imports do. Each
/// transaction covers about 50,000 ratings.
pub async fn compute_missing_scores(connection: &mut PgConnection) -> sqlx::Result<()> {
    let mut after = 0;
    loop {
        let mut transaction = connection.begin().await?;
        let posts = lock_next_posts(&mut transaction, after).await?;
        let Some(last) = posts.last() else { return Ok(()) };
        after = last.id;
        let ids: Vec<i64> = posts.iter().map(|post| post.id).collect();
        sqlx::query!(
            "update rates set counted_on = (updated_at at time zone 'UTC')::date
            where blog_id = any($1) and counted_on is null",
            &ids,
        )
        .execute(&mut *transaction)
        .await?;
        let incomplete: Vec<i64> = posts.iter().filter(|post| post.is_incomplete).map(|post| post.id).collect();
        let rules = SteadyScore::default();
        let excluded = find_excluded_days(&mut transaction, &incomplete).await?;
        let scores = recompute_scores(&mut transaction, &rules, &incomplete, &excluded).await?;
        write_scores(&mut transaction, &rules, &scores).await?;
        commit(transaction).await?;
    }
}

struct NextPost {
    id: i64,
    /// True if some ratings of the post are missing from the score.
    is_incomplete: bool,
}

/// Locks rows in `rating_totals`: those of the next posts with ids above `after`, at most 200 posts with about 50,000
/// ratings in total.
async fn lock_next_posts(connection: &mut PgConnection, after: i64) -> sqlx::Result<Vec<NextPost>> {
    let posts = sqlx::query_as!(
        NextPost,
        r#"with next as (
            select blog_id as id, rating_count, steady_count from (
                select blog_id, rating_count, steady_count,
                    sum(rating_count) over (order by blog_id) - rating_count as before
                from (
                    select * from rating_totals where blog_id > $1 order by blog_id limit 200 for no key update
                ) as locked
            ) as summed where before < 50000
        )
        select id as "id!", rating_count <> steady_count + coalesce(
            (select sum(count) from score_periods where blog_id = id), 0
        ) as "is_incomplete!" from next order by id"#,
        after,
    );
    posts.fetch_all(connection).await
}
