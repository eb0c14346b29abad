//! The Markdown that texts are written in: `CommonMark`, and some of what others have added to it.

use pulldown_cmark::{Options, Parser};

pub fn parser(source: &str) -> Parser<'_> {
    let more =
        Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    Parser::new_ext(source, more)
}
