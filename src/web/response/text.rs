//! Formatting of text, file sizes and times, and encoding of URLs.

use chrono::{DateTime, SecondsFormat, Utc};
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};

use crate::i18n::{Phrase, PhraseValue};
use crate::phrase;

/// False for whitespace, control characters and Unicode `Default_Ignorable_Code_Point`.
pub fn is_visible(c: char) -> bool {
    let ignorable = matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}');
    !ignorable && !c.is_whitespace() && !c.is_control()
}

/// Formats a size in kB, MB or GB with at most one decimal, rounded up: `1.5 MB`.
#[expect(clippy::cast_precision_loss, reason = "sizes are far below 2^53")]
pub fn format_size(bytes: i64) -> Phrase {
    let in_tenths = |unit: i64| match (bytes.saturating_add(unit / 10 - 1)) / (unit / 10) {
        tenths if tenths % 10 == 0 => PhraseValue::from(tenths / 10),
        tenths => PhraseValue::score(tenths as f64 / 10.0),
    };
    match bytes {
        ..1_000_000 => phrase!("kilobytes", size = (bytes + 999) / 1_000),
        1_000_000..1_000_000_000 => phrase!("megabytes", size = in_tenths(1_000_000)),
        _ => phrase!("gigabytes", size = in_tenths(1_000_000_000)),
    }
}

/// Characters that are percent-encoded in a query value. `/` and `?` are not, to keep the value readable.
const QUERY: &AsciiSet =
    &CONTROLS.add(b' ').add(b'"').add(b'#').add(b'%').add(b'&').add(b'+').add(b'<').add(b'>').add(b'=').add(b'\'');

pub fn encode_query_value(text: &str) -> String {
    utf8_percent_encode(text, QUERY).to_string()
}

/// Omits parameters without a value. The result is empty or begins with `?`.
pub fn query_string(parameters: &[(&str, Option<&str>)]) -> String {
    let present = parameters.iter().filter_map(|(name, value)| Some((name, value.filter(|value| !value.is_empty())?)));
    let pairs: Vec<String> = present.map(|(name, value)| format!("{name}={}", encode_query_value(value))).collect();
    if pairs.is_empty() { String::new() } else { format!("?{}", pairs.join("&")) }
}

pub fn encode_path_segment(text: &str) -> String {
    const SEGMENT: &AsciiSet = &QUERY.add(b'/').add(b'?').add(b'`').add(b'{').add(b'}').add(b'\\');
    utf8_percent_encode(text, SEGMENT).to_string()
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

/// Formats a time for `<time datetime>`: RFC 3339 in UTC with whole seconds.
pub fn format_rfc3339(time: &DateTime<Utc>) -> String {
    time.to_rfc3339_opts(SecondsFormat::Secs, true)
}

/// Rounded up, so that a retry after this time is not too early.
pub fn format_duration(seconds: i64) -> Phrase {
    match seconds {
        ..=119 => phrase!("seconds", count = seconds),
        120..=7_199 => phrase!("minutes", count = seconds.div_euclid(60) + i64::from(seconds % 60 > 0)),
        _ => phrase!("hours", count = seconds.div_euclid(3_600) + i64::from(seconds % 3_600 > 0)),
    }
}

/// First letter of a name in upper case, which stands for a missing avatar.
pub fn initial(name: &str) -> String {
    name.chars().next().map(|first| first.to_uppercase().collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_times_are_rounded_up() {
        for (seconds, words) in [(1, "1 second"), (119, "119 seconds"), (121, "3 minutes"), (7_201, "3 hours")] {
            assert_eq!(format_duration(seconds).to_string(), words);
        }
    }

    #[test]
    fn sizes_are_rounded_up() {
        for (bytes, words) in
            [(1, "1 kB"), (999_001, "1,000 kB"), (1_000_000, "1 MB"), (1_400_001, "1.5 MB"), (2_000_000_001, "2.1 GB")]
        {
            assert_eq!(format_size(bytes).to_string(), words);
        }
    }
}
