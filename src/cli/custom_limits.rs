//! `evenkeel custom_limits`: list, add and end custom limits.

use anyhow::{Context as _, bail};
use chrono::TimeDelta;
use sqlx::PgPool;

use super::accounts::{find_user_if_exists, parse_field};
use super::error_messages::to_command_error;
use crate::audit_log::{Actor, ReasonField};
use crate::custom_limits::models::{self, CustomLimit, NewCustomLimit};
use crate::custom_limits::{Allowance, LimitName, Target, parse_network};
use crate::db::clock::{Clock, saturating_add};
use crate::db::commit;
use crate::log::print_line;
use crate::users::Username;

#[derive(Debug, clap::Subcommand)]
pub enum CustomLimitsCommand {
    /// List all custom limits (the default)
    List,
    /// Set a custom limit, replacing an existing one for the same limit and user or network
    ///
    /// A running site applies the custom limit within a second. The change is recorded in the audit log.
    #[command(after_long_help = "Examples:\n  evenkeel custom_limits add browse 203.0.113.0/24 10 --reason office\n  \
            evenkeel custom_limits add rate newsbot exempt --days 30 --reason 'imports ratings'")]
    Add {
        /// Limit: a rate class (`browse`, `write`, `rate` or `account`), `sign_in` for sign-ins, registrations,
        /// reports and email requests of a network, or `failed_ratings` for the failed attempts before a user is paused
        limit: String,
        /// Username, IP address, or network such as `203.0.113.0/24`
        target: String,
        /// Number by which the limit is multiplied, 0.01 to 1000, or `exempt` for no limit
        allowance: String,
        /// Number of days until the custom limit ends; default: it does not end
        #[arg(long, value_parser = clap::value_parser!(u32).range(1..=3_650))]
        days: Option<u32>,
        /// Reason, which the admin area and the audit log show
        #[arg(long)]
        reason: String,
    },
    /// End a custom limit
    #[command(after_long_help = "Example:\n  evenkeel custom_limits end 3")]
    End {
        /// Id of the custom limit, which `evenkeel custom_limits list` shows
        id: i64,
    },
}

pub async fn run(pool: &PgPool, command: CustomLimitsCommand) -> anyhow::Result<()> {
    match command {
        CustomLimitsCommand::List => list(pool).await,
        CustomLimitsCommand::Add { limit, target, allowance, days, reason } => {
            let mut new = parse(pool, &limit, &target, &allowance, &reason).await?;
            let mut transaction = pool.begin().await?;
            let now = Clock::Database.read(&mut transaction).await?;
            new.expires_at = days.map(|days| saturating_add(now, TimeDelta::days(days.into())));
            let added = models::set_custom_limit(&mut transaction, &Clock::Database, Actor::default(), new).await;
            added.map_err(to_command_error)?;
            commit(transaction).await?;
            list(pool).await
        }
        CustomLimitsCommand::End { id } => {
            let mut transaction = pool.begin().await?;
            if models::end_custom_limits(&mut transaction, &Clock::Database, Actor::default(), &[id]).await? == 0 {
                bail!("there is no custom limit with the id {id}");
            }
            commit(transaction).await?;
            list(pool).await
        }
    }
}

/// Parses a custom limit that does not end.
async fn parse(
    pool: &PgPool,
    limit: &str,
    target: &str,
    allowance: &str,
    reason: &str,
) -> anyhow::Result<NewCustomLimit> {
    let limits = LimitName::ALL.map(LimitName::name).join(", ");
    let limit = LimitName::by_name(limit).with_context(|| format!("no limit is named {limit:?}; use {limits}"))?;
    let invalid = || format!("{allowance:?} must be a number from 0.01 to 1000, or exempt");
    let allowance = Allowance::parse(allowance).with_context(invalid)?;
    let reason: ReasonField = parse_field("--reason", reason)?;
    let target = match parse_network(target) {
        Some(network) => Target::Network(network),
        None => find_user(pool, target).await?,
    };
    Ok(NewCustomLimit { limit, target, allowance, reason: reason.as_str().to_owned(), expires_at: None })
}

async fn find_user(pool: &PgPool, name: &str) -> anyhow::Result<Target> {
    let invalid =
        || format!("{name:?} must be a username, an IP address, or a network from /8 to /32 (IPv6: /16 to /128)");
    Username::parse_lenient(name).ok().with_context(invalid)?;
    let user = find_user_if_exists(pool, name).await?.with_context(|| format!("no user named {name:?}"))?;
    Ok(Target::User(user.id))
}

async fn list(pool: &PgPool) -> anyhow::Result<()> {
    let custom_limits = models::list_custom_limits(pool).await?;
    if custom_limits.is_empty() {
        print_line("No custom limits.");
    }
    for one in custom_limits {
        let target = one.target();
        let CustomLimit { id, limit, factor, reason, expires_at, .. } = &one;
        let effect = factor.map_or("exempt".to_owned(), |factor| format!("{factor} times the limit"));
        let until = expires_at.map_or(String::new(), |time| format!(", until {}", time.format("%Y-%m-%d %H:%M UTC")));
        print_line(format!("{id}: {limit} of {target}: {effect}{until}, reason: {reason}"));
    }
    Ok(())
}
