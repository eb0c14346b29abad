//! Settings of the whole site. Each app defines its own settings; `.env.sample` lists all of them.

use std::net::SocketAddr;
use std::time::Duration;

use crate::audit_log::Retention;
use crate::config::{Env, InvalidSetting};
use crate::db::settings::can_be_intercepted;
use crate::mail::Transport;
use crate::signing::SecretKey;
use crate::{db, images, log, mail, rate, rate_classes, safe_browsing, users, web, webhooks};
use evenkeel_limiters::AnyLimiter;

#[derive(Clone, Debug)]
pub struct Settings {
    pub web: web::settings::Settings,
    pub database: db::Settings,
    /// Secret key; if `None`, a key is generated once and stored in `DATA_DIR`.
    pub secret_key: Option<SecretKey>,
    /// Previous secret keys, whose signatures are still accepted.
    pub secret_key_fallbacks: Vec<SecretKey>,
    /// Variables whose unsafe values are accepted in production (`ALLOW_UNSAFE`).
    pub allow_unsafe: Vec<&'static str>,
    pub users: users::Settings,
    pub rate: rate::Settings,
    pub rate_classes: rate_classes::Settings,
    /// Maximum size of all texts of one account, in bytes.
    pub text_quota_bytes: i64,
    pub audit_log: Retention,
    pub images: images::ImageSettings,
    /// Settings of Safe Browsing; `None` if links are not checked.
    pub safe_browsing: Option<safe_browsing::settings::Settings>,
    /// Settings of mail delivery; `None` if the site sends no emails.
    pub mail: Option<mail::Settings>,
    pub webhooks: webhooks::Settings,
    pub log: log::Settings,
    /// Listening address of the metrics endpoint; `None` if metrics are disabled.
    pub metrics_bind: Option<SocketAddr>,
    /// Time after SIGTERM during which requests are served, while `/readyz` reports that the instance is not ready.
    pub drain_period: Duration,
}

const INTERCEPTABLE: &str = "does not require an encrypted connection to a verified server; add sslmode=verify-full";

/// Variables that may be listed in `ALLOW_UNSAFE`.
const UNSAFE_VARIABLES: [&str; 8] = [
    "SIGN_IN_THROTTLE",
    "RATE_CLASSES",
    "TRUSTED_PROXIES",
    "DATABASE_URL",
    "DATABASE_DIRECT_URL",
    "DATABASE_READ_URL",
    "AWS_ENDPOINT_URL",
    "SMTP_URL",
];

impl Settings {
    pub fn load_secret_key(&self) -> anyhow::Result<SecretKey> {
        self.secret_key.clone().map_or_else(|| SecretKey::load_or_create(&self.database.data_dir), Ok)
    }

    pub fn from_env(env: &Env) -> Result<Self, InvalidSetting> {
        let unsafe_variable = |text: &str| UNSAFE_VARIABLES.into_iter().find(|variable| *variable == text);
        let database = db::Settings::from_env(env)?;
        let settings = Self {
            web: web::settings::Settings::from_env(env)?,
            images: images::ImageSettings::from_env(env, &database.data_dir)?,
            database,
            secret_key: SecretKey::from_env(env)?,
            secret_key_fallbacks: SecretKey::fallbacks_from_env(env)?,
            allow_unsafe: env.get_list("ALLOW_UNSAFE", unsafe_variable, &UNSAFE_VARIABLES.join(", "))?,
            users: users::Settings::from_env(env)?,
            rate: rate::Settings::from_env(env)?,
            rate_classes: rate_classes::Settings::from_env(env)?,
            text_quota_bytes: i64::from(env.get_integer("TEXT_QUOTA_MB", 50, 1..=1_000_000, "megabytes")?) * 1_000_000,
            audit_log: Retention::from_env(env)?,
            safe_browsing: safe_browsing::settings::Settings::from_env(env)?,
            mail: mail::Settings::from_env(env)?,
            webhooks: webhooks::Settings::from_env(env)?,
            log: log::Settings::from_env(env)?,
            metrics_bind: env.parse("METRICS_BIND", "an IP address and port such as 127.0.0.1:9464")?,
            drain_period: env.get_seconds("DRAIN_SECONDS", 3, 0..=300)?,
        };
        if settings.web.site.current().policy.rating_eligibility.confirmed_email && settings.mail.is_none() {
            let problem = "contains confirmed_email, so SMTP_URL is required: without it no address can be confirmed";
            return Err(InvalidSetting::new("RATING_ELIGIBILITY", problem));
        }
        settings.reject_unsafe()?;
        Ok(settings)
    }

