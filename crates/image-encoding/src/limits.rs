//! Limits of uploaded images.

/// Maximum number of pixels of an image, for example 5,000 × 5,000. The limit admits photos of 24-megapixel cameras.
/// The decoded pixels take up to 100 MB.
pub const MAX_PIXELS: u64 = 25_000_000;

/// Maximum number of frames of an animated GIF: 40 seconds at 25 frames per second.
pub const MAX_FRAMES: u32 = 1_000;

/// Maximum number of pixels in all frames of an animated GIF together.
pub const MAX_ANIMATION_PIXELS: u64 = 200_000_000;

/// Maximum size of a re-encoded file in bytes.
pub const MAX_ENCODED_BYTES: usize = 16 << 20;
