//! The command line: starts what the other modules make. The only place that exits.

use std::io::IsTerminal as _;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::str::FromStr as _;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, bail};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD_NO_PAD;
use clap::{Parser, Subcommand};
use evenkeel::app::Site;
use evenkeel::clock::Clock;
use evenkeel::database::{self, Cluster, ClusterOptions};
use evenkeel::payload::Field;
use evenkeel::settings::{SecretKey, Settings};
use evenkeel::users::password::EASY_TO_GUESS;
use evenkeel::users::{Email, Hasher, Password, Username, models};
use evenkeel::{replay, seed_demo};
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
    // Rust ignores SIGPIPE; a closed terminal then ends in an error, which is fine.
    let result = actix_web::rt::System::new().block_on(run(arguments.command.unwrap_or(Command::Runserver)));
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("evenkeel: {error:#}");
            ExitCode::FAILURE
        }
    }
}

async fn run(command: Command) -> anyhow::Result<()> {
    if let Err(error) = dotenvy::dotenv()
        && !error.not_found()
    {
        // Not the line itself: it may hold a secret.
        match error {
            dotenvy::Error::LineParse(..) => bail!(".env has a line that is not NAME=value"),
            other => bail!(".env cannot be read: {other}"),
        }
    }
    let filter = tracing_subscriber::EnvFilter::try_from_default_env();
    // What actix_http calls an error is a client's; `connection` tells it, with the client.
    let filter = filter.unwrap_or_else(|_| {
        "info,actix_http=off,actix_server=warn,actix_session=warn,sqlx::postgres::notice=warn".into()
    });
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(std::io::stderr().is_terminal())
        .with_writer(std::io::stderr)
        .init();
    let settings = Settings::from_env()?;
    match command {
        Command::Runserver => run_server(settings).await,
        Command::Migrate => {
            let database = Database::open(&settings).await?;
            database::migrate(&database.options).await.context("migrating")?;
            println!("The database has all {} migrations.", database::MIGRATOR.iter().count());
            Ok(())
        }
        Command::Createsuperuser { noinput, username, email } => {
            create_superuser(&settings, noinput, username, email).await
        }
        Command::Changepassword { username } => change_password(&settings, &username).await,
        Command::Check { deploy } => check(&settings, deploy).await,
        Command::Replay(arguments) => {
            print!("{}", arguments.run()?);
            Ok(())
        }
        Command::SeedDemo { force } => seed(&settings, force).await,
    }
}

async fn run_server(settings: Settings) -> anyhow::Result<()> {
    // First of all: two sites cannot share a port, and the second should not touch anything.
    let listener =
        TcpListener::bind(settings.bind).with_context(|| format!("cannot listen on {} (BIND)", settings.bind))?;
    listener.set_nonblocking(true)?;
    let secret = secret_key(&settings)?;
    let database = Database::open(&settings).await?;
    database::migrate(&database.options).await.context("migrating")?;
    let url = settings.public_url.clone();
    let site = Site::new(settings, &secret, &database.options, Clock::Database)?;
    let house = tokio::spawn(Site::keep_house(site.state().clone()));
    let sharing = tokio::spawn(Site::share_classes(site.classes().cloned(), site.state().pool.clone()));
    let workers = std::thread::available_parallelism().map_or(2, usize::from);
    let server = site.server(listener, workers)?;
    tokio::spawn(Site::stop_on_signals(site.state().clone(), site.classes().cloned(), server.handle()));
    println!("Evenkeel is at {url}");
    let program = std::env::args().next().unwrap_or_else(|| "evenkeel".to_owned());
    println!("Open it in a browser and register. For posts to look at: {program} seed_demo");
    println!("Ctrl-C stops it.");
    tokio::select! {
        stopped = server => stopped?,
        never = database.keep_running() => match never {},
    }
    house.abort();
    sharing.abort();
    site.finish().await
}

/// The configured server, or the private one, which runs as long as this is held.
struct Database {
    options: PgConnectOptions,
    cluster: Option<Arc<Cluster>>,
}

impl Database {
    async fn open(settings: &Settings) -> anyhow::Result<Self> {
        if let Some(url) = &settings.database_url {
            let options = PgConnectOptions::from_str(url).context("DATABASE_URL is not a PostgreSQL address")?;
            connect(&options).await.context("the database of DATABASE_URL cannot be reached")?;
            return Ok(Self { options, cluster: None });
        }
        let options =
            ClusterOptions { dir: settings.data_dir.clone(), fallback_dir: "/var/lib/evenkeel".into(), durable: true };
        let first = Self::start(&options)?;
        if connect(&first.options).await.is_ok() {
            return Ok(first);
        }
        // Its last user may have left just as we came: then it is stopping, and is started anew.
        drop(first);
        let second = Self::start(&options)?;
        connect(&second.options).await.context("the private PostgreSQL cannot be reached")?;
        Ok(second)
    }

