//! The command line: starts what the other modules make. The only place that exits.

use std::io::{IsTerminal as _, Write as _};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::str::FromStr as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD_NO_PAD;
use clap::{Parser, Subcommand};
use evenkeel::commands::{replay, seed_demo};
use evenkeel::database::clock::Clock;
use evenkeel::database::{self, Cluster, ClusterOptions, is_passing};
use evenkeel::log::{self, Log, complain, say};
use evenkeel::site::Site;
use evenkeel::site::settings::{SecretKey, Settings};
use evenkeel::site::starting::{Progress, answer_meanwhile};
use evenkeel::users::password::EASY_TO_GUESS;
use evenkeel::users::{Email, Hasher, Password, Username, models};
use evenkeel::web::error::chain;
use evenkeel::web::payload::Field;
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{ConnectOptions as _, Connection as _, PgPool};

/// A blog whose ratings keep an even keel. Without a command it runs the site.
#[derive(Parser)]
#[command(version, rename_all = "snake_case")]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
#[command(rename_all = "snake_case")]
enum Command {
    /// Runs the site until it is stopped (the default)
    Runserver,
    /// Applies the migrations that the database does not have yet
    Migrate,
    /// Makes a user who may edit and delete all posts
    Createsuperuser {
        /// Asks nothing: `EVENKEEL_SUPERUSER_USERNAME`, _EMAIL and _PASSWORD say it all
        #[arg(long)]
        noinput: bool,
        #[arg(long)]
        username: Option<String>,
        #[arg(long)]
        email: Option<String>,
    },
    /// Gives a user a new password and signs them out everywhere
    Changepassword { username: String },
    /// Checks the settings and the database; with --deploy, whether they are fit for the internet
    Check {
        #[arg(long)]
        deploy: bool,
    },
    /// Shows what each limiter would have done with the ratings of the past, or with traffic made up
    Replay(replay::command::Arguments),
    /// Fills the database with authors, posts and ratings to look at
    SeedDemo {
        /// Also where there are posts already
        #[arg(long)]
        force: bool,
    },
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let log = log::init();
    // Rust ignores SIGPIPE; a closed terminal then ends in an error, which is fine.
    let result = actix_web::rt::System::new().block_on(run(arguments.command.unwrap_or(Command::Runserver), &log));
    // Its last lines come before ours.
    drop(log);
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            complain(format!("evenkeel: {}", chain(&error)));
            ExitCode::FAILURE
        }
    }
}

async fn run(command: Command, log: &Log) -> anyhow::Result<()> {
    if let Err(error) = dotenvy::dotenv()
        && !error.not_found()
    {
        // Not the line itself: it may hold a secret.
        match error {
            dotenvy::Error::LineParse(..) => bail!(".env has a line that is not NAME=value"),
            other => bail!(".env cannot be read: {other}"),
        }
    }
    let settings = Settings::from_env()?;
    match command {
        Command::Runserver => run_server(settings, log).await,
        Command::Migrate => {
            let database = Database::open(&settings).await?;
            migrate(&database.options).await?;
            say(format!("The database has all {} migrations.", database::MIGRATOR.iter().count()));
            Ok(())
        }
        Command::Createsuperuser { noinput, username, email } => {
            create_superuser(&settings, noinput, username, email).await
        }
        Command::Changepassword { username } => change_password(&settings, &username).await,
        Command::Check { deploy } => check(&settings, deploy).await,
        Command::Replay(arguments) => {
            say(arguments.run()?.trim_end());
            Ok(())
        }
        Command::SeedDemo { force } => seed(&settings, force).await,
    }
}

async fn run_server(settings: Settings, log: &Log) -> anyhow::Result<()> {
    // First of all: two sites cannot share a port, and the second should not touch anything.
    let listener =
        TcpListener::bind(settings.bind).with_context(|| format!("cannot listen on {} (BIND)", settings.bind))?;
    listener.set_nonblocking(true)?;
    let secret = secret_key(&settings)?;
    let progress = Progress::new(&settings);
    progress.tell("connecting to the database");
    let meanwhile = answer_meanwhile(listener.try_clone()?, &settings, &progress)?;
    let database = prepare(&settings, &progress).await;
    // Whoever has connected meanwhile waits in the queue of the listener, which stays open.
    meanwhile.stop(false).await;
    let database = database?;
    let url = settings.public_url.clone();
    let mut site = Site::new(settings, &secret, &database.options, Clock::Database)?;
    let mut house = tokio::spawn(Site::keep_house(site.state().clone()));
    let mut sharing = tokio::spawn(Site::share_classes(site.classes().cloned(), site.state().pool.clone()));
    let workers = std::thread::available_parallelism().map_or(2, usize::from);
    let server = site.server(listener, workers)?;
    let handle = server.handle();
    tokio::spawn(Site::stop_on_signals(site.state().clone(), site.classes().cloned(), server.handle()));
    say(format!("Evenkeel is at {url}"));
    let program = std::env::args().next().unwrap_or_else(|| "evenkeel".to_owned());
    say(format!("Open it in a browser and register. For posts to look at: {program} seed_demo"));
    say("Ctrl-C stops it.");
    // None of these ends by itself. A site without one of them would look well and not be: then it ends as a whole.
    let failure = tokio::select! {
        stopped = server => {
            stopped?;
            None
        }
        never = database.keep_running() => match never {},
        never = log.tell_dropped() => match never {},
        error = site.writer_ended() => Some(error),
        ended = &mut house => Some(anyhow::anyhow!("housekeeping ended: {ended:?}")),
        ended = &mut sharing => Some(anyhow::anyhow!("sharing rate classes ended: {ended:?}")),
    };
    house.abort();
    sharing.abort();
    if let Some(failure) = failure {
        tracing::error!(cause = chain(&failure), "a task of the site ended, and the site with it");
        handle.stop(false).await;
        return Err(failure);
    }
    site.finish().await
}

