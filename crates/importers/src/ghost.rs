//! Import source: the JSON export of Ghost, with posts in HTML.

use std::collections::{HashMap, HashSet};
use std::io::Read;

use anyhow::{Context as _, bail, ensure};
use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use evenkeel_markdown::replace_links;
use serde::Deserialize;
use serde_json::Value;

use super::site_config::{PathValues, expand};
use super::{ReadOptions, timestamp};
use crate::html_to_markdown::{omission_messages, to_markdown};
use crate::source_entry::{SourceEntry, SourcePost, restricted_post_message};

/// HTML comment that begins the members-only part of a post.
const MEMBERS_ONLY_MARKER: &str = "kg-gated-block:begin";

/// Placeholder that Ghost writes in exports instead of the URL of the site.
const URL_PLACEHOLDER: &str = "__GHOST_URL__";

#[derive(Deserialize)]
struct Export {
    #[serde(default)]
    db: Vec<Db>,
    /// Data of an export without a `db` array.
    data: Option<Data>,
}

#[derive(Deserialize)]
struct Db {
    data: Data,
}

#[derive(Deserialize)]
struct Data {
    /// Raw JSON, so that an invalid post does not prevent the import of other posts.
    posts: Vec<Value>,
    #[serde(default)]
    tags: Vec<Named>,
    #[serde(default)]
    users: Vec<Named>,
    #[serde(default)]
    posts_tags: Vec<PostRelation>,
    #[serde(default)]
    posts_authors: Vec<PostRelation>,
    #[serde(default)]
    posts_meta: Vec<PostMeta>,
    #[serde(default)]
    settings: Vec<Setting>,
}

#[derive(Deserialize)]
struct Setting {
    key: String,
    value: Option<Value>,
}

/// Row of Ghost's table `posts_meta`.
#[derive(Deserialize)]
struct PostMeta {
    post_id: Id,
    /// True for a post that Ghost sends by email instead of publishing it.
    email_only: Option<Value>,
}

/// Id of an exported row: a hexadecimal string, or a number in exports before Ghost 1.0.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Hash)]
#[serde(untagged)]
enum Id {
    Text(String),
    Number(i64),
}

#[derive(Deserialize)]
struct Named {
    id: Id,
    name: String,
    slug: String,
}

/// Relation between a post and a tag or an author.
#[derive(Deserialize)]
struct PostRelation {
    post_id: Id,
    #[serde(alias = "author_id")]
    tag_id: Id,
    #[serde(default)]
    sort_order: i64,
}

#[derive(Deserialize)]
struct Post {
    id: Id,
    title: String,
    slug: Option<String>,
    html: Option<String>,
    /// Content in Markdown, in exports before Ghost 1.0 only.
    markdown: Option<String>,
    /// Content in the JSON format of the Lexical editor.
    lexical: Option<String>,
    mobiledoc: Option<String>,
    feature_image: Option<String>,
    image: Option<String>,
    #[serde(rename = "type")]
    kind: Option<String>,
    /// True for a static page, in exports before Ghost 3.0 only.
    page: Option<Value>,
    status: Option<String>,
    visibility: Option<String>,
    custom_excerpt: Option<String>,
    locale: Option<String>,
    author_id: Option<Id>,
    canonical_url: Option<String>,
    codeinjection_head: Option<String>,
    codeinjection_foot: Option<String>,
    created_at: Option<Value>,
    updated_at: Option<Value>,
    published_at: Option<Value>,
}

/// Tags and authors by post id, and other data that the posts of an export share.
struct Relations {
    tags: HashMap<Id, Vec<String>>,
    authors: HashMap<Id, Vec<String>>,
    users: HashMap<Id, String>,
    /// Ids of posts that Ghost sends by email instead of publishing them.
    email_only: HashSet<Id>,
    /// URL pattern of posts, such as `/:year/:month/:slug/`. Newer Ghost versions store the pattern in `routes.yaml`.
    permalinks: Option<String>,
    /// Display names of users by slug.
    shown: HashMap<String, String>,
}

