//! `evenkeel limiter`: shows, sets and removes limiter overrides.

use std::collections::BTreeMap;

use anyhow::bail;
use clap::Subcommand;
use serde_json::Value;
use sqlx::PgPool;

use super::accounts::parse_field;
use super::error_messages::to_command_error;
use crate::audit_log::{Actor, ReasonField};
use crate::blog_posts::PostId;
use crate::cli::replay::parse_parameter;
use crate::db::clock::Clock;
use crate::db::commit;
use crate::log::print_line;
use crate::rate::limiter::overrides::{self, ExpectedOverride, LimiterOverride, NO_OVERRIDE, NewOverride};
use crate::rate::limiter::parameters;
use crate::rate::{RatingLimiter, Settings};
use crate::web::error::AppError;

#[derive(Debug, Subcommand)]
pub enum LimiterCommand {
    /// Show the active rating limiter of the site and why it is active, and the posts with their own limiter (the
    /// default)
    #[command(after_long_help = "Example:\n  evenkeel limiter show")]
    Show,
    /// Replace the rating limiter of the site or of a post
    ///
    /// A running site uses the new limiter for all later ratings. The limiter starts with empty states. Parameters that
    /// are not given have the values from the environment. The change is recorded in the audit log.
    #[command(after_long_help = "Examples:\n  evenkeel limiter set surge --param floor=10 --reason 'launch day'\n  \
            evenkeel limiter set off --post 3 --reason 'contest'")]
    Set {
        /// `leaky_bucket`, `ema`, `ema_original`, `rate_class`, `surge`, `off`, a pair such as `leaky_bucket,ema`, or
        /// `default` to remove the override
        limiter: String,
        /// Id of the post; default: the whole site
        #[arg(long, value_name = "ID")]
        post: Option<i64>,
        /// Parameter of the limiter, such as `floor=10`
        #[arg(long, value_name = "NAME=VALUE")]
        param: Vec<String>,
        /// Reason, which the admin area and the audit log show
        #[arg(long)]
        reason: String,
    },
    /// Remove the limiter override of the site or of a post
    ///
    /// The site then uses the limiter from `RATING_LIMITER`; a post uses the limiter of the site.
    #[command(after_long_help = "Examples:\n  evenkeel limiter undo\n  evenkeel limiter undo --post 3")]
    Undo {
        /// Id of the post; default: the whole site
        #[arg(long, value_name = "ID")]
        post: Option<i64>,
    },
}

pub async fn run(pool: &PgPool, settings: &Settings, command: LimiterCommand) -> anyhow::Result<()> {
    match command {
        LimiterCommand::Show => show(pool, settings).await,
        LimiterCommand::Set { limiter, post, param, reason } => {
            let reason: ReasonField = parse_field("--reason", &reason)?;
            let (limiter, scope) = (build_limiter(settings, &limiter, &param)?, post.map(PostId));
            let mut transaction = pool.begin().await?;
            let new =
                NewOverride { scope, limiter, reason: reason.as_str().to_owned(), expected: ExpectedOverride::Any };
            let added =
                overrides::add_override(&mut transaction, &Clock::Database, Actor::default(), settings, new).await;
            added.map_err(|error| match (error, post) {
                (AppError::NotFound, Some(post)) => anyhow::anyhow!("post {post} does not exist or is not published"),
                (error, _) => to_command_error(error),
            })?;
            commit(transaction).await?;
            show(pool, settings).await
        }
        LimiterCommand::Undo { post } => {
            let scope = post.map(PostId);
            let mut transaction = pool.begin().await?;
            let latest = overrides::active_override(&mut transaction, scope).await?;
            if latest.is_none_or(|latest| latest.limiter.is_none()) {
                bail!("there is no limiter override to undo");
            }
            overrides::undo_override(
                &mut transaction,
                &Clock::Database,
                Actor::default(),
                scope,
                ExpectedOverride::Any,
            )
            .await
            .map_err(to_command_error)?;
            commit(transaction).await?;
            show(pool, settings).await
        }
    }
}

async fn show(pool: &PgPool, settings: &Settings) -> anyhow::Result<()> {
    let site = overrides::describe_site_limiter(&mut *pool.acquire().await?, settings).await?;
    print_line(format!("Rating limiter of the site: {site}"));
    for LimiterOverride { post, title, limiter, reason, .. } in overrides::list_post_overrides(pool).await? {
        let (post, limiter) = (post.unwrap_or_default(), limiter.unwrap_or_default());
        let title = title.map(|title| format!(" ({title})")).unwrap_or_default();
        print_line(format!("Rating limiter of post {post}{title}: {limiter}, reason: {reason}"));
    }
    Ok(())
}

/// Returns the limiter to set; `None` removes the override.
fn build_limiter(settings: &Settings, name: &str, params: &[String]) -> anyhow::Result<Option<RatingLimiter>> {
    if name == NO_OVERRIDE {
        return if params.is_empty() { Ok(None) } else { bail!("default has no parameters") };
    }
    let Some(limiter) = settings.rating_limiter(name) else {
        bail!("no limiter is named {name:?}; use default, {}", RatingLimiter::allowed_names());
    };
    let mut values: BTreeMap<String, Value> = BTreeMap::new();
    for text in params {
        let (limiter, parameter, value) = parse_parameter(text)?;
        if limiter.is_some_and(|limiter| limiter != name) {
            bail!("--param {text} is not a parameter of {name}");
        }
        values.insert(parameter, value);
    }
    if limiter.limiters().is_empty() && !values.is_empty() {
        bail!("off has no parameters");
    }
    let allowed = parameters::configurable_parameters(&limiter).map_err(to_command_error)?;
    if let Some(unknown) = values.keys().find(|name| allowed.iter().all(|parameter| parameter.name != **name)) {
        let names: Vec<&str> = allowed.iter().map(|parameter| parameter.name.as_str()).collect();
        bail!("{} has no parameter {unknown}; its parameters are {}", limiter.name(), names.join(", "));
    }
    parameters::with_params(&limiter, &values).map(Some).map_err(to_command_error)
}
