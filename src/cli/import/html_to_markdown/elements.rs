//! Conversion of single HTML elements to Markdown.

use htmd::Element;
use htmd::element_handler::{HandlerResult, Handlers};

use crate::images::models::escape_alt;

/// Placeholder for `~~` during the conversion: a Unicode noncharacter, like the placeholders in `tables.rs`.
pub const STRUCK: char = '\u{fdd8}';

pub fn attribute(element: &Element<'_>, names: &[&str]) -> Option<String> {
    let found = element.attrs.iter().find(|attribute| names.contains(&&*attribute.name.local));
    found.map(|attribute| attribute.value.trim().to_owned()).filter(|value| !value.is_empty())
}

#[expect(clippy::needless_pass_by_value, clippy::unnecessary_wraps, reason = "as handlers are")]
pub fn embedded(handlers: &dyn Handlers, element: Element<'_>) -> Option<HandlerResult> {
    let address = attribute(&element, &["src", "data"]);
    let address = address.map(|address| if address.starts_with("//") { format!("https:{address}") } else { address });
    match address.filter(|address| address.starts_with("https://") || address.starts_with("http://")) {
        Some(address) => Some(format!("\n\n<{}>\n\n", address.replace(' ', "%20")).into()),
        None => Some(handlers.walk_children(element.node)),
    }
}

/// Formats a caption as a paragraph below its image.
#[expect(clippy::needless_pass_by_value, clippy::unnecessary_wraps, reason = "as handlers are")]
pub fn caption(handlers: &dyn Handlers, element: Element<'_>) -> Option<HandlerResult> {
    Some(format!("\n\n{}\n\n", handlers.walk_children(element.node).content.trim()).into())
}

#[expect(clippy::needless_pass_by_value, clippy::unnecessary_wraps, reason = "as handlers are")]
pub fn strikethrough(handlers: &dyn Handlers, element: Element<'_>) -> Option<HandlerResult> {
    let text = handlers.walk_children(element.node).content;
    Some(if text.trim().is_empty() { text } else { format!("{STRUCK}{}{STRUCK}", text.trim()) }.into())
}

/// Formats superscript or subscript text with Unicode characters, so that 10² does not become 102. If a character has
/// no such form, writes `sign` and the text in parentheses.
fn shift_digits(handlers: &dyn Handlers, element: &Element<'_>, digits: &str, sign: &str) -> String {
    let text = handlers.walk_children(element.node).content;
    let of = |c: char| "0123456789+-".find(c).and_then(|at| digits.chars().nth(at));
    let written: Option<String> = text.trim().chars().map(of).collect();
    match written {
        Some(written) => written,
        None if text.trim().is_empty() => text,
        None => format!("{sign}({})", text.trim()),
    }
}

#[expect(clippy::needless_pass_by_value, clippy::unnecessary_wraps, reason = "as handlers are")]
pub fn superscript(handlers: &dyn Handlers, element: Element<'_>) -> Option<HandlerResult> {
    Some(shift_digits(handlers, &element, "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "^").into())
}

#[expect(clippy::needless_pass_by_value, clippy::unnecessary_wraps, reason = "as handlers are")]
pub fn subscript(handlers: &dyn Handlers, element: Element<'_>) -> Option<HandlerResult> {
    Some(shift_digits(handlers, &element, "₀₁₂₃₄₅₆₇₈₉₊₋", "\\_").into())
}

/// Formats a link. If the link contains block elements, their texts are joined in a single line.
pub fn link(handlers: &dyn Handlers, element: Element<'_>) -> Option<HandlerResult> {
    let text = handlers.walk_children(element.node).content;
    let Some(address) = attribute(&element, &["href"]).filter(|_| text.contains("\n\n")) else {
        return handlers.fallback(element);
    };
    let line = text.split("\n\n").map(str::trim).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ");
    Some(format!("\n\n[{}](<{}>)\n\n", line.trim_start_matches(['#', ' ']), escape_url(&address)).into())
}

#[expect(clippy::needless_pass_by_value, reason = "as handlers are")]
pub fn image(_: &dyn Handlers, element: Element<'_>) -> Option<HandlerResult> {
    let address = attribute(&element, &["src"])?;
    let alt = attribute(&element, &["alt"]).unwrap_or_default();
    let alt = escape_alt(&alt).split_whitespace().collect::<Vec<_>>().join(" ");
    Some(format!("![{alt}](<{}>)", escape_url(&address)).into())
}

/// Escapes a URL for use between `<` and `>` in Markdown.
fn escape_url(address: &str) -> String {
    address
        .replace('<', "%3C")
        .replace('>', "%3E")
        .replace('\\', "%5C")
        .split_whitespace()
        .collect::<Vec<_>>()
        .join("%20")
}
