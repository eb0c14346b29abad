//! Settings of sessions and sign-in.

use std::time::Duration;

use crate::config::{Env, InvalidSetting};

#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Enables rate limits on sign-in and registration.
    pub throttle: bool,
    /// Staff permissions require two-factor authentication.
    pub staff_second_factor: bool,
    /// Time without requests after which a session ends.
    pub session_idle: Duration,
    pub session_absolute: Duration,
}

impl Settings {
    pub fn from_env(env: &Env) -> Result<Self, InvalidSetting> {
        const DAY: u32 = 86_400;
        const TEN_YEARS: u32 = 3_650 * DAY;
        Ok(Self {
            throttle: env.get_boolean("SIGN_IN_THROTTLE", true)?,
            staff_second_factor: env.get_boolean("STAFF_SECOND_FACTOR", env.get_boolean("PRODUCTION", false)?)?,
            session_idle: env.get_seconds("SESSION_IDLE_SECONDS", 14 * DAY, 1..=TEN_YEARS)?,
            session_absolute: env.get_seconds("SESSION_ABSOLUTE_SECONDS", 30 * DAY, 1..=TEN_YEARS)?,
        })
    }
}