/// Reads the entries of an export. The URL of the old site replaces [`URL_PLACEHOLDER`].
pub fn entries(
    file: impl Read,
    options: ReadOptions<'_>,
) -> anyhow::Result<std::vec::IntoIter<anyhow::Result<SourceEntry>>> {
    let export: Result<Export, _> = serde_json::from_reader(file);
    if export.as_ref().is_err_and(|error| error.to_string().starts_with("trailing characters")) {
        bail!(
            "the file has several JSON objects, like JSON Lines; export one JSON file, for BitPin-Blog with `--format json`"
        );
    }
    let export = export.context("the file is not an export of Ghost")?;
    let all_data: Vec<Data> = export.db.into_iter().map(|db| db.data).chain(export.data).collect();
    ensure!(!all_data.is_empty(), "the file is not an export of Ghost");
    let mut all = Vec::new();
    for data in all_data {
        let of = Relations {
            tags: names(data.posts_tags, &data.tags, |tag| &tag.name),
            authors: names(data.posts_authors, &data.users, |user| &user.slug),
            email_only: data
                .posts_meta
                .into_iter()
                .filter(|meta| is_true(meta.email_only.as_ref()))
                .map(|meta| meta.post_id)
                .collect(),
            permalinks: data
                .settings
                .into_iter()
                .find_map(|one| one.value?.as_str().filter(|_| one.key == "permalinks").map(str::to_owned)),
            shown: data.users.iter().map(|user| (user.slug.clone(), user.name.clone())).collect(),
            users: data.users.into_iter().map(|user| (user.id, user.slug)).collect(),
        };
        all.extend(data.posts.into_iter().map(|post| Ok(read(post, &of, options))));
    }
    Ok(all.into_iter())
}

/// Names of the tags or authors of each post, in sort order.
fn names(mut pairs: Vec<PostRelation>, all: &[Named], name: impl Fn(&Named) -> &String) -> HashMap<Id, Vec<String>> {
    pairs.sort_by_key(|pair| pair.sort_order);
    let all: HashMap<&Id, &String> = all.iter().map(|one| (&one.id, name(one))).collect();
    let mut of = HashMap::<Id, Vec<String>>::new();
    for pair in pairs {
        if let Some(name) = all.get(&pair.tag_id) {
            of.entry(pair.post_id).or_default().push((*name).clone());
        }
    }
    of
}

fn read(post: Value, of: &Relations, options: ReadOptions<'_>) -> SourceEntry {
    let location = format!("“{}”", post["title"].as_str().unwrap_or("untitled post"));
    match Post::deserialize(post) {
        Ok(post) => entry(post, of, options),
        Err(error) => SourceEntry::Invalid { location, why: error.to_string() },
    }
}

fn entry(post: Post, of: &Relations, options: ReadOptions<'_>) -> SourceEntry {
    let location = format!("“{}”", post.title);
    let is_page = post.page.as_ref().map_or(post.kind.as_deref() == Some("page"), |page| is_true(Some(page)));
    match source_post(post, of, options) {
        Ok(found) => SourceEntry::Post(Box::new(SourcePost { location, is_page, ..found })),
        Err(why) => SourceEntry::Invalid { location, why },
    }
}

/// True for `true` and for 1, because some databases store booleans as integers.
fn is_true(value: Option<&Value>) -> bool {
    value.is_some_and(|value| value.as_bool() == Some(true) || value.as_i64() == Some(1))
}

