//! Shared parts of the HTTP middlewares: client keys, response headers and the body of refused requests.
//!
//! The modules `tower` and `actix` contain the middlewares.

use std::fmt::Write as _;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use crate::stores::{Store, StoreError};
use crate::{Clock as _, Decision, Event, Limiter, SystemClock};

/// Addresses of reverse proxies whose `X-Forwarded-For` header is trusted.
///
/// ```
/// use evenkeel_limiters::http::TrustedProxies;
///
/// let proxies = TrustedProxies::new(["10.0.0.0/8", "::1"])?;
/// let client = proxies.client_ip("10.0.0.7".parse()?, ["198.51.100.1, 203.0.113.9"]);
/// assert_eq!(client.to_string(), "203.0.113.9");
/// // The header of a client that is not a proxy is ignored.
/// let client = proxies.client_ip("192.0.2.1".parse()?, ["198.51.100.1"]);
/// assert_eq!(client.to_string(), "192.0.2.1");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct TrustedProxies(Vec<Network>);

#[derive(Clone, Copy, Debug)]
struct Network {
    address: IpAddr,
    prefix: u32,
}

/// Error for a text that is neither an IP address nor a network, such as `10.0.0.0/8`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is neither an IP address nor a network such as 10.0.0.0/8")]
pub struct InvalidNetwork(String);

impl TrustedProxies {
    /// Creates a set from IP addresses and networks, such as `10.0.0.0/8`.
    ///
    /// # Errors
    /// Returns an error if a text is neither an IP address nor a network.
    pub fn new<'a>(networks: impl IntoIterator<Item = &'a str>) -> Result<Self, InvalidNetwork> {
        networks.into_iter().map(Network::parse).collect::<Result<_, _>>().map(Self)
    }

    /// Returns the IP address of a client. For a connection from a trusted proxy, this is the last address in
    /// `X-Forwarded-For` that is not a trusted proxy, or the first address if all of them are trusted proxies. For
    /// other connections, this is the address of the connection. `forwarded` contains the values of all
    /// `X-Forwarded-For` headers, such as `request.headers().get_all("x-forwarded-for")`.
    ///
    /// If an entry is not an IP address (with or without a port), the result is the address of the proxy that has added
    /// the entry, because the entries before it may be forged.
    #[must_use]
    pub fn client_ip(&self, connection: IpAddr, forwarded: impl IntoIterator<Item = impl AsRef<[u8]>>) -> IpAddr {
        let values: Vec<_> = forwarded.into_iter().collect();
        let entries = values.iter().flat_map(|value| value.as_ref().split(|byte| *byte == b','));
        let entries: Vec<&[u8]> = entries.map(<[u8]>::trim_ascii).filter(|entry| !entry.is_empty()).collect();
        let mut client = connection.to_canonical();
        for entry in entries.into_iter().rev() {
            if !self.contains(client) {
                break;
            }
            let Some(address) = parse_address(entry) else { break };
            client = address.to_canonical();
        }
        client
    }

    fn contains(&self, address: IpAddr) -> bool {
        self.0.iter().any(|network| network.contains(address))
    }
}

/// Parses an IP address, with or without brackets and a port.
fn parse_address(entry: &[u8]) -> Option<IpAddr> {
    let text = std::str::from_utf8(entry).ok()?;
    let without_brackets = text.strip_prefix('[').and_then(|text| text.strip_suffix(']'));
    let address = without_brackets.unwrap_or(text).parse();
    address.or_else(|_| text.parse().map(|address: SocketAddr| address.ip())).ok()
}

impl Network {
    fn parse(text: &str) -> Result<Self, InvalidNetwork> {
        let invalid = || InvalidNetwork(text.to_owned());
        let (address, prefix) = text.split_once('/').map_or((text, None), |(address, prefix)| (address, Some(prefix)));
        let address: IpAddr = address.parse().map_err(|_| invalid())?;
        let bits = if address.is_ipv4() { 32 } else { 128 };
        let prefix = prefix.map_or(Ok(bits), |prefix| prefix.parse().map_err(|_| invalid()))?;
        if prefix > bits {
            return Err(invalid());
        }
        // An IPv4-mapped IPv6 network becomes an IPv4 network, because client addresses are compared in canonical form.
        match (address, address.to_canonical()) {
            (IpAddr::V6(_), IpAddr::V4(canonical)) if prefix >= 96 => {
                Ok(Self { address: canonical.into(), prefix: prefix - 96 })
            }
            _ => Ok(Self { address, prefix }),
        }
    }

    fn contains(&self, address: IpAddr) -> bool {
        match (self.address, address) {
            (IpAddr::V4(own), IpAddr::V4(other)) => {
                (own.to_bits() ^ other.to_bits()).checked_shr(32 - self.prefix).unwrap_or(0) == 0
            }
            (IpAddr::V6(own), IpAddr::V6(other)) => {
                (own.to_bits() ^ other.to_bits()).checked_shr(128 - self.prefix).unwrap_or(0) == 0
            }
            _ => false,
        }
    }
}

