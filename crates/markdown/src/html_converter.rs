//! Conversion of Markdown parser events to the limited set of HTML that posts may contain.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write as _;
use std::ops::Range;

use pulldown_cmark::{Alignment, CodeBlockKind, CowStr, Event, HeadingLevel, LinkType, Tag, TagEnd, html};

use super::highlighting;
use super::html_elements::{
    LINK_REL_ATTRIBUTE, figure, image, is_http_url, is_safe_url, is_url_like, link_end, link_to, with_scheme,
};
use super::labels::Labels;
use super::outline::{Heading, HeadingIds};
use super::plain_text::escape_html;
use crate::image_name::ImageName;

/// Maximum nesting depth of elements. Deeper elements are omitted, but their text is kept.
const MAX_NESTING: usize = 40;

/// Maximum number of elements and text nodes on a page. The sanitizer needs about half a kilobyte and a microsecond for
/// each of them.
pub const MAX_PARTS: usize = 20_000;

/// Maximum size of the HTML in bytes, because a few characters of markup may become many bytes of HTML.
pub const MAX_HTML_BYTES: usize = 5 << 17;

/// Maximum size of the warning after a flagged link, in bytes.
pub const MAX_WARNING_BYTES: usize = 200;

#[derive(Debug)]
pub enum RenderAbort {
    /// The caller no longer needs the result.
    Cancelled,
    /// The text exceeds a limit on elements, nesting or HTML size.
    TooLarge,
}

/// Paths of warning pages by flagged URL. The HTML contains no link to a flagged URL.
pub type FlaggedUrls = BTreeMap<String, String>;

/// Converter of Markdown parser events to events that are rendered as HTML.
pub struct HtmlConverter<'a> {
    warnings: &'a FlaggedUrls,
    words: Labels,
    /// URLs in the text, including flagged ones.
    pub links: Vec<String>,
    pub flagged_links: usize,
    /// Path of the warning page while the text of a flagged link is being converted, else `None`.
    warning: Option<&'a str>,
    pub outline: Vec<Heading>,
    /// Images of this site in the text, with duplicates.
    pub images: Vec<ImageName>,
    /// Image whose alternative text is being read: name, title, byte index in `plain` at which the alternative text
    /// starts, and number of output events before the image.
    image: Option<(ImageName, String, usize, usize)>,
    /// Figure that replaces the open paragraph if the paragraph ends after its first image, and number of output events
    /// before the image.
    figure: Option<(String, usize)>,
    /// True if the current image has no alternative text.
    has_no_alt: bool,
    /// Number of open elements at the start of `image`, including the image element.
    inside_image: usize,
    /// Text of the post without markup.
    pub plain: String,
    /// Byte range of the first paragraph in `plain`.
    pub lead: Option<Range<usize>>,
    /// For each open element, true if the element is rendered. `nested` is the number of rendered open elements.
    open: Vec<bool>,
    nested: usize,
    in_link: usize,
    /// Start of the open heading in `plain`, and number of output events before the heading.
    heading: Option<(usize, usize)>,
    heading_ids: HeadingIds,
    code: Option<(String, String)>,
    columns: Vec<Alignment>,
    column: usize,
    in_head: bool,
    /// Footnote numbers by label, in the order of the first reference.
    numbers: HashMap<CowStr<'a>, usize>,
    referenced: HashSet<usize>,
    notes: HashMap<usize, Vec<Event<'a>>>,
    /// Labels of the open footnote definitions, each with the output that was written before the definition.
    open_footnotes: Vec<(CowStr<'a>, Vec<Event<'a>>)>,
    /// Number of elements and text nodes so far, limited to [`MAX_PARTS`].
    parts: usize,
    pub colors: highlighting::HighlightBudget,
}

impl<'a> HtmlConverter<'a> {
    pub fn new(warnings: &'a FlaggedUrls, words: Labels) -> Self {
        Self {
            warnings,
            words,
            links: Vec::new(),
            flagged_links: 0,
            warning: None,
            outline: Vec::new(),
            images: Vec::new(),
            image: None,
            figure: None,
            has_no_alt: false,
            inside_image: 0,
            plain: String::new(),
            lead: None,
            open: Vec::new(),
            nested: 0,
            in_link: 0,
            heading: None,
            heading_ids: HeadingIds::default(),
            code: None,
            columns: Vec::new(),
            column: 0,
            in_head: false,
            numbers: HashMap::new(),
            referenced: HashSet::new(),
            notes: HashMap::new(),
            open_footnotes: Vec::new(),
            parts: 0,
            colors: highlighting::HighlightBudget::default(),
        }
    }

    /// First paragraph, if it contains letters or digits.
    pub fn first_paragraph(&self) -> Option<&str> {
        let lead = self.plain.get(self.lead.clone()?)?;
        lead.contains(char::is_alphanumeric).then_some(lead)
    }

