//! `evenkeel pause` and `evenkeel unpause`: pause and unpause ratings of users by hand.

use std::collections::BTreeSet;
use std::io::Read as _;
use std::path::PathBuf;

use anyhow::{Context as _, bail};
use serde_json::json;
use sqlx::PgPool;

use super::error_messages::to_command_error;
use crate::audit_log::{Actor, AuditAction, NewEntry};
use crate::blog_posts::PostId;
use crate::db::clock::Clock;
use crate::db::commit;
use crate::log::print_line;
use crate::rate::Settings;
use crate::rate::models::RatingKey;
use crate::rate::zombie_pauses::models;
use crate::users::Username;
use crate::users::models::find_by_username;
use crate::web::error::AppError;
use crate::web::request::form_field::{Field as _, ReasonField};

/// Number of pairs of user and post per transaction. Each transaction locks the posts, so ratings of them wait.
const BATCH_SIZE: usize = 100;

/// Maximum number of pairs that the output lists.
const MAX_LISTED: usize = 20;

#[derive(Debug, clap::Args)]
pub struct PauseArguments {
    /// Username
    #[arg(required_unless_present = "file")]
    user: Option<String>,
    /// Id of the post; default: all posts for which failed attempts of the user (`pause`) or pauses (`unpause`) are
    /// recorded
    #[arg(value_name = "POST")]
    post: Option<i64>,
    /// File with one `USER` or `USER POST` per line, or `-` for standard input; lines that begin with `#` are ignored
    #[arg(long, value_name = "FILE", conflicts_with_all = ["user", "post"])]
    file: Option<PathBuf>,
    /// Reason, which the audit log shows
    #[arg(long)]
    reason: String,
    /// Show the users and posts without changing anything
    #[arg(long)]
    dry_run: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PauseCommand {
    Pause,
    Unpause,
}

/// Pauses or unpauses ratings of users.
///
/// # Errors
/// If a user or post does not exist, if the reason or the file is invalid, or if pauses are disabled. Nothing is changed
/// then.
pub async fn run(
    pool: &PgPool,
    settings: &Settings,
    command: PauseCommand,
    arguments: PauseArguments,
) -> anyhow::Result<()> {
    if command == PauseCommand::Pause && !settings.zombie_pause {
        bail!("pauses have no effect, because ZOMBIE_PAUSE is off");
    }
    let reason = ReasonField::from_text(&arguments.reason).map_err(|message| anyhow::anyhow!("--reason: {message}"))?;
    let pairs: Vec<RatingKey> = find_pairs(pool, command, &read_lines(&arguments)?).await?.into_iter().collect();
    print_pairs(pool, &pairs).await?;
    if arguments.dry_run {
        print_line(format!("Dry run: {} would be {}.", count_pairs(pairs.len()), command.participle()));
        return Ok(());
    }
    let mut changed = 0;
    for batch in pairs.chunks(BATCH_SIZE) {
        changed += apply(pool, command, batch, reason.as_str()).await?;
    }
    let unchanged = pairs.len() - changed;
    let already = if unchanged == 0 { String::new() } else { format!("; {unchanged} already were or no longer exist") };
    print_line(format!("{} {}{already}.", count_pairs(changed), command.participle()));
    Ok(())
}

impl PauseCommand {
    fn participle(self) -> &'static str {
        match self {
            Self::Pause => "paused",
            Self::Unpause => "unpaused",
        }
    }

    fn nothing_recorded(self) -> &'static str {
        match self {
            Self::Pause => "no failed attempts are recorded; name the post to pause the user anyway",
            Self::Unpause => "no ratings are paused",
        }
    }
}

fn count_pairs(count: usize) -> String {
    if count == 1 { "1 pair of user and post".to_owned() } else { format!("{count} pairs of user and post") }
}

/// A user, and the post if only one is meant.
type Line = (String, Option<PostId>);

fn read_lines(arguments: &PauseArguments) -> anyhow::Result<Vec<Line>> {
    let Some(file) = &arguments.file else {
        return Ok(vec![(arguments.user.clone().unwrap_or_default(), arguments.post.map(PostId))]);
    };
    let mut text = String::new();
    if file.as_os_str() == "-" {
        std::io::stdin().read_to_string(&mut text)?;
    } else {
        text = std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    }
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
    let parse = |(index, line): (usize, &str)| match line.split_whitespace().collect::<Vec<_>>()[..] {
        [user] => Ok((user.to_owned(), None)),
        [user, post] => {
            let invalid = || format!("line {}: {post:?} is not the id of a post", index + 1);
            let post = PostId::from_text(post).ok().with_context(invalid)?;
            Ok((user.to_owned(), Some(post)))
        }
        _ => bail!("line {}: a line contains a username and, if only one post is meant, its id", index + 1),
    };
    lines.map(parse).collect()
}

async fn find_pairs(pool: &PgPool, command: PauseCommand, lines: &[Line]) -> anyhow::Result<BTreeSet<RatingKey>> {
    let (mut pairs, mut skipped) = (BTreeSet::new(), Vec::new());
    for (name, post) in lines {
        let no_user = || format!("no user named {name:?}; /admin/users/ lists all users");
        let username = Username::parse_lenient(name).ok().with_context(no_user)?;
        let user = match find_by_username(pool, &username).await {
            Ok(user) => user.id,
            Err(AppError::NotFound) => bail!(no_user()),
            Err(error) => return Err(to_command_error(error)),
        };
        let posts = match post {
            Some(post) if models::post_exists(pool, *post).await? => vec![*post],
            Some(post) => bail!("post {} does not exist", post.0),
            None => match command {
                PauseCommand::Pause => models::list_posts_with_failures(pool, &Clock::Database, user).await?,
                PauseCommand::Unpause => models::list_paused_posts(pool, user).await?,
            },
        };
        if posts.is_empty() {
            skipped.push(format!("{name}: {}", command.nothing_recorded()));
        }
        pairs.extend(posts.into_iter().map(|post| RatingKey { user, post }));
    }
    if pairs.is_empty() {
        bail!(skipped.join("\n"));
    }
    skipped.into_iter().for_each(print_line);
    Ok(pairs)
}

async fn print_pairs(pool: &PgPool, pairs: &[RatingKey]) -> anyhow::Result<()> {
    let listed = &pairs[..pairs.len().min(MAX_LISTED)];
    for (name, title, post) in models::describe_pairs(pool, listed).await? {
        print_line(format!("{name}: post {} ({title})", post.0));
    }
    if pairs.len() > MAX_LISTED {
        print_line(format!("and {} more", pairs.len() - MAX_LISTED));
    }
    Ok(())
}

/// Pauses or unpauses a batch in one transaction. Returns the number of pairs that changed.
async fn apply(pool: &PgPool, command: PauseCommand, pairs: &[RatingKey], reason: &str) -> anyhow::Result<usize> {
    let mut transaction = pool.begin().await?;
    let now = Clock::Database.read(&mut transaction).await?;
    let (changed, action) = match command {
        PauseCommand::Pause => (models::pause_pairs(&mut transaction, pairs, now).await?, AuditAction::PauseRatings),
        PauseCommand::Unpause => (models::unpause_pairs(&mut transaction, pairs, now).await?, AuditAction::LiftPause),
    };
    for RatingKey { user, post } in &changed {
        let details = json!({ "command": format!("{command:?}").to_lowercase(), "reason": reason });
        let entry = NewEntry::new(action).for_user(*user).for_post(post.0).with_details(details);
        entry.insert(Actor::default(), &mut transaction, &Clock::Database).await?;
    }
    commit(transaction).await?;
    Ok(changed.len())
}
