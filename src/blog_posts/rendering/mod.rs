//! Renders posts on blocking threads with limited concurrency, and checks their links.

pub mod link_recheck;
pub(crate) mod links;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use evenkeel_markdown::{
    FlaggedUrls, LINK_ENDS, Labels, RENDERING_VERSION, RenderedText, Simplification, render_cancellable,
};
use sqlx::types::Json;
use sqlx::{PgConnection, PgPool};

use self::links::{LinkCheckResult, extract_urls, map_to_warning_pages};
use crate::blog_posts::search::search_data::SearchData;
use crate::db::commit;
use crate::i18n::{Language, Locale, Phrase, TextLanguage};
use crate::images::models::{ImageUse, save_image_uses};
use crate::permits::{Permit, Permits, Requester};
use crate::phrase;
use crate::safe_browsing::link_check::LinkChecker;
use crate::web::error::AppError;

/// Maximum number of texts that are rendered at once. Rendering a text takes up to 32 MB of memory.
const MAX_PERMITS: usize = 4;
const PERMIT_TIMEOUT: Duration = Duration::from_secs(2);
const BATCH_SIZE: i64 = 5;
const SCAN_SIZE: i64 = 1_000;

/// Renders texts on blocking threads. Each thread keeps its permit until it ends, even if the request is cancelled.
#[derive(Clone, Debug)]
pub struct Renderer {
    permits: Permits,
    link_check: LinkChecker,
}

struct CancelOnDrop(Arc<AtomicBool>);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Relaxed);
    }
}

impl Renderer {
    pub fn new(links: LinkChecker) -> Self {
        Self { permits: Permits::for_cpu_count(MAX_PERMITS, PERMIT_TIMEOUT), link_check: links }
    }

    pub fn link_check(&self) -> &LinkChecker {
        &self.link_check
    }

    /// Renders a text. Links that are not checked in time are left to the background check.
    pub async fn render(
        &self,
        requester: Requester,
        source: PostText,
        cover: Option<&str>,
    ) -> Result<(RenderedPost, LinkCheckResult), AppError> {
        let source = Arc::new(source);
        let mut prepared =
            render_on_blocking_thread(self.request_permit(requester).await?, source.clone(), FlaggedUrls::new())
                .await?;
        let checked_links = self.check_links(&prepared.text, cover).await;
        if !checked_links.flagged.is_empty() {
            prepared.text = render_text(
                self.request_permit(requester).await?,
                source,
                map_to_warning_pages(&checked_links.flagged),
            )
            .await?;
        }
        Ok((prepared, checked_links))
    }

    /// Renders a text that is not saved, without links to warning pages, which exist only for URLs in saved posts.
    pub async fn render_preview(
        &self,
        requester: Requester,
        content: &str,
        cover: Option<&str>,
    ) -> Result<(RenderedText, LinkCheckResult), AppError> {
        let source = Arc::new(PostText { content: content.to_owned(), ..PostText::default() });
        let text = render_text(self.request_permit(requester).await?, source.clone(), FlaggedUrls::new()).await?;
        let checked_links = self.check_links(&text, cover).await;
        if checked_links.flagged.is_empty() {
            return Ok((text, checked_links));
        }
        let without_pages = checked_links.flagged.iter().map(|address| (address.clone(), String::new())).collect();
        Ok((render_text(self.request_permit(requester).await?, source, without_pages).await?, checked_links))
    }

    async fn check_links(&self, text: &RenderedText, cover: Option<&str>) -> LinkCheckResult {
        let addresses = extract_urls(text, cover);
        let url_check = self.link_check.check_with_timeout(&addresses).await;
        LinkCheckResult::new(addresses, &url_check)
    }

    async fn request_permit(&self, requester: Requester) -> Result<RenderPermit, AppError> {
        Ok(Arc::new(self.permits.acquire(requester).await?))
    }

    pub(super) async fn acquire_background_permit(&self) -> Result<RenderPermit, AppError> {
        Ok(Arc::new(self.permits.acquire_without_timeout().await?))
    }
}

#[derive(Clone, Debug, Default)]
pub struct PostText {
    pub title: String,
    pub content: String,
    pub own_language: Option<TextLanguage>,
}