/// URL of the old site without a trailing slash. Returns an error if a post contains [`URL_PLACEHOLDER`] and the URL is
/// unknown.
fn site_of<'a>(text: &str, cover: Option<&str>, old_site: Option<&'a str>) -> Result<&'a str, String> {
    let has_mark = text.contains(URL_PLACEHOLDER) || cover.is_some_and(|cover| cover.contains(URL_PLACEHOLDER));
    let site = old_site.or((!has_mark).then_some("")).map(|site| site.trim_end_matches('/'));
    let problem = "the post has links or images of the old site, whose URL is unknown; set the URL with --old-site";
    site.ok_or_else(|| problem.to_owned())
}

/// First author of a post. Old exports have an `author_id` in place of a list of authors.
fn author_of<'a>(post: &Post, of: &'a Relations) -> Option<&'a String> {
    let authors = of.authors.get(&post.id);
    authors.and_then(|authors| authors.first()).or_else(|| of.users.get(post.author_id.as_ref()?))
}

/// True if the post was public or scheduled to become public. Adds a remark if a public post becomes a draft.
fn is_public(post: &Post, of: &Relations, is_gated: bool, remarks: &mut Vec<String>) -> bool {
    let for_all = !is_gated && post.visibility.as_deref().is_none_or(|visibility| visibility == "public");
    let was_published = matches!(post.status.as_deref(), Some("published" | "scheduled"));
    if was_published && !for_all {
        remarks.push(restricted_post_message(is_gated));
    }
    let is_email_only = of.email_only.contains(&post.id);
    if was_published && is_email_only {
        remarks.push("imported as a draft, because Ghost sent the post only by email".to_owned());
    }
    was_published && for_all && !is_email_only
}

fn source_post(mut post: Post, of: &Relations, options: ReadOptions<'_>) -> Result<SourcePost, String> {
    let html = take_html(&mut post)?;
    let is_gated = html.as_deref().is_some_and(|html| html.contains(MEMBERS_ONLY_MARKER));
    let mut remarks = html.as_deref().map(omission_messages).unwrap_or_default();
    remarks.extend(lost_parts(&post, of));
    let is_public = is_public(&post, of, is_gated, &mut remarks);
    let author = author_of(&post, of).cloned();
    let text = html.map_or_else(|| Ok(post.markdown.unwrap_or_default()), |html| to_markdown(&html))?;
    let cover = post.feature_image.or(post.image);
    let site = site_of(&text, cover.as_deref(), options.old_site)?;
    let text = with_absolute_links(&text, site);
    let tags = of.tags.get(&post.id).cloned().unwrap_or_default();
    let time = |name: &str, value: Option<Value>| parse_time(name, value, options.time_zone);
    let published_at = time("published_at", post.published_at)?;
    let values = PathValues {
        slug: post.slug.as_deref(),
        time: published_at.map(|time| time.with_timezone(&options.time_zone).naive_local()),
        categories: tags.first().cloned().into_iter().collect(),
        sections: author.clone().into_iter().collect(),
        ..PathValues::default()
    };
    let path = expand(of.permalinks.as_deref().unwrap_or("/:slug/"), &values).filter(|_| post.slug.is_some());
    Ok(SourcePost {
        title: post.title,
        old_urls: path.iter().map(|path| format!("{site}{path}")).collect(),
        slug: post.slug,
        author_display_name: author.as_ref().and_then(|author| of.shown.get(author).cloned()),
        author,
        text: text.replace(URL_PLACEHOLDER, site),
        // Tags that begin with `#` are internal in Ghost, and are not imported.
        tags: tags.into_iter().filter(|tag| !tag.starts_with('#')).collect(),
        excerpt: post.custom_excerpt,
        cover: cover.map(|cover| cover.replace(URL_PLACEHOLDER, site)).filter(|cover| !cover.is_empty()),
        language: post.locale,
        is_public,
        created_at: time("created_at", post.created_at)?,
        updated_at: time("updated_at", post.updated_at)?,
        published_at: published_at.filter(|_| is_public),
        old_site_prefixes: Some(site.to_owned()).filter(|site| !site.is_empty()).into_iter().collect(),
        remarks,
        ..SourcePost::default()
    })
}

