#![doc = include_str!("../README.md")]
#![cfg_attr(test, allow(clippy::too_many_lines, reason = "tables of examples"))]

mod animation;
mod decode;
mod decoded_image;
mod encode;
mod error;
mod file_type;
pub mod limits;
pub mod sandbox;

pub use self::encode::{CropMode, EncodedImage, encode};
pub use self::error::{ImageProblem, WorkerError};
