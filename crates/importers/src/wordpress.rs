//! Import source: a `WordPress` export (WXR), an RSS file with an item for each post, page and attachment.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::BufRead;

use anyhow::ensure;
use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use evenkeel_markdown::render;
use quick_xml::escape::unescape;

use super::timestamp;
use super::wordpress_content::{ConvertedContent, ImageUrls, attached_key, to_html};
use super::xml_reader::{ItemReader, XmlElement, XmlItem};
use crate::html_to_markdown::{check_size, omission_messages, to_markdown};
use crate::source_entry::{SourceEntry, SourcePost, restricted_post_message};

const ITEM: &str = "item";

/// Reads an export in two passes, because a post may refer to an image that comes later in the file.
pub fn read_entries<R: BufRead, O: Fn() -> anyhow::Result<R>>(
    open: O,
    zone: Tz,
) -> anyhow::Result<impl Iterator<Item = anyhow::Result<SourceEntry>> + use<R, O>> {
    let (mut pictures, mut items) = (ImageUrls::new(), ItemReader::new(open()?, ITEM));
    let (head, mut item) = items.next_item()?;
    ensure!(head.element_text("wp:wxr_version").is_some(), "the file is not an export of WordPress");
    let old_site = old_site_prefixes(&head);
    let logins = head.elements("wp:author_login").iter().zip(head.elements("wp:author_display_name"));
    let text = |element: &XmlElement| element.text.trim().to_owned();
    let shown: HashMap<String, String> = logins.map(|(login, name)| (text(login), text(name))).collect();
    while let Some(found) = item {
        if let (Some(id), Some(address)) = (found.element_text("wp:post_id"), found.element_text("wp:attachment_url")) {
            pictures.insert(id.to_owned(), address.to_owned());
            if let Some(post) = found.element_text("wp:post_parent") {
                let attached = pictures.entry(attached_key(post)).or_default();
                attached.push_str(address);
                attached.push('\n');
            }
        }
        item = items.next_item()?.1;
    }
    let mut items = ItemReader::new(open()?, ITEM);
    Ok(std::iter::from_fn(move || {
        let item = items.next_item().map(|(_, item)| item).transpose()?;
        Some(item.map(|item| match entry(&item, &pictures, &old_site, zone) {
            SourceEntry::Post(mut found) => {
                found.author_display_name = found.author.as_ref().and_then(|author| shown.get(author).cloned());
                SourceEntry::Post(found)
            }
            other => other,
        }))
    }))
}

/// URL prefixes of the old site, each with the schemes `http` and `https`.
fn old_site_prefixes(head: &XmlItem) -> Vec<String> {
    let named = ["wp:base_blog_url", "wp:base_site_url", "link"].iter().filter_map(|name| head.element_text(name));
    let hosts = named.filter_map(|address| address.split_once("://")).map(|(_, host)| host.trim_end_matches('/'));
    let mut all: Vec<String> = hosts.flat_map(|host| [format!("https://{host}"), format!("http://{host}")]).collect();
    all.sort();
    all.dedup();
    // Longer prefixes come first, because the first match is used.
    all.reverse();
    all
}

fn entry(item: &XmlItem, pictures: &ImageUrls, old_site: &[String], zone: Tz) -> SourceEntry {
    let kind = item.element_text("wp:post_type");
    match kind {
        Some("post" | "page") => {}
        Some("attachment") => return SourceEntry::Other("attachments"),
        _ => return SourceEntry::Other("items of other types"),
    }
    let status = item.element_text("wp:status").unwrap_or_default();
    if matches!(status, "trash" | "auto-draft" | "inherit") {
        return SourceEntry::Other("posts in the trash");
    }
    let title = item
        .element_text("title")
        .map_or_else(String::new, |html| html_to_text(html).unwrap_or_else(|_| unescaped(html)));
    let number = item.element_text("wp:post_id").unwrap_or("?");
    let location = if title.is_empty() { format!("post {number}") } else { format!("post {number} “{title}”") };
    match source_post(item, status, pictures, zone) {
        Ok(found) => {
            let cover = meta(item, "_thumbnail_id").and_then(|id| pictures.get(id).cloned());
            SourceEntry::Post(Box::new(SourcePost {
                location,
                title,
                cover,
                is_page: kind == Some("page"),
                old_site_prefixes: old_site.to_vec(),
                ..found
            }))
        }
        Err(why) => SourceEntry::Invalid { location, why },
    }
}

