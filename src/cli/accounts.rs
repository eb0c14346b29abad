//! Commands for accounts: `createsuperuser`, `changepassword`, `removesecondfactor` and `clearsessions`.

use std::io::{IsTerminal as _, Write as _};

use anyhow::{Context as _, anyhow, bail};
use serde_json::json;
use sqlx::{PgConnection, PgPool};

use super::error_messages::to_command_error;
use crate::audit_log::{Actor, AuditAction, NewEntry};
use crate::db::clock::Clock;
use crate::db::commit;
use crate::log::{print_error, print_line};
use crate::permits::Requester;
use crate::users::sessions::delete_expired;
use crate::users::tokens::models::revoke_all;
use crate::users::{EmailAddress, Password, PasswordHasher, Settings, User, Username, models, two_factor};
use crate::web::error::AppError;
use crate::web::request::current_user::UserId;
use crate::web::request::form_field::Field;

#[derive(Debug, Default)]
pub struct SuperuserArguments {
    pub noinput: bool,
    pub username: Option<String>,
    pub email: Option<String>,
}

pub async fn create_superuser(pool: &PgPool, superuser: SuperuserArguments) -> anyhow::Result<()> {
    let SuperuserArguments { noinput, username, email } = superuser;
    let username: Username = argument_or_prompt("username", "Username: ", username, noinput)?;
    let email: EmailAddress = argument_or_prompt("email", "Email: ", email, noinput)?;
    let account_data = [username.as_str(), email.as_str()];
    let hash = match std::env::var("EVENKEEL_SUPERUSER_PASSWORD") {
        Ok(password) => hash_new(parse_field("password", &password)?, &account_data).await?,
        Err(_) if noinput => {
            bail!("--noinput needs the password in the environment variable EVENKEEL_SUPERUSER_PASSWORD")
        }
        Err(_) => prompt_new_password(&account_data).await?,
    };
    let mut transaction = pool.begin().await?;
    let created = models::create(&mut transaction, &Clock::Database, &username, &email, &hash, true).await;
    log_command(
        &mut transaction,
        AuditAction::MakeStaff,
        created.map_err(to_command_error)?.user.id,
        "createsuperuser",
    )
    .await?;
    commit(transaction).await?;
    print_line(format!("Created superuser {}, who can edit and delete all posts.", username.as_str()));
    Ok(())
}

pub async fn clear_sessions(pool: &PgPool, settings: &Settings) -> anyhow::Result<()> {
    match delete_expired(pool, &Clock::Database, settings).await? {
        0 => print_line("No expired sessions."),
        1 => print_line("Deleted 1 expired session."),
        count => print_line(format!("Deleted {count} expired sessions.")),
    }
    Ok(())
}

/// Prompts for the new password, and ends all sessions and API tokens of the user.
pub async fn change_password(pool: &PgPool, username: &str) -> anyhow::Result<()> {
    let username = parse_username(username)?;
    let credentials = models::find_credentials_by_skeleton(pool, username.skeleton()).await?;
    let credentials =
        credentials.with_context(|| format!("no user named {:?}; /admin/users/ lists all users", username.as_str()))?;
    let account = models::find_account(pool, credentials.user.id).await.map_err(to_command_error)?;
    let hash = prompt_new_password(&[&credentials.user.username, &account.email]).await?;
    let mut transaction = pool.begin().await?;
    let changed =
        models::change_password(&mut transaction, credentials.user.id, credentials.session_version, &hash, None)
            .await?;
    changed.context("the password was changed by another process in the meantime; run the command again")?;
    revoke_all(&mut transaction, credentials.user.id).await?;
    log_command(&mut transaction, AuditAction::ChangePassword, credentials.user.id, "changepassword").await?;
    commit(transaction).await?;
    print_line(format!(
        "Changed the password of {} and ended all of their sessions and API tokens.",
        credentials.user.username
    ));
    Ok(())
}

