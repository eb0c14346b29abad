//! How the log is written, and where traces go.

use serde_json::json;
use url::Url;

use crate::config::{Env, InvalidSetting, is_this_machine};

/// What a line of the log is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// For people.
    #[default]
    Text,
    /// A JSON object, for programs.
    Json,
}

impl Form {
    /// A line that is told whatever `RUST_LOG` says.
    #[must_use]
    pub fn line(self, level: &str, text: String) -> String {
        match self {
            Self::Text => text,
            // Whoever reads JSON reads nothing else.
            Self::Json => json!({ "level": level, "message": text }).to_string(),
        }
    }
}

#[derive(Clone, Debug, Default)]
pub struct Settings {
    pub form: Form,
    /// Where an OpenTelemetry collector takes traces, in OTLP over HTTP. None: they are not sent.
    pub traces_to: Option<Url>,
}

impl Settings {
    /// # Errors
    /// Names the first variable whose value is not allowed.
    pub fn from_env(env: &Env) -> Result<Self, InvalidSetting> {
        let form = match env.get("LOG_FORMAT")? {
            None | Some("text") => Form::Text,
            Some("json") => Form::Json,
            Some(_) => return Err(env.invalid("LOG_FORMAT", "text or json")),
        };
        let allowed = "the address of a collector, as in http://127.0.0.1:4318";
        let traces_to: Option<Url> = env.parse("OTEL_EXPORTER_OTLP_ENDPOINT", allowed)?;
        if traces_to.as_ref().is_some_and(|url| !["http", "https"].contains(&url.scheme())) {
            return Err(env.invalid("OTEL_EXPORTER_OTLP_ENDPOINT", allowed));
        }
        Ok(Self { form, traces_to })
    }

    /// Whether traces may be read on their way.
    #[must_use]
    pub fn may_be_overheard(&self) -> bool {
        let is_safe = |url: &Url| url.scheme() == "https" || url.host_str().is_some_and(is_this_machine);
        !self.traces_to.as_ref().is_none_or(is_safe)
    }
}
