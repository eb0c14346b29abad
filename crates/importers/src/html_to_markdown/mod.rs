//! Conversion of HTML to Markdown.

mod elements;
pub mod emphasis;
mod tables;

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use evenkeel_markdown::{HeadingIds, replace_links};
use htmd::HtmlToMarkdown;
use htmd::options::{BrStyle, BulletListMarker, Options};
use markup5ever_rcdom::{Node, NodeData};
use percent_encoding::percent_decode_str;
use pulldown_cmark::{Event, LinkType, Parser, Tag, TagEnd};

pub use self::elements::MARKDOWN_ELEMENT;
use self::elements::{
    LINK, STRIKETHROUGH, caption, descendants, embedded, image, link, markdown_source, strikethrough, subscript,
    superscript,
};
use self::emphasis::{EMPHASIS, STRONG, definition_term, emphasis, replace_emphasis};
use self::tables::{CELL, HEAD_CELL, ROW, ROWSPAN, TABLE, TABLE_END, cell, replace_tables, row, rows, table};

/// Maximum length of HTML in bytes: four times the maximum length of a post.
pub const MAX_BYTES: usize = 1 << 20;

/// Maximum number of attributes of an element. Parsing an element takes quadratic time in the number of attributes.
const MAX_ATTRIBUTES: usize = 1_000;

/// Maximum nesting depth of elements. The converter is recursive, so deeper nesting could overflow the stack.
const MAX_DEPTH: usize = 400;

/// Maximum estimated size of the resulting Markdown in bytes, which limits the memory.
const MAX_MARKDOWN_BYTES: usize = 8 << 20;

/// Maximum number of unclosed start tags, which limits the parsing time.
const MAX_OPEN: usize = 10_000;

/// Maximum number of unclosed formatting elements, such as `<b>`. The HTML parser copies them into every following
/// paragraph.
const MAX_STYLES: usize = 100;

const PLACEHOLDERS: [char; 12] = [
    TABLE,
    TABLE_END,
    ROW,
    HEAD_CELL,
    CELL,
    STRIKETHROUGH,
    ROWSPAN,
    LINK,
    STRONG[0],
    STRONG[1],
    EMPHASIS[0],
    EMPHASIS[1],
];

/// Void elements, and elements whose end tag is optional.
const WITHOUT_END_TAG: [&str; 17] = [
    "area", "base", "br", "col", "dd", "dt", "embed", "hr", "img", "input", "li", "link", "meta", "p", "source",
    "track", "wbr",
];

/// Formatting elements. If one is not closed, the HTML parser reopens it in the next paragraph.
const STYLES: [&str; 14] =
    ["a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u"];

/// Elements that are removed together with their content.
const REMOVED_ELEMENTS: [&str; 7] = ["script", "style", "noscript", "template", "form", "svg", "button"];

/// Elements without a Markdown equivalent. Only their content is kept.
const UNSUPPORTED_ELEMENTS: [&str; 7] = ["details", "kbd", "mark", "u", "ins", "small", "abbr"];

/// Elements that embed other content. A link to the embedded content replaces them.
const EMBEDDED: [&str; 6] = ["iframe", "video", "audio", "source", "embed", "object"];

/// Rejects HTML with too many bytes, or with too many attributes of one element, because its conversion would take too
/// long.
pub fn check_size(html: &str) -> Result<(), String> {
    if html.len() > MAX_BYTES {
        return Err(format!("the HTML has more than {MAX_BYTES} bytes"));
    }
    let tags = html.split('<').skip(1).filter(|tag| tag.starts_with(|c: char| c.is_ascii_alphabetic()));
    let mut words = tags.map(|tag| tag.split('>').next().unwrap_or_default().split_whitespace().count());
    if words.any(|count| count > MAX_ATTRIBUTES) {
        return Err(format!("the HTML has an element with more than {MAX_ATTRIBUTES} attributes"));
    }
    Ok(())
}

fn check_nesting(html: &str) -> Result<(), String> {
    if max_unclosed(html, |name| !WITHOUT_END_TAG.contains(&name)) > MAX_OPEN {
        return Err(too_deep_message());
    }
    if max_unclosed(html, |name| STYLES.contains(&name)) > MAX_STYLES {
        return Err(format!("the HTML has more than {MAX_STYLES} unclosed formatting elements, such as <b>"));
    }
    Ok(())
}

