//! Pseudo-locale for debug builds: English with accents, longer words and brackets. Text without them is missing from
//! the catalogues, and truncated text has no room for longer languages.

use std::borrow::Cow;

/// BCP 47 tag that CLDR uses for this pseudo-locale.
pub(super) const TAG: &str = "en-XA";

/// Transforms the text of a message between its arguments. HTML tags stay unchanged.
pub(super) fn transform(text: &str) -> Cow<'_, str> {
    // The text begins inside a tag if the first `>` precedes the first `<`: an attribute was inserted before it.
    let mut is_inside = match (text.find('<'), text.find('>')) {
        (_, None) => false,
        (None, Some(_)) => true,
        (Some(begin), Some(end)) => end < begin,
    };
    let mut longer = String::with_capacity(text.len() * 2);
    for c in text.chars() {
        is_inside |= c == '<';
        match accented(c) {
            Some(other) if !is_inside => {
                longer.push(other);
                if "aeiou".contains(c) {
                    longer.push(other);
                }
            }
            _ => longer.push(c),
        }
        is_inside &= c != '>';
    }
    longer.into()
}

pub(super) fn bracketed(text: &str) -> String {
    format!("⟦{text}⟧")
}

fn accented(c: char) -> Option<char> {
    const PLAIN: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    const ACCENTED: &str = "ȧƀƈḓḗƒɠħīĵķŀḿƞǿƥɋřşŧŭṽẇẋẏẑȦƁƇḒḖƑƓĦĪĴĶĿḾȠǾƤɊŘŞŦŬṼẆẊẎẐ";
    PLAIN.chars().zip(ACCENTED.chars()).find_map(|(plain, accented)| (plain == c).then_some(accented))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_inside_of_a_tag_stays() {
        assert_eq!(transform("Go <a href=\"/in/\">in</a>"), "Ɠǿǿ <a href=\"/in/\">īīƞ</a>");
        assert_eq!(transform("\">in</a>"), "\">īīƞ</a>");
    }
}
