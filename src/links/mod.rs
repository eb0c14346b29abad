//! Links that others wrote: whether a list of suspected places names where they lead.

pub mod expressions;
pub mod prefixes;
pub mod protocol;
pub mod rice;
