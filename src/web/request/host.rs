//! Parser for hosts and origins, shared by the Host and Origin headers, `ALLOWED_HOSTS` and `PUBLIC_URL`.

use std::fmt::Display;
use std::net::{IpAddr, Ipv6Addr};
use std::str::FromStr;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Host {
    text: String,
}

impl Host {
    pub fn parse(text: &str) -> Option<Self> {
        let host = Self { text: text.to_ascii_lowercase() };
        let (name, port) = host.split();
        let is_name = |name: &str| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._".contains(&byte));
        let is_valid = match name.strip_prefix('[') {
            Some(rest) => rest.strip_suffix(']').is_some_and(|address| address.parse::<Ipv6Addr>().is_ok()),
            None => !name.is_empty() && is_name(name),
        };
        let is_port = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit()) && port.parse::<u16>().is_ok();
        (is_valid && port.is_none_or(is_port)).then_some(host)
    }

    fn split(&self) -> (&str, Option<&str>) {
        let after_address = self.text.rfind(']').map_or(0, |end| end + 1);
        match self.text[after_address..].find(':') {
            Some(colon) => {
                let (name, port) = self.text.split_at(after_address + colon);
                (name, Some(&port[1..]))
            }
            None => (&self.text, None),
        }
    }

    pub fn name(&self) -> &str {
        self.split().0
    }

    pub fn is_ip_address(&self) -> bool {
        self.name().trim_matches(['[', ']']).parse::<IpAddr>().is_ok()
    }

    pub fn port(&self) -> Option<&str> {
        self.split().1
    }
}

impl Display for Host {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    pub is_https: bool,
    pub host: Host,
}

impl Origin {
    pub fn parse(text: &str) -> Option<Self> {
        let (scheme, host) = text.split_once("://")?;
        let is_https = match scheme {
            "https" => true,
            "http" => false,
            _ => return None,
        };
        Some(Self { is_https, host: Host::parse(host)? })
    }

    pub fn default_port(&self) -> &'static str {
        if self.is_https { "443" } else { "80" }
    }
}

impl Display for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}://{}", if self.is_https { "https" } else { "http" }, self.host)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AllowedHost {
    /// `example.com`, on any port.
    Exact(String),
    /// `.example.com`: the domain and all of its subdomains.
    Domain(String),
    /// `*`: any host. Rejected in production.
    Any,
}

impl AllowedHost {
    pub fn allows(&self, host: &Host) -> bool {
        let host = host.name();
        match self {
            Self::Exact(name) => host == name,
            Self::Domain(name) => {
                host.strip_suffix(name.as_str()).is_some_and(|sub| sub.is_empty() || sub.ends_with('.'))
            }
            Self::Any => true,
        }
    }
}

impl FromStr for AllowedHost {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        if text == "*" {
            return Ok(Self::Any);
        }
        let domain = text.strip_prefix('.');
        let host = Host::parse(domain.unwrap_or(text)).filter(|host| host.port().is_none()).ok_or(())?;
        let name = host.name().to_owned();
        Ok(if domain.is_some() { Self::Domain(name) } else { Self::Exact(name) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_hosts_with_and_without_port() {
        let parts = |text: &str| Host::parse(text).map(|host| (host.name().to_owned(), host.port().map(str::to_owned)));
        assert_eq!(parts("A.Example:80"), Some(("a.example".to_owned(), Some("80".to_owned()))));
        assert_eq!(parts("[::1]:8000"), Some(("[::1]".to_owned(), Some("8000".to_owned()))));
        assert_eq!(parts("[::1]"), Some(("[::1]".to_owned(), None)));
        for text in
            ["", ":80", "a b", "a<c>", "a/b", "a@b", "a:port", "a:99999", "a:+80", "a:", "[::1", "[::g]", "a:1:2", "é"]
        {
            assert_eq!(parts(text), None, "{text}");
        }
    }

    #[test]
    fn hosts_match_by_name_or_by_domain() {
        let allows =
            |allowed: &str, host: &str| allowed.parse::<AllowedHost>().unwrap().allows(&Host::parse(host).unwrap());
        assert!(allows(".Example.com", "example.com") && allows(".Example.com", "www.example.com:80"));
        assert!(!allows(".example.com", "badexample.com") && !allows("example.com", "www.example.com"));
        assert!(allows("[::1]", "[::1]:80") && allows("*", "anything.example"));
        assert!(["example.com:80", "a b", "", "."].iter().all(|text| text.parse::<AllowedHost>().is_err()));
    }

    #[test]
    fn parses_origins() {
        let text = |text: &str| Origin::parse(text).map(|origin| origin.to_string());
        assert_eq!(text("https://Example.com:8443").as_deref(), Some("https://example.com:8443"));
        for other in ["example.com", "ftp://a", "https://", "https://a/b", "https://a@b", "null", "https://a?b"] {
            assert_eq!(text(other), None, "{other}");
        }
    }
}
