//! Background task that sends the emails in the outbox.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use lettre::Message;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use sqlx::PgPool;
use tokio::sync::Mutex;
use tokio::time::timeout;

use super::message::StoredMail;
use super::outbox::{LeasedMail, Outbox, lease_due_mail};
use super::settings::{Settings, SmtpServer, Transport};
use super::smtp::{Connection, SendError};
use crate::db::Availability;
use crate::db::clock::Clock;
use crate::log::print_unescaped;
use evenkeel_limiters::{Pacer, PacerParams, PacerState};

/// Interval between checks of the outbox for emails of other instances and for due retries.
const POLL_INTERVAL: Duration = Duration::from_secs(5);

const STOP_TIMEOUT: Duration = Duration::from_secs(10);

#[derive(Debug)]
pub struct DeliveryTask {
    settings: Settings,
    outbox: Outbox,
    pool: PgPool,
    clock: Clock,
    pacer: Pacer,
    /// Locked while emails are sent, so that only one batch is sent at a time.
    server: Mutex<PacerState>,
    is_stopping: AtomicBool,
    pub outcomes: Family<[(&'static str, &'static str); 1], Counter>,
}

enum Outcome {
    Sent,
    Dropped(String),
    /// The lease of this instance expired, and another instance has claimed the email.
    Elsewhere,
    Later(String),
    /// The connection failed before the content was sent, or the server accepts no emails at all. The email is retried.
    Lost(String),
    /// No connection could be opened, so no attempt was made to send the email.
    ServerUnavailable(String),
}

impl Outcome {
    fn name(&self) -> &'static str {
        match self {
            Self::Sent => "sent",
            Self::Dropped(_) => "abandoned",
            Self::Elsewhere => "elsewhere",
            Self::Later(_) | Self::Lost(_) => "retry",
            Self::ServerUnavailable(_) => "server_unavailable",
        }
    }
}

impl DeliveryTask {
    pub fn new(settings: Settings, outbox: Outbox, pool: PgPool, clock: Clock) -> Self {
        // Backoff while the server is unavailable: 5 to 10 seconds, doubled after each failure, up to 15 minutes.
        let params = PacerParams { base_ms: 5_000, max_ms: 900_000, initial_max_ms: 0 };
        let pacer = Pacer::new(params).unwrap_or_default();
        Self {
            settings,
            outbox,
            pool,
            clock,
            pacer,
            server: Mutex::new(pacer.record_success(0, None)),
            is_stopping: AtomicBool::default(),
            outcomes: Family::default(),
        }
    }

    pub async fn run(&self, availability: &Availability) {
        loop {
            availability.wait_until_available().await;
            if let Err(error) = self.send_due_mail().await {
                tracing::error!(%error, "mail delivery interrupted by a database error; will be retried");
                availability.report_error(&error);
            }
            let _ = timeout(POLL_INTERVAL, self.outbox.wait_for_mail()).await;
        }
    }

    /// Waits up to ten seconds for the current email, which may otherwise be lost or delayed until its lease ends.
    pub async fn stop(&self) {
        self.is_stopping.store(true, Ordering::Relaxed);
        if timeout(STOP_TIMEOUT, self.server.lock()).await.is_err() {
            tracing::warn!("stopping while the mail server is still receiving an email; the email may be lost");
        }
    }

    /// Sends the due emails, except during the backoff of the mail server.
    pub async fn send_due_mail(&self) -> sqlx::Result<()> {
        let mut server = self.server.lock().await;
        let mut connection = None;
        while !self.is_stopping.load(Ordering::Relaxed) {
            let now = self.clock.read(&mut *self.pool.acquire().await?).await?.timestamp_millis();
            if !self.pacer.check(&mut server, now).allowed {
                break;
            }
            let Some(claimed) = lease_due_mail(&self.pool, &self.clock).await? else { break };
            let fate = self.send(&claimed, &mut connection).await?;
            *server = match &fate {
                Outcome::Lost(why) | Outcome::ServerUnavailable(why) => {
                    tracing::warn!(error = why, "mail server unavailable; delivery will be retried");
                    self.pacer.record_failure(&server, now, rand::random()).unwrap_or(*server)
                }
                _ => self.pacer.record_success(now, None),
            };
            self.settle(&claimed, fate).await?;
        }
        if let Some(connection) = connection {
            connection.close().await;
        }
        Ok(())
    }

