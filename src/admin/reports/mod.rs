//! Admin pages for reviewing reported posts: the list of report cases and the page of a case.

mod case;
mod list;

pub use self::case::{decide, show};
pub use self::list::CaseList;
