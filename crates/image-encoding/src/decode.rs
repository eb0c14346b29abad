//! Decodes images to sRGB pixels with eight bits per channel.

use std::io::Cursor;

use evenkeel_markdown::image_name::MAX_SIDE_PIXELS;
use image::codecs::jpeg::JpegDecoder;
use image::codecs::png::PngDecoder;
use image::codecs::webp::WebPDecoder;
use image::metadata::Orientation;
use image::{DynamicImage, ImageDecoder, Limits};

use super::decoded_image::{DecodedImage, to_srgb};
use super::error::ImageProblem;
use super::file_type::SourceFormat;
use crate::limits::MAX_PIXELS;

/// Decodes a still image, or the first frame of an animated image.
pub fn decode(source: SourceFormat, bytes: &[u8]) -> Result<DecodedImage, ImageProblem> {
    let cursor = Cursor::new(bytes);
    match source {
        // Decodes only the first frame. Animated GIFs are re-encoded by the module `animation` instead.
        SourceFormat::Gif => read(image::codecs::gif::GifDecoder::new(cursor).map_err(damaged)?, false, false),
        SourceFormat::Jpeg => read(JpegDecoder::new(cursor).map_err(damaged)?, true, false),
        SourceFormat::Png => {
            let decoder = PngDecoder::with_limits(cursor, limits()).map_err(damaged)?;
            let has_more = decoder.is_apng().map_err(damaged)?;
            read(decoder, false, has_more)
        }
        SourceFormat::WebP => {
            let decoder = WebPDecoder::new(cursor).map_err(damaged)?;
            let has_more = decoder.has_animation();
            read(decoder, !bytes.windows(4).take(4_096).any(|window| window == b"VP8L"), has_more)
        }
    }
}

fn damaged<E>(_: E) -> ImageProblem {
    ImageProblem::Damaged
}

/// Memory limit of a decoder, which does not include the decoded pixels.
fn limits() -> Limits {
    let mut limits = Limits::no_limits();
    limits.max_alloc = Some(256 << 20);
    limits
}

fn read(mut decoder: impl ImageDecoder, is_lossy: bool, has_more: bool) -> Result<DecodedImage, ImageProblem> {
    let (width, height) = decoder.dimensions();
    if u64::from(width) * u64::from(height) > MAX_PIXELS || width.max(height) > MAX_SIDE_PIXELS {
        return Err(ImageProblem::TooLarge { width, height });
    }
    decoder.set_limits(limits()).map_err(damaged)?;
    let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
    let profile = decoder.icc_profile().ok().flatten();
    let pixels = eight_bits(DynamicImage::from_decoder(decoder).map_err(damaged)?);
    let pixels = profile.and_then(|profile| to_srgb(&pixels, &profile)).unwrap_or(pixels);
    Ok(DecodedImage { pixels, orientation, is_lossy, has_more_frames: has_more })
}

/// Converts an image to RGB or, if it has transparent pixels, to RGBA.
fn eight_bits(pixels: DynamicImage) -> DynamicImage {
    if !pixels.color().has_alpha() {
        return pixels.into_rgb8().into();
    }
    let pixels = pixels.into_rgba8();
    let is_opaque = pixels.pixels().all(|pixel| pixel.0[3] == u8::MAX);
    if is_opaque { DynamicImage::from(pixels).into_rgb8().into() } else { pixels.into() }
}
