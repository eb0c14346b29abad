//! Configuration of a Jekyll or Hugo site: root folder, URL, and URL paths of posts.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow, ensure};
use chrono::{Datelike as _, NaiveDateTime};
use chrono_tz::Tz;
use serde_json::Value;

use super::front_matter::{self, Fields};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Generator {
    Jekyll,
    Hugo,
}

/// Maximum size of a configuration file in bytes.
const MAX_CONFIG_BYTES: u64 = 256 << 10;

const JEKYLL_CONFIGS: [&str; 3] = ["_config.yml", "_config.yaml", "_config.toml"];

const HUGO_CONFIGS: [&str; 6] = [
    "hugo.toml",
    "hugo.yaml",
    "hugo.json",
    "config/_default/hugo.toml",
    "config/_default/hugo.yaml",
    "config/_default/config.toml",
];

/// Configuration files of Hugo before version 0.110. Other programs use the same names, so a folder `content` must
/// exist, too.
const OLD_HUGO_CONFIGS: [&str; 3] = ["config.toml", "config.yaml", "config.json"];

/// URL patterns of Jekyll's built-in permalink styles.
const JEKYLL_STYLES: [(&str, &str); 4] = [
    ("date", "/:categories/:year/:month/:day/:title:output_ext"),
    ("pretty", "/:categories/:year/:month/:day/:title/"),
    ("ordinal", "/:categories/:year/:y_day/:title:output_ext"),
    ("none", "/:categories/:title:output_ext"),
];

#[derive(Debug, Default)]
pub struct SiteConfig {
    /// Root folder of the site: the import source, or a folder above it.
    pub root: PathBuf,
    /// Generator that the configuration file belongs to. `None` without a known configuration file.
    pub generator: Option<Generator>,
    /// Origin of the site's URL, such as `https://example.com`.
    pub url: Option<String>,
    /// Path of the site's URL without a trailing slash, such as `/blog`.
    pub base_path: String,
    /// URL pattern of posts in Jekyll.
    pub permalink: Option<String>,
    /// URL patterns of posts in Hugo, by section.
    pub permalinks: HashMap<String, String>,
    /// Content folders relative to the root folder, each with its language, if any.
    pub source_folders: Vec<(PathBuf, Option<String>)>,
    /// Default language of a Hugo site, whose URL paths have no language prefix.
    pub default_language: Option<String>,
    pub time_zone: Option<Tz>,
    /// Names of Jekyll collections other than `posts` and `drafts`.
    pub collections: Vec<String>,
}

/// Values of the placeholders in URL patterns, such as `:title`.
#[derive(Debug, Default)]
pub struct PathValues<'a> {
    pub title: &'a str,
    /// Slug from the front matter.
    pub slug: Option<&'a str>,
    /// File name without date, language and extension.
    pub file_name: &'a str,
    /// Local time of creation in the time zone of the site.
    pub time: Option<NaiveDateTime>,
    /// Folders of the file below `content`.
    pub sections: Vec<String>,
    pub categories: Vec<String>,
}

/// Root folder of the site that contains `folder`.
pub fn find_root(folder: &Path) -> PathBuf {
    let folder = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
    let has_config = |root: &&Path| {
        config_file(root).is_some_and(|(generator, _)| {
            let inner = folder.strip_prefix(root).unwrap_or(&folder);
            let mut parts = inner.iter();
            match generator {
                _ if inner == Path::new("") => true,
                Generator::Jekyll => parts.any(|part| part == "_posts" || part == "_drafts"),
                Generator::Hugo => parts.next().is_some_and(|part| part == "content"),
            }
        })
    };
    let is_named =
        |names: &[&str], path: &Path| path.file_name().is_some_and(|name| names.iter().any(|own| name == *own));
    let parent = folder.parent();
    let root = folder.ancestors().find(has_config).or_else(|| {
        let is_content = is_named(&["content"], &folder) || is_named(&["_posts", "_drafts"], &folder);
        let of_parent = parent.filter(|parent| is_named(&["content"], parent)).and_then(Path::parent);
        if is_content { parent } else { of_parent }
    });
    root.unwrap_or(&folder).to_owned()
}

fn config_file(root: &Path) -> Option<(Generator, PathBuf)> {
    let old = OLD_HUGO_CONFIGS.iter().filter(|_| root.join("content").is_dir());
    let jekyll = JEKYLL_CONFIGS.iter().map(|name| (Generator::Jekyll, name));
    let mut all = jekyll.chain(HUGO_CONFIGS.iter().chain(old).map(|name| (Generator::Hugo, name)));
    all.find_map(|(generator, name)| Some((generator, root.join(name))).filter(|(_, file)| file.is_file()))
}

