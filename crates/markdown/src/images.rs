//! Extraction of images from Markdown.

use std::ops::Range;

use pulldown_cmark::{Event, Tag, TagEnd};

use super::parser::parser;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Byte range of the image, including its markup.
    pub range: Range<usize>,
    pub url: String,
    pub alt: String,
}

/// Returns the images of a text in order. Images inside the description of another image are omitted.
pub fn extract_images(source: &str) -> Vec<Image> {
    let (mut found, mut open) = (Vec::new(), None::<Image>);
    let mut depth = 0_usize;
    for (event, place) in parser(source).into_offset_iter() {
        match (event, &mut open) {
            (Event::Start(Tag::Image { dest_url, .. }), None) => {
                open = Some(Image { range: place, url: dest_url.into_string(), alt: String::new() });
            }
            (Event::Start(Tag::Image { .. }), Some(_)) => depth += 1,
            (Event::End(TagEnd::Image), Some(_)) if depth > 0 => depth -= 1,
            (Event::End(TagEnd::Image), _) => found.extend(open.take()),
            (Event::Text(text) | Event::Code(text), Some(image)) => image.alt.push_str(&text),
            (Event::SoftBreak | Event::HardBreak, Some(image)) => image.alt.push(' '),
            _ => {}
        }
    }
    found
}

/// Escapes Markdown markup in the alternative text of an image.
pub fn escape_alt(alt: &str) -> String {
    alt.chars().flat_map(|c| "\\[]`*_<&!".contains(c).then_some('\\').into_iter().chain([c])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_are_found_where_they_stand() {
        let source = "a ![b *c*](</x y.png> \"t\") [![](z.png)](/z) ![d][e]\n\n`![no](no.png)` ![f ![g](in.png)](out.png)\n\n[e]: /e.png";
        let found: Vec<_> = extract_images(source)
            .into_iter()
            .map(|image| (source[image.range].to_owned(), image.url, image.alt))
            .collect();
        let image = |place: &str, address: &str, alt: &str| (place.to_owned(), address.to_owned(), alt.to_owned());
        assert_eq!(
            found,
            [
                image("![b *c*](</x y.png> \"t\")", "/x y.png", "b c"),
                image("![](z.png)", "z.png", ""),
                image("![d][e]", "/e.png", "d"),
                image("![f ![g](in.png)](out.png)", "out.png", "f g"),
            ]
        );
    }
}
