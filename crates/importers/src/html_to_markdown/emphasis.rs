//! Emphasis during the conversion of HTML to Markdown.
//!
//! Next to letters or punctuation, asterisks can be text instead of emphasis, as in `x**(a)**y`. There, emphasis is
//! written as an HTML element, which posts may contain.

use htmd::Element;
use htmd::element_handler::{HandlerResult, Handlers};

use super::tables::TABLE;

/// Placeholders for the start and the end of strong emphasis: Unicode noncharacters, like the placeholders in
/// `tables.rs`.
pub const STRONG: [char; 2] = ['\u{fdda}', '\u{fddb}'];

pub const EMPHASIS: [char; 2] = ['\u{fddc}', '\u{fddd}'];

const KINDS: [([char; 2], &str, &str); 2] = [(STRONG, "**", "strong"), (EMPHASIS, "*", "em")];

/// Encloses each paragraph of an element in emphasis placeholders. Markdown cannot emphasize other blocks.
#[expect(clippy::needless_pass_by_value, clippy::unnecessary_wraps, reason = "as handlers are")]
pub fn emphasis(handlers: &dyn Handlers, element: Element<'_>) -> Option<HandlerResult> {
    let [start, end] = if ["b", "strong"].contains(&element.tag) { STRONG } else { EMPHASIS };
    let content = handlers.walk_children(element.node).content;
    let part = |part: &str| {
        // A final line break stays outside of the emphasis, because its backslash would escape the asterisks.
        let text = part.trim_end();
        let is_break = text.ends_with('\\') && part[text.len()..].starts_with('\n');
        let text = if is_break { text[..text.len() - 1].trim() } else { text.trim() };
        let is_block = text.starts_with(['#', '>', '-', '|', '`', TABLE]) && part.len() < content.len();
        if text.is_empty() || is_block {
            return part.to_owned();
        }
        let begin = part.len() - part.trim_start().len();
        format!("{}{start}{text}{end}{}", &part[..begin], &part[begin + text.len()..])
    };
    Some(content.split("\n\n").map(part).collect::<Vec<_>>().join("\n\n").into())
}

/// Formats a term of a definition list as a paragraph.
#[expect(clippy::needless_pass_by_value, clippy::unnecessary_wraps, reason = "as handlers are")]
pub fn definition_term(handlers: &dyn Handlers, element: Element<'_>) -> Option<HandlerResult> {
    let text = handlers.walk_children(element.node).content;
    let [start, end] = STRONG;
    let text = text.trim();
    Some(if text.is_empty() { String::new() } else { format!("\n\n{start}{text}{end}\n\n") }.into())
}

/// Writes strong emphasis next to a non-ASCII letter as HTML, as in `**「a」**b`: kramdown renders it as emphasis, but
/// `CommonMark` as text. `is_code` is true for positions in code.
pub fn replace_asterisks(text: &str, is_code: impl Fn(usize) -> bool) -> String {
    let is_mark = |at: &usize| {
        let (before, after) = (&text[..*at], &text[at + 2..]);
        !before.ends_with(['*', '\\']) && !after.starts_with('*') && !is_code(*at)
    };
    let marks: Vec<usize> = text.match_indices("**").map(|(at, _)| at).filter(is_mark).collect();
    let (mut written, mut after, mut index) = (String::with_capacity(text.len()), 0, 0);
    while let [begin, end, ..] = marks[index..] {
        let inner = &text[begin + 2..end];
        if inner.contains('\n') {
            index += 1;
            continue;
        }
        index += 2;
        let is_letter = |c: Option<char>| c.is_some_and(|c| !c.is_ascii() && c.is_alphanumeric());
        let is_mark_inside = |c: Option<char>| c.is_some_and(|c| !c.is_alphanumeric() && !c.is_whitespace());
        let is_text = is_letter(text[..begin].chars().next_back()) && is_mark_inside(inner.chars().next())
            || is_letter(text[end + 2..].chars().next()) && is_mark_inside(inner.chars().next_back());
        if is_text && inner.trim() == inner {
            written.extend([&text[after..begin], "<strong>", inner, "</strong>"]);
            after = end + 2;
        }
    }
    written + &text[after..]
}

