//! Redirects from the pages of an old site, in the configuration of a web server.

use std::path::Path;

use anyhow::Context as _;

/// The file's ending says which web server it is for.
///
/// # Errors
/// If the file cannot be written.
pub fn write<'a>(
    file: &Path,
    redirects: impl Iterator<Item = (&'a str, &'a str)>,
    public_url: &str,
) -> anyhow::Result<usize> {
    let is_caddy = file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("caddy"));
    let (mut text, mut count) = (String::new(), 0);
    for (path, page) in redirects {
        let lines = if is_caddy { caddy(path, page, public_url) } else { nginx(path, page, public_url) };
        let Some(lines) = lines else { continue };
        text.push_str(&lines);
        count += 1;
    }
    std::fs::write(file, text).with_context(|| format!("{} cannot be written", file.display()))?;
    Ok(count)
}

/// Whether a path has no characters that mean something to a web server. No post's path needs these.
fn is_plain(path: &str) -> bool {
    path.starts_with('/') && !path.contains(|c: char| c.is_control() || "\"\\`*{}$;".contains(c))
}

fn nginx(path: &str, page: &str, public_url: &str) -> Option<String> {
    is_plain(path).then(|| format!("location = \"{path}\" {{ return 301 \"{public_url}{page}\"; }}\n"))
}

fn caddy(path: &str, page: &str, public_url: &str) -> Option<String> {
    is_plain(path).then(|| format!("redir \"{path}\" \"{public_url}{page}\" permanent\n"))
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
