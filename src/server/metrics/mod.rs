//! Metrics in the `OpenMetrics` format.

mod collect;
mod samples;
mod serve;

pub use self::collect::MetricSources;
pub use self::samples::{DecisionSample, collect_limiter_decision_samples};
pub use self::serve::serve;
