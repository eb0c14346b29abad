//! What authors send: fields that hold only what a post may have.

use serde::Serialize;
use serde_json::Value;
use unicode_normalization::UnicodeNormalization as _;
use url::Url;

use crate::blog_posts::rendering::Source;
use crate::blog_posts::schedule::PublishAt;
use crate::blog_posts::slug;
use crate::blog_posts::slug::is_mark;
use crate::i18n::{Phrase, TextLanguage};
use crate::image_name::ImageName;
use crate::images::views::NewImage;
use crate::phrase;
use crate::web::request::field::{Field, Fields, Input, Optional};
use crate::web::response::text::{is_visible, one_line};

/// Whether others see a post.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// For its author alone.
    Draft,
    #[default]
    Published,
}

impl Status {
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Draft => "draft",
            Self::Published => "published",
        }
    }

    #[must_use]
    pub fn of(name: &str) -> Self {
        if name == "draft" { Self::Draft } else { Self::Published }
    }
}

impl Field for Status {
    fn from_text(text: &str) -> Result<Self, Phrase> {
        match text {
            "draft" => Ok(Self::Draft),
            "published" => Ok(Self::Published),
            _ => Err(phrase!("invalid-status")),
        }
    }
}

/// A title, 1 to 200 characters on one line.
#[derive(Clone, Debug)]
pub struct Title(pub String);

impl Field for Title {
    /// Control characters and those that turn the reading direction of what follows are left out.
    fn from_text(text: &str) -> Result<Self, Phrase> {
        let clean = one_line(text);
        match clean.chars().count() {
            _ if !clean.contains(is_visible) => Err(phrase!("invalid-no-title")),
            ..=200 => Ok(Self(clean)),
            count => Err(phrase!("invalid-too-many-characters", most = 200, count = count)),
        }
    }
}

/// A post's text: 1 to 262,144 bytes of UTF-8, kept exactly.
#[derive(Clone, Debug)]
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
}

/// Words that a post is found by. Each has one form: lower case, with hyphens for spaces.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tags(pub Vec<String>);

impl Tags {
    /// The most that a post may have.
    pub const MAX: usize = 10;
    /// The most characters of one.
    pub const MAX_CHARS: usize = 30;

    /// The one form of a tag.
    pub fn one(text: &str) -> Result<String, Phrase> {
        let folded = text.nfkc().collect::<String>().to_lowercase();
        let folded = folded.trim().trim_start_matches('#').split_whitespace().collect::<Vec<_>>().join("-");
        let length = folded.chars().count();
        if (1..=Self::MAX_CHARS).contains(&length)
            && folded.chars().all(may_be_in_a_tag)
            && folded.contains(char::is_alphanumeric)
        {
            return Ok(folded);
        }
        let shown: String = text.trim().chars().take(40).collect();
        Err(phrase!("invalid-tag", tag = shown))
    }

    /// As much of a text as can be a tag: with a space in place of what may not be in one. None where nothing can.
    #[must_use]
    pub fn fitting(text: &str) -> Option<String> {
        let allowed = |c: char| if may_be_in_a_tag(c) { c } else { ' ' };
        let mut text: String = text.nfkc().map(allowed).collect();
        loop {
            if let Ok(tag) = Self::one(&text) {
                return Some(tag);
            }
            // In lower case it may be longer.
            let most = text.chars().count().min(Self::MAX_CHARS + 1).checked_sub(1)?;
            let cut: String = text.chars().take(most).collect();
            cut.trim_end_matches([' ', '-']).clone_into(&mut text);
        }
    }

    fn all<'a>(texts: impl Iterator<Item = &'a str>) -> Result<Self, Phrase> {
        let mut tags = Vec::new();
        for text in texts.filter(|text| !text.trim().is_empty()) {
            let tag = Self::one(text)?;
            if !tags.contains(&tag) {
                tags.push(tag);
            }
        }
        if tags.len() > Self::MAX {
            return Err(phrase!("invalid-too-many-tags", most = Self::MAX, count = tags.len()));
        }
        Ok(Self(tags))
    }
}

fn may_be_in_a_tag(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '-' | '_' | '\u{200c}') || is_mark(c)
}

