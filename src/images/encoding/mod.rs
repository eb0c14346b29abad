//! Decodes and re-encodes uploaded images in a sandboxed process.

pub(crate) mod animation;
pub(crate) mod decode;
pub mod encode;
pub(crate) mod error;
pub(crate) mod file_type;
pub(crate) mod pixels;
pub mod sandbox;
