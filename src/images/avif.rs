//! Reads AVIF: a picture that is coded as one frame of AV1 in a file of boxes (ISO/IEC 23000-22).

use image::metadata::Orientation;
use image::{DynamicImage, GrayImage, RgbImage, RgbaImage};
use moxcms::ColorProfile;
use re_rav1d::dav1d::{Decoder, Error, Picture, PixelLayout, PlanarImageComponent, Settings};
use yuv::{YuvGrayImage, YuvPlanarImage, YuvRange, YuvStandardMatrix};
use zenavif_parse::{AvifParser, ColorInformation, DecodeConfig, ImageMirror, Unstoppable};

use super::limits::MAX_AVIF_PIXELS;
use super::pixels::{Decoded, from_profile, in_srgb};
use super::problem::Problem;

/// What the boxes may take.
const MAX_MEMORY: u64 = 64 << 20;

/// Colours as ITU-T H.273 numbers them: where nothing is said, those of sRGB.
struct Colours {
    primaries: u16,
    matrix: u16,
    is_full_range: bool,
}

/// Reads a picture of one frame, or the first one.
///
/// # Errors
/// Why it is not taken.
pub fn decode(bytes: &[u8]) -> Result<Decoded, Problem> {
    let config = DecodeConfig::default().with_peak_memory_limit(MAX_MEMORY).with_max_animation_frames(10_000);
    let file = AvifParser::from_bytes_with_config(bytes, &config, &Unstoppable).map_err(damaged)?;
    // Larger than any that is taken.
    if file.grid_config().is_some() {
        return Err(Problem::Damaged);
    }
    let size = file.primary_metadata().map_err(damaged)?;
    refuse_too_large(size.max_frame_width.get(), size.max_frame_height.get())?;
    let (colours, profile) = colours(&file);
    let frame = frame(file.primary_data().map_err(damaged)?.into_owned())?;
    let mut pixels = DynamicImage::from(in_rgb(&frame, &colours)?);
    drop(frame);
    if let Some(alpha) = file.alpha_data() {
        let alpha = self::frame(alpha.map_err(damaged)?.into_owned())?;
        pixels = with_alpha(&pixels.into_rgb8(), &alpha, file.premultiplied_alpha())?.into();
    }
    pixels = profile.and_then(|profile| in_srgb(&pixels, &profile)).unwrap_or(pixels);
    // Of the wider gamuts, cameras use this one.
    if colours.primaries == 12 {
        pixels = from_profile(&pixels, &ColorProfile::new_display_p3()).unwrap_or(pixels);
    }
    Ok(Decoded {
        pixels,
        orientation: orientation(&file),
        is_lossy: size.lossless != Some(true),
        has_more: file.animation_info().is_some(),
    })
}

fn damaged<E>(_: E) -> Problem {
    Problem::Damaged
}

fn refuse_too_large(width: u32, height: u32) -> Result<(), Problem> {
    if u64::from(width) * u64::from(height) > MAX_AVIF_PIXELS {
        return Err(Problem::TooLargeForAvif { width, height });
    }
    Ok(())
}

/// The colours that the file names, and its profile.
fn colours(file: &AvifParser) -> (Colours, Option<Vec<u8>>) {
    let usual = Colours { primaries: 1, matrix: 6, is_full_range: true };
    match file.color_info() {
        Some(ColorInformation::Nclx { color_primaries, matrix_coefficients, full_range, .. }) => {
            let colours =
                Colours { primaries: *color_primaries, matrix: *matrix_coefficients, is_full_range: *full_range };
            (colours, None)
        }
        Some(ColorInformation::IccProfile(profile)) => (usual, Some(profile.clone())),
        None => (usual, None),
    }
}

/// First it is turned, and then mirrored.
fn orientation(file: &AvifParser) -> Orientation {
    let angle = file.rotation().map_or(0, |rotation| rotation.angle);
    let mirror = file.mirror().map(|ImageMirror { axis }| *axis);
    // Against the clock in the file, with it here.
    match (angle, mirror) {
        (90, None) => Orientation::Rotate270,
        (180, None) => Orientation::Rotate180,
        (270, None) => Orientation::Rotate90,
        (90, Some(0)) | (270, Some(1..)) => Orientation::Rotate90FlipH,
        (90, Some(1..)) | (270, Some(0)) => Orientation::Rotate270FlipH,
        (180, Some(0)) | (0, Some(1..)) => Orientation::FlipHorizontal,
        (180, Some(_)) | (0, Some(0)) => Orientation::FlipVertical,
        _ => Orientation::NoTransforms,
    }
}

/// The first frame of AV1.
fn frame(data: Vec<u8>) -> Result<Picture, Problem> {
    let mut settings = Settings::new();
    settings.set_n_threads(1);
    settings.set_max_frame_delay(1);
    settings.set_frame_size_limit(u32::try_from(MAX_AVIF_PIXELS).unwrap_or(u32::MAX));
    let mut decoder = Decoder::with_settings(&settings).map_err(damaged)?;
    let mut sent = decoder.send_data(data, None, None, None);
    loop {
        match decoder.get_picture() {
            Ok(picture) => return Ok(picture),
            Err(Error::Again) if matches!(sent, Err(Error::Again)) => sent = decoder.send_pending_data(),
            Err(_) => return Err(Problem::Damaged),
        }
    }
}

