//! Cover images of the demo posts: simple pictures, drawn from a seed.

use image::codecs::jpeg::JpegEncoder;
use image::{ExtendedColorType, Rgb, RgbImage};
use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};

const WIDTH: u32 = 840;
const HEIGHT: u32 = 560;
/// Number of overlapping ranges of hills, from the farthest to the nearest.
const RANGES: u32 = 5;
const JPEG_QUALITY: u8 = 90;

type Color = [f64; 3];

/// Colors of the sky at the top and at the horizon, of the sun, and of the nearest hills.
const PALETTES: [[Color; 4]; 6] = [
    [[34., 87., 122.], [247., 211., 173.], [255., 240., 206.], [11., 44., 63.]],
    [[94., 59., 106.], [246., 158., 124.], [255., 221., 158.], [38., 20., 54.]],
    [[120., 178., 196.], [232., 240., 226.], [255., 252., 235.], [26., 71., 64.]],
    [[201., 107., 69.], [249., 215., 142.], [255., 244., 204.], [84., 32., 30.]],
    [[22., 34., 62.], [101., 128., 158.], [236., 233., 214.], [8., 14., 28.]],
    [[143., 170., 121.], [243., 233., 198.], [255., 250., 226.], [38., 63., 34.]],
];

/// Draws a cover image. Consecutive numbers have different motifs and colors.
pub fn draw_cover(number: usize) -> image::ImageResult<Vec<u8>> {
    let random = &mut StdRng::seed_from_u64(number as u64);
    let palette = PALETTES[number % PALETTES.len()];
    let pixels = match number % 4 {
        0 => draw(hills(random, palette)),
        1 => draw(tiles(random, palette)),
        2 => draw(sea(random, palette)),
        _ => draw(town(random, palette)),
    };
    let mut file = Vec::new();
    let encoder = JpegEncoder::new_with_quality(&mut file, JPEG_QUALITY);
    image::ImageEncoder::write_image(encoder, pixels.as_raw(), WIDTH, HEIGHT, ExtendedColorType::Rgb8)?;
    Ok(file)
}

/// A pixel is the mean of four points, so that edges are smooth.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the mean of bytes is a byte")]
fn draw(color_at: impl Fn(f64, f64) -> Color) -> RgbImage {
    RgbImage::from_fn(WIDTH, HEIGHT, |column, row| {
        let (x, y) = (f64::from(column), f64::from(row));
        let points = [(0.25, 0.25), (0.75, 0.25), (0.25, 0.75), (0.75, 0.75)].map(|(dx, dy)| color_at(x + dx, y + dy));
        Rgb(std::array::from_fn(|channel| (points.iter().map(|point| point[channel]).sum::<f64>() / 4.0).round() as u8))
    })
}

fn sky(random: &mut StdRng, [top, horizon, sun, _]: [Color; 4]) -> impl Fn(f64, f64) -> Color + use<> {
    let (width, height) = (f64::from(WIDTH), f64::from(HEIGHT));
    let center = (width * random.random_range(0.2..0.8), height * random.random_range(0.2..0.4));
    let radius = height * random.random_range(0.07..0.13);
    move |x, y| {
        let distance = (x - center.0).hypot(y - center.1);
        let glow = 0.5 * (1.0 - distance / (5.0 * radius)).max(0.0);
        mix(mix(top, horizon, y / (0.7 * height)), sun, if distance <= radius { 1.0 } else { glow })
    }
}

/// Sine wave with a random phase. `amplitude` and `period` are in pixels, and vary randomly.
fn wave(random: &mut StdRng, amplitude: f64, period: f64) -> impl Fn(f64) -> f64 + use<> {
    let amplitude = amplitude * random.random_range(0.5..1.5);
    let frequency = std::f64::consts::TAU / period * random.random_range(0.7..1.4);
    let phase = random.random_range(0.0..std::f64::consts::TAU);
    move |x| amplitude * (frequency * x + phase).sin()
}

fn hills(random: &mut StdRng, palette: [Color; 4]) -> impl Fn(f64, f64) -> Color + use<> {
    let [_, horizon, _, near] = palette;
    let sky = sky(random, palette);
    let ranges: Vec<_> = (0..RANGES)
        .map(|range| {
            let base = f64::from(HEIGHT) * (0.5 + 0.1 * f64::from(range));
            let waves = [wave(random, 30.0, 1570.0), wave(random, 12.0, 480.0)];
            let color = mix(horizon, near, f64::from(range + 1) / f64::from(RANGES));
            (move |x: f64| base + waves[0](x) + waves[1](x), color)
        })
        .collect();
    move |x, y| {
        let front = ranges.iter().rev().find(|(upper_edge, _)| y >= upper_edge(x));
        front.map_or_else(|| sky(x, y), |(_, color)| *color)
    }
}

