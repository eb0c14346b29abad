//! Editor: views and forms for creating and editing posts.

pub(crate) mod diff;
pub mod input;
pub(crate) mod preview;
pub(crate) mod status;

use actix_web::http::StatusCode;
use actix_web::{Responder, web};
use askama::Template;

use self::diff::Line;
use self::input::{Cover, NewPost, Status};
use super::models::{self, Post, PostId};
use super::rendering::Renderer;
use super::schedule::PublishAt;
use super::urls;
use super::{changes, queries};
use crate::blog_posts::error::PostError;
use crate::i18n::{self, Locale, Phrase, Zone, filters};
use crate::image_name::ImageName;
use crate::images::models::is_own;
use crate::markdown::Simplified;
use crate::page;
use crate::phrase;
use crate::web::error::AppError;
use crate::web::request::body::Payload;
use crate::web::request::field::{Field as _, Optional};
use crate::web::request::query::Query;
use crate::web::request::visitor::CurrentUser;
use crate::web::response::form::{Form, label};
use crate::web::response::layout::Layout;
use crate::web::response::messages::Link;
use crate::web::response::view::{Answer, Done, View, submit};
use crate::web::state::AppState;

#[derive(Template)]
#[template(path = "blog_posts/form.html")]
pub struct WritePage {
    layout: Layout,
    form: Form,
    /// Post that is edited; `None` for a new post.
    id: Option<PostId>,
    published: bool,
    preview: Option<Preview>,
    /// Flagged URLs in the saved post.
    unsafe_links: Vec<String>,
    /// Messages about an image that was just added.
    added: Vec<Phrase>,
    /// After an edit conflict: the saved post, and the diff between its text and the submitted text.
    theirs: Option<(Post, Vec<Line>)>,
}

impl WritePage {
    fn new(layout: Layout, form: Form, id: Option<PostId>, published: bool) -> Self {
        Self { layout, form, id, published, preview: None, unsafe_links: Vec::new(), added: Vec::new(), theirs: None }
    }

    /// Editor page of an existing post. `post` is `None` if it could not be read.
    fn of(layout: Layout, form: Form, id: PostId, post: Option<&Post>) -> Self {
        let published = post.is_some_and(|post| !post.head.is_draft());
        let unsafe_links = post.and_then(|post| post.unsafe_links.clone()).unwrap_or_default();
        Self { unsafe_links, ..Self::new(layout, form, Some(id), published) }
    }

    fn heading(&self) -> Phrase {
        match (self.id, self.published) {
            (None, _) => phrase!("write-title"),
            (Some(_), true) => phrase!("write-edit-post"),
            (Some(_), false) => phrase!("write-edit-draft"),
        }
    }

    /// Key of the autosaved text in the browser's local storage, unique for each user and post.
    fn storage_key(&self) -> String {
        let user = self.layout.user.as_ref().map_or(0, |user| user.id.0);
        format!("{user}:{}", self.id.map_or_else(|| "new".to_owned(), |id| id.to_string()))
    }

    /// URL of the image upload, with the fragment of the upload form.
    fn add_image(&self) -> String {
        let query = self.id.map(|id| format!("?post={id}")).unwrap_or_default();
        format!("{}{query}#pictures", urls::ADD_IMAGE.pattern)
    }

    /// Returns whether an image was just added or has an error, so that the image form is open.
    fn has_picture(&self) -> bool {
        !self.added.is_empty() || ["image", "alt"].iter().any(|name| !self.form.errors_of(name).is_empty())
    }

    /// Returns whether an optional field has a value or an error, so that the section is open.
    fn has_details(&self) -> bool {
        DETAILS.iter().any(|name| !self.form.value(name).is_empty() || !self.form.errors_of(name).is_empty())
    }

    /// Fields other than the text that differ from the saved post: label and saved value.
    fn saved_otherwise(&self) -> Vec<(Phrase, String)> {
        let Some((theirs, _)) = &self.theirs else { return Vec::new() };
        let saved = form_of(theirs, self.layout.locale.zone);
        let names = ["title", "tags"].iter().chain(&DETAILS);
        let other = names.filter(|name| saved.value(name) != self.form.value(name));
        other.map(|name| (label(name), saved.value(name).to_owned())).collect()
    }
}