/// URL patterns of Hugo by section, from the configuration and from the optional file `separate`.
fn permalinks(fields: &Fields, separate: &Path) -> anyhow::Result<HashMap<String, String>> {
    let separate = if separate.is_file() { read_fields(separate)? } else { Fields::new() };
    let mut permalinks = HashMap::new();
    for fields in [fields.get("permalinks").and_then(Value::as_object), Some(&separate)].into_iter().flatten() {
        // Newer versions of Hugo have separate tables for pages (`page`) and sections.
        let of_pages = fields.get("page").and_then(Value::as_object).unwrap_or(fields);
        permalinks.extend(
            of_pages.iter().filter_map(|(section, path)| Some((section.to_lowercase(), path.as_str()?.to_owned()))),
        );
    }
    Ok(permalinks)
}

impl SiteConfig {
    pub fn read(folder: &Path) -> anyhow::Result<Self> {
        let root = find_root(folder);
        let Some((generator, file)) = config_file(&root) else { return Ok(Self { root, ..Self::default() }) };
        let fields = read_fields(&file)?;
        // Zola uses the file name `config.toml`, too, but names the field `base_url`.
        let is_zola = fields.contains_key("base_url");
        let text = |name: &str| fields.get(name).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty());
        let (url, path) = match generator {
            Generator::Jekyll => (text("url"), text("baseurl").unwrap_or_default().to_owned()),
            Generator::Hugo => (text("baseurl").or_else(|| text("base_url")), String::new()),
        };
        let url = url.and_then(|url| url::Url::parse(url).ok()).filter(url::Url::has_host);
        let path = url.as_ref().map(|url| url.path().trim_end_matches('/').to_owned()).unwrap_or_default() + &path;
        let permalink = text("permalink").map(|own| {
            let style = JEKYLL_STYLES.iter().find(|(name, _)| *name == own);
            style.map_or(own, |(_, path)| path).to_owned()
        });
        let time_zone = text("timezone").and_then(|name| name.parse().ok());
        let generator = (!is_zola).then_some(generator);
        let default_language = (generator == Some(Generator::Hugo))
            .then(|| text("defaultcontentlanguage").unwrap_or("en").to_lowercase())
            .filter(|_| fields.get("defaultcontentlanguageinsubdir").and_then(Value::as_bool) != Some(true));
        Ok(Self {
            root,
            source_folders: source_folders(&fields),
            default_language,
            time_zone,
            generator,
            url: url.map(|url| url.origin().ascii_serialization()),
            base_path: path.trim_end_matches('/').to_owned(),
            permalink,
            permalinks: permalinks(&fields, &file.with_file_name("permalinks.toml"))?,
            collections: collections(&fields),
        })
    }

    /// Path of a file relative to its content folder, and the language of the content folder.
    pub fn inner_path<'a>(&self, path: &'a Path) -> (&'a Path, Option<&str>) {
        let inner = self
            .source_folders
            .iter()
            .find_map(|(folder, language)| Some((path.strip_prefix(folder).ok()?, language.as_deref())));
        inner.unwrap_or((path, None))
    }

    /// True if Jekyll's folder `_NAME` contains posts, drafts or a configured collection.
    pub fn is_collection(&self, name: &str) -> bool {
        ["posts", "drafts"].contains(&name) || self.collections.iter().any(|own| own == name)
    }

    /// True for a file in a content folder of a Hugo site.
    pub fn is_content(&self, path: &Path) -> bool {
        path.starts_with("content") || self.source_folders.iter().any(|(folder, _)| path.starts_with(folder))
    }

    /// Folders that may contain images and other files to which posts link.
    pub fn file_folders(&self) -> Vec<PathBuf> {
        let names = ["static", "source", "assets", "images", "img"].map(PathBuf::from);
        let folders = self.source_folders.iter().map(|(folder, _)| folder.clone()).chain(names);
        let folders = folders.map(|folder| self.root.join(folder)).chain([self.root.clone()]);
        // Folders outside the root are excluded, because a configuration or symbolic link of an untrusted source may
        // name any folder.
        let is_inside = |folder: &PathBuf| fs::canonicalize(folder).is_ok_and(|path| path.starts_with(&self.root));
        folders.filter(|folder| folder.is_dir() && is_inside(folder)).collect()
    }

    /// URL path of a Jekyll post, relative to `base_path`.
    pub fn jekyll_path(&self, values: &PathValues<'_>) -> Option<String> {
        expand(self.permalink.as_deref().unwrap_or(JEKYLL_STYLES[0].1), values)
    }

    /// URL path of a Hugo post, relative to `base_path`. `None` if the configuration has no pattern for its section.
    pub fn hugo_path(&self, values: &PathValues<'_>) -> Option<String> {
        let section = values.sections.first().map(|section| section.to_lowercase()).unwrap_or_default();
        expand(self.permalinks.get(&section)?, values)
    }
}

