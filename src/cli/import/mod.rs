//! `evenkeel import`: imports the posts of another blog from a folder of Markdown files with front matter, or from
//! an export of Ghost, `WordPress` or BitPin-Blog.

mod arguments;
mod authors;
mod bitpin_blog;
mod html_to_markdown;
mod image_files;
mod old_urls;
mod post_conversion;
mod redirects;
mod report;
mod run;
mod source_entry;
mod sources;

pub use self::arguments::ImportArguments;
pub use self::run::{ImportServices, import_posts};
