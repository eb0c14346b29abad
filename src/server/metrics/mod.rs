//! Metrics in the `OpenMetrics` format.

mod collect;
mod responses;
mod samples;
mod serve;

pub use self::collect::MetricSources;
pub use self::responses::ResponseMetrics;
pub use self::samples::{DecisionSample, collect_limiter_decision_samples};
pub use self::serve::serve;
