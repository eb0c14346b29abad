//! Typed settings from the environment, read once at start. `.env.sample` lists them all.

use std::collections::BTreeMap;
use std::env::VarError;
use std::fmt::Display;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use ipnet::IpNet;

use crate::database::clock::MAX_BACKWARD_MS;
use crate::limiters::{
    AnyLimiter, Ema, EmaParams, InvalidParameter, LeakyBucket, LeakyBucketParams, RateClass, Signal, Surge,
    SurgeParams, ZombiePause, ZombiePauseParams,
};
use crate::rate_classes::{Class, KeyKind, class};

/// Everything an operator can set.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "switches are what they are")]
pub struct Settings {
    /// Where the site listens.
    pub bind: SocketAddr,
    /// A `PostgreSQL` server; none means a private one in `data_dir`.
    pub database_url: Option<String>,
    pub data_dir: PathBuf,
    /// Connections to the database that this instance opens at the most.
    pub database_connections: u32,
    /// How long a start waits for a database that is not there yet.
    pub database_wait: Duration,
    /// Signs cookies and cursors. None means: made once and kept in `data_dir`.
    pub secret_key: Option<SecretKey>,
    /// Secure cookies, HSTS, and no unsafe settings.
    pub production: bool,
    /// Variables that may be unsafe in production all the same.
    pub allow_unsafe: Vec<&'static str>,
    pub allowed_hosts: Vec<AllowedHost>,
    /// Peers whose `X-Forwarded-For` is believed.
    pub trusted_proxies: Vec<IpNet>,
    /// How the site is reached from outside, without a slash at the end.
    pub public_url: String,
    /// What guards a post against a crowd; none for nothing.
    pub rating_limiter: Option<AnyLimiter>,
    /// Whether a changed rating has to pass it too.
    pub rating_limiter_on_edit: bool,
    /// Whether changes of one's rating have a bucket of their own.
    pub rating_edit_limit: bool,
    /// Whether readers are paused whose attempts to rate a post only ever fail; and by which rules, as pauses that
    /// there are can always be lifted.
    pub zombie_pause: bool,
    pub zombie_pause_rules: ZombiePause,
    /// Whether attempts to sign in and register are throttled.
    pub sign_in_throttle: bool,
    /// Whether single clients are limited by class.
    pub rate_classes: bool,
    /// What each class allows a user and an address.
    pub rate_class_limiters: [[RateClass; KeyKind::ALL.len()]; Class::ALL.len()],
    /// Whether answers say what is left of a class.
    pub rate_limit_headers: bool,
    pub session_idle: Duration,
    pub session_absolute: Duration,
    /// How long a site that is told to stop keeps serving while `/readyz` says that it is not ready.
    pub drain: Duration,
}

/// A variable that cannot be used as it is.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{variable} {problem}")]
pub struct InvalidSetting {
    pub variable: &'static str,
    pub problem: String,
}

