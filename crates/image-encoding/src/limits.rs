//! Limits of uploaded images.

/// Maximum number of pixels of an image: photos of 24-megapixel cameras are accepted, and the decoded pixels take at
/// most 100 MB.
pub const MAX_PIXELS: u64 = 25_000_000;

/// Maximum number of frames of an animated GIF, enough for 40 seconds at 25 frames per second.
pub const MAX_FRAMES: u32 = 1_000;

/// Maximum total number of pixels in all frames of an animated GIF.
pub const MAX_ANIMATION_PIXELS: u64 = 200_000_000;

/// Maximum size of a re-encoded file in bytes.
pub const MAX_ENCODED_BYTES: usize = 16 << 20;
