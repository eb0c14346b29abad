//! `evenkeel check`: reports problems of settings, database, image storage and threat lists.

use anyhow::bail;
use sqlx::{ConnectOptions as _, PgConnection};
use tokio::time::timeout;

use super::threat_lists;
use crate::db::{self, Availability, Database, describe_error, describe_error_chain, timeout_error};
use crate::images::store::ImageStore;
use crate::log::print_line;
use crate::rate::limiter::overrides;
use crate::web::error::AppError;
use crate::{images, mail, rate, web};

#[derive(Debug)]
pub struct CheckInput<'a> {
    pub web: &'a web::settings::Settings,
    pub database: &'a db::Settings,
    /// Settings that disable a protection: name of the variable, description of the consequence, and true if
    /// `ALLOW_UNSAFE` permits the setting.
    pub unsafe_settings: Vec<(&'static str, &'static str, bool)>,
    pub images: &'a images::ImageSettings,
    pub rate: &'a rate::Settings,
    /// Safe Browsing settings; `None` if links are not checked against threat lists.
    pub links: Option<crate::safe_browsing::settings::Settings>,
    /// Mail settings; `None` if the site sends no emails.
    pub mail: Option<mail::Settings>,
    /// Messages about unknown variables that look like settings.
    pub unknown_variables: Vec<String>,
}

/// Prints all problems. With `deploy`, also reports problems that matter only on the public internet.
pub async fn check(checked: &CheckInput<'_>, deploy: bool) -> anyhow::Result<()> {
    let mut problems = if deploy { deploy_problems(checked) } else { Vec::new() };
    if deploy {
        problems.extend(checked.unknown_variables.iter().cloned());
        print_permitted_settings(checked);
    } else {
        checked.unknown_variables.iter().for_each(|variable| print_line(format!("Warning: {variable}")));
    }
    let database = match Database::open_existing(checked.database).await {
        Ok(database) => database,
        Err(error) => {
            // Problems found so far are printed even if the database is unavailable.
            print_problems(&problems);
            return Err(error);
        }
    };
    let mut connection = database.options.connect().await?;
    problems.extend(database_problems(&mut connection, checked.database).await?);
    if db::has_required_migrations(&mut connection).await? {
        let limiter = overrides::describe_site_limiter(&mut connection, checked.rate).await?;
        print_line(format!("Rating limiter of the site: {limiter}"));
    }
    problems.extend(read_server_problem(checked.database).await);
    problems.extend(image_storage_problem(checked.images).await);
    problems.extend(mail_problem(checked, deploy).await);
    if let Some(settings) = &checked.links {
        let availability = Availability::new(checked.database.acquire_timeout);
        let pool = db::create_pool(database.options.clone(), 1, &availability);
        problems.extend(threat_lists::print_status_and_problems(&pool, settings.clone()).await?);
    }
    print_problems(&problems);
    if let Some(to_do) = database.upgrade_hint() {
        print_line(format!("Note: {to_do}."));
    }
    conclude(problems.len())
}

fn conclude(count: usize) -> anyhow::Result<()> {
    match count {
        0 => print_line("No problems found."),
        1 => bail!("1 problem found"),
        _ => bail!("{count} problems found"),
    }
    Ok(())
}

async fn mail_problem(checked: &CheckInput<'_>, deploy: bool) -> Option<String> {
    match &checked.mail {
        Some(settings) => mail::find_server_problem(settings).await,
        None => deploy.then(|| {
            "SMTP_URL is not set, so the site sends no emails: users cannot confirm addresses or reset passwords"
                .to_owned()
        }),
    }
}

fn print_permitted_settings(checked: &CheckInput<'_>) {
    for (variable, what, _) in checked.unsafe_settings.iter().filter(|(.., is_allowed)| *is_allowed) {
        print_line(format!("Note: {variable} {what} (permitted by ALLOW_UNSAFE)."));
    }
}

fn print_problems(problems: &[String]) {
    for problem in problems {
        print_line(format!("- {problem}"));
    }
}

async fn database_problems(connection: &mut PgConnection, settings: &db::Settings) -> sqlx::Result<Vec<String>> {
    let mut problems = Vec::new();
    let migrations = db::migration_statuses(connection).await?;
    if migrations.iter().any(|migration| migration.purpose.is_none()) {
        problems.push(db::NEWER_DATABASE_MESSAGE.to_owned());
    } else if migrations.iter().any(|migration| migration.applied_at.is_none()) {
        problems.push("migrations are pending; run `evenkeel migrate` to apply them".to_owned());
    }
    let (ours, theirs) = (settings.max_connections, db::read_connection_limit(connection).await?);
    if i64::from(ours) > theirs {
        problems.push(format!(
            "DATABASE_CONNECTIONS is {ours}, but the database server allows only {theirs} connections for all instances \
            together; lower DATABASE_CONNECTIONS or raise max_connections in PostgreSQL"
        ));
    } else {
        print_line(format!(
            "The database server allows enough connections for {} instances with {ours} connections each.",
            theirs / i64::from(ours)
        ));
    }
    Ok(problems)
}

async fn read_server_problem(settings: &db::Settings) -> Option<String> {
    let connecting = async { settings.read.as_ref()?.connect().await.err() };
    let limit = settings.acquire_timeout;
    let error = timeout(limit, connecting).await.unwrap_or_else(|_| Some(timeout_error(limit)))?;
    Some(format!("the server of DATABASE_READ_URL cannot be used: {}", describe_error(&error)))
}

async fn image_storage_problem(settings: &images::ImageSettings) -> Option<String> {
    let tried = match ImageStore::open(&settings.location) {
        Ok(store) => store.test_write_access().await.map_err(|error| match error {
            AppError::Unavailable(Some(error)) => describe_error_chain(&error),
            error => error.to_string(),
        }),
        Err(error) => Err(describe_error_chain(&error)),
    };
    tried.err().map(|why| format!("images cannot be stored (IMAGE_STORE): {why}"))
}

fn deploy_problems(CheckInput { web, database, unsafe_settings: unsafe_switches, .. }: &CheckInput<'_>) -> Vec<String> {
    let mut problems = Vec::new();
    if !web.production {
        let problem = "PRODUCTION is not true: cookies lack the Secure attribute, and unsafe settings are accepted";
        problems.push(problem.to_owned());
    }
    if database.server.is_none() {
        problems
            .push("DATABASE_URL is not set: a private PostgreSQL server can be used by one machine only".to_owned());
    }
    if web.trusted_proxies.is_empty() {
        let problem =
            "TRUSTED_PROXIES is not set: behind a reverse proxy, all clients have the IP address of the proxy";
        problems.push(problem.to_owned());
    }
    let forbidden = unsafe_switches.iter().filter(|(.., is_allowed)| !is_allowed);
    problems.extend(forbidden.map(|(variable, what, _)| format!("{variable} {what}")));
    if !web.allowed_hosts.iter().any(|allowed| allowed.allows(&web.public_url.host)) {
        problems.push("ALLOWED_HOSTS does not contain the host of PUBLIC_URL; add this host".to_owned());
    }
    problems
}
