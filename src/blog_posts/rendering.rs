//! Rendering texts beside everything else: a few at a time, and only as long as somebody waits for them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use sqlx::PgPool;
use sqlx::types::Json;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{sleep, timeout};

use crate::markdown::{self, Rendered, render_while};
use crate::web::error::AppError;

/// Each takes up to 32 MB: this many at once, and no more.
const MAX_PERMITS: usize = 4;

/// How long a request waits for its turn before it is told to come back.
const TURN: Duration = Duration::from_secs(2);

/// Posts that are rendered anew in one transaction. Their ratings wait for that long.
const STEP: i64 = 5;

/// After a fault, the background waits this long before it tries again.
const PAUSE: Duration = Duration::from_secs(2);

/// Renders off the async threads. The permit belongs to the work, not to the request.
#[derive(Clone, Debug)]
pub struct Renderer {
    permits: Arc<Semaphore>,
}

impl Default for Renderer {
    fn default() -> Self {
        // One core is left to everybody else.
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        Self { permits: Arc::new(Semaphore::new(cores.saturating_sub(1).clamp(1, MAX_PERMITS))) }
    }
}

/// Says that nobody waits any more.
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
        let permit = timeout(TURN, self.permit()).await.map_err(|_| AppError::Busy)?;
        run(permit?, content).await
    }

    async fn permit(&self) -> Result<Permit, AppError> {
        Arc::clone(&self.permits).acquire_owned().await.map(Arc::new).map_err(|_| AppError::Busy)
    }
}

/// Given back when the last text that is rendered with it is done.
type Permit = Arc<OwnedSemaphorePermit>;

async fn run(permit: Permit, content: String) -> Result<Rendered, AppError> {
    let wanted = Wanted(Arc::new(AtomicBool::new(true)));
    let is_wanted = wanted.0.clone();
    let rendering = tokio::task::spawn_blocking(move || {
        let _permit = permit;
        render_while(&content, &|| is_wanted.load(Ordering::Relaxed))
    });
    let rendered = rendering.await.map_err(|panic| AppError::Internal(panic.to_string()))?;
    rendered.ok_or_else(|| AppError::Internal("a text was given up while it was waited for".to_owned()))
}

/// Renders what an older program has written, and makes it be found where it is not yet, until there is none of it left. After a fault it goes on where it was;
/// what is not come to yet is shown as it was rendered before.
pub async fn render_old(pool: &PgPool, renderer: &Renderer) {
    let mut count = 0;
    loop {
        match step(pool, renderer).await {
            Ok(0) => break,
            Ok(posts) => count += posts,
            Err(error) => {
                error.log();
                sleep(PAUSE).await;
            }
        }
    }
    if count > 0 {
        tracing::info!(posts = count, "rendered anew");
    }
}

/// Renders a few. Instances share the work: each takes posts that no other one holds.
async fn step(pool: &PgPool, renderer: &Renderer) -> Result<u64, AppError> {
    // Before the rows are locked: whoever rates these posts does not wait for others' previews.
    let permit = renderer.permit().await?;
    let mut transaction = pool.begin().await?;
    let rows = sqlx::query!(
        "select id, content from blog_posts where rendered_by <> $1
        order by id limit $2 for no key update skip locked",
        markdown::VERSION,
        STEP,
    );
    let mut count = 0;
    for row in rows.fetch_all(&mut *transaction).await? {
        let Rendered { html, outline, excerpt, minutes, .. } = run(permit.clone(), row.content).await?;
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
