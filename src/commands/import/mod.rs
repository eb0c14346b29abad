//! `evenkeel importposts`: takes the posts of another blog, from a folder of Markdown with front matter, or from the file
//! that Ghost or `WordPress` exports.

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
