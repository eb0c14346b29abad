//! Log settings.

use serde_json::json;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;

use crate::config::{Env, InvalidSetting};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LogFormat {
    #[default]
    Text,
    Json,
}

impl LogFormat {
    /// Formats a message like a log line. The caller prints the message even if `RUST_LOG` disables its level.
    pub fn format_line(self, level: &str, text: String) -> String {
        match self {
            Self::Text => text,
            // Programs that read a JSON log expect a JSON object on every line.
            Self::Json => json!({ "level": level, "message": text }).to_string(),
        }
    }
}

#[derive(Clone, Debug, Default)]
pub struct Settings {
    pub format: LogFormat,
    pub filter: Option<String>,
}

impl Settings {
    pub fn from_env(env: &Env) -> Result<Self, InvalidSetting> {
        let format = match env.get("LOG_FORMAT")? {
            None | Some("text") => LogFormat::Text,
            Some("json") => LogFormat::Json,
            Some(_) => return Err(env.invalid_setting("LOG_FORMAT", "text or json")),
        };
        let filter = env.get("RUST_LOG")?.map(str::to_owned);
        if !filter.as_deref().is_none_or(is_filter) {
            let allowed =
                "a level (error, warn, info, debug, trace or off), or levels of modules such as info,sqlx=debug";
            return Err(env.invalid_setting("RUST_LOG", allowed));
        }
        Ok(Self { format, filter })
    }
}

/// Rejects words other than levels, because `EnvFilter` would take a word for a module and log only that module.
fn is_filter(text: &str) -> bool {
    let is_level = |text: &str| !text.is_empty() && text.parse::<LevelFilter>().is_ok();
    let is_directive = |text: &str| is_level(text.rsplit_once('=').map_or(text, |(_, level)| level).trim());
    text.split(',').all(|directive| is_directive(directive.trim())) && EnvFilter::try_new(text).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_are_no_levels_are_rejected() {
        for text in ["info", "DEBUG", "off", "info,sqlx=debug", "evenkeel::rate=trace, warn"] {
            assert!(is_filter(text), "{text}");
        }
        for text in ["verbose", "info,sqlx", "evenkeel", "info,sqlx=loud", "", "=info,"] {
            assert!(!is_filter(text), "{text}");
        }
    }
}
