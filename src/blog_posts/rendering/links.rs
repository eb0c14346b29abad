//! URLs in a post, and the result of checking them against threat lists.

use chrono::{DateTime, Utc};
use sqlx::PgConnection;

use crate::i18n::Phrase;
use crate::image_name::ImageName;
use crate::markdown::{Rendered, Warnings};
use crate::phrase;
use crate::safe_browsing::flagged_urls;
use crate::safe_browsing::flagged_urls::{Named, page};
use crate::safe_browsing::link_check::Known;

/// Distinct URLs in a post, with the result of the last link check.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CheckedLinks {
    pub addresses: Vec<String>,
    pub suspected: Vec<String>,
    /// Number of threat list changes at the time of the check; -1 if the URLs were not checked.
    pub lists: i64,
    /// Time of the next check if the threat lists do not change; `None` if no such check is needed.
    pub again_at: Option<DateTime<Utc>>,
    /// Flagged URLs that the Safe Browsing server has just reported.
    pub named: Vec<Named>,
}

impl CheckedLinks {
    #[must_use]
    pub fn of(addresses: Vec<String>, known: &Known) -> Self {
        let (suspected, again_at) = (known.suspected(&addresses), known.again_at(&addresses));
        let named = known.named(&addresses);
        Self { addresses, suspected, lists: known.lists, again_at, named }
    }

    /// URLs that are due for the background check. Flagged URLs stay flagged until then.
    #[must_use]
    pub fn unchecked(addresses: Vec<String>, suspected: &[String]) -> Self {
        let suspected = suspected.iter().filter(|suspected| addresses.contains(suspected)).cloned().collect();
        Self { addresses, suspected, lists: -1, again_at: None, named: Vec::new() }
    }
}

/// Names of the uploaded images in a post, including its cover.
#[must_use]
pub fn images(text: &Rendered, cover: Option<&str>) -> Vec<String> {
    let cover = cover.and_then(ImageName::of_path).filter(|cover| !text.images.contains(cover));
    text.images.iter().chain(&cover).map(ToString::to_string).collect()
}

/// Distinct URLs in a text, and the URL of its cover unless that was uploaded to this site.
#[must_use]
pub fn addresses(text: &Rendered, cover: Option<&str>) -> Vec<String> {
    let cover = cover.filter(|cover| ImageName::of_path(cover).is_none());
    let cover = cover.filter(|cover| !text.links.iter().any(|address| address == cover));
    text.links.iter().cloned().chain(cover.map(str::to_owned)).collect()
}

/// Maps each flagged URL to its warning page.
#[must_use]
pub fn warnings(suspected: &[String]) -> Warnings {
    suspected.iter().map(|address| (address.clone(), page(address))).collect()
}

/// Message for the author about flagged URLs; `None` if there are none.
#[must_use]
pub fn notice(suspected: &[String]) -> Option<Phrase> {
    let short = |address: &String| match address.char_indices().nth(100) {
        Some((end, _)) => format!("{}…", &address[..end]),
        None => address.clone(),
    };
    let first = suspected.first().map(short)?;
    Some(phrase!("notice-suspected", count = suspected.len(), address = first))
}

/// Saves the URLs of a post, and its source with flagged URLs masked.
pub async fn keep(
    connection: &mut PgConnection,
    id: i64,
    kept: &CheckedLinks,
    masked: Option<&str>,
) -> sqlx::Result<()> {
    if kept.addresses.is_empty() {
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
        &kept.addresses,
        &kept.suspected,
        masked,
        kept.lists,
        kept.again_at,
    );
    saved.execute(&mut *connection).await?;
    flagged_urls::note(connection, kept.named.clone()).await
}
