//! Edit a post.

use std::collections::BTreeMap;

use actix_web::web;
use evenkeel_markdown::Simplification;

use super::diff::diff_lines;
use super::input::{Cover, CustomExcerpt, CustomSlug, PostInput};
use super::page::{EditorPage, form_for, has_values};
use super::{
    PostError, add_schedule_error, check_cover, check_may_create_page, check_not_withheld, check_publication,
    find_saved, public_link, record_publication, sign_in_required, success_message, validate_schedule, with_notice,
};
use crate::audit_log::{AuditAction, NewEntry};
use crate::blog_posts::models::{Post, PostId, PostStatus, find_editable_post, find_stored_post};
use crate::blog_posts::published_event;
use crate::blog_posts::quota::check_quota;
use crate::blog_posts::rendering::{self, Renderer, links};
use crate::blog_posts::revisions::models::store_revision;
use crate::blog_posts::schedule::PublishTime;
use crate::db::commit;
use crate::i18n::{DisplayTimeZone, Locale, Phrase, TextLanguage};
use crate::images::models::{ImageUse, save_image_uses};
use crate::phrase;
use crate::state::AppState;
use crate::web::error::AppError;
use crate::web::request::body::Payload;
use crate::web::request::current_user::CurrentUser;
use crate::web::request::form_field::OptionalField;
use crate::web::request::format::ResponseFormat;
use crate::web::request::if_match::IfMatch;
use crate::web::response::form::Form;
use crate::web::response::layout::Layout;
use crate::web::response::view::{ActionResult, FormResponse, PageResponse, handle_form};
use crate::web::state::CoreState;

pub async fn edit_form(
    user: CurrentUser,
    id: PostId,
    layout: Layout,
    state: web::Data<AppState>,
) -> Result<PageResponse<EditorPage>, AppError> {
    let post = find_editable_post(&state.pool, id, &user).await?;
    let form = form_for(&post, layout.locale.zone);
    let page = EditorPage::load(&state, layout, form, Some(id), Some(&post)).await;
    Ok(PageResponse::new(page).with_version(post.version))
}

pub async fn edit(
    mut payload: Payload<PostInput>,
    user: Option<CurrentUser>,
    id: PostId,
    if_match: IfMatch,
    format: ResponseFormat,
    layout: Layout,
    state: web::Data<AppState>,
) -> Result<FormResponse<Post, EditorPage>, AppError> {
    let Some(user) = user else { return sign_in_required(&state, payload, layout, Some(id)).await };
    add_schedule_error(&state, layout.locale.zone, &mut payload).await?;
    // An invalid form is shown again with its errors, even if the post is missing or the user may not edit the post.
    let post = match find_editable_post(&state.pool, id, &user).await {
        Err(error @ (AppError::NotFound | AppError::Forbidden)) if payload.is_valid() => return Err(error),
        result => result.ok(),
    };
    let (locale, submitted) = (layout.locale, payload.submitted_values().clone());
    let change = async |mut change: PostInput| {
        let was_draft = post.as_ref().is_some_and(|post| post.head.is_draft());
        if let Some(post) = &post {
            change.version = change.version.or(if_match.required_version(post.version)?);
            // The editor saves automatically by JSON requests, like programs. A button submits the form.
            change.keeps_version = format == ResponseFormat::Html;
        }
        let mut saved = save(&state, locale, id, &user, post.clone(), change).await;
        if matches!(saved, Err(AppError::Conflict)) {
            saved = find_repeated_save(&state, id, &user, &submitted, locale).await;
        }
        let post = saved.map_err(|error| if_match.translate_conflict(error))?;
        let message = with_notice(save_message(&post, was_draft), &post);
        let (page, version, link) = (post.head.path(), post.version, public_link(&state, &post).filter(|_| was_draft));
        Ok(ActionResult::new(post, page).with_version(version).with_message(message).with_link(link))
    };
    let page = async |form: Form, error: &AppError| {
        if matches!(error, AppError::NotFound | AppError::Forbidden) {
            return None;
        }
        let mut page = EditorPage::load(&state, layout, form, Some(id), post.as_ref()).await;
        if matches!(error, AppError::Conflict)
            && let Ok(theirs) = find_editable_post(&state.pool, id, &user).await
        {
            // The form submits the version that the conflict shows, so that saving again cannot overwrite a later edit.
            page.form.set("version", theirs.version.to_string());
            let (saved, typed) = (theirs.content.clone(), page.form.value("content").to_owned());
            let lines = tokio::task::spawn_blocking(move || diff_lines(&saved, &typed)).await;
            page.conflict = lines.ok().map(|lines| (theirs, lines));
        }
        Some(page)
    };
    handle_form(payload, change, page).await
}

