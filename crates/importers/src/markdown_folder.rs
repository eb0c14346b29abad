//! Import source: a folder of Markdown files with front matter, as used by Jekyll, Hugo, Zola and Eleventy.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};
use chrono::{DateTime, NaiveDate, NaiveTime, Utc};
use chrono_tz::Tz;
use evenkeel_markdown::check_nesting;
use serde_json::Value;

use super::front_matter::{self, Fields};
use super::raw_html::convert_html;
use super::site_config::{Generator, PathValues, SiteConfig, expand};
use super::template_tags::{protect_formulas, remove_attribute_lists, replace_asterisks, replace_tags};
use super::{ReadOptions, timestamp};
use crate::html_to_markdown::MAX_BYTES;
use crate::source_entry::{SourceEntry, SourcePost};

/// Maximum file size in bytes, far above the maximum size of a post.
const MAX_FILE: u64 = 4 << 20;

/// Maximum depth of nested folders.
const MAX_DEPTH: usize = 32;

/// Markdown source with the configuration that applies to all its files.
struct Source {
    folder: PathBuf,
    config: SiteConfig,
    zone: Tz,
    /// True if the site has a folder `_posts`. Jekyll treats files outside of `_posts` as pages.
    has_posts_folder: bool,
}

/// Languages that are detected in names of files and folders. Some ISO 639-1 codes are missing, because they also occur
/// in other names, as in `socket.io.md` and `main.ts.md`.
const LANGUAGES: &str = "af ak am ar az be bg bn ca cs cy da de el en eo es et fa fi fil fr gu he hi hr hu hy id it ja jv ka \
    km kn ko la lt lv mk ml mr my nb ne nl nn no or pa pl pt ro ru si sk sl sn sr sv ta te th tk tl tr uk ur uz vi yi zh \
    zu";

/// Folders of static site generators that contain no posts, and are skipped.
const OTHER_FOLDERS: [&str; 6] = ["archetypes", "node_modules", "themes", "vendor", "_site", "public"];

pub fn read_entries(
    folder: &Path,
    options: ReadOptions<'_>,
) -> anyhow::Result<impl Iterator<Item = anyhow::Result<SourceEntry>> + use<>> {
    let mut files = Vec::new();
    find_markdown_files(folder, &mut files, 0)?;
    ensure!(!files.is_empty(), "no Markdown files (.md or .markdown) in {}", folder.display());
    files.sort();
    let config = SiteConfig::read(folder)?;
    let zone = config.time_zone.filter(|_| !options.is_zone_chosen).unwrap_or(options.time_zone);
    let source =
        Source { folder: folder.to_owned(), has_posts_folder: config.root.join("_posts").is_dir(), config, zone };
    Ok(files.into_iter().map(move |file| source.entry(&file)))
}

/// Finds Markdown files recursively. Skips hidden folders and does not follow symbolic links to folders.
fn find_markdown_files(folder: &Path, files: &mut Vec<PathBuf>, depth: usize) -> anyhow::Result<()> {
    let cannot = || format!("cannot read {}", folder.display());
    for entry in fs::read_dir(folder).with_context(cannot)? {
        let entry = entry.with_context(cannot)?;
        let (kind, path) = (entry.file_type().with_context(cannot)?, entry.path());
        let name = entry.file_name();
        let is_hidden = name.as_encoded_bytes().starts_with(b".") || OTHER_FOLDERS.iter().any(|other| name == *other);
        if kind.is_dir() && !is_hidden && depth < MAX_DEPTH {
            find_markdown_files(&path, files, depth + 1)?;
        }
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        if !kind.is_dir() && ["md", "markdown"].contains(&extension.to_ascii_lowercase().as_str()) {
            files.push(path);
        }
    }
    Ok(())
}

/// Rejects a text that is too long or too deeply nested.
fn check_size(text: &str) -> Result<(), String> {
    if text.len() > MAX_BYTES {
        return Err(format!("the text has more than {MAX_BYTES} bytes"));
    }
    check_nesting(text)
}

