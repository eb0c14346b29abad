//! A post as its page shows it.

pub(crate) mod unusual;

use chrono::NaiveDate;
use sqlx::PgPool;
use sqlx::types::Json;

use self::unusual::UnusualRatings;
use super::models::{Head, PostId, head};
use super::slug::page;
use crate::db::clock::Clock;
use crate::i18n::{Phrase, Value};
use crate::image_name::ImageName;
use crate::markdown::Heading;
use crate::phrase;
use crate::score::hours::RatingHour;
use crate::score::periods::steady_state;
use crate::score::{MANY_ENOUGH, ScoreShown};
use crate::web::error::AppError;
use crate::web::request::visitor::CurrentUser;
use evenkeel_limiters::{CountedShares, SteadyScore, SteadyScoreState, Usual};

/// A post to be read, without its source, which is as long as the rest together.
#[derive(Clone, Debug, PartialEq)]
pub struct Article {
    pub head: Head,
    pub content_html: String,
    pub outline: Vec<Heading>,
    pub excerpt: String,
    /// The address of an image for where the post is shared. One of this site's stands above the text, too.
    pub cover: Option<String>,
    /// The path of its author's picture.
    pub avatar: Option<String>,
    /// Minutes that reading it takes.
    pub minutes: i32,
    /// How often each number of stars was given.
    pub stars: [i64; 5],
    /// What was published just before and after.
    pub earlier: Option<Neighbour>,
    pub later: Option<Neighbour>,
    /// What is unusual about its ratings now.
    pub unusual: Option<UnusualRatings>,
    /// Whether staff unpublished it, and nobody has changed it since.
    pub is_unpublished: bool,
    /// Effect of the ratings on the steady score.
    pub score: ScoreSummary,
}

/// Numbers of ratings of a post by their effect on the steady score. They add up to all ratings.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScoreSummary {
    /// Weight in the score.
    pub counted: f64,
    /// Ratings held back for now, because they are far from the score before them.
    pub held_back: f64,
    /// Ratings left out, because there were more than usual.
    pub left_out: f64,
    /// Ratings excluded by staff.
    pub excluded: Option<ExcludedRatings>,
}

/// Ratings that staff excluded from the score.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExcludedRatings {
    pub ratings: i64,
    /// Latest excluded day, and the reason for excluding it.
    pub last: NaiveDate,
    pub reason: String,
    /// True if another decision excluded other days.
    pub has_other_reasons: bool,
}

impl ScoreSummary {
    #[must_use]
    pub fn new(state: &SteadyScoreState, ratings: i64, excluded: Option<ExcludedRatings>) -> Self {
        let rules = SteadyScore::default();
        let (counted, shares) = (rules.score(state).weight, rules.counted_shares(state));
        let open = rules.open_period(state).contribution(CountedShares { provisional: 0.0, held: 0.0 });
        let held_back = (state.held.weight + open.held_back) * (1.0 - shares.held);
        #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
        let [ratings, out] =
            [ratings, excluded.as_ref().map_or(0, |excluded| excluded.ratings)].map(|count| count as f64);
        Self { counted, held_back, left_out: (ratings - counted - held_back - out).max(0.0), excluded }
    }

    /// True while a new post has too few ratings to be protected from brigades.
    #[must_use]
    pub fn is_new(&self) -> bool {
        self.counted > 0.0
            && self.counted < SteadyScore::default().params().first
            && self.left_out + self.held_back < 0.5
    }

    /// Sentences about the ratings that do not count.
    fn words(&self) -> Vec<Phrase> {
        #[expect(clippy::cast_possible_truncation, reason = "counts are far below 2^53")]
        let whole = |part: f64| Some(part.round() as i64).filter(|count| *count > 0);
        let mut told = Vec::new();
        told.extend(whole(self.left_out).map(|count| phrase!("apart-left-out", count = count)));
        told.extend(whole(self.held_back).map(|count| phrase!("apart-held-back", count = count)));
        if let Some(excluded) = &self.excluded {
            let phrase = phrase!("apart-excluded", ratings = excluded.ratings, last = excluded.last);
            told.push(phrase.with("why", excluded.reason.as_str()).with("others", excluded.has_other_reasons));
        }
        told
    }
}

