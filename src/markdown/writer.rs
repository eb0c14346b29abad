//! Turns what the parser of Markdown says into the HTML that we let it say.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write as _;
use std::ops::Range;

use pulldown_cmark::{
    Alignment, CodeBlockKind, CowStr, Event, HeadingLevel, LinkType, Tag, TagEnd, TextMergeStream, html,
};
use pulldown_cmark_escape::{escape_href, escape_html};

use super::code;
use super::outline::Heading;
use super::words::Words;
use crate::image_name::ImageName;

/// How deep tags may be nested. Deeper tags are left out, and their text stays.
const MAX_NESTED: usize = 40;

/// The most elements and pieces of text that a page may have. Each costs the sanitiser about half a kilobyte and a
/// microsecond.
const MAX_PARTS: usize = 20_000;

/// The most bytes of HTML: a mark of a few characters may stand for many bytes.
pub const MAX_BYTES: usize = 5 << 17;

/// The most bytes of a warning.
pub const MAX_WARNING: usize = 200;

/// Why a text was not rendered to its end.
#[derive(Debug)]
pub enum Broken {
    /// Nobody waits for it any more.
    Unwanted,
    /// It has more parts than a page may have.
    TooMuch,
}

/// Addresses that a text does not link to, each with the path of the page that says why.
pub type Warnings = BTreeMap<String, String>;

/// Turns the events of the parser into those that are let through.
pub struct Writer<'a> {
    warnings: &'a Warnings,
    words: Words,
    /// The web addresses that are linked to, and those that are warned of instead.
    pub links: Vec<String>,
    /// How many links are warned of.
    pub warned: usize,
    /// The page of the warning, while the text of a link that is warned of is read.
    warning: Option<&'a str>,
    pub outline: Vec<Heading>,
    /// The images of this site that are shown, each as often as it is.
    pub images: Vec<ImageName>,
    /// The image whose description is read, with its title, and where that and what is shown of it begin.
    image: Option<(ImageName, String, usize, usize)>,
    /// How many tags were open with that.
    inside_image: usize,
    /// The text without its marks.
    pub plain: String,
    /// Where in it the first paragraph is.
    pub lead: Option<Range<usize>>,
    /// For each open tag, whether it was let through. `nested` is how many were.
    open: Vec<bool>,
    nested: usize,
    in_link: usize,
    heading: Option<(HeadingLevel, usize)>,
    code: Option<(String, String)>,
    columns: Vec<Alignment>,
    column: usize,
    in_head: bool,
    /// Footnotes by label: numbers in the order of their first mention.
    numbers: HashMap<CowStr<'a>, usize>,
    mentioned: HashSet<usize>,
    notes: HashMap<usize, Vec<Event<'a>>>,
    /// Footnotes that are being read, each with the events that came before it.
    around: Vec<(CowStr<'a>, Vec<Event<'a>>)>,
    /// Elements and pieces of text so far.
    parts: usize,
    pub colours: code::Colours,
}

impl<'a> Writer<'a> {
    pub fn new(warnings: &'a Warnings, words: Words) -> Self {
        Self {
            warnings,
            words,
            links: Vec::new(),
            warned: 0,
            warning: None,
            outline: Vec::new(),
            images: Vec::new(),
            image: None,
            inside_image: 0,
            plain: String::new(),
            lead: None,
            open: Vec::new(),
            nested: 0,
            in_link: 0,
            heading: None,
            code: None,
            columns: Vec::new(),
            column: 0,
            in_head: false,
            numbers: HashMap::new(),
            mentioned: HashSet::new(),
            notes: HashMap::new(),
            around: Vec::new(),
            parts: 0,
            colours: code::Colours::default(),
        }
    }

    /// The first paragraph, if it has words.
    pub fn lead(&self) -> Option<&str> {
        let lead = self.plain.get(self.lead.clone()?)?;
        lead.contains(char::is_alphanumeric).then_some(lead)
    }

