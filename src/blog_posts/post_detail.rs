//! Data of the HTML page of a post: text, ratings, unusual activity in them, and the previous and next posts.

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use evenkeel_markdown::Heading;
use evenkeel_markdown::image_name::ImageName;
use sqlx::{FromRow, PgConnection, PgPool};

use super::models::{PostHeader, PostId, post_columns};
use super::urls::post_path;
use crate::db::clock::Clock;
use crate::i18n::{Phrase, PhraseValue};
use crate::page_cache::ByteSize;
use crate::phrase;
use crate::score::contributions::{OwnRatingContribution, counted_ratings, explain_uncounted, total_contribution};
use crate::score::hourly_ratings::{HourlyRatings, hours_since_epoch};
use crate::score::rating_days::SteadyStateValue;
use crate::score::{DisplayedScore, MIN_RATINGS_WITHOUT_NOTE};
use crate::state::AppState;
use crate::web::error::AppError;
use crate::web::request::current_user::CurrentUser;
use evenkeel_limiters::{
    OngoingUnusualActivity, ScoreContribution, SteadyScore, SteadyScoreState, UnusualActivityDetector, UsualActivity,
};

/// Maximum age of a rejected rating that can cause a warning about unusual ratings.
const UNUSUAL_MAX_AGE: TimeDelta = TimeDelta::hours(4);
const UNUSUAL_HOURS: i64 = 48;

/// Data of the page of a post, without the Markdown source, which is as long as all other fields together.
#[derive(Clone, Debug, PartialEq, FromRow)]
pub struct PostDetail {
    #[sqlx(flatten)]
    pub head: PostHeader,
    pub content_html: String,
    #[sqlx(json)]
    pub outline: Vec<Heading>,
    pub excerpt: String,
    /// Path or URL of the cover image, for link previews. Uploaded images are also shown above the text.
    pub cover: Option<String>,
    pub avatar: Option<String>,
    pub reading_minutes: i32,
    pub stars: [i64; 5],
    #[sqlx(skip)]
    pub earlier: Option<AdjacentPost>,
    #[sqlx(skip)]
    pub later: Option<AdjacentPost>,
    #[sqlx(skip)]
    pub unusual_ratings: Option<UnusualRatings>,
    /// True if staff unpublished the post and it has not been changed since.
    pub is_unpublished: bool,
    #[sqlx(skip)]
    pub contribution: ScoreContribution,
    #[sqlx(skip)]
    pub latest_exclusion: Option<LatestExclusion>,
    #[sqlx(skip)]
    pub own_rating: Option<OwnRatingContribution>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LatestExclusion {
    pub last: NaiveDate,
    pub reason: String,
}

/// Protection of a post's score from coordinated ratings (brigading): one line, and sentences with the details.
#[derive(Debug)]
pub struct ScoreStatus {
    pub line: Phrase,
    pub details: Vec<Phrase>,
    /// True if the post has enough ratings for a score that a brigade cannot move.
    pub is_protected: bool,
}

impl PostDetail {
    pub fn cover_image_name(&self) -> Option<ImageName> {
        self.cover.as_deref().and_then(ImageName::from_path)
    }

    /// Returns the number of stars, the number of ratings and the percentage of ratings, from five stars to one.
    pub fn star_distribution(&self) -> Vec<(usize, i64, i64)> {
        let shares = percentages(self.stars);
        (0..5).rev().map(|index| (index + 1, self.stars[index], shares[index])).collect()
    }

