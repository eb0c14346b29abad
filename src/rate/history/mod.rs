//! Rating history of a post as a page, JSON or CSV: scores over time, and numbers of counted and refused ratings.

mod chart;
mod periods;
pub(crate) mod published_periods;
mod summary;

use crate::i18n::{Phrase, PhraseValue, filters, to_ascii_digits};
use crate::web::request::id::parse_id;
use actix_web::{Either, HttpRequest, HttpResponse, web};
use askama::Template;
use chrono::TimeDelta;
use sqlx::PgPool;

use self::chart::HistoryChart;
use self::periods::{History, Period, PeriodKind};
use super::{moderation, urls};
use crate::blog_posts::{self, PostId};
use crate::db::clock::Clock;
use crate::rate::history::summary::PostRatingSummary;
use crate::score::DisplayedScore;
use crate::state::AppState;
use crate::web::error::AppError;
use crate::web::request::current_user::CurrentUser;
use crate::web::request::format::ResponseFormat;
use crate::web::request::query::Query;
use crate::web::response::csv;
use crate::web::response::layout::Layout;
use crate::web::response::view::{PageResponse, json_response};
use crate::{page, phrase};

pub const MAX_DAYS: i64 = 3_650;

/// Offered by the page besides the whole history, in days.
const RANGES: [i64; 3] = [30, 7, HOURLY_RANGE];

/// Longest range that is shown by hour, in days.
const HOURLY_RANGE: i64 = 1;

#[derive(Template)]
#[template(path = "rate/history.html")]
pub struct HistoryPage {
    layout: Layout,
    title: String,
    path: String,
    /// `None` if the user is not staff.
    moderate: Option<String>,
    /// Label and value of each figure.
    tiles: Vec<(Phrase, Phrase)>,
    story: Vec<Phrase>,
    chart: Option<HistoryChart>,
    /// `None` for the whole history.
    days: Option<i64>,
    data: History,
}

page!(HistoryPage, data: History);

impl HistoryPage {
    /// Selector for Fluent messages.
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
    let post = post(pool, state.score_shown, id, reader.as_ref()).await?;
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
        tiles: summary::headline_figures(&data, &post),
        story: summary::summarize(&data),
        title: post.title,
        days,
        data,
    })))
}

/// `None` unless the query asks for CSV.
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

/// The page then begins with a chart by hour, because a day is only a line in a long history.
fn was_blocked_today(history: &History) -> bool {
    let since = history.read_at - TimeDelta::days(HOURLY_RANGE);
    let is_today = |period: &Period| period.refused > 0 && period.from >= since;
    history.period == PeriodKind::Day && history.periods.iter().any(is_today)
}

/// `None` for the whole history.
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
        where p.id = $1 and (p.status = 'published' or p.author_id = $2)"#,
        id.0,
        reader.map(|reader| reader.id.0),
    );
    let row = row.fetch_optional(pool).await?.ok_or(AppError::NotFound)?;
    let shown = score_shown.select_score(row.steady, row.average, row.count);
    Ok(PostRatingSummary { title: row.title, own_slug: row.own_slug, shown, count: row.count, average: row.average })
}