/// Returns the saved post if it has all submitted values, so that a double click on the button is no edit conflict.
async fn find_repeated_save(
    state: &CoreState,
    id: PostId,
    user: &CurrentUser,
    submitted: &BTreeMap<String, String>,
    locale: Locale,
) -> Result<Post, AppError> {
    let saved = find_stored_post(&state.pool, id, Some(user)).await?;
    if has_values(&saved, submitted, locale.zone) { Ok(saved) } else { Err(AppError::Conflict) }
}

pub async fn save(
    state: &AppState,
    locale: Locale,
    id: PostId,
    user: &CurrentUser,
    post: Option<Post>,
    change: PostInput,
) -> Result<Post, AppError> {
    if post.as_ref().is_some_and(|post| !post.head.is_draft()) && change.is_draft() {
        return Err(AppError::invalid_field("status", phrase!("invalid-is-published")));
    }
    // Reads a post again that could not be read before, to return the error.
    let post = match post {
        Some(post) => post,
        None => find_editable_post(&state.pool, id, user).await?,
    };
    // Users without permission to publish can still save a draft whose scheduled time is unchanged.
    let is_asked = change.status == Some(PostStatus::Published) || is_rescheduled(&change, &post, locale.zone);
    let change = match (post.head.is_draft(), is_asked) {
        (true, true) => check_publication(state, user, change)?,
        (true, false) => change,
        (false, _) if user.may_publish(state.site().policy) => change,
        (false, _) => return Err(PostError::MayNotPublish.into()),
    };
    if is_asked {
        check_not_withheld(&post)?;
    }
    check_may_create_page(user, &change, Some(&post))?;
    let change = validate_schedule(state, locale.zone, change, Some(&post)).await?;
    let simplified = update_post(state, &state.renderer, user, &post, &change).await?;
    find_saved(state, id, user, simplified, locale).await
}

fn is_rescheduled(change: &PostInput, before: &Post, zone: DisplayTimeZone) -> bool {
    let Some(typed) = change.publish_at.and_then(|OptionalField(time)| time) else { return false };
    let typed = typed.local_to_utc(zone).ok().map(|time| zone.format_datetime_local(&time));
    typed != before.head.publish_at.map(|time| zone.format_datetime_local(&time))
}

fn save_message(post: &Post, was_draft: bool) -> Phrase {
    if was_draft { success_message(post, phrase!("done-draft-saved")) } else { phrase!("done-changes-saved") }
}

