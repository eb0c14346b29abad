//! Loader of the `.env` file.

use std::cell::Cell;
use std::io::{self, Read};
use std::rc::Rc;

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
    let read = Rc::<Cell<usize>>::default();
    let lines = Lines { left: text.as_bytes(), read: read.clone() };
    let named = dotenvy::from_read_iter(lines).map(|item| match item {
        Ok((name, _)) => Ok(name),
        // If a quoted value spans several lines, the error contains the number of its first line.
        Err(dotenvy::Error::LineParse(broken, _)) => {
            Err(DotenvError::Line((read.get() + 1).saturating_sub(broken.lines().count().max(1))))
        }
        Err(error) => Err(unreadable(&error)),
    });
    named.collect()
}

/// Reader that returns one line at a time and counts the lines, because errors of `dotenvy` contain no line numbers.
struct Lines<'a> {
    left: &'a [u8],
    read: Rc<Cell<usize>>,
}

impl Read for Lines<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let line = self.left.iter().position(|byte| *byte == b'\n').map_or(self.left.len(), |at| at + 1);
        let (now, left) = self.left.split_at(line.min(buffer.len()));
        buffer[..now.len()].copy_from_slice(now);
        self.left = left;
        if now.ends_with(b"\n") || (!now.is_empty() && left.is_empty()) {
            self.read.set(self.read.get() + 1);
        }
        Ok(now.len())
    }
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