    /// Protection of the score; `None` if pages show the average, or if the post has too few ratings for a score.
    pub fn score_status(&self, shown: DisplayedScore) -> Option<ScoreStatus> {
        let ratings = self.head.rating_count;
        if shown == DisplayedScore::Average || ratings < MIN_RATINGS_WITHOUT_NOTE {
            return None;
        }
        let mut details = explain_uncounted(&self.contribution);
        let first = SteadyScore::default().params().first;
        let enough = || PhraseValue::Number(first, 0);
        let is_protected =
            self.contribution.weight + self.contribution.uncounted() - self.contribution.excluded >= first;
        let line = if !details.is_empty() {
            let counted = counted_ratings(&self.contribution);
            phrase!(
                "score-status-counted",
                protected = is_protected,
                enough = enough(),
                counted = counted,
                count = ratings,
            )
        } else if is_protected {
            phrase!("score-status-protected")
        } else {
            phrase!("score-status-new", enough = enough())
        };
        if details.is_empty() && is_protected {
            details.push(phrase!("score-all-count", count = ratings));
        }
        details.extend(
            self.latest_exclusion
                .as_ref()
                .map(|excluded| phrase!("score-excluded-reason", last = excluded.last, why = excluded.reason.as_str())),
        );
        details.extend((!is_protected).then(|| phrase!("score-not-protected", enough = enough())));
        if self.contribution.uncounted() >= 0.5 {
            details.push(phrase!("score-average", average = PhraseValue::score(self.head.average_rating)));
        }
        Some(ScoreStatus { line, details, is_protected })
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdjacentPost {
    pub id: PostId,
    pub title: String,
    pub own_slug: Option<String>,
}

impl AdjacentPost {
    pub fn path(&self) -> String {
        post_path(self.id, &self.title, self.own_slug.as_deref())
    }
}

/// Shares in whole percent. Shares with the largest remainders are rounded up, so that the sum is 100.
fn percentages(counts: [i64; 5]) -> [i64; 5] {
    let total = counts.iter().map(|count| i128::from(*count)).sum::<i128>();
    if total == 0 {
        return [0; 5];
    }
    let hundredths = counts.map(|count| i128::from(count) * 100);
    let mut shares = hundredths.map(|part| i64::try_from(part / total).unwrap_or_default());
    let mut order = [0, 1, 2, 3, 4];
    order.sort_by_key(|index: &usize| std::cmp::Reverse(hundredths[*index] % total));
    let missing = 100 - shares.iter().sum::<i64>();
    for index in order.into_iter().take(usize::try_from(missing).unwrap_or_default()) {
        shares[index] += 1;
    }
    shares
}

/// Warning about unusual activity in the ratings of a post, as detected by [`UnusualActivityDetector`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UnusualRatings {
    pub since: DateTime<Utc>,
    /// Number of blocked attempts since then, as in the rating history. The detector counts users instead.
    pub blocked_attempts: i64,
    average_before: Option<f64>,
    steady_before: Option<f64>,
}

impl UnusualRatings {
    /// `latest` contains the most recent hours in which the post received ratings, in ascending order.
    pub fn detect(now: DateTime<Utc>, latest: &[HourlyRatings], usual: UsualActivity) -> Option<Self> {
        let tallies: Vec<_> = latest.iter().map(HourlyRatings::tally).collect();
        let OngoingUnusualActivity { since, .. } =
            UnusualActivityDetector::default().detect(&tallies, usual, hours_since_epoch(now))?;
        let (before, ongoing) = latest.split_at(latest.partition_point(|hour| hours_since_epoch(hour.hour) < since));
        Some(Self {
            since: DateTime::from_timestamp(since * 3_600, 0)?,
            blocked_attempts: ongoing.iter().map(|hour| hour.refused).sum(),
            average_before: before.last().and_then(HourlyRatings::average),
            steady_before: before.last().and_then(|hour| hour.steady_rating),
        })
    }

