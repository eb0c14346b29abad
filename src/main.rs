//! Command-line entry point: parses the arguments and runs a command. No other module ends the process.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::bail;
use clap::{Parser, Subcommand};
use evenkeel::cli::accounts::{
    SuperuserArguments, change_password, clear_sessions, create_superuser, disable_two_factor,
};
use evenkeel::cli::backup::{self, SiteLocations};
use evenkeel::cli::check::{CheckInput, check};
use evenkeel::cli::check_ratings::check_ratings;
use evenkeel::cli::custom_limits::{self, CustomLimitsCommand};
use evenkeel::cli::import::{ImportArguments, ImportServices};
use evenkeel::cli::limiter::{self, LimiterCommand};
use evenkeel::cli::pauses::{self, PauseArguments, PauseCommand};
use evenkeel::cli::threat_lists::{self, ThreatListsCommand};
use evenkeel::cli::tokens::{self, TokenCommand};
use evenkeel::cli::{migrations, replay, seed_demo};
use evenkeel::config::{self, Env};
use evenkeel::db::clock::Clock;
use evenkeel::db::{self, Availability, Database, describe_error_chain};
use evenkeel::images::store::ImageStore;
use evenkeel::log::{self, LogGuard, print_error, print_line, print_unescaped};
use evenkeel::server::{self, Settings, Site, UnknownVariable};
use evenkeel::users::PasswordHasher;
use evenkeel_image_encoding::sandbox::{self, WORKER_COMMAND};
use sqlx::{ConnectOptions as _, Connection as _, PgPool};

