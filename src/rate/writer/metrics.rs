//! Prometheus metrics of the rating writer.

use std::time::Duration;

use evenkeel_limiters::PauseAction;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;

const SIZES: [f64; 10] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0];
const SECONDS: [f64; 11] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 3.0];

#[derive(Debug)]
pub struct WriterMetrics {
    /// Not yet part of a batch.
    pub queued: Gauge,
    pub batch_size: Histogram,
    pub batch_seconds: Histogram,
    /// Not written because their transaction failed.
    pub failed: Counter,
    /// By `action`: `paused`, `repaused` or `grace`.
    pub pauses: Family<[(&'static str, &'static str); 1], Counter>,
}

const PAUSE_ACTIONS: [&str; 3] = ["paused", "repaused", "grace"];

impl Default for WriterMetrics {
    fn default() -> Self {
        let pauses = Family::<[(&'static str, &'static str); 1], Counter>::default();
        for action in PAUSE_ACTIONS {
            // Counters start at 0, so that the first pause is an increase.
            drop(pauses.get_or_create(&[("action", action)]));
        }
        Self {
            queued: Gauge::default(),
            batch_size: Histogram::new(SIZES),
            batch_seconds: Histogram::new(SECONDS),
            failed: Counter::default(),
            pauses,
        }
    }
}

impl WriterMetrics {
    #[expect(clippy::cast_precision_loss, reason = "a batch has at most some hundred ratings")]
    pub fn observe_batch(&self, ratings: usize, took: Duration) {
        self.batch_size.observe(ratings as f64);
        self.batch_seconds.observe(took.as_secs_f64());
    }

    pub fn count_pause_action(&self, action: PauseAction) {
        let [paused, repaused, grace] = PAUSE_ACTIONS;
        let action = match action {
            PauseAction::Paused => paused,
            PauseAction::Repaused => repaused,
            PauseAction::Grace => grace,
            PauseAction::None | PauseAction::AlreadyPaused | PauseAction::Reset => return,
        };
        self.pauses.get_or_create(&[("action", action)]).inc();
    }
}