page!(WritePage, form: Form);

struct Preview {
    html: String,
    notice: Option<String>,
    unsafe_links: Vec<String>,
}

/// Optional fields, in a section that is closed by default.
const DETAILS: [&str; 5] = ["publish_at", "slug", "excerpt", "cover", "language"];

pub async fn create_form(layout: Layout, _: CurrentUser) -> impl Responder {
    let names = ["title", "tags", "content"].into_iter().chain(DETAILS);
    let empty: Vec<(&str, &str)> = names.map(|name| (name, "")).collect();
    View::new(WritePage::new(layout, Form::of(&empty), None, false))
}

pub async fn create(
    mut payload: Payload<NewPost>,
    user: Option<CurrentUser>,
    layout: Layout,
    state: web::Data<AppState>,
    renderer: web::Data<Renderer>,
) -> Result<Answer<Post, WritePage>, AppError> {
    let Some(user) = user else { return signed_out(payload, layout, None) };
    note_time(&state, layout.locale.zone, &mut payload).await?;
    let locale = layout.locale;
    let create = async |post: NewPost| {
        check_cover(&state, &user, &post, None).await?;
        allow(&state, &user, !post.is_draft() || matches!(post.publish_at, Some(Optional(Some(_)))))?;
        let post = scheduled(&state, locale.zone, post, None).await?;
        let (id, simplified) = changes::create(&state, &renderer, &user, &post).await?;
        let post = find_saved(&state, id, &user, simplified, locale).await?;
        let (message, link) = (saved(done(&post, phrase!("done-draft-saved")), &post), link(&state, &post));
        let (page, resource) = (post.head.path(), urls::POST.path_for(post.head.id));
        Ok(Done::new(StatusCode::CREATED, post, page).resource(resource).message(message).linking(link))
    };
    submit(payload, create, async |form, _| Some(WritePage::new(layout, form, None, false))).await
}

/// Rejects publishing, scheduling and changes of published posts by users without permission to publish.
fn allow(state: &AppState, user: &CurrentUser, publishes: bool) -> Result<(), AppError> {
    if publishes && !user.may_publish(state.policy) { Err(PostError::MayNotPublish.into()) } else { Ok(()) }
}

/// Rejects publishing or scheduling a post that staff took down.
fn must_not_be_withheld(post: &Post) -> Result<(), AppError> {
    if post.head.withheld_by.is_some() { Err(PostError::Withheld.into()) } else { Ok(()) }
}

/// Rejects an uploaded image of another user as the cover, unless the post already had that cover.
async fn check_cover(
    state: &AppState,
    user: &CurrentUser,
    change: &NewPost,
    before: Option<&str>,
) -> Result<(), AppError> {
    let Some(Optional(Some(Cover(cover)))) = &change.cover else { return Ok(()) };
    let name = ImageName::of_path(cover).filter(|_| before != Some(cover));
    match name {
        Some(name) if !is_own(&state.pool, user.id, &name).await? => {
            Err(AppError::field("cover", phrase!("invalid-no-such-image")))
        }
        _ => Ok(()),
    }
}

/// Returns whether an edit changes the scheduled publication time.
fn is_moved(change: &NewPost, before: &Post, zone: Zone) -> bool {
    let Some(typed) = change.publish_at.and_then(|Optional(time)| time) else { return false };
    let typed = typed.in_zone(zone).ok().map(|time| zone.in_form(&time));
    typed != before.head.publish_at.map(|time| zone.in_form(&time))
}

