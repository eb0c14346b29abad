//! Rendering texts beside everything else: a few at a time, and only as long as somebody waits for them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use sqlx::PgPool;
use sqlx::types::Json;
use tokio::sync::OwnedSemaphorePermit;

use crate::markdown::{self, Rendered, Warnings, render_while};
use crate::web::error::AppError;
use crate::web::turns::Turns;

/// The most texts that are rendered at once. Each takes up to 32 MB.
const MAX_PERMITS: usize = 4;

/// How long a request waits for its turn.
const PATIENCE: Duration = Duration::from_secs(2);

/// Posts that are rendered anew in one transaction, and posts that are looked at for these.
const STEP: i64 = 5;
const LOOKED_AT: i64 = 1_000;

/// Renders off the async threads. A turn belongs to the work, and lasts until that is done, even if the request is
/// gone.
#[derive(Clone, Debug)]
pub struct Renderer {
    turns: Turns,
}

impl Default for Renderer {
    fn default() -> Self {
        Self { turns: Turns::by_cores(MAX_PERMITS, PATIENCE) }
    }
}

/// Tells the work that nobody waits for it any more, by being dropped.
struct Wanted(Arc<AtomicBool>);

impl Drop for Wanted {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Relaxed);
    }
}

impl Renderer {
    /// Renders a text. It is broken off when the future is dropped, as it is when a client hangs up.
    ///
    /// # Errors
    /// `busy` when too many are waiting.
    pub async fn render(&self, content: String) -> Result<Rendered, AppError> {
        run(Arc::new(self.turns.take().await?), content).await
    }
}

/// A turn for rendering. It is given back when the last text that is rendered in it is done.
type Turn = Arc<OwnedSemaphorePermit>;

async fn run(turn: Turn, content: String) -> Result<Rendered, AppError> {
    let wanted = Wanted(Arc::new(AtomicBool::new(true)));
    let is_wanted = wanted.0.clone();
    let rendering = tokio::task::spawn_blocking(move || {
        let _turn = turn;
        render_while(&content, &Warnings::new(), &|| is_wanted.load(Ordering::Relaxed))
    });
    let rendered = rendering.await.map_err(|panic| AppError::Internal(panic.to_string()))?;
    rendered.ok_or_else(|| AppError::Internal("a text was given up while it was waited for".to_owned()))
}

/// A step through all posts: how many were rendered, and the id of the last one that was looked at.
pub struct Step {
    pub rendered: u64,
    pub after: i64,
}

/// Renders a few of the posts after this id that another version of the program has saved, and makes them findable
/// where they are not. Until its turn comes, a post is shown as it was rendered before. Instances share the work: each
/// takes posts that no other one holds. None when there are no posts after it.
pub async fn render_some(pool: &PgPool, renderer: &Renderer, after: i64) -> Result<Option<Step>, AppError> {
    let last = sqlx::query_scalar!(
        "select max(id) from (select id from blog_posts where id > $1 order by id limit $2) as these",
        after,
        LOOKED_AT,
    );
    let Some(last) = last.fetch_one(pool).await? else { return Ok(None) };
    // The turn is taken before the rows are locked, so that changes of these posts do not wait for others' previews.
    let turn = Arc::new(renderer.turns.wait().await?);
    let mut transaction = pool.begin().await?;
    let rows = sqlx::query!(
        "select id, content from blog_posts where id > $1 and id <= $2 and rendered_by <> $3
        order by id limit $4 for no key update skip locked",
        after,
        last,
        markdown::VERSION,
        STEP,
    );
    let mut step = Step { rendered: 0, after: last };
    let rows = rows.fetch_all(&mut *transaction).await?;
    if let Some(full) = rows.last().filter(|_| i64::try_from(rows.len()) == Ok(STEP)) {
        step.after = full.id;
    }
    for row in rows {
        let Rendered { html, outline, excerpt, minutes, .. } = run(turn.clone(), row.content).await?;
        let updated = sqlx::query!(
            r#"update blog_posts set content_html = $2, outline = $3, excerpt = coalesce(own_excerpt, $4), reading_minutes = $5,
                rendered_by = $6, search = coalesce(search, search_words(title, content))
            where id = $1"#,
            row.id,
            html,
            Json(&outline) as _,
            excerpt,
            minutes,
            markdown::VERSION,
        );
        step.rendered += updated.execute(&mut *transaction).await?.rows_affected();
    }
    transaction.commit().await?;
    Ok(Some(step))
}
