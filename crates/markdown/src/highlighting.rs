//! Syntax highlighting of code blocks. Tokens such as strings and comments get CSS classes; the style sheet defines the
//! colors.

use std::collections::BTreeSet;
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::Duration;

use nix::time::{ClockId, clock_gettime};
use syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxReference, SyntaxSet};

use super::plain_text::escape_html;

/// Maximum size of the highlighted code of one text, in bytes.
const MAX_BYTES: usize = 24_000;

/// Bytes that each code block counts towards `MAX_BYTES` in addition to its length.
const BLOCK_COST: usize = 100;

/// Maximum length of the highlighted part of a line, in bytes. Some grammars take quadratic time, and the parsing of a
/// line cannot be interrupted.
const MAX_LINE_BYTES: usize = 160;

/// Maximum CPU time for highlighting one text, because a crafted line can keep a grammar busy for a very long time.
const MAX_CPU_TIME: Duration = Duration::from_millis(20);

/// Additional CPU time for the first code block of a language, during which the grammar of the language is compiled.
const COMPILE_CPU_TIME: Duration = Duration::from_millis(500);

/// Names of the languages whose grammars this process has compiled.
static COMPILED: Mutex<BTreeSet<&str>> = Mutex::new(BTreeSet::new());

#[derive(Debug)]
pub struct HighlightBudget {
    bytes: usize,
    time: Duration,
    /// True if one code block that exceeds the time limit may be retried. A retry is faster, because parts of a grammar
    /// are compiled at their first use.
    may_retry: bool,
    is_exhausted: bool,
}

impl Default for HighlightBudget {
    fn default() -> Self {
        Self { bytes: MAX_BYTES, time: MAX_CPU_TIME, may_retry: true, is_exhausted: false }
    }
}

impl HighlightBudget {
    /// True if some code was not highlighted because the budget was exhausted.
    pub fn is_exhausted(&self) -> bool {
        self.is_exhausted
    }

    /// Highlights a code block. Returns `None` if the remaining budget is too small or the grammar fails.
    fn highlight(&mut self, syntax: &'static SyntaxReference, text: &str) -> Option<String> {
        let left = self.bytes.checked_sub(BLOCK_COST + text.len());
        let html = left.and_then(|_| self.highlight_within_budget(syntax, text));
        match left.filter(|_| html.is_some()) {
            Some(left) => self.bytes = left,
            None => self.is_exhausted = true,
        }
        html
    }

    /// Highlights a code block, and deducts the CPU time from the budget, even if highlighting fails.
    fn highlight_within_budget(&mut self, syntax: &'static SyntaxReference, text: &str) -> Option<String> {
        let is_first = COMPILED.lock().unwrap_or_else(PoisonError::into_inner).insert(&syntax.name);
        let free = if is_first { COMPILE_CPU_TIME } else { Duration::ZERO };
        if self.time + free == Duration::ZERO {
            return None;
        }
        let (html, time) = highlight(syntax, text, self.time + free);
        self.time = self.time.saturating_sub(time.saturating_sub(free));
        if html.is_none() && self.time == Duration::ZERO && std::mem::take(&mut self.may_retry) {
            self.time = MAX_CPU_TIME;
            return self.highlight_within_budget(syntax, text);
        }
        html
    }
}

/// CPU time of this thread, without the time that the thread waited for a processor.
fn thread_cpu_time() -> Duration {
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).map_or(Duration::ZERO, Duration::from)
}

/// Highlighted languages. Only common languages are included, because each grammar permanently occupies megabytes after
/// its first use.
const LANGUAGES: [&str; 20] = [
    "Bourne Again Shell (bash)",
    "C",
    "C#",
    "C++",
    "CSS",
    "Diff",
    "Go",
    "HTML",
    "Haskell",
    "JSON",
    "Java",
    "JavaScript",
    "Lua",
    "Makefile",
    "Python",
    "Ruby",
    "Rust",
    "SQL",
    "XML",
    "YAML",
];

