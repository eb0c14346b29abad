//! Editor page: form, choice of a cover, and comparison of the texts after an edit conflict.

use std::collections::BTreeMap;

use askama::Template;
use evenkeel_markdown::image_name::ImageName;
use schemars::JsonSchema;
use serde::Serialize;

use super::diff::DiffLine;
use super::input::Tags;
use crate::blog_posts::models::{Post, PostId};
use crate::blog_posts::sidebar::list_frequent_tags;
use crate::blog_posts::urls;
use crate::i18n::{DisplayTimeZone, Phrase, filters};
use crate::images::models::latest_images;
use crate::web::request::current_user::CurrentUser;
use crate::web::request::form_field::Field as _;
use crate::web::response::form::{Form, label};
use crate::web::response::layout::Layout;
use crate::web::state::CoreState;
use crate::{page, phrase};

pub const OPTIONAL_FIELDS: &[&str] =
    &["publish_at", "slug", "excerpt", "cover", "language", "is_page", "accepts_ratings"];
/// Maximum number of the user's images that the form offers as covers.
const OWN_IMAGES: i64 = 12;
/// Maximum number of frequent tags that the form suggests.
const MAX_FREQUENT_TAGS: i64 = 30;

#[derive(Template)]
#[template(path = "blog_posts/form.html")]
pub struct EditorPage {
    pub(super) layout: Layout,
    pub(super) form: Form,
    pub(super) id: Option<PostId>,
    pub(super) published: bool,
    pub(super) preview: Option<PreviewData>,
    pub(super) unsafe_links: Vec<String>,
    pub(super) image_messages: Vec<Phrase>,
    pub(super) own_images: Vec<ImageName>,
    pub(super) frequent_tags: Vec<String>,
    /// True for drafts that the browser saves while their author writes.
    pub(super) is_autosaved: bool,
    /// Saved post, and the diff between its text and the submitted text.
    pub(super) conflict: Option<(Post, Vec<DiffLine>)>,
}

impl EditorPage {
    /// `post` is `None` for a new post, and if the post could not be read. If the images of the user or the frequent tags
    /// cannot be read, the form offers none.
    pub(super) async fn load(
        state: &CoreState,
        layout: Layout,
        form: Form,
        id: Option<PostId>,
        post: Option<&Post>,
    ) -> Self {
        let own_images = match &layout.user {
            Some(user) => latest_images(&state.pool, user.id, OWN_IMAGES).await.unwrap_or_default(),
            None => Vec::new(),
        };
        let frequent_tags = list_frequent_tags(&state.pool, layout.locale.language, MAX_FREQUENT_TAGS).await;
        Self {
            is_autosaved: layout.user.as_ref().is_some_and(|user| match post {
                Some(post) => is_autosaved(post, user),
                None => id.is_none(),
            }),
            layout,
            form,
            id,
            published: post.is_some_and(|post| !post.head.is_draft()),
            preview: None,
            unsafe_links: post.and_then(|post| post.unsafe_links.clone()).unwrap_or_default(),
            image_messages: Vec::new(),
            own_images,
            frequent_tags: frequent_tags.map(|frequent| frequent.tags).unwrap_or_default(),
            conflict: None,
        }
    }

    fn markdown_examples() -> [(&'static str, Phrase); 11] {
        [
            ("**bold**", phrase!("script-bold")),
            ("*italic*", phrase!("script-italic")),
            ("## heading", phrase!("script-heading")),
            ("[text](https://example.org)", phrase!("script-link")),
            ("- item", phrase!("script-list")),
            ("1. item", phrase!("script-numbered-list")),
            ("> quote", phrase!("script-quote")),
            ("`code`", phrase!("script-code")),
            ("| a | b |\n|---|---|\n| 1 | 2 |", phrase!("script-table")),
            ("![text](/images/… \"caption\")", phrase!("markdown-caption")),
            ("text[^1]\n\n[^1]: note", phrase!("markdown-footnote")),
        ]
    }

    /// Images that can be chosen as the cover: path or URL and, if uploaded to this site, name.
    fn covers(&self) -> Vec<(String, Option<&ImageName>)> {
        let selected = self.form.value("cover");
        let own = self.own_images.iter().map(|name| (name.path(), Some(name)));
        let is_own = self.own_images.iter().any(|name| name.path() == selected);
        let other = (!selected.is_empty() && !is_own).then(|| (selected.to_owned(), None));
        other.into_iter().chain(own).collect()
    }

    fn publish_zone(&self) -> &'static str {
        let submitted = self.form.value("publish_zone").parse::<DisplayTimeZone>();
        submitted.unwrap_or(self.layout.locale.zone).name()
    }

