//! Decoded pixels and conversion of their color profile.

use image::DynamicImage;
use image::metadata::Orientation;
use moxcms::{ColorProfile, DataColorSpace, Layout, TransformOptions};

#[derive(Clone, Debug)]
pub struct DecodedImage {
    /// RGB or RGBA pixels with eight bits per channel.
    pub pixels: DynamicImage,
    /// EXIF orientation that has not been applied to the pixels yet.
    pub orientation: Orientation,
    /// True if the source file uses lossy compression.
    pub is_lossy: bool,
    /// True if the source has further frames, which were not decoded.
    pub has_more_frames: bool,
}

/// Converts pixels to sRGB. Returns `None` if the ICC profile cannot be read or is not for RGB.
pub fn to_srgb(pixels: &DynamicImage, profile: &[u8]) -> Option<DynamicImage> {
    let profile = ColorProfile::new_from_slice(profile).ok().filter(|own| own.color_space == DataColorSpace::Rgb)?;
    convert_icc_to_srgb(pixels, &profile)
}

pub fn convert_icc_to_srgb(pixels: &DynamicImage, profile: &ColorProfile) -> Option<DynamicImage> {
    let layout = if pixels.color().has_alpha() { Layout::Rgba } else { Layout::Rgb };
    let transform =
        profile.create_transform_8bit(layout, &ColorProfile::new_srgb(), layout, TransformOptions::default());
    let mut changed = pixels.clone();
    let to: &mut [u8] = match &mut changed {
        DynamicImage::ImageRgb8(pixels) => pixels,
        DynamicImage::ImageRgba8(pixels) => pixels,
        _ => return None,
    };
    transform.ok()?.transform(pixels.as_bytes(), to).ok()?;
    Some(changed)
}