    async fn settle(&self, claimed: &LeasedMail, fate: Outcome) -> sqlx::Result<()> {
        let (id, kind) = (claimed.mail.id, &claimed.mail.kind);
        self.outcomes.get_or_create(&[("result", fate.name())]).inc();
        match fate {
            Outcome::Sent => {
                claimed.delete(&self.pool).await?;
                tracing::info!(mail = id, kind, "mail sent");
            }
            Outcome::Dropped(why) => {
                claimed.delete(&self.pool).await?;
                tracing::warn!(mail = id, kind, error = why, "giving up on the delivery of an email");
            }
            Outcome::Elsewhere => tracing::info!(mail = id, kind, "mail claimed by another instance"),
            Outcome::Later(why) | Outcome::Lost(why) => {
                claimed.schedule_retry(&self.pool, &self.clock).await?;
                tracing::info!(mail = id, kind, error = why, "mail delivery failed; will be retried");
            }
            Outcome::ServerUnavailable(_) => claimed.release_lease(&self.pool).await?,
        }
        Ok(())
    }

    async fn send(&self, claimed: &LeasedMail, connection: &mut Option<Connection>) -> sqlx::Result<Outcome> {
        let message = match claimed.mail.build_message(&self.settings.from) {
            Ok(message) => message,
            Err(error) => return Ok(Outcome::Dropped(error.to_string())),
        };
        match &self.settings.transport {
            Transport::Smtp(server) => self.over_smtp(server, claimed, &message, connection).await,
            // The email is marked as handed over before it is printed: a crash may lose the email, but the email is
            // never printed twice.
            Transport::Console => {
                if claimed.mark_handed_over(&self.pool).await? {
                    print_unescaped(format_for_console(&claimed.mail));
                }
                Ok(Outcome::Sent)
            }
            Transport::Folder(folder) => Ok(match write(folder, &claimed.mail, &message) {
                Ok(()) => Outcome::Sent,
                Err(error) => Outcome::Later(format!("cannot write to {}: {error}", folder.display())),
            }),
        }
    }

    async fn over_smtp(
        &self,
        server: &SmtpServer,
        claimed: &LeasedMail,
        message: &Message,
        open: &mut Option<Connection>,
    ) -> sqlx::Result<Outcome> {
        let mut connection = match open.take() {
            Some(connection) => connection,
            None => match Connection::open(server).await {
                Ok(connection) => connection,
                Err(error) => return Ok(Outcome::ServerUnavailable(error.to_string())),
            },
        };
        let sent = match connection.start_message(message).await {
            Ok(()) if !claimed.mark_handed_over(&self.pool).await? => {
                return Ok(Outcome::Elsewhere);
            }
            Ok(()) => connection.send_content(message).await,
            Err(error) => Err(error),
        };
        let (fate, is_usable) = match sent {
            Ok(()) => (Outcome::Sent, true),
            Err(error @ SendError::Permanent(_)) => (Outcome::Dropped(error.to_string()), connection.reset().await),
            Err(error @ SendError::Transient(_)) => (Outcome::Later(error.to_string()), connection.reset().await),
            Err(error @ SendError::ServerUnavailable(_)) => (Outcome::Lost(error.to_string()), false),
            Err(error @ SendError::OutcomeUnknown(_)) => (Outcome::Dropped(error.to_string()), false),
        };
        *open = is_usable.then_some(connection);
        Ok(fate)
    }
}

fn format_for_console(mail: &StoredMail) -> String {
    format!("--- mail to {}: {}\n{}\n---", mail.recipient, mail.subject, mail.body_text)
}

/// The file name is derived from the id of the email, so that a retry replaces the file.
fn write(folder: &Path, mail: &StoredMail, message: &Message) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    let name = format!("{}-{}", mail.created_at.timestamp_micros(), mail.id);
    let unfinished = folder.join(format!(".{name}.part"));
    std::fs::write(&unfinished, message.formatted())?;
    std::fs::rename(unfinished, folder.join(format!("{name}.eml")))
}