/// The database, reachable and with all migrations.
async fn prepare(settings: &Settings, progress: &Progress) -> anyhow::Result<Database> {
    let database = Database::wait_for(settings, progress).await?;
    database::migrate(&database.options, &|doing| progress.tell(doing)).await.context("migrating")?;
    Ok(database)
}

/// The configured server, or the private one, which runs as long as this is held.
struct Database {
    options: PgConnectOptions,
    cluster: Option<Arc<Cluster>>,
}

impl Database {
    /// As [`open`](Self::open), also where the configured server is not there yet.
    async fn wait_for(settings: &Settings, progress: &Progress) -> anyhow::Result<Self> {
        let (begin, mut pause, mut told) = (Instant::now(), Duration::from_millis(100), None);
        loop {
            let error = match Self::open(settings).await {
                Ok(database) => return Ok(database),
                Err(error) => error,
            };
            let passing = error.chain().find_map(|cause| cause.downcast_ref::<sqlx::Error>()).is_some_and(is_passing);
            let wait = settings.database_wait;
            if !passing || settings.database_url.is_none() || wait.is_zero() {
                return Err(error);
            }
            let left = wait.saturating_sub(begin.elapsed());
            if left.is_zero() {
                let waited = format!("{} seconds were waited for it (DATABASE_WAIT_SECONDS)", wait.as_secs());
                return Err(error.context(waited));
            }
            let cause = chain(&error);
            if told.as_ref() != Some(&cause) {
                tracing::warn!(cause, seconds = settings.database_wait.as_secs(), "waiting for the database");
                progress.tell("waiting for its database");
                told = Some(cause);
            }
            tokio::time::sleep(pause.min(left)).await;
            pause = (pause * 2).min(Duration::from_secs(2));
        }
    }

    async fn open(settings: &Settings) -> anyhow::Result<Self> {
        if let Some(url) = &settings.database_url {
            let options = PgConnectOptions::from_str(url).context("DATABASE_URL is not a PostgreSQL address")?;
            connect(&options).await.context("the database of DATABASE_URL cannot be reached")?;
            return Ok(Self { options, cluster: None });
        }
        let options =
            ClusterOptions { dir: settings.data_dir.clone(), fallback_dir: "/var/lib/evenkeel".into(), durable: true };
        let first = Self::start(options.clone()).await?;
        if connect(&first.options).await.is_ok() {
            return Ok(first);
        }
        // Its last user may have left just as we came: then it is stopping, and is started anew.
        drop(first);
        let second = Self::start(options).await?;
        connect(&second.options).await.context("the private PostgreSQL cannot be reached")?;
        Ok(second)
    }

    async fn start(options: ClusterOptions) -> anyhow::Result<Self> {
        let cluster = tokio::task::spawn_blocking(move || Cluster::start(&options)).await??;
        Ok(Self { options: cluster.connect_options(), cluster: Some(Arc::new(cluster)) })
    }

    /// Starts the private server again whenever it was killed.
    async fn keep_running(&self) -> std::convert::Infallible {
        loop {
            tokio::time::sleep(Duration::from_secs(1)).await;
            let Some(cluster) = self.cluster.clone() else { continue };
            match tokio::task::spawn_blocking(move || cluster.revive()).await {
                Ok(Ok(false)) | Err(_) => (),
                Ok(Ok(true)) => tracing::warn!("the private PostgreSQL was gone and is started again"),
                Ok(Err(error)) => tracing::error!(%error, "the private PostgreSQL is gone and cannot be started"),
            }
        }
    }

