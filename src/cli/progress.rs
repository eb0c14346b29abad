//! Progress bars of commands, which are shown only on a terminal.

use indicatif::{ProgressBar, ProgressStyle};

/// Shows a percentage if `total` is known.
pub fn byte_progress_bar(doing: &'static str, total: Option<u64>) -> ProgressBar {
    let (bar, template) = match total {
        Some(total) => (ProgressBar::new(total), "{msg} {bar:40} {percent} %, {eta} left"),
        None => (ProgressBar::no_length(), "{msg} {bytes}, {bytes_per_sec}"),
    };
    with_bar_template(bar, template).with_message(doing)
}

/// `things` is the plural name of the items, such as `posts`.
pub fn item_progress_bar(doing: &'static str, things: &str, total: u64) -> ProgressBar {
    with_bar_template(ProgressBar::new(total), &format!("{{msg}} {{bar:40}} {{pos}} of {{len}} {things}, {{eta}} left"))
        .with_message(doing)
}

pub fn with_bar_template(bar: ProgressBar, template: &str) -> ProgressBar {
    match ProgressStyle::with_template(template) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}
