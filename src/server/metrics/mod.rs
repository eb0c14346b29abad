//! Figures for monitoring, in the format of `OpenMetrics`.

mod collect;
mod samples;
mod serve;

pub use self::collect::Figures;
pub use self::samples::{Sample, samples};
pub use self::serve::serve;
