//! HTML of links and images in a text.

use std::borrow::Cow;
use std::fmt::Write as _;

use pulldown_cmark_escape::{escape_href, escape_html};

use crate::image_name::ImageName;

pub const ALLOWED_LINK_SCHEMES: [&str; 3] = ["http", "https", "mailto"];

/// True if a text may link to the URL: `http`, `https`, `mailto`, or a path on this site.
pub fn is_safe_url(url: &str) -> bool {
    let scheme = url.split(['/', '?', '#']).next().unwrap_or_default();
    match scheme.split_once(':') {
        Some((scheme, _)) => ALLOWED_LINK_SCHEMES.iter().any(|safe| scheme.eq_ignore_ascii_case(safe)),
        None => !url.starts_with("//") && !url.contains('\\') && !url.chars().any(char::is_control),
    }
}

/// Adds `https:` to a URL without a scheme, such as `//e.example`, which browsers would open with the scheme of the
/// page.
pub fn with_scheme(url: &str) -> Cow<'_, str> {
    let host = url.strip_prefix("//").filter(|host| host.starts_with(|c: char| c.is_alphanumeric() || c == '['));
    host.map_or(Cow::Borrowed(url), |_| Cow::Owned(format!("https:{url}")))
}

pub fn is_http_url(url: &str) -> bool {
    let scheme = url.split_once(':').map(|(scheme, _)| scheme);
    scheme.is_some_and(|scheme| ["http", "https"].iter().any(|web| scheme.eq_ignore_ascii_case(web)))
}

/// Start of the scheme `http` or `https` before the `://` at byte index `at`, or `None` for other schemes.
pub fn web_url_start(text: &str, at: usize) -> Option<usize> {
    let start = at - text[..at].bytes().rev().take_while(u8::is_ascii_alphabetic).count();
    is_http_url(&text[start..=at]).then_some(start)
}

/// True if browsers or other programs may turn the word into a link.
pub fn is_url_like(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    word.contains("http://") || word.contains("https://") || word.starts_with("www.")
}

/// Closes a link. A flagged link is followed by a warning, which links to the warning page unless the path of the page
/// is empty.
pub fn link_end(warning: Option<&str>, suspected: &str) -> String {
    warning.map_or_else(
        || "</a>".to_owned(),
        |page| match page {
            "" => format!("</span> {suspected}"),
            page => format!("</span> <a href=\"{page}\" rel=\"{LINK_REL_ATTRIBUTE}\">{suspected}</a>"),
        },
    )
}

pub fn link_to(url: &str, title: &str, before: &str) -> String {
    let mut tag = String::from("<a href=\"");
    let _ = escape_href(&mut tag, url);
    tag.push('"');
    if !title.is_empty() {
        tag.push_str(" title=\"");
        let _ = escape_html(&mut tag, title);
        tag.push('"');
    }
    let _ = write!(tag, " rel=\"{LINK_REL_ATTRIBUTE}\">{before}");
    tag
}

/// `sizes` attribute of images: the width of the text column on wide screens, otherwise 92 % of the viewport width.
pub const IMAGE_SIZES_ATTRIBUTE: &str = "(min-width: 44rem) 42rem, 92vw";

pub fn image(name: &ImageName, alt: &str, title: &str) -> String {
    let mut tag = format!("<img src=\"{}\"", name.path());
    let srcset = name.srcset();
    if !srcset.is_empty() {
        let _ = write!(tag, " srcset=\"{srcset}\" sizes=\"{IMAGE_SIZES_ATTRIBUTE}\"");
    }
    let _ = write!(tag, " width=\"{}\" height=\"{}\" alt=\"", name.width, name.height);
    let _ = escape_html(&mut tag, &alt.split_whitespace().collect::<Vec<_>>().join(" "));
    if !title.is_empty() {
        tag.push_str("\" title=\"");
        let _ = escape_html(&mut tag, title);
    }
    tag.push_str("\" loading=\"lazy\" decoding=\"async\">");
    tag
}

/// Image with a visible caption.
pub fn figure(name: &ImageName, alt: &str, caption: &str) -> String {
    let mut tag = format!("<figure>{}<figcaption>", image(name, alt, ""));
    let _ = escape_html(&mut tag, caption);
    tag.push_str("</figcaption></figure>\n");
    tag
}

/// `rel` attribute of all links in texts: the site does not endorse links of authors.
pub const LINK_REL_ATTRIBUTE: &str = "nofollow ugc noopener";

/// Ends of the start tags of links in rendered HTML, with and without `nofollow`. Replace the first with the second in
/// texts of trusted authors. Only a tag can match, because `>` is escaped in text.
pub const LINK_ENDS: [&str; 2] = [" rel=\"nofollow ugc noopener\">", " rel=\"noopener\">"];
