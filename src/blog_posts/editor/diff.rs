//! Line diff between the saved text and the submitted text, shown after an edit conflict.

use std::time::{Duration, Instant};

use similar::{ChangeTag, TextDiff};

/// Unchanged lines of context around each difference.
const AROUND: usize = 2;

/// Time limit of the diff algorithm; after this time the rest counts as entirely different. Long texts could otherwise
/// take very long to compare.
const PATIENCE: Duration = Duration::from_millis(100);

const MOST: usize = 500;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    pub whose: Whose,
    pub text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    Both,
    Theirs,
    Mine,
    /// Placeholder for unchanged lines that are not shown.
    Skipped,
}

impl Whose {
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Both => "both",
            Self::Theirs => "theirs",
            Self::Mine => "mine",
            Self::Skipped => "skipped",
        }
    }

    #[must_use]
    pub fn mark(self) -> &'static str {
        match self {
            Self::Both => " ",
            Self::Theirs => "−",
            Self::Mine => "+",
            Self::Skipped => "⋯",
        }
    }
}

/// Returns the differing lines with some lines of context.
#[must_use]
pub fn lines(theirs: &str, mine: &str) -> Vec<Line> {
    // Appends a missing line break to the last line, which would otherwise count as different.
    let ended = |text: &str| text.lines().flat_map(|line| [line, "\n"]).collect::<String>();
    let (theirs, mine) = (ended(theirs), ended(mine));
    let difference = TextDiff::configure().deadline(Instant::now() + PATIENCE).diff_lines(&theirs, &mine);
    let mut lines = Vec::new();
    for (number, group) in difference.grouped_ops(AROUND).iter().enumerate() {
        if number > 0 {
            lines.push(Line { whose: Whose::Skipped, text: String::new() });
        }
        for change in group.iter().flat_map(|part| difference.iter_changes(part)) {
            let whose = match change.tag() {
                ChangeTag::Equal => Whose::Both,
                ChangeTag::Delete => Whose::Theirs,
                ChangeTag::Insert => Whose::Mine,
            };
            lines.push(Line { whose, text: change.value().trim_end_matches('\n').to_owned() });
        }
    }
    lines.truncate(MOST);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_differ_are_shown_with_those_around_them() {
        let theirs = "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n";
        let shown = |lines: Vec<Line>| -> String {
            lines.iter().map(|line| format!("{}{}", line.whose.mark(), line.text)).collect::<Vec<_>>().join("|")
        };
        assert_eq!(
            shown(lines(theirs, &theirs.replace("b\n", "B\n").replace("j\n", "j\r\nk\n"))),
            " a|−b|+B| c| d|⋯| i| j|+k"
        );
        assert!(lines("a\n", "a\n").is_empty() && lines("a", "a\r\n").is_empty());
        assert_eq!(shown(lines("a\nb\nc\n", "a\nb")), " a| b|−c");
        assert_eq!(shown(lines("", "x")), "+x");
        // The time limit ends the diff of two long texts that have few lines in common.
        let numbers: Vec<String> = (0..60_000).map(|number| number.to_string()).collect();
        let (one, other) = (numbers.join("\n"), numbers.into_iter().rev().collect::<Vec<_>>().join("\n"));
        assert_eq!(lines(&one, &other).len(), MOST);
    }
}
