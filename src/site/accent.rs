//! Accent color of links and buttons, with enough contrast in both color schemes (WCAG 2.2, 1.4.3).

use std::fmt::{self, Display};
use std::str::FromStr;

use crate::text::content_hash;

/// Minimum contrast between text and background.
const MIN_CONTRAST: f64 = 4.5;
/// Darkest background of the light color scheme, and lightest background of the dark scheme, in `static/style.css`.
const LIGHT_BACKGROUND: Color = Color([0xfb, 0xe7, 0xe3]);
const DARK_BACKGROUND: Color = Color([0x3a, 0x2d, 0x10]);
const WHITE: Color = Color([0xff; 3]);
const BLACK: Color = Color([0; 3]);

/// sRGB color, written as `#0b5573`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Color([u8; 3]);

impl FromStr for Color {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let is_hex = |digits: &&str| digits.len() == 6 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        let digits = text.trim().strip_prefix('#').filter(is_hex).ok_or(())?;
        let number = u32::from_str_radix(digits, 16).map_err(|_| ())?;
        let [_, rgb @ ..] = number.to_be_bytes();
        Ok(Self(rgb))
    }
}

impl Display for Color {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self([red, green, blue]) = self;
        write!(f, "#{red:02x}{green:02x}{blue:02x}")
    }
}

impl Color {
    /// Relative luminance, from 0 (black) to 1 (white).
    fn luminance(self) -> f64 {
        let [red, green, blue] = self.0.map(|channel| {
            let channel = f64::from(channel) / 255.0;
            if channel <= 0.04045 { channel / 12.92 } else { ((channel + 0.055) / 1.055).powf(2.4) }
        });
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    }

    fn contrast(self, other: Self) -> f64 {
        let (a, b) = (self.luminance() + 0.05, other.luminance() + 0.05);
        if a > b { a / b } else { b / a }
    }

    /// Mixes the color with `percent` of another color.
    #[expect(clippy::cast_possible_truncation, reason = "a mean of two bytes is a byte")]
    fn mix(self, other: Self, percent: u32) -> Self {
        let channel = |index: usize| {
            let [own, other] = [self.0[index], other.0[index]].map(u32::from);
            ((own * (100 - percent) + other * percent + 50) / 100) as u8
        };
        Self([0, 1, 2].map(channel))
    }

    /// Nearest mixture with `toward` that has enough contrast with `background`.
    fn readable_on(self, background: Self, toward: Self) -> Self {
        let mixtures = (0..=100).map(|percent| self.mix(toward, percent));
        mixtures.into_iter().find(|color| color.contrast(background) >= MIN_CONTRAST).unwrap_or(toward)
    }

    /// Color with enough contrast for links on a light page; unchanged if the contrast already suffices.
    pub fn readable_on_light(self) -> Self {
        self.readable_on(LIGHT_BACKGROUND, BLACK)
    }

    /// Sets the accent color of both color schemes. The dark scheme has a lighter color if necessary.
    fn style_sheet(self) -> String {
        let variables = |accent: Self| {
            let on_accent = if accent.contrast(WHITE) >= MIN_CONTRAST { WHITE } else { BLACK };
            format!(":root {{ --accent: {accent}; --on-accent: {on_accent}; }}")
        };
        let (light, dark) = (self.readable_on_light(), self.readable_on(DARK_BACKGROUND, WHITE));
        format!("{}\n@media (prefers-color-scheme: dark) {{ {} }}\n", variables(light), variables(dark))
    }
}

/// Style sheet with the accent color.
#[derive(Clone, Debug)]
pub struct Theme {
    pub css: String,
    pub hash: String,
}

impl From<Color> for Theme {
    fn from(accent: Color) -> Self {
        let css = accent.style_sheet();
        Self { hash: content_hash(&css), css }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_and_buttons_can_be_read_in_both_schemes() {
        for text in ["#000000", "#0b5573", "#c01c28", "#ffff00", "#ffffff", "#7f7f7f", "#00ff00"] {
            let color: Color = text.parse().unwrap();
            let (light, dark) = (color.readable_on_light(), color.readable_on(DARK_BACKGROUND, WHITE));
            for (accent, background) in [(light, LIGHT_BACKGROUND), (dark, DARK_BACKGROUND)] {
                assert!(accent.contrast(background) >= MIN_CONTRAST, "{text}: {accent}");
                assert!(accent.contrast(WHITE).max(accent.contrast(BLACK)) >= MIN_CONTRAST, "{text}: {accent}");
            }
        }
        let color = |text: &str| text.parse::<Color>().unwrap();
        assert_eq!(color("#0b5573").readable_on_light(), color("#0b5573"));
        assert!((WHITE.contrast(BLACK) - 21.0).abs() < 1e-9);
        for text in ["0b5573", "#0b557", "#0b557g", "#+b5573", "red"] {
            assert!(text.parse::<Color>().is_err(), "{text}");
        }
    }
}
