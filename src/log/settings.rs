//! Log settings: format, and the collector for traces.

use serde_json::json;
use url::Url;

use crate::config::{Env, InvalidSetting, is_loopback_host};

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
    /// URL of an OpenTelemetry collector that accepts OTLP over HTTP, such as `http://127.0.0.1:4318`. If it is `None`,
    /// traces are not exported.
    pub trace_collector: Option<Url>,
}

impl Settings {
    pub fn from_env(env: &Env) -> Result<Self, InvalidSetting> {
        let form = match env.get("LOG_FORMAT")? {
            None | Some("text") => LogFormat::Text,
            Some("json") => LogFormat::Json,
            Some(_) => return Err(env.invalid_setting("LOG_FORMAT", "text or json")),
        };
        let allowed = "the URL of a collector such as http://127.0.0.1:4318";
        let traces_to: Option<Url> = env.parse("OTEL_EXPORTER_OTLP_ENDPOINT", allowed)?;
        if traces_to.as_ref().is_some_and(|url| !["http", "https"].contains(&url.scheme())) {
            return Err(env.invalid_setting("OTEL_EXPORTER_OTLP_ENDPOINT", allowed));
        }
        Ok(Self { format: form, trace_collector: traces_to })
    }

    /// True if traces are sent unencrypted to another machine.
    pub fn sends_traces_unencrypted(&self) -> bool {
        let is_safe = |url: &Url| url.scheme() == "https" || url.host_str().is_some_and(is_loopback_host);
        !self.trace_collector.as_ref().is_none_or(is_safe)
    }
}
