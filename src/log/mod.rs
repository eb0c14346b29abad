//! The log, and messages in the terminal. Neither holds the program up: a line that cannot be written is dropped and
//! counted, whether the disk is full, nobody reads the pipe, or the pipe is closed.

mod settings;
mod traces;

use std::io::{self, IsTerminal as _, Write};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use tracing_appender::non_blocking::{ErrorCounter, NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::layer::{Layer as _, SubscriberExt as _};
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, Registry, fmt};

pub use self::settings::{Form, Settings};
use self::traces::Traces;
pub use self::traces::is_traced;

/// Lines that wait for a slow reader; more are dropped.
const MAX_WAITING: usize = 8_192;

/// How often the log says how many lines were dropped.
const TELL_EVERY: Duration = Duration::from_secs(10);

/// Lines that could not be written.
static UNWRITTEN: AtomicU64 = AtomicU64::new(0);

/// The log works as long as this is held. Dropping it writes the last lines, if that takes no longer than a second.
pub struct Log {
    pub form: Form,
    _writing: WorkerGuard,
    overflowed: ErrorCounter,
    /// None where no traces are sent. Dropping it sends the last ones.
    _traces: Option<Traces>,
}

/// Sends the log to standard error, from a thread of its own, and traces to where the settings say. `RUST_LOG` sets the
/// level of both. Panics are logged, too. Not to be called where async code runs.
///
/// # Errors
/// If traces cannot be sent to such an address.
pub fn init(settings: &Settings) -> anyhow::Result<Log> {
    // What actix_http logs as errors are mistakes of clients. `web::connection` logs them, with the client.
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| {
        "info,actix_http=off,actix_server=warn,actix_session=warn,sqlx::postgres::notice=error,sqlx::pool=warn".into()
    });
    let builder = NonBlockingBuilder::default().lossy(true).buffered_lines_limit(MAX_WAITING).thread_name("log");
    let (lines, writing) = builder.finish(Lossy(io::stderr()));
    let overflowed = lines.error_counter();
    let written = fmt::layer().with_writer(lines).log_internal_errors(false);
    let written = match settings.form {
        Form::Text => written.with_ansi(io::stderr().is_terminal()).boxed(),
        // One object on each line, with what its request is called by.
        Form::Json => written.json().flatten_event(true).with_current_span(true).with_span_list(false).boxed(),
    };
    let traces = settings.traces_to.as_ref().map(Traces::new).transpose()?;
    let exported = traces.as_ref().map(Traces::layer);
    Registry::default().with(exported).with(written).with(filter).init();
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string);
        tracing::error!(place, panic = panic.payload_as_str().unwrap_or("?"), "panic");
    }));
    Ok(Log { form: settings.form, _writing: writing, overflowed, _traces: traces })
}

impl Log {
    /// Lines that were dropped since the start.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        let overflowed = u64::try_from(self.overflowed.dropped_lines()).unwrap_or(u64::MAX);
        UNWRITTEN.load(Ordering::Relaxed).saturating_add(overflowed)
    }

    /// Logs how many lines were dropped, every time that there are new ones. Runs until it is dropped.
    pub async fn tell_dropped(&self) -> std::convert::Infallible {
        let mut told = 0;
        loop {
            tokio::time::sleep(TELL_EVERY).await;
            let dropped = self.dropped();
            if dropped > told {
                tracing::warn!(lines = dropped - told, "log lines dropped");
                // If this line is dropped as well, it is counted the next time.
                told = dropped;
            }
        }
    }
}

/// A writer that never fails: it counts what could not be written.
struct Lossy<W>(W);

impl<W: Write> Write for Lossy<W> {
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

/// Whether something could not be written to the standard output.
static OUTPUT_FAILED: AtomicBool = AtomicBool::new(false);

/// Prints one line to the standard output. It may quote text of others: control characters, line breaks and characters that
/// change the direction of text are escaped. Does not panic if that fails, as `println!` does.
pub fn say(text: impl std::fmt::Display) {
    say_lines(escaped(&text.to_string()));
}

/// Prints several lines to the standard output, as they are.
pub fn say_lines(text: impl std::fmt::Display) {
    // A reader that closes its pipe, as `head` does, has read enough.
    if let Err(error) = writeln!(io::stdout(), "{text}")
        && error.kind() != io::ErrorKind::BrokenPipe
    {
        OUTPUT_FAILED.store(true, Ordering::Relaxed);
    }
}

/// Whether everything that was printed could be written.
#[must_use]
pub fn output_is_complete() -> bool {
    !OUTPUT_FAILED.load(Ordering::Relaxed)
}

/// Prints one line to the standard error, with the same escapes as [`say`].
pub fn complain(text: impl std::fmt::Display) {
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
