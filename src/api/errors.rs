//! Table of all error codes, read from `docs/reference/errors.md`.

use std::sync::LazyLock;

use serde_json::{Value, json};

const DOCUMENTATION: &str = include_str!("../../docs/reference/errors.md");

#[derive(Clone, Debug)]
pub struct ErrorKind {
    pub status: u16,
    /// Stable code, which programs can rely on.
    pub code: &'static str,
    /// Cause of the error, or what the client should do; in Markdown.
    pub cause: &'static str,
}

static ERRORS: LazyLock<Vec<ErrorKind>> = LazyLock::new(|| DOCUMENTATION.lines().filter_map(parse_row).collect());

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

/// Media type of errors (RFC 9457).
pub const PROBLEM_JSON: &str = "application/problem+json";

/// Codes of errors that any request can get, and that operations therefore do not list.
pub const GENERAL_ERRORS: [&str; 12] = [
    "bad_host",
    "two_credentials",
    "invalid_token",
    "cross_site",
    "method_not_allowed",
    "timeout",
    "too_large",
    "unsupported_type",
    "internal",
    "busy",
    "starting",
    "unavailable",
];

pub fn general_response(problem: &Value) -> Value {
    let errors: Vec<_> = all().iter().filter(|error| GENERAL_ERRORS.contains(&error.code)).collect();
    json!({
        "description": format!("Errors that any request can get:\n\n{}", list(&errors)),
        "content": { PROBLEM_JSON: { "schema": problem } },
        "x-codes": GENERAL_ERRORS,
    })
}

pub fn list(errors: &[&ErrorKind]) -> String {
    let cause = |error: &&ErrorKind| format!("- {} `{}`: {}", error.status, error.code, without_links(error.cause));
    errors.iter().map(cause).collect::<Vec<_>>().join("\n")
}

/// Replaces Markdown links by their texts, because the targets are pages of the documentation.
fn without_links(text: &str) -> String {
    let mut parts = text.split('[');
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.split_once("](").and_then(|(text, rest)| Some((text, rest.split_once(')')?.1))) {
            Some((text, rest)) => plain.extend([text, rest]),
            None => plain.extend(["[", part]),
        }
    }
    plain
}

pub fn example(error: &ErrorKind) -> Value {
    let detail = without_links(error.cause);
    json!({ "type": "about:blank", "title": error.code, "status": error.status, "detail": detail, "code": error.code })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_become_their_texts() {
        assert_eq!(without_links("of one [rate class](limits.md#rate) [1]"), "of one rate class [1]");
    }
}
