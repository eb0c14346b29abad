//! Code, with its parts marked by class: what they look like is the style sheet's business.

use std::sync::LazyLock;

use syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxReference, SyntaxSet};

use super::escaped;

/// Longer code is shown as it is: each of its lines could cost much.
const MOST_BYTES: usize = 50_000;
const MOST_IN_LINE: usize = 1_000;

/// What is told apart, by the beginnings of scopes in Sublime's naming. The last that fits the innermost scope counts.
const PARTS: [(&str, &str); 12] = [
    ("comment", "c"),
    ("string", "s"),
    ("constant.character.escape", "n"),
    ("constant", "n"),
    ("keyword", "k"),
    ("storage", "k"),
    ("entity.name.tag", "k"),
    ("entity.name", "f"),
    ("support.function", "f"),
    ("support.type", "t"),
    ("variable.function", "f"),
    ("entity.other.attribute-name", "t"),
];

/// All of them.
pub const CLASSES: [&str; 6] = ["c", "s", "n", "k", "f", "t"];

static SYNTAXES: LazyLock<SyntaxSet> = LazyLock::new(SyntaxSet::load_defaults_newlines);

static SCOPES: LazyLock<Vec<(Scope, &str)>> =
    LazyLock::new(|| PARTS.iter().filter_map(|(name, class)| Some((Scope::new(name).ok()?, *class))).collect());

/// A block of code in the language that its first line names, as in `rust` or `rust,ignore`.
#[must_use]
pub fn block(info: &str, text: &str) -> String {
    let language = info.split([' ', ',', '\t', '{']).next().unwrap_or_default();
    let syntax = SYNTAXES.find_syntax_by_token(language).filter(|_| !language.is_empty() && text.len() <= MOST_BYTES);
    let inside = syntax.and_then(|syntax| highlighted(syntax, text)).unwrap_or_else(|| escaped(text));
    format!("<pre><code>{inside}</code></pre>\n")
}

/// None where the grammar gives up.
fn highlighted(syntax: &SyntaxReference, text: &str) -> Option<String> {
    let mut state = ParseState::new(syntax);
    let mut stack = ScopeStack::new();
    let mut out = String::with_capacity(text.len() * 2);
    let mut open = None;
    for line in text.split_inclusive('\n') {
        if line.len() > MOST_IN_LINE {
            return None;
        }
        let mut begin = 0;
        for (end, operation) in state.parse_line(line, &SYNTAXES).ok()? {
            push(&mut out, &mut open, &stack, line.get(begin..end)?);
            begin = end;
            stack.apply(&operation).ok()?;
        }
        push(&mut out, &mut open, &stack, line.get(begin..)?);
    }
    close(&mut out, &mut open);
    Some(out)
}

fn push(out: &mut String, open: &mut Option<&'static str>, stack: &ScopeStack, text: &str) {
    if text.is_empty() {
        return;
    }
    let class = class_of(stack).filter(|_| !text.trim().is_empty());
    if class != *open && !text.trim().is_empty() {
        close(out, open);
        if let Some(class) = class {
            out.push_str("<span class=\"");
            out.push_str(class);
            out.push_str("\">");
        }
        *open = class;
    }
    out.push_str(&escaped(text));
}

fn close(out: &mut String, open: &mut Option<&'static str>) {
    if open.take().is_some() {
        out.push_str("</span>");
    }
}

/// The innermost scope that means something.
fn class_of(stack: &ScopeStack) -> Option<&'static str> {
    let of = |scope: &Scope| SCOPES.iter().find(|(part, _)| part.is_prefix_of(*scope)).map(|(_, class)| *class);
    stack.as_slice().iter().rev().find_map(of)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_code_are_marked_and_everything_is_kept() {
        let html = block("rust,ignore", "fn main() {\n    // <greet>\n    print(\"&hi\", 1);\n}\n");
        assert!(html.contains("<span class=\"k\">fn </span><span class=\"f\">main</span>"), "{html}");
        assert!(html.contains("<span class=\"c\">// &lt;greet&gt;"), "{html}");
        assert!(html.contains("<span class=\"s\">\"&amp;hi\"</span>") && html.contains("<span class=\"n\">1</span>"));
    }

    #[test]
    fn what_is_not_known_or_too_long_is_text() {
        assert_eq!(block("", "a < b\n"), "<pre><code>a &lt; b\n</code></pre>\n");
        assert_eq!(block("no-such-language", "fn"), "<pre><code>fn</code></pre>\n");
        assert!(!block("rust", &"fn a() {}\n".repeat(6_000)).contains("<span"));
        assert!(!block("rust", &"fn ".repeat(400)).contains("<span"));
    }
}
