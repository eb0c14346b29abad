//! Creating, updating, publishing and deleting posts in the database.

use chrono::{DateTime, Utc};
use evenkeel_markdown::Simplification;
use evenkeel_markdown::image_name::ImageName;
use serde_json::json;
use sqlx::PgConnection;

use super::editor::input::{Cover, CustomExcerpt, CustomSlug, PostInput, PostStatus, Tags};
use super::error::PostError;
use super::models::{Post, PostId};
use super::published_event;
use super::queries::PostSource;
use super::quota::check_quota;
use super::rendering::{self, Renderer, links};
use super::schedule::PublishTime;
use crate::audit_log::{AuditAction, NewEntry};
use crate::db::commit;
use crate::i18n::TextLanguage;
use crate::images::models::{ImageUse, is_owned_by, save_image_uses};
use crate::phrase;
use crate::web::error::AppError;
use crate::web::permits::Requester;
use crate::web::request::current_user::{CurrentUser, UserId};
use crate::web::request::form_field::OptionalField;
use crate::web::state::CoreState;

pub async fn create_post(
    state: &CoreState,
    renderer: &Renderer,
    author: &CurrentUser,
    post: &PostInput,
) -> Result<(PostId, Option<Simplification>), AppError> {
    let added = insert_post(state, renderer, author.id, Some(author), post, ImportedTimestamps::default()).await?;
    added.ok_or(AppError::NotSignedIn { next: None })
}

/// Missing timestamps default to the current time.
#[derive(Clone, Copy, Debug, Default)]
pub struct ImportedTimestamps {
    pub created_at: Option<DateTime<Utc>>,
    pub updated_at: Option<DateTime<Utc>>,
    /// Ignored for drafts.
    pub published_at: Option<DateTime<Utc>>,
}

/// Creates a post for the `import` command, without a session check and with the original timestamps.
pub async fn import_post(
    state: &CoreState,
    renderer: &Renderer,
    author: UserId,
    post: &PostInput,
    written: ImportedTimestamps,
) -> Result<(PostId, Option<Simplification>), AppError> {
    let added = insert_post(state, renderer, author, None, post, written).await?;
    added.ok_or_else(|| AppError::Internal("the imported post was not inserted".to_owned()))
}

/// Returns `None` if the session of `user` has ended. Imported posts have no `user` and no quota.
#[expect(clippy::too_many_lines, reason = "one statement, and what it is given")]
async fn insert_post(
    state: &CoreState,
    renderer: &Renderer,
    author: UserId,
    user: Option<&CurrentUser>,
    post: &PostInput,
    written: ImportedTimestamps,
) -> Result<Option<(PostId, Option<Simplification>)>, AppError> {
    let cover = post.cover.clone().and_then(|OptionalField(cover)| cover).map(|Cover(cover)| cover);
    let own = post.language.and_then(|OptionalField(language)| language);
    let (prepared, checked_links) = renderer.render(author.into(), post.to_post_text(own), cover.as_deref()).await?;
    let images = links::uploaded_image_names(&prepared.text, cover.as_deref());
    let Tags(tags) = post.tags.clone().unwrap_or_default();
    let id = sqlx::query_scalar!(
        r#"insert into blog_posts (author_id, title, content, tags, status, created_at, updated_at, published_at,
            own_slug, own_excerpt, cover, publish_at, own_language)
        select $1, $2, $3, $4, $5, coalesce($13, clock.now), coalesce($14, clock.now),
            case when $5 = 'published' then coalesce($15, clock.now) end, $8, $9, $10,
            case when $5 = 'draft' then $11::timestamptz end, $12
        from (select coalesce($6, clock_timestamp()) as now) clock
        where $7::text is null or is_credential(decode($7, 'hex'))
        returning id"#,
        author.0,
        post.title.0,
        post.content.0,
        &tags,
        post.status.unwrap_or_default().name(),
        state.clock.now(),
        user.map(|user| user.session.as_str()),
        post.slug.clone().and_then(|OptionalField(slug)| slug).map(|CustomSlug(slug)| slug),
        post.excerpt.clone().and_then(|OptionalField(excerpt)| excerpt).map(|CustomExcerpt(excerpt)| excerpt),
        cover,
        post.publish_at.and_then(|OptionalField(time)| time).map(PublishTime::to_utc),
        own.map(TextLanguage::tag),
        written.created_at,
        written.updated_at,
        written.published_at,
    );
    let mut transaction = state.pool.begin().await?;
    if let Some(user) = user {
        check_quota(&mut transaction, state, user, &post.content.0, None).await?;
    }
    let Some(id) = id.fetch_optional(&mut *transaction).await? else { return Ok(None) };
    rendering::save_rendered_post(&mut transaction, id, &prepared, &checked_links).await?;
    save_image_uses(&mut transaction, ImageUse::Post(id), Some(author), &images).await?;
    if user.is_some() {
        check_cover(&mut transaction, author, cover.as_deref()).await?;
        if post.status.unwrap_or_default() == PostStatus::Published {
            published_event::enqueue(&mut transaction, state, &[id]).await?;
        }
    }
    commit(transaction).await?;
    state.page_cache.invalidate();
    Ok(Some((PostId(id), prepared.text.simplified)))
}

