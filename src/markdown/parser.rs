//! Markdown parser options: `CommonMark` with tables, footnotes, strikethrough and task lists.

use pulldown_cmark::{Options, Parser};

pub fn parser(source: &str) -> Parser<'_> {
    let more =
        Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    Parser::new_ext(source, more)
}