    fn reject_unsafe(&self) -> Result<(), InvalidSetting> {
        if !self.web.production {
            return Ok(());
        }
        if self.secret_key.is_none() {
            let problem = "is required in production, and must be the same on all instances";
            return Err(InvalidSetting::new("SECRET_KEY", problem));
        }
        match self.list_disabled_protections().into_iter().find(|(variable, _)| !self.allow_unsafe.contains(variable)) {
            None => Ok(()),
            Some((variable, what)) => {
                let problem = format!("{what}; this is rejected in production unless ALLOW_UNSAFE contains {variable}");
                Err(InvalidSetting::new(variable, problem))
            }
        }
    }

    /// Variable and consequence of each disabled protection.
    pub fn list_disabled_protections(&self) -> Vec<(&'static str, &'static str)> {
        let (users, classes, proxies) = (&self.users, &self.rate_classes, &self.web.trusted_proxies);
        let is_kept_here = self.mail.as_ref().is_some_and(|mail| !matches!(mail.transport, Transport::Smtp(_)));
        let switches = [
            (!users.throttle, "SIGN_IN_THROTTLE", "is off, so the number of password guesses is not limited"),
            (!classes.enabled, "RATE_CLASSES", "is off, so a single client can overload the site"),
            (
                proxies.has_too_wide_network(),
                "TRUSTED_PROXIES",
                "contains a very large network, whose clients can forge their IP addresses",
            ),
            (self.database.server.iter().any(can_be_intercepted), "DATABASE_URL", INTERCEPTABLE),
            (self.database.direct.iter().any(can_be_intercepted), "DATABASE_DIRECT_URL", INTERCEPTABLE),
            (self.database.read.iter().any(can_be_intercepted), "DATABASE_READ_URL", INTERCEPTABLE),
            (self.images.location.uses_unencrypted_connection(), "AWS_ENDPOINT_URL", "does not begin with https://"),
            (is_kept_here, "SMTP_URL", "writes mails, which contain secret links, to a folder or the console"),
        ];
        switches.into_iter().filter(|(is_off, ..)| *is_off).map(|(_, variable, what)| (variable, what)).collect()
    }
}

/// Prefixes of the site's environment variables, in addition to the names of limiters.
const PREFIXES: [&str; 6] = ["RATING_", "RATE_LIMIT_", "ZOMBIE_PAUSE", "SAFE_BROWSING_", "SIGN_IN_", "EVENKEEL_"];

/// Variables read by libraries and commands, which may also be in `.env`.
const FOREIGN_PREFIXES: [&str; 5] = ["RUST_", "PG", "EVENKEEL_SUPERUSER_", "SQLX_", "SSL_CERT_"];
const FOREIGN_VARIABLES: [&str; 10] =
    ["PATH", "HOME", "TMPDIR", "TZ", "LANG", "LC_ALL", "NO_COLOR", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"];

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownVariable {
    pub name: String,
    pub suggestion: Option<String>,
}

impl std::fmt::Display for UnknownVariable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} is not a setting", self.name)?;
        self.suggestion.iter().try_for_each(|suggestion| write!(f, "; did you mean {suggestion}?"))
    }
}

