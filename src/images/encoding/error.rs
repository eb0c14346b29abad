//! Reasons for rejecting an uploaded file.

use evenkeel_markdown::image_name::MAX_SIDE_PIXELS;
use serde::{Deserialize, Serialize};

use crate::i18n::Phrase;
use crate::images::limits::{MAX_ANIMATION_PIXELS, MAX_ENCODED_BYTES, MAX_FRAMES, MAX_PIXELS};
use crate::phrase;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ImageProblem {
    Svg,
    AvifOrHeic,
    Unknown,
    Damaged,
    SomethingElse,
    TooLarge { width: u32, height: u32 },
    TooLong,
    TooHeavy,
    TooHard,
}

impl ImageProblem {
    /// Message for the user that explains the problem and how to solve it.
    pub fn message(&self) -> Phrase {
        let million = |pixels: u64| pixels / 1_000_000;
        match self {
            Self::Svg => phrase!("image-svg"),
            Self::AvifOrHeic => phrase!("image-avif-or-heic"),
            Self::Unknown => phrase!("image-unknown"),
            Self::Damaged => phrase!("image-damaged"),
            Self::SomethingElse => phrase!("image-extra-data"),
            Self::TooLarge { width, height } => {
                let most = million(MAX_PIXELS);
                phrase!("image-too-large", width = *width, height = *height, most = most, side = MAX_SIDE_PIXELS)
            }
            Self::TooLong => {
                phrase!("image-too-long", frames = MAX_FRAMES, pixels = million(MAX_ANIMATION_PIXELS))
            }
            Self::TooHeavy => phrase!("image-too-heavy", most = MAX_ENCODED_BYTES >> 20),
            Self::TooHard => phrase!("image-too-slow"),
        }
    }
}
