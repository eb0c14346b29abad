//! Loader of the `.env` file.

use std::io;

/// Error when loading the `.env` file. Messages contain line numbers, but no text of the file, which may be a secret.
#[derive(Debug, thiserror::Error)]
pub enum DotenvError {
    #[error("cannot read .env: {0}")]
    Unreadable(#[from] io::Error),
    #[error("line {0} of .env is not of the form NAME=value; values with spaces must be quoted")]
    Line(usize),
}

/// Adds the variables of `.env`, in the current folder or its nearest parent, to the environment of the process.
/// Variables that are already set keep their values. Returns the names of all variables in the file.
pub fn load() -> Result<Vec<String>, DotenvError> {
    let folder = std::env::current_dir()?;
    let Some(path) = folder.ancestors().map(|folder| folder.join(".env")).find(|path| path.is_file()) else {
        return Ok(Vec::new());
    };
    let text = std::fs::read_to_string(path)?;
    let text = text.trim_start_matches('\u{feff}');
    let names = names(text)?;
    dotenvy::from_read(text.as_bytes()).map_err(|error| unreadable(&error))?;
    Ok(names)
}

fn unreadable(error: &dotenvy::Error) -> DotenvError {
    DotenvError::Unreadable(io::Error::other(error.to_string()))
}

fn names(text: &str) -> Result<Vec<String>, DotenvError> {
    let named = dotenvy::from_read_iter(text.as_bytes()).map(|item| match item {
        Ok((name, _)) => Ok(name),
        Err(dotenvy::Error::LineParse(assignment, _)) => Err(DotenvError::Line(line_number(text, &assignment))),
        Err(error) => Err(unreadable(&error)),
    });
    named.collect()
}

/// Finds the line number of an assignment for an error message. `dotenvy` errors contain neither the line number nor a
/// comment after the assignment.
fn line_number(text: &str, assignment: &str) -> usize {
    let is_rest = |rest: &str| rest.is_empty() || rest.starts_with(['\n', '\r', '#']);
    let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(end, _)| end + 1));
    1 + starts.take_while(|start| !text[*start..].strip_prefix(assignment).is_some_and(is_rest)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_a_broken_line_by_its_number_and_does_not_show_it() {
        assert_eq!(names("# a\n\nA=1\nexport B='two\nlines'\n").unwrap(), ["A", "B"]);
        for (text, line) in
            [("secret\n", 1), ("A=1\n# x\n\nB secret\nC=1\n", 4), ("A='x\ny'\nB secret", 3), ("A=1\nB='x\ny\n", 2)]
        {
            assert_eq!(names(text).unwrap_err().to_string(), DotenvError::Line(line).to_string());
        }
    }
}