    /// A connection to a database with all migrations.
    async fn migrated(&self) -> anyhow::Result<PgConnection> {
        migrate(&self.options).await?;
        Ok(self.options.connect().await?)
    }
}

/// Applies the migrations that are missing, and tells what takes long.
async fn migrate(options: &PgConnectOptions) -> anyhow::Result<()> {
    database::migrate(options, &|doing| tracing::info!("{doing}")).await.context("migrating")
}

async fn connect(options: &PgConnectOptions) -> sqlx::Result<()> {
    options.connect().await?.close().await
}

/// The configured key, or one made at the first start and kept beside the database.
fn secret_key(settings: &Settings) -> anyhow::Result<SecretKey> {
    if let Some(key) = &settings.secret_key {
        return Ok(key.clone());
    }
    let path = settings.data_dir.join("secret_key");
    if !path.exists() {
        let made = make_secret_key(&settings.data_dir, &path);
        if made.with_context(|| format!("cannot make {}", path.display()))? {
            tracing::warn!(path = %path.display(), "a new secret key was made: keep it, or everybody is signed out");
        }
    }
    let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    SecretKey::from_text(&text).map_err(|problem| anyhow::anyhow!("the key in {} {problem}", path.display()))
}

/// Written whole under another name first, so that whoever starts beside us reads all of it or none. Returns whether it
/// was us who made it.
fn make_secret_key(dir: &Path, path: &Path) -> std::io::Result<bool> {
    use std::os::unix::fs::OpenOptionsExt as _;
    std::fs::create_dir_all(dir)?;
    let unfinished: PathBuf = dir.join(format!("secret_key.{}", std::process::id()));
    let mut file = std::fs::OpenOptions::new().create(true).truncate(true).write(true).mode(0o600).open(&unfinished)?;
    let key = BASE64_STANDARD_NO_PAD.encode(rand::random::<[u8; 32]>());
    file.write_all(key.as_bytes())?;
    file.sync_all()?;
    // A link, unlike a rename, does not replace what somebody else has made meanwhile.
    let made = match std::fs::hard_link(&unfinished, path) {
        Ok(()) => true,
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => false,
        Err(error) => return Err(error),
    };
    std::fs::remove_file(&unfinished)?;
    Ok(made)
}

async fn create_superuser(
    settings: &Settings,
    noinput: bool,
    username: Option<String>,
    email: Option<String>,
) -> anyhow::Result<()> {
    let read = |name: &str, given: Option<String>, question: &str| -> anyhow::Result<String> {
        let variable = format!("EVENKEEL_SUPERUSER_{name}");
        match given.or_else(|| std::env::var(&variable).ok()) {
            Some(value) => Ok(value),
            None if noinput => bail!("{variable} is required with --noinput"),
            None => ask(question),
        }
    };
    let username: Username = field("username", &read("USERNAME", username, "Username: ")?)?;
    let email: Email = field("email", &read("EMAIL", email, "E-mail: ")?)?;
    let password: Password = match std::env::var("EVENKEEL_SUPERUSER_PASSWORD") {
        Ok(password) => field("password", &password)?,
        Err(_) if noinput => bail!("EVENKEEL_SUPERUSER_PASSWORD is required with --noinput"),
        Err(_) => ask_new_password()?,
    };
    let (_database, pool) = pool(settings).await?;
    let hash = hash_new(password, &[username.as_str(), email.as_str()]).await?;
    models::create(&mut *pool.acquire().await?, &Clock::Database, (&username, &email, &hash), true)
        .await
        .map_err(describe)?;
    say(format!("{} may now sign in, and edit and delete all posts.", username.as_str()));
    Ok(())
}

async fn change_password(settings: &Settings, username: &str) -> anyhow::Result<()> {
    let username: Username = field("username", username)?;
    let (_database, pool) = pool(settings).await?;
    let found = models::credentials(&pool, &username).await?;
    let found = found.with_context(|| format!("there is no user {}", username.as_str()))?;
    let account = models::account(&pool, found.user.id).await.map_err(describe)?;
    let hash = hash_new(ask_new_password()?, &[&found.user.username, &account.email]).await?;
    let mut connection = pool.acquire().await?;
    let changed = models::change_password(&mut connection, found.user.id, found.session_version, &hash, None).await?;
    changed.context("the password was changed by somebody else meanwhile")?;
    say(format!("The password of {} is changed, and they are signed out everywhere.", found.user.username));
    Ok(())
}

async fn pool(settings: &Settings) -> anyhow::Result<(Database, PgPool)> {
    let database = Database::open(settings).await?;
    migrate(&database.options).await?;
    let pool = database::pool(database.options.clone(), 1);
    Ok((database, pool))
}