/// Key for an IP address. An IPv4 address is used unchanged. An IPv6 address is shortened to its network of 64 bits,
/// because a client usually has a whole network.
#[must_use]
pub fn ip_key(address: IpAddr) -> String {
    match address.to_canonical() {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => format!("{}/64", Ipv6Addr::from_bits(address.to_bits() >> 64 << 64)),
    }
}

/// Action of a middleware for a request that cannot be checked, because the store of the limiter states is unavailable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnStoreError {
    /// The request is served: the application stays available, but is not protected.
    Allow,
    /// The request is answered with 503 Service Unavailable.
    Refuse,
}

/// Limiter, store and settings of a middleware, which clones share.
pub(crate) struct Limit<L: Limiter, S: Store<str, L>, F> {
    limiter: Arc<L>,
    store: Arc<S>,
    pub(crate) key: Arc<F>,
    policy: Arc<Policy>,
    on_store_error: ErrorAction<S::Error>,
    serves_without_key: bool,
    /// Selects requests that count, by response status. `None` if all requests count.
    counts: Option<StatusFilter>,
}

type StatusFilter = Arc<dyn Fn(u16) -> bool + Send + Sync>;

type ErrorAction<E> = Arc<dyn Fn(&E) -> OnStoreError + Send + Sync>;

impl<L: Limiter, S: Store<str, L>, F> Clone for Limit<L, S, F> {
    fn clone(&self) -> Self {
        let Self { limiter, store, key, policy, on_store_error, serves_without_key, counts } = self;
        Self {
            limiter: Arc::clone(limiter),
            store: Arc::clone(store),
            key: Arc::clone(key),
            policy: Arc::clone(policy),
            on_store_error: Arc::clone(on_store_error),
            serves_without_key: *serves_without_key,
            counts: counts.clone(),
        }
    }
}

impl<L: Limiter, S: Store<str, L>, F> std::fmt::Debug for Limit<L, S, F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Limit").field("policy", &self.policy).finish_non_exhaustive()
    }
}

impl<L: Limiter, S: Store<str, L>, F> Limit<L, S, F> {
    pub(crate) fn new(limiter: L, store: Arc<S>, key: F) -> Self {
        let policy = Arc::new(Policy::new("default", &limiter));
        let on_store_error = Arc::new(|_: &S::Error| OnStoreError::Allow);
        let (limiter, key) = (Arc::new(limiter), Arc::new(key));
        Self { limiter, store, key, policy, on_store_error, serves_without_key: false, counts: None }
    }

    pub(crate) fn with_name(self, name: &str) -> Self {
        Self { policy: Arc::new(Policy::new(name, &*self.limiter)), ..self }
    }

    pub(crate) fn on_store_error(self, action: impl Fn(&S::Error) -> OnStoreError + Send + Sync + 'static) -> Self {
        Self { on_store_error: Arc::new(action), ..self }
    }

    pub(crate) fn serve_without_key(self) -> Self {
        Self { serves_without_key: true, ..self }
    }

    pub(crate) fn count_if(self, counts: impl Fn(u16) -> bool + Send + Sync + 'static) -> Self {
        Self { counts: Some(Arc::new(counts)), ..self }
    }

    /// Key in the store. Limits with different names have different states, even if they share a store.
    fn store_key(&self, key: &str) -> String {
        format!("{}:{key}", self.policy.name)
    }

    /// Refunds a request whose response does not count. A request is counted before its response, so that concurrent
    /// requests cannot exceed the limit. If the refund fails, the request counts.
    pub(crate) async fn settle(&self, key: Option<&str>, status: u16) {
        if let (Some(key), Some(counts)) = (key, &self.counts)
            && !counts(status)
        {
            let event = Event::at(SystemClock.now());
            let _ = self.store.refund_event(&self.store_key(key), &self.limiter, event).await;
        }
    }

    pub(crate) async fn check(&self, key: Option<&str>) -> Verdict {
        let Some(key) = key else {
            return if self.serves_without_key { Verdict::Serve(Headers::new()) } else { without_key() };
        };
        let key = self.store_key(key);
        let checked = self.store.check_event(&key, &self.limiter, Event::at(SystemClock.now())).await;
        let checked = checked.map_err(|error| match error {
            StoreError::Cost(error) => StoreError::Cost(error),
            StoreError::Store(error) => StoreError::Store((self.on_store_error)(&error)),
        });
        verdict(checked, &self.policy)
    }
}

