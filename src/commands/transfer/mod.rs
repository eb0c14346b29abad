//! All rows of a site as JSON and back, as Django's `dumpdata` and `loaddata` have it: one array of objects with `model`, `pk`
//! and `fields`, one on each line. A dump of the original BitPin-Blog is loaded, too.

mod batches;
mod bitpin;
mod dump;
mod load;
mod models;

pub use self::dump::{Dump, dump};
pub use self::load::{is_half_loaded, load};
pub use self::models::{LEFT_OUT, MODELS};
