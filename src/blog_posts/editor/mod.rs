//! Writing, changing and deleting posts.

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

/// The page with the form for a new post or for changing one.
#[derive(Template)]
#[template(path = "blog_posts/form.html")]
pub struct WritePage {
    layout: Layout,
    form: Form,
    /// None for a new post.
    id: Option<PostId>,
    /// Whether others see it already.
    published: bool,
    /// What it would look like.
    preview: Option<Preview>,
    /// Where the post as it was saved leads that is suspected.
    unsafe_links: Vec<String>,
    /// What became of a picture that was sent.
    added: Vec<Phrase>,
    /// What somebody else has saved in between, and where it differs from what was typed.
    theirs: Option<(Post, Vec<Line>)>,
}

impl WritePage {
    fn new(layout: Layout, form: Form, id: Option<PostId>, published: bool) -> Self {
        Self { layout, form, id, published, preview: None, unsafe_links: Vec::new(), added: Vec::new(), theirs: None }
    }

    /// Of a post, as far as it could be read.
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

    /// The key under which the browser keeps what is typed: one for each user and post.
    fn storage_key(&self) -> String {
        let user = self.layout.user.as_ref().map_or(0, |user| user.id.0);
        format!("{user}:{}", self.id.map_or_else(|| "new".to_owned(), |id| id.to_string()))
    }

    /// Where a picture is sent to, and the place on the page that comes back.
    fn add_image(&self) -> String {
        let query = self.id.map(|id| format!("?post={id}")).unwrap_or_default();
        format!("{}{query}#pictures", urls::ADD_IMAGE.pattern)
    }

    /// Whether a picture was added just now, or could not be.
    fn has_picture(&self) -> bool {
        !self.added.is_empty() || ["image", "alt"].iter().any(|name| !self.form.errors_of(name).is_empty())
    }

    /// Whether something is set, or wrong, that few authors set.
    fn has_details(&self) -> bool {
        DETAILS.iter().any(|name| !self.form.value(name).is_empty() || !self.form.errors_of(name).is_empty())
    }

    /// What was saved in between and is not what was typed, besides the text: the label of each field, and what it has.
    fn saved_otherwise(&self) -> Vec<(Phrase, String)> {
        let Some((theirs, _)) = &self.theirs else { return Vec::new() };
        let saved = form_of(theirs, self.layout.locale.zone);
        let names = ["title", "tags"].iter().chain(&DETAILS);
        let other = names.filter(|name| saved.value(name) != self.form.value(name));
        other.map(|name| (label(name), saved.value(name).to_owned())).collect()
    }
}

page!(WritePage, form: Form);

/// A text as readers would see it, and what its author should know.
struct Preview {
    html: String,
    notice: Option<String>,
    unsafe_links: Vec<String>,
}

/// Fields that few authors use.
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

/// Only some may publish, now or later, or change what is published.
fn allow(state: &AppState, user: &CurrentUser, publishes: bool) -> Result<(), AppError> {
    if publishes && !user.may_publish(state.policy) { Err(PostError::MayNotPublish.into()) } else { Ok(()) }
}

/// What staff took down is not published, now or later, while that stands.
fn must_not_be_withheld(post: &Post) -> Result<(), AppError> {
    if post.head.withheld_by.is_some() { Err(PostError::Withheld.into()) } else { Ok(()) }
}

/// A picture of this site above a post is one's own, or was there before.
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

/// Whether a change sets another time to publish at.
fn is_moved(change: &NewPost, before: &Post, zone: Zone) -> bool {
    let Some(typed) = change.publish_at.and_then(|Optional(time)| time) else { return false };
    let typed = typed.in_zone(zone).ok().map(|time| zone.in_form(&time));
    typed != before.head.publish_at.map(|time| zone.in_form(&time))
}

/// A post that is to be published later is a draft until then. Its time is exact afterwards.
async fn scheduled(state: &AppState, zone: Zone, change: NewPost, before: Option<&Post>) -> Result<NewPost, AppError> {
    let Some(typed) = change.publish_at.and_then(|Optional(time)| time) else { return Ok(change) };
    let time = typed.in_zone(zone).map_err(|problem| AppError::field("publish_at", problem))?;
    let exactly = Some(Optional(Some(PublishAt::Exactly(time))));
    let is_published = before.is_some_and(|post| !post.head.is_draft());
    let known = before.and_then(|post| post.head.publish_at);
    if known.is_some_and(|known| zone.in_form(&known) == zone.in_form(&time)) {
        // Its time may just have come.
        return Ok(NewPost { status: Some(Status::Draft), publish_at: exactly, ..change });
    }
    let problem = match PublishAt::problem(time, state.now().await?) {
        None if is_published => phrase!("invalid-published-already"),
        None => return Ok(NewPost { status: Some(Status::Draft), publish_at: exactly, ..change }),
        // It was published while it was being changed.
        Some(_) if is_published => return Ok(NewPost { publish_at: exactly, ..change }),
        Some(problem) => problem,
    };
    Err(AppError::field("publish_at", problem))
}

/// Tells of a time that cannot be with what else is wrong.
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

/// Whoever is not signed in has to sign in first. A browser with scripts keeps what was typed; without them it would be
/// lost on the way, so that its form is shown again.
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

/// Where a post that was just published is for everybody.
fn link(state: &AppState, post: &Post) -> Option<Link> {
    let path = post.head.path();
    let text = phrase!("verbatim", text = format!("{}{path}", state.settings.public_url));
    (!post.head.is_draft()).then_some(Link { path, text })
}

/// What was done: published, or something that only its author sees.
fn done(post: &Post, otherwise: Phrase) -> Phrase {
    match post.head.publish_at {
        _ if !post.head.is_draft() => phrase!("done-published"),
        Some(time) => phrase!("done-scheduled", done = otherwise, time = i18n::Value::Minute(time)),
        None => otherwise,
    }
}

/// The message after a post is saved, with what its author should know about it.
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
    // A valid change of a post that is not there, or that they may not change, is refused here. With an invalid change,
    // the author is told what is wrong with it.
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
            // If the author saves again, that replaces the version that is shown beside it, and nothing newer.
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
    // It could not be read before; now the reason is told.
    let post = match post {
        Some(post) => post,
        None => queries::post_to_change(&state.pool, id, user).await?,
    };
    check_cover(state, user, &change, post.cover.as_deref()).await?;
    // A time that is left as it is says nothing: whoever may not publish keeps a draft.
    let is_asked = change.status == Some(Status::Published) || is_moved(&change, &post, locale.zone);
    allow(state, user, is_asked || !post.head.is_draft())?;
    if is_asked {
        must_not_be_withheld(&post)?;
    }
    let change = scheduled(state, locale.zone, change, Some(&post)).await?;
    let simplified = changes::update(state, renderer, user, &post, &change).await?;
    find_saved(state, id, user, simplified, locale).await
}

/// A post as it was just saved, with what was left out when it was rendered.
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

/// The post that `?post=` names.
fn named(query: &Query) -> Result<Option<PostId>, AppError> {
    Ok(query.get("post")?.and_then(|id| PostId::from_text(&id).ok()))
}

/// The post that a form is for, if this user may see it, and whether it is published.
async fn edited(state: &AppState, id: Option<PostId>, user: &CurrentUser) -> (Option<PostId>, bool) {
    let post = match id {
        Some(id) => queries::post(&state.pool, id, Some(user)).await.ok(),
        None => None,
    };
    (post.as_ref().map(|post| post.head.id), post.is_some_and(|post| !post.head.is_draft()))
}