impl Source {
    fn entry(&self, file: &Path) -> anyhow::Result<SourceEntry> {
        let location = file.strip_prefix(&self.folder).unwrap_or(file).display().to_string();
        let cannot = || format!("cannot read {}", file.display());
        if !file.symlink_metadata().with_context(cannot)?.is_file() {
            return Ok(SourceEntry::Skipped { location, kind: "symbolic links", why: "the file is a symbolic link" });
        }
        if stem(file).0 == "_index" {
            return Ok(SourceEntry::Other("section pages"));
        }
        if file.metadata().with_context(cannot)?.len() > MAX_FILE {
            let why = format!("the file is larger than {} MiB", MAX_FILE >> 20);
            return Ok(SourceEntry::Invalid { location, why });
        }
        let bytes = fs::read(file).with_context(cannot)?;
        // `decode` detects UTF-16 by its byte order mark.
        match front_matter::split(&encoding_rs::UTF_8.decode(&bytes).0) {
            Ok(Some((fields, text))) => Ok(self.post(location, file, &fields, text)),
            Ok(None) => Ok(SourceEntry::Skipped {
                location,
                kind: "files without front matter",
                why: "the file has no front matter",
            }),
            Err(why) => Ok(SourceEntry::Invalid { location, why }),
        }
    }

    /// Path of a file below the root of the site.
    fn path(&self, file: &Path) -> PathBuf {
        let canonical = fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
        let inner = canonical.strip_prefix(&self.config.root).ok();
        inner.or_else(|| file.strip_prefix(&self.folder).ok()).unwrap_or(file).to_owned()
    }

    fn post(&self, location: String, file: &Path, fields: &Fields, text: &str) -> SourceEntry {
        // Field names are compared in lower case, because static site generators capitalize them differently.
        let fields: Fields = fields.iter().map(|(name, value)| (name.to_lowercase(), value.clone())).collect();
        match self.convert(file, Path::new(&location), &fields, text) {
            Ok(Some(found)) => SourceEntry::Post(Box::new(SourcePost { location, ..found })),
            Ok(None) => SourceEntry::Other("files without a page of their own"),
            Err(why) => SourceEntry::Invalid { location, why },
        }
    }

    /// Converts a Markdown file to a post or page. Returns `None` for a file that the generator does not show, and for the
    /// front page and the page of errors. `location` is the path of the file relative to the source.
    fn convert(&self, file: &Path, location: &Path, fields: &Fields, text: &str) -> Result<Option<SourcePost>, String> {
        let (day, name) = name(file);
        let day = day.and_then(|day| timestamp::from_local(self.zone, day.and_time(NaiveTime::MIN)));
        let (written, undated) = self.written_at(fields, day)?;
        let updated_at = first_time(fields, &["lastmod", "updated", "modified", "last_modified_at"], self.zone)?;
        // Hugo publishes a post at `publishDate`, even if `date` differs.
        let shown_at = first_time(fields, &["publishdate", "pubdate"], self.zone)?;
        let path = self.path(file);
        let Some(is_page) = self.is_page(&path, fields, written.is_some()) else { return Ok(None) };
        let of_file = name.replace(['-', '_'], " ");
        let own = title(fields, text);
        let untitled = own.is_none().then(|| format!("the post has no title; imported with the title “{of_file}”"));
        let (heading, text) = own.unwrap_or((of_file, text));
        check_size(text)?;
        let (text, mut remarks) = self.convert_text(text);
        let hidden = hidden_reason(location, fields)?;
        let is_public = hidden.is_none();
        remarks.extend(untitled.into_iter().chain(undated));
        remarks.extend(hidden.filter(|why| *why != DRAFT).map(draft_remark));
        Ok(Some(SourcePost {
            remarks,
            old_urls: self.old_paths(file, &path, &heading, fields, written),
            title: heading,
            slug: Some(first_text(fields, &["slug"]).unwrap_or(name)),
            author: author(fields),
            text,
            tags: tags(fields),
            excerpt: first_text(fields, &["excerpt", "summary", "description"]),
            cover: first_text(fields, &["cover", "image", "cover_image", "featured_image", "thumbnail"]),
            language: language(file, location, fields),
            is_page,
            is_public,
            created_at: written,
            updated_at,
            published_at: shown_at.or(written).filter(|_| is_public),
            path: Some(path.display().to_string()),
            folder: file.parent().map(Path::to_owned),
            old_site_prefixes: self.config.url.iter().cloned().collect(),
            ..SourcePost::default()
        }))
    }

