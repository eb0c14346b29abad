#![doc = include_str!("../README.md")]
#![cfg_attr(test, allow(clippy::too_many_lines, reason = "tables of examples"))]

mod bare_links;
mod highlighting;
mod html_converter;
mod html_elements;
pub mod image_name;
mod images;
mod labels;
mod links;
mod outline;
mod parser;
mod plain_text;
mod sanitize;
mod url_masking;

use std::collections::BTreeSet;

use pulldown_cmark::html;

pub use self::html_converter::FlaggedUrls;
use self::html_converter::{HtmlConverter, MAX_HTML_BYTES, MAX_WARNING_BYTES, RenderAbort};
use self::html_elements::web_url_start;
pub use self::html_elements::{IMAGE_SIZES_ATTRIBUTE, LINK_ENDS, is_http_url, with_scheme};
pub use self::images::{Image, escape_alt, extract_images};
pub use self::labels::Labels;
pub use self::links::replace_links;
pub use self::outline::{Heading, HeadingIds, is_heading_id, is_page_id};
use self::parser::parse_with_elements;
pub use self::parser::{MARKDOWN_OPTIONS, parser as parse};
pub use self::plain_text::plain_text;
use self::plain_text::{escape_html, excerpt, reading_minutes};
use crate::image_name::ImageName;
use crate::sanitize::{is_placeholder, sanitize};

/// Version of the renderer. Increase the version when a source renders to different output, so that stored HTML is
/// rendered again.
pub const RENDERING_VERSION: i32 = 12;

/// Maximum [`nesting_cost`] of a text, which limits parsing time: for each line, the parser visits all block quotes and
/// lists that contain the line.
const MAX_NESTED_LINES: usize = 1_000_000;

/// Maximum total length of the literal URLs of a text, as a multiple of the length of the text.
const MAX_LITERAL_URL_FACTOR: usize = 4;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RenderedText {
    pub html: String,
    pub outline: Vec<Heading>,
    /// First paragraph, or the beginning of a text without paragraphs, on one line and with at most 280 characters.
    pub excerpt: String,
    /// Reading time in minutes, at least 1.
    pub reading_minutes: i32,
    pub simplified: Option<Simplification>,
    /// Distinct web URLs in the text, including flagged URLs and URLs that are not links.
    pub links: Vec<String>,
    /// Distinct images of this site that the text displays.
    pub images: Vec<ImageName>,
    /// Markdown source for users other than the author, with the paths of warning pages in place of flagged URLs.
    /// `None` if the text contains no flagged URLs.
    pub masked: Option<String>,
}

/// Simpler rendering that was used for a text, because full rendering would have exceeded a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Simplification {
    /// Some code is not highlighted.
    Code,
    /// The whole text is shown as plain text.
    Text,
}

/// Renders Markdown to HTML. Time and memory are linear in the length of the source and bounded.
pub fn render(source: &str) -> RenderedText {
    render_cancellable(source, &FlaggedUrls::new(), &Labels::default(), &|| true).unwrap_or_default()
}

/// Renders Markdown to HTML. Stops and returns `None` once `wanted` returns false. URLs in `warnings`
/// are hidden from readers.
pub fn render_cancellable(
    source: &str,
    warnings: &FlaggedUrls,
    labels: &Labels,
    wanted: &dyn Fn() -> bool,
) -> Option<RenderedText> {
    let source = &source.replace(is_placeholder, "");
    let (mut writer, raw) = match render_unsanitized(source, warnings, labels.clone(), wanted) {
        Ok(transformed) => transformed,
        Err(RenderAbort::Cancelled) => return None,
        Err(RenderAbort::TooLarge) => {
            let links = unique(literal_urls(source));
            let masked = contains_flagged(&links, warnings).then(|| url_masking::mask_urls_in_text(source, warnings));
            return Some(RenderedText {
                html: render_plain(source),
                links,
                masked,
                excerpt: excerpt(source),
                reading_minutes: reading_minutes(source),
                simplified: Some(Simplification::Text),
                ..RenderedText::default()
            });
        }
    };
    let links = unique(
        std::mem::take(&mut writer.links)
            .into_iter()
            .chain(url_masking::reference_definition_urls(source))
            .chain(literal_urls(source)),
    );
    Some(RenderedText {
        html: sanitize(&raw),
        excerpt: excerpt(writer.first_paragraph().unwrap_or(&writer.plain)),
        reading_minutes: reading_minutes(&writer.plain),
        simplified: writer.colors.is_exhausted().then_some(Simplification::Code),
        outline: writer.outline,
        images: writer.images.into_iter().collect::<BTreeSet<_>>().into_iter().collect(),
        masked: contains_flagged(&links, warnings)
            .then(|| url_masking::mask_urls_in_markdown(source, warnings, labels)),
        links,
    })
}

