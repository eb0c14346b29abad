//! Formats of file sizes, durations and times.

use chrono::{DateTime, SecondsFormat, Utc};

use super::{Phrase, PhraseValue};
use crate::phrase;

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

/// Formats a time for `<time datetime>`: RFC 3339 in UTC with whole seconds.
pub fn format_rfc3339(time: &DateTime<Utc>) -> String {
    time.to_rfc3339_opts(SecondsFormat::Secs, true)
}

/// Formats a duration, rounded up so that a retry after the displayed duration is not too early.
pub fn format_duration(seconds: i64) -> Phrase {
    match seconds {
        ..=119 => phrase!("seconds", count = seconds),
        120..=7_199 => phrase!("minutes", count = seconds.div_euclid(60) + i64::from(seconds % 60 > 0)),
        _ => phrase!("hours", count = seconds.div_euclid(3_600) + i64::from(seconds % 3_600 > 0)),
    }
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
