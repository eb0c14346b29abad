//! A post's ratings over time, as people may look at them: the average, what arrived, and what its gate refused.

use actix_web::{Either, HttpRequest, HttpResponse, web};
use askama::Template;
use chrono::{DateTime, DurationRound as _, NaiveTime, TimeDelta, Utc};
use serde::Serialize;
use sqlx::PgPool;

use super::days::{self, ScoreDay};
use super::moderation::{self, Moderation};
use super::urls;
use crate::blog_posts::{self, PostId};
use crate::page;
use crate::web::error::AppError;
use crate::web::layout::Layout;
use crate::web::query::Query;
use crate::web::state::AppState;
use crate::web::view::{View, public_or_private};
use crate::web::visitor::CurrentUser;

/// How many hours with ratings are shown: the latest ones.
const HOURS: i64 = 24 * 92;

/// With more hours than this between the first and the last, days are shown.
const BY_HOUR: i64 = 48;

/// One hour or day.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Period {
    /// Its beginning.
    pub from: DateTime<Utc>,
    pub admitted: i64,
    pub refused: i64,
    /// Ratings of the post at its end, and their average.
    pub rating_count: i64,
    pub average_rating: f64,
}

#[derive(Debug, Serialize)]
pub struct History {
    pub blog: PostId,
    /// `hour` or `day`.
    pub period: &'static str,
    pub periods: Vec<Period>,
    /// The days of the steady score.
    pub days: Vec<ScoreDay>,
    /// What moderators have decided about days, the latest first.
    pub moderations: Vec<Moderation>,
}

#[derive(Template)]
#[template(path = "rate/history.html")]
pub struct HistoryPage {
    layout: Layout,
    title: String,
    path: String,
    /// Where whoever looks at it can leave days out, if they may.
    moderate: Option<String>,
    chart: Chart,
    data: History,
}

page!(HistoryPage, data: History);

pub async fn history(
    id: PostId,
    reader: Option<CurrentUser>,
    (layout, request): (Layout, HttpRequest),
    query: Query,
    state: web::Data<AppState>,
) -> Result<Either<View<HistoryPage>, HttpResponse>, AppError> {
    let title = title(&state.pool, id, reader.as_ref()).await?;
    let before = query.get("before")?.map(|before| before.parse().map_err(|_| AppError::NotFound)).transpose()?;
    let moderations = moderation::of_post(&state.pool, id, before).await?;
    let days = days::of(&state.pool, id).await?;
    match query.get("format")?.as_deref() {
        None => (),
        Some("csv") => {
            let csv = days::csv(&days).map_err(|error| AppError::Internal(error.to_string()))?;
            let mut response = HttpResponse::Ok();
            response.content_type("text/csv; charset=utf-8");
            return Ok(Either::Right(public_or_private(&request, &mut response, csv)));
        }
        Some(_) => return Err(AppError::field("format", "Choose `csv`, or leave it out.")),
    }
    let hours = hours(&state.pool, id).await?;
    let data = History { days, moderations, ..by_period(id, hours)? };
    let path = blog_posts::page(id, &title);
    let is_moderator = layout.user.as_ref().is_some_and(|user| user.is_staff);
    let moderate = is_moderator.then(|| urls::MODERATE.path_for(id));
    Ok(Either::Left(View::new(HistoryPage { layout, title, path, moderate, chart: Chart::of(&data), data })))
}

/// The title of a post whose ratings this reader may see.
///
/// # Errors
/// `not_found`.
pub(super) async fn title(pool: &PgPool, PostId(id): PostId, reader: Option<&CurrentUser>) -> Result<String, AppError> {
    let title = sqlx::query_scalar!(
        "select title from blog_posts where id = $1 and (status = 'published' or author_id = $2)",
        id,
        reader.map(|reader| reader.id.0),
    );
    title.fetch_optional(pool).await?.ok_or(AppError::NotFound)
}

struct HourRow {
    hour: DateTime<Utc>,
    admitted: i64,
    refused: i64,
    rating_count: i64,
    rating_sum: i64,
}

async fn hours(pool: &PgPool, PostId(id): PostId) -> sqlx::Result<Vec<HourRow>> {
    let mut hours = sqlx::query_as!(
        HourRow,
        "select hour, admitted, refused, rating_count, rating_sum from rating_history
        where blog_id = $1 order by hour desc limit $2",
        id,
        HOURS,
    )
    .fetch_all(pool)
    .await?;
    hours.reverse();
    Ok(hours)
}

