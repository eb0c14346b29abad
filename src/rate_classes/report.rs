//! What a class allows a client, and where the client stands in it, as the contract has it.

use serde::Serialize;

use super::classes::RateClasses;
use super::who::{Key, KeyKind};
use crate::limiters::RateStatus;
use crate::web::text::seconds_in_words;

#[derive(Debug, Serialize)]
pub struct Report {
    class: &'static str,
    key: KeyKind,
    window: i64,
    max_ms: i64,
    clear_ms: i64,
    alert_ms: i64,
    limit_ms: i64,
    disconnect_ms: i64,
    level_ms: i64,
    status: RateStatus,
    possible: i64,
    /// Seconds until a request is let through; 0 for now.
    retry_after: i64,
}

impl Report {
    /// What the class is for, as people say it.
    #[must_use]
    pub fn what(&self) -> &'static str {
        match self.class {
            "browse" => "Reading",
            "write" => "Writing posts",
            "rate" => "Rating",
            "account" => "Signing in, and your account",
            other => other,
        }
    }

    /// Where the client stands.
    #[must_use]
    pub fn standing(&self) -> String {
        if self.retry_after > 0 {
            return format!("You have to wait {}.", seconds_in_words(self.retry_after));
        }
        let more = match self.possible {
            0 => "The next request may have to wait.".to_owned(),
            1 => "1 more request at once is fine.".to_owned(),
            more => format!("{more} more requests at once are fine."),
        };
        if self.status == RateStatus::Alert { format!("You are close to the limit. {more}") } else { more }
    }

    #[must_use]
    pub fn of(classes: &RateClasses, key: Key) -> Self {
        let (standing, params) = (classes.standing(key), classes.limiter(key).params());
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
            level_ms: ms(standing.level_us),
            status: standing.status,
            possible: standing.possible,
            retry_after: if standing.retry_after_us == 0 { 0 } else { standing.wait_s },
        }
    }
}
