//! Markdown parser: `CommonMark` with tables, footnotes, strikethrough, task lists and a few HTML elements.

use pulldown_cmark::{Event, Options, Parser, Tag, TextMergeStream};

use super::bare_links::with_bare_links;
use super::html_converter::MAX_PARTS;

/// Maximum number of simultaneously open HTML elements. Further elements are shown as text.
const MAX_OPEN_ELEMENTS: usize = 16;

/// Maximum number of parser events that are read. At most half of them are ends of elements, so a text with more events
/// exceeds [`MAX_PARTS`] and is not rendered as Markdown.
const MAX_EVENTS: usize = 2 * MAX_PARTS + 2;

/// `CommonMark` extensions of posts on this site.
pub const MARKDOWN_OPTIONS: Options = Options::ENABLE_TABLES
    .union(Options::ENABLE_FOOTNOTES)
    .union(Options::ENABLE_STRIKETHROUGH)
    .union(Options::ENABLE_TASKLISTS);

pub fn parser(source: &str) -> Parser<'_> {
    Parser::new_ext(source, MARKDOWN_OPTIONS)
}

/// Parses a text for rendering, including bare URLs, `<br>` and the HTML elements of [`element`] without attributes. HTML elements
/// allow emphasis that Markdown cannot express, such as the emphasis of `(a)` in `b(a)c`.
pub fn parse_with_elements(source: &str) -> Vec<Event<'_>> {
    // Adjacent text events are merged, because the parser emits an event for each character that could be markup.
    let linked = with_bare_links(source, parser(source)).map(|(event, _)| event);
    let mut events: Vec<_> = TextMergeStream::new(linked).take(MAX_EVENTS).collect();
    let (mut open, mut depth) = (Vec::<(Tag<'static>, usize, usize)>::new(), 0_usize);
    for index in 0..events.len() {
        match &events[index] {
            Event::Start(_) => depth += 1,
            Event::End(_) => {
                depth = depth.saturating_sub(1);
                open.retain(|(_, _, of_element)| *of_element <= depth);
            }
            Event::InlineHtml(html) if is_line_break(html) => events[index] = Event::HardBreak,
            Event::InlineHtml(html) => {
                let Some((tag, is_end)) = element(html) else { continue };
                if !is_end {
                    if open.len() < MAX_OPEN_ELEMENTS {
                        open.push((tag, index, depth));
                    }
                    continue;
                }
                // An HTML element must start and end in the same Markdown element, because elements must not overlap.
                let begin = open.iter().rposition(|(open, _, of_element)| *open == tag && *of_element == depth);
                let Some(begin) = begin else { continue };
                events[open[begin].1] = Event::Start(tag.clone());
                events[index] = Event::End(tag.to_end());
                open.truncate(begin);
            }
            _ => {}
        }
    }
    events
}

fn is_line_break(html: &str) -> bool {
    ["<br>", "<br/>", "<br />"].iter().any(|tag| html.eq_ignore_ascii_case(tag))
}

/// Markdown element for an HTML tag without attributes, and true for an end tag.
fn element(html: &str) -> Option<(Tag<'static>, bool)> {
    let name = html.strip_prefix('<')?.strip_suffix('>')?;
    let (name, is_end) = name.strip_prefix('/').map_or((name, false), |name| (name, true));
    let tag = match name.to_ascii_lowercase().as_str() {
        "b" | "strong" => Tag::Strong,
        "i" | "em" => Tag::Emphasis,
        "del" | "s" => Tag::Strikethrough,
        "sub" => Tag::Subscript,
        "sup" => Tag::Superscript,
        _ => return None,
    };
    Some((tag, is_end))
}
