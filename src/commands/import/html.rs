//! HTML as Markdown.

use htmd::element_handler::{HandlerResult, Handlers};
use htmd::options::{BrStyle, BulletListMarker, Options};
use htmd::{Element, HtmlToMarkdown};
use pulldown_cmark::{Event, Parser, Tag};

use crate::images::models::escaped;

/// How deep elements may stand in each other: whoever walks through them needs some memory for each.
const MAX_DEPTH: usize = 400;

/// Elements without content, or whose end need not be written.
const OPEN: [&str; 17] = [
    "area", "base", "br", "col", "dd", "dt", "embed", "hr", "img", "input", "li", "link", "meta", "p", "source",
    "track", "wbr",
];

/// What of a page is no text.
const LEFT_OUT: [&str; 7] = ["script", "style", "noscript", "template", "form", "svg", "button"];

/// What Markdown has no marks for: what is in it stays.
const PLAIN: [&str; 8] = ["dl", "details", "kbd", "mark", "u", "ins", "small", "abbr"];

/// What shows something from elsewhere: a link to it takes its place.
const EMBEDDED: [&str; 6] = ["iframe", "video", "audio", "source", "embed", "object"];

/// # Errors
/// Says why it cannot be.
pub fn to_markdown(html: &str) -> Result<String, String> {
    if depth(html) > MAX_DEPTH {
        return Err(format!("its HTML has elements in elements, more than {MAX_DEPTH} deep"));
    }
    let options = Options {
        br_style: BrStyle::Backslash,
        bullet_list_marker: BulletListMarker::Dash,
        ul_bullet_spacing: 1,
        ol_number_spacing: 1,
        ..Options::default()
    };
    let converter = HtmlToMarkdown::builder()
        .options(options)
        .skip_tags(LEFT_OUT.to_vec())
        .add_handler(EMBEDDED.to_vec(), embedded)
        .add_handler(vec!["figcaption"], caption)
        .add_handler(vec!["del", "s", "strike"], struck)
        .add_handler(vec!["sup"], raised)
        .add_handler(vec!["sub"], lowered)
        .add_handler(vec!["a"], link)
        .add_handler(vec!["img"], image)
        .build();
    let markdown = converter.convert(&prepared(html)).map_err(|error| format!("its HTML cannot be read: {error}"))?;
    Ok(as_text(with_bars(&markdown)))
}

/// `|` in tables is written as Markdown has it; as `&#124;` it would be shown like that in code and after a `\\`.
fn with_bars(markdown: &str) -> String {
    let line = |line: &str| {
        let is_row = line.trim_start().starts_with('|');
        if is_row { line.replace("\\&#124;", "\\|").replace("&#124;", "\\|") } else { line.to_owned() }
    };
    markdown.split_inclusive('\n').map(line).collect()
}

/// What was text stays text: dashes and the like do not become lines or headings (those of the page are `* * *` and `#`), and
/// `&lt;`, where the page showed that, no `<`.
fn as_text(mut markdown: String) -> String {
    let places: Vec<usize> = Parser::new(&markdown)
        .into_offset_iter()
        .filter_map(|(event, place)| {
            let source = markdown[place.clone()].trim_end();
            match event {
                Event::Rule if !source.contains('*') => Some(place.start),
                Event::Text(text) if source.starts_with('&') && text.trim_end() != source => Some(place.start),
                Event::Start(Tag::Heading { .. }) if !source.starts_with('#') => {
                    Some(place.start + source.rfind('\n')? + 1)
                }
                _ => None,
            }
        })
        .collect();
    for place in places.into_iter().rev() {
        let indent = markdown[place..].find(|c: char| c != ' ').unwrap_or(0);
        markdown.insert(place + indent, '\\');
    }
    markdown
}

/// The most elements that can be open at once.
fn depth(html: &str) -> usize {
    let (mut open, mut most) = (0_usize, 0);
    for rest in html.split('<').skip(1) {
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
        let name = rest[..end].to_ascii_lowercase();
        if rest.starts_with('/') {
            open = open.saturating_sub(1);
        } else if !name.is_empty() && !OPEN.contains(&name.as_str()) {
            open += 1;
            most = most.max(open);
        }
    }
    most
}

