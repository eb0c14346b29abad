//! Messages about uploads that were refused.

use evenkeel_image_encoding::ImageProblem;
use evenkeel_image_encoding::limits::{MAX_ANIMATION_PIXELS, MAX_ENCODED_BYTES, MAX_FRAMES, MAX_PIXELS};
use evenkeel_markdown::image_name::MAX_SIDE_PIXELS;

use crate::i18n::Phrase;
use crate::phrase;

pub fn problem_message(problem: &ImageProblem) -> Phrase {
    let million = |pixels: u64| pixels / 1_000_000;
    match problem {
        ImageProblem::Svg => phrase!("image-svg"),
        ImageProblem::AvifOrHeic => phrase!("image-avif-or-heic"),
        ImageProblem::Unknown => phrase!("image-unknown"),
        ImageProblem::Damaged => phrase!("image-damaged"),
        ImageProblem::Polyglot => phrase!("image-extra-data"),
        ImageProblem::TooLarge { width, height } => {
            let most = million(MAX_PIXELS);
            phrase!("image-too-large", width = *width, height = *height, most = most, side = MAX_SIDE_PIXELS)
        }
        ImageProblem::TooLong => {
            phrase!("image-too-long", frames = MAX_FRAMES, pixels = million(MAX_ANIMATION_PIXELS))
        }
        ImageProblem::TooHeavy => phrase!("image-too-heavy", most = MAX_ENCODED_BYTES >> 20),
        ImageProblem::TooHard => phrase!("image-too-slow"),
    }
}