#[derive(Clone, Debug)]
pub struct RenderedPost {
    pub text: RenderedText,
    pub search_data: SearchData,
    /// Language set by the author, or else the detected language.
    pub language: Option<TextLanguage>,
}

impl PostText {
    /// Returns `None` as soon as `is_wanted` returns `false`.
    pub fn render_post(&self, warnings: &FlaggedUrls, is_wanted: &dyn Fn() -> bool) -> Option<RenderedPost> {
        let language = self.language();
        Some(RenderedPost {
            text: self.render_text(language, warnings, is_wanted)?,
            search_data: SearchData::compute(&self.title, &self.content, language),
            language,
        })
    }

    fn render_text(
        &self,
        language: Option<TextLanguage>,
        warnings: &FlaggedUrls,
        is_wanted: &dyn Fn() -> bool,
    ) -> Option<RenderedText> {
        render_cancellable(
            &self.content,
            warnings,
            &labels(language.map(TextLanguage::interface_language).unwrap_or_default()),
            is_wanted,
        )
    }

    fn language(&self) -> Option<TextLanguage> {
        self.own_language.or_else(|| TextLanguage::detect([self.title.as_str(), self.content.as_str()]))
    }
}

fn labels(language: Language) -> Labels {
    let locale = Locale { language, ..Locale::default() };
    let text = |phrase: Phrase| phrase.translate_to_text(locale).into_owned();
    Labels {
        image: text(phrase!("text-image")),
        flagged_link_warning: text(phrase!("text-flagged")),
        hidden_url: text(phrase!("text-hidden-url")),
        flagged_link: text(phrase!("text-flagged-link")),
        digits: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map(|digit| locale.format_number(digit).chars().next().unwrap_or('0')),
        is_right_to_left: language.is_right_to_left(),
    }
}

pub(super) type RenderPermit = Arc<Permit>;

pub(super) async fn render_on_blocking_thread(
    permit: RenderPermit,
    source: Arc<PostText>,
    warnings: FlaggedUrls,
) -> Result<RenderedPost, AppError> {
    run_blocking(permit, move |is_wanted| source.render_post(&warnings, is_wanted)).await
}

async fn render_text(
    permit: RenderPermit,
    source: Arc<PostText>,
    warnings: FlaggedUrls,
) -> Result<RenderedText, AppError> {
    run_blocking(permit, move |is_wanted| source.render_text(source.language(), &warnings, is_wanted)).await
}

/// Runs work on a blocking thread, and cancels it if the future is dropped.
async fn run_blocking<T: Send + 'static>(
    permit: RenderPermit,
    work: impl FnOnce(&dyn Fn() -> bool) -> Option<T> + Send + 'static,
) -> Result<T, AppError> {
    let cancel_guard = CancelOnDrop(Arc::new(AtomicBool::new(true)));
    let is_wanted = cancel_guard.0.clone();
    let working = tokio::task::spawn_blocking(move || {
        let _permit = permit;
        work(&|| is_wanted.load(Ordering::Relaxed))
    });
    let done = working.await?;
    done.ok_or_else(|| AppError::Internal("rendering was cancelled although its result was still needed".to_owned()))
}

pub struct RerenderBatch {
    pub rendered: u64,
    pub last_id: i64,
}

