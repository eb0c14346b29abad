//! Rendering texts beside everything else: a few at a time, and only as long as somebody waits for them. Links are
//! checked with that, so that none is shown that is suspected.

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
    turns: Permits,
    links: LinkCheck,
}

/// Tells the work that nobody waits for it any more, by being dropped.
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

    /// Prepares a text, with warnings in place of links that are suspected, as far as that is known in a moment. It is
    /// broken off when the future is dropped, as it is when a client hangs up.
    ///
    /// # Errors
    /// `busy` when too many are waiting.
    pub async fn prepare(&self, source: Source, cover: Option<&str>) -> Result<(Prepared, CheckedLinks), AppError> {
        let source = Arc::new(source);
        let mut prepared = prepare(self.next().await?, source.clone(), Warnings::new()).await?;
        let kept = self.kept(&prepared.text, cover).await;
        if !kept.suspected.is_empty() {
            prepared.text = render(self.next().await?, source, warnings(&kept.suspected)).await?;
        }
        Ok((prepared, kept))
    }

    /// Renders a text that is not saved: what is suspected in it has no page yet.
    ///
    /// # Errors
    /// `busy` when too many are waiting.
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

    /// What is known in a moment of where a text leads.
    async fn kept(&self, text: &Rendered, cover: Option<&str>) -> CheckedLinks {
        let addresses = addresses(text, cover);
        let known = self.links.in_a_moment(&addresses).await;
        CheckedLinks::of(addresses, &known)
    }

    /// A turn for somebody who waits.
    async fn next(&self) -> Result<Turn, AppError> {
        Ok(Arc::new(self.turns.take().await?))
    }

    /// A turn for work in the background, which comes when nobody waits.
    pub(super) async fn turn(&self) -> Result<Turn, AppError> {
        Ok(Arc::new(self.turns.wait().await?))
    }
}

/// A text as its author has written it.
#[derive(Clone, Debug, Default)]
pub struct Source {
    pub title: String,
    pub content: String,
    /// The language that its author has chosen.
    pub own_language: Option<TextLanguage>,
}

/// What is kept of a text, to show it and to find it.
#[derive(Clone, Debug)]
pub struct Prepared {
    pub text: Rendered,
    pub findable: Findable,
    /// The language that it is in: the one that its author has chosen, or else what is found in its words.
    pub language: Option<TextLanguage>,
}

impl Source {
    /// Gives up and returns `None` as soon as `wanted` returns `false`.
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

/// A turn for rendering. It is given back when the last text that is rendered in it is done.
pub(super) type Turn = Arc<OwnedSemaphorePermit>;

pub(super) async fn prepare(turn: Turn, source: Arc<Source>, warnings: Warnings) -> Result<Prepared, AppError> {
    run(turn, move |wanted| source.prepared(&warnings, wanted)).await
}

async fn render(turn: Turn, source: Arc<Source>, warnings: Warnings) -> Result<Rendered, AppError> {
    run(turn, move |wanted| source.rendered(source.language(), &warnings, wanted)).await
}

/// Does some work off the async threads, as long as somebody waits for it.
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

/// Saves a text that is rendered anew, and what is known of its links. Nobody has changed it: its version and its times
/// stay.
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
