//! HTML sanitizer with an allowlist of elements and attributes. The sanitizer does not rely on earlier checks.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use super::highlighting;
use super::html_elements::{ALLOWED_LINK_SCHEMES, IMAGE_SIZES_ATTRIBUTE, LINK_REL_ATTRIBUTE};
use super::outline::is_heading_id;
use crate::image_name::{ImageFile, ImageName, PATH_PREFIX};

/// Allowlist of HTML elements and attributes. All others are removed.
static ALLOWED: LazyLock<ammonia::Builder<'static>> = LazyLock::new(|| {
    let mut allowed = ammonia::Builder::empty();
    allowed
        .tags(HashSet::from([
            "a",
            "blockquote",
            "br",
            "code",
            "del",
            "em",
            "figcaption",
            "figure",
            "h2",
            "h3",
            "h4",
            "h5",
            "h6",
            "hr",
            "img",
            "li",
            "ol",
            "p",
            "pre",
            "span",
            "strong",
            "sub",
            "sup",
            "table",
            "tbody",
            "td",
            "th",
            "thead",
            "tr",
            "ul",
        ]))
        .tag_attributes(HashMap::from([
            ("a", HashSet::from(["href", "title"])),
            ("h2", HashSet::from(["id"])),
            ("h3", HashSet::from(["id"])),
            ("h4", HashSet::from(["id"])),
            ("h5", HashSet::from(["id"])),
            ("h6", HashSet::from(["id"])),
            (
                "img",
                HashSet::from(["alt", "decoding", "height", "loading", "sizes", "src", "srcset", "title", "width"]),
            ),
            ("li", HashSet::from(["class", "id", "value"])),
            ("ol", HashSet::from(["start"])),
            ("span", HashSet::from(["class"])),
            ("sup", HashSet::from(["id"])),
            ("td", HashSet::from(["class"])),
            ("th", HashSet::from(["class"])),
        ]))
        .url_schemes(HashSet::from(ALLOWED_LINK_SCHEMES))
        .url_relative(ammonia::UrlRelative::PassThrough)
        .link_rel(Some(LINK_REL_ATTRIBUTE))
        .attribute_filter(|element, name, value| {
            let numbered = |prefix: &str| {
                value.strip_prefix(prefix).is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()))
            };
            let ours = match name {
                "id" if element.starts_with('h') => is_heading_id(value),
                "id" => numbered("fn:") || numbered("fnref:"),
                "class" => {
                    highlighting::CSS_CLASSES.contains(&value)
                        || ["end", "middle", "suspected", "task"].contains(&value)
                }
                "src" => ImageName::from_path(value).is_some(),
                "srcset" => is_srcset(value),
                "sizes" => value == IMAGE_SIZES_ATTRIBUTE,
                "loading" => value == "lazy",
                "decoding" => value == "async",
                "start" | "value" | "width" | "height" => value.bytes().all(|byte| byte.is_ascii_digit()),
                _ => true,
            };
            ours.then(|| value.into())
        });
    allowed
});

/// True if `value` is exactly the `srcset` that this site generates for one of its images.
fn is_srcset(value: &str) -> bool {
    let first = value.split(' ').next().and_then(|path| path.strip_prefix(PATH_PREFIX));
    first.and_then(ImageFile::parse).is_some_and(|file| file.name.srcset() == value)
}

/// Placeholders for escaped characters during sanitizing, because the HTML parser is slow at escaped characters and
/// takes quadratic time for consecutive ampersands. The placeholders are Unicode noncharacters, which are removed from
/// every source text.
const PLACEHOLDERS: [(&str, char); 3] = [("&amp;", '\u{fdd0}'), ("&lt;", '\u{fdd1}'), ("&gt;", '\u{fdd2}')];

pub fn is_placeholder(c: char) -> bool {
    PLACEHOLDERS.iter().any(|(_, stand_in)| *stand_in == c)
}

pub fn sanitize(raw: &str) -> String {
    let with_stand_ins =
        PLACEHOLDERS.iter().fold(raw.to_owned(), |text, (escaped, c)| text.replace(escaped, &c.to_string()));
    let cleaned = ALLOWED.clean(&with_stand_ins).to_string();
    PLACEHOLDERS.iter().fold(cleaned, |text, (escaped, c)| text.replace(*c, escaped))
}
