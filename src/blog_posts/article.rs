//! A post as its page shows it.

use chrono::NaiveDate;
use sqlx::PgPool;
use sqlx::types::Json;

use super::models::{Head, PostId, head};
use super::slug::page;
use super::unusual::UnusualRatings;
use crate::database::clock::Clock;
use crate::database::post_days::{date_of, steady_state};
use crate::database::rating_hours::RatingHour;
use crate::i18n::{Phrase, Value};
use crate::image_name::ImageName;
use crate::limiters::{DayStanding, SteadyScore, SteadyScoreState, Usual};
use crate::markdown::{Heading, as_typed};
use crate::phrase;
use crate::score::MANY_ENOUGH;
use crate::web::error::AppError;
use crate::web::visitor::CurrentUser;

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
    /// What the steady score leaves out.
    pub left_out: LeftOut,
    /// What the reader has waiting: the stars, and the number in the line.
    pub my_waiting: Option<(i16, i64)>,
}

/// What the steady score leaves out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// Days on which many came who were of another mind.
    pub by_rule: Option<Days>,
    /// Days that a moderator has left out, and why the last of them.
    /// The last says whether there are other reasons, too.
    pub by_moderator: Option<(Days, String, bool)>,
}

/// Some days, and their ratings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Days {
    pub days: i64,
    pub ratings: i64,
    pub last: NaiveDate,
}

impl Days {
    /// None of no days.
    fn of(days: i64, ratings: i64, last: Option<NaiveDate>) -> Option<Self> {
        Some(Self { days, ratings, last: last.filter(|_| days > 0)? })
    }

    /// With the day that is not over, if it is odd.
    fn with_open_day(over: Option<Self>, state: &SteadyScoreState) -> Option<Self> {
        let open = SteadyScore::default().open_day(state);
        if open.standing() != DayStanding::Odd {
            return over;
        }
        let (days, ratings) = over.map_or((0, 0), |over| (over.days, over.ratings));
        Some(Self { days: days + 1, ratings: ratings + open.ratings.count(), last: date_of(open.day) })
    }

