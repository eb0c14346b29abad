//! `evenkeel importposts`: imports the posts of another blog from a folder of Markdown files with front matter, or from an export
//! of Ghost or `WordPress`.

mod addresses;
mod arguments;
mod authors;
mod classic;
mod entry;
mod fit;
mod folder;
mod front_matter;
mod ghost;
mod html;
mod image_files;
mod redirects;
mod run;
mod source;
mod time;
mod wordpress;
mod xml;

pub use self::arguments::Import;
pub use self::run::{Parts, import_posts};
