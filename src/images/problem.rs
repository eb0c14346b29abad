//! Why a file is not taken as an image.

use serde::{Deserialize, Serialize};

use super::limits::{MAX_AVIF_PIXELS, MAX_FRAMES, MAX_MADE, MAX_MOVING_PIXELS, MAX_PIXELS, MAX_SIDE};

/// Each is told to the person who has chosen the file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
pub enum Problem {
    #[error(
        "An SVG is a program rather than a picture, so it cannot be used here. Save it as PNG, and choose that file."
    )]
    Svg,
    #[error("HEIC cannot be used here. Save it as JPEG, and choose that file.")]
    Heic,
    #[error("This is no picture that can be used here. Choose a PNG, JPEG, WebP, AVIF or GIF file.")]
    Unknown,
    #[error("This picture is damaged, or made in a way that cannot be read. Save it anew with another program.")]
    Damaged,
    #[error(
        "There is something else in this file besides the picture, so it is not taken. Save the picture anew with a \
         program for pictures."
    )]
    SomethingElse,
    #[error(
        "This picture has {width} × {height} pixels. Use at most {} million, such as 5,000 × 5,000, and at most {MAX_SIDE} to a side.",
        MAX_PIXELS / 1_000_000
    )]
    TooLarge { width: u32, height: u32 },
    #[error(
        "This picture has {width} × {height} pixels. As AVIF use at most {} million, such as 4,000 × 3,000; as JPEG or \
         PNG it may have {} million.",
        MAX_AVIF_PIXELS / 1_000_000,
        MAX_PIXELS / 1_000_000
    )]
    TooLargeForAvif { width: u32, height: u32 },
    #[error(
        "This moving picture is too long: use at most {MAX_FRAMES} frames, and {} million pixels in all of them.",
        MAX_MOVING_PIXELS / 1_000_000
    )]
    TooLong,
    #[error(
        "This picture would take more than {} MiB here, as nothing of its transparency may be lost. Make it smaller.",
        MAX_MADE >> 20
    )]
    TooHeavy,
    #[error("This picture takes too long to be read. Save it anew with another program, or make it smaller.")]
    TooHard,
}