/// Rejects a page that is nested too deeply, or whose Markdown would be too large.
fn check_tree(tree: &Rc<Node>) -> Result<(), String> {
    let (depth, size) = measure(tree);
    if depth > MAX_DEPTH {
        return Err(too_deep_message());
    }
    if size > MAX_MARKDOWN_BYTES {
        return Err("the HTML has too many lines in nested quotes or lists".to_owned());
    }
    Ok(())
}

fn too_deep_message() -> String {
    format!("the HTML is nested more than {MAX_DEPTH} elements deep")
}

pub fn to_markdown(html: &str) -> Result<String, String> {
    check_size(html)?;
    let html = remove_placeholders(html);
    check_nesting(&html)?;
    let options = Options {
        br_style: BrStyle::Backslash,
        bullet_list_marker: BulletListMarker::Dash,
        ul_bullet_spacing: 1,
        ol_number_spacing: 1,
        ..Options::default()
    };
    let converter = HtmlToMarkdown::builder()
        .options(options)
        .skip_tags(REMOVED_ELEMENTS.to_vec())
        .add_handler(EMBEDDED.to_vec(), embedded)
        .add_handler(vec![MARKDOWN_ELEMENT], markdown_source)
        .add_handler(vec!["b", "strong", "i", "em"], emphasis)
        .add_handler(vec!["figcaption", "dd"], caption)
        .add_handler(vec!["dt"], definition_term)
        .add_handler(vec!["del", "s", "strike"], strikethrough)
        .add_handler(vec!["sup"], superscript)
        .add_handler(vec!["sub"], subscript)
        .add_handler(vec!["a"], link)
        .add_handler(vec!["img"], image)
        .add_handler(vec!["table"], table)
        .add_handler(vec!["thead", "tbody", "tfoot"], rows)
        .add_handler(vec!["tr"], row)
        .add_handler(vec!["td", "th"], cell)
        .build();
    let tree =
        converter.html_to_tree(&wrap_pre_in_code(&html)).map_err(|error| format!("cannot parse the HTML: {error}"))?;
    check_tree(&tree)?;
    let markdown = escape_text(&replace_tables(&converter.tree_to_markdown(&tree))).replace(STRIKETHROUGH, "~~");
    let anchors = heading_anchors(&tree);
    let markdown = replace_emphasis(&markdown).replace(&format!("!{LINK}"), "\\!").replace(LINK, "");
    Ok(replace_links(&markdown, |url| {
        let id = anchors.get(&*percent_decode_str(url.strip_prefix('#')?).decode_utf8_lossy())?;
        Some(format!("#{id}")).filter(|new| new != url)
    }))
}

/// Removes the Unicode noncharacters that this converter uses as placeholders, including their character references.
fn remove_placeholders(html: &str) -> String {
    let html = html.replace(PLACEHOLDERS, "");
    let parts = html.split("&#").enumerate().map(|(index, part)| {
        let end = part.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(part.len());
        let number = match part[..end].strip_prefix(['x', 'X']) {
            Some(digits) => u32::from_str_radix(digits, 16),
            None => part[..end].parse(),
        };
        let c = number.ok().and_then(char::from_u32).filter(|_| index > 0);
        if c.is_some_and(|c| PLACEHOLDERS.contains(&c)) {
            part[end..].trim_start_matches(';').to_owned()
        } else {
            [if index > 0 { "&#" } else { "" }, part].concat()
        }
    });
    parts.collect()
}

/// Maps ids of headings, and of elements inside headings, to the ids that the headings get on this site.
fn heading_anchors(tree: &Rc<Node>) -> HashMap<String, String> {
    let (mut anchors, mut ids) = (HashMap::new(), HeadingIds::default());
    for heading in descendants(tree) {
        let NodeData::Element { name, .. } = &heading.data else { continue };
        if !matches!(name.local.as_bytes(), [b'h', b'1'..=b'6']) {
            continue;
        }
        let (mut text, mut old_ids) = (String::new(), Vec::new());
        for node in descendants(&heading) {
            match &node.data {
                NodeData::Text { contents } => text.push_str(&contents.borrow()),
                NodeData::Element { attrs, .. } => {
                    let attributes = attrs.borrow();
                    let named = attributes.iter().filter(|attribute| ["id", "name"].contains(&&*attribute.name.local));
                    old_ids.extend(named.map(|attribute| attribute.value.to_string()));
                }
                _ => {}
            }
        }
        let id = ids.next(&text.split_whitespace().collect::<Vec<_>>().join(" "));
        anchors.extend(old_ids.into_iter().map(|old| (old, id.clone())));
    }
    anchors
}

