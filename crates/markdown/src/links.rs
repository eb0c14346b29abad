//! Replacement of link destinations in Markdown.

use std::borrow::Cow;
use std::ops::Range;

use pulldown_cmark::{Event, LinkType, Tag, TagEnd};

use super::bare_links::with_bare_links;
use super::parser::parser;

/// Link destination in a Markdown text.
struct LinkDestination {
    /// Byte range of the destination. For an autolink or bare URL, the range of the whole link, including angle brackets.
    range: Range<usize>,
    url: String,
    is_autolink: bool,
}

/// Replaces each link destination for which `other` returns a new destination. Destinations of images are kept.
pub fn replace_links(source: &str, mut other: impl FnMut(&str) -> Option<String>) -> String {
    let (mut text, mut after) = (String::with_capacity(source.len()), 0);
    for LinkDestination { range: place, url: address, is_autolink } in link_destinations(source) {
        let Some(new) = other(&address) else { continue };
        // If ranges overlap, only the range that begins first is replaced.
        if place.start < after {
            continue;
        }
        text.push_str(&source[after..place.start]);
        if is_autolink {
            text.extend(["[", &escaped(&address), "](", &format_destination(&new), ")"]);
        } else {
            text.push_str(&format_destination(&new));
        }
        after = place.end;
    }
    text.push_str(&source[after..]);
    text
}

/// Formats a link destination. Adds angle brackets only if necessary, because `>` could end an HTML tag that began
/// earlier.
fn format_destination(destination: &str) -> Cow<'_, str> {
    let needs_brackets = |c: char| c.is_whitespace() || c.is_control() || "()<>\\".contains(c);
    if destination.is_empty() || destination.contains(needs_brackets) {
        format!("<{destination}>").into()
    } else {
        destination.into()
    }
}

fn escaped(text: &str) -> String {
    let escape = |c: char| c.is_ascii_punctuation().then_some('\\').into_iter().chain([c]);
    text.chars().flat_map(escape).collect()
}

/// Returns the destinations of inline links, autolinks, bare URLs and reference definitions, sorted by their position in the text.
fn link_destinations(source: &str) -> Vec<LinkDestination> {
    let mut found = Vec::new();
    let parser = parser(source);
    for (_, definition) in parser.reference_definitions().iter() {
        let span = &source[definition.span.clone()];
        let label_end = find_unescaped(span, 1, |c| c == b']').map(|end| end + 2);
        let place = label_end.and_then(|end| destination(span, end));
        found.extend(place.map(|place| LinkDestination {
            range: place.start + definition.span.start..place.end + definition.span.start,
            url: definition.dest.to_string(),
            is_autolink: false,
        }));
    }
    // Links cannot be nested, but images can be inside a link.
    let mut open: Option<(Range<usize>, String, LinkType, usize)> = None;
    for (event, place) in with_bare_links(source, parser) {
        match (event, &mut open) {
            (Event::Start(Tag::Link { link_type, dest_url, .. }), _) => {
                open = Some((place.clone(), dest_url.into_string(), link_type, place.start + 1));
            }
            (Event::End(TagEnd::Link), _) => {
                let Some((outer, address, kind, inner_end)) = open.take() else { continue };
                match kind {
                    LinkType::Autolink => found.push(LinkDestination { range: outer, url: address, is_autolink: true }),
                    LinkType::Inline => {
                        let link = &source[..outer.end];
                        let place = link[inner_end..].find("](").and_then(|at| destination(link, inner_end + at + 2));
                        found.extend(place.map(|place| LinkDestination {
                            range: place,
                            url: address,
                            is_autolink: false,
                        }));
                    }
                    _ => {}
                }
            }
            (_, Some((_, _, _, inner_end))) => *inner_end = place.end.max(*inner_end),
            _ => {}
        }
    }
    found.sort_by_key(|address| address.range.start);
    found
}

/// Returns the byte range of a link destination after the whitespace at `at`, or `None` for an empty destination. The
/// destination is in angle brackets, or ends before whitespace or the closing parenthesis of the link.
fn destination(text: &str, at: usize) -> Option<Range<usize>> {
    let start = at + text.get(at..)?.find(|c: char| !c.is_ascii_whitespace())?;
    if text[start..].starts_with('<') {
        let end = find_unescaped(text, start + 1, |c| c == b'>')?;
        return Some(start..end + 1);
    }
    let mut depth = 0_i32;
    let end = find_unescaped(text, start, |c| {
        depth += i32::from(c == b'(') - i32::from(c == b')');
        c.is_ascii_whitespace() || depth < 0
    });
    let end = end.unwrap_or(text.len());
    (end > start).then_some(start..end)
}

/// Returns the index of the first byte at or after `at` that is not escaped by a backslash and for which `is` returns
/// true.
fn find_unescaped(text: &str, at: usize, mut is: impl FnMut(u8) -> bool) -> Option<usize> {
    let mut is_escaped = false;
    for (index, byte) in text.bytes().enumerate().skip(at) {
        if is_escaped {
            is_escaped = false;
        } else if byte == b'\\' {
            is_escaped = true;
        } else if is(byte) {
            return Some(index);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn addresses_are_replaced_where_they_stand() {
        let other = |address: &str| address.starts_with("/old").then(|| address.replace("/old", "/new"));
        for (source, replaced) in [
            ("a [b](/old/1 \"/old\") c", "a [b](/new/1 \"/old\") c"),
            ("[*b* `](/old/0)` ![i](/old/i.png)]( </old/a b>)", "[*b* `](/old/0)` ![i](/old/i.png)]( </new/a b>)"),
            ("[a\\]](/old\\_x(1)) [b]( /other )", "[a\\]](</new_x(1)>) [b]( /other )"),
            ("[a][x] [x] [X]\n\n[x]: /old/2 'title'", "[a][x] [x] [X]\n\n[x]: /new/2 'title'"),
            ("`[a](/old)` [a]() ![a](/old)", "`[a](/old)` [a]() ![a](/old)"),
            ("[a](/old) <!b [a](/old)", "[a](/new) <!b [a](/new)"),
            ("    [a](/old)\n\n- [a](/old)\n> [b](/old#c)", "    [a](/old)\n\n- [a](/new)\n> [b](/new#c)"),
        ] {
            assert_eq!(replace_links(source, other), replaced, "{source}");
        }
        let other = |address: &str| (address == "https://old.example/a_b").then(|| "/new".to_owned());
        for source in ["See <https://old.example/a_b>.", "See https://old.example/a_b."] {
            assert_eq!(replace_links(source, other), "See [https\\:\\/\\/old\\.example\\/a\\_b](/new).");
        }
    }

    proptest! {
        #[test]
        fn nothing_else_changes(source in "([\\[\\]()<>! \\\\\n`\"#:*a/é-]|\\[a\\]\\(/b\\)|\\[a\\]: /b\n){0,40}") {
            prop_assert_eq!(&replace_links(&source, |_| None), &source);
            let before = link_destinations(&source).len();
            let replaced = replace_links(&source, |_| Some("/x".to_owned()));
            prop_assert_eq!(link_destinations(&replaced).len(), before, "{}", replaced);
            prop_assert!(link_destinations(&replaced).iter().all(|address| address.url == "/x"), "{}", replaced);
        }
    }
}
