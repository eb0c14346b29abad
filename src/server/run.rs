//! Lifecycle of the site process from start-up to shutdown.

use std::fs::OpenOptions;
use std::io::{self, IsTerminal as _, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use actix_web::dev::ServerHandle;
use actix_web::web;
use anyhow::Context as _;
use sqlx::ConnectOptions as _;
use tokio::signal::unix::{SignalKind, signal};

use super::metrics::{self, MetricSources};
use super::startup::{StartupProgress, serve_during_startup};
use super::{Settings, Site};
use crate::background_tasks::Backoff;
use crate::db::Database;
use crate::db::clock::Clock;
use crate::i18n::Phrase;
use crate::log::{LogGuard, print_line};
use crate::phrase;
use crate::rate::limiter::overrides;
use crate::rate_classes::sync;
use crate::state::AppState;
use crate::users::registration::create_owner;

pub async fn run(settings: Settings, log: &LogGuard) -> anyhow::Result<()> {
    // The port is bound first, so that a second process on the same port fails before it modifies any data.
    let listener = listen(settings.web.bind, "BIND")?;
    let metrics = settings.metrics_bind.map(|bind| listen(bind, "METRICS_BIND")).transpose()?;
    let secret = settings.load_secret_key()?;
    let progress = StartupProgress::default();
    progress.set_step(phrase!("starting-connecting"));
    let meanwhile = serve_during_startup(listener.try_clone()?, &settings.web, &progress)?;
    let database = prepare_database(&settings, &progress).await;
    // Clients that connect before the site is served wait in the backlog of the listener, which stays open.
    meanwhile.stop(false).await;
    let database = database?;
    let site = Site::new(settings, &secret, &database.options, &Clock::Database)?;
    site.rekey_totp_secrets().await?;
    if let Some(metrics) = metrics {
        tokio::spawn(metrics::serve(metrics, MetricSources { state: site.state.clone() })?);
    }
    serve(site, listener, &database, log).await
}

fn listen(bind: SocketAddr, variable: &str) -> anyhow::Result<TcpListener> {
    let listener = TcpListener::bind(bind).with_context(|| format!("cannot listen on {bind} ({variable})"))?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}

async fn prepare_database(settings: &Settings, progress: &StartupProgress) -> anyhow::Result<Database> {
    let tell = |doing: Phrase| progress.set_step(doing);
    let database = Database::open_with_retry(&settings.database, &tell).await?;
    if let Some(to_do) = database.upgrade_hint() {
        tracing::info!(action = %to_do, "newer PostgreSQL version available for the private database");
    }
    database.migrate(&tell).await?;
    settings.web.site.reload(&mut database.options.connect().await?).await?;
    let site = settings.web.site.current();
    if site.policy.rating_eligibility.confirmed_email && settings.mail.is_none() {
        tracing::warn!("only accounts with a confirmed email address may rate, but SMTP_URL is not set");
    }
    // The database role may not be allowed to create an index. Lists sorted by score are then slower.
    if let Err(error) = database.build_score_index(site.score_shown, &tell).await {
        tracing::warn!(error = format!("{error:#}"), "index of the displayed score not built; run `evenkeel migrate`");
    }
    Ok(database)
}

async fn serve(site: Site, listener: TcpListener, database: &Database, log: &LogGuard) -> anyhow::Result<()> {
    let mut tasks = site.housekeeping().start();
    if let Some(classes) = site.state.rate_classes.clone() {
        let pool = site.state.pool.clone();
        let share = move || sync::run(classes.clone(), pool.clone());
        tasks.push(site.state.background.start("share_rate_classes", Backoff::SLOW_RESTARTS, share));
    }
    let workers = std::thread::available_parallelism().map_or(2, usize::from);
    let server = site.create_server(listener, workers)?;
    tokio::spawn(stop_on_signals(site.state.clone(), server.handle()));
    log_active_limiter(&site.state).await;
    print_startup_message(&site.state.all_settings, create_owner::setup_url(&site.state).await.ok().flatten());
    // A failed background task is restarted and does not stop the site.
    tokio::select! {
        stopped = server => stopped?,
        never = database.supervise_private_server() => match never {},
        never = log.report_dropped_lines() => match never {},
    }
    site.shut_down(tasks).await
}

/// A database error is only logged, and does not prevent the start.
async fn log_active_limiter(state: &AppState) {
    let read = async {
        let mut connection = state.pool.acquire().await?;
        overrides::describe_site_limiter(&mut connection, &state.all_settings.rate).await
    };
    match read.await {
        Ok(limiter) => tracing::info!(limiter, "active rating limiter"),
        Err(error) => tracing::warn!(%error, "cannot read the active rating limiter"),
    }
}

/// File in `DATA_DIR` with the link that creates the owner's account.
const OWNER_LINK_FILE: &str = "owner-link.txt";

fn print_startup_message(settings: &Settings, owner: Option<String>) {
    let say = |text: String| print_line(settings.log.format.format_line("INFO", text));
    say(format!("Evenkeel is running at {}", settings.web.public_url));
    match owner {
        Some(link) => say(owner_message(&settings.database.data_dir, &link)),
        // Deletes the link of an earlier start, which no longer works.
        None => drop(std::fs::remove_file(settings.database.data_dir.join(OWNER_LINK_FILE))),
    }
    if !settings.web.production {
        let program = std::env::args().next().unwrap_or_else(|| "evenkeel".to_owned());
        say(format!("To add demo posts, run: {program} seed_demo"));
    }
    if io::stdout().is_terminal() {
        say("Press Ctrl+C to stop.".to_owned());
    }
}

/// Without a terminal, the output usually becomes a log, so the link is written to a file that only the system user of
/// the site can read.
fn owner_message(data_dir: &Path, link: &str) -> String {
    if io::stdout().is_terminal() {
        return format!("This site has no owner yet. Create the owner's account: {link}");
    }
    let path = data_dir.join(OWNER_LINK_FILE);
    let written = std::fs::create_dir_all(data_dir).and_then(|()| {
        // An existing file is deleted first, because the mode applies to new files only.
        let _ = std::fs::remove_file(&path);
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
        file.write_all(format!("{link}\n").as_bytes())
    });
    match written {
        Ok(()) => {
            format!("This site has no owner yet. The link to create the owner's account is in {}", path.display())
        }
        Err(error) => {
            tracing::warn!(%error, path = %path.display(), "cannot write the link for the owner");
            "This site has no owner yet. To create the owner's account, run: evenkeel createsuperuser".to_owned()
        }
    }
}

/// Stops at once on SIGINT (Ctrl-C), and after `drain_period` on SIGTERM, so that load balancers receive 503 from
/// `/readyz` before connections are refused. Active requests are completed unless a second signal arrives.
async fn stop_on_signals(state: web::Data<AppState>, server: ServerHandle) -> std::io::Result<()> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    tokio::select! {
        _ = interrupt.recv() => (),
        _ = terminate.recv() => {
            state.health.start_draining();
            let drain = state.all_settings.drain_period;
            tracing::info!(seconds = drain.as_secs(), "draining requests before shutdown");
            tokio::select! {
                () = tokio::time::sleep(drain) => (),
                _ = interrupt.recv() => (),
                _ = terminate.recv() => (),
            }
        }
    }
    // Open event streams would otherwise delay the shutdown for minutes.
    if let Some(classes) = &state.rate_classes {
        classes.close_event_streams();
    }
    tokio::select! {
        () = server.stop(true) => (),
        _ = interrupt.recv() => server.stop(false).await,
        _ = terminate.recv() => server.stop(false).await,
    }
    Ok(())
}
