//! Client IP address of a request: the peer address, or the address reported by trusted proxies.

use std::net::{IpAddr, Ipv6Addr};

use actix_web::HttpRequest;
use actix_web::dev::ServiceRequest;
use actix_web::http::header::HeaderValue;
use ipnet::IpNet;

use crate::config::{Env, InvalidSetting};
use crate::web::error::AppError;
use crate::web::routing::operation::Describe;

/// Networks of the trusted proxies (`TRUSTED_PROXIES`), whose header `X-Forwarded-For` is used.
#[derive(Clone, Debug, Default)]
pub struct TrustedProxies(Vec<IpNet>);

impl TrustedProxies {
    pub fn from_env(env: &Env) -> Result<Self, InvalidSetting> {
        let network = |text: &str| text.parse().ok().or_else(|| text.parse::<IpAddr>().ok().map(IpNet::from));
        env.get_list("TRUSTED_PROXIES", network, "IP addresses or networks such as 10.0.0.0/8").map(Self)
    }

    pub fn contains(&self, address: IpAddr) -> bool {
        self.0.iter().any(|network| network.contains(&address))
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// True for a network wider than `/8` in IPv4 or `/16` in IPv6. Two `/1` networks would have the effect of `/0`.
    pub fn has_too_wide_network(&self) -> bool {
        let least = |network: &IpNet| if network.addr().is_ipv4() { 8 } else { 16 };
        self.0.iter().any(|network| network.prefix_len() < least(network))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Client {
    pub ip: IpAddr,
}

impl Client {
    /// Returns `None` if the address of the peer is unknown, as in tests without a connection.
    pub fn resolve(request: &ServiceRequest, proxies: &TrustedProxies) -> Option<Self> {
        Some(Self { ip: client_ip(request, proxies)? })
    }

    pub fn require(request: &HttpRequest) -> Result<Self, AppError> {
        Self::for_request(request).ok_or_else(|| AppError::Internal("the request has no client address".to_owned()))
    }

    /// IPv4 address or IPv6 /64 prefix, because providers assign a whole /64 to one customer.
    pub fn network(&self) -> IpAddr {
        network(self.ip)
    }
}

pub fn network(address: IpAddr) -> IpAddr {
    match address {
        v4 @ IpAddr::V4(_) => v4,
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() >> 64 << 64).into(),
    }
}

impl Describe for Client {}

extractor!(Client, AppError, Self::require);

/// Peer address or, if the peer is a trusted proxy, the last hop in `X-Forwarded-For` that is not a trusted proxy.
fn client_ip(request: &ServiceRequest, proxies: &TrustedProxies) -> Option<IpAddr> {
    let peer = request.peer_addr()?.ip().to_canonical();
    if !proxies.contains(peer) {
        return Some(peer);
    }
    let lines: Vec<&HeaderValue> = request.headers().get_all("x-forwarded-for").collect();
    let mut nearest = peer;
    // The header is parsed as bytes, because a client may have sent a part that is not text.
    for hop in lines.iter().rev().flat_map(|line| line.as_bytes().rsplit(|byte| *byte == b',')) {
        // An invalid hop ends the search, because the hops before it are not trustworthy.
        let Some(address) = std::str::from_utf8(hop).ok().and_then(parse_hop) else { break };
        nearest = address;
        if !proxies.contains(address) {
            break;
        }
    }
    Some(nearest)
}

/// Parses `192.0.2.1`, `192.0.2.1:80`, `2001:db8::1` or `[2001:db8::1]:80`. IPv4-mapped IPv6 addresses become IPv4.
fn parse_hop(hop: &str) -> Option<IpAddr> {
    let hop = hop.trim();
    let address = hop.parse::<IpAddr>().ok();
    let with_port = || hop.parse::<std::net::SocketAddr>().ok().map(|address| address.ip());
    let bracketed = || hop.strip_prefix('[')?.strip_suffix(']')?.parse().ok();
    address.or_else(with_port).or_else(bracketed).map(|address| address.to_canonical())
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    fn client(peer: &str, trusted: &str, forwarded: &[&str]) -> String {
        let forwarded: Vec<&[u8]> = forwarded.iter().map(|line| line.as_bytes()).collect();
        client_by_bytes(peer, trusted, &forwarded)
    }

    fn client_by_bytes(peer: &str, trusted: &str, forwarded: &[&[u8]]) -> String {
        let proxies = TrustedProxies::from_env(&[("TRUSTED_PROXIES", trusted)].into_iter().collect()).unwrap();
        let mut request = TestRequest::default().peer_addr(peer.parse().unwrap());
        for line in forwarded {
            request = request.append_header(("x-forwarded-for", HeaderValue::from_bytes(line).unwrap()));
        }
        client_ip(&request.to_srv_request(), &proxies).unwrap().to_string()
    }

    #[test]
    fn uses_forwarded_for_of_trusted_proxies_only() {
        assert_eq!(client("192.0.2.9:1", "", &["198.51.100.1"]), "192.0.2.9");
        assert_eq!(client("10.0.0.1:1", "10.0.0.0/8", &[]), "10.0.0.1");
        assert_eq!(client("10.0.0.1:1", "10.0.0.0/8", &["203.0.113.7, 198.51.100.1"]), "198.51.100.1");
        assert_eq!(client("10.0.0.1:1", "10.0.0.0/8", &["203.0.113.7", "198.51.100.1, 10.0.0.2"]), "198.51.100.1");
        assert_eq!(client("10.0.0.1:1", "10.0.0.0/8", &["203.0.113.7, junk, 10.0.0.2"]), "10.0.0.2");
        assert_eq!(client("10.0.0.1:1", "10.0.0.0/8", &["[2001:db8::1]:443"]), "2001:db8::1");
        assert_eq!(client("[::ffff:10.0.0.1]:1", "10.0.0.0/8", &["::ffff:198.51.100.1"]), "198.51.100.1");
        assert_eq!(client("10.0.0.1:1", "10.0.0.0/8", &["198.51.100.1:4711"]), "198.51.100.1");
    }

    #[test]
    fn ignores_invalid_hops() {
        let client = |lines: &[&[u8]]| client_by_bytes("10.0.0.1:1", "10.0.0.0/8", lines);
        assert_eq!(client(&[b"\xff, 198.51.100.1"]), "198.51.100.1");
        assert_eq!(client(&[b"\x80\xff", b"198.51.100.1, 10.0.0.2"]), "198.51.100.1");
        assert_eq!(client(&[b"203.0.113.7, \xff, 10.0.0.2"]), "10.0.0.2");
        assert_eq!(client(&[b"203.0.113.7, , 10.0.0.2"]), "10.0.0.2");
        assert_eq!(client(&[b"203.0.113.7", b"198.51.100.1\xff"]), "10.0.0.1");
    }

    #[test]
    fn network_of_ipv6_is_its_64_bit_prefix() {
        let network = |address: &str| Client { ip: address.parse().unwrap() }.network().to_string();
        assert_eq!(network("192.0.2.7"), "192.0.2.7");
        assert_eq!(network("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::");
        assert_eq!(network("2001:db8:1:2:ffff::"), network("2001:db8:1:2::1"));
    }
}