    /// With what it says of these days.
    fn in_phrase(&self, phrase: Phrase) -> Phrase {
        phrase.with("days", self.days).with("ratings", self.ratings).with("last", self.last)
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

    /// In words why the score that is shown is not the average, or why there is none; none where they are next to the same.
    #[must_use]
    pub fn why_apart(&self, score: Option<f64>) -> Vec<Phrase> {
        let average = self.head.average_rating;
        if self.head.rating_count < MANY_ENOUGH || score.is_some_and(|score| (score - average).abs() < 0.05) {
            return Vec::new();
        }
        let LeftOut { by_rule, by_moderator } = &self.left_out;
        let mut told = Vec::new();
        if let Some(days) = by_rule {
            told.push(days.in_phrase(phrase!("apart-odd")));
        }
        if let Some((days, why, has_others)) = by_moderator {
            told.push(days.in_phrase(phrase!("apart-voided", why = why.as_str(), others = *has_others)));
        }
        let left_out = [by_rule.as_ref(), by_moderator.as_ref().map(|(days, ..)| days)];
        let average = Value::score(average);
        told.push(match left_out.into_iter().flatten().map(|days| days.ratings).sum::<i64>() {
            0 => phrase!("apart-weighed", average = average),
            count => phrase!("apart-counted", count = count, average = average),
        });
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
            case when p.rendered_by = 0 then p.content else '' end as "not_rendered!",
            p.content_html, p.outline as "outline: Json<Vec<Heading>>", p.excerpt, p.reading_minutes, p.rendered_by,
            array[coalesce(t.stars_1, 0), coalesce(t.stars_2, 0), coalesce(t.stars_3, 0), coalesce(t.stars_4, 0),
                coalesce(t.stars_5, 0)] as "stars!",
            earlier.id as "earlier_id?", earlier.title as "earlier_title?", earlier.own_slug as "earlier_slug?",
            later.id as "later_id?", later.title as "later_title?", later.own_slug as "later_slug?", clock.now as "now!",
            unusual.latest as "latest?: Json<Vec<RatingHour>>",
            coalesce(t.steady_closed_weight, 0) as "steady_closed_weight!",
            coalesce(t.steady_closed_sum, 0) as "steady_closed_sum!", coalesce(t.steady_usual, 0) as "steady_usual!",
            t.steady_day as "steady_day?", coalesce(t.steady_known_count, 0) as "steady_known_count!",
            coalesce(t.steady_known_sum, 0) as "steady_known_sum!",
            coalesce(t.steady_fresh_count, 0) as "steady_fresh_count!",
            coalesce(t.steady_fresh_sum, 0) as "steady_fresh_sum!", 
            left_out.odd_days as "odd_days!", left_out.odd_ratings as "odd_ratings!", left_out.last_odd as "last_odd?",
            left_out.voided_days as "voided_days!", left_out.voided_ratings as "voided_ratings!",
            left_out.last_voided as "last_voided?", voided.reason as "voided_why?", voided.count as "voided_by?",
            waiting.rating as "waiting?", waiting.number as "waiting_number?"
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
                select count(*) filter (where not voided) as odd_days,
                    coalesce(sum(known_count + fresh_count) filter (where not voided), 0)::bigint as odd_ratings,
                    max(day) filter (where not voided) as last_odd, count(*) filter (where voided) as voided_days,
                    coalesce(sum(known_count + fresh_count) filter (where voided), 0)::bigint as voided_ratings,
                    max(day) filter (where voided) as last_voided
                from post_days where blog_id = p.id and (known_weight = 0 or voided) and known_count + fresh_count > 0
            ) as left_out on true
            left join lateral (
                select m.reason, (select count(distinct moderation_id) from post_days where blog_id = p.id and voided) as count
                from post_days d join moderations m on m.id = d.moderation_id
                where d.blog_id = p.id and d.voided order by d.day desc limit 1
            ) as voided on true
            left join lateral (
                select rating, (select count(*) from waiting_ratings where blog_id = w.blog_id and id <= w.id) as number
                from waiting_ratings w where user_id = $2 and blog_id = p.id
            ) as waiting on true
        where p.id = $1 and (p.status = 'published' or p.author_id = $2)"#,
        id,
        reader.map(|reader| reader.id.0),
        clock.now(),
    );
    let row = row.fetch_optional(pool).await?.ok_or(AppError::NotFound)?;
    let odd = Days::of(row.odd_days, row.odd_ratings, row.last_odd);
    let left_out = LeftOut {
        by_rule: Days::with_open_day(odd, &steady_state!(row)),
        by_moderator: Days::of(row.voided_days, row.voided_ratings, row.last_voided)
            .zip(row.voided_why)
            .map(|(days, why)| (days, why, row.voided_by.is_some_and(|reasons| reasons > 1))),
    };
    let usual = Usual { per_day: row.steady_usual, score: row.steady_rating };
    let neighbour = |((id, title), own_slug)| Neighbour { id: PostId(id), title, own_slug };
    Ok(Article {
        head: head!(row),
        // The post is older than rendering and has not been rendered yet: it is shown as it was typed.
        content_html: if row.rendered_by == 0 { as_typed(&row.not_rendered) } else { row.content_html },
        outline: row.outline.0,
        excerpt: row.excerpt,
        cover: row.cover,
        avatar: row.avatar,
        minutes: row.reading_minutes,
        stars: row.stars.try_into().unwrap_or_default(),
        earlier: row.earlier_id.zip(row.earlier_title).map(|post| neighbour((post, row.earlier_slug))),
        later: row.later_id.zip(row.later_title).map(|post| neighbour((post, row.later_slug))),
        unusual: row.latest.and_then(|Json(latest)| UnusualRatings::at(row.now, &latest, usual)),
        left_out,
        is_unpublished: row.is_unpublished.unwrap_or(false),
        my_waiting: row.waiting.zip(row.waiting_number),
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
