//! How much a picture, and an account's pictures, may take.

/// The most pixels of a picture: 5,000 × 5,000, or the 24 megapixels of cameras. They take up to 100 MB.
pub const MAX_PIXELS: u64 = 25_000_000;

/// The greatest width and height: beyond that, some programs cannot show it.
pub const MAX_SIDE: u32 = 30_000;

/// The most frames: 40 seconds at 25 a second.
pub const MAX_FRAMES: u32 = 1_000;

/// The most pixels in all frames together.
pub const MAX_MOVING_PIXELS: u64 = 200_000_000;

/// The most bytes of a file that is made of a picture.
pub const MAX_MADE: usize = 16 << 20;

/// The most images of one account, however small.
pub const MAX_IMAGES: i64 = 5_000;
