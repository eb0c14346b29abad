//! Preview a text in the editor.

use actix_web::http::header::CACHE_CONTROL;
use actix_web::{Either, HttpResponse, web};

use super::input::{Content, PostInput};
use super::page::{EditorPage, PreviewData};
use crate::blog_posts::models::{Post, PostId, find_stored_post};
use crate::blog_posts::rendering::author_notice;
use crate::blog_posts::urls;
use crate::state::AppState;
use crate::web::error::AppError;
use crate::web::request::body::Payload;
use crate::web::request::current_user::CurrentUser;
use crate::web::request::form_field::{Field as _, Fields, FormInput};
use crate::web::request::format::ResponseFormat;
use crate::web::request::query::Query;
use crate::web::response::form::Form;
use crate::web::response::layout::Layout;
use crate::web::response::view::PageResponse;
use crate::web::state::CoreState;

#[derive(Clone, Debug)]
pub struct PreviewInput {
    pub content: String,
}

impl FormInput for PreviewInput {
    const MAX_BYTES: usize = PostInput::MAX_BYTES;

    /// Ignores the other fields of the editor form, which the browser submits with the text.
    fn read(fields: &mut Fields) -> Option<Self> {
        let content = fields.take("content");
        fields.ignore_remaining_fields();
        content.map(|Content(content)| Self { content })
    }
}

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
            state.renderer.render_preview(user.id.into(), &content, None).await.map(|(text, links)| PreviewData {
                notice: author_notice(text.simplified, &links.flagged, layout.locale),
                content_html: text.html,
                unsafe_links: links.flagged,
            })
        }
        Err(error) => Err(error),
    };
    if format == ResponseFormat::Json {
        return Ok(Either::Right(HttpResponse::Ok().insert_header((CACHE_CONTROL, "no-store")).json(text?)));
    }
    let post = find_edited_post(&state, id, &user).await;
    let form = match &text {
        Ok(_) => Form::with_values(typed),
        Err(error) => Form::rejected(typed, error),
    };
    let page = EditorPage::load(&state, layout, form, post.as_ref().map(|post| post.head.id), post.as_ref()).await;
    Ok(Either::Left(match text {
        Ok(text) => PageResponse::new(EditorPage { preview: Some(text), ..page }),
        Err(error) => PageResponse::invalid_form_response(page, error),
    }))
}

pub(super) fn post_id_from_query(query: &Query) -> Result<Option<PostId>, AppError> {
    Ok(query.get_undocumented("post")?.and_then(|id| PostId::from_text(&id).ok()))
}

/// Returns `None` if the user cannot see the post.
pub(super) async fn find_edited_post(state: &CoreState, id: Option<PostId>, user: &CurrentUser) -> Option<Post> {
    find_stored_post(&state.pool, id?, Some(user)).await.ok()
}
