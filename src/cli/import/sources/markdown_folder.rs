//! Import source: a folder of Markdown files with front matter, as used by Jekyll, Hugo, Zola and Eleventy.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};
use chrono::{DateTime, Utc};
use pulldown_cmark::{Event, Parser, Tag};
use serde_json::Value;

use super::front_matter;
use super::front_matter::Fields;
use super::timestamp;
use crate::cli::import::source_entry::{SourceEntry, SourcePost};
use crate::i18n::TextLanguage;

/// Maximum file size in bytes, far above the maximum size of a post.
const MAX_FILE: u64 = 4 << 20;

/// Maximum depth of nested folders.
const MAX_DEPTH: usize = 32;

/// Reads the Markdown files of a folder and its subfolders as entries.
pub fn read_entries(folder: &Path) -> anyhow::Result<impl Iterator<Item = anyhow::Result<SourceEntry>> + use<>> {
    let mut files = Vec::new();
    find_markdown_files(folder, &mut files, 0)?;
    ensure!(!files.is_empty(), "no Markdown files (.md or .markdown) in {}", folder.display());
    files.sort();
    let folder = folder.to_owned();
    Ok(files.into_iter().map(move |file| entry(&folder, &file)))
}

/// Finds Markdown files recursively. Skips hidden folders and does not follow symbolic links to folders.
fn find_markdown_files(folder: &Path, files: &mut Vec<PathBuf>, depth: usize) -> anyhow::Result<()> {
    let cannot = || format!("cannot read {}", folder.display());
    for entry in fs::read_dir(folder).with_context(cannot)? {
        let entry = entry.with_context(cannot)?;
        let (kind, path) = (entry.file_type().with_context(cannot)?, entry.path());
        let is_hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
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

fn entry(root: &Path, file: &Path) -> anyhow::Result<SourceEntry> {
    let location = file.strip_prefix(root).unwrap_or(file).display().to_string();
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
    let Ok(text) = String::from_utf8(fs::read(file).with_context(cannot)?) else {
        return Ok(SourceEntry::Invalid { location, why: "the file is not encoded in UTF-8".to_owned() });
    };
    match front_matter::split(&text) {
        Ok(Some((fields, text))) => Ok(post(location, file, &fields, text)),
        Ok(None) => Ok(SourceEntry::Skipped {
            location,
            kind: "files without front matter",
            why: "the file has no front matter",
        }),
        Err(why) => Ok(SourceEntry::Invalid { location, why }),
    }
}

fn post(location: String, file: &Path, fields: &Fields, text: &str) -> SourceEntry {
    // Field names are compared in lower case, because static site generators capitalize them differently.
    let fields: Fields = fields.iter().map(|(name, value)| (name.to_lowercase(), value.clone())).collect();
    match found(file, Path::new(&location), &fields, text) {
        Ok(found) => SourceEntry::Post(Box::new(SourcePost { location, ..found })),
        Err(why) => SourceEntry::Invalid { location, why },
    }
}

/// Converts a Markdown file to a post. `location` is the path of the file relative to the source.
fn found(file: &Path, location: &Path, fields: &Fields, text: &str) -> Result<SourcePost, String> {
    let (day, name) = name(file);
    let written = first_time(fields, &["date", "published_at", "created"])?;
    let written = written.or(day).or_else(|| date_in_path(fields));
    let updated_at = first_time(fields, &["lastmod", "updated", "modified", "last_modified_at"])?;
    // Hugo publishes a post at `publishDate`, even if `date` differs.
    let shown_at = first_time(fields, &["publishdate", "pubdate"])?;
    let own = first_text(fields, &["title"]).map(|title| (title, text.trim_start_matches(['\r', '\n'])));
    let own = own.or_else(|| heading(text));
    let of_file = name.replace(['-', '_'], " ");
    let untitled = own.is_none().then(|| format!("the post has no title; imported with the title “{of_file}”"));
    let (heading, text) = own.unwrap_or((of_file, text));
    let (text, mut remarks) = without_comments(text);
    let hidden = hidden_reason(location, fields)?;
    let is_public = hidden.is_none();
    remarks.extend(untitled);
    let draft_remark = |why: &str| format!("imported as a draft, because the front matter contains `{why}`");
    remarks.extend(hidden.filter(|why| *why != DRAFT).map(draft_remark));
    Ok(SourcePost {
        remarks,
        title: heading,
        slug: Some(first_text(fields, &["slug"]).unwrap_or(name)),
        author: author(fields),
        text,
        tags: tags(fields),
        excerpt: first_text(fields, &["excerpt", "summary", "description"]),
        cover: first_text(fields, &["cover", "image", "cover_image", "featured_image", "thumbnail"]),
        language: first_text(fields, &["lang", "language", "locale"])
            .or_else(|| stem(file).1)
            .or_else(|| folder_language(location)),
        is_public,
        created_at: written,
        updated_at,
        published_at: shown_at.or(written).filter(|_| is_public),
        old_urls: old_paths(file, location, fields),
        folder: file.parent().map(Path::to_owned),
        ..SourcePost::default()
    })
}

/// Old URL paths of a post: the paths that its front matter contains and, if there is no permalink, the default paths
/// of Jekyll or Hugo.
fn old_paths(file: &Path, location: &Path, fields: &Fields) -> Vec<String> {
    let root = |path: &str| format!("/{}", path.trim_start_matches('/'));
    let aliases = ["aliases", "redirect_from"].iter().flat_map(|name| list_items(fields.get(*name)));
    // Jekyll allows patterns such as `/:year/:title/`, which are not paths.
    let own = first_text(fields, &["permalink", "url", "path"]).filter(|address| !address.contains([':', '{']));
    let mut all: Vec<String> = own.iter().map(|path| root(path)).chain(aliases.map(|path| root(&path))).collect();
    if own.is_some() {
        return all;
    }
    let (day, name) = name(file);
    if let Some(day) = day.filter(|_| location.iter().any(|part| part == "_posts")) {
        let categories = ["categories", "category"].iter().flat_map(|name| list_items(fields.get(*name)));
        let folder = categories.map(|category| format!("/{}", category.to_lowercase())).collect::<Vec<_>>().concat();
        let day = day.format("%Y/%m/%d");
        all.extend([format!("{folder}/{day}/{name}.html"), format!("{folder}/{day}/{name}/")]);
    } else {
        let slug = first_text(fields, &["slug"]).unwrap_or(name);
        let (stem, language) = stem(file);
        let is_index = stem == "index";
        let section = location.parent().and_then(|parent| if is_index { parent.parent() } else { Some(parent) });
        let section = section.map(|section| section.strip_prefix("content").unwrap_or(section).to_string_lossy());
        let section = section.filter(|section| !section.is_empty()).map(|section| format!("/{section}"));
        let path = format!("{}/{slug}/", section.unwrap_or_default());
        // Hugo adds a language prefix to the paths of all languages except the default language.
        let ending = file.extension().unwrap_or_default().to_string_lossy();
        let has_default = language.is_some() && file.with_file_name(format!("{stem}.{ending}")).exists();
        all.extend(language.map(|language| format!("/{}{path}", language.to_lowercase())));
        if !has_default {
            all.push(path);
        }
    }
    all
}

/// Tags and categories of a post, including Zola's `taxonomies`.
fn tags(fields: &Fields) -> Vec<String> {
    let of_zola = fields.get("taxonomies").and_then(Value::as_object);
    let names = ["tags", "tag", "categories", "category"];
    let values = names.iter().flat_map(|name| [fields.get(*name), of_zola.and_then(|fields| fields.get(*name))]);
    values.flat_map(list_items).collect()
}

/// Splits a file name such as `2020-01-02-hello.md` into its date and the rest of the name. If the file is named
/// `index`, the name of its folder is split instead.
fn name(file: &Path) -> (Option<DateTime<Utc>>, String) {
    let (mut name, _) = stem(file);
    if name == "index"
        && let Some(folder) = file.parent().and_then(Path::file_name)
    {
        name = folder.to_string_lossy().into_owned();
    }
    let day = name.get(..10).and_then(timestamp::parse);
    match (day, name.get(11..)) {
        (Some(day), Some(rest)) if !rest.is_empty() => (Some(day), rest.to_owned()),
        _ => (None, name),
    }
}

/// File name without its extension and language suffix (`.fr`), and the language. Only known languages count as a
/// suffix: `node.js.md` has no language suffix.
fn stem(file: &Path) -> (String, Option<String>) {
    let stem = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    match stem.rsplit_once('.') {
        Some((name, tag)) if !name.is_empty() && is_language(tag, ["index", "_index"].contains(&name)) => {
            (name.to_owned(), Some(tag.to_owned()))
        }
        _ => (stem, None),
    }
}

/// True for a language tag, such as `fr` or `pt-br`. For index files, any well-formed tag is accepted.
fn is_language(tag: &str, of_index: bool) -> bool {
    let first = tag.split(['-', '_']).next().unwrap_or_default();
    let is_tag = (2..=3).contains(&first.len())
        && tag.len() <= 11
        && tag.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c));
    is_tag && (of_index || first.parse::<TextLanguage>().is_ok())
}

