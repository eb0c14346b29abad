//! `evenkeel pause` and `evenkeel unpause`: pause and unpause ratings of users by hand.

use std::collections::BTreeSet;
use std::io::Read as _;
use std::path::PathBuf;

use anyhow::{Context as _, bail, ensure};
use chrono::TimeDelta;
use serde_json::json;
use sqlx::PgPool;

use super::accounts::{find_user_if_exists, parse_field};
use crate::audit_log::{Actor, AuditAction, NewEntry, ReasonField};
use crate::blog_posts::PostId;
use crate::db::clock::Clock;
use crate::db::commit;
use crate::log::print_line;
use crate::rate::Settings;
use crate::rate::models::RatingKey;
use crate::rate::zombie_pauses::models;
use crate::users::User;
use crate::web::request::form_field::Field as _;

/// Number of pairs of user and post per transaction. The transaction locks the posts, so that their ratings wait.
const BATCH_SIZE: usize = 100;
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
    /// Also pause users who were unpaused less than 14 days ago
    #[arg(long)]
    force: bool,
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

/// Reports invalid lines of a file, and applies the other lines.
pub async fn run(
    pool: &PgPool,
    settings: &Settings,
    command: PauseCommand,
    arguments: PauseArguments,
) -> anyhow::Result<()> {
    if command == PauseCommand::Pause && !settings.zombie_pause {
        bail!("pauses have no effect, because ZOMBIE_PAUSE is off");
    }
    let reason: ReasonField = parse_field("--reason", &arguments.reason)?;
    let grace = if arguments.force { 0 } else { settings.zombie_pause_rules.params().grace_ms };
    let (pairs, problems) = find_pairs(pool, command, &arguments).await?;
    problems.iter().for_each(print_line);
    print_pairs(pool, &pairs).await?;
    if arguments.dry_run {
        print_line(format!("Dry run: {} would be {}.", count_pairs(pairs.len()), command.participle()));
        return check_problems(&problems);
    }
    let mut changed = 0;
    for batch in pairs.chunks(BATCH_SIZE) {
        changed += apply(pool, command, batch, TimeDelta::milliseconds(grace), reason.as_str()).await?;
    }
    let unchanged = match (pairs.len() - changed, command) {
        (0, _) => String::new(),
        (count, PauseCommand::Unpause) => format!("; {count} skipped: not paused or deleted"),
        (count, PauseCommand::Pause) => {
            format!("; {count} skipped: already paused, unpaused less than 14 days ago (use --force), or deleted")
        }
    };
    print_line(format!("{} {}{unchanged}.", count_pairs(changed), command.participle()));
    check_problems(&problems)
}

/// Fails if the file has invalid lines, so that scripts notice them.
fn check_problems(problems: &[String]) -> anyhow::Result<()> {
    ensure!(problems.is_empty(), "lines that were not applied: {}", problems.len());
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

/// Reads the lines of the file, or the user and post of the arguments as one line.
fn read_lines(arguments: &PauseArguments) -> anyhow::Result<Vec<String>> {
    let Some(file) = &arguments.file else {
        let post = arguments.post.map(|post| format!(" {post}")).unwrap_or_default();
        return Ok(vec![arguments.user.clone().unwrap_or_default() + &post]);
    };
    let mut text = String::new();
    if file.as_os_str() == "-" {
        std::io::stdin().read_to_string(&mut text)?;
    } else {
        text = std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    }
    Ok(text.lines().map(str::to_owned).collect())
}

/// Returns the pairs of user and post, and an error message for each invalid line.
async fn find_pairs(
    pool: &PgPool,
    command: PauseCommand,
    arguments: &PauseArguments,
) -> anyhow::Result<(Vec<RatingKey>, Vec<String>)> {
    let (mut pairs, mut problems) = (BTreeSet::new(), Vec::new());
    for (index, line) in read_lines(arguments)?.iter().enumerate() {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        match find_pairs_of_line(pool, command, line).await? {
            Ok(line_pairs) => pairs.extend(line_pairs),
            Err(problem) if arguments.file.is_some() => problems.push(format!("line {}: {problem}", index + 1)),
            Err(problem) => bail!(problem),
        }
    }
    if pairs.is_empty() {
        bail!(problems.join("\n"));
    }
    Ok((pairs.into_iter().collect(), problems))
}

async fn find_pairs_of_line(
    pool: &PgPool,
    command: PauseCommand,
    line: &str,
) -> anyhow::Result<Result<Vec<RatingKey>, String>> {
    let mut words = line.split_whitespace();
    let (name, post, rest) = (words.next().unwrap_or_default(), words.next(), words.next());
    if rest.is_some() {
        return Ok(Err("expected a username, optionally followed by the id of a post".to_owned()));
    }
    let Some(User { id: user, .. }) = find_user_if_exists(pool, name).await? else {
        return Ok(Err(format!("no user named {name:?}; /admin/users/ lists all users")));
    };
    let posts = match (post.map(PostId::from_text), command) {
        (Some(Err(_)), _) => return Ok(Err(format!("{:?} is not the id of a post", post.unwrap_or_default()))),
        (Some(Ok(post)), _) if models::post_exists(pool, post).await? => vec![post],
        (Some(Ok(post)), _) => return Ok(Err(format!("post {} does not exist", post.0))),
        (None, PauseCommand::Pause) => models::list_posts_with_failures(pool, &Clock::Database, user).await?,
        (None, PauseCommand::Unpause) => models::list_paused_posts(pool, user).await?,
    };
    if posts.is_empty() {
        return Ok(Err(format!("{name}: {}", command.nothing_recorded())));
    }
    Ok(Ok(posts.into_iter().map(|post| RatingKey { user, post }).collect()))
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

/// Pauses or unpauses the pairs of user and post, and returns the number of changed pairs.
async fn apply(
    pool: &PgPool,
    command: PauseCommand,
    pairs: &[RatingKey],
    grace: TimeDelta,
    reason: &str,
) -> anyhow::Result<usize> {
    let mut transaction = pool.begin().await?;
    let now = Clock::Database.read(&mut transaction).await?;
    let (changed, action) = match command {
        PauseCommand::Pause => {
            (models::pause_pairs(&mut transaction, pairs, now, grace).await?, AuditAction::PauseRatings)
        }
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