/// mimalloc allocates and frees the many small values of a request faster than the system allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Blog server whose ratings resist manipulation
///
/// Without a command, `evenkeel` runs the site.
///
/// Settings are environment variables, or lines `NAME=value` in the file `.env` of the current folder or its nearest
/// parent; `.env.sample` lists all of them with their defaults. `evenkeel check` reports invalid and unknown settings.
#[derive(Parser)]
#[command(after_long_help = "Examples:\n  evenkeel\n  evenkeel createsuperuser\n  evenkeel help migrate")]
#[allow(clippy::doc_markdown, reason = "help shows backticks literally")]
#[command(version, rename_all = "snake_case")]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
#[allow(clippy::doc_markdown, reason = "help shows backticks literally")]
#[command(rename_all = "snake_case")]
enum Command {
    /// Run the site until it is stopped (the default command)
    ///
    /// Applies pending migrations, then serves HTTP at `BIND` (default: 127.0.0.1:8000). Without `DATABASE_URL`, it
    /// creates and starts a private PostgreSQL server in `DATA_DIR` (default: ./data); the PostgreSQL programs must
    /// be installed.
    #[command(after_long_help = "Example:\n  evenkeel runserver")]
    Runserver,
    /// Apply pending migrations
    ///
    /// Creates the private database if there is none. A starting site applies pending migrations itself, so this
    /// command is needed only if the database role of the site does not own the tables: run it with the owner's
    /// `DATABASE_URL` before you start a new version.
    ///
    /// Migrations cannot be reverted. Make a backup first.
    #[command(after_long_help = "Examples:\n  evenkeel migrate --plan\n  evenkeel migrate")]
    Migrate {
        /// Show pending migrations without applying them
        #[arg(long)]
        plan: bool,
        /// Show pending migrations without applying them, and exit with status 1 if there are any
        #[arg(long)]
        check: bool,
    },
    /// List all migrations; `[X]` marks the applied ones
    ///
    /// Includes migrations that a newer version of Evenkeel has applied. Changes nothing.
    #[command(after_long_help = "Example:\n  evenkeel showmigrations")]
    Showmigrations,
    /// Delete expired sessions
    ///
    /// Deletes sessions older than `SESSION_ABSOLUTE_SECONDS` (default: 30 days) or unused for `SESSION_IDLE_SECONDS`
    /// (default: 14 days). A running site does this every hour.
    #[command(after_long_help = "Example:\n  evenkeel clearsessions")]
    Clearsessions,
    /// Create a superuser, who may edit and delete all posts
    ///
    /// Prompts for the username, email address and password, except for values given as options or as
    /// `EVENKEEL_SUPERUSER_USERNAME`, `EVENKEEL_SUPERUSER_EMAIL` and `EVENKEEL_SUPERUSER_PASSWORD`. Creates the private
    /// database if there is none, and applies pending migrations.
    #[command(after_long_help = "Examples:\n  evenkeel createsuperuser\n  \
            evenkeel createsuperuser --noinput --username ann --email ann@example.com")]
    Createsuperuser {
        /// Do not prompt; read missing values from environment variables
        ///
        /// The variables are `EVENKEEL_SUPERUSER_USERNAME`, `EVENKEEL_SUPERUSER_EMAIL` and
        /// `EVENKEEL_SUPERUSER_PASSWORD`. The password has no option.
        #[arg(long)]
        noinput: bool,
        /// Username of the new account
        #[arg(long)]
        username: Option<String>,
        /// Email address of the new account
        #[arg(long)]
        email: Option<String>,
    },
    /// Change a user's password and end all of their sessions
    ///
    /// Prompts for the new password twice, so it needs a terminal. The change is recorded in the audit log.
    #[command(after_long_help = "Example:\n  evenkeel changepassword ann")]
    Changepassword {
        /// Username of the account
        username: String,
    },
    /// Disable two-factor authentication for a user who has lost their authenticator app and recovery codes
    ///
    /// Verify the user's identity first. Deletes their authenticator secret and recovery codes, and ends all of their
    /// sessions. The user can then sign in with the password alone, and can enable two-factor authentication again. The
    /// change is recorded in the audit log.
    #[command(after_long_help = "Example:\n  evenkeel removesecondfactor ann")]
    #[command(name = "removesecondfactor")]
    RemoveSecondFactor {
        /// Username of the account
        username: String,
    },
    /// Check settings, database, image storage and mail server for problems
    ///
    /// Prints one line per problem, and exits with status 1 if there are any problems. Environment variables that look
    /// like misspelled settings are reported as warnings. To check the image storage, the command writes a test file and
    /// deletes it.
    ///
    /// With `--deploy`, the command also reports settings that are unsafe on the public internet, and variables that
    /// look like misspelled settings count as problems.
    #[command(after_long_help = "Examples:\n  evenkeel check\n  evenkeel check --deploy")]
    Check {
        /// Also report settings that are unsafe on the public internet
        #[arg(long)]
        deploy: bool,
    },
    Import(ImportArguments),
    /// Write the private database, image files and secret key into one tar file
    ///
    /// Takes a consistent snapshot while the site runs. The file gives full access to the site, so store it like a
    /// password. It does not contain images in an S3 bucket, or a `SECRET_KEY` set in the environment.
    ///
    /// Only the private database can be backed up. If `DATABASE_URL` is set, use `pg_dump`.
    #[command(after_long_help = "Example:\n  evenkeel backup evenkeel.tar")]
    Backup {
        /// Backup file to write
        file: PathBuf,
    },
    /// Restore a backup into a `DATA_DIR` without a database
    ///
    /// Verifies the checksum of the file and the rows of every table. If a check fails, nothing is changed. Backups made
    /// by older versions of Evenkeel and PostgreSQL can be restored; backups made by a newer version of Evenkeel cannot.
    ///
    /// `DATABASE_URL` must not be set. Images are restored only into a folder, not into an S3 bucket. The secret key of
    /// the backup is ignored if `SECRET_KEY` is set.
    #[command(after_long_help = "Example:\n  evenkeel restore evenkeel.tar")]
    Restore {
        /// Backup file to read
        file: PathBuf,
    },
    /// Move the private database to the newest installed version of PostgreSQL
    ///
    /// Stop the site first. The command needs free disk space of twice the size of the database, and `DATABASE_URL`
    /// must not be set. It copies all rows, compares them, and keeps the old database in a folder such as
    /// `postgres.15`, which you can delete once the site works.
    ///
    /// To go back, stop the site, wait until `postgres/postmaster.pid` is gone, move the folder `postgres` away, and
    /// rename the old folder to `postgres`.
    #[command(after_long_help = "Example:\n  evenkeel upgrade-database")]
    #[command(name = "upgrade-database")]
    UpgradeDatabase,
    /// Compare the stored rating totals and scores of posts with their ratings
    ///
    /// Prints one line per post with incorrect values, and exits with status 1 if there are any, unless `--fix` is given.
    /// You can run this command while the site is running: posts are checked in small chunks.
    #[command(after_long_help = "Examples:\n  evenkeel check_ratings\n  evenkeel check_ratings --fix")]
    #[command(name = "check_ratings")]
    CheckRatings {
        /// Recompute incorrect totals and scores; days that staff excluded from a score stay excluded
        #[arg(long)]
        fix: bool,
    },
    /// Show, set or undo overrides of the rating limiter
    ///
    /// A limiter override replaces the limiter of `RATING_LIMITER`, for the whole site or for one post. Admins can also
    /// set and undo overrides in the admin area.
    #[command(after_long_help = "Examples:\n  evenkeel limiter\n  \
            evenkeel limiter set surge --param floor=10 --reason 'launch day'\n  evenkeel limiter undo")]
    Limiter {
        #[command(subcommand)]
        command: Option<LimiterCommand>,
    },
    /// List, add or end custom limits: request limits that replace the normal ones for one user or network
    #[command(after_long_help = "Examples:\n  evenkeel custom_limits\n  \
            evenkeel custom_limits add browse 203.0.113.0/24 10 --reason office\n  evenkeel custom_limits end 3")]
    CustomLimits {
        #[command(subcommand)]
        command: Option<CustomLimitsCommand>,
    },
    /// Create, list or revoke API tokens of a user
    ///
    /// A program sends the token in the header `Authorization: Bearer`. Changes are recorded in the audit log.
    #[command(subcommand)]
    #[command(after_long_help = "Examples:\n  evenkeel token create ann --name backup --scope read\n  \
            evenkeel token list ann\n  evenkeel token revoke ann 3")]
    Token(TokenCommand),
    /// Pause ratings of posts by users, such as those whose program keeps failing
    ///
    /// The users cannot rate the posts until they lift the pause themselves with the link in the response. The pause is
    /// recorded in the audit log.
    #[command(after_long_help = "Examples:\n  evenkeel pause ann 3 --reason 'retries since May'\n  \
            evenkeel pause --file users.txt --dry-run --reason 'broken client'")]
    Pause(PauseArguments),
    /// Lift pauses of ratings
    #[command(after_long_help = "Examples:\n  evenkeel unpause ann --reason 'client is fixed'\n  \
            evenkeel unpause --file users.txt --reason 'client is fixed'")]
    Unpause(PauseArguments),
    /// Show the state of the threat lists, or check URLs against them
    ///
    /// Needs `SAFE_BROWSING_KEY`. With `--check`, it exits with status 1 if a URL is flagged or cannot be checked
    /// now. Only hash prefixes are sent to the Safe Browsing server, never the URL.
    #[command(after_long_help = "Examples:\n  evenkeel links\n  evenkeel links --check URL\n  \
            evenkeel links --check - < urls.txt")]
    Links {
        /// URL to check against the threat lists, beginning with `http://` or `https://`; `-` reads one URL per line from
        /// standard input
        #[arg(long, value_name = "URL", conflicts_with = "status")]
        check: Option<String>,
        /// Show when each threat list was last updated, and when the next request to the server is allowed (the
        /// default)
        #[arg(long)]
        status: bool,
    },
    /// Compare rating limiters and scores on past or simulated ratings
    ///
    /// Sends ratings through each limiter and prints how many honest and brigading ratings it refuses, and how far each
    /// score moves. The ratings come from a CSV file, the database of this site, or a simulation. Changes nothing in
    /// the database.
    #[command(after_long_help = "Examples:\n  evenkeel replay ratings.csv --limiter surge --param surge.floor=10\n  \
            evenkeel replay --database --days 30\n  \
            evenkeel replay --scenario launch --plot launch.svg")]
    Replay(replay::ReplayArguments),
    /// Re-encode an image from standard input in a sandboxed process; the site runs this command for each upload
    #[command(hide = true, name = WORKER_COMMAND)]
    Picture {
        shape: String,
    },
    /// Fill the database with demo authors, posts and ratings
    ///
    /// Adds 45 posts in three languages and 400 readers whose ratings cover the last 90 days, and prints the username
    /// and password of a demo user. Refuses to run if there are posts, or if `PRODUCTION` is true. To remove the demo,
    /// use a new database.
    #[command(after_long_help = "Example:\n  evenkeel seed_demo")]
    SeedDemo {
        /// Add the demo even if there are posts or `PRODUCTION` is true
        #[arg(long)]
        force: bool,
    },
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    if let Some(Command::Picture { shape }) = &arguments.command {
        return sandbox::run_worker(shape);
    }
    let (log, in_file) = match start_log() {
        Ok(started) => started,
        Err(error) => {
            print_error(format!("evenkeel: {}", describe_error_chain(&error)));
            return ExitCode::FAILURE;
        }
    };
    // The Rust runtime ignores SIGPIPE: writing to a closed pipe returns an error instead of ending the process.
    let command = arguments.command.unwrap_or(Command::Runserver);
    let is_site = matches!(command, Command::Runserver);
    let result = actix_web::rt::System::new().block_on(run(command, &log, &in_file));
    // Dropping the log writes its buffered lines, so that they precede the error message of the command.
    let form = log.format;
    drop(log);
    match result {
        Ok(()) if !is_site && !log::is_output_complete() => {
            print_error("evenkeel: cannot write to standard output");
            ExitCode::FAILURE
        }
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            print_error(form.format_line("ERROR", format!("evenkeel: {}", describe_error_chain(&error))));
            ExitCode::FAILURE
        }
    }
}