/// Name and quota of a limit, as in the header `RateLimit-Policy`.
#[derive(Debug)]
struct Policy {
    name: String,
    /// `name` as a quoted string for headers.
    quoted: String,
    /// Value of `RateLimit-Policy`, if the limiter has a fixed quota.
    header: Option<String>,
}

impl Policy {
    /// Replaces characters of `name` that are not printable ASCII by `?`, because headers cannot contain them.
    fn new<L: Limiter>(name: &str, limiter: &L) -> Self {
        let mut quoted = String::from("\"");
        for character in name.chars() {
            match character {
                '"' | '\\' => quoted.extend(['\\', character]),
                ' '..='~' => quoted.push(character),
                _ => quoted.push('?'),
            }
        }
        quoted.push('"');
        // A fresh state has the whole quota. The cost is one unit, because some limiters reject a cost of 0.
        let event = Event::at_unix_millis(0);
        let quota = limiter.peek(&L::State::default(), event).ok().and_then(|decision| decision.remaining);
        let header = quota.map(|quota| format!("{quoted};q={quota}"));
        Self { name: name.to_owned(), quoted, header }
    }

    /// Headers `RateLimit-Policy` and `RateLimit`, if the limiter has a fixed quota.
    fn headers(&self, decision: Option<&Decision>) -> Headers {
        let rate_limit = decision.and_then(|decision| self.rate_limit(decision));
        let headers = [("ratelimit-policy", self.header.clone()), ("ratelimit", rate_limit)];
        headers.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
    }

    fn rate_limit(&self, decision: &Decision) -> Option<String> {
        let mut value = format!("{};r={}", self.quoted, decision.remaining?);
        let wait = if decision.allowed { decision.reset_after } else { Some(decision.retry_after) };
        if let Some(wait) = wait.filter(|wait| *wait < Duration::MAX) {
            let _ = write!(value, ";t={}", whole_seconds(wait));
        }
        Some(value)
    }
}

