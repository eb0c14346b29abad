//! Text utilities: visible characters, content hashes, and percent-encoding of URLs.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use sha2::{Digest as _, Sha256};

/// Returns `false` for whitespace, control characters and Unicode `Default_Ignorable_Code_Point`.
pub fn is_visible(c: char) -> bool {
    let ignorable = matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}');
    !ignorable && !c.is_whitespace() && !c.is_control()
}

/// Returns `true` for bidirectional control characters (embeddings, overrides and isolates).
pub fn is_bidi_control(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Reduces a text to one line, without control and bidirectional control characters.
pub fn to_single_line(text: &str) -> String {
    let spaced = text.replace(['\n', '\r', '\t'], " ");
    spaced.chars().filter(|c| !c.is_control() && !is_bidi_control(*c)).collect::<String>().trim().to_owned()
}

/// First letter of a name in upper case, displayed if a user has no avatar.
pub fn initial(name: &str) -> String {
    name.chars().next().map(|first| first.to_uppercase().collect()).unwrap_or_default()
}

/// Characters that are percent-encoded in a query value. `/` and `?` are left unencoded, so that paths stay readable.
const QUERY: &AsciiSet =
    &CONTROLS.add(b' ').add(b'"').add(b'#').add(b'%').add(b'&').add(b'+').add(b'<').add(b'>').add(b'=').add(b'\'');

pub fn encode_query_value(text: &str) -> String {
    utf8_percent_encode(text, QUERY).to_string()
}

/// Formats a query string, which omits parameters without a value and begins with `?` unless it is empty.
pub fn query_string(parameters: &[(&str, Option<&str>)]) -> String {
    let present = parameters.iter().filter_map(|(name, value)| Some((name, value.filter(|value| !value.is_empty())?)));
    let pairs: Vec<String> = present.map(|(name, value)| format!("{name}={}", encode_query_value(value))).collect();
    if pairs.is_empty() { String::new() } else { format!("?{}", pairs.join("&")) }
}

pub fn encode_path_segment(text: &str) -> String {
    const SEGMENT: &AsciiSet = &QUERY.add(b'/').add(b'?').add(b'`').add(b'{').add(b'}').add(b'\\');
    utf8_percent_encode(text, SEGMENT).to_string()
}

/// First 12 bytes of the SHA-256 hash, in URL-safe base64. For entity tags and versions of files, not for secrets.
pub fn content_hash(content: impl AsRef<[u8]>) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(&Sha256::digest(content)[..12])
}