impl Article {
    /// The image of this site above the text.
    #[must_use]
    pub fn image(&self) -> Option<ImageName> {
        self.cover.as_deref().and_then(ImageName::of_path)
    }

    /// The stars from five down to one: how often each was given, and its share in whole percent. The shares of a
    /// post that has ratings add up to 100.
    #[must_use]
    pub fn distribution(&self) -> Vec<(usize, i64, i64)> {
        let shares = percentages(self.stars);
        (0..5).rev().map(|index| (index + 1, self.stars[index], shares[index])).collect()
    }

    /// Sentences that explain the score that is shown: why it differs from the average, and whether it is protected yet.
    #[must_use]
    pub fn why_apart(&self, shown: ScoreShown) -> Vec<Phrase> {
        let (score, average) = (self.head.score(shown), self.head.average_rating);
        if self.head.rating_count < MANY_ENOUGH || score.is_some_and(|score| (score - average).abs() < 0.05) {
            let is_new = shown == ScoreShown::Steady && self.score.is_new();
            return (is_new && self.head.rating_count >= MANY_ENOUGH)
                .then(|| phrase!("score-not-protected"))
                .into_iter()
                .collect();
        }
        let mut told = self.score.words();
        told.push(phrase!("apart-average", average = Value::score(average)));
        told
    }
}

/// Another post, to go on to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Neighbour {
    pub id: PostId,
    pub title: String,
    own_slug: Option<String>,
}

impl Neighbour {
    #[must_use]
    pub fn path(&self) -> String {
        page(self.id, &self.title, self.own_slug.as_deref())
    }
}

