//! `evenkeel token`: creates, lists and revokes API tokens of a user.

use anyhow::{Context as _, bail, ensure};
use chrono::SecondsFormat;
use serde_json::json;
use sqlx::PgPool;

use super::accounts::{find_user, parse_field};
use crate::access::ApiScope;
use crate::audit_log::{Actor, AuditAction, NewEntry};
use crate::db::clock::Clock;
use crate::db::commit;
use crate::log::print_line;
use crate::users::models::lock_account_for_update;
use crate::users::tokens::models::{self, ApiToken, MAX_TOKENS, NewToken, TokenId, TokenName};

#[derive(Debug, clap::Subcommand)]
pub enum TokenCommand {
    /// Create a token, and print it
    Create {
        /// Username
        user: String,
        /// Name of the token, such as the program that uses it
        #[arg(long)]
        name: String,
        /// Scope: read, rate, write, account or admin; can be repeated
        #[arg(long = "scope", required = true, value_parser = parse_scope)]
        scopes: Vec<ApiScope>,
        /// Days until the token expires
        #[arg(long, default_value_t = 90, value_parser = clap::value_parser!(i32).range(1..=3650))]
        days: i32,
        /// Create a token that does not expire
        #[arg(long, conflicts_with = "days")]
        never_expires: bool,
    },
    /// List the tokens of a user
    List {
        /// Username
        user: String,
    },
    /// Revoke a token
    Revoke {
        /// Username
        user: String,
        /// Id of the token, see `token list`
        id: i64,
    },
}

fn parse_scope(name: &str) -> Result<ApiScope, String> {
    ApiScope::from_name(name).ok_or_else(|| "use read, rate, write, account or admin".to_owned())
}

pub async fn run(pool: &PgPool, command: TokenCommand) -> anyhow::Result<()> {
    match command {
        TokenCommand::Create { user, name, scopes, days, never_expires } => {
            let TokenName(name) = parse_field("--name", &name)?;
            let days = (!never_expires).then_some(days);
            create(pool, &user, NewToken { name, scopes: scopes.into_iter().collect(), days }).await
        }
        TokenCommand::List { user } => list(pool, &user).await,
        TokenCommand::Revoke { user, id } => revoke(pool, &user, TokenId(id)).await,
    }
}

async fn create(pool: &PgPool, username: &str, new: NewToken) -> anyhow::Result<()> {
    let user = find_user(pool, username).await?;
    let is_staff = sqlx::query_scalar!("select is_staff from users where id = $1", user.id.0).fetch_one(pool).await?;
    if new.scopes.allows(ApiScope::Admin) && !is_staff {
        bail!("{} has no staff role, so the scope admin is not allowed", user.username);
    }
    let mut transaction = pool.begin().await?;
    ensure!(
        lock_account_for_update(&mut transaction, user.id, None).await?,
        "the account {} was deleted",
        user.username
    );
    let created = models::create(&mut transaction, &Clock::Database, user.id, &new).await?;
    let (token, secret) =
        created.with_context(|| format!("{} already has {MAX_TOKENS} tokens; revoke one first", user.username))?;
    let details = json!({ "command": "token", "token": token.id, "name": token.name, "scopes": token.scopes });
    let entry = NewEntry::new(AuditAction::CreateToken).for_user(user.id).with_details(details);
    entry.insert(Actor::default(), &mut transaction, &Clock::Database).await?;
    commit(transaction).await?;
    print_line(secret.reveal());
    Ok(())
}

async fn list(pool: &PgPool, username: &str) -> anyhow::Result<()> {
    let user = find_user(pool, username).await?;
    let tokens = models::list(pool, &Clock::Database, user.id).await?;
    if tokens.is_empty() {
        print_line(format!("{} has no API tokens.", user.username));
    }
    for ApiToken { id, name, scopes, expires_at, used_at, .. } in tokens {
        let time = |time: chrono::DateTime<chrono::Utc>| time.to_rfc3339_opts(SecondsFormat::Secs, true);
        let expires = expires_at.map_or("never expires".to_owned(), |at| format!("expires {}", time(at)));
        let last_use = used_at.map_or("never used".to_owned(), |at| format!("last used {}", time(at)));
        print_line(format!("{id}  {name}  {}  {expires}  {last_use}", scopes.join(",")));
    }
    Ok(())
}

async fn revoke(pool: &PgPool, username: &str, id: TokenId) -> anyhow::Result<()> {
    let user = find_user(pool, username).await?;
    let mut transaction = pool.begin().await?;
    let name = models::revoke(&mut transaction, user.id, id).await?;
    let name = name.with_context(|| format!("{} has no API token {id}", user.username))?;
    let details = json!({ "command": "token", "token": id, "name": name });
    let entry = NewEntry::new(AuditAction::RevokeToken).for_user(user.id).with_details(details);
    entry.insert(Actor::default(), &mut transaction, &Clock::Database).await?;
    commit(transaction).await?;
    print_line(format!("Revoked the API token {name:?} of {}.", user.username));
    Ok(())
}