/// The names of all variables, as in `.env.sample`.
pub const VARIABLES: [&str; 57] = [
    "BIND",
    "DATABASE_URL",
    "DATABASE_CONNECTIONS",
    "DATABASE_WAIT_SECONDS",
    "DATA_DIR",
    "SECRET_KEY",
    "PRODUCTION",
    "ALLOW_UNSAFE",
    "ALLOWED_HOSTS",
    "TRUSTED_PROXIES",
    "PUBLIC_URL",
    "RATING_LIMITER",
    "RATING_LIMITER_ON_EDIT",
    "RATING_EDIT_LIMIT",
    "ZOMBIE_PAUSE",
    "ZOMBIE_PAUSE_BURST",
    "ZOMBIE_PAUSE_PER_DAY",
    "SIGN_IN_THROTTLE",
    "LEAKY_BUCKET_CAPACITY",
    "LEAKY_BUCKET_LEAK_PER_SECOND",
    "EMA_SIGNAL",
    "EMA_ALPHA",
    "EMA_ALPHA_FAST",
    "EMA_THRESHOLD",
    "EMA_WARMUP",
    "EMA_SIGMA_FLOOR",
    "EMA_GAP_CAP",
    "SURGE_WINDOW_S",
    "SURGE_DAY_S",
    "SURGE_MEMORY_S",
    "SURGE_YOUNG_S",
    "SURGE_Z",
    "SURGE_FLOOR",
    "SURGE_DAY_FLOOR",
    "SURGE_CLIP",
    "SURGE_LAUNCH",
    "SURGE_LAUNCH_S",
    "SURGE_PATIENCE_S",
    "SURGE_SUSTAIN",
    "SURGE_CALM_FACTOR",
    "SURGE_CALM_MIN",
    "SURGE_CALM_SHIFT",
    "SURGE_CALM_NOISE",
    "SURGE_SITE_MEAN",
    "RATE_CLASSES",
    "RATE_CLASS_BROWSE_USER",
    "RATE_CLASS_BROWSE_ADDRESS",
    "RATE_CLASS_WRITE_USER",
    "RATE_CLASS_WRITE_ADDRESS",
    "RATE_CLASS_RATE_USER",
    "RATE_CLASS_RATE_ADDRESS",
    "RATE_CLASS_ACCOUNT_USER",
    "RATE_CLASS_ACCOUNT_ADDRESS",
    "RATE_LIMIT_HEADERS",
    "SESSION_IDLE_SECONDS",
    "SESSION_ABSOLUTE_SECONDS",
    "DRAIN_SECONDS",
];

impl Settings {
    /// Reads the process's environment.
    ///
    /// # Errors
    /// Names the first variable whose value is not allowed.
    pub fn from_env() -> Result<Self, InvalidSetting> {
        let mut variables = BTreeMap::new();
        for variable in VARIABLES {
            match std::env::var(variable) {
                Ok(value) => drop(variables.insert(variable, value)),
                Err(VarError::NotPresent) => (),
                Err(VarError::NotUnicode(_)) => {
                    return Err(InvalidSetting { variable, problem: "is not UTF-8".to_owned() });
                }
            }
        }
        Self::from_map(variables)
    }

    /// Reads the settings from `variables`; those that are missing or empty have their defaults.
    ///
    /// # Errors
    /// As [`from_env`](Self::from_env).
    pub fn from_map(variables: BTreeMap<&'static str, String>) -> Result<Self, InvalidSetting> {
        let env = Variables(variables);
        let bind = env.parse("BIND", "an address and port such as 127.0.0.1:8000")?;
        let bind = bind.unwrap_or_else(|| SocketAddr::from(([127, 0, 0, 1], 8000)));
        let production = env.on_or_off("PRODUCTION", false)?;
        let settings = Self {
            bind,
            database_url: database_url(&env)?,
            database_connections: database_connections(&env)?,
            database_wait: wait(&env, "DATABASE_WAIT_SECONDS", 60, 3_600)?,
            data_dir: env.get("DATA_DIR").unwrap_or("./data").into(),
            secret_key: env.get("SECRET_KEY").map(|key| SecretKey(key.as_bytes().to_vec())),
            production,
            allow_unsafe: env.list("ALLOW_UNSAFE", unsafe_variable, &CAN_BE_UNSAFE.join(", "))?,
            allowed_hosts: allowed_hosts(&env)?,
            trusted_proxies: env.list("TRUSTED_PROXIES", parse_network, "addresses or networks such as 10.0.0.0/8")?,
            public_url: public_url(&env, bind)?,
            rating_limiter: rating_limiter(&env)?,
            rating_limiter_on_edit: env.on_or_off("RATING_LIMITER_ON_EDIT", true)?,
            rating_edit_limit: env.on_or_off("RATING_EDIT_LIMIT", true)?,
            zombie_pause: env.on_or_off("ZOMBIE_PAUSE", true)?,
            zombie_pause_rules: zombie_pause_rules(&env)?,
            sign_in_throttle: env.on_or_off("SIGN_IN_THROTTLE", true)?,
            rate_classes: env.on_or_off("RATE_CLASSES", true)?,
            rate_class_limiters: rate_classes(&env)?,
            rate_limit_headers: env.on_or_off("RATE_LIMIT_HEADERS", true)?,
            session_idle: env.seconds("SESSION_IDLE_SECONDS", 14 * 86_400)?,
            session_absolute: env.seconds("SESSION_ABSOLUTE_SECONDS", 30 * 86_400)?,
            drain: wait(&env, "DRAIN_SECONDS", 3, 300)?,
        };
        settings.refuse_unsafe(&env)?;
        Ok(settings)
    }