fn source_post(item: &XmlItem, status: &str, pictures: &ImageUrls, zone: Tz) -> Result<SourcePost, String> {
    let content = item.element_text("content:encoded").unwrap_or_default();
    check_size(content)?;
    let ConvertedContent { text: html, mut remarks, is_restricted: is_gated } =
        to_html(content, item.element_text("wp:post_id").unwrap_or_default(), pictures);
    remarks.extend(omission_messages(&html));
    let text = to_markdown(&html)?;
    // The password is not trimmed, because `WordPress` accepts a password that consists of spaces.
    let has_password = item.elements("wp:post_password").iter().any(|password| !password.text.is_empty());
    let was_published = matches!(status, "publish" | "future" | "private");
    let is_public = was_published && status != "private" && !has_password && !is_gated;
    if was_published && !is_public {
        remarks.push(restricted_post_message(is_gated));
    }
    if !item.elements("wp:comment").is_empty() {
        remarks.push(format!("comments that were not imported: {}", item.elements("wp:comment").len()));
    }
    let written = time_of(item, "wp:post_date", zone);
    Ok(SourcePost {
        slug: item.element_text("wp:post_name").map(decoded),
        author: item.element_text("dc:creator").map(str::to_owned),
        text,
        tags: tags(item),
        excerpt: item.element_text("excerpt:encoded").map(html_to_text).transpose()?,
        is_public,
        created_at: written,
        updated_at: time_of(item, "wp:post_modified", zone),
        published_at: written.filter(|_| is_public),
        old_urls: ["link", "guid"].iter().filter_map(|name| item.element_text(name).map(str::to_owned)).collect(),
        remarks,
        ..SourcePost::default()
    })
}

/// Converts HTML to plain text.
fn html_to_text(html: &str) -> Result<String, String> {
    to_markdown(html).map(|markdown| render(&markdown).excerpt)
}

/// Time of an item in UTC. A post that was never published has only a local time, which is converted from `zone`.
fn time_of(item: &XmlItem, name: &str, zone: Tz) -> Option<DateTime<Utc>> {
    let in_utc = item.element_text(&format!("{name}_gmt"));
    let in_utc = in_utc.and_then(|time| timestamp::parse(time, Tz::UTC));
    in_utc.or_else(|| timestamp::parse(item.element_text(name)?, zone))
}

/// Tags and categories, except the default category `uncategorized`.
fn tags(item: &XmlItem) -> Vec<String> {
    let all = item.elements("category").iter().filter(|category| {
        let is = |name: &str, value: &str| category.attributes.get(name).is_some_and(|found| found == value);
        is("domain", "post_tag") || is("domain", "category") && !is("nicename", "uncategorized")
    });
    all.map(|category| unescaped(category.text.trim())).collect()
}

fn meta<'a>(item: &'a XmlItem, key: &str) -> Option<&'a str> {
    let at = item.elements("wp:meta_key").iter().position(|element| element.text == key)?;
    item.elements("wp:meta_value").get(at).map(|value| value.text.as_str())
}

/// Decodes HTML entities.
fn unescaped(text: &str) -> String {
    unescape(text).map_or_else(|_| text.to_owned(), Cow::into_owned)
}

