//! Editor of posts: validation, permission checks and status changes that its actions share.

pub(super) mod add_image;
pub mod create;
pub mod delete;
pub(super) mod diff;
pub(super) mod edit;
pub mod import;
pub mod input;
pub(super) mod page;
pub(super) mod preview;
pub(super) mod publish;
pub(super) mod unpublish;

use chrono::{DateTime, Utc};
use evenkeel_markdown::Simplification;
use evenkeel_markdown::image_name::ImageName;
use sqlx::PgConnection;

use self::input::PostInput;
use self::page::EditorPage;
use super::models::{Post, PostId, PostStatus, find_stored_post};
use super::rendering::author_notice;
use super::schedule::PublishTime;
use super::{published_event, urls};
use crate::audit_log::{AuditAction, NewEntry};
use crate::db::commit;
use crate::i18n::{DisplayTimeZone, Locale, Phrase, PhraseValue};
use crate::images::models::is_owned_by;
use crate::phrase;
use crate::users::emails;
use crate::web::error::{AppError, ErrorText, FeatureError, error_text};
use crate::web::request::body::Payload;
use crate::web::request::current_user::{CurrentUser, UserId};
use crate::web::request::form_field::{Field as _, OptionalField};
use crate::web::response::form::Form;
use crate::web::response::layout::Layout;
use crate::web::response::messages::MessageLink;
use crate::web::response::view::{FormResponse, RejectedForm};
use crate::web::state::CoreState;

#[derive(Debug, thiserror::Error)]
pub enum PostError {
    /// Staff took the post down, so that its author cannot publish the post.
    #[error("withheld")]
    Withheld,
    #[error("may not publish")]
    MayNotPublish,
}

impl FeatureError for PostError {
    fn error_text(&self) -> ErrorText {
        match self {
            Self::Withheld => error_text(403, "withheld", phrase!("error-withheld")),
            Self::MayNotPublish => error_text(403, "may_not_publish", phrase!("error-may-not-publish")),
        }
    }
}

/// Turns a publication into a submission if posts of the user need a review.
fn check_publication(state: &CoreState, user: &CurrentUser, post: PostInput) -> Result<PostInput, AppError> {
    let policy = state.site().policy;
    if user.may_publish(policy) {
        Ok(post)
    } else if user.may_submit(policy) {
        Ok(PostInput { status: Some(PostStatus::Draft), publish_at: None, is_submitted: true, ..post })
    } else {
        Err(PostError::MayNotPublish.into())
    }
}

/// Only staff may create pages, because pages appear in no list, in which other users would notice abuse.
fn check_may_create_page(user: &CurrentUser, change: &PostInput, before: Option<&Post>) -> Result<(), AppError> {
    let was_page = before.is_some_and(|post| post.head.is_page);
    if change.is_page == Some(true) && !was_page && !user.is_staff() {
        return Err(AppError::invalid_field("is_page", phrase!("invalid-page-staff")));
    }
    Ok(())
}

fn check_not_withheld(post: &Post) -> Result<(), AppError> {
    if post.head.withheld_by.is_some() { Err(PostError::Withheld.into()) } else { Ok(()) }
}

/// Converts the publication time to UTC. The post stays a draft until that time.
async fn validate_schedule(
    state: &CoreState,
    zone: DisplayTimeZone,
    change: PostInput,
    before: Option<&Post>,
) -> Result<PostInput, AppError> {
    let Some(typed) = change.publish_at.and_then(|OptionalField(time)| time) else { return Ok(change) };
    let time = typed.local_to_utc(zone).map_err(|problem| AppError::invalid_field("publish_at", problem))?;
    let exactly = Some(OptionalField(Some(PublishTime::Utc(time))));
    let is_published = before.is_some_and(|post| !post.head.is_draft());
    let saved_time = before.and_then(|post| post.head.publish_at);
    let is_unchanged = |saved: &DateTime<Utc>| zone.format_datetime_local(saved) == zone.format_datetime_local(&time);
    if let Some(saved_time) = saved_time.filter(is_unchanged) {
        // Accepts an unchanged time even if it has passed. Keeps the saved time, because the time in the form has no
        // seconds and is ambiguous when clocks are turned back.
        let publish_time = if matches!(typed, PublishTime::Local(..)) { saved_time } else { time };
        let publish_at = Some(OptionalField(Some(PublishTime::Utc(publish_time))));
        return Ok(PostInput { status: Some(PostStatus::Draft), publish_at, ..change });
    }
    let problem = match PublishTime::validation_error(time, state.now().await?) {
        None if is_published => phrase!("invalid-published-already"),
        None => return Ok(PostInput { status: Some(PostStatus::Draft), publish_at: exactly, ..change }),
        // Accepts a past time if the scheduled post was published while the user was editing it.
        Some(_) if is_published => return Ok(PostInput { publish_at: exactly, ..change }),
        Some(problem) => problem,
    };
    Err(AppError::invalid_field("publish_at", problem))
}

/// Adds an error about the scheduled time to a form that has other errors, so that all errors are shown together.
async fn add_schedule_error(
    state: &CoreState,
    zone: DisplayTimeZone,
    payload: &mut Payload<PostInput>,
) -> Result<(), AppError> {
    if let (false, Ok(typed)) = (payload.is_valid(), PublishTime::from_text(payload.submitted_value("publish_at"))) {
        let now = state.now().await?;
        let shown_in = payload.submitted_value("publish_zone").parse().ok();
        let problem = match typed.with_form_zone(shown_in).local_to_utc(zone) {
            Ok(time) => PublishTime::validation_error(time, now),
            Err(problem) => Some(problem),
        };
        if let Some(problem) = problem {
            payload.add_error("publish_at", problem);
        }
    }
    Ok(())
}

