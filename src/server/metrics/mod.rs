//! Metrics in the `OpenMetrics` format.

mod collect;
mod samples;
mod serve;

pub use self::collect::Figures;
pub use self::samples::{Sample, samples};
pub use self::serve::serve;