fn contains_flagged(links: &[String], warnings: &FlaggedUrls) -> bool {
    links.iter().any(|address| warnings.contains_key(address))
}

fn unique(addresses: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    addresses.into_iter().filter(|address| seen.insert(address.clone())).collect()
}

/// URLs that occur literally in a text, linked or not. A URL may contain another URL, such as the URL of an archived
/// page. Once the URLs are several times as long as the text, each URL ends before the next, to bound the total length.
fn literal_urls(source: &str) -> Vec<String> {
    let ends = |c: char| c.is_whitespace() || c.is_control() || "<>()[]\"`".contains(c);
    let begins = source.match_indices("://").filter_map(|(at, _)| Some((web_url_start(source, at)?, at)));
    let mut begins = begins.peekable();
    let (mut found, mut end, mut left) = (Vec::new(), 0, MAX_LITERAL_URL_FACTOR * source.len());
    while let Some((begin, at)) = begins.next() {
        if end <= at {
            end = source[at..].find(ends).map_or(source.len(), |length| at + length);
        }
        let next = begins.peek().map_or(end, |(next, _)| end.min(*next));
        let address = if end - begin <= left { &source[begin..end] } else { &source[begin..next] };
        left = left.saturating_sub(address.len());
        let address = address.trim_end_matches(['.', ',', ';', ':', '!', '?', '*', '_', '~', '\'']);
        found.push(address.to_owned());
    }
    found
}

/// Renders Markdown to unsanitized HTML. The returned converter contains the headings, links and images of the text.
fn render_unsanitized<'a>(
    source: &'a str,
    warnings: &'a FlaggedUrls,
    words: Labels,
    wanted: &dyn Fn() -> bool,
) -> Result<(HtmlConverter<'a>, String), RenderAbort> {
    // The parser cannot be interrupted, so deeply nested texts are rejected before parsing.
    if nesting_cost(source) > MAX_NESTED_LINES {
        return Err(RenderAbort::TooLarge);
    }
    let mut converter = HtmlConverter::new(warnings, words);
    let events = converter.transform_events(parse_with_elements(source), wanted)?;
    let mut raw = String::with_capacity(source.len() * 2);
    html::push_html(&mut raw, events.into_iter());
    converter.push_footnotes(&mut raw);
    // Warnings after flagged links do not count towards the size limit, so that flagging a URL never makes a text too
    // large.
    let most = MAX_HTML_BYTES + converter.flagged_links * MAX_WARNING_BYTES;
    if raw.len() > most { Err(RenderAbort::TooLarge) } else { Ok((converter, raw)) }
}

/// Rejects a text whose parsing would take too long.
///
/// # Errors
///
/// Returns a message if the text has too many lines in nested lists and block quotes.
pub fn check_nesting(source: &str) -> Result<(), String> {
    if nesting_cost(source) <= MAX_NESTED_LINES {
        return Ok(());
    }
    Err("the text has too many lines in nested lists and block quotes".to_owned())
}

/// Upper bound for the number of block quotes and lists that contain a line, summed over all lines. A line without
/// markers belongs to the quotes and lists of the previous line.
fn nesting_cost(source: &str) -> usize {
    let (mut all, mut open, mut after_blank) = (0, 0, true);
    for line in source.lines() {
        let (columns, marks) = line_markers(line);
        let is_blank = line.trim().is_empty();
        open = match (marks, columns) {
            _ if is_blank => open,
            (0, 0) if after_blank => 0,
            // A line without markers continues a paragraph, or belongs to a list item because of its indentation.
            (0, _) if !after_blank => open,
            // A nested list is indented by at least two columns.
            (marks, columns) => marks + open.min(columns / 2),
        };
        after_blank = is_blank;
        all += open;
    }
    all
}