    pub fn messages(&self, shown: DisplayedScore, score: Option<f64>) -> Vec<Phrase> {
        let before = match shown {
            DisplayedScore::Steady => self.steady_before,
            DisplayedScore::Average => self.average_before,
        };
        let moved = before.zip(score).map(|(before, now)| {
            if (before - now).abs() < 0.05 {
                phrase!("unusual-unchanged")
            } else {
                phrase!("unusual-changed", before = PhraseValue::score(before), now = PhraseValue::score(now))
            }
        });
        [phrase!("unusual-refused", count = self.blocked_attempts)].into_iter().chain(moved).collect()
    }
}

#[derive(FromRow)]
struct DetailRow {
    #[sqlx(flatten)]
    detail: PostDetail,
    steady: Option<SteadyStateValue>,
    now: DateTime<Utc>,
    has_refusals: bool,
    counted_on: Option<NaiveDate>,
}

const FIND_POST_DETAIL: &str = concat!(
    "select ",
    post_columns!(),
    ", u.avatar, coalesce(p.status = 'draft' and p.unpublished_version = p.version, false) as is_unpublished,
        case when not exists (
            select from post_links where post_id = p.id and p.cover = any(suspected)
        ) then p.cover end as cover,
        p.content_html, p.outline, p.excerpt, p.reading_minutes,
        array[coalesce(t.stars_1, 0), coalesce(t.stars_2, 0), coalesce(t.stars_3, 0), coalesce(t.stars_4, 0),
            coalesce(t.stars_5, 0)] as stars,
        t.steady, clock.now,
        exists (
            select from rating_hours
            where blog_id = p.id and refused > refused_changes and hour > clock.now - $4::interval
        ) as has_refusals, r.counted_on
    from (select coalesce($3, clock_timestamp()) as now) as clock, blog_posts p
        join users u on u.id = p.author_id
        left join rating_totals t on t.blog_id = p.id
        left join rates r on r.blog_id = p.id and r.user_id = $2
    where p.id = $1 and p.deleted_at is null and (p.status = 'published' or p.author_id = $2 or p.submitted_at is not null
        and exists (select from users where id = $2 and is_staff))"
);

/// Details of a post, and what the contribution of the reader's rating is computed from.
#[derive(Debug)]
pub struct StoredDetail {
    detail: PostDetail,
    state: SteadyScoreState,
    /// Day of the reader's rating; `None` without a rating that counts.
    counted_on: Option<NaiveDate>,
}

impl ByteSize for StoredDetail {
    fn byte_size(&self) -> usize {
        let headings = self.detail.outline.len() * size_of::<Heading>();
        self.detail.content_html.len() + self.detail.excerpt.len() + headings + 1_024
    }
}

pub async fn find_post_detail(
    pool: &PgPool,
    clock: &Clock,
    id: PostId,
    reader: Option<&CurrentUser>,
) -> Result<PostDetail, AppError> {
    read_detail(&mut *pool.acquire().await?, clock, id, reader).await
}

/// Details of a post for a signed-in reader. The part that is the same for all readers is cached, except for staff and
/// the author, who see their changes at once on every instance.
pub async fn find_cached_detail(state: &AppState, id: PostId, reader: &CurrentUser) -> Result<PostDetail, AppError> {
    // Uses one connection for all queries: a second one could be unavailable for seconds if the database is slow.
    let connection = &mut *state.pool.acquire().await?;
    if reader.is_staff() {
        return read_detail(connection, &state.clock, id, Some(reader)).await;
    }
    let load = read_stored_detail(connection, &state.clock, id, None);
    let stored = match state.post_cache.details.get_or_load(&id.to_string(), load).await {
        Ok(stored) if stored.detail.head.author.id != reader.id => stored,
        Ok(_) | Err(AppError::NotFound) => return read_detail(connection, &state.clock, id, Some(reader)).await,
        Err(error) => return Err(error),
    };
    let own =
        sqlx::query!("select rating, counted_on from rates where blog_id = $1 and user_id = $2", id.0, reader.id.0);
    let own = own.fetch_optional(&mut *connection).await?;
    let (my_rating, counted_on) = own.map_or((None, None), |own| (Some(own.rating), own.counted_on));
    let own_rating = read_contribution(connection, &stored.state, id, my_rating, counted_on).await?;
    let mut detail = PostDetail { own_rating, ..stored.detail.clone() };
    detail.head.my_rating = my_rating;
    Ok(detail)
}

async fn read_detail(
    connection: &mut PgConnection,
    clock: &Clock,
    id: PostId,
    reader: Option<&CurrentUser>,
) -> Result<PostDetail, AppError> {
    let StoredDetail { detail, state, counted_on } = read_stored_detail(connection, clock, id, reader).await?;
    let own_rating = read_contribution(connection, &state, id, detail.head.my_rating, counted_on).await?;
    Ok(PostDetail { own_rating, ..detail })
}

async fn read_contribution(
    connection: &mut PgConnection,
    state: &SteadyScoreState,
    id: PostId,
    rating: Option<i16>,
    counted_on: Option<NaiveDate>,
) -> sqlx::Result<Option<OwnRatingContribution>> {
    match rating.zip(counted_on) {
        Some((rating, day)) => OwnRatingContribution::read(connection, state, id.0, rating, day).await,
        None => Ok(None),
    }
}

async fn read_stored_detail(
    connection: &mut PgConnection,
    clock: &Clock,
    PostId(id): PostId,
    reader: Option<&CurrentUser>,
) -> Result<StoredDetail, AppError> {
    let row = sqlx::query_as::<_, DetailRow>(FIND_POST_DETAIL)
        .bind(id)
        .bind(reader.map(|reader| reader.id))
        .bind(clock.now())
        .bind(UNUSUAL_MAX_AGE);
    let row = row.fetch_optional(&mut *connection).await?.ok_or(AppError::NotFound)?;
    let PostDetail { head, .. } = &row.detail;
    let [earlier, later] = match head.published_at {
        Some(at) if !head.is_page => adjacent_posts(connection, id, at).await?,
        _ => [None, None],
    };
    let state = row.steady.map(SteadyScoreState::from).unwrap_or_default();
    let latest_exclusion = if state.excluded > 0 { find_latest_exclusion(connection, id).await? } else { None };
    let hours =
        if row.has_refusals { HourlyRatings::read_latest(connection, id, UNUSUAL_HOURS).await? } else { Vec::new() };
    let usual = UsualActivity { per_day: state.usual, score: head.steady_rating };
    let detail = PostDetail {
        earlier,
        later,
        unusual_ratings: UnusualRatings::detect(row.now, &hours, usual),
        contribution: total_contribution(&state, head.rating_count),
        latest_exclusion,
        ..row.detail
    };
    Ok(StoredDetail { detail, state, counted_on: row.counted_on })
}

async fn adjacent_posts(
    connection: &mut PgConnection,
    id: i64,
    published_at: DateTime<Utc>,
) -> sqlx::Result<[Option<AdjacentPost>; 2]> {
    let rows = sqlx::query!(
        r#"(select id as "id!", title as "title!", own_slug, false as "is_later!" from blog_posts
            where status = 'published' and not is_page and (published_at, id) < ($1, $2) order by published_at desc, id desc limit 1)
        union all
        (select id, title, own_slug, true from blog_posts
            where status = 'published' and not is_page and (published_at, id) > ($1, $2) order by published_at, id limit 1)"#,
        published_at,
        id,
    );
    let mut neighbours = [None, None];
    for row in rows.fetch_all(connection).await? {
        let neighbour = AdjacentPost { id: PostId(row.id), title: row.title, own_slug: row.own_slug };
        neighbours[usize::from(row.is_later)] = Some(neighbour);
    }
    Ok(neighbours)
}

async fn find_latest_exclusion(connection: &mut PgConnection, id: i64) -> sqlx::Result<Option<LatestExclusion>> {
    let row = sqlx::query!(
        "select d.day, m.reason from score_days d join moderations m on m.id = d.moderation_id
        where d.blog_id = $1 order by d.day desc limit 1",
        id,
    );
    Ok(row.fetch_optional(connection).await?.map(|row| LatestExclusion { last: row.day, reason: row.reason }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_add_up_to_100_percent() {
        assert_eq!(percentages([0; 5]), [0; 5]);
        assert_eq!(percentages([2, 2, 2, 8, 2]), [13, 13, 12, 50, 12]);
        assert_eq!(percentages([1, 1, 1, 0, 0]), [34, 33, 33, 0, 0]);
        assert_eq!(percentages([i64::MAX / 5; 5]), [20; 5]);
    }

    #[test]
    fn reports_rejected_ratings_start_and_score_change() {
        let hour = |number: i64, refused_1, rating_count, steady_rating| {
            let begin = DateTime::from_timestamp(number * 3_600, 0).unwrap();
            HourlyRatings {
                steady_rating,
                ..HourlyRatings::sample(begin, 1, refused_1, rating_count, 4 * rating_count)
            }
        };
        let last = HourlyRatings { refused: 1_700, ..hour(101, 600, 40, Some(3.9)) };
        let latest = [hour(90, 0, 20, Some(4.1)), hour(100, 1_500, 30, Some(4.1)), last];
        let at = |number: i64| {
            UnusualRatings::detect(
                DateTime::from_timestamp(number * 3_600 + 60, 0).unwrap(),
                &latest,
                UsualActivity { per_day: 1.0, score: Some(4.1) },
            )
        };
        let unusual = at(102).unwrap();
        assert_eq!((unusual.since.timestamp(), at(104)), (360_000, None));
        let words = |shown, score| {
            let text: Vec<String> = unusual.messages(shown, score).iter().map(ToString::to_string).collect();
            text.join(" ")
        };
        let text = "3,200 rating attempts have been blocked since then and don’t affect the score.";
        assert_eq!(words(DisplayedScore::Steady, Some(4.06)), format!("{text} The score hasn’t changed."));
        assert_eq!(words(DisplayedScore::Steady, Some(3.9)), format!("{text} The score changed from 4.1 to 3.9 ★."));
        assert_eq!(words(DisplayedScore::Average, Some(4.0)), format!("{text} The score hasn’t changed."));
        assert_eq!(words(DisplayedScore::Steady, None), text);
    }
}
