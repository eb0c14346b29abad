//! Pseudo-locale for debug builds: text without accents is untranslated, text without brackets is truncated.

use std::borrow::Cow;

/// BCP 47 tag that CLDR uses for this pseudo-locale.
pub(super) const LANGUAGE_TAG: &str = "en-XA";

/// Transforms text between message arguments. HTML tags stay unchanged.
pub(super) fn pseudolocalize(text: &str) -> Cow<'_, str> {
    // If the first `>` precedes the first `<`, the text begins inside an HTML tag, because a message argument was
    // inserted into an attribute.
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

pub(super) fn add_brackets(text: &str) -> String {
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
        assert_eq!(pseudolocalize("Go <a href=\"/in/\">in</a>"), "Ɠǿǿ <a href=\"/in/\">īīƞ</a>");
        assert_eq!(pseudolocalize("\">in</a>"), "\">īīƞ</a>");
    }
}