    /// Creation time of a post, and a message if the time in the front matter is invalid. `day` is the date in the file
    /// name.
    fn written_at(
        &self,
        fields: &Fields,
        day: Option<DateTime<Utc>>,
    ) -> Result<(Option<DateTime<Utc>>, Option<String>), String> {
        match (first_time(fields, &["date", "published_at", "created"], self.zone), day) {
            (Ok(written), _) => Ok((written.or(day).or_else(|| date_in_path(fields, self.zone)), None)),
            (Err(problem), None) => Err(problem),
            (Err(problem), Some(_)) => {
                Ok((day, Some(format!("{problem}; imported with the date in the name of the file"))))
            }
        }
    }

    /// Converts template tags and HTML to Markdown. Returns the Markdown, and messages for the user.
    fn convert_text(&self, text: &str) -> (String, Vec<String>) {
        let is_jekyll = self.config.generator == Some(Generator::Jekyll) || self.has_posts_folder;
        let replaced = replace_tags(text, &self.config.base_path);
        let text = replace_asterisks(&replaced.text);
        let text = protect_formulas(&remove_attribute_lists(&text, is_jekyll));
        let (text, mut messages) = convert_html(&text);
        if !replaced.unknown.is_empty() {
            let tags: Vec<_> = replaced.unknown.iter().map(|(name, count)| format!("{name} ({count})")).collect();
            messages.push(format!("template tags that are imported as text: {}", tags.join(", ")));
        }
        (text, messages)
    }

    /// True for a page, such as `about.md`, which is not part of the sequence of posts. `None` for a file without a page of
    /// its own.
    fn is_page(&self, path: &Path, fields: &Fields, is_dated: bool) -> Option<bool> {
        let is_named = |name: &str| first_text(fields, &[name]).is_some_and(|value| value == "page");
        let is_jekyll = self.config.generator == Some(Generator::Jekyll);
        let is_hugo = self.config.generator == Some(Generator::Hugo);
        if is_hugo && !self.config.is_content(path) {
            return None;
        }
        let (path, _) = self.config.inner_path(path);
        let path = if is_hugo { path.strip_prefix("content").unwrap_or(path) } else { path };
        let parts: Vec<_> = path.iter().map(|part| part.to_string_lossy()).collect();
        let is_outside =
            !parts.iter().any(|part| part.strip_prefix('_').is_some_and(|name| self.config.is_collection(name)));
        let is_hidden = is_outside && is_jekyll && parts.iter().any(|part| part.starts_with('_'));
        if is_hidden || parts.len() == 1 && ["index", "404"].contains(&stem(path).0.as_str()) {
            return None;
        }
        let is_top_level = match &parts[..] {
            [_] => is_hugo,
            [folder, file] => folder == "content" || is_hugo && file.starts_with("index."),
            [folder, _, index] => folder == "content" && index.starts_with("index."),
            _ => false,
        };
        let is_page = is_named("layout")
            || is_named("type")
            || is_outside && (is_jekyll || self.has_posts_folder && !is_dated && parts.len() == 1)
            || is_top_level && (is_hugo || !is_dated);
        Some(is_page)
    }

    /// Old URL paths of a post: those in its front matter and, without a permalink, those that Jekyll or Hugo would
    /// generate.
    fn old_paths(
        &self,
        file: &Path,
        path: &Path,
        title: &str,
        fields: &Fields,
        written: Option<DateTime<Utc>>,
    ) -> Vec<String> {
        let base = &self.config.base_path;
        let root = |path: &str| match url::Url::parse(path) {
            Ok(url) if url.has_host() => url.path().to_owned(),
            _ => format!("{base}/{}", path.trim_start_matches('/')),
        };
        let (_, name) = name(file);
        let slug = first_text(fields, &["slug"]);
        let (path, folder_language) = self.config.inner_path(path);
        let (categories, sections, is_jekyll) = folders(file, path, fields);
        let values = PathValues {
            title: if is_jekyll { slug.as_deref().unwrap_or(&name) } else { title },
            slug: slug.as_deref(),
            file_name: &name,
            time: written.map(|time| time.with_timezone(&self.zone).naive_local()),
            sections,
            categories,
        };
        let aliases = ["aliases", "redirect_from"].iter().flat_map(|name| list_items(fields.get(*name)));
        let own = first_text(fields, &["permalink", "url", "path"]).filter(|address| !address.contains('{'));
        let own = own.and_then(|own| if own.contains(':') { expand(&own, &values) } else { Some(own) });
        let mut all: Vec<String> = own.iter().map(|path| root(path)).chain(aliases.map(|path| root(&path))).collect();
        if own.is_some() {
            return all;
        }
        if is_jekyll {
            let path = self.config.jekyll_path(&values);
            // Servers offer the post at both `NAME.html` and `NAME/`.
            let pretty = path.as_deref().and_then(|path| path.strip_suffix(".html")).map(|path| format!("{path}/"));
            all.extend(path.iter().chain(&pretty).map(|path| root(path)));
            return all;
        }
        all.extend(self.hugo_paths(file, folder_language, &values));
        if self.config.generator == Some(Generator::Jekyll) || self.has_posts_folder {
            all.push(root(&path.with_extension("html").display().to_string()));
        }
        all
    }

