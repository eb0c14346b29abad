//! Settings of Safe Browsing (`SAFE_BROWSING_*`).

use std::fmt;
use std::time::Duration;

use reqwest::header::HeaderValue;
use url::Url;

use crate::config::{Env, InvalidSetting, is_loopback_host};
use evenkeel_safe_browsing::protocol::{SizeConstraints, ThreatListId};

/// Timeout of a request. Must be shorter than `LEASE` in `pacing.rs`.
const REQUEST_TIMEOUT: Duration = Duration::from_mins(1);
const MAX_LISTS: usize = 16;
const DEFAULT_URL: &str = "https://safebrowsing.googleapis.com/";
const DEFAULT_LISTS: &str = "MALWARE,SOCIAL_ENGINEERING,UNWANTED_SOFTWARE";

#[derive(Clone, Debug)]
pub struct Settings {
    pub key: ApiKey,
    /// Base URL with a trailing slash.
    pub url: String,
    pub lists: Vec<ThreatListId>,
    pub size: SizeConstraints,
    pub request_timeout: Duration,
}

#[derive(Clone)]
pub struct ApiKey(HeaderValue);

impl ApiKey {
    pub(super) fn header_value(&self) -> HeaderValue {
        self.0.clone()
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(…)")
    }
}

impl Settings {
    /// Returns `None` if no API key is set, which disables link checks.
    pub fn from_env(env: &Env) -> Result<Option<Self>, InvalidSetting> {
        let url = env.get("SAFE_BROWSING_URL")?.unwrap_or(DEFAULT_URL);
        if !is_server_url(url) {
            let allowed = "a URL that begins with https:// (or http:// on this machine) and ends with a slash";
            return Err(env.invalid_setting("SAFE_BROWSING_URL", allowed));
        }
        let lists: Vec<&str> =
            env.get("SAFE_BROWSING_LISTS")?.unwrap_or(DEFAULT_LISTS).split(',').map(str::trim).collect();
        let is_name =
            |name: &&str| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
        if lists.len() > MAX_LISTS || !lists.iter().all(is_name) {
            return Err(
                env.invalid_setting("SAFE_BROWSING_LISTS", "1 to 16 threat types such as MALWARE, separated by commas")
            );
        }
        let size = SizeConstraints {
            max_update_entries: size_limit(env, "SAFE_BROWSING_MAX_UPDATE")?,
            max_database_entries: size_limit(env, "SAFE_BROWSING_MAX_ENTRIES")?,
        };
        let Some(key) = env.get("SAFE_BROWSING_KEY")? else { return Ok(None) };
        let key = HeaderValue::from_str(key);
        let mut key =
            key.map_err(|_| InvalidSetting::new("SAFE_BROWSING_KEY", "must contain only visible ASCII characters"))?;
        key.set_sensitive(true);
        let lists = lists.into_iter().map(ThreatListId::for_urls).collect();
        Ok(Some(Self { key: ApiKey(key), url: url.to_owned(), lists, size, request_timeout: REQUEST_TIMEOUT }))
    }

    pub fn server_host(&self) -> String {
        Url::parse(&self.url).ok().and_then(|url| url.host_str().map(str::to_owned)).unwrap_or_default()
    }
}

fn is_server_url(text: &str) -> bool {
    let Ok(url) = Url::parse(text) else { return false };
    let is_here = url.host_str().is_some_and(is_loopback_host);
    (url.scheme() == "https" || url.scheme() == "http" && is_here) && text.ends_with('/') && url.query().is_none()
}

fn size_limit(env: &Env, name: &str) -> Result<u32, InvalidSetting> {
    let allowed = "0, or a power of two from 1024 to 1048576";
    let number: u32 = env.parse(name, allowed)?.unwrap_or(0);
    let is_allowed = number == 0 || number.is_power_of_two() && (1 << 10..=1 << 20).contains(&number);
    if is_allowed { Ok(number) } else { Err(env.invalid_setting(name, allowed)) }
}