/// Names of collections in Jekyll's configuration, which is a list or a map.
fn collections(fields: &Fields) -> Vec<String> {
    match fields.get("collections") {
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        Some(Value::Object(names)) => names.keys().cloned().collect(),
        _ => Vec::new(),
    }
}

/// Content folders in the configuration: Jekyll's `source`, and Hugo's `contentDir` of the site and of each language.
fn source_folders(fields: &Fields) -> Vec<(PathBuf, Option<String>)> {
    let text = |value: Option<&Value>| value.and_then(Value::as_str).map(|path| PathBuf::from(path.trim_matches('/')));
    let own = ["source", "contentdir"].iter().filter_map(|name| Some((text(fields.get(*name))?, None)));
    let languages = fields.get("languages").and_then(Value::as_object).into_iter().flatten();
    let of_languages = languages.filter_map(|(language, fields)| {
        let fields = fields.as_object()?.iter().find(|(name, _)| name.eq_ignore_ascii_case("contentdir"));
        Some((text(fields.map(|(_, value)| value))?, Some(language.to_lowercase())))
    });
    let mut folders: Vec<_> = own.chain(of_languages).collect();
    // Inner folders come first, because the innermost folder that contains a file determines the language of the file.
    folders.sort_by_key(|(folder, _)| std::cmp::Reverse(folder.components().count()));
    folders
}

/// Reads a configuration file. Field names are changed to lower case, because Hugo ignores case.
fn read_fields(file: &Path) -> anyhow::Result<Fields> {
    let is_too_long = fs::metadata(file).is_ok_and(|metadata| metadata.len() > MAX_CONFIG_BYTES);
    ensure!(!is_too_long, "{} is larger than {} KiB", file.display(), MAX_CONFIG_BYTES >> 10);
    let text = fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    let extension = file.extension().unwrap_or_default().to_string_lossy();
    let fields = front_matter::parse(&extension, &text).map_err(|why| anyhow!("{}: {why}", file.display()))?;
    Ok(fields.into_iter().map(|(name, value)| (name.to_lowercase(), value)).collect())
}

/// Maximum length of an imported URL path in bytes. Longer paths are dropped.
const MAX_PATH_BYTES: usize = 2_000;

/// Replaces the placeholders of a URL pattern, such as `:year`. Returns `None` if a value is unknown or the path is too
/// long.
pub fn expand(pattern: &str, values: &PathValues<'_>) -> Option<String> {
    let (mut path, mut rest) = (String::from("/"), pattern);
    while let Some((before, after)) = rest.split_once(':') {
        if path.len() > MAX_PATH_BYTES {
            return None;
        }
        let end = after.find(|c: char| !c.is_ascii_lowercase() && c != '_').unwrap_or(after.len());
        path.push_str(before);
        path.push_str(&value(&after[..end], values)?);
        rest = &after[end..];
    }
    path.push_str(rest);
    if path.len() > MAX_PATH_BYTES {
        return None;
    }
    while path.contains("//") {
        path = path.replace("//", "/");
    }
    Some(path)
}

fn value(name: &str, values: &PathValues<'_>) -> Option<String> {
    let time = || values.time;
    Some(match name {
        "year" => time()?.year().to_string(),
        "short_year" => format!("{:02}", time()?.year() % 100),
        "month" => format!("{:02}", time()?.month()),
        "i_month" => time()?.month().to_string(),
        "monthname" => time()?.format("%B").to_string().to_lowercase(),
        "day" => format!("{:02}", time()?.day()),
        "i_day" => time()?.day().to_string(),
        "y_day" => format!("{:03}", time()?.ordinal()),
        "yearday" => time()?.ordinal().to_string(),
        "hour" | "minute" | "second" => time()?.format(&format!("%{}", name[..1].to_uppercase())).to_string(),
        "categories" => values.categories.iter().map(|name| name.to_lowercase()).collect::<Vec<_>>().join("/"),
        "slugified_categories" => values.categories.iter().map(|name| urlize(name)).collect::<Vec<_>>().join("/"),
        "primary_tag" => urlize(values.categories.first()?),
        "section" | "author" => values.sections.first()?.clone(),
        "sections" => values.sections.join("/"),
        "filename" | "contentbasename" | "name" => values.file_name.to_owned(),
        "slugorfilename" | "slugorcontentbasename" => values.slug.unwrap_or(values.file_name).to_owned(),
        "slug" => values.slug.map_or_else(|| urlize(values.title), str::to_owned),
        "title" => urlize(values.title),
        "output_ext" => ".html".to_owned(),
        _ => return None,
    })
}

