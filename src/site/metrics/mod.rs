//! Figures for monitoring, in the format of `OpenMetrics`.

mod figures;
mod samples;
mod serve;

pub use self::figures::Figures;
pub use self::samples::{Sample, samples};
pub use self::serve::serve;
