//! Links to bare URLs, which are `http` and `https` URLs without Markdown markup.

use std::ops::Range;

use pulldown_cmark::{CowStr, Event, LinkType, Parser, Tag, TagEnd};

use super::html_elements::web_url_start;

/// Characters at the end of a bare URL that belong to the surrounding sentence.
const TRAILING_PUNCTUATION: [char; 18] =
    ['.', ',', ':', ';', '!', '?', '*', '_', '~', '\'', '’', '…', '،', '؛', '؟', '。', '、', '，'];

/// Turns bare URLs in the parsed text into autolinks. A bare URL with escaped characters or entities is not a link,
/// because masking replaces only URLs that occur literally in the source.
pub fn with_bare_links<'a>(
    source: &'a str,
    parser: Parser<'a>,
) -> impl Iterator<Item = (Event<'a>, Range<usize>)> + use<'a> {
    let mut events = parser.into_offset_iter().peekable();
    // Number of open elements in which URLs are not links.
    let mut excluded = 0_usize;
    let mut parts = Vec::new().into_iter();
    let is_literal = |text: &str, range: &Range<usize>| *text == source[range.clone()];
    std::iter::from_fn(move || {
        if let Some(part) = parts.next() {
            return Some(part);
        }
        let (event, mut range) = events.next()?;
        match &event {
            Event::Start(Tag::Link { .. } | Tag::Image { .. } | Tag::CodeBlock(_)) => excluded += 1,
            Event::End(TagEnd::Link | TagEnd::Image | TagEnd::CodeBlock) => excluded -= 1,
            Event::Text(text) if excluded == 0 && is_literal(text, &range) => {
                // The parser splits a text at each character that could be markup.
                while let Some((_, next)) = events.next_if(|(next, place)| {
                    matches!(next, Event::Text(text) if place.start == range.end && is_literal(text, place))
                }) {
                    range.end = next.end;
                }
                let continues = matches!(events.peek(), Some((Event::Text(_), _)));
                parts = split_at_urls(source, range, continues).into_iter();
                return parts.next();
            }
            _ => {}
        }
        Some((event, range))
    })
}

/// Events of a literal text with links. `continues` is true if text that is not literal follows.
fn split_at_urls(source: &str, range: Range<usize>, continues: bool) -> Vec<(Event<'_>, Range<usize>)> {
    let text = |range: Range<usize>| (Event::Text(CowStr::Borrowed(&source[range.clone()])), range);
    let (mut events, mut after) = (Vec::new(), range.start);
    for url in bare_urls(&source[range.clone()], continues) {
        let url = range.start + url.start..range.start + url.end;
        let link = Tag::Link {
            link_type: LinkType::Autolink,
            dest_url: CowStr::Borrowed(&source[url.clone()]),
            title: CowStr::Borrowed(""),
            id: CowStr::Borrowed(""),
        };
        if after < url.start {
            events.push(text(after..url.start));
        }
        after = url.end;
        events.extend([(Event::Start(link), url.clone()), text(url.clone()), (Event::End(TagEnd::Link), url)]);
    }
    if after < range.end || events.is_empty() {
        events.push(text(after..range.end));
    }
    events
}

fn bare_urls(text: &str, continues: bool) -> Vec<Range<usize>> {
    let (mut urls, mut after) = (Vec::new(), 0);
    for (at, _) in text.match_indices("://") {
        let Some(start) = web_url_start(text, at).filter(|start| after <= *start) else { continue };
        if text[..start].ends_with(char::is_alphanumeric) {
            continue;
        }
        let end = text[at..].find(ends_url).map_or(text.len(), |length| at + length);
        if continues && end == text.len() {
            break;
        }
        let url = trim_punctuation(&text[start..end]);
        // The sanitizer removes invalid URLs, such as `http://localhost:PORT/`.
        if ammonia::Url::parse(url).is_ok() {
            urls.push(start..start + url.len());
        }
        after = end;
    }
    urls
}

/// True for characters that end a bare URL: whitespace, quotation marks, and characters that change the direction of
/// the text.
fn ends_url(c: char) -> bool {
    let sets_direction = matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    c.is_whitespace() || c.is_control() || sets_direction || "<>\"`\\«»“”„‹›".contains(c)
}

/// Removes punctuation and unbalanced closing brackets from the end of a URL.
fn trim_punctuation(url: &str) -> &str {
    let unbalanced = |open: char, close: char| url.matches(close).count().saturating_sub(url.matches(open).count());
    let mut excess = [('(', ')'), ('[', ']')].map(|(open, close)| (close, unbalanced(open, close)));
    url.trim_end_matches(|c: char| {
        let bracket = excess.iter_mut().find(|(close, count)| *close == c && *count > 0);
        bracket.map_or_else(
            || TRAILING_PUNCTUATION.contains(&c),
            |(_, count)| {
                *count -= 1;
                true
            },
        )
    })
}

#[cfg(test)]
mod tests {
    use super::super::render;

    /// URLs to which the rendered text links.
    fn linked(source: &str) -> Vec<String> {
        let html = render(source).html;
        html.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next()).map(str::to_owned).collect()
    }

    #[test]
    fn bare_urls_become_links() {
        assert_eq!(
            render("See https://e.example/a_b_c?x=1&y=2.").html,
            "<p>See <a href=\"https://e.example/a_b_c?x=1&amp;y=2\" rel=\"nofollow ugc noopener\">\
             https://e.example/a_b_c?x=1&amp;y=2</a>.</p>\n"
        );
        for (source, url) in [
            ("(https://e.example/a)", "https://e.example/a"),
            ("https://e.example/wiki/A_(b), c", "https://e.example/wiki/A_(b)"),
            ("(see https://e.example/wiki/A_(b)).", "https://e.example/wiki/A_(b)"),
            ("**http://e.example**", "http://e.example"),
            ("«https://e.example/»", "https://e.example/"),
            ("ببینید: https://e.example/الف، و", "https://e.example/%D8%A7%D9%84%D9%81"),
            ("HTTPS://e.example/#a!", "HTTPS://e.example/#a"),
            ("- [ ] https://e.example", "https://e.example"),
            ("|a|\n|-|\n|https://e.example/|", "https://e.example/"),
            ("# https://e.example/", "https://e.example/"),
            ("\\*https://e.example/", "https://e.example/"),
            ("https://archive.example/https://e.example/", "https://archive.example/https://e.example/"),
        ] {
            assert_eq!(linked(source), [url], "{source}");
        }
    }

    #[test]
    fn other_texts_do_not_become_links() {
        for source in [
            "`https://e.example/`",
            "    https://e.example/",
            "```\nhttps://e.example/\n```",
            "xhttps://e.example/ 1https://e.example/",
            "ftp://e.example/ javascript://e.example/%0aalert(1)",
            "https:// http://... https://localhost:PORT/",
            // Escaped characters and entities.
            "https\\://e.example/ https://e.example/a\\_b https://e.example&#46;com/",
            "www.e.example e.example/a",
        ] {
            assert_eq!(linked(source), [""; 0], "{source}");
        }
        assert_eq!(linked("[https://e.example/](https://f.example/)"), ["https://f.example/"]);
        assert_eq!(linked("![https://e.example/](https://f.example/i.png)"), ["https://f.example/i.png"]);
        assert!(render("# See https://e.example/").html.starts_with("<h2 id=\"see-httpseexample\">See <a href="));
    }
}
