//! Exclude days from the score of a post, or include them again, after a preview of the effect.

use actix_web::web;
use askama::Template;
use chrono::{NaiveDate, TimeDelta};
use schemars::{JsonSchema, Schema, json_schema};
use serde::Serialize;
use serde_json::Value;
use sqlx::{PgConnection, PgPool};

use super::{DateRange, Moderated, Moderation, ModerationAction, apply_decision, moderate};
use crate::audit_log::ReasonField;
use crate::blog_posts::PostId;
use crate::blog_posts::models::find_published_title;
use crate::db::clock::Clock;
use crate::i18n::{Phrase, filters, to_ascii_digits};
use crate::rate::urls;
use crate::state::AppState;
use crate::web::error::AppError;
use crate::web::request::body::Payload;
use crate::web::request::current_user::CurrentUser;
use crate::web::request::extractor;
use crate::web::request::form_field::{Field, Fields, FormInput};
use crate::web::request::query::Query;
use crate::web::response::form::Form;
use crate::web::response::layout::Layout;
use crate::web::response::view::{ActionResult, FormResponse, PageResponse, handle_form};
use crate::web::routing::operation::Describe;
use crate::web::state::CoreState;
use crate::{page, phrase};

/// Maximum number of ratings that the query for the ages of accounts reads.
const MAX_PREVIEW_RATINGS: i64 = 100_000;

const MAX_DAYS: i64 = 366;

/// The last segment of the URL path is the action.
impl Describe for ModerationAction {}

extractor!(ModerationAction, AppError, |request| {
    let word = request.path().trim_end_matches('/').rsplit('/').next();
    let action = [Self::Exclude, Self::Restore].into_iter().find(|action| word == Some(action.as_str()));
    action.ok_or(AppError::NotFound)
});

/// Calendar day (UTC).
struct Day(NaiveDate);

impl Field for Day {
    fn from_text(text: &str) -> Result<Self, Phrase> {
        // Checks the length and the first digit, because chrono also parses signed years and single-digit months.
        let text = to_ascii_digits(text);
        let is_usual = text.len() == 10 && text.starts_with(|c: char| c.is_ascii_digit());
        let day = Some(text).filter(|_| is_usual).and_then(|text| text.parse().ok());
        day.map(Self).ok_or_else(|| phrase!("invalid-day"))
    }

    fn schema() -> Schema {
        json_schema!({ "type": "string", "format": "date" })
    }
}

/// Calendar day that may be missing: empty text and JSON `null` are parsed as `None`.
struct OptionalDay(Option<Day>);

impl Field for OptionalDay {
    fn from_text(text: &str) -> Result<Self, Phrase> {
        if text.is_empty() { Ok(Self(None)) } else { Day::from_text(text).map(|day| Self(Some(day))) }
    }

    fn from_json(value: &Value) -> Result<Self, Phrase> {
        if value.is_null() { Ok(Self(None)) } else { Day::from_json(value).map(|day| Self(Some(day))) }
    }

    fn schema() -> Schema {
        json_schema!({ "type": ["string", "null"], "format": "date" })
    }
}

impl DateRange {
    fn new(Day(from): Day, to: Option<Day>) -> Result<Self, Phrase> {
        let to = to.map_or(from, |Day(to)| to);
        match to - from {
            apart if apart < TimeDelta::zero() => Err(phrase!("invalid-to")),
            apart if apart >= TimeDelta::days(MAX_DAYS) => Err(phrase!("invalid-too-many-days")),
            _ => Ok(Self { from, to }),
        }
    }

    /// Range of days of a form; `None` if a field is invalid. An empty `to` selects a single day.
    pub fn from_form(from: &str, to: &str) -> Option<Self> {
        let to = if to.is_empty() { None } else { Some(Day::from_text(to).ok()?) };
        Self::new(Day::from_text(from).ok()?, to).ok()
    }

    /// Range of days in the query; `None` if the parameter `from` is missing.
    pub fn from_query(query: &Query) -> Result<Option<Self>, AppError> {
        fn field(query: &Query, name: &'static str) -> Result<Option<Day>, AppError> {
            let text = query.get(name)?;
            text.map(|text| Day::from_text(&text)).transpose().map_err(|message| AppError::invalid_field(name, message))
        }
        let (from, to) = (field(query, "from")?, field(query, "to")?);
        let Some(from) = from else { return Ok(None) };
        Self::new(from, to).map(Some).map_err(|message| AppError::invalid_field("to", message))
    }
}