/// Decodes a slug. Non-ASCII characters in slugs are percent-encoded.
fn decoded(slug: &str) -> String {
    percent_encoding::percent_decode_str(slug).decode_utf8_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "<rss><channel><title>Blog</title><link>https://blog.example/news</link>\
        <wp:wxr_version>1.2</wp:wxr_version><wp:base_site_url>http://blog.example</wp:base_site_url>\
        <wp:base_blog_url>https://blog.example/news</wp:base_blog_url>";

    fn all(items: &str) -> Vec<SourceEntry> {
        let file = format!("{HEAD}{items}</channel></rss>");
        read_entries(|| Ok(file.as_bytes()), Tz::UTC).unwrap().collect::<anyhow::Result<_>>().unwrap()
    }

    fn item(kind: &str, status: &str, more: &str) -> String {
        format!(
            "<item><title><![CDATA[<em>Tom</em> &amp; “Jerry” &#8217; ~`*_[]\\ 1 < 2]]></title><dc:creator><![CDATA[ann]]></dc:creator>\
            <wp:post_id>7</wp:post_id><wp:post_date>2020-01-02 04:04:05</wp:post_date>\
            <wp:post_date_gmt>2020-01-02 03:04:05</wp:post_date_gmt><wp:post_name>%d8%b3%d9%84%d8%a7%d9%85</wp:post_name>\
            <wp:post_type><![CDATA[{kind}]]></wp:post_type><wp:status>{status}</wp:status>{more}</item>"
        )
    }

    #[test]
    fn posts_are_taken_with_what_belongs_to_them() {
        let more = "<content:encoded><![CDATA[One <b>two</b>\n\nThree]]></content:encoded>\
            <excerpt:encoded><![CDATA[<p>Short</p>]]></excerpt:encoded>\
            <category domain=\"category\" nicename=\"uncategorized\"><![CDATA[Uncategorized]]></category>\
            <category domain=\"post_tag\" nicename=\"a-b\"><![CDATA[A &amp; B]]></category>\
            <wp:postmeta><wp:meta_key>_edit_last</wp:meta_key><wp:meta_value>1</wp:meta_value></wp:postmeta>\
            <wp:postmeta><wp:meta_key>_thumbnail_id</wp:meta_key><wp:meta_value>9</wp:meta_value></wp:postmeta>\
            <wp:comment><wp:comment_content>Nice</wp:comment_content></wp:comment>";
        let picture = "<item><wp:post_id>9</wp:post_id><wp:post_type>attachment</wp:post_type>\
            <wp:attachment_url>https://blog.example/a.png</wp:attachment_url></item>";
        let entries = all(&(item("post", "publish", more) + picture + &item("page", "publish", "")));
        let [SourceEntry::Post(post), SourceEntry::Other("attachments"), SourceEntry::Post(page)] = &entries[..] else {
            panic!("{entries:?}");
        };
        assert!(page.is_page && !post.is_page);
        assert_eq!(
            (post.title.as_str(), post.text.as_str()),
            ("Tom & “Jerry” ’ ~`*_[]\\ 1 < 2", "One **two**\n\nThree")
        );
        assert_eq!((post.slug.as_deref(), post.author.as_deref()), (Some("سلام"), Some("ann")));
        assert_eq!((&post.tags[..], post.excerpt.as_deref()), (&["A & B".to_owned()][..], Some("Short")));
        assert_eq!((post.published_at, post.is_public), (timestamp::parse("2020-01-02 03:04:05", Tz::UTC), true));
        assert_eq!(post.cover.as_deref(), Some("https://blog.example/a.png"));
        assert_eq!(post.remarks, ["comments that were not imported: 1"]);
        let own =
            ["https://blog.example/news", "https://blog.example", "http://blog.example/news", "http://blog.example"];
        assert_eq!(post.old_site_prefixes, own);
    }

    #[test]
    fn restricted_posts_are_imported_as_drafts() {
        let password = "<wp:post_password>secret</wp:post_password>";
        let statuses =
            [("private", ""), ("publish", password), ("draft", ""), ("pending", ""), ("trash", ""), ("future", "")];
        let entries = all(&statuses.map(|(status, more)| item("post", status, more)).concat());
        let public: Vec<_> = entries
            .iter()
            .map(|entry| match entry {
                SourceEntry::Post(post) => Some((post.is_public, post.published_at.is_some(), post.remarks.len())),
                _ => None,
            })
            .collect();
        let hidden = Some((false, false, 1));
        let draft = Some((false, false, 0));
        assert_eq!(public, [hidden, hidden, draft, draft, None, Some((true, true, 0))]);
    }

    #[test]
    fn another_file_is_told() {
        let error_of = |file: &'static str| read_entries(|| Ok(file.as_bytes()), Tz::UTC).err().unwrap().to_string();
        assert_eq!(error_of("<rss><channel></channel></rss>"), "the file is not an export of WordPress");
        assert_eq!(error_of("<rss><channel>"), "the file is truncated; export it again");
    }
}
