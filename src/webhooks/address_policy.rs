//! IP addresses that webhooks can reach, limited to prevent server-side request forgery (SSRF) by staff.

use std::net::IpAddr;
use std::sync::LazyLock;

use ipnet::IpNet;
use url::{Host, Url};

/// Public IPv6 addresses, except for addresses in [`NOT_PUBLIC`].
const GLOBAL_UNICAST: &str = "2000::/3";

/// Special-purpose networks of the IANA registries (RFC 6890), and IPv6 networks that are translated to IPv4.
const NOT_PUBLIC: [&str; 19] = [
    "0.0.0.0/8",
    "10.0.0.0/8",
    "100.64.0.0/10",
    "127.0.0.0/8",
    "169.254.0.0/16",
    "172.16.0.0/12",
    "192.0.0.0/24",
    "192.0.2.0/24",
    "192.88.99.0/24",
    "192.168.0.0/16",
    "198.18.0.0/15",
    "198.51.100.0/24",
    "203.0.113.0/24",
    "224.0.0.0/4",
    "240.0.0.0/4",
    "2001::/23",
    "2001:db8::/32",
    "2002::/16",
    "3fff::/20",
];

static NETWORKS: LazyLock<Vec<IpNet>> =
    LazyLock::new(|| NOT_PUBLIC.iter().filter_map(|network| network.parse().ok()).collect());

fn is_public(address: IpAddr) -> bool {
    let is_global = address.is_ipv4() || GLOBAL_UNICAST.parse().is_ok_and(|network: IpNet| network.contains(&address));
    is_global && !NETWORKS.iter().any(|network| network.contains(&address))
}

#[derive(Clone, Debug, Default)]
pub struct AddressPolicy {
    private_networks: Vec<IpNet>,
}

impl AddressPolicy {
    pub fn new(private_networks: Vec<IpNet>) -> Self {
        Self { private_networks }
    }

    /// Without encryption, webhooks reach private networks only.
    pub fn allows(&self, address: IpAddr, is_encrypted: bool) -> bool {
        let address = address.to_canonical();
        self.private_networks.iter().any(|network| network.contains(&address)) || is_encrypted && is_public(address)
    }

    /// Host names pass; their addresses are checked when they are resolved.
    pub fn allows_host(&self, url: &Url) -> bool {
        let is_encrypted = url.scheme() == "https";
        match url.host() {
            Some(Host::Ipv4(address)) => self.allows(address.into(), is_encrypted),
            Some(Host::Ipv6(address)) => self.allows(address.into(), is_encrypted),
            Some(Host::Domain(_)) => true,
            None => false,
        }
    }

    /// URLs that begin with `http://` only make sense in private networks.
    pub fn allows_http(&self) -> bool {
        !self.private_networks.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_public_and_listed_addresses_are_allowed() {
        assert_eq!(NETWORKS.len(), NOT_PUBLIC.len());
        let (strict, listed) = (
            AddressPolicy::default(),
            AddressPolicy::new(vec!["10.1.0.0/16".parse().unwrap(), "fd00::/8".parse().unwrap()]),
        );
        let allows = |policy: &AddressPolicy, address: &str| policy.allows(address.parse().unwrap(), true);
        for public in ["8.8.8.8", "100.63.0.1", "172.32.0.1", "2a00:1450::1", "::ffff:8.8.8.8"] {
            assert!(allows(&strict, public) && allows(&listed, public), "{public}");
        }
        for private in [
            "127.0.0.1",
            "0.0.0.0",
            "10.2.0.1",
            "169.254.169.254",
            "192.168.1.1",
            "::1",
            "::",
            "::ffff:127.0.0.1",
            "::127.0.0.1",
            "64:ff9b::7f00:1",
            "2002:7f00:1::",
            "fe80::1",
            "fec0::1",
            "::ffff:0:127.0.0.1",
            "ff02::1",
            "255.255.255.255",
        ] {
            assert!(!allows(&strict, private) && !allows(&listed, private), "{private}");
        }
        for inside in ["10.1.2.3", "fd12::1", "::ffff:10.1.2.3"] {
            assert!(!allows(&strict, inside) && allows(&listed, inside), "{inside}");
        }
        let plain = |address: &str| listed.allows(address.parse().unwrap(), false);
        assert!(plain("10.1.2.3") && !plain("8.8.8.8") && !plain("10.2.0.1"));
        let host = |url: &str| strict.allows_host(&url.parse().unwrap());
        assert!(host("https://example.com/") && host("https://8.8.8.8/"));
        assert!(!host("https://127.0.0.1/") && !host("https://0x7f.1/") && !host("https://[::1]/"));
    }
}