/// Indentation of a line in columns, and number of its block quote and list markers.
fn line_markers(line: &str) -> (usize, usize) {
    let width = |text: &str| text.chars().map(|c| if c == '\t' { 4 } else { 1 }).sum::<usize>();
    let mut rest = line.trim_start_matches([' ', '\t']);
    let (columns, mut marks) = (width(&line[..line.len() - rest.len()]), 0);
    loop {
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let after = match rest.as_bytes().get(digits) {
            Some(b'>' | b'-' | b'*' | b'+') if digits == 0 => 1,
            Some(b'.' | b')') if (1..=9).contains(&digits) => digits + 1,
            _ => return (columns, marks),
        };
        let is_quote = rest.starts_with('>');
        let next = &rest[after..];
        if !is_quote && !next.is_empty() && !next.starts_with([' ', '\t']) {
            return (columns, marks);
        }
        marks += 1;
        rest = next.trim_start_matches([' ', '\t']);
    }
}

/// Renders a text as plain HTML paragraphs without interpreting Markdown. After 999 paragraphs, the rest of the text
/// becomes one paragraph.
pub fn render_plain(source: &str) -> String {
    let mut html = String::with_capacity(source.len() + source.len() / 4);
    let paragraphs = source.splitn(1_000, "\n\n").map(|paragraph| paragraph.trim_matches('\n'));
    for paragraph in paragraphs.filter(|paragraph| !paragraph.trim().is_empty()) {
        html.push_str("<p>");
        for (number, line) in paragraph.split('\n').enumerate() {
            if number > 0 {
                html.push_str("<br>\n");
            }
            let text = line.trim_start_matches([' ', '\t']);
            // No-break spaces keep the indentation, because browsers collapse spaces at the beginning of a line.
            let width = line[..line.len() - text.len()].chars().map(|c| if c == '\t' { 4 } else { 1 }).sum();
            html.extend(std::iter::repeat_n('\u{a0}', width));
            html.push_str(&escape_html(text));
        }
        html.push_str("</p>\n");
    }
    html
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn html(source: &str) -> String {
        render(source).html
    }

    #[test]
    fn marks_become_tags() {
        assert_eq!(html("*a* **b** ~~c~~ `d`"), "<p><em>a</em> <strong>b</strong> <del>c</del> <code>d</code></p>\n");
        assert_eq!(html("# One\n\n## Two *x*\n"), "<h2 id=\"one\">One</h2>\n<h3 id=\"two-x\">Two <em>x</em></h3>\n");
        assert_eq!(
            html("- [x] done\n- [ ] open"),
            "<ul>\n<li class=\"task\">☑ done</li>\n<li class=\"task\">☐ open</li>\n</ul>\n"
        );
        assert!(html("3. a\n4. b").starts_with("<ol start=\"3\">"));
        let table = html("|a|b|c|\n|-|:-:|-:|\n|1|2|3|");
        assert!(table.contains("<th>a</th><th class=\"middle\">b</th><th class=\"end\">c</th>"), "{table}");
        assert!(table.contains("<td>1</td><td class=\"middle\">2</td><td class=\"end\">3</td>"), "{table}");
        let notes = html("a[^x] b[^y] c[^x]\n\n[^y]: second\n[^x]: first\n");
        assert!(notes.contains("a<sup id=\"fnref:1\"><a href=\"#fn:1\" rel="), "{notes}");
        assert!(notes.contains("c<sup><a href=\"#fn:1\"") && notes.contains("<a href=\"#fnref:1\" rel="), "{notes}");
        assert!(notes.contains("<li id=\"fn:1\" value=\"1\"><p>first <a href="), "{notes}");
    }

    #[test]
    fn html_that_is_written_is_shown_as_text() {
        assert_eq!(html("a <u>c</u>"), "<p>a &lt;u&gt;c&lt;/u&gt;</p>\n");
        assert_eq!(
            html("<script>alert(1)</script>\n\nb"),
            "<p>&lt;script&gt;alert(1)&lt;/script&gt;\n</p>\n<p>b</p>\n"
        );
        assert!(!html("<img src=x onerror=alert(1)>").contains("<img"));
    }

    #[test]
    fn a_few_elements_without_attributes_are_html() {
        for (source, shown) in [
            ("x<strong>(neu)</strong>y <B>b</B> <I>i</I>", "x<strong>(neu)</strong>y <strong>b</strong> <em>i</em>"),
            ("H<sub>2</sub>O<br>10<sup>*n*</sup>", "H<sub>2</sub>O<br>\n10<sup><em>n</em></sup>"),
            ("<b>a <i>b</b></i>", "<strong>a &lt;i&gt;b</strong>&lt;/i&gt;"),
            ("<b>*a</b>*", "&lt;b&gt;<em>a&lt;/b&gt;</em>"),
            ("<b>a", "&lt;b&gt;a"),
            ("<b class=x>a</b>", "&lt;b class=x&gt;a&lt;/b&gt;"),
            ("`<b>a</b>`", "<code>&lt;b&gt;a&lt;/b&gt;</code>"),
        ] {
            assert_eq!(html(source), format!("<p>{shown}</p>\n"), "{source}");
        }
        let deep = html(&"<sub>".repeat(5_000)) + &"</sub>".repeat(5_000);
        assert!(deep.matches("<sub>").count() <= 16);
    }

    #[test]
    fn only_tags_end_like_a_link() {
        let html =
            render("[a](https://e.example \"b\") ` rel=\"nofollow ugc noopener\">` rel=\"nofollow ugc noopener\">")
                .html;
        assert_eq!(html.matches(LINK_ENDS[0]).count(), 1, "{html}");
    }

    #[test]
    fn links_are_limited_to_safe_urls_and_nofollow() {
        assert!(render("<me@x.example>").html.contains("href=\"mailto:me@x.example\""));
        assert_eq!(
            html("[a](https://e.example/?x=1&y=\"2\" \"t<\")"),
            "<p><a href=\"https://e.example/?x=1&amp;y=%222%22\" title=\"t&lt;\" rel=\"nofollow ugc noopener\">a</a></p>\n"
        );
        for url in ["mailto:a@e.example", "/blogs/1/", "#section-1", "HTTPS://e.example", "other"] {
            assert!(html(&format!("[a]({url})")).contains("<a href="), "{url}");
        }
        for url in [
            "javascript:alert(1)",
            "JaVaScRiPt:x",
            "data:text/html,x",
            "vbscript:x",
            "/\\\\e",
            "///e",
            "&#106;avascript:x",
        ] {
            assert_eq!(html(&format!("[a]({url})")), "<p>a</p>\n", "{url}");
        }
        assert!(html("[a](//e.example/b)").contains("href=\"https://e.example/b\""));
        assert_eq!(render("![a](//e.example/b)").links, ["https://e.example/b"]);
        assert_eq!(html("<javascript:alert(1)>"), "<p>javascript:alert(1)</p>\n");
    }

    #[test]
    fn external_images_become_links() {
        let link = "<a href=\"https://e.example/a.png\" rel=\"nofollow ugc noopener\">Image: a cat</a>";
        assert_eq!(html("![a cat](https://e.example/a.png)"), format!("<p>{link}</p>\n"));
        assert!(html("[![a cat](https://e.example/a.png)](https://f.example)").contains(">Image: a cat</a>"));
        assert!(html("![](https://e.example/a%3Cb.png?x)").contains(">a%3Cb.png</a>"));
        assert!(!html("[![](https://e.example/a.png) b](https://f.example)").contains("a.png"));
        assert_eq!(html("![a](data:image/png;base64,xxxx)"), "<p>Image: a</p>\n");
    }

    #[test]
    fn images_of_this_site_are_shown() {
        let name = "0123456789abcdef0123456789abcdef-1200x600";
        let shown = html(&format!("![a *sleepy* cat & \"dog\"](/images/{name}.jpg \"Title <3\") x"));
        assert_eq!(
            shown,
            format!(
                "<p><img src=\"/images/{name}.jpg\" srcset=\"/images/{name}-480w.jpg 480w, /images/{name}-960w.jpg 960w, \
                 /images/{name}.jpg 1200w\" sizes=\"(min-width: 44rem) 42rem, 92vw\" width=\"1200\" height=\"600\" \
                 alt=\"a sleepy cat &amp; &quot;dog&quot;\" title=\"Title &lt;3\" loading=\"lazy\" decoding=\"async\"> x</p>\n"
            )
        );
        let linked = html(&format!("[![cat](/images/{name}.gif)](https://e.example)"));
        assert!(
            linked.starts_with("<p><a href=\"https://e.example\" rel=\"nofollow ugc noopener\"><img src="),
            "{linked}"
        );
        assert!(linked.contains(" alt=\"cat\"") && !linked.contains("srcset"), "{linked}");
        // Only file names of images on this site are displayed as images.
        for other in [&format!("{name}.svg"), &format!("{name}-480w.jpg"), &format!("../{name}.jpg"), "login"] {
            assert!(!html(&format!("![a](/images/{other})")).contains("<img"), "{other}");
        }
        let inside = html(&format!("![one ![two](/images/{name}.png) three](/images/{name}.jpg)"));
        assert_eq!(inside.matches("<img").count(), 1, "{inside}");
        let rendered = render(&format!("![cat](/images/{name}.png)\n\nWords. ![](/images/{name}.png)"));
        assert_eq!((rendered.excerpt.as_str(), rendered.images.len()), ("Words.", 1));
        // The sanitizer removes forged attributes.
        let made_up =
            format!("<img src=\"/images/{name}.jpg\" onerror=\"alert(1)\" srcset=\"/users/me/ 2x\" sizes=\"1px\">");
        assert_eq!(sanitize(&made_up), format!("<img src=\"/images/{name}.jpg\">"));
    }

    #[test]
    fn title_of_an_image_alone_in_its_paragraph_is_a_caption() {
        let image = "![a cat](/images/0123456789abcdef0123456789abcdef-1200x600.jpg \"Mia, *asleep* <3\")";
        let rendered = render(&format!("{image}\n\nWords."));
        let parts = ["<figure><img src=", " alt=\"a cat\" loading=", "</figure>\n<p>Words.</p>"];
        assert!(parts.iter().all(|part| rendered.html.contains(part)), "{}", rendered.html);
        assert!(rendered.html.contains("<figcaption>Mia, *asleep* &lt;3</figcaption>"), "{}", rendered.html);
        assert_eq!((rendered.excerpt.as_str(), rendered.html.matches("Mia").count()), ("Words.", 1));
        assert!(html(&format!("> {image}")).contains("<blockquote>\n<figure>"));
        for source in [
            format!("{image} words"),
            format!("words {image}"),
            format!("{image}\n{image}"),
            format!("[{image}](/)"),
            format!("**{image}**"),
            format!("{image} *x*[^a]\n\n[^a]: words {image}"),
            "![a](https://e.example/a.png \"b\")".to_owned(),
        ] {
            assert!(!html(&source).contains("<figure"), "{source}");
        }
    }

    #[test]
    fn the_outline_the_excerpt_and_the_minutes_come_with_it() {
        let rendered = render("# A `b`\n\nc *d* e\n\n## F\n\n[g](https://e.example) ![h](i)\n");
        let outline: Vec<_> = rendered.outline.iter().map(|heading| (heading.level, heading.text.as_str())).collect();
        assert_eq!(outline, [(2, "A b"), (3, "F")]);
        assert_eq!((rendered.excerpt.as_str(), rendered.reading_minutes), ("c d e", 1));
        assert_eq!(render(&"word ".repeat(2_200)).reading_minutes, 10);
        assert_eq!(render(&"漢".repeat(4_400)).reading_minutes, 11);
    }

    #[test]
    fn nested_urls_have_a_bounded_length() {
        let source = "http://".repeat(37_000) + "evil.example/";
        let links = render(&source).links;
        assert!(links.iter().map(String::len).sum::<usize>() <= (MAX_LITERAL_URL_FACTOR + 1) * source.len());
        assert!(links.contains(&"http://evil.example/".to_owned()));
        let archived = "https://archive.example/web/https://evil.example/";
        assert_eq!(render(archived).links, [archived, "https://evil.example/"]);
    }

    #[test]
    fn large_texts_are_rendered_as_plain_text() {
        for (first, piece) in [
            ("[^a]: b\n\n", "[^a]"),
            ("|a|b|\n|-|-|\n", "|1|2|\n"),
            ("", "*a* "),
            ("", "-\n"),
            ("", "`a` "),
            ("", "a\n\n"),
            ("[a]: https://e.example/a\n\n", "[a] "),
            ("", "```js\nx\n```\n"),
            (&"- ".repeat(3_000), "a\n"),
            (&"> ".repeat(3_000), "a\n"),
            (&">".repeat(3_000), "a\n"),
            (&"1. ".repeat(3_000), "a\n"),
            (&">- ".repeat(3_000), "a\n"),
        ] {
            let source = format!("{first}{}", piece.repeat(60_000));
            let rendered = render(&source);
            assert_eq!(rendered.simplified, Some(Simplification::Text), "{piece:?}");
            assert!(rendered.html.len() <= source.len() * 4 + 16_000, "{piece:?}: {}", rendered.html.len());
            assert!(rendered.html.starts_with("<p>") && !rendered.html.contains("<a"), "{piece:?}");
        }
        assert_eq!(
            render_plain("a\n  b <c>\n\n\n\td"),
            "<p>a<br>\n\u{a0}\u{a0}b &lt;c&gt;</p>\n<p>\u{a0}\u{a0}\u{a0}\u{a0}d</p>\n"
        );
        let few = render("[^a]: b\n\n[^a]");
        assert!(few.simplified.is_none() && few.html.contains("<sup"));
        let much_code = render(&"```rust\nfn a() {}\n```\n".repeat(1_000));
        assert_eq!(much_code.simplified, Some(Simplification::Code));
        assert!(much_code.html.contains("<span") && much_code.html.ends_with("<code>fn a() {}\n</code></pre>\n"));
    }

    #[test]
    fn the_depth_of_each_line_is_known_before_it_is_parsed() {
        assert_eq!(nesting_cost("a\nb\n\n# c\n***\n---\n**d** -e 1.f\n"), 0);
        assert_eq!(nesting_cost("- a\n- b\n\nc"), 1 + 1 + 1);
        assert_eq!(nesting_cost("- a\n  - b\n    - c\nd"), 1 + 2 + 3 + 3);
        assert_eq!(nesting_cost("> > - 1. a\nb\n\nc"), 4 + 4 + 4);
        let stairs = (0..300).map(|depth| format!("{}- a\n", "  ".repeat(depth))).collect::<Vec<_>>().concat();
        assert_eq!(nesting_cost(&format!("{stairs}{}", "b\n".repeat(1_000))), 300 * 301 / 2 + 300 * 1_000);
        // Long texts without deep nesting stay below the limit: a long list, and a book in a block quote.
        assert!(nesting_cost(&"  - an item\n".repeat(20_000)) <= 40_000);
        assert_eq!(render(&"> a line of a quoted book\n".repeat(5_000)).simplified, None);
    }

    #[test]
    fn rendering_is_cancelled() {
        let asked = std::cell::Cell::new(0);
        let wanted = || {
            asked.set(asked.get() + 1);
            asked.get() < 10
        };
        assert_eq!(render_cancellable(&"*a* ".repeat(1_000), &FlaggedUrls::new(), &Labels::default(), &wanted), None);
        assert_eq!(asked.get(), 10);
    }

    #[test]
    fn an_excerpt_is_the_first_paragraph() {
        let excerpt = |source: &str| render(source).excerpt;
        let post = "# A title\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```\ncode\n```\n\n- item\n\nThe *first*\nparagraph.[^1]\n\nThe second.";
        assert_eq!(excerpt(post), "The first paragraph.[^1]");
        assert_eq!(excerpt("[^1]: A note.\n\nThe text.[^1]"), "The text.");
        assert_eq!(excerpt("# Only\n\n- a list"), "Only a list");
        assert_eq!(excerpt("***\n\n!!!\n\n## Words"), "!!! Words");
    }

    #[test]
    fn plain_text_has_no_markup() {
        let words = |source: &str| plain_text(source).split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(words("- *a*\n- [ ] b\n\n1. c\n\n# d\n\n> e"), "a b c d e");
        assert_eq!(words("|a|b|\n|-|-|\n|1|2|\n\n***\n\n[c](https://d.example/) ![e](/f) `g`"), "a b 1 2 c e g");
        assert_eq!(words("1 - 2 * 3 | 4"), "1 - 2 * 3 | 4");
    }

    #[test]
    fn an_excerpt_is_one_line_of_at_most_280_characters() {
        assert_eq!(excerpt("a\n\nb\t c"), "a b c");
        assert_eq!(excerpt(&"گ".repeat(280)).chars().count(), 280);
        let cut = excerpt(&"گ".repeat(281));
        assert!(cut.chars().count() == 280 && cut.ends_with('…'));
        assert_eq!(excerpt(&"four ".repeat(100)), format!("{}four…", "four ".repeat(54)));
    }

    /// Normalizes HTML that can be written in several equivalent ways.
    fn normal(html: &str) -> String {
        let same = [
            ("\r\n", "\n"),
            ("\r", "\n"),
            ("<br />", "<br>"),
            ("<hr />", "<hr>"),
            ("&quot;", "\""),
            ("&#x27;", "'"),
            ("&nbsp;", "\u{a0}"),
        ];
        same.iter().fold(html.to_owned(), |html, (one, other)| html.replace(one, other))
    }

    fn pieces() -> impl Strategy<Value = String> {
        let piece = prop::sample::select(vec![
            "*",
            "**",
            "_",
            "~~",
            "`",
            "```\n",
            "```rust\n",
            "# ",
            "## ",
            "> ",
            "- ",
            "1. ",
            "[",
            "]",
            "(",
            ")",
            "![",
            "](",
            "\n",
            "\n\n",
            "    ",
            "|",
            "|-|-|\n",
            "|:-:|-:|\n",
            "[^a]",
            "[^a]: ",
            "<b>",
            "</b>",
            "<!--",
            "-->",
            "<script>",
            "&amp;",
            "&",
            "\"",
            "'",
            "\\",
            "<http://e.example>",
            "javascript:",
            "https://e.example/a?b",
            "fn main() {}",
            "text",
            "سلام",
            "🙂",
            "\t",
            "---\n",
            "===\n",
            "[a]: /b 'c'\n",
            "![a](/images/0123456789abcdef0123456789abcdef-12x6.jpg 'b')",
            "- [x] ",
            "\u{0}",
            "\r",
            "<?",
            "]]>",
            "%",
            "\u{202e}",
        ]);
        prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn sanitizer_keeps_rendered_html(source in prop_oneof![pieces(), any::<String>()]) {
            // Posts cannot contain null characters.
            let source = source.replace(|c| c == '\0' || is_placeholder(c), "");
            let nothing = FlaggedUrls::new();
            let (_, raw) = render_unsanitized(&source, &nothing, Labels::default(), &|| true).unwrap();
            let cleaned = sanitize(&raw);
            prop_assert_eq!(normal(&raw), normal(&cleaned));
            prop_assert_eq!(sanitize(&cleaned), cleaned);
        }

        #[test]
        fn what_is_rendered_grows_with_the_source_and_no_faster(source in pieces(), times in 1_usize..40) {
            let source = source.repeat(times);
            let rendered = render(&source);
            prop_assert!(rendered.html.len() <= 64 * source.len() + 256, "{} of {}", rendered.html.len(), source.len());
        }
    }
}
