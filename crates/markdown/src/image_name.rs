//! Names of stored images.
//!
//! A name contains the hash of the content, the size in pixels and the type:
//! `0123456789abcdef0123456789abcdef-1920x1280.jpg`. Pages need only the name to show an image, and a file with a given
//! name never changes. Smaller versions have their width at the end: `…-1920x1280-480w.jpg`.

use std::fmt::{self, Display, Write as _};

/// Widths of the smaller versions of an image, in pixels. A version is created only if the original image is wider.
pub const DOWNSCALED_WIDTHS: [u32; 2] = [480, 960];

/// Maximum width and height of an image in pixels. Some programs cannot show larger images.
pub const MAX_SIDE_PIXELS: u32 = 30_000;

/// Path prefix of image files.
pub const PATH_PREFIX: &str = "/images/";

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ImageType {
    /// GIF image, which may be animated. GIF images have no smaller versions.
    Gif,
    Jpeg,
    Png,
}

impl ImageType {
    pub const ALL: [Self; 3] = [Self::Gif, Self::Jpeg, Self::Png];

    pub fn extension(self) -> &'static str {
        match self {
            Self::Gif => "gif",
            Self::Jpeg => "jpg",
            Self::Png => "png",
        }
    }

    pub fn media_type(self) -> &'static str {
        match self {
            Self::Gif => "image/gif",
            Self::Jpeg => "image/jpeg",
            Self::Png => "image/png",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ImageName {
    /// First 16 bytes of the SHA-256 hash, as lower-case hexadecimal digits.
    hash: String,
    pub width: u32,
    pub height: u32,
    pub image_type: ImageType,
}

impl ImageName {
    pub fn new(hash: [u8; 16], width: u32, height: u32, kind: ImageType) -> Self {
        let hash = hash.iter().fold(String::with_capacity(32), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        });
        Self { hash, width, height, image_type: kind }
    }

    /// Parses the name of an image in its original size. Only the spelling that `Display` writes is accepted.
    pub fn parse(text: &str) -> Option<Self> {
        match ImageFile::parse(text)? {
            ImageFile { name, width: None } => Some(name),
            ImageFile { .. } => None,
        }
    }

    pub fn from_path(path: &str) -> Option<Self> {
        Self::parse(path.strip_prefix(PATH_PREFIX)?)
    }

    pub fn path(&self) -> String {
        format!("{PATH_PREFIX}{self}")
    }

    /// Files of the image, in ascending order of width.
    pub fn files(&self) -> impl Iterator<Item = ImageFile> {
        let smaller = DOWNSCALED_WIDTHS
            .into_iter()
            .filter(|width| self.image_type != ImageType::Gif && *width < self.width)
            .map(Some);
        smaller.chain([None]).map(|width| ImageFile { name: self.clone(), width })
    }

    /// Path of the smallest file that is at least `width` pixels wide, or of the widest file if all files are narrower.
    pub fn path_for_width(&self, width: u32) -> String {
        let wide = self.files().find(|file| file.width.is_none_or(|of_file| of_file >= width));
        wide.map_or_else(|| self.path(), |file| file.path())
    }

    /// Value of the `srcset` attribute; empty if the image has only one file.
    pub fn srcset(&self) -> String {
        let files: Vec<String> =
            self.files().map(|file| format!("{} {}w", file.path(), file.width.unwrap_or(self.width))).collect();
        if files.len() > 1 { files.join(", ") } else { String::new() }
    }
}

impl Display for ImageName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}x{}.{}", self.hash, self.width, self.height, self.image_type.extension())
    }
}

/// File of an image: the original size or a smaller version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImageFile {
    pub name: ImageName,
    /// Width of a smaller version in pixels, or `None` for the original size.
    pub width: Option<u32>,
}

