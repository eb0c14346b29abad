//! What somebody wants to do who is sent to sign in first, for the page on which they do.

use std::fmt;

use futures_util::future::BoxFuture;
use sqlx::PgPool;

use crate::i18n::Phrase;

/// What the heading of the page for signing in says of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Purpose(pub Phrase);

/// Tells the purpose of a path. The apps know their paths; signing in knows none.
#[derive(Clone, Copy)]
pub struct Purposes(pub fn(PgPool, String) -> BoxFuture<'static, Option<Purpose>>);

impl fmt::Debug for Purposes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Purposes")
    }
}
