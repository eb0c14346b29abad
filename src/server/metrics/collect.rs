//! Collection of the current metrics of an instance.

use std::sync::atomic::AtomicU64;
use std::time::Duration;

use actix_web::web;
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike as _;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::{Registry, Unit};
use tokio::time::timeout;

use super::samples::{DecisionSample, collect_limiter_decision_samples};
use crate::admin::dashboard::overview::{PendingCounts, count_pending_items};
use crate::custom_limits::LimitName;
use crate::db::latest_migration;
use crate::disk_space;
use crate::page_cache::PageCache;
use crate::rate::WriterMetrics;
use crate::state::AppState;
use crate::web::state::CoreState;

/// Time limit for metrics from the database, after which the response contains only other metrics.
const DATABASE_TIMEOUT: Duration = Duration::from_secs(1);

pub struct MetricSources {
    pub state: web::Data<AppState>,
}

type Labels<const N: usize> = [(&'static str, &'static str); N];

impl MetricSources {
    pub async fn encode(&self) -> String {
        let waiting = self.pending_items().await;
        let mut all = Registry::default();
        self.process(&mut all);
        let own = all.sub_registry_with_prefix("evenkeel");
        self.requests(own);
        self.limiters(own);
        self.ratings(own);
        self.database(own, waiting.is_some());
        self.permits_and_build(own);
        self.background_tasks(own);
        if let Some(waiting) = waiting {
            register_pending_items(own, waiting);
        }
        let mut text = String::new();
        let _ = encode(&mut text, &all);
        text
    }

    async fn pending_items(&self) -> Option<PendingCounts> {
        let counts =
            timeout(DATABASE_TIMEOUT, async { count_pending_items(&mut *self.state.pool.acquire().await?).await })
                .await;
        counts.ok()?.ok()
    }

    fn requests(&self, registry: &mut Registry) {
        let metrics = &self.state.response_metrics;
        registry.register("http_requests", "HTTP requests by route, method and status", metrics.requests.clone());
        let seconds = metrics.seconds.clone();
        registry.register_with_unit("http_request_duration", "Duration of HTTP requests", Unit::Seconds, seconds);
        let PageCache { hits, misses, .. } = &*self.state.page_cache;
        let lookups = counters("result", [("hit", hits.get()), ("miss", misses.get())]);
        registry.register("page_cache_requests", "Requests of anonymous users by page cache result", lookups);
    }

    fn limiters(&self, registry: &mut Registry) {
        let decisions = Family::<Labels<3>, Counter>::default();
        for DecisionSample { class, limiter, outcome, total } in collect_limiter_decision_samples(&self.state) {
            decisions.get_or_create(&[("class", class), ("limiter", limiter), ("outcome", outcome)]).inc_by(total);
        }
        let uses = LimitName::ALL.map(|limit| (limit.name(), self.state.custom_limits.use_count(limit)));
        registry.register("custom_limit_uses", "Requests that a custom limit applied to", counters("limit", uses));
        if let Some(is_up) = self.state.rate_classes.as_ref().and_then(|classes| classes.is_limiter_store_available()) {
            let what = "1 if the last request could be counted in the limiter store, otherwise 0";
            registry.register("limiter_store_up", what, gauge(i64::from(is_up)));
        }
        registry.register("limiter_decisions", "Decisions of rating limiters, throttles and rate classes", decisions);
    }

    fn ratings(&self, registry: &mut Registry) {
        let WriterMetrics { queued, batch_size, batch_seconds, failed, pauses } = self.state.writer.metrics();
        registry.register("ratings_queued", "Ratings in the queue of the rating writer", queued.clone());
        registry.register("rating_batch_size", "Ratings per transaction of the rating writer", batch_size.clone());
        let took = "Duration of writing a batch of ratings, including the commit";
        registry.register_with_unit("rating_batch_duration", took, Unit::Seconds, batch_seconds.clone());
        registry.register("ratings_failed", "Ratings not written because of an error", failed.clone());
        registry.register("zombie_pauses", "Failed rating attempts beyond the limit, by effect", pauses.clone());
    }

    fn database(&self, registry: &mut Registry, answers: bool) {
        let connections = Family::<Labels<2>, Gauge>::default();
        let maximums = Family::<Labels<1>, Gauge>::default();
        let CoreState { pool, lookup_pool, read_server, .. } = &**self.state.core;
        for (name, pool) in [
            ("requests", pool),
            ("lookups", lookup_pool),
            ("searches", self.state.searcher.pool()),
            ("ratings", &self.state.writer_pool),
        ]
        .into_iter()
        .chain(read_server.iter().map(|server| ("reads", &server.pool)))
        {
            let (all, idle) = (i64::from(pool.size()), i64::try_from(pool.num_idle()).unwrap_or(i64::MAX));
            connections.get_or_create(&[("pool", name), ("state", "idle")]).set(idle);
            connections.get_or_create(&[("pool", name), ("state", "used")]).set((all - idle).max(0));
            maximums.get_or_create(&[("pool", name)]).set(i64::from(pool.options().get_max_connections()));
        }
        registry.register("database_connections", "Open connections to the database by pool and state", connections);
        registry.register("database_connections_max", "Maximum connections of each pool", maximums);
        let up = !self.state.availability.is_down() && answers;
        registry.register("database_up", "1 if the database responds, otherwise 0", gauge(i64::from(up)));
        let is_writable = up && !self.state.availability.is_read_only();
        registry.register(
            "database_writable",
            "1 if the database accepts writes, otherwise 0",
            gauge(i64::from(is_writable)),
        );
    }