/// Returns the positions at which [`escape_text`] inserts a backslash, and the positions of line breaks that it
/// removes, which are at the end of a paragraph.
fn escape_positions(markdown: &str) -> (Vec<usize>, HashSet<usize>) {
    let (mut places, mut line_breaks, mut is_verbatim) = (Vec::new(), HashSet::new(), false);
    for (event, place) in Parser::new(markdown).into_offset_iter() {
        let source = markdown[place.clone()].trim_end();
        match event {
            Event::Start(Tag::CodeBlock(_) | Tag::Link { link_type: LinkType::Autolink | LinkType::Email, .. }) => {
                is_verbatim = true;
            }
            Event::End(TagEnd::CodeBlock | TagEnd::Link) => is_verbatim = false,
            Event::End(TagEnd::Paragraph | TagEnd::Item) if source.ends_with('\\') => {
                let rest = markdown[place.start + source.len()..].trim_start_matches(' ');
                if event == Event::End(TagEnd::Item) || rest.trim().is_empty() || rest.starts_with("\n\n") {
                    line_breaks.extend(trailing_line_breaks(source).map(|at| place.start + at));
                }
            }
            // The converter writes `* * *` for a thematic break, `#` before a heading and `1.` before a list item.
            // Other syntax, such as `---` or `1)`, comes from text in the HTML and is escaped.
            Event::Rule if !source.contains('*') => places.push(place.start),
            Event::Start(Tag::Item) => {
                let digits = source.bytes().take_while(u8::is_ascii_digit).count();
                if digits > 0 && source[digits..].starts_with(')') {
                    places.push(place.start + digits);
                }
            }
            Event::Start(Tag::Heading { .. }) if !source.starts_with('#') => {
                places.extend(source.rfind('\n').map(|at| place.start + at + 1));
            }
            Event::Text(text) if !is_verbatim => {
                if source.starts_with('&') && text.trim_end() != source {
                    places.push(place.start);
                }
                let is_unescaped =
                    |at: &usize| markdown[..*at].bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 0;
                places.extend(source.match_indices('~').map(|(at, _)| place.start + at).filter(is_unescaped));
            }
            _ => {}
        }
    }
    (places, line_breaks)
}

/// Positions of backslash line breaks at the end of a text.
fn trailing_line_breaks(text: &str) -> impl Iterator<Item = usize> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let count = rest.bytes().rev().take_while(|byte| *byte == b'\\').count();
        let at = rest.len().checked_sub(1).filter(|_| count % 2 == 1)?;
        rest = rest[..at].trim_end();
        Some(at)
    })
}

/// Escapes text that Markdown would interpret as a thematic break, heading, list, entity or strikethrough. Removes a
/// line break at the end of a paragraph, because Markdown would show it as a backslash.
fn escape_text(markdown: &str) -> String {
    let (mut places, line_breaks) = escape_positions(markdown);
    places.extend(&line_breaks);
    places.sort_unstable();
    places.dedup();
    let (mut escaped, mut at) = (String::with_capacity(markdown.len() + places.len()), 0);
    for place in places {
        if line_breaks.contains(&place) {
            escaped.push_str(&markdown[at..place]);
            at = place + 1;
            continue;
        }
        let place = place + markdown[place..].find(|c: char| c != ' ').unwrap_or(0);
        escaped.push_str(&markdown[at..place]);
        escaped.push('\\');
        at = place;
    }
    escaped + &markdown[at..]
}

/// Returns the maximum nesting depth of a page, and the estimated size of its Markdown in bytes, including the
/// indentation of lines in quotes and lists. Not recursive, because a deeply nested page would overflow the stack.
fn measure(tree: &Rc<Node>) -> (usize, usize) {
    let (mut deepest, mut size, mut open) = (0, 0, vec![(tree.clone(), 0, 0)]);
    while let Some((node, depth, indent)) = open.pop() {
        deepest = deepest.max(depth);
        let mut inner = indent;
        match &node.data {
            NodeData::Text { contents } => {
                let text = contents.borrow();
                size += text.len() + indent * text.bytes().filter(|byte| *byte == b'\n').count();
            }
            NodeData::Element { name, .. } => {
                size += indent;
                inner += if ["blockquote", "li", "ol", "ul"].contains(&&*name.local) { 2 } else { 0 };
            }
            _ => {}
        }
        open.extend(node.children.borrow().iter().map(|child| (child.clone(), depth + 1, inner)));
    }
    (deepest, size)
}

