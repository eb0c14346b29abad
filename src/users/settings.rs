//! How long sessions live, and whether attempts to sign in are throttled.

use std::time::Duration;

use crate::config::{Env, InvalidSetting};

#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Whether attempts to sign in and register are throttled.
    pub throttle: bool,
    /// Whether staff are staff only with a second factor.
    pub staff_second_factor: bool,
    /// After so long without use a session ends.
    pub session_idle: Duration,
    /// After so long every session ends.
    pub session_absolute: Duration,
}

impl Settings {
    /// # Errors
    /// Names the first variable whose value is not allowed.
    pub fn from_env(env: &Env) -> Result<Self, InvalidSetting> {
        const DAY: u32 = 86_400;
        const TEN_YEARS: u32 = 3_650 * DAY;
        Ok(Self {
            throttle: env.on_or_off("SIGN_IN_THROTTLE", true)?,
            staff_second_factor: env.on_or_off("STAFF_SECOND_FACTOR", env.on_or_off("PRODUCTION", false)?)?,
            session_idle: env.seconds("SESSION_IDLE_SECONDS", 14 * DAY, 1..=TEN_YEARS)?,
            session_absolute: env.seconds("SESSION_ABSOLUTE_SECONDS", 30 * DAY, 1..=TEN_YEARS)?,
        })
    }
}