/// Reads a post for its page, with its neighbours. This takes one query: a request that waited for a second connection
/// would hold its long text meanwhile, and make others hold theirs.
///
/// # Errors
/// `not_found` where there is no such post, or it is somebody else's draft.
#[expect(clippy::too_many_lines, reason = "one query, and one struct made of it")]
pub async fn find(
    pool: &PgPool,
    clock: &Clock,
    PostId(id): PostId,
    reader: Option<&CurrentUser>,
) -> Result<Article, AppError> {
    let row = sqlx::query!(
        r#"select p.id, p.title, p.status, p.tags, p.author_id, u.username, u.display_name, u.avatar, p.created_at, p.updated_at, p.published_at,
            p.publish_at, p.withheld_by, p.status = 'draft' and p.unpublished_version = p.version as "is_unpublished?", p.own_slug, p.language, case when not exists (
                select from post_links l where l.post_id = p.id and p.cover = any(l.suspected)
            ) then p.cover end as cover, coalesce(t.average_rating, 0) as "average_rating!", coalesce(t.rating_count, 0) as "rating_count!",
            t.steady_rating as "steady_rating?", coalesce(t.steady_weight, 0) as "steady_weight!", r.rating as "my_rating?",
            p.content_html, p.outline as "outline: Json<Vec<Heading>>", p.excerpt, p.reading_minutes,
            array[coalesce(t.stars_1, 0), coalesce(t.stars_2, 0), coalesce(t.stars_3, 0), coalesce(t.stars_4, 0),
                coalesce(t.stars_5, 0)] as "stars!",
            earlier.id as "earlier_id?", earlier.title as "earlier_title?", earlier.own_slug as "earlier_slug?",
            later.id as "later_id?", later.title as "later_title?", later.own_slug as "later_slug?", clock.now as "now!",
            unusual.latest as "latest?: Json<Vec<RatingHour>>",
            coalesce(t.steady_regular_weight, 0) as "steady_regular_weight!",
            coalesce(t.steady_regular_stars, 0) as "steady_regular_stars!",
            coalesce(t.steady_provisional_weight, 0) as "steady_provisional_weight!",
            coalesce(t.steady_provisional_stars, 0) as "steady_provisional_stars!",
            coalesce(t.steady_held_weight, 0) as "steady_held_weight!",
            coalesce(t.steady_held_stars, 0) as "steady_held_stars!", coalesce(t.steady_usual, 0) as "steady_usual!",
            t.steady_since as "steady_since?", t.steady_ended_on as "steady_ended_on?",
            coalesce(t.steady_reference, 0) as "steady_reference!",
            coalesce(t.steady_known, 0) as "steady_known!", t.steady_first_day as "steady_first_day?",
            t.steady_last_day as "steady_last_day?", coalesce(t.steady_count, 0) as "steady_count!",
            coalesce(t.steady_stars, 0) as "steady_stars!",
            excluded.ratings as "excluded!", last_excluded.last_day as "last_excluded?",
            last_excluded.reason as "excluded_why?", excluded.decisions as "decisions!"
        from (select coalesce($3, clock_timestamp()) as now) as clock, blog_posts p
            join users u on u.id = p.author_id
            left join rating_totals t on t.blog_id = p.id
            left join rates r on r.blog_id = p.id and r.user_id = $2
            left join lateral (
                select id, title, own_slug from blog_posts
                where status = 'published' and (published_at, id) < (p.published_at, p.id)
                order by published_at desc, id desc limit 1
            ) as earlier on true
            left join lateral (
                select id, title, own_slug from blog_posts
                where status = 'published' and (published_at, id) > (p.published_at, p.id)
                order by published_at, id limit 1
            ) as later on true
            left join lateral (
                select json_agg(latest order by hour) as latest
                from (select * from rating_history where blog_id = p.id order by hour desc limit 48) as latest
                where exists (
                    select from rating_history
                    where blog_id = p.id and refused > refused_changes and hour > clock.now - interval '4 hours'
                )
            ) as unusual on true
            left join lateral (
                select coalesce(sum(count), 0)::bigint as ratings, count(distinct moderation_id) as decisions
                from score_periods where blog_id = p.id and excluded
            ) as excluded on true
            left join lateral (
                select s.last_day, m.reason from score_periods s join moderations m on m.id = s.moderation_id
                where s.blog_id = p.id and s.excluded order by s.first_day desc limit 1
            ) as last_excluded on true
        where p.id = $1 and (p.status = 'published' or p.author_id = $2)"#,
        id,
        reader.map(|reader| reader.id.0),
        clock.now(),
    );
    let row = row.fetch_optional(pool).await?.ok_or(AppError::NotFound)?;
    let excluded = row.last_excluded.zip(row.excluded_why).map(|(last, reason)| ExcludedRatings {
        ratings: row.excluded,
        last,
        reason,
        has_other_reasons: row.decisions > 1,
    });
    let score = ScoreSummary::new(&steady_state!(row), row.rating_count, excluded);
    let usual = Usual { per_day: row.steady_usual, score: row.steady_rating };
    let neighbour = |((id, title), own_slug)| Neighbour { id: PostId(id), title, own_slug };
    Ok(Article {
        head: head!(row),
        content_html: row.content_html,
        outline: row.outline.0,
        excerpt: row.excerpt,
        cover: row.cover,
        avatar: row.avatar,
        minutes: row.reading_minutes,
        stars: row.stars.try_into().unwrap_or_default(),
        earlier: row.earlier_id.zip(row.earlier_title).map(|post| neighbour((post, row.earlier_slug))),
        later: row.later_id.zip(row.later_title).map(|post| neighbour((post, row.later_slug))),
        unusual: row.latest.and_then(|Json(latest)| UnusualRatings::at(row.now, &latest, usual)),
        score,
        is_unpublished: row.is_unpublished.unwrap_or(false),
    })
}

/// Whole percentages by largest remainder.
fn percentages(counts: [i64; 5]) -> [i64; 5] {
    let total: i64 = counts.iter().sum();
    if total == 0 {
        return [0; 5];
    }
    let exact = counts.map(|count| i128::from(count) * 100);
    let mut shares = exact.map(|count| i64::try_from(count / i128::from(total)).unwrap_or(0));
    let mut order = [0, 1, 2, 3, 4];
    order.sort_by_key(|index| std::cmp::Reverse(exact[*index] % i128::from(total)));
    let missing = usize::try_from(100 - shares.iter().sum::<i64>()).unwrap_or(0);
    for index in order.into_iter().take(missing) {
        shares[index] += 1;
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentages_add_up() {
        assert_eq!(percentages([0; 5]), [0; 5]);
        assert_eq!(percentages([1, 1, 1, 0, 0]), [34, 33, 33, 0, 0]);
        assert_eq!(percentages([1, 1, 1, 1, 2]), [17, 17, 17, 16, 33]);
        assert_eq!(percentages([0, 0, 0, 1, 999]).iter().sum::<i64>(), 100);
        assert_eq!(percentages([i64::MAX / 5; 5]), [20; 5]);
    }
}
