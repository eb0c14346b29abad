//! Re-encodes uploaded images. Only the pixels are kept, so metadata and hidden content are removed.

use evenkeel_markdown::image_name::{ImageFile, ImageName, ImageType};
use fast_image_resize::images::{Image, ImageRef};
use fast_image_resize::{PixelType, ResizeOptions, Resizer};
use image::codecs::jpeg::JpegEncoder;
use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::metadata::Orientation;
use image::{DynamicImage, ImageEncoder as _, RgbImage, RgbaImage};
use sha2::{Digest as _, Sha256};

use super::animation;
use super::decode::decode;
use super::decoded_image::DecodedImage;
use super::error::ImageProblem;
use super::file_type::{SourceFormat, reject_polyglot};
use crate::limits::MAX_ENCODED_BYTES;

/// Maximum width in pixels: twice the width of a page.
const MAX_WIDTH: u32 = 1_920;

/// Maximum height in pixels, large enough for screenshots of whole pages.
const MAX_HEIGHT: u32 = 10_000;

/// Maximum side of an avatar in pixels.
const AVATAR_SIDE: u32 = 256;

/// JPEG quality, from 1 to 100.
const JPEG_QUALITY: u8 = 85;

/// Size in bytes above which a PNG without transparency is assumed to be a photo and stored as a JPEG.
const MAX_OPAQUE_PNG_BYTES: usize = 1 << 20;

/// Cropping of an uploaded image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::EnumString, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum CropMode {
    /// Keeps the whole image, and scales it down if it exceeds the maximum size.
    Whole,
    /// Crops a small square from the centre, for avatars.
    Square,
}

impl CropMode {
    pub fn name(self) -> &'static str {
        self.into()
    }

    pub fn from_name(name: &str) -> Option<Self> {
        name.parse().ok()
    }
}

#[derive(Debug)]
pub struct EncodedImage {
    pub name: ImageName,
    pub files: Vec<(ImageFile, Vec<u8>)>,
    /// True if the source was animated and only its first frame was kept.
    pub lost_animation: bool,
}

/// Validates and re-encodes an uploaded file.
pub fn encode(bytes: &[u8], shape: CropMode) -> Result<EncodedImage, ImageProblem> {
    let source = SourceFormat::detect(bytes)?;
    reject_polyglot(source, bytes)?;
    if (source, shape) == (SourceFormat::Gif, CropMode::Whole)
        && let Some(moving) = animation::reencode_gif(bytes)?
    {
        let name = ImageName::new(hash(&moving.bytes), moving.size.0, moving.size.1, ImageType::Gif);
        let files = vec![(ImageFile { name: name.clone(), width: None }, moving.bytes)];
        return Ok(EncodedImage { name, files, lost_animation: false });
    }
    let decoded = decode(source, bytes)?;
    let (is_lossy, has_stopped) = (decoded.is_lossy, decoded.has_more_frames);
    let pixels = scale_and_orient(decoded, shape)?;
    let (kind, bytes) = compress(&pixels, is_lossy)?;
    if bytes.len() > MAX_ENCODED_BYTES {
        return Err(ImageProblem::TooHeavy);
    }
    let name = ImageName::new(hash(&bytes), pixels.width(), pixels.height(), kind);
    let mut files = vec![(ImageFile { name: name.clone(), width: None }, bytes)];
    for file in name.files() {
        let Some(width) = file.width else { continue };
        let smaller = resize(&pixels, width, scaled(name.height, width, name.width), &ResizeOptions::new())?;
        files.push((file, encode_as(&smaller, kind)?));
    }
    Ok(EncodedImage { name, files, lost_animation: has_stopped })
}

fn hash(bytes: &[u8]) -> [u8; 16] {
    let mut hash = [0; 16];
    hash.copy_from_slice(&Sha256::digest(bytes)[..16]);
    hash
}

/// Scales `side` by `to / of`, rounded, with a minimum of 1.
fn scaled(side: u32, to: u32, of: u32) -> u32 {
    let scaled = (u64::from(side) * u64::from(to) + u64::from(of) / 2) / u64::from(of.max(1));
    u32::try_from(scaled).unwrap_or(u32::MAX).max(1)
}

