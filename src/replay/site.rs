//! The ratings of this site, as they stand in its database.

use std::collections::HashMap;

use anyhow::{Context as _, bail};
use futures_util::TryStreamExt as _;
use indicatif::ProgressBar;
use sqlx::{ConnectOptions as _, Connection as _, PgConnection};

use super::history::Entry;
use crate::database::post_days::number_of;
use crate::database::{Database, Settings, is_migrated};
use crate::limiters::Account;

/// Hands over each post with its ratings, and with the days that moderators have left out of its score. A rating that was
/// changed is there once, when it was changed. Only one post is in memory at a time.
///
/// # Errors
/// If the database cannot be read, or `only` names a post without ratings.
pub async fn each_post(
    settings: &Settings,
    only: Option<i64>,
    progress: &ProgressBar,
    mut told: impl FnMut(&str, &[Entry], &[i64]) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let database = Database::open(settings).await?;
    let mut connection = database.options.connect().await.context("the database cannot be reached")?;
    if !is_migrated(&mut connection).await? {
        bail!("the database is not up to date: run evenkeel migrate");
    }
    progress.set_length(count(&mut connection, only).await?);
    let voided = voided_days(&mut connection).await?;
    let mut rows = sqlx::query!(
        r#"select blog_id, rating, updated_at, coalesce(fresh, false) as "fresh!" from rates
        where blog_id = $1 or $1 is null order by blog_id, updated_at, id"#,
        only,
    )
    .fetch(&mut connection);
    let (mut post, mut entries) = (None, Vec::new());
    loop {
        let row = rows.try_next().await?;
        let next = row.as_ref().map(|row| row.blog_id);
        if let Some(post) = post.filter(|_| next != post) {
            told(&post.to_string(), &entries, voided.get(&post).map_or(&[], Vec::as_slice))?;
            progress.inc(entries.len() as u64);
            entries.clear();
        }
        let Some(row) = row else { break };
        post = next;
        entries.push(Entry {
            time_ms: row.updated_at.timestamp_millis(),
            rating: u8::try_from(row.rating).unwrap_or(0),
            brigade: false,
            user: None,
            account: if row.fresh { Account::Fresh } else { Account::Known },
        });
    }
    drop(rows);
    connection.close().await?;
    Ok(())
}

async fn count(connection: &mut PgConnection, only: Option<i64>) -> anyhow::Result<u64> {
    let count = sqlx::query_scalar!(
        r#"select coalesce(sum(rating_count), 0)::bigint as "count!" from rating_totals where blog_id = $1 or $1 is null"#,
        only,
    );
    let count = count.fetch_one(connection).await?;
    if let Some(post) = only.filter(|_| count == 0) {
        bail!("there is no post {post} with ratings");
    }
    Ok(u64::try_from(count)?)
}

/// The days that moderators have left out, by post.
async fn voided_days(connection: &mut PgConnection) -> sqlx::Result<HashMap<i64, Vec<i64>>> {
    let mut voided: HashMap<i64, Vec<i64>> = HashMap::new();
    for row in sqlx::query!("select blog_id, day from post_days where voided").fetch_all(connection).await? {
        voided.entry(row.blog_id).or_default().push(number_of(row.day));
    }
    Ok(voided)
}