    /// What must not be on the internet.
    fn refuse_unsafe(&self, env: &Variables) -> Result<(), InvalidSetting> {
        if let Some(key) = &self.secret_key
            && let Err(problem) = key.strong()
        {
            return Err(InvalidSetting { variable: "SECRET_KEY", problem });
        }
        if !self.production {
            return Ok(());
        }
        let demand = |met: bool, variable, problem: &str| {
            if met { Ok(()) } else { Err(InvalidSetting { variable, problem: problem.to_owned() }) }
        };
        demand(self.secret_key.is_some(), "SECRET_KEY", "is required in production, the same on every instance")?;
        let named = env.get("ALLOWED_HOSTS").is_some_and(|hosts| hosts.contains(|c: char| c != ',' && c != ' '));
        demand(named, "ALLOWED_HOSTS", "is required in production")?;
        demand(!self.allowed_hosts.contains(&AllowedHost::Any), "ALLOWED_HOSTS", "must not be * in production")?;
        demand(self.public_url.starts_with("https://"), "PUBLIC_URL", "must begin with https:// in production")?;
        for (variable, what) in self.unsafe_switches() {
            let problem = format!("{what}: not in production, unless ALLOW_UNSAFE names {variable}");
            demand(self.allow_unsafe.contains(&variable), variable, &problem)?;
        }
        Ok(())
    }

    /// Protection that is switched off, and what that means.
    #[must_use]
    pub fn unsafe_switches(&self) -> Vec<(&'static str, &'static str)> {
        // No proxies are so many: two halves of everybody are everybody.
        let least = |network: &IpNet| if network.addr().is_ipv4() { 8 } else { 16 };
        let everybody = self.trusted_proxies.iter().any(|network| network.prefix_len() < least(network));
        let all = [
            (!self.sign_in_throttle, "SIGN_IN_THROTTLE", "is off, so passwords can be guessed without end"),
            (!self.rate_classes, "RATE_CLASSES", "is off, so one client can take the site from all others"),
            (everybody, "TRUSTED_PROXIES", "names a large part of everybody, who can then claim to be anybody"),
        ];
        all.into_iter().filter(|(is_off, ..)| *is_off).map(|(_, variable, what)| (variable, what)).collect()
    }
}

/// The names of the limiters that may be in front of each post, as in `RATING_LIMITER`.
pub const RATING_LIMITERS: [&str; 3] = ["leaky_bucket", "ema", "surge"];

type SurgeParameter = fn(&mut SurgeParams) -> &mut f64;

/// The variables of the surge limiter, each `SURGE_` and the name of its parameter.
const SURGE: [(&str, SurgeParameter); 17] = [
    ("SURGE_WINDOW_S", |params| &mut params.window_s),
    ("SURGE_DAY_S", |params| &mut params.day_s),
    ("SURGE_MEMORY_S", |params| &mut params.memory_s),
    ("SURGE_YOUNG_S", |params| &mut params.young_s),
    ("SURGE_Z", |params| &mut params.z),
    ("SURGE_FLOOR", |params| &mut params.floor),
    ("SURGE_DAY_FLOOR", |params| &mut params.day_floor),
    ("SURGE_CLIP", |params| &mut params.clip),
    ("SURGE_LAUNCH", |params| &mut params.launch),
    ("SURGE_LAUNCH_S", |params| &mut params.launch_s),
    ("SURGE_PATIENCE_S", |params| &mut params.patience_s),
    ("SURGE_SUSTAIN", |params| &mut params.sustain),
    ("SURGE_CALM_FACTOR", |params| &mut params.calm_factor),
    ("SURGE_CALM_MIN", |params| &mut params.calm_min),
    ("SURGE_CALM_SHIFT", |params| &mut params.calm_shift),
    ("SURGE_CALM_NOISE", |params| &mut params.calm_noise),
    ("SURGE_SITE_MEAN", |params| &mut params.site_mean),
];

