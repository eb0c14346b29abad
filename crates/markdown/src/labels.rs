//! Labels that the renderer adds to a text, such as warnings after flagged links.

/// Labels that the renderer adds to a text. They are in the language of the text, because screen readers read both
/// together. The default is English.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Labels {
    /// Prefix before the alternative text of an image that is not displayed.
    pub image: String,
    /// Warning after a flagged link.
    pub flagged_link_warning: String,
    /// Replacement of a flagged URL in link text.
    pub hidden_url: String,
    /// Link text of a flagged autolink.
    pub flagged_link: String,
    /// Digits from 0 to 9 for footnote numbers.
    pub digits: [char; 10],
    pub is_right_to_left: bool,
}

impl Default for Labels {
    fn default() -> Self {
        Self {
            image: "Image: ".to_owned(),
            flagged_link_warning: "(flagged link)".to_owned(),
            hidden_url: "hidden URL".to_owned(),
            flagged_link: "flagged link".to_owned(),
            digits: ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'],
            is_right_to_left: false,
        }
    }
}

impl Labels {
    pub(crate) fn format_number(&self, number: usize) -> String {
        number.to_string().bytes().map(|digit| self.digits[usize::from(digit - b'0')]).collect()
    }

    /// Right-to-left mark for languages written from right to left, otherwise an empty string. The mark sets the
    /// direction of a line without letters.
    pub(crate) fn direction_mark(&self) -> &'static str {
        if self.is_right_to_left { "\u{200f}" } else { "" }
    }

    /// Arrow of the link from a footnote back to the text, which points to the beginning of the line.
    pub(crate) fn back_arrow(&self) -> char {
        if self.is_right_to_left { '↪' } else { '↩' }
    }
}
