//! Conversion of source posts to posts of this site. Invalid values are truncated or omitted, and reported.

use std::collections::{BTreeSet, HashMap, HashSet};

use chrono::{DateTime, Utc};
use evenkeel_importers::SourcePost;
use evenkeel_markdown::{render, replace_links};
use percent_encoding::percent_decode_str;

use crate::blog_posts::editor::create::ImportedTimestamps;
use crate::blog_posts::editor::input::{Content, CustomExcerpt, CustomSlug, PostInput, Title};
use crate::blog_posts::models::PostStatus;
use crate::blog_posts::schedule::PublishTime;
use crate::blog_posts::{Tags, slug};
use crate::web::request::form_field::{Field, OptionalField};

/// Maximum length in characters of a title taken from the content.
const MAX_GENERATED_TITLE: usize = 60;

pub fn convert_post(source: &mut SourcePost, now: DateTime<Utc>) -> Result<(PostInput, ImportedTimestamps), String> {
    let title = title(source)?;
    report_invalid_characters(source);
    let content = content(source)?;
    // Ignores creation and modification times in the future.
    let has_come = |time: &DateTime<Utc>| *time <= now;
    let (status, publish_at) = status(source, now);
    let published_at = source.published_at.or(source.created_at).filter(|_| status == PostStatus::Published);
    let created_at = source.created_at.filter(has_come);
    let updated_at =
        source.updated_at.or(source.published_at).filter(has_come).max(created_at).filter(|_| created_at.is_some());
    let language = source.language.as_deref().and_then(|tag| tag.split(['-', '_']).next()?.parse().ok());
    if language.is_none()
        && let Some(tag) = &source.language
    {
        source
            .remarks
            .push(format!("ignored the unsupported language “{tag}”; the language is detected from the text"));
    }
    let own_slug = source.slug.as_deref().filter(|own| slug(own) != slug(&title.0));
    let post = PostInput {
        slug: Some(OptionalField(own_slug.and_then(|own| CustomSlug::from_text(own).ok()))),
        excerpt: Some(OptionalField(excerpt(source))),
        tags: Some(tags(source)),
        title,
        content,
        status: Some(status),
        language: Some(OptionalField(language)),
        publish_at: Some(OptionalField(publish_at)),
        is_page: Some(source.is_page),
        ..PostInput::default()
    };
    Ok((post, ImportedTimestamps { created_at, updated_at, published_at }))
}

fn title(source: &mut SourcePost) -> Result<Title, String> {
    if source.title.trim().is_empty() {
        source.title = first_words(&source.text);
        source.remarks.push(format!("the post has no title; imported with the title “{}”", source.title));
    }
    if source.title.chars().count() > Title::MAX_CHARS {
        source.title = source.title.chars().take(Title::MAX_CHARS - 1).chain(['…']).collect();
        source.remarks.push(format!("truncated the title to {} characters", Title::MAX_CHARS));
    }
    Title::from_text(&source.title).map_err(|problem| format!("title: {problem}"))
}

fn content(source: &mut SourcePost) -> Result<Content, String> {
    if source.text.contains('\0') {
        source.remarks.push("removed null characters from the text".to_owned());
    }
    let text = change_anchors(source);
    Content::from_text(&text.replace('\0', "")).map_err(|problem| format!("text: {problem}"))
}

/// Reports replacement characters (U+FFFD), which stand for bytes that could not be decoded.
fn report_invalid_characters(source: &mut SourcePost) {
    let line = |at| source.text[..at].matches('\n').count() + 1;
    let mut places = vec![source.text.find('\u{fffd}').map(|at| format!("line {} of the text", line(at)))];
    let tags = source.tags.join(" ");
    for (name, text) in [("title", Some(&source.title)), ("excerpt", source.excerpt.as_ref()), ("tags", Some(&tags))] {
        places.push(text.filter(|text| text.contains('\u{fffd}')).map(|_| format!("the field {name}")));
    }
    let remark = |location| format!("{location} contains invalid characters, which are shown as \u{fffd}");
    source.remarks.extend(places.into_iter().flatten().map(remark));
}

