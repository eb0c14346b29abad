//! Preview and image upload in the post editor.

use actix_web::http::header::CACHE_CONTROL;
use actix_web::{Either, HttpResponse, web};
use evenkeel_image_encoding::CropMode;
use schemars::JsonSchema;
use serde::Serialize;

use super::input::{EditorImageUpload, ImagePosition, PreviewInput};
use super::page::{EditorPage, Preview};
use super::{find_edited, post_id_from_query};
use crate::blog_posts::models::{self, PostId};
use crate::blog_posts::urls;
use crate::images::views::{AltText, ImageUpload};
use crate::phrase;
use crate::state::AppState;
use crate::web::error::AppError;
use crate::web::request::body::Payload;
use crate::web::request::current_user::CurrentUser;
use crate::web::request::format::ResponseFormat;
use crate::web::request::query::Query;
use crate::web::response::form::Form;
use crate::web::response::layout::Layout;
use crate::web::response::view::PageResponse;
use crate::web::state::CoreState;

/// Renders a text: as JSON for scripts, or in the editor page for browsers without scripts.
pub async fn preview(
    payload: Payload<PreviewInput>,
    user: Option<CurrentUser>,
    layout: Layout,
    format: ResponseFormat,
    query: Query,
    state: web::Data<AppState>,
) -> Result<Either<PageResponse<EditorPage>, HttpResponse>, AppError> {
    let id = post_id_from_query(&query)?;
    let Some(user) = user else {
        // Redirects back to the form after signing in, because the browser has autosaved the text.
        return Err(AppError::NotSignedIn {
            next: Some(id.map_or_else(|| urls::CREATE_POST.pattern.to_owned(), |id| urls::EDIT_POST.path_for(id))),
        });
    };
    let (draft, typed) = payload.into_parts();
    let text = match draft {
        Ok(PreviewInput { content }) => {
            state.renderer.render_preview(user.id.into(), &content, None).await.map(|(text, checked_links)| Preview {
                notice: models::author_notice(text.simplified, &checked_links.flagged, layout.locale),
                html: text.html,
                unsafe_links: checked_links.flagged,
            })
        }
        Err(error) => Err(error),
    };
    if format == ResponseFormat::Json {
        let Preview { html, notice, unsafe_links } = text?;
        let data = PreviewData { content_html: html, unsafe_links, notice };
        return Ok(Either::Right(HttpResponse::Ok().insert_header((CACHE_CONTROL, "no-store")).json(data)));
    }
    let (id, published) = find_edited(&state, id, &user).await;
    Ok(Either::Left(match text {
        Ok(text) => {
            let mut page = page(&state, layout, Form::with_values(typed), id, published).await;
            page.preview = Some(text);
            PageResponse::new(page)
        }
        Err(error) => {
            let page = page(&state, layout, Form::rejected(typed, &error), id, published).await;
            PageResponse::invalid_form_response(page, error)
        }
    }))
}

/// Adds an image to the editor form, for browsers without scripts. The post itself is not saved.
pub async fn add_image(
    payload: Payload<EditorImageUpload>,
    user: CurrentUser,
    layout: Layout,
    query: Query,
    state: web::Data<AppState>,
) -> Result<PageResponse<EditorPage>, AppError> {
    let (id, published) = find_edited(&state, post_id_from_query(&query)?, &user).await;
    let (sent, typed) = payload.into_parts();
    let added = match sent {
        Ok(EditorImageUpload { image: ImageUpload { upload, alt: AltText(alt) }, position: spot }) => {
            state.images.add(user.id, upload, &alt, CropMode::Whole).await.map(|added| (added, spot))
        }
        Err(error) => Err(error),
    };
    let (added, spot) = match added {
        Ok(added) => added,
        Err(error) => {
            let page = page(&state, layout, Form::rejected(typed, &error), id, published).await;
            return Ok(PageResponse::invalid_form_response(page, error));
        }
    };
    let mut form = Form::with_values(typed);
    form.set("alt", String::new());
    let notice = added.lost_animation_warning();
    let message = match spot {
        ImagePosition::Text => {
            let text = format!("{}\n\n{}\n", form.value("content").trim_end(), added.image.markdown);
            form.set("content", text.trim_start_matches('\n').to_owned());
            phrase!("done-image-in-text")
        }
        ImagePosition::Cover => {
            form.set("cover", added.image.url);
            phrase!("done-image-is-cover")
        }
    };
    let added = [Some(message), notice, Some(phrase!("done-image-post-unsaved"))].into_iter().flatten().collect();
    Ok(PageResponse::new(EditorPage { image_messages: added, ..page(&state, layout, form, id, published).await }))
}

async fn page(state: &CoreState, layout: Layout, form: Form, id: Option<PostId>, published: bool) -> EditorPage {
    EditorPage::new(layout, form, id, published).with_own_images(state).await
}

/// Rendered text.
#[derive(Debug, JsonSchema, Serialize)]
pub struct PreviewData {
    content_html: String,
    /// URLs in the text that Safe Browsing has flagged.
    unsafe_links: Vec<String>,
    /// Hint about the text for its author.
    #[serde(skip_serializing_if = "Option::is_none")]
    notice: Option<String>,
}