/// Redirects to the sign-in page if JavaScript has autosaved the text; otherwise shows the form again to keep the text.
async fn sign_in_required<const STATUS: u16>(
    state: &CoreState,
    payload: Payload<PostInput>,
    layout: Layout,
    id: Option<PostId>,
) -> Result<FormResponse<Post, EditorPage, STATUS>, AppError> {
    let error = AppError::NotSignedIn { next: None };
    if payload.submitted_value("scripts").is_empty() {
        return Err(error);
    }
    let form = Form::rejected(payload.into_parts().1, &error);
    Ok(FormResponse::Right(RejectedForm::new(EditorPage::load(state, layout, form, id, None).await, error)))
}

fn public_link(state: &CoreState, post: &Post) -> Option<MessageLink> {
    let path = post.head.path();
    let text = phrase!("verbatim", text = format!("{}{path}", state.settings.public_url));
    (!post.head.is_draft()).then_some(MessageLink { path, text })
}

fn success_message(post: &Post, otherwise: Phrase) -> Phrase {
    match post.head.publish_at {
        _ if !post.head.is_draft() => phrase!("done-published", page = post.head.is_page),
        _ if post.head.submitted_at.is_some() => phrase!("done-submitted"),
        Some(time) => {
            phrase!("done-scheduled", done = otherwise, page = post.head.is_page, time = PhraseValue::Minute(time))
        }
        None => otherwise,
    }
}

fn with_notice(done: Phrase, post: &Post) -> Phrase {
    match &post.notice {
        Some(notice) => phrase!("done-with-notice", done = done, notice = notice.as_str()),
        None => done,
    }
}

async fn find_saved(
    state: &CoreState,
    id: PostId,
    user: &CurrentUser,
    simplified: Option<Simplification>,
    locale: Locale,
) -> Result<Post, AppError> {
    let post = find_stored_post(&state.pool, id, Some(user)).await?;
    let notice = author_notice(simplified, post.unsafe_links.as_deref().unwrap_or_default(), locale);
    Ok(Post { notice, ..post })
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

/// Publishes or unpublishes a post. Returns `PreconditionFailed` if the post does not have the `version`, if given.
async fn set_post_status(
    state: &CoreState,
    author: &CurrentUser,
    PostId(id): PostId,
    version: Option<i32>,
    status: PostStatus,
) -> Result<(), AppError> {
    let updated = sqlx::query!(
        r#"update blog_posts p set status = $2, updated_at = clock.now, version = p.version + 1, publish_at = null, submitted_at = null,
            return_reason = null,
            first_published_at = coalesce(p.first_published_at, p.published_at),
            published_at = case
                when $2 = 'published' then coalesce(p.published_at, p.first_published_at, clock.now)
            end,
            unpublished_version = case when $2 = 'draft' and p.author_id <> $5 then p.version + 1 end
        from (select coalesce($3, clock_timestamp()) as now) clock
        where p.id = $1 and p.deleted_at is null and p.status <> $2 and ($2 = 'draft' or p.withheld_by is null) and is_credential(decode($4, 'hex'))
            and p.version = coalesce($6, p.version)
        returning p.author_id as "author: UserId", p.title"#,
        id,
        status.name(),
        state.clock.now(),
        author.session,
        author.id.0,
        version,
    );
    let mut transaction = state.pool.begin().await?;
    if let Some(updated) = updated.fetch_optional(&mut *transaction).await? {
        if updated.author != author.id && status == PostStatus::Draft {
            let record = NewEntry::new(AuditAction::UnpublishPost).for_post(id).for_user(updated.author);
            record.insert(author, &mut transaction, &state.clock).await?;
        }
        if status == PostStatus::Published {
            published_event::enqueue(&mut transaction, state, &[id]).await?;
            record_publication(&mut transaction, state, author, PostId(id), updated.author, &updated.title).await?;
        }
        commit(transaction).await?;
        state.page_cache.invalidate();
        state.mail.wake_delivery();
        return Ok(());
    }
    author.check_credential(&state.pool).await?;
    let is_withheld = check_version(state, id, version).await?;
    if is_withheld && status == PostStatus::Published { Err(PostError::Withheld.into()) } else { Ok(()) }
}

/// Tells the author that staff have published their draft.
async fn record_publication(
    connection: &mut PgConnection,
    state: &CoreState,
    by: &CurrentUser,
    id: PostId,
    author: UserId,
    title: &str,
) -> Result<(), AppError> {
    if by.id == author {
        return Ok(());
    }
    let entry = NewEntry::new(AuditAction::PublishPost).for_post(id.0).for_user(author);
    entry.insert(by, connection, &state.clock).await?;
    let (phrase, path) = (phrase!("mail-post-published", title = title), urls::POST_BY_ID.path_for(id));
    emails::enqueue(connection, state, author, "post_published", phrase, Some(&path)).await
}

/// Returns `PreconditionFailed` if the post does not have the `version`, if given. Returns true if staff took it down.
async fn check_version(state: &CoreState, id: i64, version: Option<i32>) -> Result<bool, AppError> {
    let current =
        sqlx::query!(r#"select version, withheld_by is not null as "is_withheld!" from blog_posts where id = $1"#, id);
    let current = current.fetch_optional(&state.pool).await?.ok_or(AppError::NotFound)?;
    let has_version = version.is_none_or(|version| version == current.version);
    if has_version { Ok(current.is_withheld) } else { Err(AppError::PreconditionFailed) }
}
