//! Conversion of HTML in Markdown texts to Markdown, because posts of this site may contain only a few HTML elements.

use std::collections::BTreeSet;
use std::ops::Range;

use evenkeel_markdown::MARKDOWN_OPTIONS;
use pulldown_cmark::{CodeBlockKind, CowStr, Event, Options, Parser, Tag, html};
use pulldown_cmark_escape::escape_html;

use super::template_tags::push_code;
use crate::html_to_markdown::{MARKDOWN_ELEMENT, OpenElements, omission_messages, to_markdown};

/// Maximum number of blocks that are searched for the end tags of elements, which limits the time for one text.
const MAX_SEARCHED_BLOCKS: usize = 100_000;

/// Top-level element of a Markdown text.
struct Block<'a> {
    range: Range<usize>,
    events: Vec<Event<'a>>,
    /// Concatenated HTML of the block, empty if the block is pure Markdown.
    html: String,
    /// True for a definition list, which must be converted, because this site does not support definition lists.
    is_definition_list: bool,
}

/// Converts the HTML in a Markdown text, and keeps blocks without HTML. Returns the text, and messages about omitted
/// HTML.
pub fn convert_html(text: &str) -> (String, Vec<String>) {
    let text = &separate_blocks(text);
    let blocks = blocks(text);
    let (mut output, mut after, mut messages) = (String::with_capacity(text.len()), 0, BTreeSet::new());
    let (mut index, mut tags_as_text, mut searches_left) = (0, 0, MAX_SEARCHED_BLOCKS);
    while let Some(block) = blocks.get(index) {
        if block.html.is_empty() && !block.is_definition_list {
            index += 1;
            continue;
        }
        let end = region_end(&blocks, index, &mut searches_left);
        let region = &blocks[index..end];
        let range = block.range.start..region.last().map_or(block.range.end, |last| last.range.end);
        index = end;
        match region_to_markdown(region) {
            Some(markdown) => {
                output.push_str(&text[after..range.start]);
                // Inserts a blank line before HTML that directly follows other text.
                if !output.is_empty() && !output.ends_with("\n\n") {
                    output.push('\n');
                }
                if !markdown.trim().is_empty() {
                    output.extend([markdown.trim(), "\n\n"]);
                }
                after =
                    range.end + text[range.end..].find(|c| c != '\n' && c != '\r').unwrap_or(text.len() - range.end);
                // If a comment before indented code is removed, the code would become part of the block above the
                // comment, so it is written as a fenced code block.
                if let Some((code, next)) = blocks.get(index).filter(|_| markdown.is_empty()).and_then(indented_code) {
                    push_code(&mut output, "", &code);
                    output.push('\n');
                    (after, index) = (next, index + 1);
                }
                messages.extend(omission_messages(&region.iter().map(|block| block.html.as_str()).collect::<String>()));
            }
            None => tags_as_text += region.iter().map(|block| block.html.matches('<').count()).sum::<usize>(),
        }
    }
    output.push_str(&text[after..]);
    let mut messages: Vec<String> = messages.into_iter().collect();
    if tags_as_text > 0 {
        messages.push(format!("HTML tags that are shown as text: {tags_as_text}"));
    }
    (output, messages)
}

/// Converts blocks to Markdown. Returns `None` if they contain a footnote, or HTML that cannot be converted.
fn region_to_markdown(region: &[Block<'_>]) -> Option<String> {
    let is_footnote = |block: &Block<'_>| matches!(block.events[..], [Event::Start(Tag::FootnoteDefinition(_)), ..]);
    if region.iter().any(is_footnote) {
        return None;
    }
    let mut html = String::new();
    html::push_html(&mut html, region.iter().flat_map(|block| &block.events).map(as_html));
    to_markdown(&html).ok()
}

/// Adds a blank line between HTML and a fenced code block, and between `<br>` and a heading or list. Markdown would
/// treat the block as part of the HTML.
fn separate_blocks(text: &str) -> String {
    let (mut output, mut before, mut is_in_fence) = (String::with_capacity(text.len()), "", false);
    for line in text.split_inclusive('\n') {
        let next = line.trim_start();
        let is_fence = next.starts_with("```") || next.starts_with("~~~");
        let is_block = next.starts_with(['#', '-', '*', '+']) || next.starts_with(|c: char| c.is_ascii_digit());
        let is_break = ["<br>", "<br/>", "<br />"].contains(&before);
        if !is_in_fence && (is_break && is_block || is_fence && before.starts_with('<') && before.ends_with('>')) {
            output.push('\n');
        }
        is_in_fence ^= is_fence;
        output.push_str(line);
        before = line.trim();
    }
    output
}

/// Code of an indented code block, and the position at which the block ends. `None` for other blocks.
fn indented_code(block: &Block<'_>) -> Option<(String, usize)> {
    let [Event::Start(Tag::CodeBlock(CodeBlockKind::Indented)), code @ ..] = &block.events[..] else { return None };
    let texts = code.iter().filter_map(|event| if let Event::Text(text) = event { Some(&**text) } else { None });
    Some((texts.collect(), block.range.end))
}

/// Parser with definition lists, which the Markdown of other blog programs may contain.
fn parse_with_definition_lists(text: &str) -> Parser<'_> {
    Parser::new_ext(text, MARKDOWN_OPTIONS | Options::ENABLE_DEFINITION_LIST)
}

