//! Detection of the format of an uploaded file, and of data after the image.

use super::error::ImageProblem;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceFormat {
    Gif,
    Jpeg,
    Png,
    WebP,
}

impl SourceFormat {
    /// Detects the format from the first bytes, because file names and content types of clients cannot be trusted.
    pub fn detect(bytes: &[u8]) -> Result<Self, ImageProblem> {
        match bytes {
            [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Ok(Self::Png),
            [0xff, 0xd8, 0xff, ..] => Ok(Self::Jpeg),
            [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Ok(Self::Gif),
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Ok(Self::WebP),
            [_, _, _, _, b'f', b't', b'y', b'p', ..] => Err(Self::unsupported_brand(bytes)),
            _ if is_svg(bytes) => Err(ImageProblem::Svg),
            _ => Err(ImageProblem::Unknown),
        }
    }

    /// Distinguishes AVIF and HEIC files, which browsers can convert, from other files in the same container format
    /// (ISO/IEC 14496-12).
    fn unsupported_brand(bytes: &[u8]) -> ImageProblem {
        let length = bytes.first_chunk().map_or(0, |length| u32::from_be_bytes(*length)) as usize;
        let brands = bytes.get(8..length.min(256)).unwrap_or_default();
        let is_one_of = |known: &[&[u8]]| brands.chunks_exact(4).any(|brand| known.contains(&brand));
        let is_known = is_one_of(&[b"avif", b"avis", b"heic", b"heix", b"hevc", b"heim"]);
        if is_known { ImageProblem::AvifOrHeic } else { ImageProblem::Unknown }
    }
}

fn is_svg(bytes: &[u8]) -> bool {
    let beginning = String::from_utf8_lossy(&bytes[..bytes.len().min(4_096)]).to_ascii_lowercase();
    beginning.contains("<svg")
}

/// Rejects polyglot files, in which an archive, web page or program follows the image. Re-encoding would remove the
/// additional data, but such files are not uploaded in good faith.
///
/// # Errors
/// [`ImageProblem::Polyglot`] for a polyglot file; [`ImageProblem::Damaged`] if the image is truncated.
pub fn reject_polyglot(source: SourceFormat, bytes: &[u8]) -> Result<(), ImageProblem> {
    let end = match source {
        SourceFormat::Gif => end_of_gif(bytes),
        SourceFormat::Jpeg => end_of_jpeg(bytes),
        SourceFormat::Png => end_of_png(bytes),
        SourceFormat::WebP => end_of_riff(bytes),
    };
    let rest = end.and_then(|end| bytes.get(end..)).ok_or(ImageProblem::Damaged)?;
    let is_else = match source {
        // Cameras append other data to a JPEG, such as a gain map or a short video, so only signatures are rejected.
        SourceFormat::Jpeg => {
            [b"PK\x05\x06".as_slice(), b"%PDF-", b"<script", b"<?php", b"<html", b"<svg", b"Rar!\x1a"]
                .iter()
                .any(|mark| rest.windows(mark.len()).any(|window| window.eq_ignore_ascii_case(mark)))
        }
        // Zero bytes are accepted, because some programs pad the end of a file with them.
        _ => rest.iter().any(|byte| *byte != 0),
    };
    if is_else { Err(ImageProblem::Polyglot) } else { Ok(()) }
}

fn read_bytes<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..)?.first_chunk().copied()
}

fn end_of_png(bytes: &[u8]) -> Option<usize> {
    let mut at = 8;
    loop {
        let length = u32::from_be_bytes(read_bytes(bytes, at)?) as usize;
        let is_last = bytes.get(at + 4..at + 8)? == b"IEND";
        at += length + 12;
        if is_last {
            return Some(at);
        }
    }
}

fn end_of_gif(bytes: &[u8]) -> Option<usize> {
    let table = |flags: u8| if flags & 0x80 == 0 { 0 } else { 3 << ((flags & 7) + 1) };
    let mut at = 13 + table(*bytes.get(10)?);
    loop {
        at += match bytes.get(at)? {
            0x3b => return Some(at + 1),
            0x21 => 2,
            0x2c => 11 + table(*bytes.get(at + 9)?),
            // Skips a zero byte, which some programs write between GIF blocks.
            0 => {
                at += 1;
                continue;
            }
            _ => return None,
        };
        loop {
            let length = usize::from(*bytes.get(at)?);
            at += 1 + length;
            if length == 0 {
                break;
            }
        }
    }
}

fn end_of_riff(bytes: &[u8]) -> Option<usize> {
    let length = u32::from_le_bytes(read_bytes(bytes, 4)?) as usize;
    // RIFF chunks are padded to an even length, but some programs omit the padding of the last chunk.
    Some((8 + length + length % 2).min(bytes.len().max(8 + length)))
}

/// Maximum number of scans of a JPEG. A decoder processes the whole image once per scan, and most files have at most
/// about ten scans.
const MAX_SCANS: usize = 100;

fn end_of_jpeg(bytes: &[u8]) -> Option<usize> {
    let (mut at, mut scans) = (2, 0);
    loop {
        // Skips fill bytes (0xFF), any number of which may precede a JPEG marker.
        at += bytes.get(at..)?.iter().take_while(|byte| **byte == 0xff).count();
        let mark = *bytes.get(at)?;
        if *bytes.get(at - 1)? != 0xff {
            return None;
        }
        at += 1;
        match mark {
            0xd9 => return Some(at),
            0x01 | 0xd0..=0xd8 => {}
            _ => at += usize::from(u16::from_be_bytes(read_bytes(bytes, at)?)),
        }
        if mark == 0xda {
            scans += 1;
            if scans > MAX_SCANS {
                return None;
            }
            // Entropy-coded data ends at a marker other than an escaped 0xFF byte or a restart marker.
            at += bytes.get(at..)?.windows(2).position(|two| two[0] == 0xff && !matches!(two[1], 0 | 0xd0..=0xd7))?;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn detects_format_by_content() {
        assert_eq!(SourceFormat::detect(b"\x89PNG\r\n\x1a\n...."), Ok(SourceFormat::Png));
        assert_eq!(SourceFormat::detect(b"\0\0\0\x1cftypmif1\0\0\0\0mif1avifmiaf"), Err(ImageProblem::AvifOrHeic));
        assert_eq!(SourceFormat::detect(b"\0\0\0\x18ftypheic\0\0\0\0mif1heic"), Err(ImageProblem::AvifOrHeic));
        assert_eq!(SourceFormat::detect(b"\0\0\0\x18ftypisom\0\0\0\0mp41isom"), Err(ImageProblem::Unknown));
        assert_eq!(
            SourceFormat::detect(b"\xef\xbb\xbf<?xml version=\"1.0\"?>\n<!-- x --><SVG xmlns="),
            Err(ImageProblem::Svg)
        );
        for unknown in [&b""[..], b"\x89PNG", b"<html>", b"PK\x03\x04", b"BM......", b"GIF89"] {
            assert_eq!(SourceFormat::detect(unknown), Err(ImageProblem::Unknown));
        }
    }

    proptest::proptest! {
        #[test]
        fn end_detection_never_panics(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..300)) {
            for source in [SourceFormat::Gif, SourceFormat::Jpeg, SourceFormat::Png, SourceFormat::WebP] {
                let _ = reject_polyglot(source, &bytes);
            }
        }
    }
}
