//! Settings for ratings from environment variables: rating limiters, and pauses after repeated failed attempts.

use super::limiter::RatingLimiter;
use crate::config::{Env, InvalidSetting, variable_name};
use crate::db::clock::FIXED_MAX_BACKWARD_PARAMS;
use evenkeel_limiters::{AnyLimiter, Limiter as _, ParamsError, ZombiePause, ZombiePauseParams};

#[derive(Clone, Debug)]
pub struct Settings {
    /// Limiter of `RATING_LIMITER`, which staff can override.
    pub default_limiter: RatingLimiter,
    pub limiters: Vec<AnyLimiter>,
    /// True if the rating limiter can also refuse the change of a rating, although changes do not use up the limit
    /// (`RATING_LIMITER_ON_EDIT`).
    pub limiter_on_edit: bool,
    /// True if a leaky bucket limits how often a user can change a rating (`RATING_EDIT_LIMIT`).
    pub edit_limit: bool,
    /// True if repeated failed attempts to rate a post cause a pause (`ZOMBIE_PAUSE`).
    pub zombie_pause: bool,
    /// Parameters of pauses, needed even if `zombie_pause` is off, to lift existing pauses.
    pub zombie_pause_rules: ZombiePause,
}

impl Settings {
    pub fn from_env(env: &Env) -> Result<Self, InvalidSetting> {
        let limiters = AnyLimiter::NAMES.iter().filter_map(|name| named(env, name).transpose());
        let limiters = limiters.collect::<Result<Vec<_>, InvalidSetting>>()?;
        Ok(Self {
            default_limiter: default_limiter(env, &limiters)?,
            limiters,
            limiter_on_edit: env.get_boolean("RATING_LIMITER_ON_EDIT", false)?,
            edit_limit: env.get_boolean("RATING_EDIT_LIMIT", true)?,
            zombie_pause: env.get_boolean("ZOMBIE_PAUSE", true)?,
            zombie_pause_rules: zombie_pause_rules(env)?,
        })
    }

    pub fn rating_limiter(&self, name: &str) -> Option<RatingLimiter> {
        rating_limiter(name, &self.limiters)
    }
}

fn rating_limiter(name: &str, limiters: &[AnyLimiter]) -> Option<RatingLimiter> {
    let find = |name: &str| limiters.iter().find(|limiter| limiter.name() == name).copied().ok_or(());
    RatingLimiter::by_name(name, find)?.ok()
}

/// Parses `RATING_LIMITER`. A pair of limiters may contain spaces.
fn default_limiter(env: &Env, limiters: &[AnyLimiter]) -> Result<RatingLimiter, InvalidSetting> {
    let name = env.get("RATING_LIMITER")?.unwrap_or(RatingLimiter::DEFAULT_NAME).replace(' ', "");
    rating_limiter(&name, limiters)
        .ok_or_else(|| env.invalid_setting("RATING_LIMITER", &RatingLimiter::allowed_names()))
}

/// Reads a limiter from environment variables: `SURGE_Z` sets the parameter `z` of `surge`.
fn named(env: &Env, name: &str) -> Result<Option<AnyLimiter>, InvalidSetting> {
    let prefix = name.to_ascii_uppercase();
    // All users who rate a post share the limiter, so its waiting time must have an upper bound.
    let limiter = AnyLimiter::by_name(name, env.params_deserializer(&prefix, &FIXED_MAX_BACKWARD_PARAMS))
        .map(|result| result.and_then(|limiter| Ok(limiter.require_bounded_wait().map(|()| limiter)?)));
    limiter.transpose().map_err(|error| match error {
        ParamsError::Deserialize(error) => error.into_invalid_setting(&prefix),
        ParamsError::OutOfRange(error) => {
            InvalidSetting::new(variable_name(&prefix, error.name), format!("must be {}", error.allowed))
        }
    })
}

