//! Validated form fields of the post editor and of the JSON API.

use evenkeel_markdown::image_name::ImageName;
use schemars::{Schema, json_schema};
use serde_json::Value;
use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;
use url::Url;

use crate::blog_posts::models::PostStatus;
use crate::blog_posts::rendering::PostText;
use crate::blog_posts::schedule::PublishTime;
use crate::blog_posts::urls::slugify;
use crate::i18n::{DisplayTimeZone, Phrase, TextLanguage};
use crate::phrase;
use crate::text::{is_visible, to_single_line};
use crate::web::request::form_field::{Field, Fields, FormInput, OptionalField, YesOrNo, limit_chars};

fn visible_line(text: &str, max_chars: usize, error: fn() -> Phrase) -> Result<String, Phrase> {
    let line = to_single_line(text);
    if line.contains(is_visible) { limit_chars(line, max_chars) } else { Err(error()) }
}

#[derive(Clone, Debug, Default)]
pub struct Title(pub String);

impl Title {
    pub const MAX_CHARS: usize = 255;
}

impl Field for Title {
    fn from_text(text: &str) -> Result<Self, Phrase> {
        visible_line(text, Self::MAX_CHARS, || phrase!("invalid-no-title")).map(Self)
    }

    fn schema() -> Schema {
        json_schema!({ "type": "string", "minLength": 1, "maxLength": Self::MAX_CHARS, "description": "One line", "examples": ["Herons"] })
    }
}

/// Markdown source, stored unchanged.
#[derive(Clone, Debug, Default)]
pub struct Content(pub String);

impl Content {
    pub const MAX_BYTES: usize = 262_144;
}

impl Field for Content {
    fn from_text(text: &str) -> Result<Self, Phrase> {
        match text.len() {
            _ if !text.contains(is_visible) => Err(phrase!("invalid-no-text")),
            ..=Self::MAX_BYTES => Ok(Self(text.to_owned())),
            bytes => Err(phrase!("invalid-too-many-bytes", most = Self::MAX_BYTES, count = bytes)),
        }
    }

    fn schema() -> Schema {
        json_schema!({
            "type": "string", "minLength": 1, "maxLength": Self::MAX_BYTES, "description": "Markdown, at most 262144 bytes in UTF-8", "examples": ["They **stand**."]
        })
    }
}

/// Tags of a post, normalized to lower case with hyphens instead of spaces.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tags(pub Vec<String>);

impl Tags {
    pub const MAX_COUNT: usize = 10;
    pub const MAX_CHARS: usize = 30;

    pub fn normalize_tag(text: &str) -> Result<String, Phrase> {
        let folded = text.nfkc().collect::<String>().to_lowercase();
        let folded = folded.trim().trim_start_matches('#').split_whitespace().collect::<Vec<_>>().join("-");
        let length = folded.chars().count();
        if (1..=Self::MAX_CHARS).contains(&length)
            && folded.chars().all(is_tag_char)
            && folded.contains(char::is_alphanumeric)
        {
            return Ok(folded);
        }
        let shown: String = text.trim().chars().take(40).collect();
        Err(phrase!("invalid-tag", tag = shown))
    }

    /// Converts any text to a valid tag. Returns `None` if no valid character is left.
    pub fn sanitize_tag(text: &str) -> Option<String> {
        let allowed = |c: char| if is_tag_char(c) { c } else { ' ' };
        let mut text: String = text.nfkc().map(allowed).collect();
        loop {
            if let Ok(tag) = Self::normalize_tag(&text) {
                return Some(tag);
            }
            // Lower-casing can lengthen a text, so its end is removed one character at a time.
            let most = text.chars().count().min(Self::MAX_CHARS + 1).checked_sub(1)?;
            let cut: String = text.chars().take(most).collect();
            cut.trim_end_matches([' ', '-']).clone_into(&mut text);
        }
    }