/// Re-renders posts saved by another version of the renderer. Instances share the work by skipping locked rows.
pub async fn rerender_batch(pool: &PgPool, renderer: &Renderer, after: i64) -> Result<Option<RerenderBatch>, AppError> {
    let last = sqlx::query_scalar!(
        "select max(id) from (select id from blog_posts where id > $1 order by id limit $2) as these",
        after,
        SCAN_SIZE,
    );
    let Some(last) = last.fetch_one(pool).await? else { return Ok(None) };
    // Acquires the permit before locking rows, so that the posts are not locked while this task waits for a permit.
    let permit = renderer.acquire_background_permit().await?;
    let mut transaction = pool.begin().await?;
    let rows = sqlx::query!(
        r#"select p.id, p.title, p.content, p.own_language, p.cover, l.suspected as "suspected?"
        from blog_posts p left join post_links l on l.post_id = p.id
        where p.id > $1 and p.id <= $2 and p.rendered_by <> $3
        order by p.id limit $4 for no key update of p skip locked"#,
        after,
        last,
        RENDERING_VERSION,
        BATCH_SIZE,
    );
    let mut step = RerenderBatch { rendered: 0, last_id: last };
    let rows = rows.fetch_all(&mut *transaction).await?;
    if let Some(full) = rows.last().filter(|_| i64::try_from(rows.len()) == Ok(BATCH_SIZE)) {
        step.last_id = full.id;
    }
    for row in rows {
        let suspected = row.suspected.unwrap_or_default();
        let own_language = row.own_language.and_then(|own| own.parse().ok());
        let source = Arc::new(PostText { title: row.title, content: row.content, own_language });
        let prepared = render_on_blocking_thread(permit.clone(), source, map_to_warning_pages(&suspected)).await?;
        let checked_links = LinkCheckResult::unchecked(extract_urls(&prepared.text, row.cover.as_deref()), &suspected);
        save_rendered_post(&mut transaction, row.id, &prepared, &checked_links).await?;
        let images = links::uploaded_image_names(&prepared.text, row.cover.as_deref());
        save_image_uses(&mut transaction, ImageUse::Post(row.id), None, &images).await?;
        step.rendered += 1;
    }
    commit(transaction).await?;
    Ok(Some(step))
}

/// Search engines follow links in posts of staff. Links of other users have `rel="nofollow"`.
pub(crate) async fn save_rendered_post(
    connection: &mut PgConnection,
    id: i64,
    RenderedPost { text, search_data, language }: &RenderedPost,
    checked_links: &LinkCheckResult,
) -> sqlx::Result<()> {
    let [user_links, staff_links] = LINK_ENDS;
    let updated = sqlx::query!(
        r#"update blog_posts set content_html = case
                when (select is_staff from users where id = author_id) then replace($2, $11, $12) else $2
            end, outline = $3, excerpt = coalesce(own_excerpt, $4), reading_minutes = $5,
            rendered_by = $6, language = $7, search_configuration = $8, search_title = $9,
            search = setweight(to_tsvector($8::text::regconfig, $9), 'A') || to_tsvector($8::text::regconfig, $10)
        where id = $1"#,
        id,
        text.html,
        Json(&text.outline) as _,
        text.excerpt,
        text.reading_minutes,
        RENDERING_VERSION,
        language.map(TextLanguage::tag),
        search_data.configuration,
        search_data.title,
        search_data.content,
        user_links,
        staff_links,
    );
    updated.execute(&mut *connection).await?;
    links::save_links(connection, id, checked_links, text.masked.as_deref()).await
}

pub fn simplification_notice(simplified: Simplification) -> Phrase {
    match simplified {
        Simplification::Code => phrase!("notice-much-code"),
        Simplification::Text => phrase!("notice-too-much"),
    }
}

/// Warning for the author about parts that were not rendered and about flagged URLs.
pub fn author_notice(simplified: Option<Simplification>, suspected: &[String], locale: Locale) -> Option<String> {
    let notices = [simplified.map(simplification_notice), links::flagged_urls_notice(suspected)];
    let notices: Vec<_> = notices.into_iter().flatten().map(|notices| notices.translate_to_text(locale)).collect();
    (!notices.is_empty()).then(|| notices.join(" "))
}

#[cfg(test)]
mod tests {
    use evenkeel_markdown::{is_heading_id, is_page_id};

    #[test]
    fn ids_of_pages_are_reserved() {
        let pages = [
            include_str!("../../../templates/base.html"),
            include_str!("../../../templates/blog_posts/show.html"),
            include_str!("../../../templates/blog_posts/form.html"),
        ];
        let ids: Vec<&str> =
            pages.iter().flat_map(|page| page.split(" id=\"").skip(1)).filter_map(|id| id.split('"').next()).collect();
        assert!(ids.len() > 30 && ids.contains(&"rating"), "{ids:?}");
        for id in ids {
            assert!(is_page_id(id) || !is_heading_id(id), "{id}");
        }
    }
}
