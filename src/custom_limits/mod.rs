//! Custom limits, which replace the normal request limits for one user or network, such as an office.

pub mod models;
pub mod warnings;

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use ipnet::IpNet;
use sqlx::PgPool;
use tokio::sync::watch;

use crate::access::RequestClass;
use crate::db::clock::Clock;
use crate::db::describe_error;
use crate::web::request::current_user::UserId;

/// Maximum number of custom limits, because every instance keeps all of them in memory.
pub const MAX_CUSTOM_LIMITS: i64 = 1_000;
const RELOAD_INTERVAL: Duration = Duration::from_secs(1);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LimitName {
    Requests(RequestClass),
    /// Sign-ins, registrations, reports and email requests of one network.
    SignIn,
    /// Failed attempts of a user to rate one post, after which ratings of the post by the user are paused.
    FailedRatings,
}

impl LimitName {
    pub const ALL: [Self; 6] = [
        Self::Requests(RequestClass::Browse),
        Self::Requests(RequestClass::Write),
        Self::Requests(RequestClass::Rate),
        Self::Requests(RequestClass::Account),
        Self::SignIn,
        Self::FailedRatings,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Requests(class) => class.name(),
            Self::SignIn => "sign_in",
            Self::FailedRatings => "failed_ratings",
        }
    }

    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|limit| limit.name() == name)
    }

    fn index(self) -> usize {
        match self {
            Self::Requests(class) => class as usize,
            Self::SignIn => RequestClass::ALL.len(),
            Self::FailedRatings => RequestClass::ALL.len() + 1,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    User(UserId),
    Network(IpNet),
}

/// Parses a network or an IP address; an IPv6 address stands for its /64 network. Returns `None` for networks larger
/// than `/8` in IPv4 or `/16` in IPv6.
pub fn parse_network(text: &str) -> Option<IpNet> {
    let address = || text.parse::<IpAddr>().ok().map(|address| IpNet::from(address.to_canonical()));
    let network: IpNet = text.parse().ok().or_else(address)?;
    if let IpAddr::V6(address) = network.addr()
        && address.to_ipv4_mapped().is_some()
    {
        return None;
    }
    let (least, most) = if network.addr().is_ipv4() { (8, 32) } else { (16, 64) };
    let length = network.prefix_len().min(most);
    IpNet::new(network.addr(), length).ok().filter(|_| length >= least).map(|network| network.trunc())
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Allowance {
    Exempt,
    /// Factor from [`MIN_FACTOR`](Self::MIN_FACTOR) to [`MAX_FACTOR`](Self::MAX_FACTOR).
    Times(f64),
}

impl Allowance {
    pub const MIN_FACTOR: f64 = 0.01;
    pub const MAX_FACTOR: f64 = 1_000.0;

    pub fn parse(text: &str) -> Option<Self> {
        if text == "exempt" {
            return Some(Self::Exempt);
        }
        let factor = text.parse().ok().filter(|factor| (Self::MIN_FACTOR..=Self::MAX_FACTOR).contains(factor));
        factor.map(Self::Times)
    }

    pub fn from_factor(factor: Option<f64>) -> Self {
        factor.map_or(Self::Exempt, Self::Times)
    }

    pub fn factor(self) -> Option<f64> {
        match self {
            Self::Exempt => None,
            Self::Times(factor) => Some(factor),
        }
    }
}

impl std::fmt::Display for Allowance {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Exempt => f.write_str("exempt"),
            Self::Times(factor) => write!(f, "{factor}"),
        }
    }
}

#[derive(Debug, Default)]
pub struct CustomLimits {
    active: RwLock<Arc<ActiveCustomLimits>>,
    /// Number of changes of the active custom limits, which notifies subscribers.
    changes: watch::Sender<u64>,
    /// Number of requests that a custom limit applied to, by limit.
    uses: [AtomicU64; LimitName::ALL.len()],
}

#[derive(Debug, Default, PartialEq)]
struct ActiveCustomLimits {
    by_user: HashMap<(LimitName, UserId), Allowance>,
    /// Custom limits of networks, the smallest network first.
    by_network: Vec<(LimitName, IpNet, Allowance)>,
    /// Warning levels above 0, in percent.
    warnings: HashMap<UserId, u8>,
}

impl CustomLimits {
    pub fn find_for_user(&self, limit: LimitName, user: UserId) -> Option<Allowance> {
        self.active().by_user.get(&(limit, user)).copied()
    }

