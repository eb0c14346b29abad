//! Log output and terminal messages. Logging never blocks: log lines that cannot be written are dropped and counted.

mod settings;

use std::io::{self, IsTerminal as _, Write};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use tracing_appender::non_blocking::{ErrorCounter, NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::layer::{Layer as _, SubscriberExt as _};
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, Registry, fmt};

pub use self::settings::{LogFormat, Settings};

const MAX_BUFFERED_LINES: usize = 8_192;

/// Interval between warnings about dropped log lines.
const REPORT_INTERVAL: Duration = Duration::from_secs(10);

/// Number of log lines that could not be written to standard error.
static UNWRITTEN: AtomicU64 = AtomicU64::new(0);

/// Handle to the running log. Dropping the handle writes the buffered log lines, for at most one second.
pub struct LogGuard {
    pub format: LogFormat,
    _writing: WorkerGuard,
    overflowed: ErrorCounter,
}

/// Starts logging to standard error from a separate thread. Also logs panics.
pub fn init(settings: &Settings) -> LogGuard {
    // `actix_http` logs invalid requests of clients as errors, without the address of the client.
    let filter = EnvFilter::new(settings.filter.as_deref().unwrap_or(
        "info,actix_http=off,actix_server=warn,actix_session=warn,sqlx::postgres::notice=error,sqlx::pool=warn",
    ));
    let builder = NonBlockingBuilder::default().lossy(true).buffered_lines_limit(MAX_BUFFERED_LINES).thread_name("log");
    let (lines, writing) = builder.finish(LossyWriter(io::stderr()));
    let overflowed = lines.error_counter();
    let written = fmt::layer().with_writer(lines).log_internal_errors(false);
    let written = match settings.format {
        LogFormat::Text => written.with_ansi(io::stderr().is_terminal()).boxed(),
        LogFormat::Json => written.json().flatten_event(true).with_current_span(true).with_span_list(false).boxed(),
    };
    Registry::default().with(written).with(filter).init();
    std::panic::set_hook(Box::new(|panic| {
        let location = panic.location().map(ToString::to_string);
        tracing::error!(location, panic = panic.payload_as_str().unwrap_or("?"), "panic");
    }));
    LogGuard { format: settings.format, _writing: writing, overflowed }
}

impl LogGuard {
    pub fn dropped_lines(&self) -> u64 {
        let overflowed = u64::try_from(self.overflowed.dropped_lines()).unwrap_or(u64::MAX);
        UNWRITTEN.load(Ordering::Relaxed).saturating_add(overflowed)
    }

    pub async fn report_dropped_lines(&self) -> std::convert::Infallible {
        let mut reported = 0;
        loop {
            tokio::time::sleep(REPORT_INTERVAL).await;
            let dropped = self.dropped_lines();
            if dropped > reported {
                tracing::warn!(lines = dropped - reported, "log lines dropped");
                // If this warning itself is dropped, the next warning includes it in the number of dropped lines.
                reported = dropped;
            }
        }
    }
}

/// Writer that never fails. Counts failed writes in [`UNWRITTEN`].
struct LossyWriter<W>(W);

impl<W: Write> Write for LossyWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.write_all(bytes).is_err() {
            UNWRITTEN.fetch_add(1, Ordering::Relaxed);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let _ = self.0.flush();
        Ok(())
    }
}

/// True once a write to standard output has failed. Closed pipes do not count.
static OUTPUT_FAILED: AtomicBool = AtomicBool::new(false);

/// Prints one line to standard output. Escapes control characters, line breaks and bidirectional formatting characters,
/// because the text may contain user input. Unlike `println!`, it does not panic on write errors.
pub fn print_line(text: impl std::fmt::Display) {
    print_unescaped(escaped(&text.to_string()));
}

pub fn print_unescaped(text: impl std::fmt::Display) {
    // A closed pipe is no error: `head`, for example, closes its input once it has read enough lines.
    if let Err(error) = writeln!(io::stdout(), "{text}")
        && error.kind() != io::ErrorKind::BrokenPipe
    {
        OUTPUT_FAILED.store(true, Ordering::Relaxed);
    }
}

pub fn is_output_complete() -> bool {
    !OUTPUT_FAILED.load(Ordering::Relaxed)
}

/// Prints one line to standard error, escaped like the output of [`print_line`].
pub fn print_error(text: impl std::fmt::Display) {
    let _ = writeln!(io::stderr(), "{}", escaped(&text.to_string()));
}

fn escaped(text: &str) -> String {
    let is_hidden = |c: char| c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    text.chars().fold(String::with_capacity(text.len()), |mut line, c| {
        if is_hidden(c) {
            line.extend(c.escape_default());
        } else {
            line.push(c);
        }
        line
    })
}