    fn parse_all<'a>(texts: impl Iterator<Item = &'a str>) -> Result<Self, Phrase> {
        let mut tags = Vec::new();
        for text in texts.filter(|text| !text.trim().is_empty()) {
            let tag = Self::normalize_tag(text)?;
            if !tags.contains(&tag) {
                tags.push(tag);
            }
        }
        if tags.len() > Self::MAX_COUNT {
            return Err(phrase!("invalid-too-many-tags", most = Self::MAX_COUNT, count = tags.len()));
        }
        Ok(Self(tags))
    }
}

fn is_tag_char(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '-' | '_' | '\u{200c}') || is_combining_mark(c)
}

impl Field for Tags {
    /// Splits a list of tags at Latin, Arabic and ideographic commas.
    fn from_text(text: &str) -> Result<Self, Phrase> {
        Self::parse_all(text.split([',', '\u{60c}', '\u{3001}']))
    }

    fn from_json(value: &Value) -> Result<Self, Phrase> {
        let texts = value.as_array().and_then(|tags| tags.iter().map(Value::as_str).collect::<Option<Vec<_>>>());
        Self::parse_all(texts.ok_or(phrase!("invalid-no-strings"))?.into_iter())
    }

    fn schema() -> Schema {
        json_schema!({
            "type": "array", "items": { "type": "string" }, "examples": [["birds"]],
            "description": "At most 10 tags, each of 1 to 30 letters, digits, hyphens and underscores"
        })
    }
}

#[derive(Clone, Debug)]
pub struct CustomSlug(pub String);

impl Field for CustomSlug {
    fn from_text(text: &str) -> Result<Self, Phrase> {
        let has_words = text.contains(char::is_alphanumeric);
        if has_words { Ok(Self(slugify(text))) } else { Err(phrase!("invalid-slug")) }
    }

    fn schema() -> Schema {
        let description = "Last part of the URL of the post; without it, made from the title";
        json_schema!({ "type": "string", "description": description, "examples": ["herons"] })
    }
}

#[derive(Clone, Debug)]
pub struct CustomExcerpt(pub String);

impl CustomExcerpt {
    pub const MAX_CHARS: usize = 300;
}

impl Field for CustomExcerpt {
    fn from_text(text: &str) -> Result<Self, Phrase> {
        visible_line(text, Self::MAX_CHARS, || phrase!("invalid-excerpt")).map(Self)
    }

    fn schema() -> Schema {
        json_schema!({
            "type": "string", "minLength": 1, "maxLength": Self::MAX_CHARS,
            "description": "Summary in lists and feeds; without it, made from the text"
        })
    }
}

/// Cover image: the path of an uploaded image, or an `https` URL of at most 500 bytes.
#[derive(Clone, Debug)]
pub struct Cover(pub String);

impl Field for Cover {
    fn from_text(text: &str) -> Result<Self, Phrase> {
        if let Some(own) = ImageName::from_path(text.trim()) {
            return Ok(Self(own.path()));
        }
        let url = Url::parse(text.trim()).ok().filter(|url| url.scheme() == "https" && url.username().is_empty());
        let url = url.map(String::from).filter(|url| url.len() <= 500);
        url.map(Self).ok_or_else(|| phrase!("invalid-cover"))
    }

    fn schema() -> Schema {
        json_schema!({ "type": "string", "format": "uri-reference", "maxLength": 500, "description": "HTTPS URL, or path of an own image" })
    }
}

#[derive(Clone, Copy, Debug)]
struct Version(Option<i32>);

impl Field for Version {
    fn from_text(text: &str) -> Result<Self, Phrase> {
        if text.is_empty() {
            return Ok(Self(None));
        }
        let version = text.parse().ok().filter(|version| *version >= 1);
        version.map(|version| Self(Some(version))).ok_or_else(|| phrase!("invalid-version"))
    }

