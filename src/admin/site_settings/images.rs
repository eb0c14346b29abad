//! Uploaded logo and icon of the site.

use evenkeel_image_encoding::CropMode;
use evenkeel_markdown::image_name::ImageName;
use sqlx::PgConnection;

use super::input::SettingsInput;
use crate::images::models::{ImageUse, is_owned_by, save_image_uses};
use crate::phrase;
use crate::site::IMAGES;
use crate::state::AppState;
use crate::web::error::AppError;
use crate::web::request::current_user::{CurrentUser, UserId};
use crate::web::request::form_field::OptionalField;

/// Stores uploaded files, and adds their paths to the changes.
pub async fn store_images(
    state: &AppState,
    user: &CurrentUser,
    input: SettingsInput,
) -> Result<SettingsInput, AppError> {
    let mut input = input;
    let (logo, icon) = (std::mem::take(&mut input.logo), std::mem::take(&mut input.icon));
    for (name, field, change, crop) in
        [("SITE_LOGO", "site_logo", logo, CropMode::Whole), ("SITE_ICON", "site_icon", icon, CropMode::Square)]
    {
        let image = change.store(&state.images, user.id, field, crop).await?;
        input.changes.extend(image.map(|OptionalField(image)| (name, image.map(|image| image.path()))));
    }
    Ok(input)
}

/// Records the use of an image by a setting, so that the image is not deleted.
pub async fn save_image(
    connection: &mut PgConnection,
    user: UserId,
    setting: &'static str,
    value: Option<&str>,
) -> Result<(), AppError> {
    if !IMAGES.contains(&setting) {
        return Ok(());
    }
    let image = value.and_then(ImageName::from_path);
    let names: Vec<String> = image.iter().map(ToString::to_string).collect();
    save_image_uses(connection, ImageUse::Setting(setting), Some(user), &names).await?;
    match image {
        Some(image) if !is_owned_by(connection, user, &image).await? => {
            let field = setting.to_ascii_lowercase();
            Err(AppError::invalid_field(&field, phrase!("invalid-no-such-image")))
        }
        _ => Ok(()),
    }
}
