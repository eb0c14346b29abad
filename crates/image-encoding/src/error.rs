//! Reasons for rejecting an uploaded file.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ImageProblem {
    Svg,
    AvifOrHeic,
    /// Neither PNG, JPEG, GIF nor WebP.
    Unknown,
    Damaged,
    /// Other data follow the image.
    SomethingElse,
    /// More pixels than [`limits::MAX_PIXELS`](crate::limits::MAX_PIXELS), or too many on one side.
    TooLarge {
        width: u32,
        height: u32,
    },
    /// More frames or pixels than an animation may have.
    TooLong,
    /// More bytes than [`limits::MAX_ENCODED_BYTES`](crate::limits::MAX_ENCODED_BYTES) after re-encoding.
    TooHeavy,
    /// The limit of CPU time was reached.
    TooHard,
}

/// The worker could not be run. Other failures of it are an [`ImageProblem`] of the upload.
#[derive(Debug, thiserror::Error)]
pub enum WorkerError {
    #[error("cannot run the image worker")]
    Run(#[from] std::io::Error),
    #[error("the image worker returned invalid output")]
    Output(#[source] anyhow::Error),
}