/// Rejects an image of another user. Must be called after [`save_image_uses`], which locks the image.
async fn check_cover(connection: &mut PgConnection, author: UserId, cover: Option<&str>) -> Result<(), AppError> {
    match cover.and_then(ImageName::from_path) {
        Some(name) if !is_owned_by(connection, author, &name).await? => {
            Err(AppError::invalid_field("cover", phrase!("invalid-no-such-image")))
        }
        _ => Ok(()),
    }
}

/// Keeps the timestamps of the post. Returns `false` if the post was changed after `version` was read.
pub async fn replace_post_text(
    state: &CoreState,
    renderer: &Renderer,
    PostId(id): PostId,
    PostSource { source, cover, version }: PostSource,
) -> Result<bool, AppError> {
    let content = source.content.clone();
    let (prepared, checked_links) = renderer.render(Requester::Other, source, cover.as_deref()).await?;
    let mut transaction = state.pool.begin().await?;
    let updated = sqlx::query!(
        "update blog_posts set content = $2, version = version + 1 where id = $1 and version = $3",
        id,
        content,
        version
    );
    if updated.execute(&mut *transaction).await?.rows_affected() == 0 {
        return Ok(false);
    }
    rendering::save_rendered_post(&mut transaction, id, &prepared, &checked_links).await?;
    commit(transaction).await?;
    state.page_cache.invalidate();
    Ok(true)
}

/// Saves an edited post. Published posts stay published. Fails with `conflict` if `post.version` is outdated.
#[expect(clippy::too_many_lines, reason = "one statement, and what it is given")]
pub async fn update_post(
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
            own_language = $13,
            publish_at = case
                when p.status <> 'draft' or not $7 then null
                when $12::timestamptz[] is null then p.publish_at
                else ($12::timestamptz[])[1]
            end,
            status = case when p.status = 'draft' and $7 then 'draft' else 'published' end,
            published_at = case
                when p.status = 'draft' and $7 then null
                else coalesce(p.published_at, p.first_published_at, clock.now)
            end
        from (select coalesce($5, clock_timestamp()) as now) clock
        where p.id = $1 and p.version = coalesce($6, p.version) and ($7 or p.withheld_by is null)
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
    );
    let mut transaction = state.pool.begin().await?;
    check_quota(&mut transaction, state, author, &post.content.0, Some(&before.content)).await?;
    // The post may have been published since `before` was read.
    let was_draft = sqlx::query_scalar!(
        r#"select status = 'draft' as "is_draft!" from blog_posts where id = $1 for no key update"#,
        id,
    );
    let was_draft = was_draft.fetch_optional(&mut *transaction).await? == Some(true);
    if updated.execute(&mut *transaction).await?.rows_affected() == 1 {
        rendering::save_rendered_post(&mut transaction, id, &prepared, &checked_links).await?;
        let images = links::uploaded_image_names(&prepared.text, cover);
        save_image_uses(&mut transaction, ImageUse::Post(id), Some(author.id), &images).await?;
        check_cover(&mut transaction, author.id, cover.filter(|cover| before.cover.as_deref() != Some(*cover))).await?;
        if was_draft && post.status == Some(PostStatus::Published) {
            published_event::enqueue(&mut transaction, state, &[id]).await?;
        }
        if before.head.author.id != author.id {
            let record = NewEntry::new(AuditAction::ChangePost).for_post(id).for_user(before.head.author.id);
            record.insert(author, &mut transaction, &state.clock).await?;
        }
        commit(transaction).await?;
        state.page_cache.invalidate();
        return Ok(prepared.text.simplified);
    }
    transaction.rollback().await?;
    author.check_credential(&state.pool).await?;
    let exists = sqlx::query_scalar!(r#"select exists (select from blog_posts where id = $1) as "exists!""#, id);
    Err(if exists.fetch_one(&state.pool).await? { AppError::Conflict } else { AppError::NotFound })
}