/// A history by hours in which something happened, or by days where it is long (see [`BY_HOUR`]).
fn by_period(blog: PostId, hours: Vec<HourRow>) -> Result<History, AppError> {
    let long = match (hours.first(), hours.last()) {
        (Some(first), Some(last)) => last.hour - first.hour > TimeDelta::hours(BY_HOUR),
        _ => false,
    };
    let step = if long { TimeDelta::days(1) } else { TimeDelta::hours(1) };
    let mut periods: Vec<Period> = Vec::new();
    for HourRow { hour, admitted, refused, rating_count, rating_sum } in hours {
        let from = hour.duration_trunc(step).map_err(|error| AppError::Internal(error.to_string()))?;
        let average_rating = if rating_count == 0 { 0.0 } else { ratio(rating_sum, rating_count) };
        match periods.last_mut().filter(|last| last.from == from) {
            Some(last) => {
                last.admitted += admitted;
                last.refused += refused;
                (last.rating_count, last.average_rating) = (rating_count, average_rating);
            }
            None => periods.push(Period { from, admitted, refused, rating_count, average_rating }),
        }
    }
    Ok(History { blog, period: if long { "day" } else { "hour" }, periods, days: Vec::new(), moderations: Vec::new() })
}

#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
fn ratio(one: i64, other: i64) -> f64 {
    one as f64 / other as f64
}

/// A history as a picture. Positions are in the units of its view box.
#[derive(Debug, Default)]
struct Chart {
    bars: Vec<Bar>,
    /// The points of the line of averages, and of that of the steady score.
    points: String,
    steady: String,
    most: i64,
}

#[derive(Debug)]
struct Bar {
    x: f64,
    width: f64,
    /// The top and height of what was admitted and, above it, of what was refused. `y` grows downwards.
    admitted_y: f64,
    admitted_height: f64,
    refused_y: f64,
    refused_height: f64,
}

const LEFT: f64 = 44.0;
const WIDTH: f64 = 640.0;
/// The top and bottom of the chart's upper part, for averages, and of its lower part, for arrivals. `y` grows
/// downwards.
const AVERAGES: (f64, f64) = (16.0, 156.0);
const ARRIVALS: (f64, f64) = (190.0, 290.0);

impl Chart {
    fn of(history: &History) -> Self {
        let step = if history.period == "day" { TimeDelta::days(1) } else { TimeDelta::hours(1) };
        let (Some(first), Some(last)) = (history.periods.first(), history.periods.last()) else {
            return Self::default();
        };
        let span = (last.from - first.from + step).num_seconds();
        let x = |time: DateTime<Utc>| LEFT + WIDTH * ratio((time - first.from).num_seconds(), span);
        let most = history.periods.iter().map(|period| period.admitted + period.refused).max().unwrap_or(0).max(1);
        // Heights grow with the square root, or nothing but a crowd would be seen.
        let height = |count: i64| (ARRIVALS.1 - ARRIVALS.0) * ratio(count, most).sqrt();
        let width = (WIDTH * ratio(step.num_seconds(), span) - 1.0).max(1.0);
        let bars = history.periods.iter().map(|period| {
            let (all, admitted_height) = (height(period.admitted + period.refused), height(period.admitted));
            Bar {
                x: x(period.from),
                width,
                admitted_y: ARRIVALS.1 - admitted_height,
                admitted_height,
                refused_y: ARRIVALS.1 - all,
                refused_height: all - admitted_height,
            }
        });
        let y = |average: f64| AVERAGES.1 - (AVERAGES.1 - AVERAGES.0) * (average - 1.0) / 4.0;
        let rated = history.periods.iter().filter(|period| period.rating_count > 0);
        // Each average is drawn at the end of its period. The first is drawn at the beginning, too, as one point is no
        // line.
        let mut points: Vec<String> = Vec::new();
        for period in rated {
            if points.is_empty() {
                points.push(format!("{:.1},{:.1}", x(period.from), y(period.average_rating)));
            }
            points.push(format!("{:.1},{:.1}", x(period.from + step), y(period.average_rating)));
        }
        let end = last.from + step;
        let mut steady: Vec<String> = Vec::new();
        for (day, score) in scores_at_ends_of_days(&history.days) {
            let at = (day + TimeDelta::days(1)).clamp(first.from, end);
            if steady.is_empty() {
                steady.push(format!("{:.1},{:.1}", x((at - TimeDelta::days(1)).max(first.from)), y(score)));
            }
            steady.push(format!("{:.1},{:.1}", x(at), y(score)));
        }
        Self { bars: bars.collect(), points: points.join(" "), steady: steady.join(" "), most }
    }
}

