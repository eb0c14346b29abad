//! Renders posts on blocking threads, with limited concurrency and cancellation when the client disconnects. Checks
//! their links, so that flagged URLs get a warning.

pub mod link_recheck;
pub(crate) mod links;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use sqlx::types::Json;
use sqlx::{PgConnection, PgPool};
use tokio::sync::OwnedSemaphorePermit;

use self::links::{CheckedLinks, addresses, warnings};
use crate::blog_posts::search::terms::Findable;
use crate::db::commit;
use crate::i18n::TextLanguage;
use crate::images::models::{ImageUse, keep_uses};
use crate::markdown::{self, Rendered, Warnings, render_while};
use crate::safe_browsing::link_check::LinkCheck;
use crate::web::connection::permits::Permits;
use crate::web::error::AppError;

/// Maximum number of texts that are rendered at once. Each takes up to 32 MB of memory.
const MAX_PERMITS: usize = 4;

/// Maximum time that a request waits for a permit.
const PATIENCE: Duration = Duration::from_secs(2);

/// Limits of a batch of re-rendered posts: posts per transaction, and post ids scanned for outdated ones.
const STEP: i64 = 5;
const LOOKED_AT: i64 = 1_000;

/// Renders texts on blocking threads. The blocking task owns its permit until it ends, even if the request is
/// cancelled.
#[derive(Clone, Debug)]
pub struct Renderer {
    turns: Permits,
    links: LinkCheck,
}

/// Drop guard that cancels the blocking task.
struct Wanted(Arc<AtomicBool>);

impl Drop for Wanted {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Relaxed);
    }
}

impl Renderer {
    #[must_use]
    pub fn new(links: LinkCheck) -> Self {
        Self { turns: Permits::by_cores(MAX_PERMITS, PATIENCE), links }
    }

    #[must_use]
    pub fn links(&self) -> &LinkCheck {
        &self.links
    }

    /// Renders a text and computes its search data, with warnings instead of flagged URLs. The link check has a short
    /// time limit; unchecked links are left to the background check. Dropping the future cancels the work.
    ///
    /// # Errors
    /// `busy` if no permit becomes available in time.
    pub async fn prepare(&self, source: Source, cover: Option<&str>) -> Result<(Prepared, CheckedLinks), AppError> {
        let source = Arc::new(source);
        let mut prepared = prepare(self.next().await?, source.clone(), Warnings::new()).await?;
        let kept = self.kept(&prepared.text, cover).await;
        if !kept.suspected.is_empty() {
            prepared.text = render(self.next().await?, source, warnings(&kept.suspected)).await?;
        }
        Ok((prepared, kept))
    }

    /// Renders a text that is not saved, without links to warning pages, which exist only for URLs in saved posts.
    ///
    /// # Errors
    /// `busy` if no permit becomes available in time.
    pub async fn preview(&self, content: &str, cover: Option<&str>) -> Result<(Rendered, CheckedLinks), AppError> {
        let source = Arc::new(Source { content: content.to_owned(), ..Source::default() });
        let text = render(self.next().await?, source.clone(), Warnings::new()).await?;
        let kept = self.kept(&text, cover).await;
        if kept.suspected.is_empty() {
            return Ok((text, kept));
        }
        let without_pages = kept.suspected.iter().map(|address| (address.clone(), String::new())).collect();
        Ok((render(self.next().await?, source, without_pages).await?, kept))
    }

    /// Checks the links of a rendered text, with a short time limit.
    async fn kept(&self, text: &Rendered, cover: Option<&str>) -> CheckedLinks {
        let addresses = addresses(text, cover);
        let known = self.links.in_a_moment(&addresses).await;
        CheckedLinks::of(addresses, &known)
    }

    /// Waits for a permit on behalf of a request, with a time limit.
    async fn next(&self) -> Result<Turn, AppError> {
        Ok(Arc::new(self.turns.take().await?))
    }

    /// Waits for a permit on behalf of a background task, without a time limit.
    pub(super) async fn turn(&self) -> Result<Turn, AppError> {
        Ok(Arc::new(self.turns.wait().await?))
    }
}

/// Source of a post that rendering depends on.
#[derive(Clone, Debug, Default)]
pub struct Source {
    pub title: String,
    pub content: String,
    /// Language set by the author.
    pub own_language: Option<TextLanguage>,
}

/// Rendered text and search data of a post.
#[derive(Clone, Debug)]
pub struct Prepared {
    pub text: Rendered,
    pub findable: Findable,
    /// Language set by the author, or else the detected language.
    pub language: Option<TextLanguage>,
}

impl Source {
    /// Renders the text and computes the search data. Returns `None` as soon as `wanted` returns `false`.
    pub fn prepared(&self, warnings: &Warnings, wanted: &dyn Fn() -> bool) -> Option<Prepared> {
        let language = self.language();
        Some(Prepared {
            text: self.rendered(language, warnings, wanted)?,
            findable: Findable::while_wanted(&self.title, &self.content, language, wanted)?,
            language,
        })
    }