/// Does nothing if the post already has the status. `version` is the version that the post must have, if any.
pub async fn set_post_status(
    state: &CoreState,
    author: &CurrentUser,
    PostId(id): PostId,
    version: Option<i32>,
    status: PostStatus,
) -> Result<(), AppError> {
    let updated = sqlx::query_scalar!(
        r#"update blog_posts p set status = $2, updated_at = clock.now, version = p.version + 1, publish_at = null,
            first_published_at = coalesce(p.first_published_at, p.published_at),
            published_at = case
                when $2 = 'published' then coalesce(p.published_at, p.first_published_at, clock.now)
            end,
            unpublished_version = case when $2 = 'draft' and p.author_id <> $5 then p.version + 1 end
        from (select coalesce($3, clock_timestamp()) as now) clock
        where p.id = $1 and p.status <> $2 and ($2 = 'draft' or p.withheld_by is null) and is_credential(decode($4, 'hex'))
            and p.version = coalesce($6, p.version)
        returning p.author_id as "author: UserId""#,
        id,
        status.name(),
        state.clock.now(),
        author.session,
        author.id.0,
        version,
    );
    let mut transaction = state.pool.begin().await?;
    if let Some(of) = updated.fetch_optional(&mut *transaction).await? {
        if of != author.id && status == PostStatus::Draft {
            let record = NewEntry::new(AuditAction::UnpublishPost).for_post(id).for_user(of);
            record.insert(author, &mut transaction, &state.clock).await?;
        }
        if status == PostStatus::Published {
            published_event::enqueue(&mut transaction, state, &[id]).await?;
        }
        commit(transaction).await?;
        state.page_cache.invalidate();
        return Ok(());
    }
    author.check_credential(&state.pool).await?;
    let is_withheld = check_version(state, id, version).await?;
    if is_withheld && status == PostStatus::Published { Err(PostError::Withheld.into()) } else { Ok(()) }
}

/// Fails if the post has another version. Returns true if staff have taken the post down.
async fn check_version(state: &CoreState, id: i64, version: Option<i32>) -> Result<bool, AppError> {
    let current =
        sqlx::query!(r#"select version, withheld_by is not null as "is_withheld!" from blog_posts where id = $1"#, id);
    let current = current.fetch_optional(&state.pool).await?.ok_or(AppError::NotFound)?;
    let has_version = version.is_none_or(|version| version == current.version);
    if has_version { Ok(current.is_withheld) } else { Err(AppError::PreconditionFailed) }
}

/// Deletes a post and its ratings. `version` is the version that the post must have, if any.
pub async fn delete_post(
    state: &CoreState,
    author: &CurrentUser,
    PostId(id): PostId,
    version: Option<i32>,
) -> Result<(), AppError> {
    let deleted = sqlx::query!(
        // Locks the row of `rating_totals` before the ratings that reference it, in the same order as rating writes, to
        // avoid deadlocks.
        r#"with locked as materialized (
            select from rating_totals where blog_id = $1 for update
        ), deleted as (
            delete from blog_posts
            where id = $1 and (select count(*) from locked) >= 0
                and is_credential(decode($2, 'hex')) and version = coalesce($3, version) returning title, author_id
        )
        select title, author_id as "author: UserId" from deleted"#,
        id,
        author.session,
        version,
    );
    let mut transaction = state.pool.begin().await?;
    if let Some(post) = deleted.fetch_optional(&mut *transaction).await? {
        if post.author != author.id {
            let record = NewEntry::new(AuditAction::DeletePost).for_post(id).for_user(post.author);
            record.with_details(json!({ "title": post.title })).insert(author, &mut transaction, &state.clock).await?;
        }
        commit(transaction).await?;
        state.page_cache.invalidate();
        return Ok(());
    }
    author.check_credential(&state.pool).await?;
    check_version(state, id, version).await?;
    Err(AppError::NotFound)
}