/// What signs cookies and cursors. Not shown when debugged.
#[derive(Clone, PartialEq, Eq)]
pub struct SecretKey(Vec<u8>);

impl SecretKey {
    /// # Errors
    /// Says what a key has to be.
    pub fn from_text(text: &str) -> Result<Self, String> {
        let key = Self(text.trim().as_bytes().to_vec());
        key.strong().map(|()| key)
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }

    fn strong(&self) -> Result<(), String> {
        let kinds = self.0.iter().collect::<std::collections::BTreeSet<_>>().len();
        if self.0.len() < 32 || kinds < 8 {
            return Err("must be at least 32 random characters; `openssl rand -hex 32` makes some".to_owned());
        }
        Ok(())
    }
}

impl std::fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SecretKey(…)")
    }
}

/// A value of `ALLOWED_HOSTS`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AllowedHost {
    /// `example.com`, on any port.
    Exact(String),
    /// `.example.com`: the name itself and everything below it.
    Below(String),
    /// `*`: everything. Refused in production.
    Any,
}

impl AllowedHost {
    /// Whether `host`, in lower case and without its port, is meant.
    #[must_use]
    pub fn allows(&self, host: &str) -> bool {
        match self {
            Self::Exact(name) => host == name,
            Self::Below(name) => {
                host.strip_suffix(name.as_str()).is_some_and(|sub| sub.is_empty() || sub.ends_with('.'))
            }
            Self::Any => true,
        }
    }
}

impl FromStr for AllowedHost {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let text = text.to_ascii_lowercase();
        let is_name = |name: &str| {
            !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._".contains(&byte))
        };
        let is_ipv6 = |name: &str| {
            name.strip_prefix('[')
                .and_then(|rest| rest.strip_suffix(']'))
                .is_some_and(|inner| inner.parse::<std::net::Ipv6Addr>().is_ok())
        };
        match text.strip_prefix('.') {
            _ if text == "*" => Ok(Self::Any),
            Some(domain) if is_name(domain) => Ok(Self::Below(domain.to_owned())),
            None if is_name(&text) || is_ipv6(&text) => Ok(Self::Exact(text)),
            _ => Err(()),
        }
    }
}

fn allowed_hosts(env: &Variables) -> Result<Vec<AllowedHost>, InvalidSetting> {
    let loopback = || ["localhost", "127.0.0.1", "[::1]"].iter().filter_map(|name| name.parse().ok()).collect();
    let hosts =
        env.list("ALLOWED_HOSTS", |text| text.parse().ok(), "host names without a port, such as example.com")?;
    Ok(if hosts.is_empty() { loopback() } else { hosts })
}

/// A single address is a network of one.
fn parse_network(text: &str) -> Option<IpNet> {
    text.parse().ok().or_else(|| text.parse::<IpAddr>().ok().map(IpNet::from))
}

/// The value is not told: it holds a password.
fn database_url(env: &Variables) -> Result<Option<String>, InvalidSetting> {
    let url = env.get("DATABASE_URL");
    let problem = || InvalidSetting { variable: "DATABASE_URL", problem: "must begin with postgres://".to_owned() };
    match url {
        Some(url) if !url.starts_with("postgres://") && !url.starts_with("postgresql://") => Err(problem()),
        url => Ok(url.map(str::to_owned)),
    }
}

