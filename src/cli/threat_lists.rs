//! `evenkeel links`: state of the threat lists, and check of URLs against them.

use std::io::{self, stdin};

use anyhow::{Context as _, bail};
use chrono::{DateTime, Utc};
use sqlx::PgPool;
use url::Url;

use crate::db::clock::Clock;
use crate::i18n::Locale;
use crate::log::print_line;
use crate::safe_browsing::settings::Settings;
use crate::safe_browsing::threat_lists::{SafeBrowsing, is_stale};
use crate::safe_browsing::verdicts::Verdict;
use evenkeel_limiters::PacerState;

#[derive(Clone, Debug)]
pub enum ThreatListsCommand {
    Status,
    /// URL; `-` stands for the URLs in standard input, one per line.
    Check(String),
}

const STANDARD_INPUT: &str = "-";
/// A URL has at most 30 hashes, and a request to the Safe Browsing server at most 500 hashes.
const URLS_PER_REQUEST: usize = 16;

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
        ThreatListsCommand::Check(url) if url == STANDARD_INPUT => check_lines(&service, &names, stdin().lines()).await,
        ThreatListsCommand::Check(url) => match check(&service, &names, vec![url]).await?.remove(0) {
            Ok(safe) => {
                print_line(safe);
                Ok(())
            }
            Err(problem) => bail!(problem),
        },
    }
}

async fn check_lines(
    service: &SafeBrowsing,
    stale: &[String],
    lines: impl Iterator<Item = io::Result<String>>,
) -> anyhow::Result<()> {
    let (mut count, mut problems) = (0, 0);
    let mut lines = lines.peekable();
    while lines.peek().is_some() {
        let batch: io::Result<Vec<String>> = lines.by_ref().take(URLS_PER_REQUEST).collect();
        let urls = batch.context("cannot read standard input")?.into_iter().map(|line| line.trim().to_owned());
        for result in check(service, stale, urls.filter(|url| !url.is_empty()).collect()).await? {
            count += 1;
            problems += usize::from(result.is_err());
            print_line(result.unwrap_or_else(|problem| problem));
        }
    }
    if problems > 0 {
        bail!("{problems} of {count} URLs are flagged or could not be checked");
    }
    Ok(())
}

/// Checks URLs. The result for a URL is `Err` if the URL is flagged or could not be checked.
async fn check(
    service: &SafeBrowsing,
    stale: &[String],
    urls: Vec<String>,
) -> anyhow::Result<Vec<Result<String, String>>> {
    let verdicts = service.check(&urls).await?;
    Ok(urls.iter().zip(verdicts).map(|(url, verdict)| describe(service, stale, url, verdict)).collect())
}

fn describe(service: &SafeBrowsing, stale: &[String], url: &str, verdict: Verdict) -> Result<String, String> {
    if !is_http_url(url) {
        return Err(format!("cannot check {url:?}: it is not a valid URL that begins with http:// or https://"));
    }
    match verdict {
        Verdict::Safe if stale.is_empty() => Ok(format!("No threat list contains {url:?}.")),
        Verdict::Safe => Err(format!(
            "cannot check {url:?}: these threat lists have not been updated for 24 hours: {}; run `evenkeel links` for \
            their state",
            stale.join(", ")
        )),
        Verdict::Flagged { threat_type, until, .. } => Err(format!(
            "{url:?} is flagged as {threat_type} by {}; this result is valid until {}",
            service.server_host(),
            Locale::default().format_date_with_time(until)
        )),
        Verdict::Unknown => Err(format!(
            "cannot check {url:?}: its hash prefix is in a threat list, but the Safe Browsing server could not be asked \
            for the full hash; run `evenkeel links` to see when the next request is allowed"
        )),
    }
}

/// One line per threat list, and the times at which the next requests to the server are allowed.
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

/// Returns a message for each threat list that is too old to be used.
pub async fn print_status_and_problems(pool: &PgPool, settings: Settings) -> anyhow::Result<Vec<String>> {
    let service = SafeBrowsing::new(settings, pool.clone(), Clock::Database)?;
    status_lines(&service).await?.into_iter().for_each(print_line);
    let bad = stale_lists(&service, pool).await?.into_iter();
    let describe = |name: String| {
        format!("threat list {name} has not been updated for 24 hours, so no link is checked against it")
    };
    Ok(bad.map(describe).collect())
}

/// Names of threat lists without an update in the last 24 hours. Links are not checked against stale lists.
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