    fn hugo_paths(&self, file: &Path, folder_language: Option<&str>, values: &PathValues<'_>) -> Vec<String> {
        let base = &self.config.base_path;
        let own = self.config.hugo_path(values);
        let slug = values.slug.unwrap_or(values.file_name);
        let path = own.unwrap_or_else(|| [values.sections.join("/").as_str(), "/", slug, "/"].concat());
        // Hugo writes paths in lower case.
        let path = path.trim_start_matches('/').to_lowercase();
        let (stem, language) = stem(file);
        // Hugo adds a language prefix to paths of all languages except the default language.
        let language = language.map(|language| language.to_lowercase()).or_else(|| folder_language.map(str::to_owned));
        let is_default = language.is_none() || language == self.config.default_language;
        let prefixed = language.map(|language| format!("{base}/{language}/{path}")).filter(|_| !is_default);
        // Without a configured default language, the language of the file may be the default.
        let ending = file.extension().unwrap_or_default().to_string_lossy();
        let has_default = prefixed.is_some()
            && (self.config.default_language.is_some() || file.with_file_name(format!("{stem}.{ending}")).exists());
        prefixed.into_iter().chain((!has_default).then(|| format!("{base}/{path}"))).collect()
    }
}

/// Categories from folders and front matter, sections (folders below `content`), and true if the file is in a folder
/// `_posts`.
fn folders(file: &Path, path: &Path, fields: &Fields) -> (Vec<String>, Vec<String>, bool) {
    let folders: Vec<String> =
        path.parent().into_iter().flatten().map(|part| part.to_string_lossy().into_owned()).collect();
    let posts_folder = folders.iter().position(|part| part == "_posts");
    let of_folders = posts_folder.map(|at| folders[..at].to_vec()).unwrap_or_default();
    let categories = ["categories", "category"].iter().flat_map(|name| list_items(fields.get(*name)));
    let is_bundle = stem(file).0 == "index";
    let mut sections: Vec<String> = folders.iter().skip_while(|part| *part == "content").cloned().collect();
    sections.truncate(sections.len() - usize::from(is_bundle && !sections.is_empty()));
    (of_folders.into_iter().chain(categories).collect(), sections, posts_folder.is_some())
}

/// Tags and categories of a post, including Zola's `taxonomies`.
fn tags(fields: &Fields) -> Vec<String> {
    let of_zola = fields.get("taxonomies").and_then(Value::as_object);
    let names = ["tags", "tag", "categories", "category"];
    let values = names.iter().flat_map(|name| [fields.get(*name), of_zola.and_then(|fields| fields.get(*name))]);
    values.flat_map(list_items).collect()
}

/// Splits a file name such as `2020-01-02-hello.md` into date and name. For a file `index`, splits the folder name
/// instead.
fn name(file: &Path) -> (Option<NaiveDate>, String) {
    let (mut name, _) = stem(file);
    if name == "index"
        && let Some(folder) = file.parent().and_then(Path::file_name)
    {
        name = folder.to_string_lossy().into_owned();
    }
    let parts: Vec<&str> = name.splitn(4, '-').collect();
    match &parts[..] {
        [year, month, day, rest] if year.len() == 4 && !rest.is_empty() => {
            let date = NaiveDate::parse_from_str(&format!("{year}-{month}-{day}"), "%Y-%m-%d").ok();
            date.map_or_else(|| (None, name.clone()), |date| (Some(date), (*rest).to_owned()))
        }
        _ => (None, name),
    }
}

