//! `evenkeel links`: state of the threat lists, and check of a URL against them.

use anyhow::{Context as _, bail};
use chrono::{DateTime, Utc};
use sqlx::PgPool;
use url::Url;

use crate::db::clock::Clock;
use crate::i18n::Locale;
use crate::log::print_line;
use crate::safe_browsing::settings::Settings;
use crate::safe_browsing::threat_lists::{SafeBrowsing, Verdict, is_stale};
use evenkeel_limiters::PacerState;

#[derive(Clone, Debug)]
pub enum ThreatListsCommand {
    Status,
    /// URL to check against the threat lists.
    Check(String),
}

/// Prints the state of the threat lists, or the result of checking a URL.
///
/// # Errors
/// If there is no API key, or the URL is flagged or cannot be checked now.
pub async fn run(pool: &PgPool, settings: Option<Settings>, question: ThreatListsCommand) -> anyhow::Result<()> {
    let settings =
        settings.context("links are not checked against threat lists; set SAFE_BROWSING_KEY to an API key")?;
    let service = SafeBrowsing::new(settings, pool.clone(), Clock::Database)?;
    let names = stale_lists(&service, pool).await?;
    match question {
        ThreatListsCommand::Status => {
            status_lines(&service).await?.into_iter().for_each(print_line);
            Ok(())
        }
        ThreatListsCommand::Check(address) if !is_http_url(&address) => {
            bail!("cannot check {address:?}: it is not a valid URL that begins with http:// or https://")
        }
        ThreatListsCommand::Check(address) => match service.check(std::slice::from_ref(&address)).await?.remove(0) {
            Verdict::Safe if names.is_empty() => {
                print_line(format!("No threat list contains {address:?}."));
                Ok(())
            }
            Verdict::Safe => bail!(
                "cannot check {address:?}: these threat lists have not been updated for 24 hours: {}; run `evenkeel links` \
                for their state",
                names.join(", ")
            ),
            Verdict::Flagged { threat_type, until, .. } => {
                bail!(
                    "{address:?} is flagged as {threat_type} by {}; this result is valid until {}",
                    service.server_host(),
                    Locale::default().format_date_with_time(until)
                )
            }
            Verdict::Unknown => bail!(
                "cannot check {address:?}: its hash prefix is in a threat list, but the Safe Browsing server could not be \
                asked for the full hash; run `evenkeel links` to see when the next request is allowed"
            ),
        },
    }
}

/// Returns one line per threat list with its size and the time of its last update, followed by lines with the times at
/// which the next requests to the threat list server are allowed.
pub async fn status_lines(service: &SafeBrowsing) -> sqlx::Result<Vec<String>> {
    let (lists, [fetching, finding]) = service.status().await?;
    let mut lines: Vec<String> = lists
        .iter()
        .map(|list| {
            let count = Locale::default().format_number(i64::try_from(list.prefixes).unwrap_or(i64::MAX));
            let when = list.updated_at.map_or_else(
                || "never updated".to_owned(),
                |at| format!("last updated on {}", Locale::default().format_date_with_time(at)),
            );
            format!(
                "{}: {count} {}, {when}",
                list.name,
                if list.prefixes == 1 { "hash prefix" } else { "hash prefixes" }
            )
        })
        .collect();
    lines.extend(
        [("List updates", fetching), ("Full hash lookups", finding)].map(|(what, pace)| describe_pacing(what, pace)),
    );
    Ok(lines)
}

/// Prints the state of the threat lists. Returns a message for each list that is too old to be used.
pub async fn print_status_and_problems(pool: &PgPool, settings: Settings) -> anyhow::Result<Vec<String>> {
    let service = SafeBrowsing::new(settings, pool.clone(), Clock::Database)?;
    status_lines(&service).await?.into_iter().for_each(print_line);
    let bad = stale_lists(&service, pool).await?.into_iter();
    let describe = |name: String| {
        format!("threat list {name} has not been updated for 24 hours, so no link is checked against it")
    };
    Ok(bad.map(describe).collect())
}

/// Names of threat lists that the server has not updated or confirmed in the last 24 hours. Links are not checked
/// against these lists.
async fn stale_lists(service: &SafeBrowsing, pool: &PgPool) -> sqlx::Result<Vec<String>> {
    let now = Clock::Database.read(&mut *pool.acquire().await?).await?;
    let (lists, _) = service.status().await?;
    Ok(lists.into_iter().filter(|list| is_stale(list.updated_at, now)).map(|list| list.name).collect())
}

fn is_http_url(address: &str) -> bool {
    Url::parse(address).is_ok_and(|url| ["http", "https"].contains(&url.scheme()) && url.has_host())
}

fn describe_pacing(what: &str, pace: Option<PacerState>) -> String {
    let Some(pace) = pace else { return format!("{what}: no request yet") };
    let next = DateTime::<Utc>::from_timestamp_millis(pace.next_request_ms()).unwrap_or_default();
    let failed = match pace.n {
        0 => String::new(),
        1 => "; the last request failed".to_owned(),
        failures => format!("; the last {failures} requests failed"),
    };
    format!("{what}: next request allowed from {}{failed}", Locale::default().format_date_with_time(next))
}