/// Language of a post if its top-level folder (ignoring `content`) is named after a language, such as `de/hello.md`.
fn folder_language(location: &Path) -> Option<String> {
    let mut parts = location.parent()?.iter().filter_map(|part| part.to_str()).skip_while(|part| *part == "content");
    parts.next().filter(|first| is_language(first, false)).map(str::to_owned)
}

/// Date in the URL path of a post, such as `2020/01/02/hello`.
fn date_in_path(fields: &Fields) -> Option<DateTime<Utc>> {
    let address = first_text(fields, &["path", "permalink", "url"])?;
    let parts: Vec<&str> = address.split('/').collect();
    let mut days = parts.windows(3).filter(|day| day.iter().map(|part| part.len()).eq([4, 2, 2]));
    days.find_map(|day| timestamp::parse(&day.join("-")))
}

/// Splits a text that begins with a level-1 heading into the heading and the rest.
fn heading(text: &str) -> Option<(String, &str)> {
    let text = text.trim_start();
    let (line, rest) = text.split_once('\n').unwrap_or((text, ""));
    let title = line.strip_prefix("# ")?.trim().trim_end_matches('#').trim_end();
    (!title.is_empty()).then(|| (title.to_owned(), rest.trim_start_matches(['\r', '\n'])))
}

/// Value that [`hidden_reason`] returns for a draft. No warning is printed for drafts, because they are imported as
/// drafts.
const DRAFT: &str = "draft";

