//! Slugs in the URLs of posts. The id selects the post; the slug is only for readability.

use std::fmt::Display;

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

use super::urls::{self, POST_BY_ID};
use crate::web::routing::route::RouteTable;

const MAX_CHARS: usize = 80;

/// Generates a slug: lower-case letters and digits of any script, with hyphens between words.
pub fn slugify(title: &str) -> String {
    let mut slug = String::new();
    let mut gap = false;
    // The lower-case form of `İ` would be two characters.
    for c in title.nfc().collect::<String>().replace('İ', "i").to_lowercase().chars() {
        // Zero-width non-joiners and combining marks do not separate words.
        let joins = (c == '\u{200c}' || is_combining_mark(c)) && !gap && !slug.is_empty();
        if !c.is_alphanumeric() && !joins {
            gap = true;
            continue;
        }
        if gap && !slug.is_empty() {
            slug.push('-');
        }
        gap = false;
        slug.push(c);
    }
    let cut: String = slug.chars().take(MAX_CHARS).collect();
    // Truncates at the end of a word, unless that removes more than half of the slug.
    let end = if cut.len() < slug.len() { cut.rfind('-').filter(|end| *end > cut.len() / 2) } else { None };
    let slug = cut[..end.unwrap_or(cut.len())].trim_end_matches(['-', '\u{200c}']);
    match slug {
        "" => "post".to_owned(),
        reserved if RouteTable::global().is_reserved(POST_BY_ID.pattern, reserved) => format!("{reserved}-post"),
        slug => slug.to_owned(),
    }
}

pub fn post_path(id: impl Display, title: &str, own_slug: Option<&str>) -> String {
    urls::post_path_with_slug(id, &slugify(own_slug.unwrap_or(title)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slugifies_titles_in_any_script() {
        for (title, slug) in [
            ("Hello, World!", "hello-world"),
            ("سلام دنیا", "سلام-دنیا"),
            ("دربارهٔ قایق\u{200c}ها", "دربارهٔ-قایق\u{200c}ها"),
            ("a \u{200c} b\u{200c}", "a-b"),
            ("Ça va ? Ĳ", "ça-va-ĳ"),
            ("日本語", "日本語"),
            ("İstanbul", "istanbul"),
            ("  --- ", "post"),
            ("👩‍💻", "post"),
            ("../../etc", "etc"),
        ] {
            assert_eq!(slugify(title), slug, "{title}");
        }
        assert_eq!(slugify(&"word ".repeat(40)).chars().count(), 79);
        assert_eq!(slugify(&"x".repeat(200)).len(), 80);
    }
}
