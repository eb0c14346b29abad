//! Input of the moderation form: action, range of days, reason.

use std::future::{Ready, ready};

use actix_web::{FromRequest, HttpRequest};
use chrono::{NaiveDate, TimeDelta};
use schemars::{JsonSchema, Schema, json_schema};
use serde::Serialize;
use serde_json::Value;

use crate::i18n::{Phrase, to_ascii_digits};
use crate::phrase;
use crate::web::error::AppError;
use crate::web::request::form_field::{Field, Fields, FormInput, ReasonField};
use crate::web::request::query::Query;
use crate::web::routing::operation::Describe;

/// Moderation action on a range of days of a post's score.
#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ModerationAction {
    /// Excludes the days from the score.
    Exclude,
    /// Includes excluded days in the score again.
    Restore,
}

impl ModerationAction {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Exclude => "exclude",
            Self::Restore => "restore",
        }
    }
}

/// Last segment of the URL path.
impl Describe for ModerationAction {}

impl FromRequest for ModerationAction {
    type Error = AppError;
    type Future = Ready<Result<Self, AppError>>;

    fn from_request(request: &HttpRequest, _: &mut actix_web::dev::Payload) -> Self::Future {
        let word = request.path().trim_end_matches('/').rsplit('/').next();
        let action = [Self::Exclude, Self::Restore].into_iter().find(|action| word == Some(action.as_str()));
        ready(action.ok_or(AppError::NotFound))
    }
}

/// Calendar day (UTC).
struct Day(NaiveDate);

impl Field for Day {
    fn from_text(text: &str) -> Result<Self, Phrase> {
        // chrono also parses signed years and single-digit months.
        let text = to_ascii_digits(text);
        let is_usual = text.len() == 10 && text.starts_with(|c: char| c.is_ascii_digit());
        let day = Some(text).filter(|_| is_usual).and_then(|text| text.parse().ok());
        day.map(Self).ok_or_else(|| phrase!("invalid-day"))
    }

    fn schema() -> Schema {
        json_schema!({ "type": "string", "format": "date" })
    }
}

/// Empty text and JSON `null` are parsed as `None`.
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

/// Includes the last day.
#[derive(Clone, Copy, Debug)]
pub struct DateRange {
    pub from: NaiveDate,
    pub to: NaiveDate,
}

const MAX_DAYS: i64 = 366;

impl DateRange {
    fn new(Day(from): Day, to: Option<Day>) -> Result<Self, Phrase> {
        let to = to.map_or(from, |Day(to)| to);
        match to - from {
            apart if apart < TimeDelta::zero() => Err(phrase!("invalid-to")),
            apart if apart >= TimeDelta::days(MAX_DAYS) => Err(phrase!("invalid-too-many-days")),
            _ => Ok(Self { from, to }),
        }
    }

    /// `None` if a field is invalid. An empty `to` selects a single day.
    pub fn from_form(from: &str, to: &str) -> Option<Self> {
        let to = if to.is_empty() { None } else { Some(Day::from_text(to).ok()?) };
        Self::new(Day::from_text(from).ok()?, to).ok()
    }

    /// `None` if `from` is missing.
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