    pub fn transform_events(
        &mut self,
        events: Vec<Event<'a>>,
        wanted: &dyn Fn() -> bool,
    ) -> Result<Vec<Event<'a>>, RenderAbort> {
        let mut out = Vec::new();
        let mut events = events.into_iter().peekable();
        while let Some(event) = events.next() {
            if !wanted() {
                return Err(RenderAbort::Cancelled);
            }
            self.count_part(&event)?;
            match event {
                Event::Start(tag) => {
                    self.has_no_alt =
                        matches!(tag, Tag::Image { .. }) && matches!(events.peek(), Some(Event::End(TagEnd::Image)));
                    self.start(tag, &mut out);
                }
                Event::End(tag) => self.end(tag, &mut out),
                Event::Html(text)
                | Event::InlineHtml(text)
                | Event::Text(text)
                | Event::InlineMath(text)
                | Event::DisplayMath(text) => self.text(&text, &mut out),
                Event::Code(text) => {
                    let text = self.hide_urls(&text);
                    self.plain.push_str(&text);
                    out.push(Event::Code(text));
                }
                Event::SoftBreak | Event::HardBreak | Event::Rule => {
                    self.plain.push('\n');
                    out.push(event);
                }
                Event::TaskListMarker(done) => {
                    // In a task list, a checkbox replaces the bullet of the item.
                    if let Some(item) = out.iter_mut().rfind(|event| **event == Event::Start(Tag::Item)) {
                        *item = Event::Html("<li class=\"task\">".into());
                    }
                    out.push(Event::Text(if done { "☑ " } else { "☐ " }.into()));
                }
                Event::FootnoteReference(label) => self.footnote_reference(label, &mut out),
            }
        }
        Ok(out)
    }

    fn count_part(&mut self, event: &Event<'_>) -> Result<(), RenderAbort> {
        self.parts += usize::from(!matches!(event, Event::End(_)));
        if self.parts > MAX_PARTS { Err(RenderAbort::TooLarge) } else { Ok(()) }
    }

    fn text(&mut self, text: &CowStr<'a>, out: &mut Vec<Event<'a>>) {
        let text = &self.hide_urls(text);
        match &mut self.code {
            Some((_, code)) => code.push_str(text),
            None => out.push(Event::Text(text.clone())),
        }
        self.plain.push_str(text);
    }

    /// Replaces URLs in the text of a flagged link, so that users cannot copy the URL from the text.
    fn hide_urls(&self, text: &CowStr<'a>) -> CowStr<'a> {
        if self.warning.is_none() || !text.split_whitespace().any(is_url_like) {
            return text.clone();
        }
        let words = text.split(' ').map(|word| if is_url_like(word.trim()) { &self.words.hidden_url } else { word });
        words.collect::<Vec<_>>().join(" ").into()
    }

    fn start(&mut self, tag: Tag<'a>, out: &mut Vec<Event<'a>>) {
        let deep = self.nested >= MAX_NESTING;
        let shown = !deep && self.is_shown(&tag);
        self.record_url(&tag);
        self.open.push(shown);
        self.nested += usize::from(shown);
        self.in_link += usize::from(matches!(tag, Tag::Link { .. } | Tag::Image { .. }));
        self.begin_lead(&tag);
        match tag {
            Tag::CodeBlock(CodeBlockKind::Fenced(info)) => self.code = Some((info.to_string(), String::new())),
            Tag::CodeBlock(CodeBlockKind::Indented) => self.code = Some((String::new(), String::new())),
            Tag::FootnoteDefinition(label) => self.open_footnotes.push((label, std::mem::take(out))),
            Tag::Image { dest_url, title, .. } if !deep && self.begin_image(&dest_url, &title, out.len()) => {}
            Tag::Image { dest_url, title, .. } if shown => {
                self.link(&dest_url, &title, &self.image_text(&dest_url), out);
            }
            Tag::Image { .. } if self.has_no_alt => {}
            Tag::Image { .. } => out.push(Event::Text(self.words.image.clone().into())),
            _ if !shown => (),
            Tag::Heading { .. } => {
                self.heading = Some((self.plain.len(), out.len()));
                // The start tag of a heading is written when the heading ends, because the id depends on the text.
                out.push(raw(String::new()));
            }
            Tag::Link { link_type: LinkType::Email, dest_url, title, .. } => {
                self.link(&format!("mailto:{dest_url}"), &title, "", out);
            }
            Tag::Link { dest_url, title, .. } => self.link(&dest_url, &title, "", out),
            Tag::HtmlBlock => out.push(Event::Start(Tag::Paragraph)),
            Tag::Table(columns) => {
                out.push(Event::Start(Tag::Table(vec![Alignment::None; columns.len()])));
                self.columns = columns;
            }
            Tag::TableHead | Tag::TableRow => {
                (self.column, self.in_head) = (0, tag == Tag::TableHead);
                out.push(Event::Start(tag));
            }
            Tag::TableCell => out.push(raw(self.cell())),
            other => out.push(Event::Start(other)),
        }
    }

    /// Text of the link to an image that is not shown.
    fn image_text(&self, url: &str) -> String {
        // The file name of a flagged URL is not shown, because readers could find the URL by it.
        let is_named = self.has_no_alt && !self.warnings.contains_key(&*with_scheme(url));
        if is_named { file_name(url) } else { self.words.image.clone() }
    }

    /// True unless the tag is an unsafe or nested link. Parts of a table or list need no check, because they are
    /// removed with the table or list.
    fn is_shown(&self, tag: &Tag<'a>) -> bool {
        match tag {
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
                self.in_link == 0 && is_safe_url(&with_scheme(dest_url))
            }
            Tag::MetadataBlock(_) => false,
            _ => true,
        }
    }

    /// Records the start of the first paragraph, which may become the excerpt. Footnotes are skipped.
    fn begin_lead(&mut self, tag: &Tag<'a>) {
        if *tag == Tag::Paragraph && self.open_footnotes.is_empty() {
            self.lead.get_or_insert(self.plain.len()..self.plain.len());
        }
    }

    /// Records the end of the first paragraph that contains text.
    fn end_lead(&mut self, tag: TagEnd) {
        if let (TagEnd::Paragraph, Some(lead)) = (tag, &mut self.lead)
            && lead.start == lead.end
        {
            lead.end = self.plain.len();
        }
    }

    fn end(&mut self, tag: TagEnd, out: &mut Vec<Event<'a>>) {
        let shown = self.open.pop().unwrap_or(false);
        self.nested -= usize::from(shown);
        self.in_link -= usize::from(matches!(tag, TagEnd::Link | TagEnd::Image));
        self.end_lead(tag);
        if !is_inline(tag) {
            self.plain.push('\n');
        }
        match tag {
            TagEnd::Image if self.end_image(out) => {}
            TagEnd::CodeBlock => {
                let (language, text) = self.code.take().unwrap_or_default();
                let (block, parts) = highlighting::render_code_block(&language, &text, &mut self.colors);
                self.parts += parts;
                out.push(raw(block));
            }
            TagEnd::FootnoteDefinition => {
                let Some((label, before)) = self.open_footnotes.pop() else { return };
                let note = std::mem::replace(out, before);
                let number = self.number(label);
                self.notes.entry(number).or_insert(note);
            }
            _ if !shown => (),
            TagEnd::Paragraph if self.end_figure(out) => {}
            TagEnd::Heading(level) => self.end_heading(heading_level(level), out),
            TagEnd::Link | TagEnd::Image => {
                let end = link_end(self.warning.take(), &self.words.flagged_link_warning);
                out.push(raw(end));
            }
            TagEnd::HtmlBlock => out.push(Event::End(TagEnd::Paragraph)),
            TagEnd::TableCell => {
                self.column += 1;
                out.push(raw(if self.in_head { "</th>" } else { "</td>" }.to_owned()));
            }
            other => out.push(Event::End(other)),
        }
    }

    fn end_heading(&mut self, level: u8, out: &mut Vec<Event<'a>>) {
        let Some((begin, start)) = self.heading.take() else { return };
        let text = self.plain[begin..].split_whitespace().collect::<Vec<_>>().join(" ");
        let id = self.heading_ids.next(&text);
        out[start] = raw(format!("<h{level} id=\"{id}\">"));
        out.push(raw(format!("</h{level}>\n")));
        self.outline.push(Heading { level, id, text });
    }

    /// Records the URL of a link or image. Also records links that are not rendered, because another renderer of the
    /// source might show them.
    fn record_url(&mut self, tag: &Tag<'a>) {
        if let Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } = tag
            && let dest_url = with_scheme(dest_url)
            && is_http_url(&dest_url)
        {
            self.links.push(dest_url.into_owned());
        }
    }

    fn link(&mut self, url: &str, title: &str, before: &str, out: &mut Vec<Event<'a>>) {
        let url = &*with_scheme(url);
        self.warning = self.warnings.get(url).map(String::as_str);
        self.flagged_links += usize::from(self.warning.is_some());
        out.push(raw(match self.warning {
            Some(_) => format!("<span class=\"suspected\">{before}"),
            None => link_to(url, title, before),
        }));
    }

    /// Starts an image of this site. Returns false for images of other sites, and for images inside the alternative
    /// text of another image.
    fn begin_image(&mut self, url: &str, title: &str, shown: usize) -> bool {
        let name = ImageName::from_path(url).filter(|_| self.image.is_none());
        let Some(name) = name else { return false };
        self.image = Some((name, title.to_owned(), self.plain.len(), shown));
        self.inside_image = self.open.len();
        true
    }

    /// Ends an image of this site: its text becomes the attribute `alt`. Returns false for images of other sites.
    fn end_image(&mut self, out: &mut Vec<Event<'a>>) -> bool {
        let is_its_end = self.open.len() + 1 == self.inside_image;
        let Some((name, title, alt_start, shown)) = self.image.take_if(|_| is_its_end) else { return false };
        let alt = self.plain.split_off(alt_start.min(self.plain.len()));
        out.truncate(shown);
        if !title.is_empty() && out.last() == Some(&Event::Start(Tag::Paragraph)) {
            self.figure = Some((figure(&name, alt.trim(), &title), shown));
        }
        out.push(raw(image(&name, alt.trim(), &title)));
        self.images.push(name);
        true
    }

    /// Converts a paragraph that contains only a titled image to a figure with a caption. Returns false for other paragraphs.
    fn end_figure(&mut self, out: &mut Vec<Event<'a>>) -> bool {
        let Some((figure, before)) = self.figure.take().filter(|(_, before)| before + 1 == out.len()) else {
            return false;
        };
        out.truncate(before - 1);
        out.push(raw(figure));
        // A figure has two parts that a paragraph does not have: the caption and its text.
        self.parts += 2;
        true
    }

    fn cell(&self) -> String {
        let name = if self.in_head { "th" } else { "td" };
        let class = match self.columns.get(self.column) {
            Some(Alignment::Right) => " class=\"end\"",
            Some(Alignment::Center) => " class=\"middle\"",
            _ => "",
        };
        format!("<{name}{class}>")
    }

    fn number(&mut self, label: CowStr<'a>) -> usize {
        let next = self.numbers.len() + 1;
        *self.numbers.entry(label).or_insert(next)
    }

    fn footnote_reference(&mut self, label: CowStr<'a>, out: &mut Vec<Event<'a>>) {
        // A footnote reference consists of three parts: an element, a link and a text. The caller has already counted
        // one part.
        self.parts += 2;
        let number = self.number(label);
        let shown = self.words.format_number(number);
        let link = format!("<a href=\"#fn:{number}\" rel=\"{LINK_REL_ATTRIBUTE}\">{shown}</a>");
        let text = if self.in_link == 0 { link } else { shown };
        // Only the first reference has an `id`, to which the footnote links back.
        let id = if self.referenced.insert(number) { format!(" id=\"fnref:{number}\"") } else { String::new() };
        out.push(raw(format!("<sup{id}>{text}</sup>")));
    }

    pub fn push_footnotes(&mut self, raw: &mut String) {
        let mut notes: Vec<_> = std::mem::take(&mut self.notes).into_iter().collect();
        if notes.is_empty() {
            return;
        }
        notes.sort_unstable_by_key(|(number, _)| *number);
        raw.push_str("<hr>\n<ol>\n");
        for (number, note) in notes {
            let _ = write!(raw, "<li id=\"fn:{number}\" value=\"{number}\">");
            html::push_html(raw, note.into_iter());
            // Adds the link back to the last paragraph of the footnote, so that the link does not get its own line.
            let end = if raw.ends_with("</p>\n") { raw.split_off(raw.len() - "</p>\n".len()) } else { String::new() };
            if self.referenced.contains(&number) {
                let (back, shown) = (self.words.back_arrow(), self.words.format_number(number));
                let side = self.words.direction_mark();
                let _ =
                    write!(raw, " {side}<a href=\"#fnref:{number}\" rel=\"{LINK_REL_ATTRIBUTE}\">{back} {shown}</a>");
            }
            raw.push_str(&end);
            raw.push_str("</li>\n");
        }
        raw.push_str("</ol>\n");
    }
}

pub fn is_inline(tag: TagEnd) -> bool {
    use TagEnd::{Emphasis, Link, Strikethrough, Strong, Subscript, Superscript};
    matches!(tag, Emphasis | Strong | Strikethrough | Link | Subscript | Superscript)
}

/// Heading level on the page: one more than in the Markdown, because the page title has level 1; at most 6.
fn heading_level(level: HeadingLevel) -> u8 {
    (level as u8 + 1).min(6)
}

/// File name at the end of a URL, as HTML, or the whole URL if its path is empty.
fn file_name(url: &str) -> String {
    let path = url.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/');
    escape_html(path.rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or(url))
}

fn raw<'a>(text: String) -> Event<'a> {
    Event::InlineHtml(text.into())
}
