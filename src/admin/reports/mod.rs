//! Admin pages of report cases.

mod case;
mod list;

pub use self::case::{decide, show};
pub use self::list::CaseList;
