//! Images of authors: made anew from what was sent.

pub mod apart;
mod avif;
mod decode;
pub mod encode;
mod kind;
mod limits;
mod moving;
mod pixels;
mod problem;

pub use self::problem::Problem;