impl Field for Tags {
    /// Tags are separated by commas: Latin, Arabic or ideographic ones.
    fn from_text(text: &str) -> Result<Self, Phrase> {
        Self::all(text.split([',', '\u{60c}', '\u{3001}']))
    }

    fn from_json(value: &Value) -> Result<Self, Phrase> {
        let texts = value.as_array().and_then(|tags| tags.iter().map(Value::as_str).collect::<Option<Vec<_>>>());
        Self::all(texts.ok_or(phrase!("invalid-no-strings"))?.into_iter())
    }
}

/// An author's own words for the address, in the form that addresses have.
#[derive(Clone, Debug)]
pub struct OwnSlug(pub String);

impl Field for OwnSlug {
    fn from_text(text: &str) -> Result<Self, Phrase> {
        let has_words = text.contains(char::is_alphanumeric);
        if has_words { Ok(Self(slug::of(text))) } else { Err(phrase!("invalid-slug")) }
    }
}

/// An author's own excerpt: 1 to 300 characters on one line.
#[derive(Clone, Debug)]
pub struct OwnExcerpt(pub String);

impl OwnExcerpt {
    pub const MAX_CHARS: usize = 300;
}

impl Field for OwnExcerpt {
    fn from_text(text: &str) -> Result<Self, Phrase> {
        let clean = one_line(text);
        match clean.chars().count() {
            _ if !clean.contains(is_visible) => Err(phrase!("invalid-excerpt")),
            ..=Self::MAX_CHARS => Ok(Self(clean)),
            count => Err(phrase!("invalid-too-many-characters", most = Self::MAX_CHARS, count = count)),
        }
    }
}

/// The address of an image: one of this site's, or at most 500 bytes on the web, and encrypted on its way.
#[derive(Clone, Debug)]
pub struct Cover(pub String);

impl Field for Cover {
    fn from_text(text: &str) -> Result<Self, Phrase> {
        if let Some(own) = ImageName::of_path(text.trim()) {
            return Ok(Self(own.path()));
        }
        let url = Url::parse(text.trim()).ok().filter(|url| url.scheme() == "https" && url.username().is_empty());
        let url = url.map(String::from).filter(|url| url.len() <= 500);
        url.map(Self).ok_or_else(|| phrase!("invalid-cover"))
    }
}

/// The version of a post that the author has changed; `None` when the field is empty.
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
}

/// What an author sends.
#[derive(Clone, Debug)]
pub struct NewPost {
    pub title: Title,
    pub content: Content,
    pub tags: Option<Tags>,
    pub status: Option<Status>,
    /// What authors may set themselves. Each: `None` if it was not sent and stays as it is, empty for none.
    pub slug: Option<Optional<OwnSlug>>,
    pub excerpt: Option<Optional<OwnExcerpt>>,
    pub cover: Option<Optional<Cover>>,
    pub language: Option<Optional<TextLanguage>>,
    /// When a draft is to be published.
    pub publish_at: Option<Optional<PublishAt>>,
    /// The version that the author has changed; `None` replaces whatever version there is.
    pub version: Option<i32>,
}

impl NewPost {
    #[must_use]
    pub fn is_draft(&self) -> bool {
        self.status == Some(Status::Draft)
    }

    /// Its text, in the language that its author has chosen.
    pub(crate) fn source(&self, own_language: Option<TextLanguage>) -> Source {
        Source { title: self.title.0.clone(), content: self.content.0.clone(), own_language }
    }
}

impl Field for TextLanguage {
    fn from_text(text: &str) -> Result<Self, Phrase> {
        text.parse().map_err(|_| phrase!("invalid-text-language"))
    }
}

/// The editor's field for a picture, in a form that is saved: a file that was chosen and not added would be lost.
struct NotAdded;

impl Field for NotAdded {
    fn from_text(text: &str) -> Result<Self, Phrase> {
        if text.is_empty() {
            return Ok(Self);
        }
        let name: String = text.chars().take(60).collect();
        Err(phrase!("invalid-not-added", name = name))
    }
}

impl Input for NewPost {
    /// Percent-encoded or escaped, a text may be three times as long. The rest is room for a text that is too long, so
    /// that it can be refused as such.
    const MAX_BYTES: usize = 4 * Content::MAX_BYTES;

