//! Re-encodes animated GIFs frame by frame. Only pixels, palettes, timing and repetition are kept.

use std::io::Cursor;
use std::num::NonZeroU64;

use evenkeel_markdown::image_name::MAX_SIDE_PIXELS;
use gif::{ColorOutput, DecodeOptions, Encoder, MemoryLimit};

use super::error::ImageProblem;
use crate::limits::{MAX_ANIMATION_PIXELS, MAX_ENCODED_BYTES, MAX_FRAMES, MAX_PIXELS};

#[derive(Debug)]
pub struct AnimatedGif {
    pub size: (u32, u32),
    pub bytes: Vec<u8>,
}

/// Re-encodes an animated GIF. Returns `None` for a GIF with a single frame.
pub fn reencode_gif(bytes: &[u8]) -> Result<Option<AnimatedGif>, ImageProblem> {
    let mut options = DecodeOptions::new();
    options.set_color_output(ColorOutput::Indexed);
    options.check_frame_consistency(true);
    options.set_memory_limit(NonZeroU64::new(MAX_PIXELS).map_or(MemoryLimit::Unlimited, MemoryLimit::Bytes));
    let mut decoder = options.read_info(Cursor::new(bytes)).map_err(damaged)?;
    let (width, height) = (decoder.width(), decoder.height());
    let is_too_long = u32::from(width.max(height)) > MAX_SIDE_PIXELS;
    if is_too_long || u64::from(width) * u64::from(height) > MAX_PIXELS {
        return Err(ImageProblem::TooLarge { width: width.into(), height: height.into() });
    }
    let palette = decoder.global_palette().unwrap_or_default().to_vec();
    let mut encoder = Encoder::new(Vec::new(), width, height, &palette).map_err(damaged)?;
    let (mut frames, mut pixels) = (0, 0);
    while let Some(mut frame) = decoder.read_next_frame().map_err(damaged)?.cloned() {
        frames += 1;
        pixels += u64::from(frame.width) * u64::from(frame.height);
        if frames > MAX_FRAMES || pixels > MAX_ANIMATION_PIXELS {
            return Err(ImageProblem::TooLong);
        }
        if frames == 1 {
            // Copies the repeat count, which the decoder has read before the first frame.
            encoder.set_repeat(decoder.repeat()).map_err(damaged)?;
        }
        // Clears the flag, because the decoder has already reordered interlaced rows.
        frame.interlaced = false;
        encoder.write_frame(&frame).map_err(damaged)?;
    }
    if frames < 2 {
        return Ok(None);
    }
    let bytes = encoder.into_inner().map_err(damaged)?;
    if bytes.len() > MAX_ENCODED_BYTES {
        return Err(ImageProblem::TooHeavy);
    }
    Ok(Some(AnimatedGif { size: (width.into(), height.into()), bytes }))
}

fn damaged<E>(_: E) -> ImageProblem {
    ImageProblem::Damaged
}
