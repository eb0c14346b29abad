//! Conversion of single HTML elements to Markdown.

use std::rc::Rc;

use evenkeel_markdown::{escape_alt, is_http_url, with_scheme};
use htmd::Element;
use htmd::element_handler::{HandlerResult, Handlers};
use markup5ever_rcdom::{Node, NodeData};

/// Placeholder for `~~` during the conversion: a Unicode noncharacter, like the placeholders in `tables.rs`.
pub const STRIKETHROUGH: char = '\u{fdd8}';

/// Placeholder before the `[` of a link, because Markdown would show a link after an exclamation mark as an image.
pub const LINK: char = '\u{fdde}';

/// HTML element that carries Markdown without an HTML equivalent in its attribute `text`.
pub const MARKDOWN_ELEMENT: &str = "evenkeel-markdown";

/// A node and all its descendants, in document order. Not recursive, because a deeply nested page would overflow the
/// stack.
pub fn descendants(node: &Rc<Node>) -> Vec<Rc<Node>> {
    let (mut nodes, mut open) = (Vec::new(), vec![node.clone()]);
    while let Some(node) = open.pop() {
        open.extend(node.children.borrow().iter().rev().cloned());
        nodes.push(node);
    }
    nodes
}

/// Value of the first attribute that is not empty and whose name is in `names`.
pub fn attribute(element: &Element<'_>, names: &[&str]) -> Option<String> {
    let matching = element.attrs.iter().filter(|attribute| names.contains(&&*attribute.name.local));
    matching.map(|attribute| attribute.value.trim().to_owned()).find(|value| !value.is_empty())
}

/// Replaces embedded content, such as a video, by a link. The link may be a path on the old site.
#[expect(clippy::needless_pass_by_value, clippy::unnecessary_wraps, reason = "as handlers are")]
pub fn embedded(handlers: &dyn Handlers, element: Element<'_>) -> Option<HandlerResult> {
    let address = attribute(&element, &["src", "data"]).map(|address| escape_url(&address));
    let is_path = |address: &str| !address.split(['/', '?', '#']).next().unwrap_or_default().contains(':');
    Some(match address {
        Some(address) if is_http_url(&address) => format!("\n\n<{address}>\n\n").into(),
        Some(address) if is_path(&address) => {
            let path = address.split(['?', '#']).next().unwrap_or_default();
            let name = path.rsplit('/').next().unwrap_or_default();
            format!("\n\n[{}](<{address}>)\n\n", escape_alt(name)).into()
        }
        _ => handlers.walk_children(element.node),
    })
}

/// Writes the Markdown in the attribute of a [`MARKDOWN_ELEMENT`].
#[expect(clippy::needless_pass_by_value, reason = "as handlers are")]
pub fn markdown_source(_: &dyn Handlers, element: Element<'_>) -> Option<HandlerResult> {
    let text = element.attrs.iter().find(|attribute| &*attribute.name.local == "text");
    text.map(|text| text.value.to_string().into())
}

/// Formats a caption as a paragraph below its image.
#[expect(clippy::needless_pass_by_value, clippy::unnecessary_wraps, reason = "as handlers are")]
pub fn caption(handlers: &dyn Handlers, element: Element<'_>) -> Option<HandlerResult> {
    Some(format!("\n\n{}\n\n", handlers.walk_children(element.node).content.trim()).into())
}

#[expect(clippy::needless_pass_by_value, clippy::unnecessary_wraps, reason = "as handlers are")]
pub fn strikethrough(handlers: &dyn Handlers, element: Element<'_>) -> Option<HandlerResult> {
    let text = handlers.walk_children(element.node).content;
    Some(if text.trim().is_empty() { text } else { format!("{STRIKETHROUGH}{}{STRIKETHROUGH}", text.trim()) }.into())
}

/// Formats superscript or subscript digits as Unicode characters, so that excerpts show 10² and not 102. Other text
/// becomes the HTML element `name`.
fn shift_digits(handlers: &dyn Handlers, element: &Element<'_>, digits: &str, name: &str) -> String {
    let text = handlers.walk_children(element.node).content;
    let of = |c: char| "0123456789+-".find(c).and_then(|at| digits.chars().nth(at));
    let written: Option<String> = text.trim().chars().map(of).collect();
    match written {
        Some(written) => written,
        None if text.trim().is_empty() || text.contains("\n\n") => text,
        None => format!("<{name}>{}</{name}>", text.trim()),
    }
}