    fn read(fields: &mut Fields) -> Option<Self> {
        let (title, content) = (fields.take("title"), fields.take("content"));
        let tags = fields.take_if_there("tags");
        let status = fields.take_if_there("status");
        let (slug, excerpt) = (fields.take_if_there("slug"), fields.take_if_there("excerpt"));
        let (cover, publish_at) = (fields.take_if_there("cover"), fields.take_if_there("publish_at"));
        let (language, version) = (fields.take_if_there("language"), fields.take_if_there("version"));
        let image = fields.take_if_there::<NotAdded>("image");
        // The editor reads the first before; the other is of a picture.
        fields.ignore("scripts");
        fields.ignore("alt");
        image?;
        let version = version?.and_then(|Version(version)| version);
        Some(Self {
            title: title?,
            content: content?,
            tags: tags?,
            status: status?,
            slug: slug?,
            excerpt: excerpt?,
            cover: cover?,
            language: language?,
            publish_at: publish_at?,
            version,
        })
    }
}

/// A text that is only to be looked at.
#[derive(Clone, Debug)]
pub struct PreviewText {
    pub content: String,
}

impl Input for PreviewText {
    const MAX_BYTES: usize = NewPost::MAX_BYTES;

    /// The other fields of a post are ignored: the form sends them as well.
    fn read(fields: &mut Fields) -> Option<Self> {
        let content = fields.take("content");
        fields.ignore_others();
        content.map(|Content(content)| Self { content })
    }
}

/// Where a picture is to be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spot {
    /// At the end of the text.
    Text,
    /// As the image of the post.
    Cover,
}

impl Field for Spot {
    fn from_text(text: &str) -> Result<Self, Phrase> {
        match text {
            "text" => Ok(Self::Text),
            "cover" => Ok(Self::Cover),
            _ => Err(phrase!("invalid-spot")),
        }
    }
}

/// A picture for the text in a form, sent with all of the form.
#[derive(Debug)]
pub struct ImageForPost {
    pub image: NewImage,
    pub spot: Spot,
}

impl Input for ImageForPost {
    const MAX_BYTES: usize = NewPost::MAX_BYTES;
    const HAS_FILE: bool = true;

    /// The fields of the post come back in the form as they are.
    fn read(fields: &mut Fields) -> Option<Self> {
        let (image, spot) = (NewImage::take(fields), fields.take_if_there("spot"));
        fields.ignore_others();
        Some(Self { image: image?, spot: spot?.unwrap_or(Spot::Text) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_one_visible_line() {
        let title = |text: &str| Title::from_text(text).map(|title| title.0);
        assert_eq!(title(" a\r\nb\u{202e}c\u{7} ").unwrap(), "a  bc");
        assert_eq!(title("سلام 👩‍💻").unwrap(), "سلام 👩‍💻");
        assert!(title("\u{200b}\u{3164}").is_err());
        assert!(title(" \u{202e} ").is_err() && title(&"x".repeat(201)).is_err() && title(&"ک".repeat(200)).is_ok());
    }

    #[test]
    fn content_is_kept_exactly_and_counted_in_bytes() {
        assert_eq!(Content::from_text(" a\r\n").unwrap().0, " a\r\n");
        assert!(Content::from_text(&"ک".repeat(Content::MAX_BYTES / 2)).is_ok());
        assert!(Content::from_text(&"ک".repeat(Content::MAX_BYTES / 2 + 1)).is_err());
        assert!(Content::from_text(" \n ").is_err());
    }

    #[test]
    fn what_authors_set_themselves_has_the_form_of_its_place() {
        assert_eq!(OwnSlug::from_text(" My Own, words ").unwrap().0, "my-own-words");
        assert!(OwnSlug::from_text("--").is_err());
        assert_eq!(OwnExcerpt::from_text(" one\ntwo ").unwrap().0, "one two");
        assert!(OwnExcerpt::from_text("\u{200b}").is_err() && OwnExcerpt::from_text(&"x".repeat(301)).is_err());
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
        assert!(Optional::<Cover>::from_json(&Value::Null).unwrap().0.is_none());
        assert!(Optional::<Cover>::from_text(" ").unwrap().0.is_none());
        assert!(Optional::<Cover>::from_json(&serde_json::json!(7)).is_err());
    }

    #[test]
    fn tags_have_one_form_each() {
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