    fn permits_and_build(&self, registry: &mut Registry) {
        let counts = Family::<Labels<2>, Gauge>::default();
        for (work, permits) in
            [("hashing", self.state.accounts.hasher.hashing_permits()), ("searching", self.state.searcher.permits())]
        {
            let used = permits.total().saturating_sub(permits.available());
            for (state, count) in [("free", permits.available()), ("used", used)] {
                counts.get_or_create(&[("work", work), ("state", state)]).set(i64::try_from(count).unwrap_or(i64::MAX));
            }
        }
        registry.register(
            "permits",
            "Permits for expensive work by state; requests wait while no permit is free",
            counts,
        );
        let hashes = Counter::<u64>::default();
        hashes.inc_by(self.state.accounts.hasher.computed_hashes());
        registry.register("password_hashes", "Password hashes computed for new passwords and sign-ins", hashes);
        if let Some(mail) = &self.state.mail_delivery {
            registry.register("mails", "Mail delivery attempts of this instance by result", mail.outcomes.clone());
        }
        let sent = self.state.webhooks.outcomes.clone();
        registry.register("webhooks", "Webhook delivery attempts of this instance by result", sent);
        if let Some(free) = disk_space::free_bytes(&self.state.all_settings.database.data_dir) {
            let what = "Free space on the disk of DATA_DIR";
            registry.register_with_unit("disk_free", what, Unit::Bytes, gauge(free));
        }
        let build = [("version", env!("CARGO_PKG_VERSION").to_owned()), ("migration", latest_migration().to_string())];
        registry.register("build", "Version and latest migration of the program", Info::new(build));
    }

    fn background_tasks(&self, registry: &mut Registry) {
        let (up, failures) = (Family::<Labels<1>, Gauge>::default(), Family::<Labels<1>, Counter>::default());
        for (task, status) in self.state.background.statuses() {
            up.get_or_create(&[("task", task)]).set(i64::from(!status.is_down));
            failures.get_or_create(&[("task", task)]).inc_by(status.failures);
        }
        registry.register(
            "background_task_up",
            "0 while a failed background task waits to be restarted, otherwise 1",
            up,
        );
        registry.register("background_task_failures", "Failures of background tasks", failures);
    }

    /// Registers process metrics with the standard Prometheus names.
    fn process(&self, registry: &mut Registry) {
        let started = Gauge::<f64, AtomicU64>::default();
        started.set(seconds(self.state.started_at_micros));
        registry.register_with_unit(
            "process_start_time",
            "Start time of the process since the Unix epoch",
            Unit::Seconds,
            started,
        );
        if let Ok(usage) = getrusage(UsageWho::RUSAGE_SELF) {
            let all = Counter::<f64, AtomicU64>::default();
            all.inc_by(seconds((usage.user_time() + usage.system_time()).num_microseconds()));
            registry.register_with_unit("process_cpu", "CPU time, user and system", Unit::Seconds, all);
        }
        if let Some(bytes) = resident_bytes() {
            registry.register_with_unit("process_resident_memory", "Resident memory", Unit::Bytes, gauge(bytes));
        }
        if let Ok(files) = std::fs::read_dir("/proc/self/fd") {
            let count = i64::try_from(files.count()).unwrap_or(i64::MAX);
            registry.register("process_open_fds", "Open file descriptors", gauge(count));
        }
    }
}

fn register_pending_items(
    registry: &mut Registry,
    PendingCounts { reports, posts, mails, links, pauses, webhooks }: PendingCounts,
) {
    let what = "Pending items by kind, counted up to 1,000; all instances report the same numbers";
    let waiting = Family::<Labels<1>, Gauge>::default();
    let counts = [
        ("reports", reports),
        ("posts", posts),
        ("mails", mails),
        ("flagged_urls", links),
        ("pauses", pauses),
        ("webhooks", webhooks),
    ];
    for (kind, count) in counts {
        waiting.get_or_create(&[("kind", kind)]).set(count);
    }
    registry.register("pending", what, waiting);
}

#[expect(clippy::cast_precision_loss, reason = "microseconds since the epoch are below 2^53")]
fn seconds(micros: i64) -> f64 {
    micros as f64 / 1e6
}

fn gauge(value: i64) -> Gauge {
    let gauge = Gauge::default();
    gauge.set(value);
    gauge
}

fn counters<const N: usize>(label: &'static str, totals: [(&'static str, u64); N]) -> Family<Labels<1>, Counter> {
    let family = Family::<Labels<1>, Counter>::default();
    for (value, total) in totals {
        family.get_or_create(&[(label, value)]).inc_by(total);
    }
    family
}

/// Resident memory of the process in bytes; `None` on systems other than Linux.
fn resident_bytes() -> Option<i64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: i64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes.saturating_mul(1_024))
}