/// Finds variables that are in `.env` (`in_file`), have a known prefix, or differ from a setting by at most two edits.
pub fn find_unknown_variables(env: &Env, in_file: &[String]) -> Vec<UnknownVariable> {
    let empty = Env::default();
    // Reading from an empty environment collects the names of the variables. All default values are valid.
    let _ = Settings::from_env(&empty);
    let setting_names = empty.accessed_variable_names();
    let limiters: Vec<String> =
        AnyLimiter::NAMES.iter().map(|name| format!("{}_", name.to_ascii_uppercase())).collect();
    let prefixes = || PREFIXES.iter().copied().chain(limiters.iter().map(String::as_str));
    let unknown = env.defined_variable_names().filter_map(|name| {
        let upper = name.to_ascii_uppercase();
        // Kubernetes sets these variables for services in every container.
        let is_foreign = FOREIGN_PREFIXES.iter().any(|prefix| upper.starts_with(prefix))
            || FOREIGN_VARIABLES.contains(&upper.as_str())
            || ["_SERVICE_HOST", "_SERVICE_PORT", "_PORT"].iter().any(|part| upper.contains(part));
        if is_foreign || setting_names.iter().any(|setting| setting == name) {
            return None;
        }
        let similar = setting_names.iter().filter(|name| name.len() >= 6 && name.len().abs_diff(upper.len()) <= 2);
        let distances = similar.map(|name| (strsim::damerau_levenshtein(&upper, name), name));
        let nearest = distances.filter(|(distance, _)| *distance <= 2).min_by_key(|(distance, _)| *distance);
        let suggestion = nearest.map(|(_, name)| name.clone());
        let is_in_file = in_file.iter().any(|in_file| in_file == name);
        let is_meant = is_in_file || suggestion.is_some() || prefixes().any(|prefix| upper.starts_with(prefix));
        is_meant.then(|| UnknownVariable { name: name.to_owned(), suggestion })
    });
    unknown.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(variables: &[(&str, &str)]) -> Result<Settings, String> {
        Settings::from_env(&variables.iter().copied().collect()).map_err(|error| error.to_string())
    }

    const KEY: &str = "0123456789abcdef0123456789abcdef";

    #[test]
    fn a_bad_value_names_its_variable_whoever_reads_it() {
        for (variable, value) in [
            ("BIND", "8000"),
            ("DATABASE_URL", "mysql://a:secret@b"),
            ("DATABASE_URL", "postgres://a:secret@b:port/c"),
            ("DATABASE_DIRECT_URL", "postgres://a:secret@b/c"),
            ("DATABASE_READ_URL", "postgres://a:secret@b/c"),
            ("DATABASE_CONNECTIONS", "7"),
            ("SECRET_KEY", "changeme"),
            ("ALLOW_UNSAFE", "SECRET_KEY"),
            ("SESSION_IDLE_SECONDS", "0"),
            ("RATING_EDIT_LIMIT", "perhaps"),
            ("RATING_ELIGIBILITY", "confirmed_email"),
            ("RATE_CLASS_RATE_USER", "1,2,3"),
            ("RATE_CLASS_RATE_USER", "0,15000,2500,1800,1200,400,300"),
            ("DRAIN_SECONDS", "301"),
        ] {
            let problem = read(&[(variable, value)]).unwrap_err();
            assert!(problem.starts_with(&format!("{variable} ")) && !problem.contains("secret@"), "{problem}");
        }
        assert!(!format!("{:?}", read(&[("SECRET_KEY", KEY)]).unwrap()).contains(KEY));
    }

    #[test]
    fn production_refuses_what_is_unsafe() {
        let safe = [
            ("PRODUCTION", "true"),
            ("SECRET_KEY", KEY),
            ("ALLOWED_HOSTS", ".example.com"),
            ("PUBLIC_URL", "https://example.com/"),
        ];
        assert_eq!(read(&safe).unwrap().web.public_url.to_string(), "https://example.com");
        for (missing, (variable, _)) in safe.iter().enumerate().skip(1) {
            let mut rest = safe.to_vec();
            rest.remove(missing);
            assert!(read(&rest).unwrap_err().starts_with(variable));
        }
        let mut open = safe;
        open[2].1 = "*";
        assert!(read(&open).unwrap_err().starts_with("ALLOWED_HOSTS must not be *"));
        for (variable, value) in [
            ("SIGN_IN_THROTTLE", "off"),
            ("RATE_CLASSES", "off"),
            ("TRUSTED_PROXIES", "10.0.0.0/8,::/1,8000::/1"),
            ("DATABASE_URL", "postgres://site:secret@db.example.com/site"),
            ("DATABASE_URL", "postgres://site@db.example.com/site?sslmode=require"),
            ("AWS_ENDPOINT_URL", "http://s3.example.com"),
            ("SMTP_URL", "console:"),
            ("SMTP_URL", "file:mail"),
        ] {
            let mut off = safe.to_vec();
            if variable == "AWS_ENDPOINT_URL" {
                off.extend([
                    ("IMAGE_STORE", "s3://pictures"),
                    ("AWS_ACCESS_KEY_ID", "a"),
                    ("AWS_SECRET_ACCESS_KEY", "b"),
                ]);
            }
            off.push((variable, value));
            let problem = read(&off).unwrap_err();
            assert!(problem.starts_with(variable) && problem.contains("ALLOW_UNSAFE"));
            off.push(("ALLOW_UNSAFE", variable));
            assert_eq!(read(&off).unwrap().list_disabled_protections()[0].0, variable);
        }
        for database in [
            "postgres://site@db.example.com/site?sslmode=verify-full",
            "postgres://site@db.example.com/site?sslmode=verify-ca",
            "postgres://site@127.0.0.1/site",
            "postgres://site@[::1]/site",
            "postgres://site@localhost/site",
            "postgres:///site?host=/run/postgresql",
        ] {
            let mut settings = safe.to_vec();
            settings.push(("DATABASE_URL", database));
            assert!(read(&settings).is_ok(), "{database}");
        }
    }
}