    /// Custom limit of the smallest network that contains the address.
    pub fn find_for_address(&self, limit: LimitName, address: IpAddr) -> Option<Allowance> {
        let active = self.active();
        let own = active.by_network.iter().find(|(of, network, _)| *of == limit && network.contains(&address));
        own.map(|(_, _, allowance)| *allowance)
    }

    /// Warning level of a user, in percent.
    pub fn warning_level(&self, user: UserId) -> u8 {
        self.active().warnings.get(&user).copied().unwrap_or_default()
    }

    pub fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    pub fn count_use(&self, limit: LimitName) {
        self.uses[limit.index()].fetch_add(1, Ordering::Relaxed);
    }

    pub fn use_count(&self, limit: LimitName) -> u64 {
        self.uses[limit.index()].load(Ordering::Relaxed)
    }

    fn active(&self) -> Arc<ActiveCustomLimits> {
        self.active.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub async fn reload(&self, pool: &PgPool, clock: &Clock) -> sqlx::Result<()> {
        let mut active = ActiveCustomLimits::default();
        for (limit, target, allowance) in models::list_active(pool, clock).await? {
            match target {
                Target::User(user) => {
                    active.by_user.insert((limit, user), allowance);
                }
                Target::Network(network) => active.by_network.push((limit, network, allowance)),
            }
        }
        active.by_network.sort_by_key(|(_, network, _)| std::cmp::Reverse(network.prefix_len()));
        active.warnings = warnings::list_levels(pool, clock).await?.into_iter().collect();
        if *self.active() != active {
            *self.active.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(active);
            self.changes.send_modify(|count| *count += 1);
        }
        Ok(())
    }

    pub async fn reload_periodically(&self, pool: &PgPool, clock: &Clock) {
        let mut is_reported = false;
        loop {
            match self.reload(pool, clock).await {
                Ok(()) => is_reported = false,
                Err(error) if !is_reported => {
                    tracing::warn!(error = describe_error(&error), "custom limits not read; the previous ones apply");
                    is_reported = true;
                }
                Err(_) => (),
            }
            tokio::time::sleep(RELOAD_INTERVAL).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn smallest_network_decides() {
        let limit = LimitName::SignIn;
        let network = |text: &str, allowance| (limit, text.parse().unwrap(), allowance);
        let custom_limits = CustomLimits::default();
        let by_network = vec![
            network("203.0.113.7/32", Allowance::Exempt),
            network("203.0.113.0/24", Allowance::Times(5.0)),
            network("2001:db8::/32", Allowance::Times(2.0)),
        ];
        *custom_limits.active.write().unwrap() = Arc::new(ActiveCustomLimits { by_network, ..Default::default() });
        let allowance = |address: &str| custom_limits.find_for_address(limit, address.parse().unwrap());
        assert_eq!(allowance("203.0.113.7"), Some(Allowance::Exempt));
        assert_eq!(allowance("203.0.113.8"), Some(Allowance::Times(5.0)));
        assert_eq!(allowance("2001:db8:1::"), Some(Allowance::Times(2.0)));
        assert_eq!(allowance("198.51.100.1"), None);
        assert_eq!(custom_limits.find_for_address(LimitName::ALL[0], "203.0.113.7".parse().unwrap()), None);
    }

    #[test]
    fn networks_are_parsed() {
        let parse = |text| parse_network(text).map(|network| network.to_string());
        assert_eq!(parse("203.0.113.7").as_deref(), Some("203.0.113.7/32"));
        assert_eq!(parse("203.0.113.7/24").as_deref(), Some("203.0.113.0/24"));
        assert_eq!(parse("2001:db8::1").as_deref(), Some("2001:db8::/64"));
        assert_eq!(parse("::ffff:203.0.113.7").as_deref(), Some("203.0.113.7/32"));
        for invalid in ["", "ann", "::ffff:203.0.113.0/120", "10.0.0.0/7", "2001::/15", "10.0.0.0/33"] {
            assert_eq!(parse(invalid), None, "{invalid}");
        }
    }

    #[test]
    fn allowance_is_a_factor_or_an_exemption() {
        assert_eq!(Allowance::parse("exempt"), Some(Allowance::Exempt));
        assert_eq!(Allowance::parse("2.5"), Some(Allowance::Times(2.5)));
        for invalid in ["", "0", "-1", "1001", "NaN", "inf", "many"] {
            assert_eq!(Allowance::parse(invalid), None, "{invalid}");
        }
        for limit in LimitName::ALL {
            assert_eq!(LimitName::by_name(limit.name()), Some(limit));
            assert_eq!(LimitName::ALL[limit.index()], limit);
        }
    }
}
