//! Rendering texts beside everything else: a few at a time, and only as long as somebody waits for them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use sqlx::PgPool;
use sqlx::types::Json;
use tokio::sync::OwnedSemaphorePermit;

use crate::markdown::{self, Rendered, render_while};
use crate::web::error::AppError;
use crate::web::turns::Turns;

/// The most texts that are rendered at once. Each takes up to 32 MB.
const MAX_PERMITS: usize = 4;

/// How long a request waits for its turn.
const PATIENCE: Duration = Duration::from_secs(2);

/// Posts that are rendered anew in one transaction. Ratings of these posts wait until it is over.
const STEP: i64 = 5;

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
        render_while(&content, &|| is_wanted.load(Ordering::Relaxed))
    });
    let rendered = rendering.await.map_err(|panic| AppError::Internal(panic.to_string()))?;
    rendered.ok_or_else(|| AppError::Internal("a text was given up while it was waited for".to_owned()))
}

/// Renders a few posts that an older version of the program has saved, and makes them findable where they are not.
/// Until its turn comes, a post is shown as it was rendered before. Instances share the work: each takes posts that no
/// other one holds. Returns how many posts were rendered; 0 when there is nothing left.
pub async fn render_some(pool: &PgPool, renderer: &Renderer) -> Result<u64, AppError> {
    // The turn is taken before the rows are locked, so that changes of these posts do not wait for others' previews.
    let turn = Arc::new(renderer.turns.wait().await?);
    let mut transaction = pool.begin().await?;
    let rows = sqlx::query!(
        "select id, content from blog_posts where rendered_by <> $1
        order by id limit $2 for no key update skip locked",
        markdown::VERSION,
        STEP,
    );
    let mut count = 0;
    for row in rows.fetch_all(&mut *transaction).await? {
        let Rendered { html, outline, excerpt, minutes, .. } = run(turn.clone(), row.content).await?;
        let updated = sqlx::query!(
            r#"update blog_posts set content_html = $2, outline = $3, excerpt = $4, reading_minutes = $5,
                rendered_by = $6, search = coalesce(search, search_words(title, content))
            where id = $1"#,
            row.id,
            html,
            Json(&outline) as _,
            excerpt,
            minutes,
            markdown::VERSION,
        );
        count += updated.execute(&mut *transaction).await?.rows_affected();
    }
    transaction.commit().await?;
    Ok(count)
}