/// Maximum number of elements that are open at once, counting only names for which `counts` returns true.
fn max_unclosed(html: &str, counts: impl Fn(&str) -> bool) -> usize {
    let mut open = OpenElements::default();
    open.read(html, counts);
    open.most
}

/// Counter of open elements. An end tag closes only an element with the same name.
#[derive(Default)]
pub struct OpenElements {
    by_name: HashMap<String, usize>,
    count: usize,
    /// Highest value of `count` so far.
    most: usize,
}

impl OpenElements {
    /// Reads the next part of a text. Returns true if all elements that need an end tag are closed.
    pub fn are_closed_after(&mut self, html: &str) -> bool {
        self.read(html, |name| !WITHOUT_END_TAG.contains(&name));
        self.count == 0
    }

    /// Counts elements for whose names `counts` returns true. Skips comments and attribute values.
    fn read(&mut self, html: &str, counts: impl Fn(&str) -> bool) {
        let mut rest = html;
        while let Some(at) = rest.find('<') {
            rest = &rest[at + 1..];
            if let Some(comment) = rest.strip_prefix("!--") {
                // The HTML standard treats `<!-->` and `<!--->` as complete, empty comments.
                let at_once = comment.strip_prefix('>').or_else(|| comment.strip_prefix("->"));
                rest = at_once.unwrap_or_else(|| comment.split_once("-->").map_or("", |(_, after)| after));
                continue;
            }
            let is_end = rest.starts_with('/');
            let tag = rest.trim_start_matches('/');
            let end = tag.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(tag.len());
            let name = tag[..end].to_ascii_lowercase();
            if name.is_empty() {
                continue;
            }
            rest = skip_attributes(&tag[end..]);
            if !counts(&name) {
                continue;
            }
            let of_name = self.by_name.entry(name).or_default();
            if !is_end {
                (*of_name, self.count) = (*of_name + 1, self.count + 1);
            } else if *of_name > 0 {
                (*of_name, self.count) = (*of_name - 1, self.count - 1);
            }
            self.most = self.most.max(self.count);
        }
    }
}

/// Skips the attributes of a tag. Returns the text after the tag.
fn skip_attributes(attributes: &str) -> &str {
    let (mut quote, mut is_value) = (None, false);
    for (at, c) in attributes.char_indices() {
        match (quote, c) {
            (None, '>') => return &attributes[at + 1..],
            // A quotation mark opens an attribute value only after `=`.
            (None, '"' | '\'') if is_value => quote = Some(c),
            (Some(open), c) if open == c => quote = None,
            _ => {}
        }
        is_value = c == '=' || is_value && c.is_ascii_whitespace();
    }
    ""
}

/// Splits HTML at its `<pre>` elements. The boolean is true for a part that is a `<pre>` element.
pub fn split_at_pre(html: &str) -> Vec<(&str, bool)> {
    // ASCII lower case keeps byte positions, so positions in `folded` are valid in `html`.
    let folded = html.to_ascii_lowercase();
    let (mut parts, mut at) = (Vec::new(), 0);
    while let Some(begin) = folded[at..].find("<pre").map(|begin| at + begin) {
        let end = folded[begin..].find("</pre>").map_or(html.len(), |end| begin + end + "</pre>".len());
        parts.extend([(&html[at..begin], false), (&html[begin..end], true)]);
        at = end;
    }
    parts.push((&html[at..], false));
    parts
}

/// Adds `<code>` to each `<pre>`, because the converter would otherwise join lines. Removes elements inside `<code>`,
/// because Markdown code is plain text.
fn wrap_pre_in_code(html: &str) -> String {
    let part = |(part, is_pre): (&str, bool)| {
        if is_pre { pre(part) } else { replace_content(part, "code", &strip_tags) }
    };
    split_at_pre(html).into_iter().map(part).collect()
}

fn pre(part: &str) -> String {
    let Some(begin) = part.find('>').map(|end| end + 1) else { return part.to_owned() };
    let Some(end) = part.len().checked_sub("</pre>".len()).filter(|end| part.is_char_boundary(*end) && *end >= begin)
    else {
        return part.to_owned();
    };
    let (tag, text, close) = (&part[..begin], &part[begin..end], &part[end..]);
    // The class of a nested `<code>` names the programming language.
    let code = text.trim_start().strip_prefix("<code").and_then(|rest| rest.split_once('>'));
    let (attributes, text) = code.map_or(("", text), |(attributes, text)| (attributes, text));
    // HTML ignores a line break directly after `<pre>`.
    let text = strip_tags(text.strip_prefix('\n').unwrap_or(text));
    format!("{tag}<code{attributes}>{text}</code>{close}")
}

