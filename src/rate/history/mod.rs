//! Rating history of a post as a page, JSON or CSV: scores over time, and numbers of counted and refused ratings.

mod chart;
mod periods;
pub(crate) mod published_periods;

use crate::i18n::{Phrase, PhraseValue, filters, to_ascii_digits};
use crate::web::request::id::parse_id;
use actix_web::{Either, HttpRequest, HttpResponse, web};
use askama::Template;
use chrono::TimeDelta;
use sqlx::PgPool;

use self::chart::HistoryChart;
use self::periods::{History, Period, PeriodKind};
use self::published_periods::PublishedPeriod;
use super::{moderation, urls};
use crate::blog_posts::{self, PostId};
use crate::db::clock::Clock;
use crate::score::DisplayedScore;
use crate::score::contributions::{explain_uncounted, round_parts};
use crate::state::AppState;
use crate::web::error::AppError;
use crate::web::request::current_user::CurrentUser;
use crate::web::request::format::ResponseFormat;
use crate::web::request::query::Query;
use crate::web::response::csv;
use crate::web::response::layout::Layout;
use crate::web::response::view::{PageResponse, json_response};
use crate::{page, phrase};
use evenkeel_limiters::PeriodStatus;

pub const MAX_DAYS: i64 = 3_650;

/// Time ranges in days that the page offers besides the whole history.
const RANGES: [i64; 3] = [30, 7, HOURLY_RANGE];

/// Longest range that is shown by hour, in days.
const HOURLY_RANGE: i64 = 1;

#[derive(Template)]
#[template(path = "rate/history.html")]
pub struct HistoryPage {
    layout: Layout,
    title: String,
    path: String,
    /// Path of the moderation page; `None` if the user is not staff.
    moderate: Option<String>,
    /// Label and value of each figure.
    tiles: Vec<(Phrase, Phrase)>,
    summary: Vec<Phrase>,
    chart: Option<HistoryChart>,
    /// Length of the selected time range in days; `None` for the whole history.
    days: Option<i64>,
    data: History,
}

page!(HistoryPage, data: History);

impl HistoryPage {
    /// Kind of the periods, which selects the variant of a message.
    fn period(&self) -> PhraseValue {
        PhraseValue::Choice(self.data.period.name().into())
    }

    fn has_refused(&self) -> bool {
        self.data.has_refused || self.data.periods.iter().any(|period| period.refused > 0)
    }

    /// True if the last hour or day in the chart is not over yet.
    fn has_open(&self) -> bool {
        let bars = self.chart.iter().filter_map(|chart| chart.counted.as_ref().or(chart.refused.as_ref()));
        bars.flat_map(|chart| &chart.bars).any(|bar| bar.column.is_open)
    }

    fn has_changed(&self) -> bool {
        self.data.periods.iter().any(|period| period.changed > 0)
    }

    fn has_held_back(&self) -> bool {
        self.data.days.iter().any(|period| period.held_back >= 0.005)
    }

    fn has_excluded(&self) -> bool {
        self.data.days.iter().any(|period| period.excluded > 0.0)
    }

    fn total_ratings(&self) -> i64 {
        self.data.days.iter().map(|day| day.ratings).sum()
    }
}

pub async fn history(
    id: PostId,
    reader: Option<CurrentUser>,
    layout: Layout,
    format: ResponseFormat,
    request: HttpRequest,
    query: Query,
    state: web::Data<AppState>,
) -> Result<Either<PageResponse<HistoryPage>, HttpResponse>, AppError> {
    let pool = state.read_pool(reader.as_ref()).await;
    let post = post(pool, state.site().score_shown, id, reader.as_ref()).await?;
    let before = query.get("before")?.map(|before| parse_id(&before).ok_or(AppError::NotFound)).transpose()?;
    let days = parse_days(&query)?;
    if let Some(csv) = to_csv(pool, &state.clock, id, &query, days).await? {
        return Ok(Either::Right(csv::csv_attachment(&request, "ratings.csv", &csv, None)));
    }
    let moderations = moderation::list_moderations(pool, id, before).await?;
    let mine = match &reader {
        Some(reader) => published_periods::read_own_rating_contribution(pool, id, reader.id).await?,
        None => None,
    };
    let is_page = format == ResponseFormat::Html && query.get("format")?.is_none();
    let (days, history) = match History::read(pool, &state.clock, id, days).await? {
        history if is_page && query.get("days")?.is_none() && was_blocked_today(&history) => {
            (Some(HOURLY_RANGE), History::read(pool, &state.clock, id, Some(HOURLY_RANGE)).await?)
        }
        history => (days, history),
    };
    let data = History { mine, moderations, ..history };
    if query.get("format")?.is_some() {
        return Ok(Either::Right(json_response(&request, &mut HttpResponse::Ok(), &data)));
    }
    let is_moderator = layout.user.as_ref().is_some_and(CurrentUser::is_staff);
    Ok(Either::Left(PageResponse::new(HistoryPage {
        chart: HistoryChart::new(&data, layout.locale),
        layout,
        path: blog_posts::post_path(id, &post.title, post.own_slug.as_deref()),
        moderate: is_moderator.then(|| urls::EXCLUDE_RATINGS.path_for(id)),
        tiles: headline_figures(&data, &post),
        summary: summarize(&data),
        title: post.title,
        days,
        data,
    })))
}

