//! Masking of flagged URLs in the Markdown source that is shown to users other than the author.

use std::ops::Range;

use aho_corasick::{AhoCorasick, MatchKind};
use pulldown_cmark::{Event, LinkType, Tag, TagEnd};

use super::bare_links::with_bare_links;
use super::html_converter::FlaggedUrls;
use super::html_elements::{is_http_url, with_scheme};
use super::labels::Labels;
use super::parser::parser;

/// Replaces each flagged URL with the path of its warning page, to which any renderer of the Markdown source then
/// links.
pub fn mask_urls_in_markdown(source: &str, warnings: &FlaggedUrls, words: &Labels) -> String {
    let mut changes = definitions(source, warnings);
    changes.extend(links(source, warnings, words));
    changes.sort_by_key(|(range, _)| range.start);
    let (mut text, mut after) = (String::with_capacity(source.len()), 0);
    for (range, change) in changes {
        // Skips a link inside a replaced reference definition.
        if range.start < after {
            continue;
        }
        text.push_str(&source[after..range.start]);
        // Inserts a space after brackets, which Markdown would otherwise interpret as the text of the new link.
        if change.starts_with('[') && text.ends_with(']') {
            text.push(' ');
        }
        text.push_str(&change);
        after = range.end;
    }
    text.push_str(&source[after..]);
    mask_urls_in_text(&text, warnings)
}

/// Replaces every occurrence of a flagged URL with the path of its warning page, whether or not the URL is linked.
pub fn mask_urls_in_text(text: &str, warnings: &FlaggedUrls) -> String {
    // Replaces the longest match, because a flagged URL can be a prefix of another flagged URL.
    let finder = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(warnings.keys());
    let pages: Vec<&String> = warnings.values().collect();
    // If the matcher cannot be built, the result is empty, so that no flagged URL is shown.
    finder.map_or_else(|_| String::new(), |finder| finder.replace_all(text, &pages))
}

/// URLs of link reference definitions, including unused ones.
pub fn reference_definition_urls(source: &str) -> Vec<String> {
    let parser = parser(source);
    let definitions = parser.reference_definitions().iter();
    let urls = definitions.map(|(_, definition)| with_scheme(&definition.dest).into_owned());
    urls.filter(|url| is_http_url(url)).collect()
}

type Replacement = (Range<usize>, String);

/// Replacements for link reference definitions with flagged URLs: `[label]: address "title"`.
fn definitions(source: &str, warnings: &FlaggedUrls) -> Vec<Replacement> {
    let parser = parser(source);
    let definitions = parser.reference_definitions().iter();
    let changes = definitions.filter_map(|(label, definition)| {
        let page = warnings.get(&*with_scheme(&definition.dest))?;
        Some((definition.span.clone(), format!("[{label}]: {page}")))
    });
    changes.collect()
}

/// Open link or image: end of its text so far, byte range and, for a flagged URL, the link type and the path of the
/// warning page.
type OpenLink<'a> = (usize, Range<usize>, Option<(LinkType, &'a str)>);

/// Replacements for inline links, images and autolinks with flagged URLs: `[text](address "title")`, `![text](address)`,
/// `<address>` and `address`.
fn links(source: &str, warnings: &FlaggedUrls, words: &Labels) -> Vec<Replacement> {
    let mut open: Vec<OpenLink<'_>> = Vec::new();
    let mut changes = Vec::new();
    for (event, range) in with_bare_links(source, parser(source)) {
        match event {
            Event::Start(Tag::Link { link_type, dest_url, .. }) => {
                let page = warnings.get(&*with_scheme(&dest_url)).map(|page| (link_type, page.as_str()));
                open.push((range.start + 1, range, page));
            }
            Event::Start(Tag::Image { link_type, dest_url, .. }) => {
                let page = warnings.get(&*with_scheme(&dest_url)).map(|page| (link_type, page.as_str()));
                open.push((range.start + 2, range, page));
            }
            Event::End(TagEnd::Link | TagEnd::Image) => {
                let Some((text_end, link, page)) = open.pop() else { continue };
                match page {
                    Some((LinkType::Inline, page)) => changes.push((text_end..link.end, format!("]({page})"))),
                    Some((LinkType::Autolink | LinkType::Email, page)) => {
                        changes.push((link.clone(), format!("[{}]({page})", words.flagged_link)));
                    }
                    // Reference links are not changed, because their definition is masked.
                    _ => {}
                }
                extend_link_text(&mut open, link.end);
            }
            _ => extend_link_text(&mut open, range.end),
        }
    }
    changes
}

