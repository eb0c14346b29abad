//! Line diff between the saved text and the submitted text, shown after an edit conflict.

use std::time::{Duration, Instant};

use similar::{ChangeTag, TextDiff};

const CONTEXT_LINES: usize = 2;
/// Time limit of the diff, after which the remaining lines count as entirely different.
const TIME_LIMIT: Duration = Duration::from_millis(100);
const MAX_LINES: usize = 500;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiffLine {
    pub side: DiffLineKind,
    pub text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiffLineKind {
    Unchanged,
    Theirs,
    Mine,
    Skipped,
}

impl DiffLineKind {
    pub fn css_class(self) -> &'static str {
        match self {
            Self::Unchanged => "both",
            Self::Theirs => "theirs",
            Self::Mine => "mine",
            Self::Skipped => "skipped",
        }
    }

    pub fn marker(self) -> &'static str {
        match self {
            Self::Unchanged => " ",
            Self::Theirs => "−",
            Self::Mine => "+",
            Self::Skipped => "⋯",
        }
    }
}

pub fn diff_lines(theirs: &str, mine: &str) -> Vec<DiffLine> {
    // Appends a missing line break to the last line, which would otherwise count as different.
    let ended = |text: &str| text.lines().flat_map(|line| [line, "\n"]).collect::<String>();
    let (theirs, mine) = (ended(theirs), ended(mine));
    let difference = TextDiff::configure().deadline(Instant::now() + TIME_LIMIT).diff_lines(&theirs, &mine);
    let mut lines = Vec::new();
    for (number, group) in difference.grouped_ops(CONTEXT_LINES).iter().enumerate() {
        if number > 0 {
            lines.push(DiffLine { side: DiffLineKind::Skipped, text: String::new() });
        }
        for change in group.iter().flat_map(|part| difference.iter_changes(part)) {
            let whose = match change.tag() {
                ChangeTag::Equal => DiffLineKind::Unchanged,
                ChangeTag::Delete => DiffLineKind::Theirs,
                ChangeTag::Insert => DiffLineKind::Mine,
            };
            lines.push(DiffLine { side: whose, text: change.value().trim_end_matches('\n').to_owned() });
        }
    }
    lines.truncate(MAX_LINES);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn returns_differing_lines_with_context() {
        let theirs = "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n";
        let shown = |lines: Vec<DiffLine>| -> String {
            lines.iter().map(|line| format!("{}{}", line.side.marker(), line.text)).collect::<Vec<_>>().join("|")
        };
        assert_eq!(
            shown(diff_lines(theirs, &theirs.replace("b\n", "B\n").replace("j\n", "j\r\nk\n"))),
            " a|−b|+B| c| d|⋯| i| j|+k"
        );
        assert!(diff_lines("a\n", "a\n").is_empty() && diff_lines("a", "a\r\n").is_empty());
        assert_eq!(shown(diff_lines("a\nb\nc\n", "a\nb")), " a| b|−c");
        assert_eq!(shown(diff_lines("", "x")), "+x");
        // The time limit ends the diff of two long texts that have few lines in common.
        let numbers: Vec<String> = (0..60_000).map(|number| number.to_string()).collect();
        let (one, other) = (numbers.join("\n"), numbers.into_iter().rev().collect::<Vec<_>>().join("\n"));
        assert_eq!(diff_lines(&one, &other).len(), MAX_LINES);
    }
}