/// Saves an edited post. Published posts stay published. Returns `Conflict` if `post.version` is outdated.
#[expect(clippy::too_many_lines, reason = "one SQL statement with its parameters")]
async fn update_post(
    state: &CoreState,
    renderer: &Renderer,
    author: &CurrentUser,
    before: &Post,
    post: &PostInput,
) -> Result<Option<Simplification>, AppError> {
    let PostId(id) = before.head.id;
    let cover = post
        .cover
        .as_ref()
        .map_or(before.cover.as_deref(), |OptionalField(cover)| cover.as_ref().map(|cover| cover.0.as_str()));
    let own = post.language.map_or_else(
        || before.own_language.as_deref().and_then(|own| own.parse().ok()),
        |OptionalField(language)| language,
    );
    let (prepared, checked_links) = renderer.render(author.id.into(), post.to_post_text(own), cover).await?;
    let updated = sqlx::query!(
        r#"update blog_posts p set title = $2, content = $3, tags = coalesce($4, p.tags), updated_at = clock.now,
            version = p.version + 1,
            own_slug = case when $9::text[] is null then p.own_slug else ($9::text[])[1] end,
            own_excerpt = case when $10::text[] is null then p.own_excerpt else ($10::text[])[1] end,
            cover = case when $11::text[] is null then p.cover else ($11::text[])[1] end,
            own_language = $13, is_page = coalesce($14, p.is_page), accepts_ratings = coalesce($15, p.accepts_ratings),
            publish_at = case
                when p.status <> 'draft' or not $7 then null
                when $12::timestamptz[] is null then p.publish_at
                else ($12::timestamptz[])[1]
            end,
            submitted_at = case
                when $16 then coalesce(p.submitted_at, clock.now)
                when p.status = 'draft' and $7 and p.author_id <> $17 then p.submitted_at
            end,
            return_reason = case when p.status = 'draft' and $7 and not $16 then p.return_reason end,
            status = case when p.status = 'draft' and $7 then 'draft' else 'published' end,
            published_at = case
                when p.status = 'draft' and $7 then null
                else coalesce(p.published_at, p.first_published_at, clock.now)
            end
        from (select coalesce($5, clock_timestamp()) as now) clock
        where p.id = $1 and p.deleted_at is null and p.version = coalesce($6, p.version) and ($7 or p.withheld_by is null)
            and is_credential(decode($8, 'hex'))"#,
        id,
        post.title.0,
        post.content.0,
        post.tags.as_ref().map(|tags| tags.0.as_slice()),
        state.clock.now(),
        post.version,
        // Without a submitted status, a draft remains a draft.
        post.status != Some(PostStatus::Published),
        author.session,
        // Optional columns: SQL NULL keeps the value; an array with one NULL clears the value.
        post.slug.clone().map(|OptionalField(slug)| [slug.map(|CustomSlug(slug)| slug)]) as _,
        post.excerpt.clone().map(|OptionalField(excerpt)| [excerpt.map(|CustomExcerpt(excerpt)| excerpt)]) as _,
        post.cover.clone().map(|OptionalField(cover)| [cover.map(|Cover(cover)| cover)]) as _,
        post.publish_at.map(|OptionalField(time)| [time.map(PublishTime::to_utc)]) as _,
        own.map(TextLanguage::tag),
        post.is_page,
        post.accepts_ratings,
        post.is_submitted,
        author.id.0,
    );
    let mut transaction = state.pool.begin().await?;
    check_quota(&mut transaction, state, author, &post.content.0, Some(&before.content)).await?;
    // Reads the status again, because the post may have been published since `before` was read.
    let was_draft = sqlx::query_scalar!(
        r#"select status = 'draft' as "is_draft!" from blog_posts where id = $1 for no key update"#,
        id,
    );
    let was_draft = was_draft.fetch_optional(&mut *transaction).await? == Some(true);
    let text = (post.title.0.as_str(), post.content.0.as_str());
    store_revision(&mut transaction, &state.clock, before.head.id, text, post.keeps_version).await?;
    if updated.execute(&mut *transaction).await?.rows_affected() == 1 {
        rendering::save_rendered_post(&mut transaction, id, &prepared, &checked_links).await?;
        let images = links::uploaded_image_names(&prepared.text, cover);
        save_image_uses(&mut transaction, ImageUse::Post(id), Some(author.id), &images).await?;
        check_cover(&mut transaction, author.id, cover.filter(|cover| before.cover.as_deref() != Some(*cover))).await?;
        if was_draft && post.status == Some(PostStatus::Published) {
            published_event::enqueue(&mut transaction, state, &[id]).await?;
            record_publication(&mut transaction, state, author, before.head.id, before.head.author.id, &post.title.0)
                .await?;
        }
        if before.head.author.id != author.id {
            let record = NewEntry::new(AuditAction::ChangePost).for_post(id).for_user(before.head.author.id);
            record.insert(author, &mut transaction, &state.clock).await?;
        }
        commit(transaction).await?;
        // Cached pages show only published posts, and only a publication sends an email.
        if !was_draft || post.status == Some(PostStatus::Published) {
            state.page_cache.invalidate();
            state.mail.wake_delivery();
        }
        return Ok(prepared.text.simplified);
    }
    transaction.rollback().await?;
    author.check_credential(&state.pool).await?;
    let exists = sqlx::query_scalar!(r#"select exists (select from blog_posts where id = $1) as "exists!""#, id);
    Err(if exists.fetch_one(&state.pool).await? { AppError::Conflict } else { AppError::NotFound })
}
