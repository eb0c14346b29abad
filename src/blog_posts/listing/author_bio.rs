//! Biography of an author, rendered for the author page.

use evenkeel_markdown::render_plain;
use schemars::JsonSchema;
use serde::Serialize;

use crate::blog_posts::rendering::Renderer;
use crate::users::models::Profile;
use crate::web::permits::Requester;

/// Public profile of an author, in which warnings replace flagged URLs.
#[derive(Debug, Default, JsonSchema, Serialize)]
pub struct AuthorBio {
    pub display_name: Option<String>,
    pub about: Option<String>,
    pub about_html: Option<String>,
    pub link: Option<String>,
    /// Path of the avatar image.
    pub avatar: Option<String>,
}

impl AuthorBio {
    pub async fn render(profile: Profile, renderer: &Renderer, requester: Requester) -> Self {
        let Profile { display_name, about, link, avatar, .. } = profile;
        if about.is_none() && link.is_none() {
            return Self { display_name, avatar, ..Self::default() };
        }
        let text = about.clone().unwrap_or_default();
        let Ok((html, checked_links)) = renderer.render_preview(requester, &text, link.as_deref()).await else {
            // If the renderer is overloaded, shows the biography as plain text, without the profile link.
            return Self { display_name, avatar, about_html: about.as_deref().map(render_plain), ..Self::default() };
        };
        Self {
            display_name,
            avatar,
            about_html: about.is_some().then_some(html.html),
            about: about.map(|about| html.masked.unwrap_or(about)),
            link: link.filter(|link| !checked_links.flagged.contains(link)),
        }
    }
}