    fn heading(&self) -> Phrase {
        match (self.id, self.published) {
            (None, _) if self.form.value("is_page") == "true" => phrase!("write-page"),
            (Some(_), _) if self.form.value("is_page") == "true" => phrase!("write-edit-page"),
            (None, _) => phrase!("write-title"),
            (Some(_), true) => phrase!("write-edit-post"),
            (Some(_), false) => phrase!("write-edit-draft"),
        }
    }

    fn may_create_page(&self) -> bool {
        self.form.value("is_page") == "true" || self.layout.user.as_ref().is_some_and(CurrentUser::is_staff)
    }

    /// Key of the autosaved text in the browser's local storage, unique for each user and post.
    fn storage_key(&self) -> String {
        let user = self.layout.user.as_ref().map_or(0, |user| user.id.0);
        format!("{user}:{}", self.id.map_or_else(|| "new".to_owned(), |id| id.to_string()))
    }

    fn image_upload_url(&self) -> String {
        let query = self.id.map(|id| format!("?post={id}")).unwrap_or_default();
        format!("{}{query}#pictures", urls::ADD_IMAGE.pattern)
    }

    fn has_image_message(&self) -> bool {
        !self.image_messages.is_empty() || ["image", "alt"].iter().any(|name| !self.form.field_errors(name).is_empty())
    }

    /// Fields other than the text that differ after an edit conflict: label, saved value and submitted value.
    fn conflicting_fields(&self) -> Vec<(Phrase, String, String)> {
        let Some((theirs, _)) = &self.conflict else { return Vec::new() };
        let saved = form_for(theirs, self.layout.locale.zone);
        let names = ["title", "tags"].iter().chain(OPTIONAL_FIELDS);
        // The forms of users who are not staff have no field for the kind.
        let is_submitted = |name: &str| name != "is_page" || !self.form.value(name).is_empty();
        let other = names.filter(|name| is_submitted(name) && saved.value(name) != self.form.value(name));
        other.map(|name| (label(name), saved.value(name).to_owned(), self.form.value(name).to_owned())).collect()
    }
}

/// Preview of a text, rendered as HTML.
#[derive(Debug, JsonSchema, Serialize)]
pub struct PreviewData {
    pub(super) content_html: String,
    /// URLs in the text that Safe Browsing has flagged.
    pub(super) unsafe_links: Vec<String>,
    /// Hint about the text for its author.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) notice: Option<String>,
}

page!(EditorPage, form: Form);

/// A scheduled draft could be published half-written, and saving a submitted draft withdraws it, so both are saved by
/// buttons only.
fn is_autosaved(post: &Post, user: &CurrentUser) -> bool {
    let head = &post.head;
    head.is_draft() && head.author.id == user.id && head.publish_at.is_none() && head.submitted_at.is_none()
}

/// True if the saved post has all submitted values, as after a double click on the button.
pub(super) fn has_values(post: &Post, submitted: &BTreeMap<String, String>, zone: DisplayTimeZone) -> bool {
    let zone = submitted.get("publish_zone").and_then(|zone| zone.parse().ok()).unwrap_or(zone);
    let saved = form_for(post, zone);
    submitted.iter().all(|(name, value)| match name.as_str() {
        "version" | "scripts" | "image" | "publish_zone" => true,
        "status" => (value == "draft") == post.head.is_draft(),
        "tags" => Tags::from_text(value).is_ok_and(|Tags(tags)| tags == post.head.tags),
        name => value.trim() == saved.value(name).trim(),
    })
}

pub(super) fn form_for(post: &Post, zone: DisplayTimeZone) -> Form {
    let (tags, version) = (post.head.tags.join(", "), post.version.to_string());
    let publish_at = post.head.publish_at.as_ref().map(|time| zone.format_datetime_local(time));
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    Form::prefilled(&[
        ("title", &post.head.title),
        ("tags", &tags),
        ("content", &post.content),
        ("publish_at", &publish_at.unwrap_or_default()),
        ("slug", &text(&post.own_slug)),
        ("excerpt", &text(&post.own_excerpt)),
        ("cover", &text(&post.cover)),
        ("language", &text(&post.own_language)),
        ("is_page", if post.head.is_page { "true" } else { "false" }),
        ("accepts_ratings", if post.head.accepts_ratings { "true" } else { "false" }),
        ("version", &version),
    ])
}