/// Scales an image to the size in which it is stored, and applies its EXIF orientation.
fn scale_and_orient(
    DecodedImage { pixels, orientation, .. }: DecodedImage,
    shape: CropMode,
) -> Result<DynamicImage, ImageProblem> {
    let is_on_its_side = matches!(
        orientation,
        Orientation::Rotate90 | Orientation::Rotate270 | Orientation::Rotate90FlipH | Orientation::Rotate270FlipH
    );
    let (max_width, max_height) = if is_on_its_side { (MAX_HEIGHT, MAX_WIDTH) } else { (MAX_WIDTH, MAX_HEIGHT) };
    let (width, height) = (pixels.width(), pixels.height());
    let mut pixels = match shape {
        CropMode::Square => {
            let side = AVATAR_SIDE.min(width).min(height);
            resize(&pixels, side, side, &ResizeOptions::new().fit_into_destination(None))?
        }
        CropMode::Whole => {
            let by_width = (width.min(max_width), scaled(height, width.min(max_width), width));
            let by_height = (scaled(width, height.min(max_height), height), height.min(max_height));
            let size = if by_width.0 < by_height.0 { by_width } else { by_height };
            if size == (width, height) { pixels } else { resize(&pixels, size.0, size.1, &ResizeOptions::new())? }
        }
    };
    pixels.apply_orientation(orientation);
    Ok(pixels)
}

fn resize(pixels: &DynamicImage, width: u32, height: u32, how: &ResizeOptions) -> Result<DynamicImage, ImageProblem> {
    let kind = if pixels.color().has_alpha() { PixelType::U8x4 } else { PixelType::U8x3 };
    let from = ImageRef::new(pixels.width(), pixels.height(), pixels.as_bytes(), kind).map_err(damaged)?;
    let mut to = Image::new(width, height, kind);
    Resizer::new().resize(&from, &mut to, how).map_err(damaged)?;
    let bytes = to.into_vec();
    let made = match kind {
        PixelType::U8x4 => RgbaImage::from_raw(width, height, bytes).map(DynamicImage::from),
        _ => RgbImage::from_raw(width, height, bytes).map(DynamicImage::from),
    };
    made.ok_or(ImageProblem::Damaged)
}

fn damaged<E>(_: E) -> ImageProblem {
    ImageProblem::Damaged
}

/// Encodes an image as PNG or JPEG. Images with transparency become PNG. Other images become PNG only if their source
/// is lossless and the PNG is not larger than [`MAX_OPAQUE_PNG_BYTES`].
fn compress(pixels: &DynamicImage, is_lossy: bool) -> Result<(ImageType, Vec<u8>), ImageProblem> {
    if pixels.color().has_alpha() {
        return Ok((ImageType::Png, encode_as(pixels, ImageType::Png)?));
    }
    if !is_lossy {
        let bytes = encode_as(pixels, ImageType::Png)?;
        if bytes.len() <= MAX_OPAQUE_PNG_BYTES {
            return Ok((ImageType::Png, bytes));
        }
    }
    Ok((ImageType::Jpeg, encode_as(pixels, ImageType::Jpeg)?))
}

fn encode_as(pixels: &DynamicImage, kind: ImageType) -> Result<Vec<u8>, ImageProblem> {
    let mut bytes = Vec::new();
    let (data, width, height, color) = (pixels.as_bytes(), pixels.width(), pixels.height(), pixels.color().into());
    let written = match kind {
        ImageType::Jpeg => {
            JpegEncoder::new_with_quality(&mut bytes, JPEG_QUALITY).write_image(data, width, height, color)
        }
        _ => PngEncoder::new_with_quality(&mut bytes, CompressionType::Default, FilterType::Adaptive)
            .write_image(data, width, height, color),
    };
    written.map(|()| bytes).map_err(damaged)
}

#[cfg(test)]
mod tests {
    use image::ImageFormat;

    use super::*;