#[derive(Clone, Debug)]
pub struct ModerationDecision {
    pub window: DateRange,
    pub reason: ReasonField,
}

impl FormInput for ModerationDecision {
    fn read(fields: &mut Fields) -> Option<Self> {
        let (from, to) = (fields.take("from"), fields.take_optional::<OptionalDay>("to"));
        let reason = fields.take("reason");
        let window = DateRange::new(from?, to?.and_then(|OptionalDay(day)| day));
        Some(Self { window: window.map_err(|message| fields.add_error("to", message)).ok()?, reason: reason? })
    }
}

/// Preview of a moderation decision: the effect that the decision would have on the score.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct ModerationPreview {
    pub action: ModerationAction,
    /// First day (UTC) that the decision would affect.
    pub from: NaiveDate,
    /// Last day (UTC) that the decision would affect.
    pub to: NaiveDate,
    /// Number of days that the decision would exclude or include again.
    pub days: i64,
    /// Number of ratings on the days that the decision would change.
    pub ratings: i64,
    /// Current steady score.
    pub score_before: Option<f64>,
    /// Steady score after the decision.
    pub score_after: Option<f64>,
    /// Ages of the accounts that submitted the affected ratings, at the time of each rating.
    pub account_ages: AccountAgeCounts,
}

impl ModerationPreview {
    pub fn description(&self) -> Phrase {
        let message = if self.from == self.to { "preview-day" } else { "preview-days" };
        let phrase = phrase!(message, from = self.from, to = self.to, days = self.days, ratings = self.ratings);
        phrase.with_argument("exclude", self.is_exclusion())
    }

    pub fn is_exclusion(&self) -> bool {
        self.action == ModerationAction::Exclude
    }
}

/// Number of accounts by their age at the time of the rating. Counts at most 100,000 ratings.
#[derive(Clone, Debug, Default, JsonSchema, Serialize)]
pub struct AccountAgeCounts {
    /// Number of ratings by accounts younger than a day.
    pub under_a_day: i64,
    /// Number of ratings by accounts younger than a week, but not younger than a day.
    pub under_a_week: i64,
    /// Number of ratings by accounts younger than a month, but not younger than a week.
    pub under_a_month: i64,
    /// Number of ratings by accounts younger than a year, but not younger than a month.
    pub under_a_year: i64,
    /// Number of ratings by accounts that were at least a year old.
    pub older: i64,
}

impl AccountAgeCounts {
    pub fn labeled_counts(&self) -> [(Phrase, i64); 5] {
        [
            (phrase!("age-under-a-day"), self.under_a_day),
            (phrase!("age-under-a-week"), self.under_a_week),
            (phrase!("age-under-a-month"), self.under_a_month),
            (phrase!("age-under-a-year"), self.under_a_year),
            (phrase!("age-older"), self.older),
        ]
    }
}

#[derive(Template)]
#[template(path = "rate/moderate.html")]
pub struct ModerationPage {
    layout: Layout,
    post: PostId,
    action: ModerationAction,
    title: String,
    form: Form,
    /// Preview of the decision; `None` until the moderator has selected days.
    data: Option<ModerationPreview>,
}

page!(ModerationPage, data: Option<ModerationPreview>);

impl ModerationPage {
    fn history(&self) -> String {
        urls::RATING_HISTORY.path_for(self.post)
    }

    fn here(&self) -> String {
        path(self.action, self.post)
    }

    /// Path of the form for the opposite action.
    fn contrary(&self) -> String {
        path(if self.is_exclusion() { ModerationAction::Restore } else { ModerationAction::Exclude }, self.post)
    }

    fn is_exclusion(&self) -> bool {
        self.action == ModerationAction::Exclude
    }
}

fn path(action: ModerationAction, post: PostId) -> String {
    match action {
        ModerationAction::Exclude => urls::EXCLUDE_RATINGS.path_for(post),
        ModerationAction::Restore => urls::RESTORE_RATINGS.path_for(post),
    }
}