fn public_url(env: &Variables, bind: SocketAddr) -> Result<String, InvalidSetting> {
    let problem = |problem: &str| InvalidSetting { variable: "PUBLIC_URL", problem: problem.to_owned() };
    match env.get("PUBLIC_URL") {
        Some(url) => {
            let url = url.trim_end_matches('/');
            let host = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
            let valid = host.is_some_and(|host| !host.is_empty() && !host.contains(['/', '?', '#', '@', ' ']));
            valid
                .then(|| url.to_owned())
                .ok_or_else(|| problem("must be a scheme and host such as https://example.com"))
        }
        None if bind.ip().is_loopback() => Ok(format!("http://{bind}")),
        None => Err(problem("is required when BIND is not a loopback address")),
    }
}

fn wait(env: &Variables, variable: &'static str, default: u64, most: u64) -> Result<Duration, InvalidSetting> {
    let allowed = format!("a whole number of seconds from 0 to {most}");
    let seconds = env.parse(variable, &allowed)?.unwrap_or(default);
    if seconds <= most { Ok(Duration::from_secs(seconds)) } else { Err(env.invalid(variable, &allowed)) }
}

fn database_connections(env: &Variables) -> Result<u32, InvalidSetting> {
    let allowed = "a whole number of connections from 8 to 1000";
    let connections = env.parse("DATABASE_CONNECTIONS", allowed)?.unwrap_or(16);
    let is_allowed = (8..=1_000).contains(&connections);
    is_allowed.then_some(connections).ok_or_else(|| env.invalid("DATABASE_CONNECTIONS", allowed))
}

/// What `ALLOW_UNSAFE` may name.
const CAN_BE_UNSAFE: [&str; 3] = ["SIGN_IN_THROTTLE", "RATE_CLASSES", "TRUSTED_PROXIES"];

fn unsafe_variable(text: &str) -> Option<&'static str> {
    CAN_BE_UNSAFE.into_iter().find(|variable| *variable == text)
}

fn rating_limiter(env: &Variables) -> Result<Option<AnyLimiter>, InvalidSetting> {
    let leaky_bucket = leaky_bucket(env)?;
    let ema = ema(env)?;
    let surge = surge(env)?;
    match env.get("RATING_LIMITER").unwrap_or("leaky_bucket") {
        "leaky_bucket" => Ok(Some(AnyLimiter::LeakyBucket(leaky_bucket))),
        "ema" => Ok(Some(AnyLimiter::Ema(ema))),
        "surge" => Ok(Some(AnyLimiter::Surge(surge))),
        "off" => Ok(None),
        _ => Err(env.invalid("RATING_LIMITER", "leaky_bucket, ema, surge or off")),
    }
}

fn zombie_pause_rules(env: &Variables) -> Result<ZombiePause, InvalidSetting> {
    let mut params = ZombiePauseParams::default();
    for (variable, parameter) in
        [("ZOMBIE_PAUSE_BURST", &mut params.burst), ("ZOMBIE_PAUSE_PER_DAY", &mut params.count)]
    {
        let allowed = "a whole number from 1 to 1000000";
        *parameter = env.parse(variable, allowed)?.unwrap_or(*parameter);
        if !(1..=1_000_000).contains(parameter) {
            return Err(env.invalid(variable, allowed));
        }
    }
    ZombiePause::new(params).map_err(|error| named("ZOMBIE_PAUSE_BURST", &error))
}

fn rate_classes(env: &Variables) -> Result<[[RateClass; KeyKind::ALL.len()]; Class::ALL.len()], InvalidSetting> {
    let one = |of: Class, kind: KeyKind| {
        let variable = of.variable(kind);
        let numbers = match env.get(variable) {
            None => of.default_numbers(kind),
            Some(text) => {
                let numbers: Option<Vec<i64>> = text.split(',').map(|number| number.trim().parse().ok()).collect();
                let allowed =
                    "7 whole numbers: window, max, clear, alert, limit, disconnect (milliseconds), penalty (seconds)";
                numbers.and_then(|numbers| numbers.try_into().ok()).ok_or_else(|| env.invalid(variable, allowed))?
            }
        };
        class(kind, numbers).map_err(|error| InvalidSetting {
            variable,
            problem: format!("has a {} that must be {}", error.name.trim_end_matches("_ms"), error.allowed),
        })
    };
    let [browse, write, rate, account] = Class::ALL;
    let both = |of: Class| Ok([one(of, KeyKind::User)?, one(of, KeyKind::Address)?]);
    Ok([both(browse)?, both(write)?, both(rate)?, both(account)?])
}