    fn from_json(value: &Value) -> Result<Self, Phrase> {
        let version = value.as_i64().and_then(|version| i32::try_from(version).ok()).filter(|version| *version >= 1);
        version.map(|version| Self(Some(version))).ok_or_else(|| phrase!("invalid-version"))
    }

    fn schema() -> Schema {
        json_schema!({ "type": "integer", "format": "int32", "minimum": 1, "description": "Version that was edited; if the post has changed since then, the response is 409 `conflict`. Without it, any version is overwritten. Of no effect for a new post" })
    }
}

#[derive(Clone, Debug, Default)]
pub struct PostInput {
    pub title: Title,
    pub content: Content,
    pub tags: Option<Tags>,
    pub status: Option<PostStatus>,
    /// `None` keeps the stored value and an empty [`OptionalField`] removes it, as in all fields of this type.
    pub slug: Option<OptionalField<CustomSlug>>,
    pub excerpt: Option<OptionalField<CustomExcerpt>>,
    pub cover: Option<OptionalField<Cover>>,
    pub language: Option<OptionalField<TextLanguage>>,
    pub publish_at: Option<OptionalField<PublishTime>>,
    pub is_page: Option<bool>,
    /// By default true for posts and false for pages.
    pub accepts_ratings: Option<bool>,
    pub version: Option<i32>,
    /// True if the author submits the draft for a review by staff.
    pub is_submitted: bool,
    /// True if the replaced text becomes an earlier version even if another version of the draft has just been stored.
    pub keeps_version: bool,
}

impl PostInput {
    pub fn is_draft(&self) -> bool {
        self.status == Some(PostStatus::Draft)
    }

    pub(crate) fn to_post_text(&self, own_language: Option<TextLanguage>) -> PostText {
        PostText { title: self.title.0.clone(), content: self.content.0.clone(), own_language }
    }
}

impl Field for TextLanguage {
    fn from_text(text: &str) -> Result<Self, Phrase> {
        text.parse().map_err(|_| phrase!("invalid-text-language"))
    }

    fn schema() -> Schema {
        json_schema!({ "type": "string", "description": "Language tag of the text; without it, the language is detected", "examples": ["fa"] })
    }
}

/// File input of the image upload. A file that was selected but not uploaded is an error, because it would be lost.
struct EmptyFileField;

impl Field for EmptyFileField {
    fn from_text(text: &str) -> Result<Self, Phrase> {
        if text.is_empty() {
            return Ok(Self);
        }
        let name: String = text.chars().take(60).collect();
        Err(phrase!("invalid-not-added", name = name))
    }

    fn schema() -> Schema {
        json_schema!({ "type": "string", "maxLength": 0 })
    }
}

impl FormInput for PostInput {
    /// Form encoding can triple the length of a text. The reserve gives longer texts a validation error, not `413`.
    const MAX_BYTES: usize = 4 * Content::MAX_BYTES;