fn sea(random: &mut StdRng, palette: [Color; 4]) -> impl Fn(f64, f64) -> Color + use<> {
    let [top, horizon, light, near] = palette;
    let (width, height) = (f64::from(WIDTH), f64::from(HEIGHT));
    let sky = sky(random, palette);
    let surface = 0.6 * height;
    let waves: Vec<_> = (0..5).map(|_| wave(random, 7.0, 260.0)).collect();
    let mast = width * random.random_range(0.3..0.7);
    let size = height * random.random_range(0.3..0.4);
    move |x, y| {
        // Distances from the foot of the mast, in heights of the mast.
        let (right, up) = ((x - mast) / size, (surface + 0.02 * height - y) / size);
        let is_main_sail = right > 0.02 && up > 0.14 && right < 0.5 * (1.0 - up) + 0.02;
        let is_fore_sail = right < -0.02 && up > 0.14 && -right < 0.38 * (0.85 - up);
        let is_hull = (-0.07..0.09).contains(&up) && (-0.36 - 0.9 * up..0.46 + 0.9 * up).contains(&right);
        let is_mast = right.abs() < 0.012 && (0.0..1.02).contains(&up);
        if is_main_sail {
            light
        } else if is_fore_sail {
            mix(light, top, 0.25)
        } else if is_hull || is_mast {
            near
        } else if y < surface {
            sky(x, y)
        } else {
            // Bands of water get higher and darker towards the viewer.
            let depth = ((y - surface) / (height - surface)).sqrt() * 5.0;
            let band =
                waves.iter().zip(0_u32..).filter(|(wave, band)| depth * 30.0 + wave(x) > f64::from(*band) * 30.0);
            mix(mix(horizon, top, 0.5), near, 0.16 * f64::from(u32::try_from(band.count()).unwrap_or(0)))
        }
    }
}

struct House {
    left: f64,
    width: f64,
    /// `y` position of the lower edge of the roof.
    roof: f64,
    /// Slope of the gable; 0.0 for a flat roof.
    gable: f64,
    /// Bit mask of the lit windows.
    lit: u64,
    color: Color,
}

fn town(random: &mut StdRng, palette: [Color; 4]) -> impl Fn(f64, f64) -> Color + use<> {
    const WINDOW: f64 = 28.0;
    let [_, horizon, light, near] = palette;
    let sky = sky(random, palette);
    let mut houses = Vec::new();
    for (share, base) in [(0.45, 0.42), (1.0, 0.6)] {
        let mut left = -f64::from(random.random_range(0_u8..60));
        while left < f64::from(WIDTH) {
            let width = WINDOW * f64::from(random.random_range(3_u8..6));
            let roof = f64::from(HEIGHT) * base + WINDOW * f64::from(random.random_range(0_u8..5));
            let gable = if random.random_bool(0.6) { 0.8 } else { 0.0 };
            let lit: u64 = random.random::<u64>() & random.random::<u64>();
            houses.push(House { left, width, roof, gable, lit, color: mix(horizon, near, share) });
            left += width;
        }
    }
    move |x, y| {
        let house = houses.iter().rev().find(|house| {
            let inside = x - house.left;
            (0.0..house.width).contains(&inside) && y > house.roof - house.gable * inside.min(house.width - inside)
        });
        let Some(House { left, roof, lit, color, .. }) = house else { return sky(x, y) };
        let (column, row) = ((x - left) / WINDOW, (y - roof) / WINDOW);
        let is_pane = (0.25..0.75).contains(&column.fract()) && (0.2..0.8).contains(&row.fract()) && row > 0.0;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small number of windows")]
        let is_lit = lit >> ((column as u32 + 6 * row.max(0.0) as u32) % 64) & 1 == 1;
        if is_pane && is_lit { light } else { *color }
    }
}

fn tiles(random: &mut StdRng, palette: [Color; 4]) -> impl Fn(f64, f64) -> Color + use<> {
    const SIZE: f64 = 140.0;
    const COLUMNS: usize = 6;
    let tiles: Vec<_> = (0..4 * COLUMNS)
        .map(|_| {
            let color = |random: &mut StdRng| palette[random.random_range(0..palette.len())];
            (random.random_range(0_u8..3), random.random_range(0_u8..4), color(random), color(random))
        })
        .collect();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "points are inside of the picture")]
    move |x, y| {
        let (shape, turn, back, front) = tiles[(y / SIZE) as usize * COLUMNS + (x / SIZE) as usize];
        let (x, y) = ((x / SIZE).fract(), (y / SIZE).fract());
        let x = if turn & 1 == 1 { 1.0 - x } else { x };
        let y = if turn & 2 == 2 { 1.0 - y } else { y };
        let is_front = match shape {
            0 => x.hypot(y) < 1.0,
            1 => x + y < 1.0,
            _ => (x - 0.5).hypot(y - 0.5) < 0.32,
        };
        if is_front { front } else { back }
    }
}

/// Mixes two colors. `share` is the share of the second color, clamped to 0.0 to 1.0.
fn mix(one: Color, other: Color, share: f64) -> Color {
    let share = share.clamp(0.0, 1.0);
    std::array::from_fn(|channel| one[channel] + (other[channel] - one[channel]) * share)
}
