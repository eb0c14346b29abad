//! Email addresses: parsing and normalization.

use schemars::{Schema, json_schema};
use unicode_normalization::UnicodeNormalization as _;

use crate::i18n::Phrase;
use crate::phrase;
use crate::web::request::form_field::Field;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmailAddress(String);

impl EmailAddress {
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Parses an email address for account lookups. Existing accounts may have addresses that `from_text` rejects.
    pub fn parse_lenient(text: &str) -> Option<Self> {
        let text = text.trim();
        let plain = text.contains('@') && text.chars().count() <= 254 && !text.chars().any(char::is_control);
        plain.then(|| Self(text.to_owned()))
    }
}

/// Requires a domain with at least two labels, and rejects IP addresses in brackets.
const ADDRESS_OPTIONS: email_address::Options =
    email_address::Options { minimum_sub_domains: 2, allow_domain_literal: false, allow_display_text: false };

impl Field for EmailAddress {
    fn from_text(text: &str) -> Result<Self, Phrase> {
        let text = text.trim();
        // A quoted local part has many spellings of the same mailbox, and no provider offers such addresses.
        let plain = !text.chars().any(|c| c.is_control() || c.is_whitespace() || "\"\\".contains(c))
            && text.chars().count() <= 254;
        // Rejects domains such as 127.0.0.1: a top-level domain is never numeric.
        let has_domain = !text.rsplit('.').next().unwrap_or_default().chars().all(|c| c.is_ascii_digit());
        if plain && has_domain && email_address::EmailAddress::parse_with_options(text, ADDRESS_OPTIONS).is_ok() {
            return Ok(Self(text.to_owned()));
        }
        Err(phrase!("invalid-email"))
    }

    fn schema() -> Schema {
        json_schema!({ "type": "string", "format": "email", "maxLength": 254, "examples": ["ann@example.com"] })
    }
}

/// Rate limit key, equal for all spellings of an email address that usually reach the same mailbox.
pub fn normalize_email(email: &str) -> String {
    let (local, domain) = email.trim().rsplit_once('@').unwrap_or((email, ""));
    let domain = idna::domain_to_ascii(domain).unwrap_or_else(|_| domain.to_lowercase());
    let local: String = local.nfkc().filter(|c| !matches!(c, '"' | '\\')).collect::<String>().to_lowercase();
    // The part of the local name after a plus sign is a label chosen by the recipient (subaddressing), and is removed.
    let name = local.split('+').next().filter(|name| !name.is_empty()).unwrap_or(&local);
    match domain.as_str() {
        "gmail.com" | "googlemail.com" => format!("{}@gmail.com", name.replace('.', "")),
        "proton.me" | "protonmail.com" | "pm.me" => format!("{}@proton.me", name.replace(['.', '-', '_'], "")),
        "icloud.com" | "me.com" | "mac.com" => format!("{name}@icloud.com"),
        "yandex.com" | "yandex.ru" | "ya.ru" => format!("{}@yandex.com", name.replace('.', "-")),
        _ => format!("{name}@{domain}"),
    }
}

/// Providers that deliver mail with a label after a plus sign to the same mailbox.
const LABEL_DOMAINS: [&str; 15] = [
    "fastmail.com",
    "gmail.com",
    "googlemail.com",
    "hotmail.com",
    "icloud.com",
    "live.com",
    "mac.com",
    "me.com",
    "outlook.com",
    "pm.me",
    "proton.me",
    "protonmail.com",
    "ya.ru",
    "yandex.com",
    "yandex.ru",
];

/// Key of the unique index `users_by_mailbox`. Labels are removed only for providers that are known to ignore them,
/// because elsewhere they may be mailboxes of different people.
pub fn mailbox_key(email: &str) -> String {
    let (local, domain) = email.trim().rsplit_once('@').unwrap_or((email, ""));
    let domain = idna::domain_to_ascii(domain).unwrap_or_else(|_| domain.to_lowercase());
    if LABEL_DOMAINS.contains(&domain.as_str()) {
        return normalize_email(email);
    }
    format!("{}@{domain}", local.nfkc().collect::<String>().to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn validates_email_address() {
        let valid = |text: &str| EmailAddress::from_text(text).is_ok();
        assert!(valid("a@example.com") && valid(" a.b+c@mail.example.org "));
        assert!(!valid("a") && !valid("a@") && !valid("@b") && !valid("a b@c.d") && !valid("a@b\r\nBcc: c@d.e"));
        assert!(!valid(&format!("{}@example.com", "x".repeat(255))));
        assert!(valid("é@bücher.example") && valid("a@1.example"));
        for other in
            ["a@b", "a@localhost", "a@[127.0.0.1]", "a@[IPv6:::1]", "a@127.0.0.1", "N<a@b.example>", "\"a\"@b.example"]
        {
            assert!(!valid(other), "{other}");
        }
        assert_eq!(EmailAddress::parse_lenient(" a@b ").unwrap().as_str(), "a@b");
        assert!(EmailAddress::parse_lenient("ann").is_none());
    }

    #[test]
    fn normalizes_equivalent_email_addresses() {
        for other in ["Ann@Example.com", "ann+1@example.com", " ANN+a+b@EXAMPLE.COM "] {
            assert_eq!(normalize_email(other), "ann@example.com");
        }
        assert_eq!(normalize_email("a.n.n+x@googlemail.com"), "ann@gmail.com");
        assert_eq!(normalize_email("a@BÜCHER.example"), normalize_email("a@xn--bcher-kva.example"));
        for another in ["a.nn@example.com", "bob@example.com", "ann@mail.example.com"] {
            assert_ne!(normalize_email(another), "ann@example.com");
        }
        assert_eq!(normalize_email("+x@example.com"), "+x@example.com");
        assert_eq!(mailbox_key("A.n.n+x@GoogleMail.com"), "ann@gmail.com");
        assert_eq!(mailbox_key("a.n-n+x@pm.me"), mailbox_key("ann@protonmail.com"));
        assert_eq!(mailbox_key("ann@me.com"), mailbox_key("ann@icloud.com"));
        assert_eq!(mailbox_key("Ann+X@bücher.example"), "ann+x@xn--bcher-kva.example");
    }
}