fn zombie_pause_rules(env: &Env) -> Result<ZombiePause, InvalidSetting> {
    let default = ZombiePauseParams::default();
    let failures = |variable, default: i64| {
        let default = u32::try_from(default).unwrap_or(u32::MAX);
        env.get_integer(variable, default, 1..=1_000_000, "failures").map(i64::from)
    };
    let (burst, count) = ("ZOMBIE_PAUSE_BURST", "ZOMBIE_PAUSE_PER_DAY");
    let params =
        ZombiePauseParams { burst: failures(burst, default.burst)?, count: failures(count, default.count)?, ..default };
    ZombiePause::new(params).map_err(|error| InvalidSetting::new(burst, format!("must be {}", error.allowed)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(variables: &[(&str, &str)]) -> Result<Settings, String> {
        Settings::from_env(&variables.iter().copied().collect()).map_err(|error| error.to_string())
    }

    #[test]
    fn a_limiter_is_chosen_by_its_name_and_has_its_variables() {
        assert!(matches!(read(&[]).unwrap().default_limiter.limiters(), [AnyLimiter::LeakyBucket(_)]));
        assert!(read(&[("RATING_LIMITER", "off")]).unwrap().default_limiter.limiters().is_empty());
        for name in RatingLimiter::names() {
            assert_eq!(read(&[("RATING_LIMITER", name)]).unwrap().default_limiter.name(), name);
        }
        let pair = [("RATING_LIMITER", "leaky_bucket, ema"), ("EMA_ALPHA", "0.5"), ("LEAKY_BUCKET_CAPACITY", "7")];
        match read(&pair).unwrap().default_limiter.limiters() {
            [AnyLimiter::LeakyBucket(bucket), AnyLimiter::Ema(ema)] => {
                assert_eq!((bucket.params().capacity, ema.params().alpha), (7, 0.5));
            }
            other => panic!("{other:?}"),
        }
        let leak = |text| match read(&[("LEAKY_BUCKET_LEAK_PER_SECOND", text)]).unwrap().default_limiter.limiters() {
            [AnyLimiter::LeakyBucket(bucket)] => bucket.params().leak_amount,
            _ => 0,
        };
        assert_eq!((leak("10"), leak("0.5"), leak("0.001")), (10, 5, 1));
    }

    #[test]
    fn a_bad_value_names_its_variable_and_what_is_allowed() {
        let refused = |variable, value| read(&[(variable, value)]).unwrap_err();
        assert_eq!(
            refused("RATING_LIMITER", "sieve"),
            "RATING_LIMITER is \"sieve\" but must be leaky_bucket, ema, ema_original, rate_class, surge or off, or the pair \
            leaky_bucket,ema or leaky_bucket,ema_original"
        );
        assert!(refused("RATING_LIMITER", "ema,surge").starts_with("RATING_LIMITER is \"ema,surge\" but must be "));
        assert_eq!(refused("EMA_ALPHA", "2"), "EMA_ALPHA must be above 0 and at most 1");
        assert_eq!(refused("EMA_SIGNAL", "gap"), "EMA_SIGNAL is \"gap\" but must be log_interval or interval");
        assert_eq!(refused("SURGE_Z", "x"), "SURGE_Z is \"x\" but must be a number");
        assert!(refused("SURGE_Z", "nan").starts_with("SURGE_Z must be "));
        assert!(refused("LEAKY_BUCKET_CAPACITY", "0").starts_with("LEAKY_BUCKET_CAPACITY must be at least 1"));
        assert!(
            refused("LEAKY_BUCKET_CAPACITY", "9999999999999999").starts_with("LEAKY_BUCKET_CAPACITY must be small")
        );
        assert!(refused("LEAKY_BUCKET_LEAK_PER_SECOND", "0.0001").starts_with("LEAKY_BUCKET_LEAK_PER_SECOND is"));
        assert_eq!(
            refused("RATE_CLASS_RECONNECT_PENALTY", "none"),
            "RATE_CLASS_RECONNECT_PENALTY must be from 0 to 86400000 (24 hours)"
        );
        let leak = [("LEAKY_BUCKET_LEAK_AMOUNT", "1"), ("LEAKY_BUCKET_LEAK_PERIOD_MS", "86400001")];
        assert!(read(&leak).unwrap_err().starts_with("LEAKY_BUCKET_LEAK_PERIOD_MS must be at most 86400000"));
        let both = read(&[("LEAKY_BUCKET_LEAK_PER_SECOND", "1"), ("LEAKY_BUCKET_LEAK_AMOUNT", "1")]).unwrap_err();
        assert!(both.starts_with("LEAKY_BUCKET_… leak_per_second cannot be combined with leak_amount"), "{both}");
        assert!(
            refused("ZOMBIE_PAUSE_BURST", "0").starts_with("ZOMBIE_PAUSE_BURST is \"0\" but must be a whole number")
        );
    }
}
