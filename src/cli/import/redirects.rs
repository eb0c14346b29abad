//! Redirects from old to new URLs of imported posts, as nginx or Caddy configuration.

use std::path::Path;

use actix_web::dev::ResourceDef;
use anyhow::{Context as _, ensure};

use crate::web::routing::route::RouteTable;
use crate::web::routing::urls::STATIC_FILE;

/// Checks before the import that the file for redirects can be written.
pub fn check_writable(file: &Path) -> anyhow::Result<()> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    ensure!(folder.is_dir(), "--redirects: the folder {} does not exist", folder.display());
    ensure!(!file.is_dir(), "--redirects: {} is a folder; name a file", file.display());
    Ok(())
}

/// Writes redirects and returns their number. Skips paths that contain special characters, and paths of pages of this
/// site, which a redirect would hide.
pub fn write<'a>(
    file: &Path,
    redirects: impl Iterator<Item = (&'a str, &'a str)>,
    public_url: &str,
) -> anyhow::Result<usize> {
    let is_caddy = file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("caddy"));
    let (mut text, mut count) = (String::new(), 0);
    let patterns = RouteTable::global().iter().map(|route| route.pattern).chain([STATIC_FILE.pattern]);
    let pages: Vec<_> = patterns.map(ResourceDef::new).collect();
    for (path, page) in redirects {
        if !is_plain(path) || is_of_site(path, &pages) {
            continue;
        }
        let line = if is_caddy {
            format!("redir \"{path}\" \"{public_url}{page}\" permanent\n")
        } else {
            format!("location = \"{path}\" {{ return 301 \"{public_url}{page}\"; }}\n")
        };
        text.push_str(&line);
        count += 1;
    }
    std::fs::write(file, text).with_context(|| format!("cannot write {}", file.display()))?;
    Ok(count)
}

/// True if a path has no characters with a special meaning in nginx or Caddy configuration.
fn is_plain(path: &str) -> bool {
    path.starts_with('/') && !path.contains(|c: char| c.is_control() || "\"\\`*{}$;".contains(c))
}

fn is_of_site(path: &str, pages: &[ResourceDef]) -> bool {
    // Also tests the path with a trailing slash, because the site redirects a path without the slash to the page.
    let with_slash = format!("{}/", path.trim_end_matches('/'));
    pages.iter().any(|page| page.is_match(path) || page.is_match(&with_slash))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_lead_to_pages() {
        let redirects = [("/a b/é/", "/blogs/1/a/"), ("/evil\"; }", "/blogs/2/b/")];
        let dir = tempfile::tempdir().unwrap();
        for (name, text) in [
            ("a.conf", "location = \"/a b/é/\" { return 301 \"https://new.example/blogs/1/a/\"; }\n"),
            ("a.caddy", "redir \"/a b/é/\" \"https://new.example/blogs/1/a/\" permanent\n"),
        ] {
            let file = dir.path().join(name);
            assert_eq!(write(&file, redirects.into_iter(), "https://new.example").unwrap(), 1);
            assert_eq!(std::fs::read_to_string(file).unwrap(), text);
        }
    }
}