async fn check(settings: &Settings, deploy: bool) -> anyhow::Result<()> {
    let mut problems = if deploy { unfit_for_the_internet(settings) } else { Vec::new() };
    let database = match Database::open(settings).await {
        Ok(database) => database,
        Err(error) => {
            // What is known without it is told all the same.
            for problem in &problems {
                say(format!("- {problem}"));
            }
            return Err(error);
        }
    };
    let mut connection = database.options.connect().await?;
    if database::is_migrated(&mut connection).await? {
        for (name, other) in models::look_alikes(&mut connection).await? {
            problems.push(format!(
                "the users {name} and {other} look alike: both stay as they are, and nobody new may look like either"
            ));
        }
    } else {
        problems.push(
            "the database's migrations are not this program's: `evenkeel migrate` applies those that are missing"
                .to_owned(),
        );
    }
    let (ours, theirs) = (settings.database_connections, database::most_connections(&mut connection).await?);
    if i64::from(ours) > theirs {
        problems
            .push(format!("DATABASE_CONNECTIONS is {ours}, and the database has {theirs} for all instances together"));
    } else {
        say(format!("The database has room for {} instances of {ours} connections each.", theirs / i64::from(ours)));
    }
    for problem in &problems {
        say(format!("- {problem}"));
    }
    match problems.len() {
        0 => {
            say("No problems found.");
            Ok(())
        }
        1 => bail!("1 problem found"),
        count => bail!("{count} problems found"),
    }
}

fn unfit_for_the_internet(settings: &Settings) -> Vec<String> {
    let mut problems = Vec::new();
    if !settings.production {
        problems.push("PRODUCTION is not true: cookies are not Secure, and unsafe settings are let through".to_owned());
    }
    if settings.database_url.is_none() {
        problems.push("DATABASE_URL is not set: a private PostgreSQL serves one machine only".to_owned());
    }
    if settings.trusted_proxies.is_empty() {
        problems.push("TRUSTED_PROXIES is not set: behind a proxy, all clients look like one".to_owned());
    }
    for (variable, what) in settings.unsafe_switches() {
        let allowed = if settings.allow_unsafe.contains(&variable) { " (ALLOW_UNSAFE lets it)" } else { "" };
        problems.push(format!("{variable} {what}{allowed}"));
    }
    let host = settings.public_url.split("://").nth(1).unwrap_or_default();
    let host = host.rsplit_once(':').map_or(host, |(host, _)| host).to_ascii_lowercase();
    if !settings.allowed_hosts.iter().any(|allowed| allowed.allows(&host)) {
        problems.push("ALLOWED_HOSTS does not name the host of PUBLIC_URL".to_owned());
    }
    problems
}

async fn seed(settings: &Settings, force: bool) -> anyhow::Result<()> {
    let database = Database::open(settings).await?;
    let mut connection = database.migrated().await?;
    let seeded = seed_demo::seed(&mut connection, &Clock::Database, &Hasher::new()?, force).await?;
    connection.close().await?;
    say(format!("{} posts with {} ratings are there.", seeded.posts, seeded.ratings));
    say(format!("Sign in as {} with the password {}", seeded.username, seeded.password));
    Ok(())
}

fn ask(question: &str) -> anyhow::Result<String> {
    if !std::io::stdin().is_terminal() {
        bail!("there is no terminal to ask at; use --noinput and the environment");
    }
    // To the terminal: what the program says may go elsewhere.
    write!(std::io::stdout(), "{question}")?;
    std::io::stdout().flush()?;
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer)?;
    Ok(answer.trim_end_matches(['\r', '\n']).to_owned())
}

fn ask_new_password() -> anyhow::Result<Password> {
    if !std::io::stdin().is_terminal() {
        bail!("there is no terminal to ask for the password at");
    }
    let password = rpassword::prompt_password("New password: ")?;
    if rpassword::prompt_password("The same again: ")? != password {
        bail!("the two passwords differ");
    }
    field("password", &password)
}

async fn hash_new(password: Password, known: &[&str]) -> anyhow::Result<String> {
    let hash = Hasher::new()?.hash_new(password, known).await.map_err(describe)?;
    hash.with_context(|| format!("password: {EASY_TO_GUESS}"))
}

fn field<T: Field>(name: &str, text: &str) -> anyhow::Result<T> {
    T::from_text(text).map_err(|problem| anyhow::anyhow!("{name}: {problem}"))
}

/// The words that a visitor would be shown.
fn describe(error: evenkeel::web::error::AppError) -> anyhow::Error {
    match error {
        evenkeel::web::error::AppError::Invalid(errors) => {
            anyhow::anyhow!(
                errors
                    .iter()
                    .map(|(name, messages)| format!("{name}: {}", messages.join(" ")))
                    .collect::<Vec<_>>()
                    .join("; ")
            )
        }
        other => anyhow::anyhow!(other),
    }
}
