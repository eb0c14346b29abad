//! Views for the user's images, and for image files.

use actix_web::body::SizedStream;
use actix_web::http::StatusCode;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, EntityTag};
use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use evenkeel_image_encoding::CropMode;
use evenkeel_markdown::image_name::{ImageFile, ImageName};
use schemars::{Schema, json_schema};

use super::models::{self, StorageUsage, UserImage, UserImages};
use super::urls;
use crate::i18n::{Phrase, filters};
use crate::state::AppState;
use crate::text::to_single_line;
use crate::web::error::AppError;
use crate::web::request::body::{NoInput, Payload};
use crate::web::request::current_user::CurrentUser;
use crate::web::request::form_field::{Field, Fields, FormInput, limit_chars};
use crate::web::request::query::Query;
use crate::web::request::upload::UploadedFile;
use crate::web::response::form::Form;
use crate::web::response::layout::Layout;
use crate::web::response::pagination::Pager;
use crate::web::response::view::{ActionResult, EmptyResult, FormResponse, PageResponse, handle_form, matches_etag};
use crate::{page, phrase};

#[derive(Template)]
#[template(path = "images/own.html")]
pub struct UserImagesPage {
    layout: Layout,
    form: Form,
    data: UserImages,
}

page!(UserImagesPage, data: UserImages, list data.slice);

#[derive(Clone, Debug, Default)]
pub struct AltText(pub String);

impl Field for AltText {
    fn from_text(text: &str) -> Result<Self, Phrase> {
        limit_chars(to_single_line(text).trim().to_owned(), 300).map(Self)
    }

    fn schema() -> Schema {
        json_schema!({ "type": "string", "maxLength": 300, "description": "Description of the image for people who cannot see it" })
    }
}

#[derive(Debug)]
pub struct ImageUpload {
    pub upload: UploadedFile,
    pub alt: AltText,
}

impl ImageUpload {
    pub fn from_fields(fields: &mut Fields) -> Option<Self> {
        let (upload, alt) = (fields.take("image"), fields.take_optional("alt"));
        Some(Self { upload: upload?, alt: alt?.unwrap_or_default() })
    }
}

impl FormInput for ImageUpload {
    const HAS_FILE: bool = true;

    fn read(fields: &mut Fields) -> Option<Self> {
        Self::from_fields(fields)
    }
}

async fn own(state: &AppState, user: &CurrentUser, pager: &Pager<'_>) -> Result<UserImages, AppError> {
    let slice = models::list_user_images(&state.pool, user.id, pager).await?;
    let StorageUsage { bytes, .. } = models::storage_usage(&mut *state.pool.acquire().await?, user.id).await?;
    Ok(UserImages { slice, used_bytes: bytes, quota_bytes: state.images.quota_bytes() })
}

pub async fn list(
    user: CurrentUser,
    layout: Layout,
    query: Query,
    state: web::Data<AppState>,
) -> Result<PageResponse<UserImagesPage>, AppError> {
    let pager = Pager::new(urls::IMAGE_LIST.pattern, &query, &state.keys, models::PAGE_SIZE)?;
    let data = own(&state, &user, &pager).await?;
    Ok(PageResponse::new(UserImagesPage { layout, form: Form::default(), data }))
}

pub async fn add(
    payload: Payload<ImageUpload>,
    user: CurrentUser,
    layout: Layout,
    state: web::Data<AppState>,
) -> Result<FormResponse<UserImage, UserImagesPage, 201>, AppError> {
    let act = async |ImageUpload { upload, alt: AltText(alt) }| {
        let added = state.images.add(user.id, upload, &alt, CropMode::Whole).await?;
        let (path, notice) = (added.image.url.clone(), added.lost_animation_warning());
        let done = phrase!("done-image-added");
        let message = match notice {
            Some(notice) => phrase!("done-with-notice", done = done, notice = notice),
            None => done,
        };
        Ok(ActionResult::new(added.image, urls::IMAGE_LIST.pattern).with_resource_path(path).with_message(message))
    };
    let page = async |form: Form, _: &AppError| {
        let pager = Pager::new(urls::IMAGE_LIST.pattern, &Query::default(), &state.keys, models::PAGE_SIZE).ok()?;
        let data = own(&state, &user, &pager).await.ok()?;
        Some(UserImagesPage { layout, form, data })
    };
    handle_form(payload, act, page).await
}

pub async fn delete(
    _: NoInput,
    user: CurrentUser,
    name: web::Path<String>,
    state: web::Data<AppState>,
) -> Result<EmptyResult, AppError> {
    let name = ImageName::parse(&name).ok_or(AppError::NotFound)?;
    state.images.remove(user.id, name).await?;
    Ok(EmptyResult::no_content(urls::IMAGE_LIST.pattern).with_message(phrase!("done-image-deleted")))
}

/// Clients may cache the file for a year, because a file with a given name never changes.
pub async fn serve_file(
    name: web::Path<String>,
    request: HttpRequest,
    state: web::Data<AppState>,
) -> Result<HttpResponse, AppError> {
    let file = ImageFile::parse(&name).ok_or(AppError::NotFound)?;
    let tag = EntityTag::new_strong(file.to_string());
    let mut response = HttpResponse::Ok();
    // Allows pages of other origins to embed images, because web-based feed readers display posts with their images.
    response
        .insert_header(("cross-origin-resource-policy", "cross-origin"))
        .insert_header((CACHE_CONTROL, "public, max-age=31536000, immutable"))
        .insert_header((ETAG, tag.to_string()));
    if matches_etag(&request, &tag) {
        if !state.images.store.file_exists(&file).await? {
            return Err(AppError::NotFound);
        }
        return Ok(response.status(StatusCode::NOT_MODIFIED).finish());
    }
    let image = state.images.store.read_file(&file).await?.ok_or(AppError::NotFound)?;
    response.insert_header((CONTENT_TYPE, file.name.image_type.media_type()));
    Ok(response.body(SizedStream::new(image.bytes, image.content)))
}