/// Converts paths in links to absolute URLs, because the paths would otherwise point to this site. Links in code are
/// not changed.
fn with_absolute_links(text: &str, site: &str) -> String {
    let is_path = |url: &str| url.starts_with('/') && !url.starts_with("//") && !site.is_empty();
    replace_links(text, |url| is_path(url).then(|| format!("{site}{url}")))
}

/// Returns the HTML of a post, or `None` for an empty post or a post in Markdown. Returns an error if the content is in
/// another format.
fn take_html(post: &mut Post) -> Result<Option<String>, String> {
    let html = post.html.take().filter(|html| !html.trim().is_empty());
    if html.is_none() && post.markdown.is_none() && has_document(post) {
        return Err("the export contains no HTML of the post".to_owned());
    }
    Ok(html)
}

/// True if a post has non-empty content in the format of Lexical or Mobiledoc.
fn has_document(post: &Post) -> bool {
    let has_text = |json: &String| {
        json.contains("\"src\":") || json.split("\"text\":\"").skip(1).any(|rest| !rest.starts_with('"'))
    };
    let is_filled =
        |json: &String| !["\"sections\":[]", "\"sections\":[[1,\"p\",[]]]"].iter().any(|empty| json.contains(empty));
    post.lexical.as_ref().is_some_and(has_text) || post.mobiledoc.as_ref().is_some_and(is_filled)
}

/// Messages about parts of a post that are not imported.
fn lost_parts(post: &Post, of: &Relations) -> Vec<String> {
    let parts = [
        (&post.canonical_url, "the canonical URL was not imported"),
        (&post.codeinjection_head, "the code injection for the page header was not imported"),
        (&post.codeinjection_foot, "the code injection for the page footer was not imported"),
    ];
    let is_there = |value: &Option<String>| value.as_ref().is_some_and(|value| !value.trim().is_empty());
    let parts = parts.into_iter().filter(|(value, _)| is_there(value)).map(|(_, what)| what.to_owned());
    let others = of.authors.get(&post.id).map_or(&[][..], |authors| authors.get(1..).unwrap_or_default());
    let others = (!others.is_empty()).then(|| format!("skipped the co-authors: {}", others.join(", ")));
    parts.chain(others).collect()
}