/// Front matter fields that hide a post if they are true.
const HIDING: [&str; 6] = ["draft", "isdraft", "private", "hidden", "unlisted", "headless"];

/// Reason why a post was not public, or `None` if it was public.
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
    let folder = location.components().any(|part| part.as_os_str() == "_drafts" || part.as_os_str() == "drafts");
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

/// Removes HTML comments, such as `<!--more-->`, and reports other HTML. A blank line replaces a comment between
/// blocks, so that the blocks stay separate.
fn without_comments(text: &str) -> (String, Vec<String>) {
    let (mut output, mut at, mut has_html) = (String::with_capacity(text.len()), 0, false);
    for (event, range) in Parser::new(text).into_offset_iter() {
        let is_html = matches!(event, Event::Start(Tag::HtmlBlock) | Event::InlineHtml(_));
        if !is_html || range.start < at {
            continue;
        }
        let html = text[range.clone()].trim();
        if html.starts_with("<!--") && html.find("-->") == Some(html.len() - 3) {
            output.push_str(&text[at..range.start]);
            output.push_str(if matches!(event, Event::InlineHtml(_)) { "" } else { "\n" });
            at = range.end;
        } else {
            has_html = true;
        }
    }
    output.push_str(&text[at..]);
    let is_template = output.contains("{{") || output.contains("{%");
    let are_together = at > 0 && blocks(text) != blocks(&output);
    let messages = [
        (is_template, "the text contains template tags ({{ or {%), which are imported as text"),
        (has_html, "the text contains HTML, whose tags are shown as text"),
        (are_together, "removed HTML comments; blocks that a comment separated are now joined"),
    ];
    let messages = messages.into_iter().filter(|(is, _)| *is).map(|(_, messages)| messages.to_owned()).collect();
    (output, messages)
}

/// Returns the start events of all Markdown elements except HTML blocks. Two texts with the same events have the same
/// structure.
fn blocks(text: &str) -> Vec<Tag<'_>> {
    let blocks = Parser::new(text).filter_map(|event| if let Event::Start(tag) = event { Some(tag) } else { None });
    blocks.filter(|tag| *tag != Tag::HtmlBlock).collect()
}

/// Text of the first field in `names` that is present and not empty.
fn first_text(fields: &Fields, names: &[&str]) -> Option<String> {
    names.iter().find_map(|name| fields.get(*name).filter(|value| !value.is_boolean()).and_then(text_of))
}

fn text_of(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => text.trim().to_owned(),
        Value::Number(number) => number.to_string(),
        // An object contains the properties of an image or an author.
        Value::Object(fields) => {
            first_text(fields, &["name", "image", "src", "path", "url", "relative", "feature"]).unwrap_or_default()
        }
        Value::Array(values) => values.iter().find_map(text_of).unwrap_or_default(),
        Value::Bool(is) => is.to_string(),
        Value::Null => String::new(),
    };
    (!text.is_empty()).then_some(text)
}