/// File name without extension and language suffix (`.fr`), and the language. Only known languages count as a suffix,
/// so `node.js.md` has none.
fn stem(file: &Path) -> (String, Option<String>) {
    let stem = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    match stem.rsplit_once('.') {
        Some((name, tag)) if !name.is_empty() && is_language(tag, ["index", "_index"].contains(&name)) => {
            (name.to_owned(), Some(tag.to_owned()))
        }
        _ => (stem, None),
    }
}

/// True for a language tag, such as `fr` or `pt-br`. An index file may have any well-formed tag.
fn is_language(tag: &str, of_index: bool) -> bool {
    let first = tag.split(['-', '_']).next().unwrap_or_default();
    let is_tag = (2..=3).contains(&first.len())
        && tag.len() <= 11
        && tag.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c));
    is_tag && (of_index || LANGUAGES.split(' ').any(|known| first.eq_ignore_ascii_case(known)))
}

/// Language of a post whose top-level folder is named after a language, such as `de/hello.md` or `content/de/hello.md`.
fn folder_language(location: &Path) -> Option<String> {
    let mut parts = location.parent()?.iter().filter_map(|part| part.to_str()).skip_while(|part| *part == "content");
    parts.next().filter(|first| is_language(first, false)).map(str::to_owned)
}

/// Date in the URL path of a post, such as `2020/01/02/hello`.
fn date_in_path(fields: &Fields, zone: Tz) -> Option<DateTime<Utc>> {
    let address = first_text(fields, &["path", "permalink", "url"])?;
    let parts: Vec<&str> = address.split('/').collect();
    let mut days = parts.windows(3).filter(|day| day.iter().map(|part| part.len()).eq([4, 2, 2]));
    days.find_map(|day| timestamp::parse(&day.join("-"), zone))
}

fn language(file: &Path, location: &Path, fields: &Fields) -> Option<String> {
    let own = first_text(fields, &["lang", "language", "locale"]);
    own.or_else(|| stem(file).1).or_else(|| folder_language(location))
}

/// Title of a post from the front matter or a heading at the beginning of the text, and the rest of the text.
fn title<'a>(fields: &Fields, text: &'a str) -> Option<(String, &'a str)> {
    let own = first_text(fields, &["title"]).map(|title| (title, text.trim_start_matches(['\r', '\n'])));
    own.or_else(|| heading(text))
}

/// Splits a text that begins with a level-1 heading into the heading and the rest.
fn heading(text: &str) -> Option<(String, &str)> {
    let text = text.trim_start();
    let (line, rest) = text.split_once('\n').unwrap_or((text, ""));
    let title = line.strip_prefix("# ")?.trim().trim_end_matches('#').trim_end();
    (!title.is_empty()).then(|| (title.to_owned(), rest.trim_start_matches(['\r', '\n'])))
}

/// Value that [`hidden_reason`] returns for a draft. Drafts are imported as drafts, so no message is needed.
const DRAFT: &str = "draft";

fn draft_remark(why: &str) -> String {
    format!("imported as a draft, because the front matter contains `{why}`")
}

/// Front matter fields that hide a post if they are true.
const HIDING: [&str; 6] = ["draft", "isdraft", "private", "hidden", "unlisted", "headless"];

/// Field that kept a post from being public. `None` for a public post.
fn hidden_reason(location: &Path, fields: &Fields) -> Result<Option<&'static str>, String> {
    let extra = fields.get("extra").and_then(Value::as_object);
    for name in HIDING {
        let candidates = [fields.get(name), extra.and_then(|extra| extra.get(name))];
        for value in candidates.into_iter().flatten() {
            if parse_bool(name, value)? {
                return Ok(Some(if name == "isdraft" { DRAFT } else { name }));
            }
        }
    }
    if let Some(value) = fields.get("published")
        && !parse_bool("published", value)?
    {
        return Ok(Some(DRAFT));
    }
    for name in ["status", "state", "visibility", "access"] {
        let text = fields.get(name).and_then(text_of).map(|text| text.to_lowercase());
        if text.is_some_and(|text| !["published", "publish", "public", "live"].contains(&text.as_str())) {
            return Ok(Some(if name == "status" { DRAFT } else { name }));
        }
    }
    let is_set = |name: &str| fields.get(name).is_some_and(|value| text_of(value).is_some());
    let rest = [("password", is_set("password")), ("expirydate", is_set("expirydate"))];
    let rest = rest.into_iter().chain([("permalink: false", fields.get("permalink") == Some(&Value::Bool(false)))]);
    let folder =
        location.components().any(|part| ["_drafts", "drafts", "draft"].iter().any(|name| part.as_os_str() == *name));
    Ok(rest.chain([(DRAFT, folder)]).find(|(_, is)| *is).map(|(why, _)| why))
}

