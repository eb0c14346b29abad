//! Streaming reader for items in XML, such as the posts of a `WordPress` export. Text between items is ignored.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::{self, BufRead, Read};

use anyhow::{Context as _, bail, ensure};
use quick_xml::Reader;
use quick_xml::escape::unescape;
use quick_xml::events::{BytesStart, Event};

/// Maximum size of an item, including the text before it, in bytes. The limit is high, because an item includes
/// comments on a post.
const MAX_ITEM: usize = 64 << 20;

#[derive(Debug, Default)]
pub struct XmlElement {
    pub attributes: HashMap<String, String>,
    pub text: String,
}

/// Elements of an item by name, including nested elements. Elements with the same name are in document order.
#[derive(Debug, Default)]
pub struct XmlItem(HashMap<String, Vec<XmlElement>>);

impl XmlItem {
    pub fn elements(&self, name: &str) -> &[XmlElement] {
        self.0.get(name).map(Vec::as_slice).unwrap_or_default()
    }

    /// Text of the first element named `name`. `None` if the text is empty.
    pub fn element_text(&self, name: &str) -> Option<&str> {
        self.elements(name).first().map(|element| element.text.trim()).filter(|text| !text.is_empty())
    }
}

/// Reader with a size limit for each item, so that a large text cannot exhaust the memory.
struct LimitedReader<R> {
    file: R,
    /// Maximum number of bytes of an item.
    limit: usize,
    left: usize,
}

impl<R> LimitedReader<R> {
    fn allow_more(&mut self) {
        self.left = self.limit;
    }
}

impl<R: BufRead> Read for LimitedReader<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let mut found = self.fill_buf()?;
        let count = found.read(to)?;
        self.consume(count);
        Ok(count)
    }
}

impl<R: BufRead> BufRead for LimitedReader<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        let found = self.file.fill_buf()?;
        if self.left == 0 && !found.is_empty() {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        Ok(&found[..found.len().min(self.left)])
    }

    fn consume(&mut self, count: usize) {
        self.left -= count;
        self.file.consume(count);
    }
}

pub struct ItemReader<R> {
    reader: Reader<LimitedReader<R>>,
    /// Name of the XML element of an item, such as `item` in RSS.
    name: &'static str,
    open: Vec<(String, XmlElement)>,
    buffer: Vec<u8>,
}

impl<R: BufRead> ItemReader<R> {
    pub fn new(file: R, name: &'static str) -> Self {
        Self {
            reader: Reader::from_reader(LimitedReader { file, limit: MAX_ITEM, left: 0 }),
            name,
            open: Vec::new(),
            buffer: Vec::new(),
        }
    }

    /// Reads the next item. Returns the elements before the item, and the item, which is `None` at the end of the file.
    pub fn next_item(&mut self) -> anyhow::Result<(XmlItem, Option<XmlItem>)> {
        let (mut before, mut item) = (XmlItem::default(), None::<XmlItem>);
        let from = self.reader.buffer_position();
        self.reader.get_mut().allow_more();
        loop {
            self.buffer.clear();
            let at = self.reader.buffer_position();
            let event = self.reader.read_event_into(&mut self.buffer);
            let LimitedReader { left, limit: most, .. } = self.reader.get_ref();
            ensure!(event.is_ok() || *left > 0, "the XML item after byte {from} is larger than {} MiB", most >> 20);
            match event.with_context(|| format!("invalid XML at byte {at} of the file"))? {
                Event::Start(start) => {
                    let opened = parse_start_tag(&start)?;
                    if opened.0 == self.name {
                        item = Some(XmlItem::default());
                    }
                    self.open.push(opened);
                }
                Event::Empty(start) => {
                    let (name, element) = parse_start_tag(&start)?;
                    item.as_mut().unwrap_or(&mut before).0.entry(name).or_default().push(element);
                }
                Event::Text(text) => add(&mut self.open, &text.xml10_content()),
                Event::CData(text) => add(&mut self.open, &text.xml10_content()),
                Event::GeneralRef(reference) => {
                    let written = format!("&{};", &*reference);
                    add(&mut self.open, &unescape(&written).unwrap_or(Cow::Borrowed(&written)));
                }
                Event::End(_) => {
                    let Some((name, element)) = self.open.pop() else { continue };
                    if name == self.name {
                        return Ok((before, item));
                    }
                    item.as_mut().unwrap_or(&mut before).0.entry(name).or_default().push(element);
                }
                Event::Eof if self.open.is_empty() => return Ok((before, None)),
                Event::Eof => bail!("the file is truncated; export it again"),
                _ => {}
            }
        }
    }
}

