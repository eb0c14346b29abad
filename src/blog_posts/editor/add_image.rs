//! Add an image to a text in the editor, for browsers without scripts.

use actix_web::web;
use evenkeel_image_encoding::CropMode;
use schemars::{Schema, json_schema};

use super::input::PostInput;
use super::page::EditorPage;
use super::preview::{find_edited_post, post_id_from_query};
use crate::i18n::Phrase;
use crate::images::views::{AltText, ImageUpload};
use crate::phrase;
use crate::state::AppState;
use crate::web::error::AppError;
use crate::web::request::body::Payload;
use crate::web::request::current_user::CurrentUser;
use crate::web::request::form_field::{Field, Fields, FormInput};
use crate::web::request::query::Query;
use crate::web::response::form::Form;
use crate::web::response::layout::Layout;
use crate::web::response::view::PageResponse;

#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::EnumString)]
#[strum(serialize_all = "snake_case")]
pub enum ImagePosition {
    /// Adds the image to the end of the text.
    Text,
    Cover,
}

impl Field for ImagePosition {
    fn from_text(text: &str) -> Result<Self, Phrase> {
        text.parse().map_err(|_| phrase!("invalid-spot"))
    }

    fn schema() -> Schema {
        json_schema!({ "type": "string", "enum": ["text", "cover"] })
    }
}

#[derive(Debug)]
pub struct EditorImageUpload {
    pub image: ImageUpload,
    pub position: ImagePosition,
}

impl FormInput for EditorImageUpload {
    const MAX_BYTES: usize = PostInput::MAX_BYTES;
    const HAS_FILE: bool = true;

    /// Does not parse the fields of the post: `add_image` fills the form of the editor with the submitted values.
    fn read(fields: &mut Fields) -> Option<Self> {
        let (image, spot) = (ImageUpload::from_fields(fields), fields.take_optional("spot"));
        fields.ignore_remaining_fields();
        Some(Self { image: image?, position: spot?.unwrap_or(ImagePosition::Text) })
    }
}

/// Stores an uploaded image and adds it to the form of the editor, without saving the post.
pub async fn add_image(
    payload: Payload<EditorImageUpload>,
    user: CurrentUser,
    layout: Layout,
    query: Query,
    state: web::Data<AppState>,
) -> Result<PageResponse<EditorPage>, AppError> {
    let post = find_edited_post(&state, post_id_from_query(&query)?, &user).await;
    let (id, post) = (post.as_ref().map(|post| post.head.id), post.as_ref());
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
            let page = EditorPage::load(&state, layout, Form::rejected(typed, &error), id, post).await;
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
    Ok(PageResponse::new(EditorPage {
        image_messages: added,
        ..EditorPage::load(&state, layout, form, id, post).await
    }))
}