fn replace_content(html: &str, name: &str, make: &dyn Fn(&str) -> String) -> String {
    let folded = html.to_ascii_lowercase();
    let (open, close) = (format!("<{name}"), format!("</{name}>"));
    let (mut result, mut at) = (String::with_capacity(html.len()), 0);
    while let Some(begin) = folded[at..].find(&open).map(|begin| at + begin) {
        if !folded[begin + open.len()..].starts_with(['>', ' ', '\n', '\t', '\r']) {
            result.push_str(&html[at..begin + open.len()]);
            at = begin + open.len();
            continue;
        }
        let Some(text) = folded[begin..].find('>').map(|end| begin + end + 1) else { break };
        let end = folded[text..].find(&close).map_or(html.len(), |end| text + end);
        result.push_str(&html[at..text]);
        result.push_str(&make(&html[text..end]));
        at = end;
    }
    result.push_str(&html[at..]);
    result
}

/// Removes tags from HTML, and replaces `<br>` by a line break.
fn strip_tags(html: &str) -> String {
    let mut parts = html.split('<');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let Some((tag, rest)) = part.split_once('>') else {
            text.push_str("&lt;");
            text.push_str(part);
            continue;
        };
        if tag.trim_end_matches('/').trim().eq_ignore_ascii_case("br") {
            text.push('\n');
        }
        text.push_str(rest);
    }
    text
}

/// Number of start tags named `name` in lowercase HTML.
fn count(folded: &str, name: &str) -> usize {
    folded.split(&format!("<{name}")).skip(1).filter(|rest| rest.starts_with(['>', ' ', '\n', '\t', '\r'])).count()
}

