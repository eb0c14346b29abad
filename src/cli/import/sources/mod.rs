//! Sources of posts: Markdown folder, and exports of Ghost and `WordPress`.

pub(crate) mod front_matter;
pub(crate) mod ghost;
pub(crate) mod markdown_folder;
pub(crate) mod timestamp;
pub(crate) mod wordpress;
pub(crate) mod wordpress_content;
pub(crate) mod xml_reader;

use std::fs::File;
use std::io::{BufReader, Read as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};

use super::source_entry::SourceEntry;

/// Entries of an import source, in source order. An error means that the source cannot be read, and ends the import.
pub type Entries = Box<dyn Iterator<Item = anyhow::Result<SourceEntry>>>;

#[derive(Debug, PartialEq, Eq)]
pub enum Source {
    Folder(PathBuf),
    Ghost(PathBuf),
    WordPress(PathBuf),
}

/// First character of a file that is neither white space nor a byte order mark; `None` if the file has none in its first
/// kilobyte.
pub fn first_character(path: &Path) -> std::io::Result<Option<char>> {
    let mut begin = Vec::new();
    File::open(path)?.take(1024).read_to_end(&mut begin)?;
    let begin = String::from_utf8_lossy(&begin);
    Ok(begin.trim_start_matches('\u{feff}').trim_start().chars().next())
}

impl Source {
    /// Detects the type of a source. Files are distinguished by their first character.
    pub fn detect(path: &Path) -> anyhow::Result<Self> {
        let shown = path.display();
        if path.metadata().with_context(|| format!("cannot read {shown}"))?.is_dir() {
            return Ok(Self::Folder(path.to_owned()));
        }
        match first_character(path)? {
            Some('{') => Ok(Self::Ghost(path.to_owned())),
            Some('<') => Ok(Self::WordPress(path.to_owned())),
            _ => bail!(
                "{shown} is neither a folder of Markdown files nor an export of Ghost (JSON), WordPress (XML) or \
                BitPin-Blog (JSON)"
            ),
        }
    }

    pub fn read_entries(&self, old_site: Option<&str>) -> anyhow::Result<Entries> {
        Ok(match self {
            Self::Folder(folder) => Box::new(markdown_folder::read_entries(folder)?),
            Self::Ghost(file) => Box::new(ghost::entries(BufReader::new(File::open(file)?), old_site)?),
            Self::WordPress(file) => {
                let file = file.clone();
                Box::new(wordpress::read_entries(move || Ok(BufReader::new(File::open(&file)?)))?)
            }
        })
    }

    /// Folder of a Markdown source, which is searched for images in addition to the folder given by `--images`. `None`
    /// if the source is an export file.
    pub fn image_folder(&self) -> Option<&Path> {
        if let Self::Folder(folder) = self { Some(folder) } else { None }
    }
}