    fn start(options: &ClusterOptions) -> anyhow::Result<Self> {
        let cluster = Cluster::start(options)?;
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
        database::migrate(&self.options).await.context("migrating")?;
        Ok(self.options.connect().await?)
    }
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
        make_secret_key(&settings.data_dir, &path).with_context(|| format!("cannot make {}", path.display()))?;
    }
    let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    SecretKey::from_text(&text).map_err(|problem| anyhow::anyhow!("the key in {} {problem}", path.display()))
}

/// Written whole under another name first, so that whoever starts beside us reads all of it or none.
fn make_secret_key(dir: &Path, path: &Path) -> std::io::Result<()> {
    use std::io::Write as _;
    use std::os::unix::fs::OpenOptionsExt as _;
    std::fs::create_dir_all(dir)?;
    let unfinished: PathBuf = dir.join(format!("secret_key.{}", std::process::id()));
    let mut file = std::fs::OpenOptions::new().create(true).truncate(true).write(true).mode(0o600).open(&unfinished)?;
    let key = BASE64_STANDARD_NO_PAD.encode(rand::random::<[u8; 32]>());
    file.write_all(key.as_bytes())?;
    file.sync_all()?;
    // A link, unlike a rename, does not replace what somebody else has made meanwhile.
    match std::fs::hard_link(&unfinished, path) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => return Err(error),
        _ => (),
    }
    std::fs::remove_file(&unfinished)
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
    models::create(&pool, &Clock::Database, (&username, &email, &hash), true).await.map_err(describe)?;
    println!("{} may now sign in, and edit and delete all posts.", username.as_str());
    Ok(())
}

async fn change_password(settings: &Settings, username: &str) -> anyhow::Result<()> {
    let username: Username = field("username", username)?;
    let (_database, pool) = pool(settings).await?;
    let found = models::credentials(&pool, &username).await?;
    let found = found.with_context(|| format!("there is no user {}", username.as_str()))?;
    let account = models::account(&pool, found.user.id).await.map_err(describe)?;
    let hash = hash_new(ask_new_password()?, &[&found.user.username, &account.email]).await?;
    let changed = models::change_password(&pool, found.user.id, &found.password_hash, &hash).await?;
    changed.context("the password was changed by somebody else meanwhile")?;
    println!("The password of {} is changed, and they are signed out everywhere.", found.user.username);
    Ok(())
}

async fn pool(settings: &Settings) -> anyhow::Result<(Database, PgPool)> {
    let database = Database::open(settings).await?;
    database::migrate(&database.options).await.context("migrating")?;
    let pool = database::pool(database.options.clone(), 1);
    Ok((database, pool))
}

async fn check(settings: &Settings, deploy: bool) -> anyhow::Result<()> {
    let mut problems = Vec::new();
    if deploy {
        if !settings.production {
            problems.push("PRODUCTION is not true: cookies are not Secure, and unsafe settings are let through");
        }
        if settings.database_url.is_none() {
            problems.push("DATABASE_URL is not set: a private PostgreSQL serves one machine only");
        }
        if settings.trusted_proxies.is_empty() {
            problems.push("TRUSTED_PROXIES is not set: behind a proxy, all clients look like one");
        }
        if settings.trusted_proxies.iter().any(|network| network.prefix_len() == 0) {
            problems.push("TRUSTED_PROXIES names everybody: then everybody can claim to be anybody");
        }
        let host = settings.public_url.split("://").nth(1).unwrap_or_default();
        let host = host.rsplit_once(':').map_or(host, |(host, _)| host).to_ascii_lowercase();
        if !settings.allowed_hosts.iter().any(|allowed| allowed.allows(&host)) {
            problems.push("ALLOWED_HOSTS does not name the host of PUBLIC_URL");
        }
    }
    let database = Database::open(settings).await?;
    let pool = database::pool(database.options.clone(), 1);
    if !database::is_migrated(&pool).await? {
        problems.push(
            "the database's migrations are not this program's: `evenkeel migrate` applies those that are missing",
        );
    }
    for problem in &problems {
        println!("- {problem}");
    }
    match problems.len() {
        0 => {
            println!("No problems found.");
            Ok(())
        }
        1 => bail!("1 problem found"),
        count => bail!("{count} problems found"),
    }
}

async fn seed(settings: &Settings, force: bool) -> anyhow::Result<()> {
    let database = Database::open(settings).await?;
    let mut connection = database.migrated().await?;
    let seeded = seed_demo::seed(&mut connection, &Clock::Database, &Hasher::new()?, force).await?;
    connection.close().await?;
    println!("{} posts with {} ratings are there.", seeded.posts, seeded.ratings);
    println!("Sign in as {} with the password {}", seeded.username, seeded.password);
    Ok(())
}

fn ask(question: &str) -> anyhow::Result<String> {
    use std::io::Write as _;
    if !std::io::stdin().is_terminal() {
        bail!("there is no terminal to ask at; use --noinput and the environment");
    }
    print!("{question}");
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
fn describe(error: evenkeel::error::AppError) -> anyhow::Error {
    match error {
        evenkeel::error::AppError::Invalid(errors) => {
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