/// Replaces the placeholders of emphasis by asterisks, or by HTML elements where asterisks would be text.
pub fn replace_emphasis(markdown: &str) -> String {
    let mut text = markdown.to_owned();
    for ([start, end], ..) in KINDS {
        // Adjacent elements with equal emphasis are merged.
        text = text.replace(&format!("{end}{start}"), "");
    }
    let chars: Vec<char> = text.chars().collect();
    let mut written: Vec<Option<String>> = vec![None; chars.len()];
    let mut open: Vec<usize> = Vec::new();
    for (at, c) in chars.iter().enumerate() {
        let Some(([start, _], mark, name)) = KINDS.iter().find(|(pair, ..)| pair.contains(c)) else { continue };
        if c == start {
            open.push(at);
            continue;
        }
        let Some(begin) = open.pop().filter(|begin| chars[*begin] == *start) else { continue };
        // Inside other emphasis, an asterisk directly after a character could close the outer emphasis.
        let is_apart = begin == 0 || chars[begin - 1].is_whitespace() || is_placeholder(chars[begin - 1]);
        let is_markdown =
            can_open(&chars, &written, begin) && can_close(&chars, &written, at) && (open.is_empty() || is_apart);
        let (open_mark, close_mark) = if is_markdown {
            ((*mark).to_owned(), (*mark).to_owned())
        } else {
            (format!("<{name}>"), format!("</{name}>"))
        };
        written[begin] = Some(open_mark);
        written[at] = Some(close_mark);
    }
    let char_text = |(c, written): (&char, Option<String>)| match written {
        Some(written) => written,
        None if is_placeholder(*c) => String::new(),
        None => c.to_string(),
    };
    chars.iter().zip(written).map(char_text).collect()
}

fn is_placeholder(c: char) -> bool {
    KINDS.iter().any(|(pair, ..)| pair.contains(&c))
}

/// True if asterisks at this position open emphasis. For characters that may be punctuation, the stricter rule is used:
/// they count as punctuation inside the emphasis, and as letters outside.
fn can_open(chars: &[char], written: &[Option<String>], at: usize) -> bool {
    // Markdown such as `**a***b*` is ambiguous, so emphasis does not open directly after other emphasis.
    let follows_end = at > 0 && KINDS.iter().any(|([_, end], ..)| *end == chars[at - 1]);
    let (before, after) = neighbors(chars, written, at);
    !follows_end && after.is_some_and(|c| c.is_alphanumeric() || is_outside(before))
}

fn can_close(chars: &[char], written: &[Option<String>], at: usize) -> bool {
    let (before, after) = neighbors(chars, written, at);
    before.is_some_and(|c| c.is_alphanumeric() || is_outside(after))
}

/// Characters before and after a placeholder. Other placeholders are skipped, unless HTML replaces them.
fn neighbors(chars: &[char], written: &[Option<String>], at: usize) -> (Option<char>, Option<char>) {
    let shown = |at: usize, of_html: fn(&str) -> Option<char>| match &written[at] {
        Some(html) if html.starts_with('<') => of_html(html),
        _ => Some(chars[at]).filter(|c| !is_placeholder(*c)),
    };
    let before = (0..at).rev().find_map(|at| shown(at, |html| html.chars().next_back()));
    (before, (at + 1..chars.len()).find_map(|at| shown(at, |html| html.chars().next())))
}

/// True for the start or end of the text, white space and punctuation.
fn is_outside(c: Option<char>) -> bool {
    c.is_none_or(|c| {
        c.is_whitespace() || c.is_ascii_punctuation() || "«»“”‘’„–—…、。，．！？；：「」（）؛،؟".contains(c)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn emphasis_beside_letters_of_other_scripts_is_html() {
        for (text, written) in [
            ("**「強調」**です", "<strong>「強調」</strong>です"),
            ("会**“a”**。和**重要：**内容", "会<strong>“a”</strong>。和<strong>重要：</strong>内容"),
            ("**重要**内容 a**(b)**c **d** **", "**重要**内容 a**(b)**c **d** **"),
            ("`**「a」**b`", "`**「a」**b`"),
        ] {
            assert_eq!(replace_asterisks(text, |at| text.starts_with('`') && at < text.len()), written);
        }
    }
}