/// Changes links to headings whose ids another program wrote differently, and reports links to unknown headings.
fn change_anchors(source: &mut SourcePost) -> String {
    if !source.text.contains("](#") && !source.text.contains("](<#") {
        return source.text.clone();
    }
    let headings = render(&source.text).outline;
    let without_hyphens =
        |id: &str| id.trim_start_matches(|c: char| !c.is_alphabetic()).replace('-', "").to_lowercase();
    let mut similar = HashMap::<String, Vec<&str>>::new();
    for heading in &headings {
        similar.entry(without_hyphens(&heading.id)).or_default().push(&heading.id);
    }
    let ids: HashSet<&str> = headings.iter().map(|heading| heading.id.as_str()).collect();
    let mut unknown = BTreeSet::new();
    let text = replace_links(&source.text, |url| {
        let id = percent_decode_str(url.strip_prefix('#').filter(|id| !id.is_empty())?).decode_utf8_lossy();
        match similar.get(&without_hyphens(&id)).map(Vec::as_slice) {
            _ if ids.contains(&*id) => None,
            Some([heading]) => Some(format!("#{heading}")),
            _ => {
                unknown.insert(url.to_owned());
                None
            }
        }
    });
    let remark = |url| format!("the link {url} does not lead to a heading of the post");
    source.remarks.extend(unknown.into_iter().map(remark));
    text
}

fn first_words(text: &str) -> String {
    let words = render(text).excerpt;
    let Some((most, _)) = words.char_indices().nth(MAX_GENERATED_TITLE) else { return words };
    let end = words[..most].rfind(' ').unwrap_or(most);
    words[..end].to_owned() + "…"
}

fn status(source: &mut SourcePost, now: DateTime<Utc>) -> (PostStatus, Option<PublishTime>) {
    let ahead = source.published_at.filter(|time| source.is_public && *time > now);
    match ahead.map(|time| (time, PublishTime::validation_error(time, now))) {
        Some((time, None)) => (PostStatus::Draft, Some(PublishTime::Utc(time))),
        Some((time, Some(problem))) => {
            let scheduled_for = time.to_rfc3339();
            source
                .remarks
                .push(format!("imported as a draft, because it cannot be scheduled for {scheduled_for}: {problem}"));
            (PostStatus::Draft, None)
        }
        None if source.is_public => (PostStatus::Published, None),
        None => (PostStatus::Draft, None),
    }
}

fn excerpt(source: &mut SourcePost) -> Option<CustomExcerpt> {
    let own = source.excerpt.as_deref().filter(|own| !own.trim().is_empty())?;
    let cut: String = own.chars().take(CustomExcerpt::MAX_CHARS - 1).collect();
    let is_cut = cut.len() < own.trim_end().len() && own.trim_end().chars().count() > CustomExcerpt::MAX_CHARS;
    let shown = if is_cut { cut.trim_end().to_owned() + "…" } else { own.to_owned() };
    if is_cut {
        source.remarks.push(format!("truncated the excerpt to {} characters", CustomExcerpt::MAX_CHARS));
    }
    CustomExcerpt::from_text(&shown).ok()
}

const MAX_SOURCE_TAGS: usize = 1_000;

