//! Old URLs of imported posts, and replacement of links to them.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use evenkeel_importers::{POST_SCHEME, SourcePost};
use evenkeel_markdown::replace_links;
use percent_encoding::percent_decode_str;
use url::Url;

use crate::blog_posts::urls;

/// Placeholder base URL for resolving relative links if the URL of the old site is unknown.
const SITE: &str = "http://site.invalid/";
/// Placeholder base URL for the paths of Markdown files, so that relative links between the files can be resolved.
const FILES: &str = "http://files.invalid/";

#[derive(Debug, Default)]
pub struct UrlMap {
    /// New path by old URL, normalized by [`normalized_url`]. `None` if several posts have the same old URL.
    pages: HashMap<String, Option<String>>,
    /// New path by path suffix of the Markdown file: `a/b` and `b` for `a/b.md`. `None` for an ambiguous suffix.
    files: HashMap<String, Option<String>>,
    /// Path prefixes of imported posts on this site, such as `/blogs/42/`.
    own: HashSet<String>,
    /// Old paths that need a redirect. Each value is the normalized old URL, which is the key in `pages`.
    paths: BTreeMap<String, String>,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub struct LinkReplacement {
    pub text: String,
    pub replaced: usize,
    /// Links to the old site that match no imported post.
    pub unknown: BTreeSet<String>,
}

impl UrlMap {
    /// Adds a post with the path `page` on this site. `site` is the URL of the old site, if known.
    pub fn add(&mut self, post: &SourcePost, site: Option<&str>, page: &str) {
        for url in old_urls(post, site) {
            let key = normalized_url(&url);
            let entry = self.pages.entry(key.clone()).or_insert_with(|| Some(page.to_owned()));
            if entry.as_deref() != Some(page) {
                *entry = None;
            }
            // Adds no redirect for a draft, which had no public URL.
            if post.is_public && !url.as_str().starts_with(FILES) && url.path() != "/" {
                let path = decoded(url.path());
                self.paths.extend(path.strip_suffix('/').map(|path| (path.to_owned(), key.clone())));
                self.paths.insert(path, key);
            }
        }
        let mut file = post.path.as_deref().map(file_name).unwrap_or_default();
        while !file.is_empty() {
            let entry = self.files.entry(file.to_owned()).or_insert_with(|| Some(page.to_owned()));
            if entry.as_deref() != Some(page) {
                *entry = None;
            }
            file = file.split_once('/').map_or("", |(_, inner)| inner);
        }
        self.own.extend(post_prefix(page).map(str::to_owned));
    }

    /// Pairs of old path and new path. Omits an old path that belongs to several posts.
    pub fn redirects(&self) -> impl Iterator<Item = (&str, &str)> {
        self.paths.iter().filter_map(|(path, key)| Some((path.as_str(), self.pages.get(key)?.as_deref()?)))
    }

