//! Path normalization (RFC 3986, section 6.2.2).

use std::borrow::Cow;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// Characters that stay unencoded in paths, besides letters and digits. The semicolon is excluded because some proxies
/// truncate paths at it.
const UNENCODED: &[u8] = b"-._~!$&'()*+,=:@";

/// Characters that are percent-encoded in paths: all except `UNENCODED`, letters and digits.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b'!')
    .remove(b'$')
    .remove(b'&')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')')
    .remove(b'*')
    .remove(b'+')
    .remove(b',')
    .remove(b'=')
    .remove(b':')
    .remove(b'@');

/// Normalizes a path (RFC 3986, section 6.2.2): percent-encoding only where needed, in upper-case hexadecimal, without
/// empty or dot segments. Returns `None` for paths that cannot match any route: invalid percent-encoding, encoded
/// slashes, control characters, and other special ASCII characters such as `;`, `<` and `{`.
pub fn canonicalize(path: &str) -> Option<Cow<'_, str>> {
    let rest = path.strip_prefix('/')?;
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || UNENCODED.contains(&byte);
    // Fast path: nearly all paths are already canonical.
    let is_special = |pair: &[u8]| matches!(pair, b"//" | b"/.");
    if rest.bytes().all(|byte| is_plain(byte) || byte == b'/') && !path.as_bytes().windows(2).any(is_special) {
        return Some(path.into());
    }
    let mut segments: Vec<Cow<'_, str>> = Vec::new();
    let mut is_folder = false;
    for segment in rest.split('/') {
        if !has_valid_encoding(segment) {
            return None;
        }
        let decoded = percent_decode_str(segment).decode_utf8().ok()?;
        if decoded.chars().any(|c| c.is_control() || (c.is_ascii() && !is_plain(c as u8))) {
            return None;
        }
        is_folder = matches!(&*decoded, "" | "." | "..");
        match &*decoded {
            "" | "." => (),
            ".." => drop(segments.pop()),
            _ => segments.push(utf8_percent_encode(&decoded, ENCODED).to_string().into()),
        }
    }
    let end = if is_folder && !segments.is_empty() { "/" } else { "" };
    let spelled = format!("/{}{end}", segments.join("/"));
    Some(if spelled == path { path.into() } else { spelled.into() })
}

/// Returns `true` if every percent sign is followed by two hexadecimal digits.
fn has_valid_encoding(segment: &str) -> bool {
    let mut parts = segment.split('%').skip(1);
    parts.all(|part| part.as_bytes().get(..2).is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn canonicalizes_paths() {
        for path in ["/", "/blogs/", "/blogs/1/a-post/", "/blogs/1/%D8%B3%D9%84/", "/users/a.b_c-d~e/", "/a", "/@a/"] {
            assert_eq!(canonicalize(path).as_deref(), Some(path));
        }
        for (path, one) in [
            ("/blogs/%63reate/", "/blogs/create/"),
            ("/%72%61te/", "/rate/"),
            ("/%72ate/?".trim_end_matches('?'), "/rate/"),
            ("/blogs/1/%d8%b3/", "/blogs/1/%D8%B3/"),
            ("/blogs/1/س/", "/blogs/1/%D8%B3/"),
            ("//blogs///create/", "/blogs/create/"),
            ("/blogs/./create/", "/blogs/create/"),
            ("/rate/../blogs/create/", "/blogs/create/"),
            ("/rate/%2e%2E/blogs/%2e/create/", "/blogs/create/"),
            ("/../../..", "/"),
            ("/blogs/..", "/"),
            ("/blogs/1/..", "/blogs/"),
            ("//evil.example/", "/evil.example/"),
            ("/a%2Bb%40c/", "/a+b@c/"),
        ] {
            assert_eq!(canonicalize(path).as_deref(), Some(one), "{path}");
            assert_eq!(canonicalize(one).as_deref(), Some(one));
        }
        for path in [
            "",
            "*",
            "blogs/",
            "/a%2Fb/",
            "/a%2fb/",
            "/a%5Cb/",
            "/a\\b/",
            "/%00/",
            "/a%0d%0ab/",
            "/%FF/",
            "/%/",
            "/%4/",
            "/%4g/",
            "/a;b/",
            "/a%3Bb/",
            "/a%20b/",
            "/%25/",
            "/%2563reate/",
            "/a%C2%85b/",
            "/<a>/",
            "/a%22/",
            "/{id}/",
        ] {
            assert_eq!(canonicalize(path), None, "{path}");
        }
    }
}
