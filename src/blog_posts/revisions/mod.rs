//! Earlier versions of posts, which edits have replaced.

pub mod delete;
pub mod list;
pub mod models;
pub mod restore;
pub mod show;
