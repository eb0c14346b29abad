//! Canonical URLs and the hashes of their [suffix/prefix
//! expressions](https://developers.google.com/safe-browsing/v4/urls-hashing), which Safe Browsing lists contain.
//!
//! The rules intentionally differ from the URL standard: lists also contain URLs as older browsers interpreted them.

use std::net::Ipv4Addr;

use sha2::{Digest as _, Sha256};

/// SHA-256 hash of a suffix/prefix expression.
pub type FullHash = [u8; 32];

/// Maximum number of host suffixes, including the full host.
const MAX_HOSTS: usize = 5;

/// Maximum number of path prefixes that end with a slash, including the root.
const MAX_FOLDERS: usize = 4;

/// Canonical URL, stored as bytes because percent-decoded data may not be UTF-8.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CanonicalUrl {
    scheme: Vec<u8>,
    host: Vec<u8>,
    path: Vec<u8>,
    query: Option<Vec<u8>>,
}

impl CanonicalUrl {
    /// Canonicalizes a URL; `None` for URLs without a host, such as `mailto:`.
    pub fn parse(address: &[u8]) -> Option<Self> {
        let cleaned: Vec<u8> = address.iter().copied().filter(|byte| !matches!(byte, b'\t' | b'\r' | b'\n')).collect();
        let whole = cleaned.split(|byte| *byte == b'#').next().unwrap_or_default();
        let whole = percent_decode_all(whole.trim_ascii());
        let (scheme, rest) = split_scheme(&whole);
        let rest = match scheme {
            Some(_) => rest.strip_prefix(b"//")?,
            None => rest,
        };
        let end = rest.iter().position(|byte| matches!(byte, b'/' | b'?')).unwrap_or(rest.len());
        let (authority, rest) = rest.split_at(end);
        let (path, query) = match rest.iter().position(|byte| *byte == b'?') {
            Some(mark) => (&rest[..mark], Some(rest[mark + 1..].to_vec())),
            None => (rest, None),
        };
        let host = canonical_host(authority)?;
        Some(Self { scheme: scheme.unwrap_or(b"http").to_ascii_lowercase(), host, path: normalize_path(path), query })
    }

    /// Returns the canonical URL, percent-encoded.
    pub fn to_url(&self) -> String {
        let scheme = percent_encode(&self.scheme);
        format!("{scheme}://{}{}", percent_encode(&self.host), self.path_and_query())
    }

    fn path_and_query(&self) -> String {
        let path = percent_encode(&self.path);
        self.query.as_ref().map_or_else(|| path.clone(), |query| format!("{path}?{}", percent_encode(query)))
    }

    /// Returns the suffix/prefix expressions of the URL: at most 30 combinations of host suffixes and path prefixes,
    /// without duplicates.
    pub fn expressions(&self) -> Vec<String> {
        let paths = self.paths();
        let hosts = self.hosts();
        hosts.iter().flat_map(|host| paths.iter().map(move |path| format!("{host}{path}"))).collect()
    }

    pub fn full_hashes(&self) -> Vec<FullHash> {
        self.expressions().iter().map(|expression| Sha256::digest(expression).into()).collect()
    }

    fn hosts(&self) -> Vec<String> {
        let whole = percent_encode(&self.host);
        let is_address = self.host.starts_with(b"[") || whole.parse::<Ipv4Addr>().is_ok();
        let parts: Vec<&str> = whole.split('.').collect();
        let mut hosts = vec![whole.clone()];
        if !is_address {
            // Host suffixes with two to five labels.
            let first = parts.len().saturating_sub(MAX_HOSTS).max(1);
            hosts.extend((first..parts.len().saturating_sub(1)).map(|from| parts[from..].join(".")));
        }
        hosts
    }