/// Messages about elements that are removed or lose their formatting.
pub fn omission_messages(html: &str) -> Vec<String> {
    let folded = html.to_ascii_lowercase();
    let is_there = |name: &&&str| count(&folded, name) > 0;
    let removed = REMOVED_ELEMENTS.iter().filter(is_there).map(|name| format!("removed the element <{name}>"));
    let plain = UNSUPPORTED_ELEMENTS.iter().filter(is_there).map(|name| format!("imported <{name}> as plain text"));
    let linked = EMBEDDED.iter().filter(|name| **name != "source").filter(is_there);
    let linked = linked.map(|name| format!("imported <{name}> as a link"));
    let spans = |name: &str| {
        let name = format!("{name}=");
        folded.split(&name).skip(1).any(|value| !value.trim_start_matches(['"', '\'']).starts_with(['1', '0']))
    };
    let merged =
        (spans("rowspan") || spans("colspan")).then(|| "split merged table cells into single cells".to_owned());
    removed.chain(plain).chain(linked).chain(merged).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use std::fmt::Write as _;

    use super::*;
    use evenkeel_markdown::render;

    #[test]
    fn html_that_takes_long_to_convert_is_refused() {
        let words = "a ".repeat(2_000);
        assert!(to_markdown(&"x".repeat(MAX_BYTES + 1)).unwrap_err().contains("more than 1048576 bytes"));
        assert!(to_markdown(&format!("<p {words}>x</p>")).unwrap_err().contains("more than 1000 attributes"));
        assert!(to_markdown(&format!("<p>1 < 2 {words}</p>")).is_ok());
        for (open, lines) in [("<blockquote>", "x<br>"), ("<ul><li>", "x<br>"), ("<blockquote>", "<pre>\n\n\n</pre>")] {
            let html = open.repeat(190) + &lines.repeat(50_000);
            assert!(to_markdown(&html).unwrap_err().contains("nested quotes or lists"), "{open}{lines}");
        }
    }

    #[test]
    fn html_becomes_markdown() {
        for (html, markdown) in [
            ("<p>One <b>two</b><br>three</p>\n<!-- wp:x -->\n<p>a * b</p>", "One **two**\\\nthree\n\na \\* b"),
            ("<p>Look!<a href='https://e.example/'>here</a></p>", "Look\\![here](https://e.example/)"),
            (
                "<dl><dt>Heron</dt><dd>A bird.</dd><dt>Owl</dt><dd><p>Another.</p></dd></dl>",
                "**Heron**\n\nA bird.\n\n**Owl**\n\nAnother.",
            ),
            (
                "<figure class='kg-card kg-bookmark-card'><a class='kg-bookmark-container' href='https://e.example/a'><div><div class='kg-bookmark-title'>The [title]</div><div class='kg-bookmark-description'>A page.</div><div class='kg-bookmark-metadata'><img class='kg-bookmark-icon' src='i.png'><span class='kg-bookmark-author'>Ann</span><span class='kg-bookmark-publisher'>News</span></div></div></a></figure>",
                "[The \\[title\\]](<https://e.example/a>)\n\nA page.\n\nAnn · News",
            ),
            ("<p>a&#xFDDA;b&#64986;c\u{fdda} &#120;&#</p>", "abc x&#"),
            ("<h2 id='x'>A</h2><ul><li>b<ol><li>c</li></ol></li></ul>", "## A\n\n- b\n  1. c"),
            ("<pre class='x'>one\n  two &lt;b&gt;\n\nthree</pre>", "```\none\n  two <b>\n\nthree\n```"),
            ("<PRE><code class=\"language-rust\">fn</code></PRE>", "```rust\nfn\n```"),
            (
                "<figure><img src='a b.png' alt='A ] b'><figcaption>C</figcaption></figure>",
                "![A \\] b](<a%20b.png>)\n\nC",
            ),
            ("<iframe src='//video.example/1'></iframe>", "<https://video.example/1>"),
            ("<video><source src='https://a.example/b.mp4'></video>", "<https://a.example/b.mp4>"),
            ("<a href='/x'><div>A</div><div>B</div></a>", "[A B](</x>)"),
            ("<a href='/x'><img src='y.png'></a> <strike>z</strike>", "[![](<y.png>)](/x) ~~z~~"),
            ("<script>x</script><style>y</style>z<form><input></form>", "z"),
            ("<table><tr><th>a</th></tr><tr><td>b</td></tr></table>", "| a |\n| - |\n| b |"),
            ("<pre", ""),
            ("<pre>y<br>w <b>z</b> &lt;i&gt;</pre>", "```\ny\nw z <i>\n```"),
            ("<code>a <b>b</b> c</code>", "`a b c`"),
            ("<pre>&amp;lt;</pre> <code>&amp;lt;</code>", "```\n&lt;\n```\n\n`&lt;`"),
            ("<table><tr><th>a</th></tr><tr><td>1<br>2</td></tr></table>", "| a   |\n| --- |\n| 1 2 |"),
            ("10<sup>3</sup> H<sub>2</sub>O x<sup>n</sup>", "10³ H₂O x<sup>n</sup>"),
            ("<video src='/media/b.mp4'></video>", "[b.mp4](</media/b.mp4>)"),
            ("<audio src='javascript:x'>a</audio>", "a"),
            (
                "<a href='//e.example/a'>x</a> <img src='//e.example/p.png'>",
                "[x](<https://e.example/a>) ![](<https://e.example/p.png>)",
            ),
            (
                "<h2 id='old'>A b</h2><h2><a name='x'></a>A b</h2><p><a href='#old'>1</a> <a href='#x'>2</a> <a href='#z'>3</a></p>",
                "## A b\n\n## A b\n\n[1](#a-b) [2](#a-b-1) [3](#z)",
            ),
            ("<p>One<br>===</p><p>two<br>--</p><hr>", "One\\\n\\===\n\ntwo\\\n\\--\n\n* * *"),
            ("سلام <b>دنیا</b>", "سلام **دنیا**"),
            ("<p>End.<br><br></p>x", "End.\n\n\nx"),
            ("<p>a<br></p><ul><li>b<br></li></ul>c\\", "a\n\n- b\n\nc\\\\"),
            ("<del>a</del> ~b~", "~~a~~ \\~b\\~"),
            ("<p>a<br>1) b</p>", "a\\\n1\\) b"),
            ("<code>~~a~~</code>", "`~~a~~`"),
        ] {
            assert_eq!(to_markdown(html).unwrap(), markdown, "{html}");
        }
    }

    #[test]
    fn emphasis_beside_punctuation_is_kept() {
        for (html, markdown) in [
            ("<strong>Achtung!</strong>Hier", "<strong>Achtung!</strong>Hier"),
            ("<em>“so”</em>gemeint, x<strong>(neu)</strong>y.", "<em>“so”</em>gemeint, x<strong>(neu)</strong>y."),
            ("نسخه<strong>«۱»</strong>است", "نسخه<strong>«۱»</strong>است"),
            ("これは<strong>「重要」</strong>です。", "これは<strong>「重要」</strong>です。"),
            ("<strong>太字</strong>の文", "**太字**の文"),
            ("a <b>b!</b> c, <i>(d)</i>", "a **b!** c, *(d)*"),
            ("<b>a</b><b>b</b><i>c</i>", "**ab**<em>c</em>"),
            ("<b><i>a</i></b> <i>b <b>c</b></i>", "***a*** *b **c***"),
            ("a<b> b </b>c<i> </i>d", "a **b** c d"),
            ("<p><b>a<br></b>b</p>", "**a**\\\nb"),
            ("a<i><b>b(</b>c</i>", "a<em><strong>b(</strong>c</em>"),
            ("<b><p>a</p><h2>b</h2></b>", "**a**\n\n## b"),
        ] {
            assert_eq!(to_markdown(html).unwrap(), markdown, "{html}");
        }
    }

    #[test]
    fn a_table_without_a_head_is_one() {
        let rendered = |html: &str| render(&to_markdown(html).unwrap()).html;
        let table = "<table class='x'>\n<tbody>\n<tr>\n<td>a|b</td>\n<td>c</td>\n</tr>\n<tr>\n<td>d</td>\n<td><p>e</p>\n<p>f</p></td>\n</tr>\n</tbody>\n</table>";
        let shown = rendered(table);
        for part in ["<td>a|b</td><td>c</td>", "<td>d</td><td>e", "<th></th><th></th>"] {
            assert!(shown.contains(part), "{part} is not in {shown}");
        }
    }

    #[test]
    fn bars_in_tables_stay_in_their_cells() {
        let html = "<table><tr><th>a</th><th>b|c</th></tr><tr><td>1|2</td><td><code>x|y</code> |</td></tr></table>";
        let rendered = render(&to_markdown(html).unwrap()).html;
        for cell in ["<th>b|c</th>", "<td>1|2</td>", "<code>x|y</code> |</td>"] {
            assert!(rendered.contains(cell), "{cell} is not in {rendered}");
        }
    }

    #[test]
    fn escapes_markdown_syntax_in_text() {
        for text in [
            "# a",
            "1. b",
            "- c",
            "* d",
            "_e_ **f** `g` [h](i)",
            "<b>",
            "> j",
            "~~k~~",
            "    l",
            "---",
            "_ _ _",
            "+ m",
            "1) b",
            "a ~~k~~ l",
            "a ~k~ l",
            "12) n",
            "&lt;b&gt; &copy; AT&T &nope; &#60;",
        ] {
            let html = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
            let rendered = render(&to_markdown(&format!("<p>{html}</p>")).unwrap()).html;
            assert_eq!(rendered.trim(), format!("<p>{}</p>", html.trim()), "{text}");
        }
    }

    #[test]
    fn reports_removed_elements() {
        assert_eq!(
            omission_messages("<form action=x></form><p>y</p><STYLE>z</STYLE>"),
            ["removed the element <style>", "removed the element <form>"]
        );
        assert!(omission_messages("<p>y</p><formula>").is_empty());
    }

    #[test]
    fn large_tables_stay_as_small_as_their_cells() {
        let long = "x".repeat(70_000);
        let markdown =
            to_markdown(&format!("<table><tr><th>a</th></tr><tr><td>{long}</td></tr><tr><td>b</td></tr></table>"));
        assert!(markdown.unwrap().len() < 70_200);
        let wide = "<td colspan=100>w</td>".repeat(300);
        let markdown = to_markdown(&format!("<table><tr>{wide}</tr>{}</table>", "<tr><td>a</td></tr>".repeat(3_000)));
        assert!(markdown.unwrap().len() < 300_000);
    }

    #[test]
    fn styles_without_an_end_are_refused_before_they_are_repeated() {
        let page: String = (0..5_000).map(|id| format!("<p><b id={id}></p>")).collect::<Vec<_>>().concat();
        assert!(to_markdown(&page).unwrap_err().contains("more than 100 unclosed formatting elements"));
        for begin in ["<!-->", "<!--->", "<div '>", "<a title=\"<b>\">x</a>"] {
            let page = begin.to_owned() + &"<div>".repeat(20_000);
            assert!(to_markdown(&page).unwrap_err().contains("more than 400 elements deep"), "{begin}");
        }
    }

    #[test]
    fn a_deep_page_is_refused() {
        assert!(to_markdown(&"<b>".repeat(100_000)).unwrap_err().contains("more than 400 elements deep"));
        assert!(to_markdown(&"<p>a<br><img>".repeat(10_000)).is_ok());
        for hidden in ["<div></q>", "<div><!-- </div> -->", "<div title='</div>'>"] {
            assert!(to_markdown(&hidden.repeat(50_000)).is_err(), "{hidden}");
        }
        assert!(to_markdown(&format!("<table>{}</table>", "<tr><td>a".repeat(2_000))).is_ok());
    }

    #[test]
    fn every_cell_of_a_table_is_kept() {
        for (html, markdown) in [
            (
                "<table><thead><tr><th>n</th><th>x</th></tr></thead><tbody><tr><th>John</th><td>1</td></tr></tbody></table>",
                "| n    | x |\n| ---- | - |\n| John | 1 |",
            ),
            (
                "<table><tr><th>John</th><td>1</td></tr><tr><th>Ann</th><td>2</td></tr></table>",
                "|      |   |\n| ---- | - |\n| John | 1 |\n| Ann  | 2 |",
            ),
            (
                "<table><thead><tr><td></td><th>A</th></tr><tr><td>b</td><td>c</td></tr></thead></table>",
                "|   | A |\n| - | - |\n| b | c |",
            ),
            (
                "<table><tr><th colspan=2>A</th><th>B</th></tr><tr><td>1</td><td>2</td><td>3</td></tr></table>",
                "| A |   | B |\n| - | - | - |\n| 1 | 2 | 3 |",
            ),
            (
                "<table><tr><th rowspan=2>R</th><td>a</td></tr><tr><td>b</td></tr><tr><td>c</td><td>d</td></tr></table>",
                "|   |   |\n| - | - |\n| R | a |\n|   | b |\n| c | d |",
            ),
            (
                "<table><tr><td>a</td><td rowspan=3 colspan=2>b</td><td>1</td></tr><tr><td>c</td><td>2</td></tr></table>",
                "|   |   |   |   |\n| - | - | - | - |\n| a | b |   | 1 |\n| c |   |   | 2 |",
            ),
        ] {
            assert_eq!(to_markdown(html).unwrap(), markdown, "{html}");
        }
        let nested =
            "<table><caption>C</caption><tr><td>a<table><tr><td>b</td><td>c</td></tr></table></td></tr></table>";
        assert_eq!(to_markdown(nested).unwrap(), "C\n\n|       |\n| ----- |\n| a b c |");
        let quoted = to_markdown("<blockquote><table><tr><td>a</td></tr></table></blockquote>").unwrap();
        assert!(render(&quoted).html.contains("<td>a</td>"), "{quoted}");
    }

    proptest! {
        #[test]
        fn no_cell_is_lost(
            rows in proptest::collection::vec(proptest::collection::vec(any::<bool>(), 1..5), 1..6),
            head in 0_usize..3,
        ) {
            let (mut html, mut number) = (String::from("<table>"), 0);
            for (index, row) in rows.iter().enumerate() {
                html.push_str(if index < head { "<thead><tr>" } else { "<tr>" });
                for is_head in row {
                    let tag = if *is_head { "th" } else { "td" };
                    write!(html, "<{tag}>c{number}z</{tag}>").unwrap();
                    number += 1;
                }
                html.push_str(if index < head { "</tr></thead>" } else { "</tr>" });
            }
            let shown = render(&to_markdown(&(html + "</table>")).unwrap()).html;
            for cell in 0..number {
                prop_assert!(shown.contains(&format!(">c{cell}z<")), "c{cell}z: {shown}");
            }
        }

        #[test]
        fn emphasis_is_rendered_as_in_the_html(
            parts in prop::collection::vec((prop::sample::select(vec!["", "b", "i", "bi"]), "[a字!「」(€]{1,3}"), 1..6),
        ) {
            let element = |(tags, text): &(&str, String)| match *tags {
                "" => text.clone(),
                "bi" => format!("<em><strong>{text}</strong></em>"),
                "b" => format!("<strong>{text}</strong>"),
                _ => format!("<em>{text}</em>"),
            };
            let html: String = parts.iter().map(element).collect();
            let shown = render(&to_markdown(&html).unwrap()).html;
            // Adjacent elements with equal names are joined.
            let joined = ["strong", "em"].iter().fold(html, |html, name| html.replace(&format!("</{name}><{name}>"), ""));
            let joined = joined.replace("</strong></em><em><strong>", "");
            prop_assert_eq!(shown.trim(), format!("<p>{joined}</p>"));
        }
    }
}
