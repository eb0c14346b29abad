//! Lookup of the image files of an imported blog in local folders.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use percent_encoding::percent_decode_str;
use unicode_normalization::UnicodeNormalization as _;

use super::source_entry::SourcePost;

/// Maximum length of an image path in bytes, as in Linux.
const MAX_PATH_BYTES: usize = 4_096;

/// Folders that contain the image files of a source.
#[derive(Debug)]
pub struct ImageFolders {
    /// Canonical paths of the folders. Empty if the source has no known image folder.
    folders: Vec<PathBuf>,
}

#[derive(Debug, PartialEq, Eq)]
pub enum ImageLookup {
    /// Image on another site, or on the old site if no image folder is known. The import keeps the image URL.
    External,
    Missing,
    Found(PathBuf),
}

impl ImageFolders {
    pub fn new<'a>(folders: impl IntoIterator<Item = &'a Path>) -> anyhow::Result<Self> {
        let named =
            |folder: &Path| fs::canonicalize(folder).with_context(|| format!("cannot read {}", folder.display()));
        Ok(Self { folders: folders.into_iter().map(named).collect::<anyhow::Result<_>>()? })
    }

    /// Looks up the file of an image URL. Files outside the image folders are never returned, even for a path with `..`
    /// or a symbolic link.
    pub fn find(&self, found: &SourcePost, address: &str) -> ImageLookup {
        let of_site = |site: &String| address.strip_prefix(site.as_str()).filter(|rest| rest.starts_with('/'));
        let path = found.old_site_prefixes.iter().find_map(of_site).unwrap_or(address);
        if path.starts_with("//") || path.starts_with("data:") || path.contains("://") {
            return ImageLookup::External;
        }
        if path.len() > MAX_PATH_BYTES {
            return ImageLookup::Missing;
        }
        let path = percent_decode_str(path.split(['?', '#']).next().unwrap_or_default()).decode_utf8_lossy();
        // Looks up both Unicode spellings of a name, because macOS, for example, may store decomposed letters (NFD).
        let spellings = [path.nfc().collect::<String>(), path.nfd().collect()];
        let look = |folder: &PathBuf| spellings.iter().find_map(|path| file(folder, found.folder.as_deref(), path));
        match self.folders.iter().find_map(look) {
            Some(file) => ImageLookup::Found(file),
            // The URL is kept, because the old site may still serve the image.
            None if self.folders.is_empty() && address.contains("://") => ImageLookup::External,
            None => ImageLookup::Missing,
        }
    }
}

fn file(folder: &Path, beside: Option<&Path>, path: &str) -> Option<PathBuf> {
    let inside = |candidate: PathBuf| {
        let file = fs::canonicalize(candidate).ok()?;
        (file.starts_with(folder) && file.is_file()).then_some(file)
    };
    let near = beside.filter(|_| !path.starts_with('/')).and_then(|beside| inside(beside.join(path)));
    let mut rest = path.trim_start_matches('/');
    let mut found = near.or_else(|| inside(folder.join(rest)));
    // The image folder may be a copy of a subfolder of the old site, such as `wp-content/uploads`, so the file is also
    // looked up without the leading path segments.
    while let Some((_, inner)) = rest.split_once('/').filter(|(_, inner)| found.is_none() && inner.contains('/')) {
        found = inside(folder.join(inner));
        rest = inner;
    }
    found
}

/// Reads a file of at most `max_bytes`.
pub fn read(file: &Path, max_bytes: usize) -> Result<Vec<u8>, String> {
    let length = file.metadata().map_err(|error| error.to_string())?.len();
    if length > max_bytes as u64 {
        return Err(format!("the file is larger than {} MiB", max_bytes >> 20));
    }
    fs::read(file).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_are_found_in_their_folder_and_nowhere_else() {
        let dir = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(dir.path()).unwrap();
        for (folder, file) in [("site/posts/a", "near.png"), ("site/2020/01", "b c.png"), (".", "outside.png")] {
            fs::create_dir_all(root.join(folder)).unwrap();
            fs::write(root.join(folder).join(file), "x").unwrap();
        }
        std::os::unix::fs::symlink(root.join("outside.png"), root.join("site/link.png")).unwrap();
        let pictures = ImageFolders::new([root.join("site").as_path()]).unwrap();
        let found = SourcePost {
            folder: Some(root.join("site/posts/a")),
            old_site_prefixes: vec!["https://old.example".to_owned()],
            ..SourcePost::default()
        };
        let there = |file: &str| ImageLookup::Found(root.join("site").join(file));
        for (address, looked) in [
            ("near.png", there("posts/a/near.png")),
            ("./near.png?x#y", there("posts/a/near.png")),
            ("/2020/01/b%20c.png", there("2020/01/b c.png")),
            ("https://old.example/wp-content/uploads/2020/01/b%20c.png", there("2020/01/b c.png")),
            ("https://old.example.org/2020/01/b%20c.png", ImageLookup::External),
            ("//old.example/near.png", ImageLookup::External),
            ("data:image/png;base64,AA==", ImageLookup::External),
            ("../../../outside.png", ImageLookup::Missing),
            ("/../outside.png", ImageLookup::Missing),
            ("/link.png", ImageLookup::Missing),
            ("/posts", ImageLookup::Missing),
            ("", ImageLookup::Missing),
        ] {
            assert_eq!(pictures.find(&found, address), looked, "{address}");
        }
        let nowhere = ImageFolders::new([]).unwrap();
        assert_eq!(nowhere.find(&found, "https://old.example/a.png"), ImageLookup::External);
        assert_eq!(nowhere.find(&found, "/a.png"), ImageLookup::Missing);
    }
}
