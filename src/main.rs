//! The command line: reads the arguments and runs the command. No other module ends the process.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::bail;
use clap::{Parser, Subcommand};
use evenkeel::cli::accounts::{Superuser, change_password, clear_sessions, create_superuser, remove_second_factor};
use evenkeel::cli::backup;
use evenkeel::cli::backup::Belongings;
use evenkeel::cli::check::{Checked, check};
use evenkeel::cli::check_ratings::check_ratings;
use evenkeel::cli::import::{Import, Parts, import_posts};
use evenkeel::cli::links::{Question, links};
use evenkeel::cli::{migrations, replay, seed_demo, transfer};
use evenkeel::config;
use evenkeel::config::Env;
use evenkeel::db;
use evenkeel::db::clock::Clock;
use evenkeel::db::{Availability, Database, chain};
use evenkeel::images::encoding::sandbox;
use evenkeel::images::encoding::sandbox::COMMAND as PICTURE_COMMAND;
use evenkeel::log::{self, Log, complain, say, say_lines};
use evenkeel::server;
use evenkeel::server::{Settings, Site, UnknownVariable};
use evenkeel::users::Hasher;
use sqlx::{ConnectOptions as _, Connection as _, PgPool};

/// Requests make and drop many small values. The system's allocator takes longer for that.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

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
    Migrate {
        /// Shows what would be applied, and applies nothing
        #[arg(long)]
        plan: bool,
        /// The same, and fails if anything would be applied
        #[arg(long)]
        check: bool,
    },
    /// Lists all migrations; [X] marks those that the database has
    Showmigrations,
    /// Deletes the sessions that have ended (the site does so each hour)
    Clearsessions,
    /// Makes a user who may edit and delete all posts
    Createsuperuser {
        /// Asks nothing: reads `EVENKEEL_SUPERUSER_USERNAME`, _EMAIL and _PASSWORD instead
        #[arg(long)]
        noinput: bool,
        #[arg(long)]
        username: Option<String>,
        #[arg(long)]
        email: Option<String>,
    },
    /// Gives a user a new password and signs them out everywhere
    Changepassword { username: String },
    /// Disable two-factor authentication for a user who has lost the authenticator app and the recovery codes
    #[command(name = "removesecondfactor")]
    RemoveSecondFactor { username: String },
    /// Checks the settings and the database; with --deploy, whether they are fit for the internet
    Check {
        #[arg(long)]
        deploy: bool,
    },
    /// Writes all rows as JSON, one object on each line, as they are at one moment; the site may run
    Dumpdata(transfer::Dump),
    /// Loads what dumpdata wrote into a site without accounts; broken off, it goes on where it was
    Loaddata {
        /// The file; - reads what is piped in
        file: PathBuf,
    },
    #[command(
        about = "Takes the posts of another blog: Markdown with front matter, or what Ghost or WordPress exports"
    )]
    Importposts(Import),
    /// Writes the site with its private database, pictures and key into a file, as it is at one moment; the site may run
    Backup { file: PathBuf },
    /// Makes the site of a backup, in a `DATA_DIR` that has none
    Restore { file: PathBuf },
    /// Moves the private database to the newest `PostgreSQL` that is installed, and keeps the old one
    #[command(name = "upgrade-database")]
    UpgradeDatabase,
    /// Counts all ratings, and compares that with what stands beside the posts, while the site runs
    #[command(name = "check_ratings")]
    CheckRatings {
        /// Counts the posts anew that are wrong
        #[arg(long)]
        fix: bool,
    },
    /// Whether a list of suspected places names an address, and where the lists stand
    Links {
        /// The address to look up
        #[arg(long, value_name = "URL", conflicts_with = "status")]
        check: Option<String>,
        /// When each list was confirmed, and when the server may be asked again (the default)
        #[arg(long)]
        status: bool,
    },
    /// Shows what each limiter and score would have done with the ratings of the past, or with traffic made up
    Replay(replay::Arguments),
    /// Makes a picture anew for the site, which runs this for each one that is sent
    #[command(hide = true, name = PICTURE_COMMAND)]
    Picture { shape: String },
    /// Fills the database with authors, posts and ratings to look at
    SeedDemo {
        /// Adds to posts that are there already, instead of refusing
        #[arg(long)]
        force: bool,
    },
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    if let Some(Command::Picture { shape }) = &arguments.command {
        return sandbox::work(shape);
    }
    let (log, in_file) = match start_log() {
        Ok(started) => started,
        Err(error) => {
            complain(format!("evenkeel: {}", chain(&error)));
            return ExitCode::FAILURE;
        }
    };
    // Rust ignores SIGPIPE; a closed terminal then ends in an error, which is fine.
    let command = arguments.command.unwrap_or(Command::Runserver);
    let is_site = matches!(command, Command::Runserver);
    let result = actix_web::rt::System::new().block_on(run(command, &log, &in_file));
    // The last lines of the log come before our own message.
    let form = log.form;
    drop(log);
    match result {
        Ok(()) if !is_site && !log::output_is_complete() => {
            complain("evenkeel: cannot write to the standard output");
            ExitCode::FAILURE
        }
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            complain(form.line("ERROR", format!("evenkeel: {}", chain(&error))));
            ExitCode::FAILURE
        }
    }
}

/// Starts the log. Returns the names of the variables of `.env`, too.
fn start_log() -> anyhow::Result<(Log, Vec<String>)> {
    let in_file = config::load_dotenv()?;
    Ok((log::init(&log::Settings::from_env(&Env::of_process())?)?, in_file))
}