/// Parses a time: a string, or a number of milliseconds since the Unix epoch in exports before Ghost 1.0.
fn parse_time(name: &str, value: Option<Value>, zone: Tz) -> Result<Option<DateTime<Utc>>, String> {
    let time = match &value {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::String(text)) => timestamp::parse(text, zone),
        Some(Value::Number(number)) => {
            number.as_i64().and_then(DateTime::from_timestamp_millis).filter(timestamp::is_in_range)
        }
        Some(_) => None,
    };
    time.map(Some).ok_or_else(|| format!("{name}: {} is not a valid time", value.unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn all(data: &Value) -> Vec<SourceEntry> {
        all_of(data, Some("https://old.example/"))
    }

    fn all_of(data: &Value, old_site: Option<&str>) -> Vec<SourceEntry> {
        let file = json!({ "db": [{ "meta": {}, "data": data }] }).to_string();
        entries(file.as_bytes(), ReadOptions { old_site, ..ReadOptions::default() })
            .unwrap()
            .collect::<anyhow::Result<_>>()
            .unwrap()
    }

    #[test]
    fn posts_have_their_tags_and_their_first_author() {
        let entries = all(&json!({
            "posts": [
                {
                    "id": "a1", "title": "Hello", "slug": "hi", "html": "<p>One <em>two</em> <a href=\"/x/\">x</a></p>", "status": "published",
                    "canonical_url": "https://first.example/hi", "codeinjection_foot": "",
                    "visibility": "public", "type": "post", "custom_excerpt": "Short", "locale": "de",
                    "feature_image": "__GHOST_URL__/content/images/a.png", "created_at": "2020-01-02T03:04:05.000Z",
                    "updated_at": "2020-01-04T00:00:00.000Z", "published_at": "2020-01-03T00:00:00.000Z",
                },
                { "id": "a2", "title": "About", "type": "page", "html": "x" },
                { "id": "a3", "title": "Paid", "html": "x", "status": "published", "visibility": "paid" },
                { "id": "a5", "title": "Odd", "html": 5 },
                { "id": "a6", "title": "Gated", "html": "<p>x</p><!--kg-gated-block:begin nonMember:false --><p>y</p>",
                  "status": "published", "visibility": "public" },
                { "id": "a7", "title": "New", "lexical": "{\"text\":\"x\"}" },
                { "id": "a8", "title": "When", "html": "x", "published_at": "gestern" },
                { "id": "a4", "title": "Mail", "html": "x", "status": "sent", "visibility": "public" },
            ],
            "tags": [{ "id": "t1", "name": "One", "slug": "one" }, { "id": "t2", "name": "#inside", "slug": "hash" }],
            "users": [{ "id": "u1", "name": "Ann", "slug": "ann" }, { "id": "u2", "name": "Bob", "slug": "bob" }],
            "posts_tags": [{ "post_id": "a1", "tag_id": "t2" }, { "post_id": "a1", "tag_id": "t1", "sort_order": 1 }],
            "posts_authors": [
                { "post_id": "a1", "author_id": "u2", "sort_order": 1 },
                { "post_id": "a1", "author_id": "u1", "sort_order": 0 },
            ],
        }));
        let [
            SourceEntry::Post(post),
            SourceEntry::Post(about),
            SourceEntry::Post(paid),
            odd @ ..,
            SourceEntry::Post(mailed),
        ] = &entries[..]
        else {
            panic!("{entries:?}");
        };
        assert!(about.is_page && !post.is_page);
        // An invalid post must not prevent the import of other posts.
        let [
            SourceEntry::Invalid { location, .. },
            SourceEntry::Post(gated),
            SourceEntry::Invalid { why: no_html, .. },
            SourceEntry::Invalid { why, .. },
        ] = odd
        else {
            panic!("{odd:?}");
        };
        assert_eq!((location.as_str(), why.as_str()), ("“Odd”", "published_at: \"gestern\" is not a valid time"));
        assert!(!gated.is_public && gated.remarks[0].contains("a part of the post") && no_html.contains("no HTML"));
        assert_eq!(
            (post.text.as_str(), post.author.as_deref()),
            ("One *two* [x](https://old.example/x/)", Some("ann"))
        );
        assert_eq!(post.remarks, ["the canonical URL was not imported", "skipped the co-authors: bob"]);
        assert_eq!((&post.tags[..], post.language.as_deref()), (&["One".to_owned()][..], Some("de")));
        assert_eq!((post.is_public, post.published_at), (true, timestamp::parse("2020-01-03", Tz::UTC)));
        assert_eq!(post.cover.as_deref(), Some("https://old.example/content/images/a.png"));
        // A post for paying members must not become public.
        assert!(!paid.is_public && paid.remarks == ["imported as a draft, because access to the post was restricted"]);
        assert!(!mailed.is_public && mailed.published_at.is_none());
    }

    #[test]
    fn old_paths_follow_the_settings() {
        let entries = all(&json!({
            "posts": [{ "id": "1", "title": "A", "slug": "two", "html": "x", "published_at": "2014-05-03T00:00:00Z" }],
            "settings": [{ "key": "permalinks", "value": "/:year/:month/:slug/" }],
        }));
        assert!(
            matches!(&entries[..], [SourceEntry::Post(post)] if post.old_urls == ["https://old.example/2014/05/two/"])
        );
    }

    #[test]
    fn exports_of_old_versions_are_read() {
        let entries = all(&json!({
            "posts": [
                { "id": 1, "title": "A", "markdown": "*x*", "page": 0, "status": "published", "author_id": 7,
                  "image": "/content/images/a.png", "created_at": 1_388_318_310_000_i64, "published_at": 1_388_318_310_000_i64 },
                { "id": 2, "title": "B", "markdown": "x", "page": 1 },
            ],
            "users": [{ "id": 7, "name": "Ann", "slug": "ann" }],
        }));
        let [SourceEntry::Post(post), SourceEntry::Post(page)] = &entries[..] else { panic!("{entries:?}") };
        assert!(page.is_page && !post.is_page);
        assert_eq!((post.text.as_str(), post.author.as_deref()), ("*x*", Some("ann")));
        assert_eq!(post.created_at, timestamp::parse("2013-12-29 11:58:30", Tz::UTC));
    }

    #[test]
    fn the_old_site_has_to_be_named_where_something_leads_there() {
        let posts = json!({ "posts": [{ "id": 1, "title": "A", "html": "<a href='__GHOST_URL__/b/'>b</a>" }] });
        assert!(matches!(&all_of(&posts, None)[..], [SourceEntry::Invalid { why, .. }] if why.contains("--old-site")));
        let named = all(&posts);
        assert!(
            matches!(&named[..], [SourceEntry::Post(post)] if post.text == "[b](https://old.example/b/)"),
            "{named:?}"
        );
    }

    #[test]
    fn links_and_media_of_the_old_site_are_kept() {
        let html = "<video src=\"__GHOST_URL__/content/media/clip.mp4\"></video><video><source src=\"/content/rel.mp4\"></video>\
            <p><a href=\"//e.example/a\">x</a> <code>href=\"/x\"</code></p>";
        let entries = all(&json!({ "posts": [{ "id": "1", "title": "A", "html": html }] }));
        let [SourceEntry::Post(post)] = &entries[..] else { panic!("{entries:?}") };
        let text = "[clip.mp4](<https://old.example/content/media/clip.mp4>)\n\n[rel.mp4](https://old.example/content/rel.mp4)\n\n\
            [x](<https://e.example/a>) `href=\"/x\"`";
        assert_eq!(post.text, text);
        assert_eq!(post.remarks, ["imported <video> as a link"]);
    }

    #[test]
    fn a_post_that_was_sent_by_email_only_is_a_draft() {
        let post = |id: &str| json!({ "id": id, "title": "A", "html": "x", "status": "scheduled", "published_at": "2031-01-01" });
        let meta = json!([{ "post_id": "1", "email_only": 1 }, { "post_id": "2", "email_only": 0 }]);
        let entries = all(&json!({ "posts": [post("1"), post("2")], "posts_meta": meta }));
        let [SourceEntry::Post(mailed), SourceEntry::Post(public)] = &entries[..] else { panic!("{entries:?}") };
        assert!(
            !mailed.is_public && mailed.remarks == ["imported as a draft, because Ghost sent the post only by email"]
        );
        assert!(public.is_public && public.remarks.is_empty());
    }

    #[test]
    fn another_file_is_told() {
        let bare = json!({ "meta": {}, "data": { "posts": [{ "id": 1, "title": "A", "image": "", "html": "x" }] } })
            .to_string();
        let bare: Vec<_> = entries(bare.as_bytes(), ReadOptions::default()).unwrap().collect();
        assert!(matches!(&bare[..], [Ok(SourceEntry::Post(post))] if post.cover.is_none()), "{bare:?}");
        let error_text = entries(&b"{\"posts\": []}"[..], ReadOptions::default()).err().unwrap().to_string();
        assert_eq!(error_text, "the file is not an export of Ghost");
        let lines = entries(&b"{\"model\": 1}\n{\"model\": 2}"[..], ReadOptions::default()).err().unwrap().to_string();
        assert!(lines.starts_with("the file has several JSON objects, like JSON Lines;"), "{lines}");
    }
}