fn add(open: &mut [(String, XmlElement)], text: &str) {
    if let Some((_, element)) = open.last_mut() {
        element.text.push_str(text);
    }
}

fn parse_start_tag(start: &BytesStart<'_>) -> anyhow::Result<(String, XmlElement)> {
    let mut element = XmlElement::default();
    for attribute in start.attributes() {
        let attribute = attribute?;
        let value = unescape(&attribute.value).unwrap_or(Cow::Borrowed(&attribute.value)).into_owned();
        element.attributes.insert(attribute.key.as_ref().to_owned(), value);
    }
    Ok((start.name().as_ref().to_owned(), element))
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    #[test]
    fn items_come_one_after_the_other() {
        let file = "<?xml version='1.0'?><rss><a>b &amp; &#8217;c</a><item><x k='1 &lt;'>1</x><y><![CDATA[<p>&amp;]]></y><x/></item>\
            <item><z>ü &nbsp;</z></item></rss>";
        let mut items = ItemReader::new(file.as_bytes(), "item");
        let (before, item) = items.next_item().unwrap();
        let item = item.unwrap();
        assert_eq!(before.element_text("a"), Some("b & ’c"));
        assert_eq!(
            (item.element_text("x"), item.element_text("y"), item.elements("x").len()),
            (Some("1"), Some("<p>&amp;"), 2)
        );
        assert_eq!(item.elements("x")[0].attributes["k"], "1 <");
        assert_eq!(items.next_item().unwrap().1.unwrap().element_text("z"), Some("ü &nbsp;"));
        assert!(items.next_item().unwrap().1.is_none());
    }

    #[test]
    fn entities_that_a_file_declares_are_text() {
        let file = "<?xml version='1.0'?><!DOCTYPE rss [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;'><!ENTITY f SYSTEM 'file:///etc/passwd'>\
            <!ENTITY % p SYSTEM 'http://127.0.0.1:9/'>%p;]><rss><item><x k='&b;'>&b; &f;</x></item></rss>";
        let item = ItemReader::new(file.as_bytes(), "item").next_item().unwrap().1.unwrap();
        assert_eq!((item.element_text("x"), item.elements("x")[0].attributes["k"].as_str()), (Some("&b; &f;"), "&b;"));
    }

    #[test]
    fn an_item_without_an_end_is_told_before_it_fills_the_memory() {
        for (begin, more) in [
            ("<rss><item><x>", "aaaa"),
            ("<rss><item>", "<x>1</x>"),
            ("<rss>", "<!-- x -->"),
            ("<rss><item><x ", "a='1' "),
        ] {
            let file = Cursor::new(begin).chain(Cursor::new(more.repeat(2 << 20)));
            let mut items = ItemReader::new(file, "item");
            items.reader.get_mut().limit = 1 << 20;
            let error_text = items.next_item().unwrap_err().to_string();
            assert_eq!(error_text, "the XML item after byte 0 is larger than 1 MiB");
        }
    }

    #[test]
    fn a_file_that_is_cut_off_is_told() {
        for cut in ["<rss><item><x>", "<rss><item></item>", "<rss><item></x></item></rss>"] {
            let mut items = ItemReader::new(cut.as_bytes(), "item");
            let error_text = std::iter::from_fn(|| match items.next_item() {
                Ok((_, Some(_))) => Some(Ok(())),
                Ok((_, None)) => None,
                Err(error) => Some(Err(error)),
            });
            assert!(error_text.take(3).any(|read| read.is_err()), "{cut}");
        }
    }
}
