//! Which address belongs to which class, and what each class allows.

use actix_web::http::Method;
use serde::Serialize;

use crate::limiters::{InvalidParameter, RateClass, RateClassParams, require};
use crate::web::address::{Address, Addresses, Class};

/// Whether a class counts a user or a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum KeyKind {
    User,
    Address,
}

impl KeyKind {
    pub const ALL: [Self; 2] = [Self::User, Self::Address];
}

impl Class {
    pub const ALL: [Self; 4] = [Self::Browse, Self::Write, Self::Rate, Self::Account];

    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Browse => "browse",
            Self::Write => "write",
            Self::Rate => "rate",
            Self::Account => "account",
        }
    }

    /// What belongs to it, as `POST /rate/`.
    #[must_use]
    pub fn members(self, addresses: &Addresses) -> Vec<String> {
        let of = |address: &Address| {
            let shown = address.methods.iter().filter(|method| **method != Method::HEAD);
            let mine = shown.filter(|method| address.class(method) == self);
            mine.map(|method| format!("{method} {}", address.pattern)).collect::<Vec<_>>()
        };
        addresses.iter().filter(|address| address.has_session && address.is_counted).flat_map(of).collect()
    }

    /// The variable that sets it, for one kind of key.
    #[must_use]
    pub fn variable(self, kind: KeyKind) -> &'static str {
        match (self, kind) {
            (Self::Browse, KeyKind::User) => "RATE_CLASS_BROWSE_USER",
            (Self::Browse, KeyKind::Address) => "RATE_CLASS_BROWSE_ADDRESS",
            (Self::Write, KeyKind::User) => "RATE_CLASS_WRITE_USER",
            (Self::Write, KeyKind::Address) => "RATE_CLASS_WRITE_ADDRESS",
            (Self::Rate, KeyKind::User) => "RATE_CLASS_RATE_USER",
            (Self::Rate, KeyKind::Address) => "RATE_CLASS_RATE_ADDRESS",
            (Self::Account, KeyKind::User) => "RATE_CLASS_ACCOUNT_USER",
            (Self::Account, KeyKind::Address) => "RATE_CLASS_ACCOUNT_ADDRESS",
        }
    }

    /// Window, and in milliseconds max, clear, alert, limit and disconnect (0 for never), and in seconds the penalty.
    #[must_use]
    pub fn default_numbers(self, kind: KeyKind) -> [i64; 7] {
        match (self, kind) {
            (Self::Browse, KeyKind::User) => [40, 4_000, 1_000, 750, 500, 150, 60],
            (Self::Browse, KeyKind::Address) => [40, 6_000, 100, 75, 50, 0, 0],
            (Self::Write, KeyKind::User) => [8, 20_000, 5_000, 4_000, 2_500, 1_000, 300],
            (Self::Write, KeyKind::Address) => [8, 20_000, 5_000, 4_000, 2_500, 0, 0],
            (Self::Rate, KeyKind::User) => [12, 15_000, 2_500, 1_800, 1_200, 400, 300],
            (Self::Rate, KeyKind::Address) => [12, 15_000, 2_500, 1_800, 1_200, 0, 0],
            (Self::Account, KeyKind::User) => [10, 30_000, 4_000, 3_000, 2_000, 700, 900],
            (Self::Account, KeyKind::Address) => [20, 30_000, 2_000, 1_500, 1_000, 0, 0],
        }
    }
}

/// A class from its seven numbers, in microseconds inside.
///
/// # Errors
/// Names the first that is out of its range.
pub fn class(kind: KeyKind, numbers: [i64; 7]) -> Result<RateClass, InvalidParameter> {
    let [window, max_ms, clear_ms, alert_ms, limit_ms, disconnect_ms, penalty_s] = numbers;
    require((1..=1_000).contains(&window), "window", "from 1 to 1000")?;
    require((1..=86_400_000).contains(&max_ms), "max_ms", "from 1 to 86400000")?;
    require(limit_ms >= 1, "limit_ms", "at least 1")?;
    // Many may share an address.
    require(kind == KeyKind::User || disconnect_ms == 0, "disconnect_ms", "0, as many may share an address")?;
    require((0..=3_600).contains(&penalty_s), "penalty", "from 0 to 3600 seconds")?;
    let micros = |ms: i64| ms.saturating_mul(1_000);
    RateClass::new(RateClassParams {
        window,
        max_ms: micros(max_ms),
        clear_ms: micros(clear_ms),
        alert_ms: micros(alert_ms),
        limit_ms: micros(limit_ms),
        disconnect_ms: micros(disconnect_ms),
        reconnect_penalty_ms: Some(penalty_s.saturating_mul(1_000_000)),
        count_refused: kind == KeyKind::User,
        // Instances know the database's clock to a few milliseconds.
        max_backward_ms: micros(1_000),
        ..RateClassParams::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::site::urls::ADDRESSES;

    #[test]
    fn every_act_has_its_class_and_is_looked_at_by_browsing() {
        for address in ADDRESSES.iter() {
            for method in &address.methods {
                let reading = [Method::GET, Method::HEAD].contains(method);
                assert_eq!(address.class(method) == Class::Browse, reading, "{method} {}", address.pattern);
            }
        }
        assert_eq!(
            Class::Rate.members(&ADDRESSES).join(", "),
            "POST /rate/, POST /rate/edit_user_rating/{id}/, PUT /rate/edit_user_rating/{id}/"
        );
    }

    #[test]
    fn bursts_are_as_long_as_the_table_says() {
        let burst = |class_: Class, kind| class(kind, class_.default_numbers(kind)).unwrap().burst() + 1;
        let users = Class::ALL.map(|class| burst(class, KeyKind::User));
        let addresses = Class::ALL.map(|class| burst(class, KeyKind::Address));
        assert_eq!(users, [83, 16, 30, 26]);
        assert_eq!(addresses, [190, 16, 30, 67]);
    }
}