fn blocks(text: &str) -> Vec<Block<'_>> {
    let (mut blocks, mut depth) = (Vec::<Block<'_>>::new(), 0_usize);
    for (event, range) in parse_with_definition_lists(text).into_offset_iter() {
        if depth == 0 {
            let is_definition_list = event == Event::Start(Tag::DefinitionList);
            // The parser's range of a definition list can include the beginning of the next block.
            if let Some(before) = blocks.last_mut() {
                before.range.end = before.range.end.min(range.start);
            }
            blocks.push(Block { range, events: Vec::new(), html: String::new(), is_definition_list });
        }
        depth += usize::from(matches!(event, Event::Start(_)));
        depth -= usize::from(matches!(event, Event::End(_)));
        if let Some(block) = blocks.last_mut() {
            if let Event::Html(html) | Event::InlineHtml(html) = &event {
                block.html.push_str(html);
            }
            block.events.push(event);
        }
    }
    blocks
}

/// Index after the last block of an HTML element that begins in the block `begin`. An element may span several Markdown
/// blocks.
fn region_end(blocks: &[Block<'_>], begin: usize, searches_left: &mut usize) -> usize {
    let mut open = OpenElements::default();
    for (index, block) in blocks.iter().enumerate().skip(begin).take(*searches_left) {
        *searches_left -= 1;
        if open.are_closed_after(&block.html) {
            return index + 1;
        }
    }
    begin + 1
}

/// Replaces events without an HTML equivalent by a [`MARKDOWN_ELEMENT`] that contains their Markdown.
fn as_html<'a>(event: &Event<'a>) -> Event<'a> {
    let markdown = match event {
        Event::FootnoteReference(label) => format!("[^{label}]"),
        Event::TaskListMarker(is_done) => if *is_done { "[x] " } else { "[ ] " }.to_owned(),
        other => return other.clone(),
    };
    let mut html = format!("<{MARKDOWN_ELEMENT} text=\"");
    let _ = escape_html(&mut html, &markdown);
    Event::InlineHtml(CowStr::from(html + &format!("\"></{MARKDOWN_ELEMENT}>")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn html_in_markdown_is_converted() {
        for (text, markdown) in [
            (
                "<div class=\"imgcap\"><img src=\"/a.png\" alt=\"A\"><div>With <b>bold</b></div></div>\n\n*b*",
                "![A](</a.png>)\n\nWith **bold**\n\n*b*",
            ),
            (
                "Water is H<sub>2</sub>O, <a href=\"https://e.example/\">see</a>.<br>\n\n__c__",
                "Water is H₂O, [see](https://e.example/).\n\n__c__",
            ),
            ("<div>\n\n## A\n\n- b *c*\n\n</div>\n\n+ d", "## A\n\n- b *c*\n\n+ d"),
            ("One\n<!--more-->\nTwo", "One\n\nTwo"),
            ("1. a\n\n<!-- -->\n\n    code\n", "1. a\n\n```\ncode\n```"),
            ("<br />\n```c\na\n\nb\n```\nc", "```c\na\n\nb\n```\nc"),
            ("<br>\n- a\n- b", "- a\n- b"),
            ("Heron\n: A bird\n\nText", "**Heron**\n\nA bird\n\nText"),
            ("- [x] a <b>b</b>[^1]\n\n[^1]: Note", "- [x] a **b**[^1]\n\n[^1]: Note"),
            ("<table><tr><th>a</th></tr><tr><td>1</td></tr></table>", "| a |\n| - |\n| 1 |"),
            ("`<b>` \\<b>\n\n    <i>\n", "`<b>` \\<b>\n\n    <i>\n"),
            ("<div>\n\nnever closed\n\n+ d", "never closed\n\n+ d"),
        ] {
            let (converted, messages) = convert_html(text);
            assert_eq!(converted.trim_end(), markdown.trim_end(), "{text}");
            assert_eq!(messages, [] as [&str; 0], "{text}");
        }
        assert!(convert_html(&"<div>\n\n".repeat(20_000)).0.trim().is_empty());
        let (_, messages) = convert_html("<form>\n<input>\n</form>\n\n<video src=\"/a.mp4\"></video>");
        assert_eq!(messages, ["imported <video> as a link", "removed the element <form>"]);
        let (text, messages) = convert_html("[^1]: a <b>b</b>");
        assert_eq!(
            (text.as_str(), &messages[..]),
            ("[^1]: a <b>b</b>", &["HTML tags that are shown as text: 2".to_owned()][..])
        );
    }
}
