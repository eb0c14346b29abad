//! Table of all errors, which `docs/reference/errors.md` documents.

use std::sync::LazyLock;

const DOCUMENTATION: &str = include_str!("../../docs/reference/errors.md");

/// Error of the API.
#[derive(Clone, Debug)]
pub struct ErrorKind {
    /// HTTP status.
    pub status: u16,
    /// Stable code, which programs can rely on.
    pub code: &'static str,
    /// Cause of the error, or what the client should do; in Markdown.
    pub cause: &'static str,
}

static ERRORS: LazyLock<Vec<ErrorKind>> = LazyLock::new(|| DOCUMENTATION.lines().filter_map(parse_row).collect());

/// All errors, in the order of their statuses.
#[must_use]
pub fn all() -> &'static [ErrorKind] {
    &ERRORS
}

/// Parses a row of the table, such as ``| 404 | `not_found` | no page has this URL |``.
fn parse_row(line: &'static str) -> Option<ErrorKind> {
    let mut cells = line.strip_prefix("| ")?.strip_suffix(" |")?.splitn(3, " | ");
    let status = cells.next()?.parse().ok()?;
    let code = cells.next()?.strip_prefix('`')?.strip_suffix('`')?;
    Some(ErrorKind { status, code, cause: cells.next()? })
}
