//! Supervised background tasks: a task that panics is logged, counted and restarted after a delay.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::task::{JoinHandle, JoinSet};
use tokio::time::{Instant, sleep};

/// Delay before a failed background task is restarted: begins with `first`, and doubles with each consecutive failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backoff {
    pub first: Duration,
    pub max: Duration,
}

impl Backoff {
    /// Delays for maintenance tasks, which no request waits for.
    pub const SLOW_RESTARTS: Self = Self { first: Duration::from_secs(1), max: Duration::from_mins(1) };

    /// Delays for tasks that requests wait for.
    pub const FAST_RESTARTS: Self = Self { first: Duration::from_millis(100), max: Duration::from_secs(2) };

    fn pause(self, consecutive_failures: u32) -> Duration {
        let factor = 2_u32.saturating_pow(consecutive_failures.saturating_sub(1));
        self.first.saturating_mul(factor).min(self.max)
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TaskStatus {
    /// True while the task has failed and has not been restarted yet.
    pub is_down: bool,
    pub failures: u64,
}

#[derive(Clone, Debug, Default)]
pub struct BackgroundTasks(Arc<Mutex<BTreeMap<&'static str, TaskStatus>>>);

impl BackgroundTasks {
    /// Starts a task, and restarts the task after each panic until it returns. Aborting the handle aborts the task.
    pub fn start<F>(
        &self,
        name: &'static str,
        back_off: Backoff,
        make: impl Fn() -> F + Send + 'static,
    ) -> JoinHandle<()>
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let background = self.clone();
        // Registers the task with zero failures, because monitoring cannot detect the increase of a metric that first
        // appears with the value 1.
        background.tasks().entry(name).or_default();
        tokio::spawn(async move {
            let mut consecutive = 0_u32;
            loop {
                let started = Instant::now();
                // Runs the task in a `JoinSet`, which aborts the task when dropped.
                let mut running = JoinSet::new();
                running.spawn(make());
                match running.join_next().await {
                    Some(Err(error)) if error.is_panic() => (),
                    // The task has returned, or the runtime is shutting down.
                    _ => return,
                }
                consecutive = if started.elapsed() > back_off.max { 1 } else { consecutive.saturating_add(1) };
                let pause = back_off.pause(consecutive);
                let failures = background.record_failure(name);
                tracing::error!(
                    task = name,
                    failures,
                    pause_seconds = pause.as_secs_f64(),
                    "background task failed; restarting"
                );
                sleep(pause).await;
                background.tasks().entry(name).or_default().is_down = false;
            }
        })
    }

    pub fn is_any_task_down(&self) -> bool {
        self.tasks().values().any(|status| status.is_down)
    }

    pub fn statuses(&self) -> Vec<(&'static str, TaskStatus)> {
        self.tasks().iter().map(|(name, status)| (*name, *status)).collect()
    }

    fn record_failure(&self, name: &'static str) -> u64 {
        let mut tasks = self.tasks();
        let status = tasks.entry(name).or_default();
        *status = TaskStatus { is_down: true, failures: status.failures.saturating_add(1) };
        status.failures
    }

    fn tasks(&self) -> MutexGuard<'_, BTreeMap<&'static str, TaskStatus>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    const AT_ONCE: Backoff = Backoff { first: Duration::ZERO, max: Duration::ZERO };
    const NEVER: Backoff = Backoff { first: Duration::from_hours(1), max: Duration::from_hours(1) };

    #[tokio::test]
    async fn restarts_a_task_that_panics_until_it_returns() {
        let (background, runs) = (BackgroundTasks::default(), Arc::new(AtomicU32::new(0)));
        let counted = runs.clone();
        let task = background.start("fails_twice", AT_ONCE, move || {
            let runs = counted.clone();
            async move { assert!(runs.fetch_add(1, Ordering::SeqCst) >= 2) }
        });
        task.await.unwrap();
        assert_eq!(runs.load(Ordering::SeqCst), 3);
        assert_eq!(background.statuses(), [("fails_twice", TaskStatus { is_down: false, failures: 2 })]);
    }

    #[tokio::test]
    async fn a_failed_task_is_down_until_its_restart_and_others_go_on() {
        let background = BackgroundTasks::default();
        let other = background.start("waits", AT_ONCE, std::future::pending);
        let failing = background.start("fails", NEVER, || async { panic!("on purpose") });
        while !background.is_any_task_down() {
            tokio::task::yield_now().await;
        }
        assert_eq!(background.statuses()[0], ("fails", TaskStatus { is_down: true, failures: 1 }));
        assert!(!other.is_finished());
        other.abort();
        failing.abort();
    }

    #[test]
    fn pauses_double_up_to_the_maximum() {
        let seconds = [1, 2, 3, 7, 8, u32::MAX].map(|failures| Backoff::SLOW_RESTARTS.pause(failures).as_secs());
        assert_eq!(seconds, [1, 2, 4, 60, 60, 60]);
    }
}
