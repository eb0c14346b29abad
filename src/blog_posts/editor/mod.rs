//! Editor: views and forms for creating and editing posts.

pub(crate) mod diff;
pub mod input;
pub mod page;
pub(crate) mod preview;
pub(crate) mod status_changes;

use std::collections::BTreeMap;

use actix_web::web;
use chrono::{DateTime, Utc};
use evenkeel_markdown::Simplification;

use self::input::{PostInput, PostStatus};
use self::page::{EditorPage, OPTIONAL_FIELDS, form_for, has_values};
use super::models::{self, Post, PostId};
use super::schedule::PublishTime;
use super::urls;
use super::{changes, queries};
use crate::blog_posts::error::PostError;
use crate::blog_posts::stored_post::find_stored_post;
use crate::i18n::{self, DisplayTimeZone, Locale, Phrase};
use crate::phrase;
use crate::state::AppState;
use crate::web::error::AppError;
use crate::web::request::body::Payload;
use crate::web::request::current_user::CurrentUser;
use crate::web::request::form_field::{Field as _, OptionalField};
use crate::web::request::if_match::IfMatch;
use crate::web::request::query::Query;
use crate::web::response::form::Form;
use crate::web::response::layout::Layout;
use crate::web::response::messages::MessageLink;
use crate::web::response::view::{ActionResult, FormResponse, PageResponse, RejectedForm, handle_form};
use crate::web::state::CoreState;

pub async fn create_form(layout: Layout, _: CurrentUser, state: web::Data<AppState>) -> PageResponse<EditorPage> {
    let names = ["title", "tags", "content"].into_iter().chain(OPTIONAL_FIELDS.iter().copied());
    let empty: Vec<(&str, &str)> = names.map(|name| (name, "")).collect();
    PageResponse::new(EditorPage::new(layout, Form::prefilled(&empty), None, false).with_own_images(&state).await)
}

pub async fn create(
    mut payload: Payload<PostInput>,
    user: Option<CurrentUser>,
    layout: Layout,
    state: web::Data<AppState>,
) -> Result<FormResponse<Post, EditorPage, 201>, AppError> {
    let Some(user) = user else { return sign_in_required(payload, layout, None) };
    add_schedule_error(&state, layout.locale.zone, &mut payload).await?;
    let locale = layout.locale;
    let create = async |post: PostInput| {
        check_may_publish(&state, &user, !post.is_draft() || matches!(post.publish_at, Some(OptionalField(Some(_)))))?;
        let post = validate_schedule(&state, locale.zone, post, None).await?;
        let (id, simplified) = changes::create_post(&state, &state.renderer, &user, &post).await?;
        let post = find_saved(&state, id, &user, simplified, locale).await?;
        let (message, link) =
            (with_notice(success_message(&post, phrase!("done-draft-saved")), &post), public_link(&state, &post));
        let (page, resource) = (post.head.path(), urls::POST_BY_ID.path_for(post.head.id));
        Ok(ActionResult::new(post, page).with_resource_path(resource).with_message(message).with_link(link))
    };
    let page =
        async |form: Form, _: &AppError| Some(EditorPage::new(layout, form, None, false).with_own_images(&state).await);
    handle_form(payload, create, page).await
}

fn check_may_publish(state: &CoreState, user: &CurrentUser, publishes: bool) -> Result<(), AppError> {
    if publishes && !user.may_publish(state.policy) { Err(PostError::MayNotPublish.into()) } else { Ok(()) }
}

fn check_not_withheld(post: &Post) -> Result<(), AppError> {
    if post.head.withheld_by.is_some() { Err(PostError::Withheld.into()) } else { Ok(()) }
}

fn is_rescheduled(change: &PostInput, before: &Post, zone: DisplayTimeZone) -> bool {
    let Some(typed) = change.publish_at.and_then(|OptionalField(time)| time) else { return false };
    let typed = typed.local_to_utc(zone).ok().map(|time| zone.format_datetime_local(&time));
    typed != before.head.publish_at.map(|time| zone.format_datetime_local(&time))
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
        // An unchanged time is valid even if it has passed. The time in the form has no seconds, and is ambiguous when
        // clocks are turned back.
        let publish_time = if matches!(typed, PublishTime::Local(..)) { saved_time } else { time };
        let publish_at = Some(OptionalField(Some(PublishTime::Utc(publish_time))));
        return Ok(PostInput { status: Some(PostStatus::Draft), publish_at, ..change });
    }
    let problem = match PublishTime::validation_error(time, state.now().await?) {
        None if is_published => phrase!("invalid-published-already"),
        None => return Ok(PostInput { status: Some(PostStatus::Draft), publish_at: exactly, ..change }),
        // The scheduled post was published while it was being edited.
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
        let problem = match typed.shown_in(shown_in).local_to_utc(zone) {
            Ok(time) => PublishTime::validation_error(time, now),
            Err(problem) => Some(problem),
        };
        if let Some(problem) = problem {
            payload.add_error("publish_at", problem);
        }
    }
    Ok(())
}

/// Redirects only if JavaScript has autosaved the text. Otherwise, shows the form again, which keeps the text.
fn sign_in_required<const STATUS: u16>(
    payload: Payload<PostInput>,
    layout: Layout,
    id: Option<PostId>,
) -> Result<FormResponse<Post, EditorPage, STATUS>, AppError> {
    let error = AppError::NotSignedIn { next: None };
    if payload.submitted_value("scripts").is_empty() {
        return Err(error);
    }
    let form = Form::rejected(payload.into_parts().1, &error);
    Ok(FormResponse::Right(RejectedForm::new(EditorPage::new(layout, form, id, false), error)))
}

