//! The pixels of a picture, and their colours.

use image::DynamicImage;
use image::metadata::Orientation;
use moxcms::{ColorProfile, DataColorSpace, Layout, TransformOptions};

/// A picture as it was sent.
#[derive(Clone, Debug)]
pub struct Decoded {
    /// Three or four bytes each.
    pub pixels: DynamicImage,
    /// How it has to be turned to stand upright.
    pub orientation: Orientation,
    /// Whether it was compressed in a way that has changed its pixels.
    pub is_lossy: bool,
    /// Whether it has more frames than the one that was read.
    pub has_more: bool,
}

/// In the colours of the web: the picture's own profile is not kept. None where it has none that can be read, or has these
/// colours already.
pub fn in_srgb(pixels: &DynamicImage, profile: &[u8]) -> Option<DynamicImage> {
    let profile = ColorProfile::new_from_slice(profile).ok().filter(|own| own.color_space == DataColorSpace::Rgb)?;
    from_profile(pixels, &profile)
}

pub fn from_profile(pixels: &DynamicImage, profile: &ColorProfile) -> Option<DynamicImage> {
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