/// Extends the text of the innermost open link or image up to `end`.
fn extend_link_text(open: &mut [OpenLink<'_>], end: usize) {
    if let Some((text_end, ..)) = open.last_mut() {
        *text_end = (*text_end).max(end);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{render, render_cancellable};
    use super::*;

    const BAD: &str = "http://bad.example/x";

    fn warnings() -> FlaggedUrls {
        FlaggedUrls::from([(BAD.to_owned(), "/links/1/".to_owned())])
    }

    #[test]
    fn pages_of_warnings_take_the_place_of_addresses() {
        for (source, masked_source) in [
            ("a [b *c*](http://bad.example/x \"t\") d", "a [b *c*](/links/1/) d"),
            ("![b](<http://bad.example/x>) [e](http://good.example/)", "![b](/links/1/) [e](http://good.example/)"),
            ("<http://bad.example/x>", "[flagged link](/links/1/)"),
            ("[](http://bad.example/x)", "[](/links/1/)"),
            ("[a][b] [b]\n\n[b]: http://bad.example/x 'title'\n\nc", "[a][b] [b]\n\n[b]: /links/1/\n\nc"),
            ("[a](http://bad&#46;example/x)", "[a](/links/1/)"),
            ("[![i](http://bad.example/x)](http://bad.example/x)", "[![i](/links/1/)](/links/1/)"),
            ("[a `]` \\] b](http://bad.example/x)", "[a `]` \\] b](/links/1/)"),
            ("سلام [ب](http://bad.example/x)", "سلام [ب](/links/1/)"),
            ("a (http://bad.example/x), b", "a ([flagged link](/links/1/)), b"),
            // Masking keeps a preceding reference link intact, and also masks URLs in code and HTML, which another
            // renderer may turn into links.
            ("[g]<http://bad.example/x>\n\n[g]: /g", "[g] [flagged link](/links/1/)\n\n[g]: /g"),
            ("`http://bad.example/x` <a href='http://bad.example/x'>", "`/links/1/` <a href='/links/1/'>"),
            ("[b]: http://bad.example/x \"unused\"", "[b]: /links/1/"),
        ] {
            assert_eq!(mask_urls_in_markdown(source, &warnings(), &Labels::default()), masked_source);
        }
    }

    #[test]
    fn only_addresses_are_taken_out_of_the_words_of_a_link() {
        let html = |source: &str| render_cancellable(source, &warnings(), &Labels::default(), &|| true).unwrap().html;
        let words = html("[see http://bad.example/x or `https://x` for **more**, ratio 1://2](http://bad.example/x)");
        assert!(
            words.contains("see hidden URL or <code>hidden URL</code> for <strong>more</strong>, ratio 1://2<"),
            "{words}"
        );
        let bare = html("See http://bad.example/x.");
        let expected = "<p>See <span class=\"suspected\">hidden URL</span> <a href=\"/links/1/\" ";
        assert!(bare.starts_with(expected) && !bare.contains("bad.example"), "{bare}");
        let plain = render_cancellable(
            "[http://bad.example/x is **it**](http://bad.example/x)",
            &warnings(),
            &Labels::default(),
            &|| true,
        );
        assert_eq!(plain.unwrap().excerpt, "hidden URL is it");
    }

    #[test]
    fn a_text_is_not_given_up_because_of_its_warnings() {
        let source = format!("# Hello\n\n{}", "<http://bad.example/x> ".repeat(5_000));
        let rendered = render_cancellable(&source, &warnings(), &Labels::default(), &|| true).unwrap();
        assert!(rendered.html.starts_with("<h2") && rendered.simplified.is_none());
        assert_eq!(rendered.html.matches("/links/1/").count(), 5_000);
        // Texts that are too large to render are masked as well.
        let source = format!("{}[x](http://bad.example/x)", "*a* ".repeat(11_000));
        let rendered = render_cancellable(&source, &warnings(), &Labels::default(), &|| true).unwrap();
        assert!(rendered.simplified.is_some() && rendered.links == [BAD]);
        assert!(!rendered.masked.unwrap().contains(BAD));
    }

    proptest! {
        #[test]
        fn what_is_masked_links_to_no_address_that_is_warned_of(
            parts in proptest::collection::vec(prop_oneof![
                Just("[a](http://bad.example/x)".to_owned()), Just("<http://bad.example/x>".to_owned()),
                Just(" http://bad.example/x ".to_owned()),
                Just("[b]: http://bad.example/x\n".to_owned()), Just("[b]".to_owned()), Just("\n\n".to_owned()),
                Just("![".to_owned()), Just("](http://bad.example/x 't')".to_owned()), Just("> ".to_owned()),
                Just("[^n]: ".to_owned()), Just("* ".to_owned()), "[a-z\\[\\]()<>`*_ ]{0,6}",
            ], 0..16)
        ) {
            let source = parts.concat();
            let rendered = render_cancellable(&source, &warnings(), &Labels::default(), &|| true).unwrap();
            prop_assert!(!rendered.html.contains("href=\"http://bad.example/x\""), "{}", rendered.html);
            if let Some(masked) = rendered.masked {
                let html = render(&masked).html;
                prop_assert!(!html.contains("href=\"http://bad.example/x\""), "{source:?} {masked:?} {html}");
                prop_assert!(!masked.contains(BAD), "{source:?} {masked:?}");
            }
        }
    }
}