    fn rendered(
        &self,
        language: Option<TextLanguage>,
        warnings: &Warnings,
        wanted: &dyn Fn() -> bool,
    ) -> Option<Rendered> {
        render_while(&self.content, warnings, language.map(TextLanguage::spoken).unwrap_or_default(), wanted)
    }

    fn language(&self) -> Option<TextLanguage> {
        self.own_language.or_else(|| TextLanguage::of_text([self.title.as_str(), self.content.as_str()]))
    }
}

/// Permit for rendering, released when the last task that shares it ends.
pub(super) type Turn = Arc<OwnedSemaphorePermit>;

pub(super) async fn prepare(turn: Turn, source: Arc<Source>, warnings: Warnings) -> Result<Prepared, AppError> {
    run(turn, move |wanted| source.prepared(&warnings, wanted)).await
}

async fn render(turn: Turn, source: Arc<Source>, warnings: Warnings) -> Result<Rendered, AppError> {
    run(turn, move |wanted| source.rendered(source.language(), &warnings, wanted)).await
}

/// Runs work on a blocking thread, and cancels it if the future is dropped.
async fn run<T: Send + 'static>(
    turn: Turn,
    work: impl FnOnce(&dyn Fn() -> bool) -> Option<T> + Send + 'static,
) -> Result<T, AppError> {
    let wanted = Wanted(Arc::new(AtomicBool::new(true)));
    let is_wanted = wanted.0.clone();
    let working = tokio::task::spawn_blocking(move || {
        let _turn = turn;
        work(&|| is_wanted.load(Ordering::Relaxed))
    });
    let done = working.await.map_err(|panic| AppError::Internal(panic.to_string()))?;
    done.ok_or_else(|| AppError::Internal("a text was given up while it was waited for".to_owned()))
}

/// Result of re-rendering a batch: number of rendered posts, and the last id that was scanned.
pub struct Step {
    pub rendered: u64,
    pub after: i64,
}

/// Re-renders a batch of posts after the id `after` that were saved by another version of the renderer. Instances share
/// the work by skipping locked rows. Returns `None` if there are no more posts.
pub async fn render_some(pool: &PgPool, renderer: &Renderer, after: i64) -> Result<Option<Step>, AppError> {
    let last = sqlx::query_scalar!(
        "select max(id) from (select id from blog_posts where id > $1 order by id limit $2) as these",
        after,
        LOOKED_AT,
    );
    let Some(last) = last.fetch_one(pool).await? else { return Ok(None) };
    // Takes the permit before locking rows, so that saving these posts does not wait for other rendering.
    let turn = renderer.turn().await?;
    let mut transaction = pool.begin().await?;
    let rows = sqlx::query!(
        r#"select p.id, p.title, p.content, p.own_language, p.cover, l.suspected as "suspected?"
        from blog_posts p left join post_links l on l.post_id = p.id
        where p.id > $1 and p.id <= $2 and p.rendered_by <> $3
        order by p.id limit $4 for no key update of p skip locked"#,
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
        let suspected = row.suspected.unwrap_or_default();
        let own_language = row.own_language.and_then(|own| own.parse().ok());
        let source = Arc::new(Source { title: row.title, content: row.content, own_language });
        let prepared = prepare(turn.clone(), source, warnings(&suspected)).await?;
        let kept = CheckedLinks::unchecked(addresses(&prepared.text, row.cover.as_deref()), &suspected);
        save(&mut transaction, row.id, &prepared, &kept).await?;
        let images = links::images(&prepared.text, row.cover.as_deref());
        keep_uses(&mut transaction, ImageUse::Post(row.id), None, &images).await?;
        step.rendered += 1;
    }
    commit(transaction).await?;
    Ok(Some(step))
}

/// Saves a re-rendered text and its links. The version and timestamps stay, because the source has not changed.
pub(super) async fn save(
    connection: &mut PgConnection,
    id: i64,
    Prepared { text, findable, language }: &Prepared,
    kept: &CheckedLinks,
) -> sqlx::Result<()> {
    let updated = sqlx::query!(
        r#"update blog_posts set content_html = $2, outline = $3, excerpt = coalesce(own_excerpt, $4), reading_minutes = $5,
            rendered_by = $6, language = $7, search = $8::text::tsvector, search_title = $9
        where id = $1"#,
        id,
        text.html,
        Json(&text.outline) as _,
        text.excerpt,
        text.minutes,
        markdown::VERSION,
        language.map(TextLanguage::tag),
        findable.words,
        findable.title,
    );
    updated.execute(&mut *connection).await?;
    links::keep(connection, id, kept, text.masked.as_deref()).await
}