/// A text that is cut at each `<pre>`: what stands before it, and what is in it with its marks, in turns.
pub fn cut_at_pre(html: &str) -> Vec<(&str, bool)> {
    // Letters of ASCII alone change: all places are the same.
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

/// The same with `<code>` in each `<pre>`, without which its lines would be run together, and without other elements in code
/// and without line breaks in cells of tables: Markdown has neither.
fn prepared(html: &str) -> String {
    let part = |(part, is_pre): (&str, bool)| {
        if is_pre {
            pre(part)
        } else {
            inside(&inside(&inside(part, "code", &plain), "td", &one_line), "table", &with_head)
        }
    };
    cut_at_pre(html).into_iter().map(part).collect()
}

fn pre(part: &str) -> String {
    let Some(begin) = part.find('>').map(|end| end + 1) else { return part.to_owned() };
    let Some(end) = part.len().checked_sub("</pre>".len()).filter(|end| part.is_char_boundary(*end) && *end >= begin)
    else {
        return part.to_owned();
    };
    let (tag, text, close) = (&part[..begin], &part[begin..end], &part[end..]);
    // It may say the language.
    let code = text.trim_start().strip_prefix("<code").and_then(|rest| rest.split_once('>'));
    let (attributes, text) = code.map_or(("", text), |(attributes, text)| (attributes, text));
    // The first line break in a <pre> is none.
    let text = plain(text.strip_prefix('\n').unwrap_or(text));
    format!("{tag}<code{attributes}>{text}</code>{close}")
}

/// What is between these tags, made anew.
fn inside(html: &str, name: &str, make: &dyn Fn(&str) -> String) -> String {
    let folded = html.to_ascii_lowercase();
    let (open, close) = (format!("<{name}"), format!("</{name}>"));
    let (mut result, mut at) = (String::with_capacity(html.len()), 0);
    while let Some(begin) = folded[at..].find(&open).map(|begin| at + begin) {
        let is_tag = folded[begin + open.len()..].starts_with(['>', ' ', '\n', '\t', '\r']);
        let text = folded[begin..].find('>').map(|end| begin + end + 1).filter(|_| is_tag);
        let Some(text) = text else {
            result.push_str(&html[at..begin + open.len()]);
            at = begin + open.len();
            continue;
        };
        let end = folded[text..].find(&close).map_or(html.len(), |end| text + end);
        result.push_str(&html[at..text]);
        result.push_str(&make(&html[text..end]));
        at = end;
    }
    result.push_str(&html[at..]);
    result
}

/// Without elements; each line break is one.
fn plain(html: &str) -> String {
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

fn one_line(html: &str) -> String {
    ["<br>", "<br/>", "<br />", "<BR>"].iter().fold(html.to_owned(), |html, tag| html.replace(tag, " "))
}

/// Markdown has no table without a head: an empty one is put there.
fn with_head(table: &str) -> String {
    let folded = table.to_ascii_lowercase();
    let first = folded.split("</tr").next().unwrap_or_default();
    let columns = count(first, "td");
    if columns == 0 || count(first, "th") > 0 {
        table.to_owned()
    } else {
        format!("<tr>{}</tr>{table}", "<th></th>".repeat(columns))
    }
}

/// How many elements of this name begin.
fn count(folded: &str, name: &str) -> usize {
    folded.split(&format!("<{name}")).skip(1).filter(|rest| rest.starts_with(['>', ' ', '\n', '\t', '\r'])).count()
}

/// What of some HTML is not taken, or loses what it was marked as, in words.
pub fn left_out(html: &str) -> Vec<String> {
    let folded = html.to_ascii_lowercase();
    let is_there = |name: &&&str| count(&folded, name) > 0;
    let left_out = LEFT_OUT.iter().filter(is_there).map(|name| format!("its <{name}> is left out"));
    let plain = PLAIN.iter().filter(is_there).map(|name| format!("its <{name}> is plain text here"));
    let leads_inside = folded.contains("href=\"#") || folded.contains("href='#");
    let nowhere = leads_inside.then(|| "its links to places in itself lead nowhere here".to_owned());
    left_out.chain(plain).chain(nowhere).collect()
}

fn attribute(element: &Element<'_>, names: &[&str]) -> Option<String> {
    let found = element.attrs.iter().find(|attribute| names.contains(&&*attribute.name.local));
    found.map(|attribute| attribute.value.trim().to_owned()).filter(|value| !value.is_empty())
}

#[expect(clippy::needless_pass_by_value, clippy::unnecessary_wraps, reason = "as handlers are")]
fn embedded(handlers: &dyn Handlers, element: Element<'_>) -> Option<HandlerResult> {
    let address = attribute(&element, &["src", "data"]);
    let address = address.map(|address| if address.starts_with("//") { format!("https:{address}") } else { address });
    match address.filter(|address| address.starts_with("https://") || address.starts_with("http://")) {
        Some(address) => Some(format!("\n\n<{}>\n\n", address.replace(' ', "%20")).into()),
        None => Some(handlers.walk_children(element.node)),
    }
}

/// Under its picture, not beside it.
#[expect(clippy::needless_pass_by_value, clippy::unnecessary_wraps, reason = "as handlers are")]
fn caption(handlers: &dyn Handlers, element: Element<'_>) -> Option<HandlerResult> {
    Some(format!("\n\n{}\n\n", handlers.walk_children(element.node).content.trim()).into())
}

#[expect(clippy::needless_pass_by_value, clippy::unnecessary_wraps, reason = "as handlers are")]
fn struck(handlers: &dyn Handlers, element: Element<'_>) -> Option<HandlerResult> {
    let text = handlers.walk_children(element.node).content;
    Some(if text.trim().is_empty() { text } else { format!("~~{}~~", text.trim()) }.into())
}

/// With digits for it where Unicode has them: a number must not become another one.
fn placed(handlers: &dyn Handlers, element: &Element<'_>, (digits, sign): (&str, &str)) -> String {
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
fn raised(handlers: &dyn Handlers, element: Element<'_>) -> Option<HandlerResult> {
    Some(placed(handlers, &element, ("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "^")).into())
}

#[expect(clippy::needless_pass_by_value, clippy::unnecessary_wraps, reason = "as handlers are")]
fn lowered(handlers: &dyn Handlers, element: Element<'_>) -> Option<HandlerResult> {
    Some(placed(handlers, &element, ("₀₁₂₃₄₅₆₇₈₉₊₋", "\\_")).into())
}

/// Also around whole blocks, which become one line.
fn link(handlers: &dyn Handlers, element: Element<'_>) -> Option<HandlerResult> {
    let text = handlers.walk_children(element.node).content;
    let Some(address) = attribute(&element, &["href"]).filter(|_| text.contains("\n\n")) else {
        return handlers.fallback(element);
    };
    let line = text.split("\n\n").map(str::trim).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ");
    Some(format!("\n\n[{}](<{}>)\n\n", line.trim_start_matches(['#', ' ']), within(&address)).into())
}

#[expect(clippy::needless_pass_by_value, reason = "as handlers are")]
fn image(_: &dyn Handlers, element: Element<'_>) -> Option<HandlerResult> {
    let address = attribute(&element, &["src"])?;
    let alt = attribute(&element, &["alt"]).unwrap_or_default();
    let alt = escaped(&alt).split_whitespace().collect::<Vec<_>>().join(" ");
    Some(format!("![{alt}](<{}>)", within(&address)).into())
}

/// An address that may stand between `<` and `>`.
fn within(address: &str) -> String {
    address
        .replace('<', "%3C")
        .replace('>', "%3E")
        .replace('\\', "%5C")
        .split_whitespace()
        .collect::<Vec<_>>()
        .join("%20")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::markdown::render;

    #[test]
    fn html_becomes_markdown() {
        for (html, markdown) in [
            ("<p>One <b>two</b><br>three</p>\n<!-- wp:x -->\n<p>a * b</p>", "One **two**\\\nthree\n\na \\* b"),
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
            ("10<sup>3</sup> H<sub>2</sub>O x<sup>n</sup>", "10³ H₂O x^(n)"),
            ("<p>One<br>===</p><p>two<br>--</p><hr>", "One\\\n\\===\n\ntwo\\\n\\--\n\n* * *"),
            ("سلام <b>دنیا</b>", "سلام **دنیا**"),
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
    fn what_was_text_does_not_become_marks() {
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
            "&lt;b&gt; &copy; AT&T &nope; &#60;",
        ] {
            let html = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
            let rendered = render(&to_markdown(&format!("<p>{html}</p>")).unwrap()).html;
            assert_eq!(rendered.trim(), format!("<p>{}</p>", html.trim()), "{text}");
        }
    }

    #[test]
    fn what_is_left_out_is_told() {
        assert_eq!(
            left_out("<form action=x></form><p>y</p><STYLE>z</STYLE>"),
            ["its <style> is left out", "its <form> is left out"]
        );
        assert!(left_out("<p>y</p><formula>").is_empty());
    }

    #[test]
    fn a_deep_page_is_refused() {
        assert!(to_markdown(&"<b>".repeat(100_000)).unwrap_err().contains("more than 400 deep"));
        assert!(to_markdown(&"<p>a<br><img>".repeat(10_000)).is_ok());
    }
}