/// Form of a name in URLs: lower case, with hyphens for spaces, and without most punctuation.
fn urlize(name: &str) -> String {
    let words = name.to_lowercase().split_whitespace().collect::<Vec<_>>().join("-");
    words.chars().filter(|c| c.is_alphanumeric() || "-_.~+".contains(*c)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(root: &Path, file: &str, text: &str) {
        fs::create_dir_all(root.join(file).parent().unwrap()).unwrap();
        fs::write(root.join(file), text).unwrap();
    }

    fn values<'a>() -> PathValues<'a> {
        PathValues {
            title: "Rock & Roll",
            slug: None,
            file_name: "rl",
            time: Some("2016-05-03T07:08:09".parse().unwrap()),
            sections: vec!["post".to_owned(), "old".to_owned()],
            categories: vec!["Big Sea".to_owned()],
        }
    }

    #[test]
    fn paths_follow_the_configuration_above_the_source() {
        let dir = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(dir.path()).unwrap();
        write(&root, "j/_config.yml", "url: https://old.example/\nbaseurl: /blog\npermalink: pretty\n");
        write(&root, "j/_posts/a.md", "");
        for source in ["j", "j/_posts"] {
            let config = SiteConfig::read(&root.join(source)).unwrap();
            assert_eq!((&config.root, config.url.as_deref()), (&root.join("j"), Some("https://old.example")));
            assert_eq!(config.base_path, "/blog");
            assert_eq!(config.jekyll_path(&values()).unwrap(), "/big sea/2016/05/03/rock--roll/");
        }
        write(
            &root,
            "h/config.toml",
            "baseURL = \"https://old.example/b/\"\n[permalinks]\npost = \"/:year/:month/:day/:filename/\"\n",
        );
        write(&root, "h/content/post/a.md", "");
        for source in ["h", "h/content", "h/content/post"] {
            let config = SiteConfig::read(&root.join(source)).unwrap();
            assert_eq!((&config.root, config.base_path.as_str()), (&root.join("h"), "/b"));
            assert_eq!(config.hugo_path(&values()).unwrap(), "/2016/05/03/rl/");
        }
        let languages = "defaultContentLanguage: ja\nlanguages:\n  ja: {contentDir: content/ja/}\n  en: {contentDir: content/en/}\n";
        write(&root, "l/hugo.yaml", languages);
        let config = SiteConfig::read(&root.join("l")).unwrap();
        assert_eq!(config.inner_path(Path::new("content/ja/entry/one.md")), (Path::new("entry/one.md"), Some("ja")));
        assert_eq!(config.default_language.as_deref(), Some("ja"));
        // A configuration does not apply to an unrelated subfolder.
        write(&root, "j/other/a.md", "");
        assert_eq!(SiteConfig::read(&root.join("j/other")).unwrap().root, root.join("j/other"));
        write(&root, "n/_posts/a.md", "");
        let config = SiteConfig::read(&root.join("n/_posts")).unwrap();
        assert_eq!((config.root, config.generator), (root.join("n"), None));
        write(&root, "z/config.toml", "base_url = \"https://old.example\"\n");
        write(&root, "z/content/a.md", "");
        let config = SiteConfig::read(&root.join("z")).unwrap();
        assert_eq!((config.generator, config.url.as_deref()), (None, Some("https://old.example")));
        // Folders outside the root are not searched for images.
        write(&root, "t/_config.yml", "source: ../j\n");
        std::os::unix::fs::symlink(root.join("j"), root.join("t/static")).unwrap();
        let folders = SiteConfig::read(&root.join("t")).unwrap().file_folders();
        assert_eq!(folders, [root.join("t")]);
        assert_eq!(expand(&":title".repeat(1_000), &values()), None);
        write(&root, "j/_config.yml", "a: [");
        assert!(SiteConfig::read(&root.join("j")).unwrap_err().to_string().contains("_config.yml: "));
    }

    #[test]
    fn placeholders_have_values() {
        for (pattern, path) in [
            (":year/:y_day/:i_month-:i_day", Some("/2016/124/5-3")),
            ("/:monthname/:sections/:slug/", Some("/may/post/old/rock--roll/")),
            ("/:title:output_ext", Some("/rock--roll.html")),
            ("/:unknown/", None),
        ] {
            assert_eq!(expand(pattern, &values()).as_deref(), path, "{pattern}");
        }
        assert_eq!(expand("/:year/", &PathValues { time: None, ..values() }), None);
    }
}