    fn paths(&self) -> Vec<String> {
        let path = percent_encode(&self.path);
        let mut paths = vec![self.path_and_query(), path.clone()];
        let folders = path.match_indices('/').map(|(slash, _)| path[..=slash].to_owned());
        paths.extend(folders.take(MAX_FOLDERS));
        // Removes duplicates and keeps the order. Linear search is fast enough for at most six paths.
        let mut each = Vec::with_capacity(paths.len());
        for path in paths {
            if !each.contains(&path) {
                each.push(path);
            }
        }
        each
    }
}

/// Percent-decodes repeatedly until no escape sequence is left, in linear time: an escape sequence that decoding
/// creates ends with the last byte written.
fn percent_decode_all(text: &[u8]) -> Vec<u8> {
    let hex = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let mut plain: Vec<u8> = Vec::with_capacity(text.len());
    for byte in text {
        plain.push(*byte);
        while let [.., b'%', high, low] = plain[..]
            && let (Some(high), Some(low)) = (hex(high), hex(low))
        {
            plain.truncate(plain.len() - 3);
            plain.push(high * 16 + low);
        }
    }
    plain
}

/// Percent-encodes control characters, spaces, non-ASCII bytes, `#` and `%`.
fn percent_encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for byte in bytes {
        match byte {
            b'#' | b'%' | ..=b' ' | 0x7f.. => {
                text.push('%');
                text.extend([byte >> 4, byte & 15].map(|digit| char::from(b"0123456789ABCDEF"[usize::from(digit)])));
            }
            byte => text.push(char::from(*byte)),
        }
    }
    text
}

/// Splits a URL at the first colon into scheme and rest. If a digit follows the colon, the URL has no scheme but a host
/// with a port.
fn split_scheme(address: &[u8]) -> (Option<&[u8]>, &[u8]) {
    let Some(colon) = address.iter().position(|byte| *byte == b':') else { return (None, address) };
    let (scheme, rest) = (&address[..colon], &address[colon + 1..]);
    let is_letter = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
    let is_scheme = scheme.first().is_some_and(u8::is_ascii_alphabetic) && scheme.iter().all(is_letter);
    let is_port = rest.first().is_some_and(u8::is_ascii_digit);
    if is_scheme && !is_port { (Some(scheme), rest) } else { (None, address) }
}

/// Returns the canonical host of a URL authority, without user name, password and port; `None` if the host is empty.
fn canonical_host(authority: &[u8]) -> Option<Vec<u8>> {
    let host = authority.rsplit(|byte| *byte == b'@').next().unwrap_or_default();
    let host = match host.iter().rposition(|byte| *byte == b':') {
        Some(colon) if host[colon + 1..].iter().all(u8::is_ascii_digit) => &host[..colon],
        _ => host,
    };
    let text = String::from_utf8_lossy(host);
    let is_name = !text.is_ascii() && !text.contains('\u{fffd}');
    let punycode = if is_name { idna::domain_to_ascii(&text).ok() } else { None };
    let ascii = punycode.map_or_else(|| host.to_vec(), String::into_bytes);
    let parts: Vec<&[u8]> = ascii.split(|byte| *byte == b'.').filter(|part| !part.is_empty()).collect();
    let joined = parts.join(&b'.').to_ascii_lowercase();
    if joined.is_empty() {
        return None;
    }
    Some(parse_ipv4(&joined).map_or(joined, |address| address.to_string().into_bytes()))
}

/// Parses an IPv4 address in any notation: one to four decimal, octal or hexadecimal numbers, where the last fills all
/// remaining bytes.
fn parse_ipv4(host: &[u8]) -> Option<Ipv4Addr> {
    let text = std::str::from_utf8(host).ok()?;
    // Ignores text after a space in a host of up to 15 characters, as old DNS resolvers did.
    let text = text.split_once(' ').filter(|_| text.len() <= 15).map_or(text, |(address, _)| address);
    let number = |text: &str| match (text.strip_prefix("0x"), text.strip_prefix('0')) {
        (Some(hex), _) => u32::from_str_radix(hex, 16).ok(),
        (None, Some(octal)) if !octal.is_empty() => u32::from_str_radix(octal, 8).ok(),
        _ => text.parse().ok(),
    };
    let is_plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'x');
    let numbers: Option<Vec<u32>> = text.split('.').map(|part| number(part).filter(|_| is_plain(part))).collect();
    let numbers = numbers.filter(|numbers| numbers.len() <= 4)?;
    let (last, others) = numbers.split_last()?;
    let mut address: u32 = 0;
    for other in others {
        address = (address << 8) | (other & 0xff);
    }
    let left = 32 - 8 * u32::try_from(others.len()).ok()?;
    let mask = u32::MAX >> (32 - left);
    Some(Ipv4Addr::from_bits(address.checked_shl(left).unwrap_or(0) | (last & mask)))
}

