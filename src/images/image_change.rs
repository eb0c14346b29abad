//! Form field for an image of its own, such as an avatar or a logo: a file, or the path of an uploaded image.

use evenkeel_image_encoding::CropMode;
use evenkeel_markdown::image_name::ImageName;
use schemars::{Schema, json_schema};
use serde_json::Value;

use super::image_library::ImageLibrary;
use crate::i18n::Phrase;
use crate::phrase;
use crate::web::error::AppError;
use crate::web::request::current_user::UserId;
use crate::web::request::form_field::{Field, OptionalField};
use crate::web::request::upload::UploadedFile;

#[derive(Debug, Default)]
pub enum ImageChange {
    /// The submitted form contains no file, so the image is not changed.
    #[default]
    Unchanged,
    Removed,
    OwnImage(ImageName),
    Uploaded(UploadedFile),
}

impl Field for ImageChange {
    fn from_text(text: &str) -> Result<Self, Phrase> {
        if text.trim().is_empty() {
            return Ok(Self::Removed);
        }
        let own = ImageName::from_path(text.trim()).map(Self::OwnImage);
        own.ok_or_else(|| phrase!("invalid-avatar"))
    }

    fn from_json(value: &Value) -> Result<Self, Phrase> {
        match value {
            Value::Null => Ok(Self::Removed),
            value => value.as_str().ok_or_else(|| phrase!("invalid-not-a-string")).and_then(Self::from_text),
        }
    }

    fn from_file(file: UploadedFile) -> Result<Self, Phrase> {
        if file.bytes.is_empty() { Ok(Self::Unchanged) } else { UploadedFile::from_file(file).map(Self::Uploaded) }
    }

    fn schema() -> Schema {
        json_schema!({ "type": ["string", "null"], "description": "File, or path of an own image; empty or `null` removes the image" })
    }
}

impl ImageChange {
    /// Stores an uploaded file. Returns the new image, or `None` if the image does not change. Does not check whether the
    /// user owns the image. Errors are about the form field `field`.
    pub async fn store(
        self,
        library: &ImageLibrary,
        user: UserId,
        field: &str,
        crop: CropMode,
    ) -> Result<Option<OptionalField<ImageName>>, AppError> {
        match self {
            Self::Unchanged => Ok(None),
            Self::Removed => Ok(Some(OptionalField(None))),
            Self::OwnImage(name) => Ok(Some(OptionalField(Some(name)))),
            Self::Uploaded(upload) => match library.add(user, upload, "", crop).await {
                Ok(added) => Ok(Some(OptionalField(Some(added.image.name)))),
                Err(AppError::Invalid(errors)) => {
                    Err(AppError::Invalid(errors.into_values().map(|messages| (field.to_owned(), messages)).collect()))
                }
                Err(error) => Err(error),
            },
        }
    }
}