impl ImageFile {
    /// Parses a file name. Only the spelling that `Display` writes is accepted.
    pub fn parse(text: &str) -> Option<Self> {
        let (stem, extension) = text.split_once('.')?;
        let kind = ImageType::ALL.into_iter().find(|kind| kind.extension() == extension)?;
        let mut parts = stem.split('-');
        let (hash, size, width) = (parts.next()?, parts.next()?, parts.next());
        let is_hexadecimal = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        if hash.len() != 32 || !hash.bytes().all(is_hexadecimal) || parts.next().is_some() {
            return None;
        }
        let (across, down) = size.split_once('x')?;
        let name = ImageName {
            hash: hash.to_owned(),
            width: parse_side(across)?,
            height: parse_side(down)?,
            image_type: kind,
        };
        let width = width.map(|width| width.strip_suffix('w').and_then(parse_side).ok_or(())).transpose().ok()?;
        let file = Self { name, width };
        let is_known = file.name.files().any(|known| known == file);
        is_known.then_some(file)
    }

    pub fn path(&self) -> String {
        format!("{PATH_PREFIX}{self}")
    }
}

impl Display for ImageFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ImageName { hash, width, height, image_type: kind } = &self.name;
        write!(f, "{hash}-{width}x{height}")?;
        if let Some(width) = self.width {
            write!(f, "-{width}w")?;
        }
        write!(f, ".{}", kind.extension())
    }
}

fn parse_side(text: &str) -> Option<u32> {
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit()) && !text.starts_with('0');
    text.parse().ok().filter(|side| is_number && (1..=MAX_SIDE_PIXELS).contains(side))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HASH: &str = "0123456789abcdef0123456789abcdef";

    #[test]
    fn parses_canonical_names_and_lists_files() {
        let text = format!("{HASH}-1920x1280.jpg");
        let name = ImageName::from_path(&format!("/images/{text}")).unwrap();
        assert_eq!(
            (name.to_string(), name.width, name.height, name.image_type),
            (text.clone(), 1920, 1280, ImageType::Jpeg)
        );
        let files: Vec<String> = name.files().map(|file| file.to_string()).collect();
        assert_eq!(files, [format!("{HASH}-1920x1280-480w.jpg"), format!("{HASH}-1920x1280-960w.jpg"), text]);
        assert!(files.iter().all(|file| ImageFile::parse(file).unwrap().to_string() == *file));
        assert_eq!(name.path_for_width(96), format!("/images/{HASH}-1920x1280-480w.jpg"));
        assert_eq!(name.path_for_width(1_000), name.path());
        let small = ImageName::parse(&format!("{HASH}-480x20.png")).unwrap();
        assert_eq!((small.files().count(), small.srcset()), (1, String::new()));
        assert_eq!(ImageName::parse(&format!("{HASH}-2000x20.gif")).unwrap().files().count(), 1);
    }

    #[test]
    fn rejects_invalid_names() {
        for text in [
            "",
            ".jpg",
            "../etc/passwd",
            &format!("{HASH}-1920x1280"),
            &format!("{HASH}-1920x1280.svg"),
            &format!("{HASH}-1920x1280.jpg.jpg"),
            &format!("{HASH}-01920x1280.jpg"),
            &format!("{HASH}-+1920x1280.jpg"),
            &format!("{HASH}-0x1280.jpg"),
            &format!("{HASH}-30001x1280.jpg"),
            &format!("{HASH}-1920x1280-481w.jpg"),
            &format!("{HASH}-480x1280-480w.jpg"),
            &format!("{HASH}-1920x1280-480w-480w.jpg"),
            &format!("{HASH}-1920x1280-480w.gif"),
            &format!("{}-1920x1280.jpg", HASH.to_uppercase()),
            &format!("{}-1920x1280.jpg", &HASH[1..]),
        ] {
            assert!(ImageFile::parse(text).is_none(), "{text}");
        }
        assert!(ImageName::parse(&format!("{HASH}-1920x1280-480w.jpg")).is_none());
        assert!(ImageName::from_path(&format!("https://example.org/images/{HASH}-1920x1280.jpg")).is_none());
    }
}