/// Starts logging, and returns the names of the variables in `.env`.
fn start_log() -> anyhow::Result<(LogGuard, Vec<String>)> {
    let in_file = config::load_dotenv()?;
    Ok((log::init(&log::Settings::from_env(&Env::from_process())?), in_file))
}

async fn run(command: Command, log: &LogGuard, in_file: &[String]) -> anyhow::Result<()> {
    server::declare_routes();
    let env = Env::from_process();
    let settings = Settings::from_env(&env)?;
    let unknown = server::find_unknown_variables(&env, in_file);
    match command {
        Command::Runserver => serve(settings, log, &unknown).await,
        Command::Migrate { plan, check } if plan || check => migrations::show_plan(&settings.database, check).await,
        Command::Showmigrations => migrations::show_migrations(&settings.database).await,
        Command::Import(arguments) => Box::pin(import(settings, &arguments)).await,
        Command::Backup { file } => backup::backup(backup_parts(&settings), &file).await,
        Command::Restore { file } => backup::restore(backup_parts(&settings), &file).await,
        Command::UpgradeDatabase => backup::upgrade_database(backup_parts(&settings)).await,
        Command::CheckRatings { fix } => with_pool(&settings, async |pool| check_ratings(pool, fix).await).await,
        Command::Clearsessions => with_pool(&settings, async |pool| clear_sessions(pool, &settings.users).await).await,
        Command::Migrate { .. } => migrate_database(&settings).await,
        Command::Createsuperuser { noinput, username, email } => {
            let arguments = SuperuserArguments { noinput, username, email };
            with_pool(&settings, async |pool| create_superuser(pool, arguments).await).await
        }
        Command::Changepassword { username } => {
            with_pool(&settings, async |pool| change_password(pool, &username).await).await
        }
        Command::RemoveSecondFactor { username } => {
            with_pool(&settings, async |pool| disable_two_factor(pool, &username).await).await
        }
        Command::Limiter { command } => run_limiter_command(&settings, command).await,
        Command::CustomLimits { command } => run_custom_limits_command(&settings, command).await,
        Command::Token(command) => with_pool(&settings, async |pool| tokens::run(pool, command).await).await,
        Command::Pause(arguments) => run_pause_command(&settings, PauseCommand::Pause, arguments).await,
        Command::Unpause(arguments) => run_pause_command(&settings, PauseCommand::Unpause, arguments).await,
        Command::Links { check, .. } => run_links_command(&settings, check).await,
        Command::Check { deploy } => check_all(&settings, deploy, &unknown).await,
        Command::Replay(arguments) => print_replay(&arguments, &settings).await,
        Command::SeedDemo { force } => seed(&settings, force).await,
        Command::Picture { .. } => bail!("the image worker must be started before settings are read"),
    }
}