/// CSV file of the history; `None` unless the query asks for CSV.
async fn to_csv(
    pool: &PgPool,
    clock: &Clock,
    id: PostId,
    query: &Query,
    days: Option<i64>,
) -> Result<Option<String>, AppError> {
    let of = query.get("of")?;
    if !matches!(of.as_deref(), None | Some("days" | "periods")) {
        return Err(AppError::invalid_field("of", phrase!("invalid-of")));
    }
    match (query.get("format")?.as_deref(), of.as_deref()) {
        (None | Some("json"), _) => Ok(None),
        (Some("csv"), Some("periods")) => {
            csv::to_csv(&[], &History::read(pool, clock, id, days).await?.periods).map(Some)
        }
        (Some("csv"), _) => published_periods::to_csv(&published_periods::read(pool, id).await?).map(Some),
        (Some(_), _) => Err(AppError::invalid_field("format", phrase!("invalid-format"))),
    }
}

/// True if ratings were refused in the last 24 hours; the page then begins with a chart by hour.
fn was_blocked_today(history: &History) -> bool {
    let since = history.read_at - TimeDelta::days(HOURLY_RANGE);
    let is_today = |period: &Period| period.refused > 0 && period.from >= since;
    history.period == PeriodKind::Day && history.periods.iter().any(is_today)
}

/// Parses the query parameter `days`; `None` for the whole history.
fn parse_days(query: &Query) -> Result<Option<i64>, AppError> {
    let Some(text) = query.get("days")?.filter(|text| text != "all") else { return Ok(None) };
    let days = to_ascii_digits(text.trim()).parse().ok().filter(|days| (1..=MAX_DAYS).contains(days));
    days.map(Some).ok_or_else(|| AppError::invalid_field("days", phrase!("invalid-whole-number", most = MAX_DAYS)))
}

async fn post(
    pool: &PgPool,
    score_shown: DisplayedScore,
    id: PostId,
    reader: Option<&CurrentUser>,
) -> Result<PostRatingSummary, AppError> {
    let row = sqlx::query!(
        r#"select p.title, p.own_slug, coalesce(t.rating_count, 0) as "count!", coalesce(t.average_rating, 0) as "average!",
            t.steady_rating as "steady?"
        from blog_posts p left join rating_totals t on t.blog_id = p.id
        where p.id = $1 and p.deleted_at is null and (p.status = 'published' or p.author_id = $2)"#,
        id.0,
        reader.map(|reader| reader.id.0),
    );
    let row = row.fetch_optional(pool).await?.ok_or(AppError::NotFound)?;
    let shown = score_shown.select_score(row.steady, row.average, row.count);
    Ok(PostRatingSummary { title: row.title, own_slug: row.own_slug, shown, count: row.count, average: row.average })
}

struct PostRatingSummary {
    title: String,
    own_slug: Option<String>,
    /// Score that pages display, as selected by `SCORE_SHOWN`.
    shown: Option<f64>,
    count: i64,
    average: f64,
}

/// Labels and values of the figures above the chart. The average includes refused ratings.
fn headline_figures(history: &History, post: &PostRatingSummary) -> Vec<(Phrase, Phrase)> {
    let stars = |stars: f64| phrase!("score-stars", score = PhraseValue::score(stars));
    let shown = post.shown.filter(|_| post.count > 0);
    let mut figures = vec![(phrase!("figure-score"), shown.map_or_else(|| phrase!("verbatim", text = "–"), stars))];
    let with_refused = history.periods.last().and_then(|last| last.average_without_limiter);
    match with_refused.filter(|_| history.has_refused) {
        Some(average) => figures.push((phrase!("figure-average-with-refused"), stars(average))),
        None if post.count > 0 => figures.push((phrase!("figure-average"), stars(post.average))),
        None => (),
    }
    figures.push((phrase!("ratings-heading"), phrase!("verbatim", text = post.count)));
    let refused: i64 = history.periods.iter().map(|period| period.refused).sum();
    if refused > 0 {
        figures.push((phrase!("figure-refused"), phrase!("verbatim", text = refused)));
    }
    figures
}

const MAX_PERIOD_SENTENCES: usize = 3;