/// Validates the scheduled publication time and keeps the post a draft. Converts the time to UTC, because form fields
/// have local time.
async fn scheduled(state: &AppState, zone: Zone, change: NewPost, before: Option<&Post>) -> Result<NewPost, AppError> {
    let Some(typed) = change.publish_at.and_then(|Optional(time)| time) else { return Ok(change) };
    let time = typed.in_zone(zone).map_err(|problem| AppError::field("publish_at", problem))?;
    let exactly = Some(Optional(Some(PublishAt::Exactly(time))));
    let is_published = before.is_some_and(|post| !post.head.is_draft());
    let known = before.and_then(|post| post.head.publish_at);
    if known.is_some_and(|known| zone.in_form(&known) == zone.in_form(&time)) {
        // An unchanged time is valid even if it has passed since the form was opened.
        return Ok(NewPost { status: Some(Status::Draft), publish_at: exactly, ..change });
    }
    let problem = match PublishAt::problem(time, state.now().await?) {
        None if is_published => phrase!("invalid-published-already"),
        None => return Ok(NewPost { status: Some(Status::Draft), publish_at: exactly, ..change }),
        // The scheduled post was published while it was being edited.
        Some(_) if is_published => return Ok(NewPost { publish_at: exactly, ..change }),
        Some(problem) => problem,
    };
    Err(AppError::field("publish_at", problem))
}

/// Adds an error about the scheduled time to a form that has other errors, so that all errors are shown together.
async fn note_time(state: &AppState, zone: Zone, payload: &mut Payload<NewPost>) -> Result<(), AppError> {
    if let (false, Ok(typed)) = (payload.is_valid(), PublishAt::from_text(payload.typed("publish_at"))) {
        let now = state.now().await?;
        let problem = match typed.in_zone(zone) {
            Ok(time) => PublishAt::problem(time, now),
            Err(problem) => Some(problem),
        };
        if let Some(problem) = problem {
            payload.note("publish_at", problem);
        }
    }
    Ok(())
}

/// Response to a user who is not signed in. With scripts, the browser has autosaved the text, and the user is
/// redirected to the sign-in page. Without scripts, the form is shown again, because the text would be lost.
fn signed_out(
    payload: Payload<NewPost>,
    layout: Layout,
    id: Option<PostId>,
) -> Result<Answer<Post, WritePage>, AppError> {
    let error = AppError::NotSignedIn { next: None };
    if payload.typed("scripts").is_empty() {
        return Err(error);
    }
    let form = Form::rejected(payload.into_parts().1, &error);
    Ok(Answer::Right(View::rejected(WritePage::new(layout, form, id, false), error)))
}

/// Public URL of the post, unless it is a draft.
fn link(state: &AppState, post: &Post) -> Option<Link> {
    let path = post.head.path();
    let text = phrase!("verbatim", text = format!("{}{path}", state.settings.public_url));
    (!post.head.is_draft()).then_some(Link { path, text })
}

/// Success message: published, scheduled, or `otherwise`.
fn done(post: &Post, otherwise: Phrase) -> Phrase {
    match post.head.publish_at {
        _ if !post.head.is_draft() => phrase!("done-published"),
        Some(time) => phrase!("done-scheduled", done = otherwise, time = i18n::Value::Minute(time)),
        None => otherwise,
    }
}

/// Adds the notice about rendering and flagged URLs to a success message.
fn saved(done: Phrase, post: &Post) -> Phrase {
    match &post.notice {
        Some(notice) => phrase!("done-with-notice", done = done, notice = notice.as_str()),
        None => done,
    }
}

fn form_of(post: &Post, zone: Zone) -> Form {
    let (tags, version) = (post.head.tags.join(", "), post.version.to_string());
    let publish_at = post.head.publish_at.as_ref().map(|time| zone.in_form(time));
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    Form::of(&[
        ("title", &post.head.title),
        ("tags", &tags),
        ("content", &post.content),
        ("publish_at", &publish_at.unwrap_or_default()),
        ("slug", &text(&post.own_slug)),
        ("excerpt", &text(&post.own_excerpt)),
        ("cover", &text(&post.cover)),
        ("language", &text(&post.own_language)),
        ("version", &version),
    ])
}

pub async fn edit_form(
    user: CurrentUser,
    id: PostId,
    layout: Layout,
    state: web::Data<AppState>,
) -> Result<impl Responder, AppError> {
    let post = queries::post_to_change(&state.pool, id, &user).await?;
    let form = form_of(&post, layout.locale.zone);
    Ok(View::new(WritePage::of(layout, form, post.head.id, Some(&post))))
}