fn surge(env: &Variables) -> Result<Surge, InvalidSetting> {
    let mut params = SurgeParams { max_backward_ms: MAX_BACKWARD_MS, ..SurgeParams::default() };
    for (variable, parameter) in SURGE {
        if let Some(value) = env.parse(variable, "a number")? {
            *parameter(&mut params) = value;
        }
    }
    Surge::new(params).map_err(|error| {
        let is_named = |variable: &&str| variable.trim_start_matches("SURGE_").eq_ignore_ascii_case(error.name);
        named(SURGE.map(|(variable, _)| variable).into_iter().find(is_named).unwrap_or("SURGE_Z"), &error)
    })
}

fn leaky_bucket(env: &Variables) -> Result<LeakyBucket, InvalidSetting> {
    let capacity = env.parse("LEAKY_BUCKET_CAPACITY", "a whole number of ratings, at least 1")?;
    let allowed = "ratings per second, from 0.001 to 1000000, with at most 3 decimals";
    let leak = env.get("LEAKY_BUCKET_LEAK_PER_SECOND").unwrap_or("10");
    let thousandths = thousandths(leak).filter(|amount| (1..=1_000_000_000).contains(amount));
    let mut params = LeakyBucketParams { max_backward_ms: MAX_BACKWARD_MS, ..LeakyBucketParams::default() };
    params.capacity = capacity.unwrap_or(params.capacity);
    // Thousandths of a rating a second are whole ratings in 1,000,000 ms.
    params.leak_amount = thousandths.ok_or_else(|| env.invalid("LEAKY_BUCKET_LEAK_PER_SECOND", allowed))?;
    params.leak_period_ms = 1_000_000;
    LeakyBucket::new(params).map_err(|error| match error.name {
        "capacity" => named("LEAKY_BUCKET_CAPACITY", &error),
        _ => InvalidSetting { variable: "LEAKY_BUCKET_CAPACITY", problem: "is too large".to_owned() },
    })
}

/// A decimal number with at most three decimals, times 1,000.
fn thousandths(text: &str) -> Option<i64> {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || decimals.len() > 3 || !digits(whole) || !digits(decimals) {
        return None;
    }
    format!("{whole}{decimals:0<3}").parse().ok()
}

fn ema(env: &Variables) -> Result<Ema, InvalidSetting> {
    let default = EmaParams { max_backward_ms: MAX_BACKWARD_MS, ..EmaParams::default() };
    let number = |variable, default| env.parse(variable, "a number").map(|value| value.unwrap_or(default));
    let params = EmaParams {
        signal: match env.get("EMA_SIGNAL").unwrap_or("log_interval") {
            "log_interval" => Signal::LogInterval,
            "interval" => Signal::Interval,
            _ => return Err(env.invalid("EMA_SIGNAL", "log_interval or interval")),
        },
        alpha: number("EMA_ALPHA", default.alpha)?,
        alpha_fast: number("EMA_ALPHA_FAST", default.alpha_fast)?,
        threshold: number("EMA_THRESHOLD", default.threshold)?,
        warmup: env.parse("EMA_WARMUP", "a whole number of gaps")?.unwrap_or(default.warmup),
        sigma_floor: number("EMA_SIGMA_FLOOR", default.sigma_floor)?,
        gap_cap: match env.get("EMA_GAP_CAP") {
            Some("none") => None,
            _ => env.parse("EMA_GAP_CAP", "a number, at least 1, or none")?.or(default.gap_cap),
        },
        ..default
    };
    Ema::new(params).map_err(|error| {
        let variable = match error.name {
            "alpha" => "EMA_ALPHA",
            "alpha_fast" => "EMA_ALPHA_FAST",
            "threshold" => "EMA_THRESHOLD",
            "gap_cap" => "EMA_GAP_CAP",
            _ => "EMA_SIGMA_FLOOR",
        };
        named(variable, &error)
    })
}