fn tags(source: &mut SourcePost) -> Tags {
    let mut tags = Vec::new();
    if source.tags.len() > MAX_SOURCE_TAGS {
        source.remarks.push(format!("skipped all tags after the first {MAX_SOURCE_TAGS}"));
        source.tags.truncate(MAX_SOURCE_TAGS);
    }
    for text in source.tags.iter().filter(|text| !text.trim().is_empty()) {
        match Tags::sanitize_tag(text) {
            Some(tag) => {
                if Tags::normalize_tag(text).is_err() {
                    source.remarks.push(format!("imported the tag “{text}” as “{tag}”"));
                }
                if !tags.contains(&tag) {
                    tags.push(tag);
                }
            }
            None => source.remarks.push(format!("skipped the tag “{text}”, because it contains no letters or digits")),
        }
    }
    if tags.len() > Tags::MAX_COUNT {
        source.remarks.push(format!(
            "skipped tags beyond the maximum of {}: {}",
            Tags::MAX_COUNT,
            tags[Tags::MAX_COUNT..].join(", ")
        ));
        tags.truncate(Tags::MAX_COUNT);
    }
    Tags(tags)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now() -> DateTime<Utc> {
        "2026-01-01T00:00:00Z".parse().unwrap()
    }

    fn found() -> SourcePost {
        SourcePost { title: "Hello".to_owned(), text: "Text".to_owned(), is_public: true, ..SourcePost::default() }
    }

    #[test]
    fn times_stay_and_none_is_to_come() {
        let at = |text: &str| Some(text.parse::<DateTime<Utc>>().unwrap());
        let mut old = found();
        (old.created_at, old.published_at) = (at("2020-01-01T00:00:00Z"), at("2020-01-02T00:00:00Z"));
        let (post, written) = convert_post(&mut old, now()).unwrap();
        assert_eq!(
            (post.status, written.created_at, written.published_at),
            (Some(PostStatus::Published), old.created_at, old.published_at)
        );
        assert_eq!(written.updated_at, old.published_at);
        let mut later = found();
        (later.created_at, later.published_at) = (at("2026-02-01T00:00:00Z"), at("2026-02-01T00:00:00Z"));
        let (post, written) = convert_post(&mut later, now()).unwrap();
        assert_eq!((post.status, written.created_at, written.published_at), (Some(PostStatus::Draft), None, None));
        assert_eq!(post.publish_at, Some(OptionalField(later.published_at.map(PublishTime::Utc))));
        later.published_at = at("2046-02-01T00:00:00Z");
        let (post, _) = convert_post(&mut later, now()).unwrap();
        assert!(post.publish_at == Some(OptionalField(None)) && later.remarks.len() == 1);
    }

    #[test]
    fn what_does_not_fit_is_told() {
        let mut odd = found();
        odd.tags = ["C++ & Rust", "…", "a", "A"].map(str::to_owned).to_vec();
        odd.tags.extend((0..12).map(|n| format!("{n}{}", "x".repeat(40))));
        odd.excerpt = Some("w ".repeat(200));
        odd.language = Some("tlh".to_owned());
        let (post, _) = convert_post(&mut odd, now()).unwrap();
        let tags = post.tags.unwrap().0;
        assert_eq!(
            (&tags[..2], tags[2].chars().count(), tags.len()),
            (&["c-rust".to_owned(), "a".to_owned()][..], 30, 10)
        );
        let excerpt = post.excerpt.unwrap().0.unwrap().0;
        assert!(excerpt.ends_with("w…") && excerpt.chars().count() <= 300, "{excerpt}");
        assert_eq!(odd.remarks.len(), 17, "{:?}", odd.remarks);
        let mut long = found();
        long.title = "x".repeat(256);
        assert_eq!(convert_post(&mut long, now()).unwrap().0.title.0, "x".repeat(254) + "…");
        assert_eq!(long.remarks, ["truncated the title to 255 characters"]);
        long = found();
        long.text = " ".to_owned();
        assert!(convert_post(&mut long, now()).unwrap_err().starts_with("text: "));
        let mut untitled = found();
        (untitled.title, untitled.text) = (String::new(), format!("**Rain** {}", "again ".repeat(20)));
        assert_eq!(convert_post(&mut untitled, now()).unwrap().0.title.0, format!("Rain {}again…", "again ".repeat(8)));
    }

    #[test]
    fn links_to_headings_lead_there() {
        let mut linked = found();
        linked.text =
            "[a](#setup) [b](#whats-new--now) [c](#2-setup) [d](#none)\n\n## Setup\n\n## What's new, now\n\n\u{fffd}"
                .to_owned();
        let (post, _) = convert_post(&mut linked, now()).unwrap();
        assert!(
            post.content.0.starts_with("[a](#setup) [b](#whats-new-now) [c](#setup) [d](#none)"),
            "{}",
            post.content.0
        );
        assert_eq!(
            linked.remarks,
            [
                "line 7 of the text contains invalid characters, which are shown as \u{fffd}",
                "the link #none does not lead to a heading of the post"
            ]
        );
    }

    #[test]
    fn a_slug_of_its_own_is_one_that_the_title_does_not_make() {
        let mut same = found();
        same.slug = Some("hello".to_owned());
        assert!(convert_post(&mut same, now()).unwrap().0.slug.unwrap().0.is_none());
        same.slug = Some("hi_there".to_owned());
        assert_eq!(convert_post(&mut same, now()).unwrap().0.slug.unwrap().0.unwrap().0, "hi-there");
    }
}