pub(crate) type Headers = Vec<(&'static str, String)>;

/// Action of a middleware for a request.
pub(crate) enum Verdict {
    /// Serves the request, and adds the headers to its response.
    Serve(Headers),
    /// Refuses the request with problem details (RFC 9457).
    Refuse { status: u16, headers: Headers, body: String },
}

fn verdict(checked: Result<Decision, StoreError<OnStoreError>>, policy: &Policy) -> Verdict {
    let headers = policy.headers(checked.as_ref().ok());
    match checked {
        Ok(decision) if decision.allowed => Verdict::Serve(headers),
        Ok(decision) => too_many_requests(decision.retry_after, headers),
        Err(StoreError::Cost(_)) => too_many_requests(Duration::MAX, headers),
        Err(StoreError::Store(OnStoreError::Allow)) => Verdict::Serve(headers),
        Err(StoreError::Store(OnStoreError::Refuse)) => unavailable(headers),
    }
}

fn too_many_requests(retry_after: Duration, headers: Headers) -> Verdict {
    let seconds = (retry_after < Duration::MAX).then(|| whole_seconds(retry_after).max(1));
    let detail = match seconds {
        Some(1) => "Too many requests. Try again in 1 second.".to_owned(),
        Some(seconds) => format!("Too many requests. Try again in {seconds} seconds."),
        None => "Too many requests.".to_owned(),
    };
    // The problem type `quota-exceeded` is defined by draft-ietf-httpapi-ratelimit-headers.
    let body = format!(
        r#"{{"type":"https://iana.org/assignments/http-problem-types#quota-exceeded","title":"Too Many Requests","status":429,"detail":"{detail}"}}"#
    );
    refuse(429, seconds, headers, body)
}

fn without_key() -> Verdict {
    let body = r#"{"type":"about:blank","title":"Internal Server Error","status":500,"detail":"The rate limit has no key for this request."}"#;
    refuse(500, None, Headers::new(), body.to_owned())
}

fn unavailable(headers: Headers) -> Verdict {
    let body = r#"{"type":"about:blank","title":"Service Unavailable","status":503,"detail":"The number of requests cannot be checked at the moment. Try again later."}"#;
    refuse(503, Some(1), headers, body.to_owned())
}

fn refuse(status: u16, retry_after: Option<u64>, mut headers: Headers, body: String) -> Verdict {
    headers.push(("content-type", "application/problem+json".to_owned()));
    headers.extend(retry_after.map(|seconds| ("retry-after", seconds.to_string())));
    Verdict::Refuse { status, headers, body }
}

/// Converts a duration to seconds, rounded up, because a client that retries too early would be refused again.
fn whole_seconds(duration: Duration) -> u64 {
    duration.as_secs().saturating_add((duration.subsec_nanos() > 0).into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{LeakyBucket, LeakyBucketState};

    #[test]
    fn client_ip_is_the_last_address_that_is_not_a_proxy() {
        let proxies = TrustedProxies::new(["10.0.0.0/8", "2001:db8::/32", "192.0.2.7", "::/0"]);
        assert!(proxies.is_ok());
        let proxies = TrustedProxies::new(["10.0.0.0/8", "2001:db8::/32", "192.0.2.7"]).unwrap();
        let client = |connection: &str, forwarded: &[&str]| {
            proxies.client_ip(connection.parse().unwrap(), forwarded.iter().copied()).to_string()
        };
        assert_eq!(client("203.0.113.1", &[]), "203.0.113.1");
        assert_eq!(client("203.0.113.1", &["198.51.100.1"]), "203.0.113.1");
        assert_eq!(client("10.1.2.3", &["198.51.100.1"]), "198.51.100.1");
        assert_eq!(client("10.1.2.3", &["6.6.6.6, 198.51.100.1", "10.9.9.9,192.0.2.7"]), "198.51.100.1");
        assert_eq!(client("10.1.2.3", &[]), "10.1.2.3");
        assert_eq!(client("10.1.2.3", &["6.6.6.6, unknown"]), "10.1.2.3");
        assert_eq!(client("2001:db8::1", &["2001:4860::8"]), "2001:4860::8");
        assert_eq!(client("::ffff:10.0.0.1", &["::ffff:198.51.100.1"]), "198.51.100.1");
        assert_eq!(client("10.1.2.3", &["6.6.6.6", "203.0.113.9:1234, "]), "203.0.113.9");
        assert_eq!(client("10.1.2.3", &["[2001:4860::8]:443,,10.0.0.9"]), "2001:4860::8");
        assert_eq!(client("10.1.2.3", &["[2001:4860::8]"]), "2001:4860::8");
        // Entries before an entry that is not UTF-8 are ignored, because the client may have forged them.
        let forged: [&[u8]; 2] = [b"6.6.6.6", b"\xff, 10.0.0.9"];
        assert_eq!(proxies.client_ip([10, 1, 2, 3].into(), forged).to_string(), "10.0.0.9");
        let mapped = TrustedProxies::new(["::ffff:10.0.0.0/104"]).unwrap();
        assert_eq!(mapped.client_ip([10, 1, 2, 3].into(), ["198.51.100.1"]).to_string(), "198.51.100.1");
        assert_eq!(
            TrustedProxies::new(["0.0.0.0/0"]).unwrap().client_ip([1, 2, 3, 4].into(), ["5.6.7.8"]).to_string(),
            "5.6.7.8"
        );
        for invalid in ["", "10.0.0.0/33", "::/129", "10.0.0.0/", "example.org", "10.0.0.0/-1"] {
            assert_eq!(TrustedProxies::new([invalid]).unwrap_err(), InvalidNetwork(invalid.to_owned()));
        }
    }

    #[test]
    fn ipv6_clients_share_the_key_of_their_network() {
        assert_eq!(ip_key("2001:db8:1:2:3:4:5:6".parse().unwrap()), "2001:db8:1:2::/64");
        assert_eq!(ip_key("::ffff:192.0.2.1".parse().unwrap()), "192.0.2.1");
    }

    #[test]
    fn headers_follow_the_draft() {
        let bucket = LeakyBucket::per_second(2).burst(20).build().unwrap();
        let policy = Policy::new("per \"user\" é", &bucket);
        assert_eq!(policy.header.as_deref(), Some(r#""per \"user\" ?";q=20"#));
        let mut state = LeakyBucketState::default();
        let mut check = |ms, cost| bucket.check(&mut state, Event::at_unix_millis(ms).with_cost(cost)).unwrap();
        let policy = Policy::new("default", &bucket);
        assert_eq!(policy.rate_limit(&check(0, 1)).as_deref(), Some(r#""default";r=19;t=1"#));
        assert_eq!(policy.rate_limit(&check(0, 19)).as_deref(), Some(r#""default";r=0;t=10"#));
        let refused = check(0, 1);
        assert_eq!(policy.rate_limit(&refused).as_deref(), Some(r#""default";r=0;t=1"#));
        let Verdict::Refuse { status, headers, body } = verdict(Ok(refused), &policy) else { panic!() };
        let body: serde_json::Value = serde_json::from_str(&body).unwrap();
        assert_eq!((status, headers.last()), (429, Some(&("retry-after", "1".to_owned()))));
        assert_eq!(body["detail"], "Too many requests. Try again in 1 second.");
        let on_error = |action| verdict(Err(StoreError::Store(action)), &policy);
        let Verdict::Refuse { status, body, .. } = on_error(OnStoreError::Refuse) else { panic!() };
        assert_eq!((status, serde_json::from_str::<serde_json::Value>(&body).is_ok()), (503, true));
        assert!(matches!(on_error(OnStoreError::Allow), Verdict::Serve(headers) if headers.len() == 1));
    }
}