async fn run(command: Command, log: &Log, in_file: &[String]) -> anyhow::Result<()> {
    server::declare();
    let env = Env::of_process();
    let settings = Settings::from_env(&env)?;
    let unknown = server::unknown_variables(&env, in_file);
    match command {
        Command::Runserver => serve(settings, log, &unknown).await,
        Command::Migrate { plan, check } if plan || check => migrations::plan(&settings.database, check).await,
        Command::Showmigrations => migrations::show(&settings.database).await,
        Command::Dumpdata(wanted) => transfer::dump(&existing(&settings).await?, wanted).await,
        Command::Loaddata { file } => transfer::load(&migrated(&settings).await?, &file).await,
        Command::Importposts(wanted) => import(settings, &wanted).await,
        Command::Backup { file } => backup::backup(belongings(&settings), &file).await,
        Command::Restore { file } => backup::restore(belongings(&settings), &file).await,
        Command::UpgradeDatabase => backup::upgrade(belongings(&settings)).await,
        Command::CheckRatings { fix } => with_pool(&settings, async |pool| check_ratings(pool, fix).await).await,
        Command::Clearsessions => with_pool(&settings, async |pool| clear_sessions(pool, &settings.users).await).await,
        Command::Migrate { .. } => migrate(&settings).await,
        Command::Createsuperuser { noinput, username, email } => {
            let (_database, pool) = pool(migrated(&settings).await?, &settings);
            create_superuser(&pool, Superuser { noinput, username, email }).await
        }
        Command::Changepassword { username } => {
            with_pool(&settings, async |pool| change_password(pool, &username).await).await
        }
        Command::RemoveSecondFactor { username } => {
            with_pool(&settings, async |pool| remove_second_factor(pool, &username).await).await
        }
        Command::Links { check, .. } => {
            let (_database, pool) = pool(existing(&settings).await?, &settings);
            let question = check.map_or(Question::Status, Question::Check);
            links(&pool, settings.links, question).await
        }
        Command::Check { deploy } => check_all(&settings, deploy, &unknown).await,
        Command::Replay(arguments) => arguments.run(&settings.database).await.map(|told| say_lines(told.trim_end())),
        Command::SeedDemo { force } => seed(&settings, force).await,
        Command::Picture { .. } => bail!("this needs no settings"),
    }
}

async fn serve(settings: Settings, log: &Log, unknown: &[UnknownVariable]) -> anyhow::Result<()> {
    for variable in unknown {
        tracing::warn!("{variable}");
    }
    Box::pin(server::run::run(settings, log)).await
}

fn belongings(settings: &Settings) -> Belongings<'_> {
    let (database, images) = (&settings.database, &settings.images.place);
    Belongings { database, images, key_is_set: settings.secret_key.is_some() }
}

async fn check_all(settings: &Settings, deploy: bool, unknown: &[UnknownVariable]) -> anyhow::Result<()> {
    let is_allowed = |variable| settings.allow_unsafe.contains(&variable);
    let switches = settings.unsafe_switches().into_iter();
    let unsafe_switches = switches.map(|(variable, what)| (variable, what, is_allowed(variable))).collect();
    let links = settings.links.clone();
    let (web, database, images) = (&settings.web, &settings.database, &settings.images);
    let unknown = unknown.iter().map(ToString::to_string).collect();
    check(&Checked { web, database, unsafe_switches, images, links, unknown }, deploy).await
}

/// The database with all migrations. A private one runs as long as this is held.
async fn migrated(settings: &Settings) -> anyhow::Result<Database> {
    let database = Database::open(&settings.database).await?;
    database.migrate(&|doing| tracing::info!("{doing}")).await?;
    Ok(database)
}

/// All that the site would change of tables when it starts, so that it need not own them.
async fn migrate(settings: &Settings) -> anyhow::Result<()> {
    let database = migrated(settings).await?;
    database.order_lists_by(settings.score_shown, &|doing| tracing::info!("{doing}")).await?;
    say(format!("The database has all {} migrations.", db::MIGRATOR.iter().count()));
    Ok(())
}

/// An existing database with all migrations, for commands that look at a site or change what is there.
async fn existing(settings: &Settings) -> anyhow::Result<Database> {
    let database = Database::open_existing(&settings.database).await?;
    database.migrate(&|doing| tracing::info!("{doing}")).await?;
    Ok(database)
}

fn pool(database: Database, settings: &Settings) -> (Database, PgPool) {
    let pool = db::pool(database.options.clone(), 1, &Availability::new(settings.database.timeout));
    (database, pool)
}

/// Runs a command on the database with all migrations.
async fn with_pool(
    settings: &Settings,
    command: impl AsyncFnOnce(&PgPool) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let (_database, pool) = pool(existing(settings).await?, settings);
    command(&pool).await
}

async fn import(settings: Settings, wanted: &Import) -> anyhow::Result<()> {
    let database = migrated(&settings).await?;
    let secret = settings.secret_key()?;
    let site = Site::new(settings, &secret, &database.options, Clock::Database)?;
    let parts = Parts { state: site.state(), renderer: site.renderer(), library: site.library() };
    let imported = import_posts(parts, wanted).await;
    site.shut_down().await?;
    imported
}

async fn seed(settings: &Settings, force: bool) -> anyhow::Result<()> {
    if settings.web.production && !force {
        bail!("this is production; `seed_demo --force` adds made-up posts, readers and ratings all the same");
    }
    let database = migrated(settings).await?;
    let mut connection = database.options.connect().await?;
    let seeded = seed_demo::seed(&mut connection, &Clock::Database, &Hasher::new()?, force).await?;
    connection.close().await?;
    say(format!("{} posts with {} ratings are there.", seeded.posts, seeded.ratings));
    say(format!("Sign in as {} with the password {}", seeded.username, seeded.password));
    Ok(())
}