    /// Reads a test image, created by `tests/samples/make.py`.
    fn sample(name: &str) -> Vec<u8> {
        std::fs::read(format!("{}/tests/samples/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
    }

    fn pixels(bytes: &[u8]) -> RgbImage {
        image::load_from_memory(bytes).unwrap().into_rgb8()
    }

    fn last(encoded: &EncodedImage) -> (String, RgbImage) {
        let (file, bytes) = encoded.files.iter().find(|(file, _)| file.width.is_none()).unwrap();
        let size = format!("{}x{}.{}", file.name.width, file.name.height, file.name.image_type.extension());
        (size, pixels(bytes))
    }

    fn png(width: u32, height: u32, pixel: impl Fn(u32, u32) -> [u8; 3]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let pixels = RgbImage::from_fn(width, height, |x, y| image::Rgb(pixel(x, y)));
        pixels.write_to(&mut std::io::Cursor::new(&mut bytes), ImageFormat::Png).unwrap();
        bytes
    }

    #[test]
    fn reencodes_all_types_with_orientation_and_colors() {
        for (name, size, has_stopped) in [
            ("turned.jpg", "80x120.jpg", false),
            ("turned.png", "80x120.png", false),
            ("turned.webp", "80x120.jpg", false),
            ("cmyk.jpg", "120x80.jpg", false),
            ("progressive.jpg", "120x80.jpg", false),
            ("moving.png", "120x80.png", true),
            ("moving.webp", "120x80.jpg", true),
            ("moving.gif", "120x80.gif", false),
        ] {
            let encoded = encode(&sample(name), CropMode::Whole).unwrap();
            let (found, pixels) = last(&encoded);
            assert_eq!((found.as_str(), encoded.lost_animation), (size, has_stopped), "{name}");
            // Checks two pixels: one must be white, the other red.
            let is_turned = name.starts_with("turned");
            let at = |x: u32, y: u32| if is_turned { pixels.get_pixel(79 - y, x).0 } else { pixels.get_pixel(x, y).0 };
            assert!(at(10, 8).iter().all(|value| *value > 235), "{name}: {:?}", at(10, 8));
            let [red, green, blue] = at(110, 10);
            assert!(red > 180 && green < 70 && blue < 90, "{name}: {:?}", at(110, 10));
        }
    }

    #[test]
    fn removes_metadata() {
        for name in ["turned.jpg", "turned.png", "turned.webp"] {
            let sent = sample(name);
            let has = |bytes: &[u8], mark: &[u8]| bytes.windows(mark.len()).any(|window| window == mark);
            assert!(has(&sent, b"SecretCamera") || name == "turned.png", "{name}");
            for (_, bytes) in encode(&sent, CropMode::Whole).unwrap().files {
                assert!(!has(&bytes, b"SecretCamera") && !has(&bytes, b"Exif") && !has(&bytes, b"eXIf"), "{name}");
            }
        }
        // Metadata does not change the hash of an image.
        let name = |bytes: &[u8]| encode(bytes, CropMode::Whole).unwrap().name;
        let (mut with_comment, plain) = (sample("progressive.jpg"), sample("progressive.jpg"));
        with_comment.splice(2..2, *b"\xff\xfe\x00\x12<?php system(); ?>".first_chunk::<20>().unwrap());
        assert_eq!(name(&with_comment), name(&plain));
    }

    #[test]
    fn keeps_gif_animation() {
        let sent = sample("moving.gif");
        let encoded = encode(&sent, CropMode::Whole).unwrap();
        let frames = |bytes: &[u8]| {
            let mut decoder = gif::DecodeOptions::new();
            decoder.set_color_output(gif::ColorOutput::RGBA);
            let mut decoder = decoder.read_info(std::io::Cursor::new(bytes.to_vec())).unwrap();
            let mut frames = Vec::new();
            while let Some(frame) = decoder.read_next_frame().unwrap() {
                frames.push((frame.delay, frame.dispose, frame.left, frame.top, frame.buffer.to_vec()));
            }
            (frames, decoder.repeat())
        };
        let (before, after) = (frames(&sent), frames(&encoded.files[0].1));
        assert_eq!((before.0.len(), before.1), (4, gif::Repeat::Finite(3)));
        assert!(before == after && encoded.files.len() == 1);
        assert_eq!(last(&encode(&sent, CropMode::Square).unwrap()).0, "80x80.png");
    }

    #[test]
    fn scales_large_images_down() {
        let wide = encode(&png(3_000, 1_000, |x, _| [u8::try_from(x / 12).unwrap(), 0, 0]), CropMode::Whole).unwrap();
        let sizes: Vec<_> = wide.files.iter().map(|(file, bytes)| (file.width, pixels(bytes).dimensions())).collect();
        assert_eq!(sizes, [(None, (1_920, 640)), (Some(480), (480, 160)), (Some(960), (960, 320))]);
        assert_eq!(wide.name.image_type, ImageType::Png);
        let high = encode(&png(300, 12_000, |_, y| [u8::try_from(y / 48).unwrap(), 0, 0]), CropMode::Whole).unwrap();
        assert_eq!((high.name.width, high.name.height), (250, 10_000));
        let thin = encode(&png(4_000, 1, |_, _| [1, 2, 3]), CropMode::Whole).unwrap();
        assert_eq!((thin.name.width, thin.name.height), (1_920, 1));
        // A lossless photo is stored as a JPEG.
        let noise =
            |x: u32, y: u32| (x.wrapping_mul(2_654_435_761) ^ y.wrapping_mul(40_503)).wrapping_mul(97).to_be_bytes();
        let photograph = encode(&png(900, 900, |x, y| *noise(x, y).first_chunk().unwrap()), CropMode::Whole).unwrap();
        assert_eq!(photograph.name.image_type, ImageType::Jpeg);
        let face =
            encode(&png(600, 400, |x, _| if (100..500).contains(&x) { [9; 3] } else { [200; 3] }), CropMode::Square);
        let (size, pixels) = last(&face.unwrap());
        assert_eq!((size.as_str(), pixels.get_pixel(2, 2).0), ("256x256.png", [9; 3]));
    }

    #[test]
    fn rejects_invalid_files() {
        let problem = |bytes: &[u8]| encode(bytes, CropMode::Whole).unwrap_err();
        let (png, jpeg, gif) = (png(4, 4, |_, _| [1; 3]), sample("progressive.jpg"), sample("moving.gif"));
        assert_eq!(
            problem(b"<svg xmlns=\"http://www.w3.org/2000/svg\"><script>alert(1)</script></svg>"),
            ImageProblem::Svg
        );
        assert_eq!(problem(b"MZ\x90"), ImageProblem::Unknown);
        assert_eq!(problem(&sample("turned.avif")), ImageProblem::AvifOrHeic);
        for whole in [&png, &jpeg, &gif, &sample("turned.webp")] {
            for part in [whole.len() / 3, whole.len() - 9] {
                assert_eq!(problem(&whole[..part]), ImageProblem::Damaged, "{part} of {}", whole.len());
            }
        }
        // Images that are followed by a ZIP archive, a script or a PDF are rejected.
        for whole in [&png, &gif, &jpeg, &sample("turned.webp")] {
            for other in [&b"PK\x05\x06\0\0\0\0\0\0"[..], b"<script>alert(1)</script>", b"%PDF-1.7"] {
                assert_eq!(problem(&[whole, other].concat()), ImageProblem::Polyglot);
            }
        }
        assert!(encode(&[&jpeg[..], &jpeg[..]].concat(), CropMode::Whole).is_ok(), "as cameras do");
        assert!(encode(&[&png[..], &[0; 16]].concat(), CropMode::Whole).is_ok());
        // Decompression bomb: a small PNG that claims to be 60,000 pixels wide and high.
        let mut bomb = png.clone();
        bomb[16..24].copy_from_slice(&[0, 0, 0xea, 0x60, 0, 0, 0xea, 0x60]);
        let mut checksum = crc32(&bomb[12..29]).to_be_bytes();
        bomb[29..33].swap_with_slice(&mut checksum);
        assert_eq!(problem(&bomb), ImageProblem::TooLarge { width: 60_000, height: 60_000 });
        // Decompression bomb: an almost empty GIF of the maximum size.
        let mut bomb = gif.clone();
        bomb[6..10].copy_from_slice(&[0xff; 4]);
        assert_eq!(problem(&bomb), ImageProblem::TooLarge { width: 65_535, height: 65_535 });
    }

    fn crc32(bytes: &[u8]) -> u32 {
        !bytes.iter().fold(!0, |sum, byte| {
            (0..8).fold(sum ^ u32::from(*byte), |sum, _| if sum & 1 == 1 { sum >> 1 ^ 0xedb8_8320 } else { sum >> 1 })
        })
    }

    #[test]
    fn rejects_gif_with_too_many_frames() {
        let frames = |count: usize| {
            let mut encoder = gif::Encoder::new(Vec::new(), 2, 2, &[0, 0, 0, 255, 255, 255]).unwrap();
            for _ in 0..count {
                encoder.write_frame(&gif::Frame::from_indexed_pixels(2, 2, vec![0; 4], None)).unwrap();
            }
            encoder.into_inner().unwrap()
        };
        assert!(encode(&frames(1_000), CropMode::Whole).is_ok());
        assert_eq!(encode(&frames(1_001), CropMode::Whole).unwrap_err(), ImageProblem::TooLong);
        assert_eq!(encode(&frames(1), CropMode::Whole).unwrap().name.image_type, ImageType::Png);
    }
}
