//! URLs in a post, and the result of checking them against threat lists.

use chrono::{DateTime, Utc};
use evenkeel_markdown::image_name::ImageName;
use evenkeel_markdown::{FlaggedUrls, RenderedText};
use sqlx::PgConnection;

use crate::i18n::Phrase;
use crate::phrase;
use crate::safe_browsing::flagged_urls::{self, NewFlaggedUrl, warning_path};
use crate::safe_browsing::link_check::UrlCheckResult;

/// Distinct URLs in a post, with the result of the last link check.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkCheckResult {
    pub urls: Vec<String>,
    pub flagged: Vec<String>,
    /// Number of changes of the threat lists at the time of the check; -1 if the URLs were not checked.
    pub list_changes: i64,
    /// Time of the next check if the threat lists do not change; `None` if no later check is needed.
    pub recheck_at: Option<DateTime<Utc>>,
    pub reported: Vec<NewFlaggedUrl>,
}

impl LinkCheckResult {
    pub fn new(addresses: Vec<String>, url_check: &UrlCheckResult) -> Self {
        Self {
            flagged: url_check.flagged_urls(&addresses),
            list_changes: url_check.list_version,
            recheck_at: url_check.recheck_at(&addresses),
            reported: url_check.new_verdicts(&addresses),
            urls: addresses,
        }
    }

    /// URLs that were already flagged stay flagged until the next background check.
    pub fn unchecked(addresses: Vec<String>, suspected: &[String]) -> Self {
        let suspected = suspected.iter().filter(|suspected| addresses.contains(suspected)).cloned().collect();
        Self { urls: addresses, flagged: suspected, list_changes: -1, recheck_at: None, reported: Vec::new() }
    }
}

pub fn uploaded_image_names(text: &RenderedText, cover: Option<&str>) -> Vec<String> {
    let cover = cover.and_then(ImageName::from_path).filter(|cover| !text.images.contains(cover));
    text.images.iter().chain(&cover).map(ToString::to_string).collect()
}

/// Distinct URLs in a text, and the URL of its cover unless the cover was uploaded to this site.
pub fn extract_urls(text: &RenderedText, cover: Option<&str>) -> Vec<String> {
    let cover = cover.filter(|cover| ImageName::from_path(cover).is_none());
    let cover = cover.filter(|cover| !text.links.iter().any(|address| address == cover));
    text.links.iter().cloned().chain(cover.map(str::to_owned)).collect()
}

pub fn map_to_warning_pages(suspected: &[String]) -> FlaggedUrls {
    suspected.iter().map(|address| (address.clone(), warning_path(address))).collect()
}

pub fn flagged_urls_notice(suspected: &[String]) -> Option<Phrase> {
    let short = |address: &String| match address.char_indices().nth(100) {
        Some((end, _)) => format!("{}…", &address[..end]),
        None => address.clone(),
    };
    let first = suspected.first().map(short)?;
    Some(phrase!("notice-flagged-links", count = suspected.len(), address = first))
}

/// Saves the URLs of a post, and the Markdown source of the post with flagged URLs masked.
pub async fn save_links(
    connection: &mut PgConnection,
    id: i64,
    checked_links: &LinkCheckResult,
    masked: Option<&str>,
) -> sqlx::Result<()> {
    if checked_links.urls.is_empty() {
        let deleted = sqlx::query!("delete from post_links where post_id = $1", id);
        return deleted.execute(connection).await.map(drop);
    }
    let saved = sqlx::query!(
        "insert into post_links (post_id, addresses, suspected, masked_content, lists, again_at)
        values ($1, $2, $3, $4, $5, $6)
        on conflict (post_id) do update set
            addresses = excluded.addresses, suspected = excluded.suspected, masked_content = excluded.masked_content,
            lists = excluded.lists, again_at = excluded.again_at",
        id,
        &checked_links.urls,
        &checked_links.flagged,
        masked,
        checked_links.list_changes,
        checked_links.recheck_at,
    );
    saved.execute(&mut *connection).await?;
    flagged_urls::store(connection, checked_links.reported.clone()).await
}