fn parse_bool(name: &str, value: &Value) -> Result<bool, String> {
    match text_of(value).unwrap_or_default().to_lowercase().as_str() {
        _ if value.is_null() => Ok(false),
        "true" | "yes" | "on" | "1" => Ok(true),
        "false" | "no" | "off" | "0" => Ok(false),
        _ => Err(format!("{name}: the value must be true or false, because it decides whether the post is public")),
    }
}

/// Text of the first field in `names` that is present and not empty.
fn first_text(fields: &Fields, names: &[&str]) -> Option<String> {
    names.iter().find_map(|name| fields.get(*name).filter(|value| !value.is_boolean()).and_then(text_of))
}

fn text_of(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => text.trim().to_owned(),
        Value::Number(number) => number.to_string(),
        // An object describes an image or an author, so one of its properties is used.
        Value::Object(fields) => {
            first_text(fields, &["name", "image", "src", "path", "url", "relative", "feature"]).unwrap_or_default()
        }
        Value::Array(values) => values.iter().find_map(text_of).unwrap_or_default(),
        Value::Bool(is) => is.to_string(),
        Value::Null => String::new(),
    };
    (!text.is_empty()).then_some(text)
}

fn first_time(fields: &Fields, names: &[&str], zone: Tz) -> Result<Option<DateTime<Utc>>, String> {
    let Some((name, value)) = names.iter().find_map(|name| Some((name, fields.get(*name)?))) else { return Ok(None) };
    if value.is_null() || value.as_str().is_some_and(|text| text.trim().is_empty()) {
        return Ok(None);
    }
    let text =
        if value.is_object() || value.is_array() { value.to_string() } else { text_of(value).unwrap_or_default() };
    let cannot = || format!("{name}: “{text}” is not a valid time; use 2026-01-31 or 2026-01-31T12:00:00Z");
    timestamp::parse(&text, zone).map(Some).ok_or_else(cannot)
}

fn author(fields: &Fields) -> Option<String> {
    first_text(fields, &["author", "authors"])
}

