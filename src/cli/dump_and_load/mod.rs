//! `dumpdata` and `loaddata`, as in Django: all rows of a site as a JSON array of objects with `model`, `pk` and
//! `fields`, one object per line. `loaddata` also reads dumps of BitPin-Blog.

mod bitpin;
mod dump;
mod dump_reader;
mod load;
mod models;

pub use self::dump::{DumpArguments, dump};
pub use self::load::{is_load_incomplete, load};
pub use self::models::{EXCLUDED_TABLES, MODELS};
