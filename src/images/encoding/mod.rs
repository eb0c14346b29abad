//! Decodes and re-encodes uploaded images in a sandboxed process.

pub(crate) mod animation;
pub(crate) mod decode;
pub(crate) mod decoded_image;
pub mod encode;
pub(crate) mod error;
pub(crate) mod file_type;
pub mod sandbox;