fn named(variable: &'static str, error: &InvalidParameter) -> InvalidSetting {
    InvalidSetting { variable, problem: format!("must be {}", error.allowed) }
}

/// The environment, with empty values taken for missing ones.
struct Variables(BTreeMap<&'static str, String>);

impl Variables {
    fn get(&self, variable: &'static str) -> Option<&str> {
        self.0.get(variable).map(|value| value.trim()).filter(|value| !value.is_empty())
    }

    fn invalid(&self, variable: &'static str, allowed: &str) -> InvalidSetting {
        let value = self.get(variable).unwrap_or("");
        InvalidSetting { variable, problem: format!("is {value:?} but must be {allowed}") }
    }

    fn parse<T: FromStr<Err: Display>>(
        &self,
        variable: &'static str,
        allowed: &str,
    ) -> Result<Option<T>, InvalidSetting> {
        let Some(value) = self.get(variable) else { return Ok(None) };
        value.parse().map(Some).map_err(|_| self.invalid(variable, allowed))
    }

    fn on_or_off(&self, variable: &'static str, default: bool) -> Result<bool, InvalidSetting> {
        match self.get(variable) {
            None => Ok(default),
            Some("true" | "on" | "1") => Ok(true),
            Some("false" | "off" | "0") => Ok(false),
            Some(_) => Err(self.invalid(variable, "true or false")),
        }
    }

    fn list<T>(
        &self,
        variable: &'static str,
        parse: impl Fn(&str) -> Option<T>,
        allowed: &str,
    ) -> Result<Vec<T>, InvalidSetting> {
        let items = self.get(variable).unwrap_or("").split(',').map(str::trim).filter(|item| !item.is_empty());
        items
            .map(parse)
            .collect::<Option<_>>()
            .ok_or_else(|| self.invalid(variable, &format!("{allowed}, separated by commas")))
    }

    fn seconds(&self, variable: &'static str, default: u32) -> Result<Duration, InvalidSetting> {
        let allowed = "a whole number of seconds from 1 to 315360000 (ten years)";
        let seconds = self.parse(variable, allowed)?.unwrap_or(default);
        if !(1..=315_360_000).contains(&seconds) {
            return Err(self.invalid(variable, allowed));
        }
        Ok(Duration::from_secs(u64::from(seconds)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(variables: &[(&'static str, &str)]) -> Result<Settings, InvalidSetting> {
        Settings::from_map(variables.iter().map(|(name, value)| (*name, (*value).to_owned())).collect())
    }

    fn refused(variables: &[(&'static str, &str)]) -> String {
        read(variables).unwrap_err().to_string()
    }

    const KEY: &str = "0123456789abcdef0123456789abcdef";

    #[test]
    fn nothing_set_is_a_site_on_this_machine() {
        let settings = read(&[]).unwrap();
        assert_eq!(settings.bind.to_string(), "127.0.0.1:8000");
        assert_eq!(settings.public_url, "http://127.0.0.1:8000");
        assert!(settings.allowed_hosts.iter().any(|host| host.allows("localhost")));
        assert!(!settings.allowed_hosts.iter().any(|host| host.allows("example.com")));
        assert!(matches!(settings.rating_limiter, Some(AnyLimiter::LeakyBucket(_))));
    }

    #[test]
    fn a_bad_value_names_its_variable_and_what_is_allowed() {
        assert_eq!(
            refused(&[("BIND", "8000")]),
            "BIND is \"8000\" but must be an address and port such as 127.0.0.1:8000"
        );
        assert_eq!(
            refused(&[("RATING_LIMITER", "sieve")]),
            "RATING_LIMITER is \"sieve\" but must be leaky_bucket, ema, surge or off"
        );
        assert_eq!(refused(&[("EMA_ALPHA", "2")]), "EMA_ALPHA must be above 0 and at most 1");
        for (variable, _) in SURGE {
            assert!(refused(&[(variable, "nan")]).starts_with(&format!("{variable} must be ")), "{variable}");
        }
        assert!(refused(&[("LEAKY_BUCKET_CAPACITY", "0")]).starts_with("LEAKY_BUCKET_CAPACITY must be at least 1"));
        assert!(
            refused(&[("LEAKY_BUCKET_CAPACITY", "99999999999999")]).starts_with("LEAKY_BUCKET_CAPACITY is too large")
        );
        assert!(refused(&[("LEAKY_BUCKET_LEAK_PER_SECOND", "0.0001")]).starts_with("LEAKY_BUCKET_LEAK_PER_SECOND is"));
        assert!(refused(&[("ALLOWED_HOSTS", "a b")]).starts_with("ALLOWED_HOSTS is"));
        assert!(refused(&[("TRUSTED_PROXIES", "10.0.0.0/33")]).starts_with("TRUSTED_PROXIES is"));
        assert!(refused(&[("SESSION_IDLE_SECONDS", "0")]).starts_with("SESSION_IDLE_SECONDS is"));
        assert!(refused(&[("BIND", "0.0.0.0:80")]).starts_with("PUBLIC_URL is required"));
        assert!(refused(&[("PUBLIC_URL", "example.com")]).starts_with("PUBLIC_URL must be"));
        assert!(refused(&[("SECRET_KEY", "changeme")]).starts_with("SECRET_KEY must be at least 32"));
    }

    #[test]
    fn production_refuses_what_is_unsafe() {
        let safe = [
            ("PRODUCTION", "true"),
            ("SECRET_KEY", KEY),
            ("ALLOWED_HOSTS", ".example.com"),
            ("PUBLIC_URL", "https://example.com/"),
        ];
        assert_eq!(read(&safe).unwrap().public_url, "https://example.com");
        for (missing, (variable, _)) in safe.iter().enumerate().skip(1) {
            let mut rest = safe.to_vec();
            rest.remove(missing);
            assert!(refused(&rest).starts_with(variable));
        }
        let mut open = safe;
        open[2].1 = "*";
        assert!(refused(&open).starts_with("ALLOWED_HOSTS must not be *"));
        for (variable, value) in
            [("SIGN_IN_THROTTLE", "off"), ("RATE_CLASSES", "off"), ("TRUSTED_PROXIES", "10.0.0.0/8,::/1,8000::/1")]
        {
            let mut off = safe.to_vec();
            off.push((variable, value));
            assert!(refused(&off).starts_with(variable) && refused(&off).contains("ALLOW_UNSAFE"));
            off.push(("ALLOW_UNSAFE", variable));
            assert_eq!(read(&off).unwrap().unsafe_switches()[0].0, variable);
        }
        assert!(refused(&[("ALLOW_UNSAFE", "SECRET_KEY")]).starts_with("ALLOW_UNSAFE is"));
    }

    #[test]
    fn a_leak_may_have_decimals() {
        let leak = |text| match read(&[("LEAKY_BUCKET_LEAK_PER_SECOND", text)]).unwrap().rating_limiter {
            Some(AnyLimiter::LeakyBucket(bucket)) => bucket.params().leak_amount,
            _ => 0,
        };
        assert_eq!((leak("10"), leak("0.5"), leak("0.001")), (10_000, 500, 1));
    }

    #[test]
    fn hosts_match_by_name_or_by_domain() {
        let below: AllowedHost = ".Example.com".parse().unwrap();
        assert!(below.allows("example.com") && below.allows("www.example.com"));
        assert!(!below.allows("badexample.com"));
        assert_eq!("[::1]".parse(), Ok(AllowedHost::Exact("[::1]".to_owned())));
        assert_eq!("example.com:80".parse::<AllowedHost>(), Err(()));
    }

    #[test]
    fn a_secret_is_not_shown_when_debugged() {
        let settings = read(&[("SECRET_KEY", KEY)]).unwrap();
        assert!(!format!("{settings:?}").contains(KEY));
    }
}