/// Describes uncounted ratings, unusual periods and refused ratings, or else the usual number of ratings.
fn summarize(history: &History) -> Vec<Phrase> {
    let Some(most) = history.periods.iter().map(Period::new_ratings).max() else { return Vec::new() };
    let (first, last) = (history.periods.first(), history.periods.last());
    let mut sentences = explain_uncounted(&history.contribution());
    sentences.extend(history.days.iter().rev().filter_map(summarize_period).take(MAX_PERIOD_SENTENCES));
    let refused = history.periods.iter().filter(|period| period.refused > 0);
    if let Some(most) = refused.clone().max_by_key(|period| period.refused) {
        let all = refused.map(|period| period.refused).sum::<i64>();
        let is_all = most.refused == all;
        sentences.push(match history.period {
            PeriodKind::Day => {
                phrase!("history-refused-on-day", count = all, all = is_all, day = most.from.date_naive())
            }
            PeriodKind::Hour => {
                phrase!("history-refused-in-hour", count = all, all = is_all, hour = history.period.label(&most.from))
            }
        });
    }
    if sentences.is_empty() {
        let all = history.periods.iter().map(Period::new_ratings).sum::<i64>();
        let span = first.zip(last).map(|(first, last)| (last.from - first.from).num_days() + 1);
        sentences.push(match span.filter(|_| history.period == PeriodKind::Day) {
            Some(days) => phrase!("history-usual-days", count = all, days = days, most = most),
            None => phrase!("history-usual-hours", count = all, most = most),
        });
        sentences.push(phrase!("history-nothing-unusual"));
    }
    sentences
}

fn summarize_period(period: &PublishedPeriod) -> Option<Phrase> {
    let [_, uncounted] = round_parts([period.weight, period.without_weight()]);
    let of = |phrase: Phrase| {
        phrase
            .with_argument("days", period.days())
            .with_argument("count", uncounted)
            .with_argument("ratings", period.ratings)
    };
    let average = PhraseValue::score(period.average);
    match period.reason.filter(|_| period.is_mostly_without_weight())? {
        PeriodStatus::Surge => Some(of(phrase!("history-surge", average = average))),
        PeriodStatus::HeldBack => Some(of(phrase!("history-held-back", average = average))),
        PeriodStatus::Excluded => Some(match &period.because {
            Some(because) => of(phrase!("history-excluded-reason", average = average, because = because.as_str())),
            None => of(phrase!("history-excluded", average = average)),
        }),
        // Periods with limited weight are common. Only the table of periods lists them.
        PeriodStatus::Limited | PeriodStatus::Whole => None,
    }
}

#[cfg(test)]
mod tests {
    use chrono::NaiveDate;

    use super::*;
    use crate::rate::history::periods::tests::{sample_history, sample_hour};

    fn day(reason: Option<PeriodStatus>) -> PublishedPeriod {
        let day = NaiveDate::from_ymd_opt(2026, 11, 21).unwrap();
        PublishedPeriod {
            day,
            until: day,
            ratings: 2_003,
            average: 1.02,
            weight: 0.0,
            weighted_sum: 0.0,
            held_back: 0.0,
            limited: 0.0,
            surge: 2_003.0,
            excluded: 0.0,
            reason,
            because: Some("bought".to_owned()),
        }
    }

    fn sentences(history: &History) -> Vec<String> {
        summarize(history).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn summarizes_unusual_periods() {
        let mut history = sample_history(vec![sample_hour(0, 2, 0, 20, 80), sample_hour(60, 3, 1_200, 23, 90)]);
        assert_eq!(
            sentences(&history),
            [
                "The rating limiter blocked 1,200 rating attempts on 3 January 2026. Blocked attempts don’t affect the score."
            ]
        );
        history.days = vec![day(None), day(Some(PeriodStatus::Surge)), day(Some(PeriodStatus::Excluded))];
        let all = sentences(&history);
        let total = "6,009 ratings don’t count because unusually many arrived that differ from the earlier ones.";
        assert_eq!(all[0], total);
        let all = &all[1..];
        assert_eq!(all[0], "Staff excluded the 2,003 ratings from 21 November 2026 (average 1.0 ★). Reason: “bought”.");
        assert!(all[1].starts_with("2,003 of 2,003 ratings from 21 November 2026 don’t count"), "{all:?}");
        let quiet = sample_history(vec![sample_hour(0, 2, 0, 2, 8), sample_hour(60, 5, 0, 7, 28)]);
        assert_eq!(
            sentences(&quiet),
            ["7 ratings arrived over 3 days, with at most 5 in one day.", "No unusual activity."]
        );
        assert!(sentences(&sample_history(Vec::new())).is_empty());
    }

    #[test]
    fn figures_have_what_is_shown_beside_the_average() {
        let post =
            |shown, count| PostRatingSummary { title: String::new(), own_slug: None, shown, count, average: 3.91 };
        let shown = |history: &History, post: &PostRatingSummary| {
            let figures = headline_figures(history, post);
            figures.iter().map(|(label, value)| format!("{label}: {value}")).collect::<Vec<_>>().join(" · ")
        };
        let history = sample_history(vec![sample_hour(0, 2, 0, 23, 90), sample_hour(1, 0, 69, 23, 90)]);
        let sentences = "Score: 4.1 ★ · Average with blocked ratings: 1.7 ★ · Ratings: 23 · Blocked attempts: 69";
        assert_eq!(shown(&history, &post(Some(4.1), 23)), sentences);
        let quiet = sample_history(vec![sample_hour(0, 2, 0, 2, 8)]);
        let sentences = "Score: 4.1 ★ · Average: 3.9 ★ · Ratings: 2";
        assert_eq!(shown(&quiet, &post(Some(4.1), 2)), sentences);
    }
}