/// Items of a front matter field: a list, or a string separated by commas or, if it contains no comma, by spaces.
fn list_items(value: Option<&Value>) -> Vec<String> {
    match value {
        Some(Value::Array(values)) => values.iter().filter_map(text_of).collect(),
        Some(Value::String(text)) if text.contains(',') => text.split(',').map(|word| word.trim().to_owned()).collect(),
        Some(Value::String(text)) => text.split_whitespace().map(str::to_owned).collect(),
        Some(Value::Number(number)) => vec![number.to_string()],
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(file: &str, text: &str) -> SourceEntry {
        let (fields, text) = front_matter::split(text).unwrap().unwrap();
        source().post(file.to_owned(), Path::new(file), &fields, text)
    }

    fn source() -> Source {
        let (config, zone) = (SiteConfig::default(), Tz::UTC);
        Source { folder: PathBuf::new(), config, zone, has_posts_folder: false }
    }

    fn found(file: &str, text: &str) -> SourcePost {
        match entry(file, text) {
            SourceEntry::Post(found) => *found,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn jekylls_files_have_their_day_and_slug_in_their_names() {
        let post = found(
            "_posts/2020-01-02-hello-world.md",
            "---\ntags: one two\ncategories: [three]\n---\n\n# Hello #\n\nText",
        );
        assert_eq!((post.title.as_str(), post.text.as_str()), ("Hello", "Text"));
        assert_eq!(post.slug.as_deref(), Some("hello-world"));
        assert_eq!(post.published_at, timestamp::parse("2020-01-02", Tz::UTC));
        assert_eq!(post.tags, ["one", "two", "three"]);
        let draft = found("_drafts/an-idea.md", "---\n---\nText");
        assert_eq!((draft.title.as_str(), draft.is_public, draft.created_at), ("an idea", false, None));
    }

    #[test]
    fn hugos_files_may_be_folders_and_have_their_author_in_a_list() {
        let front = "+++\ntitle = 'A'\ndate = 2020-01-02\ndraft = true\nauthors = ['ann']\nlang = 'de'\n[cover]\nimage = 'a.png'\n+++\n\nText";
        let post = found("posts/boats/index.md", front);
        assert_eq!((post.slug.as_deref(), post.author.as_deref()), (Some("boats"), Some("ann")));
        assert_eq!(
            (post.cover.as_deref(), post.language.as_deref(), post.is_public),
            (Some("a.png"), Some("de"), false)
        );
        assert_eq!((post.created_at, post.published_at), (timestamp::parse("2020-01-02", Tz::UTC), None));
    }

    #[test]
    fn html_and_template_tags_become_markdown() {
        let post = found(
            "a.md",
            "---\ntitle: A\n---\nOne <b>two</b>\n\n{% include x %}\n\n{% highlight c %}\n<i>\n{% endhighlight %}\n",
        );
        assert_eq!(post.text.trim_end(), "One **two**\n\n{% include x %}\n\n```c\n<i>\n```");
        assert_eq!(post.remarks, ["template tags that are imported as text: {% include %} (1)"]);
    }

    #[test]
    fn recognizes_pages() {
        let jekyll = Source {
            config: SiteConfig {
                generator: Some(Generator::Jekyll),
                collections: vec!["recipes".to_owned()],
                ..SiteConfig::default()
            },
            ..source()
        };
        let hugo =
            Source { config: SiteConfig { generator: Some(Generator::Hugo), ..SiteConfig::default() }, ..source() };
        let folder = Source { has_posts_folder: true, ..source() };
        let is_page = |source: &Source, file: &str, front: &str| {
            let (fields, text) = (format!("---\ntitle: A\n{front}\n---\n"), "Text");
            let (fields, _) = front_matter::split(&fields).unwrap().unwrap();
            match source.post(file.to_owned(), Path::new(file), &fields, text) {
                SourceEntry::Post(post) => Some(post.is_page),
                _ => None,
            }
        };
        for (source, file, front, expected) in [
            (&jekyll, "about.md", "", Some(true)),
            (&jekyll, "index.md", "layout: home", None),
            (&jekyll, "docs/a.md", "date: 2020-01-01", Some(true)),
            (&jekyll, "_posts/2020-01-01-a.md", "", Some(false)),
            (&jekyll, "_recipes/a.md", "", Some(false)),
            (&jekyll, "_trash/2020-01-01-a.md", "", None),
            (&hugo, "draft/a.md", "", None),
            (&hugo, "content/post/a.md", "", Some(false)),
            (&folder, "about.md", "", Some(true)),
            (&folder, "a.md", "date: 2020-01-01", Some(false)),
            (&source(), "about.md", "", Some(false)),
            (&source(), "content/about.md", "", Some(true)),
            (&source(), "content/about/index.md", "", Some(true)),
            (&source(), "content/post/a.md", "", Some(false)),
            (&source(), "a.md", "layout: page", Some(true)),
        ] {
            assert_eq!(is_page(source, file, front), expected, "{file} {front}");
        }
    }

    #[test]
    fn months_and_days_may_have_one_digit() {
        let post = found("_posts/2016-2-29-leap-day.md", "---\n---\nText");
        assert_eq!(
            (post.slug.as_deref(), post.published_at),
            (Some("leap-day"), timestamp::parse("2016-02-29", Tz::UTC))
        );
        assert_eq!(found("2016-2-30-x.md", "---\n---\nText").slug.as_deref(), Some("2016-2-30-x"));
    }

    #[test]
    fn zolas_tags_stand_in_a_table_of_their_own() {
        let front = "+++\ntitle = 'A'\n[taxonomies]\ntags = ['boats']\ncategories = ['sea']\n+++\nText";
        assert_eq!(found("a.md", front).tags, ["boats", "sea"]);
    }

    #[test]
    fn a_day_may_stand_in_the_address_alone() {
        let post = found("a.md", "+++\npath = \"/2020/01/02/a.html\"\n+++\nText");
        assert_eq!(post.published_at, timestamp::parse("2020-01-02", Tz::UTC));
        let today = found("a.md", "+++\npath = \"2020/a\"\n+++\nText");
        assert_eq!(today.created_at, None);
    }

    #[test]
    fn imports_hidden_posts_as_drafts() {
        for front in [
            "draft: \"true\"",
            "Draft: yes",
            "draft: 1",
            "DRAFT: True",
            "published: \"false\"",
            "published: 0",
            "isDraft: true",
            "private: true",
            "visibility: members",
            "password: geheim",
            "status: pending",
            "state: draft",
            "headless: true",
            "expiryDate: 2020-04-01",
            "permalink: false",
            "extra: {draft: true}",
            "hidden: on",
        ] {
            let post = found("a.md", &format!("---\ndate: 2020-01-02\n{front}\n---\nText"));
            assert_eq!((post.is_public, post.published_at), (false, None), "{front}");
        }
        assert!(!found("drafts/a.md", "---\n---\nText").is_public);
        for front in
            ["draft: false", "draft: \"no\"", "draft:", "published: yes", "visibility: public", "status: Published"]
        {
            assert!(found("a.md", &format!("---\n{front}\n---\nText")).is_public, "{front}");
        }
        for front in ["draft: [a, b]", "draft: {a: b}", "published: perhaps", "private: 7"] {
            let refused = entry("a", &format!("---\n{front}\n---\nText"));
            assert!(matches!(refused, SourceEntry::Invalid { .. }), "{front}");
        }
        let later = found("a.md", "---\ndate: 2020-01-02\npublishDate: 2031-01-01\n---\nText");
        assert_eq!(
            (later.created_at, later.published_at),
            (timestamp::parse("2020-01-02", Tz::UTC), timestamp::parse("2031-01-01", Tz::UTC))
        );
    }

    #[test]
    fn a_time_that_cannot_be_read_is_told() {
        let refused = entry("a.md", "---\ndate: soon\n---\n");
        let SourceEntry::Invalid { why, .. } = refused else { panic!("{refused:?}") };
        assert_eq!(why, "date: “soon” is not a valid time; use 2026-01-31 or 2026-01-31T12:00:00Z");
    }

    #[test]
    fn hugos_languages_have_paths_of_their_own() {
        let dir = tempfile::tempdir().unwrap();
        let bundle = dir.path().join("content/posts/b1");
        std::fs::create_dir_all(&bundle).unwrap();
        std::fs::write(bundle.join("index.md"), "").unwrap();
        let paths = |name: &str| {
            let file = bundle.join(name);
            source().old_paths(&file, file.strip_prefix(dir.path()).unwrap(), "A", &Fields::new(), None)
        };
        assert_eq!(paths("index.md"), ["/posts/b1/"]);
        assert_eq!(paths("index.de.md"), ["/de/posts/b1/"]);
        // If `index.de.md` exists but `index.md` does not, German may be the default language of the site. URLs in the
        // default language have no language prefix.
        std::fs::remove_file(bundle.join("index.md")).unwrap();
        assert_eq!(paths("index.de.md"), ["/de/posts/b1/", "/posts/b1/"]);
    }

    #[test]
    fn hugos_language_is_in_the_name_of_a_file_or_of_a_folder() {
        for (file, slug, language) in [
            ("posts/boats/index.fr.md", "boats", Some("fr")),
            ("posts/boats.de.md", "boats", Some("de")),
            ("content/fa/posts/boats.md", "boats", Some("fa")),
            ("de/boats/index.md", "boats", Some("de")),
            ("posts/node.js.md", "node.js", None),
            ("posts/2020-01-02-boats.fr.md", "boats", Some("fr")),
        ] {
            let post = found(file, "---\ntitle: A\n---\nText");
            assert_eq!((post.slug.as_deref(), post.language.as_deref()), (Some(slug), language), "{file}");
        }
        assert_eq!(found("a.fr.md", "---\nlang: de\n---\nText").language.as_deref(), Some("de"));
    }
}
