//! Parameters of a rate class and status of a client, as specified in the API.

use schemars::JsonSchema;
use serde::Serialize;

use super::classes::{ClientClassStatus, RateClasses};
use super::client_key::{ClassKey, ClientKind};
use crate::i18n::{Phrase, format_duration};
use crate::phrase;
use evenkeel_limiters::RateClassStatus;

#[derive(Debug, JsonSchema, Serialize)]
pub struct ClassReport {
    /// Name of the rate class.
    class: &'static str,
    key: ClientKind,
    /// Number of requests over which the level is an average.
    window: i64,
    /// Highest level in milliseconds, which a client reaches by sending few requests.
    max_ms: i64,
    /// Level in milliseconds above which a limited client is no longer limited.
    clear_ms: i64,
    /// Level in milliseconds below which the client is warned.
    alert_ms: i64,
    /// Level in milliseconds below which requests are rejected.
    limit_ms: i64,
    /// Level in milliseconds below which the client is signed out and disconnected.
    disconnect_ms: i64,
    /// Level of the client: moving average of the time between its requests, in milliseconds.
    level_ms: i64,
    status: RateClassStatus,
    /// `true` while requests are rejected.
    dropping: bool,
    /// Milliseconds since the latest request in the class, from which a client can compute its level ahead; `None` before
    /// the first request.
    last_arrival_ms: Option<i64>,
    /// Warning level of the user in percent; 0 for networks.
    warning_level: u8,
    /// Number of requests that the client may send at once; `None` without a limit.
    possible: Option<i64>,
    /// Seconds until a request is allowed; 0 if it is allowed now.
    retry_after: i64,
}

impl ClassReport {
    pub fn label(&self) -> Phrase {
        match self.class {
            "write" => phrase!("class-write"),
            "rate" => phrase!("class-rate"),
            "account" => phrase!("class-account"),
            _ => phrase!("class-browse"),
        }
    }

    pub fn warning_text(&self) -> Option<Phrase> {
        (self.warning_level > 0).then(|| phrase!("class-warned", level = i64::from(self.warning_level)))
    }

    pub fn status_text(&self) -> Vec<Phrase> {
        if self.retry_after > 0 {
            return vec![phrase!("class-wait", wait = format_duration(self.retry_after))];
        }
        let close = (self.status == RateClassStatus::Alert).then(|| phrase!("class-close"));
        let more = match self.possible {
            None => phrase!("class-no-limit"),
            Some(0) => phrase!("class-none-left"),
            Some(more) => phrase!("class-left", count = more),
        };
        close.into_iter().chain([more]).collect()
    }

    /// Report for a client whose limit has ended. The level is computed as if a request arrived now.
    pub fn for_recovered_client(classes: &RateClasses, key: ClassKey) -> Self {
        let mut class_status = classes.current_status(key);
        let limiter = classes.limiter(key);
        let params = limiter.params();
        let elapsed = class_status.last_arrival_us.unwrap_or_default();
        // Computes in microseconds, like the limiter: rounded values could be below the level at which the limit ends.
        let level = ((params.window - 1) * class_status.level_us + elapsed) / params.window;
        class_status.level_us = level.min(params.max);
        Self::new(classes, key, &class_status)
    }

    pub fn for_client(classes: &RateClasses, key: ClassKey) -> Self {
        Self::new(classes, key, &classes.current_status(key))
    }

    fn new(classes: &RateClasses, key: ClassKey, class_status: &ClientClassStatus) -> Self {
        let limiter = classes.limiter(key);
        let params = limiter.params();
        let ms = |micros: i64| micros / 1_000;
        Self {
            class: key.0.name(),
            key: key.1.kind(),
            window: params.window,
            max_ms: ms(params.max),
            clear_ms: ms(params.clear),
            alert_ms: ms(params.alert),
            limit_ms: ms(params.limit),
            disconnect_ms: ms(params.disconnect),
            level_ms: ms(class_status.level_us),
            status: class_status.status,
            dropping: class_status.status >= RateClassStatus::Limited,
            last_arrival_ms: class_status.last_arrival_us.map(ms),
            warning_level: classes.effective_warning_level(key),
            possible: Some(class_status.remaining).filter(|remaining| *remaining < i64::MAX),
            retry_after: if class_status.retry_after_us == 0 { 0 } else { class_status.wait_s },
        }
    }
}
