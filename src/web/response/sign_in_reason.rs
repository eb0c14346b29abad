//! Reason for a redirect to the sign-in page. The sign-in page shows the reason in its heading.

use std::fmt;

use futures_util::future::BoxFuture;
use sqlx::PgPool;

use crate::i18n::Phrase;

#[derive(Clone, Debug, PartialEq)]
pub struct SignInReason(pub Phrase);

/// Callback, because the sign-in module does not know the URLs of other modules.
#[derive(Clone, Copy)]
pub struct SignInReasonResolver(pub fn(PgPool, String) -> BoxFuture<'static, Option<SignInReason>>);

impl fmt::Debug for SignInReasonResolver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SignInReasonResolver")
    }
}