    pub fn transform(
        &mut self,
        events: impl Iterator<Item = Event<'a>>,
        wanted: &dyn Fn() -> bool,
    ) -> Result<Vec<Event<'a>>, Broken> {
        let mut out = Vec::new();
        // Pieces of text are merged, as the parser makes one of each character that might have been a mark.
        for event in TextMergeStream::new(events) {
            if !wanted() {
                return Err(Broken::Unwanted);
            }
            self.parts += usize::from(!matches!(event, Event::End(_)));
            if self.parts > MAX_PARTS {
                return Err(Broken::TooMuch);
            }
            match event {
                Event::Start(tag) => self.start(tag, &mut out),
                Event::End(tag) => self.end(tag, &mut out),
                // Raw HTML is shown as text.
                Event::Html(text)
                | Event::InlineHtml(text)
                | Event::Text(text)
                | Event::InlineMath(text)
                | Event::DisplayMath(text) => self.text(&text, &mut out),
                Event::Code(text) => {
                    let text = self.without_addresses(&text);
                    self.plain.push_str(&text);
                    out.push(Event::Code(text));
                }
                Event::SoftBreak | Event::HardBreak | Event::Rule => {
                    self.plain.push('\n');
                    out.push(event);
                }
                Event::TaskListMarker(done) => out.push(Event::Text(if done { "☑ " } else { "☐ " }.into())),
                Event::FootnoteReference(label) => self.refer(label, &mut out),
            }
        }
        Ok(out)
    }

    fn text(&mut self, text: &CowStr<'a>, out: &mut Vec<Event<'a>>) {
        let text = &self.without_addresses(text);
        match &mut self.code {
            Some((_, code)) => code.push_str(text),
            None => out.push(Event::Text(text.clone())),
        }
        self.plain.push_str(text);
    }

    /// In the text of a link that is warned of, an address is no text to be copied either.
    fn without_addresses(&self, text: &CowStr<'a>) -> CowStr<'a> {
        if self.warning.is_none() || !text.split_whitespace().any(is_address) {
            return text.clone();
        }
        let words = text.split(' ').map(|word| if is_address(word.trim()) { &self.words.hidden } else { word });
        words.collect::<Vec<_>>().join(" ").into()
    }

    fn start(&mut self, tag: Tag<'a>, out: &mut Vec<Event<'a>>) {
        let deep = self.nested >= MAX_NESTED;
        let shown = !deep && self.is_shown(&tag);
        self.note_address(&tag);
        self.open.push(shown);
        self.nested += usize::from(shown);
        self.in_link += usize::from(matches!(tag, Tag::Link { .. } | Tag::Image { .. }));
        self.begin_lead(&tag);
        match tag {
            Tag::CodeBlock(CodeBlockKind::Fenced(info)) => self.code = Some((info.to_string(), String::new())),
            Tag::CodeBlock(CodeBlockKind::Indented) => self.code = Some((String::new(), String::new())),
            Tag::FootnoteDefinition(label) => self.around.push((label, std::mem::take(out))),
            // One of this site's, as it may be shown.
            Tag::Image { dest_url, title, .. } if !deep && self.begin_image(&dest_url, &title, out.len()) => {}
            Tag::Image { dest_url, title, .. } if shown => {
                let image = self.words.image.clone();
                self.link(&dest_url, &title, &image, out);
            }
            Tag::Image { .. } => out.push(Event::Text(self.words.image.clone().into())),
            _ if !shown => (),
            Tag::Heading { level, .. } => {
                self.heading = Some((level, self.plain.len()));
                let id = self.outline.len() + 1;
                out.push(raw(format!("<h{} id=\"section-{id}\">", depth(level))));
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

    /// Parts of a table or list belong together: where the whole is left out they are, too.
    fn is_shown(&self, tag: &Tag<'a>) -> bool {
        match tag {
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => self.in_link == 0 && is_safe(dest_url),
            Tag::MetadataBlock(_) => false,
            _ => true,
        }
    }

    /// Notes where the first paragraph begins that is in no footnote.
    fn begin_lead(&mut self, tag: &Tag<'a>) {
        if *tag == Tag::Paragraph && self.around.is_empty() {
            self.lead.get_or_insert(self.plain.len()..self.plain.len());
        }
    }

    /// Notes where the first paragraph ends that has words.
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
        if !matches!(tag, TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough | TagEnd::Link) {
            self.plain.push('\n');
        }
        match tag {
            TagEnd::Image if self.end_image(out) => {}
            TagEnd::CodeBlock => {
                let (language, text) = self.code.take().unwrap_or_default();
                let (block, parts) = code::block(&language, &text, &mut self.colours);
                self.parts += parts;
                out.push(raw(block));
            }
            TagEnd::FootnoteDefinition => {
                let Some((label, before)) = self.around.pop() else { return };
                let note = std::mem::replace(out, before);
                let number = self.number(label);
                self.notes.entry(number).or_insert(note);
            }
            _ if !shown => (),
            TagEnd::Heading(level) => {
                let begin = self.heading.take().map_or(0, |(_, begin)| begin);
                let text = self.plain[begin..].split_whitespace().collect::<Vec<_>>().join(" ");
                let id = format!("section-{}", self.outline.len() + 1);
                self.outline.push(Heading { level: depth(level), id, text });
                out.push(raw(format!("</h{}>\n", depth(level))));
            }
            TagEnd::Link | TagEnd::Image => {
                let end = end_of_link(self.warning.take(), &self.words.suspected);
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

    /// Also of what is not shown as a link: whoever else renders the source may show it.
    fn note_address(&mut self, tag: &Tag<'a>) {
        if let Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } = tag
            && is_web(dest_url)
        {
            self.links.push(dest_url.to_string());
        }
    }

    fn link(&mut self, url: &str, title: &str, before: &str, out: &mut Vec<Event<'a>>) {
        self.warning = self.warnings.get(url).map(String::as_str);
        self.warned += usize::from(self.warning.is_some());
        out.push(raw(match self.warning {
            Some(_) => format!("<span class=\"suspected\">{before}"),
            None => link_to(url, title, before),
        }));
    }

    /// Begins an image of this site, if it is one, and none is inside of another's description.
    fn begin_image(&mut self, url: &str, title: &str, shown: usize) -> bool {
        let name = ImageName::of_path(url).filter(|_| self.image.is_none());
        let Some(name) = name else { return false };
        self.image = Some((name, title.to_owned(), self.plain.len(), shown));
        self.inside_image = self.open.len();
        true
    }

    /// Shows the image that ends here, if it is one of this site, with what was said in it as its description.
    fn end_image(&mut self, out: &mut Vec<Event<'a>>) -> bool {
        let is_its_end = self.open.len() + 1 == self.inside_image;
        let Some((name, title, said, shown)) = self.image.take_if(|_| is_its_end) else { return false };
        let alt = self.plain.split_off(said.min(self.plain.len()));
        out.truncate(shown);
        out.push(raw(image(&name, alt.trim(), &title)));
        self.images.push(name);
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

    fn refer(&mut self, label: CowStr<'a>, out: &mut Vec<Event<'a>>) {
        // A reference has three parts: its mark, its link and their text. One of them is counted already.
        self.parts += 2;
        let number = self.number(label);
        let shown = self.words.number(number);
        let link = format!("<a href=\"#note-{number}\" rel=\"{REL}\">{shown}</a>");
        let text = if self.in_link == 0 { link } else { shown };
        // The link back from the footnote leads to the first mention.
        let id = if self.mentioned.insert(number) { format!(" id=\"ref-{number}\"") } else { String::new() };
        out.push(raw(format!("<sup{id}>{text}</sup>")));
    }

    /// Writes the footnotes, in the order of their first mention.
    pub fn push_notes(&mut self, raw: &mut String) {
        let mut notes: Vec<_> = std::mem::take(&mut self.notes).into_iter().collect();
        if notes.is_empty() {
            return;
        }
        notes.sort_unstable_by_key(|(number, _)| *number);
        raw.push_str("<hr>\n<ol>\n");
        for (number, note) in notes {
            let _ = write!(raw, "<li id=\"note-{number}\" value=\"{number}\">");
            html::push_html(raw, note.into_iter());
            if self.mentioned.contains(&number) {
                let (back, shown) = (self.words.back(), self.words.number(number));
                let side = self.words.side();
                let _ = write!(raw, "{side}<a href=\"#ref-{number}\" rel=\"{REL}\">{back} {shown}</a>");
            }
            raw.push_str("</li>\n");
        }
        raw.push_str("</ol>\n");
    }
}

/// The level of a heading on the page: one more than in the text, as the page's title is level 1. At most 6.
fn depth(level: HeadingLevel) -> u8 {
    (level as u8 + 1).min(6)
}

fn raw<'a>(text: String) -> Event<'a> {
    Event::InlineHtml(text.into())
}

pub const SCHEMES: [&str; 3] = ["http", "https", "mailto"];

/// Whether a text may link to this address: `http`, `https`, `mailto`, or somewhere on this site.
fn is_safe(url: &str) -> bool {
    let scheme = url.split(['/', '?', '#']).next().unwrap_or_default();
    match scheme.split_once(':') {
        Some((scheme, _)) => SCHEMES.iter().any(|safe| scheme.eq_ignore_ascii_case(safe)),
        None => !url.starts_with("//") && !url.contains('\\') && !url.chars().any(char::is_control),
    }
}

/// Whether it leads to another place on the web.
pub fn is_web(url: &str) -> bool {
    let scheme = url.split_once(':').map(|(scheme, _)| scheme);
    scheme.is_some_and(|scheme| ["http", "https"].iter().any(|web| scheme.eq_ignore_ascii_case(web)))
}

/// Whether a word is an address that browsers and programs make links of.
fn is_address(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    word.contains("http://") || word.contains("https://") || word.starts_with("www.")
}

/// With the page of the warning, if the link is warned of.
fn end_of_link(warning: Option<&str>, suspected: &str) -> String {
    warning.map_or_else(
        || "</a>".to_owned(),
        |page| match page {
            "" => format!("</span> {suspected}"),
            page => format!("</span> <a href=\"{page}\" rel=\"{REL}\">{suspected}</a>"),
        },
    )
}

fn link_to(url: &str, title: &str, before: &str) -> String {
    let mut tag = String::from("<a href=\"");
    let _ = escape_href(&mut tag, url);
    tag.push('"');
    if !title.is_empty() {
        tag.push_str(" title=\"");
        let _ = escape_html(&mut tag, title);
        tag.push('"');
    }
    let _ = write!(tag, " rel=\"{REL}\">{before}");
    tag
}

/// How wide images are shown: as wide as a text, or as the screen.
pub const SIZES: &str = "(min-width: 44rem) 42rem, 92vw";

fn image(name: &ImageName, alt: &str, title: &str) -> String {
    let mut tag = format!("<img src=\"{}\"", name.path());
    let srcset = name.srcset();
    if !srcset.is_empty() {
        let _ = write!(tag, " srcset=\"{srcset}\" sizes=\"{SIZES}\"");
    }
    let _ = write!(tag, " width=\"{}\" height=\"{}\" alt=\"", name.width, name.height);
    let _ = escape_html(&mut tag, &alt.split_whitespace().collect::<Vec<_>>().join(" "));
    if !title.is_empty() {
        tag.push_str("\" title=\"");
        let _ = escape_html(&mut tag, title);
    }
    tag.push_str("\" loading=\"lazy\" decoding=\"async\">");
    tag
}

/// The `rel` of all links in texts: the site does not vouch for what authors link to.
pub const REL: &str = "nofollow ugc noopener";