/// The beginnings of days, and the steady score at their ends, of what counts of them now.
fn scores_at_ends_of_days(days: &[ScoreDay]) -> Vec<(DateTime<Utc>, f64)> {
    let (mut weight, mut sum) = (0.0, 0.0);
    let score = |day: &ScoreDay| {
        (weight, sum) = (weight + day.weight, sum + day.weighted_sum);
        (weight > 1e-9).then(|| (day.day.and_time(NaiveTime::MIN).and_utc(), sum / weight))
    };
    days.iter().filter_map(score).collect()
}

/// The day of a period and, where periods are hours, the hour.
pub(super) fn label(period: &Period, unit: &str) -> String {
    period.from.format(if unit == "day" { "%-d %B %Y" } else { "%-d %B, %H:00" }).to_string()
}

#[cfg(test)]
mod tests {
    use chrono::{Days, NaiveDate};

    use super::*;

    fn hour(number: i64, admitted: i64, refused: i64, rating_count: i64, rating_sum: i64) -> HourRow {
        let begin = DateTime::from_timestamp(1_767_225_600, 0).unwrap();
        HourRow { hour: begin + TimeDelta::hours(number), admitted, refused, rating_count, rating_sum }
    }

    #[test]
    fn a_short_history_is_shown_by_hour_and_a_long_one_by_day() {
        let short = by_period(PostId(1), vec![hour(0, 2, 0, 2, 8), hour(5, 1, 3, 3, 9)]).unwrap();
        assert_eq!((short.period, short.periods.len(), short.periods[1].average_rating), ("hour", 2, 3.0));
        let long =
            by_period(PostId(1), vec![hour(1, 2, 0, 2, 8), hour(20, 1, 3, 3, 9), hour(60, 1, 0, 4, 14)]).unwrap();
        assert_eq!((long.period, long.periods.len()), ("day", 2));
        assert_eq!((long.periods[0].admitted, long.periods[0].refused, long.periods[0].average_rating), (3, 3, 3.0));
        assert!(by_period(PostId(1), Vec::new()).unwrap().periods.is_empty());
    }

    #[test]
    fn the_chart_stays_inside_of_its_box() {
        let history =
            by_period(PostId(1), vec![hour(0, 1, 0, 1, 5), hour(1, 0, 10_000, 1, 5), hour(47, 3, 1, 4, 4)]).unwrap();
        let chart = Chart::of(&history);
        for bar in &chart.bars {
            assert!(bar.x >= LEFT && bar.x + bar.width <= LEFT + WIDTH + 0.01);
            assert!(bar.refused_y >= ARRIVALS.0 - 0.01 && bar.admitted_y + bar.admitted_height <= ARRIVALS.1 + 0.01);
        }
        assert_eq!((chart.most, chart.points.split(' ').count()), (10_000, 4));
        assert!(Chart::of(&by_period(PostId(1), Vec::new()).unwrap()).bars.is_empty());
    }

    #[test]
    fn the_steady_score_is_drawn_at_the_end_of_each_day() {
        let day = |number: u64, weight: f64, weighted_sum: f64| ScoreDay {
            day: NaiveDate::from_ymd_opt(2026, 1, 1).unwrap() + Days::new(number),
            ratings: 1,
            average: 3.0,
            weight,
            weighted_sum,
            left_out: 0,
            reason: None,
            because: None,
        };
        let days = vec![day(0, 2.0, 10.0), day(1, 0.0, 0.0), day(2, 2.0, 2.0)];
        let history = by_period(PostId(1), vec![hour(0, 1, 0, 1, 5), hour(71, 3, 1, 4, 4)]).unwrap();
        // Three days, of five stars until the end of the second, and of three then.
        let expected = "44.0,16.0 257.3,16.0 470.7,16.0 684.0,86.0";
        assert_eq!(Chart::of(&History { days, ..history }).steady, expected);
    }
}