pub async fn edit(
    mut payload: Payload<NewPost>,
    user: Option<CurrentUser>,
    id: PostId,
    layout: Layout,
    state: web::Data<AppState>,
    renderer: web::Data<Renderer>,
) -> Result<Answer<Post, WritePage>, AppError> {
    let Some(user) = user else { return signed_out(payload, layout, Some(id)) };
    note_time(&state, layout.locale.zone, &mut payload).await?;
    // A missing post or permission is reported here only if the form is valid; otherwise the validation errors are
    // shown.
    let post = match queries::post_to_change(&state.pool, id, &user).await {
        Err(error @ (AppError::NotFound | AppError::Forbidden)) if payload.is_valid() => return Err(error),
        found => found.ok(),
    };
    let locale = layout.locale;
    let change = async |change: NewPost| {
        let was_draft = post.as_ref().is_some_and(|post| post.head.is_draft());
        let post = save(&state, &renderer, locale, id, &user, post.clone(), change).await?;
        let message = if was_draft { done(&post, phrase!("done-draft-saved")) } else { phrase!("done-changes-saved") };
        let (message, link) = (saved(message, &post), link(&state, &post).filter(|_| was_draft));
        let page = post.head.path();
        Ok(Done::new(StatusCode::OK, post, page).message(message).linking(link))
    };
    let page = async |form: Form, error: &AppError| {
        if matches!(error, AppError::NotFound | AppError::Forbidden) {
            return None;
        }
        let mut page = WritePage::of(layout, form, id, post.as_ref());
        if matches!(error, AppError::Conflict)
            && let Ok(theirs) = queries::post_to_change(&state.pool, id, &user).await
        {
            // Saving again overwrites only the version that is shown next to the form, not a newer one.
            page.form.set("version", theirs.version.to_string());
            let (saved, typed) = (theirs.content.clone(), page.form.value("content").to_owned());
            let lines = tokio::task::spawn_blocking(move || diff::lines(&saved, &typed)).await;
            page.theirs = lines.ok().map(|lines| (theirs, lines));
        }
        Some(page)
    };
    submit(payload, change, page).await
}

async fn save(
    state: &AppState,
    renderer: &Renderer,
    locale: Locale,
    id: PostId,
    user: &CurrentUser,
    post: Option<Post>,
    change: NewPost,
) -> Result<Post, AppError> {
    if post.as_ref().is_some_and(|post| !post.head.is_draft()) && change.is_draft() {
        return Err(AppError::field("status", phrase!("invalid-is-published")));
    }
    // Reads the post again if that failed before, to report the error.
    let post = match post {
        Some(post) => post,
        None => queries::post_to_change(&state.pool, id, user).await?,
    };
    check_cover(state, user, &change, post.cover.as_deref()).await?;
    // An unchanged scheduled time is not a request to publish: users without permission to publish can still save the
    // draft.
    let is_asked = change.status == Some(Status::Published) || is_moved(&change, &post, locale.zone);
    allow(state, user, is_asked || !post.head.is_draft())?;
    if is_asked {
        must_not_be_withheld(&post)?;
    }
    let change = scheduled(state, locale.zone, change, Some(&post)).await?;
    let simplified = changes::update(state, renderer, user, &post, &change).await?;
    find_saved(state, id, user, simplified, locale).await
}

/// Reads a saved post and adds the notice about rendering and flagged URLs.
async fn find_saved(
    state: &AppState,
    id: PostId,
    user: &CurrentUser,
    simplified: Option<Simplified>,
    locale: Locale,
) -> Result<Post, AppError> {
    let post = queries::post(&state.pool, id, Some(user)).await?;
    let notice = models::notice(simplified, post.unsafe_links.as_deref().unwrap_or_default(), locale);
    Ok(Post { notice, ..post })
}

/// Id of the post in the query parameter `post`.
fn named(query: &Query) -> Result<Option<PostId>, AppError> {
    Ok(query.get("post")?.and_then(|id| PostId::from_text(&id).ok()))
}

/// Returns the id of the edited post if the user can see it, and whether it is published.
async fn edited(state: &AppState, id: Option<PostId>, user: &CurrentUser) -> (Option<PostId>, bool) {
    let post = match id {
        Some(id) => queries::post(&state.pool, id, Some(user)).await.ok(),
        None => None,
    };
    (post.as_ref().map(|post| post.head.id), post.is_some_and(|post| !post.head.is_draft()))
}
