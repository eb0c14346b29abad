//! HTML as Markdown.

use htmd::element_handler::{HandlerResult, Handlers};
use htmd::options::{BrStyle, BulletListMarker, Options};
use htmd::{Element, HtmlToMarkdown};
use pulldown_cmark::{Event, Parser, Tag};

/// How deep elements may stand in each other: whoever walks through them needs some memory for each.
const MAX_DEPTH: usize = 400;

/// Elements without content, or whose end need not be written.
const OPEN: [&str; 17] = [
    "area", "base", "br", "col", "dd", "dt", "embed", "hr", "img", "input", "li", "link", "meta", "p", "source",
    "track", "wbr",
];

/// What of a page is no text.
const LEFT_OUT: [&str; 7] = ["script", "style", "noscript", "template", "form", "svg", "button"];

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
        .add_handler(vec!["a"], link)
        .add_handler(vec!["img"], image)
        .build();
    let markdown = converter.convert(&with_code(html)).map_err(|error| format!("its HTML cannot be read: {error}"))?;
    Ok(without_lines(markdown))
}

/// Dashes and the like that were text do not become lines or headings. Those of the page are `* * *` and `#`.
fn without_lines(mut markdown: String) -> String {
    let places: Vec<usize> = Parser::new(&markdown)
        .into_offset_iter()
        .filter_map(|(event, place)| {
            let source = markdown[place.clone()].trim_end();
            match event {
                Event::Rule if !source.contains('*') => Some(place.start),
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

/// The same with `<code>` in each `<pre>`, without which its lines would be run together.
fn with_code(html: &str) -> String {
    let part = |(part, is_pre): (&str, bool)| {
        let inside = part.find('>').map(|end| part.split_at(end + 1)).filter(|_| is_pre);
        let Some((tag, rest)) = inside.filter(|(_, rest)| !rest.trim_start().starts_with("<code")) else {
            return part.to_owned();
        };
        let text = rest.len().checked_sub("</pre>".len()).and_then(|end| rest.split_at_checked(end));
        // The first line break in a <pre> is none.
        let text = text.map(|(text, end)| (text.strip_prefix('\n').unwrap_or(text), end));
        text.map_or_else(|| part.to_owned(), |(text, end)| format!("{tag}<code>{text}</code>{end}"))
    };
    cut_at_pre(html).into_iter().map(part).collect()
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
    let alt: String =
        alt.chars().flat_map(|c| "\\[]`*_<&!".contains(c).then_some('\\').into_iter().chain([c])).collect();
    let alt = alt.split_whitespace().collect::<Vec<_>>().join(" ");
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
            ("<p>One<br>===</p><p>two<br>--</p><hr>", "One\\\n\\===\n\ntwo\\\n\\--\n\n* * *"),
            ("سلام <b>دنیا</b>", "سلام **دنیا**"),
        ] {
            assert_eq!(to_markdown(html).unwrap(), markdown, "{html}");
        }
    }

    #[test]
    fn what_was_text_does_not_become_marks() {
        for text in
            ["# a", "1. b", "- c", "* d", "_e_ **f** `g` [h](i)", "<b>", "> j", "~~k~~", "    l", "---", "_ _ _", "+ m"]
        {
            let html = text.replace('<', "&lt;").replace('>', "&gt;");
            let rendered = render(&to_markdown(&format!("<p>{html}</p>")).unwrap()).html;
            assert_eq!(rendered.trim(), format!("<p>{}</p>", html.trim()), "{text}");
        }
    }

    #[test]
    fn a_deep_page_is_refused() {
        assert!(to_markdown(&"<b>".repeat(100_000)).unwrap_err().contains("more than 400 deep"));
        assert!(to_markdown(&"<p>a<br><img>".repeat(10_000)).is_ok());
    }
}