/// Normalizes a path: removes `.`, `..` and empty segments. The result begins with a slash. A trailing slash is
/// preserved.
fn normalize_path(path: &[u8]) -> Vec<u8> {
    let mut parts: Vec<&[u8]> = Vec::new();
    let mut is_folder = true;
    for part in path.split(|byte| *byte == b'/') {
        is_folder = true;
        match part {
            b"" | b"." => {}
            b".." => drop(parts.pop()),
            part => {
                parts.push(part);
                is_folder = false;
            }
        }
    }
    let mut resolved = vec![b'/'];
    resolved.extend(parts.join(&b'/'));
    if is_folder && !parts.is_empty() {
        resolved.push(b'/');
    }
    resolved
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn canonical(address: &[u8]) -> Option<String> {
        CanonicalUrl::parse(address).map(|canonical| canonical.to_url())
    }

    /// Covers all canonicalization examples of the Safe Browsing documentation, in their order.
    #[test]
    fn canonicalizes_documentation_examples() {
        let examples: [(&[u8], &str); 33] = [
            (b"http://host/%25%32%35", "http://host/%25"),
            (b"http://host/%25%32%35%25%32%35", "http://host/%25%25"),
            (b"http://host/%2525252525252525", "http://host/%25"),
            (b"http://host/asdf%25%32%35asd", "http://host/asdf%25asd"),
            (b"http://host/%%%25%32%35asd%%", "http://host/%25%25%25asd%25%25"),
            (b"http://www.google.com/", "http://www.google.com/"),
            (
                b"http://%31%36%38%2e%31%38%38%2e%39%39%2e%32%36/%2E%73%65%63%75%72%65/%77%77%77%2E%65%62%61%79%2E%63%6F%6D/",
                "http://168.188.99.26/.secure/www.ebay.com/",
            ),
            (
                b"http://195.127.0.11/uploads/%20%20%20%20/.verify/.eBaysecure=updateuserdataxplimnbqmn-xplmvalidateinfoswqpcmlx=hgplmcx/",
                "http://195.127.0.11/uploads/%20%20%20%20/.verify/.eBaysecure=updateuserdataxplimnbqmn-xplmvalidateinfoswqpcmlx=hgplmcx/",
            ),
            (
                b"http://host%23.com/%257Ea%2521b%2540c%2523d%2524e%25f%255E00%252611%252A22%252833%252944_55%252B",
                "http://host%23.com/~a!b@c%23d$e%25f^00&11*22(33)44_55+",
            ),
            (b"http://3279880203/blah", "http://195.127.0.11/blah"),
            (b"http://www.google.com/blah/..", "http://www.google.com/"),
            (b"www.google.com/", "http://www.google.com/"),
            (b"www.google.com", "http://www.google.com/"),
            (b"http://www.evil.com/blah#frag", "http://www.evil.com/blah"),
            (b"http://www.GOOgle.com/", "http://www.google.com/"),
            (b"http://www.google.com.../", "http://www.google.com/"),
            (b"http://www.google.com/foo\tbar\rbaz\n2", "http://www.google.com/foobarbaz2"),
            (b"http://www.google.com/q?", "http://www.google.com/q?"),
            (b"http://www.google.com/q?r?", "http://www.google.com/q?r?"),
            (b"http://www.google.com/q?r?s", "http://www.google.com/q?r?s"),
            (b"http://evil.com/foo#bar#baz", "http://evil.com/foo"),
            (b"http://evil.com/foo;", "http://evil.com/foo;"),
            (b"http://evil.com/foo?bar;", "http://evil.com/foo?bar;"),
            (b"http://\x01\x80.com/", "http://%01%80.com/"),
            (b"http://notrailingslash.com", "http://notrailingslash.com/"),
            (b"http://www.gotaport.com:1234/", "http://www.gotaport.com/"),
            (b"  http://www.google.com/  ", "http://www.google.com/"),
            (b"http:// leadingspace.com/", "http://%20leadingspace.com/"),
            (b"http://%20leadingspace.com/", "http://%20leadingspace.com/"),
            (b"%20leadingspace.com/", "http://%20leadingspace.com/"),
            (b"https://www.securesite.com/", "https://www.securesite.com/"),
            (b"http://host.com/ab%23cd", "http://host.com/ab%23cd"),
            (b"http://host.com//twoslashes?more//slashes", "http://host.com/twoslashes?more//slashes"),
        ];
        for (address, expected) in examples {
            assert_eq!(canonical(address).as_deref(), Some(expected), "{}", address.escape_ascii());
        }
    }

    #[test]
    fn canonicalizes_hosts() {
        for (address, expected) in [
            ("http://12.0x12.01234/", "http://12.18.2.156/"),
            ("http://276.2.3/", "http://20.2.0.3/"),
            ("http://012.034.01.055/", "http://10.28.1.45/"),
            ("http://0x12.0x43.0x44.0x01/", "http://18.67.68.1/"),
            ("http://167838211/", "http://10.1.2.3/"),
            ("http://4294967295/", "http://255.255.255.255/"),
            ("http://10.192.95.89 xy/", "http://10.192.95.89/"),
            ("http://123.123.0.0.1/", "http://123.123.0.0.1/"),
            ("http://1.2.3.00x0/", "http://1.2.3.00x0/"),
            ("http://..google...com./", "http://google.com/"),
            ("http://google.com.:8080/foo.html", "http://google.com/foo.html"),
            ("http://ann:secret@google.com:80/", "http://google.com/"),
            ("http://[FEDC:BA98::3210]:80/index.html", "http://[fedc:ba98::3210]/index.html"),
            ("http://www.ümlat.com/", "http://www.xn--mlat-zra.com/"),
            ("http%3A%2F%2Fwackyurl.com:80/", "http://wackyurl.com/"),
            ("HTTP://a.com?q", "http://a.com/?q"),
            ("a.com:80/b", "http://a.com/b"),
            ("ftp://ftp.myfiles.com/", "ftp://ftp.myfiles.com/"),
            ("http://W!eird<>Ho$^.com/", "http://w!eird<>ho$^.com/"),
            ("http://a.com/foo/.././bar/./../foo.html", "http://a.com/foo.html"),
            ("http://a.com//a//b///c////", "http://a.com/a/b/c/"),
        ] {
            assert_eq!(canonical(address.as_bytes()).as_deref(), Some(expected), "{address}");
        }
        for nowhere in [
            "",
            ":",
            "/blah",
            "#ref",
            "?query#ref",
            "http://",
            "http:///blah",
            "http://?q",
            "mailto:a@b.c",
            "http://./",
        ] {
            assert_eq!(canonical(nowhere.as_bytes()), None, "{nowhere}");
        }
    }

    /// Covers all expression examples of the Safe Browsing documentation, and cases that the documentation does not
    /// specify.
    #[test]
    fn expressions_match_documentation_examples() {
        for (address, expected) in [
            (
                "http://a.b.c/1/2.html?param=1",
                &[
                    "a.b.c/1/2.html?param=1",
                    "a.b.c/1/2.html",
                    "a.b.c/",
                    "a.b.c/1/",
                    "b.c/1/2.html?param=1",
                    "b.c/1/2.html",
                    "b.c/",
                    "b.c/1/",
                ][..],
            ),
            (
                "http://a.b.c.d.e.f.g/1.html",
                &[
                    "a.b.c.d.e.f.g/1.html",
                    "a.b.c.d.e.f.g/",
                    "c.d.e.f.g/1.html",
                    "c.d.e.f.g/",
                    "d.e.f.g/1.html",
                    "d.e.f.g/",
                    "e.f.g/1.html",
                    "e.f.g/",
                    "f.g/1.html",
                    "f.g/",
                ],
            ),
            ("http://1.2.3.4/1/", &["1.2.3.4/1/", "1.2.3.4/"]),
            ("http://a.b/1/2/3/4/5/", &["a.b/1/2/3/4/5/", "a.b/", "a.b/1/", "a.b/1/2/", "a.b/1/2/3/"]),
            (
                "http://[2001:470:1:18::114]/a/b",
                &["[2001:470:1:18::114]/a/b", "[2001:470:1:18::114]/", "[2001:470:1:18::114]/a/"],
            ),
            ("http://b/", &["b/"]),
        ] {
            assert_eq!(CanonicalUrl::parse(address.as_bytes()).unwrap().expressions(), expected, "{address}");
        }
        let many = CanonicalUrl::parse(b"http://a.b.c.d.e.f.g/1/2/3/4/5/6.html?q").unwrap();
        assert_eq!((many.expressions().len(), many.full_hashes().len()), (30, 30));
    }

    /// Covers the hash examples of the Safe Browsing documentation, which are from FIPS 180-2.
    #[test]
    fn hashes_match_documentation_examples() {
        let hash = |text: &[u8]| Sha256::digest(text);
        assert_eq!(hash(b"abc")[..4], [0xba, 0x78, 0x16, 0xbf]);
        let longer = hash(b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq");
        assert_eq!(longer[..6], [0x24, 0x8d, 0x6a, 0x61, 0xd2, 0x06]);
        let million = hash(&vec![b'a'; 1_000_000]);
        assert_eq!(million[..12], [0xcd, 0xc7, 0x6e, 0x5c, 0x99, 0x14, 0xfb, 0x92, 0x81, 0xa1, 0xc7, 0xe2]);
        assert_eq!(CanonicalUrl::parse(b"http://a.b/").unwrap().full_hashes(), [<FullHash>::from(hash(b"a.b/"))]);
    }

    proptest! {
        /// Compares `percent_decode_all` with a reference implementation that decodes the whole text repeatedly.
        #[test]
        fn decoding_matches_repeated_passes(text in "[%0-9A-Fa-f25]{0,40}") {
            let mut slow = text.clone().into_bytes();
            loop {
                let mut pass = Vec::new();
                let mut at = 0;
                while at < slow.len() {
                    let hex = slow.get(at + 1..at + 3).and_then(|digits| std::str::from_utf8(digits).ok());
                    let hex = hex.filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
                    let (byte, length) = match hex.filter(|_| slow[at] == b'%') {
                        Some(digits) => (u8::from_str_radix(digits, 16).unwrap(), 3),
                        None => (slow[at], 1),
                    };
                    pass.push(byte);
                    at += length;
                }
                if pass == slow { break }
                slow = pass;
            }
            prop_assert_eq!(percent_decode_all(text.as_bytes()), slow);
        }

        #[test]
        fn canonicalization_is_idempotent(address in proptest::collection::vec(any::<u8>(), 0..60)) {
            let mut whole = b"http://h.example/".to_vec();
            whole.extend(address);
            let once = canonical(&whole).unwrap();
            prop_assert_eq!(canonical(once.as_bytes()).unwrap(), once);
        }

        #[test]
        fn parsing_never_panics(address in proptest::collection::vec(any::<u8>(), 0..200)) {
            if let Some(canonical) = CanonicalUrl::parse(&address) {
                prop_assert!((1..=30).contains(&canonical.expressions().len()));
            }
        }
    }
}
