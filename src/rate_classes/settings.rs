//! Settings of rate classes: limits of each class.

use std::fmt;

use super::client_key::ClientKind;
use crate::access::RequestClass;
use crate::config::{Env, InvalidSetting};
use evenkeel_limiters::stores::ValkeyStore;
use evenkeel_limiters::{InvalidParameter, RateClass, RateClassParams, validate_parameter};

pub type Limiters = [[RateClass; ClientKind::ALL.len()]; RequestClass::ALL.len()];

#[derive(Clone, Debug)]
pub struct Settings {
    pub enabled: bool,
    pub limiters: Limiters,
    pub headers: bool,
    /// Valkey or Redis server on which all instances count requests together.
    pub store_url: Option<StoreUrl>,
}

/// URL of the limiter store, hidden in `Debug` output because the URL may contain a password.
#[derive(Clone)]
pub struct StoreUrl(String);

impl StoreUrl {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for StoreUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StoreUrl(…)")
    }
}

impl Settings {
    pub fn from_env(env: &Env) -> Result<Self, InvalidSetting> {
        let [browse, write, rate, account] = RequestClass::ALL;
        let all = |of: RequestClass| {
            let [user, token, network] = ClientKind::ALL;
            Ok::<_, InvalidSetting>([limiter(env, of, user)?, limiter(env, of, token)?, limiter(env, of, network)?])
        };
        Ok(Self {
            enabled: env.get_boolean("RATE_CLASSES", true)?,
            limiters: [all(browse)?, all(write)?, all(rate)?, all(account)?],
            headers: env.get_boolean("RATE_LIMIT_HEADERS", true)?,
            store_url: store_url(env)?,
        })
    }
}

fn store_url(env: &Env) -> Result<Option<StoreUrl>, InvalidSetting> {
    const VARIABLE: &str = "LIMITER_STORE_URL";
    let Some(url) = env.get(VARIABLE)? else { return Ok(None) };
    if ValkeyStore::new(url, "").is_err() {
        return Err(env.invalid_setting(VARIABLE, "a URL such as redis://127.0.0.1:6379/0, without TLS"));
    }
    Ok(Some(StoreUrl(url.to_owned())))
}

fn limiter(env: &Env, of: RequestClass, kind: ClientKind) -> Result<RateClass, InvalidSetting> {
    let variable = format!("RATE_CLASS_{}_{}", of.name(), kind.name()).to_ascii_uppercase();
    let numbers = match env.get(&variable)? {
        None => default_numbers(of, kind),
        Some(text) => {
            let numbers: Option<Vec<i64>> = text.split(',').map(|number| number.trim().parse().ok()).collect();
            let allowed =
                "7 whole numbers: window (requests), max, clear, alert, limit, disconnect (ms), penalty (seconds)";
            numbers
                .and_then(|numbers| numbers.try_into().ok())
                .ok_or_else(|| env.invalid_setting(&variable, allowed))?
        }
    };
    class(kind, numbers).map_err(|error| {
        InvalidSetting::new(variable, format!("has an invalid {}, which must be {}", error.name, error.allowed))
    })
}

/// Default values: window (in requests); max, clear, alert, limit and disconnect (in milliseconds, where a disconnect
/// of 0 means never); penalty (in seconds).
fn default_numbers(of: RequestClass, kind: ClientKind) -> [i64; 7] {
    match (of, kind) {
        (RequestClass::Browse, ClientKind::User) => [40, 4_000, 1_000, 750, 500, 150, 60],
        (RequestClass::Browse, ClientKind::Token) => [40, 6_000, 200, 150, 100, 0, 0],
        (RequestClass::Browse, ClientKind::Network) => [40, 6_000, 100, 75, 50, 0, 0],
        (RequestClass::Write, ClientKind::User) => [8, 20_000, 5_000, 4_000, 2_500, 1_000, 300],
        (RequestClass::Write, ClientKind::Token | ClientKind::Network) => [8, 20_000, 5_000, 4_000, 2_500, 0, 0],
        (RequestClass::Rate, ClientKind::User) => [12, 15_000, 2_500, 1_800, 1_200, 400, 300],
        (RequestClass::Rate, ClientKind::Token | ClientKind::Network) => [12, 15_000, 2_500, 1_800, 1_200, 0, 0],
        (RequestClass::Account, ClientKind::User) => [10, 30_000, 4_000, 3_000, 2_000, 700, 900],
        (RequestClass::Account, ClientKind::Token) => [10, 30_000, 4_000, 3_000, 2_000, 0, 0],
        (RequestClass::Account, ClientKind::Network) => [20, 30_000, 2_000, 1_500, 1_000, 0, 0],
    }
}

/// Converts the milliseconds of the settings to microseconds, the unit of the limiter.
fn class(kind: ClientKind, numbers: [i64; 7]) -> Result<RateClass, InvalidParameter> {
    let [window, max_ms, clear_ms, alert_ms, limit_ms, disconnect_ms, penalty_s] = numbers;
    validate_parameter((1..=1_000).contains(&window), "window", "from 1 to 1000")?;
    validate_parameter((1..=86_400_000).contains(&max_ms), "max", "from 1 to 86400000")?;
    validate_parameter(limit_ms >= 1, "limit", "at least 1")?;
    validate_parameter(
        kind == ClientKind::User || disconnect_ms == 0,
        "disconnect",
        "0 for tokens, which have no session, and for addresses, because many users may share a network",
    )?;
    validate_parameter((0..=3_600).contains(&penalty_s), "penalty", "from 0 to 3600 seconds")?;
    let micros = |ms: i64| ms.saturating_mul(1_000);
    RateClass::new(RateClassParams {
        window,
        max: micros(max_ms),
        clear: micros(clear_ms),
        alert: micros(alert_ms),
        limit: micros(limit_ms),
        disconnect: micros(disconnect_ms),
        reconnect_penalty: Some(penalty_s.saturating_mul(1_000_000)),
        count_refused: kind == ClientKind::User,
        // One second suffices, because instances know the time of the database to within a few milliseconds.
        max_backward: micros(1_000),
        ..RateClassParams::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bursts_are_as_long_as_the_table_says() {
        let burst = |of: RequestClass, kind| class(kind, default_numbers(of, kind)).unwrap().max_burst() + 1;
        let users = RequestClass::ALL.map(|class| burst(class, ClientKind::User));
        let addresses = RequestClass::ALL.map(|class| burst(class, ClientKind::Network));
        assert_eq!(users, [83, 16, 30, 26]);
        assert_eq!(addresses, [190, 16, 30, 67]);
    }
}