fn public_link(state: &CoreState, post: &Post) -> Option<MessageLink> {
    let path = post.head.path();
    let text = phrase!("verbatim", text = format!("{}{path}", state.settings.public_url));
    (!post.head.is_draft()).then_some(MessageLink { path, text })
}

fn success_message(post: &Post, otherwise: Phrase) -> Phrase {
    match post.head.publish_at {
        _ if !post.head.is_draft() => phrase!("done-published"),
        Some(time) => phrase!("done-scheduled", done = otherwise, time = i18n::PhraseValue::Minute(time)),
        None => otherwise,
    }
}

fn save_message(post: &Post, was_draft: bool) -> Phrase {
    if was_draft { success_message(post, phrase!("done-draft-saved")) } else { phrase!("done-changes-saved") }
}

fn with_notice(done: Phrase, post: &Post) -> Phrase {
    match &post.notice {
        Some(notice) => phrase!("done-with-notice", done = done, notice = notice.as_str()),
        None => done,
    }
}

pub async fn edit_form(
    user: CurrentUser,
    id: PostId,
    layout: Layout,
    state: web::Data<AppState>,
) -> Result<PageResponse<EditorPage>, AppError> {
    let post = queries::find_editable_post(&state.pool, id, &user).await?;
    let form = form_for(&post, layout.locale.zone);
    let page = EditorPage::for_post(layout, form, post.head.id, Some(&post)).with_own_images(&state).await;
    Ok(PageResponse::new(page).with_version(post.version))
}

pub async fn edit(
    mut payload: Payload<PostInput>,
    user: Option<CurrentUser>,
    id: PostId,
    if_match: IfMatch,
    layout: Layout,
    state: web::Data<AppState>,
) -> Result<FormResponse<Post, EditorPage>, AppError> {
    let Some(user) = user else { return sign_in_required(payload, layout, Some(id)) };
    add_schedule_error(&state, layout.locale.zone, &mut payload).await?;
    // If the form is invalid, its errors are shown instead of a missing post or permission.
    let post = match queries::find_editable_post(&state.pool, id, &user).await {
        Err(error @ (AppError::NotFound | AppError::Forbidden)) if payload.is_valid() => return Err(error),
        result => result.ok(),
    };
    let (locale, submitted) = (layout.locale, payload.submitted_values().clone());
    let change = async |mut change: PostInput| {
        let was_draft = post.as_ref().is_some_and(|post| post.head.is_draft());
        if let Some(post) = &post {
            change.version = change.version.or(if_match.required_version(post.version)?);
        }
        let mut saved = save(&state, locale, id, &user, post.clone(), change).await;
        if matches!(saved, Err(AppError::Conflict)) {
            saved = find_repeated_save(&state, id, &user, &submitted, locale).await;
        }
        let post = saved.map_err(|error| if_match.translate_conflict(error))?;
        let message = save_message(&post, was_draft);
        let (message, link) = (with_notice(message, &post), public_link(&state, &post).filter(|_| was_draft));
        let (page, version) = (post.head.path(), post.version);
        Ok(ActionResult::new(post, page).with_version(version).with_message(message).with_link(link))
    };
    let page = async |form: Form, error: &AppError| {
        if matches!(error, AppError::NotFound | AppError::Forbidden) {
            return None;
        }
        let mut page = EditorPage::for_post(layout, form, id, post.as_ref()).with_own_images(&state).await;
        if matches!(error, AppError::Conflict)
            && let Ok(theirs) = queries::find_editable_post(&state.pool, id, &user).await
        {
            // Saving again overwrites only the version that the user has seen.
            page.form.set("version", theirs.version.to_string());
            let (saved, typed) = (theirs.content.clone(), page.form.value("content").to_owned());
            let lines = tokio::task::spawn_blocking(move || diff::diff_lines(&saved, &typed)).await;
            page.conflict = lines.ok().map(|lines| (theirs, lines));
        }
        Some(page)
    };
    handle_form(payload, change, page).await
}

/// Returns the saved post if it has all submitted values, so that a second click on the button is no conflict.
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

async fn save(
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
    // If the post could not be read before, reads the post again to report the error.
    let post = match post {
        Some(post) => post,
        None => queries::find_editable_post(&state.pool, id, user).await?,
    };
    // Users without permission to publish can still save a draft whose scheduled time is unchanged.
    let is_asked = change.status == Some(PostStatus::Published) || is_rescheduled(&change, &post, locale.zone);
    check_may_publish(state, user, is_asked || !post.head.is_draft())?;
    if is_asked {
        check_not_withheld(&post)?;
    }
    let change = validate_schedule(state, locale.zone, change, Some(&post)).await?;
    let simplified = changes::update_post(state, &state.renderer, user, &post, &change).await?;
    find_saved(state, id, user, simplified, locale).await
}

async fn find_saved(
    state: &CoreState,
    id: PostId,
    user: &CurrentUser,
    simplified: Option<Simplification>,
    locale: Locale,
) -> Result<Post, AppError> {
    let post = find_stored_post(&state.pool, id, Some(user)).await?;
    let notice = models::author_notice(simplified, post.unsafe_links.as_deref().unwrap_or_default(), locale);
    Ok(Post { notice, ..post })
}

fn post_id_from_query(query: &Query) -> Result<Option<PostId>, AppError> {
    Ok(query.get_undocumented("post")?.and_then(|id| PostId::from_text(&id).ok()))
}

/// Returns the id of the edited post if the user can see the post, and whether the post is published.
async fn find_edited(state: &CoreState, id: Option<PostId>, user: &CurrentUser) -> (Option<PostId>, bool) {
    let post = match id {
        Some(id) => find_stored_post(&state.pool, id, Some(user)).await.ok(),
        None => None,
    };
    (post.as_ref().map(|post| post.head.id), post.is_some_and(|post| !post.head.is_draft()))
}
