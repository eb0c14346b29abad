//! Marks the parts of code, such as strings and comments, with classes. Their colours are in the style sheet.

use std::collections::BTreeSet;
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::Duration;

use nix::time::{ClockId, clock_gettime};
use syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxReference, SyntaxSet};

use super::plain::escaped;

/// Bytes of code that are coloured in one text.
const MAX_BYTES: usize = 24_000;

/// What each block costs beside its length, in bytes.
const BLOCK: usize = 100;

/// A block with a line of more bytes is not coloured, as such a line could cost much.
const MAX_IN_LINE: usize = 400;

/// The most processor time that colouring one text may take. A line that was made for it can keep a grammar busy for
/// very long.
const MAX_TIME: Duration = Duration::from_millis(20);

/// What the first text of a language may take more: its grammar is compiled then.
const FIRST_TIME: Duration = Duration::from_millis(500);

/// The languages that this process has coloured.
static COMPILED: Mutex<BTreeSet<&str>> = Mutex::new(BTreeSet::new());

/// How much of a text's code may still be coloured.
#[derive(Debug)]
pub struct Colours {
    bytes: usize,
    time: Duration,
    /// Whether a block that took too long may be tried once more: parts of a grammar are compiled when they are first used.
    may_retry: bool,
    is_spent: bool,
}

impl Default for Colours {
    fn default() -> Self {
        Self { bytes: MAX_BYTES, time: MAX_TIME, may_retry: true, is_spent: false }
    }
}

impl Colours {
    /// Whether some code was left without colours because the budget was used up.
    #[must_use]
    pub fn is_spent(&self) -> bool {
        self.is_spent
    }

    /// `None` where too little of the budget is left, or the grammar gives up.
    fn colour(&mut self, syntax: &'static SyntaxReference, text: &str) -> Option<String> {
        let left = self.bytes.checked_sub(BLOCK + text.len());
        let html = left.and_then(|_| self.in_time(syntax, text));
        match left.filter(|_| html.is_some()) {
            Some(left) => self.bytes = left,
            None => self.is_spent = true,
        }
        html
    }

    /// Whether or not it succeeds, what it takes is taken from the time that is left.
    fn in_time(&mut self, syntax: &'static SyntaxReference, text: &str) -> Option<String> {
        let is_first = COMPILED.lock().unwrap_or_else(PoisonError::into_inner).insert(&syntax.name);
        let free = if is_first { FIRST_TIME } else { Duration::ZERO };
        if self.time + free == Duration::ZERO {
            return None;
        }
        let (html, time) = coloured(syntax, text, self.time + free);
        self.time = self.time.saturating_sub(time.saturating_sub(free));
        if html.is_none() && self.time == Duration::ZERO && std::mem::take(&mut self.may_retry) {
            self.time = MAX_TIME;
            return self.in_time(syntax, text);
        }
        html
    }
}

/// The processor time that this thread has used. Waiting for a core is not part of it.
fn busy() -> Duration {
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).map_or(Duration::ZERO, Duration::from)
}

/// The languages that are coloured. Each grammar takes megabytes once it is used, and keeps them, so there are only
/// those that people write in.
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

/// The parts of code that have a class, by the beginnings of their scopes in Sublime's naming. The innermost scope that
/// fits an entry counts, and the first entry that fits it.
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

/// All classes that code may have.
pub const CLASSES: [&str; 6] = ["c", "s", "n", "k", "f", "t"];

static SYNTAXES: LazyLock<SyntaxSet> = LazyLock::new(SyntaxSet::load_defaults_newlines);

static SCOPES: LazyLock<Vec<(Scope, &str)>> =
    LazyLock::new(|| PARTS.iter().filter_map(|(name, class)| Some((Scope::new(name).ok()?, *class))).collect());

/// A block of code in the language that its first line names, as in `rust` or `rust,ignore`; and how many parts it has.
#[must_use]
pub fn block(info: &str, text: &str, colours: &mut Colours) -> (String, usize) {
    let language = info.split([' ', ',', '\t', '{']).next().unwrap_or_default();
    let syntax = SYNTAXES.find_syntax_by_token(language).filter(|_| !language.is_empty());
    let syntax = syntax.filter(|syntax| LANGUAGES.contains(&syntax.name.as_str()));
    let inside = syntax.and_then(|syntax| colours.colour(syntax, text)).unwrap_or_else(|| escaped(text));
    let parts = 2 * inside.matches("<span").count();
    (format!("<pre><code>{inside}</code></pre>\n"), parts)
}

/// None where it would take longer than `most`, has a very long line, or the grammar gives up; and the time that it took.
fn coloured(syntax: &SyntaxReference, text: &str, most: Duration) -> (Option<String>, Duration) {
    let since = busy();
    let html = coloured_until(syntax, text, since + most);
    (html, busy().saturating_sub(since))
}

fn coloured_until(syntax: &SyntaxReference, text: &str, end: Duration) -> Option<String> {
    let mut state = ParseState::new(syntax);
    let mut stack = ScopeStack::new();
    let mut out = String::with_capacity(text.len() * 2);
    let mut open = None;
    for line in text.split_inclusive('\n') {
        if line.len() > MAX_IN_LINE || busy() > end {
            return None;
        }
        let mut begin = 0;
        for (to, operation) in state.parse_line(line, &SYNTAXES).ok()? {
            push(&mut out, &mut open, &stack, line.get(begin..to)?);
            begin = to;
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

/// The class of the innermost scope that has one.
fn class_of(stack: &ScopeStack) -> Option<&'static str> {
    let of = |scope: &Scope| SCOPES.iter().find(|(part, _)| part.is_prefix_of(*scope)).map(|(_, class)| *class);
    stack.as_slice().iter().rev().find_map(of)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_code_are_marked_and_everything_is_kept() {
        let mut colours = Colours::default();
        let (html, _) = block("rust,ignore", "fn main() {\n    // <greet>\n    print(\"&hi\", 1);\n}\n", &mut colours);
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
    fn what_is_not_known_or_too_long_is_text() {
        let html = |info: &str, text: &str| block(info, text, &mut Colours::default()).0;
        assert_eq!(html("", "a < b\n"), "<pre><code>a &lt; b\n</code></pre>\n");
        assert_eq!(html("no-such-language", "fn"), "<pre><code>fn</code></pre>\n");
        assert!(!html("rust", &"fn a() {}\n".repeat(6_000)).contains("<span"));
        assert!(!html("rust", &"fn ".repeat(400)).contains("<span"));
    }

    #[test]
    fn the_colours_of_a_text_are_spent_at_some_point_and_that_is_known() {
        let (mut colours, code) = (Colours::default(), "fn a() {}\n".repeat(20));
        let coloured = |colours: &mut Colours| block("rust", &code, colours).0.contains("<span");
        assert!(coloured(&mut colours) && !colours.is_spent());
        while coloured(&mut colours) {}
        assert!(colours.is_spent());
        // What needs fewer may still have them.
        assert!(block("rust", "fn b() {}", &mut Colours::default()).1 > 0);
        let mut none = Colours { time: Duration::ZERO, ..Colours::default() };
        assert!(!coloured(&mut none) && none.is_spent());
        // A block that takes too long uses up what is left, also of the blocks after it.
        let mut few = Colours { time: Duration::from_nanos(1), may_retry: false, ..Colours::default() };
        let long = "fn a(b: u8) -> u8 { b + 1 } // c\n".repeat(600);
        assert!(!block("rust", &long, &mut few).0.contains("<span") && few.time.is_zero() && !coloured(&mut few));
    }
}
