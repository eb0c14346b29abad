//! Settings of the web server: listening address, public URL, allowed hosts and trusted proxies.

use std::net::SocketAddr;
use std::sync::Arc;

use super::request::client::TrustedProxies;
use super::request::host::{AllowedHost, Origin};
use crate::config::{Env, InvalidSetting};
use crate::site::Site;

#[derive(Clone, Debug)]
pub struct Settings {
    pub bind: SocketAddr,
    pub public_url: Origin,
    /// `true` in production: cookies are `Secure`, HSTS is sent, and unsafe settings are rejected.
    pub production: bool,
    /// `true` if browsers must use HTTPS for all subdomains of the site's domain too.
    hsts_subdomains: bool,
    pub allowed_hosts: Vec<AllowedHost>,
    pub cors_origins: Vec<Origin>,
    pub trusted_proxies: TrustedProxies,
    pub site: Arc<Site>,
}

impl Settings {
    pub fn from_env(env: &Env) -> Result<Self, InvalidSetting> {
        let bind = env.parse("BIND", "an IP address and port such as 127.0.0.1:8000")?;
        let bind = bind.unwrap_or_else(|| SocketAddr::from(([127, 0, 0, 1], 8000)));
        let settings = Self {
            bind,
            public_url: public_url(env, bind)?,
            production: env.get_boolean("PRODUCTION", false)?,
            hsts_subdomains: env.get_boolean("HSTS_INCLUDE_SUBDOMAINS", false)?,
            allowed_hosts: allowed_hosts(env)?,
            cors_origins: env.get_list("CORS_ORIGINS", Origin::parse, "origins such as https://app.example.com")?,
            trusted_proxies: TrustedProxies::from_env(env)?,
            site: Arc::new(Site::from_env(env)?),
        };
        settings.reject_unsafe(env)?;
        Ok(settings)
    }

    fn reject_unsafe(&self, env: &Env) -> Result<(), InvalidSetting> {
        let names_hosts = env.get("ALLOWED_HOSTS")?.is_some_and(|hosts| hosts.contains(|c: char| c != ',' && c != ' '));
        let problem = match self {
            _ if !self.production => return Ok(()),
            _ if !names_hosts => ("ALLOWED_HOSTS", "is required in production"),
            _ if self.allowed_hosts.contains(&AllowedHost::Any) => ("ALLOWED_HOSTS", "must not be * in production"),
            _ if !self.public_url.is_https => ("PUBLIC_URL", "must begin with https:// in production"),
            _ => return Ok(()),
        };
        Err(InvalidSetting::new(problem.0, problem.1))
    }

    pub fn hsts(&self) -> Option<&'static str> {
        let value = if self.hsts_subdomains { "max-age=31536000; includeSubDomains" } else { "max-age=31536000" };
        self.production.then_some(value)
    }

    pub fn absolute_url(&self, path: &str) -> String {
        format!("{}{path}", self.public_url)
    }
}

fn allowed_hosts(env: &Env) -> Result<Vec<AllowedHost>, InvalidSetting> {
    let loopback = || ["localhost", "127.0.0.1", "[::1]"].iter().filter_map(|name| name.parse().ok()).collect();
    let hosts =
        env.get_list("ALLOWED_HOSTS", |text| text.parse().ok(), "host names without a port, such as example.com")?;
    Ok(if hosts.is_empty() { loopback() } else { hosts })
}

fn public_url(env: &Env, bind: SocketAddr) -> Result<Origin, InvalidSetting> {
    let invalid = |problem| InvalidSetting::new("PUBLIC_URL", problem);
    let local = format!("http://{bind}");
    let url = match env.get("PUBLIC_URL")? {
        Some(url) => url.trim_end_matches('/'),
        None if bind.ip().is_loopback() => &local,
        None => return Err(invalid("is required when BIND is not a loopback address")),
    };
    Origin::parse(url).ok_or_else(|| invalid("must be a scheme and host such as https://example.com"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::web::request::host::Host;

    fn read(variables: &[(&str, &str)]) -> Result<Settings, String> {
        Settings::from_env(&variables.iter().copied().collect()).map_err(|error| error.to_string())
    }

    #[test]
    fn defaults_to_a_local_site() {
        let settings = read(&[]).unwrap();
        assert_eq!(settings.bind.to_string(), "127.0.0.1:8000");
        assert_eq!(settings.absolute_url("/blogs/"), "http://127.0.0.1:8000/blogs/");
        let allows =
            |host: &str| settings.allowed_hosts.iter().any(|allowed| allowed.allows(&Host::parse(host).unwrap()));
        assert!(allows("localhost") && allows("[::1]:8000") && !allows("example.com"));
    }

    #[test]
    fn errors_name_the_variable_and_allowed_values() {
        let refused = |variable, value| read(&[(variable, value)]).unwrap_err();
        assert_eq!(
            refused("BIND", "8000"),
            "BIND is \"8000\" but must be an IP address and port such as 127.0.0.1:8000"
        );
        assert!(refused("ALLOWED_HOSTS", "a b").starts_with("ALLOWED_HOSTS is"));
        assert!(refused("TRUSTED_PROXIES", "10.0.0.0/33").starts_with("TRUSTED_PROXIES is"));
        assert!(refused("BIND", "0.0.0.0:80").starts_with("PUBLIC_URL is required"));
        assert!(refused("PUBLIC_URL", "example.com").starts_with("PUBLIC_URL must be"));
        assert!(refused("PUBLIC_URL", "https://example.com/blog").starts_with("PUBLIC_URL must be"));
    }
}