async fn run_limiter_command(settings: &Settings, command: Option<LimiterCommand>) -> anyhow::Result<()> {
    let command = command.unwrap_or(LimiterCommand::Show);
    with_pool(settings, async |pool| limiter::run(pool, &settings.rate, command).await).await
}

async fn run_links_command(settings: &Settings, check: Option<String>) -> anyhow::Result<()> {
    let question = check.map_or(ThreatListsCommand::Status, ThreatListsCommand::Check);
    with_pool(settings, async |pool| threat_lists::run(pool, settings.safe_browsing.clone(), question).await).await
}

async fn run_custom_limits_command(settings: &Settings, command: Option<CustomLimitsCommand>) -> anyhow::Result<()> {
    let command = command.unwrap_or(CustomLimitsCommand::List);
    with_pool(settings, async |pool| custom_limits::run(pool, command).await).await
}

async fn run_pause_command(
    settings: &Settings,
    command: PauseCommand,
    arguments: PauseArguments,
) -> anyhow::Result<()> {
    with_pool(settings, async |pool| pauses::run(pool, &settings.rate, command, arguments).await).await
}

async fn print_replay(arguments: &replay::ReplayArguments, settings: &Settings) -> anyhow::Result<()> {
    print_unescaped(arguments.run(&settings.database).await?.trim_end());
    Ok(())
}