pub async fn disable_two_factor(pool: &PgPool, username: &str) -> anyhow::Result<()> {
    let user = find_user(pool, username).await?;
    let mut transaction = pool.begin().await?;
    models::lock_account(&mut transaction, user.id, None).await?;
    if !two_factor::models::disable(&mut transaction, user.id).await? {
        bail!("two-factor authentication is not enabled for {}", user.username);
    }
    models::end_sessions(&mut transaction, user.id).await?;
    log_command(&mut transaction, AuditAction::TurnOffSecondFactor, user.id, "removesecondfactor").await?;
    commit(transaction).await?;
    print_line(format!(
        "Disabled two-factor authentication for {} and ended all of their sessions. They can sign in with the password alone.",
        user.username
    ));
    Ok(())
}

/// Writes an audit log entry without an actor, because commands are not run by an account.
async fn log_command(connection: &mut PgConnection, act: AuditAction, user: UserId, command: &str) -> sqlx::Result<()> {
    let record = NewEntry::new(act).for_user(user).with_details(json!({ "command": command }));
    record.insert(Actor::default(), connection, &Clock::Database).await
}

pub(super) async fn find_user(pool: &PgPool, username: &str) -> anyhow::Result<User> {
    let username = parse_username(username)?;
    let user = find_user_if_exists(pool, username.as_str()).await?;
    user.with_context(|| format!("no user named {:?}; /admin/users/ lists all users", username.as_str()))
}

/// Returns `None` if the username is invalid or no user has it.
pub(super) async fn find_user_if_exists(pool: &PgPool, username: &str) -> anyhow::Result<Option<User>> {
    let Ok(username) = Username::parse_lenient(username) else { return Ok(None) };
    match models::find_by_username(pool, &username).await {
        Ok(user) => Ok(Some(user)),
        Err(AppError::NotFound) => Ok(None),
        Err(error) => Err(to_command_error(error)),
    }
}

fn parse_username(username: &str) -> anyhow::Result<Username> {
    Username::parse_lenient(username).map_err(|problem| anyhow!("username: {problem}"))
}

/// If neither the command line nor the environment contains the value, prompts until the input is valid.
fn argument_or_prompt<T: Field>(
    name: &str,
    question: &str,
    argument: Option<String>,
    noinput: bool,
) -> anyhow::Result<T> {
    let variable = format!("EVENKEEL_SUPERUSER_{}", name.to_uppercase());
    match argument.or_else(|| std::env::var(&variable).ok()) {
        Some(value) => return parse_field(name, &value),
        None if noinput => bail!("--noinput needs the option --{name} or the environment variable {variable}"),
        None => {}
    }
    loop {
        match parse_field(name, &prompt(question)?) {
            Ok(value) => return Ok(value),
            Err(problem) => print_error(problem),
        }
    }
}

fn prompt(question: &str) -> anyhow::Result<String> {
    if !std::io::stdin().is_terminal() {
        bail!(
            "cannot prompt, because standard input is not a terminal; use --noinput and set the values as options or \
            environment variables"
        );
    }
    // The prompt is not printed with `print_line`, which would add a line break.
    write!(std::io::stdout(), "{question}")?;
    std::io::stdout().flush()?;
    let mut answer = String::new();
    if std::io::stdin().read_line(&mut answer)? == 0 {
        bail!("standard input ended before a value was entered; no account was created");
    }
    Ok(answer.trim_end_matches(['\r', '\n']).to_owned())
}

/// Prompts for a new password until it is valid, and returns its hash.
async fn prompt_new_password(account_data: &[&str]) -> anyhow::Result<String> {
    if !std::io::stdin().is_terminal() {
        bail!("cannot prompt for the password: standard input is not a terminal; run the command in a terminal");
    }
    loop {
        let password = rpassword::prompt_password("New password: ")?;
        if rpassword::prompt_password("New password (again): ")? != password {
            print_error("the passwords do not match; enter the password again");
            continue;
        }
        let hash = match parse_field("password", &password) {
            Ok(password) => hash_new(password, account_data).await,
            Err(problem) => Err(problem),
        };
        match hash {
            Ok(hash) => return Ok(hash),
            Err(problem) => print_error(problem),
        }
    }
}

async fn hash_new(password: Password, account_data: &[&str]) -> anyhow::Result<String> {
    let hash = PasswordHasher::new()?.hash_new_password(Requester::Other, "password", password, account_data).await;
    hash.map_err(to_command_error)
}

pub(super) fn parse_field<T: Field>(name: &str, text: &str) -> anyhow::Result<T> {
    T::from_text(text).map_err(|problem| anyhow!("{name}: {problem}"))
}
