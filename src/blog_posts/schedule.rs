//! Scheduled publication of drafts.

use chrono::{DateTime, NaiveDateTime, TimeDelta, Utc};
use schemars::{Schema, json_schema};
use serde_json::Value;

use super::published_event;
use crate::db::commit;
use crate::i18n::{DisplayTimeZone, Phrase, to_ascii_digits};
use crate::phrase;
use crate::web::request::form_field::Field;
use crate::web::state::CoreState;

const BATCH_SIZE: i64 = 100;
/// Maximum time until a scheduled publication: ten years.
const MAX_AHEAD: TimeDelta = TimeDelta::days(3_653);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PublishTime {
    Utc(DateTime<Utc>),
    /// Local time of a `datetime-local` input, and the time zone in which the form displayed it, if known.
    Local(NaiveDateTime, Option<DisplayTimeZone>),
}

impl Field for PublishTime {
    /// Accepts RFC 3339, or a local date and time without a time zone as `datetime-local` inputs submit it.
    fn from_text(text: &str) -> Result<Self, Phrase> {
        let text = &to_ascii_digits(text.trim());
        let with_zone = |format| DateTime::parse_from_str(text, format).ok().map(|time| time.to_utc());
        let plain = |format| NaiveDateTime::parse_from_str(text, format).ok();
        let time = DateTime::parse_from_rfc3339(text).ok().map(|time| time.to_utc());
        let time = time.or_else(|| with_zone("%Y-%m-%dT%H:%M%#z")).map(Self::Utc);
        let local =
            || plain("%Y-%m-%dT%H:%M").or_else(|| plain("%Y-%m-%dT%H:%M:%S")).map(|time| Self::Local(time, None));
        time.or_else(local).ok_or_else(|| phrase!("invalid-time"))
    }

    /// Interprets a time without a time zone as UTC.
    fn from_json(value: &Value) -> Result<Self, Phrase> {
        let text = value.as_str().ok_or_else(|| phrase!("invalid-not-a-string"))?;
        Self::from_text(text).map(|time| Self::Utc(time.to_utc()))
    }

    fn schema() -> Schema {
        json_schema!({
            "description": "Time in RFC 3339 format; without a time zone, in UTC",
            "anyOf": [{ "type": "string", "format": "date-time" }, { "type": "string", "pattern": "^[0-9]{4}-(0[1-9]|1[0-2])-([0-2][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9])?(Z|[+-][0-9]{2}:?[0-9]{2})?$" }]
        })
    }
}

impl PublishTime {
    /// Sets the time zone in which a form showed the time.
    pub fn with_form_zone(self, zone: Option<DisplayTimeZone>) -> Self {
        match self {
            Self::Local(shown, _) => Self::Local(shown, zone),
            utc @ Self::Utc(_) => utc,
        }
    }

    /// Interprets a local time without a zone in `zone`. Fails if the clocks skip that time (daylight saving time).
    pub fn local_to_utc(self, zone: DisplayTimeZone) -> Result<DateTime<Utc>, Phrase> {
        match self {
            Self::Utc(time) => Ok(time),
            Self::Local(shown, own) => {
                let zone = own.unwrap_or(zone);
                zone.from_local(shown).ok_or_else(|| phrase!("invalid-time-skipped", zone = zone.name()))
            }
        }
    }

    /// A time without a UTC offset is assumed to be in UTC.
    pub fn to_utc(self) -> DateTime<Utc> {
        match self {
            Self::Utc(time) => time,
            Self::Local(shown, _) => shown.and_utc(),
        }
    }

    pub fn validation_error(time: DateTime<Utc>, now: DateTime<Utc>) -> Option<Phrase> {
        match time - now {
            ahead if ahead <= TimeDelta::zero() => Some(phrase!("invalid-time-past")),
            ahead if ahead > MAX_AHEAD => Some(phrase!("invalid-time-far")),
            _ => None,
        }
    }
}

/// Publishes drafts that are due and not taken down. Keeps `version`, so that an author who edits gets no conflict.
pub async fn publish_due_drafts(state: &CoreState) -> sqlx::Result<()> {
    loop {
        let published = publish_batch(state).await?;
        for id in &published {
            tracing::info!(post_id = id, "scheduled post published");
        }
        if !published.is_empty() {
            state.page_cache.invalidate();
        }
        if i64::try_from(published.len()) != Ok(BATCH_SIZE) {
            return Ok(());
        }
    }
}

async fn publish_batch(state: &CoreState) -> sqlx::Result<Vec<i64>> {
    let publishing = state.site().policy.publishing;
    let published = sqlx::query_scalar!(
        "update blog_posts p set status = 'published', publish_at = null, updated_at = clock.now,
            published_at = coalesce(p.first_published_at, clock.now)
        from (select coalesce($1, clock_timestamp()) as now) clock
        where p.id in (
            select d.id from blog_posts d
            where status = 'draft' and withheld_by is null and publish_at is not null and publish_at <= coalesce($1, clock_timestamp())
                -- The drafts of authors who may no longer publish stay drafts until the permission returns.
                and exists (select from users u where u.id = d.author_id and ($3 or u.is_staff or ($4 and u.is_approved))
                    and (u.blocked_at is null or u.blocked_until <= coalesce($1, clock_timestamp())))
            order by publish_at limit $2 for no key update skip locked
        )
        returning p.id",
        state.clock.now(),
        BATCH_SIZE,
        publishing.allows(false, false),
        publishing.allows(false, true),
    );
    let mut transaction = state.pool.begin().await?;
    let published = published.fetch_all(&mut *transaction).await?;
    published_event::enqueue(&mut transaction, state, &published).await?;
    commit(transaction).await?;
    Ok(published)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_without_zone_are_in_the_authors_zone() {
        let zone: DisplayTimeZone = "Europe/Berlin".parse().unwrap();
        let read = |text: &str| {
            PublishTime::from_text(text).and_then(|time| time.local_to_utc(zone)).map(|time| time.to_rfc3339())
        };
        assert_eq!(read("2026-01-31T18:00").unwrap(), "2026-01-31T17:00:00+00:00");
        assert_eq!(read("2026-01-31T18:00:30+03:30").unwrap(), "2026-01-31T14:30:30+00:00");
        assert_eq!(read("2026-01-31T18:00+03:30").unwrap(), "2026-01-31T14:30:00+00:00");
        assert_eq!(read("2026-01-31T18:00Z").unwrap(), "2026-01-31T18:00:00+00:00");
        assert!(read("2026-03-29T02:30").unwrap_err().to_string().contains("clocks go forward"));
        for bad in ["tomorrow", "2026-02-31T18:00", "18:00", "999999-01-01T00:00", "2026-01-31"] {
            assert!(read(bad).is_err(), "{bad}");
        }
        let json = PublishTime::from_json(&"2026-01-31T18:00".into()).and_then(|time| time.local_to_utc(zone)).unwrap();
        assert_eq!(json.to_rfc3339(), "2026-01-31T18:00:00+00:00");
    }
}
