//! What staff do to rows of lists, one or several at once: it is shown before it is done, and each is in the log. (What is
//! done to accounts has more to ask, and stands beside their list.)

mod action;
mod page;
mod subjects;

pub use self::action::BulkAction;
pub use self::page::{act, form};
