//! URL of a webhook.

use schemars::{Schema, json_schema};
use url::Url;

use super::address_policy::AddressPolicy;
use crate::i18n::Phrase;
use crate::phrase;
use crate::web::request::form_field::Field;

const MAX_BYTES: usize = 2_000;

/// Absolute URL with the scheme `https` or `http`, without username, password and fragment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebhookUrl(pub Url);

impl WebhookUrl {
    pub fn check(&self, policy: &AddressPolicy) -> Result<(), Phrase> {
        match &self.0 {
            url if url.scheme() != "https" && !policy.allows_http() => Err(phrase!("invalid-webhook-http")),
            url if !policy.allows_host(url) => Err(phrase!("invalid-webhook-address")),
            _ => Ok(()),
        }
    }
}

impl Field for WebhookUrl {
    fn from_text(text: &str) -> Result<Self, Phrase> {
        let text = text.trim();
        let url =
            Url::parse(text).ok().filter(|url| text.len() <= MAX_BYTES && matches!(url.scheme(), "https" | "http"));
        let url = url.filter(|url| url.username().is_empty() && url.password().is_none() && url.fragment().is_none());
        url.map(Self).ok_or_else(|| phrase!("invalid-webhook-url"))
    }

    fn schema() -> Schema {
        json_schema!({ "type": "string", "format": "uri", "maxLength": MAX_BYTES, "pattern": "^https?://",
            "examples": ["https://example.com/hooks/evenkeel"] })
    }
}