fn first_time(fields: &Fields, names: &[&str]) -> Result<Option<DateTime<Utc>>, String> {
    let Some((name, value)) = names.iter().find_map(|name| Some((name, fields.get(*name)?))) else { return Ok(None) };
    if value.is_null() || value.as_str().is_some_and(|text| text.trim().is_empty()) {
        return Ok(None);
    }
    let text =
        if value.is_object() || value.is_array() { value.to_string() } else { text_of(value).unwrap_or_default() };
    let cannot = || format!("{name}: “{text}” is not a valid time; use 2026-01-31 or 2026-01-31T12:00:00Z");
    timestamp::parse(&text).map(Some).ok_or_else(cannot)
}

fn author(fields: &Fields) -> Option<String> {
    first_text(fields, &["author", "authors"])
}

/// Items of a front matter field: a list, or a string whose items are separated by commas or, if there is no comma, by
/// spaces.
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
    use crate::markdown::render;

    fn found(file: &str, text: &str) -> SourcePost {
        let (fields, text) = front_matter::split(text).unwrap().unwrap();
        match post(file.to_owned(), Path::new(file), &fields, text) {
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
        assert_eq!(post.published_at, timestamp::parse("2020-01-02"));
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
        assert_eq!((post.created_at, post.published_at), (timestamp::parse("2020-01-02"), None));
    }

    #[test]
    fn comments_are_nowhere_and_other_html_is_told() {
        let post =
            found("a.md", "---\ntitle: A\n---\nOne <!-- x -->two\n\n<!--more-->\n\nThree `<!--`\n\n<!--\nmany\n-->\n");
        assert_eq!((post.text.trim_end(), post.remarks.len()), ("One two\n\n\n\nThree `<!--`", 0));
        for (text, html) in [
            ("One\n<!--more-->\nTwo", "<p>One</p>\n<p>Two</p>\n"),
            ("- a\r\n- b\r\n<!--more-->\r\nAfter", "<ul>\n<li>a</li>\n<li>b</li>\n</ul>\n<p>After</p>\n"),
            ("Above\n<!-- c -->\n---", "<p>Above</p>\n<hr>\n"),
        ] {
            let post = found("a.md", &format!("---\ntitle: A\n---\n{text}"));
            assert_eq!((render(&post.text).html.as_str(), post.remarks.len()), (html, 0), "{text}");
        }
        let apart = found("a.md", "---\ntitle: A\n---\n- a\n\n<!-- -->\n\n- b");
        assert!(apart.remarks[0].ends_with("are now joined"), "{:?}", apart.remarks);
        for html in ["<div>\na\n</div>", "a <b>c</b>", "<!-- a --><i>b</i>"] {
            let post = found("a.md", &format!("---\ntitle: A\n---\n{html}"));
            assert_eq!(post.remarks, ["the text contains HTML, whose tags are shown as text"]);
            assert_eq!(post.text.replace("<!-- a -->", ""), html.replace("<!-- a -->", ""));
        }
    }

    #[test]
    fn zolas_tags_stand_in_a_table_of_their_own() {
        let front = "+++\ntitle = 'A'\n[taxonomies]\ntags = ['boats']\ncategories = ['sea']\n+++\nText";
        assert_eq!(found("a.md", front).tags, ["boats", "sea"]);
    }

    #[test]
    fn a_day_may_stand_in_the_address_alone() {
        let post = found("a.md", "+++\npath = \"/2020/01/02/a.html\"\n+++\nText");
        assert_eq!(post.published_at, timestamp::parse("2020-01-02"));
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
            let front = format!("---\n{front}\n---\nText");
            let (fields, text) = front_matter::split(&front).unwrap().unwrap();
            assert!(
                matches!(post("a".to_owned(), Path::new("a"), &fields, text), SourceEntry::Invalid { .. }),
                "{front}"
            );
        }
        let later = found("a.md", "---\ndate: 2020-01-02\npublishDate: 2031-01-01\n---\nText");
        assert_eq!(
            (later.created_at, later.published_at),
            (timestamp::parse("2020-01-02"), timestamp::parse("2031-01-01"))
        );
    }

    #[test]
    fn a_time_that_cannot_be_read_is_told() {
        let (fields, text) = front_matter::split("---\ndate: soon\n---\n").unwrap().unwrap();
        let refused = post("a.md".to_owned(), Path::new("a.md"), &fields, text);
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
            old_paths(&file, file.strip_prefix(dir.path()).unwrap(), &Fields::new())
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