/// A plane with eight bits for each value, and nothing between its rows.
fn plane(picture: &Picture, component: PlanarImageComponent) -> Result<Vec<u8>, Problem> {
    let is_halved =
        |layouts: &[PixelLayout]| component != PlanarImageComponent::Y && layouts.contains(&picture.pixel_layout());
    let half = |length: u32, is_halved: bool| if is_halved { length.div_ceil(2) } else { length } as usize;
    let width = half(picture.width(), is_halved(&[PixelLayout::I420, PixelLayout::I422]));
    let height = half(picture.height(), is_halved(&[PixelLayout::I420]));
    let bits = picture.bits_per_component().ok_or(Problem::Damaged)?.0;
    let (data, stride) = (picture.plane(component), picture.stride(component) as usize);
    let mut values = Vec::with_capacity(width * height);
    for row in data.chunks(stride).take(height) {
        if bits == 8 {
            values.extend_from_slice(row.get(..width).ok_or(Problem::Damaged)?);
        } else {
            let row = row.get(..2 * width).ok_or(Problem::Damaged)?;
            let value = |two: &[u8]| u16::from_ne_bytes([two[0], two[1]]) >> (bits - 8);
            values.extend(row.chunks_exact(2).map(|two| u8::try_from(value(two)).unwrap_or(u8::MAX)));
        }
    }
    if values.len() == width * height { Ok(values) } else { Err(Problem::Damaged) }
}

/// How values become colours.
struct Conversion {
    range: YuvRange,
    matrix: YuvStandardMatrix,
    /// Whether there is nothing to convert: the planes are green, blue and red.
    is_identity: bool,
}

impl From<&Colours> for Conversion {
    fn from(colours: &Colours) -> Self {
        let matrix = match colours.matrix {
            1 => YuvStandardMatrix::Bt709,
            7 => YuvStandardMatrix::Smpte240,
            9 | 10 => YuvStandardMatrix::Bt2020,
            _ => YuvStandardMatrix::Bt601,
        };
        let range = if colours.is_full_range { YuvRange::Full } else { YuvRange::Limited };
        Self { range, matrix, is_identity: colours.matrix == 0 }
    }
}

fn in_rgb(picture: &Picture, colours: &Colours) -> Result<RgbImage, Problem> {
    let (width, height) = (picture.width(), picture.height());
    refuse_too_large(width, height)?;
    let conversion = Conversion::from(colours);
    let luma = plane(picture, PlanarImageComponent::Y)?;
    let mut rgb = vec![0; luma.len() * 3];
    if picture.pixel_layout() == PixelLayout::I400 {
        let gray = YuvGrayImage { y_plane: &luma, y_stride: width, width, height };
        yuv::yuv400_to_rgb(&gray, &mut rgb, 3 * width, conversion.range, conversion.matrix).map_err(damaged)?;
    } else {
        convert(picture, &luma, &conversion, &mut rgb)?;
    }
    RgbImage::from_raw(width, height, rgb).ok_or(Problem::Damaged)
}

/// Three planes as colours.
fn convert(picture: &Picture, luma: &[u8], conversion: &Conversion, rgb: &mut [u8]) -> Result<(), Problem> {
    let (width, height, layout) = (picture.width(), picture.height(), picture.pixel_layout());
    let (u, v) = (plane(picture, PlanarImageComponent::U)?, plane(picture, PlanarImageComponent::V)?);
    if conversion.is_identity && layout == PixelLayout::I444 {
        for (pixel, ((g, b), r)) in rgb.chunks_exact_mut(3).zip(luma.iter().zip(&u).zip(&v)) {
            pixel.copy_from_slice(&[*r, *g, *b]);
        }
        return Ok(());
    }
    let (u_plane, v_plane) = (&u[..], &v[..]);
    let stride = if layout == PixelLayout::I444 { width } else { width.div_ceil(2) };
    let planes = YuvPlanarImage {
        y_plane: luma,
        y_stride: width,
        u_plane,
        u_stride: stride,
        v_plane,
        v_stride: stride,
        width,
        height,
    };
    let convert = match layout {
        PixelLayout::I420 => yuv::yuv420_to_rgb,
        PixelLayout::I422 => yuv::yuv422_to_rgb,
        _ => yuv::yuv444_to_rgb,
    };
    convert(&planes, rgb, 3 * width, conversion.range, conversion.matrix).map_err(damaged)
}

fn with_alpha(colours: &RgbImage, alpha: &Picture, is_premultiplied: bool) -> Result<RgbaImage, Problem> {
    if (alpha.width(), alpha.height()) != colours.dimensions() {
        return Err(Problem::Damaged);
    }
    let values = plane(alpha, PlanarImageComponent::Y)?;
    let alpha = GrayImage::from_raw(colours.width(), colours.height(), values).ok_or(Problem::Damaged)?;
    let mut pixels = RgbaImage::new(colours.width(), colours.height());
    for ((to, colour), alpha) in pixels.pixels_mut().zip(colours.pixels()).zip(alpha.pixels()) {
        let [alpha] = alpha.0;
        let undo = |value: u8| match u16::from(value) * 255 / u16::from(alpha.max(1)) {
            _ if !is_premultiplied => value,
            value => u8::try_from(value).unwrap_or(u8::MAX),
        };
        to.0 = [undo(colour.0[0]), undo(colour.0[1]), undo(colour.0[2]), alpha];
    }
    Ok(pixels)
}
