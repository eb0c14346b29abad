//! Reasons for rejecting an uploaded file.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ImageProblem {
    Svg,
    AvifOrHeic,
    /// The file is neither PNG, JPEG, GIF nor WebP.
    Unknown,
    Damaged,
    /// Other data follow the image.
    Polyglot,
    /// The image has more than [`limits::MAX_PIXELS`](crate::limits::MAX_PIXELS) pixels, or exceeds the maximum width
    /// or height.
    TooLarge {
        width: u32,
        height: u32,
    },
    /// An animation has more than [`limits::MAX_FRAMES`](crate::limits::MAX_FRAMES) frames, or too many pixels in
    /// total.
    TooLong,
    /// The re-encoded file has more than [`limits::MAX_ENCODED_BYTES`](crate::limits::MAX_ENCODED_BYTES) bytes.
    TooHeavy,
    /// Decoding exceeded the time limit.
    TooHard,
}

/// Failure to run the worker. A worker that crashes or exceeds a limit is an [`ImageProblem`] of the upload instead.
#[derive(Debug, thiserror::Error)]
pub enum WorkerError {
    #[error("cannot run the image worker")]
    Run(#[from] std::io::Error),
    #[error("the image worker returned invalid output")]
    Output(#[source] anyhow::Error),
}
