//! Commands for accounts: `createsuperuser`, `changepassword`, `removesecondfactor` and `clearsessions`.

use std::io::{IsTerminal as _, Write as _};

use anyhow::{Context as _, bail};
use serde_json::json;
use sqlx::{PgConnection, PgPool};

use super::error_messages::user_message;
use crate::audit_log::{Actor, AuditAction, NewEntry};
use crate::db::clock::Clock;
use crate::db::commit;
use crate::log::{print_error, print_line};
use crate::users::sessions::delete_expired;
use crate::users::{Email, Hasher, Password, Settings, Username, models, two_factor};
use crate::web::request::current_user::UserId;
use crate::web::request::field::Field;

/// Arguments of `createsuperuser`. The command prompts for missing values, unless `noinput` is set.
#[derive(Debug, Default)]
pub struct SuperuserArguments {
    pub noinput: bool,
    pub username: Option<String>,
    pub email: Option<String>,
}

/// Creates a user who may edit and delete all posts.
///
/// # Errors
/// If a value is missing, invalid or already used by another account.
pub async fn create_superuser(pool: &PgPool, superuser: SuperuserArguments) -> anyhow::Result<()> {
    let SuperuserArguments { noinput, username, email } = superuser;
    let username: Username = argument_or_prompt("username", "Username: ", username, noinput)?;
    let email: Email = argument_or_prompt("email", "E-mail: ", email, noinput)?;
    let known = [username.as_str(), email.as_str()];
    let hash = match std::env::var("EVENKEEL_SUPERUSER_PASSWORD") {
        Ok(password) => hash_new(parse_field("password", &password)?, &known).await?,
        Err(_) if noinput => bail!("EVENKEEL_SUPERUSER_PASSWORD is required with --noinput"),
        Err(_) => prompt_new_password(&known).await?,
    };
    let mut transaction = pool.begin().await?;
    let created = models::create(&mut transaction, &Clock::Database, &username, &email, &hash, true).await;
    log_command(&mut transaction, AuditAction::MakeStaff, created.map_err(user_message)?.user.id, "createsuperuser")
        .await?;
    commit(transaction).await?;
    print_line(format!("{} may now sign in, and edit and delete all posts.", username.as_str()));
    Ok(())
}

pub async fn clear_sessions(pool: &PgPool, settings: &Settings) -> anyhow::Result<()> {
    match delete_expired(pool, &Clock::Database, settings).await? {
        0 => print_line("No session had ended."),
        1 => print_line("1 session had ended, and is deleted."),
        count => print_line(format!("{count} sessions had ended, and are deleted.")),
    }
    Ok(())
}

/// Prompts for a new password, and ends all sessions of the user.
///
/// # Errors
/// If the user does not exist, or the password is changed concurrently.
pub async fn change_password(pool: &PgPool, username: &str) -> anyhow::Result<()> {
    let username = parse_username(username)?;
    let found = models::credentials(pool, &username).await?;
    let found = found.with_context(|| format!("there is no user {}", username.as_str()))?;
    let account = models::account(pool, found.user.id).await.map_err(user_message)?;
    let hash = prompt_new_password(&[&found.user.username, &account.email]).await?;
    let mut transaction = pool.begin().await?;
    let changed = models::change_password(&mut transaction, found.user.id, found.session_version, &hash, None).await?;
    changed.context("the password was changed by somebody else meanwhile")?;
    log_command(&mut transaction, AuditAction::ChangePassword, found.user.id, "changepassword").await?;
    commit(transaction).await?;
    print_line(format!("The password of {} is changed, and they are signed out everywhere.", found.user.username));
    Ok(())
}

/// Disables two-factor authentication for a user and ends all sessions of the user.
///
/// # Errors
/// If the user does not exist, or does not use two-factor authentication.
pub async fn disable_two_factor(pool: &PgPool, username: &str) -> anyhow::Result<()> {
    let username = parse_username(username)?;
    let user = models::find_by_name(pool, &username).await;
    let user = user.map_err(|_| anyhow::anyhow!("there is no user {}", username.as_str()))?;
    let mut transaction = pool.begin().await?;
    models::lock_account(&mut transaction, user.id, None).await?;
    if !two_factor::models::disable(&mut transaction, user.id).await? {
        bail!("{} has no second factor", user.username);
    }
    models::end_sessions(&mut transaction, user.id).await?;
    log_command(&mut transaction, AuditAction::TurnOffSecondFactor, user.id, "removesecondfactor").await?;
    commit(transaction).await?;
    print_line(format!("The password alone lets {} in now. They are signed out everywhere.", user.username));
    Ok(())
}

/// Writes an audit log entry without an actor, because commands are not run by an account.
async fn log_command(connection: &mut PgConnection, act: AuditAction, user: UserId, command: &str) -> sqlx::Result<()> {
    let record = NewEntry::new(act).for_user(user).details(json!({ "command": command }));
    record.insert(Actor::default(), connection, &Clock::Database).await
}

fn parse_username(username: &str) -> anyhow::Result<Username> {
    Username::from_existing(username).map_err(|problem| anyhow::anyhow!("username: {problem}"))
}

/// Parses a value from the command line or the environment. Without one, prompts until the input is valid.
fn argument_or_prompt<T: Field>(name: &str, question: &str, given: Option<String>, noinput: bool) -> anyhow::Result<T> {
    let variable = format!("EVENKEEL_SUPERUSER_{}", name.to_uppercase());
    match given.or_else(|| std::env::var(&variable).ok()) {
        Some(value) => return parse_field(name, &value),
        None if noinput => bail!("{variable} is required with --noinput"),
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
        bail!("there is no terminal to ask at; use --noinput and the environment");
    }
    // Not printed with `print_line`, which would add a line break after the prompt.
    write!(std::io::stdout(), "{question}")?;
    std::io::stdout().flush()?;
    let mut answer = String::new();
    if std::io::stdin().read_line(&mut answer)? == 0 {
        bail!("nothing was answered, and nothing is done");
    }
    Ok(answer.trim_end_matches(['\r', '\n']).to_owned())
}

/// Prompts for a new password until it is valid, and returns its hash.
async fn prompt_new_password(known: &[&str]) -> anyhow::Result<String> {
    if !std::io::stdin().is_terminal() {
        bail!("there is no terminal to ask for the password at");
    }
    loop {
        let password = rpassword::prompt_password("New password: ")?;
        if rpassword::prompt_password("The same again: ")? != password {
            print_error("the two passwords differ");
            continue;
        }
        let hash = match parse_field("password", &password) {
            Ok(password) => hash_new(password, known).await,
            Err(problem) => Err(problem),
        };
        match hash {
            Ok(hash) => return Ok(hash),
            Err(problem) => print_error(problem),
        }
    }
}

async fn hash_new(password: Password, known: &[&str]) -> anyhow::Result<String> {
    let hash = Hasher::new()?.hash_new(password, known).await.map_err(user_message)?;
    hash.map_err(|weakness| anyhow::anyhow!("password: {weakness}"))
}

fn parse_field<T: Field>(name: &str, text: &str) -> anyhow::Result<T> {
    T::from_text(text).map_err(|problem| anyhow::anyhow!("{name}: {problem}"))
}