#[expect(clippy::needless_pass_by_value, clippy::unnecessary_wraps, reason = "as handlers are")]
pub fn superscript(handlers: &dyn Handlers, element: Element<'_>) -> Option<HandlerResult> {
    Some(shift_digits(handlers, &element, "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "sup").into())
}

#[expect(clippy::needless_pass_by_value, clippy::unnecessary_wraps, reason = "as handlers are")]
pub fn subscript(handlers: &dyn Handlers, element: Element<'_>) -> Option<HandlerResult> {
    Some(shift_digits(handlers, &element, "₀₁₂₃₄₅₆₇₈₉₊₋", "sub").into())
}

/// Formats a link. If the link contains block elements, their texts are joined in a single line.
pub fn link(handlers: &dyn Handlers, element: Element<'_>) -> Option<HandlerResult> {
    let text = handlers.walk_children(element.node).content;
    let address = attribute(&element, &["href"]);
    let Some(address) = address.filter(|address| text.contains("\n\n") || address.starts_with("//")) else {
        let mut link = handlers.fallback(element)?;
        if link.content.starts_with('[') {
            link.content.insert(0, LINK);
        }
        return Some(link);
    };
    if !text.contains("\n\n") {
        return Some(format!("{LINK}[{text}](<{}>)", escape_url(&address)).into());
    }
    if let Some(card) = card(&element, &escape_url(&address)) {
        return Some(card.into());
    }
    let line = text.split("\n\n").map(str::trim).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ");
    Some(format!("\n\n[{}](<{}>)\n\n", line.trim_start_matches(['#', ' ']), escape_url(&address)).into())
}

/// Formats a bookmark or file card of Ghost: a linked title, then a paragraph each for the description and the source.
/// Returns `None` for other links.
fn card(element: &Element<'_>, address: &str) -> Option<String> {
    let class = attribute(element, &["class"])?;
    if !["kg-bookmark-container", "kg-file-card-container"].iter().any(|container| class.contains(container)) {
        return None;
    }
    let text_of = |part: &str| {
        let nodes = descendants(element.node);
        let node = nodes.iter().find(|node| match &node.data {
            NodeData::Element { attrs, .. } => attrs.borrow().iter().any(|attribute| {
                &*attribute.name.local == "class" && attribute.value.split(' ').any(|name| name.ends_with(part))
            }),
            _ => false,
        })?;
        let texts = descendants(node).into_iter().filter_map(|node| match &node.data {
            NodeData::Text { contents } => Some(contents.borrow().to_string()),
            _ => None,
        });
        let text = texts.collect::<String>().split_whitespace().collect::<Vec<_>>().join(" ");
        Some(escape_alt(&text)).filter(|text| !text.is_empty())
    };
    let title = text_of("-title").or_else(|| text_of("-filename"))?;
    let source = [text_of("-author"), text_of("-publisher")].into_iter().flatten().collect::<Vec<_>>().join(" · ");
    let more = [text_of("-description"), text_of("-caption"), Some(source)].into_iter().flatten();
    let paragraphs =
        std::iter::once(format!("{LINK}[{title}](<{address}>)")).chain(more.filter(|text| !text.is_empty()));
    Some(format!("\n\n{}\n\n", paragraphs.collect::<Vec<_>>().join("\n\n")))
}

#[expect(clippy::needless_pass_by_value, reason = "as handlers are")]
pub fn image(_: &dyn Handlers, element: Element<'_>) -> Option<HandlerResult> {
    let address = attribute(&element, &["src"])?;
    let alt = attribute(&element, &["alt"]).unwrap_or_default();
    let alt = escape_alt(&alt).split_whitespace().collect::<Vec<_>>().join(" ");
    Some(format!("![{alt}](<{}>)", escape_url(&address)).into())
}

/// Adds a scheme to a URL without one, and escapes the URL for use between `<` and `>` in Markdown.
fn escape_url(address: &str) -> String {
    with_scheme(address)
        .replace('<', "%3C")
        .replace('>', "%3E")
        .replace('\\', "%5C")
        .split_whitespace()
        .collect::<Vec<_>>()
        .join("%20")
}