    /// Replaces links to imported posts. Other relative links become absolute URLs of the old site.
    pub fn replace_links(&self, post: &SourcePost, site: Option<&str>, text: &str) -> LinkReplacement {
        let mut bases = old_urls(post, site);
        bases.extend(base(site));
        let hosts: HashSet<String> = bases.iter().chain(&parsed(&post.old_site_prefixes)).map(host).collect();
        let mut linked = LinkReplacement::default();
        linked.text = replace_links(text, |address| {
            let is_own = post_prefix(address).is_some_and(|post| self.own.contains(post));
            // Template expressions such as {{ or {% are not URLs.
            if address.is_empty() || address.starts_with('#') || address.contains(['{', '\n']) || is_own {
                return None;
            }
            if let Some(file) = address.strip_prefix(POST_SCHEME) {
                let (file, fragment) = file.split_once('#').map_or((file, None), |(file, part)| (file, Some(part)));
                let Some(page) = self.files.get(file_name(file)).and_then(Option::as_ref) else {
                    linked.unknown.insert(file.to_owned());
                    return None;
                };
                linked.replaced += 1;
                return Some(fragment.map_or_else(|| page.clone(), |fragment| format!("{page}#{fragment}")));
            }
            // Zola writes internal links as `@/` and the path in the content folder.
            let path = address.strip_prefix('@').unwrap_or(address);
            let urls: Vec<Url> = bases.iter().filter_map(|base| base.join(path).ok()).collect();
            let page =
                urls.iter().find_map(|url| Some((self.pages.get(&normalized_url(url))?.as_ref()?, url.fragment())));
            if let Some((page, fragment)) = page {
                linked.replaced += 1;
                return Some(fragment.map_or_else(|| page.clone(), |fragment| format!("{page}#{fragment}")));
            }
            let url = urls.iter().find(|url| hosts.contains(&host(url)))?;
            linked.unknown.insert(address.to_owned());
            let is_relative = Url::parse(address).is_err() && site.is_some();
            is_relative.then(|| url.to_string())
        });
        linked
    }
}

fn post_prefix(page: &str) -> Option<&str> {
    let (prefix, _) = urls::POST_BY_ID.pattern.split_once('{')?;
    let id = page.strip_prefix(prefix)?.find('/')?;
    page.get(..=prefix.len() + id)
}

fn old_urls(post: &SourcePost, site: Option<&str>) -> Vec<Url> {
    let base = base(site);
    let mut all: Vec<Url> = post.old_urls.iter().filter_map(|address| base.as_ref()?.join(address).ok()).collect();
    if let Some(path) = &post.path {
        // Hugo and Zola resolve link paths from the folder `content`.
        for path in [Some(path.as_str()), path.strip_prefix("content/")].into_iter().flatten() {
            let url = Url::parse(FILES).map(|mut url| {
                url.set_path(path);
                url
            });
            all.extend(url);
        }
    }
    all
}

/// Path of a Markdown file without the folder `content`, the extension and `index`, as template tags name it.
fn file_name(path: &str) -> &str {
    let path = path.trim_start_matches('/').trim_start_matches("./");
    let path = path.strip_prefix("content/").unwrap_or(path);
    let path = path.strip_suffix(".md").or_else(|| path.strip_suffix(".markdown")).unwrap_or(path);
    path.strip_suffix("/index").unwrap_or(path).trim_end_matches('/')
}

fn base(site: Option<&str>) -> Option<Url> {
    Url::parse(site.unwrap_or(SITE)).ok()
}

fn parsed(addresses: &[String]) -> Vec<Url> {
    addresses.iter().filter_map(|address| Url::parse(address).ok()).collect()
}

/// Normalizes a URL: no scheme, `www.`, `index.html`, trailing slash or query parameters except the post id `p`.
fn normalized_url(url: &Url) -> String {
    let path = decoded(url.path());
    let path = path.strip_suffix("index.html").unwrap_or(&path).trim_end_matches('/');
    let post = url.query_pairs().find(|(name, _)| name == "p").map(|(_, post)| format!("?p={post}"));
    format!("{}{path}{}", host(url), post.unwrap_or_default())
}

fn host(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    host.strip_prefix("www.").unwrap_or(host).to_owned()
}

fn decoded(path: &str) -> String {
    percent_decode_str(path).decode_utf8_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(location: &str, addresses: &[&str]) -> SourcePost {
        SourcePost {
            is_public: true,
            path: Some(location.to_owned()),
            old_urls: addresses.iter().map(ToString::to_string).collect(),
            ..SourcePost::default()
        }
    }

    #[test]
    fn links_lead_to_the_pages_of_posts() {
        let site = Some("https://old.example");
        let (a, b) =
            (file("content/posts/a.md", &["/posts/a/"]), file("content/posts/b.md", &["/posts/b/", "/2020/b.html"]));
        let mut addresses = UrlMap::default();
        addresses.add(&a, site, "/blogs/1/a/");
        addresses.add(&b, site, "/blogs/2/b/");
        for (address, page) in [
            ("b.md", "/blogs/2/b/"),
            ("./b.md#part", "/blogs/2/b/#part"),
            ("@/posts/b.md", "/blogs/2/b/"),
            ("/posts/b.md", "/blogs/2/b/"),
            ("../b", "/blogs/2/b/"),
            ("post:b", "/blogs/2/b/"),
            ("post:posts/b.md#part", "/blogs/2/b/#part"),
            ("/2020/b.html?x=1", "/blogs/2/b/"),
            ("http://www.old.example/posts/b/index.html", "/blogs/2/b/"),
            ("#here", "#here"),
            ("/blogs/2/b/#part", "/blogs/2/b/#part"),
            ("mailto:ann@old.example", "mailto:ann@old.example"),
            ("https://else.example/posts/b/", "https://else.example/posts/b/"),
            ("{{<ref>}}", "{{<ref>}}"),
            ("/about/", "https://old.example/about/"),
            ("https://old.example/about/", "https://old.example/about/"),
        ] {
            let linked = addresses.replace_links(&a, site, &format!("[x]({address})"));
            assert_eq!(linked.text, format!("[x]({page})"), "{address}");
            assert_eq!(linked.replaced, usize::from(page != address && page.starts_with("/blogs/")), "{address}");
            assert_eq!(linked.unknown.contains(address), address.contains("about"), "{address}");
            // Replacing links in the result again changes nothing.
            assert_eq!(addresses.replace_links(&a, site, &linked.text).text, linked.text, "{address}");
        }
        assert_eq!(
            addresses.redirects().collect::<Vec<_>>(),
            [
                ("/2020/b.html", "/blogs/2/b/"),
                ("/posts/a", "/blogs/1/a/"),
                ("/posts/a/", "/blogs/1/a/"),
                ("/posts/b", "/blogs/2/b/"),
                ("/posts/b/", "/blogs/2/b/"),
            ]
        );
    }

    #[test]
    fn an_address_of_two_posts_leads_to_neither() {
        let mut addresses = UrlMap::default();
        let (a, b) = (file("a.md", &["/same/"]), file("b.md", &["/same"]));
        addresses.add(&a, None, "/blogs/1/a/");
        addresses.add(&b, None, "/blogs/2/b/");
        let linked = addresses.replace_links(&a, None, "[x](/same/) [y](b.md)");
        assert_eq!((linked.text.as_str(), linked.replaced), ("[x](/same/) [y](/blogs/2/b/)", 1));
        assert_eq!(linked.unknown, BTreeSet::from(["/same/".to_owned()]));
    }
}
