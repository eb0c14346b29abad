//! `evenkeel check_ratings`: compares stored rating totals and scores with the ratings.

use std::time::Instant;

use anyhow::bail;
use sqlx::{Connection as _, PgConnection, PgPool};

use crate::db::PROGRESS_INTERVAL;
use crate::log::print_line;
use crate::rate::recount::{self, CheckSummary, ChunkCheckResult, IncorrectPost};

/// The site can keep running: posts are checked in small chunks, and a post is locked only while it is recomputed.
pub async fn check_ratings(pool: &PgPool, fix: bool) -> anyhow::Result<()> {
    // Disables the statement timeout, because checking a chunk of posts may take longer.
    let mut connection = pool.acquire().await?.detach();
    sqlx::query!("set statement_timeout = 0").execute(&mut connection).await?;
    let (mut last_report, all) = (Instant::now(), last_post_id(&mut connection).await?);
    let tell = |step: &ChunkCheckResult, CheckSummary { posts, ratings, .. }: CheckSummary| {
        step.wrong.iter().map(describe_mismatch).for_each(print_line);
        if last_report.elapsed() >= PROGRESS_INTERVAL {
            tracing::info!(percent = 100 * step.last / all.max(1), posts, ratings, "checking ratings");
            last_report = Instant::now();
        }
    };
    let CheckSummary { posts, ratings, wrong } = recount::check_all_totals(&mut connection, fix, tell).await?;
    connection.close().await?;
    print_line(format!("Checked {posts} posts with {ratings} ratings."));
    match (wrong, fix) {
        (0, _) => print_line("All rating totals and scores are correct."),
        (wrong, true) => {
            print_line(format!("Recomputed the totals and scores of posts with incorrect values: {wrong}."));
        }
        (wrong, false) => bail!(
            "posts with incorrect totals or scores: {wrong}; run `evenkeel check_ratings --fix` to recompute them"
        ),
    }
    Ok(())
}

async fn last_post_id(connection: &mut PgConnection) -> sqlx::Result<i64> {
    sqlx::query_scalar!(r#"select coalesce(max(blog_id), 0) as "last!" from rating_totals"#).fetch_one(connection).await
}

fn describe_mismatch(IncorrectPost { post, ratings, counted, score_is_wrong }: &IncorrectPost) -> String {
    let mut parts = Vec::new();
    if ratings != counted {
        parts.push(format!(
            "the stored totals show {}, but the post has {}",
            describe_ratings(counted),
            describe_ratings(ratings)
        ));
    }
    if *score_is_wrong {
        parts.push("the stored steady score differs from the score computed from the ratings".to_owned());
    }
    format!("Post {post}: {}.", parts.join("; "))
}

fn describe_ratings(stars: &[i64]) -> String {
    let sum: i64 = (1..).zip(stars).map(|(stars, count)| stars * count).sum();
    match stars.iter().sum::<i64>() {
        0 => "no ratings".to_owned(),
        #[expect(clippy::cast_precision_loss, reason = "shown with two digits")]
        count => format!("{count} ratings with an average of {:.2}", sum as f64 / count as f64),
    }
}