/// CSS classes by prefix of a Sublime Text scope name. The innermost matching scope determines the class. If several
/// entries match a scope, the first entry applies.
const SCOPE_CLASSES: [(&str, &str); 12] = [
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

pub const CSS_CLASSES: [&str; 6] = ["c", "s", "n", "k", "f", "t"];

static SYNTAXES: LazyLock<SyntaxSet> = LazyLock::new(SyntaxSet::load_defaults_newlines);

static SCOPES: LazyLock<Vec<(Scope, &str)>> =
    LazyLock::new(|| SCOPE_CLASSES.iter().filter_map(|(name, class)| Some((Scope::new(name).ok()?, *class))).collect());

/// Renders a code block. Returns its HTML, and the number of elements and text nodes that highlighting added. `info` is
/// the info string of the fence, such as `rust` or `rust,ignore`.
pub fn render_code_block(info: &str, text: &str, colors: &mut HighlightBudget) -> (String, usize) {
    let language = info.split([' ', ',', '\t', '{']).next().unwrap_or_default();
    let syntax = SYNTAXES.find_syntax_by_token(language).filter(|_| !language.is_empty());
    let syntax = syntax.filter(|syntax| LANGUAGES.contains(&syntax.name.as_str()));
    let inside = syntax.and_then(|syntax| colors.highlight(syntax, text)).unwrap_or_else(|| escape_html(text));
    let parts = 2 * inside.matches("<span").count();
    (format!("<pre><code>{inside}</code></pre>\n"), parts)
}

/// Highlights code and returns the CPU time used. The HTML is `None` if the time exceeds `most` or the grammar fails.
fn highlight(syntax: &SyntaxReference, text: &str, most: Duration) -> (Option<String>, Duration) {
    let since = thread_cpu_time();
    let html = highlight_until(syntax, text, since + most);
    (html, thread_cpu_time().saturating_sub(since))
}

fn highlight_until(syntax: &SyntaxReference, text: &str, end: Duration) -> Option<String> {
    let mut state = ParseState::new(syntax);
    let mut stack = ScopeStack::new();
    let mut out = String::with_capacity(text.len() * 2);
    let mut open = None;
    for line in text.split_inclusive('\n') {
        if thread_cpu_time() > end {
            return None;
        }
        let (line, rest) = line.split_at(line.floor_char_boundary(MAX_LINE_BYTES));
        let mut begin = 0;
        for (to, operation) in state.parse_line(line, &SYNTAXES).ok()? {
            push(&mut out, &mut open, &stack, line.get(begin..to)?);
            begin = to;
            stack.apply(&operation).ok()?;
        }
        push(&mut out, &mut open, &stack, line.get(begin..)?);
        if !rest.is_empty() {
            close(&mut out, &mut open);
            out.push_str(&escape_html(rest));
            // Parses the line break, which ends comments and strings that cannot span lines.
            for (_, operation) in state.parse_line("\n", &SYNTAXES).ok()? {
                stack.apply(&operation).ok()?;
            }
        }
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
    out.push_str(&escape_html(text));
}

fn close(out: &mut String, open: &mut Option<&'static str>) {
    if open.take().is_some() {
        out.push_str("</span>");
    }
}

fn class_of(stack: &ScopeStack) -> Option<&'static str> {
    let of = |scope: &Scope| SCOPES.iter().find(|(part, _)| part.is_prefix_of(*scope)).map(|(_, class)| *class);
    stack.as_slice().iter().rev().find_map(of)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn highlights_tokens_and_keeps_text() {
        let mut colors = HighlightBudget::default();
        let (html, _) =
            render_code_block("rust,ignore", "fn main() {\n    // <greet>\n    print(\"&hi\", 1);\n}\n", &mut colors);
        assert!(html.contains("<span class=\"k\">fn </span><span class=\"f\">main</span>"), "{html}");
        assert!(html.contains("<span class=\"c\">// &lt;greet&gt;"), "{html}");
        assert!(html.contains("<span class=\"s\">\"&amp;hi\"</span>") && html.contains("<span class=\"n\">1</span>"));
    }

    #[test]
    fn every_language_of_the_list_is_there() {
        for language in LANGUAGES {
            assert!(SYNTAXES.find_syntax_by_name(language).is_some(), "{language}");
        }
    }

    #[test]
    fn unknown_or_long_code_is_not_highlighted() {
        let html = |info: &str, text: &str| render_code_block(info, text, &mut HighlightBudget::default()).0;
        assert_eq!(html("", "a < b\n"), "<pre><code>a &lt; b\n</code></pre>\n");
        assert_eq!(html("no-such-language", "fn"), "<pre><code>fn</code></pre>\n");
        assert!(!html("rust", &"fn a() {}\n".repeat(6_000)).contains("<span"));
    }

    #[test]
    fn only_the_beginning_of_a_long_line_is_highlighted() {
        let code = format!("// {}\nfn ä() {{}}\n", "fn ä ".repeat(200));
        let (html, _) = render_code_block("rust", &code, &mut HighlightBudget::default());
        let (comment, rest) = html.split_once("</span>").unwrap();
        assert!(comment.len() < 250 && rest.contains("<span class=\"k\">fn </span>"), "{html}");
        assert_eq!(
            html.replace("</span>", "")
                .split("<span")
                .map(|part| part.split_once("\">").map_or(part, |part| part.1))
                .collect::<String>(),
            format!("<pre><code>{code}</code></pre>\n")
        );
    }

    #[test]
    fn highlighting_stops_when_budget_is_exhausted() {
        let (mut colors, code) = (HighlightBudget::default(), "fn a() {}\n".repeat(20));
        let colored = |colors: &mut HighlightBudget| render_code_block("rust", &code, colors).0.contains("<span");
        assert!(colored(&mut colors) && !colors.is_exhausted());
        while colored(&mut colors) {}
        assert!(colors.is_exhausted());
        assert!(render_code_block("rust", "fn b() {}", &mut HighlightBudget::default()).1 > 0);
        let mut none = HighlightBudget { time: Duration::ZERO, ..HighlightBudget::default() };
        assert!(!colored(&mut none) && none.is_exhausted());
        // A code block that exceeds the time limit exhausts the budget, so that later code blocks are not highlighted.
        let mut few = HighlightBudget { time: Duration::from_nanos(1), may_retry: false, ..HighlightBudget::default() };
        let long = "fn a(b: u8) -> u8 { b + 1 } // c\n".repeat(600);
        assert!(
            !render_code_block("rust", &long, &mut few).0.contains("<span") && few.time.is_zero() && !colored(&mut few)
        );
    }
}