    fn read(fields: &mut Fields) -> Option<Self> {
        let (title, content) = (fields.take("title"), fields.take("content"));
        let tags = fields.take_optional("tags");
        let status = fields.take_optional("status");
        let (slug, excerpt) = (fields.take_optional("slug"), fields.take_optional("excerpt"));
        let (cover, publish_at) = (fields.take_optional("cover"), fields.take_optional("publish_at"));
        let (language, version) = (fields.take_optional("language"), fields.take_optional("version"));
        let is_page = fields.take_optional("is_page");
        let accepts_ratings = fields.take_optional("accepts_ratings");
        let image = fields.take_undocumented::<EmptyFileField>("image");
        let zone = fields.take_undocumented::<OptionalField<DisplayTimeZone>>("publish_zone");
        // Ignores `scripts`, which the editor view has already read, and `alt`, which is a field of the image upload.
        fields.ignore_field("scripts");
        fields.ignore_field("alt");
        image?;
        let version = version?.and_then(|Version(version)| version);
        let zone = zone?.and_then(|OptionalField(zone)| zone);
        let shown_in_zone =
            |OptionalField(time): OptionalField<PublishTime>| OptionalField(time.map(|time| time.with_form_zone(zone)));
        Some(Self {
            title: title?,
            content: content?,
            tags: tags?,
            status: status?,
            slug: slug?,
            excerpt: excerpt?,
            cover: cover?,
            language: language?,
            publish_at: publish_at?.map(shown_in_zone),
            is_page: is_page?.map(|YesOrNo(is_page)| is_page),
            accepts_ratings: accepts_ratings?.map(|YesOrNo(accepts)| accepts),
            version,
            is_submitted: false,
            keeps_version: false,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn title_is_one_visible_line() {
        let title = |text: &str| Title::from_text(text).map(|title| title.0);
        assert_eq!(title(" a\r\nb\u{202e}c\u{7} ").unwrap(), "a  bc");
        assert_eq!(title("سلام 👩‍💻").unwrap(), "سلام 👩‍💻");
        assert!(title("\u{200b}\u{3164}").is_err());
        assert!(title(" \u{202e} ").is_err() && title(&"x".repeat(256)).is_err() && title(&"ک".repeat(255)).is_ok());
    }

    #[test]
    fn content_is_unchanged_and_limited_in_bytes() {
        assert_eq!(Content::from_text(" a\r\n").unwrap().0, " a\r\n");
        assert!(Content::from_text(&"ک".repeat(Content::MAX_BYTES / 2)).is_ok());
        assert!(Content::from_text(&"ک".repeat(Content::MAX_BYTES / 2 + 1)).is_err());
        assert!(Content::from_text(" \n ").is_err());
    }

    #[test]
    fn validates_custom_slug_excerpt_and_cover() {
        assert_eq!(CustomSlug::from_text(" My Own, words ").unwrap().0, "my-own-words");
        assert!(CustomSlug::from_text("--").is_err());
        assert_eq!(CustomExcerpt::from_text(" one\ntwo ").unwrap().0, "one two");
        assert!(CustomExcerpt::from_text("\u{200b}").is_err() && CustomExcerpt::from_text(&"x".repeat(301)).is_err());
        assert_eq!(Cover::from_text(" https://EXAMPLE.org/a b.png ").unwrap().0, "https://example.org/a%20b.png");
        let own = "/images/0123456789abcdef0123456789abcdef-1200x600.jpg";
        assert_eq!(Cover::from_text(own).unwrap().0, own);
        for bad in [
            "http://example.org/a.png",
            "/images/a.jpg",
            "javascript:alert(1)",
            "https://",
            "/a.png",
            "https://ann@example.org/",
        ] {
            assert!(Cover::from_text(bad).is_err(), "{bad}");
        }
        assert!(OptionalField::<Cover>::from_json(&Value::Null).unwrap().0.is_none());
        assert!(OptionalField::<Cover>::from_text(" ").unwrap().0.is_none());
        assert!(OptionalField::<Cover>::from_json(&serde_json::json!(7)).is_err());
    }

    #[test]
    fn normalizes_and_deduplicates_tags() {
        let tags = |text: &str| Tags::from_text(text).map(|tags| tags.0.join(" "));
        assert_eq!(tags(" Rust, #web , rust,  two words ,").unwrap(), "rust web two-words");
        assert_eq!(tags("آشپزی، برنامه‌نویسی").unwrap(), "آشپزی برنامه‌نویسی");
        assert_eq!(tags("").unwrap(), "");
        for bad in ["a b!", "<b>", "-", &"x".repeat(31), "1,2,3,4,5,6,7,8,9,10,11"] {
            assert!(tags(bad).is_err(), "{bad}");
        }
        assert!(Tags::from_json(&serde_json::json!(["a", "B"])).unwrap().0 == ["a", "b"]);
        assert!(Tags::from_json(&serde_json::json!("a")).is_err());
    }
}
