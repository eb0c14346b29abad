//! Cover images of the demo posts: landscapes of hills or waves under the sun, drawn from a seed.

use image::codecs::jpeg::JpegEncoder;
use image::{ExtendedColorType, Rgb, RgbImage};
use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};

const WIDTH: u32 = 840;
const HEIGHT: u32 = 560;

/// Number of overlapping ranges of hills, from the farthest to the nearest.
const RANGES: u32 = 5;

const JPEG_QUALITY: u8 = 90;

/// Colors of the sky at the top and at the horizon, of the sun, and of the nearest hills.
const PALETTES: [[[u8; 3]; 4]; 6] = [
    [[34, 87, 122], [247, 211, 173], [255, 240, 206], [11, 44, 63]],
    [[94, 59, 106], [246, 158, 124], [255, 221, 158], [38, 20, 54]],
    [[120, 178, 196], [232, 240, 226], [255, 252, 235], [26, 71, 64]],
    [[201, 107, 69], [249, 215, 142], [255, 244, 204], [84, 32, 30]],
    [[22, 34, 62], [101, 128, 158], [236, 233, 214], [8, 14, 28]],
    [[143, 170, 121], [243, 233, 198], [255, 250, 226], [38, 63, 34]],
];

/// Draws a landscape as a JPEG file.
///
/// # Errors
/// Returns an error if the image cannot be encoded.
pub fn draw_cover(seed: u64) -> image::ImageResult<Vec<u8>> {
    let pixels = draw(&mut StdRng::seed_from_u64(seed));
    let mut file = Vec::new();
    let encoder = JpegEncoder::new_with_quality(&mut file, JPEG_QUALITY);
    image::ImageEncoder::write_image(encoder, pixels.as_raw(), WIDTH, HEIGHT, ExtendedColorType::Rgb8)?;
    Ok(file)
}

#[expect(clippy::cast_precision_loss, reason = "the numbers of ranges are small")]
fn draw(random: &mut StdRng) -> RgbImage {
    let [top, horizon, sun, near] = PALETTES[random.random_range(0..PALETTES.len())];
    let (width, height) = (f64::from(WIDTH), f64::from(HEIGHT));
    let center = (width * random.random_range(0.2..0.8), height * random.random_range(0.2..0.45));
    let radius = height * random.random_range(0.07..0.13);
    // Height of the upper edge of each range at each column, as the sum of two waves.
    let ranges: Vec<Vec<f64>> = (0..RANGES)
        .map(|range| {
            let base = height * (0.5 + 0.1 * f64::from(range));
            let [first, second] = [(30.0, 0.004), (12.0, 0.013)].map(|(amplitude, frequency)| {
                let (amplitude, frequency) =
                    (amplitude * random.random_range(0.5..1.5), frequency * random.random_range(0.7..1.4));
                let phase = random.random_range(0.0..std::f64::consts::TAU);
                move |x: f64| amplitude * (frequency * x + phase).sin()
            });
            (0..WIDTH).map(|x| base + first(f64::from(x)) + second(f64::from(x))).collect()
        })
        .collect();
    RgbImage::from_fn(WIDTH, HEIGHT, |column, row| {
        let (x, y) = (f64::from(column), f64::from(row));
        let behind = ranges.iter().rposition(|edges| y >= edges[column as usize]);
        let Some((range, edges)) = behind.map(|range| (range, &ranges[range])) else {
            let sky = mix(top, horizon, y / (0.7 * height));
            let distance = (x - center.0).hypot(y - center.1);
            // The sun has a smooth edge of two pixels, and a glow that fades with the distance.
            let glow = 0.5 * (1.0 - distance / (5.0 * radius)).max(0.0);
            return Rgb(mix(sky, sun, ((radius - distance) / 2.0).clamp(glow, 1.0)));
        };
        let color = |range: usize| mix(horizon, near, range as f64 / ranges.len() as f64);
        // The upper edge of a range is smooth, too.
        Rgb(mix(color(range), color(range + 1), y - edges[column as usize]))
    })
}

/// Mixes two colors. `share` is the share of the second color; it is limited to 0.0 to 1.0.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the result is between two bytes")]
fn mix(one: [u8; 3], other: [u8; 3], share: f64) -> [u8; 3] {
    let share = share.clamp(0.0, 1.0);
    std::array::from_fn(|channel| {
        let [one, other] = [one, other].map(|color| f64::from(color[channel]));
        (one + (other - one) * share).round() as u8
    })
}
