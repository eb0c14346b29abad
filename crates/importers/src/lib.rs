#![doc = include_str!("../README.md")]
#![cfg_attr(test, allow(clippy::too_many_lines, reason = "tables of examples"))]

mod front_matter;
mod ghost;
mod html_to_markdown;
pub mod image_files;
mod markdown_folder;
mod raw_html;
mod site_config;
mod source_entry;
mod template_tags;
mod timestamp;
mod wordpress;
mod wordpress_content;
mod xml_reader;

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use chrono_tz::Tz;
use encoding_rs::{Decoder, Encoding};

use self::site_config::SiteConfig;
pub use self::source_entry::{SourceEntry, SourcePost};
pub use self::template_tags::POST_SCHEME;

/// Iterator over the entries of an import source. An error means that the source cannot be read, and ends the import.
pub type Entries = Box<dyn Iterator<Item = anyhow::Result<SourceEntry>>>;

#[derive(Debug, PartialEq, Eq)]
pub enum Source {
    /// Folder of Markdown files with front matter, such as the sources of a Jekyll or Hugo site.
    Folder(PathBuf),
    Ghost(PathBuf),
    WordPress(PathBuf),
}

#[derive(Clone, Copy, Debug)]
pub struct ReadOptions<'a> {
    /// URL of the old site, if known.
    pub old_site: Option<&'a str>,
    /// Time zone of times without a UTC offset.
    pub time_zone: Tz,
    /// True if `time_zone` takes precedence over the time zone in the source's configuration.
    pub is_zone_chosen: bool,
}

impl Default for ReadOptions<'_> {
    fn default() -> Self {
        Self { old_site: None, time_zone: Tz::UTC, is_zone_chosen: false }
    }
}

/// Opens a text file and decodes it to UTF-8. The encoding is taken from a byte order mark or an XML declaration, else
/// it is UTF-8. Invalid bytes become replacement characters.
pub fn open(path: &Path) -> anyhow::Result<impl Read + use<>> {
    let cannot = || format!("cannot read {}", path.display());
    let mut begin = Vec::new();
    File::open(path).with_context(cannot)?.take(1024).read_to_end(&mut begin).with_context(cannot)?;
    let encoding = declared_encoding(&begin).unwrap_or(encoding_rs::UTF_8);
    let file = File::open(path).with_context(cannot)?;
    Ok(DecodingReader { file, decoder: encoding.new_decoder(), decoded: String::new(), position: 0, is_at_end: false })
}

struct DecodingReader {
    file: File,
    decoder: Decoder,
    decoded: String,
    /// Number of bytes of `decoded` that have been read.
    position: usize,
    is_at_end: bool,
}

impl Read for DecodingReader {
    fn read(&mut self, to: &mut [u8]) -> std::io::Result<usize> {
        let mut bytes = [0; 8192];
        while self.position == self.decoded.len() && !self.is_at_end {
            let count = self.file.read(&mut bytes)?;
            (self.position, self.is_at_end) = (0, count == 0);
            self.decoded.clear();
            self.decoded.reserve(self.decoder.max_utf8_buffer_length(count).unwrap_or_default());
            // `decode_to_string` decodes all bytes, because enough capacity was reserved.
            let _ = self.decoder.decode_to_string(&bytes[..count], &mut self.decoded, self.is_at_end);
        }
        let count = (&self.decoded.as_bytes()[self.position..]).read(to)?;
        self.position += count;
        Ok(count)
    }
}

/// Encoding in an XML declaration, such as `<?xml version="1.0" encoding="ISO-8859-1"?>`.
fn declared_encoding(begin: &[u8]) -> Option<&'static Encoding> {
    let begin = String::from_utf8_lossy(begin);
    let declaration = begin.trim_start().strip_prefix("<?xml")?.split("?>").next()?.to_owned();
    let value = declaration.split("encoding").nth(1)?.trim_start_matches([' ', '=']);
    let label = value.trim_start_matches(['"', '\'']).split(['"', '\'']).next()?;
    // UTF-16 is ignored, because a declaration that is readable as ASCII is not in UTF-16.
    Encoding::for_label(label.as_bytes()).filter(|encoding| encoding.is_ascii_compatible())
}

/// First character of a file that is not white space. `None` if the first kilobyte is white space.
pub fn first_character(path: &Path) -> anyhow::Result<Option<char>> {
    let mut begin = String::new();
    open(path)?.take(1024).read_to_string(&mut begin).ok();
    Ok(begin.trim_start().chars().next())
}

impl Source {
    /// Detects the type of a source: a folder, or a file of the format that its first character indicates.
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

    /// # Errors
    /// Returns an error if the source cannot be read or is not an export of the expected program.
    pub fn read_entries(&self, options: ReadOptions<'_>) -> anyhow::Result<Entries> {
        Ok(match self {
            Self::Folder(folder) => Box::new(markdown_folder::read_entries(folder, options)?),
            Self::Ghost(file) => Box::new(ghost::entries(BufReader::new(open(file)?), options)?),
            Self::WordPress(file) => {
                let file = file.clone();
                Box::new(wordpress::read_entries(move || Ok(BufReader::new(open(&file)?)), options.time_zone)?)
            }
        })
    }

    /// Folders that may contain images of a Markdown source, in addition to the folder in `--images`. Empty for an
    /// export file.
    pub fn image_folders(&self) -> anyhow::Result<Vec<PathBuf>> {
        let Self::Folder(folder) = self else { return Ok(Vec::new()) };
        let folders = SiteConfig::read(folder)?.file_folders();
        Ok([folder.clone()].into_iter().chain(folders).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_decoded_as_they_declare() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("a.xml");
        let latin = b"<?xml version='1.0' encoding='ISO-8859-1' ?>caf\xe9".as_slice();
        let utf16: Vec<u8> = "\u{feff}<a>é".encode_utf16().flat_map(u16::to_le_bytes).collect();
        for (bytes, text) in [
            (latin, "<?xml version='1.0' encoding='ISO-8859-1' ?>café"),
            (b"\xef\xbb\xbf<a>\xc3\xa9 \xe9", "<a>é \u{fffd}"),
            (&utf16, "<a>é"),
            ("<?xml version='1.0' encoding='UTF-16'?>é".as_bytes(), "<?xml version='1.0' encoding='UTF-16'?>é"),
        ] {
            std::fs::write(&file, bytes).unwrap();
            let mut read = String::new();
            open(&file).unwrap().read_to_string(&mut read).unwrap();
            assert_eq!((read.as_str(), first_character(&file).unwrap()), (text, Some('<')));
        }
    }
}