pub async fn moderation_form(
    moderator: CurrentUser,
    action: ModerationAction,
    post: PostId,
    layout: Layout,
    query: Query,
    state: web::Data<AppState>,
) -> Result<PageResponse<ModerationPage>, AppError> {
    let title = find_published_title(&state.pool, post).await?.ok_or(AppError::NotFound)?;
    moderator.require_staff()?;
    let values = ["from", "to"].into_iter().filter_map(|name| {
        let value = query.get(name).ok().flatten()?;
        Some((name.to_owned(), value))
    });
    let values = values.collect();
    let preview = async || {
        let Some(window) = DateRange::from_query(&query)? else { return Ok(None) };
        preview_decision(&state.pool, &state.clock, post, action, &window).await.map(Some)
    };
    match preview().await {
        Ok(data) => {
            Ok(PageResponse::new(ModerationPage { layout, post, action, title, form: Form::with_values(values), data }))
        }
        Err(error @ AppError::Invalid(_)) => {
            let form = Form::rejected(values, &error);
            Ok(PageResponse::invalid_form_response(
                ModerationPage { layout, post, action, title, form, data: None },
                error,
            ))
        }
        Err(error) => Err(error),
    }
}

pub async fn decide(
    payload: Payload<ModerationDecision>,
    moderator: CurrentUser,
    action: ModerationAction,
    post: PostId,
    layout: Layout,
    state: web::Data<AppState>,
) -> Result<FormResponse<Moderation, ModerationPage, 201>, AppError> {
    let window = DateRange::from_form(payload.submitted_value("from"), payload.submitted_value("to"));
    let decide = async |decision: ModerationDecision| {
        moderator.require_staff()?;
        let by = moderator.clone();
        let decide = async move |connection: &mut PgConnection, state: &CoreState| {
            apply_decision(connection, &state.clock, post, &by, action, &decision.window, decision.reason.as_str())
                .await
        };
        let entry = state.transaction_then(decide, |state, _| state.page_cache.invalidate()).await?;
        tracing::info!(
            user_id = moderator.id.0,
            post_id = post.0,
            action = entry.action,
            days = entry.days,
            "days excluded from or included in the score of a post"
        );
        let message = entry.description();
        let location = format!("{}#moderations", urls::RATING_HISTORY.path_for(post));
        Ok(ActionResult::new(entry, location).with_message(message))
    };
    let page = async |form: Form, _: &AppError| {
        let title = find_published_title(&state.pool, post).await.ok()?.filter(|_| moderator.is_staff())?;
        // A rejected form is displayed with a preview if the submitted days are valid.
        let data = match window {
            Some(window) => preview_decision(&state.pool, &state.clock, post, action, &window).await.ok(),
            None => None,
        };
        Some(ModerationPage { layout, post, action, title, form, data })
    };
    handle_form(payload, decide, page).await
}

async fn preview_decision(
    pool: &PgPool,
    clock: &Clock,
    PostId(post): PostId,
    action: ModerationAction,
    window: &DateRange,
) -> Result<ModerationPreview, AppError> {
    let mut connection = pool.acquire().await?;
    let moderated = moderate(&mut connection, clock, post, action, window).await?.0;
    let account_ages = sqlx::query_as!(
        AccountAgeCounts,
        r#"select count(*) filter (where age < interval '1 day') as "under_a_day!",
            count(*) filter (where age >= interval '1 day' and age < interval '7 days') as "under_a_week!",
            count(*) filter (where age >= interval '7 days' and age < interval '30 days') as "under_a_month!",
            count(*) filter (where age >= interval '30 days' and age < interval '365 days') as "under_a_year!",
            count(*) filter (where age >= interval '365 days') as "older!"
        from (
            select r.created_at - u.created_at as age from rates r join users u on u.id = r.user_id
            where r.blog_id = $1 and r.counted_on = any($2) limit $3
        ) as accounts"#,
        post,
        &moderated.dates(),
        MAX_PREVIEW_RATINGS,
    );
    let account_ages = account_ages.fetch_one(&mut *connection).await?;
    let DateRange { from, to } = *window;
    let (days, ratings) = (moderated.day_count(), moderated.rating_count());
    let Moderated { score_before, score_after, .. } = moderated;
    Ok(ModerationPreview { action, from, to, days, ratings, score_before, score_after, account_ages })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_written_in_one_way() {
        assert!(Day::from_text("2026-11-21").is_ok_and(|day| day.0.to_string() == "2026-11-21"));
        for text in ["", "2026-11-31", "2026-1-1", "21.11.2026", "+026-11-21", "2026-11-21T", "２026-11-2"] {
            assert!(Day::from_text(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_window_ends_after_its_beginning_and_is_no_longer_than_a_year() {
        let day = |text: &str| Day::from_text(text).unwrap();
        let days = |from: &str, to: &str| DateRange::new(day(from), Some(day(to))).is_ok();
        assert!(days("2026-11-21", "2026-11-21") && days("2026-01-01", "2027-01-01"));
        assert!(!days("2026-11-21", "2026-11-20") && !days("2026-01-01", "2027-01-02"));
    }
}