async fn serve(settings: Settings, log: &LogGuard, unknown: &[UnknownVariable]) -> anyhow::Result<()> {
    for variable in unknown {
        tracing::warn!(%variable, "unknown setting");
    }
    Box::pin(server::run::run(settings, log)).await
}

fn backup_parts(settings: &Settings) -> SiteLocations<'_> {
    let (database, images) = (&settings.database, &settings.images.location);
    SiteLocations { database, images, key_is_set: settings.secret_key.is_some() }
}

async fn check_all(settings: &Settings, deploy: bool, unknown: &[UnknownVariable]) -> anyhow::Result<()> {
    let is_allowed = |variable| settings.allow_unsafe.contains(&variable);
    let switches = settings.list_disabled_protections().into_iter();
    let input = CheckInput {
        web: &settings.web,
        database: &settings.database,
        rate: &settings.rate,
        unsafe_settings: switches.map(|(variable, what)| (variable, what, is_allowed(variable))).collect(),
        images: &settings.images,
        links: settings.safe_browsing.clone(),
        mail: settings.mail.clone(),
        unknown_variables: unknown.iter().map(ToString::to_string).collect(),
    };
    check(&input, deploy).await
}

/// Makes all schema changes that a starting site would make, so that the database role of the site does not have to own
/// the tables.
async fn migrate_database(settings: &Settings) -> anyhow::Result<()> {
    let database = Database::open(&settings.database).await?;
    database.migrate(&|doing| tracing::info!(step = %doing, "preparing the database")).await?;
    settings.web.site.reload(&mut database.options.connect().await?).await?;
    database
        .build_score_index(
            settings.web.site.current().score_shown,
            &|doing| tracing::info!(step = %doing, "preparing the database"),
        )
        .await?;
    print_line(format!("All {} migrations are applied.", db::MIGRATOR.iter().count()));
    Ok(())
}

async fn with_pool(
    settings: &Settings,
    command: impl AsyncFnOnce(&PgPool) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let database = Database::open_migrated(&settings.database).await?;
    let availability = Availability::new(settings.database.acquire_timeout);
    command(&db::create_pool(database.options.clone(), 1, &availability)).await
}

async fn import(settings: Settings, arguments: &ImportArguments) -> anyhow::Result<()> {
    let database = Database::open_migrated(&settings.database).await?;
    let secret = settings.load_secret_key()?;
    let site = Site::new(settings, &secret, &database.options, &Clock::Database)?;
    site.state.settings.site.reload(&site.state.pool).await?;
    let parts = ImportServices { state: &site.state, renderer: &site.state.renderer, library: &site.state.images };
    let imported = evenkeel::cli::import::import(parts, arguments).await;
    site.shut_down(Vec::new()).await?;
    imported
}

async fn seed(settings: &Settings, force: bool) -> anyhow::Result<()> {
    if settings.web.production && !force {
        bail!("PRODUCTION is true; to add demo posts, users and ratings anyway, run `evenkeel seed_demo --force`");
    }
    let database = Database::open_migrated(&settings.database).await?;
    let mut connection = database.options.connect().await?;
    let seeded = {
        let (hasher, images) = (PasswordHasher::new()?, ImageStore::open(&settings.images.location)?);
        seed_demo::seed(&mut connection, &Clock::Database, &hasher, &images, &settings.rate, force).await?
    };
    connection.close().await?;
    print_line(format!("Created {} demo posts with {} ratings.", seeded.posts, seeded.ratings));
    print_line(format!("Sign in as {} with the password {}", seeded.username, seeded.password));
    Ok(())
}
