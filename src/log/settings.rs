//! Log settings.

use serde_json::json;

use crate::config::{Env, InvalidSetting};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LogFormat {
    #[default]
    Text,
    /// One JSON object per line.
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
}

impl Settings {
    pub fn from_env(env: &Env) -> Result<Self, InvalidSetting> {
        let form = match env.get("LOG_FORMAT")? {
            None | Some("text") => LogFormat::Text,
            Some("json") => LogFormat::Json,
            Some(_) => return Err(env.invalid_setting("LOG_FORMAT", "text or json")),
        };
        Ok(Self { format: form })
    }
}
