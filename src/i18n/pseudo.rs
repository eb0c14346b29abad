//! A language that is made up of another's messages, with accents, longer and in brackets: what a page shows without them
//! is in no catalogue, and what is cut has no room for a longer language. Only debug builds have it.

use std::borrow::Cow;

/// As CLDR calls it.
pub(super) const TAG: &str = "en-XA";

/// A message's text between what is put into it. What is inside of a tag stays as it is.
pub(super) fn transform(text: &str) -> Cow<'_, str> {
    // It begins inside of a tag if one ends before any begins: an attribute was put in.
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

/// A whole message.
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
